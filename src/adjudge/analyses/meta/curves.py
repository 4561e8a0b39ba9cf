"""How many references, topics, assessors: what a measure's correlation with people is with fewer of them.

Lin and Hovy 2002: "we need more than one model summary". Topics: the measure and people on the same k topics.
Assessors: people are the mean of k assessors, the measure stays. References: the measure has k references per topic,
people stay. A value is the median over subsets, drawn without replacement, so that the curve ends at what all give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_args

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta.cells import Cells, HumanCells, several_among
from adjudge.analyses.meta.referenced import ReferencedScores, References, mean_of
from adjudge.analyses.meta.words import coefficient_words, over_words
from adjudge.analyses.scores import Scores
from adjudge.core.engine import generator
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, decimal, listed
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

if TYPE_CHECKING:
    import pandas as pd

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
        found = None
        for point in reversed(self.points):
            if not abs(point.correlation.value - last) <= NEAR:
                break
            found = point
        return None if found is self.points[-1] else found

    def sentence(self) -> str:
        """The first and the last point, and from where on the curve is near its end."""
        rho = f"{self.level}-level {coefficient_words(self.coefficient)}"
        what = f"{self.measure.words} against {self.human.words} among {over_words(self.among)}, {rho}"
        known = [point for point in self.points if not math.isnan(point.correlation.value)]
        if not known:
            return f"{what}: there is none with any number of {_many(self.unit)} ({self.points[-1].why})."
        said = [f"with {_with(self.unit, point)} {self._spread(point)}" for point in _ends(known)]
        text = f"{what}: {', '.join(said)}"
        if known[-1] is self.points[-1] and len(known) > 1:
            text += f"; {self._settled()}"
        found = self._found(f"{self.measure.words} finds", [point.power for point in self.points])
        return f"{text}. {found}" if found else f"{text}."

    def people_sentence(self) -> str:
        """How many pairs people find different; the same for every measure."""
        found = self._found("people find", [point.people for point in self.points])
        return f"By {self.human.words} among {over_words(self.among)}, {found}" if found else ""

    def _spread(self, point: CurvePoint) -> str:
        middle = decimal(point.correlation.value, ".2f")
        if math.isnan(point.correlation.low):
            return middle
        ends = f"{decimal(point.correlation.low, '.2f')} to {decimal(point.correlation.high, '.2f')}"
        what = f"{_percent(self.confidence)} interval" if self.what == "topics" else "range"
        return f"{middle} ({what} {ends})"

    def _settled(self) -> str:
        last, before = self.points[-1], self.points[-2]
        if (found := self.settled_from) is not None:
            where = "with any number of them" if found is self.points[0] else f"from {found.shown} on"
            return f"{where} the median is within {NEAR:g} of what all give"
        change = abs(last.correlation.value - before.correlation.value)
        if math.isnan(change):
            return f"there is none with {before.shown} ({before.why})"
        end = last.shown if last.k is not None else f"all that there are ({last.shown})"
        return f"from {before.shown} to {end} it still changes by {change:.3f}"

    def _found(self, who: str, shares: Sequence[Spread]) -> str:
        """How many pairs of systems are found different at both ends."""
        known = [(p, s.value) for p, s in zip(self.points, shares, strict=True) if not math.isnan(s.value)]
        if not known:
            return ""
        (first, share), *more = _ends(known)
        pairs = f"{share:.0%} of {counted(self.pairs, 'pair')} of systems different with {_with(self.unit, first)}"
        return f"{who} {pairs}{''.join(f' and {share:.0%} with {point.shown}' for point, share in more)}."

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

    def sentence(self) -> str:
        about = " against ".join(filter(None, (self.measure, self.human)))
        where = f" among {over_words(self.among)}" if self.among else ""
        return f"No curve over {self.what}{f' for {about}' if about else ''}{where}: {self.why}."


@dataclass(frozen=True, repr=False)
class CurvesResult(Pictured, Tabular):
    """How correlation with people and discriminative power grow with references, topics and assessors."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "references-curve": "adjudge.analyses.meta.figures:references_curve",
        "topics-curve": "adjudge.analyses.meta.figures:topics_curve",
        "assessors-curve": "adjudge.analyses.meta.figures:assessors_curve",
    }

    curves: tuple[Curve, ...]
    none: tuple[NoCurve, ...]
    among: tuple[Among, ...]
    level: CorrelationLevel
    coefficient: Coefficient
    draws: int
    seed: int
    alpha: float
    correction: SharesCorrection
    notes: dict[CurveOf, tuple[str, ...]]

    def of(self, what: CurveOf, among: Among | None = None) -> tuple[Curve, ...]:
        """The curves over something, of all choices of systems or of one."""
        return tuple(e for e in self.curves if e.what == what and among in (None, e.among))

    def headline(self) -> str:
        return next(self.sentences(), "There is nothing to draw a curve of.")

    def sentences(self) -> Iterator[str]:
        for what in CURVES:
            yield from self._said(what)

    def _said(self, what: CurveOf, among: Among | None = None) -> Iterator[str]:
        own = self.of(what, among)
        yield from (each.sentence() for each in own)
        yield from filter(None, dict.fromkeys(each.people_sentence() for each in own))
        none = (each for each in self.none if each.what == what)
        yield from (e.sentence() for e in none if among is None or e.among in (None, among))

    def points(self) -> list[dict[str, Any]]:
        """What a page draws: a curve's title and its points, each with k, value, low and high; None is missing."""
        return [
            plain(
                {
                    "title": f"{each.measure.words} against {each.human.words}, among {over_words(each.among)}",
                    "x": _axis(each),
                    "y": f"{each.level}-level {coefficient_words(each.coefficient)}",
                    "what": each.what,
                    "measure": each.measure.measure,
                    "human": each.human.measure,
                    "among": each.among,
                    "points": list(each.records()),
                }
            )
            for each in self.curves
        ]

    def table(self) -> Table:
        """Every curve; one after the other."""
        rho = f"{self.level.capitalize()}-level {coefficient_words(self.coefficient)}"
        over = listed(list(map(over_words, self.among)))
        title = f"{rho} by the number of references, topics or assessors, among {over}"
        return self._table("curves", self.curves, title)

    def tables(self) -> Tables:
        """A table for each of references, topics and assessors, and each choice of systems."""
        found = [
            self._table(f"curves-{what}-{among}", self.of(what, among), self._title(what, among), what, among)
            for what in CURVES
            for among in self.among
            if self.of(what, among)
        ]
        shown = {(each.what, each.among) for each in self.curves}
        alone = [
            each
            for each in self.none
            if not any(what == each.what and each.among in (None, among) for what, among in shown)
        ]
        return Tables(tuple(found), tuple(each.sentence() for each in alone))

    def _title(self, what: CurveOf, among: Among) -> str:
        unit = self.of(what, among)[0].unit
        held = {
            "references": "the measure with k references per topic, people as they are",
            "topics": f"the measure and people on the same k {_many(unit)}",
            "assessors": "people as the mean of k assessors, the measure as it is",
        }[what]
        return (
            f"{self.level.capitalize()}-level {coefficient_words(self.coefficient)} by the number of {_many(unit)},"
            f" among {over_words(among)}: {held}"
        )

    def _table(
        self,
        name: str,
        curves: Sequence[Curve],
        title: str,
        what: CurveOf | None = None,
        among: Among | None = None,
    ) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for each in curves:
            for row in each.records():
                named = {"measure_title": each.measure.heading, "human_title": each.human.heading}
                rows.append(tuple(({**row, **named})[column.name] for column in _COLUMNS))
        kinds: tuple[CurveOf, ...] = CURVES if what is None else (what,)
        return Table(
            name=name,
            columns=_columns([c.what for c in curves]),
            rows=tuple(rows),
            title=title,
            said=tuple(said for kind in kinds for said in self._said(kind, among)),
            notes=tuple(dict.fromkeys(note for kind in kinds for note in self.notes.get(kind, ()))),
            signature=self.signature,
        )

    @property
    def signature(self) -> str:
        return "|".join(
            [
                "curves",
                f"level:{self.level}",
                f"coefficient:{self.coefficient}",
                f"among:{'+'.join(self.among)}",
                f"draws:{self.draws}",
                f"test:t|correction:{self.correction}|alpha:{self.alpha:g}",
                f"seed:{self.seed}",
                f"v:{__version__}",
            ]
        )

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        names = [column.name for column in _COLUMNS if column.data] + ["why"]
        frame = pd.DataFrame([row for each in self.curves for row in each.records()], columns=names)
        return frame.astype({"k": "Int64"})

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "level": self.level,
                "coefficient": self.coefficient,
                "among": list(self.among),
                "curves": self.points(),
                "none": [
                    {
                        "what": e.what,
                        "measure": e.measure,
                        "human": e.human,
                        "among": e.among,
                        "why": e.why,
                    }
                    for e in self.none
                ],
                "sentences": list(self.sentences()),
                "notes": list(dict.fromkeys(note for own in self.notes.values() for note in own)),
                "signature": self.signature,
            }
        )
        return found


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
)


def _columns(whats: Sequence[CurveOf]) -> tuple[Column, ...]:
    """References change the measure's pairs, assessors people's."""
    hidden = set()
    if not {"references", "topics"} & set(whats):
        hidden.add("power")
    if not {"topics", "assessors"} & set(whats):
        hidden.add("people_power")
    return tuple(replace(c, show="never") if c.name in hidden else c for c in _COLUMNS)


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
    for each in what:
        checks.one_of("what", each, CURVES)
    found: list[Curve] = []
    none: dict[NoCurve, list[Among]] = {}
    notes: dict[CurveOf, tuple[str, ...]] = {}
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
            found += job.curves
            said = (*job.notes, study.power_note())
            notes[job.what] = tuple(dict.fromkeys((*notes.get(job.what, ()), *said)))
    return CurvesResult(
        curves=tuple(found),
        none=tuple(
            replace(each, among=None if len(where) == len(wanted) else which)
            for each, where in none.items()
            for which in where[: 1 if len(where) == len(wanted) else None]
        ),
        among=wanted,
        level=level,
        coefficient=coefficient,
        draws=draws,
        seed=seed,
        alpha=alpha,
        correction=correction,
        notes=notes,
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
    notes: list[str]

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
        found = np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return found if found.size and found.max() + 1 < found.size else None

    def stack_correlations(
        self, stack: FloatArray, fixed: FloatArray, *, of_people: bool = False
    ) -> tuple[FloatArray, str]:
        """Of every matrix of a stack, which may be people's, with one matrix; and why the first blank is one."""
        values = self._correlations(stack, fixed).values  # the same whichever side the stack is
        blank = np.flatnonzero(np.isnan(values))
        if not blank.size:
            return values, ""
        one = stack[blank[0]]
        found = self._correlations(fixed[None], one) if of_people else self._correlations(one[None], fixed)
        return values, found.why[0] or ""

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

    def power_note(self) -> str:
        groups = self.groups(range(len(self.cells.topics)))
        over = "topics" if groups is None else "sets of topics"
        holm = ", Holm's correction over all pairs" if self.correction == "holm" else ", not corrected"
        return (
            f"pairs by a measure or by people: the share of pairs of systems that a paired t-test over {over} finds"
            f" different (alpha {self.alpha:g}{holm}); people are the mean of the assessors"
        )


def _spread_of(values: FloatArray, confidence: float, within: FloatArray | None) -> Spread:
    known = values[~np.isnan(values)]
    if 2 * known.size <= values.size:
        return Spread()
    median = float(np.median(known))
    drawn = known if within is None else within[~np.isnan(within)]
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
        many = _many(self.unit)
        self.notes = [
            f"over {many}: median of subsets of k {many} without replacement; low and high are a"
            f" {_percent(self.study.confidence)} interval from k"
            f" {many} drawn with replacement (it holds the median), since subsets of nearly all share most of them and"
            " would hardly vary; the systems are these"
        ]
        if self.study.cells.all_topics:
            self.notes.append("over topics: only topics that people judged, for the measures as well")

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
            _curve(study, "topics", self.unit, cells.measures[m], self.human, tuple(own))
            for m, own in zip(self.which, points, strict=True)
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
        found = correlations(
            self.study.cells.automatic[[self.which[m]]][:, self.rows][:, kept],
            self.human.values[self.rows][kept],
            level=self.study.level,
            coefficient=self.study.coefficient,
        )
        return found.why[0] or ""


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
    found = [_Size(k, k, f"{k:,}") for k in sizes(least)]
    return found if least == most else [*found, _Size(None, most, f"{least:,} to {most:,}")]


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
        everyone = f"the same k of {len(self.human.assessors)} assessors for all summaries"
        own = "k of the assessors who judged a summary, drawn topic by topic"
        self.notes = [
            f"over assessors: {everyone if self.same else own}; low and high: at least"
            f" {_percent(self.study.confidence)} of the subsets lie there."
            " Subsets of nearly all share most assessors and hardly vary, and all are one: the range says how much"
            " depends on who of these judged, not what others would say"
        ]
        if self.counts.min() < self.counts.max():
            self.notes.append(
                f"over assessors: summaries of {self.human.info.words} have {self.counts.min()} to"
                f" {self.counts.max()} assessors: the numbers end at {self.counts.min()}, then come all that there are"
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
            _curve(study, "assessors", self.unit, measure, self.human, tuple(own))
            for measure, own in zip(cells.measures, points, strict=True)
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
        k_of = f"the same k of {self.counts.max()} references on every topic"
        own = "k references drawn topic by topic"
        self.notes = [
            f"over references: {k_of if self.same else own}; low and high: at least"
            f" {_percent(self.study.confidence)} of the subsets lie there."
            " Subsets of nearly all share most references and hardly vary, and all are one: the range says how much"
            " depends on which of these were used, not what references by others would give; and that a curve is flat"
            " at its end does not show that more references would change nothing"
        ]
        if self.counts.min() < self.counts.max():
            self.notes.append(
                f"over references: topics have {self.counts.min()} to {self.counts.max()} references: the numbers end"
                f" at {self.counts.min()}, then come all that there are"
            )
        writers = sorted(set(self.source.names) & set(self.study.cells.systems))
        if writers:
            self.notes.append(
                f"over references: {listed(writers)} also wrote references and"
                f" {'is' if len(writers) == 1 else 'are'} never compared with"
                " their own: where it is among the k, they are compared with the others, if there are any"
            )
        if self.source.affordable is not None:
            self.notes.append(
                f"over references: {self.measure.words} scores all texts anew for every subset, so that"
                f" at most {self.source.affordable} of each size were drawn"
            )

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
            _curve(study, "references", self.unit, self.measure, human, tuple(own))
            for human, own in zip(humans, points, strict=True)
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
        found = self.source.scores(masks)
        for start in range(0, len(masks), width):
            stack = np.stack([next(found) for _ in masks[start : start + width]])
            known: dict[bytes, FloatArray] = {}  # human measures often have the same cells
            for h, human in enumerate(cells.humans):
                rho, reason = study.stack_correlations(stack, human.values)
                reasons[h] = reasons[h] or reason
                absent = np.isnan(human.values)
                if (key := absent.tobytes()) not in known:
                    own = stack if cells.all_topics else np.where(absent, np.nan, stack)
                    known[key] = study.stack_shares(own)
                parts[h][0].append(rho)
                parts[h][1].append(known[key])
        rhos, shares = ([np.concatenate(each[k]) for each in parts] for k in (0, 1))
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
            job.notes.append(
                f"over references: texts changed since {info.words} was scored; the curve is of the texts as they are"
            )
        if job.counts.max() > 1:
            yield job
        else:
            none.append(
                NoCurve(
                    "references", "every topic has one reference, and a curve needs two", measure=info.words
                )
            )


# Words


def _many(unit: str) -> str:
    return _plural(unit)[1]


def _plural(unit: str) -> tuple[str, str]:
    return unit, "sets of topics" if unit == "set of topics" else f"{unit}s"


def _with(unit: str, point: CurvePoint) -> str:
    return f"{point.shown} {unit if point.k == 1 else _many(unit)}"


def _ends(known: Sequence[Any]) -> Sequence[Any]:
    return (known[0], known[-1]) if len(known) > 1 else known


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _axis(curve: Curve) -> str:
    return {"references": "references per topic", "assessors": "assessors per summary"}.get(
        curve.what, _many(curve.unit)
    )
