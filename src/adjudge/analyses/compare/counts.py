"""Rankel's tables: how many pairs each test finds, among all systems and between humans and machines.

Machines that pass for human are counted too, by tests and by averages. Several data sets, such as years, stand side by
side. Rankel et al. 2011, section 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from adjudge.analyses.scores import Scores, Source, scores_of
from adjudge.analyses.tests import ALPHA, LEVEL, RESAMPLES, Choices, Test, choices, run_test, words_of_test
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import AllLengths, Better, Pool, ScoreMatrix

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
    "data",
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
    scores: Source | Mapping[str, Source],
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
    p-values are not corrected, as in the paper. Several data sets stand side by side: {"2009": ..., "2010": ...}.
    """
    if isinstance(scores, Mapping) and not scores:
        raise UsageError("no data set to count in")
    sources: Mapping[Any, Source] = scores if isinstance(scores, Mapping) else {None: scores}
    data = {
        None if name is None else str(name): scores_of(each, without=without)
        for name, each in sources.items()
    }
    runs = counting(
        tests=tests,
        statistic=statistic,
        zeros=zeros,
        alpha=alpha,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    named = (measure,) if isinstance(measure, str) else tuple(measure or ())
    chosen_ones = {name: _matrices(each, named, length, form, pool) for name, each in data.items()}
    if named:
        _check_named(chosen_ones)
    directed = {m.measure for found, _ in chosen_ones.values() for m in found if m.info.better is not None}
    tables, notes = [], []
    for name, (found, _) in chosen_ones.items():
        kept = [m for m in found if m.measure in directed or not directed]
        if not kept:
            continue
        table = rankel_tables(kept, data[name].kinds, runs, alpha=alpha, level=level)
        tables += [replace(each, data=name) for each in table.measures]
        where = "" if name is None else f"{name}: "
        notes += [
            f"{where}{m.measure}: {line}"
            for m in kept
            for line in data[name].assessor_note(m.measure, m.length, m.form)
        ]
    if not tables:
        raise UsageError("no measure to count on")
    return CountsTable(
        measures=tuple(tables),
        alpha=alpha,
        level=level,
        correction="none",
        notes=tuple(dict.fromkeys(notes)),
        data=tuple(name for name in data if name is not None),
        absent=tuple(_absent(tables, [name for name in data if name is not None])),
    )


def counting(
    *,
    tests: Sequence[str],
    alpha: float,
    level: float,
    statistic: str | None,
    zeros: str,
    resamples: int,
    seed: int,
) -> Tests:
    """The tests by the names that people write, ready to run, with cut-offs."""
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
    return {test: partial(_run, test=test, choices=chosen) for test in chosen.run}


def _run(values: FloatArray, *, test: str, choices: Choices) -> PairResults:
    """The test, two-sided, with cut-offs: those of resamples, or theoretical ones."""
    from adjudge.stats.cutoffs import theoretical_cutoffs

    results = run_test(values, test, choices, "two-sided", choices.resamples or RESAMPLES)
    if results.cutoff is not None:
        return results
    cutoff = theoretical_cutoffs(results, values, alpha=choices.alpha, zeros=choices.zeros)
    return replace(results, cutoff=cutoff)


def _matrices(
    scores: Scores, named: Names, length: int | AllLengths | None, form: str | None, pool: Pool
) -> tuple[list[ScoreMatrix], dict[str, UsageError | DataError]]:
    """The measures of one data set; of those that were named and are not there, why."""
    each: list[tuple[str, int | AllLengths | None, str | None]] = []
    why: dict[str, UsageError | DataError] = {}
    if not named:
        each = scores.each((), length=length, form=form)
    for name in named:
        try:
            each += [which for which in scores.each([name], length=length, form=form) if which not in each]
        except (UsageError, DataError) as error:
            why[name] = error
    return [scores.matrix(m, length=n, form=f, pool=pool).averaged() for m, n, f in each], why


def _check_named(
    found: Mapping[str | None, tuple[list[ScoreMatrix], dict[str, UsageError | DataError]]],
) -> None:
    """A measure that was named must be in one data set at least."""
    [first, *others] = [why for _, why in found.values()]
    for name, error in first.items():
        if all(name in why for why in others):
            raise error


def _absent(found: Sequence[CountsByMeasure], names: Sequence[str]) -> Iterator[AbsentMeasure]:
    """Measures that other data sets have, with the reason."""
    known = {(m.key, m.data) for m in found}
    elsewhere = {m.key: m for m in reversed(found)}
    for name in names:
        for key in dict.fromkeys(m.key for m in found):
            if (key, name) not in known:
                measure, length, form = key
                title = elsewhere[key].title
                why = f"{name} has no scores of {title}"
                yield AbsentMeasure(
                    data=name, measure=measure, length=length, form=form, title=title, why=why
                )


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
    data: tuple[str, ...] = ()
    """The names of the data sets, where they have any."""
    absent: tuple[AbsentMeasure, ...] = ()
    """What some data sets have and others have not."""

    @property
    def signature(self) -> str:
        """A line per measure."""
        return "\n".join(measure.signature for measure in self.measures)

    def to_frame(self) -> pd.DataFrame:
        """A row per data set, measure and test; counts of human-machine pairs are missing where there are none.

        A measure that a data set has not has empty rows there, and `why` says so.
        """
        import pandas as pd

        rows = [_row(measure, test) for measure in self.measures for test in measure.tests]
        rows += [
            {
                **dict.fromkeys(rows[0]),
                **_which(gone),
                "test": t.test,
                "statistic": t.statistic,
                "why": gone.why,
            }
            for gone in self.absent
            for t in self.measures[0].tests
        ]
        frame = pd.DataFrame(rows)
        cutoffs = dict.fromkeys(CUTOFFS, "float64")
        other = ("data", "measure", "form", "test", "statistic", "why", *cutoffs)
        return frame.astype({**{name: "Int64" for name in frame.columns if name not in other}, **cutoffs})

    def machines_frame(self) -> pd.DataFrame:
        """A row per measure, test and machine: how many humans it does not differ from, and who they are."""
        import pandas as pd

        rows = [
            {
                **_which(m),
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
                "data": list(self.data),
                "measures": measures,
                "absent": [asdict(each) for each in self.absent],
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
            return f"On {measure.named} there are fewer than two systems, so no pair."
        alpha = f"{self.alpha:g}".removeprefix("0")
        left = [_untested(t) for t in measure.tests]
        same = left[0] if len(set(left)) == 1 else ""  # what holds for all tests is said once
        own = ["" if same else f" ({words})" if words else "" for words in left]
        found = ", ".join(
            f"{t.different:,} by {t.words}{words}" for t, words in zip(measure.tests, own, strict=True)
        )
        said = "".join(f"; {words}" for words in (same, *_out_of_reach(measure.tests, alpha)) if words)
        basis = "uncorrected" if self.correction == "none" else f"corrected by {self.correction}"
        return (
            f"On {measure.named}, of {counted(pairs, 'pair')} of systems these differ:"
            f" {found} (p <= {alpha}, {basis}){said}."
        )

    def _levels(self, measure: CountsByMeasure) -> str:
        """Who passes for human, by averages and by tests."""
        found = ", ".join(
            f"{t.like_some} by {t.words} ({t.like_all} of them from every human)" for t in measure.tests
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
        """The paper's two tables, and a third with the machines that pass for human; data sets side by side."""
        crossed = [m for m in self.measures if m.cross]
        better = "better" if all(m.better for m in crossed) else "better, or higher where none is"
        found = [
            self._side_by_side(
                "pairs",
                "Significant differences among all pairs of systems",
                ("pairs",),
                [(m, (m.tests[0].pairs, *map(_all_cell, m.tests))) for m in self.measures],
            ),
            self._side_by_side(
                "human-machine",
                f"Significant differences between humans and machines: all (human/machine {better})",
                ("pairs",),
                [(m, (m.cross, *map(_cross_cell, m.tests))) for m in crossed],
            ),
            self._side_by_side(
                "like-human",
                f"Machines within some human's {self.level * 100:g} % interval of the mean (averages),"
                " or not different from some human (tests)",
                ("machines", "averages"),
                [(m, (len(m.machines), m.within, *(t.like_some for t in m.tests))) for m in crossed],
            ),
        ]
        notes = [line for m in self.measures if (line := m.no_cross())]
        return Tables(tuple(found if crossed else found[:1]), notes=(*self.blanks(), *notes, *self.notes))

    def blanks(self) -> Iterator[str]:
        """Why cells are empty: what each data set has not."""
        for name in self.data:
            if gone := [each.title for each in self.absent if each.data == name]:
                yield f"{name} has no scores of {listed(gone)}"

    def machine_tables(self) -> list[Table]:
        """By measure: in how many humans' intervals a machine's mean lies, and from how many it does not differ."""
        return [
            self._table(
                f"machines-{k}",
                f"Humans that a machine does not differ from significantly, of {len(m.humans)}: {m.named}",
                "machine",
                [Column("averages", right=True), *_columns(m.tests)],
                [
                    (mean.system, len(mean.within), *(len(t.machines[k].alike) for t in m.tests))
                    for k, mean in enumerate(m.machines)
                ],
            )
            for k, m in enumerate(self.measures)
            if m.cross
        ]

    def _side_by_side(
        self,
        name: str,
        title: str,
        numbers: tuple[str, ...],
        cells: Sequence[tuple[CountsByMeasure, tuple[Cell, ...]]],
    ) -> Table:
        """A row per measure; of several data sets a row per measure and count, and a column per data set."""
        own = [*(Column(each, right=True) for each in numbers), *_columns(self.measures[0].tests)]
        if not self.data:
            return self._table(name, title, "measure", own, [(m.title, *row) for m, row in cells])
        known = {(m.key, m.data): row for m, row in cells}
        titles = {m.key: m.title for m, _ in reversed(cells)}
        blank: tuple[Cell, ...] = (None,) * len(own)
        rows = [
            (titles[key], own[at].title, *(known.get((key, data), blank)[at] for data in self.data))
            for key in dict.fromkeys(m.key for m, _ in cells)
            for at in range(len(own))
        ]
        columns = [
            Column("count", "", right=False),
            *(Column(f"in {data}", data, right=True) for data in self.data),
        ]
        return self._table(name, title, "measure", columns, rows)

    @staticmethod
    def _table(
        name: str,
        title: str,
        label: str,
        columns: Sequence[Column],
        rows: Sequence[tuple[Cell, ...]],
    ) -> Table:
        return Table(name=name, columns=(Column(label, right=False), *columns), rows=tuple(rows), title=title)


def _columns(tests: Sequence[CountsByTest]) -> list[Column]:
    return [Column(t.test, t.words, right=True) for t in tests]


@dataclass(frozen=True)
class AbsentMeasure:
    """A measure that another data set has."""

    data: str
    measure: str
    length: int | None
    form: str | None
    title: str
    why: str


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
    data: str | None = None
    """The data set, where it has a name."""

    @property
    def key(self) -> tuple[str, int | None, str | None]:
        """What is the same measure in another data set."""
        return self.measure, self.length, self.form

    @property
    def named(self) -> str:
        """`ROUGE-2 recall (2009)`: the title with the data set."""
        return self.title if self.data is None else f"{self.title} ({self.data})"

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
                f"On {self.named} no system is human, so nothing is said of humans and machines:"
                " name the humans with --human PATTERN, or by their kind."
            )
        return None if self.machines else f"On {self.named} every system is human."


@dataclass(frozen=True)
class CountsByTest:
    """One test: pairs among all systems, and verdicts by machine. `why` counts reasons of untested pairs.

    Pairs that are `out_of_reach` do not differ, and no data with as many topics, ties and resamples could have made
    them differ: they are not said to be alike.
    `cutoff` is the median over pairs of what the test's statistic has to exceed at alpha (of a resampling test: the
    quantile of its resamples) or to reach (of the others: the theoretical value), `cutoff_least` and `cutoff_most` are
    their range. Without them all three are None.
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
    def words(self) -> str:
        """The test in a heading or a sentence; what a resampling test resamples is named, as in random swaps of W."""
        return words_of_test(
            self.test if self.statistic is None else f"{self.test.partition(':')[0]}:{self.statistic}"
        )

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
        **_which(measure),
        "test": test.test,
        "statistic": test.statistic,
        **{name: getattr(test, name) for name in CUTOFFS},
        "pairs": test.pairs,
        "different": test.different,
        "untested": test.untested,
        "out_of_reach": test.out_of_reach,
        **_cross(measure, test),
        "why": None,
    }


def _which(found: CountsByMeasure | AbsentMeasure) -> dict[str, Any]:
    return {"data": found.data, "measure": found.measure, "length": found.length, "form": found.form}


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
        f"by {t.words} the human is {better} in {t.human_better:,}, the machine in {t.machine_better:,}"
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
            by = "" if alike else f"by {t.words} "
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
