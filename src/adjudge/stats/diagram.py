"""A critical-difference diagram: mean ranks, the difference that counts, who is alike; and a drawing in text.

The test is Nemenyi's, from tukey.py; figures for a page live elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.groups import Underlines, need_labels, underlines
from adjudge.stats.linear.tukey import Tukey, tukey

Best = Literal["highest", "lowest"]


@dataclass(frozen=True)
class CriticalDifference:
    """Mean ranks of the columns within topics, rank 1 the best, and the lines that join those alike.

    Demsar 2006, section 3.2.2 and figure 1. A column without scores has no rank and is not in `order`.
    """

    ranks: FloatArray
    order: tuple[int, ...]
    """Columns with ranks, from the best on."""
    cd: float
    """The difference of mean ranks that counts; with missing cells, where it varies, its mean over pairs."""
    lines: Underlines
    """Positions in `order`, not columns."""
    test: Tukey

    @property
    def level(self) -> float:
        return self.test.level

    def cliques(self) -> tuple[tuple[int, ...], ...]:
        """The columns under each line, best first."""
        return tuple(tuple(self.order[position] for position in line) for line in self.lines.lines)

    def draw(self, labels: Sequence[str], *, width: int = 60) -> str:
        """The diagram in plain text: an axis of ranks, a row per column, a row per line."""
        need_labels(labels, self.ranks.size)
        checks.count("width", width, least=10)
        if not self.order:
            return "no column has a mean rank"
        axis = _Axis(len(self.order), width)
        wide = max(len("alike"), *(len(labels[column]) for column in self.order))
        rows = [("", "rank", axis.numbers()), ("", "", axis.rule())]
        rows += [(labels[c], f"{self.ranks[c]:.2f}", axis.mark(self.ranks[c])) for c in self.order]
        rows += [("alike", "", axis.bar([self.ranks[c] for c in clique], "=")) for clique in self.cliques()]
        if not math.isnan(self.cd):
            rows.append(("CD", f"{self.cd:.2f}", axis.bar([1.0, min(1 + self.cd, len(self.order))], "-")))
        return "\n".join(f"{a.ljust(wide)}  {b:>5}  {text}".rstrip() for a, b, text in rows)


def critical_difference(
    values: npt.ArrayLike, *, best: Best = "highest", level: float = 0.95
) -> CriticalDifference:
    """Mean ranks within topics and Nemenyi's test of all pairs; topics in rows, NaN where missing."""
    checks.one_of("best", best, ("highest", "lowest"))
    matrix = checks.numbers("values", values, dimensions=2)
    found = tukey(-matrix if best == "highest" else matrix, scale="topic-ranks", level=level)
    ranked = np.flatnonzero(~np.isnan(found.means))
    order = ranked[np.argsort(found.means[ranked], kind="stable")]
    different = found.different()[np.ix_(order, order)]
    return CriticalDifference(
        found.means,
        tuple(int(column) for column in order),
        found.hsd,
        underlines(different, range(order.size)),
        found,
    )


@dataclass(frozen=True)
class _Axis:
    """Ranks from 1 to `last` on so many characters."""

    last: int
    width: int

    def at(self, rank: float) -> int:
        share = (rank - 1) / (self.last - 1) if self.last > 1 else 0.0
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)

    def ticks(self) -> list[int]:
        """Whole ranks, as many as have room for their numbers; the first and the last always."""
        step = max(1, math.ceil((self.last - 1) * 4 / (self.width - 1)))
        return sorted({*range(1, self.last, step), self.last})

    def numbers(self) -> str:
        text = [" "] * (self.width + 4)
        for tick in reversed(self.ticks()):
            name = str(tick)
            at = self.at(tick)
            if "".join(text[at : at + len(name) + 1]).isspace():
                text[at : at + len(name)] = name
        return "".join(text).rstrip()

    def rule(self) -> str:
        text = ["-"] * self.width
        for tick in self.ticks():
            text[self.at(tick)] = "+"
        return "".join(text)

    def mark(self, rank: float) -> str:
        return " " * self.at(rank) + "o"

    def bar(self, ranks: Sequence[float], stroke: str) -> str:
        start, stop = self.at(min(ranks)), self.at(max(ranks))
        return " " * start + stroke * (stop - start + 1)
