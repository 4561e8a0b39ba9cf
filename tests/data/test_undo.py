"""Undo brings back every byte, or says why not; the history keeps what it can, and is only data."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, rmtree

import pytest

import adjudge
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.data import history
from adjudge.data.history import ENTRY
from adjudge.data.layout import CHANGES, HISTORY
from adjudge.data.rows import Document, Summary, Topic
from adjudge.data.scores import Score
from adjudge.evaluation import Evaluation

Make = Callable[..., Evaluation]
Change = Callable[[Evaluation], object]


def files(e: Evaluation) -> dict[str, bytes]:
    """Everything that a change may touch."""
    return {
        str(path.relative_to(e.path)): path.read_bytes()
        for path in sorted(e.path.rglob("*"))
        if path.is_file() and HISTORY not in path.parts and not path.name.startswith(".")
    }


def rows(*systems: str, text: str = "A storm hit the coast. It rained.") -> list[tuple[str, Summary]]:
    return [("test", Summary(topic, system, text)) for topic in ("t1", "t2") for system in systems]


@pytest.fixture
def e(make: Make) -> Evaluation:
    """Two systems and a reference on two topics, with a source, scored."""
    found = make(
        *(Topic(topic) for topic in ("t1", "t2")),
        *(Document(topic, "d", "A storm hit the town on the coast. Rain fell.") for topic in ("t1", "t2")),
        *(row for _, row in rows("a", "b")),
        *(Summary(topic, "ref", "Rain fell.", roles=("reference",)) for topic in ("t1", "t2")),
    )
    found.score("rouge-1")
    return found


CHANGES_OF_FILES: dict[str, Change] = {
    "import": lambda e: e.take(rows("c")),
    "import again": lambda e: e.take(rows("a", text="Nothing happened."), on_clash="replace"),
    "import of scores": lambda e: e.take([("test", Score("own:x", "t1", "a", 1.0))]),
    "units": lambda e: e.units(),
    "units with levels": lambda e: e.units(levels=True),
    "baselines": lambda e: e.baselines(lengths=[5]),
    "withdraw": lambda e: e.withdraw("wrong", system="a"),
    "rename a system": lambda e: e.rename("z", "better", system="a"),
    "rename a topic": lambda e: e.rename("t9", "better", topic="t1"),
    "remove": lambda e: e.remove("gone", system="a"),
    "remove all of it": lambda e: [e.remove("gone", topic=topic) for topic in ("t1",)],
}


@pytest.mark.parametrize("name", CHANGES_OF_FILES)
def test_every_byte_comes_back_and_goes_again(e: Evaluation, name: str) -> None:
    before = files(e)
    CHANGES_OF_FILES[name](e)
    after = files(e)
    assert after != before
    said = e.undo(dry_run=True)
    assert (files(e), said.dry_run) == (after, True)
    done = e.undo()
    assert files(e) == before
    assert dict(done.files) == {
        file: "restored" if file in before else "removed"
        for file in sorted({*before, *after})
        if before.get(file) != after.get(file)
    }
    assert not e.scores().stale["rouge-1"]
    assert [scored.changed for scored in e.score("rouge-1")] == [()]
    again = e.undo(redo=True)
    assert (files(e), again.redo) == (after, True)
    e.undo()
    assert files(e) == before


def test_undo_goes_back_change_by_change(e: Evaluation) -> None:
    states = [files(e)]
    for name in ("import", "units", "withdraw", "baselines"):
        CHANGES_OF_FILES[name](e)
        states.append(files(e))
    for state in states[-2::-1]:
        e.undo()
        assert files(e) == state
    for state in states[1:]:
        e.undo(redo=True)
        assert files(e) == state
    e.undo()
    e.remove("gone", system="b")  # another change: what was undone cannot be made again
    with pytest.raises(UsageError, match="nothing to make again"):
        e.undo(redo=True)


def test_the_last_five_changes_are_kept(e: Evaluation) -> None:
    for n in range(7):
        e.take(rows(f"s{n}"))
    found = e.history()
    assert [change.what for change in found.changes] == ["import"] * history.MOST
    assert [change.after for change in found.changes] == [4, 3, 2, 1, 0]
    assert all(change.why_not is None for change in found.changes)
    for _ in range(history.MOST):
        e.undo()
    assert "s1" in e.collection.systems
    assert "s2" not in e.collection.systems
    with pytest.raises(UsageError, match="nothing to undo"):
        e.undo()


def test_the_history_has_a_limit_and_a_change_that_is_too_large_says_so(
    e: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (e.path / "summaries.jsonl").stat().st_size
    monkeypatch.setattr(history, "LARGEST", 3 * size)
    for n in range(4):
        e.take(rows(f"s{n}"))
    kept = e.history()
    assert len(kept.changes) < 4
    assert kept.size < 3 * size + 4 * 1000  # and a change.json each
    monkeypatch.setattr(history, "LARGEST", size)
    report = e.take(rows("large"))
    assert report.why_final is not None
    assert "at the most" in report.why_final
    assert list(report.lines())[-1] == f"this cannot be undone: {report.why_final}"
    assert e.history().changes[-1].why_not == report.why_final
    with pytest.raises(DataError, match="import cannot be undone: it replaced"):
        e.undo()


def test_what_changes_nothing_is_no_change(e: Evaluation) -> None:
    n = len(e.history().changes)
    e.take(rows("a", "b"), on_clash="skip")
    e.take(rows("c"), dry_run=True)
    e.score("rouge-2")
    assert len(e.history().changes) == n


def test_an_older_folder_has_no_history(e: Evaluation) -> None:
    rmtree(e.path / HISTORY)
    found = e.history()
    assert (found.changes, found.headline()) == ((), "nothing to undo")
    with pytest.raises(UsageError, match="nothing to undo"):
        e.undo()
    e.units()
    e.undo()
    assert not (e.path / "units.jsonl").exists()


def test_an_edit_by_hand_is_not_lost(e: Evaluation) -> None:
    e.units()
    with (e.path / "units.jsonl").open("a") as out:
        out.write("\n")
    now = files(e)
    with pytest.raises(DataError, match=r"units cannot be undone: units\.jsonl has changed since"):
        e.undo()
    assert files(e) == now
    assert "has changed since" in str(e.history().changes[-1].why_not)
    assert "units comes first" in str(e.history().changes[0].why_not)


def test_scores_computed_since_are_old_or_renamed(e: Evaluation) -> None:
    """Those of texts that go are known as out of date; those of a renamed system get its old name again."""
    e.take(rows("a", text="Nothing happened."), on_clash="replace")
    e.score("rouge-1", "rouge-2")
    e.undo()
    assert e.scores().stale["rouge-1"] == ("t1", "t2") == e.scores().stale["rouge-2"]
    e.score("rouge-1", "rouge-2")
    values = e.scores().frame.sort_values(["measure", "topic", "system"])["value"].tolist()
    e.rename("z", "better", system="a")
    e.score("rouge-l")
    e.score("rouge-2", again=True)
    done = e.undo()
    assert "renamed" in done.files.values()
    assert set(e.scores().frame["system"]) == {"a", "b"}
    assert set(e.scores().stale.values()) == {()}
    kept = e.scores().frame.query("measure != 'rouge-l'").sort_values(["measure", "topic", "system"])
    assert kept["value"].tolist() == values


def test_the_log_keeps_what_was_noted_since(e: Evaluation) -> None:
    e.withdraw("wrong", system="a")
    line = '{"when": "", "what": "remove judgments"}\n'
    with (e.path / CHANGES).open("a") as out:
        out.write(line)
    e.undo()
    assert (e.path / CHANGES).read_text() == line
    e.undo(redo=True)
    assert len((e.path / CHANGES).read_text().splitlines()) == 2


def test_the_result_shows_itself(e: Evaluation) -> None:
    e.rename("z", "better", system="a", when="2026-11-16T05:19:14+00:00")
    found = e.history()
    assert found.to_frame()["change"].tolist()[-1] == "rename --system a --to z"
    assert found.to_frame()["undo"].tolist() == ["undo: after 1 other", "undo: next"]
    assert "2026-11-16 05:19" in repr(found)
    assert json.loads(json.dumps(found.as_dict()))["changes"][-1]["undoable"] is True
    done = e.undo()
    assert done.headline() == (
        "undone: rename --system a --to z, 2026-11-16 05:19 UTC"
        " (renamed 2 summaries; changed the scores of 1 measure)"
    )
    assert done.to_frame()["file"].tolist() == list(done.files)
    assert done.as_dict()["files"]["changes.jsonl"] == "removed"


# Disks


def test_where_links_cannot_be_made_old_versions_are_copied(
    e: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kw: object) -> None:
        raise OSError(95, os.strerror(95))

    monkeypatch.setattr(os, "link", refuse)
    before = files(e)
    e.units()
    e.rename("z", "better", system="a")
    e.undo()
    e.undo()
    assert files(e) == before


@pytest.mark.parametrize("left", [0, 1])
def test_a_change_goes_on_where_its_history_cannot_be_kept(
    e: Evaluation, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    """With place for a note, the note says so; with none, the history goes: nothing else is undone in its stead."""
    e.units()
    real = history._write_entry

    def full(*args: object, **kw: object) -> None:
        raise OSError(28, os.strerror(28))

    def held(*args: object) -> str:
        return "what it replaced could not be kept: No space left on device"

    monkeypatch.setattr(history, "_hold", held)
    monkeypatch.setattr(history, "_write_entry", real if left else full)
    changed = e.withdraw("wrong", system="a")
    assert "No space left on device" in str(changed.why_final)
    assert e.collection.withdrawn
    monkeypatch.undo()
    if left:
        with pytest.raises(DataError, match="withdraw --system a cannot be undone: what it replaced"):
            e.undo()
    else:
        assert e.history().changes == ()
        with pytest.raises(UsageError, match="nothing to undo"):
            e.undo()


def test_a_folder_that_cannot_be_written_still_tells_its_history(
    e: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    e.units()
    before = files(e)
    for path in (e.path, *e.path.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert [change.what for change in adjudge.open(e.path).history().changes] == ["import", "units"]
        if os.geteuid() != 0:  # nothing is forbidden to root
            with pytest.raises(DataError, match="cannot be written"):
                e.undo()
            assert files(e) == before
    finally:
        for path in (e.path, *e.path.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


# A history from a stranger


def spoilt(change: Callable[[dict[str, object]], object]) -> Callable[[Path, Path], object]:
    """An entry in which something was changed."""

    def made(entry: Path, mine: Path) -> None:
        found = json.loads((entry / ENTRY).read_text())
        change(found)
        (entry / ENTRY).write_text(json.dumps(found).replace("MINE", str(mine)))

    return made


def linked(name: str) -> Callable[[Path, Path], object]:
    def made(entry: Path, mine: Path) -> None:
        path = entry / name
        rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(mine / "victim.txt")

    return made


def piped(entry: Path, mine: Path) -> None:
    (entry / ENTRY).unlink()
    os.mkfifo(entry / ENTRY)


def elsewhere(entry: Path, mine: Path) -> None:
    rmtree(entry)
    entry.symlink_to(mine)


def a_file(entry: Path, mine: Path) -> None:
    rmtree(entry)
    entry.write_text("")


STATE = [1, "0" * 32]
SPOILT: dict[str, Callable[[Path, Path], object]] = {
    "a name outside": spoilt(lambda found: found.update(files={"../mine/victim.txt": [STATE, STATE]})),
    "an absolute name": spoilt(lambda found: found.update(files={"MINE/victim.txt": [None, STATE]})),
    "the settings": spoilt(lambda found: found.update(files={"evaluation.toml": [STATE, STATE]})),
    "a pending change": spoilt(lambda found: found.update(files={".tasks.json": [STATE, None]})),
    "no files": spoilt(lambda found: found.pop("files")),
    "no states": spoilt(lambda found: found.update(files={"units.jsonl": 3})),
    "a size of text": spoilt(lambda found: found.update(files={"units.jsonl": [["1", "0" * 32], None]})),
    "a digest of another kind": spoilt(lambda found: found.update(files={"units.jsonl": [[1, "x"], None]})),
    "another format": spoilt(lambda found: found.update(format=2)),
    "another edit": spoilt(lambda found: found.update(edit={"what": "run"})),
    "counts that are none": spoilt(lambda found: found.update(counts={"added": {"rows": "many"}})),
    "not JSON": lambda entry, mine: (entry / ENTRY).write_text("{"),
    "a list": lambda entry, mine: (entry / ENTRY).write_text("[]"),
    "empty": lambda entry, mine: (entry / ENTRY).write_text(""),
    "not UTF-8": lambda entry, mine: (entry / ENTRY).write_bytes(b"\xff"),
    "nested deeply": lambda entry, mine: (entry / ENTRY).write_text("[" * 100_000),
    "no entry": lambda entry, mine: (entry / ENTRY).unlink(),
    "the entry is a link": linked(ENTRY),
    "a kept file is a link": linked("summaries.jsonl"),
    "the kept scores are a link": linked("scores"),
    "a kept file is gone": lambda entry, mine: (entry / "summaries.jsonl").unlink(),
    "a kept file is cut": lambda entry, mine: (entry / "summaries.jsonl").write_text("{}\n"),
    "a pipe": piped,
    "the folder is a link": elsewhere,
    "the folder is a file": a_file,
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_damaged_history_is_one_line_and_stops_nothing_else(
    e: Evaluation, tmp_path: Path, name: str
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "victim.txt").write_text("mine")
    e.rename("z", "better", system="a")
    SPOILT[name](sorted((e.path / HISTORY).iterdir())[-1], mine)
    now = files(e)
    with pytest.raises(DataError) as refused:
        e.undo()
    assert "\n" not in str(refused.value)
    assert files(e) == now
    e = adjudge.open(e.path)
    assert e.history().changes[-1].why_not
    assert e.check().findings is not None
    e.withdraw("wrong", system="b")  # goes on, and can be undone
    e.undo()
    assert files(e) == now
    for n in range(history.MOST):  # the damaged entry goes with time
        e.take(rows(f"s{n}"))
    assert all(change.why_not is None for change in e.history().changes)
    assert {path.name: path.read_text() for path in mine.iterdir()} == {"victim.txt": "mine"}


def test_words_from_a_stranger_do_not_command_a_terminal(e: Evaluation) -> None:
    entry = sorted((e.path / HISTORY).iterdir())[-1]
    spoilt(lambda found: found.update(what="import \x1b[2J" + "x" * 5000))(entry, entry)
    (change,) = e.history().changes
    assert "\x1b" not in change.what
    assert len(change.what) < 300


def test_a_history_that_is_a_link_is_refused_as_any_link_is(e: Evaluation, tmp_path: Path) -> None:
    (e.path / HISTORY).rename(tmp_path / "elsewhere")
    (e.path / HISTORY).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match=r"\.history: is a link"):
        adjudge.open(e.path)


def test_a_copy_of_the_folder_can_be_undone_too(e: Evaluation, tmp_path: Path) -> None:
    """Nothing depends on times or on links."""
    before = files(e)
    e.units()
    copytree(e.path, tmp_path / "copy")
    copy = adjudge.open(tmp_path / "copy")
    copy.undo()
    assert files(copy) == before


def test_scores_of_what_was_taken_back_are_left_out(tmp_path: Path) -> None:
    """Nobody ranks systems that are gone, though their scores are still in the files."""
    (tmp_path / "ref.txt").write_text("".join(f"The storm came on day {k}.\n" for k in range(6)))
    (tmp_path / "a.txt").write_text("".join(f"A storm came on day {k}.\n" for k in range(6)))
    (tmp_path / "b.txt").write_text("".join(f"Day {k} was calm.\n" for k in range(6)))
    e = adjudge.open(tmp_path / "E", create=True)
    e.import_lines(tmp_path / "a.txt", references=tmp_path / "ref.txt")
    e.import_lines(tmp_path / "b.txt")
    e.score("rouge-1")
    assert len(e.compare("rouge-1").standings) == 2
    e.undo()
    found = adjudge.open(tmp_path / "E").compare("rouge-1")
    assert [s.system for s in found.standings] == ["a"]
    notes = adjudge.open(tmp_path / "E").scores().notes("rouge-1")
    assert "6 scores of summaries that are no longer there left out" in notes
    e.undo()
    with pytest.raises(AdjudgeError, match="nothing has been scored"):
        adjudge.open(tmp_path / "E").compare("rouge-1")
