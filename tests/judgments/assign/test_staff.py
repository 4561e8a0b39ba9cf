"""Assigning with a store: who is asked, what counts, what is written, and two at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import ClashError, DataError, UsageError
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign import plan
from adjudge.judgments.assign.planning import Assignment, assign
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Event

PLAN = "adjudge.judgments.assign.planning.plan"
Snapshot = Callable[[Path], dict[str, bytes]]


def give(e: Evaluation, store: Store | None, protocol: str = "rating", **how: Any) -> Assignment:
    return assign(store, e.collection, load_protocol(protocol), **how)


@pytest.fixture
def people(small: Evaluation) -> Evaluation:
    """Three topics with the peers ann, good and poor; carl, dora and emil judge, olga organises."""
    with small.store() as store:
        for name in ("carl", "dora", "emil"):
            store.accounts.add(name)
        store.accounts.add("olga", "organiser")
    return small


def test_active_assessors_are_asked_and_the_tasks_are_stored(people: Evaluation) -> None:
    with people.store() as store:
        found = give(people, store, per_summary=2, repeats=0.2)
        assert sorted(store.tasks(), key=lambda t: t.id) == sorted(found.tasks, key=lambda t: t.id)
        assert [w.share.name for w in found.assessors] == ["carl", "dora", "emil"]
        assert give(people, store, per_summary=2, repeats=0.2).tasks == ()
        store.accounts.suspend("emil")
        assert [w.share.name for w in give(people, store, per_summary=2, dry_run=True).assessors] == [
            "carl",
            "dora",
        ]


def test_named_people_are_asked_instead(people: Evaluation) -> None:
    with people.store() as store:
        found = give(people, store, assessors=["olga", "emil"], per_summary=2)
        assert {task.assessor for task in found.tasks} == {"emil", "olga"}
        with pytest.raises(
            DataError, match=r'no person "emli" \(nearest: "emil"\); add them with: adjudge people'
        ):
            give(people, store, assessors=["emli"])


def test_a_dry_run_writes_nothing(people: Evaluation, snapshot: Snapshot) -> None:
    with people.store() as store:
        before = store.tasks(), store.people.all()
        assert len(give(people, store, per_summary=3, dry_run=True).tasks) == 27
        found = give(people, store, assessors=["carl", "nobody-yet"], dry_run=True)
        assert "nobody-yet is not among the people yet" in found.notes
        assert (store.tasks(), store.people.all()) == before


def test_without_a_store_a_dry_run_names_people_and_makes_no_file(
    small: Evaluation, snapshot: Snapshot
) -> None:
    before = snapshot(small.path)
    assert len(give(small, None, assessors=["x", "y"], per_summary=2, dry_run=True).tasks) == 18
    with pytest.raises(UsageError, match="there are no assessors"):
        give(small, None, dry_run=True)
    with pytest.raises(DataError, match='no person "x"; add them with'):
        give(small, None, assessors=["x"])
    assert snapshot(small.path) == before


def test_what_a_suspended_person_left_is_given_to_others(people: Evaluation) -> None:
    with people.store() as store:
        give(people, store, per_summary=1)
        done, *left = store.tasks(assessor="emil")
        answer = Event("e1", store.evaluation, done.id, "emil", "rating:fluency", {"value": 3})
        store.append([answer])
        assert give(people, store, per_summary=1).tasks == ()
        store.accounts.suspend("emil")
        found = give(people, store, per_summary=1)
        assert {(t.topic, t.peer) for t in found.tasks} == {(t.topic, t.peer) for t in left}
        assert "2 tasks of emil not counted: neither done by a person nor theirs to do now" in found.notes
        assert give(people, store, per_summary=1).tasks == ()


def test_what_programs_judged_is_still_to_be_judged(people: Evaluation) -> None:
    people.simulate_judgments("rating", assessors=2)
    with people.store() as store:
        found = give(people, store, per_summary=1)
        assert len(found.tasks) == 9
        assert any(
            note.startswith("18 tasks of simulated-1 and simulated-2 not counted") for note in found.notes
        )


def test_what_people_judged_elsewhere_counts(people: Evaluation) -> None:
    with people.store() as store:
        give(people, store, assessors=["dora"])
        events = [
            Event(
                f"e{k}", store.evaluation, task.id, "dora", "rating:fluency", {"value": 3}, origin="imported"
            )
            for k, task in enumerate(store.tasks())
        ]
        store.append(events)
        store.people.erase_name("dora")
        found = give(people, store, per_summary=1)
        assert (found.tasks, found.before) == ((), 9)


def test_of_two_plans_at_once_one_is_told_to_run_again(
    people: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*args: Any, **how: Any) -> Assignment:
        found = plan(*args, **how)
        with people.store() as other:
            monkeypatch.setattr(PLAN, plan)
            give(people, other)
        return found

    monkeypatch.setattr(PLAN, meanwhile)
    with people.store() as store:
        with pytest.raises(ClashError, match="somebody else assigned tasks of rating just now; run it again"):
            give(people, store)
        assert len(store.tasks()) == 9
        assert give(people, store).tasks == ()
