"""The conditions on which the conclusions of a comparison rest, each stated either way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudge.analyses.conditions import words
from adjudge.core.results import Note
from adjudge.core.table import Column, Table, Tabular, plain

State = Literal["met", "unmet", "unknown", "not applicable"]
SIGNS: dict[State, str] = {"met": "✓", "unmet": "✗", "unknown": "?", "not applicable": "–"}


@dataclass(frozen=True, slots=True)
class TrustCondition:
    """One condition: whether it is met, and the numbers that say so."""

    name: str
    state: State
    facts: tuple[Note, ...]
    """What decides it, then what there is to know beside it."""

    @property
    def question(self) -> str:
        return words.QUESTIONS[self.name]

    @property
    def sign(self) -> str:
        return SIGNS[self.state]

    @property
    def verdict(self) -> str:
        return words.STATES[self.state]

    @property
    def css(self) -> str:
        return self.state.replace(" ", "-")

    @property
    def words(self) -> str:
        return words.told(self.facts)

    def as_dict(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in ("name", "question", "state", "words")},
            "facts": [{"code": note.code, **plain(note.data)} for note in self.facts],
        }


@dataclass(frozen=True, repr=False)
class TrustConditions(Tabular):
    """All conditions of one comparison."""

    measure: str
    length: int | None
    form: str | None
    title: str
    conditions: tuple[TrustCondition, ...]

    def __iter__(self) -> Iterator[TrustCondition]:
        return iter(self.conditions)

    def __len__(self) -> int:
        return len(self.conditions)

    def of(self, name: str) -> TrustCondition:
        """The condition of this name."""
        return {condition.name: condition for condition in self.conditions}[name]

    def headline(self) -> str:
        return words.headline(self)

    def table(self) -> Table:
        made = Table.of(
            f"trust {self.title}",
            self.conditions,
            Column("name", show="never"),
            Column("question", "condition", right=False),
            Column("state", right=False),
            Column("words", "why", right=False),
            title=f"Conditions of trust, {self.title}",
        )
        return replace(made, sentences=(self.headline(),))

    def as_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "length": self.length,
            "form": self.form,
            "headline": self.headline(),
            "conditions": [condition.as_dict() for condition in self.conditions],
        }
