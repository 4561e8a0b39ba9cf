"""Strengths against evalica, choix, closed forms, sixty digits, and the plain iteration."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import choix
import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples

from adjudge.core.errors import DataError, UsageError
from adjudge.stats.preference.answers import FloatArray
from adjudge.stats.preference.bradley_terry import REGULARISER, fit
from adjudge.stats.preference.duels import packed, parts

SEEDS = st.integers(0, 2**32 - 1)


def generated(n: int, seed: int, *, share: float = 1.0, spread: float = 1.0) -> FloatArray:
    """Real weights, larger where the row's item is stronger; a share of all cells, and something on the diagonal."""
    rng = np.random.default_rng(seed)
    log = rng.normal(scale=spread, size=n)
    chance = 1 / (1 + np.exp(log[None, :] - log[:, None]))
    return np.asarray(rng.gamma(2.0, size=(n, n)) * chance * (rng.random((n, n)) < share))


def ring(n: int, seed: int) -> FloatArray:
    """Strongly connected for certain: besides some random wins everyone beat the next one."""
    wins = generated(n, seed, share=0.3)
    wins[np.arange(n), (np.arange(n) + 1) % n] += 1
    return wins


def plain(wins: FloatArray, steps: int = 20_000) -> FloatArray:
    """Zermelo's iteration in ten lines: equation 3 with a sum, normalised each step."""
    matrix = wins - np.diag(np.diag(wins))
    values = np.ones(len(matrix))
    for _ in range(steps):
        old = values
        values = matrix.sum(axis=1) / ((matrix + matrix.T) / (values[:, None] + values)).sum(axis=1)
        values = values / np.exp(np.log(values).mean())
        if np.max(np.abs(values / old - 1)) < 1e-15:
            break
    return values


def exact(wins: FloatArray, near: FloatArray) -> list[Decimal]:
    """Log strengths by Newton's steps in sixty digits, from a point near the maximum; the last one is held."""
    n = len(wins)
    w = [[Decimal(float(x)) for x in row] for row in wins]
    log = [Decimal(float(x)) for x in near]
    for _ in range(60):
        v = [x.exp() for x in log]
        slope = [
            sum((w[i][j] * v[j] - w[j][i] * v[i]) / (v[i] + v[j]) for j in range(n) if j != i)
            for i in range(n)
        ]
        bend = [
            [(w[i][j] + w[j][i]) * v[i] * v[j] / (v[i] + v[j]) ** 2 * (j != i) for j in range(n)]
            for i in range(n)
        ]
        rows = [
            [sum(bend[i], Decimal(0)) if i == j else -bend[i][j] for j in range(n - 1)] + [Decimal(slope[i])]
            for i in range(n - 1)
        ]
        step = [*eliminated(rows), Decimal(0)]
        log = [a + b for a, b in zip(log, step, strict=True)]
        if max(map(abs, step)) < Decimal(10) ** -40:
            return log
    raise AssertionError("no convergence in sixty digits")


def eliminated(rows: list[list[Decimal]]) -> list[Decimal]:
    """The solution of linear equations, by elimination."""
    size = len(rows)
    for c in range(size):
        for r in range(c + 1, size):
            factor = rows[r][c] / rows[c][c]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[c], strict=True)]
    found = [Decimal(0)] * size
    for c in reversed(range(size)):
        rest = rows[c][size] - sum((rows[c][k] * found[k] for k in range(c + 1, size)), Decimal(0))
        found[c] = rest / rows[c][c]
    return found


def true_error(wins: FloatArray, log: FloatArray) -> float:
    """The largest error of a difference of two log strengths."""
    with localcontext() as context:
        context.prec = 60
        off = [Decimal(float(a)) - b for a, b in zip(log, exact(wins, log), strict=True)]
        return float(max(off) - min(off))


# References


def centred(log: FloatArray) -> FloatArray:
    return np.asarray(np.exp(log - np.mean(log)))


@pytest.mark.parametrize(("n", "share"), [(4, 1.0), (30, 0.3), (120, 0.1)])
def test_real_weights_as_choix(n: int, share: float) -> None:
    wins = generated(n, 3, share=share)
    np.fill_diagonal(wins, 0)
    found = fit(wins)
    assert found.connected
    assert found.converged
    theirs = choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-12)  # choix 0.4.1
    np.testing.assert_allclose(found.values, centred(theirs), rtol=1e-6)


def test_counts_as_three_methods_of_choix() -> None:
    counts = np.random.default_rng(5).poisson(generated(8, 5) * 5)
    pairs = [(i, j) for i in range(8) for j in range(8) if i != j for _ in range(counts[i, j])]
    ours = fit(counts).values
    np.testing.assert_allclose(ours, centred(choix.ilsr_pairwise(8, pairs, tol=1e-12)), rtol=1e-6)
    np.testing.assert_allclose(
        ours, centred(choix.mm_pairwise(8, pairs, max_iter=100_000, tol=1e-12)), rtol=1e-6
    )
    np.testing.assert_allclose(ours, centred(choix.opt_pairwise(8, pairs, tol=1e-12)), rtol=1e-6)


@pytest.mark.parametrize("n", [3, 25])
def test_as_evalica_with_ties(n: int) -> None:
    rng = np.random.default_rng(n)
    first = rng.integers(0, n, 4000)
    second = (first + rng.integers(1, n, 4000)) % n
    winners = [evalica.Winner(int(k)) for k in rng.integers(0, 3, 4000)]
    weights = rng.exponential(size=4000)
    # evalica 0.4.2; Winner: 0 is a draw, 1 the first, 2 the second
    theirs = evalica.bradley_terry(
        first.tolist(),
        second.tolist(),
        winners,
        index=pd.Index(range(n)),
        weights=weights.tolist(),
        tolerance=1e-12,
        limit=100_000,
    ).scores.sort_index()
    wins = np.zeros((n, n))
    for i, j, winner, weight in zip(first, second, winners, weights, strict=True):
        wins[i, j] += weight * {0: 0.5, 1: 1, 2: 0}[winner]
        wins[j, i] += weight * {0: 0.5, 1: 0, 2: 1}[winner]
    np.testing.assert_allclose(fit(wins).values, centred(np.log(theirs.to_numpy())), rtol=1e-6)


@given(st.floats(1e-12, 1e6), st.floats(1e-12, 1e6))
@settings(deadline=None)
def test_two_items_have_a_closed_form(won: float, lost: float) -> None:
    found = fit(np.array([[0.0, won], [lost, 0.0]]))
    np.testing.assert_allclose(found.values, [np.sqrt(won / lost), np.sqrt(lost / won)], rtol=1e-9)
    assert found.converged


@pytest.mark.parametrize("n", [3, 7, 101])
@pytest.mark.parametrize("method", ["accelerated", "zermelo"])
def test_in_a_regular_tournament_all_are_equal(n: int, method: Any) -> None:
    """Everyone beats the next (n - 1) / 2 in a circle, once."""
    ahead = (np.arange(n)[None, :] - np.arange(n)[:, None]) % n
    found = fit(((ahead > 0) & (ahead <= n // 2)).astype(float), method=method)
    np.testing.assert_allclose(found.values, 1.0, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e6])
def test_a_long_chain_has_a_closed_form(scale: float) -> None:
    """Neighbours alone have met: their log strengths differ by the log of their wins' ratio. Zermelo would crawl."""
    rng = np.random.default_rng(1)
    up, down = rng.integers(1, 9, (2, 1999)) * scale
    found = fit(np.diag(up, 1) + np.diag(down, -1))
    log = -np.concatenate([[0.0], np.cumsum(np.log(up / down))])
    assert found.converged
    assert np.ptp(found.log - log) <= found.error


def test_a_chain_of_wild_weights() -> None:
    rng = np.random.default_rng(2)
    up, down = 10 ** rng.uniform(-12, 6, (2, 199))
    found = fit(np.diag(up, 1) + np.diag(down, -1))
    log = -np.concatenate([[0.0], np.cumsum(np.log(up / down))])
    assert found.converged
    assert np.ptp(found.log - log) < 1e-9


# The same from every side


@given(st.integers(2, 9), SEEDS)
@examples(40)
def test_both_methods_give_what_ten_lines_give(n: int, seed: int) -> None:
    wins = ring(n, seed)
    twin = np.log(plain(wins))
    quick, slow = fit(wins), fit(wins, method="zermelo")
    np.testing.assert_allclose(quick.log, twin, atol=1e-8)
    np.testing.assert_allclose(slow.log, twin, atol=1e-8)
    assert np.ptp(quick.log - slow.log) <= quick.error + slow.error
    assert (quick.method, slow.method) == ("accelerated", "zermelo")


@given(st.integers(2, 9), SEEDS, st.floats(1e-12, 1e6))
@examples(40)
def test_scaling_all_wins_changes_nothing_where_nothing_is_regularised(
    n: int, seed: int, factor: float
) -> None:
    wins = ring(n, seed)
    np.testing.assert_allclose(fit(wins * factor).log, fit(wins).log, atol=1e-9)


def test_scaling_does_change_regularised_strengths() -> None:
    wins = np.array([[0.0, 1.0], [0.0, 0.0]])
    assert fit(wins * 10).values[0] > fit(wins).values[0] * 1.1


@given(st.integers(2, 9), SEEDS, st.sampled_from([None, 0.3]))
@examples(40)
def test_swapping_all_winners_turns_the_strengths_round(n: int, seed: int, regularise: float | None) -> None:
    wins = generated(n, seed, share=0.5)
    there, back = fit(wins, regularise=regularise), fit(wins.T, regularise=regularise)
    np.testing.assert_allclose(there.log, -back.log, atol=1e-9)


@given(st.integers(2, 9), SEEDS)
@examples(40)
def test_the_order_of_items_does_not_matter(n: int, seed: int) -> None:
    wins = generated(n, seed, share=0.6)
    order = np.random.default_rng(seed).permutation(n)
    np.testing.assert_allclose(fit(wins[np.ix_(order, order)]).log, fit(wins).log[order], atol=1e-9)


def test_the_diagonal_is_left_out() -> None:
    wins = ring(6, 4)
    odd = wins.copy()
    np.fill_diagonal(odd, [1e9, -3, np.nan, np.inf, 0, 1])
    assert np.array_equal(fit(odd).values, fit(wins).values)


def test_packing_by_pairs_or_whole_makes_no_difference() -> None:
    """A few pairs among many items are packed another way than many; the same wins, padded with strangers."""
    wins = ring(12, 7)
    padded = np.zeros((60, 60))
    padded[:12, :12] = wins
    assert packed(wins).dense
    assert not packed(padded).dense
    few, many = fit(wins, regularise=0.5), fit(padded, regularise=0.5)
    np.testing.assert_allclose(many.values[:12] / many.opponent, few.values / few.opponent, rtol=1e-9)
    np.testing.assert_allclose(many.values[12:] / many.opponent, 1.0, rtol=1e-9)


def test_two_thousand_items() -> None:
    found = fit(generated(2000, 1, share=0.004))
    assert found.converged
    assert found.error < 1e-9


def test_a_start_changes_the_way_and_not_the_end() -> None:
    wins = ring(9, 3)
    cold = fit(wins)
    warm = fit(wins, start=cold.values)
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.log, cold.log, atol=1e-9)
    assert fit(wins, method="zermelo", start=cold.values).iterations < fit(wins, method="zermelo").iterations


# The bound


@given(
    st.integers(2, 6), SEEDS, st.sampled_from([1.0, 1e-4, 1e-10]), st.sampled_from(["accelerated", "zermelo"])
)
@examples(30)
def test_the_true_error_is_below_the_bound(n: int, seed: int, tolerance: float, method: Any) -> None:
    wins = ring(n, seed)
    found = fit(wins, tolerance=tolerance, method=method)
    assert found.converged
    assert true_error(wins, found.log) <= found.error <= tolerance


@given(st.integers(2, 6), SEEDS)
@examples(30)
def test_the_bound_holds_for_weights_over_eighteen_orders_of_magnitude(n: int, seed: int) -> None:
    wins = 10 ** np.random.default_rng(seed).uniform(-12, 6, (n, n))
    found = fit(wins)
    assert true_error(wins, found.log) <= found.error


@pytest.mark.parametrize("most", [1, 2, 3])
def test_stopped_early_the_bound_still_holds_and_the_words_say_so(most: int) -> None:
    wins = ring(6, 8)
    found = fit(wins, most=most)
    assert not found.converged
    assert true_error(wins, found.log) <= found.error
    assert "The iteration stopped after" in found.words()


def test_the_bound_is_not_much_more_than_the_error() -> None:
    """Anything is below infinity: halfway on, the bound is within a factor of ten."""
    wins = generated(6, 8)
    found = fit(wins, tolerance=1e-3, method="zermelo")
    assert found.error / 10 < true_error(wins, found.log) <= found.error


def test_where_rounding_rules_nothing_is_promised() -> None:
    """Two groups with a million wins each, held together by a millionth of a millionth: no double can weigh that."""
    wins = np.zeros((8, 8))
    wins[:4, :4], wins[4:, 4:] = generated(4, 1) * 1e6, generated(4, 2) * 1e6
    wins[0, 7], wins[7, 1] = 3e-12, 1e-12
    found = fit(wins)
    assert not found.converged
    assert found.error == np.inf
    assert "to an unknown accuracy" in found.words()


# No finite maximum


def test_winners_only_and_losers_only_are_regularised_and_it_is_said() -> None:
    found = fit(np.array([[0, 3, 2], [0, 0, 1], [0, 1, 0]]))
    assert found.regularised == REGULARISER == 0.1
    assert not found.connected
    assert found.components[1] == found.components[2] != found.components[0]
    assert found.words() == (
        "Bradley-Terry strengths of 3 items from 7 duels (geometric mean 1), regularised by 0.1 wins and 0.1 losses of"
        " each item against an opponent of strength 1: between 2 groups of items wins go one way at most."
    )


@pytest.mark.parametrize("method", ["accelerated", "zermelo"])
def test_the_regulariser_is_an_opponent_of_strength_one(method: Any) -> None:
    """Two items: x log(v / (v + 1 / v)) + s log(v / (1 + v)^2) for both is largest where its slope is zero."""
    found = fit(np.array([[0.0, 5.0], [0.0, 0.0]]), method=method)
    v = found.values[0]
    assert np.isclose(found.opponent, 1.0)
    assert np.isclose(5 * (1 / v) / (v + 1 / v), 0.1 * (v - 1) / (v + 1), rtol=1e-6)


@given(st.integers(1, 7), SEEDS, st.sampled_from([0.1, 2.0]))
@examples(40)
def test_regularised_strengths_are_the_plain_ones_with_one_more_item(n: int, seed: int, often: float) -> None:
    wins = generated(n, seed, share=0.4)
    more = np.full((n + 1, n + 1), often)
    more[:n, :n] = wins
    found = fit(wins, regularise=often)
    np.testing.assert_allclose(
        np.log(np.append(found.values, found.opponent) / found.opponent),
        np.log(plain(more) / plain(more)[n]),
        atol=1e-8,
    )


def test_an_explicit_regulariser_is_honoured_where_there_is_no_need() -> None:
    wins = ring(5, 1)
    free, drawn = fit(wins), fit(wins, regularise=1.0)
    assert (free.regularised, drawn.regularised) == (0.0, 1.0)
    assert np.ptp(drawn.log) < np.ptp(free.log)
    assert "by 1 wins" in drawn.words()
    assert "parts" not in drawn.words()
    assert np.isnan(free.opponent)


def test_without_a_regulariser_it_is_said_which_parts_there_are() -> None:
    wins = np.zeros((7, 7))
    wins[0, 1] = wins[1, 2] = wins[2, 0] = 1
    wins[2, 3] = 4
    with pytest.raises(DataError) as error:
        fit(wins, regularise=0)
    assert str(error.value) == (
        "the strengths have no finite maximum: the items fall into 5 groups (items 0, 1 and 2; item 3; item 4;"
        " item 5; 1 more), between which wins go one way at most; regularise"
    )
    assert fit(ring(4, 1), regularise=0).regularised == 0


def test_items_without_a_duel_are_as_strong_as_the_opponent() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1] = 2
    found = fit(wins)
    np.testing.assert_allclose(found.values[2:], found.opponent, rtol=1e-9)
    assert found.values[0] > found.values[2] > found.values[1]


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("method", ["accelerated", "zermelo"])
def test_without_answers_all_are_equal(n: int, method: Any) -> None:
    found = fit(np.zeros((n, n)), method=method)
    np.testing.assert_allclose(found.values, 1.0, rtol=1e-12)
    assert found.converged
    assert found.connected == (n == 1)


@given(st.integers(1, 12), SEEDS, st.floats(0.02, 0.5))
@settings(deadline=None)
def test_parts_are_what_chains_of_wins_reach(n: int, seed: int, share: float) -> None:
    beat = np.random.default_rng(seed).random((n, n)) < share
    reach = beat | np.eye(n, dtype=bool)
    for k in range(n):
        reach |= reach[:, [k]] & reach[[k], :]
    found = parts(packed(beat.astype(float)))
    assert np.array_equal(found[:, None] == found[None, :], reach & reach.T)


# What a result can say, and what is refused


def test_scales_and_probabilities() -> None:
    found = fit(np.array([[0.0, 9.0], [1.0, 0.0]]))
    np.testing.assert_allclose(found.scaled("geometric"), [3, 1 / 3])
    np.testing.assert_allclose(found.scaled("mean"), [1.8, 0.2])
    np.testing.assert_allclose(found.scaled("sum"), [0.9, 0.1])
    np.testing.assert_allclose(found.probability(), [[np.nan, 0.9], [0.1, np.nan]])
    with pytest.raises(UsageError, match='scale: unknown value "max"'):
        found.scaled("max")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wins", "said"),
    [
        (np.zeros((2, 3)), "wins: expected a square matrix, got one of shape (2, 3)"),
        (np.zeros((0, 0)), "wins: there are no items"),
        (np.array([[0, -1.0], [1, 0]]), "wins: a number of wins is negative, infinite or missing"),
        (np.array([[0, np.nan], [1, 0]]), "wins: a number of wins is negative, infinite or missing"),
        (np.array([[0, np.inf], [1, 0]]), "wins: a number of wins is negative, infinite or missing"),
    ],
)
def test_wrong_wins_are_refused(wins: FloatArray, said: str) -> None:
    with pytest.raises(DataError) as error:
        fit(wins)
    assert str(error.value) == said


@pytest.mark.parametrize(
    "options",
    [
        {"regularise": -1.0},
        {"regularise": np.nan},
        {"method": "mm"},
        {"tolerance": 0.0},
        {"most": 0},
        {"start": [1.0]},
        {"start": [1.0, 0.0]},
    ],
)
def test_wrong_calls_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        fit(np.ones((2, 2)), **options)
