"""The search for a mixed model's ratios of standard deviations. The criterion is in anova_reml.py."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.reml import Reml

FURTHEST = 12.0
"""The search keeps ratios between e^-12 and e^12."""

NEAR_ZERO = 0.05
"""Ratios below this are tried at 0."""

STEP = 1e-4
"""Of central differences in the logarithms: an error of about 1e-8."""


def search(reml: Reml, free: Sequence[int], start: FloatArray, *, exact: bool = True) -> FloatArray:
    """The ratios with the least criterion; those that are not free are 0, and so are those that are best there.

    `exact=False` stops where the criterion is settled to 1e-6, which is enough for a test or a simulation.
    """
    theta = np.zeros(start.size)
    theta[list(free)] = np.maximum(start[list(free)], NEAR_ZERO)
    theta = _descend(reml, theta, exact)
    for k in np.argsort(theta):
        if 0 < theta[k] < NEAR_ZERO:
            theta = _at_the_boundary(reml, theta, int(k), exact)
    return _polished(reml, theta) if exact else theta


def _at_the_boundary(reml: Reml, theta: FloatArray, k: int, exact: bool) -> FloatArray:
    """A small ratio is 0 where that is as good; near 0 the criterion is too flat for a descent to get there."""
    without = theta.copy()
    without[k] = 0.0
    without = _descend(reml, without, exact)
    return without if reml.at(without).deviance <= reml.at(theta).deviance + 1e-7 else theta


def _descend(reml: Reml, theta: FloatArray, exact: bool) -> FloatArray:
    """Quasi-Newton steps in the logarithms of the ratios that are not 0.

    A term of q cells bends the criterion about as much as q, so logarithms times sqrt(q) are all alike to it.
    SciPy's BFGS is plain Python; its L-BFGS-B calls LAPACK at every step, whose threads cost more than the fit.
    """
    from scipy.optimize import minimize

    moving = np.flatnonzero(theta)
    if not moving.size:
        return theta
    unit = np.sqrt(np.array(reml.sizes)[moving])

    def criterion(x: FloatArray) -> tuple[float, FloatArray]:
        trial = np.zeros_like(theta)
        trial[moving] = np.exp(np.clip(x / unit, -FURTHEST, FURTHEST))
        found = reml.at(trial)
        return found.deviance, found.slope[moving] / unit

    options = {"gtol": 1e-4 if exact else 1e-3, "maxiter": 200}
    done = minimize(criterion, np.log(theta[moving]) * unit, jac=True, method="BFGS", options=options)
    found = np.zeros_like(theta)
    found[moving] = np.exp(np.clip(done.x / unit, -FURTHEST, FURTHEST))
    return found


def _polished(reml: Reml, theta: FloatArray) -> FloatArray:
    """A Newton step at the end: the criterion is flat there, its slope is not."""
    moving = np.flatnonzero(theta)
    if not moving.size:
        return theta
    slope = reml.at(theta).slope[moving]
    try:
        step = np.linalg.solve(_curvature(reml, theta), slope)
    except np.linalg.LinAlgError:
        return theta
    trial = theta.copy()
    trial[moving] *= np.exp(-np.clip(step, -0.1, 0.1))
    better = np.abs(reml.at(trial).slope[moving]).max() < np.abs(slope).max()
    return trial if better else theta


def _curvature(reml: Reml, theta: FloatArray) -> FloatArray:
    """Second derivatives of the criterion by the logarithms of the ratios that are not 0."""
    moving = np.flatnonzero(theta)
    rows = []
    for k in moving:
        up, down = theta.copy(), theta.copy()
        up[k] *= math.exp(STEP)
        down[k] *= math.exp(-STEP)
        rows.append((reml.at(up).slope[moving] - reml.at(down).slope[moving]) / (2 * STEP))
    return np.array(rows)
