"""What a user of a meta-evaluation chooses, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.comparisons.scores import Among
from adjudge.data.scores import AllLengths
from adjudge.trust.meta.words import COEFFICIENTS, LEVELS

if TYPE_CHECKING:
    from adjudge.stats.correlation import Coefficient, CorrelationLevel, Resample
    from adjudge.stats.measure_tests import Swap
    from adjudge.trust.meta.better import MeasureTest

RESAMPLES = 1000


@dataclass(frozen=True)
class MetaOptions:
    """What a user chose."""

    levels: tuple[CorrelationLevel, ...] = LEVELS
    coefficients: tuple[Coefficient, ...] = COEFFICIENTS
    resample: Resample = "all"
    among: tuple[Among, ...] = ("all",)
    test: str = "wilcoxon"
    correct: str = "holm"
    alpha: float = 0.05
    resamples: int = RESAMPLES
    seed: int = 0
    closer_than: float | None = None
    measure_test: MeasureTest = "permutation"
    swap: Swap = "systems"
    length: int | AllLengths | None = None
    form: str | None = None
