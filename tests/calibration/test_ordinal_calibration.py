"""How often contrasts of the ordinal model find what is not there: the table of docs/anova.md.

Prints it when run: python tests/calibration/test_ordinal_calibration.py
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from scipy.special import ndtr, stdtr

from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.error_terms import contained_df, model_terms
from adjudge.stats.linear.mixed import Satterthwaite, fit_mixed, fixed_means, likelihood_covariance
from adjudge.stats.linear.model import LinearModel
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
    one_each: bool = False
    """Whether each summary has one assessor: the topic's, or where `shares` says so one drawn anew."""
    shares: float = 0.0
    """How even the assessors' shares of a system's summaries are (Dirichlet's parameter); 0: assessors have topics."""
    tastes: float = DEVIATIONS[2]
    """What assessors make of systems: a standard deviation."""

    def codes(self, rng: np.random.Generator) -> list[IntArray]:
        """Of every rating: the assessor, the system, the topic."""
        if not self.one_each:
            return [each.ravel() for each in np.indices((self.assessors, self.systems, self.topics))]
        system, topic = (each.ravel() for each in np.indices((self.systems, self.topics)))
        if not self.shares:
            return [topic * self.assessors // self.topics, system, topic]
        shares = rng.dirichlet(np.full(self.assessors, self.shares), size=self.systems).cumsum(axis=1)
        assessor = (rng.random(system.size)[:, None] > shares[system]).sum(axis=1)
        return [np.unique(assessor, return_inverse=True)[1], system, topic]

    def p_values(self, rng: np.random.Generator) -> FloatArray | None:
        """Of all pairs: by z, by t, by t with errors as REML enlarges them; and by the linear model."""
        sizes = (self.assessors, self.systems, self.topics)
        codes = self.codes(rng)
        latent = rng.logistic(size=codes[0].size) + self.shift
        for key, deviation in zip(TERMS, (*DEVIATIONS[:2], self.tastes, *DEVIATIONS[3:]), strict=True):
            effects = deviation * rng.normal(size=[sizes[f] for f in key])
            latent += effects[tuple(codes[f] for f in key)]
        ratings = np.searchsorted(CUTS, latent) + 1.0
        terms = model_terms(LinearModel(ratings, codes, [(f,) for f in range(3)]), [ASSESSOR, TOPIC]).random
        linear = fit_mixed(ratings, codes, fixed=[SYSTEM], random=terms)
        found = linear.estimate
        assert found is not None
        assert found.averaging is not None
        fit = fit_ordinal(ratings, codes, fixed=SYSTEM, random=terms, start=found.theta)
        if fit.why is not None:
            return None
        pairs = list(combinations(range(self.systems), 2))
        weights = np.zeros((len(pairs), self.systems))
        for row, (a, b) in enumerate(pairs):
            weights[row, [a, b]] = 1, -1
        satterthwaite = Satterthwaite(found.reml, found.theta, found.averaging)
        model = LinearModel(ratings, codes, [(SYSTEM,), *terms])
        most = contained_df(model, (SYSTEM,), fixed=[(SYSTEM,)], random=terms)
        df = np.array([min(most, satterthwaite.of(row @ found.averaging)) for row in weights])
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
ONE_EACH = (
    Ratings("4 systems, 3 assessors of 15 topics each", 4, 45, 3, one_each=True),
    Ratings("4 systems, 45 topics, 5 assessors' shares drawn", 4, 45, 5, one_each=True, shares=1, tastes=0),
    Ratings("the same, 5 assessors with tastes", 4, 45, 5, one_each=True, shares=1, tastes=0.4),
)
"""One assessor for each summary."""


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


@pytest.mark.slow
@pytest.mark.parametrize("design", ONE_EACH, ids=lambda design: design.name)
def test_contrasts_seldom_find_what_one_assessor_makes_of_them(design: Ratings) -> None:
    _, _, enlarged, linear = rates(design)
    assert enlarged <= 0.09
    assert linear <= 0.09


if __name__ == "__main__":
    print("| design | z | t | t, errors by REML | linear |\n|---|---:|---:|---:|---:|")
    for each in (*DESIGNS, *ONE_EACH):
        print(f"| {each.name} | " + " | ".join(f"{rate:.3f}"[1:] for rate in rates(each)) + " |", flush=True)
