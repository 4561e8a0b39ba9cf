"""Scores and judgments in, conclusions out: a folder per analysis.

An analysis is declared in the `__init__` of its folder; `declaration("topics")` gives the class.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.analyses.base import Analysis

DECLARED = {
    "compare": "compare",
    "compare_all": "compare",
    "counts": "counts",
    "compare_corrected": "corrected",
    "topics": "topics",
    "slices": "slices",
    "agreement": "agreement",
    "examples": "examples",
    "mismatch": "mismatch",
    "plan": "plan",
    "dossiers": "assessors",
    "stability": "stability",
}
"""The analyses that are declared: by the name of the public function, the folder."""


def declaration(function: str) -> type[Analysis[Any]]:
    """The declaration of an analysis, by the name of its public function."""
    module = import_module(f"adjudge.analyses.{DECLARED[function]}")
    declared: type[Analysis[Any]] = getattr(module, function).declaration
    return declared
