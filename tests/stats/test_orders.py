"""Equation 1 of Zopf 2018 against a plain twin, Kendall's tau and cases done by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from adjudge.errors import UsageError
from adjudge.stats.agreement import Direction, agreement_shares, pair_agreement

NAN = math.nan
SCORES = st.one_of(st.integers(0, 4).map(float), st.just(NAN))
ROWS = st.lists(st.tuples(SCORES, SCORES), max_size=9)


def twin(human: list[float], measure: list[float], better: Direction, half: bool) -> tuple[float, ...]:
    """Equation 1 in plain words."""
    agreed = pairs = ties = 0
    for i, j in combinations(range(len(human)), 2):
        if any(math.isnan(value) for value in (human[i], human[j], measure[i], measure[j])):
            continue
        if human[i] == human[j]:
            continue
        pairs += 1
        up = measure[i] > measure[j] if better == "higher" else measure[i] < measure[j]
        ties += measure[i] == measure[j]
        agreed += measure[i] != measure[j] and up == (human[i] > human[j])
    share = (agreed + 0.5 * ties * half) / pairs if pairs else NAN
    return share, agreed, pairs, ties


@given(ROWS, st.sampled_from(["higher", "lower"]), st.booleans())
def test_equals_the_plain_twin(rows: list[tuple[float, float]], better: Direction, half: bool) -> None:
    human, measure = [a for a, _ in rows], [b for _, b in rows]
    found = pair_agreement(human, measure, better=better, half=half)
    expected = twin(human, measure, better, half)
    assert (found.share, found.agreed, found.pairs, found.ties) == pytest.approx(expected, nan_ok=True)
    assert found.pairs + found.human_ties + found.missing == math.comb(len(rows), 2)
    assert (found.why is None) == (found.pairs > 0)


@given(ROWS, st.sampled_from(["higher", "lower"]), st.booleans())
def test_many_at_once_are_one_after_the_other(
    rows: list[tuple[float, float]], better: Direction, half: bool
) -> None:
    human, measure = [a for a, _ in rows], np.array([b for _, b in rows])
    both = np.stack([measure, measure[::-1]])
    shares = agreement_shares(human, both, better=better, half=half)
    alone = [pair_agreement(human, each, better=better, half=half).share for each in both]
    np.testing.assert_array_equal(shares, alone)


@given(st.permutations(range(7)))
def test_without_ties_it_is_kendalls_tau(order: list[int]) -> None:
    share = pair_agreement(range(7), order).share
    assert 2 * share - 1 == pytest.approx(kendalltau(range(7), order).statistic)


def test_strict_and_half() -> None:
    # Pairs that people tell apart: 3>1 (agrees), 3>1 (a tie of the measure), 1=1 is left out.
    strict = pair_agreement([3, 1, 1], [5, 5, 4])
    assert (strict.share, strict.agreed, strict.pairs, strict.ties, strict.human_ties) == (0.5, 1, 2, 1, 1)
    assert pair_agreement([3, 1, 1], [5, 5, 4], half=True).share == 0.75


def test_the_direction_turns_the_order() -> None:
    assert pair_agreement([1, 2, 3], [0.3, 0.2, 0.1], better="lower").share == 1
    assert pair_agreement([1, 2, 3], [0.3, 0.2, 0.1]).share == 0


def test_noise_is_a_tie() -> None:
    assert pair_agreement([0.1 + 0.2, 0.3, 0.5], [1, 2, 3]).human_ties == 1
    assert pair_agreement([1, 2], [0.3, 0.1 + 0.2]).ties == 1


def test_missing_pairs_are_counted() -> None:
    found = pair_agreement([1, 2, NAN, 4], [1, NAN, 3, 4])
    assert (found.pairs, found.agreed, found.missing) == (1, 1, 5)


@pytest.mark.parametrize(
    ("human", "measure", "why"),
    [
        ([], [], "needs two summaries, has 0"),
        ([1], [1], "needs two summaries, has 1"),
        ([2, 2, 2], [1, 2, 3], "people see no difference"),
        ([NAN, NAN], [1, 2], "every pair lacks a score"),
        ([1, 2], [NAN, 2], "every pair lacks a score"),
        ([2, 2, NAN], [1, 2, 3], "people see no difference where both are scored"),
    ],
)
def test_nothing_to_order_says_why(human: list[float], measure: list[float], why: str) -> None:
    found = pair_agreement(human, measure)
    assert math.isnan(found.share)
    assert found.why == why


def test_five_hundred_summaries() -> None:
    values = np.arange(500.0)
    found = pair_agreement(values, values)
    assert (found.share, found.pairs) == (1, 500 * 499 // 2)


def test_mistakes() -> None:
    with pytest.raises(UsageError, match="expected one length, got 2 and 3"):
        pair_agreement([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match='better: unknown value "up"'):
        pair_agreement([1, 2], [1, 2], better="up")  # type: ignore[arg-type]
