"""How a dossier is computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.engine import generator


@dataclass(frozen=True)
class JudgeOptions:
    """What every part of a dossier takes."""

    alpha: float = 0.05
    resamples: int = 1000
    """Of clusters of topics."""
    seed: int = 0
    epsilon: float = 0.2
    """How much cheaper or quicker a judge is than an assessor, as a share of agreement that it may lose
    (Calderon et al. 2025)."""
    margin: float = 0.1
    """How far below an assessor's agreement a judge's may lie and still be like an assessor's."""

    family: str = ""
    """A part of the names of systems that judges may favour; without it, what their cards say."""

    @property
    def level(self) -> float:
        return 1 - self.alpha

    def rng(self, what: str) -> np.random.Generator:
        return generator(self.seed, f"judges/{what}")
