"""What the pages' scripts call: signing in, answers, the next pair. Thin: the work is done elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from fastapi import BackgroundTasks, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from adjudge.core.errors import AdjudgeError, DataError
from adjudge.judgments.store.accounts import check_password
from adjudge.judgments.store.log import Actor
from adjudge.judgments.store.sessions import LIFETIME
from adjudge.judgments.tasks import Task
from adjudge.web import access
from adjudge.web.access import Refusal, Visitor
from adjudge.web.answering import Receipt, SentEvents, closed, store_answers
from adjudge.web.closing import go_on
from adjudge.web.pages import tasks, work
from adjudge.web.pages.pairs import pair_page
from adjudge.web.sampler import is_copy
from adjudge.web.signing import (
    PasswordDesk,
    SignIn,
    TooManyTries,
    close,
    enter_by_link,
    enter_by_password,
    held_back,
    is_fresh,
    knows_password,
)
from adjudge.web.site import Site

PERSON_HEADER = "x-adjudge-person"
NOT_FRESH = (
    "To set a password, type the old one, or open your personal link again:"
    " for ten minutes after that the old one is not asked for."
)
WRONG_OLD = "The old password is not right."

T = TypeVar("T")


class Me(BaseModel):
    """Who is signed in, as the browser knows it; all empty where nobody is."""

    evaluation: str
    person: str | None = None
    csrf: str | None = None
    role: str | None = None


class Next(BaseModel):
    """The page to go to; None where nothing is left."""

    task: str | None


class PairsWanted(BaseModel):
    """`have` are the pairs that the page holds already, answered or not; `first` is one to begin with."""

    model_config = ConfigDict(extra="forbid")

    count: int = Field(default=3, ge=1, le=20)
    have: list[str] = Field(default_factory=list, max_length=1000)
    first: str | None = Field(default=None, max_length=20)


class PairGiven(BaseModel):
    task: str
    topic: str
    question: str | None
    ask: str
    left: list[str]
    right: list[str]
    tie: bool
    skip: bool
    title: str
    guidelines: list[str]
    answers: dict[str, tasks.Given]
    live: bool
    """Drawn for whoever comes, and not assigned to this person."""


class PairsGiven(BaseModel):
    pairs: list[PairGiven]
    done: int
    """How many pairs this person has answered."""
    of: int | None
    """How many there are for this person in all, where that is known."""
    assigned: int
    """How many are assigned to this person,"""
    assigned_done: int
    """and how many of those are answered."""
    quota: int
    """How many pairs are planned for whoever comes, all people together,"""
    quota_done: int
    """and how many of those are answered."""


class NewPassword(BaseModel):
    model_config = ConfigDict(extra="forbid")

    password: str = Field(max_length=1000)
    old: str | None = Field(default=None, max_length=1000)
    """Asked for unless whoever is signed in came by their personal link just now."""


def visitor(request: Request) -> Visitor:
    signed_in: Visitor | None = request.state.visitor
    if signed_in is None:
        raise HTTPException(401)
    return signed_in


def sender(request: Request) -> Visitor:
    """As `visitor`, for answers: they must be meant for whoever is signed in now."""
    signed_in = visitor(request)
    site: Site = request.app.state.site
    if request.headers.get(PERSON_HEADER) != site.person_key(signed_in.person):
        raise HTTPException(409)
    return signed_in


def own_task(request: Request, key: str) -> Task:
    site: Site = request.app.state.site
    task = site.task(key, visitor(request).person)
    if task is None or not site.protocol(task.protocol).IN_BROWSER:
        raise HTTPException(404)
    return task


def open_task(request: Request, key: str) -> Task:
    """As `own_task`, where it is not closed to them."""
    task = own_task(request, key)
    why = closed(request.app.state.site, task, visitor(request).person)
    if why is not None:
        raise Refusal(403, f"{why[0].upper()}{why[1:]}.")
    return task


def own_pair(request: Request, key: str) -> Task:
    task = open_task(request, key)
    if task.left is None:
        raise HTTPException(404)
    return task


async def sign_in(asked: SignIn, request: Request, response: Response, later: BackgroundTasks) -> Me:
    """With the token of a personal link, or with a name and a password."""
    site: Site = request.app.state.site
    actor = access.actor_of(request)
    if asked.token is not None:
        session = await run_in_threadpool(enter_by_link, site, actor, asked.token)
    else:
        assert asked.person is not None
        assert asked.password is not None
        who, typed = asked.person, asked.password
        session = await _at_desk(request, actor, who, lambda: enter_by_password(site, actor, who, typed))
    if session is None:
        raise HTTPException(401)
    cookie = access.cookie_of(request, site)
    response.set_cookie(value=session, max_age=int(LIFETIME.total_seconds()), **cookie)
    later.add_task(_look_ahead, site, session)
    return await run_in_threadpool(_me, site, session)


def _look_ahead(site: Site, session: str) -> None:
    """Read a person's work before the first look at it, which then waits for little; where this fails, that reads."""
    with suppress(AdjudgeError):
        if signed_in := site.store.sessions.find(session):
            work.work_of(site, signed_in.person)


async def _at_desk(request: Request, actor: Actor, person: str, job: Callable[[], T]) -> T:
    """What checks a password, in its turn; whoever tried too often is told so at once."""
    desk: PasswordDesk = request.app.state.passwords
    if await run_in_threadpool(held_back, request.app.state.site, actor, person):
        raise HTTPException(429)
    try:
        return await desk.run(job)
    except TooManyTries:
        raise HTTPException(429) from None


def me(request: Request) -> Me:
    site: Site = request.app.state.site
    signed_in: Visitor | None = request.state.visitor
    return Me(evaluation=site.key) if signed_in is None else _me(site, signed_in.token)


def _me(site: Site, session: str) -> Me:
    signed_in = site.store.sessions.find(session)
    if signed_in is None:  # ended just now
        raise HTTPException(401)
    return Me(
        evaluation=site.key,
        person=site.person_key(signed_in.person),
        csrf=access.csrf_token(site, session),
        role=signed_in.role,
    )


def sign_out(request: Request, response: Response) -> Me:
    site: Site = request.app.state.site
    signed_in: Visitor | None = request.state.visitor
    if signed_in is not None:
        close(site, signed_in.token, access.actor_of(request, signed_in.person))
        response.delete_cookie(**access.cookie_of(request, site))
    return Me(evaluation=site.key)


async def password(new: NewPassword, request: Request) -> Me:
    """Asks for the old one, or for a sign-in by link just now: a session that was left open is not enough."""
    site: Site = request.app.state.site
    desk: PasswordDesk = request.app.state.passwords
    signed_in, actor = visitor(request), access.actor_of(request, visitor(request).person)
    try:
        check_password(new.password)
    except AdjudgeError as error:
        raise HTTPException(422) from error
    if not is_fresh(site, signed_in.session):
        if new.old is None:
            raise Refusal(403, NOT_FRESH)
        old = new.old
        if not await _at_desk(
            request, actor, signed_in.person, lambda: knows_password(site, actor, signed_in.person, old)
        ):
            raise Refusal(403, WRONG_OLD)
    accounts = site.store.accounts
    try:
        await desk.run(
            lambda: accounts.set_password(
                signed_in.person, new.password, actor=actor, session=signed_in.token
            )
        )
    except DataError as error:  # signed out meanwhile
        raise HTTPException(401) from error
    return await run_in_threadpool(_me, site, signed_in.token)


def task(key: str, request: Request) -> dict[str, tasks.Given]:
    """The answers of a task that count now: another tab or another computer may have given some."""
    site: Site = request.app.state.site
    person = visitor(request).person
    opened = open_task(request, key)
    return tasks.current_answers(site, site.desk(person).judged.get(opened.id), opened, person)


def source(key: str, request: Request) -> tasks.Sources:
    return tasks.sources(request.app.state.site, own_task(request, key).topic)


def after(key: str, request: Request) -> Next:
    item = work.after(request.app.state.site, visitor(request).person, own_task(request, key))
    return Next(task=item.key if item is not None else None)


async def events(sent: SentEvents, request: Request) -> Receipt:
    receipt = await store_answers(request.app.state.site, sender(request).person, sent.events)
    request.app.state.sampler.wake()
    return receipt


def next_pairs(wanted: PairsWanted, request: Request) -> PairsGiven:
    """Pairs that are this person's to judge: assigned ones first, then what the sampler thinks tells most."""
    site: Site = request.app.state.site
    person = sender(request).person
    first = [] if wanted.first is None else [own_pair(request, wanted.first)]
    have = frozenset([*wanted.have, *(site.task_key(task) for task in first)])
    chosen = first + request.app.state.sampler.next_for(person, wanted.count, have)
    go_on(site, person, chosen)
    mine = site.desk(person).judged
    pairs = [
        _pair(site, task, tasks.current_answers(site, mine.get(task.id), task, person)) for task in chosen
    ]
    offer, quota = request.app.state.sampler.offer(person), request.app.state.sampler.quota()
    return PairsGiven(
        pairs=pairs,
        done=offer.done,
        of=offer.of,
        assigned=offer.assigned,
        assigned_done=offer.assigned_done,
        quota=quota.of,
        quota_done=quota.done,
    )


def _pair(site: Site, task: Task, answers: dict[str, tasks.Given]) -> PairGiven:
    page, protocol = pair_page(site, task), site.protocol(task.protocol)
    row = site.collection.topics.get(task.topic)
    return PairGiven(
        task=site.task_key(task),
        topic=site.topic_title(task.topic),
        question=row.question if row is not None else None,
        ask=page.ask,
        left=list(page.left),
        right=list(page.right),
        tie=page.tie,
        skip=page.skip,
        title=protocol.title,
        guidelines=list(tasks.guideline_paragraphs(protocol)),
        answers=answers,
        live=is_copy(task),
    )


def description(request: Request) -> Any:
    """The OpenAPI description of all this."""
    return request.app.openapi()
