"""Scores and judgments in, conclusions out: a folder per analysis.

An analysis is declared in the `__init__` of its folder; `declaration("topics")` gives the class.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.analyses.base import Analysis

DECLARED = ("topics", "slices")
"""The folders of analyses that are declared, in the order of the help."""


def declaration(name: str) -> type[Analysis[Any]]:
    """The declaration of an analysis, by the name of its folder."""
    function = getattr(import_module(f"adjudge.analyses.{name}"), name)
    found: type[Analysis[Any]] = function.declaration
    return found
