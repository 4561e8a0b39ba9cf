"""Corrections for many tests against statsmodels (a dependency of the tests alone)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from adjudge.errors import UsageError
from adjudge.stats.multiple import holm

P = st.floats(0, 1)


def plain(p: list[float]) -> list[float]:
    """Holm by the definition: the largest (m - rank) p among those at most as large."""
    ordered = sorted(p)
    steps = [(value, min(1.0, (len(p) - k) * value)) for k, value in enumerate(ordered)]
    return [max(step for value, step in steps if value <= own) for own in p]


@settings(deadline=None)  # multipletests takes 25 ms a call, whatever it is given
@given(st.lists(P, min_size=1, max_size=30))
def test_statsmodels_gives_the_same(p: list[float]) -> None:
    # statsmodels 0.15.0, multipletests(p, method="holm"), second value
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12)


@given(st.lists(st.sampled_from([0.0, 0.01, 0.02, 0.2, 0.5, 1.0]) | P, max_size=20))
def test_the_plain_twin_gives_the_same(p: list[float]) -> None:
    np.testing.assert_allclose(holm(p), plain(p), rtol=1e-12)


@given(st.lists(P | st.just(float("nan")), max_size=20))
def test_nan_stays_and_does_not_count(p: list[float]) -> None:
    found, missing = holm(p), np.isnan(np.array(p, dtype=float))
    assert np.array_equal(np.isnan(found), missing)
    np.testing.assert_array_equal(found[~missing], holm(np.array(p, dtype=float)[~missing]))


def test_a_case_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, np.nan]).tolist()[:3] == pytest.approx([0.03, 0.06, 0.06])


@pytest.mark.parametrize("p", [[0.5, 1.5], [-0.1], ["x"]])
def test_what_is_no_probability_is_refused(p: list[float]) -> None:
    with pytest.raises(UsageError, match=r"^p: "):
        holm(p)
