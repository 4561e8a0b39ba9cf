"""Planted repeats: agreement with oneself, worked by hand; in halves; of pairs the other way round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from adjudge.analyses.gathered import Gathered, gather
from adjudge.analyses.stability.repeats import SelfAgreement, repeated_answers, self_agreement
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Summary, System, Topic
from adjudge.judgments.assign.order import repeat_of
from adjudge.judgments.batch import Judgments
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Event, Judged, Task, TextRef

NAMES = ("duc-2002", "rating", "preference-summaries")
PROTOCOLS = {name: load_protocol(name) for name in NAMES}


def judged(task: Task, answers: Mapping[str, Any], at: str | None = None) -> Judged:
    events = {
        q: Event(
            f"{task.id}-{q}", "e", task.id, task.assessor, q, a, client="c" if at else None, answered_at=at
        )
        for q, a in answers.items()
    }
    return Judged(task, events)


def gathered(people: Sequence[Judged]) -> Gathered:
    topics = {each.task.topic: Topic(each.task.topic) for each in people}
    by_topic: dict[str, tuple[Judged, ...]] = {}
    for each in people:
        by_topic[each.task.topic] = (*by_topic.get(each.task.topic, ()), each)
    texts = {topic: [Summary(topic, system, "Text.", 20) for system in "ab"] for topic in topics}
    collection = Collection(Settings("e"), topics, {s: System(s) for s in "ab"}, {}, texts, {})
    return gather(collection, Judgments(by_topic, protocols=PROTOCOLS))


def agreements(people: Sequence[Judged]) -> dict[tuple[str, str, str], SelfAgreement]:
    found = self_agreement(gathered(people))
    return {(each.assessor, each.question, each.part): each for each in found}


def page(number: int, topic: str, who: str = "x", protocol: str = "duc-2002") -> Task:
    reference = TextRef("ref", 20) if protocol == "duc-2002" else None
    return Task(f"t{number}", "e", who, protocol, "1", topic, TextRef("a", 20), reference, position=number)


def units(*answers: tuple[list[str], float]) -> dict[str, Any]:
    return {
        f"unit:m{k}": {"marked": marked, "completeness": share} for k, (marked, share) in enumerate(answers)
    }


def test_by_hand() -> None:
    first, again = page(0, "t"), repeat_of(page(0, "t"), "again")
    found = agreements(
        [
            judged(again, units((["p1"], 0.6), (["p2"], 1.0), ([], 0.0))),
            judged(first, units((["p1"], 0.2), (["p2", "p3"], 1.0), ([], 0.0))),
        ]
    )
    completeness = found["x", "completeness", "all"]
    assert (completeness.repeats, completeness.answers, completeness.same) == (1, 3, 2)
    assert completeness.change == pytest.approx(
        0.4 / 3
    )  # the plan says which came first, not the order of the rows
    assert completeness.distance == pytest.approx(0.4 / 3)
    assert (found["x", "marks", "all"].same, found["x", "marks", "all"].change) == (2, None)
    assert ("x", "completeness", "earlier") not in found  # one repeat has no halves


def test_over_time_in_halves() -> None:
    """Four repeats: two answered as before, then two changed. Times count where the app noted them."""
    people = []
    for k, change in enumerate((0.0, 0.0, 0.2, -0.4)):
        task = page(k, f"t{k}")
        people.append(judged(task, units((["p1"], 0.6)), f"2024-01-0{k + 1}"))
        people.append(judged(repeat_of(task, f"r{k}"), units((["p1"], 0.6 + change)), f"2024-02-0{k + 1}"))
    found = agreements(people)
    early, late = found["x", "completeness", "earlier"], found["x", "completeness", "later"]
    assert (early.repeats, early.same, early.change) == (2, 2, 0.0)
    assert (late.repeats, late.same) == (2, 0)
    assert late.change == pytest.approx(-0.1)
    assert late.distance == pytest.approx(0.3)
    assert found["x", "completeness", "all"].share == 0.5


def test_anonymous_repeats_are_different_people() -> None:
    task = page(0, "t", "crowd-anonymous")
    people = [judged(task, units(([], 0.2))), judged(repeat_of(task, "r"), units(([], 0.6)))]
    assert agreements(people) == {}


def test_ratings_are_apart_by_aspect_and_files_with_other_aspects_are_no_repeats() -> None:
    one, other = page(0, "t", "x", "rating"), page(1, "t", "x", "rating")
    both = [
        judged(one, {"rating:coherence": {"value": 4}}),
        judged(other, {"rating:fluency": {"value": 2}}),
    ]
    assert agreements(both) == {}
    again = judged(repeat_of(one, "r"), {"rating:coherence": {"value": 3}, "rating:fluency": {"value": 2}})
    found = agreements([*both, again])
    assert (found["x", "coherence", "all"].same, found["x", "coherence", "all"].change) == (0, -1.0)
    assert (found["x", "fluency", "all"].same, found["x", "fluency", "all"].answers) == (1, 1)


@pytest.mark.parametrize(("winner", "same"), [("right", 1), ("left", 0), ("tie", 0)])
def test_a_pair_the_other_way_round(winner: str, same: int) -> None:
    """The left one won; asked again with sides swapped, the same one is on the right."""
    sides = {"left": {"system": "a", "length": 20}, "right": {"system": "b", "length": 20}}
    task = Task("t0", "e", "x", "preference-summaries", "1", "t", **sides)  # type: ignore[arg-type]
    again = repeat_of(task, "r")
    assert again.left == task.right
    people = [
        judged(task, {"preference": {"winner": "left"}}),
        judged(again, {"preference": {"winner": winner}}),
    ]
    assert agreements(people)["x", "preference", "all"].same == same


def test_a_pair_is_compared_with_the_answer_in_the_same_order() -> None:
    left, right = {"system": "a", "length": 20}, {"system": "b", "length": 20}
    first = Task("p0", "e", "x", "preference-summaries", "1", "t", left=left, right=right, position=0)
    swapped = repeat_of(first, "swapped")
    asked = [first, swapped, repeat_of(first, "again", swap=False), repeat_of(swapped, "twice", swap=False)]
    # always the left one: another text when swapped, the same one when asked again as before
    people = [
        judged(replace(task, position=k), {"preference": {"winner": "left"}}) for k, task in enumerate(asked)
    ]
    found = {each.repeat: (each.same, each.swapped) for each in repeated_answers(gathered(people))}
    assert found == {"swapped": (False, True), "again": (True, False), "twice": (True, False)}
