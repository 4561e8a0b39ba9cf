"""How often contrasts of the ordinal model find what is not there: the table of docs/anova.md.

Prints it when run: python tests/calibration/test_ordinal_calibration.py
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from scipy.special import ndtr, stdtr

from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.mixed import Satterthwaite, fit_mixed, fixed_means, likelihood_covariance
from adjudge.stats.linear.ordinal import fit_ordinal

ALPHA = 0.05
ASSESSOR, SYSTEM, TOPIC = range(3)
TERMS = ((ASSESSOR,), (TOPIC,), (ASSESSOR, SYSTEM), (SYSTEM, TOPIC), (ASSESSOR, TOPIC))
DEVIATIONS = (0.8, 1.0, 0.6, 0.8, 0.4)
"""Of the terms, on the latent scale, where a rating's own noise has 1.81."""
CUTS = np.array([-3.0, -1.2, 0.5, 2.5])


@dataclass(frozen=True)
class Ratings:
    """Ratings from 1 to 5 of systems that do not differ."""

    name: str
    systems: int
    topics: int
    assessors: int
    shift: float = 0.0
    """How far up the scale they are."""
    simulations: int = 150

    def p_values(self, rng: np.random.Generator) -> FloatArray | None:
        """Of all pairs: by z, by t, by t with errors as REML enlarges them; and by the linear model."""
        sizes = (self.assessors, self.systems, self.topics)
        codes = [each.ravel() for each in np.indices(sizes)]
        latent = rng.logistic(size=codes[0].size) + self.shift
        for key, deviation in zip(TERMS, DEVIATIONS, strict=True):
            effects = deviation * rng.normal(size=[sizes[f] for f in key])
            latent += effects[tuple(codes[f] for f in key)]
        ratings = np.searchsorted(CUTS, latent) + 1.0
        linear = fit_mixed(ratings, codes, fixed=[SYSTEM], random=TERMS)
        found = linear.estimate
        assert found is not None
        assert found.averaging is not None
        fit = fit_ordinal(ratings, codes, fixed=SYSTEM, random=TERMS, start=found.theta)
        if fit.why is not None:
            return None
        pairs = list(combinations(range(self.systems), 2))
        weights = np.zeros((len(pairs), self.systems))
        for row, (a, b) in enumerate(pairs):
            weights[row, [a, b]] = 1, -1
        satterthwaite = Satterthwaite(found.reml, found.theta, found.averaging)
        df = np.array([satterthwaite.of(row @ found.averaging) for row in weights])
        means = fixed_means(linear)
        restricted, full = (
            np.sqrt(np.einsum("ij,jk,ik->i", weights, covariance, weights))
            for covariance in (means.covariance, likelihood_covariance(linear))
        )
        difference, error = fit.contrasts(weights)
        t = np.abs(difference / error)
        linear_t = np.abs(weights @ means.means / restricted)
        return 2 * np.array(
            [ndtr(-t), stdtr(df, -t), stdtr(df, -t * full / restricted), stdtr(df, -linear_t)]
        )


DESIGNS = (
    Ratings("4 systems, 15 topics, 3 assessors", 4, 15, 3),
    Ratings("5 systems, 20 topics, 3 assessors, high ratings", 5, 20, 3, shift=2.0, simulations=100),
    Ratings("3 systems, 20 topics, 6 assessors", 3, 20, 6, simulations=100),
)


def rates(design: Ratings, seed: int = 2) -> FloatArray:
    """Shares of p < .05 among all pairs."""
    rng = np.random.default_rng(seed)
    found = [design.p_values(rng) for _ in range(design.simulations)]
    kept = [each for each in found if each is not None]
    assert len(kept) >= 0.98 * design.simulations
    return np.asarray((np.array(kept) < ALPHA).mean(axis=(0, 2)))


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_contrasts_seldom_find_what_is_not_there(design: Ratings) -> None:
    by_z, by_t, enlarged, linear = rates(design)
    # 100 simulations of 3 to 10 pairs that lean on each other: a standard error of .015 or so.
    assert 0.01 < enlarged <= 0.09
    assert enlarged < by_t < by_z
    assert abs(enlarged - linear) < 0.04


if __name__ == "__main__":
    print("| design | z | t | t, errors by REML | linear |\n|---|---:|---:|---:|---:|")
    for each in DESIGNS:
        print(f"| {each.name} | " + " | ".join(f"{rate:.3f}"[1:] for rate in rates(each)) + " |", flush=True)
