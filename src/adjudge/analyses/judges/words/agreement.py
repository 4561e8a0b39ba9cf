"""What is said of a judge's agreement with people, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.core.words import capitalised, counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.judges.agreement import AspectAgreement, JudgeAgreementResult
    from adjudge.analyses.judges.controls import Control
    from adjudge.analyses.judges.verdict import ControlDifference, Criterion, CriterionVerdict, JudgeVerdict
    from adjudge.stats.judge_agreement import DrawnValue

STEP_WORDS: dict[str, str] = {
    "no better than a control": "no better than a constant, chance or length",
    "reversed": "the reverse of people's",
    "not shown better than a control": "not shown to be better than a constant, chance or length",
    "no better than a measure": "no better than an automatic measure",
    "not shown better than a measure": "not shown to be better than an automatic measure",
    "below an assessor": "useful but below a person's",
    "below or like an assessor": "useful but not shown to be like a person's",
    "like an assessor": "like a person's",
}
"""What the order or the level of a judge is at each step."""
CRITERIA: dict[Criterion, str] = {
    "within": "order within topics",
    "rank": "alpha by rank",
    "alpha": "alpha",
}
PEOPLE = "people with each other"
WITH_OTHERS = "{} with the others"
"""Rows of people."""
ALWAYS, AT_RANDOM, A_MEASURE = "always answering {:g}", "answers at random", "an automatic measure"
"""Controls."""
NO_LENGTHS = "the lengths of the texts are unknown"
NO_MEASURE = "no automatic measure was scored"
NO_OTHER_TOPICS = "there are no other topics to learn people's scale from"
NO_SYSTEMS = "answers are not about systems"
NO_ORDER = "people order no two summaries of a topic"
NO_LEVEL_OF_PAIRS = "which of two wins has no level"
NOBODY_ELSE = {True: "only one person answered", False: "people's answers do not say who answered"}
"""By whether people are known by name."""
ONE_ANSWER = "people gave one answer throughout"
NOT_THE_SAME = f"{ONE_ANSWER}, or did not judge the same"


def few_known(n: int, things: int) -> str:
    """Why a number is no control."""
    return f"known for only {n:,} of {counted(things, 'thing')}"


def other_scale(low: float, high: float, least: float, most: float) -> str:
    """Why the level of a judge's answers says nothing."""
    return f"its answers ({low:.4g} to {high:.4g}) are on another scale than people's ({least:.4g} to {most:.4g})"


def control_title(control: Control) -> str:
    """In a table."""
    if control.kind == "random":
        return f"{control.name}, as often as people give them"
    if control.kind != "measure" or control.why is not None:
        return control.name
    by = "" if len(control.criteria) > 1 else " by alpha" if "alpha" in control.criteria else " within topics"
    return f"{control.name} (best measure{by})"


def over_words(topics: int, clusters: int) -> str:
    """What is resampled: `100 topics`."""
    return counted(topics, "topic") if clusters == topics else f"{counted(clusters, 'set')} of topics"


def no_verdict(why_no_order: str | None, alpha: bool, controls: Sequence[Control]) -> Iterator[str]:
    """What could not be computed: a criterion, a control."""
    if why_no_order is not None:
        yield f"there is no order within topics ({why_no_order})"
    if not alpha:
        yield "there is no alpha (nobody gave more than one answer)"
    for control in controls:
        if control.why is not None:
            yield f"not compared with {control.name} ({control.why})"


def _of(same: int, things: int) -> str:
    return f"all {things:,}" if same == things else f"{same:,} of {things:,}"


_TEXTS: Mapping[str, Callable[..., str]] = {
    "not-answered-by-all": lambda things: (
        f"the panel has no answer to {counted(things, 'thing')} that not all of its judges answered"
    ),
    "interchangeable": lambda least: (
        f"no two people share {least} things: people count as interchangeable, by their first, second, ... answer to"
        " each thing"
    ),
    "grouped": lambda answers, groups: (
        f"people gave {answers:,} different answers: alpha, kappa and AC2 use {groups} groups of about equal size"
    ),
    "put-on-scale": lambda judge, answers, scale: (
        f"for alpha, kappa and AC2, {judge}'s answers ({answers[0]:.4g} to {answers[1]:.4g}) are put on people's scale"
        f" ({scale[0]:.4g} to {scale[1]:.4g}) by rank, as measures are"
    ),
    "copied": lambda judge, person, same, things: (
        f"{judge} copies {person}: the same answer to {_of(same, things)} things that both judged"
    ),
    "outside-the-scale": lambda judge, n: (
        f"{counted(n, 'answer')} of {judge} {'lies' if n == 1 else 'lie'} outside people's scale; alpha, kappa and AC2"
        " take the nearest choice"
    ),
    "nearest-to-one-choice": lambda judge, low, high: (
        f"all answers of {judge} ({low:.4g} to {high:.4g}) are nearest to one choice of people's scale: one answer for"
        " alpha, kappa and AC2"
    ),
    "control-unknown": lambda name, things: (
        f"{name} is unknown for {counted(things, 'thing')} and takes the middle there"
    ),
    "direction-of-length": lambda by_alpha, within: (
        "length gives the higher answer to the"
        f" {by_alpha if by_alpha == within else f'{by_alpha} (by alpha) and {within} (within topics)'} text, which"
        " agrees better with these people"
    ),
    "best-of-measures": lambda measures: (
        f"the automatic measure is the best of {measures} on these very answers, which favours it over the judge"
    ),
}


def _on_aspect(make: Callable[..., str]) -> Callable[..., str]:
    """A note that says which aspect it is about, where there are several."""
    return lambda about=None, **data: f"{about}: {make(**data)}" if about else make(**data)


NOTES = {
    **{code: _on_aspect(make) for code, make in _TEXTS.items()},
    "alike": lambda names, judges, same, things: (
        f"{listed(names)} gave the same answer to {_of(same, things)} things that both judged"
        f"{'' if judges else ': they count as two people'}"
    ),
}


def sentences(result: JudgeAgreementResult) -> Iterator[str]:
    if len(result.aspects) > 1:
        alike = [f"{NOTES[note.code](**note.data)}." for note in result.alike]
        yield " ".join([*(_verdicts_of(result, judge) for judge in result.judges), *alike])
    for aspect in result.aspects:
        remarks = [f"On {aspect.aspect} {_TEXTS[note.code](**note.data)}." for note in aspect.remarks]
        yield " ".join([verdict_sentence(aspect.verdict), *remarks])
        if numbers := list(_numbers(aspect)):
            yield f"{aspect.judge} on {aspect.aspect}: {'; '.join(numbers)}."


def _numbers(aspect: AspectAgreement) -> Iterator[str]:
    """The judge beside people: by its answers as they stand, by rank, by order."""
    (judge,), people = aspect.of("judge"), aspect.of("people")[0]
    if people.why is None:
        yield f"alpha with people {people.judge_alpha:z.3f}, people with each other {people.alpha.value:z.3f}"
        if not math.isnan(people.rank.value):
            yield f"by rank {people.judge_rank:z.3f} and {people.rank.value:z.3f}"
        if not math.isnan(people.within.value):
            yield f"order within topics {people.judge_within:z.3f} and {people.within.value:z.3f}"
        offsets = [row.offset.value for row in aspect.of("assessor") if not math.isnan(row.offset.value)]
        if offsets and not math.isnan(judge.offset.value):
            yield (
                f"offset {judge.offset.value:+z.2f}, of one person from the others {min(offsets):+z.2f} to"
                f" {max(offsets):+z.2f}"
            )


def _verdicts_of(result: JudgeAgreementResult, judge: str) -> str:
    """What a judge's order and level are on which aspects, the best first."""
    from adjudge.analyses.judges.verdict import STEPS

    order: dict[str, list[str]] = {}
    stands: dict[str, list[str]] = {}
    offsets: list[float] = []
    worthless: list[str] = []
    unknown: list[str] = []
    for aspect in result.of(judge):
        verdict = aspect.verdict
        if verdict.worthless:
            worthless.append(aspect.aspect)
        elif verdict.order is None:
            unknown.append(aspect.aspect)
        else:
            order.setdefault(verdict.order.step, []).append(aspect.aspect)
            if verdict.level is not None:
                stands.setdefault(verdict.level.step, []).append(aspect.aspect)
                offsets.append(verdict.offset.value)

    def by_step(steps: dict[str, list[str]]) -> str:
        best_first = sorted(steps, key=STEPS.index, reverse=True)
        return "; ".join(f"{STEP_WORDS[step]} on {listed(steps[step])}" for step in best_first)

    parts = [f"order {by_step(order)}"] if order else []
    if stands:
        ends = dict.fromkeys((signed(min(offsets)), signed(max(offsets))))
        parts.append(f"level {' to '.join(ends)} from people's, as it stands {by_step(stands)}")
    if worthless:
        parts.append(f"worthless on {listed(worthless)}")
    if unknown:
        parts.append(f"unknown on {listed(unknown)}")
    return f"{judge}: {'. '.join([*parts[:1], *map(capitalised, parts[1:])])}."


# The verdict


def verdict_sentence(verdict: JudgeVerdict) -> str:
    """What the order and the level of a judge's answers are worth on an aspect, and by what that was decided."""
    about = f"{verdict.judge} on {verdict.aspect}"
    why = f" {capitalised('; '.join(verdict.why))}." if verdict.why else ""
    if not verdict.criteria:
        return f"{about}: no verdict ({'; '.join(verdict.why)})."
    reasons = capitalised("; ".join(map(because, verdict.deciding)))
    level, order = verdict.level, verdict.order
    if verdict.worthless:
        controls = listed(list(dict.fromkeys(c.words for row in verdict.deciding for c in row.decisive)))
        if level is None or order is None:
            return f"{about} is worthless: no better than {controls}. {reasons}.{why}"
        return (
            f"{about} is worthless: neither its order nor its answers as they stand are better than {controls}; level"
            f" {offset_words(verdict.offset)}. {reasons}.{why}"
        )
    told = [f"order {what_it_is(order)}"] if order is not None else []
    if level is not None:
        told.append(f"level {offset_words(verdict.offset)}, as it stands {what_it_is(level)}")
    elif verdict.why_no_level is not None and verdict.why_no_level != NO_LEVEL_OF_PAIRS:
        told.append(f"level not judged, for {verdict.why_no_level}")
    return f"{about}: {'; '.join(told)}. {reasons}.{why}"


def offset_words(offset: DrawnValue) -> str:
    """How far the judge's answers are from people's, after `level`: `1.01 below people's (0.97 to 1.05)`."""
    if not offset.is_known:
        return f"{signed(offset.value)} from people's"
    if offset.low <= 0 <= offset.high:
        return f"not shown to differ from people's ({difference_words(offset)})"
    ends = sorted(abs(end) for end in (offset.low, offset.high))
    side = "above" if offset.value > 0 else "below"
    shown = [signed(size).lstrip("+") for size in (abs(offset.value), *ends)]
    return f"{shown[0]} {side} people's ({shown[1]} to {shown[2]})"


def what_it_is(verdict: CriterionVerdict) -> str:
    """What the order, or the level, of a judge's answers is."""
    decisive = listed([control.words for control in verdict.decisive])
    over = f"better than {listed([control.words for control in verdict.beaten])}"
    match verdict.step:
        case "no better than a control":
            return f"no better than {decisive}"
        case "reversed":
            return "the reverse of people's"
        case "not shown better than a control":
            return f"not shown to be better than {decisive}{_nor(verdict)}"
        case "no better than a measure":
            return f"no better than {decisive}"
        case "not shown better than a measure":
            return f"{over}, but not shown to be better than {decisive}{_nor(verdict)}"
        case "like an assessor":
            return "like a person's"
        case "below an assessor":
            return f"{over}, but below a person's"
        case "below or like an assessor":
            if verdict.assessor is None or not verdict.assessor.is_known:
                return f"{over}; whether below or like a person's is unknown"
            return f"{over}; {verdict.topics} do not show whether it is below or like a person's"


def because(verdict: CriterionVerdict) -> str:
    """The numbers that decide: above the control that is hardest to beat, or compared with a person."""
    criterion, who = CRITERIA[verdict.criterion], _who(verdict)
    if verdict.step == "reversed":
        return f"{criterion}: {difference_words(verdict.value)}"
    if not verdict.decisive:
        if verdict.assessor is None or not verdict.assessor.is_known:
            return f"{criterion}: {verdict.alone if verdict.assessor is None else verdict.assessor.why or ''}"
        compared = f"{criterion} compared with a person: {difference_words(verdict.assessor, verdict.margin)}"
        like = verdict.step == "like an assessor" and verdict.assessor.low < 0
        return f"{compared}, less than {verdict.margin:g} below" if like else compared
    hardest = min(verdict.decisive, key=lambda control: control.judge.value)
    above = f"{criterion} above {hardest.words}: judge {difference_words(hardest.judge)}"
    if not hardest.judge.is_known:
        return f"{above}, no interval ({hardest.judge.why})"
    if hardest.assessor.is_known:
        return f"{above}, {who} {difference_words(hardest.assessor)}"
    return f"{above}; no interval for {who} ({hardest.assessor.why})"


def _who(verdict: CriterionVerdict) -> str:
    return "a person" if verdict.assessor is not None else "somebody answering as people did"


def _nor(verdict: CriterionVerdict) -> str:
    """Whether the data could have shown it."""
    over: Sequence[ControlDifference] = verdict.decisive
    who = _who(verdict)
    if not any(control.judge.is_known for control in over):
        return " (not testable)"
    if not any(control.assessor.is_known for control in over):
        return f" ({who}: not testable)"
    could = [control.words for control in over if control.could_be_beaten]
    if not could:
        return f" (nor is {who})"
    if len(could) == len(over):
        return f" ({who} is)"
    return f" ({who} is better than {listed(could)} only)"


def difference_words(value: DrawnValue, margin: float = 0.0) -> str:
    """`+0.12 (+0.03 to +0.21)`."""
    if not value.is_known:
        return signed(value.value, margin)
    return f"{signed(value.value, margin)} ({signed(value.low, margin)} to {signed(value.high, margin)})"


def signed(value: float, margin: float = 0.0) -> str:
    """`+0.12`; with more decimals where two would hide on which side of 0, or of the margin below it, it is."""
    if math.isnan(value):
        return "unknown"
    if value == 0:
        return "0.00"
    for digits in range(2, 6):
        shown = round(value, digits)
        if all((shown > at) == (value > at) and (shown < at) == (value < at) for at in (0.0, -margin)):
            return f"{value:+z.{digits}f}"
    return f"{value:+z.2f}"
