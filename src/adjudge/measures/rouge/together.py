"""All ROUGE measures of many topics: few pairs in plain steps, many at once through the kernels; same scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.compiled import uncollected
from adjudge.data.rows import Summary
from adjudge.data.scores import Score
from adjudge.judgments.batch import TopicBatch
from adjudge.measures.base import no_reference
from adjudge.measures.rouge.counts import Counts
from adjudge.measures.rouge.family import Rouge, RougeW

if TYPE_CHECKING:
    import numpy as np

    Table = tuple[np.ndarray, np.ndarray, np.ndarray]

PLAIN_UP_TO = (
    1.0  # seconds, about, that plain Python may take: compiling, at the very first run, takes longer
)


def score_together(measures: Sequence[Rouge], batches: Sequence[TopicBatch]) -> Iterator[Score]:
    """Measures that make the same words of a text share them."""
    groups: dict[tuple[str, ...], list[Rouge]] = {}
    for measure in measures:
        groups.setdefault(measure.alike, []).append(measure)
    pairs = sum(len(batch.peers) * max(len(batch.references), 1) for batch in batches)
    seconds = pairs * sum(measure.PLAIN_COST for measure in measures)
    score = _plainly if seconds <= PLAIN_UP_TO else _fast
    for group in groups.values():
        yield from score(group, batches)


@dataclass(frozen=True, slots=True)
class _Held:
    """A peer, the references it is held against, and whether it is one of the topic's references itself."""

    batch: TopicBatch
    peer: Summary
    references: list[Summary]
    wrote_one: bool

    def row(self, measure: Rouge, name: str, value: float) -> Score:
        return Score(name, self.peer.topic, self.peer.system, value, self.peer.length)

    def missing(self, measure: Rouge) -> Score:
        return measure.missing(self.batch, self.peer, no_reference(self.peer, self.batch.references))


def _held(batches: Sequence[TopicBatch]) -> Iterator[_Held]:
    for batch in batches:
        writers = {reference.system for reference in batch.references}
        usual: dict[int | None, list[Summary]] = {}
        for peer in batch.peers:
            if peer.system in writers:
                own = any(reference.key == peer.key for reference in batch.references)
                yield _Held(batch, peer, batch.references_for(peer), own)
            else:
                if peer.length not in usual:
                    usual[peer.length] = batch.references_for(peer)
                yield _Held(batch, peer, usual[peer.length], False)


def _plainly(measures: Sequence[Rouge], batches: Sequence[TopicBatch]) -> Iterator[Score]:
    for measure in measures:
        name = str(measure)
        for held in _held(batches):
            text = measure.prepared(held.batch, held.peer)
            counts = [measure.counts(text, measure.prepared(held.batch, r)) for r in held.references]
            if counts:
                yield held.row(measure, name, measure.ratios(counts, held.wrote_one))
            else:
                yield held.missing(measure)


def _fast(measures: Sequence[Rouge], batches: Sequence[TopicBatch]) -> Iterator[Score]:
    import numpy as np

    everyone = list(_held(batches))
    texts: list[str] = []
    number: dict[int, int] = {}
    for held in everyone:
        for summary in (held.peer, *held.references):
            if id(summary) not in number:
                number[id(summary)] = len(texts)
                texts.append(summary.text)
    sizes = np.asarray([len(held.references) for held in everyone], np.int64)
    peers = np.repeat(np.asarray([number[id(held.peer)] for held in everyone], np.int64), sizes)
    against = np.asarray([number[id(r)] for held in everyone for r in held.references], np.int64)
    wrote_one = [held.wrote_one for held in everyone]
    language = batches[0].language
    for measure, values in values_of(measures, texts, language, peers, against, sizes, wrote_one):
        name = str(measure)
        for held, value in zip(everyone, values, strict=True):
            yield held.missing(measure) if value is None else held.row(measure, name, value)


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

    from adjudge.measures.rouge.fast import Encoded, Pairs, numbered

    with uncollected():
        words = numbered(texts, measures[0].preparation, measures[0].lines, language)
    weight = next((measure.weight for measure in measures if isinstance(measure, RougeW)), None)
    encoded = Encoded(words, Pairs.of(peers, against), weight)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for measure in measures:
        yield measure, _values(measure, measure.all_counts(encoded, peers, against), wrote_one, starts)


def _values(
    measure: Rouge, table: Table, wrote_one: Sequence[bool], starts: np.ndarray
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
    counts = [Counts(*each) for each in zip(*(column.tolist() for column in table), strict=True)]
    spans = zip(wrote_one, starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return [measure.ratios(counts[a:b], own) if b > a else None for own, a, b in spans]


def _ratio(measure: Rouge, hits: np.ndarray, peer: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """What ratios.py makes of one row, for all of them."""
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
