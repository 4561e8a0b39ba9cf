"""Corpus BLEU: systems with intervals, pairs with paired tests, in names and words.

Corpus BLEU adds up hits, n-grams and lengths over topics before anything is divided, so it is no mean of
topics and no score matrix holds it. BLEU of single summaries is a measure, in measures/bleu.py; the
mathematics is in stats/bleu.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from adjudge.errors import DataError, UsageError
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import no_reference
from adjudge.measures.bleu import Bleu
from adjudge.stats import checks
from adjudge.stats.bleu import TIE, WIDTH, PairedBleu, bootstrap_bleu, corpus_bleu, paired_bleu
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.multiple import holm
from adjudge.stats.order import letters
from adjudge.stats.paired import p_words
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import pandas as pd

BLEU = Bleu()
PAIR_COLUMNS = ["n", "difference", "low", "high", "p", "p_bootstrap", "won", "why"]


@dataclass(frozen=True)
class CorpusCounts:
    """Topics x systems x (length, length of the closest reference, hits of each order, n-grams of each).

    `missing` says which summaries are not there or have no reference, and why; `uneven` names systems that
    somewhere met fewer references than others.
    """

    counts: IntArray
    present: BoolArray
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    missing: tuple[tuple[str, str, str], ...] = ()
    uneven: tuple[str, ...] = ()

    def bleu(self, smooth: str) -> FloatArray:
        """Corpus BLEU of every system, over the topics it has."""
        return corpus_bleu(self.counts.sum(axis=0), smooth=smooth)

    def select(self, systems: list[int]) -> CorpusCounts:
        """These systems, in this order."""
        names = tuple(self.systems[k] for k in systems)
        return replace(self, counts=self.counts[:, systems], present=self.present[:, systems], systems=names)


@dataclass(frozen=True)
class CorpusStanding:
    """One system's place by corpus BLEU, with a percentile bootstrap interval over topics."""

    system: str
    rank: int
    n: int
    bleu: float
    low: float
    high: float
    group: str


@dataclass(frozen=True)
class CorpusPair:
    """Two systems, the better-ranked first. Holm's correction is over all pairs, for each test by itself;
    `different` goes by the randomization test."""

    a: str
    b: str
    result: PairedBleu
    p_adjusted: float
    p_bootstrap_adjusted: float
    different: bool

    def sentence(self, *, alpha: float = 0.05, level: float = 0.95) -> str:
        """What can be said of the two, in plain words."""
        r = self.result
        if r.why:
            return f"{self.a} and {self.b} cannot be compared on corpus BLEU ({r.why})"
        basis = (
            f"paired approximate randomization, {counted(r.swapped.size, 'resample')},"
            f" {p_words(self.p_adjusted, alpha)} after Holm's correction, n = {counted(r.n, 'topic')};"
            f" {self.a} less {self.b} is {r.difference:.2f}, {level:.0%} interval {r.low:.2f} to {r.high:.2f}"
        )
        if not self.different:
            return f"{self.a} and {self.b} cannot be told apart on corpus BLEU ({basis})"
        first, second = (self.a, self.b) if r.difference > 0 else (self.b, self.a)
        return f"{first} is better than {second} on corpus BLEU ({basis})"


@dataclass(frozen=True)
class CorpusComparison:
    """A ranking by corpus BLEU with its uncertainty. Frozen; keeps the counts it came from."""

    counts: CorpusCounts
    standings: tuple[CorpusStanding, ...]
    pairs: tuple[CorpusPair, ...]
    measure: Bleu
    length: int | None
    alpha: float
    level: float
    resamples: int

    @property
    def signature(self) -> str:
        at = f"|length:{self.length}" if self.length else ""
        return (
            f"corpus-{self.measure.signature()}{at}|topics:{len(self.counts.topics)}"
            f"|interval:bootstrap-percentile:{self.level:g}:{self.resamples}"
            f"|test:approximate-randomization:{self.resamples}:holm:{self.alpha:g}"
        )

    def sentence(self) -> str:
        """The first thing to know."""
        best = self.standings[0]
        if not self.pairs:
            return f"One system has scores: {best.system}, corpus BLEU {best.bleu:.2f}."
        pairs = counted(len(self.pairs), "pair")
        found = sum(pair.different for pair in self.pairs)
        if not found:
            return f"On corpus BLEU no two systems can be told apart ({pairs})."
        alike = [pair.b for pair in self.pairs if pair.a == best.system and not pair.different]
        top = f"{best.system} stands alone at the top"
        if alike:
            top = f"{listed([best.system, *alike])} cannot be told from the best"
        return f"On corpus BLEU {top}; {found} of {pairs} of systems differ."

    def sentences(self) -> Iterator[str]:
        """What can be concluded, and of which pairs."""
        yield self.sentence()
        for pair in self.pairs:
            if pair.different:
                yield pair.sentence(alpha=self.alpha, level=self.level)

    def warnings(self) -> list[str]:
        """What a reader of these numbers should know first."""
        found = []
        if self.counts.missing:
            topic, system, why = self.counts.missing[0]
            found.append(
                f"{counted(len(self.counts.missing), 'summary', 'summaries')} missing, so scores are over"
                f" different topics; the first: topic {topic}, system {system} ({why})"
            )
        if self.counts.uneven:
            names = listed(self.counts.uneven)
            found.append(f"{names} met fewer references than others, which lowers BLEU by itself")
        sizes = [pair.result.n for pair in self.pairs if not pair.result.why]
        if sizes and len(sizes) * max(2.0 ** (1 - min(sizes)), 1 / (self.resamples + 1)) >= self.alpha:
            found.append(
                f"with {counted(min(sizes), 'topic')}, {counted(len(sizes), 'pair')} and"
                f" {counted(self.resamples, 'resample')} the smallest p after Holm's correction is not below"
                f" {self.alpha:g}: a difference may not be found"
            )
        return found

    def to_frame(self) -> pd.DataFrame:
        """The league table."""
        import pandas as pd

        return pd.DataFrame([asdict(each) for each in self.standings])

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair."""
        import pandas as pd

        rows = [
            {"a": pair.a, "b": pair.b}
            | {name: getattr(pair.result, name) for name in PAIR_COLUMNS}
            | {"p_adjusted": pair.p_adjusted, "p_bootstrap_adjusted": pair.p_bootstrap_adjusted}
            | {"different": pair.different}
            for pair in self.pairs
        ]
        columns = ["a", "b", *PAIR_COLUMNS, "p_adjusted", "p_bootstrap_adjusted", "different"]
        return pd.DataFrame(rows, columns=columns)


def compare_corpus_bleu(
    batches: Iterable[TopicBatch],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    measure: Bleu = BLEU,
    length: int | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> CorpusComparison:
    """Rank systems by corpus BLEU and test every pair on the topics that both have.

    Rankel et al. 2011, section 5, ask for paired tests of BLEU; `stats.bleu.paired_bleu` says how they go.
    """
    checks.share("alpha", alpha)
    counts = count_topics(batches, measure=measure, length=length)
    scores = counts.bleu(measure.smooth)
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], counts.systems[k]))
    counts, scores = counts.select(order), scores[order]
    cells, present, smooth = counts.counts, counts.present, measure.smooth
    tests = paired_bleu(cells, present, rng=rng, resamples=resamples, level=level, smooth=smooth)
    low, high = bootstrap_bleu(cells, present, rng=rng, resamples=resamples, level=level, smooth=smooth)
    pairs = _pairs(counts.systems, tests, alpha)
    standings = _standings(counts, scores, low, high, pairs)
    return CorpusComparison(counts, standings, pairs, measure, length, alpha, level, resamples)


def count_topics(
    batches: Iterable[TopicBatch], *, measure: Bleu = BLEU, length: int | None = None
) -> CorpusCounts:
    """The counts of every topic and system. Several lengths are never mixed: name one."""
    cells: dict[tuple[str, str], list[int]] = {}
    reasons: dict[tuple[str, str], str] = {}
    references: dict[tuple[str, str], int] = {}
    lengths: set[int | None] = set()
    topics: dict[str, int] = {}
    for batch in batches:
        topic = batch.topic.topic
        topics[topic] = len(topics)
        lengths.update(peer.length for peer in batch.peers)
        peers = tuple(peer for peer in batch.peers if length is None or peer.length == length)
        for peer, counts in measure.counts(replace(batch, peers=peers)):
            references[topic, peer.system] = len(batch.references_for(peer))
            if counts is None:
                reasons[topic, peer.system] = no_reference(peer, batch.references)
            else:
                cells[topic, peer.system] = counts
        _check_lengths(lengths, length)
    _check_cells(cells, reasons, lengths, length)
    seen = list(dict.fromkeys(system for _, system in references))
    systems = {system: k for k, system in enumerate(dict.fromkeys(system for _, system in cells))}
    array = np.zeros((len(topics), len(systems), WIDTH), dtype=np.int64)
    present = np.zeros(array.shape[:2], dtype=bool)
    for (topic, system), counts in cells.items():
        array[topics[topic], systems[system]] = counts
        present[topics[topic], systems[system]] = True
    missing = [(t, s) for t in topics for s in seen if (t, s) not in cells]
    most = {t: max(references.get((t, s), 0) for s in seen) for t in topics}
    uneven = dict.fromkeys(s for t, s in cells if references[t, s] < most[t])
    return CorpusCounts(
        array,
        present,
        tuple(topics),
        tuple(systems),
        tuple((t, s, reasons.get((t, s), "no summary")) for t, s in missing),
        tuple(uneven),
    )


def _check_lengths(lengths: set[int | None], length: int | None) -> None:
    if length is None and len(lengths) > 1:
        found = ", ".join(_words(each) for each in sorted(lengths, key=lambda v: v or 0))
        raise UsageError(f"corpus BLEU: there are summaries of several lengths ({found}): choose one")


def _check_cells(
    cells: dict[tuple[str, str], list[int]],
    reasons: dict[tuple[str, str], str],
    lengths: set[int | None],
    length: int | None,
) -> None:
    if length is not None and length not in lengths:
        found = ", ".join(_words(each) for each in sorted(lengths, key=lambda v: v or 0))
        raise UsageError(f"corpus BLEU: no summary of length {length}; there are: {found or 'none'}")
    if not cells:
        why = next(iter(reasons.values()), "there are no peers")
        raise DataError(f"corpus BLEU: no summary can be scored: {why}")


def _words(length: int | None) -> str:
    return "unset" if length is None else str(length)


def _pairs(systems: tuple[str, ...], tests: list[PairedBleu], alpha: float) -> tuple[CorpusPair, ...]:
    p, p_bootstrap = holm([t.p for t in tests]), holm([t.p_bootstrap for t in tests])
    return tuple(
        CorpusPair(a, b, tests[k], float(p[k]), float(p_bootstrap[k]), bool(p[k] < alpha))
        for k, (a, b) in enumerate(combinations(systems, 2))
    )


def _standings(
    counts: CorpusCounts, scores: FloatArray, low: FloatArray, high: FloatArray, pairs: tuple[CorpusPair, ...]
) -> tuple[CorpusStanding, ...]:
    place = {system: k for k, system in enumerate(counts.systems)}
    different = np.zeros((len(place), len(place)), dtype=bool)
    for pair in pairs:
        i, j = place[pair.a], place[pair.b]
        different[i, j] = different[j, i] = pair.different
    groups = letters(different, range(len(place)))
    sizes = counts.present.sum(axis=0)
    return tuple(
        CorpusStanding(
            system,
            1 + int(np.count_nonzero(scores > scores[k] * (1 + TIE))),
            int(sizes[k]),
            float(scores[k]),
            float(low[k]),
            float(high[k]),
            groups[k],
        )
        for system, k in place.items()
    )
