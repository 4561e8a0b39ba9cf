"""What judgments say to undoing a change of texts, and what becomes of their tasks.

Answers are never undone. So a change is not undone (nor made again) where that would take a text, or its units, from
under a task that shows them as they are now. A change of texts that cancels open tasks, or renames them, does the
reverse to them when it is undone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.core.errors import DataError
from adjudge.core.phrases import Argument, Call
from adjudge.core.words import counted
from adjudge.data.collection import Collection
from adjudge.data.history import HistoryEntry
from adjudge.judgments.frozen import changed
from adjudge.judgments.kinds.base import Role
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.store.edits import TOPIC, TaskEdit, refuse_merge, shown
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Task, TextRef, units_hash, units_of

CANCELLING = ("withdraw", "restore", "remove")


def plan_tasks(
    store: Store,
    entry: HistoryEntry,
    now: Collection,
    then: Collection,
    protocols: Mapping[str, Protocol],
) -> tuple[TaskEdit | None, Counter[str]]:
    """What is to be done to tasks when a change is undone, or made again, and to how many; refused where judgments or
    tasks refer to what would go. `then` is the collection afterwards."""
    tasks = store.tasks(cancelled=True)
    answered = {event.task for event in store.events()}
    edit: TaskEdit | None = None
    if (name := entry.renaming) is not None:
        edit = TaskEdit(what="rename", system=name.system, topic=name.topic, to=name.to)
        refuse_merge(store, edit)
    cancelling = entry.note.edit is not None and entry.note.edit.what in CANCELLING
    cancelled: dict[str, tuple[str, ...]] = {}
    judged, asked = [], []
    for task in tasks:
        after = task if edit is None else edit.edited(task)
        if _loses(task, after, now, then, protocols.get(task.protocol)):
            if task.id in answered:
                judged.append(task)
            elif cancelling:
                systems = tuple(shown(task)) or (TOPIC,)
                gone = (system for system in systems if not _is_there(task, system, then))
                cancelled[task.id] = tuple(dict.fromkeys((*task.cancelled, *gone)))
            elif not task.cancelled:
                asked.append(task)
        elif cancelling and task.cancelled:
            left = [s for s in task.cancelled if _is_there(task, s, now) or not _is_there(task, s, then)]
            if len(left) < len(task.cancelled):
                cancelled[task.id] = tuple(left)
    if judged or asked:
        raise DataError(_refusal(judged, asked))
    if edit is not None:
        n = sum(edit.edited(task) != task for task in tasks)
        return edit, +Counter({"renamed": n})
    if not cancelled:
        return None, Counter()
    by_id = {task.id: task for task in tasks}
    grown = sum(len(names) > len(by_id[id].cancelled) for id, names in cancelled.items())
    counts = Counter({"cancelled": grown, "restored": len(cancelled) - grown})
    return TaskEdit(what="cancel", cancelled=cancelled), +counts


def _refusal(judged: list[Task], asked: list[Task]) -> str:
    parts = [counted(len(some), one) for some, one in ((judged, "judgment"), (asked, "open task")) if some]
    protocols = sorted({task.protocol for task in (*judged, *asked)})
    removing = " and ".join(
        str(
            Call(
                command=["judgments", "remove", "EVALUATION"],
                function="Evaluation.remove_judgments()",
                arguments=[Argument("protocol", protocol), Argument("why", "WHY")],
            )
        )
        for protocol in protocols
    )
    one = judged[0] if judged else asked[0]
    who = next(shown(one), None)
    where = f"{one.topic}/{who}" if who is not None else one.topic
    verb = "refers" if len(judged) + len(asked) == 1 else "refer"
    return (
        f"{' and '.join(parts)} (the first: {where}, {one.assessor}) {verb} to what would go; answers are never undone."
        f" To take them out first: {removing}"
    )


def _loses(task: Task, after: Task, now: Collection, then: Collection, protocol: Protocol | None) -> bool:
    """Whether a task shows something that is there now, as it was when the task was made, and would not be."""
    if changed(task, now, protocol) is not None:
        return False
    pairs = zip(_seen(task, now, protocol), _seen(after, then, protocol), strict=True)
    return any(here is not None and here != there for here, there in pairs)


def _seen(task: Task, collection: Collection, protocol: Protocol | None) -> Iterator[Any]:
    """What a task refers to, one after the other: None where it is not there."""
    yield True if task.topic in collection.topics else None
    for system in shown(task):
        yield True if system in collection.systems else None
    summaries = {TextRef.of(s): s.text for s in collection.summaries.get(task.topic, ())}
    units = collection.units.get(task.topic, ())
    texts: dict[Role, TextRef | None] = {"peer": task.peer, "reference": task.reference}
    for role, text in texts.items():
        yield None if text is None else summaries.get(text)
        kind = None if protocol is None else protocol.units_shown(role)
        if kind is not None and text is not None:
            shown_units = units_of(units, text, kind)
            yield units_hash(shown_units) if shown_units else None
    for side in (task.left, task.right):
        if side is not None and "system" in side:
            yield summaries.get(TextRef.named(side))
        elif side is not None:
            documents = {document.id: document.text for document in collection.documents.get(task.topic, ())}
            yield documents.get(side.get("document", ""))
    if task.peer is None and task.left is None:  # of the topic as a whole: a pyramid of its references
        yield tuple(sorted((r.system, r.text) for r in collection.references(task.topic))) or None


def _is_there(task: Task, system: str, collection: Collection) -> bool:
    """Whether what a task was cancelled for is there: a system's summary; the topic's documents, or its references."""
    if system == TOPIC:
        return bool(collection.documents.get(task.topic) if task.left else collection.references(task.topic))
    texts = [ref for ref in (task.peer, task.reference) if ref is not None]
    texts += [
        TextRef.named(side) for side in (task.left, task.right) if side is not None and "system" in side
    ]
    there = {TextRef.of(s) for s in collection.summaries.get(task.topic, ())}
    return all(ref in there for ref in texts if ref.system == system)
