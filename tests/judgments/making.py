"""Small tasks and events for the tests of the store; no tests here."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Event, Task, TextRef

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that stands until it is told to move."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


def a_task(store: Store, id: str = "t1", *, assessor: str = "ann", topic: str = "D1", **more: Any) -> Task:
    values: dict[str, Any] = {"protocol": "duc-2002", "version": "1", "peer": TextRef("sys-1", 100)} | more
    return Task(id, store.evaluation, assessor, topic=topic, **values)


def an_event(store: Store, answer: Any = 1, *, task: str = "t1", assessor: str = "ann", **more: Any) -> Event:
    values: dict[str, Any] = {"id": str(uuid.uuid4()), "question": "unmarked"} | more
    return Event(evaluation=store.evaluation, task=task, assessor=assessor, answer=answer, **values)


def fill(store: Store) -> None:
    """Some of everything: what the fixtures of old schemas hold, and what exports must not lose."""
    store.people.add("ann", "Ann Öster", pseudonym="p-one")
    store.people.add("bob", "Bob O'Neil", pseudonym="p-two")
    store.people.add("cem", pseudonym="p-three")
    store.add_tasks(
        [
            a_task(store, reference=TextRef("ref-A"), hashes={"peer": "ab", "reference": "cd"}, position=3),
            a_task(store, "t2", repeat_of="t1", position=9, phase=2),
            a_task(
                store,
                "t3",
                assessor="bob",
                topic="D2",
                protocol="preference",
                peer=None,
                left={"system": "sys-1", "length": None},
                right={"system": "sys-2", "units": ["u1"]},
            ),
        ]
    )
    ids = (str(uuid.UUID(int=n)) for n in range(1, 100))
    store.append(
        [
            an_event(
                store,
                {"marked": ["u1", "u2"], "completeness": 0.75},
                question="unit:m1",
                id=next(ids),
                client="tab-ann-laptop",
                client_n=1,
                shown_at="2024-05-01T11:59:00Z",
                answered_at="2024-05-01T11:59:30Z",
                took_ms=30_000,
            ),
            an_event(store, {"marked": ["u1"], "completeness": 1}, question="unit:m1", id=next(ids), base=1),
            an_event(store, {"marked": [], "completeness": 1.0}, question="unit:m1", id=next(ids), base=1),
            an_event(store, None, question="quality:1", id=next(ids)),
            an_event(
                store,
                {"text": "As Bob said: \u2028 “naïve”, 😀, \ud800, \x00 and ANN"},
                question="comment",
                id=next(ids),
            ),
        ]
    )
    store.append(
        [
            an_event(
                store, {"winner": "left"}, task="t3", assessor="bob", question="preference", id=next(ids)
            ),
            an_event(
                store,
                {"winner": "tie"},
                task="t3",
                assessor="cem",
                question="preference",
                id=next(ids),
                origin="adjudicated",
            ),
            an_event(store, {"text": "no name"}, question="flag", id=next(ids), origin="simulated"),
        ]
    )
    store.lease("t2", "cem", NOON + timedelta(hours=1))
