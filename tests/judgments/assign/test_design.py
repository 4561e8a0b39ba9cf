"""Which design an assignment is, what it can show, and what is recommended."""

from __future__ import annotations

import json

import pytest
from tests.judgments.assign.making import COVERAGE, PREFERENCE, RATING, collection, people, planned, summaries

from adjudge.data.rows import Summary
from adjudge.judgments.assign.design import AssignedDesign, DesignKind, design_of

STAYS = "of the systems; more assessors with fewer judgments each would"


def given(groups: list[list[str]], topics: int, systems: int) -> AssignedDesign | None:
    """Groups, each with so many topics of its own that all of it judge."""
    judges = {
        (f"t{g}-{t}", f"s{s}"): set(group)
        for g, group in enumerate(groups)
        for t in range(topics)
        for s in range(systems)
    }
    return design_of(judges, {})


@pytest.mark.parametrize(
    ("groups", "systems", "kind", "df", "said"),
    [
        ([["a"]], 5, "one assessor", 0, "conclusions will hold for this assessor only"),
        (
            [["a", "b"]],
            2,
            "one group",
            1,
            "(1 df): conclusions will hold",
        ),
        (
            [["a", "b", "c"]],
            4,
            "one group",
            6,
            "few assessors to speak for others (6 df)",
        ),
        (
            [["a", "b", "c"]],
            12,
            "one group",
            22,
            "enough to speak for similar assessors (22 df)",
        ),
        (
            [["a", "b"], ["c", "d", "e"]],
            5,
            "groups",
            12,
            "overlap enough to speak for similar assessors (12 df)",
        ),
        ([["a", "b"], ["c", "d"]], 2, "groups", 2, "few assessors to speak for others (2 df)"),
        ([["a"], ["b"], ["c"]], 5, "own topics", 8, "are enough to speak for similar assessors (8 df)"),
        ([["a"], ["b"]], 5, "own topics", 4, "few assessors to speak for others (4 df)"),
    ],
)
def test_a_design_is_recognised(
    groups: list[list[str]], systems: int, kind: DesignKind, df: int, said: str
) -> None:
    found = given(groups, 3, systems)
    assert found is not None
    assert (found.kind, found.df, found.groups) == (kind, df, len(groups))
    assert (found.assessors, found.systems, found.topics) == (sum(map(len, groups)), systems, 3 * len(groups))
    lines = found.sentences()
    assert said in lines[1]
    one_group = kind in ("one assessor", "one group")
    assert any(line.endswith(STAYS) for line in lines) == one_group
    assert any("would be safer" in line for line in lines) == (not one_group and df < 8)
    assert len(lines) == (3 if one_group or df < 8 else 2)


def test_words_for_designs() -> None:
    def first(groups: list[list[str]]) -> str:
        found = given(groups, 2, 3)
        assert found is not None
        return found.sentences()[0]

    assert first([["a"]]) == "design: one assessor judges everything"
    assert first([["a", "b", "c"]]) == "design: 3 assessors all judge every system on every topic"
    assert first([["a", "b"], ["c", "d"]]) == "design: 2 groups of 2 assessors, each with topics of its own"
    assert first([["a", "b"], ["c"]]) == "design: 2 groups of 1 to 2 assessors, each with topics of its own"
    assert first([["a"], ["b"]]) == "design: 2 assessors, each with topics of their own"


def test_an_assignment_says_its_design() -> None:
    texts = collection(*summaries(6, 4))
    everything = planned(texts, people(3), per_summary=3)
    assert everything.design is not None
    assert everything.design.kind == "one group"
    assert everything.notes[-3:] == (
        "design: 3 assessors all judge every system on every topic",
        "few assessors to speak for others (6 df), assumed to disagree about all systems alike",
        f"more topics do not average out the views of these 3 {STAYS}",
    )
    shared = planned(texts, people(6), per_summary=3)
    assert shared.design is not None
    assert (shared.design.kind, shared.design.df) == ("whoever", 15)
    assert shared.notes[-2:] == (
        "design: pages are spread over 6 assessors",
        "the assessors overlap enough to speak for similar assessors (15 df)",
    )
    whole = json.loads(json.dumps(shared.as_dict()))
    assert whole["design"]["kind"] == "whoever"
    assert whole["design"]["df"] == 15
    alone = planned(texts, people(1))
    assert alone.design is not None
    assert alone.design.kind == "one assessor"


def test_what_was_assigned_before_counts() -> None:
    texts = collection(*summaries(6, 4))
    before = planned(texts, people(3), per_summary=3).tasks
    later = planned(texts, people(6), per_summary=3, tasks=before)
    assert later.tasks == ()
    assert later.design is not None
    assert (later.design.kind, later.design.assessors) == ("one group", 3)


def test_groups_come_from_topics() -> None:
    texts = collection(*summaries(4, 4))
    one = planned(texts, ["a", "b"], per_summary=2, topics=["t1", "t2"]).tasks
    both = planned(texts, ["c", "d"], per_summary=2, topics=["t3", "t4"], tasks=one)
    assert both.design is not None
    assert (both.design.kind, both.design.topics) == ("one group", 2)  # of what is assigned now
    whole = planned(texts, ["a", "b", "c", "d"], per_summary=2, tasks=(*one, *both.tasks))
    assert whole.tasks == ()
    assert whole.design is not None
    assert (whole.design.kind, whole.design.groups, whole.design.topics) == ("groups", 2, 4)


def test_not_judging_oneself_is_no_other_design() -> None:
    texts = collection(*summaries(3, 3), *(Summary(f"t{t}", "a1", "By a1.", 100) for t in (1, 2, 3)))
    found = planned(texts, people(3), per_summary=3)
    assert found.design is not None
    assert found.design.kind == "one group"


def test_pairs_and_single_systems_have_no_design() -> None:
    texts = collection(*summaries(3, 3, references=["x"]))
    assert planned(texts, people(3), PREFERENCE, per_summary=3).design is None
    assert planned(texts, people(3), COVERAGE, per_summary=3).design is not None
    one = planned(collection(*summaries(3, 1)), people(3), RATING, per_summary=3)
    assert one.design is None
    assert not any("degrees of freedom" in note for note in one.notes)
    assert design_of({}, {}) is None
