"""All pairs at once: the plain way, the compiled way and the tests of one pair give the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples

from adjudge.core.compiled import bare
from adjudge.core.errors import UsageError
from adjudge.stats import pairs
from adjudge.stats.checks import FloatArray
from adjudge.stats.pair_kernels import lower_tail, merge_runs
from adjudge.stats.paired import NOISE, Alternative, Zeros, differences, paired_t, sign, unpaired_t, wilcoxon
from adjudge.stats.pairs import (
    PairResults,
    pair_counts,
    sign_pairs,
    t_pairs,
    unpaired_t_pairs,
    wilcoxon_pairs,
)

ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
ZEROS: tuple[Zeros, ...] = get_args(Zeros)

# Every test of all pairs with its options, and the test of one pair that it must equal.
Twins = tuple[Callable[[FloatArray], PairResults], Callable[..., Any]]
TESTS: list[tuple[Callable[..., PairResults], Callable[..., Any]]] = [
    (t_pairs, paired_t),
    (unpaired_t_pairs, unpaired_t),
    (partial(unpaired_t_pairs, equal_variances=False), partial(unpaired_t, equal_variances=False)),
    (sign_pairs, sign),
    *(
        (partial(wilcoxon_pairs, zeros=z, exact_up_to=e), partial(wilcoxon, zeros=z, exact_up_to=e))
        for z, e in product(ZEROS, (300, 4))
    ),
]


def twins() -> Iterator[Twins]:
    for (fast, plain), alternative in product(TESTS, ALTERNATIVES):
        yield partial(fast, alternative=alternative), partial(plain, alternative=alternative)


@pytest.fixture(params=["plain", "compiled", "compiled where hard"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways through the code: by size alone a small matrix takes the plain one."""
    if request.param == "compiled":
        monkeypatch.setattr(pairs, "COMPILED_FROM", 0)
    if request.param == "compiled where hard":
        monkeypatch.setattr(pairs, "COMPILED_SECONDS", 0.0)
    return str(request.param)


def assert_equal(found: PairResults, values: FloatArray, single: Callable[..., Any]) -> None:
    """Counts, reasons and methods are the same; numbers to eleven digits, which t loses to cancellation."""
    expected = [single(x, y) for x, y in combinations(values.T, 2)]
    assert len(found) == len(found.counts) == len(expected)
    for k, one in enumerate(expected):
        each = found.at(k)
        for name in ("test", "n", "method", "wins", "losses", "ties", "why"):
            assert getattr(each, name) == getattr(one, name), (k, name)
        for name in ("statistic", "p", "difference"):
            expected_number = pytest.approx(getattr(one, name), rel=1e-11, abs=1e-13, nan_ok=True)
            assert getattr(each, name) == expected_number, (k, name)


@st.composite
def matrices(draw: st.DrawFn) -> FloatArray:
    """Ratings, tenths with noise, and measurements; with columns that are constant, copied, or empty."""
    topics, systems = draw(st.integers(0, 14)), draw(st.integers(0, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["ratings", "tenths", "noise", "normal", "mixed"]))
    values = rng.integers(1, 6, (topics, systems)).astype(float)
    if kind in ("tenths", "noise"):
        values = values / 10
    if kind == "noise":
        values = values * (1 + rng.integers(-3, 4, values.shape) * 2.0**-52)
    if kind == "normal":
        values = rng.normal(size=(topics, 1)) + rng.normal(scale=0.3, size=(topics, systems))
    if kind == "mixed":  # scores of very different sizes, so that the noise of one drowns another
        values = values * 10.0 ** rng.integers(-6, 13, (topics, 1))
    for column in range(systems):
        made = draw(st.sampled_from(["as it is", "as it is", "constant", "shifted", "copied", "empty"]))
        if made == "constant":
            values[:, column] = 0.3
        if made == "shifted":
            values[:, column] = values[:, 0] + 0.1
        if made == "copied":
            values[:, column] = values[:, 0]
        if made == "empty":
            values[:, column] = np.nan
    missing = draw(st.sampled_from([0.0, 0.2, 0.7]))
    values[rng.random(values.shape) < missing] = np.nan
    return values


@examples(60)
@given(values=matrices())
def test_all_pairs_equal_one_pair_after_the_other(way: str, values: FloatArray) -> None:
    for fast, single in twins():
        assert_equal(fast(values), values, single)


@pytest.mark.parametrize("topics", [48, 257, 513, 1030])
@pytest.mark.parametrize("kind", ["normal", "ratings", "tenths"])
def test_long_columns_too(way: str, topics: int, kind: str) -> None:
    # More than 256 topics are sorted in runs and merged; more than 300 have normal p-values.
    rng = np.random.default_rng(topics)
    values = rng.normal(size=(topics, 1)) + rng.normal(0, 0.5, size=(topics, 4))
    if kind != "normal":
        values = np.round(values) if kind == "ratings" else np.round(values, 1)
    values[::2, 1] = values[1::2, 2] = values[:40, 3] = np.nan
    for fast, single in TESTS[:4]:
        assert_equal(fast(values), values, single)
    for zeros in ZEROS:
        assert_equal(wilcoxon_pairs(values, zeros=zeros), values, partial(wilcoxon, zeros=zeros))


def scores(topics: int, systems: int, *, seed: int = 0, spread: float = 0.3) -> FloatArray:
    """Topics of different difficulty, systems of different quality; the last eight have half of the topics."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(topics, 1)) + rng.normal(scale=0.3, size=(topics, systems))
    values += np.linspace(0, spread, systems)
    for k in range(8):
        values[k % 2 :: 2, systems - 1 - k] = np.nan
    return values


def by_scipy(values: FloatArray, test: Callable[..., Any]) -> FloatArray:
    """p of every pair by a loop over SciPy's test; NaN with fewer than two topics."""
    p = []
    for x, y in combinations(values.T, 2):
        both = ~(np.isnan(x) | np.isnan(y))
        p.append(test(x[both], y[both]).pvalue if both.sum() > 1 else np.nan)
    return np.array(p)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("spread", [0.3, 20.0])
def test_p_equals_scipy_to_twelve_digits(way: str, spread: float, alternative: Alternative) -> None:
    values = scores(48, 12, spread=spread)
    options: dict[str, Any] = {"alternative": alternative}
    for fast, theirs in (
        (t_pairs, stats.ttest_rel),
        (unpaired_t_pairs, stats.ttest_ind),
        (partial(unpaired_t_pairs, equal_variances=False), partial(stats.ttest_ind, equal_var=False)),
        (wilcoxon_pairs, partial(stats.wilcoxon, method="exact")),
        (
            partial(wilcoxon_pairs, exact_up_to=0),
            partial(stats.wilcoxon, method="asymptotic", correction=True),
        ),
        (sign_pairs, lambda x, y, **o: stats.binomtest(int((x > y).sum()), x.size, **o)),
    ):
        expected = by_scipy(values, partial(theirs, **options))
        # Relative, however small: SciPy's own smallest numbers here are below 1e-60.
        np.testing.assert_allclose(fast(values, **options).p, expected, rtol=1e-12, atol=1e-300)


def test_far_tails_equal_scipy_over_a_thousand_topics(way: str) -> None:
    values = scores(1000, 10, spread=5.0)
    for fast, theirs in (
        (t_pairs, stats.ttest_rel),
        (unpaired_t_pairs, stats.ttest_ind),
        (wilcoxon_pairs, partial(stats.wilcoxon, method="asymptotic", correction=True)),
    ):
        expected = by_scipy(values, theirs)
        assert np.nanmin(expected) < 1e-140
        np.testing.assert_allclose(fast(values).p, expected, rtol=2e-12, atol=1e-300)


def test_near_equal_systems_lose_no_digits(way: str) -> None:
    # Scores near 10 and differences of 1e-6: sums of squares of scores would keep three digits of theirs.
    rng = np.random.default_rng(1)
    values = 10 + rng.normal(size=(40, 1)) + rng.normal(1e-7, 1e-6, size=(40, 6))
    np.testing.assert_allclose(t_pairs(values).p, by_scipy(values, stats.ttest_rel), rtol=1e-12)


def test_a_tie_is_one_for_that_pair_alone(way: str) -> None:
    # Near 1000 a difference of 1e-10 is noise; the same score's differences to others keep all their digits.
    rng = np.random.default_rng(1)
    values = 1000 + rng.normal(size=(20, 1)) + rng.normal(1e-7, 1e-6, size=(20, 4))
    values[3, 1] = values[3, 0] + 1e-10
    assert pair_counts(values).ties.tolist() == [1, 0, 0, 0, 0, 0]
    for fast, single in twins():
        assert_equal(fast(values), values, single)
    np.testing.assert_allclose(t_pairs(values).p[1:], by_scipy(values, stats.ttest_rel)[1:], rtol=1e-12)


def test_exact_with_ties_equals_enumeration(way: str) -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(1, 6, (9, 8)) / 10
    flips = np.array(list(product([-1, 1], repeat=9)))
    expected = []
    for x, y in combinations(np.round(values * 10).T, 2):
        d = x - y
        ranks = np.where(d == 0, 0.0, stats.rankdata(np.where(d == 0, np.nan, np.abs(d)), nan_policy="omit"))
        null = np.abs((flips * ranks).sum(axis=1))
        expected.append(np.mean(null >= abs((np.sign(d) * ranks).sum()) - 1e-9))
    found = wilcoxon_pairs(values)
    np.testing.assert_allclose(found.p, expected, rtol=1e-12)
    # SciPy's exact distribution is for ranks 1, 2, 3, ...: with ties it says something else.
    theirs = by_scipy(np.round(values * 10), partial(stats.wilcoxon, method="exact"))
    assert np.abs(theirs - found.p).max() > 0.01


def test_results_say_what_they_are() -> None:
    values = scores(12, 10)
    found = wilcoxon_pairs(values, zeros="pratt", exact_up_to=100, alternative="greater")
    assert (found.test, found.alternative) == ("wilcoxon", "greater")
    assert found.signature == "wilcoxon|zeros:pratt|exact:100|greater"
    assert t_pairs(values).signature == "t|two-sided"
    assert unpaired_t_pairs(values, equal_variances=False).signature == "welch|two-sided"
    assert sign_pairs(values).signature == "sign|two-sided"
    first, second = zip(*combinations(range(10), 2), strict=True)
    assert (found.counts.first.tolist(), found.counts.second.tolist()) == (list(first), list(second))


def test_counts_are_those_of_the_differences(way: str) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(1, 6, (30, 7)) / 10
    values[rng.random(values.shape) < 0.2] = np.nan
    counts = pair_counts(values)
    for k, (x, y) in enumerate(combinations(values.T, 2)):
        d = differences(x, y)
        assert (counts.n[k], counts.wins[k], counts.losses[k], counts.ties[k]) == (
            d.n,
            d.wins,
            d.losses,
            d.ties,
        )
        assert counts.difference[k] == pytest.approx(d.mean, rel=1e-12, abs=1e-15)


def test_means_of_ratings_are_exact(way: str) -> None:
    # A mean that is 0 must not become -1e-17: sentences speak of which mean is higher.
    values = np.random.default_rng(4).integers(1, 6, (50, 12)).astype(float)
    expected = [(x - y).sum() / 50 for x, y in combinations(values.T, 2)]
    assert pair_counts(values).difference.tolist() == expected


def test_a_mean_that_is_noise_is_zero(way: str) -> None:
    # 0.1 + 0.2 - 0.3 in floating point: sentences would say that one of two equal means is higher.
    values = np.array([[0.3, 0.2, 1e6], [0.4, 0.3, 1e6 + 0.5], [0.5, 0.7, 1e6 - 0.5]])
    raw = (values[:, 0] - values[:, 1]).sum()
    assert 0 < abs(raw) < 1e-15
    for fast, single in twins():
        found = fast(values)
        assert found.counts.difference[0] == single(values[:, 0], values[:, 1]).difference == 0
        assert_equal(found, values, single)
    assert t_pairs(values).statistic[0] == 0


def test_one_large_score_does_not_make_a_mean_noise(way: str) -> None:
    # The noise of 1e15 is 1000, but on that topic the two tie.
    values = np.array([[1e15, 1e15], [2.0, 1.0], [3.0, 2.5], [4.0, 3.0]])
    assert pair_counts(values).difference[0] == 0.625


def test_a_chain_of_ties_is_no_tie_of_its_ends(way: str) -> None:
    # Each of the three ties with the next, the first and the last do not: nothing equal stands for them all.
    step = 1 + 0.7 * NOISE
    chain = np.array([1.0, step, step**2])
    assert [differences([a], [b]).ties for a, b in combinations(chain, 2)] == [1, 0, 1]
    values = np.vstack([chain, np.random.default_rng(5).normal(size=(8, 3))])
    for fast, single in twins():
        assert_equal(fast(values), values, single)


def test_scores_of_very_different_sizes(way: str) -> None:
    # The noise of 1e15 is 1000: differences of 1 elsewhere are none for all that.
    rng = np.random.default_rng(6)
    values = rng.integers(0, 4, (10, 5)).astype(float)
    values[0] = 1e15 + 1e4 * np.arange(5)
    for fast, single in twins():
        assert_equal(fast(values), values, single)


def test_squares_that_do_not_fit(way: str) -> None:
    values = np.random.default_rng(7).normal(size=(9, 4))
    for scale in (2.0**-1000, 2.0**-700, 2.0**700, 2.0**998):
        for fast, single in twins():
            assert_equal(fast(values * scale), values * scale, single)


def test_negative_zeros_are_zeros(way: str) -> None:
    values = np.array([[0.0, -0.0], [-0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    for fast, single in twins():
        assert_equal(fast(values), values, single)


@pytest.mark.parametrize("fast", [t_pairs, unpaired_t_pairs, wilcoxon_pairs, sign_pairs])
def test_what_cannot_be_computed_says_why(way: str, fast: Callable[..., PairResults]) -> None:
    nan = np.nan
    one_topic = fast([[1.0, 2.0, nan]])
    assert [one_topic.why[k] for k in range(3)] == [
        "needs two topics that both have, has 1",
        "needs two topics that both have, has none",
        "needs two topics that both have, has none",
    ]
    assert one_topic.method == (None, None, None)
    nothing = fast(np.full((5, 500), nan))
    assert len(nothing) == len(nothing.why) == 124_750
    assert np.isnan(nothing.p).all()
    assert np.isnan(nothing.statistic).all()
    for shape in ((0, 3), (4, 1), (4, 0), (0, 0)):
        assert len(fast(np.zeros(shape))) == shape[1] * (shape[1] - 1) // 2
    same = fast(np.ones((4, 3)))
    assert same.p.tolist() == [1, 1, 1]
    assert same.statistic.tolist() == [0, 0, 0]
    assert not same.why


def test_constant_differences_say_why(way: str) -> None:
    values = np.array([[0.1, 0.3], [0.3, 0.5], [0.5, 0.7]])
    assert t_pairs(values).why == {0: "all 3 differences are the same, and t needs them to vary"}
    constant = np.tile([0.1, 0.3, 0.1], (3, 1))
    why = "each has one score on all 3 topics, and t needs them to vary"
    found = unpaired_t_pairs(constant)
    assert found.why == {0: why, 2: why}
    assert found.p[1] == 1.0


def test_five_hundred_systems() -> None:
    # Beside a handful of pairs taken one by one.
    values = np.random.default_rng(8).integers(1, 6, (6, 500)) / 10
    found = wilcoxon_pairs(values)
    assert len(found) == 124_750
    assert found.counts.n.min() == 6
    for k in (0, 1, 499, 70_000, 124_749):
        i, j = found.counts.first[k], found.counts.second[k]
        assert found.p[k] == pytest.approx(wilcoxon(values[:, i], values[:, j]).p, rel=1e-12)


@pytest.mark.parametrize("block", [1, 500, 10**9])
def test_blocks_change_nothing(way: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = scores(60, 12)
    values[:, :4] = np.round(values[:, :4], 1)
    before = [fast(values) for fast, _ in TESTS]
    monkeypatch.setattr(pairs, "BLOCK", block)
    for (fast, _), old in zip(TESTS, before, strict=True):
        new = fast(values)
        np.testing.assert_array_equal(new.p, old.p)
        np.testing.assert_array_equal(new.statistic, old.statistic)


def test_ordinary_scores_take_the_fast_way(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise equality with the tests of one pair would say nothing.
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("one by one")

    for name in ("paired_t", "unpaired_t", "wilcoxon", "sign"):
        monkeypatch.setattr(pairs, name, refuse)
    values = scores(40, 12)
    ratings = np.random.default_rng(9).integers(1, 6, (40, 12)) / 10
    for fast, _ in TESTS:
        fast(values)
        if way != "plain":
            fast(ratings)
    with pytest.raises(AssertionError, match="one by one"):
        t_pairs([[0.1, 0.2], [0.2, 0.3]])


def test_a_small_matrix_does_not_load_the_compiler() -> None:
    wilcoxon_pairs(np.random.default_rng(0).normal(size=(48, 66)).round())  # compiled at the latest now
    code = (
        "import sys, numpy as np\n"
        "from adjudge.stats.pairs import t_pairs, unpaired_t_pairs, wilcoxon_pairs, sign_pairs\n"
        "values = np.random.default_rng(0).normal(size=(48, 66))\n"
        "for test in (t_pairs, unpaired_t_pairs, wilcoxon_pairs, sign_pairs): test(values)\n"
        "wilcoxon_pairs(values[:, :8].round())\n"
        "assert 'llvmlite' not in sys.modules\n"
        "wilcoxon_pairs(values.round())\n"
        "assert 'llvmlite' in sys.modules\n"
        "assert sys.platform != 'linux' or 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@settings(deadline=None)
@given(st.integers(1, 40), st.sampled_from([1, 2, 4, 8]), st.integers(0, 2**32 - 1), st.booleans())
def test_merged_runs_are_sorted(run: int, count: int, seed: int, ties: bool) -> None:
    keys = np.random.default_rng(seed).integers(0, 5 if ties else 2**63, (3, run * count), dtype=np.uint64)
    expected = np.sort(keys, axis=1)
    keys.reshape(-1, run).sort(axis=1)
    both = keys, np.empty_like(keys)
    turned = merge_runs(both[0].ravel(), both[1].ravel(), keys.size, run * count, run)
    assert both[turned].tolist() == expected.tolist()


Groups = list[tuple[int, int]]


def compiled_tail(groups: Groups, reach: int) -> float:
    """P(sum <= reach) by the kernel; a group is a rank and how many differences have it."""
    ranked, many = (np.array(each, dtype=np.int64) for each in zip(*groups, strict=True))
    total = int(ranked @ many)
    # Ranks of a test are no larger than twice their number, for which there is room; so take as much here.
    room = pairs.tail_room(max(int(many.sum()), int(ranked.max()), int(np.sqrt(total)) + 1), len(groups))
    wrapped = np.full(1, np.nan)
    at_most(wrapped, ranked, many, len(groups), reach, *room[2:])
    return float(wrapped[0])


@bare
def at_most(
    found: np.ndarray,
    ranks: np.ndarray,
    tied: np.ndarray,
    groups: int,
    reach: int,
    halves: np.ndarray,
    now: np.ndarray,
    after: np.ndarray,
    base: int,
    sums: np.ndarray,
    weights: np.ndarray,
) -> None:
    """The kernel gives a number, which only other kernels can take."""
    found[0] = lower_tail(ranks, tied, groups, reach, halves, now, after, base, sums, weights)


@settings(deadline=None)
@given(
    st.dictionaries(st.integers(1, 30), st.integers(1, 3), min_size=1, max_size=5),
    st.integers(-3, 500),
)
def test_the_compiled_tail_equals_enumeration(drawn: dict[int, int], reach: int) -> None:
    groups = sorted(drawn.items())
    ranks = np.repeat(*np.array(groups).T)
    sums = np.array(list(product([0, 1], repeat=ranks.size))) @ ranks
    assert compiled_tail(groups, reach) == pytest.approx(np.mean(sums <= reach), rel=1e-12)


def whole_tail(groups: Groups, reach: int) -> Fraction:
    """P(sum <= reach) in whole numbers: how many ways there are to each sum."""
    items = sum(many for _, many in groups)
    # The numbers of ways to each sum stand in one number, one after the other, so many bytes each.
    width = items // 8 + 1
    ways = 1
    for rank, many in groups:
        for _ in range(many):
            ways += ways << (8 * width * rank)
    low = (ways & ((1 << 8 * width * (reach + 1)) - 1)).to_bytes(width * (reach + 1), "little")
    upto = sum(int.from_bytes(low[at : at + width], "little") for at in range(0, len(low), width))
    return Fraction(upto, 2**items)


@examples(40)
@given(
    st.lists(st.integers(1, 24), min_size=1, max_size=6), st.sampled_from([0.0, 0.01, 0.2, 0.45, 0.5, 0.8])
)
def test_far_tails_with_ties_keep_their_digits(many: list[int], share: float) -> None:
    # Mid-ranks of groups of so many, doubled; passes of eight, four, two and one, combinations, and both.
    before = np.cumsum([0, *many[:-1]])
    groups = [(int(2 * b + t + 1), t) for b, t in zip(before, many, strict=True)]
    total = sum(rank * t for rank, t in groups)
    reach = int(share * total)
    expected = whole_tail(groups, reach)
    if 2 * reach < total:
        assert compiled_tail(groups, reach) == pytest.approx(float(expected), rel=1e-13)
    else:
        assert compiled_tail(groups, reach) == pytest.approx(float(expected), abs=1e-13)


def test_options_are_checked() -> None:
    for fast, _ in TESTS:
        with pytest.raises(UsageError, match="alternative: unknown value"):
            fast([[1, 2], [3, 4]], alternative="bigger")
        with pytest.raises(UsageError, match=r"values: expected 2 dimension\(s\), got 1"):
            fast([1, 2, 3])
        with pytest.raises(UsageError, match=r"values: infinite value at \[0, 1\]"):
            fast([[1, np.inf]])
        with pytest.raises(UsageError, match=r"values: -1e\+305 at \[0, 1\] is too large"):
            fast([[1, -1e305]])
    with pytest.raises(UsageError, match='zeros: unknown value "zsplit"'):
        wilcoxon_pairs([[1, 2]], zeros="zsplit")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="exact_up_to: expected a whole number"):
        wilcoxon_pairs([[1, 2]], exact_up_to=-1)
