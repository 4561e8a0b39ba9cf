"""Assessors who click: each count by hand, each warning planted, and honest ones left in peace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from tests.stats.preference.generate import crowd, log_worth

from adjudge.core.errors import DataError, UsageError
from adjudge.stats.preference.answers import FloatArray, PairAnswers
from adjudge.stats.preference.bradley_terry import fit
from adjudge.stats.preference.careless import AssessorSigns, CarelessLimits, find_careless

HONEST = np.full(10, 0.95)


def with_clicker(seed: int, won: FloatArray, who: int = 0, n: int = 20, each: int = 100) -> PairAnswers:
    """Ten assessors, of whom one says what is given instead."""
    answers = crowd(seed, HONEST, n=n, each=each)
    said = answers.won.copy()
    said[answers.who == who] = won
    return replace(answers, won=said)


def row(answers: PairAnswers, who: int = 0, **options: object) -> AssessorSigns:
    return next(each for each in find_careless(answers, **options).rows if each.who == who)  # type: ignore[arg-type]


def test_counts_by_hand() -> None:
    """Assessor 1 against assessors 0 and 2, for whom 0 beats 1 beats 2."""
    rows = [
        # first, second, won, who
        (0, 1, 1.0, 0),
        (1, 2, 1.0, 0),
        (2, 0, 0.0, 2),
        (1, 0, 0.0, 2),
        (2, 1, 0.0, 2),
        (0, 1, 1.0, 1),
        (1, 0, 1.0, 1),
        (2, 0, 1.0, 1),
        (1, 2, 0.5, 1),
        (2, 1, 0.5, 1),
        (0, 3, 1.0, 1),
    ]
    first, second, won, who = (np.array(column) for column in zip(*rows, strict=True))
    answers = PairAnswers(4, first.astype(int), second.astype(int), won, who=who.astype(int))
    found = row(
        answers, 1, checks=[(0, 1), (1, 2)], times=np.array([5.0] * 5 + [900, 1000, 3000, 500, 4000, np.nan])
    )
    assert (found.answers, found.ties, found.left) == (6, 2, 4)
    # 0 against 1 agrees, 1 against 0 does not, 2 against 0 does not; nobody else was asked about item 3.
    assert (found.agreed, found.compared) == (1, 3)
    assert (found.checks_right, found.checks_asked) == (1, 4)
    # 0-1 came again and was answered differently; 1-2 came again and was a tie again.
    assert (found.repeats_same, found.repeats_asked) == (1, 2)
    assert found.median_ms == 1000
    assert found.fast == pytest.approx(2 / 5)
    assert found.left_share == 1
    assert found.agreement == pytest.approx(1 / 3)
    assert found.p["one-sided"] == pytest.approx(2 / 16)
    assert found.p["failed-checks"] == pytest.approx(binom.cdf(1, 4, 0.9))
    assert found.p["inconsistent"] == pytest.approx(1 - 0.6**2)
    assert found.p["better-than-chance"] == pytest.approx(7 / 8)
    assert found.p["reversed"] == pytest.approx(1 / 2)
    assert found.codes == ("failed-checks",)


def test_others_are_fitted_without_the_own_answers() -> None:
    answers = crowd(2, np.array([0.9, 0.9, 0.5]), n=12, each=60)
    for who in range(3):
        rest = fit(answers.take(answers.who != who).wins()).log
        own = answers.take(answers.who == who)
        expected = np.sum((rest[own.first] > rest[own.second]) == (own.won == 1))
        assert row(answers, who).agreed == expected


def test_a_fit_to_all_answers_is_on_everybodys_side() -> None:
    """Why each assessor is held against the others alone: one who clicks at random would look better than that."""
    with_own, without = [], []
    for seed in range(20):
        answers = crowd(seed, np.array([0.9, 0.9, 0.5]), n=12, each=60)
        with_own.append(find_careless(answers, fit(answers.wins())).rows[2].agreement)
        without.append(row(answers, 2).agreement)
    assert np.mean(with_own) > 0.55
    assert abs(np.mean(without) - 0.5) < 0.04


def test_one_sided_clickers_are_caught() -> None:
    for seed in range(10):
        left = row(with_clicker(seed, np.ones(100)))
        assert {"one-sided", "random"} & set(left.codes) == {"one-sided", "random"} or left.codes[
            0
        ] == "one-sided"
        assert left.warnings[0].sentence == "prefers what is shown first: 100 of 100 times"
        right = row(with_clicker(seed, (np.arange(100) % 5 == 0).astype(float)))
        assert right.codes[0] == "one-sided"
        assert right.warnings[0].sentence == "prefers what is shown second: 80 of 100 times"


def test_a_slight_habit_is_no_offence() -> None:
    answers = crowd(1, np.full(4, 0.95), n=20, each=3000)
    said = answers.won.copy()
    mine = np.flatnonzero((answers.who == 0) & (said == 0))
    said[mine[:150]] = 1.0
    habit = row(replace(answers, won=said))
    assert 0.53 < habit.left_share < 0.6
    assert habit.adjusted["one-sided"] < 0.05
    assert habit.codes == ()
    assert row(replace(answers, won=said), limits=CarelessLimits(one_sided=0.0)).codes == ("one-sided",)


def test_random_clickers_are_caught() -> None:
    caught = 0
    for seed in range(30):
        said = np.random.default_rng(seed).integers(0, 2, 100).astype(float)
        caught += "random" in row(with_clicker(seed, said)).codes
    assert caught >= 19  # 79 of 100 other crowds


def test_one_with_the_sides_mixed_up_is_told_so() -> None:
    for seed in range(5):
        answers = crowd(seed, np.append(HONEST, 0.05), n=20, each=100)
        found = row(answers, 10)
        assert found.codes[-1] == "reversed"
        assert found.warnings[-1].sentence.endswith("less than chance: are the sides mixed up?")


def test_honest_assessors_are_left_in_peace() -> None:
    """Reliabilities from .75 to 1. Of 400 other crowds, 27 had a warning for anybody: 16 one-sided, 8 random."""
    false = 0
    for seed in range(60):
        reliability = np.random.default_rng(seed).uniform(0.75, 1.0, 12)
        answers = crowd(seed, reliability, n=25, each=60, ties=0.1)
        worth = log_worth(seed, 25)
        best, worst = np.argsort(worth)[[-1, 0]]
        false += len(find_careless(answers, checks=[(int(best), int(worst))]).warned) > 0
    assert false <= binom.ppf(0.999, 60, 0.07)


def test_few_answers_never_warn() -> None:
    """Four clicks on one side prove nothing."""
    answers = with_clicker(0, np.ones(4), each=4)
    assert row(answers).codes == ()


def test_planted_checks() -> None:
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]
    first, second = np.array([*pairs, *[(b, a) for a, b in pairs]] * 3).T
    good = np.array([1.0] * 5 + [0.0] * 5)
    answers = PairAnswers(
        10, first, second, np.concatenate([good, good, 1 - good]), who=np.repeat([0, 1, 2], 10)
    )
    found = find_careless(answers, checks=pairs)
    assert [(each.checks_right, each.checks_asked) for each in found.rows] == [(10, 10), (10, 10), (0, 10)]
    assert [each.repeats_same for each in found.rows] == [5, 5, 5]
    assert "failed-checks" in found.rows[2].codes
    assert "answers 0 of 10 planted checks right" in [each.sentence for each in found.rows[2].warnings]
    assert found.rows[0].codes == ()


def test_one_side_shows_in_repeats() -> None:
    """Ten pairs asked twice, the other way round: who always takes the left one never repeats an answer."""
    pairs = [(k, k + 1) for k in range(10)]
    first, second = np.array([*pairs, *[(b, a) for a, b in pairs]]).T
    found = find_careless(PairAnswers(11, first, second, np.ones(20), who=np.zeros(20, int))).rows[0]
    assert (found.repeats_same, found.repeats_asked) == (0, 10)
    assert found.codes == ("one-sided", "inconsistent")
    assert (
        found.warnings[1].sentence
        == "repeats 0 of 10 own answers when a pair comes again the other way round"
    )


def test_ties_and_times() -> None:
    answers = with_clicker(1, np.full(100, 0.5))
    times = np.full(len(answers), 8000.0)
    times[answers.who == 1] = np.tile([400.0, 400.0, 400.0, 9000.0], 25)
    found = find_careless(answers, times=times)
    assert found.rows[0].codes == ("ties",)
    assert np.isnan(found.rows[0].left_share)
    assert np.isnan(found.rows[0].agreement)
    assert found.rows[1].codes == ("too-fast",)
    assert found.rows[1].warnings[0].sentence == "75% of the answers came in less than 1000 ms"
    assert [each.who for each in found.warned] == [0, 1]
    assert find_careless(answers, times=times, limits=CarelessLimits(fast_ms=300)).rows[1].codes == ()


def test_more_assessors_need_more_evidence() -> None:
    """The same clicker, alone among 10 and among 100: Holm."""
    few = with_clicker(3, (np.arange(100) < 66).astype(float))
    many = crowd(3, np.full(100, 0.95), n=20, each=100)
    said = many.won.copy()
    said[many.who == 0] = (np.arange(100) < 66).astype(float)
    one, other = row(few), row(replace(many, won=said))
    assert one.p["one-sided"] == other.p["one-sided"] == binomtest(66, 100).pvalue
    assert one.adjusted["one-sided"] < 0.05 < other.adjusted["one-sided"]
    assert "one-sided" in one.codes
    assert "one-sided" not in other.codes


def test_similarity_tells_of_items_that_others_never_met() -> None:
    alike = np.eye(4)
    alike[0, 3] = alike[3, 0] = 0.9
    first, second, who = np.array([0, 0, 1, 3]), np.array([1, 2, 2, 1]), np.array([0, 0, 0, 1])
    answers = PairAnswers(4, first, second, np.ones(4), who=who)
    assert row(answers, 1).compared == 0
    assert (row(answers, 1, similarity=alike).agreed, row(answers, 1, similarity=alike).compared) == (1, 1)


def test_edges() -> None:
    nobody = PairAnswers(3, np.array([0]), np.array([1]), np.array([1.0]))
    assert find_careless(nobody).rows == ()
    assert np.isnan(find_careless(nobody).median_agreement)
    alone = find_careless(PairAnswers(3, np.array([0]), np.array([1]), np.array([1.0]), who=np.array([4])))
    assert [(each.who, each.compared) for each in alone.rows] == [(4, 0)]
    assert set(alone.rows[0].adjusted.values()) == {1.0}


def test_wrong_calls() -> None:
    answers = crowd(0, HONEST, n=5, each=3)
    with pytest.raises(DataError, match="2 times for 30 answers"):
        find_careless(answers, times=[1.0, 2.0])
    with pytest.raises(UsageError, match="level is 5, and must be from 0 to 1"):
        find_careless(answers, limits=CarelessLimits(level=5))
