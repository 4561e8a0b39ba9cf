"""Planning: how many topics or assessors it takes to find a difference, from the spread of a user's own scores.

Answers are for the comparison that will be made, all pairs of systems with a correction, and for one pair by itself.
Pairs of systems are simulated with the spread and the ties that the scores have; power is computed in stats/power/.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from adjudge import __version__
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.plan.designs import (
    DesignStudy,
    DifferenceKind,
    crossed_alone,
    crossed_of,
    study_designs,
    typical_difference,
    why_no_designs,
)
from adjudge.analyses.plan.noise import NoiseSources, noise_sources
from adjudge.analyses.scores import Source, scores_of
from adjudge.analyses.tests import ALL, RESAMPLES
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, decimal, listed
from adjudge.data.scores import AllLengths, Among, CellJudgments, Pool, ScoreMatrix
from adjudge.stats import checks
from adjudge.stats.paired import TEST_WORDS
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.power.assessors import Crossed
from adjudge.stats.power.family import ALONE, Family
from adjudge.stats.power.generate import FURTHEST
from adjudge.stats.power.search import (
    FEWEST_FOUND,
    SIMULATIONS,
    Answer,
    Chosen,
    Goal,
    Power,
    Sample,
    Search,
    chosen,
    resamples_at,
)
from adjudge.stats.power.sources import (
    Disagreement,
    Normal,
    Rated,
    Resampled,
    Spreads,
    components,
    disagreement,
    places,
    rated,
    resampled,
    spreads,
    tie_share,
)

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.stats.checks import BoolArray, IntArray

LARGEST = 1e150
"""Of scores: squares of larger ones overflow, and of smaller than one over this vanish."""
ROUNDING = 1e-9
"""Of the spread: own likings within are equal but for rounding."""
LEAST_APART = 1e-12
"""Of the spread: a smaller difference is lost in rounding."""
FEW = 8
"""With fewer topics the spread is hardly known."""
TESTS = tuple(TEST_WORDS)
BESIDE = ("wilcoxon", "t", "sign", "t-unpaired")
"""Tests that are always shown: they are quick."""
WIDE = 0.9
"""The quantile of the pairs' spreads that stands for a pair whose differences spread widely."""
JUDGES = (1, 2, 3, 5, 10)
SAMPLED = (2, 3, 5, 10, 20)
"""Assessors in all."""
_NICE = tuple(base * 2**k for k in range(24) for base in (6, 8))
Progress = Callable[[int, int], None]
Correct = Literal["holm", "bonferroni", "none"]
Compared = Literal["all", "typical", "one"]
"""All pairs whatever the other systems are; all pairs where they lie as the scores' systems do; the pair by itself."""


def plan(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    difference: float | str | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    test: str = "wilcoxon",
    correct: str = "holm",
    pairs: int | None = None,
    systems: int | None = None,
    among: Among = "all",
    normal: bool = False,
    assessors: Sequence[int] = (),
    groups: Sequence[int] = (),
    judgments: int | None = None,
    simulations: int = SIMULATIONS,
    seed: int = 0,
    pool: Pool = "mean",
    progress: Progress | None = None,
    without: str | Sequence[str] = (),
) -> PowerPlan:
    """How many topics or assessors it takes to find a difference: `plan("my-eval", "rouge-2", difference=0.01)`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame.
    `difference` is in the measure's units, or a share of the mean score such as "5%"; without one, the plan says
    which difference the present topics find. `test` answers, with the quick tests as a comparison; "all" shows every
    test. The plan is for a comparison of all pairs of systems, corrected by `correct` (holm, bonferroni, none), and
    for one pair beside it; `systems` or `pairs` say how many there will be where it is not as many as there are
    now. `among` says which pairs of systems are compared and give the spread.

    Where assessors are known, the plan says where the noise comes from, and compares designs of judging for the same
    number of judgments of each system, as many as now or `judgments`: how many `assessors` in how many `groups`, each
    group with topics of its own.
    """
    found = scores_of(scores, without=without)
    matrix = found.matrix(measure, length=length, form=form, pool=pool)
    family = found.pairs_among(matrix.systems, among)
    given = found.table.judgments(matrix, length=length, form=form)
    sources = None
    if (
        given is not None
        or found.table.at(matrix.measure, length=length, form=form)["assessor"].notna().any()
    ):
        sources = noise_sources(
            found, matrix.measure, length=length, form=form, systems=_in_pairs(matrix, family), seed=seed
        )
    return plan_of(
        matrix,
        difference,
        power=power,
        alpha=alpha,
        test="wilcoxon" if test == ALL else test,
        tests=TESTS if test == ALL else BESIDE,
        correct=correct,
        pairs=pairs,
        systems=systems,
        family=family,
        normal=normal,
        judgments=given,
        sources=sources,
        designs=AskedDesigns(assessors=tuple(assessors), groups=tuple(groups), judgments=judgments)
        if assessors or groups or judgments is not None
        else None,
        simulations=simulations,
        seed=seed,
        progress=progress,
    )


@dataclass(frozen=True)
class AskedDesigns:
    """Designs that are asked for: assessors of a group, groups, judgments of each system."""

    assessors: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    judgments: int | None = None


def plan_of(
    matrix: ScoreMatrix,
    difference: float | str | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    test: str = "wilcoxon",
    tests: Sequence[str] = BESIDE,
    correct: str = "holm",
    pairs: int | None = None,
    systems: int | None = None,
    family: BoolArray | None = None,
    normal: bool = False,
    judgments: CellJudgments | None = None,
    sources: NoiseSources | None = None,
    designs: AskedDesigns | None = None,
    simulations: int = SIMULATIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> PowerPlan:
    """The same from a matrix, what assessors said behind its cells, and where their noise comes from.

    `test` answers, `tests` are shown with it. `family` says which pairs of systems are compared and give the spread,
    all unless said. Pairs are simulated as levels of a rating scale where scores have few, else by resampling topics
    of the scores; with `normal`, by normal noise of the same width.
    """
    for name, value in (("power", power), ("alpha", alpha)):
        checks.share(name, value)
    known = _spreads(matrix, family)
    compared = _compared(pairs, systems, correct, known)
    typical, wide = known.quantile(0.5), known.quantile(WIDE)
    source = _source(matrix, known, typical, normal)
    task = _PlanTask(
        source=source,
        wide=replace(source, spread=wide),
        have=int(np.median(known.n[known.n > 0])),
        power=power,
        alpha=alpha,
        pairs=compared,
        places=_places(matrix, known) if correct == "holm" and compared > 1 else (),
        systems=systems if systems is not None else _columns(known).size,
        simulations=simulations,
        seed=seed,
    )
    crossed = None if sources is None else crossed_of(sources, matched=True, **task.sampling)
    if designs is not None and crossed is None:
        raise DataError(f"{matrix.measure}: designs of judging cannot be compared: {why_no_designs(sources)}")
    wanted = _difference(difference, matrix, typical)
    every = list(dict.fromkeys(map(chosen, (test, *tests))))
    needs, looked_for, sizes, searches = _all_needs(task, every, wanted, progress)
    found = (
        None if judgments is None else disagreement(judgments.values, known, same_judges=judgments.persons)
    )
    if found is not None and math.isnan(found.variance):
        found = None
    sampled = None
    if found is not None:
        sampled = _sampled_plan(found, task, wanted, _crossed_now(sources, task, found))
    elif sources is not None and (shared := _one_per_topic(judgments)) is not None:
        alone = crossed_alone(sources, **task.sampling)
        sampled = None if alone is None else _sampled_plan(shared, task, wanted, alone)
    people = 0 if sources is None else sources.levels.get("assessor", 0)
    return PowerPlan(
        matrix=matrix,
        difference=wanted,
        looked_for=looked_for,
        power=power,
        alpha=alpha,
        correct=correct,
        pairs=compared,
        have=task.have,
        typical=typical,
        wide=wide,
        sizes=sizes,
        needs=needs,
        judges=None
        if found is None or judgments is None
        else _judge_plan(found, judgments.unit, task, needs[0], wanted),
        sampled=sampled,
        people=people or (0 if found is None else found.seen),
        searches=searches,
        sources=sources,
        designs=_design_study(sources, crossed, task, designs, wanted, looked_for),
        source=_source_name(source),
        ties=tie_share(matrix.values, known),
        simulated_ties=_simulated_ties(source, seed),
        simulations=simulations,
        seed=seed,
        used_pairs=int(np.count_nonzero(known.usable)),
    )


@dataclass(frozen=True)
class SmallestFound:
    """The smallest difference that a comparison, as it was made, finds with a power; NaN where `why` says why."""

    value: float
    power: float
    basis: str
    """Test, correction and alpha, as they stand in brackets."""
    topics: int
    """That two systems have in common, in the median."""
    median: float
    """Half of the pairs that were compared lie at least this far apart."""
    why: str | None = None
    hopeless: bool = False
    """No difference at all can be found on so many topics."""


def smallest_found(comparison: Comparison, *, power: float = 0.8, simulations: int = 2000) -> SmallestFound:
    """The smallest difference between two systems that a finished comparison finds with this power.

    Of a test over topics by simulation, as `plan` does it; where assessors are a sample, by the noncentral t
    distribution with the median standard error of the pairs and its degrees of freedom.
    """
    checks.share("power", power)
    chose, matrix, family = comparison.asked, comparison.matrix, comparison.family
    results = comparison.tested[comparison.test].results
    apart = np.abs(results.counts.difference[family])
    shared = results.counts.n[family]
    about: dict[str, Any] = {
        "power": power,
        "topics": int(np.median(shared[shared > 0])) if (shared > 0).any() else 0,
        "median": float(np.nanmedian(apart)) if np.isfinite(apart).any() else math.nan,
    }
    pairs = comparison.corrected or int(family.sum())
    alpha = f"{chose.alpha:g}".removeprefix("0")

    def unknown(why: str) -> SmallestFound:
        return SmallestFound(value=math.nan, basis="", why=why, **about)

    if chose.correct not in get_args(Correct):
        return unknown(f"power is not computed for the correction {chose.correct}")
    if chose.side != "both":
        return unknown("power is computed for two-sided tests")
    if comparison.codes is not None:
        return unknown("power is not computed for whole sets of topics")
    pairs = 1 if chose.correct == "none" else pairs
    many = f" over {counted(pairs, 'pair')}" if pairs > 1 else ""
    over = f", {CORRECTIONS[chose.correct].short}{many}" if pairs > 1 else ""
    if comparison.sampled:
        value = _reach_of_sample(comparison, power, chose.alpha / pairs)
        basis = f"t over topics and assessors{f', Bonferroni{many}' if many else ''}, alpha {alpha}"
        if math.isnan(value):
            return unknown("no pair of systems has a standard error")
        return SmallestFound(value=value, basis=basis, **about)
    test = chosen(comparison.test)
    if not test.quick:
        return unknown(f"power of the test {comparison.test} takes long: adjudge plan computes it")
    try:
        known = _spreads(matrix, family)
    except DataError as error:
        return unknown(str(error).removeprefix(f"{matrix.measure}: "))
    source = _source(matrix, known, known.quantile(0.5), normal=False)
    task = _PlanTask(
        source=source,
        wide=source,
        have=about["topics"],
        power=power,
        alpha=chose.alpha,
        pairs=pairs,
        places=(),
        systems=len(matrix.systems),
        simulations=simulations,
        seed=comparison.seed,
    )
    search = task.search(task.sample(test), "all" if pairs > 1 else "one")
    basis = f"{test.words}{over}, alpha {alpha}"
    if task.have < search.goal.least:
        why = (
            f"on {counted(task.have, 'topic')} the smallest p is {number(math.ldexp(2.0, -task.have), 3)}, above"
            f" {alpha}{f'/{pairs:,}' if pairs > 1 else ''}; {search.goal.least} topics are the fewest that can find one"
        )
        return SmallestFound(value=math.nan, basis=basis, why=why, hopeless=True, **about)
    found = search.difference(task.have)
    return SmallestFound(
        value=found.value, basis=basis, why=found.why, hopeless=found.why is not None, **about
    )


def _reach_of_sample(comparison: Comparison, power: float, alpha: float) -> float:
    """For assessors like those who judged: of the pair whose standard error is the median one."""
    from adjudge.stats.power.rates import t_reach

    assert comparison.population is not None
    assert comparison.population.pairs is not None
    pairs = comparison.population.pairs
    usable = np.flatnonzero(comparison.family & np.isfinite(pairs.error) & (pairs.error > 0) & (pairs.df > 0))
    if not usable.size:
        return math.nan
    middle = usable[np.argsort(pairs.error[usable], kind="stable")[(usable.size - 1) // 2]]
    return t_reach(float(pairs.error[middle]), float(pairs.df[middle]), power=power, alpha=alpha)


@dataclass(frozen=True, repr=False)
class PowerPlan(Pictured, Tabular):
    """How many topics find a difference, and which difference the present ones find. Keeps the matrix."""

    FIGURES: ClassVar[Mapping[str, str]] = {"power": "adjudge.analyses.plan.figures:power"}

    matrix: ScoreMatrix
    difference: float | None
    """As asked for, in the measure's units."""
    looked_for: float
    """Of the power curve: the one asked for, else the smallest that is found now."""
    power: float
    alpha: float
    correct: str
    pairs: int
    """That will be compared; with more than one, the correction is over all of them."""
    have: int
    """Topics that two systems have in common, in the median."""
    typical: float
    """The standard deviation of the differences of two systems: the median over pairs."""
    wide: float
    """Nine pairs of ten have less."""
    sizes: tuple[int, ...]
    """Numbers of topics of the power curve."""
    needs: tuple[Needs, ...]
    """The test that answers first, in the comparison that will be made and for one pair; then the others."""
    judges: AssessorPlan | None
    """For the assessors who judged, or as many others whose own likings are not in question."""
    sampled: SampledPlan | None
    """For other assessors like them; None where they are not known, or no summary has two judgments."""
    source: str
    """Where simulated pairs come from: rated, resampled or normal."""
    ties: float
    """Which share of the differences between two systems are zero in the scores."""
    simulated_ties: float
    """And in the simulations without a difference."""
    simulations: int
    seed: int
    used_pairs: int
    sources: NoiseSources | None = None
    """Where the noise of judgments comes from; None where there are none, or it was not asked for."""
    designs: DesignStudy | None = None
    """What other designs of judging would find; None where too little is known of assessors."""
    people: int = 0
    """Assessors who judged; 0 where nobody knows."""
    searches: tuple[Search, ...] = field(default=(), repr=False, compare=False)
    """What power is computed with, one for each of `needs`."""

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def signature(self) -> str:
        return (
            f"{self.matrix.signature}|plan:{self.source}|pairs:{self.used_pairs}"
            f"|test:{self.needs[0].test}|power:{self.power:g}|alpha:{self.alpha:g}|correct:{self.correct}:{self.pairs}"
            f"|simulations:{self.simulations}|seed:{self.seed}|v:{__version__}"
        )

    def need(self, test: str, compared: Compared) -> Needs | None:
        """What a test needs in a comparison; None where that was not asked for."""
        found = [need for need in self.needs if (need.test, need.compared) == (test, compared)]
        return found[0] if found else None

    def headline(self) -> str:
        """The first thing to know."""
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """The comparison that will be made, then one pair, errors of findings, other tests and the assessors."""
        first = self.needs[0]
        yield _with_topics(self, first) if first.topics is not None else _now(self, first)
        if (one := self.need(first.test, "one")) is not None and one is not first:
            yield _one_pair(self, one)
        yield from _wide(self, first)
        yield from _errors(self, first)
        yield from _others(self)
        if self.judges is not None:
            yield from _judges(self, self.judges)
        if self.sampled is not None and not math.isnan(self.sampled.own):
            yield from _sampled(self, self.sampled)
        elif self.people:
            yield _not_sampled(self)
        if self.sources is not None:
            yield from self.sources.sentences()
        if self.designs is not None:
            yield from self.designs.sentences()

    def warnings(self) -> list[str]:
        """How well the spread is known, what was simulated, and what was left out."""
        found = []
        if self.have > 1:
            # The standard error of a normal sample's deviation; topics go with its square.
            off = 1 / math.sqrt(2 * (self.have - 1))
            text = f"the spread comes from {counted(self.have, 'topic')}: it may be off by {_percent(off)}"
            found.append(f"{text}, and topics by {_percent(2 * off)}")
        if self.have < FEW:
            found.append("so few topics say little about the spread: take this for a first guess")
        if self.sampled is not None and self.sampled.seen > 1 and not math.isnan(self.sampled.own):
            off = 1 / math.sqrt(2 * (self.sampled.seen - 1) * max(self.sampled.systems - 1, 1))
            found.append(
                f"how far assessors' own likings spread comes from {self.sampled.seen} assessors: it may be off by"
                f" {_percent(off)}"
            )
        if self.sources is not None:
            found += self.sources.warnings()
        if self.ties > 0 or self.simulated_ties > 0:
            found.append(_ties_words(self))
        if self.matrix.missing:
            found.append(
                f"{counted(len(self.matrix.missing), 'missing score')}; a pair's topics are those both have"
            )
        return found

    def table(self) -> Table:
        """A row per test and comparison; the second number of each kind is for pairs that spread widely."""
        shown: Literal["always", "never"] = "always" if self.difference is not None else "never"
        several: Literal["always", "never"] = "always" if self.pairs > 1 else "never"
        wider: Literal["always", "never"] = (
            "never" if all(need.difference_wide is None for need in self.needs) else "always"
        )
        both: Literal["always", "never"] = shown if wider == "always" else "never"
        heads = (
            Column("words", "test", data=False, right=False),
            Column("among", "compared", show=several, data=False, right=False),
            Column("topics needed", show=shown, data=False, right=True),
            Column("wide pairs", show=both, data=False, right=True),
            Column("can find", data=False, right=True),
            Column("wide pairs", show=wider, data=False, right=True),
            Column("power now", show=shown, data=False, right=True),
            Column("wrong sign", show=shown, data=False, right=True),
            Column("times too large", show=shown, data=False, right=True),
        )
        names = list(self._about(self.needs[0]))
        rows = []
        for need in self.needs:
            topics = [None if a is None else _whole(a.value) for a in (need.topics, need.topics_wide)]
            finds = [
                None if a is None else _apart(a.value, self.difference, 3)
                for a in (need.difference, need.difference_wide)
            ]
            now = self.now(need)
            errors = (
                _power_text(now.rate, self.power),
                _wrong_text(now),
                None if math.isnan(now.exaggeration) else number(now.exaggeration, 3),
            )
            rows.append((need.words, self.among(need), *topics, *finds, *errors, *self._about(need).values()))
        size = f"{counted(self.have, 'topic')} in common, {counted(self.used_pairs, 'pair')} of systems"
        return Table(
            name="plan",
            columns=(*heads, *(Column(name, show="never") for name in names)),
            rows=tuple(rows),
            title=f"{self.matrix.heading} ({size})",
            said=tuple(self.sentences()),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def among(self, need: Needs) -> str:
        """In which comparison."""
        if need.compared == "one":
            return "one pair"
        return f"{self.pairs:,} pairs" + (", others as here" if need.compared == "typical" else "")

    def now(self, need: Needs) -> Power:
        """The power on the present topics, for the difference that is looked for."""
        return need.powers[self.sizes.index(self.have)] if self.have in self.sizes else _NOTHING

    def curve_table(self) -> Table:
        """The power on several numbers of topics: of the test that answers in every comparison, of others in one."""
        shown, names = zip(*self.curves(), strict=True)
        return Table(
            name="curve",
            columns=(
                Column("topics"),
                *(Column(f"{name} text", name, data=False, right=True) for name in names),
                *(Column(name, show="never") for name in names),
            ),
            rows=tuple(
                (
                    n,
                    *(_power_text(need.powers[k].rate, self.power) for need in shown),
                    *(need.powers[k].rate for need in shown),
                )
                for k, n in enumerate(self.sizes)
            ),
            title=f"power for a difference of {number(self.looked_for, 3)}"
            + (f", {self.pairs:,} pairs compared" if self.pairs > 1 else ""),
        )

    def assessors_table(self) -> Table | None:
        """What more or fewer assessors would do; None where every summary has one judgment."""
        if self.judges is None:
            return None
        shown: Literal["always", "never"] = "always" if self.difference is not None else "never"
        return Table(
            name="assessors",
            columns=(
                Column(f"{self.judges.unit}s", right=True),
                Column("spread", right=True),
                Column("topics needed", show=shown, right=True),
                Column("can find", right=True),
            ),
            rows=tuple(
                (
                    f"{row.judges:g}" if math.isfinite(row.judges) else "any",
                    number(row.spread, 3),
                    _whole(row.topics),
                    number(row.difference, 3),
                )
                for row in self.judges.rows
            ),
        )

    def sampled_table(self) -> Table | None:
        """What numbers of assessors would do where they count as a sample; None where nothing is known of that."""
        if self.sampled is None or math.isnan(self.sampled.own):
            return None
        shown: Literal["always", "never"] = "always" if self.difference is not None else "never"
        return Table(
            name="assessors as a sample",
            columns=(
                Column("assessors in all", right=True),
                Column("topics needed", show=shown, right=True),
                Column(f"can find on {self.have:,}", right=True),
                Column("on any number", right=True),
            ),
            rows=tuple(
                (
                    f"{row.assessors:g}",
                    _whole(row.topics) if math.isfinite(row.topics) else "none is enough",
                    number(row.difference, 3),
                    number(row.limit, 3),
                )
                for row in self.sampled.rows
            ),
            title=f"assessors as a sample ({_sampled_basis(self)})",
        )

    def judging_tables(self) -> list[Table]:
        """Where the noise comes from, and what designs of judging would find."""
        found = [] if self.sources is None or not self.sources.parts else [self.sources.table()]
        return [*found, self.designs.table()] if self.designs is not None and self.designs.rows else found

    def tables(self) -> Tables:
        """The tests, the power curve, the assessors, the assessors as a sample, the noise, the designs."""
        found = [
            self.table(),
            self.curve_table() if self.sizes else None,
            self.assessors_table(),
            self.sampled_table(),
            *(replace(each, said=(), notes=()) for each in self.judging_tables()),
        ]
        return Tables(tuple(table for table in found if table is not None))

    def to_frame(self) -> pd.DataFrame:
        """A row per test and comparison: topics and differences, for typical and for wide pairs, with their error."""
        import pandas as pd

        return pd.DataFrame([self._about(need) for need in self.needs])

    def curve_frame(self) -> pd.DataFrame:
        """A row per test, comparison and number of topics: power with its interval, types S and M."""
        import pandas as pd

        rows = [
            self._key(need) | {"difference": self.looked_for, "topics": n, **_power_columns(need.powers[k])}
            for need in self.needs
            for k, n in enumerate(self.sizes)
        ]
        columns = [*self._key(self.needs[0]), "difference", "topics", *_power_columns(_NOTHING)]
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def smooth_curve(self) -> pd.DataFrame:
        """The power curve on more numbers of topics, enough for a picture; simulated when it is first asked for.

        A row per test, comparison and number of topics: those of the table of the curve, at the same comparisons.
        """
        import pandas as pd

        sizes = _more_sizes(self.sizes)
        rows = [
            self._key(need)
            | {"curve": name, "difference": self.looked_for, "topics": n}
            | _power_columns(
                need.powers[self.sizes.index(n)]
                if n in self.sizes
                else _power(self.searches[self.needs.index(need)], n, self.looked_for)
            )
            for need, name in self.curves()
            for n in sizes
        ]
        columns = [*self._key(self.needs[0]), "curve", "difference", "topics", *_power_columns(_NOTHING)]
        return pd.DataFrame(rows, columns=columns)

    def curves(self) -> list[tuple[Needs, str]]:
        """The test that answers in every comparison, others in one, each with its name."""
        first = self.needs[0]
        shown = [need for need in self.needs if need.test == first.test or need.compared == first.compared]
        short = {"all": "", "typical": ", others as here", "one": ", one pair"}
        return [(need, need.test + (short[need.compared] if self.pairs > 1 else "")) for need in shown]

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; what is no finite number becomes null."""
        judges = None if self.judges is None else asdict(self.judges)
        everything: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "length": self.matrix.length,
                "form": self.matrix.target.form,
                "signature": self.signature,
                "difference": self.difference,
                "power": self.power,
                "alpha": self.alpha,
                "correct": self.correct,
                "pairs": self.pairs,
                "topics": self.have,
                "spread": self.typical,
                "spread_wide": self.wide,
                "source": self.source,
                "ties": self.ties,
                "simulated_ties": self.simulated_ties,
                "sentences": list(self.sentences()),
                "warnings": self.warnings(),
                "tests": [self._about(need) for need in self.needs],
                "assessors": self.people or None,
                "judges": judges,
                "assessors_sampled": None if self.sampled is None else asdict(self.sampled),
                "noise": None if self.sources is None else self.sources.as_dict(),
                "designs": None if self.designs is None else self.designs.as_dict(),
                "curve": self.curve_frame().drop(columns=["measure", "length", "form"]).to_dict("records"),
            }
        )
        return everything

    def _key(self, need: Needs) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "length": self.matrix.length,
            "form": self.matrix.target.form,
            "test": need.test,
            "compared": need.compared,
            "pairs": 1 if need.compared == "one" else self.pairs,
        }

    def _about(self, need: Needs) -> dict[str, Any]:
        answers = {
            "needed": need.topics,
            "needed_wide": need.topics_wide,
            "finds": need.difference,
            "finds_wide": need.difference_wide,
        }
        about = self._key(need) | {"topics": self.have, "difference": self.difference}
        for name, answer in answers.items():
            about[name] = None if answer is None else answer.value
            about[f"{name}_error"] = None if answer is None else answer.error
        now = self.now(need) if self.difference is not None else _NOTHING
        about |= {
            "power_now": now.rate,
            "wrong_sign": now.wrong_sign,
            "exaggeration": now.exaggeration,
            "findings": now.findings,
            "fewest": need.fewest,
        }
        whys = [answer.why for answer in answers.values() if answer is not None and answer.why]
        return about | {"method": need.difference.method, "why": whys[0] if whys else None}


@dataclass(frozen=True)
class Needs:
    """What one test needs in a comparison: for a typical pair of systems, and for one that spreads widely."""

    test: str
    words: str
    paired: bool
    compared: Compared
    fewest: int
    """Topics on which the test can find anything in this comparison."""
    topics: Answer | None
    """For the difference asked for; None where none was."""
    topics_wide: Answer | None
    difference: Answer
    """The smallest that the present topics find."""
    difference_wide: Answer | None
    powers: tuple[Power, ...] = ()
    """On the plan's numbers of topics, for the difference it looks for; NaN where it cannot be had."""

    def power(self, k: int) -> float:
        return self.powers[k].rate


_NOTHING = Power(math.nan, math.nan, math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class AssessorPlan:
    """What more or fewer assessors would do in the comparison that will be made."""

    unit: str
    """assessor or judgment"""
    now: float
    """By summary, on average."""
    matched: bool
    """Whether the same persons judged both systems of a pair."""
    share: float
    """Of the variance of a difference, as judged now."""
    rows: tuple[AssessorRow, ...]
    """The last one is what is left with infinitely many."""
    enough: float
    """How many make the present topics enough; infinite where none do, NaN where no difference was asked for."""


@dataclass(frozen=True)
class AssessorRow:
    """With so many assessors for every summary."""

    judges: float
    spread: float
    """Of the differences of two systems."""
    topics: float
    """NaN where no difference was asked for."""
    difference: float
    """The smallest that the present topics find."""


@dataclass(frozen=True)
class SampledPlan:
    """What it takes where assessors count as a sample, as topics do: conclusions hold for others like them.

    An assessor's own liking for one of two systems is the same on every topic: no number of topics averages it out.
    """

    seen: int
    """Assessors who judged."""
    assessors: float
    """As many as would share the work evenly."""
    own: float
    """The standard deviation of what assessors see of a difference on average over topics; NaN where unknown."""
    residual: float
    """And of what is left on a topic."""
    topics: float
    """And of what topics do to a difference for all assessors."""
    matched: bool
    systems: int
    """Whose mean squares are pooled."""
    power_now: float = math.nan
    """On the present topics, in the comparison that will be made; NaN where no difference was asked for."""
    one_pair_now: float = math.nan
    """For one pair by itself."""
    best: float = math.nan
    """The largest power that any number of topics gives with these assessors."""
    needed: float = math.nan
    """Topics, with as many assessors as now; infinite where no number of topics is enough."""
    difference: float = math.nan
    """The smallest that is found now."""
    limit: float = math.nan
    """And with any number of topics."""
    fewest: float = math.nan
    """Assessors with whom some number of topics is enough."""
    enough: float = math.nan
    """Assessors with whom the present topics are enough; infinite where none are."""
    rows: tuple[SampledRow, ...] = ()


@dataclass(frozen=True)
class SampledRow:
    """With so many assessors in all, each of them with the same share of the topics as now."""

    assessors: float
    topics: float
    """NaN where no difference was asked for, infinite where no number is enough."""
    difference: float
    limit: float


def _power_columns(power: Power) -> dict[str, float | None]:
    return {
        "power": power.rate,
        "low": power.low,
        "high": power.high,
        "wrong_sign": power.wrong_sign,
        "exaggeration": power.exaggeration,
        "findings": power.findings,
    }


# In words


def _whole(value: float) -> str | None:
    return f"{value:,.0f}" if math.isfinite(value) else None


def basis(plan: PowerPlan, need: Needs) -> str:
    """Test, correction and alpha, as they stand in brackets."""
    alpha = f"{plan.alpha:g}".removeprefix("0")
    over = ""
    if need.compared != "one" and plan.pairs > 1:
        over = f", {CORRECTIONS[plan.correct].short} over {counted(plan.pairs, 'pair')}"
    return f"{need.words}{over}, alpha {alpha}"


def number(value: float, digits: int = 2) -> str:
    """So many significant digits, without an exponent where it is large."""
    return decimal(float(f"{value:.{digits}g}"), ",.12g") if math.isfinite(value) else "-"


def _apart(value: float, wanted: float | None, digits: int = 2) -> str:
    """A number with so many digits, or more where rounding would put it on the other side of the wanted one."""
    if wanted is None or not math.isfinite(value):
        return number(value, digits)
    while digits < 15 and (float(f"{value:.{digits}g}") <= wanted) != (value <= wanted):
        digits += 1
    return number(value, digits)


def _power_text(rate: float, wanted: float) -> str | None:
    """`0.12`; more digits where rounding would put it on the other side of the power asked for, or make it 0 or 1."""
    if math.isnan(rate):
        return None
    return decimal(rate, f".{_power_digits(rate, wanted)}f")


def _power_percent(rate: float, wanted: float) -> str:
    """`12 %`, with as many digits as `_power_text` has."""
    return f"{decimal(100 * rate, f'.{_power_digits(rate, wanted) - 2}f')} %"


def _power_digits(rate: float, wanted: float) -> int:
    digits = 2
    while digits < 15 and (
        (round(rate, digits) < wanted) != (rate < wanted) or (round(rate, digits) in (0, 1) and 0 < rate < 1)
    ):
        digits += 1
    return digits


def _aim(plan: PowerPlan, need: Needs) -> str:
    return (
        f"To find a difference of {number(plan.looked_for, 3)} in {plan.title} between two systems{_for_whom(plan)}"
        f" with {_percent(plan.power)} power ({basis(plan, need)})"
    )


def _for_whom(plan: PowerPlan) -> str:
    """Nothing where assessors are not known."""
    if not plan.people:
        return ""
    return ", as this assessor judges them," if plan.people == 1 else ", as these assessors judge them,"


def _with_topics(plan: PowerPlan, need: Needs) -> str:
    assert need.topics is not None
    if need.topics.why is not None:
        return f"{_aim(plan, need)}: {need.topics.why}; {_have(plan, need)}."
    whatever = ""
    typical = plan.need(need.test, "typical")
    if typical is not None:
        whatever = ", whatever the other systems are"
        if typical.topics is not None and typical.topics.value < need.topics.value:
            whatever += f", and about {typical.topics.value:,.0f} where they lie as far apart as these"
    return (
        f"{_aim(plan, need)} you need about {need.topics.value:,.0f} topics{whatever}; {_have(plan, need)}."
    )


def _have(plan: PowerPlan, need: Needs) -> str:
    """What the present topics do, by the numbers of the table."""
    have = f"you have {plan.have:,}"
    if (why := _cannot(plan, need)) is not None:
        return f"{have}, which could find no difference: {why}"
    now, finds = plan.now(need), need.difference
    with_power = f"which find it with {_power_percent(now.rate, plan.power)} power"
    if now.rate == 0:
        with_power = f"which found it in none of {counted(plan.simulations, 'simulation')}"
    if math.isnan(now.rate):
        with_power = "of which nothing is known"
    enough = "which are enough: they" if now.rate >= plan.power else "which"
    with_power = with_power.replace("which", enough, 1)
    if finds.why is not None:
        return f"{have}, {with_power}; {finds.why}"
    return f"{have}, {with_power}, and {_apart(finds.value, plan.difference)} with {_percent(plan.power)}"


def _cannot(plan: PowerPlan, need: Needs) -> str | None:
    """Why nothing can be found on the present topics, by the smallest p of an exact test."""
    if plan.have >= need.fewest:
        return None
    divided = f"/{plan.pairs:,}" if need.compared != "one" and plan.pairs > 1 else ""
    alpha = f"{plan.alpha:g}".removeprefix("0")
    smallest = _apart(math.ldexp(2.0, -plan.have), None if divided else plan.alpha)
    return (
        f"on {counted(plan.have, 'topic')} the smallest p is {smallest}, above {alpha}{divided};"
        f" {need.fewest} topics are the fewest that can find one"
    )


def _now(plan: PowerPlan, need: Needs) -> str:
    with_topics = f"With {counted(plan.have, 'topic')}"
    if (why := _cannot(plan, need) or need.difference.why) is not None:
        return f"{with_topics} no difference in {plan.title} can be found ({basis(plan, need)}): {why}."
    typical = plan.need(need.test, "typical")
    others = ""
    if typical is not None:
        others = ", whatever the other systems are"
        if number(typical.difference.value) != number(need.difference.value):
            others += f", and {number(typical.difference.value)} where they lie as far apart as these"
    return (
        f"{with_topics} the smallest difference in {plan.title} between two systems{_for_whom(plan)} that is found with"
        f" {_percent(plan.power)} power is about {number(need.difference.value)} ({basis(plan, need)}){others}."
    )


def _one_pair(plan: PowerPlan, need: Needs) -> str:
    """The pair by itself."""
    alone = f"One pair, chosen beforehand and tested by itself ({basis(plan, need)}),"
    finds = need.difference
    if (why := _cannot(plan, need)) is not None:
        now = f"your {plan.have:,} could find no difference: {why}"
    elif finds.why is not None:
        now = finds.why
    else:
        now = f"your {plan.have:,} find {_apart(finds.value, plan.difference)} with {_percent(plan.power)} power"
    if need.topics is None:
        return f"{alone[:-1]}: {now}."
    if need.topics.why is not None:
        return f"{alone[:-1]}: {need.topics.why}; {now}."
    return f"{alone} needs about {need.topics.value:,.0f} topics; {now}."


def _wide(plan: PowerPlan, need: Needs) -> Iterator[str]:
    """The pairs whose differences spread most."""
    if need.difference_wide is None:
        return
    parts = []
    if need.topics_wide is not None and need.topics_wide.why is None:
        parts.append(f"it is about {need.topics_wide.value:,.0f} topics")
    if need.difference_wide.why is None:
        parts.append(f"{_apart(need.difference_wide.value, plan.difference)} is what can be found")
    if parts:
        yield f"Where differences spread more (one pair in ten does) {', and '.join(parts)}."


def _wrong_text(now: Power) -> str | None:
    """`0.4 %`; where no simulated finding has the wrong sign, out of how many."""
    if math.isnan(now.wrong_sign):
        return None
    if now.wrong_sign == 0 and now.findings is not None:
        return f"0 of {now.findings:,}"
    return _percent(now.wrong_sign)


def _errors(plan: PowerPlan, need: Needs) -> Iterator[str]:
    """Types S and M: what is said where the difference is found on the present topics."""
    if plan.difference is None:
        return
    now = plan.now(need)
    on = f"On {counted(plan.have, 'topic')}"
    if not now.rate > 0:
        return
    if math.isnan(now.wrong_sign):
        yield f"{on} it is found in fewer than {FEWEST_FOUND} simulations: too few to say what goes wrong then."
        return
    often = f"{_percent(now.wrong_sign)} of the findings have"
    if now.wrong_sign == 0:
        often = f"none of {counted(now.findings or 0, 'simulated finding')} has"
    times = number(now.exaggeration, 3)
    yield f"{on} {often} the wrong sign (type S); a finding is {times} times the difference on average (type M)."


def _others(plan: PowerPlan) -> Iterator[str]:
    """The other tests in the same comparison."""
    first = plan.needs[0]
    said, silent = [], []
    for need in plan.needs[1:]:
        if need.compared != first.compared:
            continue
        answer = need.topics or need.difference
        form = f"{answer.value:,.0f} topics" if need.topics is not None else f"{number(answer.value)}"
        if answer.why is None:
            said.append(f"{form} by {need.words}")
        else:
            silent.append(f"By {need.words}: {answer.why}.")
    if said:
        yield f"It would be about {listed(said, most=8)}."
    yield from silent


def _judges(plan: PowerPlan, judges: AssessorPlan) -> Iterator[str]:
    unit = judges.unit
    by = f"{number(judges.now)} {unit}{'' if judges.now == 1 else 's'}"
    every = f"Every summary has {by}" if judges.now == round(judges.now) else f"A summary has {by} on average"
    yield (
        f"{every}; {'their' if unit == 'assessor' else 'the'} disagreement makes"
        f" {_percent(judges.share)} of the variance of a difference over topics."
    )
    *some, rest = judges.rows
    numbers = listed([f"{row.judges:g}" for row in some])
    if plan.difference is None:
        if math.isnan(rest.difference):  # nothing can be found, whoever judges
            return
        finds = listed([number(row.difference) for row in some])
        yield f"With {numbers} {unit}s it would be {finds}; with any number, {number(rest.difference)}."
        return
    topics = listed([_topics(row.topics) for row in some])
    yield f"With {numbers} {unit}s you need {topics} topics; with any number, {_topics(rest.topics)}."
    yield from _enough(plan, judges)


def _enough(plan: PowerPlan, judges: AssessorPlan) -> Iterator[str]:
    """Whether more assessors make up for topics."""
    if plan.difference is None or not plan.needs[0].difference.value > plan.difference:
        return
    if math.isinf(judges.enough):
        aim = number(plan.difference, 3)
        yield f"On {plan.have} topics no number of {judges.unit}s finds {aim}: only more topics do."
    else:
        yield f"On {plan.have} topics it takes {math.ceil(judges.enough):,} {judges.unit}s."


def _sampled_basis(plan: PowerPlan) -> str:
    over = f", Bonferroni over {counted(plan.pairs, 'pair')}" if plan.pairs > 1 else ""
    return f"mixed model of topics and assessors{over}, alpha {f'{plan.alpha:g}'.removeprefix('0')}"


def _sampled(plan: PowerPlan, sampled: SampledPlan) -> Iterator[str]:
    """For whom the above holds, and what it would take for others."""
    these = f"All this holds for the assessors who judge ({sampled.seen} now)"
    what = "what each makes of two systems on average" if sampled.matched else "how strict each is on average"
    if sampled.own > 0:
        yield (
            f"{these}, not for others: {what} varies with a standard deviation of {number(sampled.own)}, and no number"
            " of topics averages that out, only more assessors do."
        )
    else:
        yield f"{these}; {what} varies no more than chance would have it."
    if math.isnan(sampled.difference):
        yield (
            f"{number(sampled.assessors)} assessors are too few for a test in which assessors count as a sample: what"
            " they make of systems has fewer than two degrees of freedom."
        )
        return
    now = f"{counted(plan.have, 'topic')} and {number(sampled.assessors)} assessors"
    if round(sampled.assessors, 1) != sampled.seen:
        now += " (as many as would share the work evenly)"
    start = f"Where assessors count as a sample too ({_sampled_basis(plan)})"
    if plan.difference is None:
        found = f"{start} {now} find {number(sampled.difference)} with {_percent(plan.power)} power"
        more = f", and more topics nothing below {number(sampled.limit)}" if sampled.own > 0 else ""
        yield f"{found}{more}."
        return
    finds = f"{_apart(sampled.difference, plan.difference)} with {_percent(plan.power)}"
    aim = number(plan.difference, 3)
    one = (
        f" (one pair by itself with {_power_percent(sampled.one_pair_now, plan.power)})"
        if plan.pairs > 1
        else ""
    )
    power = _power_percent(sampled.power_now, plan.power)
    yield f"{start} {now} find {aim} with {power} power{one}, and {finds}."
    yield _sampled_needs(plan, sampled, aim)


def _not_sampled(plan: PowerPlan) -> str:
    """For whom the above holds, where what it takes for others is not known."""
    if plan.people == 1:
        return "All this holds for the assessor who judged: one says nothing of how others would judge."
    if plan.sources is not None:
        why = why_no_designs(plan.sources)
    else:
        why = "too few judged the same topics to tell what each makes of two systems on average from chance"
    who = f"All this holds for the assessors who judge ({plan.people} now)"
    return f"{who}. What it takes for others is not known: {why}."


def _sampled_needs(plan: PowerPlan, sampled: SampledPlan, aim: str) -> str:
    """How many topics, or assessors, then."""
    with_these = f"With {number(sampled.assessors)} assessors"
    if math.isfinite(sampled.needed):
        said = f"{with_these} you need about {sampled.needed:,.0f} topics"
    else:
        best = _power_percent(sampled.best, plan.power)
        least = (
            "no number of assessors would do"
            if math.isinf(sampled.fewest)
            else (f"it takes at least {sampled.fewest:,.0f} assessors")
        )
        said = (
            f"{with_these} no number of topics is enough: they find {aim} with {best} power at most; {least}"
        )
    if sampled.power_now >= plan.power:
        return f"{said}."
    if math.isinf(sampled.enough):
        return f"{said}. On {plan.have:,} topics no number of assessors is enough."
    return f"{said}. On {plan.have:,} topics it takes {sampled.enough:,.0f} assessors."


def _topics(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "no number of"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %" if share < 0.01 or share > 0.99 else f"{100 * share:.0f} %"


def _ties_words(plan: PowerPlan) -> str:
    """What was done about ties."""
    has = f"{_percent(plan.ties)} of the differences between two systems are ties"
    if plan.source == "normal":
        return f"{has}; normal noise has none, so that tests of ranks and signs are shown too good"
    how = "levels of the same shares" if plan.source == "rated" else "topics that tie stay ties"
    return (
        f"{has}; simulated scores have {_percent(plan.simulated_ties)} before a difference is planted ({how})"
    )


# The work


@dataclass(frozen=True)
class _PlanTask:
    """Everything that is the same for all tests."""

    source: Normal | Resampled | Rated
    wide: Normal | Resampled | Rated
    have: int
    power: float
    alpha: float
    pairs: int
    places: tuple[float, ...]
    systems: int
    """That are compared."""
    simulations: int
    seed: int

    @property
    def sampling(self) -> dict[str, int]:
        """What a plan for assessors as a sample has beside its variances."""
        seed = int(generator(self.seed, "plan/assessors").integers(0, 2**63))
        return {"systems": self.systems, "have": self.have, "seed": seed}

    def comparisons(self, test: Chosen, first: bool) -> Iterator[Compared]:
        """Of the test that answers first, and of the others."""
        if self.pairs > 1:
            yield "all"
            if first and test.quick and self.places:
                yield "typical"
        yield "one"

    def sample(self, test: Chosen, *, wide: bool = False) -> Sample:
        """One for all comparisons of a test; its stream depends on the test alone."""
        levels = (self.alpha / self.pairs, self.alpha)
        return Sample(
            test=test,
            source=self.wide if wide else self.source,
            seed=int(generator(self.seed, f"plan/{test}").integers(0, 2**63)),
            simulations=self.simulations,
            resamples=next(filter(None, map(resamples_at, levels)), RESAMPLES),
        )

    def search(self, sample: Sample, compared: Compared) -> Search:
        family = ALONE if compared == "one" else Family(self.pairs)
        if compared == "typical":
            family = replace(family, places=self.places)
        return Search(Goal(sample.test, self.power, self.alpha, family), sample)


def _compared(pairs: int | None, systems: int | None, correct: str, known: Spreads) -> int:
    """How many pairs the correction is over."""
    if correct not in get_args(Correct):
        expected = ", ".join(get_args(Correct))
        raise UsageError(
            f"the correction is {quoted(correct)}{nearest(correct, get_args(Correct))}; plans know: {expected}"
        )
    if pairs is not None and systems is not None:
        raise UsageError("pairs and systems: give one of them, the other follows")
    if pairs is not None:
        checks.count("pairs", pairs, least=1)
    elif systems is not None:
        checks.count("systems", systems, least=2)
        pairs = systems * (systems - 1) // 2
    else:
        pairs = int(np.count_nonzero(known.n >= 2))
    return pairs if correct != "none" else 1


def _spreads(matrix: ScoreMatrix, family: BoolArray | None) -> Spreads:
    if len(matrix.systems) < 2:
        raise DataError(
            f"{matrix.measure}: planning needs the scores of two systems, here is {len(matrix.systems)}"
        )
    sizes = np.abs(matrix.values[matrix.values != 0])
    if np.any(sizes > LARGEST) or np.any(sizes < 1 / LARGEST):
        raise DataError(
            f"{matrix.measure}: scores beyond {LARGEST:g} or within {1 / LARGEST:g} of 0, whose squares are no"
            " floating-point numbers: give the scores in another unit"
        )
    known = spreads(matrix.values, family)
    if np.isnan(known.sd).all():
        raise DataError(f"{matrix.measure}: no two systems have two topics in common, so no spread is known")
    if not known.quantile(0.5) > 0:
        raise DataError(
            f"{matrix.measure}: most pairs of systems differ by the same on every topic: nothing to plan"
        )
    return known


def _source(matrix: ScoreMatrix, known: Spreads, spread: float, normal: bool) -> Normal | Resampled | Rated:
    """Levels where scores have few; else resampled topics; normal noise where it is asked for."""
    if normal:
        # The topics' variance is estimated as 0 where it is not above the noise; it matters for unpaired tests alone.
        topic = components(matrix.values).topic
        return Normal(spread, math.sqrt(topic) if topic > 0 else 0.0)
    return rated(matrix.values, spread) or resampled(matrix.values, known, spread)


def _source_name(source: Normal | Resampled | Rated) -> str:
    return {Normal: "normal", Resampled: "resampled", Rated: "rated"}[type(source)]


def _simulated_ties(source: Normal | Resampled | Rated, seed: int) -> float:
    """Which share of the differences are zero where none is planted."""
    x, y = source.draw(1000, 20, generator(seed, "plan/ties")).scores(0.0)
    return float(np.mean(x == y))


def _places(matrix: ScoreMatrix, known: Spreads) -> tuple[float, ...]:
    """Where the systems that are compared lie."""
    return places(matrix.values[:, _columns(known)])


def _columns(known: Spreads) -> IntArray:
    """The systems that are compared, as columns."""
    used = known.n >= 2
    return np.unique(np.concatenate([known.first[used], known.second[used]]))


def _in_pairs(matrix: ScoreMatrix, family: BoolArray) -> list[str]:
    """The systems of the pairs that are compared."""
    first, second = columns_of_pairs(len(matrix.systems))
    used = set(np.concatenate([first[family], second[family]]).tolist())
    return [system for k, system in enumerate(matrix.systems) if k in used]


def _difference(difference: float | str | None, matrix: ScoreMatrix, spread: float) -> float | None:
    """In the measure's units; a share is one of the mean over all scores."""
    if difference is None:
        return None
    text = str(difference).strip()
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"the difference is {quoted(text)}, expected a number above 0 or a share such as 5%")
    if text.endswith("%"):
        mean = float(np.nanmean(matrix.values))
        if mean == 0:
            raise UsageError(
                f"the mean of {matrix.measure} is 0: give the difference as a number, not as a share"
            )
        value = value / 100 * abs(mean)
    if not LEAST_APART * spread <= value <= FURTHEST * spread:
        off = f"less than {LEAST_APART:g}" if value < spread else f"more than {FURTHEST:,.0f}"
        raise UsageError(
            f"the difference is {quoted(text)}, {off} times the standard deviation of the differences between two"
            f" systems ({number(spread)}): nothing to plan"
        )
    return value


def _all_needs(
    task: _PlanTask, tests: list[Chosen], wanted: float | None, progress: Progress | None
) -> tuple[tuple[Needs, ...], float, tuple[int, ...], tuple[Search, ...]]:
    """Answers of every test in every comparison, then their power on the same numbers of topics."""
    asked = [(test, compared) for test in tests for compared in task.comparisons(test, test == tests[0])]
    done = _counter(len(asked) * 2, progress)
    samples = {test: task.sample(test) for test in tests}
    wide = task.sample(tests[0], wide=True)
    searches = [task.search(samples[test], compared) for test, compared in asked]
    found: list[Needs] = []
    for (test, compared), search in zip(asked, searches, strict=True):
        wider = test == tests[0] and compared != "typical" and task.wide.spread > task.source.spread
        beside = task.search(wide, compared) if wider else None
        harder = found[-1] if found and found[-1].test == str(test) else None
        found.append(_needs(task, compared, (search, beside), wanted, harder))
        done()
    looked_for = wanted if wanted is not None else found[0].difference.value
    sizes: tuple[int, ...] = ()
    if looked_for == looked_for:
        own = [need.topics.value for need in found if need.test == found[0].test and need.topics is not None]
        sizes = nice_sizes(task.have, own[0] if own else task.have)
        sizes = tuple(sorted({*sizes, *(int(n) for n in own if math.isfinite(n))}))
    for k, search in enumerate(searches):
        found[k] = replace(found[k], powers=tuple(_power(search, n, looked_for) for n in sizes))
        done()
    return tuple(found), looked_for, sizes, tuple(searches)


def _needs(
    task: _PlanTask,
    compared: Compared,
    searches: tuple[Search, Search | None],
    wanted: float | None,
    harder: Needs | None,
) -> Needs:
    """`harder` is the comparison before, which finds no more on the same draws: what is enough there is enough here."""

    def answers(
        each: Search | None, topics: Answer | None, difference: Answer | None
    ) -> tuple[Answer | None, Answer | None]:
        if each is None:
            return None, None
        needed, smallest = None, [] if wanted is None else [wanted]
        if wanted is not None:
            needed = each.topics(wanted, [*_values(topics), task.have])
        return needed, each.difference(task.have, [*_values(difference), *smallest])

    search, wide = searches
    known = (
        (None,) * 4
        if harder is None
        else (
            harder.topics,
            harder.difference,
            harder.topics_wide,
            harder.difference_wide,
        )
    )
    test = search.goal.test
    topics, difference = answers(search, *known[:2])
    topics_wide, difference_wide = answers(wide, *known[2:])
    assert difference is not None
    return Needs(
        test=str(test),
        words=test.words,
        paired=test.paired,
        compared=compared,
        fewest=search.goal.least,
        topics=topics,
        topics_wide=topics_wide,
        difference=difference,
        difference_wide=difference_wide,
    )


def _values(answer: Answer | None) -> list[float]:
    return [answer.value] if answer is not None and math.isfinite(answer.value) else []


def _power(search: Search, topics: int, difference: float) -> Power:
    if search.goal.impossible() is not None or difference > search.source.largest:
        return _NOTHING
    return search.power(topics, difference)


def nice_sizes(have: int, needed: float) -> tuple[int, ...]:
    """Numbers of topics for a curve: about both, in even steps, and both among them."""
    ends = sorted(n for n in (have, needed) if math.isfinite(n)) or [have]
    low, high = max(ends[0] / 2, 4), max(ends[-1] * 1.5, 12)
    inside = [n for n in _NICE if low <= n <= high]
    inside = inside[:: max(1, -(-len(inside) // 8))]
    apart = [n for n in inside if all(abs(n / end - 1) > 0.08 for end in ends if end)]
    return tuple(sorted({*apart, *(int(n) for n in ends if n >= 2)}))


def _more_sizes(sizes: Sequence[int], most: int = 16) -> list[int]:
    """These numbers of topics with others between them, about evenly."""
    if not sizes:
        return []
    low, high = min(sizes), max(sizes)
    each = max(1, -(-(high - low) // most))
    apart = [n for n in range(low, high, each) if all(abs(n - known) >= each / 2 for known in sizes)]
    return sorted({*sizes, *apart})


def _sampled_plan(
    found: Disagreement, task: _PlanTask, wanted: float | None, known: Crossed | None
) -> SampledPlan | None:
    """What it takes where assessors are a sample; None where they are not known.

    The variances are those `known` by REML of all judgments, where it tells them apart.
    """
    if not found.seen:
        return None
    spread = task.source.spread
    if found.own <= (ROUNDING * spread) ** 2:
        found = replace(found, own=0.0)
    if abs(found.crew - round(found.crew)) < ROUNDING * found.crew:
        found = replace(found, crew=float(round(found.crew)))
    by_model = known is not None
    if known is not None:
        found = replace(found, own=known.own)
    else:
        known = Crossed(
            topics=found.rest(spread),
            own=0.0 if math.isnan(found.own) else found.own,
            residual=0.0 if math.isnan(found.own) else min(found.residual, found.used(spread)),
            alone=False,
            **task.sampling,
        )
    crossed = replace(known, changes=found.changes, per_topic=min(found.judges / found.crew, 1.0))
    about: dict[str, Any] = {
        "seen": found.seen,
        "assessors": found.crew,
        "own": math.nan if math.isnan(found.own) else math.sqrt(crossed.own),
        "residual": math.nan if math.isnan(found.own) else math.sqrt(crossed.residual),
        "topics": math.sqrt(crossed.topics),
        "matched": found.matched or by_model,
        "systems": crossed.systems,
    }
    if math.isnan(found.own):
        return SampledPlan(**about)
    level = task.alpha / task.pairs
    now, power = found.crew, task.power

    def differences(judges: float) -> tuple[float, float]:
        return crossed.difference(task.have, judges, power, level), crossed.smallest(judges, power, level)

    def needed(judges: float) -> float:
        return math.nan if wanted is None else crossed.topics_for(judges, wanted, power, level)

    difference, limit = differences(now)
    asked: dict[str, Any] = {}
    if wanted is not None:
        powers = (crossed.power(task.have, now, wanted, alpha) for alpha in (level, task.alpha))
        asked |= dict(zip(("power_now", "one_pair_now"), powers, strict=True))
        asked["best"] = crossed.best(now, wanted, level)
        asked["fewest"] = crossed.fewest(wanted, power, level)
        asked["enough"] = crossed.judges_for(task.have, wanted, power, level)
    return SampledPlan(
        **about,
        **asked,
        needed=needed(now),
        difference=difference,
        limit=limit,
        rows=tuple(
            SampledRow(judges, needed(judges), *differences(judges))
            for judges in SAMPLED
            if crossed.enough(math.inf, judges)
        ),
    )


def _crossed_now(sources: NoiseSources | None, task: _PlanTask, found: Disagreement) -> Crossed | None:
    return None if sources is None else crossed_of(sources, matched=found.matched, **task.sampling)


def _one_per_topic(judgments: CellJudgments | None) -> Disagreement | None:
    """How assessors share topics, where each topic has one; None where one has more, or there are no persons."""
    if judgments is None or not judgments.persons:
        return None
    judged = (~np.isnan(judgments.values)).any(axis=1)
    if not (judged.sum(axis=1) <= 1).all():
        return None
    shares = judged.sum(axis=0) / judged.sum()
    return Disagreement(
        variance=math.nan,
        judges=1.0,
        matched=True,
        crew=float(1 / np.square(shares).sum()),
        changes=0.0,
        seen=int(np.count_nonzero(shares)),
    )


def _design_study(
    sources: NoiseSources | None,
    crossed: Crossed | None,
    task: _PlanTask,
    asked: AskedDesigns | None,
    wanted: float | None,
    looked_for: float,
) -> DesignStudy | None:
    """What designs find: the difference asked for, else the typical one, else the smallest that is found now."""
    if sources is None or crossed is None:
        return None
    size: tuple[float, DifferenceKind] = (
        (wanted, "asked") if wanted is not None else typical_difference(sources)
    )
    if not size[0] > 0:
        size = looked_for, "smallest"
    if not size[0] > 0:
        return None
    return study_designs(
        sources,
        crossed,
        difference=size[0],
        kind=size[1],
        pairs=task.pairs,
        alpha=task.alpha,
        **asdict(asked or AskedDesigns()),
    )


def _judge_plan(
    found: Disagreement, unit: str, task: _PlanTask, needs: Needs, wanted: float | None
) -> AssessorPlan | None:
    """What more assessors would do for the first test; None where that test does not pair topics."""
    if not needs.paired:
        return None
    typical, finds = task.source.spread, needs.difference.value
    search = task.search(task.sample(chosen(needs.test)), needs.compared)

    def row(judges: float) -> AssessorRow:
        """Differences go with the spread; topics are searched with the difference in other units, as it were."""
        spread = found.spread_with(judges, typical)
        topics = math.nan
        if wanted is not None:
            most = min(1000 * typical, search.source.largest)
            topics = search.topics(
                min(wanted * typical / spread, most) if spread > 0 else most, [task.have]
            ).value
        return AssessorRow(judges, spread, topics, finds * spread / typical)

    enough = math.nan
    if wanted is not None and finds > 0:
        enough = found.judges_for(typical * wanted / finds, typical)
    rows = tuple(row(judges) for judges in (*JUDGES, math.inf))
    return AssessorPlan(
        unit=unit,
        now=found.per_summary,
        matched=found.matched,
        share=found.share(typical),
        rows=rows,
        enough=enough,
    )


def _counter(total: int, progress: Progress | None) -> Callable[[], None]:
    count = iter(range(1, total + 1))

    def done() -> None:
        if progress is not None:
            progress(next(count), total)

    return done
