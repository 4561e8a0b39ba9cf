"""Two measures of one's own: a function, and a class that has an option."""

from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.measures import Measure, Score, TopicBatch, measure


@measure(better="lower", needs="documents", range=(0, 1))
def unsaid(summary: str, references: list[str], documents: list[str]) -> float:
    """Share of the summary's words that no document has."""
    said = {word for text in documents for word in text.lower().split()}
    words = summary.lower().split()
    return sum(word not in said for word in words) / len(words)


@dataclass(frozen=True)
class Signs(Measure):
    """How often a sign stands in the summary."""

    sign: str = "!"

    FAMILY = "signs"
    ABOUT = "how often a sign stands in the summary"
    CITATION = "the plugin-example package"
    better = None
    range = (0.0, None)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in batch.peers:
            yield self.row(batch, peer, float(peer.text.count(self.sign)))
