"""Propagation as products of matrices, against the loop over answers that the paper describes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import DataError
from adjudge.stats.preference.answers import FloatArray, PairAnswers, propagated


def looped(answers: PairAnswers, similarity: FloatArray) -> FloatArray:
    """Zopf 2018, section 4.1: M <- M + outer(sim(winner), sim(loser)); a tie is half of that either way."""
    found = np.zeros((answers.n, answers.n))
    for i, j, won, weight in zip(answers.first, answers.second, answers.won, answers.weight, strict=True):
        found += weight * won * np.outer(similarity[i], similarity[j])
        found += weight * (1 - won) * np.outer(similarity[j], similarity[i])
    return found


def generated(n: int, count: int, seed: int) -> tuple[PairAnswers, FloatArray]:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, count)
    second = (first + rng.integers(1, n, count)) % n
    won = rng.choice([0, 0.5, 1], count)
    similarity = rng.random((n, n)) * (rng.random((n, n)) < 0.5)
    return PairAnswers(n, first, second, won, rng.exponential(size=count)), similarity


@given(st.integers(2, 9), st.integers(0, 40), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_products_equal_the_loop(n: int, count: int, seed: int) -> None:
    answers, similarity = generated(n, count, seed)
    np.testing.assert_allclose(propagated(answers, similarity), looped(answers, similarity), rtol=1e-10)


@pytest.mark.parametrize(("n", "count"), [(150, 20), (150, 2000)])
def test_few_and_many_answers_about_many_items(n: int, count: int) -> None:
    answers, similarity = generated(n, count, 1)
    np.testing.assert_allclose(propagated(answers, similarity), looped(answers, similarity), rtol=1e-10)


def test_similar_to_itself_alone_it_is_the_wins() -> None:
    answers, _ = generated(8, 30, 2)
    np.testing.assert_allclose(propagated(answers, np.eye(8)), answers.wins(), rtol=1e-12)


def test_the_direction_is_seen() -> None:
    """With an asymmetric similarity, rows or columns is a question; the loop takes those of the winner's row."""
    answers = PairAnswers(2, np.array([0]), np.array([1]), np.array([1.0]))
    similarity = np.array([[1.0, 0.5], [0.0, 1.0]])
    assert propagated(answers, similarity).tolist() == [[0.0, 1.0], [0.0, 0.5]]


@pytest.mark.parametrize(
    ("similarity", "said"),
    [
        (np.eye(3), "the similarity is (3, 3), and there are 2 items"),
        (np.array([[1.0, -0.1], [0.0, 1.0]]), "a similarity is negative, infinite or missing"),
        (np.array([[1.0, np.nan], [0.0, 1.0]]), "a similarity is negative, infinite or missing"),
    ],
)
def test_wrong_similarities_are_refused(similarity: FloatArray, said: str) -> None:
    with pytest.raises(DataError) as error:
        propagated(PairAnswers(2, np.array([0]), np.array([1]), np.array([1.0])), similarity)
    assert str(error.value) == said
