"""Backups: whole, of one moment, while others write; and the way back that the documentation describes."""

from __future__ import annotations

import shutil
import subprocess
import threading
import uuid
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.judgments.conftest import run_sql
from tests.judgments.making import Clock, a_task, an_event, fill

from adjudge.core.errors import ClashError, DataError, UsageError
from adjudge.judgments.store import backup as module
from adjudge.judgments.store.backup import backup, find_pg_dump
from adjudge.judgments.store.records import records
from adjudge.judgments.store.store import Store, open_store


def restored(store: Store, file: Path, folder: Path, server: str) -> Store:
    """The way back: the file into an empty folder, or pg_restore into an empty database."""
    if store.database.is_file:
        folder.mkdir()
        shutil.copy(file, folder / "judgments.sqlite")
        return open_store(folder, store.evaluation)
    name = f"restored_{uuid.uuid4().hex}"
    run_sql(server, f"CREATE DATABASE {name}")
    address = sa.make_url(server).set(database=name).render_as_string(hide_password=False)
    program = find_pg_dump(store.database).with_name("pg_restore")
    subprocess.run([program, "--no-owner", "--exit-on-error", f"--dbname={address}", file], check=True)
    return open_store(address, store.evaluation)


def test_a_backup_holds_everything(store: Store, tmp_path: Path, server: str) -> None:
    fill(store)
    assert backup(store, tmp_path / "backup") == tmp_path / "backup"
    with restored(store, tmp_path / "backup", tmp_path / "new", server) as again:
        assert list(records(again)) == list(records(store))
        assert again.append([an_event(again, 1)])[0].seq == 9
    assert not list(tmp_path.glob("backup-*"))  # no log beside it
    with pytest.raises(ClashError, match="backup: is there already"):
        backup(store, tmp_path / "backup")


def test_a_backup_is_of_one_moment_while_others_write(store: Store, tmp_path: Path, server: str) -> None:
    """Pairs are saved together: a backup never holds half a pair, and all that was there when it began."""
    store.add_tasks([a_task(store)])
    stop = threading.Event()

    def save() -> None:
        while not stop.is_set():
            store.append([an_event(store, "one"), an_event(store, "two")])

    thread = threading.Thread(target=save)
    thread.start()
    try:
        while store.last_seq() < 20:
            pass
        before = store.last_seq()
        backup(store, tmp_path / "backup")
    finally:
        stop.set()
        thread.join()
    with restored(store, tmp_path / "backup", tmp_path / "new", server) as again:
        answers = [event.answer for event in again.events()]
    assert len(answers) >= before
    assert answers == ["one", "two"] * (len(answers) // 2)


def test_a_copy_of_the_file_would_not_do(tmp_path: Path, clock: Clock) -> None:
    """Why not to copy: what was saved last stands in the log beside the file."""
    with open_store(tmp_path, "e", clock=clock) as store:
        fill(store)
        (tmp_path / "copy").mkdir()
        shutil.copy(tmp_path / "judgments.sqlite", tmp_path / "copy")
        with open_store(tmp_path / "copy", "e") as copy:
            assert len(list(records(copy))) < len(list(records(store)))


def test_a_backup_that_cannot_be_written_says_so(store: Store, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be"):
        backup(store, tmp_path / "nowhere" / "backup")


def test_without_a_fitting_pg_dump_it_says_what_to_install(
    server: str, evaluation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(server, evaluation) as store:
        assert module._major(find_pg_dump(store.database)) == 18
        old = tmp_path / "pg_dump"
        old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6'\n")
        old.chmod(0o755)
        monkeypatch.setattr(module, "_candidates", lambda beside: iter([old, tmp_path / "none"]))
        with pytest.raises(UsageError, match=r"needs its pg_dump.*pg_dump is 9.*install the client programs"):
            backup(store, tmp_path / "backup")
        with pytest.raises(UsageError, match="cannot be run"):
            backup(store, tmp_path / "backup", pg_dump=tmp_path / "none")
        failing = tmp_path / "failing"
        failing.write_text("#!/bin/sh\necho 'pg_dump: error: no' >&2\nexit 1\n")
        failing.chmod(0o755)
        with pytest.raises(DataError, match="cannot be backed up: pg_dump: error: no"):
            backup(store, tmp_path / "backup", pg_dump=failing)
    assert not (tmp_path / "backup").exists()


def test_the_password_is_not_among_the_arguments(
    server: str, evaluation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = tmp_path / "spy"
    spy.write_text(f'#!/bin/sh\necho "$@ [$PGPASSWORD]" > {tmp_path}/said\nexit 1\n')
    spy.chmod(0o755)
    address = sa.make_url(server).set(password="hush").render_as_string(hide_password=False)
    with open_store(address, evaluation) as store, pytest.raises(DataError) as caught:
        backup(store, tmp_path / "backup", pg_dump=spy)
    said = (tmp_path / "said").read_text()
    assert said.endswith("[hush]\n")
    assert said.count("hush") == 1
    assert "hush" not in str(caught.value)
