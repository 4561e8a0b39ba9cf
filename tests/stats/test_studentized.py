"""The studentized range: closed forms, another integration at high precision, R, SciPy, and its own inverse."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.linear import tukey as module
from adjudge.stats.linear.tukey import range_log_sf, studentized_range_isf, studentized_range_sf

R_VALUES = Path(__file__).parent / "data" / "tukey_range_expected.csv"


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


@settings(deadline=None, max_examples=30)
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
