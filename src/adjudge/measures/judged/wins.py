"""Duels between summaries: how many of its duels a system wins on a topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar

from adjudge.core.words import counted
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.pairs.sides import WON, judged_pairs, named_summary
from adjudge.judgments.tasks import TextRef
from adjudge.measures.base import Need
from adjudge.measures.judged.answers import JudgedMeasure

Dueller = tuple[TextRef, str]
"""Whose summary, and who judged."""


@dataclass(frozen=True)
class Wins(JudgedMeasure):
    """The share of a summary's duels that it wins, as one assessor judged them; a tie is half a win.

    A duel that was asked again is one more duel. What was skipped is none.
    """

    FAMILY = "wins"
    TITLE = "share of duels won"
    ABOUT = "share of a summary's duels with others that it wins, as judged"
    CITATION = "Bradley and Terry 1952, Rank Analysis of Incomplete Block Designs"
    needs: ClassVar[frozenset[Need]] = frozenset({"judgments"})

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        """A row per summary and assessor; a peer that nobody has judged has one that says so."""
        duels, _ = duels_of(batch)
        for (text, assessor), won in duels.items():
            row = (batch.topic.topic, text.system, fmean(won), *text.target)
            yield Score(str(self), *row, assessor=assessor)
        judged = {text for text, _ in duels}
        for peer in batch.peers:
            if TextRef.of(peer) not in judged:
                yield self.missing(batch, peer, "no duel with another summary was judged")

    def warnings(self, batches: Sequence[TopicBatch]) -> list[str]:
        left: Counter[str] = Counter()
        for batch in batches:
            left.update(duels_of(batch)[1])
        return [
            f"{counted(count, 'preference')} between summaries left out: {why}" for why, count in left.items()
        ]


def duels_of(batch: TopicBatch) -> tuple[dict[Dueller, list[float]], Counter[str]]:
    """What each summary won in its duels, by assessor: 1, 0 or 0.5 each; and how many answers say nothing."""
    return batch.once("judged/duels", lambda: _duels_of(batch))


def _duels_of(batch: TopicBatch) -> tuple[dict[Dueller, list[float]], Counter[str]]:
    duels: dict[Dueller, list[float]] = {}
    left_out: Counter[str] = Counter()
    for task, event in judged_pairs(batch, "summaries"):
        left, right = named_summary(task.left), named_summary(task.right)
        won = WON.get(event.answer.get("winner"))
        if won is None:
            left_out["skipped"] += 1
        elif left is None or right is None or left == right:
            left_out["a side names no summary, or both the same"] += 1
        else:
            duels.setdefault((left, task.assessor), []).append(won)
            duels.setdefault((right, task.assessor), []).append(1 - won)
    return duels, left_out
