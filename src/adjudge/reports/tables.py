"""The files that lie beside the page: league, pairs and scores as CSV, the league as LaTeX."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.comparisons.pairs import Comparison

LONGEST_STEM = 80


@dataclass(frozen=True, slots=True)
class Table:
    """A file of the report: what a link to it says, its name, its text."""

    about: str
    name: str
    text: str


def tables_of(comparison: Comparison, stem: str) -> tuple[Table, ...]:
    """Every name ends in a word of its own, so that no measure gives a name that Windows keeps for itself."""
    league = comparison.to_frame().to_csv(index=False, lineterminator="\n")
    pairs = comparison.pairs_frame().to_csv(index=False, lineterminator="\n")
    scores = comparison.matrix.to_frame().to_csv(index_label="topic", lineterminator="\n")
    return (
        Table("League table, CSV", f"{stem}-league.csv", league),
        Table("League table, LaTeX", f"{stem}-league.tex", comparison.to_latex() + "\n"),
        Table("All pairs, CSV", f"{stem}-pairs.csv", pairs),
        Table("Scores by topic, CSV", f"{stem}-scores.csv", scores),
    )


def stems(texts: list[str]) -> list[str]:
    """A short plain name for every text, no two alike: for files and for links within the page."""
    found: list[str] = []
    for text in texts:
        plain = re.sub(r"[^a-z0-9]+", "-", text.lower())[:LONGEST_STEM].strip("-") or "measure"
        name, number = plain, 1
        while name in found:
            number += 1
            name = f"{plain}-{number}"
        found.append(name)
    return found
