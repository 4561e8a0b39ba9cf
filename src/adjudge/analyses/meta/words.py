"""How the parts of a meta-evaluation name levels, coefficients and systems: one wording for all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from adjudge.core.words import counted

if TYPE_CHECKING:
    from adjudge.stats.correlation import Coefficient, CorrelationLevel

LEVELS: tuple[CorrelationLevel, ...] = ("system", "input", "global")
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall-b", "kendall-c")

NAMED = ("set", "type", "task", "selector", "length")
MEASURED = ("source length", "compression", "copy rate")
PROPERTIES = (*NAMED, *MEASURED)
"""What slices of topics are by: what is said of a topic, and what its texts tell."""

LEVEL_WORDS = {
    "system": "systems' means over topics",
    "input": "summaries of one topic, averaged over topics",
    "global": "all summaries at once",
}
_NAMES = {
    "pearson": ("Pearson's r", "Pearson"),
    "spearman": ("Spearman's rho", "Spearman"),
    "kendall-b": ("Kendall's tau-b", "Kendall b"),
    "kendall-c": ("Kendall's tau-c", "Kendall c"),
}


def coefficient_words(coefficient: str, *, short: bool = False) -> str:
    """`Kendall's tau-b`; in a heading `Kendall b`."""
    return _NAMES[coefficient][short]


def n_words(level: str, n: int) -> str:
    """`12 systems`: what a level counts."""
    return counted(
        n, *{"system": ("system",), "input": ("topic",), "global": ("summary", "summaries")}[level]
    )


def over_words(among: str) -> str:
    """Which systems were looked at."""
    return {"machines": "machines", "humans": "humans"}.get(among, "all systems")


def where_words(level: str, among: str, coefficient: str | None = None) -> str:
    """`At the system level, among machines, by Pearson's r`, as sentences begin."""
    by = f", by {coefficient_words(coefficient)}" if coefficient is not None else ""
    return f"At the {level} level, among {over_words(among)}{by}"


def interval_words(low: float, high: float) -> str:
    """` (0.10 to 0.66)`; empty where there is none."""
    return "" if math.isnan(low) else f" ({low:.2f} to {high:.2f})"
