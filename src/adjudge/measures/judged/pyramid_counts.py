"""The arithmetic of pyramids: what an annotation comes to, and the three scores. Who is scored lives in pyramid.py."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adjudge.judgments.pyramid import PeerAnnotation, Pyramid


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
