"""Corrections of p-values for many tests. The tests themselves live in paired.py."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.checks import FloatArray


def holm(p: npt.ArrayLike) -> FloatArray:
    """Adjusted p-values that keep the chance of any false finding below alpha. Holm 1979.

    A NaN, a test that could not be computed, stays NaN and does not count in the family.
    """
    values = checks.probabilities("p", p)
    adjusted = np.full_like(values, np.nan)
    family = np.flatnonzero(~np.isnan(values))
    family = family[np.argsort(values[family], kind="stable")]
    left = np.arange(family.size, 0, -1)
    adjusted[family] = np.minimum(1.0, np.maximum.accumulate(left * values[family]))
    return adjusted
