"""Small extractors that stand for systems in the demo. Plain on purpose: they are data, not advice."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from random import Random

from adjudge.text.words import count_words, first_words, rouge_words

Gain = Callable[[str, Sequence[str]], float]


def _greedy(sentences: Sequence[str], limit: int, gain: Gain) -> list[str]:
    """Take the sentence with the highest gain, again and again, while it fits; then in text order."""
    chosen: list[str] = []
    left = list(dict.fromkeys(sentences))
    lengths = {s: count_words(s) for s in left}
    while True:
        room = limit - sum(lengths[s] for s in chosen)
        gains = {s: gain(s, chosen) for s in left if lengths[s] <= room}
        best = max(gains, key=gains.__getitem__, default=None)
        if best is None or gains[best] <= 0:
            return sorted(chosen, key=sentences.index)
        chosen.append(best)
        left.remove(best)


def greedy_best(sentences: Sequence[str], references: Sequence[str], limit: int) -> list[str]:
    """The extract that overlaps most with the references: it sees them, so no honest extractor is better."""

    def grams(words: Sequence[str]) -> Counter[tuple[str, ...]]:
        return Counter([(w,) for w in words] + list(pairwise(words)))

    targets = [grams(rouge_words(r)) for r in references]
    words = {s: rouge_words(s) for s in sentences}
    lengths = {s: count_words(s) for s in sentences}

    @cache
    def hits(texts: tuple[str, ...]) -> int:
        mine = grams([word for text in texts for word in words[text]])
        return sum(min(n, target[gram]) for target in targets for gram, n in mine.items())

    def gain(sentence: str, chosen: Sequence[str]) -> float:
        return (hits((*chosen, sentence)) - hits(tuple(chosen))) / lengths[sentence]

    return _greedy(sentences, limit, gain)


def centroid(sentences: Sequence[str], limit: int) -> list[str]:
    """Sentences near the middle of the story (tf-idf cosine), less what was already said."""
    bags = {s: Counter(rouge_words(s)) for s in sentences}
    seen_in = Counter(word for bag in bags.values() for word in bag)
    idf = {word: math.log(len(bags) / n) for word, n in seen_in.items()}
    vectors = {s: {w: n * idf[w] for w, n in bag.items()} for s, bag in bags.items()}
    middle: dict[str, float] = defaultdict(float)
    for vector in vectors.values():
        for word, weight in vector.items():
            middle[word] += weight

    @cache
    def near(sentence: str) -> float:
        return _cosine(vectors[sentence], middle)

    @cache
    def alike(a: str, b: str) -> float:
        return _cosine(vectors[a], vectors[b])

    def gain(sentence: str, chosen: Sequence[str]) -> float:
        again = max((alike(sentence, c) for c in chosen), default=0.0)
        return near(sentence) - 0.7 * again + 1.0

    return _greedy(sentences, limit, gain)


def _cosine(a: dict[str, float], b: dict[str, float]) -> float:
    norm = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return sum(v * b.get(w, 0.0) for w, v in a.items()) / norm if norm else 0.0


def random_extract(sentences: Sequence[str], limit: int, random: Random) -> list[str]:
    """Sentences drawn at random while they fit."""
    rank = {s: random.random() for s in sentences}
    return _greedy(sentences, limit, lambda s, chosen: 1 + rank[s])


def garbled(text: str) -> str:
    """Every fifth word lost: content mostly kept, grammar broken."""
    return " ".join(word for k, word in enumerate(text.split(), 1) if k % 5)


def fragments(sentences: Sequence[str], limit: int) -> list[str]:
    """The beginnings of sentences, cut at the limit: what extractors have where no whole sentence fits."""
    return [first_words(sentence, limit) for sentence in sentences]


def leading(sentences: Sequence[str], limit: int) -> list[str]:
    """The first sentences while they fit, as a writer stops at a limit."""
    taken: list[str] = []
    for sentence in sentences:
        if sum(map(count_words, taken)) + count_words(sentence) > limit:
            break
        taken.append(sentence)
    return taken
