"""The ranking of systems that a judge reproduces: its tau with people's, and the conclusions that both come to.

Beside it what length and the best automatic measure reach, and one assessor beside the others. The mathematics is that
of a meta-evaluation: a judge's scores of systems are compared with people's as a measure's are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import Progress, silent
from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import Comparison, compare_matrix
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches, JudgeCells
from adjudge.analyses.judges.words.ranking import why_no_tau
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.ceiling import MeasureCeiling, ceiling_all
from adjudge.analyses.meta.cells import Cells, HumanCells, score_matrix
from adjudge.analyses.meta.conclusions import (
    AGREEMENTS,
    HEADINGS,
    OPPOSITE,
    ConclusionAgreement,
    agree_on_conclusions,
)
from adjudge.analyses.meta.correlations import correlate_all
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.ranks import RankTable, rank_table
from adjudge.analyses.slices.slicing import RowTexts
from adjudge.core.errors import AdjudgeError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table, hidden
from adjudge.data.scores import MeasureInfo
from adjudge.stats.ceiling import leave_one_out
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import correlations

TEST, CORRECT = "wilcoxon", "holm"
COEFFICIENT: Literal["kendall-b"] = "kendall-b"
ENOUGH = 0.5
"""Of the cells: an assessor who judged fewer has no conclusions of its own to compare."""

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
    with_rest: float = math.nan
    """With the mean of all assessors but one, averaged over assessors;"""
    assessor: float = math.nan
    """that of the assessor who was left out, on the same cells,"""
    difference: float = math.nan
    """the first less the second, with its interval."""
    difference_low: float = math.nan
    difference_high: float = math.nan
    why: str | None = None
    why_no_interval: str | None = None
    why_no_assessor: str | None = None
    """Why there is no assessor to compare with."""


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
    taus: tuple[RankingTau, ...] = ()
    """The judge's first, then the controls'."""
    conclusions: tuple[SharedConclusions, ...] = ()
    contradicted: tuple[tuple[str, str], ...] = ()
    """Pairs of systems of which people find the first better, and the judge the second."""
    ranks: RankTable | None = None
    assessor: float = math.nan
    """Tau of one assessor with the mean of the others, averaged over assessors; NaN where there is none."""
    measures: int = 0
    """Of which the best stands here."""
    clustered: bool = False
    """Whether several topics share a set."""
    meanings: tuple[str, ...] = ()
    """For what the intervals of tau hold."""
    why: str | None = None
    why_untested: str | None = None

    @property
    def of_judge(self) -> RankingTau:
        return self.taus[0]

    def conclusion(self, kind: str, beside: str = "people") -> SharedConclusions | None:
        return next(
            (shared for shared in self.conclusions if (shared.kind, shared.beside) == (kind, beside)), None
        )


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class RankingResult(Result):
    """Every judge's rankings beside people's."""

    WORDS: ClassVar[str] = "adjudge.analyses.judges.words.ranking"

    asked: Judges
    aspects: tuple[AspectRanking, ...]

    def how(self) -> str:
        o = self.asked
        return (
            f"ranking|{COEFFICIENT}|resample:all|R:{o.resamples}|level:{o.level:g}|test:{TEST}|correct:{CORRECT}:{o.alpha:g}"
            f"|seed:{o.seed}|v:{__version__}"
        )

    def only(self, judge: str) -> RankingResult:
        """What is about one judge."""
        return replace(self, aspects=tuple(aspect for aspect in self.aspects if aspect.judge == judge))

    def of(self, judge: str, aspect: str) -> AspectRanking:
        return next(ranked for ranked in self.aspects if (ranked.judge, ranked.aspect) == (judge, aspect))

    def facts(self) -> dict[str, Any]:
        return {
            "coefficient": COEFFICIENT,
            "level": self.asked.level,
            "questions": [
                {
                    "judge": aspect.judge,
                    "aspect": aspect.aspect,
                    "why": aspect.why,
                    "why_no_conclusions": aspect.why_untested,
                    "contradicted": [
                        {"better_by_people": a, "better_by_judge": b} for a, b in aspect.contradicted
                    ],
                }
                for aspect in self.aspects
            ],
        }

    def notes(self) -> Iterator[Note]:
        made = [aspect for aspect in self.aspects if aspect.why is None]
        for meaning in dict.fromkeys(line for aspect in made for line in aspect.meanings):
            yield Note.of("intervals-cover", what=meaning)
        if any(row.kind == "measure" for aspect in made for row in aspect.taus):
            yield Note.of("best-measure")
        if any(aspect.clustered for aspect in made):
            yield Note.of("topics-share-sets")
        if any(aspect.conclusions for aspect in made):
            for_all = CORRECTIONS[CORRECT].for_all_pairs
            tested = Note.of("how-tested", test=TEST, alpha=self.asked.alpha, corrected=for_all)
            yield tested.on("ranking-conclusions")
            yield Note.of("no-proof-of-equality").on("ranking-conclusions")

    def tables(self) -> Iterator[Table]:
        """Taus, conclusions, and the ranks by question."""
        yield self._taus()
        if any(aspect.conclusions for aspect in self.aspects):
            yield self._conclusions()
        several = len({aspect.judge for aspect in self.aspects}) > 1
        for aspect in self.aspects:
            if aspect.ranks is not None:
                name, table = f"ranking-ranks-{aspect.aspect}", aspect.ranks.table()
                yield replace(
                    table,
                    name=f"{name}-{aspect.judge}" if several else name,
                    title=f"{aspect.judge}: {table.title}",
                    sentences=(),
                    notes=(),
                    signature="",
                )

    def _taus(self) -> Table:
        """The judge's, the controls', and one assessor's."""
        rows: list[dict[str, Any]] = []
        for aspect in self.aspects:
            about = {"judge": aspect.judge, "aspect": aspect.aspect}
            rows += [
                {
                    **vars(tau),
                    **about,
                    "shown": _bounded(tau.tau, tau.low, tau.high),
                    "against": _bounded(tau.difference, tau.difference_low, tau.difference_high, "+.2f"),
                    "why": tau.why or tau.why_no_interval,
                }
                for tau in aspect.taus
            ]
            if aspect.taus and not math.isnan(aspect.assessor):
                one = {"name": "one assessor", "kind": "assessor", "systems": aspect.of_judge.systems}
                rows.append({**about, **one, "with_rest": aspect.assessor})
        return Table.of(
            "ranking",
            rows,
            Column("judge", "dossier of", right=False, show="varies"),
            Column("aspect", "question", right=False, show="varies"),
            Column("name", "who ranks", right=False),
            Column("kind", show="never"),
            Column("systems", show="varies"),
            Column("shown", "tau with people", right=True, data=False),
            *hidden("tau low high"),
            Column("with_rest", "tau with all but one", format=".2f", tiny=False),
            Column("against", "less an assessor's", right=True, data=False),
            *hidden("difference difference_low difference_high why"),
            title=(
                f"The ranking of systems: Kendall's tau-b with people's means, {self.asked.level:.0%} intervals; and"
                " with the mean of all assessors but one, where the assessor who is left out is compared with the same"
            ),
        )

    def _conclusions(self) -> Table:
        """Pairs of systems: who finds a difference."""
        averaged = any(shared.assessors for aspect in self.aspects for shared in aspect.conclusions)
        headings = {**HEADINGS, "only_measure": "only this one"}
        counts = ("pairs", *AGREEMENTS, "untested")
        return Table.of(
            "ranking-conclusions",
            (
                {
                    **vars(shared),
                    "judge": aspect.judge,
                    "aspect": aspect.aspect,
                    "assessors": shared.assessors or None,
                    **{name: _whole(getattr(shared, name)) for name in counts},
                }
                for aspect in self.aspects
                for shared in aspect.conclusions
            ),
            Column("judge", "dossier of", right=False, show="varies"),
            Column("aspect", "question", right=False, show="varies"),
            Column("name", "who ranks", right=False),
            Column("kind", show="never"),
            Column("beside", right=False, show="varies"),
            Column("pairs", right=True, format=".1f"),
            *(Column(name, heading, right=True, format=".1f") for name, heading in headings.items()),
            Column("untested", "not tested", right=True, show="varies", format=".1f"),
            Column("assessors", show="never"),
            title=(
                "Conclusions on pairs of systems: who finds a significant difference"
                + ("; beside all assessors but one, means over assessors" if averaged else "")
            ),
        )


def _bounded(value: float, low: float, high: float, form: str = ".2f") -> Cell:
    if math.isnan(value):
        return None
    return f"{value:{form}}" + ("" if math.isnan(low) else f" ({low:{form}} to {high:{form}})")


def _whole(value: float) -> Cell:
    """Counts as whole numbers, means over assessors as they are."""
    return int(value) if value == int(value) else value


# How it is computed


def ranking(benches: JudgeBenches, asked: Judges, progress: Progress = silent) -> RankingResult:
    """The ranking of systems by every judge on every question beside people's, with controls and one assessor.

    People's conclusions and a judge's come from one test of topics, so that a judge who answered as people do on
    average would come to all of theirs; they hold for these assessors. The interval of tau is for other systems,
    topics and assessors.
    """
    aspects = tuple(_aspect(bench.take(bench.judged), asked) for bench in benches.one_by_one(progress))
    return RankingResult(asked=asked, aspects=aspects)


def _aspect(bench: AspectBench, options: Judges) -> AspectRanking:
    judge_cells = bench.cells()
    if judge_cells is None or len(judge_cells.systems) < 2:
        why = "no summaries of systems were judged"
        if judge_cells is not None:
            why = f"one system ({judge_cells.systems[0]}) was judged, and there is nothing to rank"
        return AspectRanking(judge=bench.judge, aspect=bench.aspect, why=why)
    rankers: list[tuple[str, Ranker, FloatArray]] = [
        (bench.judge, "judge", judge_cells.judge),
        *_controls(bench, judge_cells),
    ]
    named = [(name, values) for name, _, values in rankers]
    cells = _cells(bench, judge_cells, named, bench.people if bench.named else ())
    kinds = [kind for _, kind, _ in rankers]
    taus, assessor, meanings = _taus(cells, kinds, options)
    conclusions: list[SharedConclusions] = []
    contradicted: tuple[tuple[str, str], ...] = ()
    why_untested = None
    try:
        agreed = _agreed(cells, options)
        conclusions = [
            _shared([agreement], agreement.measure.heading, kind)
            for agreement, kind in zip(agreed, kinds, strict=True)
        ]
        contradicted = tuple(
            (row["people_better"], row["measure_better"]) for row in agreed[0].pair_records(OPPOSITE)
        )
        if bench.named:
            conclusions += _left_out(bench, judge_cells, options)
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


def _controls(bench: AspectBench, judge_cells: JudgeCells) -> Iterator[tuple[str, Ranker, FloatArray]]:
    """Length, where longer counts as better; and the measure with the highest tau."""

    def placed(name: str, values: FloatArray) -> FloatArray:
        values = (np.sign(values) + 1) / 2 if bench.pairs else values
        cells = replace(bench.with_judge(name, values), better="higher").cells()
        assert cells is not None
        return cells.judge

    if not np.isnan(bench.words).all():
        yield "length", "length", placed("length", bench.words)
    if bench.measures:
        every = np.stack([placed(name, values) for name, values in bench.measures.items()])
        taus = correlations(every, judge_cells.people_mean, level="system", coefficient=COEFFICIENT)
        best = int(np.argmax(np.nan_to_num(taus.values, nan=-2)))
        yield list(bench.measures)[best], "measure", every[best]


def _cells(
    bench: AspectBench,
    judge_cells: JudgeCells,
    rankers: Sequence[tuple[str, FloatArray]],
    assessors: tuple[str, ...] = (),
) -> Cells:
    """Rankers as measures beside people, as a meta-evaluation takes them."""
    return Cells(
        name=bench.aspect,
        topics=judge_cells.topics,
        row_texts=tuple(map(RowTexts, judge_cells.topics)),
        clusters=judge_cells.clusters if len(set(judge_cells.clusters)) < len(judge_cells.topics) else None,
        systems=judge_cells.systems,
        kinds=judge_cells.kinds,
        measures=tuple(MeasureInfo(measure=name, title=name) for name, _ in rankers),
        automatic=np.stack([values for _, values in rankers]),
        humans=(
            HumanCells(
                info=MeasureInfo(measure=bench.aspect, title=bench.aspect),
                values=judge_cells.people_mean,
                assessors=assessors,
                by_assessor=judge_cells.people,
            ),
        ),
    )


def _taus(
    cells: Cells, kinds: Sequence[Ranker], options: Judges
) -> tuple[tuple[RankingTau, ...], float, tuple[str, ...]]:
    """Of all rankers; one assessor's; and for what the intervals hold."""
    asked = Meta(
        among="all",
        levels=("system",),
        coefficients=(COEFFICIENT,),
        alpha=options.alpha,
        resamples=options.resamples,
        seed=options.seed,
    )
    run = MetaRun(cells, asked)
    correlated = correlate_all(run)
    human = cells.humans[0]
    beside: Sequence[MeasureCeiling] = ()
    assessor, no_ceiling = math.nan, "the scores name no assessors"
    if human.assessors:
        no_ceiling = f"people's answers come from one assessor ({human.assessors[0]})"
    try:
        ceiling = ceiling_all(run)
        beside = ceiling.of(coefficient=COEFFICIENT)
        assessor = next(row.value for row in ceiling.ceilings if row.coefficient == COEFFICIENT)
    except AdjudgeError:
        pass
    taus = []
    for at, (row, kind) in enumerate(zip(correlated.rows, kinds, strict=True)):
        name = row.measure.heading
        tau = RankingTau(
            name=name,
            kind=kind,
            systems=row.n,
            tau=row.value,
            low=row.low,
            high=row.high,
            why=None if row.why is None else why_no_tau(name, cells.automatic[at], human.values),
            why_no_interval=row.why_no_interval,
            why_no_assessor=no_ceiling,
        )
        if beside:
            tau = replace(
                tau,
                with_rest=beside[at].value,
                assessor=beside[at].ceiling,
                difference=beside[at].difference,
                difference_low=beside[at].low,
                difference_high=beside[at].high,
                why_no_assessor=beside[at].why or beside[at].why_no_interval,
            )
        taus.append(tau)
    # that which the judge is compared with, where it is: of the assessors with whose others it has a tau
    compared = assessor if math.isnan(taus[0].assessor) else taus[0].assessor
    return tuple(taus), compared, correlated.meanings


def _agreed(cells: Cells, options: Judges) -> tuple[ConclusionAgreement, ...]:
    """By one test for both sides: people are one measure, their mean."""
    human = cells.humans[0]
    pooled = replace(
        cells, humans=(replace(human, assessors=(), by_assessor=human.values[None]),), clusters=None
    )
    asked = Meta(test=TEST, correct=CORRECT, alpha=options.alpha, among="all", seed=options.seed)
    return agree_on_conclusions(MetaRun(pooled, asked)).agreements


def _left_out(bench: AspectBench, judge_cells: JudgeCells, options: Judges) -> list[SharedConclusions]:
    """The judge and each assessor beside the others, on the same cells; means over assessors."""
    rest = leave_one_out(judge_cells.people)
    agreements: list[tuple[ConclusionAgreement, ...]] = []
    both = ~np.isnan(rest) & ~np.isnan(judge_cells.judge)
    everything = int((~np.isnan(judge_cells.people_mean) & ~np.isnan(judge_cells.judge)).sum())
    for at, name in enumerate(bench.people):
        if both[at].sum() < max(1, ENOUGH * everything):
            continue
        mean, judge, assessor = (
            np.where(both[at], values, np.nan)
            for values in (rest[at], judge_cells.judge, judge_cells.people[at])
        )
        others = replace(judge_cells, people=mean[None])
        cells = _cells(bench, others, [(bench.judge, judge), (name, assessor)])
        agreements.append(_agreed(cells, options))
    if not agreements:
        return []
    of_judge, of_assessor = zip(*agreements, strict=True)
    return [
        _shared(of_judge, bench.judge, "judge", "all but one"),
        _shared(of_assessor, "one assessor", "assessor", "all but one"),
    ]


def _shared(
    agreements: Sequence[ConclusionAgreement],
    name: str,
    kind: Ranker | Literal["assessor"],
    beside: Literal["people", "all but one"] = "people",
) -> SharedConclusions:
    """Counts of pairs; of several, their means."""

    def mean(values: Sequence[int]) -> float:
        return sum(values) / len(values)

    return SharedConclusions(
        name=name,
        kind=kind,
        beside=beside,
        pairs=mean([agreement.tested for agreement in agreements]),
        untested=mean([agreement.untested for agreement in agreements]),
        assessors=len(agreements) if beside == "all but one" else 0,
        **{word: mean([one.count(cell) for one in agreements]) for cell, word in enumerate(AGREEMENTS)},
    )


def _ranks(cells: Cells, options: Judges) -> RankTable:
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
    return rank_table(cells, human, compared)
