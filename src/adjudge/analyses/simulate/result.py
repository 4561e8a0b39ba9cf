"""Size and power of tests by simulation: how often each test finds a difference that is there, or is not.

Scores are drawn from a model (stats/power/), and the tests are those of a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from adjudge import __version__
from adjudge.analyses.compare import Compare
from adjudge.analyses.conclusions import ALIKE, DIFFERENT, FEW_TOPICS, Untold, conclude, resamples_for
from adjudge.analyses.scores import Scores
from adjudge.analyses.simulate import Simulate
from adjudge.analyses.simulate.words import NOTHING, TOO_FEW, WHAT_WORDS, percent
from adjudge.core.engine import generator, run
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import counted
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.power import search as power_search
from adjudge.stats.power.generate import RATINGS, ScoreModel, draw
from adjudge.stats.power.rates import LEVEL, Rate
from adjudge.stats.power.search import Chosen, chosen
from adjudge.stats.power.sources import components
from adjudge.stats.resampling.engine import RESAMPLES
from adjudge.stats.tests import smallest_p

CHUNK = 100
"""Simulations that share a random stream; numbers depend on it, not on workers."""

What = Literal["power", "size", "any", "any-holm"]
WHATS: tuple[What, ...] = get_args(What)


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


@dataclass(frozen=True, repr=False, kw_only=True)
class Simulation(Result):
    """How often the tests found something, and in which model."""

    ROWS_SAY_ALL: ClassVar[bool] = True

    asked: Simulate
    model: ScoreModel
    outcomes: tuple[Outcome, ...]

    @property
    def alpha(self) -> float:
        return self.asked.alpha

    @property
    def title(self) -> str:
        m = self.model
        size = f"{counted(m.topics, 'topic')}, {counted(m.systems, 'system')}"
        difference = f"difference {m.means[0] - m.means[-1]:g}"
        return f"{size}, {difference}, {counted(self.asked.simulations, 'simulation')}"

    def how(self) -> str:
        m, asked = self.model, self.asked
        return (
            f"topics:{m.topics}|means:{','.join(f'{mean:g}' for mean in m.means)}|{m.signature}"
            f"|simulations:{asked.simulations}|resamples:{asked.resamples}|alpha:{asked.alpha:g}|seed:{asked.seed}"
            f"|v:{__version__}"
        )

    def of(self, test: str, what: What | None = None) -> Outcome:
        """A test's outcome; of several, the one asked for."""
        for outcome in self.outcomes:
            if outcome.test == test and what in (None, outcome.what):
                return outcome
        tests = ", ".join(dict.fromkeys(o.test for o in self.outcomes))
        raise UsageError(f"{test} was not simulated; there are: {tests}")

    def notes(self) -> Iterator[Note]:
        for words in dict.fromkeys(o.words for o in self.outcomes):
            of_test = [o for o in self.outcomes if o.words == words]
            if of_test[0].untested:
                yield Note.of("pairs-not-tested", test=words, n=of_test[0].untested)
            for o in of_test:
                if 0 < o.reachable < o.simulations and o.what != "any":  # as "size" has it
                    yield Note.of(
                        "out-of-reach-in-some",
                        test=words,
                        kind=WHAT_WORDS[o.what] if self.model.systems > 2 else None,
                        n=o.simulations - o.reachable,
                        simulations=o.simulations,
                    )
        resampled = [o.words for o in self.outcomes if o.what == "any-holm" and chosen(o.test).statistic]
        wanted = resamples_for(Compare(alpha=self.alpha), self.model.systems * (self.model.systems - 1) // 2)
        if resampled and self.asked.resamples < wanted:
            yield Note.of(
                "fewer-resamples-than-a-comparison",
                tests=resampled,
                resamples=self.asked.resamples,
                wanted=wanted,
            )

    def tables(self) -> Iterator[Table]:
        """A row per test, and per sort of finding where there are several."""
        many: Literal["always", "never"] = "always" if self.model.systems > 2 else "never"
        of_outcomes = [
            "test",
            "what",
            "rate",
            "low",
            "high",
            "simulations",
            "untested",
            "reachable",
            "smallest",
        ]
        yield Table(
            name="simulation",
            columns=(
                Column("words", "test", data=False, right=False),
                Column("kind", "what", show=many, data=False, right=False),
                Column("found", "rate", data=False, right=True),
                Column("interval", f"{LEVEL:.0%} interval", data=False, right=False),
                *(Column(name, show="never") for name in ("topics", "systems", "alpha", *of_outcomes)),
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
                    *(getattr(o, name) for name in of_outcomes),
                    o.verdict(self.alpha),
                )
                for o in self.outcomes
            ),
            title=self.title,
        )

    def facts(self) -> dict[str, Any]:
        return {
            "model": asdict(self.model),
            "alpha": self.alpha,
            "resamples": self.asked.resamples,
            "seed": self.asked.seed,
            "simulations": self.asked.simulations,
            "level": LEVEL,
        }


def model_like(scores: Scores | None, asked: Simulate) -> ScoreModel:
    """The model to draw from: as asked, and for the rest like the scores, where there are any."""
    topics, systems, topic_sd = 48, 2, 1.0
    if scores is not None:
        matrix = scores.matrix(asked.measure, length=asked.length, form=asked.form)
        topics, systems = len(matrix.topics), len(matrix.systems)
        if systems < 2 or topics < 2:
            raise DataError(
                f"{matrix.measure}: a simulation like these scores needs two systems and two topics"
            )
        variances = components(matrix.values)
        if not variances.residual > 0:
            raise DataError(f"{matrix.measure}: the scores have no noise to simulate")
        topic_sd = math.sqrt(max(variances.topic, 0.0) / variances.residual)
    systems = systems if asked.n_systems is None else asked.n_systems
    return ScoreModel(
        topics=topics if asked.n_topics is None else asked.n_topics,
        means=(asked.difference, *[0.0] * (systems - 1)),
        topic_sd=topic_sd if asked.topic_sd is None else asked.topic_sd,
        noise=asked.noise,
        unequal=asked.unequal,
        uneven=asked.uneven,
        shared=asked.shared,
        missing_half=asked.missing_half,
        step=1.0 if asked.ratings else asked.rounded,
        bounds=RATINGS if asked.ratings else None,
    )


def simulate_model(model: ScoreModel, asked: Simulate) -> Simulation:
    """Draw matrices from a model and run tests on all pairs of systems; a pair is found where p <= alpha.

    Pairs of systems with the same mean give the size, the others the power. With more than two systems it is also
    counted how often any pair is found that does not differ, without a correction and with the one that comparisons
    use, Holm's over the pairs that could be found (Tarone). A test is a
    name such as `wilcoxon`, or `mc:w` and `hb:median` for another statistic than the usual one.
    """
    simulations = asked.simulations
    tests = tuple(dict.fromkeys(map(chosen, asked.tests_run)))
    task = _SimulationTask(model, tests, asked.alpha, asked.resamples, asked.seed)
    sizes = [CHUNK] * (simulations // CHUNK) + [simulations % CHUNK] * (simulations % CHUNK > 0)
    total, least = np.zeros((len(tests), len(_COLUMNS))), np.full(len(tests), np.nan)
    done = run(partial(_chunk, task), list(enumerate(sizes)), workers=asked.workers)
    for number, (counts, smallest) in enumerate(done):
        total += counts
        least = np.fmin(least, smallest)
        asked.progress(sum(sizes[: number + 1]), simulations)
    outcomes = [
        o
        for test, row, smallest in zip(tests, total, least.tolist(), strict=True)
        for o in _outcomes(task, test, row, smallest, simulations)
    ]
    return Simulation(asked=asked, model=model, outcomes=tuple(outcomes))


@dataclass(frozen=True)
class _SimulationTask:
    model: ScoreModel
    tests: tuple[Chosen, ...]
    alpha: float
    resamples: int
    seed: int


_COLUMNS = (
    *("power", "power squared", "size", "size squared", "any", "any-holm", "untested"),
    *(f"{what} reachable" for what in WHATS),
)
FLOORS = 20
"""Simulations of a chunk in which it is looked into what HB could have found, where topics are few."""


def _chunk(task: _SimulationTask, numbered: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Sums over some simulations, tests x columns; and the smallest p that there could have been, by test."""
    number, size = numbered
    matrices = draw(task.model, size, generator(task.seed, "simulate/scores", number))
    sums, least = np.zeros((len(task.tests), len(_COLUMNS))), np.full(len(task.tests), np.nan)
    for k, test in enumerate(task.tests):
        rng = generator(task.seed, f"simulate/{test}", number)
        beside = generator(task.seed, f"simulate/{test}/smallest", number)
        for done, matrix in enumerate(matrices):
            # Every pair of a matrix, as a comparison tests it.
            results = power_search.run(test, matrix, rng, task.resamples)
            untold = Untold(
                results=results,
                family=np.ones(len(results), dtype=np.bool_),
                smallest=smallest_p(results, task.resamples),
                resamples=None if test.statistic is None else task.resamples,
            )
            if test.name == "hb" and task.model.topics <= FEW_TOPICS:
                untold = _hybrid_floor(test, matrix, untold, beside, looked_into=done < FLOORS)
            sums[k] += _found(untold, task)
            least[k] = np.fmin(least[k], np.fmin.reduce(untold.smallest))
    return sums, least


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
