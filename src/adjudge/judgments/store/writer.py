"""The one writer of a process: a thread that commits what is waiting together, and acknowledges only then."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection

from adjudge.core.errors import AdjudgeError, BusyError, StoreUnavailable, UsageError
from adjudge.judgments.store.encoding import Row
from adjudge.judgments.tasks import Ack

T = TypeVar("T")
Outcome = list[Ack] | AdjudgeError
Begin = Callable[[], AbstractContextManager[Connection]]
AppendAll = Callable[[Connection, Sequence[Sequence[Row]]], list[Outcome]]

MOST = 500  # events in one commit, unless one call brings more: a limit on how long the others wait


@dataclass(frozen=True, slots=True)
class Append:
    """Events, as rows, that one caller waits for; the calls of many are committed together."""

    rows: Sequence[Row]
    future: Future[list[Ack]] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class Other:
    """Anything else that changes the database, in a transaction of its own."""

    job: Callable[[Connection], Any]
    future: Future[Any] = field(default_factory=Future)


class Writer:
    """Takes work from any thread. `begin` opens a transaction that commits when its block ends."""

    def __init__(self, begin: Begin, append_all: AppendAll):
        self._begin = begin
        self._append_all = append_all
        self._queue: queue.SimpleQueue[Append | Other | None] = queue.SimpleQueue()
        self._lock = threading.Lock()  # so that nothing is put behind the end
        self._closed = False
        self._thread: threading.Thread | None = None

    def append(self, rows: Sequence[Row]) -> Future[list[Ack]]:
        item = Append(rows)
        self._put(item)
        return item.future

    def run(self, job: Callable[[Connection], T]) -> T:
        """Does a job in a transaction of its own; returns, or raises, what the job did once that is over.

        A job must not ask the writer for anything: it would wait for itself.
        """
        return self.run_later(job).result()

    def run_later(self, job: Callable[[Connection], T]) -> Future[T]:
        """As `run`, without waiting."""
        item = Other(job)
        self._put(item)
        return item.future

    def close(self) -> None:
        """Finishes what is waiting, then ends. Nothing is taken afterwards."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _put(self, item: Append | Other) -> None:
        with self._lock:
            if self._closed:
                raise UsageError("the store is closed")
            if self._thread is None:  # a process that only reads has no second thread
                self._thread = threading.Thread(target=self._work, name="adjudge-writer", daemon=True)
                self._thread.start()
            item.future.set_running_or_notify_cancel()  # who stops waiting does not stop the saving
            self._queue.put(item)

    def _work(self) -> None:
        item = self._queue.get()
        while item is not None:
            if isinstance(item, Other):
                try:
                    with self._begin() as connection:
                        result = item.job(connection)
                except BaseException as error:
                    item.future.set_exception(error)
                    self._tell_waiting(error)
                else:
                    item.future.set_result(result)
                item = self._queue.get()
            else:
                batch, item = self._gather(item)
                self._serve(batch)
                item = item or self._queue.get()

    def _gather(self, first: Append) -> tuple[list[Append], Append | Other | None]:
        """The appends that are waiting, up to a limit, and the item after them where it was taken already."""
        batch, events = [first], len(first.rows)
        while events < MOST:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                break
            if not isinstance(item, Append):
                if item is None:
                    self._queue.put(None)  # nothing can be behind it: the end stays the end
                    break
                return batch, item
            batch.append(item)
            events += len(item.rows)
        return batch, None

    def _serve(self, batch: Sequence[Append], *, again: bool = False) -> None:
        """One transaction for a batch. Where it fails as a whole, each call is tried once more, alone.

        So one caller's trouble is not another's, and a connection that broke is replaced. Trying again is
        safe whatever became of the first commit: an id is stored once. An outage is everybody's trouble.
        """
        try:
            outcomes = self._commit(batch)
        except Exception as error:
            if again or isinstance(error, BusyError):
                for item in batch:
                    item.future.set_exception(error)
                self._tell_waiting(error)
            elif isinstance(error, StoreUnavailable):
                self._serve(batch, again=True)
            else:
                for item in batch:
                    self._serve([item], again=True)
            return
        for item, outcome in zip(batch, outcomes, strict=True):
            acknowledge(item, outcome)

    def _commit(self, batch: Sequence[Append]) -> list[Outcome]:
        """Returns after the block, which commits: only what is on the disk is acknowledged."""
        with self._begin() as connection:
            return self._append_all(connection, [item.rows for item in batch])

    def _tell_waiting(self, error: BaseException) -> None:
        """In an outage, those behind would each wait as long for the same: they are told at once, and may ask again."""
        if not isinstance(error, StoreUnavailable):
            return
        while True:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return
            if item is None:
                self._queue.put(None)  # nothing can be behind it: the end stays the end
                return
            item.future.set_exception(error)


def acknowledge(item: Append, outcome: Outcome) -> None:
    if isinstance(outcome, AdjudgeError):
        item.future.set_exception(outcome)
    else:
        item.future.set_result(outcome)
