"""Does `compare --judge` keep its size when assessors have tastes of their own? The table of docs/calibration.md.

`python tests/calibration/test_corrected_calibration.py` prints the table (about ten minutes); the slow tests draw it
again, with another seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import holm
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.ppi import FROM_ZERO, powered_mean
from adjudge.stats.tastes import JudgedPair, tastes

ALPHA = 0.05
FURTHER = 80
"""Topics that the judge alone judged."""


@dataclass(frozen=True)
class Design:
    """Topic x system has a standard deviation of .5, the noise of people 1, that of the judge .5."""

    assessors: int
    systems: int
    topics: int
    one_per_topic: bool = False
    spread: tuple[float, float] = (1.0, 1.0)
    """Of tastes, from the first system to the last."""

    def draw(
        self, taste: float, rng: np.random.Generator, better: float = 0.0
    ) -> tuple[FloatArray, FloatArray]:
        """People's scores, topics x systems x assessors, and the judge's; one system may be better."""
        n, s, m = self.topics, self.systems, self.assessors
        worth = rng.normal(0, 0.5, (n + FURTHER, s))
        worth[:, 0] += better
        sizes = np.geomspace(*self.spread, s)
        sizes = taste * sizes / np.sqrt((sizes**2).mean())
        people = worth[:n, :, None] + sizes[:, None] * rng.normal(size=(s, m)) + rng.normal(size=(n, s, m))
        if self.one_per_topic:
            others = np.arange(n)[:, None] % m != np.arange(m)
            people = np.where(others[:, None, :], np.nan, people)
        return people, worth + rng.normal(0, 0.5, worth.shape)


def corrected(people: FloatArray, judged: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences of all pairs and their p, for these assessors and for others like them, as `compare --judge` does."""
    n, s, _ = people.shape
    there = ~np.isnan(people)
    shares = there / there.sum(axis=2, keepdims=True)
    means = np.nansum(people * shares, axis=2)
    first, second = columns_of_pairs(s)
    these, pairs = [], []
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        f = judged[:, i] - judged[:, j]
        these.append(powered_mean(means[:, i] - means[:, j], f[:n], f[n:], clip=FROM_ZERO))
        pairs.append(
            JudgedPair(
                differences=people[:, i] - people[:, j],
                offset=these[-1].weight * f[:n],
                first=shares[:, i],
                second=shares[:, j],
                spent=n - these[-1].df,
            )
        )
    shown = tastes(pairs, s)
    wide = these
    if shown.why is None:
        wide = [mean.with_assessors(part) for mean, part in zip(these, shown.parts, strict=True)]
    return (
        np.array([mean.estimate for mean in these]),
        np.array([mean.p() for mean in these]),
        np.array([mean.p() for mean in wide]),
    )


@dataclass(frozen=True)
class Rates:
    these: float
    """Any pair differs for these assessors, after Holm, which forgets that others have other tastes."""
    like_these: float


def sizes(design: Design, taste: float, simulations: int, *, seed: int) -> Rates:
    """Familywise error where all systems are equal on average over assessors."""
    rng = np.random.default_rng([seed, design.assessors, design.systems, design.topics])
    wrong = np.zeros(2)
    for _ in range(simulations):
        _, *p = corrected(*design.draw(taste, rng))
        wrong += [holm(each).min() <= ALPHA for each in p]
    return Rates(*(wrong / simulations))


def power(design: Design, better: float, simulations: int, *, seed: int) -> Rates:
    """Pairs with the one system that is better, found after Holm, where assessors have no tastes."""
    rng = np.random.default_rng([seed, design.assessors, design.systems, design.topics])
    hits = np.zeros(2)
    for _ in range(simulations):
        _, *p = corrected(*design.draw(0.0, rng, better))
        hits += [(holm(each)[: design.systems - 1] <= ALPHA).mean() for each in p]
    return Rates(*(hits / simulations))
