"""How a plan is spread, counted, and what of it needs to be said. The plan itself is made in plan.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from adjudge.data.collection import Collection
from adjudge.errors import DataError
from adjudge.judgments.assign.pages import Page, PageKey, key_of, names, writer
from adjudge.judgments.assign.result import Plan, Share, Workload
from adjudge.judgments.assign.standing import Standing
from adjudge.judgments.tasks import Task
from adjudge.wording import counted, listed


def describe(
    plan: Plan,
    pages: Sequence[Page],
    allowed: Mapping[PageKey, Set[str]],
    state: Standing,
    who: Sequence[str],
    collection: Collection,
    *,
    notes: Iterable[str] = (),
    warnings: Iterable[str] = (),
) -> Plan:
    """The plan with its counts and notes."""
    nobody = [page for page in pages if not allowed[page.key] and not state.judges[page.key]]
    if len(nobody) == len(pages):
        raise DataError(_nobody_at_all(plan, pages, who))
    able = {page.key: len(state.judges[page.key] | allowed[page.key]) for page in pages}
    short = [page for page in pages if 0 < able[page.key] < plan.per_summary]
    keys = {page.key for page in pages}
    before = [task for task in state.counted if task.repeat_of is None and key_of(task) in keys]
    return replace(
        plan,
        assessors=tuple(_workloads(plan, before, who, pages)),
        topics=tuple(
            _shares(plan, before, sorted({page.topic for page in pages}), lambda task: [task.topic])
        ),
        systems=tuple(_shares(plan, before, sorted({s for page in pages for s in page.systems}), systems_of)),
        nobody=tuple(map(_name, nobody)),
        short=tuple(map(_name, short)),
        notes=(*notes, *_notes(plan, pages, nobody, short, state, who, collection)),
        warnings=tuple(f"{each}: assessors will see it, and the page is not blind" for each in warnings),
    )


def systems_of(task: Task) -> list[str]:
    """Whose summaries a task asks about."""
    sides = [side["system"] for side in (task.left, task.right) if side is not None]
    return sides or ([task.peer.system] if task.peer else [])


def _shares(
    plan: Plan, before: Sequence[Task], names: Sequence[str], of: Callable[[Task], list[str]]
) -> list[Share]:
    first = Counter(name for task in plan.tasks if task.repeat_of is None for name in of(task))
    again = Counter(name for task in plan.tasks if task.repeat_of is not None for name in of(task))
    there = Counter(name for task in before for name in of(task))
    return [Share(name, first[name], again[name], there[name]) for name in names]


def _workloads(
    plan: Plan, before: Sequence[Task], who: Sequence[str], pages: Sequence[Page]
) -> list[Workload]:
    systems = sorted({s for page in pages for s in page.systems})
    found = []
    for share in _shares(plan, before, who, lambda task: [task.assessor]):
        own = [t for t in (*before, *plan.tasks) if t.assessor == share.name and t.repeat_of is None]
        seen = Counter(system for task in own for system in systems_of(task))
        often = [seen[system] for system in systems if system != share.name]
        found.append(
            Workload(share, len({t.topic for t in own}), min(often, default=0), max(often, default=0))
        )
    return found


def _notes(
    plan: Plan,
    pages: Sequence[Page],
    nobody: Sequence[Page],
    short: Sequence[Page],
    state: Standing,
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
    if own := [name for name in who if name in writers]:
        notes.append(f"nobody judges a summary of their own ({listed(own)})")
    open_topics = sorted({p.topic for p in pages if collection.topics[p.topic].selector is None})
    if plan.phase is not None and open_topics:
        topics = counted(len(open_topics), "topic does", "topics do")
        notes.append(
            f"{topics} not say who selected the documents, so anybody may have: {listed(open_topics)}"
        )
    return notes


def _nobody_at_all(plan: Plan, pages: Sequence[Page], who: Sequence[str]) -> str:
    people = listed(list(who))
    if plan.phase is None:
        return f"nobody may judge anything: all summaries are by the assessors themselves ({people})"
    authors = sorted({writer(model) for page in pages for model in page.models})
    wrote = f"the references are by {listed(authors)}" if authors else "there are no references"
    return f"nobody may judge anything in phase {plan.phase}: {wrote}, the assessors are {people}"


def _phase(plan: Plan) -> str:
    return "" if plan.phase is None else f" in phase {plan.phase}"


def _topics(pages: Sequence[Page]) -> str:
    return listed(list(dict.fromkeys(page.topic for page in pages)))


def _name(page: Page) -> str:
    against = "" if page.reference is None else f" against {page.reference.system}"
    return f"{page.topic}/{' and '.join(page.systems)}{against}"
