"""The organiser's page: people and their links, progress by assessor and topic, flags and comments, export."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from fastapi import HTTPException, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from adjudge.core.errors import AdjudgeError, DataError
from adjudge.core.words import as_sentence, counted
from adjudge.formats.answer_table import answer_table
from adjudge.judgments.next_step import NextStep, after_judging
from adjudge.judgments.pairs.sample import ANYONE
from adjudge.judgments.protocol import NOTES, own_protocols
from adjudge.judgments.store.accounts import Account
from adjudge.judgments.store.encoding import to_json
from adjudge.judgments.store.log import OPENED
from adjudge.judgments.store.records import records
from adjudge.judgments.tasks import PROGRAMS, Judged, Task
from adjudge.web.access import Refusal, actor_of
from adjudge.web.api import visitor
from adjudge.web.outages import Outage
from adjudge.web.pages.views import render
from adjudge.web.pages.work import answers_of, is_assigned, progress
from adjudge.web.sampler import Quota, Sampler, is_copy
from adjudge.web.site import Site


@dataclass(frozen=True)
class PersonRow:
    """An assessor with what they have done; without an account, `state` says where the answers come from."""

    id: str
    name: str
    role: str
    state: str
    done: int
    tasks: int
    pairs: int
    """Answered pairs that were drawn live, or open to whoever came."""
    seen: str
    password: bool = False


@dataclass(frozen=True)
class ProgressCell:
    """Assigned pages that are judged, and all of them; and answered pairs that were nobody's before."""

    done: int = 0
    tasks: int = 0
    pairs: int = 0

    def plus(self, other: ProgressCell) -> ProgressCell:
        return ProgressCell(self.done + other.done, self.tasks + other.tasks, self.pairs + other.pairs)

    @property
    def words(self) -> str:
        """What a table shows."""
        pages = f"{self.done} of {self.tasks}" if self.tasks else ""
        return " + ".join(filter(None, (pages, counted(self.pairs, "pair") if self.pairs else ""))) or "0"


@dataclass(frozen=True)
class ProgramTotal:
    """What programs judged, of one kind: simulated, learned."""

    origin: str
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
    """Pages that people have judged,"""
    tasks: int
    """of those that are assigned to people and can be judged."""
    changed: int
    """Assigned pages that nobody can judge any more: their texts have changed."""
    unknown: tuple[str, ...]
    """Protocols that tasks name and the folder has not: their pages are left out."""
    quota: Quota | None
    """Pairs that are planned for whoever comes, where there are some."""
    programs: tuple[ProgramTotal, ...]
    origins: Mapping[str, str]
    """Of assessors that are programs: simulated, learned."""
    outages: tuple[Outage, ...]
    """When the store could not be used, since the server was started."""
    closed: bool
    """The organiser judges too and is not done: which summary is whose stays closed to them."""
    last_word: bool
    """They are done, and have not opened it yet: opening it will close their answers."""
    next: NextStep | None
    """What to do where everything is judged."""


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


def organiser_page(
    site: Site, person: str, quota: Quota | None = None, sampler: Sampler | None = None
) -> OrganiserPage:
    """Everything on the page; `quota` is what the sampler plans. People and programs are counted apart."""
    accounts = {account.person: account for account in site.store.accounts.all()}
    judged = {judgment.task.id: judgment for judgment in site.store.current()}
    origins = _origins(judged.values(), accounts)
    stored = [task for task in site.store.tasks() if task.assessor != ANYONE]
    every = [task for task in stored if site.has_protocol(task.protocol)]
    finished = {task.id for task in every if _is_done(site, task, judged.get(task.id))}
    gone = {
        task.id
        for task in every
        if task.id not in finished and is_assigned(site, task) and site.changed(task) is not None
    }
    cells: dict[tuple[str, str], ProgressCell] = {}
    for task in every:
        if task.id in gone or not (is_assigned(site, task) or task.id in finished):
            continue  # a live pair that somebody has in hand may be answered by somebody else
        new = ProgressCell(pairs=1) if is_copy(task) else ProgressCell(task.id in finished, 1)
        key = task.assessor, task.topic
        cells[key] = cells.get(key, ProgressCell()).plus(new)
    assessors = dict.fromkeys(who for who, _ in cells)
    shown = [
        *accounts,
        *sorted((name for name in assessors if name not in accounts), key=origins.__contains__),
    ]
    sums = {name: _sum(cells, name) for name in shown}
    people = [sums[name] for name in shown if name not in origins]
    closed = results_closed(site, person, sampler)
    last_word = not closed and judges_still(site, person)
    names = {member.id: member.name or "" for member in site.store.people.all()}
    done, tasks = sum(total.done for total in people), sum(total.tasks for total in people)
    planned = 0 if quota is None else quota.of
    all_judged = done >= tasks and (quota is None or quota.done >= quota.of) and tasks + planned > 0
    return OrganiserPage(
        people=tuple(
            _person(name, names.get(name, ""), accounts.get(name), sums[name], origins) for name in shown
        ),
        topics=tuple(
            topic for topic in site.collection.topics if any(topic == cell_topic for _, cell_topic in cells)
        ),
        assessors=tuple(name for name in shown if name in assessors),
        cells=cells,
        notes=tuple(_notes(judged.values(), closed or last_word)),
        done=done,
        tasks=tasks,
        changed=len(gone),
        unknown=tuple(sorted({task.protocol for task in stored if not site.has_protocol(task.protocol)})),
        quota=quota if quota is not None and quota.of else None,
        programs=tuple(_programs(origins, sums)),
        origins=origins,
        outages=site.outages.latest,
        closed=closed,
        last_word=last_word,
        next=after_judging(site.folder.path, site.store) if all_judged else None,
    )


def _origins(judged: Iterable[Judged], accounts: Container[str]) -> dict[str, str]:
    """Which assessors are programs, by what their answers say; somebody with an account is a person."""
    by_assessor: dict[str, set[str]] = {}
    for judgment in judged:
        for event in judgment.answers.values():
            by_assessor.setdefault(event.assessor, set()).add(event.origin)
    return {
        who: next(program for program in PROGRAMS if program in origins)
        for who, origins in by_assessor.items()
        if who not in accounts and origins <= set(PROGRAMS)
    }


def _programs(origins: Mapping[str, str], sums: Mapping[str, ProgressCell]) -> Iterator[ProgramTotal]:
    for origin in PROGRAMS:
        totals = [sums[who] for who, its_origin in origins.items() if its_origin == origin and who in sums]
        if totals:
            yield ProgramTotal(
                origin=origin,
                done=sum(total.done for total in totals),
                tasks=sum(total.tasks for total in totals),
            )


def _sum(cells: Mapping[tuple[str, str], ProgressCell], name: str) -> ProgressCell:
    total = ProgressCell()
    for (who, _), cell in cells.items():
        total = total.plus(cell) if who == name else total
    return total


def _is_done(site: Site, task: Task, judged: Judged | None) -> bool:
    if not site.protocol(task.protocol).IN_BROWSER:
        return False
    answers = {} if judged is None else {q: event.answer for q, event in judged.answers.items()}
    done, of = progress(site, task, answers)
    return done >= of


def _person(
    id: str, name: str, account: Account | None, total: ProgressCell, origins: Mapping[str, str]
) -> PersonRow:
    state = origins.get(id, "no account") if account is None else account.state
    return PersonRow(
        id=id,
        name=name,
        role="" if account is None else account.role,
        state=state,
        done=total.done,
        tasks=total.tasks,
        pairs=total.pairs,
        seen="" if account is None else (account.seen_at or "")[:16].replace("T", " "),
        password=account is not None and account.has_password,
    )


def _notes(judged: Iterable[Judged], closed: bool) -> list[Note]:
    """Flags and comments, the latest first."""
    notes = [
        (judgment.task, event)
        for judgment in judged
        for kind in NOTES
        if (event := judgment.answers.get(kind))
    ]
    notes.sort(key=lambda pair: -(pair[1].seq or 0))
    return [
        Note(event.question, event.answer["text"], event.assessor, task.topic, "" if closed else _where(task))
        for task, event in notes
    ]


def _where(task: Task) -> str:
    if task.peer is not None:
        return task.peer.system
    sides = [(side or {}).get("system") for side in (task.left, task.right)]
    return " / ".join(side for side in sides if side)


def results_closed(site: Site, person: str, sampler: Sampler | None) -> bool:
    """While an organiser has pages of their own to judge, whose texts they are stays closed to them."""
    if not judges_still(site, person):
        return False
    answers = answers_of(site, person)
    for task in site.tasks_of(person):
        if not site.protocol(task.protocol).IN_BROWSER or site.changed(task) is not None:
            continue  # nothing that could be judged here
        done, of = progress(site, task, answers.get(task.id, {}))
        if done < of:
            return True
    return sampler is not None and sampler.has_open(person)


def judges_still(site: Site, person: str) -> bool:
    """Whether an organiser judges, and has not opened which text is whose."""
    return person in site.judging.organisers_who_judge and not site.store.account_log.has(person, OPENED)


def open_names(request: Request) -> None:
    """Before an organiser is shown which text is whose: their own answers are closed by it, and the log says so."""
    site: Site = request.app.state.site
    me = visitor(request).person
    site.store.account_log.once(me, OPENED, actor_of(request, me))


def page(request: Request) -> Response:
    site: Site = request.app.state.site
    sampler: Sampler = request.app.state.sampler
    page = organiser_page(site, visitor(request).person, sampler.quota(), sampler)
    if any(note.where for note in page.notes):
        open_names(request)
    return render(request, "organiser.html.j2", page=page)


def link(asked: Named, request: Request) -> NewLink:
    """A new personal link; the old one opens nothing any more, the person's sessions and password end.

    Whoever holds a link can sign in by it, as an organiser too: not for one who is to stay blind.
    """
    site: Site = request.app.state.site
    me = visitor(request)
    if results_closed(site, me.person, request.app.state.sampler):
        raise Refusal(403, NO_LINKS)
    stay = me.token if asked.person == me.person else None
    actor = actor_of(request, me.person)
    try:
        if stay is None and site.store.accounts.get(asked.person).role == "organiser":
            open_names(request)  # to whoever signs in by it, they are
        return NewLink(token=site.store.accounts.renew_link(asked.person, actor=actor, stay=stay))
    except DataError as error:
        raise HTTPException(404) from error


def suspend(asked: State, request: Request) -> State:
    site: Site = request.app.state.site
    me = visitor(request).person
    if asked.person == me:
        raise HTTPException(422)  # nobody locks themselves out
    change = site.store.accounts.suspend if asked.suspended else site.store.accounts.restore
    try:
        change(asked.person, actor=actor_of(request, me))
    except DataError as error:
        raise HTTPException(404) from error
    return asked


FORMS = {"jsonl": "application/x-ndjson", "csv": "text/csv", "html": "text/html"}
NAMES = {"html": "results"}


def export(form: str, request: Request) -> Response:
    """Closed to an organiser who still judges: the answers say whose text is whose."""
    site: Site = request.app.state.site
    if form not in FORMS:
        raise HTTPException(404)
    if results_closed(site, visitor(request).person, request.app.state.sampler):
        raise HTTPException(403)
    open_names(request)
    text = {"jsonl": all_records, "csv": table, "html": results}[form](site)
    headers = {"Content-Disposition": f'attachment; filename="{NAMES.get(form, "judgments")}.{form}"'}
    return Response(text, media_type=f"{FORMS[form]}; charset=utf-8", headers=headers)


def results(site: Site) -> str:
    """What people judged is scored, and compared on the report's page, as `adjudge score` and `adjudge report` do."""
    from adjudge.evaluation import Evaluation

    evaluation = Evaluation.open(site.folder.path)
    judged = evaluation.judgments().judged_protocols()
    measures = list(dict.fromkeys(name for protocol in judged for name in protocol.measures))
    if not measures:
        raise Refusal(409, "Nobody has judged anything yet: there are no results.")
    try:
        evaluation.score(measures)
        with TemporaryDirectory() as place:
            made_at = f"{site.clock():%Y-%m-%d %H:%M} UTC"
            page, *_ = evaluation.report(place, measures, quick=True, made_at=made_at)
            return page.read_text(encoding="utf-8")
    except AdjudgeError as error:
        raise Refusal(409, as_sentence(str(error))) from error


def all_records(site: Site) -> str:
    """As `adjudge judgments export` writes them; people under their pseudonyms."""
    exported = records(site.store, pseudonyms=True, protocols=own_protocols(site.folder).values())
    return "".join(to_json(record) + "\n" for record in exported)


def table(site: Site) -> str:
    """A row per answer that counts now, as `adjudge judgments export` writes them to a CSV file."""
    return answer_table(site.store, pseudonyms=True).to_csv()
