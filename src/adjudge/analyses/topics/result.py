"""How topics differ, from the easiest to the hardest: Kruskal-Wallis tests over topics and over systems.

Rankel et al. 2011, section 1. The mathematics is in stats/.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.scores import Source, scores_of
from adjudge.core.errors import DataError, UsageError, among, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Column, Table, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.ranks import Blocked, Friedman, KruskalWallis, SkillingsMack

ALPHA = 0.05
H = "Kruskal-Wallis, H"
COULD_NOT = "could not have been found to differ"
FromChosen = Literal[
    "chosen", "differs", "does not differ significantly", "could not have been found to differ", "no scores"
]
"""How a topic compares with the chosen one."""
FEW = 5
"""With fewer scores in a group the chi-squared distribution of H is a rough one."""


def topics(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    against: str | None = None,
    alpha: float = ALPHA,
    pool: Pool = "mean",
    without: str | Sequence[str] = (),
) -> TopicsResult:
    """How the topics of a measure differ, from each other and from a chosen one: `topics("my-eval", "rouge-2")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame.
    """
    data = scores_of(scores, without=without)
    matrix = data.matrix(measure, length=length, form=form, pool=pool)
    found = topics_of_matrix(matrix, against=against, alpha=alpha)
    return replace(found, notes=data.assessor_note(matrix.measure, length, form))


def topics_of_matrix(
    matrix: ScoreMatrix, *, against: str | None = None, alpha: float = ALPHA
) -> TopicsResult:
    """How the topics of a matrix differ, from each other and from a chosen one (`against`)."""
    from adjudge.stats.ranks import blocked, kruskal_wallis

    _check(matrix, against)
    over_topics = kruskal_wallis(matrix.values, groups="rows", alpha=alpha)
    return TopicsResult(
        matrix=matrix,
        standings=_standings(matrix, over_topics, against),
        over_topics=over_topics,
        over_systems=kruskal_wallis(matrix.values, groups="columns", alpha=alpha),
        topics_blocked=blocked(matrix.values.T),
        systems_blocked=blocked(matrix.values),
        alpha=alpha,
        against=against,
    )


@dataclass(frozen=True, repr=False)
class TopicsResult(Pictured, Tabular):
    """Whether topics differ, and which; whether systems do, with topics as blocks. Keeps the matrix.

    The tests' arrays are in the order of the matrix. `standings` run from the easiest topic to the hardest,
    for descriptions from the highest to the lowest; topics without scores come last.
    """

    FIGURES: ClassVar[Mapping[str, str]] = {"topics": "adjudge.analyses.topics.figures:topic_intervals"}

    matrix: ScoreMatrix
    standings: tuple[TopicRank, ...]
    over_topics: KruskalWallis
    over_systems: KruskalWallis
    topics_blocked: Blocked
    """Over topics, with systems as blocks."""
    systems_blocked: Blocked
    """Over systems, with topics as blocks."""
    alpha: float
    against: str | None
    notes: tuple[str, ...] = ()
    """For whom it holds, where assessors gave the scores."""

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def signature(self) -> str:
        blocks = "friedman" if self.systems_blocked.complete else "skillings-mack:ties-corrected"
        return (
            f"{self.matrix.signature}|topics:{self.over_topics.groups}"
            f"|systems:{self.over_systems.groups}|pool:{self.matrix.pool}"
            f"|test:kruskal-wallis:tukey-mean-ranks:{self.alpha:g}|blocks:{blocks}"
        )

    @property
    def words(self) -> tuple[str, str]:
        """What the first and the last of the standings are."""
        return ("easiest", "hardest") if self.matrix.info.better else ("highest", "lowest")

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
        found: dict[str, FromChosen] = {}
        for s in self.standings:
            if s.topic == self.against:
                found[s.topic] = "chosen"
            elif not s.n or not test.n[place(self.against)]:
                found[s.topic] = "no scores"
            elif s.from_chosen:
                found[s.topic] = "differs"
            else:
                reach = test.within_reach(place(self.against), place(s.topic))
                found[s.topic] = (
                    "does not differ significantly" if reach else "could not have been found to differ"
                )
        return found

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""
        yield self.headline()
        if self.over_topics.why is None:
            yield f"With systems as blocks {self._in_blocks(self.topics_blocked, 'topic', 'system')}."
            if self.over_topics.p <= self.alpha or self.topics_blocked.test.p <= self.alpha:
                yield "A score depends on its topic: compare systems topic by topic, with paired tests."
            yield self._about_ends()
            yield self._about_pairs()
        if self.against is not None:
            yield self.about_chosen(self.against)
        yield self._about_systems()

    def headline(self) -> str:
        """The first thing to know."""
        test = self.over_topics
        if test.why is not None:
            return f"One topic has scores: nothing to compare on {self.title}."
        size = f"{counted(test.groups, 'topic')}, {counted(test.total, 'score')}"
        said = f"On {self.title} the topics {self._verdict(test)} ({_basis(H, test, self.alpha)}, {size})"
        if self._out_of_reach(test):
            return f"{said}."  # with a score each, topics would carry all of the variance
        return f"{said}; they carry {test.share:.0%} of the variance of the ranks."

    def _about_ends(self) -> str:
        first, last = self.ends()
        if first == last:
            return "All topics have the same mean rank."
        place, test = self.matrix.topics.index, self.over_topics
        ends = [(place(a), place(b)) for a in first for b in last]
        if all(test.different_from(a)[b] for a, b in ends):
            verdict = "they differ"
        elif not any(test.within_reach(a, b) for a, b in ends):
            verdict = f"they {COULD_NOT}"
        else:
            verdict = "they do not differ significantly"
        return f"The {self._end(1, last)}, the {self._end(0, first)}; {verdict}."

    def _end(self, which: int, topics: list[str]) -> str:
        if len(topics) > 1:
            return f"{self.words[which]} topics are {listed(topics)}"
        # Its mean may say otherwise: topics are ordered by their ranks, which no outlier moves.
        rank = next(s.mean_rank for s in self.standings if s.topic == topics[0])
        return f"{self.words[which]} topic is {topics[0]} (mean rank {rank:.1f})"

    def _about_pairs(self) -> str:
        found, k = sum(s.differs for s in self.standings) // 2, self.over_topics.groups
        basis = f"(Tukey's test on mean ranks, alpha {self.alpha:g})"
        never = self._pairs_out_of_reach()
        if never == k * (k - 1) // 2:
            return f"No pair of topics could have been found to differ {basis}."
        left = f"; {never:,} could not have been found" if never else ""
        return f"{found:,} of {counted(k * (k - 1) // 2, 'pair')} of topics differ{left} {basis}."

    def _pairs_out_of_reach(self) -> int:
        """Pairs of topics whose scores are so few that no order of them would have made the two differ."""
        import numpy as np

        scored = np.flatnonzero(self.over_topics.n)
        a, b = (scored[side] for side in np.triu_indices(scored.size, k=1))
        return int(np.count_nonzero(~self.over_topics.within_reach(a, b)))

    def about_chosen(self, topic: str) -> str:
        chosen = next(s for s in self.standings if s.topic == topic)
        others = [s for s in self.standings if s.n and s.topic != topic]
        if not chosen.n or not others:
            return f"{topic} cannot be compared: {'no other topic has' if chosen.n else 'it has no'} scores."
        apart = [s for s in others if s.from_chosen]
        of = counted(len(others), "other topic")
        place, test = self.matrix.topics.index, self.over_topics
        if not any(test.within_reach(place(topic), place(s.topic)) for s in others):
            return f"{topic} {COULD_NOT} from any of {of}."
        if not apart:
            return f"{topic} is not significantly different from any of {of}."
        known = {"higher": ("easier", "harder"), "lower": ("harder", "easier")}
        words = known.get(self.matrix.info.better or "", ("higher", "lower"))
        below = [s.topic for s in apart if s.mean_rank < chosen.mean_rank]
        above = [s.topic for s in apart if s.mean_rank > chosen.mean_rank]
        sides = zip(words, (below, above), strict=True)
        said = [f"{word} than {listed(names)}" for word, names in sides if names]
        return f"{topic} differs from {len(apart):,} of {of}: it is {', and '.join(said)}."

    def _about_systems(self) -> str:
        with_blocks = f"With topics as blocks {self._in_blocks(self.systems_blocked, 'system', 'topic')}"
        pooled = self.over_systems
        if pooled.why is not None:
            return f"{with_blocks}."
        without = f"without blocks they {self._verdict(pooled)} ({_basis(H, pooled, self.alpha)})"
        return f"{with_blocks}; {without}."

    def _in_blocks(self, blocked: Blocked, column: str, row: str) -> str:
        test = blocked.test
        if test.why is not None:
            why = test.why.replace("column", column).replace("row", row)
            return f"the {column}s cannot be compared ({blocked.name}: {why})"
        basis = _basis(f"{blocked.name}, chi-squared", test, self.alpha)
        return f"the {column}s {self._verdict(test)} ({basis}, {counted(test.n, row)})"

    def _verdict(self, test: KruskalWallis | Friedman | SkillingsMack) -> str:
        if self._out_of_reach(test):
            return COULD_NOT
        return "differ" if test.p <= self.alpha else "do not differ significantly"

    def _out_of_reach(self, test: KruskalWallis | Friedman | SkillingsMack) -> bool:
        """Whether no order of the scores would have been significant."""
        return test.p > self.alpha and test.smallest_p > self.alpha

    def missing(self) -> list[str]:
        """Missing cells, counted, a line per reason."""
        reasons = Counter(why for _, _, why in self.matrix.missing)
        return [f"{counted(n, 'missing score')} ({why})" for why, n in reasons.items()]

    def warnings(self) -> list[str]:
        found, sizes = [], self.over_topics.n[self.over_topics.n > 0]
        silent = [s.topic for s in self.standings if not s.n]
        if silent:
            found.append(f"no scores on {listed(silent)}")
        if self.over_topics.why is None and not self.over_topics.variance > 0:
            found.append("all scores are the same: mean ranks have no intervals")
        elif not self.over_topics.equal_sizes:
            found.append("topics have different numbers of scores: intervals are a picture, the pairs decide")
        if sizes.size > 1 and sizes.min() < FEW:
            found.append(f"a topic has only {counted(int(sizes.min()), 'score')}: p is a rough one")
        parts = self.systems_blocked.skillings_mack.parts
        if parts > 1:
            found.append(f"systems fall into {parts} sets that share no topic: blocks test within them")
        return [*self.notes, *found]

    def table(self) -> Table:
        """A row per topic, from the easiest to the hardest."""
        size = f"{counted(self.over_topics.groups, 'topic')}, {counted(self.over_systems.groups, 'system')}"
        return Table(
            name="topics",
            columns=(
                Column("measure", show="never"),
                Column("length", show="never"),
                Column("form", show="never"),
                Column("topic", right=False),
                Column("n", "scores"),
                Column("mean", format=".4f"),
                Column("sd", "s.d.", format=".4f"),
                Column("mean_rank", "mean rank", format=".1f"),
                Column("low", show="never"),
                Column("high", show="never"),
                Column("differs", show="never"),
                Column("from_chosen", show="never"),
                Column("interval", f"{1 - self.alpha:.0%} interval", data=False, right=False),
            ),
            rows=tuple(
                (
                    self.measure,
                    self.matrix.length,
                    self.matrix.target.form,
                    s.topic,
                    s.n,
                    s.mean,
                    s.sd,
                    s.mean_rank,
                    s.low,
                    s.high,
                    s.differs,
                    s.from_chosen,
                    None if s.low != s.low else f"{s.low:z.1f} to {s.high:z.1f}",
                )
                for s in self.standings
            ),
            title=f"{self.matrix.heading} ({self.matrix.info.direction}, {size})",
            said=tuple(self.sentences()),
            notes=(*self.missing(), *self.warnings()),
            signature=self.signature,
        )

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair of topics, in the order of the standings; p is corrected for all pairs."""
        import numpy as np
        import pandas as pd

        test, topics = self.over_topics, np.array(self.matrix.topics, dtype=object)
        order = np.array([self.matrix.topics.index(s.topic) for s in self.standings])
        a, b = (order[side] for side in np.triu_indices(order.size, k=1))
        difference, cutoff = test.mean_ranks[a] - test.mean_ranks[b], test.cutoff(a, b)
        return pd.DataFrame(
            {
                "measure": np.full(a.size, self.measure, dtype=object),
                "length": self.matrix.length,
                "form": self.matrix.target.form,
                "a": topics[a],
                "b": topics[b],
                "n_a": test.n[a],
                "n_b": test.n[b],
                "mean_rank_a": test.mean_ranks[a],
                "mean_rank_b": test.mean_ranks[b],
                "difference": difference,
                "cutoff": cutoff,
                "p": test.pair_p(a, b),
                "different": np.abs(difference) > cutoff,
            }
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything but the pairs, for --json; what is no finite number becomes null."""
        tests = {"over_topics": self.over_topics, "over_systems": self.over_systems}
        blocks = {"topics_blocked": self.topics_blocked, "systems_blocked": self.systems_blocked}
        found: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "better": self.matrix.info.better,
                "length": self.matrix.length,
                "form": self.matrix.target.form,
                "signature": self.signature,
                "alpha": self.alpha,
                "against": self.against,
                "sentences": list(self.sentences()),
                **dict(zip(self.words, self.ends(), strict=True)),
                **{
                    name: _scalars(vars(t) | {"total": t.total, "share": t.share})
                    for name, t in tests.items()
                },
                **{
                    name: {
                        "friedman": _scalars(vars(b.friedman)),
                        "skillings_mack": _scalars(vars(b.skillings_mack)),
                    }
                    for name, b in blocks.items()
                },
                "standings": [asdict(s) for s in self.standings],
                "missing": self.matrix.missing,
                "warnings": self.warnings(),
            }
        )
        return found


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


def _check(matrix: ScoreMatrix, against: str | None) -> None:
    if against is not None and against not in matrix.topics:
        hint = among(against, matrix.topics)
        raise UsageError(f"{matrix.measure} has no scores on topic {quoted(against)}{hint}")
    if not matrix.values.size:
        raise DataError(f"{matrix.measure}: no scores")
    if (matrix.values != matrix.values).all():
        reasons = listed(list(dict.fromkeys(why for _, _, why in matrix.missing)))
        raise DataError(f"{matrix.measure}: every score is missing ({reasons or 'no reason given'})")


def _standings(matrix: ScoreMatrix, test: KruskalWallis, against: str | None) -> tuple[TopicRank, ...]:
    differs = test.differing()
    chosen = None if against is None else test.different_from(matrix.topics.index(against))
    varied = test.variance > 0
    found = []
    for i, topic in enumerate(matrix.topics):
        mean, sd = _mean_and_sd(matrix.values[i])
        found.append(
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
    return tuple(sorted(found, key=lambda s: (not s.n, sign * s.mean_rank if s.n else 0.0)))


def _mean_and_sd(row: Any) -> tuple[float, float]:
    scores = row[row == row]
    if not scores.size:
        return math.nan, math.nan
    largest = float(abs(scores).max()) or 1.0
    scores = scores / largest  # no sum of these, or of their squares, is too large for a float
    return float(scores.mean()) * largest, float(
        scores.std(ddof=1)
    ) * largest if scores.size > 1 else math.nan


def _basis(name: str, test: KruskalWallis | Friedman | SkillingsMack, alpha: float) -> str:
    from adjudge.stats.paired import p_words

    return f"{name}({test.df}) = {test.statistic:.4g}, {p_words(test.p, alpha)}"


def _scalars(row: dict[str, Any]) -> dict[str, Any]:
    """Without arrays."""
    return {k: v for k, v in row.items() if isinstance(v, int | float | str | tuple | None) and k != "null"}
