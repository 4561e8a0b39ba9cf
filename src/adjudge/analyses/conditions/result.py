"""The conditions on which the conclusions of a comparison rest, each stated either way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from adjudge.core.table import Column, Table, Tabular
from adjudge.core.words import listed

State = Literal["met", "unmet", "unknown", "not applicable"]
STATE_WORDS: dict[State, str] = {
    "met": "met",
    "unmet": "not met",
    "unknown": "cannot be told",
    "not applicable": "does not apply",
}
SIGNS: dict[State, str] = {"met": "✓", "unmet": "✗", "unknown": "?", "not applicable": "–"}


@dataclass(frozen=True, slots=True)
class TrustCondition:
    """One condition: whether it is met, and the numbers that say so."""

    name: str
    question: str
    state: State
    words: str

    @property
    def sign(self) -> str:
        return SIGNS[self.state]

    @property
    def verdict(self) -> str:
        return STATE_WORDS[self.state]

    @property
    def css(self) -> str:
        return self.state.replace(" ", "-")


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
        """`Of 7 conditions of trust in coverage, 4 are met, 2 are not met (...) and 1 cannot be told (...).`"""
        counts = Counter(condition.state for condition in self.conditions)
        parts = []
        for state, words in STATE_WORDS.items():
            if n := counts[state]:
                names = listed([condition.name for condition in self.conditions if condition.state == state])
                is_ = "" if state in ("unknown", "not applicable") else "is " if n == 1 else "are "
                words = "do not apply" if state == "not applicable" and n > 1 else words
                parts.append(f"{n} {is_}{words}" + (f" ({names})" if state != "met" else ""))
        return f"Of {len(self)} conditions of trust in {self.title}, {listed(parts)}."

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
            "conditions": [asdict(condition) for condition in self.conditions],
        }
