"""Smooth propagation of knowledge: an answer says something of similar items too (Zopf 2018, section 4.1)."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from adjudge.errors import DataError
from adjudge.stats.preference.answers import Answers, FloatArray


def propagated(answers: Answers, similarity: FloatArray) -> FloatArray:
    """M, the sum over answers of outer(sim(winner), sim(loser)), as products of matrices: S' W S, W the plain wins.

    The diagonal that this fills means nothing; the fit leaves it out.
    """
    matrix = _checked(similarity, answers.n)
    winners = np.concatenate([answers.first, answers.second])
    losers = np.concatenate([answers.second, answers.first])
    counts = np.concatenate([answers.weight * answers.won, answers.weight * (1 - answers.won)])
    there = counts > 0
    wins = csr_array((counts[there], (winners[there], losers[there])), shape=matrix.shape)
    won = np.flatnonzero(np.diff(wins.indptr))
    # Items that never won have no part in it: with few answers this product is a narrow one.
    product: FloatArray = matrix[won].T @ (wins[won] @ matrix)
    return product


def _checked(similarity: FloatArray, n: int) -> FloatArray:
    matrix = np.asarray(similarity, dtype=np.float64)
    if matrix.shape != (n, n):
        raise DataError(f"the similarity is {matrix.shape}, and there are {n} items")
    if matrix.size and not (matrix.min() >= 0 and matrix.max() < np.inf):
        raise DataError("a similarity is negative, infinite or missing")
    return matrix
