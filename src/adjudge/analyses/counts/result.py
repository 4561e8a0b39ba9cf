"""How many pairs each test finds, among all systems and between humans and machines, and who passes for human."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from adjudge.analyses.counts import Counts
from adjudge.analyses.scores import Scores
from adjudge.analyses.tests import RESAMPLES, run_test, words_of_test
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import AllLengths, Better, Pool, ScoreMatrix

if TYPE_CHECKING:
    from adjudge.analyses.compare import Compare
    from adjudge.stats.bootstrap import ColumnMeans
    from adjudge.stats.checks import BoolArray, FloatArray
    from adjudge.stats.pairs import PairResults

Names = tuple[str, ...]
Tests = Mapping[str, "Callable[[FloatArray], PairResults]"]
CUTOFFS = ("cutoff", "cutoff_least", "cutoff_most")
CROSSED = (
    "human_machine_pairs",
    "human_machine_different",
    "human_better",
    "machine_better",
    "human_machine_untested",
    "human_machine_out_of_reach",
    "machines_like_some_human",
    "machines_like_every_human",
    "machines_within_some_interval",
    "machines_beyond_an_interval",
)
COUNT_COLUMNS = (
    *("data", "measure", "length", "form", "test", "statistic", *CUTOFFS),
    *("pairs", "different", "untested", "out_of_reach", "humans", "machines", *CROSSED, "why"),
)
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


def counts_of(data: Mapping[str | None, Scores], asked: Counts) -> CountsTable:
    """The counts of data sets by their names."""
    named = tuple(asked.measure or ())
    chosen = {
        name: _matrices(scores, named, asked.length, asked.form, asked.pool) for name, scores in data.items()
    }
    if named:
        _check_named(chosen)
    directed = {m.measure for matrices, _ in chosen.values() for m in matrices if m.info.better is not None}
    tests = counting(asked.how())
    measures: list[CountsByMeasure] = []
    assessors: list[tuple[str | None, str, int]] = []
    about: list[str] = []
    for name, (matrices, _) in chosen.items():
        kept = [m for m in matrices if m.measure in directed or not directed]
        if not kept:
            continue
        table = rankel_tables(kept, data[name].kinds, tests, asked=asked)
        measures += [replace(measure, data=name) for measure in table.measures]
        assessors += [
            (name, m.measure, data[name].count_assessors(m.measure, m.length, m.form)) for m in kept
        ]
        about += [line for m in kept for line in data[name].unsaid_notes(m.measure)]
    if not measures:
        raise UsageError("no measure to count on")
    names = [name for name in data if name is not None]
    return CountsTable(
        asked=asked,
        about_scores=tuple(dict.fromkeys(about)),
        measures=tuple(measures),
        assessors=tuple(row for row in dict.fromkeys(assessors) if row[2] > 1),
        data=tuple(names),
        absent=tuple(_absent(measures, names)),
    )


def counting(asked: Compare) -> Tests:
    """The tests by the names that people write, ready to run, with cut-offs."""
    return {test: partial(_run, test=test, asked=asked) for test in asked.tests_run}


def _run(values: FloatArray, *, test: str, asked: Compare) -> PairResults:
    """The test, two-sided, with cut-offs: those of resamples, or theoretical ones."""
    from adjudge.stats.tests import theoretical_cutoffs

    results = run_test(values, test, asked, "two-sided", asked.resamples or RESAMPLES)
    if results.cutoff is not None:
        return results
    cutoff = theoretical_cutoffs(results, values, alpha=asked.alpha, zeros=asked.zeros)
    return replace(results, cutoff=cutoff)


def _matrices(
    scores: Scores, named: Names, length: int | AllLengths | None, form: str | None, pool: Pool
) -> tuple[list[ScoreMatrix], dict[str, UsageError | DataError]]:
    """The measures of one data set; of those that were named and are not there, why."""
    wanted: list[tuple[str, int | AllLengths | None, str | None]] = []
    why: dict[str, UsageError | DataError] = {}
    if not named:
        wanted = scores.each((), length=length, form=form)
    for name in named:
        try:
            wanted += [
                which for which in scores.each([name], length=length, form=form) if which not in wanted
            ]
        except (UsageError, DataError) as error:
            why[name] = error
    return [scores.matrix(m, length=n, form=f, pool=pool).averaged() for m, n, f in wanted], why


def _check_named(
    chosen: Mapping[str | None, tuple[list[ScoreMatrix], dict[str, UsageError | DataError]]],
) -> None:
    """A measure that was named must be in one data set at least."""
    [first, *others] = [why for _, why in chosen.values()]
    for name, error in first.items():
        if all(name in why for why in others):
            raise error


def _absent(measures: Sequence[CountsByMeasure], names: Sequence[str]) -> Iterator[AbsentMeasure]:
    """Measures that other data sets have, with the reason."""
    keys = {(m.key, m.data) for m in measures}
    elsewhere = {m.key: m for m in reversed(measures)}
    for name in names:
        for key in dict.fromkeys(m.key for m in measures):
            if (key, name) not in keys:
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
    asked: Counts | None = None,
    correction: str = "none",
) -> CountsTable:
    """Count the pairs that tests find different, on one or several measures. Rankel et al. 2011, section 4.

    `kinds` says who is human; who is not named is a machine, and so is a baseline. `tests` are functions
    of a matrix's values, under the names that the tables show. p-values count as they come: uncorrected in
    the paper; where the functions correct them, `correction` says how.
    """
    asked = asked or Counts()
    matrices = [matrices] if isinstance(matrices, ScoreMatrix) else list(matrices)
    if not matrices:
        raise UsageError("no measure to count on")
    if not tests:
        raise UsageError("no test to count with")
    signed = f"counts:p<={asked.alpha:g}:{correction}|interval:t:{asked.level:g}"
    measures = tuple(
        count(matrix, kinds, tests, alpha=asked.alpha, level=asked.level, signed=signed)
        for matrix in matrices
    )
    return CountsTable(asked=asked, measures=measures, correction=correction)


@dataclass(frozen=True, repr=False, kw_only=True)
class CountsTable(Result):
    """Rankel's tables for any number of measures and tests."""

    FRAME = "counts"

    asked: Counts
    measures: tuple[CountsByMeasure, ...]
    correction: str = "none"
    assessors: tuple[tuple[str | None, str, int], ...] = ()
    """Data set, measure and how many assessors, where several gave the scores."""
    data: tuple[str, ...] = ()
    """The names of the data sets, where they have any."""
    absent: tuple[AbsentMeasure, ...] = ()
    """What some data sets have and others have not."""

    @property
    def alpha(self) -> float:
        return self.asked.alpha

    @property
    def level(self) -> float:
        return self.asked.level

    def how(self) -> str:
        """A line per measure."""
        return "\n".join(measure.signature for measure in self.measures)

    def notes(self) -> Iterator[Note]:
        for name in self.data:
            if gone := [missing.title for missing in self.absent if missing.data == name]:
                yield Note.of("no-scores", data=name, titles=gone)
        for data, measure, n in self.assessors:
            yield Note.of("several-assessors", data=data, measure=measure, n=n)

    def facts(self) -> dict[str, Any]:
        return {
            "alpha": self.alpha,
            "level": self.level,
            "correction": self.correction,
            "data": self.data,
            "measures": [
                {**asdict(m), "tests": [{**asdict(t), "human_machine": _cross(m, t)} for t in m.tests]}
                for m in self.measures
            ],
            "absent": [asdict(measure) for measure in self.absent],
        }

    def tables(self) -> Iterator[Table]:
        """The paper's two tables, a third with the machines that pass for human, and a table of each measure's."""
        from adjudge.analyses.counts.words import HEADINGS

        crossed = [m for m in self.measures if m.cross]
        better = "better" if all(m.better for m in crossed) else "better, or higher where none is"
        titles = {name: text.format(better=better, level=self.level * 100) for name, text in HEADINGS.items()}
        yield self._side_by_side(
            "pairs",
            titles,
            ("pairs",),
            [(m, (m.tests[0].pairs, *map(_all_cell, m.tests))) for m in self.measures],
        )
        if not crossed:
            return
        yield self._side_by_side(
            "human-machine",
            titles,
            ("pairs",),
            [(m, (m.cross, *map(_cross_cell, m.tests))) for m in crossed],
        )
        yield self._side_by_side(
            "like-human",
            titles,
            ("machines", "averages"),
            [(m, (len(m.machines), m.within, *(t.like_some for t in m.tests))) for m in crossed],
        )
        for number, m in enumerate(self.measures):
            if m.cross:
                yield Table(
                    name=f"machines-{number}",
                    title=f"Humans that a machine does not differ from significantly, of {len(m.humans)}: {m.named}",
                    columns=(
                        Column("machine", right=False),
                        Column("averages", right=True),
                        *_columns(m.tests),
                    ),
                    rows=tuple(
                        (mean.system, len(mean.within), *(len(t.machines[k].alike) for t in m.tests))
                        for k, mean in enumerate(m.machines)
                    ),
                )

    def _side_by_side(
        self,
        name: str,
        titles: Mapping[str, str],
        numbers: tuple[str, ...],
        cells: Sequence[tuple[CountsByMeasure, tuple[Cell, ...]]],
    ) -> Table:
        """A row per measure; of several data sets a row per measure and count, and a column per data set."""
        counted = [*(Column(number, right=True) for number in numbers), *_columns(self.measures[0].tests)]
        columns, rows = counted, [(m.title, *row) for m, row in cells]
        if self.data:
            by_key = {(m.key, m.data): row for m, row in cells}
            headings = {m.key: m.title for m, _ in reversed(cells)}
            blank: tuple[Cell, ...] = (None,) * len(counted)
            rows = [
                (
                    headings[key],
                    counted[at].title,
                    *(by_key.get((key, data), blank)[at] for data in self.data),
                )
                for key in dict.fromkeys(m.key for m, _ in cells)
                for at in range(len(counted))
            ]
            columns = [
                Column("count", "", right=False),
                *(Column(f"in {data}", data, right=True) for data in self.data),
            ]
        return Table(
            name=name,
            columns=(Column("measure", right=False), *columns),
            rows=tuple(rows),
            title=titles[name],
        )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """Counts by data set, measure and test, and by machine; what a data set has not has empty rows, and why."""
        return {"counts": self._counts, "machines": self._machines}

    def _counts(self) -> Table:
        rows = [_row(measure, test) for measure in self.measures for test in measure.tests]
        rows += [
            {
                **dict.fromkeys(COUNT_COLUMNS),
                **_which(gone),
                "test": t.test,
                "statistic": t.statistic,
                "why": gone.why,
            }
            for gone in self.absent
            for t in self.measures[0].tests
        ]
        return Table(
            name="counts",
            columns=tuple(map(Column, COUNT_COLUMNS)),
            rows=tuple(tuple(row[name] for name in COUNT_COLUMNS) for row in rows),
        )

    def _machines(self) -> Table:
        rows = [
            (
                *_which(m).values(),
                test.test,
                machine.system,
                len(m.humans),
                len(machine.alike),
                len(mean.within),
                *(", ".join(names) for name, names in asdict(machine).items() if name != "system"),
                mean.mean,
                ", ".join(mean.within),
                ", ".join(mean.beyond),
            )
            for m in self.measures
            for test in m.tests
            for machine, mean in zip(test.machines, m.machines, strict=True)
        ]
        return Table(name="machines", columns=tuple(map(Column, MACHINE_COLUMNS)), rows=tuple(rows))


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
        f"{''.join(f'|test:{test.signature}' for test in counted)}|{signed}",
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
    different, untested = at_most(results.p, alpha), np.isnan(results.p)
    never = ~different & ~untested & ~at_most(smallest, alpha)
    # In a square, row h and column m hold the pair of human h and machine m, seen from the human.
    shape = (len(matrix.systems),) * 2
    side = np.full(shape, np.nan)
    sign = -1.0 if matrix.info.better == "lower" else 1.0
    verdicts = {"different": different, "untested": untested, "never": never}
    squares = {verdict: np.zeros(shape, dtype=bool) for verdict in verdicts}
    for verdict, square in squares.items():
        square[first, second] = square[second, first] = verdicts[verdict]
    side[first, second] = sign * results.statistic
    side[second, first] = -side[first, second]
    names = np.array(matrix.systems, dtype=object)[human]
    machines = np.flatnonzero(~human)
    return CountsByTest(
        test=name,
        statistic=results.resampled,
        **_cutoffs(results),
        pairs=len(first),
        different=int(np.count_nonzero(different)),
        untested=int(np.count_nonzero(untested)),
        out_of_reach=int(np.count_nonzero(never)),
        why=dict(Counter(results.why.values())),
        machines=tuple(
            _verdicts(
                matrix.systems[m],
                names,
                side[human, m],
                **{verdict: square[human, m] for verdict, square in squares.items()},
            )
            for m in machines
        ),
        signature=results.signature,
    )


def _cutoffs(results: PairResults) -> dict[str, float | None]:
    import numpy as np

    cutoff = results.cutoff
    if cutoff is None or np.isnan(cutoff).all():
        return dict.fromkeys(CUTOFFS)
    ends = (np.nanmedian(cutoff), np.nanmin(cutoff), np.nanmax(cutoff))
    return {name: float(value) for name, value in zip(CUTOFFS, ends, strict=True)}


def _verdicts(
    system: str,
    humans: Any,
    side: FloatArray,
    *,
    different: BoolArray,
    untested: BoolArray,
    never: BoolArray,
) -> Verdicts:
    """`side` is positive where the human is better: the side is that of the test's statistic."""
    return Verdicts(
        system,
        alike=tuple(humans[~different & ~untested & ~never]),
        better_than=tuple(humans[different & (side < 0)]),
        worse_than=tuple(humans[different & (side > 0)]),
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


def _which(measure: CountsByMeasure | AbsentMeasure) -> dict[str, Any]:
    return {"data": measure.data, "measure": measure.measure, "length": measure.length, "form": measure.form}


def _cross(measure: CountsByMeasure, test: CountsByTest) -> dict[str, int | None]:
    """The counts of pairs of a human and a machine."""
    numbers = (
        measure.cross,
        test.cross_different,
        test.human_better,
        test.machine_better,
        test.cross_untested,
        test.cross_out_of_reach,
        test.like_some,
        test.like_all,
        measure.within,
        measure.beyond,
    )
    sizes = {"humans": len(measure.humans), "machines": len(measure.machines)}
    return {**sizes, **dict(zip(CROSSED, numbers if measure.cross else (None,) * len(CROSSED), strict=True))}


def _all_cell(test: CountsByTest) -> str:
    return f"{test.different}{_left(test.untested, test.out_of_reach)}"


def _cross_cell(test: CountsByTest) -> str:
    both = f"{test.human_better}/{test.machine_better}"
    return f"{test.cross_different} ({both}){_left(test.cross_untested, test.cross_out_of_reach)}"


def _left(untested: int, out_of_reach: int) -> str:
    words = f", {untested} untested" if untested else ""
    return f"{words}, {out_of_reach} out of reach" if out_of_reach else words
