"""Pairs to ask: never twice, never a text against itself, sides drawn; repeats swapped, checks planted."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Document, Row, Summary
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.order import GAP
from adjudge.judgments.pairs.answers import PreferenceRow, Preferences, answers_in
from adjudge.judgments.pairs.sample import ANYONE, SamplePlan, new_pairs, sample, shares
from adjudge.judgments.pairs.sides import done, pools_of
from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.tasks import ORDER_KEY, Event, Task, text_hash

SENTENCES, SUMMARIES = "preference-sentences", "preference-summaries"


@pytest.fixture
def e(make: Callable[..., Evaluation]) -> Evaluation:
    """Two topics of twelve sentences each, one of them twice, and summaries at two lengths, two the same."""
    rows: list[Row] = []
    for topic in ("t1", "t2"):
        text = " ".join(f"In {topic} the number {k} was called out by somebody loud." for k in range(12))
        rows += [
            Document(topic, "d1", text),
            Document(topic, "d2", f"In {topic} the number 3 was called out by somebody loud."),
        ]
        for length in (10, 20):
            rows += [
                Summary(topic, f"s{k}", f"Summary {k} of {topic} in {length}.", length) for k in range(4)
            ]
            rows += [Summary(topic, "same", f"Summary 0 of {topic} in {length}.", length)]
    return make(*rows)


@pytest.fixture
def store(e: Evaluation) -> Iterator[Store]:
    with e.store() as opened:
        yield opened


def ask(e: Evaluation, store: Store, protocol: str = SENTENCES, **asked: Any) -> list[Task]:
    before = {task.id for task in store.tasks()}
    sample(e.collection, store, e.protocol(protocol), **asked)
    return [task for task in store.tasks() if task.id not in before]


def pair(task: Task) -> frozenset[str]:
    return frozenset(task.hashes.values())


def test_no_pair_comes_twice_and_none_is_of_one_text(e: Evaluation, store: Store) -> None:
    first = ask(e, store, count=30)
    second = ask(e, store, count=30, seed=0)
    third = ask(e, store, count=30, seed=5)
    everything = Counter((task.topic, pair(task)) for task in first + second + third)
    assert set(everything.values()) == {1}
    assert all(len(each) == 2 for _, each in everything)
    assert len(everything) == 2 * 66  # 12 sentences: the one that stands twice is one
    with pytest.raises(DataError, match="there is no pair to ask about: t1: every pair has been asked"):
        ask(e, store, count=1)


@pytest.mark.usefixtures("secrets_drawn")
def test_the_same_seed_and_store_give_the_same_tasks(e: Evaluation, store: Store, tmp_path: Path) -> None:
    """And another store others: who knows the texts and the seed cannot compute what comes, nor the sides."""

    def said(tasks: list[Task]) -> list[tuple[object, ...]]:
        return [(t.id, t.left, t.position) for t in sorted(tasks, key=lambda task: task.position)]

    asked: dict[str, Any] = {"count": 10, "seed": 3, "assessors": ("ann",), "repeats": 0.2}
    guessed, _ = new_pairs(e.collection, store, e.protocol(SENTENCES), SamplePlan(**asked))
    store.secret(ORDER_KEY)
    store.close()
    found = []
    for name in ("one", "two", "other"):
        (tmp_path / name).mkdir()
        if name != "other":
            shutil.copy(e.path / "judgments.sqlite", tmp_path / name)
        with open_store(tmp_path / name, e.settings.name) as copy:
            found.append(said(ask(e, copy, **asked)))
    one, two, other = found
    assert one == two
    for least in (other, said(guessed)):
        assert len(one) == len(least) == 24
        assert len(set(map(str, one)) & set(map(str, least))) < 6


def test_repeats_stand_among_others(e: Evaluation, store: Store) -> None:
    """At the end of a topic they would be known, all of them."""
    line = ask(e, store, count=40, assessors=["ann"], repeats=0.2, topics=["t1"])
    line.sort(key=lambda task: task.position)
    tail = [task.repeat_of is not None for task in line][-8:]
    assert sum(task.repeat_of is not None for task in line) == 8
    assert not all(tail)
    place = {task.id: task.position for task in line}
    assert all(place[t.id] - place[t.repeat_of] >= GAP for t in line if t.repeat_of is not None)


def test_sides_are_places_with_the_hash_of_the_text(e: Evaluation, store: Store) -> None:
    for task in ask(e, store, count=5):
        assert task.left is not None
        document = next(d for d in e.collection.documents[task.topic] if d.id == task.left["document"])
        text = " ".join(document.text[task.left["start"] : task.left["end"]].split())
        assert text_hash(text) == task.hashes["left"]
        assert (task.assessor, task.protocol) == (ANYONE, SENTENCES)


def test_either_side_is_left_about_as_often(e: Evaluation, store: Store) -> None:
    """66 pairs and 66 more: within four standard errors of a half."""
    tasks = ask(e, store, count=66)
    earlier = sum(task.left["start"] < task.right["start"] for task in tasks)  # type: ignore[index]
    assert abs(earlier - 66) < 4 * (132 / 4) ** 0.5


def test_assessors_take_turns_and_nobody_gets_a_pair_twice(e: Evaluation, store: Store) -> None:
    tasks = ask(e, store, count=20, assessors=["ann", "bob", "cyd"], per_pair=2)
    assert Counter(task.assessor for task in tasks).most_common()[-1][1] >= 26  # of 80, as evenly as it goes
    assert set(Counter((task.assessor, task.topic, pair(task)) for task in tasks).values()) == {1}
    assert set(Counter((task.topic, pair(task)) for task in tasks).values()) == {2}
    for name in ("ann", "bob", "cyd"):
        own = sorted(task.position for task in tasks if task.assessor == name)
        assert own == list(range(len(own)))
    more = ask(e, store, count=2, assessors=["ann"])
    assert min(task.position for task in more) > max(t.position for t in tasks if t.assessor == "ann")


def test_open_copies_of_a_pair_stand_apart(e: Evaluation, store: Store) -> None:
    tasks = ask(e, store, count=10, per_pair=2, topics=["t1"])
    ordered = [pair(task) for task in sorted(tasks, key=lambda task: task.position)]
    assert ordered[:10] == ordered[10:]
    assert len(set(ordered[:10])) == 10


def test_repeats_come_later_with_the_sides_exchanged(e: Evaluation, store: Store) -> None:
    tasks = {task.id: task for task in ask(e, store, count=20, assessors=["ann"], repeats=0.25)}
    repeats = [task for task in tasks.values() if task.repeat_of]
    assert len(repeats) == 10
    for task in repeats:
        first = tasks[str(task.repeat_of)]
        assert (task.left, task.right) == (first.right, first.left)
        assert task.hashes["left"] == first.hashes["right"]
        assert task.position > first.position
        assert task.assessor == first.assessor


def test_summaries_are_held_against_those_of_their_length(e: Evaluation, store: Store) -> None:
    tasks = ask(e, store, SUMMARIES, count=100)
    assert all(task.left["length"] == task.right["length"] for task in tasks)  # type: ignore[index]
    assert len(tasks) == 2 * 2 * (10 - 1)  # 5 summaries, two of which are the same text
    assert not [t for t in tasks if len(pair(t)) < 2]


def test_a_topic_with_too_few_pairs_is_said(e: Evaluation, store: Store) -> None:
    found = sample(e.collection, store, e.protocol(SUMMARIES), count=100)
    assert found.pairs == {"t1": 18, "t2": 18}
    assert found.lines() == [
        "36 tasks added: 36 pairs in 2 topics (preference-summaries)",
        "t1 and t2: only 18 pairs left to ask",
    ]


def test_shares_are_even_where_there_is_room() -> None:
    assert shares(10, [100, 100]) == [5, 5]
    assert shares(10, [2, 100]) == [2, 8]
    assert shares(10, [1, 2]) == [1, 2]
    assert shares(7, [5, 5, 5]) == [3, 2, 2]
    assert shares(7, []) == []


def answer(store: Store, task: Task, winner: str = "left", who: str | None = None) -> None:
    id = f"event-{task.id}"
    store.append(
        [Event(id, store.evaluation, task.id, who or task.assessor, "preference", {"winner": winner})]
    )


def test_active_sampling_looks_at_answers_and_waits_for_others(e: Evaluation, store: Store) -> None:
    tasks = ask(e, store, count=8, assessors=["ann"], topics=["t1"])
    for task in tasks[:5]:
        answer(store, task)
    answer(store, tasks[5], "skip")
    (pool,) = pools_of(e.collection, "t1", e.protocol(SENTENCES))
    answered = {each.task.id: each.answers for each in store.current()}
    answers, waiting = answers_in(pool, store.tasks(), answered)
    assert len(answers) == 5
    assert answers.won.tolist() == [1.0] * 5
    assert sorted(waiting) == sorted(p for task in tasks[6:] if (p := pool.pair(task)))
    for how in ("information", "variance"):
        new = ask(e, store, count=6, how=how, assessors=["bob"], topics=["t1"])
        assert len(new) == 6
        assert not {pair(task) for task in new} & {pair(task) for task in tasks}
        tasks += new


def test_active_sampling_begins_without_answers(e: Evaluation, store: Store) -> None:
    assert len(ask(e, store, count=11, how="information", topics=["t2"])) == 11


def test_checks_go_to_everybody_once(e: Evaluation, store: Store) -> None:
    (pool,) = pools_of(e.collection, "t1", e.protocol(SENTENCES))
    known = Preferences.of([PreferenceRow(pool.texts[0], pool.texts[1], "left", "t1")])
    names = ["ann", "bob"]
    tasks = ask(e, store, count=4, assessors=names, topics=["t1"], checks=known)
    planted = [task for task in tasks if pair(task) == {pool.hashes[0], pool.hashes[1]}]
    assert sorted(task.assessor for task in planted) == names
    again = sample(
        e.collection, store, e.protocol(SENTENCES), count=4, assessors=names, topics=["t1"], checks=known
    )
    assert again.checks == 0
    strange = Preferences.of([PreferenceRow("no such sentence", pool.texts[1], "left", "t1")])
    with pytest.raises(DataError, match='a check compares "no such sentence" with'):
        ask(e, store, count=4, topics=["t1"], checks=strange)


def test_checks_of_systems_by_name(e: Evaluation, store: Store) -> None:
    known = Preferences.of([PreferenceRow("s1", "s2", "left")])
    found = sample(e.collection, store, e.protocol(SUMMARIES), count=1, assessors=["ann"], checks=known)
    assert found.checks == 2  # one a topic


def test_a_task_is_done_when_a_copy_of_it_is() -> None:
    side = {"system": "a", "length": None}
    first = Task("1", "e", ANYONE, SUMMARIES, "1", "t", left=side, right=side | {"system": "b"}, position=4)
    copy = Task("2", "e", "ann", SUMMARIES, "1", "t", left=side, right=side | {"system": "b"}, position=4)
    other = Task("3", "e", ANYONE, SUMMARIES, "1", "t", left=side, right=side | {"system": "b"}, position=5)
    assert done([first, copy, other], {"2": None}) == {"1", "2"}


def test_a_text_that_changed_may_be_asked_about_again(e: Evaluation, store: Store) -> None:
    (task, *_) = ask(e, store, SUMMARIES, count=100, topics=["t1"])
    pool = next(p for p in pools_of(e.collection, "t1", e.protocol(SUMMARIES)) if p.pair(task))
    assert (
        pool.pair(Task(**{**_fields(task), "hashes": {"left": "0", "right": task.hashes["right"]}})) is None
    )
    assert pool.pair(Task(**{**_fields(task), "hashes": {}})) == pool.pair(task)


def _fields(task: Task) -> dict[str, Any]:
    return {name: getattr(task, name) for name in task.__dataclass_fields__}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"how": "luck"}, "how is"),
        ({"assessors": ["a", "a"]}, "named twice"),
        ({"assessors": ["a"], "per_pair": 2}, "per pair 2 people are asked, expected 1 to 1"),
        ({"repeats": 1.5}, "repeats is 1.5"),
        ({"count": -1}, "count is -1"),
        ({"topics": ["t9"]}, 'no topic "t9"'),
    ],
)
def test_wrong_calls(e: Evaluation, store: Store, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ask(e, store, **asked)
    assert store.tasks() == []


def test_no_documents_no_pairs(make: Callable[..., Evaluation]) -> None:
    bare = make(Summary("t1", "a", "A text."), name="bare")
    with bare.store() as store, pytest.raises(DataError, match="there is no pair to ask about"):
        ask(bare, store)


def test_other_protocols_are_refused(e: Evaluation, store: Store) -> None:
    with pytest.raises(UsageError, match='"rating" is a rating protocol; expected one for preferences'):
        ask(e, store, "rating")
