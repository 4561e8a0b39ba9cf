"""How completely model units are covered, unit by unit and page by page, by source. Over and Liggett 2002."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import nan
from statistics import quantiles
from typing import ClassVar

from adjudge.analyses.gathered import (
    ALPHA,
    PART,
    SOURCE,
    SOURCES,
    Average,
    Gathered,
    Part,
    average,
    grouped,
    in_order,
    interval_words,
    judged_in,
    signed,
)
from adjudge.analyses.judged.parts import JudgedResult, mean_cells, mean_columns, missing_notes
from adjudge.analyses.scores import Source
from adjudge.core.table import Column, Table
from adjudge.judgments.protocol import Choice, Protocol
from adjudge.measures.judged.coverage import ONLY_SUMS, Coverage

ALL = "all"
"""Every source together."""
SPREAD = "coverage-quartiles"


# Units


@dataclass(frozen=True)
class CoveredUnits:
    """How many model units of one source's pages were given each completeness."""

    part: Part
    source: str
    """systems, baselines or humans; or all."""
    counts: Mapping[float, int]
    """By completeness, the least first: the whole scale."""

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    def share(self, value: float) -> float:
        return self.counts[value] / self.n if self.n else nan

    @property
    def none(self) -> float:
        """The share of which nothing is expressed."""
        return self.share(min(self.counts))

    @property
    def full(self) -> float:
        """The share of which everything is."""
        return self.share(max(self.counts))


@dataclass(frozen=True, repr=False, kw_only=True)
class UnitCoverage(JudgedResult):
    """The distribution of completeness over model units: of all units together, as DUC-2002 counted them."""

    rows: tuple[CoveredUnits, ...]
    protocols: Mapping[str, Protocol]

    FRAME = "completeness"
    FIGURES: ClassVar[Mapping[str, str]] = {"unit-coverage": "adjudge.analyses.judged.figures:unit_coverage"}

    def scale(self, protocol: str) -> tuple[Choice, ...]:
        """The answers to choose from, the least first; one that was given and is none of them goes by its number."""
        question = self.protocols[protocol].completeness
        labels = {float(c.value): c.label for c in question.choices} if question else {}
        values = {value for row in self.rows if row.part[0] == protocol for value in row.counts}
        return tuple(Choice(value, labels.get(value, f"{value:g}")) for value in sorted(values | set(labels)))

    def tables(self) -> Iterator[Table]:
        """One for every protocol, as each has a scale of its own."""
        if not self.protocols:
            yield Table("unit-coverage", (SOURCE,), ())
        for name, protocol in self.protocols.items():
            scale = self.scale(name)
            yield Table.of(
                _table_name(name),
                (
                    (
                        *(*row.part, row.source, row.n),
                        *(row.counts[float(choice.value)] for choice in scale),
                        *(row.none, row.full),
                    )
                    for row in self.rows
                    if row.part[0] == name
                ),
                *PART,
                SOURCE,
                Column("units", "model units"),
                *(Column(str(choice.value), choice.label) for choice in scale),
                Column("none", "share with none"),
                Column("full", "share with all"),
                title="Model units by completeness",
                signature=signed("unit-coverage", [protocol], "units:pooled"),
            )

    def on_demand(self) -> dict[str, Callable[[], Table]]:
        """A row per source and completeness: how many units, and which share of the source's."""
        labels = {name: {float(c.value): c.label for c in self.scale(name)} for name in self.protocols}
        rows = [
            (*row.part, row.source, value, labels[row.part[0]][value], n, row.share(value))
            for row in self.rows
            for value, n in row.counts.items()
        ]
        columns = "protocol task length form source completeness label units share"
        return {self.FRAME: lambda: Table.of(self.FRAME, rows, columns)}


def _table_name(protocol: str) -> str:
    return f"unit-coverage-{protocol}"


def unit_coverage(
    source: Source | Gathered, *, length: int | None = None, form: str | None = None
) -> UnitCoverage:
    """How often each completeness was given, by source: `unit_coverage("my-eval")`. Tasks, lengths and forms apart."""
    gathered = judged_in(source, length=length, form=form)
    counts: dict[Part, dict[str, Counter[float]]] = {}
    protocols: dict[str, Protocol] = {}
    reasons = []
    for entry, page, _ in gathered.coverage:
        if entry.protocol.completeness is None:
            continue
        protocols[entry.protocol.name] = entry.protocol
        usable = page.why() is None and bool(page.completeness)
        reasons.append(None if usable else page.why() or ONLY_SUMS)
        of_source = counts.setdefault(entry.part, {}).setdefault(entry.source, Counter())
        of_source.update(page.completeness if usable else ())
    scales = {
        name: {float(value) for value in protocol.completeness.values}
        for name, protocol in protocols.items()
        if protocol.completeness is not None
    }
    for part, by_source in counts.items():
        scales[part[0]].update(*by_source.values())
    rows = []
    for part in in_order(counts):
        sources = {name: counts[part][name] for name in SOURCES.values() if name in counts[part]}
        if len(sources) > 1:
            sources[ALL] = sum(sources.values(), Counter())
        rows += [
            CoveredUnits(
                part=part, source=name, counts={value: tally[value] for value in sorted(scales[part[0]])}
            )
            for name, tally in sources.items()
        ]
    return UnitCoverage(
        rows=tuple(rows),
        protocols=dict(sorted(protocols.items())),
        remarks=missing_notes(reasons, *map(_table_name, protocols)),
    )


# Pages


@dataclass(frozen=True)
class PageSpread:
    """How coverage is spread over the pages of a system, or of a whole source."""

    part: Part
    source: str
    system: str | None
    """None: all of the source."""
    values: tuple[float, ...]
    """The mean completeness of every page, the least first."""
    average: Average

    @property
    def name(self) -> str:
        return f"all {self.source}" if self.system is None else self.system

    @cached_property
    def quartiles(self) -> tuple[float, float, float]:
        """By linear interpolation between order statistics."""
        if len(self.values) < 2:
            return (self.average.median,) * 3
        low, middle, high = quantiles(self.values, n=4, method="inclusive")
        return low, middle, high

    @property
    def whiskers(self) -> tuple[float, float]:
        """The farthest values that lie within one and a half box lengths of the box (Tukey 1977)."""
        if not self.values:
            return nan, nan
        low, _, high = self.quartiles
        reach = 1.5 * (high - low)
        within = [value for value in self.values if low - reach <= value <= high + reach]
        # Of few values the quartiles may lie between two of them, and none within reach beyond the box.
        return min([low, *within]), max([high, *within])

    @property
    def beyond(self) -> tuple[float, ...]:
        """The values that the whiskers do not reach."""
        low, high = self.whiskers
        return tuple(value for value in self.values if value < low or value > high)


@dataclass(frozen=True, repr=False, kw_only=True)
class CoverageSpread(JudgedResult):
    """Box plots of coverage in numbers: of every system, and of systems, baselines and humans as a whole."""

    rows: tuple[PageSpread, ...]
    protocols: tuple[Protocol, ...]
    alpha: float

    FIGURES: ClassVar[Mapping[str, str]] = {
        "coverage-by-source": "adjudge.analyses.judged.figures:coverage_by_source"
    }

    def tables(self) -> Iterator[Table]:
        yield Table.of(
            SPREAD,
            (
                (
                    *(*row.part, row.source, row.system, row.name, *mean_cells(row.average)),
                    *(row.whiskers[0], *row.quartiles, row.whiskers[1], len(row.beyond)),
                )
                for row in self.rows
            ),
            *PART,
            SOURCE,
            Column("system", show="never"),
            Column("name", "system"),
            *mean_columns(self.alpha),
            Column("whisker_low", "whisker from"),
            Column("q1", "quartile 1"),
            "median",
            Column("q3", "quartile 3"),
            Column("whisker_high", "whisker to"),
            "beyond",
            title="Coverage of pages: means and quartiles",
            signature=signed(SPREAD, self.protocols, interval_words(self.alpha), "whiskers:1.5iqr"),
        )


def coverage_spread(
    source: Source | Gathered,
    *,
    length: int | None = None,
    form: str | None = None,
    alpha: float = ALPHA,
) -> CoverageSpread:
    """Quartiles and means of the coverage of pages, by source and system; tasks, lengths and forms apart."""
    rows = list(judged_in(source, length=length, form=form).scored(Coverage()))
    by_system = grouped(((*e.part, e.source, e.system), score.value) for e, score in rows)
    by_source = grouped(((*e.part, e.source), score.value) for e, score in rows)
    spreads: list[PageSpread] = []
    for key in in_order(by_source):
        part, name = key[:4], key[4]
        systems = {k[5]: by_system[k] for k in in_order(by_system) if k[:5] == key}
        for system, values in ((None, by_source[key]), *systems.items()):
            spreads.append(
                PageSpread(
                    part=part,
                    source=name,
                    system=system,
                    values=tuple(sorted(values)),
                    average=average(values, alpha),
                )
            )
    return CoverageSpread(
        rows=tuple(spreads),
        protocols=tuple({e.protocol.name: e.protocol for e, _ in rows}.values()),
        alpha=alpha,
        remarks=missing_notes((score.why for _, score in rows), SPREAD),
    )
