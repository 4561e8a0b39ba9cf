"""Judgments as tables count them: every page and every rating once, with source, task and protocol. Prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from adjudge.data.collection import Collection
from adjudge.data.scores import Score
from adjudge.judgments.batch import Judgments, TopicBatch, batches_of
from adjudge.judgments.protocol import Protocol
from adjudge.judgments.tasks import Judged, is_anonymous
from adjudge.measures.base import Measure
from adjudge.measures.judged.answers import Page, judged_peers, pages, protocol_of
from adjudge.wording import counted

SOURCES = {"machine": "systems", "baseline": "baselines", "human": "humans"}
"""Over and Liggett's three sources of peers; their "Manuals" are people's summaries."""


@dataclass(frozen=True)
class Entry:
    """One judgment of one peer, and where tables count it."""

    judged: Judged
    protocol: Protocol
    task: str | None
    """single or multi, of the topic."""
    source: str

    @property
    def system(self) -> str:
        assert self.judged.task.peer is not None
        return self.judged.task.peer.system

    @property
    def length(self) -> int | None:
        assert self.judged.task.peer is not None
        return self.judged.task.peer.length

    @property
    def assessor(self) -> str:
        return self.judged.task.assessor


@dataclass(frozen=True)
class Gathered:
    """All judgments of peers in a collection. A planted repeat does not count: it is there to study assessors."""

    collection: Collection
    judgments: Judgments

    @cached_property
    def batches(self) -> dict[str, TopicBatch]:
        return batches_of(self.collection, self.judgments)

    @cached_property
    def coverage(self) -> list[tuple[Entry, Page, TopicBatch]]:
        """Every page of a coverage protocol, each once."""
        return [
            (self._entry(page.judged, batch), page, batch)
            for batch in self.batches.values()
            for page in pages(batch)
            if counts(page.judged, page.repeat)
        ]

    @cached_property
    def ratings(self) -> list[Entry]:
        """Every task of a rating protocol, each once."""
        return [
            self._entry(judged, batch)
            for batch in self.batches.values()
            for judged, _, repeat in judged_peers(batch, "rating")
            if counts(judged, repeat)
        ]

    def scored(
        self, measure: Measure, asks: Callable[[Protocol], bool] = lambda protocol: True
    ) -> Iterator[tuple[Entry, Score]]:
        """A measure's rows, one per page of the protocols that ask what it measures."""
        at = {id(page.judged): entry for entry, page, _ in self.coverage}
        for batch in self.batches.values():
            # these measures give a row per page, in the order of the pages
            asked = [page for page in pages(batch) if asks(protocol_of(batch, page.judged.task.protocol))]
            for page, score in zip(asked, measure.score(batch), strict=True):
                if id(page.judged) in at:
                    yield at[id(page.judged)], score

    def notes(self) -> tuple[str, ...]:
        """What a reader should know of all tables."""
        found = list(self.judgments.notes())
        if repeats := self._repeats("coverage") + self._repeats("rating"):
            found.append(
                f"{counted(repeats, 'planted repeat')} left out of the tables: the first judgment counts"
            )
        gone = sum(
            len(each)
            for topic, each in self.judgments.by_topic.items()
            if topic not in self.collection.topics
        )
        if gone:
            found.append(f"{counted(gone, 'judgment')} of topics that are gone left out")
        return tuple(found)

    def _repeats(self, kind: str) -> int:
        return sum(
            not counts(judged, repeat)
            for batch in self.batches.values()
            for judged, _, repeat in judged_peers(batch, kind)
        )

    def _entry(self, judged: Judged, batch: TopicBatch) -> Entry:
        assert judged.task.peer is not None
        system = self.collection.systems.get(judged.task.peer.system)
        kind = system.kind if system is not None else None
        return Entry(
            judged, protocol_of(batch, judged.task.protocol), batch.topic.task, SOURCES[kind or "machine"]
        )


def gather(collection: Collection, judgments: Judgments) -> Gathered:
    """What every table starts from."""
    return Gathered(collection, judgments)


def counts(judged: Judged, repeat: int) -> bool:
    """Whether tables count a judgment: not a person's repeat. An anonymous crowd's "repeats" are different people."""
    return repeat == 0 or is_anonymous(judged.task.assessor)
