"""Systems over topics: whole topics are the units; folders are fitted by sentence, by summary, by system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.approving import Approved, words_of

from adjudge.analyses.preferences import Prefer
from adjudge.analyses.preferences.strengths import fit_preferences
from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Document, Row, Summary
from adjudge.evaluation import Evaluation
from adjudge.formats import crowd
from adjudge.formats.preferences import (
    is_about_sentences,
    read_preferences,
    read_sentence_answers,
    write_preferences,
)
from adjudge.judgments.batch import batch_of
from adjudge.judgments.pairs.answers import PreferenceRow, Preferences, sentence_rows, summary_rows
from adjudge.judgments.pairs.sample import sample
from adjudge.judgments.tasks import Event


def clustered(topics: int, each: int = 20, seed: int = 0) -> Preferences:
    """On every topic one of the two systems wins nearly always: topics differ, answers of a topic do not."""
    rng = np.random.default_rng(seed)
    rows = []
    for topic in range(topics):
        left = rng.random() < 0.6
        for _ in range(each):
            first = left if rng.random() < 0.9 else not left
            rows.append(PreferenceRow("a", "b", "left" if first else "right", f"t{topic}"))
    return Preferences.of(rows)


def test_topics_are_the_units_where_there_are_several(approved: Approved) -> None:
    given = clustered(20)
    by_topic, by_answer = fit_preferences(given), fit_preferences(given, Prefer(independent="answer"))
    assert (by_topic.by, by_answer.by) == ("cluster", "answer")
    wide = by_topic.standings[0].high / by_topic.standings[0].low
    narrow = by_answer.standings[0].high / by_answer.standings[0].low
    assert wide > 1.5 * narrow  # answers of a topic hang together, and taking them alone hides that
    assert [note.code for note in by_answer.notes()] == ["answers-independent"]
    assert by_topic.warnings() == []
    assert "|units:topics:20|" in by_topic.signature
    approved([*words_of(by_topic), *words_of(by_answer)])


def test_one_topic_or_none_takes_answers_and_says_so(approved: Approved) -> None:
    one = Preferences.of([PreferenceRow("a", "b", "left", "t1"), PreferenceRow("a", "b", "right", "t1")] * 3)
    none = Preferences.of([PreferenceRow("a", "b", "left"), PreferenceRow("a", "b", "right")] * 3)
    approved([*fit_preferences(one).warnings(), *fit_preferences(none).warnings()])
    few = fit_preferences(clustered(2))
    assert few.notes_of("too-few-topics")


def test_thirty_to_nothing_on_three_topics_is_three_to_nothing() -> None:
    """A topic counts once: the bound on the chance is (0.025)^(1/3), and p is 2 / 2^3."""
    told = [PreferenceRow("a", "b", "left", f"t{k % 3}") for k in range(30)]
    found = fit_preferences(Preferences.of(told))
    (pair,) = found.pairs
    assert pair.p == pytest.approx(0.25)
    assert pair.low == pytest.approx(0.025 ** (1 / 3), rel=1e-5)
    assert pair.verdict == "could not have been found"
    assert found.counts()["could not have been found"] == 1


def test_topics_that_agree_exactly_are_not_certain() -> None:
    """Two of three answers on each of four topics: a standard error of 0 over topics, and an interval all the same."""
    told = [
        PreferenceRow("a", "b", winner, f"t{k}") for k in range(4) for winner in ("left", "left", "right")
    ]
    found = fit_preferences(Preferences.of(told))
    by_answer = fit_preferences(Preferences.of(told), Prefer(independent="answer"))
    assert found.standings[0].se == pytest.approx(0, abs=1e-9)
    assert found.standings[0].interval == by_answer.standings[0].interval
    assert found.pairs[0].p == pytest.approx(by_answer.pairs[0].p)


def test_what_rests_on_one_topic_has_no_interval() -> None:
    told = [PreferenceRow("a", "b", ("left", "right")[k % 2], f"t{k % 5}") for k in range(20)]
    told += [PreferenceRow("b", "c", winner, "t1") for winner in ("left", "right", "left")]
    found = fit_preferences(Preferences.of(told))
    pairs = {frozenset((each.a, each.b)): each for each in found.pairs}
    assert pairs[frozenset("bc")].p == 1
    assert pairs[frozenset("bc")].why is not None
    assert pairs[frozenset("ab")].why is None
    assert {each.interval for each in found.standings} == {"any"}
    assert all(each.why for each in found.standings)


def test_an_item_on_one_topic_has_no_interval() -> None:
    """c tied with a on one topic only: a standard error of 0, and nothing known of other topics."""
    told = [PreferenceRow("a", "b", winner, f"t{k}") for k in range(8) for winner in ("left", "right")]
    told += [PreferenceRow("a", "c", "tie", "t1")] * 4
    found = fit_preferences(Preferences.of(told))
    c = found.standing("c")
    assert (c.interval, c.open) == ("any", "both")
    assert c.why is not None
    (pair,) = [each for each in found.pairs if {each.a, each.b} == {"a", "c"}]
    assert (pair.p, pair.verdict) == (1, "could not have been found")
    assert pair.why is not None


def test_five_hundred_systems() -> None:
    rng = np.random.default_rng(0)
    rows = [
        PreferenceRow(f"s{i}", f"s{j}", "left" if rng.random() < 0.5 else "right", f"t{k % 10}")
        for k in range(4000)
        for i, j in [rng.choice(500, 2, replace=False)]
    ]
    found = fit_preferences(Preferences.of(rows))
    assert len(found.standings) == 500
    assert found.standings[0].rank == 1
    assert found.compared == 500 * 499 // 2


@pytest.fixture
def e(make: Callable[..., Evaluation]) -> Evaluation:
    rows: list[Row] = []
    for topic in ("t1", "t2"):
        text = " ".join(f"Number {k} of {topic} is here, and {k} is all it says." for k in range(6))
        rows += [Document(topic, "d1", text)]
        rows += [Summary(topic, name, f"What {name} says of {topic}.") for name in ("good", "fair", "poor")]
    return make(*rows)


def judge(e: Evaluation, of: str, *, origin: str = "human", **asked: object) -> None:
    """Whoever comes first in the alphabet loses among systems; the later sentence wins."""
    with e.store() as store:
        protocol = e.protocol(f"preference-{of}")
        sample(e.collection, store, protocol, assessors=["ann"], **asked)  # type: ignore[arg-type]
        order = {"good": 3, "fair": 2, "poor": 1}
        events = []
        for task in store.tasks(protocol=protocol.name):
            sides = [task.left or {}, task.right or {}]
            left, right = (order.get(side.get("system", ""), side.get("start", 0)) for side in sides)
            events.append(
                Event(
                    f"e-{task.id}",
                    store.evaluation,
                    task.id,
                    "ann",
                    "preference",
                    {"winner": "left" if left > right else "right"},
                    origin=origin,  # type: ignore[arg-type]
                )
            )
        store.append(events)


def test_a_folder_by_system_by_summary_and_by_sentence(e: Evaluation) -> None:
    judge(e, "summaries", count=3)
    (systems,) = e.prefer.fit("systems")
    assert [each.item for each in systems.standings] == ["good", "fair", "poor"]
    assert (systems.topics, systems.answers) == (2, 6)
    summaries = e.prefer.fit("summaries")
    assert [fit.title for fit in summaries] == ["summaries of t1", "summaries of t2"]
    assert e.prefer.fit()[0].title == "systems"
    with pytest.raises(DataError, match="no preferences between sentences yet"):
        e.prefer.fit("sentences")
    judge(e, "sentences", count=15)
    with pytest.raises(UsageError, match="say of=sentences or of=systems"):
        e.prefer.fit()
    sentences = e.prefer.fit("sentences", topics="t1", smooth=False)
    (found,) = sentences
    assert found.similarity is None
    assert [each.item[:8] for each in found.standings] == [f"Number {k}" for k in (5, 4, 3, 2, 1, 0)]
    (smooth,) = e.prefer.fit("sentences", topics="t1")
    assert smooth.similarity == "tfidf-jaccard"


def test_simulated_answers_are_said(e: Evaluation, approved: Approved) -> None:
    judge(e, "summaries", count=3, origin="simulated")
    (found,) = e.prefer.fit()
    approved(found.warnings())


def test_summaries_that_changed_are_left_out_and_said(e: Evaluation, approved: Approved) -> None:
    judge(e, "summaries", count=3)
    e.withdraw("wrong input", system="poor", topic="t1")
    (found,) = e.prefer.fit()
    assert found.answers == 4
    approved(found.warnings())


def test_answers_in_and_out_of_a_folder_are_the_same(e: Evaluation, tmp_path: Path) -> None:
    rows = [
        PreferenceRow("good", "fair", "left", "t1", "ann"),
        PreferenceRow("poor", "good", "right", "t1", "bob"),
        PreferenceRow("fair", "poor", "tie", "t2", "ann"),
        PreferenceRow("fair", "good", "skip", "t2", "bob"),
    ]
    write_preferences(tmp_path / "in.csv", rows, form="models")
    items = crowd.read([tmp_path / "in.csv"], evaluation=e.settings.name, protocol="preference-summaries")
    e.take_judgments(items)
    judgments = e.judgments()
    out = [row for topic in ("t1", "t2") for row in summary_rows(batch_of(e.collection, topic, judgments))]
    assert sorted(out, key=repr) == sorted(rows, key=repr)
    write_preferences(tmp_path / "out.csv", out, form="models")
    back = read_preferences(tmp_path / "out.csv")
    assert sorted(back.rows(), key=repr) == sorted((r for r in rows if r.winner != "skip"), key=repr)


def test_lengths_go_out_and_come_in(make: Callable[..., Evaluation], tmp_path: Path) -> None:
    rows = [Summary("t1", name, f"What {name} says.", 100) for name in ("good", "fair", "poor")]
    one, other = make(*rows, name="one"), make(*rows, name="other")
    judge(one, "summaries", count=3)
    out = list(summary_rows(batch_of(one.collection, "t1", one.judgments())))
    write_preferences(tmp_path / "out.csv", out)
    other.take_judgments(
        crowd.read([tmp_path / "out.csv"], evaluation="other", protocol="preference-summaries")
    )
    assert other.check().findings == one.check().findings
    back = list(summary_rows(batch_of(other.collection, "t1", other.judgments())))
    assert sorted(back, key=repr) == sorted(out, key=repr)
    assert {row.length for row in back} == {"100"}


def test_sentences_go_out_by_their_text_and_come_in_again(
    e: Evaluation, make: Callable[..., Evaluation], tmp_path: Path
) -> None:
    judge(e, "sentences", count=4, topics=["t2"])
    out = list(sentence_rows(batch_of(e.collection, "t2", e.judgments())))
    assert len(out) == 4
    assert all(row.left.startswith("Number ") and row.topic == "t2" and row.assessor == "ann" for row in out)
    path = tmp_path / "out.csv"
    strange = PreferenceRow("no such sentence", out[0].left, "left", "t2", "ann")
    write_preferences(path, [*out, strange, PreferenceRow("x", "y", "left", "t9")])
    other = make(*(d for own in e.collection.documents.values() for d in own), name="other")
    protocol = other.protocol("preference-sentences")
    assert is_about_sentences(path, other.collection, protocol)
    for answers in (4, 0):  # the second time nothing is new
        items = read_sentence_answers(path, other.collection, protocol, evaluation="other")
        taken = other.take_judgments(items)
        assert taken.answers == answers
        assert taken.rows.left_out == {"row about a text that is no sentence of its topic's documents": 2}
    back = list(sentence_rows(batch_of(other.collection, "t2", other.judgments())))
    assert sorted(back, key=repr) == sorted(out, key=repr)
    write_preferences(path, [PreferenceRow("good", "poor", "left", "t1", "ann")])
    assert not is_about_sentences(path, other.collection, protocol)
