"""What is said of verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from adjudge.analyses.meta.verdicts import Compared, Verdict, VerdictsResult
from adjudge.analyses.meta.words import SYMBOLS, TOO_FEW, n_words, number
from adjudge.core.words import counted, p_words

NOTES = {"not-compared": "{measure} and {against} were not compared: {why}"}
_ORDERS = {
    "system": "systems",
    "input": "a topic's summaries",
    "global": "summaries",
}
_NOT_SHOWN: Mapping[str | None, str] = {
    None: "Nothing shows that {measure} orders {what} as people do: {numbers}.",
    "accuracy": "Nothing shows that {measure} orders {what} as people do: {numbers}, and no more pairs are in people's"
    " order than by chance.",
}


MOST_SAID = 8
"""Measures with a sentence, from the best on."""
MOST_COMPARED = 3
"""The user's own that have sentences in any case."""


def sentences(result: VerdictsResult) -> Iterator[str]:
    """A verdict on every measure, then on the user's own."""
    mine = {row.measure.measure for row in result.compared[:MOST_COMPARED]}
    told = [
        verdict
        for place, verdict in enumerate(result.first)
        if place < MOST_SAID or verdict.measure.measure in mine
    ]
    yield from (_sentence(result, verdict) for verdict in told)
    if more := len(result.first) - len(told):
        yield f"The table has {counted(more, 'more measure')}."
    yield from (_compared(result, row) for row in result.compared[:MOST_COMPARED] if row.why is None)
    if len(result.compared) > MOST_COMPARED:
        yield f"The table compared has all {len(result.compared):,} of your measures."


def _sentence(result: VerdictsResult, verdict: Verdict) -> str:
    measure, what = verdict.measure.words, _ORDERS[result.level]
    if verdict.grade == "no verdict":
        return f"No verdict on {measure}: {verdict.why}."
    count = n_words(result.level, verdict.n)
    if result.level == "system" and result.among != "all":
        count = counted(verdict.n, result.among.removesuffix("s"))
    whom = f" with {verdict.human.words}" if result.several else ""
    so = ", so the correlation may be weak" if verdict.reason == "may be weak" else ""
    interval = ""
    if not math.isnan(verdict.low):
        interval = f" ({result.confidence:.0%} interval {number(verdict.low)} to {number(verdict.high)}{so})"
    on = "on" if result.level == "input" else "among"
    numbers = f"{SYMBOLS[result.coefficient]} = {number(verdict.value)}{whom} {on} {count}{interval}"
    if verdict.grade == "against people":
        return f"{measure} orders {what} against people: {numbers}."
    if verdict.grade == "not shown":
        text = _NOT_SHOWN[verdict.reason]
        return text.format(measure=measure, what=what, numbers=numbers)
    if verdict.grade == "open":
        without = f", without an interval ({verdict.why})" if verdict.reason == "no interval" else ""
        return f"It is open whether {measure} orders {what} as people do: {numbers}{without}."
    if verdict.grade == "as people do":
        less = f", not significantly less than one more assessor ({number(verdict.ceiling)})"
        beside = "" if math.isnan(verdict.difference_low) else less
        if verdict.difference_low > 0:
            beside = f", significantly more than one more assessor ({number(verdict.ceiling)})"
        return f"{measure} orders {what} as people do: {numbers}{beside}."
    more = ""
    if verdict.reason == "below assessors":
        more = f", significantly less than one more assessor ({number(verdict.ceiling)})"
    elif verdict.reason == "contradicts":
        more = (
            f"; it contradicts people on {verdict.contradictions} of {counted(verdict.tested or 0, 'pair')}"
        )
    return f"{measure} orders {what} as people do only in part: {numbers}{more}."


def _compared(result: VerdictsResult, row: Compared) -> str:
    measure, against = f"Your measure {row.measure.words}", row.against.words
    if row.best:
        against += ", the best known"
    difference = f"difference {number(row.difference)}"
    if row.conclusion == TOO_FEW:
        between = f"your measure {row.measure.words} and {against}"
        return f"Too few {row.lacking} for a significant difference between {between} ({difference})."
    verdict = "not significantly better"
    if row.conclusion == "differ":
        verdict = f"significantly {'worse' if row.difference < 0 else 'better'}"
    return f"{measure} is {verdict} than {against} ({difference}, {p_words(row.p, result.alpha)})."
