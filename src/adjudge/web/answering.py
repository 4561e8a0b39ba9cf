"""Answers that come in from a browser: checked against what the protocol asks then, stored, acknowledged one by one.

No routes here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

from adjudge.core.errors import ClashError, DataError
from adjudge.core.words import counted
from adjudge.judgments.protocol import (
    NOTES,
    PREFERENCE,
    PYRAMID,
    PYRAMID_PEER,
    TAGS,
    UNIT,
    UNMARKED,
    Protocol,
)
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


class NotAskedNow(NotAnAnswer):
    """An answer that the page does not offer as things stand."""


async def store_answers(site: Site, person: str, sent: Sequence[Sent]) -> Receipt:
    """Every answer on its own: one that is refused does not hold the others up. Any other error means: try again.

    One after the other: were those behind an answer that finds the store busy stored before it, it would come last when
    it is sent again, and count as the latest.
    """
    saved: list[Saved] = []
    refused: list[Refused] = []
    for each in sent:
        try:
            task, event = await asyncio.to_thread(event_of, site, person, each)
            if each.question == UNMARKED or each.question.startswith(UNIT):
                saved.append(await _store_in_turn(site, task, event))
            else:
                (ack,) = await _submit(site, [event])
                saved.append(Saved(id=each.id, seq=ack.seq, newer=ack.newer))
        except NotAnAnswer as error:
            refused.append(Refused(id=each.id, why=str(error)))
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
    except NotAnAnswer:
        raise
    except (DataError, ValueError) as error:
        raise NotAnAnswer("not an answer to this") from error


_turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


async def _store_in_turn(site: Site, task: Task, event: Event) -> Saved:
    """Stores an answer whose question depends on other answers, or whose answer changes another question.

    Who marks other units than before is asked about the unmarked ones again: their answer is taken back, by an event
    of its own, in the same transaction. The old one stays in the history.
    """
    turn = _turns.setdefault(task.id, asyncio.Lock())
    async with turn:
        there = await asyncio.to_thread(lambda: list(site.store.events(task=task.id)))
        before = {each.id: each for each in there}
        again = stable_id("asked again", event.id)
        events = [event]
        if event.id not in before:  # what was sent before was checked then
            answers = latest(there, event.assessor)
            page = AskedPage.of(site, task)
            page.check_now(event.question, event.answer, {q: each.answer for q, each in answers.items()})
            if page.changes_unmarked(event, answers):
                events.append(_taken_back(answers[UNMARKED], event, again))
        elif again in before:
            events.append(before[again])
        acks = await _submit(site, events)
    reopened = Reopened(question=UNMARKED, seq=acks[1].seq) if len(acks) > 1 else None
    return Saved(id=event.id, seq=acks[0].seq, newer=acks[0].newer, reopened=reopened)


def _taken_back(old: Event, cause: Event, id: str) -> Event:
    return Event(
        id=id,
        evaluation=old.evaluation,
        task=old.task,
        assessor=old.assessor,
        question=old.question,
        answer=None,
        base=old.seq,
        origin=cause.origin,
        answered_at=cause.answered_at,
    )


def latest(events: Iterable[Event], assessor: str) -> dict[str, Event]:
    """A person's answers to a task that count, from all that they gave."""
    found = {event.question: event for event in events if event.assessor == assessor}
    return {question: event for question, event in found.items() if event.answer is not None}


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
    given = {question: event.answer for question, event in answers.items()}
    return GONE_ON if AskedPage.of(site, task).is_done(given) else None


def whole(answer: JsonValue) -> Any:
    """An answer in which halves of characters, that no page could show again, are replaced."""
    text = json.dumps(answer, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return answer


FIELDS = {UNIT: {"marked", "completeness"}, UNMARKED: {"relevant"}, PREFERENCE: {"winner"}, TAGS: {"tags"}}
"""What an answer holds, by the kind of its question; notes hold a text, and all others a value."""


def check(site: Site, task: Task, question: str, answer: Any) -> None:
    """Refuses what no page offers for this task, whatever was answered before."""
    if question in (PYRAMID, PYRAMID_PEER):
        raise DataError("pyramids are not annotated here")
    page = AskedPage.of(site, task)
    if question not in NOTES and question not in page.every:
        raise DataError("no such question")
    if question in NOTES and isinstance(answer, dict) and len(str(answer.get("text"))) > LONGEST_NOTE:
        raise DataError("a note is too long")
    page.protocol.check(question, answer, model_units=page.model, peer_units=page.peer)
    kind = UNIT if question.startswith(UNIT) else question
    fields = {"text"} if question in NOTES else FIELDS.get(kind, {"value"})
    if answer is not None and set(answer) != fields:
        raise DataError("an answer holds what the page asks for, and nothing else")
    if question not in NOTES and site.changed(task) is not None:
        raise NotAskedNow("the texts of this page have changed since it was assigned")


@dataclass(frozen=True)
class AskedPage:
    """What a protocol asks of a task, which for the unmarked units depends on the other answers."""

    protocol: Protocol
    model: tuple[str, ...] = ()
    peer: tuple[str, ...] = ()

    @classmethod
    def of(cls, site: Site, task: Task) -> AskedPage:
        protocol = site.protocol(task.protocol)
        if protocol.kind != "coverage":
            return cls(protocol)
        units = site.collection.units.get(task.topic, ())

        def ids(text: TextRef | None, kind: str) -> tuple[str, ...]:
            return () if text is None else tuple(unit.id for unit in units_of(units, text, kind))

        return cls(protocol, ids(task.reference, protocol.model_units), ids(task.peer, protocol.peer_units))

    @property
    def every(self) -> list[str]:
        """The ids of all questions, asked now or later."""
        return list(self.protocol.asked(self.model))

    def unmarked(self, answers: Mapping[str, Any]) -> frozenset[str]:
        """The units of the summary that no answer marks."""
        marked = (
            answers[question]["marked"] for question in map(UNIT.__add__, self.model) if question in answers
        )
        return frozenset(self.peer).difference(*marked)

    def asked(self, answers: Mapping[str, Any]) -> list[str]:
        """The questions that are asked as things stand: of unmarked units nothing, where all are marked."""
        nothing = not self.protocol.unmarked_choices(len(self.unmarked(answers)))
        return [question for question in self.every if question != UNMARKED or not nothing]

    def standing(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """The answers that the protocol still offers. One that it does not is open again: its question has changed."""
        found: dict[str, Any] = {}
        for question in sorted(answers, key=lambda each: each == UNMARKED):
            try:
                self.protocol.check(question, answers[question], model_units=self.model, peer_units=self.peer)
                if question == UNMARKED:
                    self._check_choice(answers[question], found)
            except DataError:
                continue
            found[question] = answers[question]
        return found

    def is_done(self, answers: Mapping[str, Any]) -> bool:
        """Whether everything is answered that is asked as things stand."""
        standing = self.standing(answers)
        return all(question in standing for question in self.asked(standing))

    def check_now(self, question: str, answer: Any, answers: Mapping[str, Any]) -> None:
        """Refuses an answer to a question that is not asked yet, or not in this way."""
        if question != UNMARKED or answer is None:
            return
        standing = self.standing(answers)
        if any(f"{UNIT}{unit}" not in standing for unit in self.model):
            raise NotAskedNow(
                "the unmarked units are asked about when every unit of the reference is answered"
            )
        self._check_choice(answer, standing)

    def _check_choice(self, answer: Mapping[str, Any], answers: Mapping[str, Any]) -> None:
        unmarked = len(self.unmarked(answers))
        if not unmarked:
            raise NotAskedNow("every unit of the summary is marked: nothing is asked about unmarked ones")
        if answer["relevant"] not in [choice.value for choice in self.protocol.unmarked_choices(unmarked)]:
            units = counted(unmarked, "unmarked unit")
            raise NotAskedNow(f"this cannot be said of {units}")

    def changes_unmarked(self, event: Event, answers: Mapping[str, Event]) -> bool:
        """Whether an answer marks other units than before, and there is an answer about the unmarked ones."""
        if not event.question.startswith(UNIT) or UNMARKED not in answers:
            return False
        before = {question: each.answer for question, each in answers.items()}
        after = {**before, event.question: event.answer or {"marked": []}}
        return self.unmarked(before) != self.unmarked(after)
