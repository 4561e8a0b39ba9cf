"""How few answers decide which item is the strongest: against every subset, closed forms, and the product's own fit."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.analyses.preferences import Prefer
from adjudge.analyses.preferences.strengths import fit_preferences
from adjudge.judgments.pairs.answers import PreferenceRow, Preferences
from adjudge.stats.fewest import ALONE, NOT_FOUND, TOO_LARGE
from adjudge.stats.preference.answers import PairAnswers
from adjudge.stats.preference.fewest import MOST_ITEMS, fewest_answers

SEEDS = st.integers(0, 2**32 - 1)
MODELS: list[dict[str, Any]] = [
    {},
    {"ties": "davidson"},
    {"ties": "rao-kupper"},
    {"position": True},
    {"regularise": 0.5},
    {"ties": "davidson", "regularise": 0.5},
]


def drawn(seed: int, items: int, answers: int, ties: float = 0.2) -> list[PreferenceRow]:
    rng = np.random.default_rng(seed)
    log = np.linspace(0.6, 0, items)
    rows = []
    for _ in range(answers):
        one, two = rng.choice(items, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(log[two] - log[one]))
        winner = "tie" if rng.random() < ties else "left" if won else "right"
        rows.append(PreferenceRow(left=f"i{one}", right=f"i{two}", winner=winner))
    return rows


def first_by_the_product(
    rows: list[PreferenceRow], items: int, asked: Prefer, near: Any = None
) -> set[str] | None:
    """Who has rank 1 in `prefer fit`; None where the answers do not join all items."""
    preferences = Preferences.of(rows, items=[f"i{k}" for k in range(items)])
    fitted = fit_preferences(preferences, asked, similarity=near)
    if len(fitted.parts) > 1 or len(fitted.fitted) < items:
        return None
    return {standing.item for standing in fitted.standings if standing.rank == 1}


def least(rows: list[PreferenceRow], items: int, asked: Prefer, most: int) -> int | None:
    first = first_by_the_product(rows, items, asked)
    assert first is not None
    for n in range(1, most + 1):
        for out in combinations(range(len(rows)), n):
            now = first_by_the_product([row for k, row in enumerate(rows) if k not in out], items, asked)
            if now is not None and first - now:
                return n
    return None


@pytest.mark.parametrize("options", MODELS, ids=str)
@examples(24)
@given(SEEDS, st.integers(2, 5), st.integers(10, 60))
def test_without_them_the_product_ranks_another_first(
    options: dict[str, Any], seed: int, items: int, answers: int
) -> None:
    asked, rows = Prefer(**options), drawn(seed, items, answers)
    first = first_by_the_product(rows, items, asked)
    if first is None:
        return
    preferences = Preferences.of(rows, items=[f"i{k}" for k in range(items)])
    fewest = fit_preferences(preferences, asked).fewest
    assert fewest is not None
    assert {f"i{k}" for k in fewest.first} == first or fewest.why
    if fewest.left_out:
        left = [row for k, row in enumerate(rows) if k not in fewest.left_out]
        now = first_by_the_product(left, items, asked)
        assert now == {f"i{k}" for k in fewest.then}
        assert first - now


@examples(12)
@given(SEEDS, st.integers(3, 4))
def test_propagated_answers_too(seed: int, items: int) -> None:
    rows, rng = drawn(seed, items, 25), np.random.default_rng(seed)
    near = rng.random((items, items)) * 0.4
    near = (near + near.T) / 2
    np.fill_diagonal(near, 1.0)
    first = first_by_the_product(rows, items, Prefer(), near)
    preferences = Preferences.of(rows, items=[f"i{k}" for k in range(items)])
    fewest = fit_preferences(preferences, Prefer(), similarity=near).fewest
    assert fewest is not None
    if fewest.left_out and first is not None:
        left = [row for k, row in enumerate(rows) if k not in fewest.left_out]
        now = first_by_the_product(left, items, Prefer(), near)
        assert now is not None
        assert first - now


@pytest.mark.parametrize("seed", range(6))
def test_no_fewer_than_any_subset_needs(seed: int) -> None:
    rows = drawn(seed, 3, 14)
    preferences = Preferences.of(rows, items=["i0", "i1", "i2"])
    fewest = fit_preferences(preferences).fewest
    n = least(rows, 3, Prefer(), 2)
    assert fewest is not None
    found = len(fewest.left_out)
    if n is None:
        assert found > 2
    else:
        assert found >= n
        assert not fewest.exact or found == n


def of_two(wins: int, losses: int) -> PairAnswers:
    n = wins + losses
    won = np.array([1.0] * wins + [0.0] * losses)
    return PairAnswers(n=2, first=np.zeros(n, np.int64), second=np.ones(n, np.int64), won=won)


@pytest.mark.parametrize(("wins", "losses"), [(7, 3), (60, 40), (5, 4)])
def test_of_two_items_it_is_the_wins_ahead_and_one(wins: int, losses: int) -> None:
    fewest = fewest_answers(of_two(wins, losses))
    assert len(fewest.left_out) == wins - losses + 1
    assert set(fewest.left_out) <= set(range(wins))
    assert (fewest.first, fewest.then) == ((0,), (1,))


def test_what_has_no_answer_says_why() -> None:
    # Whoever won all answers stays first whichever are left out, as one has to join the two.
    assert fewest_answers(of_two(4, 0)).why == NOT_FOUND
    assert fewest_answers(PairAnswers(n=1, first=[], second=[], won=[])).why == ALONE  # type: ignore[arg-type]
    many = np.arange(MOST_ITEMS)
    chain = PairAnswers(n=MOST_ITEMS + 1, first=many, second=many + 1, won=np.full(MOST_ITEMS, 0.5))
    assert fewest_answers(chain).why == TOO_LARGE


def test_two_that_share_first_place_are_told_apart_by_one_answer() -> None:
    fewest = fewest_answers(of_two(3, 3))
    assert fewest.first == (0, 1)
    assert len(fewest.left_out) == 1
    assert len(fewest.then) == 1
    assert fewest.exact


def test_every_fit_is_reported_and_their_number_is_bounded() -> None:
    rng, n, size = np.random.default_rng(4), 12, 3_000
    first = rng.integers(0, n, size)
    second = (first + rng.integers(1, n, size)) % n
    log = np.linspace(0.5, 0, n)
    won = (rng.random(size) < 1 / (1 + np.exp(log[second] - log[first]))).astype(float)
    fits = 0

    def progress() -> None:
        nonlocal fits
        fits += 1

    fewest = fewest_answers(PairAnswers(n=n, first=first, second=second, won=won), progress=progress)
    assert fewest.left_out
    assert 0 < fits < 100
