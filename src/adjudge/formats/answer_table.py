"""Answers that count now as a flat table, a row each: for spreadsheets and statistics programs.

`judgments export` writes it as CSV, and so does the organiser's page. The exact record of everything that was ever
answered is the file of JSON lines (judgments/store/records.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adjudge.core.table import Cell, Column, Table
from adjudge.judgments.kinds import KINDS, kind_asking
from adjudge.judgments.store.records import Disguise
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Judged

COLUMNS = (
    "task",
    "question",
    "assessor",
    "origin",
    "protocol",
    "version",
    "phase",
    "repeat",
    "repeat_of",
    "topic",
    "system",
    "length",
    "form",
    "reference",
    "left",
    "left_start",
    "left_end",
    "right",
    "right_start",
    "right_end",
    "value",
    *(column for kind in KINDS.values() for column in kind.COLUMNS),
    "answer",
    "shown_at",
    "answered_at",
    "received_at",
    "took_ms",
    "seq",
)
"""Task and question are the key of a row."""


def answer_table(store: Store, *, pseudonyms: bool = False) -> Table:
    """The answers that count now, a row each; columns keep apart what must not be mixed: people, programs, repeats."""
    disguise = Disguise.of(store.people.all(), ()) if pseudonyms else None
    # Which time a task asks the same: 0 is the first time, which most are.
    repeats: dict[str, int] = {}
    times: dict[str, int] = {}
    for task in sorted(store.tasks(cancelled=True), key=lambda task: (task.position, task.id)):
        if task.repeat_of is not None:
            times[task.repeat_of] = repeats[task.id] = times.get(task.repeat_of, 0) + 1
    rows = _rows(store.current(), repeats, disguise)
    return Table(
        name="answers",
        columns=tuple(map(Column, COLUMNS)),
        rows=tuple(tuple(row.get(name) for name in COLUMNS) for row in rows),
    )


def _rows(
    current: Iterable[Judged], repeats: Mapping[str, int], disguise: Disguise | None
) -> Iterator[dict[str, Cell]]:
    for judged in current:
        task = judged.task
        text: Any = task.peer
        side = task.left or {}
        of_task: dict[str, Cell] = {
            "task": task.id,
            "protocol": task.protocol,
            "version": task.version,
            "phase": task.phase,
            "repeat_of": task.repeat_of,
            "topic": task.topic,
            "system": None if text is None else text.system,
            "length": side.get("length") if text is None else text.length,
            "form": side.get("form") if text is None else text.form,
            "reference": None if task.reference is None else task.reference.system,
            **_side("left", task.left),
            **_side("right", task.right),
            "repeat": repeats.get(task.id, 0),
        }
        for _, event in sorted(judged.answers.items()):
            record = {
                "kind": "event",
                "assessor": event.assessor,
                "question": event.question,
                "answer": event.answer,
            }
            if disguise is not None:
                record = disguise.record(record | {"client": None})
            answer: Any = record["answer"]
            cells = kind_asking(event.question).cells(event.question, answer)
            yield of_task | {
                **cells,
                "question": event.question,
                "assessor": record["assessor"],
                "origin": event.origin,
                "value": cells["value"] if isinstance(cells["value"], str | int | float) else None,
                "answer": json.dumps(answer, ensure_ascii=False),
                "shown_at": event.shown_at,
                "answered_at": event.answered_at,
                "received_at": event.received_at,
                "took_ms": event.took_ms,
                "seq": event.seq,
            }


def _side(role: str, side: Mapping[str, Any] | None) -> dict[str, Cell]:
    """A system; or a document, and from where to where a sentence stands in it."""
    side = side or {}
    return {
        role: side.get("system", side.get("document")),
        f"{role}_start": side.get("start"),
        f"{role}_end": side.get("end"),
    }
