"""What the tests run in other processes; no tests here."""

from __future__ import annotations

import os
import signal
import threading
import uuid
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from tests.waiting import HANG

from adjudge.evaluation import Evaluation
from adjudge.judgments.store import edits
from adjudge.judgments.store.confirmed import VARIABLE
from adjudge.judgments.store.database import Database, address
from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.store.writer import Append, Writer, acknowledge
from adjudge.judgments.tasks import Event

TASKS = 4


class Hasty(Writer):
    """Wrong on purpose: acknowledges before it commits, and waits there to be killed."""

    batches = 0
    say: Callable[[str], None]

    def _serve(self, batch: Sequence[Append], *, again: bool = False) -> None:
        self.batches += 1
        with self._begin() as connection:
            outcomes = self._append_all(connection, [item.rows for item in batch])
            for item, outcome in zip(batch, outcomes, strict=True):
                acknowledge(item, outcome)
            if self.batches == 5:
                for row in (row for item in batch for row in item.rows):
                    type(self).say(f"held {row['id']}")
                threading.Event().wait(HANG)


def event_of_id(id: str, evaluation: str) -> Event:
    """An event that follows from its id, so that anybody can send it again."""
    return Event(id, evaluation, f"t{uuid.UUID(id).int % TASKS}", "ann", "unmarked", {"said": id})


def save_until_killed(where: Path | str, evaluation: str, report: Connection, hasty: bool) -> None:
    """Saves without end, in several threads, and reports what it sends and what was acknowledged."""
    one_at_a_time = threading.Lock()

    def say(word: str) -> None:
        with one_at_a_time:
            report.send_bytes(word.encode())

    Hasty.say = say
    store = Store(Database(address(where)), evaluation, writer=Hasty if hasty else Writer)

    def save() -> None:
        while True:
            event = event_of_id(str(uuid.uuid4()), evaluation)
            say(f"sent {event.id}")
            (ack,) = store.append([event])
            say(f"saved {ack.id}")

    for _ in range(TASKS):
        threading.Thread(target=save).start()


def edit_until_step(path: Path, what: str, step: int, database: str | None) -> None:
    """Renames or removes a system, and is killed before a step that leaves a trace on the disk or in the database."""
    seen = 0
    if database is not None:
        os.environ[VARIABLE] = database

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **how: Any) -> Any:
            nonlocal seen
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **how)

        return call

    e = Evaluation.open(path)
    Path.replace = counted(Path.replace)  # type: ignore[method-assign]
    Path.unlink = counted(Path.unlink)  # type: ignore[method-assign]
    edits.lock = counted(edits.lock)  # type: ignore[attr-defined]
    edits.make_edit = between(edits.make_edit, counted(lambda: None))
    Store.change = between(Store.change, counted(lambda: None))  # type: ignore[method-assign]
    if what == "rename":
        e.rename("better", "a second one is coming", system="good")
    else:
        e.remove("not ours", system="good")


def between(real: Callable[..., Any], after: Callable[[], None]) -> Callable[..., Any]:
    """The function, and a step when it has returned."""

    def call(*args: Any, **how: Any) -> Any:
        result = real(*args, **how)
        after()
        return result

    return call


def save_some(where: Path | str, evaluation: str, together: Barrier, ids: Sequence[str]) -> None:
    """Saves events one by one, beginning when all processes are there."""
    with open_store(where, evaluation) as store:
        together.wait(HANG)
        for id in ids:
            store.append([event_of_id(id, evaluation)])


def open_at_once(where: Path | str, evaluation: str, together: Barrier) -> None:
    """Opens a store at the same moment as others do."""
    together.wait(HANG)
    with open_store(where, evaluation) as store:
        store.people.add("ann")
