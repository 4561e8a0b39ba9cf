"""What an import that fails leaves behind: nothing. And files that only look like judgments."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import called

import adjudge
from adjudge.data.rows import Summary


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    e = adjudge.init(tmp_path / "e", name="e")
    e.take(("", Summary("t1", s, f"{s} writes")) for s in ("a", "b"))
    return tmp_path


def listing(folder: Path) -> set[str]:
    return {each.name for each in (folder / "e").iterdir()} - {".lock"}


def test_a_refused_import_makes_no_store(folder: Path) -> None:
    before = listing(folder)
    (folder / "bad.csv").write_text("who,what\n1,2\n", encoding="utf-8")
    done = called(folder, "judgments", "import", "crowd", "bad.csv", "e", "--aspect", "fluency")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    (folder / "bad.jsonl").write_text(
        '{"kind": "event", "id": "e", "task": "none", "assessor": "w", "question": "q", "answer": 1}\n',
        encoding="utf-8",
    )
    assert called(folder, "judgments", "import", "records", "bad.jsonl", "e").returncode == 1
    assert listing(folder) == before


def test_an_empty_file_in_place_of_the_store_is_named(folder: Path) -> None:
    (folder / "e" / "judgments.sqlite").write_bytes(b"")
    done = called(folder, "check", "e")
    assert done.returncode == 1
    assert "error: judgments.sqlite is an empty file (0 bytes)" in done.stdout


def test_the_table_of_answers_is_refused_by_name(folder: Path) -> None:
    (folder / "crowd.csv").write_text("task,worker,label\nt1/a,w1,2\nt1/b,w1,3\n", encoding="utf-8")
    assert (
        called(folder, "judgments", "import", "crowd", "crowd.csv", "e", "--aspect", "fluency").returncode
        == 0
    )
    assert called(folder, "judgments", "export", "e", "answers.csv").returncode == 0
    adjudge.init(folder / "f", name="f")
    for words in (
        ("judgments", "import", "crowd", "answers.csv", "f", "--aspect", "fluency"),
        ("judgments", "import", "records", "answers.csv", "f"),
    ):
        done = called(folder, *words)
        assert done.returncode == 1, words
        assert ".jsonl file" in done.stderr, (words, done.stderr)
        assert len(done.stderr.splitlines()) == 1
    assert not adjudge.open(folder / "f").collection.topics
