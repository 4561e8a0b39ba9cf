"""What a judge is worth, in steps, each by an interval of the difference between the judge and somebody else.

A judge that is not better than what costs nothing is worthless, where an assessor is shown to be better. Where the data
could not have shown it of an assessor either, or where the judge may still be better by more than the margin, it is not
shown: neither better nor worthless. A judge must beat every control, by each of two criteria, so no step needs a
correction for several comparisons: the chance of passing a step wrongly is at most that of one comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

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
    """How far a judge gets by one criterion, and what decides it."""

    criterion: Criterion
    step: JudgeStep
    decisive: tuple[ControlDifference, ...] = ()
    """The controls that it is not shown to be better than; none where it is better than all."""
    beaten: tuple[ControlDifference, ...] = ()
    """The hardest controls that it is better than: the measure, or what costs nothing."""
    assessor: DrawnValue | None = None
    """Its difference from an assessor; None where there is one alone."""
    alone: str = ""
    """Why there is no assessor to compare with."""
    margin: float = 0.0
    topics: str = ""
    """What was resampled, such as `100 topics`."""

    @property
    def rank(self) -> int:
        return STEPS.index(self.step)


@dataclass(frozen=True)
class JudgeVerdict:
    """What a judge is worth on one aspect: the lower of what two criteria say."""

    judge: str
    aspect: str
    criteria: tuple[CriterionVerdict, ...]
    why: tuple[str, ...] = ()
    """What could not be computed: a criterion, a control."""

    @property
    def lowest(self) -> tuple[CriterionVerdict, ...]:
        """What decides: one criterion, or both where they say the same."""
        low = min((criterion.rank for criterion in self.criteria), default=0)
        return tuple(criterion for criterion in self.criteria if criterion.rank == low)

    @property
    def step(self) -> JudgeStep | None:
        """None where neither criterion could be computed."""
        return self.lowest[0].step if self.lowest else None


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
    alone, for which `alone` says why), `topics` what was resampled, such as `100 topics`.
    """

    def reached(step: JudgeStep, decisive: Sequence[ControlDifference] = ()) -> CriterionVerdict:
        beaten = tuple(floor) if measure is None or decisive else (measure,)
        return CriterionVerdict(
            criterion=criterion,
            step=step,
            decisive=tuple(decisive),
            beaten=beaten,
            assessor=assessor,
            alone=alone,
            margin=margin,
            topics=topics,
        )

    if failed := [control for control in floor if not control.is_beaten]:
        lost = [control for control in failed if control.is_not_beaten(margin)]
        return reached("worthless", lost) if lost else reached("not shown", failed)
    if measure is not None and not measure.is_beaten:
        step: JudgeStep = (
            "no better than a measure" if measure.is_not_beaten(margin) else "not shown better than a measure"
        )
        return reached(step, [measure])
    if assessor is None or not assessor.is_known:
        return reached("below or like an assessor")
    if assessor.low > -margin:
        return reached("like an assessor")
    return reached("below an assessor" if assessor.high < 0 else "below or like an assessor")
