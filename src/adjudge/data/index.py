"""Which keys have been seen, on disk, so that memory does not grow with the input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from adjudge.data.lines import dump_json
from adjudge.data.rows import Key, Row


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a key: a digest of its row, where it stood, and the row where it was kept."""

    digest: bytes
    place: str
    row: str | None


def digest_of(row: Row) -> bytes:
    return blake2b(dump_json(row.as_dict()).encode(), digest_size=16).digest()


class Index:
    """An SQLite file of (file, key). It is scratch: nothing is synced, nothing is rolled back."""

    def __init__(self, path: Path | None = None):
        import sqlite3  # here: commands that import nothing start without it

        self._db = sqlite3.connect(path or "", isolation_level=None)  # "": a temporary file on disk
        self._db.execute("PRAGMA journal_mode=OFF")
        self._db.execute("PRAGMA synchronous=OFF")
        self._db.execute(
            "CREATE TABLE seen (n INTEGER PRIMARY KEY, file TEXT, key TEXT, digest BLOB, place TEXT,"
            " row TEXT)"
        )
        self._db.execute("CREATE UNIQUE INDEX by_key ON seen (file, key)")
        self._db.execute("BEGIN")

    def __contains__(self, item: tuple[str, Key]) -> bool:
        return self.get(*item) is not None

    def get(self, file: str, key: Key) -> Seen | None:
        found = self._db.execute(
            "SELECT digest, place, row FROM seen WHERE file = ? AND key = ?", (file, dump_json(key))
        ).fetchone()
        return Seen(*found) if found else None

    def add(self, file: str, key: Key, seen: Seen) -> Seen | None:
        """Remember a key; where it is known already, change nothing and say what is known."""
        added = self._db.execute(
            "INSERT OR IGNORE INTO seen (file, key, digest, place, row) VALUES (?, ?, ?, ?, ?)",
            (file, dump_json(key), seen.digest, seen.place, seen.row),
        ).rowcount
        return None if added else self.get(file, key)

    def set(self, file: str, key: Key, seen: Seen) -> None:
        """Change what is known of a key."""
        self._db.execute(
            "UPDATE seen SET digest = ?, place = ?, row = ? WHERE file = ? AND key = ?",
            (seen.digest, seen.place, seen.row, file, dump_json(key)),
        )

    def rows(self, file: str) -> Iterator[str]:
        """The kept rows of a file, in the order in which they first came."""
        query = "SELECT row FROM seen WHERE file = ? AND row IS NOT NULL ORDER BY n"
        yield from (row for (row,) in self._db.execute(query, (file,)))

    def keys(self, file: str) -> Iterator[list[str | int | None]]:
        query = "SELECT key FROM seen WHERE file = ? ORDER BY n"
        yield from (json.loads(key) for (key,) in self._db.execute(query, (file,)))

    def close(self) -> None:
        self._db.close()
