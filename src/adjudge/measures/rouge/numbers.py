"""Texts as numbers: every distinct word, or its stem, has one. Plain words in, or bytes straight from the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from adjudge.compiled import bare
from adjudge.measures.rouge.texts import Preparation, Prepared, Stem, Stemming, split_text


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
    flat, starts, sentences, texts, at, sizes = _tokenise(blob)
    if preparation.stop:
        keep = np.fromiter((word not in preparation.stop for word in _words(blob, at, sizes)), np.bool_)[flat]
        before = np.concatenate([[0], np.cumsum(keep)])
        flat, starts, sentences = flat[keep], before[starts], before[sentences]
    if preparation.stem:
        stemmed = _stemmed(blob, at, sizes, preparation.stem)
        flat = stemmed[flat]
        return Numbered(flat, starts, flat, sentences, texts, int(stemmed.max(initial=0)) + 1)
    return Numbered(flat, starts, flat, sentences, texts, len(at) + 1)


def _words(blob: bytes, at: np.ndarray, sizes: np.ndarray) -> list[str]:
    """Words that stand at these places, in lower case."""
    places = zip(at.tolist(), sizes.tolist(), strict=True)
    return [blob[a : a + n].decode("ascii").lower() for a, n in places]


def _stemmed(blob: bytes, at: np.ndarray, sizes: np.ndarray, stem: Stem) -> np.ndarray:
    """The number of every word's stem. ROUGE-1.5.5's stemmer is compiled, the others stem word by word."""
    if stem == Stemming("porter-155"):
        from adjudge.text.stemmers.porter_compiled import stems

        return _tokenise(stems(np.frombuffer(blob, np.uint8), at, sizes).tobytes())[0]
    numbers = _Numbers()
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
    words, found, sentence = state[1], state[2], state[4]
    return flat[:words], starts, sentences[: sentence + 1], ends, at[:found], sizes[:found]


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
    i, words, found, text, sentence = state[0], state[1], state[2], state[3], state[4]
    while i <= n and found < room:
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
                known = at[numbers[slot]]
                same = sizes[numbers[slot]] == i - first
                for j in range((i - first) * same):
                    same &= low[blob[known + j]] == low[blob[first + j]]
            if same:
                break
            slot = (slot + 1) & mask
        if numbers[slot] == -1:
            at[found] = first
            sizes[found] = i - first
            keys[2 * slot] = head
            keys[2 * slot + 1] = tail
            numbers[slot] = found
            found += 1
        flat[words] = numbers[slot]
        words += 1
    state[0], state[1], state[2], state[3], state[4] = i, words, found, text, sentence
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
