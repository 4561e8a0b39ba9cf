"""Error terms: what each term is compared with, beside R; balanced designs; which terms are random."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray, IntArray
from adjudge.stats.linear.anova import anova_table
from adjudge.stats.linear.error_terms import TermTest, finer, model_terms, term_test
from adjudge.stats.linear.mixed import Reml, Satterthwaite, fixed_test, search
from adjudge.stats.linear.model import LinearModel, fit_model, indicators, make_term
from adjudge.stats.linear.strata import Strata, combined, deviance, reml_of_mean_squares, strata

DATA = Path(__file__).parents[1] / "data"
# R 4.2.2: aov with Error(topic); lme4 1.1.31 and lmerTest 3.1.3, Satterthwaite; car 3.1.1: data/error_terms.R
EXPECTED = pd.read_csv(DATA / "error_terms_expected.csv").set_index(["case", "term"])


def model(
    file: str, terms: str, *, value: str = "value", kept: bool = False
) -> tuple[LinearModel, list[str]]:
    frame = pd.read_csv(DATA / f"error_{file}.csv")
    frame = frame[frame["kept"] == 1] if kept else frame
    names = sorted({name for term in terms.split() for name in term.split(":")})
    keys = [[names.index(name) for name in term.split(":")] for term in terms.split()]
    return LinearModel(frame[value], [pd.factorize(frame[n], sort=True)[0] for n in names], keys), names


def the_test(
    found: tuple[LinearModel, list[str]], term: str, sampled: str = "topic assessor", **how: int
) -> TermTest:
    data, names = found
    key = tuple(sorted(names.index(name) for name in term.split(":")))
    at = [names.index(name) for name in sampled.split() if name in names]
    test = term_test(data, key, sampled=at, **how)  # type: ignore[arg-type]
    assert test is not None
    return test


def named(keys: tuple[tuple[int, ...], ...], names: list[str]) -> list[str]:
    return [":".join(names[f] for f in key) for key in keys]


def equals_r(test: TermTest, case: str, term: str, tolerance: float) -> None:
    row = EXPECTED.loc[case, term]
    assert test.why is None
    assert test.f == pytest.approx(row["f"], rel=tolerance)
    assert test.df == row["df"]
    assert test.denominator_df == pytest.approx(row["ddf"], rel=10 * tolerance)
    assert test.p == pytest.approx(row["p"], rel=10 * tolerance)


# Topics within types


def test_a_type_is_compared_with_its_topics() -> None:
    found = model("types", "type system topic type:system")
    test = the_test(found, "type")
    assert (test.method, named(test.errors, found[1])) == ("stratum", ["topic"])
    equals_r(test, "types", "type", 1e-10)
    # Systems, and their interaction with types, are compared with system:topic: the residuals here.
    data, names = found
    rows = {row.term: row for row in anova_table(fit_model(data)).rows}
    for term in ("system", "type:system"):
        key = tuple(sorted(names.index(name) for name in term.split(":")))
        assert term_test(data, key, sampled=[names.index("topic")]) is None
        assert rows[key].f == pytest.approx(EXPECTED.loc["types", term]["f"], rel=1e-10)


def test_types_of_unequally_many_topics_are_exact_too() -> None:
    # The F of a one-way analysis of the topics' means.
    rng = np.random.default_rng(1)
    topic, system = (x.ravel() for x in np.indices((10, 4)))
    kind = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 2])
    y = rng.normal(size=40) + rng.normal(size=10)[topic]
    test = term_test(LinearModel(y, [system, topic, kind[topic]], [(2,), (0,), (1,)]), (2,), sampled=[1])
    assert test is not None
    means = [y.reshape(10, 4).mean(axis=1)[kind == k] for k in range(3)]
    assert test.method == "stratum"
    assert (test.f, test.p) == pytest.approx(tuple(stats.f_oneway(*means)), rel=1e-10)


def test_with_missing_cells_the_model_tells() -> None:
    found = model("types", "type system topic", kept=True)
    test = the_test(found, "type")
    assert test.method == "reml"
    equals_r(test, "types-kept", "type", 1e-6)
    # In order, the type first: lme4's own anova, which gives no degrees of freedom.
    first = the_test(found, "type", ss_type=1)
    assert first.f == pytest.approx(EXPECTED.loc["types-kept-1", "type"]["f"], rel=1e-6)
    last = the_test(model("types", "system type topic", kept=True), "type", ss_type=1)
    assert last.f == pytest.approx(test.f, rel=1e-6)


def test_a_term_within_an_interaction_is_adjusted_for_what_does_not_contain_it() -> None:
    # car's type II: the interaction stays in the model, and the main effect is not adjusted for it.
    found = model("types", "type system type:system topic", kept=True)
    test = the_test(found, "type")
    assert test.f == pytest.approx(EXPECTED.loc["types-kept-crossed", "type"]["f"], rel=1e-5)
    third = the_test(found, "type", ss_type=3)
    assert third.why == Note.of("type-3-several")
    assert math.isnan(third.f)


def test_a_kind_is_compared_with_its_systems() -> None:
    # Kinds of 3 and 6 systems: kind:topic has unequal cells, so that the mean squares do not suffice.
    found = model("types", "kind system topic")
    test = the_test(found, "kind")
    assert (test.method, named(test.errors, found[1])) == ("reml", ["system", "kind:topic"])
    equals_r(test, "kinds", "kind", 1e-5)
    assert term_test(found[0], (1,), sampled=[2]) is None  # a system: the residuals


def test_nesting_is_read_from_the_levels() -> None:
    found, names = model("types", "kind type system topic")
    assert {name: [names[f] for f in finer(found, k)] for k, name in enumerate(names)} == {
        "kind": ["system"],
        "system": [],
        "topic": [],
        "type": ["topic"],
    }
    # Every system has topics of its own, so that topics lie within systems.
    rng = np.random.default_rng(2)
    topic = np.repeat(np.arange(12), 3)
    apart = LinearModel(rng.normal(size=36) + rng.normal(size=12)[topic], [topic // 4, topic], [(0,), (1,)])
    test = term_test(apart, (0,), sampled=[1])
    assert test is not None
    assert (test.errors, test.df, test.denominator_df) == (((1,),), 2, 9)


# Several assessors


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("value", ["value", "flat"])
def test_systems_are_compared_with_how_topics_and_assessors_differ_about_them(value: str, kept: bool) -> None:
    found = model("assessors", "assessor system topic", value=value, kept=kept)
    test = the_test(found, "system")
    assert named(test.errors, found[1]) == ["assessor:system", "system:topic"]
    assert test.method == ("reml" if kept else "strata")
    case = "assessors" + ("-flat" if value == "flat" else "") + ("-kept" if kept else "")
    equals_r(test, case, "system", 1e-5)


@pytest.mark.parametrize("term", ["topic", "assessor"])
def test_topics_and_assessors_are_tested_as_fixed_among_the_random(term: str) -> None:
    found = model("assessors", "assessor system topic", kept=True)
    equals_r(the_test(found, term), f"assessors-kept-{term}", term, 1e-5)


def test_the_mean_squares_give_the_quasi_f() -> None:
    # Satterthwaite 1946: MS_st + MS_sa - MS_e, where no variance is estimated as 0.
    found = model("assessors", "assessor system topic")
    data, names = found
    test = the_test(found, "system")
    crossed = LinearModel(
        data.scores, data.factors, [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    )  # assessor, system, topic
    table = anova_table(fit_model(crossed))
    ms = {":".join(names[f] for f in row.term): (row.ms, row.df) for row in table.rows}
    parts = [ms["system:topic"], ms["assessor:system"], (-table.residual_ms, table.residual_df)]
    noise = sum(mean for mean, _ in parts)
    assert test.f == pytest.approx(ms["system"][0] / noise, rel=1e-8)
    assert test.denominator_df == pytest.approx(noise**2 / sum(m**2 / df for m, df in parts), rel=1e-6)


def test_these_assessors_alone() -> None:
    # With assessors fixed, systems are compared with system:topic: exact.
    found = model("assessors", "assessor system topic")
    test = the_test(found, "system", "topic")
    assert (test.method, named(test.errors, found[1])) == ("stratum", ["system:topic"])
    assert (test.df, test.denominator_df) == (5, 95)


def test_interactions_of_fixed_factors_are_no_noise() -> None:
    found = model("assessors", "assessor system topic", kept=True)
    data, names = found
    design = model_terms(data, [names.index("topic")])
    assert named(design.random, names) == ["topic", "assessor:topic", "system:topic"]
    assert named(design.added, names) == ["assessor:system"]
    # Listed, it changes no test of the others: car's Wald statistic, the denominators aside.
    listed = model("assessors", "assessor system topic assessor:system", kept=True)
    for term in ("assessor", "system"):
        one, other = the_test(found, term, "topic"), the_test(listed, term, "topic")
        assert one.f == pytest.approx(EXPECTED.loc["these-kept", term]["f"], rel=1e-5)
        assert (one.f, one.p) == pytest.approx((other.f, other.p), rel=1e-6)
    # Types have no interactions but those that are listed.
    types, names = model("types", "type system topic")
    assert model_terms(types, [names.index("topic")]).added == ()


def test_what_no_random_term_contains_is_compared_with_what_all_of_them_leave() -> None:
    # car::Anova of the linear model with all two-way interactions, though one alone is listed.
    for term in ("assessor:system", "system:topic", "assessor:topic"):
        found = model("assessors", f"assessor system topic {term}", kept=True)
        test = the_test(found, term)
        assert (test.method, test.errors, len(test.added)) == ("larger", (), 2)
        equals_r(test, "crossed-kept", term, 1e-8)
    data, _ = model(
        "assessors", "assessor system topic assessor:system system:topic assessor:topic", kept=True
    )
    assert term_test(data, (0, 1), sampled=[0, 2]) is None  # all are listed: the residuals will do
    third = term_test(
        model("assessors", "assessor system topic")[0], (0,), sampled=[], ss_type=3
    )  # nothing is a sample: the interactions are fixed
    assert third is not None
    assert third.method == "larger"


def test_selectors_within_types() -> None:
    found = model("selectors", "type selector system topic")
    for term in ("type", "selector"):
        test = the_test(found, term, "topic")
        assert (test.method, named(test.errors, found[1])) == ("stratum", ["topic"])
        equals_r(test, "selectors", term, 1e-10)
    found = model("selectors", "type selector system topic type:system")
    for term, error in (
        ("type", "selector"),
        ("system", "selector:system"),
        ("type:system", "selector:system"),
    ):
        test = the_test(found, term, "topic selector")
        assert (test.method, named(test.errors, found[1])) == ("stratum", [error])
        equals_r(test, "selectors-sampled", term, 1e-10)


def test_assessors_of_their_own_topics() -> None:
    # Two assessors to each topic: assessors lie within topics, and their judgments of a system are the residuals.
    rng = np.random.default_rng(3)
    system, topic, which = (x.ravel() for x in np.indices((4, 8, 2)))
    assessor = 2 * topic + which
    data = LinearModel(rng.normal(size=64), [assessor, system, topic], [(0,), (1,), (2,)])
    assert model_terms(data, [0, 2]).random == ((0,), (2,), (1, 2))
    test = term_test(data, (1,), sampled=[0, 2])
    assert test is not None
    assert (test.method, test.errors, test.denominator_df) == ("stratum", ((1, 2),), 21)
    topics = term_test(data, (2,), sampled=[0, 2])
    assert topics is not None
    assert topics.errors == ((0,), (1, 2))


def test_what_leaves_nothing_for_the_noise_is_left_out() -> None:
    # 2 of 4 assessors to each of 6 topics, and every summary once or twice: with all three nothing would be left.
    rng = np.random.default_rng(4)
    system, topic = (x.ravel() for x in np.indices((2, 3)))
    system, topic = np.tile(system, 2), np.tile(topic, 2)
    assessor = np.repeat([0, 1], 6)
    kept = np.array([1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1], dtype=bool)
    data = LinearModel(rng.normal(size=10), [x[kept] for x in (assessor, system, topic)], [(0,), (1,), (2,)])
    random = model_terms(data, [0, 2]).random
    assert (1, 2) in random
    assert (0, 2) not in random
    assert data.space([*data.keys, *random]).rank < data.n


def test_no_noise_no_test() -> None:
    system, topic, assessor = (x.ravel() for x in np.indices((3, 4, 2)))
    flat = LinearModel(1.0 * system + topic, [assessor, system, topic], [(0,), (1,), (2,)])
    test = term_test(flat, (1,), sampled=[0, 2])
    assert test is not None
    assert test.why == Note.of("no-variation")
    assert math.isnan(test.p)
    # Assessors who agree in everything: the systems are compared with system:topic alone.
    y = np.random.default_rng(5).normal(size=(3, 4))[system, topic] + 3.0 * topic
    agreed = term_test(LinearModel(y, [assessor, system, topic], [(0,), (1,), (2,)]), (1,), sampled=[0, 2])
    assert agreed is not None
    assert agreed.denominator_df == pytest.approx(6, rel=1e-6)
    once = anova_table(fit_model(LinearModel(y[::2], [system[::2], topic[::2]], [(0,), (1,)])))
    assert (agreed.f, agreed.p) == pytest.approx((once.rows[0].f, once.rows[0].p), rel=1e-6)


def test_a_term_that_adds_nothing_is_not_tested() -> None:
    rng = np.random.default_rng(6)
    system, topic = (x.ravel() for x in np.indices((4, 6)))
    kept = rng.random(24) > 0.2
    factors = [x[kept] for x in (system, topic, topic // 2)]
    data = LinearModel(rng.normal(size=kept.sum()), factors, [(0,), (1,), (2,)])
    found = fixed_test(data, (2,), fixed=[(0,), (1,), (2,)], after=[(0,), (1,)], random=[(0, 2)])
    assert (found.df, found.why) == (0, Note.of("nothing-left"))


# Balanced designs


@st.composite
def designs(draw: st.DrawFn) -> tuple[FloatArray, list[IntArray]]:
    """Systems x topics x assessors, every cell filled once, with any variances."""
    shape = [draw(st.integers(2, 5)) for _ in range(3)]
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    factors = [x.ravel() for x in np.indices(shape)]
    y = rng.normal(size=math.prod(shape))
    for key in ((1,), (2,), (0, 1), (0, 2), (1, 2)):
        term = make_term(factors, key)
        y = y + draw(st.sampled_from([0.0, 0.4, 1.5])) * rng.normal(size=term.size)[term.codes]
    return y, factors


RANDOM = [(1,), (2,), (0, 1), (0, 2), (1, 2)]


@given(designs())
@settings(deadline=None, max_examples=15)
def test_mean_squares_are_enough_for_reml(design: tuple[FloatArray, list[IntArray]]) -> None:
    """The variances, F and its degrees of freedom are those of a search over the rows, on the boundary too."""
    y, factors = design
    model = LinearModel(y, factors, [(0,), *RANDOM])
    balanced = strata(model, [(0,)], RANDOM)
    assert balanced is not None
    reml = Reml(y, indicators(model.term((0,))), [model.term(key) for key in RANDOM])
    theta = search(reml, range(5), np.ones(5))
    best = reml.at(theta)
    variances = reml_of_mean_squares(balanced)
    ratios = np.sqrt(variances[:-1] / variances[-1])
    assert reml.at(ratios).deviance <= best.deviance + 1e-6  # nobody finds a lower one
    sigma2 = best.rss / reml.df
    if np.abs(ratios - theta).max() > 1e-3:
        return  # so flat a criterion has many ends
    np.testing.assert_allclose(variances[-1], sigma2, rtol=1e-2)
    test = Satterthwaite(reml, theta, np.eye(best.fixed.size)).of_equality()
    noise, df = combined(balanced, variances, balanced.shares[(0,)])
    between, squares = balanced.effects[(0,)]
    assert squares / between / noise == pytest.approx(test.f, rel=1e-2)
    if ((ratios == 0) == (theta == 0)).all():
        assert df == pytest.approx(test.denominator_df, rel=2e-2)
    # Taking a term out costs what it costs there, and no search over the rows ends lower.
    for k in np.flatnonzero(ratios).tolist():
        others = [other for other in range(5) if other != k]
        kept = replace(balanced, coefficients=balanced.coefficients[:, [*others, 5]])
        less = reml_of_mean_squares(kept)
        without = np.insert(np.sqrt(less[:-1] / less[-1]), k, 0.0)
        ratio = reml.at(without).deviance - reml.at(ratios).deviance
        assert deviance(balanced, without=k) - deviance(balanced) == pytest.approx(ratio, abs=1e-6)
        assert reml.at(without).deviance <= reml.at(search(reml, others, theta)).deviance + 1e-6


def test_what_is_not_balanced_has_no_strata() -> None:
    system, topic = (x.ravel() for x in np.indices((3, 4)))
    y = np.random.default_rng(7).normal(size=12)
    assert strata(LinearModel(y, [system, topic], [(0,), (1,)]), [(0,)], [(1,)]) is not None
    y[5] = np.nan
    assert strata(LinearModel(y, [system, topic], [(0,), (1,)]), [(0,)], [(1,)]) is None
    # Orthogonal, but cells of the random term have 1 and 3 rows.
    block = np.array([0, 1, 1, 1] * 3)
    even = LinearModel(np.arange(12.0), [system, block], [(0,), (1,)])
    assert strata(even, [(0,)], [(1,)]) is None
    assert strata(even, [(0,), (1,)], []) is not None
    # Two parts that no term tells apart.
    parts = LinearModel(np.arange(8.0), [np.array([0, 0, 1, 1] * 2), np.arange(8) // 2 % 2], [(0,), (1,)])
    assert strata(parts, [(0,), (1,)], []) is not None  # the same groups
    two = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 0, 1, 2, 3, 2, 3])
    assert strata(LinearModel(np.arange(8.0), list(two), [(0,), (1,)]), [(0,)], [(1,)]) is None


def test_a_flat_criterion_still_has_degrees_of_freedom() -> None:
    found = Strata(
        random=((0,),),
        df=np.array([1, 30]),
        ms=np.array([0.1, 1.0]),
        coefficients=np.array([[5.0, 1.0], [0.0, 1.0]]),
        effects={},
        shares={},
    )
    variances = reml_of_mean_squares(found)
    assert variances[0] == 0
    assert variances[1] == pytest.approx((0.1 + 30) / 31)
    assert combined(found, variances, np.array([5.0, 1.0])) == pytest.approx((variances[1], 31))


# Calibration, the quick part: see tests/calibration/ for the rest


def test_shuffled_types_matter_one_time_in_twenty() -> None:
    rng = np.random.default_rng(8)
    system, topic = (x.ravel() for x in np.indices((6, 12)))
    y = rng.normal(size=72) + 1.5 * rng.normal(size=12)[topic]
    right, wrong = 0, 0
    for _ in range(150):
        kind = rng.permutation(12)[topic] // 3
        data = LinearModel(y, [system, topic, kind], [(2,), (0,), (1,)])
        test = term_test(data, (2,), sampled=[1])
        assert test is not None
        right += test.p < 0.05
        row = anova_table(fit_model(data)).rows[0]
        wrong += row.p < 0.05
    low, high = stats.binom.ppf([0.001, 0.999], 150, 0.05)
    assert low <= right <= high
    assert wrong > 40  # against the residuals: what is to be avoided


def test_equal_systems_seldom_matter_to_several_assessors() -> None:
    rng = np.random.default_rng(9)
    system, topic, assessor = (x.ravel() for x in np.indices((6, 20, 3)))
    right, wrong = 0, 0
    for _ in range(60):
        y = rng.normal(size=360) + rng.normal(size=20)[topic] + 0.5 * rng.normal(size=(6, 20))[system, topic]
        y += 0.3 * rng.normal(size=(6, 3))[system, assessor] + 0.3 * rng.normal(size=(20, 3))[topic, assessor]
        data = LinearModel(y, [assessor, system, topic], [(0,), (1,), (2,)])
        test = term_test(data, (1,), sampled=[0, 2])
        assert test is not None
        right += test.p < 0.05
        wrong += anova_table(fit_model(data)).rows[1].p < 0.05
    assert right <= stats.binom.ppf(0.999, 60, 0.05)
    assert wrong > 12


def one_assessor_each(rng: np.random.Generator, shares: bool) -> LinearModel:
    """Equal systems; each summary has one of 3 assessors: the topic's, or one drawn with the system's own shares."""
    system, topic = (x.ravel() for x in np.indices((4, 30)))
    assessor = topic // 10
    if shares:
        cumulative = rng.dirichlet([1, 1, 1], size=4).cumsum(axis=1)
        assessor = np.unique(
            (rng.random(120)[:, None] > cumulative[system]).sum(axis=1), return_inverse=True
        )[1]
    y = rng.normal(size=120) + rng.normal(size=30)[topic] + rng.normal(size=3)[assessor]
    if not shares:
        y += 0.7 * rng.normal(size=(4, 3))[system, assessor]
    return LinearModel(y, [assessor, system, topic], [(0,), (1,), (2,)])


@pytest.mark.parametrize("shares", [False, True])
def test_equal_systems_seldom_matter_where_each_summary_has_one_assessor(shares: bool) -> None:
    rng = np.random.default_rng(10)
    right, wrong = 0, 0
    for _ in range(60):
        model = one_assessor_each(rng, shares)
        test = term_test(model, (1,), sampled=[0, 2])
        assert test is not None
        assert test.errors == ((0, 1),)
        right += test.p < 0.05
        plain = fit_model(LinearModel(model.scores, model.factors, [(1,), (2,)]))
        wrong += anova_table(plain, ss_type=2).rows[0].p < 0.05
    assert right <= stats.binom.ppf(0.999, 60, 0.05)
    assert wrong > 20  # without assessors


@pytest.mark.parametrize("missing", [0, 9])
def test_no_more_degrees_of_freedom_than_assessors_leave(missing: int) -> None:
    """Whatever the variance is estimated as, 3 assessors of 4 systems leave 6; a balanced design is exact."""
    rng = np.random.default_rng(11)
    model = one_assessor_each(rng, shares=False)
    quiet = rng.normal(size=120)  # assessors agree: REML's variance is small
    quiet[: 7 * missing : 7] = np.nan
    data = LinearModel(quiet, list(model.factors), [(0,), (1,), (2,)])
    test = term_test(data, (1,), sampled=[0, 2])
    assert test is not None
    assert test.method == ("reml" if missing else "stratum")
    assert test.denominator_df <= 6 + 1e-9
    assert test.p == pytest.approx(stats.f.sf(test.f, 3, test.denominator_df))


def test_assessors_need_not_be_a_term() -> None:
    """What assessors make of systems is noise, in the table or not; topics of one assessor hold the assessor."""
    model = one_assessor_each(np.random.default_rng(12), shares=False)
    for scores in (model.scores, np.where(np.arange(120) % 11, model.scores, np.nan)):
        listed = term_test(LinearModel(scores, model.factors, [(0,), (1,), (2,)]), (1,), sampled=[0, 2])
        silent = term_test(LinearModel(scores, model.factors, [(1,), (2,)]), (1,), sampled=[0, 2])
        assert listed is not None
        assert silent is not None
        assert (silent.method, silent.errors, silent.random) == (listed.method, listed.errors, listed.random)
        assert silent.p == pytest.approx(listed.p, rel=1e-6)
