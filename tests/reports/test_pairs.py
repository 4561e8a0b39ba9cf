"""The triangle of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.pages.names import names_of
from adjudge.data.collection import Collection
from adjudge.reports.sections import MOST_SYSTEMS, PairTriangle, pair_triangle

Make = Callable[..., Comparison]


def matrix(comparison: Comparison, collection: Collection) -> PairTriangle:
    found = pair_triangle(comparison, names_of(collection, comparison.matrix.systems))
    assert found is not None
    return found


def signs(found: PairTriangle) -> list[list[str | None]]:
    return [[cell.sign if cell else None for cell in row.cells] for row in found.rows]


def test_the_arrow_points_at_the_better_one(
    compared: Make, three: Mapping[str, Sequence[float]], empty: Collection
) -> None:
    found = matrix(compared(three), empty)
    assert [row.name.shown for row in found.rows] == ["good", "fair"]
    assert [name.shown for name in found.columns] == ["fair", "bad"]
    assert signs(found) == [["←", "←"], [None, "≈"]]


def test_lower_can_be_better(compared: Make, three: Mapping[str, Sequence[float]], empty: Collection) -> None:
    found = matrix(compared(three, better="lower"), empty)
    assert [row.name.shown for row in found.rows] == ["bad", "fair"]
    assert signs(found) == [["≈", "←"], [None, "←"]]


def test_the_test_and_the_means_may_point_apart(compared: Make, empty: Collection) -> None:
    # "often" is higher on 19 topics of 20 and far lower on one: it has the lower mean, and is better.
    once = [0.5] * 19 + [1.0]
    often = [0.51 + k / 10000 for k in range(19)] + [0.0]
    found = matrix(compared({"once": once, "often": often}), empty)
    assert [row.name.shown for row in found.rows] == ["once"]
    assert signs(found) == [["↑"]]
    cell = found.rows[0].cells[0]
    assert cell is not None
    assert cell.words.startswith("often is better than once (")
    assert "but once has the better mean" in cell.words


def test_a_cell_says_its_corrected_p(
    compared: Make, three: Mapping[str, Sequence[float]], news: Collection
) -> None:
    cell = matrix(compared(three), news).rows[0].cells[0]
    assert cell is not None
    # 2/1024 for ten differences of one sign, times three pairs
    assert cell.words == (
        "The good one is better than fair"
        " (paired Wilcoxon, exact, Holm-corrected p = .006, n = 10 topics; The good one wins on 10, fair on 0)"
    )


def test_what_cannot_be_tested_says_so(compared: Make, empty: Collection) -> None:
    cell = matrix(compared({"a": [0.5], "b": [0.4]}), empty).rows[0].cells[0]
    assert cell is not None
    assert (cell.verdict, cell.sign) == ("untested", "?")
    assert "needs two topics" in cell.words


@pytest.mark.parametrize(("count", "shown"), [(1, False), (2, True), (MOST_SYSTEMS, True), (31, False)])
def test_only_so_many_systems_are_shown(compared: Make, empty: Collection, count: int, shown: bool) -> None:
    comparison = compared({f"s{k:02}": [k / 10, k / 20] for k in range(count)})
    found = pair_triangle(comparison, names_of(empty, comparison.matrix.systems))
    assert (found is not None) == shown
    if found:
        assert len(found.rows) == len(found.columns) == count - 1
