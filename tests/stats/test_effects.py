"""Effect sizes and their intervals against R, SciPy, closed forms and plain twins, and how often they cover."""

from __future__ import annotations

import csv
import math
import re
from functools import partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, special, stats
from statsmodels.stats.proportion import proportion_confint
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats import effects, pairs
from adjudge.stats.checks import FloatArray
from adjudge.stats.effects import (
    EXACT_UP_TO,
    KINDS,
    LARGE,
    Effect,
    Kind,
    hedges_factor,
    noncentrality,
    pair_effects,
    standardised_limits,
    superiority_limits,
    walsh_averages,
    walsh_ranks,
)
from adjudge.stats.paired import differences

DATA = Path(__file__).parent / "data"
PAGE = (Path(__file__).parents[2] / "docs" / "effects.md").read_text(encoding="utf-8")


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# R 4.2.2, Rscript tests/stats/data/effects.R tests/stats/data: t.test, wilcox.test(exact = TRUE, conf.int = TRUE), pt
EXPECTED = rows("effects_expected.csv")
CASES = rows("effects_cases.csv")


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row['case']}-{row['level']}")
def test_r_gives_the_same(row: dict[str, str]) -> None:
    scores = np.array([[float(c["x"]), float(c["y"])] for c in CASES if c["case"] == row["case"]])
    found = pair_effects(scores, level=float(row["level"]))
    mean, standard, shift = found.at(0, "mean"), found.at(0, "standardised"), found.at(0, "hodges_lehmann")
    assert [mean.estimate, mean.low, mean.high] == pytest.approx(
        numbers(row, "mean", "t_low", "t_high"), rel=1e-12
    )
    assert [standard.estimate, standard.low, standard.high] == pytest.approx(
        numbers(row, "dz", "dz_low", "dz_high"), rel=1e-9
    )
    assert shift.estimate == pytest.approx(float(row["hl"]), rel=1e-12)
    if float(row["hl_level"]) < float(row["level"]):  # R warns, and gives an interval of a lower level
        assert math.isnan(shift.low)
        assert shift.why == f"{row['n']} topics cannot give a 99 % signed-rank interval"
    else:
        assert [shift.low, shift.high] == pytest.approx(numbers(row, "hl_low", "hl_high"), rel=1e-9)


def numbers(row: dict[str, str], *names: str) -> list[float]:
    return [float(row[name]) for name in names]


SCORES = st.lists(st.tuples(*[st.integers(0, 6) | st.just(None)] * 2), min_size=0, max_size=15)


@settings(deadline=None)
@given(SCORES, st.sampled_from([1, 10, 3]))
def test_counts_follow_the_rule_of_differences(
    scores: list[tuple[int | None, int | None]], unit: int
) -> None:
    x = np.array([[np.nan if v is None else v / unit for v in row] for row in scores]).reshape(-1, 2)
    d, m = differences(x[:, 0], x[:, 1]), pair_effects(x).moments
    c = m.counts
    assert (c.n[0], c.wins[0], c.losses[0], c.ties[0]) == (d.n, d.wins, d.losses, d.ties)
    assert c.difference[0] == pytest.approx(d.mean, rel=1e-12, abs=1e-15, nan_ok=True)
    assert m.constant[0] == d.all_equal()


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    exec(found.group(1), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", found.group(1), re.MULTILINE)
    assert f"exact up to {EXACT_UP_TO} topics" in PAGE


# Hodges and Lehmann


def walsh(z: FloatArray) -> FloatArray:
    """All averages of two, in order."""
    return np.sort((z[:, None] + z)[np.triu_indices(z.size)] / 2)


@settings(deadline=None)
@given(
    st.lists(st.integers(-5, 5) | st.floats(-100, 100, width=32), min_size=1, max_size=70),
    st.floats(0, 1, exclude_max=True),
)
def test_walsh_averages_of_every_rank(z: list[float], where: float) -> None:
    ordered = np.sort(np.array(z, dtype=float))
    averages = walsh(ordered)
    rank = 1 + int(where * averages.size)
    found = walsh_averages(ordered[None], np.array([ordered.size]), np.array([rank]))[:, 0]
    expected = [np.median(averages), averages[rank - 1], averages[-rank]]
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("noise", ["normal", "cauchy", "tenths", "ratings", "lognormal"])
def test_walsh_averages_of_many_topics(noise: str) -> None:
    rng = np.random.default_rng(1)
    z = {
        "normal": rng.normal(size=400),
        "cauchy": rng.standard_cauchy(400),
        "tenths": rng.integers(-50, 50, 400) / 10,
        "ratings": rng.integers(-4, 5, 400).astype(float),
        "lognormal": rng.lognormal(0, 5, size=400),
    }[noise]
    averages = walsh(z)
    e = pair_effects(np.column_stack([z, 0 * z])).at(0, "hodges_lehmann")
    rank = int(walsh_ranks(np.array([400]), 0.95)[0])
    assert [e.estimate, e.low, e.high] == pytest.approx(
        [np.median(averages), averages[rank - 1], averages[-rank]]
    )


def test_ranks_of_the_limits_are_those_of_the_tables() -> None:
    # The usual two-sided .05 and .01 table of Wilcoxon's T (largest T that is significant), plus 1.
    table = {6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 11: 10, 12: 13, 13: 17, 14: 21, 15: 25, 20: 52, 25: 89}
    assert walsh_ranks(np.array(list(table)), 0.95).tolist() == [t + 1 for t in table.values()]
    strict = {8: 0, 9: 1, 10: 3, 12: 7, 15: 15, 20: 37, 25: 68}
    assert walsh_ranks(np.array(list(strict)), 0.99).tolist() == [t + 1 for t in strict.values()]
    assert walsh_ranks(np.arange(6), 0.95).tolist() == [0] * 6
    assert walsh_ranks(np.array([4, 5]), 0.9375).tolist() == [0, 1]  # 2 * 2^-5 is just reached
    assert walsh_ranks(np.array([5]), 0.938).tolist() == [0]


def test_exact_and_normal_ranks_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    n = np.array([EXACT_UP_TO])
    sd = math.sqrt(EXACT_UP_TO * (EXACT_UP_TO + 1) * (2 * EXACT_UP_TO + 1) / 24)
    exact = [int(walsh_ranks(n, level)[0]) for level in (0.8, 0.95, 0.99)]
    monkeypatch.setattr(effects, "EXACT_UP_TO", 0)
    normal = [int(walsh_ranks(n, level)[0]) for level in (0.8, 0.95, 0.99)]
    assert exact != normal
    np.testing.assert_allclose(normal, exact, atol=0.006 * sd)


@examples(50)
@given(st.integers(6, 30), st.sampled_from([0.5, 0.8, 0.95]), st.integers(0, 1000))
def test_an_interval_holds_what_the_signed_rank_test_does_not_reject(n: int, level: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    z = rng.normal(0.3, 1, n)
    e = pair_effects(np.column_stack([z, 0 * z]), level=level).at(0, "hodges_lehmann")
    for value in rng.uniform(-1, 1.5, 20):
        p = stats.wilcoxon(z - value, method="exact").pvalue
        assert (e.low < value < e.high) == (p > 1 - level)


@pytest.mark.parametrize("n", [6, 7])
@pytest.mark.parametrize("chances", [(0.1, 0.2, 0.4), (0.05, 0.45, 0.0), (0.0, 0.3, 0.4)])
def test_with_ties_and_zeros_an_interval_covers_at_least_as_often(
    n: int, chances: tuple[float, float, float]
) -> None:
    """Over all outcomes of n differences that are -2 to 2, symmetric around 0."""
    outcomes = np.array(list(product(range(5), repeat=n)))
    weight = np.array([*chances, chances[1], chances[0]])[outcomes].prod(axis=1)
    ordered = np.sort(outcomes - 2.0, axis=1)
    sizes = np.full(len(ordered), n)
    _, low, high = walsh_averages(ordered, sizes, walsh_ranks(sizes, 0.95))
    assert weight.sum() == pytest.approx(1)
    assert weight[(low <= 0) & (high >= 0)].sum() >= 0.95


# Standardised


@pytest.mark.parametrize("n", [2, 3, 6, 23, 48, 1000])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_standardised_limits_are_roots_of_scipys_distribution(n: int, level: float) -> None:
    for ratio in (-3.0, -0.4, 0.0, 0.05, 1.0, 5.0):
        low, high = standardised_limits(np.array([ratio]), np.array([n]), level)
        t = math.sqrt(n) * ratio
        for limit, chance in ((low[0], (1 + level) / 2), (high[0], (1 - level) / 2)):
            # SciPy 1.17: stats.nct.cdf
            assert stats.nct.cdf(t, n - 1, math.sqrt(n) * limit) == pytest.approx(chance, rel=1e-9)


def test_a_ratio_of_zero_has_the_normal_limits() -> None:
    # P(T <= 0) is the chance that a normal number is below minus the noncentrality.
    low, high = standardised_limits(np.zeros(3), np.array([2, 10, 400]), 0.95)
    expected = 1.959963984540054 / np.sqrt([2, 10, 400])
    np.testing.assert_allclose([low, high], [-expected, expected], rtol=1e-12)


@pytest.mark.parametrize("f", [1.0, 5.0, 47.0, 999.0])
@pytest.mark.parametrize("t", [LARGE - 1, LARGE + 1, 50_000.0])
def test_very_large_ratios(f: float, t: float) -> None:
    """Held against an integral over the spread s: P((z + noncentral) / s <= t)."""
    for chance in (0.975, 0.025):
        noncentral = float(noncentrality(np.array([t]), np.array([f]), chance)[0])

        def below(s: float, noncentral: float = noncentral) -> float:
            return float(special.ndtr(t * s - noncentral) * 2 * f * s * stats.chi2.pdf(f * s * s, f))

        edge = noncentral / t
        found, _ = integrate.quad(
            below, 0, 12, points=[edge - 9 / t, edge, edge + 9 / t], limit=500, epsabs=1e-12
        )
        assert found == pytest.approx(chance, abs=1e-8)


@pytest.mark.parametrize("chance", [0.975, 0.025, 0.995, 0.005])
@pytest.mark.parametrize("f", [1.0, 2.0, 5.0, 19.0, 200.0])
def test_many_pairs_of_one_size_have_the_noncentrality_of_each_alone(f: float, chance: float) -> None:
    rng = np.random.default_rng(3)
    t = np.concatenate([rng.uniform(0, 20, 3000), [0.0, 1e-9, 20.0, 20.1, 900.0, 1e5, np.nan]])
    many = noncentrality(t, np.full(t.size, f), chance)
    some = np.concatenate([np.arange(0, 3000, 30), np.arange(3000, t.size)])
    alone = [float(noncentrality(t[[k]], np.array([f]), chance)[0]) for k in some]
    np.testing.assert_allclose(many[some], alone, rtol=1e-9, atol=1e-9)


def test_hedges_factor() -> None:
    # f = 2: Gamma(1) / Gamma(1/2); f = 4: Gamma(2) / (sqrt(2) Gamma(3/2)); large f: 1 - 3 / (4 f - 1).
    factor = hedges_factor(np.array([1, 2, 3, 5, 101]))
    assert np.isnan(factor[:2]).all()
    assert factor[2:4] == pytest.approx([1 / math.sqrt(math.pi), math.sqrt(2 / math.pi)], rel=1e-14)
    assert factor[4] == pytest.approx(1 - 3 / 399, abs=1e-5)


def test_hedges_correction_takes_the_bias_away() -> None:
    rng = np.random.default_rng(1)
    z = rng.normal(0.5, 1, size=(8, 20_000))
    d = z.mean(axis=0) / z.std(axis=0, ddof=1)
    error = d.std() / math.sqrt(d.size)
    assert abs(hedges_factor(np.array([8]))[0] * d.mean() - 0.5) < 3 * error
    assert d.mean() - 0.5 > 3 * error  # without it there is a bias to be seen
    plain, corrected = pair_effects(z[:, :2]), pair_effects(z[:, :2], hedges=True)
    assert (
        corrected.standardised.estimate[0] == plain.standardised.estimate[0] * hedges_factor(np.array([8]))[0]
    )
    assert corrected.standardised.low[0] == plain.standardised.low[0]
    assert (plain.signature, corrected.signature) == (
        "effects|level:0.95|mean:t|standardised:dz:noncentral-t|hl:signed-rank|superiority:tango",
        "effects|level:0.95|mean:t|standardised:gz:noncentral-t|hl:signed-rank|superiority:tango",
    )


# Superiority


def limits(wins: int, losses: int, n: int, level: float = 0.95) -> tuple[float, float]:
    low, high = superiority_limits(np.array([wins]), np.array([losses]), np.array([n]), level)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize("n", [1, 5, 46, 1000])
def test_without_ties_it_is_wilsons_interval(n: int) -> None:
    for wins in {0, 1, n // 3, n - 1, n}:
        for level in (0.8, 0.95, 0.99):
            # statsmodels 0.15.0
            expected = proportion_confint(wins, n, alpha=1 - level, method="wilson")
            assert limits(wins, n - wins, n, level) == pytest.approx(expected, abs=1e-12)


def test_with_nothing_but_ties_the_interval_is_around_a_half() -> None:
    # With no wins or losses the likeliest share of losses under a difference D < 0 is -D, so the score is
    # sqrt(n D / (D + 1)) and the limits of D are -+z^2 / (n + z^2).
    z2 = 1.959963984540054**2
    half = z2 / (30 + z2) / 2
    assert limits(0, 0, 30) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-12)


def score_by_likelihood(wins: int, losses: int, n: int, difference: float) -> float:
    """The score of Tango 1998 with the share of losses that makes wins, losses and ties likeliest found by search."""
    ties = n - wins - losses

    def unlikely(share: float) -> float:
        parts = ((wins, share + difference), (losses, share), (ties, 1 - 2 * share - difference))
        return -sum(count * math.log(max(p, 1e-300)) for count, p in parts if count)

    low, high = max(0.0, -difference), (1 - difference) / 2
    share = optimize.minimize_scalar(
        unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    ).x
    return (wins - losses - n * difference) / math.sqrt(n * (2 * share + difference * (1 - difference)))


@examples(60)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_the_limits_are_where_the_score_is_just_significant(wins: int, losses: int, ties: int) -> None:
    n = wins + losses + ties
    if n == 0:
        return
    low, high = (2 * limit - 1 for limit in limits(wins, losses, n))
    assert -1 <= low <= (wins - losses) / n <= high <= 1
    if low > -1 + 1e-9:
        assert score_by_likelihood(wins, losses, n, low) == pytest.approx(1.96, abs=1e-3)
    if high < 1 - 1e-9:
        assert score_by_likelihood(wins, losses, n, high) == pytest.approx(-1.96, abs=1e-3)


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_superiority_turned_round(wins: int, losses: int, ties: int) -> None:
    n = wins + losses + ties
    there, back = limits(wins, losses, n), limits(losses, wins, n)
    assert there == pytest.approx((1 - back[1], 1 - back[0]), abs=1e-12, nan_ok=True)


def coverage(n: int, p: float, ties: float) -> tuple[float, float]:
    """The chance that the interval holds the truth, summed over all outcomes; and that of Wilson's, ties halved."""
    win = p - ties / 2
    outcomes = np.array([(w, x, n - w - x) for w in range(n + 1) for x in range(n + 1 - w)])
    chance = stats.multinomial.pmf(outcomes, n, [win, 1 - win - ties, ties])
    tango = superiority_limits(outcomes[:, 0], outcomes[:, 1], outcomes.sum(axis=1), 0.95)
    wilson = proportion_confint(outcomes[:, 0] + outcomes[:, 2] / 2, n, method="wilson")
    return tuple(float(chance[(low <= p) & (p <= high)].sum()) for low, high in (tango, wilson))  # type: ignore[return-value]


def test_superiority_covers_by_enumeration() -> None:
    found = np.array([coverage(20, p, 0.4) for p in (0.5, 0.55, 0.62, 0.7)])
    assert found[:, 0].mean() == pytest.approx(0.95, abs=0.015)
    assert found[:, 0].min() > 0.93
    assert found[:, 1].mean() > 0.97  # Wilson's interval is too wide where there are ties


# All pairs


def test_all_pairs_equal_single_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(9)
    x = np.round(rng.normal(size=(30, 7)), 1)
    x[rng.random(x.shape) < 0.2] = np.nan
    whole = pair_effects(x)
    monkeypatch.setattr(pairs, "WIDEST", 2)
    parts = pair_effects(x)
    for k, (i, j) in enumerate(combinations(range(7), 2)):
        single = pair_effects(x[:, [i, j]])
        for kind in KINDS:
            assert whole.at(k, kind) == single.at(0, kind) == parts.at(k, kind)


def test_a_frame_has_a_row_per_pair() -> None:
    found = pair_effects(np.random.default_rng(0).normal(size=(12, 3)))
    frame = found.to_frame()
    assert list(frame.columns) == [
        "first",
        "second",
        "n",
        "wins",
        "losses",
        "ties",
        "mean",
        "mean_low",
        "mean_high",
        "standardised",
        "standardised_low",
        "standardised_high",
        "hodges_lehmann",
        "hodges_lehmann_low",
        "hodges_lehmann_high",
        "superiority",
        "superiority_low",
        "superiority_high",
    ]
    assert frame[["first", "second"]].to_numpy().tolist() == [[0, 1], [0, 2], [1, 2]]
    assert frame["mean_low"].tolist() == found.mean.low.tolist()
    assert len(found) == 3


def test_what_is_computed_later_sees_the_scores_as_they_were() -> None:
    x = np.random.default_rng(0).normal(size=(12, 2))
    found, expected = pair_effects(x), pair_effects(x.copy()).hodges_lehmann.estimate[0]
    x[:] = 0.0
    assert found.hodges_lehmann.estimate[0] == expected


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (5, 0), (5, 1)])
def test_nothing_gives_nothing(shape: tuple[int, int]) -> None:
    found = pair_effects(np.ones(shape))
    assert len(found) == (3 if shape[1] == 3 else 0)
    for kind in KINDS:
        e = found.of(kind)
        assert np.isnan([e.estimate, e.low, e.high]).all()
        assert sorted(e.why) == list(range(len(found)))


def reasons(x: object) -> dict[Kind, tuple[float, bool, str | None]]:
    """By kind: the estimate, whether there is an interval, and why something is missing."""
    found = pair_effects(np.array(x, dtype=float), hedges=True)
    effects = {kind: found.at(0, kind) for kind in KINDS}
    return {kind: (e.estimate, not math.isnan(e.low + e.high), e.why) for kind, e in effects.items()}


def test_one_topic() -> None:
    found = reasons([[2.0, 1.5], [math.nan, 1.0]])
    assert found["mean"] == (0.5, False, "needs two topics that both have, has 1")
    assert math.isnan(found["standardised"][0])
    assert found["hodges_lehmann"] == (0.5, False, "1 topic cannot give a 95 % signed-rank interval")
    assert found["superiority"] == (1.0, True, None)


def test_two_topics() -> None:
    found = reasons([[2.0, 1.5], [1.0, 1.0]])
    assert found["mean"] == (0.25, True, None)
    assert found["standardised"][2] == "Hedges' correction needs three topics, has 2"
    assert math.isnan(found["standardised"][0])
    assert found["standardised"][1]  # the interval needs no correction
    assert found["superiority"] == (0.75, True, None)


@pytest.mark.parametrize("difference", [0.0, 0.2])
def test_constant_differences(difference: float) -> None:
    y = np.random.default_rng(0).normal(size=9)
    found = reasons(np.column_stack([y + difference, y]))
    why = "all 9 differences are the same, and need to vary"
    assert found["mean"][0] == pytest.approx(difference)
    assert found["mean"][1:] == (False, why)
    assert found["standardised"][1:] == (False, why)
    assert math.isnan(found["standardised"][0])
    assert found["hodges_lehmann"][0] == pytest.approx(difference)
    assert found["hodges_lehmann"][1:] == (True, None)
    assert found["superiority"][0] == (1.0 if difference else 0.5)


def test_a_column_without_scores() -> None:
    found = reasons([[math.nan, 1.0], [math.nan, 2.0]])
    assert {why for _, _, why in found.values()} == {
        "needs two topics that both have, has none",
        "needs a topic that both have, has none",
    }
    assert all(math.isnan(estimate) and not interval for estimate, interval, _ in found.values())


def test_five_hundred_systems() -> None:
    found = pair_effects(np.random.default_rng(0).normal(size=(7, 500)))
    assert len(found) == 124_750
    assert not np.isnan(found.hodges_lehmann.low).any()
    assert not np.isnan(found.superiority.low).any()


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scale(scale: float) -> None:
    x = np.random.default_rng(0).normal(size=(20, 2))
    one, other = pair_effects(x), pair_effects(x * scale)
    assert other.standardised.low[0] == pytest.approx(one.standardised.low[0], rel=1e-9)
    for kind in ("mean", "hodges_lehmann"):
        assert other.of(kind).low[0] == pytest.approx(one.of(kind).low[0] * scale, rel=1e-9)


def test_sentences() -> None:
    effect = partial(Effect, level=0.95, n=46)
    assert effect("mean", -0.0312, -0.05, -0.0123, method="t").sentence("A", "B") == (
        "A is 0.0312 lower than B on average (95 % interval -0.05 to -0.0123, t; n = 46 topics)"
    )
    assert effect("standardised", 0.5, 0.1, 0.9, method="noncentral t").sentence("A", "B") == (
        "A is 0.5 standard deviations higher than B on average (95 % interval 0.1 to 0.9, noncentral t; n = 46 topics)"
    )
    assert effect("hodges_lehmann", 0.5, 0.1, 0.9, method="signed rank").sentence("A", "B") == (
        "A is 0.5 higher than B by the Hodges-Lehmann estimate (95 % interval 0.1 to 0.9, signed rank; n = 46 topics)"
    )
    assert effect("superiority", 0.75, 0.6, 0.9, method="score").sentence("A", "B") == (
        "A is higher than B on a topic with probability 0.75 (95 % interval 0.6 to 0.9, score; n = 46 topics)"
    )
    assert pair_effects([[1.0, 0.0]]).at(0).sentence("A", "B") == (
        "A is 1 higher than B on average (no interval: needs two topics that both have, has 1; n = 1 topic)"
    )
    assert pair_effects([[1.0, math.nan]]).at(0, "superiority").sentence("A", "B") == (
        "A and B: no probability of superiority (needs a topic that both have, has none)"
    )


def test_wrong_calls_are_refused() -> None:
    x = np.ones((4, 2))
    with pytest.raises(UsageError, match="^level: expected a number between 0 and 1"):
        pair_effects(x, level=95)
    with pytest.raises(UsageError, match='^kind: unknown value "median"'):
        pair_effects(x).of("median")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^values: expected 2 dimension"):
        pair_effects([1.0, 2.0])


# How often intervals cover


def covered(n: int, runs: int, seed: int = 1) -> dict[Kind, int]:
    """How many of so many intervals hold the truth: normal differences with mean .5 and standard deviation 1."""
    rng = np.random.default_rng(seed)
    truth = {"mean": 0.5, "standardised": 0.5, "hodges_lehmann": 0.5, "superiority": float(special.ndtr(0.5))}
    found = dict.fromkeys(KINDS, 0)
    for _ in range(runs):
        effects = pair_effects(np.column_stack([rng.normal(0.5, 1, n), np.zeros(n)]))
        for kind in KINDS:
            e = effects.of(kind)
            found[kind] += bool(e.low[0] <= truth[kind] <= e.high[0])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 48])
def test_intervals_cover_as_often_as_they_say(n: int) -> None:
    runs = 10_000
    found = covered(n, runs)
    low, high = stats.binom.ppf([0.005, 0.995], runs, 0.95)
    assert low <= found["mean"] <= high
    assert low <= found["standardised"] <= high
    # The signed-rank interval has a level of its own: one less twice the chance beyond its rank.
    rank = int(walsh_ranks(np.array([n]), 0.95)[0])
    exact = 1 - 2 * signed_rank_chance(n, rank - 1)
    assert exact >= 0.95
    low, high = stats.binom.ppf([0.005, 0.995], runs, exact)
    assert low <= found["hodges_lehmann"] <= high
    said = re.search(rf"^\| {n} \|(.*)\|$", PAGE, re.MULTILINE)
    assert said is not None
    assert [f"{found[kind] / runs:.3f}".removeprefix("0") for kind in KINDS] == said.group(1).replace(
        " ", ""
    ).split("|")


def signed_rank_chance(n: int, upto: int) -> float:
    """P(V <= upto) by counting subsets of 1 to n with Python's whole numbers."""
    ways = [1, *[0] * upto]
    for rank in range(1, n + 1):
        for s in range(upto, rank - 1, -1):
            ways[s] += ways[s - rank]
    return sum(ways) / float(2**n)


# Noise and extremes


@examples(80)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 24),
    st.sampled_from([3, 7, 10, 1000]),
    st.sampled_from([0.0, 0.2]),
)
def test_what_cancels_but_for_noise_is_zero(seed: int, topics: int, unit: int, missing: float) -> None:
    # In thirds or tenths 0.3 - 0.1 and 0.4 - 0.2 differ in their last digits; in whole numbers nothing does.
    rng = np.random.default_rng(seed)
    whole = rng.integers(1, 6, (topics, 4)).astype(float)
    whole[rng.random(whole.shape) < missing] = np.nan
    noisy = whole / unit * (1 + rng.integers(-2, 3, whole.shape) * 2.0**-52)
    plain, found = pair_effects(whole, level=0.9), pair_effects(noisy, level=0.9)
    for name in ("n", "wins", "losses", "ties"):
        assert getattr(found.counts, name).tolist() == getattr(plain.counts, name).tolist()
    both = [(found.of(kind), plain.of(kind)) for kind in ("mean", "hodges_lehmann")]
    for one, other in both:
        for name in ("estimate", "low", "high"):
            scaled, plainly = getattr(one, name), getattr(other, name) / unit
            np.testing.assert_allclose(scaled, plainly, rtol=1e-9, atol=1e-12 / unit)
            if name == "estimate" or one.kind == "hodges_lehmann":
                np.testing.assert_array_equal(scaled == 0, plainly == 0)
        assert list(one.why.items()) == list(other.why.items())
    for name in ("estimate", "low", "high"):
        one, other = getattr(found.standardised, name), getattr(plain.standardised, name)
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-11)


def test_a_limit_of_noise_does_not_exclude_zero() -> None:
    # Six differences of .1 and of -.1, the latter a little smaller in their last digits: no Walsh average is above 0.
    x = np.array([0.3, 0.4, 0.5, 0.1, 0.2, 0.6])
    y = np.array([0.2, 0.3, 0.4, 0.2, 0.3, 0.7])
    raw = np.sort(x - y)
    averages = np.sort((raw[:, None] + raw)[np.triu_indices(6)] / 2)
    assert 0 < np.abs(averages[np.abs(averages) < 1e-9]).max() < 1e-15
    found = pair_effects(np.column_stack([x, y]), level=0.5).at(0, "hodges_lehmann")
    assert found.estimate == 0
    assert "2.22e-16" not in found.sentence("A", "B")
    assert found.low <= 0 <= found.high


@examples(40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 15), st.sampled_from([-1060, -1000, -600, 600, 995]))
def test_scores_however_small_or_large(seed: int, topics: int, power: int) -> None:
    values = np.random.default_rng(seed).normal(size=(topics, 3))
    values[0, 0] = np.nan
    plain, found = (
        pair_effects(values, hedges=topics > 3),
        pair_effects(np.ldexp(values, power), hedges=topics > 3),
    )
    rel = 1e-11 if power > -1022 else 1e-2  # below, floats have few digits
    for kind in KINDS:
        one, other = found.of(kind), plain.of(kind)
        for name in ("estimate", "low", "high"):
            x, y = getattr(one, name), getattr(other, name)
            if kind in ("mean", "hodges_lehmann"):
                x = np.ldexp(x, -power)
            np.testing.assert_allclose(x, y, rtol=rel, atol=rel)
        assert one.why == other.why


def test_scores_of_all_sizes_in_one_column() -> None:
    sizes = 10.0 ** np.array([300, -300, 0, 15, -15, 100, -100, 200, -200, 5])
    values = np.random.default_rng(0).normal(size=(10, 3)) * sizes[:, None]
    found = pair_effects(values)
    for kind in KINDS:
        e = found.of(kind)
        assert np.isfinite([e.estimate, e.low, e.high]).all()
        assert ((e.low <= e.estimate) & (e.estimate <= e.high)).all()


def test_limits_that_do_not_fit_say_so() -> None:
    values = np.array([[1e302, -1e302], [-1e302, 1e302]])
    found = pair_effects(values, level=1 - 1e-12).at(0, "mean")
    assert (found.estimate, math.isnan(found.low), math.isnan(found.high)) == (0.0, True, True)
    assert found.why == "the differences are too small or too large for floating-point numbers"


def test_numbers_that_are_too_large_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"^values: 1e\+303 at \[1, 0\] is too large; expected no more than 1e\+302"
    ):
        pair_effects([[1.0, 2.0], [1e303, 1.0]])


@pytest.mark.parametrize("n", [1, 2, 5, 20, 1000])
def test_superiority_at_the_ends(n: int) -> None:
    # All wins: Wilson's interval, n / (n + z^2) to 1; all ties: symmetric around 1/2.
    z = stats.norm.ppf(0.975)
    wins, losses = np.array([n, 0, 0]), np.array([0, n, 0])
    low, high = superiority_limits(wins, losses, np.full(3, n), 0.95)
    np.testing.assert_allclose(low[:2], [n / (n + z**2), 0.0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(high[:2], [1.0, z**2 / (n + z**2)], rtol=1e-9)
    assert low[2] + high[2] == pytest.approx(1)
    assert 0 <= low[2] < 0.5


@pytest.mark.parametrize("n", [2, 3, 12, 200])
@pytest.mark.parametrize("ratio", [1e3, 1e6, 1e9])
def test_standardised_differences_that_hardly_vary(n: int, ratio: float) -> None:
    # Far out the mean is as good as known, and sqrt(f) sd / sigma has a chi distribution.
    low, high = standardised_limits(np.array([ratio]), np.array([n]), 0.95)
    chi = np.sqrt(stats.chi2.ppf([0.025, 0.975], n - 1) / (n - 1))
    np.testing.assert_allclose([low[0], high[0]], ratio * chi, rtol=3 / ratio + 1e-9)
