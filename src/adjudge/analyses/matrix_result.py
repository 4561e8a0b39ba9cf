"""What results of one matrix of scores have in common: its measure, and what of the measure it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.core.results import Result
from adjudge.core.table import Cell

if TYPE_CHECKING:
    from adjudge.data.scores import ScoreMatrix


@dataclass(frozen=True, repr=False, kw_only=True)
class MatrixResult(Result):
    """A result of systems on topics, by one measure at one length and in one form."""

    asked: Any
    matrix: ScoreMatrix

    @property
    def alpha(self) -> float:
        return float(self.asked.alpha)

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def target(self) -> dict[str, Cell]:
        """What every row of a table is of."""
        return {"measure": self.measure, "length": self.matrix.target.length, "form": self.matrix.target.form}
