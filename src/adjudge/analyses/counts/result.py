"""How many pairs each test finds, among all systems and between humans and machines, and who passes for human."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from adjudge.analyses.counts import Counts
from adjudge.analyses.scores import Scores
from adjudge.analyses.tests import RESAMPLES, run_test, words_of_test
from adjudge.core.errors import DataError, UsageError, quoted
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import AllLengths, Better, ScoreMatrix
from adjudge.data.target import Target

if TYPE_CHECKING:
    from adjudge.analyses.compare import Compare
    from adjudge.stats.checks import BoolArray, FloatArray
    from adjudge.stats.pairs import PairResults

Names = tuple[str, ...]
MeasureCells = tuple["CountsByMeasure", tuple[Cell, ...]]
"""A measure's row of a table."""
Tests = Mapping[str, "Callable[[FloatArray], PairResults]"]
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
KEY = ("data", "measure", "length", "form", "test")
COUNTED = (
    "statistic",
    "cutoff",
    "cutoff_least",
    "cutoff_most",
    "pairs",
    "different",
    "untested",
    "out_of_reach",
)
VERDICTS = ("alike", "better_than", "worse_than", "untested", "out_of_reach")


def counts_of(
    data: Mapping[str | None, Scores],
    asked: Counts,
    targets: Mapping[str | None, Target] = MappingProxyType({}),
) -> CountsTable:
    """The counts of data sets by their names; `targets` has the length and form that a data set is counted at alone."""
    chosen: dict[str | None, list[ScoreMatrix]] = {}
    lacking: list[dict[str, UsageError | DataError]] = []
    for name, scores in data.items():
        wanted: dict[tuple[str, int | AllLengths | None, str | None], None] = {}
        why: dict[str, UsageError | DataError] = {}
        for measure in asked.measure or (None,):
            try:
                wanted |= dict.fromkeys(_targets(scores, measure, asked, targets.get(name)))
            except (UsageError, DataError) as error:
                if measure is None:
                    raise
                why[measure] = error
        lacking.append(why)
        chosen[name] = [scores.matrix(m, length=n, form=f, pool=asked.pool).averaged() for m, n, f in wanted]
    for measure, reason in lacking[0].items():
        if all(measure in why for why in lacking):  # one data set at least must have it
            raise reason
    directed = {m.measure for matrices in chosen.values() for m in matrices if m.info.better is not None}
    tests = counting(asked.how())
    counts: list[CountsByMeasure] = []
    assessors: list[tuple[str | None, str, int]] = []
    about: list[str] = []
    for name, matrices in chosen.items():
        scores = data[name]
        for m in matrices:
            if m.measure in directed or not directed:
                counts.append(replace(count(m, scores.kinds, tests, asked), data=name))
                assessors.append((name, m.title, scores.count_assessors(m.measure, m.length, m.form)))
                about += scores.unsaid_notes(m.measure)
    if not counts:
        raise UsageError("no measure to count on")
    names = [name for name in data if name is not None]
    absent = [
        AbsentMeasure(name, row.measure, row.length, row.form, row.title)
        for name in names
        for row in rows_of(counts)
        if name not in row.by_data
    ]
    return CountsTable(
        asked=asked,
        about_scores=tuple(dict.fromkeys(about)),
        measures=tuple(counts),
        assessors=tuple(row for row in dict.fromkeys(assessors) if row[2] > 1),
        data=tuple(names),
        absent=tuple(absent),
        targets=targets,
    )


def _targets(
    scores: Scores, measure: str | None, asked: Counts, at: Target | None
) -> list[tuple[str, int | AllLengths | None, str | None]]:
    """A measure, or all, at the lengths and in the forms that are counted."""
    measures = () if measure is None else (measure,)
    if at is None:
        return scores.targets(measures, length=asked.length, form=asked.form)
    chosen = [(name, *scores.target_for(name, *at)) for name in scores.resolved(measures)]
    if missing := [why for one in chosen if (why := scores.all_missing(*one))]:
        raise DataError(missing[0])
    return chosen


def counting(asked: Compare) -> Tests:
    """The tests by the names that people write, ready to run, two-sided and with cut-offs."""
    from adjudge.stats.tests import theoretical_cutoffs

    def run(test: str, values: FloatArray) -> PairResults:
        results = run_test(values, test, asked, "two-sided", asked.resamples or RESAMPLES)
        if results.cutoff is None:
            cutoff = theoretical_cutoffs(results, values, alpha=asked.alpha, zeros=asked.zeros)
            results = replace(results, cutoff=cutoff)
        return results

    return {test: partial(run, test) for test in asked.tests_run}


def rankel_tables(
    matrices: ScoreMatrix | Sequence[ScoreMatrix],
    kinds: Mapping[str, str],
    tests: Tests,
    *,
    asked: Counts | None = None,
) -> CountsTable:
    """Count the pairs that tests find different, on one or several measures. Rankel et al. 2011, section 4.

    `kinds` says who is human; who is not named is a machine, and so is a baseline. `tests` are functions
    of a matrix's values, under the names that the tables show. p-values count as they come, as in the paper.
    """
    asked = asked or Counts()
    matrices = [matrices] if isinstance(matrices, ScoreMatrix) else list(matrices)
    if not matrices:
        raise UsageError("no measure to count on")
    if not tests:
        raise UsageError("no test to count with")
    return CountsTable(asked=asked, measures=tuple(count(matrix, kinds, tests, asked) for matrix in matrices))


@dataclass(frozen=True, repr=False, kw_only=True)
class CountsTable(Result):
    """Rankel's tables for any number of measures and tests."""

    FRAME = "counts"

    asked: Counts
    measures: tuple[CountsByMeasure, ...]
    assessors: tuple[tuple[str | None, str, int], ...] = ()
    """Data set, measure and how many assessors, where several gave the scores."""
    data: tuple[str, ...] = ()
    """The names of the data sets, where they have any."""
    absent: tuple[AbsentMeasure, ...] = ()
    """What some data sets have and others have not."""
    targets: Mapping[str | None, Target] = field(default_factory=dict)
    """The length and form that data sets are counted at alone."""

    @property
    def alpha(self) -> float:
        return self.asked.alpha

    @property
    def rows(self) -> list[CountsRow]:
        """What data sets have in common."""
        return rows_of(self.measures)

    def how(self) -> str:
        """A line per measure."""
        return "\n".join(measure.signature for measure in self.measures)

    def notes(self) -> Iterator[Note]:
        for name in self.data:
            if gone := [missing.title for missing in self.absent if missing.data == name]:
                yield Note.of("no-scores", data=name, titles=gone)
        for data, target in self.targets.items():
            yield Note.of("one-target", data=data, target=str(target))
        differing = [row for row in self.rows if len(row.targets) > 1]
        if differing:
            targets = dict.fromkeys(
                (str(Target(m.length, m.form)), name) for row in differing for name, m in row.by_data.items()
            )
            yield Note.of("targets-differ", targets=list(targets))
        for data, measure, n in self.assessors:
            yield Note.of("several-assessors", data=data, measure=measure, n=n)

    def facts(self) -> dict[str, Any]:
        return {
            "alpha": self.asked.alpha,
            "level": self.asked.level,
            "correction": "none",
            "data": self.data,
            "measures": [
                {**asdict(m), "tests": [{**asdict(t), "human_machine": _cross(m, t)} for t in m.tests]}
                for m in self.measures
            ],
            "absent": [{**asdict(measure), "why": measure.why} for measure in self.absent],
        }

    def tables(self) -> Iterator[Table]:
        """The paper's two tables, a third with the machines that pass for human, and a table of each measure's."""
        pairs: list[MeasureCells] = []
        crossed: list[MeasureCells] = []
        like_human: list[MeasureCells] = []
        for m in self.measures:
            never, never_crossed = (m.never_tested(cross=of) if self.data else 0 for of in (False, True))
            different = [f"{t.different}{_left(t.untested - never, t.out_of_reach)}" for t in m.tests]
            pairs.append((m, (_of(m.tests[0].pairs, never), *different)))
            if m.cross:
                directions = [
                    f"{t.cross_different}{'' if self.data else f' ({t.human_better}/{t.machine_better})'}"
                    f"{_left(t.cross_untested - never_crossed, t.cross_out_of_reach)}"
                    for t in m.tests
                ]
                crossed.append((m, (_of(m.cross, never_crossed), *directions)))
                like_human.append((m, (len(m.machines), m.within, *(t.like_some for t in m.tests))))
        yield self._side_by_side("pairs", ("pairs",), pairs)
        if not crossed:
            return
        yield self._side_by_side("human-machine", ("pairs",), crossed)
        yield self._side_by_side("like-human", ("machines", "averages"), like_human)
        for number, m in enumerate(self.measures):
            if m.cross:
                yield Table.of(
                    f"machines-{number}",
                    (
                        (mean.system, len(mean.within), *(len(t.machines[k].alike) for t in m.tests))
                        for k, mean in enumerate(m.machines)
                    ),
                    Column("machine", right=False),
                    Column("averages", right=True),
                    *(Column(t.test, t.words, right=True) for t in m.tests),
                    title=f"Humans that a machine does not differ from significantly, of {len(m.humans)}: {m.named}",
                )

    def _side_by_side(self, name: str, numbers: tuple[str, ...], cells: Sequence[MeasureCells]) -> Table:
        """A row per measure and a column per test, of several data sets one beside the other, as the paper has years.

        What is counted of (pairs, machines) stands above a data set's columns where it is the same for all measures.
        """
        from adjudge.analyses.counts.words import HEADINGS, counted_of

        better = (
            "better" if all(m.better for m in self.measures if m.cross) else "better, or higher where none is"
        )
        which = "" if self.data else f"all (human/machine {better}); "
        alpha = f"{self.asked.alpha:g}".removeprefix("0")
        title = HEADINGS[name].format(which=which, level=self.asked.level * 100, alpha=alpha)
        counted = [*((n, n) for n in numbers), *((t.test, t.words) for t in self.measures[0].tests)]
        first = Column("measure", right=False)
        if not self.data:
            columns = [Column(*names, right=True) for names in counted]
            return Table.of(name, [(m.title, *row) for m, row in cells], first, *columns, title=title)
        by_measure = {(m.key, m.data): row for m, row in cells}
        kept = [row for row in self.rows if any((m.key, m.data) in by_measure for m in row.by_data.values())]
        blank: tuple[Cell, ...] = (None,) * len(counted)
        columns = [first]
        lines: list[list[Cell]] = [[row.title] for row in kept]
        for data in self.data:
            of = dict.fromkeys(counted_of(name, m) for m, _ in cells if m.data == data)
            over = f"{data}: {next(iter(of))}" if len(of) == 1 else data
            columns += [
                Column(
                    f"{column} in {data}",
                    heading,
                    right=True,
                    over=over,
                    show="never" if not at and len(of) == 1 else "always",
                )
                for at, (column, heading) in enumerate(counted)
            ]
            for line, row in zip(lines, kept, strict=True):
                m = row.by_data.get(data)
                line += blank if m is None else by_measure.get((m.key, data), blank)
        return Table.of(name, map(tuple, lines), *columns, title=title)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        """Counts by data set, measure and test, and by machine; what a data set has not has empty rows, and why."""
        return {"counts": self._counts, "machines": self._machines}

    def _counts(self) -> Table:
        rows: list[dict[str, Any]] = []
        for m in self.measures:
            for t in m.tests:
                numbers = {name: getattr(t, name) for name in COUNTED}
                rows.append({**_which(m, t), **numbers, **_cross(m, t)})
        rows += [
            {**_which(gone, t), "statistic": t.statistic, "why": gone.why}
            for gone in self.absent
            for t in self.measures[0].tests
        ]
        return Table.of("counts", rows, *KEY, *COUNTED, "humans", "machines", *CROSSED, "why")

    def _machines(self) -> Table:
        rows = [
            {
                **_which(m, test),
                "system": machine.system,
                "humans": len(m.humans),
                "not_different_from": len(machine.alike),
                "mean_within": len(mean.within),
                **{name: ", ".join(getattr(machine, name)) for name in VERDICTS},
                "mean": mean.mean,
                "within": ", ".join(mean.within),
                "beyond": ", ".join(mean.beyond),
            }
            for m in self.measures
            for test in m.tests
            for machine, mean in zip(test.machines, m.machines, strict=True)
        ]
        return Table.of(
            "machines",
            rows,
            *KEY,
            "system humans not_different_from mean_within",
            *VERDICTS,
            "mean within beyond",
        )


@dataclass(frozen=True)
class AbsentMeasure:
    """A measure that another data set has."""

    data: str
    measure: str
    length: int | None
    form: str | None
    title: str

    @property
    def why(self) -> str:
        return f"{self.data} has no scores of {self.title}"


@dataclass(frozen=True)
class CountsRow:
    """A measure in the data sets that have it."""

    measure: str
    title: str
    by_data: Mapping[str | None, CountsByMeasure]

    @property
    def targets(self) -> set[tuple[int | None, str | None]]:
        """The lengths and forms of the summaries."""
        return {(m.length, m.form) for m in self.by_data.values()}

    @property
    def length(self) -> int | None:
        return next(iter(self.targets))[0] if len(self.targets) == 1 else None

    @property
    def form(self) -> str | None:
        return next(iter(self.targets))[1] if len(self.targets) == 1 else None


def rows_of(measures: Sequence[CountsByMeasure]) -> list[CountsRow]:
    """What stands in one row: a measure at one length and in one form. A measure that no data set has at several is one
    row, whatever its lengths: a year of 100 words stands beside a year of 250."""
    times = Counter((m.data, m.measure) for m in measures)
    several = {measure for (_, measure), n in times.items() if n > 1}
    rows: dict[object, dict[str | None, CountsByMeasure]] = {}
    for m in measures:
        rows.setdefault(m.key if m.measure in several else m.measure, {})[m.data] = m
    return [
        CountsRow(
            measure=(one := next(iter(row.values()))).measure,
            title=one.title if len({m.key for m in row.values()}) == 1 else one.words,
            by_data=row,
        )
        for row in rows.values()
    ]


@dataclass(frozen=True)
class CountsByMeasure:
    """The counts of all tests on one measure, and beside them what averaging would say."""

    measure: str
    length: int | None
    form: str | None
    title: str
    words: str
    """The title without length and form."""
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

    def never_tested(self, *, cross: bool) -> int:
        """Pairs that no test could test, where these are as many by each test; of a human and a machine, or of all."""
        untested = {t.cross_untested if cross else t.untested for t in self.tests}
        return untested.pop() if len(untested) == 1 else 0

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


def count(matrix: ScoreMatrix, kinds: Mapping[str, str], tests: Tests, asked: Counts) -> CountsByMeasure:
    """Count on one measure."""
    import numpy as np

    from adjudge.stats.bootstrap import flat, t_means
    from adjudge.stats.paired import NOISE

    human = np.array([kinds.get(system) == "human" for system in matrix.systems], dtype=bool)
    people = np.array(matrix.systems, dtype=object)[human]
    counted = tuple(
        _count(matrix, human, name, test(matrix.values), asked.alpha) for name, test in tests.items()
    )
    means, without = t_means(matrix.values, level=asked.level), flat(matrix.values)
    low, high = (np.where(without, np.nan, end) for end in (means.low, means.high))
    machines = []
    for m in np.flatnonzero(~human).tolist():
        # Bounds and mean are compared with the noise that differences have.
        mean, least, most = means.mean[m], low[human], high[human]
        noise = NOISE * np.maximum(abs(mean), np.maximum(np.abs(least), np.abs(most)))
        above, below = mean > most + noise, mean < least - noise
        inside = (mean <= most + noise) & (mean >= least - noise)
        machines.append(
            MachineMean(
                system=matrix.systems[m],
                n=int(means.n[m]),
                mean=float(mean),
                within=tuple(people[inside]),
                beyond=tuple(people[below if matrix.info.better == "lower" else above]),
            )
        )
    signed = "".join(f"|test:{test.signature}" for test in counted)
    return CountsByMeasure(
        measure=matrix.measure,
        length=matrix.length,
        form=matrix.target.form,
        title=matrix.title,
        words=matrix.info.words,
        better=matrix.info.better,
        topics=len(matrix.topics),
        tests=counted,
        humans=tuple(
            HumanMean(
                system=matrix.systems[h],
                n=int(means.n[h]),
                mean=float(means.mean[h]),
                low=float(low[h]),
                high=float(high[h]),
            )
            for h in np.flatnonzero(human).tolist()
        ),
        machines=tuple(machines),
        signature=f"{matrix.signature}|topics:{len(matrix.topics)}|pool:{matrix.pool}{signed}"
        f"|counts:p<={asked.alpha:g}:none|interval:t:{asked.level:g}",
    )


def _count(
    matrix: ScoreMatrix, human: BoolArray, name: str, results: PairResults, alpha: float
) -> CountsByTest:
    import numpy as np

    from adjudge.stats.multiple import at_most
    from adjudge.stats.pairs import columns_of_pairs
    from adjudge.stats.tests import smallest_p

    first, second = columns_of_pairs(len(matrix.systems))
    if len(results) != len(first):
        raise UsageError(f"test {quoted(name)}: {len(results)} results for {len(first)} pairs")
    if results.alternative != "two-sided":
        raise UsageError(f"test {quoted(name)} is one-sided: which way would depend on the order of systems")
    smallest = smallest_p(results, results.resamples or RESAMPLES)
    different, untested = at_most(results.p, alpha), np.isnan(results.p)
    never = ~different & ~untested & ~at_most(smallest, alpha)
    # In a square, row h and column m hold the pair of human h and machine m, seen from the human: positive where the
    # human is better, by the side of the test's statistic.
    shape = (len(matrix.systems),) * 2
    side = np.full(shape, np.nan)
    side[first, second] = (-1.0 if matrix.info.better == "lower" else 1.0) * results.statistic
    side[second, first] = -side[first, second]
    kinds = {"alike": ~different & ~untested & ~never, "untested": untested, "out_of_reach": never}
    squares = {verdict: np.zeros(shape, dtype=bool) for verdict in (*kinds, "different")}
    for verdict, square in squares.items():
        square[first, second] = square[second, first] = kinds.get(verdict, different)
    squares["better_than"] = squares["different"] & (side < 0)
    squares["worse_than"] = squares.pop("different") & (side > 0)
    people = np.array(matrix.systems, dtype=object)[human]
    cutoffs: list[float | None] = [None] * 3
    if results.cutoff is not None and not np.isnan(results.cutoff).all():
        cutoffs = [float(of(results.cutoff)) for of in (np.nanmedian, np.nanmin, np.nanmax)]
    return CountsByTest(
        test=name,
        statistic=results.resampled,
        cutoff=cutoffs[0],
        cutoff_least=cutoffs[1],
        cutoff_most=cutoffs[2],
        pairs=len(first),
        different=int(np.count_nonzero(different)),
        untested=int(np.count_nonzero(untested)),
        out_of_reach=int(np.count_nonzero(never)),
        why=dict(Counter(results.why.values())),
        machines=tuple(
            Verdicts(matrix.systems[m], **{name: tuple(people[sq[human, m]]) for name, sq in squares.items()})
            for m in np.flatnonzero(~human)
        ),
        signature=results.signature,
    )


def _which(measure: CountsByMeasure | AbsentMeasure, test: CountsByTest) -> dict[str, Any]:
    return {**{name: getattr(measure, name) for name in KEY[:-1]}, "test": test.test}


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


def _of(pairs: int, untested: int) -> Cell:
    return f"{pairs}{_left(untested, 0)}" if untested else pairs


def _left(untested: int, out_of_reach: int) -> str:
    words = f", {untested} untested" if untested else ""
    return f"{words}, {out_of_reach} out of reach" if out_of_reach else words
