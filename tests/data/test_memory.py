"""Memory in ratio to the number of rows: what is only counted or compared is not kept."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import adjudge
from adjudge.cli import show
from adjudge.data.collection import contents, load
from adjudge.data.folder import Folder

LONG_TEXT = 4000  # characters: a text that is kept shows


def make(path: Path, topics: int, *, text: int = LONG_TEXT) -> Path:
    path.mkdir()
    (path / "evaluation.toml").write_text('name = "large"\n', encoding="utf-8")
    with (path / "summaries.jsonl").open("w", encoding="utf-8") as out:
        for k in range(topics * 10):
            role = "reference" if k % 10 == 9 else "peer"
            words = (f"word{k} and{k % 7} " * text)[:text]
            row = {"topic": f"t{k // 10}", "system": f"s{k % 10}", "roles": [role], "text": words}
            out.write(json.dumps(row) + "\n")
    return path


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bytes_a_row(tmp_path: Path, work: Callable[[Path], object], *, text: int = LONG_TEXT) -> float:
    """How much the peak grows with a row, between 500 and 2,000 of them."""
    few, many = make(tmp_path / "few", 50, text=text), make(tmp_path / "many", 200, text=text)
    work(few)  # what is loaded once is there
    return (peak(lambda: work(many)) - peak(lambda: work(few))) / 1500


def test_contents_keep_no_text(tmp_path: Path) -> None:
    assert bytes_a_row(tmp_path, lambda path: contents(Folder.open(path))) < 350


def test_a_collection_keeps_texts_and_little_else(tmp_path: Path) -> None:
    assert LONG_TEXT < bytes_a_row(tmp_path, lambda path: load(Folder.open(path))) < LONG_TEXT + 450


class Nowhere(io.StringIO):
    def write(self, text: str) -> int:
        return len(text)


def test_showing_everything_as_json_keeps_no_text(tmp_path: Path) -> None:
    def show_all(path: Path) -> None:
        with redirect_stdout(Nowhere()):
            show.command(path, json=True)

    assert bytes_a_row(tmp_path, show_all) < 400


def test_scoring_again_keeps_little_beyond_the_collection(tmp_path: Path) -> None:
    def again(path: Path) -> None:
        e = adjudge.open(path)
        results = e.score("words")
        assert results[0].kept
        assert not results[0].new

    for name, topics in (("few", 50), ("many", 200)):  # the first scoring is not what is measured
        adjudge.open(make(tmp_path / name, topics, text=40)).score("words")
    few, many = (peak(partial(again, tmp_path / name)) for name in ("few", "many"))
    assert (many - few) / 1500 < 600


def test_what_is_counted_is_what_the_collection_holds(tmp_path: Path) -> None:
    folder = Folder.open(make(tmp_path / "e", 3, text=50))
    with (folder.path / "summaries.jsonl").open("a", encoding="utf-8") as out:
        gone = {"topic": "t9", "system": "late", "text": "gone", "withdrawn": "wrong prompt"}
        out.write(json.dumps(gone) + "\n")
    (folder.path / "documents.jsonl").write_text('{"topic": "d", "id": "1", "text": "x"}\n', encoding="utf-8")
    found, collection = contents(folder), load(folder)
    assert [t.topic for t in found.topics] == list(collection.topics.values())
    assert [(t.documents, t.references, t.peers) for t in found.topics] == [
        (len(collection.documents.get(n, ())), len(collection.references(n)), len(collection.peers(n)))
        for n in collection.topics
    ]
    assert [s.system for s in found.systems] == list(collection.systems.values())
    mine = {name: [s for s in collection.all_summaries() if s.system == name] for name in collection.systems}
    assert [s.summaries for s in found.systems] == [len(each) for each in mine.values()]
    assert [s.words for s in found.systems] == [
        sum(len(s.text.split()) for s in each) for each in mine.values()
    ]
    assert dict(found.withdrawn) == {("late", "wrong prompt"): 1}
