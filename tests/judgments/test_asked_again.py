"""Stores of the first releases: an answer about the unmarked units that stayed when others were marked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.judgments.making import a_task, an_event

from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import read_judged


def unit(name: str, *marked: str) -> tuple[str, Any]:
    return f"unit:{name}", {"marked": list(marked), "completeness": 0.4}


UNMARKED = ("unmarked", {"relevant": 0.4})
PAGES = {
    "more marked afterwards": ([unit("m1", "p1"), UNMARKED, unit("m2", "p2")], False),
    "other marks in place of these": ([unit("m1", "p1"), UNMARKED, unit("m1", "p2")], False),
    "answered after all marks": ([unit("m1", "p1"), unit("m2", "p2"), UNMARKED], True),
    "the same unit marked once more": ([unit("m1", "p1"), UNMARKED, unit("m2", "p1")], True),
    "answered again": ([unit("m1", "p1"), UNMARKED, unit("m2", "p2"), UNMARKED], True),
}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("client", ["tab", None])
def test_an_answer_whose_question_changed_is_open(
    make: Callable[..., Evaluation], page: str, client: str | None
) -> None:
    """Of what was imported nobody knows in which order it was answered: it stays."""
    given, holds = PAGES[page]
    e = make(Summary("D1", "sys-1", "one text", 100))
    with e.store() as store:
        store.add_tasks([a_task(store)])
        for question, answer in given:
            store.append([an_event(store, answer, question=question, client=client)])
    judged, _, reopened = read_judged(e.folder)
    kept = holds or client is None
    assert ("unmarked" in judged[0].answers) == kept
    assert reopened == (0 if kept else 1)
    said = [line for line in e.judgments().notes() if "unmarked units left out" in line]
    assert len(said) == reopened
    with e.store() as store:  # the history keeps it
        assert sum(event.question == "unmarked" for event in store.events()) == sum(
            q == "unmarked" for q, _ in given
        )
