"""adjudge judge report"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import now_in_words, progress, say, show, show_json, warn, write_csv
from adjudge.cli.sources import check_page_outputs, length_of, open_scores, takes_table

if TYPE_CHECKING:
    from adjudge.analyses.judges.result import JudgeDossier, JudgeReport
    from adjudge.core.table import Table
    from adjudge.formats.scoretable import TableOptions

EXAMPLE = "adjudge judge report my-eval simulated-2"
MOST_SENTENCES = 8
"""Of a part, where all parts are told in short."""


@takes_table
def report(
    scores: options.Scores,
    table: TableOptions,
    judges: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...",
            help="Judges: assessors that are programs, or whoever is to be taken for one; a column of scores too.",
            show_default="all programs that judged",
        ),
    ] = None,
    question: options.AnsweredQuestions = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="NAME",
            help="agreement, ranking, alternative or effects, with all its tables; may be repeated.",
            show_default="all",
        ),
    ] = None,
    panel: Annotated[
        str,
        typer.Option("--panel", metavar="HOW", help="Several judges together: by their mean or their vote."),
    ] = "none",
    family: Annotated[
        str,
        typer.Option(
            "--family",
            metavar="TEXT",
            help="A part of the names of systems that the judge may favour, such as gpt.",
            show_default=False,
        ),
    ] = "",
    epsilon: Annotated[
        float,
        typer.Option(
            "--epsilon",
            metavar="SHARE",
            help="Of the alternative-annotator test: what a judge may lose for being cheaper.",
        ),
    ] = 0.2,
    margin: Annotated[
        float,
        typer.Option(
            "--margin",
            metavar="D",
            help="How far below an assessor's agreement a judge's may lie and still be like it.",
        ),
    ] = 0.1,
    length: options.LengthOrAll = None,
    form: options.Form = None,
    alpha: options.LevelAlpha = 0.05,
    resamples: options.TopicResamples = 1000,
    seed: options.Seed = 0,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    out: options.OutFolder = None,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """What a judge is worth: its agreement beside people's and beside controls that cost nothing, and a verdict.

    Agreement with people, the ranking of systems that it reproduces, the alternative-annotator test, agreement with
    itself, effects of order, length and family, invalid answers, cost, and how many human judgments it saves. A
    constant, a random and a length judge, the best measure and each assessor stand in the same table, always.
    """
    from adjudge.analyses.judges.result import PANELS

    options.share("--alpha", alpha)
    options.one_of("--panel", panel, PANELS)
    check_page_outputs(out, csv, json=json, latex=latex, markdown=markdown)
    data = open_scores(scores, replace(table, without=()), human, baseline, lower_is_better)
    with progress("looking at") as step:
        found = adjudge.judge_report(
            data,
            judges or (),
            question=question or (),
            parts=part or "all",
            panel=panel,
            length=length_of(length),
            form=form,
            without=tuple(table.without),
            family=family,
            epsilon=epsilon,
            margin=margin,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            progress=lambda question, done, of: step(done, of),
        )
    if out is not None:
        from adjudge.reports.judges import write_dossiers

        files = write_dossiers(found, out, made_at=now_in_words())
        warn(f"{files[0]}: open it in a browser ({len(files) - 1} files beside it)")
    if csv is not None:
        write_csv(found.to_frame(), csv)
    if json:
        show_json(found.as_dict())
    elif latex:
        print(found.to_latex())
    elif markdown:
        print(found.to_markdown())
    elif csv is None and out is None:
        _show(found, whole=part is not None)


def _show(found: JudgeReport, *, whole: bool) -> None:
    for note in found.notes:
        warn(note)
    for dossier in found.dossiers:
        _show_dossier(dossier, whole=whole)
    if found.panel is not None:
        say("Panel", "bold")
        for sentence in found.panel.sentences():
            say(f"- {sentence}")
        for table in found.panel.tables():
            _show_table(table)
    say("--part NAME shows the tables of a part, -o FOLDER writes all as a page, LaTeX and CSV", "dim")


def _show_table(table: Table) -> None:
    say(table.title, "bold")
    show(replace(table, title=""))
    say("")


def _show_dossier(dossier: JudgeDossier, *, whole: bool) -> None:
    """What every part says, and the first part's tables; the others' are for whoever asks."""
    say(f"{dossier.judge} ({dossier.what})", "bold")
    if len(dossier.benches) > 1:
        say(dossier.headline())
    for note in dossier.all_notes():
        warn(note)
    for at, (name, part) in enumerate(dossier.parts.items()):
        say(dossier.QUESTIONS[name], "bold")
        said = list(part.sentences())
        for sentence in said if whole else said[:MOST_SENTENCES]:
            say(f"- {sentence}")
        if not whole and len(said) > MOST_SENTENCES:
            say(f"- and {len(said) - MOST_SENTENCES} more: --part {name}")
        say("")
        if whole:
            tables = part.tables()
            for table in tables:
                if table.rows:
                    _show_table(table)
            for note in dict.fromkeys((*tables.notes, *(note for each in tables for note in each.notes))):
                warn(note)
        elif at == 0:  # of several aspects, all at a glance
            _show_table(next(iter(part.tables())))
    say(dossier.signature, "dim")
