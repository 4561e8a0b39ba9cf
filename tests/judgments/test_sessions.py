"""Sessions end when they should, attempts are counted, secrets are made once."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.judgments.making import Clock
from tests.waiting import HANG

from adjudge.core.errors import DataError, UsageError
from adjudge.judgments.store import schema
from adjudge.judgments.store.database import lock
from adjudge.judgments.store.sessions import Session
from adjudge.judgments.store.store import Store, open_store

HOUR = timedelta(hours=1)


@pytest.fixture
def ready(store: Store) -> Store:
    """A store where Ann may sign in."""
    store.accounts.add("ann", name="Ann")
    return store


def rows(store: Store, table: sa.Table) -> int:
    query = sa.select(sa.func.count()).where(table.c.evaluation == store.evaluation)
    with store.database.reading() as connection:
        return connection.scalar(query) or 0


def test_a_session_lasts_for_its_time(ready: Store, clock: Clock) -> None:
    token = ready.sessions.start("ann", HOUR)
    noon = "2024-05-01T12:00:00.000000Z"
    assert ready.sessions.find(token) == Session(
        "ann", "Ann", "assessor", noon, "2024-05-01T13:00:00.000000Z", noon
    )
    clock.move(minutes=59, seconds=59)
    assert ready.sessions.find(token) is not None
    clock.move(seconds=1)
    assert ready.sessions.find(token) is None
    assert rows(ready, schema.session) == 1
    ready.sessions.start("ann", HOUR)
    assert rows(ready, schema.session) == 1  # the old one is gone


def test_only_whoever_has_an_account_is_signed_in(ready: Store) -> None:
    ready.people.add("bob")
    for name in ("bob", "nobody"):
        with pytest.raises(DataError, match=f'^"{name}" has no active account$'):
            ready.sessions.start(name, HOUR)
    with pytest.raises(UsageError, match="a session's lifetime is 0:00:00"):
        ready.sessions.start("ann", timedelta())
    for wrong in ("", "x", "\ud800", "\0"):
        assert ready.sessions.find(wrong) is None
        ready.sessions.end(wrong)


def test_sessions_end_one_by_one_or_all(ready: Store) -> None:
    ready.accounts.add("bob")
    one, two, three = (ready.sessions.start("ann", HOUR) for _ in range(3))
    bobs = ready.sessions.start("bob", HOUR)
    ready.sessions.end(one)
    ready.sessions.end(one)
    assert [ready.sessions.find(token) is not None for token in (one, two, three)] == [False, True, True]
    assert ready.sessions.end_all("ann") == 2
    assert ready.sessions.end_all("ann") == 0
    assert [ready.sessions.find(token) for token in (one, two, three)] == [None] * 3
    assert ready.sessions.find(bobs) is not None


def test_being_here_is_noted_once_a_minute(
    ready: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = ready.sessions.start("ann", HOUR)
    assert ready.accounts.get("ann").seen_at == "2024-05-01T12:00:00.000000Z"
    writes, change = [], ready.change

    def counted(job: Callable[[sa.Connection], object]) -> None:
        writes.append(job)
        change(job)  # without waiting, how often would depend on who is faster

    monkeypatch.setattr(ready, "change_later", counted)
    for _ in range(12):  # every 20 seconds, the last after 4 minutes
        clock.move(seconds=20)
        found = ready.sessions.find(token)
    assert len(writes) == 4
    assert found is not None
    assert found.seen_at == ready.accounts.get("ann").seen_at == "2024-05-01T12:04:00.000000Z"
    ready.sessions.end(token)
    assert ready.accounts.get("ann").seen_at == "2024-05-01T12:04:00.000000Z"  # the account remembers


def test_nobody_waits_because_somebody_else_is_writing(
    ready: Store, where: Path | str, evaluation: str, clock: Clock
) -> None:
    token = ready.sessions.start("ann", HOUR)
    clock.move(minutes=2)
    with open_store(where, evaluation) as other, other.database.writing() as connection:
        lock(connection, evaluation)
        assert ready.sessions.find(token) is not None


def test_several_servers_agree(ready: Store, where: Path | str, evaluation: str, clock: Clock) -> None:
    with open_store(where, evaluation, clock=clock) as other:
        token = ready.sessions.start("ann", HOUR)
        assert other.sessions.find(token) is not None
        other.attempts.note("ann")
        assert not ready.attempts.allowed("ann", limit=1)
        other.accounts.suspend("ann")
        assert ready.sessions.find(token) is None
        assert other.secret("ids") == ready.secret("ids")


def test_too_many_attempts_are_not_allowed(store: Store, clock: Clock) -> None:
    for k in range(10):
        assert store.attempts.allowed("ann"), k
        store.attempts.note("ann")
        clock.move(seconds=60)
    assert not store.attempts.allowed("ann")
    assert store.attempts.allowed("ann", limit=11)
    assert store.attempts.allowed("ann", window=timedelta(minutes=5))
    assert store.attempts.allowed("bob")
    clock.move(minutes=5)  # 15 minutes after the first
    assert store.attempts.allowed("ann")
    store.attempts.note("ann")
    assert not store.attempts.allowed("ann")
    with pytest.raises(UsageError, match="the window is 2 days, 0:00:00, expected more than nothing"):
        store.attempts.allowed("ann", window=timedelta(days=2))  # so long they are not kept


def test_attempts_are_taken_in_one_step(store: Store, clock: Clock) -> None:
    assert [store.attempts.take("ann", limit=3) for _ in range(5)] == [True] * 3 + [False] * 2
    assert rows(store, schema.attempt) == 3
    clock.move(minutes=15)
    assert store.attempts.take("ann", limit=3)


def test_old_attempts_are_deleted(store: Store, clock: Clock) -> None:
    for _ in range(5):
        store.attempts.note("ann")
    clock.move(hours=23)
    store.attempts.note("bob")
    assert rows(store, schema.attempt) == 6
    clock.move(hours=1)
    store.attempts.note("bob")
    assert rows(store, schema.attempt) == 2


def test_attempts_do_not_say_who_tried(store: Store, where: Path | str, clock: Clock) -> None:
    """The same key has another hash in another evaluation: each has its secret."""
    with open_store(where, f"{store.evaluation}-other", clock=clock) as other:
        store.attempts.note("ann \ud800")
        other.attempts.note("ann \ud800")
        with store.database.reading() as connection:
            mine = schema.attempt.c.evaluation.in_([store.evaluation, other.evaluation])
            found = list(connection.scalars(sa.select(schema.attempt.c.key_hash).where(mine)))
    assert len(set(found)) == 2
    assert all(len(each) == 64 and "ann" not in each for each in found)


def test_a_secret_is_made_once_and_stays(store: Store, where: Path | str, evaluation: str) -> None:
    ids, other = store.secret("ids"), store.secret("csrf")
    assert (len(ids), len(other)) == (32, 32)
    assert ids != other
    with open_store(where, evaluation) as again:
        assert again.secret("ids") == ids
    assert rows(store, schema.secret) == 2


def tell_secret(where: Path | str, evaluation: str, together: object, found: object) -> None:
    with open_store(where, evaluation) as store:
        together.wait(HANG)  # type: ignore[attr-defined]
        told = store.secret("ids").hex(), store.attempts.take("ann", limit=3)
    found.put(told)  # type: ignore[attr-defined]


def test_processes_that_come_first_at_once_get_one_secret_and_share_the_limit(
    where: Path | str, evaluation: str
) -> None:
    open_store(where, evaluation).close()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.judgments.children", "psycopg", "sqlalchemy.dialects.postgresql"])
    together, found = context.Barrier(6), context.Queue()
    children = [
        context.Process(target=tell_secret, args=(where, evaluation, together, found)) for _ in range(6)
    ]
    for child in children:
        child.start()
    told = [found.get(timeout=HANG) for _ in children]
    for child in children:
        child.join()
    assert len({secret for secret, _ in told}) == 1
    assert sum(allowed for _, allowed in told) == 3
