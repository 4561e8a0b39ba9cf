"""A topic's words and n-grams, cut once and shared by the measures that compare summaries with their source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adjudge.data.rows import Document, Summary
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Spans
from adjudge.text.stemmers.stem import STEMMERS, stem_words
from adjudge.text.stop import content_words, stop_words
from adjudge.text.words import WORD_RULES, word_spans

Gram = tuple[str, ...]
Grams = Counter[Gram]
PlacedWord = tuple[str, tuple[int, int]]
"""A word, and where it stands."""

GRAM_WORDS = {1: "words", 2: "bigrams", 3: "trigrams", 4: "4-grams"}
USUAL_STOP = ("none", "function", "en")

# Values to show of options that take more: every stemmer and stop list that adjudge.text knows by language.
EXAMPLES = {"stem": STEMMERS, "stop": USUAL_STOP}


@dataclass(frozen=True, slots=True)
class Cut:
    """How a text becomes words: by a rule, then without stop words, then as stems."""

    words: str
    stem: str = "none"
    stop: str = "none"

    def __call__(self, text: str) -> list[str]:
        words = WORD_RULES[self.words](text)
        if self.stop != "none":
            words = content_words(words, stop_words(self.stop))
        return stem_words(words, self.stem)

    def placed(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """The same words, each with its place in the text."""
        pairs = list(zip(WORD_RULES[self.words](text), word_spans(text, self.words), strict=True))
        if self.stop != "none":
            stop = stop_words(self.stop)
            pairs = [(word, span) for word, span in pairs if word not in stop]
        stems = stem_words([word for word, _ in pairs], self.stem)
        return [(stem, span) for stem, (_, span) in zip(stems, pairs, strict=True)]

    def called(self, n: int) -> str:
        """What n-grams of such words are called: words, content words, bigrams."""
        return "content words" if n == 1 and self.stop != "none" else GRAM_WORDS[n]


def check_names(stem: str, stop: str = "none") -> None:
    """Refuse a stemmer or stop list that nobody knows. The usual ones pass without loading any."""
    if stem not in STEMMERS:
        stem_words([], stem)
    if stop not in USUAL_STOP:
        stop_words(stop)


def ngrams(words: Sequence[str], n: int) -> Iterator[Gram]:
    """Every run of n words, in order."""
    return zip(*(words[k:] for k in range(n)), strict=False)


def shared_spans(ours: Sequence[PlacedWord], theirs: Sequence[PlacedWord], n: int) -> Spans:
    """The words of ours that stand in an n-gram which theirs have too."""
    grams = set(ngrams([word for word, _ in theirs], n))
    marked = [False] * len(ours)
    for at, gram in enumerate(ngrams([word for word, _ in ours], n)):
        if gram in grams:
            marked[at : at + n] = [True] * n
    return tuple(span for (_, span), shared in zip(ours, marked, strict=True) if shared)


def words_of(batch: TopicBatch, text: Summary | Document, cut: Cut) -> list[str]:
    return batch.once(("topicwords", type(text), text.key, cut), lambda: cut(text.text))


def grams_of(batch: TopicBatch, text: Summary | Document, cut: Cut, n: int) -> Grams:
    return batch.once(
        ("topicwords", type(text), text.key, cut, n), lambda: Counter(ngrams(words_of(batch, text, cut), n))
    )


def source_grams(batch: TopicBatch, cut: Cut, n: int) -> Grams:
    """The n-grams of all documents together; none runs from one document into the next."""

    def count() -> Grams:
        counts: Grams = Counter()
        for document in batch.documents:
            counts.update(ngrams(words_of(batch, document, cut), n))
        return counts

    return batch.once(("topicwords", "source", cut, n), count)


def lacks(batch: TopicBatch, peer: Summary, cut: Cut, n: int) -> str | None:
    """Why a summary's n-grams cannot be compared with its source's, in words; None where they can."""
    return lacks_source(batch, cut, n) or lacks_grams(batch, peer, cut, n)


def lacks_source(batch: TopicBatch, cut: Cut, n: int) -> str | None:
    """Why there is no source, in words; None where there is one."""
    if not batch.documents:
        return "the topic has no document"
    return None if source_grams(batch, cut, n) else f"the source has no {cut.called(n)}"


def lacks_grams(batch: TopicBatch, peer: Summary, cut: Cut, n: int) -> str | None:
    """That a summary is too short, in words; None where it is not."""
    return None if grams_of(batch, peer, cut, n) else f"the summary has no {cut.called(n)}"
