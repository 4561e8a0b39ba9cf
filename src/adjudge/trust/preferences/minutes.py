"""How long people took to say what they prefer, per topic. What they said lives elsewhere."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from adjudge.data.folder import Folder
from adjudge.judgments.protocol import PREFERENCE, protocol_of
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import FILE, Event
from adjudge.wording import counted

IDLE = 120.0
"""Seconds after which somebody is taken to have done something else; the paper's people took 16 a pair."""
PROGRAMS = ("simulated", "learned")


@dataclass(frozen=True)
class Minutes:
    """Minutes of annotation by topic, and how well that is known."""

    topics: Mapping[str, float]
    answers: int
    """Answers by people."""
    timed: int
    """Of those, answers whose time is known."""
    idle: int
    """Of those, answers that took longer than `cap` and count as that."""
    cap: float
    """In seconds."""
    why: str | None = None

    @property
    def mean(self) -> float:
        """Per topic."""
        return math.fsum(self.topics.values()) / len(self.topics) if self.topics else math.nan

    def sentence(self) -> str:
        """What is known, in plain words."""
        if self.why is not None:
            return f"Minutes of annotation: n/a ({self.why})."
        capped = (
            f", {self.idle:,} of them longer than {self.cap:g} s and counted as that" if self.idle else ""
        )
        return (
            f"{self.mean:.1f} minutes of annotation per topic ({counted(len(self.topics), 'topic')});"
            f" the time of {self.timed:,} of {counted(self.answers, 'answer')} is known{capped}."
        )


def minutes(
    events: Iterable[Event],
    topics: Mapping[str, str],
    *,
    question: str = PREFERENCE,
    cap: float = IDLE,
) -> Minutes:
    """The time that answers took, by topic; `topics` says to which topic a task belongs, for the tasks that count.

    An answer took as long as its sender says. Where nothing is said, it took the time since the same person's answer
    before, to whatever task. Longer than `cap` seconds is a pause, and counts as `cap`. What a person changes later
    took time too. Programs take none.
    """
    taken: dict[str, float] = {}
    answers = timed = idle = 0
    by_people = [event for event in events if event.origin not in PROGRAMS]
    for event, seconds in _timed(by_people):
        if event.task not in topics or event.question != question:
            continue
        answers += 1
        if seconds is not None:
            timed += 1
            idle += seconds > cap
            topic = topics[event.task]
            taken[topic] = taken.get(topic, 0.0) + min(seconds, cap) / 60
    why = None if timed else "no answer says when it was given" if answers else "nobody was asked"
    return Minutes(taken, answers, timed, idle, cap, why)


def minutes_of(folder: Folder, *, cap: float = IDLE) -> Minutes:
    """What people who compared sentences took, by what the folder's store says."""
    if not folder.settings.database and not (folder.path / FILE).exists():
        return minutes([], {}, cap=cap)
    with store_of(folder) as store:
        tasks = store.tasks()
        asked = {name: protocol_of(folder, name) for name in dict.fromkeys(task.protocol for task in tasks)}
        compare = {name for name, each in asked.items() if (each.kind, each.of) == (PREFERENCE, "sentences")}
        topics = {task.id: task.topic for task in tasks if task.protocol in compare}
        return minutes(store.events() if topics else (), topics, cap=cap)


def _timed(events: Collection[Event]) -> list[tuple[Event, float | None]]:
    """Every answer with its seconds, or None where they are not known."""
    before: dict[str, datetime] = {}
    found = []
    for event, when in sorted(((e, _moment(e.answered_at)) for e in events), key=_in_time):
        seconds = event.took_ms / 1000 if event.took_ms is not None else None
        if when is not None:
            if seconds is None and event.assessor in before:
                seconds = (when - before[event.assessor]).total_seconds()
            before[event.assessor] = when
        found.append((event, seconds))
    return found


def _in_time(timed: tuple[Event, datetime | None]) -> tuple[bool, datetime, int]:
    event, when = timed
    return when is None, when or datetime.min.replace(tzinfo=UTC), event.seq or 0


def _moment(text: str | None) -> datetime | None:
    """A time; what cannot be read is not known."""
    try:
        when = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return when.replace(tzinfo=UTC) if when is not None and when.tzinfo is None else when
