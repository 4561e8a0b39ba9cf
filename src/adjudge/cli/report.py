"""adjudge report"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import now_in_words, progress, say, show_json
from adjudge.cli.sources import takes_table
from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.pages.chapter import Findings
    from adjudge.analyses.scores import Source
    from adjudge.formats.scoretable import TableOptions


LISTS = {"leave_out": "--leave-out", "assessors": "--assessors", "lower_is_better": "--lower"}


@takes_table
def command(
    scores: options.Scores,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Folder to write.")] = Path(
        "report"
    ),
    measure: options.Measures = None,
    test: options.Test = None,
    correct: options.Correct = "holm",
    length: options.Length = None,
    form: options.Form = None,
    *,
    table: TableOptions,
    assessor_effects: options.AssessorEffects = None,
    between: Annotated[
        str | None,
        typer.Option(
            "--between",
            metavar="A,B",
            help="The two systems to show.",
            show_default="the best, and the next that differs from it significantly",
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Only the comparisons; nothing on judgments and on measures compared with people."
        ),
    ] = False,
    paper: Annotated[
        Path | None,
        typer.Option(
            "--paper",
            metavar="FOLDER",
            help="Also write a folder for a paper: tables, figures, methods, limitations and"
            " references in LaTeX.",
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Write a web page with all results, and their tables as CSV and LaTeX.

    The page needs no network. A folder's report also covers texts and documents.
    """
    from adjudge.analyses.scores import is_folder, no_table, read_scores
    from adjudge.evaluation import report

    if (out / "evaluation.toml").exists():
        raise UsageError(f"{out} is an evaluation, and a report has a folder of its own: say -o report")
    if paper is not None and (paper / "evaluation.toml").exists():
        raise UsageError(f"{paper} is an evaluation, and a paper has a folder of its own: say --paper paper")
    if paper is not None and paper.resolve() == out.resolve():
        raise UsageError(f"{out} is the report's folder already: give the paper another")
    source: Source
    if is_folder(scores):  # which has no table that options could be about
        no_table(scores, table)
        source = adjudge.open(scores)
    else:
        source = read_scores(scores, replace(table, topics=(), without=()))
    findings: list[Findings] = []
    with progress("Reporting") as told:
        files = report(
            source,
            out,
            measure or (),
            length=length,
            form=form,
            test=test,
            correct=correct,
            assessor_effects=assessor_effects,
            between=between or (),
            seed=seed,
            made_at=now_in_words(),
            human=table.human,
            baseline=table.baseline,
            topics=tuple(table.topics),
            without=tuple(table.without),
            quick=quick,
            paper=paper,
            progress=told,
            told=findings.append,
            again=_again(scores, table),
        )
    if json:
        show_json({"files": [str(f) for f in files], **_told(findings[0])})
    else:
        tables = sum(file.parent == files[0].parent for file in files) - 1
        say(f"{files[0]}: open it in a browser ({tables} tables beside it)")
        if paper is not None:
            say(
                f"{paper / 'main.tex'}: compile it with pdflatex and bibtex ({paper / 'README.md'} says what is what)"
            )


def _told(findings: Findings) -> dict[str, Any]:
    """The conditions of trust, and the cheapest of those that may be the best, by measure."""
    from adjudge.analyses.compare.cost import cheapest

    least = (cheapest(comparison, findings.collection.systems) for comparison in findings.comparisons)
    return {
        "conditions": [condition.as_dict() for condition in findings.conditions],
        "cheapest": [choice.as_dict() for choice in least if choice is not None],
    }


def _again(scores: Path, table: TableOptions) -> str:
    """The scores as they were named, with the options that say how to read them."""
    from adjudge.analyses.scores import is_folder
    from adjudge.core.words import in_shell

    arguments = [f"--human {in_shell(pattern)}" for pattern in table.human]
    arguments += [f"--baseline {in_shell(pattern)}" for pattern in table.baseline]
    for name in table.asked_for():
        value = getattr(table, name)
        if value is True:
            arguments.append(Argument(name).option)
        elif name == "columns":
            arguments += [f"--map {in_shell(f'{field}={column}')}" for field, column in value.items()]
        elif name in LISTS:
            arguments += [f"{LISTS[name]} {in_shell(entry)}" for entry in value]
        else:
            arguments.append(f"--{name} {in_shell(value)}")
    arguments += [f"--topics {in_shell(text)}" for text in table.topics]
    arguments += [f"--without {in_shell(assessor)}" for assessor in table.without]
    named = "." if is_folder(scores) else "-" if str(scores) == "-" else in_shell(scores.name)
    return " ".join([named, *arguments])
