"""Even shares: in all, by topic, by system, with and without people who may not judge everything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.judgments.assign import balance
from adjudge.judgments.assign.balance import Loads, PageNeed, choose


def grid(topics: int, systems: int, need: int, assessors: int) -> list[PageNeed]:
    """Every system on every topic, and anybody may judge it."""
    everybody = frozenset(range(assessors))
    return [PageNeed(t, (s,), need, everybody) for t, s in product(range(topics), range(systems))]


def spread(counts: Sequence[int]) -> int:
    return max(counts) - min(counts)


def spreads(loads: Loads) -> tuple[int, int, int]:
    """How far assessors differ: in all, and at the worst topic and system."""
    by = [max(spread(column) for column in zip(*table, strict=True)) for table in (loads.topic, loads.system)]
    return spread(loads.load), by[0], by[1]


@examples(60)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 6), st.data())
def test_where_anybody_may_judge_anything_all_shares_are_even(
    topics: int, systems: int, assessors: int, data: st.DataObject
) -> None:
    need = data.draw(st.integers(1, assessors))
    loads = Loads(assessors, topics, systems)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    found = choose(grid(topics, systems, need, assessors), loads, rng)
    assert {len(who) for who in found} == {need}
    load, topic, system = spreads(loads)
    assert load <= 1
    assert topic <= 1
    assert system <= 2


def test_systems_are_even_because_pages_are_swapped() -> None:
    """Without swaps the last assessor of a round takes what is left."""
    pages, greedy, swapped = grid(12, 10, 2, 3), Loads(3, 12, 10), Loads(3, 12, 10)
    balance._greedy(pages, greedy, np.random.default_rng(1))
    choose(pages, swapped, np.random.default_rng(1))
    assert spreads(greedy)[2] >= 2
    assert spreads(swapped)[2] == 0


PAGES = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.lists(st.integers(0, 3), min_size=1, max_size=2, unique=True),
        st.integers(0, 2),
        st.frozensets(st.integers(0, 2)),
    ),
    min_size=1,
    max_size=5,
)


@examples(200)
@given(PAGES, st.lists(st.integers(0, 3), min_size=3, max_size=3), st.integers(0, 99))
def test_loads_are_as_even_as_the_best_of_all_choices(
    drawn: list[tuple[int, list[int], int, frozenset[int]]], before: list[int], seed: int
) -> None:
    pages = [PageNeed(topic, tuple(systems), need, allowed) for topic, systems, need, allowed in drawn]
    loads = Loads(3, 3, 4)
    loads.load = list(before)
    found = choose(pages, loads, np.random.default_rng(seed))
    options = []
    for page, who in zip(pages, found, strict=True):
        assert who <= page.allowed
        assert len(who) == min(page.need, len(page.allowed))
        options.append(list(combinations(sorted(page.allowed), len(who))))
    best = min(
        sum((n + sum(a in who for who in choice)) ** 2 for a, n in enumerate(before))
        for choice in product(*options)
    )
    assert sum(n * n for n in loads.load) == best
    assert loads.load == [n + sum(a in who for who in found) for a, n in enumerate(before)]


def test_the_ledger_is_what_was_given() -> None:
    pages, loads = grid(4, 5, 2, 3), Loads(3, 4, 5)
    found = choose(pages, loads, np.random.default_rng(3))
    for a in range(3):
        own = [page for page, who in zip(pages, found, strict=True) if a in who]
        assert loads.load[a] == len(own)
        assert loads.topic[a] == [sum(page.topic == t for page in own) for t in range(4)]
        assert loads.system[a] == [sum(page.systems == (s,) for page in own) for s in range(5)]


@examples(50)
@given(
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
    st.lists(st.integers(0, 3), min_size=1, max_size=2, unique=True),
    st.lists(st.integers(0, 3), min_size=1, max_size=2, unique=True),
)
def test_the_change_of_a_swap_is_that_of_the_sums_of_squares(
    a: list[int], b: list[int], away: list[int], back: list[int]
) -> None:
    def squares(*rows: list[int]) -> int:
        return sum(n * n for row in rows for n in row)

    one = [n - away.count(k) + back.count(k) for k, n in enumerate(a)]
    other = [n + away.count(k) - back.count(k) for k, n in enumerate(b)]
    assert balance._change(a, b, away, back) == squares(one, other) - squares(a, b)


def test_no_pages_and_nobody_allowed() -> None:
    loads = Loads(2, 1, 1)
    assert choose([], loads, np.random.default_rng(0)) == []
    assert choose([PageNeed(0, (0,), 1, frozenset())], loads, np.random.default_rng(0)) == [set()]
