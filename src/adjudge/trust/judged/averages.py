"""Groups of judgments and their averages, with about 95 % intervals as DUC prints them. What is averaged: elsewhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist, fmean, median, stdev
from typing import TypeVar

from adjudge import __version__
from adjudge.errors import UsageError
from adjudge.judgments.protocol import Protocol
from adjudge.table import Cell, Column
from adjudge.trust.judged.gathered import SOURCES
from adjudge.wording import counted

K = TypeVar("K", bound=Hashable)
Cells = TypeVar("Cells", bound=tuple[Cell, ...])
ALPHA = 0.05

PROTOCOL = Column("protocol", "protocol", show="varies")
TASK = Column("task", "task", show="varies")
LENGTH = Column("length", "length", show="varies")
SOURCE = Column("source", "source")
N = Column("n", "n")


@dataclass(frozen=True, slots=True)
class Average:
    """n, mean, an interval around it, median and maximum. Without values all are NaN; with one there is no interval."""

    n: int
    mean: float
    low: float
    high: float
    median: float
    most: float


def average(values: Iterable[float], alpha: float = ALPHA) -> Average:
    """Mean plus or minus two standard errors, as DUC-2002 printed; other levels take the normal quantile.

    The values are taken as independent, as DUC took them.
    """
    own = list(values)
    if not own:
        return Average(0, math.nan, math.nan, math.nan, math.nan, math.nan)
    mean, half = fmean(own), math.nan
    if len(own) > 1:
        half = multiplier(alpha) * stdev(own) / math.sqrt(len(own))
    return Average(len(own), mean, mean - half, mean + half, median(own), max(own))


def multiplier(alpha: float) -> float:
    """How many standard errors: 2 at .05, where DUC wrote ~95 %."""
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha:g}, expected a number between 0 and 1")
    return 2.0 if alpha == ALPHA else NormalDist().inv_cdf(1 - alpha / 2)


def interval_columns(alpha: float, digits: int = 3) -> tuple[Column, Column, Column]:
    """The mean and its interval; "about", for two standard errors are not 1.96, and judgments not independent."""
    low = Column("low", f"~{100 * (1 - alpha):.4g} % from", format=f".{digits}f")
    return Column("mean", "mean", format=f".{digits}f"), low, Column("high", "to", format=f".{digits}f")


def interval_words(alpha: float) -> str:
    """For signatures."""
    return f"interval:mean+-{multiplier(alpha):.4g}se"


def grouped(pairs: Iterable[tuple[K, float]]) -> dict[K, list[float]]:
    """Values by group; a group whose values are all missing is there, and empty."""
    found: dict[K, list[float]] = {}
    for key, value in pairs:
        own = found.setdefault(key, [])
        if not math.isnan(value):
            own.append(value)
    return found


def in_order(keys: Iterable[Cells]) -> list[Cells]:
    """Groups as tables list them: sources as DUC lists them, numbers by size, what is unset last."""
    place: Mapping[Cell, int] = {name: at for at, name in enumerate(SOURCES.values())}

    def rank(cell: Cell) -> tuple[int, float, str]:
        if cell is None:
            return 3, 0.0, ""
        if isinstance(cell, str):
            return (0, place[cell], "") if cell in place else (2, 0.0, cell)
        return 1, float(cell), ""

    return sorted(keys, key=lambda key: [rank(cell) for cell in key])


def missing_notes(reasons: Iterable[str | None]) -> tuple[str, ...]:
    """What is missing, counted by reason."""
    found = Counter(why for why in reasons if why is not None)
    return tuple(f"{counted(n, 'judgment')} left out: {why}" for why, n in found.items())


def signed(what: str, protocols: Iterable[Protocol], *more: str) -> str:
    """A table's signature: `coverage|protocol:duc-2002:1|interval:mean+-2se|v:0.3.0`."""
    used = sorted({f"{protocol.name}:{protocol.version}" for protocol in protocols})
    return "|".join([what, f"protocol:{','.join(used)}", *more, f"v:{__version__}"])


def where(key: tuple[Cell, ...]) -> str:
    """A group in words: `duc-2002, multi, 100 words, systems`."""
    return ", ".join(
        f"{part} words" if isinstance(part, int) else str(part) for part in key if part is not None
    )
