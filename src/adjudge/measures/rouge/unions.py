"""Union LCS on integers, compiled: ROUGE-L and ROUGE-W by sentence. The fast twin of plain.rouge_l and rouge_w.

Sentence s is words[sentences[s]:sentences[s + 1]]; text t has the sentences texts[t]:texts[t + 1]. The whole
texts, whose words bound the hits, are in `whole` and `starts` (they differ from the sentences under a byte limit).
Words in an LCS are marked, with 1 for L and 2 for W, which are mostly the same words.

A peer sentence of up to 64 words is a number of 64 bits for every word: where it stands. Of a reference sentence
only the words that the peer sentence has are looked at: rows t = 1, 2, ... with places[t] and matches[t].
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import bare

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)
_NONE = np.uint64(0)
_L, _W = 1, 2


@bare
def _rows(
    words: np.ndarray, a: int, b: int, masks: np.ndarray, gaps: int, places: np.ndarray, matches: np.ndarray
) -> int:
    """Where a reference sentence has words of the peer sentence, and where that has them.

    With `gaps` the first word after such a word is a row, too.
    """
    count = 0
    matches[0] = _NONE
    for i in range(a, b):
        mask = masks[words[i]]
        kept = mask | matches[count] if gaps else mask
        places[count + 1] = i
        matches[count + 1] = mask
        count += kept != _NONE
    return count


@bare
def _mark_short(
    count: int,
    size: int,
    places: np.ndarray,
    matches: np.ndarray,
    stops: np.ndarray,
    marks: np.ndarray,
    mark: int,
) -> None:
    """Mark the LCS of a reference sentence with a peer sentence of `size` words, at most 64.

    In a row, v has a zero for every peer word at which the LCS grows (Hyyrö 2004), and the LCS is longer than in
    the row before from every new zero to the old one. There the way back goes left, to a match; anywhere else
    up, which is the original's tie.
    """
    v = _ALL
    for t in range(1, count + 1):
        u = v & matches[t]
        total = v + u
        stops[t] = matches[t] | ~v | total
        v = total | (v & ~u)
    upto = _ALL >> np.uint64(64 - size)
    t = count
    while t > 0 and upto != _NONE:
        upto &= stops[t]
        upto |= upto >> np.uint64(1)
        upto |= upto >> np.uint64(2)
        upto |= upto >> np.uint64(4)
        upto |= upto >> np.uint64(8)
        upto |= upto >> np.uint64(16)
        upto |= upto >> np.uint64(32)
        before = upto >> _ONE
        match = (upto ^ before) & matches[t] != _NONE
        marks[places[t]] |= mark if match else 0
        upto = before if match else upto
        t -= 1


@bare
def _in_a_row(count: int, places: np.ndarray, matches: np.ndarray) -> bool:
    """Whether two words in a row are the same in both sentences. Where none are, W's runs are all 1, and W is L."""
    both = _NONE
    for t in range(2, count + 1):
        if places[t] == places[t - 1] + 1:
            both |= matches[t - 1] << _ONE & matches[t]
    return bool(both != _NONE)


@bare
def _mark_weighted(
    count: int,
    size: int,
    places: np.ndarray,
    matches: np.ndarray,
    columns: np.ndarray,
    powers: np.ndarray,
    best: np.ndarray,
    run: np.ndarray,
    marks: np.ndarray,
) -> None:
    """Mark the best common subsequence, runs of k being worth powers[k]. The rows are those with gaps.

    A match of W can take less than what was there before it. So a row without a match need not repeat the one
    before it; but the next one does, and the same holds for columns: one of every gap is enough, and from the
    others the way back goes where it goes from that one.
    """
    kept = _NONE
    for t in range(1, count + 1):
        kept |= matches[t]
    kept |= kept << _ONE
    width = 1
    for j in range(size):
        columns[width] = j
        width += kept >> np.uint64(j) & _ONE != _NONE
    for k in range(width):
        best[k] = 0.0
        run[k] = 0
    for t in range(1, count + 1):
        row = t * width
        best[row] = last = 0.0
        run[row] = 0
        for k in range(1, width):
            match = matches[t] >> np.uint64(columns[k]) & _ONE != _NONE
            length = run[row - width + k - 1]
            value = best[row - width + k - 1] + powers[length + 1] - powers[length]
            last = max(best[row - width + k], last)
            last = value if match else last
            best[row + k] = last
            run[row + k] = length + 1 if match else 0
    t, k = count, width - 1
    while t > 0 and k > 0:
        row = t * width
        if matches[t] >> np.uint64(columns[k]) & _ONE:
            marks[places[t]] |= _W
            t -= 1
            k -= 1
        elif best[row - width + k] >= best[row + k - 1]:
            t -= 1
        else:
            k -= 1


@bare
def _mark_table(
    words: np.ndarray,
    a: int,
    b: int,
    c: int,
    d: int,
    powers: np.ndarray,
    best: np.ndarray,
    run: np.ndarray,
    marks: np.ndarray,
    mark: int,
) -> None:
    """The same of a:b with c:d, which may be longer, by the full table; powers[k] = k gives L's."""
    m, n = b - a, d - c
    width = n + 1
    for j in range(width):
        best[j] = 0.0
        run[j] = 0
    for i in range(1, m + 1):
        word = words[a + i - 1]
        row = i * width
        best[row] = 0.0
        run[row] = 0
        for j in range(1, width):
            if word == words[c + j - 1]:
                k = run[row - width + j - 1]
                best[row + j] = best[row - width + j - 1] + powers[k + 1] - powers[k]
                run[row + j] = k + 1
            else:
                best[row + j] = max(best[row - width + j], best[row + j - 1])
                run[row + j] = 0
    i, j = m, n
    while i > 0 and j > 0:
        if words[a + i - 1] == words[c + j - 1]:
            i -= 1
            j -= 1
            marks[a + i] |= mark
        elif best[(i - 1) * width + j] >= best[i * width + j - 1]:
            i -= 1
        else:
            j -= 1


@bare
def _mark(
    words: np.ndarray,
    a: int,
    b: int,
    c: int,
    d: int,
    weighted: int,
    powers: np.ndarray,
    steps: np.ndarray,
    masks: np.ndarray,
    places: np.ndarray,
    columns: np.ndarray,
    matches: np.ndarray,
    stops: np.ndarray,
    best: np.ndarray,
    run: np.ndarray,
    marks: np.ndarray,
) -> None:
    """Mark a reference sentence a:b with a peer sentence c:d: for L, and for W where it is wanted."""
    if d - c > 64:
        _mark_table(words, a, b, c, d, steps, best, run, marks, _L)
        if weighted:
            _mark_table(words, a, b, c, d, powers, best, run, marks, _W)
        return
    count = _rows(words, a, b, masks, 0, places, matches)
    apart = weighted and _in_a_row(count, places, matches)
    if count:
        _mark_short(count, d - c, places, matches, stops, marks, _L if apart or not weighted else _L | _W)
    if apart:
        count = _rows(words, a, b, masks, 1, places, matches)
        _mark_weighted(count, d - c, places, matches, columns, powers, best, run, marks)


@bare
def _spend_l(
    words: np.ndarray, a: int, b: int, marks: np.ndarray, left: np.ndarray, right: np.ndarray
) -> float:
    hits = 0.0
    for i in range(a, b):
        if marks[i] & _L and left[words[i]] > 0 and right[words[i]] > 0:
            left[words[i]] -= 1
            right[words[i]] -= 1
            hits += 1.0
    return hits


@bare
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
        if marks[i] & _W and left[words[i]] > 0 and right[words[i]] > 0:
            left[words[i]] -= 1
            right[words[i]] -= 1
            run += 1
            if i + 1 == b or not marks[i + 1] & _W:
                hits += powers[run]
                run = 0
    return hits


@bare
def _count(words: np.ndarray, start: int, stop: int, counts: np.ndarray) -> None:
    for i in range(start, stop):
        counts[words[i]] += 1


@bare
def _forget(words: np.ndarray, start: int, stop: int, counts: np.ndarray) -> None:
    for i in range(start, stop):
        counts[words[i]] = 0


def union_hits(
    words: np.ndarray,
    sentences: np.ndarray,
    texts: np.ndarray,
    whole: np.ndarray,
    starts: np.ndarray,
    distinct: int,
    longest: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
    powers: np.ndarray,
    weighted: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Hits of every pair: of L, and with `weighted` of W, where a run of k is worth powers[k]."""
    hits = np.zeros(len(peers)), np.zeros(len(peers))
    left, right = np.zeros(distinct, np.int32), np.zeros(distinct, np.int32)
    masks, marks = np.zeros(distinct, np.uint64), np.zeros(len(words), np.uint8)
    places, columns = np.empty(longest + 2, np.int64), np.empty(longest + 2, np.int64)
    matches, stops = np.empty(longest + 2, np.uint64), np.empty(longest + 2, np.uint64)
    cells = (longest + 1) ** 2 if weighted or longest > 64 else 1
    _union_hits(
        words,
        sentences,
        texts,
        whole,
        starts,
        len(references),
        references,
        at,
        peers,
        weighted,
        powers,
        np.arange(longest + 2, dtype=np.float64),
        left,
        right,
        masks,
        marks,
        places,
        columns,
        matches,
        stops,
        np.empty(cells),
        np.empty(cells, np.int32),
        *hits,
    )
    return hits


@bare
def _union_hits(
    words: np.ndarray,
    sentences: np.ndarray,
    texts: np.ndarray,
    whole: np.ndarray,
    starts: np.ndarray,
    n: int,
    references: np.ndarray,
    at: np.ndarray,
    peers: np.ndarray,
    weighted: int,
    powers: np.ndarray,
    steps: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    masks: np.ndarray,
    marks: np.ndarray,
    places: np.ndarray,
    columns: np.ndarray,
    matches: np.ndarray,
    stops: np.ndarray,
    best: np.ndarray,
    run: np.ndarray,
    hits: np.ndarray,
    worth: np.ndarray,
) -> None:
    for k in range(n):
        r = references[k]
        for pair in range(at[k], at[k + 1]):
            p = peers[pair]
            for s in range(texts[p], texts[p + 1]):
                c, d = sentences[s], sentences[s + 1]
                for j in range(c, min(d, c + 64)):
                    masks[words[j]] |= _ONE << np.uint64(j - c)
                for q in range(texts[r], texts[r + 1]):
                    _mark(
                        words,
                        sentences[q],
                        sentences[q + 1],
                        c,
                        d,
                        weighted,
                        powers,
                        steps,
                        masks,
                        places,
                        columns,
                        matches,
                        stops,
                        best,
                        run,
                        marks,
                    )
                for j in range(c, d):
                    masks[words[j]] = _NONE
            for mark in range(_L, _W + 1 if weighted else _W):
                _count(whole, starts[p], starts[p + 1], left)
                _count(whole, starts[r], starts[r + 1], right)
                for q in range(texts[r], texts[r + 1]):
                    a, b = sentences[q], sentences[q + 1]
                    if mark == _L:
                        hits[pair] += _spend_l(words, a, b, marks, left, right)
                    else:
                        worth[pair] += _spend_w(words, a, b, marks, left, right, powers)
                _forget(whole, starts[p], starts[p + 1], left)
                _forget(whole, starts[r], starts[r + 1], right)
            for i in range(sentences[texts[r]], sentences[texts[r + 1]]):
                marks[i] = 0
