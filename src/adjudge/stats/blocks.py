"""Columns compared row by row: Friedman where no cell is missing, else Skillings-Mack. Computes nothing itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.stats import checks
from adjudge.stats.friedman import Friedman, friedman
from adjudge.stats.skillings_mack import SkillingsMack, skillings_mack


@dataclass(frozen=True)
class Blocked:
    """Both tests of one matrix, its rows being blocks."""

    rows: int
    """Rows with any score."""
    friedman: Friedman
    """On the complete rows."""
    skillings_mack: SkillingsMack
    """On all rows with two scores."""

    @property
    def complete(self) -> bool:
        """Whether every column with scores has one in every row with scores."""
        return self.friedman.n == self.rows

    @property
    def test(self) -> Friedman | SkillingsMack:
        """The one that uses every score."""
        return self.friedman if self.complete else self.skillings_mack

    @property
    def name(self) -> str:
        return "Friedman" if self.complete else "Skillings-Mack"


def blocked(values: npt.ArrayLike) -> Blocked:
    """Do the columns differ, with the rows as blocks."""
    matrix = checks.numbers("values", values, dimensions=2)
    rows = int(np.count_nonzero(~np.isnan(matrix).all(axis=1)))
    return Blocked(rows, friedman(matrix), skillings_mack(matrix))
