"""Whole plans: what tasks hold, what is added later, what is refused, what is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judgments.assign.making import COVERAGE, PREFERENCE, RATING, collection, people, planned, summaries
from tests.properties import examples

from adjudge.core.errors import DataError, UsageError
from adjudge.data.collection import Collection
from adjudge.data.rows import Summary, System
from adjudge.judgments.assign.planning import Assignment, systems_of
from adjudge.judgments.frozen import changed
from adjudge.judgments.judging_page import key_of
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Task, TextRef, text_hash

KINDS = (RATING, COVERAGE, PREFERENCE)


def texts(topics: int = 3, systems: int = 4) -> Collection:
    return collection(*summaries(topics, systems, references=["x", "y"]))


def first(tasks: Sequence[Task]) -> list[Task]:
    return [task for task in tasks if task.repeat_of is None]


def content(plan: Assignment) -> list[Task]:
    """What a plan says, without the ids."""
    return [replace(task, id="", repeat_of=task.repeat_of and "again") for task in plan.tasks]


@pytest.mark.parametrize("protocol", KINDS)
def test_tasks_hold_texts_that_are_there_and_their_hashes(protocol: str) -> None:
    asked, data = load_protocol(protocol), texts()
    found = planned(data, people(3), protocol, per_summary=2, repeats=0.2)
    pages = {RATING: 3 * 4, COVERAGE: 3 * 4 * 2, PREFERENCE: 3 * 6}[protocol]
    assert (found.pages, len(first(found.tasks))) == (pages, 2 * pages)
    assert set(Counter(key_of(task) for task in first(found.tasks)).values()) == {2}
    for task in found.tasks:
        assert (task.evaluation, task.protocol, task.version) == ("e", asked.name, asked.version)
        assert changed(task, data, asked) is None
        assert len(task.hashes) == {RATING: 1, COVERAGE: 4, PREFERENCE: 2}[protocol]
    assert text_hash("Text 1 of 1.") in {h for task in found.tasks for h in task.hashes.values()}


def test_a_changed_text_would_be_noticed() -> None:
    found = planned(texts(), people(2), PREFERENCE)
    other = collection(*(replace(s, text=f"{s.text} More.") for s in summaries(3, 4)))
    assert all(changed(task, other, None) for task in found.tasks)


@examples(40)
@given(
    st.integers(1, 4),
    st.integers(2, 5),
    st.integers(1, 4),
    st.sampled_from(KINDS),
    st.floats(0, 0.5),
    st.integers(0, 20),
    st.data(),
)
def test_a_plan_is_even_nobody_gets_a_page_twice_and_running_again_adds_nothing(
    topics: int, systems: int, many: int, protocol: str, share: float, seed: int, data: st.DataObject
) -> None:
    per_summary = data.draw(st.integers(1, many))
    order = data.draw(st.sampled_from(["topic", "mixed"]))
    how: dict[str, Any] = {"per_summary": per_summary, "repeats": share, "seed": seed, "order": order}
    found = planned(texts(topics, systems), people(many), protocol, **how)
    own = first(found.tasks)
    assert len({(task.assessor, key_of(task)) for task in own}) == len(own) == found.pages * per_summary
    loads = [w.share.tasks for w in found.assessors]
    assert max(loads) - min(loads) <= 1
    for w in found.assessors:
        assert w.most - w.fewest <= 3
    again = planned(texts(topics, systems), people(many), protocol, tasks=found.tasks, **how)
    assert again.tasks == ()
    assert again.before == len(own)
    part = planned(texts(topics, systems), people(many), protocol, tasks=found.tasks, topics=["t1"], **how)
    assert part.tasks == ()


@examples(30)
@given(st.sampled_from(KINDS), st.floats(0, 0.5), st.integers(0, 20))
def test_more_assessors_later_add_the_rest_and_keep_what_is_there(
    protocol: str, share: float, seed: int
) -> None:
    data = texts()
    one = planned(data, people(2), protocol, repeats=share, seed=seed, per_summary=1)
    two = planned(data, people(3), protocol, repeats=share, seed=seed, per_summary=3, tasks=one.tasks)
    both = [*one.tasks, *two.tasks]
    own = first(both)
    assert len({(task.assessor, key_of(task)) for task in own}) == len(own) == one.pages * 3
    for name in people(3):
        mine = sorted((task for task in both if task.assessor == name), key=lambda task: task.position)
        assert [task.position for task in mine] == list(range(len(mine)))
        assert sum(task.repeat_of is not None for task in mine) == round(share * len(first(mine)))
    assert planned(data, people(3), protocol, repeats=share, per_summary=3, tasks=both).tasks == ()


def test_a_new_assessor_catches_up() -> None:
    data = texts(6, 4)
    one = planned(data, people(2), per_summary=1)
    two = planned(data, people(3), per_summary=2, tasks=one.tasks)
    totals = [w.share.total for w in two.assessors]
    assert totals == [16, 16, 16]
    assert two.assessors[2].share.tasks == 16


def test_new_tasks_come_after_those_of_other_protocols() -> None:
    data = texts()
    one = planned(data, people(1))
    two = planned(data, people(1), COVERAGE, tasks=one.tasks)
    assert min(task.position for task in two.tasks) == len(one.tasks)
    assert two.before == 0


def test_choice_and_order_depend_on_the_seed_and_the_data_ids_do_not() -> None:
    data = texts()
    one, two = (planned(data, people(3), seed=7, repeats=0.2, per_summary=2) for _ in range(2))
    assert content(one) == content(two)
    assert not {task.id for task in one.tasks} & {task.id for task in two.tasks}
    assert content(one) != content(planned(data, people(3), seed=8, repeats=0.2, per_summary=2))
    turned = collection(*reversed(summaries(3, 4, references=["x", "y"])))
    other = planned(turned, people(3)[::-1], seed=7, repeats=0.2, per_summary=2)
    assert content(one) == content(other)


CHILD = """
from itertools import count
from tests.judgments.assign.making import *
numbers = count()
found = planned(collection(*summaries(3, 5, references=["x", "a1"])), people(4), "preference-summaries", pairs=4,
                per_summary=2, repeats=0.3, seed=2, new_id=lambda: str(next(numbers)))
print(found.tasks)
"""


def test_a_plan_does_not_depend_on_how_a_process_orders_its_sets() -> None:
    root = Path(__file__).parents[3]
    plans = {
        subprocess.run(
            [sys.executable, "-c", CHILD],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(plans) == 1


def test_ids_tell_nothing() -> None:
    found = planned(texts(), people(2))
    assert len({task.id for task in found.tasks}) == len(found.tasks)
    assert all(len(task.id) == 32 and int(task.id, 16) >= 0 for task in found.tasks)
    numbers = count()
    named = planned(texts(), people(2), new_id=lambda: f"n{next(numbers)}")
    assert {task.id for task in named.tasks} == {f"n{k}" for k in range(12)}


def test_texts_that_changed_are_asked_anew() -> None:
    one = planned(collection(*summaries(2, 2)), people(2), per_summary=2)
    rows = [replace(s, text="New.") if (s.topic, s.system) == ("t1", "s1") else s for s in summaries(2, 2)]
    two = planned(collection(*rows), people(2), per_summary=2, tasks=one.tasks)
    assert {(task.assessor, task.topic, task.peer) for task in two.tasks} == {
        (who, "t1", TextRef("s1", 100)) for who in people(2)
    }
    assert "2 tasks of texts that changed since: asked anew" in two.notes
    imported = [replace(task, hashes={}) for task in one.tasks]
    assert planned(collection(*rows), people(2), per_summary=2, tasks=imported).tasks == ()


def test_another_version_of_a_protocol_asks_everything_again() -> None:
    one = planned(texts(), people(2))
    old = [replace(task, version="0") for task in one.tasks]
    assert len(planned(texts(), people(2), tasks=old).tasks) == len(one.tasks)


def test_some_pairs_are_drawn_evenly_and_kept() -> None:
    data = texts(6, 6)
    one = planned(data, people(3), PREFERENCE, pairs=3, per_summary=2)
    assert (one.pages, len(one.tasks)) == (18, 36)
    assert {share.tasks for share in one.topics} == {6}
    assert {share.tasks for share in one.systems} == {12}  # three pairs of six systems: each once a topic
    again = planned(data, people(3), PREFERENCE, pairs=3, per_summary=2, seed=5, tasks=one.tasks)
    assert (again.tasks, again.pages) == ((), 18)
    more = planned(data, people(3), PREFERENCE, pairs=5, per_summary=2, tasks=one.tasks)
    assert (more.pages, len(more.tasks)) == (30, 24)
    rest = planned(data, people(3), PREFERENCE, per_summary=2, tasks=[*one.tasks, *more.tasks])
    assert rest.pages == 6 * 15
    assert planned(data, people(3), PREFERENCE, pairs=99).pages == 6 * 15


def test_pairs_have_one_length() -> None:
    rows = [Summary("t1", s, f"{s} at {n}.", n) for s in ("x", "y", "z") for n in (50, 100)]
    found = planned(collection(*rows), people(1), PREFERENCE)
    assert len(found.tasks) == 6
    for task in found.tasks:
        assert task.left is not None
        assert task.right is not None
        assert task.left["length"] == task.right["length"]
        assert task.left["system"] != task.right["system"]


def test_counts_are_those_of_the_tasks() -> None:
    found = planned(texts(), people(3), PREFERENCE, per_summary=2, repeats=0.2)
    own = first(found.tasks)
    again = [task for task in found.tasks if task.repeat_of is not None]
    assert [(s.name, s.tasks, s.repeats) for s in found.topics] == [
        (t, sum(x.topic == t for x in own), sum(x.topic == t for x in again)) for t in ("t1", "t2", "t3")
    ]
    assert [(s.name, s.tasks) for s in found.systems] == [
        (s, sum(s in systems_of(task) for task in own)) for s in ("s1", "s2", "s3", "s4")
    ]
    assert [(w.share.name, w.share.tasks, w.share.repeats, w.topics) for w in found.assessors] == [
        (a, sum(t.assessor == a for t in own), sum(t.assessor == a for t in again), 3) for a in people(3)
    ]
    shown = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert shown["new_tasks"] == len(found.tasks)
    assert shown["of_them_repeats"] == len(again)
    assert not any(task.id in json.dumps(shown) for task in found.tasks)


@pytest.mark.parametrize(
    ("protocol", "how", "said"),
    [
        (RATING, {"per_summary": 3}, "per_summary is 3, expected 1 to 2, the number of assessors"),
        (RATING, {"per_summary": 0}, "per_summary is 0"),
        (RATING, {"repeats": 0.6}, "repeats is 0.6, expected a share from 0 to 0.5"),
        (RATING, {"pairs": 3}, "pairs is for preferences, and rating is a rating protocol"),
        (PREFERENCE, {"pairs": 0}, "pairs is 0"),
        (RATING, {"order": "sorted"}, 'the order is "sorted", expected one of: topic, mixed'),
        (RATING, {"topics": ["t9"]}, 'no topic "t9"'),
        (RATING, {"seed": -1}, "the seed is -1"),
        ("pyramid", {}, "pyramid is a pyramid protocol"),
        ("preference-sentences", {}, "their pairs come from `adjudge prefer sample`"),
    ],
)
def test_a_wrong_call_is_one_line(protocol: str, how: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match="^[^\n]*$") as error:
        planned(texts(), people(2), protocol, **how)
    assert said in str(error.value)


def test_nobody_and_somebody_twice_are_refused() -> None:
    with pytest.raises(UsageError, match="there are no assessors: add them with `adjudge people add`"):
        planned(texts(), [])
    with pytest.raises(UsageError, match='the assessor "a1" is named twice'):
        planned(texts(), ["a1", "a1"])


def test_coverage_needs_units_and_references() -> None:
    rows = summaries(2, 2, references=["x"])
    with pytest.raises(
        DataError, match=r"6 summaries have no units .*\(t1/s1, t1/s2 and 4 others\); run: adjudge units"
    ):
        planned(collection(*rows, units=False), people(2), COVERAGE)
    with pytest.raises(DataError, match="4 peers without a reference to be compared with"):
        planned(collection(*summaries(2, 2)), people(2), COVERAGE)
    short = collection(*rows, Summary("t1", "s3", "No model of this length.", 50))
    found = planned(short, people(2), COVERAGE)
    assert "1 peer without a reference to be compared with: left out" in found.notes
    empty = collection(*rows, Summary("t1", "none", "", 100))
    assert "none" in {share.name for share in planned(empty, people(2), COVERAGE).systems}


@pytest.mark.parametrize(
    ("system", "author", "text", "said"),
    [
        ("GPT-9", None, "A text by GPT-9.", 't1/GPT-9 holds "GPT-9"'),
        ("run-2", None, "run-2 says so.", 't1/run-2 holds "run-2"'),
        ("m", "Ann", "Ann wrote this.", 't1/m holds "Ann"'),
        ("lead", None, "They took the lead.", None),
        ("GPT-9", None, "GPT-95 is another.", None),
        ("Ann", None, "Annals of ann.", None),
        ("A", None, "A text.", None),
        ("19", None, "In 19 cases.", None),
    ],
)
def test_a_text_that_gives_itself_away_is_named(
    system: str, author: str | None, text: str, said: str | None
) -> None:
    data = collection(
        Summary("t1", system, text, author=author), Summary("t1", "other", "Nothing of GPT-9, Ann.")
    )
    found = planned(data, people(1)).warnings
    assert [line.partition(":")[0] for line in found] == ([said] if said else [])


def test_a_label_and_a_reference_give_themselves_away_too() -> None:
    data = collection(
        Summary("t1", "x", "Made by Deep Sum.", 100),
        Summary("t1", "y", "By Bob.", 100, ("reference",), "Bob"),
    )
    labelled = replace(data, systems=data.systems | {"x": System("x", label="Deep Sum")})
    assert len(planned(labelled, people(1), COVERAGE).warnings) == 2
    assert len(planned(labelled, people(1)).warnings) == 1
