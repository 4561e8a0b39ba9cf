"""People: added, given pseudonyms, erased while their answers stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.judgments.making import NOON, Clock, a_task, an_event, fill

from adjudge.core.errors import ClashError, DataError
from adjudge.judgments.store.store import Store, open_store


@pytest.fixture
def ready(store: Store) -> Store:
    """A store with one task."""
    store.add_tasks([a_task(store)])
    return store


def names(store: Store) -> Iterator[tuple[str, str | None]]:
    return ((person.id, person.name) for person in store.people.all())


def test_people_are_added_by_name_or_by_their_tasks(ready: Store) -> None:
    ready.people.add("bob", "Bob")
    assert dict(names(ready)) == {"ann": None, "bob": "Bob"}
    assert ready.people.add("ann", "Ann").name == "Ann"  # filled in
    assert ready.people.add("ann") == ready.people.get("ann")
    with pytest.raises(ClashError, match='person "ann": is here already, as "Ann"'):
        ready.people.add("ann", "Anna")
    with pytest.raises(DataError, match=r'no person "anne" \(nearest: "ann"\)'):
        ready.people.get("anne")


def test_pseudonyms_stay_and_mean_one_person(ready: Store) -> None:
    given = ready.people.pseudonym("ann")
    assert given.startswith("p-")
    assert ready.people.pseudonym("ann") == given
    assert ready.people.set_pseudonym("ann", "A").pseudonym == "A"
    for taken in ("A", "ann"):
        with pytest.raises(ClashError, match='stands for "ann" already'):
            ready.people.add("bob", pseudonym=taken)
    with pytest.raises(ClashError, match='"A" stands for "ann" already'):
        ready.add_tasks([a_task(ready, "t2", assessor="A")])
    with pytest.raises(ClashError, match='has the pseudonym "A" already'):
        ready.people.add("ann", pseudonym="B")


def test_a_name_is_erased_and_the_answers_stay(store: Store, clock: Clock, tmp_path: Path) -> None:
    fill(store)
    before = list(store.events())
    person = store.people.erase_name("ann")
    assert (person.id, person.name, person.erased) == ("p-one", None, "2024-05-01T12:00:00.000000Z")
    assert store.people.get("p-one") == person
    swap = {"ann": "p-one"}
    assert list(store.events()) == [replace(e, assessor=swap.get(e.assessor, e.assessor)) for e in before]
    assert {t.assessor for t in store.tasks()} == {"p-one", "bob"}
    store.people.erase_name("cem")
    assert store.lease("t2", "bob", NOON + timedelta(hours=1)) is None
    assert store.lease("t2", "p-three", NOON + timedelta(hours=2)) is not None  # the lease went along
    with pytest.raises(DataError, match='no person "ann"'):
        store.append([an_event(store, 1)])  # a late answer does not bring the name back
    clock.move(hours=3)
    assert store.people.erase_name("p-one") == person


def test_an_erased_name_is_not_left_in_the_file(tmp_path: Path, clock: Clock) -> None:
    with open_store(tmp_path, "e", clock=clock) as store:
        fill(store)
        assert b"Bob O'Neil" in everything(tmp_path)
        store.people.erase_name("bob")
        assert b"Bob O'Neil" not in everything(tmp_path)


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
