"""Pyramid scores as measures: who is held against which pyramid. The arithmetic lives in pyramid_counts.py."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, ClassVar

from adjudge.data.scores import Score
from adjudge.errors import DataError
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER
from adjudge.judgments.pyramid import UNMATCHED, PeerAnnotation, Pyramid, annotation_of_reference
from adjudge.judgments.pyramid_answers import Built, annotation_of, built, pyramid_for
from adjudge.judgments.tasks import Judged, TextRef
from adjudge.measures.base import Measure, Need
from adjudge.measures.judged.answers import judged_peers
from adjudge.measures.judged.pyramid_counts import scored, tally
from adjudge.wording import counted

NENKOVA = (
    "Nenkova, Passonneau and McKeown 2007, The Pyramid Method: Incorporating Human Content Selection Variation"
    " in Summarization Evaluation"
)
NOT_YET = "not annotated yet"

# Who is held against what


@dataclass(frozen=True)
class Held:
    """A peer's annotation and the pyramid that it is held against, or why there is none."""

    system: str
    length: int | None
    assessor: str
    repeat: int
    annotation: PeerAnnotation | None = None
    against: Built | None = None
    why: str | None = None

    @property
    def wrote_one(self) -> bool:
        return self.against is not None and self.system in self.against.pyramid.systems

    def row(self, measure: Measure, batch: TopicBatch, value: float, why: str | None) -> Score:
        return Score(
            str(measure),
            batch.topic.topic,
            self.system,
            value,
            self.length,
            assessor=self.assessor,
            repeat=self.repeat,
            why=why,
        )


def held(batch: TopicBatch) -> list[Held]:
    """Every annotation of a topic; then the references that are peers and have none, as the pyramid has them."""
    return batch.once("judged/pyramids", lambda: _held(batch))


def _held(batch: TopicBatch) -> list[Held]:
    pyramids = _pyramids(batch)
    found = [
        _annotated(judged, judged.task.peer, repeat, pyramids)
        for judged, _, repeat in judged_peers(batch, "pyramid")
        if judged.task.peer is not None
    ]
    return found + list(_references(batch, pyramids, found))


def _annotated(judged: Judged, peer: TextRef, repeat: int, pyramids: list[Built]) -> Held:
    system, length, assessor = peer.system, peer.length, judged.task.assessor
    if PYRAMID_PEER not in judged.answers:
        return Held(system, length, assessor, repeat, why=NOT_YET)
    try:
        annotation = annotation_of(judged.answers[PYRAMID_PEER].answer)
    except DataError as error:
        return Held(system, length, assessor, repeat, why=str(error))
    against = pyramid_for(annotation, assessor, pyramids)
    if isinstance(against, str):
        return Held(system, length, assessor, repeat, annotation, why=against)
    return Held(system, length, assessor, repeat, annotation, against)


def _pyramids(batch: TopicBatch) -> list[Built]:
    """Those that can be read; one that cannot leaves its annotations without a pyramid, which is said there."""
    found = []
    for judged in batch.judgments:
        try:
            found += built([judged])
        except DataError:
            continue
    return found


def _references(batch: TopicBatch, pyramids: list[Built], found: list[Held]) -> Iterator[Held]:
    """Of several pyramids of one assessor, the one that most annotations are held against."""
    uses = Counter(each.against.digest for each in found if each.against is not None)
    peers = {(peer.system, peer.length) for peer in batch.peers}
    done = {(each.system, each.length, each.assessor) for each in found}
    for one in sorted(pyramids, key=lambda one: (-uses[one.digest], one.digest)):
        for reference in one.pyramid.references:
            key = (reference.system, reference.length, one.judged.task.assessor)
            if key[:2] in peers and key not in done:
                done.add(key)
                annotation = annotation_of_reference(one.pyramid, reference.system)
                yield Held(*key, 0, annotation, one)


# The measures


@dataclass(frozen=True)
class JudgedPyramid(Measure):
    """What these measures share: a row per peer, assessor and repeat."""

    CITATION = NENKOVA
    range: ClassVar[tuple[float | None, float | None]] = (0.0, None)
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for each in held(batch):
            value, why = math.nan, each.why
            if each.against is not None and each.annotation is not None:
                value, why = self.of(each, each.against.pyramid, each.annotation)
            yield each.row(self, batch, value, why)

    def of(self, peer: Held, pyramid: Pyramid, annotation: PeerAnnotation) -> tuple[float, str | None]:
        """A peer's value, or NaN and why."""
        raise TypeError(f"{type(self).__name__} does not say what it makes of an annotation")

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        found = [each for batch in batches for each in held(batch)]
        unreadable = sum(_unreadable(batch) for batch in batches)
        changed = sum(
            each.annotation is not None
            and each.against is not None
            and each.annotation.pyramid not in (None, each.against.digest)
            for each in found
        )
        said = []
        if unreadable:
            said.append(
                counted(
                    unreadable,
                    "pyramid cannot be read and was left out",
                    "pyramids cannot be read and were left out",
                )
            )
        if changed:
            said.append(
                f"{counted(changed, 'annotation was', 'annotations were')} made on a pyramid that has changed since:"
                " units that are gone match nothing"
            )
        return said


@dataclass(frozen=True)
class PyramidScore(JudgedPyramid):
    """The weight of the content units that a summary expresses, over the most that could be expected of it.

    A unit weighs as much as references express it; what is expressed twice counts once. Whoever wrote one of the
    references is held against the pyramid of the others, and needs no annotation: the pyramid has it.

    stat       original: over the most that as many units as the summary has can weigh; modified: as many as a
               reference has on average; comprehensive: the harmonic mean of the two
    rounding   of that average: nist rounds half up, ducview rounds down and lets no modified score exceed 1
    refs       all of the pyramid's, or jackknife: the mean over leaving out each reference in turn
    """

    stat: str = "modified"
    rounding: str = "nist"
    refs: str = "all"

    FAMILY = "pyramid"
    ABOUT = "weight of the references' content units that people found in a summary"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "stat": ("original", "modified", "comprehensive"),
        "rounding": ("nist", "ducview"),
        "refs": ("all", "jackknife"),
    }

    def signed_options(self) -> dict[str, Any]:
        options = self.options()
        return {k: v for k, v in options.items() if k != "rounding"} if self.stat == "original" else options

    def of(self, peer: Held, pyramid: Pyramid, annotation: PeerAnnotation) -> tuple[float, str | None]:
        left_out: list[str] = [peer.system] if peer.wrote_one else []
        if self.refs == "jackknife" and not peer.wrote_one:
            if not pyramid.references:
                return math.nan, "which references the pyramid has is not known"
            left_out = list(pyramid.systems) if len(pyramid.systems) > 1 else []
        pyramids = [pyramid.without(system) for system in left_out] or [pyramid]
        values = []
        for each in pyramids:
            value, why = scored(each, annotation, self.stat, self.rounding)
            if why is not None:
                return value, why
            values.append(value)
        return fsum(values) / len(values), None

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        said = super().warnings(batches)
        found = [each for batch in batches for each in held(batch) if each.against is not None]
        if self.refs == "all" and len(writers := {each.wrote_one for each in found}) > 1 and True in writers:
            said.append(
                "peers who wrote a reference are held against one reference fewer than the others:"
                f" {self.name}(refs=jackknife) is fair to all"
            )
        judged = [each for each in found if not each.wrote_one and each.annotation is not None]
        bare = sum(not each.annotation.times().get(UNMATCHED) for each in judged if each.annotation)
        if self.stat != "modified" and bare:
            said.append(
                f"annotations that mark nothing outside the pyramid: {bare:,} of {len(judged):,}; where assessors were"
                " not asked to, only the modified score means something"
            )
        return said


@dataclass(frozen=True)
class PyramidUnits(JudgedPyramid):
    """How many content units a summary has.

    count   all; matched: distinct units of the pyramid; repeated: how many more times it expresses those;
            unmatched: units that the pyramid does not have; weight: of those it matches
    """

    count: str = "all"

    FAMILY = "pyramid-units"
    ABOUT = "content units that people found in a summary: matched, repeated, not in the pyramid"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "count": ("all", "matched", "repeated", "unmatched", "weight"),
    }
    better = None

    def of(self, peer: Held, pyramid: Pyramid, annotation: PeerAnnotation) -> tuple[float, str | None]:
        counts = tally(pyramid.without(peer.system) if peer.wrote_one else pyramid, annotation)
        return float(getattr(counts, "size" if self.count == "all" else self.count)), None


def _unreadable(batch: TopicBatch) -> int:
    return sum(PYRAMID in judged.answers for judged in batch.judgments) - len(_pyramids(batch))
