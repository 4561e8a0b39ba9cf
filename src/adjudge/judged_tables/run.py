"""All tables that a collection's judgments give. Each is made in a module of its own."""

from __future__ import annotations

from adjudge.data.collection import Collection
from adjudge.judged_tables.agreement import agreement
from adjudge.judged_tables.averages import ALPHA
from adjudge.judged_tables.contradictions import contradictions
from adjudge.judged_tables.coverage import (
    coverage_by_source,
    coverage_by_system,
    human_retention,
    uncovered_by_source,
    unmarked_by_source,
)
from adjudge.judged_tables.gathered import gather
from adjudge.judged_tables.quality import answers_by_question, quality_by_source
from adjudge.judged_tables.ratings import ratings_by_assessor, ratings_by_system
from adjudge.judged_tables.table import Tables
from adjudge.measures.batches import Judgments


def judged_tables(
    collection: Collection, judgments: Judgments, *, alpha: float = ALPHA, seed: int = 0
) -> Tables:
    """Every table that applies; none, where nothing of the kind was judged."""
    own = gather(collection, judgments)
    found = (
        quality_by_source(own, alpha=alpha),
        *answers_by_question(own),
        coverage_by_source(own, alpha=alpha),
        coverage_by_system(own, alpha=alpha),
        human_retention(own, alpha=alpha),
        uncovered_by_source(own),
        unmarked_by_source(own),
        ratings_by_assessor(own, alpha=alpha),
        ratings_by_system(own, alpha=alpha),
        agreement(own, alpha=alpha, seed=seed),
        contradictions(own),
    )
    return Tables(tuple(table for table in found if table is not None), own.notes())
