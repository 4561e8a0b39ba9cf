"""Shares of things that come in clusters, such as units of topics, with intervals that allow for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from scipy.special import ndtri, stdtrit

from adjudge.core.errors import UsageError


def wilson_end(share: float, n: float, quantile: float, side: int) -> float:
    """An end of Wilson's interval: the p for which the share is just as far off as chance would have it."""
    q2 = quantile**2
    spread = math.sqrt(q2 * (share * (1 - share) + q2 / (4 * n)) / n)
    end = (share + q2 / (2 * n) + side * spread) / (1 + q2 / n)
    # The ends of the scale, but for rounding.
    return 0.0 if side < 0 and share == 0 else 1.0 if side > 0 and share == 1 else min(max(end, 0.0), 1.0)


@dataclass(frozen=True)
class ClusteredShare:
    """How many of all things have something, cluster by cluster, with Wilson's interval (Wilson 1927).

    The interval is Wilson's of as many independent things as would tell as much: n over the design effect, which is the
    variance of the share between clusters (a ratio estimate, Cochran 1977, section 11.12) over its variance if things
    were independent, and at least 1; and Student's t with clusters - 1 degrees of freedom in place of the normal
    quantile. So it supposes that clusters are a sample, and nothing of the things inside one. With one cluster, and
    where no thing or every thing has it, the clusters show nothing of how alike their things are: there `usual` is
    taken as the design effect, 1 unless another is known.
    """

    hits_by_cluster: tuple[int, ...]
    """In every cluster that has any of the things."""
    of: tuple[int, ...]
    level: float = 0.95
    usual: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise UsageError(f"level is {self.level:g}, expected a number between 0 and 1")

    @property
    def hits(self) -> int:
        return sum(self.hits_by_cluster)

    @property
    def n(self) -> int:
        return sum(self.of)

    @property
    def clusters(self) -> int:
        return len(self.of)

    @property
    def share(self) -> float:
        return self.hits / self.n if self.n else math.nan

    @cached_property
    def design_effect(self) -> float:
        """How many times as many independent things it would take."""
        p, n, k = self.share, self.n, self.clusters
        if k < 2 or not 0 < p < 1:
            return self.usual
        between = math.fsum(
            (hits - p * of) ** 2 for hits, of in zip(self.hits_by_cluster, self.of, strict=True)
        )
        return max(1.0, (k / (k - 1) * between / n**2) / (p * (1 - p) / n))

    @property
    def low(self) -> float:
        return self._end(-1)

    @property
    def high(self) -> float:
        return self._end(1)

    def _end(self, side: int) -> float:
        if not self.n:
            return math.nan
        tail = (1 + self.level) / 2
        q = float(stdtrit(self.clusters - 1, tail)) if self.clusters > 1 else float(ndtri(tail))
        return wilson_end(self.share, self.n / self.design_effect, q, side)


def clustered_share(
    hits: Sequence[int], of: Sequence[int], *, level: float = 0.95, usual: float = 1.0
) -> ClusteredShare:
    """A share from counts by cluster; clusters without any of the things tell nothing, and are left out."""
    if len(hits) != len(of) or any(not 0 <= count <= n for count, n in zip(hits, of, strict=True)):
        raise UsageError("hits: expected a count for every cluster, from 0 to what the cluster has")
    there = [(count, n) for count, n in zip(hits, of, strict=True) if n]
    return ClusteredShare(
        hits_by_cluster=tuple(count for count, _ in there),
        of=tuple(n for _, n in there),
        level=level,
        usual=max(usual, 1.0),
    )
