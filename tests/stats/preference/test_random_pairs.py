"""Random pairs: every pair as likely as every other, none twice, none that is taken."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from adjudge.core.errors import DataError, UsageError
from adjudge.stats.preference import next_pair
from adjudge.stats.preference.next_pair import Pair, numbered_pairs, pair_numbers, pairs_left, random_pairs

ITEM = st.integers(0, 8)


def drawn(n: int, count: int, times: int, taken: tuple[Pair, ...] = (), seed: int = 1) -> dict[Pair, int]:
    rng, found = np.random.default_rng(seed), dict.fromkeys(combinations(range(n), 2), 0)
    for _ in range(times):
        for a, b in random_pairs(n, count, rng=rng, taken=taken):
            found[min(a, b), max(a, b)] += 1
    return found


def test_numbers_go_through_all_pairs() -> None:
    low, high = numbered_pairs(np.arange(45))
    assert set(zip(low.tolist(), high.tolist(), strict=True)) == set(combinations(range(10), 2))
    assert np.all(np.diff(high) >= 0)


@settings(deadline=None)
@given(st.integers(1, 2**31))
def test_a_number_is_its_pair(high: int) -> None:
    """Also where the square root is not exact: the first and the last pair of an item."""
    edges = np.array([high * (high - 1) // 2, high * (high - 1) // 2 + high - 1])
    low, found = numbered_pairs(edges)
    assert found.tolist() == [high, high]
    assert low.tolist() == [0, high - 1]


@pytest.mark.parametrize("taken", [(), ((0, 1), (4, 2), (5, 0))])
def test_every_pair_is_as_likely(taken: tuple[Pair, ...]) -> None:
    counts = drawn(6, 3, 4000, taken)
    used = {(min(pair), max(pair)) for pair in taken}
    assert all(counts[pair] == 0 for pair in used)
    free = [count for pair, count in counts.items() if pair not in used]
    assert sum(free) == 12_000
    # Drawn without replacement, counts vary less than chi-squared says: p is too large, never too small. So one pair a
    # time is drawn as well.
    assert chisquare(free).pvalue > 0.001
    single = [count for pair, count in drawn(6, 1, 6000, taken, 2).items() if pair not in used]
    assert chisquare(single).pvalue > 0.001


def test_the_check_of_uniformity_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two different items drawn by sorting would be uniform; numbers that are off by a few are not."""
    right = next_pair.numbered_pairs
    monkeypatch.setattr(next_pair, "numbered_pairs", lambda numbers: right(numbers - numbers % 2))
    assert chisquare(list(drawn(6, 1, 6000).values())).pvalue < 1e-6


def test_sets_of_pairs_are_as_likely() -> None:
    rng, counts = np.random.default_rng(3), dict.fromkeys(combinations(combinations(range(4), 2), 2), 0)
    for _ in range(6000):
        one, two = sorted((min(p), max(p)) for p in random_pairs(4, 2, rng=rng))
        counts[one, two] += 1
    assert len(counts) == 15
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_both_orders_are_as_likely() -> None:
    found = random_pairs(200, 10_000, rng=np.random.default_rng(4))
    assert abs(sum(a < b for a, b in found) - 5000) < 200  # four standard deviations
    # and places in the list say nothing of the items
    assert abs(np.corrcoef(np.arange(10_000), [max(p) for p in found])[0, 1]) < 0.04


@settings(deadline=None)
@given(
    st.integers(0, 9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8))),
    st.integers(0, 60),
    st.integers(0, 99),
)
def test_none_twice_none_taken_all_when_more_are_asked_for(
    n: int, pairs: list[Pair], count: int, seed: int
) -> None:
    taken = [pair for pair in pairs if max(pair) < n]
    free = set(combinations(range(n), 2)) - {(min(pair), max(pair)) for pair in taken}
    found = random_pairs(n, count, rng=np.random.default_rng(seed), taken=taken)
    plain = [(min(pair), max(pair)) for pair in found]
    assert len(plain) == len(set(plain)) == min(count, len(free))
    assert set(plain) <= free
    assert pairs_left(n, taken) == len(free)


def test_few_of_many_pairs() -> None:
    """12 million pairs, of which 2,000 are taken: none of the other millions is listed."""
    rng = np.random.default_rng(5)
    taken = random_pairs(5000, 2000, rng=rng)
    found = random_pairs(5000, 500, rng=rng, taken=taken)
    assert len({(min(p), max(p)) for p in found + taken}) == 2500
    assert len({item for pair in found for item in pair}) > 850  # 905 are expected


def test_same_seed_same_pairs() -> None:
    one, two, other = (random_pairs(50, 20, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == two
    assert one != other


def test_wrong_calls() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UsageError, match="-1, and must not be negative"):
        random_pairs(3, -1, rng=rng)
    with pytest.raises(DataError, match="item 3, and there are 3, from 0"):
        random_pairs(3, 1, rng=rng, taken=[(0, 3)])
    with pytest.raises(DataError, match="item -1"):
        pair_numbers(3, [(-1, 2)])
