"""Arguments and options that several commands share, so that they look the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from adjudge.analyses.base import TOPICS
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.tests import TESTS
from adjudge.cli.completion import complete_measures, complete_systems, complete_topics
from adjudge.cli.output import SHOW_SIGNATURE
from adjudge.core.errors import UsageError, quoted
from adjudge.core.options import OPTION

Folder = Annotated[
    Path, typer.Argument(metavar="EVALUATION", help="The evaluation's folder.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a CSV file ('-': print it).")]
Latex = Annotated[bool, typer.Option("--latex", help="Print a LaTeX table.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        metavar="FOLDER",
        help="Write everything as a page to read, with LaTeX and CSV beside it.",
        show_default=False,
    ),
]
LevelAlpha = Annotated[float, typer.Option("--alpha", help="Of tests; 1 - alpha is the level of intervals.")]
Methods = Annotated[
    bool, typer.Option("--methods", help="Print the paragraph on methods, for LaTeX with its BibTeX.")
]


def _show_signature(show: bool) -> bool:
    SHOW_SIGNATURE.set(show)
    return show


SplitSentences = Annotated[
    bool,
    typer.Option(
        "--split-sentences",
        help="ROUGE-Lsum finds sentences by rule; without it a line is a sentence.",
        rich_help_panel="Advanced",
    ),
]


ShowSignature = Annotated[
    bool,
    typer.Option(
        "--show-signature",
        help="Print how it was computed, in the form of a signature; JSON, CSV and LaTeX always have it.",
        rich_help_panel="Advanced",
        callback=_show_signature,
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Length = Annotated[
    int | None, typer.Option("--length", min=1, metavar="WORDS", help="Target length to look at.")
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="SPEC",
        help="A measure such as rouge-2, several with commas, a preset such as tac, or of scores that are there a"
        " formula such as mean(a, b); may be repeated.",
        show_default=False,
        autocompletion=complete_measures,
    ),
]
Scores = Annotated[
    Path,
    typer.Argument(
        metavar="SCORES",
        help="An evaluation's folder, or a file of scores (CSV, TSV, Excel, Parquet): a matrix (topics in rows, systems"
        " in columns) or a long table; '-' is standard input.",
        show_default=False,
    ),
]
Human = Annotated[
    list[str] | None,
    typer.Option(
        "--human", metavar="PATTERN", help="Systems that are human, such as 'H*'.", show_default=False
    ),
]
Baseline = Annotated[
    list[str] | None,
    typer.Option("--baseline", metavar="PATTERN", help="Systems that are baselines.", show_default=False),
]
Lower = Annotated[
    bool, typer.Option("--lower-is-better", help="Of a file: lower scores are better, of all measures.")
]
LowerNames = Annotated[
    list[str] | None,
    typer.Option(
        "--lower",
        metavar="A,B,...",
        help="Of a file: measures of which lower scores are better; may be repeated.",
        show_default=False,
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN",
        help="Of a table: where a field stands (FIELD= for nowhere); may be repeated.",
        show_default=False,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="Of a table: between columns, such as ';' or tab; else found out.",
        show_default=False,
    ),
]
Encoding = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="Of a table, such as latin-1; UTF-16 is found out.")
]
LeaveOut = Annotated[
    list[str] | None,
    typer.Option(
        "--leave-out",
        metavar="A,B,...",
        help="Of a table: columns that are not to be read; may be repeated.",
        show_default=False,
    ),
]
_TOPICS = TOPICS.metadata[OPTION]
Topics = Annotated[
    list[str] | None,
    typer.Option(
        "--topics",
        metavar=_TOPICS.metavar,
        help=_TOPICS.help,
        show_default=_TOPICS.unset,
        autocompletion=complete_topics,
    ),
]
Assessors = Annotated[
    list[str] | None,
    typer.Option(
        "--assessors",
        metavar="A,B,...",
        help="Of a table: columns of one measure by several assessors, or their names in such columns; found out where"
        " they are numbered alike.",
        show_default=False,
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="ASSESSOR",
        help="Leave out what this assessor said; may be repeated.",
        show_default=False,
    ),
]
Transpose = Annotated[
    bool, typer.Option("--transpose", help="Of a matrix: rows are systems and columns are topics.")
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="SIGN",
        help="Of a table: '.' or ',' in its numbers; else found out.",
        show_default=False,
    ),
]
Lengths = Annotated[
    str | None,
    typer.Option("--length", metavar="WORDS|all", help="Target length; all averages within a topic first."),
]
Form = Annotated[
    str | None,
    typer.Option("--form", metavar="FORM", help="Form of summaries to look at, such as extract."),
]
FormGiven = Annotated[
    str | None,
    typer.Option("--form", metavar="FORM", help="Form where the file has none: abstract, extract."),
]
Test = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="TEST",
        help=f"The test that makes the groups: {', '.join(TESTS)}.",
        show_default="wilcoxon",
    ),
]
Correct = Annotated[
    str,
    typer.Option("--correct", metavar="HOW", help=f"Correction for many pairs: {', '.join(CORRECTIONS)}."),
]
Primary = Annotated[
    str | None,
    typer.Option("--primary", metavar="MEASURE", help="The measure chosen beforehand; others are secondary."),
]
Across = Annotated[
    str,
    typer.Option(
        "--across", metavar="WHAT", help="Correct p over the pairs of each measure, or all measures."
    ),
]
AssessorEffects = Annotated[
    str | None,
    typer.Option(
        "--assessor-effects",
        metavar="random|fixed",
        help="Of scores that assessors gave, whose answer makes the groups: that for assessors like them (random, the"
        " default from two up), or for these alone (fixed).",
    ),
]
System = Annotated[
    str | None,
    typer.Option("--system", metavar="S", help="A system's name.", autocompletion=complete_systems),
]
Topic = Annotated[str | None, typer.Option("--topic", metavar="T", help="A topic's name.")]
Why = Annotated[str, typer.Option("--why", help="The reason; it is kept with the data.", show_default=False)]
Replace = Annotated[bool, typer.Option("--replace", help="Take the new where something is there already.")]
Skip = Annotated[bool, typer.Option("--skip", help="Keep the old where something is there already.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen; change nothing.")]
Workers = Annotated[
    str, typer.Option("--workers", metavar="N|auto", help="Local processes that share the work.")
]


# What is checked before a function is called that would name its argument, not the option


def one_of(option: str, value: str, choices: Iterable[str]) -> None:
    """One of the known words."""
    if value not in choices:
        raise UsageError(f"{option} is {quoted(value)}, expected one of: {', '.join(choices)}")


def share(option: str, value: float) -> None:
    """A number between 0 and 1."""
    if not 0 < value < 1:
        raise UsageError(f"{option} is {value:g}, expected a number between 0 and 1")
