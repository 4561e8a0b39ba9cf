"""A plan comes true: comparisons of as many topics as it asks for find the difference as often as it promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.stats.power.test_assessors import plain_p
from tools import planning_calibration as planning
from tools.calibration_figures import PAGE as PAGE_FILE

from adjudge.analyses.anova import anova
from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import compare_matrix
from adjudge.analyses.plan.result import Compared, PowerPlan, SampledPlan
from adjudge.stats.power.assessors import DRAWS
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


EVALUATIONS = 200


def off(promised: float, evaluations: int, simulations: int) -> float:
    return 2.576 * math.sqrt(promised * (1 - promised) * (1 / evaluations + 1 / simulations)) + 0.005


def sampled_plan() -> tuple[PowerPlan, SampledPlan]:
    _, plan = planning.pilot_judged()
    assert plan.sampled is not None
    return plan, plan.sampled


def test_a_plan_for_other_assessors_knows_the_variances() -> None:
    """The pilot has them exactly; its power for these assessors and for others is what the page says."""
    plan, sampled = sampled_plan()
    assert sampled.likings == pytest.approx(planning.OWN_SD)
    assert sampled.residual == pytest.approx(planning.REST_SD)
    assert sampled.topics == pytest.approx(planning.TOPIC_SD)
    these = 100 * plan.now(plan.needs[0]).rate
    page = " ".join((PAGE_FILE.parent / "planning.md").read_text(encoding="utf-8").split())
    assert (
        f"for these assessors power is {these:.0f} %, for others like them {100 * sampled.power_now:.0f} %, and no"
        f" number of topics gives more than {100 * sampled.best:.0f} %; it takes at least {sampled.fewest} assessors"
    ) in page
    assert sampled.needed == math.inf


def test_other_assessors_find_as_little_as_was_said() -> None:
    """Ten lines of the mixed model's test, on judgments by new assessors."""
    _, sampled = sampled_plan()
    rng = np.random.default_rng(1)
    # Of two systems there are the differences: one of them, and nothing for the other.
    seen = (planning.judged(rng) for _ in range(2000))
    found = np.mean([plain_p(np.stack([each, np.zeros_like(each)])[None]) <= 0.05 for each in seen])
    assert found == pytest.approx(sampled.power_now, abs=off(sampled.power_now, 2000, DRAWS))


@pytest.mark.slow
def test_anova_finds_for_other_assessors_what_was_said() -> None:
    _, sampled = sampled_plan()
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(EVALUATIONS):
        result = anova(planning.judged_table(planning.judged(rng), rng).frame)
        found += next(line.p for line in result.lines if line.term == "system") <= 0.05
    assert found / EVALUATIONS == pytest.approx(
        sampled.power_now, abs=off(sampled.power_now, EVALUATIONS, DRAWS)
    )
    assert found / EVALUATIONS < 0.4


@pytest.mark.slow
def test_comparisons_find_for_the_same_assessors_what_was_said() -> None:
    plan, _ = sampled_plan()
    rng = np.random.default_rng(3)
    likings = rng.normal(0, planning.OWN_SD, planning.ASSESSORS)
    likings -= likings.mean()
    found = 0
    for _ in range(1000):
        scores = planning.judged_table(planning.judged(rng, likings), rng).matrix("overall")
        (pair,) = compare_matrix(scores, Compare()).pairs["t"]
        found += pair.different
    promised = plan.now(plan.needs[0]).rate
    assert found / 1000 == pytest.approx(promised, abs=off(promised, 1000, planning.PLANNED))


def test_latent_means_give_the_difference_of_ratings() -> None:
    for name in ("ratings from 1 to 5", "ratings at the ceiling"):
        case = planning.CASES[name]
        scores = next(planning.planted(case, "one", 200_000, 1, np.random.default_rng(2)))
        assert np.diff(scores.mean(axis=0))[0] == pytest.approx(-case.difference, abs=0.01)
