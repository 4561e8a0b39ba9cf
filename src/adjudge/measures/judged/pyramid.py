"""Pyramid scores: the weight of content units that people found in a summary. Nenkova et al. 2007."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, ClassVar

from adjudge.core.errors import DataError
from adjudge.core.words import counted
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.kinds.pyramid import PyramidProtocol
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER
from adjudge.judgments.pyramid import (
    UNMATCHED,
    Built,
    PeerAnnotation,
    Pyramid,
    annotation_of,
    annotation_of_reference,
    built,
    pyramid_for,
)
from adjudge.judgments.tasks import Judged, TextRef
from adjudge.measures.base import Measure, Need
from adjudge.measures.judged.answers import JudgedMeasure, judged_peers


@dataclass(frozen=True, slots=True)
class Tally:
    """What a peer expresses: `weight` is that of the units it matches, each counted once."""

    weight: int
    matched: int
    repeated: int
    """How many more times it expresses what it matches."""
    unmatched: int

    @property
    def size(self) -> int:
        """How many units it has in all."""
        return self.matched + self.repeated + self.unmatched


def tally(pyramid: Pyramid, annotation: PeerAnnotation) -> Tally:
    """Counts what an annotation holds. A unit that the pyramid does not have, or no more, matches nothing."""
    weights = pyramid.weights
    times = annotation.times()
    matched = [uid for uid in times if weights.get(uid, 0)]
    all_matches = sum(times[uid] for uid in matched)
    return Tally(
        weight=sum(weights[uid] for uid in matched),
        matched=len(matched),
        repeated=all_matches - len(matched),
        unmatched=sum(times.values()) - all_matches,
    )


def reachable(pyramid: Pyramid, size: int) -> int:
    """The most weight that so many units can have: those of the heaviest."""
    return sum(sorted(pyramid.weights.values(), reverse=True)[:size])


def average_size(pyramid: Pyramid, rounding: str) -> int:
    """How many units a reference has on average: rounded half up (`nist`), or down (`ducview`)."""
    contributors, references = pyramid.contributors, len(pyramid.references)
    if rounding == "nist":
        return (2 * contributors + references) // (2 * references)
    return contributors // references


def scored(
    pyramid: Pyramid, annotation: PeerAnnotation, score: str, rounding: str
) -> tuple[float, str | None]:
    """An annotation's score against a pyramid, or NaN and why.

    All three divide the same weight, so each is one division: the harmonic mean of w/a and w/b is 2w/(a+b).
    """
    counts = tally(pyramid, annotation)
    ideal = average = 0
    if score != "modified":
        ideal = reachable(pyramid, counts.size)
        if not ideal:
            return math.nan, "nothing is marked in the summary" if pyramid.scus else "the pyramid is empty"
    if score != "original":
        if not pyramid.references:
            return math.nan, "how many references the pyramid has is not known"
        average = reachable(pyramid, average_size(pyramid, rounding))
        if not average:
            return math.nan, "the references have less than one content unit on average"
        if rounding == "ducview":  # it caps the score at 1
            average = max(average, counts.weight)
    times = 2 if score == "comprehensive" else 1
    return times * counts.weight / (ideal + average), None


NENKOVA = (
    "Nenkova, Passonneau and McKeown 2007, The Pyramid Method: Incorporating Human Content Selection Variation"
    " in Summarization Evaluation"
)
NOT_YET = "not annotated yet"

# Who is scored against what


@dataclass(frozen=True)
class PyramidPeer:
    """A peer's annotation and the pyramid that it is scored against, or why there is none."""

    text: TextRef
    assessor: str
    repeat: int
    annotation: PeerAnnotation | None = None
    against: Built | None = None
    why: str | None = None

    @property
    def system(self) -> str:
        return self.text.system

    @property
    def wrote_one(self) -> bool:
        return self.against is not None and self.system in self.against.pyramid.systems

    def row(self, measure: Measure, batch: TopicBatch, value: float, why: str | None) -> Score:
        return Score(
            str(measure),
            batch.topic.topic,
            self.system,
            value,
            length=self.text.length,
            form=self.text.form,
            assessor=self.assessor,
            repeat=self.repeat,
            why=why,
        )


def pyramid_peers(batch: TopicBatch) -> list[PyramidPeer]:
    """Every annotation of a topic; then the references that are peers and have none, as the pyramid has them."""
    return batch.once("judged/pyramids", lambda: _find_peers(batch))


def _find_peers(batch: TopicBatch) -> list[PyramidPeer]:
    pyramids = _pyramids(batch)
    annotated = [
        _annotated(judged, judged.task.peer, repeat, pyramids)
        for judged, _, repeat in judged_peers(batch, PyramidProtocol)
        if judged.task.peer is not None
    ]
    return annotated + list(_references(batch, pyramids, annotated))


def _annotated(judged: Judged, peer: TextRef, repeat: int, pyramids: list[Built]) -> PyramidPeer:
    pyramid_peer = PyramidPeer(text=peer, assessor=judged.task.assessor, repeat=repeat)
    if PYRAMID_PEER not in judged.answers:
        return replace(pyramid_peer, why=NOT_YET)
    try:
        annotation = annotation_of(judged.answers[PYRAMID_PEER].answer)
    except DataError as error:
        return replace(pyramid_peer, why=str(error))
    against = pyramid_for(annotation, pyramid_peer.assessor, pyramids)
    if isinstance(against, str):
        return replace(pyramid_peer, annotation=annotation, why=against)
    return replace(pyramid_peer, annotation=annotation, against=against)


def _pyramids(batch: TopicBatch) -> list[Built]:
    """Those that can be read; one that cannot leaves its annotations without a pyramid, which is said there."""
    pyramids = []
    for judged in batch.judgments:
        try:
            pyramids += built([judged])
        except DataError:
            continue
    return pyramids


def _references(
    batch: TopicBatch, pyramids: list[Built], annotated: list[PyramidPeer]
) -> Iterator[PyramidPeer]:
    """Of several pyramids of one assessor, the one that most annotations are scored against."""
    uses = Counter(peer.against.digest for peer in annotated if peer.against is not None)
    peers = set(map(TextRef.of, batch.peers))
    done = {(peer.text, peer.assessor) for peer in annotated}
    for one in sorted(pyramids, key=lambda one: (-uses[one.digest], one.digest)):
        for reference in one.pyramid.references:
            text, who = TextRef(reference.system, *reference.target), one.judged.task.assessor
            if text in peers and (text, who) not in done:
                done.add((text, who))
                annotation = annotation_of_reference(one.pyramid, reference.system)
                yield PyramidPeer(
                    text=text,
                    assessor=who,
                    repeat=0,
                    annotation=annotation,
                    against=one,
                )


# The measures


@dataclass(frozen=True)
class JudgedPyramid(JudgedMeasure):
    """What these measures share: a row per peer, assessor and repeat."""

    PROTOCOLS = (PyramidProtocol,)
    CITATION = NENKOVA
    range: ClassVar[tuple[float | None, float | None]] = (0.0, None)
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in pyramid_peers(batch):
            value, why = math.nan, peer.why
            if peer.against is not None and peer.annotation is not None:
                value, why = self.of(peer, peer.against.pyramid, peer.annotation)
            yield peer.row(self, batch, value, why)

    def of(self, peer: PyramidPeer, pyramid: Pyramid, annotation: PeerAnnotation) -> tuple[float, str | None]:
        """A peer's value, or NaN and why."""
        raise TypeError(f"{type(self).__name__} does not say what it makes of an annotation")

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        peers = [peer for batch in batches for peer in pyramid_peers(batch)]
        unreadable = sum(
            (sum(PYRAMID in judged.answers for judged in batch.judgments) - len(_pyramids(batch)))
            for batch in batches
        )
        changed = sum(
            peer.annotation is not None
            and peer.against is not None
            and peer.annotation.pyramid not in (None, peer.against.digest)
            for peer in peers
        )
        warnings = []
        if unreadable:
            warnings.append(
                counted(
                    unreadable,
                    "pyramid cannot be read and was left out",
                    "pyramids cannot be read and were left out",
                )
            )
        if changed:
            warnings.append(
                f"{counted(changed, 'annotation was', 'annotations were')} made on a pyramid that has changed since:"
                " units that are gone match nothing"
            )
        return warnings


@dataclass(frozen=True)
class PyramidScore(JudgedPyramid):
    """The weight of the content units that a summary expresses, over the most that could be expected of it.

    A unit weighs as much as references express it; what is expressed twice counts once. Whoever wrote one of the
    references is scored against the pyramid of the others, and needs no annotation: the pyramid has it.

    stat       original: over the most that as many units as the summary has can weigh; modified: as many as a
               reference has on average; comprehensive: the harmonic mean of the two
    rounding   of that average: nist rounds half up, ducview rounds down and lets no modified score exceed 1
    refs       all of the pyramid's, or jackknife: the mean over leaving out each reference in turn
    """

    stat: str = "modified"
    rounding: str = "nist"
    refs: str = "all"

    FAMILY = "pyramid"
    TITLE = "pyramid score"
    ABOUT = "weight of the references' content units that people found in a summary"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "stat": ("original", "modified", "comprehensive"),
        "rounding": ("nist", "ducview"),
        "refs": ("all", "jackknife"),
    }

    def signed_options(self) -> dict[str, Any]:
        options = super().signed_options()
        return {k: v for k, v in options.items() if k != "rounding"} if self.stat == "original" else options

    def of(self, peer: PyramidPeer, pyramid: Pyramid, annotation: PeerAnnotation) -> tuple[float, str | None]:
        left_out: list[str] = [peer.system] if peer.wrote_one else []
        if self.refs == "jackknife" and not peer.wrote_one:
            if not pyramid.references:
                return math.nan, "which references the pyramid has is not known"
            left_out = list(pyramid.systems) if len(pyramid.systems) > 1 else []
        pyramids = [pyramid.without(system) for system in left_out] or [pyramid]
        values = []
        for reduced in pyramids:
            value, why = scored(reduced, annotation, self.stat, self.rounding)
            if why is not None:
                return value, why
            values.append(value)
        return fsum(values) / len(values), None

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        warnings = super().warnings(batches)
        peers = [peer for batch in batches for peer in pyramid_peers(batch) if peer.against is not None]
        if self.refs == "all" and len(writers := {peer.wrote_one for peer in peers}) > 1 and True in writers:
            warnings.append(
                "peers who wrote a reference are scored against one reference fewer than the others:"
                " the option refs=jackknife is fair to all"
            )
        judged = [peer for peer in peers if not peer.wrote_one and peer.annotation is not None]
        bare = sum(not peer.annotation.times().get(UNMATCHED) for peer in judged if peer.annotation)
        if self.stat != "modified" and bare:
            warnings.append(
                f"annotations that mark nothing outside the pyramid: {bare:,} of {len(judged):,}; where assessors were"
                " not asked to, only the modified score means something"
            )
        return warnings


@dataclass(frozen=True)
class PyramidUnits(JudgedPyramid):
    """How many content units a summary has.

    count   all; matched: distinct units of the pyramid; repeated: how many more times it expresses those;
            unmatched: units that the pyramid does not have; weight: of those it matches
    """

    count: str = "all"

    FAMILY = "pyramid-units"
    TITLE = "pyramid units"
    ABOUT = "content units that people found in a summary: matched, repeated, not in the pyramid"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "count": ("all", "matched", "repeated", "unmatched", "weight"),
    }
    better = None

    def of(self, peer: PyramidPeer, pyramid: Pyramid, annotation: PeerAnnotation) -> tuple[float, str | None]:
        counts = tally(pyramid.without(peer.system) if peer.wrote_one else pyramid, annotation)
        return float(getattr(counts, "size" if self.count == "all" else self.count)), None
