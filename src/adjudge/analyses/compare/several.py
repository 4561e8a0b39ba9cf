"""Systems compared on several measures, with the table that a paper needs: systems x measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.analyses.compare.marks import arrow, best_of, marks
from adjudge.analyses.compare.pairs import Comparison
from adjudge.core.results import Results
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import counted, decimal

if TYPE_CHECKING:
    from adjudge.analyses.methods import MethodsParagraph

KINDS = {"machine": "Systems", "baseline": "Baselines", "human": "Humans"}
"""The parts of a table of systems of several kinds, in their order."""
DIGITS, FEW_DIGITS, MOST_DIGITS = 4, 2, 7
"""Decimals of a mean; few where means reach LARGE, more where the best would not stand out."""
LARGE = 10


@dataclass(frozen=True, repr=False, kw_only=True)
class ComparedMeasures(Results[Comparison]):
    """Systems compared on several measures, all in the same way: a sequence of comparisons, and their one table."""

    WORDS = "adjudge.analyses.compare.several_words"
    FRAME = "league"

    left_out: tuple[str, ...] = ()
    """In words, what has no score at all, where that is left out."""

    def tables(self) -> Iterator[Table]:
        """Systems x measures; of one measure the league table."""
        if len(self) == 1:
            yield from self[0].lasting_tables
        elif self.results:
            yield measures_table(self.results)

    def called(self, result: Comparison) -> str:
        from adjudge.analyses.methods import title

        return title(result, self)

    def methods(self) -> MethodsParagraph:
        from adjudge.analyses.methods import compared_methods

        return compared_methods(self)

    def facts(self) -> dict[str, Any]:
        return {"comparisons": [c.as_dict() for c in self], "methods": self.methods().as_dict()}

    def may_be_best(self) -> tuple[list[Comparison], list[str]]:
        """The comparisons by a direction of which all pairs were asked for, and who may be the best by all of them."""
        asked = [c for c in self if c.matrix.info.better is not None and c.candidates() is not None]
        first = asked[0].standings if asked else ()
        return asked, [s.system for s in first if all(s.system in (c.candidates() or ()) for c in asked)]


def measures_table(comparisons: Sequence[Comparison]) -> Table:
    """Systems x measures: means, the best in bold, letters as superscripts, kinds of systems apart."""
    from adjudge.analyses.compare.several_words import caption
    from adjudge.analyses.methods import target_words, title, topics_words

    kinds = {s.system: c.kinds.get(s.system, "machine") for c in comparisons for s in c.standings}
    lead = next((c for c in comparisons if c.matrix.info.better), comparisons[0])
    systems = list(dict.fromkeys([s.system for c in (lead, *comparisons) for s in c.standings]))
    several = len(set(kinds.values())) > 1
    if several:
        systems.sort(key=lambda system: list(KINDS).index(kinds[system]))
    columns = [Column("system", right=False), Column("kind", show="terminal" if several else "never")]
    cells: list[list[Cell]] = [list(systems), [kinds[system] for system in systems]]
    bold: set[tuple[int, str]] = set()
    for c in comparisons:
        name, by_system = _name(c, comparisons), {s.system: s for s in c.standings}
        best = best_of(c, kinds)
        columns.append(Column(name, f"{title(c, comparisons)}{arrow(c)}", format=f".{_digits(c, best)}f"))
        cells.append([by_system[system].adjusted if system in by_system else None for system in systems])
        bold |= {(at, name) for at, system in enumerate(systems) if system in best}
        if (raised := marks(c)) is not None:
            columns.append(Column(f"{name} group", "", raised=True, right=False))
            cells.append([raised.get(system, "") for system in systems])
    return Table(
        name="measures",
        anchor="-".join(dict.fromkeys(c.measure for c in comparisons)),
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        title=f"{counted(len(systems), 'system')} by {counted(len(comparisons), 'measure')}"
        f" ({topics_words(comparisons)}{target_words(comparisons)})",
        caption=caption(comparisons, kinds),
        bold=frozenset(bold),
        parts=tuple(
            (next(at for at, system in enumerate(systems) if kinds[system] == kind), KINDS[kind])
            for kind in dict.fromkeys(kinds[system] for system in systems)
            if several
        ),
    )


def _name(c: Comparison, comparisons: Sequence[Comparison]) -> str:
    """For scripts: the measure's text, and what else tells comparisons apart."""
    several = sum(other.measure == c.measure for other in comparisons) > 1
    target = [str(part) for part in (c.matrix.length, c.matrix.form) if part is not None]
    return " ".join([c.measure, *target]) if several else c.measure


def _digits(c: Comparison, best: set[str]) -> int:
    """As many decimals as let the best mean stand out."""
    least = FEW_DIGITS if any(abs(s.adjusted) >= LARGE for s in c.standings) else DIGITS
    for digits in range(least, MOST_DIGITS + 1):
        form = f".{digits}f"
        first = {decimal(s.adjusted, form) for s in c.standings if s.system in best}
        if not first & {decimal(s.adjusted, form) for s in c.standings if s.system not in best}:
            break
    return digits if best else least
