"""The largest of several dependent |t|, and contrasts."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear import contrasts as module
from adjudge.stats.linear.contrasts import (
    ADJUSTMENTS,
    MANY,
    Contrasts,
    MaximumT,
    against,
    between,
    contrasts,
)
from adjudge.stats.linear.studentized import studentized_range_isf, studentized_range_sf
from adjudge.stats.linear.tukey import tukey

# The largest of dependent |t|: independence, equal correlation, the studentized range, and SciPy's Dunnett.


T = np.array([0.0, 0.5, 2.0, 3.0, 4.5, 7.0])


def one_factor(t: float, size: int, df: float) -> float:
    """P(max |T_i| > t) with every correlation 1/2, by two nested integrals."""
    root = math.sqrt(0.5)

    def inside(s: float) -> float:
        z = np.linspace(-8, 8, 2001)
        each = stats.norm.cdf((t * s - root * z) / root) - stats.norm.cdf((-t * s - root * z) / root)
        return float(integrate.simpson(stats.norm.pdf(z) * each**size, x=z))

    density = stats.chi(df, scale=1 / math.sqrt(df)).pdf
    return 1 - float(integrate.quad(lambda s: density(s) * inside(s), 0, 4, limit=200)[0])


def all_differences(columns: int) -> FloatArray:
    """Weights of every pair i < j."""
    eye = np.eye(columns)
    return np.array([eye[i] - eye[j] for i, j in combinations(range(columns), 2)])


@pytest.mark.parametrize(("groups", "df"), [(2, 3), (3, 20), (6, 50), (11, 560)])
def test_all_pairs_are_the_studentized_range(groups: int, df: float) -> None:
    weights = all_differences(groups)
    maximum = MaximumT(weights @ weights.T, df, np.random.default_rng(1))
    p, error = maximum.sf(T)
    expected = studentized_range_sf(T * math.sqrt(2), groups, df)
    assert p == pytest.approx(expected, rel=0.01)
    assert (np.abs(p - expected) <= 6 * error + 1e-9).all()
    assert maximum.isf(0.05) == pytest.approx(
        studentized_range_isf(0.05, groups, df) / math.sqrt(2), abs=5e-3
    )


@pytest.mark.parametrize(("size", "df", "t"), [(3, 8, 2.5), (10, 40, 3.0), (30, 200, 2.0)])
def test_equal_correlation_is_an_integral(size: int, df: float, t: float) -> None:
    correlation = np.full((size, size), 0.5) + 0.5 * np.eye(size)
    p, error = MaximumT(correlation * 7.0, df, np.random.default_rng(2)).sf(np.array([t]))
    expected = one_factor(t, size, df)
    assert p[0] == pytest.approx(expected, rel=0.01)
    assert abs(p[0] - expected) < 6 * error[0]
    # The check can fail: independent t's have another tail.
    assert MaximumT(np.eye(size), df, np.random.default_rng(2)).sf(np.array([t]))[0][0] > 1.02 * expected


def test_one_t_is_exact() -> None:
    maximum = MaximumT(np.array([[4.0]]), 12, np.random.default_rng(3))
    p, error = maximum.sf(T)
    assert p == pytest.approx(2 * stats.t.sf(T, 12), rel=1e-12)
    assert error.tolist() == [0.0] * T.size
    assert maximum.isf(0.05) == pytest.approx(stats.t.isf(0.025, 12), abs=1e-5)


def test_it_equals_scipys_dunnett_for_independent_groups() -> None:
    # With n per group the contrasts to a control have correlation 1/2, and k(n - 1) degrees of freedom.
    data = np.random.default_rng(4).normal(size=(4, 10)) + np.array([[0.0], [0.5], [1.0], [1.5]])
    found = stats.dunnett(*data[1:], control=data[0], rng=np.random.default_rng(5))
    correlation = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    p, _ = MaximumT(correlation, 36, np.random.default_rng(6)).sf(np.abs(found.statistic))
    assert p == pytest.approx(found.pvalue, abs=2e-3)


def test_the_same_contrast_twice_is_one() -> None:
    p, _ = MaximumT(np.ones((2, 2)), 12, np.random.default_rng(7)).sf(T)
    assert p == pytest.approx(2 * stats.t.sf(T, 12), rel=1e-9)


def test_many_values_go_through_a_curve() -> None:
    size = MANY + 40
    correlation = np.full((size, size), 0.5) + 0.5 * np.eye(size)
    maximum = MaximumT(correlation, 300, np.random.default_rng(8))
    t = np.linspace(0, 45, size)
    p, _ = maximum.sf(t)
    for k in (0, 7, 12, 20):
        assert p[k] == pytest.approx(maximum._tail(float(t[k]))[0], rel=0.02)
    assert (np.diff(p) <= 0).all()


def test_beyond_what_a_float_can_hold_it_is_bonferroni() -> None:
    maximum = MaximumT(np.eye(3), 5000, np.random.default_rng(9))
    p, error = maximum.sf(np.array([60.0, 1e4]))
    assert p.tolist() == [0.0, 0.0]
    assert error.tolist() == [0.0, 0.0]


# Contrasts on the two-way model: R's emmeans and multcomp, closed forms, and what cannot be estimated.


DATA = Path(__file__).parents[1] / "data"
SYSTEMS = "ABCDEF"
CHOSEN: dict[str, list[float]] = {
    "AB-EF": [0.5, 0.5, 0, 0, -0.5, -0.5],
    "E-rest": [-0.2, -0.2, -0.2, -0.2, 1, -0.2],
    "C-D": [0, 0, 1, -1, 0, 0],
}


def read(name: str) -> list[dict[str, Any]]:
    return list(csv.DictReader((DATA / f"tukey_{name}.csv").read_text(encoding="utf-8").splitlines()))


def matrix(name: str) -> FloatArray:
    return np.array([[float(row[s] or "nan") for s in SYSTEMS] for row in read(name)])


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.parametrize("adjust", ["none", "bonferroni", "holm", "scheffe"])
def test_it_equals_emmeans(adjust: Any) -> None:
    # emmeans 1.8.4.1, contrast(emmeans(lm(value ~ system + topic), "system"), chosen, adjust = ...,
    # scheffe.rank = 5) and its confint: data/tukey.R
    found = contrasts(matrix("missing"), list(CHOSEN.values()), adjust=adjust)
    rows = [row for row in read("contrasts_expected") if row["adjust"] == adjust]
    assert [row["contrast"] for row in rows] == list(CHOSEN)
    for k, row in enumerate(rows):
        for name, value in (("estimate", found.estimate), ("se", found.se), ("t", found.statistic)):
            assert value[k] == pytest.approx(float(row[name]), rel=1e-9)
        assert found.p[k] == pytest.approx(float(row["p"]), rel=1e-9)
        assert found.df == int(row["df"])
        assert found.low[k] == pytest.approx(float(row["low"]), rel=1e-9)
        assert found.high[k] == pytest.approx(float(row["high"]), rel=1e-9)
    assert found.error.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("model", "kind"), [("blocked", "Dunnett"), ("missing", "Dunnett"), ("missing", "Tukey")]
)
def test_single_step_equals_multcomp(model: str, kind: str) -> None:
    # multcomp 1.4.22, summary(glht(lm(value ~ system + topic), mcp(system = ...)), adjusted("single-step",
    # abseps = 1e-6, maxpts = 1e7)): data/tukey.R. R has B - A, C - A, ...
    weights = against(6, 0) if kind == "Dunnett" else -all_differences(6)
    found = contrasts(matrix(model), weights, adjust="single-step", rng=rng())
    rows = [row for row in read("glht_expected") if (row["model"], row["type"]) == (model, kind)]
    assert len(rows) == len(found)
    for k, row in enumerate(rows):
        assert found.estimate[k] == pytest.approx(float(row["estimate"]), rel=1e-9)
        assert found.statistic[k] == pytest.approx(float(row["t"]), rel=1e-9)
        # R's integral is good to about 2e-6.
        assert found.p[k] == pytest.approx(float(row["p"]), rel=0.01, abs=2e-6)
        assert abs(found.p[k] - float(row["p"])) < 6 * found.error[k] + 2e-6
    assert found.critical == pytest.approx(float(rows[0]["critical"]), abs=3e-3)


def test_far_tails_keep_their_digits() -> None:
    # E against A. Two nested integrals of SciPy 1.17.1 (one_factor(5.276056, 5, 55) in test_maximum.py) give
    # 1.1229e-5; R, to an absolute error, 0.95e-5.
    found = contrasts(matrix("blocked"), against(6, 0), rng=rng())
    assert found.p[3] == pytest.approx(1.1229e-5, rel=2e-3)


def test_tukey_kramer_is_not_the_multivariate_t() -> None:
    # With missing cells the two differ, Tukey-Kramer having the larger p-values; without, they are the same.
    exact = contrasts(matrix("missing"), all_differences(6), rng=rng())
    kramer = tukey(matrix("missing"))
    middle = (exact.p > 1e-3) & (exact.p < 0.9)
    assert (kramer.p[middle] > exact.p[middle] - 3 * exact.error[middle]).all()
    whole = contrasts(matrix("blocked"), all_differences(6), rng=rng())
    assert whole.p == pytest.approx(tukey(matrix("blocked")).p, rel=0.01)


def test_one_contrast_is_a_t_test_whatever_the_correction() -> None:
    values = matrix("blocked")[:, :2]
    d = values[:, 0] - values[:, 1]
    expected = stats.ttest_1samp(d, 0).pvalue
    for adjust in ADJUSTMENTS:
        found = contrasts(values, between(2, [0], [1]), adjust=adjust, rng=rng())
        assert found.p[0] == pytest.approx(expected, rel=1e-8)
        assert found.estimate[0] == pytest.approx(d.mean())


def test_humans_against_machines() -> None:
    values = np.random.default_rng(1).normal([1.0, 1.0, 0.0, 0.0, 0.0], 1.0, size=(30, 5))
    weights = between(5, [0, 1], [2, 3, 4])
    assert weights.tolist() == [pytest.approx([0.5, 0.5, -1 / 3, -1 / 3, -1 / 3])]
    found: Contrasts = contrasts(values, weights, adjust="scheffe")
    means = values.mean(axis=0)
    assert found.estimate[0] == pytest.approx(means[:2].mean() - means[2:].mean())


def test_a_column_may_be_on_both_sides() -> None:
    # A system against the mean of all, itself among them.
    assert between(3, [0], [0, 1, 2]).tolist() == [pytest.approx([2 / 3, -1 / 3, -1 / 3])]


def test_the_generator_decides_and_no_p_is_zero() -> None:
    values = np.random.default_rng(2).normal(size=(20, 8)) + np.arange(8) * 3.0
    first, again = (contrasts(values, against(8, 0), rng=np.random.default_rng(5)) for _ in range(2))
    assert first.p.tolist() == again.p.tolist()
    other = contrasts(values, against(8, 0), rng=np.random.default_rng(6))
    assert first.p.tolist() != other.p.tolist()
    single = 2 * stats.t.sf(np.abs(first.statistic), first.df)
    assert (first.p >= single * (1 - 1e-9)).all()
    assert (first.p <= 7 * single * (1 + 1e-9)).all()
    assert (first.p > 0).all()


def test_500_systems_against_one() -> None:
    values = np.random.default_rng(2).normal(size=(6, 500))
    found = contrasts(values, against(500, 0), rng=rng())
    assert len(found) == 499
    order = np.argsort(-np.abs(found.statistic))
    assert (np.diff(found.p[order]) >= 0).all()


def test_what_cannot_be_estimated_leaves_the_family() -> None:
    values = np.insert(matrix("blocked"), 6, np.nan, axis=1)
    weights = np.insert(np.array(list(CHOSEN.values())), 6, 0.0, axis=1)
    empty = np.zeros((1, 7))
    empty[0, [0, 6]] = 1, -1
    found = contrasts(values, np.vstack([weights, empty]), adjust="bonferroni")
    assert found.why == {3: Note.of("weighs-empty-column")}
    assert math.isnan(found.p[3])
    alone = contrasts(matrix("blocked"), list(CHOSEN.values()), adjust="bonferroni")
    assert found.p[:3] == pytest.approx(alone.p)


@pytest.mark.parametrize("adjust", ADJUSTMENTS)
@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([[1.0, 2.0]], "no-freedom"),
        ([[0.1, 0.3], [0.2, 0.4], [0.3, 0.5]], "levels-alone"),
        ([[1.0, math.nan], [math.nan, 2.0], [1.0, math.nan], [math.nan, 2.5]], "no-freedom"),
        ([[math.nan, math.nan]], "no-freedom"),
    ],
)
def test_odd_matrices_say_why(values: list[list[float]], why: str, adjust: Any) -> None:
    found = contrasts(values, [[1.0, -1.0]], adjust=adjust, rng=rng())
    assert found.why[0].code == why
    assert math.isnan(found.p[0])
    assert math.isnan(found.high[0])


def test_two_parts_are_named() -> None:
    # Columns 0 and 1 share topics, columns 2 and 3 share others.
    values = np.full((8, 4), np.nan)
    noise = np.random.default_rng(1).normal(size=(4, 4))
    values[:4, :2], values[4:, 2:] = noise[:, :2], noise[:, 2:]
    found = contrasts(values, [[1, -1, 0, 0], [1, 0, -1, 0], [1, -1, 1, -1]], adjust="none")
    assert found.why == {1: Note.of("no-chain-in-contrast")}
    assert found.df == 6


def test_equal_scores_do_not_differ() -> None:
    for adjust in ADJUSTMENTS:
        found = contrasts(np.ones((4, 3)), against(3, 1), adjust=adjust, rng=rng())
        assert found.p.tolist() == [1.0, 1.0]


@pytest.mark.slow
def test_dunnett_keeps_its_level_in_blocks_with_missing_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POINTS", 256)  # an error of p / 300 is small beside that of 600 runs
    data = np.random.default_rng(7)
    holes = data.random((15, 5)) < 0.2
    runs, wrong = 600, 0
    for _ in range(runs):
        values = data.normal(size=(15, 1)) + data.normal(size=(15, 5))
        values[holes] = np.nan
        wrong += bool((contrasts(values, against(5, 0), rng=data).p < 0.05).any())
    low, high = stats.binom.ppf([0.005, 0.995], runs, 0.05)
    assert low <= wrong <= high


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: contrasts([[1.0, 2.0]], [[1.0, -1.0]]),
            'rng: adjust="single-step" needs a random generator',
        ),
        (
            lambda: contrasts([[1.0, 2.0]], [[1.0, 0.0]], adjust="none"),
            "weights: row 0 sums to 1, expected 0",
        ),
        (lambda: contrasts([[1.0, 2.0]], [[0.0, 0.0]], adjust="none"), "weights: row 0 weighs nothing"),
        (lambda: contrasts([[1.0, 2.0]], [[1.0]], adjust="none"), "weights: expected 2 columns, got 1"),
        (
            lambda: contrasts([[1.0, 2.0]], [[1.0, -1.0]], adjust="tukey"),  # type: ignore[arg-type]
            'adjust: unknown value "tukey"',
        ),
        (lambda: against(3, 3), r"control: expected columns from 0 to 2, got \[3\]"),
        (lambda: between(3, [], [1]), r"first: expected columns from 0 to 2, got \[\]"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


def test_the_factor_does_not_hang_on_rounding() -> None:
    """Dunnett's contrasts have equal eigenvalues, whose eigenvectors differ from processor to processor."""
    correlation = np.full((6, 6), 0.5) + np.eye(6) / 2
    noise = np.random.default_rng(2).normal(scale=1e-14, size=(6, 6))
    factor = module._factor(correlation)
    assert factor @ factor.T == pytest.approx(correlation)
    assert module._factor(correlation + noise + noise.T) == pytest.approx(factor, abs=1e-9)


def test_the_factor_has_as_many_columns_as_the_rank() -> None:
    """Contrasts of every two of three systems: the third follows from two."""
    pairs = np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]]) / np.sqrt(2)
    factor = module._factor(pairs @ pairs.T)
    assert factor.shape == (3, 2)
    assert factor @ factor.T == pytest.approx(pairs @ pairs.T)
