"""Candidates for the best, and how they are named."""

from __future__ import annotations

import numpy as np

from adjudge.analyses.conclusions import candidates
from adjudge.analyses.phrasebook import best_words


def _better(size: int, *pairs: tuple[int, int]) -> np.ndarray:
    found = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        found[i, j] = True
    return found


def test_candidates_are_those_that_nobody_beats() -> None:
    assert candidates(_better(3, (0, 2))) == [0, 1]
    assert candidates(_better(3, (0, 1), (1, 2), (2, 0))) == []


def test_words_say_no_more_than_the_pairs() -> None:
    names = ["A", "B", "C"]
    assert best_words(_better(3), names) == "any of the 3 systems may be the best"
    assert best_words(_better(3, (0, 2)), names) == (
        "A and B may each be the best: no system is significantly better than they are"
    )
    assert (
        best_words(_better(3, (0, 1), (0, 2)), names) == "A is significantly better than every other system"
    )
    assert best_words(_better(2, (0, 1)), names[:2]) == "A is significantly better than the other system"
    # A was not found better than C, so nothing is said of the two.
    assert best_words(_better(3, (0, 1), (1, 2)), names) == (
        "A alone may be the best: for every other system there is one that is significantly better"
    )
    assert best_words(_better(3, (0, 1), (1, 2), (2, 0)), names, directed=False) == (
        "none is the highest: for every system there is one that is significantly higher"
    )
    assert best_words(_better(2), ["x", "y"], what="item") == "either item may be the best"
