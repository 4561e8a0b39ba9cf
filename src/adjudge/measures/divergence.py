"""Measures without references: the words of a summary compared with those of its source."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Measure, Need
from adjudge.measures.topicwords import (
    EXAMPLES,
    Cut,
    Grams,
    check_names,
    grams_of,
    lacks,
    lacks_source,
    source_grams,
)
from adjudge.text.words import WORD_RULES

ORDERS = (1, 2)
BINS_PER_WORD = 1.5  # Louis and Nenkova 2013: outcomes of the distributions per word type of the source

Cells = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class JointCounts:
    """Two bags of n-grams, reduced to what a divergence depends on.

    `cells` says how many n-grams occur so and so often in the summary and in the source. Summaries are
    short and most n-grams of a source are rare, so there are few cells, however long the source is.
    """

    cells: Cells
    summary: int
    source: int
    source_types: int

    @property
    def types(self) -> int:
        """How many different n-grams there are in either text."""
        return sum(self.cells.values())


def joint_counts(summary: Grams, source: Grams, spectrum: Counter[int]) -> JointCounts:
    """How often n-grams occur in both; `spectrum` says how many n-grams occur k times in the source."""
    cells = Counter((count, source.get(gram, 0)) for gram, count in summary.items())
    rest = Counter(spectrum)
    for (_, k), types in cells.items():
        rest[k] -= types
    cells.update({(0, k): types for k, types in rest.items() if k and types})
    return JointCounts(
        cells=dict(cells), summary=summary.total(), source=source.total(), source_types=len(source)
    )


def probabilities(counts: JointCounts, smooth: float) -> Iterator[tuple[float, float, int]]:
    """Probability in the summary, in the source, and how many n-grams have these two.

    p(w) = (c + smooth) / (N + smooth B), with B = 1.5 |V| for the source's vocabulary V (Louis and Nenkova
    2013, section 4). A summary of mostly new words has more types than that; then B is the number of types
    in either text, so that no distribution sums to more than 1.
    """
    bins = max(BINS_PER_WORD * counts.source_types, counts.types)
    for (c, k), types in counts.cells.items():
        p = (c + smooth) / (counts.summary + smooth * bins)
        q = (k + smooth) / (counts.source + smooth * bins)
        yield p, q, types


def kullback_leibler(counts: JointCounts, smooth: float, *, reverse: bool = False) -> float:
    """D(summary || source) in bits, or D(source || summary); infinite where only the first has a word."""
    terms = []
    for p, q, types in probabilities(counts, smooth):
        if reverse:
            p, q = q, p
        if p and not q:
            return math.inf
        terms.append(types * _bits(p, q))
    return math.fsum(terms)


def jensen_shannon(counts: JointCounts, smooth: float) -> float:
    """The mean of both texts' divergence from their mean distribution, in bits."""
    terms = []
    for p, q, types in probabilities(counts, smooth):
        middle = p / 2 + q / 2
        terms.append(types * (_bits(p, middle) + _bits(q, middle)) / 2)
    return min(max(math.fsum(terms), 0.0), 1.0)  # rounding alone can leave the range


def _bits(p: float, q: float) -> float:
    return p * math.log2(p / q) if p else 0.0


@dataclass(frozen=True)
class _Divergence(Measure):
    """What the divergences share."""

    stem: str = "porter"
    stop: str = "none"
    n: int = 1
    smooth: float = 0.0005
    words: str = "unicode"

    CITATION = "Louis and Nenkova 2013, Automatically Assessing Machine Summary Content, section 4"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"words": tuple(WORD_RULES)}
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = EXAMPLES
    needs: ClassVar[frozenset[Need]] = frozenset({"documents"})
    better = "lower"

    def __post_init__(self) -> None:
        check_names(self.stem, self.stop)
        if self.n not in ORDERS:
            raise UsageError(f"{self.name}: n={self.n}; expected 1 (words) or 2 (bigrams)")
        if not 0 <= self.smooth < math.inf:
            raise UsageError(f"{self.name}: smooth={self.smooth}; expected a number, 0 or more")
        object.__setattr__(self, "smooth", abs(float(self.smooth)))  # -0.0 is 0.0

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        cut = Cut(self.words, self.stem, self.stop)
        for peer in batch.peers:
            if why := lacks(batch, peer, cut, self.n):
                yield self.missing(batch, peer, why)
                continue
            yield self.row(batch, peer, self._divergence(self._counts(batch, peer, cut)))

    def _counts(self, batch: TopicBatch, peer: Summary, cut: Cut) -> JointCounts:
        source = source_grams(batch, cut, self.n)
        spectrum = batch.once(("divergence", "spectrum", cut, self.n), lambda: Counter(source.values()))
        return batch.once(
            ("divergence", peer.key, cut, self.n),
            lambda: joint_counts(grams_of(batch, peer, cut, self.n), source, spectrum),
        )

    def _divergence(self, counts: JointCounts) -> float:
        raise TypeError(f"{type(self).__name__} does not say how it compares")


@dataclass(frozen=True)
class JensenShannon(_Divergence):
    """Divergence between the words of a summary and of its source. Louis and Nenkova 2013, section 4;
    Zopf 2018, section 2.1. In bits, from 0 (the same proportions) to 1 (no word in common).

    n         1 for words, 2 for bigrams
    smooth    added to every count; the paper's 0.0005, or 0 for plain relative frequencies
    stop      a list of stop words to leave out, such as en; none keeps them
    """

    FAMILY = "js"
    TITLE = "JS divergence"
    ABOUT = "Jensen-Shannon divergence between the words of summary and source"

    def _divergence(self, counts: JointCounts) -> float:
        return jensen_shannon(counts, self.smooth)


@dataclass(frozen=True)
class KullbackLeibler(_Divergence):
    """Bits wasted when the words of one text are coded for the other. Louis and Nenkova 2013, section 4.

    direction=summary-source   D(summary || source): punishes words that the source has seldom or never
    direction=source-summary   D(source || summary): punishes words of the source that the summary lacks
    n, smooth, stop            as for js; with smooth=0 it is mostly infinite, which is a missing value
    """

    direction: str = "summary-source"

    FAMILY = "kl"
    TITLE = "KL divergence"
    ABOUT = "Kullback-Leibler divergence between the words of summary and source"
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {
        **_Divergence.OPTIONS,
        "direction": ("summary-source", "source-summary"),
    }
    # Smoothing leaves mass to words in neither text, which are not summed over: as in the authors' program,
    # texts of the same proportions can come out a hair below 0.
    range = (None, None)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        one, other = self.direction.split("-")
        what = Cut(self.words, self.stem, self.stop).called(self.n)
        why = f"infinite without smoothing: the {one} has {what} that the {other} lacks"
        for row in super().score(batch):
            yield replace(row, value=math.nan, why=why) if math.isinf(row.value) else row

    def _divergence(self, counts: JointCounts) -> float:
        return kullback_leibler(counts, self.smooth, reverse=self.direction == "source-summary")


@dataclass(frozen=True)
class SourceCosine(Measure):
    """Cosine of the word counts of a summary and its source. Louis and Nenkova 2013, section 4.

    The counts are plain (tf); stop names a list of stop words to leave out. A summary without words shares
    nothing with its source: 0.
    """

    stem: str = "porter"
    stop: str = "none"
    words: str = "unicode"

    FAMILY = "source-cosine"
    TITLE = "cosine with the source"
    ABOUT = "cosine of the word counts of summary and source"
    CITATION = _Divergence.CITATION
    OPTIONS: ClassVar[dict[str, tuple[str, ...]]] = {"words": tuple(WORD_RULES)}
    EXAMPLES: ClassVar[dict[str, tuple[str, ...]]] = EXAMPLES
    needs: ClassVar[frozenset[Need]] = frozenset({"documents"})

    def __post_init__(self) -> None:
        check_names(self.stem, self.stop)

    def score(self, batch: TopicBatch) -> Iterator[Score]:
        cut = Cut(self.words, self.stem, self.stop)
        why = lacks_source(batch, cut, 1)
        for peer in batch.peers:
            if why:
                yield self.missing(batch, peer, why)
            else:
                yield self.row(batch, peer, self._cosine(batch, peer, cut))

    def _cosine(self, batch: TopicBatch, peer: Summary, cut: Cut) -> float:
        summary, source = grams_of(batch, peer, cut, 1), source_grams(batch, cut, 1)
        square = batch.once(("source-cosine", cut), lambda: _square(source))
        product = sum(count * source[gram] for gram, count in summary.items() if gram in source)
        return min(product / math.sqrt(square * _square(summary)), 1.0) if product else 0.0


def _square(counts: Grams) -> int:
    return sum(count * count for count in counts.values())
