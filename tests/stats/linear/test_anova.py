"""Analysis of variance: tables, adjusted means, interaction effects, checks of residuals."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear import anova
from adjudge.stats.linear.anova import (
    SHAPIRO_UP_TO,
    AnovaTable,
    InteractionEffects,
    ResidualChecks,
    SumsOfSquares,
    adjusted_means,
    anova_table,
    interaction_effects,
    judged,
    residual_checks,
)
from adjudge.stats.linear.model import Key, LinearFit, fit_linear, fit_two_way

# Analysis of variance: R's tables of three types, and the tables on DUC-2002's slides.


DATA = Path(__file__).parents[1] / "data"
# R 4.2.2, anova(lm(...)) and car 3.1.1, Anova(type = 2 | 3), contr.sum: data/anova.R
EXPECTED = pd.read_csv(DATA / "anova_tables_expected.csv")
MODELS = {
    "phase2": ("phase2", "assessor system topic assessor:system assessor:topic system:topic"),
    "unbalanced": ("unbalanced", "system topic assessor system:topic system:assessor topic:assessor"),
    "holes": ("holes", "system topic"),
    "nested": ("holes", "type system topic"),
}


def fitted(model: str) -> tuple[LinearFit, list[str]]:
    file, text = MODELS[model]
    frame = pd.read_csv(DATA / f"anova_{file}.csv")
    terms = text.split()
    names = [term for term in terms if ":" not in term]
    factors = [pd.factorize(frame[name], sort=True)[0] for name in names]
    keys = [tuple(names.index(name) for name in term.split(":")) for term in terms]
    return fit_linear(frame["value"], factors, keys), terms


@pytest.mark.parametrize(
    ("model", "ss_type"), sorted({*zip(EXPECTED["data"], EXPECTED["type"], strict=True)})
)
def test_tables_equal_r(model: str, ss_type: SumsOfSquares) -> None:
    expected = EXPECTED[(EXPECTED["data"] == model) & (EXPECTED["type"] == ss_type)]
    fit, terms = fitted(model)
    found = anova_table(fit, ss_type=ss_type)
    assert expected["term"].tolist() == [*terms, "Residuals"]
    for row, (_, r) in zip(found.rows, expected.iterrows(), strict=False):
        assert row.df == r["df"]
        assert (row.ss, row.f, row.p) == pytest.approx((r["ss"], r["f"], r["p"]), rel=1e-9)
        assert row.ms == pytest.approx(r["ss"] / r["df"], rel=1e-9)
    left = expected.iloc[-1]
    assert (found.residual_df, found.residual_ss) == pytest.approx((left["df"], left["ss"]), rel=1e-9)


def test_the_types_differ_where_they_should() -> None:
    fit, _ = fitted("unbalanced")
    one, two, three = (anova_table(fit, ss_type=t).rows[0].ss for t in (1, 2, 3))
    assert len({round(each, 4) for each in (one, two, three)}) == 3


def test_the_types_agree_where_the_design_is_balanced() -> None:
    rng = np.random.default_rng(5)
    a, b, _ = (x.ravel() for x in np.indices((4, 3, 2)))
    fit = fit_linear(rng.normal(size=24), [a, b], [(0,), (1,), (0, 1)])
    tables = [anova_table(fit, ss_type=t).rows for t in (1, 2, 3)]
    for rows in zip(*tables, strict=True):
        assert [row.ss for row in rows] == pytest.approx([rows[0].ss] * 3, rel=1e-10)


def test_type_three_says_that_it_needs_every_cell() -> None:
    fit, _ = fitted("phase2")
    rows = anova_table(fit, ss_type=3).rows
    assert {row.why for row in rows[:3]} == {Note.of("empty-cells")}
    assert all(row.why is None for row in rows[3:])  # nothing contains a two-way interaction here


def test_an_aliased_term_keeps_its_line() -> None:
    topic = np.repeat(np.arange(6), 4)
    system = np.tile(np.arange(4), 6)
    y = np.random.default_rng(6).normal(size=24)
    rows = anova_table(fit_linear(y, [topic, topic // 2, system], [(0,), (1,), (2,)])).rows
    assert (rows[1].df, rows[1].ss) == (0, 0.0)
    assert rows[1].why == Note.of("nothing-left")
    assert math.isnan(rows[1].p)
    assert rows[2].df == 3


def test_reasons_stand_in_every_line() -> None:
    for y, why in (([1.0, 1.0, 1.0, 1.0], Note.of("all-the-same")), ([], Note.of("no-scores"))):
        codes = [np.arange(len(y)) // 2, np.arange(len(y)) % 2]
        for ss_type in (1, 2, 3):
            found = anova_table(fit_linear(y, codes, [(0,), (1,)]), ss_type=ss_type)
            assert [row.why for row in found.rows] == [why, why]
    with pytest.raises(UsageError, match="ss_type: expected 1, 2 or 3, got 4"):
        anova_table(fit_two_way([[1.0, 2.0]]), ss_type=4)  # type: ignore[arg-type]


def test_equal_means_have_f_zero() -> None:
    rows = anova_table(fit_linear([0.1, 0.3, 0.1, 0.3], [[0, 0, 1, 1]], [(0,)])).rows
    assert (rows[0].f, rows[0].p) == (0.0, 1.0)


# Over and Liggett 2002, "ANOVA results for multi-doc summaries by length" and "Multiple judgment (Phase 2) study":
# slide, term, df, sum of squares, mean square, F, p as printed ("0" for what rounds to it).
SLIDES = """
200-word,system,10,2.262390,0.2262390,37.67023,0
200-word,doc.set,56,3.300333,0.0589345,9.81297,0
200-word,Residuals,560,3.363235,0.0060058,,
100-word,system,10,2.275274,0.2275274,21.53187,0
100-word,doc.set,56,4.010818,0.0716217,6.77786,0
100-word,Residuals,560,5.917524,0.0105670,,
50-word,system,10,2.960068,0.2960068,19.73176,0
50-word,doc.set,56,5.827342,0.1040597,6.93660,0
50-word,Residuals,560,8.400861,0.0150015,,
10-word,system,6,8.12534,1.354223,32.92919,0.0000
10-word,doc.set,56,3.96627,0.070826,1.72220,0.0019
10-word,Residuals,336,13.81811,0.041125,,
phase-2,assessor,7,0.4790834,0.06844049,38.91456,0.00000000
phase-2,system,10,0.7434290,0.07434290,42.27061,0.00000000
phase-2,doc.set,5,0.1695724,0.03391449,19.28343,0.00000001
phase-2,assessor:system,70,0.3729502,0.00532786,3.02937,0.00061792
phase-2,assessor:doc.set,3,0.0183594,0.00611979,3.47965,0.02797229
phase-2,system:doc.set,50,0.3669116,0.00733823,4.17244,0.00003924
phase-2,Residuals,30,0.0527621,0.00175874,,
"""


def slides() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for row in csv.reader(SLIDES.split()):
        found.setdefault(row[0], []).append(row[1:])
    return found


def slides_table(rows: list[list[str]]) -> AnovaTable:
    df, ss = [int(row[1]) for row in rows], [float(row[2]) for row in rows]
    model = SimpleNamespace(
        keys=[(k,) for k in range(len(rows) - 1)],
        squares_between=lambda small, large: (df[len(small)], ss[len(small)]),
    )
    fit = SimpleNamespace(
        model=model,
        n=sum(df) + 1,
        residual_df=df[-1],
        residual_ss=ss[-1],
        residual_mean_square=ss[-1] / df[-1],
        total_ss=sum(ss),
        why=None,
    )
    return anova_table(cast(LinearFit, fit))


@pytest.mark.parametrize("slide", ["200-word", "100-word", "50-word", "10-word", "phase-2"])
def test_the_slides_follow_from_their_sums_of_squares(slide: str) -> None:
    printed = slides()[slide]
    found = slides_table(printed)
    for row, (_, _, _, ms, f, p) in zip(found.rows, printed, strict=False):
        assert row.ms == pytest.approx(float(ms), rel=2e-5)
        assert row.f == pytest.approx(float(f), rel=2e-5)
        # The 10-word slide has four decimals, cut and not rounded: 0.0019 is 0.00199.
        assert row.p == pytest.approx(float(p), rel=1e-4, abs=1e-4 if slide == "10-word" else 5.1e-9)
    assert found.residual_ms == pytest.approx(float(printed[-1][3]), rel=2e-5)


def test_a_wrong_sum_of_squares_would_be_noticed() -> None:
    rows = slides()["phase-2"]
    rows[0][2] = "0.4791834"  # one digit off
    assert slides_table(rows).rows[0].f != pytest.approx(float(rows[0][4]), rel=2e-5)


def test_the_slides_design_has_the_printed_degrees_of_freedom() -> None:
    # 8 assessors x 11 systems on 6 sets in 16 assessor-set cells: 176 rows.
    fit, _ = fitted("phase2")
    assert fit.n == 176
    assert [row.df for row in anova_table(fit).rows] == [int(row[1]) for row in slides()["phase-2"]][:-1]
    assert fit.residual_df == 30
    # "Manual summaries combined": 11 systems x 57 sets.
    table = anova_table(fit_two_way(np.random.default_rng(7).normal(size=(57, 11))))
    assert ([row.df for row in table.rows], table.residual_df) == ([10, 56], 560)


def test_a_term_is_the_same_whichever_factor_is_named_first() -> None:
    a, b, _ = (x.ravel() for x in np.indices((3, 3, 2)))
    y = np.random.default_rng(8).normal(size=18)
    one = fit_linear(y, [a, b], [(0,), (1,), (0, 1)])
    other = fit_linear(y, [a, b], [(0,), (1,), (1, 0)])
    assert anova_table(one) == anova_table(other)


# Least-squares means: emmeans on unbalanced designs, plain means on complete ones, NaN where there are none.


@pytest.mark.parametrize("name", ["unbalanced", "holes"])
def test_means_and_covariances_equal_emmeans(name: str) -> None:
    # R 4.2.2, emmeans 1.8.4.1, emmeans(model, "system") and its vcov: data/anova.R
    expected = pd.read_csv(DATA / f"anova_means_{name}_expected.csv")
    frame = pd.read_csv(DATA / f"anova_{name}.csv")
    names = ["system", "topic", "assessor"] if name == "unbalanced" else ["system", "topic"]
    terms = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)] if name == "unbalanced" else [(0,), (1,)]
    factors = [pd.factorize(frame[each], sort=True)[0] for each in names]
    found = adjusted_means(fit_linear(frame["value"], factors, terms), 0)
    np.testing.assert_allclose(found.means, expected["mean"], rtol=1e-11)
    np.testing.assert_allclose(found.covariance, expected.iloc[:, 3:], rtol=1e-9)
    assert found.why == {}


def test_complete_tables_have_plain_means() -> None:
    values = np.random.default_rng(1).normal(size=(9, 4))
    fit = fit_two_way(values)
    found = adjusted_means(fit, 0)
    np.testing.assert_allclose(found.means, values.mean(axis=0), atol=1e-13)
    # The difference of two means has variance 2 sigma^2 / topics: what Tukey's test needs.
    v = found.covariance
    assert v[0, 0] + v[1, 1] - 2 * v[0, 1] == pytest.approx(2 * fit.residual_mean_square / 9)
    assert (found.residual_df, found.residual_mean_square) == (fit.residual_df, fit.residual_mean_square)
    np.testing.assert_array_equal(found.n, [9] * 4)


def test_a_system_that_met_easy_topics_is_brought_down() -> None:
    # By hand: topics are 0, 1, 2, 3; systems a = +0, b = +1; b lacks the two hard ones.
    values = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, np.nan], [3.0, np.nan]])
    np.testing.assert_allclose(adjusted_means(fit_two_way(values), 0).means, [1.5, 2.5], atol=1e-12)


def test_what_cannot_be_estimated_is_nan_and_says_why() -> None:
    hole = np.nan
    apart = np.array([[1, 2, hole, hole], [2, 2, hole, hole], [hole, hole, 1, 3], [hole, hole, 2, 1]])
    alone = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0], [np.nan, 2.0]])
    for values in (apart, alone):  # two pairs of systems without a common topic; every topic with one system
        found = adjusted_means(fit_two_way(values), 0)
        assert np.isnan(found.means).all()
        assert set(found.why.values()) == {Note.of("level-not-apart")}
    empty = np.array([[1.0, np.nan, 2.0], [2.0, np.nan, 2.5], [1.0, np.nan, 4.0]])
    found = adjusted_means(fit_two_way(empty), 0)
    assert found.why == {1: Note.of("level-without-scores")}
    np.testing.assert_array_equal(np.isnan(found.means), [False, True, False])
    assert np.isnan(found.covariance[1]).all()
    assert found.n.tolist() == [3, 0, 3]
    assert adjusted_means(fit_two_way(np.full((2, 2), np.nan)), 0).why == dict.fromkeys(
        (0, 1), Note.of("level-without-scores")
    )


def test_a_factor_that_others_say_already_changes_nothing() -> None:
    # Topics 0 to 5 are of types 0, 0, 1, 1, 1, 1: the systems' means are over topics, whatever their types.
    rng = np.random.default_rng(2)
    topic, system = (x.ravel() for x in np.indices((6, 3)))
    kind = np.array([0, 0, 1, 1, 1, 1])[topic]
    y = rng.normal(size=18)
    fit = fit_linear(y, [kind, system, topic], [(0,), (1,), (2,)])
    np.testing.assert_allclose(
        adjusted_means(fit, 1).means, [y[system == s].mean() for s in range(3)], atol=1e-12
    )
    assert np.isnan(adjusted_means(fit, 0).means).all()  # no topic is of both types
    without = fit_linear(y, [kind, system], [(0,), (1,)])
    means = [y[kind == 0].mean(), y[kind == 1].mean()]
    np.testing.assert_allclose(adjusted_means(without, 0).means, means, atol=1e-12)


def test_an_empty_cell_of_an_interaction_leaves_its_levels_without_a_mean() -> None:
    rng = np.random.default_rng(3)
    a, b, _ = (x.ravel() for x in np.indices((3, 3, 3)))
    y = rng.normal(size=27)
    y[(a == 0) & (b == 0)] = np.nan
    found = adjusted_means(fit_linear(y, [a, b], [(0,), (1,), (0, 1)]), 0)
    np.testing.assert_array_equal(np.isnan(found.means), [True, False, False])
    cells = [[np.nanmean(y[(a == i) & (b == j)]) for j in range(3)] for i in (1, 2)]
    np.testing.assert_allclose(found.means[1:], np.mean(cells, axis=1), atol=1e-12)


def test_a_systems_kind_goes_along() -> None:
    values = np.random.default_rng(4).normal(size=(7, 4))
    values[0, 1] = np.nan
    topic, system = (x.ravel() for x in np.indices(values.shape))
    both = fit_linear(values.ravel(), [system // 2, system, topic], [(0,), (1,), (2,)])
    np.testing.assert_allclose(adjusted_means(both, 1).means, adjusted_means(fit_two_way(values), 0).means)


def test_a_factor_must_be_there() -> None:
    codes = np.array([0, 0, 1, 1])
    with pytest.raises(UsageError, match="factor: 1 is in no term of the model"):
        adjusted_means(fit_linear([1.0, 2.0, 3.0, 5.0], [codes, codes], [(0,)]), 1)
    with pytest.raises(UsageError, match="factor: 2 is none of the 2 factors"):
        adjusted_means(fit_two_way(np.ones((2, 2))), 2)


# Sizes of interactions: R's model.tables, DUC-2002's printed table, and which cells are large.


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
@examples(30)
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


# Checks of residuals: R's values, Tukey's own formula, and words for what cannot be checked.


def two_way(values: FloatArray) -> ResidualChecks:
    values = np.asarray(values, dtype=float)
    return residual_checks(
        fit_two_way(values), np.indices(values.shape)[1].ravel(), rng=np.random.default_rng(0)
    )


def noise(shape: tuple[int, int], seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).normal(size=shape)


def test_checks_equal_r() -> None:
    # R 4.2.2, shapiro.test; car 3.1.1, leveneTest(center = median), outlierTest; anova(model, update(model,
    # . ~ . + I(fitted^2))); rstandard: data/anova.R
    r = pd.read_csv(DATA / "anova_residuals_expected.csv").set_index("what")["value"]
    frame = pd.read_csv(DATA / "anova_holes.csv")
    factors = [pd.factorize(frame[name], sort=True)[0] for name in ("system", "topic")]
    found = residual_checks(
        fit_linear(frame["value"], factors, [(0,), (1,)]), factors[0], rng=np.random.default_rng(0)
    )
    assert (found.normal.statistic, found.normal.p) == pytest.approx((r["W"], r["W.p"]), rel=1e-6)
    assert (found.spread.statistic, found.spread.p) == pytest.approx((r["levene.F"], r["levene.p"]), rel=1e-9)
    assert found.spread.df == (5, 53)
    assert (found.additive.statistic, found.additive.p) == pytest.approx(
        (r["tukey.F"], r["tukey.p"]), rel=1e-9
    )
    assert found.additive.df == (1, 41)
    assert (found.largest[:3] + 1).tolist() == [r["row1"], r["row2"], r["row3"]]
    assert found.standardised[:3] == pytest.approx([r[f"rstandard{k}"] for k in (1, 2, 3)], rel=1e-9)
    assert found.outlier_p[0] == pytest.approx(r["outlier.p"], rel=1e-9)


def test_moments_equal_scipy() -> None:
    values = noise((30, 5)) ** 2
    found = two_way(values)
    left = fit_two_way(values).residuals
    assert found.skewness == pytest.approx(stats.skew(left))
    assert found.kurtosis == pytest.approx(stats.kurtosis(left))


def tukeys_own(values: FloatArray) -> float:
    """Tukey 1949: the sum of squares for non-additivity of a complete two-way table."""
    rows = values.mean(axis=1) - values.mean()
    columns = values.mean(axis=0) - values.mean()
    return float((rows @ values @ columns) ** 2 / (np.sum(rows**2) * np.sum(columns**2)))


def test_non_additivity_is_tukeys_formula_on_complete_tables() -> None:
    values = noise((12, 5), 2) + noise((12, 1), 3) + np.arange(5)
    fit = fit_two_way(values)
    ss, df = tukeys_own(values), fit.residual_df - 1
    f = ss / ((fit.residual_ss - ss) / df)
    found = two_way(values)
    assert found.additive.statistic == pytest.approx(f, rel=1e-9)
    assert found.additive.p == pytest.approx(stats.f.sf(f, 1, df), rel=1e-9)


def test_scores_that_multiply_are_noticed_and_those_that_add_are_not() -> None:
    rng = np.random.default_rng(4)
    topics, systems = rng.uniform(1, 3, (30, 1)), rng.uniform(1, 3, 6)
    blur = 0.1 * noise((30, 6), 5)
    assert two_way(topics * systems + blur).additive.p < 1e-6
    assert two_way(topics + systems + blur).additive.p > 0.05


def test_unequal_spread_is_noticed() -> None:
    values = noise((40, 6)) * np.array([1, 1, 1, 1, 1, 6])
    found = two_way(values)
    assert found.spread.p < 0.001


def test_an_outlier_is_named_first() -> None:
    values = noise((20, 5))
    values[7, 3] += 9
    found = two_way(values)
    assert found.largest[0] == 7 * 5 + 3
    assert found.outlier_p[0] < 0.001


def test_many_rows_are_tested_by_their_moments() -> None:
    values = noise((SHAPIRO_UP_TO // 5 + 1, 5))
    found = two_way(values)
    left = fit_two_way(values).residuals
    assert found.normal.name == "dagostino-pearson"
    assert (found.normal.statistic, found.normal.p) == pytest.approx(tuple(stats.normaltest(left)))
    assert not two_way(values**2).normal.passed(0.05)


def test_missing_rows_do_not_shift_the_names() -> None:
    values = noise((20, 5))
    values[7, 3] += 9
    values[0, :3] = np.nan
    assert two_way(values).largest[0] == 7 * 5 + 3


def test_two_systems_mirror_each_other() -> None:
    found = two_way(noise((12, 2)))
    assert found.spread.why == Note.of("mirrored")
    assert found.normal.why is None


def test_with_interactions_spread_needs_many_free_rows() -> None:
    a, b, c, _ = (x.ravel() for x in np.indices((4, 5, 2, 8)))
    terms = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    y = np.random.default_rng(6).normal(size=a.size)
    assert (
        residual_checks(fit_linear(y, [a, b, c], terms), a, rng=np.random.default_rng(0)).spread.why is None
    )
    few = np.arange(a.size) % 8 < 1
    found = residual_checks(
        fit_linear(y[few], [a[few], b[few], c[few]], terms), a[few], rng=np.random.default_rng(0)
    )
    assert found.spread.why == Note.of("freedom-of-rows", df=12, n=40)
    assert found.additive.why == Note.of("has-interactions")


def test_what_cannot_be_checked_says_why() -> None:
    for values in (np.ones((3, 3)), np.zeros((1, 4)), np.full((2, 2), np.nan)):
        found = two_way(values)
        assert found.largest.size == 0
        assert all(c.why for c in (found.normal, found.spread, found.additive))
        assert math.isnan(found.skewness)
    small = residual_checks(
        fit_linear([1.0, 2.0, 4.0], [[0, 0, 0]], []), [0, 0, 0], rng=np.random.default_rng(0)
    )
    assert small.normal.why == Note.of("few-rows", needs=4, n=3)
    assert small.spread.why == Note.of("few-groups")
    assert small.additive.why == Note.of("square-adds-nothing")


def test_very_large_models_look_at_the_largest_residuals(monkeypatch: pytest.MonkeyPatch) -> None:
    values = noise((30, 8), 7)
    values[11, 2] += 5
    values[0, 5:] = np.nan
    whole = two_way(values)
    monkeypatch.setattr(anova, "MOST_WORK", 0)
    monkeypatch.setattr(anova, "CANDIDATES", 60)
    some = two_way(values)
    np.testing.assert_array_equal(some.largest, whole.largest)
    np.testing.assert_allclose(some.standardised, whole.standardised, rtol=1e-10)
    np.testing.assert_allclose(some.outlier_p, whole.outlier_p, rtol=1e-9)


def test_a_row_alone_in_its_cell_is_no_outlier() -> None:
    # The last topic was seen by one system only: the model fits that score whatever it is.
    values = noise((10, 4))
    values[9] = [100.0, np.nan, np.nan, np.nan]
    found = two_way(values)
    assert 36 not in found.largest.tolist()
    assert np.isfinite(found.standardised).all()
