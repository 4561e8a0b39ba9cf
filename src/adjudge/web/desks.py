"""What people have to do and what they have answered, kept in memory and compared with the store at every look.

Others write to the store too: another server, `adjudge assign`, an import, a change of texts. So a look first asks the
store, in one question, how far its answers go, how often its tasks were changed and how many the person has. Only what
is new since the last look is read: a page costs the same however much was asked and answered before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from adjudge.data.collection import Collection
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Judged, Task


@dataclass(frozen=True, eq=False)
class Desk:
    """A person's tasks, with those that were cancelled, and the ones that have answers; as the store has them now."""

    tasks: tuple[Task, ...] = ()
    """In their order."""
    by_key: Mapping[str, Task] = field(default_factory=dict)
    """By the ids that the browser knows."""
    judged: Mapping[str, Judged] = field(default_factory=dict)
    """By task; only where answers were asked for."""
    places: list[Mapping[str, tuple[int, int]]] = field(default_factory=list)
    """Where each task stands, as the list of work counts them; one, once it was counted there."""
    progress: dict[str, tuple[tuple[Judged | None, Collection | None], tuple[int, int]]] = field(
        default_factory=dict
    )
    """How far each task is, behind the answers and texts of which that was so; filled there, too."""


class _Place:
    """Where a person's desk is kept."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.desk = Desk()
        self.tasks: tuple[int, int] | None = None
        """What the store said of the tasks before they were read; None where they never were."""
        self.left = 0
        self.has_answers = False
        self.stale = set[str]()
        """Tasks with answers that were given since the desk's were read."""


class Desks:
    """The desks of all who came. Used from any thread."""

    def __init__(self, store: Store, key: Callable[[Task], str]):
        self._store, self._key = store, key
        self._places: dict[str, _Place] = {}
        self._lock = threading.Lock()
        self._much = threading.Lock()
        """Held by whoever reads all tasks or answers of a person: Python's lock is let go at every row that SQLite
        gives, so many who read at a time would each wait for all others, row by row."""
        self._owners: dict[str, _Place] = {}
        """By task: at whose desk it lies."""
        self._seen: int | None = None
        """The number of the last event of which the desks know."""

    def of(self, person: str, *, answers: bool = True) -> Desk:
        """A person's desk as it is now; without `answers` those may be missing or old, and nothing is read for them."""
        place = self._places.setdefault(person, _Place())
        with place.lock:
            state = self._store.state(person)
            others = place.tasks != (state.edits, state.tasks)
            with self._much if others or (answers and not place.has_answers) else nullcontext():
                if others:
                    self._read_tasks(person, place)
                    place.has_answers = False
                elif place.left != state.left:  # the same tasks, of which one more is left behind
                    self._read_tasks(person, place)
                place.tasks, place.left = (state.edits, state.tasks), state.left
                if answers:
                    self._look_for_new(state.last)
                    self._read_answers(person, place)
            return place.desk

    def _read_tasks(self, person: str, place: _Place) -> None:
        tasks = tuple(self._store.tasks(assessor=person, cancelled=True))
        keys = {self._key(task): task for task in tasks}
        place.desk = Desk(tasks, keys, place.desk.judged, progress=place.desk.progress)
        with self._lock:
            self._owners.update((task.id, place) for task in tasks)

    def _look_for_new(self, last: int) -> None:
        """Tell every desk which of its tasks have new answers. Before the first desk has answers, none is new."""
        with self._lock:
            if self._seen is None:
                self._seen = last
            if last <= self._seen:
                return
            for task, seq in self._store.answered_after(self._seen).items():
                if task in self._owners:
                    self._owners[task].stale.add(task)
                self._seen = max(self._seen, seq)

    def _read_answers(self, person: str, place: _Place) -> None:
        with self._lock:
            stale, place.stale = place.stale, set()
        try:
            if not place.has_answers or len(stale) > MANY:
                current = self._store.current(assessor=person, tasks_read=place.desk.tasks)
                judged = {judgment.task.id: judgment for judgment in current}
            elif stale:
                judged = {task: judgment for task, judgment in place.desk.judged.items() if task not in stale}
                judged |= {
                    judgment.task.id: judgment for judgment in self._store.current(tasks=sorted(stale))
                }
            else:
                return
        except BaseException:
            with self._lock:
                place.stale |= stale
            raise
        place.desk, place.has_answers = replace(place.desk, judged=judged), True


MANY = 100
"""Tasks whose answers are read one by one; where more are new, all of a person's are read."""
