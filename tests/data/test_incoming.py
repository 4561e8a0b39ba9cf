"""Imports: all or nothing, clashes named, memory that does not grow, old lines left alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.core.errors import ClashError, DataError, FormatError, UsageError
from adjudge.core.phrases import spoken
from adjudge.data.incoming import Incoming, Item, LeftOut, OnClash, take_all
from adjudge.data.rows import Document, Row, Summary, System, Topic
from adjudge.data.scores import MeasureInfo, Score
from adjudge.data.transaction import Transaction
from adjudge.evaluation import Evaluation

Snapshot = Callable[[Path], dict[str, bytes]]
Make = Callable[..., Evaluation]

names = st.sampled_from(["a", "b", "c"])
summaries = st.builds(Summary, names, names, st.text("xy. ", max_size=5), st.sampled_from([None, 50, 100]))


def items(*rows: Row | Score | MeasureInfo | LeftOut) -> Iterator[Item]:
    return ((f"in:{k}", row) for k, row in enumerate(rows, 1))


def test_rows_come_back_exactly(make: Make) -> None:
    rows = [
        Topic("t", title="Ünï", extra={"url": "x"}),
        System("s", kind="machine"),
        Document("t", "d", "Text\u2028 with\nlines.", "2024-01-01", extra={"headline": "H"}),
        Summary("t", "s", "", 100, ("peer", "reference"), "ann", "wrong input", extra={"k": [1, None]}),
    ]
    folder = make(*rows).folder
    assert [row for kind in (Topic, System, Document, Summary) for _, row in folder.rows(kind)] == rows


@given(st.lists(summaries, max_size=12, unique_by=lambda s: s.key))
def test_any_summaries_round_trip_in_order(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Summary]
) -> None:
    e = Evaluation.init(tmp_path_factory.mktemp("e") / "e")
    e.take(items(*rows))
    assert [row for _, row in e.folder.rows(Summary)] == rows


def test_other_content_is_refused_and_the_clash_is_named(make: Make, snapshot: Snapshot) -> None:
    e = make(Summary("t", "s", "One."), Summary("t", "r", "Two."))
    before = snapshot(e.path)
    with pytest.raises(ClashError) as error:
        e.take(items(Summary("t", "new", "Three."), Summary("t", "s", "1"), Summary("t", "r", "2")))
    assert f"2 items are already in {e.path} with other content" in str(error.value)
    assert 'first topic "t", system "s" at in:2' in str(error.value)
    assert 'on_clash="replace" takes the new ones, on_clash="skip" keeps the old ones' in str(error.value)
    assert "--replace takes the new ones, --skip keeps the old ones" in spoken(error.value.text, "command")
    assert snapshot(e.path) == before


def test_replace_takes_the_new_and_leaves_other_lines_byte_for_byte(make: Make) -> None:
    e = make(Summary("t", "s", "One."), Summary("t", "r", "Two."))
    path = e.path / "summaries.jsonl"
    odd = '\n  {"text":"By hand.", "system": "h", "topic": "t"}   \r\n\n'
    path.write_bytes(odd.encode() + path.read_bytes().rstrip(b"\n"))  # and no newline at the end
    report = e.take(items(Summary("t", "s", "New.")), on_clash="replace")
    assert report.replaced == {"summaries": 1}
    assert path.read_bytes().startswith(odd.encode())
    assert {(s.system, s.text) for _, s in e.folder.rows(Summary)} == {
        ("h", "By hand."),
        ("r", "Two."),
        ("s", "New."),
    }


def test_appending_leaves_the_old_bytes_alone(make: Make) -> None:
    e = make(Summary("t", "s", "One."))
    path = e.path / "summaries.jsonl"
    by_hand = b'{"text":"By hand.",   "system":"h","topic":"t"}'
    path.write_bytes(path.read_bytes() + by_hand)
    old = path.read_bytes()
    e.take(items(Summary("t", "z", "Z.")))
    assert path.read_bytes().startswith(old + b"\n")


def test_skip_keeps_the_old(make: Make) -> None:
    e = make(Summary("t", "s", "One."))
    report = e.take(items(Summary("t", "s", "New."), Summary("t", "r", "R.")), on_clash="skip")
    assert (report.skipped, report.added) == ({"summaries": 1}, {"summaries": 1})
    assert [s.text for _, s in e.folder.rows(Summary)] == ["One.", "R."]


def test_a_dry_run_says_and_changes_nothing(make: Make, snapshot: Snapshot) -> None:
    e = make(Summary("t", "s", "One."))
    before = snapshot(e.path)
    report = e.take(items(Summary("t", "r", "R.")), dry_run=True)
    assert list(report.lines()) == ["would add 1 summary"]
    assert snapshot(e.path) == before


def test_documents_and_references_may_come_again_if_they_are_the_same(make: Make) -> None:
    shared = [Document("t", "d", "Doc."), Summary("t", "ann", "Ref.", roles=("reference",))]
    e = make(*shared, Summary("t", "s", "One."))
    report = e.take(items(*shared, Summary("t", "r", "Two.")))
    assert report.same == {"documents": 1, "summaries": 1}
    with pytest.raises(ClashError, match='topic "t", id "d"'):
        e.take(items(Document("t", "d", "Other.")))


@pytest.mark.parametrize("on_clash", ["refuse", "skip", "replace"])
def test_the_same_rows_again_are_nothing_new(make: Make, snapshot: Snapshot, on_clash: OnClash) -> None:
    rows = (
        Topic("t", title="A"),
        System("s", kind="machine"),
        Document("t", "d", "Doc."),
        Summary("t", "s", "One."),
        MeasureInfo("imported:q"),
        Score("imported:q", "t", "s", 2.0),
        Score("imported:q", "u", "s", float("nan"), why="no text"),
    )
    e = make()
    assert e.take(items(*rows)).is_change
    before = snapshot(e.path)
    times = (e.path / "topics.jsonl").stat().st_mtime_ns
    report = e.take(items(*rows), on_clash=on_clash)
    assert (report.is_change, report.read) == (False, 6)
    assert report.same == {"documents": 1, "summaries": 1, "scores": 2}
    assert list(report.lines()) == ["already there, the same: 1 document, 1 summary, 2 scores", "nothing new"]
    assert snapshot(e.path) == before
    assert (e.path / "topics.jsonl").stat().st_mtime_ns == times, "no file is written"
    with pytest.raises(FormatError, match="a second score of imported:q"):
        e.take(items(*rows, rows[5]))
    report = e.take(items(Topic("t", type="event")))
    assert list(report.lines()) == ["completed: 1 topic"]


def test_an_evaluation_is_made_by_its_first_import(tmp_path: Path) -> None:
    path = tmp_path / "new" / "eval"
    with pytest.raises(DataError, match="no such folder"):
        adjudge.open(path)
    e = adjudge.open(path, create=True)
    assert e.take(items(Summary("t", "s", "One.")), dry_run=True).made
    assert e.take(items(LeftOut("no text"))).read == 0

    def broken() -> Iterator[Item]:
        yield from items(Summary("t", "s", "One."))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        e.take(broken())
    with pytest.raises(FormatError):
        e.take(("in:1", Topic.parse({})) for _ in "x")
    assert not (tmp_path / "new").exists(), "nothing is left behind"
    report = e.take(items(Summary("t", "s", "One.")))
    assert list(report.lines()) == [f"made the evaluation {path}", "added 1 summary"]
    assert [s.text for _, s in adjudge.open(path).folder.rows(Summary)] == ["One."]
    assert (path / "evaluation.toml").read_text(encoding="utf-8").count('name = "eval"') == 1
    assert not e.take(items(Summary("t", "r", "Two."))).made


def test_an_empty_folder_becomes_an_evaluation_and_others_do_not(tmp_path: Path) -> None:
    e = adjudge.open(tmp_path, create=True)
    with pytest.raises(FormatError):
        e.take(("in:1", Topic.parse({})) for _ in "x")
    assert list(tmp_path.iterdir()) == [], "the folder stays, and stays empty"
    e.take(items(Summary("t", "s", "One.")))
    other = tmp_path / "other"
    (other / "photos").mkdir(parents=True)
    with pytest.raises(DataError, match="no evaluation here"):
        adjudge.open(other, create=True)
    for name in ("outputs.jsonl", "ref*.txt", "Table.CSV"):
        with pytest.raises(UsageError, match="comes after the files"):
            adjudge.open(tmp_path / name, create=True)


def test_one_key_with_two_contents_in_one_input_names_both_places(make: Make, snapshot: Snapshot) -> None:
    e = make()
    before = snapshot(e.path)
    with pytest.raises(FormatError, match=r'in:2: topic "t", system "s" stands twice .* first at in:1'):
        e.take(items(Summary("t", "s", "One."), Summary("t", "s", "Two.")), on_clash="replace")
    assert snapshot(e.path) == before
    assert e.take(items(Summary("t", "s", "One."), Summary("t", "s", "One."))).same == {"summaries": 1}


def test_topics_and_systems_add_up_and_contradictions_are_clashes(make: Make) -> None:
    e = make(Topic("t", title="A"), System("s"))
    e.take(items(Topic("t", type="event"), System("s", kind="human")))
    assert dict(e.collection.topics) == {"t": Topic("t", title="A", type="event")}
    with pytest.raises(ClashError, match='topic "t"'):
        e.take(items(Topic("t", title="B")))
    e.take(items(Topic("t", title="B")), on_clash="skip")
    assert e.collection.topics["t"].title == "A"
    e.take(items(Topic("t", title="B")), on_clash="replace")
    assert e.collection.topics["t"] == Topic("t", title="B", type="event")
    with pytest.raises(FormatError, match="another title than at in:1"):
        e.take(items(Topic("u", title="A"), Topic("u", title="B")))


def test_what_is_left_out_is_counted_with_its_first_place(make: Make) -> None:
    report = make().take(items(LeftOut("no text"), Summary("t", "s", "x"), LeftOut("no text")))
    assert list(report.lines()) == ["added 1 summary", "left out 2: no text (first: in:1)"]
    assert report.as_dict()["left_out"] == [{"reason": "no text", "count": 2, "first": "in:1"}]


def test_scores_come_in_whole_or_not_at_all(make: Make, snapshot: Snapshot) -> None:
    e = make(Summary("t", "s", "x"))
    info = MeasureInfo("imported:q", "lower", (0, 9), "imported:q|x")
    e.take(items(info, Score("imported:q", "t", "s", 2.0)))
    before = snapshot(e.path)
    with pytest.raises(ClashError, match='imported:q of topic "t", system "s" at in:2'):
        e.take(items(Summary("t", "r", "y"), Score("imported:q", "t", "s", 3.0)))
    with pytest.raises(FormatError, match="a second score of imported:q"):
        e.take(items(Score("imported:q", "t", "r", 3.0), Score("imported:q", "t", "r", 4.0)))
    assert snapshot(e.path) == before
    e.take(items(Score("imported:q", "t", "s", 3.0), Score("imported:q", "t", "r", 4.0)), on_clash="replace")
    table = e.scores()
    assert [(r.system, r.value) for r in table.rows()] == [("s", 3.0), ("r", 4.0)]
    e.take(items(info, Score("imported:q", "t", "s", 9.0)), on_clash="skip")
    assert [r.value for r in e.scores().rows()] == [3.0, 4.0]


def test_a_second_import_does_not_turn_a_direction_round(make: Make) -> None:
    e = make()
    e.take(items(MeasureInfo("imported:ter", "lower"), Score("imported:ter", "t", "s", 2.0)))
    again = (MeasureInfo("imported:ter", "higher"), Score("imported:ter", "u", "s", 2.0))
    with pytest.raises(ClashError, match="imported:ter, of which lower is better so far"):
        e.take(items(*again))
    e.take(items(*again), on_clash="skip")
    assert e.scores().info["imported:ter"].better == "lower"
    e.take(items(Score("imported:ter", "v", "s", 2.0)))
    assert e.scores().info["imported:ter"].better == "lower"


def test_a_broken_folder_is_named_before_anything_is_added(make: Make) -> None:
    e = make(Summary("t", "s", "x"))
    path = e.path / "summaries.jsonl"
    path.write_text(path.read_text() * 2)
    with pytest.raises(FormatError, match=r"summaries.jsonl:2: .* stands twice"):
        e.take(items(Summary("t", "r", "y")))


def test_an_error_in_the_middle_leaves_the_folder_as_it_was(make: Make, snapshot: Snapshot) -> None:
    e = make(Summary("t", "s", "x"))
    before = snapshot(e.path)

    def broken() -> Iterator[Item]:
        yield from items(*(Summary(f"t{k}", "s", "y") for k in range(500)))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        e.take(broken())
    assert snapshot(e.path) == before


IMPORT = """
import sys
import adjudge
from adjudge.data.rows import Summary
e = adjudge.open(sys.argv[1])
def items():
    print("started", flush=True)
    for k in range(20000):
        yield "x", Summary(f"t{k}", "new", "text " * 20)
e.take(items())
print("done", flush=True)
"""


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.3, 0.8])
def test_a_killed_import_leaves_all_or_nothing(make: Make, delay: float) -> None:
    e = make(Summary("t", "s", "x"))
    with subprocess.Popen([sys.executable, "-c", IMPORT, str(e.path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
    again = Evaluation.open(e.path)
    assert sum(1 for _ in again.folder.rows(Summary)) in (1, 20001)
    again.take(items(Summary("t", "after", "z")))  # the lock of the dead is free


MEMORY = """
import re, sys
import adjudge
from adjudge.data.rows import Summary, Topic
n = int(sys.argv[2])
e = adjudge.init(sys.argv[1])
def items():
    for k in range(n):
        yield f"f:{k}", Topic(f"topic-{k}")
        yield f"f:{k}", Summary(f"topic-{k}", "system", f"number {k} and then some more words " * 9)
e.take(items())
# not ru_maxrss: a child's begins with what its parent had
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(n: int) -> int:
        command = [sys.executable, "-c", MEMORY, str(tmp_path / f"e{n}"), str(n)]
        return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    few, many = peak(2_000), peak(50_000)
    assert many - few < 48_000 * 100 / 1024  # KiB: under 100 bytes a row


def test_two_imports_at_once_do_not_mix(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.data.transaction.PATIENCE", 0.0)
    e = make(Summary("t", "s", "x"))
    with Transaction(e.path) as change:
        incoming = Incoming(e.folder, change)
        incoming.take("in:1", Summary("t", "r", "y"))
        with pytest.raises(Exception, match="another command is writing"):
            take_all(e.folder, items(Summary("t", "q", "z")))
        incoming.finish()
        change.commit()
    assert [s.system for _, s in e.folder.rows(Summary)] == ["s", "r"]
    assert json.loads((e.path / "summaries.jsonl").read_text().splitlines()[0])["withdrawn"] is None
    assert not (e.path / ".staging").exists()
