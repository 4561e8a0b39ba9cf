"""Judged text is frozen: which change of a text makes a judgment of it out of date, and what is said then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.data.collection import Collection, source_sentences
from adjudge.data.folder import Settings
from adjudge.data.rows import Document, Summary, Topic
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.frozen import changed, split_by_change
from adjudge.judgments.pairs.sides import sentence_at
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Judged, Task, text_hash

TEXT = "The dam\n broke.  Nobody was hurt."
SENTENCES, SUMMARIES = load_protocol("preference-sentences"), load_protocol("preference-summaries")


def a_collection(text: str = TEXT, *, document: str = "d", summary: str = "A dam broke.") -> Collection:
    summaries = [Summary("t", "a", summary, 10), Summary("t", "b", "Nobody was hurt.", 10)]
    documents = [Document("t", document, text)]
    return Collection(Settings("e"), {"t": Topic("t")}, {}, {"t": documents}, {"t": summaries})


def asked_of_sentences() -> Task:
    collection = a_collection()
    left, right = source_sentences(collection.documents["t"])
    (task,) = make_tasks(collection, SENTENCES, ["ann"], "e", pairs={"t": [(left, right)]})
    return task


def asked_of_summaries() -> Task:
    (task,) = make_tasks(a_collection(), SUMMARIES, ["ann"], "e")
    return task


def test_what_is_as_it_was_has_not_changed() -> None:
    for task, protocol in ((asked_of_sentences(), SENTENCES), (asked_of_summaries(), SUMMARIES)):
        assert set(task.hashes) == {"left", "right"}
        assert changed(task, a_collection(), protocol) is None
        assert changed(task, a_collection(), None) is None


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (
            a_collection("The dam\n\nbroke. Nobody was hurt!"),
            "the right sentence has changed in its document",
        ),
        (a_collection("The bog\n broke.  Nobody was hurt."), "the left sentence has changed in its document"),
        (a_collection("The dam\n broke."), "the right sentence has changed in its document"),
        (a_collection("So it was.", document="e"), "the document of the left sentence is gone"),
    ],
)
def test_a_sentence_that_changed_in_its_document(now: Collection, why: str) -> None:
    assert changed(asked_of_sentences(), now, SENTENCES) == why


@pytest.mark.parametrize(
    "now",
    [
        a_collection(f"So it was. {TEXT}"),
        a_collection("Nobody was hurt. The dam broke."),
        a_collection(document="e"),
    ],
)
def test_a_sentence_that_stands_elsewhere_is_the_same(now: Collection) -> None:
    assert changed(asked_of_sentences(), now, SENTENCES) is None


def test_white_space_inside_a_sentence_does_not_count() -> None:
    assert (
        changed(asked_of_sentences(), a_collection("The dam \nbroke.  Nobody was\thurt."), SENTENCES) is None
    )


def test_a_text_that_grew_at_its_end_leaves_its_sentences_alone() -> None:
    assert changed(asked_of_sentences(), a_collection(f"{TEXT} One more."), SENTENCES) is None


def test_a_summary_that_changed_or_went() -> None:
    task = asked_of_summaries()
    assert task.left is not None
    assert task.left["system"] == "a"
    now = a_collection(summary="The dam broke.")
    assert changed(task, now, SUMMARIES) == "the left summary's text has changed"
    gone = replace(now, summaries={"t": now.summaries["t"][1:]})
    assert changed(task, gone, SUMMARIES) == "the left summary is gone or withdrawn"
    turned = replace(task, left=task.right, right=task.left, hashes={"right": task.hashes["left"]})
    assert changed(turned, gone, SUMMARIES) == "the right summary is gone or withdrawn"


@pytest.mark.parametrize("hashes", [{}, {"left": "0"}, {"right": "0"}])
def test_only_sides_with_a_hash_are_looked_at(hashes: dict[str, str]) -> None:
    task = replace(asked_of_sentences(), hashes=hashes)
    why = changed(task, a_collection(), SENTENCES)
    assert why == (f"the {next(iter(hashes))} sentence has changed in its document" if hashes else None)


@pytest.mark.parametrize(
    "place", [{}, {"start": 0}, {"start": 5, "end": 3}, {"start": 0, "end": 999}, {"start": "0", "end": 3}]
)
def test_a_place_that_is_none_has_nothing(place: dict[str, Any]) -> None:
    assert sentence_at(TEXT, place) == ""
    task = replace(asked_of_sentences(), left={"document": "d", **place})
    assert changed(task, a_collection(), SENTENCES) is None  # known by its text all the same
    task = replace(task, hashes={"left": "0"})
    assert changed(task, a_collection(), SENTENCES) == "the left sentence has changed in its document"


def test_a_side_that_names_neither_cannot_change() -> None:
    task = replace(asked_of_sentences(), left={"text": "The dam broke."}, hashes={"left": "0"})
    assert changed(task, a_collection(), SENTENCES) is None


def test_judgments_of_changed_sentences_stand_apart() -> None:
    task = asked_of_sentences()
    judged = [Judged(task), Judged(replace(task, id="other", hashes={"left": "0"}))]
    kept, left = split_by_change(judged, a_collection(), {SENTENCES.name: SENTENCES})
    assert kept == judged[:1]
    assert left == [(judged[1], "the left sentence has changed in its document")]


@examples(50)
@given(
    st.lists(
        st.sampled_from(["The dam broke.", "Rain  fell.", "Nobody\nwas hurt.", "So it\tgoes."]), min_size=1
    )
)
def test_every_sentence_stands_where_its_places_say(said: list[str]) -> None:
    """What a task keeps of a sentence is the hash of what frozen reads at each of its places."""
    text = " ".join(said)
    for sentence in source_sentences([Document("t", "d", text)]):
        for place in sentence.places:
            side = {"document": "d", "start": place.start, "end": place.end}
            assert text_hash(sentence_at(text, side)) == text_hash(sentence.text)
