"""Do differences between columns depend on the slice: against SciPy, plain loops, and a known level."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from adjudge.stats.slices import slice_interaction


def made(rows: int, columns: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 1)) * 3 + rng.normal(size=(1, columns)) + rng.normal(size=(rows, columns))


def test_two_columns_are_a_one_way_analysis_of_their_difference() -> None:
    """SciPy's exact permutation test of F, of the differences in three slices."""
    values, labels = made(8, 2, 1), np.array([0, 0, 0, 1, 1, 1, 2, 2])
    d = values[:, 0] - values[:, 1]
    expected = stats.permutation_test(
        [d[labels == k] for k in range(3)],
        lambda *some: stats.f_oneway(*some).statistic,
        permutation_type="independent",
        alternative="greater",
        n_resamples=np.inf,
    )
    found = slice_interaction(values, labels, rng=np.random.default_rng(0))
    assert found.exact
    assert found.p == pytest.approx(expected.pvalue)
    sums = pd.Series(d).groupby(labels).agg(["mean", "size"])
    between = (sums["size"] * (sums["mean"] - d.mean()) ** 2).sum()
    assert found.share == pytest.approx(between / ((d - d.mean()) ** 2).sum())


def test_means_are_those_of_pandas() -> None:
    values, labels = made(9, 4, 2), np.array([0, 1, 2] * 3)
    frame = pd.DataFrame(values)
    centred = frame.sub(frame.mean(axis=1), axis=0)
    found = slice_interaction(values, labels, rng=np.random.default_rng(0), resamples=199)
    np.testing.assert_allclose(found.inside, centred.groupby(labels).mean())
    for k in range(3):
        np.testing.assert_allclose(found.outside[k], centred[labels != k].mean())
    assert found.n.tolist() == [3, 3, 3]


def test_blocks_are_permuted_within() -> None:
    """Every topic at both lengths: all 2^5 exchanges, in plain loops."""
    values, labels, blocks = made(10, 3, 3), np.array([0, 1] * 5), np.repeat(np.arange(5), 2)
    profiles = values - values.mean(axis=1, keepdims=True)
    d = np.array([profiles[2 * b] - profiles[2 * b + 1] for b in range(5)])
    observed = ((d.mean(axis=0)) ** 2).sum()
    null = [((np.array(s)[:, None] * d).mean(axis=0) ** 2).sum() for s in product([1, -1], repeat=5)]
    found = slice_interaction(values, labels, blocks=blocks, rng=np.random.default_rng(0))
    assert found.exact
    assert found.p == pytest.approx(np.mean(np.array(null) >= observed * (1 - 1e-9)))
    assert found.smallest == pytest.approx(2 / 32)


def test_what_is_drawn_agrees_with_what_is_listed() -> None:
    values, labels = made(9, 3, 4), np.array([0] * 3 + [1] * 3 + [2] * 3)
    every = slice_interaction(values, labels, rng=np.random.default_rng(0), resamples=2000)
    drawn = slice_interaction(values, labels, rng=np.random.default_rng(0), resamples=1600)
    assert every.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(every.p, abs=0.04)
    np.testing.assert_allclose(drawn.p_cells, every.p_cells, atol=0.05)
    assert every.smallest >= math.factorial(3) / 1680 - 1e-12


def test_corrected_cells_are_those_of_plain_loops() -> None:
    values, labels = made(6, 3, 5), np.array([0, 0, 0, 1, 1, 1])
    profiles = values - values.mean(axis=1, keepdims=True)
    scale = profiles.std(axis=0, ddof=1)

    def z(some: np.ndarray) -> np.ndarray:
        return np.array(
            [(profiles[some == k].mean(axis=0) - profiles[some != k].mean(axis=0)) / scale for k in (0, 1)]
        )

    orders = set(permutations(labels.tolist()))
    most = np.array([np.abs(z(np.array(each))).max() for each in orders])
    expected = np.array([[np.mean(most >= abs(cell) * (1 - 1e-9)) for cell in row] for row in z(labels)])
    found = slice_interaction(values, labels, rng=np.random.default_rng(0))
    np.testing.assert_allclose(found.p_cells, expected)


def test_what_cannot_be_tested_says_why() -> None:
    rng = np.random.default_rng(0)
    labels = np.array([0, 0, 1, 1])
    same = np.tile([1.0, 2.0], (4, 1)) + np.arange(4.0)[:, None]
    assert slice_interaction(same, labels, rng=rng).why == "all-the-same"
    assert slice_interaction(made(4, 1, 0), labels, rng=rng).why == "one-column"
    assert slice_interaction(made(4, 2, 0), np.zeros(4, dtype=int), rng=rng).why == "one-slice"
    assert slice_interaction(made(4, 2, 0), np.arange(4), rng=rng).why == "one-row-each"


def rejected(
    simulations: int, *, effect: float = 0.0, blocks: bool = False, tails: bool = False, seed: int = 0
) -> float:
    """How often the test finds something, at .05."""
    rng = np.random.default_rng(seed)
    labels = np.array([0] * 10 + [1] * 6 + [2] * 8) if not blocks else np.array([0, 1] * 10)
    found = 0
    for _ in range(simulations):
        shape = (len(labels), 4)
        noise = rng.standard_t(3, size=shape) if tails else rng.normal(size=shape)
        values = (
            noise * np.array([1.0, 0.5, 2.0, 1.0]) + rng.normal(size=4) + 2 * rng.normal(size=(shape[0], 1))
        )
        topics = np.repeat(np.arange(10), 2) if blocks else None
        if topics is not None:
            values = values + rng.normal(size=(10, 4))[topics]
        values[labels == 1, 0] += effect
        p = slice_interaction(values, labels, blocks=topics, rng=rng, resamples=199).p
        found += p <= 0.05
    return found / simulations


def test_the_level_is_kept_and_an_effect_is_found() -> None:
    assert rejected(300) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)
    assert rejected(60, effect=3.0) > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("tails", [False, True])
def test_the_level_is_five_percent(blocks: bool, tails: bool) -> None:
    """Columns of different variances, topics of different levels, heavy tails."""
    rate = rejected(4000, blocks=blocks, tails=tails, seed=7)
    assert abs(rate - 0.05) <= 3 * math.sqrt(0.05 * 0.95 / 4000)
