"""Stemmers by name. More of them, and the details in which they differ, will live here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

STEMMERS = ("porter", "none")
_SHORTEST = 4  # ROUGE-1.5.5 stems only words longer than three letters


def stem_words(words: Sequence[str], stemmer: str) -> list[str]:
    """Every word's stem; `porter` is Snowball's original Porter, `none` leaves words as they are."""
    if stemmer == "none":
        return list(words)
    stems: list[str] = _porter().stemWords(list(words))
    return [w if len(w) < _SHORTEST else s for w, s in zip(words, stems, strict=True)]


@cache
def _porter() -> Any:
    import Stemmer

    return Stemmer.Stemmer("porter")
