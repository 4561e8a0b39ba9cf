"""Judgments as JSON lines, out and in, without loss: people, tasks and events, one object a line.

Protocols of one's own go with them: judgments mean nothing without what was asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from adjudge.core.errors import AdjudgeError, ClashError, DataError, FormatError, nearest, quoted
from adjudge.core.phrases import Argument
from adjudge.data.folder import Folder
from adjudge.data.lines import read_json_lines
from adjudge.data.transaction import Transaction
from adjudge.judgments.protocol import Protocol, new_protocol_files, parse_protocol
from adjudge.judgments.store import schema
from adjudge.judgments.store.appending import EventLedger, add_some_tasks, refuse_orphans
from adjudge.judgments.store.database import AT_ONCE, lock
from adjudge.judgments.store.encoding import (
    HIGHEST,
    KEYS,
    BadCell,
    Row,
    Stored,
    check_name,
    check_number,
    checked,
    event_of,
    event_row,
    stamp,
    task_of,
    task_row,
    to_json,
)
from adjudge.judgments.store.guard import make_private
from adjudge.judgments.store.people import (
    Person,
    check_person,
    find,
    new_pseudonym,
    person_of,
    person_row,
    refuse_taken,
)
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Event, Task, TextRef

Record = dict[str, Any]

FORMAT = 1
KINDS = ("judgments", "protocol", "person", "task", "event")
PAGE = 200  # rows fetched at once: a pyramid is one answer, and not a small one

SELDOM = ("asked", "cancelled", "renamed")  # fields of a task that most have not
OPTIONAL = ("evaluation", "name", "pseudonym")  # what the store knows, or makes up, itself

T = TypeVar("T")
Line = tuple[int, Record]


@dataclass(frozen=True)
class RecordCounts:
    """How many people, tasks and events were written, or were new."""

    people: int = 0
    tasks: int = 0
    events: int = 0


# Out


def write_records(
    store: Store, path: Path, *, pseudonyms: bool = False, protocols: Iterable[Protocol] = ()
) -> RecordCounts:
    """Writes everything to a file, which appears only when it is whole. Others may go on judging.

    A terminal, a pipe or a device is written to. `protocols` are those of one's own; see `records`.
    """
    protocols = list(protocols)
    scratch = path.with_name(f".{path.name}.part")
    try:
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                return print_records(store, stream.write, pseudonyms=pseudonyms, protocols=protocols)
        try:
            if not pseudonyms:
                scratch.unlink(missing_ok=True)
                make_private(scratch)  # it holds names
            with scratch.open("w", encoding="utf-8", newline="\n") as stream:
                counts = print_records(store, stream.write, pseudonyms=pseudonyms, protocols=protocols)
                stream.flush()
                os.fsync(stream.fileno())
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from None
    return counts


def print_records(
    store: Store,
    write: Callable[[str], object],
    *,
    pseudonyms: bool = False,
    protocols: Iterable[Protocol] = (),
) -> RecordCounts:
    """Gives every record to `write`, a line each."""
    counts = dict.fromkeys(KINDS, 0)
    for record in records(store, pseudonyms=pseudonyms, protocols=protocols):
        write(to_json(record) + "\n")
        counts[record["kind"]] += 1
    return RecordCounts(counts["person"], counts["task"], counts["event"])


def records(
    store: Store, *, pseudonyms: bool = False, protocols: Iterable[Protocol] = ()
) -> Iterator[Record]:
    """Everything in one state of the store, as JSON objects, in an order in which it can be read again.

    Of `protocols`, those of one's own, the ones that tasks name are written with their whole text.
    """
    with store.database.reading() as connection:
        disguise = _disguise(connection, store.evaluation) if pseudonyms else None
        for record in _plain(connection, store.evaluation, protocols):
            yield disguise.record(record) if disguise else record


def _plain(connection: Connection, evaluation: str, protocols: Iterable[Protocol]) -> Iterator[Record]:
    person, task, event = schema.person, schema.task, schema.event
    yield header(evaluation)
    used = set(
        connection.scalars(sa.select(task.c.protocol).where(task.c.evaluation == evaluation).distinct())
    )
    for protocol in sorted(protocols, key=lambda protocol: protocol.name):
        if protocol.name in used and protocol.source:
            yield {"kind": "protocol", "name": protocol.name, "source": protocol.source}
    for row in _rows(connection, person, evaluation, person.c.pseudonym):  # an order that says nothing
        checked("person", row)
        yield {"kind": "person"} | {name: row[name] for name in ("id", "name", "pseudonym", "erased")}
    for row in _rows(connection, task, evaluation, task.c.id):
        yield task_record(row)
    for row in _rows(connection, event, evaluation, event.c.seq):
        yield event_record(row)


def header(evaluation: str) -> Record:
    """The first line of a file of records."""
    return {"kind": "judgments", "format": FORMAT, "evaluation": evaluation}


def event_record(row: Stored) -> Record:
    return {"kind": "event", **row} | {"answer": event_of(row).answer}


def _rows(
    connection: Connection, table: sa.Table, evaluation: str, order: sa.Column[Any]
) -> Iterable[sa.RowMapping]:
    query = sa.select(table).where(table.c.evaluation == evaluation).order_by(order)
    return connection.execute(query, execution_options={"yield_per": PAGE}).mappings()


def task_record(row: Stored) -> Record:
    task = task_of(row)
    return (
        {"kind": "task"}
        | {f.name: getattr(task, f.name) for f in fields(Task) if f.name not in SELDOM}
        | {"peer": _ref_record(task.peer), "reference": _ref_record(task.reference)}
        | {"lease_by": row.get("lease_by")}
        | {name: getattr(task, name) for name in SELDOM if getattr(task, name)}
    )


def _ref_record(ref: TextRef | None) -> Record | None:
    return None if ref is None else ref.as_dict()


def _disguise(connection: Connection, evaluation: str) -> Disguise:
    people, event = schema.person, schema.event
    clients = (
        sa.select(event.c.client)
        .where(event.c.evaluation == evaluation, event.c.client.is_not(None))
        .group_by(event.c.client)
        .order_by(sa.func.min(event.c.seq))
    )
    mine = sa.select(people).where(people.c.evaluation == evaluation)
    everybody = (person_of(row) for row in connection.execute(mine).mappings())
    return Disguise.of(everybody, connection.scalars(clients))


# In


def read_records(
    store: Store, path: Path, *, merge: bool = False, folder: Folder | None = None
) -> RecordCounts:
    """Takes a file of records in, all of it or nothing, and says what was new.

    Records that are here already change nothing; a record that contradicts one is refused, and so is an event
    whose number is not above those here. With `merge` the file is that of another store: its events are
    numbered anew after those here and forget what their senders had seen (`base`), tasks and events become
    this evaluation's, and people who are here stay as they are. Protocols that the file brings are kept in `folder`.
    """
    intake = RecordsIntake(store.evaluation, path, merge, stamp(store.clock()))
    files = {} if folder is None else new_protocol_files(folder, intake.protocols())
    if folder is None or not files:
        return store.change(intake.run)
    with Transaction(folder.path) as change:
        for name, text in files.items():
            change.stage(name).write_text(text, encoding="utf-8", newline="")
        change.prepare()

        def job(connection: Connection) -> RecordCounts:
            counts = intake.run(connection)
            change.decide()  # one who is killed before the store commits leaves a protocol that nothing names
            return counts

        try:
            return store.change(job)
        except BaseException:
            change.withdraw()
            raise


@dataclass
class RecordsIntake:
    """The import of one file of records, inside one transaction."""

    evaluation: str
    path: Path
    merge: bool
    now: str

    def run(self, connection: Connection) -> RecordCounts:
        self.connection = connection
        self.last = lock(connection, self.evaluation)
        take = {
            "judgments": self.header,
            "protocol": lambda lines: len(lines),  # those belong to the folder; see read_records
            "person": self.people,
            "task": self.tasks,
            "event": self.events,
        }
        new = dict.fromkeys(KINDS, 0)
        for kind, lines in groupby(self.lines(), key=lambda line: line[1]["kind"]):
            while some := list(islice(lines, AT_ONCE)):
                new[kind] += take[kind](some)
        refuse_orphans(connection, self.evaluation)
        return RecordCounts(new["person"], new["task"], new["event"])

    def lines(self) -> Iterator[Line]:
        if self.path.suffix.lower() == ".csv":
            raise FormatError(
                "a CSV table, which has not all of a record; export to a .jsonl file", file=self.path
            )
        for number, data in read_json_lines(self.path):
            kind = data.get("kind") if isinstance(data, dict) else None
            if kind not in KINDS:
                raise FormatError(
                    f'"kind" is {quoted(kind)}, expected one of: {", ".join(KINDS)}',
                    file=self.path,
                    line=number,
                )
            yield number, data

    def header(self, lines: Sequence[Line]) -> int:
        for number, data in lines:
            if data.get("format") != FORMAT:
                problem = f"format {quoted(data.get('format'))} is not known, expected {FORMAT}"
                raise FormatError(problem, file=self.path, line=number)
        return 0

    def protocols(self) -> list[Protocol]:
        """Those that the file brings, each checked."""
        return [
            self.at(number, _protocol, data) for number, data in self.lines() if data["kind"] == "protocol"
        ]

    def people(self, lines: Sequence[Line]) -> int:
        return sum(self.at(number, self.person, data) for number, data in lines)

    def person(self, data: Record) -> bool:
        made_up: Record = {"name": None, "pseudonym": new_pseudonym()}
        person = Person(**made_up | checked_fields(data, Person))
        check_person(person)
        there = find(self.connection, self.evaluation, person.id)
        if there is None:
            refuse_taken(self.connection, self.evaluation, person)
            self.connection.execute(sa.insert(schema.person), [person_row(person, self.evaluation)])
        elif there != person and not self.merge:
            raise ClashError(f"person {quoted(person.id)}: is here already, and not the same")
        return there is None

    def tasks(self, lines: Sequence[Line]) -> int:
        rows = [(number, self.at(number, self.task_row, data)) for number, data in lines]
        try:
            return add_some_tasks(self.connection, self.evaluation, [row for _, row in rows])
        except AdjudgeError:
            for number, row in rows:  # one at a time, to say which line it was
                self.at(number, lambda row: add_some_tasks(self.connection, self.evaluation, [row]), row)
            raise

    def task_row(self, data: Record) -> Row:
        values = self.of_evaluation(checked_fields(data, Task, "lease_by"))
        holder = values.pop("lease_by", None)
        for role in ("peer", "reference"):
            if values.get(role) is not None:
                values[role] = TextRef(**checked_fields(values[role], TextRef))
        if values.get("hashes") is None:
            values["hashes"] = {}
        if holder is not None:
            check_name("lease_by", holder)
        values |= {name: _seldom(name, values[name]) for name in ("cancelled", "renamed") if name in values}
        return task_row(Task(**values)) | {"lease_by": holder}

    def events(self, lines: Sequence[Line]) -> int:
        rows = [(number, self.at(number, self.event_row, data)) for number, data in lines]
        ledger = EventLedger.of(self.connection, self.evaluation, self.last, [row for _, row in rows])
        for number, row in rows:
            self.at(number, lambda row: self.enter(ledger, row), row)
        ledger.write(self.connection)
        self.last = ledger.last
        return len(ledger.fresh)

    def event_row(self, data: Record) -> Row:
        values = self.of_evaluation(checked_fields(data, Event, "newer"))
        newer = values.pop("newer", None)
        if newer is not None:
            check_number("newer", newer)
        row = event_row(Event(**values)) | {"newer": newer}
        if row["seq"] is not None and not 0 < row["seq"] <= HIGHEST:
            raise FormatError(f'"seq" is {quoted(row["seq"])}, expected a number from 1 to {HIGHEST:,}')
        return row | dict.fromkeys(("seq", "base", "newer")) if self.merge else row

    def enter(self, ledger: EventLedger, row: Row) -> None:
        """One event, unless it is here; with its own number where that is above the last one."""
        if ledger.first(row):
            return
        receipt: Row = {"received_at": row["received_at"] or self.now}
        if row["seq"] is None:
            receipt |= {"seq": ledger.last + 1, "newer": None if self.merge else ledger.newer(row)}
        elif row["seq"] <= ledger.last:
            raise ClashError(
                f"event {quoted(row['id'])}: its seq {row['seq']} is not above {ledger.last}, the last one"
                f" here; import the file with {Argument('merge', True)} to number its events anew"
            )
        ledger.take(row | receipt)

    def of_evaluation(self, values: Record) -> Record:
        name = values.setdefault("evaluation", self.evaluation)
        if name != self.evaluation and not self.merge:
            raise DataError(
                f"of the evaluation {quoted(name)}, and this is {quoted(self.evaluation)};"
                f" import the file with {Argument('merge', True)} to take it in"
            )
        return values | {"evaluation": self.evaluation}

    def at(self, number: int, function: Callable[[Any], T], argument: Any) -> T:
        """Calls a function; what it refuses is said with the file and the line."""
        try:
            return function(argument)
        except FormatError as error:
            raise FormatError(error.problem, file=self.path, line=number) from None
        except (ClashError, DataError) as error:
            raise type(error)(f"{self.path}:{number}: {error.text}") from None


def _protocol(data: Record) -> Protocol:
    name, source = data.get("name"), data.get("source")
    if not isinstance(name, str) or not isinstance(source, str):
        raise FormatError('a protocol without its "name" or its "source", expected both as texts')
    protocol = parse_protocol(source, f"protocol {quoted(name)}")
    if protocol.name != name:
        raise FormatError(f"the protocol {quoted(name)} calls itself {quoted(protocol.name)}")
    return replace(protocol, source=source)


def _seldom(name: str, value: object) -> tuple[Any, ...]:
    """Systems that cancel a task, or systems that were renamed, as a record has them."""
    what, of = ("names", 1) if name == "cancelled" else ("times, old and new names", 3)
    rows = [entry if of > 1 else [entry] for entry in value] if isinstance(value, list) else [None]
    for row in rows:
        if not isinstance(row, list) or len(row) != of or not all(isinstance(cell, str) for cell in row):
            raise FormatError(f'"{name}" is {quoted(value)}, expected a list of {what}')
    return tuple(tuple(row) if of > 1 else row[0] for row in rows if row is not None)


def checked_fields(data: object, kind: type, *more: str) -> Record:
    """The fields of a record, but for its kind; a field that is missing or not known is refused."""
    if not isinstance(data, dict):
        raise FormatError(f"{quoted(data)} stands where an object was expected")
    names = {f.name: f for f in fields(kind)}
    values = {name: value for name, value in data.items() if name != "kind"}
    for name in values:
        if name not in names and name not in more:
            raise FormatError(f"unknown field {quoted(name)}{nearest(name, names)}")
    for name, field in names.items():
        required = field.default is MISSING and field.default_factory is MISSING
        if required and name not in values and name not in OPTIONAL:
            raise FormatError(f'no "{name}"')
    return values


# Under pseudonyms

FREE_TEXT = ("comment", "flag", "tags")
"""Questions whose answers are what people typed, where they may name somebody."""

SHORTEST = 3
"""Characters that an id or a part of a name has at least to be looked for in free text: "A" is a word too."""


@dataclass(frozen=True)
class Disguise:
    """Pseudonyms by id, numbers for clients (a client is somebody's browser), and the words that name people."""

    pseudonyms: Mapping[str, str]
    clients: Mapping[str, str]
    words: Mapping[str, str]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, people: Iterable[Person], clients: Iterable[str]) -> Disguise:
        people = list(people)
        words = {
            word.lower(): person.pseudonym
            for person in people
            for word in _words(person)
            if len(word) >= SHORTEST
        }
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        anyone = "|".join(map(re.escape, longest_first))
        return cls(
            {person.id: person.pseudonym for person in people},
            {client: f"client-{n}" for n, client in enumerate(clients, 1)},
            words,
            re.compile(rf"(?<!\w)(?:{anyone})(?!\w)", re.IGNORECASE) if words else None,
        )

    def record(self, record: Record) -> Record:
        """One record of an export, in disguise."""
        match record["kind"]:
            case "person":
                return record | {"id": record["pseudonym"], "name": None}
            case "task":
                return record | {name: self._person(record, name) for name in ("assessor", "lease_by")}
            case "event":
                changed = {"assessor": self._person(record, "assessor"), "answer": record["answer"]}
                if record["client"] is not None:
                    changed["client"] = self.clients[record["client"]]
                if record["question"].partition(":")[0] in FREE_TEXT:
                    changed["answer"] = self._typed(record["answer"])
                return record | changed
            case _:
                return record

    def _person(self, record: Record, column: str) -> str | None:
        id = record[column]
        if id is not None and id not in self.pseudonyms:
            kind = record["kind"]
            raise BadCell(kind, record[KEYS[kind]], column, f"there is no person {quoted(id)}")
        return None if id is None else self.pseudonyms[id]

    def _typed(self, answer: Any) -> Any:
        """What somebody typed, with the words that name people replaced."""
        if isinstance(answer, str) and self.pattern is not None:
            return self.pattern.sub(lambda match: self.words.get(match[0].lower(), "somebody"), answer)
        if isinstance(answer, list):
            return [self._typed(part) for part in answer]
        if isinstance(answer, dict):
            return {name: self._typed(part) for name, part in answer.items()}
        return answer


def _words(person: Person) -> Iterable[str]:
    """The id, the name, and the parts of the name."""
    name = person.name or ""
    return (person.id, name, *re.findall(r"\w+", name))
