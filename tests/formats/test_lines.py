"""Line files as rows: line n is topic n, the file's name is the system."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import called

import adjudge
from adjudge.core.errors import UsageError
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.formats.linefiles import read, system_names
from adjudge.formats.records import read_jsonl

from .shapes import Imported, Refused, Write, lines, reasons, rows


@pytest.fixture
def aligned(write: Write) -> None:
    write("sys_b.txt", "Rain.\nWind.\nSnow.")
    write("sys_a.txt", "It rained.\r\n\r\nIt snowed.\r\n")
    write("ref1.txt", "It rained hard.\nIt blew.\n \t\n")
    write("ref2.txt", "Hard rain.\nA gale.\nDeep snow.\n")
    write("src.txt", "Rain fell.\nA gale blew.\nSnow fell.\n")


@pytest.mark.usefixtures("aligned")
def test_lines_become_topics_documents_references_and_peers() -> None:
    found = list(
        read(
            ["sys_*.txt"],
            references=["ref*.txt"],
            sources=["src.txt"],
            kind="machine",
            length=50,
            form="abstract",
        )
    )
    assert rows(found)[:3] == [Topic("1"), Topic("2"), Topic("3")]
    assert [row for row in rows(found) if isinstance(row, Document)] == [
        Document("1", "1", "Rain fell."),
        Document("2", "1", "A gale blew."),
        Document("3", "1", "Snow fell."),
    ]
    assert [row for row in rows(found) if isinstance(row, System)] == [
        System("ref1", "human"),
        System("ref2", "human"),
        System("sys_a", "machine"),
        System("sys_b", "machine"),
    ]
    summaries = [row for row in rows(found) if isinstance(row, Summary)]
    assert len(summaries) == 12
    assert {(each.length, each.form) for each in summaries} == {(50, "abstract")}
    assert [(s.topic, s.text, s.roles) for s in summaries if s.system in ("sys_a", "ref1")] == [
        ("1", "It rained hard.", ("reference",)),
        ("2", "It blew.", ("reference",)),
        ("3", "", ("reference",)),
        ("1", "It rained.", ("peer",)),
        ("2", "", ("peer",)),
        ("3", "It snowed.", ("peer",)),
    ]
    assert reasons(found) == [
        "blank line taken as an empty reference",
        "blank line taken as an empty summary",
    ]
    places = [place for place, thing in found if isinstance(thing, Summary)]
    assert places[6:8] == ["sys_a.txt:1", "sys_a.txt:2"]


@pytest.mark.usefixtures("aligned")
def test_lines_go_with_tables_that_are_aligned_by_line(write: Write, imported: Imported) -> None:
    imported(read(["sys_a.txt"]))
    outputs = write("sys_c.jsonl", lines(*({"summary": text} for text in "abc")))
    assert imported(read_jsonl([outputs], by_line=True)).added == {"systems": 1, "summaries": 3}
    assert imported(read([], references=["ref1.txt"])).added == {"systems": 1, "summaries": 3}


@pytest.mark.usefixtures("aligned")
def test_topics_are_named_by_a_file(write: Write, imported: Imported, refused: Refused) -> None:
    write("ids.txt", "d1\nd2 \nd3\n")
    assert imported(read(["sys_a.txt"], topics="ids.txt")).added["topics"] == 3
    write("ids.txt", "d1\nd2\nd1\n")
    assert (
        refused(read(["sys_b.txt"], topics="ids.txt")) == 'ids.txt:3: "d1" names the topic of line 1 already'
    )
    write("ids.txt", "d1\nd2\n")
    assert "sys_b.txt 3 lines, ids.txt 2 lines" in refused(read(["sys_b.txt"], topics="ids.txt"))
    write("ids.txt", "d1\n\nd3\n")
    assert "ids.txt:2" in refused(read(["sys_b.txt"], topics="ids.txt"))


def test_blank_documents_are_left_out_and_several_sources_are_named(write: Write) -> None:
    write("a.txt", "One.\nTwo.\n")
    write("src.txt", "Source.\n\n")
    write("more.txt", "More.\nMore.\n")
    found = list(read(["a.txt"], sources=["src.txt", "more.txt"]))
    assert [(d.topic, d.id) for d in rows(found) if isinstance(d, Document)] == [
        ("1", "src"),
        ("1", "more"),
        ("2", "more"),
    ]
    assert reasons(found) == ["blank line instead of a document"]


def test_unequal_numbers_of_lines_are_refused_with_the_counts(write: Write, refused: Refused) -> None:
    write("a.txt", "One.\nTwo.\n")
    write("b.txt", "One.\nTwo.\n\n")
    write("ref.txt", "One.\n")
    said = refused(read(["a.txt", "b.txt"], references=["ref.txt"]))
    assert "a.txt 2 lines, b.txt 3 lines (the last is blank), ref.txt 1 line" in said
    write("none.txt", "")
    assert "a.txt 2 lines, none.txt 0 lines" in refused(read(["a.txt", "none.txt"]))


def test_a_file_for_two_uses_is_refused_however_it_is_named(write: Write, refused: Refused) -> None:
    write("a.txt", "One.\n")
    write("ref.txt", "One.\n")
    Path("link.txt").symlink_to("ref.txt")
    for same in ("ref.txt", "./ref.txt", str(Path("ref.txt").resolve()), "link.txt"):
        said = refused(read(["a.txt", same], references=["ref.txt"]))
        assert said == "ref.txt is given as a system and as a reference: as systems say a.txt"
    assert "as a reference and as a source" in refused(
        read(["a.txt"], references=["ref.txt"], sources=["ref.txt"])
    )


def test_sentence_marks_are_taken_and_told(write: Write) -> None:
    write("a.txt", "rain .<q>snow .\nwind .\n")
    found = list(read(["a.txt"]))
    assert [row.text for row in rows(found) if isinstance(row, Summary)] == ["rain .\nsnow .", "wind ."]
    assert reasons(found) == ['"<q>" taken as the end of a sentence (sentence_mark=none keeps it)']
    kept = list(read(["a.txt"], sentence_mark="none"))
    assert [row.text for row in rows(kept) if isinstance(row, Summary)] == ["rain .<q>snow .", "wind ."]
    assert reasons(kept) == []


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a/lead.txt", "b/ours.txt.gz"], ["lead", "ours"]),
        (["bart/test.txt", "t5/test.txt", "ref/test.txt"], ["bart", "t5", "ref"]),
        (["bart/run/test.txt", "t5/run/test.txt"], ["bart", "t5"]),
        (["r1/a.txt", "r1/b.txt", "r2/a.txt"], ["r1-a", "b", "r2-a"]),
        (["gpt-3.5.txt", "gpt-4.candidate"], ["gpt-3.5", "gpt-4.candidate"]),
    ],
)
def test_files_of_one_name_are_told_apart_by_their_folders(files: list[str], names: list[str]) -> None:
    paths = [Path(file) for file in files]
    assert system_names(paths) == dict(zip(paths, names, strict=True))


@pytest.mark.parametrize("files", [["test.txt", "test.txt.gz"], ["r1/a.txt", "r2/a.txt", "r1-a.txt"]])
def test_files_that_cannot_be_told_apart_are_refused(files: list[str]) -> None:
    with pytest.raises(UsageError, match="would both be system .*: rename one of the files"):
        system_names([Path(file) for file in files])


def test_tables_and_json_are_sent_to_their_own_commands(write: Write, refused: Refused) -> None:
    table = write("runs.csv", "topic,summary\n1,a\n")
    assert "adjudge import runs.csv EVALUATION" in refused(read([table]))
    write("runs.txt", lines({"topic": "1", "summary": "a"}))
    assert refused(read(["runs.txt"])).startswith(
        "runs.txt holds JSON, expected a text a line: adjudge import runs.txt"
    )
    write("braces.txt", "{so to speak}\n")
    assert len(rows(read(["braces.txt"]))) == 3


@pytest.mark.usefixtures("aligned")
def test_from_python_in_one_call() -> None:
    e = adjudge.open("my-eval", create=True)
    with pytest.raises(UsageError, match="matches no file"):
        e.import_lines("none*.txt")
    assert not Path("my-eval").exists()
    report = e.import_lines(
        "sys_*.txt", references=["ref1.txt", Path("ref2.txt")], sources="src.txt", length=50
    )
    assert report.added == {"topics": 3, "documents": 3, "systems": 4, "summaries": 12}
    assert report.made == "my-eval"
    assert {summary.length for _, summary in e.folder.rows(Summary)} == {50}
    assert not e.import_lines("sys_*.txt", length=50).is_change
    assert e.import_lines("sys_a.txt", length=50, sentence_mark="ned", on_clash="replace").replaced == {
        "summaries": 1
    }
    assert e.import_lines("sys_a.txt", length=100, dry_run=True).added == {"summaries": 3}


def test_an_empty_file_says_so(write: Write) -> None:
    write("a.txt", "")
    assert reasons(read(["a.txt"])) == ["file without records"]


def test_as_many_lines_as_the_evaluation_has(tmp_path: Path) -> None:
    """Files that come later are aligned with those before."""
    for name, n in (("a", 4), ("b", 4), ("short", 3), ("long", 5)):
        (tmp_path / f"{name}.txt").write_text("".join(f"Text {k} of {name}.\n" for k in range(n)))
    assert called(tmp_path, "import", "lines", "a.txt", "E").returncode == 0
    assert called(tmp_path, "import", "lines", "b.txt", "E").returncode == 0
    for name, n in (("short", 3), ("long", 5)):
        done = called(tmp_path, "import", "lines", f"{name}.txt", "E")
        assert done.returncode == 1
        assert f"the evaluation has 4 lines as topics, and these files have {n}" in done.stderr
    (tmp_path / "names.txt").write_text("x1\nx2\nx3\n")
    assert called(tmp_path, "import", "lines", "short.txt", "E", "--topic-names", "names.txt").returncode == 0
