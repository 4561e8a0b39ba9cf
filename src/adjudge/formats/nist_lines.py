"""NIST's tables as lines and cells: a header that draws its columns, then rows. What rows mean: nist.py, see.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from adjudge.formats.files import Place, byte_lines
from adjudge.formats.markup import decoded

TABLE = (".table",)

_BARS = re.compile(r"[|\s]*\|[|\s]*")
_DRAWN = re.compile(r"(?P<bars>(?:\|\s*)*)(?P<name>[^|\s].*?)[|\s]*")
_WORDS = {
    "selector": ("selector",),
    "assessor": ("assessor", "judge", "annotator"),
    "peer": ("summarizer", "peer", "system"),
    "reference": ("model", "reference"),
    "question": ("question",),
    "score": ("score", "responsiveness", "rating"),
    "topic": ("topic", "docset", "document set"),
}


def lines(path: Path, *, max_line: int, encoding: str | None) -> Iterator[tuple[Place, str]]:
    """The lines that are not blank, without their ends; stray bytes are read as Windows-1252, and noted."""
    for number, raw in byte_lines(path, max_line=max_line):
        place = Place(path, number)
        for text in decoded(raw, place, encoding).split("\n"):  # a carriage return alone ends a line too
            if text.strip():
                yield place, text


def cells(text: str) -> list[str]:
    """A row's cells: between tabs, or between spaces where there is no tab."""
    return [cell.strip() for cell in text.rstrip().split("\t")] if "\t" in text.strip() else text.split()


def is_bars(text: str) -> bool:
    """The last line of a header."""
    return _BARS.fullmatch(text) is not None


class Header:
    """A header as it is read, line by line: as many bars as columns before, then a column's name."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def take(self, text: str) -> None:
        found = _DRAWN.fullmatch(text.strip())
        if found is None:
            return
        column = found["bars"].count("|")
        if column == 0:  # a title is followed by the first column's name
            self._names = [found["name"]]
        elif column == len(self._names):
            self._names.append(found["name"])

    def columns(self) -> list[str | None]:
        """What each column is, by the words of its name; None where they tell nothing."""
        return [column_of(name) for name in self._names]


def column_of(name: str) -> str | None:
    lower = name.lower()
    return next((column for column, words in _WORDS.items() if any(word in lower for word in words)), None)
