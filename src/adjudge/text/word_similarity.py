"""How alike the words of sentences are: the mean of TF-IDF cosine and Jaccard (Zopf 2018, section 4.1).

The compiled functions take bags of word numbers, in rising order, in one flat array: bag i is
words[starts[i]:starts[i + 1]]. Postings are the same turned round: the bags that have word w, in rising order, are
bags[at[w]:at[w + 1]].
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from adjudge.core.compiled import bare
from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.text.words import character_words

_BLOCK = 32  # rows and columns that are mirrored together: both squares stay in the nearest cache


@bare
def squares(
    starts: np.ndarray,
    n: int,
    words: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    vocabulary: int,
    rare: float,
    lengths: np.ndarray,
) -> None:
    """The squared length of every bag.

    Words from number `vocabulary` on have one weight, `rare`; their counts are summed as whole numbers, so that the
    numbers they were given, which other bags have a part in, make no difference.
    """
    for i in range(n):
        total, new = 0.0, 0
        for k in range(starts[i], starts[i + 1]):
            if words[k] < vocabulary:
                total += weights[k] * weights[k]
            else:
                new += counts[k] * counts[k]
        lengths[i] = total + rare * rare * new


@bare
def similarities(
    starts: np.ndarray,
    n: int,
    words: np.ndarray,
    weights: np.ndarray,
    lengths: np.ndarray,
    scales: np.ndarray,
    sizes: np.ndarray,
    vocabulary: int,
    at: np.ndarray,
    ends: np.ndarray,
    bags: np.ndarray,
    there: np.ndarray,
    other_lengths: np.ndarray,
    other_scales: np.ndarray,
    other_sizes: np.ndarray,
    m: int,
    half: int,
    share: float,
    dots: np.ndarray,
    both: np.ndarray,
    result: np.ndarray,
) -> None:
    """`share` of the cosine and the rest of Jaccard, for n bags (rows) and the m bags of the postings (columns).

    Lengths are squared, and scales one by their roots. `half` leaves out what stands left of the diagonal, where both
    sides are the same bags: row i starts at itself, and moves the postings of its words (from `at` to `ends`) on
    behind itself. `dots` and `both` come as zeros, and are left so.
    """
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            word, weight = words[k], weights[k]
            if word < vocabulary:
                for p in range(at[word], ends[word]):
                    dots[bags[p]] += weight * there[p]
                    both[bags[p]] += 1
                at[word] += half
        length, scale, size, row = lengths[i], scales[i], sizes[i], np.int64(i) * m
        for j in range(i * half, m):
            dot, shared = dots[j], both[j]
            # Equal bags are exactly alike, and rounding is not let out of the range.
            equal = dot == length and dot == other_lengths[j]
            cosine = 1.0 if equal else min(1.0, dot * (scale * other_scales[j]))
            jaccard = shared / max(1.0, size + other_sizes[j] - shared)
            result[row + j] = share * cosine + (1.0 - share) * jaccard
            dots[j] = 0.0
            both[j] = 0


@bare
def mirror(square: np.ndarray, n: int) -> None:
    """The right upper half of a square onto the left lower one."""
    for top in range(0, n, _BLOCK):
        for left in range(top, n, _BLOCK):
            for i in range(top, min(top + _BLOCK, n)):
                for j in range(max(left, i + 1), min(left + _BLOCK, n)):
                    square[np.int64(j) * n + i] = square[np.int64(i) * n + j]


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

COSINE = {"tfidf-jaccard": 0.5, "tfidf": 1.0, "jaccard": 0.0}
"""The kinds, and what part of each is the cosine; the rest is Jaccard."""


@dataclass(frozen=True)
class Bags:
    """Texts as bags of word numbers: that of text i is words[starts[i]:starts[i + 1]], in rising order."""

    starts: IntArray
    words: IntArray
    counts: IntArray

    @property
    def sizes(self) -> FloatArray:
        """How many different words each has."""
        return np.diff(self.starts).astype(np.float64)


class WordSimilarity:
    """A set of sentences that others are compared with; IDF is theirs, ln((1 + n) / (1 + df)) + 1.

    Words are runs of letters and digits in lower case, not stemmed, none left out. In scripts that are written
    without spaces every sign is a word: a whole sentence would be one word there, and like no other.

    A word that no sentence has counts as any other: it has df = 0, makes the text's vector longer and is one more
    word for Jaccard. A text without words is like nothing.
    """

    def __init__(self, sentences: Sequence[str], kind: str = "tfidf-jaccard"):
        if kind not in COSINE:
            raise UsageError(
                f"no similarity of words {quoted(kind)}{nearest(kind, COSINE)}; there are: {', '.join(COSINE)}"
            )
        self.kind = kind
        self._numbers: dict[str, int] = {}
        self._own = bags_of(sentences, self._numbers)
        n, df = len(self._own.starts) - 1, np.bincount(self._own.words, minlength=len(self._numbers))
        self._idf = np.log((1 + n) / (1 + df)) + 1
        self._rare = float(np.log(1 + n) + 1)
        self._weights, self._lengths = self._weighted(self._own)
        # Turned round: the sentences that have a word, and the word's weight in them.
        by_word = np.argsort(self._own.words, kind="stable")
        self._at = np.append(0, np.cumsum(df))
        self._having = np.repeat(np.arange(n), np.diff(self._own.starts))[by_word]
        self._there = self._weights[by_word]

    def among(self) -> FloatArray:
        """Of every sentence with every other: n x n, symmetric, and 1 between sentences of the same words."""
        return self._held(self._own, self._weights, self._lengths, half=True)

    def to(self, texts: Sequence[str]) -> FloatArray:
        """Of other texts (rows) with the sentences (columns). Each row is its text's alone."""
        others = bags_of(texts, dict(self._numbers))
        return self._held(others, *self._weighted(others), half=False)

    def _weighted(self, bags: Bags) -> tuple[FloatArray, FloatArray]:
        """TF times IDF of every word, and every bag's squared length; 1 where there is none, to divide by."""
        vocabulary = len(self._numbers)
        idf = np.append(self._idf, self._rare)[np.minimum(bags.words, vocabulary)]
        weights = bags.counts * idf
        lengths = np.empty(len(bags.starts) - 1)
        squares(bags.starts, len(lengths), bags.words, bags.counts, weights, vocabulary, self._rare, lengths)
        lengths[lengths == 0] = 1.0
        return weights, lengths

    def _held(self, bags: Bags, weights: FloatArray, lengths: FloatArray, *, half: bool) -> FloatArray:
        n, m = len(lengths), len(self._lengths)
        result = np.empty(n * m)
        similarities(
            bags.starts,
            n,
            bags.words,
            weights,
            lengths,
            1 / np.sqrt(lengths),
            bags.sizes,
            len(self._numbers),
            self._at[:-1].copy(),
            self._at[1:].copy(),
            self._having,
            self._there,
            self._lengths,
            1 / np.sqrt(self._lengths),
            self._own.sizes,
            m,
            int(half),
            COSINE[self.kind],
            np.zeros(m),
            np.zeros(m, np.int64),
            result,
        )
        if half:
            mirror(result, n)
        return result.reshape(n, m)


def bags_of(texts: Sequence[str], numbers: dict[str, int]) -> Bags:
    """Texts as bags; `numbers` has the words' numbers so far, and gets those of new words."""
    words = [character_words(text) for text in texts]
    number_of: defaultdict[str, int] = defaultdict(None, numbers)
    number_of.default_factory = number_of.__len__  # a new word gets the next number
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    flat = np.fromiter(map(number_of.__getitem__, chain.from_iterable(words)), np.int64, int(lengths.sum()))
    numbers.update(number_of)
    most = max(1, len(numbers))
    keys, counts = np.unique(np.repeat(np.arange(len(words)), lengths) * most + flat, return_counts=True)
    text, word = np.divmod(keys, most)
    starts = np.append(0, np.cumsum(np.bincount(text, minlength=len(words))))
    return Bags(starts, word, counts.astype(np.int64))
