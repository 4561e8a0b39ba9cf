"""Blind order: who knows the texts, the systems' names and the seed cannot compute who sees what, when and where."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.judgments.assign.making import COVERAGE, PREFERENCE, RATING, collection, people, planned, summaries

from adjudge.data.collection import Collection
from adjudge.judgments.assign.planning import Assignment, assign
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.tasks import ORDER_KEY, Task

pytestmark = pytest.mark.usefixtures("secrets_drawn")
TEXTS = collection(*summaries(6, 5, references=["x"]))
HOW: dict[str, Any] = {"per_summary": 2, "repeats": 0.2}


def said(tasks: tuple[Task, ...] | list[Task]) -> list[tuple[object, ...]]:
    found = sorted(tasks, key=lambda task: (task.assessor, task.position))
    return [(t.assessor, t.position, t.topic, t.peer, t.left, t.repeat_of is None) for t in found]


def given(store: Store, protocol: str, texts: Collection = TEXTS, **how: Any) -> Assignment:
    return assign(store, texts, load_protocol(protocol), assessors=people(3), **HOW, **how)


def a_store(path: Path) -> Store:
    path.mkdir(exist_ok=True)
    store = open_store(path, "e")
    for name in people(3):
        if name not in {person.id for person in store.people.all()}:
            store.accounts.add(name)
    return store


@pytest.mark.parametrize("protocol", [RATING, COVERAGE, PREFERENCE])
@pytest.mark.parametrize("seed", [0, 7])
def test_nobody_computes_the_order_or_the_sides(tmp_path: Path, protocol: str, seed: int) -> None:
    guessed = said(planned(TEXTS, people(3), protocol, seed=seed, **HOW).tasks)
    with a_store(tmp_path / "one") as one, a_store(tmp_path / "two") as two:
        found = [said(given(store, protocol, seed=seed).tasks) for store in (one, two)]
    first, second = ({str(each) for each in some} for some in found)
    for others in (second, {str(each) for each in guessed}):
        assert len(first & others) < len(first) / 3


@pytest.mark.parametrize("protocol", [RATING, PREFERENCE])
def test_a_store_and_a_seed_give_one_plan(tmp_path: Path, protocol: str) -> None:
    with a_store(tmp_path / "one") as one:
        one.secret(ORDER_KEY)
        tried = said(given(one, protocol, seed=3, dry_run=True).tasks)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with a_store(tmp_path / "one") as one, a_store(tmp_path / "two") as two:
        assert said(given(one, protocol, seed=3).tasks) == said(given(two, protocol, seed=3).tasks) == tried


def test_a_plan_that_is_there_stays(tmp_path: Path) -> None:
    """One from before there was a key, too: what is assigned is stored, and keeps its order and its sides."""
    before = planned(TEXTS, people(3), PREFERENCE, **HOW).tasks
    with a_store(tmp_path / "one") as store:
        store.add_tasks(before)
        assert given(store, PREFERENCE).tasks == ()
        assert said(store.tasks()) == said(before)


def test_a_dry_run_draws_no_key(tmp_path: Path) -> None:
    with a_store(tmp_path / "one") as store:
        given(store, RATING, dry_run=True)
        assert store.secret(ORDER_KEY, make=False) == b""
        given(store, RATING)
        assert len(store.secret(ORDER_KEY, make=False)) == 32
