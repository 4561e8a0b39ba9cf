"""Several judgments of a summary, taken out of the long table: topics x systems x judges. Pooling is in scores.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.data.scores import ScoreMatrix, ScoreTable

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import FloatArray


@dataclass(frozen=True)
class Judgments:
    """What every judge said, in the order of a matrix."""

    values: FloatArray
    """Topics x systems x judges; NaN where one did not judge."""
    persons: bool
    """Whether judges are persons that are known by name, so that one can see both systems."""

    @property
    def unit(self) -> str:
        return "assessor" if self.persons else "judgment"


def judgments_of(table: ScoreTable, matrix: ScoreMatrix) -> Judgments | None:
    """The judgments behind a matrix, at its length; None where every cell has one.

    Assessors are judges where there are several, each with the mean of what they said. Where there are none, or
    one, repeats are: positions without a person behind them.
    """
    rows = table.of(matrix.measure)
    if matrix.length is not None:
        rows = rows[rows["length"] == matrix.length]
    persons = rows["assessor"].nunique() > 1
    column = "assessor" if persons else "repeat"
    if rows[column].nunique() < 2:
        return None
    values = _cube(rows.dropna(subset=[column, "value"]), column, matrix)
    return Judgments(values, persons)


def _cube(rows: pd.DataFrame, judge: str, matrix: ScoreMatrix) -> Any:
    import numpy as np

    means = rows.groupby(["topic", "system", judge], sort=True)["value"].mean().reset_index()
    places = {name: i for i, name in enumerate(means[judge].unique())}
    means = means[means["topic"].isin(matrix.topics) & means["system"].isin(matrix.systems)]
    cube = np.full((*matrix.values.shape, len(places)), np.nan)
    at = (
        means["topic"].map({t: i for i, t in enumerate(matrix.topics)}).to_numpy(dtype=int),
        means["system"].map({s: i for i, s in enumerate(matrix.systems)}).to_numpy(dtype=int),
        means[judge].map(places).to_numpy(dtype=int),
    )
    cube[at] = means["value"].to_numpy(dtype=float)
    return cube
