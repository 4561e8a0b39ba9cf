"""What is said of two versions of a judge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.drift.result import ChangedPair, DriftResult, QuestionDrift, RankingChange, Tested

MOST_NAMED = 6
"""Systems, or pairs of systems, that a sentence names."""
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
    yield _headline(result)
    for q in result.questions:
        for sentence in _about_question(result, q):
            yield f"{q.question}: {sentence}"
    yield _about_cards(result)


def _headline(result: DriftResult) -> str:
    old, new = result.old, result.new
    if all(q.identical for q in result.questions):
        return f"{new} gave the same answers as {old} throughout."
    changes = {q.question: listed(list(_changes(result, q))) for q in result.questions}
    if any(changes.values()):
        several = len(result.questions) > 1
        told = "; ".join(f"{name}: {text}" if several else text for name, text in changes.items() if text)
        return f"From {old} to {new}: {told}."
    if not result.findable():
        clusters = max(q.same.clusters for q in result.questions)
        few = f"{counted(clusters, 'topic')} {'is' if clusters == 1 else 'are'} too few"
        return f"No change from {old} to {new} could have been found: {few}."
    same, of = sum(q.same.hits for q in result.questions), sum(q.same.n for q in result.questions)
    usual = all(q.repeats is not None for q in result.questions)
    beside = f", which is not shown to be another share than when {old} is asked again" if usual else ""
    return f"No change from {old} to {new} is shown; {counted(of - same, 'answer')} of {of:,} differ{beside}."


def _changes(result: DriftResult, q: QuestionDrift) -> Iterator[str]:
    """What changed significantly."""
    changed = q.changed(result.alpha)
    if "shift" in changed and q.shift is not None:
        yield f"it became {'milder' if q.milder else 'stricter'} by {abs(q.shift.mean):.2f}"
    if "systems" in changed:
        turned = q.ranking.turned if q.ranking is not None else 0
        order = f" ({counted(turned, 'pair')} of systems in another order)" if turned else ""
        yield f"the shift depends on the system{order}"
    if "people" in changed:
        yield (
            f"agreement with people {'rose' if q.people.change.value > 0 else 'fell'} from alpha {q.people.old:z.2f} to"
            f" {q.people.new:z.2f}"
        )
    if "repeats" in changed:
        yield f"answers differ more often than when {result.old} is asked again"


def _about_question(result: DriftResult, q: QuestionDrift) -> Iterator[str]:
    changed = q.changed(result.alpha)
    yield (
        f"the same answer for {_share(q.same.share)} ({_share(q.same.low)} to {_share(q.same.high)}) of"
        f" {counted(q.same.n, 'pair' if q.pairs else 'thing')} of {counted(q.topics, 'topic')}{_repeated(result, q)}."
    )
    if q.identical:
        return
    if q.shift is not None:
        size = f"{q.shift.mean:+.3f}"
        size += "" if math.isnan(q.shift.low) else f" ({q.shift.low:+.3f} to {q.shift.high:+.3f})"
        if "shift" in changed:
            way = "milder" if q.milder else "stricter"
            yield f"{result.new} is {way}: {size}, {_p(q, 'shift')}."
        else:
            yield f"no shift is shown: {size}, {_p(q, 'shift')}."
    if "systems" in changed:
        alone = [(name, shift) for name, shift in q.systems.items() if shift.p_adjusted <= result.alpha]
        alone.sort(key=lambda pair: -abs(pair[1].mean))
        names = listed([f"{name} {shift.mean:+.2f}" for name, shift in alone], most=MOST_NAMED)
        which = f"; taken alone these shifted: {names}" if alone else ""
        yield f"the shift depends on the system ({_p(q, 'systems')}){which}."
    elif "systems" in q.p:
        yield f"that the shift depends on the system is not shown ({_p(q, 'systems')})."
    if not math.isnan(q.people.old):
        ends = (
            ""
            if math.isnan(q.people.change.low)
            else f", {q.people.change.low:+.3f} to {q.people.change.high:+.3f}"
        )
        size = f"{q.people.old:z.3f} to {q.people.new:z.3f} ({q.people.change.value:+.3f}{ends})"
        verdict = "changed" if "people" in changed else "is not shown to have changed"
        yield (
            f"agreement with {counted(q.people.people, 'assessor')} {verdict}: alpha from {size}, {_p(q, 'people')}."
        )
    elif not q.people.people:
        yield "nobody else answered for these, so agreement with people is not known."
    if q.ranking is not None:
        yield _about_ranking(q.ranking)


def _repeated(result: DriftResult, q: QuestionDrift) -> str:
    if q.repeats is None:
        return ""
    same, of = q.repeats
    again = (
        f"; {result.old} asked again gives its own answer for {_share(same / of)} of {counted(of, 'answer')}"
    )
    if "repeats" not in q.p:
        return again
    shown = "shown" if "repeats" in q.changed(result.alpha) else "not shown"
    return f"{again}; that the versions differ more often than that is {shown} ({_p(q, 'repeats')})"


def _about_ranking(ranking: RankingChange) -> str:
    size = counted(ranking.systems, "system")
    start = f"the rankings of {size} have tau {ranking.tau:z.2f}"
    if math.isnan(ranking.tau):
        start = f"one ranking of {size} has only ties"
    if not ranking.changed:
        return f"{start}; no pair of systems changes its order or its conclusion."
    pairs = [f"{pair.a} and {pair.b}" for pair in ranking.changed if pair.turned]
    named = f" ({'; '.join(pairs[:MOST_NAMED])}{' ...' * (len(pairs) > MOST_NAMED)})" if pairs else ""
    turned = f"{ranking.turned or 'none'} of {counted(ranking.pairs, 'pair')} turned{named}"
    changed = counted(ranking.conclusions, "conclusion") if ranking.conclusions else "no conclusion"
    return f"{start}; {turned}; {changed} changed."


def _about_cards(result: DriftResult) -> str:
    if not any(result.with_cards):
        return "Nothing is known of how the two were made: there are no cards of them."
    if not all(result.with_cards):
        lacking = result.old if result.with_cards[1] else result.new
        return f"There is no card of {lacking}, so what differs in how the two were made is not known."
    if not result.cards:
        return "Their cards say the same: model, prompt and parameters."
    return f"Their cards differ in {listed(list(dict.fromkeys(name for _, name, _, _ in result.cards)))}."


def changed_pair(pair: ChangedPair) -> str:
    """How the order of two systems, or the conclusion on them, changed."""
    if pair.old_found and pair.new_found:
        return "contradicted"
    if pair.old_found or pair.new_found:
        which = f"found by the {'old' if pair.old_found else 'new'} version alone"
        return f"{which}; order turned" if pair.turned else which
    return "order turned, found by neither"


def _share(value: float) -> str:
    return f"{100 * value:.0f}%" if value in (0, 1) or 0.005 <= value < 0.995 else f"{100 * value:.1f}%"


def _p(q: QuestionDrift, name: Tested) -> str:
    p = q.p_adjusted[name]
    return "p < .001" if p < 0.001 else f"p = {p:.3f}"
