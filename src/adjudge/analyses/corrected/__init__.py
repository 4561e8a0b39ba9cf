"""Systems compared with a judge's scores, corrected by people's: prediction-powered inference of all pairs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from adjudge.analyses.base import Analysis, analysis_function
from adjudge.analyses.compare import Compare, Intervals
from adjudge.analyses.corrections import FROM_P
from adjudge.analyses.preferences import PairAnalysis
from adjudge.analyses.tests import Side
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED, option, shared
from adjudge.core.phrases import Argument
from adjudge.data.scores import Among, Pool

if TYPE_CHECKING:
    from adjudge.analyses.corrected.result import CorrectedComparison
    from adjudge.analyses.preferences.source import PairSource
    from adjudge.analyses.scores import Scores


@dataclass(frozen=True, kw_only=True)
class CompareCorrected(Analysis["CorrectedComparison"]):
    """Compare systems by people's scores and a judge's scores of more topics, corrected by people's.

    The judge is an assessor of the measure, another measure, or in a folder a program that judged. All other assessors
    are people. Each pair has its own lambda (PPI++); its variance has n - 2 degrees of freedom. Assessors are a sample,
    as topics are: the conclusions are for assessors like these, beside those for these alone, or a note says why for
    these alone only. They hold if the topics that people judged were drawn at random. If the judge scores these topics
    clearly differently from the rest, nothing is computed unless you confirm that they were.
    """

    NAME = "compare_corrected"
    RUNS = "once"
    EXAMPLE = "adjudge compare my-eval -m coverage --judge learned"
    UNIT: ClassVar[str] = "judgment"
    """What people gave."""

    judge: str | None = option(
        None,
        metavar="NAME",
        help="Combine people's scores with this judge's, corrected by people's. An assessor, a"
        " measure, or a program that judged.",
    )
    correct: str = option(
        "holm", choices=FROM_P, metavar="HOW", help="Correction of p-values for the number of pairs."
    )
    against: str | None = option(
        None, of="system", metavar="SYSTEM", help="Compare all systems with this one only."
    )
    alpha: float = shared("alpha")
    at_random: bool = option(
        False, help="The topics that people judged were drawn at random: skip the check."
    )
    pairs: bool = option(False, help="Print every pair, also of more than ten systems.")
    side: Side = option(
        "both",
        metavar="SIDE",
        panel=ADVANCED,
        help="Comparisons with one system: test both directions, or one.",
    )
    among: Among = option("all", metavar="WHO", panel=ADVANCED, help="Which pairs to compare.")
    pool_humans: bool = shared("pool_humans", panel=ADVANCED)
    level: float = shared("level", panel=ADVANCED, help="Confidence level of the intervals of means.")
    intervals: Intervals = option(
        "agreeing",
        metavar="HOW",
        panel=ADVANCED,
        help="Intervals of differences: consistent with the corrected test, or each by itself.",
    )
    seed: int = shared("seed", panel=ADVANCED)
    pool: Pool = option("mean", by_name=False, help="How several scores of a cell become one.")

    def check(self) -> None:
        self.how()

    def how(self) -> Compare:
        """By Student's t on corrected differences, with a correction of p-values."""
        return Compare(
            test="t",
            correct=self.correct,
            against=self.against,
            side=self.side,
            alpha=self.alpha,
            level=self.level,
            seed=self.seed,
        )

    def run(self, scores: Scores) -> CorrectedComparison:
        from adjudge.analyses.corrected.result import corrected_by_people

        if self.judge is None:
            raise UsageError(f"whose scores are to be corrected? say {Argument('judge', 'NAME')}")
        return corrected_by_people(scores, self.judge, self)


compare_corrected = analysis_function(CompareCorrected)


@dataclass(frozen=True)
class PreferCorrected(PairAnalysis["CorrectedComparison"]):
    """Rank systems by people's duels and a judge's duels on more topics, corrected by people's.

    Ties are half wins. Each pair has its own lambda; its variance is the topic-clustered sandwich with n - 2 degrees of
    freedom.
    """

    NAME = "prefer_corrected"
    EXAMPLE = "adjudge prefer fit duels.csv --judge gpt"
    UNIT: ClassVar[str] = "answer"
    intervals: ClassVar[Intervals] = "agreeing"

    judge: str | None = option(
        None,
        metavar="NAME",
        help="Combine people's answers with this judge's, corrected by people's.",
    )
    _: KW_ONLY
    at_random: bool = option(
        False, help="The topics that people judged were drawn at random: skip the check."
    )
    pairs: bool = option(False, help="Print every pair, also of more than ten systems.")
    seed: int = shared("seed", panel=ADVANCED)

    def how(self) -> Compare:
        """By Student's t on corrected differences, at the level of the intervals."""
        return Compare(test="t", alpha=round(1 - self.level, 12), level=self.level, seed=self.seed)

    def run(self, source: PairSource) -> CorrectedComparison:
        from adjudge.analyses.corrected.result import strengths_corrected

        if self.judge is None:
            raise UsageError(f"whose answers are to be corrected? say {Argument('judge', 'NAME')}")
        return strengths_corrected(source, self.judge, self)


prefer_corrected = analysis_function(PreferCorrected)
