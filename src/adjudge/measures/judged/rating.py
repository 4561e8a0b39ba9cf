"""Ratings: what people gave a summary on an aspect, as it is or as z-scores within each assessor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import ClassVar, cast

from adjudge.core.errors import UsageError, nearest, quoted
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.kinds.rating import RatingProtocol
from adjudge.judgments.protocol import RATING
from adjudge.judgments.tasks import Judged, is_anonymous
from adjudge.measures.base import Measure, Need
from adjudge.measures.judged.answers import JudgedMeasure, given_value, judged_peers, score_row


def aspects(batches: Sequence[TopicBatch]) -> list[str]:
    """The aspects that have ratings, in the order in which they come up."""
    names = (
        question.removeprefix(RATING)
        for batch in batches
        for judged, _, _ in judged_peers(batch, RatingProtocol)
        for question in judged.answers
        if question.startswith(RATING)
    )
    return list(dict.fromkeys(names))


ALL = "all"
Rated = tuple[Judged, int, float]
"""A task, which repeat it is, and its rating."""


@dataclass(frozen=True)
class Rating(JudgedMeasure):
    """What assessors gave a summary on one aspect: a row per assessor; tables pool them by mean or median.

    aspect   as the protocol calls it: content, overall, coherence, 3 (a question's number); all: each of them
    scale    raw, or z: how many of an assessor's own standard deviations above the assessor's own mean. z needs
             two different ratings by the assessor. Anonymous positions are not persons, and have no z.
    """

    aspect: str = ALL
    scale: str = "raw"

    FAMILY = "rating"
    PROTOCOLS = (RatingProtocol,)
    ABOUT = "what people gave on an aspect (responsiveness, linguistic quality, any scale)"
    CITATION = "Dang 2005, Overview of DUC 2005"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"scale": ("raw", "z")}
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {"aspect": ("overall", "content", "coherence")}
    range: ClassVar[tuple[float | None, float | None]] = (None, None)
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})

    def __post_init__(self) -> None:
        if not self.aspect.strip():
            raise UsageError("rating: aspect is empty; expected a name such as overall")

    @property
    def title_name(self) -> str:
        return "rating" if self.aspect == ALL else f"{self.aspect} rating"

    def title_details(self) -> list[str]:
        return ["z-scores"] if self.scale == "z" else []

    @property
    def scope(self) -> str:  # type: ignore[override]
        """A z-score depends on everything an assessor rated."""
        return "evaluation" if self.scale == "z" else "topic"

    def fitted(self, batches: Sequence[TopicBatch]) -> list[Measure]:
        """Plain `rating` stands for every aspect that somebody rated."""
        if self.aspect != ALL:
            return [self]
        return [replace(self, aspect=aspect) for aspect in aspects(batches)] or [self]

    def why_nothing(self, batches: Sequence[TopicBatch]) -> str:
        there = aspects(batches)
        if not there:
            return "nobody rated anything; ratings come from a protocol of the kind rating"
        hint = nearest(self.aspect, there, most=1)
        return f"nobody was asked for {quoted(self.aspect)}{hint}; the aspects are: {', '.join(there)}"

    def rated(self, batch: TopicBatch) -> Iterator[Rated]:
        question = f"{RATING}{self.aspect}"
        for judged, _, repeat in judged_peers(batch, RatingProtocol, question=question):
            value = given_value(judged.answers[question].answer)
            if isinstance(value, int | float):
                yield judged, repeat, float(value)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        yield from self._rows([batch])

    @classmethod
    def score_many(cls, measures: Sequence[Measure], batches: Sequence[TopicBatch]) -> Iterator[Score]:
        for measure in cast(Sequence[Rating], measures):
            yield from measure._rows(batches)

    def _rows(self, batches: Sequence[TopicBatch]) -> Iterator[Score]:
        ratings = [rated for batch in batches for rated in self.rated(batch)]
        if self.scale == "raw":
            for judged, repeat, value in ratings:
                yield score_row(self, judged, repeat, value)
            return
        by_assessor: dict[str, list[float]] = {}
        for judged, _, value in ratings:
            by_assessor.setdefault(judged.task.assessor, []).append(value)
        for judged, repeat, value in ratings:
            if is_anonymous(judged.task.assessor):
                yield score_row(
                    self, judged, repeat, math.nan, "an anonymous crowd is no person, and has no z"
                )
                continue
            values = by_assessor[judged.task.assessor]
            spread = stdev(values) if len(values) > 1 else 0.0
            if spread > 0:
                yield score_row(self, judged, repeat, (value - fmean(values)) / spread)
            else:
                yield score_row(self, judged, repeat, math.nan, "the assessor's ratings do not vary")
