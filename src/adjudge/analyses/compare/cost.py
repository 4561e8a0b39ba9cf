"""Which system is the cheapest of those that may be the best: cost, latency or size decide where scores do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from adjudge.core.results import Result
from adjudge.core.table import Column, Table
from adjudge.data.rows import System

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison

Stated = Literal["cost", "latency", "size"]
STATED: tuple[Stated, ...] = get_args(Stated)
SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, repr=False, kw_only=True)
class Cheapest(Result):
    """Of the systems that nobody is significantly better than, those that state the least of one thing."""

    WORDS = "adjudge.analyses.compare.cost_words"

    measure: str
    title: str
    """Of the measure, as it stands in a sentence."""
    by: Stated
    candidates: tuple[str, ...]
    stated: Mapping[str, float]
    """By candidate that states it."""
    shown: Mapping[str, str]
    """The same with its unit, as it is printed."""
    currency: str | None = None
    humans: tuple[str, ...] = ()
    """Humans among the candidates who state nothing, as is expected of them; not among `candidates` here."""
    paid: tuple[str, ...] = ()
    """Humans who do."""
    currencies: tuple[str, ...] = ()
    """Where costs are not compared, since they are in several."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Those with the least; several where they state the same."""
        least = min(self.stated.values())
        return tuple(system for system in self.candidates if self.stated.get(system) == least)

    @property
    def silent(self) -> tuple[str, ...]:
        """The candidates that do not state it."""
        return tuple(system for system in self.candidates if system not in self.stated)

    def tables(self) -> Iterator[Table]:
        least = self.systems
        yield Table.of(
            "cheapest",
            [(name, self.stated.get(name), "yes" if name in least else "no") for name in self.candidates],
            Column("system", right=False),
            Column(self.by, right=True),
            "least",
            title=f"{self.by} of the systems that may be the best on {self.title}",
        )

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "by": self.by,
            "systems": self.systems,
            "stated": self.stated,
            "silent": self.silent,
            "humans": self.humans,
            "currency": self.currency,
        }


def cheapest(
    comparison: Comparison, systems: Mapping[str, System], *, by: Stated | None = None
) -> Cheapest | None:
    """The cheapest of those that may be the best; without `by`, by the first of cost, latency and size that is stated.

    None where a single system may be the best, where fewer than two of the candidates state it, or where costs are in
    several currencies: then nothing is decided by it. A human counts only where a human states it.
    """
    candidates = comparison.candidates() if comparison.matrix.info.better is not None else None
    if candidates is None or len(candidates) < 2 or len(comparison.standings) < 2:
        return None
    people = {name for name in candidates if name in systems and systems[name].kind == "human"}
    people |= {name for name in candidates if comparison.kinds.get(name) == "human"}
    mixed: tuple[str, ...] = ()
    for attribute in STATED if by is None else (by,):
        stated = {
            name: value
            for name in candidates
            if name in systems and (value := getattr(systems[name], attribute)) is not None
        }
        currencies = {systems[name].currency for name in stated} if attribute == "cost" else {None}
        if len(stated) > 1 and len(currencies) > 1:
            mixed = tuple(sorted(c or "no stated currency" for c in currencies))
        if len(stated) > 1 and len(currencies) == 1:
            return Cheapest(
                measure=comparison.measure,
                title=comparison.title,
                by=attribute,
                candidates=tuple(name for name in candidates if name not in people or name in stated),
                stated=stated,
                shown={name: stated_words(systems[name], attribute) for name in stated},
                currency=currencies.pop(),
                humans=tuple(name for name in candidates if name in people and name not in stated),
                paid=tuple(name for name in candidates if name in people and name in stated),
                currencies=mixed,
            )
    return None


def stated_words(system: System, by: Stated) -> str:
    """With its unit: `1.80 USD per 1,000 summaries`, `0.7 s per summary`, `7B parameters`."""
    value = getattr(system, by)
    if by == "cost":
        return f"{amount(value)}{f' {system.currency}' if system.currency else ''} per 1,000 summaries"
    if by == "latency":
        return f"{amount(value)} s per summary"
    return f"{parameters(value)} {'parameter' if value == 1 else 'parameters'}"


def in_short(value: float, by: Stated) -> str:
    """Without its unit, beside one that has it."""
    return parameters(value) if by == "size" else amount(value)


def amount(value: float) -> str:
    """Four significant digits, without an exponent."""
    return f"{float(f'{value:.4g}'):,.15g}"


def parameters(value: float) -> str:
    """`7B`, `125M`, `900`."""
    for scale, letter in SCALES:
        if value >= scale:
            return f"{amount(value / scale)}{letter}"
    return amount(value)
