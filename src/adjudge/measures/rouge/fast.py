"""Many pairs of texts at once: encode the words, run the kernels, hand back counts. Same counts as plain.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from adjudge.measures.rouge import kernels, unions
from adjudge.measures.rouge.plain import power_table
from adjudge.measures.rouge.texts import Prepared, Stem


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


class _Numbers(dict[str, int]):
    """A number for every word, given out when it is first asked for."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class _Stems(dict[str, int]):
    """The number of a word's stem."""

    def __init__(self, stem: Stem):
        super().__init__()
        self._stem, self._numbers = stem, _Numbers()

    def __missing__(self, word: str) -> int:
        self[word] = number = self._numbers[self._stem([word])[0]]
        return number


class Encoded:
    """Texts as numbers, and every ROUGE of pairs of them. Work that measures share is done once."""

    def __init__(self, texts: Sequence[Prepared], pairs: Pairs, stem: Stem | None = None):
        """`stem` is asked once for every distinct word."""
        self._texts, self._pairs = texts, pairs
        self._ids = _Stems(stem) if stem else _Numbers()
        self.whole, self.starts = self._flat([text.words for text in texts])

    def _flat(self, lists: Sequence[list[str]]) -> tuple[np.ndarray, np.ndarray]:
        starts = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(words) for words in lists], out=starts[1:])
        words = chain.from_iterable(lists)
        flat = np.fromiter(map(self._ids.__getitem__, words), np.int32, count=int(starts[-1]))
        return flat, starts

    @cached_property
    def _sentences(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        words, ends = self._flat([sentence for text in self._texts for sentence in text.sentences])
        texts = np.zeros(len(self._texts) + 1, np.int64)
        np.cumsum([len(text.sentences) for text in self._texts], out=texts[1:])
        return words, ends, texts

    @cached_property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)

    def n_gram_hits(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Hits of every pair, and how many n-grams each text has."""
        grams, starts = self._n_grams(n)
        return self._overlaps(grams, starts), np.diff(starts)

    @cache  # noqa: B019 (texts are encoded for one run and then let go)
    def _n_grams(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        if n == 1:
            return self.whole, self.starts
        grams, starts = self._n_grams(n - 1)
        here, last, ends = kernels.gram_ends(self.whole, self.starts, starts, n - 1)
        return kernels.pair_ids(grams[here], last, len(self._ids) + 1), ends

    @cache  # noqa: B019
    def _skip_pairs(self, skip: int) -> tuple[np.ndarray, np.ndarray]:
        first, second, starts = kernels.skip_pairs(self.whole, self.starts, skip)
        grams = kernels.pair_ids(first, second, len(self._ids) + 1)
        return self._overlaps(grams, starts), np.diff(starts)

    def skip_hits(self, skip: int, unigrams: bool) -> tuple[np.ndarray, np.ndarray]:
        n = self.lengths
        if skip < 0:
            hits = self._pairs.asked(kernels.all_skip_overlaps(self.whole, self.starts, *self._common()))
            sizes = n * (n - 1) // 2
        else:
            hits, sizes = self._skip_pairs(skip)
        if unigrams:  # all words but the last of every text
            hits = hits + self._overlaps(self.whole, self.starts, shorter=1)
            sizes = sizes + np.maximum(n - 1, 0)
        return hits, sizes

    def _common(self) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
        return len(self._ids) + 1, self._pairs.references, self._pairs.at, self._pairs.peers

    def _overlaps(self, grams: np.ndarray, starts: np.ndarray, shorter: int = 0) -> np.ndarray:
        distinct = int(grams.max(initial=-1)) + 1
        p = self._pairs
        hits = kernels.overlaps(grams, starts, distinct, p.references, p.at, p.peers, shorter)
        return p.asked(hits)

    def sentence_hits(self) -> np.ndarray:
        """LCS of whole texts."""
        return self._pairs.asked(kernels.lcs_lengths(self.whole, self.starts, *self._common()))

    def powers(self, weight: float) -> np.ndarray:
        """The texts' lengths to a power, as plain.py raises them."""
        return np.asarray([float(n) ** weight for n in self.lengths.tolist()])

    def union_hits(self, weight: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Hits of L, or of W with a weight; and what recall divides by, for each text."""
        words, sentences, texts = self._sentences
        sizes = np.diff(sentences)
        longest = int(sizes.max(initial=0))
        powers = power_table(1.0 if weight is None else weight, longest + 1)
        p = self._pairs
        hits = unions.union_hits(
            words, sentences, texts, self.whole, self.starts, len(self._ids) + 1, longest,
            p.references, p.at, p.peers, np.asarray(powers), weight is not None,
        )  # fmt: skip
        if weight is None:
            return p.asked(hits), sentences[texts[1:]] - sentences[texts[:-1]]
        bases = [sum(powers[len(s)] for s in text.sentences) ** weight for text in self._texts]
        return p.asked(hits), np.asarray(bases, np.float64)
