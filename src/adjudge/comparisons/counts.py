"""Rankel's tables: how many pairs each test finds, among all systems and between humans and machines.

Machines that pass for human are counted too, by tests and by averages. Rankel et al. 2011, section 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from adjudge.comparisons.scores import Source, scores_of
from adjudge.comparisons.tests import ALPHA, LEVEL, RESAMPLES, Test, choices, run_test, words_of_test
from adjudge.data.scores import AllLengths, Better, Pool, ScoreMatrix
from adjudge.errors import UsageError, quoted
from adjudge.table import Column, Table, Tables, Tabular, plain
from adjudge.wording import counted

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.bootstrap import ColumnMeans
    from adjudge.stats.checks import BoolArray, FloatArray
    from adjudge.stats.pairs import PairResults

Names = tuple[str, ...]
Tests = Mapping[str, "Callable[[FloatArray], PairResults]"]
COUNTED: tuple[Test, ...] = ("t-unpaired", "t", "wilcoxon")
"""The paper's three."""
CUTOFFS = ("cutoff", "cutoff_least", "cutoff_most")
MACHINE_COLUMNS = [
    "measure",
    "length",
    "form",
    "test",
    "system",
    "humans",
    "not_different_from",
    "mean_within",
    "alike",
    "better_than",
    "worse_than",
    "untested",
    "out_of_reach",
    "mean",
    "within",
    "beyond",
]


def counts(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    tests: Sequence[str] = COUNTED,
    alpha: float = ALPHA,
    level: float = LEVEL,
    statistic: str | None = None,
    zeros: str = "wilcox",
    resamples: int = RESAMPLES,
    seed: int = 0,
    pool: Pool = "mean",
    without: str | Sequence[str] = (),
) -> CountsTable:
    """Rankel's tables: how many pairs each test finds, among all and between humans and machines.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame; `measure`
    is one or several, all unless said. `tests` are those of `compare`, of mc and hb also with a statistic, as mc:w.
    p-values are not corrected, as in the paper.
    """
    found = scores_of(scores, without=without)
    if not tests:
        raise UsageError("no test to count with")
    chosen = choices(
        tests=tests,
        statistic=statistic,
        zeros=zeros,
        alpha=alpha,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    named = [measure] if isinstance(measure, str) else measure or ()
    matrices = [
        found.matrix(m, length=n, form=f, pool=pool).averaged()
        for m, n, f in found.each(named, length=length, form=form)
    ]
    runs: dict[str, Callable[[FloatArray], PairResults]] = {
        test: partial(
            run_test,
            test=test,
            choices=chosen,
            alternative="two-sided",
            resamples=chosen.resamples or RESAMPLES,
        )
        for test in chosen.run
    }
    counted_ones = [m for m in matrices if m.info.better is not None] or matrices
    table = rankel_tables(counted_ones, found.kinds, runs, alpha=alpha, level=level)
    notes = [
        f"{m.measure}: {line}"
        for m in counted_ones
        for line in found.assessor_note(m.measure, m.length, m.form)
    ]
    return replace(table, notes=tuple(dict.fromkeys(notes)))


def rankel_tables(
    matrices: ScoreMatrix | Sequence[ScoreMatrix],
    kinds: Mapping[str, str],
    tests: Tests,
    *,
    alpha: float = ALPHA,
    level: float = LEVEL,
    correction: str = "none",
) -> CountsTable:
    """Count the pairs that tests find different, on one or several measures. Rankel et al. 2011, section 4.

    `kinds` says who is human; who is not named is a machine, and so is a baseline. `tests` are functions
    of a matrix's values, under the names that the tables show. p-values count as they come: uncorrected in
    the paper; where the functions correct them, `correction` says how. `level` is that of the humans'
    intervals in the averages beside the tests.
    """
    matrices = [matrices] if isinstance(matrices, ScoreMatrix) else list(matrices)
    _check_table(matrices, tests, alpha, level)
    signed = f"counts:p<={alpha:g}:{correction}|interval:t:{level:g}"
    counted = [count(each, kinds, tests, alpha=alpha, level=level, signed=signed) for each in matrices]
    return CountsTable(measures=tuple(counted), alpha=alpha, level=level, correction=correction)


@dataclass(frozen=True, repr=False)
class CountsTable(Tabular):
    """Rankel's tables for any number of measures and tests."""

    measures: tuple[CountsByMeasure, ...]
    alpha: float
    level: float
    correction: str
    notes: tuple[str, ...] = ()
    """For whom the counts hold, where assessors gave the scores."""

    @property
    def signature(self) -> str:
        """A line per measure."""
        return "\n".join(measure.signature for measure in self.measures)

    def to_frame(self) -> pd.DataFrame:
        """A row per measure and test; counts of human-machine pairs are missing where there are none."""
        import pandas as pd

        frame = pd.DataFrame([_row(measure, test) for measure in self.measures for test in measure.tests])
        cutoffs = dict.fromkeys(CUTOFFS, "float64")
        other = ("measure", "form", "test", "statistic", *cutoffs)
        return frame.astype({**{name: "Int64" for name in frame.columns if name not in other}, **cutoffs})

    def machines_frame(self) -> pd.DataFrame:
        """A row per measure, test and machine: how many humans it does not differ from, and who they are."""
        import pandas as pd

        rows = [
            {
                "measure": m.measure,
                "length": m.length,
                "form": m.form,
                "test": test.test,
                "system": machine.system,
                "humans": len(m.humans),
                "not_different_from": len(machine.alike),
                "mean_within": len(mean.within),
                **{k: ", ".join(v) for k, v in asdict(machine).items() if k != "system"},
                "mean": mean.mean,
                "within": ", ".join(mean.within),
                "beyond": ", ".join(mean.beyond),
            }
            for m in self.measures
            for test in m.tests
            for machine, mean in zip(test.machines, m.machines, strict=True)
        ]
        return pd.DataFrame(rows, columns=MACHINE_COLUMNS)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        measures = [
            {**asdict(m), "tests": [{**asdict(t), "human_machine": _cross(m, t)} for t in m.tests]}
            for m in self.measures
        ]
        found: dict[str, Any] = plain(
            {
                "alpha": self.alpha,
                "level": self.level,
                "correction": self.correction,
                "measures": measures,
                "sentences": list(self.sentences()),
            }
        )
        return found

    def sentences(self) -> Iterator[str]:
        """What the tables say, in plain words."""
        for measure in self.measures:
            yield self._pairs(measure)
            if said := measure.no_cross():
                yield said
            else:
                yield _directions(measure)
                yield self._levels(measure)

    def _pairs(self, measure: CountsByMeasure) -> str:
        pairs = measure.tests[0].pairs
        if not pairs:
            return f"On {measure.title} there are fewer than two systems, so no pair."
        alpha = f"{self.alpha:g}".removeprefix("0")
        left = [_untested(t) for t in measure.tests]
        same = left[0] if len(set(left)) == 1 else ""  # what holds for all tests is said once
        own = ["" if same else f" ({words})" if words else "" for words in left]
        found = ", ".join(
            f"{t.different:,} by {words_of_test(t.test)}{words}"
            for t, words in zip(measure.tests, own, strict=True)
        )
        said = "".join(f"; {words}" for words in (same, *_out_of_reach(measure.tests, alpha)) if words)
        basis = "uncorrected" if self.correction == "none" else f"corrected by {self.correction}"
        return (
            f"On {measure.title}, of {counted(pairs, 'pair')} of systems these differ:"
            f" {found} (p <= {alpha}, {basis}){said}."
        )

    def _levels(self, measure: CountsByMeasure) -> str:
        """Who passes for human, by averages and by tests."""
        found = ", ".join(
            f"{t.like_some} by {words_of_test(t.test)} ({t.like_all} of them from every human)"
            for t in measure.tests
        )
        beyond = f" and {measure.beyond} more beyond one" if measure.beyond else ""
        no_interval = sum(human.low != human.low for human in measure.humans)
        without = f"; {counted(no_interval, 'human has', 'humans have')} no interval" if no_interval else ""
        uneven = len({h.n for h in measure.humans} | {m.n for m in measure.machines}) > 1
        silent = sum(not machine.n for machine in measure.machines)
        without += f"; {counted(silent, 'machine has', 'machines have')} no scores" if silent else ""
        topics = "; the averages are over different topics" if uneven else ""
        return (
            f"By averages {measure.within} of {counted(len(measure.machines), 'machine')}"
            f" {'lies' if measure.within == 1 else 'lie'} within some human's {self.level * 100:g} % interval"
            f" of the mean{beyond}{without}{topics}; these are not significantly different from some human: {found}."
        )

    def headline(self) -> str:
        """The first thing to know."""
        return next(self.sentences())

    def table(self) -> Table:
        """The counts among all pairs of systems; `tables` has the others."""
        return replace(self.tables()["pairs"], said=tuple(self.sentences()), signature=self.signature)

    def tables(self) -> Tables:
        """The paper's two tables, and a third with the machines that pass for human."""
        crossed = [m for m in self.measures if m.cross]
        better = "better" if all(m.better for m in crossed) else "better, or higher where none is"
        found = [
            self._counts_table(
                "pairs",
                "Significant differences among all pairs of systems",
                ("measure", "pairs"),
                [(m.title, m.tests[0].pairs, *map(_all_cell, m.tests)) for m in self.measures],
            ),
            self._counts_table(
                "human-machine",
                f"Significant differences between humans and machines: all (human/machine {better})",
                ("measure", "pairs"),
                [(m.title, m.cross, *map(_cross_cell, m.tests)) for m in crossed],
            ),
            self._counts_table(
                "like-human",
                f"Machines within some human's {self.level * 100:g} % interval of the mean (averages),"
                " or not different from some human (tests)",
                ("measure", "machines", "averages"),
                [(m.title, len(m.machines), m.within, *(t.like_some for t in m.tests)) for m in crossed],
            ),
        ]
        notes = [line for m in self.measures if (line := m.no_cross())]
        return Tables(tuple(found if crossed else found[:1]), notes=(*notes, *self.notes))

    def machine_tables(self) -> list[Table]:
        """By measure: in how many humans' intervals a machine's mean lies, and from how many it does not differ."""
        return [
            self._counts_table(
                f"machines-{k}",
                f"Humans that a machine does not differ from significantly, of {len(m.humans)}: {m.title}",
                ("machine", "averages"),
                [
                    (mean.system, len(mean.within), *(len(t.machines[k].alike) for t in m.tests))
                    for k, mean in enumerate(m.machines)
                ],
            )
            for k, m in enumerate(self.measures)
            if m.cross
        ]

    def _counts_table(
        self, name: str, title: str, first: tuple[str, ...], rows: Sequence[tuple[str | int, ...]]
    ) -> Table:
        tests = [Column(t.test, words_of_test(t.test), right=True) for t in self.measures[0].tests]
        label, *numbers = first
        columns = (Column(label, right=False), *(Column(each, right=True) for each in numbers), *tests)
        return Table(name=name, columns=columns, rows=tuple(rows), title=title)


@dataclass(frozen=True)
class CountsByMeasure:
    """The counts of all tests on one measure, and beside them what averaging would say."""

    measure: str
    length: int | None
    form: str | None
    title: str
    better: Better
    topics: int
    tests: tuple[CountsByTest, ...]
    humans: tuple[HumanMean, ...]
    machines: tuple[MachineMean, ...]
    signature: str

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


@dataclass(frozen=True)
class CountsByTest:
    """One test: pairs among all systems, and verdicts by machine. `why` counts reasons of untested pairs.

    Pairs that are `out_of_reach` do not differ, and no data with as many topics, ties and resamples could have made
    them differ: they are not said to be alike.
    A resampling test knows what its statistic has to exceed at alpha, pair by pair: `cutoff` is the median of these
    cut-offs, `cutoff_least` and `cutoff_most` their range. Without them all three are None.
    """

    test: str
    statistic: str | None
    """What a resampling test resamples."""
    cutoff: float | None
    cutoff_least: float | None
    cutoff_most: float | None
    pairs: int
    different: int
    untested: int
    out_of_reach: int
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
    def cross_out_of_reach(self) -> int:
        return sum(len(machine.out_of_reach) for machine in self.machines)

    @property
    def like_some(self) -> int:
        """Machines that do not differ significantly from some human."""
        return sum(bool(machine.alike) for machine in self.machines)

    @property
    def like_all(self) -> int:
        """Machines that do not differ significantly from any human, all of whom they could have differed from."""
        return sum(machine.like_all for machine in self.machines)


@dataclass(frozen=True)
class Verdicts:
    """What a test says of one machine (or baseline) and every human. Of a description: higher, lower."""

    system: str
    alike: Names
    better_than: Names
    worse_than: Names
    untested: Names
    out_of_reach: Names

    @property
    def like_all(self) -> bool:
        """It does not differ from any human; one that it could not be found to differ from says nothing."""
        other = (self.better_than, self.worse_than, self.untested, self.out_of_reach)
        return bool(self.alike) and not any(other)


@dataclass(frozen=True)
class HumanMean:
    """A human's mean over its own topics and its t interval, NaN where fewer than two have a score and at a ceiling."""

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


def count(
    matrix: ScoreMatrix, kinds: Mapping[str, str], tests: Tests, *, alpha: float, level: float, signed: str
) -> CountsByMeasure:
    """Count on one measure; `signed` ends the signature."""
    import numpy as np

    from adjudge.stats.bootstrap import flat, t_means

    human = np.array([kinds.get(system) == "human" for system in matrix.systems], dtype=bool)
    counted = tuple(_count(matrix, human, name, test(matrix.values), alpha) for name, test in tests.items())
    means, without = t_means(matrix.values, level=level), flat(matrix.values)
    low, high = (np.where(without, np.nan, end) for end in (means.low, means.high))
    means = replace(means, low=low, high=high)
    return CountsByMeasure(
        measure=matrix.measure,
        length=matrix.length,
        form=matrix.target.form,
        title=matrix.title,
        better=matrix.info.better,
        topics=len(matrix.topics),
        tests=counted,
        humans=tuple(_human(matrix, means, h) for h in np.flatnonzero(human).tolist()),
        machines=tuple(_machine(matrix, means, human, m) for m in np.flatnonzero(~human).tolist()),
        signature=f"{matrix.signature}|topics:{len(matrix.topics)}|pool:{matrix.pool}"
        f"{''.join(f'|test:{each.signature}' for each in counted)}|{signed}",
    )


def _count(
    matrix: ScoreMatrix, human: BoolArray, name: str, results: PairResults, alpha: float
) -> CountsByTest:
    import numpy as np

    from adjudge.stats.multiple import at_most
    from adjudge.stats.pairs import columns_of_pairs
    from adjudge.stats.tests import smallest_p

    first, second = columns_of_pairs(len(matrix.systems))
    _check(name, results, len(first))
    smallest = smallest_p(results, results.resamples or RESAMPLES)
    found, untested = at_most(results.p, alpha), np.isnan(results.p)
    never = ~found & ~untested & ~at_most(smallest, alpha)
    # In a square, row h and column m hold the pair of human h and machine m, seen from the human.
    shape = (len(matrix.systems),) * 2
    side = np.full(shape, np.nan)
    sign = -1.0 if matrix.info.better == "lower" else 1.0
    known = {"found": found, "untested": untested, "never": never}
    squares = {each: np.zeros(shape, dtype=bool) for each in known}
    for each, square in squares.items():
        square[first, second] = square[second, first] = known[each]
    side[first, second] = sign * results.statistic
    side[second, first] = -side[first, second]
    names = np.array(matrix.systems, dtype=object)[human]
    machines = np.flatnonzero(~human)
    return CountsByTest(
        test=name,
        statistic=results.resampled,
        **_cutoffs(results),
        pairs=len(first),
        different=int(np.count_nonzero(found)),
        untested=int(np.count_nonzero(untested)),
        out_of_reach=int(np.count_nonzero(never)),
        why=dict(Counter(results.why.values())),
        machines=tuple(
            _verdicts(
                matrix.systems[m],
                names,
                side[human, m],
                **{each: square[human, m] for each, square in squares.items()},
            )
            for m in machines
        ),
        signature=results.signature,
    )


def _cutoffs(results: PairResults) -> dict[str, float | None]:
    import numpy as np

    known = results.cutoff
    if known is None or np.isnan(known).all():
        return dict.fromkeys(CUTOFFS)
    ends = (np.nanmedian(known), np.nanmin(known), np.nanmax(known))
    return {name: float(value) for name, value in zip(CUTOFFS, ends, strict=True)}


def _verdicts(
    system: str,
    humans: Any,
    side: FloatArray,
    *,
    found: BoolArray,
    untested: BoolArray,
    never: BoolArray,
) -> Verdicts:
    """`side` is positive where the human is better: the side is that of the test's statistic."""
    return Verdicts(
        system,
        alike=tuple(humans[~found & ~untested & ~never]),
        better_than=tuple(humans[found & (side < 0)]),
        worse_than=tuple(humans[found & (side > 0)]),
        untested=tuple(humans[untested]),
        out_of_reach=tuple(humans[never]),
    )


def _check(name: str, results: PairResults, pairs: int) -> None:
    if len(results) != pairs:
        raise UsageError(f"test {quoted(name)}: {len(results)} results for {pairs} pairs")
    if results.alternative != "two-sided":
        raise UsageError(f"test {quoted(name)} is one-sided: which way would depend on the order of systems")


def _human(matrix: ScoreMatrix, means: ColumnMeans, h: int) -> HumanMean:
    return HumanMean(
        system=matrix.systems[h],
        n=int(means.n[h]),
        mean=float(means.mean[h]),
        low=float(means.low[h]),
        high=float(means.high[h]),
    )


def _machine(matrix: ScoreMatrix, means: ColumnMeans, human: BoolArray, m: int) -> MachineMean:
    """The humans' intervals that a mean lies in; bounds and mean are compared with the noise that differences have."""
    import numpy as np

    from adjudge.stats.paired import NOISE

    names = np.array(matrix.systems, dtype=object)[human]
    mean, low, high = means.mean[m], means.low[human], means.high[human]
    noise = NOISE * np.maximum(abs(mean), np.maximum(np.abs(low), np.abs(high)))
    above, below = mean > high + noise, mean < low - noise
    inside = (mean <= high + noise) & (mean >= low - noise)
    beyond = below if matrix.info.better == "lower" else above
    return MachineMean(
        system=matrix.systems[m],
        n=int(means.n[m]),
        mean=float(mean),
        within=tuple(names[inside]),
        beyond=tuple(names[beyond]),
    )


def _check_table(matrices: Sequence[ScoreMatrix], tests: Tests, alpha: float, level: float) -> None:
    if not matrices:
        raise UsageError("no measure to count on")
    if not tests:
        raise UsageError("no test to count with")
    for name, value in (("alpha", alpha), ("level", level)):
        if not 0 < value < 1:
            raise UsageError(f"{name} is {value}, expected a number between 0 and 1")


def _row(measure: CountsByMeasure, test: CountsByTest) -> dict[str, Any]:
    return {
        "measure": measure.measure,
        "length": measure.length,
        "form": measure.form,
        "test": test.test,
        "statistic": test.statistic,
        **{name: getattr(test, name) for name in CUTOFFS},
        "pairs": test.pairs,
        "different": test.different,
        "untested": test.untested,
        "out_of_reach": test.out_of_reach,
        **_cross(measure, test),
    }


def _cross(measure: CountsByMeasure, test: CountsByTest) -> dict[str, int | None]:
    """The counts of pairs of a human and a machine."""
    counts = {
        "human_machine_pairs": measure.cross,
        "human_machine_different": test.cross_different,
        "human_better": test.human_better,
        "machine_better": test.machine_better,
        "human_machine_untested": test.cross_untested,
        "human_machine_out_of_reach": test.cross_out_of_reach,
        "machines_like_some_human": test.like_some,
        "machines_like_every_human": test.like_all,
        "machines_within_some_interval": measure.within,
        "machines_beyond_an_interval": measure.beyond,
    }
    sizes = {"humans": len(measure.humans), "machines": len(measure.machines)}
    return {**sizes, **{name: n if measure.cross else None for name, n in counts.items()}}


def _directions(measure: CountsByMeasure) -> str:
    better = "better" if measure.better else "higher"
    found = "; ".join(
        f"by {words_of_test(t.test)} the human is {better} in {t.human_better:,}, the machine in {t.machine_better:,}"
        + (f", {t.cross_untested:,} could not be tested" if t.cross_untested else "")
        + (f", {t.cross_out_of_reach:,} could not have been found" if t.cross_out_of_reach else "")
        for t in measure.tests
    )
    return f"Of {counted(measure.cross, 'pair')} of a human and a machine: {found}."


def _untested(test: CountsByTest) -> str:
    if not test.untested:
        return ""
    first = f": {next(iter(test.why))}" if test.why else ""
    return f"{test.untested:,} could not be tested{first}"


def _out_of_reach(tests: Sequence[CountsByTest], alpha: str) -> Iterator[str]:
    alike = len({t.out_of_reach for t in tests}) == 1
    for t in tests[:1] if alike else tests:
        if t.out_of_reach:
            by = "" if alike else f"by {words_of_test(t.test)} "
            reach = "its" if t.out_of_reach == 1 else "their"
            yield f"{by}{t.out_of_reach:,} could not have been found (no p within {reach} reach is at most {alpha})"


def _all_cell(test: CountsByTest) -> str:
    return f"{test.different}{_left(test.untested, test.out_of_reach)}"


def _cross_cell(test: CountsByTest) -> str:
    both = f"{test.human_better}/{test.machine_better}"
    return f"{test.cross_different} ({both}){_left(test.cross_untested, test.cross_out_of_reach)}"


def _left(untested: int, out_of_reach: int) -> str:
    words = f", {untested} untested" if untested else ""
    return f"{words}, {out_of_reach} out of reach" if out_of_reach else words
