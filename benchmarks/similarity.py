"""Similarity of all pairs of sentences beside two separate vectorisers of scikit-learn.

CPU and wall seconds, the best of a few, in one run; first both must give the same matrix. Both start from texts and
end in a dense matrix. Scikit-learn is given our words as its analyzer, which is faster than its own pattern.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import accumulate
from random import Random
from string import ascii_lowercase

import numpy as np
import sklearn
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from adjudge.text.word_similarity import FloatArray, WordSimilarity
from adjudge.text.words import unicode_words

SENTENCES = 5000
LENGTH = 25  # words of a sentence, about
VOCABULARY = 30_000
WANTED = 2


def main() -> None:
    texts = sentences(SENTENCES)
    different = np.abs(ours(texts) - theirs(texts)).max()
    if different > 1e-12:
        raise SystemExit(f"the two differ by {different:.1e}")
    words = sum(map(len, map(unicode_words, texts))) / len(texts)
    print(
        f"scikit-learn {sklearn.__version__}; {SENTENCES:,} sentences of {words:.1f} words; differ by {different:.0e}"
    )
    for unit, clock in (("CPU", time.process_time), ("wall", time.perf_counter)):
        here, there = best(lambda: ours(texts), clock, 10), best(lambda: theirs(texts), clock, 5)
        print(
            f"similarity, {unit:4}: ours {here:.3f} s, scikit-learn {there:.3f} s:"
            f" {there / here:.1f} x (wanted {WANTED} x)",
            flush=True,
        )


def sentences(count: int, seed: int = 0) -> list[str]:
    """Words are Zipf's, as in texts: many sentences share the frequent ones."""
    random = Random(seed)
    vocabulary = [
        "".join(random.choices(ascii_lowercase, k=random.randint(2, 10))) for _ in range(VOCABULARY)
    ]
    weights = list(accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))
    sizes = [max(4, round(random.gauss(LENGTH, LENGTH / 3))) for _ in range(count)]
    return [
        f"{' '.join(random.choices(vocabulary, cum_weights=weights, k=size)).capitalize()}." for size in sizes
    ]


def ours(texts: list[str]) -> FloatArray:
    return WordSimilarity(texts).among()


def theirs(texts: list[str]) -> FloatArray:
    weighted = TfidfVectorizer(analyzer=unicode_words).fit_transform(texts)
    there = CountVectorizer(analyzer=unicode_words, binary=True).fit_transform(texts)
    cosine = (weighted @ weighted.T).toarray()
    both = (there @ there.T).toarray()
    sizes = np.asarray(there.sum(axis=1)).ravel()
    jaccard = both / (sizes[:, None] + sizes[None, :] - both)
    return np.asarray((cosine + jaccard) / 2)


def best(call: Callable[[], object], clock: Callable[[], float], repeats: int) -> float:
    found = []
    for _ in range(repeats):
        start = clock()
        call()
        found.append(clock() - start)
    return min(found)


if __name__ == "__main__":
    main()
