"""ROUGE of topics.

A few pairs of texts are counted in plain Python, so that nobody waits for a compiler; many at once by compiled kernels.
The scores are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.core.compiled import uncollected
from adjudge.data.rows import Summary
from adjudge.data.scores import Score
from adjudge.data.target import Target
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import Writers, no_reference
from adjudge.measures.rouge.counts import RougeCounts

if TYPE_CHECKING:
    import numpy as np

    from adjudge.measures.rouge.family import CountColumns, Rouge
    from adjudge.measures.rouge.fast import RougePairs


PLAIN_UP_TO = 1.0
"""Seconds, about, that plain Python may take; compiling, at the very first run, takes longer."""

HUNDRED_WORDS = 600
"""Characters, about."""


def score_together(measures: Sequence[Rouge], batches: Sequence[TopicBatch]) -> Iterator[Score]:
    """Scores of all measures over all topics. Measures that make the same words of a text share them."""
    groups: dict[tuple[str, ...], list[Rouge]] = {}
    for measure in measures:
        groups.setdefault(measure.alike, []).append(measure)
    seconds = _work(batches) * sum(measure.PLAIN_COST for measure in measures)
    score = _plainly if seconds <= PLAIN_UP_TO else _fast
    for group in groups.values():
        yield from score(group, batches)


def _work(batches: Sequence[TopicBatch]) -> float:
    """Pairs of texts, those of more than a hundred words for as many as the table of their words is larger."""
    work = 0.0
    for batch in batches:
        peers, references = (
            [max(1.0, len(summary.text) / HUNDRED_WORDS) for summary in side]
            for side in (batch.peers, batch.references)
        )
        work += sum(peers) * max(1.0, sum(references))
    return work


@dataclass(frozen=True, slots=True)
class _RougePeer:
    """A peer, the references it is compared with, and whether it is one of the topic's references itself."""

    batch: TopicBatch
    peer: Summary
    references: list[Summary]
    wrote_one: bool

    def row(self, name: str, value: float) -> Score:
        peer = self.peer
        return Score(name, peer.topic, peer.system, value, length=peer.length, form=peer.form)

    def missing(self, measure: Rouge) -> Score:
        return measure.missing(self.batch, self.peer, no_reference(self.peer, self.batch.references))


def _rouge_peers(batches: Sequence[TopicBatch]) -> Iterator[_RougePeer]:
    """Every peer. Those who wrote no reference share the references of their length and form."""
    for batch in batches:
        writers = {reference.system for reference in batch.references}
        usual: dict[Target, list[Summary]] = {}
        for peer in batch.peers:
            if peer.system in writers:
                wrote_one = any(reference.key == peer.key for reference in batch.references)
                yield _RougePeer(batch, peer, batch.references_for(peer), wrote_one=wrote_one)
            else:
                if peer.target not in usual:
                    usual[peer.target] = batch.references_for(peer)
                yield _RougePeer(batch, peer, usual[peer.target], wrote_one=False)


def _plainly(measures: Sequence[Rouge], batches: Sequence[TopicBatch]) -> Iterator[Score]:
    for measure in measures:
        name = str(measure)
        for rouge_peer in _rouge_peers(batches):
            text = measure.prepared(rouge_peer.batch, rouge_peer.peer)
            counts = [
                measure.counts(text, measure.prepared(rouge_peer.batch, r)) for r in rouge_peer.references
            ]
            if counts:
                yield rouge_peer.row(name, measure.ratios(counts, rouge_peer.wrote_one))
            else:
                yield rouge_peer.missing(measure)


def _fast(measures: Sequence[Rouge], batches: Sequence[TopicBatch]) -> Iterator[Score]:
    everyone = list(_rouge_peers(batches))
    texts, peers, against, sizes = _numbers_of(everyone)
    wrote_one = [rouge_peer.wrote_one for rouge_peer in everyone]
    language = batches[0].language
    for measure, values in values_of(measures, texts, language, peers, against, sizes, wrote_one):
        name = str(measure)
        for rouge_peer, value in zip(everyone, values, strict=True):
            yield rouge_peer.missing(measure) if value is None else rouge_peer.row(name, value)


def _numbers_of(everyone: Sequence[_RougePeer]) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The different texts; of every pair the numbers of its peer and its reference; and how many pairs a peer has."""
    import numpy as np

    texts: list[str] = []
    number: dict[int, int] = {}
    for rouge_peer in everyone:
        for summary in (rouge_peer.peer, *rouge_peer.references):
            if id(summary) not in number:
                number[id(summary)] = len(texts)
                texts.append(summary.text)
    sizes = np.asarray([len(rouge_peer.references) for rouge_peer in everyone], np.int64)
    peers = np.repeat(np.asarray([number[id(rouge_peer.peer)] for rouge_peer in everyone], np.int64), sizes)
    against = np.asarray([number[id(r)] for rouge_peer in everyone for r in rouge_peer.references], np.int64)
    return texts, peers, against, sizes


def score_choices(
    measure: Rouge, batches: Sequence[TopicBatch], choices: Iterable[Writers]
) -> Iterator[Sequence[float]]:
    """Of every choice of references a score per peer, NaN where it has none; pairs of texts are counted once."""
    import numpy as np

    everyone = list(_rouge_peers(batches))
    number = {id(batch): k for k, batch in enumerate(batches)}
    owner = np.asarray([k for k, rouge_peer in enumerate(everyone) for _ in rouge_peer.references], np.int64)
    batch_of = np.asarray([number[id(rouge_peer.batch)] for rouge_peer in everyone], np.int64)
    names = {r.system for batch in batches for r in batch.references}
    place = {name: k for k, name in enumerate(sorted(names))}
    writer = np.asarray([place[r.system] for rouge_peer in everyone for r in rouge_peer.references], np.int64)
    peer_place = np.asarray([place.get(rouge_peer.peer.system, 0) for rouge_peer in everyone], np.int64)
    wrote_one = np.asarray([rouge_peer.wrote_one for rouge_peer in everyone], np.bool_)
    table = _table_of(measure, everyone, batches) if len(owner) else None
    for writers in choices:
        chosen = np.zeros((len(batches), len(place)), np.bool_)
        for k, some in enumerate(writers):
            chosen[k, [place[name] for name in some if name in place]] = True
        kept = chosen[batch_of[owner], writer]
        sizes = np.bincount(owner[kept], minlength=len(everyone))
        if table is None or not kept.any():
            yield [math.nan] * len(everyone)
            continue
        there = wrote_one & chosen[batch_of, peer_place]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        hits, peers, references = (column[kept] for column in table)
        values = _values(measure, (hits, peers, references), there.tolist(), starts)
        yield [math.nan if value is None else value for value in values]


def _table_of(measure: Rouge, everyone: Sequence[_RougePeer], batches: Sequence[TopicBatch]) -> CountColumns:
    """Hits and what they are divided by, of every peer against every reference."""
    import numpy as np

    if _work(batches) * measure.PLAIN_COST <= PLAIN_UP_TO:
        rows = [
            measure.counts(
                measure.prepared(rouge_peer.batch, rouge_peer.peer),
                measure.prepared(rouge_peer.batch, reference),
            )
            for rouge_peer in everyone
            for reference in rouge_peer.references
        ]
        hits, ours, theirs = np.asarray([(c.hits, c.peer, c.reference) for c in rows], np.float64).T
        return hits, ours, theirs
    texts, peers, against, _ = _numbers_of(everyone)
    return measure.all_counts(_encoded([measure], texts, batches[0].language, peers, against), peers, against)


def values_of(
    measures: Sequence[Rouge],
    texts: Sequence[str],
    language: str,
    peers: np.ndarray,
    against: np.ndarray,
    sizes: np.ndarray,
    wrote_one: Sequence[bool],
) -> Iterator[tuple[Rouge, Sequence[float | None]]]:
    """For measures that make the same words: a number per peer, whose pairs are `sizes` long and in a row.

    A peer without references has None.
    """
    import numpy as np

    encoded = _encoded(measures, texts, language, peers, against)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for measure in measures:
        yield measure, _values(measure, measure.all_counts(encoded, peers, against), wrote_one, starts)


def _encoded(
    measures: Sequence[Rouge], texts: Sequence[str], language: str, peers: np.ndarray, against: np.ndarray
) -> RougePairs:
    """Texts in the words of measures that make the same of them, ready to be counted in pairs."""
    from adjudge.measures.rouge.fast import RougePairs, TextPairs, numbered

    with uncollected():
        words = numbered(texts, measures[0].preparation, measures[0].lines, language)
    weight = next(filter(None, (getattr(measure, "weight", None) for measure in measures)), None)
    return RougePairs(words, TextPairs.of(peers, against), weight)


def _values(
    measure: Rouge, table: CountColumns, wrote_one: Sequence[bool], starts: np.ndarray
) -> Sequence[float | None]:
    """One number per peer. Pooled counts are added up as arrays, in order; what is left goes one by one."""
    import numpy as np

    sizes = np.diff(starts)
    if measure.refs == "pooled":
        groups = np.repeat(np.arange(len(sizes)), sizes)
        pooled = _ratio(measure, *(np.bincount(groups, column, len(sizes)) for column in table)).tolist()
        return [value if size else None for value, size in zip(pooled, sizes.tolist(), strict=True)]
    if measure.refs == "max" and measure.stat == "f" and sizes.all():
        best: list[float] = np.maximum.reduceat(_ratio(measure, *table), starts[:-1]).tolist()
        return best
    counts = [RougeCounts(*row) for row in zip(*(column.tolist() for column in table), strict=True)]
    spans = zip(wrote_one, starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return [measure.ratios(counts[a:b], wrote) if b > a else None for wrote, a, b in spans]


def _ratio(measure: Rouge, hits: np.ndarray, peer: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """What `Ratios` makes of one row of counts, for all of them."""
    import numpy as np

    ratios = measure.ratios

    def share(over: np.ndarray, of: np.ndarray) -> np.ndarray:
        return np.asarray(np.divide(over, of, out=np.zeros(len(hits)), where=of > 0))

    def root(values: np.ndarray) -> np.ndarray:
        if ratios.weight == 1.0:
            return values
        return np.asarray([value ** (1 / ratios.weight) for value in values.tolist()])

    if measure.stat != "f":
        return root(share(hits, reference if measure.stat == "recall" else peer))
    recall, precision = root(share(hits, reference)), root(share(hits, peer))
    return share(precision * recall, (1 - measure.alpha) * precision + measure.alpha * recall)
