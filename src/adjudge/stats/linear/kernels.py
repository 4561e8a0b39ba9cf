"""Compiled: the small equations of a mixed model. Large ones go through linear algebra libraries (mixed.py).

A fit solves equations of a few dozen unknowns hundreds of times. Threads of a linear algebra library cost more than
the work there, and on a busy machine hundreds of times more.
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import kernel


@kernel
def take_out(
    matrix: np.ndarray, starts: np.ndarray, at: np.ndarray, counts: np.ndarray, weights: np.ndarray
) -> None:
    """matrix -= sum_g weights_g b_g b_g', where b_g holds `counts` at the places `at` of group g."""
    for g in range(len(weights)):
        for i in range(starts[g], starts[g + 1]):
            amount = weights[g] * counts[i]
            row = at[i]
            for j in range(starts[g], starts[g + 1]):
                matrix[row, at[j]] -= amount * counts[j]


@kernel
def seen_through(
    matrix: np.ndarray, starts: np.ndarray, at: np.ndarray, counts: np.ndarray, weights: np.ndarray
) -> float:
    """sum_g weights_g b_g' matrix b_g."""
    total = 0.0
    for g in range(len(weights)):
        form = 0.0
        for i in range(starts[g], starts[g + 1]):
            for j in range(starts[g], starts[g + 1]):
                form += counts[i] * counts[j] * matrix[at[i], at[j]]
        total += weights[g] * form
    return total


@kernel
def sweep(matrix: np.ndarray, columns: int) -> float:
    """Sweep the first columns of a symmetric matrix [[M, r], [r', s]], in place (Goodnight 1979).

    It becomes [[M^-1, M^-1 r], [., s - r' M^-1 r]]. Gives the logarithm of M's determinant; NaN where M is not
    positive definite.
    """
    size = matrix.shape[0]
    log_det = 0.0
    for k in range(columns):
        pivot = matrix[k, k]
        if not pivot > 0.0:
            return np.nan
        log_det += np.log(pivot)
        for j in range(size):
            matrix[k, j] /= pivot
        for i in range(size):
            if i != k:
                amount = matrix[i, k]
                for j in range(size):
                    matrix[i, j] -= amount * matrix[k, j]
                matrix[i, k] = -amount / pivot
        matrix[k, k] = 1.0 / pivot
    return log_det
