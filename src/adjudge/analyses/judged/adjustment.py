"""What length adjustment does to coverage and ranks. Over and Liggett 2002, "Effect of length-adjustment by system"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan, nan
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

from adjudge.analyses.gathered import (
    PART,
    SOURCE,
    Gathered,
    JudgedPeer,
    Part,
    in_order,
    judged_in,
    signed,
)
from adjudge.analyses.judged.parts import JudgedResult, missing_notes
from adjudge.analyses.scores import Source
from adjudge.core.errors import UsageError, quoted
from adjudge.core.results import Note
from adjudge.core.table import Column, Table
from adjudge.core.words import natural
from adjudge.judgments.protocol import Protocol
from adjudge.measures.judged.coverage import AdjustedCoverage, Coverage
from adjudge.measures.registry import parse_measure

if TYPE_CHECKING:
    from adjudge.stats.checks import FloatArray

TABLE = "length-adjustment"


@dataclass(frozen=True)
class AdjustedSystem:
    """A system's coverage before and after length adjustment, and its ranks."""

    source: str
    system: str
    topics: int
    coverage: float
    adjusted: float
    gains: tuple[float, ...]
    """Of every summary, assessors and references averaged: adjusted coverage less coverage."""
    rank: int | None
    """By coverage; None where systems cannot be ranked together."""
    adjusted_rank: int | None

    @property
    def gain(self) -> float:
        return self.adjusted - self.coverage

    @property
    def moved(self) -> bool:
        return self.rank != self.adjusted_rank


@dataclass(frozen=True)
class AdjustedPart:
    """The systems of one protocol, task, length and form, from the best on by coverage."""

    part: Part
    systems: tuple[AdjustedSystem, ...]
    topics: int
    ranked: bool
    """Whether topics connect the systems, so that they can be ranked."""

    @property
    def missing(self) -> dict[str, int]:
        """Topics that a system has no score on."""
        return {s.system: self.topics - s.topics for s in self.systems if s.topics < self.topics}


@dataclass(frozen=True, repr=False, kw_only=True)
class LengthAdjustment(JudgedResult):
    """Coverage beside length-adjusted coverage, system by system.

    A summary's value is the mean over references, then assessors; a system's the mean over topics, adjusted for
    topics where some are missing.
    """

    measure: AdjustedCoverage
    parts: tuple[AdjustedPart, ...]
    protocols: tuple[Protocol, ...]

    FIGURES: ClassVar[Mapping[str, str]] = {
        "length-adjustment": "adjudge.analyses.judged.figures:length_adjustment",
        "length-gains": "adjudge.analyses.judged.figures:length_gains",
    }

    def tables(self) -> Iterator[Table]:
        yield Table.of(
            TABLE,
            (
                (
                    *(*part.part, s.source, s.system, s.topics, s.coverage, s.adjusted),
                    *(s.gain, min(s.gains), max(s.gains), s.rank, s.adjusted_rank),
                )
                for part in self.parts
                for s in part.systems
            ),
            *PART,
            SOURCE,
            "system topics coverage adjusted",
            Column("gain", "difference", format="+.3f"),
            Column("least_gain", "least", format="+.3f"),
            Column("most_gain", "most", format="+.3f"),
            "rank",
            Column("adjusted_rank", "rank adjusted"),
            title="Coverage before and after length adjustment",
            signature=signed(str(self.measure), self.protocols),
        )


def length_adjustment(
    source: Source | Gathered,
    measure: str | None = None,
    *,
    length: int | None = None,
    form: str | None = None,
) -> LengthAdjustment:
    """What length adjustment changes: `length_adjustment("my-eval")`; other weights as the measure's options."""
    adjusted = AdjustedCoverage() if measure is None else parse_measure(measure)
    if not isinstance(adjusted, AdjustedCoverage) or adjusted.named_judge:
        raise UsageError(
            f"{quoted(str(measure))} is no length-adjusted coverage by people, such as length-adjusted-coverage"
        )
    gathered = judged_in(source, length=length, form=form)
    both = zip(gathered.scored(Coverage(stat=adjusted.stat)), gathered.scored(adjusted), strict=True)
    rows = [(entry, plain.value, other.value, plain.why or other.why) for (entry, plain), (_, other) in both]
    parts: dict[Part, list[tuple[JudgedPeer, float, float]]] = {}
    for entry, plain_value, value, _ in rows:
        if not isnan(plain_value) and not isnan(value):
            parts.setdefault(entry.part, []).append((entry, plain_value, value))
    adjusted_parts = tuple(_part(part, parts[part]) for part in in_order(parts))
    return LengthAdjustment(
        measure=adjusted,
        parts=adjusted_parts,
        protocols=tuple({e.protocol.name: e.protocol for e, *_ in rows}.values()),
        remarks=(
            *missing_notes((why for *_, why in rows), TABLE),
            *(
                Note.of("topics-missing", part=part.part, topics=part.missing, ranked=part.ranked).on(TABLE)
                for part in adjusted_parts
                if part.missing
            ),
        ),
    )


def _part(part: Part, rows: list[tuple[JudgedPeer, float, float]]) -> AdjustedPart:
    from adjudge.stats.order import places

    pages: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    sources: dict[str, str] = {}
    for entry, plain, adjusted in rows:
        sources[entry.system] = entry.source
        of = pages.setdefault((entry.system, entry.judged.task.topic), {})
        of.setdefault(entry.assessor, []).append((plain, adjusted))
    # As scores are pooled everywhere: over references, then over assessors.
    cells = {
        key: tuple(fmean(fmean(page[at] for page in scores) for scores in people.values()) for at in (0, 1))
        for key, people in pages.items()
    }
    systems = sorted(sources, key=natural)
    topics = sorted({topic for _, topic in cells})
    both_means, ranked = _means(cells, topics, systems)
    ranks = [places([-m for m in means]).tolist() if ranked else [None] * len(means) for means in both_means]
    adjusted_systems = [
        AdjustedSystem(
            source=sources[system],
            system=system,
            topics=sum(name == system for name, _ in cells),
            coverage=both_means[0][k],
            adjusted=both_means[1][k],
            gains=tuple(
                after - before for (name, _), (before, after) in sorted(cells.items()) if name == system
            ),
            rank=ranks[0][k],
            adjusted_rank=ranks[1][k],
        )
        for k, system in enumerate(systems)
    ]
    adjusted_systems.sort(key=lambda system: -system.coverage)
    return AdjustedPart(part=part, systems=tuple(adjusted_systems), topics=len(topics), ranked=ranked)


def _means(
    cells: Mapping[tuple[str, str], tuple[float, ...]], topics: list[str], systems: list[str]
) -> tuple[list[list[float]], bool]:
    """Of both measures, the means of systems, and whether topics connect them; if not, of each system's own topics."""
    import numpy as np

    from adjudge.stats.linear.model import fit_additive

    both_means = []
    ranked = True
    for at in (0, 1):
        matrix: FloatArray = np.array([[cells.get((s, t), (nan, nan))[at] for s in systems] for t in topics])
        means = np.nanmean(matrix, axis=0)
        if np.isnan(matrix).any():
            fit = fit_additive(matrix)
            ranked = fit.parts == 1
            means = fit.means if ranked else means
        # Equal scores that were added up in another order must not differ by rounding.
        both_means.append([round(float(mean), 12) for mean in means])
    return both_means, ranked
