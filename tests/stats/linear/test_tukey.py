"""The studentized range, and Tukey's test."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear import studentized as module
from adjudge.stats.linear.model import fit_additive as fit
from adjudge.stats.linear.studentized import range_log_sf, studentized_range_isf, studentized_range_sf
from adjudge.stats.linear.tukey import SCALES, Tukey, spread_check, tukey
from adjudge.stats.order import letters

# The studentized range: closed forms, another integration at high precision, R, SciPy, and its own inverse.


R_VALUES = Path(__file__).parents[1] / "data" / "tukey_range_expected.csv"


@pytest.mark.parametrize("df", [1, 2, 3.5, 10, 56, 560, 5000])
def test_two_groups_are_a_t_test_even_far_out(df: float) -> None:
    # Q = sqrt(2) |t|.
    q = np.array([0.01, 0.5, 1, 2, 3, 5, 10, 20, 40, 100])
    expected = 2 * stats.t.sf(q / math.sqrt(2), df)
    kept = expected > 1e-290
    assert studentized_range_sf(q, 2, df)[kept] == pytest.approx(expected[kept], rel=1e-11)


def test_two_groups_without_an_estimate_are_normal() -> None:
    q = np.array([0.1, 1, 5, 20, 50])
    assert studentized_range_sf(q, 2, math.inf) == pytest.approx(
        2 * stats.norm.sf(q / math.sqrt(2)), rel=1e-10
    )


@pytest.mark.parametrize(
    ("groups", "df", "q", "expected"),
    [
        # mpmath 1.3.0: nested quad() of the defining integrals, 20 to 260 digits.
        (3, math.inf, 1, 0.7592873587706612),
        (3, math.inf, 12, 6.455916377569022e-17),
        (3, math.inf, 30, 2.163898251735362e-99),
        (66, math.inf, 5.5, 0.1104662050082418),
        (66, math.inf, 45, 7.390273305696571e-219),
        (500, math.inf, 6.5, 0.1961129920557907),
        (500, math.inf, 12, 2.683676837270103e-12),
        (3, 10, 3.5, 0.07710331083841182),
        (11, 560, 4.5, 0.05801936713321534),
        (5, 4, 20, 0.0006957123879063347),
        (66, 30, 12, 2.755906870870477e-6),
        (500, 40, 6, 0.5481154880006908),
    ],
)
def test_it_equals_an_integration_at_high_precision(
    groups: int, df: float, q: float, expected: float
) -> None:
    assert studentized_range_sf([q], groups, df)[0] == pytest.approx(expected, rel=1e-9)


def test_it_equals_r() -> None:
    # R 4.2.2, ptukey(q, k, df, lower.tail = FALSE); data/tukey.R. With 66 groups it is R that is 1e-6 off: see the
    # values of mpmath above. With fewer than 10 degrees of freedom R is off by up to 1e-3, and is left out.
    rows = list(csv.DictReader(R_VALUES.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 120
    for row in rows:
        groups, df = int(row["k"]), float(row["df"])
        found = studentized_range_sf([float(row["q"])], groups, df)[0]
        assert found == pytest.approx(float(row["p"]), abs=2e-6 if groups > 11 else 3e-9)


@pytest.mark.parametrize(("groups", "df"), [(3, 3), (11, 5), (20, 200)])
def test_it_equals_scipy(groups: int, df: float) -> None:
    q = np.array([0.7, 2.5, 4.0, 8.0])
    expected = stats.studentized_range.sf(q, groups, df)
    assert studentized_range_sf(q, groups, df) == pytest.approx(expected, abs=1e-9)


def test_demsars_table_of_critical_values() -> None:
    # Demsar 2006, table 5a, q / sqrt(2) for 2 to 10 classifiers, to the three digits that it prints.
    at_05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    at_10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
    for alpha, row in ((0.05, at_05), (0.10, at_10)):
        found = [studentized_range_isf(alpha, k, math.inf) / math.sqrt(2) for k in range(2, 11)]
        assert found == pytest.approx(row, abs=1.1e-3)


@examples(30)
@given(
    st.floats(1e-6, 0.999),
    st.sampled_from([2, 3, 11, 66]),
    st.sampled_from([1.0, 4.0, 30.0, 900.0, math.inf]),
)
def test_the_quantile_is_the_inverse(p: float, groups: int, df: float) -> None:
    q = studentized_range_isf(p, groups, df)
    assert studentized_range_sf([q], groups, df)[0] == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("groups", [2, 11, 66, 500, 3000])
def test_the_spline_is_as_good_as_it_says(groups: int) -> None:
    between = (module.KNOTS[:-1] + module.KNOTS[1:]) / 2
    assert np.abs(module._range_spline(groups)(between) - range_log_sf(between, groups)).max() < 1e-9


def test_many_values_are_those_of_one_at_a_time() -> None:
    q = np.random.default_rng(1).gamma(2, 2, 300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 7)
        few = studentized_range_sf(q, 12, 40)
    assert studentized_range_sf(q, 12, 40) == pytest.approx(few, rel=1e-12)
    assert (np.diff(studentized_range_sf(np.sort(q), 12, 40)) < 0).all()


def test_ends_and_gaps() -> None:
    found = studentized_range_sf([0.0, -3.0, math.nan, 1e6], 5, 1000)
    assert found[:2].tolist() == [1.0, 1.0]
    assert math.isnan(found[2])
    assert found[3] == 0.0
    assert studentized_range_sf([], 5, 10).size == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: studentized_range_sf([1.0], 1, 10), "groups: expected a whole number of at least 2"),
        (lambda: studentized_range_sf([1.0], 2, 0), "df: expected a positive number, got 0"),
        (lambda: studentized_range_sf([1.0], 2, math.nan), "df: expected a positive number, got nan"),
        (lambda: studentized_range_isf(0.0, 2, 10), "p: expected a number between 0 and 1"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


# Tukey's test on the two-way model: R's TukeyHSD and emmeans, plain least squares, printed tables, odd matrices.


DATA = Path(__file__).parents[1] / "data"
SYSTEMS = "ABCDEF"


def read(name: str) -> list[dict[str, Any]]:
    return list(csv.DictReader((DATA / f"tukey_{name}.csv").read_text(encoding="utf-8").splitlines()))


def matrix(name: str) -> FloatArray:
    return np.array([[float(row[s] or "nan") for s in SYSTEMS] for row in read(name)])


def expected(name: str) -> list[dict[str, Any]]:
    return read(f"{name}_expected")


def position(a: str, b: str) -> int:
    return list(combinations(SYSTEMS, 2)).index((a, b))


@pytest.mark.parametrize(("name", "scale"), [("hsd", "values"), ("hsd_ranks", "ranks")])
def test_it_equals_tukeyhsd_without_missing_cells(name: str, scale: Any) -> None:
    # R 4.2.2, TukeyHSD(aov(value ~ system + topic), "system"); aov(rank(value) ~ ...): data/tukey.R
    found = tukey(matrix("blocked"), scale=scale)
    rows = expected(name)
    assert len(rows) == len(found) == 15
    for row in rows:
        b, a = row["pair"].split("-")  # R has the second less the first
        k = position(a, b)
        assert found.difference[k] == pytest.approx(-float(row["difference"]), rel=1e-9)
        assert found.low[k] == pytest.approx(-float(row["high"]), rel=1e-7)
        assert found.high[k] == pytest.approx(-float(row["low"]), rel=1e-7)
        assert found.p[k] == pytest.approx(float(row["p"]), abs=1e-8)
        assert found.df == float(row["df"])
        assert found.mean_square == pytest.approx(float(row["mean_square"]), rel=1e-9)
    assert found.half_width == pytest.approx(np.full(15, found.hsd))


@pytest.mark.parametrize(("name", "scale"), [("emmeans_values", "values"), ("emmeans_ranks", "ranks")])
def test_it_equals_emmeans_with_missing_cells(name: str, scale: Any) -> None:
    # emmeans 1.8.4.1, pairs(emmeans(lm(value ~ system + topic), "system"), adjust = "tukey"): data/tukey.R
    found = tukey(matrix("missing"), scale=scale)
    for row in expected(name):
        k = position(*row["pair"].split(" - "))
        assert found.difference[k] == pytest.approx(float(row["difference"]), rel=1e-9)
        assert found.se[k] == pytest.approx(float(row["se"]), rel=1e-9)
        assert found.low[k] == pytest.approx(float(row["low"]), abs=1e-6)
        assert found.high[k] == pytest.approx(float(row["high"]), abs=1e-6)
        assert found.p[k] == pytest.approx(float(row["p"]), abs=1e-8)
        assert (found.df, found.mean_square) == pytest.approx((float(row["df"]), float(row["mean_square"])))


def test_means_equal_emmeans() -> None:
    found = tukey(matrix("missing")).means
    assert found == pytest.approx([float(row["emmean"]) for row in expected("means")], rel=1e-9)
    whole = matrix("blocked")
    assert tukey(whole).means == pytest.approx(whole.mean(axis=0), rel=1e-12)


def test_letters_equal_multcompview() -> None:
    # multcompView 0.1.8, multcompLetters() of TukeyHSD's p-values, systems by their means: data/tukey.R
    row = next(row for row in expected("letters") if row["case"] == "blocked")
    found = tukey(matrix("blocked"))
    order = np.argsort(-found.means)
    assert [SYSTEMS[j] for j in order] == row["items"].split()
    shown = letters(found.different(), order)
    assert [shown[j] for j in order] == row["letters"].split() == ["a", "ab", "bc", "c", "c", "d"]


def test_topics_as_blocks_see_what_an_unblocked_test_does_not() -> None:
    # A check that agreed with anything would pass: the one-way test on the same data finds less.
    whole = matrix("blocked")
    one_way = stats.tukey_hsd(*whole.T).pvalue[np.triu_indices(6, 1)]
    assert (tukey(whole).p < 0.05).sum() > (one_way < 0.05).sum()


@pytest.mark.parametrize("holes", [0, 3])
def test_two_systems_are_a_paired_t_test(holes: int) -> None:
    values = matrix("blocked")[:, :2]
    values[:holes, 0] = np.nan
    values[-holes - 1, 1] = np.nan
    both = values[~np.isnan(values).any(axis=1)]
    found, t = tukey(values), stats.ttest_rel(*both.T)
    assert found.p[0] == pytest.approx(t.pvalue, rel=1e-9)
    ends = t.confidence_interval()
    assert (found.low[0], found.high[0]) == pytest.approx((ends.low, ends.high), rel=1e-9)
    assert found.df == len(both) - 1


def by_design(values: FloatArray) -> tuple[FloatArray, float, int]:
    """Ten plain lines: dummy columns, lstsq, the residual mean square, and differences of all pairs."""
    rows, columns = np.nonzero(~np.isnan(values))
    design = np.zeros((rows.size, sum(values.shape)))
    design[np.arange(rows.size), rows] = 1
    design[np.arange(rows.size), values.shape[0] + columns] = 1
    y = values[rows, columns]
    beta, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    effects = np.asarray(beta[values.shape[0] :], dtype=np.float64)
    df = rows.size - rank
    rest = ((y - design @ beta) ** 2).sum()
    return effects, float(rest / df) if df else math.nan, int(df)


@settings(deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(3, 7), st.integers(2, 5)), elements=st.floats(-3, 3, width=16)),
    st.integers(0, 2**32 - 1),
)
def test_the_fit_equals_plain_least_squares(values: FloatArray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = values + rng.normal(size=values.shape)
    values[rng.random(values.shape) < 0.25] = np.nan
    model = fit(values)
    kept = values[:, (~np.isnan(values)).any(axis=0)]
    if not kept.size:
        assert model.parts == 0
        return
    effects, mean_square, df = by_design(kept[(~np.isnan(kept)).any(axis=1)])
    assert model.df == df
    assert model.mean_square == pytest.approx(mean_square, rel=1e-8, nan_ok=True)
    part = model.part[model.part >= 0]
    fitted = model.effects[model.part >= 0]
    for i, j in combinations(range(part.size), 2):
        if part[i] == part[j]:
            assert fitted[i] - fitted[j] == pytest.approx(effects[i] - effects[j], abs=1e-8)


def test_duc_2002_differences_that_count() -> None:
    # Over and Liggett 2002: residual mean squares at 200, 100 and 50 words, 11 systems and 57 sets; 7 at 10 words.
    printed = {
        200: (0.0060058, 11, 560),
        100: (0.0105670, 11, 560),
        50: (0.0150015, 11, 560),
        10: (0.041125, 7, 336),
    }
    rng = np.random.default_rng(57)
    widths = []
    for mean_square, systems, df in printed.values():
        noise = rng.normal(size=(57, systems))
        noise -= noise.mean(axis=0) + noise.mean(axis=1, keepdims=True) - noise.mean()
        noise *= math.sqrt(mean_square * df / (noise**2).sum())
        found = tukey(noise + rng.normal(size=(57, 1)) + np.linspace(0, 0.3, systems))
        assert found.df == df
        assert found.mean_square == pytest.approx(mean_square, rel=1e-9)
        expected = studentized_range_isf(0.05, systems, df) * math.sqrt(mean_square / 57)
        assert found.hsd == pytest.approx(expected, rel=1e-9)
        widths.append(found.hsd)
    assert widths == sorted(widths)
    assert widths[0] == pytest.approx(0.04692, abs=1e-5)


# Demsar 2006, table 6: AUC of four variants of C4.5 on 14 data sets.
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_demsars_example_of_nemenyis_test() -> None:
    # On "voting" the paper has ranks 2 and 3 where it prints .975 twice: there the digits beyond decided.
    values = AUC.copy()
    values[12, 2] += 1e-4
    found = tukey(-values, scale="topic-ranks")
    assert found.means == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert found.hsd == pytest.approx(1.25, abs=5e-3)
    assert tukey(-values, scale="topic-ranks", level=0.9).hsd == pytest.approx(1.12, abs=5e-3)
    assert not found.different().any()
    # At .10, C4.5 alone is worse than C4.5+m and C4.5+m+cf.
    differ = np.argwhere(np.triu(tukey(-values, scale="topic-ranks", level=0.9).different()))
    assert differ.tolist() == [[0, 1], [0, 3]]


@examples(25)
@given(st.integers(2, 6), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_nemenyis_test_by_hand(columns: int, topics: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 4, (topics, columns)).astype(float)
    found = tukey(values, scale="topic-ranks")
    means = stats.rankdata(values, axis=1).mean(axis=0)
    z = (means[found.first] - means[found.second]) / math.sqrt(columns * (columns + 1) / (6 * topics))
    assert found.means == pytest.approx(means)
    p = stats.studentized_range.sf(np.abs(z) * math.sqrt(2), columns, np.inf)
    assert found.p == pytest.approx(p, abs=1e-7)
    assert found.df == math.inf


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_topic_ranks_have_the_variance_they_should(missing: float) -> None:
    # Under the null hypothesis (difference / se) has variance 1, with missing cells too.
    rng = np.random.default_rng(11)
    holes = rng.random((30, 5)) < missing
    z = []
    for _ in range(500):
        values = rng.normal(size=(30, 5))
        values[holes] = np.nan
        found = tukey(values, scale="topic-ranks")
        z.append(found.difference / found.se)
    assert np.square(z).mean() == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("scale", SCALES)
def test_the_familywise_error_is_what_it_says(scale: Any, missing: float) -> None:
    rng = np.random.default_rng(12)
    holes = rng.random((20, 6)) < missing
    runs, wrong = 2000, 0
    for _ in range(runs):
        values = rng.normal(size=(20, 1)) + rng.normal(size=(20, 6))
        values[holes] = np.nan
        wrong += bool((tukey(values, scale=scale).p < 0.05).any())
    band = stats.binom.ppf([0.005, 0.995], runs, 0.05)
    assert wrong <= band[1]
    # Tukey-Kramer may be a little conservative, and ranks are discrete; on values without holes it is exact.
    assert wrong >= (band[0] if missing == 0 and scale == "values" else 0.5 * 0.05 * runs)


def test_many_columns_at_once() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(48, 66)) + np.linspace(0, 3, 66)
    values[:24, :8] = np.nan
    found = tukey(values)
    assert len(found) == 2145
    assert not found.why
    assert (found.p[found.first == 0][-5:] < 0.05).all()
    assert ((found.low > 0) | (found.high < 0)).tolist() == (found.p < 0.05).tolist()
    assert len(tukey(rng.normal(size=(4, 500)))) == 500 * 499 // 2


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([[1.0, 2.0]], "no-freedom"),
        ([[0.1, 0.3], [0.5, 0.7], [0.9, 1.1]], "levels-alone"),
        ([[math.nan, math.nan], [math.nan, math.nan]], "empty-column"),
        ([[1.0, math.nan], [math.nan, 2.0]], "no-chain"),
    ],
)
def test_what_cannot_be_computed_says_why(values: list[list[float]], why: str, scale: Any) -> None:
    found = tukey(values, scale=scale)
    if scale == "topic-ranks" and why in ("no-freedom", "levels-alone"):
        assert not found.why  # their variance is known
        return
    assert found.why[0].code == why
    assert math.isnan(found.p[0])
    assert math.isnan(found.low[0])
    assert math.isnan(found.hsd)
    assert not found.different().any()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3, 1), (0, 0)])
def test_empty_matrices_have_no_pairs_or_no_results(shape: tuple[int, int]) -> None:
    found = tukey(np.ones(shape))
    assert len(found) == shape[1] * (shape[1] - 1) // 2
    assert np.isnan(found.p).all()


def test_equal_scores_everywhere_do_not_differ() -> None:
    found = tukey(np.full((4, 3), 0.1) + np.array([[0.2], [0.3], [0.4], [0.5]]))
    assert found.p.tolist() == [1.0, 1.0, 1.0]
    assert found.statistic.tolist() == [0.0, 0.0, 0.0]
    assert found.hsd == 0.0


def test_a_system_without_scores_leaves_the_others_alone() -> None:
    whole = matrix("blocked")
    with_empty = np.insert(whole, 2, np.nan, axis=1)
    found, alone = tukey(with_empty), tukey(whole)
    kept = [k for k in range(len(found)) if 2 not in (found.first[k], found.second[k])]
    assert found.p[kept] == pytest.approx(alone.p)
    assert found.columns == 6
    assert all(found.why[k].code == "empty-column" for k in range(len(found)) if k not in kept)


def test_the_signature() -> None:
    found: Tukey = tukey(matrix("blocked"))
    assert found.signature == "tukey|scale:values|model:system+topic|systems:6|df:55|level:0.95"


def test_wrong_arguments_are_named_tukey() -> None:
    with pytest.raises(UsageError, match='scale: unknown value "rank"'):
        tukey([[1.0, 2.0]], scale="rank")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="level: expected a number between 0 and 1"):
        tukey([[1.0, 2.0]], level=95)


def test_spread_check_is_friedmans_test_of_absolute_residuals() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(15, 1)) + rng.normal(size=(15, 4)) * [0.2, 1, 1, 3]
    found = spread_check(values)
    residuals = values - values.mean(axis=1, keepdims=True)
    sizes = np.abs(residuals - np.median(residuals, axis=0))
    chi2 = stats.friedmanchisquare(*sizes.T).statistic
    f = 14 * chi2 / (15 * 3 - chi2)  # Iman and Davenport 1980
    assert found.p == pytest.approx(stats.f.sf(f, 3, 42))
    spreads = [np.std(values[:, i] - values[:, j], ddof=1) for i, j in combinations(range(4), 2)]
    assert (found.least, found.most) == pytest.approx((min(spreads), max(spreads)))


def test_spread_check_of_equal_spreads_errs_as_alpha_says() -> None:
    rng = np.random.default_rng(4)
    found = [spread_check(rng.normal(size=(20, 5))).p < 0.05 for _ in range(400)]
    assert 0.02 < np.mean(found) < 0.085


def test_spread_check_says_where_it_cannot_be_made() -> None:
    assert math.isnan(spread_check(np.ones((1, 3))).least)
    assert math.isnan(spread_check(np.random.default_rng(1).normal(size=(9, 2))).p)


def test_the_significant_difference_depends_on_the_pair_where_cells_are_missing() -> None:
    values = np.random.default_rng(1).normal(size=(12, 3))
    assert tukey(values).half_width == pytest.approx([tukey(values).hsd] * 3)
    values[:6, 0] = np.nan
    width = tukey(values).half_width
    assert width[2] < width[0]
    assert width[0] == pytest.approx(width[1])
