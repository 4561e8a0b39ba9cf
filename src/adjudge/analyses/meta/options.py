"""What a user of a meta-evaluation chooses, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from adjudge.analyses.meta.words import COEFFICIENTS, LEVELS
from adjudge.data.scores import AllLengths, Among
from adjudge.stats.multiple import Correction

if TYPE_CHECKING:
    from adjudge.analyses.meta.better import MeasureTest
    from adjudge.stats.correlation import Coefficient, CorrelationLevel, Resample
    from adjudge.stats.measure_tests import Swap

RESAMPLES = 1000
"""Of intervals, unless a user says a number."""


@dataclass(frozen=True)
class MetaOptions:
    """What a user chose."""

    levels: tuple[CorrelationLevel, ...] = LEVELS
    coefficients: tuple[Coefficient, ...] = COEFFICIENTS
    coefficients_named: bool = False
    """Whether a user named them: then measures are compared with each other by all of these, else by the first."""
    resample: Resample = "all"
    among: tuple[Among, ...] = ("all",)
    test: str = "wilcoxon"
    correct: str = "holm"
    alpha: float = 0.05
    resamples: int | None = None
    """For every part that resamples; None: each part's own number."""
    seed: int = 0
    closer_than: float | None = None
    measure_test: MeasureTest = "permutation"
    swap: Swap = "systems"
    tests: tuple[str, ...] = ()
    """Of discriminative power; empty: the usual ones."""
    by: tuple[str, ...] = ()
    """What slices are by; empty: all that is known."""
    length: int | AllLengths | None = None
    form: str | None = None

    @property
    def interval_resamples(self) -> int:
        """Resamples of an interval."""
        return RESAMPLES if self.resamples is None else self.resamples

    @property
    def compared_by(self) -> tuple[Coefficient, ...]:
        """Coefficients by which measures are compared with each other."""
        return self.coefficients if self.coefficients_named else self.coefficients[:1]

    @property
    def step_correction(self) -> Correction:
        """The correction of parts without Westfall and Young's, which is one of tests of systems: then Holm's."""
        return "holm" if self.correct not in get_args(Correction) else self.correct  # type: ignore[return-value]
