"""Candidates for the best, and how they are named."""

from __future__ import annotations

import numpy as np
from tests.approving import Approved

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


def test_words_say_no_more_than_the_pairs(approved: Approved) -> None:
    names = ["A", "B", "C"]
    approved(
        [
            best_words(_better(3), names),
            best_words(_better(3, (0, 2)), names),
            best_words(_better(3, (0, 1), (0, 2)), names),
            best_words(_better(2, (0, 1)), names[:2]),
            # A was not found better than C, so nothing is said of the two.
            best_words(_better(3, (0, 1), (1, 2)), names),
            best_words(_better(3, (0, 1), (1, 2), (2, 0)), names, directed=False),
            best_words(_better(2), ["x", "y"], what="item"),
        ]
    )
