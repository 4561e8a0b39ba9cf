"""What the page for tagging a mismatch shows: the unit and the summary, what people marked, what the measure found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.judgments.protocol import LONGEST_TAG, MOST_TAGS, Choice
from adjudge.judgments.tasks import Task
from adjudge.text.headers import hidden_spans
from adjudge.text.segments import Segment, segments
from adjudge.web.pages.keys import keys_of
from adjudge.web.site import Site

SAYS = {
    "missed": "People say that the summary expresses all of the unit. {measure} calls it uncovered.",
    "credited": "People say that the summary expresses nothing of the unit. {measure} calls it covered.",
}


@dataclass(frozen=True)
class MismatchTask:
    """Everything on the page but the answer. Nothing here names a system or a person."""

    says: str
    measure: str
    value: str
    people: str
    unit: tuple[Segment, ...]
    before: str
    """What the reference says before the unit,"""
    after: str
    """and after it."""
    peer: tuple[Segment, ...]
    finds: bool
    ask: str
    tags: tuple[Choice, ...]
    keys: tuple[str, ...]

    def state(self) -> dict[str, Any]:
        """What the page's script works on."""
        return {
            "tags": [choice.value for choice in self.tags],
            "keys": list(self.keys),
            "most": MOST_TAGS,
            "longest": LONGEST_TAG,
        }


def mismatch_page(site: Site, task: Task) -> MismatchTask:
    """What was found when the task was made; the texts are as they were then."""
    assert task.peer is not None
    assert task.reference is not None
    asked: Mapping[str, Any] = task.asked if isinstance(task.asked, Mapping) else {}
    protocol = site.protocol(task.protocol)
    peer, reference = site.summary(task.topic, task.peer).text, site.summary(task.topic, task.reference).text
    start, end = _spans(asked, "at")[0] if _spans(asked, "at") else (0, len(reference))
    hidden = hidden_spans(reference)
    in_unit = [(start + a, start + b) for a, b in _spans(asked, "in_unit")]

    def said(first: int, last: int) -> str:
        return "".join(piece.text for piece in segments(reference, start=first, end=last, hidden=hidden))

    value = asked.get("value")
    return MismatchTask(
        says=SAYS.get(str(asked.get("kind")), "").format(measure=asked.get("measure")),
        measure=str(asked.get("measure")),
        value=f"{value:.3f}" if _is_number(value) else "–",
        people=", ".join(
            f"{100 * each:.4g} %" for each in _listed(asked, "completeness") if _is_number(each)
        ),
        unit=tuple(segments(reference, in_unit, start=start, end=end, hidden=hidden)),
        before=said(0, start),
        after=said(end, len(reference)),
        peer=tuple(
            segments(peer, _spans(asked, "marked"), _spans(asked, "in_peer"), hidden=hidden_spans(peer))
        ),
        finds=asked.get("in_peer") is not None,
        ask=protocol.ask,
        tags=protocol.tags,
        keys=keys_of([choice.label for choice in protocol.tags]),
    )


def _listed(asked: Mapping[str, Any], name: str) -> list[Any]:
    found = asked.get(name)
    return found if isinstance(found, list) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spans(asked: Mapping[str, Any], name: str) -> list[tuple[int, int]]:
    """Places in a text, as far as they are some: a store may hold what strangers wrote."""
    spans: Iterable[Any] = [asked.get(name)] if name == "at" else _listed(asked, name)
    return [
        (each[0], each[1])
        for each in spans
        if isinstance(each, list | tuple) and len(each) == 2 and all(type(n) is int and n >= 0 for n in each)
    ]
