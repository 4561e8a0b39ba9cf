"""Theoretical cut-offs: on the right side of them p is at most alpha, and only there."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples

from adjudge.core.engine import generator
from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import at_most
from adjudge.stats.paired import Zeros
from adjudge.stats.pairs import t_pairs, wilcoxon_pairs
from adjudge.stats.tests import run_pairs, theoretical_cutoffs

TESTS = ("t", "t-unpaired", "welch", "sign", "wilcoxon")


@examples(40)
@given(st.integers(2, 14), st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.2]), st.booleans())
def test_a_pair_differs_exactly_where_its_statistic_reaches_the_cutoff(
    topics: int, seed: int, alpha: float, whole: bool
) -> None:
    rng = np.random.default_rng(seed)
    values: FloatArray = rng.normal([0.0, 0.3, 1.0, 2.0], 1, (topics, 4))
    if whole:
        values = rng.integers(1, 5, (topics, 4)).astype(np.float64)
    values[rng.random(values.shape) < 0.1] = np.nan
    for test, zeros in product(TESTS, get_args(Zeros)):
        found = run_pairs(test, values, rng=rng, zeros=zeros)
        cutoff = theoretical_cutoffs(found, values, alpha=alpha, zeros=zeros)
        assert cutoff is not None
        tested = ~np.isnan(found.p)
        assert np.isnan(cutoff[~tested]).all()
        with np.errstate(invalid="ignore"):
            reached = np.abs(found.statistic) >= cutoff * (1 - 1e-12)
        np.testing.assert_array_equal(reached[tested], at_most(found.p, alpha)[tested])


@pytest.mark.parametrize("zeros", get_args(Zeros))
def test_many_topics_have_the_normal_cutoff(zeros: Any) -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(1, 6, (350, 12)) + rng.normal(0, 0.1, 12).round(1)
    values[:, :6] = rng.normal(np.linspace(0, 0.3, 6), 1, (350, 6)).round(1)
    values[:, 7:10] = values[:, [6]] + (rng.random((350, 3)) < [0.9, 0.93, 0.5]) * rng.integers(
        -2, 3, (350, 3)
    )
    found = wilcoxon_pairs(values, zeros=zeros)
    assert "normal" in found.method
    cutoff = theoretical_cutoffs(found, values, alpha=0.05, zeros=zeros)
    assert cutoff is not None
    differ = at_most(found.p, 0.05)
    assert 0 < differ.sum() < differ.size
    np.testing.assert_array_equal(np.abs(found.statistic) >= cutoff, differ)


def test_against_tables_and_scipy() -> None:
    values = np.random.default_rng(0).normal(size=(10, 2))
    # Printed tables of Wilcoxon's test: n = 10, two-sided .05, the smaller sum is at most 8; so |W| >= 55 - 16 = 39.
    assert theoretical_cutoffs(wilcoxon_pairs(values), values, alpha=0.05) == pytest.approx([39.0])
    assert theoretical_cutoffs(t_pairs(values), values, alpha=0.05) == pytest.approx([stats.t.ppf(0.975, 9)])
    # Of the sign test: n = 10, at most 1 on one side (p = .021), so 9 - 1.
    signs = run_pairs("sign", values, rng=generator(0, "unused"))
    assert theoretical_cutoffs(signs, values, alpha=0.05) == pytest.approx([8.0])
    # Five topics: no sum of signed ranks has p <= .05.
    assert np.isnan(theoretical_cutoffs(wilcoxon_pairs(values[:5]), values[:5], alpha=0.05)).all()  # type: ignore[arg-type]


def test_tests_without_such_theory_have_none() -> None:
    values = np.random.default_rng(0).normal(size=(8, 3))
    exact = run_pairs("exact", values, rng=generator(0, "unused"))
    assert theoretical_cutoffs(exact, values, alpha=0.05) is None
    assert theoretical_cutoffs(t_pairs(values, alternative="less"), values, alpha=0.05) is None
