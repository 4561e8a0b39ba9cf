"""What the cells of a matrix tell beyond its names: whether a column names rows, whether a row sums up those above."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from adjudge.core.words import counted
from adjudge.formats.numbers import MISSING, is_number

SUMMARIES = (
    *("mean", "average", "avg", "total", "sum", "overall", "all", "macro", "micro"),
    *(f"{kind} {of}" for kind in ("macro", "micro", "overall") for of in ("avg", "average", "mean")),
    *("median", "std", "stdev", "sd", "std dev", "standard deviation", "variance"),
)
"""Names of rows and columns that sum up the others."""

_NAMELESS = re.compile(r"unnamed: [0-9]+", re.IGNORECASE)  # pandas names a column without a name so
_ID_WORDS = {
    *(
        "topic",
        "topics",
        "doc",
        "docs",
        "document",
        "article",
        "text",
        "item",
        "instance",
        "example",
        "sample",
    ),
    *("id", "ids", "idx", "index", "no", "nr", "num", "number", "n", "row", "line", "case", "segment", "seg"),
    *("query", "question", "qid", "docid", "uid", "cluster", "story", "input", "key", "name", "#"),
}
_WORDS = re.compile(r"[a-z]+|#", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WHOLE = re.compile(r"[+-]?[0-9]+(\.0+)?")
_DIGITS = re.compile(r"[.,]([0-9]*)[^.,]*$")
_CLEARLY = 10  # times finer than what it tells apart


def is_nameless(column: str) -> bool:
    """Whether a column has no name, or the one that pandas gives to such."""
    return not column.strip() or _NAMELESS.fullmatch(column.strip()) is not None


def names_rows(column: str, texts: Sequence[str]) -> bool | None:
    """Whether a column holds names, or scores (False); None where whole numbers may be either.

    Identifiers are words, or whole numbers that are all different; a name such as `doc` or `case_no` tells too.
    """
    present = [text.strip() for text in texts if text.strip().lower() not in MISSING]
    if not present or not all(map(is_number, present)):
        return True
    words = {word.lower() for word in _WORDS.findall(_CAMEL.sub(" ", column))}
    if is_nameless(column) or (words and words <= _ID_WORDS):
        return True
    if len(present) < len(texts) or len(set(present)) < len(present):
        return False
    if not all(map(_WHOLE.fullmatch, present)):
        return False
    numbers = [float(text) for text in present]
    rising = all(one < other for one, other in pairwise(numbers))
    return True if rising and len(numbers) > 1 else None


def is_summary(name: str) -> bool:
    """Whether a row or column is named for a sum or a mean of the others."""
    return " ".join(re.sub(r"[-_.:]", " ", name).casefold().split()) in SUMMARIES


@dataclass(slots=True)
class ColumnSums:
    """What a column of scores adds up to."""

    count: int = 0
    total: float = 0.0
    least: float = math.inf
    most: float = -math.inf
    places: int = 0
    """The most digits after the decimal sign."""

    def add(self, value: float, places: int) -> None:
        if not math.isnan(value):
            self.count += 1
            self.total += value
            self.least, self.most = min(self.least, value), max(self.most, value)
            self.places = max(self.places, places)


def places_of(text: str) -> int:
    """The digits after a number's decimal sign, as it was written."""
    digits = _DIGITS.search(text)
    return (len(digits[1]) if digits else 0) + (2 if text.rstrip().endswith("%") else 0)


def sums_up(columns: Sequence[ColumnSums], row: Sequence[tuple[float, int]]) -> str | None:
    """Whether a row (values with their digits) holds the "means" or the "sums" of those above, to rounding.

    Rounding is that of the row itself, or also of the scores above it. What is too coarse to tell is neither.
    """
    if not any(one.most > one.least for one in columns) or any(one.count < 2 for one in columns):
        return None
    for what in ("means", "sums"):
        for rounded in (False, True):
            fits = True
            for sums, (value, places) in zip(columns, row, strict=True):
                n = 1 if what == "means" else sums.count
                within = 0.5 * 10.0**-places + (0.5 * n * 10.0**-sums.places if rounded else 0.0)
                spread = n * (sums.most - sums.least)
                expected = n * sums.total / sums.count
                fine = spread == 0 or within * _CLEARLY <= spread
                if not (fine and abs(value - expected) <= within + 1e-9 * abs(expected)):
                    fits = False
                    break
            if fits:
                return what
    return None


def odd_columns(columns: Mapping[str, ColumnSums]) -> list[tuple[str, str]]:
    """Columns of numbers that may be no systems, each with the reason; each is compared with the others."""
    filled = {name: sums for name, sums in columns.items() if sums.count}
    if len(filled) < 2:
        return []
    odd: list[tuple[str, str]] = []
    sizes = sorted(_size(sums) for sums in filled.values())
    least = sorted(sums.least for sums in filled.values())[:2]
    most = sorted(sums.most for sums in filled.values())[-2:]
    moving = sum(sums.least < sums.most for sums in filled.values())
    middle = (len(filled) - 2) // 2  # of the sizes of the others, the lower median
    for name, sums in filled.items():
        usual = sizes[middle + (bisect_left(sizes, _size(sums)) <= middle)]
        smallest = 0.0 if sums.least <= 0 <= sums.most else min(abs(sums.least), abs(sums.most))
        ends = (least[sums.least == least[0]], most[sums.most != most[1]])
        if is_summary(name):
            odd.append((name, "is named for a mean or a sum"))
        elif len(filled) > 2 and usual > 0 and smallest > _CLEARLY * usual:
            held = f"{sums.least:g}" if sums.least == sums.most else f"{sums.least:g} to {sums.most:g}"
            odd.append((name, f"holds {held}, on quite another scale than most"))
        elif sums.count > 2 and sums.least == sums.most and moving and sums.least not in ends:
            odd.append((name, f"holds {sums.least:g} in all {counted(sums.count, 'row')}"))
    return odd


def _size(sums: ColumnSums) -> float:
    return max(abs(sums.least), abs(sums.most))
