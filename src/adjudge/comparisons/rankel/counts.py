"""The counts on one measure: pairs that differ, and machines that pass for human. Tables are in table.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.data.scores import Better, ScoreMatrix
from adjudge.errors import UsageError, quoted

if TYPE_CHECKING:
    from adjudge.stats.bootstrap import ColumnMeans as Means
    from adjudge.stats.checks import BoolArray, FloatArray
    from adjudge.stats.pairs import PairResults

Names = tuple[str, ...]
Tests = Mapping[str, "Callable[[FloatArray], PairResults]"]


@dataclass(frozen=True)
class Verdicts:
    """What a test says of one machine (or baseline) and every human. Of a description: higher, lower."""

    system: str
    alike: Names
    better_than: Names
    worse_than: Names
    untested: Names

    @property
    def like_all(self) -> bool:
        """There is a human it cannot be told from, and none that it can."""
        return bool(self.alike) and not self.better_than and not self.worse_than


@dataclass(frozen=True)
class CountsByTest:
    """One test: pairs among all systems, and verdicts by machine. `why` counts reasons of untested pairs."""

    test: str
    pairs: int
    different: int
    untested: int
    why: Mapping[str, int]
    machines: tuple[Verdicts, ...]
    signature: str

    @property
    def human_better(self) -> int:
        return sum(len(machine.worse_than) for machine in self.machines)

    @property
    def machine_better(self) -> int:
        return sum(len(machine.better_than) for machine in self.machines)

    @property
    def cross_different(self) -> int:
        """Pairs of a human and a machine that differ."""
        return self.human_better + self.machine_better

    @property
    def cross_untested(self) -> int:
        return sum(len(machine.untested) for machine in self.machines)

    @property
    def like_some(self) -> int:
        """Machines that cannot be told from some human."""
        return sum(bool(machine.alike) for machine in self.machines)

    @property
    def like_all(self) -> int:
        """Machines that cannot be told from any human they were tested against."""
        return sum(machine.like_all for machine in self.machines)


@dataclass(frozen=True)
class HumanMean:
    """A human's mean over its own topics and its t interval, NaN where fewer than two have a score."""

    system: str
    n: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class MachineMean:
    """A machine's mean over its own topics: in which humans' intervals it lies, which it is better than."""

    system: str
    n: int
    mean: float
    within: Names
    beyond: Names


@dataclass(frozen=True)
class CountsByMeasure:
    """The counts of all tests on one measure, and beside them what averaging would say."""

    measure: str
    length: int | None
    better: Better
    topics: int
    tests: tuple[CountsByTest, ...]
    humans: tuple[HumanMean, ...]
    machines: tuple[MachineMean, ...]
    signature: str

    @property
    def title(self) -> str:
        return f"{self.measure} at {self.length} words" if self.length else self.measure

    @property
    def cross(self) -> int:
        """Pairs of a human and a machine."""
        return len(self.humans) * len(self.machines)

    @property
    def within(self) -> int:
        """Machines inside some human's interval."""
        return sum(bool(machine.within) for machine in self.machines)

    @property
    def beyond(self) -> int:
        """Machines inside no human's interval, but better than one."""
        return sum(bool(machine.beyond) and not machine.within for machine in self.machines)

    def no_cross(self) -> str | None:
        """Why there is no pair of a human and a machine, as a sentence."""
        if not self.humans:
            return (
                f"On {self.title} no system is human, so nothing is said of humans and machines:"
                " name the humans with --human PATTERN, or by their kind."
            )
        return None if self.machines else f"On {self.title} every system is human."


def count(
    matrix: ScoreMatrix, kinds: Mapping[str, str], tests: Tests, *, alpha: float, level: float, signed: str
) -> CountsByMeasure:
    """Count on one measure; `signed` ends the signature."""
    import numpy as np

    from adjudge.stats.bootstrap import t_means

    human = np.array([kinds.get(system) == "human" for system in matrix.systems], dtype=bool)
    counted = tuple(_count(matrix, human, name, test(matrix.values), alpha) for name, test in tests.items())
    means = t_means(matrix.values, level=level)
    length = f"|length:{matrix.length}" if matrix.length else ""
    return CountsByMeasure(
        matrix.measure,
        matrix.length,
        matrix.info.better,
        len(matrix.topics),
        counted,
        tuple(_human(matrix, means, h) for h in np.flatnonzero(human).tolist()),
        tuple(_machine(matrix, means, human, m) for m in np.flatnonzero(~human).tolist()),
        f"{matrix.info.signature or matrix.measure}{length}|topics:{len(matrix.topics)}|pool:{matrix.pool}"
        f"{''.join(f'|test:{each.signature}' for each in counted)}|{signed}",
    )


def _count(
    matrix: ScoreMatrix, human: BoolArray, name: str, results: PairResults, alpha: float
) -> CountsByTest:
    import numpy as np

    from adjudge.stats.pairs import columns_of_pairs

    first, second = columns_of_pairs(len(matrix.systems))
    _check(name, results, len(first))
    # In a square, row h and column m hold the pair of human h and machine m, seen from the human.
    shape = (len(matrix.systems),) * 2
    p, side = np.full(shape, np.nan), np.full(shape, np.nan)
    sign = -1.0 if matrix.info.better == "lower" else 1.0
    p[first, second] = p[second, first] = results.p
    side[first, second] = sign * results.statistic
    side[second, first] = -side[first, second]
    names = np.array(matrix.systems, dtype=object)[human]
    machines = np.flatnonzero(~human)
    return CountsByTest(
        name,
        len(first),
        int(np.count_nonzero(results.p < alpha)),
        int(np.count_nonzero(np.isnan(results.p))),
        dict(Counter(results.why.values())),
        tuple(_verdicts(matrix.systems[m], names, p[human, m], side[human, m], alpha) for m in machines),
        results.signature,
    )


def _verdicts(system: str, humans: Any, p: FloatArray, side: FloatArray, alpha: float) -> Verdicts:
    """`side` is positive where the human is better: the side is that of the test's statistic."""
    return Verdicts(
        system,
        alike=tuple(humans[p >= alpha]),
        better_than=tuple(humans[(p < alpha) & (side < 0)]),
        worse_than=tuple(humans[(p < alpha) & (side > 0)]),
        untested=tuple(humans[p != p]),
    )


def _check(name: str, results: PairResults, pairs: int) -> None:
    if len(results) != pairs:
        raise UsageError(f"test {quoted(name)}: {len(results)} results for {pairs} pairs")
    if results.alternative != "two-sided":
        raise UsageError(f"test {quoted(name)} is one-sided: which way would depend on the order of systems")


def _human(matrix: ScoreMatrix, means: Means, h: int) -> HumanMean:
    return HumanMean(
        matrix.systems[h], int(means.n[h]), float(means.mean[h]), float(means.low[h]), float(means.high[h])
    )


def _machine(matrix: ScoreMatrix, means: Means, human: BoolArray, m: int) -> MachineMean:
    """Against the humans' intervals; bounds and mean are compared with the noise that differences have."""
    import numpy as np

    from adjudge.stats.paired import NOISE

    names = np.array(matrix.systems, dtype=object)[human]
    mean, low, high = means.mean[m], means.low[human], means.high[human]
    noise = NOISE * np.maximum(abs(mean), np.maximum(np.abs(low), np.abs(high)))
    above, below = mean > high + noise, mean < low - noise
    inside = (mean <= high + noise) & (mean >= low - noise)
    beyond = below if matrix.info.better == "lower" else above
    return MachineMean(
        matrix.systems[m], int(means.n[m]), float(mean), tuple(names[inside]), tuple(names[beyond])
    )
