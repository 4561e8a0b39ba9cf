"""How often `compare` errs, covers and finds, with its defaults, on scores whose truth is known.

`python tests/calibration/test_compare_calibration.py` prints the tables of docs/calibration.md (about ten minutes).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import compare_matrix
from adjudge.data.scores import MeasureInfo, ScoreMatrix

SYSTEMS = 6
TOPICS = (3, 5, 10, 20, 50)
SPREADS = np.geomspace(0.5, 2.0, SYSTEMS)
Scene = Callable[[int, np.random.Generator], np.ndarray]


def _topics(n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(n, 1))


def equal(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(_topics(n, rng) + rng.normal(size=(n, SYSTEMS)))


def unequal(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(_topics(n, rng) + SPREADS * rng.normal(size=(n, SYSTEMS)))


def skewed(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(_topics(n, rng) + rng.exponential(size=(n, SYSTEMS)) - 1)


def skewed_unequal(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(_topics(n, rng) + SPREADS * (rng.exponential(size=(n, SYSTEMS)) - 1))


def ratings(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(np.clip(np.rint(3 + equal(n, rng)), 1, 5))


def ceiling(n: int, rng: np.random.Generator) -> np.ndarray:
    """About four of five ratings are 5."""
    return np.asarray(np.clip(np.rint(5.7 + equal(n, rng)), 1, 5))


def missing(n: int, rng: np.random.Generator) -> np.ndarray:
    """Every system lacks a third of the topics, two systems the same third."""
    values = equal(n, rng)
    for system in range(SYSTEMS):
        values[np.arange(n) % 3 == system % 3, system] = np.nan
    return values


SCENES: dict[str, Scene] = {
    "normal": equal,
    "spreads from 0.5 to 2": unequal,
    "skewed": skewed,
    "skewed, spreads from 0.5 to 2": skewed_unequal,
    "ratings from 1 to 5": ratings,
    "ratings at a ceiling": ceiling,
    "a third missing, in blocks": missing,
}


@dataclass(frozen=True)
class Rates:
    """Shares of the simulations."""

    familywise: float
    """Any pair is called different although none is."""
    covered: float
    """Intervals of means that hold the true one, of those that are given."""
    given: float
    """Means that have an interval."""
    together: float
    """All intervals of differences hold 0."""
    power: float
    """A system that is better by one standard deviation of the noise is called different from the next."""


def rates(scene: Scene, topics: int, simulations: int, *, test: str = "t", seed: int = 1) -> Rates:
    rng = np.random.default_rng([seed, topics])
    truth = float(np.nanmean(scene(400_000, np.random.default_rng(7))))
    wrong = covered = given = together = found = 0
    for _ in range(simulations):
        values = scene(topics, rng)
        c = _compared(values, test)
        tested = c.tested[c.test]
        wrong += bool(tested.different.any())
        for place in c.standings:
            if not math.isnan(place.low):
                given += 1
                covered += place.low <= truth <= place.high
        ends = c.pair_intervals[c.test]
        known = ~np.isnan(ends.low)
        together += bool(((ends.low <= 0) & (ends.high >= 0))[known].all())
        better = values.copy()
        better[:, 0] += 1.0
        pair = next(p for p in _compared(better, test).pairs[c.test] if {p.a, p.b} == {"s0", "s1"})
        found += pair.different
    return Rates(
        familywise=wrong / simulations,
        covered=covered / max(1, given),
        given=given / (SYSTEMS * simulations),
        together=together / simulations,
        power=found / simulations,
    )


def _compared(values: np.ndarray, test: str):  # type: ignore[no-untyped-def]
    names = tuple(f"s{j}" for j in range(SYSTEMS))
    kept = ~np.isnan(values).all(axis=0)
    matrix = ScoreMatrix(
        values,
        np.isfinite(values).astype(int),
        tuple(f"t{i}" for i in range(len(values))),
        names,
        MeasureInfo("m", "higher", signature="m"),
        missing=tuple((f"t{i}", names[j], "lost") for i, j in np.argwhere(np.isnan(values))),
    )
    assert kept.any()
    return compare_matrix(matrix, Compare(test=test))


BAND = 0.075
"""Above it a familywise error of .05 does not hold, with 1,000 simulations."""
SKEWED = "skewed, spreads from 0.5 to 2"
"""There t needs more topics than 20: docs/calibration.md says so."""


@pytest.mark.slow
@pytest.mark.parametrize("topics", TOPICS)
@pytest.mark.parametrize("scene", SCENES)
def test_the_default_errs_no_more_than_it_says(scene: str, topics: int) -> None:
    found = rates(SCENES[scene], topics, 1000)
    band = 0.13 if scene == SKEWED and topics < 50 else BAND
    assert found.familywise <= band
    assert found.together >= 1 - band
    if scene in ("normal", "spreads from 0.5 to 2", "a third missing, in blocks") and found.given > 0.5:
        assert 0.93 <= found.covered <= 0.97


@pytest.mark.slow
def test_students_t_holds_where_wilcoxon_asks_something_else() -> None:
    scene = SCENES["skewed, spreads from 0.5 to 2"]
    assert rates(scene, 50, 1000).familywise <= BAND < rates(scene, 50, 300, test="wilcoxon").familywise


def test_a_few_simulations_of_every_scene_run() -> None:
    for scene in SCENES.values():
        found = rates(scene, 10, 3)
        assert 0 <= found.familywise <= 1
        assert found.given > 0


def tables(simulations: int = 500) -> str:
    found = {
        (test, name, n): rates(scene, n, simulations, test=test)
        for test in ("wilcoxon", "t")
        for name, scene in SCENES.items()
        for n in TOPICS
    }
    lines = []
    for what in ("familywise", "together", "covered", "power"):
        lines += [
            "",
            what,
            "",
            f"| scores | test |{''.join(f' {n} topics |' for n in TOPICS)}",
            "|---|---|" + "---:|" * 5,
        ]
        lines += [
            f"| {name} | {test} | {' | '.join(f'{100 * getattr(found[test, name, n], what):.1f}' for n in TOPICS)} |"
            for name in SCENES
            for test in ("wilcoxon", "t")
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(tables())
