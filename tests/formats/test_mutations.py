"""Valid files, broken at random: they import, or end in one line and an evaluation as it was."""

from __future__ import annotations

import gzip
import json
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.data.incoming import ImportReport, Item
from adjudge.errors import AdjudgeError
from adjudge.formats import duc, jsonl, sacrerouge, scoretable, summeval, table

from .shapes import Attempt, lines

Read = Callable[[list[Path]], Iterator[Item]]

LONG = [
    {
        "topic": f"d{n}",
        "system": "lead",
        "text": f"Text {n}.",
        "length": 100,
        "role": "peer",
        "kind": "machine",
        "title": "T",
        "task": "single",
        "date": "1990-01-01",
        "author": "x",
        "references": ["R1", "R2"],
        "documents": [{"id": "1", "date": "1990-01-01", "text": "S"}, "S2"],
    }
    for n in range(3)
]
WIDE = [{"id": n, "summary:a": "A", "summary:b": "B", "reference:C": "C", "article": "S"} for n in range(3)]
SUMMEVAL = [
    {
        "id": f"cnn-{n}",
        "model_id": "M8",
        "decoded": "D.",
        "text": "S.",
        "references": ["R1", "R2"],
        "expert_annotations": [{"coherence": 1}],
        "turker_annotations": [{"coherence": 5}],
    }
    for n in range(3)
]
SACREROUGE: list[Any] = [
    {
        "instance_id": f"d{n}",
        "summarizer_id": "17",
        "summarizer_type": "peer",
        "summary": {"text": ["One.", "Two."]},
        "references": [{"summarizer_id": "A", "text": "R"}],
        "documents": [{"filename": "f", "text": "S"}],
        "metrics": {"rouge-1": {"recall": 0.5}},
    }
    for n in range(3)
]
CSV = (
    "topic,system,summary,length,role,reference\r\n"
    'd1,lead,"One, two.",100,peer,R\r\n'
    "d2,lead,Three.,,both,\r\n"
)
SCORES = "system,topic,measure,value,length,assessor,kind\nlead,d1,m,0.5,100,ann,machine\nlead,d2,m,,100,,\n"
MATRIX = "topic,lead,lsa\nd1,0.5,1\nd2,nan,-1e-3\n"
SGML = "".join(
    f"<DOC>\n<DOCNO> AP88091{n}-0016 </DOCNO>\n<DATE>June {n}, 1990</DATE><HEAD>H &AMP; x</HEAD>\n"
    f"<TEXT>\n<P>\nText &LR; {n}.\n</P>\n</TEXT>\n</DOC>\n"
    for n in range(1, 4)
)
SEE = '<html><body>\n<a name="1">[1]</a> <a href="#1" id=1>One &amp; two.</a>\n</body></html>\n'

FILES: dict[str, tuple[str, str, Read]] = {
    "long": ("a.jsonl", lines(*LONG), jsonl.read),
    "wide": ("a.jsonl", lines(*WIDE), jsonl.read),
    "summeval": ("a.jsonl", lines(*SUMMEVAL), summeval.read),
    "sacrerouge": ("a.jsonl", lines(*SACREROUGE), sacrerouge.read),
    "csv": ("a.csv", CSV, table.read),
    "scores": ("a.csv", SCORES, scoretable.read),
    "matrix": ("a.csv", MATRIX, scoretable.read),
    "documents": ("AP88", SGML, duc.read),
    "summary": ("D0601.M.250.A.17", SEE, duc.read),
}
RECORDS: dict[str, tuple[list[Any], Read]] = {
    "long": (LONG, jsonl.read),
    "wide": (WIDE, jsonl.read),
    "summeval": (SUMMEVAL, summeval.read),
    "sacrerouge": (SACREROUGE, sacrerouge.read),
}
SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def run(attempt: Attempt, name: str, content: bytes, read: Read) -> ImportReport | AdjudgeError:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "topic" / name
        path.parent.mkdir()
        path.write_bytes(content)
        return attempt(Path(folder) / "my-eval", read([path]))


@st.composite
def broken(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with bytes flipped, put in or cut out, and lines shuffled or repeated."""
    for how in draw(
        st.lists(st.sampled_from(["flip", "insert", "cut", "drop", "lines"]), min_size=1, max_size=4)
    ):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        if how == "flip":
            content = content[:at] + bytes([draw(st.integers(0, 255))]) + content[at + 1 :]
        elif how == "insert":
            content = content[:at] + draw(st.binary(max_size=4) | JUNK) + content[at:]
        elif how == "cut":
            content = content[:at]
        elif how == "drop":
            content = content[:at] + content[at + draw(st.integers(1, 20)) :]
        else:
            parts = content.splitlines(keepends=True)
            content = b"".join(draw(st.lists(st.sampled_from(parts), max_size=8)) if parts else [])
    return content


JUNK = st.sampled_from(
    [
        b'"',
        b"\n",
        b"\r",
        b"\0",
        b"{",
        b"]",
        b",",
        b"<",
        b">",
        b"&",
        b"<DOC>",
        b"</DOC>",
        b"<!--",
        b"\xed\xa0\x80",
        b"\\ud83d",
        b"\xe2\x80\xa8",
        b"<TEXT>",
        b"<a id=1>",
        b"\x1b",
        b"\xc2\x85",
        b"NaN",
        b"1e999",
        b"&#0;",
    ]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()), max_size=5)
    | st.sampled_from([10**400, "peer", "both", "human", "x" * 300]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


def paths_of(value: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside a value."""
    yield ()
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield from ((key, *rest) for rest in paths_of(each))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("case", FILES)
def test_the_files_are_valid_before_they_are_broken(attempt: Attempt, case: str) -> None:
    name, content, read = FILES[case]
    report = run(attempt, name, content.encode(), read)
    assert isinstance(report, ImportReport)
    assert report.added or report.scores


@pytest.mark.parametrize("case", FILES)
@SETTINGS
@given(data=st.data())
def test_broken_bytes(attempt: Attempt, case: str, data: st.DataObject) -> None:
    name, content, read = FILES[case]
    result = run(attempt, name, data.draw(broken(content.encode())), read)
    assert isinstance(result, ImportReport | AdjudgeError)


@pytest.mark.parametrize("case", FILES)
@SETTINGS
@given(data=st.data())
def test_broken_archives(attempt: Attempt, case: str, data: st.DataObject) -> None:
    name, content, read = FILES[case]
    packed = data.draw(broken(gzip.compress(content.encode(), mtime=0)))
    result = run(attempt, f"{name}.gz", packed, read)
    assert isinstance(result, ImportReport | AdjudgeError)


@pytest.mark.parametrize("case", RECORDS)
@SETTINGS
@given(data=st.data())
def test_other_values_in_fields(attempt: Attempt, case: str, data: st.DataObject) -> None:
    records, read = RECORDS[case]
    changed: Any = records
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([p for p in paths_of(changed) if p]))
        changed = replaced(changed, path, data.draw(JSON))
    text = "".join(json.dumps(record) + "\n" for record in changed)
    result = run(attempt, "a.jsonl", text.encode(), read)
    assert isinstance(result, ImportReport | AdjudgeError)


@pytest.mark.parametrize("depth", range(940, 1000, 10))
@pytest.mark.parametrize("case", RECORDS)
def test_values_nested_as_deep_as_can_be_read(attempt: Attempt, case: str, depth: int) -> None:
    records, read = RECORDS[case]
    for key in records[0]:
        text = json.dumps({**records[0], key: "DEEP"}).replace('"DEEP"', "[" * depth + "]" * depth)
        result = run(attempt, "a.jsonl", text.encode(), read)
        assert isinstance(result, ImportReport | AdjudgeError)


@pytest.mark.parametrize(
    "case", ["long", "wide", "summeval", "sacrerouge", "csv", "scores", "matrix", "documents"]
)
def test_memory_does_not_grow_with_the_file(case: str, tmp_path: Path) -> None:
    name, content, read = FILES[case]
    header = content.splitlines(keepends=True)[0] if name.endswith(".csv") else ""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert list(read([path]))  # what is loaded when a format is first read stays, and does not count
    path.write_text(header + content.removeprefix(header) * (300_000 // len(content)), encoding="utf-8")
    tracemalloc.start()
    count = sum(1 for _ in read([path]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count > 1_000
    assert peak < 150_000  # half of the file
