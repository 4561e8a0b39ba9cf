"""Records out and in: nothing is lost, all or nothing comes in, and pseudonyms leave no name behind."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.judgments.making import Clock, a_task, an_event, fill

from adjudge.core.errors import AdjudgeError, ClashError, DataError, FormatError
from adjudge.judgments.store.people import Person
from adjudge.judgments.store.records import Disguise, RecordCounts, read_records, records, write_records
from adjudge.judgments.store.store import Store, open_store


@pytest.fixture
def full(store: Store, tmp_path: Path) -> tuple[Store, Path]:
    """A store with some of everything, and its export."""
    fill(store)
    assert write_records(store, tmp_path / "out.jsonl") == RecordCounts(people=3, tasks=3, events=8)
    return store, tmp_path / "out.jsonl"


@pytest.fixture
def empty(tmp_path: Path, evaluation: str, clock: Clock) -> Store:
    """A store without anything, for the same evaluation, elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    return open_store(tmp_path / "elsewhere", evaluation, clock=clock)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write_lines(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_nothing_is_lost_on_the_way_out_and_in(
    full: tuple[Store, Path], empty: Store, tmp_path: Path
) -> None:
    store, path = full
    with empty:
        assert read_records(empty, path) == RecordCounts(people=3, tasks=3, events=8)
        write_records(empty, tmp_path / "again.jsonl")
        assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
        assert empty.current() == store.current()
        assert empty.people.all() == store.people.all()
        assert empty.append([an_event(empty, 1)])[0].seq == 9
        again = next(iter(store.events(after=2)))
        assert empty.append([again])[0] == store.append([again])[0]  # first acknowledgements come along


def test_the_same_file_again_changes_nothing(full: tuple[Store, Path]) -> None:
    store, path = full
    before = list(records(store))
    assert read_records(store, path) == RecordCounts()
    assert list(records(store)) == before
    assert read_records(store, path) == RecordCounts()


def test_a_longer_file_adds_what_is_new(full: tuple[Store, Path], empty: Store, tmp_path: Path) -> None:
    store, path = full
    with empty:
        read_records(empty, path)
        store.append([an_event(store, "late")])
        store.add_tasks([a_task(store, "t9", assessor="dan")])
        write_records(store, path)
        assert read_records(empty, path) == RecordCounts(people=1, tasks=1, events=1)
        assert list(records(empty)) == list(records(store))


def test_one_state_is_written_while_others_write(full: tuple[Store, Path]) -> None:
    store, _ = full
    stream = records(store)
    first = [next(stream) for _ in range(5)]
    store.append([an_event(store, "meanwhile")])
    store.people.add("eve")
    assert len(first + list(stream)) == 1 + 3 + 3 + 8


@pytest.mark.parametrize(
    ("kind", "change", "error", "why"),
    [
        (
            "event",
            {"answer": "other"},
            ClashError,
            r'event ".*": the id was sent before with other content \(answer\)',
        ),
        (
            "event",
            {"id": "new"},
            ClashError,
            'event "new": its seq 8 is not above 8.*import the file with merge=True',
        ),
        ("event", {"task": "none", "id": "new", "seq": 99}, DataError, 'no task "none"'),
        ("event", {"assessor": "eve", "id": "new", "seq": 99}, DataError, 'no person "eve"'),
        (
            "event",
            {"evaluation": "x"},
            DataError,
            'of the evaluation "x", and this is "test-.*with merge=True',
        ),
        ("event", {"origin": "alien"}, FormatError, '"origin" is "alien", expected one of'),
        ("event", {"took_ms": "long"}, FormatError, '"took_ms" is "long", expected a whole number'),
        (
            "event",
            {"id": "new", "seq": 2**60},
            FormatError,
            '"seq" is "1152921504606846976", expected a number from 1',
        ),
        ("event", {"newer": "?"}, FormatError, r'"newer" is "\?", expected a whole number'),
        ("event", {"qestion": 1}, FormatError, r'unknown field "qestion" \(nearest: "question"\)'),
        ("event", {"question": ...}, FormatError, 'no "question"'),
        ("task", {"topic": "D9"}, ClashError, r'task "t3": is here already with other content \(topic\)'),
        ("task", {"peer": "sys"}, FormatError, '"sys" stands where an object was expected'),
        ("task", {"peer": {"length": 3}}, FormatError, 'no "system"'),
        ("task", {"lease_by": 7}, FormatError, '"lease_by" is "7", expected a text'),
        ("task", {"id": "t8", "assessor": "p-one"}, ClashError, '"p-one" stands for "ann" already'),
        ("person", {"name": "Eve"}, ClashError, "is here already, and not the same"),
        ("person", {"id": "eve"}, ClashError, 'person "eve": "p-two" stands for "bob" already'),
        ("person", {"pseudonym": ""}, FormatError, '"pseudonym" is ""'),
        ("judgments", {"format": 2}, FormatError, 'format "2" is not known, expected 1'),
        (
            "judgments",
            {"kind": "other"},
            FormatError,
            '"kind" is "other", expected one of: judgments, protocol, person',
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_contradicts_is_refused_whole_with_its_line(
    full: tuple[Store, Path],
    tmp_path: Path,
    kind: str,
    change: dict[str, Any],
    error: type[Exception],
    why: str,
) -> None:
    store, path = full
    before = list(records(store))
    lines = lines_of(path)
    at = max(n for n, line in enumerate(lines) if line["kind"] == kind)
    changed = {name: value for name, value in (lines[at] | change).items() if value is not ...}
    new = {**lines[at], "kind": "person", "id": "new", "pseudonym": "new", "name": None, "erased": None}
    fresh = {name: new[name] for name in ("kind", "id", "name", "pseudonym", "erased")}
    wrong = write_lines(tmp_path / "wrong.jsonl", [lines[0], fresh, *lines[1:at], changed])
    if at == 0:
        wrong = write_lines(tmp_path / "wrong.jsonl", [fresh, changed])
    with pytest.raises(error, match=why) as caught:
        read_records(store, wrong)
    line = len(wrong.read_text().splitlines())
    assert str(caught.value).startswith(f"{wrong}:{line}: ")
    assert "\n" not in str(caught.value)
    assert list(records(store)) == before


@pytest.mark.parametrize("text", ["{", "[1]", "7", '{"kind": "event"', "\xff"])
def test_what_is_not_a_record_is_refused(store: Store, tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b'{"kind": "person", "id": "ann"}\n' + text.encode("latin-1"))
    with pytest.raises(FormatError, match=r"bad\.jsonl:2: "):
        read_records(store, path)
    assert store.people.all() == []


def test_an_orphan_is_refused_and_order_within_tasks_is_free(store: Store, tmp_path: Path) -> None:
    def task(id: str, repeat_of: str | None = None) -> dict[str, Any]:
        line = {"kind": "task", "id": id, "assessor": "ann", "protocol": "p", "version": "1", "topic": "D1"}
        return line | {"repeat_of": repeat_of}

    path = write_lines(tmp_path / "tasks.jsonl", [task("b", "a")])
    with pytest.raises(DataError, match='task "b": repeats "a", which is not there'):
        read_records(store, path)
    write_lines(path, [task("b", "a"), *(task(f"x{n}") for n in range(600)), task("a")])
    assert read_records(store, path) == RecordCounts(people=0, tasks=602, events=0)
    assert store.task("b").evaluation == store.evaluation


def test_records_written_by_hand_need_little(store: Store, tmp_path: Path) -> None:
    task = {
        "kind": "task",
        "id": "t1",
        "assessor": "ann",
        "protocol": "rating",
        "version": "1",
        "topic": "D1",
    }
    event = {
        "kind": "event",
        "task": "t1",
        "assessor": "ann",
        "question": "rating:fluency",
        "answer": {"value": 4},
    }
    path = write_lines(
        tmp_path / "hand.jsonl", [task, event | {"id": "e1"}, event | {"id": "e2", "base": None}]
    )
    assert read_records(store, path) == RecordCounts(people=0, tasks=1, events=2)
    assert [(e.seq, e.origin, e.received_at) for e in store.events()] == [
        (1, "human", "2024-05-01T12:00:00.000000Z"),
        (2, "human", "2024-05-01T12:00:00.000000Z"),
    ]
    assert [r["newer"] for r in records(store) if r["kind"] == "event"] == [None, 1]


def test_another_store_is_merged(full: tuple[Store, Path], where: Path | str, clock: Clock) -> None:
    store, path = full
    with open_store(where, f"{store.evaluation}-target", clock=clock) as target:
        target.people.add("ann", "Anna")
        target.add_tasks([a_task(target, "mine")])
        target.append([an_event(target, "mine", task="mine")])
        with pytest.raises(ClashError, match='person "ann": is here already, and not the same'):
            read_records(target, path)
        assert read_records(target, path, merge=True) == RecordCounts(people=2, tasks=3, events=8)
        assert target.people.get("ann").name == "Anna"
        events = list(target.events())
        assert [e.seq for e in events] == list(range(1, 10))
        assert {e.base for e in events} == {None}
        assert [(e.id, e.answer) for e in events[1:]] == [(e.id, e.answer) for e in store.events()]
        assert {j.task.id for j in target.current()} == {"mine", "t1", "t3"}
        assert read_records(target, path, merge=True) == RecordCounts()
        assert target.last_seq() == 9


def test_pseudonyms_leave_no_name_behind(full: tuple[Store, Path], empty: Store, tmp_path: Path) -> None:
    store, plain = full
    hidden = tmp_path / "hidden.jsonl"
    write_records(store, hidden, pseudonyms=True)
    text = hidden.read_text(encoding="utf-8").lower()
    for word in ("ann", "öster", "bob", "o'neil", "cem", "laptop"):
        assert word in plain.read_text(encoding="utf-8").lower()
        assert word not in text
    lines = lines_of(hidden)
    assert [line["assessor"] for line in lines if line["kind"] == "task"] == ["p-one", "p-one", "p-two"]
    assert [line["lease_by"] for line in lines if line["kind"] == "task"] == [None, "p-three", None]
    (comment,) = (line["answer"]["text"] for line in lines if line.get("question") == "comment")
    assert comment == "As p-two said: \u2028 “naïve”, 😀, \ud800, \x00 and p-one"
    assert {line["client"] for line in lines if line["kind"] == "event"} == {None, "client-1"}

    def bare(line: dict[str, Any]) -> dict[str, Any]:
        return {
            k: v
            for k, v in line.items()
            if k not in ("id", "name", "assessor", "lease_by", "client", "answer")
        }

    people = [line for line in lines if line["kind"] == "person"]
    assert people == [
        {"kind": "person", "id": p, "name": None, "pseudonym": p, "erased": None}
        for p in ("p-one", "p-three", "p-two")
    ]
    assert [bare(line) for line in lines] == [bare(line) for line in lines_of(plain)]
    write_records(store, tmp_path / "later.jsonl", pseudonyms=True)
    assert (tmp_path / "later.jsonl").read_bytes() == hidden.read_bytes()
    with empty:
        assert read_records(empty, hidden) == RecordCounts(people=3, tasks=3, events=8)
    with pytest.raises(AdjudgeError):
        read_records(store, hidden)


def test_words_that_name_people_are_replaced_in_free_text_only() -> None:
    people = [Person("A", "Mary-Jo Weiß", "p-1"), Person("bob", None, "p-2"), Person("c.d+", "X", "p-3")]
    hide = Disguise.of(people, [])

    def event(question: str, text: str) -> str:
        record = {
            "kind": "event",
            "assessor": "bob",
            "client": None,
            "question": question,
            "answer": {"text": [text]},
        }
        answer: dict[str, list[str]] = hide.record(record)["answer"]
        return answer["text"][0]

    assert event("comment", "A text") == "A text"  # too short to be surely a name
    assert event("comment", "MARY-JO WEISS? mary-jo weiß; Weiß!") == "p-1-JO WEISS? p-1; p-1!"
    assert event("flag", "bob, bobby and c.d+") == "p-2, bobby and p-3"
    assert event("unit:bob", "bob") == "bob"  # what is no free text stays
    assert Disguise.of([], []).record({"kind": "judgments"}) == {"kind": "judgments"}


def test_an_export_appears_only_when_it_is_whole(
    full: tuple[Store, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, path = full
    before = path.read_bytes()

    def failing(self: object, record: object) -> object:
        raise RuntimeError("half way")

    monkeypatch.setattr(Disguise, "record", failing)
    with pytest.raises(RuntimeError, match="half way"):
        write_records(store, path, pseudonyms=True)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.glob(".*")] == []
    with pytest.raises(DataError, match=r"nowhere/x\.jsonl: cannot be written: No such file"):
        write_records(store, tmp_path / "nowhere" / "x.jsonl")


def peak_of(call: Callable[[], object]) -> int:
    """The most memory, in bytes, that Python held at once during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(where: Path | str, evaluation: str, tmp_path: Path) -> None:
    """Four times the events take hardly more memory; held at once, 14 MB more would be seen."""
    task = {"kind": "task", "id": "t1", "assessor": "ann", "protocol": "p", "version": "1", "topic": "D1"}
    event = {"kind": "event", "task": "t1", "assessor": "ann", "answer": {"text": "x" * 8000}}
    peaks = []
    for n in (600, 2_400):
        name = f"{evaluation}-{n}"
        lines = [task, *(event | {"id": f"e{k}", "question": f"q{k % 50}"} for k in range(n))]
        file = write_lines(tmp_path / f"{n}.jsonl", lines)
        del lines
        with open_store(where, name) as target:
            peaks.append(peak_of(partial(read_records, target, file)))
            peaks.append(peak_of(partial(write_records, target, tmp_path / "out.jsonl", pseudonyms=True)))
            assert len(lines_of(tmp_path / "out.jsonl")) == n + 3
    assert peaks[2] - peaks[0] < 3_000_000
    assert peaks[3] - peaks[1] < 3_000_000
