"""Tables that are no text: the records of a Parquet or JSON file, where CSV and Excel have rows of cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adjudge.data.json_records import text_start
from adjudge.data.lines import MAX_LINE
from adjudge.data.packed import first_bytes
from adjudge.formats.files import json_objects, reading
from adjudge.formats.parquet import MAGIC, ParquetRows


def records_in(path: Path, *, encoding: str = "utf-8") -> list[dict[str, Any]] | None:
    """The records of a Parquet or JSON file, by its first bytes; None where it is something else."""
    with reading(path):
        if first_bytes(path, len(MAGIC)) == MAGIC:
            return ParquetRows(path).records()
        if not path.is_file() or text_start(path, encoding).lstrip()[:1] not in ("{", "["):
            return None
        return [record for _, record in json_objects(path, max_line=MAX_LINE, encoding=encoding)]
