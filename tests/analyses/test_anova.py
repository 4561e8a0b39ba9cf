"""Analyses of variance with names: which rows and factors go in, what comes out in words, tables and JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approving import Approved, words_of
from tests.properties import examples

import adjudge
from adjudge.analyses.anova import anova
from adjudge.analyses.anova.result import AnovaResult, AnovaTerm
from adjudge.analyses.anova.words import about_checks, about_residuals
from adjudge.analyses.scores import HUMANS, Scores
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note
from adjudge.core.words import percent
from adjudge.data.rows import Key, Topic
from adjudge.data.scores import MeasureInfo, Score, ScoreTable
from adjudge.data.target import Target
from adjudge.stats.linear.anova import adjusted_means, anova_table, residual_checks
from adjudge.stats.linear.model import fit_two_way

DATA = Path(__file__).parents[1] / "stats" / "data"
PAGE = (Path(__file__).parents[2] / "docs" / "anova.md").read_text(encoding="utf-8")


def table(rows: Iterable[Score], **info: Any) -> ScoreTable:
    return ScoreTable.from_rows(rows, [MeasureInfo("coverage", **info)])


def stored(name: str) -> ScoreTable:
    frame = pd.read_csv(DATA / f"anova_{name}.csv").assign(measure="coverage")
    cell = [key for key in ("topic", "system", "assessor") if key in frame]
    return ScoreTable.from_frame(frame.assign(repeat=frame.groupby(cell).cumcount()))


def grid(systems: int = 4, topics: int = 8, seed: int = 1, **fields: Any) -> list[Score]:
    rng = np.random.default_rng(seed)
    values = 0.3 + 0.05 * np.arange(systems) + 0.1 * rng.normal(size=(topics, 1))
    values = values + 0.03 * rng.normal(size=(topics, systems))
    return [
        Score("coverage", f"t{i}", f"s{j}", float(values[i, j]), **fields)
        for i in range(topics)
        for j in range(systems)
    ]


def judged(assessors: int = 3, **sizes: int) -> list[Score]:
    return [
        row for k in range(assessors) for row in grid(seed=1 if k == 0 else 1 + k, assessor=f"a{k}", **sizes)
    ]


def terms(found: AnovaResult) -> list[str]:
    return [line.term for line in found.lines]


def told(found: AnovaResult) -> list[str]:
    """What is said of the terms; what is said of the residuals has tests of its own."""
    residuals = list(about_residuals(found))
    return [line for line in words_of(found) if line not in residuals]


def codes(found: AnovaResult) -> list[str]:
    return [note.code for note in found.notes()]


# Which rows and factors


def test_system_and_topic_where_judgments_are_not_repeated() -> None:
    rows = grid()
    found = anova(table(rows), "coverage")
    assert terms(found) == ["system", "topic"]
    assert found.formula == "value ~ system + topic"
    matrix = np.array([row.value for row in rows]).reshape(8, 4)
    expected = fit_two_way(matrix)
    assert found.residual_ms == pytest.approx(expected.residual_mean_square, rel=1e-12)
    assert {mean.system: mean.mean for mean in found.means} == pytest.approx(
        dict(zip(["s0", "s1", "s2", "s3"], adjusted_means(expected, 0).means, strict=True))
    )
    assert (found.n, found.levels, found.warnings()) == (32, {"system": 4, "topic": 8}, [])


def test_assessor_comes_first_where_judgments_are_repeated() -> None:
    assert terms(anova(table(judged()), "coverage")) == ["assessor", "system", "topic"]
    one_each = [
        Score("coverage", f"t{i}", f"s{j}", i * j % 5, assessor=f"a{i}") for i in range(4) for j in range(4)
    ]
    assert terms(anova(table(one_each), "coverage")) == [
        "system",
        "topic",
    ]  # the set's assessor, as in phase 1


def test_the_second_phase_of_duc_2002() -> None:
    found = anova(stored("phase2"), "coverage", interactions=True, ss_type=1)  # as DUC-2002 printed it
    assert terms(found) == [
        "assessor",
        "system",
        "topic",
        "assessor:system",
        "assessor:topic",
        "system:topic",
    ]
    assert [line.df for line in found.lines] == [7, 10, 5, 70, 3, 50]
    assert (found.residual_df, found.n) == (30, 176)
    sizes = found.interactions[-1]
    assert sizes.term == "system:topic"
    frame = pd.DataFrame(sizes.sizes.table(), index=list(sizes.first), columns=list(sizes.second))
    assert frame.shape == (11, 6)
    expected = pd.read_csv(DATA / "anova_effects_expected.csv")
    for _, row in expected.iterrows():
        assert frame.loc[row["system"], row["topic"]] == pytest.approx(row["effect"], abs=1e-12)
    assert sizes.large()[0][:2] == ("s04", "d5")


def test_humans_are_one_system_with_one_row_for_each_topic(approved: Approved) -> None:
    # "Manual summaries combined": 10 systems and MANUAL on 57 sets are 627 rows, 10 and 56 degrees of freedom.
    rows = grid(10, 57)
    rows += [Score("coverage", f"t{i}", f"h{i % 7 + k}", 0.5 + 0.1 * k) for i in range(57) for k in range(2)]
    kinds = {f"h{k}": "human" for k in range(8)}
    found = anova(Scores("test", table(rows), kinds), "coverage", pool_humans=True)
    assert found.n == 627
    assert ([line.df for line in found.lines], found.residual_df) == ([10, 56], 560)
    assert {mean.system: mean.mean for mean in found.means}[HUMANS] == pytest.approx(0.55)
    assert codes(found)[:2] == ["humans-are-one-system", "scores-averaged"]
    approved(found.warnings())
    assert found.signature.startswith(
        "anova(measure=coverage, pool_humans=yes)|coverage|humans:pooled|rows:627|"
    )
    apart = anova(Scores("test", table(rows), kinds), "coverage", pool_humans=True, average_humans=False)
    assert "|coverage|humans:pooled-rows|rows:684|" in apart.signature
    assert (apart.n, apart.lines[0].df) == (684, 10)


def test_every_person_weighs_the_same() -> None:
    rows = grid(2, 3)
    for i in range(3):
        rows += [Score("coverage", f"t{i}", "ann", v, repeat=k) for k, v in enumerate((0.1, 0.2, 0.3))]
        rows.append(Score("coverage", f"t{i}", "bob", 0.6))
    found = anova(Scores("test", table(rows), {"ann": "human", "bob": "human"}), "coverage", pool_humans=True)
    assert {mean.system: mean.mean for mean in found.means}[HUMANS] == pytest.approx(0.4)


def test_pooling_needs_humans() -> None:
    with pytest.raises(UsageError, match="no system here is human"):
        anova(table(grid()), "coverage", pool_humans=True)
    rows = [*grid(), Score("coverage", "t0", HUMANS, 0.3), Score("coverage", "t0", "ann", 0.3)]
    with pytest.raises(UsageError, match="a system that is not human is named HUMANS"):
        anova(Scores("test", table(rows), {"ann": "human"}), "coverage", pool_humans=True)


def test_what_is_no_factor_is_averaged_over() -> None:
    rows = [row for k in range(3) for row in grid(seed=k + 1, reference=f"r{k}")]
    found = anova(table(rows), "coverage")
    assert found.n == 32
    assert [(note.code, note.data) for note in found.notes()] == [
        ("scores-averaged", {"before": 96, "after": 32, "over": ["references"]})
    ]
    assert anova(table(rows), "coverage", factors=["system", "topic", "reference"]).n == 96


def test_topics_attributes_are_factors() -> None:
    about = {
        f"t{i}": Topic(f"t{i}", type="event" if i < 4 else "person", selector=f"x{i % 2}") for i in range(8)
    }
    found = anova(
        Scores("test", table(grid()), topics=about), "coverage", factors=["type", "system", "topic"]
    )
    assert [(line.term, line.df) for line in found.lines] == [("type", 1), ("system", 3), ("topic", 6)]
    assert found.warnings() == []  # a type of topics is no lack of balance
    last = anova(Scores("test", table(grid()), topics=about), "coverage", factors=["system", "topic", "type"])
    assert (last.ss_type, last.lines[2].p) == (2, found.lines[0].p)  # the type is not adjusted for its topics
    after = anova(
        Scores("test", table(grid()), topics=about),
        "coverage",
        factors=["system", "topic", "type"],
        ss_type=1,
    )
    assert after.lines[2].why == Note.of("nothing-left")
    assert "Type cannot be tested: nothing is left of it after the other terms." in list(after.sentences())
    two = anova(Scores("test", table(grid()), topics=about), "coverage", factors=["system", "selector"])
    # Topics are there too: nothing else tells whether selectors differ.
    assert two.levels == {"selector": 2, "system": 4, "topic": 8}
    assert two.warnings() == ["topic was added to the terms: the tests of the others need it"]
    assert two.lines[1].against == ("topic",)


def test_kinds_and_authors_are_factors() -> None:
    kinds = {"s0": "human", "s1": "machine", "s2": "machine", "s3": "baseline"}
    found = anova(Scores("test", table(grid()), kinds), "coverage", factors=["kind", "topic"])
    assert found.levels == {"kind": 3, "system": 4, "topic": 8}  # systems, which kinds are compared with
    assert found.largest[0].where.startswith("s")  # rows keep their names
    rows = [row for k in range(2) for row in grid(seed=k + 1, reference=f"r{k}", length=100)]
    authors: dict[Key, str] = {(f"t{i}", "r0", Target(100)): f"p{i % 3}" for i in range(8)}
    authors["t0", "r1", Target()] = "p9"
    found = anova(Scores("test", table(rows), authors=authors), "coverage", factors=["author", "system"])
    assert found.levels["author"] == 5  # p0, p1, p2 of r0; p9 and, nobody being known, r1 itself


def test_what_is_not_known_is_said() -> None:
    known = {"t0": Topic("t0", type="event"), "t1": Topic("t1")}
    with pytest.raises(
        UsageError, match=r"type is not known of 7 topics \(t1, t2, t3, t4, t5 and 2 others\)"
    ):
        anova(Scores("test", table(grid()), topics=known), "coverage", factors=["type", "system"])
    with pytest.raises(UsageError, match=r"kind is not known of 4 systems"):
        anova(table(grid()), "coverage", factors=["kind", "topic"])
    with pytest.raises(UsageError, match="these scores say no assessor: it cannot be a factor"):
        anova(table(grid()), "coverage", factors=["system", "assessor"])
    with pytest.raises(UsageError, match="these scores say no reference: its author cannot be a factor"):
        anova(table(grid()), "coverage", factors=["system", "author"])
    with pytest.raises(UsageError, match=r'no factor "sistem" \(nearest: "system"\)'):
        anova(table(grid()), "coverage", factors=["sistem", "topic"])
    with pytest.raises(UsageError, match='no scores of "rouge"'):
        anova(table(grid()), "rouge")


def test_lengths_are_looked_at_one_at_a_time() -> None:
    rows = [*grid(length=50), *grid(seed=2, length=100)]
    with pytest.raises(UsageError, match=r"several lengths \(50, 100\): choose one with length"):
        anova(table(rows), "coverage")
    with pytest.raises(UsageError, match="no scores at length 10; it has: 50, 100"):
        anova(table(rows), "coverage", length=10)
    found = anova(table(rows), "coverage", length=100)
    assert (found.n, found.length, found.title) == (32, 100, "coverage at 100 words")
    both = anova(table(rows), "coverage", factors=["length", "system", "topic"])
    assert ([line.df for line in both.lines], both.n, both.length) == ([1, 3, 7], 64, None)
    assert " at " in both.largest[0].where
    assert anova(table(grid(length=100)), "coverage").length == 100


def test_missing_scores_are_counted_with_their_reasons(approved: Approved) -> None:
    rows = grid()
    rows[3] = Score.missing("coverage", "t0", "s3", "withdrawn", None)
    rows[9] = Score.missing("coverage", "t2", "s1", "empty", None)
    rows[13] = Score.missing("coverage", "t3", "s1", "empty", None)
    found = anova(table(rows), "coverage")
    assert found.n == 29
    assert codes(found) == ["missing-scores", "missing-scores", "unbalanced"]
    approved(found.warnings(), "type II")
    approved(anova(table(rows), "coverage", ss_type=1).warnings()[2:], "type I")
    with pytest.raises(DataError, match=r"coverage: every score is missing \(lost\)"):
        anova(table([Score.missing("coverage", "t", "s", "lost", None)]), "coverage")


# Interactions


def test_interactions_without_replicates_are_refused_in_words() -> None:
    said = "system:topic cannot be separated from the noise: no system and topic has more than one score"
    for asked in ({"interactions": True}, {"factors": ["system", "topic", "topic:system"]}):
        with pytest.raises(UsageError, match=said):
            anova(table(grid()), "coverage", **asked)


def test_repeats_are_replicates() -> None:
    rows = [row for k in range(3) for row in grid(seed=k + 1, repeat=k)]
    assert anova(table(rows), "coverage").n == 32  # averaged
    found = anova(table(rows), "coverage", interactions=True)
    assert found.n == 96
    assert [(line.term, line.df) for line in found.lines][-1] == ("system:topic", 21)
    assert found.residual_df == 64


def test_interactions_that_leave_nothing_are_refused() -> None:
    # Two assessors who share one topic: nothing is left after all two-way interactions.
    rows = [
        Score("coverage", topic, f"s{j}", (j * k * 7 + len(topic)) % 5, assessor=f"a{k}")
        for k, topics in enumerate((["t1", "t2"], ["t2", "t3"]))
        for topic in topics
        for j in range(3)
    ]
    with pytest.raises(
        UsageError, match="no degrees of freedom are left for the noise; leave out an interaction"
    ):
        anova(table(rows), "coverage", interactions=True)


def test_interactions_that_fit_exactly_have_no_size_to_judge(approved: Approved) -> None:
    rows = [
        Score("coverage", f"t{i}", f"s{j}", i * j, repeat=k)
        for i in range(3)
        for j in range(3)
        for k in range(2)
    ]
    found = anova(table(rows), "coverage", interactions=True)
    approved(told(found))


def test_terms_must_make_sense() -> None:
    rows = table(judged())
    with pytest.raises(UsageError, match='"system:topic" needs "topic" among the factors too'):
        anova(rows, "coverage", factors=["system", "system:topic"])
    with pytest.raises(UsageError, match="only interactions of two factors"):
        anova(rows, "coverage", factors=["assessor", "system", "topic", "assessor:system:topic"])
    with pytest.raises(UsageError, match="interactions need two of assessor, system and topic"):
        anova(rows, "coverage", factors=["system"], interactions=True)
    with pytest.raises(UsageError, match="a term is there twice"):
        anova(rows, "coverage", factors=["system", "topic", "topic:system", "system:topic"])
    with pytest.raises(UsageError, match="alpha is 5, expected a number between 0 and 1"):
        anova(rows, "coverage", alpha=5)


def test_an_interactions_first_factor_is_the_first_in_its_name() -> None:
    found = anova(table(judged()), "coverage", factors=["topic", "system", "assessor", "topic:system"])
    assert found.interactions[0].term == "system:topic"
    assert found.interactions[0].sizes.table().shape == (4, 8)


def test_types_of_sums_of_squares() -> None:
    one, two = (anova(stored("unbalanced"), "coverage", interactions=True, ss_type=t) for t in (1, 2))
    expected = pd.read_csv(DATA / "anova_tables_expected.csv")
    expected = expected[(expected["data"] == "unbalanced") & (expected["type"] == 2)].set_index("term")["ss"]
    ss = {line.term: line.ss for line in two.lines}
    assert ss["system"] == pytest.approx(expected["system"])
    assert ss["assessor:topic"] == pytest.approx(expected["topic:assessor"])
    assert one.lines[0].ss != pytest.approx(two.lines[0].ss)
    assert "anova:type-II:" in two.signature


# Compared with what


def r(case: str, term: str) -> pd.Series:
    """R 4.2.2, aov, lmerTest 3.1.3, car 3.1.1: tests/stats/data/error_terms.R"""
    return pd.read_csv(DATA / "error_terms_expected.csv").set_index(["case", "term"]).loc[case, term]


def errors(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA / f"error_{name}.csv").assign(measure="coverage")


def with_types(frame: pd.DataFrame) -> Scores:
    about = {row.topic: Topic(row.topic, type=row.type) for row in frame.itertuples()}
    kinds = dict(zip(frame["system"], frame["kind"], strict=True))
    kept = frame[["measure", "topic", "system", "value"]]
    return Scores("test", ScoreTable.from_frame(kept), kinds, topics=about)


def equals_r(line: AnovaTerm, case: str, term: str | None = None) -> None:
    row = r(case, term or line.term)
    assert line.f == pytest.approx(row["f"], rel=1e-5)
    assert line.df == row["df"]
    assert (line.denominator_df, line.p) == pytest.approx((row["ddf"], row["p"]), rel=1e-4)


@pytest.mark.parametrize(
    "factors",
    [
        ["type", "system", "topic", "type:system"],
        ["system", "topic", "type", "system:type"],
        ["type", "system", "type:system"],
    ],
)
def test_types_are_compared_with_topics(factors: list[str]) -> None:
    found = anova(with_types(errors("types")), "coverage", factors=factors)
    lines = {line.term: line for line in found.lines}
    equals_r(lines["type"], "types")
    equals_r(lines["system"], "types")
    equals_r(lines["system:type"], "types", "type:system")
    assert (lines["type"].against, lines["system"].against) == (("topic",), ())
    printed = found.table("anova-residuals")
    assert printed is not None
    assert [row[0] for row in printed.rows] == terms(found)
    assert "|errors:type/topic|" in found.signature


def test_types_with_missing_scores_are_tested_by_the_model() -> None:
    frame = errors("types")
    found = anova(with_types(frame[frame["kept"] == 1]), "coverage", factors=["type", "system", "topic"])
    assert found.ss_type == 2
    equals_r(found.lines[0], "types-kept")
    assert found.lines[0].method == "reml"


def test_shuffled_types_do_not_matter() -> None:
    # Of 30 shuffles 21 "mattered" against the residuals.
    frame, rng = errors("types"), np.random.default_rng(1)
    topics = frame["topic"].unique()
    count = {"right": 0, "wrong": 0}
    for _ in range(40):
        labels = dict(zip(rng.permutation(topics), np.arange(12) // 3, strict=True))
        shuffled = frame.assign(type=[f"type{labels[topic]}" for topic in frame["topic"]])
        line = anova(with_types(shuffled), "coverage", factors=["type", "system", "topic"]).lines[0]
        count["right"] += line.p < 0.05
        count["wrong"] += line.residual_p < 0.05
    assert count["right"] <= 6  # the 99.9 % point of 40 at 5 %
    assert count["wrong"] >= 15


def test_a_type_of_one_topic_cannot_be_tested() -> None:
    about = {f"t{i}": Topic(f"t{i}", type=f"x{i}", set=f"d{i}") for i in range(8)}
    scores = Scores("test", table(grid()), topics=about)
    found = anova(scores, "coverage", factors=["type", "system", "topic"])
    assert list(found.sentences())[1] == (
        "Type cannot be tested: every type has one topic, so the two cannot be separated."
    )
    # Neither is left out of the first sentence.
    assert found.headline().startswith("On coverage, system matters; type and topic were not tested.")
    sets = anova(scores, "coverage", factors=["system", "set"])  # a set is a topic here
    assert sets.lines[1].f == pytest.approx(anova(scores, "coverage").lines[1].f)
    assert terms(sets) == ["system", "set"]


def test_two_topics_of_two_types_could_hardly_show_anything(approved: Approved) -> None:
    about = {f"t{i}": Topic(f"t{i}", type=f"x{min(i, 1)}") for i in range(3)}
    found = anova(
        Scores("test", table(grid(topics=3)), topics=about), "coverage", factors=["type", "system", "topic"]
    )
    assert (found.lines[0].df, found.lines[0].denominator_df) == (1, 1)
    # R: qf(.95, 1, 1) = 161.4476
    approved(told(found))


@pytest.mark.parametrize("random", [(), ("topic", "assessor")])
@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("value", ["value", "flat"])
def test_several_assessors(value: str, kept: bool, random: tuple[str, ...]) -> None:
    frame = errors("assessors")
    frame = frame[frame["kept"] == 1] if kept else frame
    frame = frame.assign(value=frame[value])[["measure", "topic", "system", "assessor", "value"]]
    found = anova(frame, random=random, resamples=0)
    case = "assessors" + ("-flat" if value == "flat" else "") + ("-kept" if kept else "")
    system = found.lines[1]
    equals_r(system, case)
    assert system.against == ("assessor:system", "system:topic")
    assert system.p >= 0.05
    assert found.random == ("assessor", "topic")


def test_these_assessors_alone(approved: Approved) -> None:
    frame = errors("assessors")[["measure", "topic", "system", "assessor", "value"]]
    found = anova(frame, random=["topic"], resamples=0)
    assert (found.lines[1].against, found.lines[1].denominator_df) == (("system:topic",), 95)
    approved(told(found))


def test_two_systems_and_two_assessors_have_a_note(approved: Approved) -> None:
    frame = errors("assessors")
    few = frame[frame["system"].isin(["s1", "s2"]) & frame["assessor"].isin(["a1", "a2"])]
    few = few[["measure", "topic", "system", "assessor", "value"]]
    assert "few-degrees-of-freedom" in codes(anova(few))
    approved(told(anova(few)))
    assert "few-degrees-of-freedom" not in codes(anova(frame.drop(columns=["flat", "kept"])))


def test_assessors_who_agree_in_everything() -> None:
    rows = [*grid(6, 12, assessor="a0"), *grid(6, 12, assessor="a1")]
    once = anova(table(grid(6, 12)), "coverage").lines[0]
    line = anova(table(rows), "coverage").lines[1]
    assert (line.f, line.denominator_df, line.p) == pytest.approx((once.f, 55, once.p), rel=1e-6)
    # Where some summaries have one judgment, the variances cannot be estimated: said, with what to do.
    some = anova(table(rows[:-7]), "coverage")
    assert some.lines[1].why is not None
    assert some.lines[1].averaging_helps
    assert any("only system and topic as factors" in sentence for sentence in some.sentences())
    averaged = anova(table(rows[:-7]), "coverage", factors=["system", "topic"]).lines[0]
    assert averaged.p == pytest.approx(once.p)


def test_the_order_is_asked_for(approved: Approved) -> None:
    # Two systems met the easier topics: in order, the system first, they "differ".
    frame = errors("order")
    equals_r(anova(frame).lines[0], "order-2")
    assert anova(frame).lines[0].p > 0.05
    approved(anova(frame).headline())
    first = anova(frame, ss_type=1)
    equals_r(first.lines[0], "order-1")
    assert codes(first) == ["unbalanced"]
    assert anova(frame, factors=["topic", "system"], ss_type=1).lines[1].p == pytest.approx(
        r("order-2", "system")["p"]
    )


# Which factors are a sample


def with_selectors(frame: pd.DataFrame) -> Scores:
    about = {row.topic: Topic(row.topic, type=row.type, selector=row.selector) for row in frame.itertuples()}
    return Scores("test", ScoreTable.from_frame(frame[["measure", "topic", "system", "value"]]), topics=about)


CHOSEN = ["type", "selector", "system", "topic"]
JUDGED = ["assessor", "system", "topic"]


@pytest.mark.parametrize("random", [(), ("topic",)])
def test_topics_within_selectors_within_types(random: tuple[str, ...]) -> None:
    # Topics alone are a sample: types and those who selected their topics are both compared with topics.
    found = anova(with_selectors(errors("selectors")), "coverage", factors=CHOSEN, random=random, resamples=0)
    lines = {line.term: line for line in found.lines}
    for term, against in (("type", ("topic",)), ("selector", ("topic",)), ("system", ())):
        equals_r(lines[term], "selectors")
        assert lines[term].against == against
    assert found.random == ("topic",)
    if random:
        assert found.components is not None
        assert found.components.shares == "value ~ type + selector + (1 | system) + (1 | topic)"
        assert {each.term for each in found.components.components} == {"system", "topic", "noise"}


def test_selectors_that_are_a_sample(approved: Approved) -> None:
    # aov(value ~ type * system + Error(selector/system + topic))
    found = anova(
        with_selectors(errors("selectors")),
        "coverage",
        factors=[*CHOSEN[:3], "system:type", "topic"],
        random=["topic", "selector"],
        resamples=0,
    )
    lines = {line.term: line for line in found.lines}
    for term, name, against in (
        ("type", "type", "selector"),
        ("system", "system", "selector:system"),
        ("system:type", "type:system", "selector:system"),
    ):
        equals_r(lines[term], "selectors-sampled", name)
        assert (lines[term].method, lines[term].against) == ("stratum", (against,))
    assert found.random == ("selector", "topic")
    approved(told(found))
    assert not any(each["large"] for each in found.as_dict()["tables"]["cells"])


def test_selectors_with_missing_scores() -> None:
    frame = errors("selectors")
    scores = with_selectors(frame[frame["kept"] == 1])
    found = anova(scores, "coverage", factors=CHOSEN, random=["topic"], resamples=0)
    lines = {line.term: line for line in found.lines}
    assert lines["type"].f == pytest.approx(r("selectors-kept", "type")["f"], rel=1e-5)
    equals_r(lines["system"], "selectors-kept")
    both = anova(
        scores,
        "coverage",
        factors=[*CHOSEN[:3], "system:type", "topic"],
        random=["topic", "selector"],
        resamples=0,
    )
    lines = {line.term: line for line in both.lines}
    for term in ("type", "system"):
        assert lines[term].f == pytest.approx(r("selectors-sampled-kept", term)["f"], rel=1e-5)
    equals_r(lines["system:type"], "selectors-sampled-kept", "type:system")


def test_what_counts_as_a_sample_for_one_term_is_said(approved: Approved) -> None:
    kinds = {"s0": "human", "s1": "machine", "s2": "machine", "s3": "human"}
    found = anova(Scores("test", table(grid()), kinds), "coverage", factors=["kind", "system", "topic"])
    # 2 systems within each kind: 2 degrees of freedom, not the 3 of 4 systems.
    few = [note.data for note in found.notes() if note.code == "few-degrees-of-freedom"]
    assert few == [{"term": "kind", "error": "system", "df": 2}]
    approved(told(found), "kinds")
    about = {f"t{i}": Topic(f"t{i}", type=f"x{i // 4}") for i in range(8)}
    fixed = anova(
        Scores("test", table(judged()), topics=about),
        "coverage",
        factors=["type", *JUDGED],
        random=["assessor"],
        resamples=0,
    )
    assert "topic" in fixed.lines[0].against
    approved(told(fixed), "types")


def test_a_set_that_is_a_topic_is_a_sample() -> None:
    about = {f"t{i}": Topic(f"t{i}", set=f"d{i}") for i in range(8)}
    scores = Scores("test", table(judged()), topics=about)
    for random in ((), ("topic", "assessor")):
        sets = anova(scores, "coverage", factors=["system", "set", "assessor"], random=random, resamples=0)
        topics = anova(
            table(judged()), "coverage", factors=["system", "topic", "assessor"], random=random, resamples=0
        )
        assert terms(sets) == ["system", "set", "assessor"]
        assert [line.p for line in sets.lines] == pytest.approx([line.p for line in topics.lines], rel=1e-6)
        assert sets.lines[0].against == ("assessor:system", "set:system")
        assert set(sets.random) == {"assessor", "set"}


@pytest.mark.parametrize("kept", [False, True])
def test_interactions_of_fixed_factors_are_in_the_model(kept: bool) -> None:
    # These assessors may differ about systems: assessor:system is fixed, and no noise, whether it is listed or not.
    frame = errors("assessors")
    frame = frame[frame["kept"] == 1] if kept else frame
    frame = frame[["measure", "topic", "system", "assessor", "value"]]
    found = anova(frame, factors=[*JUDGED, "assessor:system"], random=["topic"], resamples=0)
    lines = {line.term: line for line in found.lines}
    case = "these-kept" if kept else "these"
    equals_r(lines["assessor:system"], case)
    for term in ("assessor", "system"):
        assert lines[term].f == pytest.approx(r(case, term)["f"], rel=1e-5)
    assert lines["assessor:system"].beyond == ("assessor:topic", "system:topic")
    assert found.to_frame()["against"][3] == "residuals after assessor:topic, system:topic"
    assert lines["assessor:system"].p < 0.05
    assert found.components is not None
    assert found.components.formula == (
        "value ~ system + assessor + assessor:system + (1 | topic) + (1 | assessor:topic) + (1 | system:topic)"
    )
    bare = anova(frame, random=["topic"], resamples=0)
    assert bare.components is not None
    assert bare.components.formula == found.components.formula
    assert [line.p for line in bare.lines] == pytest.approx([line.p for line in found.lines[:3]], rel=1e-6)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("random", [["topic"], ["topic", "assessor"], ["assessor"]])
def test_the_mixed_model_says_what_the_table_of_interactions_says(random: list[str], kept: bool) -> None:
    frame = errors("assessors")
    frame = frame[frame["kept"] == 1] if kept else frame
    frame = frame[["measure", "topic", "system", "assessor", "value"]]
    crossed = anova(frame, random=random, interactions=True, resamples=0)
    bare = anova(frame, random=random, resamples=0)
    assert bare.components is not None
    assert crossed.components is not None
    assert crossed.components.beside == ()
    listed = {line.term: line for line in crossed.lines}
    assert {line.term for line in bare.components.beside} == {term for term in listed if ":" in term}
    for line in bare.components.beside:
        assert (line.f, line.p) == pytest.approx((listed[line.term].f, listed[line.term].p), rel=1e-6)
    if kept and random == ["topic", "assessor"]:
        for line in bare.components.beside:
            equals_r(line, "crossed-kept")
    assert {each.term: each.variance for each in bare.components.components} == pytest.approx(
        {each.term: each.variance for each in crossed.components.components}, rel=1e-6
    )


def test_the_variances_and_means_of_these_assessors() -> None:
    # lme4 1.1.31, emmeans 1.8.4.1: error_terms.R
    expected = pd.read_csv(DATA / "error_mixed_expected.csv").set_index(["model", "name"])
    frame = errors("assessors")
    frame = frame[frame["kept"] == 1][["measure", "topic", "system", "assessor", "value"]]
    c = anova(frame, random=["topic"], resamples=0).components
    assert c is not None
    given = expected.loc["given"]["value"].drop("Residual")
    assert {each.term: each.variance for each in c.random} == pytest.approx(dict(given), rel=1e-5)
    for each in c.means:
        row = expected.loc["means", each.system]
        assert (each.mean, each.error, each.df) == pytest.approx(tuple(row), rel=1e-4)
    # Of systems random too; their mean over 3 given assessors holds a third of assessor:system.
    variances = dict(expected.loc["random"]["value"])
    moved = variances["assessor:system"] / 3
    variances |= {
        "system": variances["system"] + moved,
        "assessor:system": 2 * moved,
        "noise": variances.pop("Residual"),
    }
    assert {each.term: each.variance for each in c.components} == pytest.approx(variances, rel=1e-4)
    assert sum(each.share for each in c.components) == pytest.approx(1)


def test_a_factor_that_is_fixed_by_itself_has_its_interactions_too() -> None:
    # Lengths are no sample: length:system is fixed, and the topics are compared with what it leaves.
    rows = [*grid(length=50), *grid(seed=2, length=100)]
    found = anova(
        table(rows), "coverage", factors=["length", "system", "topic"], random=["topic"], resamples=0
    )
    assert found.components is not None
    assert "length:system + (1 | topic)" in found.components.formula
    assert {line.term for line in found.components.beside} == {
        "length:system",
        "length:topic",
        "system:topic",
    }


def test_cells_are_compared_with_what_their_interaction_is_compared_with() -> None:
    frame = errors("assessors")[["measure", "topic", "system", "assessor", "value"]]
    one = anova(frame, factors=[*JUDGED, "assessor:system"])
    every = anova(frame, interactions=True)
    sizes, whole = one.interactions[0].sizes, every.interactions[0].sizes
    np.testing.assert_allclose(sizes.standard_errors, whole.standard_errors)
    assert sizes.limit == pytest.approx(whole.limit)


# The mixed model


def test_a_mixed_model_beside_the_table(approved: Approved) -> None:
    found = anova(stored("judgments"), "coverage", random=["topic", "assessor"], resamples=60, seed=3)
    c = found.components
    assert c is not None
    # The same systems before other topics and assessors would do otherwise on them: interactions are random.
    assert c.formula == (
        "value ~ system + (1 | topic) + (1 | assessor) + (1 | assessor:system) + (1 | system:topic)"
        " + (1 | assessor:topic)"
    )
    expected = pd.read_csv(DATA / "anova_mixed_expected.csv", keep_default_na=False)
    lme4 = expected[(expected["what"] == "variance")].set_index(["model", "name"])["value"]
    variances = {
        "noise" if name == "Residual" else name: value for name, value in lme4["interactions"].items()
    }
    assert {each.term: each.variance for each in c.random} == pytest.approx(
        {name: value for name, value in variances.items() if name != "noise"}, rel=1e-5
    )
    variances = {"noise" if name == "Residual" else name: value for name, value in lme4["all-random"].items()}
    assert {each.term: each.variance for each in c.components} == pytest.approx(variances, rel=1e-5)
    assert sum(each.share for each in c.components) == pytest.approx(1)
    assert all(each.low <= each.share <= each.high for each in c.components)
    assert [m.mean for m in c.means] == sorted((m.mean for m in c.means), reverse=True)
    # R 4.2.2, pbkrtest 0.5.2, SATmodcomp: data/anova.R
    r = expected[expected["model"] == "interactions"].set_index("what")["value"]
    system = found.lines[1]
    assert (system.f, system.denominator_df) == pytest.approx((r["F"], r["ddf"]), rel=2e-5)
    assert system.p < 0.001
    approved(told(found))
    assert found.signature.endswith("|shares:parametric-bootstrap:0.95:60|seed:3")
    again = anova(stored("judgments"), "coverage", random=["topic", "assessor"], resamples=60, seed=3)
    assert again.components == c


def test_interactions_with_a_random_factor_are_random(approved: Approved) -> None:
    found = anova(
        stored("judgments"), "coverage", random=["topic", "assessor"], interactions=True, resamples=0
    )
    c = found.components
    assert c is not None
    assert c.formula.endswith(
        "(1 | topic) + (1 | assessor) + (1 | assessor:system) + (1 | assessor:topic) + (1 | system:topic)"
    )
    assert [line.term for line in found.lines if line.method == "residuals"] == [
        "assessor:system",
        "assessor:topic",
        "system:topic",
    ]
    assert [each.term for each in c.components] == [
        "system",
        "topic",
        "assessor",
        "assessor:system",
        "assessor:topic",
        "system:topic",
        "noise",
    ]
    assert codes(found)[-1] == "shares-without-intervals"
    approved(told(found))


def test_a_variance_of_zero_is_said_in_words(approved: Approved) -> None:
    frame = pd.read_csv(DATA / "anova_holes.csv")
    about = {row.topic: Topic(row.topic, type=row.type) for row in frame.itertuples()}
    found = anova(
        Scores("test", stored("holes"), topics=about), "coverage", random=["topic", "type"], resamples=0
    )
    assert found.components is not None
    assert {each.term for each in found.components.components if each.variance == 0} == {"type"}
    approved(told(found))


def test_a_mixed_model_that_cannot_be_fitted_says_why() -> None:
    rows = grid(4, 1)
    found = anova(table(rows), "coverage", random=["topic"])
    assert found.components is not None
    assert (
        "The mixed model cannot be fitted: no degrees of freedom are left for the noise." in found.sentences()
    )
    assert found.to_frame("components").empty
    with pytest.raises(UsageError, match="the system is a fixed factor"):
        anova(table(grid()), "coverage", random=["system"])
    with pytest.raises(UsageError, match="the system is a fixed factor"):
        anova(table(judged()), "coverage", factors=["assessor", "topic"], random=["topic"])
    with pytest.raises(UsageError, match="39 are too few"):
        anova(table(grid()), "coverage", random=["topic"], resamples=39)


def test_one_system_still_has_its_parts_of_the_variance() -> None:
    rows = [row for k in range(3) for row in grid(1, 10, seed=k + 1, assessor=f"a{k}")]
    found = anova(table(rows), "coverage", random=["topic", "assessor"], resamples=0)
    assert found.components is not None
    assert [each.term for each in found.components.components] == ["topic", "assessor", "noise"]


# What comes out


def test_sentences(approved: Approved) -> None:
    # Cells are missing, so type II: systems after topics, and topics after systems (car::Anova: 9.62, 17.7).
    found = anova(stored("holes"), "coverage")
    assert [round(line.f, 2) for line in found.lines] == [9.62, 17.72]
    approved(words_of(found))


@given(
    st.integers(0, 10_000),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.15, 0.5]),
    st.sampled_from([[], ["topic"], ["assessor"], ["topic", "assessor"]]),
)
@examples(25)
def test_no_sentence_contradicts_the_table(
    seed: int, assessors: bool, types: bool, missing: float, random: list[str]
) -> None:
    """Generated tables, ratings among them: what cannot be tested says why, and nothing is nan, inf or -0."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 6), rng.integers(2, 8), rng.integers(2, 4) if assessors else 1
    values = rng.normal(size=shape) + rng.normal(size=shape[1])[:, None] * rng.integers(0, 3)
    values = np.round(values) if rng.random() < 0.5 else values
    values[rng.random(shape) < missing] = np.nan
    rows = [
        Score("coverage", f"t{j}", f"s{i}", float(value), assessor=f"a{k}" if assessors else None)
        for (i, j, k), value in np.ndenumerate(values)
        if not np.isnan(value)
    ]
    if not rows:
        return
    about = {f"t{j}": Topic(f"t{j}", type=f"x{rng.integers(0, 3)}") for j in range(shape[1])}
    factors = [*(["type"] if types else []), "system", "topic", *(["assessor"] if assessors else [])]
    scores = Scores("test", table(rows), topics=about)
    used = [name for name in random if name in factors]
    found = anova(scores, "coverage", factors=factors, random=used, resamples=0)
    said = list(found.sentences())
    for line in found.lines:
        assert math.isnan(line.p) == (line.why is not None)
        if line.why is None:
            assert line.denominator_df > 0
            assert math.isfinite(line.f)
    shown = " ".join([*said, *list(about_residuals(found)), *found.warnings(), found.to_latex()])
    assert not re.search(r"\b(inf|nan)\b|-0(\.0+)?(?![\d.])", shown)
    json.dumps(found.as_dict(), allow_nan=False)


def test_few_rows_do_not_bear_what_is_not_normal(approved: Approved) -> None:
    rng = np.random.default_rng(3)
    rows = [
        Score("coverage", f"t{i}", f"s{j}", float(rng.exponential() ** 3)) for i in range(6) for j in range(4)
    ]
    approved(about_residuals(anova(table(rows), "coverage")), "few")
    many = [
        Score("coverage", f"t{i}", f"s{j}", float(rng.exponential())) for i in range(150) for j in range(4)
    ]
    approved(about_residuals(anova(table(many), "coverage")), "many")


def test_no_infinite_f_and_no_negative_zero(approved: Approved) -> None:
    # Products: the square of the fit explains all that the effects leave.
    rows = [Score("coverage", f"t{i}", f"s{j}", (i + 1.0) * (j + 1)) for i in range(5) for j in range(4)]
    found = anova(table(rows), "coverage")
    approved(list(about_residuals(found))[:3])
    everything = json.dumps(found.as_dict()) + str(found.table()) + " ".join(list(about_residuals(found)))
    assert not re.search(r"\b(inf|nan|Infinity|NaN)\b|-0(\.0+)?(?![\d.])", everything)
    with pytest.raises(UsageError, match=r"beyond 1e\+150 squares overflow"):
        anova(
            table([Score("coverage", f"t{i}", f"s{j}", 1e300 * (i + j)) for i in range(3) for j in range(3)])
        )


def test_noise_alone_is_called_noise(approved: Approved) -> None:
    rng = np.random.default_rng(9)
    rows = [Score("coverage", f"t{i}", f"s{j}", float(rng.normal())) for i in range(9) for j in range(4)]
    found = anova(table(rows), "coverage")
    assert min(line.p for line in found.lines) > 0.05
    approved(told(found))


# Designs with little in them


@pytest.mark.parametrize("ss_type", [1, 2, 3])
def test_terms_that_could_not_be_tested_are_in_the_first_sentence(ss_type: Literal[1, 2, 3]) -> None:
    # Nobody asked a0 about s0: unweighted means of assessors and systems do not exist.
    rows = [row for row in judged() if (row.system, row.assessor) != ("s0", "a0")]
    found = anova(table(rows), "coverage", factors=[*JUDGED, "assessor:system"], ss_type=ss_type)
    absent = [line.term for line in found.lines if line.why is not None]
    assert absent == (["assessor", "system"] if ss_type == 3 else [])
    assert ("; assessor and system were not tested" in found.headline()) == (ss_type == 3)
    assert ("system has no significant effect" in found.headline()) == (
        ss_type != 3 and found.lines[1].p >= 0.05
    )
    if ss_type == 3:
        assert (
            "System cannot be tested: some cells are empty, so unweighted means cannot be compared: use"
            in (" ".join(found.sentences()))
        )


def test_one_topic_says_nothing_of_others() -> None:
    rows = judged(topics=1)
    for random in ((), ("topic", "assessor")):
        found = anova(table(rows), "coverage", random=random)
        said = list(found.sentences())
        assert "Topic cannot be tested: there is only one topic." in said
        assert "There is only one topic: the tests hold for it alone." in said
        assert "topic was not tested." in said[0]
        # R 4.2: aov(value ~ assessor + system) has the same F, being all that is left.
        assert [line.denominator_df for line in found.lines[:2]] == [6, 6]
        assert [line.method for line in found.lines[:2]] == ["residuals", "residuals"]
    assert (
        "The mixed model cannot be fitted: the variance of topic cannot be separated from the fixed effects."
        in said
    )


def test_residuals_of_one_form_are_not_tested_for_normality(approved: Approved) -> None:
    # Two systems on two topics: +r, -r, -r, +r whatever the scores, and so W is always 0.7286.
    approved(list(about_residuals(anova(table(grid(2, 2)), "coverage")))[:3], "two topics")
    approved(list(about_residuals(anova(table(grid(2, 4)), "coverage")))[:3], "four topics")


@pytest.mark.parametrize("assessors", [1, 2, 3])
@pytest.mark.parametrize("random", [(), ("topic",), ("topic", "assessor")])
@pytest.mark.parametrize("varying", ["nothing", "system", "topic"])
def test_scores_without_noise(assessors: int, random: tuple[str, ...], varying: str) -> None:
    rows = [
        Score(
            "coverage", f"t{i}", f"s{j}", {"nothing": 1.0, "system": j, "topic": i}[varying], assessor=f"a{k}"
        )
        for i in range(4)
        for j in range(3)
        for k in range(assessors)
    ]
    factors = JUDGED if assessors > 1 else JUDGED[1:]
    used = [name for name in random if name in factors]
    found = anova(table(rows), "coverage", factors=factors, random=used)
    why = "all scores are the same" if varying == "nothing" else "the model fits every score exactly"
    assert found.headline().startswith(f"On coverage, nothing can be tested: {why}")
    said = list(found.sentences())
    assert not any("hold for" in sentence for sentence in said)  # nothing was tested, so for nobody
    assert "anova-residuals" not in [t.name for t in found.all_tables]
    assert not any("degrees of freedom" in note for note in found.warnings())


def test_an_assessor_of_one_summary_is_named(approved: Approved) -> None:
    rows = [row for row in judged(2) if row.assessor == "a0" or (row.system, row.topic) == ("s1", "t3")]
    found = anova(table(rows), "coverage")
    assert ("single-scores", {"factor": "assessor", "levels": ["a1"]}) in [
        (note.code, note.data) for note in found.notes()
    ]
    approved(found.warnings())
    assert found.lines[0].df == 1
    assert "single-scores" not in codes(anova(table(judged(2)), "coverage"))


def test_assessors_of_their_own_topics(approved: Approved) -> None:
    # R 4.2.2: aov(value ~ system + Error(topic/system)) tests systems; anova(lm(value ~ topic * system + assessor))
    # tests assessors within topics: what system:topic leaves is all the noise.
    frame = errors("assessors")
    frame = frame[["measure", "topic", "system", "assessor", "value"]]
    frame = frame.assign(assessor=frame["topic"] + frame["assessor"])
    found = anova(frame)
    lines = {line.term: line for line in found.lines}
    assert (lines["system"].against, lines["system"].denominator_df) == (("system:topic",), 95)
    equals_r(lines["system"], "these")
    assert (lines["assessor"].beyond, lines["assessor"].df, lines["assessor"].denominator_df) == (
        ("system:topic",),
        40,
        200,
    )
    assert lines["assessor"].f == pytest.approx(7.704928211 / 0.558548498, rel=1e-8)
    fixed = anova(frame, random=["topic"], resamples=0)
    approved(told(fixed))


def test_no_variance_of_0_is_said_of_a_share_in_the_table() -> None:
    # The fit with systems fixed and the one with systems random may differ near 0: one of them is printed.
    rng = np.random.default_rng(2)
    for _ in range(12):
        values = rng.normal(size=(3, 5, 3)) + rng.normal(size=(5, 1)) + 0.2 * rng.normal(size=3)
        rows = [
            Score("coverage", f"t{j}", f"s{i}", float(value), assessor=f"a{k}")
            for (i, j, k), value in np.ndenumerate(values)
        ]
        found = anova(table(rows), "coverage", random=["topic", "assessor"], resamples=0)
        assert found.components is not None
        parts = found.table("components")
        assert parts.title == f"Variances by REML: {found.components.shares}"
        none = {row[0] for row in parts.rows if row[1] == 0}
        assert none == {each.term for each in found.components.components if each.variance == 0}
        assert not none & {line.term for line in found.lines if line.p < 0.05}


def test_a_variance_of_0_of_what_matters_is_owned(approved: Approved) -> None:
    # 12 scores: F(3, 4.0) = 6.83, p = .048, and yet the variance of random systems is 0. The criterion is 48.03 there;
    # R's lme4 1.1.31 stops at another minimum, of 48.29.
    rng = np.random.default_rng(17)
    shape = rng.integers(2, 6), rng.integers(2, 8), 1
    values = rng.normal(size=shape) + rng.normal(size=shape[1])[:, None] * rng.integers(0, 3)
    values = np.round(values) if rng.random() < 0.5 else values
    values[rng.random(shape) < 0.5] = np.nan
    rows = [
        Score("coverage", f"t{j}", f"s{i}", float(value))
        for (i, j, _), value in np.ndenumerate(values)
        if not np.isnan(value)
    ]
    found = anova(table(rows), "coverage", random=["topic"], resamples=0)
    assert found.lines[0].p < 0.05
    assert found.components is not None
    assert {each.term for each in found.components.components if each.variance == 0} == {"system"}
    approved(told(found))


def test_shares_are_never_rounded_to_what_they_are_not() -> None:
    assert [percent(share) for share in (0, 1e-9, 0.0009, 0.001, 0.004, 0.25, 0.9951, 0.99999, 1)] == [
        *("0 %", "under 0.1 %", "under 0.1 %", "0.1 %", "0.4 %", "25 %", "over 99 %", "over 99 %", "100 %"),
    ]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (grid(1, 1), "all scores are the same"),
        (grid(3, 1), "no degrees of freedom are left for the noise"),
        (grid(1, 3), "there is only one system; no degrees of freedom are left for the noise"),
        (
            [Score("coverage", f"t{i}", f"s{j}", 0.5) for i in range(3) for j in range(3)],
            "all scores are the same",
        ),
        (
            [Score("coverage", f"t{i}", f"s{j}", i + j) for i in range(3) for j in range(3)],
            "the model fits every",
        ),
    ],
)
def test_what_cannot_be_tested_says_why(rows: list[Score], why: str) -> None:
    found = anova(table(rows), "coverage")
    assert found.headline().startswith(f"On coverage, nothing can be tested: {why}")
    assert all(line.why for line in found.lines)
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.to_latex()


def test_two_topics_and_two_systems_are_enough_to_be_honest() -> None:
    found = anova(
        table(
            [
                Score("coverage", f"t{i}", f"s{j}", v)
                for i, j, v in ((0, 0, 0.1), (0, 1, 0.4), (1, 0, 0.3), (1, 1, 0.2))
            ]
        ),
        "coverage",
    )
    assert found.residual_df == 1
    assert [line.df for line in found.lines] == [1, 1]


def test_the_better_systems_come_first() -> None:
    assert [m.system for m in anova(table(grid()), "coverage").means] == ["s3", "s2", "s1", "s0"]
    lower = anova(table(grid(), better="lower"), "coverage")
    assert [m.system for m in lower.means] == ["s0", "s1", "s2", "s3"]
    assert list(lower.to_frame("means")) == ["system", "n", "mean", "error", "why"]


def test_the_table_as_a_frame_and_in_latex() -> None:
    found = anova(stored("phase2"), "coverage", interactions=True, ss_type=1)
    frame = found.to_frame()
    assert list(frame) == [
        *("measure", "term", "df", "ss", "ms", "f", "p", "share", "why"),
        *("denominator_df", "against", "method", "residual_f", "residual_p"),
    ]
    assert frame["term"].tolist()[-1] == "residuals"
    assert frame["share"].sum() == pytest.approx(1)  # type I
    latex = found.to_latex()
    assert (
        r" & df & sum of squares & mean square & $F$ & df of noise & $p$ & share & compared with \\" in latex
    )
    assert r"assessor:topic & 3 & 0.00567977 & 0.00189326 & 1.57 & 30 & .2170 & " in latex
    assert r"system & 10 & 0.627755 & 0.0627755 & " in latex
    # Against the residuals, as DUC-2002 printed it; R's F of the same table.
    printed = found.table("anova-residuals")
    assert printed is not None
    assert ("system", "52.1", "< .0001") in printed.rows
    assert frame["residual_f"][1] == pytest.approx(52.0758612320117)
    assert latex.endswith(f"% {found.signature}")


def test_json_holds_everything() -> None:
    found = anova(stored("judgments"), "coverage", random=["topic"], interactions=True, resamples=0)
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert data["tables"]["anova"][-1]["term"] == "residuals"
    assert data["tables"]["anova"][-1]["f"] is None
    assert {cell["term"] for cell in data["tables"]["cells"]} == {
        "assessor:system",
        "assessor:topic",
        "system:topic",
    }
    assert sum(cell["term"] == "system:topic" for cell in data["tables"]["cells"]) == 120
    assert data["residuals"]["spread"]["why"].startswith("with interactions only")
    assert data["components"]["components"][0]["low"] is None
    assert data["headline"] == found.headline()


def test_the_fit_is_kept_for_what_comes_after() -> None:
    found = anova(table(grid()), "coverage")
    assert found.fit.residual_df == found.residual_df
    assert found.fit.residual_mean_square == found.residual_ms
    assert math.sqrt(adjusted_means(found.fit, 0).covariance[0, 0]) == pytest.approx(found.means[0].error)


@pytest.mark.slow
def test_five_hundred_systems_on_a_thousand_topics() -> None:
    rng = np.random.default_rng(10)
    systems, topics = (x.ravel() for x in np.indices((500, 1000)))
    values = rng.normal(size=500)[systems] + rng.normal(size=1000)[topics] + rng.normal(size=systems.size)
    frame = pd.DataFrame({"measure": "m", "topic": topics, "system": systems, "value": values})
    found = anova(ScoreTable.from_frame(frame), "m")
    assert [line.df for line in found.lines] == [499, 999]
    assert found.residual_ms == pytest.approx(1.0, rel=0.02)


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    for code in blocks:
        exec(code, {})
        assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)


def test_parts_that_no_chain_of_topics_joins_are_said(approved: Approved) -> None:
    rng = np.random.default_rng(5)
    rows = [
        {"topic": f"t{t}", "system": s, "value": rng.normal()}
        for systems, topics in (("AB", range(10)), ("CD", range(10, 20)))
        for s in systems
        for t in topics
    ]
    found = adjudge.anova(pd.DataFrame(rows))
    assert ("no-chain-of-common-topics", {"parts": 2}) in [(note.code, note.data) for note in found.notes()]
    approved(found.warnings())
    joined = pd.DataFrame([*rows, {"topic": "t0", "system": "C", "value": 0.5}])
    assert "no-chain-of-common-topics" not in codes(adjudge.anova(joined))


def one_each(**columns: Any) -> pd.DataFrame:
    """4 systems on 9 topics, one score each; the assessor is that of the topic unless columns say otherwise."""
    rng = np.random.default_rng(4)
    rows = [(f"t{t}", f"s{s}", f"a{t % 3}", rng.normal()) for t in range(9) for s in range(4)]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])
    return frame.assign(measure="coverage", **columns)


def test_what_assessors_of_their_topics_make_of_systems_is_noise(approved: Approved) -> None:
    """Who judged a topic is not known apart from the topic; what they make of systems is, in the table or not."""
    frame = one_each()
    found, said = anova(frame), anova(frame, factors=["system", "topic"])
    assert terms(found) == terms(said) == ["system", "topic"]
    system = found.lines[0]
    assert (system.against, system.method, system.denominator_df) == (("assessor:system",), "stratum", 6)
    assert (system.f, system.p) == (said.lines[0].f, said.lines[0].p)
    # R's aov(value ~ system + Error(assessor/system)): a stratum of the means of 3 topics.
    means = frame.groupby(["assessor", "system"])["value"].mean().unstack().to_numpy()
    of_means = anova_table(fit_two_way(means)).rows[0]
    assert (system.f, system.p) == pytest.approx((of_means.f, of_means.p), rel=1e-9)
    # As DUC-2002 printed it.
    plain = anova_table(fit_two_way(frame["value"].to_numpy().reshape(9, 4))).rows[0]
    assert (system.residual_f, system.residual_p) == pytest.approx((plain.f, plain.p), rel=1e-9)
    assert "one-assessor-each" in codes(found)
    approved(told(found))
    these = anova(frame, random=["topic"], resamples=0)
    assert these.lines[0].against == ()
    assert these.lines[0].f == pytest.approx(plain.f, rel=1e-9)
    approved(told(these), "these assessors")


def test_one_of_several_assessors_for_each_summary(approved: Approved) -> None:
    frame = one_each(assessor=[f"a{k % 3}" for k in range(36)])
    found = anova(frame)
    assert terms(found) == ["assessor", "system", "topic"]
    assert found.lines[1].against == ("assessor:system",)
    assert found.lines[1].denominator_df <= 6 + 1e-9
    silent = anova(frame, factors=["system", "topic"])
    assert silent.lines[0].p == pytest.approx(found.lines[1].p, rel=1e-4)
    assert "assessors-not-listed" in codes(silent)
    approved(silent.warnings())
    # An assessor of everything, nobody in particular, one for each score, or none: no factor.
    for names in ("a0", "web-anonymous", [f"a{k}" for k in range(36)], None):
        other = anova(one_each(assessor=names))
        assert terms(other) == ["system", "topic"]
        assert not {"one-assessor-each", "assessors-not-listed"} & set(codes(other))
        assert other.by_residuals
    topics = anova(one_each(assessor=[f"a{k // 4}" for k in range(36)]))  # the topics themselves
    assert topics.by_residuals


def test_a_strict_assessor_of_one_system_is_no_difference_of_systems(approved: Approved) -> None:
    frame = one_each()
    for names in (frame["system"], frame["system"].replace({"s1": "s0", "s3": "s2"})):
        one_to_one = frame.assign(assessor="of " + names)
        one_to_one["value"] += 10 * (one_to_one["assessor"] == "of s0")
        for factors in ([], ["system", "topic"]):
            found = anova(one_to_one, factors=factors)
            system = next(line for line in found.lines if line.term == "system")
            assert system.why == Note.of("assessors-of-systems")
            assert math.isnan(system.p)
            assert math.isnan(system.residual_p)
    approved(told(found))
    # Several assessors to each system can be told from it: they are what it is compared with.
    several = anova(
        frame.assign(assessor=frame["system"] + frame["topic"].str[1:].astype(int).mod(3).astype(str))
    )
    system = next(line for line in several.lines if line.term == "system")
    assert (system.why, system.against) == (None, ("assessor",))


def test_what_residuals_say_of_the_model(approved: Approved) -> None:
    """Where the checks pass, where they do not, and where they cannot be made."""
    rng = np.random.default_rng(4)
    topics, systems, blur = rng.uniform(1, 3, (30, 1)), rng.uniform(1, 3, 6), rng.normal(0, 0.1, (30, 6))
    spread = rng.normal(size=(40, 6)) * [1, 1, 1, 1, 1, 6]
    many = rng.normal(size=(1200, 5)) ** 2
    for values in (topics + systems + blur, topics * systems + blur, spread, many, np.ones((3, 3))):
        fit = fit_two_way(values)
        checks = residual_checks(fit, np.indices(values.shape)[1].ravel(), rng=np.random.default_rng(0))
        approved(about_checks(checks, "system", 0.05))
