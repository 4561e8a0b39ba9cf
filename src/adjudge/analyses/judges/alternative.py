"""The alternative-annotator test of judges, beside constant answers, random ones, length and measures.

Calderon, Reichart and Dror 2025; `adjudge.stats.alternative` has the definition. A judge that says nothing can pass:
where answers are skewed, the commonest one is seldom further from the other assessors than an assessor is, and where
they are not, the middle of the scale is near to everybody. So the controls stand beside every judge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import Progress, silent
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table, hidden
from adjudge.core.words import listed
from adjudge.stats.alternative import ENOUGH_TOPICS, AlternativeTests, alternative_tests
from adjudge.stats.checks import FloatArray

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
    assessor_advantage: float
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
    units: str
    """What the observations are: topics, or sets of topics."""
    rows: tuple[AlternativeRow, ...] = ()
    """The judge's first; empty where the test was not made."""
    assessors: tuple[AssessorAdvantage, ...] = ()
    why: str | None = None

    @property
    def of_judge(self) -> AlternativeRow:
        return self.rows[0]

    @property
    def empty(self) -> tuple[AlternativeRow, ...]:
        """The controls that read no summary and pass."""
        return tuple(row for row in self.rows if row.kind in ("constant", "random", "length") and row.passes)

    @property
    def measured(self) -> tuple[AlternativeRow, ...]:
        """The best measure, where it passes."""
        return tuple(row for row in self.rows if row.kind == "measure" and row.passes)


@dataclass(frozen=True, repr=False, kw_only=True)
class AlternativeResult(Result):
    """The test of every judge on every question."""

    WORDS: ClassVar[str] = "adjudge.analyses.judges.words.alternative"

    asked: Judges
    aspects: tuple[AspectAlternative, ...]

    @property
    def made(self) -> tuple[AspectAlternative, ...]:
        """Where the test could be made."""
        return tuple(aspect for aspect in self.aspects if aspect.why is None)

    def how(self) -> str:
        o = self.asked
        units = "+".join(dict.fromkeys(aspect.units.split()[0] for aspect in self.aspects)) or "topics"
        return (
            f"alternative|alignment:-rmse|epsilon:{o.epsilon:g}|t:{units}|by:{o.alpha:g}|random:{DRAWS}|seed:{o.seed}"
            f"|v:{__version__}"
        )

    def for_judge(self, judge: str) -> AlternativeResult:
        """What is about one judge."""
        return replace(self, aspects=tuple(aspect for aspect in self.aspects if aspect.judge == judge))

    def of(self, judge: str, aspect: str) -> AspectAlternative:
        return next(tested for tested in self.aspects if (tested.judge, tested.aspect) == (judge, aspect))

    def facts(self) -> dict[str, Any]:
        not_made = [aspect for aspect in self.aspects if aspect.why is not None]
        return {
            "epsilon": self.asked.epsilon,
            "alpha": self.asked.alpha,
            "not_made": [
                {"judge": aspect.judge, "aspect": aspect.aspect, "why": aspect.why} for aspect in not_made
            ],
        }

    def tables(self) -> Iterator[Table]:
        """Judges and controls, a row each; and the judge beside each assessor."""
        yield Table.of(
            "alternative",
            (
                {
                    "judge": aspect.judge,
                    "aspect": aspect.aspect,
                    **vars(row),
                    "passes": row.passes if row.why is None else None,
                    "shown": row.shown(),
                }
                for aspect in self.aspects
                for row in aspect.rows
            ),
            Column("judge", "dossier of", right=False, show="varies"),
            Column("aspect", "question", right=False, show="varies"),
            Column("name", "who answers", right=False),
            Column("kind", show="never"),
            Column("average", "average advantage", format=".2f"),
            Column("winning_rate", "winning rate", format=".2f"),
            Column("assessors", show="varies"),
            Column("passes", show="never"),
            Column("shown", "passes", right=False, data=False),
            *hidden("passed draws why"),
            title=(
                f"The alternative-annotator test at epsilon {self.asked.epsilon:g}: how often is a judge at least as"
                " near to the other assessors as an assessor is, and against which share of assessors does it win?"
            ),
        )
        if not self.made:
            return
        yield Table.of(
            "alternative-assessors",
            (
                {
                    "judge": aspect.judge,
                    "aspect": aspect.aspect,
                    **vars(row),
                    "own": row.assessor_advantage,
                    "won": None if math.isnan(row.adjusted) else row.won,
                }
                for aspect in self.aspects
                for row in aspect.assessors
            ),
            Column("judge", right=False, show="varies"),
            Column("aspect", "question", right=False, show="varies"),
            Column("assessor", right=False),
            "things",
            Column("topics", listed(list(dict.fromkeys(aspect.units for aspect in self.aspects)))),
            Column("advantage", "judge's advantage", format=".2f"),
            Column("own", "assessor's", format=".2f"),
            Column("p", show="never"),
            Column("adjusted", "corrected p"),
            Column("won", "judge wins", right=False),
            title="The judge beside each assessor: how often each is at least as near to the others as the other is",
        )

    def notes(self) -> Iterator[Note]:
        if not self.made:
            return
        units = list(dict.fromkeys(aspect.units for aspect in self.made))
        yield Note.of("how-tested", units=units, alpha=self.asked.alpha)
        kinds = {row.kind for aspect in self.made for row in aspect.rows}
        if "constant" in kinds:
            yield Note.of("best-constant")
        if kinds & {"length", "measure"}:
            yield Note.of("ranks-as-answers")
        for aspect in self.made:
            about = {"judge": aspect.judge, "aspect": aspect.aspect, "units": aspect.units}
            fewest = min(who.topics for who in aspect.assessors if not math.isnan(who.adjusted))
            if fewest < ENOUGH_TOPICS:
                yield Note.of("few-topics", n=fewest, enough=ENOUGH_TOPICS, **about)
            if left := [who.assessor for who in aspect.assessors if math.isnan(who.adjusted)]:
                yield Note.of("assessors-not-counted", assessors=left, **about)


def alternative(benches: JudgeBenches, asked: Judges, progress: Progress = silent) -> AlternativeResult:
    """The alternative-annotator test of every judge on every question, with the controls beside it."""
    aspects = tuple(_aspect(bench, asked) for bench in benches.one_by_one(progress))
    return AlternativeResult(asked=asked, aspects=aspects)


def _aspect(bench: AspectBench, options: Judges) -> AspectAlternative:
    bench = bench.take(bench.judged)
    things, answers = len(bench.topics), bench.answers[~np.isnan(bench.answers)]

    def tested(judges: FloatArray) -> AlternativeTests:
        return alternative_tests(
            bench.answers, judges, clusters=bench.clusters, epsilon=options.epsilon, alpha=options.alpha
        )

    of_judge = tested(bench.judge_answers[None])
    aspect = AspectAlternative(
        judge=bench.judge,
        aspect=bench.aspect,
        epsilon=options.epsilon,
        units="topics" if set(bench.clusters) == set(bench.topics) else "sets of topics",
        why=of_judge.why[0] if bench.named else UNNAMED,
    )
    if aspect.why is not None:
        return aspect
    constants = np.array(bench.scale)
    if constants.size > MOST_CONSTANTS:
        levels = np.linspace(0, 1, MOST_CONSTANTS)
        constants = np.unique(np.quantile(answers, levels, method="inverted_cdf"))
    ways = {} if np.isnan(bench.words).all() else {"longer": bench.words, "shorter": -bench.words}
    contenders: dict[Contender, dict[str, FloatArray]] = {
        "constant": {f"the constant {value:g}": np.full(things, value) for value in constants},
        "random": {"random": options.rng("alternative/random").choice(answers, size=(DRAWS, things))},
        "length": {f"length, {way} is better": _matched(bench, values) for way, values in ways.items()},
        "measure": {name: _matched(bench, values) for name, values in bench.measures.items()},
    }
    rows = [_row("judge", [bench.judge], of_judge)]
    rows += [
        _row(kind, list(tried), tested(np.vstack(list(tried.values()))))
        for kind, tried in contenders.items()
        if tried
    ]
    return replace(
        aspect,
        rows=tuple(rows),
        assessors=tuple(
            AssessorAdvantage(
                assessor=name,
                things=int(of_judge.things[0, j]),
                topics=int(of_judge.observations[0, j]),
                advantage=float(of_judge.advantage[0, j]),
                assessor_advantage=float(of_judge.assessor_advantage[0, j]),
                p=float(of_judge.p[0, j]),
                adjusted=float(of_judge.adjusted[0, j]),
                won=bool(of_judge.won[0, j]),
            )
            for j, name in enumerate(bench.people)
        ),
    )


def _row(kind: Contender, names: Sequence[str], tests: AlternativeTests) -> AlternativeRow:
    """Of several the best by the winning rate, then by the average advantage; of random answers the mean of all."""
    keys = list(
        zip(np.nan_to_num(tests.winning_rate, nan=-1), np.nan_to_num(tests.average, nan=-1), strict=True)
    )
    at = 0 if kind == "random" else keys.index(max(keys))
    some = slice(None) if kind == "random" else slice(at, at + 1)
    return AlternativeRow(
        name=names[at],
        kind=kind,
        average=float(tests.average[some].mean()),
        winning_rate=float(tests.winning_rate[some].mean()),
        assessors=int(tests.tested[at]),
        passed=int(tests.passes[some].sum()),
        draws=len(tests.why[some]),
        why=tests.why[at],
    )


def _matched(bench: AspectBench, values: FloatArray) -> FloatArray:
    """Values as answers: by their ranks, in people's shares; of pairs, whichever has the higher value wins."""
    if bench.pairs:
        return (np.sign(values) + 1) / 2
    there = ~np.isnan(values)
    matched = np.full(values.shape, np.nan)
    answers = np.sort(bench.answers[~np.isnan(bench.answers)])
    distinct, ties, times = np.unique(values[there], return_inverse=True, return_counts=True)
    if not distinct.size:
        return matched
    if bench.better == "lower":
        ties, times = distinct.size - 1 - ties, times[::-1]
    middle = (np.cumsum(times) - times / 2) / times.sum()  # of the ranks that share a value
    matched[there] = answers[np.minimum((middle * answers.size).astype(np.int64), answers.size - 1)][ties]
    return matched
