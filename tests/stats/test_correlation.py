"""Correlations of measures with people, against loops over SciPy, nlpstats and closed forms."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from tests.properties import examples

from adjudge.core.errors import UsageError
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import (
    COEFFICIENTS,
    FACTORS,
    Coefficient,
    CorrelationIntervals,
    CorrelationLevel,
    Factor,
    Resample,
    all_correlation_intervals,
    correlations,
)

LEVELS: tuple[CorrelationLevel, ...] = get_args(CorrelationLevel)


def one(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> float:
    """SciPy's, of what both have."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    if coefficient == "pearson":
        return float(stats.pearsonr(x, y)[0])
    if coefficient == "spearman":
        return float(stats.spearmanr(x, y)[0])
    return float(stats.kendalltau(x, y, variant=coefficient[-1])[0])


def twin(
    x: FloatArray, y: FloatArray, level: CorrelationLevel, coefficient: Coefficient, places: int | None = None
) -> float:
    """One measure, topics x systems; means rounded, so that what ties but for noise ties for SciPy too."""
    if level == "global":
        return one(x.ravel(), y.ravel(), coefficient)
    if level == "input":
        found = [one(a, b, coefficient) for a, b in zip(x, y, strict=True)]
        defined = [each for each in found if not math.isnan(each)]
        return float(np.mean(defined)) if defined else math.nan
    both = ~(np.isnan(x) | np.isnan(y))
    kept = np.flatnonzero(both.any(axis=0))
    a, b = (np.array([z[both[:, s], s].mean() for s in kept]) for z in (x, y))
    if places is not None:
        a, b = a.round(places), b.round(places)
    return one(a, b, coefficient)


# Quarters, so that means over topics are exact: what ties, ties for SciPy too.
quarters = st.integers(-12, 12).map(lambda k: k / 4)
cells = st.one_of(quarters, quarters, quarters, st.just(math.nan))


@given(
    data=st.data(),
    topics=st.sampled_from([1, 2, 4, 8]),
    systems=st.integers(1, 7),
    unit=st.sampled_from([1.0, 2.0**-900, 2.0**900]),
)
@examples(40)
def test_equal_loops_over_scipy(data: st.DataObject, topics: int, systems: int, unit: float) -> None:
    x = data.draw(arrays(np.float64, (2, topics, systems), elements=cells)) * unit
    y = data.draw(arrays(np.float64, (topics, systems), elements=cells))
    if data.draw(
        st.booleans()
    ):  # means of three or of seven topics are not exact, those of complete columns are
        x, y = np.nan_to_num(x), np.nan_to_num(y)
        check = LEVELS
    else:
        check = ("input", "global")
    for level in check:
        for coefficient in COEFFICIENTS:
            found = correlations(x, y, level=level, coefficient=coefficient)
            wanted = [twin(each, y, level, coefficient) for each in x]
            np.testing.assert_allclose(found.values, wanted, rtol=0, atol=1e-12)
            for value, why in zip(found.values, found.why, strict=True):
                assert math.isnan(value) == (why is not None)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_missing_cells_and_many_values(level: CorrelationLevel, coefficient: Coefficient) -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=(9, 30))
    x = y + rng.normal(size=(5, 9, 30)) * 10.0 ** np.arange(-2, 3)[:, None, None]
    x[rng.random(x.shape) < 0.2] = np.nan
    y[rng.random(y.shape) < 0.2] = np.nan
    y[:, 3] = np.nan  # nobody judged this system
    y[2] = np.nan  # nor this topic
    found = correlations(x, y, level=level, coefficient=coefficient)
    np.testing.assert_allclose(found.values, [twin(each, y, level, coefficient) for each in x], atol=1e-12)
    both = ~(np.isnan(x) | np.isnan(y))
    assert found.cells.tolist() == both.sum(axis=(1, 2)).tolist()
    assert found.left_out.tolist() == (np.isnan(x) ^ np.isnan(y)).sum(axis=(1, 2)).tolist()
    assert found.n.tolist() == {"system": [29] * 5, "input": [8] * 5, "global": found.cells.tolist()}[level]
    assert found.blank.tolist() == [1 if level == "input" else 0] * 5


def test_all_topics_of_a_measure_or_those_that_people_judged() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1, 6, 5)), rng.normal(size=(6, 5))
    y[3:] = np.nan
    common = correlations(x, y, level="system", coefficient="pearson")
    every = correlations(x, y, level="system", coefficient="pearson", all_topics=True)
    people = y[:3].mean(axis=0)
    assert common.values[0] == pytest.approx(stats.pearsonr(x[0, :3].mean(axis=0), people)[0], abs=1e-12)
    assert every.values[0] == pytest.approx(stats.pearsonr(x[0].mean(axis=0), people)[0], abs=1e-12)
    assert common.values[0] != pytest.approx(every.values[0], abs=0.01)


def test_blank_inputs_are_counted_by_reason() -> None:
    people = np.array([[1, 2, 3, 4], [2, 2, 2, 2], [1, 2, 3, 5], [3, 3, 3, 3], [1, 2, math.nan, math.nan]])
    measure = np.array([[1, 2, 4, 8], [1, 2, 3, 4], [7, 7, 7, 7], [1, 1, 1, 1], [1, 2, 3, 4]], dtype=float)
    found = correlations(measure[None], people, level="input", coefficient="kendall-b")
    assert found.values.tolist() == [1.0]
    assert found.inputs[0, 0] == 1.0
    assert np.isnan(found.inputs[0, 1:]).all()
    assert found.n.tolist() == [1]
    assert [each[0] for each in (found.few, found.same_measure, found.same_people, found.same_both)] == [
        1
    ] * 4
    assert found.left_out.tolist() == [2]
    rest = correlations(measure[None, 1:], people[1:], level="input", coefficient="kendall-b")
    assert math.isnan(rest.values[0])
    assert rest.why == (
        "on 1 input fewer than 3 systems have both values; on 1 input the measure gives all systems the same value;"
        " on 1 input people give all systems the same value; on 1 input the measure and people give all systems the"
        " same value",
    )


@pytest.mark.parametrize(
    ("level", "measure", "people", "why"),
    [
        ("system", [[1.0] * 4] * 2, [[1, 2, 3, 4.0]] * 2, "the measure gives all 4 systems the same value"),
        ("global", [[1, 2, 3, 4.0]] * 2, [[5.0] * 4] * 2, "people give all 8 cells the same value"),
        (
            "global",
            [[1.0] * 4] * 2,
            [[5.0] * 4] * 2,
            "the measure and people give all 8 cells the same value",
        ),
        ("system", [[1, 2, math.nan]], [[1, 2, 3.0]], "fewer than 3 systems have both values (2)"),
        (
            "global",
            [[math.nan, 2, math.nan]],
            [[1, math.nan, 3.0]],
            "fewer than 3 cells have both values (none)",
        ),
    ],
)
def test_what_cannot_be_computed_says_why(
    level: CorrelationLevel, measure: list[list[float]], people: list[list[float]], why: str
) -> None:
    for coefficient in COEFFICIENTS:
        found = correlations([measure], people, level=level, coefficient=coefficient)
        assert math.isnan(found.values[0])
        assert found.why == (why,)


def test_rounding_noise_is_no_difference() -> None:
    """Means of the same numbers in other orders, which differ by 1e-17; some of them are 0 but for noise."""
    rng = np.random.default_rng(1)
    values = np.array([0.1, 0.2, 0.3, 0.7, 1.1, 2.3, -4.7])  # their sum is 0
    people = np.column_stack([rng.permutation(values) for _ in range(6)])
    assert np.ptp([math.fsum(column) for column in people.T]) < 1e-15
    assert len(set(people.mean(axis=0))) > 1
    measure = rng.normal(size=(1, 7, 6))
    for coefficient in COEFFICIENTS:
        found = correlations(measure, people, level="system", coefficient=coefficient)
        assert found.why == ("people give all 6 systems the same value",)
    people[:, 3:] += 1
    found = correlations(measure, people, level="system", coefficient="kendall-b")
    ties = np.array([0, 0, 0, 1, 1, 1])
    assert found.values[0] == pytest.approx(stats.kendalltau(measure[0].mean(axis=0), ties)[0], abs=1e-12)


def test_perfect_orders_are_exactly_one() -> None:
    x = np.random.default_rng(2).normal(size=(1, 3, 50))
    for coefficient in COEFFICIENTS:
        for level in LEVELS:
            same = correlations(x, x[0] * 3 + 1, level=level, coefficient=coefficient)
            turned = correlations(-x, x[0], level=level, coefficient=coefficient)
            assert same.values[0] == pytest.approx(1, abs=1e-15)
            assert turned.values[0] == pytest.approx(-1, abs=1e-15)


def test_mistakes() -> None:
    x, y = np.zeros((1, 2, 3)), np.zeros((2, 3))
    with pytest.raises(UsageError, match="unknown value .summary."):
        correlations(x, y, level="summary", coefficient="pearson")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown value .kendall."):
        correlations(x, y, level="system", coefficient="kendall")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"same topics x systems, got \(2, 3\) and \(3, 2\)"):
        correlations(x, y.T, level="system", coefficient="pearson")
    with pytest.raises(UsageError, match="take their mean"):
        correlations(x, np.zeros((2, 2, 3)), level="system", coefficient="pearson")


# nlpstats 0.0.1 (Deutsch's own library) with SciPy 1.17.1: correlate(measure.T, people.T, level, coefficient). People
# are constant on topic 4, the second measure on topic 5; then three cells are missing in both.
NLPSTATS = {
    ("system", "pearson"): [0.7892782004032464, 0.5987371913760261],
    ("system", "spearman"): [0.7857142857142858, 0.6666666666666669],
    ("system", "kendall-b"): [0.6428571428571428, 0.4999999999999999],
    ("input", "pearson"): [0.39449903654463087, -0.02515960070117046],
    ("input", "spearman"): [0.3509659406180166, -0.12341302596180836],
    ("input", "kendall-b"): [0.2626289639285878, -0.06433153346781191],
    ("global", "pearson"): [0.2866416392408103, -0.13002011688654563],
    ("global", "spearman"): [0.2477862817024911, -0.13902512579786122],
    ("global", "kendall-b"): [0.1808243760513728, -0.10177110414458287],
}
NLPSTATS_MISSING = {
    ("system", "pearson"): [0.8343307281767293, 0.5993031176170421],
    ("system", "spearman"): [0.7857142857142858, 0.5714285714285715],
    ("system", "kendall-b"): [0.6428571428571428, 0.42857142857142855],
    ("input", "pearson"): [0.3781505286307019, -0.1243931598228851],
    ("input", "spearman"): [0.3282320219060159, -0.20976013596542142],
    ("input", "kendall-b"): [0.24488801747741057, -0.12676912080512215],
    ("global", "pearson"): [0.31665307976030727, -0.09484100494479156],
    ("global", "spearman"): [0.28795475076462046, -0.10302733146173543],
    ("global", "kendall-b"): [0.21062023591512324, -0.07791821495061241],
}


@pytest.mark.parametrize("missing", [False, True])
def test_equal_nlpstats(missing: bool) -> None:
    i, j = np.meshgrid(np.arange(6), np.arange(8), indexing="ij")
    x = np.stack([np.sin(1 + 3 * i + 5 * j) + j / 4, np.cos(2 * i + j * j) + j / 8])
    y = ((i * j + 2 * i + 3 * j) % 5 + j // 2).astype(np.float64)
    y[4], x[1, 5] = 2, 1
    if missing:
        y[0, 3] = y[2, :2] = math.nan
    wanted = NLPSTATS_MISSING if missing else NLPSTATS
    for (level, coefficient), values in wanted.items():
        found = correlations(x, y, level=level, coefficient=coefficient)  # type: ignore[arg-type]
        np.testing.assert_allclose(found.values, values, rtol=0, atol=1e-12)


@pytest.mark.shared_data
def test_summeval_equals_loops_over_scipy(shared_data: Path) -> None:
    """The crowd's answers, and the words of a summary, against the experts' answers to two questions."""
    cells: dict[tuple[str, str], list[list[float]]] = {}
    with (shared_data / "summeval" / "model_annotations.12systems.jsonl").open(encoding="utf-8") as file:
        for record in map(json.loads, file):
            row = [float(len(record["decoded"].split()))]
            crowd, experts = record["turker_annotations"], record["expert_annotations"]
            row += [np.mean([each[question] for each in crowd]) for question in QUESTIONS]
            people = [float(np.mean([each[question] for each in experts])) for question in QUESTIONS]
            cells[record["id"], record["model_id"]] = [row, people]
    topics, systems = (sorted({key[k] for key in cells}) for k in (0, 1))
    assert (len(topics), len(systems)) == (100, 12)
    x, y = (
        np.array([[cells[t, s][side] for s in systems] for t in topics]).transpose(2, 0, 1) for side in (0, 1)
    )
    for question in y:
        for level in LEVELS:
            for coefficient in COEFFICIENTS:
                found = correlations(x, question, level=level, coefficient=coefficient)
                # SciPy takes thirds that differ in the last place for different: sixtieths are whole numbers.
                wanted = [twin(np.rint(60 * each), np.rint(60 * question), level, coefficient) for each in x]
                np.testing.assert_allclose(found.values, wanted, rtol=0, atol=1e-12)


QUESTIONS = ("coherence", "consistency")


# Intervals


def study(
    seed: int, *, topics: int = 8, systems: int = 9, assessors: int = 3
) -> tuple[FloatArray, FloatArray]:
    """Two measures and people, with missing cells, and ratings on a scale."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=systems)
    x = worth + rng.normal(size=(2, topics, systems))
    people = np.rint(3 + worth + rng.normal(size=(assessors, topics, systems)))
    x[rng.random(x.shape) < 0.05] = np.nan
    people[rng.random(people.shape) < 0.1] = np.nan
    return x, people


def correlation_intervals(
    x: FloatArray, people: FloatArray, *, coefficient: Coefficient, **given: Any
) -> CorrelationIntervals:
    return all_correlation_intervals(x, people, coefficients=(coefficient,), **given)[coefficient]


def plain_interval(
    x: FloatArray,
    people: FloatArray,
    level: CorrelationLevel,
    coefficient: Coefficient,
    factors: tuple[Factor, ...],
    seed: int,
    resamples: int,
    sets: list[int],
) -> tuple[float, float]:
    """Draw and compute again; of one measure, topics x systems, and assessors x topics x systems."""
    rng = np.random.default_rng(seed)
    n = x.shape[1]
    units = {"systems": n, "inputs": max(sets) + 1, "assessors": len(people)}
    drawn = {}
    for each in FACTORS:
        stream = np.random.default_rng(rng.integers(2**63))
        drawn[each] = stream.integers(0, units[each], size=(resamples, units[each] - 1))

    def mean(judged: FloatArray) -> FloatArray:
        counts = (~np.isnan(judged)).sum(axis=0)
        return np.where(counts > 0, np.nansum(judged, axis=0) / np.maximum(counts, 1), np.nan)

    def z(factor: Factor | None = None, r: int = 0, without: int | None = None) -> float:
        a, b = x, people
        if factor == "assessors":
            b = b[drawn["assessors"][r]]
        b = mean(b)
        if factor == "inputs":
            rows = [t for k in drawn["inputs"][r] for t in range(len(sets)) if sets[t] == k]
            a, b = a[rows], b[rows]
        left = [s for s in range(n) if s != without]
        value = twin(a[:, left], b[:, left], level, coefficient, places=12)
        if level == "system" and coefficient == "kendall-b":
            most = 1 - 2 / (len(left) * (len(left) - 1))
            value = min(max(value, -most), most)
        return math.atanh(value)

    def reach(df: float) -> float:
        return float(stats.t.ppf(0.975, df)) ** 2

    jackknife = [z(without=s) for s in range(n)]
    together, alone = 0.0, [0.0]
    if "systems" in factors:
        variance = (n - 1) * float(np.var(jackknife))
        if level != "system":
            together = reach(n - 1) * variance
        elif coefficient == "pearson":
            together = 1.959963984540054**2 * max(1 / (n - 3), variance)
        else:
            tau = math.tanh(z())
            alike = math.sin(math.pi * tau / 2)
            esscher = 1 - (2 / math.pi * math.asin(alike)) ** 2
            esscher += 2 * (n - 2) * (1 / 9 - (2 / math.pi * math.asin(alike / 2)) ** 2)
            known = max(0.437 / (n - 4), esscher * 2 / n / (n - 1) / (1 - tau**2) ** 2)
            together = 1.959963984540054**2 * known
    for each in factors:
        if each != "systems":
            own = np.array([z(each, r) for r in range(resamples)])
            change = [z(each, r, r % n) - own[r] - jackknife[r % n] + z() for r in range(resamples)]
            single, own_variance = (n - 1) * np.var(change, ddof=1), np.var(own, ddof=1)
            df = units[each] - 1
            single = min(single, own_variance) if df >= n - 1 else single
            common = reach(df) * max(own_variance - single, 0)
            together += common
            alone.append(common + reach(max(df, n - 1)) * single)
    half = math.sqrt(max(together, *alone))
    value = math.atanh(twin(x, mean(people), level, coefficient, places=12))
    return math.tanh(value - half), math.tanh(value + half)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("resample", "factors"),
    [
        ("systems", ("systems",)),
        ("inputs", ("inputs",)),
        ("assessors", ("assessors",)),
        ("both", ("systems", "inputs")),
        ("all", ("systems", "inputs", "assessors")),
    ],
)
@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_intervals_equal_a_plain_twin(
    level: CorrelationLevel, resample: Resample, factors: tuple[Factor, ...]
) -> None:
    x, people = study(5)
    sets = [0, 0, 1, 2, 3, 3, 4, 5]
    chosen: tuple[Coefficient, ...] = ("pearson", "kendall-b")
    found = all_correlation_intervals(
        x,
        people,
        level=level,
        coefficients=chosen,
        resample=resample,
        rng=np.random.default_rng(7),
        resamples=12,
        clusters=[f"set {k}" for k in sets],
    )
    for coefficient in chosen:
        intervals = found[coefficient]
        assert intervals.why == (None, None)
        assert intervals.factors == factors
        for m in range(2):
            wanted = plain_interval(x[m], people, level, coefficient, factors, 7, 12, sets)
            np.testing.assert_allclose((intervals.low[m], intervals.high[m]), wanted, rtol=0, atol=1e-9)


def test_blocks_of_resamples_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x, people = study(1)
    for level in LEVELS:
        ends = []
        for at_once in (10**7, 60):
            monkeypatch.setattr("adjudge.stats.correlation.AT_ONCE", at_once)
            found = correlation_intervals(
                x,
                people,
                level=level,
                coefficient="spearman",
                resample="all",
                rng=np.random.default_rng(2),
                resamples=40,
            )
            ends.append([found.low, found.high])
        np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-12)


def test_many_items_are_counted_by_a_tree() -> None:
    """More than 512 cells: Kendall's pairs are counted another way."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 40, (1, 30, 30)).astype(float), rng.integers(0, 5, (30, 30)).astype(float)
    for coefficient in COEFFICIENTS:
        found = correlations(x, y, level="global", coefficient=coefficient)
        assert found.values[0] == pytest.approx(twin(x[0], y, "global", coefficient), abs=1e-12)


def why_no_interval(
    x: FloatArray, people: FloatArray, resample: Resample = "all", **given: Any
) -> str | None:
    found = correlation_intervals(
        x,
        people,
        level=given.pop("level", "system"),
        coefficient=given.pop("coefficient", "kendall-b"),
        resample=resample,
        rng=np.random.default_rng(0),
        resamples=100,
        **given,
    )
    for end in (found.low, found.high, found.error):
        assert np.isnan(end[0]) == (found.why[0] is not None)
    return found.why[0]


def test_where_there_is_no_interval_it_says_why() -> None:
    x, people = study(0)
    assert why_no_interval(x, people) is None
    assert why_no_interval(x[:, :, :5], people[:, :, :5]) == "fewer than 6 systems to resample (5)"
    assert why_no_interval(x[:, :, :5], people[:, :, :5], "inputs") is None
    assert why_no_interval(x[:, :4], people[:, :4]) == "fewer than 5 inputs to resample (4)"
    assert (
        why_no_interval(x, people, clusters=[0, 0, 0, 1, 1, 2, 2, 3]) == "fewer than 5 inputs to resample (4)"
    )
    assert why_no_interval(x, people[:1], "assessors") == "fewer than 2 assessors to resample (1)"
    assert why_no_interval(x, people[0], "assessors") == "fewer than 2 assessors to resample (1)"
    assert why_no_interval(x * 0, people) == "the measure gives all 9 systems the same value"
    ordered = np.arange(9.0) + np.zeros((8, 1))
    for level in LEVELS:
        for coefficient in COEFFICIENTS[:3]:
            given: dict[str, Any] = {"level": level, "coefficient": coefficient}
            certain = "the correlation is 1: its error cannot be told"
            assert why_no_interval(ordered[None], ordered, **given) == certain
            assert why_no_interval(ordered[None] / 3, -ordered, **given) == certain.replace("1", "-1")
    flat = x[:, :1] + np.zeros((8, 1))
    assert why_no_interval(flat, flat[0] ** 2, "inputs") == "all resamples have the same correlation"
    missing = x.copy()
    missing[0, :, 5:] = np.nan
    assert why_no_interval(missing, people) == "fewer than 6 systems to resample (5)"
    assert why_no_interval(missing[::-1], people) is None
    rare = np.zeros((1, 8, 9))  # a single cell differs, which a third of the resamples of inputs leave out
    rare[0, 0, 0] = 1
    assert why_no_interval(rare, people, "both") == "without one of the systems there is no correlation"
    assert why_no_interval(rare, people, "inputs") is None
    few_defined = "only [1-4][0-9] of 100 resamples have a correlation"
    rare[0, 0], judged = np.arange(9), np.ones((8, 9))
    judged[1] = people[0, 1]  # the measure tells systems apart on one topic, people on another
    judged[1, np.isnan(judged[1])] = 3
    assert re.fullmatch(few_defined, str(why_no_interval(rare, judged, "inputs")))


def test_one_assessor_is_not_resampled() -> None:
    x, people = study(0)
    found = correlation_intervals(
        x, people[:1], level="system", coefficient="pearson", resample="all", rng=np.random.default_rng(0)
    )
    assert found.factors == ("systems", "inputs")
    assert found.units.tolist() == [[9, 9], [8, 8]]
    assert found.meaning() == (
        "what studies of other 9 systems and 8 inputs like these would find on average, with the same assessors"
    )


def test_what_nobody_judged_is_not_resampled() -> None:
    """A system, a topic and an assessor without judgments change nothing."""
    x, people = study(3)
    more_x = np.concatenate([x, x[:, :1]], axis=1)
    more_x = np.concatenate([more_x, more_x[:, :, :1]], axis=2)
    more = np.full((4, 9, 10), np.nan)
    more[:3, :8, :9] = people
    ends = []
    for measure, judged in ((x, people), (more_x, more)):
        found = correlation_intervals(
            measure,
            judged,
            level="system",
            coefficient="pearson",
            resample="all",
            rng=np.random.default_rng(0),
        )
        assert found.units.tolist() == [[9, 9], [8, 8], [3, 3]]
        ends.append([found.low, found.high])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-12)


def test_few_systems_that_correlate_highly_have_stable_intervals() -> None:
    """Eight systems, and a correlation near 1: every seed says nearly the same, and it is not far from Fisher's z."""
    rng = np.random.default_rng(4)
    worth = np.linspace(-1, 1, 8)
    x = worth + rng.normal(scale=0.6, size=(1, 12, 8))
    people = worth + rng.normal(scale=0.9, size=(3, 12, 8))
    for coefficient in ("pearson", "spearman", "kendall-b"):
        ends = []
        for seed in range(6):
            found = correlation_intervals(
                x,
                people,
                level="system",
                coefficient=coefficient,
                resample="all",
                rng=np.random.default_rng(seed),
            )
            ends.append([found.low[0], found.high[0]])
        value = found.estimates.values[0]
        assert 0.8 < value < 0.999
        assert np.ptp(ends, axis=0).max() < 0.05, (coefficient, ends)
        variance = {"pearson": 1 / 5, "spearman": (1 + value**2 / 2) / 5, "kendall-b": 0.437 / 4}[coefficient]
        half = np.arctanh(ends) - np.arctanh(value)
        assert 1 <= half[0, 1] / (1.959964 * math.sqrt(variance)) + 1e-6 < 1.7
        assert min(ends)[0] > 0


@pytest.mark.parametrize("level", LEVELS)
def test_more_factors_are_never_more_certain(level: CorrelationLevel) -> None:
    for seed in range(4):
        x, people = study(seed)
        width = {}
        for resample in get_args(Resample):
            found = all_correlation_intervals(
                x, people, level=level, resample=resample, rng=np.random.default_rng(seed), resamples=300
            )
            width[resample] = np.array([each.high - each.low for each in found.values()])
        for less, more in (("systems", "both"), ("inputs", "both"), ("both", "all"), ("assessors", "all")):
            assert (width[more] >= width[less] - 1e-12).all(), (less, more)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("all_topics", [False, True])
def test_another_measure_changes_nothing(level: CorrelationLevel, all_topics: bool) -> None:
    """Each has its own topics, systems and assessors."""
    x, people = study(6, topics=12, systems=10)
    people[:, 9:] = np.nan  # topics that nobody judged
    people[2, :3] = np.nan
    x[0, 4] = np.nan
    x[0, :, 8] = np.nan
    both, alone = (
        correlation_intervals(
            given,
            people,
            level=level,
            coefficient="spearman",
            resample="all",
            rng=np.random.default_rng(0),
            resamples=100,
            all_topics=all_topics,
        )
        for given in (x, x[:1])
    )
    assert both.why[0] is None
    assert both.low[0] == pytest.approx(alone.low[0], abs=1e-12)
    assert both.high[0] == pytest.approx(alone.high[0], abs=1e-12)
    topics = [12, 12] if all_topics and level == "system" else [8, 9]
    assert both.units.tolist() == [[9, 10], topics, [3, 3]]
    assert "of other 9 to 10 systems, " in both.meaning()
    assert "of other 9 systems, " in alone.meaning()
    if not (all_topics and level == "system"):  # topics that nobody judged do not count
        judged = correlation_intervals(
            x[:, :9],
            people[:, :9],
            level=level,
            coefficient="spearman",
            resample="all",
            rng=np.random.default_rng(0),
            resamples=100,
        )
        np.testing.assert_allclose(judged.low, both.low, rtol=0, atol=1e-12)


def test_without_an_interval_there_is_no_meaning() -> None:
    x, people = study(0)
    found = correlation_intervals(
        x[:, :, :4],
        people[:, :, :4],
        level="system",
        coefficient="pearson",
        resample="all",
        rng=np.random.default_rng(0),
    )
    assert found.why == ("fewer than 6 systems to resample (4)",) * 2
    assert found.meaning() == ""


def test_mistakes_of_intervals() -> None:
    x, people = study(0)
    given: dict[str, Any] = {"level": "system", "coefficient": "pearson", "rng": np.random.default_rng(0)}
    with pytest.raises(UsageError, match="resample: unknown value .topics."):
        correlation_intervals(x, people, resample="topics", **given)
    with pytest.raises(UsageError, match="clusters: expected one for each of 8 topics, got 2"):
        correlation_intervals(x, people, resample="all", clusters=[1, 2], **given)
    with pytest.raises(UsageError, match="confidence: expected a number between 0 and 1"):
        correlation_intervals(x, people, resample="all", confidence=95, **given)
