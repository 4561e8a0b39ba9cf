"""ROUGE of many pairs of texts at once: words become numbers, compiled kernels count.

The counts are those of counts.py. Every distinct word, or its stem, has a number; words come as lists, or as bytes
straight from the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from adjudge.core.compiled import bare
from adjudge.core.errors import DataError
from adjudge.measures.rouge import kernels
from adjudge.measures.rouge.counts import power_table
from adjudge.measures.rouge.texts import Preparation, PreparedText, Stem, Stemming, split_text

if TYPE_CHECKING:
    import numpy.typing as npt

LONGEST_SENTENCE = 8_000
"""Words: the table of two such sentences takes 0.8 GB."""


@dataclass(frozen=True)
class NumberedTexts:
    """Text t is whole[starts[t]:starts[t + 1]]; its sentences are sentences[texts[t]:texts[t + 1]], offsets in
    `words`, which is `whole` unless a byte limit makes sentences that are not the text."""

    whole: np.ndarray
    starts: np.ndarray
    words: np.ndarray
    sentences: np.ndarray
    texts: np.ndarray
    distinct: int


def numbered(texts: Sequence[str], preparation: Preparation, lines: str, language: str) -> NumberedTexts:
    """Texts under a preparation. The usual one, ASCII words of lines, is done on bytes, by a kernel."""
    limit = preparation.limit
    if preparation.rule == "rouge" and lines == "lines" and not limit.words and not limit.bytes:
        blob = "\0".join(texts)
        if blob.count("\0") == len(texts) - 1:
            return _from_bytes(blob.encode("utf-8", "replace"), preparation)
    return from_words(
        [preparation.unstemmed(split_text(text, lines, language)) for text in texts], preparation.stem
    )


def from_words(texts: Sequence[PreparedText], stem: Stem | None = None) -> NumberedTexts:
    """Texts that are cut into words already; `stem` is asked once for every distinct word."""
    ids: dict[str, int] = _StemNumbers(stem) if stem else _WordNumbers()

    def flat(lists: Sequence[list[str]]) -> tuple[np.ndarray, np.ndarray]:
        starts = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(words) for words in lists], out=starts[1:])
        words = chain.from_iterable(lists)
        return np.fromiter(map(ids.__getitem__, words), np.int32, count=int(starts[-1])), starts

    whole, starts = flat([text.words for text in texts])
    words, sentences = flat([sentence for text in texts for sentence in text.sentences])
    ends = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text.sentences) for text in texts], out=ends[1:])
    return NumberedTexts(
        whole=whole, starts=starts, words=words, sentences=sentences, texts=ends, distinct=len(ids) + 1
    )


class _WordNumbers(dict[str, int]):
    """A number for every word, given out when it is first asked for."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class _StemNumbers(dict[str, int]):
    """The number of a word's stem."""

    def __init__(self, stem: Stem):
        super().__init__()
        self._stem, self._numbers = stem, _WordNumbers()

    def __missing__(self, word: str) -> int:
        self[word] = number = self._numbers[self._stem([word])[0]]
        return number


def _from_bytes(blob: bytes, preparation: Preparation) -> NumberedTexts:
    """One pass over the bytes; stop words and stems are looked up for distinct words only."""
    flat, starts, sentences, texts, at, sizes = _tokenise(blob)
    if preparation.stop:
        keep = np.fromiter((word not in preparation.stop for word in _words(blob, at, sizes)), np.bool_)[flat]
        before = np.concatenate([[0], np.cumsum(keep)])
        flat, starts, sentences = flat[keep], before[starts], before[sentences]
    if preparation.stem:
        stemmed = _stemmed(blob, at, sizes, preparation.stem)
        flat = stemmed[flat]
        return NumberedTexts(
            whole=flat,
            starts=starts,
            words=flat,
            sentences=sentences,
            texts=texts,
            distinct=int(stemmed.max(initial=0)) + 1,
        )
    return NumberedTexts(
        whole=flat, starts=starts, words=flat, sentences=sentences, texts=texts, distinct=len(at) + 1
    )


def _words(blob: bytes, at: np.ndarray, sizes: np.ndarray) -> list[str]:
    """Words that stand at these places, in lower case."""
    places = zip(at.tolist(), sizes.tolist(), strict=True)
    return [blob[a : a + n].decode("ascii").lower() for a, n in places]


def _stemmed(blob: bytes, at: np.ndarray, sizes: np.ndarray, stem: Stem) -> np.ndarray:
    """The number of every word's stem. ROUGE-1.5.5's stemmer is compiled, the others stem word by word."""
    if stem == Stemming("porter-155"):
        from adjudge.text.stemmers.porter_compiled import stems

        return _tokenise(stems(np.frombuffer(blob, np.uint8), at, sizes).tobytes())[0]
    numbers = _WordNumbers()
    return np.fromiter(map(numbers.__getitem__, stem(_words(blob, at, sizes))), np.int32, count=len(at))


_PRIME = np.uint64(1099511628211)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_LONG = np.uint64(1 << 63)
# Letters and digits in lower case; 0 stands for every byte that is none of them.
_LOW = np.array([ord(chr(c).lower()) if c < 128 and chr(c).isalnum() else 0 for c in range(256)], np.uint8)


def _tokenise(
    blob: bytes,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The words of texts that 0 separates, with lines as sentences: runs of ASCII letters and digits, in lower case.

    Gives the words' numbers; where texts, sentences, and the sentences of texts begin; and for every distinct
    word where it stands first and how long it is.
    """
    texts, lines = blob.count(0) + 1, blob.count(10) + 1
    flat = np.empty(len(blob) // 2 + 1, np.int32)
    starts, ends = np.zeros(texts + 1, np.int64), np.zeros(texts + 1, np.int64)
    sentences = np.zeros(texts + lines + 1, np.int64)
    state = np.zeros(5, np.int64)  # place, words, distinct words, texts, sentences so far
    size = 1 << 15
    at, sizes = np.empty(size // 2, np.int64), np.empty(size // 2, np.int32)
    keys, numbers = np.zeros(2 * size, np.uint64), np.full(size, -1, np.int32)
    text = np.frombuffer(blob, np.uint8)
    while not _scan(
        text,
        len(blob),
        _LOW,
        state,
        flat,
        starts,
        ends,
        sentences,
        at,
        sizes,
        size // 2,
        keys,
        numbers,
        size - 1,
    ):
        wider, moved = np.zeros(8 * size, np.uint64), np.full(4 * size, -1, np.int32)
        _move(keys, numbers, size, wider, moved, 4 * size - 1)
        keys, numbers, size = wider, moved, 4 * size
        at, sizes = np.resize(at, size // 2), np.resize(sizes, size // 2)
    words, distinct, sentence = state[1], state[2], state[4]
    return flat[:words], starts, sentences[: sentence + 1], ends, at[:distinct], sizes[:distinct]


@bare
def _scan(
    blob: np.ndarray,
    n: int,
    low: np.ndarray,
    state: np.ndarray,
    flat: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    sentences: np.ndarray,
    at: np.ndarray,
    sizes: np.ndarray,
    room: int,
    keys: np.ndarray,
    numbers: np.ndarray,
    mask: int,
) -> int:
    """Go on from the state to the end, or until the table of words is half full; says whether it is the end."""
    i, words, distinct, text, sentence = state[0], state[1], state[2], state[3], state[4]
    while i <= n and distinct < room:
        c = blob[i] if i < n else np.uint8(0)
        if c == 0 or c == 10:
            sentence += 1
            sentences[sentence] = words
            if c == 0:
                text += 1
                starts[text] = words
                ends[text] = sentence
        first = i
        head = tail = np.uint64(0)  # the word itself, up to 16 letters
        while i < n and low[blob[i]]:
            letter = np.uint64(low[blob[i]])
            if i - first < 8:
                head = head << np.uint64(8) | letter
            elif i - first < 16:
                tail = tail << np.uint64(8) | letter
            else:  # from here on a digest, and marked as one
                tail = (tail ^ letter) * _PRIME | _LONG
            i += 1
        if i == first:
            i += 1
            continue
        slot = np.int64((head ^ tail * _PRIME) * _MIX >> np.uint64(32)) & mask
        while numbers[slot] != -1:
            same = keys[2 * slot] == head and keys[2 * slot + 1] == tail
            if same and tail >= _LONG:
                earlier = at[numbers[slot]]
                same = sizes[numbers[slot]] == i - first
                for j in range((i - first) * same):
                    same &= low[blob[earlier + j]] == low[blob[first + j]]
            if same:
                break
            slot = (slot + 1) & mask
        if numbers[slot] == -1:
            at[distinct] = first
            sizes[distinct] = i - first
            keys[2 * slot] = head
            keys[2 * slot + 1] = tail
            numbers[slot] = distinct
            distinct += 1
        flat[words] = numbers[slot]
        words += 1
    state[0], state[1], state[2], state[3], state[4] = i, words, distinct, text, sentence
    return 1 if i > n else 0


@bare
def _move(
    keys: np.ndarray, numbers: np.ndarray, size: int, wider: np.ndarray, moved: np.ndarray, mask: int
) -> None:
    """The same words in a larger table."""
    for old in range(size):
        if numbers[old] != -1:
            head, tail = keys[2 * old], keys[2 * old + 1]
            slot = np.int64((head ^ tail * _PRIME) * _MIX >> np.uint64(32)) & mask
            while moved[slot] != -1:
                slot = (slot + 1) & mask
            wider[2 * slot] = head
            wider[2 * slot + 1] = tail
            moved[slot] = numbers[old]


# Counting pairs

_FITS = 2**62  # the largest number that n words as digits may make


@dataclass(frozen=True)
class TextPairs:
    """Which texts are compared with which, grouped by reference, and the way back to the order asked for."""

    references: np.ndarray
    at: np.ndarray
    peers: np.ndarray
    order: np.ndarray

    @classmethod
    def of(cls, peers: npt.ArrayLike, references: npt.ArrayLike) -> TextPairs:
        peer, reference = np.asarray(peers, np.int64), np.asarray(references, np.int64)
        order = np.argsort(reference, kind="stable")
        texts, first = np.unique(reference[order], return_index=True)
        return cls(
            references=texts,
            at=np.append(first, len(order)).astype(np.int64),
            peers=peer[order],
            order=order,
        )

    def asked(self, hits: np.ndarray) -> np.ndarray:
        """Hits in the order in which the pairs were given."""
        result = np.empty(len(hits), np.float64)
        result[self.order] = hits
        return result


class RougePairs:
    """Texts as numbers, and every ROUGE of pairs of them. Work that measures share is done once."""

    def __init__(self, texts: NumberedTexts, pairs: TextPairs, weight: float | None = None):
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
        """The texts' lengths to a power, as counts.py raises them."""
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
        if longest > LONGEST_SENTENCE:
            raise DataError(
                f"a sentence of {longest:,} words: ROUGE-L and ROUGE-W compare sentence by sentence, and take up to"
                f" {LONGEST_SENTENCE:,} words in one; where lines are sentences say split=lines, or choose"
                " rouge-l(level=sentence)"
            )
        powers = np.asarray(power_table(1.0 if weight is None else weight, longest + 1))
        hits, weighted = kernels.union_hits(
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
