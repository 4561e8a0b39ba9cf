"""A report from scores: every analysis that it shows is run here, in the order of its chapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.data.reading import reading_once
from adjudge.reports.chapter import Chapter
from adjudge.reports.computed import conditions, differences, trusted
from adjudge.reports.findings import Findings

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.scores import Scores
    from adjudge.data.collection import Collection

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What a reader may choose of the report, beyond the options of the comparisons."""

    between: tuple[str, ...] = ()
    """The two systems whose texts stand side by side; the first and the best that differs from it unless given."""
    quick: bool = False
    """Only the comparisons: no analysis of judgments and measures."""
    alpha: float = 0.05
    level: float = 0.95
    seed: int = 0


@reading_once()
def gather(
    collection: Collection,
    scores: Scores,
    comparisons: Sequence[Comparison],
    notes: Mapping[str, Sequence[str]],
    options: ReportOptions,
    *,
    progress: Progress = lambda done, of: None,
) -> Findings:
    """Everything that the page tells."""
    found = Findings(collection=collection, comparisons=comparisons, notes=notes, scores=scores)
    steps = (differences.add, trusted.add, conditions.add)
    for done, step in enumerate(steps):
        progress(done, len(steps))
        found = step(found, options)
    progress(len(steps), len(steps))
    return found


def chapters_of(found: Findings) -> tuple[Chapter, ...]:
    """The chapters behind the league tables, in the order of the page."""
    return (*differences.chapters(found), *trusted.chapters(found))
