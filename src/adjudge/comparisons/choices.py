"""What a comparison can be asked for: tests, corrections, resamples. Checked here, computed elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack, get_args

from adjudge.errors import UsageError, nearest, quoted

Test = Literal["wilcoxon", "t", "t-unpaired", "welch", "sign", "mc", "hb", "exact"]
TESTS: tuple[Test, ...] = get_args(Test)
ALL = "all"
Correction = Literal["none", "bonferroni", "holm", "bh", "westfall-young", "westfall-young-min-p"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
Statistic = Literal["mean", "median", "t", "t-unpaired", "w"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
Zeros = Literal["wilcox", "pratt", "split"]
ZEROS: tuple[Zeros, ...] = get_args(Zeros)
Side = Literal["both", "better", "worse"]
SIDES: tuple[Side, ...] = get_args(Side)

CORRECTION_WORDS = {
    "none": "",
    "bonferroni": "Bonferroni-corrected ",
    "holm": "Holm-corrected ",
    "bh": "Benjamini-Hochberg-corrected ",
    "westfall-young": "Westfall-Young-corrected ",
    "westfall-young-min-p": "Westfall-Young-corrected ",
}
CORRECTION_BY = {
    "none": "not corrected for the number of pairs",
    "bonferroni": "Bonferroni's correction for all pairs",
    "holm": "Holm's correction for all pairs",
    "bh": "Benjamini and Hochberg's correction for all pairs",
    "westfall-young": "Westfall and Young's correction for all pairs, largest T",
    "westfall-young-min-p": "Westfall and Young's correction for all pairs, smallest p",
}
USUAL_STATISTIC: dict[str, Statistic] = {"mc": "mean", "hb": "t"}
"""Under swaps T, T^p and the mean give one p; the bootstrap is conservative on the mean and the median."""
RESAMPLES = 2000
LEVEL = 0.95
ALPHA = 0.05


@dataclass(frozen=True)
class Choices:
    """How systems are held against each other.

    `test` makes the groups and sentences; `tests` are all that are run. `against` compares everybody with one
    system, and only then a `side` can be asked for: whether the others are better, or worse. `margin` is the
    difference that would not matter.
    """

    test: Test = "wilcoxon"
    correct: Correction = "holm"
    tests: tuple[Test, ...] = ()
    statistic: Statistic | None = None
    zeros: Zeros = "wilcox"
    against: str | None = None
    side: Side = "both"
    margin: float | None = None
    alpha: float = ALPHA
    level: float = LEVEL
    resamples: int = RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("test", self.test, TESTS)
        for test in self.tests:
            one_of("test", test, TESTS)
        one_of("correction", self.correct, CORRECTIONS)
        one_of("zeros", self.zeros, ZEROS)
        one_of("side", self.side, SIDES)
        if self.statistic is not None:
            one_of("statistic", self.statistic, STATISTICS)
        for name, value in (("alpha", self.alpha), ("level", self.level)):
            if not 0 < value < 1:
                raise UsageError(f"{name} is {value}, expected a number between 0 and 1")
        if self.resamples < 1:
            raise UsageError(f"resamples is {self.resamples}, expected 1 or more")
        if self.zeros == "split" and {"mc", "hb"} & set(self.run):
            raise UsageError("--zeros split is Wilcoxon's test alone: choose wilcox or pratt with mc and hb")
        if self.margin is not None and not self.margin > 0:
            raise UsageError(f"the margin is {self.margin:g}, expected a number above 0")
        if self.side != "both" and self.against is None:
            raise UsageError(
                f"--side {self.side} needs --against SYSTEM: which of two is better is not known before"
            )

    @property
    def run(self) -> tuple[Test, ...]:
        """The tests that are run, the chosen one among them."""
        return self.tests if self.test in self.tests else (self.test, *self.tests)

    def statistic_of(self, test: str) -> Statistic:
        """What a resampling test resamples."""
        return self.statistic or USUAL_STATISTIC[test]


class Asked(TypedDict, total=False):
    """The fields of `Choices` as keywords; `test` may be "all"."""

    test: str
    correct: str
    tests: tuple[Test, ...]
    statistic: str | None
    zeros: str
    against: str | None
    side: str
    margin: float | None
    alpha: float
    level: float
    resamples: int
    seed: int


def choices(**asked: Unpack[Asked]) -> Choices:
    """Choices as people write them: `test="all"` runs every test and groups by Wilcoxon's."""
    fields: dict[str, Any] = {**asked}
    if fields.get("test") == ALL:
        fields |= {"test": "wilcoxon", "tests": TESTS}
    elif "test" in fields:
        one_of("test", fields["test"], (*TESTS, ALL))
    return Choices(**fields)


def one_of(name: str, value: str, known: tuple[str, ...]) -> Any:
    """One of the known words."""
    if value not in known:
        raise UsageError(
            f"the {name} is {quoted(value)}{nearest(value, known)}; expected one of: {', '.join(known)}"
        )
    return value
