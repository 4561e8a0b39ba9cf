"""What is said of what moves judges, how steady they are, what they cost and save."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.core.errors import quoted
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, listed
from adjudge.stats.multiple import holm

if TYPE_CHECKING:
    from adjudge.analyses.judges.effects import (
        JudgeEffects,
        JudgeFavour,
        JudgeLength,
        JudgeOrder,
        JudgeSaving,
    )
    from adjudge.core.results import Note
    from adjudge.stats.judge_effects import ClusteredEstimate
    from adjudge.stats.shares import ClusteredShare

TABLES = (
    "judge-repeats",
    "judge-order",
    "judge-length",
    "judge-favours",
    "judge-invalid",
    "judge-cost",
    "judge-saves",
)
NOTES = {
    "beside-what-people-see": (
        "for equally good texts by people's answers: instrumental variables (one assessor's answers, with the others'"
        " as"
        " the instrument)"
    ),
    "one-effect-alone": (
        "intervals and p are of single effects; the summary of a judge is corrected for their number"
    ),
    "one-by-one": (
        "effects are tested one by one, for these systems: where a family writes long texts, length and family cannot"
        " be separated"
    ),
    "wilson": "Wilson's interval, as if answers were independent",
}
LIKED = {
    "left": "the left side of a pair",
    "right": "the right side of a pair",
    "longer": "longer texts",
    "shorter": "shorter texts",
}
EFFECTS: Mapping[str, str] = {"human": "human texts", "baseline": "baseline texts"}
REPEATED = {"asked": "judge llm --repeats 0.1", "assigned": "assign --repeats 0.1"}


def sentences(result: JudgeEffects) -> Iterator[Spoken]:
    yield " ".join(_moved(result, judge) for judge in result.judges)
    for table in TABLES:
        yield from about(result, table)


def about(result: JudgeEffects, table: str) -> Iterator[Spoken]:
    """What a table says, and what it cannot say for want of something."""
    match table:
        case "judge-repeats":
            yield from _about_repeats(result)
        case "judge-order":
            for order in result.order:
                if order.who == order.judge:
                    yield from _about_order(result, order)
        case "judge-length":
            for length in result.lengths:
                for sentence in _about_length(result, length):
                    yield f"{length.aspect}: {sentence}"
        case "judge-favours":
            for favour in result.favours:
                yield f"{favour.aspect}: {_about_favour(result, favour)}"
        case "judge-invalid":
            for work in result.work:
                share = work.invalid
                yield (
                    f"{work.card.protocol}: {share.hits:,} of {counted(share.n, 'answer')} by {work.judge} were invalid"
                    f" ({_ends(result, (share.low, share.high), '.3f')})."
                )
        case "judge-cost":
            for work in result.work:
                if work.costs and work.card.answered:
                    cost = work.card.cost
                    money = "price unknown" if cost is None else f"cost {work.per(cost):,.2f}"
                    yield (
                        f"{work.card.protocol}: 1,000 answers by {work.judge} take {work.per(work.tokens):,.0f}"
                        " tokens and"
                        f" {work.per(work.card.seconds):,.1f} seconds; {money}."
                    )
        case "judge-saves":
            for saving in result.savings:
                for sentence in _about_saving(result, saving):
                    yield f"{saving.aspect}: {sentence}"
    for note in result.unknown:
        if table in note.tables:
            yield _unknown(note)


def _unknown(note: Note) -> Spoken:
    """What cannot be said, and how it could be."""
    data = note.data
    judge = data["judge"]
    match note.code:
        case "no-repeats" if data["how"] == "learned":
            return f"{judge} is learned and always gives the same answer to the same question."
        case "no-repeats":
            return (
                f"Whether {judge} repeats its answers is unknown; adjudge {REPEATED[data['how']]} asks a tenth of the"
                " questions again."
            )
        case "no-pairs":
            return (
                f"Whether order moves {judge} is unknown: no pair of {data['source']} was asked in both orders, or"
                " answered by people."
            )
        case "no-lengths":
            return f"The effect of length on {judge} is unknown: no texts."
        case "family-unseen":
            names = listed([quoted(part) for part in data["family"]])
            what = "there is no other system" if data["only"] else "no system has such a name"
            return f"Whether {judge} favours {names} is unknown: {what}."
        case "no-card":
            return f"{judge} has no card: its invalid answers and costs are unknown."
    return (
        f"Whether {judge} favours its own family is unknown: name the family by a part of its systems' names, such as"
        f" gpt ({Argument('family')})."
    )


def _moved(result: JudgeEffects, judge: str) -> str:
    """What moves a judge, corrected for the number of effects."""
    tested = list(result.tested(judge))
    if not tested:
        return f"Whether order, length or authors move {judge} cannot be tested here."
    moved: dict[str, list[str]] = {}
    for effect, p in zip(tested, holm([test.p for test in tested]), strict=True):
        if p < result.asked.alpha:
            liked = effect.liked
            if isinstance(liked, str):
                text = LIKED[liked]
            else:
                text = _groups(liked)[0 if effect.size >= 0 else 1]
            moved.setdefault(text, []).append(effect.where)
    holds = f"where people see no difference (Holm over {counted(len(tested), 'effect')})"
    if moved:
        words = [f"{liked} ({listed(where)})" for liked, where in moved.items()]
        return f"{judge} favours {'; '.join(words)}, {holds}."
    effects = dict.fromkeys(EFFECTS.get(test.effect, test.effect) for test in tested)
    return f"No significant effect of {listed(list(effects))} on {judge} {holds}."


def _about_repeats(result: JudgeEffects) -> Iterator[str]:
    for repeat in result.repeats:
        if repeat.who != repeat.judge:
            continue
        text = (
            f"{repeat.aspect}: asked again, {repeat.judge} gave the same answer in {_percent(repeat.same.share)} of"
            " cases"
            f" ({_times(repeat.same)}; {_ends(result, (repeat.same.low, repeat.same.high))})"
        )
        asked = (repeat.judge, repeat.source, repeat.aspect)
        for people in result.repeats:
            if people.who != people.judge and (people.judge, people.source, people.aspect) == asked:
                text += f"; people did in {_percent(people.same.share)} ({_times(people.same)})"
        yield f"{text}."


def _about_order(result: JudgeEffects, order: JudgeOrder) -> Iterator[str]:
    swapped = order.swapped
    if swapped is not None:
        people = ""
        for other in result.order:
            same = (other.judge, other.source) == (order.judge, order.source)
            if same and other.who != other.judge and other.swapped is not None:
                people = f"; people did so in {_percent(other.swapped.kept.share)} of {other.swapped.pairs:,}"
        yield (
            f"{order.judge} kept its choice in {_percent(swapped.kept.share)} of"
            f" {counted(swapped.pairs, 'swapped pair')}"
            f" ({_ends(result, (swapped.kept.low, swapped.kept.high))}){people}; it chose left both times in"
            f" {_percent(swapped.left.share)}, right in {_percent(swapped.right.share)}."
        )
        ends = _ends(result, (swapped.low, swapped.high))
        if swapped.low <= 0 <= swapped.high:
            wins = _percent(0.5 + swapped.bias)
            yield f"No significant preference for a side: the left text wins {wins} ({ends} around 50 %)."
        else:
            side = "left" if swapped.bias > 0 else "right"
            yield (
                f"It prefers the {side} side: that text wins {_percent(0.5 + abs(swapped.bias))} of the time instead of"
                f" 50 % (bias of the left side {swapped.bias:.2f}, {ends})."
            )
    elif order.left is not None:
        yield (
            f"{order.judge} was asked {counted(order.once, 'pair')} in one order only: the left text wins"
            f" {_percent(abs(order.left.estimate))} {_more(order.left)} often than with people"
            f" ({_around(result, order.left)}). That is an effect of order only if sides were random and people have no"
            " preference for one; ask pairs in both orders to know."
        )


def _about_length(result: JudgeEffects, length: JudgeLength) -> Iterator[str]:
    slopes = length.slopes

    def amount(value: float) -> str:
        if length.pairs:
            return f"{100 * abs(value):.1f} points of its share of wins"
        return f"{abs(value):.2f} standard deviations"

    if slopes.difference.why is not None:
        yield f"no effect of length can be estimated: {slopes.difference.why}."
        return
    plain = (
        f"a text twice as long gets {amount(slopes.difference.estimate)} {_more(slopes.difference)} from"
        f" {length.judge} than from people ({_around(result, slopes.difference)})."
    )
    if slopes.excess.why is not None:
        yield plain
        yield (
            f"whether it likes long texts or is only more or less reliable than people is unknown: {slopes.excess.why}."
        )
        return
    moved = slopes.excess.p < result.asked.alpha
    yield (
        f"of two equally good texts, the one twice as long gets {amount(slopes.excess.estimate)} {_more(slopes.excess)}"
        f" from {length.judge} ({_around(result, slopes.excess)})" + ("." if moved else ": not significant.")
    )
    if slopes.difference.p < result.asked.alpha and not moved:
        yield (
            f"{plain} A different reliability or use of the scale can explain that: people give"
            f" {amount(slopes.people.estimate)} {_more(slopes.people)} to a text twice as long."
        )


def _about_favour(result: JudgeEffects, favour: JudgeFavour) -> str:
    contrasts = favour.contrasts
    group, others = _groups(favour)
    difference, excess = contrasts.difference, contrasts.excess
    if difference.why is not None:
        return f"{group} and {others} cannot be compared: {difference.why}."
    if excess.why is not None:
        return (
            f"{group} get {abs(difference.estimate):.2f} {_more(difference)} from {favour.judge} than from people,"
            f" compared with {others} ({_around(result, difference)}); whether it favours them or only follows people"
            f" less closely is unknown: {excess.why}."
        )
    return (
        f"{group} get {abs(excess.estimate):.2f} {_more(excess)} from {favour.judge} than equally good {others}"
        f" ({_around(result, excess)})" + ("." if excess.p < result.asked.alpha else ": not significant.")
    )


def _about_saving(result: JudgeEffects, saving: JudgeSaving) -> Iterator[str]:
    s = saving.saved
    if s.why is not None:
        yield f"what {saving.judge} saves is unknown: {s.why}."
        return
    most, low, high = (s.counts_as(rho2) for rho2 in (s.squared, s.low, s.high))
    level = f"{100 * result.asked.level:.4g}%"
    interval = "" if math.isnan(low) else f"; {level} interval {_whole(low)} to {_whole(high)}"
    if s.squared == 0:
        worth = "no topic"
    elif most - s.topics < 0.5:
        worth = "less than one topic"
    elif math.isinf(most):
        worth = "as many topics as it answers,"
    else:
        worth = f"at most {_whole(round(most) - s.topics)} more topics"
    sure = " (not significantly any)" if most - s.topics >= 0.5 and low - s.topics < 0.5 else ""
    yield (
        f"{saving.judge} is worth {worth} judged by people{sure}: {counted(s.topics, 'topic')} with its answers count"
        " as"
        f" {_whole(most)} (median over {counted(s.pairs, 'pair')} of systems{interval})."
    )
    if s.further:
        yield (
            f"with its answers on the {counted(s.further, 'topic')} that only it judged, they count as"
            f" {_whole(s.counts_as(s.squared, s.further))}."
        )


def _groups(favour: JudgeFavour) -> tuple[str, str]:
    if favour.group in EFFECTS:
        return f"{favour.group} summaries", "machines' summaries"
    return f"systems of its own family ({listed(favour.systems)})", "other systems"


def _ends(result: JudgeEffects, ends: tuple[float, float], form: str = ".2f") -> str:
    if any(map(math.isnan, ends)):
        return "no interval: all topics agree, or there is only one"
    return f"{100 * result.asked.level:.4g}% interval {ends[0]:{form}} to {ends[1]:{form}}"


def _around(result: JudgeEffects, estimate: ClusteredEstimate) -> str:
    """With its sign, so that it can be found between the ends."""
    return f"{estimate.estimate:.3f}, {_ends(result, estimate.interval(result.asked.level), '.3f')}"


def _more(estimate: ClusteredEstimate) -> str:
    return "more" if estimate.estimate >= 0 else "less"


def _whole(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "any number"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _times(share: ClusteredShare) -> str:
    return f"{share.hits:,} of {counted(share.n, 'repeat')}, {counted(share.clusters, 'topic')}"
