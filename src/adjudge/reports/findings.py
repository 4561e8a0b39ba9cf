"""All that a report tells: finished results, and of what is absent why. Gathered in `reports.computed`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adjudge.data.collection import Collection
from adjudge.reports.chapter import Absent

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.scores import Scores

NOT_ASKED = Absent("it was not asked for")


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Results of every analysis that the page shows; each is there, or says why not."""

    collection: Collection
    comparisons: Sequence[Comparison]
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    scores: Scores | None = None
    conditions: Sequence[Any] = ()
    cost: Any = None
    slices: Any = NOT_ASKED
    examples: Any = NOT_ASKED
    trusted: Mapping[str, Any] = field(default_factory=dict)
    """By name: stability, agreement, assessors, judges."""
    meta: Any = NOT_ASKED
