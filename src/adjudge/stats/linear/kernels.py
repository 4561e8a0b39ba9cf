"""Compiled: the small equations of a mixed model. Large ones go through linear algebra libraries (mixed.py).

A fit solves equations of a few dozen unknowns hundreds of times. Threads of a linear algebra library cost more than
the work there, and on a busy machine hundreds of times more.
"""

from __future__ import annotations

import numpy as np

from adjudge.core.compiled import kernel


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


@kernel
def solve_small(
    inner: np.ndarray,
    starts: np.ndarray,
    at: np.ndarray,
    counts: np.ndarray,
    out: np.ndarray,
    through: np.ndarray,
    on_design: np.ndarray,
    on_absorbed: np.ndarray,
    scale: np.ndarray,
    random: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float, float]:
    """Take the absorbed term out of the equations, and solve what is left of them (`Reml._solved` says the same).

    Cell g of the absorbed term has `counts` rows in common with the columns `at`, from starts_g to starts_g+1. The
    first `random` columns are random. Gives the effects, the inverse, what the absorbed cells see of the effects and
    of the inverse, what the effects explain, and the logarithm of the determinant, NaN where there is none.
    """
    size = len(scale)
    matrix = np.zeros((size + 1, size + 1))
    matrix[:size, :size] = inner
    taken = np.zeros(size)
    for g in range(len(out)):
        for i in range(starts[g], starts[g + 1]):
            taken[at[i]] += counts[i] * (out[g] * on_absorbed[g])
            amount = out[g] * counts[i]
            for j in range(starts[g], starts[g + 1]):
                matrix[at[i], at[j]] -= amount * counts[j]
    for i in range(size):
        for j in range(size):
            matrix[i, j] = scale[i] * matrix[i, j] * scale[j]
        if i < random:
            matrix[i, i] += 1.0
        matrix[i, size] = matrix[size, i] = scale[i] * (on_design[i] - taken[i])
    log_det = sweep(matrix, size)
    inverse = matrix[:size, :size].copy()
    solved = scale * matrix[:size, size]
    seen = np.zeros(len(out))
    inside = 0.0
    for g in range(len(out)):
        form = 0.0
        for i in range(starts[g], starts[g + 1]):
            seen[g] += counts[i] * solved[at[i]]
            for j in range(starts[g], starts[g + 1]):
                form += counts[i] * counts[j] * (scale[at[i]] * inverse[at[i], at[j]] * scale[at[j]])
        inside += through[g] * form
    return solved, inverse, seen, inside, -matrix[size, size], log_det
