"""Rows of results: of a human measure, a level, a coefficient and a choice of systems; and how some are chosen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from adjudge.data.scores import MeasureInfo

COLUMNS = ("measure", "human", "level", "coefficient", "among", "n", "value", "low", "high")
"""Of the CSV file."""


class MeasuredRow(Protocol):
    """What a row of a part tells of itself."""

    @property
    def human(self) -> MeasureInfo: ...
    @property
    def level(self) -> str: ...
    @property
    def coefficient(self) -> str: ...
    @property
    def among(self) -> str: ...


R = TypeVar("R", bound=MeasuredRow)


def rows_of(
    rows: Iterable[R],
    *,
    level: str | None = None,
    coefficient: str | None = None,
    human: str | None = None,
    among: str | None = None,
) -> list[R]:
    """The rows of a level, coefficient, human measure and choice of systems, where these are said."""
    return [
        row
        for row in rows
        if level in (None, row.level)
        and coefficient in (None, row.coefficient)
        and human in (None, row.human.measure)
        and among in (None, row.among)
    ]
