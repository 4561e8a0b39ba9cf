"""Answers that contradict themselves, counted by assessor. What a contradiction is: judgments/protocol.py."""

from __future__ import annotations

from collections import Counter

from adjudge.judgments.protocol import UNIT, inconsistency
from adjudge.judgments.tasks import ANONYMOUS, is_anonymous
from adjudge.trust.judged.averages import PROTOCOL, in_order, signed
from adjudge.trust.judged.gathered import Gathered
from adjudge.trust.judged.table import Cell, Column, Table


def contradictions(gathered: Gathered) -> Table | None:
    """Units marked but given "none", and units given something with nothing marked; anonymous answers together."""
    answers: Counter[tuple[Cell, ...]] = Counter()
    marked: Counter[tuple[Cell, ...]] = Counter()
    empty: Counter[tuple[Cell, ...]] = Counter()
    for entry, _, _ in gathered.coverage:
        who = ANONYMOUS if is_anonymous(entry.assessor) else entry.assessor
        key = (entry.protocol.name, who)
        for question, event in entry.judged.answers.items():
            if question.startswith(UNIT):
                answers[key] += 1
                if inconsistency(event.answer) is not None:
                    (marked if event.answer["marked"] else empty)[key] += 1
    if not answers:
        return None
    rows = tuple(
        (*key, answers[key], marked[key], empty[key], (marked[key] + empty[key]) / answers[key])
        for key in in_order(answers)
    )
    total, odd = sum(answers.values()), sum(marked.values()) + sum(empty.values())
    return Table(
        "contradictions",
        "Answers that contradict themselves",
        (
            PROTOCOL,
            Column("assessor", "assessor"),
            Column("answers", "answers"),
            Column("marked_but_none", "marked, but none"),
            Column("some_but_unmarked", "some, but nothing marked"),
            Column("share", "share", 4),
        ),
        rows,
        (f"{odd:,} of {total:,} answers on model units contradict themselves ({odd / total:.1%}).",),
        signature=signed("contradictions", (e.protocol for e, _, _ in gathered.coverage)),
    )
