"""Compiled: the distribution of a sum under all swaps, by adding one difference at a time; see exact.py."""

from __future__ import annotations

import numpy as np

from adjudge.core.compiled import kernel

_SPREADS = 6.0
_DOUBT = 2 * np.exp(-_SPREADS * _SPREADS / 2)
"""At most so likely is the sum of rounding errors, with random signs, beyond _SPREADS of the root of the sum of
their squares (Hoeffding 1963)."""

_TOUCH = 1e-6  # of a step: sums that are nearer touch, since their errors in floating point are far smaller
_GONE_THROUGH = 16  # differences whose 2^n signs are gone through one by one
_FINE = 2.0**52  # steps that differences add up to where they need no table


@kernel
def permutation_bounds(
    columns: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    denominators: np.ndarray,
    noise: float,
    side: int,
    cells: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of each pair's p over all swaps.

    They are equal where the scores are multiples of 1/denominator, or the differences of a step of their own, and do
    not add up to more than `cells` steps; and where there are few differences, whose swaps can be gone through. Else
    differences are rounded to so many steps. Rows of columns are systems. `side` is 0 for two-sided, 1 where the
    first and -1 where the second is to be higher.
    """
    topics = columns.shape[1]
    low, high = np.ones(first.size), np.ones(first.size)
    z = np.empty(topics)
    table, spare = np.empty(cells // 2 + topics + 2), np.empty(cells // 2 + topics + 2)
    for p in range(first.size):
        x, y = columns[first[p]], columns[second[p]]
        if side < 0:
            x, y = y, x
        n, step, doubt = _differences(x, y, denominators[p], noise, z)
        width = np.abs(z[:n]).sum()
        if not step and width > 0:
            step = _own_step(z[:n], width / cells, 4 * doubt / n)
        if width == 0:
            low[p] = high[p] = 1.0
        elif step and width / step <= cells:
            low[p] = high[p] = _by_steps(z[:n], step, side == 0, table, spare)
        elif n <= _GONE_THROUGH:
            low[p] = high[p] = _by_all(z[:n], width, doubt, side == 0)
        else:
            low[p], high[p] = _by_table(z[:n], max(width / cells, doubt), doubt, side == 0, table, spare)
    return low, high


@kernel
def _own_step(z: np.ndarray, least: float, noise: float) -> float:
    """The largest number that all differences are multiples of, but for noise; 0 where it is below the least.

    Euclid's algorithm: what is left of a division is nothing, or no less than the least.
    """
    step = 0.0
    for k in range(z.size):
        a, b = abs(z[k]), step
        if a <= noise:
            continue
        while b > 0:
            rest = a - b * np.floor(a / b + 1e-3)
            a, b = b, rest if rest > 1e-3 * least else 0.0
            if 0 < b < least:
                return 0.0
        step = a
    if step == 0:
        return 0.0
    # The quotient of the sums is more exact than any one of the differences.
    step = np.abs(z).sum() / np.rint(np.abs(z) / step).sum()
    for k in range(z.size):
        if abs(z[k] - step * np.rint(z[k] / step)) > noise:
            return 0.0
    return float(step)


@kernel
def _by_steps(z: np.ndarray, step: float, two_sided: bool, table: np.ndarray, spare: np.ndarray) -> float:
    """The exact p of differences that are multiples of the step."""
    whole = np.rint(z / step)
    return _by_table(whole, 1.0, 0.0, two_sided, table, spare)[0]


@kernel
def _by_all(z: np.ndarray, width: float, doubt: float, two_sided: bool) -> float:
    """p by going through all signs, each time turning one: in whole numbers, so that no error adds up."""
    unit = width / _FINE
    size = np.empty(z.size, np.int64)
    for k in range(z.size):
        size[k] = np.int64(np.rint(z[k] / unit))
    total = size.sum()
    least = (abs(total) if two_sided else total) - np.int64(np.ceil(2 * doubt / unit)) - 2 * z.size
    reached = 1
    signs = np.ones(z.size, np.int64)
    for turn in range(1, 1 << z.size):
        k = 0
        while not (turn >> k) & 1:
            k += 1
        signs[k] = -signs[k]
        total += 2 * signs[k] * size[k]
        reached += (abs(total) if two_sided else total) >= least
    return reached / (1 << z.size)


@kernel
def _by_table(
    z: np.ndarray, step: float, doubt: float, two_sided: bool, table: np.ndarray, spare: np.ndarray
) -> tuple[float, float]:
    """Bounds of p by the distribution of the sum of the differences in steps; without doubt they are whole."""
    size = np.empty(z.size, np.int64)
    worst, square = doubt, 0.0
    for k in range(z.size):
        size[k] = np.int64(np.rint(abs(z[k]) / step))
        off = abs(abs(z[k]) - step * size[k])
        worst += off
        square += off * off
    likely = min(doubt + _SPREADS * np.sqrt(square), worst)
    size.sort()
    return _tails(size, z.sum() / step, worst / step, likely / step, two_sided, table, spare)


@kernel
def _differences(
    x: np.ndarray, y: np.ndarray, denominator: int, noise: float, z: np.ndarray
) -> tuple[int, float, float]:
    """The differences of what both have, in whole numbers where there is a denominator: how many they are, their
    largest common step (0 without a denominator), and how much noise they hold together."""
    n, step, doubt = 0, 0, 0.0
    for k in range(x.size):
        if np.isnan(x[k]) or np.isnan(y[k]):
            continue
        if denominator:
            z[n] = np.rint(x[k] * denominator) - np.rint(y[k] * denominator)
            step = _divisor(step, int(abs(z[n])))
        else:
            rough = noise * max(abs(x[k]), abs(y[k]))
            z[n] = x[k] - y[k]
            if abs(z[n]) <= rough:
                z[n] = 0.0
            doubt += rough
        n += 1
    return n, np.float64(step), doubt


@kernel
def _divisor(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


@kernel
def _tails(
    size: np.ndarray,
    total: float,
    worst: float,
    likely: float,
    two_sided: bool,
    table: np.ndarray,
    spare: np.ndarray,
) -> tuple[float, float]:
    """Bounds of the chance that the sum of the sizes, each with a random sign, reaches the total.

    Rounding moves no sum by more than `worst`, and rarely by more than `likely`.
    """
    if two_sided:
        total = abs(total)
    width = size.sum()
    # The distribution is symmetric, and nothing further in is asked for.
    last = int(min((width - max(abs(total) - worst, 0.0)) / 2 + 1, width // 2))
    lower = _lower_part(size, last, table, spare)
    if worst == 0:
        p = _reaching(lower, width, total - _TOUCH, two_sided)
        return p, p
    low = max(
        _reaching(lower, width, total + worst + _TOUCH, two_sided),
        _reaching(lower, width, total + likely + _TOUCH, two_sided) - _DOUBT,
    )
    high = min(
        _reaching(lower, width, total - worst - _TOUCH, two_sided),
        _reaching(lower, width, total - likely - _TOUCH, two_sided) + _DOUBT,
    )
    # What was observed is one of the swaps, and turned round it is another.
    least = (2.0 if two_sided else 1.0) * 0.5**size.size
    return max(low, least), min(high, 1.0)


@kernel
def _lower_part(size: np.ndarray, last: int, table: np.ndarray, spare: np.ndarray) -> np.ndarray:
    """P(sum of those with a plus <= s) for s up to the last: the shift algorithm, of differences in steps."""
    now, then = table[: last + 1], spare[: last + 1]
    now[:] = 0.0
    then[:] = 0.0
    now[0] = 1.0
    reached = 0
    for k in range(size.size):
        a = size[k]
        if a == 0:
            continue
        reached = min(reached + a, last)
        _halve(now[: min(a, reached + 1)], then)
        if a <= reached:
            _mix(now[a : reached + 1], now[: reached + 1 - a], then[a:])
        now, then = then, now
    for s in range(1, last + 1):
        now[s] += now[s - 1]
    return now


@kernel
def _halve(x: np.ndarray, out: np.ndarray) -> None:
    for s in range(x.size):
        out[s] = 0.5 * x[s]


@kernel
def _mix(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for s in range(x.size):
        out[s] = 0.5 * (x[s] + y[s])


@kernel
def _reaching(lower: np.ndarray, width: int, least: float, two_sided: bool) -> float:
    """P(S >= least), or P(|S| >= least), where S is what has a plus less what has a minus."""
    if two_sided and least <= 0:
        return 1.0
    # S >= least means that what has a minus is at most (width - least) / 2.
    most = int(np.floor((width - least) / 2))
    if most < 0:
        return 0.0
    if most >= width:
        return 1.0
    if most >= lower.size:
        return 1.0 - (lower[width - most - 1] if width - most - 1 >= 0 else 0.0)
    return float(min(1.0, 2 * lower[most]) if two_sided else lower[most])
