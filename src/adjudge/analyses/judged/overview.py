"""Who judged what, at a glance: counts by assessor, answers that contradict themselves, texts that changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from adjudge.judgments.batch import Judgments
from adjudge.judgments.protocol import UNIT, inconsistency
from adjudge.judgments.tasks import Task


@dataclass(frozen=True)
class AssessorCounts:
    """One assessor under one protocol."""

    assessor: str
    protocol: str
    origin: str
    tasks: int
    judged: int
    """Tasks with an answer that counts."""
    answers: int


@dataclass(frozen=True)
class Odd:
    """An answer that contradicts itself, or a judgment that is out of date."""

    task: str
    topic: str
    assessor: str
    question: str
    what: str


@dataclass(frozen=True)
class JudgingOverview:
    """What `adjudge judgments list` shows."""

    rows: tuple[AssessorCounts, ...]
    contradictions: tuple[Odd, ...]
    out_of_date: tuple[Odd, ...]
    unknown: tuple[str, ...] = ()
    """Protocols that are not here, in words: their judgments are left out of everything."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "assessors": [asdict(row) for row in self.rows],
            "contradictions": [asdict(odd) for odd in self.contradictions],
            "out_of_date": [asdict(odd) for odd in self.out_of_date],
            "unknown_protocols": list(self.unknown),
        }


def overview(tasks: Iterable[Task], judgments: Judgments, *, topic: str | None = None) -> JudgingOverview:
    """Of all tasks, and the answers that count now."""
    kept = [j for j in judgments.everyone() if topic in (None, j.task.topic)]
    left = [(j, why) for j, why in judgments.left_out if topic in (None, j.task.topic)]
    assigned = Counter((task.assessor, task.protocol) for task in tasks)
    judged: Counter[tuple[str, str]] = Counter()
    answers: Counter[tuple[str, str]] = Counter()
    origins: dict[tuple[str, str], set[str]] = {}
    strange = [j for j in judgments.unknown if topic in (None, j.task.topic)]
    for judgment in [*kept, *(j for j, _ in left), *strange]:
        key = (judgment.task.assessor, judgment.task.protocol)
        judged[key] += 1
        answers[key] += len(judgment.answers)
        origins.setdefault(key, set()).add(judgment.origin)
    rows = tuple(
        AssessorCounts(
            assessor=key[0],
            protocol=key[1],
            origin=", ".join(sorted(origins.get(key, {"-"}))),
            tasks=assigned[key],
            judged=judged[key],
            answers=answers[key],
        )
        for key in sorted(assigned | judged)
    )
    contradictions = tuple(
        Odd(j.task.id, j.task.topic, j.task.assessor, question, what)
        for j in kept
        for question, event in j.answers.items()
        if question.startswith(UNIT) and (what := inconsistency(event.answer))
    )
    stale = tuple(Odd(j.task.id, j.task.topic, j.task.assessor, "all", why) for j, why in left)
    return JudgingOverview(rows, contradictions, stale, tuple(judgments.unknown_lines()))
