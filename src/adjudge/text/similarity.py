"""How alike sentences are: the mean of the cosine of TF-IDF vectors and Jaccard (Zopf 2018, section 4.1).

Similarities of other kinds, and their names, live in measures/similarities.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError, nearest, quoted
from adjudge.text.similarity_kernel import mirror, similarities, squares
from adjudge.text.words import character_words

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
    """A set of sentences that others are held against; IDF is theirs, ln((1 + n) / (1 + df)) + 1.

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
        known = len(self._numbers)
        idf = np.append(self._idf, self._rare)[np.minimum(bags.words, known)]
        weights = bags.counts * idf
        lengths = np.empty(len(bags.starts) - 1)
        squares(bags.starts, len(lengths), bags.words, bags.counts, weights, known, self._rare, lengths)
        lengths[lengths == 0] = 1.0
        return weights, lengths

    def _held(self, bags: Bags, weights: FloatArray, lengths: FloatArray, *, half: bool) -> FloatArray:
        n, m = len(lengths), len(self._lengths)
        found = np.empty(n * m)
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
            found,
        )
        if half:
            mirror(found, n)
        return found.reshape(n, m)


def bags_of(texts: Sequence[str], numbers: dict[str, int]) -> Bags:
    """Texts as bags; `numbers` has the words' numbers so far, and gets those of new words."""
    words = [character_words(text) for text in texts]
    known: defaultdict[str, int] = defaultdict(None, numbers)
    known.default_factory = known.__len__  # a new word gets the next number
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    flat = np.fromiter(map(known.__getitem__, chain.from_iterable(words)), np.int64, int(lengths.sum()))
    numbers.update(known)
    most = max(1, len(numbers))
    keys, counts = np.unique(np.repeat(np.arange(len(words)), lengths) * most + flat, return_counts=True)
    text, word = np.divmod(keys, most)
    starts = np.append(0, np.cumsum(np.bincount(text, minlength=len(words))))
    return Bags(starts, word, counts.astype(np.int64))
