"""What the store promises: acknowledgements, current answers, leases. The same on both databases."""

from __future__ import annotations

import threading
import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judgments.making import NOON, Clock, a_task, an_event, fill

from adjudge.core.errors import ClashError, DataError, FormatError, UsageError
from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.tasks import Ack, Task


@pytest.fixture
def ready(store: Store) -> Store:
    """A store with one task."""
    store.add_tasks([a_task(store)])
    return store


def answers(store: Store, topic: str | None = None) -> dict[tuple[str, str], Any]:
    return {(j.task.id, q): e.answer for j in store.current(topic) for q, e in j.answers.items()}


def test_an_event_is_acknowledged_with_its_number_and_the_time(ready: Store, clock: Clock) -> None:
    one, two = an_event(ready, {"relevant": 0.5}), an_event(ready, 2, base=1)
    assert ready.append([one]) == [Ack(one.id, 1, "2024-05-01T12:00:00.000000Z")]
    clock.move(seconds=1)
    assert ready.append([two]) == [Ack(two.id, 2, "2024-05-01T12:00:01.000000Z")]
    assert ready.last_seq() == 2
    assert list(ready.events()) == [
        replace(one, seq=1, received_at="2024-05-01T12:00:00.000000Z"),
        replace(two, seq=2, received_at="2024-05-01T12:00:01.000000Z"),
    ]


def test_an_id_sent_again_gets_its_first_acknowledgement(ready: Store, clock: Clock) -> None:
    ready.append([an_event(ready, "before")])
    event = an_event(ready, {"b": 1, "a": [0.1, None, "é"]})
    (first,) = ready.append([event])
    assert first == Ack(event.id, 2, "2024-05-01T12:00:00.000000Z", newer=1)
    clock.move(hours=1)
    ready.append([an_event(ready, "after")])
    assert ready.append([event]) == [replace(first, again=True)]
    assert ready.append([event, event]) == [replace(first, again=True)] * 2
    assert ready.append([replace(event, answer={"a": [0.1, None, "é"], "b": 1})])[0].again
    assert ready.last_seq() == 3


def test_an_id_twice_in_one_call_is_stored_once(ready: Store) -> None:
    event = an_event(ready)
    first, second = ready.append([event, event])
    assert (first.again, second.again, second.seq) == (False, True, first.seq)
    assert ready.last_seq() == 1


@pytest.mark.parametrize(
    "change",
    [
        {"answer": 1.0},
        {"answer": None},
        {"question": "other"},
        {"base": 7},
        {"origin": "imported"},
        {"task": "t2"},
        {"assessor": "bob"},
        {"client": "c"},
        {"client_n": 1},
        {"shown_at": "2024-05-01T10:00:00Z"},
        {"answered_at": "2024-05-01T10:00:00Z"},
        {"took_ms": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_id_with_other_content_is_refused(ready: Store, change: dict[str, Any]) -> None:
    ready.add_tasks([a_task(ready, "t2", assessor="bob")])
    event = an_event(ready, 1)
    ready.append([event])
    with pytest.raises(ClashError, match=rf"sent before with other content \({next(iter(change))}\)"):
        ready.append([replace(event, **change)])
    assert ready.last_seq() == 1


def test_a_call_is_stored_whole_or_not_at_all(ready: Store) -> None:
    good = an_event(ready)
    with pytest.raises(DataError, match='no task "t9" in "test-'):
        ready.append([good, an_event(ready, task="t9")])
    assert list(ready.events()) == []
    (ack,) = ready.append([good])
    assert (ack.seq, ack.again) == (1, False)


def test_who_is_not_a_person_of_the_evaluation_cannot_answer(ready: Store) -> None:
    with pytest.raises(DataError, match='no person "eve"'):
        ready.append([an_event(ready, assessor="eve")])
    ready.people.add("eve")
    assert ready.append([an_event(ready, assessor="eve", origin="adjudicated")])[0].seq == 1


def test_the_sender_is_told_of_an_answer_it_had_not_seen(ready: Store) -> None:
    def newer(base: int | None, **more: Any) -> int | None:
        return ready.append([an_event(ready, base=base, **more)])[0].newer

    assert newer(None) is None  # 1: there was none
    assert newer(1) is None  # 2: it had seen the first
    assert newer(1) == 2  # 3: it had not seen the second
    assert newer(None) == 3  # 4
    assert newer(99) == 4  # 5: a number that never was
    assert newer(None, question="other") is None  # 6: another question
    ready.people.add("bob")
    assert newer(None, assessor="bob") is None  # 7: another assessor
    first, second = ready.append([an_event(ready, base=5), an_event(ready, base=5)])
    assert (first.newer, second.newer) == (None, 8)
    assert ready.last_seq() == 9


def test_the_latest_answer_counts_and_null_takes_it_back(ready: Store) -> None:
    ready.add_tasks([a_task(ready, "t2", topic="D2")])
    ready.append([an_event(ready, 1), an_event(ready, 2), an_event(ready, "x", question="comment")])
    ready.append([an_event(ready, 5, task="t2")])
    assert answers(ready) == {("t1", "unmarked"): 2, ("t1", "comment"): "x", ("t2", "unmarked"): 5}
    ready.append([an_event(ready, None), an_event(ready, None, question="comment")])
    assert answers(ready) == {("t2", "unmarked"): 5}  # a task without answers is not among the judged
    assert answers(ready, "D1") == {}
    assert answers(ready, "D2") == {("t2", "unmarked"): 5}
    ready.append([an_event(ready, 3)])
    assert answers(ready, "D1") == {("t1", "unmarked"): 3}
    assert [e.answer for e in ready.events(task="t1")] == [1, 2, "x", None, None, 3]


def test_an_adjudicated_answer_comes_first(ready: Store) -> None:
    ready.people.add("bob")
    ready.append([an_event(ready, 1), an_event(ready, 2, assessor="bob", origin="adjudicated")])
    ready.append([an_event(ready, 3), an_event(ready, "mine", question="comment")])
    (judged,) = ready.current()
    assert {q: (e.answer, e.assessor) for q, e in judged.answers.items()} == {
        "unmarked": (2, "bob"),
        "comment": ("mine", "ann"),
    }
    assert judged.origin == "adjudicated"
    ready.append([an_event(ready, None, assessor="bob", origin="adjudicated")])
    assert answers(ready)["t1", "unmarked"] == 3


def test_tasks_come_back_as_they_were(store: Store) -> None:
    fill(store)
    first, second, third = store.task("t1"), store.task("t2"), store.task("t3")
    assert first == a_task(
        store, reference=first.reference, hashes={"peer": "ab", "reference": "cd"}, position=3
    )
    assert (second.repeat_of, second.phase, second.lease_until) == ("t1", 2, "2024-05-01T13:00:00.000000Z")
    assert (third.peer, third.right) == (None, {"system": "sys-2", "units": ["u1"]})
    assert store.tasks() == [first, second, third]
    assert store.tasks(assessor="ann") == [first, second]
    assert store.tasks(topic="D2") == store.tasks(protocol="preference") == [third]
    assert store.tasks(assessor="ann", topic="D2") == []
    with pytest.raises(DataError, match='no task "t9"'):
        store.task("t9")


def test_tasks_are_added_once(store: Store) -> None:
    tasks = [a_task(store, f"t{n}", position=-n) for n in range(1200)]
    assert store.add_tasks(tasks) == 1200
    assert store.add_tasks([*tasks[:3], *tasks[:3], a_task(store, "new", hashes={"a": "1", "b": "2"})]) == 1
    assert store.add_tasks([a_task(store, "new", hashes={"b": "2", "a": "1"})]) == 0
    assert [t.id for t in store.tasks()][:2] == ["t1199", "t1198"]
    with pytest.raises(ClashError, match=r'task "t7": is here already with other content \(topic\)'):
        store.add_tasks([a_task(store, "newer"), replace(tasks[7], topic="D9")])
    with pytest.raises(ClashError, match='"both"'):
        store.add_tasks([a_task(store, "both"), a_task(store, "both", topic="D9")])
    assert len(store.tasks()) == 1201


def test_a_repeat_repeats_a_task_that_is_there(store: Store) -> None:
    with pytest.raises(DataError, match='task "b": repeats "a", which is not there'):
        store.add_tasks([a_task(store, "b", repeat_of="a")])
    assert store.add_tasks([a_task(store, "b", repeat_of="a"), a_task(store, "a")]) == 2


def test_a_lease_is_one_persons_until_it_ends(ready: Store, clock: Clock) -> None:
    ready.people.add("bob")
    later = NOON + timedelta(minutes=10)
    task = ready.lease("t1", "bob", later)
    assert task is not None
    assert task.lease_until == "2024-05-01T12:10:00.000000Z"
    assert ready.task("t1") == task
    assert ready.lease("t1", "ann", later) is None
    assert ready.lease("t1", "bob", later + timedelta(minutes=5)) is not None  # longer
    assert not ready.release("t1", "ann")
    clock.move(minutes=15)
    assert not ready.release("t1", "bob")  # it has ended by itself
    assert ready.lease("t1", "ann", NOON + timedelta(hours=1)) is not None
    assert ready.lease("t1", "bob", NOON + timedelta(hours=1)) is None
    assert ready.release("t1", "ann")
    assert ready.task("t1").lease_until is None
    assert ready.lease("t1", "bob", NOON + timedelta(hours=1)) is not None


def test_a_lease_needs_a_task_a_person_and_a_time_zone(ready: Store) -> None:
    with pytest.raises(DataError, match='no task "t9"'):
        ready.lease("t9", "ann", NOON)
    with pytest.raises(DataError, match='no person "eve"'):
        ready.lease("t1", "eve", NOON)
    with pytest.raises(UsageError, match="has no time zone"):
        ready.lease("t1", "ann", datetime(2024, 1, 1))
    ready.add_tasks([a_task(ready, "t2", lease_until="2024-05-01T14:30:00+02:00")])
    ready.people.add("bob")
    assert ready.lease("t2", "bob", NOON + timedelta(hours=1)) is None  # it came with ann's lease
    assert ready.lease("t2", "ann", NOON + timedelta(hours=1)) is not None


def test_of_many_who_want_a_task_one_gets_it(store: Store) -> None:
    store.add_tasks([a_task(store, f"t{n}", assessor="pool") for n in range(5)])
    names = [f"a{n}" for n in range(8)]
    for name in names:
        store.people.add(name)
    got: list[str] = []

    def ask(name: str) -> None:
        for n in range(5):
            if store.lease(f"t{n}", name, NOON + timedelta(hours=1)) is not None:
                got.append(f"t{n}")

    threads = [threading.Thread(target=ask, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [f"t{n}" for n in range(5)]


def test_evaluations_that_share_a_database_do_not_meet(store: Store, where: Path | str, clock: Clock) -> None:
    fill(store)
    with open_store(where, f"{store.evaluation}-other", clock=clock) as other:
        assert (other.tasks(), list(other.events()), other.current(), other.people.all()) == ([], [], [], [])
        fill(other)  # the same ids, and the same numbers
        assert other.last_seq() == store.last_seq() == 8
        other.people.erase_name("ann")
        other.append([an_event(other, 9, assessor="p-one")])
        assert {store.evaluation, other.evaluation} <= set(store.evaluations())
    assert store.last_seq() == 8
    assert store.people.get("ann").name == "Ann Öster"


def test_what_belongs_to_another_evaluation_is_refused(ready: Store) -> None:
    with pytest.raises(DataError, match='event ".*": of the evaluation "x", and this is "test-'):
        ready.append([replace(an_event(ready), evaluation="x")])
    with pytest.raises(DataError, match='task "t7": of the evaluation "x"'):
        ready.add_tasks([replace(a_task(ready, "t7"), evaluation="x")])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"answer": float("nan")}, '"answer": it cannot be written as JSON'),
        ({"answer": {1, 2}}, '"answer": it cannot be written as JSON'),
        ({"id": ""}, '"id" is "", expected 1 to 200 characters'),
        ({"question": "q" * 201}, '"question" is "qqq.*expected 1 to 200'),
        ({"client": "a\0b"}, r'"client" is .*no database keeps'),
        ({"client": "\ud800"}, r'"client" is .*no database keeps'),
        ({"took_ms": 2**63}, '"took_ms" is "9223372036854775808", expected a whole number'),
        ({"took_ms": 1.5}, '"took_ms" is "1.5", expected a whole number'),
        ({"base": True}, '"base" is "True", expected a whole number'),
        ({"origin": "alien"}, '"origin" is "alien", expected one of: human, imported'),
        ({"assessor": None}, '"assessor" is "None", expected a text'),
    ],
)
def test_what_cannot_be_kept_is_refused_in_one_line(ready: Store, change: dict[str, Any], why: str) -> None:
    with pytest.raises(FormatError, match=why) as caught:
        ready.append([replace(an_event(ready), **change)])
    assert "\n" not in str(caught.value)
    assert ready.last_seq() == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"topic": ""}, '"topic" is ""'),
        ({"position": None}, '"position" is "None", expected a whole number'),
        ({"lease_until": "soon"}, '"soon" is not a time'),
        ({"left": [1]}, r'"left" is "\[1\]", expected an object'),
        ({"hashes": {"peer": {1}}}, '"hashes": it cannot be written'),
        ({"phase": "one"}, '"phase" is "one"'),
    ],
)
def test_a_task_that_cannot_be_kept_is_refused(store: Store, change: dict[str, Any], why: str) -> None:
    with pytest.raises(FormatError, match=f'task "t1": .*{why}'):
        store.add_tasks([replace(a_task(store), **change)])
    assert store.tasks() == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
QUIET = settings(deadline=None, max_examples=30)


@QUIET
@given(JSON)
def test_any_json_is_an_answer_and_comes_back(ready: Store, answer: Any) -> None:
    event = an_event(ready, answer, question="anything")
    (ack,) = ready.append([event])
    (back,) = ready.events(after=ack.seq - 1)
    assert back.content() == event.content()
    assert ready.append([event]) == [replace(ack, again=True)]


@QUIET
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.none() | st.integers(0, 3)), max_size=12
    )
)
def test_current_answers_are_what_a_dictionary_would_hold(
    store: Store, saved: list[tuple[str, str, int | None]]
) -> None:
    """The plain twin: the last answer by task, question and assessor, without those taken back."""
    topic = uuid.uuid4().hex
    store.add_tasks([a_task(store, topic + task, topic=topic) for task in "ab"])
    plain: dict[tuple[str, str], int | None] = {}
    for task, question, answer in saved:
        store.append([an_event(store, answer, task=topic + task, question=question)])
        plain[topic + task, question] = answer
    assert answers(store, topic) == {key: answer for key, answer in plain.items() if answer is not None}


def test_events_are_read_a_page_at_a_time(ready: Store) -> None:
    ready.append([an_event(ready, n) for n in range(2500)])
    assert [e.answer for e in ready.events()] == list(range(2500))
    assert [e.seq for e in ready.events(after=2498)] == [2499, 2500]
    assert list(ready.events(after=2500)) == []


def test_a_closed_store_takes_nothing(ready: Store) -> None:
    waiting = ready.submit([an_event(ready)])
    ready.close()
    assert waiting.result()[0].seq == 1  # what was waiting was saved first
    with pytest.raises(UsageError, match="the store is closed"):
        ready.append([an_event(ready)])
    ready.close()


def test_nothing_to_do_is_done(store: Store) -> None:
    assert store.append([]) == []
    assert store.add_tasks([]) == 0
    assert store.last_seq() == 0


def test_a_store_does_not_survive_a_fork(ready: Store) -> None:
    ready.append([an_event(ready)])
    ready.database._pid += 1  # as a forked process would see it
    try:
        for call in (lambda: ready.append([an_event(ready)]), lambda: ready.task("t1"), ready.last_seq):
            with pytest.raises(UsageError, match="opened in another process; open it anew in this one"):
                call()
    finally:
        ready.database._pid -= 1


def test_ids_are_compared_as_they_are(store: Store) -> None:
    tasks: list[Task] = [a_task(store, id, assessor="x") for id in ("B", "a", "ä", "é", "e\u0301", "T")]
    assert store.add_tasks(tasks) == 6
    assert [t.id for t in store.tasks()] == sorted(t.id for t in tasks)  # by code point, on both databases
