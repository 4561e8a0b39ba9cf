"""HB against plain lines, against all resamples, and its promises: mid-ranks, constant resamples, missing cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stats.test_swaps import cutoff_of, reached, same, statistic_of, with_holes

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.paired import Alternative
from adjudge.stats.resampling import engine as resampling_engine
from adjudge.stats.resampling.engine import (
    DrawnBlock,
    ResamplingOptions,
    Statistic,
    Zeros,
    hybrid_draws,
    make_job,
    prepare,
    tails,
)
from adjudge.stats.resampling.kernels import tally
from adjudge.stats.resampling.quantised import Float
from adjudge.stats.resampling.swaps import hb_null, hb_pairs, mc_pairs

STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
SCORES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=7)


def resampled(
    x: IntArray, y: IntArray, signed: npt.NDArray[Any], counts: npt.NDArray[Any]
) -> tuple[IntArray, IntArray]:
    """The two samples of every resample, in rows, from how often topics were drawn and left rather than swapped."""
    left = ((counts + signed) / 2).astype(np.int64).T
    swapped = ((counts - signed) / 2).astype(np.int64).T
    first = [np.r_[np.repeat(x, a), np.repeat(y, b)] for a, b in zip(left, swapped, strict=True)]
    second = [np.r_[np.repeat(y, a), np.repeat(x, b)] for a, b in zip(left, swapped, strict=True)]
    return np.array(first), np.array(second)


def drawn(seed: int, rows: IntArray, resamples: int) -> tuple[FloatArray, FloatArray]:
    """The weights of all resamples that `hb_pairs` uses for a set of topics."""
    blocks = list(hybrid_draws(np.random.default_rng(seed), resamples).blocks(rows, np.float64))
    return np.concatenate([b[1] for b in blocks], axis=1), np.concatenate([b[2] for b in blocks], axis=1)


@settings(deadline=None, max_examples=150)
@given(
    SCORES,
    st.sampled_from([1, 10, 3, 1_000_003]),
    st.sampled_from(STATISTICS),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from(["wilcox", "pratt"]),
    st.integers(1, 130),
)
def test_equals_plain_lines(
    pairs: list[tuple[int, int]],
    unit: int,
    statistic: Statistic,
    alternative: Alternative,
    zeros: Zeros,
    resamples: int,
) -> None:
    # In tenths and thirds scores carry noise, and 1/1,000,003 is no grid; the twin sees whole numbers.
    x, y = np.array(pairs).T
    signed, counts = drawn(7, np.arange(x.size), resamples)
    values = statistic_of(*resampled(x, y, signed, counts), statistic, zeros)
    observed = statistic_of(x[None, :], y[None, :], statistic, zeros)[0]
    result = hb_pairs(
        np.column_stack([x, y]) / unit,
        rng=np.random.default_rng(7),
        statistic=statistic,
        resamples=resamples,
        alternative=alternative,
        alpha=0.1,
        zeros=zeros,
    )
    assert result.p[0] == (reached(values, observed, alternative) + 1) / (resamples + 1)
    expected = float(cutoff_of(values, alternative, 0.1))
    if statistic in ("t", "t-unpaired"):
        expected = float(np.sign(expected) * np.sqrt(abs(expected)))
    elif statistic == "mean":
        expected /= unit * x.size
    elif statistic == "median":
        expected /= unit
    assert result.cutoff is not None
    assert result.cutoff[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@dataclass(frozen=True)
class Everything:
    """All n^n draws with all 2^n swaps, each once: what HB is a sample of."""

    topics: int

    @property
    def resamples(self) -> int:
        return int((2 * self.topics) ** self.topics)

    def blocks(self, rows: IntArray, dtype: Float) -> Iterator[DrawnBlock]:
        assert rows.size == self.topics
        every = list(product(product(range(self.topics), (1, -1)), repeat=self.topics))
        signed, counts = np.zeros((2, self.topics, len(every)), dtype=dtype)
        for r, picks in enumerate(every):
            for topic, sign in picks:
                signed[topic, r] += sign
                counts[topic, r] += 1
        yield slice(0, len(every)), signed, counts


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    "scores", [[(1, 4), (2, 1), (5, 5), (3, 5)], [(4, 1), (3, 1), (5, 2)], [(2, 1), (5, 4)]]
)
def test_a_sample_of_all_resamples(
    statistic: Statistic, alternative: Alternative, scores: list[tuple[int, int]]
) -> None:
    whole = np.array(scores)
    everything = Everything(len(whole))
    [task] = prepare(
        whole / 10, ResamplingOptions(statistic, everything.resamples, alternative, 0.05, "wilcox")
    )
    counted = int(tails(task, everything).counts[0])
    _, signed, counts = next(everything.blocks(np.arange(len(whole)), np.float64))
    values = statistic_of(*resampled(whole[:, 0], whole[:, 1], signed, counts), statistic)
    observed = statistic_of(whole[:, :1].T, whole[:, 1:].T, statistic)[0]
    assert counted == reached(values, observed, alternative)
    # The random sample is near the share that it samples.
    share = counted / everything.resamples
    p = hb_pairs(
        whole / 10, rng=np.random.default_rng(1), statistic=statistic, resamples=4000, alternative=alternative
    ).p[0]
    assert abs(p - share) < 4.5 * np.sqrt(share * (1 - share) / 4000) + 1e-3


def test_a_constant_resample() -> None:
    # Differences 1, 1 and -1. Drawn and swapped they are three signs, each of 8 equally likely: T^p is infinite for
    # two of them, else the sum is 1 or -1 and |T^p| = 0.5. The observed one has |T^p| = 0.5, so p is 1.
    values = np.array([[2.0, 1.0], [4.0, 3.0], [1.0, 2.0]])
    null = hb_null(*values.T, rng=np.random.default_rng(1), statistic="t", resamples=400)
    assert null.statistic == pytest.approx(0.5)
    assert null.p == 1.0
    assert set(np.abs(null.values.round(9))) == {0.5, np.inf}
    assert abs(np.mean(np.isinf(null.values)) - 0.25) < 0.1
    assert null.cutoff(0.05) == np.inf
    result = hb_pairs(values, rng=np.random.default_rng(1), statistic="t", resamples=400)
    assert result.cutoff is not None
    assert result.cutoff[0] == np.inf


def test_a_resample_of_zeros_has_t_0() -> None:
    # Differences 0, 0 and 1: T^p is 1 as observed. Drawn, it is 0 where no 1 is drawn: 8/27 of the resamples.
    null = hb_null(
        [1.0, 2.0, 3.0], [1.0, 2.0, 2.0], rng=np.random.default_rng(1), statistic="t", resamples=2000
    )
    zeros = np.count_nonzero(null.values == 0)
    # Two draws of the 1 with opposite signs have mean 0 as well: 6/27 of the resamples, half of them.
    assert abs(zeros / 2000 - (8 + 3) / 27) < 0.05
    assert np.isinf(null.values).any()
    assert not np.isnan(null.values).any()


def test_topics_drawn_twice_share_a_mid_rank() -> None:
    # One resample by hand: sizes 1 (twice, left), 3 (once, swapped); ranks 1.5, 1.5 and 3: W = 1.5 + 1.5 - 3 = 0.
    values = np.array([[2.0, 1.0], [5.0, 2.0], [9.0, 1.0]])
    [task] = prepare(values, ResamplingOptions("w", 1, "two-sided", 0.05, "wilcox"))
    job = make_job(task, task.pairs, np.arange(3))
    out = np.empty((1, 1), dtype=job.values)
    signed, counts = np.array([[2.0], [-1.0], [0.0]]), np.array([[2.0], [1.0], [0.0]])
    job.fill(signed.astype(job.weights), counts.astype(job.weights), out)
    assert out[0, 0] == 0
    # Size 1 twice with opposite signs, 8 once: its rank is 3, W = 0 + 3; kept doubled.
    signed, counts = np.array([[0.0], [0.0], [1.0]]), np.array([[2.0], [0.0], [1.0]])
    job.fill(signed.astype(job.weights), counts.astype(job.weights), out)
    assert out[0, 0] == 6


def test_draws_are_counted() -> None:
    rng = np.random.default_rng(1)
    picks = rng.integers(0, 70, size=(5, 70))
    bits = rng.integers(0, 2**64, size=(5, 2), dtype=np.uint64)
    signed, counts = np.empty((2, 70, 5))
    tally(picks, bits, signed, counts)
    for r in range(5):
        assert np.array_equal(counts[:, r], np.bincount(picks[r], minlength=70))
        swaps = [int(bits[r, m // 64]) >> (m % 64) & 1 for m in range(70)]
        for k in range(70):
            assert signed[k, r] == sum(
                1 - 2 * s for s, pick in zip(swaps, picks[r], strict=True) if pick == k
            )


def test_draws_are_even() -> None:
    signed, counts = drawn(3, np.arange(20), 20_000)
    assert (counts.sum(axis=0) == 20).all()
    # A topic is drawn binomially, 20 times with 1/20: mean 1, variance 19/20; left or swapped evenly.
    assert np.abs(counts.mean(axis=1) - 1).max() < 4.5 * np.sqrt(0.95 / 20_000)
    assert np.abs(signed.mean(axis=1)).max() < 4.5 * np.sqrt(1 / 20_000)
    assert abs(counts.var() - 0.95) < 0.02
    assert abs(signed.var() - 1) < 0.02


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_pair_depends_on_its_own_topics_alone(statistic: Statistic) -> None:
    # A pair draws from the topics that both have, by a stream that depends on these topics and the seed.
    values = with_holes()
    options: dict[str, Any] = {"statistic": statistic, "resamples": 300}
    together = hb_pairs(values, rng=np.random.default_rng(2), **options)
    for k, (i, j) in enumerate(combinations(range(9), 2)):
        alone = hb_pairs(values[:, [i, j]], rng=np.random.default_rng(2), **options)
        assert together.p[k] == alone.p[0] or np.isnan([together.p[k], alone.p[0]]).all()
        assert together.counts.n[k] == np.count_nonzero(~np.isnan(values[:, [i, j]]).any(axis=1))
        null = hb_null(values[:, i], values[:, j], rng=np.random.default_rng(2), **options)
        assert null.why == together.why.get(k)
        if null.why is None:
            assert together.cutoff is not None
            assert null.p == together.p[k]
            assert null.cutoff() == pytest.approx(together.cutoff[k], rel=1e-9)


def test_pairs_with_the_same_topics_share_their_draws() -> None:
    # Systems 1 and 4 miss the same topics; put the same scores there and the pairs have one result.
    values = with_holes()
    values[:, 4] = values[:, 1]
    result = hb_pairs(values, rng=np.random.default_rng(2))
    at = {pair: k for k, pair in enumerate(combinations(range(9), 2))}
    assert result.p[at[0, 1]] == result.p[at[0, 4]]
    assert result.p[at[1, 2]] == result.p[at[2, 4]]
    # With a topic less in common the draws are others.
    values[30, 4] = np.nan
    other = hb_pairs(values, rng=np.random.default_rng(2))
    assert other.p[at[0, 1]] == result.p[at[0, 1]]
    assert other.p[at[0, 4]] != result.p[at[0, 4]]


def test_missing_topics_are_never_drawn() -> None:
    # The mean of n = 20 of 40 topics: had missing ones been drawn as 0, sums would be over fewer differences.
    values = with_holes()
    x, y = values[:, 0], values[:, 1]
    null = hb_null(x, y, rng=np.random.default_rng(2), resamples=4000)
    z = (x - y)[~np.isnan(y)]
    assert null.n == z.size == 20
    # Under HB the mean has variance (sum of squares) / n^2.
    assert null.values.std() == pytest.approx(np.sqrt((z**2).sum()) / 20, rel=0.05)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, statistic: Statistic, noise: float) -> None:
    values = with_holes() + noise * np.random.default_rng(1).normal(size=(40, 9))
    whole = hb_pairs(values, rng=np.random.default_rng(2), statistic=statistic, resamples=500)
    for width, weights in ((2**10, 64), (2**15, 40 * 192)):
        monkeypatch.setattr(resampling_engine, "SUMS_BYTES", width)
        monkeypatch.setattr(resampling_engine, "WEIGHTS", weights)
        assert same(whole, hb_pairs(values, rng=np.random.default_rng(2), statistic=statistic, resamples=500))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_odd_pairs_have_a_result_or_a_reason(statistic: Statistic) -> None:
    values = np.array(
        [[1.0, 0.1 + 0.2, 0.3, np.nan, 2.0], [2.0, 0.5, 0.5, 2.0, np.nan], [3.0, 0.7, 0.7, np.nan, np.nan]]
    )
    result = hb_pairs(values, rng=np.random.default_rng(1), statistic=statistic, resamples=50)
    at = {pair: k for k, pair in enumerate(combinations(range(5), 2))}
    assert (result.p[at[1, 2]], result.statistic[at[1, 2]]) == (1.0, 0.0)
    assert result.why[at[0, 3]] == "needs two topics that both have, has 1"
    assert result.why[at[3, 4]] == "needs two topics that both have, has none"
    assert np.isnan(result.p[at[0, 3]])
    assert result.method[at[0, 3]] is None
    assert len(hb_pairs(values[:, :1], rng=np.random.default_rng(1), statistic=statistic)) == 0
    assert len(hb_pairs(np.empty((0, 3)), rng=np.random.default_rng(1), statistic=statistic).why) == 3


def test_cutoffs_beside_those_of_mc() -> None:
    # What docs/resampling.md says of 10 topics: as good as MC's for mean, t and w, a quarter wider for the median.
    values = np.random.default_rng(0).normal(size=(10, 30))

    def wider(statistic: Statistic) -> float:
        options: dict[str, Any] = {"statistic": statistic, "resamples": 5000}
        hb = hb_pairs(values, rng=np.random.default_rng(1), **options).cutoff
        mc = mc_pairs(values, rng=np.random.default_rng(1), **options).cutoff
        assert hb is not None
        assert mc is not None
        return float(np.median(hb / mc))

    assert all(0.97 < wider(statistic) < 1.04 for statistic in ("mean", "t", "w"))
    assert 1.15 < wider("median") < 1.35


def test_the_signature_and_the_words() -> None:
    result = hb_pairs([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]], rng=np.random.default_rng(1), statistic="t")
    assert result.signature == "hb|statistic:t|resamples:2000|alpha:0.05|two-sided"
    assert (result.test, result.method) == ("hb", ("bootstrap",))
    assert "hybrid bootstrap" in result.at(0).sentence("A", "B")
    with pytest.raises(UsageError, match="statistic: unknown value"):
        hb_pairs([[1.0, 2.0]], rng=np.random.default_rng(1), statistic="mode")  # type: ignore[arg-type]
