"""From scores at several lengths to a result: the model at each length, centred scores, rankings held together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from adjudge.comparisons.lengths.averaging import LeftOut, Length, averaged_within_topics
from adjudge.comparisons.lengths.result import Agreement, AtLength, LengthsResult, Standing
from adjudge.data.scores import Pool, ScoreMatrix, ScoreTable
from adjudge.engine import generator
from adjudge.errors import DataError

if TYPE_CHECKING:
    import numpy as np

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
    left_out: tuple[LeftOut, ...] = ()
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

    from adjudge.stats.linear.tukey import tukey
    from adjudge.stats.order import letters

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

    from adjudge.stats.paired import NOISE, steps

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
