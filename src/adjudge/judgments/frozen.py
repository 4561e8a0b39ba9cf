"""Whether texts are still what was judged: a judgment of a text that changed is left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from adjudge.data.collection import Collection
from adjudge.judgments.pairs.sides import side_changed
from adjudge.judgments.tasks import Judged, Task, TextRef, text_hash, units_hash, units_of

if TYPE_CHECKING:
    from adjudge.judgments.kinds.base import Protocol


class FrozenNow:
    """Hashes of the texts and units as they are now, each made once: many tasks are about one text."""

    def __init__(self, collection: Collection):
        self._collection = collection
        self._texts: dict[str, dict[TextRef, str]] = {}
        self._units: dict[tuple[str, TextRef, str], str] = {}

    def text(self, topic: str, text: TextRef) -> str | None:
        """Of a summary; None where there is none."""
        if topic not in self._texts:
            summaries = self._collection.summaries.get(topic, ())
            self._texts[topic] = {TextRef.of(summary): text_hash(summary.text) for summary in summaries}
        return self._texts[topic].get(text)

    def units(self, topic: str, text: TextRef, kind: str) -> str:
        key = (topic, text, kind)
        if key not in self._units:
            self._units[key] = units_hash(units_of(self._collection.units.get(topic, ()), text, kind))
        return self._units[key]


def changed(
    task: Task, collection: Collection, protocol: Protocol | None, *, now: FrozenNow | None = None
) -> str | None:
    """What has changed since the task was made, in words; None where all is as it was.

    A hash that a task does not have is not looked at: what was imported without texts has none. `now` is given where
    many tasks are looked at.
    """
    if not task.hashes:
        return None
    now = now or FrozenNow(collection)
    for role, text in (("peer", task.peer), ("reference", task.reference)):
        if text is None or role not in task.hashes:
            continue
        hash = now.text(task.topic, text)
        if hash is None:
            return f"the {role} is gone or withdrawn"
        if hash != task.hashes[role]:
            return f"the {role}'s text has changed"
        if protocol is not None and f"{role}-units" in task.hashes:
            kind = protocol.peer_units if role == "peer" else protocol.model_units
            if now.units(task.topic, text, kind) != task.hashes[f"{role}-units"]:
                return f"the {role}'s units have changed"
    for role, side in (("left", task.left), ("right", task.right)):
        if side is not None and role in task.hashes:
            why = side_changed(side, task.hashes[role], role, task.topic, collection)
            if why is not None:
                return why
    return None


def split_by_change(
    judged: Iterable[Judged], collection: Collection, protocols: dict[str, Protocol]
) -> tuple[list[Judged], list[tuple[Judged, str]]]:
    """Judgments of texts that are as they were, and those that are not, with what changed."""
    now = FrozenNow(collection)
    kept, left = [], []
    for judgment in judged:
        why = changed(judgment.task, collection, protocols.get(judgment.task.protocol), now=now)
        if why is None:
            kept.append(judgment)
        else:
            left.append((judgment, why))
    return kept, left
