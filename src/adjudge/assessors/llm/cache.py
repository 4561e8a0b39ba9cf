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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from adjudge.assessors.llm.exchange import ChatReply, parse_body
from adjudge.assessors.llm.spending import Spent
from adjudge.core.errors import DataError, FormatError
from adjudge.core.words import one_line
from adjudge.data.folder import Folder
from adjudge.data.layout import JUDGES, check_plain_file, check_plain_folder
from adjudge.judgments.store.guard import ENDLESS, Shape, connect, read_master, shape_of

FILE = "replies.sqlite"
_REPLIES = (
    "CREATE TABLE replies (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, model TEXT NOT NULL,"
    " judge TEXT NOT NULL, protocol TEXT NOT NULL, at TEXT NOT NULL, reply TEXT NOT NULL)"
)
_ANEW = "CREATE TABLE anew (what TEXT PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID"
_PATIENCE = 60.0  # seconds for another process to end its write, which takes milliseconds
_BESIDE = ("", "-journal", "-wal", "-shm")
_AT_ONCE = 500  # keys in one query


def _make_tables(connection: sqlite3.Connection) -> None:
    connection.execute(_REPLIES)
    connection.execute(_ANEW)


@cache
def _shape() -> Shape:
    """The schema of a file of replies: what making one gives."""
    with closing(sqlite3.connect(":memory:")) as connection:
        _make_tables(connection)
        return shape_of(read_master(connection))


class KeptReplies(Protocol):
    """Where asking finds replies that are there, and keeps new ones."""

    def get_all(self, keys: Iterable[str]) -> Mapping[str, ChatReply]: ...

    def put(self, key: str, model: str, reply: ChatReply) -> None: ...


@dataclass(frozen=True, slots=True)
class KeptNote:
    """Which judge brought a reply, and when."""

    number: int
    """Later ones are higher."""
    judge: str
    at: str


class ReplyStore:
    """Replies by the key of their request. Several processes, and the threads of each, may use one file at a time."""

    def __init__(self, path: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)):
        self.path = path
        self._clock = clock
        self._lock = threading.Lock()
        for end in _BESIDE:
            check_plain_file(path.with_name(path.name + end))
        try:
            self._db = connect(path, timeout=_PATIENCE, threads=True, shape=_shape())
        except sqlite3.Error as error:
            raise self._wrong(error) from None
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
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                if not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                    _make_tables(self._db)
            finally:
                self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._wrong(error) from None

    def get(self, key: str) -> ChatReply | None:
        return self.get_all([key]).get(key)

    def get_all(self, keys: Iterable[str]) -> Mapping[str, ChatReply]:
        """The replies that are there, of these keys; each is marked as cached."""
        return {key: self._reply(text) for key, text in self._by_key("key, reply", keys)}

    def notes(self, keys: Iterable[str]) -> Mapping[str, KeptNote]:
        """Who brought the replies that are there, of these keys."""
        rows = self._by_key("key, number, judge, at", keys)
        return {key: KeptNote(number, self._line(judge), self._line(at)) for key, number, judge, at in rows}

    def _by_key(self, columns: str, keys: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        wanted = list(dict.fromkeys(keys))
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            yield from self._run(f"SELECT {columns} FROM replies WHERE key IN ({marks})", some)  # noqa: S608

    def put(self, key: str, model: str, reply: ChatReply, *, judge: str = "", protocol: str = "") -> None:
        """Keep a reply, in the place of an earlier one; it is on disk when this returns."""
        kept = {name: value for name, value in asdict(reply).items() if name != "cached"}
        row = (key, model, judge, protocol, self._clock().isoformat(timespec="seconds"), json.dumps(kept))
        self._run(
            "INSERT OR REPLACE INTO replies (key, model, judge, protocol, at, reply) VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )

    def __len__(self) -> int:
        # Not count(*), which is one step however long it takes.
        return int(self._run("SELECT count(key) FROM replies")[0][0])

    @property
    def last(self) -> int:
        """The highest number that was given to a reply; 0 where there was none."""
        rows = self._run("SELECT seq FROM sqlite_sequence WHERE name = 'replies'")
        return self._count(rows[0][0]) if rows else 0

    def spent(self, judge: str, protocol: str, *, after: int) -> Spent:
        """What the replies of a judge under a protocol took, of those with a higher number."""
        rows = self._run(
            "SELECT reply FROM replies WHERE judge = ? AND protocol = ? AND number > ?",
            (judge, protocol, after),
        )
        total = Spent()
        for (text,) in rows:
            reply = self._reply(text)
            total += Spent(
                requests=reply.attempts,
                prompt_tokens=reply.prompt_tokens,
                answer_tokens=reply.answer_tokens,
                cost=reply.cost,
                seconds=reply.seconds,
            )
        return total

    def anew_since(self, what: str, *, begin: bool = False) -> int:
        """Only replies with a higher number count where something is asked anew.

        That is the number at which asking it anew began and was not ended, or now.
        """
        if begin:
            self._run("INSERT OR IGNORE INTO anew VALUES (?, ?)", (what, self.last))
        rows = self._run("SELECT since FROM anew WHERE what = ?", (what,))
        return self._count(rows[0][0]) if rows else self.last

    def is_anew(self, what: str) -> bool:
        """Whether asking something anew began and was not ended."""
        return bool(self._run("SELECT since FROM anew WHERE what = ?", (what,)))

    def end_anew(self, what: str) -> None:
        self._run("DELETE FROM anew WHERE what = ?", (what,))

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._db.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self._wrong(error) from None

    def __bool__(self) -> bool:
        return True  # an empty store is one

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):  # a thread that is writing ends that first
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _count(self, value: Any) -> int:
        if not isinstance(value, int) or value < 0:
            raise self._damaged("a number in it is none")
        return value

    def _line(self, value: Any) -> str:
        if not isinstance(value, str) or not value.isprintable():
            raise self._damaged("a name or a time in it is none")
        return value

    def _reply(self, text: Any) -> ChatReply:
        try:
            return replace(_parsed(parse_body(text)), cached=True)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            raise self._damaged("a reply in it cannot be read") from None

    def _wrong(self, error: sqlite3.Error) -> DataError:
        if str(error) == "interrupted":
            return self._damaged(ENDLESS)
        if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
            return DataError(f"{self.path}: cannot be used: {one_line(error)}")
        return self._damaged(str(error))

    def _damaged(self, how: str) -> DataError:
        return FormatError(
            f"the kept replies are damaged ({how}); move the file away, and what it held is asked again",
            file=self.path,
        )


@dataclass(slots=True)
class JudgeReplies:
    """The kept replies as one judge sees them: new ones carry its name."""

    store: ReplyStore
    judge: str
    protocol: str
    since: int | None = None
    """Where it is asked anew: only its own replies with a higher number are there."""
    others: dict[str, KeptNote] = field(default_factory=dict)
    """By key, those of other judges that were found."""
    readers: Mapping[str, Callable[[ChatReply], object]] = field(default_factory=dict)
    """By key, what reads a reply: none is kept that was not read first, so that what cannot be read is asked again."""

    def get_all(self, keys: Iterable[str]) -> Mapping[str, ChatReply]:
        wanted = list(keys)
        notes = self.store.notes(wanted)
        if self.since is not None:
            fresh = {k for k, note in notes.items() if note.judge == self.judge and note.number > self.since}
            return self.store.get_all(key for key in wanted if key in fresh)
        self.others |= {key: note for key, note in notes.items() if note.judge != self.judge}
        return self.store.get_all(wanted)

    def put(self, key: str, model: str, reply: ChatReply) -> None:
        if key in self.readers:
            self.readers[key](reply)
        self.store.put(key, model, reply, judge=self.judge, protocol=self.protocol)


def _parsed(data: Any) -> ChatReply:
    """A reply as `put` wrote it; the file may come from a stranger."""
    reply = ChatReply(**data)
    texts = (reply.finish, *(text for text in (reply.text, reply.why, reply.reason) if text is not None))
    counts = (reply.prompt_tokens, reply.answer_tokens, reply.attempts)
    numbers = (reply.cost, reply.seconds)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("texts")
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise TypeError("counts")
    if not all(isinstance(number, int | float) and 0 <= number < math.inf for number in numbers):
        raise TypeError("numbers")
    places = tuple(tuple((str(token), float(value)) for token, value in place) for place in reply.tokens)
    if not all(math.isfinite(value) for place in places for _, value in place):
        raise TypeError("probabilities")
    return replace(reply, tokens=places)
