"""What systems are called on a page: by their labels. In the files beside it they keep their ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from adjudge.data.collection import Collection

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison


T = TypeVar("T")


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


OF_SYSTEMS = frozenset({"system", "systems", "candidates", "groups", "overlaps", "ties", "missing"})
"""What results call that holds names of systems."""
ASKED = frozenset({"asked", "scores", "run", "collection"})
"""What a result was made of."""


def labels_of(collection: Collection) -> dict[str, str]:
    """What every system of the collection is called, by its id."""
    return {system: name.shown for system, name in names_of(collection, collection.systems).items()}


def called(thing: T, labels: Mapping[str, str], field: str = "") -> T:
    """A result, or a part of it, with systems called by their labels; found by what fields are called."""
    made: Any = thing
    if isinstance(thing, str):
        made = labels.get(thing, thing) if field in OF_SYSTEMS else thing
    elif type(thing) in (tuple, list):
        entries = [called(entry, labels, field) for entry in made]
        if any(new is not old for new, old in zip(entries, made, strict=True)):
            made = type(made)(entries)
    elif isinstance(thing, dict):
        made = {
            called(key, labels, field): called(value, labels, key if isinstance(key, str) else field)
            for key, value in thing.items()
        }
    elif is_dataclass(thing) and not isinstance(thing, type):
        kept = {
            part.name: getattr(thing, part.name)
            for part in fields(thing)
            if part.init and part.name not in ASKED
        }
        parts = {name: called(value, labels, name) for name, value in kept.items()}
        if changed := {name: value for name, value in parts.items() if value is not kept[name]}:
            made = replace(made, **changed)
    return cast(T, made)


def in_words(comparison: Comparison, names: dict[str, Name]) -> Comparison:
    """The same comparison with systems called as they are shown, so that its sentences fit the tables."""
    matrix = comparison.matrix

    def shown(system: str) -> str:
        return names[system].shown if system in names else system

    return replace(
        comparison,
        matrix=replace(
            matrix,
            systems=tuple(names[s].shown for s in matrix.systems),
            missing=tuple((topic, names[s].shown, why) for topic, s, why in matrix.missing),
        ),
        kinds={shown(s): kind for s, kind in comparison.kinds.items()},
        standings=tuple(replace(s, system=names[s.system].shown) for s in comparison.standings),
        fewer_references=tuple(
            replace(note, data={**note.data, "people": [shown(who) for who in note.data["people"]]})
            for note in comparison.fewer_references
        ),
        changes=comparison.changes
        and comparison.changes.called({s: name.shown for s, name in names.items()}),
    )
