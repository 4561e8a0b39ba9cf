"""The tests of pairs that a comparison can be asked for, by name, and how they are run.

Names and defaults load no scientific package, so that the command line can list them quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge.core.engine import generator
from adjudge.core.errors import UsageError, nearest, quoted

if TYPE_CHECKING:
    from adjudge.analyses.compare import Comparing
    from adjudge.stats.checks import FloatArray
    from adjudge.stats.paired import Alternative
    from adjudge.stats.pairs import PairResults

Test = str
"""One of TESTS; of mc and hb also with what is resampled: `mc:w`. Its text is its name in every table."""
TESTS: tuple[Test, ...] = ("wilcoxon", "t", "t-unpaired", "welch", "sign", "mc", "hb", "exact")
ALL = "all"
DEFAULT_TEST: Test = "t"
"""About the means that rank the systems."""
THESE = "these-assessors"
"""The mixed model's test for the assessors who judged: topics are a sample."""
ASSESSORS = "assessors"
"""The same model's test for assessors like them, who are a sample as topics are. Nobody asks for either by name."""
Statistic = Literal["mean", "median", "t", "t-unpaired", "w"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
Zeros = Literal["wilcox", "pratt"]
Side = Literal["both", "better", "worse"]
USUAL_STATISTIC: dict[str, Statistic] = {"mc": "mean", "hb": "t"}
"""Under swaps T, T^p and the mean give one p; the bootstrap is conservative on the mean and the median."""
RESAMPLES = 2000
LEVEL = 0.95
ALPHA = 0.05


def parts_of(test: str) -> tuple[str, Statistic | None]:
    """A test's name, and the statistic that it names: `mc:w` is mc of W, `mc` leaves the statistic open."""
    name, colon, statistic = test.partition(":")
    if colon and name in USUAL_STATISTIC:
        for known_statistic in STATISTICS:
            if statistic == known_statistic:
                return name, known_statistic
        raise UsageError(
            f"the statistic of {name} is {quoted(statistic)}{nearest(statistic, STATISTICS)};"
            f" expected one of: {', '.join(STATISTICS)}"
        )
    if colon and name in TESTS:
        raise UsageError(f"the test is {quoted(test)}, but only mc and hb are of a statistic; say {name}")
    if test not in TESTS:
        names = (*TESTS, *(f"{base}:{of}" for base in USUAL_STATISTIC for of in STATISTICS))
        raise UsageError(
            f"the test is {quoted(test)}{nearest(test, names)}; expected one of: {', '.join(TESTS)};"
            " of mc and hb with a statistic, as mc:w"
        )
    return name, None


def words_of_test(test: str) -> str:
    """A test in a sentence or a heading: paired Wilcoxon; of mc:w random swaps of W."""
    from adjudge.stats.paired import TEST_WORDS
    from adjudge.stats.power.search import STATISTIC_WORDS

    name, _, statistic = test.partition(":")
    words = TEST_WORDS.get(name, name)
    return f"{words} of {STATISTIC_WORDS[statistic]}" if statistic else words


def statistic_of(test: Test, chosen: Statistic | None) -> Statistic | None:
    """What a resampling test resamples: what it names itself, what was chosen, the usual; else None."""
    name, statistic = parts_of(test)
    return statistic or (chosen or USUAL_STATISTIC[name] if name in USUAL_STATISTIC else None)


def run_test(
    values: FloatArray,
    test: Test,
    asked: Comparing[Any],
    alternative: Alternative,
    resamples: int = RESAMPLES,
) -> PairResults:
    """The test of every pair of columns."""
    from adjudge.stats.tests import run_pairs

    name, _ = parts_of(test)
    return run_pairs(
        name,
        values,
        # One stream for all statistics: mc:w has the swaps of mc.
        rng=generator(asked.seed, f"compare/{name}"),
        statistic=statistic_of(test, asked.statistic),
        resamples=resamples,
        alternative=alternative,
        zeros=asked.zeros,
        alpha=asked.alpha,
    )
