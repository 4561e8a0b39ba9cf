"""Preferences among a topic's judgments: two sentences or two summaries, and which won. What follows is elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.protocol import PREFERENCE
from adjudge.judgments.tasks import Event, Task
from adjudge.measures.judged.answers import protocol_of

WON = {"left": 1.0, "right": 0.0, "tie": 0.5}
"""How much the left side wins; skipping says nothing."""


def judged_pairs(batch: TopicBatch, of: Literal["sentences", "summaries"]) -> Iterator[tuple[Task, Event]]:
    """The answered tasks of protocols that compare two of these, with the answer that counts now."""
    asked: dict[str, bool] = {}
    for judged in batch.judgments:
        name, event = judged.task.protocol, judged.answers.get(PREFERENCE)
        if event is None or not isinstance(event.answer, Mapping):
            continue
        if name not in asked:
            protocol = protocol_of(batch, name)
            asked[name] = protocol.kind == "preference" and protocol.of == of
        if asked[name]:
            yield judged.task, event
