"""Answers to pairs of items, as arrays; who won how often, and what an answer says of similar items.

Smooth propagation: Zopf 2018, section 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from adjudge.core.errors import DataError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PairAnswers:
    """A row per answer: the item shown first (left, or above), the one shown second, and what was said.

    `won` is 1 where the first one won, 0 where the second did, 0.5 for a tie. `weight` is how often an answer counts.
    `who` numbers the assessors (-1: unknown), `cluster` numbers groups of dependent answers, such as topics.
    """

    n: int
    first: IntArray
    second: IntArray
    won: FloatArray
    weight: FloatArray = field(default_factory=lambda: np.empty(0))
    who: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    cluster: IntArray = field(default_factory=lambda: np.empty(0, np.int64))

    def __post_init__(self) -> None:
        rows = len(self.first)
        defaults: dict[str, Any] = {"weight": 1.0, "who": -1, "cluster": 0}
        for name, kind in (
            ("first", np.int64),
            ("second", np.int64),
            ("won", np.float64),
            ("weight", np.float64),
            ("who", np.int64),
            ("cluster", np.int64),
        ):
            values = np.asarray(getattr(self, name))
            if name in defaults and not len(values):
                values = np.full(rows, defaults[name])
            if values.shape != (rows,):
                raise DataError(f"{name}: {len(values)} values for {rows} answers")
            object.__setattr__(self, name, values.astype(kind))
        items = np.concatenate([self.first, self.second])
        if len(items) and not (items.min() >= 0 and items.max() < self.n):
            raise DataError(f"an answer names item {items.max()}, and there are {self.n}, from 0")
        if np.any(self.first == self.second):
            raise DataError("an answer compares an item with itself")
        if not np.all((self.won >= 0) & (self.won <= 1)):
            raise DataError("won is not from 0 to 1")
        if not np.all(np.isfinite(self.weight) & (self.weight >= 0)):
            raise DataError("a weight is negative or not a number")

    def __len__(self) -> int:
        return len(self.first)

    def take(self, rows: npt.ArrayLike) -> PairAnswers:
        """Some answers, by number or by mask; a number may occur more than once."""
        chosen = np.asarray(rows)
        return replace(
            self,
            first=self.first[chosen],
            second=self.second[chosen],
            won=self.won[chosen],
            weight=self.weight[chosen],
            who=self.who[chosen],
            cluster=self.cluster[chosen],
        )

    def wins(self, similarity: FloatArray | None = None) -> FloatArray:
        """M: how often the item of the row was preferred to that of the column. A tie is half a win each.

        With a similarity (items x items) an answer counts for similar items too: see `propagated`.
        """
        if similarity is not None:
            return propagated(self, similarity)
        cells = np.concatenate([self.first * self.n + self.second, self.second * self.n + self.first])
        counts = np.concatenate([self.weight * self.won, self.weight * (1 - self.won)])
        wins = np.bincount(cells, counts, self.n**2)
        return np.asarray(wins, np.float64).reshape(self.n, self.n)

    def among(self, kept: IntArray) -> PairAnswers:
        """The answers between some items, which get new numbers in that order."""
        numbers = np.full(self.n, -1, dtype=np.int64)
        numbers[kept] = np.arange(len(kept))
        some = self.take((numbers[self.first] >= 0) & (numbers[self.second] >= 0))
        return replace(some, n=len(kept), first=numbers[some.first], second=numbers[some.second])


def propagated(answers: PairAnswers, similarity: FloatArray) -> FloatArray:
    """M, the sum over answers of outer(sim(winner), sim(loser)), as products of matrices: S' W S, W the plain wins.

    The diagonal that this fills means nothing; the fit leaves it out.
    """
    n = answers.n
    matrix = np.asarray(similarity, dtype=np.float64)
    if matrix.shape != (n, n):
        raise DataError(f"the similarity is {matrix.shape}, and there are {n} items")
    if matrix.size and not (matrix.min() >= 0 and matrix.max() < np.inf):
        raise DataError("a similarity is negative, infinite or missing")
    winners = np.concatenate([answers.first, answers.second])
    losers = np.concatenate([answers.second, answers.first])
    counts = np.concatenate([answers.weight * answers.won, answers.weight * (1 - answers.won)])
    there = counts > 0
    wins = csr_array((counts[there], (winners[there], losers[there])), shape=matrix.shape)
    won = np.flatnonzero(np.diff(wins.indptr))
    # Items that never won have no part in it: with few answers this product is a narrow one.
    product: FloatArray = matrix[won].T @ (wins[won] @ matrix)
    return product
