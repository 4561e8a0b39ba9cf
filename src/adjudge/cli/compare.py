"""adjudge compare"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show_json, show_table, warn, write_csv
from adjudge.compare import TESTS, Comparison, Standing, corrected
from adjudge.errors import UsageError, quoted
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.collection.collection import Collection


def command(
    evaluation: options.Folder,
    measure: options.Measures = None,
    test: Annotated[
        str, typer.Option(help=f"The test that makes the groups: {' or '.join(TESTS)}.")
    ] = "wilcoxon",
    length: options.Length = None,
    seed: options.Seed = 0,
    pairs: Annotated[bool, typer.Option("--pairs", help="Say every pair in words.")] = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """Rank the systems: means, bootstrap intervals over topics, and groups that do not differ.

    Systems that share a letter cannot be told apart by the paired test with Holm's correction. --csv writes
    one row per pair and test.
    """
    e = adjudge.open(evaluation)
    if test not in TESTS:
        raise UsageError(f"--test is {quoted(test)}, expected one of: {', '.join(TESTS)}")
    found = e.comparisons(measure or (), length=length, test=test, seed=seed)
    stored = e.stored()
    for name in dict.fromkeys(c.measure for c in found):
        for line in stored.warnings(name):
            warn(line)
    if csv is not None:
        write_csv(_all_pairs(found), csv)
    if json:
        show_json([c.as_dict() for c in found])
    elif latex:
        print("\n\n".join(c.to_latex() for c in found))
    elif csv is None:
        for number, comparison in enumerate(found):
            if number:
                print()
            _show(comparison, e.collection, pairs)


def interval(standing: Standing) -> str:
    """A single topic has none."""
    return "-" if standing.low != standing.low else f"{standing.low:.4f} to {standing.high:.4f}"


def _all_pairs(found: list[Comparison]) -> Any:
    import pandas as pd

    return pd.concat([c.pairs_frame() for c in found])


def _show(c: Comparison, collection: Collection, pairs: bool) -> None:
    length = f", {c.matrix.length} words" if c.matrix.length else ""
    say(f"{c.measure}{length} ({c.matrix.info.direction}, {counted(len(c.matrix.topics), 'topic')})", "bold")
    kinds = {s: collection.kind(s) if s in collection.systems else "" for s in c.matrix.systems}
    show_table(
        (">", "system", "kind", "topics>", "mean>", f"{c.level:.0%} interval", "group"),
        [
            (s.rank, s.system, kinds[s.system], s.n, f"{s.mean:.4f}", interval(s), s.group)
            for s in c.standings
        ],
    )
    say(c.headline())
    if pairs:
        for pair in c.pairs[c.test]:
            say(f"  {corrected(pair).sentence(pair.a, pair.b, c.matrix.info.better, alpha=c.alpha)}")
    for line in [*c.missing(), *c.warnings()]:
        warn(line)
    say(c.signature, "dim")
