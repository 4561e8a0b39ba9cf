"""The comparison in which a pair is tested: other systems, other pairs, Holm's correction over all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.multiple import at_most
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.power.sources import Source

MOST_SYSTEMS = 20
"""That are simulated; of more, each pair stands for several."""


@dataclass(frozen=True)
class Family:
    """Pairs that are tested together, one of which is looked for.

    Without `places` nothing else is found: the pair must pass the first step of Holm's procedure, alpha / pairs,
    which is Bonferroni's. Holm finds whatever that finds, so no other systems make it harder. With places the other
    systems have these means, and pairs that are found before leave fewer in the way.
    """

    pairs: int = 1
    places: tuple[float, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether the pair's own p decides."""
        return self.pairs == 1 or not self.places

    @property
    def systems(self) -> int:
        """The fewest with so many pairs."""
        return math.ceil((1 + math.sqrt(1 + 8 * self.pairs)) / 2 - 1e-9)

    @property
    def columns(self) -> tuple[IntArray, IntArray]:
        """The other pairs, as columns of `scores`; the pair itself is left out."""
        first, second = columns_of_pairs(max(min(self.systems, MOST_SYSTEMS), 3))
        return first[1:], second[1:]

    def scores(
        self, x: FloatArray, y: FloatArray, source: Source, stretch: float, rng: np.random.Generator
    ) -> FloatArray:
        """Simulations x systems x topics: the pair, and systems beside it.

        Their means are drawn from the places, the pair's middle too. Their noise is normal and as wide as the pair's;
        a topic's effect is drawn given what the pair has in common there, so that differences from x and y go
        together as they would. `stretch` makes places as much larger as the difference.
        """
        drawn, topics = x.shape
        noise = source.spread**2 / 2
        common = source.topic_sd**2
        level = (x + y) / 2
        middle = level.mean()
        weight = common / (common + noise / 2) if common > 0 else 0.0
        shape = (drawn, max(min(self.systems, MOST_SYSTEMS), 3) - 2, topics)
        topic = weight * (level - middle) + math.sqrt(common * (1 - weight)) * rng.standard_normal(x.shape)
        places = np.array(self.places)
        apart = rng.choice(places, shape[:2]) - rng.choice(places, (drawn, 1))
        beside = middle + stretch * apart[:, :, None] + topic[:, None, :]
        beside = beside + math.sqrt(noise) * rng.standard_normal(shape)
        return np.concatenate([x[:, None, :], y[:, None, :], beside], axis=1)

    def found(self, p: FloatArray, others: FloatArray, alpha: float) -> BoolArray:
        """Whether Holm's procedure gets to the pair and rejects it. Others are simulations x pairs."""
        ascending = np.sort(np.where(np.isnan(others), 1.0, others), axis=1)
        weight = (self.pairs - 1) / others.shape[1]
        left = np.maximum(self.pairs - weight * np.arange(others.shape[1] + 1), 1.0)
        passed = np.logical_and.accumulate(at_most(ascending, alpha / left[:-1]), axis=1).sum(axis=1)
        before = (ascending < p[:, None]).sum(axis=1)
        rejected: BoolArray = (passed >= before) & at_most(p, alpha / left[before])
        return rejected


ALONE = Family()
"""The pair is the whole comparison."""
