"""Corrections for many tests against statsmodels (a dependency of the tests alone)."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from adjudge.errors import UsageError
from adjudge.stats.multiple import Correction, adjust, holm

METHODS: tuple[Correction, ...] = get_args(Correction)
# statsmodels 0.15.0, multipletests(p, method=...), second value
STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}
P = st.floats(0, 1)
SOME_P = st.lists(st.sampled_from([0.0, 0.01, 0.02, 0.2, 0.5, 1.0]) | P, max_size=20)


def plain(p: list[float], method: str) -> list[float]:
    """By the definitions, one p at a time."""
    m = len(p)
    if method == "none":
        return p
    if method == "bonferroni":
        return [min(1.0, m * own) for own in p]
    ranked = list(enumerate(sorted(p)))
    if method == "holm":  # the largest (m - rank) p among those at most as large
        return [max(min(1.0, (m - k) * value) for k, value in ranked if value <= own) for own in p]
    # The smallest m p / rank among those at least as large.
    return [min([1.0, *(m * value / (k + 1) for k, value in ranked if value >= own)]) for own in p]


@settings(deadline=None, max_examples=30)  # multipletests takes 25 ms a call; the plain twin has more
@given(st.lists(P, min_size=1, max_size=30), st.sampled_from(sorted(STATSMODELS)))
def test_statsmodels_gives_the_same(p: list[float], method: Correction) -> None:
    expected = multipletests(p, method=STATSMODELS[method])[1]
    np.testing.assert_allclose(adjust(p, method), expected, rtol=1e-15, atol=1e-320)


def test_many_p_values_as_statsmodels_has_them() -> None:
    p = np.random.default_rng(1).beta(0.3, 3, size=2145)
    for method, theirs in STATSMODELS.items():
        np.testing.assert_allclose(adjust(p, method), multipletests(p, method=theirs)[1], rtol=1e-15)  # type: ignore[arg-type]


@given(SOME_P, st.sampled_from(METHODS))
def test_the_plain_twin_gives_the_same(p: list[float], method: Correction) -> None:
    np.testing.assert_allclose(adjust(p, method), plain(p, method), rtol=1e-12)


@given(st.lists(P | st.just(float("nan")), max_size=20), st.sampled_from(METHODS))
def test_nan_stays_and_does_not_count(p: list[float], method: Correction) -> None:
    found, missing = adjust(p, method), np.isnan(np.array(p, dtype=float))
    assert np.array_equal(np.isnan(found), missing)
    np.testing.assert_array_equal(found[~missing], adjust(np.array(p, dtype=float)[~missing], method))


@given(SOME_P)
def test_none_is_below_bh_is_below_holm_is_below_bonferroni(p: list[float]) -> None:
    rows = np.array([adjust(p, method) for method in ("none", "bh", "holm", "bonferroni")])
    assert (np.diff(rows, axis=0) >= -1e-15).all()


def test_a_case_by_hand() -> None:
    p = [0.01, 0.04, 0.03, np.nan]
    assert holm(p).tolist()[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert adjust(p, "holm").tolist()[:3] == holm(p).tolist()[:3]
    assert adjust(p, "bonferroni").tolist()[:3] == pytest.approx([0.03, 0.12, 0.09])
    assert adjust(p, "bh").tolist()[:3] == pytest.approx([0.03, 0.04, 0.04])
    assert adjust(p, "none").tolist()[:3] == p[:3]


def test_what_is_given_is_left_alone() -> None:
    p = np.array([0.5, 0.1])
    adjust(p, "none")[0] = 0.0
    adjust(p, "bonferroni")[0] = 0.0
    assert p.tolist() == [0.5, 0.1]


@pytest.mark.parametrize("p", [[0.5, 1.5], [-0.1], ["x"]])
def test_what_is_no_probability_is_refused(p: list[float]) -> None:
    with pytest.raises(UsageError, match=r"^p: "):
        adjust(p, "bh")


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(
        UsageError, match='^method: unknown value "fdr"; expected one of "none", "bonferroni"'
    ):
        adjust([0.5], "fdr")  # type: ignore[arg-type]
