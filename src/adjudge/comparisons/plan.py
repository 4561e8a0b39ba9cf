"""Planning: how many topics or assessors it takes to find a difference, from the spread of a user's own scores.

Pairs of systems are simulated with the spread that the scores have, and tested; power is computed in stats/power/.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from adjudge import __version__
from adjudge.comparisons.scores import Among, Source, scores_of
from adjudge.comparisons.tests import ALL
from adjudge.data.scores import AllLengths, CellJudgments, Pool, ScoreMatrix
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, quoted
from adjudge.stats import checks
from adjudge.stats.paired import TEST_WORDS
from adjudge.stats.power.rates import Rate, t_topics
from adjudge.stats.power.search import (
    SIMULATIONS,
    Answer,
    Chosen,
    Goal,
    chosen,
    needed_topics,
    power_of,
    smallest_difference,
)
from adjudge.stats.power.sources import (
    Normal,
    Resampled,
    Spreads,
    components,
    disagreement,
    resampled,
    spreads,
)
from adjudge.table import Column, Table, Tables, Tabular, plain
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import BoolArray

FEW = 8
"""With fewer topics the spread is hardly known."""
TESTS = tuple(TEST_WORDS)
BESIDE = ("wilcoxon", "t", "sign", "t-unpaired")
"""Tests that are always shown: they are quick."""
WIDE = 0.9
"""The quantile of the pairs' spreads that stands for a pair whose differences spread widely."""
JUDGES = (1, 2, 3, 5, 10)
_NICE = tuple(base * 2**k for k in range(24) for base in (6, 8))
Progress = Callable[[int, int], None]


def plan(
    scores: Source,
    measure: str | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    difference: float | str | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    test: str = "wilcoxon",
    pairs: int = 1,
    among: Among = "all",
    normal: bool = False,
    simulations: int = SIMULATIONS,
    seed: int = 0,
    pool: Pool = "mean",
    progress: Progress | None = None,
) -> PowerPlan:
    """How many topics or assessors it takes to find a difference: `plan("my-eval", "rouge-2", difference=0.01)`.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame.
    `difference` is in the measure's units, or a share of the mean score such as "5%"; without one, the plan says
    which difference the present topics find. `test` answers, with the quick tests as a comparison; "all" shows every
    test. With `pairs`, alpha is divided by their number (Bonferroni). `among` says which pairs of systems give the
    spread.
    """
    found = scores_of(scores)
    matrix = found.matrix(measure, length=length, form=form, pool=pool)
    return plan_of(
        matrix,
        difference,
        power=power,
        alpha=alpha,
        test="wilcoxon" if test == ALL else test,
        tests=TESTS if test == ALL else BESIDE,
        pairs=pairs,
        family=found.pairs_among(matrix.systems, among),
        normal=normal,
        judgments=found.table.judgments(matrix, length=length, form=form),
        simulations=simulations,
        seed=seed,
        progress=progress,
    )


def plan_of(
    matrix: ScoreMatrix,
    difference: float | str | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    test: str = "wilcoxon",
    tests: Sequence[str] = BESIDE,
    pairs: int = 1,
    family: BoolArray | None = None,
    normal: bool = False,
    judgments: CellJudgments | None = None,
    simulations: int = SIMULATIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> PowerPlan:
    """The same from a matrix, and what assessors said behind its cells.

    `test` answers, `tests` are shown with it. `family` says which pairs of systems give the spread, all unless
    said. Pairs are simulated by resampling topics of the scores; with `normal`, by normal noise of the same width.
    """
    checks.count("pairs", pairs, least=1)
    for name, value in (("power", power), ("alpha", alpha)):
        checks.share(name, value)
    known = _spreads(matrix, family)
    typical, wide = known.quantile(0.5), known.quantile(WIDE)
    source = _normal(matrix, typical) if normal else resampled(matrix.values, known, typical)
    have = int(np.median(known.n[known.n > 0]))
    task = _PlanTask(
        source=source,
        wide=replace(source, spread=wide),
        have=have,
        power=power,
        alpha=alpha / pairs,
        simulations=simulations,
        seed=seed,
    )
    wanted = _difference(difference, matrix)
    every = list(dict.fromkeys(map(chosen, (test, *tests))))
    needs, looked_for, sizes = _all_needs(task, every, wanted, progress)
    return PowerPlan(
        matrix=matrix,
        difference=wanted,
        looked_for=looked_for,
        power=power,
        alpha=alpha,
        pairs=pairs,
        have=have,
        typical=typical,
        wide=wide,
        sizes=sizes,
        needs=needs,
        judges=None if judgments is None else _judge_plan(judgments, known, task, needs[0], wanted),
        source="normal" if normal else "resampled",
        simulations=simulations,
        seed=seed,
        used_pairs=int(np.count_nonzero(known.usable)),
    )


@dataclass(frozen=True, repr=False)
class PowerPlan(Tabular):
    """How many topics find a difference, and which difference the present ones find. Keeps the matrix."""

    matrix: ScoreMatrix
    difference: float | None
    """As asked for, in the measure's units."""
    looked_for: float
    """Of the power curve: the one asked for, else the smallest that is found now."""
    power: float
    alpha: float
    pairs: int
    """By which alpha is divided."""
    have: int
    """Topics that two systems have in common, in the median."""
    typical: float
    """The standard deviation of the differences of two systems: the median over pairs."""
    wide: float
    """Nine pairs of ten have less."""
    sizes: tuple[int, ...]
    """Numbers of topics of the power curve."""
    needs: tuple[Needs, ...]
    """The test that answers first, then the others."""
    judges: AssessorPlan | None
    source: str
    """Where simulated pairs come from: resampled or normal."""
    simulations: int
    seed: int
    used_pairs: int

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def signature(self) -> str:
        return (
            f"{self.matrix.signature}|plan:{self.source}|pairs:{self.used_pairs}"
            f"|test:{self.needs[0].test}|power:{self.power:g}|alpha:{self.alpha:g}/{self.pairs}"
            f"|simulations:{self.simulations}|seed:{self.seed}|v:{__version__}"
        )

    def headline(self) -> str:
        """The first thing to know."""
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """The answer first, then the other tests and the assessors."""
        first = self.needs[0]
        yield _with_topics(self, first, first.topics) if first.topics is not None else _now(self, first)
        if first.difference.why is None:
            yield _wide(first)
        yield from _others(self)
        if self.judges is not None:
            yield from _judges(self, self.judges)

    def warnings(self) -> list[str]:
        """How well the spread is known, and what was left out."""
        found = []
        if self.have > 1:
            # The standard error of a normal sample's deviation; topics go with its square.
            off = 1 / math.sqrt(2 * (self.have - 1))
            text = f"the spread comes from {counted(self.have, 'topic')}: it may be off by {_percent(off)}"
            found.append(f"{text}, and topics by {_percent(2 * off)}")
        if self.have < FEW:
            found.append("so few topics say little about the spread: take this for a first guess")
        if self.matrix.missing:
            found.append(
                f"{counted(len(self.matrix.missing), 'missing score')}; a pair's topics are those both have"
            )
        return found

    def table(self) -> Table:
        """A row per test; the second number of each kind is for pairs that spread widely."""
        shown: Literal["always", "never"] = "always" if self.difference is not None else "never"
        heads = (
            Column("words", "test", data=False, right=False),
            Column("topics needed", show=shown, data=False, right=True),
            Column("wide pairs", show=shown, data=False, right=True),
            Column("can find", data=False, right=True),
            Column("wide pairs", data=False, right=True),
        )
        names = list(self._about(self.needs[0]))
        rows = []
        for need in self.needs:
            topics = [None if a is None else _whole(a.value) for a in (need.topics, need.topics_wide)]
            finds = [number(a.value, 3) for a in (need.difference, need.difference_wide)]
            rows.append((need.words, *topics, *finds, *self._about(need).values()))
        size = f"{counted(self.have, 'topic')} in common, {counted(self.used_pairs, 'pair')} of systems"
        return Table(
            name="plan",
            columns=(*heads, *(Column(name, show="never") for name in names)),
            rows=tuple(rows),
            title=f"{self.matrix.heading} ({size})",
            said=tuple(self.sentences()),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def curve_table(self) -> Table:
        """The power of every test on several numbers of topics."""
        return Table(
            name="curve",
            columns=(Column("topics"), *(Column(need.test, format=".2f", right=True) for need in self.needs)),
            rows=tuple((n, *(need.power(k) for need in self.needs)) for k, n in enumerate(self.sizes)),
            title=f"power for a difference of {number(self.looked_for, 3)}",
        )

    def assessors_table(self) -> Table | None:
        """What more or fewer assessors would do; None where every summary has one judgment."""
        if self.judges is None:
            return None
        shown: Literal["always", "never"] = "always" if self.difference is not None else "never"
        return Table(
            name="assessors",
            columns=(
                Column(f"{self.judges.unit}s", right=True),
                Column("spread", right=True),
                Column("topics needed", show=shown, right=True),
                Column("can find", right=True),
            ),
            rows=tuple(
                (
                    f"{row.judges:g}" if math.isfinite(row.judges) else "any",
                    number(row.spread, 3),
                    _whole(row.topics),
                    number(row.difference, 3),
                )
                for row in self.judges.rows
            ),
        )

    def tables(self) -> Tables:
        """The tests, the power curve, the assessors."""
        found = [self.table(), self.curve_table() if self.sizes else None, self.assessors_table()]
        return Tables(tuple(table for table in found if table is not None))

    def to_frame(self) -> pd.DataFrame:
        """A row per test: topics and differences, for typical and for wide pairs, with their simulation error."""
        import pandas as pd

        return pd.DataFrame([self._about(need) for need in self.needs])

    def curve_frame(self) -> pd.DataFrame:
        """A row per test and number of topics: the power, and the interval of the simulations."""
        import pandas as pd

        rows = [
            self._key(need) | {"difference": self.looked_for, "topics": n, **_rate(need.powers[k])}
            for need in self.needs
            for k, n in enumerate(self.sizes)
        ]
        columns = ["measure", "length", "test", "difference", "topics", "power", "low", "high"]
        return pd.DataFrame(rows, columns=columns)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; what is no finite number becomes null."""
        judges = None if self.judges is None else asdict(self.judges)
        everything: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "length": self.matrix.length,
                "signature": self.signature,
                "difference": self.difference,
                "power": self.power,
                "alpha": self.alpha,
                "pairs": self.pairs,
                "topics": self.have,
                "spread": self.typical,
                "spread_wide": self.wide,
                "sentences": list(self.sentences()),
                "warnings": self.warnings(),
                "tests": [self._about(need) for need in self.needs],
                "judges": judges,
                "curve": self.curve_frame().drop(columns=["measure", "length"]).to_dict("records"),
            }
        )
        return everything

    def _key(self, need: Needs) -> dict[str, Any]:
        return {"measure": self.measure, "length": self.matrix.length, "test": need.test}

    def _about(self, need: Needs) -> dict[str, Any]:
        answers = {
            "needed": need.topics,
            "needed_wide": need.topics_wide,
            "finds": need.difference,
            "finds_wide": need.difference_wide,
        }
        about = self._key(need) | {"topics": self.have, "difference": self.difference}
        for name, answer in answers.items():
            about[name] = None if answer is None else answer.value
            about[f"{name}_error"] = None if answer is None else answer.error
        whys = [answer.why for answer in answers.values() if answer is not None and answer.why]
        return about | {"method": need.difference.method, "why": whys[0] if whys else None}


@dataclass(frozen=True)
class Needs:
    """What one test needs: for a typical pair of systems, and for one that spreads widely."""

    test: str
    words: str
    paired: bool
    topics: Answer | None
    """For the difference asked for; None where none was."""
    topics_wide: Answer | None
    difference: Answer
    """The smallest that the present topics find."""
    difference_wide: Answer
    powers: tuple[Rate | float, ...] = ()
    """On the plan's numbers of topics, for the difference it looks for; NaN where it cannot be had."""

    def power(self, k: int) -> float:
        found = self.powers[k]
        return found.rate if isinstance(found, Rate) else found


@dataclass(frozen=True)
class AssessorPlan:
    """What more or fewer assessors would do."""

    unit: str
    """assessor or judgment"""
    now: float
    """By summary, the harmonic mean."""
    matched: bool
    """Whether the same persons judged both systems of a pair."""
    share: float
    """Of the variance of a difference, as judged now."""
    rows: tuple[AssessorRow, ...]
    """The last one is what is left with infinitely many."""
    enough: float
    """How many make the present topics enough; infinite where none do, NaN where no difference was asked for."""


@dataclass(frozen=True)
class AssessorRow:
    """With so many assessors for every summary."""

    judges: float
    spread: float
    """Of the differences of two systems."""
    topics: float
    """NaN where no difference was asked for."""
    difference: float
    """The smallest that the present topics find."""


def _rate(power: Rate | float) -> dict[str, float]:
    if isinstance(power, Rate):
        return {"power": power.rate, "low": power.low, "high": power.high}
    return {"power": power, "low": power, "high": power}


def _whole(value: float) -> str | None:
    return f"{value:,.0f}" if math.isfinite(value) else None


def basis(plan: PowerPlan, need: Needs) -> str:
    """Test and alpha, as they stand in brackets."""
    alpha = f"{plan.alpha:g}".removeprefix("0")
    divided = f"/{plan.pairs:,} for {counted(plan.pairs, 'pair')}" if plan.pairs > 1 else ""
    return f"{need.words}, alpha {alpha}{divided}"


def number(value: float, digits: int = 2) -> str:
    """So many significant digits, without an exponent where it is large."""
    return f"{float(f'{value:.{digits}g}'):,.12g}" if math.isfinite(value) else "-"


def _with_topics(plan: PowerPlan, need: Needs, topics: Answer) -> str:
    aim = f"To find a difference of {number(plan.looked_for, 3)} in {plan.title} between two systems"
    aim += f" with {_percent(plan.power)} power ({basis(plan, need)})"
    finds = need.difference
    now = f"which can find {number(finds.value)}" if finds.why is None else "which find none"
    if topics.why is not None:
        return f"{aim}: {topics.why}; you have {plan.have:,}, {now}."
    enough = "which are enough, and " if topics.value <= plan.have else ""
    return f"{aim} you need about {topics.value:,.0f} topics; you have {plan.have:,}, {enough}{now}."


def _now(plan: PowerPlan, need: Needs) -> str:
    with_topics = f"With {counted(plan.have, 'topic')}"
    if need.difference.why is not None:
        return (
            f"{with_topics} nothing can be said of {plan.title} ({basis(plan, need)}): {need.difference.why}."
        )
    return (
        f"{with_topics} the smallest difference in {plan.title} between two systems that is found with"
        f" {_percent(plan.power)} power is about {number(need.difference.value)} ({basis(plan, need)})."
    )


def _wide(need: Needs) -> str:
    """The pairs whose differences spread most."""
    who = "Where differences spread more (one pair in ten does)"
    finds = f"{number(need.difference_wide.value)} is what can be found"
    if need.topics_wide is None or need.topics_wide.why is not None:
        return f"{who} {finds}."
    return f"{who} it is about {need.topics_wide.value:,.0f} topics, and {finds}."


def _others(plan: PowerPlan) -> Iterator[str]:
    said = []
    for need in plan.needs[1:]:
        answer = need.topics or need.difference
        form = f"{answer.value:,.0f} topics" if need.topics is not None else f"{number(answer.value)}"
        said.append(
            f"{form} by {need.words}" if answer.why is None else f"none by {need.words} ({answer.why})"
        )
    if said:
        yield f"It would be about {listed(said, most=8)}."


def _judges(plan: PowerPlan, judges: AssessorPlan) -> Iterator[str]:
    unit = judges.unit
    by = f"{number(judges.now)} {unit}{'' if round(judges.now, 1) == 1 else 's'}"
    yield (
        f"Every summary has {by}; {'their' if unit == 'assessor' else 'the'} disagreement makes"
        f" {_percent(judges.share)} of the variance of a difference."
    )
    *some, rest = judges.rows
    numbers = listed([f"{row.judges:g}" for row in some])
    if plan.difference is None:
        finds = listed([number(row.difference) for row in some])
        yield f"With {numbers} {unit}s it would be {finds}; with any number, {number(rest.difference)}."
        return
    topics = listed([_topics(row.topics) for row in some])
    yield f"With {numbers} {unit}s you need {topics} topics; with any number, {_topics(rest.topics)}."
    yield from _enough(plan, judges)


def _enough(plan: PowerPlan, judges: AssessorPlan) -> Iterator[str]:
    """Whether more assessors make up for topics."""
    if plan.difference is None or not plan.needs[0].difference.value > plan.difference:
        return
    if math.isinf(judges.enough):
        aim = number(plan.difference, 3)
        yield f"On {plan.have} topics no number of {judges.unit}s finds {aim}: only more topics do."
    else:
        yield f"On {plan.have} topics it takes {math.ceil(judges.enough):,} {judges.unit}s."


def _topics(value: float) -> str:
    return f"{value:,.0f}" if math.isfinite(value) else "no number of"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %" if share < 0.01 or share > 0.99 else f"{100 * share:.0f} %"


@dataclass(frozen=True)
class _PlanTask:
    """Everything that is the same for all tests."""

    source: Normal | Resampled
    wide: Normal | Resampled
    have: int
    power: float
    alpha: float
    simulations: int
    seed: int

    def goal(self, test: Chosen) -> Goal:
        return Goal(test, self.power, self.alpha, self.simulations)


def _spreads(matrix: ScoreMatrix, family: BoolArray | None) -> Spreads:
    if len(matrix.systems) < 2:
        raise DataError(
            f"{matrix.measure}: planning needs the scores of two systems, here is {len(matrix.systems)}"
        )
    known = spreads(matrix.values, family)
    if np.isnan(known.sd).all():
        raise DataError(f"{matrix.measure}: no two systems have two topics in common, so no spread is known")
    if not known.quantile(0.5) > 0:
        raise DataError(
            f"{matrix.measure}: most pairs of systems differ by the same on every topic: nothing to plan"
        )
    return known


def _normal(matrix: ScoreMatrix, spread: float) -> Normal:
    """The topics' variance is estimated as 0 where it is not above the noise; it matters for unpaired tests alone."""
    topic = components(matrix.values).topic
    return Normal(spread, math.sqrt(topic) if topic > 0 else 0.0)


def _difference(difference: float | str | None, matrix: ScoreMatrix) -> float | None:
    """In the measure's units; a share is one of the mean over all scores."""
    if difference is None:
        return None
    text = str(difference).strip()
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"the difference is {quoted(text)}, expected a number above 0 or a share such as 5%")
    if not text.endswith("%"):
        return value
    mean = float(np.nanmean(matrix.values))
    if mean == 0:
        raise UsageError(
            f"the mean of {matrix.measure} is 0: give the difference as a number, not as a share"
        )
    return value / 100 * abs(mean)


def _all_needs(
    task: _PlanTask, tests: list[Chosen], wanted: float | None, progress: Progress | None
) -> tuple[tuple[Needs, ...], float, tuple[int, ...]]:
    """Answers of every test, then their power on the same numbers of topics; the first test decides which."""
    done = _counter(len(tests) * 2, progress)
    streams = {test: generator(task.seed, f"plan/{test}") for test in tests}
    found: list[Needs] = []
    for test in tests:
        found.append(_needs(task, test, wanted, streams[test]))
        done()
    looked_for = wanted if wanted is not None else found[0].difference.value
    needed = found[0].topics.value if found[0].topics is not None else task.have
    sizes = nice_sizes(task.have, needed) if looked_for == looked_for else ()
    for k, test in enumerate(tests):
        powers = tuple(_power(task, test, n, looked_for, streams[test]) for n in sizes)
        found[k] = replace(found[k], powers=powers)
        done()
    return tuple(found), looked_for, sizes


def _needs(task: _PlanTask, test: Chosen, wanted: float | None, rng: np.random.Generator) -> Needs:
    goal = task.goal(test)
    topics: list[Answer | None] = [None, None]
    if wanted is not None:
        topics = [needed_topics(goal, source, wanted, rng) for source in (task.source, task.wide)]
    differences = [smallest_difference(goal, source, task.have, rng) for source in (task.source, task.wide)]
    return Needs(
        test=str(test),
        words=test.words,
        paired=test.paired,
        topics=topics[0],
        topics_wide=topics[1],
        difference=differences[0],
        difference_wide=differences[1],
    )


def _power(
    task: _PlanTask, test: Chosen, topics: int, difference: float, rng: np.random.Generator
) -> Rate | float:
    goal = task.goal(test)
    if goal.impossible() is not None:
        return math.nan
    return power_of(goal, task.source, topics, difference, rng)


def nice_sizes(have: int, needed: float) -> tuple[int, ...]:
    """Numbers of topics for a curve: about both, in even steps, and both among them."""
    ends = sorted(n for n in (have, needed) if math.isfinite(n)) or [have]
    low, high = max(ends[0] / 2, 4), max(ends[-1] * 1.5, 12)
    inside = [n for n in _NICE if low <= n <= high]
    inside = inside[:: max(1, -(-len(inside) // 8))]
    apart = [n for n in inside if all(abs(n / end - 1) > 0.08 for end in ends if end)]
    return tuple(sorted({*apart, *(int(n) for n in ends if n >= 2)}))


def _judge_plan(
    judgments: CellJudgments, known: Spreads, task: _PlanTask, needs: Needs, wanted: float | None
) -> AssessorPlan | None:
    """What more assessors would do for the first test; None where no summary has two."""
    found = disagreement(judgments.values, known, same_judges=judgments.persons)
    if found.variance != found.variance or not needs.paired:
        return None
    typical, finds = task.source.spread, needs.difference.value

    def row(judges: float) -> AssessorRow:
        """Differences go with the spread; topics as the paired t-test would have it."""
        spread = found.spread_with(judges, typical)
        topics = math.nan
        if wanted is not None and needs.topics is not None:
            then, now = (t_topics(wanted, sd, power=task.power, alpha=task.alpha) for sd in (spread, typical))
            topics = (
                math.ceil(needs.topics.value * then / now) if math.isfinite(needs.topics.value) else math.inf
            )
        return AssessorRow(judges, spread, topics, finds * spread / typical)

    enough = math.nan
    if wanted is not None and finds > 0:
        enough = found.judges_for(typical * wanted / finds, typical)
    rows = tuple(row(judges) for judges in (*JUDGES, math.inf))
    return AssessorPlan(
        unit=judgments.unit,
        now=found.judges,
        matched=found.matched,
        share=found.share(typical),
        rows=rows,
        enough=enough,
    )


def _counter(total: int, progress: Progress | None) -> Callable[[], None]:
    count = iter(range(1, total + 1))

    def done() -> None:
        if progress is not None:
            progress(next(count), total)

    return done
