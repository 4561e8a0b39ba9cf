"""The alternative-annotator test of judges, beside constant answers, random ones, length and measures.

Calderon, Reichart and Dror 2025; `adjudge.stats.alternative` has the definition. A judge that says nothing can pass:
where answers are skewed, the commonest one is seldom further from the other assessors than an assessor is, and where
they are not, the middle of the scale is near to everybody. So the controls stand beside every judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches
from adjudge.analyses.judges.options import JudgeOptions
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.stats.alternative import ENOUGH_TOPICS, AlternativeTests, alternative_tests
from adjudge.stats.checks import FloatArray

if TYPE_CHECKING:
    import pandas as pd

DRAWS = 100
"""Of random answers."""
MOST_CONSTANTS = 25
"""Choices of a scale that are tried; of a longer one, as many quantiles of people's answers."""
UNNAMED = "people's scores name no assessors"

Contender = Literal["judge", "constant", "random", "length", "measure"]


@dataclass(frozen=True)
class AlternativeRow:
    """The test of a judge, or of a control in its place."""

    name: str
    kind: Contender
    average: float
    """rho, the average advantage probability; of random answers, the mean over draws."""
    winning_rate: float
    """omega; of random answers, the mean over draws."""
    assessors: int
    """Who were tested."""
    passed: int
    """In how many draws of answers the test was passed,"""
    draws: int = 1
    """of how many: one, unless the answers are random."""
    why: str | None = None

    @property
    def passes(self) -> bool:
        """Random answers pass where at least half of the draws do."""
        return self.why is None and 2 * self.passed >= self.draws

    def shown(self) -> Cell:
        """`yes`, `no`, or how many draws."""
        if self.why is not None:
            return None
        if self.draws > 1:
            return f"{self.passed} of {self.draws} draws"
        return "yes" if self.passed else "no"


@dataclass(frozen=True)
class AssessorAdvantage:
    """The judge beside one assessor."""

    assessor: str
    things: int
    topics: int
    advantage: float
    """How often the judge is at least as near to the others as the assessor."""
    own: float
    """How often the assessor is at least as near as the judge."""
    p: float
    adjusted: float
    won: bool


@dataclass(frozen=True)
class AspectAlternative:
    """One judge on one question: its test, the controls', and the judge beside each assessor."""

    judge: str
    aspect: str
    epsilon: float
    rows: tuple[AlternativeRow, ...]
    """The judge's first; empty where the test was not made."""
    assessors: tuple[AssessorAdvantage, ...]
    units: str
    """What the observations are: topics, or sets of topics."""
    why: str | None = None

    @property
    def own(self) -> AlternativeRow:
        return self.rows[0]

    @property
    def empty(self) -> tuple[AlternativeRow, ...]:
        """The controls that read no summary and pass."""
        return tuple(
            each for each in self.rows if each.kind in ("constant", "random", "length") and each.passes
        )

    @property
    def measured(self) -> tuple[AlternativeRow, ...]:
        """The best measure, where it passes."""
        return tuple(each for each in self.rows if each.kind == "measure" and each.passes)

    def sentence(self) -> str:
        """Whether the judge passes, and who else does."""
        if self.why is not None:
            return _not_made(self.judge, [self.aspect], self.why)
        wins = round(self.own.winning_rate * self.own.assessors)
        numbers = (
            f"it wins against {wins} of {counted(self.own.assessors, 'assessor')}, average advantage probability"
            f" {self.own.average:.2f}"
        )
        passes = "passes" if self.own.passes else "does not pass"
        said = (
            f"On {self.aspect} {self.judge} {passes} the alternative-annotator test at epsilon {self.epsilon:g}"
            f" ({numbers})"
        )
        too = [*self.empty, *self.measured]
        if not self.own.passes:
            return f"{said}; {_who(too)}." if too else f"{said}."
        if self.empty:
            return f"{said}, and so {_who(self.empty, verb_first=True)}: passing says nothing here."
        if self.measured:
            return f"{said}, and so {_who(self.measured, verb_first=True)}: passing needs no judge here."
        return f"{said}; {_who([each for each in self.rows[1:] if each.why is None])} not."


def _not_made(judge: str, aspects: Sequence[str], why: str) -> str:
    return f"On {listed(aspects, most=20)} the alternative-annotator test of {judge} was not made: {why}."


def _who(rows: Sequence[AlternativeRow], *, verb_first: bool = False) -> str:
    """`the constant 4 does`, `does the constant 4`."""
    names = [
        {"random": "answers drawn at random", "length": "length alone"}.get(each.kind, each.name)
        for each in rows
    ]
    verb = "do" if len(rows) > 1 or rows[0].kind == "random" else "does"
    return f"{verb} {listed(names)}" if verb_first else f"{listed(names)} {verb}"


@dataclass(frozen=True, repr=False)
class AlternativeResult(Tabular):
    """The test of every judge on every question."""

    aspects: tuple[AspectAlternative, ...]
    options: JudgeOptions

    @property
    def signature(self) -> str:
        o = self.options
        units = "+".join(dict.fromkeys(each.units.split()[0] for each in self.aspects)) or "topics"
        return (
            f"alternative|alignment:-rmse|epsilon:{o.epsilon:g}|t:{units}|by:{o.alpha:g}|random:{DRAWS}|seed:{o.seed}"
            f"|v:{__version__}"
        )

    def of(self, judge: str, aspect: str) -> AspectAlternative:
        return next(each for each in self.aspects if (each.judge, each.aspect) == (judge, aspect))

    def headline(self) -> str:
        """Of one question what there is to say; of several, where each judge passes and what that says."""
        if len(self.aspects) == 1:
            return self.aspects[0].sentence()
        judges = dict.fromkeys(each.judge for each in self.aspects)
        return " ".join(self._summed(judge) for judge in judges) or "There is no question to test a judge on."

    def _summed(self, judge: str) -> str:
        own = [each for each in self.aspects if each.judge == judge]
        made = [each for each in own if each.why is None]
        if not made:
            why = dict.fromkeys(str(each.why) for each in own)
            return f"The alternative-annotator test of {judge} was not made: {'; '.join(why)}."
        passed = [each for each in made if each.own.passes]
        said = (
            f"{judge} passes the alternative-annotator test at epsilon {made[0].epsilon:g} on {len(passed)} of"
            f" {counted(len(made), 'question')}"
        )
        if passed:
            said += f" ({listed([each.aspect for each in passed])})"
        if empty := [each.aspect for each in passed if each.empty]:
            said += f"; constant, random or length-based answers pass too on {listed(empty)}"
            said += ", where passing says nothing"
        if measured := [each.aspect for each in passed if each.measured and not each.empty]:
            said += f"; a measure passes too on {listed(measured)}, where passing needs no judge"
        if alone := [each.aspect for each in passed if not each.measured and not each.empty]:
            said += f"; no control passes on {listed(alone)}"
        if left := [each.aspect for each in own if each.why is not None]:
            said += f"; the test was not made on {listed(left)}"
        return f"{said}."

    def sentences(self) -> Iterator[str]:
        """One for each question; those on which the test was not made for one reason have one together."""
        left: dict[tuple[str, str], list[str]] = {}
        for each in self.aspects:
            if each.why is None:
                yield each.sentence()
            else:
                left.setdefault((each.judge, each.why), []).append(each.aspect)
        for (judge, why), aspects in left.items():
            yield _not_made(judge, aspects, why)

    def table(self) -> Table:
        """Judges and controls, a row each."""
        rows: list[tuple[Cell, ...]] = []
        for aspect in self.aspects:
            rows += [
                (
                    aspect.judge,
                    aspect.aspect,
                    each.name,
                    each.kind,
                    each.average,
                    each.winning_rate,
                    each.assessors,
                    each.passes if each.why is None else None,
                    each.shown(),
                    each.passed,
                    each.draws,
                    each.why,
                )
                for each in aspect.rows
            ]
        return Table(
            name="alternative",
            columns=(
                Column("judge", "dossier of", right=False, show="varies"),
                Column("aspect", "question", right=False, show="varies"),
                Column("name", "who answers", right=False),
                Column("kind", show="never"),
                Column("average", "average advantage", format=".2f"),
                Column("winning_rate", "winning rate", format=".2f"),
                Column("assessors", show="varies"),
                Column("passes", show="never"),
                Column("shown", "passes", right=False, data=False),
                Column("passed", show="never"),
                Column("draws", show="never"),
                Column("why", show="never"),
            ),
            rows=tuple(rows),
            title=(
                f"The alternative-annotator test at epsilon {self.options.epsilon:g}: how often is a judge at least as"
                " near to the other assessors as an assessor is, and against which share of assessors does it win?"
            ),
            said=tuple(self.sentences()),
            notes=tuple(self._notes()),
            signature=self.signature,
        )

    def tables(self) -> Tables:
        """The test, and the judge beside each assessor."""
        rows: list[tuple[Cell, ...]] = [
            (
                aspect.judge,
                aspect.aspect,
                each.assessor,
                each.things,
                each.topics,
                each.advantage,
                each.own,
                each.p,
                each.adjusted,
                None if math.isnan(each.adjusted) else each.won,
            )
            for aspect in self.aspects
            for each in aspect.assessors
        ]
        units = listed(list(dict.fromkeys(each.units for each in self.aspects))) or "topics"
        each_assessor = Table(
            name="alternative-assessors",
            columns=(
                Column("judge", right=False, show="varies"),
                Column("aspect", "question", right=False, show="varies"),
                Column("assessor", right=False),
                Column("things"),
                Column("topics", units),
                Column("advantage", "judge's advantage", format=".2f"),
                Column("own", "assessor's", format=".2f"),
                Column("p", show="never"),
                Column("adjusted", "corrected p"),
                Column("won", "judge wins", right=False),
            ),
            rows=tuple(rows),
            title="The judge beside each assessor: how often each is at least as near to the others as the other is",
            signature=self.signature,
        )
        return Tables((self.table(), each_assessor) if rows else ())

    def _notes(self) -> Iterator[str]:
        made = [each for each in self.aspects if each.why is None]
        if not made:
            return
        yield (
            "alignment is minus the root mean squared difference from the other assessors' answers; a tie counts for"
            f" both sides; t-tests of means of {listed(list(dict.fromkeys(each.units for each in made)))}, corrected by"
            f" Benjamini and Yekutieli at {self.options.alpha:g}; a judge passes where it wins against half of the"
            " assessors or more"
        )
        kinds = {each.kind for aspect in made for each in aspect.rows}
        if "constant" in kinds:
            yield "the constant is the one that does best in this test"
        if kinds & {"length", "measure"}:
            yield (
                "length and the measure that does best in this test are turned into answers by their ranks, with"
                " people's answers in people's shares; of length, in the direction that does better"
            )
        for each in made:
            fewest = min(who.topics for who in each.assessors if not math.isnan(who.adjusted))
            if fewest < ENOUGH_TOPICS:
                yield (
                    f"{each.judge}, {each.aspect}: with {fewest} {each.units} the t-test has little to go by; the paper"
                    f" asks for {ENOUGH_TOPICS} observations"
                )
            left = [who.assessor for who in each.assessors if math.isnan(who.adjusted)]
            if left:
                yield (
                    f"{each.judge}, {each.aspect}: {listed(left)} shared too few {each.units} with the judge and"
                    " another assessor, and did not count"
                )

    def to_frame(self) -> pd.DataFrame:
        """A row per judge, question and contender."""
        return self.table().to_frame()

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "epsilon": self.options.epsilon,
                "alpha": self.options.alpha,
                "questions": [
                    {
                        "judge": each.judge,
                        "aspect": each.aspect,
                        "why": each.why,
                        "rows": [
                            {
                                "name": row.name,
                                "kind": row.kind,
                                "average": row.average,
                                "winning_rate": row.winning_rate,
                                "assessors": row.assessors,
                                "passes": row.passes if row.why is None else None,
                                "passed": row.passed,
                                "draws": row.draws,
                                "why": row.why,
                            }
                            for row in each.rows
                        ],
                        "assessors": list(each.assessors),
                        "observations": each.units,
                    }
                    for each in self.aspects
                ],
                "sentences": list(self.sentences()),
                "notes": list(self._notes()),
                "signature": self.signature,
            }
        )
        return found


def alternative(
    benches: JudgeBenches,
    options: JudgeOptions | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> AlternativeResult:
    """The alternative-annotator test of every judge on every question, with the controls beside it."""
    options = options or JudgeOptions()
    found = []
    for done, bench in enumerate(benches.benches):
        progress(done, len(benches.benches))
        found.append(_aspect(bench, options))
    return AlternativeResult(aspects=tuple(found), options=options)


def _aspect(bench: AspectBench, options: JudgeOptions) -> AspectAlternative:
    bench = bench.take(bench.judged)
    units = "topics" if set(bench.clusters) == set(bench.topics) else "sets of topics"

    def tested(judges: FloatArray) -> AlternativeTests:
        return alternative_tests(
            bench.answers, judges, clusters=bench.clusters, epsilon=options.epsilon, alpha=options.alpha
        )

    own = tested(bench.given[None])
    why = UNNAMED if not bench.named else own.why[0]
    if why is not None:
        return AspectAlternative(
            judge=bench.judge,
            aspect=bench.aspect,
            epsilon=options.epsilon,
            rows=(),
            assessors=(),
            units=units,
            why=why,
        )
    rows = [_row(bench.judge, "judge", own, 0)]
    constants = _constants(bench)
    found = tested(np.repeat(constants[:, None], len(bench.topics), axis=1))
    best = _best(found)
    rows.append(_row(f"the constant {constants[best]:g}", "constant", found, best))
    rows.append(_random(tested(_drawn(bench, options))))
    if matched := _lengths(bench):
        found = tested(np.stack(list(matched.values())))
        best = _best(found)
        rows.append(_row(list(matched)[best], "length", found, best))
    if matched := {name: _matched(bench, values) for name, values in bench.measures.items()}:
        found = tested(np.stack(list(matched.values())))
        best = _best(found)
        rows.append(_row(list(matched)[best], "measure", found, best))
    return AspectAlternative(
        judge=bench.judge,
        aspect=bench.aspect,
        epsilon=options.epsilon,
        rows=tuple(rows),
        assessors=tuple(
            AssessorAdvantage(
                assessor=name,
                things=int(own.things[0, j]),
                topics=int(own.observations[0, j]),
                advantage=float(own.advantage[0, j]),
                own=float(own.assessor_advantage[0, j]),
                p=float(own.p[0, j]),
                adjusted=float(own.adjusted[0, j]),
                won=bool(own.won[0, j]),
            )
            for j, name in enumerate(bench.people)
        ),
        units=units,
    )


def _row(name: str, kind: Contender, found: AlternativeTests, at: int) -> AlternativeRow:
    return AlternativeRow(
        name=name,
        kind=kind,
        average=float(found.average[at]),
        winning_rate=float(found.winning_rate[at]),
        assessors=int(found.tested[at]),
        passed=int(found.passes[at]),
        why=found.why[at],
    )


def _best(found: AlternativeTests) -> int:
    """By the winning rate, then by the average advantage; the first of equal ones."""
    keys = zip(np.nan_to_num(found.winning_rate, nan=-1), np.nan_to_num(found.average, nan=-1), strict=True)
    return max(enumerate(keys), key=lambda each: (each[1], -each[0]))[0]


def _random(found: AlternativeTests) -> AlternativeRow:
    return AlternativeRow(
        name="random",
        kind="random",
        average=float(found.average.mean()),
        winning_rate=float(found.winning_rate.mean()),
        assessors=int(found.tested[0]),
        passed=int(found.passes.sum()),
        draws=len(found.why),
        why=found.why[0],
    )


def _constants(bench: AspectBench) -> FloatArray:
    """Every choice of the scale, or quantiles of people's answers where there are very many."""
    scale = np.array(bench.scale)
    if scale.size <= MOST_CONSTANTS:
        return scale
    there = bench.answers[~np.isnan(bench.answers)]
    return np.unique(np.quantile(there, np.linspace(0, 1, MOST_CONSTANTS), method="inverted_cdf"))


def _drawn(bench: AspectBench, options: JudgeOptions) -> FloatArray:
    """Draws x things: answers of people's, drawn at random, whatever the thing."""
    there = bench.answers[~np.isnan(bench.answers)]
    found: FloatArray = options.rng("alternative/random").choice(there, size=(DRAWS, len(bench.topics)))
    return found


def _lengths(bench: AspectBench) -> dict[str, FloatArray]:
    if np.isnan(bench.words).all():
        return {}
    return {
        "length, longer is better": _matched(bench, bench.words),
        "length, shorter is better": _matched(bench, -bench.words),
    }


def _matched(bench: AspectBench, values: FloatArray) -> FloatArray:
    """Values as answers: by their ranks, in people's shares; of pairs, whichever has the higher value wins."""
    if bench.pairs:
        return (np.sign(values) + 1) / 2
    there = ~np.isnan(values)
    found = np.full(values.shape, np.nan)
    given = np.sort(bench.answers[~np.isnan(bench.answers)])
    known, ties, times = np.unique(values[there], return_inverse=True, return_counts=True)
    if not known.size:
        return found
    if bench.better == "lower":
        ties, times = known.size - 1 - ties, times[::-1]
    middle = (np.cumsum(times) - times / 2) / times.sum()  # of the ranks that share a value
    found[there] = given[np.minimum((middle * given.size).astype(np.int64), given.size - 1)][ties]
    return found
