"""What renaming, removing and withdrawing texts does to the tasks that show them. Events never change.

The files of a folder change first, all at once, and with them comes `PENDING`, which says what is left to do here.
Whoever opens the store next does it, in one transaction that also notes the edit's id, and then removes the file. So a
process that is killed at any moment leaves the old state, or one that the next opening completes; and an edit that
reached the store is not made twice, whatever became of the file.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.errors import AdjudgeError, ClashError, DataError, FormatError, quoted
from adjudge.data.layout import PENDING_IMPORT
from adjudge.data.transaction import Transaction
from adjudge.judgments.protocol import PYRAMID
from adjudge.judgments.store import schema
from adjudge.judgments.store.database import lock, present
from adjudge.judgments.store.encoding import stamp, task_of, task_row, to_json
from adjudge.judgments.store.importing import make_pending_import
from adjudge.judgments.tasks import PENDING, Task

if TYPE_CHECKING:
    from adjudge.judgments.store.store import Store

What = Literal["rename", "remove", "withdraw", "restore", "cancel", "forget"]
"""`forget` takes the tasks and answers of a protocol out of the store, for good; the others change tasks. `cancel` says
of each task by which systems it is cancelled, which undoes a change of texts."""
TOPIC = ""
"""Among the systems that cancel a task: the topic as a whole, of a task that shows no summary."""

_task, _event, _edit = schema.task, schema.event, schema.edit


@dataclass(frozen=True)
class TaskEdit:
    """A change of texts as tasks see it: of a system, of a topic, or of one system on one topic."""

    what: What
    system: str | None = None
    topic: str | None = None
    to: str | None = None
    protocol: str | None = None
    assessor: str | None = None
    """Of a protocol that is forgotten: whose tasks alone."""
    cancelled: Mapping[str, tuple[str, ...]] | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def edited(self, task: Task, *, judged: bool = True, pyramid: bool = False, when: str = "") -> Task:
        """The task after the change. `judged`: it has answers; `pyramid`: they name systems."""
        if self.topic not in (None, task.topic):
            return task
        match self.what:
            case "rename" if self.topic is not None:
                return replace(task, topic=self.to or task.topic)
            case "rename":
                return self._renamed(task, pyramid=pyramid, when=when)
            case "cancel":
                return replace(task, cancelled=tuple((self.cancelled or {}).get(task.id, task.cancelled)))
            case "restore":
                back = self._systems(task, task.cancelled)
                return replace(
                    task, cancelled=tuple(system for system in task.cancelled if system not in back)
                )
            case _:
                gone = () if judged else self._systems(task, tuple(shown(task)) or (TOPIC,))
                return replace(task, cancelled=tuple(dict.fromkeys((*task.cancelled, *gone))))

    def touches(self, task: Task) -> bool:
        """Whether the change is about a text that the task shows."""
        if self.topic not in (None, task.topic):
            return False
        return bool(self._systems(task, tuple(shown(task)) or (TOPIC,)))

    def _systems(self, task: Task, among: tuple[str, ...]) -> tuple[str, ...]:
        """Which of a task's systems the change is about.

        A pair of sentences shows documents: those can be removed, not withdrawn.
        """
        if self.system is not None:
            return tuple(system for system in among if system == self.system)
        sentences = task.left is not None and "document" in task.left
        return () if sentences and self.what in ("withdraw", "restore") else among

    def _renamed(self, task: Task, *, pyramid: bool, when: str) -> Task:
        old, new = self.system or "", self.to or ""

        def named(text: Any) -> Any:
            return replace(text, system=new) if text is not None and text.system == old else text

        def side(value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
            return {**value, "system": new} if value is not None and value.get("system") == old else value

        return replace(
            task,
            peer=named(task.peer),
            reference=named(task.reference),
            left=side(task.left),
            right=side(task.right),
            cancelled=tuple(new if system == old else system for system in task.cancelled),
            renamed=(*task.renamed, (when, old, new)) if pyramid else task.renamed,
        )

    def to_json(self) -> str:
        return to_json(asdict(self))

    @classmethod
    def from_json(cls, text: str, path: Path) -> TaskEdit:
        try:
            edit = cls(**json.loads(text))
            values = (edit.what, edit.system, edit.topic, edit.to, edit.protocol, edit.assessor, edit.id)
            if edit.what not in get_args(What) or not all(isinstance(v, str | None) for v in values):
                raise ValueError
            for systems in (edit.cancelled or {}).values():
                if not isinstance(systems, list) or not all(isinstance(s, str) for s in systems):
                    raise ValueError
        except (TypeError, ValueError, AttributeError, RecursionError):
            raise FormatError(
                "not a change of tasks that Adjudge wrote; remove it to go on without it", file=path
            ) from None
        return edit


def shown(task: Task) -> Iterator[str]:
    """Whose summaries a task shows."""
    for text in (task.peer, task.reference):
        if text is not None:
            yield text.system
    for side in (task.left, task.right):
        if side is not None and "system" in side:
            yield side["system"]


def count_edit(store: Store, edit: TaskEdit) -> Counter[str]:
    """What an edit is going to do: how many tasks it renames, cancels or restores; how many judgments it keeps."""
    with store.database.reading() as connection:
        changed = list(_edited(connection, store.evaluation, edit, ""))
        judged = _asked(connection, store.evaluation)
        tasks = _tasks(connection, store.evaluation)
        kept = sum(edit.touches(task) for task in tasks if task.id in judged)
    done = {"rename": "renamed", "restore": "restored"}.get(edit.what, "cancelled")
    return +Counter({done: len(changed), "judged": kept})


def refuse_merge(store: Store, edit: TaskEdit) -> None:
    """A new name must not be that of a system or topic which has tasks, though its texts were removed."""
    if edit.what != "rename":
        return
    name, other = (
        ("system", replace(edit, system=edit.to)) if edit.system else ("topic", replace(edit, topic=edit.to))
    )
    with store.database.reading() as connection:
        if any(other.touches(task) for task in _tasks(connection, store.evaluation)):
            raise ClashError(f"there are judgments of another {name} {quoted(edit.to)}, which was removed")


def finish_edit(folder: Path, store: Store) -> None:
    """Makes what a change of the folder's files, or an import, has left to be made here, if there is something."""
    left = [name for name in (PENDING, PENDING_IMPORT) if (folder / name).exists()]
    if not left:
        return
    if store.database.read_only:
        raise DataError(
            f"{folder}: a change was interrupted and is to be finished first; open the evaluation where it can be"
            " written"
        )
    with Transaction(folder) as change:
        make_pending_edit(folder, store)
        make_pending_import(folder, store)
        for name in left:
            change.remove(name)
        change.commit()


def finish_change(folder: Path, store: Store) -> None:
    """As `finish_edit`, right after the change of the files: whoever fails here says that the change stands."""
    try:
        finish_edit(folder, store)
    except AdjudgeError as error:
        raise type(error)(f"{error}; the change is finished when the evaluation is next opened") from None


def make_pending_edit(folder: Path, store: Store) -> None:
    """As `finish_edit`, for whoever holds the folder's lock; the file stays."""
    path = folder / PENDING
    if path.exists():
        edit = TaskEdit.from_json(path.read_bytes().decode(errors="replace"), path)
        when = stamp(store.clock())
        store.change(lambda connection: make_edit(connection, store.evaluation, edit, when))


def make_edit(connection: Connection, evaluation: str, edit: TaskEdit, when: str) -> None:
    """Changes the tasks, once: an edit whose id is noted was made before."""
    lock(connection, evaluation)
    if present(connection, _edit.c.id, evaluation, [edit.id]):
        return
    if edit.what == "forget":
        # Numbers of events are not given again: who has read up to one misses nothing.
        mine = (_task.c.evaluation == evaluation) & (_task.c.protocol == (edit.protocol or ""))
        if edit.assessor is not None:
            mine &= _task.c.assessor == edit.assessor
        theirs = _event.c.task.in_(sa.select(_task.c.id).where(mine))
        connection.execute(sa.delete(_event).where(_event.c.evaluation == evaluation, theirs))
        connection.execute(sa.delete(_task).where(mine))
    for task in [] if edit.what == "forget" else list(_edited(connection, evaluation, edit, when)):
        row = task_row(task)
        same = (_task.c.evaluation == evaluation) & (_task.c.id == task.id)
        connection.execute(sa.update(_task).where(same).values({name: row[name] for name in _CHANGING}))
    note = {"evaluation": evaluation, "id": edit.id, "made_at": when, "what": edit.to_json()}
    connection.execute(sa.insert(_edit), [note])


_CHANGING = ("topic", "peer_system", "reference_system", "left_json", "right_json", "cancelled", "renamed")


def _edited(connection: Connection, evaluation: str, edit: TaskEdit, when: str) -> Iterator[Task]:
    """The tasks that an edit changes, as they are afterwards."""
    judged = _asked(connection, evaluation)
    named = edit.what == "rename" and edit.system is not None
    pyramids = _asked(connection, evaluation, pyramid_of=edit.system) if named else set()
    for task in _tasks(connection, evaluation):
        after = edit.edited(task, judged=task.id in judged, pyramid=task.id in pyramids, when=when)
        if after != task:
            yield after


def _tasks(connection: Connection, evaluation: str) -> list[Task]:
    query = sa.select(_task).where(_task.c.evaluation == evaluation).order_by(_task.c.id)
    return [task_of(row) for row in connection.execute(query).mappings()]


def _asked(connection: Connection, evaluation: str, *, pyramid_of: str | None = None) -> set[str]:
    """Tasks that have answers, or a pyramid in which a system has a part."""
    query = sa.select(_event.c.task).where(_event.c.evaluation == evaluation).distinct()
    if pyramid_of is not None:
        named = _event.c.answer.contains(to_json(pyramid_of), autoescape=True)
        query = query.where(_event.c.question == PYRAMID, named)
    return set(connection.scalars(query))
