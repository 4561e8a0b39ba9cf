"""Answers as arrays: what they may hold, and who won how often."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.errors import DataError
from adjudge.stats.preference.answers import PairAnswers

ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 5), st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 9)),
    max_size=20,
)


def answers_of(rows: list[tuple[int, int, float, float]]) -> PairAnswers:
    """Answers about six items: the first, how far the second is from it, who won, the weight."""
    first = np.array([row[0] for row in rows], dtype=int)
    second = (first + np.array([row[1] for row in rows], dtype=int)) % 6
    return PairAnswers(
        6, first, second, np.array([row[2] for row in rows]), np.array([row[3] for row in rows])
    )


@given(ROWS)
@settings(deadline=None)
def test_wins_are_counted_one_by_one(rows: list[tuple[int, int, float, float]]) -> None:
    answers = answers_of(rows)
    plain = np.zeros((6, 6))
    for i, j, won, weight in zip(answers.first, answers.second, answers.won, answers.weight, strict=True):
        plain[i, j] += weight * won
        plain[j, i] += weight * (1 - won)
    np.testing.assert_allclose(answers.wins(), plain, rtol=1e-12)
    assert np.isclose(answers.wins().sum(), answers.weight.sum())


def test_a_tie_is_half_a_win_each() -> None:
    answers = PairAnswers(2, np.array([0, 1]), np.array([1, 0]), np.array([0.5, 1.0]))
    assert answers.wins().tolist() == [[0.0, 0.5], [1.5, 0.0]]


def test_no_answers() -> None:
    nothing = np.array([], dtype=int)
    answers = PairAnswers(3, nothing, nothing, np.array([]))
    assert len(answers) == 0
    assert answers.wins().tolist() == [[0.0] * 3] * 3
    assert PairAnswers(0, nothing, nothing, np.array([])).wins().shape == (0, 0)


def test_what_is_not_said_has_its_default() -> None:
    answers = PairAnswers(3, np.array([0, 1]), np.array([1, 2]), np.array([1, 0]))
    assert answers.weight.tolist() == [1.0, 1.0]
    assert answers.who.tolist() == [-1, -1]
    assert answers.cluster.tolist() == [0, 0]


def test_some_answers_by_number_or_mask() -> None:
    answers = PairAnswers(3, np.array([0, 1, 2]), np.array([1, 2, 0]), np.ones(3), who=np.array([7, 8, 9]))
    assert answers.take([2, 0, 2]).who.tolist() == [9, 7, 9]
    assert answers.take(np.array([True, False, True])).first.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"second": [1, 3]}, "an answer names item 3, and there are 3, from 0"),
        ({"second": [1, 1]}, "an answer compares an item with itself"),
        ({"won": [0.0, 1.5]}, "won is not from 0 to 1"),
        ({"won": [0.0, np.nan]}, "won is not from 0 to 1"),
        ({"weight": [1.0, -1.0]}, "a weight is negative or not a number"),
        ({"weight": [1.0, np.inf]}, "a weight is negative or not a number"),
        ({"who": [1]}, "who: 1 values for 2 answers"),
    ],
)
def test_wrong_answers_are_refused_in_one_line(change: dict[str, list[float]], said: str) -> None:
    given = {"first": [0, 1], "second": [1, 2], "won": [1.0, 0.0]} | change
    with pytest.raises(DataError) as error:
        PairAnswers(3, **{name: np.array(values) for name, values in given.items()})
    assert str(error.value) == said
