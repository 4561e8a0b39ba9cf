"""What is said of a judge's agreement with people, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.core.words import capitalised, counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.judges.agreement import JudgeAgreementResult
    from adjudge.analyses.judges.controls import Control
    from adjudge.analyses.judges.verdict import ControlDifference, Criterion, CriterionVerdict, JudgeVerdict
    from adjudge.stats.judge_agreement import DrawnValue

STEP_WORDS: dict[str | None, str] = {
    None: "of unknown worth",
    "worthless": "worthless",
    "not shown": "not shown to be better than chance or length",
    "no better than a measure": "no better than an automatic measure",
    "not shown better than a measure": "better than chance and length, but not shown to be better than a measure",
    "below an assessor": "useful, but below a person",
    "below or like an assessor": "useful, either below or like a person",
    "like an assessor": "like a person",
}
"""What a judge is at each step, after `it is`."""
CRITERIA: dict[Criterion, str] = {"alpha": "agreement (alpha)", "within": "order within topics"}
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
NOBODY_ELSE = {True: "only one person answered", False: "people's answers do not say who answered"}
"""By whether people are known by name."""
ONE_ANSWER = "people gave one answer throughout"
NOT_THE_SAME = f"{ONE_ANSWER}, or did not judge the same"


def few_known(n: int, things: int) -> str:
    """Why a number is no control."""
    return f"known for only {n:,} of {counted(things, 'thing')}"


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
        f"{judge} copies {person}: the same answer to"
        f" {f'all {things:,}' if same == things else f'{same:,} of {things:,}'} things that both judged"
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


NOTES = {code: _on_aspect(make) for code, make in _TEXTS.items()}


def sentences(result: JudgeAgreementResult) -> Iterator[str]:
    if len(result.aspects) > 1:
        yield " ".join(_verdicts_of(result, judge) for judge in result.judges)
    for aspect in result.aspects:
        remarks = [f"On {aspect.aspect} {_TEXTS[note.code](**note.data)}." for note in aspect.remarks]
        yield " ".join([verdict_sentence(aspect.verdict), *remarks])
        people = aspect.of("people")[0]
        if people.why is None:
            within = f"; order within topics {people.judge_within:z.3f} and {people.within.value:z.3f}"
            yield (
                f"{aspect.judge} on {aspect.aspect}: alpha with people {people.judge_alpha:z.3f}, people with each"
                f" other {people.alpha.value:z.3f}{'' if math.isnan(people.within.value) else within}."
            )


def _verdicts_of(result: JudgeAgreementResult, judge: str) -> str:
    """What a judge is on which aspects, the best first."""
    from adjudge.analyses.judges.verdict import STEPS

    by_step: dict[str | None, list[str]] = {}
    for aspect in result.of(judge):
        by_step.setdefault(aspect.verdict.step, []).append(aspect.aspect)
    order = sorted(by_step, key=lambda step: -1 if step is None else STEPS.index(step), reverse=True)
    return f"{judge} is {'; '.join(f'{STEP_WORDS[step]} on {listed(by_step[step])}' for step in order)}."


# The verdict


def verdict_sentence(verdict: JudgeVerdict) -> str:
    """What a judge is worth on an aspect, and by what that was decided."""
    about = f"{verdict.judge} on {verdict.aspect}"
    if not verdict.criteria:
        return f"{about}: no verdict ({'; '.join(verdict.why)})."
    why = f" {capitalised('; '.join(verdict.why))}." if verdict.why else ""
    lowest = verdict.lowest
    if len(lowest) == len(verdict.criteria):
        reasons = "; ".join(map(because, lowest))
        return f"{about} is {verdict_words(verdict)}. {capitalised(reasons)}.{why}"
    (low,), (high,) = lowest, [criterion for criterion in verdict.criteria if criterion not in lowest]
    return (
        f"{about} is {what_it_is(low)}. {capitalised(because(low))}. By {CRITERIA[high.criterion]} alone it would be"
        f" {what_it_is(high)}: {because(high)}.{why}"
    )


def verdict_words(verdict: JudgeVerdict) -> str:
    """What a judge is, after `it is`."""
    lowest = verdict.lowest
    if len({what_it_is(criterion) for criterion in lowest}) > 1:
        return ", and ".join(
            f"by {CRITERIA[criterion.criterion]} {what_it_is(criterion)}" for criterion in lowest
        )
    return what_it_is(lowest[0]) if lowest else STEP_WORDS[None]


def what_it_is(verdict: CriterionVerdict) -> str:
    """What a judge is by one criterion, after `it is`."""
    decisive = listed([control.words for control in verdict.decisive])
    over = f"better than {listed([control.words for control in verdict.beaten])}"
    match verdict.step:
        case "worthless":
            return "worthless"
        case "not shown":
            return f"not shown to be better than {decisive}{_nor(verdict)}"
        case "no better than a measure":
            return f"no better than {decisive}"
        case "not shown better than a measure":
            return f"{over}, but not shown to be better than {decisive}{_nor(verdict)}"
        case "like an assessor":
            return f"like a person (less than {verdict.margin:g} below)"
        case "below an assessor":
            return f"{over}, but below a person"
        case "below or like an assessor":
            if verdict.assessor is None or not verdict.assessor.is_known:
                return f"{over}; whether below or like a person is unknown"
            return f"{over}; {verdict.topics} do not show whether it is below or like a person"


def because(verdict: CriterionVerdict) -> str:
    """The numbers that decide: above the control that is hardest to beat, or compared with a person."""
    criterion, who = CRITERIA[verdict.criterion], _who(verdict)
    if not verdict.decisive:
        if verdict.assessor is None or not verdict.assessor.is_known:
            return f"{criterion}: {verdict.alone if verdict.assessor is None else verdict.assessor.why or ''}"
        return f"{criterion} compared with a person: {difference_words(verdict.assessor, verdict.margin)}"
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
