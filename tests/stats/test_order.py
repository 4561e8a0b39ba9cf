"""Rankings that are left, letters and lines, critical-difference diagrams."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.waiting import not_stuck

from adjudge.core.errors import UsageError
from adjudge.stats import order as module
from adjudge.stats.checks import BoolArray
from adjudge.stats.linear.tukey import tukey
from adjudge.stats.order import (
    MOST_STATES,
    Rankings,
    _at_least,
    _at_most,
    _Placing,
    _thinned,
    better_by_interval,
    closure,
    count_rankings,
    critical_difference,
    groups,
    letter,
    letters,
    rank_intervals,
    underlines,
)
from adjudge.stats.resampling.cluster import ALL_SIGNS_UP_TO

# Rank intervals and the number of consistent rankings: by listing all orders, and Lin and Hovy's groups.


def consistent(better: BoolArray) -> list[tuple[int, ...]]:
    """Every order in which no item stands before one that is better than it."""
    return [
        order
        for order in permutations(range(len(better)))
        if not any(better[order[j], order[i]] for i, j in combinations(range(len(order)), 2))
    ]


@st.composite
def relations(draw: st.DrawFn) -> BoolArray:
    """Any relation, circles among them."""
    size = draw(st.integers(1, 6))
    cells = draw(st.lists(st.sampled_from([0, 0, 1]), min_size=size**2, max_size=size**2))
    better = np.array(cells, dtype=bool).reshape(size, size)
    np.fill_diagonal(better, False)
    return better


@st.composite
def intervals(draw: st.DrawFn) -> BoolArray:
    ends = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=7))
    low, high = np.sort(np.array(ends, dtype=float), axis=1).T
    return better_by_interval(low, high)


@settings(deadline=None)
@given(st.one_of(relations(), intervals()))
def test_counts_equal_the_list(better: BoolArray) -> None:
    listed = consistent(better)
    found = count_rankings(better)
    assert found.count == len(listed)
    assert bool(found.circle) == (not listed)
    assert found.low == found.high == found.count


@settings(deadline=None)
@given(st.one_of(relations(), intervals()))
def test_rank_intervals_count_the_better_and_the_worse(better: BoolArray) -> None:
    listed = consistent(better)
    best, worst = rank_intervals(better)
    if listed:
        assert best.tolist() == [1 + int(better[:, j].sum()) for j in range(len(better))]
        assert worst.tolist() == [len(better) - int(better[j].sum()) for j in range(len(better))]
        places = np.array([np.argsort(order) + 1 for order in listed])
        assert (best <= places.min(axis=0)).all()
        assert (worst >= places.max(axis=0)).all()
    assert ((best >= 1) & (best <= worst) & (worst <= len(better))).all()


@settings(deadline=None)
@given(intervals())
def test_rank_intervals_of_an_interval_order_are_just_the_ranks_that_can_be(better: BoolArray) -> None:
    places = np.array([np.argsort(order) + 1 for order in consistent(better)])
    best, worst = rank_intervals(better)
    assert best.tolist() == places.min(axis=0).tolist()
    assert worst.tolist() == places.max(axis=0).tolist()


@settings(deadline=None)
@given(st.one_of(relations(), intervals()))
def test_bounds_hold_the_number(better: BoolArray) -> None:
    listed = consistent(better)
    closed = closure(better)
    if listed:
        assert _at_least(closed) <= len(listed) <= _at_most(closed)
        cut = count_rankings(better, most=0)
        assert cut.count is None
        assert cut.low <= len(listed) <= cut.high


def test_lin_and_hovys_groups() -> None:
    # Lin and Hovy 2002, section 4: {Human1, Human2}, {N, T, Y}, {Baseline2, L, P}, {S}, {M, O, R}, {Z},
    # {Baseline1, U, W}. The paper multiplies sizes, 2*3*3*1*3*1*3 = 162; orders are counted by factorials.
    sizes = [2, 3, 3, 1, 3, 1, 3]
    group = np.repeat(np.arange(7), sizes)
    found = count_rankings(group[:, None] < group)
    assert found.count == math.prod(math.factorial(size) for size in sizes) == 2592
    assert math.prod(sizes) == 162
    assert found.sentence() == "2,592 rankings of the 16 systems agree with the significant differences."
    best, worst = rank_intervals(group[:, None] < group)
    assert (best[:3].tolist(), worst[:3].tolist()) == ([1, 1, 3], [2, 2, 5])
    assert (best[-1], worst[-1]) == (14, 16)


def test_without_and_with_all_differences() -> None:
    assert count_rankings(np.zeros((66, 66), dtype=bool)).count == math.factorial(66)
    chain = np.triu(np.ones((66, 66), dtype=bool), 1)
    assert (
        count_rankings(chain).sentence()
        == "One ranking of the 66 systems agrees with the significant differences."
    )
    assert rank_intervals(chain)[0].tolist() == list(range(1, 67))
    assert count_rankings(np.zeros((0, 0), dtype=bool)).count == 1


def test_two_chains_side_by_side() -> None:
    # 20 and 15 in order each: they can be merged in C(35, 15) ways.
    better = np.zeros((35, 35), dtype=bool)
    better[:20, :20] = np.triu(np.ones((20, 20), dtype=bool), 1)
    better[20:, 20:] = np.triu(np.ones((15, 15), dtype=bool), 1)
    assert count_rankings(better).count == math.comb(35, 15)


def test_too_many_to_count_gives_bounds() -> None:
    places = np.sort(np.random.default_rng(1).random(66))
    better = places[:, None] - places > 0.3
    found = count_rankings(better, most=2000)
    assert found.count is None
    assert 10**40 < found.low < found.high < math.factorial(66)
    assert found.sentence().startswith("Between ")
    assert found.sentence().endswith(" agree with the significant differences (too many to count).")
    # Where it can be counted, the bounds are around the number.
    near = places[:, None] - places > 0.08
    exact = count_rankings(near)
    assert exact.count is not None
    assert _at_least(closure(near)) < exact.count < _at_most(closure(near))
    assert "e" in exact.sentence()


def bars(systems: int, overlap: float, seed: int, uneven: float = 0.5) -> BoolArray:
    """The order of random bars, of which each overlaps so many others on average."""
    rng = np.random.default_rng(seed)
    middle, width = rng.random(systems), 1 + uneven * (rng.random(systems) - 0.5)
    small, large = 0.0, 2.0
    for _ in range(40):
        half = (small + large) / 2 * width / 2
        better = better_by_interval(middle - half, middle + half)
        others = (~better & ~better.T).sum() / systems - 1
        small, large = ((small + large) / 2, large) if others < overlap else (small, (small + large) / 2)
    return better


@pytest.mark.parametrize("uneven", [0.5, 1.9])
def test_sixty_systems_whose_bars_overlap_fifteen_others_are_counted(uneven: float) -> None:
    better = bars(60, 15, 1, uneven)
    assert (~better & ~better.T).sum() / 60 - 1 == pytest.approx(15, abs=0.5)
    found = count_rankings(better)
    assert found.count is not None
    assert _at_least(closure(better)) < found.count < _at_most(closure(better))
    assert count_rankings(np.zeros((60, 60), dtype=bool)).count == math.factorial(60)


@examples(50)
@given(st.one_of(relations(), intervals()), st.integers(0, 5))
def test_a_run_that_thins_nothing_is_exact(better: BoolArray, seed: int) -> None:
    """Up to seven items have at most 35 states of a size."""
    listed = consistent(better)
    found = count_rankings(better, most=0, rng=np.random.default_rng(seed), runs=2)
    if listed:
        assert found.estimate is not None
        assert found.estimate.low <= len(listed) <= found.estimate.high
        assert found.estimate.count == len(listed)
    else:
        assert (found.count, found.estimate) == (0, None)


@examples(40)
@given(st.one_of(relations(), intervals()))
def test_thinned_runs_are_right_on_average(better: BoolArray) -> None:
    """With one state kept of each size: Knuth's estimator, whose mean over many runs comes near the number."""
    listed = consistent(better)
    if listed:
        placing, rng = _Placing(closure(better)), np.random.default_rng(1)
        runs = np.exp([_thinned(placing, 1, rng) for _ in range(400)])
        spread = runs.std(ddof=1) / 20
        assert abs(runs.mean() - len(listed)) <= 5 * spread + 1e-6 * len(listed)


@pytest.mark.parametrize("seed", range(3))
def test_the_estimates_interval_holds_the_number(seed: int) -> None:
    better = bars(40, 16, seed)
    exact = count_rankings(better).count
    found = count_rankings(better, most=1000, rng=np.random.default_rng(seed), runs=10, kept=50)
    assert exact is not None
    assert found.count is None
    assert found.estimate is not None
    assert found.low < found.estimate.low < found.estimate.high < found.high
    # Three seeds stay within twice the interval; its level is the business of the slow test.
    middle = math.log(found.estimate.count)
    assert abs(math.log(exact) - middle) < 2 * (math.log(found.estimate.high) - middle)
    assert math.log(found.estimate.high / found.estimate.low) < 0.8
    again = count_rankings(better, most=1000, rng=np.random.default_rng(seed), runs=10, kept=50)
    assert again == found
    said = found.sentence(basis="the bars")
    assert said.startswith("About ")
    assert "(an estimate, 95% interval " in said
    assert "agree with the bars" in said


@pytest.mark.slow
def test_the_estimates_interval_covers_at_its_level() -> None:
    """200 intervals at 95 %, of 10 orders: 190 on average, and fewer than 180 once in ten thousand times."""
    inside = 0
    for number in range(10):
        better = bars(30, 12 + number % 4, number, 0.5 + number % 2)
        exact = count_rankings(better).count
        assert exact is not None
        for seed in range(20):
            found = count_rankings(better, most=0, rng=np.random.default_rng(seed), kept=25)
            assert found.estimate is not None
            inside += found.estimate.low <= exact <= found.estimate.high
    assert inside >= 180


def test_an_estimate_of_numbers_that_no_float_can_hold() -> None:
    found = count_rankings(bars(240, 140, 1), rng=np.random.default_rng(0), runs=3, kept=5)
    assert found.estimate is not None
    assert 10**308 < found.estimate.low <= found.estimate.count <= found.estimate.high <= found.high
    assert "e3" in found.sentence()


def test_a_circle_is_named_and_leaves_no_ranking() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, 1] = better[1, 2] = better[2, 0] = better[0, 3] = True
    found = count_rankings(better)
    assert (found.count, found.circle) == (0, (0, 1, 2))
    assert found.sentence() == (
        "No ranking of the 4 systems agrees with the significant differences: some go round in a circle."
    )
    best, worst = rank_intervals(better)
    assert (best.tolist(), worst.tolist()) == ([1, 1, 1, 2], [3, 4, 4, 4])
    assert count_rankings(np.zeros((3, 3), dtype=bool)).circle == ()


def test_what_was_not_found_counts_in_rankings_alone() -> None:
    # 0 beats 1 and 1 beats 2; that 0 beats 2 follows for every ranking, but was not found.
    better = np.zeros((3, 3), dtype=bool)
    better[0, 1] = better[1, 2] = True
    best, worst = rank_intervals(better)
    assert (best.tolist(), worst.tolist()) == ([1, 2, 2], [2, 2, 3])
    assert count_rankings(better).count == 1


def test_relations_from_intervals() -> None:
    better = better_by_interval([0.0, 2.0, 1.0, math.nan], [1.0, 3.0, 2.0, math.nan])
    assert np.argwhere(better).tolist() == [[1, 0]]  # touching intervals are not apart


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rank_intervals([[0, 1], [0, 0]]), "better: expected a square matrix of truth values"),
        (lambda: count_rankings([[True]]), r"better: \[0, 0\] is true; nothing is better than itself"),
        (lambda: better_by_interval([1.0], [0.0]), r"low and high: \[0\] is empty, from 1 to 0"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


# Letters: shared exactly where items are alike, none to spare, "a" for the best; and lines.


Given = tuple[BoolArray, list[int]]
PAGE = (Path(__file__).parents[2] / "docs" / "groups.md").read_text(encoding="utf-8")
LETTERS = Path(__file__).parent / "data" / "tukey_letters_expected.csv"


def symmetric(size: int, pairs: list[tuple[int, int]]) -> BoolArray:
    different = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = True
    return different


@st.composite
def relations_groups(draw: st.DrawFn, most: int = 12) -> Given:
    size = draw(st.integers(1, most))
    pairs = [pair for pair in combinations(range(size), 2) if draw(st.booleans())]
    return symmetric(size, pairs), list(draw(st.permutations(range(size))))


def maximal_sets(different: BoolArray) -> set[frozenset[int]]:
    """All largest sets without a differing pair, by looking at every set there is."""
    items = range(len(different))
    alike = [
        frozenset(some)
        for size in range(1, len(different) + 1)
        for some in combinations(items, size)
        if not different[np.ix_(some, some)].any()
    ]
    return {one for one in alike if not any(one < other for other in alike)}


def assert_display(different: BoolArray, order: list[int], shown: list[str]) -> None:
    for i, j in combinations(range(len(different)), 2):
        assert bool(set(shown[i]) & set(shown[j])) != different[i, j]
    used = sorted(set("".join(shown)))
    assert used == [letter(number) for number in range(len(used))]
    assert "a" in shown[order[0]]
    # First appearances go down the ranking, so a reader meets the letters in order.
    first = [min(order.index(i) for i, has in enumerate(shown) if name in has) for name in used]
    assert first == sorted(first)
    holders = {name: {i for i, has in enumerate(shown) if name in has} for name in used}
    for one, other in combinations(used, 2):
        assert not holders[one] <= holders[other]
        assert not holders[other] <= holders[one]


@given(relations_groups())
def test_items_share_a_letter_exactly_when_alike(given: Given) -> None:
    different, order = given
    assert_display(different, order, letters(different, order))


@given(relations_groups())
def test_a_cover_promises_the_same(given: Given) -> None:
    different, order = given
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_SETS", 0)
        assert_display(different, order, letters(different, order))


@given(relations_groups(most=8), st.sampled_from([0, 1000]))
def test_no_letter_can_be_spared(given: Given, most: int) -> None:
    different, order = given
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_SETS", most)
        found = groups(different, order)
    for spared in range(len(found)):
        rest = [set(members) for k, members in enumerate(found) if k != spared]
        together = [{i, j} for i in found[spared] for j in found[spared]]
        assert any(not any(pair <= members for members in rest) for pair in together)


@given(relations_groups(most=8))
def test_insert_and_absorb_finds_every_maximal_set(given: Given) -> None:
    different, _ = given
    apart = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in different]
    found = module._insert_and_absorb(apart)
    assert found is not None
    assert {frozenset(module._members(bits)) for bits in found} == maximal_sets(different)
    assert len(found) == len(set(found))
    assert {frozenset(each) for each in groups(different, range(len(different)))} <= maximal_sets(different)


def test_cases_by_hand() -> None:
    assert letters(symmetric(3, []), [0, 1, 2]) == ["a", "a", "a"]
    assert letters(symmetric(3, [(0, 1), (0, 2), (1, 2)]), [2, 0, 1]) == ["b", "c", "a"]
    # The overlapping middle: 1 differs from neither end.
    assert letters(symmetric(3, [(0, 2)]), [0, 1, 2]) == ["a", "ab", "b"]
    assert letters(symmetric(3, [(0, 2)]), [2, 1, 0]) == ["b", "ab", "a"]
    assert letters(np.zeros((0, 0), dtype=bool), []) == []


def test_a_set_whose_pairs_are_all_elsewhere_gets_no_letter() -> None:
    # 0, 1 and 2 are alike, but each two of them are together with a third as well.
    alike = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (1, 4), (2, 4), (0, 5), (2, 5)]
    pairs = [pair for pair in combinations(range(6), 2) if pair not in alike]
    different = symmetric(6, pairs)
    assert frozenset({0, 1, 2}) in maximal_sets(different)
    assert sorted(map(sorted, groups(different, range(6)))) == [[0, 1, 3], [0, 2, 5], [1, 2, 4]]


@pytest.mark.parametrize(
    ("number", "name"), [(0, "a"), (25, "z"), (26, "aa"), (27, "ab"), (701, "zz"), (702, "aaa")]
)
def test_letters_go_on_after_z(number: int, name: str) -> None:
    assert letter(number) == name


def test_many_letters_stand_apart() -> None:
    size = 30
    near = [(i, j) for i, j in combinations(range(size), 2) if j - i > 1]
    shown = letters(symmetric(size, near), range(size))
    assert shown[0] == "a"
    assert shown[1] == "a b"
    assert shown[-2:] == ["ab ac", "ac"]


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95, None])
def test_200_systems_come_to_an_end_whatever_differs(share: float | None) -> None:
    size = 200
    triple = np.arange(size) // 3
    if share is None:
        # Triples that differ inside alone have 3^66 maximal sets (Moon and Moser 1965).
        different = triple[:, None] == triple
    else:
        different = np.random.default_rng(1).random((size, size)) < share
    different = np.triu(different, 1)
    different = different | different.T
    found = groups(different, range(size))
    joined = np.zeros((size, size), dtype=bool)
    for members in found:
        joined[np.ix_(members, members)] = True
    assert np.array_equal(joined, ~different)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: letters([[0, 1], [1, 0]], [0, 1]), "different: expected a square matrix of truth"),
        (lambda: letters([[False, True], [False, False]], [0, 1]), r"different: not symmetric"),
        (lambda: letters([[True]], [0]), r"different: \[0, 0\] is true"),
        (lambda: letters(symmetric(2, []), [0, 0]), "order: expected each of 0 to 1 once"),
        (lambda: letters(symmetric(2, []), [0]), "order: expected each of 0 to 1 once"),
    ],
)
def test_wrong_arguments_are_named_groups(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


def from_r() -> list[tuple[str, BoolArray, list[str]]]:
    """Relations among items in rank order, and the letters that R gives them."""
    rows = csv.DictReader(LETTERS.read_text(encoding="utf-8").splitlines())
    found = []
    for row in rows:
        items = row["items"].split()
        pairs = [(items.index(pair[0]), items.index(pair[1])) for pair in row["pairs"].split()]
        found.append((row["case"], symmetric(len(items), pairs), row["letters"].split()))
    return found


def test_letters_equal_multcompview() -> None:
    # R 4.2.2, multcompView 0.1.8, multcompLetters(): data/tukey.R
    cases = [case for case in from_r() if case[0] == "distance"]
    assert len(cases) == 20
    for _, different, expected in cases:
        assert letters(different, range(len(different))) == expected


def test_letters_are_never_more_than_multcompviews() -> None:
    # Of 20 relations of any kind, R gives 3 a letter that could be spared; the others are the same.
    cases = [case for case in from_r() if case[0] == "any"]
    fewer = 0
    for _, different, expected in cases:
        shown = letters(different, range(len(different)))
        assert_display(different, list(range(len(different))), shown)
        if shown != expected:
            assert len(set("".join(shown))) < len(set("".join(expected)))
            fewer += 1
    assert (len(cases), fewer) == (20, 3)


def runs(different: BoolArray, order: list[int]) -> set[tuple[int, ...]]:
    """Every run of the ranking in which no two differ, of two or more, that lies in no longer one."""
    found = {
        tuple(order[i:j])
        for i, j in combinations(range(len(order) + 1), 2)
        if j - i > 1 and not different[np.ix_(order[i:j], order[i:j])].any()
    }
    return {one for one in found if not any(set(one) < set(other) for other in found)}


@given(relations_groups())
def test_lines_are_the_longest_runs_without_a_difference(given: Given) -> None:
    different, order = given
    found = underlines(different, order)
    assert set(found.lines) == runs(different, order)
    assert len(found.lines) == len(set(found.lines))
    together = {frozenset(pair) for line in found.lines for pair in combinations(line, 2)}
    alike = {frozenset((i, j)) for i, j in combinations(range(len(different)), 2) if not different[i, j]}
    assert together <= alike
    assert {frozenset(pair) for pair in found.unjoined} == alike - together
    assert (found.warning() is None) == (together == alike)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=10), st.integers(0, 10))
def test_lines_show_everything_where_distance_decides(places: list[int], least: int) -> None:
    at = np.array(sorted(places, reverse=True))
    different = np.abs(at[:, None] - at) > least
    found = underlines(different, range(at.size))
    assert found.warning() is None
    # And then they are the letters: a line for every letter that two items or more share.
    assert set(found.lines) == {tuple(each) for each in groups(different, range(at.size)) if len(each) > 1}


def test_lines_by_hand() -> None:
    found = underlines(symmetric(4, [(0, 2), (0, 3), (1, 3)]), [0, 1, 2, 3])
    assert found.lines == ((0, 1), (1, 2), (2, 3))
    assert (
        found.draw(["first", "second", "3rd", "last"]) == "first  |\nsecond | |\n3rd      | |\nlast       |"
    )
    crossed = underlines(symmetric(3, [(0, 1)]), [0, 1, 2])
    assert crossed.lines == ((1, 2),)
    assert crossed.unjoined == ((0, 2),)
    assert crossed.warning() == (
        "lines cannot show this: 1 pair that does not differ significantly is on no common line; letters can"
    )
    assert underlines(symmetric(2, [(0, 1)]), [1, 0]).draw(["a", "b"]) == "b\na"
    assert underlines(np.zeros((0, 0), dtype=bool), []).draw([]) == ""
    with pytest.raises(UsageError, match="labels: expected 2, got 1"):
        underlines(symmetric(2, []), [0, 1]).draw(["a"])


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_the_page_has_the_bounds_of_the_code() -> None:
    assert f"beyond {MOST_STATES:,} states" in PAGE
    assert f"at most {ALL_SIGNS_UP_TO} clusters" in PAGE


# Critical-difference diagrams: Demsar's example, directions, missing cells, and the drawing.


RANKS = [
    [1, 2, 3, 4],
    [1, 3, 2, 4],
    [2, 1, 3, 4],
    [1, 2, 4, 3],
    [1, 2, 3, 4],
    [2, 1, 3, 4],
    [1, 2, 3, 4],
    [1, 3, 2, 4],
]
LABELS = ["best", "good", "fair", "poor"]


def test_ranks_lines_and_cliques() -> None:
    found = critical_difference(-np.array(RANKS, dtype=float))
    assert found.ranks == pytest.approx(np.mean(RANKS, axis=0))
    assert found.order == (0, 1, 2, 3)
    # Demsar 2006, section 3.2.2: CD = q sqrt(k(k+1) / 6N), with q = 2.569 for four.
    assert found.cd == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 8)), abs=1e-3)
    assert found.cliques() == ((0, 1, 2), (2, 3))
    assert found.level == 0.95


def test_the_lowest_can_be_the_best() -> None:
    high = critical_difference(-np.array(RANKS, dtype=float))
    low = critical_difference(RANKS, best="lowest")
    assert low.ranks == pytest.approx(high.ranks)
    assert low.cliques() == high.cliques()
    assert critical_difference(RANKS).order == (3, 2, 1, 0)


def test_the_drawing() -> None:
    found = critical_difference(RANKS, best="lowest")
    assert found.draw(LABELS, width=49) == "\n".join(
        [
            "        rank  1               2               3               4",
            "              +---------------+---------------+---------------+",
            "best    1.25      o",
            "good    2.00                  o",
            "fair    2.88                                o",
            "poor    3.88                                                o",
            "alike             ===========================",
            "alike                                       =================",
            "CD      1.66  ----------------------------",
        ]
    )


def test_many_columns_share_an_axis() -> None:
    values = np.random.default_rng(1).normal(size=(10, 40))
    drawn = critical_difference(values).draw([f"s{k}" for k in range(40)])
    lines = drawn.splitlines()
    assert lines[0].split()[1] == "1"
    assert lines[0].split()[-1] == "40"
    assert max(map(len, lines)) <= 80
    assert sum(line.endswith("o") for line in lines) == 40


def test_missing_cells_and_systems() -> None:
    values = np.random.default_rng(2).normal(size=(12, 4))
    values[:5, 1] = np.nan
    values[:, 3] = np.nan
    found = critical_difference(values)
    assert 3 not in found.order
    assert math.isnan(found.ranks[3])
    assert found.cd == pytest.approx(tukey(-values, scale="topic-ranks").half_width[[0, 1, 3]].mean())
    assert "d" not in [line.split()[0] for line in found.draw(list("abcd")).splitlines()]


def test_nothing_to_draw() -> None:
    assert critical_difference(np.full((3, 2), np.nan)).draw(["a", "b"]) == "no column has a mean rank"
    one = critical_difference([[1.0], [2.0]])
    assert one.draw(["only"]).splitlines()[2].startswith("only")
    assert critical_difference(np.ones((0, 0))).draw([]) == "no column has a mean rank"


def test_wrong_arguments_are_named_diagram() -> None:
    with pytest.raises(UsageError, match="labels: expected 4, got 1"):
        critical_difference(RANKS).draw(["a"])
    with pytest.raises(UsageError, match="width: expected a whole number of at least 10"):
        critical_difference(RANKS).draw(LABELS, width=3)
    with pytest.raises(UsageError, match='best: unknown value "high"'):
        critical_difference(RANKS, best="high")  # type: ignore[arg-type]


def test_500_items_that_hardly_differ_are_bounded_at_once() -> None:
    """Every subset of the open kinds would be a state: that is known before any is made."""
    rng = np.random.default_rng(1)
    value = np.sort(rng.normal(size=500))[::-1]
    better = value[:, None] > value + 1.5
    with not_stuck("counting rankings of 500 items"):
        found = count_rankings(better)
    assert found.count is None
    assert found.low < found.high


def test_numbers_of_any_size_are_written() -> None:
    # pytest would write the numbers of a parametrized test in full, which Python refuses.
    for count, words in (
        (999_999_999, "999,999,999"),
        (10**9, "1.00e9"),
        (123456 * 10**20, "1.23e25"),
        (7 * 10**5000, "7.00e5000"),
    ):
        said = Rankings(items=9, count=count, low=count, high=count).sentence()
        assert said.startswith(f"{words} rankings")
