"""Planning: how many topics or assessors it takes to find a difference, from the spread of a user's own scores.

Answers are for the comparison that will be made, all pairs of systems with a correction, and for one pair by itself.
Pairs of systems are simulated with the spread and the ties that the scores have; power is computed in stats/power/.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import Progress
from adjudge.analyses.plan import Plan
from adjudge.analyses.plan.design_words import why_no_designs
from adjudge.analyses.plan.designs import (
    DesignStudy,
    DifferenceKind,
    crossed_alone,
    crossed_of,
    study_designs,
    typical_difference,
)
from adjudge.analyses.plan.noise import NoiseSources, noise_sources
from adjudge.analyses.plan.words import (
    curve_title,
    number,
    plan_cells,
    power_text,
    reason,
    sampled_title,
    test_words,
    whole,
)
from adjudge.analyses.tests import ALL, DEFAULT_TEST, RESAMPLES
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import counted
from adjudge.data.scores import CellJudgments, ScoreMatrix
from adjudge.stats.paired import TEST_WORDS
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.power.assessors import Crossed
from adjudge.stats.power.generate import FURTHEST
from adjudge.stats.power.search import (
    ALONE,
    Answer,
    Chosen,
    Family,
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

    from adjudge.analyses.scores import Scores
    from adjudge.stats.checks import BoolArray

LARGEST = 1e150
"""Scores beyond this, or closer to 0 than one over this, have squares that floating-point numbers cannot hold."""
ROUNDING = 1e-9
"""Of the spread: own likings within are equal but for rounding."""
LEAST_APART = 1e-12
"""Of the spread: a smaller difference is lost in rounding."""
FEW = 8
"""With fewer topics the spread is hardly known."""
BESIDE = ("wilcoxon", "t", "sign", "t-unpaired")
"""Tests that are always shown: they are quick."""
WIDE = 0.9
"""The quantile of the pairs' spreads that stands for a pair whose differences spread widely."""
JUDGES = (1, 2, 3, 5, 10)
SAMPLED = (2, 3, 5, 10, 20)
"""Assessors in all."""
BAR = 30
"""Characters of a power of 1."""
_NICE = tuple(base * 2**k for k in range(24) for base in (6, 8))
SourceName = Literal["rated", "resampled", "normal"]
SOURCES: Mapping[type[Normal | Resampled | Rated], SourceName] = {
    Normal: "normal",
    Resampled: "resampled",
    Rated: "rated",
}
Compared = Literal["all", "typical", "one"]
"""All pairs whatever the other systems are; all pairs where they lie as the scores' systems do; the pair by itself."""


def plan_of(scores: Scores, asked: Plan) -> PowerPlan:
    """The plan of a measure's scores, with what assessors said behind them where that is known."""
    target: dict[str, Any] = {"length": asked.length, "form": asked.form}
    matrix = scores.matrix(asked.measure, pool=asked.pool, **target)
    family = scores.pairs_among(matrix.systems, asked.among)
    judgments = scores.table.judgments(matrix, **target)
    sources = None
    if judgments is not None or scores.table.at(matrix.measure, **target)["assessor"].notna().any():
        first, second = columns_of_pairs(len(matrix.systems))
        compared = {*first[family].tolist(), *second[family].tolist()}
        systems = [system for k, system in enumerate(matrix.systems) if k in compared]
        sources = noise_sources(scores, matrix.measure, systems=systems, seed=asked.seed, **target)
    result = plan_of_matrix(matrix, asked, family=family, judgments=judgments, sources=sources)
    return replace(result, about_scores=scores.unsaid_notes(matrix.measure))


def plan_of_matrix(
    matrix: ScoreMatrix,
    asked: Plan | None = None,
    *,
    tests: Sequence[str] | None = None,
    family: BoolArray | None = None,
    judgments: CellJudgments | None = None,
    sources: NoiseSources | None = None,
) -> PowerPlan:
    """The same from a matrix, what assessors said behind its cells, and where their noise comes from.

    `tests` are shown with the one that answers. `family` says which pairs of systems are compared and give the spread,
    all unless said. Pairs are simulated as levels of a rating scale where scores have few, else by resampling topics
    of the scores, or where that is asked for by normal noise of the same width.
    """
    asked = asked or Plan()
    if tests is None:
        tests = tuple(TEST_WORDS) if asked.test == ALL else BESIDE
    measured = spreads_of(matrix, family)
    if isinstance(measured, Note):
        raise DataError(f"{matrix.measure}: {reason(measured)}")
    task = plan_task(matrix, measured, asked)
    typical, wide, source, pairs = task.source.spread, task.wide.spread, task.source, task.pairs
    crossed = None if sources is None else crossed_of(sources, matched=True, **task.sampling)
    if asked.names_designs and crossed is None:
        raise DataError(f"{matrix.measure}: designs of judging cannot be compared: {why_no_designs(sources)}")
    wanted = None if asked.difference is None else _difference(asked, matrix, typical)
    answering = DEFAULT_TEST if asked.test == ALL else asked.test
    every = list(dict.fromkeys(map(chosen, (answering, *tests))))
    needs, looked_for, sizes, searches = _all_needs(task, every, wanted, asked.progress)
    between = between_assessors(judgments, measured)
    judges = None
    if between is not None and judgments is not None:
        judges = _judge_plan(between, judgments.unit, task, needs[0], wanted)
    sampling = assessors_as_sample(between, judgments, sources, task)
    sampled = None if sampling is None else _sampled_plan(sampling, task, wanted)
    people = 0 if sources is None else sources.levels.get("assessor", 0)
    designs = None
    if sources is not None and crossed is not None:
        designs = _design_study(sources, crossed, task, wanted, looked_for)
    ties = source.draw(1000, 20, generator(asked.seed, "plan/ties")).scores(0.0)
    return PowerPlan(
        asked=asked,
        matrix=matrix,
        difference=wanted,
        looked_for=looked_for,
        pairs=pairs,
        have=task.have,
        typical=typical,
        wide=wide,
        sizes=sizes,
        needs=needs,
        judges=judges,
        sampled=sampled,
        people=people or (0 if between is None else between.seen),
        searches=searches,
        sources=sources,
        designs=designs,
        source=SOURCES[type(source)],
        ties=tie_share(matrix.values, measured),
        simulated_ties=float(np.mean(ties[0] == ties[1])),
        used_pairs=int(np.count_nonzero(measured.usable)),
    )


@dataclass(frozen=True, repr=False, kw_only=True)
class PowerPlan(Result):
    """How many topics find a difference, and which difference the present ones find. Keeps the matrix."""

    FIGURES: ClassVar[Mapping[str, str]] = {"power": "adjudge.analyses.plan.figures:power"}
    IN_JSON: ClassVar[tuple[str, ...]] = ("powers",)

    asked: Plan
    matrix: ScoreMatrix
    difference: float | None
    """As asked for, in the measure's units."""
    looked_for: float
    """Of the power curve: the one asked for, else the smallest that is found now."""
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
    source: SourceName
    """Where simulated pairs come from."""
    ties: float
    """Which share of the differences between two systems are zero in the scores."""
    simulated_ties: float
    """And in the simulations without a difference."""
    used_pairs: int
    sources: NoiseSources | None = None
    """Where the noise of judgments comes from; None where there are none, or it was not asked for."""
    designs: DesignStudy | None = None
    """What other designs of judging would find; None where too little is known of assessors."""
    people: int = 0
    """Assessors who judged; 0 where nobody knows."""
    searches: tuple[Search, ...] = field(default=(), compare=False)
    """What power is computed with, one for each of `needs`."""

    @property
    def power(self) -> float:
        return self.asked.power

    @property
    def alpha(self) -> float:
        return self.asked.alpha

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    def how(self) -> str:
        return (
            f"{self.matrix.signature}|plan:{self.source}|pairs:{self.used_pairs}"
            f"|test:{self.needs[0].test}|power:{self.power:g}|alpha:{self.alpha:g}"
            f"|correct:{self.asked.correct}:{self.pairs}"
            f"|simulations:{self.asked.simulations}|seed:{self.asked.seed}|v:{__version__}"
        )

    def need(self, test: str, compared: Compared) -> Needs | None:
        """What a test needs in a comparison; None where that was not asked for."""
        return next((n for n in self.needs if (n.test, n.compared) == (test, compared)), None)

    def now(self, need: Needs) -> Power:
        """The power on the present topics, for the difference that is looked for."""
        return need.powers[self.sizes.index(self.have)] if self.have in self.sizes else _NOTHING

    def notes(self) -> Iterator[Note]:
        """How well the spread is known, what was simulated, and what was left out."""
        if self.have > 1:
            low, high = _sd_interval(self.have - 1)
            yield Note.of("spread-from-topics", topics=self.have, low=low, high=high)
        if self.have < FEW:
            yield Note.of("few-topics")
        sampled = self.sampled
        if sampled is not None and sampled.seen > 1 and not math.isnan(sampled.likings):
            df = (sampled.seen - 1) * max(sampled.systems - 1, 1)
            yield Note.of(
                "spread-from-assessors",
                assessors=sampled.seen,
                df=df,
                few=df < FEW,
                **self._likings_interval(),
            )
        if self.sources is not None:
            yield from self.sources.notes()
        if self.ties > 0 or self.simulated_ties > 0:
            yield Note.of("ties", share=self.ties, simulated=self.simulated_ties, source=self.source)
        if self.matrix.missing:
            yield Note.of("missing-in-pairs", n=len(self.matrix.missing))

    def _likings_interval(self) -> dict[str, float]:
        """Of the standard deviation between assessors, where the variances that the scores divide into have one."""
        if self.sources is None or self.sampled is None or not self.sampled.matched:
            return {}
        for part in self.sources.parts:
            if part.holds == ("assessor:system",) and part.high == part.high:
                low, high = (
                    math.sqrt(2 * max(part.low, 0.0)),
                    math.sqrt(2 * part.high),
                )  # of a difference of two
                if low <= self.sampled.likings <= high:
                    return {"low": low, "high": high}
        return {}

    def tables(self) -> Iterator[Table]:
        """The tests, the power curve, the assessors, the assessors as a sample, the noise, the designs."""
        yield self._plan_table()
        if self.sizes:
            yield self._curve_table()
        if self.judges is not None:
            yield self._assessors_table(self.judges)
        if self.sampled is not None and not math.isnan(self.sampled.likings):
            yield self._sampled_table(self.sampled)
        for part in (self.sources, self.designs):
            yield from () if part is None else (table for table in part.all_tables if table.rows)

    @property
    def csv_table(self) -> str:
        return "powers"

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"powers": self._powers_table}

    def _plan_table(self) -> Table:
        """A row per test and comparison; the second number of each kind is for pairs that spread widely."""
        asked = "always" if self.difference is not None else "never"
        wider = "never" if all(need.difference_wide is None for need in self.needs) else "always"

        def heading(name: str, *shown: str, right: bool = True) -> Column:
            return Column(name, data=False, right=right, show="never" if "never" in shown else "always")

        heads = (
            Column("words", "test", data=False, right=False),
            Column(
                "among", "compared", data=False, right=False, show="always" if self.pairs > 1 else "never"
            ),
            heading("topics needed", asked),
            heading("wide spread", asked, wider),
            heading("detectable"),
            heading("wide spread", wider),
            heading("power now", asked),
            heading("wrong sign", asked),
            heading("times too large", asked),
        )
        rows = [self._row(need) for need in self.needs]
        return Table(
            name="plan",
            columns=(*heads, *(Column(name, show="never") for name in rows[0])),
            rows=tuple(
                (*plan_cells(self, need), *row.values()) for need, row in zip(self.needs, rows, strict=True)
            ),
            title=f"{self.matrix.heading} ({counted(self.have, 'topic')} in common,"
            f" {counted(self.used_pairs, 'pair')} of systems)",
        )

    def _curve_table(self) -> Table:
        """The power on several numbers of topics: of the test that answers in every comparison, of others in one."""
        shown, names = zip(*self.curves(), strict=True)
        first = self.needs[0]
        return Table(
            name="curve",
            columns=(
                Column("topics"),
                *(Column(f"{name} text", name, data=False, right=True) for name in names),
                *(Column(name, show="never") for name in names),
                Column("picture", test_words(first), data=False, right=False, show="terminal"),
            ),
            rows=tuple(
                (
                    n,
                    *(power_text(need.powers[k].rate, self.power) for need in shown),
                    *(need.powers[k].rate for need in shown),
                    bar(first.powers[k].rate, self.power),
                )
                for k, n in enumerate(self.sizes)
            ),
            title=curve_title(self),
        )

    def _powers_table(self) -> Table:
        """A row per test, comparison and number of topics: power with its interval, types S and M."""
        rows = [
            self._key(need) | {"difference": self.looked_for, "topics": n, **_power_columns(need.powers[k])}
            for need in self.needs
            for k, n in enumerate(self.sizes)
        ]
        names = [*self._key(self.needs[0]), "difference", "topics", *_power_columns(_NOTHING)]
        return Table.of("powers", rows, *names)

    def _assessors_table(self, judges: AssessorPlan) -> Table:
        """What more or fewer assessors would do."""
        return Table.of(
            "assessors",
            [
                (
                    f"{row.judges:g}" if math.isfinite(row.judges) else "any",
                    number(row.spread, 3),
                    whole(row.topics),
                    number(row.difference, 3),
                )
                for row in (judges.rows[:-1] if judges.nothing_left else judges.rows)
            ],
            Column(f"{judges.unit}s", right=True),
            Column("spread", right=True),
            Column("topics needed", show="never" if self.difference is None else "always", right=True),
            Column("detectable", right=True),
        )

    def _sampled_table(self, sampled: SampledPlan) -> Table:
        """What numbers of assessors would do where they count as a sample."""
        return Table.of(
            "assessors as a sample",
            [
                (
                    f"{row.assessors:g}",
                    whole(row.topics) if math.isfinite(row.topics) else "none is enough",
                    number(row.difference, 3),
                    number(row.limit, 3),
                )
                for row in sampled.rows
            ],
            Column("assessors in all", right=True),
            Column("topics needed", show="never" if self.difference is None else "always", right=True),
            Column(f"detectable on {self.have:,} topics", right=True),
            Column("on any number of topics", right=True),
            title=sampled_title(self),
        )

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
        short = {"all": "", "typical": ", others as now", "one": ", one pair"}
        return [(need, need.test + (short[need.compared] if self.pairs > 1 else "")) for need in shown]

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "length": self.matrix.length,
            "form": self.matrix.target.form,
            "difference": self.difference,
            "power": self.power,
            "alpha": self.alpha,
            "correct": self.asked.correct,
            "pairs": self.pairs,
            "topics": self.have,
            "spread": self.typical,
            "spread_wide": self.wide,
            "source": self.source,
            "ties": self.ties,
            "simulated_ties": self.simulated_ties,
            "assessors": self.people or None,
            "judges": None if self.judges is None else asdict(self.judges),
            "assessors_sampled": None if self.sampled is None else self.sampled.facts(),
            "noise": None if self.sources is None else self.sources.facts(),
            "designs": None if self.designs is None else self.designs.facts(),
        }

    def _key(self, need: Needs) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "length": self.matrix.length,
            "form": self.matrix.target.form,
            "test": need.test,
            "compared": need.compared,
            "pairs": 1 if need.compared == "one" else self.pairs,
        }

    def _row(self, need: Needs) -> dict[str, Cell]:
        """Topics and differences, for typical and for wide pairs, with their error."""
        answers = {
            "needed": need.topics,
            "needed_wide": need.topics_wide,
            "finds": need.difference,
            "finds_wide": need.difference_wide,
        }
        row = self._key(need) | {"topics": self.have, "difference": self.difference}
        for name, answer in answers.items():
            row[name] = None if answer is None else answer.value
            row[f"{name}_error"] = None if answer is None else answer.error
        now = self.now(need) if self.difference is not None else _NOTHING
        whys = [answer.why for answer in answers.values() if answer is not None and answer.why]
        return row | {
            "power_now": now.rate,
            "wrong_sign": now.wrong_sign,
            "exaggeration": now.exaggeration,
            "findings": now.findings,
            "fewest": need.fewest,
            "method": need.difference.method,
            "why": whys[0] if whys else None,
        }


def bar(power: float, wanted: float) -> str:
    """A power as a line of characters, with a mark where it should be."""
    if power != power:
        return ""
    filled, mark = round(power * BAR), round(wanted * BAR)
    line = "█" * filled + "·" * max(mark - filled, 0)
    return line[: mark - 1] + "│" + line[mark:] if mark else line


@dataclass(frozen=True)
class Needs:
    """What one test needs in a comparison: for a typical pair of systems, and for one that spreads widely."""

    test: str
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


_NOTHING = Power(math.nan, math.nan, math.nan, math.nan, math.nan)


NOTHING = 1e-6
"""A standard deviation that is a smaller share of the others is estimated as 0."""


def _sd_interval(df: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of a normal standard deviation, as a share of its estimate."""
    from scipy.stats import chi2

    return math.sqrt(df / chi2.ppf((1 + level) / 2, df)), math.sqrt(df / chi2.ppf((1 - level) / 2, df))


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

    @property
    def nothing_left(self) -> bool:
        """Whether assessors' disagreement is estimated to be all of the variance, so that nothing limits their use."""
        return self.rows[-1].spread <= NOTHING * self.rows[0].spread


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
    likings: float
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

    @property
    def assessors_differ(self) -> bool:
        """Whether the estimate of how far they differ is more than 0."""
        return self.likings > NOTHING * max(self.residual, self.topics)

    def facts(self) -> dict[str, Any]:
        return {"own" if name == "likings" else name: number for name, number in asdict(self).items()}


@dataclass(frozen=True)
class SampledRow:
    """With so many assessors in all, each of them with the same share of the topics as now."""

    assessors: float
    topics: float
    """NaN where no difference was asked for, infinite where no number is enough."""
    difference: float
    limit: float


def _power_columns(power: Power) -> dict[str, float | None]:
    columns = asdict(power)
    return {"power": columns.pop("rate"), **columns}


# The work


@dataclass(frozen=True)
class PlanTask:
    """Everything that is the same for all tests."""

    source: Normal | Resampled | Rated
    wide: Normal | Resampled | Rated
    have: int
    pairs: int
    places: tuple[float, ...]
    systems: int
    """That are compared."""
    asked: Plan

    @property
    def sampling(self) -> dict[str, int]:
        """What a plan for assessors as a sample has beside its variances."""
        seed = int(generator(self.asked.seed, "plan/assessors").integers(0, 2**63))
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
        levels = (self.asked.alpha / self.pairs, self.asked.alpha)
        return Sample(
            test=test,
            source=self.wide if wide else self.source,
            seed=int(generator(self.asked.seed, f"plan/{test}").integers(0, 2**63)),
            simulations=self.asked.simulations,
            resamples=next(filter(None, map(resamples_at, levels)), RESAMPLES),
        )

    def search(self, sample: Sample, compared: Compared) -> Search:
        family = ALONE if compared == "one" else Family(self.pairs)
        if compared == "typical":
            family = replace(family, places=self.places)
        return Search(Goal(sample.test, self.asked.power, self.asked.alpha, family), sample)


def plan_task(matrix: ScoreMatrix, measured: Spreads, asked: Plan) -> PlanTask:
    """What is simulated, for how many pairs."""
    pairs = asked.pairs or int(np.count_nonzero(measured.n >= 2))
    if asked.n_systems is not None:
        pairs = asked.n_systems * (asked.n_systems - 1) // 2
    if asked.correct == "none":
        pairs = 1
    source = source_of_pairs(matrix, measured, measured.quantile(0.5), normal=asked.normal)
    used = measured.n >= 2
    columns = np.unique(np.concatenate([measured.first[used], measured.second[used]]))
    return PlanTask(
        source=source,
        wide=replace(source, spread=measured.quantile(WIDE)),
        have=int(np.median(measured.n[measured.n > 0])),
        pairs=pairs,
        places=places(matrix.values[:, columns]) if asked.correct == "holm" and pairs > 1 else (),
        systems=asked.n_systems or columns.size,
        asked=asked,
    )


def spreads_of(matrix: ScoreMatrix, family: BoolArray | None) -> Spreads | Note:
    """How far the differences of each pair of systems spread over topics, or why nothing can be planned."""
    if len(matrix.systems) < 2:
        return Note.of("one-system", systems=len(matrix.systems))
    sizes = np.abs(matrix.values[matrix.values != 0])
    if np.any(sizes > LARGEST) or np.any(sizes < 1 / LARGEST):
        return Note.of("squares-overflow", largest=LARGEST)
    measured = spreads(matrix.values, family)
    if np.isnan(measured.sd).all():
        return Note.of("no-common-topics")
    return measured if measured.quantile(0.5) > 0 else Note.of("no-spread")


def source_of_pairs(
    matrix: ScoreMatrix, measured: Spreads, spread: float, *, normal: bool = False
) -> Normal | Resampled | Rated:
    """Levels where scores have few; else resampled topics; normal noise where it is asked for."""
    if normal:
        # The topics' variance is estimated as 0 where it is not above the noise; it matters for unpaired tests alone.
        topic = components(matrix.values).topic
        return Normal(spread, math.sqrt(topic) if topic > 0 else 0.0)
    return rated(matrix.values, spread) or resampled(matrix.values, measured, spread)


def _difference(asked: Plan, matrix: ScoreMatrix, spread: float) -> float:
    """In the measure's units; a share is one of the mean over all scores."""
    size, is_share = asked.size_and_unit()
    if is_share:
        mean = float(np.nanmean(matrix.values))
        if mean == 0:
            raise UsageError(
                f"the mean of {matrix.measure} is 0: give the difference as a number, not as a share"
            )
        size = size / 100 * abs(mean)
    if not LEAST_APART * spread <= size <= FURTHEST * spread:
        off = f"less than {LEAST_APART:g}" if size < spread else f"more than {FURTHEST:,.0f}"
        raise UsageError(
            f"the difference is {quoted(asked.difference_text)}, {off} times the standard deviation of the differences"
            f" between two systems ({number(spread)}): nothing to plan"
        )
    return size


def _all_needs(
    task: PlanTask, tests: list[Chosen], wanted: float | None, progress: Progress
) -> tuple[tuple[Needs, ...], float, tuple[int, ...], tuple[Search, ...]]:
    """Answers of every test in every comparison, then their power on the same numbers of topics."""
    asked = [(test, compared) for test in tests for compared in task.comparisons(test, test == tests[0])]
    count = iter(range(1, len(asked) * 2 + 1))

    def done() -> None:
        progress(next(count), len(asked) * 2)

    samples = {test: task.sample(test) for test in tests}
    wide = task.sample(tests[0], wide=True)
    searches = [task.search(samples[test], compared) for test, compared in asked]
    needs: list[Needs] = []
    for (test, compared), search in zip(asked, searches, strict=True):
        wider = test == tests[0] and compared != "typical" and task.wide.spread > task.source.spread
        beside = task.search(wide, compared) if wider else None
        harder = needs[-1] if needs and needs[-1].test == str(test) else None
        needs.append(_needs(task, compared, (search, beside), wanted, harder))
        done()
    looked_for = wanted if wanted is not None else needs[0].difference.value
    sizes: tuple[int, ...] = ()
    if looked_for == looked_for:
        needed = [
            need.topics.value for need in needs if need.test == needs[0].test and need.topics is not None
        ]
        sizes = nice_sizes(task.have, needed[0] if needed else task.have)
        sizes = tuple(sorted({*sizes, *(int(n) for n in needed if math.isfinite(n))}))
    for k, search in enumerate(searches):
        needs[k] = replace(needs[k], powers=tuple(_power(search, n, looked_for) for n in sizes))
        done()
    return tuple(needs), looked_for, sizes, tuple(searches)


def _needs(
    task: PlanTask,
    compared: Compared,
    searches: tuple[Search, Search | None],
    wanted: float | None,
    harder: Needs | None,
) -> Needs:
    """`harder` is the comparison before, which finds no more on the same draws: what is enough there is enough here."""

    def answers(one_search: Search | None, which: str) -> tuple[Answer | None, Answer | None]:
        if one_search is None:
            return None, None
        needed, smallest = None, [] if wanted is None else [wanted]
        if wanted is not None:
            needed = one_search.topics(wanted, [*_values(harder, f"topics{which}"), task.have])
        return needed, one_search.difference(task.have, [*_values(harder, f"difference{which}"), *smallest])

    search, wide = searches
    test = search.goal.test
    topics, difference = answers(search, "")
    topics_wide, difference_wide = answers(wide, "_wide")
    assert difference is not None
    return Needs(
        test=str(test),
        paired=test.paired,
        compared=compared,
        fewest=search.goal.least,
        topics=topics,
        topics_wide=topics_wide,
        difference=difference,
        difference_wide=difference_wide,
    )


def _values(needs: Needs | None, name: str) -> list[float]:
    answer = None if needs is None else getattr(needs, name)
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
    step = max(1, -(-(high - low) // most))
    apart = [n for n in range(low, high, step) if all(abs(n - size) >= step / 2 for size in sizes)]
    return sorted({*sizes, *apart})


@dataclass(frozen=True)
class AssessorSample:
    """Assessors as a sample: how they disagree, and what varies."""

    between: Disagreement
    crossed: Crossed
    by_model: bool
    """Whether the variances are those by REML of all judgments, which tells them apart."""

    def needed(self, task: PlanTask, wanted: float) -> float:
        """Topics, with as many assessors as now; infinite where no number of topics is enough."""
        return self.crossed.topics_for(
            self.between.crew, wanted, task.asked.power, task.asked.alpha / task.pairs
        )

    def fewest(self, task: PlanTask, wanted: float) -> float:
        """Assessors with whom some number of topics is enough."""
        return self.crossed.fewest(wanted, task.asked.power, task.asked.alpha / task.pairs)


def between_assessors(judgments: CellJudgments | None, measured: Spreads) -> Disagreement | None:
    """How the assessors of a summary disagree; None where none has two."""
    if judgments is None:
        return None
    between = disagreement(judgments.values, measured, same_judges=judgments.persons)
    return None if math.isnan(between.variance) else between


def assessors_as_sample(
    between: Disagreement | None,
    judgments: CellJudgments | None,
    sources: NoiseSources | None,
    task: PlanTask,
) -> AssessorSample | None:
    """What it takes where assessors are a sample rests on this; None where they are not known."""
    if between is not None:
        now = None if sources is None else crossed_of(sources, matched=between.matched, **task.sampling)
        return _sample_of(between, task, now)
    if sources is not None and (shared := _one_per_topic(judgments)) is not None:
        alone = crossed_alone(sources, **task.sampling)
        return None if alone is None else _sample_of(shared, task, alone)
    return None


def _sample_of(between: Disagreement, task: PlanTask, variances: Crossed | None) -> AssessorSample | None:
    if not between.seen:
        return None
    spread = task.source.spread
    if between.likings <= (ROUNDING * spread) ** 2:
        between = replace(between, likings=0.0)
    if abs(between.crew - round(between.crew)) < ROUNDING * between.crew:
        between = replace(between, crew=float(round(between.crew)))
    by_model = variances is not None
    if variances is not None:
        between = replace(between, likings=variances.likings)
    else:
        variances = Crossed(
            topics=between.rest(spread),
            likings=0.0 if math.isnan(between.likings) else between.likings,
            residual=0.0 if math.isnan(between.likings) else min(between.residual, between.used(spread)),
            alone=False,
            **task.sampling,
        )
    crossed = replace(variances, changes=between.changes, per_topic=min(between.judges / between.crew, 1.0))
    return AssessorSample(between=between, crossed=crossed, by_model=by_model)


def _sampled_plan(sample: AssessorSample, task: PlanTask, wanted: float | None) -> SampledPlan:
    """What it takes where assessors are a sample."""
    between, crossed = sample.between, sample.crossed
    about: dict[str, Any] = {
        "seen": between.seen,
        "assessors": between.crew,
        "likings": math.nan if math.isnan(between.likings) else math.sqrt(crossed.likings),
        "residual": math.nan if math.isnan(between.likings) else math.sqrt(crossed.residual),
        "topics": math.sqrt(crossed.topics),
        "matched": between.matched or sample.by_model,
        "systems": crossed.systems,
    }
    if math.isnan(between.likings):
        return SampledPlan(**about)
    level = task.asked.alpha / task.pairs
    now, power = between.crew, task.asked.power

    def differences(judges: float) -> tuple[float, float]:
        return crossed.difference(task.have, judges, power, level), crossed.smallest(judges, power, level)

    def needed(judges: float) -> float:
        return math.nan if wanted is None else crossed.topics_for(judges, wanted, power, level)

    difference, limit = differences(now)
    asked: dict[str, Any] = {}
    if wanted is not None:
        powers = (crossed.power(task.have, now, wanted, alpha) for alpha in (level, task.asked.alpha))
        asked |= dict(zip(("power_now", "one_pair_now"), powers, strict=True))
        asked["best"] = crossed.best(now, wanted, level)
        asked["fewest"] = sample.fewest(task, wanted)
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
    sources: NoiseSources, crossed: Crossed, task: PlanTask, wanted: float | None, looked_for: float
) -> DesignStudy | None:
    """What designs find: the difference asked for, else the typical one, else the smallest that is found now."""
    kind: DifferenceKind
    size, kind = (wanted, "asked") if wanted is not None else (typical_difference(sources), "typical")
    if not size > 0:
        size, kind = looked_for, "smallest"
    return study_designs(sources, crossed, task.asked, task.pairs, size, kind) if size > 0 else None


def _judge_plan(
    between: Disagreement, unit: str, task: PlanTask, needs: Needs, wanted: float | None
) -> AssessorPlan | None:
    """What more assessors would do for the first test; None where that test does not pair topics."""
    if not needs.paired:
        return None
    typical, finds = task.source.spread, needs.difference.value
    search = task.search(task.sample(chosen(needs.test)), needs.compared)

    def row(judges: float) -> AssessorRow:
        """Differences go with the spread; topics are searched with the difference in other units, as it were."""
        spread = between.spread_with(judges, typical)
        topics = math.nan
        if wanted is not None:
            most = min(1000 * typical, search.source.largest)
            topics = search.topics(
                min(wanted * typical / spread, most) if spread > 0 else most, [task.have]
            ).value
        return AssessorRow(judges, spread, topics, finds * spread / typical)

    enough = math.nan
    if wanted is not None and finds > 0:
        enough = between.judges_for(typical * wanted / finds, typical)
    rows = tuple(row(judges) for judges in (*JUDGES, math.inf))
    return AssessorPlan(
        unit=unit,
        now=between.per_summary,
        matched=between.matched,
        share=between.share(typical),
        rows=rows,
        enough=enough,
    )
