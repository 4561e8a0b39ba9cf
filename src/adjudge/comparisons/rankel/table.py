"""Rankel's tables as frames, LaTeX, JSON and sentences. Counting is in counts.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from adjudge.comparisons.rankel.counts import CountsByMeasure, CountsByTest, Tests, count
from adjudge.data.scores import ScoreMatrix
from adjudge.errors import UsageError
from adjudge.wording import counted, tex

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.05
LEVEL = 0.95
MACHINE_COLUMNS = [
    "measure",
    "length",
    "test",
    "system",
    "humans",
    "cannot_be_told_from",
    "mean_within",
    "alike",
    "better_than",
    "worse_than",
    "untested",
    "mean",
    "within",
    "beyond",
]


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
    _check(matrices, tests, alpha, level)
    signed = f"counts:p<{alpha:g}:{correction}|interval:t:{level:g}"
    counts = [count(each, kinds, tests, alpha=alpha, level=level, signed=signed) for each in matrices]
    return CountsTable(tuple(counts), alpha, level, correction)


@dataclass(frozen=True)
class Table:
    """A table to print: a row per measure, names on the left, numbers on the right."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[object, ...]]


@dataclass(frozen=True)
class CountsTable:
    """Rankel's tables for any number of measures and tests."""

    measures: tuple[CountsByMeasure, ...]
    alpha: float
    level: float
    correction: str

    @property
    def signature(self) -> str:
        """A line per measure."""
        return "\n".join(measure.signature for measure in self.measures)

    def to_frame(self) -> pd.DataFrame:
        """A row per measure and test; counts of human-machine pairs are missing where there are none."""
        import pandas as pd

        frame = pd.DataFrame([_row(measure, test) for measure in self.measures for test in measure.tests])
        return frame.astype({name: "Int64" for name in frame.columns if name not in ("measure", "test")})

    def machines_frame(self) -> pd.DataFrame:
        """A row per measure, test and machine: how many humans it cannot be told from, and who they are."""
        import pandas as pd

        rows = [
            {
                "measure": m.measure,
                "length": m.length,
                "test": test.test,
                "system": machine.system,
                "humans": len(m.humans),
                "cannot_be_told_from": len(machine.alike),
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
        return _plain(
            {
                "alpha": self.alpha,
                "level": self.level,
                "correction": self.correction,
                "measures": measures,
                "sentences": list(self.sentences()),
            }
        )

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
        left = [_untested(t) for t in measure.tests]
        same = left[0] if len(set(left)) == 1 else ""  # what holds for all tests is said once
        own = ["" if same else f" ({words})" if words else "" for words in left]
        found = ", ".join(
            f"{t.different:,} by {_words(t.test)}{words}" for t, words in zip(measure.tests, own, strict=True)
        )
        basis = "uncorrected" if self.correction == "none" else f"corrected by {self.correction}"
        alpha = f"{self.alpha:g}".removeprefix("0")
        return (
            f"On {measure.title}, of {counted(pairs, 'pair')} of systems these differ:"
            f" {found} (p < {alpha}, {basis}){f'; {same}' if same else ''}."
        )

    def _levels(self, measure: CountsByMeasure) -> str:
        """Who passes for human, by averages and by tests."""
        found = ", ".join(
            f"{t.like_some} by {_words(t.test)} ({t.like_all} of them from every human)"
            for t in measure.tests
        )
        beyond = f" and {measure.beyond} more beyond one" if measure.beyond else ""
        no_interval = sum(human.low != human.low for human in measure.humans)
        without = f"; {counted(no_interval, 'human has', 'humans have')} no interval" if no_interval else ""
        uneven = len({h.n for h in measure.humans} | {m.n for m in measure.machines}) > 1
        topics = "; the averages are over different topics" if uneven else ""
        return (
            f"By averages {measure.within} of {counted(len(measure.machines), 'machine')}"
            f" {'lies' if measure.within == 1 else 'lie'} within some human's {self.level * 100:g} % interval"
            f" of the mean{beyond}{without}{topics}; these cannot be told from some human: {found}."
        )

    def tables(self) -> list[Table]:
        """The paper's two tables, and a third with the machines that pass for human."""
        tests = [_words(t.test) for t in self.measures[0].tests]
        crossed = [m for m in self.measures if m.cross]
        better = "better" if all(m.better for m in crossed) else "better, or higher where none is"
        found = [
            Table(
                "Significant differences among all pairs of systems",
                ("measure", "pairs", *tests),
                [(m.title, m.tests[0].pairs, *map(_all_cell, m.tests)) for m in self.measures],
            ),
            Table(
                f"Significant differences between humans and machines: all (human/machine {better})",
                ("measure", "pairs", *tests),
                [(m.title, m.cross, *map(_cross_cell, m.tests)) for m in crossed],
            ),
            Table(
                f"Machines within some human's {self.level * 100:g} % interval of the mean (averages),"
                " and not told from some human by a test",
                ("measure", "machines", "averages", *tests),
                [(m.title, len(m.machines), m.within, *(t.like_some for t in m.tests)) for m in crossed],
            ),
        ]
        return found if crossed else found[:1]

    def machine_tables(self) -> list[Table]:
        """By measure: how many humans each machine's mean lies within, and how many a test cannot tell it from."""
        tests = [_words(t.test) for t in self.measures[0].tests]
        return [
            Table(
                f"Humans that a machine cannot be told from, of {len(m.humans)}: {m.title}",
                ("machine", "averages", *tests),
                [
                    (mean.system, len(mean.within), *(len(t.machines[k].alike) for t in m.tests))
                    for k, mean in enumerate(m.machines)
                ],
            )
            for m in self.measures
            if m.cross
        ]

    def to_latex(self) -> str:
        """The tables for a paper, with booktabs rules."""
        said = [line for m in self.measures if (line := m.no_cross())]
        notes = [f"% {line}" for line in (*said, *self.signature.splitlines())]
        return "\n\n".join([*(_latex(table) for table in self.tables()), "\n".join(notes)])


def _check(matrices: Sequence[ScoreMatrix], tests: Tests, alpha: float, level: float) -> None:
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
        "test": test.test,
        "pairs": test.pairs,
        "different": test.different,
        "untested": test.untested,
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
        f"by {_words(t.test)} the human is {better} in {t.human_better:,}, the machine in {t.machine_better:,}"
        + (f", and {t.cross_untested:,} could not be tested" if t.cross_untested else "")
        for t in measure.tests
    )
    return f"Of {counted(measure.cross, 'pair')} of a human and a machine: {found}."


def _words(test: str) -> str:
    from adjudge.stats.paired import TEST_WORDS

    return TEST_WORDS.get(test, test)


def _untested(test: CountsByTest) -> str:
    if not test.untested:
        return ""
    first = f": {next(iter(test.why))}" if test.why else ""
    return f"{test.untested:,} could not be tested{first}"


def _all_cell(test: CountsByTest) -> str:
    return f"{test.different}{_left(test.untested)}"


def _cross_cell(test: CountsByTest) -> str:
    both = f"{test.human_better}/{test.machine_better}"
    return f"{test.cross_different} ({both}){_left(test.cross_untested)}"


def _left(untested: int) -> str:
    return f", {untested} untested" if untested else ""


def _latex(table: Table) -> str:
    rows = [" & ".join(tex(str(cell)) for cell in row) + r" \\" for row in (table.head, *table.rows)]
    return "\n".join(
        [
            f"% {table.title}",
            rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    """Without NaN and tuples, however deep."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [plain(v) for v in value]
        return None if isinstance(value, float) and value != value else value

    return {k: plain(v) for k, v in found.items()}
