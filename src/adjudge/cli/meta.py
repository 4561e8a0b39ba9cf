"""adjudge meta"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import now_in_words, progress, say, show, show_json, warn, write_csv
from adjudge.cli.sources import check_page_outputs, length_of, open_scores, show_result, takes_table, warn_of
from adjudge.core.errors import ClashError, UsageError

if TYPE_CHECKING:
    from adjudge.analyses.meta.result import MetaResult
    from adjudge.formats.scoretable import TableOptions

MOST_SENTENCES = 6
"""Of a part, where all parts are told in short."""


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    human: Annotated[
        list[str] | None,
        typer.Option(
            "--human",
            metavar="MEASURE",
            help="What people say: a measure, or what was asked, as overall; without it all that assessors gave.",
            show_default=False,
        ),
    ] = None,
    measure: options.Measures = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="NAME",
            help="A question to answer; may be repeated: correlations, ranks, accuracy, ceiling, conclusions, power,"
            " better, composites, hotelling, fooling, curves, slices, or all.",
            show_default="correlations, accuracy, ceiling, conclusions, better",
        ),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            metavar="LEVEL",
            help="Of correlations: system, input or global; curves are of the first, slices of the input level.",
            show_default="all",
        ),
    ] = None,
    coefficient: Annotated[
        list[str] | None,
        typer.Option(
            "--coefficient",
            metavar="NAME",
            help="pearson, spearman, kendall-b or kendall-c; the first makes the sentences. Measures are compared"
            " by those that are named, else by pearson.",
            show_default="all",
        ),
    ] = None,
    resample: Annotated[
        str,
        typer.Option(
            "--resample", metavar="WHAT", help="Of intervals: systems, inputs, both, assessors, or all three."
        ),
    ] = "all",
    among: Annotated[
        str | None,
        typer.Option(
            "--among",
            metavar="WHICH",
            help="Systems to look at: machines, humans or all.",
            show_default="machines, and all",
        ),
    ] = None,
    all_topics: Annotated[
        bool,
        typer.Option("--all-topics", help="System means of measures over all their topics, judged or not."),
    ] = False,
    closer_than: Annotated[
        float | None,
        typer.Option(
            "--closer-than",
            metavar="D",
            help="Accuracy also among pairs of systems that people put less than D apart.",
            show_default=False,
        ),
    ] = None,
    measure_test: Annotated[
        str,
        typer.Option(
            "--measure-test", metavar="TEST", help="Of measures against each other: permutation or williams."
        ),
    ] = "permutation",
    swap: Annotated[
        str,
        typer.Option(
            "--swap", metavar="WHAT", help="What the permutation swaps over: systems, inputs or both."
        ),
    ] = "systems",
    tests: Annotated[
        str,
        typer.Option(
            "--tests",
            metavar="T1,T2,...",
            help="Of power and composites: tests to count with, of mc and hb as mc:w too.",
            show_default="t-unpaired,t,wilcoxon",
        ),
    ] = "",
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="WHAT,...",
            help="Of slices: set, type, task, selector, length, source length, compression, copy rate.",
            show_default="all that is known",
        ),
    ] = "",
    texts: Annotated[
        Path | None,
        typer.Option(
            "--texts",
            metavar="FOLDER",
            help="Of fooling: write the texts that were made, as an evaluation to look at.",
            show_default=False,
        ),
    ] = None,
    length: options.LengthOrAll = None,
    form: options.Form = None,
    test: options.Test = None,
    correct: options.Correct = "holm",
    alpha: options.LevelAlpha = 0.05,
    resamples: Annotated[
        int | None,
        typer.Option(
            "--resamples",
            min=2,
            metavar="N",
            help="Of intervals, tests and curves, in every part.",
            show_default="each part's own",
        ),
    ] = None,
    seed: options.Seed = 0,
    human_systems: Annotated[
        list[str] | None,
        typer.Option(
            "--human-systems",
            metavar="PATTERN",
            help="Systems that are human, such as 'H*'.",
            show_default=False,
        ),
    ] = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    out: options.OutFolder = None,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """How well each measure stands in for people, how sure that is, and which measure is better.

    Correlations at the system, input and global level with intervals, pairwise accuracy, the human ceiling, agreement
    of conclusions, tests of measures against each other; with --part also rank tables, discriminative power,
    composites, a check whether measures can be fooled, curves of references, topics and assessors, and slices.
    --csv writes a row per measure, human measure, level and coefficient; of a single --part that part's rows.
    """
    from adjudge.analyses.meta.result import USUAL

    options.share("--alpha", alpha)
    _check_outputs(out, texts, csv, part, json=json, latex=latex, markdown=markdown)
    data = open_scores(scores, replace(table, without=()), None, baseline, lower_is_better)
    with progress("answering") as step:
        found = adjudge.meta(
            data,
            measure or None,
            human=human or (),
            parts=part or ("all" if out is not None else USUAL),
            levels=level or "all",
            coefficients=coefficient,
            resample=resample,
            among=among,
            all_topics=all_topics,
            length=length_of(length),
            form=form,
            test=test or "wilcoxon",
            correct=correct,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            closer_than=closer_than,
            measure_test=measure_test,
            swap=swap,
            tests=tests,
            by=by,
            human_systems=human_systems or (),
            without=tuple(table.without),
            progress=lambda question, done, of: step(done, of),
        )
    warn_of(data, (each.measure for each in (*(h.info for h in found.cells.humans), *found.cells.measures)))
    if out is not None:
        from adjudge.reports.meta import write_meta

        files = write_meta(found, out, made_at=now_in_words())
        warn(f"{files[0]}: open it in a browser ({len(files) - 1} files beside it)")
    if texts is not None:
        warn(f"{_write_texts(found, texts)}: the texts that measures were to be fooled with")
    if csv is not None:
        write_csv(found.to_frame(), csv)
    if json:
        show_json(found.as_dict())
    elif latex:
        print(found.to_latex())
    elif markdown:
        print(found.to_markdown())
    elif csv is None and out is None:
        (_show if part else _show_answers)(found)


def _check_outputs(
    out: Path | None,
    texts: Path | None,
    csv: Path | None,
    parts: list[str] | None,
    *,
    json: bool,
    latex: bool,
    markdown: bool,
) -> None:
    """Say before the work what could not be written after it."""
    check_page_outputs(out, csv, json=json, latex=latex, markdown=markdown)
    named = [name.strip() for each in parts or () for name in each.split(",")]
    if csv is not None and len(named) > 1 and "correlations" not in named and named != ["all"]:
        raise UsageError(
            "--csv writes one part's rows, or those of the correlations: say one --part, or -o FOLDER"
        )
    if texts is not None and out is None and not {"all", "fooling"} & set(named):
        raise UsageError("--texts writes the texts of the fooling check: say --part fooling")
    if texts is not None and texts.exists() and (not texts.is_dir() or any(texts.iterdir())):
        raise ClashError(f"{texts}: is there already; the texts go to a folder of their own")


def _show_answers(found: MetaResult) -> None:
    """What every part says, and the correlations; the tables of the others are for whoever asks."""
    from adjudge.analyses.meta.result import SPECS

    for note in found.all_notes():
        warn(note)
    for name, part in found.parts.items():
        say(SPECS[name].question, "bold")
        said = list(part.sentences())
        for sentence in said[:MOST_SENTENCES]:
            say(f"- {sentence}")
        if len(said) > MOST_SENTENCES:
            say(f"- and {len(said) - MOST_SENTENCES} more: --part {name}")
        say("")
    if "correlations" in found.parts:
        for table in found.parts["correlations"].tables():
            say(table.title, "bold")
            show(replace(table, title=""))
            say("")
    say(found.signature, "dim")
    say("--part NAME shows the tables of a part, -o FOLDER writes all as a page, LaTeX and CSV", "dim")


def _write_texts(found: MetaResult, texts: Path) -> Path:
    from adjudge.analyses.meta.fooling import FoolingResult

    part = found["fooling"]
    assert isinstance(part, FoolingResult)
    part.write_texts(texts)
    return texts


def _show(found: MetaResult) -> None:
    """Every part's tables, with what they say."""
    for note in found.all_notes():
        warn(note)
    for part in found.parts.values():
        tables = part.tables()
        for table in tables:
            show_result(table)
            say("")
        for note in tables.notes:
            warn(note)
