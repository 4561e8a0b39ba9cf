"""The pairs of a comparison for whoever else asks which systems differ: groups, lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adjudge.analyses.base import TABLE
from adjudge.analyses.conclusions import DIFFERENT, NOT_COMPARABLE, NOT_TESTED, OUT_OF_REACH
from adjudge.analyses.tests import DEFAULT_TEST
from adjudge.core.results import Note

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison, Which
    from adjudge.analyses.scores import Scores
    from adjudge.data.scores import ScoreMatrix
    from adjudge.stats.checks import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class UsualPairs:
    """What `compare` finds of every two systems, in the order of `itertools.combinations` over `systems`."""

    comparison: Comparison | None
    """None where no system has a score."""
    alpha: float
    systems: Sequence[str]
    n: IntArray
    difference: FloatArray
    se: FloatArray
    statistic: FloatArray
    p: FloatArray
    """Corrected."""
    low: FloatArray
    high: FloatArray
    conclusion: IntArray
    """0 differ, 1 not significantly different, 2 could not have been found, 3 not comparable."""
    why: Mapping[int, Note] = field(default_factory=dict)
    resamples: None = None

    def __len__(self) -> int:
        return self.p.size

    @property
    def method(self) -> str:
        return DEFAULT_TEST if self.comparison is None else self.comparison.test

    @property
    def level(self) -> float:
        return 1 - self.alpha

    @property
    def signature(self) -> str:
        made = (
            self.method if self.comparison is None else self.comparison.tested[self.method].results.signature
        )
        return f"{made}|holm:{self.alpha:g}"

    @property
    def different(self) -> BoolArray:
        differ: BoolArray = self.conclusion == DIFFERENT
        return differ

    @property
    def words(self) -> str:
        """`paired t, Holm`."""
        from adjudge.analyses.corrections import CORRECTIONS
        from adjudge.stats.paired import test_words

        test = test_words(self.method)
        return ", ".join(filter(None, [test, CORRECTIONS["holm"].short if len(self) > 1 else ""]))


def usual_comparison(scores: Scores, which: Which, asked: Any) -> Comparison:
    """The comparison by `compare`'s own defaults of what another analysis was asked for."""
    from adjudge.analyses.compare import Compare
    from adjudge.analyses.compare.pairs import compare_each

    named = ("alpha", "pool_humans", "seed", "pool", "without", *TABLE)
    same = {name: getattr(asked, name) for name in named if hasattr(asked, name)}
    return compare_each(scores, [which], Compare(**same))[0]


def comparison_of(matrix: ScoreMatrix, alpha: float) -> Comparison:
    """The same of a matrix, in which nobody is known who gave the scores."""
    from adjudge.analyses.compare import Compare
    from adjudge.analyses.compare.pairs import compare_matrix

    return compare_matrix(matrix, Compare(alpha=alpha))


def without_scores(systems: Sequence[str], alpha: float) -> UsualPairs:
    """Pairs of systems of which none has a score."""
    import numpy as np

    pairs = len(systems) * (len(systems) - 1) // 2
    none = np.full(pairs, np.nan)
    return UsualPairs(
        comparison=None,
        alpha=alpha,
        systems=systems,
        n=np.zeros(pairs, dtype=np.int64),
        difference=none,
        se=none,
        statistic=none,
        p=none,
        low=none,
        high=none,
        conclusion=np.full(pairs, NOT_COMPARABLE),
        why=dict.fromkeys(range(pairs), Note.of("few-in-common", n=0)),
    )


def usual_pairs(comparison: Comparison, systems: Sequence[str]) -> UsualPairs:
    """The pairs of a comparison in the order of these systems; those that it lacks are not comparable."""
    import numpy as np

    from adjudge.stats.pairs import columns_of_pairs

    test, size = comparison.test, len(comparison.matrix.systems)
    tested, ends = comparison.tested[test], comparison.pair_intervals[test]
    error, _ = comparison._errors(test)
    at = {system: k for k, system in enumerate(comparison.matrix.systems)}
    place = np.zeros((size, size), dtype=np.int64)
    first, second = columns_of_pairs(size)
    place[first, second] = place[second, first] = np.arange(first.size)
    i, j = columns_of_pairs(len(systems))
    a, b = (np.array([at.get(systems[k], -1) for k in side], dtype=np.int64) for side in (i, j))
    there = (a >= 0) & (b >= 0)
    pair = np.where(there, place[a, b], 0) if size > 1 else np.zeros(i.size, dtype=np.int64)
    turned = a > b

    def taken(values: FloatArray) -> FloatArray:
        return np.where(there, values[pair], np.nan) if values.size else np.full(i.size, np.nan)

    low, high, difference = taken(ends.low), taken(ends.high), taken(tested.results.counts.difference)
    conclusion = (
        np.where(there, tested.conclusion[pair], NOT_COMPARABLE) if tested.conclusion.size else there + 3
    )
    conclusion = np.where(conclusion == NOT_TESTED, OUT_OF_REACH, conclusion)
    why = {
        k: Note.of("refused", text=reason)
        for k, (of, compared) in enumerate(zip(pair.tolist(), there.tolist(), strict=True))
        if compared and (reason := tested.why(of))
    }
    return UsualPairs(
        comparison=comparison,
        alpha=comparison.alpha,
        systems=systems,
        n=np.where(there, tested.results.counts.n[pair], 0) if size > 1 else np.zeros(i.size, dtype=np.int64),
        difference=np.where(turned, -difference, difference),
        se=taken(error),
        statistic=np.where(turned, -1, 1) * taken(tested.results.statistic),
        p=taken(tested.adjusted),
        low=np.where(turned, -high, low),
        high=np.where(turned, -low, high),
        conclusion=conclusion,
        why=why,
    )
