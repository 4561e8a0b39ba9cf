"""The organiser's page: people and their links, progress by assessor and topic, flags and comments, export."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass

from fastapi import HTTPException, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from adjudge.errors import AdjudgeError
from adjudge.judgments.pairs.sample import ANYONE
from adjudge.judgments.pairs.sides import content
from adjudge.judgments.protocol import NOTES
from adjudge.judgments.store.accounts import Account
from adjudge.judgments.store.encoding import to_json
from adjudge.judgments.store.records import records
from adjudge.judgments.tasks import Judged, Task
from adjudge.web.access import Refusal, actor_of
from adjudge.web.api import visitor
from adjudge.web.pages.views import render
from adjudge.web.pages.work import answers_of, progress
from adjudge.web.site import Site


@dataclass(frozen=True)
class PersonRow:
    """A person with what they have done; `state` is none for people without an account, such as simulated ones."""

    id: str
    name: str
    role: str
    state: str
    done: int
    tasks: int
    seen: str
    password: bool = False


@dataclass(frozen=True)
class ProgressCell:
    done: int
    tasks: int


@dataclass(frozen=True)
class Note:
    """A flag or a comment, and what it stands on; `where` is empty while the results are closed."""

    kind: str
    text: str
    person: str
    topic: str
    where: str


@dataclass(frozen=True)
class OrganiserPage:
    people: tuple[PersonRow, ...]
    topics: tuple[str, ...]
    assessors: tuple[str, ...]
    cells: dict[tuple[str, str], ProgressCell]
    notes: tuple[Note, ...]
    done: int
    tasks: int
    closed: bool
    """The organiser judges too and is not done: which summary is whose stays closed to them."""


NO_LINKS = (
    "You judge too: until your own pages are done you can make no links, since each lets you in as somebody else."
    " Somebody who does not judge can, or: adjudge people link"
)


class Named(BaseModel):
    model_config = ConfigDict(extra="forbid")

    person: str = Field(min_length=1, max_length=200)


class State(Named):
    suspended: bool = True


class NewLink(BaseModel):
    """What stands behind the # of a personal link. It is said once."""

    token: str


def organiser_page(site: Site, person: str) -> OrganiserPage:
    accounts = {account.person: account for account in site.store.accounts.all()}
    tasks = _to_count(site)
    judged = {each.task.id: each for each in site.store.current()}
    finished = {task.id for task in tasks if _is_done(site, task, judged.get(task.id))}
    closed = results_closed(site, person)
    names = {each.id: each.name or "" for each in site.store.people.all()}
    shown = [*accounts, *(name for name in dict.fromkeys(t.assessor for t in tasks) if name not in accounts)]
    cells: dict[tuple[str, str], ProgressCell] = {}
    for task in tasks:
        cell = cells.get((task.assessor, task.topic), ProgressCell(0, 0))
        cells[task.assessor, task.topic] = ProgressCell(cell.done + (task.id in finished), cell.tasks + 1)
    return OrganiserPage(
        people=tuple(_person(name, names.get(name, ""), accounts.get(name), cells) for name in shown),
        topics=tuple(topic for topic in site.collection.topics if any(topic == each for _, each in cells)),
        assessors=tuple(name for name in shown if any(name == each for each, _ in cells)),
        cells=cells,
        notes=tuple(_notes(judged.values(), closed)),
        done=len(finished),
        tasks=len(tasks),
        closed=closed,
    )


def _to_count(site: Site) -> list[Task]:
    """Every page once: an open pair that somebody has got is that person's copy of it, and pyramids come elsewhere."""
    tasks = [task for task in site.store.tasks() if site.protocol(task.protocol).kind != "pyramid"]
    copied = {content(task) for task in tasks if task.assessor != ANYONE and task.left is not None}
    return [task for task in tasks if task.assessor != ANYONE or content(task) not in copied]


def _is_done(site: Site, task: Task, judged: Judged | None) -> bool:
    answers = {} if judged is None else {q: event.answer for q, event in judged.answers.items()}
    done, of = progress(site, task, answers)
    return done >= of


def _person(
    id: str, name: str, account: Account | None, cells: dict[tuple[str, str], ProgressCell]
) -> PersonRow:
    own = [cell for (who, _), cell in cells.items() if who == id]
    done, tasks = sum(cell.done for cell in own), sum(cell.tasks for cell in own)
    if account is None:
        return PersonRow(id=id, name=name, role="", state="no account", done=done, tasks=tasks, seen="")
    return PersonRow(
        id=id,
        name=name,
        role=account.role,
        state=account.state,
        done=done,
        tasks=tasks,
        seen=(account.seen_at or "")[:16].replace("T", " "),
        password=account.has_password,
    )


def _notes(judged: Iterable[Judged], closed: bool) -> list[Note]:
    """Flags and comments, the latest first."""
    given = [(each.task, event) for each in judged for kind in NOTES if (event := each.answers.get(kind))]
    given.sort(key=lambda pair: -(pair[1].seq or 0))
    return [
        Note(event.question, event.answer["text"], event.assessor, task.topic, "" if closed else _where(task))
        for task, event in given
    ]


def _where(task: Task) -> str:
    if task.peer is not None:
        return task.peer.system
    sides = [(side or {}).get("system") for side in (task.left, task.right)]
    return " / ".join(side for side in sides if side)


def results_closed(site: Site, person: str) -> bool:
    """While an organiser has pages of their own to judge, whose texts they are stays closed to them."""
    if person not in site.judging.organisers_who_judge:
        return False
    answers = answers_of(site, person)
    for task in site.tasks_of(person):
        if site.protocol(task.protocol).kind == "pyramid" or site.changed(task) is not None:
            continue  # nothing that could be judged here
        done, of = progress(site, task, answers.get(task.id, {}))
        if done < of:
            return True
    return False


def page(request: Request) -> Response:
    site: Site = request.app.state.site
    return render(request, "organiser.html.j2", page=organiser_page(site, visitor(request).person))


def link(asked: Named, request: Request) -> NewLink:
    """A new personal link; the old one opens nothing any more, the person's sessions and password end.

    Whoever holds a link can sign in by it, as an organiser too: not for one who is to stay blind.
    """
    site: Site = request.app.state.site
    me = visitor(request)
    if results_closed(site, me.person):
        raise Refusal(403, NO_LINKS)
    stay = me.token if asked.person == me.person else None
    actor = actor_of(request, me.person)
    try:
        return NewLink(token=site.store.accounts.renew_link(asked.person, actor=actor, stay=stay))
    except AdjudgeError as error:
        raise HTTPException(404) from error


def suspend(asked: State, request: Request) -> State:
    site: Site = request.app.state.site
    me = visitor(request).person
    if asked.person == me:
        raise HTTPException(422)  # nobody locks themselves out
    change = site.store.accounts.suspend if asked.suspended else site.store.accounts.restore
    try:
        change(asked.person, actor=actor_of(request, me))
    except AdjudgeError as error:
        raise HTTPException(404) from error
    return asked


FORMS = {"jsonl": "application/x-ndjson", "csv": "text/csv"}


def export(form: str, request: Request) -> Response:
    """Closed to an organiser who still judges: the answers say whose text is whose."""
    site: Site = request.app.state.site
    if form not in FORMS:
        raise HTTPException(404)
    if results_closed(site, visitor(request).person):
        raise HTTPException(403)
    text = all_records(site) if form == "jsonl" else table(site)
    headers = {"Content-Disposition": f'attachment; filename="judgments.{form}"'}
    return Response(text, media_type=f"{FORMS[form]}; charset=utf-8", headers=headers)


def all_records(site: Site) -> str:
    """As `adjudge judgments export` writes them; people under their pseudonyms."""
    return "".join(to_json(record) + "\n" for record in records(site.store, pseudonyms=True))


def table(site: Site) -> str:
    """A row per answer that counts now."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ["topic", "system", "reference", "left", "right", "protocol", "assessor", "question", "answer"]
    )
    pseudonyms = {person.id: person.pseudonym for person in site.store.people.all()}
    for judged in site.store.current():
        task = judged.task
        for question, event in sorted(judged.answers.items()):
            rows.writerow(
                [
                    task.topic,
                    task.peer.system if task.peer else "",
                    task.reference.system if task.reference else "",
                    json.dumps(task.left) if task.left else "",
                    json.dumps(task.right) if task.right else "",
                    task.protocol,
                    pseudonyms[event.assessor],
                    question,
                    json.dumps(event.answer, ensure_ascii=False),
                ]
            )
    return out.getvalue()
