"""ROUGE on integers, compiled: the fast twin of plain.py, for many pairs of texts at once.

Texts are runs of word numbers in one flat array: text t is words[starts[t]:starts[t + 1]]. Pairs come grouped
by reference: those of the k-th reference text are at[k]:at[k + 1], each with the number of its peer text.
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import bare

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)
_SPARSE = 8  # places in a table of keys for every key


def pair_ids(first: np.ndarray, second: np.ndarray, most: int) -> np.ndarray:
    """A number for every pair (first[i], second[i]), the same for equal pairs; `most` bounds `second`."""
    n = len(first)
    size = _table(2 * n)
    result = np.empty(n, np.int32)
    _pair_ids(first, second, n, most, np.full(size, -1, np.int64), np.empty(size, np.int32), size - 1, result)
    return result


@bare
def _pair_ids(
    first: np.ndarray,
    second: np.ndarray,
    n: int,
    most: int,
    keys: np.ndarray,
    numbers: np.ndarray,
    mask: int,
    result: np.ndarray,
) -> None:
    count = 0
    for i in range(n):
        key = np.int64(first[i]) * most + second[i]
        slot = (key * 0x9E3779B97F4A7C1 ^ (key >> 17)) & mask
        while keys[slot] != -1 and keys[slot] != key:
            slot = (slot + 1) & mask
        if keys[slot] == -1:
            keys[slot] = key
            numbers[slot] = count
            count += 1
        result[i] = numbers[slot]


def number_overlaps(
    numbers: np.ndarray,
    starts: np.ndarray,
    distinct: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
    shorter: int = 0,
) -> np.ndarray:
    """Clipped hits of every pair, of words or of n-grams that have numbers below `distinct`.

    `shorter` leaves out so many at the end of every text.
    """
    hits = np.empty(len(peers), np.int64)
    left = np.zeros(distinct, np.int32)
    _number_overlaps(numbers, starts, len(references), references, at, peers, shorter, left, hits)
    return hits


@bare
def _number_overlaps(
    numbers: np.ndarray,
    starts: np.ndarray,
    n: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
    shorter: int,
    left: np.ndarray,
    hits: np.ndarray,
) -> None:
    """A peer takes from what the reference has, below zero too, and gives back: no branch to guess."""
    for k in range(n):
        r = references[k]
        for i in range(starts[r], starts[r + 1] - shorter):
            left[numbers[i]] += 1
        for pair in range(at[k], at[k + 1]):
            p = peers[pair]
            count = 0
            for i in range(starts[p], starts[p + 1] - shorter):
                there = left[numbers[i]]
                count += there > 0
                left[numbers[i]] = there - 1
            for i in range(starts[p], starts[p + 1] - shorter):
                left[numbers[i]] += 1
            hits[pair] = count
        for i in range(starts[r], starts[r + 1] - shorter):
            left[numbers[i]] = 0


def n_gram_overlaps(
    words: np.ndarray,
    starts: np.ndarray,
    n: int,
    most: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
) -> np.ndarray:
    """Clipped n-gram hits of every pair. Words are digits to the base `most`; n of them must fit into 62 bits."""
    return _overlaps(words, starts, n, -1, most, references, at, peers)


def skip_overlaps(
    words: np.ndarray,
    starts: np.ndarray,
    skip: int,
    most: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
) -> np.ndarray:
    """Clipped hits of pairs of words with at most `skip` words between them."""
    return _overlaps(words, starts, 2, skip, most, references, at, peers)


def _overlaps(
    words: np.ndarray,
    starts: np.ndarray,
    n: int,
    skip: int,
    most: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
) -> np.ndarray:
    hits = np.empty(len(peers), np.int64)
    longest = int(np.diff(starts).max(initial=0))
    if skip > 0:
        longest *= min(skip + 1, longest)
    keys, entries, touched = (np.empty(longest + 1, np.int64) for _ in range(3))
    after, left = np.empty(longest + 1, np.int32), np.empty(longest + 1, np.int32)
    heads = np.empty(_table(_SPARSE * longest), np.int32)
    _key_overlaps(
        words,
        starts,
        n,
        skip,
        most,
        len(references),
        references,
        at,
        peers,
        keys,
        heads,
        entries,
        after,
        left,
        touched,
        hits,
    )
    return hits


@bare
def _keys(words: np.ndarray, start: int, stop: int, n: int, skip: int, most: int, keys: np.ndarray) -> int:
    """The n-grams of a text as numbers; its pairs of words with gaps where `skip` is not negative."""
    if skip < 0:
        count = max(0, stop - start - n + 1)
        for i in range(count):
            keys[i] = words[start + i]
        for step in range(1, n):
            for i in range(count):
                keys[i] = keys[i] * most + words[start + i + step]
        return count
    count = 0
    for step in range(1, min(skip + 2, stop - start)):
        for i in range(start, stop - step):
            keys[count + i - start] = np.int64(words[i]) * most + words[i + step]
        count += stop - start - step
    return count


@bare
def _key_overlaps(
    words: np.ndarray,
    starts: np.ndarray,
    n: int,
    skip: int,
    most: int,
    texts: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
    keys: np.ndarray,
    heads: np.ndarray,
    entries: np.ndarray,
    after: np.ndarray,
    left: np.ndarray,
    touched: np.ndarray,
    hits: np.ndarray,
) -> None:
    """A reference's keys go into a sparse table, in which its peers' keys are looked up: most find an empty place.

    heads[hash] is the first entry of its chain and after[entry] the next; 0 is none.
    """
    for k in range(texts):
        r = references[k]
        size = _keys(words, starts[r], starts[r + 1], n, skip, most, keys)
        mask = 15
        while mask + 1 < _SPARSE * size:
            mask = 2 * mask + 1
        for slot in range(mask + 1):
            heads[slot] = 0
        count = 0
        for i in range(size):
            key = keys[i]
            slot = key * 0x9E3779B97F4A7C1 >> 36 & mask
            entry = heads[slot]
            while entry != 0 and entries[entry] != key:
                entry = after[entry]
            if entry == 0:
                count += 1
                entry = count
                entries[entry] = key
                after[entry] = heads[slot]
                heads[slot] = entry
                left[entry] = 0
            left[entry] += 1
        for pair in range(at[k], at[k + 1]):
            p = peers[pair]
            size = _keys(words, starts[p], starts[p + 1], n, skip, most, keys)
            maybe = 0
            for i in range(size):
                key = keys[i]
                keys[maybe] = key
                maybe += heads[key * 0x9E3779B97F4A7C1 >> 36 & mask] != 0
            found = 0
            for i in range(maybe):
                key = keys[i]
                entry = heads[key * 0x9E3779B97F4A7C1 >> 36 & mask]
                while entry != 0 and entries[entry] != key:
                    entry = after[entry]
                if entry != 0 and left[entry] > 0:
                    left[entry] -= 1
                    touched[found] = entry
                    found += 1
            for i in range(found):
                left[touched[i]] += 1
            hits[pair] = found


def all_skip_overlaps(
    words: np.ndarray,
    starts: np.ndarray,
    distinct: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
) -> np.ndarray:
    """Clipped hits of skip-bigrams of any distance: time as the product of lengths, memory as the vocabulary."""
    hits = np.empty(len(peers), np.int64)
    have, other = np.zeros(distinct, np.int64), np.zeros(distinct, np.int64)
    done = np.zeros(distinct, np.uint8)
    _all_skip_overlaps(words, starts, len(references), references, at, peers, have, other, done, hits)
    return hits


@bare
def _all_skip_overlaps(
    words: np.ndarray,
    starts: np.ndarray,
    n: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
    have: np.ndarray,
    other: np.ndarray,
    done: np.ndarray,
    hits: np.ndarray,
) -> None:
    for k in range(n):
        a, b = starts[references[k]], starts[references[k] + 1]
        for pair in range(at[k], at[k + 1]):
            c, d = starts[peers[pair]], starts[peers[pair] + 1]
            count = 0
            for i in range(a, b):
                word = words[i]
                if done[word]:
                    continue
                done[word] = 1
                _following(words, a, b, word, have)
                _following(words, c, d, word, other)
                for j in range(a, b):
                    v = words[j]
                    count += min(have[v], other[v])
                    have[v] = 0
                for j in range(c, d):
                    other[words[j]] = 0
            for i in range(a, b):
                done[words[i]] = 0
            hits[pair] = count


@bare
def _following(words: np.ndarray, start: int, stop: int, word: int, counts: np.ndarray) -> None:
    """How often each word stands anywhere after `word`, counted once per occurrence of it."""
    before = 0
    for j in range(start, stop):
        if before:
            counts[words[j]] += before
        if words[j] == word:
            before += 1


def lcs_lengths(
    words: np.ndarray,
    starts: np.ndarray,
    distinct: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
) -> np.ndarray:
    """Length of the longest common subsequence of whole texts, 64 columns at a time (Hyyrö 2004)."""
    hits = np.empty(len(peers), np.int64)
    blocks = int((np.diff(starts)[references].max(initial=1) + 63) // 64)
    masks, row = np.zeros(distinct * blocks, np.uint64), np.empty(blocks, np.uint64)
    _lcs_lengths(words, starts, len(references), references, at, peers, masks, blocks, row, hits)
    return hits


@bare
def _lcs_lengths(
    words: np.ndarray,
    starts: np.ndarray,
    n: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
    masks: np.ndarray,
    most: int,
    row: np.ndarray,
    hits: np.ndarray,
) -> None:
    for k in range(n):
        a, b = starts[references[k]], starts[references[k] + 1]
        blocks = (b - a + 63) // 64
        for i in range(a, b):
            masks[words[i] * most + (i - a) // 64] |= _ONE << np.uint64((i - a) % 64)
        for pair in range(at[k], at[k + 1]):
            for block in range(blocks):
                row[block] = _ALL
            for j in range(starts[peers[pair]], starts[peers[pair] + 1]):
                carry = np.uint64(0)
                for block in range(blocks):
                    v = row[block]
                    u = v & masks[words[j] * most + block]
                    total = v + u
                    over = np.uint64(total < v)
                    total_c = total + carry
                    over |= np.uint64(total_c < total)
                    row[block] = total_c | (v & ~u)
                    carry = over
            count = 0
            for i in range(b - a):
                if not (row[i // 64] >> np.uint64(i % 64)) & _ONE:
                    count += 1
            hits[pair] = count
        for i in range(a, b):
            masks[words[i] * most + (i - a) // 64] = np.uint64(0)


def _table(least: int) -> int:
    """The power of two that holds so many, 16 at least."""
    return 1 << max(4, (least - 1).bit_length())
