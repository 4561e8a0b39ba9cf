"""Coverage and its kin: how much of the reference's units a summary expresses, as people judged it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import ClassVar

from adjudge.data.scores import Score
from adjudge.errors import UsageError
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.protocol import inconsistency
from adjudge.measures.base import Measure, Need
from adjudge.measures.judged.answers import Page, pages, score_row
from adjudge.text.words import count_words
from adjudge.wording import counted

LIN_HOVY = "Lin and Hovy 2002, Manual and Automatic Evaluation of Summaries, section 3.1"
OVER_LIGGETT = "Over and Liggett 2002, Introduction to DUC-2002"


@dataclass(frozen=True)
class JudgedCoverage(Measure):
    """What these measures share: a row per assessor, reference and repeat; NaN until every unit is judged."""

    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})
    uses: ClassVar[frozenset[Need]] = frozenset({"units"})

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for page in pages(batch):
            why = page.why()
            if why is None:
                value, why = self.of(page, batch)
            else:
                value = math.nan
            yield score_row(self, page.judged, page.repeat, value, why)

    def of(self, page: Page, batch: TopicBatch) -> tuple[float, str | None]:
        """A page's value, or NaN and why."""
        if not page.completeness:
            return self.summed(page)
        return self.of_units(page.completeness), None

    def of_units(self, completeness: Sequence[float]) -> float:
        """The value of a page whose units are known."""
        raise TypeError(f"{type(self).__name__} does not say what it makes of units")

    def summed(self, page: Page) -> tuple[float, str | None]:
        """The value of a page of which only sums are known."""
        return math.nan, "only sums of the page are known, not its units"

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        answers = (
            event.answer
            for batch in batches
            for page in pages(batch)
            for question, event in page.judged.answers.items()
            if question.startswith("unit:")
        )
        found = sum(inconsistency(answer) is not None for answer in answers)
        if not found:
            return []
        return [
            f"{counted(found, 'answer contradicts itself', 'answers contradict themselves')}: units marked but"
            " given none, or given something with nothing marked; completeness counts (adjudge judgments list)"
        ]


@dataclass(frozen=True)
class Recall(JudgedCoverage):
    """The share of model units at or above a threshold (McKeown et al. 2001): 4 all, 3 most, 2 some, 1 hardly any.

    On other scales a threshold t is a completeness of t/4 or more.
    """

    threshold: int = 1

    FAMILY = "recall"
    ABOUT = "share of the references' units judged to be expressed, at or above a threshold"
    CITATION = LIN_HOVY

    def __post_init__(self) -> None:
        if self.threshold not in (1, 2, 3, 4):
            raise UsageError(f"recall: threshold={self.threshold}; expected 1, 2, 3 or 4")

    def of_units(self, completeness: Sequence[float]) -> float:
        return sum(each >= self.threshold / 4 for each in completeness) / len(completeness)


@dataclass(frozen=True)
class Retention(JudgedCoverage):
    """Retention_1 counts the model units of which something is expressed, Retention_w sums their completeness;
    both over the number of model units. A unit counts when its completeness is above 0, marked or not.

    weighted   true for Retention_w, which is the mean coverage
    """

    weighted: bool = False

    FAMILY = "retention"
    ABOUT = "share of the references' units of which people found something, or how much"
    CITATION = LIN_HOVY

    def of_units(self, completeness: Sequence[float]) -> float:
        if self.weighted:
            return fmean(completeness)
        return sum(each > 0 for each in completeness) / len(completeness)


@dataclass(frozen=True)
class Coverage(JudgedCoverage):
    """The average completeness of the model units.

    stat   mean or median
    """

    stat: str = "mean"

    FAMILY = "coverage"
    ABOUT = "how much of the references' units is expressed, on average, as judged"
    CITATION = OVER_LIGGETT
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"stat": ("mean", "median")}

    def of_units(self, completeness: Sequence[float]) -> float:
        return fmean(completeness) if self.stat == "mean" else median(completeness)

    def summed(self, page: Page) -> tuple[float, str | None]:
        value = page.summed.get(self.stat)
        return (math.nan, f"the table has no {self.stat} coverage") if value is None else (float(value), None)


@dataclass(frozen=True)
class AdjustedCoverage(JudgedCoverage):
    """Coverage that rewards brevity: (1 - weight) coverage + weight brevity, where brevity is the share of the
    target length that the summary leaves unused, 0 where it is as long or longer.

    An empty summary gets the formula's value. Without a target length there is no score.

    stat     mean or median of the model units' values
    weight   of brevity, 1/3 at DUC-2002
    """

    stat: str = "mean"
    weight: float = 1 / 3

    FAMILY = "length-adjusted-coverage"
    ABOUT = "coverage with a bonus for summaries shorter than asked"
    CITATION = OVER_LIGGETT
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"stat": ("mean", "median")}
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {"weight": ("0.25",)}

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise UsageError(f"{self.name}: weight={self.weight:g}; expected a number from 0 to 1")

    def of(self, page: Page, batch: TopicBatch) -> tuple[float, str | None]:
        task = page.judged.task
        if not page.completeness:
            return self.summed(page)
        if task.peer is None or task.peer.length is None:
            return math.nan, "the target length is not set"
        text = next(
            (p.text for p in batch.peers if (p.system, p.length) == (task.peer.system, task.peer.length)),
            None,
        )
        if text is None:
            return math.nan, "the summary's text is not there, so its length is not known"
        brevity = max(0.0, (task.peer.length - count_words(text)) / task.peer.length)
        average = fmean(page.completeness) if self.stat == "mean" else median(page.completeness)
        return (1 - self.weight) * average + self.weight * brevity, None

    def summed(self, page: Page) -> tuple[float, str | None]:
        value = page.summed.get(f"adjusted_{self.stat}")
        if value is None or not math.isclose(self.weight, 1 / 3):
            return math.nan, "the table has no length-adjusted coverage with these weights"
        return float(value), None

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        judged = {(b.topic.topic, p.judged.task.peer) for b in batches for p in pages(b)}
        empty = sum(
            not peer.text.strip()
            for b in batches
            for peer in b.peers
            if any(
                t == b.topic.topic and ref and (ref.system, ref.length) == (peer.system, peer.length)
                for t, ref in judged
            )
        )
        found = super().warnings(batches)
        if empty:
            found.append(
                f"{counted(empty, 'empty summary', 'empty summaries')} got {self.weight:.3g} for brevity alone"
            )
        return found


@dataclass(frozen=True)
class Uncovered(JudgedCoverage):
    """The share of model units of which nothing is expressed. 62 % at DUC-2002, about 42 % for people's summaries."""

    FAMILY = "uncovered"
    ABOUT = "share of the references' units with no coverage at all"
    CITATION = OVER_LIGGETT
    better = "lower"

    def of_units(self, completeness: Sequence[float]) -> float:
        return sum(each == 0 for each in completeness) / len(completeness)
