"""Simulated assessors before pyramids: what they overlook of a true one, and what they see that is not there.

Whether a contributor or a content unit is seen is a question with two answers, 0 and 1, and is missed as any other is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from adjudge.assessors.assessor import Sitting
from adjudge.assessors.truth import Truth
from adjudge.errors import DataError, quoted
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER
from adjudge.judgments.pyramid import UNMATCHED, Contributor, Expressed, PeerAnnotation, Pyramid
from adjudge.judgments.tasks import Task

Sit = Callable[[Task, int], Sitting]
NO_YES = (0.0, 1.0)


class Pyramids:
    """Answers to the tasks of a pyramid protocol. A peer is held against the assessor's own pyramid, if there is."""

    def __init__(self, truth: Truth, sit: Sit, tasks: Iterable[tuple[Task, int]]):
        """Builds every pyramid before the peers, wherever its task stands. Of several the first one counts."""
        self._truth = truth
        self._sit = sit
        self._own: dict[tuple[str, str], Pyramid] = {}
        self._of_task: dict[str, Pyramid] = {}
        for task, time in tasks:
            if task.peer is None:
                found = built(sit(task, time), self._true(task))
                self._of_task[task.id] = found
                self._own.setdefault((task.assessor, task.topic), found)

    def answers(self, task: Task, time: int) -> Iterator[tuple[str, Any]]:
        if task.peer is None:
            yield PYRAMID, self._of_task[task.id].to_answer()
            return
        annotation = self._truth.annotations.get((task.topic, task.peer))
        if annotation is None:
            raise DataError(
                f"task {quoted(task.id)}: nothing is known of what {quoted(task.peer.system)} expresses"
                f" of {quoted(task.topic)}"
            )
        pyramid = self._own.get((task.assessor, task.topic)) or self._true(task)
        yield PYRAMID_PEER, annotated(self._sit(task, time), annotation, pyramid).to_answer()

    def _true(self, task: Task) -> Pyramid:
        if task.topic not in self._truth.pyramids:
            raise DataError(f"task {quoted(task.id)}: {quoted(task.topic)} has no true pyramid")
        return self._truth.pyramids[task.topic]


def built(sitting: Sitting, true: Pyramid) -> Pyramid:
    """A pyramid as an assessor builds it: contributors that are overlooked are not in it."""
    scus = (
        replace(scu, contributors=tuple(c for c in scu.contributors if sitting.choose(1.0, NO_YES)))
        for scu in true.scus
    )
    return replace(true, scus=tuple(scu for scu in scus if scu.contributors))


def annotated(sitting: Sitting, true: PeerAnnotation, pyramid: Pyramid) -> PeerAnnotation:
    """What an assessor finds in a peer. What is overlooked matches nothing; what is seen wrongly is put somewhere."""
    said = {scu.uid: scu for scu in true.scus if scu.contributors}
    rest = [c for uid, scu in said.items() if uid not in pyramid.weights for c in scu.contributors]
    places = [contributor for scu in said.values() for contributor in scu.contributors]
    found: list[Expressed] = []
    for uid in pyramid.weights:
        seen = bool(sitting.choose(float(uid in said), NO_YES))
        if seen and uid in said:
            found.append(said[uid])
        elif seen and places:
            found.append(Expressed(uid, (sitting.pick(places),)))
        elif uid in said:
            rest += said[uid].contributors
    if rest:
        found.append(Expressed(UNMATCHED, _distinct(rest)))
    return PeerAnnotation(true.text, tuple(found), pyramid.digest())


def _distinct(contributors: list[Contributor]) -> tuple[Contributor, ...]:
    return tuple(dict.fromkeys(contributors))
