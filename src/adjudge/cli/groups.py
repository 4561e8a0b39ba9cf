"""adjudge groups"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli import options
from adjudge.cli.output import deliver, say, show_table
from adjudge.cli.sources import length_of, open_scores, pooled, warn_of
from adjudge.comparisons.groups import SCALES, Groupings, groupings, kind_contrast, many_to_one
from adjudge.wording import counted

if TYPE_CHECKING:
    from adjudge.comparisons.scores import Scores


def command(
    scores: options.Scores,
    measure: options.Measures = None,
    scale: Annotated[
        str, typer.Option("--scale", metavar="SCALE", help=f"What is tested: {', '.join(SCALES)}.")
    ] = "values",
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="SYSTEM", help="Dunnett's test of everybody against one."),
    ] = None,
    contrast: Annotated[
        list[str] | None,
        typer.Option(
            "--contrast", metavar="A-B", help="Such as humans-machines; may be repeated.", show_default=False
        ),
    ] = None,
    level: Annotated[
        float, typer.Option("--level", help="Of intervals; p below 1 - level is a difference.")
    ] = 0.95,
    length: options.Lengths = None,
    pool: options.PoolHumans = None,
    seed: options.Seed = 0,
    pairs: Annotated[bool, typer.Option("--pairs", help="Say every pair in words.")] = False,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
) -> None:
    """Tukey's groups on the model system + topic: letters, lines, ranks left open, a critical-difference diagram.

    --csv writes one row per pair.
    """
    from adjudge.comparisons.pairs import matrices

    data = open_scores(scores, human, baseline, lower_is_better)
    found = [
        groupings(
            m, scale=scale, level=level, seed=seed, contrasts=_contrasts(m.systems, data, against, contrast)
        )
        for m in matrices(data, measure or (), length=length_of(length), pool_humans=pooled(pool))
    ]
    warn_of(data, (g.matrix.measure for g in found))
    deliver(found, Groupings.pairs_frame, lambda g: _show(g, data, pairs), json=json, csv=csv, latex=latex)


def _contrasts(
    systems: tuple[str, ...], data: Scores, against: str | None, contrast: list[str] | None
) -> dict[str, list[float]]:
    chosen: dict[str, list[float]] = many_to_one(systems, against) if against else {}
    for text in contrast or ():
        chosen |= kind_contrast(systems, data.kinds_of(systems), text)
    return chosen


def _show(g: Groupings, data: Scores, pairs: bool) -> None:
    length = f", {g.matrix.length} words" if g.matrix.length else ""
    say(
        f"{g.matrix.measure}{length} ({g.matrix.info.direction}, {counted(len(g.matrix.topics), 'topic')})",
        "bold",
    )
    lines = [line[len(max(g.matrix.systems, key=len)) :] for line in g.draw_lines().splitlines()]
    show_table(
        (">", "system", "kind", "topics>", "mean>", "ranks", "group", "alike"),
        [
            (
                p.rank,
                p.system,
                data.kind(p.system),
                p.n,
                f"{p.mean:.4f}",
                str(p.best) if p.best == p.worst else f"{p.best}-{p.worst}",
                p.group,
                line.strip("\n"),
            )
            for p, line in zip(g.places, lines, strict=True)
        ],
    )
    print()
    print(g.draw_diagram())
    print()
    for line in g.sentences():
        say(line)
    if pairs:
        for line in g.pair_sentences():
            say(f"  {line}")
    say(g.signature, "dim")
