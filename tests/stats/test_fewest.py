"""How few rows decide which column comes first: against every subset of rows, and against closed forms."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.stats.checks import FloatArray
from adjudge.stats.fewest import (
    ALONE,
    APART,
    NEVER,
    ONE_ROW,
    TOO_LARGE,
    Fewest,
    fewest_rows,
    leaders,
    ranking_means,
)
from adjudge.stats.linear.model import fit_additive

SEEDS = st.integers(0, 2**32 - 1)


def ranked(values: FloatArray) -> set[int] | None:
    """Who comes first; None where a column has no score, or nothing joins all."""
    if np.isnan(values).all(axis=0).any():
        return None
    means, adjusted = ranking_means(values)
    return None if adjusted is None else set(leaders(means).tolist())


def least(values: FloatArray) -> int | None:
    """The plain twin: every set of rows, the smallest ones first."""
    first = ranked(values)
    assert first is not None
    for n in range(1, len(values)):
        for rows in combinations(range(len(values)), n):
            now = ranked(np.delete(values, rows, axis=0))
            if now is not None and first - now:
                return n
    return None


def falls(values: FloatArray, fewest: Fewest) -> bool:
    """Whether one that came first does not without the rows, and those that are named do."""
    now = ranked(np.delete(values, fewest.left_out, axis=0))
    return now == set(fewest.then) and bool(set(fewest.first) - now)


@examples(200)
@given(SEEDS, st.integers(2, 8), st.integers(2, 5), st.booleans())
def test_of_complete_scores_it_is_the_least_of_all_subsets(
    seed: int, rows: int, columns: int, whole: bool
) -> None:
    rng = np.random.default_rng(seed)
    # Whole numbers tie, also on first place.
    values = rng.integers(0, 5, (rows, columns)).astype(float) if whole else rng.normal(size=(rows, columns))
    fewest, n = fewest_rows(values), least(values)
    assert set(fewest.first) == ranked(values)
    if n is None:
        assert fewest.why == NEVER
        assert fewest.left_out == fewest.then == ()
    else:
        assert len(fewest.left_out) == n
        assert fewest.exact
        assert falls(values, fewest)


@examples(90)
@given(SEEDS, st.integers(3, 8), st.integers(2, 4))
def test_with_holes_no_more_is_claimed_than_holds(seed: int, rows: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, columns)) + np.linspace(0.8, 0, columns)
    values[rng.random((rows, columns)) < 0.2] = np.nan
    if ranked(values) is None:
        return
    fewest = fewest_rows(values)
    if fewest.left_out:
        n = least(values)
        assert n is not None
        assert falls(values, fewest)
        assert len(fewest.left_out) >= n
        if fewest.exact:
            assert len(fewest.left_out) == n


def test_with_holes_it_is_mostly_the_least() -> None:
    rng = np.random.default_rng(1)
    same = total = 0
    for _ in range(60):
        values = np.array([0.8, 0.4, 0]) + rng.normal(size=(7, 3))
        values[rng.random(values.shape) < 0.15] = np.nan
        if ranked(values) is not None and (n := least(values)) is not None:
            total += 1
            same += len(fewest_rows(values).left_out) == n
    assert same >= 0.9 * total > 40


def test_closed_forms() -> None:
    # The leader wins a rows by 1 and loses b by 1: a - b + 1 of those that it wins.
    values = np.array([[1.0, 0.0]] * 7 + [[0.0, 1.0]] * 3)
    fewest = fewest_rows(values)
    assert (fewest.left_out, fewest.then, fewest.exact) == ((0, 1, 2, 3, 4), (1,), True)
    assert fewest.share == 0.5
    # One row decides: it alone is the leader's.
    values = np.array([[5.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert fewest_rows(values).left_out == (0,)
    # The third column is further behind than the second, and overtakes with fewer rows.
    values = np.array([[9.0, 8.0, 0.0], [1.0, 0.0, 2.0], [1.0, 0.9, 2.0]])
    assert fewest_rows(values).left_out == (0,)
    assert fewest_rows(values).then == (2,)


def test_the_fewest_by_hand_where_a_cell_is_missing() -> None:
    # Column 1 has no score on the row that column 0 wins by most, which therefore is not in their comparison.
    values = np.array(
        [[9.0, np.nan, 8.0], [2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [4.0, 2.0, 0.0], [2.0, 2.0, 1.0]]
    )
    means = fit_additive(values).means
    assert int(np.argmax(means)) == 0
    fewest = fewest_rows(values)
    assert len(fewest.left_out) == least(values)
    assert fewest.then == (1,)


def test_where_columns_share_first_place_one_that_breaks_the_tie_is_enough() -> None:
    values = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    fewest = fewest_rows(values)
    assert fewest.first == (0, 1)
    assert len(fewest.left_out) == 1
    assert len(fewest.then) == 1
    same = np.array([[2.0, 2.0, 1.0], [3.0, 3.0, 1.0]])
    assert (fewest_rows(same).first, fewest_rows(same).why) == ((0, 1), NEVER)


def test_rounding_decides_nothing() -> None:
    # .1 + .2 - .3 is not 0: the two columns tie without the first row, which is no overtaking.
    values = np.array([[1.0, 0.0], [0.1, 0.3], [0.2, 0.0]])
    fewest = fewest_rows(values)
    assert fewest.left_out != (0,)
    assert len(fewest.left_out) == least(values) == 2


def test_what_has_no_answer_says_why() -> None:
    assert fewest_rows(np.array([[1.0], [2.0]])).why == ALONE
    assert fewest_rows(np.array([[1.0, 2.0]])).why == ONE_ROW
    assert fewest_rows(np.array([[1.0, 0.0], [1.0, 1.0]])).why == NEVER
    assert fewest_rows(np.array([[1.0, np.nan], [np.nan, 2.0]])).why == APART
    assert fewest_rows(np.zeros((4, 3))).why == NEVER
    holes = np.random.default_rng(0).normal(size=(50, 900))
    holes[0, 0] = np.nan
    assert fewest_rows(holes).why == TOO_LARGE


def test_rows_without_scores_are_none() -> None:
    values = np.array([[np.nan, np.nan], [5.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    fewest = fewest_rows(values)
    assert (fewest.of, fewest.left_out, fewest.exact) == (3, (1,), True)


def test_a_ranking_of_the_callers_decides_and_is_asked_no_more_often_than_allowed() -> None:
    values = np.array([0.6, 0.3, 0]) + np.random.default_rng(2).normal(size=(20, 3))
    asked = 0

    def ranking(kept: np.ndarray) -> FloatArray:
        nonlocal asked
        asked += 1
        return np.asarray(values[kept].mean(axis=0))

    fewest = fewest_rows(values, ranking=ranking, refits=60)
    assert asked <= 61  # who comes first with all is asked before
    assert falls(values, fewest)
    assert len(fewest.left_out) >= len(fewest_rows(values).left_out)
    asked = 0
    fewest_rows(values, ranking=ranking, refits=3)
    assert asked <= 4


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_unit_of_scores_changes_nothing(scale: float) -> None:
    values = np.array([0.5, 0.3, 0.2, 0]) + np.random.default_rng(3).normal(size=(30, 4))
    assert fewest_rows(values * scale) == fewest_rows(values)
    values[0, 1] = np.nan
    assert fewest_rows(values * scale) == fewest_rows(values)
