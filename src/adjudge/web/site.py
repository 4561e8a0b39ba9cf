"""One evaluation as the app holds it: its texts, its store, its protocols, its public ids. No routes here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder, Judging
from adjudge.data.rows import Summary
from adjudge.errors import DataError
from adjudge.judgments.protocol import Protocol, protocol_of, protocols_of
from adjudge.judgments.store.store import Store, store_of
from adjudge.judgments.tasks import FrozenNow, Task, TextRef, changed
from adjudge.web.blind import PublicIds
from adjudge.web.desks import Desk, Desks


@dataclass
class Site:
    """Texts are read once, when the server starts: judged text is frozen anyway."""

    folder: Folder
    collection: Collection
    store: Store
    public: PublicIds
    _protocols: dict[str, Protocol] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._desks = Desks(self.store, self.task_key)
        self._frozen = (self.collection, FrozenNow(self.collection))

    @classmethod
    def open(cls, folder: Folder) -> Site:
        store = store_of(folder)
        store.secret(
            "csrf"
        )  # pages that say what is wrong are made on the event loop, where nobody asks the store
        return cls(folder, load(folder), store, PublicIds(store.secret("public-ids")))

    def close(self) -> None:
        self.store.close()

    @property
    def clock(self) -> Callable[[], datetime]:
        return self.store.clock

    @property
    def judging(self) -> Judging:
        return self.folder.settings.judging

    @property
    def name(self) -> str:
        return self.folder.settings.name

    @property
    def language(self) -> str:
        return self.folder.settings.language

    @cached_property
    def key(self) -> str:
        """What the browser calls the evaluation: the queue of one never goes to another."""
        return self.public.of("evaluation", self.store.evaluation)

    def person_key(self, person: str) -> str:
        return self.public.of("person", person)

    def protocol(self, name: str) -> Protocol:
        if name not in self._protocols:
            self._protocols[name] = protocol_of(self.folder, name)
        return self._protocols[name]

    def has_protocol(self, name: str) -> bool:
        """Whether a task's protocol is known: one that was imported elsewhere may not be, and can be shown nowhere."""
        if name not in self._protocols:
            self._protocols.update(protocols_of(self.folder, [name]))
        return name in self._protocols

    # Tasks

    def task_key(self, task: Task) -> str:
        key = self._keys.get(task.id)
        if key is None:
            key = self._keys[task.id] = self.public.of("task", task.id)
        return key

    def desk(self, person: str) -> Desk:
        """A person's tasks and answers, as they are now."""
        return self._desks.of(person)

    def tasks_of(self, person: str) -> list[Task]:
        """A person's tasks, in their order."""
        tasks = self._desks.of(person, answers=False).tasks
        return [task for task in tasks if not task.cancelled and self.has_protocol(task.protocol)]

    def task(self, key: str, person: str, *, cancelled: bool = False) -> Task | None:
        """A task of a person's by its public id; None where there is none, it is somebody else's, or it was cancelled.

        Tasks can be cancelled or removed while the server runs, so that is looked up every time.
        """
        task = self._desks.of(person, answers=False).by_key.get(key)
        if task is None or not self.has_protocol(task.protocol):
            return None
        return task if cancelled or not task.cancelled else None

    def changed(self, task: Task) -> str | None:
        """What of the task's texts is no longer as it was when the task was made."""
        of, now = self._frozen
        if of is not self.collection:
            now = FrozenNow(self.collection)
            self._frozen = (self.collection, now)
        return changed(task, self.collection, self.protocol(task.protocol), now=now)

    # Texts

    def summary(self, topic: str, text: TextRef) -> Summary:
        for each in self.collection.summaries.get(topic, ()):
            if TextRef.of(each) == text:
                return each
        raise DataError("a text of this task is not there any more")

    def topic_title(self, topic: str) -> str:
        """What assessors read for a topic; its id may tell who chose the documents."""
        row = self.collection.topics.get(topic)
        if row is not None and row.title:
            return row.title
        return f"Topic {list(self.collection.topics).index(topic) + 1 if row is not None else '?'}"
