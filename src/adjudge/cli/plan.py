"""adjudge plan"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.analyses.tests import ALPHA, TESTS
from adjudge.cli import options
from adjudge.cli.output import deliver, progress, say, show
from adjudge.cli.sources import open_scores, show_result, takes_table, warn_of
from adjudge.core.errors import UsageError, quoted
from adjudge.core.table import Column

if TYPE_CHECKING:
    from adjudge.analyses.plan.result import PowerPlan
    from adjudge.formats.scoretable import TableOptions

AMONG = ("all", "machines", "humans", "human-machine")
BAR = 30  # characters of a power of 1


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    difference: Annotated[
        str | None,
        typer.Option(
            "--difference", "-d", metavar="D", help="To be found: a number, or a share of the mean as 5%."
        ),
    ] = None,
    power: Annotated[float, typer.Option("--power", help="How often it shall be found.")] = 0.8,
    alpha: Annotated[float, typer.Option("--alpha", help="A p up to this is a difference.")] = ALPHA,
    test: Annotated[
        str,
        typer.Option("--test", metavar="TEST", help=f"The test that answers: {', '.join(TESTS)}; or all."),
    ] = "wilcoxon",
    correct: Annotated[
        str,
        typer.Option("--correct", metavar="HOW", help="The comparison's correction: holm, bonferroni, none."),
    ] = "holm",
    pairs: Annotated[
        int | None,
        typer.Option("--pairs", min=1, metavar="K", help="Pairs that will be compared; else as many as now."),
    ] = None,
    systems: Annotated[
        int | None,
        typer.Option(
            "--systems", min=2, metavar="N", help="Systems that will be compared, all pairs of them."
        ),
    ] = None,
    among: Annotated[
        str,
        typer.Option(
            "--among",
            metavar="WHO",
            help=f"Which pairs are compared and give the spread: {', '.join(AMONG)}.",
        ),
    ] = "all",
    length: options.Length = None,
    form: options.Form = None,
    normal: Annotated[
        bool, typer.Option("--normal", help="Simulate normal noise instead of resampling the scores' topics.")
    ] = False,
    assessors: Annotated[
        str | None,
        typer.Option(
            "--assessors", metavar="N,...", help="Compare designs: assessors who judge, in each group."
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups", metavar="N,...", help="Compare designs: groups of assessors with topics of their own."
        ),
    ] = None,
    judgments: Annotated[
        int | None,
        typer.Option(
            "--judgments", min=1, metavar="N", help="Of each system, in designs; else as many as now."
        ),
    ] = None,
    simulations: Annotated[int, typer.Option("--simulations", min=1, help="For every power.")] = 2000,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    seed: options.Seed = 0,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """How many topics, or assessors, it takes to find a difference, from the spread of your own scores.

    In a comparison of all pairs of systems, corrected as compare does, and for one pair by itself. Without
    --difference: the smallest difference that the present topics find. Where assessors are known: where the noise
    comes from, and which design of judging finds most for the same number of judgments. --csv writes the power of
    each test on several numbers of topics.
    """
    if pairs is not None and systems is not None:
        raise UsageError("--pairs and --systems exclude each other")
    if among not in AMONG:
        raise UsageError(f"--among is {quoted(among)}, expected one of: {', '.join(AMONG)}")
    data = open_scores(scores, table, human, baseline, lower_is_better)
    chosen = data.resolved(measure or (data.resolve(),))
    warn_of(data, chosen)
    with progress("planning") as bar:
        found = [
            adjudge.plan(
                data,
                m,
                length=n,
                form=f,
                difference=difference,
                power=power,
                alpha=alpha,
                test=test,
                correct=correct,
                pairs=pairs,
                systems=systems,
                among=among,  # type: ignore[arg-type]
                normal=normal,
                assessors=_numbers("--assessors", assessors),
                groups=_numbers("--groups", groups),
                judgments=judgments,
                simulations=simulations,
                seed=seed,
                progress=bar,
            )
            for m, n, f in data.each(chosen, length=length, form=form)
        ]
    deliver(found, lambda plan: plan.curve_frame(), _show, json=json, csv=csv, latex=latex, markdown=markdown)


def _numbers(option: str, text: str | None) -> list[int]:
    """Whole numbers with commas between them."""
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"{option} is {quoted(text)}, expected whole numbers above 0 with commas between")
    return [int(part) for part in parts]


def _show(plan: PowerPlan) -> None:
    def more() -> None:
        if plan.sizes:
            print()
            _show_curve(plan)
        if (assessors := plan.assessors_table()) is not None:
            print()
            show(assessors)
        if (sampled := plan.sampled_table()) is not None:
            print()
            show(sampled)
        for each in plan.judging_tables():
            print()
            show(each)
        print()

    show_result(plan.table(), before=more)


def _show_curve(plan: PowerPlan) -> None:
    """The power of every test, with a picture of the first one's."""
    table, first = plan.curve_table(), plan.needs[0]
    say(table.title, "bold")
    drawn = replace(
        table,
        title="",
        columns=(*table.columns, Column("picture", first.words, data=False, right=False)),
        rows=tuple((*row, bar(first.power(k), plan.power)) for k, row in enumerate(table.rows)),
    )
    show(drawn)


def bar(power: float, wanted: float) -> str:
    """A power as a line of characters, with a mark where it should be."""
    if power != power:
        return ""
    filled, mark = round(power * BAR), round(wanted * BAR)
    line = "█" * filled + "·" * max(mark - filled, 0)
    return line[: mark - 1] + "│" + line[mark:] if mark else line
