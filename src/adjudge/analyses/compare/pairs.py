"""Which systems really differ: all pairs of systems on one measure, with a ranking, intervals, tests and groups.

`compare` gives one `Comparison`, `compare_all` one for every measure and length, with one table of them all. The
tests are run in tests.py, the mathematics is in stats/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from adjudge.analyses.best import best_words
from adjudge.analyses.compare.paper import ComparedMeasures, best_of, league_caption, marks
from adjudge.analyses.compare.sampled import (
    ASSESSORS,
    AssessorEffects,
    MeanIntervals,
    Population,
    effects_of,
    equivalence_of,
    pair_results,
    population,
)
from adjudge.analyses.compare.without import ConclusionChanges, conclusion_changes
from adjudge.analyses.conclusions import (
    ALIKE,
    CONCLUSIONS,
    DIFFERENT,
    MOST_RESAMPLES,
    NOT_COMPARABLE,
    NOT_TESTED,
    OUT_OF_REACH,
    Conclusion,
    PairIntervals,
    Tested,
    Untold,
    conclude,
    pair_intervals,
    run_all,
)
from adjudge.analyses.methods import MethodsParagraph, compared_methods, is_adjusted
from adjudge.analyses.scores import Among, Scores, Source, scores_of
from adjudge.analyses.tests import ALPHA, CORRECTION_WORDS, LEVEL, Choices, Test, choices, one_of
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tabular, held, plain
from adjudge.core.words import counted, decimal, listed
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from adjudge.stats.checks import BoolArray, FloatArray, IntArray
    from adjudge.stats.effects import Kind, PairEffects
    from adjudge.stats.equivalence import Equivalence
    from adjudge.stats.linear.judged_pairs import JudgedPairs
    from adjudge.stats.paired import Alternative, PairedTest
    from adjudge.stats.pairs import PairCounts

    Family = Callable[[Sequence[str]], BoolArray]

PAIR_COLUMNS = [
    "measure",
    "a",
    "b",
    "n",
    "test",
    "statistic",
    "p",
    "p_adjusted",
    "difference",
    "low",
    "high",
    "wins",
    "losses",
    "ties",
    "method",
    "why",
    "conclusion",
    "smallest_p",
    "cutoff",
    "interval",
    "p_equivalent",
    "verdict",
]

Intervals = Literal["agreeing", "pointwise"]
Across = Literal["each", "measures"]
ABOUT_THE_MIDDLE = ("wilcoxon", "sign")
"""Tests that skewed differences with a mean of 0 make significant."""

MOST_COMPARED = 2_000
"""Measures that are compared in one go."""
MOST_SYSTEMS = 5_000
"""Systems in one comparison: there are 12.5 million pairs of so many."""


def compare(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    test: str | None = None,
    tests: Sequence[str] = (),
    correct: str = "holm",
    against: str | None = None,
    side: str = "both",
    among: Among = "all",
    margin: float | None = None,
    alpha: float = ALPHA,
    level: float = LEVEL,
    statistic: str | None = None,
    zeros: str = "wilcox",
    resamples: int | None = None,
    seed: int = 0,
    pool: Pool = "mean",
    pool_humans: bool = False,
    cluster: bool | str = False,
    intervals: str = "agreeing",
    assessor_effects: str | None = None,
    mean_intervals: str = "deviation",
    without: str | Sequence[str] = (),
) -> Comparison:
    """Which systems really differ on a measure: `compare("my-eval", "rouge-2", test="t", against="lead")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. The
    measure need not be named where there is one. Several lengths are compared one at a time: choose one, or say
    "all" to average within a topic first. `test` makes the groups: wilcoxon, t, t-unpaired, welch, sign, mc, hb, exact,
    or all; of mc and hb also with a statistic, as mc:w. `tests` are run as well, and the first of them makes the groups
    where `test` does not say;
    `correct` is holm, bonferroni, bh, westfall-young, westfall-young-min-p or none. `against` compares all systems
    with one, on both sides or on one (`side`: better, worse). `margin` also says which systems are equivalent: the
    same within this difference. `cluster` swaps whole document sets (True or "set"), or all topics of a "type", "task",
    "selector" or "assessor" together. mc and hb take as many resamples as the correction for the number of pairs needs,
    unless `resamples` says how many. Intervals of differences agree with the corrected test;
    `intervals="pointwise"` leaves each at `level` by itself.

    Where assessors gave the scores, there are two answers: for these assessors (`test`, over topics), and for assessors
    like them, who are then a sample as topics are. `assessor_effects` says which makes the groups: "random", the
    default from two assessors up where the judgments allow it, or "fixed". With a sample of assessors the means'
    intervals are of the "deviation" from the average system, or with `mean_intervals="raw"` of the means themselves.
    `without` leaves out assessors; the result's `changes` say which conclusions are others without them.
    """
    chosen = choices(
        test=test,
        tests=tests,
        correct=correct,
        against=against,
        side=side,
        margin=margin,
        alpha=alpha,
        level=level,
        statistic=statistic,
        zeros=zeros,
        resamples=resamples,
        seed=seed,
    )
    found = scores_of(scores, without=without)
    asked = _Asked(
        among=among,
        pool=pool,
        pool_humans=pool_humans,
        cluster=cluster,
        intervals=_intervals(intervals),
        effects=effects_of(assessor_effects),
        mean_intervals=one_of("--mean-intervals", mean_intervals, get_args(MeanIntervals)),
    )
    which = (found.resolve(measure), length, form)
    each = found.each([which[0]], length=length, form=form)
    if len(each) == 1:  # of one length or form, which the title says then
        which = each[0]
    return _concluded(found, [which], chosen, asked)[0]


def compare_all(
    scores: Source,
    measures: Sequence[str] = (),
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    test: str | None = None,
    tests: Sequence[str] = (),
    correct: str = "holm",
    against: str | None = None,
    side: str = "both",
    among: Among = "all",
    margin: float | None = None,
    alpha: float = ALPHA,
    level: float = LEVEL,
    statistic: str | None = None,
    zeros: str = "wilcox",
    resamples: int | None = None,
    seed: int = 0,
    pool: Pool = "mean",
    pool_humans: bool = False,
    cluster: bool | str = False,
    intervals: str = "agreeing",
    assessor_effects: str | None = None,
    mean_intervals: str = "deviation",
    primary: str | None = None,
    across: str = "each",
    without: str | Sequence[str] = (),
    skip_missing: bool = False,
) -> ComparedMeasures:
    """A comparison for every measure, length and form; of everything that has scores unless measures are named.

    p is corrected over the pairs of each comparison by itself; with `across="measures"` over the pairs of all
    comparisons together. `primary` names the measure that was chosen beforehand: it comes first, and the others
    are called secondary. Where every score of a measure, length and form is missing, that is an error; with
    `skip_missing` it is left out, and named in the result's `left_out`, while there is anything else to compare.
    """
    chosen = choices(
        test=test,
        tests=tests,
        correct=correct,
        against=against,
        side=side,
        margin=margin,
        alpha=alpha,
        level=level,
        statistic=statistic,
        zeros=zeros,
        resamples=resamples,
        seed=seed,
    )
    found = scores_of(scores, without=without)
    asked = _Asked(
        among=among,
        pool=pool,
        pool_humans=pool_humans,
        cluster=cluster,
        intervals=_intervals(intervals),
        effects=effects_of(assessor_effects),
        mean_intervals=one_of("--mean-intervals", mean_intervals, get_args(MeanIntervals)),
    )
    one_of("correction", across, get_args(Across))
    first = None if primary is None else found.resolve(primary)
    if (many := len(found.resolved(measures))) > MOST_COMPARED:
        raise UsageError(
            f"{many:,} measures, of which at most {MOST_COMPARED:,} are compared at a time: name them"
        )
    each = found.each(measures, length=length, form=form)
    if first is not None:
        each.sort(key=lambda which: which[0] != first)
        if not each or each[0][0] != first:
            raise UsageError(f"the primary measure {quoted(first)} is not among those that are compared")
    absent = {which: why for which in each if skip_missing and (why := found.all_missing(*which))}
    if len(absent) < len(each):
        each = [which for which in each if which not in absent]
    found_out = _concluded(found, each, chosen, asked, primary=first, together=across == "measures")
    return ComparedMeasures(tuple(found_out), left_out=tuple(absent.values()))


def _concluded(
    scores: Scores,
    each: Sequence[tuple[str, int | AllLengths | None, str | None]],
    chosen: Choices,
    asked: _Asked,
    *,
    primary: str | None = None,
    together: bool = False,
) -> list[Comparison]:
    """The comparisons; where assessors were left out, also with everybody, to say what changes."""
    ready = [_prepared(scores, which, chosen, asked) for which in each]
    _need_assessors(ready, asked)
    found = conclusions(ready, chosen, primary=primary, together=together)
    if scores.everyone is None:
        return found
    # Conclusions for other assessors, which too few are left for, are not compared with those for these.
    alike = [
        asked if one.maker else replace(asked, effects="fixed" if one.population else None) for one in ready
    ]
    before = [
        _prepared(scores.everyone, _explicit(scores, which), chosen, how)
        for which, how in zip(each, alike, strict=True)
    ]
    with_all = conclusions(before, chosen, primary=primary, together=together)
    return [
        replace(after, changes=conclusion_changes(one, after, scores.left_out))
        for one, after in zip(with_all, found, strict=True)
    ]


def _explicit(
    scores: Scores, which: tuple[str, int | AllLengths | None, str | None]
) -> tuple[str, int | AllLengths | None, str | None]:
    """The same length and form by name, as others may have judged further ones."""
    measure, length, form = which
    lengths, forms = scores.table.lengths(measure), scores.table.forms(measure)
    if length is None and len(lengths) == 1:
        length = "unset" if lengths[0] is None else lengths[0]
    return measure, length, forms[0] if form is None and len(forms) == 1 else form


def _intervals(word: str) -> Intervals:
    found: Intervals = one_of("sort of intervals", word, get_args(Intervals))
    return found


@dataclass(frozen=True)
class _Asked:
    """Which scores are compared, and which intervals are wanted."""

    among: Among
    pool: Pool
    pool_humans: bool
    cluster: bool | str
    intervals: Intervals
    effects: AssessorEffects | None
    mean_intervals: MeanIntervals


@dataclass(frozen=True)
class Prepared:
    """A matrix ready to be compared: systems in their order, the pairs that are asked for."""

    matrix: ScoreMatrix
    """Best system first; the one that all are compared with comes last."""
    means: FloatArray
    """By system, what they are ordered by: least-squares means where cells are missing."""
    family: BoolArray
    kinds: Mapping[str, str]
    codes: IntArray | None
    """The set of every topic, where whole sets are swapped."""
    intervals: Intervals = "agreeing"
    ordering: str = ""
    """Where cells are missing: how the systems are ordered."""
    notes: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    population: Population | None = None
    mean_intervals: MeanIntervals = "deviation"
    """Where assessors are a sample: of what the intervals beside the means are."""
    given_topics: tuple[str, ...] = ()
    given_systems: tuple[str, ...] = ()

    @property
    def maker(self) -> Test | None:
        """The test that makes the groups, where it is not the chosen one over topics."""
        return ASSESSORS if self.population is not None and self.population.effects == "random" else None


def _need_assessors(prepared: Sequence[Prepared], asked: _Asked) -> None:
    if asked.effects is not None and prepared and not any(each.population for each in prepared):
        names = listed([each.matrix.measure for each in prepared])
        raise DataError(
            f"assessor effects: the scores of {names} name no assessor; a column 'assessor' of a long table can"
        )


def _prepared(
    scores: Scores,
    which: tuple[str, int | AllLengths | None, str | None],
    chosen: Choices,
    asked: _Asked,
) -> Prepared:
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
    clusters = scores.clusters(matrix, asked.cluster, length=length, form=form)
    by = "set" if asked.cluster is True else asked.cluster
    ready = prepare(
        matrix if clusters is None else matrix.signed(f"cluster:{by}"),
        chosen,
        family=partial(scores.pairs_among, among=asked.among),
        clusters=clusters,
        kinds=scores.kinds_of(matrix.systems),
        intervals=asked.intervals,
    )
    whose = population(
        scores,
        ready.matrix,
        length=length,
        form=form,
        effects=asked.effects,
        choices=chosen,
        clustered=clusters is not None,
    )
    topics, systems = scores.given_order(matrix)
    return replace(
        _in_order(ready, whose, chosen),
        given_topics=topics,
        given_systems=systems,
        notes=tuple(scores.unsaid_notes(measure)),
        made=tuple(scores.notes(matrix.measure)),
        mean_intervals=asked.mean_intervals,
    )


def _in_order(ready: Prepared, whose: Population | None, chosen: Choices) -> Prepared:
    """With the assessors; where they judged different systems, ordered by means adjusted for them and for topics."""
    import numpy as np

    from adjudge.stats.order import places

    if whose is None or whose.effects == "fixed":
        return replace(ready, population=whose)
    assert whose.pairs is not None
    means = whose.pairs.means.estimate
    if np.isnan(means).any() or np.allclose(means, ready.means, rtol=1e-9, atol=1e-12):
        return replace(ready, population=whose)
    names, family = ready.matrix.systems, ready.family
    rank = places((1 if ready.matrix.info.better == "lower" else -1) * means)
    order = sorted(range(len(names)), key=lambda j: (rank[j], names[j]))
    if chosen.against is not None:
        last = names.index(chosen.against)
        order = [*(j for j in order if j != last), last]
    return replace(
        ready,
        matrix=ready.matrix.select([names[j] for j in order]),
        means=means[order],
        family=_moved(family, order),
        population=whose.in_order(order),
        ordering="systems were judged by different assessors or on different topics: they are ordered by means adjusted"
        " for both",
    )


def _moved(family: BoolArray, order: Sequence[int]) -> BoolArray:
    """Which pairs are asked for when the systems stand in another order."""
    import numpy as np

    from adjudge.stats.pairs import columns_of_pairs

    first, second = columns_of_pairs(len(order))
    asked = np.zeros((len(order), len(order)), dtype=np.bool_)
    asked[first, second] = asked[second, first] = family
    at = np.asarray(order)
    found: BoolArray = asked[at[first], at[second]]
    return found


def prepare(
    matrix: ScoreMatrix,
    choices: Choices,
    *,
    family: Family | None = None,
    clusters: Sequence[str | None] | None = None,
    kinds: Mapping[str, str] | None = None,
    intervals: Intervals = "agreeing",
) -> Prepared:
    """Order the systems of a matrix, and choose the pairs; see `compare_matrix`."""
    import numpy as np

    ranked, means, ordering = _ranked(matrix, choices.against)
    pairs = np.ones(len(ranked.systems) * (len(ranked.systems) - 1) // 2, dtype=np.bool_)
    if choices.against is not None:
        pairs &= _with_last(len(ranked.systems))
    if family is not None:
        pairs &= family(ranked.systems)
    return Prepared(
        matrix=replace(ranked, missing=matrix.missing),
        means=means,
        family=pairs,
        kinds=kinds or {},
        codes=None if clusters is None else _codes(clusters),
        intervals=intervals,
        ordering=ordering,
    )


def compare_matrix(
    matrix: ScoreMatrix,
    choices: Choices | None = None,
    *,
    family: Family | None = None,
    clusters: Sequence[str | None] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Comparison:
    """Rank the systems of a matrix, and test pairs of them.

    `family` says of an order of systems which pairs are asked for; without it, all are (or with
    `choices.against` those with that system). `clusters` names the set of every topic: then whole sets are
    swapped, and intervals take sets as observations.
    """
    choices = choices or Choices()
    return conclusions([prepare(matrix, choices, family=family, clusters=clusters, kinds=kinds)], choices)[0]


def conclusions(
    prepared: Sequence[Prepared], choices: Choices, *, primary: str | None = None, together: bool = False
) -> list[Comparison]:
    """Test all pairs, correct the p-values, of each matrix by itself or of all together, and draw conclusions."""
    total = sum(int(each.family.sum()) for each in prepared)
    run = [
        run_all(
            each.matrix.values,
            each.family,
            choices,
            _alternative(each.matrix, choices),
            clusters=each.codes,
            pairs=total if together else None,
        )
        for each in prepared
    ]
    for each, tests in zip(prepared, run, strict=True):
        if each.population is not None and each.population.pairs is not None:
            tests[ASSESSORS] = _of_assessors(each, each.population.pairs, choices)
    makers = [each.maker or choices.test for each in prepared]
    tested = _together(run, makers, choices) if together else [_alone(tests, choices) for tests in run]
    return [
        _comparison(
            each,
            found,
            choices,
            role="" if primary is None else "primary" if each.matrix.measure == primary else "secondary",
            corrected=total if together else int(each.family.sum()),
        )
        for each, found in zip(prepared, tested, strict=True)
    ]


def _alone(tests: Mapping[Test, Untold], choices: Choices) -> dict[Test, Tested]:
    return {test: conclude([untold], choices)[0] for test, untold in tests.items()}


def _of_assessors(prepared: Prepared, pairs: JudgedPairs, choices: Choices) -> Untold:
    from adjudge.stats.tests import smallest_p

    results = pair_results(prepared.matrix.values, pairs, _alternative(prepared.matrix, choices))
    return Untold(results=results, family=prepared.family, smallest=smallest_p(results), resamples=None)


def _together(
    run: Sequence[Mapping[Test, Untold]], makers: Sequence[Test], choices: Choices
) -> list[dict[Test, Tested]]:
    """Each test corrected over all matrices; the tests that make the groups are one family, whichever they are."""
    found: list[dict[Test, Tested]] = [{} for _ in run]
    common = [test for test in run[0] if all(test in tests for tests in run)] if run else []
    families = [*([test] * len(run) for test in common), makers]
    for family in families:
        told = conclude([tests[test] for tests, test in zip(run, family, strict=True)], choices)
        for place, test, tested in zip(found, family, told, strict=True):
            place[test] = tested
    for place, tests in zip(found, run, strict=True):  # what only some measures have, and makes no groups
        place |= {test: conclude([untold], choices)[0] for test, untold in tests.items() if test not in place}
    return found


def _comparison(
    prepared: Prepared,
    tested: dict[Test, Tested],
    choices: Choices,
    *,
    role: str,
    corrected: int,
) -> Comparison:
    import numpy as np

    from adjudge.stats.bootstrap import flat, t_means
    from adjudge.stats.resampling.cluster import cluster_means

    matrix, codes = prepared.matrix, prepared.codes
    if codes is None:
        found = t_means(matrix.values, level=choices.level)
        low, high = found.low, found.high
    else:
        low, high = cluster_means(matrix.values, codes, level=choices.level)
    without = flat(matrix.values)
    # A mean is within the measure's range, so an interval that reaches beyond it covers no more than its part inside.
    least, most = matrix.info.range
    whose = prepared.population
    if prepared.maker is not None and whose is not None:
        low, high = whose.mean_intervals(prepared.means, prepared.mean_intervals, level=choices.level)
    low = np.where(without, np.nan, low if least is None else np.maximum(low, least))
    high = np.where(without, np.nan, high if most is None else np.minimum(high, most))
    return Comparison(
        matrix=matrix,
        standings=_standings(
            prepared, low, high, tested[prepared.maker or choices.test], bool(prepared.family.all())
        ),
        tested=tested,
        family=prepared.family,
        choices=choices,
        interval=f"{prepared.mean_intervals}-t" if prepared.maker else "t" if codes is None else "cluster-t",
        kinds=prepared.kinds,
        intervals=prepared.intervals,
        codes=codes,
        ordering=prepared.ordering,
        notes=prepared.notes,
        made=prepared.made,
        role=role,
        corrected=corrected,
        population=whose,
        given_topics=prepared.given_topics,
        given_systems=prepared.given_systems,
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


VERDICTS = {
    (True, False): "different",
    (True, True): "different by less than the margin",
    (False, True): "equivalent",
    (False, False): "undecided",
}
"""By whether a pair differs, and whether it is shown to be within the margin."""


@dataclass(frozen=True)
class ComparedPair:
    """Two systems compared by one test: the one with the better mean first, or, of `against`, the other system."""

    a: str
    b: str
    result: PairedTest
    p_adjusted: float
    conclusion: Conclusion
    correction: str = ""
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

    def sentence(self, better: Any, alpha: float, *, margin: float | None = None) -> str:
        """What the corrected test says, and whether the two are the same for all practical purposes."""
        result = replace(self.result, p=self.p_adjusted)
        if self.conclusion == "could not have been found":
            said = _unfindable(self)
        else:
            said = result.sentence(self.a, self.b, better, alpha=alpha, correction=self.correction)
        if margin is None:
            return said
        if self.same:
            but = "but by less" if self.different else "and equivalent: the same within"
            return f"{said}; {but} than {margin:g}" if self.different else f"{said}, {but} {margin:g}"
        return said if self.different else f"{said}; nor are they shown to be the same within {margin:g}"


def _unfindable(pair: ComparedPair) -> str:
    from adjudge.stats.paired import test_words

    n, differ = pair.result.n, pair.result.wins + pair.result.losses
    if pair.result.method is None:
        why = f"{test_words(pair.result.test)}: {pair.result.why}"
        return f"A difference between {pair.a} and {pair.b} could not have been found ({why})"
    ties = f", {differ} of them not tied" if differ < n else ""
    ties += f", in {counted(pair.sets, 'set')}" if pair.sets else ""
    return (
        f"A difference between {pair.a} and {pair.b} could not have been found ({test_words(pair.result.test)}: on"
        f" {counted(n, 'topic')}{ties}, the smallest p is {_p(pair.smallest, pair.needed)}, and one of at most"
        f" {_p(pair.needed, pair.smallest)} is needed)"
    )


@dataclass(frozen=True, repr=False)
class Comparison(Pictured, Tabular):
    """A ranking with intervals, tests and groups. Keeps the matrix it came from, best system first."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "league": "adjudge.analyses.compare.figures.ranking:league",
        "forest": "adjudge.analyses.compare.figures.pairs:forest",
        "matrix": "adjudge.analyses.compare.figures.pairs:matrix",
        "heat": "adjudge.analyses.compare.figures.heat:heat",
    }

    matrix: ScoreMatrix
    standings: tuple[Standing, ...]
    tested: dict[Test, Tested]
    family: BoolArray
    """Which pairs were asked for, in the order of `itertools.combinations` over the matrix's systems."""
    choices: Choices
    interval: str = "t"
    """How the league's intervals are computed."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Of the systems, where they are known: machine, baseline, human."""
    intervals: Intervals = "agreeing"
    """Whether the pairs' intervals agree with the corrected test, or stand each by itself."""
    codes: IntArray | None = None
    """The set of every topic, where whole sets are swapped."""
    ordering: str = ""
    """Where cells are missing: how the systems are ordered."""
    notes: tuple[str, ...] = ()
    """What there is to know of where the scores come from."""
    made: tuple[str, ...] = ()
    """What there is to know of how the scores were made."""
    role: str = ""
    """primary or secondary, where one measure was chosen beforehand."""
    corrected: int = 0
    """The pairs over which p is corrected; more than this comparison's where measures are corrected together."""
    population: Population | None = None
    """Whose judgments stand behind the scores, where assessors gave them."""
    changes: ConclusionChanges | None = None
    """Where assessors were left out: which conclusions are others with everybody."""
    given_topics: tuple[str, ...] = ()
    """In the order in which the data has them; none where a matrix was compared, which has its own."""
    given_systems: tuple[str, ...] = ()

    @property
    def test(self) -> Test:
        """The test that makes the groups."""
        return ASSESSORS if self.sampled else self.choices.test

    @property
    def sampled(self) -> bool:
        """Whether conclusions are for assessors like those who judged."""
        return self.population is not None and self.population.effects == "random"

    @property
    def alpha(self) -> float:
        return self.choices.alpha

    @property
    def level(self) -> float:
        return self.choices.level

    @property
    def resamples(self) -> int | None:
        """Of the chosen test, where it resamples."""
        return self.tested[self.test].resamples

    @property
    def seed(self) -> int:
        return self.choices.seed

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def complete(self) -> bool:
        """Every pair was asked for, so that letters and rank intervals mean something."""
        return bool(self.family.all())

    @property
    def signature(self) -> str:
        matrix, choices = self.matrix, self.choices
        against = f"|against:{choices.against}:{choices.side}" if choices.against else ""
        against += f"|margin:{choices.margin:g}" if choices.margin is not None else ""
        return (
            f"{matrix.signature}|topics:{len(matrix.topics)}|pool:{matrix.pool}"
            f"|interval:{self.interval}:{self.level:g}"
            f"|test:{self.tested[self.test].results.signature.replace('|', ':')}"
            f"|correct:{choices.correct}:{choices.alpha:g}|pairs:{self._family_words()}{against}|seed:{self.seed}"
        )

    def _family_words(self) -> str:
        own = int(self.family.sum())
        return f"{own}" if self.corrected == own else f"{own} of {self.corrected}"

    @cached_property
    def pairs(self) -> dict[Test, tuple[ComparedPair, ...]]:
        """The pairs that were asked for, by test."""
        return {test: tuple(self._pairs(test)) for test in self.tested}

    def _pairs(self, test: Test) -> Iterator[ComparedPair]:
        import numpy as np

        tested, names = self.tested[test], self.matrix.systems
        counts, ends = tested.results.counts, self.pair_intervals[test]
        word = CORRECTION_WORDS[self.choices.correct]
        same = self.same
        for k in np.flatnonzero(self.family).tolist():
            yield ComparedPair(
                a=names[counts.first[k]],
                b=names[counts.second[k]],
                result=tested.results.at(k),
                p_adjusted=float(tested.adjusted[k]),
                conclusion=CONCLUSIONS[tested.conclusion[k]],
                correction=word,
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
        pointwise = self.intervals == "pointwise"
        return {
            test: pair_intervals(
                tested,
                *self._errors(test),
                self.choices,
                pointwise=pointwise,
                elsewhere=self.corrected - int(self.family.sum()),
            )
            for test, tested in self.tested.items()
        }

    def _errors(self, test: Test) -> tuple[FloatArray, FloatArray]:
        """Standard errors of the mean differences, and their degrees of freedom."""
        if test == ASSESSORS and self.population is not None and self.population.pairs is not None:
            return self.population.pairs.error, self.population.pairs.df
        return self._errors_over_topics

    @cached_property
    def _errors_over_topics(self) -> tuple[FloatArray, FloatArray]:
        import numpy as np

        from adjudge.stats.pairs import moments
        from adjudge.stats.resampling.cluster import cluster_errors

        if self.codes is not None:
            return cluster_errors(self.matrix.values, self.codes)
        found = moments(self.matrix.values)
        with np.errstate(divide="ignore", invalid="ignore"):
            error: FloatArray = np.where(found.constant, np.nan, found.sd / np.sqrt(found.counts.n))
        return error, found.counts.n.astype(np.float64) - 1

    @cached_property
    def better(self) -> BoolArray:
        """Systems x systems, in the order of the standings: whether one is significantly better than the other."""
        return _better(self.matrix, self.tested[self.test], [s.system for s in self.standings])

    @cached_property
    def topics_by_difficulty(self) -> tuple[str, ...]:
        """The topics from the easiest to the hardest, by mean ranks as `topics` has them; without scores last."""
        from adjudge.analyses.topics.result import topics_of_matrix

        return tuple(each.topic for each in topics_of_matrix(self.matrix).standings)

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
        found: BoolArray = (seen.n - seen.varied > 1) & (seen.varied < LEAST_VARIED)
        return found

    def _effect_ends(self, kind: Kind) -> tuple[FloatArray, FloatArray]:
        """The intervals of one kind of effect, where there are any; how often one wins can be told at a ceiling too."""
        import numpy as np

        found = self.effects.of(kind)
        if kind == "superiority":
            return found.low, found.high
        without = self._without_interval
        return np.where(without, np.nan, found.low), np.where(without, np.nan, found.high)

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

    @cached_property
    def equivalence(self) -> Equivalence | None:
        """Which pairs are shown to be the same within the margin, where one was given."""
        if self.choices.margin is None:
            return None
        from adjudge.stats.equivalence import equivalence_pairs

        test: Literal["t", "wilcoxon"] = "wilcoxon" if self.test == "wilcoxon" else "t"
        correct = self.choices.correct
        if self.sampled and self.population is not None and self.population.pairs is not None:
            return equivalence_of(
                self.tested[ASSESSORS].results,
                self.population.pairs,
                values=self.matrix.values,
                margin=self.choices.margin,
                alpha=self.alpha,
                family=self.family,
                correct=correct,
            )
        return equivalence_pairs(
            self.matrix.values,
            margin=self.choices.margin,
            test=test,
            alpha=self.alpha,
            family=self.family,
            correct="holm" if correct.startswith("westfall-young") else correct,  # type: ignore[arg-type]
        )

    # In words

    def headline(self) -> str:
        """The first thing to know: who may be the best, and how many pairs differ or could have been found to."""
        tested = self.tested[self.test]
        total = int(self.family.sum())
        start = f"On {self.title}{f', a {self.role} measure,' if self.role == 'secondary' else ''}"
        if len(self.standings) < 2:
            return f"One system has scores: nothing to compare on {self.title}."
        if not total:
            return f"{start} no pair of systems was asked for."
        if tested.count(NOT_COMPARABLE) == total:
            return f"{start} no two systems have a topic in common: nothing can be compared."
        if tested.count(NOT_TESTED) + tested.count(NOT_COMPARABLE) == total:
            return f"{start} no pair of systems could be tested: {_why_nothing(self)}{_margin_words(self)}."
        if not tested.count(DIFFERENT) + tested.count(ALIKE):
            return f"{start} no difference could have been found: {_why_nothing(self)}{_margin_words(self)}."
        top = ""
        if self.choices.against is not None:
            top = _against(self)
        elif self.complete:
            names = [s.system for s in self.standings]
            top = best_words(self.better, names, directed=self.matrix.info.better is not None)
            if names[0] not in (self.candidates() or names):
                word = "highest" if self.matrix.info.better is None else "best"
                top += f", although {names[0]} has the {word} mean"
        if top and self.population is not None and self.population.pairs is not None:
            top += f" for {self.population.like_these if self.sampled else self.population.these}"
        return f"{start} {top}{'; ' if top else ''}{self.tally()}{_margin_words(self)}."

    def tally(self) -> str:
        """How many pairs there are of each conclusion, in words, and for whom."""
        return _tally(self) if self.population is None else _tally_for(self, self.population)

    def sentences(self) -> Iterator[str]:
        """The headline, then every pair that differs, and with a margin also every pair that is the same."""
        yield self.headline()
        for pair in self._pairs(self.test):  # one at a time: there may be millions
            if pair.different or pair.same:
                yield self.pair_sentence(pair)

    def pair_sentence(self, pair: ComparedPair) -> str:
        return pair.sentence(self.matrix.info.better, self.alpha, margin=self.choices.margin)

    def candidates(self) -> list[str] | None:
        """The systems that nobody is significantly better than; None where not every pair was asked for."""
        from adjudge.analyses.best import candidates

        if not self.complete:
            return None
        return [self.standings[j].system for j in candidates(self.better)]

    def missing(self) -> list[str]:
        """Missing cells, counted, a line per reason."""
        counts: dict[tuple[str, str], int] = {}
        for _, system, why in self.matrix.missing:
            counts[system, why] = counts.get((system, why), 0) + 1
        return [f"{system}: {n} missing ({why})" for (system, why), n in counts.items()]

    def warnings(self) -> list[str]:
        """What a reader should know before believing the table."""
        return _warnings(self)

    def methods(self) -> MethodsParagraph:
        """What a paper says of how this was done, and what it cites."""
        return compared_methods([self])

    # As tables

    def table(self) -> Table:
        """The league table."""
        moved = is_adjusted(self)
        of = ", unadjusted" if moved else ""
        if self.sampled:
            of = ", beside the average system" if self.interval == "deviation-t" else ""
        interval = Column("interval", f"{self.level:.0%} interval{of}", data=False, right=False)
        stars = {} if self.choices.against is None else marks(self) or {}
        columns = [Column("rank", ""), Column("system", right=False)]
        if self.kinds:
            columns.append(Column("kind", show="varies"))
        columns += [
            Column("n", "topics"),
            Column("mean", format=".4f"),
            Column("adjusted", "adjusted mean", format=".4f", show="always" if moved else "never"),
            Column("star", "", data=False, raised=True, show="print" if stars else "never"),
            Column("low", show="never"),
            Column("high", show="never"),
            interval,
        ]
        if self.complete:
            columns += [
                Column("best", show="never"),
                Column("worst", show="never"),
                Column("ranks", data=False, right=False),
                Column("group", right=False),
            ]
        best = best_of(self, self.kinds)
        return Table(
            name=f"league {self.matrix.heading}",
            columns=tuple(columns),
            rows=tuple(self._row(s, stars) for s in self.standings),
            title=f"{self.matrix.heading} ({self.matrix.info.direction},"
            f" {counted(len(self.matrix.topics), 'topic')})",
            said=(self.headline(), *(self.changes.sentences() if self.changes else ())),
            notes=(*self.missing(), *self.warnings()),
            signature=self.signature,
            caption=league_caption(self),
            bold=frozenset(
                (at, "adjusted" if moved else "mean")
                for at, s in enumerate(self.standings)
                if s.system in best
            ),
        )

    def _row(self, s: Standing, stars: Mapping[str, str]) -> tuple[str | int | float | None, ...]:
        kind = (self.kinds.get(s.system, "machine"),) if self.kinds else ()
        ends = (s.best, s.worst, ranks(s), s.group) if self.complete else ()
        star = stars.get(s.system, "")
        return (
            s.rank,
            s.system,
            *kind,
            s.n,
            s.mean,
            s.adjusted,
            star,
            s.low,
            s.high,
            interval_words(s),
            *ends,
        )

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair and test."""
        import pandas as pd

        rows = [row for test in self.tested for row in _pair_rows(self, test)]
        return pd.DataFrame(rows, columns=PAIR_COLUMNS)

    def effects_frame(self) -> pd.DataFrame:
        """A row per pair: effect sizes and their intervals."""
        from adjudge.stats.effects import KINDS

        frame = self.effects.to_frame()
        for kind in KINDS:
            frame[f"{kind}_low"], frame[f"{kind}_high"] = self._effect_ends(kind)
        frame = frame[self.family]
        names = self.matrix.systems
        frame.insert(0, "a", [names[i] for i in frame.pop("first")])
        frame.insert(1, "b", [names[i] for i in frame.pop("second")])
        frame.insert(0, "measure", self.measure)
        return frame.reset_index(drop=True)

    def effects_table(self) -> Table:
        """How large the differences are, for people; `effects_frame` has the numbers."""
        from adjudge.stats.effects import KINDS

        heads = {
            "mean": "difference",
            "standardised": "in s.d.",
            "hodges_lehmann": "Hodges-Lehmann",
            "superiority": "superiority",
        }
        counts = ("n", "wins", "losses", "ties")
        # Column by column: a dictionary for each of 100,000 pairs would take most of the time and memory.
        found, names = self.effects.counts, self.matrix.systems
        cells: list[list[Cell]] = [
            [names[i] for i in found.first[self.family]],
            [names[i] for i in found.second[self.family]],
            *(getattr(found, name)[self.family].tolist() for name in counts),
        ]
        for kind in KINDS:
            e = self.effects.of(kind)
            three = (each[self.family].tolist() for each in (e.estimate, *self._effect_ends(kind)))
            cells.append(list(map(_effect, *three)))
        return Table(
            name="effects",
            title=f"How large the differences are (intervals of {self.level:.0%}, each by itself)",
            columns=(
                Column("a", right=False),
                Column("b", right=False),
                *(Column(name, "topics" if name == "n" else name) for name in counts),
                *(Column(kind, heads[kind], right=False) for kind in KINDS),
            ),
            rows=tuple(zip(*cells, strict=True)),
            notes=tuple(self._no_effect_intervals()),
        )

    def _no_effect_intervals(self) -> Iterator[str]:
        from adjudge.stats.bootstrap import LEAST_VARIED

        if self.population is not None:
            yield f"effect sizes and their intervals are over topics, for {self.population.these}"

        lost = int((self._without_interval & self.family).sum())
        if lost:
            yield (
                f"no interval of the difference for {counted(lost, 'pair')}: fewer than {LEAST_VARIED} topics have"
                " another than the commonest, and none would cover"
            )

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        return held(self.streamed())

    def streamed(self) -> dict[str, Any]:
        """The same, with sentences and pairs as they are made: there may be millions of them."""
        found: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "better": self.matrix.info.better,
                "length": self.matrix.length,
                "form": self.matrix.target.form,
                "topics": len(self.matrix.topics),
                "signature": self.signature,
                "headline": self.headline(),
                "role": self.role or None,
                "corrected_over": self.corrected,
                "conclusions": {word: self.tested[self.test].count(k) for k, word in enumerate(CONCLUSIONS)},
                "candidates": self.candidates(),
                "sentences": None,
                "standings": [asdict(s) for s in self.standings],
                "pairs": None,
                "missing": self.matrix.missing,
                "population": None if self.population is None else self._population(self.population),
                "warnings": self.warnings(),
                "methods": self.methods().as_dict(),
                **({"changes": self.changes.as_dict()} if self.changes else {}),
            }
        )
        rows = (row for test in self.tested for row in _pair_rows(self, test))
        found["sentences"] = islice(self.sentences(), 1, None)
        found["pairs"] = map(plain, rows)  # plain, also for those who take them from Python
        return found

    def _population(self, whose: Population) -> dict[str, Any]:
        differ = {"fixed": self.tested[self.choices.test].count(DIFFERENT), "random": None}
        if whose.pairs is not None:
            differ["random"] = self.tested[ASSESSORS].count(DIFFERENT)
        return {**whose.as_dict(), "differ": differ}


def ranks(standing: Standing, dash: str = "-") -> str:
    """The ranks that the significant differences leave open: 2-4."""
    if standing.best == standing.worst:
        return str(standing.best)
    return f"{standing.best}{dash}{standing.worst}"


def interval_words(standing: Standing) -> str | None:
    """`0.1200 to 0.1400`; a single topic has none."""
    return None if standing.low != standing.low else f"{decimal(standing.low)} to {decimal(standing.high)}"


def _effect(value: float, low: float, high: float) -> str | None:
    """An effect with its interval, where there is one."""
    if value != value:
        return None
    return f"{value:z.3g}" if low != low else f"{value:z.3g} ({low:z.3g} to {high:z.3g})"


def _tally_for(c: Comparison, whose: Population) -> str:
    """The tally with its population; both answers where they are not about the same pairs."""
    from adjudge.stats.paired import test_words

    if whose.pairs is None:
        return f"{_tally(c)}, for {whose.these}"
    both = c.tested[c.choices.test], c.tested[ASSESSORS]
    if (both[0].conclusion == both[1].conclusion).all():
        return f"{_tally(c)}, for {whose.these} and for others like them"
    these, others = (tested.count(DIFFERENT) for tested in both)
    tail, unseen = c.tested[c.test], both[0].count(OUT_OF_REACH)
    by = test_words(both[0].results.test)
    if others and unseen and not these + both[0].count(ALIKE):
        # "None differs for these" would suggest that something was looked for and not found.
        none = f"for {whose.these} alone no difference could have been found ({by})"
        return ", ".join(
            [
                f"{_differ(c, others)} for {whose.like_these}; {none}",
                *_tallied(c, tail, (NOT_TESTED, NOT_COMPARABLE)),
            ]
        )
    unfindable = f" ({unseen:,} could not have been found, {by})" if unseen and c.sampled else ""
    if (both[0].different == both[1].different).all():
        said = f"{_differ(c, these)} for {whose.these}{unfindable} and for others like them"
    else:
        like = "the same number, but not the same pairs," if these == others and these else f"{others:,}"
        like = "none" if not others else like
        said = f"{_differ(c, these)} for {whose.these}{unfindable}; {like} if assessors like them had judged"
    return ", ".join([said, *_tallied(c, tail, (OUT_OF_REACH, NOT_TESTED, NOT_COMPARABLE))])


def _differ(c: Comparison, differ: int) -> str:
    """`48 of 66 pairs of systems differ`; of one side, `2 of 8 systems are shown to be better than lead`."""
    total = int(c.family.sum())
    if c.choices.side != "both":
        better, worse = ("better", "worse") if c.matrix.info.better else ("higher", "lower")
        shown = f"shown to be {better if c.choices.side == 'better' else worse} than {c.choices.against}"
        number = f"{differ:,} of {counted(total, 'system')}" if differ else "no system"
        return f"{number} {'are' if differ > 1 else 'is'} {shown}"
    if differ:
        return f"{differ:,} of {counted(total, 'pair')} of systems {'differs' if differ == 1 else 'differ'}"
    return f"none of {counted(total, 'pair')} of systems differs significantly"


def _tallied(c: Comparison, tested: Tested, states: Sequence[int]) -> Iterator[str]:
    words = {
        OUT_OF_REACH: "could not have been found",
        NOT_TESTED: "could not be tested",
        NOT_COMPARABLE: "no topic in common",
    }
    for state in states:
        if n := tested.count(state):
            has = "" if state != NOT_COMPARABLE else "has " if n == 1 else "have "
            yield f"{n:,} {has}{words[state]}"


def _tally(c: Comparison) -> str:
    tested, total = c.tested[c.test], int(c.family.sum())
    differ, alike = tested.count(DIFFERENT), tested.count(ALIKE)
    words = {
        ALIKE: ("is not significantly different", "are not significantly different"),
        OUT_OF_REACH: ("could not have been found", "could not have been found"),
        NOT_TESTED: ("could not be tested", "could not be tested"),
        NOT_COMPARABLE: ("has no topic in common", "have no topic in common"),
    }
    if c.choices.side != "both":
        words[ALIKE] = ("is not", "are not") if differ else ("could have been", "could have been")
        said = [_differ(c, differ)]
        if alike == total:
            return said[0]
    elif differ:
        said = [_differ(c, differ)]
    elif alike == total:
        if total == 1:
            return "the two are not significantly different"
        return f"none of the {counted(total, 'pair')} of systems differs significantly"
    elif not alike:
        said = []
    else:
        said = [_differ(c, 0)]
        words[ALIKE] = ("could have been found", "could have been found")
    said += [f"{n:,} {words[state][n != 1]}" for state in words if (n := tested.count(state))]
    if not differ and not alike and c.choices.side == "both":
        said[0] = f"of {counted(total, 'pair')} of systems {said[0]}"
    return ", ".join(said)


def _why_nothing(c: Comparison) -> str:
    """Why no pair at all could have been found."""
    import numpy as np

    tested = c.tested[c.test]
    reasons = [why for k in np.flatnonzero(c.family).tolist() if (why := tested.why(k)) is not None]
    p = tested.smallest[(tested.conclusion == OUT_OF_REACH) & ~np.isnan(tested.smallest)]
    if not p.size:
        return reasons[0] if reasons else "no pair could be tested"
    least, total = float(p.min()), int(c.family.sum())
    apart = tested.count(NOT_COMPARABLE)
    rest = f"; {apart:,} {'has' if apart == 1 else 'have'} no topic in common" if apart else ""
    if tested.floor > c.alpha:
        of_all = (
            f"the smallest corrected p that {tested.resamples:,} resamples could give is {tested.floor:.2g}"
        )
        return f"{of_all}; take more resamples, or --correct westfall-young{rest}"
    what = "the pair" if total == 1 else f"any of the {counted(total, 'pair')}"
    if least == 1:
        return (
            f"all scores of {'the two' if total == 1 else 'the systems that have topics in common'} tie{rest}"
        )
    smallest = f"the smallest p that {what} could have is {_p(least, c.alpha / tested.divisor)}"
    more = "more sets of topics" if c.codes is not None else "more topics"
    if tested.divisor == 1:
        return f"{smallest}, above {_p(c.alpha, least)}; take {more}{rest}"
    if tested.resamples is not None and least <= (1 + 1e-9) / (tested.resamples + 1):
        more = "--correct westfall-young" if p.size > c.alpha * MOST_RESAMPLES else "more resamples"
    elif least <= c.alpha:
        more = f"{more} or fewer systems"
    needed = _p(c.alpha / tested.divisor, least)
    return f"{smallest}, and with so many one of at most {needed} is needed; take {more}{rest}"


def _p(p: float, other: float) -> str:
    """A p-value by itself, with as many digits as show on which side of another it is."""
    for digits in range(2, 17):
        text = f"{p:.{digits}g}"
        if (float(text) > other) == (p > other):
            break
    return text.removeprefix("0")


def _margin_words(c: Comparison) -> str:
    """With a margin: how many pairs there are of each verdict."""
    if c.choices.margin is None:
        return ""
    counts = dict.fromkeys(VERDICTS.values(), 0)
    for pair in c._pairs(c.test):
        counts[pair.verdict] += 1
    said = ", ".join(f"{n:,} {word}" for word, n in counts.items() if n)
    never = 0
    if c.equivalence is not None:
        flat = c._without_interval & ~c.tested[c.test].different
        never = int(((c.equivalence.out_of_reach | flat) & c.family & ~c.same).sum())
    if never:
        of = "" if never == counts["undecided"] else f" {never:,} of these"
        said += f" (equivalence{' of' if of else ''}{of} could not have been shown: too few topics differ)"
    return f". With a margin of {c.choices.margin:g}: {said}"


def _against(c: Comparison) -> str:
    """Who is better and who is worse than the one system that all are compared with."""
    pairs = c.pairs[c.test]
    sign = -1 if c.matrix.info.better == "lower" else 1
    above = [pair.a for pair in pairs if pair.different and pair.result.statistic * sign > 0]
    below = [pair.a for pair in pairs if pair.different and pair.result.statistic * sign < 0]
    high, low = ("better", "worse") if c.matrix.info.better else ("higher", "lower")
    said = [f"{listed(names)} {_is(names)} {word}" for names, word in ((above, high), (below, low)) if names]
    return f"{' and '.join(said)} than {c.choices.against}" if said else ""


def _warnings(c: Comparison) -> list[str]:
    """What a reader should know before believing the table."""
    from adjudge.stats.bootstrap import LEAST_VARIED, flat

    found: list[str] = []
    tested = c.tested[c.test]
    found += c.notes
    if c.population is not None:
        found += c.population.notes()
        found += _only_sampled(c, c.population)
    if c.ordering:
        found.append(c.ordering)
    no_interval = flat(c.matrix.values)
    if without := [s for j, s in enumerate(c.matrix.systems) if no_interval[j]]:
        found.append(
            f"no interval for {listed(without)}: fewer than {LEAST_VARIED} topics differ from a score that occurs more"
            " than once, and none would cover"
        )
    found += tested.remarks
    if tested.left_out:
        found.append(_left_out(c))
    if c.test in ABOUT_THE_MIDDLE and (unsure := _means_unsure(c)):
        found.append(
            f"{counted(unsure, 'pair differs', 'pairs differ')} although the mean difference may be 0 (its own"
            f" {1 - c.alpha:.0%} interval has it): this test is about the middle of the differences, not their mean"
        )
    if c.test in ("t-unpaired", "welch"):
        found.append(
            "the scores of two systems on one topic are not independent, which this test takes them to be"
        )
    own = int(c.family.sum())
    if c.choices.correct == "none" and own > 1:
        expected = own * c.alpha
        found.append(
            f"{counted(own, 'pair')} without correction:"
            f" about {expected:.3g} would differ at p <= {c.alpha:g} if no systems did"
        )
    return found


def _only_sampled(c: Comparison, whose: Population) -> list[str]:
    """Why pairs may differ for assessors like these and not for these: two tests are not equally keen."""
    from adjudge.stats.paired import test_words

    if whose.pairs is None:
        return []
    these, others = c.tested[c.choices.test], c.tested[ASSESSORS]
    more = int((others.different & ~these.different).sum())
    if not more:
        return []
    names = [test_words(each.results.test) for each in (others, these)]
    like = "" if these.results.test == "t" else "; --test t has the like of both"
    return [
        f"{counted(more, 'pair differs', 'pairs differ')} for assessors like them and not for {whose.these}, as the two"
        f" answers have their own tests: {names[0]}, and {names[1]}{like}"
    ]


def _means_unsure(c: Comparison) -> int:
    """How many of the pairs that differ have a mean difference that, taken by itself, does not."""
    import numpy as np

    tested, (error, freedom) = c.tested[c.test], c._errors(c.test)
    alone = replace(c.choices, correct="none", level=1 - c.alpha)
    ends = pair_intervals(tested, error, freedom, alone, pointwise=True)
    with_zero = ~((ends.low > 0) | (ends.high < 0)) & ~np.isnan(error)
    return int((tested.different & with_zero).sum())


def scope_words(found: Sequence[Comparison], *, advice: str = "") -> str:
    """Over what the p-values of several comparisons are corrected; nothing to say of one."""
    if len(found) < 2 or found[0].choices.correct == "none":
        return ""
    primary = (
        f" {found[0].matrix.info.words} was named as the primary measure; the others say what else may be looked into."
        if found[0].role
        else ""
    )
    if found[0].corrected > int(found[0].family.sum()):
        return (
            f"p-values are corrected over {counted(found[0].corrected, 'pair')}, those of all {len(found)} comparisons"
            f" together.{primary}"
        )
    if primary:
        return f"p-values are corrected over the pairs of each comparison.{primary}"
    return f"p-values are corrected over the pairs of each comparison, not over the {len(found)} comparisons{advice}."


def _left_out(c: Comparison) -> str:
    left = c.tested[c.test].left_out
    counts = c.tested[c.test].results.counts
    names = [
        f"{c.matrix.systems[counts.first[k]]} and {c.matrix.systems[counts.second[k]]}"
        for k in list(left)[:3]
    ]
    more = f" and {len(left) - 3} more" if len(left) > 3 else ""
    return f"{counted(len(left), 'pair')} left the family: {'; '.join(names)}{more} ({next(iter(left.values()))})"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _pair_rows(c: Comparison, test: Test) -> Iterator[dict[str, Any]]:
    import numpy as np

    tested, ends, names = c.tested[test], c.pair_intervals[test], c.matrix.systems
    results, counts = tested.results, tested.results.counts
    equivalence = c.equivalence
    for k in np.flatnonzero(c.family).tolist():
        state = int(tested.conclusion[k])
        same = bool(c.same[k])
        yield {
            "measure": c.measure,
            "a": names[counts.first[k]],
            "b": names[counts.second[k]],
            "n": int(counts.n[k]),
            "test": results.test if results.test in CORRECTION_WORDS else test,
            "statistic": float(results.statistic[k]),
            "p": float(results.p[k]),
            "p_adjusted": float(tested.adjusted[k]),
            "difference": float(counts.difference[k]),
            "low": float(ends.low[k]),
            "high": float(ends.high[k]),
            "wins": int(counts.wins[k]),
            "losses": int(counts.losses[k]),
            "ties": int(counts.ties[k]),
            "method": results.method[k],
            "why": tested.why(k)
            or _without_spread(c, counts, k, float(results.statistic[k]), float(ends.low[k])),
            "conclusion": CONCLUSIONS[state],
            "smallest_p": float(tested.smallest[k]),
            "cutoff": float("nan") if results.cutoff is None else float(results.cutoff[k]),
            "interval": ends.method,
            "p_equivalent": float("nan") if equivalence is None else float(equivalence.same_adjusted[k]),
            "verdict": None if equivalence is None else VERDICTS[state == DIFFERENT, same],
        }


def _without_spread(c: Comparison, counts: PairCounts, k: int, statistic: float, low: float) -> str | None:
    """Why a pair that was tested has no number for its statistic or its interval, if so: JSON has none for infinity."""
    import math

    import numpy as np

    if not math.isinf(statistic):
        if not math.isnan(low):
            return None
        a, b = c.matrix.values[:, counts.first[k]], c.matrix.values[:, counts.second[k]]
        differences = (a - b)[~np.isnan(a - b)]
        if differences.size < 2:
            return "an interval needs two topics"
        same = np.ptp(differences) <= 1e-12 * max(1.0, float(np.abs(differences).max()))
        return (
            "all differences are the same, so that there is no interval" if same else "there is no interval"
        )
    ends = " and there is no interval" if math.isnan(low) else ""
    return f"all differences are the same, so that the statistic is infinite{ends}"


def _ranked(matrix: ScoreMatrix, against: str | None) -> tuple[ScoreMatrix, FloatArray, str]:
    """Systems with scores, best first, what they are ordered by, and what to say of that.

    The one that all are compared with comes last. Where systems have different topics, they are ordered by
    least-squares means, since means over different topics are not comparable.
    """
    import numpy as np

    from adjudge.stats.order import places

    if not matrix.systems:
        raise DataError(f"{matrix.measure}: no scores")
    if against is not None and against not in matrix.systems:
        raise UsageError(f"--against {quoted(against)}: no such system{among(against, matrix.systems)}")
    present = ~np.isnan(matrix.values)
    scored = matrix.select([s for s, n in zip(matrix.systems, present.sum(axis=0), strict=True) if n])
    if not scored.systems:
        raise DataError(f"{matrix.measure}: every score is missing ({matrix.missing[0][2]})")
    if against is not None and against not in scored.systems:
        raise DataError(f"--against {quoted(against)}: it has no score of {matrix.measure}")
    means, said = _adjusted(scored.values)
    sign = 1 if matrix.info.better == "lower" else -1
    rank = places(sign * means)
    order = sorted(range(len(means)), key=lambda j: (rank[j], scored.systems[j]))
    if against is not None:
        last = scored.systems.index(against)
        order = [*(j for j in order if j != last), last]
    return scored.select([scored.systems[j] for j in order]), means[order], said


def _adjusted(values: FloatArray) -> tuple[FloatArray, str]:
    """Means, adjusted for topics where systems have different ones, and what to say of that."""
    import numpy as np

    present = ~np.isnan(values)
    means = np.nanmean(values, axis=0)
    if (present == present[:, :1]).all():
        return means, ""
    from adjudge.stats.linear.model import fit_additive  # slow to load, and seldom needed

    adjusted = fit_additive(values).means
    if np.isnan(adjusted).any():
        return means, (
            "means are over different topics, and no chain of common topics joins all systems: the order by"
            " means says nothing across the parts"
        )
    return adjusted, "means are over different topics: systems are ordered by means adjusted for topics"


def _codes(clusters: Sequence[str | None]) -> IntArray:
    """A number for every set; topics without one would each be a set of its own by accident."""
    import numpy as np

    if absent := sum(name is None for name in clusters):
        raise DataError(
            f"{absent} of {len(clusters)} topics belong to no set: there is nothing to cluster by"
        )
    numbers = {name: k for k, name in enumerate(dict.fromkeys(clusters))}
    return np.array([numbers[name] for name in clusters], dtype=np.int64)


def _alternative(matrix: ScoreMatrix, choices: Choices) -> Alternative:
    if choices.side == "both":
        return "two-sided"
    higher = (choices.side == "better") == (matrix.info.better != "lower")
    return "greater" if higher else "less"


def _with_last(systems: int) -> BoolArray:
    from adjudge.stats.pairs import columns_of_pairs

    chosen: BoolArray = columns_of_pairs(systems)[1] == systems - 1
    return chosen


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
