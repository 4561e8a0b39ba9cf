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
from adjudge.analyses.compare import AssessorEffects, Compare
from adjudge.analyses.compare.pairs import Comparison, compare_matrix
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches, JudgeCells
from adjudge.analyses.judges.words.ranking import BESIDE, why_no_tau
from adjudge.analyses.meta import Meta
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
from adjudge.stats.ceiling import HumanCeiling, human_ceiling, leave_one_out
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import correlations

TEST, CORRECT = Compare().grouping_test, Compare().correct
"""Which systems differ is told as `compare` does it unasked."""
COEFFICIENT: Literal["kendall-b"] = "kendall-b"
ENOUGH = 0.5
"""Of the cells: an assessor who judged fewer has no conclusions of its own to compare."""

Ranker = Literal["judge", "length", "measure"]
Beside = Literal["these", "like these", "all but one"]
"""Whose conclusions: for the people who answered, for people like them, or for those but one."""


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
    beside: Beside
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
    people: int = 0
    """Who answered, by name."""
    these_only: str = ""
    """Why nothing can be concluded for people like these."""
    clustered: bool = False
    """Whether several topics share a set."""
    meanings: tuple[str, ...] = ()
    """For what the intervals of tau hold."""
    why: str | None = None
    why_untested: str | None = None

    @property
    def of_judge(self) -> RankingTau:
        return self.taus[0]

    def conclusion(self, kind: str, beside: Beside = "these") -> SharedConclusions | None:
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

    def for_judge(self, judge: str) -> RankingResult:
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
            beside = {shared.beside for aspect in self.aspects for shared in aspect.conclusions}
            tested = Note.of(
                "how-tested",
                test=TEST,
                alpha=self.asked.alpha,
                corrected=for_all,
                like_these="like these" in beside,
            )
            yield tested.on("ranking-conclusions")
            for why in dict.fromkeys(aspect.these_only for aspect in self.aspects if aspect.these_only):
                yield Note.of("these-only", why=why).on("ranking-conclusions")
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
                    "whose": BESIDE[shared.beside],
                    **{name: _whole(getattr(shared, name)) for name in counts},
                }
                for aspect in self.aspects
                for shared in aspect.conclusions
            ),
            Column("judge", "dossier of", right=False, show="varies"),
            Column("aspect", "question", right=False, show="varies"),
            Column("name", "who ranks", right=False),
            Column("kind", show="never"),
            Column("whose", "beside people", right=False, show="varies", data=False),
            Column("beside", show="never"),
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

    People's conclusions are what `compare` gives: for these assessors, and for assessors like these; a judge's come
    from its test over topics. The interval of tau is for other systems, topics and assessors.
    """
    judged = [bench.take(bench.judged) for bench in benches.benches]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for at, bench in enumerate(judged):
        same = bench.aspect, bench.topics, bench.clusters, bench.systems, bench.sides, bench.answers.tobytes()
        groups.setdefault(same, []).append(at)
    aspects: dict[int, AspectRanking] = {}
    for places in groups.values():
        for at, aspect in zip(places, _together([judged[at] for at in places], asked), strict=True):
            aspects[at] = aspect
            progress(len(aspects), len(judged))
    return RankingResult(asked=asked, aspects=tuple(aspects[at] for at in range(len(judged))))


def _together(members: Sequence[AspectBench], options: Judges) -> Iterator[AspectRanking]:
    """Judges of the same things, beside whom people and controls are the same."""
    bench = members[0]
    cells_of = [member.cells() for member in members]
    judge_cells = cells_of[0]
    if judge_cells is None or len(judge_cells.systems) < 2:
        why = "no summaries of systems were judged"
        if judge_cells is not None:
            why = f"one system ({judge_cells.systems[0]}) was judged, and there is nothing to rank"
        for member in members:
            yield AspectRanking(judge=member.judge, aspect=member.aspect, why=why)
        return
    controls = list(_controls(bench, judge_cells))
    rankers = [(m.judge, one.judge) for m, one in zip(members, cells_of, strict=True) if one is not None]
    named = [*rankers, *((name, values) for name, _, values in controls)]
    cells = _cells(bench, judge_cells, named, bench.people if bench.named else ())
    kinds: list[Ranker] = [*(["judge"] * len(members)), *(kind for _, kind, _ in controls)]  # type: ignore[list-item]
    taus, assessor, meanings = _taus(cells, kinds, options)
    these: Sequence[SharedConclusions] = ()
    like_these: Sequence[SharedConclusions] = ()
    left_out: Sequence[list[SharedConclusions]] = [[] for _ in members]
    contradicted: list[tuple[tuple[str, str], ...]] = [() for _ in members]
    why_untested, these_only = None, ""
    try:
        agreed = _agreed(cells, options)
        these = _every(agreed, kinds, "these")
        contradicted = [
            tuple((row["people_better"], row["measure_better"]) for row in one.pair_records(OPPOSITE))
            for one in agreed[: len(members)]
        ]
        if bench.named:
            wider = _agreed(cells, options, assessor_effects=None)
            whose = wider[0].people.population
            if whose is not None and whose.effects == "random":
                like_these = _every(wider, kinds, "like these")
            elif whose is not None:
                these_only = whose.why
            left_out = _left_out(bench, judge_cells, rankers, agreed, options)
    except AdjudgeError as error:
        why_untested = str(error)
    compared = _compared(cells, options)
    shared = range(len(members), len(kinds))
    for at, member in enumerate(members):
        mine = (at, *shared)
        conclusions = [rows[k] for rows in (these, like_these) if rows for k in mine]
        of_judge = replace(
            cells, measures=tuple(cells.measures[k] for k in mine), automatic=cells.automatic[list(mine)]
        )
        yield AspectRanking(
            judge=member.judge,
            aspect=member.aspect,
            taus=tuple(taus[k] for k in mine),
            conclusions=(*conclusions, *left_out[at]),
            contradicted=contradicted[at],
            ranks=rank_table(of_judge, cells.humans[0], compared),
            assessor=assessor if math.isnan(taus[at].assessor) else taus[at].assessor,
            measures=len(bench.measures),
            people=len(bench.people) if bench.named else 0,
            these_only=these_only,
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
    ceiling: HumanCeiling | None = None
    no_ceiling = "the scores name no assessors"
    judged = [k for k, values in enumerate(human.by_assessor) if not np.isnan(values).all()]
    if human.assessors and len(judged) < 2:
        no_ceiling = f"people's answers come from one assessor ({human.assessors[judged[0]]})"
    elif human.assessors:
        ceiling = human_ceiling(
            cells.automatic,
            human.by_assessor[judged],
            level="system",
            coefficient=COEFFICIENT,
            rng=run.draws("ceiling"),
            resamples=options.resamples,
            confidence=run.confidence,
            clusters=cells.clusters,
        )
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
        if ceiling is not None:
            tau = replace(
                tau,
                with_rest=float(ceiling.values[at]),
                assessor=float(ceiling.ceilings[at]),
                difference=float(ceiling.difference[at]),
                difference_low=float(ceiling.low[at]),
                difference_high=float(ceiling.high[at]),
                why_no_assessor=ceiling.why[at] or ceiling.why_no_interval[at],
            )
        taus.append(tau)
    return tuple(taus), math.nan if ceiling is None else ceiling.ceiling, correlated.meanings


def _agreed(
    cells: Cells, options: Judges, *, assessor_effects: AssessorEffects | None = "fixed"
) -> tuple[ConclusionAgreement, ...]:
    """For the people who answered; without `assessor_effects` for people like these, where `compare` can tell."""
    asked = Meta(test=TEST, correct=CORRECT, alpha=options.alpha, among="all", seed=options.seed)
    run = MetaRun(replace(cells, clusters=None), asked)
    return agree_on_conclusions(run, assessor_effects=assessor_effects).agreements


def _every(
    agreed: Sequence[ConclusionAgreement], kinds: Sequence[Ranker], beside: Beside
) -> list[SharedConclusions]:
    return [
        _shared([one], one.measure.heading, kind, beside) for one, kind in zip(agreed, kinds, strict=True)
    ]


def _left_out(
    bench: AspectBench,
    judge_cells: JudgeCells,
    rankers: Sequence[tuple[str, FloatArray]],
    agreed: Sequence[ConclusionAgreement],
    options: Judges,
) -> list[list[SharedConclusions]]:
    """Each judge and each assessor beside the other people, on the same cells; means over assessors."""
    rest = leave_one_out(judge_cells.people)
    answered = ~np.isnan(judge_cells.judge)
    everything = int((~np.isnan(judge_cells.people_mean) & answered).sum())
    by_judge: list[list[ConclusionAgreement]] = [[] for _ in rankers]
    by_assessor: list[ConclusionAgreement] = []
    for name, others, answers in zip(bench.people, rest, judge_cells.people, strict=True):
        both = ~np.isnan(others) & answered
        if both.sum() < max(1, ENOUGH * everything):
            continue
        # what a judge concludes from the same cells it concluded already
        same_cells = np.array_equal(both, answered)
        judges = [] if same_cells else [(judge, np.where(both, values, np.nan)) for judge, values in rankers]
        people = replace(judge_cells, people=np.where(both, others, np.nan)[None])
        cells = _cells(bench, people, [(name, np.where(both, answers, np.nan)), *judges])
        of_assessor, *of_judges = _agreed(cells, options)
        by_assessor.append(of_assessor)
        if same_cells:
            of_judges = [
                replace(of_assessor, measure=one.measure, automatic=one.automatic)
                for one in agreed[: len(rankers)]
            ]
        for mine, agreement in zip(by_judge, of_judges, strict=True):
            mine.append(agreement)
    if not by_assessor:
        return [[] for _ in rankers]
    assessor = _shared(by_assessor, "one assessor", "assessor", "all but one")
    return [
        [_shared(mine, judge, "judge", "all but one"), assessor]
        for mine, (judge, _) in zip(by_judge, rankers, strict=True)
    ]


def _shared(
    agreements: Sequence[ConclusionAgreement],
    name: str,
    kind: Ranker | Literal["assessor"],
    beside: Beside,
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


def _compared(cells: Cells, options: Judges) -> Comparison | str:
    """People's comparison of the systems, which says the ranks that they leave open; or why there is none."""
    human = cells.humans[0]
    try:
        matrix = score_matrix(human.info, human.values, cells)
        assert matrix is not None
        chosen = Compare(test=TEST, correct=CORRECT, alpha=options.alpha, seed=options.seed)
        return compare_matrix(matrix, chosen, kinds=dict(zip(cells.systems, cells.kinds, strict=True)))
    except AdjudgeError as error:
        return str(error)
