"""One of the paper's tables as a frozen result: columns with means, intervals and topics. Computes no agreement."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from adjudge.trust.preferences.agreement import plain, shown
from adjudge.wording import tex

if TYPE_CHECKING:
    import pandas as pd

Rows = Literal["mean", "topic", "set"]
ROWS: tuple[Rows, ...] = ("mean", "topic", "set")
TIME = "minutes"


@dataclass(frozen=True)
class Cell:
    """One column: the mean over topics with its interval, or why there is none."""

    heading: str
    measure: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    topics: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many pairs a topic has that can be ordered."""
    why: str | None = None

    @property
    def pairs(self) -> int:
        """In the topics that the mean is over."""
        return sum(self.counts.get(topic, 0) for topic in self.topics)


@dataclass(frozen=True)
class PaperTable:
    """A table: a column per measure. `signatures` say what stands behind the headings."""

    name: str
    title: str
    cells: tuple[Cell, ...]
    level: float
    said: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    signature: str = ""
    sets: Mapping[str, str | None] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    minutes: float | None = None
    """Of annotation per topic; None where the table has no such column, NaN where nobody knows."""

    def __getitem__(self, heading: str) -> Cell:
        return next(cell for cell in self.cells if cell.heading == heading)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that the means are over."""
        return next((tuple(cell.topics) for cell in self.cells if cell.topics), ())

    def sentences(self) -> Iterator[str]:
        """What the table says, in plain words."""
        yield from self.said

    def reasons(self) -> Iterator[str]:
        """Why columns have no number, each reason once."""
        found: dict[str, list[str]] = {}
        for cell in self.cells:
            if cell.why:
                found.setdefault(cell.why, []).append(cell.heading)
        for why, headings in found.items():
            yield f"{', '.join(headings)}: n/a ({why})"

    def printed(self, rows: Rows = "mean") -> tuple[list[str], list[list[str]]]:
        """Headings and cells for people, as the paper has them; then the intervals and how many topics there are."""
        timed = self.minutes is not None
        heads = ["", *(f"{cell.heading}>" for cell in self.cells), *[f"{TIME}>"] * timed]
        lines = [
            [name, *(shown(value) for value in values), *[""] * timed] for name, values in self._rows(rows)
        ]
        time = [_minutes(self.minutes)] * timed
        lines.append(["mean", *(shown(cell.value) for cell in self.cells), *time])
        lines.append([f"{self.level:.0%} interval", *(_interval(cell) for cell in self.cells), *[""] * timed])
        lines.append(["topics", *(str(len(cell.topics)) for cell in self.cells), *[""] * timed])
        return heads, lines

    def _rows(self, rows: Rows) -> Iterator[tuple[str, Sequence[float]]]:
        """A row per topic, or per document set: the mean of its topics."""
        if rows == "topic":
            for topic in self.topics:
                yield topic, [cell.topics.get(topic, math.nan) for cell in self.cells]
        elif rows == "set":
            groups: dict[str, list[str]] = {}
            for topic in self.topics:
                groups.setdefault(self.sets.get(topic) or "no set", []).append(topic)
            for name, members in groups.items():
                yield name, [_mean([cell.topics.get(t, math.nan) for t in members]) for cell in self.cells]

    def to_frame(self, rows: Rows = "mean") -> pd.DataFrame:
        """Long: a row per column of the table, or per column and topic or set."""
        import pandas as pd

        if rows == "mean":
            return pd.DataFrame([{"table": self.name} | self._record(cell) for cell in self.cells])
        return pd.DataFrame(
            [
                {
                    "table": self.name,
                    rows: name,
                    "column": cell.heading,
                    "measure": cell.measure,
                    "agreement": value,
                }
                for name, values in self._rows(rows)
                for cell, value in zip(self.cells, values, strict=True)
            ],
            columns=["table", rows, "column", "measure", "agreement"],
        )

    def _record(self, cell: Cell) -> dict[str, Any]:
        return {
            "column": cell.heading,
            "measure": cell.measure,
            "agreement": cell.value,
            "low": cell.low,
            "high": cell.high,
            "level": self.level,
            "topics": len(cell.topics),
            "pairs": cell.pairs,
            "why": cell.why,
        }

    def to_latex(self, rows: Rows = "mean") -> str:
        """For a paper, with booktabs rules."""
        heads, lines = self.printed(rows)
        head = " & ".join(tex(h.removesuffix(">")) for h in heads)
        found = [rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}", r"\toprule", rf"{head} \\", r"\midrule"]
        found += [" & ".join(tex(cell) for cell in line) + r" \\" for line in lines]
        return "\n".join([*found, r"\bottomrule", r"\end{tabular}", f"% {self.title}", f"% {self.signature}"])

    def as_dict(self) -> dict[str, Any]:
        """For --json; NaN becomes null."""
        timed = {} if self.minutes is None else plain({"minutes_per_topic": self.minutes})
        return {
            "table": self.name,
            "title": self.title,
            "signature": self.signature,
            **timed,
            "columns": [plain(self._record(c)) | {"per_topic": plain(dict(c.topics))} for c in self.cells],
            "signatures": dict(self.signatures),
            "sentences": list(self.sentences()),
            "notes": list(self.notes),
        }


def _interval(cell: Cell) -> str:
    return "-" if math.isnan(cell.low) else f"{cell.low:.3f}-{cell.high:.3f}"


def _minutes(value: float | None) -> str:
    return "n/a" if value is None or math.isnan(value) else f"{value:.1f}"


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
