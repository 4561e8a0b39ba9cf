"""Two one-sided tests against statsmodels, SciPy, full enumeration and intervals, and how often they are wrong."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.core.words import p_words
from adjudge.stats import pairs
from adjudge.stats.checks import FloatArray
from adjudge.stats.effects import pair_effects
from adjudge.stats.equivalence import Equivalence, EquivalenceTest, equivalence_pairs, verdicts
from adjudge.stats.multiple import adjust
from adjudge.stats.paired import EXACT_UP_TO, paired_t, wilcoxon

TESTS: tuple[EquivalenceTest, ...] = get_args(EquivalenceTest)


@pytest.mark.parametrize("n", [2, 5, 23, 300])
@pytest.mark.parametrize("margin", [0.05, 0.5, 3.0])
def test_t_equals_statsmodels(n: int, margin: float) -> None:
    # statsmodels 0.15.0, ttost_paired(x, y, -margin, margin)
    x = np.random.default_rng(n).normal([0.1, 0, 0.3], 1, size=(n, 3))
    found = equivalence_pairs(x, margin=margin)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        p, low, high = ttost_paired(x[:, i], x[:, j], -margin, margin)
        assert found.p_same[k] == pytest.approx(p, rel=1e-9)
        assert [found.p_low[k], found.p_high[k]] == pytest.approx([low[1], high[1]], rel=1e-9)
        assert found.p_different[k] == pytest.approx(paired_t(x[:, i], x[:, j]).p, rel=1e-9)


@pytest.mark.parametrize("n", [6, 23, 48, EXACT_UP_TO])
def test_wilcoxon_equals_scipy_without_ties(n: int) -> None:
    # SciPy 1.17, wilcoxon(method="exact") of the differences with the margin added and taken off
    x = np.random.default_rng(n).normal([0.1, 0], 1, size=(n, 2))
    d = x[:, 0] - x[:, 1]
    found = equivalence_pairs(x, margin=0.5, test="wilcoxon")
    expected = [
        stats.wilcoxon(d + 0.5, alternative="greater", method="exact").pvalue,
        stats.wilcoxon(d - 0.5, alternative="less", method="exact").pvalue,
        stats.wilcoxon(d, method="exact").pvalue,
    ]
    assert [found.p_low[0], found.p_high[0], found.p_different[0]] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("unit", [0.125, 1e-12])
@pytest.mark.parametrize("n", [20, 48, EXACT_UP_TO + 1])
def test_wilcoxon_by_the_normal_distribution_equals_scipy(n: int, unit: float) -> None:
    # SciPy 1.17, wilcoxon(method="asymptotic", correction=True); in eighths SciPy loses no ties either
    d = np.round(np.random.default_rng(n).normal(0.1, 1, size=n) / unit) * unit
    found = equivalence_pairs(np.column_stack([d, 0 * d]), margin=0.25, test="wilcoxon", exact_up_to=0)
    options = {"method": "asymptotic", "correction": True}
    expected = [
        stats.wilcoxon(d + 0.25, alternative="greater", **options).pvalue,
        stats.wilcoxon(d - 0.25, alternative="less", **options).pvalue,
        stats.wilcoxon(d, **options).pvalue,
    ]
    assert [found.p_low[0], found.p_high[0], found.p_different[0]] == pytest.approx(expected, rel=1e-9)


def enumerated(d: FloatArray) -> tuple[float, float, float]:
    """P(R+ >= observed), P(R+ <= observed) and the two-sided p over all signs of the differences that are not 0."""
    d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    sums = np.array(
        [sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in product([0, 1], repeat=d.size)]
    )
    observed = ranks[d > 0].sum()
    greater, less = float(np.mean(sums >= observed - 1e-9)), float(np.mean(sums <= observed + 1e-9))
    return greater, less, min(1.0, 2 * min(greater, less))


@examples(80)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=9),
    st.integers(1, 6),
    st.sampled_from([1, 10, 3]),
)
def test_wilcoxon_equals_enumeration_with_ties(scores: list[tuple[int, int]], margin: int, unit: int) -> None:
    # In tenths and thirds the differences carry noise, and so does the margin; the twin sees whole numbers.
    x = np.array(scores, dtype=float)
    d = 2 * (x[:, 0] - x[:, 1])
    found = equivalence_pairs(x / unit, margin=margin / 2 / unit, test="wilcoxon")
    expected = [enumerated(d + margin)[0], enumerated(d - margin)[1], enumerated(d)[2]]
    assert [found.p_low[0], found.p_high[0], found.p_different[0]] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("exact_up_to", [0, EXACT_UP_TO])
def test_the_two_sided_p_is_that_of_the_usual_test(exact_up_to: int) -> None:
    x = np.round(np.random.default_rng(3).normal(size=(40, 6)), 1)
    x[:20, 0] = np.nan
    found = equivalence_pairs(x, margin=0.3, test="wilcoxon", exact_up_to=exact_up_to)
    expected = [wilcoxon(x[:, i], x[:, j], exact_up_to=exact_up_to).p for i, j in combinations(range(6), 2)]
    np.testing.assert_allclose(found.p_different, expected, rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 0.1])
@pytest.mark.parametrize("test", TESTS)
def test_the_same_means_that_the_interval_lies_inside(test: EquivalenceTest, alpha: float) -> None:
    x = np.random.default_rng(5).normal(size=(30, 25))
    found = equivalence_pairs(x, margin=0.45, test=test, alpha=alpha, correct="none")
    effects = pair_effects(x, level=1 - 2 * alpha)
    e = effects.mean if test == "t" else effects.hodges_lehmann
    inside = (e.low > -0.45) & (e.high < 0.45)
    np.testing.assert_array_equal(found.equivalent, inside)
    assert 0 < np.count_nonzero(inside) < inside.size
    np.testing.assert_array_equal(found.equivalent, found.p_same < alpha)
    np.testing.assert_array_equal([found.interval.low, found.interval.high], [e.low, e.high])


def test_the_four_answers() -> None:
    noise = np.linspace(-1, 1, 40)[:, None]
    scores = np.hstack([0 * noise, 0.1 * noise + 0.01, 0.1 * noise + 2, 0.1 * noise + 0.2, 9 * noise + 1])
    found = equivalence_pairs(scores, margin=0.5)
    answers = ("the same", "different", "different, but within the margin", "undecided")
    assert found.verdict[:4] == answers
    assert found.equivalent[:4].tolist() == [True, False, True, False]
    assert [found.at(k).sentence("A", "B").split(" (")[0] for k in range(4)] == [
        "A and B are the same within ±0.5",
        "A and B are different",
        "A and B are different, but within ±0.5",
        "A and B may be the same within ±0.5 or different: neither is shown",
    ]
    p = paired_t(scores[:, 0], scores[:, 1]).p
    over = "Holm over 7 pairs"  # t cannot test three, whose differences do not vary
    corrected = adjust(found.p_different, "holm")[0]
    assert p < corrected
    basis = f"(paired t, {over}, the same: p < .001, different: {p_words(corrected)}, n = 40 topics)"
    assert found.at(0).sentence("A", "B").endswith(basis)
    assert found.signature == "tost|t|margin:0.5|alpha:0.05|correct:holm|pairs:10"
    alone = equivalence_pairs(scores[:, :2], margin=0.5).at(0)
    basis = f"(paired t, the same: p < .001, different: {p_words(p)}, n = 40 topics)"
    assert alone.sentence("A", "B").endswith(basis)


def test_verdicts_of_corrected_p_values() -> None:
    x = np.random.default_rng(2).normal(size=(60, 8))
    found, each = equivalence_pairs(x, margin=0.5), equivalence_pairs(x, margin=0.5, correct="none")
    corrected = verdicts(adjust(found.p_different, "holm"), adjust(found.p_same, "holm"), 0.05)
    assert found.verdict == corrected
    assert verdicts(found.p_different, found.p_same) == each.verdict
    assert corrected.count("the same") < each.verdict.count("the same")
    assert verdicts([math.nan], [math.nan]) == ("undecided",)
    assert verdicts([], []) == ()


def by_hand(p: FloatArray) -> list[float]:
    """Holm's procedure as it is told: the k-th smallest of m times m - k + 1, never below one before it."""
    ordered = sorted((value, k) for k, value in enumerate(p.tolist()))
    found, most = [math.nan] * p.size, 0.0
    for step, (value, k) in enumerate(ordered):
        found[k] = most = max(most, min(1.0, (p.size - step) * value))
    return found


@examples(60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 6),
    st.lists(st.booleans(), min_size=15, max_size=15),
    st.sampled_from(TESTS),
)
def test_equivalence_is_corrected_over_its_own_family(
    seed: int, systems: int, chosen: list[bool], test: EquivalenceTest
) -> None:
    x = np.random.default_rng(seed).normal(size=(25, systems))
    family = np.array(chosen[: systems * (systems - 1) // 2])
    found = equivalence_pairs(x, margin=0.9, test=test, family=family)
    raw = equivalence_pairs(x, margin=0.9, test=test, correct="none")
    np.testing.assert_allclose(found.same_adjusted[family], by_hand(raw.p_same[family]), rtol=1e-12)
    np.testing.assert_allclose(found.different_adjusted[family], by_hand(raw.p_different[family]), rtol=1e-12)
    np.testing.assert_array_equal(found.p_low[family], raw.p_low[family])
    assert np.isnan(found.same_adjusted[~family]).all()
    assert not found.equivalent[~family].any()
    np.testing.assert_array_equal(found.equivalent[family], found.same_adjusted[family] < 0.05)
    assert found.interval.low.size == family.size


def test_pairs_that_were_not_asked_for_say_so_and_are_no_burden() -> None:
    x = np.random.default_rng(2).normal(size=(60, 8))
    alone = np.arange(28) == 4
    found = equivalence_pairs(x, margin=0.5, family=alone)
    assert found.same_adjusted[4] == found.p_same[4] < equivalence_pairs(x, margin=0.5).same_adjusted[4]
    said = found.at(0).sentence("A", "B")
    assert (
        said
        == "Whether A and B are the same within ±0.5 is undecided (paired t: this pair was not asked for)"
    )
    assert "Holm" not in found.at(4).sentence("A", "F")


def test_a_pair_that_cannot_be_tested_is_no_burden() -> None:
    x = np.random.default_rng(2).normal(size=(60, 3))
    x[:, 2] = x[:, 1] + 1  # t cannot test these two, and takes two others
    found = equivalence_pairs(x, margin=0.5)
    assert found.same_adjusted[0] == pytest.approx(2 * found.p_same[0])
    assert "Holm over 2 pairs" in found.at(0).sentence("A", "B")
    assert found.at(2).why == "all 60 differences are the same, and need to vary"


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.round(np.random.default_rng(3).normal(size=(20, 6)), 1)
    whole = [equivalence_pairs(x, margin=0.3, test=test) for test in TESTS]
    monkeypatch.setattr(pairs, "WIDEST", 2)
    for one, test in zip(whole, TESTS, strict=True):
        np.testing.assert_array_equal(one.p_same, equivalence_pairs(x, margin=0.3, test=test).p_same)


def outcome(found: Equivalence) -> tuple[bool, str, str | None]:
    return math.isnan(found.p_same[0]), found.verdict[0], found.why.get(0)


@pytest.mark.parametrize("difference", [0.0, 0.2])
def test_constant_differences(difference: float) -> None:
    y = np.random.default_rng(0).normal(size=9)
    x = np.column_stack([y + difference, y])
    why = "all 9 differences are the same, and need to vary"
    assert outcome(equivalence_pairs(x, margin=0.3)) == (True, "undecided", why)
    found = equivalence_pairs(x, margin=0.3, test="wilcoxon")
    assert found.p_same[0] == 2**-9
    assert found.verdict[0] == ("different, but within the margin" if difference else "the same")
    assert equivalence_pairs(x, margin=0.3).at(0).sentence("A", "B") == (
        f"Whether A and B are the same within ±0.3 is undecided (paired t: {why})"
    )


@pytest.mark.parametrize("test", TESTS)
def test_too_little_gives_reasons(test: EquivalenceTest) -> None:
    one = equivalence_pairs([[1.0, 2.0]], margin=0.3, test=test)
    assert outcome(one) == (True, "undecided", "needs two topics that both have, has 1")
    empty = equivalence_pairs(np.full((9, 2), np.nan), margin=0.3, test=test)
    assert outcome(empty) == (True, "undecided", "needs two topics that both have, has none")
    assert len(equivalence_pairs(np.ones((0, 3)), margin=0.3, test=test)) == 3
    assert len(equivalence_pairs(np.ones((3, 1)), margin=0.3, test=test)) == 0
    two = equivalence_pairs([[1.0, 1.1], [2.0, 2.3]], margin=5.0, test=test)
    assert not math.isnan(two.p_same[0])


@examples(40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([-1000, -600, 600, 995]), st.sampled_from(TESTS))
def test_the_unit_of_scores_and_margin_does_not_matter(seed: int, power: int, test: EquivalenceTest) -> None:
    x = np.random.default_rng(seed).normal(size=(9, 3))
    plain = equivalence_pairs(x, margin=0.8, test=test)
    found = equivalence_pairs(np.ldexp(x, power), margin=math.ldexp(0.8, power), test=test)
    for name in ("p_low", "p_high", "p_different"):
        np.testing.assert_allclose(getattr(found, name), getattr(plain, name), rtol=1e-9)
    assert found.verdict == plain.verdict
    far = equivalence_pairs(np.ldexp(x, power), margin=0.8, test=test)
    assert not np.isnan(far.p_same).any()
    assert set(far.equivalent.tolist()) == {power < 0}


@pytest.mark.parametrize("test", TESTS)
def test_five_hundred_systems(test: EquivalenceTest) -> None:
    found = equivalence_pairs(np.random.default_rng(0).normal(size=(8, 500)), margin=0.3, test=test)
    assert not np.isnan(found.p_same).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": 0.0}, "^margin: expected a number above 0, got 0.0"),
        ({"margin": math.inf}, "^margin: "),
        ({"margin": math.nan}, "^margin: "),
        ({"margin": 1.0, "test": "sign"}, '^test: unknown value "sign"'),
        ({"margin": 1.0, "alpha": 5}, "^alpha: "),
        ({"margin": 1.0, "exact_up_to": -1}, "^exact_up_to: "),
        ({"margin": 1.0, "correct": "tukey"}, '^correct: unknown value "tukey"'),
        (
            {"margin": 1.0, "family": [True, True]},
            "^family: expected 1 truth value, .* got bool of shape",
        ),
        (
            {"margin": 1.0, "family": [1]},
            "^family: expected 1 truth value, .* got int64 of shape",
        ),
    ],
)
def test_wrong_calls_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        equivalence_pairs(np.ones((4, 2)), **options)  # type: ignore[arg-type]


def test_verdicts_need_two_of_a_length() -> None:
    with pytest.raises(UsageError, match="^p_different and p_same: expected one length, got 2 and 1"):
        verdicts([0.1, 0.2], [0.1])


def wrongly_the_same(test: EquivalenceTest, runs: int) -> int:
    """How often two systems that are a margin apart are called the same: 20 topics, normal noise."""
    rng = np.random.default_rng(11)
    found = 0
    for _ in range(runs):
        scores = np.column_stack([rng.normal(1.0, 1, 20), np.zeros(20)])
        found += bool(equivalence_pairs(scores, margin=1.0, test=test).equivalent[0])
    return found


@pytest.mark.parametrize("test", TESTS)
def test_a_margin_apart_they_are_called_the_same_no_more_often_than_alpha(test: EquivalenceTest) -> None:
    runs = 2000
    low, high = stats.binom.ppf([0.005, 0.995], runs, 0.05)
    assert low <= wrongly_the_same(test, runs) <= high
