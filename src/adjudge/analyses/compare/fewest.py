"""How few topics must be left out of a comparison for another system to come first.

Topics are what is independent, so they are left out whole: single scores would leave systems on different topics, and
single judgments a design for which another model ranks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.core.table import Column, Table, hidden

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.stats.checks import BoolArray, FloatArray
    from adjudge.stats.fewest import Fewest

REFITS, QUICK = 12, 500
"""Of the model with assessors, with so many judgments; it takes longer by more than the square of their number."""


def fewest_topics(c: Comparison) -> Fewest | None:
    """By what systems are ranked by; None where nothing is best, or not every pair was asked for."""
    from adjudge.stats.fewest import TOO_LARGE, Fewest, fewest_rows, ranking_means

    if c.matrix.info.better is None or not c.complete:
        return None
    sign = -1.0 if c.matrix.info.better == "lower" else 1.0
    values = sign * c.matrix.values
    judged = None if c.population is None else c.population.judged
    if judged is None or judged.balanced:
        return fewest_rows(values)
    refits = int(REFITS * (QUICK / judged.values.size) ** 2.5) if judged.values.size > QUICK else REFITS
    if refits < 3:
        return Fewest(of=len(values), first=(), why=TOO_LARGE)

    def ranking(kept: BoolArray) -> FloatArray | None:
        means, adjusted = ranking_means(values[kept])
        return None if adjusted is None else judged.ranking_means(sign * means, kept) * sign

    return fewest_rows(values, ranking=ranking, refits=refits)


def fewest_table(c: Comparison) -> Table:
    """The topics to leave out, the most telling one first, with the scores of who comes first with and without them."""
    fewest, systems = c.fewest, c.matrix.systems
    rows = []
    if fewest is not None and fewest.left_out:
        then = fewest.then[0]
        first = next(k for k in fewest.first if k not in fewest.then)
        rows = [
            (
                *c.target.values(),
                c.matrix.topics[topic],
                systems[first],
                float(c.matrix.values[topic, first]),
                systems[then],
                float(c.matrix.values[topic, then]),
            )
            for topic in fewest.left_out
        ]
    return Table.of(
        "fewest",
        rows,
        *hidden("measure length form"),
        Column("topic", right=False),
        Column("first", "first with it", right=False),
        Column("score", format=".4f"),
        Column("then", "first without", right=False),
        Column("score_then", "score", format=".4f"),
        title=f"{c.matrix.heading}: topics to leave out for another system to come first",
    )
