"""Scores and judgments in, conclusions out: a folder per analysis.

An analysis is declared in the `__init__` of its folder; `declaration("topics")` gives the class.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.analyses.base import AnyAnalysis

DECLARED = {
    "compare": "compare",
    "compare_all": "compare",
    "counts": "counts",
    "compare_corrected": "corrected",
    "groups": "groups",
    "lengths": "lengths",
    "simulate": "simulate",
    "anova": "anova",
    "anova_ordinal": "anova",
    "topics": "topics",
    "slices": "slices",
    "agreement": "agreement",
    "examples": "examples",
    "mismatch": "mismatch",
    "plan": "plan",
    "dossiers": "assessors",
    "stability": "stability",
    "prefer": "preferences",
    "prefer_corrected": "corrected",
    "preferences_needed": "preferences",
    "preference_tables": "preferences",
    "judged_tables": "judged",
    "judge_report": "judges",
    "judge_drift": "drift",
    "meta": "meta",
}
"""The analyses that are declared: by the name of the public function, the folder."""


def declaration(function: str) -> type[AnyAnalysis[Any]]:
    """The declaration of an analysis, by the name of its public function."""
    module = import_module(f"adjudge.analyses.{DECLARED[function]}")
    declared: type[AnyAnalysis[Any]] = getattr(module, function).declaration
    return declared
