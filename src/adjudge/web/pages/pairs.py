"""What the preference page shows: two sentences or two summaries, in the order of the task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudge.core.errors import DataError
from adjudge.judgments.pairs.sides import side_now
from adjudge.judgments.tasks import Task, TextRef
from adjudge.text.headers import hidden_spans, paragraphs, shown
from adjudge.web.site import Site


@dataclass(frozen=True)
class PairPage:
    left: tuple[str, ...]
    """Paragraphs; a sentence is one."""
    right: tuple[str, ...]
    ask: str
    tie: bool
    skip: bool

    def state(self) -> dict[str, Any]:
        """What the page's script works on."""
        return {"left": list(self.left), "right": list(self.right), "tie": self.tie, "skip": self.skip}


def pair_page(site: Site, task: Task) -> PairPage:
    protocol = site.protocol(task.protocol)
    sides = (("left", task.left or {}), ("right", task.right or {}))
    left, right = (
        side_text(site, task.topic, side_now(side, task.hashes.get(role), task.topic, site.collection))
        for role, side in sides
    )
    return PairPage(left, right, protocol.ask, protocol.tie, protocol.skip)


def side_text(site: Site, topic: str, side: Mapping[str, Any]) -> tuple[str, ...]:
    """A side of a pair: a sentence of a document, or a summary."""
    if "document" in side:
        return (sentence(site, topic, side) or "…",)
    return paragraphs(site.summary(topic, TextRef.named(side)).text)


def sentence(site: Site, topic: str, side: Mapping[str, Any]) -> str:
    """A sentence as it is shown; nothing where it is a header line."""
    for document in site.collection.documents.get(topic, ()):
        if document.id == side["document"]:
            hidden = hidden_spans(document.text)
            return shown(document.text, int(side["start"]), int(side["end"]), hidden=hidden)
    raise DataError("a text of this task is not there any more")
