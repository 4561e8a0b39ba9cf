"""The heat map: which topics, which colours, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.pages.names import names_of
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Topic
from adjudge.reports.sections import COMPACT_FROM, MOST_TOPICS, STEPS, HeatMap, heat_map

Make = Callable[..., Comparison]
NAN = float("nan")


def heat(comparison: Comparison, collection: Collection) -> HeatMap:
    return heat_map(comparison, collection, names_of(collection, comparison.matrix.systems))


def steps(found: HeatMap) -> list[list[int | None]]:
    return [[cell.step for cell in row.cells] for row in found.rows]


def test_systems_are_ranked_and_topics_as_in_the_file(compared: Make, news: Collection) -> None:
    comparison = compared({"bad": [0.1, 0.2], "good": [0.5, 0.8]}, topics=["t1", "t0"])
    found = heat(comparison, news)
    assert [name.shown for name in found.columns] == ["The good one", "Bad"]
    assert [(row.topic, row.title) for row in found.rows] == [("t0", "A flood"), ("t1", "")]
    assert [[cell.text for cell in row.cells] for row in found.rows] == [["0.80", "0.20"], ["0.50", "0.10"]]
    assert "order of the file" in found.about


def test_the_strong_end_is_the_best(compared: Make, empty: Collection) -> None:
    columns = {"a": [0.0, 0.5], "b": [1.0, 0.99]}
    higher = heat(compared(columns), empty)
    assert steps(higher) == [[STEPS - 1, 0], [STEPS - 1, 3]]
    assert higher.legend == ("0.00 worst", "1.00 best")
    lower = heat(compared(columns, better="lower"), empty)
    assert steps(lower) == [[STEPS - 1, 0], [3, 0]]
    assert lower.legend == ("1.00 worst", "0.00 best")
    neither = heat(compared(columns, better=None), empty)
    assert neither.legend == ("0.00 lowest", "1.00 highest")


def test_every_step_is_a_seventh(compared: Make, empty: Collection) -> None:
    found = heat(compared({"a": [k / 70 for k in range(71)]}), empty)
    assert [row.cells[0].step for row in found.rows] == [min(6, k // 10) for k in range(71)]


def test_values_all_alike_have_the_middle_colour(compared: Make, empty: Collection) -> None:
    assert steps(heat(compared({"a": [0.5, 0.5]}), empty)) == [[3], [3]]


def test_a_missing_cell_says_why(compared: Make, empty: Collection) -> None:
    found = heat(compared({"a": [0.5, NAN], "b": [0.4, 0.3]}), empty)
    cell = found.rows[1].cells[0]
    assert (cell.step, cell.text) == (None, "no summary")
    assert found.missing == 1


@pytest.mark.parametrize(("count", "compact"), [(COMPACT_FROM - 1, False), (COMPACT_FROM, True)])
def test_many_topics_make_a_compact_map(compared: Make, empty: Collection, count: int, compact: bool) -> None:
    found = heat(compared({"a": [*(k / 99 for k in range(count - 1)), NAN], "b": [0.5] * count}), empty)
    assert found.compact == compact
    assert len(found.rows) == count
    last = {cell.text for cell in found.rows[-1].cells if cell.step is None}
    assert last == {"no summary"}  # the reason is there in any case


def test_of_very_many_topics_those_that_tell_most_apart_are_shown(compared: Make, empty: Collection) -> None:
    count = MOST_TOPICS + 50
    found = heat(compared({"a": [0.5] * count, "b": [0.5 - k / 1000 for k in range(count)]}), empty)
    assert [row.topic for row in found.rows] == [f"t{k}" for k in range(count - 1, 49, -1)]
    assert found.about.startswith("Of 250 topics, the 200 on which")


def test_long_names_are_turned(compared: Make, empty: Collection) -> None:
    assert not heat(compared({"short": [0.1], "names": [0.2]}), empty).turned
    assert heat(compared({"a-long-name": [0.1], "b": [0.2]}), empty).turned


def test_topics_at_several_lengths_stand_in_their_order(
    compared: Make, three: Mapping[str, Sequence[float]]
) -> None:
    collection = Collection(Settings("x"), {"t0": Topic("t0", title="A flood")}, {}, {}, {})
    topics = [f"t{9 - k} @ 100" for k in range(10)]
    assert [row.topic for row in heat(compared(three, topics=topics), collection).rows] == sorted(topics)
