"""Which systems have other systems' texts, or their source's words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection as Container
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from adjudge.data.collection import Collection
from adjudge.data.rows import Summary
from adjudge.data.target import Target
from adjudge.text.words import unicode_words

NEAR = 0.9
"""Of word trigrams that two texts share (Jaccard): from here on they are nearly the same."""
RUN = 4
"""Words in a row that the source has, for a word to count as copied."""


@dataclass(frozen=True)
class CopiedTexts:
    """Which systems have other systems' texts, or their source's words."""

    shared: Mapping[tuple[str, str], int]
    """By pair of systems: summaries that both have."""
    same: Mapping[tuple[str, str], int]
    """Of these, with the same text."""
    near: Mapping[tuple[str, str], int]
    """Of these, with the same or nearly the same text."""
    copied: Mapping[str, float]
    """By system, where there are sources: the mean share of its words that stand in runs copied from them."""

    def pairs(self, systems: Container[str]) -> list[tuple[str, str]]:
        """Those that are nearly the same on half of what both have, or more."""
        return [
            pair
            for pair, n in self.near.items()
            if 2 * n >= self.shared[pair] and all(system in systems for system in pair)
        ]


def copied_texts(collection: Collection) -> CopiedTexts | None:
    """Compare every two systems' texts, and all with their sources; None where there are no texts."""
    shared: Counter[tuple[str, str]] = Counter()
    same: Counter[tuple[str, str]] = Counter()
    near: Counter[tuple[str, str]] = Counter()
    shares: dict[str, list[float]] = defaultdict(list)
    seen = False
    for topic in collection.topics:
        peers: dict[Target, list[Summary]] = defaultdict(list)
        for peer in collection.peers(topic):
            peers[peer.target].append(peer)
        source = {
            run
            for document in collection.documents.get(topic, ())
            for run in _runs(_words(document.text), RUN)
        }
        for group in peers.values():
            seen = True
            words = {peer.system: _words(peer.text) for peer in group}
            grams = {system: set(_runs(tokens, min(3, len(tokens)))) for system, tokens in words.items()}
            for a, b in combinations(sorted(words), 2):
                shared[a, b] += 1
                if words[a] == words[b]:
                    same[a, b] += 1
                    near[a, b] += 1
                elif _alike(grams[a], grams[b]):
                    near[a, b] += 1
            if source:
                for system, tokens in words.items():
                    if tokens:
                        shares[system].append(_share_copied(tokens, source))
    if not seen:
        return None
    return CopiedTexts(
        shared=shared,
        same=same,
        near=near,
        copied={system: sum(of_system) / len(of_system) for system, of_system in shares.items()},
    )


def _words(text: str) -> list[str]:
    return [word.casefold() for word in unicode_words(text)]


def _runs(words: list[str], size: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[k : k + size]) for k in range(len(words) - size + 1))


def _alike(a: set[Any], b: set[Any]) -> bool:
    if min(len(a), len(b)) < NEAR * max(len(a), len(b)):
        return False
    common = len(a & b)
    return bool(a or b) and common >= NEAR * (len(a) + len(b) - common)


def _share_copied(words: list[str], source: set[tuple[str, ...]]) -> float:
    """The share of words that stand in some run of RUN words of the source; of shorter texts, none."""
    inside = [False] * len(words)
    for k, run in enumerate(_runs(words, RUN)):
        if run in source:
            inside[k : k + RUN] = [True] * RUN
    return sum(inside) / len(words)
