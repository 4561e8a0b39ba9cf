"""Texts made to fool a measure: lists of bigrams, and real summaries shuffled, repeated, cut short and padded.

A bigram list has the sources' most frequent bigrams one after the other, each once: no summary. Sjöbergh 2007, as Zopf
2018, section 2.2, tells it; made from the documents alone, never from references. A first sentence is repeated up to
the summary's length, and padded summaries are twice as long. The same seed gives the same texts, topic by topic,
whatever else there is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from statistics import fmean

from adjudge.core.errors import DataError, UsageError
from adjudge.data.collection import Collection
from adjudge.data.rows import Document, Summary
from adjudge.data.target import Target
from adjudge.text.sentences import sentences
from adjudge.text.stop import FUNCTION, stop_words
from adjudge.text.words import count_words, first_words, unicode_words

BIGRAM_LIST = "bigram-list"
KIND_WORDS: Mapping[str, str] = {
    BIGRAM_LIST: "the list of the sources' frequent bigrams",
    "shuffled-words": "shuffled words",
    "shuffled-sentences": "shuffled sentences",
    "repeated": "the first sentence repeated",
    "truncated": "the first half",
    "padded-source": "padding with source sentences",
    "padded-noise": "padding with stop words",
}
DISTORTIONS = tuple(kind for kind in KIND_WORDS if kind != BIGRAM_LIST)


def made_texts(
    kind: str, peers: Iterable[Summary], collection: Collection, *, seed: int = 0
) -> tuple[list[Summary], Counter[str]]:
    """The texts of one kind, and how many could not be made, by reason.

    A bigram list for every topic, length and form that the peers have, where the length is not set as long as they are
    on average; or each peer distorted.
    """
    todo = [(peer, count_words(peer.text)) for peer in peers]
    if kind == BIGRAM_LIST:
        lengths: dict[tuple[str, Target], list[int]] = {}
        for peer, words in todo:
            lengths.setdefault((peer.topic, peer.target), []).append(peer.length or words)
        todo = [
            (Summary(topic, kind, "", target.length, form=target.form), max(1, round(fmean(many))))
            for (topic, target), many in lengths.items()
        ]
    texts: list[Summary] = []
    left: Counter[str] = Counter()
    for peer, words in todo:
        draw = Random(f"{seed}/{kind}/{peer.topic}/{peer.system}/{peer.length}/{peer.form}")  # noqa: S311
        documents = collection.documents.get(peer.topic, ())
        try:
            text = made_text(kind, peer.text, words, draw, documents, collection.settings.language)
        except DataError as error:
            left[str(error)] += 1
        else:
            texts.append(replace(peer, text=text, roles=("peer",)))
    return texts, left


def made_text(
    kind: str, text: str, words: int, draw: Random, documents: Sequence[Document] = (), language: str = "en"
) -> str:
    """A text of some words, or one of so many words distorted; a DataError says why that is not possible."""
    if kind == BIGRAM_LIST:  # bigrams that are equally frequent come in the order of the documents
        frequent = _bigrams(_source(documents, language)).most_common((words + 1) // 2)
        return " ".join([word for bigram, _ in frequent for word in bigram][:words])
    if not words:
        raise DataError("the summary is empty")
    parts = [span.text for span in sentences(text, language)]
    gap = "\n" if "\n" in text.strip() else " "  # line breaks may be what ends sentences
    if kind == "shuffled-words":
        return " ".join(_shuffled(text.split(), draw, "word"))
    if kind == "shuffled-sentences":
        return gap.join(_shuffled(parts, draw, "sentence"))
    if kind == "repeated":
        if len(parts) < 2:
            raise DataError("the summary has one sentence")
        return _up_to(words, parts[:1] * words, gap)
    if kind == "truncated":
        if words < 2:
            raise DataError("the summary has one word")
        return first_words(text, (words + 1) // 2)
    if kind == "padded-source":
        return _up_to(2 * words, [text, *_padding(parts, _source(documents, language))], gap)
    english = re.split("[-_]", language.casefold())[0] in ("en", "english")
    try:
        stops = stop_words(FUNCTION if english else language)
    except UsageError:
        raise DataError(f"there are no stop words for the language {language}") from None
    usable = sorted(word for word in stops if count_words(word))
    return f"{text}{gap}{' '.join(draw.choice(usable) for _ in range(words))}"


def _source(documents: Iterable[Document], language: str) -> list[str]:
    """Sentences of two words or more."""
    texts = (" ".join(span.text.split()) for d in documents for span in sentences(d.text, language))
    if source := [text for text in texts if len(unicode_words(text)) > 1]:
        return source
    raise DataError("the topic has no documents")


def _bigrams(texts: Iterable[str]) -> Counter[tuple[str, str]]:
    """Of words, none across two texts."""
    return Counter(bigram for text in texts for bigram in pairwise(unicode_words(text)))


def _shuffled(items: Sequence[str], draw: Random, noun: str) -> list[str]:
    """In another order: one that gives the same text would distort nothing."""
    if len(set(items)) < 2:
        raise DataError(f"the summary has one {noun}")
    shuffled = list(items)
    while shuffled == list(items):
        draw.shuffle(shuffled)
    return shuffled


def _padding(parts: Sequence[str], source: Sequence[str]) -> list[str]:
    """The source's sentences that the summary does not have, those with the most frequent bigrams first."""
    counts = _bigrams(source)
    in_summary = {tuple(unicode_words(part)) for part in parts}
    weights: dict[str, float] = {}
    for sentence in source:
        words = unicode_words(sentence)
        if tuple(words) not in in_summary:
            weights.setdefault(sentence, fmean(counts[bigram] for bigram in pairwise(words)))
    if not weights:
        raise DataError("the source has no sentence beyond the summary's")
    return sorted(weights, key=lambda sentence: -weights[sentence])


def _up_to(words: int, texts: Iterable[str], gap: str) -> str:
    """Texts one after the other, cut at so many words."""
    taken: list[str] = []
    for text in texts:
        taken.append(text)
        if sum(map(count_words, taken)) >= words:
            break
    return first_words(gap.join(taken), words)
