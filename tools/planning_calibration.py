"""Makes the table "Planning" of docs/calibration.md: python -m tools.planning_calibration (some minutes).

Plans are made from many topics, so that the spread is known; then new scores are drawn with as many topics as the plan
asks for, and compared as `adjudge.compare` does. tests/calibration/test_plan_calibration.py runs the same simulations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.special import ndtr
from tools.calibration_figures import PAGE, put, table

from adjudge.analyses.compare import Compare
from adjudge.analyses.compare.pairs import compare_matrix
from adjudge.analyses.plan import Plan
from adjudge.analyses.plan.result import Compared, PowerPlan, plan_of_matrix
from adjudge.data.scores import MeasureInfo, Score, ScoreMatrix, ScoreTable
from adjudge.stats.checks import FloatArray
from adjudge.stats.power.generate import RATINGS, ScoreModel, draw
from adjudge.stats.power.rates import Rate
from adjudge.stats.power.sources import spreads

PILOT = 400
"""Topics that a plan is made from."""
PLANNED = 4000
"""Simulations of a plan."""
COMPARISONS = 1000
SEED = 13
PLACES = (-0.6, -0.3, -0.1, 0.1, 0.3, 0.6)


@dataclass(frozen=True)
class Case:
    """Systems with these means, and a difference to be found between two of such systems."""

    model: ScoreModel
    difference: float
    test: str = "wilcoxon"


CASES: dict[str, Case] = {
    "normal, 6 systems": Case(ScoreModel(PILOT, PLACES), 0.6),
    "the same, paired t": Case(ScoreModel(PILOT, PLACES), 0.6, "t"),
    "the same, sign test": Case(ScoreModel(PILOT, PLACES), 0.6, "sign"),
    "heavy tails": Case(ScoreModel(PILOT, PLACES, noise="t3"), 0.6),
    "few topics": Case(ScoreModel(PILOT, PLACES), 2.5),
    "ratings from 1 to 5": Case(ScoreModel(PILOT, (0.0,) * 6, step=1.0, bounds=RATINGS), 0.5),
    "ratings at the ceiling": Case(ScoreModel(PILOT, (1.5,) * 6, step=1.0, bounds=RATINGS), 0.3),
}


@dataclass(frozen=True)
class Kept:
    """What a plan promised, and what comparisons of so many topics found."""

    topics: int
    promised: float
    found: Rate


def exact_spread(name: str) -> bool:
    """Whether a pilot can be given the true spread.

    Ratings cannot be scaled. With heavy tails a few topics decide the standard deviation, so that of 400 topics says
    little of how wide the others are.
    """
    model = CASES[name].model
    return model.step is None and model.noise == "normal"


@cache
def planned(name: str) -> PowerPlan:
    """The plan for a case."""
    case = CASES[name]
    (pilot,) = draw(case.model, 1, np.random.default_rng([SEED, 0, list(CASES).index(name)]))
    if exact_spread(name):  # the spread as it is, not as these topics have it
        pilot *= math.sqrt(2) / spreads(pilot).quantile(0.5)
    asked = Plan(difference=case.difference, test=case.test, simulations=PLANNED, seed=SEED)
    return plan_of_matrix(matrix(pilot), asked, tests=())


def kept(name: str, compared: Compared, comparisons: int = COMPARISONS) -> Kept:
    """Draw as many topics as the plan says, and compare."""
    case, plan = CASES[name], planned(name)
    need = plan.need(case.test, compared)
    assert need is not None
    assert need.topics is not None
    topics = int(need.topics.value)
    promised = need.powers[plan.sizes.index(topics)].rate
    rng = np.random.default_rng([SEED, 1, ROWS.index((name, compared))])
    return Kept(topics, promised, found_on(case, compared, topics, comparisons, rng))


def found_on(case: Case, compared: Compared, topics: int, comparisons: int, rng: np.random.Generator) -> Rate:
    """How often a comparison of so many topics finds the planted difference."""
    choices = Compare(test=case.test, resamples=1)
    found = 0
    for scores in planted(case, compared, topics, comparisons, rng):
        result = compare_matrix(matrix(scores), choices)
        found += any({pair.a, pair.b} == {"s0", "s1"} and pair.different for pair in result.pairs[case.test])
    return Rate(found, comparisons)


def planted(
    case: Case, compared: Compared, topics: int, comparisons: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Scores in which the first system is better than the second; the others lie between, or anywhere."""
    places = np.array(case.model.means)
    half = latent(case) / 2
    for _ in range(comparisons):
        means = [half, -half]
        if compared == "all":
            means += [0.0] * (places.size - 2)
        if compared == "typical":
            means += (rng.choice(places, places.size - 2) - rng.choice(places)).tolist()
        middle = float(places.mean())
        model = replace(case.model, topics=topics, means=tuple(middle + mean for mean in means))
        (scores,) = draw(model, 1, rng)
        yield scores


def latent(case: Case) -> float:
    """How far means must be apart before rounding, for scores whose means are as far apart as the difference."""
    model = case.model
    if model.bounds is None:
        return case.difference
    low, high = model.bounds
    middle, sd = (low + high) / 2 + float(np.mean(model.means)), math.hypot(1, model.topic_sd)
    cuts = np.arange(low, high) + 0.5

    def gap(apart: float) -> float:
        return float(np.sum(ndtr((middle + apart / 2 - cuts) / sd) - ndtr((middle - apart / 2 - cuts) / sd)))

    below, above = 0.0, 10.0
    while above - below > 1e-9:
        at = (below + above) / 2
        below, above = (at, above) if gap(at) < case.difference else (below, at)
    return above


def matrix(scores: FloatArray) -> ScoreMatrix:
    topics, systems = (
        tuple(f"{letter}{k}" for k in range(size)) for letter, size in zip("ts", scores.shape, strict=True)
    )
    return ScoreMatrix(scores, np.ones(scores.shape), topics, systems, MeasureInfo("score"))


# Several assessors of two systems. A difference varies over topics, over assessors whatever the topic, and beside both.

JUDGED_TOPICS, ASSESSORS, JUDGED_DIFFERENCE = 60, 3, 0.5
TOPIC_SD, OWN_SD, REST_SD = 0.7, 0.6, 1.0


def pilot_judged() -> tuple[ScoreTable, PowerPlan]:
    """Judgments whose estimated variances are the true ones, and the plan that is made of them."""
    rng = np.random.default_rng([SEED, 2])
    shape = (JUDGED_TOPICS, ASSESSORS)
    topic, own, rest = rng.normal(size=(shape[0], 1)), rng.normal(size=shape[1]), rng.normal(size=shape)
    rest = rest - rest.mean(axis=0) - rest.mean(axis=1, keepdims=True) + rest.mean()
    rest *= REST_SD * math.sqrt((shape[0] - 1) * (shape[1] - 1) / np.square(rest).sum())
    topic = (topic - topic.mean()) / topic.std(ddof=1) * math.hypot(TOPIC_SD, REST_SD / math.sqrt(shape[1]))
    own = (own - own.mean()) / own.std(ddof=1) * math.hypot(OWN_SD, REST_SD / math.sqrt(shape[0]))
    table = judged_table(topic + own + rest, rng)
    scores = table.matrix("overall")
    asked = Plan(difference=JUDGED_DIFFERENCE, simulations=PLANNED, seed=SEED)
    return table, plan_of_matrix(scores, asked, judgments=table.judgments(scores), tests=())


def judged(rng: np.random.Generator, own: FloatArray | None = None) -> FloatArray:
    """New topics, seen by new assessors or by those with these likings: what each sees of the difference."""
    shape = (JUDGED_TOPICS, ASSESSORS)
    likings = rng.normal(0, OWN_SD, shape[1]) if own is None else own
    seen = (
        JUDGED_DIFFERENCE + rng.normal(0, TOPIC_SD, (shape[0], 1)) + likings + rng.normal(0, REST_SD, shape)
    )
    return np.asarray(seen)


def judged_table(seen: FloatArray, rng: np.random.Generator) -> ScoreTable:
    """Judgments of two systems, by assessors who are more or less strict, on topics that are more or less easy."""
    level = rng.normal(size=(len(seen), 1)) + rng.normal(size=seen.shape[1]) + rng.normal(size=seen.shape)
    return ScoreTable.from_rows(
        [
            Score("overall", f"t{t}", system, float(level[t, a] + side * seen[t, a] / 2), assessor=f"a{a}")
            for t, a in np.ndindex(seen.shape)
            for system, side in (("s0", 1), ("s1", -1))
        ]
    )


ROWS: tuple[tuple[str, Compared], ...] = (
    ("normal, 6 systems", "all"),
    ("normal, 6 systems", "typical"),
    ("normal, 6 systems", "one"),
    ("the same, paired t", "typical"),
    ("the same, sign test", "typical"),
    ("heavy tails", "all"),
    ("heavy tails", "typical"),
    ("few topics", "all"),
    ("ratings from 1 to 5", "all"),
    ("ratings from 1 to 5", "one"),
    ("ratings at the ceiling", "all"),
    ("ratings at the ceiling", "one"),
)
WORDS = {
    "all": "15 pairs, others between the two",
    "typical": "15 pairs, others as planned",
    "one": "one pair",
}


def rows() -> Iterator[list[str]]:
    yield ["scores, difference", "compared", "topics", "promised", "found"]
    for name, compared in ROWS:
        each = kept(name, compared)
        about = f"{name}, {CASES[name].difference:g}"
        shares = (f"{100 * share:.1f}" for share in (each.promised, each.found.rate))
        yield [about, WORDS[compared], str(each.topics), *shares]


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(put(page, "planning", table(rows())), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
