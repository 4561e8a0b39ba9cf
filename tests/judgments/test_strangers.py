"""A store that a stranger made: its programs are refused, its questions end, its cells are named, its lies seen."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import called
from tests.judgments.conftest import run_sql
from tests.judgments.making import Clock, an_event, fill
from tests.judgments.strangers import FILE, HOSTILE, NOT_UTF8, columns, copy_of, put

from adjudge.core.errors import DataError, FormatError
from adjudge.evaluation import Evaluation
from adjudge.judgments.store import changes, guard, schema
from adjudge.judgments.store.appending import NotKept
from adjudge.judgments.store.edits import TaskEdit, make_edit
from adjudge.judgments.store.encoding import CELLS, stamp
from adjudge.judgments.store.store import Store, open_store, store_of

DATA = Path(__file__).parent / "data"


# Schemas


def test_the_known_schemas_are_what_the_steps_make() -> None:
    """`python -m tests.judgments.data.make` writes them anew."""
    from tests.judgments.data.make import shapes

    made = shapes()
    assert made == guard.known_shapes()
    assert tuple(made) == schema.VERSIONS


@pytest.mark.parametrize("version", range(1, 7))
def test_every_version_opens(tmp_path: Path, version: int) -> None:
    shutil.copy(DATA / f"schema-{version}.sqlite", tmp_path / FILE)
    guard.connect(tmp_path / FILE).close()
    with open_store(tmp_path, "fixture") as store:  # which upgrades it
        assert store.last_seq()
    guard.connect(tmp_path / FILE).close()


def test_the_cells_are_the_columns_of_the_tables() -> None:
    expected = {
        table.name: {column.name: bool(column.nullable) for column in table.columns}
        for table in schema.metadata.tables.values()
    }
    assert {
        table: {name: empty for name, (_, empty) in cells.items()} for table, cells in CELLS.items()
    } == expected


def rewritten(old: str, new: str) -> str:
    return (
        "PRAGMA writable_schema = ON;"
        f"UPDATE sqlite_master SET sql = replace(sql, '{old}', '{new}') WHERE name = 'event'"
    )


ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT"
FOREIGN = {
    "CREATE TRIGGER t BEFORE INSERT ON event BEGIN SELECT RAISE(IGNORE); END": 'the trigger "t"',
    f"CREATE VIEW v AS {ENDLESS} n FROM r": 'the view "v"',
    f"DROP TABLE attempt; CREATE VIEW attempt AS {ENDLESS} 'e' AS evaluation, n AS id FROM r": 'the view "attempt"',
    f"ALTER TABLE event RENAME TO e2; CREATE VIEW event AS {ENDLESS} n FROM r": 'the table "e2"',
    "CREATE INDEX i ON event (length(answer))": 'the index "i"',
    "CREATE UNIQUE INDEX i ON event (id)": 'the index "i"',
    "CREATE INDEX i ON event (answer) WHERE seq > 3": 'the index "i"',
    "CREATE VIRTUAL TABLE f USING fts5(x)": 'the table "f"',
    "CREATE TABLE notes (x)": 'the table "notes"',
    "ANALYZE": 'the table "sqlite_stat1"',
    "ALTER TABLE event ADD COLUMN twice TEXT AS (answer || answer)": "the table event is not",
    "ALTER TABLE event ADD COLUMN more TEXT": "the table event is not",
    "DROP INDEX ix_task_evaluation_topic": "lacks the index ix_task_evaluation_topic",
    rewritten("answer TEXT NOT NULL", "answer TEXT"): "the table event is not",
    rewritten("answer TEXT NOT NULL", "answer BLOB NOT NULL"): "the table event is not",
    rewritten("answer TEXT NOT NULL", "answer TEXT NOT NULL COLLATE NOCASE"): "the table event is not",
    rewritten("answer TEXT NOT NULL", "answer TEXT NOT NULL DEFAULT (random())"): "the table event is not",
    rewritten("answer TEXT NOT NULL", "answer TEXT NOT NULL CHECK (1)"): "the table event is not",
    rewritten("answer TEXT NOT NULL", "answer TEXT NOT NULL /* */"): "the table event is not",
    rewritten("ON UPDATE CASCADE", "ON UPDATE SET NULL"): "the table event is not",
    'CREATE TRIGGER "a\x1b[31m" AFTER INSERT ON event BEGIN SELECT 1; END': 'the trigger "a\\x1b[31m"',
    "DELETE FROM alembic_version": "does not say one version",
    "INSERT INTO alembic_version VALUES ('0001')": "does not say one version",
    "UPDATE alembic_version SET version_num = '0005'": "holds what|is not as|the table task",
    "UPDATE alembic_version SET version_num = '7' || char(27)": "newer",
    f"DROP TABLE alembic_version; CREATE VIEW alembic_version AS {ENDLESS} n AS version_num FROM r": "no alembic",
}


@pytest.fixture(scope="session")
def small_store(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    def make(folder: Path) -> None:
        with open_store(folder, "fixture", clock=Clock()) as store:
            fill(store)

    return once("small-store", make)


@pytest.mark.parametrize("sql", FOREIGN)
def test_what_adjudge_does_not_make_is_refused_before_anything_is_read(
    small_store: Path, tmp_path: Path, sql: str
) -> None:
    copy_of(small_store, tmp_path / "e")
    with closing(sqlite3.connect(tmp_path / "e" / FILE)) as connection:
        connection.executescript(sql)
        connection.commit()
    with pytest.raises(DataError) as caught:
        open_store(tmp_path / "e", "fixture")
    said = str(caught.value)
    assert any(part in said for part in FOREIGN[sql].split("|"))
    assert said.isprintable()
    assert FILE in said


def test_commands_stop_at_a_foreign_schema(small: Evaluation) -> None:
    small.units()
    small.simulate_judgments("duc-2001", assessors=1, seed=1)
    with closing(sqlite3.connect(small.path / FILE)) as connection:
        connection.executescript(f"DROP TABLE attempt; CREATE VIEW attempt AS {ENDLESS} n FROM r")
    for command in ("check EVAL", "judgments list EVAL", "score EVAL -m coverage", "people list EVAL"):
        done = called(small.path.parent, *command.replace("EVAL", small.path.name).split())
        assert done.returncode == 1
        assert 'the view "attempt"' in done.stdout + done.stderr


# Pages that share pages


def bomb(path: Path, name: str, depth: int = 8) -> None:
    """Makes an index a tree in which every page has the same child many times over: few pages, endless entries."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("PRAGMA journal_mode = DELETE")
    content = bytearray(path.read_bytes())
    leaf = bytes(content[(root - 1) * size : root * size])
    assert leaf[0] == 10  # a leaf of an index
    start = int.from_bytes(leaf[8:10], "big")
    assert leaf[start] < 128
    entry = leaf[start : start + 1 + leaf[start]]

    def page(child: int) -> bytes:
        cell = child.to_bytes(4, "big") + entry
        n = (size - 12) // (len(cell) + 2)
        cells = cell * n
        first = size - len(cells)
        head = (
            bytes((2, 0, 0))
            + n.to_bytes(2, "big")
            + first.to_bytes(2, "big")
            + b"\0"
            + child.to_bytes(4, "big")
        )
        places: bytes = b"".join((first + k * len(cell)).to_bytes(2, "big") for k in range(n))
        whole: bytes = (head + places).ljust(first, b"\0") + cells
        return whole

    last = len(content) // size
    content += leaf
    for number in range(last + 1, last + depth):
        content += page(number)
    content[(root - 1) * size : root * size] = page(last + depth)
    content[28:32] = (len(content) // size).to_bytes(4, "big")
    path.write_bytes(content)


INDEX = "ix_event_task_question_evaluation_assessor_seq"


@pytest.fixture
def bombed(small_store: Path, tmp_path: Path) -> Path:
    folder = copy_of(small_store, tmp_path / "e")
    bomb(folder / FILE, INDEX)
    return folder


QUESTION = f"SELECT max(seq + length(task)) FROM event INDEXED BY {INDEX}"


def test_a_question_has_no_more_steps_than_a_file_of_its_size_can_need(
    bombed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "FEWEST", 100_000)
    monkeypatch.setattr(guard, "SOUND_AFTER", 1e9)
    with closing(guard.connect(bombed / FILE)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            connection.execute(QUESTION).fetchall()
        assert connection.execute("SELECT count(*) FROM task").fetchone()  # the next one begins anew


def test_a_question_that_takes_long_has_the_pages_looked_at(
    bombed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long rows take few steps: so the structure is looked at, whenever that is."""
    monkeypatch.setattr(guard, "FEWEST", 1 << 60)
    monkeypatch.setattr(guard, "SOUND_AFTER", 0)
    with (
        closing(guard.connect(bombed / FILE)) as connection,
        pytest.raises(sqlite3.OperationalError, match="interrupted"),
    ):
        connection.execute(QUESTION).fetchall()


def test_a_sound_file_that_takes_long_is_read(
    small_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "SOUND_AFTER", 0)
    monkeypatch.setattr(guard, "EVERY", 1)
    with open_store(copy_of(small_store, tmp_path / "e"), "fixture") as store:
        assert len(list(store.events())) == store.last_seq() == 8


def test_a_schema_without_end_is_not_read_to_its_end(small_store: Path, tmp_path: Path) -> None:
    many = "".join(f"CREATE TABLE t{n} (x);" for n in range(3_000))
    path = copy_of(small_store, tmp_path / "e") / FILE
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"BEGIN; {many} COMMIT")
    with pytest.raises(DataError, match="does not end, or its pages"):
        open_store(path.parent, "fixture")
    assert called(tmp_path, "check", "e").returncode != 0


def test_commands_end_where_pages_share_pages(small: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "FEWEST", 100_000)
    small.units()
    small.simulate_judgments("duc-2001", assessors=1, seed=1)
    with closing(sqlite3.connect(small.path / FILE)) as connection:
        connection.executescript(
            "DELETE FROM event WHERE seq > 5 OR task <> (SELECT task FROM event WHERE seq = 1)"
        )
    bomb(small.path / FILE, INDEX)
    place, name = small.path.parent, small.path.name
    done = called(place, "check", name)
    assert (done.returncode, "is damaged" in done.stdout) == (1, True)
    done = called(place, "judgments", "list", name)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "does not end, or its pages are not in order" in done.stderr


# Cells


@pytest.fixture(scope="session")
def few(judged_demo: Path, once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The demo's judgments, two tasks of each assessor and protocol, and a row in every table."""

    def make(folder: Path) -> None:
        shutil.copytree(judged_demo, folder / "e")
        with closing(sqlite3.connect(folder / "e" / FILE, isolation_level=None)) as connection:
            kept = """
                SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY protocol, assessor ORDER BY topic, id)
                AS k FROM task WHERE repeat_of IS NULL) WHERE k <= 2
            """
            connection.execute(f"DELETE FROM event WHERE task NOT IN ({kept})")
            connection.execute(f"DELETE FROM task WHERE id NOT IN ({kept})")
            connection.execute("VACUUM")
        with store_of(Evaluation.open(folder / "e").folder) as store:
            store.accounts.add("zoe", role="organiser")
            store.accounts.set_password("zoe", "correct horse battery")
            store.sessions.start("zoe", timedelta(hours=8))
            store.secret("ids")
            store.attempts.note("zoe")
            edit = TaskEdit(what="remove", system="nobody")
            store.change(lambda c: make_edit(c, store.evaluation, edit, stamp(store.clock())))

    return once("few-judgments", make)


READING = (
    ("judgments", "list", "e"),
    ("judgments", "export", "e", "out.jsonl"),
    ("judgments", "export", "e", "out.jsonl", "--pseudonyms"),
    ("people", "list", "e"),
    ("people", "log", "e"),
)
COMPUTING = (
    ("judgments", "tables", "e"),
    ("score", "e", "-m", "coverage", "--again"),
    ("people", "add", "e", "somebody-new"),
)


def run_all(place: Path, commands: tuple[tuple[str, ...], ...]) -> None:
    """Every command ends with one line or well; what makes one fail, `check` finds. Nothing reaches a terminal."""
    failed: list[str] = []
    checked = called(place, "check", "e")
    assert checked.returncode in (0, 1)
    for done in (checked, *(called(place, *command) for command in commands)):
        assert not set("\x1b\x07\u202e") & set(done.stdout + done.stderr)
        assert done.returncode in (0, 1, 2)
        if done.returncode and done is not checked:
            assert len(done.stderr.strip().splitlines()) == 1, done.stderr
            failed.append(done.stderr)
    assert not failed or checked.returncode == 1, failed


SOME = [(*cell, HOSTILE[k % len(HOSTILE)]) for k, cell in enumerate(columns()) if k % 5 == 2]


@pytest.mark.parametrize("cell", SOME, ids=lambda cell: f"{cell[0]}.{cell[1]}")
def test_a_broken_cell_is_one_line_and_check_finds_it(
    few: Path, tmp_path: Path, cell: tuple[str, str, Any]
) -> None:
    """Some of the columns and values that the slow test tries all of."""
    copy_of(few / "e", tmp_path / "e")
    put(tmp_path / "e" / FILE, *cell)
    run_all(tmp_path, READING[:1] if cell[0] in ("task", "event") else READING[3:4])


@pytest.mark.slow
@pytest.mark.parametrize("cell", list(columns()), ids=".".join)
def test_every_broken_cell_is_one_line_and_check_finds_it(
    few: Path, tmp_path: Path, cell: tuple[str, str]
) -> None:
    for value in HOSTILE:
        copy_of(few / "e", tmp_path / "e")
        put(tmp_path / "e" / FILE, *cell, value)
        judged = cell[0] in ("evaluation", "person", "task", "event")
        run_all(tmp_path, READING + COMPUTING if judged else (*READING[3:], COMPUTING[-1]))


@pytest.mark.parametrize(
    ("table", "column", "value", "problem"),
    [
        ("event", "answer", "{", "table event, row 2, column answer: not JSON"),
        ("event", "answer", NOT_UTF8, "table event, row 2, column answer: not UTF-8"),
        ("event", "answer", None, "table event, row 2, column answer: empty"),
        ("event", "answer", '{"x": NaN}', "table event, row 2, column answer: not JSON (NaN"),
        ("event", "answer", "[" * 200 + "]" * 200, "row 2, column answer: too many lists and objects"),
        ("event", "answer", '{"value": 1}', "table event, row 2, column answer: pyramid-peer: no list"),
        ("event", "seq", -5, "table event, row -5, column seq: "),
        ("event", "task", "nobody", 'row 2, column task: there is no task "nobody"'),
        ("evaluation", "last_seq", 0, "column last_seq: 0, and there is an event"),
        ("evaluation", "last_seq", "x", 'column last_seq: "x", expected a whole number'),
        ("person", "name", "a\x1b[31m", 'column name: "a\\x1b[31m": it holds a control character'),
        ("task", "hashes", "[]", "column hashes: not a JSON object of texts"),
        ("session", "expires_at", "soon", 'column expires_at: "soon" is not a time'),
        ("account", "password_hash", "x", "column password_hash: expected an argon2 hash"),
        ("secret", "value", "zz", "column value: expected hexadecimal digits"),
    ],
)
def test_check_names_table_row_and_column(
    few: Path, tmp_path: Path, table: str, column: str, value: Any, problem: str
) -> None:
    put(copy_of(few / "e", tmp_path / "e") / FILE, table, column, value)
    report = Evaluation.open(tmp_path / "e").check()
    (finding,) = [each for each in report.findings if each.code == "judgments-unreadable"]
    assert any(f"{FILE}: " in line and problem in line for line in finding.where), finding.where
    assert (finding.severity, finding.count >= 1) == ("error", True)


def test_check_lists_some_and_counts_all(few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST", 20)
    copy_of(few / "e", tmp_path / "e")
    with closing(sqlite3.connect(tmp_path / "e" / FILE)) as connection:
        connection.execute("UPDATE event SET received_at = 'now', took_ms = 'long'")
        (n,) = connection.execute("SELECT count(*) FROM event").fetchone()
        connection.commit()
    report = Evaluation.open(tmp_path / "e").check()
    (finding,) = [each for each in report.findings if each.code == "judgments-unreadable"]
    assert (finding.count, len(finding.where)) == (2 * n, 20)


def test_names_hold_no_control_characters_on_the_way_in(store: Store) -> None:
    for bad in ("a\x1b[2J", "a\nb", "a\u202eb", "a\x85b"):
        with pytest.raises(FormatError, match="control character"):
            store.people.add(bad)
        with pytest.raises(FormatError, match="control character"):
            store.people.add("ann", name=bad)
    assert store.people.add("ann", name="Ann\u00a0Öster").name  # a space that does not break a line is none


# What is acknowledged


SWALLOWED = {
    "trigger": """
        CREATE FUNCTION adjudge.swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER t BEFORE INSERT ON adjudge.event FOR EACH ROW EXECUTE FUNCTION adjudge.swallow()
    """,
    "changing trigger": """
        CREATE FUNCTION adjudge.change() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN NEW.answer = ''0''; RETURN NEW; END';
        CREATE TRIGGER t BEFORE INSERT ON adjudge.event FOR EACH ROW EXECUTE FUNCTION adjudge.change()
    """,
    "rule": "CREATE RULE r AS ON INSERT TO adjudge.event DO INSTEAD NOTHING",
    "rule of the counter": "CREATE RULE r AS ON UPDATE TO adjudge.evaluation DO INSTEAD NOTHING",
}


@pytest.mark.parametrize("how", SWALLOWED)
def test_an_answer_that_postgresql_swallows_is_not_acknowledged(new_database: str, how: str) -> None:
    with open_store(new_database, "fixture") as store:
        fill(store)
        last = store.last_seq()
        run_sql(new_database, SWALLOWED[how])
        with pytest.raises(NotKept) as caught:
            store.append([an_event(store, 7)])
        assert str(caught.value).count("\n") == 0
        assert (store.last_seq(), len(list(store.events()))) == (last, last)


@pytest.mark.parametrize("what", ["RAISE(IGNORE)", "1"])
def test_an_answer_that_sqlite_swallows_is_not_acknowledged(tmp_path: Path, what: str) -> None:
    """Where somebody makes a trigger while the app runs: whoever opens the file later refuses it."""
    with open_store(tmp_path, "fixture") as store:
        fill(store)
        kept = list(store.events())
        with closing(sqlite3.connect(tmp_path / FILE)) as connection:
            when = "BEFORE" if what == "RAISE(IGNORE)" else "AFTER"
            more = "" if when == "BEFORE" else "DELETE FROM event WHERE seq = NEW.seq;"
            connection.execute(f"CREATE TRIGGER t {when} INSERT ON event BEGIN SELECT {what}; {more} END")
        with pytest.raises(NotKept):
            store.append([an_event(store, 7)])
        assert list(store.events()) == kept
    with pytest.raises(FormatError, match='the trigger "t"'):
        open_store(tmp_path, "fixture")


# Who may read it


def modes(folder: Path) -> dict[str, str]:
    return {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in sorted(folder.iterdir())}


def test_a_store_is_its_owners_alone_from_the_first_byte(tmp_path: Path) -> None:
    code = """
import os, stat, sys
from pathlib import Path
os.umask(0)
from adjudge.judgments.store.store import open_store
from adjudge.judgments.store.backup import backup
from adjudge.judgments.store.records import write_records
folder = Path(sys.argv[1])
with open_store(folder, "e") as store:
    store.people.add("ann")
    backup(store, folder / "copy.sqlite")
    write_records(store, folder / "all.jsonl")
    print(sorted((p.name, oct(stat.S_IMODE(p.stat().st_mode))) for p in folder.iterdir()))
"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    names = ("all.jsonl", "copy.sqlite", FILE, f"{FILE}-shm", f"{FILE}-wal")
    assert done.stdout.strip() == str([(name, "0o600") for name in sorted(names)])


def test_a_store_that_others_may_read_is_closed_to_them_when_it_is_opened_to_write(tmp_path: Path) -> None:
    with open_store(tmp_path, "e"):
        pass
    (tmp_path / FILE).chmod(0o664)
    with open_store(tmp_path, "e") as store:
        store.people.add("ann")
        assert set(modes(tmp_path).values()) == {"0o600"}
    (tmp_path / FILE).chmod(0o444)
    guard.connect(tmp_path / FILE, uri=f"{(tmp_path / FILE).as_uri()}?mode=ro").close()
    assert modes(tmp_path)[FILE] == "0o444"  # who only reads changes nothing
