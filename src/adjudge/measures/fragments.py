"""Runs of words that a summary shares with its source, found in a suffix array. No measure lives here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

_APART = 0  # stands between two documents, and after the last: no word has this code


class Runs:
    """Every run of words of some texts, to be looked up.

    Suffixes are sorted once, in O(n log^2 n) for n words; looking up a run takes O(log n) a word, whatever
    repeats in the texts.
    """

    def __init__(self, texts: Iterable[Sequence[str]]):
        self._codes: dict[str, int] = {}
        self._text: list[int] = []
        for words in texts:
            self._text += [self._codes.setdefault(word, len(self._codes) + 1) for word in words]
            self._text.append(_APART)
        self._order = suffix_order(self._text)

    def longest(self, words: Sequence[str], at: int) -> int:
        """How many words from `at` on stand in one of the texts, in a row."""
        low, high = 0, len(self._order)
        for size in range(len(words) - at):
            code = self._codes.get(words[at + size], _APART)
            if code == _APART:
                return size
            # All suffixes from low to high start with the run so far, in the order of what comes next.
            following = self._following(size)
            low = bisect_left(self._order, code, low, high, key=following)
            high = bisect_right(self._order, code, low, high, key=following)
            if low == high:
                return size
        return len(words) - at

    def _following(self, size: int) -> Callable[[int], int]:
        """What comes after the first `size` codes of a suffix."""
        text = self._text
        return lambda start: text[start + size]


def fragments(words: Sequence[str], source: Runs) -> list[int]:
    """Sizes of the extractive fragments of a summary. Grusky et al. 2018.

    From the left: the longest run from here that the source has is a fragment, and the search goes on behind
    it; a word that the source lacks is passed over.
    """
    sizes = []
    at = 0
    while at < len(words):
        size = source.longest(words, at)
        if size:
            sizes.append(size)
        at += max(size, 1)
    return sizes


def suffix_order(codes: Sequence[int]) -> list[int]:
    """Where the suffixes of a text start, in sorted order: by 1, 2, 4, 8 ... codes (Manber and Myers 1993).

    Codes are not below 0 and not above the text's length.
    """
    import numpy as np

    rank = np.asarray(codes, dtype=np.int64)
    n, step = rank.size, 1
    order = np.argsort(rank, kind="stable")
    while step < n:
        following = np.zeros(n, dtype=np.int64)  # 0: the text has ended
        following[:-step] = rank[step:] + 1
        key = rank * (n + 2) + following
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        rank = np.empty(n, dtype=np.int64)
        rank[order] = np.cumsum(np.diff(ordered, prepend=ordered[0]) > 0)
        if rank[order[-1]] == n - 1:  # all different
            break
        step *= 2
    starts: list[int] = order.tolist()
    return starts
