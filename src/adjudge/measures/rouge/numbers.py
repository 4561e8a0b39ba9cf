"""Texts as numbers: every distinct word, or its stem, has one. Plain words in, or bytes straight from the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from adjudge.kernels import kernel
from adjudge.measures.rouge.texts import Preparation, Prepared, Stem, split_text


@dataclass(frozen=True)
class Numbered:
    """Text t is whole[starts[t]:starts[t + 1]]; its sentences are sentences[texts[t]:texts[t + 1]], offsets in
    `words`, which is `whole` unless a byte limit makes sentences that are not the text."""

    whole: np.ndarray
    starts: np.ndarray
    words: np.ndarray
    sentences: np.ndarray
    texts: np.ndarray
    distinct: int


def numbered(texts: Sequence[str], preparation: Preparation, lines: str, language: str) -> Numbered:
    """Texts under a preparation. The usual one, ASCII words of lines, is done on bytes, by a kernel."""
    limit = preparation.limit
    if preparation.rule == "rouge" and lines == "lines" and not limit.words and not limit.bytes:
        blob = "\0".join(texts)
        if blob.count("\0") == len(texts) - 1:
            return _from_bytes(blob.encode("utf-8", "replace"), preparation)
    return from_words(
        [preparation.unstemmed(split_text(text, lines, language)) for text in texts], preparation.stem
    )


def from_words(texts: Sequence[Prepared], stem: Stem | None = None) -> Numbered:
    """Texts that are cut into words already; `stem` is asked once for every distinct word."""
    ids: dict[str, int] = _Stems(stem) if stem else _Numbers()

    def flat(lists: Sequence[list[str]]) -> tuple[np.ndarray, np.ndarray]:
        starts = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(words) for words in lists], out=starts[1:])
        words = chain.from_iterable(lists)
        return np.fromiter(map(ids.__getitem__, words), np.int32, count=int(starts[-1])), starts

    whole, starts = flat([text.words for text in texts])
    words, sentences = flat([sentence for text in texts for sentence in text.sentences])
    ends = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text.sentences) for text in texts], out=ends[1:])
    return Numbered(whole, starts, words, sentences, ends, len(ids) + 1)


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


def _from_bytes(blob: bytes, preparation: Preparation) -> Numbered:
    """One pass over the bytes; stop words and stems are looked up for distinct words only."""
    flat, starts, sentences, texts, at, sizes = _tokenise(np.frombuffer(blob, np.uint8))
    distinct = len(at)
    if preparation.stop or preparation.stem:
        lowered = blob.lower()
        known = [lowered[a : a + n].decode("ascii") for a, n in zip(at.tolist(), sizes.tolist(), strict=True)]
        if preparation.stop:
            keep = ~np.fromiter((word in preparation.stop for word in known), np.bool_, count=distinct)[flat]
            before = np.concatenate([[0], np.cumsum(keep)])
            flat, starts, sentences = flat[keep], before[starts], before[sentences]
        if preparation.stem:
            numbers = _Numbers()
            stems = preparation.stem(known)
            flat = np.fromiter(map(numbers.__getitem__, stems), np.int32, count=distinct)[flat]
    return Numbered(flat, starts, flat, sentences, texts, distinct + 1)


_PRIME = np.uint64(1099511628211)
_MIX = np.uint64(0x9E3779B97F4A7C15)
# Letters and digits in lower case; 0 stands for every byte that is none of them.
_LOW = np.array([ord(chr(c).lower()) if c < 128 and chr(c).isalnum() else 0 for c in range(256)], np.uint8)


@kernel
def _slot(
    table: np.ndarray, hashes: np.ndarray, at: np.ndarray, sizes: np.ndarray, blob: np.ndarray, first: int,
    size: int, h: np.uint64,
) -> np.int64:  # fmt: skip
    """Where in the table the word at first:first + size is, or would be."""
    slot = np.int64(h * _MIX >> np.uint64(32)) & (len(table) - 1)
    while table[slot] != -1:
        k = table[slot]
        if hashes[k] == h and sizes[k] == size:
            if size <= 8:  # then the key is the word itself
                break
            j = 0
            while j < size and _LOW[blob[at[k] + j]] == _LOW[blob[first + j]]:
                j += 1
            if j == size:
                break
        slot = (slot + 1) & (len(table) - 1)
    return slot


@kernel
def _wider(table: np.ndarray, hashes: np.ndarray, found: int) -> np.ndarray:
    """The same words in a table four times as large."""
    wider = np.full(4 * len(table), -1, np.int32)
    for k in range(found):
        slot = np.int64(hashes[k] * _MIX >> np.uint64(32)) & (len(wider) - 1)
        while wider[slot] != -1:
            slot = (slot + 1) & (len(wider) - 1)
        wider[slot] = k
    return wider


@kernel
def _tokenise(
    blob: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The words of texts that 0 separates, with lines as sentences: runs of ASCII letters and digits, in lower case.

    Gives the words' numbers; where texts, sentences, and the sentences of texts begin; and for every distinct
    word where it stands first and how long it is.
    """
    n = len(blob)
    texts = lines = 1
    for i in range(n):
        texts += blob[i] == 0
        lines += blob[i] == 10
    flat = np.empty(n // 2 + 1, np.int32)
    starts, ends = np.zeros(texts + 1, np.int64), np.zeros(texts + 1, np.int64)
    sentences = np.zeros(texts + lines + 1, np.int64)
    at, sizes, hashes = np.empty(1024, np.int64), np.empty(1024, np.int32), np.empty(1024, np.uint64)
    table = np.full(4096, -1, np.int32)
    words = found = text = sentence = i = 0
    while i <= n:
        c = blob[i] if i < n else np.uint8(0)
        if c == 0 or c == 10:
            sentence += 1
            sentences[sentence] = words
            if c == 0:
                text += 1
                starts[text], ends[text] = words, sentence
        first = i
        h = np.uint64(0)
        while i < n:
            c = _LOW[blob[i]]
            if c == 0:
                break
            h = h << np.uint64(8) | np.uint64(c) if i - first < 8 else (h ^ np.uint64(c)) * _PRIME
            i += 1
        if i == first:
            i += 1
            continue
        slot = _slot(table, hashes, at, sizes, blob, first, i - first, h)
        if table[slot] == -1:
            if found == len(at):
                at = np.concatenate((at, np.empty(found, np.int64)))
                sizes = np.concatenate((sizes, np.empty(found, np.int32)))
                hashes = np.concatenate((hashes, np.empty(found, np.uint64)))
            at[found], sizes[found], hashes[found] = first, i - first, h
            table[slot] = found
            found += 1
        flat[words] = table[slot]
        words += 1
        if 3 * found > len(table):
            table = _wider(table, hashes, found)
    return flat[:words], starts, sentences[: sentence + 1], ends, at[:found], sizes[:found]
