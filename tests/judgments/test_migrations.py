"""Schemas: the steps lead to the tables, old databases open, new ones are refused, nothing is half done."""

from __future__ import annotations

import multiprocessing
import shutil
import uuid
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tests.judgments.children import open_at_once
from tests.judgments.conftest import run_sql
from tests.judgments.making import Clock, an_event, fill

from adjudge.errors import DataError, FormatError
from adjudge.judgments import migrations
from adjudge.judgments.records import records
from adjudge.judgments.schema import VERSION_TABLE, VERSIONS, metadata
from adjudge.judgments.store import Store, open_store

DATA = Path(__file__).parent / "data"

NEXT = '''"""A step that is not part of the product."""
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "0002", "0001", None, None


def upgrade():
    op.add_column("task", sa.Column("colour", sa.Text))
    op.create_table("extra", sa.Column("id", sa.Text, primary_key=True))
    {end}
'''


def script(steps: Path = migrations.STEPS) -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(steps))
    return ScriptDirectory.from_config(config)


def test_the_versions_are_the_steps() -> None:
    steps = [step.revision for step in script().walk_revisions()]
    assert tuple(reversed(steps)) == VERSIONS


def test_the_steps_lead_to_the_tables(new_place: Path | str) -> None:
    with open_store(new_place, "e") as store, store.database.writing() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
        connection.execute(sa.text("ALTER TABLE task ADD COLUMN colour TEXT"))
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) != []  # the check can fail


def as_filled(store: Store, tmp_path: Path) -> None:
    """An old database holds what `fill` puts into a new one, and takes more."""
    (tmp_path / "new").mkdir()
    with open_store(tmp_path / "new", store.evaluation, clock=Clock()) as new:
        fill(new)
        assert list(records(store)) == list(records(new))
    assert store.append([an_event(store, 7)])[0].seq == 9


def test_a_sqlite_file_of_schema_1_opens(tmp_path: Path) -> None:
    shutil.copy(DATA / "schema-1.sqlite", tmp_path / "judgments.sqlite")
    with open_store(tmp_path, "fixture") as store:
        as_filled(store, tmp_path)


def test_a_postgresql_database_of_schema_1_opens(new_database: str, tmp_path: Path) -> None:
    dump = (DATA / "schema-1.sql").read_text(encoding="utf-8")
    run_sql(new_database, "\n".join(line for line in dump.splitlines() if not line.startswith("\\")))
    with open_store(new_database, "fixture") as store:
        as_filled(store, tmp_path)


def test_a_newer_schema_is_refused_in_one_line(new_place: Path | str) -> None:
    with open_store(new_place, "e") as store, store.database.writing() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '0999'"))
    with pytest.raises(
        DataError, match=r"written by a newer Adjudge \(schema 0999, this one knows 0001\)"
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
    (steps / "versions" / "v0002.py").write_text(NEXT.format(end=""))
    with open_store(new_place, "e", clock=clock) as store:
        fill(store)
        before = list(records(store))
        with store.database.writing() as connection:
            migrations.upgrade(connection, "here", versions=("0001", "0002"), steps=steps)
            assert migrations.is_current(connection, "here", versions=("0001", "0002"))
            migrations.upgrade(connection, "here", versions=("0001", "0002"), steps=steps)  # nothing to do
        names, extra, version = columns(store)
        assert ("colour" in names, extra, version) == (True, True, "0002")
        assert list(records(store)) == before


def test_a_step_that_fails_leaves_everything_as_it_was(new_place: Path | str, steps: Path) -> None:
    (steps / "versions" / "v0002.py").write_text(NEXT.format(end="raise RuntimeError('half way')"))
    with open_store(new_place, "e") as store:
        before = columns(store)
        with pytest.raises(RuntimeError, match="half way"), store.database.writing() as connection:
            migrations.upgrade(connection, "here", versions=("0001", "0002"), steps=steps)
        assert columns(store) == before
        assert before[1:] == (False, "0001")


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
