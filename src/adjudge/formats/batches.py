"""Batches for crowd platforms: open tasks as CSV files, with texts and without names of systems.

How they are read back when they are answered lives in batch_answers.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.data.collection import Collection
from adjudge.engine import chunked
from adjudge.errors import DataError, UsageError
from adjudge.formats.preferences import write_table
from adjudge.judgments.pairs.pools import Pool, done, pools_of, texts_of
from adjudge.judgments.protocol import PREFERENCE, Protocol
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Task, is_anonymous


def open_tasks(store: Store, protocols: Iterable[str]) -> list[Task]:
    """Tasks that nobody has answered, by assessor and position."""
    answered = {each.task.id for each in store.current() if PREFERENCE in each.answers}
    found = []
    for protocol in protocols:
        tasks = store.tasks(protocol=protocol)
        finished = done(tasks, dict.fromkeys(answered))
        found += [task for task in tasks if task.id not in finished]
    return found


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
    pools: dict[tuple[str, str], list[Pool]] = {}
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
    return Exported(tuple(files), len(pairs), dict(left))


def hits(pairs: Sequence[tuple[Task, str, str]], size: int) -> list[list[tuple[Task, str, str]]]:
    """Groups of at most `size` pairs of one topic, protocol and annotator.

    An open repeat goes where its first went, behind the others: nobody else could repeat anything.
    """
    ids = {task.id for task, _, _ in pairs}
    repeats: dict[str, list[tuple[Task, str, str]]] = {}
    rest = []
    for each in pairs:
        first = each[0].repeat_of
        if size > 1 and first in ids and is_anonymous(each[0].assessor):
            repeats.setdefault(first, []).append(each)
        else:
            rest.append(each)
    found: list[list[tuple[Task, str, str]]] = []
    last: tuple[str, str, str] | None = None
    for each in rest:
        task = each[0]
        wanted = [each, *repeats.get(task.id, ())]
        key = task.assessor, task.protocol, task.topic
        if key != last or len(found[-1]) + len(wanted) > size:
            found.append([])
            last = key
        found[-1].extend(wanted[:size])
        found.extend([more] for more in wanted[size:])
    return [sorted(group, key=lambda each: each[0].position) for group in found]


def _header(hit: int) -> list[str]:
    if hit == 1:
        return ["task", "topic", "question", "left", "right", "annotator"]
    each = [f"{name}_{k}" for k in range(1, hit + 1) for name in ("task", "left", "right")]
    return ["topic", "question", *each, "annotator"]


def _row(group: Sequence[tuple[Task, str, str]], protocols: Mapping[str, Protocol], hit: int) -> list[str]:
    task = group[0][0]
    question = protocols[task.protocol].ask
    annotator = "" if is_anonymous(task.assessor) else task.assessor
    if hit == 1:
        return [task.id, task.topic, question, *group[0][1:], annotator]
    cells = [cell for each, left, right in group for cell in (each.id, left, right)]
    return [task.topic, question, *cells, *[""] * (3 * (hit - len(group))), annotator]
