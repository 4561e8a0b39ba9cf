"""Which systems really differ: all pairs of systems, on one measure or on several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.base import Analysis, R_co, analysis_function
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.tests import (
    ALL,
    DEFAULT_TEST,
    TESTS,
    USUAL_STATISTIC,
    Side,
    Statistic,
    Test,
    Zeros,
    parts_of,
)
from adjudge.core.errors import UsageError, quoted
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument
from adjudge.data.scores import Among, Pool

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.compare.several import ComparedMeasures
    from adjudge.analyses.scores import Scores

AssessorEffects = Literal["random", "fixed"]
Cluster = Literal["set", "type", "task", "selector", "assessor", "none"]
Intervals = Literal["agreeing", "pointwise"]


@dataclass(frozen=True, kw_only=True)
class Comparing(Analysis[R_co]):
    """How pairs of systems are compared: the options of one comparison, and of several."""

    test: str | None = option(
        None,
        metavar="TEST",
        help=f"Test over topics that makes the groups: {', '.join(TESTS)}, or all; mc and hb also with a statistic, as"
        " mc:w.",
        unset="the first of tests, or t; with assessors a mixed model's t, with 0 and 1 McNemar's exact test",
    )
    correct: str = option(
        "holm",
        choices=tuple(CORRECTIONS),
        metavar="HOW",
        help="Correction of p-values for the number of pairs.",
    )
    against: str | None = option(
        None, of="system", metavar="SYSTEM", help="Compare all systems with this one only."
    )
    margin: float | None = option(
        None,
        panel=ADVANCED,
        above=0,
        metavar="D",
        help="Also say which systems are equivalent: less than this apart.",
    )
    assessor_effects: AssessorEffects | None = option(
        None,
        panel=ADVANCED,
        metavar="random|fixed",
        help="With scores by assessors: groups hold for similar assessors (random) or for these"
        " alone (fixed).",
        unset="random with two assessors or more, where the judgments allow it",
    )
    alpha: float = shared("alpha")
    effects: bool = option(False, help="Also print effect sizes.")
    pairs: bool = option(
        False,
        help="Print every pair: difference, interval, p by each test. For up to ten systems this is the default.",
    )
    tests: str | Sequence[str] = option(
        (), metavar="A,B", panel=ADVANCED, help="More tests to run; each is corrected by itself."
    )
    side: Side = option(
        "both",
        metavar="SIDE",
        panel=ADVANCED,
        help="Comparisons with one system: test both directions, or one.",
    )
    among: Among = option("all", metavar="WHO", panel=ADVANCED, help="Which pairs to compare.")
    pool_humans: bool = shared("pool_humans", panel=ADVANCED)
    cluster: Cluster | None = option(
        None,
        metavar="BY",
        panel=ADVANCED,
        help="Topics that share this count as one observation; none: each counts. For the tests t and mc.",
        unset="set, where topics have one",
    )
    statistic: Statistic | None = option(
        None,
        metavar="S",
        panel=ADVANCED,
        help="Statistic of the tests mc and hb.",
        unset="mean for mc, t for hb",
    )
    zeros: Zeros = option(
        "wilcox", metavar="Z", panel=ADVANCED, help="How Wilcoxon's test treats equal scores."
    )
    level: float = shared("level", panel=ADVANCED, help="Confidence level of the intervals of means.")
    intervals: Intervals = option(
        "agreeing",
        metavar="HOW",
        panel=ADVANCED,
        help="Intervals of differences: consistent with the corrected test, or each by itself.",
    )
    resamples: int | None = option(
        None,
        least=1,
        metavar="N",
        panel=ADVANCED,
        help="Resamples of the tests mc and hb.",
        unset="2000, or more where the correction needs them",
    )
    seed: int = shared("seed", panel=ADVANCED)
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def check(self) -> None:
        if self.test == ALL and self.tests:
            raise UsageError(f"{Argument('test', ALL)} runs every test: leave out {Argument('tests')}")
        for test in self.tests_run:
            parts_of(test)
        if self.statistic is not None and not any(test in USUAL_STATISTIC for test in self.tests_run):
            raise UsageError(
                f"{Argument('statistic', self.statistic)} is what mc and hb resample, and none of these is run without"
                f" a statistic of its own: say {Argument('test', 'mc:' + self.statistic)}"
            )
        if self.side != "both" and self.against is None:
            raise UsageError(
                f"{Argument('side', self.side)} needs {Argument('against', 'SYSTEM')}: which of two is"
                " better is not known before"
            )

    @property
    def grouping_test(self) -> Test:
        """The test over topics that makes the groups and sentences."""
        return next(iter(self.named_tests), DEFAULT_TEST)

    @property
    def named_tests(self) -> tuple[Test, ...]:
        """The tests over topics that were asked for by name, the one that makes the groups first."""
        if self.test == ALL:
            return tuple(dict.fromkeys([DEFAULT_TEST, *TESTS]))
        return tuple(dict.fromkeys([*([self.test] if self.test else []), *self._also]))

    @property
    def tests_run(self) -> tuple[Test, ...]:
        """All tests over topics that are run, the one that makes the groups first."""
        return self.named_tests or (DEFAULT_TEST,)

    @property
    def _also(self) -> list[Test]:
        return [name for names in self.tests for test in names.split(",") if (name := test.strip())]

    @property
    def on_anything(self) -> Comparing[Any]:
        """The same without what was compared: equal where two comparisons were made in the same way."""
        return replace(self, measure=None, length=None, form=None)


@dataclass(frozen=True, kw_only=True)
class Compare(Comparing["Comparison"]):
    """Rank the systems with intervals, and say which differ significantly.

    One measure is compared. Several lengths are compared one at a time; "all" takes each topic's mean over the lengths.
    Intervals of differences are consistent with the corrected test. Scores by assessors are compared twice: for these
    assessors (the test over topics), and for similar ones (assessors are a sample, as topics are). Where assessors are
    left out, the result's `changes` say which conclusions change.
    """

    NAME = "compare"
    METHODS = True
    EXAMPLE = "adjudge compare my-eval -m rouge-1 --against random"

    def run(self, scores: Scores) -> Comparison:
        from adjudge.analyses.compare.pairs import compare_each

        which = (scores.resolve(self.measure), self.length, self.form)
        targets = scores.targets([which[0]], length=self.length, form=self.form)
        # Of one length or form, the title says which.
        return compare_each(scores, targets if len(targets) == 1 else [which], self)[0]


MOST_COMPARED = 2_000
"""Measures that are compared in one go."""


@dataclass(frozen=True, kw_only=True)
class CompareAll(Comparing["ComparedMeasures"]):
    """Rank the systems with intervals, and say which differ significantly.

    Systems that share a letter are not significantly different. Every measure, length and form is compared by itself.
    Pairs for which too few topics differ to ever be significant are counted separately and are not part of the
    correction.

    Scores by assessors are compared twice: for these assessors, and for similar ones. The groups hold for similar
    assessors, unless assessor effects are fixed.
    """

    NAME = "compare"
    FUNCTION = "compare_all"
    METHODS = True
    RUNS = "once"
    EXAMPLE = "adjudge compare my-eval -m rouge-1 --against random"
    VARIANTS: ClassVar[Mapping[str, str]] = {"counts": "counts", "judge": "compare_corrected"}

    primary: str | None = option(
        None, of="measure", metavar="MEASURE", help="The measure chosen in advance; all others are secondary."
    )
    across: Literal["each", "measures"] = option(
        "each",
        metavar="WHAT",
        panel=ADVANCED,
        help="Correct p-values within each measure, or over all measures together.",
    )
    skip_missing: bool = option(
        False, by_name=False, help="Leave out measures of which every score is missing, and say so."
    )

    def run(self, scores: Scores) -> ComparedMeasures:
        from adjudge.analyses.compare.pairs import compare_each
        from adjudge.analyses.compare.several import ComparedMeasures

        primary = None if self.primary is None else scores.resolve(self.primary)
        if (many := len(scores.resolved(self.measure or ()))) > MOST_COMPARED:
            raise UsageError(
                f"{many:,} measures, of which at most {MOST_COMPARED:,} are compared at a time: name them"
            )
        targets = scores.targets(self.measure or (), length=self.length, form=self.form)
        if primary is not None:
            targets.sort(key=lambda which: which[0] != primary)
            if not targets or targets[0][0] != primary:
                raise UsageError(
                    f"the primary measure {quoted(primary)} is not among those that are compared"
                )
        absent = {
            which: why for which in targets if self.skip_missing and (why := scores.all_missing(*which))
        }
        if len(absent) < len(targets):
            targets = [which for which in targets if which not in absent]
        compared = compare_each(scores, targets, self, primary=primary, together=self.across == "measures")
        return ComparedMeasures(asked=self, results=tuple(compared), left_out=tuple(absent.values()))


compare = analysis_function(Compare)
compare_all = analysis_function(CompareAll)
