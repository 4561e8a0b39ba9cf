"""Judged text is frozen: a task keeps hashes of what was judged, and a judgment of a text that changed is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adjudge.data.collection import Collection
from adjudge.data.rows import Summary, Unit
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import Judged, Task, TextRef, text_hash


def units_of(units: Iterable[Unit], text: TextRef, kind: str) -> list[Unit]:
    """The units of one summary of a topic, in the order of the text."""
    own = [u for u in units if (u.system, u.length, u.kind) == (text.system, text.length, kind)]
    return sorted(own, key=lambda unit: (unit.start, unit.end))


def units_hash(units: Iterable[Unit]) -> str:
    """Of where the units are: their texts are in the summary's."""
    return text_hash("\n".join(f"{unit.id} {unit.start} {unit.end}" for unit in units))


def task_hashes(
    peer: Summary | None, reference: Summary | None, units: Sequence[Unit], protocol: Protocol
) -> dict[str, str]:
    """What a task keeps of the texts that are judged in it."""
    found = {}
    for role, summary in (("peer", peer), ("reference", reference)):
        if summary is not None:
            found[role] = text_hash(summary.text)
    if protocol.kind == "coverage":
        kinds = (("peer", peer, protocol.peer_units), ("reference", reference, protocol.model_units))
        for role, summary, kind in kinds:
            if summary is not None:
                own = units_of(units, TextRef(summary.system, summary.length), kind)
                found[f"{role}-units"] = units_hash(own)
    return found


def changed(task: Task, collection: Collection, protocol: Protocol | None) -> str | None:
    """What has changed since the task was made, in words; None where all is as it was.

    A hash that a task does not have is not looked at: what was imported without texts has none.
    """
    if not task.hashes:
        return None
    summaries = {(s.system, s.length): s for s in collection.summaries.get(task.topic, ())}
    units = collection.units.get(task.topic, ())
    for role, text in (("peer", task.peer), ("reference", task.reference)):
        if text is None or role not in task.hashes:
            continue
        summary = summaries.get((text.system, text.length))
        if summary is None:
            return f"the {role} is gone or withdrawn"
        if text_hash(summary.text) != task.hashes[role]:
            return f"the {role}'s text has changed"
        if protocol is not None and f"{role}-units" in task.hashes:
            kind = protocol.peer_units if role == "peer" else protocol.model_units
            if units_hash(units_of(units, text, kind)) != task.hashes[f"{role}-units"]:
                return f"the {role}'s units have changed"
    for role, side in (("left", task.left), ("right", task.right)):
        if side is not None and role in task.hashes:
            from adjudge.judgments.pairs.sides import side_changed  # which needs this module's batches

            why = side_changed(side, task.hashes[role], role, task.topic, collection)
            if why is not None:
                return why
    return None


def split_by_change(
    judged: Iterable[Judged], collection: Collection, protocols: dict[str, Protocol]
) -> tuple[list[Judged], list[tuple[Judged, str]]]:
    """Judgments of texts that are as they were, and those that are not, with what changed."""
    kept, left = [], []
    for each in judged:
        why = changed(each.task, collection, protocols.get(each.task.protocol))
        if why is None:
            kept.append(each)
        else:
            left.append((each, why))
    return kept, left
