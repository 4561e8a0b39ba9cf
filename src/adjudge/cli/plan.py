"""adjudge plan"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli import options
from adjudge.cli.output import deliver, progress, say, show_table, warn
from adjudge.cli.sources import open_scores, warn_of
from adjudge.comparisons.tests import ALL, ALPHA, TESTS
from adjudge.errors import UsageError, quoted
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.plan import JudgePlan, Plan
    from adjudge.comparisons.scores import Scores
    from adjudge.data.scores import AllLengths

AMONG = ("all", "machines", "humans", "human-machine")
BAR = 30  # characters of a power of 1


def command(
    scores: options.Scores,
    measure: options.Measures = None,
    difference: Annotated[
        str | None,
        typer.Option(
            "--difference", "-d", metavar="D", help="To be found: a number, or a share of the mean as 5%."
        ),
    ] = None,
    power: Annotated[float, typer.Option("--power", help="How often it shall be found.")] = 0.8,
    alpha: Annotated[float, typer.Option("--alpha", help="A p below this is a difference.")] = ALPHA,
    test: Annotated[
        str,
        typer.Option("--test", metavar="TEST", help=f"The test that answers: {', '.join(TESTS)}; or all."),
    ] = "wilcoxon",
    pairs: Annotated[
        int, typer.Option("--pairs", min=1, metavar="K", help="Divide alpha by so many pairs (Bonferroni).")
    ] = 1,
    among: Annotated[
        str, typer.Option("--among", metavar="WHO", help=f"Which pairs give the spread: {', '.join(AMONG)}.")
    ] = "all",
    length: options.Length = None,
    normal: Annotated[
        bool, typer.Option("--normal", help="Simulate normal noise instead of resampling the scores' topics.")
    ] = False,
    simulations: Annotated[int, typer.Option("--simulations", min=1, help="For every power.")] = 2000,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    seed: options.Seed = 0,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """How many topics, or assessors, it takes to find a difference, from the spread of your own scores.

    Without --difference: the smallest difference that the present topics find. --csv writes the power of each
    test on several numbers of topics.
    """
    if among not in AMONG:
        raise UsageError(f"--among is {quoted(among)}, expected one of: {', '.join(AMONG)}")
    data = open_scores(scores, human, baseline, lower_is_better)
    chosen = list(dict.fromkeys(data.resolve(m) for m in measure or ())) or [data.resolve()]
    warn_of(data, chosen)
    with progress("planning") as bar:
        found = [
            _plan(
                data,
                m,
                n,
                among,
                bar,
                difference=difference,
                power=power,
                alpha=alpha,
                pairs=pairs,
                normal=normal,
                simulations=simulations,
                seed=seed,
                **_tests(test),
            )
            for m in chosen
            for n in ((length,) if length else data.table.each_length(m))
        ]
    deliver(found, lambda plan: plan.curve_frame(), _show, json=json, csv=csv, latex=latex)


def _tests(test: str) -> dict[str, Any]:
    """All tests, with Wilcoxon's answering, or one with the quick ones beside it."""
    return {"test": "wilcoxon", "tests": TESTS} if test == ALL else {"test": test}


def _plan(
    data: Scores, measure: str, length: int | AllLengths | None, among: Any, bar: Any, **wanted: Any
) -> Plan:
    from adjudge.comparisons.plan import judgments_of, plan

    matrix = data.matrix(measure, length=length)
    family = data.pairs_among(matrix.systems, among)
    return plan(matrix, family=family, judgments=judgments_of(data.table, matrix), progress=bar, **wanted)


def _show(plan: Plan) -> None:
    length = f", {plan.matrix.length} words" if plan.matrix.length else ""
    size = f"{counted(plan.have, 'topic')} in common, {counted(plan.used_pairs, 'pair')} of systems"
    say(f"{plan.measure}{length} ({size})", "bold")
    _show_needs(plan)
    if plan.sizes:
        print()
        _show_curve(plan)
    if plan.judges is not None:
        print()
        _show_judges(plan.judges, plan)
    print()
    for line in plan.sentences():
        say(line)
    for line in plan.warnings():
        warn(line)
    say(plan.signature, "dim")


def _show_needs(plan: Plan) -> None:
    """A row per test; the second number of each kind is for pairs that spread widely."""
    from adjudge.comparisons.plan import number

    asked = plan.difference is not None
    head = ["test", *(["topics needed>", "wide pairs>"] if asked else []), "can find>", "wide pairs>"]
    rows = []
    for need in plan.needs:
        topics = [_whole(a.value) for a in (need.topics, need.topics_wide) if a is not None]
        differences = [number(a.value, 3) for a in (need.difference, need.difference_wide)]
        rows.append([need.words, *topics, *differences])
    show_table(head, rows)


def _show_curve(plan: Plan) -> None:
    from adjudge.comparisons.plan import number

    say(f"power for a difference of {number(plan.looked_for, 3)}", "bold")
    head = ["topics>", *(f"{need.test}>" for need in plan.needs), plan.needs[0].words]
    rows = [
        [f"{n:,}", *(_share(need.power(k)) for need in plan.needs), bar(plan.needs[0].power(k), plan.power)]
        for k, n in enumerate(plan.sizes)
    ]
    show_table(head, rows)


def _show_judges(judges: JudgePlan, plan: Plan) -> None:
    from adjudge.comparisons.plan import number

    asked = plan.difference is not None
    head = [f"{judges.unit}s>", "spread>", *(["topics needed>"] if asked else []), "can find>"]
    show_table(
        head,
        [
            [
                f"{row.judges:g}" if math.isfinite(row.judges) else "any",
                number(row.spread, 3),
                *([_whole(row.topics)] if asked else []),
                number(row.difference, 3),
            ]
            for row in judges.rows
        ],
    )


def bar(power: float, wanted: float) -> str:
    """A power as a line of characters, with a mark where it should be."""
    if power != power:
        return ""
    filled, mark = round(power * BAR), round(wanted * BAR)
    line = "█" * filled + "·" * max(mark - filled, 0)
    return line[: mark - 1] + "│" + line[mark:] if mark else line


def _whole(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "-"


def _share(value: float) -> str:
    return f"{value:.2f}" if value == value else "-"
