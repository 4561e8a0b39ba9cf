"""Replies of language models, kept in a SQLite file, so that nothing is asked twice.

What a model said is kept, also where it is of no use (a refusal, an answer off the scale): asked again with the same
parameters it would say the same, and cost again. What never came from the model (a time-out, a server's error, a body
that is no chat completion) is not kept: a run that goes on later asks it again.
"""

from __future__ import annotations

import json
import math
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from adjudge.assessors.llm.exchange import ChatReply
from adjudge.data.folder import Folder
from adjudge.data.layout import JUDGES, check_plain_file, check_plain_folder
from adjudge.errors import DataError, FormatError
from adjudge.wording import one_line

FILE = "replies.sqlite"
_TABLE = (
    "CREATE TABLE replies (key TEXT PRIMARY KEY, model TEXT NOT NULL, at TEXT NOT NULL, reply TEXT NOT NULL)"
    " WITHOUT ROWID"
)
_PATIENCE = 60.0  # seconds for another process to end its write, which takes milliseconds
_BESIDE = ("", "-journal", "-wal", "-shm")
_AT_ONCE = 500  # keys in one query


class ReplyStore:
    """Replies by the key of their request. Several processes, and the threads of each, may use one file at a time."""

    def __init__(self, path: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)):
        self.path = path
        self._clock = clock
        self._lock = threading.Lock()
        for end in _BESIDE:
            check_plain_file(path.with_name(path.name + end))
        try:
            self._db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise DataError(f"{path}: cannot be opened: {error}") from None
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """A file in a place of one's own; made where there is none."""
        path = Path(path)
        if path.is_dir():
            raise DataError(f"{path}: is a folder, expected a file for replies, such as {path / FILE}")
        if not path.parent.is_dir():
            raise DataError(f"{path}: there is no folder {path.parent}")
        return cls(path)

    @classmethod
    def of(cls, folder: Folder | Path) -> Self:
        """The file of an evaluation's folder, judges/replies.sqlite; made where there is none."""
        folder = folder.path if isinstance(folder, Folder) else folder
        if not check_plain_folder(folder / JUDGES):
            try:
                (folder / JUDGES).mkdir(exist_ok=True)
            except OSError as error:
                raise DataError(f"{folder / JUDGES}: cannot be made: {error.strerror}") from None
        return cls(folder / JUDGES / FILE)

    def _prepare(self) -> None:
        try:
            self._db.execute("PRAGMA trusted_schema = OFF")  # a folder may come from a stranger
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                found = self._db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
                if not found:
                    self._db.execute(_TABLE)
            finally:
                self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._wrong(error) from None
        if found and found != [(_TABLE,)]:
            raise FormatError("is no file of replies; move it away, or name another", file=self.path)

    def get(self, key: str) -> ChatReply | None:
        return self.get_all([key]).get(key)

    def get_all(self, keys: Iterable[str]) -> Mapping[str, ChatReply]:
        """The replies that are there, of these keys; each is marked as cached."""
        wanted, found = list(dict.fromkeys(keys)), {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            with self._lock:
                try:
                    rows = self._db.execute(
                        f"SELECT key, reply FROM replies WHERE key IN ({marks})",  # noqa: S608 - question marks
                        some,
                    ).fetchall()
                except sqlite3.Error as error:
                    raise self._wrong(error) from None
            for key, text in rows:
                found[key] = self._reply(text)
        return found

    def put(self, key: str, model: str, reply: ChatReply) -> None:
        """Keep a reply, in the place of an earlier one; it is on disk when this returns."""
        kept = {name: value for name, value in asdict(reply).items() if name != "cached"}
        row = (key, model, self._clock().isoformat(timespec="seconds"), json.dumps(kept))
        with self._lock:
            try:
                self._db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)
            except sqlite3.Error as error:
                raise self._wrong(error) from None

    def __len__(self) -> int:
        with self._lock:
            try:
                return int(self._db.execute("SELECT count(*) FROM replies").fetchone()[0])
            except sqlite3.Error as error:
                raise self._wrong(error) from None

    def __bool__(self) -> bool:
        return True  # an empty store is one

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _reply(self, text: Any) -> ChatReply:
        try:
            return replace(_parsed(json.loads(text)), cached=True)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self._damaged("a reply in it cannot be read") from None

    def _wrong(self, error: sqlite3.Error) -> DataError:
        if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
            return DataError(f"{self.path}: cannot be used: {one_line(error)}")
        return self._damaged(str(error))

    def _damaged(self, how: str) -> DataError:
        return FormatError(
            f"the kept replies are damaged ({how}); move the file away, and what it held is asked again",
            file=self.path,
        )


def _parsed(data: Any) -> ChatReply:
    """A reply as `put` wrote it; the file may come from a stranger."""
    reply = ChatReply(**data)
    texts = (reply.finish, *(each for each in (reply.text, reply.why) if each is not None))
    counts = (reply.prompt_tokens, reply.answer_tokens, reply.attempts)
    numbers = (reply.cost, reply.seconds)
    if not all(isinstance(each, str) for each in texts):
        raise TypeError("texts")
    if not all(isinstance(each, int) and each >= 0 for each in counts):
        raise TypeError("counts")
    if not all(isinstance(each, int | float) and 0 <= each < math.inf for each in numbers):
        raise TypeError("numbers")
    places = tuple(tuple((str(token), float(value)) for token, value in place) for place in reply.tokens)
    return replace(reply, tokens=places)
