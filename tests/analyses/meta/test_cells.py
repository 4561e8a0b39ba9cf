"""Scores of measures and people on the same topics and systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from adjudge.analyses.meta.cells import POOLED, Cells, cells_of
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note


def frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])


RATED = [
    ("rating(aspect=overall)", topic, system, who, value)
    for who, more in (("ann", 0.0), ("bob", 1.0))
    for topic, system, value in (("t1", "a", 1.0), ("t1", "b", 2.0), ("t2", "a", 3.0), ("t2", "b", 5.0))
    for value in (value + more,)
]
SCORED = [
    ("rouge", "t1", "a", None, 0.1),
    ("rouge", "t1", "b", None, 0.2),
    ("rouge", "t2", "a", None, 0.3),
    ("rouge", "t3", "a", None, 0.9),
    ("rouge", "t1", "c", None, 0.4),
]


def cells(rows: Sequence[tuple[object, ...]], *human: str, **options: object) -> Cells:
    return cells_of(scores_of(frame(rows)), human, **options)  # type: ignore[arg-type]


def test_people_decide_which_topics_and_systems_count() -> None:
    found = cells([*RATED, *SCORED])
    assert (found.topics, found.systems, found.kinds) == (("t1", "t2"), ("a", "b"), ("machine", "machine"))
    np.testing.assert_array_equal(found.automatic, [[[0.1, 0.2], [0.3, np.nan]]])
    np.testing.assert_array_equal(found.people, [[[1.5, 2.5], [3.5, 5.5]]])
    assert found.humans[0].assessors == ("ann", "bob")
    np.testing.assert_array_equal(found.humans[0].by_assessor[1], [[2, 3], [4, 6]])
    assert found.notes == (
        Note.of("systems-not-judged", systems=["c"]),
        Note.of("topics-not-judged", n=1),
    )


def test_measures_may_keep_all_their_topics() -> None:
    found = cells([*RATED, *SCORED], all_topics=True)
    assert found.topics == ("t1", "t2", "t3")
    np.testing.assert_array_equal(found.automatic[0, 2], [0.9, np.nan])
    assert np.isnan(found.people[0, 2]).all()


@pytest.mark.parametrize("text", ["overall", "rating(aspect=overall)"])
def test_a_human_measure_by_what_was_asked(text: str) -> None:
    assert [h.info.measure for h in cells([*RATED, *SCORED], text).humans] == ["rating(aspect=overall)"]


def test_what_was_asked_must_be_one_measure() -> None:
    rows = [
        (f"{who}:relevance", *row[1:3], None, 1.0 + k)
        for who in ("expert", "crowd")
        for k, row in enumerate(SCORED[:3])
    ]
    with pytest.raises(UsageError, match="people=relevance can be"):
        cells([*rows, *SCORED], "relevance")
    assert cells([*rows, *SCORED], "expert:relevance").humans[0].info.measure == "expert:relevance"


def test_lower_is_better_is_turned() -> None:
    scores = scores_of(frame([*RATED, *SCORED]))
    scores.table.info["rouge"] = type(scores.table.info["rouge"])("rouge", better="lower")
    scores.table.info["rating(aspect=overall)"] = type(scores.table.info["rouge"])(
        "rating(aspect=overall)", better="lower"
    )
    found = cells_of(scores)
    np.testing.assert_array_equal(found.automatic[0, 0], [-0.1, -0.2])
    np.testing.assert_array_equal(found.people[0, 0], [-1.5, -2.5])
    np.testing.assert_array_equal(found.humans[0].by_assessor[0, 0], [-1, -2])


def test_nobody_judged() -> None:
    with pytest.raises(
        UsageError, match=r"names assessors: say which is people's with people=MEASURE.*rouge"
    ):
        cells(SCORED)
    with pytest.raises(DataError, match="there is no measure to compare with"):
        cells(RATED)
    with pytest.raises(UsageError, match="all of these are people's measures"):
        cells([*RATED, *SCORED], "rouge", measures="rouge")
    others = [("rouge", "t1", "z", None, 1.0)]
    with pytest.raises(DataError, match="no system has both"):
        cells([*RATED, *others])


def test_a_score_without_an_assessor_among_others_is_nobodys() -> None:
    rows = [*RATED, ("rating(aspect=overall)", "t1", "a", None, 9.0)]
    assert cells([*rows, *SCORED]).humans[0].assessors == (POOLED, "ann", "bob")


def test_some_of_the_cells() -> None:
    found = cells([*RATED, *SCORED]).take(systems=[1, 0])
    assert found.systems == ("b", "a")
    np.testing.assert_array_equal(found.people[:, 1], [[5.5, 3.5]])
    np.testing.assert_array_equal(found.humans[0].by_assessor[:, 1], [[5, 3], [6, 4]])


def test_machines_only() -> None:
    scores = scores_of(frame([*RATED, *SCORED]), human="b")
    assert cells_of(scores).has_humans
    assert cells_of(scores).among("machines").systems == ("a",)
    assert cells_of(scores).among("humans").systems == ("b",)
    with pytest.raises(UsageError, match="is human"):
        cells([*RATED, *SCORED]).among("humans")


def test_a_topic_at_every_length() -> None:
    rows = pd.concat(
        [frame([*RATED, *SCORED[:3]]).assign(length=length) for length in (50, 100)], ignore_index=True
    )
    with pytest.raises(UsageError, match="several lengths"):
        cells_of(scores_of(rows))
    found = cells_of(scores_of(rows), length="all")
    assert found.topics == ("t1 @ 50", "t1 @ 100", "t2 @ 50", "t2 @ 100")
    assert found.clusters == ("t1", "t1", "t2", "t2")
    np.testing.assert_array_equal(found.humans[0].by_assessor[0, :, 0], [1, 1, 3, 3])


def test_a_measure_of_one_length_stands_beside_those_of_several() -> None:
    rated = frame(RATED).assign(length=100)
    scored = pd.concat([frame(SCORED[:3]).assign(length=length) for length in (50, 100)])
    found = cells_of(scores_of(pd.concat([rated, scored], ignore_index=True)), length="all")
    assert found.topics == ("t1 @ 100", "t2 @ 100")
    np.testing.assert_array_equal(found.people[0], [[1.5, 2.5], [3.5, 5.5]])
    np.testing.assert_array_equal(found.humans[0].by_assessor[1], [[2, 3], [4, 6]])
    np.testing.assert_array_equal(found.automatic[0], [[0.1, 0.2], [0.3, np.nan]])
