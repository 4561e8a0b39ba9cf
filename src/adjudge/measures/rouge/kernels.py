"""ROUGE on integers, compiled: what counts.py counts, for many pairs of texts at once.

Texts are runs of word numbers in one flat array: text t is words[starts[t]:starts[t + 1]]. Pairs come grouped
by reference: those of the k-th reference text are at[k]:at[k + 1], each with the number of its peer text.
"""

from __future__ import annotations

import numpy as np

from adjudge.core.compiled import bare

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
            matched = 0
            for i in range(maybe):
                key = keys[i]
                entry = heads[key * 0x9E3779B97F4A7C1 >> 36 & mask]
                while entry != 0 and entries[entry] != key:
                    entry = after[entry]
                if entry != 0 and left[entry] > 0:
                    left[entry] -= 1
                    touched[matched] = entry
                    matched += 1
            for i in range(matched):
                left[touched[i]] += 1
            hits[pair] = matched


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


# Union LCS: ROUGE-L and ROUGE-W by sentence
#
# Sentence s is words[sentences[s]:sentences[s + 1]]; text t has the sentences texts[t]:texts[t + 1]. The whole texts,
# whose words bound the hits, are in `whole` and `starts` (they differ from the sentences under a byte limit). Words in
# an LCS are marked, with 1 for L and 2 for W, which are mostly the same words.
#
# A peer sentence of up to 64 words is a number of 64 bits for every word: where it stands. Of a reference sentence only
# the words that the peer sentence has are looked at: rows t = 1, 2, ... with places[t] and matches[t].

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
