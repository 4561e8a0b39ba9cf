"""Every ROUGE in plain steps: one peer and one reference, words in, counts out; and from counts to one number.

kernels.py counts the same of many pairs at once. This module serves a few texts, whose user should not have to wait for
a compiler; the tests compare the two.

The rules are ROUGE-1.5.5's (Lin 2004): n-grams run across sentences; L and W take the union of the longest
common subsequences of a reference sentence with every peer sentence, and count a word no more often than both
texts have it; the last word of a text is missing among the unigrams of SU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import fsum

Words = Sequence[str]
Sentences = Sequence[Words]


@dataclass(frozen=True, slots=True)
class RougeCounts:
    """Hits, and what they are divided by: the peer's side for precision, the reference's for recall."""

    hits: float
    peer: float
    reference: float

    def __add__(self, other: RougeCounts) -> RougeCounts:
        return RougeCounts(self.hits + other.hits, self.peer + other.peer, self.reference + other.reference)


NOTHING = RougeCounts(0, 0, 0)


def n_grams(words: Words, n: int) -> Counter[Hashable]:
    return Counter(zip(*(words[k:] for k in range(n)), strict=False))


def skip_bigrams(words: Words, skip: int, unigrams: bool) -> Counter[Hashable]:
    """Pairs with at most `skip` words between them; any number where it is negative."""
    last = len(words) - 1
    reach = last if skip < 0 else skip + 1
    pairs: Counter[Hashable] = Counter(
        (words[i], words[j]) for i in range(last) for j in range(i + 1, min(i + reach, last) + 1)
    )
    if unigrams:
        pairs.update(words[:-1])  # the original's loop ends before the last word
    return pairs


def overlap(peer: Counter[Hashable], reference: Counter[Hashable]) -> RougeCounts:
    """An n-gram counts as often as the rarer side has it (Lin 2004, equation 1)."""
    hits = sum(min(count, peer[gram]) for gram, count in reference.items() if gram in peer)
    return RougeCounts(hits, peer.total(), reference.total())


def rouge_n(peer: Words, reference: Words, n: int) -> RougeCounts:
    return overlap(n_grams(peer, n), n_grams(reference, n))


def rouge_s(peer: Words, reference: Words, skip: int, unigrams: bool) -> RougeCounts:
    return overlap(skip_bigrams(peer, skip, unigrams), skip_bigrams(reference, skip, unigrams))


def rouge_l_sentence(peer: Words, reference: Words) -> RougeCounts:
    """The longest common subsequence of two texts as wholes, as rouge-score's rougeL has it."""
    steps = power_table(1.0, len(reference) + 1)
    return RougeCounts(sum(marked(reference, peer, steps)), len(peer), len(reference))


def rouge_l(peer: Sentences, reference: Sentences, peer_words: Words, reference_words: Words) -> RougeCounts:
    """Union LCS of every reference sentence with the peer's sentences (Lin 2004, section 3.2).

    The words of the whole texts bound how often a word can hit, and the peer's are what precision divides by.
    """
    left = Counter(peer_words), Counter(reference_words)
    steps = power_table(1.0, longest(reference) + 1)
    hits = sum(
        _spend(word, *left)
        for sentence in reference
        for word in _union(sentence, peer, steps)
        if word is not None
    )
    return RougeCounts(hits, len(peer_words), sum(map(len, reference)))


def rouge_w(
    peer: Sentences, reference: Sentences, peer_words: Words, reference_words: Words, weight: float
) -> RougeCounts:
    """As L, but runs of k consecutive hits count k**weight (Lin 2004, section 4).

    The original's bookkeeping is kept: a run ends where the mask ends, not where a word is spent, and a word
    that is spent neither adds to a run nor ends it.
    """
    left = Counter(peer_words), Counter(reference_words)
    powers = power_table(weight, longest(reference) + 1)
    hits = 0.0
    for sentence in reference:
        mask = _union(sentence, peer, powers)
        weighted, run = 0.0, 0
        for j, word in enumerate(mask):
            if word is not None and _spend(word, *left):
                run += 1
                if j + 1 == len(mask) or mask[j + 1] is None:
                    weighted += powers[run]
                    run = 0
        hits += weighted
    base = sum(powers[len(sentence)] for sentence in reference)
    return RougeCounts(hits, len(peer_words) ** weight, base**weight)


def power_table(weight: float, most: int) -> list[float]:
    """k**weight for k = 0, 1, ...: made once, so that every path adds up the same numbers."""
    return [float(k) ** weight for k in range(most + 1)]


def longest(sentences: Sentences) -> int:
    return max(map(len, sentences), default=0)


def _spend(word: str, peer: Counter[str], reference: Counter[str]) -> bool:
    """Whether both sides still have the word; if so, take one from each."""
    if peer[word] <= 0 or reference[word] <= 0:
        return False
    peer[word] -= 1
    reference[word] -= 1
    return True


def _union(sentence: Words, peer: Sentences, powers: Sequence[float]) -> list[str | None]:
    """The sentence's words that stand in an LCS with some peer sentence; None elsewhere."""
    masks = [marked(sentence, other, powers) for other in peer]
    return [word if any(mask[k] for mask in masks) else None for k, word in enumerate(sentence)]


def marked(reference: Words, peer: Words, powers: Sequence[float]) -> list[bool]:
    """Which reference words stand in a best common subsequence; ties go up, as in the original.

    A run of k matches is worth powers[k]; powers[k] = k is the plain LCS.
    """
    m, n = len(reference), len(peer)
    best = [[0.0] * (n + 1) for _ in range(m + 1)]
    run = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            if reference[i - 1] == peer[j - 1]:
                k = run[i - 1][j - 1]
                best[i][j] = best[i - 1][j - 1] + powers[k + 1] - powers[k]
                run[i][j] = k + 1
            else:
                best[i][j] = max(best[i - 1][j], best[i][j - 1])
    mask = [False] * m
    i, j = m, n
    while i and j:
        if reference[i - 1] == peer[j - 1]:
            i, j = i - 1, j - 1
            mask[i] = True
        elif best[i - 1][j] >= best[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return mask


# From counts to one number: recall, precision, F, and what several references mean

STATS = ("recall", "precision", "f")
REFS = ("pooled", "best", "mean", "max", "jackknife")
STAT_TITLES = {"recall": "recall", "precision": "precision", "f": "F", "all": "F, recall and precision"}
REFS_TITLES = {
    "pooled": "references pooled",
    "max": "best reference",
    "best": "reference of highest recall",
    "mean": "mean over references",
    "jackknife": "jackknife",
}
REFS_WORDS = {
    "pooled": "matches are pooled over references",
    "best": "the reference with the highest recall counts",
    "mean": "scores are averaged over references",
    "max": "the reference with the highest F counts",
    "jackknife": "scores are averaged over leaving out each reference in turn",
}


@dataclass(frozen=True, slots=True)
class Ratios:
    """How counts are divided. `weight` is W's: its hits and bases are powers, and the root is taken last.

    `digits` is how finely recalls are compared where the best reference is chosen.
    """

    stat: str = "recall"
    alpha: float = 0.5
    refs: str = "pooled"
    weight: float = 1.0
    digits: int | None = None

    def __call__(self, counts: Sequence[RougeCounts], wrote_one: bool = False) -> float:
        """One number. A peer by the writer of a reference is compared with the others as it is: no jackknife."""
        return self.over(counts, self.ratio, wrote_one)

    def over(
        self, counts: Sequence[RougeCounts], ratio: Callable[[RougeCounts], float], wrote_one: bool
    ) -> float:
        match self.refs:
            case "best":
                return ratio(max(counts, key=self.rank))
            case "mean":
                return fsum(map(ratio, counts)) / len(counts)
            case "max":
                return ratio(max(counts, key=self.f))
            case "jackknife" if len(counts) > 1 and not wrote_one:
                return fsum(
                    ratio(sum((c for k, c in enumerate(counts) if k != out), NOTHING))
                    for out in range(len(counts))
                ) / len(counts)
            case _:
                return ratio(sum(counts, NOTHING))

    def ratio(self, counts: RougeCounts) -> float:
        if self.stat == "recall":
            return self.recall(counts)
        return self.precision(counts) if self.stat == "precision" else self.f(counts)

    def recall(self, counts: RougeCounts) -> float:
        return self._root(counts.hits / counts.reference) if counts.reference else 0.0

    def precision(self, counts: RougeCounts) -> float:
        return self._root(counts.hits / counts.peer) if counts.peer else 0.0

    def f(self, counts: RougeCounts) -> float:
        return f_measure(self.recall(counts), self.precision(counts), self.alpha)

    def rank(self, counts: RougeCounts) -> float:
        """What the original chooses the best reference by: recall, for n-grams and pairs in the digits it prints.

        For W it divides by the base before that is raised to the power, so a short reference does not win.
        """
        if not counts.reference:
            return 0.0
        if self.weight != 1.0:
            return counts.hits / self._root(counts.reference)
        recall = counts.hits / counts.reference
        return recall if self.digits is None else round(recall, self.digits)

    def _root(self, value: float) -> float:
        return value if self.weight == 1.0 else value ** (1 / self.weight)


def f_measure(recall: float, precision: float, alpha: float) -> float:
    """PR / ((1 - alpha) P + alpha R); alpha = .5 is the harmonic mean, towards 1 precision counts."""
    below = (1 - alpha) * precision + alpha * recall
    return precision * recall / below if below > 0 else 0.0
