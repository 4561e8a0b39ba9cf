"""How often intervals of correlations with people cover what such studies find on average.

Twelve systems, few topics, three assessors who rate from 1 to 5. Assessors differ in severity, in how much they value
what the measure measures, and in their view of each system; a topic and a system may suit each other, which people
and the measure both see in part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import (
    COEFFICIENTS,
    Coefficient,
    CorrelationLevel,
    Resample,
    all_correlation_intervals,
    all_correlations,
)

SYSTEMS, ASSESSORS = 12, 3
SHOWN: tuple[Coefficient, ...] = COEFFICIENTS[:3]


@dataclass(frozen=True)
class World:
    """Where systems, topics and assessors come from."""

    topics: int = 60
    alike: float = 0.7
    """Correlation of systems' worth for people and for the measure."""
    taste: float = 0.15
    """How far assessors differ in what they value."""
    view: float = 0.15
    """How far they differ on each system."""
    tails: bool = False

    def systems(self, rng: np.random.Generator) -> FloatArray:
        size = (SYSTEMS, 2)
        return rng.standard_t(4, size) / np.sqrt(2) if self.tails else rng.normal(size=size)

    def fresh(self, rng: np.random.Generator) -> Study:
        return Study(
            world=self,
            worth=self.systems(rng),
            level=rng.normal(size=(self.topics, 2)),
            fit=rng.normal(size=(2, self.topics, SYSTEMS)),
            severity=rng.normal(0, 0.3, ASSESSORS),
            taste=rng.normal(0, self.taste, ASSESSORS),
            view=rng.normal(0, self.view, (ASSESSORS, SYSTEMS)),
            mood=rng.normal(0, 0.2, (ASSESSORS, self.topics)),
            slip=rng.normal(0, 0.6, (ASSESSORS, self.topics, SYSTEMS)),
        )


@dataclass(frozen=True)
class Study:
    world: World
    worth: FloatArray
    level: FloatArray
    fit: FloatArray
    severity: FloatArray
    taste: FloatArray
    view: FloatArray
    mood: FloatArray
    slip: FloatArray

    def again(self, resample: Resample, rng: np.random.Generator) -> Study:
        """Another study, of which only what `resample` names is drawn anew."""
        new = self.world.fresh(rng)
        kept = {
            "systems": {
                "level": self.level,
                "severity": self.severity,
                "taste": self.taste,
                "mood": self.mood,
            },
            "inputs": {
                "worth": self.worth,
                "severity": self.severity,
                "taste": self.taste,
                "view": self.view,
            },
            "assessors": {"worth": self.worth, "level": self.level, "fit": self.fit},
            "both": {"severity": self.severity, "taste": self.taste},
            "all": {},
        }
        return replace(new, **kept[resample])

    def scores(self) -> tuple[FloatArray, FloatArray]:
        """The measure, 1 x topics x systems, and people, assessors x topics x systems."""
        alike = self.world.alike
        machine = alike * self.worth[:, 0] + np.sqrt(1 - alike**2) * self.worth[:, 1]
        measure = 0.3 * machine + 0.3 * self.level[:, 1:]
        measure = measure + 0.6 * (0.4 * self.fit[0] + np.sqrt(0.84) * self.fit[1])
        people = 3.5 + 0.4 * self.worth[:, 0] + 0.3 * self.level[:, :1] + 0.5 * self.fit[0] + self.slip
        people = people + self.severity[:, None, None] + self.mood[:, :, None]
        people = people + (self.taste[:, None] * self.worth[:, 1] + self.view)[:, None, :]
        return measure[None], np.clip(np.rint(people), 1, 5)


def found(study: Study, level: CorrelationLevel) -> list[float]:
    measure, people = study.scores()
    values = all_correlations(measure, people.mean(axis=0), level=level, coefficients=SHOWN)
    return [float(values[each].values[0]) for each in SHOWN]


def covered(
    world: World,
    level: CorrelationLevel,
    resample: Resample,
    *,
    studies: int,
    truth_from: int,
    asked: Resample | None = None,
    seed: int = 0,
) -> dict[Coefficient, float]:
    """The share of studies whose interval has the average over studies that draw `resample` anew."""
    rng = np.random.default_rng(seed)
    truth = None
    if resample == "all":  # the same for every study
        truth = np.mean([found(world.fresh(rng), level) for _ in range(truth_from)], axis=0)
    inside = np.zeros(len(SHOWN))
    for _ in range(studies):
        study = world.fresh(rng)
        wanted = truth
        if wanted is None:
            wanted = np.mean([found(study.again(resample, rng), level) for _ in range(truth_from)], axis=0)
        measure, people = study.scores()
        given: dict[str, Any] = {"level": level, "resample": asked or resample, "resamples": 200}
        intervals = all_correlation_intervals(measure, people, coefficients=SHOWN, rng=rng, **given)
        for k, each in enumerate(SHOWN):
            assert intervals[each].why == (None,)
            inside[k] += intervals[each].low[0] <= wanted[k] <= intervals[each].high[0]
    return dict(zip(SHOWN, inside / studies, strict=True))


def test_intervals_cover_in_few_studies() -> None:
    shares = covered(World(topics=30), "system", "all", studies=60, truth_from=400)
    assert min(shares.values()) >= 0.9, shares


@pytest.mark.slow
@pytest.mark.parametrize("level", ["system", "input"])
@pytest.mark.parametrize("resample", ["systems", "inputs", "assessors", "both"])
def test_intervals_cover_what_studies_with_the_rest_the_same_find(
    level: CorrelationLevel, resample: Resample
) -> None:
    shares = covered(World(), level, resample, studies=250, truth_from=60)
    assert min(shares.values()) >= 0.92, shares  # 0.95 less 2.2 standard errors of 250 studies


WORLDS = {
    "plain": World(),
    "nearly one": World(alike=0.95, taste=0.05, view=0.1),
    "unrelated": World(alike=0.0),
    "tastes differ": World(taste=0.3, view=0.05),
    "heavy tails": World(alike=0.85, tails=True),
    "few topics": World(topics=20),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_intervals_cover_what_studies_drawn_anew_find(name: str) -> None:
    shares = covered(WORLDS[name], "system", "all", studies=400, truth_from=4000)
    assert min(shares.values()) >= 0.92, shares


@pytest.mark.slow
@pytest.mark.parametrize("level", ["input", "global"])
def test_intervals_cover_at_other_levels(level: CorrelationLevel) -> None:
    shares = covered(World(), level, "all", studies=300, truth_from=1000)
    assert min(shares.values()) >= 0.92, shares


@pytest.mark.slow
def test_other_systems_alone_do_not_stand_for_other_assessors() -> None:
    """The check can fail: intervals for the same assessors miss what other assessors find."""
    shares = covered(WORLDS["tastes differ"], "system", "all", studies=300, truth_from=4000, asked="systems")
    assert shares["pearson"] < 0.85
