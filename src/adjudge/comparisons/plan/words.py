"""What a plan says, in plain words. The numbers are in result.py."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge.comparisons.plan.result import JudgePlan, Needs, Plan
from adjudge.stats.power.search import Answer
from adjudge.wording import counted, listed

FEW = 8
"""With fewer topics the spread is hardly known."""


def sentences(plan: Plan) -> Iterator[str]:
    """The answer first, then what stands beside it."""
    first = plan.needs[0]
    yield _with_topics(plan, first, first.topics) if first.topics is not None else _now(plan, first)
    if first.difference.why is None:
        yield _wide(first)
    yield from _others(plan)
    if plan.judges is not None:
        yield from _judges(plan, plan.judges)


def warnings(plan: Plan) -> list[str]:
    """How well the spread is known, and what was left out."""
    found = []
    if plan.have > 1:
        # The standard error of a normal sample's deviation; topics go with its square.
        off = 1 / math.sqrt(2 * (plan.have - 1))
        text = f"the spread comes from {counted(plan.have, 'topic')}: it may be off by {_percent(off)}"
        found.append(f"{text}, and topics by {_percent(2 * off)}")
    if plan.have < FEW:
        found.append("so few topics say little about the spread: take this for a first guess")
    if plan.matrix.missing:
        found.append(
            f"{counted(len(plan.matrix.missing), 'missing score')}; a pair's topics are those both have"
        )
    return found


def basis(plan: Plan, need: Needs) -> str:
    """Test and alpha, as they stand in brackets."""
    alpha = f"{plan.alpha:g}".removeprefix("0")
    divided = f"/{plan.pairs:,} for {counted(plan.pairs, 'pair')}" if plan.pairs > 1 else ""
    return f"{need.words}, alpha {alpha}{divided}"


def number(value: float, digits: int = 2) -> str:
    """So many significant digits, without an exponent where it is large."""
    return f"{float(f'{value:.{digits}g}'):,.12g}" if math.isfinite(value) else "-"


def _with_topics(plan: Plan, need: Needs, topics: Answer) -> str:
    aim = f"To find a difference of {number(plan.looked_for, 3)} in {plan.title} between two systems"
    aim += f" with {_percent(plan.power)} power ({basis(plan, need)})"
    finds = need.difference
    now = f"which can find {number(finds.value)}" if finds.why is None else "which find none"
    if topics.why is not None:
        return f"{aim}: {topics.why}; you have {plan.have:,}, {now}."
    enough = "which are enough, and " if topics.value <= plan.have else ""
    return f"{aim} you need about {topics.value:,.0f} topics; you have {plan.have:,}, {enough}{now}."


def _now(plan: Plan, need: Needs) -> str:
    with_topics = f"With {counted(plan.have, 'topic')}"
    if need.difference.why is not None:
        return (
            f"{with_topics} nothing can be said of {plan.title} ({basis(plan, need)}): {need.difference.why}."
        )
    return (
        f"{with_topics} the smallest difference in {plan.title} between two systems that is found with"
        f" {_percent(plan.power)} power is about {number(need.difference.value)} ({basis(plan, need)})."
    )


def _wide(need: Needs) -> str:
    """The pairs that are hard to tell apart."""
    who = "Where differences spread more (one pair in ten does)"
    finds = f"{number(need.difference_wide.value)} is what can be found"
    if need.topics_wide is None or need.topics_wide.why is not None:
        return f"{who} {finds}."
    return f"{who} it is about {need.topics_wide.value:,.0f} topics, and {finds}."


def _others(plan: Plan) -> Iterator[str]:
    said = []
    for need in plan.needs[1:]:
        answer = need.topics or need.difference
        form = f"{answer.value:,.0f} topics" if need.topics is not None else f"{number(answer.value)}"
        said.append(
            f"{form} by {need.words}" if answer.why is None else f"none by {need.words} ({answer.why})"
        )
    if said:
        yield f"It would be about {listed(said, most=8)}."


def _judges(plan: Plan, judges: JudgePlan) -> Iterator[str]:
    unit = judges.unit
    by = f"{number(judges.now)} {unit}{'' if round(judges.now, 1) == 1 else 's'}"
    yield (
        f"Every summary has {by}; {'their' if unit == 'assessor' else 'the'} disagreement makes"
        f" {_percent(judges.share)} of the variance of a difference."
    )
    *some, rest = judges.rows
    numbers = listed([f"{row.judges:g}" for row in some])
    if plan.difference is None:
        finds = listed([number(row.difference) for row in some])
        yield f"With {numbers} {unit}s it would be {finds}; with any number, {number(rest.difference)}."
        return
    topics = listed([_topics(row.topics) for row in some])
    yield f"With {numbers} {unit}s you need {topics} topics; with any number, {_topics(rest.topics)}."
    yield from _enough(plan, judges)


def _enough(plan: Plan, judges: JudgePlan) -> Iterator[str]:
    """Whether more judges make up for topics."""
    if plan.difference is None or not plan.needs[0].difference.value > plan.difference:
        return
    if math.isinf(judges.enough):
        aim = number(plan.difference, 3)
        yield f"On {plan.have} topics no number of {judges.unit}s finds {aim}: only more topics do."
    else:
        yield f"On {plan.have} topics it takes {math.ceil(judges.enough):,} {judges.unit}s."


def _topics(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "no number of"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %" if share < 0.01 or share > 0.99 else f"{100 * share:.0f} %"
