"""Scores drawn from a model: topics, systems, noise, missing cells, rounding. Draws from real scores: sources.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from adjudge.core.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import FloatArray

Noise = Literal["normal", "t3", "uniform", "skewed", "lognormal"]
NOISES: tuple[Noise, ...] = get_args(Noise)
RATINGS = (1.0, 5.0)
FURTHEST = 1e6
"""Of differences, widths and ratios, in units of the noise: beyond, rounding comes near the noise."""


@dataclass(frozen=True)
class ScoreModel:
    """score = mean of the system + effect of the topic + noise. Rankel et al. 2011, section 2.

    Topic effects are normal and shared by all systems, so that scores of two systems depend on each other. Noise
    has mean 0; its root mean square over systems and topics is 1, which is the unit of everything else.
    """

    topics: int = 48
    means: tuple[float, ...] = (0.0, 0.0)
    """One for each system."""
    topic_sd: float = 1.0
    noise: Noise = "normal"
    """Skewed is a gamma distribution of shape 2, with skewness 1.4; that of the lognormal one is 6.2."""
    unequal: float = 1.0
    """The noise of the last system over that of the first; those between are in equal steps."""
    uneven: float = 1.0
    """The noise of the noisiest topic over that of the quietest; every topic is somewhere between."""
    shared: float = 0.0
    """The correlation of two systems' noise on a topic, beyond what the topic's effect gives both."""
    missing_half: bool = False
    """Every second system lacks a half of the topics, each another one, at random."""
    step: float | None = None
    """Scores are rounded to multiples of this."""
    bounds: tuple[float, float] | None = None
    """Scores are kept within these, and centred between them."""

    def __post_init__(self) -> None:
        checks.count("topics", self.topics, least=1)
        checks.one_of("noise", self.noise, NOISES)
        if len(self.means) < 2:
            raise UsageError(f"means: expected two systems or more, got {len(self.means)}")
        for name in ("unequal", "uneven", "step"):
            value = getattr(self, name)
            if value is not None and not (value > 0 and math.isfinite(value)):
                raise UsageError(f"{name}: expected a number above 0, got {value!r}")
            if value is not None and not 1 / FURTHEST <= value <= FURTHEST:
                raise UsageError(f"{name}: expected {1 / FURTHEST:g} to {FURTHEST:,.0f}, got {value:g}")
        if not (self.topic_sd >= 0 and math.isfinite(self.topic_sd)):
            raise UsageError(f"topic_sd: expected a number of at least 0, got {self.topic_sd!r}")
        if self.topic_sd > FURTHEST:
            raise UsageError(
                f"topic_sd: expected at most {FURTHEST:,.0f} times the noise, got {self.topic_sd:g}"
            )
        if not all(math.isfinite(mean) for mean in self.means):
            raise UsageError(f"means: expected numbers, got {self.means}")
        if (largest := max(self.means, key=abs)) and abs(largest) > FURTHEST:
            raise UsageError(
                f"a difference of {largest:g} is too large: expected at most {FURTHEST:,.0f} times the noise"
            )
        least = -1 / (self.systems - 1)
        if not least <= self.shared < 1:
            raise UsageError(f"shared: expected a correlation from {least:.3g} to below 1, got {self.shared}")
        if self.bounds is not None and not all(abs(bound) <= FURTHEST for bound in self.bounds):
            raise UsageError(f"bounds: expected numbers within {FURTHEST:,.0f}, got {self.bounds}")
        if self.bounds is not None and not self.bounds[0] < self.bounds[1]:
            raise UsageError(f"bounds: expected the lower one first, got {self.bounds}")

    @property
    def systems(self) -> int:
        return len(self.means)

    @property
    def signature(self) -> str:
        """Everything but the topics and means."""
        parts = [f"noise:{self.noise}", f"topic-sd:{self.topic_sd:g}"]
        parts += [
            f"{name}:{getattr(self, name):g}" for name in ("unequal", "uneven") if getattr(self, name) != 1
        ]
        parts += [f"shared:{self.shared:g}"] if self.shared else []
        parts += ["missing:half"] if self.missing_half else []
        parts += [f"round:{self.step:g}"] if self.step else []
        parts += [f"within:{self.bounds[0]:g}-{self.bounds[1]:g}"] if self.bounds else []
        return "|".join(parts)


def draw(model: ScoreModel, simulations: int, rng: np.random.Generator) -> FloatArray:
    """So many score matrices, simulations x topics x systems; NaN where a score is missing."""
    checks.count("simulations", simulations, least=0)
    shape = (simulations, model.topics, model.systems)
    scores: FloatArray = model.topic_sd * rng.standard_normal((*shape[:2], 1))
    noise = unit_noise(model.noise, shape, rng)
    if model.shared:
        # The symmetric root of the correlation matrix whose entries off the diagonal are all the same.
        systems = model.systems
        apart, common = math.sqrt(1 - model.shared), math.sqrt(1 + (systems - 1) * model.shared)
        noise = noise @ (apart * np.eye(systems) + (common - apart) / systems)
    if model.unequal != 1:
        sizes = model.unequal ** np.linspace(0, 1, model.systems)
        noise *= sizes / math.sqrt(float(np.mean(sizes**2)))
    if model.uneven != 1:
        sizes = model.uneven ** rng.uniform(-0.5, 0.5, (*shape[:2], 1))
        # The mean of sizes**2, by integration.
        noise *= sizes / math.sqrt((model.uneven - 1 / model.uneven) / (2 * math.log(model.uneven)))
    scores = scores + noise + np.array(model.means)
    if model.bounds is not None:
        scores += sum(model.bounds) / 2
    if model.step is not None:
        step = model.step
        parts = round(1 / step)
        if parts and abs(parts * step - 1) < 1e-12:
            scores = np.rint(scores * parts) / parts
        else:
            scores = np.rint(scores / step) * step
    if model.bounds is not None:
        scores = np.clip(scores, *model.bounds)
    if model.missing_half:
        some = scores[:, :, 1::2]
        order = np.argsort(rng.random(some.shape), axis=1)
        kept = -(-scores.shape[1] // 2)
        some[order >= kept] = np.nan
    return scores


def unit_noise(noise: Noise, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Independent noise with mean 0 and standard deviation 1."""
    match noise:
        case "normal":
            return rng.standard_normal(shape)
        case "t3":
            return rng.standard_t(3, shape) / math.sqrt(3)
        case "uniform":
            return rng.uniform(-math.sqrt(3), math.sqrt(3), shape)
        case "skewed":
            return (rng.standard_gamma(2, shape) - 2) / math.sqrt(2)
        case "lognormal":
            return (rng.lognormal(size=shape) - math.exp(0.5)) / math.sqrt((math.e - 1) * math.e)
