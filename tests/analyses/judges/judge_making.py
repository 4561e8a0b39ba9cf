"""Benches made of a truth, assessors who see it with errors, lengths and measures that know a part of it."""

from __future__ import annotations

import numpy as np

from adjudge.analyses.judges.bench import AspectBench
from adjudge.stats.checks import FloatArray

SCALE = (1.0, 2.0, 3.0, 4.0, 5.0)


def made_bench(
    rng: np.random.Generator,
    *,
    topics: int,
    systems: int = 6,
    people: int = 3,
    error: float = 0.8,
    judge_error: float = 0.8,
    length: float = 0.3,
    measures: tuple[float, ...] = (0.5, 0.3),
    skew: float = 0.0,
) -> AspectBench:
    """Answers from 1 to 5; with a `skew` of 2.5 most are 5. The judge is one more assessor, with its own errors.

    `length` and `measures` say how far the words and automatic measures m0, m1, ... correlate with the truth.
    """
    topic, system = np.repeat(np.arange(topics), systems), np.tile(np.arange(systems), topics)
    truth = (
        rng.normal(size=topics)[topic] * 0.5
        + rng.normal(size=systems)[system] * 0.5
        + rng.normal(size=topic.size) * 0.7
    )

    def answers(error: float) -> FloatArray:
        seen = truth + error * rng.normal(size=truth.size) + skew
        given: FloatArray = np.clip(np.round(seen * 1.2 + 3), 1, 5)
        return given

    def related(share: float) -> FloatArray:
        own = rng.normal(size=topics)[topic] * 0.5 + rng.normal(size=topic.size)
        return np.asarray(share * truth + np.sqrt(1 - share**2) * own)

    return AspectBench(
        judge="one more",
        aspect="relevance",
        source=None,
        topics=tuple(f"t{k}" for k in topic),
        clusters=tuple(f"t{k}" for k in topic),
        systems=tuple(f"s{k}" for k in system),
        sides=(None,) * topic.size,
        people=tuple(f"a{k + 1}" for k in range(people)),
        answers=np.stack([answers(error) for _ in range(people)], axis=1),
        judge_answers=answers(judge_error),
        categories=SCALE,
        words=np.round(60 + 15 * related(length)),
        measures={f"m{k}": related(share) for k, share in enumerate(measures)},
    )


def copy_of(bench: AspectBench, values: FloatArray) -> FloatArray:
    """What a judge answers that looks at a number alone, and gives each answer as often as people do."""
    there: FloatArray = np.sort(bench.answers[~np.isnan(bench.answers)])
    rank = (np.argsort(np.argsort(values)) + 0.5) / values.size
    given: FloatArray = there[(rank * there.size).astype(int)]
    return given
