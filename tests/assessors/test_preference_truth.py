"""Simulated assessors before pairs of sentences: tasks from pairs handed in, truth from what sentences are worth."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from adjudge.assessors.simulated import Simulated, simulate
from adjudge.assessors.truth import EVEN, side_key, truth_from_worth, worth_by_side
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError
from adjudge.data.collection import SourceSentence
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.batch import Judgments, TopicBatch, batch_of
from adjudge.judgments.frozen import changed
from adjudge.judgments.judging_page import place_side
from adjudge.judgments.pairs.answers import human_answers
from adjudge.judgments.pairs.sides import topic_sentences
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Judged, Task, text_hash
from adjudge.measures.judged.preference_strengths import pyramid_worth, similarity_of
from adjudge.stats.preference.answers import FloatArray
from adjudge.stats.preference.next_pair import random_pairs

PROTOCOL = load_protocol("preference-sentences")
ASKED = 200
Pairs = dict[str, list[tuple[SourceSentence, SourceSentence]]]


@pytest.fixture(scope="module")
def demo(judged_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    return Evaluation.open(copytree(judged_demo, tmp_path_factory.mktemp("demo") / "e"))


@cache
def read(e: Evaluation) -> Judgments:
    return e.judgments()


def batches(e: Evaluation, *topics: str) -> dict[str, TopicBatch]:
    judgments = read(e)
    return {topic: batch_of(e.collection, topic, judgments) for topic in topics or e.collection.topics}


def worth_of(batch: TopicBatch) -> FloatArray:
    return pyramid_worth(batch, similarity_of(batch, "tfidf-jaccard"))


def drawn(some: dict[str, TopicBatch], count: int = ASKED) -> Pairs:
    found: Pairs = {}
    for topic, batch in some.items():
        sentences = topic_sentences(batch)
        pairs = random_pairs(len(sentences), count, rng=generator(1, f"test/{topic}"))
        found[topic] = [(sentences[a], sentences[b]) for a, b in pairs]
    return found


# What worth becomes


def test_worth_is_spread_over_the_scale_topic_by_topic() -> None:
    truth = truth_from_worth(
        {"t": {"a": 2.0, "b": 6.0, "c": 3.0, "d": math.nan}, "u": {"a": 7.0, "b": 7.0}, "v": {}}
    )
    assert truth.worth == {
        ("t", "a"): 0.0,
        ("t", "b"): 1.0,
        ("t", "c"): 0.25,
        ("u", "a"): EVEN,
        ("u", "b"): EVEN,
    }


def test_every_place_of_a_sentence_is_worth_the_same(demo: Evaluation) -> None:
    sentences = topic_sentences(batches(demo, "d01")["d01"])
    values = list(range(len(sentences)))
    found = worth_by_side(sentences, values)
    assert len(found) == sum(len(sentence.places) for sentence in sentences)
    assert found[side_key(place_side(sentences[3].places[0]))] == 3.0
    with pytest.raises(DataError, match="numbers for"):
        worth_by_side(sentences, values[1:])


# Tasks


def test_pairs_become_tasks_that_know_their_texts(demo: Evaluation) -> None:
    some = batches(demo, "d01", "d03")
    pairs = drawn(some, 30)
    tasks = make_tasks(demo.collection, PROTOCOL, ["a", "b"], "e", per_page=1, repeat=0.1, pairs=pairs)
    assert tasks == make_tasks(
        demo.collection, PROTOCOL, ["a", "b"], "e", per_page=1, repeat=0.1, pairs=pairs
    )
    first = [task for task in tasks if task.repeat_of is None]
    assert len(first) == 60
    assert len(tasks) == 66
    assert len({task.id for task in tasks}) == 66
    assert {task.topic for task in tasks} == {"d01", "d03"}
    left, right = pairs["d01"][0]
    task = next(t for t in first if t.topic == "d01" and t.position == 0)
    assert task.left == place_side(left.places[0])
    assert task.hashes == {"left": text_hash(left.text), "right": text_hash(right.text)}
    assert [changed(task, demo.collection, PROTOCOL) for task in tasks] == [None] * 66


def test_a_pair_that_is_chosen_twice_is_asked_once(demo: Evaluation) -> None:
    pairs = drawn(batches(demo, "d01"), 3)
    pairs["d01"] *= 2
    assert len(make_tasks(demo.collection, PROTOCOL, ["a"], "e", pairs=pairs)) == 3


def test_wrong_pairs_are_refused(demo: Evaluation) -> None:
    pairs = drawn(batches(demo, "d01"), 1)
    left, _ = pairs["d01"][0]
    with pytest.raises(UsageError, match="paired with itself"):
        make_tasks(demo.collection, PROTOCOL, ["a"], "e", pairs={"d01": [(left, left)]})
    with pytest.raises(UsageError, match='no topic "d99"'):
        make_tasks(demo.collection, PROTOCOL, ["a"], "e", pairs={"d99": []})
    with pytest.raises(UsageError, match="does not compare sentences"):
        make_tasks(demo.collection, load_protocol("preference-summaries"), ["a"], "e", pairs=pairs)
    with pytest.raises(UsageError, match="whoever chooses the pairs"):
        make_tasks(demo.collection, PROTOCOL, ["a"], "e")


# Answers


def answered(some: dict[str, TopicBatch], e: Evaluation, who: Simulated) -> list[tuple[Task, str]]:
    truth = truth_from_worth(
        {t: worth_by_side(topic_sentences(b), worth_of(b).tolist()) for t, b in some.items()}
    )
    tasks = make_tasks(e.collection, PROTOCOL, [who.name], "e", pairs=drawn(some))
    events = simulate(tasks, PROTOCOL, truth, [who], np.random.default_rng(1))
    return [(task, event.answer["winner"]) for task, event in zip(tasks, events, strict=True)]


def test_who_makes_no_mistake_says_what_the_worth_says(demo: Evaluation) -> None:
    some = batches(demo, "d01", "d02")
    for task, winner in answered(some, demo, Simulated("a", noise=0.0)):
        batch = some[task.topic]
        worth = {
            side_key(place_side(p)): w
            for s, w in zip(topic_sentences(batch), worth_of(batch), strict=True)
            for p in s.places
        }
        assert task.left is not None
        assert task.right is not None
        left, right = worth[side_key(task.left)], worth[side_key(task.right)]
        if left != right:
            assert winner == ("left" if left > right else "right")


def test_noise_makes_mistakes(demo: Evaluation) -> None:
    some = batches(demo, "d01")
    right, noisy = (answered(some, demo, Simulated("a", noise=noise)) for noise in (0.0, 0.5))
    differ = sum(one != other for one, other in zip(right, noisy, strict=True)) / len(right)
    assert 0.1 < differ < 0.6


def test_an_unknown_side_cannot_be_answered(demo: Evaluation) -> None:
    tasks = make_tasks(demo.collection, PROTOCOL, ["a"], "e", pairs=drawn(batches(demo, "d01"), 1))
    with pytest.raises(DataError, match="nothing is known of a side of"):
        list(simulate(tasks, PROTOCOL, truth_from_worth({}), [Simulated("a")], np.random.default_rng(1)))


# From end to end


def test_preferences_of_simulated_assessors_score_the_demo(demo: Evaluation) -> None:
    """Two noisy assessors answer 200 pairs a topic from what pyramids say; the measure finds the better systems."""
    some = batches(demo)
    truth = truth_from_worth(
        {t: worth_by_side(topic_sentences(b), worth_of(b).tolist()) for t, b in some.items()}
    )
    with demo.store() as store:
        evaluation = store.evaluation
    people = [Simulated("s1", noise=0.1), Simulated("s2", noise=0.3)]
    tasks = make_tasks(demo.collection, PROTOCOL, ["s1", "s2"], evaluation, per_page=1, pairs=drawn(some))
    events = simulate(tasks, PROTOCOL, truth, people, np.random.default_rng(1))
    demo.take_judgments([*(("t", task) for task in tasks), *(("t", event) for event in events)])
    read.cache_clear()
    asked = human_answers(batches(demo, "d01")["d01"])
    assert len(asked.answers) == asked.simulated == ASKED
    assert asked.left_out == {}
    specs = ("preference", "preference(source=man+ref+py)", "preference(asked=50, crowd=true)")
    found = demo.score(*specs)
    table = demo.scores()
    for spec, scored in zip(specs, found, strict=True):
        assert scored.missing == {}
        assert any("simulated" in note for note in scored.notes)
        matrix = table.matrix(spec)
        means = dict(zip(matrix.systems, matrix.values.mean(axis=0), strict=True))
        assert means["greedy-best"] > means["random"]
        assert means["ada"] > means["vague"]


def test_a_document_that_changes_takes_its_answers_along(demo: Evaluation) -> None:
    tasks = make_tasks(demo.collection, PROTOCOL, ["a"], "e", pairs=drawn(batches(demo, "d01"), 50))
    documents = demo.collection.documents["d01"]
    first = documents[0].id
    touched = [task for task in tasks if first in (task.left["document"], task.right["document"])]  # type: ignore[index]
    assert 0 < len(touched) < len(tasks)
    gone = documents.pop(0)
    try:
        found = [task for task in tasks if changed(task, demo.collection, PROTOCOL) is not None]
    finally:
        documents.insert(0, gone)
    assert found == touched
    assert Judged(touched[0]).origin == "human"
