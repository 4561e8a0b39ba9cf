"""Order: a system's place is uniform, topics stay together, repeats come late and never too soon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from tests.judgments.assign.making import COVERAGE, PREFERENCE, collection, people, planned, summaries
from tests.properties import examples

from adjudge.judgments.assign.order import GAP
from adjudge.judgments.assign.planning import systems_of
from adjudge.judgments.tasks import Task

PLANS = 200
Places = Callable[[Sequence[Task]], Iterable[tuple[str, int]]]


def lines(tasks: Iterable[Task]) -> list[list[Task]]:
    """Everybody's tasks in their order."""
    found: dict[str, list[Task]] = {}
    for task in sorted(tasks, key=lambda task: task.position):
        found.setdefault(task.assessor, []).append(task)
    return list(found.values())


def overall(line: Sequence[Task]) -> Iterable[tuple[str, int]]:
    return ((system, place) for place, task in enumerate(line) for system in systems_of(task))


def in_block(line: Sequence[Task]) -> Iterable[tuple[str, int]]:
    for _, block in groupby(line, key=lambda task: (task.topic, task.reference)):
        yield from overall(list(block))


def worst(plans: Iterable[list[list[Task]]], places: Places, many: int) -> float:
    """The smallest p of all systems that their place is uniform, Bonferroni-corrected for their number."""
    counts: dict[str, Counter[int]] = {}
    for plan in plans:
        for line in plan:
            for system, place in places(line):
                counts.setdefault(system, Counter())[place] += 1
    return len(counts) * min(float(chisquare([c[k] for k in range(many)]).pvalue) for c in counts.values())


def by_system(line: Sequence[Task]) -> list[Task]:
    return sorted(line, key=lambda task: (task.topic, systems_of(task)))


@pytest.mark.parametrize("order", ["topic", "mixed"])
@pytest.mark.parametrize("per_summary", [1, 2])
def test_over_200_plans_a_systems_place_is_uniform(order: str, per_summary: int) -> None:
    texts, who = collection(*summaries(4, 4)), people(2)
    plans = [
        lines(planned(texts, who, seed=seed, order=order, per_summary=per_summary).tasks)
        for seed in range(PLANS)
    ]
    assert worst(plans, overall, 8 * per_summary) > 0.001
    assert worst(([by_system(line) for line in plan] for plan in plans), overall, 8 * per_summary) < 1e-9
    if order == "topic":
        assert worst(plans, in_block, 2 * per_summary) > 0.001
        assert worst(([by_system(line) for line in plan] for plan in plans), in_block, 2 * per_summary) < 1e-9


def test_over_200_plans_places_are_uniform_against_every_reference_too() -> None:
    texts = collection(*summaries(2, 5, references=["x", "y"]))
    plans = [lines(planned(texts, people(2), COVERAGE, seed=s, per_summary=2).tasks) for s in range(PLANS)]
    assert worst(plans, in_block, 5) > 0.001
    assert worst(plans, overall, 20) > 0.001


def test_over_200_plans_nobody_is_tied_to_a_system_and_sides_are_even() -> None:
    texts, who = collection(*summaries(2, 3)), people(3)
    pages: Counter[tuple[str, str, str]] = Counter()
    for seed in range(PLANS):
        for task in planned(texts, who, seed=seed).tasks:
            pages[task.assessor, task.topic, systems_of(task)[0]] += 1
    assert len(pages) == 3 * 2 * 3
    assert chisquare(list(pages.values())).pvalue > 0.001
    left = Counter(
        systems_of(task)[0] < systems_of(task)[1]
        for seed in range(PLANS)
        for task in planned(texts, who, PREFERENCE, seed=seed).tasks
    )
    assert chisquare(list(left.values())).pvalue > 0.001


def test_over_200_stores_the_default_seed_tells_neither_places_nor_sides() -> None:
    """As many keys with one seed: what comes where is as even as over many seeds."""
    texts, who = collection(*summaries(4, 4)), people(2)
    keys = [n.to_bytes(32, "big") for n in range(PLANS)]
    plans = [lines(planned(texts, who, key=key, per_summary=2).tasks) for key in keys]
    assert worst(plans, overall, 16) > 0.001
    assert worst(plans, in_block, 4) > 0.001
    left = Counter(
        (task.topic, systems_of(task)[0] < systems_of(task)[1])
        for key in keys
        for task in planned(texts, who, PREFERENCE, key=key).tasks
    )
    assert chisquare(list(left.values())).pvalue > 0.001


def apart(line: Sequence[Task]) -> list[Task]:
    """Tasks that come when their topic is over: its longest run is past."""
    runs = [list(run) for _, run in groupby(line, key=lambda task: task.topic)]
    longest: dict[str, int] = {}
    for n, run in enumerate(runs):
        if len(run) > len(runs[longest.setdefault(run[0].topic, n)]):
            longest[run[0].topic] = n
    return [task for n, run in enumerate(runs) if n != longest[run[0].topic] for task in run]


def test_topics_stay_together_and_within_them_references() -> None:
    texts = collection(*summaries(5, 4, references=["x", "y"]))
    for line in lines(planned(texts, people(3), COVERAGE, per_summary=2, repeats=0.2).tasks):
        first = [task for task in line if task not in apart(line) and task.repeat_of is None]
        assert len(first) > len(line) / 2
        blocks = [key for key, _ in groupby(first, key=lambda task: task.topic)]
        assert len(blocks) == len(set(blocks))
        groups = [key for key, _ in groupby(first, key=lambda task: (task.topic, task.reference))]
        assert len(groups) == len(set(groups))
    mixed = lines(planned(texts, people(3), COVERAGE, per_summary=2, order="mixed").tasks)[0]
    assert len(list(groupby(mixed, key=lambda task: task.topic))) > 5


def test_topics_come_in_different_orders_for_different_people() -> None:
    found = planned(collection(*summaries(6, 3)), people(4), per_summary=4)
    orders = {tuple(dict.fromkeys(task.topic for task in line)) for line in lines(found.tasks)}
    assert len(orders) == 4


@examples(60)
@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.floats(0, 0.5),
    st.sampled_from(["topic", "mixed"]),
    st.integers(0, 50),
    st.sampled_from(["rating", PREFERENCE]),
)
def test_repeats_are_a_share_come_late_and_keep_their_distance(
    topics: int, systems: int, share: float, order: str, seed: int, protocol: str
) -> None:
    texts = collection(*summaries(topics, systems + 1))
    found = planned(texts, people(2), protocol, per_summary=2, repeats=share, order=order, seed=seed)
    for line in lines(found.tasks):
        assert [task.position for task in line] == list(range(len(line)))
        place = {task.id: k for k, task in enumerate(line)}
        again = [task for task in line if task.repeat_of is not None]
        first = len(line) - len(again)
        assert len(again) == round(share * first)
        assert len({task.repeat_of for task in again}) == len(again)
        for task in again:
            original = next(each for each in line if each.id == task.repeat_of)
            assert original.repeat_of is None
            assert place[task.id] >= len(line) / 2
            assert place[task.id] - place[original.id] >= max(1, min(GAP, first // 2))
            assert (task.topic, task.peer, task.reference) == (
                original.topic,
                original.peer,
                original.reference,
            )
            assert (task.left, task.right) == (original.right, original.left)
            swapped = {"left": "right", "right": "left"}
            assert task.hashes == {swapped.get(role, role): h for role, h in original.hashes.items()}


def test_repeats_do_not_interrupt_a_topic() -> None:
    texts = collection(*summaries(8, 5))
    (line,) = lines(planned(texts, people(1), repeats=0.3).tasks)
    others = [*apart(line), *(task for task in line if task.repeat_of is not None)]
    for k, task in enumerate(line):
        if task in others:
            before = next((t.topic for t in reversed(line[:k]) if t not in others), None)
            after = next((t.topic for t in line[k:] if t not in others), None)
            assert before != after


def test_that_a_task_comes_when_its_topic_is_over_does_not_tell_a_repeat() -> None:
    """As many are asked there for the first time, before and after repeats."""
    texts = collection(*summaries(8, 6))
    found = [
        [task.repeat_of is not None for task in apart(line)]
        for seed in range(60)
        for line in lines(planned(texts, people(2), repeats=0.15, seed=seed, per_summary=2).tasks)
    ]
    assert all(found)
    share = sum(map(sum, found)) / sum(map(len, found))
    assert 0.45 < share < 0.65
    ends = [each[k] for each in found for k in (0, -1)]
    assert 0.4 < sum(ends) / len(ends) < 0.65


def test_repeats_are_not_always_at_the_same_place() -> None:
    texts = collection(*summaries(8, 5))
    places = Counter(
        k
        for seed in range(40)
        for line in lines(planned(texts, people(1), repeats=0.1, seed=seed, order="mixed").tasks)
        for k, task in enumerate(line)
        if task.repeat_of is not None
    )
    assert len(places) > 15
