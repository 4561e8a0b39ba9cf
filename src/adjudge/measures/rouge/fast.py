"""Many pairs of texts at once: encode the words, run the kernels, hand back counts. Same counts as plain.py."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from adjudge.measures.rouge import kernels, unions
from adjudge.measures.rouge.counts import power_table
from adjudge.measures.rouge.numbers import Numbered

if TYPE_CHECKING:
    import numpy.typing as npt

_FITS = 2**62


@dataclass(frozen=True)
class Pairs:
    """Which texts are held against which, grouped by reference, and the way back to the order asked for."""

    references: np.ndarray
    at: np.ndarray
    peers: np.ndarray
    order: np.ndarray

    @classmethod
    def of(cls, peers: npt.ArrayLike, references: npt.ArrayLike) -> Pairs:
        peer, reference = np.asarray(peers, np.int64), np.asarray(references, np.int64)
        order = np.argsort(reference, kind="stable")
        texts, first = np.unique(reference[order], return_index=True)
        return cls(texts, np.append(first, len(order)).astype(np.int64), peer[order], order)

    def asked(self, hits: np.ndarray) -> np.ndarray:
        """Hits in the order in which the pairs were given."""
        result = np.empty(len(hits), np.float64)
        result[self.order] = hits
        return result


class Encoded:
    """Texts as numbers, and every ROUGE of pairs of them. Work that measures share is done once."""

    def __init__(self, texts: Numbered, pairs: Pairs, weight: float | None = None):
        """`weight` is one that W will be asked for with: L's hits are counted on the same way."""
        self._texts, self._pairs, self._weight = texts, pairs, weight
        self.whole, self.starts = texts.whole, texts.starts

    @cached_property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)

    def n_gram_hits(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Hits of every pair, and how many n-grams each text has."""
        most = self._texts.distinct
        if n == 1:
            hits = kernels.number_overlaps(self.whole, self.starts, *self._common())
        elif most**n < _FITS:
            hits = kernels.n_gram_overlaps(self.whole, self.starts, n, *self._common())
        else:
            grams, p = self._long_n_grams(n), self._pairs
            hits = kernels.number_overlaps(grams, self.starts, len(grams), p.references, p.at, p.peers, n - 1)
        return self._pairs.asked(hits), np.maximum(self.lengths - n + 1, 0)

    @cache  # noqa: B019 (texts are encoded for one run and then let go)
    def _long_n_grams(self, n: int) -> np.ndarray:
        """Where words as digits make too long a number, n-grams are numbered, from the shorter ones up.

        The n-gram at every word, also of those that reach into the next text: those are not counted.
        """
        if n == 1:
            return self.whole
        return kernels.pair_ids(self._long_n_grams(n - 1)[:-1], self.whole[n - 1 :], self._texts.distinct)

    @cache  # noqa: B019
    def _skip_pairs(self, skip: int) -> tuple[np.ndarray, np.ndarray]:
        n = self.lengths
        if 0 <= skip < n.max(initial=0):
            hits = kernels.skip_overlaps(self.whole, self.starts, skip, *self._common())
            reach = np.minimum(skip + 1, np.maximum(n - 1, 0))
            return self._pairs.asked(hits), n * reach - reach * (reach + 1) // 2
        hits = kernels.all_skip_overlaps(self.whole, self.starts, *self._common())
        return self._pairs.asked(hits), n * (n - 1) // 2

    def skip_hits(self, skip: int, unigrams: bool) -> tuple[np.ndarray, np.ndarray]:
        hits, sizes = self._skip_pairs(skip)
        if unigrams:  # all words but the last of every text
            single = kernels.number_overlaps(self.whole, self.starts, *self._common(), shorter=1)
            hits, sizes = hits + self._pairs.asked(single), sizes + np.maximum(self.lengths - 1, 0)
        return hits, sizes

    def _common(self) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
        return self._texts.distinct, self._pairs.references, self._pairs.at, self._pairs.peers

    def sentence_hits(self) -> np.ndarray:
        """LCS of whole texts."""
        return self._pairs.asked(kernels.lcs_lengths(self.whole, self.starts, *self._common()))

    def powers(self, weight: float) -> np.ndarray:
        """The texts' lengths to a power, as plain.py raises them."""
        return np.asarray([float(n) ** weight for n in self.lengths.tolist()])

    def union_hits(self, weight: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Hits of L, or of W with a weight; and what recall divides by, for each text."""
        sentences, texts = self._texts.sentences, self._texts.texts
        if weight is None:
            return self._unions(self._weight)[0], sentences[texts[1:]] - sentences[texts[:-1]]
        sizes = np.diff(sentences).tolist()
        powers = power_table(weight, max(sizes, default=0))
        worth = [powers[size] for size in sizes]
        bases = [sum(worth[a:b]) ** weight for a, b in pairwise(texts.tolist())]
        return self._unions(weight)[1], np.asarray(bases, np.float64)

    @cache  # noqa: B019
    def _unions(self, weight: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Hits of L, and of W where there is a weight: both for little more than one of them."""
        texts, p = self._texts, self._pairs
        longest = int(np.diff(texts.sentences).max(initial=0))
        powers = np.asarray(power_table(1.0 if weight is None else weight, longest + 1))
        hits, weighted = unions.union_hits(
            texts.words,
            texts.sentences,
            texts.texts,
            self.whole,
            self.starts,
            texts.distinct,
            longest,
            p.references,
            p.at,
            p.peers,
            powers,
            weight is not None,
        )
        return p.asked(hits), p.asked(weighted)
