"""The human ceiling: is a measure as near to people as one assessor is to the others?

Each assessor is compared with the mean of the rest, and every measure with the same leave-one-out means. A measure is
said to be above the ceiling, or below it, only where the interval of the difference says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta.cells import POOLED, Cells, HumanCells
from adjudge.analyses.meta.options import MetaOptions
from adjudge.analyses.meta.rows import rows_of
from adjudge.analyses.meta.words import coefficient_words, over_words, where_words
from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.ceiling import CeilingCoefficient, HumanCeiling, human_ceiling
from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import CorrelationLevel

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "measure",
    "human",
    "level",
    "coefficient",
    "among",
    "n",
    "value",
    "ceiling",
    "difference",
    "low",
    "high",
)
"""n counts assessors; low and high are those of the difference."""
ACCURACY: dict[str, str] = {"input": "acc-eq", "system": "pairwise"}
"""What the share of pairs in the same order is called at each level, as among the accuracies."""
_ACCURACY_WORDS = {"acc-eq": "accuracy with ties (acc-eq, epsilon 0)", "pairwise": "pairwise accuracy"}


@dataclass(frozen=True)
class MeasureCeiling:
    """One measure beside the assessors, at one level, by one coefficient."""

    measure: MeasureInfo
    human: MeasureInfo
    level: CorrelationLevel
    coefficient: str
    among: Among
    n: int
    """Assessors over whom is averaged."""
    value: float
    """The measure with the leave-one-out means, averaged over assessors."""
    ceiling: float
    """The assessors with the same, on the cells that the measure has."""
    difference: float
    low: float
    high: float
    why: str | None = None
    why_no_interval: str | None = None

    def record(self) -> dict[str, Any]:
        names = {"measure": self.measure.measure, "human": self.human.measure}
        return names | {name: getattr(self, name) for name in COLUMNS[2:]}

    def shown(self) -> Cell:
        """`+0.120 (+0.03 to +0.21)`."""
        if math.isnan(self.difference):
            return None
        interval = "" if math.isnan(self.low) else f" ({_signed(self.low)} to {_signed(self.high)})"
        return f"{self.difference:+z.3f}{interval}"


@dataclass(frozen=True)
class AssessorsCeiling:
    """The ceiling of one human measure, at one level, by one coefficient."""

    human: MeasureInfo
    level: CorrelationLevel
    coefficient: str
    among: Among
    value: float
    """The mean over assessors."""
    by_assessor: tuple[tuple[str, float], ...]
    shared: int
    """Summaries that two assessors or more judged."""
    alone: int
    """Summaries that nobody else judged."""
    over: tuple[str, ...]
    """What intervals resample."""

    @property
    def assessors(self) -> int:
        """Who have a coefficient."""
        return sum(not math.isnan(value) for _, value in self.by_assessor)


@dataclass(frozen=True, repr=False)
class CeilingResult(Pictured, Tabular):
    """Every measure beside the assessors of every human measure."""

    FIGURES: ClassVar[Mapping[str, str]] = {"ceiling": "adjudge.analyses.meta.figures:ceiling"}

    rows: tuple[MeasureCeiling, ...]
    ceilings: tuple[AssessorsCeiling, ...]
    confidence: float
    clustered: bool
    signature: str
    notes: tuple[str, ...] = ()

    def of(
        self,
        *,
        level: str | None = None,
        coefficient: str | None = None,
        human: str | None = None,
        among: Among | None = None,
    ) -> list[MeasureCeiling]:
        """The rows of a level, coefficient, human measure and choice of systems, where these are said."""
        return rows_of(self.rows, level=level, coefficient=coefficient, human=human, among=among)

    def headline(self) -> str:
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """For each level, human measure and choice of systems, by the first coefficient: the ceiling, who is where."""
        for level in dict.fromkeys(each.level for each in self.ceilings):
            for among in dict.fromkeys(each.among for each in self.ceilings):
                yield from self._at_level(level, among)

    def _at_level(self, level: str, among: Among) -> Iterator[str]:
        seen: set[str] = set()
        for each in self.ceilings:
            if (each.level, each.among) == (level, among) and each.human.measure not in seen:
                seen.add(each.human.measure)
                yield from self._sentences(each)

    def _sentences(self, ceiling: AssessorsCeiling) -> Iterator[str]:
        by = _words(ceiling.coefficient)
        where = f"{where_words(ceiling.level, ceiling.among)}, by {by}"
        name = ceiling.human.words
        if math.isnan(ceiling.value):
            yield f"{where}, there is no human ceiling for {name}: no assessor has a coefficient with the others."
            return
        found = self.of(
            level=ceiling.level,
            coefficient=ceiling.coefficient,
            human=ceiling.human.measure,
            among=ceiling.among,
        )
        own = [each.ceiling for each in found if not math.isnan(each.ceiling)]
        differ = any(f"{each:.3f}" != f"{ceiling.value:.3f}" for each in own)
        assessors = f"averaged over {counted(ceiling.assessors, 'assessor')}"
        if not differ:
            yield (
                f"{where}, the human ceiling for {name} is {ceiling.value:.2f}: an assessor with the mean of the"
                f" others, {assessors}."
            )
        else:
            low, high = f"{min(own):.3f}", f"{max(own):.3f}"
            yield (
                f"{where}, the human ceiling for {name} is {low if low == high else f'{low} to {high}'}, an assessor"
                " with the mean of the others on the summaries that"
                f" {'the measure has' if len(own) == 1 else 'each measure has'}; on all that were judged it is"
                f" {ceiling.value:.3f}, {assessors}."
            )
        for words, which in (
            ("above the human ceiling", [each for each in found if each.low > 0]),
            ("below the human ceiling", [each for each in found if each.high < 0]),
            (
                "not significantly different from the human ceiling",
                [each for each in found if each.low <= 0 <= each.high],
            ),
        ):
            if which:
                names = [f"{each.measure.words} ({_compared(each, differ)})" for each in which]
                verb = "is" if len(which) == 1 else "are"
                yield (
                    f"{where}, {listed(names, most=9)} {verb} {words} for {name}, with {self.confidence:.0%} intervals"
                    " of the difference."
                )

    def table(self) -> Table:
        """All numbers, one row each; `tables` has one for people per level and choice of systems."""
        return Table(
            name="ceiling",
            columns=tuple(Column(name, right=None, tiny=False) for name in COLUMNS),
            rows=tuple(tuple(each.record().values()) for each in self.rows),
            title="Measures beside the human ceiling",
            said=tuple(self.sentences()),
            notes=self._notes(),
            signature=self.signature,
        )

    def tables(self) -> Tables:
        """A table per level and choice of systems: a row per human measure, measure and coefficient."""
        choices = dict.fromkeys((each.level, each.among) for each in self.ceilings)
        return Tables(tuple(self._at(*each) for each in choices), notes=self._notes())

    def _at(self, level: CorrelationLevel, among: Among) -> Table:
        rows = self.of(level=level, among=among)
        over = list(
            dict.fromkeys(name for each in self.ceilings for name in each.over if each.level == level)
        )
        if self.clustered:
            over = ["sets of topics" if name == "topics" else name for name in over]
        return Table(
            name=f"ceiling-{level}-{among}",
            columns=(
                Column("measure", right=False),
                Column("human", "with", right=False, show="varies"),
                Column("coefficient", right=False),
                Column("n", "assessors", right=True),
                Column("ceiling", f"human ceiling, {level} level", right=True, tiny=False),
                Column("value", f"measure's, {level} level", right=True, tiny=False),
                Column("shown", f"difference, {level} level", right=True, data=False),
                *(Column(name, show="never") for name in ("difference", "low", "high")),
            ),
            rows=tuple(
                (
                    each.measure.heading,
                    each.human.heading,
                    each.coefficient,
                    each.n,
                    each.ceiling,
                    each.value,
                    each.shown(),
                    each.difference,
                    each.low,
                    each.high,
                )
                for each in rows
            ),
            title=(
                f"Measures and assessors with the mean of the other assessors, {level} level, among {over_words(among)}"
                + (f"; {self.confidence:.0%} intervals of the difference over {listed(over)}" if over else "")
            ),
            said=tuple(self._at_level(level, among)),
            signature=self.signature,
        )

    def _notes(self) -> tuple[str, ...]:
        found = dict.fromkeys(self.notes)
        for each in self.ceilings:
            if each.alone:
                one, many = (
                    "summary was judged by one assessor alone",
                    "summaries were judged by one assessor alone",
                )
                found[
                    f"{each.human.words}, among {over_words(each.among)}: {counted(each.alone, one, many)}"
                    f" and left out; {each.shared:,} count"
                ] = None
            missing = [name for name, value in each.by_assessor if math.isnan(value)]
            if missing and each.assessors:
                found[
                    f"{each.human.words}, {each.level} level, {_words(each.coefficient)}, among"
                    f" {over_words(each.among)}: {listed(missing)}"
                    f" {'has' if len(missing) == 1 else 'have'} no coefficient with the others and"
                    f" {'does' if len(missing) == 1 else 'do'} not count"
                ] = None
            if each.over == ("topics",):
                found[
                    f"{each.human.words}: intervals hold for these assessors"
                    f"{' (there are two)' if len(each.by_assessor) == 2 else ''}, how far others would differ"
                    " is not in them"
                ] = None
        for row in self.rows:
            about = (
                f"{row.measure.words} with {row.human.words}, {row.level} level, {_words(row.coefficient)}, among"
                f" {over_words(row.among)}"
            )
            if row.why is not None:
                found[f"{about}: blank ({row.why})"] = None
            elif row.why_no_interval is not None:
                found[f"{about}: no interval ({row.why_no_interval})"] = None
        return tuple(found)

    def to_frame(self) -> pd.DataFrame:
        """One row per measure, human measure, level, coefficient and choice of systems."""
        import pandas as pd

        return pd.DataFrame([each.record() for each in self.rows], columns=list(COLUMNS))

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "confidence": self.confidence,
                "rows": [
                    {**each.record(), "why": each.why, "why_no_interval": each.why_no_interval}
                    for each in self.rows
                ],
                "ceilings": [
                    {
                        "human": each.human.measure,
                        "level": each.level,
                        "coefficient": each.coefficient,
                        "among": each.among,
                        "value": each.value,
                        "by_assessor": dict(each.by_assessor),
                        "shared": each.shared,
                        "alone": each.alone,
                        "over": each.over,
                    }
                    for each in self.ceilings
                ],
                "sentences": list(self.sentences()),
                "notes": list(self._notes()),
                "signature": self.signature,
            }
        )
        return found


def _signed(value: float) -> str:
    """`+0.12`; with more decimals where two would hide on which side of 0 it is."""
    for digits in (2, 3, 4):
        text = f"{value:+.{digits}f}"
        if float(text):
            return text
    return f"{value:+z.2f}"


def _compared(row: MeasureCeiling, differ: bool) -> str:
    """The difference and its interval; where measures have ceilings of their own, both numbers before it."""
    both = f"{row.value:.3f} and {row.ceiling:.3f}: " if differ else ""
    return f"{both}{_signed(row.difference)}; {_signed(row.low)} to {_signed(row.high)}"


def _words(coefficient: str) -> str:
    return _ACCURACY_WORDS.get(coefficient) or coefficient_words(coefficient)


def ceiling_all(cells: Cells, options: MetaOptions) -> CeilingResult:
    """Every measure beside the human ceiling, at every level and by every coefficient that was asked for.

    Also by pairwise accuracy, at the system level and within topics. A human measure without two assessors has no
    ceiling, and a note says so; where none has one, that is an error.
    """
    rows: list[MeasureCeiling] = []
    ceilings: list[AssessorsCeiling] = []
    notes: list[str] = []
    absent: list[str] = []
    for human in cells.humans:
        names, _ = _panel(human)
        if len(names) < 2:
            who = "name no assessor" if not names else f"come from one assessor ({names[0]})"
            absent.append(f"there is no human ceiling for {human.info.words}: its judgments {who}")
        elif POOLED in human.assessors:
            notes.append(f"{human.info.words}: judgments that name no assessor are not in the human ceiling")
    if len(absent) == len(cells.humans):
        raise DataError("; ".join(absent))
    for level in options.levels:
        for among in options.among:
            own = cells.among(among)
            for human in own.humans:
                if len(_panel(human)[0]) > 1:
                    for name, how in _coefficients(level, options):
                        _add(rows, ceilings, own, human, level, name, how, among, options)
    over = "topics" if cells.clusters is None else "sets"
    return CeilingResult(
        rows=tuple(rows),
        ceilings=tuple(ceilings),
        confidence=1 - options.alpha,
        clustered=cells.clusters is not None,
        signature=(
            f"ceiling|leave-one-out|t:satterthwaite|bootstrap:{over}:{options.interval_resamples}|jackknife:assessors"
            f"|global:jackknife:{over}|seed:{options.seed}|v:{__version__}"
        ),
        notes=(*absent, *notes),
    )


def _coefficients(level: str, options: MetaOptions) -> Iterator[tuple[str, CeilingCoefficient]]:
    """Names, and what they are to the mathematics."""
    yield from ((each, each) for each in options.coefficients)
    if level in ACCURACY:
        yield ACCURACY[level], "pairwise"


def _panel(human: HumanCells) -> tuple[tuple[str, ...], FloatArray]:
    """The assessors who judged anything, by name."""
    kept = [
        k
        for k, name in enumerate(human.assessors)
        if name != POOLED and not np.isnan(human.by_assessor[k]).all()
    ]
    return tuple(human.assessors[k] for k in kept), human.by_assessor[kept]


def _add(
    rows: list[MeasureCeiling],
    ceilings: list[AssessorsCeiling],
    cells: Cells,
    human: HumanCells,
    level: CorrelationLevel,
    name: str,
    how: CeilingCoefficient,
    among: Among,
    options: MetaOptions,
) -> None:
    names, judged = _panel(human)
    found = human_ceiling(
        cells.automatic,
        judged,
        level=level,
        coefficient=how,
        rng=generator(options.seed, "meta/ceiling"),
        resamples=options.interval_resamples,
        confidence=1 - options.alpha,
        clusters=cells.clusters,
    )
    ceilings.append(
        AssessorsCeiling(
            human=human.info,
            level=level,
            coefficient=name,
            among=among,
            value=found.ceiling,
            by_assessor=tuple(zip(names, found.by_assessor.tolist(), strict=True)),
            shared=found.shared,
            alone=found.alone,
            over=found.over,
        )
    )
    rows += _rows(cells.measures, human, level, name, among, found)


def _rows(
    measures: Sequence[MeasureInfo],
    human: HumanCells,
    level: CorrelationLevel,
    name: str,
    among: Among,
    found: HumanCeiling,
) -> Iterator[MeasureCeiling]:
    for m, measure in enumerate(measures):
        yield MeasureCeiling(
            measure=measure,
            human=human.info,
            level=level,
            coefficient=name,
            among=among,
            n=int(found.assessors[m]),
            value=float(found.values[m]),
            ceiling=float(found.ceilings[m]),
            difference=float(found.difference[m]),
            low=float(found.low[m]),
            high=float(found.high[m]),
            why=found.why[m],
            why_no_interval=found.why_no_interval[m],
        )
