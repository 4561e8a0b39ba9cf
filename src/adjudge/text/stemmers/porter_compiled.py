"""`porter.stem_155` compiled, on bytes: the stems of many words at once, for ROUGE of many texts.

A word is a run of letters w[start:stop]. Endings are numbers: up to seven letters as digits to the base 256.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adjudge.core.compiled import bare
from adjudge.text.stemmers.porter import STEP_2, STEP_3, STEP_4_155, Endings
from adjudge.text.stemmers.stem import SHORTEST


def _code(letters: str) -> int:
    return int.from_bytes(letters.encode("ascii"), "big")


def _rows(*steps: Endings) -> Iterator[tuple[int, int, int, int]]:
    """For every ending, the longest of a step first: itself and its size, what it becomes and the size of that."""
    for step in steps:
        for ending in sorted(step, key=len, reverse=True):
            yield _code(ending), len(ending), _code(step[ending]), len(step[ending])


_RULES = np.array(list(_rows(STEP_2, STEP_3, STEP_4_155, {"ment": ""}, {"ent": ""})), np.int64).ravel()
_TWO, _THREE = len(STEP_2), len(STEP_2) + len(STEP_3)  # where the rules of a step end
_FOUR = _THREE + len(STEP_4_155)
_SSES, _IES, _EED, _ED, _ING = map(_code, ("sses", "ies", "eed", "ed", "ing"))
_AT, _BL, _IZ, _ENT, _SION, _TION, _LL = map(_code, ("at", "bl", "iz", "ent", "sion", "tion", "ll"))
_LAST_2, _LAST_3, _LAST_4 = 0xFFFF, 0xFFFFFF, 0xFFFFFFFF
_A, _E, _I, _L, _O, _S, _U, _W, _X, _Y, _Z = map(ord, "aeilosuwxyz")


def stems(blob: np.ndarray, at: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The stems of the words at these places of a text, in lower case, a blank after each.

    A word is a run of ASCII letters and digits. Those of fewer than four letters stay as they are.
    """
    longest = int(sizes.max(initial=0)) + 1
    vowels, counts = np.zeros(longest + 1, np.int64), np.zeros(longest + 1, np.int64)
    stems = np.empty(int(sizes.sum()) + len(at), np.uint8)
    return stems[: _stems(blob, at, sizes, len(at), _RULES, vowels, counts, stems)]


@bare
def _stems(
    blob: np.ndarray,
    at: np.ndarray,
    sizes: np.ndarray,
    n: int,
    rules: np.ndarray,
    vowels: np.ndarray,
    counts: np.ndarray,
    out: np.ndarray,
) -> int:
    start = 0
    for k in range(n):
        stop = start + sizes[k]
        for i in range(sizes[k]):
            out[start + i] = blob[at[k] + i] | 32  # in lower case; a digit has that bit
        if sizes[k] >= SHORTEST:
            stop = _stem(out, start, stop, rules, vowels, counts)
        out[stop] = 32
        start = stop + 1
    return start


@bare
def _stem(
    w: np.ndarray, start: int, stop: int, rules: np.ndarray, vowels: np.ndarray, counts: np.ndarray
) -> int:
    """Where the stem ends that stands in the word's place then."""
    _weigh(w, start, start, stop, vowels, counts)
    stop = _drop_past(w, start, _drop_plural(w, start, stop), vowels, counts)
    if w[stop - 1] == _Y and vowels[stop - 1 - start] > 0:
        w[stop - 1] = _I
        _weigh(w, start, stop - 1, stop, vowels, counts)
    stop = _change(w, start, stop, rules, 0, _TWO, 0, vowels, counts)
    stop = _change(w, start, stop, rules, _TWO, _THREE, 0, vowels, counts)
    stop = _change(w, start, stop, rules, _THREE, _FOUR, 1, vowels, counts)
    stop = _change(w, start, stop, rules, _FOUR, _FOUR + 1, 1, vowels, counts)
    tail = _tail(w, start, stop)
    if tail & _LAST_3 == _ENT:
        stop = _change(w, start, stop, rules, _FOUR + 1, _FOUR + 2, 1, vowels, counts)
    elif tail & _LAST_4 in (_SION, _TION) and counts[stop - 3 - start] > 1:
        stop -= 3
    return _tidy(w, start, stop, vowels, counts)


@bare
def _weigh(w: np.ndarray, start: int, first: int, stop: int, vowels: np.ndarray, counts: np.ndarray) -> None:
    """From the letter `first` on: how many vowels, and how many consonants after a vowel, the first k letters have.

    A y is a vowel after a consonant.
    """
    for i in range(first, stop):
        k = i - start
        after_vowel = k > 0 and vowels[k] > vowels[k - 1]
        c = w[i]
        vowel = c in (_A, _E, _I, _O, _U) or (c == _Y and k > 0 and not after_vowel)
        vowels[k + 1] = vowels[k] + vowel
        counts[k + 1] = counts[k] + (after_vowel and not vowel)


@bare
def _tail(w: np.ndarray, start: int, stop: int) -> int:
    """The last seven letters as a number; fewer of them where the word has fewer."""
    code = 0
    for i in range(max(start, stop - 7), stop):
        code = 256 * code + w[i]
    return code


@bare
def _ends_short(w: np.ndarray, start: int, stop: int, vowels: np.ndarray) -> bool:
    """Consonant, vowel, consonant at the end, the last one not w, x or y."""
    k = stop - start
    if k < 3:
        return False
    last = w[stop - 1]
    return (
        vowels[k] == vowels[k - 1]
        and vowels[k - 1] > vowels[k - 2]
        and vowels[k - 2] == vowels[k - 3]
        and last not in (_W, _X, _Y)
    )


@bare
def _change(
    w: np.ndarray,
    start: int,
    stop: int,
    rules: np.ndarray,
    first: int,
    end: int,
    more_than: int,
    vowels: np.ndarray,
    counts: np.ndarray,
) -> int:
    """Change the longest ending of these rules, if what stands before it has a measure above `more_than`."""
    tail = _tail(w, start, stop)
    for rule in range(4 * first, 4 * end, 4):
        size = rules[rule + 1]
        if tail & ((1 << 8 * size) - 1) != rules[rule]:
            continue
        before = stop - size
        if counts[before - start] <= more_than:
            return stop
        grown = int(before + rules[rule + 3])
        for i in range(before, grown):
            w[i] = rules[rule + 2] >> 8 * (grown - 1 - i) & 255
        _weigh(w, start, before, grown, vowels, counts)
        return grown
    return stop


@bare
def _drop_plural(w: np.ndarray, start: int, stop: int) -> int:
    tail = _tail(w, start, stop)
    if tail & _LAST_4 == _SSES or tail & _LAST_3 == _IES:
        return stop - 2
    return stop - 1 if w[stop - 1] == _S and w[stop - 2] != _S else stop


@bare
def _drop_past(w: np.ndarray, start: int, stop: int, vowels: np.ndarray, counts: np.ndarray) -> int:
    tail = _tail(w, start, stop)
    if tail & _LAST_3 == _EED:
        return stop - 1 if counts[stop - 3 - start] > 0 else stop
    bared = stop
    if tail & _LAST_2 == _ED:
        bared = stop - 2
    elif tail & _LAST_3 == _ING:
        bared = stop - 3
    k = bared - start
    if bared == stop or vowels[k] == 0:
        return stop
    tail, last = _tail(w, start, bared) & _LAST_2, w[bared - 1]
    if tail not in (_AT, _BL, _IZ):
        if tail >> 8 == last and vowels[k] == vowels[k - 1]:  # a double consonant
            return bared if last in (_L, _S, _Z, _Y) else bared - 1
        if counts[k] != 1 or not _ends_short(w, start, bared, vowels):
            return bared
    w[bared] = _E
    _weigh(w, start, bared, bared + 1, vowels, counts)
    return bared + 1


@bare
def _tidy(w: np.ndarray, start: int, stop: int, vowels: np.ndarray, counts: np.ndarray) -> int:
    if w[stop - 1] == _E:
        m = counts[stop - 1 - start]
        if m > 1 or (m == 1 and not _ends_short(w, start, stop - 1, vowels)):
            stop -= 1
    return stop - 1 if _tail(w, start, stop) & _LAST_2 == _LL and counts[stop - start] > 1 else stop
