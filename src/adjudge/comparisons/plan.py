"""Several judgments of a summary, taken out of the long table: topics x systems x judges. Pooling is in scores.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge import __version__
from adjudge.data.scores import ScoreMatrix, ScoreTable
from adjudge.engine import generator
from adjudge.errors import DataError, UsageError, quoted
from adjudge.stats import checks
from adjudge.stats.power.judges import disagreement
from adjudge.stats.power.rates import Rate, t_topics
from adjudge.stats.power.search import SIMULATIONS, Answer, Goal, needed_topics, power_of, smallest_difference
from adjudge.stats.power.sources import Normal, Resampled, Spreads, components, resampled, spreads
from adjudge.stats.power.tests import Chosen, chosen
from adjudge.stats.results import TEST_WORDS
from adjudge.wording import counted, listed

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import BoolArray, FloatArray


@dataclass(frozen=True)
class Judgments:
    """What every judge said, in the order of a matrix."""

    values: FloatArray
    """Topics x systems x judges; NaN where one did not judge."""
    persons: bool
    """Whether judges are persons that are known by name, so that one can see both systems."""

    @property
    def unit(self) -> str:
        return "assessor" if self.persons else "judgment"


def judgments_of(table: ScoreTable, matrix: ScoreMatrix) -> Judgments | None:
    """The judgments behind a matrix, at its length; None where every cell has one.

    Assessors are judges where there are several, each with the mean of what they said. Where there are none, or
    one, repeats are: positions without a person behind them.
    """
    rows = table.of(matrix.measure)
    if matrix.length is not None:
        rows = rows[rows["length"] == matrix.length]
    persons = rows["assessor"].nunique() > 1
    column = "assessor" if persons else "repeat"
    if rows[column].nunique() < 2:
        return None
    values = _cube(rows.dropna(subset=[column, "value"]), column, matrix)
    return Judgments(values, persons)


def _cube(rows: pd.DataFrame, judge: str, matrix: ScoreMatrix) -> Any:
    import numpy as np

    means = rows.groupby(["topic", "system", judge], sort=True)["value"].mean().reset_index()
    places = {name: i for i, name in enumerate(means[judge].unique())}
    means = means[means["topic"].isin(matrix.topics) & means["system"].isin(matrix.systems)]
    cube = np.full((*matrix.values.shape, len(places)), np.nan)
    at = (
        means["topic"].map({t: i for i, t in enumerate(matrix.topics)}).to_numpy(dtype=int),
        means["system"].map({s: i for i, s in enumerate(matrix.systems)}).to_numpy(dtype=int),
        means[judge].map(places).to_numpy(dtype=int),
    )
    cube[at] = means["value"].to_numpy(dtype=float)
    return cube


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
class JudgeRow:
    """With so many judges for every summary."""

    judges: float
    spread: float
    """Of the differences of two systems."""
    topics: float
    """NaN where no difference was asked for."""
    difference: float
    """The smallest that the present topics find."""


@dataclass(frozen=True)
class JudgePlan:
    """What more or fewer judges would do."""

    unit: str
    """assessor or judgment"""
    now: float
    """By summary, the harmonic mean."""
    matched: bool
    """Whether the same persons judged both systems of a pair."""
    share: float
    """Of the variance of a difference, as judged now."""
    rows: tuple[JudgeRow, ...]
    """The last one is what is left with infinitely many."""
    enough: float
    """How many make the present topics enough; infinite where none do, NaN where no difference was asked for."""


@dataclass(frozen=True)
class Plan:
    """How many topics find a difference, and which difference the present ones find. Frozen; keeps the matrix."""

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
    """The test that answers first, then those beside it."""
    judges: JudgePlan | None
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
        return f"{self.measure} at {self.matrix.length} words" if self.matrix.length else self.measure

    @property
    def signature(self) -> str:
        length = f"|length:{self.matrix.length}" if self.matrix.length else ""
        return (
            f"{self.matrix.info.signature or self.measure}{length}|plan:{self.source}|pairs:{self.used_pairs}"
            f"|test:{self.needs[0].test}|power:{self.power:g}|alpha:{self.alpha:g}/{self.pairs}"
            f"|simulations:{self.simulations}|seed:{self.seed}|v:{__version__}"
        )

    def headline(self) -> str:
        """The first thing to know."""
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""

        return sentences(self)

    def warnings(self) -> list[str]:
        """What to beware of."""

        return warnings(self)

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

    def to_latex(self) -> str:
        """The tests for a paper, with booktabs rules."""
        head = r"test & topics & smallest difference & power now \\"
        lines = [r"\begin{tabular}{lrrr}", r"\toprule", head, r"\midrule"]
        now = self.sizes.index(self.have) if self.have in self.sizes else None
        for need in self.needs:
            cells = (
                "--" if need.topics is None else _plain(need.topics.value, ",.0f"),
                _plain(need.difference.value, ".3g"),
                "--" if now is None else _plain(need.power(now), ".2f"),
            )
            lines.append(rf"{_tex(need.words)} & {' & '.join(cells)} \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {self.signature}"])

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; what is no finite number becomes null."""
        judges = None if self.judges is None else asdict(self.judges)
        everything: dict[str, Any] = _json(
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


def _rate(power: Rate | float) -> dict[str, float]:
    if isinstance(power, Rate):
        return {"power": power.rate, "low": power.low, "high": power.high}
    return {"power": power, "low": power, "high": power}


def _plain(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "--"


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_json(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _tex(text: str) -> str:
    return text.replace("T^p", r"$T^p$").replace("_", r"\_").replace("%", r"\%")


FEW = 8
"""With fewer topics the spread is hardly known."""


def sentences(plan: Plan) -> Iterator[str]:
    """The answer first, then what stands beside it."""
    first = plan.needs[0]
    yield _with_topics(plan, first, first.topics) if first.topics is not None else _now(plan, first)
    if first.difference.why is None:
        yield _wide(first)
    yield from _others(plan)
    if plan.judges is not None:
        yield from _judges(plan, plan.judges)


def warnings(plan: Plan) -> list[str]:
    """How well the spread is known, and what was left out."""
    found = []
    if plan.have > 1:
        # The standard error of a normal sample's deviation; topics go with its square.
        off = 1 / math.sqrt(2 * (plan.have - 1))
        text = f"the spread comes from {counted(plan.have, 'topic')}: it may be off by {_percent(off)}"
        found.append(f"{text}, and topics by {_percent(2 * off)}")
    if plan.have < FEW:
        found.append("so few topics say little about the spread: take this for a first guess")
    if plan.matrix.missing:
        found.append(
            f"{counted(len(plan.matrix.missing), 'missing score')}; a pair's topics are those both have"
        )
    return found


def basis(plan: Plan, need: Needs) -> str:
    """Test and alpha, as they stand in brackets."""
    alpha = f"{plan.alpha:g}".removeprefix("0")
    divided = f"/{plan.pairs:,} for {counted(plan.pairs, 'pair')}" if plan.pairs > 1 else ""
    return f"{need.words}, alpha {alpha}{divided}"


def number(value: float, digits: int = 2) -> str:
    """So many significant digits, without an exponent where it is large."""
    return f"{float(f'{value:.{digits}g}'):,.12g}" if math.isfinite(value) else "-"


def _with_topics(plan: Plan, need: Needs, topics: Answer) -> str:
    aim = f"To find a difference of {number(plan.looked_for, 3)} in {plan.title} between two systems"
    aim += f" with {_percent(plan.power)} power ({basis(plan, need)})"
    finds = need.difference
    now = f"which can find {number(finds.value)}" if finds.why is None else "which find none"
    if topics.why is not None:
        return f"{aim}: {topics.why}; you have {plan.have:,}, {now}."
    enough = "which are enough, and " if topics.value <= plan.have else ""
    return f"{aim} you need about {topics.value:,.0f} topics; you have {plan.have:,}, {enough}{now}."


def _now(plan: Plan, need: Needs) -> str:
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
    """The pairs that are hard to tell apart."""
    who = "Where differences spread more (one pair in ten does)"
    finds = f"{number(need.difference_wide.value)} is what can be found"
    if need.topics_wide is None or need.topics_wide.why is not None:
        return f"{who} {finds}."
    return f"{who} it is about {need.topics_wide.value:,.0f} topics, and {finds}."


def _others(plan: Plan) -> Iterator[str]:
    said = []
    for need in plan.needs[1:]:
        answer = need.topics or need.difference
        form = f"{answer.value:,.0f} topics" if need.topics is not None else f"{number(answer.value)}"
        said.append(
            f"{form} by {need.words}" if answer.why is None else f"none by {need.words} ({answer.why})"
        )
    if said:
        yield f"It would be about {listed(said, most=8)}."


def _judges(plan: Plan, judges: JudgePlan) -> Iterator[str]:
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


def _enough(plan: Plan, judges: JudgePlan) -> Iterator[str]:
    """Whether more judges make up for topics."""
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


TESTS = tuple(TEST_WORDS)
BESIDE = ("wilcoxon", "t", "sign", "t-unpaired")
"""Tests that are always shown: they are quick."""
WIDE = 0.9
"""The quantile of the pairs' spreads that stands for a pair that is hard to tell apart."""
JUDGES = (1, 2, 3, 5, 10)
_NICE = tuple(base * 2**k for k in range(24) for base in (6, 8))

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class _Task:
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


def plan(
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
    judgments: Judgments | None = None,
    simulations: int = SIMULATIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """How many topics find a difference, and which difference the present ones find, with this power.

    `difference` is in the measure's units, or a share of the mean score, such as "5%". `test` answers, `tests` stand
    beside it. With `pairs`, alpha is divided by their number (Bonferroni). `family` says which pairs of
    systems give the spread, all unless said. Pairs are simulated by resampling topics of the scores; with
    `normal`, by normal noise of the same width.
    """
    checks.count("pairs", pairs, least=1)
    for name, value in (("power", power), ("alpha", alpha)):
        checks.share(name, value)
    known = _spreads(matrix, family)
    typical, wide = known.quantile(0.5), known.quantile(WIDE)
    source = _normal(matrix, typical) if normal else resampled(matrix.values, known, typical)
    have = int(np.median(known.n[known.n > 0]))
    task = _Task(source, replace(source, spread=wide), have, power, alpha / pairs, simulations, seed)
    wanted = _difference(difference, matrix)
    every = list(dict.fromkeys(map(chosen, (test, *tests))))
    needs, looked_for, sizes = _all_needs(task, every, wanted, progress)
    return Plan(
        matrix,
        wanted,
        looked_for,
        power,
        alpha,
        pairs,
        have,
        typical,
        wide,
        sizes,
        needs,
        None if judgments is None else _judges_run(judgments, known, task, needs[0], wanted),
        "normal" if normal else "resampled",
        simulations,
        seed,
        int(np.count_nonzero(known.usable)),
    )


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
    """Where topics' variance cannot be told from noise, there is none: it matters for unpaired tests alone."""
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
    task: _Task, tests: list[Chosen], wanted: float | None, progress: Progress | None
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


def _needs(task: _Task, test: Chosen, wanted: float | None, rng: np.random.Generator) -> Needs:
    goal = task.goal(test)
    topics: list[Answer | None] = [None, None]
    if wanted is not None:
        topics = [needed_topics(goal, source, wanted, rng) for source in (task.source, task.wide)]
    differences = [smallest_difference(goal, source, task.have, rng) for source in (task.source, task.wide)]
    return Needs(str(test), test.words, test.paired, topics[0], topics[1], differences[0], differences[1])


def _power(
    task: _Task, test: Chosen, topics: int, difference: float, rng: np.random.Generator
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


def _judges_run(
    judgments: Judgments, known: Spreads, task: _Task, needs: Needs, wanted: float | None
) -> JudgePlan | None:
    """What more judges would do for the first test; None where no summary has two."""
    found = disagreement(judgments.values, known, same_judges=judgments.persons)
    if found.variance != found.variance or not needs.paired:
        return None
    typical, finds = task.source.spread, needs.difference.value

    def row(judges: float) -> JudgeRow:
        """Differences go with the spread; topics as the paired t-test would have it."""
        spread = found.spread_with(judges, typical)
        topics = math.nan
        if wanted is not None and needs.topics is not None:
            then, now = (t_topics(wanted, sd, power=task.power, alpha=task.alpha) for sd in (spread, typical))
            topics = (
                math.ceil(needs.topics.value * then / now) if math.isfinite(needs.topics.value) else math.inf
            )
        return JudgeRow(judges, spread, topics, finds * spread / typical)

    enough = math.nan
    if wanted is not None and finds > 0:
        enough = found.judges_for(typical * wanted / finds, typical)
    rows = tuple(row(judges) for judges in (*JUDGES, math.inf))
    return JudgePlan(judgments.unit, found.judges, found.matched, found.share(typical), rows, enough)


def _counter(total: int, progress: Progress | None) -> Callable[[], None]:
    count = iter(range(1, total + 1))

    def done() -> None:
        if progress is not None:
            progress(next(count), total)

    return done
