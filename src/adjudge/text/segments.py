"""A text in pieces: where several kinds of marks begin and end, so that a page can show them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

Spans = Iterable[tuple[int, int]]


class Segment(NamedTuple):
    """A piece of a text, and which kinds of marks cover it."""

    text: str
    marks: tuple[bool, ...]


def segments(
    text: str, *marks: Spans, start: int = 0, end: int | None = None, hidden: Spans = ()
) -> list[Segment]:
    """The text from `start` to `end` in pieces, none longer than its marks allow; what is hidden is left out.

    Marks that lie outside of the text count as far as they reach into it.
    """
    stop = len(text) if end is None else min(end, len(text))
    if start >= stop:
        return []
    kinds = [_merged(spans, start, stop) for spans in (*marks, hidden)]
    cuts = sorted({start, stop, *(at for spans in kinds for span in spans for at in span)})
    pieces: list[Segment] = []
    places = [0] * len(kinds)
    for begin, close in pairwise(cuts):
        covered = []
        for kind, spans in enumerate(kinds):
            while places[kind] < len(spans) and spans[places[kind]][1] <= begin:
                places[kind] += 1
            covered.append(places[kind] < len(spans) and spans[places[kind]][0] <= begin)
        *marked, is_hidden = covered
        if not is_hidden:
            pieces.append(Segment(text[begin:close], tuple(marked)))
    return pieces


def _merged(spans: Spans, start: int, stop: int) -> list[tuple[int, int]]:
    """Spans in order that neither overlap nor leave the text."""
    inside = sorted((max(a, start), min(b, stop)) for a, b in spans)
    merged: list[tuple[int, int]] = []
    for a, b in inside:
        if a >= b:
            continue
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], b))
        else:
            merged.append((a, b))
    return merged
