"""A plan comes true: comparisons of as many topics as it asks for find the difference as often as it promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tools import planning_calibration as planning
from tools.calibration_figures import PAGE as PAGE_FILE

from adjudge.comparisons.plan import Compared
from adjudge.stats.power.generate import ScoreModel
from adjudge.stats.power.rates import least_topics

PAGE = PAGE_FILE.read_text(encoding="utf-8")
SPREAD_OFF = 0.02
"""Of power, where plans are made from 400 topics as they are: the spread of their differences may be off by 2 %."""


def band(promised: float, comparisons: int, name: str) -> float:
    """How far a rate may be off: 99 % of the simulations' error, the plan's and the comparisons' together."""
    error = math.sqrt(promised * (1 - promised) * (1 / comparisons + 1 / planning.PLANNED))
    return 2.576 * error + (0.0 if planning.exact_spread(name) else SPREAD_OFF)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "compared"), planning.ROWS)
def test_comparisons_find_what_was_promised(name: str, compared: Compared) -> None:
    kept = planning.kept(name, compared)
    off = kept.found.rate - kept.promised
    assert off > -band(kept.promised, planning.COMPARISONS, name)
    if compared != "all":  # that promise holds whatever the other systems are: at least so much
        assert off < band(kept.promised, planning.COMPARISONS, name)
    assert kept.promised >= 0.8
    row = f"| {kept.topics} | {100 * kept.promised:.1f} | {100 * kept.found.rate:.1f} |"
    assert f"| {name}, {planning.CASES[name].difference:g} | {planning.WORDS[compared]} {row}" in PAGE


def test_a_plan_for_few_topics_comes_true() -> None:
    """Among 15 pairs nine topics are too few for any difference, however large; ten are enough."""
    case = planning.Case(ScoreModel(planning.PILOT, (0.0,) * 6), 20.0)
    assert least_topics(case.test, 0.05 / 15) == 10
    assert planning.found_on(case, "all", 9, 20, np.random.default_rng(1)).rate == 0
    assert planning.found_on(case, "all", 10, 20, np.random.default_rng(1)).rate == 1


def test_latent_means_give_the_difference_of_ratings() -> None:
    for name in ("ratings from 1 to 5", "ratings at the ceiling"):
        case = planning.CASES[name]
        scores = next(planning.planted(case, "one", 200_000, 1, np.random.default_rng(2)))
        assert np.diff(scores.mean(axis=0))[0] == pytest.approx(-case.difference, abs=0.01)
