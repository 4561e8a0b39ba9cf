"""From a topic's preferences to strengths of its sentences: which answers count, how many, and the fit.

Options as people write them are in preference.py; the mathematics is in adjudge.preference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from adjudge.engine import generator
from adjudge.errors import DataError
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.judged.preference_sources import (
    Ties,
    human_answers,
    pyramid_worth,
    reference_worth,
    simulated_answers,
)
from adjudge.measures.judged.preference_texts import topic_sentences
from adjudge.measures.judged.pyramid import held
from adjudge.measures.similarities import SentenceSimilarity, sentence_similarity
from adjudge.stats.preference.answers import Answers, FloatArray, propagated
from adjudge.stats.preference.bradley_terry import Strengths, fit
from adjudge.stats.preference.next_pair import random_pairs

Part = Literal["man", "ref", "py"]
ALL = -1
"""As many as there are."""
LOOSEST = 1e-3
"""How far log strengths may be from the maximum; the fit tries for far less, and rounding may keep it from that."""


@dataclass(frozen=True)
class Recipe:
    """What strengths depend on besides the topic's texts and judgments."""

    parts: tuple[Part, ...] = ("man",)
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
    alike = among(batch, recipe.similarity) if recipe.smooth else None
    wins = answers.wins() if alike is None else propagated(answers, alike)
    try:
        found = fit(wins, regularise=recipe.regularise)
    except DataError:  # regularise=0
        return "without a regulariser the answers leave strengths open: there is no finite maximum"
    if not (found.error <= LOOSEST and np.isfinite(found.scaled("mean")).all()):
        return "the fit of strengths did not converge"
    return found


def answers_of(batch: TopicBatch, recipe: Recipe, *, without: str | None = None) -> Answers | str:
    """The answers of all parts together, or why a part has none: a topic never goes without one in silence."""
    if not batch.documents:
        return "the topic has no document"
    sentences = topic_sentences(batch)
    if len(sentences) < 2:
        return "the documents have fewer than two sentences"
    found = []
    for part in recipe.parts:
        answers = _asked(batch, recipe) if part == "man" else _simulated(batch, recipe, part, without)
        if isinstance(answers, str):
            return answers
        found.append(answers)
    return joined(found)


def joined(answers: Sequence[Answers]) -> Answers:
    """Answers about the same items, one after the other."""
    columns = ("first", "second", "won", "weight", "who", "cluster")
    return Answers(
        answers[0].n, **{name: np.concatenate([getattr(each, name) for each in answers]) for name in columns}
    )


def _asked(batch: TopicBatch, recipe: Recipe) -> Answers | str:
    found = human_answers(batch)
    if (why := found.why_none()) is not None:
        return why
    answers = found.answers
    if 0 <= recipe.asked < len(answers):
        rng = generator(recipe.seed, f"preference/man/{batch.topic.topic}")
        answers = answers.take(np.sort(rng.choice(len(answers), recipe.asked, replace=False)))
    return believed(answers, recipe.regularise) if recipe.crowd else answers


def believed(answers: Answers, regularise: float | None) -> Answers:
    """Answers as far as their annotators are to be believed: `won` is the chance that the first deserved to win.

    The strengths of these answers are those of Crowd-BT, and they can be propagated as any others.
    """
    from adjudge.stats.preference.crowd import fit_crowd

    return fit_crowd(answers, regularise=regularise or None).truth


def _simulated(batch: TopicBatch, recipe: Recipe, part: Part, without: str | None) -> Answers | str:
    similarity = similarity_of(batch, recipe.similarity)
    make = reference_worth if part == "ref" else pyramid_worth
    worth = make(batch, similarity, without=without)
    if np.isnan(worth).any():
        return _nothing(part, without)
    return simulated_answers(worth, _drawn(batch, recipe, part), recipe.ties)


def _nothing(part: Part, without: str | None) -> str:
    if part == "py":
        return "no peer has a pyramid annotation"
    return "the topic has no reference" if without is None else "the only reference is by the same system"


def _drawn(batch: TopicBatch, recipe: Recipe, part: Part) -> list[tuple[int, int]]:
    """Pairs of sentences, drawn by their place in the order of texts: the order of documents does not matter."""
    texts = [sentence.text for sentence in topic_sentences(batch)]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    every = len(order) * (len(order) - 1) // 2
    count = every if recipe.simulated == ALL else recipe.simulated
    rng = generator(recipe.seed, f"preference/{part}/{batch.topic.topic}")
    return [(order[a], order[b]) for a, b in random_pairs(len(order), count, rng=rng)]


def writers(batch: TopicBatch, parts: Sequence[Part]) -> frozenset[str]:
    """Whose own words the strengths would depend on: those who wrote a reference that a part looks at."""
    found: set[str] = set()
    if "ref" in parts:
        found.update(reference.system for reference in batch.references)
    if "py" in parts:
        found.update(s for each in held(batch) if each.against for s in each.against.pyramid.systems)
    return frozenset(found)


def similarity_of(batch: TopicBatch, name: str) -> SentenceSimilarity:
    """A topic's similarity, made once."""
    return batch.once(
        ("preference/similarity", name),
        lambda: sentence_similarity(name, [sentence.text for sentence in topic_sentences(batch)]),
    )


def among(batch: TopicBatch, name: str) -> FloatArray:
    """How alike a topic's sentences are to each other."""
    return batch.once(("preference/among", name), lambda: similarity_of(batch, name).among())
