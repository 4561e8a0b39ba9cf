"""Pyramids of two assessors: the content units that they found in the same peers, and the scores that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from adjudge.analyses.agreement import Agreement
from adjudge.analyses.agreement.coefficients import rng
from adjudge.analyses.gathered import Gathered
from adjudge.analyses.questions import annotated_peers, is_at, several_targets
from adjudge.core.words import natural
from adjudge.judgments.tasks import is_anonymous
from adjudge.measures.judged.pyramid import PyramidPeer, PyramidScore

if TYPE_CHECKING:
    from adjudge.stats.checks import FloatArray


@dataclass(frozen=True)
class ComparedPyramids:
    """Two assessors' annotations of the same peers: content units they found, and the scores that follow."""

    a: str
    b: str
    peers: int
    topics: int
    same_pyramid: int
    """Peers that both compared with one pyramid: only there are content units the same."""
    both: int
    """Content units that both found in a peer; that only one of them found."""
    only_a: int
    only_b: int
    score_a: float
    score_b: float
    """Means of the modified pyramid score over the peers."""
    low: float
    high: float
    """Of the mean difference a - b: a percentile bootstrap over topics."""
    apart: float
    """The mean of the absolute differences."""
    furthest: float
    """The largest of them, and whose it is."""
    furthest_peer: str
    level: float
    resamples: int
    together: tuple[str, ...] = ()
    """The lengths and forms of the peers, where there are several."""

    @property
    def overlap(self) -> float:
        """Dice: of the units that they found, those that both found."""
        total = 2 * self.both + self.only_a + self.only_b
        return 2 * self.both / total if total else math.nan

    @property
    def difference(self) -> float:
        return self.score_a - self.score_b


def compared_pyramids(gathered: Gathered, options: Agreement) -> tuple[ComparedPyramids, ...]:
    """Every two assessors who annotated the same peers; those of several lengths and forms together."""
    by_assessor: dict[str, dict[tuple[str, object], PyramidPeer]] = {}
    for batch in gathered.batches.values():
        for peer in annotated_peers(batch):
            if is_at(peer.text, options.length, options.form) and not is_anonymous(peer.assessor):
                by_assessor.setdefault(peer.assessor, {}).setdefault((batch.topic.topic, peer.text), peer)
    compared = []
    for a, b in combinations(sorted(by_assessor, key=natural), 2):
        one, other = by_assessor[a], by_assessor[b]
        both = sorted(one.keys() & other.keys(), key=lambda key: (natural(key[0]), repr(key[1])))
        if both:
            compared.append(_compared(a, b, [(key[0], one[key], other[key]) for key in both], options))
    return tuple(compared)


def _compared(
    a: str, b: str, peers: list[tuple[str, PyramidPeer, PyramidPeer]], options: Agreement
) -> ComparedPyramids:
    import numpy as np

    both = only_a = only_b = same = 0
    rows = []
    for topic, one, other in peers:
        first, second = _found_units(one), _found_units(other)
        assert one.against is not None
        assert other.against is not None
        if one.against.digest == other.against.digest:
            same += 1
            both += len(first & second)
            only_a += len(first - second)
            only_b += len(second - first)
        rows.append((topic, f"{one.system} on {topic}", _pyramid_score(one), _pyramid_score(other)))
    scored = [row for row in rows if not math.isnan(row[2] + row[3])]
    values = np.array([[row[2], row[3]] for row in scored]).reshape(-1, 2)
    difference = values[:, 0] - values[:, 1]
    low, high = _mean_interval(difference, [row[0] for row in scored], options)
    most = int(np.abs(difference).argmax()) if scored else -1
    return ComparedPyramids(
        a=a,
        b=b,
        peers=len(peers),
        topics=len({topic for topic, _, _ in peers}),
        same_pyramid=same,
        both=both,
        only_a=only_a,
        only_b=only_b,
        score_a=float(values[:, 0].mean()) if scored else math.nan,
        score_b=float(values[:, 1].mean()) if scored else math.nan,
        low=low,
        high=high,
        apart=float(np.abs(difference).mean()) if scored else math.nan,
        furthest=float(abs(difference[most])) if scored else math.nan,
        furthest_peer=scored[most][1] if scored else "",
        level=options.level,
        resamples=0 if math.isnan(low) else options.resamples,
        together=several_targets(one.text for _, one, _ in peers),
    )


def _found_units(peer: PyramidPeer) -> set[int]:
    """The units of the pyramid that an annotation found in a peer."""
    assert peer.annotation is not None
    assert peer.against is not None
    pyramid = peer.against.pyramid
    weights = (pyramid.without(peer.system) if peer.wrote_one else pyramid).weights
    return {uid for uid in peer.annotation.times() if weights.get(uid)}


def _pyramid_score(peer: PyramidPeer) -> float:
    assert peer.annotation is not None
    assert peer.against is not None
    return PyramidScore().of(peer, peer.against.pyramid, peer.annotation)[0]


def _mean_interval(values: FloatArray, topics: Sequence[str], options: Agreement) -> tuple[float, float]:
    """Of a mean over things, resampling topics."""
    import numpy as np

    from adjudge.stats.agreement import LEAST_CLUSTERS, SAME, cluster_draws

    names = list(dict.fromkeys(topics))
    if len(names) < LEAST_CLUSTERS or options.resamples < 2:
        return math.nan, math.nan
    at = np.array([names.index(topic) for topic in topics])
    sums, counts = np.bincount(at, weights=values), np.bincount(at)
    times = cluster_draws(rng(options), len(names), options.resamples)
    means = (times @ sums) / (times @ counts)
    low, high = np.quantile(means, [(1 - options.level) / 2, (1 + options.level) / 2])
    return (float(low), float(high)) if high - low > SAME else (math.nan, math.nan)
