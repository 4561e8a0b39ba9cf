"""The classical tests of many separate pairs at once, for simulations. All pairs of one matrix: allpairs.py.

Row s of x is held against row s of y: simulations x topics. The numbers are those of `paired`; a p that cannot
be computed is NaN.
"""

from __future__ import annotations

import numpy as np

from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import (
    EXACT_UP_TO,
    NOISE,
    exact_p,
    normal_p,
    sign_p,
    student_p,
    untied_p,
    welch_freedom,
)


def t_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """p of the paired t-test, two-sided."""
    z = _differences(x, y)
    t = _t(_mean(z), _squares(z), _noise(x, y), z.shape[1])
    p: FloatArray = student_p(t, z.shape[1] - 1.0, "two-sided")
    return _ones_where_equal(p, z)


def unpaired_t_rows(x: FloatArray, y: FloatArray, *, equal_variances: bool = True) -> FloatArray:
    """p of the t-test of two samples, pooled or Welch's, two-sided."""
    z, n = _differences(x, y), x.shape[1]
    sides = _squares(x), _squares(y)
    t = _t(_mean(z), sides[0] + sides[1], _noise(x, y), n)
    freedom: float | FloatArray = 2.0 * n - 2
    if not equal_variances:
        with np.errstate(invalid="ignore", divide="ignore"):
            freedom = welch_freedom(n, np.sqrt(np.minimum(*sides) / np.maximum(*sides)))
    p: FloatArray = student_p(t, freedom, "two-sided")
    # As the test of one pair has it, p is 1 only where neither side varies.
    return np.where(np.isnan(t), _ones_where_equal(p, z), p)


def sign_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """p of the sign test, two-sided."""
    z = _differences(x, y)
    wins, losses = np.count_nonzero(z > 0, axis=1), np.count_nonzero(z < 0, axis=1)
    p: FloatArray = sign_p(wins, losses, "two-sided")
    return p if z.shape[1] > 1 else np.full(len(z), np.nan)


def wilcoxon_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """p of the signed-rank test, two-sided, zeros left out, exact up to EXACT_UP_TO as `paired.wilcoxon` is.

    Ties are told by the largest score of a row. Rows with ties go one by one.
    """
    z = _differences(x, y)
    if z.shape[1] < 2:
        return np.full(len(z), np.nan)
    doubled, starts = _ranks(z, _noise(x, y))
    positive = np.where(z > 0, doubled, 0).sum(axis=1)
    ranked = np.count_nonzero(z, axis=1)
    cubes = _cubes(starts, ranked)
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing is ranked: settled below
        p: FloatArray = normal_p(positive, ranked, np.zeros_like(ranked), cubes)
    exact, untied = ranked <= EXACT_UP_TO, cubes == 0
    plain = exact & untied
    p[plain] = untied_p(ranked[plain], positive[plain], "two-sided")
    for s in np.flatnonzero(exact & ~untied):
        p[s] = exact_p(np.sort(doubled[s, z[s] != 0]), int(positive[s]))
    return p


def _differences(x: FloatArray, y: FloatArray) -> FloatArray:
    """x - y, 0 for a tie: the rule of `differences`."""
    z = x - y
    z[np.abs(z) <= NOISE * np.maximum(np.abs(x), np.abs(y))] = 0.0
    return z


def _noise(x: FloatArray, y: FloatArray) -> FloatArray:
    """By row, the most that noise can be."""
    most: FloatArray = NOISE * np.maximum(np.abs(x), np.abs(y)).max(axis=1, initial=0.0)
    return most


def _mean(z: FloatArray) -> FloatArray:
    mean: FloatArray = z.sum(axis=1) / max(z.shape[1], 1)
    return mean


def _squares(z: FloatArray) -> FloatArray:
    squares: FloatArray = np.square(z - _mean(z)[:, None]).sum(axis=1)
    return squares


def _t(mean: FloatArray, squares: FloatArray, noise: FloatArray, n: int) -> FloatArray:
    """sqrt(n(n-1)) mean / sqrt(squares); NaN where the squares are no more than noise."""
    t = np.full(mean.size, np.nan)
    vary = squares > 2 * n * (n * noise) ** 2
    if n > 1:
        np.divide(np.sqrt(n * (n - 1.0)) * mean, np.sqrt(squares), out=t, where=vary)
    return t


def _ones_where_equal(p: FloatArray, z: FloatArray) -> FloatArray:
    """Where all differences are zero, p is 1 by convention."""
    return np.where((z.shape[1] > 1) & ~z.any(axis=1), 1.0, p)


def _ranks(z: FloatArray, noise: FloatArray) -> tuple[IntArray, BoolArray]:
    """Doubled mid-ranks by size, 0 for a zero; and, by ascending size, where a new size begins, zeros first."""
    rows, n = z.shape
    size = np.abs(z)
    order = np.argsort(size, axis=1, kind="stable")
    ordered = np.take_along_axis(size, order, axis=1)
    starts = np.ones(z.shape, dtype=np.bool_)
    starts[:, 1:] = (np.diff(ordered) > noise[:, None]) | ((ordered[:, 1:] > 0) & (ordered[:, :-1] == 0))
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    last = np.flip(np.minimum.accumulate(np.flip(_ends(starts, place), axis=1), axis=1), axis=1)
    zeros = n - np.count_nonzero(z, axis=1)
    # Places first to last, from 0 on and after the zeros, share the mean of their ranks.
    doubled = np.empty((rows, n), dtype=np.int64)
    np.put_along_axis(doubled, order, first + last + 2 - 2 * zeros[:, None], axis=1)
    doubled[z == 0] = 0
    return doubled, starts


def _ends(starts: BoolArray, place: IntArray) -> IntArray:
    """The place of the last of each group where there is one, else one that is beyond all."""
    last = np.ones(starts.shape, dtype=np.bool_)
    last[:, :-1] = starts[:, 1:]
    return np.where(last, place, place.size)


def _cubes(starts: BoolArray, ranked: IntArray) -> FloatArray:
    """The sum of t^3 - t over the groups of t tied differences that are ranked."""
    rows, n = starts.shape
    cubes = np.zeros(rows)
    row, place = np.nonzero(starts)
    stop = np.append(place[1:], n)
    stop[stop == 0] = n  # the next group is another row's first
    counts = place >= n - ranked[row]
    sizes = (stop - place).astype(np.float64)
    np.add.at(cubes, row[counts], (sizes**3 - sizes)[counts])
    return cubes
