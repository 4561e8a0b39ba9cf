"""Where preferences between a topic's sentences come from: people's answers, references, pyramids. No strengths here.

What a sentence is worth by the pyramids' annotations is in preference_pyramid.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.tasks import Task, text_hash
from adjudge.measures.judged.pairs import WON, judged_pairs
from adjudge.measures.judged.preference_pyramid import pyramid_worth
from adjudge.measures.judged.preference_texts import text_sentences, topic_sentences
from adjudge.measures.similarities import SentenceSimilarity
from adjudge.stats.preference.answers import Answers, FloatArray
from adjudge.wording import counted

__all__ = [
    "TopicAnswers",
    "human_answers",
    "pyramid_worth",
    "reference_worth",
    "simulated_answers",
    "topic_sentences",
]

Ties = Literal["half", "paper"]
EQUAL = 1e-12
"""Worths that differ by less are equal: they are sums of products, rounded."""

SKIPPED = "skipped"
STRANGE = "about a sentence that the sources do not have"
SELF = "about a sentence and itself"


# People's answers


@dataclass(frozen=True)
class TopicAnswers:
    """Answers to pairs of a topic's sentences. `answers.who` counts in `annotators`, -1 is nobody."""

    answers: Answers
    annotators: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many answers are not among them, by reason."""
    simulated: int = 0
    """How many of the answers no person gave."""
    took_ms: tuple[float, ...] = ()
    """How long each took, NaN where nothing says so."""

    def why_none(self) -> str | None:
        """Why there is no answer at all, in words; None where there is one."""
        if len(self.answers):
            return None
        if not self.left_out:
            return "no preference between the topic's sentences was given"
        total = counted(sum(self.left_out.values()), "preference")
        return f"none of {total} between sentences counts: {', '.join(self.left_out)}"


def human_answers(batch: TopicBatch) -> TopicAnswers:
    """Every answer to a pair of the topic's sentences, whatever its origin; asked again is one more answer.

    They stand in the order of the tasks' ids, whatever the order in which they were saved. A side is found by its
    place, or else by its text: the same sentence may stand elsewhere now. A tie is half a win each. What was skipped,
    and sides that are no sentence of the sources, are left out and counted.
    """
    return batch.once("preference/answers", lambda: _human_answers(batch))


def _human_answers(batch: TopicBatch) -> TopicAnswers:
    sentences = topic_sentences(batch)
    places = {(p.document, p.start, p.end): n for n, each in enumerate(sentences) for p in each.places}
    texts = {text_hash(each.text): n for n, each in enumerate(sentences)}
    left_out: Counter[str] = Counter()
    simulated = 0
    rows: list[tuple[int, int, float, str, float]] = []
    for task, event in sorted(judged_pairs(batch, "sentences"), key=lambda pair: pair[0].id):
        winner = event.answer.get("winner")
        left, right = (_item(task, role, places, texts) for role in ("left", "right"))
        if winner not in WON:
            left_out[SKIPPED] += 1
        elif left is None or right is None:
            left_out[STRANGE] += 1
        elif left == right:
            left_out[SELF] += 1
        else:
            simulated += event.origin == "simulated"
            took = math.nan if event.took_ms is None else float(event.took_ms)
            rows.append((left, right, WON[winner], event.assessor, took))
    annotators = sorted({row[3] for row in rows})
    numbers = {name: number for number, name in enumerate(annotators)}
    answers = Answers(
        len(sentences),
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows], dtype=np.float64),
        who=np.array([numbers[row[3]] for row in rows], dtype=np.int64),
    )
    took_ms = tuple(row[4] for row in rows)
    return TopicAnswers(answers, tuple(annotators), dict(left_out), simulated, took_ms)


def _item(
    task: Task, role: str, places: Mapping[tuple[Any, ...], int], texts: Mapping[str, int]
) -> int | None:
    """Which sentence a side is, or None where it is none of the sources'."""
    side = getattr(task, role) or {}
    place = tuple(side.get(name) for name in ("document", "start", "end"))
    found = places.get(place) if all(isinstance(each, str | int) for each in place) else None
    if found is None and role in task.hashes:
        found = texts.get(task.hashes[role])
    if found is None and isinstance(side.get("text"), str):
        found = texts.get(text_hash(" ".join(side["text"].split())))
    return found


# Answers that need nobody


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


def simulated_answers(worth: FloatArray, pairs: Sequence[tuple[int, int]], ties: Ties = "half") -> Answers:
    """What somebody who knows the worth would say of each pair (Zopf 2018, section 4.3).

    Equal worth is half a win each, or by the `paper`'s rule a win of the second: "a win of b over a otherwise".
    A pair with a worth that is not known is left out.
    """
    first, second = np.asarray(pairs, dtype=np.int64).reshape(-1, 2).T
    known = np.isfinite(worth[first]) & np.isfinite(worth[second])
    first, second = first[known], second[known]
    ahead = worth[first] - worth[second]
    equal = np.abs(ahead) <= EQUAL * np.maximum(1.0, np.abs(worth[first]))
    won = np.where(equal, 0.5 if ties == "half" else 0.0, (ahead > 0).astype(np.float64))
    return Answers(len(worth), first, second, won)
