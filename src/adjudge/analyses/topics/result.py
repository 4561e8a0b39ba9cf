"""Kruskal-Wallis tests over topics and over systems, and tests with blocks. The mathematics is in stats/."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.matrix_result import MatrixResult
from adjudge.analyses.topics import Topics
from adjudge.core.bars import MARK, interval_bars
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.results import Note
from adjudge.core.table import Column, Table, hidden
from adjudge.core.words import counted, listed
from adjudge.data.scores import ScoreMatrix

if TYPE_CHECKING:
    from adjudge.stats.checks import FloatArray
    from adjudge.stats.ranks import Blocked, KruskalWallis

FromChosen = Literal[
    "chosen", "differs", "does not differ significantly", "could not have been found to differ", "no scores"
]
"""How a topic compares with the chosen one."""
FEW = 5
"""With fewer scores in a group the chi-squared distribution of H is a rough one."""
WIDTH = 41
"""Of the picture of intervals, in characters."""


def topics_of_matrix(
    matrix: ScoreMatrix, asked: Topics | None = None, *, sets: Sequence[str] | None = None
) -> TopicsResult:
    """How the topics of a matrix differ, from each other and from a chosen one.

    Systems are compared on the means of whole sets of topics where a set is named for every row.
    """
    from adjudge.stats.ranks import blocked, kruskal_wallis

    asked = asked or Topics()
    against = asked.against
    if against is not None and against not in matrix.topics:
        hint = among(against, matrix.topics)
        raise UsageError(f"{matrix.measure} has no scores on topic {quoted(against)}{hint}")
    if not matrix.values.size:
        raise DataError(f"{matrix.measure}: no scores")
    if (matrix.values != matrix.values).all():
        reasons = listed(list(dict.fromkeys(why for _, _, why in matrix.missing)))
        raise DataError(f"{matrix.measure}: every score is missing ({reasons or 'no reason given'})")
    over_topics = kruskal_wallis(matrix.values, groups="rows", alpha=asked.alpha)
    blocks = matrix.values if sets is None else _means_of_sets(matrix.values, sets)
    return TopicsResult(
        asked=asked,
        matrix=matrix,
        standings=_standings(matrix, over_topics, against),
        over_topics=over_topics,
        over_systems=kruskal_wallis(blocks, groups="columns", alpha=asked.alpha),
        topics_blocked=blocked(matrix.values.T),
        systems_blocked=blocked(blocks),
        sets=0 if sets is None else len(blocks),
    )


def _means_of_sets(values: FloatArray, sets: Sequence[str]) -> FloatArray:
    """Sets x systems, over the topics of each set that have a score."""
    import numpy as np

    names = np.array(sets)
    present = ~np.isnan(values)
    members = (names == np.unique(names)[:, None]).astype(np.float64)
    counts = members @ present
    means: FloatArray = np.divide(
        members @ np.where(present, values, 0.0), counts, out=np.full(counts.shape, np.nan), where=counts > 0
    )
    return means


@dataclass(frozen=True, repr=False, kw_only=True)
class TopicsResult(MatrixResult):
    """Whether topics differ, and which; whether systems do, with topics as blocks. Keeps the matrix.

    The tests' arrays are in the order of the matrix. `standings` run from the easiest topic to the hardest,
    for descriptions from the highest to the lowest; topics without scores come last.
    """

    FIGURES: ClassVar[Mapping[str, str]] = {"topics": "adjudge.analyses.topics.figures:topic_intervals"}

    asked: Topics
    matrix: ScoreMatrix
    standings: tuple[TopicRank, ...]
    over_topics: KruskalWallis
    over_systems: KruskalWallis
    topics_blocked: Blocked
    """Over topics, with systems as blocks."""
    systems_blocked: Blocked
    """Over systems, with topics as blocks."""
    assessors: int = 0
    """How many gave the scores."""
    sets: int = 0
    """Sets of topics on whose means systems are compared."""
    few_sets: int = 0
    """Sets of topics, where there are too few for that."""

    @property
    def against(self) -> str | None:
        return self.asked.against

    def how(self) -> str:
        blocks = "friedman" if self.systems_blocked.complete else "skillings-mack:ties-corrected"
        return (
            f"{self.matrix.signature}|topics:{self.over_topics.groups}"
            f"|systems:{self.over_systems.groups}|pool:{self.matrix.pool}"
            f"|test:kruskal-wallis:tukey-mean-ranks:{self.alpha:g}|blocks:{blocks}"
        )

    def ends(self) -> tuple[list[str], list[str]]:
        """The first and the last topics, several where mean ranks tie."""
        scored = [s for s in self.standings if s.n]
        first, last = ([s.topic for s in scored if s.mean_rank == scored[k].mean_rank] for k in (0, -1))
        return first, last

    def from_chosen(self) -> dict[str, FromChosen]:
        """By topic: how it compares with the chosen one, and which that is; nothing where none was chosen."""
        if self.against is None:
            return {}
        place, test = self.matrix.topics.index, self.over_topics
        compared: dict[str, FromChosen] = {}
        for s in self.standings:
            if s.topic == self.against:
                compared[s.topic] = "chosen"
            elif not s.n or not test.n[place(self.against)]:
                compared[s.topic] = "no scores"
            elif s.from_chosen:
                compared[s.topic] = "differs"
            else:
                reach = test.within_reach(place(self.against), place(s.topic))
                compared[s.topic] = (
                    "does not differ significantly" if reach else "could not have been found to differ"
                )
        return compared

    def pairs_out_of_reach(self) -> int:
        """Pairs of topics whose scores are so few that no order of them would have made the two differ."""
        import numpy as np

        scored = np.flatnonzero(self.over_topics.n)
        a, b = (scored[side] for side in np.triu_indices(scored.size, k=1))
        return int(np.count_nonzero(~self.over_topics.within_reach(a, b)))

    def notes(self) -> Iterator[Note]:
        for why, n in Counter(why for _, _, why in self.matrix.missing).items():
            yield Note.of("missing-scores", n=n, why=why)
        if self.assessors > 1:
            yield Note.of("several-assessors", n=self.assessors)
        if self.sets:
            yield Note.of("sets", sets=self.sets, topics=len(self.matrix.topics))
        if self.few_sets:
            yield Note.of("few-sets", sets=self.few_sets)
        silent = [s.topic for s in self.standings if not s.n]
        if silent:
            yield Note.of("topics-without-scores", topics=silent)
        test = self.over_topics
        if test.why is None and not test.variance > 0:
            yield Note.of("all-scores-equal")
        elif not test.equal_sizes:
            yield Note.of("topics-of-unequal-size")
        sizes = test.n[test.n > 0]
        if sizes.size > 1 and sizes.min() < FEW:
            yield Note.of("few-scores-on-a-topic", n=int(sizes.min()))
        if (parts := self.systems_blocked.skillings_mack.parts) > 1:
            yield Note.of("systems-without-common-topics", parts=parts)

    def tables(self) -> Iterator[Table]:
        """A row per topic, from the easiest to the hardest."""
        size = f"{counted(self.over_topics.groups, 'topic')}, {counted(self.over_systems.groups, 'system')}"
        axis, lines = interval_bars(
            [(s.low, s.mean_rank if s.low == s.low else math.nan, s.high) for s in self.standings],
            marks=[
                "◆" if s.topic == self.against else "○" if s.from_chosen is False else MARK
                for s in self.standings
            ],
            width=WIDTH,
            form=".0f",
        )
        rows = [
            {
                **vars(s),
                **self.target,
                "interval": None if s.low != s.low else f"{s.low:z.1f} to {s.high:z.1f}",
                "bar": bar,
            }
            for s, bar in zip(self.standings, lines, strict=True)
        ]
        yield Table.of(
            "topics",
            rows,
            *hidden("measure length form"),
            Column("topic", right=False),
            Column("n", "scores"),
            Column("mean", format=".4f"),
            Column("sd", "s.d.", format=".4f"),
            Column("mean_rank", "mean rank", format=".1f"),
            *hidden("low high differs from_chosen"),
            Column("interval", f"{1 - self.alpha:.0%} interval", data=False, right=False),
            Column("bar", axis, data=False, right=False, show="terminal"),
            title=f"{self.matrix.heading} ({self.matrix.info.direction}, {size})",
        )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"pairs": self._pairs_table}

    def _pairs_table(self) -> Table:
        """A row per pair of topics, in the order of the standings; p is corrected for all pairs."""
        import numpy as np

        test, names = self.over_topics, self.matrix.topics
        order = np.array([names.index(s.topic) for s in self.standings])
        a, b = (order[side] for side in np.triu_indices(order.size, k=1))
        difference, cutoff = test.mean_ranks[a] - test.mean_ranks[b], test.cutoff(a, b)
        arrays = (test.n[a], test.n[b], test.mean_ranks[a], test.mean_ranks[b], difference, cutoff)
        numbers = zip(*(array.tolist() for array in (*arrays, test.pair_p(a, b))), strict=True)
        head = self.target.values()
        return Table.of(
            "pairs",
            [
                (*head, names[i], names[j], *row, bool(abs(row[4]) > row[5]))
                for i, j, row in zip(a.tolist(), b.tolist(), numbers, strict=True)
            ],
            "measure length form a b n_a n_b mean_rank_a mean_rank_b difference cutoff p different",
        )

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "better": self.matrix.info.better,
            "length": self.matrix.length,
            "form": self.matrix.target.form,
            "alpha": self.alpha,
            "against": self.against,
            "first": self.ends()[0],
            "last": self.ends()[1],
            "over_topics": _scalars(self.over_topics),
            "over_systems": _scalars(self.over_systems),
            **{
                name: {test: _scalars(getattr(blocked, test)) for test in ("friedman", "skillings_mack")}
                for name, blocked in (
                    ("topics_blocked", self.topics_blocked),
                    ("systems_blocked", self.systems_blocked),
                )
            },
            "missing": self.matrix.missing,
        }

    def drawn(self) -> str:
        if self.against is None:
            return ""
        return f"◆ {self.against}   ● differs from it   ○ does not differ from it significantly"


@dataclass(frozen=True)
class TopicRank:
    """One topic between the easiest and the hardest."""

    topic: str
    n: int
    mean: float
    sd: float
    mean_rank: float
    """Among all scores of all topics, the lowest score having rank 1."""
    low: float
    high: float
    """Of the mean rank, and within the ranks that there are; NaN where all scores are the same."""
    differs: int
    """From how many other topics it differs."""
    from_chosen: bool | None
    """Whether it differs from the chosen topic; None where none was chosen, and for that topic itself."""


def _standings(matrix: ScoreMatrix, test: KruskalWallis, against: str | None) -> tuple[TopicRank, ...]:
    differs = test.differing()
    chosen = None if against is None else test.different_from(matrix.topics.index(against))
    varied = test.variance > 0
    ranks = []
    for i, topic in enumerate(matrix.topics):
        mean, sd = _mean_and_sd(matrix.values[i])
        ranks.append(
            TopicRank(
                topic=topic,
                n=int(test.n[i]),
                mean=mean,
                sd=sd,
                mean_rank=float(test.mean_ranks[i]),
                low=max(float(test.low[i]), 1.0) if varied else math.nan,
                high=min(float(test.high[i]), float(test.total)) if varied else math.nan,
                differs=int(differs[i]),
                from_chosen=None if chosen is None or topic == against else bool(chosen[i]),
            )
        )
    sign = 1 if matrix.info.better == "lower" else -1
    return tuple(sorted(ranks, key=lambda s: (not s.n, sign * s.mean_rank if s.n else 0.0)))


def _mean_and_sd(row: Any) -> tuple[float, float]:
    scores = row[row == row]
    if not scores.size:
        return math.nan, math.nan
    largest = float(abs(scores).max()) or 1.0
    scores = scores / largest  # no sum of these, or of their squares, is too large for a float
    sd = float(scores.std(ddof=1)) * largest if scores.size > 1 else math.nan
    return float(scores.mean()) * largest, sd


def _scalars(test: Any) -> dict[str, Any]:
    """A test's numbers without its arrays."""
    attributes = vars(test) | {
        name: getattr(test, name) for name in ("total", "share") if hasattr(test, name)
    }
    return {
        k: v for k, v in attributes.items() if isinstance(v, int | float | str | tuple | None) and k != "null"
    }
