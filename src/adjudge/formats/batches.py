"""Batches for crowd platforms: open tasks out as CSV files, with texts and without names of systems; answers back in.

A row's task says what was asked. Whoever answered it becomes the assessor: a task that was open, or somebody else's,
becomes a task of theirs, whose id is made of both, so that reading a file twice stores it once.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from adjudge.core.engine import chunked
from adjudge.core.errors import DataError, FormatError, UsageError
from adjudge.data.collection import Collection
from adjudge.data.incoming import LeftOut, Noted, Remark
from adjudge.formats.answers import MISSING, NO_ANSWER, STRANGE_ANSWER
from adjudge.formats.crowd import NAMES, NO_WORKER, STRANGE_NAME
from adjudge.formats.files import Place, read_cells, shown
from adjudge.formats.preferences import side_of, write_table
from adjudge.judgments.intake import Item
from adjudge.judgments.pairs.sides import PairPool, done, pools_of, sides_of, texts_of
from adjudge.judgments.protocol import PREFERENCE, Protocol
from adjudge.judgments.store.encoding import moment, stamp
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import CROWD, Event, Task, is_anonymous, stable_id


def open_tasks(store: Store, protocols: Iterable[str]) -> list[Task]:
    """Tasks that nobody has answered, by assessor and position."""
    answered = {judged.task.id for judged in store.current() if PREFERENCE in judged.answers}
    unanswered = []
    for protocol in protocols:
        tasks = store.tasks(protocol=protocol)
        finished = done(tasks, dict.fromkeys(answered))
        unanswered += [task for task in tasks if task.id not in finished]
    return unanswered


@dataclass(frozen=True)
class Exported:
    """What was written: files, pairs, and what could not be."""

    files: tuple[Path, ...]
    pairs: int
    left_out: Mapping[str, int] = field(default_factory=dict)


def export_batches(
    store: Store,
    collection: Collection,
    protocols: Mapping[str, Protocol],
    path: str | Path,
    *,
    batch: int | None = None,
    hit: int = 1,
    topics: Sequence[str] = (),
) -> Exported:
    """Write the open tasks for a platform: task, topic, question, the two texts; a row per pair, or per HIT of `hit`.

    With `batch` a file holds that many rows, and files are numbered: pairs-1.csv, pairs-2.csv. No system is named.
    A planted repeat stands in the HIT of what it repeats, so that the same person gets both.
    """
    if hit < 1 or (batch is not None and batch < 1):
        raise UsageError("a batch has at least one row, and a HIT at least one pair")
    pools: dict[tuple[str, str], list[PairPool]] = {}
    left: Counter[str] = Counter()
    pairs: list[tuple[Task, str, str]] = []
    for task in open_tasks(store, protocols):
        if topics and task.topic not in topics:
            continue
        key = task.protocol, task.topic
        if key not in pools:
            pools[key] = pools_of(collection, task.topic, protocols[task.protocol])
        texts = texts_of(pools[key], task)
        if texts is None:
            left["task whose texts are gone or have changed"] += 1
        else:
            pairs.append((task, *texts))
    if not pairs:
        raise DataError("no open task to export: make some with `adjudge prefer sample`")
    rows = [_row(group, protocols, hit) for group in hits(pairs, hit)]
    size = batch or len(rows)
    files = []
    for number, some in enumerate(chunked(rows, size), 1):
        file = Path(path) if batch is None else Path(path).with_stem(f"{Path(path).stem}-{number}")
        write_table(file, _header(hit), some)
        files.append(file)
    return Exported(files=tuple(files), pairs=len(pairs), left_out=dict(left))


def hits(pairs: Sequence[tuple[Task, str, str]], size: int) -> list[list[tuple[Task, str, str]]]:
    """Groups of at most `size` pairs of one topic, protocol and assessor.

    An open repeat goes where its first went, behind the others: nobody else could repeat anything.
    """
    ids = {task.id for task, _, _ in pairs}
    repeats: dict[str, list[tuple[Task, str, str]]] = {}
    rest = []
    for pair in pairs:
        first = pair[0].repeat_of
        if size > 1 and first in ids and is_anonymous(pair[0].assessor):
            repeats.setdefault(first, []).append(pair)
        else:
            rest.append(pair)
    groups: list[list[tuple[Task, str, str]]] = []
    last: tuple[str, str, str] | None = None
    for pair in rest:
        task = pair[0]
        wanted = [pair, *repeats.get(task.id, ())]
        key = task.assessor, task.protocol, task.topic
        if key != last or len(groups[-1]) + len(wanted) > size:
            groups.append([])
            last = key
        groups[-1].extend(wanted[:size])
        groups.extend([more] for more in wanted[size:])
    return [sorted(group, key=lambda pair: pair[0].position) for group in groups]


def _header(hit: int) -> list[str]:
    if hit == 1:
        return ["task", "topic", "question", "left", "right", "assessor"]
    columns = [f"{name}_{k}" for k in range(1, hit + 1) for name in ("task", "left", "right")]
    return ["topic", "question", *columns, "assessor"]


def _row(group: Sequence[tuple[Task, str, str]], protocols: Mapping[str, Protocol], hit: int) -> list[str]:
    task = group[0][0]
    question = protocols[task.protocol].ask
    assessor = "" if is_anonymous(task.assessor) else task.assessor
    if hit == 1:
        return [task.id, task.topic, question, *group[0][1:], assessor]
    cells = [cell for pair_task, left, right in group for cell in (pair_task.id, left, right)]
    return [task.topic, question, *cells, *[""] * (3 * (hit - len(group))), assessor]


COLUMNS: dict[str, tuple[str, ...]] = {
    "task": ("task", "task_id"),
    "answer": ("answer", "preference", "winner", "label", "choice", "response"),
    "left": ("left",),
    "right": ("right",),
    "worker": ("workerid", *NAMES["worker"]),
    "shown_at": ("shown_at", "accepttime", "started_at"),
    "answered_at": ("answered_at", "submittime", "submitted_at", "completed_at", "time"),
    "seconds": ("seconds", "worktimeinseconds", "time_taken"),
    "status": ("status", "assignmentstatus"),
}
"""What a column means, in lower case; a HIT of several pairs has `task_1`, `answer_1`, `task_2`, ..."""
LONGEST = 10**12  # milliseconds; more is no time that anybody took
OF_A_PAIR = ("task", "answer", "left", "right")

UNKNOWN = LeftOut("row whose task is not in this evaluation")
OTHER_KIND = LeftOut("row whose task is no preference")
REJECTED = LeftOut("row that was rejected on the platform")
NO_TIME = Noted("time that is not ISO 8601: not taken; its answer is")


def is_batch(path: str | Path) -> bool:
    """Whether a file has a column of task ids, as batches do: TOPIC/LEFT/RIGHT is none."""
    header, rows, *_ = read_cells(Path(path))
    at = next(iter(_slots(header)), {}).get("task")
    if at is None:
        return False
    _, first = next(rows, (0, [""] * len(header)))
    return bool(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first[at].strip()))


def read_batch(path: str | Path, store: Store, protocols: Mapping[str, Protocol]) -> Iterator[Item]:
    """The answers of an answered batch, for `judgments.intake.take`."""
    path = Path(path)
    header, rows, *_ = read_cells(path)
    slots = _slots(header)
    if not slots:
        raise FormatError('no column "task", as `adjudge prefer export` writes it', file=path, line=1)
    if missing := next((k for k, slot in enumerate(slots, 1) if "answer" not in slot), None):
        number = f" {shown(f'answer_{missing}')}" if len(slots) > 1 else f" {shown('answer')}"
        raise FormatError(f"no column{number} with the answers", file=path, line=1)
    reader = _BatchReader(store, protocols)
    for line, row in rows:
        place = Place(path, line)
        cells = [{name: row[at].strip() for name, at in slot.items()} for slot in slots]
        filled = [pair for pair in cells if pair["task"]]
        for pair in filled:
            yield from reader.answer(place, pair, len(filled))


def _slots(header: Sequence[str]) -> list[dict[str, int]]:
    """Where things stand, for each pair of a row. Platforms write `Input.task_1` and `Answer.answer_1`."""
    bare = [re.sub(r"^(input|answer)\.(?=.)", "", name.lower()) for name in header]
    suffixes = [""] if any(name in bare for name in COLUMNS["task"]) else []
    suffixes += sorted(
        {m[1] for name in bare if (m := re.fullmatch(r"task(?:_id)?(_[0-9]+)", name))},
        key=lambda suffix: int(suffix[1:]),
    )
    slots = []
    for suffix in suffixes:
        slot: dict[str, int] = {}
        for name, aliases in COLUMNS.items():
            end = suffix if name in OF_A_PAIR else ""
            at = next((bare.index(alias + end) for alias in aliases if alias + end in bare), None)
            if at is not None:
                slot[name] = at
        slots.append(slot)
    return slots


class _BatchReader:
    """Answered rows, against the tasks of the store."""

    def __init__(self, store: Store, protocols: Mapping[str, Protocol]):
        self.protocols = protocols
        self.tasks = {task.id: task for task in store.tasks(cancelled=True)}
        self.by_pair: dict[tuple[object, ...], str] = {}
        for task in self.tasks.values():
            if task.left is not None and task.repeat_of is None:
                self.by_pair.setdefault(_pair(task), task.id)
        self.nobody: Counter[str] = Counter()

    def answer(self, place: Place, cells: Mapping[str, str], together: int) -> Iterator[Item]:
        """A task and its answer; `together` pairs share the time of a row."""
        task = self.tasks.get(cells["task"])
        if task is None or cells.get("status", "").lower() == "rejected":
            yield place.item(UNKNOWN if task is None else REJECTED)
            return
        protocol = self.protocols.get(task.protocol)
        if protocol is None:
            yield place.item(OTHER_KIND)
            return
        if cells["answer"].lower() in MISSING:
            yield place.item(NO_ANSWER)
            return
        winner = side_of(cells["answer"], cells.get("left", ""), cells.get("right", ""))
        try:
            protocol.check(PREFERENCE, {"winner": winner})
        except DataError:
            yield place.item(STRANGE_ANSWER)
            return
        try:
            worker = place.name("worker", cells["worker"]) if cells.get("worker") else ""
        except FormatError:
            yield place.item(STRANGE_NAME)
            return
        if not worker and is_anonymous(task.assessor):
            yield place.item(NO_WORKER)
        shown_at, answered_at, took_ms, notes = _times(cells, together)
        yield from [place.item(note) for note in notes]
        worker_task = self._own(task, worker)
        yield str(place), worker_task
        answer = {"winner": winner}
        id = stable_id(worker_task.id, PREFERENCE, json.dumps(answer), shown_at, answered_at, took_ms)
        yield (
            str(place),
            Event(
                id=id,
                evaluation=worker_task.evaluation,
                task=worker_task.id,
                assessor=worker_task.assessor,
                question=PREFERENCE,
                answer=answer,
                origin="imported",
                shown_at=shown_at,
                answered_at=answered_at,
                took_ms=took_ms,
            ),
        )

    def _own(self, task: Task, worker: str) -> Task:
        """The task of whoever answered; the second time that somebody answers a pair is a repeat."""
        if not worker and not is_anonymous(task.assessor):
            return task  # a batch that was made for somebody, who need not say so again
        who, time = worker or CROWD, 0
        if who == task.assessor:
            return task
        if not worker:
            time = self.nobody[task.id]
            self.nobody[task.id] += 1
        id = stable_id("answered-by", task.id, who, time)
        if id in self.tasks:
            return self.tasks[id]
        worker_task = replace(task, id=id, assessor=who, lease_until=None, repeat_of=None)
        if worker:
            first = self.by_pair.setdefault(_pair(worker_task), id)
            worker_task = replace(worker_task, repeat_of=first if first != id else None)
        self.tasks[id] = worker_task
        return worker_task


def _pair(task: Task) -> tuple[object, ...]:
    """Who is asked about what, in whatever order."""
    return task.assessor, task.protocol, task.topic, frozenset(sides_of(task))


def _times(
    cells: Mapping[str, str], together: int
) -> tuple[str | None, str | None, int | None, list[Remark]]:
    """When a pair was shown and answered, and the milliseconds it took."""
    times: dict[str, str] = {}
    notes: list[Remark] = []
    for name in ("shown_at", "answered_at"):
        if cells.get(name):
            try:
                times[name] = stamp(moment(cells[name]))
            except (FormatError, OverflowError):
                notes.append(NO_TIME)
    took = None
    with suppress(ValueError, OverflowError):  # none given, or no number
        took = round(1000 * float(cells.get("seconds") or "nan") / together)
    if took is not None and not 0 <= took <= LONGEST:
        took = None
    return times.get("shown_at"), times.get("answered_at"), took, notes
