"""Rows read and write back exactly, and say in one line what is wrong."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import FormatError
from adjudge.data.rows import ROWS, Document, Row, Summary, System, Topic, Unit
from adjudge.data.target import FORMS, Target

names = st.text(min_size=1, max_size=12).filter(lambda s: s == s.strip() and s.isprintable())
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
extras = st.dictionaries(st.sampled_from(["note", "x", "url"]), values, max_size=2)
lengths = st.none() | st.integers(1, 10**6)
forms = st.none() | st.sampled_from(FORMS)
maybe = st.none() | names

summaries = st.builds(
    Summary,
    names,
    names,
    texts,
    lengths,
    st.sampled_from([("peer",), ("reference",), ("peer", "reference")]),
    maybe,
    st.none() | texts,
    form=forms,
    extra=extras,
)
rows = st.one_of(
    summaries,
    st.builds(Topic, names, maybe, maybe, st.sampled_from([None, "single", "multi"]), maybe, extra=extras),
    st.builds(System, names, st.sampled_from([None, "human", "machine", "baseline"]), extra=extras),
    st.builds(Document, names, names, texts, maybe, extra=extras),
    st.builds(
        Unit,
        names,
        names,
        st.sampled_from(["sentence", "edu"]),
        names,
        st.integers(0, 9),
        st.integers(0, 99),
        texts,
        lengths,
        st.booleans(),
        form=forms,
        extra=extras,
    ),
)


@given(rows)
def test_a_row_survives_json_exactly(row: Row) -> None:
    assert type(row).parse(json.loads(json.dumps(row.as_dict()))) == row


@given(
    st.sampled_from(ROWS),
    st.dictionaries(
        st.sampled_from(
            [
                "topic",
                "system",
                "length",
                "form",
                "roles",
                "text",
                "id",
                "kind",
                "start",
                "end",
                "edited",
                "date",
                "task",
            ]
        ),
        values,
    ),
)
def test_anything_else_is_a_row_or_one_clear_line(kind: type[Row], data: dict[str, Any]) -> None:
    try:
        row = kind.parse(data)
    except FormatError as error:
        assert "\n" not in str(error)
    else:
        assert kind.parse(row.as_dict()) == row


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        (Summary, {"topic": "t", "system": "s"}, 'no "text"'),
        (Summary, {"topic": "", "system": "s", "text": ""}, '"topic" is "", expected 1 to 200'),
        (Summary, {"topic": "t", "system": "s", "text": 3}, '"text" is a number, expected a text'),
        (Summary, {"topic": "t", "system": "s", "text": "", "length": "100"}, '"length" is "100"'),
        (Summary, {"topic": "t", "system": "s", "text": "", "length": True}, '"length" is "True"'),
        (Summary, {"topic": "t", "system": "s", "text": "", "roles": ["judge"]}, 'expected ["peer"]'),
        (Summary, {"topic": "t", "system": "s", "text": "\ud83d"}, "half of a surrogate pair"),
        (Summary, {"topic": "t", "system": "s", "text": "", "x": math.inf}, 'a value among "x" cannot'),
        (Summary, {"topic": "t", "system": "s", "text": "", "x": "\ud83d"}, 'a value among "x" cannot be'),
        (Summary, {"topic": "t", "system": "s", "text": "", "length": 10**20}, "expected a number of words"),
        (Summary, ["t"], "a line is a list, expected an object"),
        (System, {"system": "s", "kind": "robot"}, "expected one of: machine, baseline, human"),
        (Topic, {"topic": "a\nb"}, "control character"),
        (
            Unit,
            {"topic": "t", "system": "s", "kind": "edu", "id": "1", "start": -1, "end": 0, "text": ""},
            '"start" is "-1"',
        ),
    ],
)
def test_a_mistake_says_what_was_expected(kind: type[Row], data: Any, said: str) -> None:
    with pytest.raises(FormatError) as error:
        kind.parse(data)
    assert said in str(error.value)


def test_a_number_serves_as_a_name() -> None:
    assert Summary.parse({"topic": 7, "system": 12, "text": "x"}).key == ("7", "12", Target())


def test_roles_are_put_in_order() -> None:
    row = Summary.parse({"topic": "t", "system": "s", "text": "", "roles": ["reference", "peer"]})
    assert row.roles == ("peer", "reference")
    assert row.is_peer
    assert row.is_reference


def test_rows_of_one_key_add_up_or_contradict() -> None:
    known, more = Topic("t", title="A"), Topic("t", type="event")
    assert known.contradicts(more) is None
    assert known.fill(more) == Topic("t", title="A", type="event")
    assert known.contradicts(Topic("t", title="B")) == "title"


@pytest.mark.parametrize("name", ["cost", "latency", "size"])
@pytest.mark.parametrize("value", [-1, "2", True, float("nan"), float("inf"), [1]])
def test_amounts_of_a_system_are_numbers(name: str, value: object) -> None:
    with pytest.raises(FormatError, match=f'"{name}" is .*, expected a number, 0 or more'):
        System.parse({"system": "a", name: value})


def test_what_a_system_takes_is_written_where_it_is_stated() -> None:
    row = {"system": "a", "kind": "machine", "label": None, "group": None}
    assert System.parse(row).as_dict() == row
    stated = {**row, "cost": 1.5, "currency": "USD", "latency": 0, "size": 7e9}
    assert System.parse(stated).as_dict() == stated
    assert System.parse(stated).extra == {}
