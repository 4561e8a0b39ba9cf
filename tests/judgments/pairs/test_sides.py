"""Which sentence a side means: one rule for export, fit, measure, batches and the next pair, whatever was edited."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.data.rows import Document, Row, Summary
from adjudge.evaluation import Evaluation
from adjudge.formats.batches import export_batches
from adjudge.judgments.batch import batch_of
from adjudge.judgments.pairs.answers import answers_in, human_answers
from adjudge.judgments.pairs.sides import pools_of, sentence_pool, sides_of
from adjudge.judgments.tasks import Event, Task, text_hash

TEXT = " ".join(f"Sentence {k} says that {k} came in at noon." for k in range(8))
FIRST = "Sentence 0 says that 0 came in at noon."


@pytest.fixture
def e(make: Callable[..., Evaluation]) -> Evaluation:
    """Twelve answered pairs of a document's sentences, and a summary to score."""
    rows: list[Row] = [Document("t1", "d1", TEXT), Summary("t1", "ours", FIRST, 100)]
    made = make(*rows)
    made.prefer.sample(count=12, assessors=["ann"], seed=1)
    with made.store() as store:
        for number, task in enumerate(store.tasks()):
            answer = {"winner": ("left", "right")[number % 2]}
            store.append([Event(f"{number}", store.evaluation, task.id, "ann", "preference", answer)])
    return made


def edited(e: Evaluation, text: str, document: str = "d1") -> Evaluation:
    file = e.path / "documents.jsonl"
    file.write_text(json.dumps({"topic": "t1", "id": document, "text": text}) + "\n", encoding="utf-8")
    return Evaluation.open(e.path)


def counts(e: Evaluation, tmp_path: Path) -> dict[str, int]:
    """How many answers each way through counts."""
    judgments = e.judgments()
    written = e.prefer.export_answers(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as stream:
        assert written.answers == len(list(csv.DictReader(stream)))
    (pool,) = pools_of(e.collection, "t1", e.protocol("preference-sentences"))
    with e.store() as store:
        answered = {each.task.id: each.answers for each in store.current()}
        known, waiting = answers_in(pool, store.tasks(), answered)
    assert not waiting
    return {
        "export": written.answers,
        "fit": e.prefer.fit()[0].answers,
        "measure": len(human_answers(batch_of(e.collection, "t1", judgments)).answers),
        "next pair": len(known),
    }


def test_a_sentence_put_before_the_others_loses_no_answer(e: Evaluation, tmp_path: Path) -> None:
    before = counts(e, tmp_path)
    assert set(before.values()) == {12}
    strengths = {each.item: each.strength for each in e.prefer.fit(smooth=False)[0].standings}
    now = edited(e, f"Something new was said first. {TEXT}")
    assert counts(now, tmp_path) == before
    found = now.prefer.fit(smooth=False)[0]
    assert {i.item: i.strength for i in found.standings if i.rank is not None} == pytest.approx(
        {item: value for item, value in strengths.items() if value == value}
    )
    assert found.left_out == {}
    assert not any("changed" in line for line in found.warnings())
    assert [f for f in now.check().findings if f.code == "judged-text-changed"] == []
    (scored,) = now.score("preference")
    assert not scored.missing


def test_a_sentence_that_is_gone_is_counted_and_named(e: Evaluation, tmp_path: Path) -> None:
    about = sum(FIRST in (row["left"], row["right"]) for row in rows_of(e, tmp_path))
    assert 0 < about < 12
    now = edited(e, f"Something new was said first. {TEXT.replace(FIRST, 'Nothing is left of it.')}")
    assert set(counts(now, tmp_path).values()) == {12 - about}
    said = f"{about} preference{'s' if about > 1 else ''} between texts that changed since left out"
    assert now.prefer.export_answers(tmp_path / "out.csv").notes[0].startswith(said)
    assert now.prefer.fit()[0].warnings()[0].startswith(said)
    (finding,) = [f for f in now.check().findings if f.code == "judged-text-changed"][:1]
    assert "sentence has changed in its document" in finding.what


def rows_of(e: Evaluation, tmp_path: Path) -> list[dict[str, str]]:
    e.prefer.export_answers(tmp_path / "before.csv")
    with (tmp_path / "before.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_another_document_may_hold_the_sentence(e: Evaluation, tmp_path: Path) -> None:
    before = counts(e, tmp_path)
    assert counts(edited(e, TEXT, document="renamed"), tmp_path) == before


def test_open_tasks_keep_their_sentences_too(e: Evaluation, tmp_path: Path) -> None:
    e.prefer.sample(count=3, seed=2)
    now = edited(e, f"Something new was said first. {TEXT}")
    with now.store() as store:
        found = export_batches(store, now.collection, now.prefer.protocols(), tmp_path / "open.csv")
        asked = {task.id: task for task in store.tasks()}
    assert (found.pairs, found.left_out) == (3, {})
    with (tmp_path / "open.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            hashes = asked[row["task"]].hashes
            assert (text_hash(row["left"]), text_hash(row["right"])) == (hashes["left"], hashes["right"])


def test_hash_then_text_then_place() -> None:
    pool = sentence_pool("t", [Document("t", "d", "One came. Two came. One came.")], "en")
    place = {"document": "d", "start": 20, "end": 29}
    assert pool.texts == ("One came.", "Two came.")
    assert pool.number(place, None) == 0  # at its second place too
    assert pool.number(place, text_hash("Two came.")) == 1
    assert pool.number(place, text_hash("Three came.")) is None
    assert pool.number({"text": "Two\n came."}, None) == 1
    assert pool.number({"document": "d", "start": 1, "end": 2}, None) is None
    assert pool.number(None, None) is None


def test_tasks_about_the_same_sentences_share_their_sides() -> None:
    task = Task("k", "e", "ann", "preference-sentences", "1", "t", hashes={"left": "a", "right": "b"})
    here = replace(
        task, left={"document": "d", "start": 0, "end": 5}, right={"document": "d", "start": 6, "end": 9}
    )
    moved = replace(
        task, left={"document": "d", "start": 9, "end": 14}, right={"document": "x", "start": 6, "end": 9}
    )
    assert sides_of(here) == sides_of(moved)
    assert sides_of(here) != sides_of(replace(here, hashes={"left": "a", "right": "c"}))
