"""Scores and judgments in, conclusions out: a folder per analysis.

An analysis is declared in the `__init__` of its folder; `declaration("topics")` gives the class.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjudge import ANALYSES

if TYPE_CHECKING:
    from adjudge.analyses.base import AnyAnalysis

DECLARED = {name: folder for name, folder in ANALYSES.items() if name != "figure"}
"""The analyses that are declared: by the name of the public function, the folder."""


def declaration(function: str) -> type[AnyAnalysis[Any]]:
    """The declaration of an analysis, by the name of its public function."""
    module = import_module(f"adjudge.analyses.{DECLARED[function]}")
    declared: type[AnyAnalysis[Any]] = getattr(module, function).declaration
    return declared
