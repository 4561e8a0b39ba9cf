"""The truth behind preferences between sentences: how much each is worth. Where worth comes from is not known here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from adjudge.assessors.truth import Truth, side_key
from adjudge.data.collection import SourceSentence
from adjudge.errors import DataError
from adjudge.judgments.assign.tasks import place_side

EVEN = 0.5
"""Where sentences stand that are all worth the same."""


def truth_from_worth(worth: Mapping[str, Mapping[str, float]]) -> Truth:
    """What simulated assessors need to answer pairs: by topic, what every side is worth, by its `side_key`.

    Any numbers will do, such as those of Zopf 2018, equations 6 and 8: a topic's are spread from 0, the least, to 1,
    the most, since assessors' faults are shares of a scale. What is not a number is not known, so a pair with it
    cannot be answered.
    """
    found = {}
    for topic, sides in worth.items():
        known = [value for value in sides.values() if math.isfinite(value)]
        low, high = min(known, default=0.0), max(known, default=0.0)
        for side, value in sides.items():
            if math.isfinite(value):
                found[topic, side] = (value - low) / (high - low) if high > low else EVEN
    return Truth(worth=found)


def worth_by_side(sentences: Sequence[SourceSentence], worth: Sequence[float]) -> dict[str, float]:
    """What each sentence of a topic is worth, by the `side_key` of its places, as `truth_from_worth` takes it."""
    if len(sentences) != len(worth):
        raise DataError(f"{len(worth)} numbers for {len(sentences)} sentences")
    return {
        side_key(place_side(place)): float(value)
        for sentence, value in zip(sentences, worth, strict=True)
        for place in sentence.places
    }
