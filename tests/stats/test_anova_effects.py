"""Sizes of interactions: R's model.tables, DUC-2002's printed table, and which cells are large."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.anova import InteractionEffects, interaction_effects, judged
from adjudge.stats.linear.model import Key, LinearFit, fit_linear

DATA = Path(__file__).parent / "data"
CROSSED: list[Key] = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]


@pytest.fixture(scope="module")
def phase2() -> LinearFit:
    frame = pd.read_csv(DATA / "anova_phase2.csv")
    factors = [pd.factorize(frame[name], sort=True)[0] for name in ("assessor", "system", "topic")]
    return fit_linear(frame["value"], factors, CROSSED)


def test_effects_equal_model_tables(phase2: LinearFit) -> None:
    # R 4.2.2, model.tables(aov(...), "effects")$tables$`system:topic`: data/anova.R
    expected = pd.read_csv(DATA / "anova_effects_expected.csv").pivot(
        index="system", columns="topic", values="effect"
    )
    found = interaction_effects(phase2, (1, 2))
    np.testing.assert_allclose(found.table(), expected.to_numpy(), atol=1e-12)


def test_weighted_by_counts_they_sum_to_zero(phase2: LinearFit) -> None:
    for term in ((0, 1), (0, 2), (1, 2)):
        found = interaction_effects(phase2, term)
        for factor in (0, 1):
            sums = np.bincount(found.cells[:, factor], found.effects * found.n)
            assert np.abs(sums).max() < 1e-12


def plain_errors(fit: LinearFit, term: Key) -> FloatArray:
    """Standard errors from dense projections, in plain words of NumPy."""
    model = fit.model

    def projection(keys: list[Key]) -> FloatArray:
        blocks = [np.ones((model.n, 1)), *(np.eye(model.term(k).size)[model.term(k).codes] for k in keys)]
        x = np.hstack(blocks)
        return np.asarray(x @ np.linalg.pinv(x))

    added = projection(list(model.keys)) - projection([key for key in model.keys if key != term])
    cells = np.eye(model.term(term).size)[model.term(term).codes]
    means = cells / cells.sum(axis=0)
    variances = fit.residual_mean_square * np.einsum("ij,ik,kj->j", means, added, means).clip(0)
    return np.asarray(np.sqrt(variances))


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
def test_standard_errors_equal_dense_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    factors = [rng.integers(0, levels, 40) for levels in (3, 4, 2)]
    fit = fit_linear(rng.normal(size=40), factors, CROSSED)
    for term in ((0, 1), (1, 2)):
        found = interaction_effects(fit, term)
        np.testing.assert_allclose(found.standard_errors, plain_errors(fit, term), atol=1e-6)


def test_a_planted_interaction_is_found_and_no_other() -> None:
    rng = np.random.default_rng(1)
    a, b, _ = (x.ravel() for x in np.indices((6, 8, 4)))
    y = rng.normal(size=a.size) + a + b + 6.0 * ((a == 2) & (b == 5))
    found = interaction_effects(fit_linear(y, [a, b], [(0,), (1,), (0, 1)]), (0, 1))
    assert found.cells[found.large].tolist() == [[2, 5]]
    # Balanced: the variance of an effect is sigma^2 (1 - 1/6)(1 - 1/8) / 4.
    fit = fit_linear(y, [a, b], [(0,), (1,), (0, 1)])
    np.testing.assert_allclose(
        found.standard_errors, np.sqrt(fit.residual_mean_square * (5 / 6) * (7 / 8) / 4), rtol=1e-10
    )
    assert found.limit == pytest.approx(stats.t.isf(0.05 / 2 / 48, fit.residual_df), rel=1e-10)


@pytest.mark.slow
def test_chance_alone_makes_a_large_cell_in_about_one_table_of_twenty() -> None:
    rng = np.random.default_rng(2)
    a, b, _ = (x.ravel() for x in np.indices((5, 6, 3)))
    tables = [
        interaction_effects(
            fit_linear(rng.normal(size=a.size), [a, b], [(0,), (1,), (0, 1)]), (0, 1)
        ).large.any()
        for _ in range(400)
    ]
    assert stats.binom.cdf(sum(tables), 400, 0.05) < 0.995  # Bonferroni: no more than 5 %


# Over and Liggett 2002, "Table of interaction sizes for system:docset".
PRINTED = """
16,0.0375,-0.1255,0.0005,0.0366,0.0476,0.0193
19,0.0845,0.0589,-0.1333,-0.1200,0.1243,-0.0173
2,-0.0174,-0.1077,-0.0579,0.0524,0.0253,0.0944
20,-0.0491,0.0646,0.0521,0.0233,-0.0718,-0.0256
24,0.0390,0.0004,0.0222,0.0418,-0.0757,-0.0455
25,-0.0694,0.0916,0.0313,-0.0180,-0.0781,0.0270
26,-0.0026,0.0007,-0.0066,-0.0119,0.0785,-0.0342
28,-0.0496,0.0677,0.0501,-0.0042,-0.0248,-0.0308
29,-0.0051,-0.0084,-0.0502,0.0440,0.0059,-0.0010
3,0.0378,-0.0368,0.1287,-0.0277,-0.0857,-0.0020
MANUAL,-0.0055,-0.0055,-0.0368,-0.0164,0.0543,0.0157
"""
SETS = ["D070", "D071", "D081", "D094", "D099", "D102"]
WEIGHTS = np.array([3, 3, 2, 3, 2, 3])  # assessors of each set
ROUNDING = 0.00005


def printed() -> tuple[list[str], FloatArray]:
    rows = list(csv.reader(PRINTED.split()))
    return [row[0] for row in rows], np.array([[float(cell) for cell in row[1:]] for row in rows])


def test_the_slides_table_has_weighted_sums_of_zero() -> None:
    systems, table = printed()
    assert np.abs(table.sum(axis=0)).max() <= len(systems) * ROUNDING  # every set has all systems alike
    assert np.abs(table @ WEIGHTS).max() <= WEIGHTS.sum() * ROUNDING
    # The sums of a row without weights are not: the check can fail.
    assert np.abs(table.sum(axis=1)).max() > 10 * len(SETS) * ROUNDING
    for wrong in ([2, 3, 3, 3, 2, 3], [3, 3, 3, 3, 3, 3]):
        assert np.abs(table @ np.array(wrong)).max() > np.sum(wrong) * ROUNDING


def slides_effects() -> tuple[list[str], InteractionEffects]:
    """The printed effects, with the largest errors that the design allows them.

    Which assessor judged which set is not printed. Taking out systems and sets leaves a cell of n rows
    (1 - 1/11)(1 - n/16) / n of the noise's variance; taking out the other interactions leaves less.
    """
    systems, table = printed()
    n = np.tile(WEIGHTS, len(systems))
    errors = np.sqrt(0.00175874 * (1 - 1 / 11) * (1 - n / 16) / n)
    cells = np.argwhere(np.isfinite(table))
    return systems, judged((1, 2), cells, n, table.ravel(), errors, 30, alpha=0.05)


def test_the_rule_names_what_the_slide_names() -> None:
    """ "System 19 seems to have largish interactions with D081, 94, and 99." """
    systems, found = slides_effects()
    at = [k for k in range(found.effects.size) if systems[found.cells[k, 0]] == "19"]
    sizes = {SETS[found.cells[k, 1]]: abs(found.effects[k]) / found.standard_errors[k] for k in at}
    assert sorted(sorted(sizes, key=lambda name: -sizes[name])[:3]) == ["D081", "D094", "D099"]
    large = {SETS[found.cells[k, 1]] for k in at if found.large[k]}
    assert {"D081", "D094", "D099"} <= large
    assert "D102" not in large


def test_where_nothing_can_be_told_nothing_is_large() -> None:
    a, b = (x.ravel() for x in np.indices((3, 4)))
    saturated = interaction_effects(fit_linear(np.arange(12.0) ** 2, [a, b], [(0,), (1,), (0, 1)]), (0, 1))
    assert not saturated.large.any()
    assert np.isnan(saturated.limit)
    empty = interaction_effects(fit_linear([], [[], []], [(0,), (1,), (0, 1)]), (0, 1))
    assert empty.effects.size == 0
    assert empty.table().size == 0


def test_a_cell_without_freedom_has_no_error_and_is_never_large() -> None:
    # Assessor 1 judged only topic 0, which nobody else judged: their interaction cannot show.
    assessor = np.array([0, 0, 0, 0, 1, 1])
    topic = np.array([1, 1, 2, 2, 0, 0])
    y = np.array([1.0, 2.0, 4.0, 3.0, 9.0, 8.0])
    found = interaction_effects(fit_linear(y, [assessor, topic], [(0,), (1,), (0, 1)]), (0, 1))
    assert found.standard_errors.tolist() == [0.0, 0.0, 0.0]
    assert not found.large.any()


def test_only_two_way_interactions_of_the_model(phase2: LinearFit) -> None:
    with pytest.raises(UsageError, match="is not a two-way interaction of the model"):
        interaction_effects(phase2, (0,))
    a, b, c, _ = (x.ravel() for x in np.indices((2, 2, 2, 2)))
    fit = fit_linear(np.arange(16.0), [a, b, c], [(0,), (1,), (2,), (0, 1), (0, 1, 2)])
    with pytest.raises(UsageError, match="is within a larger interaction"):
        interaction_effects(fit, (0, 1))
