"""Answers that come in from a browser: checked against what the protocol asks then, stored, acknowledged one by one.

No routes here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakValueDictionary

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

from adjudge.core.errors import ClashError, DataError
from adjudge.judgments.kinds.base import NOTES, AskedPage, NotAskedNow, Role
from adjudge.judgments.store.encoding import moment
from adjudge.judgments.store.log import OPENED
from adjudge.judgments.tasks import Ack, Event, Task, TextRef, stable_id, units_of
from adjudge.web.blind import UnitIds
from adjudge.web.site import Site

MOST = 200
"""Answers in one request; a browser that was offline for long sends several."""
LONGEST_NOTE = 10_000

Id = Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
Time = Field(default=None, max_length=40)


class Sent(BaseModel):
    """One answer, as a browser sends it. The id is made there, so that sending twice stores once."""

    model_config = ConfigDict(extra="forbid")

    id: str = Id
    task: str = Field(min_length=20, max_length=20, pattern=r"^[a-z2-7]+$")
    question: str = Field(min_length=1, max_length=200)
    answer: JsonValue = None
    base: int | None = Field(default=None, ge=1, le=2**53)
    client: str | None = Field(default=None, max_length=64)
    client_n: int | None = Field(default=None, ge=0, le=2**53)
    shown_at: str | None = Time
    answered_at: str | None = Time
    took_ms: int | None = Field(default=None, ge=0, le=2**31)


class SentEvents(BaseModel):
    model_config = ConfigDict(extra="forbid")

    events: list[Sent] = Field(min_length=1, max_length=MOST)


class Reopened(BaseModel):
    """A question that this answer changed, so that what was answered there before counts no more; and since when."""

    question: str
    seq: int


class Saved(BaseModel):
    """That an answer is on the disk. `newer` is set where an answer was there that this page had not seen."""

    id: str
    seq: int
    newer: int | None
    reopened: Reopened | None = None
    """Left out where there is none."""

    @model_serializer(mode="wrap")
    def _short(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        return {name: value for name, value in written.items() if value is not None or name != "reopened"}


class Refused(BaseModel):
    """That an answer cannot be stored, ever: sending it again changes nothing."""

    id: str
    why: str


class Receipt(BaseModel):
    saved: list[Saved]
    refused: list[Refused]


class NotAnAnswer(DataError):
    """What was judged to be no answer, ever: the one reason for which a browser may forget what it sent.

    Its text goes to the browser: it holds no id and no name.
    """


async def store_answers(site: Site, person: str, sent: Sequence[Sent]) -> Receipt:
    """Every answer on its own: one that is refused does not hold the others up. Any other error means: try again.

    One after the other: were those behind an answer that finds the store busy stored before it, it would come last when
    it is sent again, and count as the latest.
    """
    saved: list[Saved] = []
    refused: list[Refused] = []
    for answer in sent:
        try:
            task, event = await asyncio.to_thread(event_of, site, person, answer)
            if site.protocol(task.protocol).is_linked(event.question):
                saved.append(await _store_in_turn(site, task, event))
            else:
                (ack,) = await _submit(site, [event])
                saved.append(Saved(id=answer.id, seq=ack.seq, newer=ack.newer))
        except (NotAnAnswer, NotAskedNow) as error:
            refused.append(Refused(id=answer.id, why=str(error)))
    return Receipt(saved=saved, refused=refused)


async def _submit(site: Site, events: Sequence[Event]) -> list[Ack]:
    with _judging():
        stored = site.store.submit(events)  # which refuses at once what cannot be a row
    try:
        return await asyncio.wrap_future(stored)
    except ClashError as error:
        raise NotAnAnswer("this answer was sent before with other content") from error


@contextmanager
def _judging() -> Iterator[None]:
    """What is refused in here is refused for what was sent, whatever the state of files and store: keep both out."""
    try:
        yield
    except (NotAnAnswer, NotAskedNow):
        raise
    except (DataError, ValueError) as error:
        raise NotAnAnswer("not an answer to this") from error


_turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


async def _store_in_turn(site: Site, task: Task, event: Event) -> Saved:
    """Stores an answer whose question depends on other answers, or whose answer changes another question.

    Where it changes one (who marks other units than before is asked about the unmarked ones again), what was answered
    there is taken back, by an event of its own, in the same transaction. The old one stays in the history.
    """
    turn = _turns.setdefault(task.id, asyncio.Lock())
    async with turn:
        there = await asyncio.to_thread(lambda: list(site.store.events(task=task.id)))
        before = {past_event.id: past_event for past_event in there}
        again = stable_id("asked again", event.id)
        events = [event]
        if event.id not in before:  # what was sent before was checked then
            answers = latest(there, event.assessor)
            page = asked_page(site, task)
            values = {question: past_event.answer for question, past_event in answers.items()}
            page.check_now(event.question, event.answer, values)
            if (changed := page.reopened(event.question, event.answer, values)) is not None:
                old = answers[changed]
                events.append(
                    Event(
                        id=again,
                        evaluation=old.evaluation,
                        task=old.task,
                        assessor=old.assessor,
                        question=old.question,
                        answer=None,
                        base=old.seq,
                        origin=event.origin,
                        answered_at=event.answered_at,
                    )
                )
        elif again in before:
            events.append(before[again])
        acks = await _submit(site, events)
    reopened = Reopened(question=events[1].question, seq=acks[1].seq) if len(acks) > 1 else None
    return Saved(id=event.id, seq=acks[0].seq, newer=acks[0].newer, reopened=reopened)


def latest(events: Iterable[Event], assessor: str) -> dict[str, Event]:
    """A person's answers to a task that count, from all that they gave."""
    by_question = {event.question: event for event in events if event.assessor == assessor}
    return {question: event for question, event in by_question.items() if event.answer is not None}


def event_of(site: Site, person: str, sent: Sent) -> tuple[Task, Event]:
    """An answer as the store takes it; refuses what is no answer to a question of a task of this person's."""
    task = site.task(sent.task, person, cancelled=True)
    if task is None:
        raise NotAnAnswer("not an answer to this")
    if task.cancelled and all(event.id != sent.id for event in site.store.events(task=task.id)):
        raise NotAskedNow("this page was cancelled: its texts are not judged any more")
    site.protocol(task.protocol)  # read, where it was not yet
    with _judging():
        question, answer = UnitIds.of(site, task).meant(sent.question, whole(sent.answer))
        check(site, task, question, answer)
        for time in (sent.shown_at, sent.answered_at):
            if time is not None:
                moment(time)  # refuses what is no time: whoever counts minutes later relies on it
    why = None if question in NOTES else closed(site, task, person)
    if why is not None and all(event.id != sent.id for event in site.store.events(task=task.id)):
        raise NotAskedNow(why)
    event = Event(
        id=sent.id,
        evaluation=site.store.evaluation,
        task=task.id,
        assessor=person,
        question=question,
        answer=answer,
        base=sent.base,
        origin="human",
        client=sent.client,
        client_n=sent.client_n,
        shown_at=sent.shown_at,
        answered_at=sent.answered_at,
        took_ms=sent.took_ms,
    )
    return task, event


GONE_ON = "this page is closed: it is done, and you have gone on to others"
NAMES_SEEN = "your answers are closed: you have opened which text is whose"


def closed(site: Site, task: Task, person: str) -> str | None:
    """Why a person's page is closed to them, in words that hold no name; None where it is open. See closing.py."""
    if person in site.judging.organisers_who_judge and site.store.account_log.has(person, OPENED):
        return NAMES_SEEN
    if task.lease_until is None:
        return None
    answers = latest(site.store.events(task=task.id), person)
    values = {question: event.answer for question, event in answers.items()}
    return GONE_ON if asked_page(site, task).is_done(values) else None


def whole(answer: JsonValue) -> Any:
    """An answer in which halves of characters, that no page could show again, are replaced."""
    text = json.dumps(answer, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return answer


def check(site: Site, task: Task, question: str, answer: Any) -> None:
    """Refuses what no page offers for this task, whatever was answered before."""
    page = asked_page(site, task)
    if question not in NOTES and (question not in page.every or not page.protocol.IN_BROWSER):
        raise DataError("no such question")
    if question in NOTES and isinstance(answer, dict) and len(str(answer.get("text"))) > LONGEST_NOTE:
        raise DataError("a note is too long")
    page.protocol.check(question, answer, model_units=page.model, peer_units=page.peer)
    if answer is not None and set(answer) != page.protocol.fields_of(question):
        raise DataError("an answer holds what the page asks for, and nothing else")
    if question not in NOTES and site.changed(task) is not None:
        raise NotAskedNow("the texts of this page have changed since it was assigned")


def asked_page(site: Site, task: Task) -> AskedPage:
    """What the protocol asks of a task."""
    protocol = site.protocol(task.protocol)
    units = site.collection.units.get(task.topic, ())

    def ids(role: Role, text: TextRef | None) -> tuple[str, ...]:
        kind = protocol.units_shown(role)
        return () if text is None or kind is None else tuple(unit.id for unit in units_of(units, text, kind))

    return protocol.asked_page(ids("reference", task.reference), ids("peer", task.peer))
