"""How many references, topics, assessors: what a measure's correlation with people is with fewer of them.

Lin and Hovy 2002: "we need more than one model summary". Topics: the measure and people on the same k topics.
Assessors: people are the mean of k assessors, the measure stays. References: the measure has k references per topic,
people stay. A value is the median over subsets, drawn without replacement, so that the curve ends at what all give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, get_args

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta.cells import Cells, HumanCells, several_among
from adjudge.analyses.meta.referenced import ReferencedScores, References, mean_of
from adjudge.analyses.meta.words import coefficient_words, over_words
from adjudge.analyses.scores import Scores
from adjudge.core.engine import generator
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import counted
from adjudge.data.scores import AllLengths, Among, MeasureInfo
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.correlation import (
    Coefficient,
    CorrelationLevel,
    Correlations,
    correlations,
    weighted_correlations,
)
from adjudge.stats.subsets import (
    SharesCorrection,
    first_of,
    resamples,
    shares_different,
    shares_different_of,
    sizes,
    subsets,
)

CurveOf = Literal["references", "topics", "assessors"]
CURVES: tuple[CurveOf, ...] = get_args(CurveOf)
DRAWS = 500
"""Subsets of each size at most; all where there are no more."""
NEAR = 0.02
"""Two correlations that are no further apart are called near each other."""
AT_ONCE = 4_000_000
"""Cells of subsets that are held at once: 32 MB."""
CurveProgress = Callable[[int, int], None]
"""Points done, points in all."""


@dataclass(frozen=True)
class Spread:
    """The median over subsets, and where most of them lie; NaN where that cannot be said."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class CurvePoint:
    """One number of references, topics or assessors."""

    k: int | None
    """None where every topic or summary keeps all that it has, and that is not the same number everywhere."""
    shown: str
    draws: int
    every: bool
    """Whether these are all subsets of this size."""
    correlation: Spread
    undefined: int
    """Subsets that have no correlation."""
    power: Spread
    """The share of pairs of systems that the measure finds different; not given where it does not depend on k."""
    people: Spread
    """The same of people."""
    why: str | None = None
    """Why there is no correlation."""


@dataclass(frozen=True)
class Curve:
    """One measure against one human measure with ever more references, topics or assessors."""

    what: CurveOf
    unit: str
    """What is counted: reference, topic, set of topics, assessor."""
    measure: MeasureInfo
    human: MeasureInfo
    among: Among
    level: CorrelationLevel
    coefficient: Coefficient
    confidence: float
    """Of intervals, and the share of subsets in a range."""
    topics: int
    """That have scores of both."""
    systems: int
    points: tuple[CurvePoint, ...]

    @property
    def pairs(self) -> int:
        return math.comb(self.systems, 2)

    @property
    def settled_from(self) -> CurvePoint | None:
        """The first point from which on all are near the last; None where there is no last or it takes all."""
        last = self.points[-1].correlation.value
        settled = None
        for point in reversed(self.points):
            if not abs(point.correlation.value - last) <= NEAR:
                break
            settled = point
        return None if settled is self.points[-1] else settled

    def records(self) -> Iterator[dict[str, Any]]:
        """A row per point."""
        for point in self.points:
            yield {
                "what": self.what,
                "k": point.k,
                "shown": point.shown,
                "unit": self.unit,
                "measure": self.measure.measure,
                "human": self.human.measure,
                "among": self.among,
                "level": self.level,
                "coefficient": self.coefficient,
                "draws": point.draws,
                "every": point.every,
                "value": point.correlation.value,
                "low": point.correlation.low,
                "high": point.correlation.high,
                "undefined": point.undefined,
                "power": point.power.value,
                "power_low": point.power.low,
                "power_high": point.power.high,
                "people_power": point.people.value,
                "people_power_low": point.people.low,
                "people_power_high": point.people.high,
                "why": point.why,
            }


@dataclass(frozen=True)
class NoCurve:
    """A curve that cannot be drawn, of one measure or human measure or of all."""

    what: CurveOf
    why: str
    measure: str | None = None
    human: str | None = None
    among: Among | None = None
    """None where it is so whatever the systems."""


@dataclass(frozen=True, repr=False, kw_only=True)
class CurvesResult(Result):
    """How correlation with people and discriminative power grow with references, topics and assessors."""

    WORDS = "adjudge.analyses.meta.words.curves"
    FIGURES: ClassVar[Mapping[str, str]] = {
        "references-curve": "adjudge.analyses.meta.figures:references_curve",
        "topics-curve": "adjudge.analyses.meta.figures:topics_curve",
        "assessors-curve": "adjudge.analyses.meta.figures:assessors_curve",
    }
    FRAME = "curves"
    IN_JSON = ("curves",)

    curves: tuple[Curve, ...]
    none: tuple[NoCurve, ...]
    among: tuple[Among, ...]
    level: CorrelationLevel
    coefficient: Coefficient
    draws: int
    seed: int
    alpha: float
    correction: SharesCorrection
    remarks: Mapping[CurveOf, Sequence[Note]]
    """By what curves are over."""

    def of(self, what: CurveOf, among: Among | None = None) -> tuple[Curve, ...]:
        """The curves over something, of all choices of systems or of one."""
        return tuple(e for e in self.curves if e.what == what and among in (None, e.among))

    def how(self) -> str:
        return (
            f"curves|level:{self.level}|coefficient:{self.coefficient}|among:{'+'.join(self.among)}|draws:{self.draws}"
            f"|test:t|correction:{self.correction}|alpha:{self.alpha:g}|seed:{self.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "coefficient": self.coefficient,
            "among": list(self.among),
            "none": list(self.none),
        }

    def notes(self) -> Iterator[Note]:
        for what, notes in self.remarks.items():
            names = [f"curves-{what}-{among}" for among in self.among]
            for note in notes:
                yield note.on(*names)

    def tables(self) -> Iterator[Table]:
        """A table for each of references, topics and assessors, and each choice of systems."""
        for what in CURVES:
            for among in self.among:
                if curves := self.of(what, among):
                    hidden = {"references": "people_power", "assessors": "power"}.get(what)
                    yield Table(
                        name=f"curves-{what}-{among}",
                        columns=tuple(replace(c, show="never") if c.name == hidden else c for c in _COLUMNS),
                        rows=tuple(_cells(curves)),
                        title=self._title(what, among),
                    )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"curves": self._all_rows}

    def _all_rows(self) -> Table:
        """Every curve, one after the other: a row per point."""
        return Table("curves", _COLUMNS, tuple(_cells(self.curves)))

    def _title(self, what: CurveOf, among: Among) -> str:
        many = _plural(self.of(what, among)[0].unit)[1]
        held = {
            "references": "the measure with k references per topic, people as they are",
            "topics": f"the measure and people on the same k {many}",
            "assessors": "people as the mean of k assessors, the measure as it is",
        }[what]
        return (
            f"{self.level.capitalize()}-level {coefficient_words(self.coefficient)} by the number of {many},"
            f" among {over_words(among)}: {held}"
        )


def _cells(curves: Sequence[Curve]) -> Iterator[tuple[Cell, ...]]:
    for curve in curves:
        titles = {"measure_title": curve.measure.heading, "human_title": curve.human.heading}
        for point in curve.records():
            row = point | titles
            yield tuple(row[column.name] for column in _COLUMNS)


_COLUMNS = (
    Column("what", "over", show="varies", right=False),
    Column("unit", show="never"),
    Column("measure", show="never"),
    Column("measure_title", "measure", data=False, right=False),
    Column("human", show="never"),
    Column("human_title", "people", data=False, right=False, show="varies"),
    Column("among", right=False, show="varies"),
    Column("level", "level", right=False),
    Column("coefficient", "coefficient", right=False),
    Column("k", show="never"),
    Column("shown", "number", right=True),
    Column("draws", "subsets"),
    Column("every", "all there are", show="varies"),
    Column("value", "median", tiny=False),
    Column("low", "low", tiny=False),
    Column("high", "high", tiny=False),
    Column("undefined", "undefined", show="varies"),
    Column("power", "pairs by measure", format=".2f", tiny=False),
    Column("power_low", show="never"),
    Column("power_high", show="never"),
    Column("people_power", "pairs by people", format=".2f", tiny=False),
    Column("people_power_low", show="never"),
    Column("people_power_high", show="never"),
    Column("why", show="never"),
)


# The curves


def learning_curves(
    cells: Cells,
    scores: Scores | None = None,
    *,
    what: Sequence[CurveOf] = CURVES,
    level: CorrelationLevel = "system",
    coefficient: Coefficient = "spearman",
    among: Among | Sequence[Among] = "all",
    length: int | AllLengths | None = None,
    form: str | None = None,
    draws: int | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    correction: SharesCorrection = "holm",
    progress: CurveProgress = lambda done, of: None,
) -> CurvesResult:
    """Curves of every measure against every human measure, over references, topics and assessors.

    References need `scores`, from which the cells were made with the same length and form: a measure with a row per
    reference is averaged over fewer rows; another is scored again in memory, from the texts of the scores' folder.
    A curve over topics is of those that have scores of both. `draws` are subsets of each size, DRAWS unless it is
    given; 1 - `alpha` is the level of intervals.
    """
    draws = DRAWS if draws is None else draws
    checks.share("alpha", alpha)
    checks.one_of("level", level, get_args(CorrelationLevel))
    checks.one_of("coefficient", coefficient, get_args(Coefficient))
    checks.count("draws", draws, least=2)
    for kind in what:
        checks.one_of("what", kind, CURVES)
    curves: list[Curve] = []
    none: dict[NoCurve, list[Among]] = {}
    remarks: dict[CurveOf, list[Note]] = {}
    wanted = several_among(among)
    for turn, which in enumerate(wanted):
        study = _Curves(
            cells=cells.among(which),
            level=level,
            coefficient=coefficient,
            draws=draws,
            seed=seed,
            alpha=alpha,
            correction=correction,
        )
        absent: list[NoCurve] = []
        jobs = list(_jobs(study, what, scores, length, form, absent))
        for missing in dict.fromkeys(absent):
            none.setdefault(missing, []).append(which)
        total, done = sum(job.points for job in jobs), 0
        for job in jobs:
            for points in job.run():
                done += points
                progress(turn * total + done, len(wanted) * total)
            curves += job.curves
            notes = remarks.setdefault(job.what, [])
            notes += [note for note in (*job.notes, study.power_note()) if note not in notes]
    return CurvesResult(
        curves=tuple(curves),
        none=tuple(
            replace(missing, among=None if len(where) == len(wanted) else which)
            for missing, where in none.items()
            for which in where[: 1 if len(where) == len(wanted) else None]
        ),
        among=wanted,
        level=level,
        coefficient=coefficient,
        draws=draws,
        seed=seed,
        alpha=alpha,
        correction=correction,
        remarks=remarks,
    )


def _jobs(
    study: _Curves,
    what: Sequence[CurveOf],
    scores: Scores | None,
    length: int | AllLengths | None,
    form: str | None,
    none: list[NoCurve],
) -> Iterator[_Job]:
    if "references" in what:
        yield from _references(study, scores, length, form, none)
    if "topics" in what:
        yield from _over_topics(study, none)
    if "assessors" in what:
        yield from _over_assessors(study, none)


class _Job(Protocol):
    """Some curves that are computed together, point by point."""

    what: CurveOf
    points: int
    curves: list[Curve]
    notes: list[Note]

    def run(self) -> Iterator[int]:
        """Computes, and says after every step how many points that were."""
        ...


@dataclass(frozen=True, eq=False)
class _Curves:
    """What all curves share."""

    cells: Cells
    level: CorrelationLevel
    coefficient: Coefficient
    draws: int
    seed: int
    alpha: float
    correction: SharesCorrection

    @property
    def confidence(self) -> float:
        return 1 - self.alpha

    def spread(self, values: FloatArray, *, within: FloatArray | None = None) -> Spread:
        """The median, and where at least so many of the draws lie; no range where there is one draw."""
        return _spread_of(values, self.confidence, within)

    def generator(self, what: str) -> np.random.Generator:
        return generator(self.seed, f"meta/curves/{what}")

    def groups(self, rows: Sequence[int] | IntArray) -> IntArray | None:
        """The sets of rows, numbered."""
        if self.cells.clusters is None:
            return None
        names = np.array([self.cells.clusters[k] for k in rows])
        numbers = np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return numbers if numbers.size and numbers.max() + 1 < numbers.size else None

    def stack_correlations(
        self, stack: FloatArray, fixed: FloatArray, *, of_people: bool = False
    ) -> tuple[FloatArray, str]:
        """Of every matrix of a stack, which may be people's, with one matrix; and why the first blank is one."""
        values = self._correlations(stack, fixed).values  # the same whichever side the stack is
        blank = np.flatnonzero(np.isnan(values))
        if not blank.size:
            return values, ""
        one = stack[blank[0]]
        correlated = (
            self._correlations(fixed[None], one) if of_people else self._correlations(one[None], fixed)
        )
        return values, correlated.why[0] or ""

    def _correlations(self, measures: FloatArray, people: FloatArray) -> Correlations:
        return correlations(
            measures,
            people,
            level=self.level,
            coefficient=self.coefficient,
            all_topics=self.cells.all_topics,
        )

    def stack_shares(self, stack: FloatArray) -> FloatArray:
        groups = self.groups(range(stack.shape[1]))
        return shares_different_of(stack, groups=groups, alpha=self.alpha, correction=self.correction)

    def power_note(self) -> Note:
        sets = self.groups(range(len(self.cells.topics))) is not None
        return Note.of("shares-of-pairs", sets=sets, alpha=self.alpha, correction=self.correction)


def _spread_of(values: FloatArray, confidence: float, within: FloatArray | None) -> Spread:
    defined = values[~np.isnan(values)]
    if 2 * defined.size <= values.size:
        return Spread()
    median = float(np.median(defined))
    drawn = defined if within is None else within[~np.isnan(within)]
    if drawn.size < 2 or (within is not None and 2 * drawn.size <= within.size):
        return Spread(value=median)
    low = float(np.quantile(drawn, (1 - confidence) / 2, method="lower"))
    high = float(np.quantile(drawn, (1 + confidence) / 2, method="higher"))
    return Spread(value=median, low=min(low, median), high=max(high, median))


def _why(values: FloatArray, spread: Spread, reason: str) -> str | None:
    if not math.isnan(spread.value):
        return None
    missing = int(np.count_nonzero(np.isnan(values)))
    if missing == values.size == 1:
        return reason
    return f"{missing} of {values.size} subsets have none, such as: {reason}"


# Topics


@dataclass(eq=False)
class _TopicCurves:
    """Measures that have the same topics against one human measure, on fewer topics."""

    study: _Curves
    human: HumanCells
    rows: IntArray
    """Topics with scores of both."""
    which: list[int]
    """The measures."""
    what: CurveOf = "topics"

    def __post_init__(self) -> None:
        self.groups = self.study.groups(self.rows)
        self.n = len(self.rows) if self.groups is None else int(self.groups.max()) + 1
        self.sizes = sizes(self.n)
        self.points = len(self.sizes)
        self.unit = "topic" if self.groups is None else "set of topics"
        self.curves: list[Curve] = []
        self.notes = [Note.of("over-topics", unit=self.unit, confidence=self.study.confidence)]
        if self.study.cells.all_topics:
            self.notes.append(Note.of("judged-topics-alone"))

    def run(self) -> Iterator[int]:
        study, cells = self.study, self.study.cells
        people = self.human.values[self.rows]
        measures = cells.automatic[self.which][:, self.rows]
        draw = study.generator("topics")
        points: list[list[CurvePoint]] = [[] for _ in self.which]
        for k in self.sizes:
            chosen = subsets(self.n, k, draws=study.draws, rng=draw)
            again = resamples(self.n, k, draws=study.draws, rng=draw).weights
            both = np.concatenate([chosen.weights, again])
            split = len(chosen)
            weights = both if self.groups is None else both[:, self.groups]
            rho = weighted_correlations(
                measures, people, weights, level=study.level, coefficient=study.coefficient
            )
            shares = self._shares(people, both)
            for m, values in enumerate(measures):
                mine = self._shares(np.where(np.isnan(people), np.nan, values), both)
                spread = study.spread(rho[:split, m], within=rho[split:, m])
                points[m].append(
                    CurvePoint(
                        k=k,
                        shown=f"{k:,}",
                        draws=split,
                        every=chosen.every,
                        correlation=spread,
                        undefined=int(np.count_nonzero(np.isnan(rho[:split, m]))),
                        power=study.spread(mine[:split], within=mine[split:]),
                        people=study.spread(shares[:split], within=shares[split:]),
                        why=_why(rho[:split, m], spread, self._reason(m, chosen.weights, rho[:split, m])),
                    )
                )
            yield 1
        self.curves = [
            _curve(study, "topics", self.unit, cells.measures[m], self.human, tuple(of_measure))
            for m, of_measure in zip(self.which, points, strict=True)
        ]

    def _shares(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        study = self.study
        return shares_different(
            values, weights, groups=self.groups, alpha=study.alpha, correction=study.correction
        )

    def _reason(self, m: int, weights: FloatArray, rho: FloatArray) -> str:
        """Why the first subset without a correlation has none."""
        if not np.isnan(rho).any():
            return ""
        drawn = weights[int(np.flatnonzero(np.isnan(rho))[0])]
        kept = (drawn if self.groups is None else drawn[self.groups]) > 0
        correlated = correlations(
            self.study.cells.automatic[[self.which[m]]][:, self.rows][:, kept],
            self.human.values[self.rows][kept],
            level=self.study.level,
            coefficient=self.study.coefficient,
        )
        return correlated.why[0] or ""


def _over_topics(study: _Curves, none: list[NoCurve]) -> Iterator[_Job]:
    """A job for the measures with the same topics: k of them are k for each."""
    for human in study.cells.humans:
        by_rows: dict[bytes, list[int]] = {}
        for m, values in enumerate(study.cells.automatic):
            by_rows.setdefault(_shared(values, human).tobytes(), []).append(m)
        for which in by_rows.values():
            rows = np.flatnonzero(_shared(study.cells.automatic[which[0]], human))
            job = _TopicCurves(study, human, rows, which) if rows.size else None
            if job is not None and job.n > 1:
                yield job
                continue
            unit = "topic" if job is None else job.unit
            why = f"{counted(job.n if job else 0, *_plural(unit))} with scores of both, and a curve needs two"
            none += [
                NoCurve("topics", why, measure=study.cells.measures[m].words, human=human.info.words)
                for m in which
            ]


def _shared(values: FloatArray, human: HumanCells) -> BoolArray:
    """The topics on which some summary has scores of both."""
    return np.asarray((~np.isnan(values) & ~np.isnan(human.values)).any(axis=1))


def _curve(
    study: _Curves,
    what: CurveOf,
    unit: str,
    measure: MeasureInfo,
    human: HumanCells,
    points: tuple[CurvePoint, ...],
) -> Curve:
    return Curve(
        what=what,
        unit=unit,
        measure=measure,
        human=human.info,
        among=study.cells.chosen,
        level=study.level,
        coefficient=study.coefficient,
        confidence=study.confidence,
        topics=int(_shared(study.cells.automatic[study.cells.measures.index(measure)], human).sum()),
        systems=len(study.cells.systems),
        points=points,
    )


# Assessors


@dataclass(frozen=True)
class _Size:
    """One size of subsets of what rows or cells have; all of it, where that is not the same number everywhere."""

    k: int | None
    most: int
    shown: str


def _sizes_of(counts: IntArray) -> list[_Size]:
    """Up to the smallest number that is there everywhere, then all that there is."""
    least, most = int(counts.min()), int(counts.max())
    subset_sizes = [_Size(k, k, f"{k:,}") for k in sizes(least)]
    return subset_sizes if least == most else [*subset_sizes, _Size(None, most, f"{least:,} to {most:,}")]


@dataclass(eq=False)
class _AssessorCurves:
    """All measures against one human measure, by fewer assessors."""

    study: _Curves
    human: HumanCells
    what: CurveOf = "assessors"
    unit: str = "assessor"

    def __post_init__(self) -> None:
        self.present: BoolArray = ~np.isnan(self.human.by_assessor)
        judged = self.present.any(axis=0)
        self.counts: IntArray = np.count_nonzero(self.present, axis=0)[judged]
        self.same = bool((self.present == judged).all())
        self.sizes = _sizes_of(self.counts)
        self.points = len(self.sizes)
        self.curves: list[Curve] = []
        self.notes = [
            Note.of(
                "over-assessors",
                of=len(self.human.assessors) if self.same else None,
                confidence=self.study.confidence,
            )
        ]
        if self.counts.min() < self.counts.max():
            self.notes.append(
                Note.of(
                    "unequal-assessors",
                    human=self.human.info.words,
                    least=int(self.counts.min()),
                    most=int(self.counts.max()),
                )
            )

    def run(self) -> Iterator[int]:
        study, cells = self.study, self.study.cells
        draw = study.generator("assessors")
        points: list[list[CurvePoint]] = [[] for _ in cells.measures]
        for size in self.sizes:
            stack, every = self._people(size, draw)
            shares = study.spread(study.stack_shares(stack))
            for m, values in enumerate(cells.automatic):
                rho, reason = study.stack_correlations(stack, values, of_people=True)
                spread = study.spread(rho)
                points[m].append(
                    CurvePoint(
                        k=size.k,
                        shown=size.shown,
                        draws=len(stack),
                        every=every,
                        correlation=spread,
                        undefined=int(np.count_nonzero(np.isnan(rho))),
                        power=Spread(),
                        people=shares,
                        why=_why(rho, spread, reason),
                    )
                )
            yield 1
        self.curves = [
            _curve(study, "assessors", self.unit, measure, self.human, tuple(of_measure))
            for measure, of_measure in zip(cells.measures, points, strict=True)
        ]

    def _people(self, size: _Size, draw: np.random.Generator) -> tuple[FloatArray, bool]:
        """Draws x topics x systems: the mean of the assessors who were drawn."""
        cube = self.human.by_assessor
        if self.same:
            chosen = subsets(len(cube), size.most, draws=self.study.draws, rng=draw)
            masks = [self.present & row.astype(np.bool_)[:, None, None] for row in chosen.weights]
            every = chosen.every
        elif size.k is None:
            masks, every = [self.present], True
        else:
            orders = draw.random((self.study.draws, *cube.shape[:2], 1))
            masks = [first_of(self.present, np.broadcast_to(order, cube.shape), size.k) for order in orders]
            every = False
        return np.stack([mean_of(cube, mask) for mask in masks]), every


def _over_assessors(study: _Curves, none: list[NoCurve]) -> Iterator[_Job]:
    for human in study.cells.humans:
        if not human.assessors:
            why = "its scores name no assessor"
        elif np.isnan(human.by_assessor).all():
            why = "these systems were not judged"
        else:
            job = _AssessorCurves(study, human)
            if job.counts.max() > 1:
                yield job
                continue
            why = "every summary was judged by one assessor, and a curve needs two"
        none.append(NoCurve("assessors", why, human=human.info.words))


# References


@dataclass(eq=False)
class _ReferenceCurves:
    """One measure with fewer references, against all human measures."""

    study: _Curves
    measure: MeasureInfo
    source: ReferencedScores
    what: CurveOf = "references"
    unit: str = "reference"

    def __post_init__(self) -> None:
        present = self.source.present
        used = np.flatnonzero(present.any(axis=1))
        self.counts: IntArray = np.count_nonzero(present[used], axis=1)
        self.same = bool((present[used] == present.any(axis=0)).all())
        self.sizes = _sizes_of(self.counts)
        self.points = len(self.sizes)
        self.curves: list[Curve] = []
        self.notes = [
            Note.of(
                "over-references",
                of=int(self.counts.max()) if self.same else None,
                confidence=self.study.confidence,
            )
        ]
        if self.counts.min() < self.counts.max():
            least, most = int(self.counts.min()), int(self.counts.max())
            self.notes.append(Note.of("unequal-references", least=least, most=most))
        writers = sorted(set(self.source.names) & set(self.study.cells.systems))
        if writers:
            self.notes.append(Note.of("systems-wrote-references", systems=writers))
        if self.source.affordable is not None:
            self.notes.append(Note.of("scored-anew", measure=self.measure.words, most=self.source.affordable))

    def run(self) -> Iterator[int]:
        study, humans = self.study, self.study.cells.humans
        draw = study.generator("references")
        points: list[list[CurvePoint]] = [[] for _ in humans]
        for size in self.sizes:
            masks, every = self._masks(size, draw)
            rho, shares, reasons = self._computed(masks)
            for h in range(len(humans)):
                spread = study.spread(rho[h])
                points[h].append(
                    CurvePoint(
                        k=size.k,
                        shown=size.shown,
                        draws=len(masks),
                        every=every,
                        correlation=spread,
                        undefined=int(np.count_nonzero(np.isnan(rho[h]))),
                        power=study.spread(shares[h]),
                        people=Spread(),
                        why=_why(rho[h], spread, reasons[h]),
                    )
                )
            yield 1
        self.curves = [
            _curve(study, "references", self.unit, self.measure, human, tuple(of_human))
            for human, of_human in zip(humans, points, strict=True)
        ]

    def _masks(self, size: _Size, draw: np.random.Generator) -> tuple[list[BoolArray], bool]:
        """Choices of references, topics x references each."""
        present = self.source.present
        draws = min(self.study.draws, self.source.affordable or self.study.draws)
        if self.same:
            chosen = subsets(present.shape[1], size.most, draws=draws, rng=draw)
            return [present & row.astype(np.bool_) for row in chosen.weights], chosen.every
        if size.k is None:
            return [present], True
        orders = draw.random((draws, *present.shape[::-1]))
        return [first_of(present.T, order, size.k).T for order in orders], False

    def _computed(self, masks: Sequence[BoolArray]) -> tuple[list[FloatArray], list[FloatArray], list[str]]:
        """By human measure: correlations and shares of pairs for every choice, and why some have no correlation."""
        study, cells = self.study, self.study.cells
        parts: list[tuple[list[FloatArray], list[FloatArray]]] = [([], []) for _ in cells.humans]
        reasons = [""] * len(cells.humans)
        width = max(1, AT_ONCE // max(1, len(cells.topics) * len(cells.systems)))
        matrices = self.source.scores(masks)
        for start in range(0, len(masks), width):
            stack = np.stack([next(matrices) for _ in masks[start : start + width]])
            shares_by_cells: dict[bytes, FloatArray] = {}  # human measures often have the same cells
            for h, human in enumerate(cells.humans):
                rho, reason = study.stack_correlations(stack, human.values)
                reasons[h] = reasons[h] or reason
                absent = np.isnan(human.values)
                if (key := absent.tobytes()) not in shares_by_cells:
                    kept = stack if cells.all_topics else np.where(absent, np.nan, stack)
                    shares_by_cells[key] = study.stack_shares(kept)
                parts[h][0].append(rho)
                parts[h][1].append(shares_by_cells[key])
        rhos, shares = ([np.concatenate(part[k]) for part in parts] for k in (0, 1))
        return rhos, shares, reasons


def _references(
    study: _Curves,
    scores: Scores | None,
    length: int | AllLengths | None,
    form: str | None,
    none: list[NoCurve],
) -> Iterator[_Job]:
    if scores is None:
        none.append(NoCurve("references", "it needs the scores that the cells were made from"))
        return
    references = References(study.cells, scores, length, form)
    for info in study.cells.measures:
        source = references.of(info.measure)
        if isinstance(source, str):
            none.append(NoCurve("references", source, measure=info.words))
            continue
        job = _ReferenceCurves(study, info, source)
        if scores.stale.get(info.measure):
            job.notes.append(Note.of("texts-changed", measure=info.words))
        if job.counts.max() > 1:
            yield job
        else:
            none.append(
                NoCurve(
                    "references", "every topic has one reference, and a curve needs two", measure=info.words
                )
            )


def _plural(unit: str) -> tuple[str, str]:
    return unit, "sets of topics" if unit == "set of topics" else f"{unit}s"
