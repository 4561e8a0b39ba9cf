"""The frozen result of holding lengths against each other. Nothing is computed here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from adjudge.data.scores import (
    Length,
    LengthLeftOut,
    MeasureInfo,
    Pool,
    ScoreMatrix,
    ScoreTable,
    averaged_within_topics,
    length_words,
)
from adjudge.engine import generator
from adjudge.errors import DataError
from adjudge.stats.results import p_words
from adjudge.wording import counted, listed, tex

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from adjudge.stats.linear.tukey import Tukey
    from adjudge.stats.ranks import KendallTau
    from adjudge.stats.results import Interval


@dataclass(frozen=True)
class Standing:
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
    """Letters: systems that share one cannot be told apart by Tukey's test."""


@dataclass(frozen=True)
class AtLength:
    """What was found at one length, or with all lengths averaged within topics."""

    length: Length
    together: bool
    """Whether this is all lengths averaged."""
    matrix: ScoreMatrix
    tukey: Tukey
    standings: tuple[Standing, ...]
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
        return len(self.tukey) - len(self.tukey.why)

    @property
    def told_apart(self) -> int:
        return int((self.tukey.p < 1 - self.tukey.level).sum())

    def standing(self, system: str) -> Standing | None:
        return next((s for s in self.standings if s.system == system), None)


@dataclass(frozen=True)
class Agreement:
    """How far two rankings of the same systems agree."""

    what: str
    """Which rankings, in words: `the rankings at 10 words and 50 words`."""
    a: str
    b: str
    tau: KendallTau
    interval: Interval
    only: tuple[str, ...]
    """Systems that one of the two alone can rank."""


@dataclass(frozen=True)
class LengthsResult:
    """A measure at all its lengths. Frozen; keeps the matrices it came from."""

    info: MeasureInfo
    lengths: tuple[AtLength, ...]
    """From the shortest to the longest; an unset length comes first."""
    together: AtLength | None
    """All lengths averaged within topics; None where there is one length."""
    between_lengths: tuple[Agreement, ...]
    between_tasks: tuple[Agreement, ...]
    """Single- against multi-document topics, at every length that has both, and over all lengths."""
    left_out: tuple[LengthLeftOut, ...]
    """Lengths that were left out of topics' means, for `together`."""
    level: float
    resamples: int
    seed: int

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
            f"{self.info.signature or self.measure}|lengths:{at}|model:system+topic|tukey:{self.level:g}"
            f"|tau-b:bootstrap-percentile:{self.resamples}|seed:{self.seed}"
        )

    def systems(self) -> tuple[str, ...]:
        """Every system, the best first: by all lengths together, then by the longest that has it."""
        last = (self.together,) if self.together else ()
        by_place = (s.system for each in (*last, *reversed(self.lengths)) for s in each.standings)
        return tuple(dict.fromkeys(by_place))

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""

        return sentences(self)

    def warnings(self) -> list[str]:
        """What a reader should know first."""

        return warnings(self)

    def to_frame(self) -> pd.DataFrame:
        """A row per system and length."""

        return standings_frame(self)

    def lengths_frame(self) -> pd.DataFrame:
        """A row per length: its noise, and the difference that counts."""

        return lengths_frame(self)

    def agreement_frame(self) -> pd.DataFrame:
        """A row per pair of rankings."""

        return agreement_frame(self)

    def to_latex(self) -> str:
        """Scores centred by topic, with letters, for a paper."""

        return to_latex(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""

        return as_dict(self)


def sentences(result: LengthsResult) -> Iterator[str]:
    """From the noise to the rankings."""
    if len(result.lengths) == 1:
        yield f"{result.measure} has scores at one length ({result.lengths[0].name}): nothing to hold it against."
    yield from _noise(result)
    for each in result.columns:
        yield _told_apart(each, result)
    for agreement in (*result.between_lengths, *result.between_tasks):
        yield agreement_words(agreement)


def warnings(result: LengthsResult) -> list[str]:
    """Missing cells, what was left out, rankings of other systems."""
    found = []
    for each in result.lengths:
        holes = len(each.matrix.missing)
        if holes:
            found.append(f"at {each.name} {counted(holes, 'cell')} of the matrix {_is(holes)} missing")
        if each.pairs < len(each.tukey):
            why = next(iter(each.tukey.why.values()))
            found.append(f"at {each.name} {counted(len(each.tukey.why), 'pair')} cannot be tested: {why}")
    found += [str(each) for each in result.left_out]
    return found


def agreement_words(agreement: Agreement) -> str:
    """How far two rankings agree."""
    tau, interval = agreement.tau, agreement.interval
    if tau.why is not None:
        return f"{agreement.what.capitalize()} cannot be held together: {tau.why}."
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
    grows = all(short.tukey.mean_square > long.tukey.mean_square for short, long in pairwise(known))
    values = listed([f"{e.tukey.mean_square:.3g} at {e.name}" for e in reversed(known)], most=len(known))
    if grows:
        yield f"Noise grows as the target shrinks: the residual mean square is {values}."
        return
    yield f"Noise does not grow steadily as the target shrinks: the residual mean square is {values}."


def _told_apart(each: AtLength, result: LengthsResult) -> str:
    where = f"With {each.name} averaged" if each.together else f"At {each.name}"
    if not each.pairs:
        why = next(iter(each.tukey.why.values()), "there is one system")
        return f"{where} no two systems can be compared: {why}."
    differ = f"{each.told_apart} of {counted(each.pairs, 'pair')} of systems"
    about = "" if len(set(each.tukey.n.tolist())) == 1 else "about "
    return (
        f"{where} {differ} can be told apart: the difference that counts is {about}{each.tukey.hsd:.3g}"
        f" (Tukey's test, {result.level:.0%})."
    )


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.0f}"


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


STANDING_COLUMNS = ["measure", "length", "system", "rank", "n", "mean", "centred", "group"]
LENGTH_COLUMNS = [
    "measure",
    "length",
    "topics",
    "systems",
    "df",
    "mean_square",
    "critical",
    "hsd",
    "pairs",
    "told_apart",
]
AGREEMENT_COLUMNS = ["measure", "a", "b", "n", "tau", "p", "method", "low", "high", "only", "why"]


def standings_frame(r: LengthsResult) -> pd.DataFrame:
    import pandas as pd

    rows = [
        {"measure": r.measure, "length": each.column, **asdict(standing)}
        for each in r.columns
        for standing in each.standings
    ]
    frame = pd.DataFrame(rows, columns=STANDING_COLUMNS)
    return frame.astype({"rank": "Int64"})


def lengths_frame(r: LengthsResult) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([_length_row(r, each) for each in r.columns], columns=LENGTH_COLUMNS)


def agreement_frame(r: LengthsResult) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(_agreement_rows(r), columns=AGREEMENT_COLUMNS)


def to_latex(r: LengthsResult) -> str:
    columns = r.columns
    head = " & ".join(rf"\multicolumn{{2}}{{c}}{{{tex(each.column)}}}" for each in columns)
    lines = [
        rf"\begin{{tabular}}{{l{'rl' * len(columns)}}}",
        r"\toprule",
        rf"system & {head} \\",
        r"\midrule",
    ]
    for system in r.systems():
        cells = " & ".join(_cell(each, system) for each in columns)
        lines.append(rf"{tex(system)} & {cells} \\")
    lines.append(r"\midrule")
    for name, values in (
        ("residual mean square", [each.tukey.mean_square for each in columns]),
        ("HSD", [each.tukey.hsd for each in columns]),
    ):
        cells = " & ".join(f"{'--' if value != value else f'{value:.4f}'} &" for value in values)
        lines.append(rf"{name} & {cells} \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {r.signature}"])


def as_dict(r: LengthsResult) -> dict[str, Any]:
    return {
        "measure": r.measure,
        "better": r.info.better,
        "signature": r.signature,
        "sentences": list(r.sentences()),
        "lengths": [
            _json(_length_row(r, each)) | {"standings": [_json(asdict(s)) for s in each.standings]}
            for each in r.columns
        ],
        "agreement": [_json(row) for row in _agreement_rows(r)],
        "left_out": [
            {"length": e.length, "topics": e.topics, "systems": list(e.systems)} for e in r.left_out
        ],
        "missing": {each.column: [list(hole) for hole in each.matrix.missing] for each in r.columns},
        "warnings": r.warnings(),
    }


def _length_row(r: LengthsResult, each: AtLength) -> dict[str, Any]:
    found = each.tukey
    return {
        "measure": r.measure,
        "length": each.column,
        "topics": len(each.matrix.topics),
        "systems": found.columns,
        "df": int(found.df),
        "mean_square": found.mean_square,
        "critical": found.critical,
        "hsd": found.hsd,
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


def _cell(each: AtLength, system: str) -> str:
    standing = each.standing(system)
    if standing is None or standing.centred != standing.centred:
        return "-- &"
    return f"{standing.centred:+.4f} & {standing.group}"


def _json(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}


LEVEL = 0.95
RESAMPLES = 2000
TASKS = ("single", "multi")


def lengths(
    table: ScoreTable,
    measure: str,
    *,
    tasks: Mapping[str, str | None] | None = None,
    pool: Pool = "mean",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> LengthsResult:
    """A measure of a table at all its lengths; `tasks` says of topics whether they are single or multi."""
    each = zip(table.lengths(measure), table.each_length(measure), strict=True)
    matrices = {n: table.matrix(measure, length=asked, pool=pool) for n, asked in each}
    return lengths_of(matrices, tasks=tasks, level=level, resamples=resamples, seed=seed)


def lengths_of(
    matrices: Mapping[Length, ScoreMatrix],
    *,
    tasks: Mapping[str, str | None] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> LengthsResult:
    """The same from one matrix per length, such as those of chosen systems."""
    import numpy as np

    if not matrices:
        raise DataError("no scores at any length")
    ordered = dict(sorted(matrices.items(), key=lambda item: item[0] or 0))
    first = next(iter(ordered.values()))
    if all(np.isnan(m.values).all() for m in ordered.values()):
        raise DataError(f"{first.measure}: every score is missing")
    how = _How(level, resamples, seed)
    each = tuple(_at_length(m, n, level) for n, m in ordered.items())
    together: AtLength | None = None
    left_out: tuple[LengthLeftOut, ...] = ()
    if len(ordered) > 1:
        mean, left_out = averaged_within_topics(ordered)
        together = _at_length(mean, None, level, together=True)
    columns = each if together is None else (*each, together)
    return LengthsResult(
        first.info,
        each,
        together,
        tuple(_between_lengths(each, how)),
        tuple(_between_tasks(columns, tasks or {}, how)),
        left_out,
        level,
        resamples,
        seed,
    )


def of_topics(matrix: ScoreMatrix, chosen: set[str]) -> ScoreMatrix:
    """The rows of some topics."""
    at = [index for index, topic in enumerate(matrix.topics) if topic in chosen]
    return replace(
        matrix,
        values=matrix.values[at],
        counts=matrix.counts[at],
        topics=tuple(matrix.topics[index] for index in at),
        missing=tuple(hole for hole in matrix.missing if hole[0] in chosen),
    )


@dataclass(frozen=True)
class _How:
    """How intervals of rankings are had."""

    level: float
    resamples: int
    seed: int


def _at_length(matrix: ScoreMatrix, length: Length, level: float, *, together: bool = False) -> AtLength:
    import numpy as np

    from adjudge.stats.groups import letters
    from adjudge.stats.linear.tukey import tukey

    found = tukey(matrix.values, level=level)
    sign = 1 if matrix.info.better == "lower" else -1
    ranked = np.flatnonzero(~np.isnan(found.means)).tolist()
    ranked.sort(key=lambda j: (sign * found.means[j], matrix.systems[j]))
    groups = dict(
        zip(ranked, letters(found.different()[np.ix_(ranked, ranked)], range(len(ranked))), strict=True)
    )
    places = _places([sign * float(found.means[j]) for j in ranked])
    rank = dict(zip(ranked, places, strict=True))
    rest = [j for j in range(len(matrix.systems)) if j not in groups]
    centred = _centred(matrix.values)
    standings = tuple(
        Standing(
            matrix.systems[j],
            rank.get(j),
            int(found.n[j]),
            float(found.means[j]),
            float(centred[j]),
            groups.get(j, ""),
        )
        for j in (*ranked, *rest)
    )
    return AtLength(length, together, matrix, found, standings)


def _places(ascending: list[float]) -> list[int]:
    """Competition ranks of values in order: equal ones, but for noise, share the better place."""
    import numpy as np

    from adjudge.stats.differences import NOISE, steps

    values = np.array(ascending)
    starts = np.flatnonzero(steps(values, NOISE * np.abs(values)))
    sizes = np.diff(starts, append=values.size)
    return [int(place) for place in np.repeat(starts + 1, sizes)]


def _centred(values: np.ndarray) -> np.ndarray:
    """Each column's mean of value less topic mean, over the topics it has (Over and Liggett 2002)."""
    import numpy as np

    present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: a topic or a system without scores
        topic = np.where(present, values, 0.0).sum(axis=1, keepdims=True) / present.sum(axis=1, keepdims=True)
        left = np.where(present, values - topic, 0.0)
        return np.asarray(left.sum(axis=0) / present.sum(axis=0))


def _between_lengths(each: tuple[AtLength, ...], how: _How) -> Iterator[Agreement]:
    for a, b in combinations(each, 2):
        yield _agreement(f"the rankings at {a.name} and {b.name}", (a.name, b.name), a, b, how)


def _between_tasks(
    each: tuple[AtLength, ...], tasks: Mapping[str, str | None], how: _How
) -> Iterator[Agreement]:
    """Single against multi, wherever a length has topics of both."""
    for at in each:
        sides = [{topic for topic in at.matrix.topics if tasks.get(topic) == task} for task in TASKS]
        if all(sides):
            a, b = (_at_length(of_topics(at.matrix, side), at.length, how.level) for side in sides)
            single, multi = (f"{task} documents, {at.name}" for task in TASKS)
            over = "averaged over all lengths" if at.together else f"at {at.name}"
            what = f"the rankings of single- and multi-document topics {over}"
            yield _agreement(what, (single, multi), a, b, how)


def _agreement(what: str, names: tuple[str, str], a: AtLength, b: AtLength, how: _How) -> Agreement:
    """How far the rankings of the systems that both can rank agree."""
    from adjudge.stats.ranks import kendall, kendall_interval

    x, y = ({s.system: s.mean for s in side.standings if s.rank is not None} for side in (a, b))
    common = sorted(x.keys() & y.keys())
    left, right = [x[s] for s in common], [y[s] for s in common]
    task = f"lengths/{a.matrix.measure}/{'/'.join(names)}"
    tau = kendall(left, right, rng=generator(how.seed, task), resamples=how.resamples)
    rng = generator(how.seed, task, 1)
    interval = kendall_interval(left, right, rng=rng, resamples=how.resamples, level=how.level)
    return Agreement(what, *names, tau, interval, tuple(sorted(x.keys() ^ y.keys())))
