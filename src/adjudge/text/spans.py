"""A stretch of a text with its place in it. How texts are cut lives in sentences.py and edus.py."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """`source[start:end]`: never blank, no white space at either end. Offsets count characters."""

    start: int
    end: int
    text: str


def spans_between(source: str, cuts: Iterable[int]) -> list[Span]:
    """The spans that ordered cuts leave of a source, stripped; blank ones are dropped."""
    spans = []
    start = 0
    for end in (*cuts, len(source)):
        piece = source[start:end]
        text = piece.strip()
        if text:
            first = start + len(piece) - len(piece.lstrip())
            spans.append(Span(first, first + len(text), text))
        start = end
    return spans
