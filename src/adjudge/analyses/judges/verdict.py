"""What a judge is worth, in steps, each by an interval of the difference between the judge and somebody else.

A judge that is not better than what costs nothing is worthless, where an assessor is shown to be better. Where the data
could not have shown it of an assessor either, or where the judge may still be better by more than the margin, it is not
shown: neither better nor worthless. A judge must beat every control, by each of two criteria, so no step needs a
correction for several comparisons: the chance of passing a step wrongly is at most that of one comparison.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from adjudge.core.words import listed
from adjudge.stats.judge_agreement import DrawnValue

Criterion = Literal["alpha", "within"]
JudgeStep = Literal[
    "worthless",
    "not shown",
    "no better than a measure",
    "not shown better than a measure",
    "below an assessor",
    "below or like an assessor",
    "like an assessor",
]
"""From the lowest to the highest."""
STEPS: tuple[str, ...] = get_args(JudgeStep)
STEP_WORDS: dict[str | None, str] = {
    None: "of unknown worth",
    "worthless": "worthless",
    "not shown": "not shown to be better than what costs nothing",
    "no better than a measure": "no better than an automatic measure",
    "not shown better than a measure": "better than what costs nothing, but not shown to be better than a measure",
    "below an assessor": "useful, but below an assessor",
    "below or like an assessor": "useful, and below an assessor or like one",
    "like an assessor": "like an assessor",
}
"""What a judge is at each step, after `it is`."""
CRITERIA: dict[Criterion, str] = {"alpha": "alpha", "within": "the order within topics"}


@dataclass(frozen=True)
class ControlDifference:
    """How much further than a control the judge agrees with people, and an assessor in its place."""

    words: str
    judge: DrawnValue
    assessor: DrawnValue
    """Where there is one person alone: of somebody who answers the same."""

    @property
    def is_beaten(self) -> bool:
        return self.judge.low > 0

    @property
    def could_be_beaten(self) -> bool:
        """By this data: an assessor is shown to be better."""
        return self.assessor.low > 0

    def is_not_beaten(self, margin: float) -> bool:
        """Whether that is found, rather than nothing found: the judge is no better, or by less than the margin."""
        if not self.judge.is_known:
            return False
        return self.judge.high < 0 or (
            self.could_be_beaten and (self.judge.value <= 0 or self.judge.high < margin)
        )


@dataclass(frozen=True)
class CriterionVerdict:
    """How far a judge gets by one criterion."""

    criterion: Criterion
    step: JudgeStep
    words: str
    """`worthless`, after `it is`."""
    because: str

    @property
    def rank(self) -> int:
        return STEPS.index(self.step)


@dataclass(frozen=True)
class JudgeVerdict:
    """What a judge is worth on one aspect: the lower of what two criteria say."""

    judge: str
    aspect: str
    step: JudgeStep | None
    """None where neither criterion could be computed."""
    criteria: tuple[CriterionVerdict, ...]
    why: tuple[str, ...] = ()
    """What could not be computed: a criterion, a control."""

    @property
    def lowest(self) -> tuple[CriterionVerdict, ...]:
        """What decides: one criterion, or both where they say the same."""
        low = min((each.rank for each in self.criteria), default=0)
        return tuple(each for each in self.criteria if each.rank == low)

    @property
    def words(self) -> str:
        """What it is, after `it is`."""
        if len({each.words for each in self.lowest}) > 1:
            return ", and ".join(f"by {CRITERIA[each.criterion]} {each.words}" for each in self.lowest)
        return self.lowest[0].words if self.lowest else "of unknown worth"

    def sentence(self) -> str:
        about = f"{self.judge} on {self.aspect}"
        if not self.criteria:
            return f"{about}: no verdict ({'; '.join(self.why)})."
        why = f" {_capital('; '.join(self.why))}." if self.why else ""
        because = "; ".join(f"{CRITERIA[each.criterion]}: {each.because}" for each in self.lowest)
        if len(self.lowest) == len(self.criteria):
            return f"{about} is {self.words}. {_capital(because)}.{why}"
        (low,), (high,) = self.lowest, [each for each in self.criteria if each not in self.lowest]
        return (
            f"{about} is {low.words}. {_capital(CRITERIA[low.criterion])} decides: {low.because}. By"
            f" {CRITERIA[high.criterion]} alone it would be {high.words}: {high.because}.{why}"
        )


def verdict_of(
    judge: str, aspect: str, criteria: Sequence[CriterionVerdict], why: Sequence[str] = ()
) -> JudgeVerdict:
    """The lower of the criteria."""
    lowest = min(criteria, key=lambda each: each.rank, default=None)
    return JudgeVerdict(
        judge=judge,
        aspect=aspect,
        step=None if lowest is None else lowest.step,
        criteria=tuple(criteria),
        why=tuple(why),
    )


def criterion_verdict(
    criterion: Criterion,
    floor: Sequence[ControlDifference],
    measure: ControlDifference | None,
    assessor: DrawnValue | None,
    *,
    margin: float,
    topics: str,
    alone: str = "one person alone answered",
) -> CriterionVerdict:
    """How far a judge gets by one criterion.

    `floor` are the controls that cost nothing, `assessor` the difference from an assessor (None where there is one
    alone, for which `alone` gives the words), `topics` what was resampled, such as `100 topics`.
    """

    who = "an assessor" if assessor is not None else "somebody who answers as people did"

    def found(step: JudgeStep, words: str, because: str) -> CriterionVerdict:
        return CriterionVerdict(criterion=criterion, step=step, words=words, because=because)

    failed = [each for each in floor if not each.is_beaten]
    if failed:
        if lost := [each for each in failed if each.is_not_beaten(margin)]:
            return found("worthless", "worthless", _not_better(lost, who))
        names = listed([each.words for each in failed])
        nor = _nor(failed, who)
        return found(
            "not shown", f"not shown to be better than {names}{nor}", _not_shown(failed, topics, who)
        )
    over = listed([each.words for each in floor])
    if measure is not None and not measure.is_beaten:
        name = measure.words
        if measure.is_not_beaten(margin):
            return found("no better than a measure", f"no better than {name}", _not_better([measure], who))
        return found(
            "not shown better than a measure",
            f"better than {over}, and not shown to be better than {name}{_nor([measure], who)}",
            _not_shown([measure], topics, who),
        )
    over = f"better than {measure.words if measure is not None else over}"
    if assessor is None or not assessor.is_known:
        why = alone if assessor is None else (assessor.why or "")
        return found(
            "below or like an assessor",
            f"{over}; whether it is below an assessor or like one cannot be said",
            why,
        )
    said = f"{difference_words(assessor, margin)} compared with an assessor"
    if assessor.low > -margin:
        return found("like an assessor", f"like an assessor (less than {margin:g} below one)", said)
    if assessor.high < 0:
        return found("below an assessor", f"{over}, but below an assessor", said)
    return found(
        "below or like an assessor",
        f"{over}; with {topics} it cannot be said whether it is below an assessor or like one",
        said,
    )


def _not_better(over: Sequence[ControlDifference], who: str) -> str:
    """What it is not better than; in numbers, the control that is hardest to beat, and that an assessor beats it."""
    hardest = min(over, key=lambda each: each.judge.value)
    found = f"not significantly better than {listed([each.words for each in over])} ("
    found += f"compared with {hardest.words} " if len(over) > 1 else ""
    found += difference_words(hardest.judge)
    if hardest.assessor.low > 0:
        found += f"; {who} has {difference_words(hardest.assessor)}"
    return f"{found})"


def _nor(over: Sequence[ControlDifference], who: str) -> str:
    """Whether the data could have shown it."""
    if not any(each.judge.is_known for each in over):
        return ", for it could not be tested"
    if not any(each.assessor.is_known for each in over):
        return f"; whether {who} would be could not be tested"
    could = [each.words for each in over if each.could_be_beaten]
    if not could:
        return f", nor would {who} be"
    return (
        f", as {who} is"
        if len(could) == len(over)
        else f" ({who} is shown to be better than {listed(could)} alone)"
    )


def _not_shown(over: Sequence[ControlDifference], topics: str, who: str) -> str:
    hardest = min(over, key=lambda each: each.judge.value)
    found = f"{difference_words(hardest.judge)} compared with {hardest.words}"
    if not hardest.judge.is_known:
        return f"{found}, without an interval: {hardest.judge.why}"
    if hardest.assessor.is_known:
        return f"{found}; with {topics} {who} has {difference_words(hardest.assessor)}"
    return f"{found}; of {who} there is no interval: {hardest.assessor.why}"


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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
