"""Several measures side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.pages.names import names_of
from adjudge.data.collection import Collection
from adjudge.reports.sections import Overview, OverviewCell, OverviewColumn, overview_of

Make = Callable[..., Comparison]
Values = Mapping[str, Sequence[float]]


def overview(comparisons: list[Comparison], collection: Collection) -> Overview:
    columns = [OverviewColumn(c.measure, c.measure, c.matrix.info.direction) for c in comparisons]
    systems = dict.fromkeys(s for c in comparisons for s in c.matrix.systems)
    return overview_of(comparisons, columns, names_of(collection, systems))


def test_ranks_and_letters_in_the_order_of_the_first_measure(
    compared: Make, three: Values, empty: Collection
) -> None:
    found = overview([compared(three), compared(three, measure="js", better="lower")], empty)
    assert [row.name.shown for row in found.rows] == ["good", "fair", "bad"]
    assert found.ordered_by == "rouge-2"
    assert found.rows[0].cells == (OverviewCell("1", "a", top=True), OverviewCell("3", "b"))
    # fair is second on both, and on js not told apart from the first
    assert found.rows[1].cells == (OverviewCell("2", "b"), OverviewCell("2", "a", top=True))


def test_a_description_shows_its_mean_and_does_not_lead(
    compared: Make, three: Values, empty: Collection
) -> None:
    words = compared({"bad": [90.0, 95.0], "good": [50.0, 52.0]}, measure="words", better=None)
    found = overview([words, compared(three)], empty)
    assert found.ordered_by == "rouge-2"
    assert found.rows[0].cells[0] == OverviewCell("51.0")
    assert not any(row.cells[0].top or row.cells[0].letters for row in found.rows)


def test_a_system_without_scores_has_a_dash(compared: Make, three: Values, empty: Collection) -> None:
    other = compared({"good": [1.0, 2.0], "new": [0.5, 0.6]}, measure="rouge-1")
    rows = {row.name.system: row.cells for row in overview([compared(three), other], empty).rows}
    assert rows["fair"][1] == OverviewCell("–")
    assert rows["new"][0] == OverviewCell("–")
    assert list(rows) == ["good", "fair", "bad", "new"]


def test_one_system_has_a_rank_and_no_letters(compared: Make, three: Values, empty: Collection) -> None:
    rows = overview([compared(three), compared({"good": [1.0]}, measure="x")], empty).rows
    assert rows[0].cells[1] == OverviewCell("1")
