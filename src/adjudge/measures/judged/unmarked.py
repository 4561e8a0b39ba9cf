"""Peer units that matched nothing of the reference: how many, and how many of them are relevant all the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.protocol import UNMARKED
from adjudge.measures.base import Measure, Need
from adjudge.measures.judged.answers import Page, pages, score_row
from adjudge.measures.judged.coverage import OVER_LIGGETT


@dataclass(frozen=True)
class Unmarked(Measure):
    """Peer units that were never marked.

    count   all: how many there are; relevant: how many of them were said to be relevant to the subject
    """

    count: str = "all"

    FAMILY = "unmarked"
    ABOUT = "peer units that matched nothing of the reference"
    CITATION = OVER_LIGGETT
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"count": ("all", "relevant")}
    better = None
    range: ClassVar[tuple[float | None, float | None]] = (0.0, None)
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})
    uses: ClassVar[frozenset[Need]] = frozenset({"units"})

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for page in pages(batch):
            number, why = unmarked_units(page)
            if why is None and self.count == "relevant":
                number, why = self._relevant(page, number)
            yield score_row(self, page.judged, page.repeat, number, why)

    def _relevant(self, page: Page, number: float) -> tuple[float, str | None]:
        if not number:
            return 0.0, None
        if UNMARKED not in page.judged.answers:
            return math.nan, "the unmarked units are not judged yet"
        return number * float(page.judged.answers[UNMARKED].answer["relevant"]), None


def unmarked_units(page: Page) -> tuple[float, str | None]:
    """How many peer units a page leaves unmarked, or NaN and why."""
    if not page.completeness:
        value = page.summed.get("unmarked")
        return (math.nan, "the page's units are not known") if value is None else (float(value), None)
    if page.peer_units is None:
        return math.nan, "the peer has no units"
    if why := page.why():
        return math.nan, why
    return float(page.peer_units - len(page.marked)), None
