"""How long a summary is. A description: it has no better or worse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure
from adjudge.text.words import count_words


@dataclass(frozen=True)
class Words(Measure):
    """Number of words: white-space separated tokens with a letter or digit in them."""

    FAMILY = "words"
    ABOUT = "number of words in the summary (a description, no direction)"
    CITATION = "Over and Liggett 2002: length is counted in words"
    better = None
    range = (0.0, None)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in batch.peers:
            yield self.row(batch, peer, float(count_words(peer.text)))
