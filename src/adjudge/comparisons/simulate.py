"""Size and power of tests by simulation: a model of scores in, how often each test finds something out.

Scores are drawn by stats/power/generate.py, and the tests are the ones that comparisons run. What a user's own
scores can find is in plan.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from adjudge import __version__
from adjudge.engine import Workers, generator, run
from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.multiple import adjust
from adjudge.stats.paired import TEST_WORDS
from adjudge.stats.pairs import columns_of_pairs
from adjudge.stats.power import search as power_search
from adjudge.stats.power.generate import ScoreModel as Model
from adjudge.stats.power.generate import draw
from adjudge.stats.power.rates import LEVEL, Rate
from adjudge.stats.power.search import Chosen, chosen
from adjudge.stats.resampling.engine import RESAMPLES
from adjudge.wording import counted

if TYPE_CHECKING:
    import pandas as pd

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
    "any-holm": "any that does not, Holm-corrected",
}
_OF_TWO = {
    "power": "By {test} the difference is found in {rate} of {simulations}",
    "size": "By {test} a difference that is not there is found in {rate} of {simulations}",
}
_OF_MANY = {
    "power": "By {test} {rate} of the pairs that differ are found, over {simulations}",
    "size": "By {test} {rate} of the pairs that do not differ are found, over {simulations}",
    "any": "By {test} some pair that does not differ is found in {rate} of {simulations}",
    "any-holm": "By {test}, Holm-corrected, some pair that does not differ is found in {rate} of {simulations}",
}


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

    def verdict(self, alpha: float) -> str:
        """Whether an error is as frequent as alpha says, as far as the simulations can tell."""
        if self.what == "power":
            return ""
        if self.low > alpha:
            return "too often"
        return "conservative" if self.high < alpha else "agrees with alpha"


@dataclass(frozen=True)
class Simulation:
    """What the tests found, and where. Frozen."""

    model: Model
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
            said = forms[o.what].format(
                test=o.words, rate=percent(o.rate), simulations=counted(o.simulations, "simulation")
            )
            verdict = f": {o.verdict(self.alpha)}" if o.what == "size" else ""
            interval = f"{LEVEL:.0%} interval {percent(o.low)} to {percent(o.high)}".replace("%", " %", 1)
            yield f"{said} ({interval}){verdict}."

    def warnings(self) -> list[str]:
        """Which tests had pairs without a result."""
        lost = {o.words: o.untested for o in self.outcomes if o.untested}
        return [f"{name}: {counted(n, 'pair')} could not be tested" for name, n in lost.items()]

    def to_frame(self) -> pd.DataFrame:
        """A row per test, and per sort of finding where there are several."""
        import pandas as pd

        about = {"topics": self.model.topics, "systems": self.model.systems, "alpha": self.alpha}
        rows = [about | asdict(o) | {"verdict": o.verdict(self.alpha)} for o in self.outcomes]
        return pd.DataFrame(rows).drop(columns="words")

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json."""
        return {
            "model": asdict(self.model),
            "alpha": self.alpha,
            "resamples": self.resamples,
            "seed": self.seed,
            "simulations": self.simulations,
            "level": LEVEL,
            "signature": self.signature,
            "outcomes": [_json(asdict(o) | {"verdict": o.verdict(self.alpha)}) for o in self.outcomes],
            "sentences": list(self.sentences()),
            "warnings": self.warnings(),
        }


@dataclass(frozen=True)
class _Task:
    model: Model
    tests: tuple[Chosen, ...]
    alpha: float
    resamples: int
    seed: int


def simulate(
    model: Model,
    tests: Sequence[str] = TESTS,
    *,
    simulations: int = SIMULATIONS,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    workers: Workers = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Draw matrices from a model and run tests on all pairs of systems; a pair is found where p < alpha.

    Pairs of systems with the same mean give the size, the others the power. With more than two systems it is also
    counted how often any pair is found that does not differ, with and without Holm's correction. A test is a
    name such as `wilcoxon`, or `mc:w` and `hb:median` for another statistic than the usual one.
    """
    task = _Task(model, tuple(dict.fromkeys(map(chosen, tests))), alpha, resamples, seed)
    _check(task, simulations)
    sizes = [CHUNK] * (simulations // CHUNK) + [simulations % CHUNK] * (simulations % CHUNK > 0)
    total = np.zeros((len(task.tests), len(_COLUMNS)))
    for number, counts in enumerate(run(partial(_chunk, task), list(enumerate(sizes)), workers=workers)):
        total += counts
        if progress is not None:
            progress(sum(sizes[: number + 1]), simulations)
    outcomes = [
        o
        for test, row in zip(task.tests, total, strict=True)
        for o in _outcomes(task, test, row, simulations)
    ]
    return Simulation(model, tuple(outcomes), alpha, resamples, seed)


_COLUMNS = ("power", "power squared", "size", "size squared", "any", "any-holm", "untested")


def _check(task: _Task, simulations: int) -> None:
    checks.count("simulations", simulations, least=1)
    checks.count("resamples", task.resamples, least=1)
    checks.share("alpha", task.alpha)
    if not task.tests:
        raise UsageError("no test to simulate")


def _chunk(task: _Task, numbered: tuple[int, int]) -> FloatArray:
    """Sums over some simulations, tests x columns."""
    number, size = numbered
    matrices = draw(task.model, size, generator(task.seed, "simulate/scores", number))
    differ = _differing(task.model)
    sums = np.zeros((len(task.tests), len(_COLUMNS)))
    for test, row in zip(task.tests, sums, strict=True):
        rng = generator(task.seed, f"simulate/{test}", number)
        for matrix in matrices:
            row += _found(power_search.run(test, matrix, rng, task.resamples).p, differ, task.alpha)
    return sums


def _differing(model: Model) -> BoolArray:
    first, second = columns_of_pairs(model.systems)
    means = np.array(model.means)
    differ: BoolArray = means[first] != means[second]
    return differ


def _found(p: FloatArray, differ: BoolArray, alpha: float) -> FloatArray:
    """What one simulation adds to the columns."""
    found = p < alpha  # a NaN is not below anything
    power, size = (found[of].mean() if of.any() else 0.0 for of in (differ, ~differ))
    # Holm over all pairs, as a comparison does it; with two systems there is one.
    corrected = adjust(p, "holm") < alpha if p.size > 1 else found
    any_false = found[~differ].any(), corrected[~differ].any()
    return np.array(
        [power, power**2, size, size**2, *any_false, np.count_nonzero(np.isnan(p))], dtype=np.float64
    )


def _outcomes(task: _Task, test: Chosen, row: FloatArray, simulations: int) -> Iterator[Outcome]:
    differ, many = _differing(task.model), task.model.systems > 2
    wanted = {"power": differ.any(), "size": not differ.all(), "any": many and not differ.all()}
    wanted["any-holm"] = wanted["any"]
    untested = int(row[_COLUMNS.index("untested")])
    for what in WHATS:
        if wanted[what]:
            at = _COLUMNS.index(what)
            squares = row[at + 1] if many and what in ("power", "size") else None
            rate = _rate(row[at], squares, simulations)
            yield Outcome(str(test), test.words, what, *rate, simulations, untested)


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


def percent(share: float, digits: int = 1) -> str:
    """`5.0 %`"""
    return f"{100 * share:.{digits}f} %"


def _json(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}
