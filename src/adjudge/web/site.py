"""One evaluation as the app holds it: its texts, its store, its protocols, its public ids. No routes here."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from threading import Lock

from adjudge.core.errors import AdjudgeError, BusyError, DataError
from adjudge.data.collection import Collection, file_stamps, load
from adjudge.data.folder import Folder, Judging
from adjudge.data.rows import Summary
from adjudge.judgments.frozen import FrozenNow, changed
from adjudge.judgments.protocol import Protocol, protocol_of, protocols_of
from adjudge.judgments.store.store import Store, store_of
from adjudge.judgments.tasks import Task, TextRef
from adjudge.web.blind import PublicIds
from adjudge.web.desks import Desk, Desks
from adjudge.web.outages import Outages

PATIENCE = 10.0
"""Seconds that an answer waits for other processes. Less than a page waits: it is to hear that the store is busy."""

log = logging.getLogger("adjudge.web")


@dataclass
class Site:
    """Texts are read once, when the server starts, and shown as they were then.

    Where the folder's files are others since, they are read again, to know which texts nobody is to judge any more.
    """

    folder: Folder
    collection: Collection
    store: Store
    public: PublicIds
    outages: Outages
    _protocols: dict[str, Protocol] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)
    _now: Collection | None = None
    _reading: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._desks = Desks(self.store, self.task_key)
        self._frozen: tuple[tuple[Collection, FrozenNow], ...] = ()

    @classmethod
    def open(cls, folder: Folder, *, patience: float = PATIENCE) -> Site:
        store = store_of(folder, patience=patience)
        # Read once: pages that say what is wrong are made on the event loop, and must not need the store.
        store.secret("csrf")
        outages = Outages(lambda: store.clock())
        store.database.heard = outages.heard
        return cls(folder, load(folder), store, PublicIds(store.secret("public-ids")), outages)

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
        """What of the task's texts is no longer as it was when the task was made: here, or in the folder."""
        protocol = self.protocol(task.protocol)
        for collection in (self.collection, self._now):
            if collection is not None:
                why = changed(task, collection, protocol, now=self._frozen_of(collection))
                if why is not None:
                    return why
        return None

    def _frozen_of(self, collection: Collection) -> FrozenNow:
        """The hashes of a collection's texts, made once; of the two latest that were looked at."""
        for earlier, hashes in self._frozen:
            if earlier is collection:
                return hashes
        hashes = FrozenNow(collection)
        self._frozen = (*self._frozen[-1:], (collection, hashes))
        return hashes

    def look_at_files(self) -> None:
        """Reads the folder's texts again where its files are others. To be called by requests, in a thread."""
        if file_stamps(self.folder) == (self._now or self.collection).read_from:
            return
        with self._reading:
            if file_stamps(self.folder) == (self._now or self.collection).read_from:
                return
            try:
                self._now = load(self.folder)
            except AdjudgeError as error:
                log.warning("the texts have changed, and cannot be read: %s", error)
                raise BusyError("the texts have changed, and cannot be read") from None

    @property
    def is_outdated(self) -> bool:
        """Whether the folder's files are others than those that were read at the start."""
        return self._now is not None

    def documents_changed(self, topic: str) -> bool:
        return self._now is not None and self._now.documents.get(topic) != self.collection.documents.get(
            topic
        )

    # Texts

    def summary(self, topic: str, text: TextRef) -> Summary:
        for summary in self.collection.summaries.get(topic, ()):
            if TextRef.of(summary) == text:
                return summary
        raise DataError("a text of this task is not there any more")

    def topic_title(self, topic: str) -> str:
        """What assessors read for a topic; its id may tell who chose the documents."""
        row = self.collection.topics.get(topic)
        if row is not None and row.title:
            return row.title
        return f"Topic {list(self.collection.topics).index(topic) + 1 if row is not None else '?'}"
