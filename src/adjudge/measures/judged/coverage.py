"""Coverage: how much of the reference's units a summary expresses, as people judged it, whole and by level."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import ClassVar

from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument, Call
from adjudge.core.words import counted
from adjudge.data.rows import Unit
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.kinds.coverage import CoverageProtocol
from adjudge.judgments.levels import author_lengths, level_of
from adjudge.judgments.protocol import UNMARKED, inconsistency
from adjudge.judgments.tasks import TextRef
from adjudge.measures.base import Need
from adjudge.measures.judged.answers import JudgedMeasure, JudgedPage, pages, protocol_of, score_row
from adjudge.text.words import count_words

LIN_HOVY = "Lin and Hovy 2002, Manual and Automatic Evaluation of Summaries, section 3.1"
OVER_LIGGETT = "Over and Liggett 2002, Introduction to DUC-2002"
ONLY_SUMS = "only sums of the page are known, not its units"


@dataclass(frozen=True)
class JudgedCoverage(JudgedMeasure):
    """What these measures share: a row per assessor, reference and repeat; NaN until every unit is judged."""

    PROTOCOLS = (CoverageProtocol,)
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

    def of(self, page: JudgedPage, batch: TopicBatch) -> tuple[float, str | None]:
        """A page's value, or NaN and why."""
        if not page.completeness:
            return self.summed(page)
        return self.of_units(page.completeness), None

    def of_units(self, completeness: Sequence[float]) -> float:
        """The value of a page whose units are known."""
        raise TypeError(f"{type(self).__name__} does not say what it makes of units")

    def summed(self, page: JudgedPage) -> tuple[float, str | None]:
        """The value of a page of which only sums are known."""
        return math.nan, ONLY_SUMS

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        answers = (
            event.answer
            for batch in batches
            for page in pages(batch)
            for question, event in page.judged.answers.items()
            if question.startswith("unit:")
        )
        contradictions = sum(inconsistency(answer) is not None for answer in answers)
        if not contradictions:
            return []
        return [
            f"{counted(contradictions, 'answer contradicts itself', 'answers contradict themselves')}: units marked but"
            " given none, or given something with nothing marked; completeness counts (adjudge judgments list)"
        ]


@dataclass(frozen=True)
class Recall(JudgedCoverage):
    """The share of model units at or above a threshold (McKeown et al. 2001): 4 all, 3 most, 2 some, 1 hardly any.

    On other scales a threshold t is a completeness of t/4 or more.
    """

    threshold: int = 1

    FAMILY = "recall"
    TITLE = "judged recall"
    ABOUT = "share of the references' units judged to be expressed, at or above a threshold"
    CITATION = LIN_HOVY

    def __post_init__(self) -> None:
        if self.threshold not in (1, 2, 3, 4):
            raise UsageError(f"recall: threshold={self.threshold}; expected 1, 2, 3 or 4")

    def of_units(self, completeness: Sequence[float]) -> float:
        return sum(share >= self.threshold / 4 for share in completeness) / len(completeness)


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
        return sum(share > 0 for share in completeness) / len(completeness)


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

    def summed(self, page: JudgedPage) -> tuple[float, str | None]:
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
    TITLE = "length-adjusted coverage"
    ABOUT = "coverage with a bonus for summaries shorter than asked"
    CITATION = OVER_LIGGETT
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"stat": ("mean", "median")}
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {"weight": ("0.25",)}

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise UsageError(f"{self.name}: weight={self.weight:g}; expected a number from 0 to 1")

    def of(self, page: JudgedPage, batch: TopicBatch) -> tuple[float, str | None]:
        task = page.judged.task
        if not page.completeness:
            return self.summed(page)
        if task.peer is None or task.peer.length is None:
            return math.nan, "the target length is not set"
        text = next(
            (p.text for p in batch.peers if TextRef.of(p) == task.peer),
            None,
        )
        if text is None:
            return math.nan, "the summary's text is not there, so its length is not known"
        brevity = max(0.0, (task.peer.length - count_words(text)) / task.peer.length)
        average = fmean(page.completeness) if self.stat == "mean" else median(page.completeness)
        return (1 - self.weight) * average + self.weight * brevity, None

    def summed(self, page: JudgedPage) -> tuple[float, str | None]:
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
            if any(t == b.topic.topic and ref == TextRef.of(peer) for t, ref in judged)
        )
        warnings = super().warnings(batches)
        if empty:
            warnings.append(
                f"{counted(empty, 'empty summary', 'empty summaries')} got {self.weight:.3g} for brevity alone"
            )
        return warnings


@dataclass(frozen=True)
class Uncovered(JudgedCoverage):
    """The share of model units of which nothing is expressed. 62 % at DUC-2002, about 42 % for people's summaries."""

    FAMILY = "uncovered"
    TITLE = "uncovered units"
    ABOUT = "share of the references' units with no coverage at all"
    CITATION = OVER_LIGGETT
    better = "lower"

    def of_units(self, completeness: Sequence[float]) -> float:
        return sum(share == 0 for share in completeness) / len(completeness)


# Coverage by level: how short a reference of the author still has the unit (judgments/levels.py)

NO_LEVELS = (
    "the reference's units have no levels"
    f" ({Call(command=['units'], arguments=[Argument('levels', True)])}, where authors wrote several lengths)"
)


@dataclass(frozen=True)
class LevelCoverage(JudgedCoverage):
    """What the measures by level share: a page's model units with their levels."""

    uses: ClassVar[frozenset[Need]] = frozenset({"units", "references"})

    def of(self, page: JudgedPage, batch: TopicBatch) -> tuple[float, str | None]:
        if not page.completeness:
            return self.summed(page)
        units = model_units(page, batch)
        levels = [level for unit in units if (level := level_of(unit)) is not None]
        if not levels:
            return math.nan, NO_LEVELS
        if len(levels) < len(units):
            return (
                math.nan,
                f"{len(units) - len(levels)} of {counted(len(units), 'model unit')} have no level",
            )
        return self.of_levels(levels, page, batch)

    def of_levels(
        self, levels: Sequence[int], page: JudgedPage, batch: TopicBatch
    ) -> tuple[float, str | None]:
        """The value of a page all of whose units have levels."""
        raise TypeError(f"{type(self).__name__} does not say what it makes of levels")


@dataclass(frozen=True)
class CoverageByLevel(LevelCoverage):
    """The average completeness of the model units of one level.

    level   the shortest reference length at which the units still appear
    """

    level: int = 50

    FAMILY = "coverage-by-level"
    ABOUT = "coverage of the units that references of one length still hold, as judged"
    CITATION = OVER_LIGGETT
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {"level": ("50",)}

    @property
    def title_name(self) -> str:
        return f"coverage of units of {self.level} words"

    def title_details(self) -> list[str]:
        return []

    def __post_init__(self) -> None:
        if self.level < 1:
            raise UsageError(f"{self.name}: level={self.level}; expected a target length in words")

    def of_levels(
        self, levels: Sequence[int], page: JudgedPage, batch: TopicBatch
    ) -> tuple[float, str | None]:
        shares = [
            share for share, level in zip(page.completeness, levels, strict=True) if level == self.level
        ]
        if not shares:
            return math.nan, f"the reference has no unit of level {self.level}"
        return fmean(shares), None


@dataclass(frozen=True)
class LevelWeightedCoverage(LevelCoverage):
    """Coverage in which a model unit weighs as many as the target lengths at which its author has it: of the lengths
    200, 100, 50 and 10 a unit of level 10 weighs 4, one of level 200 weighs 1.
    """

    FAMILY = "level-weighted-coverage"
    TITLE = "level-weighted coverage"
    ABOUT = "coverage in which units that short references still hold weigh more, as judged"
    CITATION = OVER_LIGGETT

    def of_levels(
        self, levels: Sequence[int], page: JudgedPage, batch: TopicBatch
    ) -> tuple[float, str | None]:
        wanted = page.judged.task.reference
        reference = next((r for r in batch.references if TextRef.of(r) == wanted), None)
        lengths = author_lengths(reference, batch.references)
        weights = [sum(length >= level for length in lengths) for level in levels]
        if not all(weights):
            return math.nan, "a unit's level is longer than all of its author's references"
        total = math.fsum(weight * share for weight, share in zip(weights, page.completeness, strict=True))
        return total / sum(weights), None


def model_units(page: JudgedPage, batch: TopicBatch) -> list[Unit]:
    """The reference's units, in the order of the page's completeness; none where they are not in the collection."""
    task = page.judged.task
    if task.reference is None:
        return []
    return batch.units_of(task.reference, protocol_of(batch, task.protocol).model_units)


# Peer units that matched nothing


@dataclass(frozen=True)
class Unmarked(JudgedMeasure):
    """Peer units that were never marked: nothing of the reference matched them.

    count   all: how many there are; relevant: how many of them were said to be relevant to the subject
    """

    count: str = "all"

    FAMILY = "unmarked"
    PROTOCOLS = (CoverageProtocol,)
    TITLE = "unmarked units"
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
                if not number:
                    number, why = 0.0, None
                elif UNMARKED not in page.judged.answers:
                    number, why = math.nan, "the unmarked units are not judged yet"
                else:
                    number, why = number * float(page.judged.answers[UNMARKED].answer["relevant"]), None
            yield score_row(self, page.judged, page.repeat, number, why)


def unmarked_units(page: JudgedPage) -> tuple[float, str | None]:
    """How many peer units a page leaves unmarked, or NaN and why."""
    if not page.completeness:
        value = page.summed.get("unmarked")
        return (math.nan, "the page's units are not known") if value is None else (float(value), None)
    if page.peer_units is None:
        return math.nan, "the peer has no units"
    if why := page.why():
        return math.nan, why
    return float(page.peer_units - len(page.marked)), None
