"""Who judges what, in which order: plans for people, which a store can take, and tasks for programs."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.engine import generator
from adjudge.core.errors import ClashError, DataError, UsageError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.core.words import counted, listed
from adjudge.data.collection import Collection
from adjudge.data.rows import Summary
from adjudge.data.transaction import Transaction
from adjudge.judgments.assign import balance
from adjudge.judgments.assign.design import AssignedDesign, Cell, design_of
from adjudge.judgments.assign.order import (
    MOST,
    Order,
    check_order,
    draw_repeats,
    even_repeats,
    in_order,
    repeat_of,
    with_repeats,
)
from adjudge.judgments.assign.pages import (
    SentencePairs,
    check_phase,
    may_judge,
    names,
    pages_of,
    sentence_pages,
    some_pairs,
    writer,
)
from adjudge.judgments.judging_page import JudgingPage, PageKey, key_of
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.store import schema
from adjudge.judgments.store.appending import add_tasks
from adjudge.judgments.store.database import lock
from adjudge.judgments.store.encoding import task_row
from adjudge.judgments.store.importing import add_with_rows
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import ORDER_KEY, PROGRAMS, Task, stable_id

# The plan


@dataclass(frozen=True)
class Share:
    """What one assessor, topic or system gets: new tasks without repeats, repeats, and what was there before."""

    name: str
    tasks: int
    repeats: int
    before: int

    @property
    def total(self) -> int:
        """Everything that counts but repeats."""
        return self.tasks + self.before


@dataclass(frozen=True)
class Workload:
    """An assessor's share, and how it is spread over topics and systems, with what was there before."""

    share: Share
    topics: int
    fewest: int
    most: int
    """Of one system, without repeats; over all systems that are judged."""


@dataclass(frozen=True)
class Assignment:
    """Who judges what, in which order. `tasks` are the new ones, by assessor and position."""

    protocol: str
    phase: int | None
    per_summary: int
    repeats: float
    order: str
    seed: int
    pages: int
    tasks: tuple[Task, ...]
    assessors: tuple[Workload, ...] = ()
    topics: tuple[Share, ...] = ()
    systems: tuple[Share, ...] = ()
    nobody: tuple[str, ...] = ()
    """Pages that nobody may judge, as TOPIC/SYSTEM or TOPIC/SYSTEM against REFERENCE."""
    short: tuple[str, ...] = ()
    """Pages that fewer may judge than are wanted."""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    units: int = 0
    """Units that were made first, where the protocol needs them and summaries had none."""
    design: AssignedDesign | None = None
    """How assessors share topics and systems; None for pairs, and where fewer than two systems are judged."""

    @property
    def first(self) -> int:
        """New tasks that are no repeats."""
        return sum(workload.share.tasks for workload in self.assessors)

    @property
    def before(self) -> int:
        """Tasks that were there already and count."""
        return sum(share.before for share in self.topics)

    def as_dict(self) -> dict[str, Any]:
        """Counts and notes, without the tasks: their ids stay secret until they are stored."""
        return {
            "protocol": self.protocol,
            "phase": self.phase,
            "per_summary": self.per_summary,
            "repeats": self.repeats,
            "order": self.order,
            "seed": self.seed,
            "pages": self.pages,
            "new_tasks": len(self.tasks),
            "of_them_repeats": len(self.tasks) - self.first,
            "tasks_before": self.before,
            "units_made": self.units,
            "assessors": [
                {
                    **asdict(w.share),
                    "topics": w.topics,
                    "fewest_of_a_system": w.fewest,
                    "most_of_a_system": w.most,
                }
                for w in self.assessors
            ],
            "topics": [asdict(share) for share in self.topics],
            "systems": [asdict(share) for share in self.systems],
            "nobody_may_judge": list(self.nobody),
            "fewer_than_wanted": list(self.short),
            "design": None if self.design is None else asdict(self.design),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def title(self) -> str:
        """`rating: 264 tasks and 26 repeats for 3 assessors; 132 pages, 2 assessors each, topic by topic`."""
        phase = "" if self.phase is None else f", phase {self.phase}"
        again = len(self.tasks) - self.first
        new = counted(self.first, "task") + (f" and {counted(again, 'repeat')}" if again else "")
        there = f", {self.before:,} there before" if self.before else ""
        order = "topic by topic" if self.order == "topic" else "mixed"
        return (
            f"{self.protocol}{phase}: {new} for {counted(len(self.assessors), 'assessor')}{there};"
            f" {counted(self.pages, 'page')}, {counted(self.per_summary, 'assessor')} each, {order}"
        )

    def rows(self) -> list[tuple[object, ...]]:
        """A line per assessor: name, new tasks, repeats, before, topics, how often each system."""
        return [
            (w.share.name, w.share.tasks, w.share.repeats, w.share.before, w.topics, span([w.fewest, w.most]))
            for w in self.assessors
        ]

    def lines(self) -> list[str]:
        """How even topics and systems are, and all notes."""
        return [
            f"each topic is judged {times(self.topics)}, each system {times(self.systems)},"
            f" by each assessor {span([n for w in self.assessors for n in (w.fewest, w.most)])}",
            *self.notes,
        ]


COLUMNS = ("assessor", "tasks>", "repeats>", "before>", "topics>", "each system>")


def times(shares: Sequence[Share]) -> str:
    return f"{span([share.total for share in shares])} times"


def span(numbers: Sequence[int]) -> str:
    """`12`, or `11 to 13`."""
    if not numbers:
        return "0"
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def new_id() -> str:
    """An id that nobody can guess: one made of names would tell what is judged."""
    return secrets.token_hex(16)


def plan(
    collection: Collection,
    protocol: Protocol,
    assessors: Sequence[str],
    evaluation: str,
    *,
    tasks: Iterable[Task] = (),
    per_summary: int = 1,
    repeats: float = 0.0,
    seed: int = 0,
    phase: int | None = None,
    topics: Sequence[str] = (),
    pairs: int | None = None,
    order: Order = "topic",
    key: bytes = b"",
    new_id: Callable[[], str] = new_id,
) -> Assignment:
    """The tasks that are missing, given the `tasks` that are there.

    Every page gets `per_summary` assessors, all have as much to do, of every topic and every system, and nobody gets
    a page twice but for planted repeats, a share of everybody's tasks. Choice and order depend on the seed, the data
    and the `key` alone: who knows the systems' names, and not the key, cannot compute them. Nor can ids be guessed.
    """
    who = sorted(assessors)
    _check(who, protocol, repeats, phase, pairs, order)
    judging_pages = pages_of(collection, protocol, topics)
    pages = judging_pages.pages
    state = AssignedBefore.of(pages, list(tasks), protocol, phase)
    many = len({*who, *(task.assessor for task in state.counted)})
    if not 1 <= per_summary <= many:
        raise UsageError(
            f"{Argument('per_summary')} is {per_summary}, expected 1 to {many}, the number of assessors"
        )
    everybody = frozenset(who)
    allowed = {page.key: may_judge(everybody, page, collection.topics[page.topic], phase) for page in pages}
    rng = generator(seed, f"assign/{protocol.name}", key=key)
    if pairs is not None:
        pages = some_pairs(pages, pairs, allowed, {key for key, names in state.judges.items() if names}, rng)
    chosen = _choose(pages, allowed, state, who, per_summary, rng)
    blank = Task(
        id="",
        evaluation=evaluation,
        assessor="",
        protocol=protocol.name,
        version=protocol.version,
        topic="",
        phase=phase,
    )
    made: list[Task] = []
    for name in who:
        new = []
        for page in in_order(chosen[name], order, rng):
            fields = page.fields(swapped=page.is_pair and rng.random() < 0.5)  # which side is left is drawn
            new.append(replace(blank, assessor=name, id=new_id(), topic=page.topic, **fields))
        made += _in_line(state, name, new, repeats, order, rng, new_id)
    assignment = Assignment(
        protocol=protocol.name,
        phase=phase,
        per_summary=per_summary,
        repeats=repeats,
        order=order,
        seed=seed,
        pages=len(pages),
        tasks=tuple(made),
        notes=tuple(judging_pages.notes),
        warnings=tuple(named_in_texts(collection, pages)),
    )
    return describe(assignment, pages, allowed, state, who, collection)


def _check(
    who: Sequence[str], protocol: Protocol, repeats: float, phase: int | None, pairs: int | None, order: str
) -> None:
    twice = [name for name, n in Counter(who).items() if n > 1]
    if twice:
        raise UsageError(f"the assessor {quoted(twice[0])} is named twice")
    if not who:
        raise UsageError(
            "there are no assessors: add them with `adjudge people add`, or name them with"
            f" {Argument('assessors', flag='assessor')}"
        )
    if not 0 <= repeats <= MOST:
        raise UsageError(f"{Argument('repeats')} is {repeats:g}, expected a share from 0 to {MOST:g}")
    if pairs is not None and protocol.compares is None:
        raise UsageError(
            f"{Argument('pairs')} is for preferences, and {protocol.name} is a {protocol.kind} protocol"
        )
    if pairs is not None and pairs < 1:
        raise UsageError(f"{Argument('pairs')} is {pairs}, expected 1 or more")
    check_phase(phase)
    check_order(order)


def _choose(
    pages: Sequence[JudgingPage],
    allowed: dict[PageKey, Set[str]],
    state: AssignedBefore,
    who: Sequence[str],
    per_summary: int,
    rng: np.random.Generator,
) -> dict[str, list[JudgingPage]]:
    """The new pages of everybody, with names turned into numbers for `balance` and back."""
    person = {name: k for k, name in enumerate(who)}
    topic = {name: k for k, name in enumerate(sorted({page.topic for page in pages}))}
    system = {name: k for k, name in enumerate(sorted({s for page in pages for s in page.systems}))}
    loads = balance.Loads(len(person), len(topic), len(system))
    for page in pages:
        for name in state.judges[page.key] & set(person):
            loads.add(person[name], topic[page.topic], [system[s] for s in page.systems])
    loads.load = [sum(task.repeat_of is None for task in state.line(name)) for name in who]  # on all topics
    wanted = [
        balance.PageNeed(
            topic=topic[page.topic],
            systems=tuple(system[s] for s in page.systems),
            need=max(0, per_summary - len(state.judges[page.key])),
            allowed=frozenset(person[a] for a in allowed[page.key] - state.seen_by[page.key]),
        )
        for page in pages
    ]
    judges = balance.choose(wanted, loads, rng)
    by_assessor: dict[str, list[JudgingPage]] = {name: [] for name in who}
    for page, numbers in zip(pages, judges, strict=True):
        for k in sorted(numbers):
            by_assessor[who[k]].append(page)
    return by_assessor


def _in_line(
    state: AssignedBefore,
    name: str,
    new: Sequence[Task],
    repeats: float,
    order: Order,
    rng: np.random.Generator,
    new_id: Callable[[], str],
) -> list[Task]:
    """New tasks and repeats with their positions, after everything that the assessor has already."""
    before = state.line(name)
    fresh = {task.id for task in (*state.counted, *new)}
    drawn = draw_repeats(before, new, fresh, repeats, order, rng)
    again = [(repeat_of(task, new_id()), slot) for task, slot in drawn]
    line = with_repeats(before, new, again, rng, hold_back=order == "topic")
    start = state.end(name) + 1
    return [replace(task, position=start + k) for k, task in enumerate(line)]


# What is there already


@dataclass(frozen=True)
class AssignedBefore:
    """The tasks that are there already, of one protocol (and of one phase, if one is asked for)."""

    lines: dict[str, list[Task]]
    """Everybody's tasks in their order, whatever the page."""
    ends: dict[str, int]
    """Everybody's last position, whatever the protocol: what is new comes after it."""
    counted: tuple[Task, ...]
    """The tasks of the pages that are planned now, where the texts are as they were."""
    judges: dict[PageKey, set[str]]
    """Who judges a page."""
    seen_by: dict[PageKey, set[str]]
    """Who has a page, in any phase: they do not get it again."""
    changed: int
    """How many tasks show texts that changed since."""

    @classmethod
    def of(
        cls, pages: Iterable[JudgingPage], tasks: Sequence[Task], protocol: Protocol, phase: int | None
    ) -> AssignedBefore:
        by_key = {page.key: page for page in pages}
        lines: dict[str, list[Task]] = {}
        ends: dict[str, int] = {}
        judges: dict[PageKey, set[str]] = {key: set() for key in by_key}
        seen_by: dict[PageKey, set[str]] = {key: set() for key in by_key}
        counted, changed = [], 0
        for task in sorted(tasks, key=lambda task: (task.position, task.id)):
            ends[task.assessor] = task.position
            if (task.protocol, task.version) != (protocol.name, protocol.version):
                continue
            asked = phase is None or task.phase == phase
            if asked:
                lines.setdefault(task.assessor, []).append(task)
            page = by_key.get(key_of(task))
            if page is None:
                continue
            if not page.is_of(task):
                changed += 1
                continue
            seen_by[page.key].add(task.assessor)
            if asked:
                judges[page.key].add(task.assessor)
                counted.append(task)
        return cls(
            lines=lines, ends=ends, counted=tuple(counted), judges=judges, seen_by=seen_by, changed=changed
        )

    def line(self, assessor: str) -> list[Task]:
        return self.lines.get(assessor, [])

    def end(self, assessor: str) -> int:
        return self.ends.get(assessor, -1)


# With a store


def assign(
    store: Store | None,
    collection: Collection,
    protocol: Protocol,
    *,
    assessors: Sequence[str] = (),
    per_summary: int = 1,
    repeats: float = 0.0,
    phase: int | None = None,
    topics: Sequence[str] = (),
    pairs: int | None = None,
    order: Order = "topic",
    seed: int = 0,
    dry_run: bool = False,
    change: Transaction | None = None,
) -> Assignment:
    """Plan for a store's assessors, or those named, and add the tasks that are missing; see `plan`.

    A dry run writes nothing, and works without a store; before anything was assigned, which page goes to whom is yet to
    be drawn. A `change` of the folder's files is made with the tasks, or neither is.
    """
    who, strangers = staff(store, assessors)
    if strangers and not dry_run:
        ids = [] if store is None else [person.id for person in store.people.all()]
        name = strangers[0]
        raise DataError(f"no person {quoted(name)}{nearest(name, ids)}; add them with: adjudge people add")
    seen: list[Task] = [] if store is None else store.tasks()
    there, notes = (seen, []) if store is None else counting_tasks(store, protocol, who, seen)
    notes += [f"{name} is not among the people yet" for name in strangers]
    evaluation = collection.settings.name if store is None else store.evaluation
    assignment = plan(
        collection,
        protocol,
        who,
        evaluation,
        tasks=there,
        per_summary=per_summary,
        repeats=repeats,
        seed=seed,
        phase=phase,
        topics=topics,
        pairs=pairs,
        order=order,
        key=b"" if store is None else store.secret(ORDER_KEY, make=not dry_run),
    )
    if not dry_run and store is not None and assignment.tasks:
        mine = sum(task.protocol == protocol.name for task in seen)
        _write(store, protocol, assignment.tasks, seen=mine, change=change)
    return replace(assignment, notes=(*assignment.notes, *notes))


def staff(store: Store | None, named: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """The assessors, and those among them who are not known: the named ones, else all who may sign in to judge."""
    if named:
        ids = set() if store is None else {person.id for person in store.people.all()}
        return list(named), [name for name in dict.fromkeys(named) if name not in ids]
    accounts = [] if store is None else store.accounts.all()
    return [account.person for account in accounts if account.active and account.role == "assessor"], []


def counting_tasks(
    store: Store, protocol: Protocol, who: Sequence[str], there: Sequence[Task]
) -> tuple[Sequence[Task], list[str]]:
    """The tasks that count, and a note on those that do not.

    A task counts where its assessor can still do it, or where a person has done it. What a program answered, or what
    somebody left who is suspended or gone, is still to be judged.
    """
    present = {*who, *(account.person for account in store.accounts.all() if account.active)}
    others = {t.id for t in there if t.assessor not in present and t.protocol == protocol.name}
    if not others:
        return there, []
    done = {judged.task.id for judged in store.current() if judged.origin not in PROGRAMS}
    left = [task for task in there if task.id in others - done]
    if not left:
        return there, []
    names = listed(sorted({task.assessor for task in left}))
    note = (
        f"{counted(len(left), 'task')} of {names} not counted: neither done by a person nor theirs to do now"
    )
    return [task for task in there if task.id not in others - done], [note]


def _write(
    store: Store, protocol: Protocol, new: Sequence[Task], *, seen: int, change: Transaction | None
) -> None:
    """Adds tasks unless others were added since the plan looked: two plans at once would both fill one gap."""
    table = schema.task
    mine = (table.c.evaluation == store.evaluation) & (table.c.protocol == protocol.name)
    mine &= table.c.cancelled.is_(None)

    def check(connection: Connection) -> None:
        lock(connection, store.evaluation)
        if connection.scalar(sa.select(sa.func.count()).select_from(table).where(mine)) != seen:
            raise ClashError(f"somebody else assigned tasks of {protocol.name} just now; run it again")

    def job(connection: Connection) -> int:
        check(connection)
        return add_tasks(connection, store.evaluation, [task_row(task) for task in new])

    if change is None:
        store.change(job)
    else:
        add_with_rows(store, change, new, (), check)


# For programs


def make_tasks(
    collection: Collection,
    protocol: Protocol,
    assessors: Sequence[str],
    evaluation: str,
    *,
    per_page: int | None = None,
    repeat: float = 0.0,
    pairs: SentencePairs | None = None,
) -> list[Task]:
    """Tasks for assessors that are programs, with ids that are the same every time, assessor by assessor.

    `per_page` assessors judge each page (all of them, if it is not given), in turn topic by topic; `repeat` is the
    share of an assessor's tasks that is asked once more at the end. A protocol that compares sentences needs `pairs`;
    with them, topics that have none are left out.
    """
    if len(set(assessors)) < len(assessors):
        raise UsageError("an assessor is named twice")
    many = len(assessors) if per_page is None else per_page
    if not 1 <= many <= len(assessors):
        raise UsageError(f"per_page is {many}, expected 1 to {len(assessors)}, the number of assessors")
    if not 0 <= repeat <= 1:
        raise UsageError(f"repeat is {repeat:g}, expected a share from 0 to 1")
    of_sentences = protocol.compares == "sentences"
    if of_sentences and pairs is None:
        raise UsageError(f"{protocol.name} compares sentences, which come from whoever chooses the pairs")
    if pairs is not None and not of_sentences:
        raise UsageError(f"{protocol.name} does not compare sentences, and pairs of them are given")
    for topic in pairs or ():
        collection.need_topic(topic)
    by_assessor: dict[str, list[Task]] = {name: [] for name in assessors}
    for number, topic in enumerate(collection.topics):
        who = [assessors[(number + k) % len(assessors)] for k in range(many)]
        peers, references = collection.peers(topic), collection.references(topic)
        pages = (
            protocol.pages(topic, peers, references, collection.units.get(topic, ()))
            if pairs is None
            else sentence_pages(topic, pairs)
        )
        for page in pages:
            fields = page.fields(swapped=page.number % 2 == 1)
            what = stable_id(protocol.name, topic, *_named(fields))
            for name in who:
                id = stable_id("simulated-task", protocol.name, name, what)
                task = Task(
                    id=id,
                    evaluation=evaluation,
                    assessor=name,
                    protocol=protocol.name,
                    version=protocol.version,
                    topic=topic,
                    **fields,
                )
                by_assessor[name].append(replace(task, position=len(by_assessor[name])))
    return [task for mine in by_assessor.values() for task in (*mine, *_repeats(mine, repeat))]


def _named(fields: Mapping[str, Any]) -> Iterator[str | int | None]:
    """What the id of a page is made of: the names of its texts, or the places of its sentences."""
    for role in ("peer", "reference"):
        if fields.get(role) is not None:
            yield from fields[role].parts
    for role in ("left", "right"):
        yield from fields.get(role, {}).values()


def missing_tasks(made: Sequence[Task], there: Iterable[Task]) -> list[Task]:
    """Of tasks that were made, those that are there, or whose page the assessor does not have under another id.

    Ids are made of names: after a system got another name its pages would else be asked twice.
    """

    def page(task: Task) -> tuple[object, ...]:
        return task.assessor, task.protocol, key_of(task), task.repeat_of is None

    page_by_id = {task.id: page(task) for task in there}
    pages = set(page_by_id.values())
    renamed = {task.id for task in made if task.id not in page_by_id and page(task) in pages}
    return [task for task in made if renamed.isdisjoint((task.id, task.repeat_of))]


def _repeats(tasks: Sequence[Task], share: float) -> list[Task]:
    again = even_repeats(tasks, share, swap=False)  # as stored evaluations have them
    return [replace(task, position=len(tasks) + n) for n, task in enumerate(again)]


# In words


def describe(
    plan: Assignment,
    pages: Sequence[JudgingPage],
    allowed: Mapping[PageKey, Set[str]],
    state: AssignedBefore,
    who: Sequence[str],
    collection: Collection,
) -> Assignment:
    """The plan with its counts and notes."""
    nobody = [page for page in pages if not allowed[page.key] and not state.judges[page.key]]
    if len(nobody) == len(pages):
        raise DataError(_nobody_at_all(plan, pages, who))
    able = {page.key: len(state.judges[page.key] | allowed[page.key]) for page in pages}
    short = [page for page in pages if 0 < able[page.key] < plan.per_summary]
    keys = {page.key for page in pages}
    before = [task for task in state.counted if task.repeat_of is None and key_of(task) in keys]
    design = _design(pages, (*before, *plan.tasks))
    systems = sorted({s for page in pages for s in page.systems})
    workloads = []
    for share in _shares(plan, before, who, lambda task: [task.assessor]):
        tasks = [t for t in (*before, *plan.tasks) if t.assessor == share.name and t.repeat_of is None]
        seen = Counter(system for task in tasks for system in systems_of(task))
        often = [seen[system] for system in systems if system != share.name]
        workloads.append(
            Workload(
                share=share,
                topics=len({t.topic for t in tasks}),
                fewest=min(often, default=0),
                most=max(often, default=0),
            )
        )
    return replace(
        plan,
        design=design,
        assessors=tuple(workloads),
        topics=tuple(
            _shares(plan, before, sorted({page.topic for page in pages}), lambda task: [task.topic])
        ),
        systems=tuple(_shares(plan, before, sorted({s for page in pages for s in page.systems}), systems_of)),
        nobody=tuple(map(_name, nobody)),
        short=tuple(map(_name, short)),
        notes=(
            *plan.notes,
            *_notes(plan, pages, nobody, short, state, who, collection),
            *(() if design is None else design.sentences()),
        ),
    )


def _design(pages: Sequence[JudgingPage], tasks: Sequence[Task]) -> AssignedDesign | None:
    """Of pages that show one summary; pairs are compared otherwise."""
    if any(page.is_pair for page in pages):
        return None
    judges: dict[Cell, set[str]] = {(page.topic, s): set() for page in pages for s in page.systems}
    barred = {(page.topic, s): names(page.peers) for page in pages for s in page.systems}
    for task in tasks:
        for system in systems_of(task):
            judges[task.topic, system].add(task.assessor)
    return design_of(judges, barred)


def systems_of(task: Task) -> list[str]:
    """Whose summaries a task asks about."""
    sides = [side["system"] for side in (task.left, task.right) if side is not None]
    return sides or ([task.peer.system] if task.peer else [])


def _shares(
    plan: Assignment, before: Sequence[Task], names: Sequence[str], of: Callable[[Task], list[str]]
) -> list[Share]:
    first = Counter(name for task in plan.tasks if task.repeat_of is None for name in of(task))
    again = Counter(name for task in plan.tasks if task.repeat_of is not None for name in of(task))
    there = Counter(name for task in before for name in of(task))
    return [Share(name=name, tasks=first[name], repeats=again[name], before=there[name]) for name in names]


def _notes(
    plan: Assignment,
    pages: Sequence[JudgingPage],
    nobody: Sequence[JudgingPage],
    short: Sequence[JudgingPage],
    state: AssignedBefore,
    who: Sequence[str],
    collection: Collection,
) -> list[str]:
    notes = []
    if state.changed:
        notes.append(f"{counted(state.changed, 'task')} of texts that changed since: asked anew")
    if nobody:
        notes.append(f"{counted(len(nobody), 'page')} that nobody may judge{_phase(plan)}: {_topics(nobody)}")
    if short:
        notes.append(
            f"{counted(len(short), 'page')} that fewer than {plan.per_summary} may judge{_phase(plan)}:"
            f" {_topics(short)}"
        )
    writers = names(peer for page in pages for peer in page.peers)
    if who_wrote := [name for name in who if name in writers]:
        notes.append(f"nobody judges a summary of their own ({listed(who_wrote)})")
    open_topics = sorted({p.topic for p in pages if collection.topics[p.topic].selector is None})
    if plan.phase is not None and open_topics:
        topics = counted(len(open_topics), "topic does", "topics do")
        notes.append(
            f"{topics} not say who selected the documents, so anybody may have: {listed(open_topics)}"
        )
    return notes


def _nobody_at_all(plan: Assignment, pages: Sequence[JudgingPage], who: Sequence[str]) -> str:
    people = listed(list(who))
    if plan.phase is None:
        return f"nobody may judge anything: all summaries are by the assessors themselves ({people})"
    authors = sorted({writer(model) for page in pages for model in page.models})
    wrote = f"the references are by {listed(authors)}" if authors else "there are no references"
    return f"nobody may judge anything in phase {plan.phase}: {wrote}, the assessors are {people}"


def _phase(plan: Assignment) -> str:
    return "" if plan.phase is None else f" in phase {plan.phase}"


def _topics(pages: Sequence[JudgingPage]) -> str:
    return listed(list(dict.fromkeys(page.topic for page in pages)))


def _name(page: JudgingPage) -> str:
    against = "" if page.reference is None else f" against {page.reference.system}"
    return f"{page.topic}/{' and '.join(page.systems)}{against}"


def named_in_texts(collection: Collection, pages: Iterable[JudgingPage]) -> list[str]:
    """A warning for every text shown that holds its own system's, label's or author's name."""
    shown = {
        summary.key: summary
        for page in pages
        for summary in (*page.peers, *([page.reference] if page.reference else []))
    }
    warnings = []
    for summary in shown.values():
        name = own_name(summary, collection.label(summary.system))
        if name is not None:
            warnings.append(
                f'{summary.topic}/{summary.system} holds "{name}": assessors will see it, and the page is not blind'
            )
    return warnings


def own_name(summary: Summary, label: str) -> str | None:
    """The name that a text gives away, as a whole word and in the same case."""
    for name in dict.fromkeys((summary.system, label, summary.author)):
        if (
            name is not None
            and tells(name)
            and name in summary.text
            and re.compile(rf"(?<!\w){re.escape(name)}(?!\w)").search(summary.text)
        ):
            return name
    return None


def tells(name: str) -> bool:
    """Whether a name in a text is telling: not an ordinary word, a single letter or a number."""
    ordinary = name.isalpha() and name.islower()
    return len(name) > 1 and not name.isdigit() and not ordinary
