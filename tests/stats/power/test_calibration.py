"""Tests find what is not there as often as they say, and a check of that can fail. See docs/calibration.md.

Sizes are held against binomial bands: where the true size is alpha, 99 of 100 simulated ones lie within.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from tools import calibration_figures as figures

from adjudge.analyses.simulate import Simulate
from adjudge.analyses.simulate.result import simulate_model
from adjudge.stats.checks import FloatArray
from adjudge.stats.power.generate import ScoreModel, draw
from adjudge.stats.power.rates import band
from adjudge.stats.power.search import chosen, run_rows

PAGE = figures.PAGE.read_text(encoding="utf-8")
INSIDE = ("t", "wilcoxon", "mc")
INSIDE_FROM = {"mc:w": 23, "hb": 48, "hb:w": 48}
"""From so many topics on. On 10 random swaps of W have the size 4.395 % in theory, just below the band."""
STEPS = ("wilcoxon", "sign", "exact", "mc", "mc:w")
"""Their p-values are steps, which decide about the size on few topics."""
QUICK = 1000
LEVELS = (0.05, 0.01)


def inside(rate: float, size: float, simulations: int) -> bool:
    """Whether a rate is one that chance gives where the size is this."""
    low, high = band(size, simulations)
    return low <= rate <= high


def not_above(rate: float, size: float, simulations: int) -> bool:
    return rate <= band(size, simulations)[1]


def holds(p: FloatArray) -> bool:
    """The check: at no level is p below it more often than it says."""
    return all(not_above(float(np.mean(p < alpha)), alpha, p.size) for alpha in LEVELS)


def p_values(test: str, model: ScoreModel, simulations: int, seed: int = 3) -> FloatArray:
    rng = np.random.default_rng(seed)
    scores = draw(model, simulations, rng)
    return run_rows(chosen(test), scores[..., 0], scores[..., 1], rng)


@pytest.mark.slow
@pytest.mark.parametrize("topics", figures.TOPICS)
def test_sizes(topics: int) -> None:
    found = figures.sizes(topics)
    rates = {o.test: o.rate for o in found.outcomes}
    of = figures.SIMULATIONS
    assert of == 10_000
    for test in (*INSIDE, *(test for test, least in INSIDE_FROM.items() if topics >= least)):
        assert inside(rates[test], 0.05, of), test
    for test in STEPS:
        assert inside(rates[test], figures.attainable_size(test, topics), of), test
    for test, rate in rates.items():
        assert not_above(rate, 0.05, of), test
    for test in ("hb:median", "t-unpaired", "welch"):
        assert rates[test] < band(0.05, of)[0], test
    for test in ("hb:mean", "hb:t-unpaired"):
        assert rates[test] < rates["exact"], test  # on the same scores
    # The page shows these numbers.
    column = figures.TOPICS.index(topics) + 1
    for row in figures.size_rows([found]):
        shown = re.search(rf"^\| {re.escape(row[0])} \|.*$", PAGE, re.MULTILINE)
        assert shown is not None
        assert shown[0].split("|")[column + 1].strip() == row[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", list(figures.CONDITIONS)[4:6])
def test_other_conditions_are_those_of_the_page(name: str) -> None:
    _, row = figures.rate_rows("", {name: figures.condition(name)})
    assert f"| {' | '.join(row)} |" in PAGE


@pytest.mark.slow
@pytest.mark.parametrize("topics", figures.PLANTED)
def test_a_planted_difference_is_found_more_often_by_paired_tests(topics: int) -> None:
    name = f"{topics} topics, difference {figures.PLANTED[topics]:g}"
    found = figures.power(topics)
    _, row = figures.rate_rows("", {name: found})
    assert f"| {' | '.join(row)} |" in PAGE
    for paired in ("t", "wilcoxon", "mc", "exact", "hb", "hb:w"):
        for unpaired in ("t-unpaired", "welch"):
            assert found.of(paired).low > found.of(unpaired).high


@pytest.mark.slow
@pytest.mark.parametrize("name", ["parabola", "normal"])
def test_simulated_efficiency_is_that_of_the_theory(name: str) -> None:
    """Rankel et al. 2011, section 3: .955 for the normal distribution, and never less than .864."""
    many = figures.simulated_efficiency(name, figures.EFFICIENCY_TOPICS[-1])
    assert many == pytest.approx(figures.theory(name), abs=0.01)
    assert f"| {name} | {figures.theory(name):.3f} |" in PAGE
    assert f" | {many:.3f} |" in PAGE


@pytest.mark.parametrize("topics", figures.TOPICS)
@pytest.mark.parametrize("test", ["t", "wilcoxon", "t-unpaired", "welch", "sign"])
def test_classical_tests_hold_on_few_simulations(test: str, topics: int) -> None:
    p = p_values(test, ScoreModel(topics), QUICK)
    assert holds(p)
    if test in ("t", "wilcoxon"):
        assert inside(float(np.mean(p < 0.05)), 0.05, QUICK)
    if test in ("wilcoxon", "sign"):
        assert inside(float(np.mean(p < 0.05)), figures.attainable_size(test, topics), QUICK)
    if test in ("t-unpaired", "welch"):
        assert float(np.mean(p < 0.05)) < band(0.05, QUICK)[0]


@pytest.mark.parametrize("test", ["mc", "hb:w"])
def test_resampling_tests_hold_on_few_simulations(test: str) -> None:
    found = simulate_model(ScoreModel(23), Simulate(tests=test, simulations=300, resamples=499, seed=4)).of(
        test
    )
    assert inside(found.rate, 0.05, 300)


def test_paired_tests_find_more_on_few_simulations() -> None:
    found = simulate_model(
        ScoreModel(23, (0.65, 0.0)), Simulate(tests=["t", "wilcoxon", "t-unpaired"], simulations=500)
    )
    for paired in ("t", "wilcoxon"):
        assert found.of(paired).low > found.of("t-unpaired").high


def swapped(topics: int, resamples: int, simulations: int, seed: int = 2) -> tuple[FloatArray, FloatArray]:
    """For every simulation, how many of the resamples have a mean as far from 0 as the observed one: k, and k / R."""
    rng = np.random.default_rng(seed)
    scores = draw(ScoreModel(topics), simulations, rng)
    z = scores[..., 0] - scores[..., 1]
    signs = rng.integers(0, 2, size=(simulations, resamples, topics)) * 2 - 1
    resampled = np.abs(np.einsum("srk,sk->sr", signs, z))
    k = np.count_nonzero(resampled >= np.abs(z.sum(axis=1))[:, None] * (1 - 1e-12), axis=1)
    return (k + 1) / (resamples + 1), k / resamples


def test_p_values_without_the_observed_one_fail_the_check() -> None:
    """p = k/R can be 0. At R = 19 that has the chance 1/20: too often for .01, though just right for .05."""
    right, wrong = swapped(23, 19, 4000)
    assert holds(right)
    assert not holds(wrong)
    assert not_above(float(np.mean(wrong < 0.05)), 0.05, 4000)
    assert float(np.mean(wrong < 0.01)) == pytest.approx(1 / 20, abs=0.01)
    # One resample more, and .05 fails as well: k = 0 and k = 1, which have the chance 2/21.
    right, wrong = swapped(23, 20, 4000)
    assert holds(right)
    assert not not_above(float(np.mean(wrong <= 0.05)), 0.05, 4000)
    assert float(np.mean(wrong <= 0.05)) == pytest.approx(2 / 21, abs=0.015)


@pytest.mark.parametrize("test", ["t-unpaired", "welch"])
def test_unpaired_tests_on_dependent_noise_fail_the_check(test: str) -> None:
    # What systems share makes them find too little: not inside the band.
    alike = p_values(test, ScoreModel(48, topic_sd=0, shared=0.5), QUICK)
    assert holds(alike)
    assert not inside(float(np.mean(alike < 0.05)), 0.05, QUICK)
    # Where one does well if the other does not, they find too much.
    opposed = p_values(test, ScoreModel(48, topic_sd=0, shared=-0.5), QUICK)
    assert not holds(opposed)
    # On the same scores the paired test holds; and so do they, where noise is independent.
    assert holds(p_values("t", ScoreModel(48, topic_sd=0, shared=-0.5), QUICK))
    assert inside(float(np.mean(p_values(test, ScoreModel(48, topic_sd=0), QUICK) < 0.05)), 0.05, QUICK)


def test_the_page_shows_the_band_and_the_figure() -> None:
    low, high = band(0.05, figures.SIMULATIONS)
    assert f"{100 * low:.2f} to {100 * high:.2f} %" in PAGE
    assert figures.FIGURE.read_text(encoding="utf-8").count("<path transform") == 3 + 3 * len(
        figures.SIZE_TESTS
    )
    for name in ("sizes", "conditions", "power", "efficiency"):
        assert figures.put(PAGE, name, "x") != PAGE


def test_the_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    exec(found[1], {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", found[1], re.MULTILINE)
