"""Westfall-Young against all sign vectors in fractions, a plain twin, and simulated families without differences."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats import pairs
from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import adjust
from adjudge.stats.paired import Alternative
from adjudge.stats.resampling import westfall_young as module
from adjudge.stats.resampling.westfall_young import Signs, draw_signs, least_topics, westfall_young

ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
PAGE = (Path(__file__).parents[3] / "docs" / "multiplicity.md").read_text(encoding="utf-8")
INFINITE = Fraction(10**12)

RATINGS = st.integers(1, 5) | st.none()
MATRIX = st.integers(2, 4).flatmap(
    lambda columns: st.lists(st.lists(RATINGS, min_size=columns, max_size=columns), min_size=6, max_size=8)
)


def as_scores(rows: list[list[int | None]], unit: int = 1) -> FloatArray:
    return np.array([[np.nan if v is None else v / unit for v in row] for row in rows])


def t_squared(differences: list[int], alternative: str) -> Fraction:
    """T^p squared with its sign, in fractions, from the textbook: mean over standard error."""
    n, total = len(differences), sum(differences)
    mean = Fraction(total, n)
    variance = sum(((d - mean) ** 2 for d in differences), Fraction(0)) / (n - 1)
    if not any(differences):
        return Fraction(0)
    square = mean**2 / (variance / n) if variance else INFINITE
    if alternative == "two-sided":
        return square
    return square * (1 if total >= 0 else -1) * (1 if alternative == "greater" else -1)


def plain(
    rows: list[list[int | None]], vectors: list[tuple[int, ...]], alternative: str, least: int
) -> list[float]:
    """Step-down over all pairs, from the definition. The first of the sign vectors is the observed one."""
    table = []  # one row a pair: its statistic under every vector of signs
    members = []
    for pair, (i, j) in enumerate(combinations(range(len(rows[0])), 2)):
        both = [(k, r[i] - r[j]) for k, r in enumerate(rows) if r[i] is not None and r[j] is not None]  # type: ignore[operator]
        if len(both) >= least:
            members.append(pair)
            table.append([t_squared([v[k] * d for k, d in both], alternative) for v in vectors])
    adjusted = [float("nan")] * len(list(combinations(rows[0], 2)))
    left, last = list(range(len(table))), 0.0
    while left:
        best = max(left, key=lambda index: table[index][0])
        reach = sum(max(table[m][v] for m in left) >= table[best][0] for v in range(len(vectors)))
        last = max(last, reach / len(vectors))
        adjusted[members[best]] = last
        left.remove(best)
    return adjusted


def enumerate_signs(topics: int) -> list[tuple[int, ...]]:
    return list(product([1, -1], repeat=topics))


def used(rows: list[list[int | None]]) -> list[list[int | None]]:
    return [row for row in rows if sum(value is not None for value in row) >= 2]


@examples(60)
@given(MATRIX, st.sampled_from(ALTERNATIVES), st.sampled_from([1, 10, 3]))
def test_all_sign_vectors_in_fractions_give_the_same(
    rows: list[list[int | None]], alternative: Alternative, unit: int
) -> None:
    # In tenths and thirds sums that are equal carry noise; the fractions see whole numbers.
    vectors = enumerate_signs(len(used(rows)))
    expected = plain(used(rows) or rows, vectors, alternative, least_topics(0.2, alternative))
    found = westfall_young(
        as_scores(rows, unit),
        rng=np.random.default_rng(0),
        resamples=300,
        alternative=alternative,
        alpha=0.2,
    )
    assert found.enumerated
    assert found.resamples == len(vectors) - 1
    np.testing.assert_allclose(found.p, expected, rtol=1e-14)


def unpacked(signs: Signs, topics: int) -> list[tuple[int, ...]]:
    bits = np.unpackbits(signs, axis=1, count=topics)
    return [(1,) * topics, *(tuple(1 - 2 * int(bit) for bit in row) for row in bits)]


@examples(30)
@given(
    st.lists(st.lists(RATINGS, min_size=4, max_size=4), min_size=8, max_size=12),
    st.sampled_from(ALTERNATIVES),
    st.integers(0, 100),
)
def test_random_signs_give_what_the_plain_twin_makes_of_them(
    rows: list[list[int | None]], alternative: Alternative, seed: int
) -> None:
    kept = used(rows)
    if len(kept) < 7:  # few topics are enumerated
        return
    vectors = unpacked(draw_signs(len(kept), 59, np.random.default_rng(seed)), len(kept))
    expected = plain(kept, vectors, alternative, least_topics(0.05, alternative))
    found = westfall_young(
        as_scores(rows, 10),
        rng=np.random.default_rng(seed),
        resamples=59,
        alternative=alternative,
    )
    assert not found.enumerated
    np.testing.assert_allclose(found.p, expected, rtol=1e-14)


def test_a_naive_comparison_loses_ties_that_are_kept_here() -> None:
    """That the checks above can fail: in tenths, >= on floats misses equal sums."""
    rows = np.random.default_rng(5).integers(1, 6, size=(10, 2)) / 10
    d = rows[:, 0] - rows[:, 1]
    signs = np.array(enumerate_signs(10))
    naive = np.mean(np.abs(signs @ d) >= abs(d.sum()))
    whole = np.rint(10 * d)
    exact = np.mean(np.abs(signs @ whole) >= abs(whole.sum()))
    assert naive < exact
    assert westfall_young(rows, rng=np.random.default_rng(0), resamples=2000).p[0] == exact


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_one_pair_has_its_permutation_p(alternative: Alternative) -> None:
    # SciPy 1.17, permutation_test(permutation_type="samples"), all 2^12 swaps
    x = np.random.default_rng(2).normal(0.3, 1, size=(12, 2))
    expected = stats.permutation_test(
        (x[:, 0], x[:, 1]),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        vectorized=True,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative,
    )
    found = westfall_young(x, rng=np.random.default_rng(0), resamples=5000, alternative=alternative)
    assert found.enumerated
    assert found.p[0] == found.raw[0] == pytest.approx(expected.pvalue, rel=1e-12)


def gaps(rng: np.random.Generator, topics: int, systems: int, missing: int) -> FloatArray:
    """Scores of systems of which some miss half of the topics, and the last ones are better."""
    x = rng.normal(size=(topics, 1)) + rng.normal(size=(topics, systems)) + np.linspace(0, 2, systems)
    for column in range(missing):
        x[rng.permutation(topics)[: topics // 2], column] = np.nan
    return x


def test_the_statistic_is_the_paired_t() -> None:
    x = gaps(np.random.default_rng(3), 48, 7, 3)
    found = westfall_young(x, rng=np.random.default_rng(0), resamples=99)
    expected = [
        stats.ttest_rel(x[:, i], x[:, j], nan_policy="omit").statistic for i, j in combinations(range(7), 2)
    ]
    np.testing.assert_allclose(found.statistic, np.array(expected, dtype=float), rtol=1e-9)


def test_adjusted_p_follow_the_order_of_significance() -> None:
    found = westfall_young(
        gaps(np.random.default_rng(4), 48, 9, 3), rng=np.random.default_rng(0), resamples=999
    )
    assert (found.p >= found.raw).all()
    assert (found.p >= 1 / 1000).all()
    order = np.argsort(-np.abs(found.statistic), kind="stable")
    assert (np.diff(found.p[order]) >= 0).all()
    assert 0 < np.count_nonzero(found.p <= 0.05) < np.count_nonzero(found.raw <= 0.05)


def test_dependence_is_worth_something() -> None:
    """Holm's bound on the same p-values is never below, and mostly above: pairs that share a system are alike."""
    x = gaps(np.random.default_rng(5), 40, 12, 0)
    found = westfall_young(x, rng=np.random.default_rng(0), resamples=1999)
    bound = adjust(found.raw, "holm")
    assert (found.p <= bound + 1e-15).all()
    assert np.median(found.p / bound) < 0.8


def test_pairs_that_move_together_cost_nothing() -> None:
    """Twins make two pairs of one: with one sign per topic for all pairs the second adds nothing, as Holm would."""
    x = gaps(np.random.default_rng(5), 30, 2, 0)
    alone = westfall_young(x, rng=np.random.default_rng(0), resamples=999)
    twins = westfall_young(x[:, [0, 1, 1]], rng=np.random.default_rng(0), resamples=999)
    assert twins.p.tolist() == [alone.p[0], alone.p[0], 1.0]
    assert adjust(twins.raw, "holm")[0] == pytest.approx(3 * alone.p[0])


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = gaps(np.random.default_rng(6), 25, 8, 3)
    whole = westfall_young(x, rng=np.random.default_rng(1), resamples=500)
    monkeypatch.setattr(pairs, "WIDEST", 3)
    monkeypatch.setattr(module, "CHUNK", 7)
    monkeypatch.setattr(module, "SMALL", 0)
    parts = westfall_young(x, rng=np.random.default_rng(1), resamples=500)
    np.testing.assert_array_equal(whole.p, parts.p)
    np.testing.assert_array_equal(whole.raw, parts.raw)


def test_scale_and_topics_change_nothing() -> None:
    rng = np.random.default_rng(7)
    x = gaps(rng, 25, 6, 2)
    whole = westfall_young(x, rng=np.random.default_rng(1), resamples=500)
    for other in (x * 1e-200, x * 1e200, x + rng.normal(size=(25, 1)) * 100):
        again = westfall_young(other, rng=np.random.default_rng(1), resamples=500)
        np.testing.assert_array_equal(whole.p, again.p)


def test_greater_is_less_the_other_way_round() -> None:
    x = gaps(np.random.default_rng(8), 25, 6, 2)
    greater = westfall_young(x, rng=np.random.default_rng(1), resamples=500, alternative="greater")
    less = westfall_young(-x, rng=np.random.default_rng(1), resamples=500, alternative="less")
    np.testing.assert_array_equal(greater.p, less.p)
    np.testing.assert_array_equal(greater.statistic, -less.statistic)
    assert greater.p.min() > 0.5  # later columns are the better ones
    assert westfall_young(x, rng=np.random.default_rng(1), alternative="less").p.min() < 0.01


def test_a_pair_with_too_few_topics_leaves_the_family_and_is_named() -> None:
    x = gaps(np.random.default_rng(9), 20, 4, 0)
    x[5:, 0] = np.nan
    found = westfall_young(x, rng=np.random.default_rng(1), resamples=500)
    assert found.least == 6
    assert found.member.tolist() == [False, False, False, True, True, True]
    assert np.isnan(found.p[:3]).all()
    assert found.why == dict.fromkeys(range(3), "5 common topics: swaps reach p = 0.05 two-sided from 6 on")
    rest = westfall_young(x[:, 1:], rng=np.random.default_rng(1), resamples=500)
    np.testing.assert_array_equal(found.p[3:], rest.p)
    one_sided = westfall_young(x, rng=np.random.default_rng(1), resamples=500, alternative="less")
    assert one_sided.member.all()
    assert not one_sided.why


@pytest.mark.parametrize(
    ("alpha", "two", "one"),
    [(0.05, 6, 5), (0.1, 5, 4), (0.01, 8, 7), (0.03125, 6, 5), (0.5, 2, 1), (0.9, 2, 1)],
)
def test_the_least_number_of_topics_follows_from_alpha(alpha: float, two: int, one: int) -> None:
    assert (least_topics(alpha), least_topics(alpha, "greater")) == (two, one)
    assert 2.0 ** (1 - two) <= alpha
    assert two == 2 or 2.0 ** (2 - two) > alpha


def test_a_family_can_be_chosen() -> None:
    x = gaps(np.random.default_rng(10), 20, 4, 1)
    against = np.array([i == 0 for i, _ in combinations(range(4), 2)])
    found = westfall_young(x, rng=np.random.default_rng(1), resamples=500, family=against)
    everything = westfall_young(x, rng=np.random.default_rng(1), resamples=500)
    assert np.array_equal(np.isnan(found.p), ~against)
    assert (found.p[against] <= everything.p[against]).all()
    assert (found.p[against] < everything.p[against]).any()
    np.testing.assert_array_equal(found.raw[against], everything.raw[against])
    assert not found.why


def test_constant_differences() -> None:
    """All the same but not 0: T is infinite, and only the two vectors that keep it so reach it. All 0: p is 1."""
    x = np.random.default_rng(11).normal(size=(8, 1)) + np.array([0.1, 0.3, 0.1])
    found = westfall_young(x, rng=np.random.default_rng(0))
    assert found.statistic.tolist() == [-np.inf, 0.0, np.inf]
    assert found.p.tolist() == found.raw.tolist() == [2 / 256, 1.0, 2 / 256]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (5, 0), (20, 1), (1, 3), (2, 4), (3, 70)])
def test_too_little_gives_reasons(shape: tuple[int, int]) -> None:
    found = westfall_young(np.ones(shape), rng=np.random.default_rng(0), resamples=20)
    assert len(found) == shape[1] * (shape[1] - 1) // 2
    assert np.isnan(found.p).all()
    assert sorted(found.why) == list(range(len(found)))


def test_columns_without_scores_are_named() -> None:
    x = np.random.default_rng(0).normal(size=(20, 3))
    x[:, 1] = np.nan
    found = westfall_young(x, rng=np.random.default_rng(0), resamples=20)
    assert found.why[0] == "0 common topics: swaps reach p = 0.05 two-sided from 6 on"
    assert found.member.tolist() == [False, True, False]
    everything = westfall_young(x * np.nan, rng=np.random.default_rng(0), resamples=20)
    assert sorted(everything.why) == [0, 1, 2]


def test_five_hundred_systems() -> None:
    x = np.random.default_rng(0).normal(size=(12, 500))
    found = westfall_young(x, rng=np.random.default_rng(0), resamples=19)
    assert not np.isnan(found.p).any()
    assert found.signature == "westfall-young|max-t|two-sided|pairs:124750|topics>=6|resamples:19"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alternative": "both"}, '^alternative: unknown value "both"'),
        ({"resamples": 0}, "^resamples: expected a whole number of at least 1"),
        ({"alpha": 0.0}, "^alpha: expected a number between 0 and 1"),
        (
            {"family": [True]},
            "^family: expected 3 truth values, one for each pair, got bool of shape \\(1,\\)",
        ),
        ({"family": [1, 0, 1]}, "^family: expected 3 truth values, one for each pair, got int64"),
    ],
)
def test_wrong_calls_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        westfall_young(np.ones((9, 3)), rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    exec(found.group(1), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", found.group(1), re.MULTILINE)


Noise = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
NOISES: dict[str, Noise] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
}


def alarms(
    noise: str,
    *,
    runs: int,
    systems: int,
    missing: int,
    resamples: int,
    seed: int = 1,
) -> tuple[int, int]:
    """In how many families of systems that do not differ anything is found: adjusted, and not adjusted."""
    rng = np.random.default_rng(seed)
    adjusted = raw = 0
    for _ in range(runs):
        x = rng.normal(size=(48, 1)) + NOISES[noise](rng, (48, systems))
        for column in range(missing):
            x[rng.permutation(48)[:24], column] = np.nan
        found = westfall_young(x, rng=rng, resamples=resamples)
        adjusted += found.p.min() <= 0.05
        raw += found.raw.min() <= 0.05
    return adjusted, raw


def band(runs: int) -> tuple[float, float]:
    """Where 99 % of all counts lie if the chance is .05."""
    low, high = stats.binom.ppf([0.005, 0.995], runs, 0.05)
    return float(low), float(high)


def test_the_familywise_error_is_what_it_should_be() -> None:
    low, high = band(300)
    adjusted, raw = alarms("normal", runs=300, systems=12, missing=2, resamples=999)
    assert adjusted <= high
    assert adjusted >= low
    assert raw > high  # the check can fail: without a correction most families raise an alarm


@pytest.mark.slow
def test_the_familywise_error_with_66_systems_of_which_8_miss_half() -> None:
    low, high = band(2000)
    adjusted, _ = alarms("normal", runs=2000, systems=66, missing=8, resamples=999)
    assert low <= adjusted <= high


@pytest.mark.slow
def test_skewed_noise_raises_no_more_alarms_than_the_page_says() -> None:
    adjusted, _ = alarms("exponential", runs=2000, systems=66, missing=8, resamples=999)
    said = re.search(r"\| exponential \|.*?\| (\.\d+) \|", PAGE)
    assert said is not None
    assert adjusted / 2000 == pytest.approx(float(said.group(1)), abs=0.0005)


def test_the_result_says_what_swaps_test() -> None:
    found = westfall_young(
        np.random.default_rng(1).normal(size=(9, 3)), rng=np.random.default_rng(1), resamples=99
    )
    assert "exchangeable, not that their means are equal" in found.warning
    assert "\n" not in found.warning
