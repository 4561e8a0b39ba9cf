"""Texts for the benchmarks: words of a Zipf vocabulary, in sentences, the same for every contestant."""

from __future__ import annotations

from random import Random

Corpus = list[tuple[list[str], list[str]]]  # per topic: peers, references


def _vocabulary(random: Random, size: int = 30_000) -> list[str]:
    syllables = [c + v for c in "bcdfghklmnprstvw" for v in "aeiou"]
    endings = ["", "", "s", "ed", "ing", "ly", "ness", "ation"]
    return [
        "".join(random.choices(syllables, k=random.randint(1, 3))) + random.choice(endings)
        for _ in range(size)
    ]


def _text(random: Random, vocabulary: list[str], weights: list[float], words: int) -> str:
    """Sentences of about 20 words, one a line."""
    lines = []
    left = max(5, round(random.gauss(words, words / 10)))
    while left > 0:
        n = min(left, random.randint(12, 28))
        lines.append(" ".join(random.choices(vocabulary, cum_weights=weights, k=n)).capitalize() + ".")
        left -= n
    return "\n".join(lines)


def corpus(topics: int, systems: int, references: int, words: int, seed: int = 0) -> Corpus:
    """Texts of one topic share a part of their words, as texts about one thing do."""
    random = Random(seed)
    vocabulary = _vocabulary(random)
    total, weights = 0.0, []
    for rank in range(1, len(vocabulary) + 1):
        total += 1 / rank
        weights.append(total)
    found: Corpus = []
    for _ in range(topics):
        topical = vocabulary[:200] + random.sample(vocabulary, 300)
        local = weights[: len(topical)]
        texts = [_text(random, topical, local, words) for _ in range(systems + references)]
        found.append((texts[:systems], texts[systems:]))
    return found


def tac_like() -> Corpus:
    return corpus(50, 50, 4, 100)


def cnn_like() -> Corpus:
    return corpus(11_490, 1, 1, 60)
