"""Permutation of topics between a slice and the others."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.stats.slices import slice_tests


def plain(values: list[float], inside: list[bool]) -> float:
    """All ways of choosing as many topics, one by one."""
    n, k = len(values), sum(inside)

    def difference(chosen: set[int]) -> float:
        within = [values[i] for i in chosen]
        without = [values[i] for i in range(n) if i not in chosen]
        return abs(sum(within) / len(within) - sum(without) / len(without))

    observed = difference({i for i, there in enumerate(inside) if there})
    ways = [difference(set(chosen)) for chosen in combinations(range(n), k)]
    return sum(way >= observed - 1e-9 for way in ways) / len(ways)


@examples(60)
@given(st.data())
def test_all_choices_of_topics(data: st.DataObject) -> None:
    n = data.draw(st.integers(6, 9))
    values = data.draw(st.lists(st.integers(-4, 4).map(lambda v: v / 4), min_size=n, max_size=n))
    k = data.draw(st.integers(3, n - 3))
    inside = [i < k for i in range(n)]
    found, other = slice_tests(
        np.array(values), np.array([inside, [not each for each in inside]]), rng=np.random.default_rng(0)
    )
    assert found.exact
    assert found.p == pytest.approx(plain(values, inside), abs=1e-12)
    assert other.p == found.p
    assert found.inside == pytest.approx(sum(values[:k]) / k, abs=1e-12)
    assert found.smallest <= found.p


def test_resampled_p_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=12)
    inside = np.arange(12) < 5
    exact = slice_tests(values, inside[None], rng=rng, resamples=2000)[0]
    drawn = slice_tests(values, inside[None], rng=rng, resamples=700)[0]
    assert exact.exact
    assert not drawn.exact
    assert drawn.smallest == 1 / 701
    assert drawn.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p * (1 - exact.p) / 700))


def test_blank_topics_do_not_count() -> None:
    values = np.array([1.0, 2.0, 3.0, np.nan, 4.0, 5.0, 7.0, np.nan])
    inside = np.array([True, True, True, True, False, False, False, False])
    found = slice_tests(values, inside[None], rng=np.random.default_rng(0))[0]
    assert (found.n_inside, found.n_outside) == (3, 3)
    assert found.p == found.smallest == 2 / 20


def test_too_few_topics_say_so() -> None:
    inside = np.array([True, True, False, False, False, False])
    found = slice_tests(np.arange(6.0), inside[None], rng=np.random.default_rng(0))[0]
    assert math.isnan(found.p)
    assert found.why == "2 topics in it with a correlation, of 3 at least"


def test_p_is_uniform_where_nothing_differs() -> None:
    rng = np.random.default_rng(11)
    inside = np.arange(24) < 8
    p = [slice_tests(rng.normal(size=24), inside[None], rng=rng, resamples=199)[0].p for _ in range(400)]
    for level in (0.05, 0.25, 0.5):
        share = np.mean(np.array(p) <= level)
        assert share == pytest.approx(level, abs=4 * math.sqrt(level * (1 - level) / 400))
