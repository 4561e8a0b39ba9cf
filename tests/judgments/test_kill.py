"""A process that is killed at any moment loses nothing that it acknowledged, and stores nothing twice."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
from tests.judgments.children import TASKS, event_of_id, save_until_killed
from tests.judgments.making import a_task

from adjudge.judgments.store.store import Store

QUICK, ALL = 15, 50
LONGEST = 0.06  # seconds from the first acknowledgement to the kill


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Children are forked off a process that has loaded everything, so that fifty start quickly."""
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
    said: dict[str, set[str]] = {"sent": set(), "saved": set()}

    def hear() -> None:
        word, id = receive.recv_bytes().decode().split()
        said[word].add(id)

    while not said["saved"]:
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
    processes: ForkServerContext, store: Store, where: Path | str, count: int, *, hasty: bool = False
) -> Iterator[tuple[set[str], set[str]]]:
    """Kills one child after another; what each saved, and what of that is lost."""
    rng = random.Random(5)
    for _ in range(count):
        seen = store.last_seq()
        sent, saved = kill_one(processes, where, store.evaluation, rng, hasty=hasty)
        there = {event.id for event in store.events(after=seen)}
        yield saved, saved - there
        # What its sender heard nothing of is sent again, as a browser would.
        store.append([event_of_id(id, store.evaluation) for id in sorted(sent)])


@pytest.mark.parametrize("count", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
def test_nothing_that_was_acknowledged_is_lost(
    ready: Store, where: Path | str, processes: ForkServerContext, count: int
) -> None:
    saved: set[str] = set()
    for some, lost in trials(processes, ready, where, count):
        assert lost == set()
        saved |= some
    stored = Counter(event.id for event in ready.events())
    assert saved <= stored.keys()
    assert set(stored.values()) == {1}
    assert len(saved) >= count


def test_acknowledging_before_the_commit_would_be_noticed(
    ready: Store, where: Path | str, processes: ForkServerContext
) -> None:
    """Within as many trials as the quick form has."""
    assert any(lost for _, lost in trials(processes, ready, where, QUICK, hasty=True))
