"""Which pair next: the model against plain mathematics, the rules one by one, and what it saves on generated topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import isotonic_regression
from scipy.special import expit
from scipy.stats import norm
from scipy.stats import t as student
from tests.properties import examples
from tests.stats.preference.generate import Topic, agreement, facts, ordered_right, themes

from adjudge.core.errors import DataError, UsageError
from adjudge.stats.preference import next_pair
from adjudge.stats.preference.answers import FloatArray, PairAnswers, propagated
from adjudge.stats.preference.bradley_terry import fit
from adjudge.stats.preference.next_pair import (
    SHARED,
    SPREAD,
    AskedCounts,
    Belief,
    How,
    information,
    mode,
    next_pairs,
    pair_counts,
    posterior,
    prior_factor,
)

ACTIVE: tuple[How, ...] = ("information", "variance")
NO_ANSWERS = np.empty(0, np.int64)


def asked(n: int, count: int, seed: int = 0, ties: bool = True) -> PairAnswers:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, count)
    second = (first + rng.integers(1, n, count)) % n
    return PairAnswers(n, first, second, rng.choice([0.0, 0.5, 1.0] if ties else [0.0, 1.0], count))


def nothing(n: int) -> PairAnswers:
    return PairAnswers(n, NO_ANSWERS, NO_ANSWERS, np.empty(0))


def kernel(n: int, seed: int = 0) -> FloatArray:
    vectors = np.abs(np.random.default_rng([seed, n]).normal(size=(n, 6)))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors @ vectors.T)


def unordered(pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
    return {(min(pair), max(pair)) for pair in pairs}


# The model


def curved(answers: PairAnswers, log: FloatArray) -> FloatArray:
    """The Hessian of minus the log likelihood, answer by answer."""
    found = np.zeros((answers.n, answers.n))
    for a, b, weight in zip(answers.first, answers.second, answers.weight, strict=True):
        sign = np.zeros(answers.n)
        sign[a], sign[b] = 1, -1
        p = expit(log[a] - log[b])
        found += weight * p * (1 - p) * np.outer(sign, sign)
    return found


@examples(50)
@given(st.integers(2, 7), st.integers(0, 25), st.integers(0, 10**6), st.booleans())
def test_posterior_is_the_plain_one(n: int, count: int, seed: int, alike: bool) -> None:
    answers = asked(n, count, seed)
    factor = prior_factor(n, kernel(n, seed) if alike else None)
    found = posterior(pair_counts(answers), factor)
    inverse = np.linalg.inv(factor @ factor.T)
    slope = inverse @ found.mean
    for a, b, won in zip(answers.first, answers.second, answers.won, strict=True):
        slope[a] += expit(found.mean[a] - found.mean[b]) - won
        slope[b] -= expit(found.mean[a] - found.mean[b]) - won
    # What is minimised is convex, so the slope says all. Whitened, since the prior may be nearly flat somewhere.
    assert np.abs(factor.T @ slope).max() < 1e-5
    np.testing.assert_allclose(
        found.covariance, np.linalg.inv(inverse + curved(answers, found.mean)), atol=1e-6 * SPREAD**2
    )


def test_prior_follows_the_similarity() -> None:
    alike = kernel(5)
    factor = prior_factor(5, alike)
    off = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose((factor @ factor.T)[off], SPREAD**2 * SHARED * alike[off])
    np.testing.assert_allclose(np.diagonal(factor @ factor.T), SPREAD**2)
    np.testing.assert_array_equal(prior_factor(3, None), SPREAD * np.eye(3))


def test_what_is_no_kernel_becomes_one() -> None:
    """0 is like 1 and 2, which are nothing alike: no covariance is like that."""
    wrong = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0]]) * 1.4
    assert np.linalg.eigvalsh(SHARED * wrong + (1 - 1.4 * SHARED) * np.eye(3)).min() < 0
    factor = prior_factor(3, wrong)
    np.testing.assert_allclose(np.diagonal(factor @ factor.T), SPREAD**2, rtol=1e-6)
    assert len(next_pairs(nothing(3), rng=np.random.default_rng(1), count=3, similarity=wrong)) == 3


def test_an_answer_tells_of_similar_items() -> None:
    alike = np.eye(4)
    alike[0, 2] = alike[2, 0] = 0.9
    answers = PairAnswers(4, np.array([0, 0]), np.array([1, 1]), np.array([1.0, 1.0]))
    found = posterior(pair_counts(answers), prior_factor(4, alike))
    assert found.mean[2] > 0.2
    assert found.mean[3] == pytest.approx(0, abs=1e-9)
    assert found.covariance[2, 2] < found.covariance[3, 3] == pytest.approx(SPREAD**2)


def test_waiting_pairs_narrow_and_do_not_move() -> None:
    answers, factor = asked(5, 8, 3), prior_factor(5, None)
    one = posterior(pair_counts(answers), factor)
    handed = AskedCounts(np.array([0]), np.array([4]), np.array([0.5]), np.array([1.0]))
    other = posterior(pair_counts(answers), factor, handed)
    np.testing.assert_array_equal(one.mean, other.mean)
    assert np.all(np.diagonal(other.covariance) <= np.diagonal(one.covariance) + 1e-12)
    assert other.covariance[0, 0] < one.covariance[0, 0] - 1e-3


# What a pair is expected to tell


@pytest.mark.parametrize(("gap", "deviation"), [(0.0, 0.3), (0.0, 2.0), (1.5, 1.0), (-3.0, 2.5)])
def test_information_is_the_integral(gap: float, deviation: float) -> None:
    def entropy(p: float) -> float:
        return float(-p * np.log(p) - (1 - p) * np.log1p(-p))

    def over(value: Callable[[float], float]) -> float:
        def weighted(x: float) -> float:
            return float(value(x) * norm.pdf(x, gap, deviation))

        return float(quad(weighted, gap - 10 * deviation, gap + 10 * deviation, limit=200)[0])

    mean = over(lambda x: float(expit(x)))
    expected = entropy(mean) - over(lambda x: entropy(float(expit(x))))
    found = information(np.array([gap]), np.array([deviation**2]))
    assert found[0] == pytest.approx(expected, abs=2e-5)


def test_information_ends() -> None:
    assert information(np.array([0.3]), np.array([0.0]))[0] == pytest.approx(0, abs=1e-12)
    rising = information(np.zeros(20), np.linspace(0.01, 30, 20))
    assert np.all(np.diff(rising) > 0)
    assert rising[-1] < np.log(2)
    falling = information(np.linspace(0, 8, 20), np.ones(20))
    assert np.all(np.diff(falling) < 0)


def mean_variance(covariance: FloatArray) -> float:
    n = len(covariance)
    of = [covariance[i, i] + covariance[j, j] - 2 * covariance[i, j] for i, j in combinations(range(n), 2)]
    return float(np.mean(of))


@examples(50)
@given(st.integers(2, 6), st.integers(0, 10), st.integers(0, 10**6))
def test_less_variance_is_the_plain_difference(n: int, count: int, seed: int) -> None:
    """The mean variance of differences before and after one more answer, with a whole new matrix each time."""
    answers = asked(n, count, seed)
    known = posterior(pair_counts(answers), prior_factor(n, kernel(n, seed)))
    belief, plain = Belief(known, "variance"), np.linalg.inv(known.covariance)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        first, second = (int(each) for each in rng.choice(n, 2, replace=False))
        sign = np.zeros(n)
        sign[first], sign[second] = 1, -1
        p = expit(known.mean[first] - known.mean[second])
        after = plain + p * (1 - p) * np.outer(sign, sign)
        expected = mean_variance(np.linalg.inv(plain)) - mean_variance(np.linalg.inv(after))
        found = belief.gain(np.array([first]), np.array([second]))[0]
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-9)
        belief.ask(first, second)
        plain = after


@examples(50)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_information_after_asking_has_the_narrowed_variance(n: int, seed: int) -> None:
    known = posterior(pair_counts(asked(n, 6, seed)), prior_factor(n, None))
    belief, plain = Belief(known, "information"), np.linalg.inv(known.covariance)
    rng = np.random.default_rng(seed)
    one, two = np.array(list(combinations(range(n), 2))).T
    for _ in range(3):
        first, second = (int(each) for each in rng.choice(n, 2, replace=False))
        belief.ask(first, second)
        sign = np.zeros(n)
        sign[first], sign[second] = 1, -1
        p = expit(known.mean[first] - known.mean[second])
        plain = plain + p * (1 - p) * np.outer(sign, sign)
    left = np.linalg.inv(plain)
    variance = left[one, one] + left[two, two] - 2 * left[one, two]
    np.testing.assert_allclose(
        belief.gain(one, two), information(known.mean[one] - known.mean[two], variance), atol=1e-9
    )


# The rules


@pytest.mark.parametrize("how", ACTIVE)
@pytest.mark.parametrize("n", [2, 10, 31])
def test_a_cold_start_meets_every_item(how: How, n: int) -> None:
    found = next_pairs(nothing(n), rng=np.random.default_rng(2), count=(n + 1) // 2, how=how)
    assert len({item for pair in found for item in pair}) == n


@pytest.mark.parametrize("how", [*ACTIVE, "random"])
def test_batches_hold_no_pair_twice_and_none_that_is_out(how: How) -> None:
    answers = asked(12, 20, 4)
    waiting = [(3, 1), (0, 11), (5, 6)]
    found = next_pairs(answers, rng=np.random.default_rng(5), count=30, how=how, waiting=waiting)
    taken = unordered(waiting) | unordered(
        list(zip(answers.first.tolist(), answers.second.tolist(), strict=True))
    )
    assert len(found) == len(unordered(found)) == 30
    assert not unordered(found) & taken
    assert all(a != b for a, b in found)


@pytest.mark.parametrize("how", [*ACTIVE, "random"])
def test_the_last_pairs_are_all_that_come(how: How) -> None:
    waiting = [(0, 1), (1, 2)]
    found = next_pairs(nothing(4), rng=np.random.default_rng(1), count=50, how=how, waiting=waiting)
    assert unordered(found) == {(0, 2), (0, 3), (1, 3), (2, 3)}
    everything = list(combinations(range(4), 2))
    assert next_pairs(nothing(4), rng=np.random.default_rng(1), count=3, how=how, waiting=everything) == []
    assert next_pairs(nothing(1), rng=np.random.default_rng(1), count=3, how=how) == []


@pytest.mark.parametrize("how", [*ACTIVE, "random"])
def test_answered_pairs_come_again_when_asked_for(how: How) -> None:
    one, two = np.array(list(combinations(range(4), 2))).T
    answers = PairAnswers(4, one, two, np.ones(6))
    assert next_pairs(answers, rng=np.random.default_rng(1), count=6, how=how) == []
    again = next_pairs(
        answers, rng=np.random.default_rng(1), count=9, how=how, repeats=True, waiting=[(2, 0)]
    )
    assert unordered(again) == set(combinations(range(4), 2)) - {(0, 2)}


@pytest.mark.parametrize("how", [*ACTIVE, "random"])
def test_pairs_stay_inside_groups(how: How) -> None:
    groups = np.array(["a", "b", "a", "b", "b", "c"])
    found = next_pairs(
        nothing(6), rng=np.random.default_rng(3), count=20, how=how, groups=groups, waiting=[(0, 2)]
    )
    assert unordered(found) == {(1, 3), (1, 4), (3, 4)}


@pytest.mark.parametrize("how", ACTIVE)
def test_answers_across_groups_lead_to_no_pairs_across(how: How) -> None:
    """Answers of another day join items of two groups; what is asked now stays inside, and joins inside."""
    answers = PairAnswers(6, np.array([0, 1]), np.array([3, 4]), np.array([1.0, 0.0]))
    groups = [0, 0, 0, 1, 1, 1]
    found = next_pairs(answers, rng=np.random.default_rng(3), count=20, how=how, groups=groups)
    assert unordered(found) == {(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)}


def test_random_pairs_of_groups_are_all_as_likely() -> None:
    """Groups of 3 and 4 items have 3 and 6 pairs."""
    groups, rng = [0, 0, 0, 1, 1, 1, 1], np.random.default_rng(8)
    counts: dict[tuple[int, int], int] = {}
    for _ in range(1800):
        for pair in unordered(next_pairs(nothing(7), rng=rng, count=2, how="random", groups=groups)):
            counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == 9
    assert np.abs(np.array(list(counts.values())) - 400).max() < 80  # four standard deviations of 400


@pytest.mark.parametrize("how", ACTIVE)
def test_the_order_inside_a_pair_is_open(how: How) -> None:
    found = next_pairs(nothing(60), rng=np.random.default_rng(9), count=200, how=how)
    assert 60 < sum(a < b for a, b in found) < 140


@pytest.mark.parametrize("how", [*ACTIVE, "random"])
def test_the_same_seed_gives_the_same_pairs(how: How) -> None:
    answers = asked(20, 40, 1)
    one, two, other = (
        next_pairs(answers, rng=np.random.default_rng(seed), count=8, how=how, similarity=kernel(20))
        for seed in (6, 6, 7)
    )
    assert one == two
    assert one != other


def first_asked(monkeypatch: pytest.MonkeyPatch, every: int) -> int:
    """After how many pairs a copy of another item comes: all that is said of the other one is known of it, too."""
    monkeypatch.setattr(next_pair, "LINK_EVERY", every)
    monkeypatch.setattr("adjudge.stats.preference.next_pair.SHARED", 1 - 1e-7)
    alike = np.eye(8)
    alike[:7, :7] = 0.2 + 0.8 * np.eye(7)
    alike[7], alike[:, 7], alike[7, 7] = alike[0], alike[0], 1.0
    one, two = np.array([(0, other) for other in range(1, 7)] * 100).T
    answers = PairAnswers(8, one, two, np.tile([0.0, 1.0], len(one) // 2))
    found = next_pairs(answers, rng=np.random.default_rng(4), count=21, similarity=alike)
    return next(k for k, pair in enumerate([*found, (7, 7)]) if 7 in pair)


def test_no_item_starves(monkeypatch: pytest.MonkeyPatch) -> None:
    """All about the copy is known, and still it is asked about: by the rule alone."""
    assert first_asked(monkeypatch, every=5) == 0
    assert first_asked(monkeypatch, every=10**9) >= 5


@pytest.mark.parametrize("how", ACTIVE)
def test_a_part_of_its_own_is_joined(how: How) -> None:
    """Two halves with many answers inside and none between them; and the pair that joins them comes at once."""
    inside = [(a, b) for a, b in combinations(range(10), 2) if (a < 5) == (b < 5)]
    one, two = np.array(inside * 5).T
    won = np.random.default_rng(0).choice([0.0, 1.0], len(one))
    answers = PairAnswers(10, one, two, won)
    assert len(answers) % next_pair.LINK_EVERY == 0
    ((a, b),) = next_pairs(answers, rng=np.random.default_rng(1), count=1, how=how, repeats=True)
    assert (a < 5) != (b < 5)


@pytest.mark.parametrize("how", ACTIVE)
def test_parts_that_are_joined_one_way_only_are_asked_about(how: How) -> None:
    """0 to 4 always win against 5 to 9. Pairs inside have few answers, and would come first."""
    between = [(a, b) for a in range(5) for b in range(5, 10)] * 3
    inside = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (5, 6), (6, 7), (7, 8), (8, 9), (9, 5)]
    one, two = np.array(between + inside).T
    answers = PairAnswers(10, one, two, np.ones(len(one)))
    assert len(answers) % next_pair.LINK_EVERY == 0
    first = next_pairs(answers, rng=np.random.default_rng(1), count=2, how=how, repeats=True)
    assert (first[0][0] < 5) != (first[0][1] < 5)
    assert (first[1][0] < 5) == (first[1][1] < 5)  # the rule is for every fifth pair only


def test_an_answer_without_weight_is_none() -> None:
    answers = PairAnswers(
        3, np.array([0, 1]), np.array([1, 2]), np.array([1.0, 1.0]), weight=np.array([0.0, 1.0])
    )
    found = next_pairs(answers, rng=np.random.default_rng(1), count=9)
    assert unordered(found) == {(0, 1), (0, 2)}


def test_wrong_calls() -> None:
    rng = np.random.default_rng(0)
    wrong: Literal["variance"] = "best"  # type: ignore[assignment]
    with pytest.raises(UsageError, match='unknown way to choose pairs "best"'):
        next_pairs(nothing(3), rng=rng, how=wrong)
    with pytest.raises(UsageError, match="must not be negative"):
        next_pairs(nothing(3), rng=rng, count=-1)
    with pytest.raises(DataError, match="2 groups for 3 items"):
        next_pairs(nothing(3), rng=rng, groups=[0, 1])
    with pytest.raises(DataError, match=r"the similarity is \(2, 2\), and there are 3 items"):
        next_pairs(nothing(3), rng=rng, similarity=np.eye(2))
    with pytest.raises(DataError, match="not a number"):
        next_pairs(nothing(2), rng=rng, similarity=np.full((2, 2), np.nan))
    with pytest.raises(DataError, match="item 7, and there are 3"):
        next_pairs(nothing(3), rng=rng, waiting=[(0, 7)])


# What it saves

STEP, LAST, GOAL = 10, 800, 500


Fit = Literal["plain", "propagated", "kernel"]


def strengths(topic: Topic, answers: PairAnswers, how: Fit) -> FloatArray:
    """What a user would get; `kernel` is the mode of the model that chooses pairs, with similarity."""
    if how == "kernel":
        return np.asarray(np.exp(mode(pair_counts(answers), prior_factor(len(topic), topic.similarity))))
    wins = propagated(answers, topic.similarity) if how == "propagated" else answers.wins()
    return fit(wins, tolerance=1e-6).values


def course(
    topic: Topic, how: How, similarity: bool, rng: np.random.Generator, last: int
) -> Iterator[PairAnswers]:
    """All answers so far, after every ten. Pairs come in batches of ten."""
    answers = topic.ask([], rng)
    while len(answers) < last:
        pairs = next_pairs(
            answers, rng=rng, count=STEP, how=how, similarity=topic.similarity if similarity else None
        )
        more = topic.ask(pairs, rng)
        answers = PairAnswers(
            len(topic),
            np.append(answers.first, more.first),
            np.append(answers.second, more.second),
            np.append(answers.won, more.won),
        )
        yield answers


def agreements(topic: Topic, answers: PairAnswers, how: Fit) -> tuple[float, float]:
    """About summaries and about sentences."""
    values = strengths(topic, answers, how)
    return agreement(topic, values), ordered_right(topic.worth, values)


def curve(topic: Topic, how: How, propagate: bool, seed: int, last: int = LAST) -> FloatArray:
    """Agreement about summaries and about sentences after every ten answers. The fit is the same for all ways."""
    rng = np.random.default_rng(seed)
    fitted: Fit = "propagated" if propagate else "plain"
    return np.array([agreements(topic, each, fitted) for each in course(topic, how, propagate, rng, last)])


RIVALS: tuple[How, How] = ("random", "variance")


def needed(points: FloatArray, goal: float) -> int:
    """Answers until a curve, made to rise by isotonic regression, is at the goal; the last one where it never is."""
    smooth = isotonic_regression(points).x
    reached = np.flatnonzero(smooth >= goal - 1e-12)
    return STEP * (int(reached[0]) + 1) if len(reached) else LAST


def test_needed_is_where_the_curve_arrives() -> None:
    points = np.array([0.5, 0.7, 0.6, 0.7, 0.8])
    assert [needed(points, goal) for goal in (0.4, 0.65, 0.7, 0.8)] == [10, 20, 40, 50]
    assert needed(points, 0.9) == LAST


@pytest.mark.parametrize("propagate", [False, True])
def test_active_sampling_gets_further(propagate: bool) -> None:
    """Agreement about summaries, mean over the first 100 answers, on topics of the kind that constants were set on."""
    gains = []
    for seed in range(12):
        topic = themes(seed, n=60)
        chance, chosen = (curve(topic, how, propagate, seed, 100)[:, 0].mean() for how in RIVALS)
        gains.append(chosen - chance)
    assert np.mean(gains) > 0.02


ARMS: dict[str, How] = {
    "random": "random",
    "again": "random",
    "information": "information",
    "variance": "variance",
}


def answers_needed(make: Callable[[int], Topic], propagate: bool, seeds: range) -> dict[str, FloatArray]:
    """Per arm, a row per seed: answers to the agreement of the random arm at 500, of summaries and of sentences.

    The arm `again` is a second random one: what it needs shows what the rule itself gives for nothing.
    """
    found: dict[str, list[list[int]]] = {arm: [] for arm in ARMS if arm != "random"}
    for seed in seeds:
        topic = make(seed)
        courses = {
            arm: curve(topic, how, propagate, 1000 * k + seed) for k, (arm, how) in enumerate(ARMS.items())
        }
        goals = [isotonic_regression(column).x[GOAL // STEP - 1] for column in courses["random"].T]
        for arm, rows in found.items():
            rows.append([needed(column, goal) for column, goal in zip(courses[arm].T, goals, strict=True)])
    return {arm: np.array(rows, dtype=np.float64) for arm, rows in found.items()}


def interval(values: FloatArray) -> tuple[float, float, float]:
    half = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean()), float(values.mean() - half), float(values.mean() + half)


@pytest.mark.slow
@pytest.mark.parametrize("propagate", [False, True])
def test_answers_saved_on_topics_of_another_kind(propagate: bool) -> None:
    """The first table of docs/which-pair-next.md. Run with -s to see it.

    With the plain fit answers are saved; with the propagated one they are not, and the page says so.
    """
    found = answers_needed(facts, propagate, range(20))
    print("\npropagated" if propagate else "\nplain")
    for arm, rows in found.items():
        for column, what in enumerate(("summaries", "sentences")):
            mean, low, high = interval(rows[:, column])
            against = "{:.0f} ({:.0f} to {:.0f})".format(
                *interval(rows[:, column] - found["again"][:, column])
            )
            print(f"{arm:12} {what}: {mean:.0f} ({low:.0f} to {high:.0f}), against again {against}")
            print(f"    {rows[:, column].astype(int).tolist()}")
            if arm != "again":
                assert (high < GOAL) is not propagate


@pytest.mark.slow
def test_levels_of_agreement() -> None:
    """The second table of docs/which-pair-next.md. Run with -s to see it."""
    fits: tuple[Fit, ...] = ("plain", "propagated", "kernel")
    ways: tuple[tuple[How, bool], ...] = (("random", False), ("variance", False), ("variance", True))
    at, found = (100, 200, 300, 500), {}
    for how, similarity in ways:
        rows = []
        for seed in range(40, 52):
            topic = facts(seed)
            runs = list(course(topic, how, similarity, np.random.default_rng(seed), at[-1]))
            rows.append([[agreements(topic, runs[k // STEP - 1], fitted) for k in at] for fitted in fits])
        for fitted, levels in zip(fits, np.mean(rows, axis=0), strict=True):
            found[how, similarity, fitted] = levels
            print(f"\n{how} {similarity} {fitted}", *(f"{a:.3f}/{b:.3f}" for a, b in levels), end="")
    for fitted in ("plain", "kernel"):
        assert np.all(found["variance", True, fitted][-1] > found["random", False, fitted][-1] + 0.02)
    assert np.all(found["variance", True, "propagated"][-1] < found["random", False, "propagated"][-1])
