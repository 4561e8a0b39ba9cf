"""Schemas: the steps lead to the tables, old databases open, new ones are refused, nothing is half done."""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
import uuid
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tests.judgments.children import open_at_once
from tests.judgments.conftest import run_sql
from tests.judgments.data.make import ASKED, EDIT, LINKS, PASSWORD, SECRET, SESSION
from tests.judgments.making import Clock, an_event, fill

from adjudge.core.errors import DataError, FormatError
from adjudge.judgments.store import migrations
from adjudge.judgments.store.edits import make_edit
from adjudge.judgments.store.encoding import stamp
from adjudge.judgments.store.records import records
from adjudge.judgments.store.schema import VERSION_TABLE, VERSIONS, evaluation, metadata
from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.tasks import TextRef

DATA = Path(__file__).parent / "data"

NEXT = '''"""A step that is not part of the product."""
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "9999", "{last}", None, None


def upgrade():
    op.add_column("task", sa.Column("colour", sa.Text))
    op.create_table("extra", sa.Column("id", sa.Text, primary_key=True))
    {end}
'''
FURTHER = (*VERSIONS, "9999")


def script(steps: Path = migrations.STEPS) -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(steps))
    return ScriptDirectory.from_config(config)


def test_the_versions_are_the_steps() -> None:
    steps = [step.revision for step in script().walk_revisions()]
    assert tuple(reversed(steps)) == VERSIONS


def described(connection: sa.Connection) -> dict[str, object]:
    """Every table as the database tells of it."""
    look = sa.inspect(connection)
    return {
        name: (
            {c["name"]: (str(c["type"]), c["nullable"], c["default"]) for c in look.get_columns(name)},
            look.get_pk_constraint(name),
            sorted(look.get_foreign_keys(name), key=str),
            sorted(look.get_indexes(name), key=str),
            sorted(look.get_unique_constraints(name), key=str),
            connection.execute(sa.text(f"SELECT * FROM {name}")).all(),
        )
        for name in look.get_table_names()
    }


def test_the_steps_lead_to_the_tables(new_place: Path | str) -> None:
    """From nothing, step by step; and to the same as an empty database gets at once."""
    with open_store(new_place, "e") as store, store.database.writing() as connection:
        connection.execute(sa.delete(evaluation))
        at_once = described(connection)
        assert set(at_once) == {VERSION_TABLE, *metadata.tables}
        connection.execute(sa.text(f"DROP TABLE {VERSION_TABLE}"))
        metadata.drop_all(connection)
        assert described(connection) == {}
        migrations.take_steps(connection)
        assert described(connection) == at_once
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
        connection.execute(sa.text("ALTER TABLE task ADD COLUMN colour TEXT"))
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) != []  # the check can fail
        assert described(connection) != at_once


def as_filled(store: Store, tmp_path: Path) -> None:
    """An old database holds what `fill` puts into a new one, and takes more."""
    (tmp_path / "new").mkdir()
    with open_store(tmp_path / "new", store.evaluation, clock=Clock()) as new:
        fill(new)
        assert list(records(store)) == list(records(new))
    assert store.append([an_event(store, 7)])[0].seq == 9


def takes_accounts(store: Store) -> None:
    """An old database has the tables of today: what came later works, beside the old rows."""
    link = store.accounts.add("ann")
    token = store.sessions.start("ann", timedelta(hours=1))
    account, session = store.accounts.by_token(link.token), store.sessions.find(token)
    assert (account and account.name, session and session.person) == ("Ann Öster", "ann")
    assert store.people.erase_name("ann").id == "p-one"  # old rows and new ones follow
    assert (store.accounts.all(), store.sessions.find(token)) == ([], None)
    assert {task.assessor for task in store.tasks()} == {"p-one", "bob"}


def keeps_accounts(store: Store) -> None:
    """What `data/make.py` put into the tables of the second schema is there and lets in."""
    ann, bob = store.accounts.all()
    assert (ann.person, ann.role, ann.state, ann.has_password) == ("ann", "organiser", "active", True)
    assert (bob.person, bob.role, bob.state, bob.has_password) == ("bob", "assessor", "suspended", False)
    assert store.accounts.by_token(LINKS["ann"]) == replace(ann, link_used_at=stamp(store.clock()))
    assert store.accounts.by_token(LINKS["bob"]) is None
    assert store.accounts.check_password("ann", PASSWORD) is not None
    found = store.sessions.find(SESSION)
    assert found is not None
    assert (found.person, found.role) == ("ann", "organiser")
    assert store.secret("ids").hex() == SECRET
    assert not store.attempts.allowed("ann", limit=1)


def keeps_edits(store: Store) -> None:
    """What was done to the tasks once is not done again."""
    store.change(
        lambda connection: make_edit(connection, store.evaluation, replace(EDIT, system="sys-1"), "later")
    )
    assert [task.id for task in store.tasks()] == ["t1", "t2", "t3"]


def keeps_forms(place: Path | str) -> None:
    with open_store(place, "forms") as store:
        (task,) = store.tasks()
    assert (task.peer, task.reference) == (TextRef("sys-1", 200, "extract"), TextRef("A", None, "abstract"))


def keeps_what_is_asked(place: Path | str) -> None:
    with open_store(place, "asked") as store:
        assert [task.asked for task in store.tasks()] == [ASKED]


def keeps_the_log(store: Store) -> None:
    """What was done to the accounts, the latest first."""
    told = [(entry.person, entry.what) for entry in store.account_log.entries()]
    assert told[-5:] == [
        ("bob", "suspended, sessions and password ended"),
        ("ann", "signed in"),
        ("ann", "password set"),
        ("bob", "account made"),
        ("ann", "account made"),
    ]


def old(version: int, address: Path | str) -> Path | str:
    """A database of an old schema, at a place that is empty."""
    if isinstance(address, Path):
        shutil.copy(DATA / f"schema-{version}.sqlite", address / "judgments.sqlite")
    else:
        dump = (DATA / f"schema-{version}.sql").read_text(encoding="utf-8")
        run_sql(address, "\n".join(line for line in dump.splitlines() if not line.startswith("\\")))
    return address


@pytest.mark.parametrize("version", [int(version) for version in VERSIONS])
def test_databases_of_all_schemas_open_and_hold_what_they_held(
    version: int, new_place: Path | str, tmp_path: Path, clock: Clock
) -> None:
    with open_store(old(version, new_place), "fixture", clock=clock) as store:
        as_filled(store, tmp_path)
        if version >= 3:
            keeps_edits(store)
        if version >= 5:
            keeps_the_log(store)
        if version >= 2:
            keeps_accounts(store)
            for person in LINKS:
                store.accounts.forget(person)
        takes_accounts(store)
    if version >= 4:
        keeps_forms(new_place)
    if version >= 6:
        keeps_what_is_asked(new_place)


def test_an_upgrade_keeps_every_row_and_every_link_between_rows(tmp_path: Path) -> None:
    """SQLite checks links only when rows change: here all are looked at, with foreign keys on."""
    path = old(1, tmp_path)
    assert isinstance(path, Path)
    before = table_rows(path / "judgments.sqlite")
    with open_store(path, "fixture") as store, store.database.writing() as connection:
        assert connection.scalar(sa.text("PRAGMA foreign_keys")) == 1
        assert connection.execute(sa.text("PRAGMA foreign_key_check")).all() == []
        with pytest.raises(sa.exc.IntegrityError):
            connection.execute(sa.text("DELETE FROM person"))
    after = table_rows(path / "judgments.sqlite")
    # neither cancelled nor renamed, of no form, and asking what their protocol asks
    before["task"] = [(*row, None, None, None, None, None) for row in before["task"]]
    assert {table: after[table] for table in before} == before | {VERSION_TABLE: [(VERSIONS[-1],)]}
    assert all(after[table] == [] for table in after.keys() - before.keys())


def table_rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        names = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=str) for name in names}


def test_a_newer_schema_is_refused_in_one_line(new_place: Path | str) -> None:
    with open_store(new_place, "e") as store, store.database.writing() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '0999'"))
    with pytest.raises(
        DataError,
        match=rf"written by a newer Adjudge \(schema 0999, this one knows {VERSIONS[-1]}\)",
    ) as caught:
        open_store(new_place, "e")
    assert "\n" not in str(caught.value)


def test_another_programs_database_is_refused(tmp_path: Path, new_database: str) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'judgments.sqlite'}")
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE task (id TEXT)"))
    engine.dispose()
    with pytest.raises(FormatError, match="a database, but not of judgments"):
        open_store(tmp_path, "e")
    run_sql(new_database, "CREATE TABLE task (id TEXT)")  # in PostgreSQL's own schema: ours is another
    with open_store(new_database, "e") as store:
        assert store.tasks() == []


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """The steps, where a test can add one."""
    copy = tmp_path / "100% steps"
    shutil.copytree(migrations.STEPS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def columns(store: Store) -> tuple[set[str], bool, str]:
    with store.database.reading() as connection:
        look = sa.inspect(connection)
        version = connection.scalar(sa.text(f"SELECT version_num FROM {VERSION_TABLE}"))
        return {c["name"] for c in look.get_columns("task")}, look.has_table("extra"), str(version)


def test_an_older_schema_is_brought_up_with_all_it_holds(
    new_place: Path | str, clock: Clock, steps: Path
) -> None:
    (steps / "versions" / "v9999.py").write_text(NEXT.format(last=VERSIONS[-1], end=""))
    with open_store(new_place, "e", clock=clock) as store:
        fill(store)
        before = list(records(store))
        with store.database.writing() as connection:
            migrations.upgrade(connection, "here", versions=FURTHER, steps=steps)
            assert migrations.is_current(connection, "here", versions=FURTHER)
            migrations.upgrade(connection, "here", versions=FURTHER, steps=steps)  # nothing to do
        names, extra, version = columns(store)
        assert ("colour" in names, extra, version) == (True, True, "9999")
        assert list(records(store)) == before


def test_a_step_that_fails_leaves_everything_as_it_was(new_place: Path | str, steps: Path) -> None:
    source = NEXT.format(last=VERSIONS[-1], end="raise RuntimeError('half way')")
    (steps / "versions" / "v9999.py").write_text(source)
    with open_store(new_place, "e") as store:
        before = columns(store)
        with pytest.raises(RuntimeError, match="half way"), store.database.writing() as connection:
            migrations.upgrade(connection, "here", versions=FURTHER, steps=steps)
        assert columns(store) == before
        assert before[1:] == (False, VERSIONS[-1])


def test_many_may_open_a_new_place_at_once(new_place: Path | str) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.judgments.children", "psycopg", "sqlalchemy.dialects.postgresql"])
    together = context.Barrier(6)
    children = [context.Process(target=open_at_once, args=(new_place, "e", together)) for _ in range(6)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * 6
    with open_store(new_place, "e") as store:
        assert [person.id for person in store.people.all()] == ["ann"]


def test_a_database_in_another_encoding_is_refused(server: str) -> None:
    name = f"latin_{uuid.uuid4().hex}"
    run_sql(
        server, f"CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    try:
        address = sa.make_url(server).set(database=name).render_as_string(hide_password=False)
        with pytest.raises(DataError, match="the database's encoding is LATIN1, expected UTF8"):
            open_store(address, "e")
    finally:
        run_sql(server, f"DROP DATABASE {name} WITH (FORCE)")
