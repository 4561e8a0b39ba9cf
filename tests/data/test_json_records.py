"""JSON that is not one value a line."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import FormatError
from adjudge.data.json_records import inside, whole_records
from adjudge.data.lines import MAX_LINE


def records(path: Path, max_line: int = MAX_LINE) -> list[tuple[int, Any]] | None:
    found = whole_records(path, max_line=max_line, encoding="utf-8")
    return None if found is None else list(found)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=3), max_size=5), st.sampled_from([None, 0, 2]))
def test_an_array_is_read_as_json_reads_it(
    tmp_path: Path, rows: list[dict[str, Any]], indent: int | None
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows, indent=indent), encoding="utf-8")
    assert records(path) == list(enumerate(rows, 1))


def test_records_longer_than_what_is_read_at_a_time(tmp_path: Path) -> None:
    rows = [{"text": "x" * size} for size in (10, 70_000, 300_000, 3)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert records(path) == list(enumerate(rows, 1))
    with pytest.raises(FormatError, match="a.json:2: the record is longer than 60,000 characters"):
        records(path, max_line=60_000)


def test_an_array_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("w", encoding="utf-8") as out:
        out.write("[")
        out.writelines(f'{{"n": {n}, "text": "{"x" * 1000}"}},\n' for n in range(20_000))
        out.write('{"n": -1}]')
    tracemalloc.start()
    count = sum(1 for _ in whole_records(path, max_line=MAX_LINE, encoding="utf-8") or ())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_001
    assert peak < 2_000_000  # of 20 MB


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}\n{"a": 2}\n', None),
        ('{"a": 1}', None),
        ('{\n "a": 1\n}\n{\n "a": 2\n}\n', [{"a": 1}, {"a": 2}]),
        ('{"x": {"0": 1, "1": 2}, "y": {"0": 3, "1": 4}}', [{"x": 1, "y": 3}, {"x": 2, "y": 4}]),
        ('{"x": [1, 2], "y": [3, 4]}', [{"x": 1, "y": 3}, {"x": 2, "y": 4}]),
        ('{"version": 1, "data": [{"a": 1}]}', [{"a": 1}]),
        ('{"rows": [{"row_idx": 0, "row": {"a": 1}}]}', [{"a": 1}]),
        ('{"x": [1, 2], "y": [3]}', None),
        ('{"documents": [{"id": "x"}], "topic": "d1"}', None),
        ("not json", None),
        ("", None),
    ],
)
def test_what_a_file_of_one_object_holds(tmp_path: Path, text: str, expected: list[Any] | None) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    assert records(path) == (None if expected is None else list(enumerate(expected, 1)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"a": 1}', "a.json: not JSON: the file ends where a list goes on or ends, after record 1"),
        ('[{"a": 1} {"a": 2}]', 'a.json: not JSON: "{" follows where a list goes on or ends, after record 1'),
        ('[{"a": 1}, {"a": ]', "a.json:2: not JSON"),
        ('[{"a": 1},]', "a.json:2: not JSON"),
        ('[{"a": 1}] x', "a.json: not JSON: something follows the list of 1 records"),
        ('[{"a": 1, "a": 2}]', 'a.json:1: "a" stands twice in one object'),
        ('[{"a": NaN}]', "a.json:1: NaN is not a JSON number"),
        ("[1, 2]", "a.json:1: the line is a list, expected one JSON object a line, or a list of objects"),
    ],
)
def test_an_array_that_is_wrong_says_where(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as error:
        records(path)
    assert expected in str(error.value)


def test_bytes_that_are_not_utf_8_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"a": "caf\xe9"}]')
    with pytest.raises(FormatError, match="a.json: not utf-8"):
        records(path)


def test_a_record_is_no_table() -> None:
    assert inside({"topic": "d1", "references": ["a", "b"]}) is None
    assert inside({"outputs": {"a": "x"}}) is None
