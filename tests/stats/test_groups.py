"""Letters: shared exactly where items are alike, none to spare, "a" for the best; and lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats import order as module
from adjudge.stats.checks import BoolArray
from adjudge.stats.order import MOST_STATES, groups, letter, letters, underlines
from adjudge.stats.resampling.cluster import ALL_SIGNS_UP_TO

Given = tuple[BoolArray, list[int]]
PAGE = (Path(__file__).parents[2] / "docs" / "groups.md").read_text(encoding="utf-8")
LETTERS = Path(__file__).parent / "data" / "tukey_letters_expected.csv"


def symmetric(size: int, pairs: list[tuple[int, int]]) -> BoolArray:
    different = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = True
    return different


@st.composite
def relations(draw: st.DrawFn, most: int = 12) -> Given:
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


@given(relations())
def test_items_share_a_letter_exactly_when_alike(given: Given) -> None:
    different, order = given
    assert_display(different, order, letters(different, order))


@given(relations())
def test_a_cover_promises_the_same(given: Given) -> None:
    different, order = given
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_SETS", 0)
        assert_display(different, order, letters(different, order))


@given(relations(most=8), st.sampled_from([0, 1000]))
def test_no_letter_can_be_spared(given: Given, most: int) -> None:
    different, order = given
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_SETS", most)
        found = groups(different, order)
    for spared in range(len(found)):
        rest = [set(members) for k, members in enumerate(found) if k != spared]
        together = [{i, j} for i in found[spared] for j in found[spared]]
        assert any(not any(pair <= members for members in rest) for pair in together)


@given(relations(most=8))
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
def test_wrong_arguments_are_named(call: Callable[[], object], message: str) -> None:
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


@given(relations())
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
