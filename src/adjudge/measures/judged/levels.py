"""Coverage by the level of model units: those that an author keeps in short references against the rest.

How units get levels: judgments/levels.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

from adjudge.data.rows import Unit
from adjudge.errors import UsageError
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.levels import author_lengths, level_of
from adjudge.judgments.tasks import TextRef, units_of
from adjudge.measures.base import Need
from adjudge.measures.judged.answers import Page, protocol_of
from adjudge.measures.judged.coverage import OVER_LIGGETT, JudgedCoverage
from adjudge.wording import counted

NO_LEVELS = (
    "the reference's units have no levels (adjudge units --levels, where authors wrote several lengths)"
)


@dataclass(frozen=True)
class LevelCoverage(JudgedCoverage):
    """What both share: a page's model units with their levels."""

    uses: ClassVar[frozenset[Need]] = frozenset({"units", "references"})

    def of(self, page: Page, batch: TopicBatch) -> tuple[float, str | None]:
        if not page.completeness:
            return self.summed(page)
        units = model_units(page, batch)
        levels = [level for unit in units if (level := level_of(unit)) is not None]
        if not levels:
            return math.nan, NO_LEVELS
        if len(levels) < len(units):
            return (
                math.nan,
                f"{len(units) - len(levels)} of {counted(len(units), 'model unit')} have no level",
            )
        return self.of_levels(levels, page, batch)

    def of_levels(self, levels: Sequence[int], page: Page, batch: TopicBatch) -> tuple[float, str | None]:
        """The value of a page all of whose units have levels."""
        raise TypeError(f"{type(self).__name__} does not say what it makes of levels")


@dataclass(frozen=True)
class CoverageByLevel(LevelCoverage):
    """The average completeness of the model units of one level.

    level   the shortest reference length at which the units still appear
    """

    level: int = 50

    FAMILY = "coverage-by-level"
    ABOUT = "coverage of the units that references of one length still hold, as judged"
    CITATION = OVER_LIGGETT
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {"level": ("50",)}

    def __post_init__(self) -> None:
        if self.level < 1:
            raise UsageError(f"{self.name}: level={self.level}; expected a target length in words")

    def of_levels(self, levels: Sequence[int], page: Page, batch: TopicBatch) -> tuple[float, str | None]:
        own = [share for share, level in zip(page.completeness, levels, strict=True) if level == self.level]
        if not own:
            return math.nan, f"the reference has no unit of level {self.level}"
        return fmean(own), None


@dataclass(frozen=True)
class LevelWeightedCoverage(LevelCoverage):
    """Coverage in which a model unit weighs as many as the target lengths at which its author has it: of the lengths
    200, 100, 50 and 10 a unit of level 10 weighs 4, one of level 200 weighs 1.
    """

    FAMILY = "level-weighted-coverage"
    ABOUT = "coverage in which units that short references still hold weigh more, as judged"
    CITATION = OVER_LIGGETT

    def of_levels(self, levels: Sequence[int], page: Page, batch: TopicBatch) -> tuple[float, str | None]:
        wanted = page.judged.task.reference
        reference = next((r for r in batch.references if TextRef(r.system, r.length) == wanted), None)
        lengths = author_lengths(reference, batch.references)
        weights = [sum(length >= level for length in lengths) for level in levels]
        if not all(weights):
            return math.nan, "a unit's level is longer than all of its author's references"
        total = math.fsum(weight * share for weight, share in zip(weights, page.completeness, strict=True))
        return total / sum(weights), None


def model_units(page: Page, batch: TopicBatch) -> list[Unit]:
    """The reference's units, in the order of the page's completeness; none where they are not in the collection."""
    task = page.judged.task
    if task.reference is None:
        return []
    return units_of(batch.units, task.reference, protocol_of(batch, task.protocol).model_units)
