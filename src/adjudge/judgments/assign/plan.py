"""Who judges what, in which order: the whole of a plan. Reads and writes nothing; see staff.py for the store."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace

import numpy as np

from adjudge.data.collection import Collection
from adjudge.engine import generator
from adjudge.errors import UsageError, quoted
from adjudge.judgments.assign import balance
from adjudge.judgments.assign.blind import named_in_texts
from adjudge.judgments.assign.order import (
    MOST,
    Order,
    check_order,
    draw_repeats,
    in_order,
    repeat_of,
    with_repeats,
)
from adjudge.judgments.assign.pages import Page, PageKey, check_phase, may_judge, pages_of, some_pairs
from adjudge.judgments.assign.result import Plan
from adjudge.judgments.assign.standing import Standing
from adjudge.judgments.assign.words import describe
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import Task


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
    new_id: Callable[[], str] = new_id,
) -> Plan:
    """Tasks for the assessors that are missing beside the `tasks` that are there.

    Every page gets `per_summary` assessors, all have as much to do, of every topic and every system, and nobody gets
    a page twice but for planted repeats, a share of everybody's tasks. Choice and order depend on the seed and the
    data alone; ids do not, so that they cannot be guessed.
    """
    who = sorted(assessors)
    _check(who, protocol, repeats, phase, pairs, order)
    found = pages_of(collection, protocol, topics)
    pages = found.pages
    state = Standing.of(pages, list(tasks), protocol, phase)
    _check_number(per_summary, {*who, *(task.assessor for task in state.counted)})
    everybody = frozenset(who)
    allowed = {page.key: may_judge(everybody, page, collection.topics[page.topic], phase) for page in pages}
    rng = generator(seed, f"assign/{protocol.name}")
    if pairs is not None:
        pages = some_pairs(pages, pairs, allowed, {key for key, names in state.judges.items() if names}, rng)
    chosen = _choose(pages, allowed, state, who, per_summary, rng)
    blank = Task("", evaluation, "", protocol.name, protocol.version, "", phase=phase)
    made: list[Task] = []
    for name in who:
        own = replace(blank, assessor=name)
        new = _tasks(own, in_order(chosen[name], order, rng), rng, new_id)
        made += _in_line(state, name, new, repeats, order, rng, new_id)
    return describe(
        Plan(protocol.name, phase, per_summary, repeats, order, seed, len(pages), tuple(made)),
        pages,
        allowed,
        state,
        who,
        collection,
        notes=found.notes,
        warnings=named_in_texts(collection, pages),
    )


def _check(
    who: Sequence[str], protocol: Protocol, repeats: float, phase: int | None, pairs: int | None, order: str
) -> None:
    twice = [name for name, n in Counter(who).items() if n > 1]
    if twice:
        raise UsageError(f"the assessor {quoted(twice[0])} is named twice")
    if not who:
        raise UsageError(
            "there are no assessors: add them with `adjudge people add`, or name them with --assessor"
        )
    if not 0 <= repeats <= MOST:
        raise UsageError(f"--repeats is {repeats:g}, expected a share from 0 to {MOST:g}")
    if pairs is not None and protocol.kind != "preference":
        raise UsageError(f"--pairs is for preferences, and {protocol.name} is a {protocol.kind} protocol")
    if pairs is not None and pairs < 1:
        raise UsageError(f"--pairs is {pairs}, expected 1 or more")
    check_phase(phase)
    check_order(order)


def _check_number(per_summary: int, people: Set[str]) -> None:
    if not 1 <= per_summary <= len(people):
        raise UsageError(
            f"--per-summary is {per_summary}, expected 1 to {len(people)}, the number of assessors"
        )


def _choose(
    pages: Sequence[Page],
    allowed: dict[PageKey, Set[str]],
    state: Standing,
    who: Sequence[str],
    per_summary: int,
    rng: np.random.Generator,
) -> dict[str, list[Page]]:
    """The new pages of everybody, with names turned into numbers for `balance` and back."""
    person = {name: k for k, name in enumerate(who)}
    topic = {name: k for k, name in enumerate(sorted({page.topic for page in pages}))}
    system = {name: k for k, name in enumerate(sorted({s for page in pages for s in page.systems}))}
    ledger = balance.Ledger(len(person), len(topic), len(system))
    for page in pages:
        for name in state.judges[page.key] & set(person):
            ledger.add(person[name], topic[page.topic], [system[s] for s in page.systems])
    ledger.load = [sum(task.repeat_of is None for task in state.line(name)) for name in who]  # on all topics
    wanted = [
        balance.Wanted(
            topic[page.topic],
            tuple(system[s] for s in page.systems),
            max(0, per_summary - len(state.judges[page.key])),
            frozenset(person[a] for a in allowed[page.key] - state.known[page.key]),
        )
        for page in pages
    ]
    given = balance.choose(wanted, ledger, rng)
    found: dict[str, list[Page]] = {name: [] for name in who}
    for page, numbers in zip(pages, given, strict=True):
        for k in sorted(numbers):
            found[who[k]].append(page)
    return found


def _tasks(
    blank: Task, pages: Iterable[Page], rng: np.random.Generator, new_id: Callable[[], str]
) -> list[Task]:
    """A task per page; of a pair, either stands left by chance."""
    return [
        replace(
            blank, id=new_id(), topic=page.topic, **page.fields(swapped=page.is_pair and rng.random() < 0.5)
        )
        for page in pages
    ]


def _in_line(
    state: Standing,
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
    start = state.end(name) + 1
    return [replace(task, position=start + k) for k, task in enumerate(with_repeats(before, new, again))]
