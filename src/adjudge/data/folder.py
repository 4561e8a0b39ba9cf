"""An evaluation on disk: which files it has, and its rows as a stream. Changes nothing.

What is in memory lives in collection.py, changes in incoming.py and edit.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from adjudge.data import settings as toml
from adjudge.data.lines import MAX_LINE, read_json_lines
from adjudge.data.rows import Row, Summary
from adjudge.data.settings import Settings
from adjudge.data.transaction import settle
from adjudge.errors import ClashError, DataError, FormatError

R = TypeVar("R", bound=Row)
SCORES = "scores"


@dataclass(frozen=True)
class Folder:
    """A folder that holds an evaluation."""

    path: Path
    settings: Settings

    @classmethod
    def open(cls, path: str | Path) -> Folder:
        """The evaluation at `path`; finishes an interrupted change first."""
        path = Path(path)
        if path.is_file():
            raise DataError(f"{path}: is a file, expected an evaluation's folder")
        if not path.is_dir():
            raise DataError(f"{path}: no such folder; make an evaluation with: adjudge init {path}")
        if not (path / toml.FILE).exists() and not (path / Summary.FILE).exists():
            raise DataError(
                f"{path}: no evaluation here (neither {toml.FILE} nor {Summary.FILE});"
                f" make one with: adjudge init {path}"
            )
        settle(path)
        return cls(path, toml.read(path))

    @classmethod
    def init(cls, path: str | Path, *, name: str | None = None) -> Folder:
        """A new, empty, valid evaluation."""
        path = Path(path)
        if path.exists() and not path.is_dir():
            raise ClashError(f"{path}: is a file, expected a folder or nothing")
        if (path / toml.FILE).exists() or (path / Summary.FILE).exists():
            raise ClashError(f"{path}: an evaluation is here already")
        try:
            path.mkdir(parents=True, exist_ok=True)
            text = toml.render(name or path.resolve().name)
            (path / toml.FILE).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise DataError(f"{path}: cannot be made: {error.strerror}") from None
        return cls(path, toml.read(path))

    def has(self, rows: type[Row]) -> bool:
        return (self.path / rows.FILE).exists()

    def rows(self, rows: type[R], *, max_line: int = MAX_LINE) -> Iterator[tuple[int, R]]:
        """The rows of one file with their line numbers, each checked; nothing where it is absent."""
        path = self.path / rows.FILE
        if path.exists():
            for line, data in read_json_lines(path, max_line=max_line):
                try:
                    yield line, rows.parse(data)
                except FormatError as error:
                    raise FormatError(error.problem, file=path, line=line) from None
