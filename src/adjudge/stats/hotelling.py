"""Hotelling's T-squared: do two systems differ on several measures taken together? (Hotelling 1931.)

Paired by topics. Its permutation twin flips the signs of whole topics, all measures of one together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import fdtrc

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.paired import exponents

RESAMPLES = 10_000
"""All sign flips of 13 topics are fewer, and are then enumerated."""
SINGULAR = 1e-10
"""Eigenvalues of the measures' correlations below this mean that one measure follows from the others."""
TIE = 1e-9
"""How far a flipped statistic may fall short of the observed one, relative to it, and still equal it."""
CELLS = 1 << 21
"""Numbers in one array."""


@dataclass(frozen=True, eq=False)
class HotellingT2:
    """T-squared of the mean differences of `measures` measures over `n` topics; where there is none, `why` says why."""

    t2: float
    f: float
    df: tuple[int, int]
    p: float
    """From the F distribution: differences normal over topics."""
    n: int
    """Topics that have both systems on every measure."""
    dropped: int
    """Topics that lack some score."""
    measures: int
    differences: FloatArray
    """Mean of each measure over these topics, first system less second."""
    permutation_p: float = math.nan
    method: Literal["exact", "flips"] | None = None
    """All flips of signs, or random ones; None where there was none."""
    least: float = math.nan
    """The smallest permutation p that so many topics and flips can give."""
    why: Note | None = None

    @property
    def lacking(self) -> str:
        """Of what there is too little where the permutation p cannot be small enough."""
        return "random flips" if self.method == "flips" and self.least > 2.0 ** (1 - self.n) else "topics"


def hotelling_t2(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = RESAMPLES,
) -> HotellingT2:
    """Hotelling's one-sample T-squared of the differences x - y, both topics x measures, NaN where missing.

    With d the n topics' differences, k measures and S their covariance, T2 = n mean(d)' S^-1 mean(d), and
    (n - k) / (k (n - 1)) T2 has the F distribution on k and n - k degrees of freedom. Only topics with both systems on
    every measure count. Needs more than k topics, and a covariance that is not singular.

    With a generator, the sign of every topic's differences is flipped with probability 1/2 in each resample:
    p = (k + 1) / (R + 1), or the share of all flips where 2^n are no more than R. It supposes differences that are
    symmetric about 0, not normal ones.
    """
    first, second = (checks.numbers(name, side, dimensions=2) for name, side in (("x", x), ("y", y)))
    if first.shape != second.shape:
        raise UsageError(
            f"x and y: expected the same topics and measures, got {first.shape} and {second.shape}"
        )
    checks.count("resamples", resamples, least=1)
    unit = exponents(np.concatenate([first, second]), axis=0)
    every = np.ldexp(first, -unit) - np.ldexp(second, -unit)  # T2 has no unit
    whole = ~np.isnan(every).any(axis=1)
    d = every[whole]
    n, k = d.shape
    result = HotellingT2(
        t2=math.nan,
        f=math.nan,
        df=(k, n - k),
        p=math.nan,
        n=n,
        dropped=int(np.count_nonzero(~whole)),
        measures=k,
        differences=np.ldexp(d.mean(axis=0), unit[0]) if n else np.full(k, math.nan),
    )
    if n <= k:
        return replace(result, why=Note.of("few-topics", measures=k, n=n))
    if (why := _singular(d)) is not None:
        return replace(result, why=why)
    # With signs s, d'd stays as it is, and T2 = (n - 1) q / (1 - q) rises with q = |U's|^2 / n, U spanning d's columns.
    basis = np.linalg.svd(d / np.sqrt((d**2).sum(axis=0)), full_matrices=False)[0]
    observed = float((basis.sum(axis=0) ** 2).sum()) / n
    t2 = (n - 1) * observed / (1 - observed)
    f = (n - k) / (k * (n - 1)) * t2
    result = replace(result, t2=t2, f=f, p=float(fdtrc(k, n - k, f)))
    return result if rng is None else _flipped(result, basis, observed, rng, resamples)


def _singular(d: FloatArray) -> Note | None:
    """Why the measures' covariance has no inverse."""
    centred = d - d.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    constant = int(np.count_nonzero(spread <= SINGULAR * np.abs(d).max(axis=0)))
    if constant:
        return Note.of("constant", measures=constant)
    if np.linalg.eigvalsh((centred / spread).T @ (centred / spread))[0] < SINGULAR:
        return Note.of("singular")
    return None


def _flipped(
    result: HotellingT2, basis: FloatArray, observed: float, rng: np.random.Generator, resamples: int
) -> HotellingT2:
    n = result.n
    exact = 2**n <= resamples
    # All signs turned at once change nothing, so that half of all flips are enough.
    total = 2 ** (n - 1) if exact else resamples
    extreme = 0
    width = max(1, CELLS // n)
    for start in range(0, total, width):
        many = min(width, total - start)
        if exact:
            turned = (np.arange(start, start + many, dtype=np.int64)[:, None] >> np.arange(n)) & 1 == 1
        else:
            turned = rng.random((many, n)) < 0.5
        shares = ((np.where(turned, -1.0, 1.0) @ basis) ** 2).sum(axis=1) / n
        extreme += int(np.count_nonzero(shares >= observed * (1 - TIE)))
    least = 2.0 ** (1 - n)
    if exact:
        return replace(result, permutation_p=extreme / total, least=least, method="exact")
    least = max(least, 1 / (resamples + 1))
    p = max((extreme + 1) / (resamples + 1), least)
    return replace(result, permutation_p=p, least=least, method="flips")
