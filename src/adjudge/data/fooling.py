"""Texts made to fool a measure: lists of bigrams, and real summaries shuffled, repeated, cut short and padded.

bigram-list         the sources' most frequent bigrams one after the other, each once: no summary. Sjöbergh 2007, as
                    Zopf 2018, section 2.2, tells it; made from the documents alone, never from references
shuffled-words      a real summary's words in random order
shuffled-sentences  its sentences in random order
repeated            its first sentence again and again, up to its length
truncated           the first half of its words
padded-source       the summary, and source sentences that are not in it, up to twice its length
padded-noise        the summary, and stop words drawn at random, up to twice its length

The same seed gives the same texts, topic by topic, whatever else there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle, pairwise
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
NO_DOCUMENTS = "the topic has no documents"
_SHUFFLES = 100
"""Tries at another order than the one that was there."""


@dataclass(frozen=True)
class FoolingTexts:
    """All texts of one kind, and how many could not be made, by reason."""

    kind: str
    summaries: tuple[Summary, ...]
    left_out: Mapping[str, int]


def bigram_lists(collection: Collection, peers: Iterable[Summary], name: str = BIGRAM_LIST) -> FoolingTexts:
    """A bigram list for every topic, length and form that the peers have; of a length that is not set, their mean."""
    lengths: dict[tuple[str, Target], list[int]] = {}
    for peer in peers:
        lengths.setdefault((peer.topic, peer.target), []).append(peer.length or count_words(peer.text))
    summaries: list[Summary] = []
    left: Counter[str] = Counter()
    for (topic, target), words in lengths.items():
        documents = collection.documents.get(topic, ())
        try:
            text = bigram_list(documents, max(1, round(fmean(words))), collection.settings.language)
        except DataError as error:
            left[str(error)] += 1
        else:
            summaries.append(Summary(topic, name, text, target.length, form=target.form))
    return FoolingTexts(BIGRAM_LIST, tuple(summaries), left)


def distortions(
    collection: Collection, kind: str, peers: Iterable[Summary], *, seed: int = 0
) -> FoolingTexts:
    """Real summaries distorted in one way; each keeps its system, length and form."""
    summaries: list[Summary] = []
    left: Counter[str] = Counter()
    for peer in peers:
        draw = Random(f"{seed}/{kind}/{peer.topic}/{peer.system}/{peer.length}/{peer.form}")  # noqa: S311
        documents = collection.documents.get(peer.topic, ())
        try:
            text = distorted(kind, peer.text, draw, documents, collection.settings.language)
        except DataError as error:
            left[str(error)] += 1
        else:
            summaries.append(replace(peer, text=text, roles=("peer",)))
    return FoolingTexts(kind, tuple(summaries), left)


def bigram_list(documents: Sequence[Document], words: int, language: str = "en") -> str:
    """The documents' most frequent bigrams, each once, so many words of them.

    Bigrams do not cross sentences; those that are equally frequent come in the order of the documents.
    """
    counts = _bigrams(_source_sentences(documents, language))
    if not counts:
        raise DataError(NO_DOCUMENTS)
    frequent = [bigram for bigram, _ in counts.most_common((words + 1) // 2)]  # stable: the first seen first
    return " ".join(list(chain.from_iterable(frequent))[:words])


def distorted(
    kind: str, text: str, draw: Random, documents: Sequence[Document] = (), language: str = "en"
) -> str:
    """One summary distorted; a DataError says why that is not possible."""
    parts = [span.text for span in sentences(text, language)]
    gap = "\n" if "\n" in text.strip() else " "  # line breaks may be what ends sentences
    words = count_words(text)
    if not words:
        raise DataError("the summary is empty")
    if kind == "truncated" and words < 2:
        raise DataError("the summary has one word")
    if kind == "repeated" and len(parts) < 2:
        raise DataError("the summary has one sentence")
    if kind == "shuffled-words":
        return " ".join(_shuffled(text.split(), draw, "the summary has one word"))
    if kind == "shuffled-sentences":
        return gap.join(_shuffled(parts, draw, "the summary has one sentence"))
    if kind == "repeated":
        return _up_to(words, cycle(parts[:1]), gap)
    if kind == "truncated":
        return first_words(text, (words + 1) // 2)
    if kind == "padded-source":
        return _up_to(2 * words, chain([text], _padding(parts, documents, language)), gap)
    english = language.replace("_", "-").split("-")[0].casefold() in ("en", "english")
    try:
        stops = stop_words(FUNCTION if english else language)
    except UsageError:
        raise DataError(f"there are no stop words for the language {language}") from None
    usable = sorted(word for word in stops if count_words(word))
    return f"{text}{gap}{' '.join(draw.choice(usable) for _ in range(words))}"


def _source_sentences(documents: Iterable[Document], language: str) -> list[str]:
    return [
        " ".join(span.text.split()) for document in documents for span in sentences(document.text, language)
    ]


def _bigrams(texts: Iterable[str]) -> Counter[tuple[str, str]]:
    return Counter(bigram for text in texts for bigram in pairwise(unicode_words(text)))


def _shuffled(items: Sequence[str], draw: Random, why: str) -> list[str]:
    """In another order: one that gives the same text would distort nothing."""
    shuffled = list(items)
    for _ in range(_SHUFFLES if len(set(items)) > 1 else 0):
        draw.shuffle(shuffled)
        if shuffled != list(items):
            return shuffled
    raise DataError(why)


def _padding(parts: Sequence[str], documents: Sequence[Document], language: str) -> list[str]:
    """The source's sentences that the summary does not have, those with the most frequent bigrams first."""
    source = _source_sentences(documents, language)
    if not source:
        raise DataError(NO_DOCUMENTS)
    counts = _bigrams(source)
    in_summary = {tuple(unicode_words(part)) for part in parts}
    weights: dict[str, float] = {}
    for sentence in source:
        words = unicode_words(sentence)
        if len(words) > 1 and tuple(words) not in in_summary:
            weights.setdefault(sentence, fmean(counts[bigram] for bigram in pairwise(words)))
    if not weights:
        raise DataError("the source has no sentence beyond the summary's")
    return sorted(weights, key=lambda sentence: -weights[sentence])


def _up_to(words: int, texts: Iterable[str], gap: str) -> str:
    """Texts one after the other, cut at so many words."""
    taken: list[str] = []
    total = 0
    for text in texts:
        taken.append(text)
        total += count_words(text)
        if total >= words:
            break
    return first_words(gap.join(taken), words)
