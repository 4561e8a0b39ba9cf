"""Corrections for many tests against statsmodels (a dependency of the tests alone)."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.multiple import Correction, adjust, holm, reached

METHODS: tuple[Correction, ...] = get_args(Correction)
# statsmodels 0.15.0, multipletests(p, method=...), second value
STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}
P = st.floats(0, 1)
SOME_P = st.lists(st.sampled_from([0.0, 0.01, 0.02, 0.2, 0.5, 1.0]) | P, max_size=20)


def plain(p: list[float], method: str) -> list[float]:
    """By the definitions, one p at a time."""
    m = len(p)
    if method == "none":
        return p
    if method == "bonferroni":
        return [min(1.0, m * own) for own in p]
    ranked = list(enumerate(sorted(p)))
    if method == "holm":  # the largest (m - rank) p among those at most as large
        return [max(min(1.0, (m - k) * value) for k, value in ranked if value <= own) for own in p]
    # The smallest m p / rank among those at least as large.
    return [min([1.0, *(m * value / (k + 1) for k, value in ranked if value >= own)]) for own in p]


@examples(30)  # multipletests takes 25 ms a call; the plain twin has more
@given(st.lists(P, min_size=1, max_size=30), st.sampled_from(sorted(STATSMODELS)))
def test_statsmodels_gives_the_same(p: list[float], method: Correction) -> None:
    expected = multipletests(p, method=STATSMODELS[method])[1]
    np.testing.assert_allclose(adjust(p, method), expected, rtol=1e-15, atol=1e-320)


def test_many_p_values_as_statsmodels_has_them() -> None:
    p = np.random.default_rng(1).beta(0.3, 3, size=2145)
    for method, theirs in STATSMODELS.items():
        np.testing.assert_allclose(adjust(p, method), multipletests(p, method=theirs)[1], rtol=1e-15)  # type: ignore[arg-type]


@given(SOME_P, st.sampled_from(METHODS))
def test_the_plain_twin_gives_the_same(p: list[float], method: Correction) -> None:
    np.testing.assert_allclose(adjust(p, method), plain(p, method), rtol=1e-12)


@given(st.lists(P | st.just(float("nan")), max_size=20), st.sampled_from(METHODS))
def test_nan_stays_and_does_not_count(p: list[float], method: Correction) -> None:
    found, missing = adjust(p, method), np.isnan(np.array(p, dtype=float))
    assert np.array_equal(np.isnan(found), missing)
    np.testing.assert_array_equal(found[~missing], adjust(np.array(p, dtype=float)[~missing], method))


@given(SOME_P)
def test_none_is_below_bh_is_below_holm_is_below_bonferroni(p: list[float]) -> None:
    rows = np.array([adjust(p, method) for method in ("none", "bh", "holm", "bonferroni")])
    assert (np.diff(rows, axis=0) >= -1e-15).all()


def test_a_case_by_hand() -> None:
    p = [0.01, 0.04, 0.03, np.nan]
    assert holm(p).tolist()[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert adjust(p, "holm").tolist()[:3] == holm(p).tolist()[:3]
    assert adjust(p, "bonferroni").tolist()[:3] == pytest.approx([0.03, 0.12, 0.09])
    assert adjust(p, "bh").tolist()[:3] == pytest.approx([0.03, 0.04, 0.04])
    assert adjust(p, "none").tolist()[:3] == p[:3]


def test_what_is_given_is_left_alone() -> None:
    p = np.array([0.5, 0.1])
    adjust(p, "none")[0] = 0.0
    adjust(p, "bonferroni")[0] = 0.0
    assert p.tolist() == [0.5, 0.1]


@pytest.mark.parametrize("p", [[0.5, 1.5], [-0.1], ["x"]])
def test_what_is_no_probability_is_refused(p: list[float]) -> None:
    with pytest.raises(UsageError, match=r"^p: "):
        adjust(p, "bh")


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(
        UsageError, match='^method: unknown value "fdr"; expected one of "none", "bonferroni"'
    ):
        adjust([0.5], "fdr")  # type: ignore[arg-type]


# Tests that cannot be significant, after Tarone


def rejected(p: list[Fraction], least: list[Fraction], alpha: Fraction, *, steps: bool) -> set[int]:
    """The procedure as it is told, in fractions."""
    done: set[int] = set()
    while True:
        left = [i for i in range(len(p)) if i not in done]
        k = next(k for k in range(1, len(p) + 2) if sum(least[i] <= alpha / k for i in left) <= k)
        new = {i for i in left if p[i] <= alpha / k}
        done |= new
        if not new or not steps:
            return done


def adjusted_twin(p: list[Fraction], least: list[Fraction], *, steps: bool) -> list[float]:
    """The smallest level from which every higher level rejects: between two of these levels nothing changes."""
    levels = {k * x for x in {*p, *least} for k in range(1, len(p) + 1) if 0 < k * x <= 1} | {Fraction(1)}
    ordered = sorted(levels)
    at = [rejected(p, least, a, steps=steps) for a in ordered]
    before = [
        rejected(p, least, (a + b) / 2, steps=steps)
        for a, b in zip([Fraction(0), *ordered], ordered, strict=False)
    ]
    found = []
    for i in range(len(p)):
        failing = [a for a, here, below in zip(ordered, at, before, strict=True) if i not in here & below]
        found.append(float(max(failing, default=Fraction(0))))
    return found


@st.composite
def discrete(draw: st.DrawFn) -> tuple[list[Fraction], list[Fraction]]:
    """p-values of sign tests, and the smallest that so many wins and losses can have."""
    tests = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 511)), min_size=1, max_size=7))
    least = [min(Fraction(1), Fraction(2, 2**n)) for n, _ in tests]
    p = [
        min(Fraction(1), low * (1 + k % 2 ** max(n - 1, 0))) for low, (n, k) in zip(least, tests, strict=True)
    ]
    return p, least


@settings(deadline=None)
@given(discrete(), st.booleans())
def test_adjusted_p_is_the_smallest_level_from_which_every_higher_one_rejects(
    family: tuple[list[Fraction], list[Fraction]], steps: bool
) -> None:
    p, least = family
    method: Correction = "holm" if steps else "bonferroni"
    found = reached([*map(float, p)], [*map(float, least)], method=method).adjusted
    np.testing.assert_allclose(found, adjusted_twin(p, least, steps=steps), rtol=1e-9)


@settings(deadline=None)
@given(discrete(), st.sampled_from([0.05, 0.1, 0.25, 0.5]))
def test_what_could_not_be_found_is_above_the_last_threshold(
    family: tuple[list[Fraction], list[Fraction]], alpha: float
) -> None:
    p, least = family
    found = reached([*map(float, p)], [*map(float, least)], alpha=alpha)
    different = set(np.flatnonzero(found.adjusted <= alpha * (1 + 1e-9)).tolist())
    level = Fraction(alpha).limit_denominator(100)
    assert different <= rejected(
        p, least, level, steps=True
    )  # the procedure may reject at a level and not above it
    left = [i for i in range(len(p)) if i not in different]
    k = next(k for k in range(1, len(p) + 2) if sum(least[i] <= level / k for i in left) <= k)
    assert found.divisor == k
    assert [not r for r in found.reachable] == [i in left and least[i] > level / k for i in range(len(p))]


@given(st.lists(P, min_size=1, max_size=30), st.sampled_from(METHODS))
def test_where_every_p_is_within_reach_nothing_changes(p: list[float], method: Correction) -> None:
    found = reached(p, np.zeros(len(p)), method=method)
    np.testing.assert_allclose(found.adjusted, adjust(p, method), rtol=1e-9)


def test_pairs_that_cannot_count_do_not_burden_the_others() -> None:
    # Ten tests of 4 topics can have no p below .125; one of 12 topics has .005, which Holm would take times 11.
    found = reached([0.125] * 10 + [0.005], [0.125] * 10 + [2**-11])
    assert found.adjusted[-1] == pytest.approx(0.005)
    assert found.reachable.tolist() == [False] * 10 + [True]
    assert adjust([0.125] * 10 + [0.005])[-1] == pytest.approx(0.055)


def test_one_more_finding_of_benjamini_and_hochberg() -> None:
    # With p = .01 and .02 of four found, a third could have been at .05 * 3 / 4.
    found = reached([0.01, 0.02, 0.9, 0.8], [0.0, 0.0, 0.03, 0.04], method="bh")
    assert found.reachable.tolist() == [True, True, True, False]


def test_a_large_family_is_one_pass() -> None:
    rng = np.random.default_rng(3)
    n = rng.integers(2, 20, size=124_750)
    least = 2.0 ** (1 - n)
    p = np.minimum(1.0, least * rng.integers(1, 2**n))
    found = reached(p, least)
    k = found.divisor
    assert np.count_nonzero(least <= 0.05 / k) <= k
    assert found.adjusted[np.argmin(p)] <= holm(p)[np.argmin(p)]


def test_a_test_needs_its_smallest_p() -> None:
    with pytest.raises(UsageError, match="least: a test has a p and no smallest p"):
        reached([0.1], [float("nan")])
    with pytest.raises(UsageError, match="p and least"):
        reached([0.1], [0.1, 0.2])
    assert np.isnan(reached([float("nan")], [float("nan")]).adjusted).all()


@pytest.mark.parametrize(
    ("least", "method", "burden"),
    [
        ([0.001, 0.1, 1.0], "holm", 1),  # one could be significant at .05 / 1
        ([0.001, 0.02, 0.03], "holm", 2),  # three at .05, two at .05 / 2
        ([0.001, 0.001, 0.001], "bonferroni", 3),
        ([0.001, 0.1, 1.0], "bh", 3),
        ([0.001, 0.1, 1.0], "none", 1),
    ],
)
def test_the_burden_is_the_number_that_the_smallest_p_is_corrected_for(
    least: list[float], method: Correction, burden: int
) -> None:
    assert reached([0.2, 0.5, 1.0], least, method=method).burden == burden
