"""What the parts of a meta-evaluation share: what they work on, and rows of a measure beside a human one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells
from adjudge.analyses.meta.words import interval_words, like_these
from adjudge.analyses.scores import Scores
from adjudge.core.engine import generator
from adjudge.core.results import Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.correlation import CorrelationLevel

if TYPE_CHECKING:
    import numpy as np

COLUMNS = ("measure", "human", "level", "coefficient", "among", "n", "value", "low", "high")
"""Of the CSV file."""


@dataclass(frozen=True)
class MetaRun:
    """What the parts work on."""

    cells: Cells
    asked: Meta
    scores: Scores | None = None
    """From which the cells were made; references, topics and texts are looked up there."""

    @cached_property
    def among(self) -> tuple[Among, ...]:
        return self.asked.choices(self.cells)

    @property
    def choices(self) -> list[Cells]:
        """The cells of every choice of systems."""
        return [self.cells.among(which) for which in self.among]

    @property
    def levels(self) -> tuple[CorrelationLevel, ...]:
        return tuple(self.asked.levels)  # type: ignore[arg-type]

    @property
    def confidence(self) -> float:
        return 1 - self.asked.alpha

    def draws(self, stream: str) -> np.random.Generator:
        """Random numbers of one part, the same for all that is to be compared."""
        return generator(self.asked.seed, f"meta/{stream}")


class AtLevel(Protocol):
    """What a row tells of itself."""

    @property
    def human(self) -> MeasureInfo: ...
    @property
    def level(self) -> str: ...
    @property
    def coefficient(self) -> str: ...
    @property
    def among(self) -> str: ...


A = TypeVar("A", bound=AtLevel)


def rows_of(
    rows: Iterable[A],
    *,
    level: str | None = None,
    coefficient: str | None = None,
    human: str | None = None,
    among: str | None = None,
) -> list[A]:
    """The rows of a level, coefficient, human measure and choice of systems, where these are said."""
    return [
        row
        for row in rows
        if level in (None, row.level)
        and coefficient in (None, row.coefficient)
        and human in (None, row.human.measure)
        and among in (None, row.among)
    ]


@dataclass(frozen=True, kw_only=True)
class MeasureRow:
    """One measure beside one human measure, at one level, by one coefficient, among some systems."""

    COLUMNS: ClassVar[tuple[str, ...]] = COLUMNS
    UNSEEN: ClassVar[tuple[str, ...]] = ("why", "why_no_interval")
    """Further columns, which people do not see."""

    measure: MeasureInfo
    human: MeasureInfo
    level: CorrelationLevel
    coefficient: str
    among: Among
    n: int
    value: float
    low: float
    high: float
    why: str | None = None
    """Why there is no value."""
    why_no_interval: str | None = None
    over: tuple[str, ...] = ()
    """For other what the interval is: systems, topics, assessors;"""
    same: tuple[str, ...] = ()
    """and which of these stay as they are."""

    def record(self) -> dict[str, Any]:
        names = {"measure": self.measure.measure, "human": self.human.measure}
        return names | {name: getattr(self, name) for name in (*self.COLUMNS[2:], *self.UNSEEN)}

    def about(self, *names: str) -> dict[str, Any]:
        """What a note on the row says of it."""
        words = {"measure": self.measure.words, "human": self.human.words}
        return words | {name: getattr(self, name) for name in names}

    def shown(self) -> Cell:
        """`0.420 (0.10 to 0.66)`."""
        if self.value != self.value:
            return None
        return f"{self.value:.3f}{interval_words(self.low, self.high)}"


def for_whom(rows: Iterable[MeasureRow]) -> str:
    """For whom the intervals of some rows hold; empty where there is none."""
    bounded = [row for row in rows if row.low == row.low]
    over, same = ([unit for row in bounded for unit in getattr(row, name)] for name in ("over", "same"))
    return like_these(over, same) if over else ""


R = TypeVar("R", bound=MeasureRow)


@dataclass(frozen=True, repr=False, kw_only=True)
class RowsResult(Result, Generic[R]):
    """Every measure beside every human measure: a table per level and choice of systems."""

    ROWS_SAY_ALL: ClassVar[bool] = True

    TITLE: ClassVar[str]
    """Of the table of all rows, which is called as the part is."""

    rows: tuple[R, ...]
    confidence: float
    resamples: int
    seed: int

    def of(
        self,
        *,
        level: str | None = None,
        coefficient: str | None = None,
        human: str | None = None,
        among: str | None = None,
    ) -> list[R]:
        """The rows of a level, coefficient, human measure and choice of systems, where these are said."""
        return rows_of(self.rows, level=level, coefficient=coefficient, human=human, among=among)

    def groups(self) -> dict[str, tuple[CorrelationLevel, Among]]:
        """By the name of its table: a level and a choice of systems."""
        return {f"{self.FRAME}-{row.level}-{row.among}": (row.level, row.among) for row in self.rows}

    def intervals(self, rows: Iterable[MeasureRow], of: str = "intervals") -> str:
        """Of which level the intervals of some rows are and for whom they hold; empty where there is none."""
        whom = for_whom(rows)
        return f"; {self.confidence:.0%} {of} {whom}" if whom else ""

    def humans(self) -> list[str]:
        return list(dict.fromkeys(row.human.measure for row in self.rows))

    def at(self, level: CorrelationLevel, among: Among) -> Table:
        """The table of a level and a choice of systems."""
        raise TypeError(f"{type(self).__name__} has no tables")

    def tables(self) -> Iterator[Table]:
        for level, among in self.groups().values():
            yield self.at(level, among)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {self.FRAME: self.all_rows}

    def all_rows(self) -> Table:
        """All numbers, one row each."""
        return Table.of(
            self.FRAME,
            [row.record() for row in self.rows],
            *(Column(name, right=None, tiny=False) for name in self.rows[0].COLUMNS),
            *(Column(name, show="never") for name in self.rows[0].UNSEEN),
            title=self.TITLE,
        )
