"""Shares of variance: what the components are parts of, and intervals by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.mixed import MixedFit, fit_mixed, variance_shares


def fit(y: FloatArray | None = None, topics: int = 30) -> MixedFit:
    rng = np.random.default_rng(1)
    topic, system = (x.ravel() for x in np.indices((topics, 8)))
    if y is None:
        y = rng.normal(size=topic.size) + rng.normal(size=topics)[topic] + 0.5 * rng.normal(size=8)[system]
    return fit_mixed(y, [system, topic], fixed=[], random=[(0,), (1,)])


def test_shares_are_parts_of_the_whole() -> None:
    found = fit()
    shares = variance_shares(found, rng=np.random.default_rng(2), resamples=60)
    np.testing.assert_array_equal(shares.variances, [*found.variances, found.residual_variance])
    np.testing.assert_allclose(shares.shares, shares.variances / shares.variances.sum())
    assert (shares.low <= shares.shares).all()
    assert (shares.shares <= shares.high).all()
    assert shares.resamples == 60


def test_the_same_generator_gives_the_same_interval() -> None:
    found = fit()
    before = found.deviance
    one, same, other = (
        variance_shares(found, rng=np.random.default_rng(seed), resamples=50) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one.low, same.low)
    assert (one.low != other.low).any()
    assert found.found is not None
    assert found.found.reml.at(found.found.theta).deviance == before  # simulating left the fit alone


def test_more_topics_make_a_narrower_interval_for_them() -> None:
    width = {}
    for topics in (8, 80):
        shares = variance_shares(fit(topics=topics), rng=np.random.default_rng(5), resamples=100)
        width[topics] = shares.high[1] - shares.low[1]
    assert width[80] < width[8]


def test_the_interval_is_that_of_the_exact_distribution() -> None:
    # One random term, balanced: F = MS_topic / MS_noise is (1 + systems * ratio) times an F variate, and the share
    # is ratio / (1 + ratio), so quantiles of F give quantiles of the simulated share.
    from scipy import stats

    rng = np.random.default_rng(6)
    topic, _ = (x.ravel() for x in np.indices((40, 5)))
    found = fit_mixed(rng.normal(size=200) + rng.normal(size=40)[topic], [topic], fixed=[], random=[(0,)])
    ratio = found.variances[0] / found.residual_variance
    drawn = variance_shares(found, rng=rng, resamples=1000)
    simulated = ((1 + 5 * ratio) * stats.f.ppf([0.025, 0.975], 39, 160) - 1) / 5
    exact = simulated / (1 + simulated)
    assert (drawn.low[0], drawn.high[0]) == pytest.approx(tuple(exact), abs=0.03)


def test_without_resamples_there_is_no_interval() -> None:
    shares = variance_shares(fit(), rng=np.random.default_rng(7), resamples=0)
    assert np.isnan(shares.low).all()
    assert np.isfinite(shares.shares).all()
    undefined = variance_shares(fit(np.ones(240)), rng=np.random.default_rng(7))
    assert np.isnan(undefined.shares).all()


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(UsageError, match="39 are too few for an interval at 0.95"):
        variance_shares(fit(), rng=np.random.default_rng(8), resamples=39)
    with pytest.raises(UsageError, match="level"):
        variance_shares(fit(), rng=np.random.default_rng(8), level=1.0)
