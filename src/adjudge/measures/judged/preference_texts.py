"""Sentences of sources and summaries, and what a summary takes of its sources' (Zopf 2018, equations 4 and 5).

Everything is linear in the strengths, so a summary becomes a row of weights, one per source sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from adjudge.data.collection import SourceSentence, source_sentences
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.similarities import SentenceSimilarity
from adjudge.stats.preference.answers import FloatArray, IntArray
from adjudge.text.sentences import Span, sentences
from adjudge.text.words import character_words, count_words

Penalty = Literal["sentence", "printed", "none"]
PENALTIES: tuple[Penalty, ...] = get_args(Penalty)
NEAR = 1e-12
"""Similarities that differ by less are equal."""


def topic_sentences(batch: TopicBatch) -> tuple[SourceSentence, ...]:
    """S*: the items that a topic's answers are about, in the order of the documents."""
    return batch.once("preference/sentences", lambda: source_sentences(batch.documents, batch.language))


def text_spans(text: str, language: str) -> list[Span]:
    """The sentences of a text at their places; what has no word is none."""
    return [span for span in sentences(text, language) if count_words(span.text)]


def text_sentences(text: str, language: str) -> list[str]:
    """The sentences of a text, their white space collapsed."""
    return [" ".join(span.text.split()) for span in text_spans(text, language)]


def summary_weights(
    texts: Sequence[str],
    source: Sequence[str],
    similarity: SentenceSimilarity,
    *,
    penalty: Penalty,
    language: str,
) -> FloatArray:
    """What each summary (rows) takes of each source sentence's strength v (columns): u is the product with v.

    A sentence's weight is its share of the characters of the summary's sentences, times what redundancy leaves of it;
    it goes to the nearest source sentence. A sentence that is like none of them gets nothing. A summary without
    sentences is a row of NaN.
    """
    cut = [text_sentences(text, language) for text in texts]
    every = [sentence for own in cut for sentence in own]
    summary = np.repeat(np.arange(len(cut)), [len(own) for own in cut])
    weights = np.zeros((len(cut), len(source)))
    if every and len(source):
        near = nearest(similarity.to(every), source)
        shares = np.array([part for own in cut for part in _shares(own, penalty)])
        found = near >= 0
        np.add.at(weights, (summary[found], near[found]), shares[found])
    weights[[not own for own in cut]] = np.nan
    return weights


def nearest(alike: FloatArray, source: Sequence[str]) -> IntArray:
    """The source sentence (a column) that each row is likest to; -1 where it is like none.

    Of several the first in the order of their texts, so that the order of documents does not matter.
    """
    order = np.array(sorted(range(len(source)), key=source.__getitem__), dtype=np.int64)
    best = alike.max(axis=1, keepdims=True)
    found = order[np.argmax(alike[:, order] >= best - NEAR, axis=1)]
    return np.where(best[:, 0] > 0, found, -1)


def _shares(own: Sequence[str], penalty: Penalty) -> list[float]:
    """|s_i| / |s| of equation 4, in characters, times the factor of equation 5."""
    characters = sum(map(len, own))
    return [
        len(sentence) / characters * factor
        for sentence, factor in zip(own, redundancy(own, penalty), strict=True)
    ]


def redundancy(own: Sequence[str], penalty: Penalty) -> list[float]:
    """What is left of each sentence of a summary when bigrams are shared out among all that have them.

    sentence   the sum of num(g, s) / num(g, S) over the sentence's distinct bigrams g, divided by how many bigrams
               the sentence has: 1 where it repeats nothing. A sentence without bigrams keeps all.
    printed    divided by how many bigrams the summary has, as equation 5 is printed: a sentence without bigrams
               keeps nothing, unless the whole summary has none
    none       everything is left
    """
    if penalty == "none":
        return [1.0] * len(own)
    grams = [Counter(_bigrams(sentence)) for sentence in own]
    total = sum(grams, Counter[tuple[str, str]]())
    factors = []
    for each in grams:
        divisor = each.total() if penalty == "sentence" else total.total()
        parts = sum(count / total[gram] for gram, count in each.items())
        factors.append(parts / divisor if divisor else 1.0)
    return factors


def _bigrams(sentence: str) -> Iterator[tuple[str, str]]:
    """None runs from one sentence into the next."""
    return pairwise(character_words(sentence))
