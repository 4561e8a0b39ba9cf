"""A printed table as a frozen result: columns, rows, what it says in words, its signature. Computes nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.errors import UsageError, nearest, quoted
from adjudge.wording import tex

if TYPE_CHECKING:
    import pandas as pd

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in frames and JSON, its heading for people, and how many digits a number has."""

    name: str
    heading: str
    digits: int | None = None
    """None: as it is."""
    quiet: bool = False
    """Not printed where all rows say the same: a protocol, a task, a length."""

    def shown(self, cell: Cell) -> str:
        """A cell for people; what is not there is a dash."""
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return "-"
        if isinstance(cell, int):
            return f"{cell:,}"
        return cell if isinstance(cell, str) else f"{cell:.{self.digits if self.digits is not None else 3}f}"


@dataclass(frozen=True)
class Table:
    """One table. A missing number is NaN; `notes` say what was left out and why."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    said: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    signature: str = ""

    def records(self) -> Iterator[dict[str, Cell]]:
        """The rows, by the columns' names."""
        names = [column.name for column in self.columns]
        for row in self.rows:
            yield dict(zip(names, row, strict=True))

    def row(self, **key: Cell) -> dict[str, Cell]:
        """The one row in which these columns have these values."""
        found = [record for record in self.records() if all(record.get(k) == v for k, v in key.items())]
        if len(found) != 1:
            raise UsageError(f"{self.name}: {len(found)} rows have {key}, expected one")
        return found[0]

    def sentences(self) -> Iterator[str]:
        """What the table says, in plain words."""
        yield from self.said

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(list(self.records()), columns=[column.name for column in self.columns])

    def printed(self) -> tuple[list[str], list[list[str]]]:
        """Headings (those of numbers end in `>`) and cells for people; quiet columns where they tell rows apart."""
        kept = [at for at, column in enumerate(self.columns) if not column.quiet or self._varies(at)]
        heads = [self.columns[at].heading + (">" if self._numbers(at) else "") for at in kept]
        return heads, [[self.columns[at].shown(row[at]) for at in kept] for row in self.rows]

    def _varies(self, at: int) -> bool:
        return len({row[at] for row in self.rows}) > 1

    def _numbers(self, at: int) -> bool:
        return all(not isinstance(row[at], str) for row in self.rows)

    def to_latex(self) -> str:
        """For a paper, with booktabs rules."""
        heads, rows = self.printed()
        format = "".join("r" if head.endswith(">") else "l" for head in heads)
        lines = [
            rf"\begin{{tabular}}{{{format}}}",
            r"\toprule",
            _tex_row([h.removesuffix(">") for h in heads]),
        ]
        lines += [r"\midrule", *(_tex_row(["--" if cell == "-" else cell for cell in row]) for row in rows)]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {self.title}", f"% {self.signature}"])

    def as_dict(self) -> dict[str, Any]:
        """For --json; NaN becomes null."""
        return {
            "table": self.name,
            "title": self.title,
            "rows": [{k: _known(v) for k, v in record.items()} for record in self.records()],
            "sentences": list(self.sentences()),
            "notes": list(self.notes),
            "signature": self.signature,
        }


@dataclass(frozen=True)
class Tables:
    """All tables that these judgments give, in the order of reading."""

    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(table.name for table in self.tables)

    def __getitem__(self, name: str) -> Table:
        for table in self.tables:
            if table.name == name:
                return table
        hint = nearest(name, self.names)
        raise UsageError(f"no table {quoted(name)}{hint}; there are: {', '.join(self.names) or 'none'}")

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def sentences(self) -> Iterator[str]:
        for table in self.tables:
            yield from table.sentences()

    def to_frames(self) -> dict[str, pd.DataFrame]:
        """A frame per table, by name."""
        return {table.name: table.to_frame() for table in self.tables}

    def to_frame(self) -> pd.DataFrame:
        """All tables in one long frame: table, row, column, value."""
        import pandas as pd

        rows = [
            (table.name, number, name, cell)
            for table in self.tables
            for number, record in enumerate(table.records())
            for name, cell in record.items()
        ]
        return pd.DataFrame(rows, columns=["table", "row", "column", "value"])

    def to_latex(self) -> str:
        return "\n\n".join(table.to_latex() for table in self.tables)

    def as_dict(self) -> dict[str, Any]:
        return {"tables": [table.as_dict() for table in self.tables], "notes": list(self.notes)}


def _tex_row(cells: Sequence[str]) -> str:
    return " & ".join(tex(cell).replace("<", "$<$").replace(">", "$>$") for cell in cells) + r" \\"


def _known(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
