"""The tests of pairs that a comparison can be asked for, and how they are run and corrected.

Names and defaults load no scientific package, so that the command line can list them quickly.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge.core.engine import generator
from adjudge.core.errors import UsageError, nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adjudge.stats.checks import FloatArray
    from adjudge.stats.paired import Alternative
    from adjudge.stats.pairs import PairResults


Test = str
"""One of TESTS; of mc and hb also with what is resampled: `mc:w`. Its text is its name in every table."""
TESTS: tuple[Test, ...] = ("wilcoxon", "t", "t-unpaired", "welch", "sign", "mc", "hb", "exact")
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
    """How systems are compared with each other.

    `test` makes the groups and sentences; `tests` are all that are run. `against` compares everybody with one
    system, and only then a `side` can be asked for: whether the others are better, or worse. `margin` is the
    difference that would not matter. Without `resamples` mc and hb take as many as the correction needs.
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
    resamples: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for test in (self.test, *self.tests):
            parts_of(test)
        one_of("correction", self.correct, CORRECTIONS)
        one_of("zeros", self.zeros, ZEROS)
        one_of("side", self.side, SIDES)
        if self.statistic is not None:
            one_of("statistic", self.statistic, STATISTICS)
            if not any(test in USUAL_STATISTIC for test in self.run):
                raise UsageError(
                    f"--statistic {self.statistic} is what mc and hb resample, and none of these is run without a"
                    f" statistic of its own: say --test mc:{self.statistic}"
                )
        for name in ("alpha", "level", "margin", "resamples", "seed"):
            _number(name, getattr(self, name))
        for name, value in (("alpha", self.alpha), ("level", self.level)):
            if not 0 < value < 1:
                raise UsageError(f"{name} is {value}, expected a number between 0 and 1")
        if self.resamples is not None and self.resamples < 1:
            raise UsageError(f"resamples is {self.resamples}, expected 1 or more")
        if self.zeros == "split" and {"mc", "hb"} & {parts_of(test)[0] for test in self.run}:
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
        tests = tuple(dict.fromkeys(self.tests))
        return tests if self.test in tests else (self.test, *tests)

    def statistic_of(self, test: str) -> Statistic | None:
        """What a resampling test resamples: what it names itself, what was asked for, the usual; else None."""
        name, own = parts_of(test)
        return own or (self.statistic or USUAL_STATISTIC[name] if name in USUAL_STATISTIC else None)


def _number(name: str, value: object) -> None:
    """Refuse what is no number, in words instead of a failing comparison."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
        raise UsageError(f"{name} is {quoted(value)}, expected a number")


def parts_of(test: str) -> tuple[str, Statistic | None]:
    """A test's name, and the statistic that it names: `mc:w` is mc of W, `mc` leaves the statistic open."""
    name, colon, statistic = test.partition(":")
    if colon and name in USUAL_STATISTIC:
        return name, one_of(f"statistic of {name}", statistic, STATISTICS)
    known = (*TESTS, *(f"{each}:{of}" for each in USUAL_STATISTIC for of in STATISTICS))
    if colon and name in TESTS:
        raise UsageError(f"the test is {quoted(test)}, but only mc and hb are of a statistic; say {name}")
    if test not in TESTS:
        raise UsageError(
            f"the test is {quoted(test)}{nearest(test, known)}; expected one of: {', '.join(TESTS)};"
            " of mc and hb with a statistic, as mc:w"
        )
    return name, None


def choices(
    *,
    test: str | None = None,
    correct: str = "holm",
    tests: Sequence[str] = (),
    statistic: str | None = None,
    zeros: str = "wilcox",
    against: str | None = None,
    side: str = "both",
    margin: float | None = None,
    alpha: float = ALPHA,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
) -> Choices:
    """Choices as people write them: `test="all"` runs every test and groups by Wilcoxon's.

    Without `test` the first of `tests` makes the groups, and Wilcoxon's where there are none.
    """
    if test == ALL and tests:
        raise UsageError(f"test={ALL!r} runs every test: leave out tests")
    if test == ALL:
        test, tests = "wilcoxon", TESTS
    return Choices(
        test=test or next(iter(tests), "wilcoxon"),
        correct=correct,  # type: ignore[arg-type]
        tests=tuple(tests),
        statistic=statistic,  # type: ignore[arg-type]
        zeros=zeros,  # type: ignore[arg-type]
        against=against,
        side=side,  # type: ignore[arg-type]
        margin=margin,
        alpha=alpha,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def one_of(name: str, value: str, known: tuple[str, ...]) -> Any:
    """One of the known words."""
    if value not in known:
        what = name if name.startswith("--") else f"the {name}"
        raise UsageError(
            f"{what} is {quoted(value)}{nearest(value, known)}; expected one of: {', '.join(known)}"
        )
    return value


def words_of_test(test: str) -> str:
    """A test in a sentence or a heading: paired Wilcoxon; of mc:w random swaps of W."""
    from adjudge.stats.paired import TEST_WORDS
    from adjudge.stats.power.search import STATISTIC_WORDS

    name, _, statistic = test.partition(":")
    words = TEST_WORDS.get(name, name)
    return f"{words} of {STATISTIC_WORDS[statistic]}" if statistic else words


def run_test(
    values: FloatArray, test: Test, choices: Choices, alternative: Alternative, resamples: int = RESAMPLES
) -> PairResults:
    """The test of every pair of columns."""
    from adjudge.stats.tests import run_pairs

    name, _ = parts_of(test)
    return run_pairs(
        name,
        values,
        # One stream for all statistics: mc:w has the swaps of mc.
        rng=generator(choices.seed, f"compare/{name}"),
        statistic=choices.statistic_of(test),
        resamples=resamples,
        alternative=alternative,
        zeros=choices.zeros,
        alpha=choices.alpha,
    )
