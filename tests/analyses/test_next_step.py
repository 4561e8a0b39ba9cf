"""What to do next: more topics or assessors that would decide between the best systems, by the numbers of `plan`."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.analyses.test_sampled import judged
from tests.approving import Approved
from tests.cli.running import ADJUDGE, called

import adjudge
from adjudge.analyses.compare.next_step import MOST_ASSESSORS, MOST_TOPICS, NextStep
from adjudge.analyses.compare.pairs import Comparison


def scores(
    means: Mapping[str, float], *, topics: int = 20, noise: float = 1.0, seed: int = 3
) -> pd.DataFrame:
    """Topics x systems with exactly these means."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(topics, len(means))) * noise
    values += np.array(list(means.values())) - values.mean(axis=0)
    return pd.DataFrame(values, index=[f"t{k}" for k in range(topics)], columns=list(means)).rename_axis(
        "topic"
    )


def step_of(comparison: Comparison) -> NextStep:
    step = comparison.next_step
    assert step is not None
    return step


def test_the_nearest_rival_that_a_thousand_topics_decide() -> None:
    # b is as good as equal: no number of topics that anybody has would tell it from a.
    found = adjudge.compare(scores({"a": 1.0, "b": 0.99, "c": 0.6, "d": -3.0}))
    assert found.candidates() == ["a", "b", "c"]
    step = step_of(found)
    assert (step.system, step.rival, step.difference, step.have) == ("a", "c", 0.4, 20)


@pytest.mark.parametrize("options", [{}, {"test": "t"}, {"correct": "none"}, {"test": "sign", "alpha": 0.1}])
def test_topics_are_those_of_the_plan(options: dict[str, Any]) -> None:
    table = scores({"a": 1.0, "c": 0.6, "d": -3.0})
    step = step_of(adjudge.compare(table, **options))
    plan = adjudge.plan(table, difference=step.difference, **options)
    assert plan.needs[0].topics is not None
    assert plan.needs[0].topics.value == step.topics
    assert plan.have == step.have == 20
    assert step.have < step.topics <= MOST_TOPICS
    facts = step.facts()
    assert facts["more_topics"] == step.topics - 20
    assert facts["assessors"] is None


def test_for_assessors_like_these_topics_are_those_of_the_plan() -> None:
    table = judged(disagreement=0.0, step=0.2, topics=12)
    found = adjudge.compare(table)
    assert found.sampled
    step = step_of(found)
    plan = adjudge.plan(table, difference=step.difference)
    assert plan.sampled is not None
    assert step.topics == math.ceil(plan.sampled.needed)
    assert step.assessors is None


def test_where_no_number_of_topics_is_enough_assessors_are_those_of_the_plan() -> None:
    table = judged(disagreement=0.3, step=0.3, systems=4)
    found = adjudge.compare(table)
    assert found.sampled
    step = step_of(found)
    plan = adjudge.plan(table, difference=step.difference)
    assert plan.sampled is not None
    assert math.isinf(plan.sampled.needed)
    assert step.topics is None
    assert step.assessors == plan.sampled.fewest
    assert 3 < step.assessors <= MOST_ASSESSORS


def test_lower_is_better_turns_it_round_and_people_are_not_rivals_of_machines() -> None:
    table = scores({"a": 0.6, "b": 1.0, "h": 0.5})
    step = step_of(adjudge.compare(table, lower_is_better=True, human="h"))
    assert (step.system, step.rival) == ("a", "b")
    assert step_of(adjudge.compare(table, lower_is_better=True)).system == "h"


@pytest.mark.parametrize(
    "options",
    [
        {"against": "a"},
        {"correct": "bh"},
        {"correct": "westfall-young"},
        {"test": "mc"},
        {"zeros": "pratt"},
    ],
    ids=str,
)
def test_nothing_is_said_of_what_is_not_planned(options: dict[str, Any]) -> None:
    table = scores({"a": 1.0, "c": 0.6, "d": -3.0})
    found = adjudge.compare(table, **options)
    assert found.next_step is None
    assert found.as_dict()["next_step"] is None


@pytest.mark.parametrize(
    "means",
    [{"a": 1.0}, {"a": 1.0, "b": 1.0}, {"a": 5.0, "b": 1.0}, {"a": 1.0, "b": 0.999}],
    ids=["one system", "equal means", "decided", "as good as equal"],
)
def test_nothing_is_said_where_nothing_is_left_to_decide(means: Mapping[str, float]) -> None:
    assert adjudge.compare(scores(means)).next_step is None


def test_nothing_is_said_of_odd_tables() -> None:
    same = pd.DataFrame(np.ones((5, 3)), columns=list("abc"), index=list("vwxyz")).rename_axis("topic")
    one_topic = pd.DataFrame([[1.0, 2.0]], columns=["a", "b"], index=["t"]).rename_axis("topic")
    apart = pd.DataFrame([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0]], columns=["a", "b"]).rename_axis(
        "topic"
    )
    for table in (same, one_topic, apart):
        assert adjudge.compare(table).next_step is None


def test_of_several_measures_only_the_primary_one_says_it() -> None:
    table = pd.concat(
        scores({"a": 1.0, "c": 0.6, "d": -3.0}, seed=seed)
        .reset_index()
        .melt("topic", var_name="system")
        .assign(measure=measure)
        for measure, seed in (("m", 3), ("n", 4))
    )
    assert [c.next_step for c in adjudge.compare_all(table)] == [None, None]
    first, second = adjudge.compare_all(table, primary="n")
    assert (first.measure, second.next_step) == ("n", None)
    assert step_of(first).rival == "c"
    assert adjudge.compare_all(table, primary="n", across="measures")[0].next_step is None


def test_the_command_runs_as_printed_and_gives_the_number(tmp_path: Path) -> None:
    path = tmp_path / "my scores.csv"
    scores({"a": 1.0, "c": 0.6, "d": -3.0}).to_csv(path, sep=";")
    line = ("compare", "my scores.csv", "--test", "t", "--alpha", "0.1", "--delimiter", ";", "--human", "d")
    done = called(tmp_path, *line, "--json")
    assert done.returncode == 0, done.stderr
    [record] = json.loads(done.stdout)
    facts = record["next_step"]
    assert record["sentences"][-1].startswith(f"About {facts['more_topics']:,} more topics ")
    program, *words = facts["command"]
    assert program == "adjudge"
    planned = called(tmp_path, *words, "--json")
    assert planned.returncode == 0, planned.stderr
    rows = json.loads(planned.stdout)[0]["tables"]["plan"]
    needed = {row["needed"] for row in rows if (row["test"], row["compared"]) == ("t", "all")}
    assert needed == {facts["topics"]}
    piped = (tmp_path / "my scores.csv").read_text()
    from_pipe = (*ADJUDGE, "compare", "-", "--delimiter", ";", "--json")
    again = subprocess.run(from_pipe, input=piped, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)[0]["next_step"] is None


def test_what_is_said(approved: Approved) -> None:
    found = adjudge.compare(scores({"a": 1.0, "c": 0.6, "d": -3.0}))
    people = adjudge.compare(judged(disagreement=0.3, step=0.3, systems=4))
    approved([list(comparison.sentences())[-1] for comparison in (found, people)])
