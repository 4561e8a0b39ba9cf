"""The ranking of systems that a judge reproduces: its tau with people's, and the conclusions that both come to.

Beside it what length and the best automatic measure reach, and one assessor beside the others. The mathematics is that
of a meta-evaluation: a judge's scores of systems are compared with people's as a measure's are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import Comparison, compare_matrix
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches, JudgeCells
from adjudge.analyses.judges.options import JudgeOptions
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.ceiling.result import MeasureCeiling, ceiling_all
from adjudge.analyses.meta.cells import Cells, HumanCells, score_matrix
from adjudge.analyses.meta.conclusions.result import (
    AGREEMENTS,
    HEADINGS,
    OPPOSITE,
    ConclusionAgreement,
    agree_on_conclusions,
)
from adjudge.analyses.meta.correlations.result import MeasureCorrelation, correlate_all
from adjudge.analyses.meta.ranks.result import RanksResult, RankTable, rank_tables
from adjudge.analyses.meta.ranks.words import ranks_in_words
from adjudge.analyses.meta.words import interval_words
from adjudge.analyses.slices.slicing import RowTexts
from adjudge.core.errors import AdjudgeError
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import MeasureInfo
from adjudge.stats.ceiling import leave_one_out
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import correlations
from adjudge.stats.paired import test_words

if TYPE_CHECKING:
    import pandas as pd

TEST, CORRECT = "wilcoxon", "holm"
COEFFICIENT: Literal["kendall-b"] = "kendall-b"
ENOUGH = 0.5
"""Of the cells: an assessor who judged fewer has no conclusions of its own to compare."""
NO_SYSTEMS = "no summaries of systems were judged"

Ranker = Literal["judge", "length", "measure"]


@dataclass(frozen=True)
class RankingTau:
    """Kendall's tau-b of a judge's, or a control's, means of systems with people's."""

    name: str
    kind: Ranker
    systems: int
    tau: float
    low: float
    high: float
    with_rest: float
    """With the mean of all assessors but one, averaged over assessors;"""
    assessor: float
    """that of the assessor who was left out, on the same cells,"""
    difference: float
    """the first less the second, with its interval."""
    difference_low: float
    difference_high: float
    why: str | None = None
    why_no_interval: str | None = None
    why_no_assessor: str | None = None
    """Why there is no assessor to compare with."""

    @property
    def beside_assessor(self) -> str | None:
        """`below`, `above` or `like`, by the interval of the difference; None where there is none."""
        if math.isnan(self.difference_low):
            return None
        return "below" if self.difference_high < 0 else "above" if self.difference_low > 0 else "like"


@dataclass(frozen=True)
class SharedConclusions:
    """Pairs of systems by who finds a difference; means over assessors where each is left out in turn."""

    name: str
    kind: Ranker | Literal["assessor"]
    beside: Literal["people", "all but one"]
    pairs: float
    """That both could test."""
    same: float
    opposite: float
    only_people: float
    only_measure: float
    neither: float
    untested: float
    assessors: int = 0
    """Over whom is averaged; 0 beside all people."""

    @property
    def people_find(self) -> float:
        return self.same + self.opposite + self.only_people


@dataclass(frozen=True, eq=False)
class AspectRanking:
    """One judge on one question."""

    judge: str
    aspect: str
    taus: tuple[RankingTau, ...]
    """The judge's first, then the controls'."""
    conclusions: tuple[SharedConclusions, ...]
    contradicted: tuple[tuple[str, str], ...]
    """Pairs of systems of which people find the first better, and the judge the second."""
    ranks: RankTable | None
    assessor: float
    """Tau of one assessor with the mean of the others, averaged over assessors; NaN where there is none."""
    measures: int
    """Of which the best stands here."""
    clustered: bool
    """Whether several topics share a set."""
    meanings: tuple[str, ...] = ()
    """For what the intervals of tau hold."""
    why: str | None = None
    why_untested: str | None = None

    @property
    def own(self) -> RankingTau:
        return self.taus[0]

    def conclusion(self, kind: str, beside: str = "people") -> SharedConclusions | None:
        return next((each for each in self.conclusions if (each.kind, each.beside) == (kind, beside)), None)

    # In words

    def sentences(self, level: float) -> Iterator[str]:
        if self.why is not None:
            yield f"On {self.aspect} no ranking of {self.judge} could be compared with people's: {self.why}."
            return
        yield self.first(level)
        yield from self._assessor(level)
        yield from self._concluded()
        yield from self._controls()

    def first(self, level: float) -> str:
        """The tau with its interval, and what it leaves open."""
        own = self.own
        if math.isnan(own.tau):
            return f"On {self.aspect} {self.judge}'s ranking of systems has no tau with people's: {own.why}."
        said = (
            f"On {self.aspect} {self.judge}'s ranking of {counted(own.systems, 'system')} has Kendall's tau-b"
            f" {own.tau:.2f} with people's"
        )
        if math.isnan(own.low):
            return f"{said}, without an interval ({own.why_no_interval})."
        said += f" ({level:.0%} interval {own.low:.2f} to {own.high:.2f})"
        if own.low <= 0 <= own.high:
            return f"{said}: it may not be related to people's at all."
        return f"{said}: rather the reverse of people's." if own.high < 0 else f"{said}."

    def _assessor(self, level: float) -> Iterator[str]:
        own = self.own
        if math.isnan(self.assessor):
            yield f"On {self.aspect} no assessor's ranking can be compared with others': {own.why_no_assessor}."
            return
        if math.isnan(own.difference):
            yield f"On {self.aspect} one assessor's ranking has tau {self.assessor:.2f} with the others' on average."
            return
        said = (
            f"On {self.aspect} one assessor's ranking has tau {self.assessor:.2f} with the others' on average,"
            f" {self.judge}'s {own.with_rest:.2f} with the same"
        )
        if own.beside_assessor is None:
            yield f"{said}; the difference has no interval ({own.why_no_assessor})."
            return
        between = (
            f"{level:.0%} interval of the difference {own.difference_low:+.2f} to {own.difference_high:+.2f}"
        )
        verdict = {
            "below": "below an assessor",
            "above": "above an assessor",
            "like": "not significantly different from an assessor, which does not show that it is as good",
        }[own.beside_assessor]
        yield f"{said}: {verdict} ({between})."

    def _concluded(self) -> Iterator[str]:
        own = self.conclusion("judge")
        if own is None:
            yield f"On {self.aspect} no conclusions could be compared: {self.why_untested}."
            return
        if not own.pairs:
            yield f"On {self.aspect} no pair of systems could be tested both by people's answers and by {self.judge}'s."
            return
        if not own.people_find:
            yield (
                f"On {self.aspect} people's answers show no significant difference on any of"
                f" {counted(round(own.pairs), 'pair')} of systems, so that there is none to share; {self.judge}'s show"
                f" one on {_times(own.only_measure)}."
            )
            return
        yield (
            f"On {self.aspect} people's answers show a significant difference on {_times(own.people_find)} of"
            f" {counted(round(own.pairs), 'pair')} of systems: {self.judge}'s show the same on {_times(own.same)} of"
            f" them, the opposite on {_times(own.opposite)} and none on {_times(own.only_people)}, and"
            f" {_times(own.only_measure)} that people's do not."
        )
        assessor, beside = self.conclusion("assessor", "all but one"), self.conclusion("judge", "all but one")
        if assessor is not None and beside is not None and assessor.people_find:
            yield (
                f"On {self.aspect} one assessor, beside the others, shares {_times(assessor.same)} of"
                f" {_times(assessor.people_find)} conclusions and contradicts {_times(assessor.opposite)} on average"
                f" over {counted(assessor.assessors, 'assessor')}; {self.judge}, beside the same, shares"
                f" {_times(beside.same)} of {_times(beside.people_find)} and contradicts {_times(beside.opposite)}."
            )

    def _controls(self) -> Iterator[str]:
        said = []
        for each in self.taus[1:]:
            name = "length alone" if each.kind == "length" else each.name
            if each.kind == "measure" and self.measures > 1:
                name += f", the best of {self.measures} measures here,"
            said.append(
                f"{name} has {'no tau' if math.isnan(each.tau) else f'tau {each.tau:.2f}'}"
                f"{interval_words(each.low, each.high)}"
            )
        if said:
            yield f"On {self.aspect} {listed(said)}."


def _times(value: float) -> str:
    """`12`; of means over assessors `12.3`."""
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"


@dataclass(frozen=True, repr=False, eq=False)
class RankingResult(Tabular):
    """Every judge's rankings beside people's."""

    aspects: tuple[AspectRanking, ...]
    options: JudgeOptions

    @property
    def signature(self) -> str:
        o = self.options
        return (
            f"ranking|{COEFFICIENT}|resample:all|R:{o.resamples}|level:{o.level:g}|test:{TEST}|correct:{CORRECT}:{o.alpha:g}"
            f"|seed:{o.seed}|v:{__version__}"
        )

    def of(self, judge: str, aspect: str) -> AspectRanking:
        return next(each for each in self.aspects if (each.judge, each.aspect) == (judge, aspect))

    def headline(self) -> str:
        """Of one question its tau; of several, the tau of each question by judge."""
        if len(self.aspects) == 1:
            return next(self.aspects[0].sentences(self.options.level))
        judges = dict.fromkeys(each.judge for each in self.aspects)
        return " ".join(self._summed(judge) for judge in judges) or "There is no question to rank systems by."

    def _summed(self, judge: str) -> str:
        own = [each for each in self.aspects if each.judge == judge and each.why is None]
        found = [each for each in own if not math.isnan(each.own.tau)]
        if not found:
            return f"No ranking of {judge}'s has a tau with people's."
        named = [
            f"{each.own.tau:.2f}{interval_words(each.own.low, each.own.high)} on {each.aspect}"
            for each in found
        ]
        said = f"{judge}'s rankings of systems have Kendall's tau-b {listed(named, most=9)} with people's"
        without = [
            each.aspect
            for each in self.aspects
            if each.judge == judge and (each.why is not None or math.isnan(each.own.tau))
        ]
        return f"{said}; there is none on {listed(without)}." if without else f"{said}."

    def sentences(self) -> Iterator[str]:
        for each in self.aspects:
            yield from each.sentences(self.options.level)

    def table(self) -> Table:
        """Taus: the judge's, the controls', and one assessor's."""
        rows: list[tuple[Cell, ...]] = []
        for aspect in self.aspects:
            for each in aspect.taus:
                rows.append(
                    (
                        aspect.judge,
                        aspect.aspect,
                        each.name,
                        each.kind,
                        each.systems,
                        _bounded(each.tau, each.low, each.high),
                        each.tau,
                        each.low,
                        each.high,
                        each.with_rest,
                        _bounded(each.difference, each.difference_low, each.difference_high, "+.2f"),
                        each.difference,
                        each.difference_low,
                        each.difference_high,
                        each.why or each.why_no_interval,
                    )
                )
            if aspect.taus and not math.isnan(aspect.assessor):
                nothing: list[Cell] = [None] * 4
                rows.append(
                    (
                        aspect.judge,
                        aspect.aspect,
                        "one assessor",
                        "assessor",
                        aspect.own.systems,
                        *nothing,
                        aspect.assessor,
                        *nothing,
                        None,
                    )
                )
        return Table(
            name="ranking",
            columns=(
                Column("judge", "dossier of", right=False, show="varies"),
                Column("aspect", "question", right=False, show="varies"),
                Column("name", "who ranks", right=False),
                Column("kind", show="never"),
                Column("systems", show="varies"),
                Column("shown", "tau with people", right=True, data=False),
                *(Column(name, show="never") for name in ("tau", "low", "high")),
                Column("with_rest", "tau with all but one", format=".2f", tiny=False),
                Column("against", "less an assessor's", right=True, data=False),
                *(Column(name, show="never") for name in ("difference", "difference_low", "difference_high")),
                Column("why", show="never"),
            ),
            rows=tuple(rows),
            title=(
                f"The ranking of systems: Kendall's tau-b with people's means, {self.options.level:.0%} intervals; and"
                " with the mean of all assessors but one, where the assessor who is left out is compared with the same"
            ),
            said=tuple(self.sentences()),
            notes=tuple(dict.fromkeys(self._notes())),
            signature=self.signature,
        )

    def conclusions_table(self) -> Table:
        """Pairs of systems: who finds a difference."""
        rows: list[tuple[Cell, ...]] = [
            (
                aspect.judge,
                aspect.aspect,
                each.name,
                each.kind,
                each.beside,
                _whole(each.pairs),
                *(_whole(getattr(each, name)) for name in AGREEMENTS),
                _whole(each.untested),
                each.assessors or None,
            )
            for aspect in self.aspects
            for each in aspect.conclusions
        ]
        averaged = any(each.assessors for aspect in self.aspects for each in aspect.conclusions)
        return Table(
            name="ranking-conclusions",
            columns=(
                Column("judge", "dossier of", right=False, show="varies"),
                Column("aspect", "question", right=False, show="varies"),
                Column("name", "who ranks", right=False),
                Column("kind", show="never"),
                Column("beside", right=False, show="varies"),
                Column("pairs", right=True, format=".1f"),
                *(
                    Column(
                        name, {"only_measure": "only this one"}.get(name, heading), right=True, format=".1f"
                    )
                    for name, heading in HEADINGS.items()
                ),
                Column("untested", "not tested", right=True, show="varies", format=".1f"),
                Column("assessors", show="never"),
            ),
            rows=tuple(rows),
            title=(
                "Conclusions on pairs of systems: who finds a significant difference"
                + ("; beside all assessors but one, means over assessors" if averaged else "")
            ),
            notes=(
                f"differences by {test_words(TEST)} over topics, p <= {self.options.alpha:g},"
                f" {CORRECTIONS[CORRECT].for_all_pairs}, the same test for people and for the judge: people's"
                " conclusions are for these assessors, not for others",
                "that neither finds a difference does not show that there is none",
            ),
            signature=self.signature,
        )

    def tables(self) -> Tables:
        """Taus, conclusions, and the ranks by question."""
        found = [each for each in (self.table(), self.conclusions_table()) if each.rows]
        found += [
            replace(
                each.ranks.table(),
                name=f"ranking-ranks-{each.judge}-{each.aspect}",
                title=f"{each.judge}: {each.ranks.title}",
                said=tuple(ranks_in_words(each.ranks)),
                notes=tuple(RanksResult(ranked=(each.ranks,)).warnings()),
                signature=self.signature,
            )
            for each in self.aspects
            if each.ranks is not None
        ]
        return Tables(tuple(found))

    def _notes(self) -> Iterator[str]:
        made = [each for each in self.aspects if each.why is None]
        for meaning in dict.fromkeys(line for each in made for line in each.meanings):
            yield f"the intervals of tau with people cover {meaning}"
        if any(row.kind == "measure" for each in made for row in each.taus):
            yield "the measure is the one with the highest tau here"
        if any(each.clustered for each in made):
            yield (
                "several topics share a set: intervals resample whole sets, but tests of pairs take topics as"
                " independent"
            )

    def to_frame(self) -> pd.DataFrame:
        """A row per judge, question and ranker."""
        return self.table().to_frame()

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "coefficient": COEFFICIENT,
                "confidence": self.options.level,
                "questions": [
                    {
                        "judge": each.judge,
                        "aspect": each.aspect,
                        "why": each.why,
                        "taus": list(each.taus),
                        "assessor": each.assessor,
                        "conclusions": list(each.conclusions),
                        "why_no_conclusions": each.why_untested,
                        "contradicted": [
                            {"better_by_people": a, "better_by_judge": b} for a, b in each.contradicted
                        ],
                        "ranks": [] if each.ranks is None else list(each.ranks.records()),
                    }
                    for each in self.aspects
                ],
                "sentences": list(self.sentences()),
                "notes": list(dict.fromkeys(self._notes())),
                "signature": self.signature,
            }
        )
        return found


def _bounded(value: float, low: float, high: float, form: str = ".2f") -> Cell:
    if math.isnan(value):
        return None
    return f"{value:{form}}" + ("" if math.isnan(low) else f" ({low:{form}} to {high:{form}})")


def _whole(value: float) -> Cell:
    """Counts as whole numbers, means over assessors as they are."""
    return int(value) if value == int(value) else value


# How it is computed


def ranking(
    benches: JudgeBenches,
    options: JudgeOptions | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> RankingResult:
    """The ranking of systems by every judge on every question beside people's, with controls and one assessor.

    People's conclusions and a judge's come from one test of topics, so that a judge who answered as people do on
    average would come to all of theirs; they hold for these assessors. The interval of tau is for other systems,
    topics and assessors.
    """
    options = options or JudgeOptions()
    found = []
    for done, bench in enumerate(benches.benches):
        progress(done, len(benches.benches))
        found.append(_aspect(bench.take(bench.judged), options))
    return RankingResult(aspects=tuple(found), options=options)


def _aspect(bench: AspectBench, options: JudgeOptions) -> AspectRanking:
    given = bench.cells()
    why = None
    if given is None:
        why = NO_SYSTEMS
    elif len(given.systems) < 2:
        why = f"one system ({given.systems[0]}) was judged, and there is nothing to rank"
    if given is None or why is not None:
        return AspectRanking(
            judge=bench.judge,
            aspect=bench.aspect,
            taus=(),
            conclusions=(),
            contradicted=(),
            ranks=None,
            assessor=math.nan,
            measures=0,
            clustered=False,
            why=why,
        )
    rankers: list[tuple[str, Ranker, FloatArray]] = [
        (bench.judge, "judge", given.judge),
        *_controls(bench, given),
    ]
    cells = _cells(
        bench,
        given,
        [(name, values) for name, _, values in rankers],
        people=given.people,
        mean=given.people_mean,
        assessors=bench.people if bench.named else (),
    )
    kinds = [kind for _, kind, _ in rankers]
    taus, assessor, meanings = _taus(cells, kinds, options)
    conclusions: list[SharedConclusions] = []
    contradicted: tuple[tuple[str, str], ...] = ()
    why_untested = None
    try:
        agreed = _agreed(cells, options)
        conclusions = [
            _shared([each], name=each.measure.heading, kind=kind, beside="people")
            for each, kind in zip(agreed, kinds, strict=True)
        ]
        contradicted = tuple(
            (row["people_better"], row["measure_better"]) for row in agreed[0].pair_records(OPPOSITE)
        )
        if bench.named:
            conclusions += _left_out(bench, given, options)
    except AdjudgeError as error:
        why_untested = str(error)
    return AspectRanking(
        judge=bench.judge,
        aspect=bench.aspect,
        taus=taus,
        conclusions=tuple(conclusions),
        contradicted=contradicted,
        ranks=_ranks(cells, options),
        assessor=assessor,
        measures=len(bench.measures),
        clustered=cells.clusters is not None,
        meanings=meanings,
        why_untested=why_untested,
    )


def _controls(bench: AspectBench, given: JudgeCells) -> Iterator[tuple[str, Ranker, FloatArray]]:
    """Length, where longer counts as better; and the measure with the highest tau."""

    def placed(name: str, values: FloatArray) -> FloatArray:
        values = (np.sign(values) + 1) / 2 if bench.pairs else values
        found = replace(bench.with_judge(name, values), better="higher").cells()
        assert found is not None
        return found.judge

    if not np.isnan(bench.words).all():
        yield "length", "length", placed("length", bench.words)
    if bench.measures:
        every = np.stack([placed(name, values) for name, values in bench.measures.items()])
        found = correlations(every, given.people_mean, level="system", coefficient=COEFFICIENT)
        best = int(np.argmax(np.nan_to_num(found.values, nan=-2)))
        yield list(bench.measures)[best], "measure", every[best]


def _cells(
    bench: AspectBench,
    given: JudgeCells,
    rankers: Sequence[tuple[str, FloatArray]],
    *,
    people: FloatArray,
    mean: FloatArray,
    assessors: tuple[str, ...],
) -> Cells:
    """Rankers as measures beside people, as a meta-evaluation takes them."""
    return Cells(
        name=bench.aspect,
        topics=given.topics,
        row_texts=tuple(map(RowTexts, given.topics)),
        clusters=given.clusters if len(set(given.clusters)) < len(given.topics) else None,
        systems=given.systems,
        kinds=given.kinds,
        measures=tuple(MeasureInfo(measure=name, title=name) for name, _ in rankers),
        automatic=np.stack([values for _, values in rankers]),
        humans=(
            HumanCells(
                info=MeasureInfo(measure=bench.aspect, title=bench.aspect),
                values=mean,
                assessors=assessors,
                by_assessor=people,
            ),
        ),
    )


def _taus(
    cells: Cells, kinds: Sequence[Ranker], options: JudgeOptions
) -> tuple[tuple[RankingTau, ...], float, tuple[str, ...]]:
    """Of all rankers; one assessor's; and for what the intervals hold."""
    how = Meta(
        among="all",
        levels=("system",),
        coefficients=(COEFFICIENT,),
        alpha=options.alpha,
        resamples=options.resamples,
        seed=options.seed,
    )
    found = correlate_all(cells, how)
    beside: dict[int, MeasureCeiling] = {}
    assessor, no_ceiling = math.nan, None
    try:
        ceiling = ceiling_all(cells, how)
        beside = dict(enumerate(ceiling.of(coefficient=COEFFICIENT)))
        assessor = next(each.value for each in ceiling.ceilings if each.coefficient == COEFFICIENT)
    except AdjudgeError:
        who = cells.humans[0].assessors
        no_ceiling = (
            f"people's answers come from one assessor ({who[0]})" if who else "the scores name no assessors"
        )
    taus = tuple(
        _tau(row, kind, beside.get(at), no_ceiling)
        for at, (row, kind) in enumerate(zip(found.rows, kinds, strict=True))
    )
    # that which the judge is compared with, where it is: of the assessors with whose others it has a tau
    return taus, assessor if math.isnan(taus[0].assessor) else taus[0].assessor, found.meanings


def _tau(
    row: MeasureCorrelation, kind: Ranker, beside: MeasureCeiling | None, no_ceiling: str | None
) -> RankingTau:
    name = row.measure.heading
    nan = math.nan
    return RankingTau(
        name=name,
        kind=kind,
        systems=row.n,
        tau=row.value,
        low=row.low,
        high=row.high,
        with_rest=nan if beside is None else beside.value,
        assessor=nan if beside is None else beside.ceiling,
        difference=nan if beside is None else beside.difference,
        difference_low=nan if beside is None else beside.low,
        difference_high=nan if beside is None else beside.high,
        why=_of(row.why, name),
        why_no_interval=_of(row.why_no_interval, name),
        why_no_assessor=no_ceiling if beside is None else _of(beside.why or beside.why_no_interval, name),
    )


def _of(why: str | None, name: str) -> str | None:
    """A reason with the ranker's name for `the measure`."""
    return None if why is None else why.replace("the measure", name)


def _agreed(cells: Cells, options: JudgeOptions) -> tuple[ConclusionAgreement, ...]:
    """By one test for both sides: people are one measure, their mean."""
    human = cells.humans[0]
    pooled = replace(
        cells, humans=(replace(human, assessors=(), by_assessor=human.values[None]),), clusters=None
    )
    found = agree_on_conclusions(
        pooled, test=TEST, correct=CORRECT, alpha=options.alpha, among=("all",), seed=options.seed
    )
    return found.agreements


def _left_out(bench: AspectBench, given: JudgeCells, options: JudgeOptions) -> list[SharedConclusions]:
    """The judge and each assessor beside the others, on the same cells; means over assessors."""
    rest = leave_one_out(given.people)
    judge: list[ConclusionAgreement] = []
    assessor: list[ConclusionAgreement] = []
    both = ~np.isnan(rest) & ~np.isnan(given.judge)
    everything = int((~np.isnan(given.people_mean) & ~np.isnan(given.judge)).sum())
    for at, name in enumerate(bench.people):
        if both[at].sum() < max(1, ENOUGH * everything):
            continue

        def kept(values: FloatArray, there: Any = both[at]) -> FloatArray:
            return np.where(there, values, np.nan)

        mean = kept(rest[at])
        cells = _cells(
            bench,
            given,
            [(bench.judge, kept(given.judge)), (name, kept(given.people[at]))],
            people=mean[None],
            mean=mean,
            assessors=(),
        )
        found = _agreed(cells, options)
        judge.append(found[0])
        assessor.append(found[1])
    if not assessor:
        return []
    return [
        _shared(judge, name=bench.judge, kind="judge", beside="all but one"),
        _shared(assessor, name="one assessor", kind="assessor", beside="all but one"),
    ]


def _shared(
    found: Sequence[ConclusionAgreement],
    *,
    name: str,
    kind: Ranker | Literal["assessor"],
    beside: Literal["people", "all but one"],
) -> SharedConclusions:
    """Counts of pairs; of several, their means."""

    def mean(values: Sequence[int]) -> float:
        return sum(values) / len(values)

    counts = [mean([each.count(cell) for each in found]) for cell in range(len(AGREEMENTS))]
    same, opposite, only_people, only_measure, neither = counts
    return SharedConclusions(
        name=name,
        kind=kind,
        beside=beside,
        pairs=mean([each.tested for each in found]),
        same=same,
        opposite=opposite,
        only_people=only_people,
        only_measure=only_measure,
        neither=neither,
        untested=mean([each.untested for each in found]),
        assessors=len(found) if beside == "all but one" else 0,
    )


def _ranks(cells: Cells, options: JudgeOptions) -> RankTable:
    """Ranks by people and by all rankers, with those that people's significant differences leave open."""
    human = cells.humans[0]
    compared: Comparison | str
    try:
        matrix = score_matrix(human.info, human.values, cells)
        assert matrix is not None
        chosen = Compare(test=TEST, correct=CORRECT, alpha=options.alpha, seed=options.seed)
        compared = compare_matrix(matrix, chosen, kinds=dict(zip(cells.systems, cells.kinds, strict=True)))
    except AdjudgeError as error:
        compared = str(error)
    return rank_tables(cells, {(human.info.measure, "all"): compared}).ranked[0]
