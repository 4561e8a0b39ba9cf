"""Do comparisons keep their size when assessors are a sample? The tables of docs/calibration.md, and a quick look.

`python -m benchmarks assessors` prints the tables that the page shows; the slow tests draw them again, with another
seed, and compare.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.assessors import CROWD, PLANS, REAL, Plan, document_means, rates, ratings, shifts
from scipy.stats import ttest_rel

from adjudge.stats.linear.judged_pairs import judged_pairs
from adjudge.stats.linear.mixed import fit_mixed, fixed_means
from adjudge.stats.pairs import columns_of_pairs

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
    assert 0.02 <= found.mean <= 0.075
    # The worst of many pairs is the worst by chance as well.
    assert found.worst <= 0.13 + (0 if plan.per_summary is None else 3 * math.sqrt(0.1 * 0.9 / simulations))
    assert found.family <= 0.09
    mean, _, family, _, _, wilcoxon, _ = printed("assessors")[systems, name]
    assert near(mean, 100 * found.mean, simulations)
    assert near(family, 100 * found.family, simulations)
    assert near(wilcoxon, 100 * found.wilcoxon, min(simulations, 200))


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "name"), SLOW)
def test_real_differences_are_found(systems: int, name: str) -> None:
    least = {"3 assessors judge everything": 0.4, "5 groups of 3": 0.75, "20 groups of 3": 0.85}
    plan = PLANS[name]
    simulations = 80 if plan.per_summary is None else 10
    found = rates(REAL, plan, systems, simulations=simulations, seed=12)
    assert found.mean >= least.get(name, 0.4)
    assert near(printed("assessors-power")[systems, name][0], 100 * found.mean, simulations)


@pytest.mark.slow
def test_either_error_alone_does_not_keep_it() -> None:
    """With three assessors of twelve systems: the pooled one on its worst pair, the own ones together."""
    found = rates(CROWD, PLANS["3 assessors judge everything"], 12, simulations=600, seed=13)
    assert found.pooled_worst > found.worst
    assert found.own_family > 0.2


def test_the_page_shows_every_plan_and_what_it_shows_holds() -> None:
    sizes, power = printed("assessors"), printed("assessors-power")
    assert list(sizes) == list(power) == SLOW
    for mean, worst, family, *_ in sizes.values():
        assert 2 <= mean <= 7.5
        assert worst <= 13
        assert family <= 9


# A quick look, of the same at every run


def quick(plan: Plan, simulations: int) -> dict[str, float]:
    """Shares of pairs found at .05 where there is nothing to find: by the rule, and by two that forget assessors."""
    rng, systems = np.random.default_rng(5), 4
    at = shifts(CROWD, systems)
    first, second = columns_of_pairs(systems)
    found: dict[str, list[float]] = {"rule": [], "topics": [], "intercepts": []}
    for k in range(simulations):
        drawn = ratings(CROWD, plan, systems, at, rng)
        pairs = judged_pairs(drawn.values, drawn.document, drawn.system, drawn.assessor, size=systems)
        found["rule"].extend(pairs.p <= 0.05)
        means = document_means(drawn, systems)
        found["topics"].extend(ttest_rel(means[:, first], means[:, second]).pvalue <= 0.05)
        if k < 25:
            factors = [drawn.system, drawn.document, drawn.assessor]
            fit = fixed_means(fit_mixed(drawn.values, factors, fixed=[0], random=[(1,), (2,)]))
            size = fit.covariance.diagonal()
            error = np.sqrt(size[first] + size[second] - 2 * fit.covariance[first, second])
            found["intercepts"].extend(np.abs(fit.means[first] - fit.means[second]) > 1.96 * error)
    return {name: float(np.mean(each)) for name, each in found.items()}


def test_what_forgets_assessors_errs_and_the_rule_does_not() -> None:
    crossed = quick(replace(PLANS["3 assessors judge everything"], documents=60), 150)
    assert 0.01 <= crossed["rule"] <= 0.08
    assert crossed["topics"] > 0.2
    assert crossed["intercepts"] > 0.2
    groups = quick(replace(PLANS["10 groups of 3"], documents=6), 100)
    assert 0.02 <= groups["rule"] <= 0.09
