"""How far a judge agrees with people, beside people with each other and beside controls, and the verdict in steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import Progress, silent
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches
from adjudge.analyses.judges.controls import Control, Footing, controls_of
from adjudge.analyses.judges.verdict import (
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
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import counted, natural
from adjudge.stats.agreement import SAME
from adjudge.stats.checks import FloatArray
from adjudge.stats.judge_agreement import (
    COEFFICIENTS,
    MISSING,
    DrawnValue,
    PeopleAgreement,
    drawn_value,
    draws_of,
    order_by_topic,
    people_agreement,
    topic_means,
)

RowKind = Literal["judge", "people", "assessor", "constant", "random", "length", "measure"]
Valued = Callable[[FloatArray], DrawnValue]
"""A number with its interval, of its draws."""
NONE = DrawnValue(math.nan)


@dataclass(frozen=True)
class BesidePeople:
    """One row: somebody's agreement with people, and how much further the judge agrees."""

    kind: RowKind
    name: str
    alpha: DrawnValue = NONE
    kappa: DrawnValue = NONE
    ac2: DrawnValue = NONE
    within: DrawnValue = NONE
    judge_alpha: float = math.nan
    """The judge's with the same people on the same things: beside an assessor, with the other people."""
    judge_within: float = math.nan
    more_alpha: DrawnValue = NONE
    """The judge's less this one's."""
    more_within: DrawnValue = NONE
    decides: tuple[str, ...] = ()
    """The criteria by which the judge has to beat it."""
    why: str | None = None
    """There are no numbers."""

    def record(self) -> dict[str, Any]:
        record: dict[str, Any] = {"kind": self.kind, "row": self.name}
        for name in ("alpha", "kappa", "ac2", "within", "more_alpha", "more_within"):
            drawn: DrawnValue = getattr(self, name)
            record |= {name: drawn.value, f"{name}_low": drawn.low, f"{name}_high": drawn.high}
        record |= {"judge_alpha": self.judge_alpha, "judge_within": self.judge_within}
        return record | {"decides": ", ".join(self.decides), "why": self.why}


@dataclass(frozen=True)
class SystemBesidePeople:
    """What was judged of one system alone: the judge's alpha with people, and people's with each other."""

    system: str
    things: int
    judge: DrawnValue = NONE
    people: DrawnValue = NONE
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
                    "step": aspect.verdict.step,
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
            for criterion in aspect.verdict.criteria:
                name = criterion.criterion
                judge, *others = (_best(aspect.of(kind), name) for kind in ("judge", *titles))
                beside = getattr(aspect.of("people")[0], f"judge_{name}")
                rows.append(
                    (aspect.judge, aspect.aspect, CRITERIA[name], judge, beside, *others, criterion.step)
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
            "verdict",
            title="Agreement with people by two criteria, beside one assessor's and that of controls",
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
    """Every judge on every aspect beside people and controls, with a verdict in steps."""
    aspects = tuple(_aspect(bench, asked) for bench in benches.one_by_one(progress))
    return JudgeAgreementResult(asked=asked, aspects=aspects)


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
        there = ~np.isnan(by_assessor)
        weight = (self.weights[:, None] * there).sum(axis=0)
        total = (self.weights[:, None] * np.nan_to_num(by_assessor)).sum(axis=0)
        means: FloatArray = np.divide(total, weight, out=np.full(weight.shape, np.nan), where=weight > 0)
        return means

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


def _aspect(bench: AspectBench, options: Judges) -> AspectAgreement:
    footing = Footing.of(bench)
    judged = footing.bench
    times = draws_of(options.rng("agreement"), footing.clusters, options.resamples)
    controls = tuple(controls_of(footing))
    there = [control for control in controls if control.why is None]
    coefficients = people_agreement(
        [footing.judge_codes, *(control.codes for control in there if control.codes is not None)],
        footing.people,
        scale=footing.scale,
        cluster=footing.cluster,
        times=times,
    )
    weights = np.count_nonzero(footing.people != MISSING, axis=0).astype(float)
    drawn = {name: _of_coefficient(coefficients, at, weights) for at, name in enumerate(COEFFICIENTS)}
    why_no_order = footing.why_no_order
    signs = [
        footing.signs(judged.judge_answers),
        *(control.signs for control in there if control.signs is not None),
    ]
    within = None if why_no_order is not None else _orders(footing, signs, times, weights)
    drawn["within"] = within or drawn["alpha"].undefined()

    def valued(draws: FloatArray) -> DrawnValue:
        return drawn_value(draws, footing.clusters, options.level)

    verdict = JudgeVerdict(
        judge=bench.judge,
        aspect=bench.aspect,
        criteria=tuple(
            _verdict(criterion, drawn[criterion], there, valued, options.margin, footing)
            for criterion in CRITERIA
            if not math.isnan(drawn[criterion].judges[0, 0])
        ),
        why=tuple(no_verdict(why_no_order, not math.isnan(drawn["alpha"].judges[0, 0]), controls)),
    )
    remarks = [note for note in (footing.rank_note, _copied(bench)) if note is not None]
    of_controls = [note for control in controls for note in control.notes]
    notes = [*bench.notes, *remarks, *footing.notes, *of_controls]
    notes = [note for at, note in enumerate(notes) if note not in notes[:at]]
    return AspectAgreement(
        judge=bench.judge,
        aspect=bench.aspect,
        things=len(judged.topics),
        topics=footing.topics,
        clusters=footing.clusters,
        people=judged.people,
        rows=tuple(_rows(footing, controls, drawn, valued)),
        verdict=verdict,
        remarks=tuple(remarks),
        notes=tuple(notes),
        systems=tuple(_systems(footing, times, options)),
    )


def _systems(footing: Footing, times: FloatArray, options: Judges) -> Iterator[SystemBesidePeople]:
    """Every system's things alone, on the scale of all, in the same draws of clusters."""
    bench = footing.bench
    if bench.pairs:
        return
    for system in sorted({name for name in bench.systems if name is not None}, key=natural):
        of_system = np.array([name == system for name in bench.systems])
        codes = footing.people[of_system]
        coefficients = people_agreement(
            [footing.judge_codes[of_system]],
            codes,
            scale=footing.scale,
            cluster=footing.cluster[of_system],
            times=times,
        )
        weights = np.count_nonzero(codes != MISSING, axis=0).astype(float)
        drawn = _of_coefficient(coefficients, COEFFICIENTS.index("alpha"), weights)
        clusters = np.unique(footing.cluster[of_system]).size
        judge, people = (
            drawn_value(draws, clusters, options.level) for draws in (drawn.judges[0], drawn.people)
        )
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


def _copied(bench: AspectBench) -> Note | None:
    """Whose answers the judge gives, if somebody's."""
    copied: list[tuple[float, int, int, str]] = []
    for person, answers in zip(bench.people, bench.answers.T, strict=True):
        both = ~np.isnan(answers) & ~np.isnan(bench.judge_answers)
        theirs, by_judge = answers[both], bench.judge_answers[both]
        alike = np.isclose(theirs, by_judge, rtol=1e-9, atol=1e-12)
        n, same = theirs.size, int(alike.sum())
        if n < LEAST_COPIED or same < COPIED * n:
            continue
        values, times = np.unique(theirs, return_counts=True)
        varied = ~alike | (theirs != values[times.argmax()])
        if varied.sum() >= LEAST_VARIED and alike[varied].mean() >= VARIED:
            copied.append((same / n, n, same, person if bench.named else "people"))
    if not copied:
        return None
    _, n, same, person = max(copied, key=lambda copy: copy[:2])
    return Note.of("copied", judge=bench.judge, person=person, same=same, things=n)


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
    footing: Footing, controls: Sequence[Control], drawn: Mapping[str, _Drawn], valued: Valued
) -> Iterator[BesidePeople]:
    def row(
        kind: RowKind,
        name: str,
        pick: Callable[[_Drawn], FloatArray],
        judge: Callable[[_Drawn], FloatArray] | None = None,
        more: Callable[[_Drawn], FloatArray] | None = None,
    ) -> BesidePeople:
        """Of the draws that `pick` takes; beside those of the judge, and `more` is by how much it is further."""
        values: dict[str, Any] = {of: valued(pick(drawn[of])) for of in (*COEFFICIENTS, "within")}
        if judge is not None:
            for criterion in CRITERIA:
                one, other = judge(drawn[criterion]), pick(drawn[criterion])
                values[f"judge_{criterion}"] = float(one[0])
                values[f"more_{criterion}"] = valued(one - other if more is None else more(drawn[criterion]))
        return BesidePeople(kind=kind, name=name, **values)

    yield row("judge", footing.bench.judge, lambda of: of.judges[0])
    if footing.alone is not None:
        yield BesidePeople(kind="people", name=PEOPLE, why=footing.alone)
    else:
        together = row(
            "people", PEOPLE, lambda of: of.people, lambda of: of.judge_beside, lambda of: of.over_assessor(0)
        )
        yield replace(together, decides=tuple(CRITERIA))
        for j, person in enumerate(footing.bench.people):
            yield row(
                "assessor",
                WITH_OTHERS.format(person),
                lambda of, j=j: of.assessors[j],  # type: ignore[misc]
                lambda of, j=j: of.beside[0, j],  # type: ignore[misc]
            )
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
        elif criterion in control.criteria:
            measure = compared
    return criterion_verdict(
        criterion,
        floor,
        measure,
        valued(drawn.over_assessor(0)) if footing.alone is None else None,
        margin=margin,
        topics=over_words(footing.topics, footing.clusters),
        alone=footing.alone or "",
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
        Column("within", "within topics", tiny=False),
        Column("within_interval", f"{100 * level:.4g}% interval", data=False, right=True),
        Column("judge_alpha", "judge (alpha)", tiny=False),
        Column("more_alpha_shown", "difference", data=False, right=True),
        Column("judge_within", "judge (within)", tiny=False),
        Column("more_within_shown", "difference", data=False, right=True),
        *(
            Column(f"{name}_{end}", show="never")
            for name in ("alpha", "kappa", "ac2", "within", "more_alpha", "more_within")
            for end in ("low", "high")
        ),
        Column("more_alpha", show="never"),
        Column("more_within", show="never"),
        Column("decides", show="never"),
        Column("why", "", right=False, show="varies"),
    )


def _cells(row: BesidePeople) -> dict[str, Cell]:
    cells = row.record()
    for name in ("alpha", "within"):
        agreement: DrawnValue = getattr(row, name)
        wide = agreement.is_known and agreement.high - agreement.low > SAME
        cells[f"{name}_interval"] = f"{agreement.low:z.3f} to {agreement.high:z.3f}" if wide else None
        more: DrawnValue = getattr(row, f"more_{name}")
        cells[f"more_{name}_shown"] = None if math.isnan(more.value) else difference_words(more)
    return cells
