"""All pairs of systems on one measure, with a ranking, intervals, tests and groups.

The tests are run in conclusions.py, the mathematics is in stats/.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.compare import AssessorEffects, Compare, Comparing
from adjudge.analyses.compare.fewest import fewest_table, fewest_topics
from adjudge.analyses.compare.sampled import (
    Population,
    adjusted_for_assessors,
    equivalence_of,
    pair_results,
    population,
    sureness_of,
)
from adjudge.analyses.compare.without import ConclusionChanges, conclusion_changes
from adjudge.analyses.compare.words import NO_NUMBER, VERDICTS
from adjudge.analyses.conclusions import (
    ALIKE,
    CONCLUSIONS,
    DIFFERENT,
    OUT_OF_REACH,
    Conclusion,
    PairIntervals,
    Tested,
    Untold,
    candidates,
    conclude,
    exact_intervals,
    exact_shares,
    over_sets,
    pair_intervals,
    run_all,
)
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.fewest import fewest_facts
from adjudge.analyses.matrix_result import MatrixResult
from adjudge.analyses.phrasebook import ends_of_difference, low_to_high, rank_range, short_conclusion
from adjudge.analyses.scores import Scores
from adjudge.analyses.tests import ASSESSORS, DEFAULT_TEST, THESE, Test
from adjudge.core.bars import interval_bars
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.phrases import Argument
from adjudge.core.results import Note
from adjudge.core.table import Cell, Column, Table, hidden
from adjudge.core.words import counted, listed, p_number
from adjudge.data.scores import AllLengths, MeasureInfo, ScoreMatrix

if TYPE_CHECKING:
    from adjudge.analyses.compare.next_step import NextStep
    from adjudge.analyses.methods import MethodsParagraph
    from adjudge.analyses.phrasebook import Few
    from adjudge.stats.checks import BoolArray, FloatArray, IntArray
    from adjudge.stats.effects import PairEffects
    from adjudge.stats.equivalence import Equivalence
    from adjudge.stats.fewest import Fewest
    from adjudge.stats.paired import Alternative, PairedTest
    from adjudge.stats.pairs import PairCounts

    Family = Callable[[Sequence[str]], BoolArray]

Which = tuple[str, int | AllLengths | None, str | None]
"""A measure, a length and a form."""
Ordering = Literal["", "topics", "apart", "assessors"]
"""Where cells are missing, what means are adjusted for: topics, topics and assessors; or that nothing joins them."""
BAR = 25
"""Of the picture of intervals, in characters."""
MOST_IN_PAIRS = 10
"""Systems up to which a terminal shows every pair unasked."""
ABOUT_THE_MIDDLE = ("wilcoxon", "sign")
"""Tests that skewed differences with a mean of 0 make significant."""
MISSING_SCORES = "missing-scores"
MOST_BY_RANKS = 20_000
"""Pairs up to which the default's answer is set beside Wilcoxon's."""
MOST_SYSTEMS = 5_000
"""Systems in one comparison: there are 12.5 million pairs of so many."""


def compare_each(
    scores: Scores,
    targets: Sequence[Which],
    asked: Comparing[Any],
    *,
    primary: str | None = None,
    together: bool = False,
) -> list[Comparison]:
    """The comparisons; where assessors were left out, also with everybody, to say what changes."""
    ready = [_prepared(scores, which, asked) for which in targets]
    if asked.assessor_effects is not None and ready and not any(one.population for one in ready):
        names = listed([one.matrix.measure for one in ready])
        raise DataError(
            f"assessor effects: the scores of {names} name no assessor; a column 'assessor' of a long table can"
        )
    compared = [
        replace(c, scores=scores) if c.alone else c
        for c in conclusions(ready, asked, primary=primary, together=together)
    ]
    if scores.everyone is None:
        return compared
    before = []
    for (measure, length, form), one in zip(targets, ready, strict=True):
        # The same length and form by name, as others may have judged further ones.
        lengths, forms = scores.table.lengths(measure), scores.table.forms(measure)
        if length is None and len(lengths) == 1:
            length = "unset" if lengths[0] is None else lengths[0]
        which = measure, length, forms[0] if form is None and len(forms) == 1 else form
        # Conclusions for other assessors, which too few are left for, are not compared with those for these.
        effects: AssessorEffects | None = "fixed" if one.population else None
        alike = asked if one.sampled else replace(asked, assessor_effects=effects)
        before.append(_prepared(scores.everyone, which, alike))
    with_all = conclusions(before, asked, primary=primary, together=together)
    return [
        replace(after, changes=conclusion_changes(one, after, scores.left_out))
        for one, after in zip(with_all, compared, strict=True)
    ]


@dataclass(frozen=True, repr=False, kw_only=True)
class Basis:
    """What is compared: the scores, the pairs that are asked for, and whose judgments stand behind them."""

    matrix: ScoreMatrix
    """Best system first; the one that all are compared with comes last."""
    family: BoolArray
    """Which pairs were asked for, in the order of `itertools.combinations` over the matrix's systems."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Of the systems, where they are known: machine, baseline, human."""
    codes: IntArray | None = None
    """The set of every topic, where whole sets are the sample."""
    few_sets: int = 0
    """Sets of topics, where there are too few to be the sample."""
    usual: Test = DEFAULT_TEST
    """The test over topics that answers where none is named."""
    ordering: Ordering = ""
    about_scores: tuple[str, ...] = ()
    fewer_references: tuple[Note, ...] = ()
    """Notes on people who are compared with fewer references than others."""
    population: Population | None = None
    """Whose judgments stand behind the scores, where assessors gave them."""
    given_topics: tuple[str, ...] = ()
    """In the order in which the data has them; none where a matrix was compared, which has its own."""
    given_systems: tuple[str, ...] = ()

    @property
    def modelled(self) -> bool:
        """Whether a model with assessors is behind the conclusions."""
        return self.population is not None and self.population.pairs is not None

    @property
    def sampled(self) -> bool:
        """Whether conclusions are for assessors like those who judged."""
        return self.population is not None and self.population.effects == "random"

    def grouped_by(self, asked: Comparing[Any]) -> Test:
        """The test that makes the groups."""
        return ASSESSORS if self.sampled else next(iter(asked.named_tests), self.usual)


@dataclass(frozen=True, kw_only=True)
class Prepared(Basis):
    """A matrix ready to be compared."""

    means: FloatArray
    """By system, what they are ordered by: least-squares means where cells are missing."""
    which: Which | None = None
    """What was asked for, where it was."""


def _prepared(scores: Scores, which: Which, asked: Comparing[Any]) -> Prepared:
    measure, length, form = which
    matrix = scores.matrix(
        measure,
        length=length,
        form=form,
        among=asked.among,
        pool=asked.pool,
        pool_humans=asked.pool_humans,
    ).averaged()
    if len(matrix.systems) > MOST_SYSTEMS:
        raise UsageError(
            f"{measure} has {len(matrix.systems):,} systems, of which at most {MOST_SYSTEMS:,} are compared with each"
            " other; are rows and columns the other way round?"
        )
    clusters, few = _clusters(scores, matrix, asked, which)
    ready = prepare(
        matrix if clusters is None else matrix.signed(f"cluster:{asked.cluster or 'set'}"),
        asked,
        family=partial(scores.pairs_among, among=asked.among),
        clusters=clusters,
        kinds=scores.kinds_of(matrix.systems),
    )
    whose = population(scores, ready.matrix, which, asked, clusters=ready.codes)
    topics, systems = scores.given_order(matrix)
    return replace(
        _in_order(ready, whose, asked.against),
        which=which,
        few_sets=few,
        given_topics=topics,
        given_systems=systems,
        about_scores=scores.unsaid_notes(measure),
        fewer_references=scores.fewer_references(matrix.measure),
    )


def _clusters(
    scores: Scores, matrix: ScoreMatrix, asked: Comparing[Any], which: Which
) -> tuple[Sequence[str] | None, int]:
    """The set of every topic, where sets are the sample; and how many sets there are where these are too few.

    Unasked, sets are used that are known, unless the test that was named takes topics one by one.
    """
    _, length, form = which
    if asked.cluster == "none":
        return None, 0
    if asked.cluster is not None:
        return scores.clusters(matrix, asked.cluster, length=length, form=form), 0
    sets, many = scores.sets_of_topics(matrix)
    if sets is None or CORRECTIONS[asked.correct].from_scores:
        return None, many if sets is None else 0
    return (sets, 0) if all(over_sets(test, asked.statistic) for test in asked.tests_run) else (None, 0)


def _in_order(ready: Prepared, whose: Population | None, against: str | None) -> Prepared:
    """With the assessors; where they judged different systems, ordered by means adjusted for them and for topics."""
    import numpy as np

    from adjudge.stats.pairs import columns_of_pairs

    if whose is None or whose.pairs is None:
        return replace(ready, population=whose)
    ready = replace(ready, usual=THESE)
    means = adjusted_for_assessors(whose.pairs, ready.means)
    if means is None:
        return replace(ready, population=whose)
    names, size = ready.matrix.systems, len(ready.matrix.systems)
    order = _best_first(means, names, ready.matrix.info, against)
    first, second = columns_of_pairs(size)
    family = np.zeros((size, size), dtype=np.bool_)
    family[first, second] = family[second, first] = ready.family
    at = np.asarray(order)
    return replace(
        ready,
        matrix=ready.matrix.select([names[j] for j in order]),
        means=means[order],
        family=family[at[first], at[second]],
        population=whose.in_order(order),
        ordering="assessors",
    )


def _best_first(means: FloatArray, names: Sequence[str], info: MeasureInfo, against: str | None) -> list[int]:
    """Places of the systems by their means, best first; the one that all are compared with comes last."""
    from adjudge.stats.order import places

    rank = places((1 if info.better == "lower" else -1) * means)
    order = sorted(range(len(names)), key=lambda j: (rank[j], names[j]))
    if against is not None:
        order.append(order.pop(order.index(names.index(against))))
    return order


def prepare(
    matrix: ScoreMatrix,
    asked: Comparing[Any],
    *,
    family: Family | None = None,
    clusters: Sequence[str | None] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Prepared:
    """Order the systems of a matrix, and choose the pairs; see `compare_matrix`."""
    import numpy as np

    from adjudge.stats.pairs import columns_of_pairs

    ranked, means, ordering = _ranked(matrix, asked.against)
    _, second = columns_of_pairs(len(ranked.systems))
    pairs = np.ones(second.size, dtype=np.bool_)
    if asked.against is not None:  # it comes last
        pairs &= second == len(ranked.systems) - 1
    if family is not None:
        pairs &= family(ranked.systems)
    codes = None
    if clusters is not None:
        if absent := sum(name is None for name in clusters):
            raise DataError(
                f"{absent} of {len(clusters)} topics belong to no set: there is nothing to cluster by"
            )
        numbers = {name: k for k, name in enumerate(dict.fromkeys(clusters))}
        codes = np.array([numbers[name] for name in clusters], dtype=np.int64)
    return Prepared(
        matrix=replace(ranked, missing=matrix.missing),
        means=means,
        family=pairs,
        kinds=kinds or {},
        codes=codes,
        ordering=ordering,
        usual="sign" if codes is None and _zeros_and_ones(ranked.values) else DEFAULT_TEST,
    )


def _zeros_and_ones(values: FloatArray) -> bool:
    """Whether every score is 0 or 1, and both occur."""
    import numpy as np

    seen = values[~np.isnan(values)]
    return bool(((seen == 0) | (seen == 1)).all() and seen.any() and not seen.all())


def compare_matrix(
    matrix: ScoreMatrix,
    asked: Comparing[Any] | None = None,
    *,
    family: Family | None = None,
    clusters: Sequence[str | None] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Comparison:
    """Rank the systems of a matrix, and test pairs of them.

    `family` says of an order of systems which pairs are asked for; without it, all are (or with
    `asked.against` those with that system). `clusters` names the set of every topic: then whole sets are
    swapped, and intervals take sets as observations.
    """
    asked = asked or Compare()
    return conclusions([prepare(matrix, asked, family=family, clusters=clusters, kinds=kinds)], asked)[0]


def conclusions(
    prepared: Sequence[Prepared], asked: Comparing[Any], *, primary: str | None = None, together: bool = False
) -> list[Comparison]:
    """Test all pairs, correct the p-values, of each matrix by itself or of all together, and draw conclusions."""
    from adjudge.stats.tests import smallest_p

    total = sum(int(one.family.sum()) for one in prepared)
    run = []
    for one in prepared:
        alternative = _alternative(one.matrix, asked)
        tests: dict[Test, Untold] = {}
        if one.population is not None and one.population.pairs is not None:
            for test in (THESE, ASSESSORS) if one.population.like else (THESE,):
                results = pair_results(
                    one.matrix.values, one.population.pairs, alternative, test, clusters=one.codes
                )
                smallest = smallest_p(results)
                tests[test] = Untold(results=results, family=one.family, smallest=smallest, resamples=None)
        tests |= run_all(
            one.matrix.values,
            one.family,
            asked,
            alternative,
            clusters=one.codes,
            pairs=total if together else None,
            tests=asked.named_tests if tests else asked.named_tests or (one.usual,),
        )
        run.append(tests)
    if together:
        tested = _together(run, [one.grouped_by(asked) for one in prepared], asked)
    else:
        tested = [{test: conclude([untold], asked)[0] for test, untold in tests.items()} for tests in run]
    return [
        _comparison(
            one,
            tests,
            asked,
            role="" if primary is None else "primary" if one.matrix.measure == primary else "secondary",
            alone=len(prepared) == 1 or one.matrix.measure == primary,
            corrected=total if together else int(one.family.sum()),
        )
        for one, tests in zip(prepared, tested, strict=True)
    ]


def _together(
    run: Sequence[Mapping[Test, Untold]], makers: Sequence[Test], asked: Comparing[Any]
) -> list[dict[Test, Tested]]:
    """Each test corrected over all matrices; the tests that make the groups are one family, whichever they are."""
    tested: list[dict[Test, Tested]] = [{} for _ in run]
    common = [test for test in run[0] if all(test in tests for tests in run)] if run else []
    families = [*([test] * len(run) for test in common), makers]
    for family in families:
        told = conclude([tests[test] for tests, test in zip(run, family, strict=True)], asked)
        for by_test, test, one in zip(tested, family, told, strict=True):
            by_test[test] = one
    for by_test, tests in zip(tested, run, strict=True):  # what only some measures have, and makes no groups
        by_test |= {
            test: conclude([untold], asked)[0] for test, untold in tests.items() if test not in by_test
        }
    return tested


def _comparison(
    prepared: Prepared,
    tested: dict[Test, Tested],
    asked: Comparing[Any],
    *,
    role: str,
    alone: bool,
    corrected: int,
) -> Comparison:
    import numpy as np

    from adjudge.stats.bootstrap import flat, t_means
    from adjudge.stats.resampling.cluster import cluster_means

    matrix, codes, whose = prepared.matrix, prepared.codes, prepared.population
    binary = prepared.usual == "sign"
    interval = "t"
    if whose is not None and prepared.modelled:
        interval = "deviation-t"
        low, high = whose.mean_intervals(prepared.means, level=asked.level)
    elif binary:
        interval = "clopper-pearson"
        low, high = exact_shares(matrix.values, level=asked.level)
    elif codes is None:
        means = t_means(matrix.values, level=asked.level)
        low, high = means.low, means.high
    else:
        interval = "cluster-t"
        low, high = cluster_means(matrix.values, codes, level=asked.level)
    # A model's intervals rest on all systems, and those of shares are exact.
    without = (
        np.zeros(len(matrix.systems), dtype=np.bool_) if prepared.modelled or binary else flat(matrix.values)
    )
    # A mean is within the measure's range, so an interval that reaches beyond it covers no more than its part inside.
    least, most = matrix.info.range
    low = np.where(without, np.nan, low if least is None else np.maximum(low, least))
    high = np.where(without, np.nan, high if most is None else np.minimum(high, most))
    if prepared.which is not None and not role and corrected == int(prepared.family.sum()):
        measure, length, form = prepared.which
        asked = replace(asked, measure=(measure,), length=length, form=form)
    basis = {part.name: getattr(prepared, part.name) for part in fields(Basis)}
    return Comparison(
        **basis,
        asked=asked,
        standings=_standings(
            prepared,
            low,
            high,
            tested[prepared.grouped_by(asked)],
            bool(prepared.family.all()),
        ),
        tested=tested,
        interval=interval,
        role=role,
        alone=alone,
        corrected=corrected,
    )


@dataclass(frozen=True)
class Standing:
    """One system's place in the league table.

    `adjusted` is the least-squares mean where cells are missing: what the mean would be on all topics, by the model
    value = topic + system. `best` and `worst` are the highest and lowest rank that the significant differences
    leave open: 1 + the systems significantly better, all less those significantly worse.
    """

    system: str
    rank: int
    n: int
    mean: float
    adjusted: float
    low: float
    high: float
    group: str
    best: int
    worst: int


@dataclass(frozen=True)
class ComparedPair:
    """Two systems compared by one test: the one with the better mean first, or, of `against`, the other system."""

    a: str
    b: str
    result: PairedTest
    p_adjusted: float
    conclusion: Conclusion
    smallest: float = 0.0
    """The smallest p, not corrected, that the pair could have had."""
    needed: float = 1.0
    """What a p, not corrected, must not exceed, where the pair was not found."""
    low: float = float("nan")
    high: float = float("nan")
    sets: int = 0
    """Where whole sets of topics are swapped: how many there are."""
    same: bool = False
    """Equivalence was shown: the difference is within the margin."""

    @property
    def different(self) -> bool:
        return self.conclusion == "differ"

    @property
    def verdict(self) -> str:
        """With a margin: different, different by less than the margin, equivalent, undecided."""
        return VERDICTS[self.different, self.same]


@dataclass(frozen=True, repr=False, kw_only=True)
class Comparison(MatrixResult, Basis):
    """A ranking with intervals, tests and groups. Keeps the matrix it came from, best system first."""

    IN_JSON = ("pairs",)

    FIGURES: ClassVar[Mapping[str, str]] = {
        "league": "adjudge.analyses.compare.figures.ranking:league",
        "forest": "adjudge.analyses.compare.figures.pairs:forest",
        "matrix": "adjudge.analyses.compare.figures.pairs:matrix",
        "heat": "adjudge.analyses.compare.figures.heat:heat",
    }

    asked: Comparing[Any]
    standings: tuple[Standing, ...]
    tested: dict[Test, Tested]
    interval: str = "t"
    """How the league's intervals are computed."""
    role: str = ""
    """primary or secondary, where one measure was chosen beforehand."""
    corrected: int = 0
    """The pairs over which p is corrected; more than this comparison's where measures are corrected together."""
    changes: ConclusionChanges | None = None
    """Where assessors were left out: which conclusions are others with everybody."""
    alone: bool = True
    """Whether it is the one comparison that was asked for, or that of the primary measure: a terminal shows more."""
    scores: Scores | None = field(default=None, compare=False)
    """Where they are at hand: what was compared."""

    @property
    def test(self) -> Test:
        """The test that makes the groups."""
        return self.grouped_by(self.asked)

    @property
    def narrower(self) -> Test:
        """The test for these assessors, or these topics' scores where no assessor is named."""
        return THESE if THESE in self.tested else self.test

    @property
    def level(self) -> float:
        return self.asked.level

    @property
    def resamples(self) -> int | None:
        """Of the chosen test, where it resamples."""
        return self.tested[self.test].resamples

    @property
    def seed(self) -> int:
        return self.asked.seed

    @property
    def complete(self) -> bool:
        """Every pair was asked for, so that letters and rank intervals mean something."""
        return bool(self.family.all())

    def how(self) -> str:
        matrix, asked = self.matrix, self.asked
        against = f"|against:{asked.against}:{asked.side}" if asked.against else ""
        against += f"|margin:{asked.margin:g}" if asked.margin is not None else ""
        pairs = int(self.family.sum())
        of = "" if self.corrected == pairs else f" of {self.corrected}"
        return (
            f"{matrix.signature}|topics:{len(matrix.topics)}|pool:{matrix.pool}"
            f"|interval:{self.interval}:{self.level:g}"
            f"|test:{self.tested[self.test].results.signature.replace('|', ':')}"
            f"|correct:{asked.correct}:{asked.alpha:g}|pairs:{pairs}{of}{against}|seed:{self.seed}"
        )

    def methods(self) -> MethodsParagraph:
        from adjudge.analyses.methods import compared_methods

        return compared_methods([self])

    @cached_property
    def pairs(self) -> dict[Test, tuple[ComparedPair, ...]]:
        """The pairs that were asked for, by test."""
        return {test: tuple(self._compared(test)) for test in self.tested}

    def _compared(self, test: Test) -> Iterator[ComparedPair]:
        import numpy as np

        tested, names = self.tested[test], self.matrix.systems
        counts, ends = tested.results.counts, self.pair_intervals[test]
        same = self.same
        for k in np.flatnonzero(self.family).tolist():
            yield ComparedPair(
                a=names[counts.first[k]],
                b=names[counts.second[k]],
                result=tested.results.at(k),
                p_adjusted=float(tested.adjusted[k]),
                conclusion=CONCLUSIONS[tested.conclusion[k]],
                smallest=float(tested.smallest[k]),
                needed=self.alpha / tested.divisor,
                low=float(ends.low[k]),
                high=float(ends.high[k]),
                same=bool(same[k]),
                sets=0 if self.codes is None else int(np.unique(self.codes).size),
            )

    @cached_property
    def pair_intervals(self) -> dict[Test, PairIntervals]:
        """Intervals of the mean differences, by test."""
        pointwise = self.asked.intervals == "pointwise"
        elsewhere = self.corrected - int(self.family.sum())
        return {
            test: exact_intervals(tested, self.asked, pointwise=pointwise, elsewhere=elsewhere)
            if test == "sign" and self.usual == "sign"
            else pair_intervals(
                tested, *self._errors(test), self.asked, pointwise=pointwise, elsewhere=elsewhere
            )
            for test, tested in self.tested.items()
        }

    def _errors(self, test: Test) -> tuple[FloatArray, FloatArray]:
        """Standard errors of the mean differences, and their degrees of freedom."""
        if test in (THESE, ASSESSORS) and self.population is not None and self.population.pairs is not None:
            sure = sureness_of(self.population.pairs, test)
            return sure.error, sure.df
        return self._errors_over_topics

    @cached_property
    def _errors_over_topics(self) -> tuple[FloatArray, FloatArray]:
        import numpy as np

        from adjudge.stats.pairs import borrowed, moments
        from adjudge.stats.resampling.cluster import cluster_errors

        if self.codes is not None:
            return cluster_errors(self.matrix.values, self.codes)
        spread = moments(self.matrix.values)
        if (of_t := self.tested.get("t")) is not None:
            _, error = borrowed(of_t.results, spread)
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                error = np.where(spread.constant, np.nan, spread.sd / np.sqrt(spread.counts.n))
        return error, spread.counts.n.astype(np.float64) - 1

    @cached_property
    def by_ranks(self) -> Tested | None:
        """Wilcoxon's test of the same pairs, corrected in the same way, where it is none of those that were run."""
        import numpy as np

        few = len(self.family) <= MOST_BY_RANKS
        answered = bool(np.isin(self.tested[self.narrower].conclusion, (DIFFERENT, ALIKE)).any())
        beside = (
            self.narrower in (DEFAULT_TEST, THESE) and self.codes is None and "wilcoxon" not in self.tested
        )
        if not (few and beside and answered):
            return None
        asked = replace(self.asked, test="wilcoxon", tests=(), correct=_from_p(self.asked.correct))
        untold = run_all(self.matrix.values, self.family, asked, _alternative(self.matrix, asked))
        return conclude([untold["wilcoxon"]], asked)[0]

    @cached_property
    def better(self) -> BoolArray:
        """Systems x systems, in the order of the standings: whether one is significantly better than the other."""
        return _better(self.matrix, self.tested[self.test], [s.system for s in self.standings])

    @property
    def short_of(self) -> Few:
        """Of what there is too little for the pairs that are out of reach of the test that makes the groups."""
        tested = self.tested[self.test]
        resamples = tested.out_of_resamples(self.alpha)
        if resamples and resamples == tested.count(OUT_OF_REACH):
            return "resamples"
        return "both" if resamples else "topics" if self.codes is None else "sets"

    @cached_property
    def next_step(self) -> NextStep | None:
        """What would decide between the best systems, where something can be said of it."""
        from adjudge.analyses.compare.next_step import next_step

        return next_step(self) if self.alone and self.scores is not None else None

    @cached_property
    def topics_by_difficulty(self) -> tuple[str, ...]:
        """The topics from the easiest to the hardest, by mean ranks as `topics` has them; without scores last."""
        from adjudge.analyses.topics.result import topics_of_matrix

        return tuple(standing.topic for standing in topics_of_matrix(self.matrix).standings)

    @cached_property
    def effects(self) -> PairEffects:
        """How large the differences are, with intervals, over all pairs."""
        from adjudge.stats.effects import pair_effects

        return pair_effects(self.matrix.values, level=self.level)

    @cached_property
    def _without_interval(self) -> BoolArray:
        """Pairs whose differences are nearly all one number: at a ceiling no interval of their size covers."""
        import numpy as np

        from adjudge.stats.bootstrap import LEAST_VARIED
        from adjudge.stats.resampling.max_t import DifferenceRows, row_moments

        counts = self.effects.counts
        columns = np.ascontiguousarray(self.matrix.values.T) + 0.0
        seen = row_moments(DifferenceRows(columns, counts.first, counts.second))
        nearly_flat: BoolArray = (seen.n - seen.varied > 1) & (seen.varied < LEAST_VARIED)
        return nearly_flat

    @cached_property
    def same(self) -> BoolArray:
        """Which pairs are shown to be the same within the margin.

        A test of ranks counts ties as evidence: where nearly all differences are one number nothing is shown, and
        where the mean difference exceeds the margin the two are not the same on average.
        """
        import numpy as np

        if self.equivalence is None:
            return np.zeros(self.family.size, dtype=np.bool_)
        near = np.abs(self.equivalence.counts.difference) < self.equivalence.margin
        return np.asarray(self.equivalence.equivalent & near & ~self._without_interval)

    @property
    def never_equivalent(self) -> int:
        """With a margin: the pairs of which equivalence could not have been shown."""
        if self.equivalence is None:
            return 0
        flat = self._without_interval & ~self.tested[self.test].different
        return int(((self.equivalence.out_of_reach | flat) & self.family & ~self.same).sum())

    @cached_property
    def equivalence(self) -> Equivalence | None:
        """Which pairs are shown to be the same within the margin, where one was given."""
        if self.asked.margin is None:
            return None
        from adjudge.stats.equivalence import equivalence_pairs

        correct = self.asked.correct
        if (
            self.test in (THESE, ASSESSORS)
            and self.population is not None
            and self.population.pairs is not None
        ):
            return equivalence_of(self, self.population.pairs, self.asked.margin)
        return equivalence_pairs(
            self.matrix.values,
            margin=self.asked.margin,
            test="wilcoxon" if self.test == "wilcoxon" else "t",
            alpha=self.alpha,
            family=self.family,
            correct=_from_p(correct),  # type: ignore[arg-type]
        )

    @cached_property
    def fewest(self) -> Fewest | None:
        """The fewest topics without which another system comes first, by number; None where none is first."""
        return fewest_topics(self)

    def candidates(self) -> list[str] | None:
        """The systems that nobody is significantly better than; None where not every pair was asked for."""
        if not self.complete:
            return None
        return [self.standings[j].system for j in candidates(self.better)]

    @property
    def is_adjusted(self) -> bool:
        """Whether means are adjusted for topics, or for assessors too."""
        return any(s.adjusted != s.mean for s in self.standings)

    # Rows, facts and notes

    def tables(self) -> Iterator[Table]:
        yield self._league()
        if self.asked.pairs or (
            self.alone and 1 < len(self.standings) <= MOST_IN_PAIRS and self.family.any()
        ):
            yield replace(self._differences(), in_passing=not self.asked.pairs)
        if self.asked.effects:
            yield self._effects()

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """A row per pair and test; a row per pair with the p of every test; how large the differences are; and which
        topics decide who comes first."""
        return {
            "pairs": self._pairs_table,
            "differences": self._differences,
            "effects": self._effects,
            "fewest": lambda: fewest_table(self),
        }

    @property
    def csv_table(self) -> str:
        return "effects" if self.asked.effects else "pairs"

    def _league(self) -> Table:
        from adjudge.analyses.compare.marks import best_of, marks
        from adjudge.analyses.compare.several_words import league_caption

        moved = self.is_adjusted
        of = " (relative to the average system)" if self.modelled else " (unadjusted)" if moved else ""
        secondary = "secondary measure, " if self.role == "secondary" else ""
        axis, lines = interval_bars(
            # Adjusted means lie within the intervals of a mixed model, not within those of the systems' own topics.
            [(s.low, s.adjusted if self.modelled else s.mean, s.high) for s in self.standings],
            width=BAR,
            form=".3g",
        )
        stars = {} if self.asked.against is None else marks(self) or {}
        ranked: Literal["always", "never"] = "always" if self.complete else "never"
        best = best_of(self, self.kinds)
        open_ranks = {} if self.complete else dict.fromkeys(("best", "worst", "ranks", "group"))
        table = Table.of(
            "league",
            [
                {
                    **vars(s),
                    **self.target,
                    "kind": self.kinds.get(s.system),
                    "star": stars.get(s.system, ""),
                    "interval": low_to_high(s.low, s.high),
                    "ranks": ranks(s),
                    "bar": line,
                    **open_ranks,
                }
                for s, line in zip(self.standings, lines, strict=True)
            ],
            *hidden("measure length form"),
            Column("rank", ""),
            Column("system", right=False),
            Column("kind", show="varies"),
            Column("n", "topics", show="varies"),
            Column("mean", format=".4f"),
            Column("adjusted", "adjusted mean", format=".4f", show="always" if moved else "never"),
            Column("star", "", data=False, raised=True, show="print" if stars else "never"),
            *hidden("low high"),
            Column("interval", f"{self.level:.0%} interval{of}", data=False, right=False),
            *hidden("best worst"),
            Column("ranks", data=False, right=False, show=ranked),
            Column("group", right=False, show=ranked),
            Column("bar", axis, data=False, right=False, show="terminal"),
            title=f"{self.matrix.heading} ({secondary}{self.matrix.info.direction},"
            f" {counted(len(self.matrix.topics), 'topic')})",
        )
        bold = "adjusted" if moved else "mean"
        return replace(
            table,
            anchor=f"league {self.matrix.heading}",
            caption=league_caption(self),
            bold=frozenset((at, bold) for at, s in enumerate(self.standings) if s.system in best),
        )

    def _differences(self) -> Table:
        """A row per pair: the difference with its interval, and p by every test."""
        import numpy as np

        from adjudge.analyses.compare.words import differences_title, heading_of_p

        tested, ends, names = self.tested[self.test], self.pair_intervals[self.test], self.matrix.systems
        counts = tested.results.counts
        tests = [self.test, *(test for test in self.tested if test != self.test)]
        rows = []
        for k in np.flatnonzero(self.family).tolist():
            conclusion, low, high = int(tested.conclusion[k]), float(ends.low[k]), float(ends.high[k])
            differ = conclusion == DIFFERENT
            rows.append(
                {
                    **self.target,
                    "a": names[counts.first[k]],
                    "b": names[counts.second[k]],
                    "n": int(counts.n[k]),
                    "difference": float(counts.difference[k]),
                    "low": low,
                    "high": high,
                    "interval": ends_of_difference(low, high, differ=differ),
                    **{f"p_{test}": float(self.tested[test].adjusted[k]) for test in tests},
                    **{
                        f"p_{test} shown": p_number(float(self.tested[test].adjusted[k])) or None
                        for test in tests
                    },
                    "conclusion": CONCLUSIONS[conclusion],
                    "short": short_conclusion(conclusion, self.alpha),
                    "verdict": VERDICTS[differ, bool(self.same[k])]
                    if self.asked.margin is not None
                    else None,
                }
            )
        margin = self.asked.margin is not None
        corrected = " (corrected)" if ends.method not in ("pointwise-t",) and self.corrected > 1 else ""
        return Table.of(
            "differences",
            rows,
            *hidden("measure length form"),
            Column("a", "system", right=False),
            Column("b", "compared with", right=False),
            Column("n", "topics", show="varies"),
            Column("difference", format=".4f"),
            *hidden("low high"),
            Column("interval", f"{self._level_of_pairs:g}% interval{corrected}", data=False, right=False),
            *(
                column
                for test in tests
                for column in (
                    Column(f"p_{test}", show="never"),
                    Column(f"p_{test} shown", heading_of_p(self, test, tests), data=False, right=True),
                )
            ),
            Column("conclusion", show="never"),
            Column("short", "", data=False, right=False, show="never" if margin else "always"),
            Column("verdict", "", right=False, show="always" if margin else "never"),
            title=differences_title(self),
        )

    @property
    def _level_of_pairs(self) -> float:
        """Of the intervals of differences, of all of them where they are corrected, in per cent."""
        pointwise = self.asked.intervals == "pointwise"
        return round(100 * (self.level if pointwise else 1 - self.alpha), 10)

    def _pairs_table(self) -> Table:
        return Table.of(
            "pairs",
            (row for test in self.tested for row in _pair_rows(self, test)),
            "measure length form a b n test statistic p p_adjusted difference low high wins losses ties method why",
            "conclusion smallest_p cutoff interval p_equivalent verdict",
        )

    def _effects(self) -> Table:
        import numpy as np

        from adjudge.stats.effects import KINDS

        headings = {
            "mean": "difference",
            "standardised": "in s.d.",
            "hodges_lehmann": "Hodges-Lehmann",
            "superiority": "superiority",
        }
        counts, names = self.effects.counts, self.matrix.systems
        columns = [
            *hidden("measure length form"),
            Column("a", right=False),
            Column("b", right=False),
            Column("n", "topics"),
            *map(Column, ("wins", "losses", "ties")),
        ]
        # Column by column: a dictionary for each of 100,000 pairs would take most of the time and memory.
        cells: list[list[Cell]] = [
            *([cell] * int(self.family.sum()) for cell in self.target.values()),
            [names[i] for i in counts.first[self.family]],
            [names[i] for i in counts.second[self.family]],
            *(array[self.family].tolist() for array in (counts.n, counts.wins, counts.losses, counts.ties)),
        ]

        def shown(value: float, low: float, high: float) -> str | None:
            """An effect with its interval, where there is one."""
            if value != value:
                return None
            return f"{value:z.3g}" if low != low else f"{value:z.3g} ({low:z.3g} to {high:z.3g})"

        for kind in KINDS:
            effects = self.effects.of(kind)
            # At a ceiling no interval of a size covers; how often one wins can be told there too.
            without = self._without_interval & (kind != "superiority")
            ends = (np.where(without, np.nan, end) for end in (effects.low, effects.high))
            of_kind = [array[self.family].tolist() for array in (effects.estimate, *ends)]
            columns += hidden(f"{kind} {kind}_low {kind}_high")
            columns.append(Column(f"{kind} shown", headings[kind], data=False, right=False))
            cells += [*of_kind, list(map(shown, *of_kind))]
        return Table.of(
            "effects",
            zip(*cells, strict=True),
            *columns,
            title=f"How large the differences are (intervals of {self.level:.0%}, each by itself)",
        )

    def facts(self) -> dict[str, Any]:
        whose = self.population
        of_whom: dict[str, Any] | None = None
        if whose is not None:
            differ = {"fixed": self.tested[self.narrower].count(DIFFERENT), "random": None}
            if whose.like:
                differ["random"] = self.tested[ASSESSORS].count(DIFFERENT)
            of_whom = {**whose.facts(), "differ": differ}
        return {
            "measure": self.measure,
            "better": self.matrix.info.better,
            "length": self.matrix.length,
            "form": self.matrix.target.form,
            "topics": len(self.matrix.topics),
            "role": self.role or None,
            "corrected_over": self.corrected,
            "conclusions": {word: self.tested[self.test].count(k) for k, word in enumerate(CONCLUSIONS)},
            "wilcoxon": None if self.by_ranks is None else {"differ": self.by_ranks.count(DIFFERENT)},
            "candidates": self.candidates(),
            "fewest": fewest_facts(self.fewest, self.matrix.systems, "topic", self.matrix.topics),
            "missing": self.matrix.missing,
            "population": of_whom,
            "methods": self.methods().as_dict(),
            "next_step": None if self.next_step is None else self.next_step.facts(),
            **({"changes": self.changes.facts()} if self.changes else {}),
        }

    def notes(self) -> Iterator[Note]:
        """What a reader should know before believing the table."""

        from adjudge.stats.bootstrap import flat

        by_name = {s.system: s for s in self.standings}
        counts: dict[tuple[str, str], int] = {}
        for _, system, why in self.matrix.missing:
            counts[system, why] = counts.get((system, why), 0) + 1
        for (system, why), n in counts.items():
            yield Note.of(MISSING_SCORES, system=system, n=n, why=why)
        tested = self.tested[self.test]
        yield from self.for_whom()
        if self.ordering:
            yield Note.of(f"ordered-{self.ordering}")
        no_interval = flat(self.matrix.values) & [math.isnan(by_name[s].low) for s in self.matrix.systems]
        if without := [s for j, s in enumerate(self.matrix.systems) if no_interval[j]]:
            yield Note.of("no-interval", systems=without)
        if tested.results.test in CORRECTIONS:
            yield Note.of("swaps-test-exchangeability")
        if tested.left_out:
            first, second = tested.results.counts.first, tested.results.counts.second
            yield Note.of(
                "pairs-left-out",
                pairs=[[self.matrix.systems[side[k]] for side in (first, second)] for k in tested.left_out],
                why=next(iter(tested.left_out.values())),
            )
        if self.test in ABOUT_THE_MIDDLE and self.usual != "sign" and (unsure := self._means_unsure()):
            yield Note.of("means-unsure", n=unsure, level=1 - self.alpha)
        if self.test in ("t-unpaired", "welch"):
            yield Note.of("not-independent")
        pairs = int(self.family.sum())
        if self.asked.correct == "none" and pairs > 1:
            yield Note.of("not-corrected", pairs=pairs, alpha=self.alpha, by_chance=pairs * self.alpha)
        if self.asked.effects:
            if self.population is not None:
                yield Note.of("effects-over-topics", assessors=len(self.population.assessors))
            if lost := int((self._without_interval & self.family).sum()):
                yield Note.of("effects-without-interval", pairs=lost)

    def for_whom(self) -> Iterator[Note]:
        """What a reader should know of the assessors and of the sets of topics."""
        import numpy as np

        if self.population is not None:
            yield from self.population.notes()
        if self.codes is not None and (sets := np.unique(self.codes).size) < len(self.matrix.topics):
            yield Note.of("sets", sets=int(sets), topics=len(self.matrix.topics))
        if self.few_sets:
            yield Note.of("few-sets", sets=self.few_sets)

    def _means_unsure(self) -> int:
        """How many of the pairs that differ have a mean difference that, taken by itself, does not."""
        import numpy as np

        tested, (error, freedom) = self.tested[self.test], self._errors(self.test)
        alone = replace(self.asked, correct="none", level=1 - self.alpha)
        ends = pair_intervals(tested, error, freedom, alone, pointwise=True)
        with_zero = ~((ends.low > 0) | (ends.high < 0)) & ~np.isnan(error)
        return int((tested.different & with_zero).sum())


def _from_p(correct: str) -> str:
    """The same correction, or Holm's where it resamples the scores itself."""
    return "holm" if CORRECTIONS[correct].from_scores else correct


def ranks(standing: Standing, dash: str = "-") -> str:
    """The ranks that the significant differences leave open: 2-4."""
    return rank_range(standing.best, standing.worst, dash)


def _pair_rows(c: Comparison, test: Test) -> Iterator[tuple[Any, ...]]:
    """In the order of the columns of the table of pairs."""
    import numpy as np

    tested, ends, names = c.tested[test], c.pair_intervals[test], c.matrix.systems
    results, counts, equivalence = tested.results, tested.results.counts, c.equivalence
    called = results.test if results.test in CORRECTIONS else test
    for k in np.flatnonzero(c.family).tolist():
        statistic, low = float(results.statistic[k]), float(ends.low[k])
        yield (
            *c.target.values(),
            names[counts.first[k]],
            names[counts.second[k]],
            int(counts.n[k]),
            called,
            statistic,
            float(results.p[k]),
            float(tested.adjusted[k]),
            float(counts.difference[k]),
            low,
            float(ends.high[k]),
            int(counts.wins[k]),
            int(counts.losses[k]),
            int(counts.ties[k]),
            results.method[k],
            tested.why(k) or NO_NUMBER.get(_without_spread(c, counts, k, statistic, low)),
            CONCLUSIONS[int(tested.conclusion[k])],
            float(tested.smallest[k]),
            math.nan if results.cutoff is None else float(results.cutoff[k]),
            ends.method,
            math.nan if equivalence is None else float(equivalence.same_adjusted[k]),
            None if equivalence is None else VERDICTS[bool(tested.different[k]), bool(c.same[k])],
        )


def _without_spread(c: Comparison, counts: PairCounts, k: int, statistic: float, low: float) -> str:
    """The code of why a pair that was tested has no number for its statistic or its interval; empty where it has."""
    import numpy as np

    if math.isinf(statistic):
        return "infinite-no-interval" if math.isnan(low) else "infinite"
    if not math.isnan(low):
        return ""
    a, b = c.matrix.values[:, counts.first[k]], c.matrix.values[:, counts.second[k]]
    differences = (a - b)[~np.isnan(a - b)]
    if differences.size < 2:
        return "one-topic"
    same = np.ptp(differences) <= 1e-12 * max(1.0, float(np.abs(differences).max()))
    return "same-no-interval" if same else "no-interval"


def _ranked(matrix: ScoreMatrix, against: str | None) -> tuple[ScoreMatrix, FloatArray, Ordering]:
    """Systems with scores, best first, what they are ordered by, and what that is adjusted for.

    The one that all are compared with comes last. Where systems have different topics, they are ordered by
    least-squares means, since means over different topics are not comparable.
    """
    import numpy as np

    from adjudge.stats.fewest import ranking_means

    if not matrix.systems:
        raise DataError(f"{matrix.measure}: no scores")
    if against is not None and against not in matrix.systems:
        raise UsageError(
            f"{Argument('against')} {quoted(against)}: no such system{among(against, matrix.systems)}"
        )
    present = ~np.isnan(matrix.values)
    scored = matrix.select([s for s, n in zip(matrix.systems, present.sum(axis=0), strict=True) if n])
    if not scored.systems:
        raise DataError(f"{matrix.measure}: every score is missing ({matrix.missing[0][2]})")
    if against is not None and against not in scored.systems:
        raise DataError(f"{Argument('against')} {quoted(against)}: it has no score of {matrix.measure}")
    means, adjusted = ranking_means(scored.values)
    ordering: Ordering = "apart" if adjusted is None else "topics" if adjusted else ""
    order = _best_first(means, scored.systems, matrix.info, against)
    return scored.select([scored.systems[j] for j in order]), means[order], ordering


def _alternative(matrix: ScoreMatrix, asked: Comparing[Any]) -> Alternative:
    if asked.side == "both":
        return "two-sided"
    return "greater" if (asked.side == "better") == (matrix.info.better != "lower") else "less"


def _better(matrix: ScoreMatrix, tested: Tested, names: Sequence[str]) -> BoolArray:
    """Whether one system is significantly better than the other, systems x systems in the order of the names."""
    import numpy as np

    size = len(matrix.systems)
    counts = tested.results.counts
    higher = tested.results.statistic * (-1 if matrix.info.better == "lower" else 1) > 0
    above = np.zeros((size, size), dtype=bool)
    above[counts.first, counts.second] = tested.different & higher
    above[counts.second, counts.first] = tested.different & ~higher
    place = [matrix.systems.index(name) for name in names]
    return above[np.ix_(place, place)]


def _standings(
    prepared: Prepared, low: FloatArray, high: FloatArray, tested: Tested, complete: bool
) -> tuple[Standing, ...]:
    """The league table, best mean first. Groups and rank intervals need every pair."""
    import numpy as np

    from adjudge.stats.order import letters, places, rank_intervals

    matrix, means = prepared.matrix, prepared.means
    size = len(matrix.systems)
    sign = -1 if matrix.info.better == "lower" else 1
    above = _better(matrix, tested, matrix.systems)
    rank = places(-sign * means)
    order = sorted(range(size), key=lambda j: (rank[j], matrix.systems[j]))
    groups = letters(above | above.T, order) if complete else [""] * size
    best, worst = rank_intervals(above) if complete else (np.ones(size, int), np.full(size, size))
    raw = np.nanmean(matrix.values, axis=0)
    return tuple(
        Standing(
            system=matrix.systems[j],
            rank=int(rank[j]),
            n=int(np.count_nonzero(~np.isnan(matrix.values[:, j]))),
            mean=float(raw[j]),
            adjusted=float(means[j]),
            low=float(low[j]),
            high=float(high[j]),
            group=groups[j],
            best=int(best[j]),
            worst=int(worst[j]),
        )
        for j in order
    )
