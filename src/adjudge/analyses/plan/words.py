"""What is said of a plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.plan import design_words, noise_words
from adjudge.analyses.plan.design_words import sampled_basis, why_no_designs
from adjudge.core.phrases import Spoken
from adjudge.core.words import counted, decimal

if TYPE_CHECKING:
    from adjudge.analyses.plan.result import AssessorPlan, Needs, PowerPlan, SampledPlan
    from adjudge.core.results import Note


FEWEST_SURE = 10
"""Assessors, with fewer of whom an estimate of 0 says little."""


def sentences(plan: PowerPlan) -> Iterator[Spoken]:
    """The comparison that will be made, then one pair, errors of findings, other tests and the assessors."""
    first = plan.needs[0]
    yield _with_topics(plan, first) if first.topics is not None else _now(plan, first)
    if (one := plan.need(first.test, "one")) is not None and one is not first:
        yield _one_pair(plan, one)
    yield from _wide(plan, first)
    yield from _errors(plan, first)
    yield from _others(plan)
    if plan.judges is not None:
        yield from _judges(plan, plan.judges)
    if plan.sampled is not None and not math.isnan(plan.sampled.likings):
        yield from _sampled(plan, plan.sampled)
    elif plan.people:
        yield _not_sampled(plan)
    if plan.sources is not None:
        yield from noise_words.sentences(plan.sources)
    if plan.designs is not None:
        yield from design_words.sentences(plan.designs)


def _ties(share: float, simulated: float, source: str) -> str:
    ties = f"{_percent(share)} of the differences between systems are ties"
    if source == "normal":
        return (
            f"{ties}, simulated normal scores have none: tests by ranks and signs look better than they are"
        )
    how = "levels of the same shares" if source == "rated" else "topics that tie stay ties"
    return f"{ties}, as are {_percent(simulated)} of the simulated ones without a difference ({how})"


def _too_few_topics(topics: int, alpha: float, pairs: int, fewest: int) -> str:
    level = f"{alpha:g}".removeprefix("0") + (f"/{pairs:,}" if pairs > 1 else "")
    return (
        f"on {counted(topics, 'topic')} no p is below {number(math.ldexp(2.0, -topics), 3)}, which is above {level};"
        f" it takes {fewest} topics"
    )


REASONS: Mapping[str, Callable[..., str]] = {
    "one-system": lambda systems: f"planning needs the scores of two systems, has {systems}",
    "squares-overflow": lambda largest: (
        f"scores beyond {largest:g} or within {1 / largest:g} of 0 cannot be squared: give the scores in another unit"
    ),
    "no-common-topics": lambda: "no two systems have two topics in common",
    "no-spread": lambda: "most pairs of systems differ by the same on every topic",
    "other-correction": lambda correct: f"power is not computed for the correction {correct}",
    "one-sided": lambda: "power is computed for two-sided tests",
    "whole-sets": lambda: "power is not computed for whole sets of topics",
    "no-standard-error": lambda: "no pair of systems has a standard error",
    "slow-test": lambda test: f"power of the test {test} takes long: adjudge plan computes it",
    "too-few-topics": _too_few_topics,
    "search-says": lambda text: str(text),
}
"""Why nothing can be planned, or no difference be found."""


def reason(note: Note) -> str:
    return REASONS[note.code](**note.data)


def tested_by(test: str, correct: str, pairs: int) -> str:
    """Test and correction of a finished comparison, as they stand in brackets."""
    from adjudge.stats.paired import test_words

    short = CORRECTIONS[correct].short
    over = f", {short} over {pairs:,} pairs" if short and pairs > 1 else ""
    return f"{test_words(test)}{over}"


def found_basis(test: str, correct: str, pairs: int, alpha: float) -> str:
    """The same with alpha."""
    return f"{tested_by(test, correct, pairs)}, alpha {f'{alpha:g}'.removeprefix('0')}"


def _spread_from_assessors(
    assessors: int, df: int, few: bool, low: float = math.nan, high: float = math.nan
) -> str:
    if not math.isnan(low):
        return (
            f"from {assessors} assessors: the s.d. between assessors may be from {number(low)} to {number(high)} (95 %"
            " interval)"
        )
    little = ", which say little" if few else ""
    return (
        f"from {assessors} assessors: how far their views of systems differ is estimated with"
        f" {counted(df, 'degree')} of freedom{little}"
    )


NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    **noise_words.NOTES,
    # Topics go with the square of the spread.
    "spread-from-topics": lambda topics, low, high: (
        f"from {counted(topics, 'topic')}: the true spread may be {number(low)} to {number(high)} times this one (95 %"
        f" interval, normal differences), the number of topics {number(low**2)} to {number(high**2)} times"
    ),
    "few-topics": "so few topics say little about the spread: take this as a first guess",
    "spread-from-assessors": _spread_from_assessors,
    "ties": _ties,
    "missing-in-pairs": lambda n: (
        f"{counted(n, 'missing score')}; each pair is compared on the topics that both have"
    ),
}


# In tables


def plan_cells(plan: PowerPlan, need: Needs) -> Iterator[str | None]:
    """What people see of a test in a comparison."""
    yield test_words(need)
    others = ", others as now" if need.compared == "typical" else ""
    yield "one pair" if need.compared == "one" else f"{plan.pairs:,} pairs{others}"
    for topics in (need.topics, need.topics_wide):
        yield None if topics is None else whole(topics.value)
    for finds in (need.difference, need.difference_wide):
        yield None if finds is None else _apart(finds.value, plan.difference, 3)
    now = plan.now(need)
    yield power_text(now.rate, plan.power)
    if math.isnan(now.wrong_sign):
        yield None
    else:
        none = now.wrong_sign == 0 and now.findings is not None
        yield f"0 of {now.findings:,}" if none else _percent(now.wrong_sign)
    yield None if math.isnan(now.exaggeration) else number(now.exaggeration, 3)


def curve_title(plan: PowerPlan) -> str:
    compared = f", {plan.pairs:,} pairs compared" if plan.pairs > 1 else ""
    return f"power for a difference of {number(plan.looked_for, 3)}{compared}"


def sampled_title(plan: PowerPlan) -> str:
    return f"for other assessors like these ({sampled_basis(plan.pairs, plan.alpha)})"


def test_words(need: Needs) -> str:
    from adjudge.stats.power.search import chosen

    return chosen(need.test).words


def whole(value: float) -> str | None:
    return f"{value:,.0f}" if math.isfinite(value) else None


def basis(plan: PowerPlan, need: Needs) -> str:
    """Test, correction and alpha, as they stand in brackets."""
    alpha = f"{plan.alpha:g}".removeprefix("0")
    over = ""
    if need.compared != "one" and plan.pairs > 1:
        over = f", {CORRECTIONS[plan.asked.correct].short} over {counted(plan.pairs, 'pair')}"
    return f"{test_words(need)}{over}, alpha {alpha}"


def number(value: float, digits: int = 2) -> str:
    """So many significant digits, without an exponent where it is large."""
    return decimal(float(f"{value:.{digits}g}"), ",.12g") if math.isfinite(value) else "-"


def _apart(value: float, wanted: float | None, digits: int = 2) -> str:
    """A number with so many digits, or more where rounding would put it on the other side of the wanted one."""
    if wanted is None or not math.isfinite(value):
        return number(value, digits)
    while digits < 15 and (float(f"{value:.{digits}g}") <= wanted) != (value <= wanted):
        digits += 1
    return number(value, digits)


def power_text(rate: float, wanted: float) -> str | None:
    """`0.12`; more digits where rounding would put it on the other side of the power asked for, or make it 0 or 1."""
    if math.isnan(rate):
        return None
    return decimal(rate, f".{_power_digits(rate, wanted)}f")


def _power_percent(rate: float, wanted: float) -> str:
    """`12 %`, with as many digits as `power_text` has."""
    return f"{decimal(100 * rate, f'.{_power_digits(rate, wanted) - 2}f')} %"


def _power_digits(rate: float, wanted: float) -> int:
    digits = 2
    while digits < 15 and (
        (round(rate, digits) < wanted) != (rate < wanted) or (round(rate, digits) in (0, 1) and 0 < rate < 1)
    ):
        digits += 1
    return digits


def _with_topics(plan: PowerPlan, need: Needs) -> str:
    assert need.topics is not None
    find = (
        f"find a difference of {number(plan.looked_for, 3)} in {plan.title} with {_percent(plan.power)} power"
    )
    if need.topics.why is not None:
        return f"To {find} ({basis(plan, need)}): {need.topics.why}. {_have(plan, need)}."
    you = (
        "You" if not plan.people else f"For {'this assessor' if plan.people == 1 else 'these assessors'}, you"
    )
    fewer = ""
    typical = plan.need(need.test, "typical")
    if typical is not None and typical.topics is not None and typical.topics.value < need.topics.value:
        fewer = f", or {typical.topics.value:,.0f} if the other systems stay as far apart as now,"
    return (
        f"{you} need about {need.topics.value:,.0f} topics{fewer} to {find} ({basis(plan, need)})."
        f" {_have(plan, need)}."
    )


def _have(plan: PowerPlan, need: Needs) -> str:
    """What the present topics do, by the numbers of the table."""
    have = f"Your {plan.have:,}"
    if (why := _cannot(plan, need)) is not None:
        return f"{have} can find no difference: {why}"
    now, finds = plan.now(need), need.difference
    if math.isnan(now.rate):
        with_power = f"{have}: power unknown"
    elif now.rate == 0:
        with_power = f"{have} found it in none of {counted(plan.asked.simulations, 'simulation')}"
    else:
        enough = "are enough: they " if now.rate >= plan.power else ""
        with_power = f"{have} {enough}find it with {_power_percent(now.rate, plan.power)} power"
    if finds.why is not None:
        return f"{with_power}; {finds.why}"
    return f"{with_power}, and {_apart(finds.value, plan.difference)} with {_percent(plan.power)}"


def _cannot(plan: PowerPlan, need: Needs) -> str | None:
    """Why nothing can be found on the present topics, by the smallest p of an exact test."""
    if plan.have >= need.fewest:
        return None
    divided = f"/{plan.pairs:,}" if need.compared != "one" and plan.pairs > 1 else ""
    alpha = f"{plan.alpha:g}".removeprefix("0")
    smallest = _apart(math.ldexp(2.0, -plan.have), None if divided else plan.alpha)
    return f"no p is below {smallest}, which is above {alpha}{divided}; it takes {need.fewest} topics"


def _now(plan: PowerPlan, need: Needs) -> str:
    on = f"On {counted(plan.have, 'topic')}"
    if (why := _cannot(plan, need) or need.difference.why) is not None:
        return f"{on}, no difference in {plan.title} can be found ({basis(plan, need)}): {why}."
    these = "" if not plan.people else ", for this assessor" if plan.people == 1 else ", for these assessors"
    typical = plan.need(need.test, "typical")
    others = ""
    if typical is not None and number(typical.difference.value) != number(need.difference.value):
        others = f", or {number(typical.difference.value)} if the other systems stay as far apart as now"
    return (
        f"{on}{these}, the smallest difference in {plan.title} that is found with {_percent(plan.power)} power is about"
        f" {number(need.difference.value)}{others} ({basis(plan, need)})."
    )


def _one_pair(plan: PowerPlan, need: Needs) -> str:
    """The pair by itself."""
    alone = f"One pair, chosen beforehand ({basis(plan, need)})"
    finds = need.difference
    if (why := _cannot(plan, need)) is not None:
        now = f"your {plan.have:,} can find no difference: {why}"
    elif finds.why is not None:
        now = finds.why
    else:
        now = f"your {plan.have:,} find {_apart(finds.value, plan.difference)} with {_percent(plan.power)} power"
    if need.topics is None:
        return f"{alone}: {now}."
    if need.topics.why is not None:
        return f"{alone}: {need.topics.why}; {now}."
    return f"{alone}, needs about {need.topics.value:,.0f} topics; {now}."


def _wide(plan: PowerPlan, need: Needs) -> Iterator[str]:
    """The pairs whose differences spread most."""
    if need.difference_wide is None:
        return
    parts = []
    if need.topics_wide is not None and need.topics_wide.why is None:
        parts.append(f"need about {need.topics_wide.value:,.0f} topics")
    if need.difference_wide.why is None:
        finds = _apart(need.difference_wide.value, plan.difference)
        parts.append(f"find {finds} on {plan.have:,}")
    if parts:
        yield f"Pairs whose differences vary more from topic to topic (one in ten) {' and '.join(parts)}."


def _errors(plan: PowerPlan, need: Needs) -> Iterator[str]:
    """Types S and M: what is said where the difference is found on the present topics."""
    from adjudge.stats.power.search import FEWEST_FOUND

    if plan.difference is None:
        return
    now = plan.now(need)
    on = f"On {counted(plan.have, 'topic')}"
    if not now.rate > 0:
        return
    if math.isnan(now.wrong_sign):
        yield f"{on}, fewer than {FEWEST_FOUND} simulations find it: too few to say how far findings mislead."
        return
    often = f"{_percent(now.wrong_sign)} of findings have"
    if now.wrong_sign == 0:
        often = f"none of {counted(now.findings or 0, 'simulated finding')} has"
    times = number(now.exaggeration, 3)
    yield f"{on}, {often} the wrong sign (type S), and findings are {times} times too large on average (type M)."


def _others(plan: PowerPlan) -> Iterator[str]:
    """Other tests that find nothing; the table has the rest."""
    first = plan.needs[0]
    for need in plan.needs[1:]:
        why = (need.topics or need.difference).why
        if need.compared == first.compared and why is not None:
            yield f"By {test_words(need)}: {why}."


def _judges(plan: PowerPlan, judges: AssessorPlan) -> Iterator[str]:
    unit, rest = judges.unit, judges.rows[-1]
    if judges.nothing_left:
        most = f"the rest is estimated as 0, so nothing is known of what more {unit}s would leave"
    elif plan.difference is None:
        if math.isnan(rest.difference):  # nothing can be found, whoever judges
            return
        most = f"with any number of {unit}s, {number(rest.difference)} can be found"
    else:
        most = f"with any number of {unit}s, {_topics(rest.topics)} topics are needed"
    whose = "Assessors' disagreement" if unit == "assessor" else "Disagreement of repeated judgments"
    yield (
        f"{whose} ({number(judges.now)} {unit}{'' if judges.now == 1 else 's'} per summary) is"
        f" {_percent(judges.share)} of the variance of a difference; {most}."
    )
    short = plan.difference is not None and plan.needs[0].difference.value > plan.difference
    if short and math.isfinite(judges.enough):
        yield f"On {plan.have:,} topics it takes {math.ceil(judges.enough):,} {unit}s."


def _sampled(plan: PowerPlan, sampled: SampledPlan) -> Iterator[str]:
    """For whom the above holds, and what it would take for others."""
    what = "their views of systems differ" if sampled.matched else "their severity differs"
    these = f"All this holds for these {sampled.seen} assessors only"
    if sampled.assessors_differ:
        yield (
            f"{these}: {what} (s.d. {number(sampled.likings)} between assessors), and more topics do not average that"
            " out."
        )
    else:
        little = f", of which {sampled.seen} assessors say little" if sampled.seen < FEWEST_SURE else ""
        yield f"{these}; the estimate of how far {what} is 0{little}."
    if math.isnan(sampled.difference):
        yield (
            f"{number(sampled.assessors)} assessors are too few to test for others like them (fewer than 2 degrees of"
            " freedom)."
        )
        return
    now = f"{counted(plan.have, 'topic')} and {number(sampled.assessors)} assessors"
    if round(sampled.assessors, 1) != sampled.seen:
        now += " (as many as would share the work evenly)"
    start = f"For other assessors like them, {now} find"
    basis = sampled_basis(plan.pairs, plan.alpha)
    if plan.difference is None:
        now_finds = f"{start} {number(sampled.difference)} with {_percent(plan.power)} power"
        more = f", more topics nothing below {number(sampled.limit)}" if sampled.assessors_differ else ""
        yield f"{now_finds}{more} ({basis})."
        return
    finds = f"{_apart(sampled.difference, plan.difference)} with {_percent(plan.power)}"
    aim = number(plan.difference, 3)
    one = ""
    if plan.pairs > 1:
        one = f" (one pair alone: {_power_percent(sampled.one_pair_now, plan.power)})"
    power = _power_percent(sampled.power_now, plan.power)
    yield f"{start} {aim} with {power} power{one}, and {finds} ({basis})."
    yield _sampled_needs(plan, sampled)


def _not_sampled(plan: PowerPlan) -> str:
    """For whom the above holds, where what it takes for others is not known."""
    if plan.people == 1:
        return "All this holds for this assessor only: one says nothing about others."
    if plan.sources is not None:
        why = why_no_designs(plan.sources)
    else:
        why = "too few judged the same topics to separate their views of systems from chance"
    return f"All this holds for these {plan.people} assessors; what it takes for others is unknown: {why}."


def _sampled_needs(plan: PowerPlan, sampled: SampledPlan) -> str:
    """How many topics, or assessors, then."""
    with_these = f"With {number(sampled.assessors)} assessors"
    if math.isfinite(sampled.needed):
        sentence = f"{with_these} you need about {sampled.needed:,.0f} topics"
    else:
        best = _power_percent(sampled.best, plan.power)
        least = (
            "and no number of assessors would be"
            if math.isinf(sampled.fewest)
            else f"it takes at least {sampled.fewest:,.0f} assessors"
        )
        sentence = f"{with_these} no number of topics is enough (at most {best} power); {least}"
    if sampled.power_now >= plan.power:
        return f"{sentence}."
    if math.isinf(sampled.enough):
        return f"{sentence}. On {plan.have:,} topics no number of assessors is enough."
    return f"{sentence}. On {plan.have:,} topics it takes {sampled.enough:,.0f} assessors."


def _topics(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "no number of"


def _percent(share: float) -> str:
    if 0 < share < 1e-4:
        return "less than 0.01 %"
    return f"{100 * share:.3g} %" if share < 0.01 or share > 0.99 else f"{100 * share:.0f} %"
