"""Which topics texts such as `task=multi` mean."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approving import Approved

from adjudge.core.errors import UsageError
from adjudge.data.choosing import choose_topics
from adjudge.data.rows import Topic

ROWS: list[dict[str, Any]] = [
    {"topic": "d01", "task": "single", "type": "1", "year": 2001, "tags": ["war", "sport"]},
    {"topic": "d02", "task": "multi", "type": "2", "year": 2002.0, "hard": True},
    {"topic": "d03", "task": "multi", "type": "3", "year": 2002, "title": "Bonn, Berlin", "hard": False},
    {"topic": "d4,5", "type": "3", "tags": ["war"], "about": {"a": 1}},
]
TOPICS = {str(row["topic"]): Topic.parse(row) for row in ROWS}


def chosen(*asked: str) -> list[str]:
    return sorted(choose_topics(TOPICS, asked, "eval").topics)


@pytest.mark.parametrize(
    ("asked", "topics"),
    [
        (["task=multi"], ["d02", "d03"]),
        (["TASK=Multi"], ["d02", "d03"]),
        (["type=1,3"], ["d01", "d03", "d4,5"]),
        (["type=1", "type=3"], ["d01", "d03", "d4,5"]),
        (["type=3,task=multi"], ["d03"]),
        (["type=3", "task=multi"], ["d03"]),
        (["year=2002"], ["d02", "d03"]),
        (["hard=true"], ["d02"]),
        (["tags=war"], ["d01", "d4,5"]),
        (["title=Bonn, Berlin"], ["d03"]),
        (["d01,d02"], ["d01", "d02"]),
        (["d01", "D02"], ["d01", "d02"]),
        (["d0*"], ["d01", "d02", "d03"]),
        (["d0*,type=3"], ["d03"]),
        (["d4,5"], ["d4,5"]),
        (["topic=d01"], ["d01"]),
    ],
)
def test_conditions_name_topics(asked: list[str], topics: list[str]) -> None:
    assert chosen(*asked) == topics


@pytest.mark.parametrize(
    "asked",
    [
        "tsk=multi",
        "task=mult",
        "d9",
        "type=1,9",
        "task=",
        "=x",
        "about=1",
        "type=1,task=multi",
        ",",
        "set=s1",
    ],
)
def test_what_cannot_be_meant_is_refused(asked: str, approved: Approved) -> None:
    with pytest.raises(UsageError) as error:
        chosen(asked)
    approved(str(error.value))


def test_a_choice_says_what_it_is() -> None:
    choice = choose_topics(TOPICS, ["d0*", "type=1,3"], "eval")
    assert str(choice) == "topics d01, d02 and d03 with type=1,3"
    assert choice.signature == "topics:d01,d02,d03+type=1,3"


values = st.sampled_from(["a", "b", "c"])


@given(
    st.lists(st.tuples(values, values), min_size=1, max_size=8),
    st.sets(values, min_size=1),
    st.sets(values, min_size=1),
)
def test_values_of_a_column_are_alternatives_and_columns_all_hold(
    pairs: list[tuple[str, str]], sets: set[str], types: set[str]
) -> None:
    topics = {f"t{k}": Topic(f"t{k}", set=s, type=t) for k, (s, t) in enumerate(pairs)}
    expected = {f"t{k}" for k, (s, t) in enumerate(pairs) if s in sets and t in types}
    there = sets <= {s for s, _ in pairs} and types <= {t for _, t in pairs}
    asked = [f"set={','.join(sorted(sets))}", f"type={','.join(sorted(types))}"]
    if there and expected:
        assert choose_topics(topics, asked, "eval").topics == expected
    else:
        with pytest.raises(UsageError):
            choose_topics(topics, asked, "eval")
