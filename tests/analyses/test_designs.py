"""Designs of judging: what each costs and finds, which is best, and what is missing."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from tests.analyses.test_noise import judged
from tests.approving import Approved

import adjudge
from adjudge.analyses.plan import Plan
from adjudge.analyses.plan.design_words import called, why_no_designs
from adjudge.analyses.plan.designs import (
    HALF,
    DesignStudy,
    JudgingDesign,
    crossed_of,
    present_design,
    study_designs,
    typical_difference,
)
from adjudge.analyses.plan.noise import noise_sources
from adjudge.core.errors import DataError, UsageError
from adjudge.stats.power.assessors import Crossed


def study(difference: float = 0.5, pairs: int = 1, **asked: object) -> DesignStudy:
    sources = noise_sources(judged(topics=30))
    crossed = crossed_of(sources, systems=4, have=30, seed=1)
    assert crossed is not None
    return study_designs(sources, crossed, Plan(**asked), pairs, difference, "asked")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("design", "said", "cost"),
    [
        (JudgingDesign(1, 3, 100), "3 assessors on 100 topics", (3, 100, 300)),
        (JudgingDesign(10, 3, 10), "10 groups of 3 assessors with 10 topics each", (30, 100, 300)),
        (JudgingDesign(30, 1, 10), "30 assessors with 10 topics each", (30, 300, 300)),
    ],
)
def test_a_design_says_who_and_what_it_costs(
    design: JudgingDesign, said: str, cost: tuple[int, int, int]
) -> None:
    assert called(design) == said
    assert (design.people, design.all_topics, design.judgments) == cost


def test_designs_cost_no_more_than_there_is() -> None:
    found = study()
    assert found.judgments == 90
    assert all(row.design.judgments <= 90 for row in found.rows)
    assert all(row.design.topics >= 2 for row in found.rows)
    assert [row.design for row in found.rows if row.now] == [JudgingDesign(1, 3, 30)]
    people = [row.design.people for row in found.rows]
    assert people == sorted(people)
    assert len({row.design for row in found.rows}) == len(found.rows)


def test_numbers_are_those_of_the_model() -> None:
    found = study(pairs=6)
    sources = noise_sources(judged(topics=30))
    parts = [sources.variance("system:topic"), sources.variance("assessor:system"), sources.left]
    topics, own, residual = (2 * part for part in parts)
    model = Crossed(topics=topics, likings=own, residual=residual, have=30, seed=1, systems=4)
    for row in found.rows:
        d = row.design
        n, people = d.all_topics, d.people
        assert row.error == pytest.approx(
            math.sqrt(2 * (parts[0] / n + parts[1] / people + parts[2] / d.judgments))
        )
        powers = [model.power(n, people, 0.5, alpha, d.groups) for alpha in (0.05 / 6, 0.05)]
        assert [row.power, row.one_pair] == pytest.approx(powers, nan_ok=True)
        assert not row.power > row.one_pair
    json.dumps(found.as_dict(), allow_nan=False)


def test_the_headline_names_the_best_and_the_present_design(approved: Approved) -> None:
    found = study()
    best = max(row.power for row in found.rows if row.power == row.power)
    assert all(f"{row.power:.2f}" == f"{best:.2f}" for row in found.best)
    said = found.headline()
    assert called(found.best[0].design) in said
    assert found.now is not None
    assert found.now not in found.best
    approved(said)
    printed = found.table().to_text()
    assert "as now" in printed
    assert "one pair" not in printed
    assert "power, 6 pairs" in study(pairs=6).table().to_text()
    alone = study(n_assessors=[3], judgments=300)
    assert len(alone.best) == 1
    approved(alone.headline(), "one design")


def test_which_design_is_best_depends_on_the_parts() -> None:
    """Where assessors disagree about systems many are best; where topics do all, many topics are, whoever judges."""
    sources = noise_sources(judged(topics=30))
    asked = Plan(n_assessors=(3, 30), judgments=300)
    likings, topics = Crossed(0.01, 1.0, 0.01, systems=4), Crossed(4.0, 0.0, 0.01, systems=4)
    people = [
        study_designs(sources, model, asked, 1, 0.5, "asked").best[0].design.people
        for model in (likings, topics)
    ]
    assert people == [30, 3]


def test_designs_can_be_named(approved: Approved) -> None:
    found = study(n_assessors=[1, 3], groups=[1, 10], judgments=300)
    assert [called(row.design) for row in found.rows] == [
        "1 assessor on 300 topics",
        "3 assessors on 100 topics",
        "10 assessors with 30 topics each",
        "10 groups of 3 assessors with 10 topics each",
    ]
    one = found.rows[0]
    assert math.isnan(one.power)
    assert math.isnan(one.df)
    assert not any(row.now for row in found.rows)
    assert [called(row.design) for row in study(groups=[5]).rows] == [
        "5 groups of 3 assessors with 6 topics each"
    ]
    nobody = study(n_assessors=[1], judgments=50)
    assert all(math.isnan(row.power) for row in nobody.rows)
    approved(nobody.headline())
    with pytest.raises(UsageError, match="10 groups of 9 assessors with two topics each take 180 judgments"):
        study(n_assessors=[9], groups=[10])
    with pytest.raises(UsageError, match="groups is 0, expected a whole number, 1 or more"):
        study(groups=[0])


def test_without_a_difference_it_is_the_typical_one(approved: Approved) -> None:
    """Half of the pairs of normal values exceed it."""
    frame = judged(topics=15)
    sources = noise_sources(frame)
    sd = math.sqrt(sources.variance("system"))
    assert sd > 0
    size = typical_difference(sources)
    assert size == pytest.approx(HALF * sd)
    drawn = np.random.default_rng(0).normal(scale=sd, size=(2, 100_000))
    assert np.mean(np.abs(drawn[0] - drawn[1]) > size) == pytest.approx(0.5, abs=0.006)
    found = adjudge.plan(frame, test="t", normal=True, simulations=20).designs
    assert found is not None
    assert (found.difference, found.kind) == (size, "typical")
    approved(found.headline())


def test_where_systems_do_not_differ_it_is_the_smallest_that_is_found(approved: Approved) -> None:
    frame = judged(topics=15)
    level = frame["value"] - frame.groupby("system")["value"].transform("mean")
    plan = adjudge.plan(frame.assign(value=level), test="t", normal=True, simulations=20)
    found = plan.designs
    assert plan.sources is not None
    assert plan.sources.variance("system") == 0
    assert found is not None
    assert (found.difference, found.kind) == (plan.looked_for, "smallest")
    approved(found.headline())


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (
            judged().drop(columns="assessor").drop_duplicates(["topic", "system"]),
            "the scores name no assessors",
        ),
        (judged(assessors=1), "there is only one assessor"),
        (judged(topics=1), "there is only one topic"),
        (judged(systems=1), "there is only one system"),
        (judged().assign(value=2.0), "all scores are the same"),
        (
            judged(assessors=4).pipe(
                lambda f: f[f["assessor"].str[1:].astype(int) == f["topic"].str[1:].astype(int) % 4]
            ),
            "the judgments do not separate system:topic, assessor:system:topic and repeat",
        ),
    ],
)
def test_what_is_missing_is_one_line(frame: pd.DataFrame, why: str) -> None:
    sources = noise_sources(frame)
    assert crossed_of(sources, systems=4, have=12, seed=0) is None
    assert why_no_designs(sources) == why


def test_groups_that_judged_are_no_group_that_judged_everything() -> None:
    assert present_design(noise_sources(judged())) == JudgingDesign(1, 3, 12)
    assert present_design(noise_sources(judged().iloc[:-1])) is None


def test_a_plan_holds_parts_and_designs() -> None:
    frame = judged(topics=15)
    found = adjudge.plan(frame, difference=0.5, test="t", normal=True, simulations=20)
    assert found.sources is not None
    assert found.designs is not None
    assert found.sampled is not None
    assert found.designs.now is not None
    # One test, one model: what is said of a sample is what stands in the table.
    assert found.designs.now.power == found.sampled.power_now
    assert found.designs.now.one_pair == found.sampled.one_pair_now
    assert found.sampled.likings == pytest.approx(math.sqrt(2 * found.sources.variance("assessor:system")))
    assert {"noise", "designs"} <= {table.name for table in found.all_tables}
    whole = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert whole["tables"]["designs"][0]["power"] == found.designs.rows[0].power
    assert whole["noise"]["parts"][0]["term"] == "system"
    assert list(found.sentences())[-1] == found.designs.headline()


def test_a_plan_without_assessors_has_none() -> None:
    frame = judged(assessors=1).drop(columns=["assessor", "repeat"])
    found = adjudge.plan(frame, difference=0.5, test="t", normal=True, simulations=20)
    assert (found.sources, found.designs) == (None, None)
    with pytest.raises(DataError, match="overall: designs of judging cannot be compared: the scores name no"):
        adjudge.plan(frame, difference=0.5, test="t", normal=True, simulations=20, groups=[2])
    one = adjudge.plan(judged(assessors=1), difference=0.5, test="t", normal=True, simulations=20)
    assert one.designs is None


def test_some_systems_are_divided_alone() -> None:
    frame = judged().assign(kind=lambda f: f["system"].map(lambda s: "human" if s == "s3" else "machine"))
    found = adjudge.plan(frame, difference=0.5, test="t", normal=True, simulations=20, among="machines")
    assert found.sources is not None
    assert found.sources.levels["system"] == 3
    assert found.designs is not None
    assert found.designs.systems == 3
    more = adjudge.plan(frame, difference=0.5, test="t", normal=True, simulations=20, n_systems=10)
    assert more.designs is not None
    assert (more.designs.systems, more.designs.pairs) == (10, 45)
