"""The league table: numbers, places, bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.pages.names import names_of
from adjudge.data.collection import Collection
from adjudge.reports.sections import MOST_BARS, Bar, League, league_of

Make = Callable[..., Comparison]
Values = Mapping[str, Sequence[float]]


def league(comparison: Comparison, collection: Collection) -> League:
    return league_of(comparison, names_of(collection, comparison.matrix.systems))


def grouped(compared: Make, empty: Collection, groups: Sequence[str]) -> League:
    """A league whose groups are given, since which they are is decided elsewhere."""
    comparison = compared({f"s{k:02}": [1 - k / 100, 0.99 - k / 100] for k in range(len(groups))})
    standings = [replace(s, group=group) for s, group in zip(comparison.standings, groups, strict=True)]
    return league(replace(comparison, standings=tuple(standings)), empty)


def test_rows_are_text_in_rank_order(compared: Make, three: Values, news: Collection) -> None:
    table = league(compared(three), news)
    assert [row.name.shown for row in table.rows] == ["The good one", "fair", "Bad"]
    assert [row.rank for row in table.rows] == ["1", "2", "3"]
    assert [row.topics for row in table.rows] == ["10", "10", "10"]
    assert table.rows[0].mean == "0.635"
    assert table.level == "95 %"
    assert table.ranked
    assert table.grouped


def test_the_dot_lies_in_the_bar_and_the_bar_on_the_scale(
    compared: Make, three: Values, empty: Collection
) -> None:
    for row in league(compared(three), empty).rows:
        assert row.interval is not None
        left, width = float(row.interval.left), float(row.interval.width)
        assert 0 <= left < float(row.mean_at) < left + width <= 100


def test_the_better_of_two_lies_to_the_right_when_higher_is_better(
    compared: Make, three: Values, empty: Collection
) -> None:
    places = [float(row.mean_at) for row in league(compared(three), empty).rows]
    assert places == sorted(places, reverse=True)
    places = [float(row.mean_at) for row in league(compared(three, better="lower"), empty).rows]
    assert places == sorted(places)


def test_a_description_has_no_ranks_and_no_groups(compared: Make, three: Values, empty: Collection) -> None:
    table = league(compared(three, better=None), empty)
    assert not table.ranked
    assert not table.grouped
    assert all(row.letters == "" and row.bars == () and not row.apart for row in table.rows)


def test_one_topic_has_no_interval(compared: Make, empty: Collection) -> None:
    rows = league(compared({"a": [0.5], "b": [0.4]}), empty).rows
    assert [row.interval for row in rows] == [None, None]
    assert [row.mean for row in rows] == ["0.500", "0.400"]


def test_bars_run_from_the_first_to_the_last_that_share_a_letter(compared: Make, empty: Collection) -> None:
    rows = grouped(compared, empty, ["a", "ab", "b", "c"]).rows
    assert [row.letters for row in rows] == ["a", "a b", "b", "c"]
    assert rows[0].bars == (Bar("a", True, True, False), None, None)
    assert rows[1].bars == (Bar("a", True, False, True), Bar("b", True, True, False), None)
    assert rows[3].bars == (None, None, Bar("c", True, True, True))
    assert [row.apart for row in rows] == [False, False, False, True]


def test_a_bar_passes_by_whoever_does_not_have_its_letter(compared: Make, empty: Collection) -> None:
    rows = grouped(compared, empty, ["a", "b", "a"]).rows
    assert rows[1].bars[0] == Bar("a", held=False, begins=False, ends=False)


@pytest.mark.parametrize("count", [MOST_BARS, MOST_BARS + 1])
def test_too_many_groups_are_letters_alone(compared: Make, empty: Collection, count: int) -> None:
    rows = grouped(compared, empty, "abcdefghijkl"[:count]).rows
    assert all(len(row.bars) == (count if count <= MOST_BARS else 0) for row in rows)
    assert rows[-1].letters == "abcdefghijkl"[count - 1]


def test_double_letters_are_one_letter_each(compared: Make, empty: Collection) -> None:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    spaced = grouped(compared, empty, [*alphabet, "z aa", "ab"]).rows
    assert [row.letters for row in spaced[-2:]] == ["z aa", "ab"]
    assert spaced[-1].apart
    alone = grouped(compared, empty, [*alphabet, "aa", "ab"]).rows
    assert [row.letters for row in alone[-2:]] == ["aa", "ab"]
    assert alone[-1].apart
