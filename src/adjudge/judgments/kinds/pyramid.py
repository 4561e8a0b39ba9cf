"""Pyramids: content units of a topic's references, and which of them a peer expresses (Nenkova and Passonneau 2004).

They are annotated elsewhere, such as in DUCView, and come in as judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from adjudge.core.errors import DataError, quoted
from adjudge.data.rows import Summary, Unit
from adjudge.judgments.judging_page import JudgingPage
from adjudge.judgments.kinds.base import Given, KnownTruth, Protocol, Seat, Sit, TaskUnits
from adjudge.judgments.pyramid import (
    PYRAMID,
    PYRAMID_PEER,
    UNMATCHED,
    Expressed,
    PeerAnnotation,
    Pyramid,
)
from adjudge.judgments.tasks import Task

NO_YES = (0.0, 1.0)


@dataclass(frozen=True, repr=False)
class PyramidProtocol(Protocol):
    KIND = "pyramid"
    VALUES: ClassVar[Mapping[str, str]] = {PYRAMID: "scus", PYRAMID_PEER: "scus"}
    IN_BROWSER = False
    BY_REFERENCE = False

    @property
    def measures(self) -> tuple[str, ...]:
        return ("pyramid",)

    def why_not_assigned(self) -> str | None:
        return f"{self.name} is a pyramid protocol, and assign knows coverage, rating and preference"

    def pages(
        self, topic: str, peers: Sequence[Summary], references: Sequence[Summary], units: Sequence[Unit]
    ) -> Iterator[JudgingPage]:
        """The topic's references together, then every peer."""
        yield JudgingPage(topic, models=tuple(references))
        yield from super().pages(topic, peers, references, units)

    def asked(self, model_units: Sequence[str] = ()) -> Iterator[str]:
        yield PYRAMID

    def check_answer(self, question: str, answer: Mapping[str, Any], units: TaskUnits) -> None:
        if question not in (PYRAMID, PYRAMID_PEER):
            self.question(question)  # which it does not have
        if not isinstance(answer.get("scus"), Sequence):
            raise DataError(f'{question}: no list "scus"')

    def simulator(
        self, truth: KnownTruth, sit: Sit, tasks: Sequence[tuple[Task, int]]
    ) -> Callable[[Task, int], Iterator[Given]]:
        """Builds every pyramid before the peers, wherever its task stands.

        Peers are compared with the assessor's own pyramid, if any; of several the first one counts.
        """
        by_task = {
            task.id: built(sit(task, time), _true_pyramid(truth, task))
            for task, time in tasks
            if not task.peer
        }
        by_assessor: dict[tuple[str, str], Pyramid] = {}
        for task, _ in tasks:
            if task.peer is None:
                by_assessor.setdefault((task.assessor, task.topic), by_task[task.id])

        def answers(task: Task, time: int) -> Iterator[Given]:
            if task.peer is None:
                yield PYRAMID, by_task[task.id].to_answer()
                return
            annotation = truth.annotations.get((task.topic, task.peer))
            if annotation is None:
                raise DataError(
                    f"task {quoted(task.id)}: nothing is known of what {quoted(task.peer.system)} expresses"
                    f" of {quoted(task.topic)}"
                )
            pyramid = by_assessor.get((task.assessor, task.topic)) or _true_pyramid(truth, task)
            yield PYRAMID_PEER, annotated(sit(task, time), annotation, pyramid).to_answer()

        return answers


def _true_pyramid(truth: KnownTruth, task: Task) -> Pyramid:
    if task.topic not in truth.pyramids:
        raise DataError(f"task {quoted(task.id)}: {quoted(task.topic)} has no true pyramid")
    return truth.pyramids[task.topic]


def built(seat: Seat, true: Pyramid) -> Pyramid:
    """A pyramid as an assessor builds it: contributors that are overlooked are not in it."""
    scus = (
        replace(scu, contributors=tuple(c for c in scu.contributors if seat.choose(1.0, NO_YES)))
        for scu in true.scus
    )
    return replace(true, scus=tuple(scu for scu in scus if scu.contributors))


def annotated(seat: Seat, true: PeerAnnotation, pyramid: Pyramid) -> PeerAnnotation:
    """What an assessor finds in a peer. What is overlooked matches nothing; what is seen wrongly is put somewhere."""
    expressed = {scu.uid: scu for scu in true.scus if scu.contributors}
    rest = [c for uid, scu in expressed.items() if uid not in pyramid.weights for c in scu.contributors]
    places = [contributor for scu in expressed.values() for contributor in scu.contributors]
    matches: list[Expressed] = []
    for uid in pyramid.weights:
        is_seen = bool(seat.choose(float(uid in expressed), NO_YES))
        if is_seen and uid in expressed:
            matches.append(expressed[uid])
        elif is_seen and places:
            matches.append(Expressed(uid, (seat.pick(places),)))
        elif uid in expressed:
            rest += expressed[uid].contributors
    if rest:
        matches.append(Expressed(UNMATCHED, tuple(dict.fromkeys(rest))))
    return PeerAnnotation(true.text, tuple(matches), pyramid.digest())
