"""Many pairs of texts at once: encode the words, run the kernels, hand back counts. Same counts as plain.py."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from adjudge.measures.rouge import kernels, unions
from adjudge.measures.rouge.numbers import Numbered
from adjudge.measures.rouge.plain import power_table

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

    def __init__(self, texts: Numbered, pairs: Pairs):
        self._texts, self._pairs = texts, pairs
        self.whole, self.starts = texts.whole, texts.starts

    @cached_property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)

    def n_gram_hits(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Hits of every pair, and how many n-grams each text has."""
        most = self._texts.distinct
        if most**n < _FITS:
            keys, starts = kernels.n_gram_keys(self.whole, self.starts, n, most)
        else:
            keys, starts = self._long_n_grams(n)
        return self._overlaps(keys, starts), np.diff(starts)

    @cache  # noqa: B019 (texts are encoded for one run and then let go)
    def _long_n_grams(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the words' numbers do not fit into one, the n-grams are numbered, from the shorter ones up."""
        if n == 1:
            return self.whole.astype(np.int64), self.starts
        grams, starts = self._long_n_grams(n - 1)
        here, last, ends = kernels.gram_ends(self.whole, self.starts, starts, n - 1)
        return kernels.pair_ids(grams[here], last, self._texts.distinct).astype(np.int64), ends

    @cache  # noqa: B019
    def _skip_pairs(self, skip: int) -> tuple[np.ndarray, np.ndarray]:
        keys, starts = kernels.skip_keys(self.whole, self.starts, skip, self._texts.distinct)
        return self._overlaps(keys, starts), np.diff(starts)

    def skip_hits(self, skip: int, unigrams: bool) -> tuple[np.ndarray, np.ndarray]:
        n = self.lengths
        if skip < 0:
            hits = self._pairs.asked(kernels.all_skip_overlaps(self.whole, self.starts, *self._common()))
            sizes = n * (n - 1) // 2
        else:
            hits, sizes = self._skip_pairs(skip)
        if unigrams:  # all words but the last of every text
            hits = hits + self._overlaps(self.whole.astype(np.int64), self.starts, shorter=1)
            sizes = sizes + np.maximum(n - 1, 0)
        return hits, sizes

    def _common(self) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
        return self._texts.distinct, self._pairs.references, self._pairs.at, self._pairs.peers

    def _overlaps(self, keys: np.ndarray, starts: np.ndarray, shorter: int = 0) -> np.ndarray:
        p = self._pairs
        return p.asked(kernels.overlaps(keys, starts, p.references, p.at, p.peers, shorter))

    def sentence_hits(self) -> np.ndarray:
        """LCS of whole texts."""
        return self._pairs.asked(kernels.lcs_lengths(self.whole, self.starts, *self._common()))

    def powers(self, weight: float) -> np.ndarray:
        """The texts' lengths to a power, as plain.py raises them."""
        return np.asarray([float(n) ** weight for n in self.lengths.tolist()])

    def union_hits(self, weight: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Hits of L, or of W with a weight; and what recall divides by, for each text."""
        words, sentences, texts = self._texts.words, self._texts.sentences, self._texts.texts
        sizes = np.diff(sentences)
        longest = int(sizes.max(initial=0))
        powers = power_table(1.0 if weight is None else weight, longest + 1)
        p = self._pairs
        hits = unions.union_hits(
            words, sentences, texts, self.whole, self.starts, self._texts.distinct, longest,
            p.references, p.at, p.peers, np.asarray(powers), weight is not None,
        )  # fmt: skip
        if weight is None:
            return p.asked(hits), sentences[texts[1:]] - sentences[texts[:-1]]
        worth = [powers[size] for size in sizes.tolist()]
        ends = texts.tolist()
        bases = [sum(worth[a:b]) ** weight for a, b in pairwise(ends)]
        return p.asked(hits), np.asarray(bases, np.float64)
