"""What is said of two versions of a judge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.core.words import counted, listed, p_words, percent

if TYPE_CHECKING:
    from adjudge.analyses.drift.result import DriftResult, QuestionDrift, RankingChange, Tested

MOST_NAMED = 6
"""Pairs of systems that a sentence names."""
TESTED: Mapping[Tested, str] = {
    "shift": "mean shift",
    "systems": "shift depends on the system",
    "people": "agreement with people",
    "repeats": "same answers, beside repeats",
}
NOTES = {
    "left-out": "{why}: left out",
    "put-on-scale": lambda question, answers, scale: (
        f"{question}: answers from {answers[0]:.4g} to {answers[1]:.4g} are put on people's scale of {scale[0]:.4g} to"
        f" {scale[1]:.4g} by rank among both versions' answers, for alpha"
    ),
    "answered-by-one": lambda question, old, new: (
        f"{question}: left out what one version alone answered for: the old one {counted(old, 'thing')}, the new one"
        f" {new:,}"
    ),
    "corrected": (
        "p is corrected for {tests} tests (Westfall and Young 1993, step-down); intervals are not, so one may exclude 0"
        " where the test does not find a change"
    ),
    "no-repeats": "how often {old} would differ from itself is not known: nothing was asked of it twice",
}


def sentences(result: DriftResult) -> Iterator[str]:
    old, new, questions = result.old, result.new, result.questions
    changes = {q.question: listed(list(_changes(result, q))) for q in questions}
    if all(q.identical for q in questions):
        yield f"{new} gave the same answers as {old} throughout."
    elif any(changes.values()):
        several = len(questions) > 1
        told = "; ".join(f"{name}: {text}" if several else text for name, text in changes.items() if text)
        yield f"From {old} to {new}: {told}."
    elif not result.findable():
        clusters = max(q.same.clusters for q in questions)
        few = f"{counted(clusters, 'topic')} {'is' if clusters == 1 else 'are'} too few"
        yield f"No change from {old} to {new} could have been found: {few}."
    else:
        differ, of = sum(q.same.n - q.same.hits for q in questions), sum(q.same.n for q in questions)
        yield f"No change from {old} to {new} is shown; {counted(differ, 'answer')} of {of:,} differ."
    for q in questions:
        for sentence in _about(result, q):
            yield f"{q.question}: {sentence}"
    if result.lacking:
        yield f"What differs in how the two were made is not known: there is no card of {listed(result.lacking)}."
    elif not result.cards:
        yield "Their cards say the same: model, prompt and parameters."
    else:
        yield f"Their cards differ in {listed(list(dict.fromkeys(name for _, name, _, _ in result.cards)))}."


def _changes(result: DriftResult, q: QuestionDrift) -> Iterator[str]:
    """What changed significantly."""
    changed = q.changed(result.alpha)
    if "shift" in changed and q.shift is not None:
        yield f"it became {_milder(q, q.shift.mean)} by {abs(q.shift.mean):.2f}"
    if "systems" in changed:
        turned = len(q.ranking.turned) if q.ranking is not None else 0
        order = f" ({counted(turned, 'pair')} of systems in another order)" if turned else ""
        yield f"the shift depends on the system{order}"
    if "people" in changed:
        way = "rose" if q.people.change.value > 0 else "fell"
        yield f"agreement with people {way} from alpha {q.people.old:z.2f} to {q.people.new:z.2f}"
    if "repeats" in changed:
        yield f"answers differ more often than when {result.old} is asked again"


def _about(result: DriftResult, q: QuestionDrift) -> Iterator[str]:
    changed = q.changed(result.alpha)
    p = {name: p_words(value, result.alpha) for name, value in q.p_adjusted.items()}
    again = ""
    if q.repeats is not None:
        same, of = q.repeats
        again = f"; {result.old} asked again gives its own answer for {percent(same / of)} of {counted(of, 'answer')}"
    if "repeats" in p:
        shown = "shown" if "repeats" in changed else "not shown"
        again += f"; that the versions differ more often than that is {shown} ({p['repeats']})"
    yield (
        f"the same answer for {percent(q.same.share)} ({percent(q.same.low)} to {percent(q.same.high)}) of"
        f" {counted(q.same.n, 'pair' if q.shift is None else 'thing')} of {counted(q.topics, 'topic')}{again}."
    )
    if q.identical:
        return
    if q.shift is not None:
        size = f"{q.shift.mean:+.3f}{_ends(' ({} to {})', q.shift.low, q.shift.high)}"
        start = f"{result.new} is {_milder(q, q.shift.mean)}" if "shift" in changed else "no shift is shown"
        yield f"{start}: {size}, {p['shift']}."
    if "systems" in changed:
        yield f"the shift depends on the system ({p['systems']})."
    elif "systems" in p:
        yield f"that the shift depends on the system is not shown ({p['systems']})."
    if "people" in p:
        change = (
            f"{q.people.change.value:+.3f}{_ends(', {} to {}', q.people.change.low, q.people.change.high)}"
        )
        verdict = "changed" if "people" in changed else "is not shown to have changed"
        yield (
            f"agreement with {counted(q.people.people, 'assessor')} {verdict}: alpha from {q.people.old:z.3f} to"
            f" {q.people.new:z.3f} ({change}), {p['people']}."
        )
    elif not q.people.people:
        yield "nobody else answered for these, so agreement with people is not known."
    if q.ranking is not None:
        yield _about_ranking(q.ranking)


def _about_ranking(ranking: RankingChange) -> str:
    size = counted(ranking.systems, "system")
    start = f"the rankings of {size} have tau {ranking.tau:z.2f}"
    if math.isnan(ranking.tau):
        start = f"one ranking of {size} has only ties"
    turned = f"{len(ranking.turned) or 'none'} of {counted(ranking.pairs, 'pair')} turned"
    if ranking.turned:
        names = [f"{a} and {b}" for a, b in ranking.turned]
        turned += f" ({'; '.join(names[:MOST_NAMED])}{' ...' * (len(names) > MOST_NAMED)})"
    changed = counted(ranking.conclusions, "conclusion") if ranking.conclusions else "no conclusion"
    return f"{start}; {turned}; {changed} changed."


def _milder(q: QuestionDrift, shift: float) -> str:
    return "milder" if (shift > 0) == (q.better == "higher") else "stricter"


def _ends(form: str, low: float, high: float) -> str:
    return "" if math.isnan(low) else form.format(f"{low:+.3f}", f"{high:+.3f}")
