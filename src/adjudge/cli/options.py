"""Arguments and options that several commands share, so that they look the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from adjudge.analyses.base import Analysis
from adjudge.analyses.compare import CompareAll
from adjudge.cli.completion import complete_measures, complete_systems, complete_topics
from adjudge.cli.output import SHOW_SIGNATURE
from adjudge.core.errors import UsageError, quoted
from adjudge.core.options import ADVANCED, OUTPUT, READING, Declared, Kind, Option, declared
from adjudge.core.phrases import spoken

COMPLETION: Mapping[str, Callable[..., list[str]]] = {
    "measure": complete_measures,
    "system": complete_systems,
    "topic": complete_topics,
}
TYPES: Mapping[Kind, Any] = {
    "text": str | None,
    "whole number": int | None,
    "number": float | None,
    "switch": bool,
    "number or text": str | None,
    "texts": list[str] | None,
    "whole numbers": list[str] | None,
    "pairs": list[str] | None,
    "switch or texts": bool,
}


def annotation_of(name: str, about: Option, kind: Kind, default: Any) -> Any:
    """What Typer makes an option of a command from, as it is declared."""
    if about.by_place:
        place = typer.Argument(
            metavar=about.metavar, help=about.help, show_default=spoken(about.unset, "command") or False
        )
        return Annotated[TYPES[kind], place]
    flag = f"--{(about.command or name).replace('_', '-')}"
    flags = [f"-{about.short}", flag] if about.short else [flag]
    if default is True:
        flags = [f"{flag}/--no-{flag[2:]}"]
    repeated = " May be repeated." if kind in ("texts", "whole numbers", "pairs") else ""
    limits = f" {about.limits[0].upper()}{about.limits[1:]}." if about.choices else ""
    shown = "" if default in (None, (), False, True) else str(default)
    return Annotated[
        str | None if about.words else bool | None if default is True else TYPES[kind],
        typer.Option(
            *flags,
            help=f"{spoken(about.help, 'command')}{limits}{repeated}",
            metavar=about.metavar or None,
            show_default=spoken(about.unset, "command") or shown or False,
            rich_help_panel=about.panel or None,
            autocompletion=COMPLETION.get(about.of or ""),
        ),
    ]


def as_declared(cls: type[Declared], name: str, **changes: Any) -> Any:
    """An option that analyses declare, for a command that is none; `changes` are what is otherwise here."""
    about, kind = declared(cls)[name]
    default = next(f.default for f in fields(cls) if f.name == name)
    return annotation_of(name, replace(about, **changes), kind, default)


Folder = Annotated[
    Path, typer.Argument(metavar="EVALUATION", help="The evaluation's folder.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.", rich_help_panel=OUTPUT)]
Csv = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write a CSV file ('-': print it).", rich_help_panel=OUTPUT),
]
Latex = Annotated[bool, typer.Option("--latex", help="Print a LaTeX table.", rich_help_panel=OUTPUT)]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.", rich_help_panel=OUTPUT)]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        metavar="FOLDER",
        help="Write everything as a page to read, with LaTeX and CSV files.",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
]
LevelAlpha = Annotated[
    float,
    typer.Option(
        "--alpha",
        help="Significance level; intervals have the level 1 - alpha.",
        rich_help_panel=ADVANCED,
    ),
]
Methods = Annotated[
    bool,
    typer.Option(
        "--methods",
        help="Print a paragraph on methods for a paper, in LaTeX with BibTeX.",
        rich_help_panel=OUTPUT,
    ),
]


def _show_signature(show: bool) -> bool:
    SHOW_SIGNATURE.set(show)
    return show


SplitSentences = Annotated[
    bool,
    typer.Option(
        "--split-sentences",
        help="For ROUGE-Lsum: split texts into sentences by rule; else each line is a sentence.",
        rich_help_panel=ADVANCED,
    ),
]


ShowSignature = Annotated[
    bool,
    typer.Option(
        "--show-signature",
        help="Print the signature: how the numbers were computed. JSON, CSV and LaTeX always have it.",
        rich_help_panel=OUTPUT,
        callback=_show_signature,
    ),
]
OnlyTable = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        metavar="NAME",
        help="Print only this table. May be repeated. --csv writes the first.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
FromSignature = Annotated[
    str | None,
    typer.Option(
        "--signature",
        metavar="TEXT",
        help="Use the options of this signature (see --show-signature); options on the command line win.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of everything random.", rich_help_panel=ADVANCED)
]
Length = Annotated[
    int | None,
    typer.Option("--length", min=1, metavar="WORDS", help="Target length of the summaries, in words."),
]
Measures = as_declared(Analysis, "measure", unset="")
Scores = Annotated[
    Path,
    typer.Argument(
        metavar="SCORES",
        help="An evaluation's folder, or a table of scores (CSV, TSV, Excel, Parquet): systems in"
        " columns, or a score per row. '-' is standard input.",
        show_default=False,
    ),
]
Human = as_declared(Analysis, "human")
Baseline = as_declared(Analysis, "baseline")
Lower = as_declared(Analysis, "lower_is_better")
LowerNames = Annotated[
    list[str] | None,
    typer.Option(
        "--lower",
        metavar="A,B,...",
        help="Measures for which lower scores are better, or none. Without it names such as ter tell. May be repeated.",
        rich_help_panel=READING,
        show_default=False,
    ),
]
Map = as_declared(Analysis, "columns")
Delimiter = as_declared(Analysis, "delimiter")


def encoding(unset: str) -> Any:
    """The option for an encoding; `unset` is what happens without it."""
    return as_declared(Analysis, "encoding", unset=unset)


Encoding = as_declared(Analysis, "encoding")
EncodingFound = encoding("recognised")
LeaveOut = as_declared(Analysis, "leave_out")
Topics = as_declared(Analysis, "topics")
Assessors = as_declared(Analysis, "assessors")
Without = as_declared(Analysis, "without")
Transpose = as_declared(Analysis, "transpose")
Decimal = as_declared(Analysis, "decimal")
Lengths = as_declared(Analysis, "length")
Form = as_declared(Analysis, "form")
FormGiven = Annotated[
    str | None,
    typer.Option(
        "--form",
        metavar="FORM",
        help="Form of the summaries where the file does not say: abstract or extract.",
    ),
]
Test = as_declared(CompareAll, "test", unset="t")
Correct = as_declared(CompareAll, "correct")
Primary = as_declared(CompareAll, "primary")
Across = as_declared(CompareAll, "across")
AssessorEffects = as_declared(CompareAll, "assessor_effects")
System = Annotated[
    str | None,
    typer.Option("--system", metavar="SYSTEM", help="Name of a system.", autocompletion=complete_systems),
]
Topic = Annotated[str | None, typer.Option("--topic", metavar="TOPIC", help="Name of a topic.")]
Why = Annotated[
    str, typer.Option("--why", help="The reason; it is kept in changes.jsonl.", show_default=False)
]
Replace = Annotated[bool, typer.Option("--replace", help="Overwrite what exists already.")]
Skip = Annotated[bool, typer.Option("--skip", help="Keep what exists already.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would happen; change nothing.")]
Workers = Annotated[str, typer.Option("--workers", metavar="N|auto", help="Number of processes.")]


# What is checked before a function is called that would name its argument, not the option


def one_of(option: str, value: str, choices: Iterable[str]) -> None:
    """One of the known words."""
    if value not in choices:
        raise UsageError(f"{option} is {quoted(value)}, expected one of: {', '.join(choices)}")


def share(option: str, value: float) -> None:
    """A number between 0 and 1."""
    if not 0 < value < 1:
        raise UsageError(f"{option} is {value:g}, expected a number between 0 and 1")
