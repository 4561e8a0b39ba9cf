"""Generated topics with known worth, and assessors to ask. Two kinds of topics, which have nothing in common.

`themes` is for trying things out and for setting constants; `facts` is for what the documentation claims. They differ
in size, in how worth is spread, in how sentences get their words, and in how assessors err.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from adjudge.stats.preference.answers import FloatArray, PairAnswers
from adjudge.stats.preference.next_pair import Pair
from adjudge.text.word_similarity import WordSimilarity

Judge = Callable[[int, int, np.random.Generator], float]


@dataclass(frozen=True)
class Topic:
    sentences: tuple[str, ...]
    worth: FloatArray
    judge: Judge
    """1 where the first of two sentences is preferred, 0 for the second, 0.5 for a tie."""
    similarity: FloatArray
    summaries: FloatArray
    """A row per summary: what share of its characters each sentence has (the weights of equation 4)."""

    def __len__(self) -> int:
        return len(self.worth)

    def ask(self, pairs: Sequence[Pair], rng: np.random.Generator) -> PairAnswers:
        first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        won = np.array([self.judge(a, b, rng) for a, b in pairs], dtype=np.float64)
        return PairAnswers(len(self), first, second, won)


def themes(seed: int, n: int = 100) -> Topic:
    """Sentences about a dozen themes: a theme has its words and its worth, a sentence adds some of its own.

    Log worth is normal; assessors follow Bradley and Terry.
    """
    rng = np.random.default_rng([seed, 1])
    theme = rng.integers(0, 12, n)
    log_worth = rng.normal(0, 1.2, 12)[theme] + rng.normal(0, 0.8, n)
    sentences = []
    for which in theme:
        own = [f"theme{which}word{k}" for k in rng.choice(25, int(rng.integers(5, 12)), replace=False)]
        common = [f"common{k}" for k in rng.choice(60, int(rng.integers(3, 8)), replace=False)]
        sentences.append(" ".join([*own, *common]))

    def judge(a: int, b: int, chance: np.random.Generator) -> float:
        return float(chance.random() < 1 / (1 + np.exp(log_worth[b] - log_worth[a])))

    return _topic(sentences, np.exp(log_worth), judge, rng)


def facts(seed: int, n: int = 160) -> Topic:
    """Sentences that hold none to three of 40 facts, as under a pyramid: worth is the sum of the facts' weights.

    A fact is said in some of its words. Assessors see worth with normal noise, some with more than others (Thurstone);
    what seems alike is a tie, and one answer in twenty is a click anywhere.
    """
    rng = np.random.default_rng([seed, 2])
    weights = 1 + rng.binomial(4, rng.beta(0.6, 1.4, 40))
    popular = rng.dirichlet(np.full(40, 0.8))
    worth, sentences = np.zeros(n), []
    for row in range(n):
        held = rng.choice(40, int(rng.choice(4, p=[0.3, 0.35, 0.25, 0.1])), replace=False, p=popular)
        worth[row] = weights[held].sum()
        said = [
            f"f{fact}x{k}" for fact in held for k in rng.choice(6, int(rng.integers(3, 6)), replace=False)
        ]
        filler = np.minimum(rng.zipf(1.4, int(rng.integers(5, 18))), 400)
        sentences.append(" ".join([*said, *(f"w{k}" for k in filler)]))
    noise = rng.choice([1.0, 1.5, 3.0], size=5)

    def judge(a: int, b: int, chance: np.random.Generator) -> float:
        if chance.random() < 0.05:
            return float(chance.integers(0, 2))
        seen = worth[a] - worth[b] + chance.normal(0, chance.choice(noise))
        return 0.5 if abs(seen) < 0.25 else float(seen > 0)

    return _topic(sentences, worth, judge, rng)


def _topic(sentences: Sequence[str], worth: FloatArray, judge: Judge, rng: np.random.Generator) -> Topic:
    lengths = np.array([len(text) for text in sentences], dtype=np.float64)
    summaries = np.zeros((80, len(worth)))
    for row in summaries:
        chosen = rng.choice(len(worth), int(rng.integers(3, 8)), replace=False)
        row[chosen] = lengths[chosen] / lengths[chosen].sum()
    return Topic(tuple(sentences), worth, judge, WordSimilarity(sentences).among(), summaries)


def ordered_right(worth: FloatArray, found: FloatArray) -> float:
    """The share of pairs with different worth that are found in the same order (equation 1)."""
    above, below = np.array(list(combinations(range(len(worth)), 2))).T
    true, seen = worth[above] - worth[below], found[above] - found[below]
    different = np.abs(true) > 1e-9
    return float(np.mean(np.sign(true[different]) == np.sign(seen[different])))


def agreement(topic: Topic, strengths: FloatArray) -> float:
    """Of summaries, by equation 4, with those that the true worth gives."""
    return ordered_right(topic.summaries @ topic.worth, topic.summaries @ strengths)


def crowd(
    seed: int,
    reliability: FloatArray,
    *,
    n: int,
    each: int,
    ties: float = 0.0,
    unknown: int = 0,
    same_items: bool = False,
) -> PairAnswers:
    """Answers of assessors who say what Bradley and Terry's model says with their reliability, else the opposite.

    Some answers become ties, and some more are of nobody knows whom, all reliable. Log worth is `log_worth(seed, n)`.
    """
    rng = np.random.default_rng([seed, 4])
    worth = log_worth(0 if same_items else seed, n)
    who = np.concatenate([np.repeat(np.arange(len(reliability)), each), np.full(unknown, -1)])
    first = rng.integers(0, n, len(who))
    second = (first + rng.integers(1, n, len(who))) % n
    right = rng.random(len(who)) < np.append(reliability, 1.0)[who]
    better = rng.random(len(who)) < 1 / (1 + np.exp(worth[second] - worth[first]))
    won = np.where(rng.random(len(who)) < ties, 0.5, (better == right).astype(np.float64))
    return PairAnswers(n, first, second, won, who=who)


def log_worth(seed: int, n: int) -> FloatArray:
    return np.asarray(np.random.default_rng([seed, 3]).normal(0, 1.2, n))
