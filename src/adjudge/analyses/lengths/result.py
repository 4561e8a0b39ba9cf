"""Target lengths compared: the model system + topic at each length, scores centred by topic, and how rankings agree.

Lengths are compared one at a time, or averaged within a topic first. Over and Liggett 2002. The mathematics is in
stats/.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from adjudge.analyses.scores import Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import (
    Length,
    LengthLeftOut,
    MeasureInfo,
    Pool,
    ScoreMatrix,
    average_lengths,
    length_words,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from adjudge.stats.linear.tukey import Tukey
    from adjudge.stats.own_variances import OwnVariances
    from adjudge.stats.paired import Interval
    from adjudge.stats.ranks import KendallTau

ALPHA = 0.05
RESAMPLES = 2000
LARGEST = 1e150
"""Squares of scores beyond this are no floats."""
TASKS = ("single", "multi")
STANDING_COLUMNS = ["measure", "length", "form", "system", "rank", "n", "mean", "centred", "group"]
LENGTH_COLUMNS = [
    "measure",
    "length",
    "form",
    "topics",
    "systems",
    "df",
    "mean_square",
    "tukey_critical",
    "tukey_hsd",
    "pairs",
    "told_apart",
]
AGREEMENT_COLUMNS = ["measure", "a", "b", "n", "tau", "p", "method", "low", "high", "only", "why"]


def lengths(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    form: str | None = None,
    task: Literal["single", "multi"] | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    pool: Pool = "mean",
    pool_humans: bool = False,
    without: str | Sequence[str] = (),
) -> LengthsResult:
    """A measure at all its target lengths: `lengths("lengths.csv", "coverage")`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame. `task`
    keeps topics of one task, single or multi.
    """
    if task not in (None, *TASKS):
        raise UsageError(f"--task is {quoted(task)}, expected one of: {', '.join(TASKS)}")
    found = scores_of(scores, without=without)
    chosen = found.resolve(measure)
    if form is not None:
        found.table.at(chosen, length="all", form=form)  # where no length has the form, say which there are
    there = found.table.lengths(chosen, form=form)
    each = zip(found.table.lengths(chosen), found.table.each_length(chosen), strict=True)
    matrices = {
        n: found.matrix(chosen, length=asked, form=form, pool=pool, pool_humans=pool_humans)
        for n, asked in each
        if n in there
    }
    tasks = {name: topic.task for name, topic in found.topics.items()}
    if task is not None:
        kept = {name for name, of in tasks.items() if of == task}
        matrices = {n: matrix.of_topics(kept) for n, matrix in matrices.items()}
        matrices = {n: matrix for n, matrix in matrices.items() if matrix.topics}
        if not matrices:
            raise UsageError(f"--task {task}: no topic with scores of {chosen} is {task}")
    kinds = found.kinds_of(dict.fromkeys(s for matrix in matrices.values() for s in matrix.systems))
    result = lengths_of(matrices, tasks=tasks, level=1 - alpha, resamples=resamples, seed=seed, kinds=kinds)
    return replace(result, notes=found.assessor_note(chosen, "all", form))


def lengths_of(
    matrices: Mapping[Length, ScoreMatrix],
    *,
    tasks: Mapping[str, str | None] | None = None,
    level: float = 1 - ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    kinds: Mapping[str, str] | None = None,
) -> LengthsResult:
    """The same from one matrix per length; `tasks` says of topics whether they are single or multi."""
    import numpy as np

    if not matrices:
        raise DataError("no scores at any length")
    ordered = dict(sorted(matrices.items(), key=lambda item: item[0] or 0))
    first = next(iter(ordered.values()))
    if all(np.isnan(m.values).all() for m in ordered.values()):
        raise DataError(f"{first.measure}: every score is missing")
    largest = max(float(np.nanmax(np.abs(m.values), initial=0.0)) for m in ordered.values())
    if largest > LARGEST:
        raise DataError(
            f"{first.measure}: a score of {largest:.3g} is too large for a variance: divide all scores"
        )
    how = _LengthsHow(level, resamples, seed)
    each = tuple(_at_length(m, n, level, seed) for n, m in ordered.items())
    together: AtLength | None = None
    left_out: tuple[LengthLeftOut, ...] = ()
    if len(ordered) > 1:
        mean, left_out = average_lengths(ordered)
        together = _at_length(mean, None, level, seed, together=True)
    columns = each if together is None else (*each, together)
    return LengthsResult(
        info=first.signed(f"form:{first.form}").info if first.form else first.info,
        lengths=each,
        together=together,
        between_lengths=tuple(_between_lengths(each, how)),
        between_tasks=tuple(_between_tasks(columns, tasks or {}, how)),
        left_out=left_out,
        level=level,
        resamples=resamples,
        seed=seed,
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
    """Letters: systems that share one are not significantly different, every pair by its own variance."""


@dataclass(frozen=True)
class AtLength:
    """What was found at one length, or with all lengths averaged within topics."""

    length: Length
    together: bool
    """Whether this is all lengths averaged."""
    matrix: ScoreMatrix
    tukey: Tukey
    """The model's means and residual mean square, and the difference that Tukey's test would ask for."""
    tests: OwnVariances
    """Of all pairs, each with the variance of its own differences."""
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
        return int(self.tests.found.sum())

    def standing(self, system: str) -> SystemAtLength | None:
        return next((s for s in self.standings if s.system == system), None)


@dataclass(frozen=True)
class RankingAgreement:
    """How far two rankings of the same systems agree."""

    what: str
    """Which rankings, in words: `the rankings at 10 words and 50 words`."""
    a: str
    b: str
    tau: KendallTau
    interval: Interval
    only: tuple[str, ...]
    """Systems that one of the two alone can rank."""


@dataclass(frozen=True, repr=False)
class LengthsResult(Pictured, Tabular):
    """A measure at all its lengths. Keeps the matrices it came from."""

    FIGURES: ClassVar[Mapping[str, str]] = {
        "length-means": "adjudge.analyses.lengths.figures:length_means",
        "length-boxes": "adjudge.analyses.lengths.figures:length_boxes",
    }

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
    level: float
    resamples: int
    seed: int
    kinds: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """For whom it holds, where assessors gave the scores."""

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def columns(self) -> tuple[AtLength, ...]:
        """Every length, and all of them together."""
        return self.lengths if self.together is None else (*self.lengths, self.together)

    @property
    def signature(self) -> str:
        at = ",".join(each.column for each in self.lengths)
        return (
            f"{self.info.signature or self.measure}|lengths:{at}|model:system+topic"
            f"|{self.columns[-1].tests.method}:{self.level:g}|tau-b:bootstrap-percentile:{self.resamples}|seed:{self.seed}"
        )

    def systems(self) -> tuple[str, ...]:
        """Every system, the best first: by all lengths together, then by the longest that has it."""
        last = (self.together,) if self.together else ()
        by_place = (s.system for each in (*last, *reversed(self.lengths)) for s in each.standings)
        return tuple(dict.fromkeys(by_place))

    # In words

    def headline(self) -> str:
        """The first thing to know."""
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words: from the noise to the rankings."""
        if len(self.lengths) == 1:
            yield f"{self.info.words} has scores at one length ({self.lengths[0].name}): nothing to compare it with."
        yield from _noise(self)
        for each in self.columns:
            yield _told_apart(each, self)
        for agreement in (*self.between_lengths, *self.between_tasks):
            yield agreement_words(agreement)

    def warnings(self) -> list[str]:
        """What a reader should know first: missing cells, what was left out, rankings of other systems."""
        found = []
        for each in self.lengths:
            holes = len(each.matrix.missing)
            if holes:
                found.append(f"at {each.name} {counted(holes, 'cell')} of the matrix {_is(holes)} missing")
            if each.pairs < len(each.tests):
                why = next(iter(each.tests.why.values()))
                found.append(f"at {each.name} {counted(len(each.tests.why), 'pair')} cannot be tested: {why}")
        return [*self.notes, *found, *(str(each) for each in self.left_out)]

    # As tables

    def table(self) -> Table:
        """Scores centred by topic, with letters, a row per system."""
        kind = (Column("kind", show="varies"),) if self.kinds else ()
        columns = [
            column
            for each in self.columns
            for column in (
                Column(f"centred_{each.column}", each.column, format="+.4f"),
                Column(f"group_{each.column}", "group", right=False),
            )
        ]
        rows = [
            (
                system,
                *((self.kinds.get(system, "machine"),) if kind else ()),
                *(cell for each in self.columns for cell in _cells(each, system)),
            )
            for system in self.systems()
        ]
        return Table(
            name="centred",
            columns=(Column("system", right=False), *kind, *columns),
            rows=tuple(rows),
            title="Scores centred by topic",
            said=tuple(self.sentences()),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def noise_table(self) -> Table:
        """A row per length: its noise, and the difference that counts."""
        heads = {
            "length": Column("length", right=False),
            "topics": Column("topics"),
            "systems": Column("systems"),
            "df": Column("df", "residual df"),
            "mean_square": Column("mean_square", "mean square", format=".4g"),
            "tukey_critical": Column("tukey_critical", show="never"),
            "tukey_hsd": Column("tukey_hsd", show="never"),
            "pairs": Column("pairs", show="never"),
            "told_apart": Column("told_apart", show="never"),
        }
        rows = [_length_row(self, each) for each in self.columns]
        return Table(
            name="noise",
            columns=(*heads.values(), Column("differ", "pairs that differ", data=False, right=True)),
            rows=tuple(
                (*(row[name] for name in heads), f"{row['told_apart']} of {row['pairs']}") for row in rows
            ),
            title="Noise",
            signature=self.signature,
        )

    def tables(self) -> Tables:
        """The scores, the noise."""
        return Tables((self.table(), self.noise_table()))

    def to_frame(self) -> pd.DataFrame:
        """A row per system and length."""
        import pandas as pd

        rows = [
            {
                "measure": self.measure,
                "length": each.column,
                "form": each.matrix.target.form,
                **asdict(standing),
            }
            for each in self.columns
            for standing in each.standings
        ]
        return pd.DataFrame(rows, columns=STANDING_COLUMNS).astype({"rank": "Int64"})

    def centred_frame(self) -> pd.DataFrame:
        """A row per length, system and topic: the score, and the score less the topic's mean over all peers."""
        import pandas as pd

        rows = [
            {"length": each.column, "system": system, "topic": topic, "value": value, "centred": less}
            for each in self.lengths
            for system, scores, centred in zip(
                each.matrix.systems, each.matrix.values.T, _less_topics(each.matrix.values).T, strict=True
            )
            for topic, value, less in zip(each.matrix.topics, scores.tolist(), centred.tolist(), strict=True)
        ]
        return pd.DataFrame(rows, columns=["length", "system", "topic", "value", "centred"])

    def lengths_frame(self) -> pd.DataFrame:
        """A row per length: its noise, and the difference that counts."""
        import pandas as pd

        return pd.DataFrame([_length_row(self, each) for each in self.columns], columns=LENGTH_COLUMNS)

    def agreement_frame(self) -> pd.DataFrame:
        """A row per pair of rankings."""
        import pandas as pd

        return pd.DataFrame(_agreement_rows(self), columns=AGREEMENT_COLUMNS)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        found: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "better": self.info.better,
                "signature": self.signature,
                "sentences": list(self.sentences()),
                "lengths": [
                    _length_row(self, each) | {"standings": [asdict(s) for s in each.standings]}
                    for each in self.columns
                ],
                "agreement": _agreement_rows(self),
                "left_out": [
                    {"length": e.length, "topics": e.topics, "systems": list(e.systems)}
                    for e in self.left_out
                ],
                "missing": {each.column: each.matrix.missing for each in self.columns},
                "warnings": self.warnings(),
            }
        )
        return found


def agreement_words(agreement: RankingAgreement) -> str:
    """How far two rankings agree."""
    from adjudge.stats.paired import p_words

    tau, interval = agreement.tau, agreement.interval
    if tau.why is not None:
        return f"{agreement.what.capitalize()} cannot be compared: {tau.why}."
    ends = ""
    # The bootstrap of two rankings that are the same knows no others, and shows no uncertainty.
    if interval.low < interval.high:
        ends = f", {interval.level:.0%} interval {_signed(interval.low)} to {_signed(interval.high)}"
    only = f"; {listed(agreement.only)} left out" if agreement.only else ""
    return (
        f"Kendall's tau between {agreement.what} is {_signed(tau.tau)}"
        f" ({counted(tau.n, 'system')}, {p_words(tau.p)}{ends}{only})."
    )


def _noise(result: LengthsResult) -> Iterator[str]:
    """Over and Liggett 2002: as target size decreases, noise increases."""
    known = [e for e in result.lengths if e.length is not None and not math.isnan(e.tukey.mean_square)]
    if len(known) < 2:
        return
    shown = [f"{e.tukey.mean_square:.3g}" for e in known]
    grows = all(float(short) > float(long) for short, long in pairwise(shown))  # as it is printed
    pairs = zip(shown, known, strict=True)
    values = listed([f"{value} at {e.name}" for value, e in reversed(list(pairs))], most=len(known))
    word = "grows" if grows else "does not grow steadily"
    yield f"The residual mean square, the noise, {word} as the target shrinks: {values}."


def _told_apart(each: AtLength, result: LengthsResult) -> str:
    where = f"With {each.name} averaged" if each.together else f"At {each.name}"
    if not each.pairs:
        why = next(iter(each.tests.why.values()), "there is one system")
        return f"{where} no two systems can be compared: {why}."
    beyond = int((each.tests.conclusion == 2).sum()) - len(each.tests.why)
    reach = f"; {beyond:,} could not have been found" if beyond > 0 else ""
    differ = f"{each.told_apart} of {counted(each.pairs, 'pair')} of systems differ"
    return f"{where} {differ} ({each.tests.words}){reach}."


def _signed(value: float) -> str:
    """Two decimals, without a zero before the point, or a sign before nothing."""
    return f"{value:z.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.0f}"


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _length_row(r: LengthsResult, each: AtLength) -> dict[str, Any]:
    found = each.tukey
    return {
        "measure": r.measure,
        "length": each.column,
        "form": each.matrix.target.form,
        "topics": len(each.matrix.topics),
        "systems": found.columns,
        "df": int(found.df),
        "mean_square": found.mean_square,
        "tukey_critical": found.critical,
        "tukey_hsd": found.hsd,
        "test": each.tests.method,
        "pairs": each.pairs,
        "told_apart": each.told_apart,
    }


def _agreement_rows(r: LengthsResult) -> list[dict[str, Any]]:
    return [
        {
            "measure": r.measure,
            "a": each.a,
            "b": each.b,
            "n": each.tau.n,
            "tau": each.tau.tau,
            "p": each.tau.p,
            "method": each.tau.method,
            "low": each.interval.low,
            "high": each.interval.high,
            "only": ", ".join(each.only),
            "why": each.tau.why,
        }
        for each in (*r.between_lengths, *r.between_tasks)
    ]


def _cells(each: AtLength, system: str) -> tuple[float | None, str]:
    standing = each.standing(system)
    if standing is None or standing.centred != standing.centred:
        return None, ""
    return standing.centred, standing.group


@dataclass(frozen=True)
class _LengthsHow:
    """How intervals of rankings are had."""

    level: float
    resamples: int
    seed: int


def _at_length(
    matrix: ScoreMatrix, length: Length, level: float, seed: int, *, together: bool = False
) -> AtLength:
    import numpy as np

    from adjudge.stats.linear.tukey import tukey
    from adjudge.stats.order import letters
    from adjudge.stats.own_variances import own_pairs
    from adjudge.stats.pairs import columns_of_pairs

    found = tukey(matrix.values, level=level)
    tests = own_pairs(matrix.values, rng=generator(seed, "lengths/pairs"), level=level)
    apart = np.zeros((len(matrix.systems),) * 2, dtype=bool)
    first, second = columns_of_pairs(len(matrix.systems))
    apart[first, second] = apart[second, first] = tests.found
    sign = 1 if matrix.info.better == "lower" else -1
    ranked = np.flatnonzero(~np.isnan(found.means)).tolist()
    ranked.sort(key=lambda j: (sign * found.means[j], matrix.systems[j]))
    groups = dict(zip(ranked, letters(apart[np.ix_(ranked, ranked)], range(len(ranked))), strict=True))
    places = _places([sign * float(found.means[j]) for j in ranked])
    rank = dict(zip(ranked, places, strict=True))
    rest = [j for j in range(len(matrix.systems)) if j not in groups]
    centred = _centred(matrix.values)
    standings = tuple(
        SystemAtLength(
            system=matrix.systems[j],
            rank=rank.get(j),
            n=int(found.n[j]),
            mean=float(found.means[j]),
            centred=float(centred[j]),
            group=groups.get(j, ""),
        )
        for j in (*ranked, *rest)
    )
    return AtLength(
        length=length, together=together, matrix=matrix, tukey=found, tests=tests, standings=standings
    )


def _places(ascending: list[float]) -> list[int]:
    """Competition ranks of values in order: equal ones, but for noise, share the better place."""
    import numpy as np

    from adjudge.stats.paired import NOISE, steps

    values = np.array(ascending)
    starts = np.flatnonzero(steps(values, NOISE * np.abs(values)))
    sizes = np.diff(starts, append=values.size)
    return [int(place) for place in np.repeat(starts + 1, sizes)]


def _centred(values: np.ndarray) -> np.ndarray:
    """Each column's mean of value less topic mean, over the topics it has (Over and Liggett 2002)."""
    import numpy as np

    left = _less_topics(values)
    present = ~np.isnan(left)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: a system without scores
        return np.asarray(np.where(present, left, 0.0).sum(axis=0) / present.sum(axis=0))


def _less_topics(values: np.ndarray) -> np.ndarray:
    """Every value less the mean of its topic, over all peers that have one."""
    import numpy as np

    present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: a topic without scores
        topic = np.where(present, values, 0.0).sum(axis=1, keepdims=True) / present.sum(axis=1, keepdims=True)
    return np.asarray(values - topic)


def _between_lengths(each: tuple[AtLength, ...], how: _LengthsHow) -> Iterator[RankingAgreement]:
    for a, b in combinations(each, 2):
        yield _agreement(f"the rankings at {a.name} and {b.name}", (a.name, b.name), a, b, how)


def _between_tasks(
    each: tuple[AtLength, ...], tasks: Mapping[str, str | None], how: _LengthsHow
) -> Iterator[RankingAgreement]:
    """Single with multi, wherever a length has topics of both."""
    for at in each:
        sides = [{topic for topic in at.matrix.topics if tasks.get(topic) == task} for task in TASKS]
        if all(sides):
            a, b = (_at_length(at.matrix.of_topics(side), at.length, how.level, how.seed) for side in sides)
            single, multi = (f"{task} documents, {at.name}" for task in TASKS)
            over = "averaged over all lengths" if at.together else f"at {at.name}"
            what = f"the rankings of single- and multi-document topics {over}"
            yield _agreement(what, (single, multi), a, b, how)


def _agreement(
    what: str, names: tuple[str, str], a: AtLength, b: AtLength, how: _LengthsHow
) -> RankingAgreement:
    """How far the rankings of the systems that both can rank agree."""
    from adjudge.stats.ranks import kendall, kendall_interval

    x, y = ({s.system: s.mean for s in side.standings if s.rank is not None} for side in (a, b))
    common = sorted(x.keys() & y.keys())
    left, right = [x[s] for s in common], [y[s] for s in common]
    task = f"lengths/{'/'.join(names)}"
    tau = kendall(left, right, rng=generator(how.seed, task), resamples=how.resamples)
    rng = generator(how.seed, task, 1)
    interval = kendall_interval(left, right, rng=rng, resamples=how.resamples, level=how.level)
    return RankingAgreement(
        what=what,
        a=names[0],
        b=names[1],
        tau=tau,
        interval=interval,
        only=tuple(sorted(x.keys() ^ y.keys())),
    )
