"""Some of a topic's pairs instead of all, each summary in about as many as any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from itertools import combinations

import numpy as np

from adjudge.judgments.assign.pages import Page, PageKey, Text, text_of


def some_pairs(
    pages: Sequence[Page],
    many: int,
    allowed: Mapping[PageKey, Set[str]],
    there: Collection[PageKey],
    rng: np.random.Generator,
) -> tuple[Page, ...]:
    """`many` pairs of every topic: those that are judged already, then others, of the summaries with fewest so far.

    A pair that nobody may judge is not drawn.
    """
    by_topic: dict[str, dict[PageKey, Page]] = {}
    for page in pages:
        by_topic.setdefault(page.topic, {})[page.key] = page
    kept = {key for own in by_topic.values() for key in own if key in there}
    seen = Counter(text for _, texts, _ in kept for text in texts)
    for topic in (list(by_topic)[k] for k in rng.permutation(len(by_topic))):
        kept |= _of_topic(topic, by_topic[topic], many, allowed, kept, seen, rng)
    return tuple(page for own in by_topic.values() for key, page in own.items() if key in kept)


def _of_topic(
    topic: str,
    pages: Mapping[PageKey, Page],
    many: int,
    allowed: Mapping[PageKey, Set[str]],
    kept: Collection[PageKey],
    seen: Counter[Text],
    rng: np.random.Generator,
) -> set[PageKey]:
    """A topic's new pairs: even within the topic first, over topics next, by chance where both are equal."""
    own = {key for key in pages if key in kept}
    left = {key for key in pages if key not in own and allowed[key]}
    here = Counter(text for _, texts, _ in own for text in texts)
    names = list(dict.fromkeys(text_of(peer) for page in pages.values() for peer in page.peers))
    drawn: set[PageKey] = set()
    for _ in range(min(len(left), many - len(own))):
        chance = dict(zip(names, rng.random(len(names)).tolist(), strict=True))
        order = sorted(names, key=lambda text: (here[text], seen[text], chance[text]))
        best = next(key for pair in combinations(order, 2) if (key := (topic, frozenset(pair), None)) in left)
        left.remove(best)
        drawn.add(best)
        for counts in (here, seen):
            counts.update(best[1])
    return drawn
