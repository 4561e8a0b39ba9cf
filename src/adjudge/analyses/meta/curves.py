"""How many references, topics, assessors: what a measure's correlation with people is with fewer of them.

Lin and Hovy 2002: "we need more than one model summary". Topics: the measure and people on the same k topics.
Assessors: people are the mean of k assessors, the measure stays. References: the measure has k references per topic,
people stay. A value is the median over subsets, drawn without replacement, so that the curve ends at what all give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.referenced import ReferencedScores, References, mean_of
from adjudge.analyses.meta.words import coefficient_words, over_words, plural
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.correlation import Coefficient, CorrelationLevel, correlations, weighted_correlations
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
                **{name: getattr(self, name) for name in ("what", "unit", "among", "level", "coefficient")},
                "measure": self.measure.measure,
                "human": self.human.measure,
                **{
                    name: getattr(point, name)
                    for name in ("k", "shown", "draws", "every", "undefined", "why")
                },
                **vars(point.correlation),
                "power": point.power.value,
                "power_low": point.power.low,
                "power_high": point.power.high,
                "people_power": point.people.value,
                "people_power_low": point.people.low,
                "people_power_high": point.people.high,
            }


@dataclass(frozen=True)
class NoCurve:
    """A curve that cannot be drawn, of one measure or human measure or of all."""

    what: CurveOf
    why: Note
    measure: str | None = None
    human: str | None = None
    among: Among | None = None
    """None where it is so whatever the systems."""


@dataclass(frozen=True, repr=False, kw_only=True)
class CurvesResult(Result):
    """How correlation with people and discriminative power grow with references, topics and assessors."""

    WORDS = "adjudge.analyses.meta.words.curves"
    ROWS_SAY_ALL: ClassVar[bool] = True
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
    options: Meta
    remarks: Mapping[CurveOf, Sequence[Note]]
    """By what curves are over."""

    @property
    def level(self) -> str:
        return self.options.levels[0]

    @property
    def coefficient(self) -> Coefficient:
        return self.options.correlated_by[0]

    def of(self, what: CurveOf, among: Among | None = None) -> tuple[Curve, ...]:
        """The curves over something, of all choices of systems or of one."""
        return tuple(curve for curve in self.curves if curve.what == what and among in (None, curve.among))

    def how(self) -> str:
        asked = self.options
        return (
            f"curves|level:{self.level}|coefficient:{self.coefficient}|among:{'+'.join(self.among)}"
            f"|draws:{asked.resamples or DRAWS}|test:t|correction:{correction_of(asked)}|alpha:{asked.alpha:g}"
            f"|seed:{asked.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "coefficient": self.coefficient,
            "among": list(self.among),
            "none": [{**vars(missing), "why": missing.why.code, **missing.why.data} for missing in self.none],
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
                if not (curves := self.of(what, among)):
                    continue
                many = plural(curves[0].unit)
                held = {
                    "references": "the measure with k references per topic, people as they are",
                    "topics": f"the measure and people on the same k {many}",
                    "assessors": "people as the mean of k assessors, the measure as it is",
                }[what]
                hidden = {"references": "people_power", "assessors": "power"}.get(what)
                yield Table(
                    name=f"curves-{what}-{among}",
                    columns=tuple(replace(c, show="never") if c.name == hidden else c for c in _COLUMNS),
                    rows=tuple(_cells(curves)),
                    title=f"{self.level.capitalize()}-level {coefficient_words(self.coefficient)} by the number of"
                    f" {many}, among {over_words(among)}: {held}",
                )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """Every curve, one after the other: a row per point."""
        return {"curves": lambda: Table("curves", _COLUMNS, tuple(_cells(self.curves)))}


def correction_of(asked: Meta) -> SharesCorrection:
    return "none" if asked.correct == "none" else "holm"


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


def learning_curves(run: MetaRun, what: Sequence[CurveOf] = CURVES) -> CurvesResult:
    """Curves of every measure against every human measure, over references, topics and assessors.

    References need the scores from which the cells were made: a measure with a row per reference is averaged over fewer
    rows; another is scored again in memory, from the texts of the scores' folder. A curve over topics is of those that
    have scores of both.
    """
    curves: list[Curve] = []
    none: dict[NoCurve, list[Among]] = {}
    remarks: dict[CurveOf, list[Note]] = {}
    for turn, cells in enumerate(run.choices):
        study = _Study(run, cells)
        absent: list[NoCurve] = []
        jobs: list[_Curves] = []
        if "references" in what:
            jobs += _over_references(study, absent)
        if "topics" in what:
            jobs += _over_topics(study, absent)
        if "assessors" in what:
            jobs += _over_assessors(study, absent)
        for missing in dict.fromkeys(absent):
            none.setdefault(missing, []).append(cells.chosen)
        total, done = sum(len(job.sizes) for job in jobs), 0
        for job in jobs:
            draw = run.draws(f"curves/{job.what}")
            points: list[list[CurvePoint]] = [[] for _ in job.pairs]
            for size in job.sizes:
                for so_far, point in zip(points, job.points(size, draw), strict=True):
                    so_far.append(point)
                done += 1
                run.asked.progress(turn * total + done, len(run.among) * total)
            curves += [
                Curve(
                    what=job.what,
                    unit=job.unit,
                    measure=measure,
                    human=human.info,
                    among=cells.chosen,
                    level=study.level,
                    coefficient=study.coefficient,
                    confidence=run.confidence,
                    systems=len(cells.systems),
                    points=tuple(of_pair),
                )
                for (measure, human), of_pair in zip(job.pairs, points, strict=True)
            ]
            notes = remarks.setdefault(job.what, [])
            notes += [note for note in (*job.notes, study.power_note()) if note not in notes]
    missing_curves: list[NoCurve] = []
    for missing, where in none.items():
        everywhere = len(where) == len(run.among)
        missing_curves += [missing] if everywhere else [replace(missing, among=which) for which in where]
    return CurvesResult(
        curves=tuple(curves), none=tuple(missing_curves), among=run.among, options=run.asked, remarks=remarks
    )


@dataclass(frozen=True)
class _Size:
    """One size of subsets of what rows or cells have; all of it, where that is not the same number everywhere."""

    k: int | None
    most: int
    shown: str


def _sizes(least: int, most: int) -> list[_Size]:
    """Up to the smallest number that is there everywhere, then all that there is."""
    subset_sizes = [_Size(k, k, f"{k:,}") for k in sizes(least)]
    return subset_sizes if least == most else [*subset_sizes, _Size(None, most, f"{least:,} to {most:,}")]


@dataclass(frozen=True, eq=False)
class _Study:
    """What all curves of a choice of systems share."""

    run: MetaRun
    cells: Cells

    @property
    def level(self) -> CorrelationLevel:
        return self.run.levels[0]

    @property
    def coefficient(self) -> Coefficient:
        return self.run.asked.correlated_by[0]

    @property
    def draws(self) -> int:
        return self.run.asked.resamples or DRAWS

    @property
    def tested(self) -> dict[str, Any]:
        """How pairs of systems are tested."""
        return {"alpha": self.run.asked.alpha, "correction": correction_of(self.run.asked)}

    def groups(self, rows: Sequence[int] | IntArray) -> IntArray | None:
        """The sets of rows, numbered."""
        if self.cells.clusters is None:
            return None
        names = np.array([self.cells.clusters[k] for k in rows])
        numbers = np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return numbers if numbers.size and numbers.max() + 1 < numbers.size else None

    def power_note(self) -> Note:
        sets = self.groups(range(len(self.cells.topics))) is not None
        return Note.of("shares-of-pairs", sets=sets, **self.tested)

    def spread(self, values: FloatArray, within: FloatArray | None = None) -> Spread:
        """The median, and where at least so many of the draws lie; no range where there is one draw."""
        defined = values[~np.isnan(values)]
        if 2 * defined.size <= values.size:
            return Spread()
        median = float(np.median(defined))
        drawn = defined if within is None else within[~np.isnan(within)]
        if drawn.size < 2 or (within is not None and 2 * drawn.size <= within.size):
            return Spread(value=median)
        confidence = self.run.confidence
        low = float(np.quantile(drawn, (1 - confidence) / 2, method="lower"))
        high = float(np.quantile(drawn, (1 + confidence) / 2, method="higher"))
        return Spread(value=median, low=min(low, median), high=max(high, median))

    def point(
        self,
        size: _Size,
        every: bool,
        rho: FloatArray,
        reason: str,
        *,
        within: FloatArray | None = None,
        power: Spread | None = None,
        people: Spread | None = None,
    ) -> CurvePoint:
        """The correlations of all subsets of a size; `reason` is why the first that has none has none."""
        spread = self.spread(rho, within)
        undefined = int(np.count_nonzero(np.isnan(rho)))
        why = None
        if math.isnan(spread.value):
            why = f"{undefined} of {rho.size} subsets have none, such as: {reason}"
            if undefined == rho.size == 1:
                why = reason
        return CurvePoint(
            k=size.k,
            shown=size.shown,
            draws=rho.size,
            every=every,
            correlation=spread,
            undefined=undefined,
            power=power or Spread(),
            people=people or Spread(),
            why=why,
        )

    def correlated(
        self, stack: FloatArray, fixed: FloatArray, *, of_people: bool = False
    ) -> tuple[FloatArray, str]:
        """Of every matrix of a stack, which may be people's, with one matrix; and why the first blank is one."""
        by: dict[str, Any] = {
            "level": self.level,
            "coefficient": self.coefficient,
            "all_topics": self.cells.all_topics,
        }
        values = correlations(stack, fixed, **by).values  # the same whichever side the stack is
        blank = np.flatnonzero(np.isnan(values))
        if not blank.size:
            return values, ""
        one = stack[blank[0]]
        sides = (fixed[None], one) if of_people else (one[None], fixed)
        return values, correlations(*sides, **by).why[0] or ""

    def shares(self, stack: FloatArray) -> FloatArray:
        """Of every matrix of a stack: the share of pairs of systems that differ."""
        return shares_different_of(stack, groups=self.groups(range(stack.shape[1])), **self.tested)


@dataclass(eq=False)
class _Curves:
    """Some curves that are computed together, point by point."""

    what: ClassVar[CurveOf]

    study: _Study
    pairs: list[tuple[MeasureInfo, HumanCells]]
    """Of a measure and a human one, a curve each."""
    sizes: list[_Size]
    unit: str
    notes: list[Note]

    def points(self, size: _Size, draw: np.random.Generator) -> Iterator[CurvePoint]:
        """A point of every curve."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")


# Topics


@dataclass(eq=False)
class _TopicCurves(_Curves):
    """Measures that have the same topics against one human measure, on fewer topics."""

    what = "topics"

    human: FloatArray
    measures: FloatArray
    """On the topics with scores of both."""
    groups: IntArray | None

    def points(self, size: _Size, draw: np.random.Generator) -> Iterator[CurvePoint]:
        study, people, groups = self.study, self.human, self.groups
        by: dict[str, Any] = {"level": study.level, "coefficient": study.coefficient}
        n = len(people) if groups is None else int(groups.max()) + 1
        chosen = subsets(n, size.most, draws=study.draws, rng=draw)
        again = resamples(n, size.most, draws=study.draws, rng=draw).weights
        both = np.concatenate([chosen.weights, again])
        split = len(chosen)
        weights = both if groups is None else both[:, groups]
        rho = weighted_correlations(self.measures, people, weights, **by)

        def shares(values: FloatArray) -> Spread:
            each_draw = shares_different(values, both, groups=groups, **study.tested)
            return study.spread(each_draw[:split], each_draw[split:])

        by_people = shares(people)
        for m, values in enumerate(self.measures):
            reason = ""
            if (blank := np.flatnonzero(np.isnan(rho[:split, m]))).size:
                kept = weights[blank[0]] > 0
                reason = correlations(values[None, kept], people[kept], **by).why[0] or ""
            yield study.point(
                size,
                chosen.every,
                rho[:split, m],
                reason,
                within=rho[split:, m],
                power=shares(np.where(np.isnan(people), np.nan, values)),
                people=by_people,
            )


def _over_topics(study: _Study, none: list[NoCurve]) -> Iterator[_Curves]:
    """Measures with the same topics together: k of them are k for each."""
    cells = study.cells
    for human in cells.humans:
        by_rows: dict[bytes, list[int]] = {}
        both = np.asarray((~np.isnan(cells.automatic) & ~np.isnan(human.values)).any(axis=2))
        for m in range(len(cells.measures)):
            by_rows.setdefault(both[m].tobytes(), []).append(m)
        for which in by_rows.values():
            rows = np.flatnonzero(both[which[0]])
            groups = study.groups(rows)
            unit = "topic" if groups is None else "set of topics"
            n = len(rows) if groups is None else int(groups.max()) + 1
            if n < 2:
                why = Note.of("one-unit", n=n, unit=unit)
                human_words = human.info.words
                none += [NoCurve("topics", why, cells.measures[m].words, human_words) for m in which]
                continue
            notes = [Note.of("over-topics", unit=unit, confidence=study.run.confidence)]
            if cells.all_topics:
                notes.append(Note.of("judged-topics-alone"))
            yield _TopicCurves(
                study,
                [(cells.measures[m], human) for m in which],
                _sizes(n, n),
                unit,
                notes,
                human=human.values[rows],
                measures=cells.automatic[which][:, rows],
                groups=groups,
            )


# Assessors


@dataclass(eq=False)
class _AssessorCurves(_Curves):
    """All measures against one human measure, by fewer assessors."""

    what = "assessors"

    human: HumanCells

    def points(self, size: _Size, draw: np.random.Generator) -> Iterator[CurvePoint]:
        study, cube = self.study, self.human.by_assessor
        present = ~np.isnan(cube)
        every = True
        if _same_assessors(present):
            chosen = subsets(len(cube), size.most, draws=study.draws, rng=draw)
            masks = [present & row.astype(np.bool_)[:, None, None] for row in chosen.weights]
            every = chosen.every
        elif size.k is None:
            masks = [present]
        else:
            orders = draw.random((study.draws, *cube.shape[:2], 1))
            masks = [first_of(present, np.broadcast_to(order, cube.shape), size.k) for order in orders]
            every = False
        stack = np.stack([mean_of(cube, mask) for mask in masks])
        people = study.spread(study.shares(stack))
        for values in study.cells.automatic:
            rho, reason = study.correlated(stack, values, of_people=True)
            yield study.point(size, every, rho, reason, people=people)


def _same_assessors(present: BoolArray) -> bool:
    """Whether all judged every summary that anybody did."""
    return bool((present == present.any(axis=0)).all())


def _over_assessors(study: _Study, none: list[NoCurve]) -> Iterator[_Curves]:
    for human in study.cells.humans:
        present = ~np.isnan(human.by_assessor)
        counts = np.count_nonzero(present, axis=0)[present.any(axis=0)]
        why = None
        if not human.assessors:
            why = Note.of("nobody-named")
        elif not counts.size:
            why = Note.of("not-judged")
        elif counts.max() < 2:
            why = Note.of("one-assessor")
        if why is not None:
            none.append(NoCurve("assessors", why, human=human.info.words))
            continue
        least, most = int(counts.min()), int(counts.max())
        of = len(human.assessors) if _same_assessors(present) else None
        notes = [Note.of("over-assessors", of=of, confidence=study.run.confidence)]
        if least < most:
            notes.append(Note.of("unequal-assessors", human=human.info.words, least=least, most=most))
        pairs = [(measure, human) for measure in study.cells.measures]
        yield _AssessorCurves(study, pairs, _sizes(least, most), "assessor", notes, human=human)


# References


@dataclass(eq=False)
class _ReferenceCurves(_Curves):
    """One measure with fewer references, against all human measures."""

    what = "references"

    source: ReferencedScores
    same: bool
    """Whether all topics have the same references."""

    def points(self, size: _Size, draw: np.random.Generator) -> Iterator[CurvePoint]:
        study, cells = self.study, self.study.cells
        masks, every = self._masks(size, draw)
        parts: list[tuple[list[FloatArray], list[FloatArray]]] = [([], []) for _ in cells.humans]
        reasons = [""] * len(cells.humans)
        width = max(1, AT_ONCE // max(1, len(cells.topics) * len(cells.systems)))
        matrices = self.source.scores(masks)
        for start in range(0, len(masks), width):
            stack = np.stack([next(matrices) for _ in masks[start : start + width]])
            shares_by_cells: dict[bytes, FloatArray] = {}  # human measures often have the same cells
            for h, human in enumerate(cells.humans):
                rho, reason = study.correlated(stack, human.values)
                reasons[h] = reasons[h] or reason
                absent = np.isnan(human.values)
                if (key := absent.tobytes()) not in shares_by_cells:
                    kept = stack if cells.all_topics else np.where(absent, np.nan, stack)
                    shares_by_cells[key] = study.shares(kept)
                parts[h][0].append(rho)
                parts[h][1].append(shares_by_cells[key])
        for (rhos, shares), reason in zip(parts, reasons, strict=True):
            power = study.spread(np.concatenate(shares))
            yield study.point(size, every, np.concatenate(rhos), reason, power=power)

    def _masks(self, size: _Size, draw: np.random.Generator) -> tuple[list[BoolArray], bool]:
        """Choices of references, topics x references each, and whether these are all."""
        present = self.source.present
        draws = min(self.study.draws, self.source.affordable or self.study.draws)
        if self.same:
            chosen = subsets(present.shape[1], size.most, draws=draws, rng=draw)
            return [present & row.astype(np.bool_) for row in chosen.weights], chosen.every
        if size.k is None:
            return [present], True
        orders = draw.random((draws, *present.shape[::-1]))
        return [first_of(present.T, order, size.k).T for order in orders], False


def _over_references(study: _Study, none: list[NoCurve]) -> Iterator[_Curves]:
    cells, scores = study.cells, study.run.scores
    if scores is None:
        none.append(NoCurve("references", Note.of("no-scores")))
        return
    references = References(cells, scores, study.run.asked)
    for info in cells.measures:
        source = references.of(info.measure)
        if isinstance(source, Note):
            none.append(NoCurve("references", source, measure=info.words))
            continue
        present = source.present[source.present.any(axis=1)]
        counts = np.count_nonzero(present, axis=1)
        least, most = int(counts.min()), int(counts.max())
        if most < 2:
            why = Note.of("one-reference")
            none.append(NoCurve("references", why, measure=info.words))
            continue
        same = bool((present == present.any(axis=0)).all())
        of = most if same else None
        notes = [Note.of("over-references", of=of, confidence=study.run.confidence)]
        if least < most:
            notes.append(Note.of("unequal-references", least=least, most=most))
        if writers := sorted(set(source.names) & set(cells.systems)):
            notes.append(Note.of("systems-wrote-references", systems=writers))
        if source.affordable is not None:
            notes.append(Note.of("scored-anew", measure=info.words, most=source.affordable))
        if scores.stale.get(info.measure):
            notes.append(Note.of("texts-changed", measure=info.words))
        pairs = [(info, human) for human in cells.humans]
        yield _ReferenceCurves(
            study, pairs, _sizes(least, most), "reference", notes, source=source, same=same
        )
