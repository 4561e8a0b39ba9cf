"""Does `compare --judge` keep its size when assessors have tastes of their own? The table of docs/calibration.md.

`python tests/calibration/test_corrected_calibration.py` prints the table (about ten minutes); the slow tests draw it
again, with another seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

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

    @property
    def even(self) -> bool:
        return self.spread == (1.0, 1.0)

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


DESIGNS = {
    f"{m} assessors {how}, {s} systems": Design(m, s, 30, one, (0.5, 2.0) if uneven else (1.0, 1.0))
    for one, uneven, how in (
        (False, False, "judge everything"),
        (True, False, "share the topics"),
        (False, True, "of unequal tastes"),
    )
    for m in (3, 5, 10)
    for s in (4, 8)
}
TASTES = (0.0, 0.3, 1.0)
LIMIT = 0.06


def better_by(design: Design) -> float:
    """So much that today's test of the mean over assessors finds most of the pairs."""
    return 1.4 if design.one_per_topic else {3: 0.9, 5: 0.75, 10: 0.6}[design.assessors]


def near(shown: float, again: float, simulations: int, *, of: int) -> bool:
    """Two shares, the first `of` so many simulations, as far apart as chance may put them: four standard errors."""
    middle = min(max((shown + again) / 2, 0.01), 0.99)
    return abs(shown - again) <= 4 * math.sqrt(middle * (1 - middle) * (1 / of + 1 / simulations)) + 5e-4


SHOWN, POWER_SHOWN = 1000, 400
"""Simulations behind each number of the page, and behind each power."""
PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"


def printed() -> dict[str, list[float]]:
    """The rows on the page, in shares; NaN where a cell is empty."""
    text = PAGE.read_text(encoding="utf-8").split("<!-- corrected -->")[1].split("<!-- end -->")[0]
    rows = [line.strip().strip("|").split("|") for line in text.strip().splitlines()[2:]]
    return {name.strip(): [float(cell.strip() or "nan") / 100 for cell in cells] for name, *cells in rows}


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_tastes_do_not_pass_for_differences(name: str) -> None:
    design, simulations = DESIGNS[name], 400
    shown = printed()[name]
    slack = 3 * math.sqrt(LIMIT * (1 - LIMIT) / simulations)
    for k, taste in enumerate(TASTES):
        if not taste and not design.even:
            continue
        seen = sizes(design, taste, simulations, seed=2)
        assert seen.like_these <= LIMIT + slack
        if taste == 1:
            assert seen.these > 0.15 > seen.like_these
        assert near(shown[2 * k], seen.these, simulations, of=SHOWN)
        assert near(shown[2 * k + 1], seen.like_these, simulations, of=SHOWN)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, design in DESIGNS.items() if design.even])
def test_without_tastes_nearly_as_much_is_seen(name: str) -> None:
    design, simulations = DESIGNS[name], 200
    seen = power(design, better_by(design), simulations, seed=3)
    assert seen.these > 0.8
    assert seen.like_these >= 0.9 * seen.these - 0.02
    assert near(printed()[name][-2], seen.these, simulations, of=POWER_SHOWN)


def test_the_page_shows_every_design_and_what_it_shows_holds() -> None:
    rows = printed()
    assert list(rows) == list(DESIGNS)
    slack = 3 * math.sqrt(LIMIT * (1 - LIMIT) / SHOWN)
    for name, cells in rows.items():
        assert np.nanmax(cells[1:6:2]) <= LIMIT + slack
        if DESIGNS[name].even:
            assert cells[7] >= 0.9 * cells[6] - 0.02


def test_a_quick_look_at_tastes_that_cannot_be_missed() -> None:
    """Eight equal systems and three assessors of strong tastes: most data sets show a difference for these three."""
    seen = sizes(Design(3, 8, 15), 1.0, 30, seed=4)
    assert seen.these > 0.7
    assert seen.like_these <= 0.2  # 30 of a chance of .06: more has one of .0005
    for_all = power(Design(3, 4, 15), 3.0, 10, seed=4)
    assert for_all.like_these > 0.9


def table() -> str:
    """The rows of docs/calibration.md."""
    lines = []
    for name, design in DESIGNS.items():
        cells = []
        for taste in TASTES if design.even else TASTES[1:]:
            seen = sizes(design, taste, SHOWN, seed=1)
            cells += [seen.these, seen.like_these]
        if design.even:
            seen = power(design, better_by(design), POWER_SHOWN, seed=1)
            cells += [seen.these, seen.like_these]
        shown = [f"{100 * cell:.1f}" for cell in cells]
        lines.append(f"| {name} | {' | '.join(shown if design.even else ['', '', *shown, '', ''])} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


if __name__ == "__main__":
    table()
