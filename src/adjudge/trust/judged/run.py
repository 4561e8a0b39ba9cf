"""All tables that a collection's judgments give. Each is made in a module of its own."""

from __future__ import annotations

from adjudge.data.collection import Collection
from adjudge.judgments.batch import Judgments
from adjudge.table import Tables
from adjudge.trust.judged.agreement import agreement
from adjudge.trust.judged.averages import ALPHA
from adjudge.trust.judged.contradictions import contradictions
from adjudge.trust.judged.coverage import (
    coverage_by_source,
    coverage_by_system,
    human_retention,
    uncovered_by_source,
    unmarked_by_source,
)
from adjudge.trust.judged.gathered import gather
from adjudge.trust.judged.quality import answers_by_question, quality_by_source
from adjudge.trust.judged.ratings import ratings_by_assessor, ratings_by_system


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
