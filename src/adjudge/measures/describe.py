"""Descriptions of a summary: how long, how new, how repetitive, how extractive. None has a better or a worse."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure, Need
from adjudge.measures.topicwords import (
    GRAM_WORDS,
    Cut,
    check_names,
    grams_of,
    lacks,
    lacks_grams,
    lacks_source,
    source_grams,
    words_of,
)
from adjudge.text.sentences import sentences
from adjudge.text.stemmers.stem import STEMMERS
from adjudge.text.words import WORD_RULES, count_words

GRAM_SIZES = tuple(GRAM_WORDS)


@dataclass(frozen=True)
class Words(Measure):
    """Number of words: white-space separated tokens with a letter or digit in them."""

    FAMILY = "words"
    ABOUT = "number of words in the summary (a description, no direction)"
    CITATION = "Over and Liggett 2002: length is counted in words"
    better = None
    range = (0.0, None)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in batch.peers:
            yield self.row(batch, peer, float(count_words(peer.text)))


@dataclass(frozen=True)
class Sentences(Measure):
    """Number of sentences, as adjudge.text splits them."""

    FAMILY = "sentences"
    ABOUT = "number of sentences in the summary (a description, no direction)"
    CITATION = "Lin and Hovy 2002, section 2: the sentence is the unit of a summary"
    better = None
    range = (0.0, None)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        for peer in batch.peers:
            yield self.row(batch, peer, float(len(sentences(peer.text, batch.language))))


@dataclass(frozen=True)
class Compression(Measure):
    """Words of the summary over words of all its documents; words are counted as target lengths are."""

    FAMILY = "compression"
    ABOUT = "words of the summary over words of its source (a description, no direction)"
    CITATION = "Lin and Hovy 2002, section 3.1: compression ratio"
    needs: ClassVar[frozenset[Need]] = frozenset({"documents"})
    better = None
    range = (0.0, None)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        source = batch.once(("compression",), lambda: sum(count_words(d.text) for d in batch.documents))
        why = "the source has no words" if batch.documents else "the topic has no document"
        for peer in batch.peers:
            if source:
                yield self.row(batch, peer, count_words(peer.text) / source)
            else:
                yield self.missing(batch, peer, why)


@dataclass(frozen=True)
class _OfWords(Measure):
    """What descriptions of the words themselves share: how texts are cut."""

    stem: str = "none"
    words: str = "unicode"

    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"words": tuple(WORD_RULES)}
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = {"stem": STEMMERS}
    better = None

    def __post_init__(self) -> None:
        check_names(self.stem)

    def _cut(self) -> Cut:
        return Cut(self.words, self.stem)


def check_size(family: str, n: int) -> None:
    if n not in GRAM_SIZES:
        raise UsageError(f"{family}-{n}: expected n-grams of {GRAM_SIZES[0]} to {GRAM_SIZES[-1]} words")


@dataclass(frozen=True)
class Novel(_OfWords):
    """Share of the summary's n-grams that no document has. See et al. 2017, figure 6.

    Every occurrence counts. An n-gram may run over the end of a sentence, not of a document.
    """

    n: int = 1

    FAMILY = "novel"
    ABOUT = "share of the summary's n-grams that are not in the source (a description, no direction)"
    CITATION = "See et al. 2017, Get To The Point, figure 6"
    FIXED = ("n",)
    needs: ClassVar[frozenset[Need]] = frozenset({"documents"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_size(self.FAMILY, self.n)

    @property
    def name(self) -> str:
        return f"novel-{self.n}"

    @property
    def title_name(self) -> str:
        return f"novel {self.n}-grams"

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        cut = self._cut()
        for peer in batch.peers:
            if why := lacks_source(batch, cut, 1) or lacks_grams(batch, peer, cut, self.n):
                yield self.missing(batch, peer, why)
                continue
            grams, source = grams_of(batch, peer, cut, self.n), source_grams(batch, cut, self.n)
            new = sum(count for gram, count in grams.items() if gram not in source)
            yield self.row(batch, peer, new / grams.total())


@dataclass(frozen=True)
class Repeated(_OfWords):
    """Share of the summary's n-grams that stand earlier in the summary too: 1 - different / all."""

    n: int = 1

    FAMILY = "repeated"
    ABOUT = "share of the summary's n-grams that repeat an earlier one (a description, no direction)"
    CITATION = "See et al. 2017, Get To The Point, figure 4"
    FIXED = ("n",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_size(self.FAMILY, self.n)

    @property
    def name(self) -> str:
        return f"repeated-{self.n}"

    @property
    def title_name(self) -> str:
        return f"repeated {self.n}-grams"

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        cut = self._cut()
        for peer in batch.peers:
            if why := lacks_grams(batch, peer, cut, self.n):
                yield self.missing(batch, peer, why)
                continue
            grams = grams_of(batch, peer, cut, self.n)
            yield self.row(batch, peer, (grams.total() - len(grams)) / grams.total())


# Fragments: runs of words that a summary shares with its source, found in a suffix array

_APART = 0  # stands between two documents, and after the last: no word has this code


class Runs:
    """Every run of words of some texts, to be looked up.

    Suffixes are sorted once, in O(n log^2 n) for n words; looking up a run takes O(log n) a word, whatever
    repeats in the texts.
    """

    def __init__(self, texts: Iterable[Sequence[str]]):
        self._codes: dict[str, int] = {}
        self._text: list[int] = []
        for words in texts:
            self._text += [self._codes.setdefault(word, len(self._codes) + 1) for word in words]
            self._text.append(_APART)
        self._order = suffix_order(self._text)

    def longest(self, words: Sequence[str], at: int) -> int:
        """How many words from `at` on stand in one of the texts, in a row."""
        low, high = 0, len(self._order)
        for size in range(len(words) - at):
            code = self._codes.get(words[at + size], _APART)
            if code == _APART:
                return size
            # All suffixes from low to high start with the run so far, in the order of what comes next.
            following = self._following(size)
            low = bisect_left(self._order, code, low, high, key=following)
            high = bisect_right(self._order, code, low, high, key=following)
            if low == high:
                return size
        return len(words) - at

    def _following(self, size: int) -> Callable[[int], int]:
        """What comes after the first `size` codes of a suffix."""
        text = self._text
        return lambda start: text[start + size]


def fragments(words: Sequence[str], source: Runs) -> list[int]:
    """Sizes of the extractive fragments of a summary. Grusky et al. 2018.

    From the left: the longest run from here that the source has is a fragment, and the search goes on behind
    it; a word that the source lacks is passed over.
    """
    sizes = []
    at = 0
    while at < len(words):
        size = source.longest(words, at)
        if size:
            sizes.append(size)
        at += max(size, 1)
    return sizes


def suffix_order(codes: Sequence[int]) -> list[int]:
    """Where the suffixes of a text start, in sorted order: by 1, 2, 4, 8 ... codes (Manber and Myers 1993).

    Codes are not below 0 and not above the text's length.
    """
    import numpy as np

    rank = np.asarray(codes, dtype=np.int64)
    n, step = rank.size, 1
    order = np.argsort(rank, kind="stable")
    while step < n:
        following = np.zeros(n, dtype=np.int64)  # 0: the text has ended
        following[:-step] = rank[step:] + 1
        key = rank * (n + 2) + following
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        rank = np.empty(n, dtype=np.int64)
        rank[order] = np.cumsum(np.diff(ordered, prepend=ordered[0]) > 0)
        if rank[order[-1]] == n - 1:  # all different
            break
        step *= 2
    starts: list[int] = order.tolist()
    return starts


@dataclass(frozen=True)
class _OfFragments(_OfWords):
    """What the two descriptions by fragments share: finding them."""

    CITATION = "Grusky, Naaman and Artzi 2018, Newsroom"
    needs: ClassVar[frozenset[Need]] = frozenset({"documents"})

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        cut = self._cut()
        for peer in batch.peers:
            if why := lacks(batch, peer, cut, 1):
                yield self.missing(batch, peer, why)
            else:
                size = len(words_of(batch, peer, cut))
                yield self.row(batch, peer, self._sum(self._fragments(batch, peer, cut)) / size)

    def _fragments(self, batch: TopicBatch, peer: Summary, cut: Cut) -> list[int]:
        source = batch.once(
            ("fragments", cut), lambda: Runs(words_of(batch, document, cut) for document in batch.documents)
        )
        return batch.once(("fragments", peer.key, cut), lambda: fragments(words_of(batch, peer, cut), source))

    def _sum(self, sizes: list[int]) -> int:
        raise TypeError(f"{type(self).__name__} does not say what it sums")


@dataclass(frozen=True)
class FragmentCoverage(_OfFragments):
    """Share of the summary's words that stand in fragments copied from the source: sum |f| / |S|.

    A single word is a fragment, so this is 1 less novel-1. Grusky et al. 2018.
    """

    FAMILY = "fragment-coverage"
    TITLE = "fragment coverage"
    ABOUT = "share of the summary's words that are copied from the source (a description, no direction)"

    def _sum(self, sizes: list[int]) -> int:
        return sum(sizes)


@dataclass(frozen=True)
class FragmentDensity(_OfFragments):
    """Mean size of the fragment that a word of the summary stands in: sum |f|^2 / |S|. High where long runs
    are copied. Grusky et al. 2018.
    """

    FAMILY = "fragment-density"
    TITLE = "fragment density"
    ABOUT = "mean length of the copied runs that the summary's words stand in (a description, no direction)"
    range = (0.0, None)

    def _sum(self, sizes: list[int]) -> int:
        return sum(size * size for size in sizes)
