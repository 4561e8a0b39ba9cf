"""What systems are called on a page: by their labels. In the files beside it they keep their ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudge.data.collection import Collection

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


@dataclass(frozen=True, slots=True)
class Name:
    """A system as it is shown. `system` is its id, by which files and commands call it."""

    system: str
    shown: str
    kind: str | None  # None: the evaluation does not know it, as with scores imported for it alone

    @property
    def id_apart(self) -> str | None:
        """The id, where a reader would not see it in what is shown: "lead" is plain in "Lead (3 lines)"."""
        return None if _words(self.system) <= _words(self.shown) else self.system


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold())) or {text}


def names_of(collection: Collection, systems: Iterable[str]) -> dict[str, Name]:
    """A name for every system, no two shown alike."""
    labels = {s: collection.label(s) if s in collection.systems else s for s in systems}
    uses = Counter(labels.values())
    return {
        system: Name(
            system,
            label if uses[label] == 1 else f"{label} ({system})",
            collection.kind(system) if system in collection.systems else None,
        )
        for system, label in labels.items()
    }


def in_words(comparison: Comparison, names: dict[str, Name]) -> Comparison:
    """The same comparison with systems called as they are shown, so that its sentences fit the tables."""
    matrix = comparison.matrix
    return replace(
        comparison,
        matrix=replace(
            matrix,
            systems=tuple(names[s].shown for s in matrix.systems),
            missing=tuple((topic, names[s].shown, why) for topic, s, why in matrix.missing),
        ),
        standings=tuple(replace(s, system=names[s.system].shown) for s in comparison.standings),
        changes=comparison.changes
        and comparison.changes.called({s: name.shown for s, name in names.items()}),
    )
