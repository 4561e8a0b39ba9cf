"""The smallest p that a pair could have had: by going through all signs of its differences."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.stats.paired import Alternative
from adjudge.stats.tests import run_pairs, smallest_p


@examples(30)
@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=6),
    st.sampled_from(["wilcoxon", "sign", "exact"]),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_it_is_the_smallest_over_all_signs(sizes: list[int], test: str, alternative: Alternative) -> None:
    rng = np.random.default_rng(1)
    signed = np.array([np.array(sizes) * signs for signs in product([-1.0, 1.0], repeat=len(sizes))])
    found = [
        run_pairs(test, np.column_stack([row, np.zeros_like(row)]), rng=rng, alternative=alternative)
        for row in signed
    ]
    floor = [float(smallest_p(each)[0]) for each in found]
    assert floor == pytest.approx([min(float(each.p[0]) for each in found)] * len(found))


def test_resamples_and_continuous_tests() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(12, 2))
    mc = run_pairs("mc", values, rng=rng, statistic="mean", resamples=500)
    assert smallest_p(mc, 500)[0] == pytest.approx(1 / 501)
    assert smallest_p(run_pairs("mc", values[:4], rng=rng, statistic="mean", resamples=500), 500)[0] == 2**-3
    assert smallest_p(run_pairs("t", values, rng=rng))[0] == 0
    assert np.isnan(smallest_p(run_pairs("t", values[:1], rng=rng))[0])
