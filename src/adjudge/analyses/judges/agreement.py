"""How far a judge agrees with people, beside people with each other and beside controls, and the two verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import Progress, silent
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches
from adjudge.analyses.judges.controls import Control, Footing, controls_of, once
from adjudge.analyses.judges.verdict import (
    UNKNOWN,
    ControlDifference,
    Criterion,
    CriterionVerdict,
    JudgeVerdict,
    criterion_verdict,
)
from adjudge.analyses.judges.words.agreement import (
    CRITERIA,
    NOT_THE_SAME,
    ONE_ANSWER,
    PEOPLE,
    WITH_OTHERS,
    control_title,
    difference_words,
    no_verdict,
    over_words,
)
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table, hidden
from adjudge.core.words import counted, natural
from adjudge.stats.agreement import LEAST_CLUSTERS, SAME
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.judge_agreement import (
    COEFFICIENTS,
    MISSING,
    DrawnValue,
    PeopleAgreement,
    RaterPairs,
    drawn_value,
    draws_of,
    mean_alpha,
    order_by_topic,
    people_agreement,
    topic_means,
)
from adjudge.stats.judge_effects import clustered_mean

RowKind = Literal["judge", "people", "assessor", "constant", "random", "length", "measure"]
Valued = Callable[[FloatArray], DrawnValue]
"""A number with its interval, of its draws."""
T = TypeVar("T")
DRAWN = ("alpha", "kappa", "ac2", "within", "rank", "offset", "more_alpha", "more_within", "more_rank")
"""What a row has with an interval."""


@dataclass(frozen=True)
class BesidePeople:
    """One row: somebody's agreement with people, and how much further the judge agrees."""

    kind: RowKind
    name: str
    alpha: DrawnValue = UNKNOWN
    kappa: DrawnValue = UNKNOWN
    ac2: DrawnValue = UNKNOWN
    within: DrawnValue = UNKNOWN
    rank: DrawnValue = UNKNOWN
    """Alpha where answers are put on people's scale by rank: the judge's, and an assessor's too."""
    offset: DrawnValue = UNKNOWN
    """How far the answers are above people's, or an assessor's above the others'; only where they use one scale."""
    judge_alpha: float = math.nan
    """The judge's with the same people on the same things: beside an assessor, with the other people."""
    judge_within: float = math.nan
    judge_rank: float = math.nan
    more_alpha: DrawnValue = UNKNOWN
    """The judge's less this one's."""
    more_within: DrawnValue = UNKNOWN
    more_rank: DrawnValue = UNKNOWN
    decides: tuple[str, ...] = ()
    """The criteria by which the judge has to beat it."""
    why: str | None = None
    """There are no numbers."""

    def record(self) -> dict[str, Any]:
        record: dict[str, Any] = {"kind": self.kind, "row": self.name}
        for name in DRAWN:
            drawn: DrawnValue = getattr(self, name)
            record |= {name: drawn.value, f"{name}_low": drawn.low, f"{name}_high": drawn.high}
        record |= {f"judge_{name}": getattr(self, f"judge_{name}") for name in CRITERIA}
        return record | {"decides": ", ".join(self.decides), "why": self.why}


@dataclass(frozen=True)
class SystemBesidePeople:
    """What was judged of one system alone: the judge's alpha with people, and people's with each other."""

    system: str
    things: int
    judge: DrawnValue = UNKNOWN
    people: DrawnValue = UNKNOWN
    why: str | None = None
    """The judge has no alpha."""
    why_people: str | None = None


@dataclass(frozen=True)
class AspectAgreement:
    """One judge on one aspect."""

    judge: str
    aspect: str
    things: int
    topics: int
    clusters: int
    people: tuple[str, ...]
    rows: tuple[BesidePeople, ...]
    verdict: JudgeVerdict
    remarks: tuple[Note, ...] = ()
    """Those of the notes without which the verdict would be misread."""
    notes: tuple[Note, ...] = ()
    systems: tuple[SystemBesidePeople, ...] = ()
    """Nobody's where answers are not about single systems."""

    def of(self, kind: RowKind) -> tuple[BesidePeople, ...]:
        return tuple(row for row in self.rows if row.kind == kind)


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgeAgreementResult(Result):
    """Judges beside people and controls, aspect by aspect, with a verdict on each."""

    WORDS: ClassVar[str] = "adjudge.analyses.judges.words.agreement"
    FRAME: ClassVar[str] = "judge-agreement"
    IN_JSON: ClassVar[tuple[str, ...]] = ("judge-systems",)
    FIGURES: ClassVar[Mapping[str, str]] = {
        "judge-agreement": "adjudge.analyses.judges.figures:judge_agreement",
        "judge-controls": "adjudge.analyses.judges.figures:judge_controls",
    }

    asked: Judges
    aspects: tuple[AspectAgreement, ...]
    alike: tuple[Note, ...] = ()
    """Judges, and people, of whom two gave the same answers."""

    def for_judge(self, judge: str) -> JudgeAgreementResult:
        """What is about one judge."""
        return replace(
            self,
            aspects=self.of(judge),
            alike=tuple(
                note for note in self.alike if judge in note.data["names"] or not note.data["judges"]
            ),
        )

    def of(self, judge: str) -> tuple[AspectAgreement, ...]:
        return tuple(aspect for aspect in self.aspects if aspect.judge == judge)

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(aspect.judge for aspect in self.aspects))

    @property
    def verdicts(self) -> tuple[JudgeVerdict, ...]:
        return tuple(aspect.verdict for aspect in self.aspects)

    def how(self) -> str:
        return (
            f"judge-agreement|alpha:ordinal|weights:quadratic|bootstrap:clusters:expanded-percentile:"
            f"{self.asked.resamples}|controls:equipercentile:leave-one-cluster-out|margin:{self.asked.margin:g}"
            f"|seed:{self.asked.seed}|v:{__version__}"
        )

    def notes(self) -> Iterator[Note]:
        yield from self.alike
        for aspect in self.aspects:
            about = {"about": f"{aspect.judge} on {aspect.aspect}"} if len(self.aspects) > 1 else {}
            for note in aspect.notes:
                yield replace(note, data={**note.data, **about})

    def facts(self) -> dict[str, Any]:
        return {
            "level": self.asked.level,
            "margin": self.asked.margin,
            "aspects": [
                {
                    "judge": aspect.judge,
                    "aspect": aspect.aspect,
                    "things": aspect.things,
                    "topics": aspect.topics,
                    "clusters": aspect.clusters,
                    "people": aspect.people,
                    "worthless": aspect.verdict.worthless,
                    "order": _verdict_facts(aspect.verdict.order),
                    "level": {
                        **_verdict_facts(aspect.verdict.level),
                        "offset": aspect.verdict.offset.value,
                        "offset_low": aspect.verdict.offset.low,
                        "offset_high": aspect.verdict.offset.high,
                        "why_not": aspect.verdict.why_no_level,
                    },
                    "criteria": {
                        criterion.criterion: criterion.step for criterion in aspect.verdict.criteria
                    },
                    "why": aspect.verdict.why,
                }
                for aspect in self.aspects
            ],
        }

    def tables(self) -> Iterator[Table]:
        """Of several aspects an overview, then a table per judge and aspect."""
        if len(self.aspects) > 1:
            yield self._overview()
        for aspect in self.aspects:
            name = f"judge-agreement-{aspect.aspect}"
            yield Table.of(
                name if len(self.judges) == 1 else f"{name}-{aspect.judge}",
                map(_cells, aspect.rows),
                *_columns(self.asked.level),
                title=(
                    f"{aspect.judge} on {aspect.aspect}: agreement with people, {100 * self.asked.level:.4g}% intervals"
                    f" over {over_words(aspect.topics, aspect.clusters)}"
                    f" ({counted(aspect.things, 'thing')}, {counted(len(aspect.people), 'assessor')})"
                ),
            )

    def _overview(self) -> Table:
        """Every aspect by alpha and by the order within topics: the judge, people, controls, the verdict."""
        titles: dict[RowKind, str] = {
            "people": "one assessor with the others",
            "constant": "constant",
            "random": "random",
            "length": "length",
            "measure": "best measure",
        }
        rows: list[tuple[Cell, ...]] = []
        for aspect in self.aspects:
            for criterion in aspect.verdict.deciding:
                name = criterion.criterion
                judge, *others = (_best(aspect.of(kind), name) for kind in ("judge", *titles))
                beside = getattr(aspect.of("people")[0], f"judge_{name}")
                offset = aspect.verdict.offset.value if name == "alpha" else math.nan
                rows.append(
                    (
                        aspect.judge,
                        aspect.aspect,
                        CRITERIA[name],
                        judge,
                        beside,
                        *others,
                        offset,
                        criterion.step,
                    )
                )
        return Table.of(
            "judge-verdicts",
            rows,
            Column("name", "judge", show="varies"),
            "aspect",
            Column("criterion", "by"),
            Column("judge", format=".2f", tiny=False),
            Column("judge_beside", "judge with all but one", ".2f", tiny=False),
            *(Column(kind, title, ".2f", tiny=False) for kind, title in titles.items()),
            Column("offset", format="+.2f", tiny=False, show="varies"),
            "verdict",
            title="Order and answers as they stand (alpha): agreement with people, an assessor's and that of controls",
        )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"judge-agreement": self._rows, "judge-systems": self._systems}

    def _rows(self) -> Table:
        """One row per judge, aspect and row of its table."""
        records = [
            {"judge": aspect.judge, "aspect": aspect.aspect, **row.record()}
            for aspect in self.aspects
            for row in aspect.rows
        ]
        return Table.of("judge-agreement", records, *records[0])

    def _systems(self) -> Table:
        """One row per judge, aspect and system: alpha with people, beside people's own."""
        rows = (
            (
                *(aspect.judge, aspect.aspect, row.system, row.things),
                *(row.judge.value, row.judge.low, row.judge.high),
                *(row.people.value, row.people.low, row.people.high),
                *(row.why, row.why_people),
            )
            for aspect in self.aspects
            for row in aspect.systems
        )
        columns = "judge aspect system things alpha low high people people_low people_high why why_people"
        return Table.of("judge-systems", rows, columns)


def _best(rows: Sequence[BesidePeople], criterion: Criterion) -> float | None:
    """The highest value of some rows by a criterion."""
    values = [getattr(row, criterion).value for row in rows if row.why is None]
    return max((value for value in values if not math.isnan(value)), default=None)


def judge_agreement(
    benches: JudgeBenches, asked: Judges, progress: Progress = silent
) -> JudgeAgreementResult:
    """Every judge on every aspect beside people and controls, with verdicts on its order and its level.

    Aspect by aspect, so that what judges of the same things share is computed once.
    """
    together: dict[str, list[int]] = {}
    for at, bench in enumerate(benches.benches):
        together.setdefault(bench.aspect, []).append(at)
    aspects: dict[int, AspectAgreement] = {}
    for places in together.values():
        shared = _Shared(asked)
        for at in places:
            aspects[at] = _aspect(benches.benches[at], asked, shared)
            progress(len(aspects), len(benches.benches))
    return JudgeAgreementResult(
        asked=asked,
        aspects=tuple(aspects[at] for at in range(len(benches.benches))),
        alike=tuple(alike_raters(benches.benches)),
    )


def _verdict_facts(verdict: CriterionVerdict | None) -> dict[str, Any]:
    return {} if verdict is None else {"by": verdict.criterion, "step": verdict.step}


# One aspect


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What is drawn of one criterion: judges are the judge and the controls that there are, in that order."""

    judges: FloatArray
    """Judges x draws."""
    beside: FloatArray
    """Judges x assessors x draws."""
    assessors: FloatArray
    """Assessors x draws."""
    weights: FloatArray
    """Of assessors in their mean: what they judged."""

    def undefined(self) -> _Drawn:
        nowhere = {
            name: np.full_like(getattr(self, name), np.nan) for name in ("judges", "beside", "assessors")
        }
        return replace(self, **nowhere)

    def mean(self, by_assessor: FloatArray) -> FloatArray:
        return weighted_means(by_assessor, self.weights)

    @property
    def people(self) -> FloatArray:
        return self.mean(self.assessors)

    @property
    def judge_beside(self) -> FloatArray:
        """The judge's mean, on the footing of the assessors who count."""
        return self.mean(np.where(np.isnan(self.assessors), np.nan, self.beside[0]))

    def over_assessor(self, judge: int) -> FloatArray:
        """How much further one agrees than an assessor."""
        return self.mean(self.beside[judge] - self.assessors)

    def assessor_over(self, judge: int) -> FloatArray:
        """The reverse; of one person alone, whose answers nobody else gave, of somebody who gives the same."""
        return 1 - self.judges[judge] if len(self.assessors) == 1 else -self.over_assessor(judge)


def weighted_means(by_assessor: FloatArray, weights: FloatArray | IntArray) -> FloatArray:
    """Over assessors (assessors x draws) who have a value."""
    there = ~np.isnan(by_assessor)
    weight = (weights[:, None] * there).sum(axis=0)
    total = (weights[:, None] * np.nan_to_num(by_assessor)).sum(axis=0)
    means: FloatArray = np.divide(total, weight, out=np.full(weight.shape, np.nan), where=weight > 0)
    return means


class _Shared:
    """What judges of one question share, by what it rests on."""

    def __init__(self, asked: Judges) -> None:
        self.asked = asked
        self.made: dict[tuple[Any, ...], Any] = {}

    def once(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        if key not in self.made:
            self.made[key] = make()
        made: T = self.made[key]
        return made

    def pairs(self, footing: Footing, of: BoolArray | None = None) -> RaterPairs:
        """Coefficients of all things, or alpha alone of some of them."""
        cluster, kept = (footing.cluster, len(COEFFICIENTS)) if of is None else (footing.cluster[of], 1)

        def make() -> RaterPairs:
            times = draws_of(self.asked.rng("agreement"), footing.clusters, self.asked.resamples)
            return RaterPairs(footing.scale, cluster, times, kept=kept)

        which = None if of is None else of.tobytes()
        return self.once(("pairs", which, footing.scale.tobytes(), footing.cluster.tobytes()), make)

    def controls(self, footing: Footing) -> tuple[Control, ...]:
        bench = footing.bench
        measures = tuple((name, values.tobytes()) for name, values in bench.measures.items())
        # a column that is the judge, or people, is no control
        named = bench.measures.keys() & {bench.judge, bench.aspect}
        key = bench.topics, bench.systems, bench.sides, bench.words.tobytes(), measures, frozenset(named)
        return self.once(
            ("controls", footing.people.tobytes(), *key), lambda: tuple(controls_of(footing, once(footing)))
        )

    def ranked_people(self, footing: Footing) -> IntArray:
        key = "ranked", footing.bench.answers.tobytes(), footing.cluster.tobytes()
        return self.once(key, lambda: footing.ranked_people)

    def people_of(self, pairs: RaterPairs, codes: IntArray) -> FloatArray:
        """Of every assessor with the others, alpha in every draw."""
        return self.once(
            ("people", id(pairs), codes.tobytes()),
            lambda: people_agreement([], codes, pairs).assessors[:, 0],
        )


def _aspect(bench: AspectBench, options: Judges, shared: _Shared) -> AspectAgreement:
    footing = Footing.of(bench)
    judged = footing.bench
    pairs = shared.pairs(footing)
    controls = shared.controls(footing)
    there = [control for control in controls if control.why is None]
    codes = [control.codes for control in there if control.codes is not None]
    coefficients = people_agreement([footing.judge_codes, *codes], footing.people, pairs)
    weights = np.count_nonzero(footing.people != MISSING, axis=0).astype(float)
    drawn = {name: _of_coefficient(coefficients, at, weights) for at, name in enumerate(COEFFICIENTS)}
    why_no_order = footing.why_no_order
    signs = [footing.judge_signs, *(control.signs for control in there if control.signs is not None)]
    within = None if why_no_order is not None else _orders(footing, signs, pairs.times, weights)
    drawn["within"] = within or drawn["alpha"].undefined()
    drawn["rank"] = drawn["alpha"].undefined()
    if footing.has_ranks:
        by_rank = people_agreement(
            [footing.ranked(judged.judge_answers), *codes],
            footing.people,
            pairs,
            assessors=shared.ranked_people(footing),
        )
        drawn["rank"] = _of_coefficient(by_rank, 0, weights)

    def valued(draws: FloatArray) -> DrawnValue:
        return drawn_value(draws, footing.clusters, options.level)

    def offset(values: FloatArray, people: FloatArray) -> DrawnValue:
        if footing.why_no_level is not None:
            return UNKNOWN
        mean = clustered_mean(values - people, judged.clusters)
        enough = footing.clusters >= LEAST_CLUSTERS
        low, high = mean.interval(options.level) if enough else (math.nan, math.nan)
        return DrawnValue(mean.estimate, low, high, mean.why)

    verdict = JudgeVerdict(
        judge=bench.judge,
        aspect=bench.aspect,
        criteria=tuple(
            _verdict(criterion, drawn[criterion], there, valued, options.margin, footing)
            for criterion in CRITERIA
            if not math.isnan(drawn[criterion].judges[0, 0])
            and (criterion != "alpha" or footing.why_no_level is None)
        ),
        offset=offset(judged.judge_answers, judged.people_mean),
        why_no_level=footing.why_no_level,
        why=tuple(no_verdict(why_no_order, not math.isnan(drawn["alpha"].judges[0, 0]), controls)),
    )
    remarks = [note for note in (_copied(bench),) if note is not None]
    notes = [*bench.notes, *remarks, *filter(None, [footing.rank_note]), *footing.notes]
    notes += [note for control in controls for note in control.notes]
    notes = [note for at, note in enumerate(notes) if note not in notes[:at]]
    return AspectAgreement(
        judge=bench.judge,
        aspect=bench.aspect,
        things=len(judged.topics),
        topics=footing.topics,
        clusters=footing.clusters,
        people=judged.people,
        rows=tuple(_rows(footing, controls, drawn, valued, offset)),
        verdict=verdict,
        remarks=tuple(remarks),
        notes=tuple(notes),
        systems=tuple(_systems(footing, options, shared)),
    )


def _systems(footing: Footing, options: Judges, shared: _Shared) -> Iterator[SystemBesidePeople]:
    """Every system's things alone, on the scale of all, in the same draws of clusters."""
    bench = footing.bench
    if bench.pairs:
        return
    for system in sorted({name for name in bench.systems if name is not None}, key=natural):
        of_system = np.array([name == system for name in bench.systems])
        codes = footing.people[of_system]
        pairs = shared.pairs(footing, of_system)
        assessors = shared.people_of(pairs, codes)
        alphas = mean_alpha(footing.judge_codes[of_system], codes, pairs)
        mean_over_people = weighted_means(assessors, np.count_nonzero(codes != MISSING, axis=0))
        clusters = np.unique(footing.cluster[of_system]).size
        judge, people = (drawn_value(draws, clusters, options.level) for draws in (alphas, mean_over_people))
        yield SystemBesidePeople(
            system=system,
            things=int(of_system.sum()),
            judge=judge,
            people=people,
            why=ONE_ANSWER if math.isnan(judge.value) else None,
            why_people=(footing.alone or NOT_THE_SAME) if math.isnan(people.value) else None,
        )


LEAST_COPIED, COPIED = 30, 0.99
"""A judge copied somebody where this share of their answers is the same, about at least so many things."""
LEAST_VARIED, VARIED = 5, 0.9
"""The same among answers other than the most common one, which two people easily share by chance."""


def same_answers(one: FloatArray, other: FloatArray) -> tuple[int, int] | None:
    """How many answers of two are the same, and how many things both judged; None where that may be chance."""
    both = ~np.isnan(one) & ~np.isnan(other)
    alike = np.isclose(one[both], other[both], rtol=1e-9, atol=1e-12)
    n, same = alike.size, int(alike.sum())
    if n < LEAST_COPIED or same < COPIED * n:
        return None
    values, times = np.unique(one[both], return_counts=True)
    varied = ~alike | (one[both] != values[times.argmax()])
    return (same, n) if varied.sum() >= LEAST_VARIED and alike[varied].mean() >= VARIED else None


def _copied(bench: AspectBench) -> Note | None:
    """Whose answers the judge gives, if somebody's."""
    copied = [
        (same[0] / same[1], *same, person if bench.named else "people")
        for person, answers in zip(bench.people, bench.answers.T, strict=True)
        if (same := same_answers(answers, bench.judge_answers)) is not None
    ]
    if not copied:
        return None
    _, times, n, person = max(copied, key=lambda copy: (copy[0], copy[2]))
    return Note.of("copied", judge=bench.judge, person=person, same=times, things=n)


def alike_raters(benches: Sequence[AspectBench]) -> Iterator[Note]:
    """Judges, and people, of whom two gave the same answers to all questions that both answered."""
    judges: dict[str, dict[str, FloatArray]] = {}
    people: dict[str, dict[str, FloatArray]] = {}
    for bench in benches:
        # what people answered for is the same beside every judge, and in one order
        by_people = ~np.isnan(bench.answers).all(axis=1)
        if not bench.panel:
            judges.setdefault(bench.judge, {})[bench.aspect] = bench.judge_answers[by_people]
        for name, answers in zip(bench.people, bench.answers.T, strict=True) if bench.named else ():
            people.setdefault(name, {})[bench.aspect] = answers[by_people]
    for raters in (judges, people):
        for one, other in combinations(raters, 2):
            if both := [aspect for aspect in raters[one] if aspect in raters[other]]:
                first, second = (np.concatenate([raters[who][k] for k in both]) for who in (one, other))
                if (same := same_answers(first, second)) is not None:
                    about = {"names": [one, other], "judges": raters is judges}
                    yield Note.of("alike", **about, same=same[0], things=same[1])


def _of_coefficient(agreement: PeopleAgreement, at: int, weights: FloatArray) -> _Drawn:
    return _Drawn(agreement.judges[:, at], agreement.beside[:, :, at], agreement.assessors[:, at], weights)


def _orders(footing: Footing, signs: Sequence[FloatArray], times: FloatArray, weights: FloatArray) -> _Drawn:
    """The order within topics: with people's mean; of and beside an assessor, with the mean of the others."""
    people, topics = len(footing.bench.people), footing.topic_cluster.size

    def drawn(values: FloatArray) -> FloatArray:
        return topic_means(values, footing.topic_cluster, times)

    # the assessor is the last of all who are compared with the others
    beside = np.full((len(signs) + 1, people, len(times)), np.nan)
    for j in range(people if people > 1 else 0):
        human, assessor = footing.signs_without(j), footing.assessor_signs(j)
        for at, of_one in enumerate([*signs, assessor]):
            beside[at, j] = drawn(order_by_topic(human, of_one, footing.topic, topics, ~np.isnan(assessor)))
    with_all = np.stack([drawn(footing.order(of_one)) for of_one in signs])
    return _Drawn(with_all, beside[:-1], beside[-1], weights)


def _rows(
    footing: Footing,
    controls: Sequence[Control],
    drawn: Mapping[str, _Drawn],
    valued: Valued,
    offset: Callable[[FloatArray, FloatArray], DrawnValue],
) -> Iterator[BesidePeople]:
    def row(
        kind: RowKind,
        name: str,
        pick: Callable[[_Drawn], FloatArray],
        judge: Callable[[_Drawn], FloatArray] | None = None,
        more: Callable[[_Drawn], FloatArray] | None = None,
    ) -> BesidePeople:
        """Of the draws that `pick` takes; beside those of the judge, and `more` is by how much it is further."""
        values: dict[str, Any] = {of: valued(pick(drawn[of])) for of in (*COEFFICIENTS, "within", "rank")}
        if judge is not None:
            for criterion in CRITERIA:
                one, other = judge(drawn[criterion]), pick(drawn[criterion])
                values[f"judge_{criterion}"] = float(one[0])
                values[f"more_{criterion}"] = valued(one - other if more is None else more(drawn[criterion]))
        return BesidePeople(kind=kind, name=name, **values)

    bench = footing.bench
    of_judge = row("judge", bench.judge, lambda of: of.judges[0])
    yield replace(of_judge, offset=offset(bench.judge_answers, bench.people_mean))
    if footing.alone is not None:
        yield BesidePeople(kind="people", name=PEOPLE, why=footing.alone)
    else:
        together = row(
            "people", PEOPLE, lambda of: of.people, lambda of: of.judge_beside, lambda of: of.over_assessor(0)
        )
        yield replace(together, decides=tuple(CRITERIA))
        for j, person in enumerate(bench.people):
            one = row(
                "assessor",
                WITH_OTHERS.format(person),
                lambda of, j=j: of.assessors[j],  # type: ignore[misc]
                lambda of, j=j: of.beside[0, j],  # type: ignore[misc]
            )
            rest = replace(bench, answers=np.delete(bench.answers, j, axis=1)).people_mean
            yield replace(one, offset=offset(bench.answers[:, j], rest))
    at = 0
    for control in controls:
        name = control_title(control)
        if control.why is not None:
            yield BesidePeople(kind=control.kind, name=name, why=control.why)
            continue
        at += 1
        one = row(control.kind, name, lambda of, at=at: of.judges[at], lambda of: of.judges[0])  # type: ignore[misc]
        yield replace(one, decides=control.criteria)


def _verdict(
    criterion: Criterion,
    drawn: _Drawn,
    controls: Sequence[Control],
    valued: Valued,
    margin: float,
    footing: Footing,
) -> CriterionVerdict:
    floor, measure = [], None
    for at, control in enumerate(controls, start=1):
        compared = ControlDifference(
            words=control.name,
            judge=valued(drawn.judges[0] - drawn.judges[at]),
            assessor=valued(drawn.assessor_over(at)),
        )
        if control.kind != "measure":
            floor.append(compared)
        elif control.decides(criterion):
            measure = compared
    return criterion_verdict(
        criterion,
        floor,
        measure,
        valued(drawn.over_assessor(0)) if footing.alone is None else None,
        margin=margin,
        topics=over_words(footing.topics, footing.clusters),
        alone=footing.alone or "",
        value=valued(drawn.judges[0]) if criterion == "within" else None,
    )


# Rows as cells


def _columns(level: float) -> tuple[Column, ...]:
    return (
        Column("kind", show="never"),
        Column("row", "", right=False),
        Column("alpha", tiny=False),
        Column("alpha_interval", f"{100 * level:.4g}% interval", data=False, right=True),
        Column("kappa", "weighted kappa", tiny=False),
        Column("ac2", "AC2", tiny=False),
        Column("rank", "alpha by rank", tiny=False, show="varies"),
        Column("offset_shown", "offset", data=False, right=True),
        Column("within", "within topics", tiny=False),
        Column("within_interval", f"{100 * level:.4g}% interval", data=False, right=True),
        Column("judge_alpha", "judge (alpha)", tiny=False),
        Column("more_alpha_shown", "difference", data=False, right=True),
        Column("judge_within", "judge (within)", tiny=False),
        Column("more_within_shown", "difference", data=False, right=True),
        *(Column(f"{name}_{end}", show="never") for name in DRAWN for end in ("low", "high")),
        *hidden("more_alpha more_within more_rank judge_rank offset"),
        Column("decides", show="never"),
        Column("why", "", right=False, show="varies"),
    )


def _cells(row: BesidePeople) -> dict[str, Cell]:
    cells = row.record()
    cells["offset_shown"] = None if math.isnan(row.offset.value) else difference_words(row.offset)
    for name in ("alpha", "within"):
        agreement: DrawnValue = getattr(row, name)
        wide = agreement.is_known and agreement.high - agreement.low > SAME
        cells[f"{name}_interval"] = f"{agreement.low:z.3f} to {agreement.high:z.3f}" if wide else None
        more: DrawnValue = getattr(row, f"more_{name}")
        cells[f"more_{name}_shown"] = None if math.isnan(more.value) else difference_words(more)
    return cells
