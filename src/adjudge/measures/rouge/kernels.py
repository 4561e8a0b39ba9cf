"""ROUGE on integers, compiled: the fast twin of plain.py, for many pairs of texts at once.

Texts are runs of word numbers in one flat array: text t is words[starts[t]:starts[t + 1]]. Pairs come grouped
by reference: those of the k-th reference text are at[k]:at[k + 1], each with the number of its peer text.
"""

from __future__ import annotations

import numpy as np

from adjudge.kernels import kernel

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


@kernel
def pair_ids(first: np.ndarray, second: np.ndarray, most: int) -> np.ndarray:
    """A number for every pair (first[i], second[i]), the same for equal pairs; `most` bounds `second`."""
    n = len(first)
    size = 16
    while size < 2 * n:
        size *= 2
    keys = np.full(size, -1, np.int64)
    numbers = np.empty(size, np.int32)
    result = np.empty(n, np.int32)
    count = 0
    mask = size - 1
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
    return result


@kernel
def gram_ends(
    words: np.ndarray, starts: np.ndarray, shorter: np.ndarray, step: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where an n-gram grows by a word: the number of the shorter one, which begins at shorter[t] in text t, and
    the word that stands `step` words after its first."""
    texts = len(starts) - 1
    out = np.zeros(texts + 1, np.int64)
    for t in range(texts):
        out[t + 1] = out[t] + max(0, starts[t + 1] - starts[t] - step)
    here = np.empty(out[texts], np.int64)
    last = np.empty(out[texts], np.int32)
    for t in range(texts):
        for k in range(out[t + 1] - out[t]):
            here[out[t] + k] = shorter[t] + k
            last[out[t] + k] = words[starts[t] + k + step]
    return here, last, out


@kernel
def n_gram_keys(words: np.ndarray, starts: np.ndarray, n: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Every n-gram as one number: its words as digits to the base `most`, which must fit into 63 bits."""
    texts = len(starts) - 1
    out = np.zeros(texts + 1, np.int64)
    for t in range(texts):
        out[t + 1] = out[t] + max(0, starts[t + 1] - starts[t] - n + 1)
    keys = np.empty(out[texts], np.int64)
    for t in range(texts):
        for k in range(out[t + 1] - out[t]):
            key = np.int64(0)
            for step in range(n):
                key = key * most + words[starts[t] + k + step]
            keys[out[t] + k] = key
    return keys, out


@kernel
def skip_keys(words: np.ndarray, starts: np.ndarray, skip: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of words with at most `skip` words between them as one number, text by text."""
    texts = len(starts) - 1
    out = np.zeros(texts + 1, np.int64)
    for t in range(texts):
        n = starts[t + 1] - starts[t]
        count = 0
        for i in range(n):
            count += min(skip + 1, n - 1 - i)
        out[t + 1] = out[t] + count
    keys = np.empty(out[texts], np.int64)
    for t in range(texts):
        k = out[t]
        for i in range(starts[t], starts[t + 1]):
            for j in range(i + 1, min(i + skip + 2, starts[t + 1])):
                keys[k] = np.int64(words[i]) * most + words[j]
                k += 1
    return keys, out


@kernel
def overlaps(
    keys: np.ndarray,
    starts: np.ndarray,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
    shorter: int,
) -> np.ndarray:
    """Clipped hits of every pair. `shorter` leaves out so many keys at the end of every text.

    A reference's keys go into a small table, in which its peers' keys are looked up: it stays in the cache.
    """
    hits = np.zeros(len(peers), np.int64)
    size = 16
    for r in references:
        while size < 2 * (starts[r + 1] - starts[r]):
            size *= 2
    table = np.full(size, -1, np.int64)
    have = np.zeros(size, np.int32)
    used = np.zeros(size, np.int32)
    filled = np.empty(size, np.int64)
    for k in range(len(references)):
        r = references[k]
        mask = 15
        while mask + 1 < 2 * (starts[r + 1] - starts[r]):
            mask = 2 * mask + 1
        slots = 0
        for i in range(starts[r], starts[r + 1] - shorter):
            key = keys[i]
            slot = (key ^ (key >> 15) ^ (key >> 31)) * 0x9E3779B97F4A7C1 >> 24 & mask
            while table[slot] != -1 and table[slot] != key:
                slot = (slot + 1) & mask
            if table[slot] == -1:
                table[slot] = key
                filled[slots] = slot
                slots += 1
            have[slot] += 1
        for pair in range(at[k], at[k + 1]):
            p = peers[pair]
            count = 0
            for i in range(starts[p], starts[p + 1] - shorter):
                key = keys[i]
                slot = (key ^ (key >> 15) ^ (key >> 31)) * 0x9E3779B97F4A7C1 >> 24 & mask
                while table[slot] != -1 and table[slot] != key:
                    slot = (slot + 1) & mask
                if table[slot] == key and used[slot] < have[slot]:
                    used[slot] += 1
                    count += 1
            for s in range(slots):
                used[filled[s]] = 0
            hits[pair] = count
        for s in range(slots):
            table[filled[s]] = -1
            have[filled[s]] = 0
    return hits


@kernel
def all_skip_overlaps(
    words: np.ndarray, starts: np.ndarray, distinct: int, references: np.ndarray, at: np.ndarray,
    peers: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Clipped hits of skip-bigrams of any distance: time as the product of lengths, memory as the vocabulary."""
    hits = np.zeros(len(peers), np.int64)
    have = np.zeros(distinct, np.int64)
    other = np.zeros(distinct, np.int64)
    done = np.zeros(distinct, np.bool_)
    for k in range(len(references)):
        a, b = starts[references[k]], starts[references[k] + 1]
        for pair in range(at[k], at[k + 1]):
            c, d = starts[peers[pair]], starts[peers[pair] + 1]
            count = 0
            for i in range(a, b):
                word = words[i]
                if done[word]:
                    continue
                done[word] = True
                _following(words, a, b, word, have)
                _following(words, c, d, word, other)
                for j in range(a, b):
                    v = words[j]
                    count += min(have[v], other[v])
                    have[v] = 0
                for j in range(c, d):
                    other[words[j]] = 0
            for i in range(a, b):
                done[words[i]] = False
            hits[pair] = count
    return hits


@kernel
def _following(words: np.ndarray, start: int, stop: int, word: int, counts: np.ndarray) -> None:
    """How often each word stands anywhere after `word`, counted once per occurrence of it."""
    before = 0
    for j in range(start, stop):
        if before:
            counts[words[j]] += before
        if words[j] == word:
            before += 1


@kernel
def lcs_lengths(
    words: np.ndarray, starts: np.ndarray, distinct: int, references: np.ndarray, at: np.ndarray,
    peers: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Length of the longest common subsequence of whole texts, 64 columns at a time (Hyyrö 2004)."""
    hits = np.zeros(len(peers), np.int64)
    most = 1
    for r in references:
        most = max(most, (starts[r + 1] - starts[r] + 63) // 64)
    masks = np.zeros((distinct, most), np.uint64)
    for k in range(len(references)):
        a, b = starts[references[k]], starts[references[k] + 1]
        blocks = (b - a + 63) // 64
        for i in range(a, b):
            masks[words[i], (i - a) // 64] |= _ONE << np.uint64((i - a) % 64)
        row = np.empty(most, np.uint64)
        for pair in range(at[k], at[k + 1]):
            for block in range(blocks):
                row[block] = _ALL
            for j in range(starts[peers[pair]], starts[peers[pair] + 1]):
                carry = np.uint64(0)
                for block in range(blocks):
                    v = row[block]
                    u = v & masks[words[j], block]
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
            masks[words[i], (i - a) // 64] = np.uint64(0)
    return hits
