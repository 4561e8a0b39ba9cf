"""adjudge compare"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.cli import options
from adjudge.cli.output import deliver, say, show_json, show_table, warn, write_csv
from adjudge.cli.sources import length_of, open_scores, pooled, warn_of
from adjudge.comparisons.tests import (
    ALL,
    ALPHA,
    LEVEL,
    RESAMPLES,
    SIDES,
    STATISTICS,
    TESTS,
    ZEROS,
    Choices,
    Test,
    choices,
)
from adjudge.errors import UsageError, quoted
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison, Standing
    from adjudge.comparisons.scores import Scores

AMONG = ("all", "machines", "humans", "human-machine")
COUNTED: tuple[Test, ...] = ("t-unpaired", "t", "wilcoxon")  # the paper's three


def command(
    scores: options.Scores,
    measure: options.Measures = None,
    test: Annotated[
        str,
        typer.Option(
            "--test", metavar="TEST", help=f"The test that makes the groups: {', '.join(TESTS)}; or all."
        ),
    ] = "wilcoxon",
    correct: options.Correct = "holm",
    against: Annotated[
        str | None, typer.Option("--against", metavar="SYSTEM", help="Hold everybody against this one only.")
    ] = None,
    side: Annotated[
        str, typer.Option("--side", metavar="SIDE", help=f"With --against: {', '.join(SIDES)}.")
    ] = "both",
    among: Annotated[
        str, typer.Option("--among", metavar="WHO", help=f"Which pairs: {', '.join(AMONG)}.")
    ] = "all",
    margin: Annotated[
        float | None,
        typer.Option("--margin", metavar="D", help="Also say who is the same within this difference."),
    ] = None,
    length: options.Lengths = None,
    pool: options.PoolHumans = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster", metavar="set", help="Swap and resample whole document sets (with --test mc)."
        ),
    ] = None,
    statistic: Annotated[
        str | None,
        typer.Option("--statistic", metavar="S", help=f"What mc and hb resample: {', '.join(STATISTICS)}."),
    ] = None,
    zeros: Annotated[
        str,
        typer.Option("--zeros", metavar="Z", help=f"Equal scores in Wilcoxon's test: {', '.join(ZEROS)}."),
    ] = "wilcox",
    alpha: Annotated[float, typer.Option("--alpha", help="A p below this is a difference.")] = ALPHA,
    level: Annotated[float, typer.Option("--level", help="Of intervals.")] = LEVEL,
    resamples: Annotated[
        int, typer.Option("--resamples", min=1, help="Of mc, hb and intervals.")
    ] = RESAMPLES,
    seed: options.Seed = 0,
    counts: Annotated[
        bool,
        typer.Option("--counts", help="Count the pairs that differ, by test and kind (Rankel's tables)."),
    ] = False,
    effects: Annotated[bool, typer.Option("--effects", help="How large the differences are.")] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Say every pair in words.")] = False,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """Rank the systems: means, bootstrap intervals over topics, and groups that do not differ.

    Systems that share a letter cannot be told apart by the test with its correction. --csv writes one row per
    pair and test; with --counts, one per measure and test; with --effects, one per pair.
    """
    chosen = choices(
        test=test,
        correct=correct,
        statistic=statistic,
        zeros=zeros,
        against=against,
        side=side,
        margin=margin,
        alpha=alpha,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    if among not in AMONG:
        raise UsageError(f"--among is {quoted(among)}, expected one of: {', '.join(AMONG)}")
    if cluster not in (None, "set"):
        raise UsageError(f"--cluster is {quoted(cluster)}, expected: set")
    if counts:
        asked = {
            "--against": against,
            "--margin": margin,
            "--pool": pool,
            "--cluster": cluster,
            "--pairs": pairs,
            "--effects": effects,
            "--among": among != "all",
            "--correct": correct not in ("holm", "none"),
        }
        if ignored := next((option for option, value in asked.items() if value), None):
            raise UsageError(
                f"--counts counts all pairs, not corrected, as the paper does: leave out {ignored}"
            )
    data = open_scores(scores, human, baseline, lower_is_better)
    if counts:
        _count(data, measure or (), chosen, test, length, json=json, csv=csv, latex=latex)
        return
    from adjudge.comparisons.pairs import comparisons

    found = comparisons(
        data,
        measure or (),
        chosen,
        length=length_of(length),
        among=among,  # type: ignore[arg-type]
        pool_humans=pooled(pool),
        cluster=cluster is not None,
    )
    warn_of(data, (c.measure for c in found))
    deliver(
        found,
        lambda c: c.effects_frame() if effects else c.pairs_frame(),
        lambda c: _show(c, data, pairs=pairs, effects=effects),
        json=json,
        csv=csv,
        latex=latex,
    )


def _count(
    data: Scores,
    measures: Any,
    chosen: Choices,
    test: str,
    length: str | None,
    *,
    json: bool,
    csv: Any,
    latex: bool,
) -> None:
    from dataclasses import replace

    from adjudge.comparisons.pairs import counts

    tests = TESTS if test == ALL else tuple(dict.fromkeys((*COUNTED, chosen.test)))
    table = counts(data, measures, replace(chosen, tests=tests), length=length_of(length))
    warn_of(data, (m.measure for m in table.measures))
    if csv is not None:
        write_csv(table.to_frame(), csv)
    if json:
        show_json(table.as_dict())
    elif latex:
        print(table.to_latex())
    elif csv is None:
        for number, each in enumerate([*table.tables(), *table.machine_tables()]):
            if number:
                print()
            show_table(each.head, each.rows, title=each.title)
        print()
        for line in table.sentences():
            say(line)
        say(table.signature, "dim")


def interval(standing: Standing) -> str:
    """A single topic has none."""
    return "-" if standing.low != standing.low else f"{standing.low:.4f} to {standing.high:.4f}"


def _show(c: Comparison, data: Scores, *, pairs: bool, effects: bool) -> None:
    from adjudge.comparisons.pairs import ranks

    length = f", {c.matrix.length} words" if c.matrix.length else ""
    say(f"{c.measure}{length} ({c.matrix.info.direction}, {counted(len(c.matrix.topics), 'topic')})", "bold")
    head: tuple[str, ...] = (">", "system", "kind", "topics>", "mean>", f"{c.level:.0%} interval")
    rows: list[tuple[object, ...]] = [
        (s.rank, s.system, data.kind(s.system), s.n, f"{s.mean:.4f}", interval(s)) for s in c.standings
    ]
    if c.complete:
        head = (*head, "ranks", "group")
        rows = [(*row, ranks(s), s.group) for row, s in zip(rows, c.standings, strict=True)]
    show_table(head, rows)
    say(c.headline())
    if effects:
        _show_effects(c)
    if pairs:
        for pair in c.pairs[c.test]:
            say(f"  {pair.sentence(c.matrix.info.better, c.alpha, margin=c.choices.margin)}")
    for line in [*c.missing(), *c.warnings()]:
        warn(line)
    say(c.signature, "dim")


def _show_effects(c: Comparison) -> None:
    kinds = ("mean", "standardised", "hodges_lehmann", "superiority")
    print()
    show_table(
        (
            "a",
            "b",
            "topics>",
            "wins>",
            "losses>",
            "ties>",
            "difference",
            "in s.d.",
            "Hodges-Lehmann",
            "superiority",
        ),
        [
            (
                row["a"],
                row["b"],
                row["n"],
                row["wins"],
                row["losses"],
                row["ties"],
                *(_effect(row, k) for k in kinds),
            )
            for row in c.effects_frame().to_dict("records")
        ],
    )


def _effect(row: dict[str, Any], kind: str) -> str:
    """An effect with its interval, where there is one."""
    value, low, high = (row[name] for name in (kind, f"{kind}_low", f"{kind}_high"))
    if value != value:
        return "-"
    return f"{value:.3g}" if low != low else f"{value:.3g} ({low:.3g} to {high:.3g})"
