"""Target lengths compared: the model system + topic at each length, scores centred by topic, and how rankings agree.

Lengths are compared one at a time, or averaged within a topic first. Over and Liggett 2002. The mathematics is in
stats/.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.compare.usual import comparison_of, usual_pairs, without_scores
from adjudge.analyses.lengths import TASKS, Lengths
from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table, hidden
from adjudge.core.words import counted
from adjudge.data.scores import (
    Length,
    LengthLeftOut,
    MeasureInfo,
    ScoreMatrix,
    average_lengths,
    length_words,
)

if TYPE_CHECKING:
    import numpy as np

    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.compare.usual import UsualPairs
    from adjudge.stats.linear.tukey import Tukey
    from adjudge.stats.paired import Interval
    from adjudge.stats.ranks import KendallTau

LARGEST = 1e150
"""Squares of scores beyond this are no floats."""


def lengths_of_matrices(
    matrices: Mapping[Length, ScoreMatrix],
    asked: Lengths | None = None,
    *,
    tasks: Mapping[str, str | None] | None = None,
    kinds: Mapping[str, str] | None = None,
    compared: Callable[[Length | Literal["all"]], Comparison] | None = None,
) -> LengthsResult:
    """A measure at all its lengths, a matrix each; `tasks` says of topics whether they are single or multi.

    `compared` gives what `compare` finds at a length, or with all averaged; without it, matrices alone are compared.
    """
    import numpy as np

    if not matrices:
        raise DataError("no scores at any length")
    asked = asked or Lengths()
    ordered = dict(sorted(matrices.items(), key=lambda item: item[0] or 0))
    first = next(iter(ordered.values()))
    if all(np.isnan(m.values).all() for m in ordered.values()):
        raise DataError(f"{first.measure}: every score is missing")
    largest = max(float(np.nanmax(np.abs(m.values), initial=0.0)) for m in ordered.values())
    if largest > LARGEST:
        raise DataError(
            f"{first.measure}: a score of {largest:.3g} is too large for a variance: divide all scores"
        )
    lengths = tuple(
        _at_length(matrix, length, asked, compared=None if compared is None else compared(length))
        for length, matrix in ordered.items()
    )
    together: AtLength | None = None
    left_out: tuple[LengthLeftOut, ...] = ()
    if len(ordered) > 1:
        mean, left_out = average_lengths(ordered)
        alike = len({m.systems for m in ordered.values()}) == 1
        complete = alike and not left_out and not any(np.isnan(m.values).any() for m in ordered.values())
        whole = compared("all") if compared is not None and complete else None
        together = _at_length(mean, None, asked, together=True, compared=whole)
    columns = lengths if together is None else (*lengths, together)
    return LengthsResult(
        asked=asked,
        info=first.signed(f"form:{first.form}").info if first.form else first.info,
        lengths=lengths,
        together=together,
        between_lengths=tuple(_agreement((a.name, b.name), a, b, asked) for a, b in combinations(lengths, 2)),
        between_tasks=tuple(_between_tasks(columns, tasks or {}, asked)),
        left_out=left_out,
        kinds=kinds or {},
    )


@dataclass(frozen=True)
class SystemAtLength:
    """One system at one length."""

    system: str
    rank: int | None
    """By the least-squares mean; None where there is none."""
    n: int
    mean: float
    """Least-squares mean: the plain one where no cell is missing."""
    centred: float
    """The mean over topics of the score less the topic's mean over all peers."""
    group: str
    """Letters: systems that share one are not significantly different."""


@dataclass(frozen=True)
class AtLength:
    """What was found at one length, or with all lengths averaged within topics."""

    length: Length
    together: bool
    """Whether this is all lengths averaged."""
    matrix: ScoreMatrix
    tukey: Tukey
    """The model's means and residual mean square, and the difference that Tukey's test would ask for."""
    tests: UsualPairs
    """Of all pairs, as `compare` has them."""
    standings: tuple[SystemAtLength, ...]
    """Best first; systems without scores come last."""

    @property
    def name(self) -> str:
        return "all lengths" if self.together else length_words(self.length)

    @property
    def column(self) -> str:
        """The name where there is little room."""
        return "all" if self.together else "unset" if self.length is None else str(self.length)

    @property
    def pairs(self) -> int:
        """Pairs of systems that could be tested."""
        return len(self.tests) - len(self.tests.why)

    @property
    def told_apart(self) -> int:
        return int(self.tests.different.sum())


@dataclass(frozen=True)
class RankingAgreement:
    """How far two rankings of the same systems agree."""

    a: str
    b: str
    """Of which length, or of topics of which task at which length."""
    tau: KendallTau
    interval: Interval
    only: tuple[str, ...]
    """Systems that one of the two alone can rank."""
    tasks_at: AtLength | None = None
    """Where single- and multi-document topics are compared: at which length."""


@dataclass(frozen=True, repr=False, kw_only=True)
class LengthsResult(Result):
    """A measure at all its lengths. Keeps the matrices it came from."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "length-means": "adjudge.analyses.lengths.figures:length_means",
        "length-boxes": "adjudge.analyses.lengths.figures:length_boxes",
    }
    FRAME: ClassVar[str] = "standings"
    IN_JSON: ClassVar[tuple[str, ...]] = ("standings", "agreement")

    asked: Lengths
    info: MeasureInfo
    lengths: tuple[AtLength, ...]
    """From the shortest to the longest; an unset length comes first."""
    together: AtLength | None
    """All lengths averaged within topics; None where there is one length."""
    between_lengths: tuple[RankingAgreement, ...]
    between_tasks: tuple[RankingAgreement, ...]
    """Single- with multi-document topics, at every length that has both, and over all lengths."""
    left_out: tuple[LengthLeftOut, ...]
    """Lengths that were left out of topics' means, for `together`."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    assessors: int = 0
    """How many gave the scores."""

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def columns(self) -> tuple[AtLength, ...]:
        """Every length, and all of them together."""
        return self.lengths if self.together is None else (*self.lengths, self.together)

    def how(self) -> str:
        at = ",".join(at_length.column for at_length in self.lengths)
        return (
            f"{self.info.signature or self.measure}|lengths:{at}|model:system+topic"
            f"|{self.columns[-1].tests.method}:{1 - self.asked.alpha:g}"
            f"|tau-b:bootstrap-percentile:{self.asked.resamples}|seed:{self.asked.seed}"
        )

    def systems(self) -> tuple[str, ...]:
        """Every system, the best first: by all lengths together, then by the longest that has it."""
        last = (self.together,) if self.together else ()
        by_place = (s.system for at_length in (*last, *reversed(self.lengths)) for s in at_length.standings)
        return tuple(dict.fromkeys(by_place))

    def noises(self) -> dict[str, float]:
        """The residual mean square by length, the shortest first; an unset length is none."""
        return {
            at_length.name: at_length.tukey.mean_square
            for at_length in self.lengths
            if at_length.length is not None and not math.isnan(at_length.tukey.mean_square)
        }

    def notes(self) -> Iterator[Note]:
        # Once what holds at several lengths.
        compared = [c for at_length in self.columns if (c := at_length.tests.comparison) is not None]
        yield from dict.fromkeys(note for comparison in compared for note in comparison.for_whom())
        for at_length in self.lengths:
            if holes := len(at_length.matrix.missing):
                yield Note.of("missing-at-length", at=at_length.name, n=holes)
            if why := at_length.tests.why:
                first = next(iter(why.values()))
                yield Note.of("pairs-not-tested-at-length", at=at_length.name, n=len(why), why=first)
        for left in self.left_out:
            yield Note.of("length-left-out-of-the-mean", **asdict(left))

    def tables(self) -> Iterator[Table]:
        """Scores centred by topic with letters, a row per system; then the noise, a row per length."""
        kind = (Column("kind", show="varies"),) if self.kinds else ()
        by_length = [{s.system: s for s in at_length.standings} for at_length in self.columns]

        def cells(system: str) -> Iterator[float | str | None]:
            for standings in by_length:
                standing = standings.get(system)
                has_score = standing is not None and standing.centred == standing.centred
                yield from (standing.centred, standing.group) if has_score and standing else (None, "")

        yield Table.of(
            "centred",
            [
                (system, *((self.kinds.get(system, "machine"),) if kind else ()), *cells(system))
                for system in self.systems()
            ],
            Column("system", right=False),
            *kind,
            *(
                column
                for at_length in self.columns
                for column in (
                    Column(f"centred_{at_length.column}", at_length.column, format="+.4f"),
                    Column(f"group_{at_length.column}", "group", right=False),
                )
            ),
            title=f"{self.info.heading} ({self.info.direction}, {counted(len(self.lengths), 'length')}):"
            " scores minus the mean of their topic",
        )
        yield Table.of(
            "noise",
            [
                {
                    "measure": self.measure,
                    "length": at_length.column,
                    "form": at_length.matrix.target.form,
                    "topics": len(at_length.matrix.topics),
                    "systems": at_length.tukey.columns,
                    "df": int(at_length.tukey.df),
                    "mean_square": at_length.tukey.mean_square,
                    "tukey_critical": at_length.tukey.critical,
                    "tukey_hsd": at_length.tukey.hsd,
                    "test": at_length.tests.method,
                    "pairs": at_length.pairs,
                    "told_apart": at_length.told_apart,
                    "differ": f"{at_length.told_apart} of {at_length.pairs}",
                }
                for at_length in self.columns
            ],
            *hidden("measure"),
            Column("length", right=False),
            *hidden("form"),
            "topics systems",
            Column("df", "residual df"),
            Column("mean_square", "residual mean square", format=".4g"),
            *hidden("tukey_critical tukey_hsd test pairs told_apart"),
            Column("differ", "pairs that differ", data=False, right=True),
            title="Noise: what the model topic + system leaves unexplained",
        )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """A row per system and length; per pair of rankings; per score, with the score less its topic's mean."""
        return {
            "standings": self._standings_table,
            "agreement": self._agreement_table,
            "scores": self._scores_table,
        }

    def _standings_table(self) -> Table:
        rows = [
            (self.measure, at_length.column, at_length.matrix.target.form, *astuple(standing))
            for at_length in self.columns
            for standing in at_length.standings
        ]
        return Table.of("standings", rows, "measure length form system rank n mean centred group")

    def _agreement_table(self) -> Table:
        rows = [
            {
                **asdict(agreement.tau),
                "measure": self.measure,
                "a": agreement.a,
                "b": agreement.b,
                "low": agreement.interval.low,
                "high": agreement.interval.high,
                "only": ", ".join(agreement.only),
            }
            for agreement in (*self.between_lengths, *self.between_tasks)
        ]
        return Table.of("agreement", rows, "measure a b n tau p method low high only why")

    def _scores_table(self) -> Table:
        rows = [
            (at_length.column, system, topic, value, less)
            for at_length in self.lengths
            for system, scores, centred in zip(
                at_length.matrix.systems,
                at_length.matrix.values.T,
                _less_topics(at_length.matrix.values).T,
                strict=True,
            )
            for topic, value, less in zip(
                at_length.matrix.topics, scores.tolist(), centred.tolist(), strict=True
            )
        ]
        return Table.of("scores", rows, "length system topic value centred")

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "better": self.info.better,
            "left_out": [asdict(left) for left in self.left_out],
            "missing": {at_length.column: at_length.matrix.missing for at_length in self.columns},
        }


def _at_length(
    matrix: ScoreMatrix,
    length: Length,
    asked: Lengths,
    *,
    together: bool = False,
    compared: Comparison | None = None,
) -> AtLength:
    import numpy as np

    from adjudge.stats.linear.tukey import tukey
    from adjudge.stats.order import letters
    from adjudge.stats.paired import NOISE, steps
    from adjudge.stats.pairs import columns_of_pairs

    level = 1 - asked.alpha
    model = tukey(matrix.values, level=level)
    if np.isnan(matrix.values).all():
        tests = without_scores(matrix.systems, asked.alpha)
    else:
        tests = usual_pairs(compared or comparison_of(matrix, asked.alpha), matrix.systems)
    apart = np.zeros((len(matrix.systems),) * 2, dtype=bool)
    first, second = columns_of_pairs(len(matrix.systems))
    apart[first, second] = apart[second, first] = tests.different
    sign = 1 if matrix.info.better == "lower" else -1
    ranked = np.flatnonzero(~np.isnan(model.means)).tolist()
    ranked.sort(key=lambda j: (sign * model.means[j], matrix.systems[j]))
    groups = dict(zip(ranked, letters(apart[np.ix_(ranked, ranked)], range(len(ranked))), strict=True))
    # Competition ranks: equal means, but for noise, share the better place.
    ascending = sign * model.means[ranked]
    starts = np.flatnonzero(steps(ascending, NOISE * np.abs(ascending)))
    places = np.repeat(starts + 1, np.diff(starts, append=ascending.size)).tolist()
    rank = dict(zip(ranked, places, strict=True))
    rest = [j for j in range(len(matrix.systems)) if j not in groups]
    left = _less_topics(matrix.values)
    present = ~np.isnan(left)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: a system without scores
        centred = np.where(present, left, 0.0).sum(axis=0) / present.sum(axis=0)
    standings = tuple(
        SystemAtLength(
            system=matrix.systems[j],
            rank=rank.get(j),
            n=int(model.n[j]),
            mean=float(model.means[j]),
            centred=float(centred[j]),
            group=groups.get(j, ""),
        )
        for j in (*ranked, *rest)
    )
    return AtLength(
        length=length, together=together, matrix=matrix, tukey=model, tests=tests, standings=standings
    )


def _less_topics(values: np.ndarray) -> np.ndarray:
    """Every value less the mean of its topic, over all peers that have one."""
    import numpy as np

    present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: a topic without scores
        topic = np.where(present, values, 0.0).sum(axis=1, keepdims=True) / present.sum(axis=1, keepdims=True)
    return np.asarray(values - topic)


def _between_tasks(
    columns: tuple[AtLength, ...], tasks: Mapping[str, str | None], asked: Lengths
) -> Iterator[RankingAgreement]:
    """Single with multi, wherever a length has topics of both."""
    for at in columns:
        sides = [{topic for topic in at.matrix.topics if tasks.get(topic) == task} for task in TASKS]
        if all(sides):
            a, b = (_at_length(at.matrix.of_topics(side), at.length, asked) for side in sides)
            single, multi = (f"{task} documents, {at.name}" for task in TASKS)
            yield _agreement((single, multi), a, b, asked, tasks_at=at)


def _agreement(
    names: tuple[str, str], a: AtLength, b: AtLength, asked: Lengths, *, tasks_at: AtLength | None = None
) -> RankingAgreement:
    """How far the rankings of the systems that both can rank agree."""
    from adjudge.stats.ranks import kendall, kendall_interval

    x, y = ({s.system: s.mean for s in side.standings if s.rank is not None} for side in (a, b))
    common = sorted(x.keys() & y.keys())
    left, right = [x[s] for s in common], [y[s] for s in common]
    task = f"lengths/{'/'.join(names)}"
    tau = kendall(left, right, rng=generator(asked.seed, task), resamples=asked.resamples)
    rng = generator(asked.seed, task, 1)
    return RankingAgreement(
        a=names[0],
        b=names[1],
        tau=tau,
        interval=kendall_interval(left, right, rng=rng, resamples=asked.resamples, level=1 - asked.alpha),
        only=tuple(sorted(x.keys() ^ y.keys())),
        tasks_at=tasks_at,
    )
