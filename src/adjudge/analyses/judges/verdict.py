"""What a judge is worth: two verdicts in steps, on the order of its answers and on their level.

The order is that of a topic's summaries; where there is none, that of all answers, put on people's scale by rank. A
linear change of the judge's scale changes nothing about it. The level is how far the answers agree as they stand,
with their offset from people's; it is asked only where judge and people use one scale. Each step is passed by an
interval of the difference between the judge and somebody else. Worthless is a judge of which it is shown that none of
this is better than what costs nothing.

Where the data could not have shown it of an assessor either, or where the judge may still be better by more than the
margin, it is not shown: neither better nor worthless. A judge must beat every control, so no step needs a correction
for several comparisons: the chance of passing it wrongly is at most that of one comparison.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from adjudge.stats.judge_agreement import DrawnValue

Criterion = Literal["alpha", "within", "rank"]
"""Answers as they stand, the order within topics, and answers by rank."""
JudgeStep = Literal[
    "no better than a control",
    "reversed",
    "not shown better than a control",
    "no better than a measure",
    "not shown better than a measure",
    "below an assessor",
    "below or like an assessor",
    "like an assessor",
]
"""From the lowest to the highest."""
STEPS: tuple[str, ...] = get_args(JudgeStep)
UNKNOWN = DrawnValue(math.nan)


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
    value: DrawnValue = UNKNOWN
    """The judge's own, where it is reversed."""

    @property
    def rank(self) -> int:
        return STEPS.index(self.step)


@dataclass(frozen=True)
class JudgeVerdict:
    """What a judge is worth on one aspect, by its order and by its level."""

    judge: str
    aspect: str
    criteria: tuple[CriterionVerdict, ...]
    """Those that could be computed; `alpha` only where judge and people use one scale."""
    offset: DrawnValue = UNKNOWN
    """The mean of the judge's answers less people's, where they use one scale."""
    why_no_level: str | None = None
    """Why the level cannot be compared."""
    why: tuple[str, ...] = ()
    """What could not be computed: a criterion, a control."""

    def by(self, *criteria: Criterion) -> CriterionVerdict | None:
        """The first of these criteria that there is."""
        verdicts = {verdict.criterion: verdict for verdict in self.criteria}
        return next((verdicts[name] for name in criteria if name in verdicts), None)

    @property
    def order(self) -> CriterionVerdict | None:
        """By the order within topics, else by answers put on people's scale by rank."""
        return self.by("within", "rank")

    @property
    def level(self) -> CriterionVerdict | None:
        return self.by("alpha")

    @property
    def deciding(self) -> tuple[CriterionVerdict, ...]:
        """The order's and the level's."""
        return tuple(verdict for verdict in (self.order, self.level) if verdict is not None)

    @property
    def worthless(self) -> bool:
        """Nothing in its answers is better than what costs nothing: no order, no ranks, no level."""
        return bool(self.criteria) and all(
            verdict.step == "no better than a control" for verdict in self.criteria
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
    value: DrawnValue | None = None,
) -> CriterionVerdict:
    """How far a judge gets by one criterion.

    `value` is the judge's own, where one below 0, by more than the margin, means that it answers the other way round.

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
        if value is not None and value.high < -margin:
            return replace(reached("reversed", failed), value=value)
        lost = [control for control in failed if control.is_not_beaten(margin)]
        if lost:
            return reached("no better than a control", lost)
        return reached("not shown better than a control", failed)
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
