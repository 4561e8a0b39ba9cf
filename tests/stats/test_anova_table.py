"""Analysis of variance: R's tables of three types, and the tables on DUC-2002's slides."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adjudge.errors import UsageError
from adjudge.stats.linear.anova import AnovaTable, SumsOfSquares, anova_table, table_of_sums
from adjudge.stats.linear.model import LinearFit, fit_linear, fit_two_way

DATA = Path(__file__).parent / "data"
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
    assert {row.why for row in rows[:3]} == {
        "some cells are empty, so unweighted means cannot be compared: use type II"
    }
    assert all(row.why is None for row in rows[3:])  # nothing contains a two-way interaction here


def test_an_aliased_term_keeps_its_line() -> None:
    topic = np.repeat(np.arange(6), 4)
    system = np.tile(np.arange(4), 6)
    y = np.random.default_rng(6).normal(size=24)
    rows = anova_table(fit_linear(y, [topic, topic // 2, system], [(0,), (1,), (2,)])).rows
    assert (rows[1].df, rows[1].ss) == (0, 0.0)
    assert rows[1].why == "nothing is left of it after the other terms"
    assert math.isnan(rows[1].p)
    assert rows[2].df == 3


def test_reasons_stand_in_every_line() -> None:
    for y, why in (([1.0, 1.0, 1.0, 1.0], "all scores are the same"), ([], "there are no scores")):
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
    return table_of_sums(df[:-1], ss[:-1], df[-1], ss[-1])


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


def test_printed_sums_must_be_sums() -> None:
    with pytest.raises(UsageError, match="ss: expected 2 numbers, none below 0"):
        table_of_sums([1, 2], [1.0], 3, 1.0)
    assert table_of_sums([1], [1.0], 0, 0.0).rows[0].why == "there is no noise to compare with"


def test_a_term_is_the_same_whichever_factor_is_named_first() -> None:
    a, b, _ = (x.ravel() for x in np.indices((3, 3, 2)))
    y = np.random.default_rng(8).normal(size=18)
    one = fit_linear(y, [a, b], [(0,), (1,), (0, 1)])
    other = fit_linear(y, [a, b], [(0,), (1,), (1, 0)])
    assert anova_table(one) == anova_table(other)
