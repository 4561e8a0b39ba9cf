"""Short words for the tests of importers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from adjudge.core.errors import AdjudgeError
from adjudge.core.phrases import spoken
from adjudge.data.incoming import ImportReport, Item, Remark
from adjudge.data.rows import Row

Write = Callable[[str, str | bytes], Path]
Refused = Callable[[Iterable[Item]], str]
Imported = Callable[[Iterable[Item]], ImportReport]
Attempt = Callable[[Path, Iterable[Item]], ImportReport | AdjudgeError]


def lines(*records: object) -> str:
    """Records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def things(items: Iterable[Item]) -> list[Any]:
    return [thing for _, thing in items]


def rows(items: Iterable[Item]) -> list[Row]:
    return [thing for thing in things(items) if isinstance(thing, Row)]


def reasons(items: Iterable[Item]) -> list[str]:
    return [spoken(thing.reason, "python") for thing in things(items) if isinstance(thing, Remark)]
