"""Shares of clustered things: Wilson's interval where nothing is clustered, wider where it is."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from adjudge.core.errors import UsageError
from adjudge.stats.shares import clustered_share


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (1, 10), (13, 40), (40, 40), (250, 1000)])
def test_one_cluster_has_wilsons_interval(hits: int, n: int) -> None:
    share = clustered_share([hits], [n], level=0.9)
    assert (share.low, share.high) == pytest.approx(
        proportion_confint(hits, n, alpha=0.1, method="wilson"), abs=1e-12
    )
    assert (share.design_effect, share.share) == (1.0, hits / n)


def test_the_variance_is_that_of_cluster_robust_least_squares() -> None:
    """statsmodels 0.14: OLS of 0/1 on a constant, cov_type="cluster" with its correction for few clusters."""
    found, of = [9, 1, 0, 4, 2], [10, 8, 12, 6, 9]
    y = np.concatenate([np.r_[np.ones(k), np.zeros(n - k)] for k, n in zip(found, of, strict=True)])
    groups = np.repeat(np.arange(len(of)), of)
    fit = sm.OLS(y, np.ones_like(y)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    share = clustered_share(found, of)
    independent = share.share * (1 - share.share) / share.n
    assert share.design_effect * independent == pytest.approx(float(fit.cov_params()[0, 0]), rel=1e-12)
    n, q2, p = share.n / share.design_effect, t.ppf(0.975, 4) ** 2, share.share
    ends = np.roots([1 + q2 / n, -(2 * p + q2 / n), p**2])  # (x - p)^2 = q2 x (1 - x) / n
    assert sorted(ends) == pytest.approx([share.low, share.high], rel=1e-9)


def test_clusters_that_are_all_alike_make_no_interval_narrower() -> None:
    share = clustered_share([5, 5, 5], [10, 10, 10])
    assert share.design_effect == 1.0
    assert share.high - share.low > 2 * norm.ppf(0.975) * 0.5 / 30**0.5 / (1 + norm.ppf(0.975) ** 2 / 30)


def test_where_none_has_it_the_usual_design_effect_is_taken() -> None:
    alone, usual = clustered_share([0, 0], [10, 10]), clustered_share([0, 0], [10, 10], usual=4.0)
    assert (alone.low, usual.low) == (0.0, 0.0)
    assert usual.high > alone.high
    assert (
        clustered_share([1, 0], [10, 10], usual=4.0).design_effect
        == clustered_share([1, 0], [10, 10]).design_effect
    )


def test_what_is_empty_or_wrong() -> None:
    nothing = clustered_share([], [])
    assert np.isnan([nothing.share, nothing.low, nothing.high]).all()
    assert clustered_share([1, 0], [2, 0]).clusters == 1
    for found, of, level in (([3], [2], 0.95), ([1], [1, 2], 0.95), ([-1], [2], 0.95), ([1], [2], 1.0)):
        with pytest.raises(UsageError):
            clustered_share(found, of, level=level)


def test_intervals_cover_the_truth_where_topics_differ() -> None:
    """20 topics of 15 units whose shares follow Beta(2, 6): plain Wilson covers far less."""
    random = np.random.default_rng(5)
    hit = plain = 0
    for _ in range(800):
        found = random.binomial(15, random.beta(2, 6, size=20))
        share = clustered_share(found.tolist(), [15] * 20)
        hit += share.low <= 0.25 <= share.high
        low, high = proportion_confint(found.sum(), 300, method="wilson")
        plain += low <= 0.25 <= high
    assert hit / 800 > 0.93
    assert plain / 800 < 0.8
