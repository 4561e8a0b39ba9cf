"""Do measures lead to the conclusions that people's judgments lead to? Pair by pair of systems, by one test.

A measure and people both find a difference, in the same or in opposite directions, or only one of them does, or
neither. Owczarzak, Conroy, Dang and Nenkova 2012; Rankel et al. 2011, sections 4 and 5. The tests are those of
`adjudge compare`, with its correction for many pairs, and with assessors as a sample where there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.compare import AssessorEffects, Compare
from adjudge.analyses.compare.pairs import Prepared, prepare
from adjudge.analyses.compare.sampled import Population, pair_results, population_of, swaps_topics
from adjudge.analyses.conclusions import (
    CONCLUSIONS,
    DIFFERENT,
    NOT_COMPARABLE,
    NOT_TESTED,
    OUT_OF_REACH,
    OUTSIDE,
    Untold,
    conclude,
    over_sets,
    run_all,
)
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.cells import POOLED, Cells, HumanCells, over_lengths, score_matrix
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.scores import FEWEST_SETS
from adjudge.analyses.tests import ASSESSORS, THESE
from adjudge.core.errors import UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.data.scores import Among, MeasureInfo, ScoreMatrix
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.pairs import columns_of_pairs

AGREEMENTS = ("same", "opposite", "only_people", "only_measure", "neither")
"""The five cells: both find a difference, in the same or in opposite directions; one does; none does."""
SAME, OPPOSITE, ONLY_PEOPLE, ONLY_MEASURE, NEITHER = range(len(AGREEMENTS))
UNTESTED = -1
"""The measure or people have no test of the pair."""
BY_MODEL = (THESE, ASSESSORS)
"""The tests of a model of people's judgments."""
HEADINGS = {name: name.replace("_", " ") for name in AGREEMENTS}
AMONG_WORDS = {
    "all": "all pairs of systems",
    "machines": "pairs of machines",
    "humans": "pairs of humans",
    "human-machine": "pairs of a human and a machine",
}


def agree_on_conclusions(
    run: MetaRun, *, assessor_effects: AssessorEffects | None = None
) -> ConclusionsResult:
    """Compare the conclusions of every measure with people's, over all pairs of systems.

    Test and correction are those of `adjudge.compare`, and so are the conclusions: a pair differs, does not, or could
    not have been found. Several assessors are a sample, as topics are. Measure and people are tested on the summaries
    that both have scores of; where the cells keep all topics, each on all of its own, as in AESOP. Each choice of
    pairs is tested and corrected by itself, as `compare` does: the choices of systems, and where people's summaries
    are among them also pairs of a human and a machine.
    """
    asked = run.asked
    choices = Compare(
        test=asked.test,
        correct=asked.correct,
        alpha=asked.alpha,
        resamples=asked.resamples,
        seed=asked.seed,
        assessor_effects=assessor_effects,
    )
    groups = [_Compared(cells, cells.chosen, choices) for cells in run.choices]
    if len(groups) > 1:
        if not run.cells.has_humans or len(set(run.cells.kinds)) < 2:
            raise UsageError(f"human-machine: {run.cells.name} has not both humans and machines")
        groups.append(_Compared(run.cells, "human-machine", choices))
    return ConclusionsResult(
        agreements=tuple(agreement for group in groups for agreement in group.agreements()),
        choices=choices,
        all_topics=run.cells.all_topics,
    )


# The tests


@dataclass(frozen=True, eq=False)
class SideConclusions:
    """What one side concludes of every pair of systems, in the order of `itertools.combinations`."""

    conclusion: IntArray
    """A place in CONCLUSIONS, or OUTSIDE."""
    side: IntArray
    """Where a pair differs: 1 the first is better, -1 the second; else 0."""
    difference: FloatArray
    """First less second; positive where the first is better."""
    p: FloatArray
    """Corrected."""
    n: IntArray
    """Topics that both systems have."""
    test: str
    why: Mapping[int, str] = field(default_factory=dict)
    population: Population | None = None

    @property
    def different(self) -> BoolArray:
        return np.asarray(self.conclusion == DIFFERENT)

    @property
    def tested(self) -> BoolArray:
        return ~np.isin(self.conclusion, (NOT_TESTED, NOT_COMPARABLE, OUTSIDE))

    @property
    def out_of_reach(self) -> BoolArray:
        return np.asarray(self.conclusion == OUT_OF_REACH)


@dataclass(frozen=True)
class _Compared:
    """Human measures beside all others, on one choice of pairs; equal cells are tested once."""

    cells: Cells
    group: Among
    choices: Compare

    def agreements(self) -> Iterator[ConclusionAgreement]:
        measured: dict[tuple[int, bytes], SideConclusions] = {}
        for human in self.cells.humans:
            judged = ~np.isnan(human.values)
            by_people: dict[bytes, SideConclusions] = {}
            for at, info in enumerate(self.cells.measures):
                values = self.cells.automatic[at]
                scored = ~np.isnan(values)
                of_people, of_measure = judged, scored
                if not self.cells.all_topics:
                    of_people = of_measure = judged & scored
                key, of = of_people.tobytes(), (at, of_measure.tobytes())
                if key not in by_people:
                    people = np.where(of_people, human.values, np.nan)
                    by_people[key] = self._tested(human.info, people, human)
                if of not in measured:
                    measured[of] = self._tested(info, np.where(of_measure, values, np.nan))
                yield ConclusionAgreement(
                    measure=info,
                    human=human.info,
                    among=self.group,
                    systems=self.cells.systems,
                    people=by_people[key],
                    automatic=measured[of],
                    without_measure=int((judged & ~scored).sum()),
                    without_people=int((scored & ~judged).sum()),
                )

    def _tested(
        self, info: MeasureInfo, values: FloatArray, human: HumanCells | None = None
    ) -> SideConclusions:
        """The chosen test over topics, or the one in which assessors are a sample."""
        from adjudge.stats.tests import smallest_p

        size = len(self.cells.systems)
        first, second = columns_of_pairs(size)
        conclusion = np.where(self._family(self.cells.systems), NOT_COMPARABLE, OUTSIDE)
        side, n = np.zeros(first.size, dtype=np.int64), np.zeros(first.size, dtype=np.int64)
        difference, p = np.full(first.size, np.nan), np.full(first.size, np.nan)
        matrix = score_matrix(info, values, self.cells)
        if matrix is None:
            return SideConclusions(conclusion, side, difference, p, n, self.choices.grouping_test)
        ready = prepare(matrix, self.choices, family=self._family, clusters=self._sets(matrix))
        order = [self.cells.systems.index(system) for system in ready.matrix.systems]
        whose = None
        if human is not None and human.assessors:
            by_assessor = np.where(np.isnan(values), np.nan, human.by_assessor)
            by_assessor = over_lengths(by_assessor, self.cells)[:, :, order]
            whose = self._population(human, by_assessor, ready)
        if whose is not None and whose.pairs is not None:
            test = ASSESSORS if whose.effects == "random" else THESE
            results = pair_results(ready.matrix.values, whose.pairs, "two-sided", test)
            untold = Untold(
                results=results, family=ready.family, smallest=smallest_p(results), resamples=None
            )
        else:
            tests = run_all(
                ready.matrix.values, ready.family, self.choices, "two-sided", clusters=ready.codes
            )
            untold = tests[self.choices.grouping_test]
        tested = conclude([untold], self.choices)[0]

        place = np.zeros((size, size), dtype=np.int64)
        place[first, second] = place[second, first] = np.arange(first.size)
        counts = tested.results.counts
        a, b = np.asarray(order)[counts.first], np.asarray(order)[counts.second]
        to, sign = place[a, b], np.where(a < b, 1, -1)
        conclusion[to] = tested.conclusion
        side[to] = np.where(tested.different, sign * np.where(tested.results.statistic > 0, 1, -1), 0)
        difference[to], p[to], n[to] = sign * counts.difference, tested.adjusted, counts.n
        why = {int(at): reason for k, at in enumerate(to) if (reason := tested.why(k)) is not None}
        return SideConclusions(conclusion, side, difference, p, n, tested.results.test, why, whose)

    def _family(self, systems: Sequence[str]) -> BoolArray:
        """Which pairs of systems are asked for."""
        first, second = columns_of_pairs(len(systems))
        if self.group != "human-machine":
            return np.ones(first.size, dtype=np.bool_)
        kind = dict(zip(self.cells.systems, self.cells.kinds, strict=True))
        human = np.array([kind[system] == "human" for system in systems], dtype=np.bool_)
        return np.asarray(human[first] != human[second])

    def _sets(self, matrix: ScoreMatrix) -> Sequence[str] | None:
        """The set of every topic, where sets are the sample as in `compare`."""
        choices, by_row = self.choices, self.cells.clusters
        if by_row is None or CORRECTIONS[choices.correct].from_scores:
            return None
        of = dict(zip(self.cells.row_topics, by_row, strict=True))
        sets = [of[topic] for topic in matrix.topics]
        enough = FEWEST_SETS <= len(set(sets)) < len(sets)
        return (
            sets if enough and all(over_sets(test, choices.statistic) for test in choices.tests_run) else None
        )

    def _population(self, human: HumanCells, by_assessor: FloatArray, ready: Prepared) -> Population:
        """The assessors as a sample, or why they are themselves alone."""
        from adjudge.stats.linear.judged_pairs import JudgedPairs, judged_pairs

        there = ~np.isnan(by_assessor)
        names = [name for k, name in enumerate(human.assessors) if there[k].any() and name != POOLED]
        reason = swaps_topics(self.choices)
        if reason is None and POOLED in human.assessors:
            nobody = int(there[human.assessors.index(POOLED)].sum())
            reason = Note.of("unnamed", n=nobody, scores=int(there.sum())) if nobody else None

        def fit() -> JudgedPairs:
            who, topic, system = np.nonzero(there)
            return judged_pairs(
                by_assessor[there],
                topic,
                system,
                who,
                size=by_assessor.shape[2],
                clusters=ready.codes,
            )

        effects, systems = self.choices.assessor_effects, ready.matrix.systems
        return population_of(tuple(names), systems, reason, fit, effects, human.info.measure)


# Results


@dataclass(frozen=True, eq=False)
class ConclusionAgreement:
    """One measure's conclusions beside those from one human measure."""

    measure: MeasureInfo
    human: MeasureInfo
    among: Among
    systems: tuple[str, ...]
    people: SideConclusions
    automatic: SideConclusions
    without_measure: int
    """Summaries that people judged and the measure has no score of."""
    without_people: int
    """Summaries that the measure scored and nobody judged."""

    @cached_property
    def cell(self) -> IntArray:
        """By pair of systems: a place in AGREEMENTS, UNTESTED, or, of a pair that was not asked for, OUTSIDE - 1."""
        cells = np.full(self.people.conclusion.size, OUTSIDE - 1)
        cells[self.asked] = UNTESTED
        both = self.people.tested & self.automatic.tested
        people, automatic = self.people.different, self.automatic.different
        cells[both & ~people & ~automatic] = NEITHER
        cells[both & people & ~automatic] = ONLY_PEOPLE
        cells[both & ~people & automatic] = ONLY_MEASURE
        agree = self.people.side == self.automatic.side
        cells[both & people & automatic] = np.where(agree, SAME, OPPOSITE)[both & people & automatic]
        return cells

    @property
    def asked(self) -> BoolArray:
        return np.asarray(self.people.conclusion != OUTSIDE)

    @property
    def pairs(self) -> int:
        """Pairs that were asked for."""
        return int(self.asked.sum())

    def count(self, *cells: int) -> int:
        return int(np.isin(self.cell, cells).sum())

    @property
    def tested(self) -> int:
        """Pairs that both could test: those in the five cells."""
        return self.count(*range(len(AGREEMENTS)))

    @property
    def untested(self) -> int:
        return self.count(UNTESTED)

    @property
    def agreeing(self) -> int:
        """Pairs with one conclusion: the same difference, or none on either side."""
        return self.count(SAME, NEITHER)

    @property
    def people_find(self) -> int:
        """Pairs in the cells that people find different."""
        return self.count(SAME, OPPOSITE, ONLY_PEOPLE)

    @property
    def precision(self) -> float:
        """Of the differences that the measure finds, the share that people find too, in the same direction."""
        return _share(self.count(SAME), self.count(SAME, OPPOSITE, ONLY_MEASURE))

    @property
    def recall(self) -> float:
        """Of the differences that people find, the share that the measure finds too, in the same direction."""
        return _share(self.count(SAME), self.people_find)

    def unfindable(self, cell: int, side: SideConclusions) -> int:
        """Pairs of a cell that one side could not have found, whatever its scores."""
        return int(((self.cell == cell) & side.out_of_reach).sum())

    @property
    def beyond(self) -> int:
        """Pairs in the cells that one side or the other could not have found."""
        either = self.people.out_of_reach | self.automatic.out_of_reach
        return int((either & (self.cell >= 0)).sum())

    def record(self) -> dict[str, Any]:
        """The row of a frame."""
        counts = {name: self.count(k) for k, name in enumerate(AGREEMENTS)}
        return {
            "measure": self.measure.measure,
            "human": self.human.measure,
            "among": self.among,
            "test": self.automatic.test,
            "people_test": self.people.test,
            "pairs": self.pairs,
            "tested": self.tested,
            "untested": self.untested,
            **counts,
            **{f"share_{name}": _share(n, self.tested) for name, n in counts.items()},
            "agreement": _share(self.agreeing, self.tested),
            "agreement_if_nothing_found": _share(self.tested - self.people_find, self.tested),
            "precision": self.precision,
            "recall": self.recall,
            "only_measure_people_could_not_find": self.unfindable(ONLY_MEASURE, self.people),
            "neither_people_could_not_find": self.unfindable(NEITHER, self.people),
            "only_people_measure_could_not_find": self.unfindable(ONLY_PEOPLE, self.automatic),
            "neither_measure_could_not_find": self.unfindable(NEITHER, self.automatic),
            "summaries_without_measure": self.without_measure,
            "summaries_without_people": self.without_people,
        }

    def pair_records(self, only: int | None = None) -> Iterator[dict[str, Any]]:
        """A row per pair, or per pair of one cell."""
        first, second = columns_of_pairs(len(self.systems))
        for k in np.flatnonzero(self.asked if only is None else self.cell == only).tolist():
            a, b = self.systems[first[k]], self.systems[second[k]]
            cell = int(self.cell[k])
            row: dict[str, Any] = {
                "measure": self.measure.measure,
                "human": self.human.measure,
                "among": self.among,
                "a": a,
                "b": b,
                "agreement": None if cell == UNTESTED else AGREEMENTS[cell],
            }
            reasons = []
            for name, prefix, who, side in (
                ("people", "people", "people", self.people),
                ("by_measure", "measure", self.measure.words, self.automatic),
            ):
                row[name] = CONCLUSIONS[side.conclusion[k]]
                row[f"{prefix}_better"] = {1: a, -1: b}.get(int(side.side[k]))
                row[f"{prefix}_difference"] = float(side.difference[k])
                row[f"{prefix}_p"] = float(side.p[k])
                row[f"{prefix}_n"] = int(side.n[k])
                if not side.tested[k]:
                    reasons.append(f"{who}: {side.why.get(k, row[name])}")
            yield row | {"why": "; ".join(reasons) if cell == UNTESTED else None}


def _share(n: int, of: int) -> float:
    return n / of if of else float("nan")


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ConclusionsResult(Result):
    """The five cells of every measure, human measure and choice of pairs."""

    WORDS = "adjudge.analyses.meta.words.conclusions"
    ROWS_SAY_ALL: ClassVar[bool] = True
    FRAME = "conclusions"
    IN_JSON = ("conclusions", "conclusion-pairs")

    agreements: tuple[ConclusionAgreement, ...]
    choices: Compare
    all_topics: bool = False

    def how(self) -> str:
        c = self.choices
        tests = "+".join(dict.fromkeys(agreement.people.test for agreement in self.agreements))
        resampled = f":R{c.resamples}" if c.resamples is not None else ""
        return (
            f"conclusions|test:{c.test}{resampled}|people:{tests}|correct:{c.correct}:{c.alpha:g}|seed:{c.seed}"
            f"|topics:{'own' if self.all_topics else 'common'}|v:{__version__}"
        )

    def groups(self) -> Iterator[list[ConclusionAgreement]]:
        """All measures beside one human measure, on one choice of pairs."""
        keys = dict.fromkeys((agreement.among, agreement.human.measure) for agreement in self.agreements)
        for among, human in keys:
            yield [e for e in self.agreements if (e.among, e.human.measure) == (among, human)]

    def facts(self) -> dict[str, Any]:
        return {
            "alpha": self.choices.alpha,
            "correction": self.choices.correct,
            "populations": list(self._populations()),
        }

    def notes(self) -> Iterator[Note]:
        tests = dict.fromkeys(t for row in self.agreements for t in (row.automatic.test, row.people.test))
        yield Note.of("tests-used", tests=list(tests), alpha=self.choices.alpha, correct=self.choices.correct)
        for people, automatic in dict.fromkeys((r.people.test, r.automatic.test) for r in self.agreements):
            if people in BY_MODEL and automatic != "t":
                yield Note.of("tests-of-two-kinds", people=people, measures=automatic)
        yield Note.of("neither-is-no-proof")
        for human in dict.fromkeys(row.human.measure for row in self.agreements):
            rows = [row for row in self.agreements if row.human.measure == human]
            yield from _for_whom(rows)
        for row in self.agreements:
            if row.untested:
                yield Note.of(
                    "pairs-not-tested-by-both",
                    measure=row.measure.words,
                    human=row.human.words,
                    among=row.among,
                    n=row.untested,
                    pairs=row.pairs,
                )
        for row in self.agreements if not self.all_topics else ():
            if row.without_measure:
                yield Note.of(
                    "judged-without-score",
                    measure=row.measure.words,
                    human=row.human.words,
                    n=row.without_measure,
                )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"conclusions": self._all_rows, "conclusion-pairs": self._all_pairs}

    def _all_rows(self) -> Table:
        """A row per measure, human measure and choice of pairs."""
        rows = [row.record() for row in self.agreements]
        return Table.of("conclusions", rows, *rows[0], title="Conclusions of measures and of people")

    def _all_pairs(self) -> Table:
        """A row per measure, human measure, choice of pairs and pair of systems.

        Differences are a less b, turned so that they are positive where a is better; p is corrected.
        """
        return Table.of(
            "conclusion-pairs",
            (pair for row in self.agreements for pair in row.pair_records()),
            "measure human among a b agreement",
            "people people_better people_difference people_p people_n",
            "by_measure measure_better measure_difference measure_p measure_n why",
        )

    def tables(self) -> Iterator[Table]:
        """The cells by choice of pairs, then the pairs on which a measure and people contradict each other."""
        for among in dict.fromkeys(row.among for row in self.agreements):
            yield self._cells(among)
        opposite = self._contradictions()
        if opposite.rows:
            yield opposite

    def _cells(self, among: Among) -> Table:
        rows = [row for row in self.agreements if row.among == among]
        records = [
            row.record() | {"measure": row.measure.heading, "human": row.human.heading, "beyond": row.beyond}
            for row in rows
        ]
        shown = {
            "measure": Column("measure", right=False),
            "human": Column("human", "people", right=False, show="varies"),
            "among": Column("among", right=False, show="varies"),
            "pairs": Column("pairs", right=True),
            **{name: Column(name, heading, right=True) for name, heading in HEADINGS.items()},
            **{
                name: Column(name, right=True, tiny=False, format=".2f")
                for name in ("agreement", "precision", "recall")
            },
        }
        if any(row.untested for row in rows):
            shown["untested"] = Column("untested", "not tested", right=True)
        beyond = Column("beyond", "could not be found", data=False, right=True)
        shown["beyond"] = beyond if any(row.beyond for row in rows) else replace(beyond, show="never")
        return Table.of(
            f"conclusions-{among}",
            records,
            *(shown.get(name) or Column(name, show="never") for name in records[0]),
            title=f"Who finds a difference, on {AMONG_WORDS[among]}",
        )

    def _contradictions(self) -> Table:
        """The pairs of which people find one system better, and a measure the other."""
        rows = []
        for agreement in self.agreements:
            for row in agreement.pair_records(OPPOSITE):
                row |= {"measure": agreement.measure.heading, "human": agreement.human.heading}
                for who in ("people", "measure"):
                    row[f"{who}_difference"] *= 1 if row[f"{who}_better"] == row["a"] else -1
                rows.append(row)
        return Table.of(
            "contradictions",
            rows,
            Column("measure", right=False),
            Column("human", "people's measure", right=False, show="varies"),
            Column("among", right=False, show="varies"),
            Column("people_better", "better by people", right=False),
            Column("people_difference", "difference"),
            Column("people_p", "p"),
            Column("measure_better", "better by the measure", right=False),
            Column("measure_difference", "difference"),
            Column("measure_p", "p"),
            title="Contradictions: people find one system better, the measure the other (corrected p)",
        )

    def _populations(self) -> Iterator[dict[str, Any]]:
        """Whose judgments people's conclusions are from; measures with other summaries leave them other judgments."""
        for group in self.groups():
            for people in {id(agreement.people): agreement.people for agreement in group}.values():
                if people.population is not None:
                    yield {
                        "human": group[0].human.measure,
                        "among": group[0].among,
                        "measures": sorted(e.measure.measure for e in group if e.people is people),
                        **people.population.facts(),
                    }


def _for_whom(rows: Sequence[ConclusionAgreement]) -> Iterator[Note]:
    """For whom people's conclusions hold; `among` are choices of pairs, where it is not so of all."""
    where: dict[str, tuple[Note, list[Among]]] = {}
    for row in rows:
        if (whose := row.people.population) is None:
            continue
        n = len(whose.assessors)
        notes = [Note.of("people-are-these", n=n, why=whose.why)]
        if whose.effects == "random":
            notes = [Note.of("people-are-a-sample", n=n), *whose.notes()]
        for note in notes:
            among = where.setdefault(repr(note), (note, []))[1]
            among += [row.among] if row.among not in among else []
    every = len({row.among for row in rows})
    for note, among in where.values():
        some = [] if len(among) == every else among
        yield Note(note.code, {"human": rows[0].human.words, "among": some, "about": note.data})
