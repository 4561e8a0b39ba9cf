"""What is said of studies of preferences: how many answers it takes, and the paper's tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, get_args

from adjudge.analyses.pages.numbers import span
from adjudge.analyses.preferences.measures import Convergence, Found, MeasureAgreement, compared
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.preferences.measures import Minutes, PaperTable, PreferenceTables


NOTES: dict[str, str | Callable[..., str]] = {
    "no-trajectory": "{n:,} without a trajectory: {why}",
    "not-scored": "{heading}: {why}",
    "simulated-answers": lambda n, of: f"{n:,} of {counted(of, 'answer')} are simulated",
    "no-number": lambda headings, why: f"{', '.join(headings)}: n/a ({why})",
    "no-pair-to-order": lambda n: f"{counted(n, 'topic has', 'topics have')} no pair to order",
    "lacks-a-column": lambda n: (
        f"{counted(n, 'topic lacks', 'topics lack')} a column and {'is' if n == 1 else 'are'} left out"
    ),
    "no-interval": lambda headings, least: (
        f"no interval for {listed(headings)}: too many topics have the same share"
    ),
    "answers-per-topic": lambda counts: (
        f"man has {span(counts)} answers per topic, in {counted(len(counts), 'topic')}"
    ),
    "pairs-lack-a-score": lambda measure, n: (
        f"{measure}: {counted(n, 'pair lacks', 'pairs lack')} a score and were left out"
    ),
}


def sentences(result: Convergence | PreferenceTables | MeasureAgreement) -> Iterator[str]:
    if isinstance(result, Convergence):
        yield from _convergence(result)
    elif not isinstance(result, MeasureAgreement):
        lines = [line for paper in result.papers for line in about(result, paper.name)]
        yield from lines or [f"Nothing could be compared with {result.human}."]
    elif result.why is not None:
        yield f"{result.measure}: no agreement with {result.human} ({result.why})."
    else:
        interval = ""
        if not math.isnan(result.low):
            interval = f" ({result.level:.0%} interval {result.low:z.3f} to {result.high:z.3f})"
        yield (
            f"{result.measure} orders {result.mean:.1%} of {counted(result.pairs, 'pair')} as {result.human}"
            f" does{interval}, on {counted(result.n, 'topic')}."
        )


def about(result: Convergence | PreferenceTables | MeasureAgreement, table: str) -> Iterator[str]:
    """What one of the paper's tables says by itself."""
    if isinstance(result, Convergence | MeasureAgreement):
        return
    for paper in result.papers:
        if paper.name == table:
            yield from _differences(paper)
            yield from _smoothing(paper)
            if paper.minutes is not None:
                yield minutes_sentence(paper.minutes)


def _convergence(result: Convergence) -> Iterator[str]:
    if not result.measured:
        why = result.topics[0].why if result.topics else "there are no topics"
        yield f"No topic has a trajectory ({why})."
        return
    every = list(result.mean())
    (first, low, _), (last, high, whole) = every[0], every[-1]
    topics = len(result.measured)
    fewer = "" if whole == topics else " (or all, where there are fewer)"
    yield (
        f"With {counted(first, 'answer')} per topic, {low:.1%} of pairs are ordered as {result.human} does; with"
        f" {last:,}{fewer}, {high:.1%} ({counted(topics, 'topic')}, {counted(result.asked.runs, 'run')} each)."
    )
    lines = {name: [t.lines.get(name, math.nan) for t in result.measured] for name in result.lines()}
    means = [t.at(last).mean for t in result.measured]
    verdicts = compared([(means, line) for line in lines.values()], level=result.asked.level)
    ways = dict(zip(lines, verdicts, strict=True))
    words = {"above": "above", "below": "below", "open": "not significantly different from"}
    parts = _by_way(ways, words)
    if parts:
        over = f"Wilcoxon over topics, Holm over {counted(len(ways), 'measure')}"
        yield f"With {last:,} answers, that is {'; '.join(parts)} ({over})."
    if hopeless := _hopeless(ways):
        yield f"No {hopeless}"
    for name, line in lines.items():  # a measure that some topics lack is compared on fewer
        both = [(a, b) for a, b in zip(means, line, strict=True) if not math.isnan(b)]
        if both and len(both) < len(means):
            mine, theirs = (math.fsum(shares) / len(both) for shares in zip(*both, strict=True))
            has = counted(len(both), "topic that has", "topics that have")
            yield f"{name} was compared on the {has} it: people {mine:.1%}, {name} {theirs:.1%}."


def _differences(paper: PaperTable) -> Iterator[str]:
    words = {
        "above": "agrees with people more than",
        "below": "agrees with people less than",
        "open": "is not significantly different from",
    }
    for heading, ways in paper.differences.items():
        if parts := _by_way(ways, words):
            yield f"{heading} {'; it '.join(parts)}."
        if hopeless := _hopeless(ways):
            yield f"{heading}: no {hopeless}"


def _by_way(ways: Mapping[str, Found], words: Mapping[str, str]) -> list[str]:
    names = {way: [name for name, verdict in ways.items() if verdict == way] for way in get_args(Found)}
    return [f"{verb} {listed(names[way], most=9)}" for way, verb in words.items() if names[way]]


def _hopeless(ways: Mapping[str, Found]) -> str:
    names = [name for name, way in ways.items() if way == "hopeless"]
    return f"difference from {listed(names, most=9)} can be found: too few topics differ." if names else ""


def _smoothing(paper: PaperTable) -> Iterator[str]:
    verbs = {
        "above": "helps",
        "below": "hurts",
        "open": "makes no significant difference for",
        "hopeless": "was tried on too few topics for",
    }
    for source, way, without, smoothed in paper.smoothing:
        yield f"Smoothing {verbs[way]} {source}: {without:.3f} without, {smoothed:.3f} with it."


def minutes_sentence(minutes: Minutes) -> str:
    """How long annotation took, and how well that is known."""
    if minutes.why is not None:
        return f"Minutes of annotation: n/a ({minutes.why})."
    capped = ""
    if minutes.idle:
        capped = f", {minutes.idle:,} pauses cut to {minutes.cap:g} s"
    return (
        f"{minutes.mean:.1f} minutes of annotation per topic ({counted(len(minutes.topics), 'topic')}; times known for"
        f" {minutes.timed:,} of {counted(minutes.answers, 'answer')}{capped})."
    )
