"""ROUGE-N: clipped n-gram overlap with the references, as ROUGE-1.5.5 counts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from adjudge.collection.rows import Summary
from adjudge.measures.base import Measure, Need, TopicBatch, no_reference
from adjudge.scores import Score
from adjudge.text.stem import STEMMERS, stem_words
from adjudge.text.words import WORD_RULES

ROUGE_N = range(1, 10)
Grams = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Counts:
    """What a comparison comes down to. Counts of several references add up before they are divided."""

    hits: int
    peer: int
    reference: int

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.hits + other.hits, self.peer + other.peer, self.reference + other.reference)

    def recall(self) -> float:
        return self.hits / self.reference if self.reference else 0.0

    def precision(self) -> float:
        return self.hits / self.peer if self.peer else 0.0


def overlap(peer: Grams, reference: Grams) -> Counts:
    """An n-gram counts as often as the rarer side has it (Lin 2004, equation 1)."""
    hits = sum(min(count, peer[gram]) for gram, count in reference.items() if gram in peer)
    return Counts(hits, peer.total(), reference.total())


@dataclass(frozen=True)
class RougeN(Measure):
    """Lin 2004, section 2. Defaults are DUC's: recall, Porter's stemmer, references pooled.

    refs=pooled   hits in all references over n-grams in all references (ROUGE-1.5.5's -f A)
    refs=best     the reference with the highest recall (-f B), for precision and F too
    refs=jackknife  the mean over leaving out each reference in turn, so that a person, who is never held
                  against himself, and a machine meet equally many references (NIST's habit)
    """

    n: int = 1
    stat: str = "recall"
    stem: str = "porter"
    words: str = "rouge"
    refs: str = "pooled"

    FAMILY = "rouge"
    ABOUT = "n-gram overlap with the references"
    CITATION = "Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, section 2"
    FIXED = ("n",)
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "stat": ("recall", "precision", "f"),
        "stem": STEMMERS,
        "words": tuple(WORD_RULES),
        "refs": ("pooled", "best", "jackknife"),
    }
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    @property
    def name(self) -> str:
        return f"rouge-{self.n}"

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in batch.peers:
            references = batch.references_for(peer)
            if not references:
                yield self.missing(batch, peer, no_reference(peer, batch.references))
                continue
            counts = [overlap(self._grams(batch, peer), self._grams(batch, r)) for r in references]
            own = any(r.key == peer.key for r in batch.references)
            yield self.row(batch, peer, self._over_references(counts, own))

    def _over_references(self, counts: Sequence[Counts], wrote_one: bool) -> float:
        """One number from the counts against each reference."""
        if self.refs == "best":
            return self._ratio(max(counts, key=Counts.recall))
        if self.refs == "pooled" or wrote_one or len(counts) == 1:
            return self._ratio(sum(counts, Counts(0, 0, 0)))
        left_out = [
            self._ratio(sum((c for k, c in enumerate(counts) if k != out), Counts(0, 0, 0)))
            for out in range(len(counts))
        ]
        return sum(left_out) / len(left_out)

    def _ratio(self, counts: Counts) -> float:
        recall, precision = counts.recall(), counts.precision()
        if self.stat == "recall":
            return recall
        if self.stat == "precision":
            return precision
        return 2 * precision * recall / (precision + recall) if counts.hits else 0.0

    def _grams(self, batch: TopicBatch, summary: Summary) -> Grams:
        return batch.once((summary.key, self.words, self.stem, self.n), lambda: self._count(batch, summary))

    def _count(self, batch: TopicBatch, summary: Summary) -> Grams:
        words = batch.once(
            (summary.key, self.words, self.stem),
            lambda: stem_words(WORD_RULES[self.words](summary.text), self.stem),
        )
        return Counter(zip(*(words[k:] for k in range(self.n)), strict=False))
