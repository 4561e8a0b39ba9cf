"""From tests of pairs to conclusions: corrected p-values, what could have been found, intervals that agree.

A pair differs, does not differ significantly, could not have been found (no p within its reach would have been
significant), is not comparable (no common topic), or was not tested for another reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Literal, get_args

from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.tests import RESAMPLES, Statistic, Test, parts_of, run_test, statistic_of
from adjudge.core.engine import generator
from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from adjudge.analyses.compare import Comparing
    from adjudge.stats.checks import BoolArray, FloatArray, IntArray
    from adjudge.stats.multiple import Correction, Reached
    from adjudge.stats.paired import Alternative
    from adjudge.stats.pairs import PairResults

Conclusion = Literal[
    "differ", "not significantly different", "could not have been found", "not comparable", "not tested"
]
CONCLUSIONS: tuple[Conclusion, ...] = get_args(Conclusion)
DIFFERENT, ALIKE, OUT_OF_REACH, NOT_COMPARABLE, NOT_TESTED = range(len(CONCLUSIONS))
OUTSIDE = -1
"""Not one of the pairs that were asked for."""

MOST_RESAMPLES = 500_000
"""Resamples that mc and hb rise to by themselves; they take a minute for 2,000 pairs on 50 topics, or a few."""
PER_PAIR = 10
"""Resamples for each p as small as alpha divided by the number of pairs: its smallest p is then a tenth of it."""
FEW_TOPICS = 6
"""Topics up to which HB may be unable to find anything."""
MOST_FLOORS = 1000
"""Pairs of which that is looked into; each takes about a millisecond."""
WESTFALL_YOUNG = 10_000
"""Resamples of Westfall-Young at the least: one p serves all pairs, so their number does not matter."""


@dataclass(frozen=True)
class Untold:
    """One test of all pairs before any conclusion."""

    results: PairResults
    family: BoolArray
    smallest: FloatArray
    """The smallest p, not corrected, that each pair could have had."""
    resamples: int | None
    """Where the test resamples."""
    corrected: FloatArray | None = None
    """Westfall-Young's p-values, which come from the scores and not from other p-values."""
    left_out: dict[int, str] = field(default_factory=dict)
    """Why pairs that were asked for are not in the family, by position, where the correction leaves them out."""
    floor: float = 0.0
    """The smallest corrected p that so many resamples could give, where the correction resamples."""

    @property
    def sure(self) -> FloatArray:
        """What no p can be below, for certain."""
        import numpy as np

        if self.results.test != "hb" or self.resamples is None:
            return self.smallest
        return np.where(np.isnan(self.smallest), np.nan, 1 / (self.resamples + 1))

    @property
    def tested(self) -> BoolArray:
        import numpy as np

        return self.family & ~np.isnan(self.results.p)


@dataclass(frozen=True, kw_only=True)
class Tested(Untold):
    """One test of all pairs, corrected over a family: the pairs that were asked for and could be tested."""

    adjusted: FloatArray
    """Corrected p; NaN outside the family."""
    conclusion: IntArray
    """By pair: a place in CONCLUSIONS, or OUTSIDE."""
    divisor: int
    """A p that was not significant would have been so at alpha divided by this."""
    burden: int
    """The number of pairs that the smallest p was corrected for; by Tarone's rule it may be below their number."""

    @property
    def different(self) -> BoolArray:
        different: BoolArray = self.conclusion == DIFFERENT
        return different

    def count(self, conclusion: int) -> int:
        """How many pairs have this conclusion."""
        return int((self.conclusion == conclusion).sum())

    @property
    def members(self) -> int:
        """How many pairs have a p, and so are corrected for."""
        import numpy as np

        return int(((self.conclusion != OUTSIDE) & ~np.isnan(self.results.p)).sum())

    def out_of_resamples(self, alpha: float) -> int:
        """How many pairs are out of reach for want of resamples: more of these could bring them into it."""
        import numpy as np

        if self.resamples is None:
            return 0
        if self.floor > alpha:
            return self.count(OUT_OF_REACH)
        p = self.smallest[(self.conclusion == OUT_OF_REACH) & ~np.isnan(self.smallest)]
        return int((p <= (1 + 1e-9) / (self.resamples + 1)).sum())

    def why(self, k: int) -> str | None:
        """Why the k-th pair has no corrected p, or could not have been found."""
        return self.results.why.get(k) or self.left_out.get(k)


def resamples_for(asked: Comparing[Any], pairs: int) -> int:
    """R of mc and hb: as asked for, or enough for the correction of so many pairs, up to MOST_RESAMPLES.

    Where even these could find nothing they would be in vain, and R stays where it was.
    """
    if asked.resamples is not None:
        return asked.resamples
    burden = 1 if asked.correct == "none" else pairs
    if burden > asked.alpha * MOST_RESAMPLES:
        return RESAMPLES
    return min(MOST_RESAMPLES, max(RESAMPLES, ceil(PER_PAIR * burden / asked.alpha)))


def run_all(
    values: FloatArray,
    family: BoolArray,
    asked: Comparing[Any],
    alternative: Alternative,
    *,
    clusters: IntArray | None = None,
    pairs: int | None = None,
    tests: Sequence[Test] | None = None,
) -> dict[Test, Untold]:
    """Every test, of every pair of columns; `pairs` are corrected together (all of the family).

    The tests are those that were asked for, unless they are given. Of `clusters` whole ones are the sample.
    """
    tests = asked.tests_run if tests is None else tests
    from adjudge.stats.pairs import borrowed, moments

    resamples = resamples_for(asked, int(family.sum()) if pairs is None else pairs)
    if CORRECTIONS[asked.correct].from_scores:
        if clusters is not None:
            raise UsageError(
                f"{Argument('correct', asked.correct)} swaps topics one by one: choose another with clusters"
            )
        return {tests[0]: _westfall_young(values, family, asked, alternative)}
    untold = {}
    for test in tests:
        if clusters is not None:
            untold[test] = _clustered(values, family, asked, alternative, clusters, resamples, test)
            continue
        results = run_test(values, test, asked, alternative, resamples)
        if results.test == "t":
            results, _ = borrowed(results, moments(values))
        of_test = _untold(results, family, resamples)
        untold[test] = (
            _hybrid_floor(of_test, values, asked, test) if of_test.results.test == "hb" else of_test
        )
    return untold


def over_sets(test: Test, statistic: Statistic | None) -> bool:
    """Whether a test can take whole sets of topics as the sample."""
    name = parts_of(test)[0]
    return name == "t" or (name == "mc" and statistic_of(test, statistic) == "mean")


def _untold(results: PairResults, family: BoolArray, resamples: int) -> Untold:
    import numpy as np

    from adjudge.stats.tests import smallest_p

    smallest = smallest_p(results, resamples)
    if results.test == "mc":
        # By luck random swaps may undercut what all of them together would give, which is known.
        results = replace(results, p=np.maximum(results.p, smallest))
    return Untold(
        results=results,
        family=family,
        smallest=smallest,
        resamples=resamples if results.test in ("mc", "hb") else None,
    )


def _hybrid_floor(untold: Untold, values: FloatArray, asked: Comparing[Any], test: Test) -> Untold:
    """With the smallest p of pairs with few topics by HB: what it gives where all differences are on one side."""
    import numpy as np

    counts, sides = untold.results.counts, untold.results.alternative
    few = untold.tested & (counts.wins + counts.losses > 0) & (counts.n <= FEW_TOPICS)
    smallest = untold.smallest.copy()
    for k in np.flatnonzero(few)[:MOST_FLOORS].tolist():
        away = np.abs(values[:, counts.first[k]] - values[:, counts.second[k]])
        turned = np.column_stack([away, np.zeros_like(away)])
        result = run_test(turned, test, asked, "two-sided" if sides == "two-sided" else "greater", RESAMPLES)
        if not np.isnan(result.p[0]):
            smallest[k] = max(smallest[k], float(result.p[0]))
    return replace(untold, smallest=smallest)


def _clustered(
    values: FloatArray,
    family: BoolArray,
    asked: Comparing[Any],
    alternative: Alternative,
    clusters: IntArray,
    resamples: int,
    test: Test,
) -> Untold:
    import numpy as np

    from adjudge.stats.resampling.cluster import cluster_mc_pairs, cluster_t_pairs

    name, statistic = parts_of(test)[0], statistic_of(test, asked.statistic)
    if name == "t":
        return _untold(cluster_t_pairs(values, clusters, alternative=alternative), family, resamples)
    if name != "mc" or statistic != "mean":
        raise UsageError(
            f"{Argument('test', test)} takes topics one by one: for whole sets of them say {Argument('test', 't')} or"
            f" {Argument('test', 'mc')}, or {Argument('cluster', 'none')}"
        )
    rng = generator(asked.seed, "compare/mc")
    results = cluster_mc_pairs(
        values, clusters, rng=rng, resamples=resamples, alternative=alternative, alpha=asked.alpha
    )
    untold = _untold(results, family, resamples)
    # Whole clusters change sides, so that there are as many signs as clusters, not topics.
    signs = _signs_of_clusters(values, clusters, results)
    sides = 1 if alternative == "two-sided" else 0
    least = np.exp2(np.minimum(0.0, sides - signs))
    if "exact" not in results.method:
        least = np.maximum(least, 1 / (resamples + 1))
    least = np.where(np.isnan(results.p), np.nan, least)
    return replace(untold, results=replace(results, p=np.maximum(results.p, least)), smallest=least)


def _signs_of_clusters(values: FloatArray, clusters: IntArray, results: PairResults) -> IntArray:
    """By pair: the clusters whose differences do not add up to 0."""
    import numpy as np

    first, second = results.counts.first, results.counts.second
    signs = np.zeros(len(results), dtype=np.int64)
    for code in np.unique(clusters):
        rows = values[clusters == code]
        for start in range(0, first.size, 4096):
            some = slice(start, start + 4096)
            a, b = rows[:, first[some]], rows[:, second[some]]
            total = np.nansum(a - b, axis=0)
            noise = 1e-12 * np.nansum(np.abs(a) + np.abs(b), axis=0)
            signs[some] += np.abs(total) > noise
    return signs


def _westfall_young(
    values: FloatArray, family: BoolArray, asked: Comparing[Any], alternative: Alternative
) -> Untold:
    from adjudge.stats.pairs import PairResults, pair_counts
    from adjudge.stats.resampling.westfall_young import westfall_young
    from adjudge.stats.tests import smallest_p

    stepped = westfall_young(
        values,
        rng=generator(asked.seed, "compare/westfall-young"),
        alternative=alternative,
        resamples=max(asked.resamples or 0, WESTFALL_YOUNG),
        alpha=asked.alpha,
        family=family,
    )
    results = PairResults(
        test=asked.correct,
        counts=pair_counts(values),
        statistic=stepped.statistic,
        p=stepped.raw,
        method=tuple("swaps" if member else None for member in stepped.member.tolist()),
        signature=stepped.signature,
        alternative=alternative,
        why=dict(stepped.why),
    )
    return Untold(
        results=results,
        family=family,
        smallest=smallest_p(results, stepped.resamples),
        resamples=stepped.resamples,
        corrected=stepped.p,
        left_out=dict(stepped.why),
        floor=float(stepped.floor),
    )


# Conclusions


def conclude(untold: Sequence[Untold], asked: Comparing[Any]) -> list[Tested]:
    """What a test says of the pairs of several matrices, corrected over all of them together."""
    import numpy as np

    from adjudge.stats.multiple import Reached, at_most, reached

    alpha = asked.alpha
    ends = np.cumsum([of_matrix.results.p.size for of_matrix in untold])[:-1]
    smallest = np.concatenate([of_matrix.smallest for of_matrix in untold])
    if CORRECTIONS[asked.correct].from_scores:
        if len(untold) > 1:
            raise UsageError(
                f"{Argument('correct', asked.correct)} is for one measure: choose holm across measures"
            )
        [only] = untold
        assert only.corrected is not None
        within = at_most(np.maximum(smallest, only.floor), alpha)
        reach = Reached(
            adjusted=only.corrected,
            divisor=1,
            reachable=at_most(only.corrected, alpha) | within,
            burden=max(1, int(only.tested.sum())),
        )
    else:
        method: Correction = asked.correct  # type: ignore[assignment]
        p = np.concatenate([np.where(of_matrix.tested, of_matrix.results.p, np.nan) for of_matrix in untold])
        # Of hb only 1 / (R + 1) is sure; what few topics could have given is an estimate, and good for words alone.
        sure = np.concatenate([of_matrix.sure for of_matrix in untold])
        reach = reached(p, sure, alpha=alpha, method=method)
        within = at_most(np.minimum(smallest, p) * reach.divisor, alpha)
        reach = replace(reach, reachable=reach.reachable & (within | at_most(reach.adjusted, alpha)))
    parts = zip(untold, np.split(reach.adjusted, ends), np.split(reach.reachable, ends), strict=True)
    return [
        _concluded(of_matrix, adjusted, reachable, reach, alpha) for of_matrix, adjusted, reachable in parts
    ]


def _concluded(
    untold: Untold, adjusted: FloatArray, reachable: BoolArray, reach: Reached, alpha: float
) -> Tested:
    import numpy as np

    from adjudge.stats.multiple import at_most

    n, tested = untold.results.counts.n, untold.tested
    state = np.full(n.size, OUTSIDE)
    state[untold.family] = NOT_TESTED
    state[untold.family & (n == 0)] = NOT_COMPARABLE
    state[untold.family & (n == 1)] = OUT_OF_REACH
    for k in untold.left_out:
        state[k] = NOT_COMPARABLE if n[k] == 0 else OUT_OF_REACH
    state[tested] = np.where(reachable[tested], ALIKE, OUT_OF_REACH)
    state[tested & at_most(adjusted, alpha)] = DIFFERENT
    return Tested(
        **vars(untold), adjusted=adjusted, conclusion=state, divisor=reach.divisor, burden=reach.burden
    )


# Intervals of the mean differences


@dataclass(frozen=True)
class PairIntervals:
    """An interval of every pair's mean difference, first less second; NaN where there is none."""

    low: FloatArray
    high: FloatArray
    level: float
    """Of each interval by itself."""
    method: str
    """bonferroni-t: all hold together; fcr-t: false coverage at most alpha among those that differ; pointwise-t; of
    shares bonferroni-exact, and so on."""


def pair_intervals(
    tested: Tested,
    error: FloatArray,
    freedom: FloatArray,
    asked: Comparing[Any],
    *,
    pointwise: bool = False,
    elsewhere: int = 0,
) -> PairIntervals:
    """Student's t intervals at the level that the correction leaves, made to agree with the test.

    `error` are standard errors of the mean differences; `elsewhere` are pairs of other measures that p-values are
    corrected with. The test may be of ranks or signs, and step-down corrections
    find more than intervals at one level do: where the test finds no difference the interval is widened to 0,
    and where it finds one, the end next to 0 is cut there (a step-down procedure says no more than the side). An
    interval about a mean that lies on the other side than the test's finding is widened to 0. One-sided tests
    have one-sided intervals. Pointwise intervals, at the level asked for, are left as they are.
    """
    import numpy as np
    from scipy.special import stdtrit

    alone, method = _alone(tested, asked, pointwise, elsewhere)
    both = tested.results.alternative == "two-sided"
    mean = tested.results.counts.difference
    reach = stdtrit(np.maximum(freedom, 1), 1 - alone / (2 if both else 1)) * error
    return _agreeing(tested, mean - reach, mean + reach, np.isnan(error), alone, f"{method}-t", pointwise)


def exact_intervals(
    tested: Tested, asked: Comparing[Any], *, pointwise: bool = False, elsewhere: int = 0
) -> PairIntervals:
    """Of differences of shares: Clopper and Pearson's interval of the wins among the topics that decide, turned into
    a difference; it agrees with McNemar's exact test."""
    import numpy as np

    alone, method = _alone(tested, asked, pointwise, elsewhere)
    counts = tested.results.counts
    decided = counts.wins + counts.losses
    both = tested.results.alternative == "two-sided"
    low, high = clopper_pearson(counts.wins, decided, alone / (1 if both else 0.5))
    with np.errstate(invalid="ignore"):
        scale = decided / counts.n
        ends = (2 * low - 1) * scale, (2 * high - 1) * scale
    return _agreeing(tested, *ends, counts.n == 0, alone, f"{method}-exact", pointwise)


def clopper_pearson(wins: IntArray, of: IntArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """The exact interval of a share, alpha / 2 on each side; 0 to 1 where there is nothing to go by."""
    import numpy as np
    from scipy.special import betaincinv

    lost = of - wins
    low = np.where(wins > 0, betaincinv(np.maximum(wins, 1), lost + 1.0, alpha / 2), 0.0)
    high = np.where(lost > 0, betaincinv(wins + 1.0, np.maximum(lost, 1), 1 - alpha / 2), 1.0)
    return low, high


def exact_shares(values: FloatArray, *, level: float) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's interval of the mean of every column of 0 and 1."""
    import numpy as np

    present = ~np.isnan(values)
    ones = np.nansum(values, axis=0).astype(np.int64)
    return clopper_pearson(ones, present.sum(axis=0), 1 - level)


def _alone(tested: Tested, asked: Comparing[Any], pointwise: bool, elsewhere: int) -> tuple[float, str]:
    """What each interval by itself may miss, and how they are corrected."""
    from adjudge.stats.multiple import PROCEDURES

    family = tested.conclusion != OUTSIDE
    if pointwise or asked.correct == "none":
        return 1 - asked.level if pointwise else asked.alpha, "pointwise"
    pairs = max(1, int((family & (tested.results.counts.n > 1)).sum()) + elsewhere)
    procedure = PROCEDURES.get(asked.correct)
    share = procedure is not None and procedure.keeps == "share"
    kept = max(1, tested.count(DIFFERENT)) if share else 1
    return asked.alpha * kept / pairs, "fcr" if share else "bonferroni"


def _agreeing(
    tested: Tested,
    low: FloatArray,
    high: FloatArray,
    without: BoolArray,
    alone: float,
    method: str,
    pointwise: bool,
) -> PairIntervals:
    """Intervals with 0 inside exactly where nothing was found."""
    import numpy as np

    mean = tested.results.counts.difference
    if not pointwise:
        away = tested.different & (np.sign(mean) == np.sign(tested.results.statistic))
        low = np.where(away & (mean > 0), np.maximum(low, 0.0), np.where(away, low, np.minimum(low, 0.0)))
        high = np.where(away & (mean < 0), np.minimum(high, 0.0), np.where(away, high, np.maximum(high, 0.0)))
    if tested.results.alternative == "greater":
        high = np.full_like(high, np.nan)
    if tested.results.alternative == "less":
        low = np.full_like(low, np.nan)
    nothing = (tested.conclusion == OUTSIDE) | without
    return PairIntervals(
        low=np.where(nothing, np.nan, low),
        high=np.where(nothing, np.nan, high),
        level=1 - alone,
        method=method,
    )


def candidates(better: BoolArray) -> list[int]:
    """The items that nobody is significantly better than; `better[i, j]` says that i is better than j."""
    return [j for j in range(len(better)) if not better[:, j].any()]
