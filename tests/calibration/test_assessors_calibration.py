"""Do comparisons keep their size when assessors are a sample? The tables of docs/calibration.md, and a quick look.

`python -m benchmarks assessors` prints the tables that the page shows; the slow tests draw them again, with another
seed, and compare.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.assessors import CROWD, PLANS, REAL, Plan, rates

from adjudge.stats.linear.judged_pairs import judged_pairs
from adjudge.stats.multiple import holm

Judged = tuple[Any, Any, Any, Any]
PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| (.+) \|$", re.MULTILINE)


def printed(name: str) -> dict[tuple[int, str], list[float]]:
    """The rows of a table on the page, by systems and plan."""
    text = PAGE.read_text(encoding="utf-8")
    table = text.split(f"<!-- {name} -->")[1].split("<!-- end -->")[0]
    return {
        (int(systems), plan.strip()): [float(cell) for cell in cells.split("|")]
        for systems, plan, cells in ROW.findall(table)
    }


def near(shown: float, again: float, simulations: int) -> bool:
    """Two shares of simulations, in per cent, as far apart as chance may put them: four standard errors of both.

    Pairs of one simulation go together, so a share of pairs is hardly surer than one of simulations.
    """
    middle = min(max((shown + again) / 200, 0.02), 0.98)
    return abs(shown - again) <= 400 * math.sqrt(2 * middle * (1 - middle) / simulations)


SLOW = [(systems, name) for systems in (5, 12) for name in PLANS]


def simulations_of(systems: int, plan: Plan) -> int:
    """Simulations: designs that are not balanced take a second each."""
    if plan.per_summary is None:
        return 600
    return 120 if systems == 5 else 60


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "name"), SLOW)
def test_random_assessors_keep_the_size(systems: int, name: str) -> None:
    plan = PLANS[name]
    simulations = simulations_of(systems, plan)
    found = rates(CROWD, plan, systems, simulations=simulations, seed=11)
    assert 0.01 <= found.mean <= 0.075
    # The worst of many pairs is the worst by chance as well.
    assert found.worst <= 0.13 + (0 if plan.per_summary is None else 3 * math.sqrt(0.1 * 0.9 / simulations))
    assert found.family <= 0.09
    mean, _, family, these, _ = printed("assessors")[systems, name]
    assert near(mean, 100 * found.mean, simulations)
    assert near(family, 100 * found.family, simulations)
    assert near(these, 100 * found.these, simulations)


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "name"), SLOW)
def test_real_differences_are_found(systems: int, name: str) -> None:
    least = {"3 assessors judge everything": 0.4, "5 groups of 3": 0.75, "20 groups of 3": 0.85}
    plan = PLANS[name]
    simulations = 80 if plan.per_summary is None else 10
    found = rates(REAL, plan, systems, simulations=simulations, seed=12)
    assert found.mean >= least.get(name, 0.4)
    assert near(printed("assessors-power")[systems, name][0], 100 * found.mean, simulations)


# Normal scores: tastes of many kinds, assessors drawn anew or held fixed

TASTES: dict[str, Callable[[int], np.ndarray]] = {
    "none": lambda systems: np.zeros(systems),
    "0.3": lambda systems: np.full(systems, 0.3),
    "1": lambda systems: np.ones(systems),
    "1 for half of the systems, 0 for the others": lambda systems: np.where(np.arange(systems) % 2, 1.0, 0.0),
    "2 for one system, 0 for the others": lambda systems: np.where(np.arange(systems) == 0, 2.0, 0.0),
    "0.1 to 1": lambda systems: np.linspace(0.1, 1, systems),
}
SHAPES = ((3, 4, 10), (3, 8, 20), (3, 20, 20), (5, 6, 14), (12, 6, 8))
"""Assessors, systems, topics."""


def drawn_scores(
    rng: np.random.Generator, shape: tuple[int, int, int], tastes: np.ndarray, *, fixed: bool
) -> Judged:
    """Systems equal on average: over assessors to come, or over these where they are held fixed."""
    judges, systems, topics = shape
    likings = tastes[:, None, None] * rng.standard_normal((systems, 1, judges))
    if fixed:
        likings -= likings.mean(axis=2, keepdims=True)
    values = rng.standard_normal((systems, topics, judges)) + 0.5 * rng.standard_normal((systems, topics, 1))
    values = (
        values + likings + rng.standard_normal((1, topics, 1)) + 0.8 * rng.standard_normal((1, 1, judges))
    )
    system, topic, judge = (codes.ravel() for codes in np.indices((systems, topics, judges)))
    return values.ravel(), topic, system, judge


def any_found(
    shape: tuple[int, int, int], taste: str, simulations: int, *, fixed: bool = False
) -> tuple[float, float]:
    """Shares of simulations in which any pair is found after Holm: for these, and for assessors like them."""
    rng = np.random.default_rng([*shape, len(taste), fixed])
    tastes, found = TASTES[taste](shape[1]), np.zeros(2)
    for _ in range(simulations):
        pairs = judged_pairs(*drawn_scores(rng, shape, tastes, fixed=fixed), size=shape[1])
        assert (pairs.similar.p >= pairs.these.p).all()
        found += [float(holm(sure.p).min() <= 0.05) for sure in (pairs.these, pairs.similar)]
    return float(found[0]) / simulations, float(found[1]) / simulations


@pytest.mark.slow
@pytest.mark.parametrize("taste", TASTES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_tastes_of_any_kind_are_borne(shape: tuple[int, int, int], taste: str) -> None:
    """6 % and three standard errors; with three assessors one taste among none is hard to see, and takes 1 % more."""
    simulations = 800
    _, similar = any_found(shape, taste, simulations)
    limit = 0.07 if shape[0] == 3 else 0.06
    assert similar <= limit + 3 * math.sqrt(0.06 * 0.94 / simulations)
    these, _ = any_found(shape, taste, simulations, fixed=True)
    assert these <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / simulations)


def test_these_assessors_are_not_assessors_like_them() -> None:
    these, similar = any_found((3, 6, 20), "1", 60)
    assert these > 0.7
    assert similar < 0.2
    held, _ = any_found((3, 6, 20), "1", 60, fixed=True)
    assert held < 0.2


def test_the_page_shows_every_plan_and_what_it_shows_holds() -> None:
    sizes, power = printed("assessors"), printed("assessors-power")
    assert list(sizes) == list(power) == SLOW
    for mean, worst, family, *_ in sizes.values():
        assert 1 <= mean <= 7.5
        assert worst <= 13
        assert family <= 9
