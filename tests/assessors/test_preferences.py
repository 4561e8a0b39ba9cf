"""Simulated assessors: what they know, what they say, and that their faults are as planted."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from adjudge.assessors.preferences import SimulatedPreferences, simulate_preferences
from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Document, Summary, System, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import batch_of
from adjudge.judgments.pairs.answers import human_answers
from adjudge.judgments.pairs.sides import topic_sentences
from adjudge.judgments.store import guard
from adjudge.judgments.tasks import FILE
from adjudge.measures.judged.preference_strengths import reference_worth
from adjudge.text.similarity import sentence_similarity

WORDS = [
    "storm",
    "river",
    "bridge",
    "mayor",
    "rescue",
    "flood",
    "school",
    "harvest",
    "council",
    "budget",
    "museum",
    "railway",
]


@pytest.fixture
def news(make: Callable[..., Evaluation]) -> Evaluation:
    """One topic of twelve sentences, whose words the reference has more and more of; another without a reference."""
    sentences = [
        f"{' '.join(WORDS[:k])} {' '.join(f'x{k}y{j}' for j in range(12 - k))} ended.".capitalize()
        for k in range(12)
    ]
    return make(
        System("ann", kind="human"),
        Topic("t1"),
        Topic("t2"),
        Document("t1", "d1", " ".join(sentences[::2])),
        Document("t1", "d2", " ".join(sentences[1::2])),
        Document("t2", "d1", "One thing happened. Another thing did not."),
        Summary("t1", "ann", f"{' '.join(WORDS).capitalize()} ended.", None, ("reference",)),
        Summary("t1", "machine", sentences[3]),
        Summary("t2", "machine", "One thing happened."),
    )


def run(e: Evaluation, **how: object) -> SimulatedPreferences:
    return simulate_preferences(e.folder, e.collection, **{"count": 30} | how)  # type: ignore[arg-type]


def worth(e: Evaluation) -> np.ndarray:
    batch = batch_of(e.collection, "t1")
    texts = [sentence.text for sentence in topic_sentences(batch)]
    return reference_worth(batch, sentence_similarity("tfidf-jaccard", texts))


def test_without_faults_all_answers_are_right(news: Evaluation) -> None:
    found = run(news, noise=0)
    assert (found.right, found.decided, found.answers) == (30, 30, 30)
    assert found.accuracy == 1
    batch = batch_of(news.collection, "t1", news.judgments())
    given = human_answers(batch)
    values = worth(news)
    assert given.assessors == ("simulated-1", "simulated-2", "simulated-3")
    assert given.simulated == len(given.answers) == 30
    np.testing.assert_array_equal(
        given.answers.won, (values[given.answers.first] > values[given.answers.second]).astype(float)
    )


def test_faults_show(news: Evaluation) -> None:
    found = run(news, noise=0, inconsistency=1, count=40)
    assert found.right == 0  # every answer is the other one
    assert run(news, noise=5, count=20).accuracy < 1


def test_bias_is_a_lean_to_one_side(news: Evaluation) -> None:
    run(news, noise=0, bias=1, assessors=2, count=60)
    with news.store() as store:
        said = Counter(
            (j.task.assessor, e.answer["winner"]) for j in store.current() for e in j.answers.values()
        )
    # The best sentence against the worst, on the other side, is a toss.
    assert said["simulated-1", "right"] >= 29
    assert said["simulated-2", "left"] >= 29


def test_every_call_asks_something_new_until_nothing_is_left(news: Evaluation) -> None:
    assert run(news, count=40).topics == {"t1": 40}
    again = run(news, count=40)
    assert again.topics == {"t1": 26}  # of 66 pairs of twelve sentences
    assert again.why["t1"] == "only 26 pairs left to ask"
    with pytest.raises(DataError, match="there is no pair to ask about"):
        run(news, count=40)


def test_several_may_answer_a_pair(news: Evaluation) -> None:
    assert run(news, count=10, per_pair=3).answers == 30


def test_the_seed_decides(news: Evaluation, tmp_path: Path) -> None:
    def answers(name: str, seed: int) -> list[tuple[str, str]]:
        copytree(news.path, tmp_path / name)
        e = Evaluation.open(tmp_path / name)
        run(e, seed=seed)
        with e.store() as store:
            return [
                (j.task.id, event.answer["winner"]) for j in store.current() for event in j.answers.values()
            ]

    assert answers("a", 1) == answers("b", 1)
    assert answers("c", 2) != answers("d", 1)


def test_a_topic_of_which_nothing_is_known_is_named(news: Evaluation) -> None:
    found = run(news)
    assert found.why == {"t2": "no reference"}
    assert found.lines()[0] == "3 simulated assessors gave 30 answers in 1 topic, from the references"
    assert found.lines()[-1] == "t2: no reference"
    assert found.as_dict()["from"] == "ref"


def test_pyramids_that_are_not_there(news: Evaluation) -> None:
    with pytest.raises(DataError, match="origin=py: no topic has a pyramid with annotated"):
        run(news, origin="py")


def test_nothing_is_made_where_nothing_is_known(make: Callable[..., Evaluation]) -> None:
    bare = make(Summary("t1", "a", "A text."), Summary("t1", "b", "Another text."))
    with pytest.raises(DataError, match="origin=ref: no topic has a reference"):
        run(bare)
    assert not (bare.path / FILE).exists()


def test_mistakes(news: Evaluation) -> None:
    with pytest.raises(UsageError, match='origin is "man", expected one of: ref, py'):
        run(news, origin="man")
    with pytest.raises(UsageError, match="assessors is 0"):
        run(news, assessors=0)
    with pytest.raises(UsageError, match='"preference-summaries" does not ask about pairs of sentences'):
        run(news, protocol="preference-summaries")
    with pytest.raises(UsageError, match='no similarity "cosine"'):
        run(news, similarity="cosine")


def test_many_topics_with_too_few_pairs_are_counted() -> None:
    found = SimulatedPreferences("ref", 3, 5, {"t": 5}, 4, 5, 0, {f"t{k}": "short" for k in range(9)})
    assert found.lines()[2] == "9 topics got fewer answers than asked for; the first:"
    assert len(found.lines()) == 8


def test_tasks_and_answers_are_stored_together_or_not_at_all(
    news: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        guard, "_compare", lambda connection, place, shape: None
    )  # as if the trigger were ours
    news.store().close()
    with sqlite3.connect(news.path / FILE) as connection:
        connection.execute(
            "create trigger stop before insert on event begin select raise(abort, 'disk full'); end"
        )
    with pytest.raises(Exception, match="disk full"):
        run(news)
    with news.store() as store:
        assert store.tasks() == []
