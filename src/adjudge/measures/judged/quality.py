"""Quality as people judged it: how many questions found errors, and levels of single questions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.protocol import QUALITY
from adjudge.measures.base import Measure, Need
from adjudge.measures.judged.answers import judged_peers, protocol_of, score_row
from adjudge.measures.judged.coverage import LIN_HOVY, OVER_LIGGETT

NONE = "0"
"""DUC-2002's answer "no error"."""


@dataclass(frozen=True)
class QualityErrors(Measure):
    """The number of quality questions that found one or more errors (DUC-2002's twelve).

    question   one of them alone, by number: 0 no error, 1 some (1-5), 2 many (6-10), 3 more
    """

    question: str = "all"

    FAMILY = "quality-errors"
    TITLE = "quality errors"
    ABOUT = "quality questions that found errors (DUC-2002)"
    CITATION = OVER_LIGGETT
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {"question": ("all", "7")}
    better = "lower"
    range: ClassVar[tuple[float | None, float | None]] = (0.0, None)
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for judged, _, repeat in judged_peers(batch, "coverage"):
            asked = [q for q in protocol_of(batch, judged.task.protocol).questions if NONE in q.values]
            if self.question != "all":
                asked = [q for q in asked if q.id == f"{QUALITY}{self.question}"]
            if not asked:
                continue
            given = [(q, judged.answers[q.id].answer["value"]) for q in asked if q.id in judged.answers]
            if len(given) < len(asked):
                why = f"{len(asked) - len(given)} of {len(asked)} quality questions are not answered yet"
                yield score_row(self, judged, repeat, math.nan, why)
            elif self.question == "all":
                yield score_row(self, judged, repeat, float(sum(value != NONE for _, value in given)))
            else:
                question, value = given[0]
                yield score_row(self, judged, repeat, float(question.values.index(value)))


@dataclass(frozen=True)
class Quality(Measure):
    """A question on quality with numbers for answers, such as DUC-2001's: 1 all, 3/4 most, 1/2 some, 1/4 hardly
    any, 0 none.

    question   grammaticality, cohesion or coherence, or what a protocol of your own asks
    """

    question: str = "grammaticality"

    FAMILY = "quality"
    ABOUT = "grammaticality, cohesion or coherence as judged (DUC-2001)"
    CITATION = LIN_HOVY
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {
        "question": ("grammaticality", "cohesion", "coherence"),
    }
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})

    @property
    def title_name(self) -> str:
        return f"quality: {self.question}"

    def title_details(self) -> list[str]:
        return []

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        id = f"{QUALITY}{self.question}"
        for judged, _, repeat in judged_peers(batch, "coverage"):
            asked = [q for q in protocol_of(batch, judged.task.protocol).questions if q.id == id]
            if not asked or isinstance(asked[0].values[0], str):
                continue
            if id not in judged.answers:
                yield score_row(self, judged, repeat, math.nan, "not answered yet")
            else:
                yield score_row(self, judged, repeat, float(judged.answers[id].answer["value"]))
