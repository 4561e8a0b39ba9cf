"""A comparison per measure and length of one source of scores, and Rankel's counts over all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from adjudge.comparisons.choices import Choices
from adjudge.comparisons.result import Comparison
from adjudge.comparisons.run import compare
from adjudge.comparisons.scores import Among, ScoreData
from adjudge.data.scores import AllLengths, Pool, ScoreMatrix

if TYPE_CHECKING:
    from adjudge.comparisons.rankel.table import CountsTable
    from adjudge.stats.checks import FloatArray
    from adjudge.stats.pairs import PairResults


def comparisons(
    data: ScoreData,
    measures: Sequence[str] = (),
    choices: Choices | None = None,
    *,
    length: int | AllLengths | None = None,
    among: Among = "all",
    pool: Pool = "mean",
    pool_humans: bool = False,
    cluster: bool = False,
) -> list[Comparison]:
    """One for every measure and length; of everything that has scores unless measures are named.

    Lengths are compared one at a time; "all" averages within a topic first. `cluster` resamples and swaps
    whole document sets, for topics that are single documents of one set.
    """
    return [
        compare(
            matrix,
            choices,
            family=partial(data.pairs_among, among=among),
            clusters=data.topic_values("set", matrix.topics) if cluster else None,
        )
        for matrix in matrices(data, measures, length=length, among=among, pool=pool, pool_humans=pool_humans)
    ]


def matrices(
    data: ScoreData,
    measures: Sequence[str] = (),
    *,
    length: int | AllLengths | None = None,
    among: Among = "all",
    pool: Pool = "mean",
    pool_humans: bool = False,
) -> list[ScoreMatrix]:
    """A matrix for every measure and length."""
    from adjudge.comparisons.lengths.averaging import averaged

    found = []
    for measure in [data.resolve(m) for m in measures] or data.all_measures():
        if length == "all":
            rows = data.matrix(measure, length="all", among=among, pool=pool, pool_humans=pool_humans)
            found.append(averaged(rows))
            continue
        for each in (length,) if length else data.table.each_length(measure):
            found.append(data.matrix(measure, length=each, among=among, pool=pool, pool_humans=pool_humans))
    return found


def counts(
    data: ScoreData,
    measures: Sequence[str] = (),
    choices: Choices | None = None,
    *,
    length: int | AllLengths | None = None,
    pool: Pool = "mean",
) -> CountsTable:
    """Rankel's tables: how many pairs each test finds, among all and between humans and machines."""
    from adjudge.comparisons.rankel.table import rankel_tables
    from adjudge.comparisons.testing import run_test

    choices = choices or Choices(tests=("t-unpaired", "t", "wilcoxon"))

    def runs(values: FloatArray, test: str) -> PairResults:
        return run_test(values, test, choices, "two-sided")  # type: ignore[arg-type]

    tests: dict[str, Callable[[FloatArray], PairResults]] = {
        test: partial(runs, test=test) for test in choices.run
    }
    found = matrices(data, measures, length=length, pool=pool)
    return rankel_tables(
        [m for m in found if m.info.better is not None] or found,
        data.kinds,
        tests,
        alpha=choices.alpha,
        level=choices.level,
    )
