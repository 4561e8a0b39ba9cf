"""Measures: one module per measure or family, the spec language, the registry, and scoring (run).

What a measure of one's own needs is importable from here: the class `Measure`, what it is given (`TopicBatch` with its
`Topic`, `Summary`, `Document` and `Unit`), what it gives (`Score`), and the decorator `measure` for plain functions.
Names are loaded at first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.data.rows import Document, Summary, Topic, Unit
    from adjudge.data.scores import Score
    from adjudge.judgments.batch import TopicBatch
    from adjudge.measures.base import Measure, UnitMatch, no_reference
    from adjudge.measures.plugin import measure

__all__ = [
    "Document",
    "Measure",
    "Score",
    "Summary",
    "Topic",
    "TopicBatch",
    "Unit",
    "UnitMatch",
    "measure",
    "no_reference",
]

_MODULES = {
    "Document": "adjudge.data.rows",
    "Measure": "adjudge.measures.base",
    "Score": "adjudge.data.scores",
    "Summary": "adjudge.data.rows",
    "Topic": "adjudge.data.rows",
    "TopicBatch": "adjudge.judgments.batch",
    "Unit": "adjudge.data.rows",
    "UnitMatch": "adjudge.measures.base",
    "measure": "adjudge.measures.plugin",
    "no_reference": "adjudge.measures.base",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
