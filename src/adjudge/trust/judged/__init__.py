"""Judgments as tables, the way DUC-2002 prints them; agreement at a glance; a tidy frame for models.

gathered        every judgment once, with its source, task and protocol
averages        n, mean, interval, median
quality         errors by source, answers by question
coverage        coverage, human peers' retention, uncovered and unmarked units
ratings         by assessor and by system
agreement       Krippendorff's alpha of every question
contradictions  answers that contradict themselves
run             all of them
table           the frozen result
tidy            scores with everything that is known of them

Scores of judgments are measures (measures/judged/); these tables say what people answered. Over and Liggett 2002.
"""

from __future__ import annotations

from adjudge.table import Column, Table, Tables
from adjudge.trust.judged.agreement import agreement
from adjudge.trust.judged.contradictions import contradictions
from adjudge.trust.judged.coverage import (
    coverage_by_source,
    coverage_by_system,
    human_retention,
    uncovered_by_source,
    unmarked_by_source,
)
from adjudge.trust.judged.gathered import Gathered, gather
from adjudge.trust.judged.quality import answers_by_question, quality_by_source
from adjudge.trust.judged.ratings import ratings_by_assessor, ratings_by_system
from adjudge.trust.judged.run import judged_tables
from adjudge.trust.judged.tidy import tidy

__all__ = [
    "Column",
    "Gathered",
    "Table",
    "Tables",
    "agreement",
    "answers_by_question",
    "contradictions",
    "coverage_by_source",
    "coverage_by_system",
    "gather",
    "human_retention",
    "judged_tables",
    "quality_by_source",
    "ratings_by_assessor",
    "ratings_by_system",
    "tidy",
    "uncovered_by_source",
    "unmarked_by_source",
]
