"""Wins packed as pairs, their totals and whether they hang together, compiled. The fit's passes are duel_kernels.py's.

Pairs stand as duel_kernels.py says.
"""

from __future__ import annotations

import numpy as np

from adjudge.compiled import bare

_BLOCK = 32  # rows and columns that are read together: both squares stay in the nearest cache


@bare
def pack(wins: np.ndarray, n: int, starts: np.ndarray, up: np.ndarray, down: np.ndarray) -> None:
    """Both halves of a square, as rows of its right upper triangle."""
    for top in range(0, n, _BLOCK):
        for left in range(top, n, _BLOCK):
            for i in range(top, min(top + _BLOCK, n)):
                for j in range(max(left, i + 1), min(left + _BLOCK, n)):
                    at = starts[i] + j - i - 1
                    up[at] = wins[np.int64(i) * n + j]
                    down[at] = wins[np.int64(j) * n + i]


@bare
def one_part(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    up: np.ndarray,
    down: np.ndarray,
    most: int,
    reached: np.ndarray,
) -> int:
    """1 if chains of wins lead from item 0 to all others and back; 0 if not, or if `most` passes do not show it."""
    for back in range(2):
        for i in range(n):
            reached[i] = 0
        reached[0] = 1
        left = n - 1
        for _ in range(most):
            old, i = left, 0
            while left and i < n:
                for k in range(starts[i], starts[i + 1]):
                    j = i + 1 + k - starts[i] if dense else columns[k]
                    if reached[i] != reached[j]:
                        wins = up[k] if reached[i] != back else down[k]
                        if wins > 0.0:
                            reached[i] = 1
                            reached[j] = 1
                            left -= 1
                i += 1
            if left == 0 or left == old:
                break
        if left:
            return 0
    return 1


@bare
def totals(
    n: int,
    dense: int,
    starts: np.ndarray,
    columns: np.ndarray,
    up: np.ndarray,
    down: np.ndarray,
    won: np.ndarray,
    lost: np.ndarray,
) -> None:
    """How often each item won, and lost."""
    for i in range(n):
        wins, losses = 0.0, 0.0
        for k in range(starts[i], starts[i + 1]):
            j = i + 1 + k - starts[i] if dense else columns[k]
            wins += up[k]
            losses += down[k]
            won[j] += down[k]
            lost[j] += up[k]
        won[i] += wins
        lost[i] += losses
