"""How databases are opened: wrong places in one line, settings that keep what is acknowledged."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection
from tests.judgments.conftest import run_sql
from tests.judgments.making import a_task, an_event

from adjudge.core.errors import AdjudgeError, BusyError, FormatError, StoreUnavailable, UsageError
from adjudge.judgments.store.database import lock
from adjudge.judgments.store.encoding import Row
from adjudge.judgments.store.store import open_store
from adjudge.judgments.store.writer import Outcome


def test_wrong_places_are_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file.sqlite").write_text("no database, but a text that is long enough to be looked at " * 20)
    cases: list[tuple[Path | str, str]] = [
        (tmp_path / "nowhere", "nowhere: no such folder"),
        (tmp_path / "nowhere" / "x.sqlite", "nowhere: no such folder"),
        (tmp_path / "file.sqlite", "file.sqlite: not a database of judgments, or a damaged one"),
        ("mysql://root@localhost/x", '"mysql" databases are not known; expected postgresql://'),
        ("postgresql://u:secret@host:port/x", "the database's address cannot be read"),
        (
            "postgresql://u:secret@127.0.0.1:1/x",
            r"postgresql\+psycopg://u:\*\*\*@127.0.0.1:1/x: PostgreSQL says: ",
        ),
    ]
    for where, why in cases:
        with pytest.raises(AdjudgeError, match=why) as caught:
            open_store(where, "e")
        assert "\n" not in str(caught.value)
        assert "secret" not in str(caught.value)
    with pytest.raises(FormatError, match='"evaluation" is ""'):
        open_store(tmp_path, "")


def test_postgresql_without_its_driver_says_which_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match=r'needs an extra: pip install "adjudge\[postgres\]"'):
        open_store("postgresql://somebody@localhost/x", "e")


def test_sqlite_is_set_up_to_keep_what_it_acknowledges(tmp_path: Path) -> None:
    with open_store(tmp_path, "e") as store:
        for way, only in ((store.database.reading, 1), (store.database.writing, 0)):
            with way() as connection:
                pragma = {
                    name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                    for name in ("journal_mode", "synchronous", "foreign_keys", "query_only")
                }
            assert pragma == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "query_only": only}


def test_postgresql_flushes_even_where_the_database_says_it_need_not(new_database: str) -> None:
    name = new_database.split("?")[0].rsplit("/", 1)[1]
    run_sql(new_database, f"ALTER DATABASE {name} SET synchronous_commit TO off")
    with open_store(new_database, "e") as store, store.database.writing() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"


def test_who_waits_too_long_for_others_is_told(where: Path | str, evaluation: str) -> None:
    with open_store(where, evaluation) as holder, open_store(where, evaluation, patience=0.05) as waiting:
        holder.add_tasks([a_task(holder)])
        event = an_event(holder)
        with holder.database.writing() as connection:
            lock(connection, evaluation)
            with pytest.raises(BusyError, match="somebody else has been writing for 0.05 s; try again"):
                waiting.append([event])
        assert waiting.append([event])[0].seq == 1


def test_a_store_may_be_named_by_its_file(tmp_path: Path) -> None:
    with open_store(tmp_path, "e") as store:
        store.add_tasks([a_task(store)])
    with open_store(tmp_path / "judgments.sqlite", "e") as store:
        assert [task.id for task in store.tasks()] == ["t1"]


def test_a_connection_that_broke_is_replaced(server: str, evaluation: str) -> None:
    with open_store(server, evaluation) as store:
        store.add_tasks([a_task(store)])
        for answer in (1, 2):
            with store.database.reading() as connection:
                mine = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            with store.database.writing() as connection:
                writing = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            run_sql(server, f"SELECT pg_terminate_backend(pid) FROM unnest(ARRAY[{mine}, {writing}]) AS pid")
            assert store.append([an_event(store, answer)])[0].seq == answer
            assert store.last_seq() == answer


def test_a_connection_that_breaks_in_the_middle_is_replaced(server: str, evaluation: str) -> None:
    """The commit may have happened or not: the id tells, and the sender need not know."""
    with open_store(server, evaluation) as store:
        store.add_tasks([a_task(store)])
        whole = store._append_all
        broken: list[int] = []

        def once_broken(connection: Connection, calls: Sequence[Sequence[Row]]) -> list[Outcome]:
            outcomes = whole(connection, calls)
            if not broken:
                broken.append(1)
                pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
                run_sql(server, f"SELECT pg_terminate_backend({pid})")
            return outcomes

        store._writer._append_all = once_broken
        (ack,) = store.append([an_event(store)])
        assert (ack.seq, ack.again, broken) == (1, False, [1])
        assert store.last_seq() == 1


def test_a_database_without_the_right_to_make_tables_is_told(new_database: str) -> None:
    role = f"guest_{uuid.uuid4().hex[:8]}"
    run_sql(new_database, f"CREATE ROLE {role} LOGIN")
    try:
        address = sa.make_url(new_database).set(username=role).render_as_string(hide_password=False)
        with pytest.raises(
            StoreUnavailable, match="PostgreSQL says: permission denied for database"
        ) as caught:
            open_store(address, "e")
        assert "\n" not in str(caught.value)
    finally:
        run_sql(new_database, f"DROP ROLE {role}")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "judgments.sqlite").mkdir()
    with pytest.raises(StoreUnavailable, match="judgments.sqlite: cannot be read or written: unable to open"):
        open_store(tmp_path, "e")


UNAVAILABLE = "08006 25006 28P01 3D000 40001 42501 53100 53200 53300 57P01 57P03 58030"


@pytest.mark.parametrize("state", UNAVAILABLE.split())
def test_states_of_postgresql_in_which_nothing_is_wrong_with_what_was_asked(
    server: str, evaluation: str, state: str
) -> None:
    with open_store(server, evaluation) as store:
        raising = f"DO $$ BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '{state}'; END $$"
        with pytest.raises(StoreUnavailable, match="PostgreSQL says: trouble"), store.database.writing() as c:
            c.exec_driver_sql(raising)
        assert store.last_seq() == 0


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("23505", FormatError),
        ("22001", FormatError),
        ("42P01", sa.exc.DBAPIError),
        ("P0001", sa.exc.DBAPIError),
    ],
)
def test_states_of_postgresql_that_are_a_mistake(
    server: str, evaluation: str, state: str, kind: type[Exception]
) -> None:
    """Of what the database holds, or of the program."""
    with open_store(server, evaluation) as store:
        raising = f"DO $$ BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '{state}'; END $$"
        with pytest.raises(kind), store.database.writing() as connection:
            connection.exec_driver_sql(raising)


def test_a_full_file_of_sqlite_is_told_by_its_code(tmp_path: Path) -> None:
    heard: list[object] = []
    with open_store(tmp_path, "e") as store:
        store.database.heard = heard.append

        def grow(connection: Connection) -> None:
            connection.exec_driver_sql(
                "PRAGMA max_page_count = 1"
            )  # of this connection; what it gives is not read
            connection.exec_driver_sql("CREATE TABLE more AS SELECT zeroblob(100000)")

        with pytest.raises(StoreUnavailable, match="is full"):
            store.change(grow)
        assert [type(each) for each in heard] == [StoreUnavailable]
        with store.database.writing() as connection:  # another connection, which knows no such limit
            connection.exec_driver_sql("CREATE TABLE more AS SELECT zeroblob(100000)")
        assert heard[1:] == [None]
