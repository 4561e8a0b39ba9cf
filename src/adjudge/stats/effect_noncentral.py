"""The noncentral t distribution, turned into limits for its noncentrality. Effects live in effects.py."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc, nctdtr, ndtri

from adjudge.stats.checks import FloatArray

LARGE = 1000.0
"""From this t on SciPy's distribution takes long, and a sum over the normal part is as exact."""
STEPS = 200
"""More than are ever needed: most pairs are done after six."""


def noncentrality(t: FloatArray, f: FloatArray, chance: float) -> FloatArray:
    """The noncentrality under which a noncentral t with f degrees of freedom is at most t >= 0 with this chance.

    NaN where t or f is NaN.
    """
    found = np.full(t.size, np.nan)
    known = np.flatnonzero(~np.isnan(t + f))
    found[known] = _solve(t[known], f[known], float(ndtri(chance)))
    return found


def _solve(t: FloatArray, f: FloatArray, target: float) -> FloatArray:
    """Where the normal quantile of the chance meets the target; in the noncentrality it is nearly a falling line.

    The line through the last two points says where to look next; where that is outside of what is still
    possible, the middle does.
    """
    step = np.sqrt(1 + t * t / (2 * f))
    low, high = _around(t, f, target, step)
    last, x = low.copy(), t - target * step
    above = _quantile(t, f, last) - target
    left = np.arange(t.size)
    for _ in range(STEPS):
        now = x[left]
        y = _quantile(t[left], f[left], now) - target
        low[left], high[left] = np.where(y >= 0, now, low[left]), np.where(y <= 0, now, high[left])
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = now - y * (now - last[left]) / (y - above[left])
        inside = (guess > low[left]) & (guess < high[left])
        x[left] = np.where(inside, guess, (low[left] + high[left]) / 2)
        last[left], above[left] = now, y
        left = left[np.abs(x[left] - now) > 1e-13 * (step[left] + np.abs(now))]
        if not left.size:
            break
    return x


def _around(t: FloatArray, f: FloatArray, target: float, step: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A noncentrality that is too low for each target, and one that is too high."""
    ends = []
    for side in (-1.0, 1.0):
        end, reach = t - (target - side) * step, step.copy()
        left = np.arange(t.size)
        for _ in range(STEPS):
            left = left[side * (_quantile(t[left], f[left], end[left]) - target) > 0]
            if not left.size:
                break
            reach[left] *= 2
            end[left] += side * reach[left]
        ends.append(end)
    return ends[0], ends[1]


def _quantile(t: FloatArray, f: FloatArray, noncentral: FloatArray) -> FloatArray:
    """The normal quantile of P(T <= t)."""
    chance = np.empty(t.size)
    large = t > LARGE
    chance[~large] = nctdtr(f[~large], noncentral[~large], t[~large])
    chance[large] = _large(t[large], f[large], noncentral[large])
    # SciPy has NaN where the chance is 0 or 1 to the last digit.
    chance = np.where(np.isnan(chance), np.where(noncentral < t, 1.0, 0.0), chance)
    quantile: FloatArray = ndtri(np.clip(chance, 1e-300, 1 - 1e-16))
    return quantile


def _large(t: FloatArray, f: FloatArray, noncentral: FloatArray) -> FloatArray:
    """P(T <= t) for large t. With z normal and f s^2 chi-square T is (z + noncentral) / s.

    It is at most t where s is at least (z + noncentral) / t. The mean over z is a sum over a grid, which is as good
    as exact for a smooth function with such tails.
    """
    z = np.linspace(-9, 9, 721)
    weight = np.exp(-z * z / 2)
    s = np.maximum(z + noncentral[:, None], 0.0) / t[:, None]
    mean: FloatArray = gammaincc(f[:, None] / 2, f[:, None] / 2 * s * s) @ (weight / weight.sum())
    return mean
