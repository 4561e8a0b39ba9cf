"""What is said of two versions of a judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.analyses.judges.words import agreement
from adjudge.core.words import capitalised, counted, listed, percent

if TYPE_CHECKING:
    from adjudge.analyses.drift.result import DriftResult, QuestionDrift, Tested

TESTED: Mapping[Tested, str] = {
    "same": "same answers",
    "shift": "mean shift",
    "systems": "shift depends on the system",
    "people": "agreement with people",
    "ranking": "tau of the rankings",
}
NOBODY = "nobody else answered on the same things"
NOTES = {
    **agreement.NOTES,
    "left-out": "{why}",
    "answered-by-one": lambda about, things: (
        f"{about}: {counted(things, 'thing')} left out, which only one version answered"
    ),
    "corrected": ("p is corrected for {tests} tests (Holm), intervals are not"),
    "no-repeats": "whether {old} repeats its own answers is unknown: nothing was asked twice",
}


def sentences(result: DriftResult) -> Iterator[str]:
    old, new, questions = result.old, result.new, result.questions
    changes = {q.question: listed(list(_changes(result, q))) for q in questions}
    if all(q.tests["same"].size == 1 for q in questions):
        yield f"{new} gave the same answers as {old} throughout."
    elif any(changes.values()):
        several = len(questions) > 1
        told = "; ".join(f"{name}: {text}" if several else text for name, text in changes.items() if text)
        yield f"From {old} to {new}: {told}."
    elif not result.findable():
        topics = max(len(set(q.bench.clusters)) for q in questions)
        few = f"{counted(topics, 'topic')} {'is' if topics == 1 else 'are'} too few"
        yield f"{capitalised(few)} to find a change from {old} to {new}."
    else:
        yield f"No significant change from {old} to {new}."
    for q in questions:
        yield f"{q.question}: {'; '.join(_about(result, q))}."
    if result.lacking:
        yield f"How the two versions differ is unknown: no card of {listed(result.lacking)}."
    elif not result.cards:
        yield "Their cards agree in model, prompt and parameters."
    else:
        yield f"Their cards differ in {listed(list(dict.fromkeys(name for _, name, _, _ in result.cards)))}."


def _changes(result: DriftResult, q: QuestionDrift) -> Iterator[str]:
    """What changed significantly."""
    for name in q.changed(result.asked.alpha):
        test = q.tests[name]
        if name == "same":
            yield f"answers differ more often than when {result.old} is asked twice"
        elif name == "shift":
            milder = (test.size > 0) == (q.bench.better == "higher")
            yield f"it became {'milder' if milder else 'stricter'} by {abs(test.size):.2f}"
        elif name == "systems":
            order = f" ({counted(len(q.turned), 'pair')} of systems in another order)" if q.turned else ""
            yield f"the shift depends on the system{order}"
        else:
            way = "rose" if test.size > 0 else "fell"
            yield f"agreement with people {way} from alpha {test.old:z.2f} to {test.new:z.2f}"


def _about(result: DriftResult, q: QuestionDrift) -> Iterator[str]:
    """What the table does not say."""
    same = q.tests["same"]
    yield f"same answer to {percent(same.size)} of {counted(len(q.bench.topics), 'thing')}"
    if again := q.bench.again[1]:
        yield f"{result.old} repeats {percent(same.old)} of {counted(again, 'answer')} when asked twice"
    if q.turned:
        yield f"order reversed: {listed([f'{a} and {b}' for a, b in q.turned])}"
