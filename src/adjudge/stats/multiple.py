"""Corrections of p-values for many tests. Westfall-Young, which needs the scores, is in resampling/."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray

Correction = Literal["none", "bonferroni", "holm", "bh"]


def adjust(p: npt.ArrayLike, method: Correction = "holm") -> FloatArray:
    """Adjusted p-values of one family of tests, each to be compared with alpha.

    "none" gives p as it is. "bonferroni" and "holm" (Holm 1979) keep the chance of any false finding below
    alpha, whatever the dependence. "bh" (Benjamini and Hochberg 1995) keeps the expected share of false
    findings among all findings below alpha, where the tests are independent or positively dependent.
    A NaN, a test that could not be computed, stays NaN and does not count in the family.
    """
    checks.one_of("method", method, get_args(Correction))
    values = checks.probabilities("p", p)
    adjusted = np.full_like(values, np.nan)
    family = np.flatnonzero(~np.isnan(values))
    family = family[np.argsort(values[family], kind="stable")]
    adjusted[family] = _adjusted(values[family], method)
    return adjusted


def holm(p: npt.ArrayLike) -> FloatArray:
    """Adjusted p-values that keep the chance of any false finding below alpha. Holm 1979."""
    return adjust(p, "holm")


def _adjusted(ascending: FloatArray, method: Correction) -> FloatArray:
    size = ascending.size
    if method == "none":
        return ascending
    if method == "bonferroni":
        return np.minimum(1.0, size * ascending)
    if method == "holm":
        return np.minimum(1.0, np.maximum.accumulate(np.arange(size, 0, -1) * ascending))
    # Benjamini-Hochberg goes up from the largest: the k-th smallest times size / k.
    scaled = size * ascending / np.arange(1, size + 1)
    return np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
