"""Size and power of tests by simulation: how often each test finds a difference that is there, or is not.

Scores are drawn from a model (stats/power/), and the tests are those of a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from adjudge import __version__
from adjudge.analyses.compare import Compare
from adjudge.analyses.conclusions import ALIKE, DIFFERENT, FEW_TOPICS, Untold, conclude, resamples_for
from adjudge.analyses.scores import Source, scores_of
from adjudge.core.engine import Workers, generator, run
from adjudge.core.errors import DataError, UsageError
from adjudge.core.table import Column, Table, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import AllLengths
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.paired import TEST_WORDS
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.power import search as power_search
from adjudge.stats.power.generate import RATINGS, ScoreModel, draw
from adjudge.stats.power.rates import LEVEL, Rate
from adjudge.stats.power.search import Chosen, chosen
from adjudge.stats.power.sources import components
from adjudge.stats.resampling.engine import RESAMPLES
from adjudge.stats.tests import smallest_p

SIMULATIONS = 2000
ALPHA = 0.05
TESTS = tuple(TEST_WORDS)
CHUNK = 100
"""Simulations that share a random stream; numbers depend on it, not on workers."""

What = Literal["power", "size", "any", "any-holm"]
WHATS: tuple[What, ...] = get_args(What)
WHAT_WORDS: dict[What, str] = {
    "power": "that differ",
    "size": "that do not",
    "any": "any that does not",
    "any-holm": "any that does not, Holm with Tarone's steps",
}
_OF_TWO = {
    "power": "By {test} the difference is found in {rate} of {simulations}",
    "size": "By {test} a difference that is not there is found in {rate} of {simulations}",
}
_OF_MANY = {
    "power": "By {test} {rate} of the pairs that differ are found, over {simulations}",
    "size": "By {test} {rate} of the pairs that do not differ are found, over {simulations}",
    "any": "By {test} some pair that does not differ is found in {rate} of {simulations}",
    "any-holm": (
        "By {test}, corrected as a comparison is (Holm with Tarone's steps), some pair that does not differ is found"
        " in {rate} of {simulations}"
    ),
}
NOTHING = "nothing could have been found"
TOO_FEW = "too few simulations to say"


@dataclass(frozen=True)
class Outcome:
    """How often a test found something. `size` and `power` are shares of pairs, `any` of simulations."""

    test: str
    words: str
    what: What
    rate: float
    low: float
    high: float
    simulations: int
    untested: int
    """Pairs that could not be tested, over all simulations; they count as not found."""
    reachable: int
    """Simulations in which some p was low enough, or could have been whatever the signs of the differences."""
    smallest: float
    """The smallest p that any of the pairs could have had; NaN where none could be tested."""

    def interval(self, alpha: float) -> str:
        """`3.9 % to 6.4 %`; more digits where rounding would put an end on the other side of alpha."""
        return f"{_beside(self.low, alpha)} to {_beside(self.high, alpha)}"

    def verdict(self, alpha: float) -> str:
        """Whether an error is as frequent as alpha says, as far as the simulations can tell."""
        if not self.reachable:
            return NOTHING
        if self.what == "power":
            return ""
        if self.low > alpha:
            return "too often"
        if self.high < alpha:
            return "conservative"
        # Where even no finding at all would not have shown that there are too few, nothing is shown.
        return TOO_FEW if Rate(0, self.simulations).high >= alpha else "agrees with alpha"


@dataclass(frozen=True, repr=False)
class Simulation(Tabular):
    """How often the tests found something, and in which model."""

    model: ScoreModel
    outcomes: tuple[Outcome, ...]
    alpha: float
    resamples: int
    seed: int

    @property
    def simulations(self) -> int:
        return self.outcomes[0].simulations

    @property
    def title(self) -> str:
        m = self.model
        size = f"{counted(m.topics, 'topic')}, {counted(m.systems, 'system')}"
        return f"{size}, difference {m.means[0] - m.means[-1]:g}, {counted(self.simulations, 'simulation')}"

    @property
    def signature(self) -> str:
        m = self.model
        return (
            f"simulate|topics:{m.topics}|means:{','.join(f'{mean:g}' for mean in m.means)}|{m.signature}"
            f"|simulations:{self.simulations}|resamples:{self.resamples}|alpha:{self.alpha:g}|seed:{self.seed}"
            f"|v:{__version__}"
        )

    def of(self, test: str, what: What | None = None) -> Outcome:
        """A test's outcome; of several, the one asked for."""
        for outcome in self.outcomes:
            if outcome.test == test and what in (None, outcome.what):
                return outcome
        known = ", ".join(dict.fromkeys(o.test for o in self.outcomes))
        raise UsageError(f"{test} was not simulated; there are: {known}")

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""
        forms = _OF_TWO if self.model.systems == 2 else _OF_MANY
        for o in self.outcomes:
            if not o.reachable:
                yield f"By {o.words}{_CORRECTED.get(o.what, '')} {NOTHING}: {self._no_reach(o)}."
                continue
            said = forms[o.what].format(
                test=o.words, rate=percent(o.rate), simulations=counted(o.simulations, "simulation")
            )
            verdict = f": {o.verdict(self.alpha)}" if o.what == "size" else ""
            interval = f"{LEVEL:.0%} interval {o.interval(self.alpha)}".replace("%", " %", 1)
            yield f"{said} ({interval}){verdict}."

    def _no_reach(self, outcome: Outcome) -> str:
        """Why nothing could have been found."""
        if math.isnan(outcome.smallest):
            return "no pair could be tested"
        alpha = f"{self.alpha:g}".removeprefix("0")
        least = f"the smallest p that there could be is {outcome.smallest:.3g}"
        if outcome.what == "any-holm" and outcome.smallest <= self.alpha:
            pairs = self.model.systems * (self.model.systems - 1) // 2
            return f"{least}, too large for a correction over {counted(pairs, 'pair')} at alpha {alpha}"
        return f"{least}, above alpha {alpha}"

    def warnings(self) -> list[str]:
        """Which tests had pairs without a result or simulations in which nothing could be found."""
        found = []
        for words in dict.fromkeys(o.words for o in self.outcomes):
            every = [o for o in self.outcomes if o.words == words]
            if every[0].untested:
                found.append(f"{words}: {counted(every[0].untested, 'pair')} could not be tested")
            for o in every:
                if 0 < o.reachable < o.simulations and o.what != "any":  # as "size" has it
                    out = f"in {o.simulations - o.reachable:,} of {counted(o.simulations, 'simulation')}"
                    kind = f" ({WHAT_WORDS[o.what]})" if self.model.systems > 2 else ""
                    found.append(f"{words}{kind}: {out} no p could have been low enough")
        resampled = [o.words for o in self.outcomes if o.what == "any-holm" and chosen(o.test).statistic]
        if resampled and self.resamples < (wanted := _compared_with(self.model, self.alpha)):
            found.append(
                f"{listed(resampled)}: {counted(self.resamples, 'resample')} here; a comparison of so many pairs"
                f" takes {wanted:,} (--resamples)"
            )
        return found

    def headline(self) -> str:
        """The first thing to know."""
        return next(self.sentences())

    def table(self) -> Table:
        """A row per test, and per sort of finding where there are several."""
        many: Literal["always", "never"] = "always" if self.model.systems > 2 else "never"
        hidden = (
            "topics",
            "systems",
            "alpha",
            "test",
            "what",
            "rate",
            "low",
            "high",
            "simulations",
            "untested",
            "reachable",
            "smallest",
        )
        return Table(
            name="simulation",
            columns=(
                Column("words", "test", data=False, right=False),
                Column("kind", "pairs", show=many, data=False, right=False),
                Column("found", data=False, right=True),
                Column("interval", f"{LEVEL:.0%} interval", data=False, right=False),
                *(Column(name, show="never") for name in hidden),
                Column("verdict", "", right=False),
            ),
            rows=tuple(
                (
                    o.words,
                    WHAT_WORDS[o.what],
                    percent(o.rate),
                    o.interval(self.alpha),
                    self.model.topics,
                    self.model.systems,
                    self.alpha,
                    *(getattr(o, name) for name in hidden[3:]),
                    o.verdict(self.alpha),
                )
                for o in self.outcomes
            ),
            title=self.title,
            said=tuple(self.sentences()),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json."""
        found: dict[str, Any] = plain(
            {
                "model": asdict(self.model),
                "alpha": self.alpha,
                "resamples": self.resamples,
                "seed": self.seed,
                "simulations": self.simulations,
                "level": LEVEL,
                "signature": self.signature,
                "outcomes": [asdict(o) | {"verdict": o.verdict(self.alpha)} for o in self.outcomes],
                "sentences": list(self.sentences()),
                "warnings": self.warnings(),
            }
        )
        return found


@dataclass(frozen=True)
class _SimulationTask:
    model: ScoreModel
    tests: tuple[Chosen, ...]
    alpha: float
    resamples: int
    seed: int


def simulate(
    scores: Source | None = None,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    topics: int | None = None,
    systems: int | None = None,
    difference: float = 0.0,
    noise: str = "normal",
    topic_sd: float | None = None,
    unequal: float = 1.0,
    uneven: float = 1.0,
    shared: float = 0.0,
    missing_half: bool = False,
    rounded: float | None = None,
    ratings: bool = False,
    tests: Sequence[str] = TESTS,
    simulations: int = SIMULATIONS,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    workers: Workers = 1,
    without: str | Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """How often tests find a difference that is there, or is not: `simulate(topics=24, difference=0.5)`.

    Scores are system + topic + noise; the noise has a standard deviation of 1, which is the unit of everything. The
    first system is better than the others by `difference`. Where `scores` are given, the numbers of topics and
    systems and the spread of topics are those of the scores unless they are said; else 48, 2 and 1. `unequal` and
    `uneven` are the noise of the last system over the first's, and of the noisiest topic over the quietest's;
    `shared` is the correlation of two systems' noise on a topic; `rounded` is the step that scores are rounded to,
    `ratings` makes them whole scores from 1 to 5.
    """
    if ratings and rounded is not None:
        raise UsageError("--ratings and --round exclude each other")
    known = _Known() if scores is None else _known(scores, measure, length, form, without)
    systems = known.systems if systems is None else systems
    model = ScoreModel(
        topics=known.topics if topics is None else topics,
        means=(difference, *[0.0] * (systems - 1)),
        topic_sd=known.topic_sd if topic_sd is None else topic_sd,
        noise=noise,  # type: ignore[arg-type]
        unequal=unequal,
        uneven=uneven,
        shared=shared,
        missing_half=missing_half,
        step=1.0 if ratings else rounded,
        bounds=RATINGS if ratings else None,
    )
    return simulate_model(
        model,
        tests,
        simulations=simulations,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        workers=workers,
        progress=progress,
    )


@dataclass(frozen=True)
class _Known:
    """What a simulation takes from scores."""

    topics: int = 48
    systems: int = 2
    topic_sd: float = 1.0


def _known(
    scores: Source,
    measure: str | Sequence[str] | None,
    length: int | AllLengths | None,
    form: str | None,
    without: str | Sequence[str],
) -> _Known:
    matrix = scores_of(scores, without=without).matrix(measure, length=length, form=form)
    if len(matrix.systems) < 2 or len(matrix.topics) < 2:
        raise DataError(f"{matrix.measure}: a simulation like these scores needs two systems and two topics")
    found = components(matrix.values)
    if not found.residual > 0:
        raise DataError(f"{matrix.measure}: the scores have no noise to simulate")
    return _Known(len(matrix.topics), len(matrix.systems), math.sqrt(max(found.topic, 0.0) / found.residual))


def simulate_model(
    model: ScoreModel,
    tests: Sequence[str] = TESTS,
    *,
    simulations: int = SIMULATIONS,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    workers: Workers = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Draw matrices from a model and run tests on all pairs of systems; a pair is found where p <= alpha.

    Pairs of systems with the same mean give the size, the others the power. With more than two systems it is also
    counted how often any pair is found that does not differ, without a correction and with the one that comparisons
    use, Holm's over the pairs that could be found (Tarone). A test is a
    name such as `wilcoxon`, or `mc:w` and `hb:median` for another statistic than the usual one.
    """
    task = _SimulationTask(model, tuple(dict.fromkeys(map(chosen, tests))), alpha, resamples, seed)
    _check(task, simulations)
    sizes = [CHUNK] * (simulations // CHUNK) + [simulations % CHUNK] * (simulations % CHUNK > 0)
    total, least = np.zeros((len(task.tests), len(_COLUMNS))), np.full(len(task.tests), np.nan)
    done = run(partial(_chunk, task), list(enumerate(sizes)), workers=workers)
    for number, (counts, smallest) in enumerate(done):
        total += counts
        least = np.fmin(least, smallest)
        if progress is not None:
            progress(sum(sizes[: number + 1]), simulations)
    outcomes = [
        o
        for test, row, smallest in zip(task.tests, total, least.tolist(), strict=True)
        for o in _outcomes(task, test, row, smallest, simulations)
    ]
    return Simulation(model=model, outcomes=tuple(outcomes), alpha=alpha, resamples=resamples, seed=seed)


_COLUMNS = (
    *("power", "power squared", "size", "size squared", "any", "any-holm", "untested"),
    *(f"{what} reachable" for what in WHATS),
)
FLOORS = 20
"""Simulations of a chunk in which it is looked into what HB could have found, where topics are few."""
_CORRECTED = {"any-holm": ", corrected as a comparison is (Holm with Tarone's steps),"}


def _compared_with(model: ScoreModel, alpha: float) -> int:
    """The resamples that a comparison of so many systems takes."""
    return resamples_for(Compare(alpha=alpha), model.systems * (model.systems - 1) // 2)


def _check(task: _SimulationTask, simulations: int) -> None:
    checks.count("simulations", simulations, least=1)
    checks.count("resamples", task.resamples, least=1)
    checks.share("alpha", task.alpha)
    if not task.tests:
        raise UsageError("no test to simulate")


def _chunk(task: _SimulationTask, numbered: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Sums over some simulations, tests x columns; and the smallest p that there could have been, by test."""
    number, size = numbered
    matrices = draw(task.model, size, generator(task.seed, "simulate/scores", number))
    sums, least = np.zeros((len(task.tests), len(_COLUMNS))), np.full(len(task.tests), np.nan)
    for k, test in enumerate(task.tests):
        rng = generator(task.seed, f"simulate/{test}", number)
        beside = generator(task.seed, f"simulate/{test}/smallest", number)
        for done, matrix in enumerate(matrices):
            untold = _untold(task, test, matrix, rng)
            if test.name == "hb" and task.model.topics <= FEW_TOPICS:
                untold = _hybrid_floor(test, matrix, untold, beside, looked_into=done < FLOORS)
            sums[k] += _found(untold, task)
            least[k] = np.fmin(least[k], np.fmin.reduce(untold.smallest))
    return sums, least


def _untold(task: _SimulationTask, test: Chosen, matrix: FloatArray, rng: np.random.Generator) -> Untold:
    """Every pair of a matrix, as a comparison tests it."""
    results = power_search.run(test, matrix, rng, task.resamples)
    return Untold(
        results=results,
        family=np.ones(len(results), dtype=np.bool_),
        smallest=smallest_p(results, task.resamples),
        resamples=None if test.statistic is None else task.resamples,
    )


def _hybrid_floor(
    test: Chosen, matrix: FloatArray, untold: Untold, rng: np.random.Generator, *, looked_into: bool
) -> Untold:
    """With the smallest p of HB on few topics: what it gives where all differences are on one side.

    Of simulations that are not looked into, p itself is all that is known.
    """
    counts, smallest = untold.results.counts, untold.results.p.copy()
    if looked_into:
        for k in np.flatnonzero(~np.isnan(smallest)).tolist():
            away = np.abs(matrix[:, counts.first[k]] - matrix[:, counts.second[k]])
            turned = np.column_stack([away, np.zeros_like(away)])
            one_side = float(power_search.run(test, turned, rng, RESAMPLES).p[0])
            smallest[k] = np.fmin(smallest[k], max(one_side, float(untold.smallest[k])))
    return replace(untold, smallest=smallest)


def _differing(model: ScoreModel) -> BoolArray:
    first, second = columns_of_pairs(model.systems)
    means = np.array(model.means)
    differ: BoolArray = means[first] != means[second]
    return differ


def _found(untold: Untold, task: _SimulationTask) -> FloatArray:
    """What one simulation adds to the columns."""
    differ = _differing(task.model)
    [alone], [together] = (
        conclude([untold], Compare(alpha=task.alpha, correct=correct)) for correct in ("none", "holm")
    )
    power, size = (alone.different[of].mean() if of.any() else 0.0 for of in (differ, ~differ))
    any_false = (tested.different[~differ].any() for tested in (alone, together))
    within = [np.isin(tested.conclusion, (DIFFERENT, ALIKE)) for tested in (alone, together)]
    reachable = [
        reach[of].any()
        for reach, of in (
            (within[0], differ),
            (within[0], ~differ),
            (within[0], ~differ),
            (within[1], ~differ),
        )
    ]
    untested = np.count_nonzero(np.isnan(untold.results.p))
    return np.array([power, power**2, size, size**2, *any_false, untested, *reachable], dtype=np.float64)


def _outcomes(
    task: _SimulationTask, test: Chosen, row: FloatArray, smallest: float, simulations: int
) -> Iterator[Outcome]:
    differ, many = _differing(task.model), task.model.systems > 2
    wanted = {"power": differ.any(), "size": not differ.all(), "any": many and not differ.all()}
    wanted["any-holm"] = wanted["any"]
    for what in WHATS:
        if wanted[what]:
            at = _COLUMNS.index(what)
            squares = row[at + 1] if many and what in ("power", "size") else None
            rate, low, high = _rate(row[at], squares, simulations)
            yield Outcome(
                test=str(test),
                words=test.words,
                what=what,
                rate=rate,
                low=low,
                high=high,
                simulations=simulations,
                untested=int(row[_COLUMNS.index("untested")]),
                reachable=int(row[_COLUMNS.index(f"{what} reachable")]),
                smallest=smallest,
            )


def _rate(total: float, squares: float | None, simulations: int) -> tuple[float, float, float]:
    """The rate with its interval: Wilson's; of shares of dependent pairs, by how simulations vary."""
    if squares is None:
        rate = Rate(round(total), simulations)
        return rate.rate, rate.low, rate.high
    mean = total / simulations
    variance = max(squares / simulations - mean**2, 0.0)
    # As many independent pairs as would vary so much.
    effective = mean * (1 - mean) / variance if variance > 0 else 1.0
    even = Rate(round(mean * effective * simulations), max(round(effective * simulations), 1))
    return mean, even.low, even.high


def _beside(share: float, alpha: float) -> str:
    digits = 1
    while digits < 9 and (round(share, digits + 2) < alpha) != (share < alpha):
        digits += 1
    return percent(share, digits)


def percent(share: float, digits: int = 1) -> str:
    """`5.0 %`"""
    return f"{100 * share:.{digits}f} %"
