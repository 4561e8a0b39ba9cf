"""Judgments of texts that changed since, as `adjudge check` tells them."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from adjudge.core.errors import quoted
from adjudge.data.check import Finding, some
from adjudge.data.collection import Collection
from adjudge.data.folder import Folder
from adjudge.judgments.frozen import FrozenNow, changed
from adjudge.judgments.protocol import protocols_of
from adjudge.judgments.store.encoding import task_of
from adjudge.judgments.store.faults import faults
from adjudge.judgments.store.readonly import connect_to_read
from adjudge.judgments.tasks import Task

MOST = 1000  # faults that are named; the rest is counted
_LATER = dict.fromkeys(("peer_form", "reference_form", "cancelled", "renamed", "asked"))
"""Columns that are missing in a store that nobody has upgraded yet."""
_JUDGED = """
    select * from task
    where exists (select 1 from event where event.evaluation = task.evaluation and event.task = task.id)
"""


def changed_findings(changed: Iterable[tuple[Task, str]]) -> Iterator[Finding]:
    """Judgments of texts that changed since, a finding per reason."""
    by_reason: dict[str, Counter[str]] = {}
    for task, why in changed:
        who = f"{task.peer.system} on {task.topic}" if task.peer else task.topic
        by_reason.setdefault(why, Counter())[f"{who}, by {task.assessor}"] += 1
    for why, where in by_reason.items():
        yield Finding(
            severity="warning",
            code="judged-text-changed",
            what=f"judged, and since then {why}",
            effect="these judgments are left out of scores",
            where=some(where),
            count=where.total(),
        )


def not_looked_at(why: str) -> Iterator[Finding]:
    """That the store was not opened."""
    yield Finding("note", "judgments-not-read", why, "judgments were not checked")


def changed_in_file(path: Path, collection: Collection) -> Iterator[Finding]:
    """The same of a SQLite file, read with the standard library alone, so that a check starts quickly."""
    if path.stat().st_size == 0:  # SQLite takes it for a new database
        yield Finding(
            severity="error",
            code="judgments-empty",
            what=f"{path.name} is an empty file (0 bytes): judgments that it held are not there",
            effect="put a backup in its place, or remove it to begin anew",
        )
        return
    folder = Folder(path.parent, collection.settings)
    wrong = faults(path, lambda names: protocols_of(folder, names))
    first = [str(fault) for fault in islice(wrong, MOST)]
    if first:
        yield Finding(
            severity="error",
            code="judgments-unreadable",
            what=f"{path.name} holds what Adjudge does not write",
            effect="commands that need judgments stop there; put a backup in its place, or correct it",
            where=tuple(first),
            count=len(first) + sum(1 for _ in wrong),
        )
        return
    tasks = list(_tasks(path))
    protocols = protocols_of(folder, {task.protocol for task in tasks})
    strange = Counter(task.protocol for task in tasks if task.protocol not in protocols)
    for name, count in strange.items():
        yield Finding(
            severity="warning",
            code="protocol-unknown",
            what=f"judged by the protocol {quoted(name)}, which is not here",
            effect="these judgments are left out: put its file into protocols/, or: adjudge judgments remove",
            count=count,
        )
    now = FrozenNow(collection)
    seen = ((task, changed(task, collection, protocols.get(task.protocol), now=now)) for task in tasks)
    yield from changed_findings((task, why) for task, why in seen if why is not None)


def _tasks(path: Path) -> Iterator[Task]:
    with closing(connect_to_read(path)) as connection:
        connection.row_factory = sqlite3.Row
        for row in connection.execute(_JUDGED):
            yield task_of(_LATER | dict(row))
