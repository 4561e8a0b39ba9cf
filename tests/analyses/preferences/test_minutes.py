"""Minutes of annotation: what senders say, gaps between answers, pauses, and programs, who take no time."""

from __future__ import annotations

import math
from typing import Any

from tests.approving import Approved

from adjudge.analyses.preferences.measures import minutes
from adjudge.analyses.preferences.study_words import minutes_sentence
from adjudge.judgments.tasks import Event

TOPICS = {"k1": "t1", "k2": "t1", "k3": "t2"}


def event(task: str, seconds: int | None = None, *, who: str = "ann", **other: Any) -> Event:
    at = None if seconds is None else f"2024-05-01T10:{seconds // 60:02}:{seconds % 60:02}Z"
    fields = {"question": "preference", "answer": {"winner": "left"}} | other
    return Event(f"{task}-{seconds}-{who}", "e", task, who, answered_at=at, **fields)


def test_what_the_sender_says_counts() -> None:
    found = minutes(
        [event("k1", took_ms=30_000), event("k2", took_ms=15_000), event("k3", took_ms=60_000)], TOPICS
    )
    assert found.topics == {"t1": 0.75, "t2": 1.0}
    assert found.mean == 0.875
    assert (found.answers, found.timed, found.idle) == (3, 3, 0)


def test_otherwise_the_time_since_the_answer_before(approved: Approved) -> None:
    # The first answer has none before it, and its time is not known.
    found = minutes([event("k1", 0), event("k2", 30), event("k3", 90)], TOPICS)
    assert found.topics == {"t1": 0.5, "t2": 1.0}
    assert (found.answers, found.timed) == (3, 2)
    approved(minutes_sentence(found))


def test_gaps_are_of_one_person_in_the_order_of_time() -> None:
    found = minutes(
        [event("k2", 40, who="bob"), event("k1", 0), event("k2", 30), event("k1", 10, who="bob")], TOPICS
    )
    assert found.topics == {"t1": 1.0}


def test_other_work_ends_where_it_ends() -> None:
    other = event("rating", 50, question="rating:content")
    found = minutes([event("k1", 0), other, event("k2", 60)], TOPICS)
    assert found.topics == {"t1": 10 / 60}


def test_pauses_are_capped_and_counted(approved: Approved) -> None:
    found = minutes([event("k1", 0), event("k2", 600), event("k3", took_ms=10**7)], TOPICS, cap=90)
    assert found.topics == {"t1": 1.5, "t2": 1.5}
    assert found.idle == 2
    approved(minutes_sentence(found))


def test_programs_take_no_time(approved: Approved) -> None:
    found = minutes([event("k1", took_ms=5000, origin="simulated"), event("k2", 5, origin="learned")], TOPICS)
    assert math.isnan(found.mean)
    approved(minutes_sentence(found))


def test_times_that_are_not_there_or_cannot_be_read() -> None:
    found = minutes([event("k1"), event("k2", origin="imported")], TOPICS)
    assert found.why is not None
    strange = Event("x", "e", "k3", "ann", "preference", {"winner": "left"}, answered_at="noon")
    assert minutes([strange], TOPICS).timed == 0


def test_nothing() -> None:
    assert minutes([], {}).why == "nobody was asked"
