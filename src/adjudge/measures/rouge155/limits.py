"""How ROUGE-1.5.5 cuts a summary to so many words or bytes. Characters stand for bytes here (Latin-1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPACE = re.compile(r"[ \t\n\r\f\v]+")


def cut(units: Sequence[str], words: int, size: int) -> tuple[list[str], list[str]]:
    """The units within a limit (0: none): those that make the whole text, and those that L and W compare.

    The two differ under a limit in bytes: for L and W the script does not add up what it has kept, so that
    every unit before the first that alone exceeds the limit stays.
    """
    if words:
        kept = _first_words(units, words)
        return kept, kept
    if size:
        return _first_bytes(units, size, add_up=True), _first_bytes(units, size, add_up=False)
    return list(units), list(units)


def fields(unit: str) -> list[str]:
    """White-space separated words as Perl's split has them: space at the start makes an empty first one."""
    found = _SPACE.split(unit)
    while found and not found[-1]:
        found.pop()
    return found


def _first_words(units: Sequence[str], most: int) -> list[str]:
    kept: list[str] = []
    left = most
    for unit in units:
        words = fields(unit)
        if len(words) >= left:
            return [*kept, " ".join(words[:left])]
        kept.append(unit)
        left -= len(words)
    return kept


def _first_bytes(units: Sequence[str], most: int, *, add_up: bool) -> list[str]:
    kept: list[str] = []
    left = most
    for unit in units:
        if len(unit) >= left:
            return [*kept, unit[:left]]
        kept.append(unit)
        left -= len(unit) if add_up else 0
    return kept
