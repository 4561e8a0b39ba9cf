"""Linear models on factors: fits equal dense least squares on any design, and closed forms on large ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear import model as linear_model
from adjudge.stats.linear.anova import anova_table
from adjudge.stats.linear.model import Key, LinearFit, fit_linear, fit_two_way

Design = tuple[FloatArray, list[IntArray], list[Key]]
TERMS: list[Key] = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Any three factors, with empty cells, aliased and nested ones, and any of their terms in any order."""
    n = draw(st.integers(1, 24))
    factors = [
        np.array(
            draw(st.lists(st.integers(0, draw(st.integers(0, 4))), min_size=n, max_size=n)), dtype=np.int64
        )
        for _ in range(3)
    ]
    terms = draw(st.lists(st.sampled_from(TERMS), unique=True, max_size=6))
    seed = draw(st.integers(0, 1000))
    return np.random.default_rng(seed).normal(size=n), factors, terms


def columns(factors: list[IntArray], terms: list[Key]) -> FloatArray:
    """The plain way: an indicator for every cell of every term."""
    n = factors[0].size
    blocks = [np.ones((n, 1))]
    for term in terms:
        _, codes = np.unique(np.column_stack([factors[f] for f in term]), axis=0, return_inverse=True)
        blocks.append(np.eye(codes.max() + 1)[codes.ravel()])
    return np.hstack(blocks)


def hat(x: FloatArray) -> FloatArray:
    return np.asarray(x @ np.linalg.pinv(x))


@given(designs())
@settings(deadline=None)
def test_fits_equal_dense_least_squares(design: Design) -> None:
    y, factors, terms = design
    found = fit_linear(y, factors, terms)
    x = columns(factors, terms)
    assert found.rank == np.linalg.matrix_rank(x)
    assert found.residual_df == y.size - found.rank
    np.testing.assert_allclose(found.fitted, hat(x) @ y, atol=1e-11)
    np.testing.assert_allclose(found.space.leverages(), hat(x).diagonal(), atol=1e-11)
    assert found.residual_ss == pytest.approx(float(np.sum((y - hat(x) @ y) ** 2)), abs=1e-11)


@given(designs())
@settings(deadline=None)
def test_sequential_and_marginal_sums_equal_dense_ones(design: Design) -> None:
    y, factors, terms = design

    def rss(kept: list[Key]) -> float:
        return float(np.sum((y - hat(columns(factors, kept)) @ y) ** 2))

    fit = fit_linear(y, factors, terms)
    for k, row in enumerate(anova_table(fit).rows):
        assert row.ss == pytest.approx(rss(terms[:k]) - rss(terms[: k + 1]), abs=1e-10)

    # A term contains another also where its cells lie within the other's: topics contain their types.
    def cells(*keys: Key) -> int:
        together = [factors[f] for key in keys for f in key]
        return int(np.unique(np.column_stack(together), axis=0).shape[0])

    def contains(fine: Key, coarse: Key) -> bool:
        nested = cells(coarse) < cells(fine) == cells(fine, coarse)
        return nested or set(coarse) < set(fine)

    for row in anova_table(fit, ss_type=2).rows:
        rest = [key for key in terms if key != row.term and not contains(key, row.term)]
        assert row.ss == pytest.approx(rss(rest) - rss([*rest, row.term]), abs=1e-10)


def closed_form(values: FloatArray) -> tuple[float, float, float]:
    """Sums of squares of a complete two-way table: columns, rows, residuals."""
    mean, rows, cols = values.mean(), values.mean(axis=1), values.mean(axis=0)
    left = values - rows[:, None] - cols + mean
    return (
        float(np.sum((cols - mean) ** 2) * rows.size),
        float(np.sum((rows - mean) ** 2) * cols.size),
        float(np.sum(left**2)),
    )


@pytest.mark.parametrize("shape", [(2, 2), (57, 11), (1000, 500)])
def test_complete_tables_equal_the_closed_form(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    values = 0.3 + rng.normal(size=shape) + rng.normal(size=(shape[0], 1)) + 0.1 * rng.normal(size=shape[1])
    fit = fit_two_way(values)
    systems, topics = anova_table(fit).rows
    assert (systems.ss, topics.ss, fit.residual_ss) == pytest.approx(closed_form(values), rel=1e-11)
    assert (systems.df, topics.df) == (shape[1] - 1, shape[0] - 1)
    assert fit.residual_df == systems.df * topics.df


def test_a_large_unbalanced_table_leaves_residuals_orthogonal_to_every_effect() -> None:
    # Half of 500 x 1,000: far too large for a dense design; orthogonality is what makes a projection.
    rng = np.random.default_rng(2)
    values = rng.normal(size=(1000, 500)) + rng.normal(size=(1000, 1))
    values[rng.random(values.shape) < 0.5] = np.nan
    fit = fit_two_way(values)
    left = fit.residuals.reshape(values.shape)
    assert np.abs(np.nansum(left, axis=0)).max() < 1e-10
    assert np.abs(np.nansum(left, axis=1)).max() < 1e-10
    assert fit.residual_df == fit.n - 1499
    assert fit.space.leverages().sum() == pytest.approx(1499, rel=1e-10)


def test_blocks_give_what_one_block_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(40, 12))
    values[rng.random(values.shape) < 0.3] = np.nan
    whole = fit_two_way(values)
    monkeypatch.setattr(linear_model, "BLOCK", 50)
    for density in (0.0, 2.0):  # always dense, always sparse
        monkeypatch.setattr(linear_model, "DENSE", density)
        parts = fit_two_way(values)
        np.testing.assert_allclose(parts.fitted, whole.fitted, rtol=1e-12)
        np.testing.assert_allclose(parts.space.leverages(), whole.space.leverages(), rtol=1e-12)


def test_a_long_chain_of_topics_hangs_together() -> None:
    # System k and its neighbour share one topic: the worst case for telling what is aliased.
    size = 800
    values = np.full((size, size), np.nan)
    values[np.arange(size), np.arange(size)] = np.arange(size) % 7
    values[np.arange(size - 1), np.arange(1, size)] = np.arange(size - 1) % 5
    assert fit_two_way(values).rank == 2 * size - 1
    values[300, 301] = np.nan  # the chain breaks
    fit = fit_two_way(values)
    assert (fit.rank, fit.residual_df) == (2 * size - 2, 0)


def test_a_large_centre_costs_no_digits() -> None:
    rng = np.random.default_rng(4)
    values = np.round(rng.normal(size=(20, 6)), 3)
    values[3, 2] = np.nan
    near, far = anova_table(fit_two_way(values)), anova_table(fit_two_way(values + 4096.0))
    for a, b in zip(near.rows, far.rows, strict=True):
        assert b.ss == pytest.approx(a.ss, rel=1e-9)


def test_missing_scores_are_left_out_and_stay_in_place() -> None:
    y = np.array([1.0, np.nan, 3.0, 5.0, np.nan])
    fit = fit_linear(y, [np.array([0, 0, 1, 1, 2])], [(0,)])
    assert fit.n == 3
    np.testing.assert_array_equal(fit.fitted, [1.0, np.nan, 4.0, 4.0, np.nan])
    np.testing.assert_array_equal(fit.residuals, [0.0, np.nan, -1.0, 1.0, np.nan])


def why(fit: LinearFit) -> str | None:
    assert np.isnan(fit.residual_mean_square) or fit.residual_mean_square == 0
    return None if fit.why is None else fit.why.code


def test_what_cannot_be_told_says_why() -> None:
    one = np.array([0, 0, 1, 1])
    assert why(fit_linear([], [[]], [(0,)])) == "no-scores"
    assert why(fit_linear([np.nan] * 4, [one], [(0,)])) == "no-scores"
    assert why(fit_linear([0.3] * 4, [one], [(0,)])) == "all-the-same"
    assert why(fit_linear([0.1 + 0.2, 0.3, 0.3, 0.3], [one], [(0,)])) == "all-the-same"
    assert why(fit_linear([1.0, 2.0], [[0, 1]], [(0,)])) == "no-freedom"
    exact = fit_linear([0.1, 0.1, 0.7, 0.7], [one], [(0,)])
    assert why(exact) == "exact-fit"


@pytest.mark.parametrize(
    ("factors", "terms", "message"),
    [
        ([[0, 1]], [(0,)], r"factors\[0\]: expected 3 whole numbers"),
        ([[0.0, 1.0, 2.0]], [(0,)], "whole numbers"),
        ([[0, -1, 2]], [(0,)], "-1 is not a level"),
        ([[0, 1, 2]], [(1,)], "does not name different factors among 1"),
        ([[0, 1, 2]], [(0, 0)], "does not name different factors"),
        ([[0, 1, 2]], [()], "does not name different factors"),
        ([[0, 1, 2]], [(0,), (0,)], "a term is there twice"),
    ],
)
def test_mistakes_are_named(factors: list[list[int]], terms: list[Key], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        fit_linear([1.0, 2.0, 3.0], factors, terms)


def test_a_model_that_would_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_model, "MOST_COLUMNS", 5)
    with pytest.raises(UsageError, match="6 columns beside its largest term, at most 5"):
        fit_two_way(np.random.default_rng(0).normal(size=(9, 6)))
