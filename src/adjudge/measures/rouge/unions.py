"""Union LCS on integers, compiled: ROUGE-L and ROUGE-W by sentence. The fast twin of plain.rouge_l and rouge_w.

Sentence s is words[sentences[s]:sentences[s + 1]]; text t has the sentences texts[t]:texts[t + 1]. The whole
texts, whose words bound the hits, are in `whole` and `starts` (they differ from the sentences under a byte limit).
"""

from __future__ import annotations

import numpy as np

from adjudge.kernels import kernel

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


@kernel
def _bits(x: np.uint64) -> np.int64:
    """How many bits are set."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def _mark_short(
    words: np.ndarray, a: int, b: int, c: int, d: int, masks: np.ndarray, rows: np.ndarray, marks: np.ndarray
) -> None:
    """Mark the LCS of a reference sentence a:b with a peer sentence c:d of at most 64 words.

    rows[i] has a zero for every peer word at which the LCS with the first i reference words grows (Hyyrö 2004).
    Going back, "up" is right wherever leaving out the reference word loses nothing, which is the original's tie.
    """
    rows[0] = _ALL
    for i in range(a, b):
        v = rows[i - a]
        u = v & masks[words[i]]
        rows[i - a + 1] = (v + u) | (v & ~u)
    i, j = b - a, d - c
    while i > 0 and j > 0:
        if words[a + i - 1] == words[c + j - 1]:
            i -= 1
            j -= 1
            marks[a + i] = True
        else:
            upto = _ALL >> np.uint64(64 - j)
            if _bits(~rows[i - 1] & upto) == _bits(~rows[i] & upto):
                i -= 1
            else:
                j -= 1


@kernel
def _mark_table(
    words: np.ndarray, a: int, b: int, c: int, d: int, powers: np.ndarray, best: np.ndarray, run: np.ndarray,
    marks: np.ndarray,
) -> None:  # fmt: skip
    """Mark the best common subsequence of a:b with c:d, runs of k being worth powers[k], by the full table.

    All of it is needed: where a match takes less than was there before, as W's can, no row or column without a
    match merely repeats the one before it.
    """
    m, n = b - a, d - c
    for j in range(n + 1):
        best[0, j] = 0.0
        run[0, j] = 0
    for i in range(1, m + 1):
        word = words[a + i - 1]
        best[i, 0] = 0.0
        run[i, 0] = 0
        for j in range(1, n + 1):
            if word == words[c + j - 1]:
                k = run[i - 1, j - 1]
                best[i, j] = best[i - 1, j - 1] + powers[k + 1] - powers[k]
                run[i, j] = k + 1
            else:
                best[i, j] = max(best[i - 1, j], best[i, j - 1])
                run[i, j] = 0
    i, j = m, n
    while i > 0 and j > 0:
        if words[a + i - 1] == words[c + j - 1]:
            i -= 1
            j -= 1
            marks[a + i] = True
        elif best[i - 1, j] >= best[i, j - 1]:
            i -= 1
        else:
            j -= 1


@kernel
def _spend_l(
    words: np.ndarray, a: int, b: int, marks: np.ndarray, left: np.ndarray, right: np.ndarray
) -> float:
    hits = 0.0
    for i in range(a, b):
        if marks[i] and left[words[i]] > 0 and right[words[i]] > 0:
            left[words[i]] -= 1
            right[words[i]] -= 1
            hits += 1.0
    return hits


@kernel
def _spend_w(
    words: np.ndarray,
    a: int,
    b: int,
    marks: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    powers: np.ndarray,
) -> float:
    hits = 0.0
    run = 0
    for i in range(a, b):
        if marks[i] and left[words[i]] > 0 and right[words[i]] > 0:
            left[words[i]] -= 1
            right[words[i]] -= 1
            run += 1
            if i + 1 == b or not marks[i + 1]:
                hits += powers[run]
                run = 0
    return hits


@kernel
def union_hits(
    words: np.ndarray, sentences: np.ndarray, texts: np.ndarray, whole: np.ndarray, starts: np.ndarray,
    distinct: int, longest: int, references: np.ndarray, at: np.ndarray, peers: np.ndarray,
    powers: np.ndarray, weighted: bool,
) -> np.ndarray:  # fmt: skip
    """Hits of every pair: of L, or with `weighted` of W with powers[k] for a run of k."""
    hits = np.zeros(len(peers), np.float64)
    masks = np.zeros(distinct, np.uint64)
    left = np.zeros(distinct, np.int32)
    right = np.zeros(distinct, np.int32)
    marks = np.zeros(len(words), np.bool_)
    rows = np.empty(longest + 1, np.uint64)
    table = np.empty((longest + 1, longest + 1), np.float64) if weighted or longest > 64 else np.empty((1, 1))
    run = np.empty(table.shape, np.int32)
    for k in range(len(references)):
        r = references[k]
        for pair in range(at[k], at[k + 1]):
            p = peers[pair]
            for s in range(texts[p], texts[p + 1]):
                c, d = sentences[s], sentences[s + 1]
                short = not weighted and d - c <= 64
                if short:
                    for j in range(c, d):
                        masks[words[j]] |= _ONE << np.uint64(j - c)
                for q in range(texts[r], texts[r + 1]):
                    a, b = sentences[q], sentences[q + 1]
                    if short:
                        if d > c:
                            _mark_short(words, a, b, c, d, masks, rows, marks)
                    else:
                        _mark_table(words, a, b, c, d, powers, table, run, marks)
                if short:
                    for j in range(c, d):
                        masks[words[j]] = np.uint64(0)
            for i in range(starts[p], starts[p + 1]):
                left[whole[i]] += 1
            for i in range(starts[r], starts[r + 1]):
                right[whole[i]] += 1
            for q in range(texts[r], texts[r + 1]):
                a, b = sentences[q], sentences[q + 1]
                if weighted:
                    hits[pair] += _spend_w(words, a, b, marks, left, right, powers)
                else:
                    hits[pair] += _spend_l(words, a, b, marks, left, right)
                for i in range(a, b):
                    marks[i] = False
            for i in range(starts[p], starts[p + 1]):
                left[whole[i]] = 0
            for i in range(starts[r], starts[r + 1]):
                right[whole[i]] = 0
    return hits
