"""From preferences to strengths of a topic's sentences, and from those to summaries (Zopf 2018, sections 4.2 and 4.3).

A summary's score is linear in the strengths, so a summary becomes a row of weights, one per source sentence
(equations 4 and 5). Which answers there are: judgments/pairs; the fit: stats/preference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.pairs.answers import human_answers
from adjudge.judgments.pairs.sides import topic_sentences
from adjudge.judgments.pyramid import Part, PeerAnnotation, stands
from adjudge.measures.judged.pyramid import PyramidPeer, pyramid_peers
from adjudge.stats.preference.answers import FloatArray, IntArray, PairAnswers
from adjudge.stats.preference.bradley_terry import Strengths, fit
from adjudge.stats.preference.crowd import fit_crowd
from adjudge.stats.preference.next_pair import random_pairs
from adjudge.text.sentences import Span, sentences
from adjudge.text.similarity import SentenceSimilarity, sentence_similarity
from adjudge.text.words import character_words, count_words

Penalty = Literal["sentence", "printed", "none"]
NEAR = 1e-12
"""Similarities that differ by less are equal."""
Ties = Literal["half", "paper"]
EQUAL = 1e-12
"""Worths that differ by less are equal: they are sums of products, rounded."""
Source = Literal["man", "ref", "py"]
ALL = -1
"""As many as there are."""
LOOSEST = 1e-3
"""How far log strengths may be from the maximum; the fit tries for far less, and rounding may keep it from that."""


@dataclass(frozen=True)
class Recipe:
    """What strengths depend on besides the topic's texts and judgments."""

    parts: tuple[Source, ...] = ("man",)
    similarity: str = "tfidf-jaccard"
    smooth: bool = True
    ties: Ties = "half"
    asked: int = ALL
    """How many of people's answers are drawn."""
    simulated: int = 0
    """How many pairs are drawn for each other part."""
    seed: int = 0
    regularise: float | None = None
    crowd: bool = False
    """Whether people's answers count as far as each of them is to be believed."""


def strengths_of(batch: TopicBatch, recipe: Recipe, *, without: str | None = None) -> Strengths | str:
    """Strengths of the topic's sentences, or why there are none. What `without` wrote of references does not count."""
    return batch.once(
        ("preference/strengths", recipe, without), lambda: _strengths_of(batch, recipe, without)
    )


def _strengths_of(batch: TopicBatch, recipe: Recipe, without: str | None) -> Strengths | str:
    answers = answers_of(batch, recipe, without=without)
    if isinstance(answers, str):
        return answers
    if not len(answers):
        return "no pair of the topic's sentences was answered"
    wins = answers.wins(among(batch, recipe.similarity) if recipe.smooth else None)
    try:
        strengths = fit(wins, regularise=recipe.regularise)
    except DataError:  # regularise=0
        return "without a regulariser the answers leave strengths open: there is no finite maximum"
    if not (strengths.error <= LOOSEST and np.isfinite(strengths.scaled("mean")).all()):
        return "the fit of strengths did not converge"
    return strengths


def answers_of(batch: TopicBatch, recipe: Recipe, *, without: str | None = None) -> PairAnswers | str:
    """The answers of all parts together, or why a part has none: a topic never goes without one in silence."""
    if not batch.documents:
        return "the topic has no document"
    sentences = topic_sentences(batch)
    if len(sentences) < 2:
        return "the documents have fewer than two sentences"
    of_parts = []
    for part in recipe.parts:
        answers = _asked(batch, recipe) if part == "man" else _simulated(batch, recipe, part, without)
        if isinstance(answers, str):
            return answers
        of_parts.append(answers)
    return joined(of_parts)


def joined(answers: Sequence[PairAnswers]) -> PairAnswers:
    """Answers about the same items, one after the other."""
    columns = ("first", "second", "won", "weight", "who", "cluster")
    return PairAnswers(
        answers[0].n, **{name: np.concatenate([getattr(part, name) for part in answers]) for name in columns}
    )


def _asked(batch: TopicBatch, recipe: Recipe) -> PairAnswers | str:
    human = human_answers(batch)
    if (why := human.why_none()) is not None:
        return why
    answers = human.answers
    if 0 <= recipe.asked < len(answers):
        rng = generator(recipe.seed, f"preference/man/{batch.topic.topic}")
        answers = answers.take(np.sort(rng.choice(len(answers), recipe.asked, replace=False)))
    return believed(answers, recipe.regularise) if recipe.crowd else answers


def believed(answers: PairAnswers, regularise: float | None) -> PairAnswers:
    """Answers as far as their assessors are to be believed: `won` is the chance that the first deserved to win.

    The strengths of these answers are those of Crowd-BT, and they can be propagated as any others.
    """
    return fit_crowd(answers, regularise=regularise or None).truth


def _simulated(batch: TopicBatch, recipe: Recipe, part: Source, without: str | None) -> PairAnswers | str:
    similarity = similarity_of(batch, recipe.similarity)
    make = reference_worth if part == "ref" else pyramid_worth
    worth = make(batch, similarity, without=without)
    if np.isnan(worth).any():
        if part == "py":
            return "no peer has a pyramid annotation"
        return "the topic has no reference" if without is None else "the only reference is by the same system"
    # Pairs of sentences, drawn by their place in the order of texts: the order of documents does not matter.
    texts = [sentence.text for sentence in topic_sentences(batch)]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    every = len(order) * (len(order) - 1) // 2
    count = every if recipe.simulated == ALL else recipe.simulated
    rng = generator(recipe.seed, f"preference/{part}/{batch.topic.topic}")
    return simulated_answers(
        worth, [(order[a], order[b]) for a, b in random_pairs(len(order), count, rng=rng)], recipe.ties
    )


def writers(batch: TopicBatch, parts: Sequence[Source]) -> frozenset[str]:
    """Whose own words the strengths would depend on: those who wrote a reference that a part looks at."""
    systems: set[str] = set()
    if "ref" in parts:
        systems.update(reference.system for reference in batch.references)
    if "py" in parts:
        systems.update(
            s for peer in pyramid_peers(batch) if peer.against for s in peer.against.pyramid.systems
        )
    return frozenset(systems)


def similarity_of(batch: TopicBatch, name: str) -> SentenceSimilarity:
    """A topic's similarity, made once."""
    return batch.once(
        ("preference/similarity", name),
        lambda: sentence_similarity(name, [sentence.text for sentence in topic_sentences(batch)]),
    )


def among(batch: TopicBatch, name: str) -> FloatArray:
    """How alike a topic's sentences are to each other."""
    return batch.once(("preference/among", name), lambda: similarity_of(batch, name).among())


# What a sentence is worth by references and pyramids


def reference_worth(
    batch: TopicBatch, similarity: SentenceSimilarity, *, without: str | None = None
) -> FloatArray:
    """w_r, how like a source's sentence is to the likest sentence of any reference (Zopf 2018, equation 6).

    R is all references of the topic, of every length, but those that `without` wrote. NaN where there are none.
    """
    texts = [
        text
        for reference in batch.references
        if reference.system != without
        for text in text_sentences(reference.text, batch.language)
    ]
    if not texts:
        return np.full(len(topic_sentences(batch)), np.nan)
    return np.asarray(similarity.to(texts).max(axis=0), dtype=np.float64)


def simulated_answers(
    worth: FloatArray, pairs: Sequence[tuple[int, int]], ties: Ties = "half"
) -> PairAnswers:
    """What somebody who knows the worth would say of each pair (Zopf 2018, section 4.3).

    Equal worth is half a win each, or by the `paper`'s rule a win of the second: "a win of b over a otherwise".
    A pair with a worth that is not known is left out.
    """
    first, second = np.asarray(pairs, dtype=np.int64).reshape(-1, 2).T
    finite = np.isfinite(worth[first]) & np.isfinite(worth[second])
    first, second = first[finite], second[finite]
    ahead = worth[first] - worth[second]
    equal = np.abs(ahead) <= EQUAL * np.maximum(1.0, np.abs(worth[first]))
    won = np.where(equal, 0.5 if ties == "half" else 0.0, (ahead > 0).astype(np.float64))
    return PairAnswers(len(worth), first, second, won)


def pyramid_worth(
    batch: TopicBatch, similarity: SentenceSimilarity, *, without: str | None = None
) -> FloatArray:
    """w_p, the weight of the content units in the annotated sentence that is likest (Zopf 2018, equations 7 and 8).

    T+ is every peer that somebody annotated. Where several of its sentences are equally near, as where systems took
    the same one, their weights are averaged: annotations of equal sentences differ, as the paper's first footnote
    says. A sentence like none of them is worth 0. Units weigh as if `without` had written no reference. NaN where
    nothing is annotated.
    """
    annotated = annotated_sentences(batch, without=without)
    if not annotated:
        return np.full(len(topic_sentences(batch)), np.nan)
    texts, weights = zip(*annotated, strict=True)
    alike = similarity.to(texts)
    best = alike.max(axis=0)
    near = (alike >= best - NEAR) & (alike > 0)
    sums = near.T.astype(np.float64) @ np.asarray(weights, dtype=np.float64)
    return np.asarray(sums / np.maximum(near.sum(axis=0), 1))


def annotated_sentences(batch: TopicBatch, *, without: str | None = None) -> list[tuple[str, int]]:
    """The sentences of every annotated peer, each with the weight of the unique units in it, in a fixed order."""
    return batch.once(
        ("preference/annotated", without),
        lambda: sorted(
            sentence for one in pyramid_peers(batch) for sentence in _of_peer(batch, one, without)
        ),
    )


def _of_peer(batch: TopicBatch, peer: PyramidPeer, without: str | None) -> Iterator[tuple[str, int]]:
    if peer.annotation is None or peer.against is None:
        return
    pyramid = peer.against.pyramid
    weights = (pyramid if without is None else pyramid.without(without)).weights
    start, end = 0, len(peer.annotation.text)
    if peer.annotation.text == pyramid.text:  # a reference, marked in the pyramid itself
        start, end = next(((r.start, r.end) for r in pyramid.references if r.system == peer.system), (0, 0))
    marked = list(_marked(peer.annotation, weights))
    for span in text_spans(peer.annotation.text[start:end], batch.language):
        low, high = start + span.start, start + span.end
        inside = {uid for uid, (at, to) in marked if at < high and low < to}
        yield " ".join(span.text.split()), sum(weights[uid] for uid in inside)


def _marked(annotation: PeerAnnotation, weights: Mapping[int, int]) -> Iterator[tuple[int, tuple[int, int]]]:
    """The units of the pyramid that are marked, each with every place."""
    for scu in annotation.scus:
        if weights.get(scu.uid):
            for contributor in scu.contributors:
                for part in contributor.parts:
                    if (place := _place(annotation.text, part)) is not None:
                        yield scu.uid, place


def _place(text: str, part: Part) -> tuple[int, int] | None:
    """Where a part's words stand: at their offsets, or where the text has them; None where it does not."""
    if stands(part, text):
        return part.start, part.end
    start = text.find(part.text)
    return None if start < 0 or not part.text else (start, start + len(part.text))


# Summaries


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
    every = [sentence for of_text in cut for sentence in of_text]
    summary = np.repeat(np.arange(len(cut)), [len(of_text) for of_text in cut])
    weights = np.zeros((len(cut), len(source)))
    if every and len(source):
        near = nearest(similarity.to(every), source)
        shares = np.array([part for of_text in cut for part in _shares(of_text, penalty)])
        placed = near >= 0
        np.add.at(weights, (summary[placed], near[placed]), shares[placed])
    weights[[not of_text for of_text in cut]] = np.nan
    return weights


def nearest(alike: FloatArray, source: Sequence[str]) -> IntArray:
    """The source sentence (a column) that each row is likest to; -1 where it is like none.

    Of several the first in the order of their texts, so that the order of documents does not matter.
    """
    order = np.array(sorted(range(len(source)), key=source.__getitem__), dtype=np.int64)
    best = alike.max(axis=1, keepdims=True)
    likest = order[np.argmax(alike[:, order] >= best - NEAR, axis=1)]
    return np.where(best[:, 0] > 0, likest, -1)


def _shares(summary: Sequence[str], penalty: Penalty) -> list[float]:
    """|s_i| / |s| of equation 4, in characters, times the factor of equation 5."""
    characters = sum(map(len, summary))
    return [
        len(sentence) / characters * factor
        for sentence, factor in zip(summary, redundancy(summary, penalty), strict=True)
    ]


def redundancy(summary: Sequence[str], penalty: Penalty) -> list[float]:
    """What is left of each sentence of a summary when bigrams are shared out among all that have them.

    sentence   the sum of num(g, s) / num(g, S) over the sentence's distinct bigrams g, divided by how many bigrams
               the sentence has: 1 where it repeats nothing. A sentence without bigrams keeps all.
    printed    divided by how many bigrams the summary has, as equation 5 is printed: a sentence without bigrams
               keeps nothing, unless the whole summary has none
    none       everything is left
    """
    if penalty == "none":
        return [1.0] * len(summary)
    grams = [Counter(pairwise(character_words(sentence))) for sentence in summary]
    total = sum(grams, Counter[tuple[str, str]]())
    factors = []
    for counts in grams:
        divisor = counts.total() if penalty == "sentence" else total.total()
        parts = sum(count / total[gram] for gram, count in counts.items())
        factors.append(parts / divisor if divisor else 1.0)
    return factors
