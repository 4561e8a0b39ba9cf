"""Many who write at once: nothing lost, one commit for many, numbers in the order of commits."""

from __future__ import annotations

import multiprocessing
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection, event
from tests.judgments.children import TASKS, event_of_id, save_some
from tests.judgments.making import a_task, an_event
from tests.waiting import HANG, until

from adjudge.core.errors import BusyError, ClashError, DataError, StoreUnavailable
from adjudge.judgments.store import appending, schema
from adjudge.judgments.store.database import lock
from adjudge.judgments.store.encoding import Row, event_row, stamp
from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.store.writer import Append, Writer
from adjudge.judgments.tasks import Ack

WRITERS = 100


@pytest.fixture
def ready(store: Store) -> Store:
    store.add_tasks([a_task(store, f"t{n}") for n in range(TASKS)])
    return store


def commits(store: Store) -> list[int]:
    """Grows by one with every commit."""
    seen: list[int] = []
    event.listen(store.database._writer, "commit", lambda connection: seen.append(1))
    return seen


def hold(store: Store) -> tuple[Future[None], threading.Event]:
    """Keeps the writer busy until the event is set, so that work queues up behind it."""
    taken, go_on = threading.Event(), threading.Event()
    waiting: Future[None] = Future()

    def job(connection: Connection) -> None:
        taken.set()
        go_on.wait(HANG)

    def work() -> None:
        store.change(job)
        waiting.set_result(None)

    threading.Thread(target=work).start()
    assert taken.wait(HANG)
    return waiting, go_on


def test_a_hundred_writers_lose_nothing(ready: Store) -> None:
    each = 10
    ids = [[str(uuid.uuid4()) for _ in range(each)] for _ in range(WRITERS)]
    seen = commits(ready)

    def save(mine: Sequence[str]) -> list[int]:
        return [ready.append([event_of_id(id, ready.evaluation)])[0].seq for id in mine]

    held, go_on = hold(ready)
    with ThreadPoolExecutor(WRITERS) as pool:
        saving = pool.map(save, ids)
        until(lambda: ready._writer._queue.qsize() == WRITERS, "all wait for the writer")
        go_on.set()
        seqs = list(saving)
    held.result()
    assert sorted(seq for some in seqs for seq in some) == list(range(1, WRITERS * each + 1))
    stored = {event.seq: event.id for event in ready.events()}
    for mine, theirs in zip(ids, seqs, strict=True):
        assert theirs == sorted(theirs)
        assert [stored[seq] for seq in theirs] == mine
    assert len(seen) <= 1 + 1 + WRITERS * (each - 1)  # the first of all together, behind the one that held


def test_what_waits_is_committed_together(ready: Store) -> None:
    held, go_on = hold(ready)
    events = [an_event(ready, n, task="t0") for n in range(50)]
    waiting = [ready.submit([each]) for each in events]
    assert not any(future.done() for future in waiting)
    seen = commits(ready)
    go_on.set()
    acks = [future.result()[0] for future in waiting]
    held.result()
    assert [ack.seq for ack in acks] == list(range(1, 51))
    assert [ack.newer for ack in acks] == [None, *range(1, 50)]
    assert len({ack.received_at for ack in acks}) == 1
    assert len(seen) <= 2  # the one that held, and the fifty


def test_one_callers_mistake_is_not_anothers(ready: Store) -> None:
    taken = an_event(ready, 0, task="t0")
    ready.append([taken])
    held, go_on = hold(ready)
    good = an_event(ready, 1, task="t0")
    calls = [
        ready.submit([an_event(ready, 2, task="t0"), an_event(ready, 3, task="none")]),
        ready.submit([good]),
        ready.submit([an_event(ready, 4, task="t0", id=taken.id)]),
        ready.submit([good]),
        ready.submit([an_event(ready, 5, task="t0", id=good.id)]),
        ready.submit([an_event(ready, 6, task="t0", base=2)]),
    ]
    go_on.set()
    held.result()
    outcomes = [call.exception() or call.result() for call in calls]
    kinds = [type(outcome) for outcome in outcomes]
    assert kinds == [DataError, list, ClashError, list, ClashError, list]
    (first,), (again,), (last,) = calls[1].result(), calls[3].result(), calls[5].result()
    assert (first.seq, again.seq, again.again, last.seq, last.newer) == (2, 2, True, 3, None)
    assert [e.answer for e in ready.events()] == [0, 1, 6]


def test_a_batch_that_fails_is_tried_call_by_call(ready: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trouble that nobody foresaw, in one call of a batch, is that call's alone."""
    whole = ready._append_all
    bad = an_event(ready, "bad", task="t0")

    def fragile(connection: Connection, calls: Sequence[Sequence[Row]]) -> object:
        done = whole(connection, calls)
        if any(row["id"] == bad.id for rows in calls for row in rows):
            raise RuntimeError("unforeseen")
        return done

    monkeypatch.setattr(ready._writer, "_append_all", fragile)
    held, go_on = hold(ready)
    calls = [
        ready.submit([each]) for each in (an_event(ready, 1, task="t0"), bad, an_event(ready, 2, task="t0"))
    ]
    go_on.set()
    held.result()
    assert [call.result()[0].seq for call in (calls[0], calls[2])] == [1, 2]
    with pytest.raises(RuntimeError, match="unforeseen"):
        calls[1].result()
    assert [e.answer for e in ready.events()] == [1, 2]


def test_a_job_that_fails_changes_nothing_and_ends_nothing(ready: Store) -> None:
    def job(connection: Connection) -> None:
        connection.execute(sa.update(schema.task).values(topic="changed"))
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        ready.change(job)
    assert {task.topic for task in ready.tasks()} == {"D1"}
    assert ready.append([an_event(ready, 1, task="t0")])[0].seq == 1


def test_who_stops_waiting_does_not_stop_the_saving(ready: Store) -> None:
    held, go_on = hold(ready)
    call = ready.submit([an_event(ready, 1, task="t0")])
    assert not call.cancel()
    go_on.set()
    held.result()
    assert call.result()[0].seq == 1


def test_a_batch_is_limited() -> None:
    """What is beyond the limit waits for the next commit, in its order, and the end stays the end."""
    writer = unused_writer()
    rows: list[Row] = [{"id": n} for n in range(1200)]
    for row in rows[1:]:
        writer._queue.put(Append([row]))
    batch, rest = writer._gather(Append(rows[:1]))
    assert ([item.rows[0] for item in batch], rest) == (rows[:500], None)
    assert [item.rows for item in writer._gather(Append(rows[500:1000]))[0]] == [rows[500:1000]]
    while not writer._queue.empty():
        writer._queue.get()
    writer._queue.put(None)
    assert writer._gather(Append(rows[:1]))[1] is None
    assert writer._queue.get() is None


def test_several_processes_write_to_one_place(ready: Store, where: Path | str) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.judgments.children", "psycopg", "sqlalchemy.dialects.postgresql"])
    together = context.Barrier(4)
    ids = [[str(uuid.uuid4()) for _ in range(25)] for _ in range(4)]
    children = [
        context.Process(target=save_some, args=(where, ready.evaluation, together, mine)) for mine in ids
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * 4
    stored = list(ready.events())
    assert sorted(event.id for event in stored) == sorted(id for mine in ids for id in mine)
    assert [event.seq for event in stored] == list(range(1, 101))


def test_numbers_follow_the_order_of_commits(ready: Store, where: Path | str) -> None:
    """A number above one that is not committed yet is given to nobody."""
    with open_store(where, ready.evaluation) as other, ThreadPoolExecutor(1) as pool:
        slow = event_row(an_event(ready, "slow", task="t0"))
        with ready.database.writing() as connection:
            appending.append_all(connection, ready.evaluation, [[slow]], stamp(ready.clock()))
            quick = pool.submit(other.append, [an_event(ready, "quick", task="t0")])
            until(
                lambda: other._writer._thread is not None and other._writer._queue.empty(), "it is taken up"
            )
            assert not quick.done()
            assert list(ready.events()) == []
        (ack,) = quick.result()
        assert (ack.seq, ack.newer) == (2, 1)
    assert [e.answer for e in ready.events()] == ["slow", "quick"]


def polled(
    stores: Sequence[Store], reader: Store, *, each: int, saw: Callable[[int], None] = lambda seq: None
) -> tuple[set[str], set[str]]:
    """Everything that is stored in the end, and what somebody saw who only ever asked for what is new."""
    done = threading.Event()
    seen: list[str] = []

    def follow() -> None:
        last = 0
        ending = False
        while True:
            for found in reader.events(after=last):
                seen.append(found.id)
                last = found.seq or last
                saw(last)
            if ending:
                return
            ending = done.is_set()

    def save(store: Store) -> list[Ack]:
        return [store.append([an_event(store, n, task="t0")])[0] for n in range(each)]

    follower = threading.Thread(target=follow)
    follower.start()
    with ThreadPoolExecutor(len(stores)) as pool:
        list(pool.map(save, stores))
    done.set()
    follower.join()
    assert len(seen) == len(set(seen))
    return {event.id for event in reader.events()}, set(seen)


def test_who_polls_misses_nothing(ready: Store, where: Path | str) -> None:
    stores = [open_store(where, ready.evaluation) for _ in range(4)]
    try:
        stored, seen = polled(stores, ready, each=30)
    finally:
        for store in stores:
            store.close()
    assert len(stored) == 120
    assert seen == stored


def test_polling_would_miss_what_is_numbered_without_the_lock(
    server: str, evaluation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check can fail: numbers given early and committed late are missed."""
    turn = iter(range(1, 10_000))
    numbers, overtaken = threading.Lock(), threading.Event()

    def unlocked(connection: Connection, evaluation: str) -> int:
        with numbers:
            number = next(turn)
        if number == 4:
            overtaken.wait(HANG)
        return number

    def saw(number: int) -> None:
        if number > 4:
            overtaken.set()

    stores = [open_store(server, evaluation) for _ in range(4)]
    try:
        stores[0].add_tasks([a_task(stores[0], "t0")])
        monkeypatch.setattr(appending, "lock", unlocked)
        monkeypatch.setattr(appending.EventLedger, "write", write_without_counter)
        stored, seen = polled(stores, stores[0], each=30, saw=saw)
    finally:
        for store in stores:
            store.close()
    assert len(stored) == 120
    assert seen < stored


def write_without_counter(ledger: appending.EventLedger, connection: Connection) -> None:
    connection.execute(sa.insert(schema.event), ledger.fresh)


def unused_writer() -> Writer:
    def begin() -> AbstractContextManager[Connection]:
        raise AssertionError("nothing was asked for")

    return Writer(begin, lambda connection, calls: [])


def test_a_writer_that_was_never_used_has_no_thread() -> None:
    writer = unused_writer()
    writer.close()
    assert writer._thread is None


def test_an_outage_is_told_to_all_who_wait(ready: Store, where: Path | str) -> None:
    """Each would else wait as long for the same; what comes afterwards is tried."""
    with (
        open_store(where, ready.evaluation, patience=0.05) as waiting,
        ready.database.writing() as connection,
        ThreadPoolExecutor(1) as pool,
    ):
        lock(connection, ready.evaluation)
        begun, go_on = threading.Event(), threading.Event()

        def first(own: Connection) -> None:
            begun.set()
            go_on.wait(HANG)
            lock(own, ready.evaluation)

        if waiting.database.is_file:  # whose transactions begin with the lock
            begun.set()
            go_on.set()
        held = pool.submit(waiting.change, first)
        begun.wait(HANG)
        behind = [waiting.submit([an_event(ready, n, id=f"behind-{n}")]) for n in range(3)]
        later = waiting.change_later(lambda own: None)
        go_on.set()
        told: list[Future[Any]] = [held, *behind, later]
        for each in told:
            with pytest.raises(BusyError):
                each.result()
        connection.rollback()
        assert len(waiting.append([an_event(ready, 1)])) == 1


def test_an_outage_is_tried_once_more_and_not_call_by_call(
    ready: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, go_on = hold(ready)
    tried: list[int] = []

    def away(connection: Connection, calls: Sequence[Sequence[Row]]) -> list[list[Ack]]:
        tried.append(len(calls))
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(ready._writer, "_append_all", away)
    calls = [ready.submit([an_event(ready, n, id=f"event-{n}")]) for n in range(5)]
    go_on.set()
    for call in calls:
        with pytest.raises(StoreUnavailable):
            call.result()
    waiting.result()
    assert tried == [5, 5]
