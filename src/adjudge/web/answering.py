"""Answers that come in from a browser: checked against the task, stored, acknowledged one by one. No routes here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from adjudge.errors import AdjudgeError, BusyError, DataError
from adjudge.judgments.protocol import NOTES, PYRAMID, PYRAMID_PEER
from adjudge.judgments.store.encoding import moment
from adjudge.judgments.tasks import Ack, Event, Task, units_of
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


class Saved(BaseModel):
    """That an answer is on the disk. `newer` is set where an answer was there that this page had not seen."""

    id: str
    seq: int
    newer: int | None


class Refused(BaseModel):
    """That an answer cannot be stored, ever: sending it again changes nothing."""

    id: str
    why: str


class Receipt(BaseModel):
    saved: list[Saved]
    refused: list[Refused]


async def store_answers(site: Site, person: str, sent: Sequence[Sent]) -> Receipt:
    """Every answer on its own: one that is refused does not hold the others up. BusyError means: try again."""
    waiting: list[tuple[Sent, Future[list[Ack]] | str]] = []
    for each in sent:
        try:
            waiting.append((each, site.store.submit([event_of(site, person, each)])))
        except BusyError:
            raise
        except (AdjudgeError, ValueError) as error:
            waiting.append((each, plain(error)))
    saved, refused = [], []
    for each, outcome in waiting:
        if isinstance(outcome, str):
            refused.append(Refused(id=each.id, why=outcome))
            continue
        try:
            ack = (await asyncio.wrap_future(outcome))[0]
        except BusyError:
            raise
        except DataError as error:
            refused.append(Refused(id=each.id, why=plain(error)))
        else:
            saved.append(Saved(id=each.id, seq=ack.seq, newer=ack.newer))
    return Receipt(saved=saved, refused=refused)


def plain(error: Exception) -> str:
    """Why an answer is refused, in words that hold no id and no name: a clash is the only one a page can cause."""
    text = str(error)
    return (
        "this answer was sent before with other content" if "sent before" in text else "not an answer to this"
    )


def event_of(site: Site, person: str, sent: Sent) -> Event:
    """An answer as the store takes it; refuses what is no answer to a question of a task of this person's."""
    task = site.task(sent.task, person)
    if task is None:
        raise DataError("no such task")
    question, answer = UnitIds.of(site, task).meant(sent.question, whole(sent.answer))
    check(site, task, question, answer)
    for time in (sent.shown_at, sent.answered_at):
        if time is not None:
            moment(time)  # refuses what is no time: whoever counts minutes later relies on it
    return Event(
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


def whole(answer: JsonValue) -> Any:
    """An answer in which halves of characters, that no page could show again, are replaced."""
    text = json.dumps(answer, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return answer


def check(site: Site, task: Task, question: str, answer: Any) -> None:
    protocol = site.protocol(task.protocol)
    if question in (PYRAMID, PYRAMID_PEER):
        raise DataError("pyramids are not annotated here")
    if question not in NOTES and answer is None and question not in asked(site, task):
        raise DataError("no such question")
    if question in NOTES and isinstance(answer, dict) and len(str(answer.get("text"))) > LONGEST_NOTE:
        raise DataError("a note is too long")
    model = peer = None
    if protocol.kind == "coverage":
        units = site.collection.units.get(task.topic, ())
        model = (
            [u.id for u in units_of(units, task.reference, protocol.model_units)] if task.reference else []
        )
        peer = [u.id for u in units_of(units, task.peer, protocol.peer_units)] if task.peer else []
    protocol.check(question, answer, model_units=model, peer_units=peer)


def asked(site: Site, task: Task) -> list[str]:
    """The ids of all questions of a task."""
    protocol = site.protocol(task.protocol)
    units: list[str] = []
    if protocol.kind == "coverage" and task.reference is not None:
        rows = site.collection.units.get(task.topic, ())
        units = [unit.id for unit in units_of(rows, task.reference, protocol.model_units)]
    return list(protocol.asked(units))
