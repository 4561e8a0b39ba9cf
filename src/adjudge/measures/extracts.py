"""Sentence co-selection: does a peer take the source sentences that a reference extract takes?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary
from adjudge.data.scores import MeasureInfo, Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure, Need, no_reference
from adjudge.text.sentences import sentences
from adjudge.text.words import WORD_RULES


@dataclass(frozen=True, slots=True)
class Selection:
    """What a text took from its source: the numbers of source sentences, and how many came from nowhere."""

    taken: frozenset[int]
    astray: int

    @property
    def size(self) -> int:
        return len(self.taken) + self.astray


class SourceSentences:
    """The different sentences of a source, and the one that a given sentence is most like.

    Sentences are the same where they are so but for white space and case; then they share a number.
    """

    def __init__(self, texts: Iterable[str], words: str):
        self.numbers: dict[str, int] = {}
        for text in texts:
            self.numbers.setdefault(folded(text), len(self.numbers))
        self._words = WORD_RULES[words]

    @cached_property
    def _bags(self) -> list[Counter[str]]:
        return [Counter(self._words(text)) for text in self.numbers]

    @cached_property
    def _having(self) -> dict[str, list[int]]:
        """The numbers of the sentences that have a word."""
        having: dict[str, list[int]] = {}
        for number, bag in enumerate(self._bags):
            for word in bag:
                having.setdefault(word, []).append(number)
        return having

    def __len__(self) -> int:
        return len(self.numbers)

    def exact(self, sentence: str) -> int | None:
        return self.numbers.get(folded(sentence))

    def nearest(self, sentence: str, by: str, least: float) -> int | None:
        """The same sentence, or the most similar one, the first of several; None below `least`."""
        number = self.exact(sentence)
        if number is not None:
            return number
        bag = Counter(self._words(folded(sentence)))
        likeness = self._jaccard(bag) if by == "jaccard" else self._cosine(bag)
        best = min(likeness, key=lambda candidate: (-likeness[candidate], candidate), default=None)
        return best if best is not None and likeness[best] >= least else None

    def _jaccard(self, bag: Counter[str]) -> dict[int, float]:
        """Shared words over words of either, for every sentence that shares one."""
        shared = Counter(number for word in bag for number in self._having.get(word, ()))
        return {k: both / (len(bag) + len(self._bags[k]) - both) for k, both in shared.items()}

    def _cosine(self, bag: Counter[str]) -> dict[int, float]:
        """The cosine of the word counts, for every sentence that shares a word."""
        products: Counter[int] = Counter()
        for word, count in bag.items():
            for number in self._having.get(word, ()):
                products[number] += count * self._bags[number][word]
        square = _square(bag)
        return {k: product / math.sqrt(square * _square(self._bags[k])) for k, product in products.items()}


def folded(sentence: str) -> str:
    """A sentence without what does not make it another: case, and the kind of white space."""
    return " ".join(sentence.split()).casefold()


def _square(bag: Counter[str]) -> int:
    return sum(count * count for count in bag.values())


@dataclass(frozen=True)
class Extract(Measure):
    """Sentence co-selection against reference extracts, as DUC-2002 had them (Over and Liggett 2002).

    The sentences of a peer and of a reference are found in the source; sentences that are the same but for
    white space and case are one. Every reference gives its own row.

    stat=precision   shared sentences over the peer's sentences; one that is not in the source is a miss
    stat=recall      shared sentences over the reference's sentences that are in the source
    stat=f           the harmonic mean of both
    stat=kappa       agreement on all source sentences, to take or to leave, less chance (Cohen 1960)
    match=exact      a sentence is found where its text is
    match=nearest    otherwise it is the source sentence most like it, if the likeness is `least` or more;
                     by=jaccard shares words over words of either, by=cosine compares word counts
    """

    stat: str = "f"
    match: str = "exact"
    by: str = "jaccard"
    least: float = 0.5
    words: str = "unicode"

    FAMILY = "extract"
    ABOUT = "source sentences that the summary and a reference extract both take"
    CITATION = "Over and Liggett 2002, Introduction to DUC-2002; Cohen 1960 for kappa"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        "stat": ("f", "precision", "recall", "kappa"),
        "match": ("exact", "nearest"),
        "by": ("jaccard", "cosine"),
        "words": tuple(WORD_RULES),
    }
    needs: ClassVar[frozenset[Need]] = frozenset({"documents", "references"})

    def __post_init__(self) -> None:
        if not 0 < self.least <= 1:
            raise UsageError(f"extract: least={self.least}; expected a number above 0, at most 1")

    @property
    def title_name(self) -> str:
        return f"extract {'F' if self.stat == 'f' else self.stat}"

    def title_details(self) -> list[str]:
        return [f"{k} {v}" for k, v in self.changed().items() if k != "stat"]

    def signed_options(self) -> dict[str, Any]:
        """What likeness is measured by says nothing of exact matches."""
        nearest = ("by", "least", "words")
        return {k: v for k, v in self.options().items() if self.match == "nearest" or k not in nearest}

    def info(self, references: str = "") -> MeasureInfo:
        low = -1.0 if self.stat == "kappa" else 0.0
        return replace(super().info(references), range=(low, 1.0))

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        def make() -> SourceSentences:
            texts = (s.text for d in batch.documents for s in sentences(d.text, batch.language))
            return SourceSentences(texts, self.words)

        source = batch.once(("extract", "source", self.words), make)
        why = "the source has no sentences" if batch.documents else "the topic has no document"
        for peer in batch.peers:
            references = batch.references_for(peer)
            if not references:
                yield self.missing(batch, peer, no_reference(peer, batch.references))
            elif not len(source):
                yield self.missing(batch, peer, why)
            else:
                yield from (self._against(batch, peer, reference, source) for reference in references)

    def _against(
        self, batch: TopicBatch, peer: Summary, reference: Summary, source: SourceSentences
    ) -> Score:
        model = self._selection(batch, reference, source)
        if not model.taken:
            why = "no sentence of the reference is in the source"
            return replace(self.missing(batch, peer, why), reference=reference.system)
        value = self._value(self._selection(batch, peer, source), model, len(source))
        if math.isnan(value):
            why = "summary and reference take every source sentence: they could not but agree"
            return replace(self.missing(batch, peer, why), reference=reference.system)
        return self.row(batch, peer, value, reference=reference.system)

    def _value(self, peer: Selection, model: Selection, sentences_in_all: int) -> float:
        shared = len(peer.taken & model.taken)
        match self.stat:
            case "precision":
                return shared / peer.size if peer.size else 0.0
            case "recall":
                return shared / len(model.taken)
            case "f":
                return 2 * shared / (peer.size + len(model.taken))
            case _:
                return kappa(len(peer.taken), len(model.taken), shared, sentences_in_all)

    def _selection(self, batch: TopicBatch, summary: Summary, source: SourceSentences) -> Selection:
        """What a summary took; one that repeats a sentence took it once."""

        def make() -> Selection:
            numbers = {
                folded(s.text): self._find(s.text, source) for s in sentences(summary.text, batch.language)
            }
            taken = frozenset(number for number in numbers.values() if number is not None)
            return Selection(taken, sum(number is None for number in numbers.values()))

        return batch.once(("extract", summary.key, self.match, self.by, self.least, self.words), make)

    def _find(self, sentence: str, source: SourceSentences) -> int | None:
        if self.match == "exact":
            return source.exact(sentence)
        return source.nearest(sentence, self.by, self.least)


def kappa(one: int, other: int, both: int, n: int) -> float:
    """Cohen's kappa of two selections of `one` and `other` from n, of which `both` are shared.

    NaN where each takes all or none, so that they could not but agree.
    """
    agreed = n * (n - one - other + 2 * both)
    expected = one * other + (n - one) * (n - other)
    return (agreed - expected) / (n * n - expected) if expected < n * n else math.nan
