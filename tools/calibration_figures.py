"""Makes the tables and the figure of docs/calibration.md: python -m tools.calibration_figures (about five minutes).

Every number comes from a seed that is written here. tests/stats/power/test_calibration.py runs the same simulations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import bdtr

from adjudge.analyses.simulate import Simulate
from adjudge.analyses.simulate.result import Simulation, simulate_model
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray
from adjudge.stats.multiple import SAME, at_most
from adjudge.stats.paired import untied_p
from adjudge.stats.power.generate import RATINGS, ScoreModel
from adjudge.stats.power.rates import band, normal
from adjudge.stats.power.search import Goal, Sample, Search, chosen
from adjudge.stats.power.sources import Drawn

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "calibration.md"
FIGURE = DOCS / "calibration-sizes.svg"

TOPICS = (10, 23, 48)
SIMULATIONS = 10_000
SEED = 2011
SIZE_TESTS = (
    "t",
    "wilcoxon",
    "mc",
    "mc:w",
    "exact",
    "sign",
    "hb",
    "hb:w",
    "hb:mean",
    "hb:median",
    "mc:median",
    "t-unpaired",
    "welch",
    "hb:t-unpaired",
)

CONDITIONS: dict[str, ScoreModel] = {
    "normal": ScoreModel(48),
    "heavy tails (t with 3 degrees of freedom)": ScoreModel(48, noise="t3"),
    "skewed (gamma)": ScoreModel(48, noise="skewed"),
    "noise of one system 3 times the other's": ScoreModel(48, unequal=3),
    "the same, skewed": ScoreModel(48, noise="skewed", unequal=3),
    "the same, lognormal": ScoreModel(48, noise="lognormal", unequal=3),
    "noise of topics from 1 to 9": ScoreModel(48, uneven=9),
    "one system on half of the topics": ScoreModel(48, missing_half=True),
    "rounded to tenths": ScoreModel(48, step=0.1),
    "ratings from 1 to 5": ScoreModel(48, step=1, bounds=RATINGS),
    "ratings, 10 topics": ScoreModel(10, step=1, bounds=RATINGS),
}
CONDITION_TESTS = ("t", "wilcoxon", "mc", "exact", "sign", "hb", "hb:w", "t-unpaired")
CONDITION_SIMULATIONS = 4000

PLANTED = {10: 1.0, 23: 0.65, 48: 0.45}
"""By how much the first system is better, for each number of topics."""
POWER_TESTS = ("t", "wilcoxon", "mc", "exact", "hb", "hb:w", "sign", "t-unpaired", "welch")
POWER_SIMULATIONS = 4000


def sizes(topics: int) -> Simulation:
    """Without a difference: topics shared, noise normal."""
    return simulate_model(ScoreModel(topics), Simulate(tests=SIZE_TESTS, simulations=SIMULATIONS, seed=SEED))


def condition(name: str) -> Simulation:
    """Without a difference, under conditions that the theory of some tests does not cover."""
    return simulate_model(
        CONDITIONS[name], Simulate(tests=CONDITION_TESTS, simulations=CONDITION_SIMULATIONS, seed=SEED)
    )


def power(topics: int) -> Simulation:
    """With a planted difference."""
    model = ScoreModel(topics, (PLANTED[topics], 0.0))
    return simulate_model(model, Simulate(tests=POWER_TESTS, simulations=POWER_SIMULATIONS, seed=SEED))


def size_rows(found: Sequence[Simulation]) -> Iterator[list[str]]:
    yield ["test", *(f"{s.model.topics} topics" for s in found), "attainable"]
    for test in SIZE_TESTS:
        attained = ""
        if test in ("wilcoxon", "sign", "exact", "mc", "mc:w"):
            attained = ", ".join(_percent(attainable_size(test, s.model.topics)) for s in found)
        yield [_name(found[0], test), *(_percent(s.of(test).rate) for s in found), attained]


def rate_rows(head: str, found: dict[str, Simulation]) -> Iterator[list[str]]:
    """A row for each simulation, a column for each test."""
    first = next(iter(found.values()))
    tests = [o.test for o in first.outcomes]
    yield [head, *(f"`{test}`" for test in tests)]
    for name, each in found.items():
        yield [name, *(_percent(each.of(test).rate) for test in tests)]


def attainable_size(test: str, n: int, alpha: float = 0.05, *, resamples: int = 2000) -> float:
    """How often p <= alpha without a difference, on n continuous scores, for tests whose p-values are steps.

    Of "wilcoxon", "sign" and "exact" none may be near alpha. Random swaps ("mc" of the mean, "mc:w")
    guess at such a p from some swaps, and where it is close to alpha they are wrong about the side at times.
    """
    checks.share("alpha", alpha)
    checks.count("n", n, least=2)
    checks.one_of("test", test, ("wilcoxon", "sign", "exact", "mc", "mc:w"))
    levels = _levels(test, n)
    if not test.startswith("mc"):
        return float(np.max(levels[at_most(levels, alpha)], initial=0.0))
    # Resamples that may reach the observed one: (k + 1) / (R + 1) <= alpha.
    most = math.floor(alpha * (resamples + 1) * (1 + SAME)) - 1
    if most < 0 or levels[0] > alpha * (1 + SAME):
        return 0.0
    return float(np.diff(levels, prepend=0.0) @ bdtr(most, resamples, levels))


def _levels(test: str, n: int) -> FloatArray:
    """The different p-values that there can be, ascending; the chance of at most p is p, for each of them."""
    if test == "sign":
        return np.unique(np.minimum(2 * bdtr(np.arange(n), n, 0.5), 1.0))
    if test in ("wilcoxon", "mc:w"):
        sums = np.arange(n * (n + 1) // 2 + 1)
        return np.unique(untied_p(np.full(sums.size, n), 2 * sums, "two-sided"))
    # All swaps are as likely, and each has a mirror image; a million steps are as good as more.
    swaps = 1 << min(n - 1, 20)
    return np.arange(1, swaps + 1) / swaps


@dataclass(frozen=True)
class Shape:
    """Differences with a density of their own, made as wide as `spread`; a source of simulated pairs."""

    unit: Callable[[np.random.Generator, tuple[int, int]], FloatArray]
    spread: float = 1.0
    topic_sd: float = 0.0
    largest: float = math.inf

    def draw(self, topics: int, simulations: int, rng: np.random.Generator) -> Drawn:
        apart = self.spread * self.unit(rng, (simulations, topics))
        return Drawn(np.zeros_like(apart), apart)


def _parabola(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """On the parabola's density: the middle of three uniform numbers, which has the variance 1/5."""
    return np.median(rng.uniform(-1, 1, (*shape, 3)), axis=2) * math.sqrt(5)


Density = Callable[[float], float]

LEAST = 108 / 125
"""No density has less: Hodges and Lehmann 1956. The parabola `epanechnikov` has just that."""


def efficiency(density: Density, *, width: float = math.inf) -> float:
    """The asymptotic relative efficiency of W to T^p for differences with a density that is symmetric about 0.

    12 variance (integral of density^2)^2: with n topics W finds about what T^p finds with so many times n. Rankel
    et al. 2011, section 3; Randles and Wolfe 1979, section 5.4. `width` is where the density ends, on either side.
    Infinite where the variance is: then T^p finds next to nothing.
    """
    from scipy.integrate import quad

    def half(f: Callable[[float], float]) -> float:
        return float(quad(f, 0, width, limit=200, epsabs=0, epsrel=1e-10)[0])

    variance = 2 * half(lambda z: z * z * density(z))
    return 12 * variance * (2 * half(lambda z: density(z) ** 2)) ** 2


def logistic(z: float) -> float:
    e = math.exp(-abs(z))
    return e / (1 + e) ** 2


def laplace(z: float) -> float:
    return math.exp(-abs(z)) / 2


def uniform(z: float) -> float:
    return 0.5 if abs(z) <= 1 else 0.0


def student3(z: float) -> float:
    """Student's t with 3 degrees of freedom."""
    return 2 / (math.pi * math.sqrt(3) * (1 + z * z / 3) ** 2)


def epanechnikov(z: float) -> float:
    """The parabola on which W is at its worst."""
    return 0.75 * max(1 - z * z, 0.0)


DENSITIES: dict[str, tuple[Density, float, Shape]] = {
    "parabola": (epanechnikov, 1.0, Shape(_parabola)),
    "normal": (normal, math.inf, Shape(lambda rng, shape: rng.standard_normal(shape))),
    "uniform": (uniform, 1.0, Shape(lambda rng, shape: rng.uniform(-math.sqrt(3), math.sqrt(3), shape))),
    "logistic": (
        logistic,
        math.inf,
        Shape(lambda rng, shape: rng.logistic(size=shape) * math.sqrt(3) / math.pi),
    ),
    "double exponential": (
        laplace,
        math.inf,
        Shape(lambda rng, shape: rng.laplace(size=shape) / math.sqrt(2)),
    ),
    "t with 3 degrees of freedom": (
        student3,
        math.inf,
        Shape(lambda rng, shape: rng.standard_t(3, shape) / math.sqrt(3)),
    ),
}
EFFICIENCY_TOPICS = (23, 48, 500)
EFFICIENCY_SIMULATIONS = 40_000
EFFICIENCY_TOLERANCE = 0.0005


def theory(name: str) -> float:
    """The asymptotic relative efficiency of W to T^p."""
    density, width, _ = DENSITIES[name]
    return efficiency(density, width=width)


def simulated_efficiency(name: str, topics: int) -> float:
    """What share of the topics T^p needs for what W finds: the smallest differences' ratio, squared.

    Both tests see the same draws, so that the ratio is known better than either.
    """
    shape = DENSITIES[name][2]
    t, w = (
        Search(
            Goal(chosen(test)),
            Sample(chosen(test), shape, SEED, EFFICIENCY_SIMULATIONS),
            EFFICIENCY_TOLERANCE,
        )
        .difference(topics)
        .value
        for test in ("t", "wilcoxon")
    )
    return (t / w) ** 2


def efficiency_rows() -> Iterator[list[str]]:
    yield ["density of the differences", "theory", *(f"{n} topics" for n in EFFICIENCY_TOPICS)]
    for name in DENSITIES:
        yield [
            name,
            f"{theory(name):.3f}",
            *(f"{simulated_efficiency(name, n):.3f}" for n in EFFICIENCY_TOPICS),
        ]


def table(rows: Iterator[list[str]]) -> str:
    """Markdown, with numbers to the right."""
    head, *body = rows
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(['---', *['---:'] * (len(head) - 1)])}|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in body)])


def put(page: str, name: str, text: str) -> str:
    """The page with a table in its place."""
    found = re.subn(
        rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: f"{m[1]}{text}\n{m[2]}", page, flags=re.DOTALL
    )
    assert found[1] == 1, f"the page has no place for {name}"
    return found[0]


def figure(found: Sequence[Simulation]) -> str:
    """Dots for sizes on a line from 0 to 7 %, and the band where a size of 5 % would be."""
    left, right, row, top = 215, 585, 20, 34
    height = top + row * len(SIZE_TESTS) + 34

    def x(rate: float) -> float:
        return round(left + (right - left) * rate / 0.07, 1)

    low, high = band(0.05, SIMULATIONS)
    shapes = {10: "M-4,-4h8v8h-8z", 23: "M0,-5l5,9h-10z", 48: "M0,-4.5a4.5,4.5 0 1 0 .01,0z"}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + 20} {height}" font-family="sans-serif"'
        ' font-size="12" fill="#777">',
        "<title>Sizes of the tests at alpha 5 %, with 10, 23 and 48 topics, and the 99 % band</title>",
        f'<rect x="{x(low)}" y="{top - 8}" width="{x(high) - x(low):.1f}" height="{height - top - 18}" fill="#4a90d9"'
        ' opacity="0.25"/>',
    ]
    for k, n in enumerate(TOPICS):
        parts.append(f'<path transform="translate({left + 110 * k},12)" d="{shapes[n]}"/>')
        parts.append(f'<text x="{left + 110 * k + 9}" y="16">{n} topics</text>')
    for k, test in enumerate(SIZE_TESTS):
        y = top + row * k + 6
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{_name(found[0], test)}</text>')
        parts.append(f'<path d="M{left},{y}H{right}" stroke="#777" stroke-width="0.3"/>')
        for each in found:
            shape = shapes[each.model.topics]
            parts.append(
                f'<path transform="translate({x(each.of(test).rate)},{y})" d="{shape}" opacity="0.8"/>'
            )
    for tick in range(8):
        parts.append(f'<text x="{x(tick / 100)}" y="{height - 8}" text-anchor="middle">{tick} %</text>')
    return "\n".join([*parts, "</svg>", ""])


def _name(found: Simulation, test: str) -> str:
    return found.of(test).words


def _percent(rate: float) -> str:
    return f"{100 * rate:.2f}"


def main() -> None:
    by_topics = [sizes(n) for n in TOPICS]
    page = PAGE.read_text(encoding="utf-8")
    page = put(page, "sizes", table(size_rows(by_topics)))
    page = put(
        page, "conditions", table(rate_rows("without a difference", {c: condition(c) for c in CONDITIONS}))
    )
    planted = {f"{n} topics, difference {d:g}": power(n) for n, d in PLANTED.items()}
    page = put(page, "power", table(rate_rows("with a difference", planted)))
    page = put(page, "efficiency", table(efficiency_rows()))
    PAGE.write_text(page, encoding="utf-8", newline="\n")
    FIGURE.write_text(figure(by_topics), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
