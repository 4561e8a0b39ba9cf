"""Rows and scores on their way into a folder: merged with what is there, everything counted, all or nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from hashlib import blake2b
from math import isnan
from pathlib import Path
from typing import IO, Any, Literal, TypeVar

from adjudge.core.errors import ClashError, FormatError
from adjudge.core.phrases import Argument, Door, Spoken, either, spoken
from adjudge.core.words import as_sentence, counted
from adjudge.data.folder import Folder
from adjudge.data.history import ChangeNote, Counts, shortened
from adjudge.data.layout import SCORES
from adjudge.data.lines import dump_json
from adjudge.data.packed import open_bytes
from adjudge.data.rows import Document, Key, Row, Summary, System, Topic
from adjudge.data.scorefiles import ScoreFile, find, stage
from adjudge.data.scores import KEY, MeasureInfo, Score, ScoreTable
from adjudge.data.transaction import Transaction

M = TypeVar("M", Topic, System)
OnClash = Literal["refuse", "replace", "skip"]
MERGED: tuple[type[Row], ...] = (Topic, System)  # what several imports may each know a part of
PLAIN: tuple[type[Row], ...] = (Document, Summary)
_HERE = "is there already"
_SINGULAR = {
    "summaries": "summary",
    "topics": "topic",
    "systems": "system",
    "documents": "document",
    "scores": "score",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """What there is to say of something in the input; reasons are counted, so they name no single thing."""

    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut(Remark):
    """It was not taken."""


@dataclass(frozen=True, slots=True)
class Noted(Remark):
    """It was taken, though not quite as it stood."""


Thing = Row | Score | MeasureInfo | Remark
Item = tuple[str, Thing]  # where it stood in the input, what it is


@dataclass
class ImportReport:
    """What an import read, added and left out."""

    added: Counter[str] = field(default_factory=Counter)
    replaced: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    in_full: dict[str, Spoken] = field(default_factory=dict, repr=False)
    """Reasons as texts for any door."""
    scores: Counter[str] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)
    """Topics and systems that were there, and of which more is known now."""
    read: int = 0
    """Rows and scores that the input had, new or not."""
    holds: set[str] = field(default_factory=set)
    """What the evaluation has now: documents, peers, references, scores."""
    made: str | None = None
    """The evaluation's folder, where this import made it."""
    dry_run: bool = False
    why_final: str | None = None
    """Why the import cannot be undone, where that is so."""
    outdated: int = 0
    """Judgments that counted before, and count no more: they are of texts that were replaced."""
    unread: str | None = None
    """Why judgments were not looked at, where texts were replaced."""

    @property
    def is_change(self) -> bool:
        return bool(self.added or self.replaced or self.filled or self.scores)

    def remark(self, remark: Remark, place: str) -> None:
        counts = self.noted if isinstance(remark, Noted) else self.left_out
        reason = spoken(remark.reason, "python")
        counts[reason] += 1
        self.first.setdefault(reason, place)
        self.in_full[reason] = remark.reason

    def _remarks(self, counts: Counter[str]) -> list[dict[str, Any]]:
        return [{"reason": why, "count": n, "first": self.first[why]} for why, n in counts.items()]

    def counts(self) -> Counts:
        """What the history says of the import."""
        scores = {f"scores of {measure}": n for measure, n in self.scores.items()}
        by_verb = {"added": {**self.added, **scores}, "replaced": dict(self.replaced)}
        return {verb: things for verb, things in by_verb.items() if things}

    def as_dict(self) -> dict[str, Any]:
        return {
            "added": dict(self.added),
            "replaced": dict(self.replaced),
            "skipped": dict(self.skipped),
            "same": dict(self.same),
            "filled": dict(self.filled),
            "scores": dict(self.scores),
            "read": self.read,
            "made": self.made,
            "left_out": self._remarks(self.left_out),
            "noted": self._remarks(self.noted),
            "dry_run": self.dry_run,
            "cannot_be_undone": self.why_final,
            "judgments_outdated": self.outdated,
            "judgments_unread": self.unread,
        }

    def lines(self, door: Door = "python") -> Iterator[str]:
        """The report in plain words."""
        if self.made:
            yield f"{'would make' if self.dry_run else 'made'} the evaluation {self.made}"
        yield from _counted("would add" if self.dry_run else "added", self.added)
        yield from _counted("replaced", self.replaced)
        if self.outdated:
            verb = "would no longer count" if self.dry_run else "no longer count"
            yield (
                f"judgments that {verb}: {self.outdated:,}, of texts that were replaced;"
                " adjudge assign has them judged anew"
            )
        if self.unread:
            yield f"whether judgments of replaced texts still count is unknown: {self.unread}"
        yield from _counted("completed:", self.filled)
        yield from _counted("skipped, already there:", self.skipped)
        yield from _counted("already there, the same:", self.same)
        if self.scores:
            yield f"scores: {', '.join(f'{n:,} of {measure}' for measure, n in self.scores.items())}"
        for verb, counts in (("left out", self.left_out), ("noted", self.noted)):
            for reason, count in counts.items():
                why = spoken(self.in_full[reason], door)
                yield f"{verb} {count:,}: {why} (first: {self.first[reason]})"
        if self.read and not self.is_change:
            yield "nothing new"
        if self.why_final:
            yield f"this cannot be undone: {self.why_final}"


def _counted(verb: str, counts: Counter[str]) -> Iterator[str]:
    if counts:
        names = ", ".join(counted(n, _SINGULAR.get(name, name), name) for name, n in counts.items())
        yield f"{verb} {names}"


def _on_clash(choice: OnClash) -> Spoken:
    return either(f'on_clash="{choice}"', Argument(choice).option)


def _what(row: Row) -> str:
    """The row's name in a message: topic "d1", system "lead", length 100."""
    return ", ".join(
        f"{name} {value}" if isinstance(value, int) else f'{name} "{value}"'
        for name, value in row.named().items()
    )


def _table(row: type[Row] | Row) -> str:
    return row.FILE.removesuffix(".jsonl")


def take_all(
    folder: Folder,
    items: Iterable[Item],
    *,
    on_clash: OnClash = "refuse",
    dry_run: bool = False,
    progress: Callable[[int], None] = lambda n: None,
    look: Callable[[Transaction, ImportReport], None] | None = None,
    what: str = "import",
    when: str = "",
) -> ImportReport:
    """Run an import to its end, or leave the folder as it was. `what` and `when` are for the history.

    `look` is shown what is about to change.
    """
    with Transaction(folder.path) as change:
        report = stage_all(folder, change, items, on_clash=on_clash, progress=progress)
        report.dry_run = dry_run
        if look is not None:
            look(change, report)
        if not dry_run and report.is_change:
            change.note(ChangeNote(what=shortened(what), when=when, counts=report.counts()))
            change.commit()
            report.why_final = change.why_final
        return report


def stage_all(
    folder: Folder,
    change: Transaction,
    items: Iterable[Item],
    *,
    on_clash: OnClash = "refuse",
    progress: Callable[[int], None] = lambda n: None,
) -> ImportReport:
    """Run an import to its end within a change, which is not committed yet."""
    incoming = Incoming(folder, change, on_clash)
    try:
        for number, (place, thing) in enumerate(items, 1):
            incoming.take(place, thing)
            if number % 256 == 0:
                progress(number)
        return incoming.finish()
    except FormatError as error:
        raise FormatError(f"{as_sentence(error.text)} Nothing was imported") from None
    finally:
        incoming.close()


class Incoming:
    """Takes items one by one; `finish` writes the new versions of the files into the transaction."""

    def __init__(self, folder: Folder, change: Transaction, on_clash: OnClash = "refuse"):
        self.folder, self.change, self.on_clash = folder, change, on_clash
        self.report = ImportReport()
        self._index = Index(change.scratch("index.sqlite"))
        self._new: dict[str, IO[str]] = {}
        self._stack = ExitStack()
        self._stack.enter_context(closing(self._index))
        self._replaced = 0
        self._clashes: list[str] = []
        self._clash_count = 0
        self._scores = ScoreMerge(folder.path, on_clash)
        try:
            for kind in (*MERGED, *PLAIN):
                for line, row in self.folder.rows(kind):
                    kept = dump_json(row.as_dict()) if kind in MERGED else None
                    self._hold(row)
                    before = self._index.add(kind.FILE, row.key, Seen(digest_of(row), _HERE, kept))
                    if before:
                        raise FormatError(
                            f"{_what(row)} stands twice", file=self.folder.path / kind.FILE, line=line
                        )
        except BaseException:
            self.close()
            raise

    def _hold(self, row: Row) -> None:
        if isinstance(row, Document):
            self.report.holds.add("documents")
        elif isinstance(row, Summary):
            self.report.holds.update(f"{role}s" for role in row.roles)

    def take(self, place: str, thing: Thing) -> None:
        if isinstance(thing, Row | Score):
            self.report.read += 1
        match thing:
            case Remark():
                self.report.remark(thing, place)
            case Score():
                self._scores.add(thing, place)
            case MeasureInfo():
                self._scores.describe(thing)
            case Topic():
                self._merge(place, thing)
            case System():
                self._merge(place, thing)
            case Row():
                self._add(place, thing)

    def _merge(self, place: str, row: M) -> None:
        """Two rows of one key add up, unless they contradict each other."""
        seen = self._index.add(row.FILE, row.key, Seen(b"", place, dump_json(row.as_dict())))
        if seen is None:
            self.report.added[_table(row)] += 1
            return
        before = type(row).parse(json.loads(seen.row or "null"))
        if name := row.contradicts(before):
            if seen.place != _HERE:
                raise FormatError(f"{place}: {_what(row)} has another {name} than at {seen.place}")
            self._clash(row, place)
            result = row.fill(before) if self.on_clash == "replace" else before
        else:
            result = before.fill(row)
        if result != before:
            if not name:
                self.report.filled[_table(row)] += 1
            self._index.set(row.FILE, row.key, Seen(b"", seen.place, dump_json(result.as_dict())))

    def _add(self, place: str, row: Row) -> None:
        digest = digest_of(row)
        self._hold(row)
        seen = self._index.add(row.FILE, row.key, Seen(digest, place, None))
        if seen is None:
            self.report.added[_table(row)] += 1
            self._write(row)
        elif seen.place != _HERE:
            if seen.digest != digest:
                raise FormatError(
                    f"{place}: {_what(row)} stands twice with different content, first at {seen.place}"
                )
            self.report.same[_table(row)] += 1
        elif seen.digest == digest:
            self.report.same[_table(row)] += 1
        else:
            self._clash(row, place)
            if self.on_clash == "replace":
                self._replaced += 1
                self._index.set(row.FILE, row.key, Seen(digest, place, None))
                self._write(row)

    def _clash(self, row: Row, place: str) -> None:
        self._clash_count += 1
        if self.on_clash == "replace":
            self.report.replaced[_table(row)] += 1
        elif self.on_clash == "skip":
            self.report.skipped[_table(row)] += 1
        elif len(self._clashes) < 3:
            self._clashes.append(f"{_what(row)} at {place}")

    def _write(self, row: Row) -> None:
        if row.FILE not in self._new:
            path = self.change.scratch(row.FILE)
            self._new[row.FILE] = self._stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
        self._new[row.FILE].write(dump_json(row.as_dict()) + "\n")

    def finish(self) -> ImportReport:
        """Stage the files; refuse where something clashed and nobody said what to do."""
        for stream in self._new.values():
            stream.close()
        clashes, count = (
            self._clashes + self._scores.clashes,
            self._clash_count + self._scores.clash_count,
        )
        if clashes and self.on_clash == "refuse":
            self.close()
            raise ClashError(
                f"{counted(count, 'item is', 'items are')} already in {self.folder.path} with other content,"
                f" first {clashes[0]}. Nothing was imported: {_on_clash('replace')} takes the new ones,"
                f" {_on_clash('skip')} keeps the old ones"
            )
        for kind in MERGED:
            rows = iter(self._index.rows(kind.FILE))
            first = next(rows, None)
            if first is not None:
                with self.change.stage(kind.FILE).open("w", encoding="utf-8", newline="\n") as out:
                    out.write(first + "\n")
                    out.writelines(row + "\n" for row in rows)
        for kind in PLAIN:
            if kind.FILE in self._new:
                # The old lines, byte for byte, less those replaced; then the new ones.
                old, new = self.folder.path / kind.FILE, self.change.scratch(kind.FILE)
                with self.change.stage(kind.FILE).open("wb") as target:
                    if old.exists():
                        target.writelines(self._kept(kind, old))
                    with new.open("rb") as added:
                        while block := added.read(1 << 20):
                            target.write(block)
        self.report.scores = self._scores.stage(self.change)
        if self._scores.same:
            self.report.same["scores"] = self._scores.same
        if self.report.scores or any((self.folder.path / SCORES).glob("*.parquet")):
            self.report.holds.add("scores")
        self.close()
        return self.report

    def close(self) -> None:
        self._stack.close()

    def _kept(self, kind: type[Row], old: Path) -> Iterator[bytes]:
        if not self._replaced:
            yield from _ended(old)
            return
        gone = set()
        for line, row in self.folder.rows(kind):
            seen = self._index.get(kind.FILE, row.key)
            if seen is not None and seen.place != _HERE:
                gone.add(line)
        yield from (line for number, line in enumerate(_ended(old), 1) if number not in gone)


def _ended(path: Path) -> Iterator[bytes]:
    """The lines of a file; the last one gets the newline it may lack."""
    with open_bytes(path) as stream:
        for line in stream:
            yield line if line.endswith(b"\n") else line + b"\n"


# What was seen so far


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a key: a digest of its row, its place in the input, and the row itself if it is needed later."""

    digest: bytes
    place: str
    row: str | None


def digest_of(row: Row) -> bytes:
    return blake2b(dump_json(row.as_dict()).encode(), digest_size=16).digest()


class Index:
    """Which keys were seen, in a scratch file of SQLite, so that memory does not grow with the input.

    Nothing is synced, nothing is rolled back.
    """

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
        row = self._db.execute(
            "SELECT digest, place, row FROM seen WHERE file = ? AND key = ?", (file, dump_json(key))
        ).fetchone()
        return Seen(*row) if row else None

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


# Scores


class ScoreMerge:
    """Collects Score rows by measure; `stage` writes them together with what the folder has."""

    def __init__(self, folder: Path, on_clash: str):
        self._folder, self._on_clash = folder, on_clash
        self._rows: dict[str, dict[tuple[object, ...], Score]] = {}
        self._places: dict[str, str] = {}
        self._info: dict[str, MeasureInfo] = {}
        self._old: dict[str, dict[tuple[object, ...], Score]] = {}
        self._kept: dict[str, set[tuple[object, ...]]] = {}
        self.same = 0
        self.clashes: list[str] = []
        self.clash_count = 0

    def describe(self, info: MeasureInfo) -> None:
        """What a measure is; where scores of it are stored, both must agree on what is better."""
        self._info[info.measure] = info
        stored = find(self._folder, info.measure)
        if stored is None or stored.info.better == info.better:
            return
        if self._on_clash == "skip":
            self._info[info.measure] = stored.info
        else:
            self.clash_count += 1
            self.clashes.append(f"{info.measure}, of which {stored.info.direction} so far")

    def add(self, score: Score, place: str) -> None:
        rows = self._rows.setdefault(score.measure, {})
        kept = self._kept.setdefault(score.measure, set())
        key = tuple(getattr(score, name) for name in KEY)
        if key in rows or key in kept:
            raise FormatError(
                f"{place}: a second score of {score.measure} for topic"
                f' "{score.topic}", system "{score.system}"'
            )
        self._places.setdefault(score.measure, place.rsplit(":", 1)[0])
        if (old := self._old_rows(score.measure).get(key)) is not None:
            equal = old.value == score.value or (isnan(old.value) and isnan(score.value))
            if equal and old.why == score.why:
                self.same += 1
                kept.add(key)
                return
            self.clash_count += 1
            if len(self.clashes) < 3:
                self.clashes.append(
                    f'{score.measure} of topic "{score.topic}", system "{score.system}" at {place}'
                )
            if self._on_clash == "skip":
                kept.add(key)
                return
        rows[key] = score

    def _old_rows(self, measure: str) -> dict[tuple[object, ...], Score]:
        if measure not in self._old:
            stored = find(self._folder, measure)
            rows = stored.table.rows() if stored else iter(())
            self._old[measure] = {tuple(getattr(r, name) for name in KEY): r for r in rows}
        return self._old[measure]

    def _old_info(self, measure: str) -> MeasureInfo:
        stored = find(self._folder, measure)
        return stored.info if stored else MeasureInfo(measure)

    def stage(self, change: Transaction) -> Counter[str]:
        counts: Counter[str] = Counter()
        for measure, rows in self._rows.items():
            if rows:
                info = self._info.get(measure) or self._old_info(measure)
                merged = {**self._old_rows(measure), **rows}
                table = ScoreTable.from_rows(merged.values(), [info])
                stored = ScoreFile(
                    info=info, table=table, origin="imported", inputs={}, source=self._places[measure]
                )
                stage(change, stored)
                counts[measure] = len(rows)
        return counts
