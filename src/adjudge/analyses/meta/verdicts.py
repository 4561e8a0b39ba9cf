"""A verdict on every measure: does it order systems as people do? And is the user's own better than the best known?

A verdict follows from four numbers of one level, coefficient and choice of systems: the correlation with its interval,
the share of pairs in people's order, how far the measure is below one more assessor, and the conclusions of people that
it contradicts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.conclusions import Conclusion
from adjudge.analyses.meta.accuracy import agreements_by_topic
from adjudge.analyses.meta.better import BetterResult, MeasureComparison, better_measures, conclusion_of
from adjudge.analyses.meta.ceiling import CeilingResult, MeasureCeiling, ceiling_all
from adjudge.analyses.meta.cells import Cells, HumanCells
from adjudge.analyses.meta.conclusions import (
    OPPOSITE,
    ConclusionAgreement,
    ConclusionsResult,
    agree_on_conclusions,
)
from adjudge.analyses.meta.correlations import CorrelationsResult, MeasureCorrelation, correlate_all
from adjudge.analyses.meta.parts import MetaRun, rows_of
from adjudge.analyses.meta.words import SYMBOLS, conclusion_words, counted_words, like_these, over_words
from adjudge.analyses.scores import Scores
from adjudge.core.errors import DataError, UsageError
from adjudge.core.phrases import Argument
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table, hidden
from adjudge.core.words import listed, p_number
from adjudge.data.scores import Among, MeasureInfo
from adjudge.measures.registry import is_published
from adjudge.stats.correlation import Coefficient, CorrelationLevel
from adjudge.stats.multiple import adjust
from adjudge.stats.pairwise import mean_accuracies

Grade = Literal["as people do", "in part", "open", "not shown", "against people", "no verdict"]
Reason = Literal["accuracy", "no interval", "below assessors", "contradicts", "may be weak"]
STRONG = 0.5
"""A measure that orders as people do has at least this correlation at the lower end of its interval."""
TITLES = {
    "system": "How well measures order systems",
    "input": "How well measures order a topic's summaries",
    "global": "How well measures order summaries",
}
MOST_ROWS = 24
"""That a terminal shows."""


def grade(
    value: float,
    low: float,
    high: float,
    *,
    accuracy: float = math.nan,
    above_assessors: float = math.nan,
    contradictions: int = 0,
) -> tuple[Grade, Reason | None]:
    """The verdict, and for all but the best what decided it.

    `above_assessors` is the upper end of the interval of the difference from the human ceiling. What is NaN is not
    known, and decides nothing.
    """
    if math.isnan(value):
        return "no verdict", None
    if high < 0:
        return "against people", None
    if value <= 0:
        return "not shown", None
    if accuracy <= 0.5:
        return "not shown", "accuracy"
    if math.isnan(low):
        return "open", "no interval"
    if low <= 0:
        return "open", None
    if above_assessors < 0:
        return "in part", "below assessors"
    if contradictions:
        return "in part", "contradicts"
    if low < STRONG:
        return "in part", "may be weak"
    return "as people do", None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One measure beside one of people's, with the numbers that the verdict follows from."""

    measure: MeasureInfo
    human: MeasureInfo
    n: int
    """Systems, topics or summaries, as the level counts."""
    value: float
    low: float
    high: float
    accuracy: float
    """Of pairs that are in people's order: of systems, or of the summaries of a topic, mean over topics."""
    pairs: int
    ceiling: float
    """One more assessor's correlation with the others."""
    difference: float
    """From the ceiling, by the others too."""
    difference_low: float
    difference_high: float
    contradictions: int | None
    tested: int | None
    """Pairs of systems that both people and the measure tested."""
    grade: Grade
    reason: Reason | None
    why: str | None
    """Why there is no verdict."""

    def record(self) -> dict[str, Any]:
        """The row of the table."""
        both = None if self.tested is None else f"{self.contradictions:,} of {self.tested:,}"
        interval = "" if math.isnan(self.low) else f" ({self.low:z.2f} to {self.high:z.2f})"
        return vars(self) | {
            "measure": self.measure.heading,
            "human": self.human.heading,
            "spec": self.measure.measure,
            "human_spec": self.human.measure,
            "shown": None if math.isnan(self.value) else f"{self.value:z.2f}{interval}",
            "contradicted": both,
        }


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One of the user's own measures compared with a published one."""

    measure: MeasureInfo
    against: MeasureInfo
    best: bool
    """Whether that is the best of several, instead of one that was named."""
    difference: float
    p: float
    """Corrected over every pair of an own measure with one that could have been the best."""
    family: int
    """So many pairs."""
    conclusion: Conclusion
    lacking: str
    """Of what there is too little where no p could be small enough."""
    why: str | None

    def record(self) -> dict[str, Any]:
        row = vars(self) | {"measure": self.measure.measure, "against": self.against.measure}
        return {name: value for name, value in row.items() if name != "lacking"}


@dataclass(frozen=True, repr=False, kw_only=True)
class VerdictsResult(Result):
    """The verdicts on all measures, and the user's own beside the best known."""

    WORDS = "adjudge.analyses.meta.words.verdicts"
    FRAME = "verdicts"

    verdicts: tuple[Verdict, ...]
    compared: tuple[Compared, ...]
    level: CorrelationLevel
    coefficient: Coefficient
    among: Among
    confidence: float
    over: tuple[str, ...]
    """For other what intervals of correlations are,"""
    same: tuple[str, ...]
    """and what stays as it is."""
    alpha: float
    target: str
    """What all scores are of: `100 words`."""

    @property
    def first(self) -> list[Verdict]:
        """Those beside the first of people's measures, which make the sentences."""
        human = self.verdicts[0].human.measure
        return [verdict for verdict in self.verdicts if verdict.human.measure == human]

    @property
    def several(self) -> bool:
        """Whether several of people's measures are looked at."""
        return len(self.first) < len(self.verdicts)

    def how(self) -> str:
        return f"verdicts|{self.level}|{self.coefficient}|{self.among}|strong:{STRONG:g}|v:{__version__}"

    def facts(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "coefficient": self.coefficient,
            "among": self.among,
            "confidence": self.confidence,
            "compared": [row.record() for row in self.compared],
        }

    def notes(self) -> Iterator[Note]:
        for row in self.compared:
            if row.why is not None:
                yield Note.of(
                    "not-compared", measure=row.measure.words, against=row.against.words, why=row.why
                )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"compared": self._compared} if self.compared else {}

    def _compared(self) -> Table:
        """A row per measure of the user's."""
        return Table.of(
            "compared",
            [
                vars(row)
                | {"measure": row.measure.heading, "against": row.against.heading, "shown": p_number(row.p)}
                | {"words": conclusion_words(row.conclusion, row.lacking)}
                for row in self.compared
            ],
            Column("measure", right=False),
            Column("against", right=False),
            Column("difference", format="+.3f", tiny=False),
            Column("shown", "corrected p", data=False, right=True),
            Column("words", "conclusion", data=False, right=False),
            Column("conclusion", show="never"),
            *hidden("p family why"),
            title="Your measures compared with the best known"
            if self.compared[0].best
            else "Your measures compared",
        )

    def tables(self) -> Iterator[Table]:
        """A row per measure beside each of people's."""
        among = ", ".join(filter(None, (f"among {over_words(self.among)}", self.target)))
        chance = "" if self.level == "global" else " (pairwise accuracy by chance: .50)"
        counts = Column("n", counted_words(self.level), show="varies")
        intervals = f"; intervals {like_these(self.over, self.same)}" if self.over else ""
        table = Table.of(
            "verdicts",
            [verdict.record() for verdict in self.verdicts],
            Column("measure", right=False),
            Column("human", "with", right=False, show="varies"),
            counts,
            Column(
                "shown",
                f"{SYMBOLS[self.coefficient]}, {self.confidence:.0%} interval",
                right=True,
                data=False,
            ),
            Column("accuracy", "pairwise accuracy", format=".2f"),
            Column("ceiling", "human ceiling", format=".2f"),
            Column("contradicted", "contradictions", right=True, data=False),
            Column("grade", "verdict", right=False),
            *hidden("reason value low high pairs difference difference_low difference_high"),
            *hidden("contradictions tested spec human_spec why"),
            title=f"{TITLES[self.level]}, {among}{chance}{intervals}",
        )
        yield replace(table, first=MOST_ROWS)


def verdicts(run: MetaRun, parts: Mapping[str, Result]) -> VerdictsResult:
    """From the parts that were answered; others are asked for what the verdict needs alone."""
    cells, level, coefficient = run.choices[0], run.levels[0], run.asked.correlated_by[0]
    alone = replace(run.asked, levels=(level,), coefficients=(coefficient,), among=run.among[:1])  # type: ignore[arg-type]

    def part(name: str, answer: Callable[[MetaRun], Result]) -> Any:
        try:
            return parts.get(name) or answer(replace(run, asked=alone))
        except (DataError, UsageError):
            return None  # the part itself says why, where it is asked for

    correlated: CorrelationsResult = part("correlations", correlate_all)
    ceilings: CeilingResult | None = part("ceiling", ceiling_all)
    concluded: ConclusionsResult | None = part("conclusions", agree_on_conclusions)
    by: dict[str, Any] = {"level": level, "coefficient": coefficient, "among": cells.chosen}
    made: list[Verdict] = []
    for human in cells.humans:
        name = human.info.measure
        accuracies = _accuracies(run, cells, human, level)
        beside = ceilings.of(**by, human=name) if ceilings else ()
        agreements = [
            agreement
            for agreement in (concluded.agreements if concluded else ())
            if (agreement.human.measure, agreement.among) == (name, cells.chosen)
        ]
        of_human = [
            _verdict(
                row,
                *accuracies[row.measure.measure],
                next((ceiling for ceiling in beside if ceiling.measure == row.measure), None),
                next((agreement for agreement in agreements if agreement.measure == row.measure), None),
            )
            for row in correlated.of(**by, human=name)
        ]
        made += sorted(of_human, key=lambda verdict: (math.isnan(verdict.value), -verdict.value))
    bounded = [row for row in correlated.of(**by) if row.bounded]
    mine, published = _mine_and_published(run)
    better: BetterResult | None = part("better", better_measures) if mine and published else None
    compared: list[Compared] = []
    for comparison in rows_of(better.comparisons, **by, human=cells.humans[0].info.measure) if better else ():
        compared += _compared(comparison, mine, published, best=run.asked.against_measure is None)
    return VerdictsResult(
        verdicts=tuple(made),
        compared=tuple(sorted(compared, key=lambda row: (math.isnan(row.difference), -row.difference))),
        level=level,
        coefficient=coefficient,
        among=cells.chosen,
        confidence=run.confidence,
        over=tuple(dict.fromkeys(unit for row in bounded for unit in row.over)),
        same=tuple(dict.fromkeys(unit for row in bounded for unit in row.same)),
        alpha=run.asked.alpha,
        target=cells.target,
    )


def _verdict(
    row: MeasureCorrelation,
    accuracy: float,
    pairs: int,
    beside: MeasureCeiling | None,
    agreement: ConclusionAgreement | None,
) -> Verdict:
    high = math.nan if beside is None else beside.high
    contradictions = None if agreement is None else agreement.count(OPPOSITE)
    decided, reason = grade(
        row.value,
        row.low,
        row.high,
        accuracy=accuracy,
        above_assessors=high,
        contradictions=contradictions or 0,
    )
    return Verdict(
        measure=row.measure,
        human=row.human,
        n=row.n,
        value=row.value,
        low=row.low,
        high=row.high,
        accuracy=accuracy,
        pairs=pairs,
        ceiling=math.nan if beside is None else beside.ceiling,
        difference=math.nan if beside is None else beside.difference,
        difference_low=math.nan if beside is None else beside.low,
        difference_high=high,
        contradictions=contradictions,
        tested=None if agreement is None else agreement.tested,
        grade=decided,
        reason=reason,
        why=row.why or row.why_no_interval,
    )


def _accuracies(
    run: MetaRun, cells: Cells, human: HumanCells, level: CorrelationLevel
) -> dict[str, tuple[float, int]]:
    """By measure: the share of pairs in people's order, and of how many; of the part `accuracy` the same numbers.

    Of pairs of systems (Kocmi et al. 2021), or within topics (Zopf 2018, equation 1); the global level has none.
    """
    names = [info.measure for info in cells.measures]
    if level == "system":
        means = mean_accuracies(
            human.values,
            cells.automatic,
            rng=run.draws("accuracy/means"),
            resamples=2,  # of an interval, which nobody looks at here
            clusters=cells.clusters,
        )
        return {name: (mean.value, mean.pairs) for name, mean in zip(names, means, strict=True)}
    if level == "global":
        return dict.fromkeys(names, (math.nan, 0))
    topics = agreements_by_topic(cells, human).values()
    accuracies = {}
    for at, name in enumerate(names):
        shares = np.array([topic[at].share for topic in topics])
        shares = shares[~np.isnan(shares)]
        mean = float(shares.mean()) if shares.size else math.nan
        accuracies[name] = (mean, sum(topic[at].pairs for topic in topics))
    return accuracies


# The user's own measures


def _mine_and_published(run: MetaRun) -> tuple[list[str], list[str]]:
    """The user's own measures, and those that are published, or the one that was named."""
    measures = [info.measure for info in run.cells.measures]
    mine = [name for name in measures if not is_published(name)]
    if run.asked.against_measure is None:
        return mine, [name for name in measures if name not in mine]
    assert run.scores is not None
    [against] = one_of(run.scores, run.asked.against_measure)
    if against not in measures:
        raise UsageError(f"{Argument('against_measure', against)} is people's: expected another measure")
    if not (others := [name for name in measures if name != against]):
        raise UsageError(
            f"{Argument('against_measure', against)}: there is no other measure to compare it with"
        )
    return [name for name in others if name in mine] or others, [against]


def one_of(scores: Scores, against_measure: str | None) -> list[str]:
    """The measure to compare with, if one is named."""
    if against_measure is None:
        return []
    names = scores.resolved(against_measure)
    if len(names) > 1:
        raise UsageError(
            f"{Argument('against_measure', against_measure)} can be {listed(names)}: expected one of them"
        )
    return names


def _compared(
    comparison: MeasureComparison, mine: Sequence[str], published: Sequence[str], *, best: bool
) -> Iterator[Compared]:
    """Every measure of the user's beside the published one with the highest correlation.

    Which that is, the same scores say: so p is corrected over all published ones, unless one was named.
    """
    top = next(place.measure for place in comparison.places if place.measure.measure in published)
    family = [
        pair
        for pair in comparison.pairs
        if (pair.a.measure in mine and pair.b.measure in published)
        or (pair.b.measure in mine and pair.a.measure in published)
    ]
    adjusted = adjust([pair.p for pair in family], comparison.correct)
    reachable = adjust([pair.least for pair in family], comparison.correct)
    alpha = comparison.asked.alpha
    for pair, p, least in zip(family, adjusted, reachable, strict=True):
        if top in (pair.a, pair.b):
            yield Compared(
                measure=pair.b if pair.a == top else pair.a,
                against=top,
                best=best and len(published) > 1,
                difference=-pair.difference if pair.a == top else pair.difference,
                p=float(p),
                family=len(family),
                conclusion=conclusion_of(p, p <= alpha, least <= alpha),
                lacking=pair.lacking(comparison.asked),
                why=pair.reason,
            )
