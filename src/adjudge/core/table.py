"""A result's rows as a table: terminal text, CSV, JSON, LaTeX, Markdown, HTML, a DataFrame. Computes nothing.

Every result of the package shows itself through this one class, so that the same numbers look the same in a
terminal, a notebook, a paper and a script.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from functools import cached_property
from html import escape
from itertools import groupby, repeat, zip_longest
from typing import TYPE_CHECKING, Any, Literal

from adjudge.core.errors import UsageError
from adjudge.core.phrases import spoken
from adjudge.core.words import SMALL, decimal, tex

if TYPE_CHECKING:
    import pandas as pd

Cell = str | int | float | bool | None
"""One value. None and NaN are missing: a dash for people, nothing in CSV, null in JSON."""

DASH = "-"
TOGETHER = 1000
"""Rows of a long table that become text together."""
_SYMBOL = re.compile(r"^[A-Za-z]$")
_RANGE = re.compile(r"^([0-9]+)-([0-9]+)$")  # ranks such as 2-4: a dash between numbers in print


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name for scripts, its heading for people, and how its numbers look.

    `show` says whether people see it: always, where its values vary, in a terminal alone (a drawing of letters), in
    print alone, or
    never (CSV, JSON and frames have it all the same). `data=False` is the reverse: a column for people alone, such as
    an interval written out.
    """

    name: str
    heading: str | None = None
    format: str = ".3f"
    """Of numbers that are not whole."""
    show: Literal["always", "varies", "terminal", "print", "never"] = "always"
    data: bool = True
    right: bool | None = None
    """Whether cells stand right, as numbers do; None: where all are numbers."""
    raised: bool = False
    """In print its cells are superscripts of the cells before them; a terminal shows a column."""
    tiny: bool = True
    """Whether a number that would look like 0 has its first digits shown; of a coefficient, 0.000 says enough."""
    over: str = ""
    """For people: a heading above this one, which columns beside each other share."""

    @property
    def title(self) -> str:
        return self.name if self.heading is None else self.heading

    @property
    def is_p(self) -> bool:
        """Whether it has p-values, which are never so small that they are nothing."""
        return self.name == "p" or self.name.startswith("p_")

    def shown(self, cell: Cell, scale: float = 0.0) -> str:
        """A cell for people; `scale` is how large the numbers are that it was computed from."""
        if cell is None or is_missing(cell):
            return DASH
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, int):
            return f"{cell:,}"
        if isinstance(cell, float) and not self.tiny and abs(cell) < SMALL:
            cell = 0.0
        return spoken(cell, "python") if isinstance(cell, str) else decimal(cell, self.format, scale=scale)

    def all_shown(self, cells: Sequence[Cell], scale: float = 0.0) -> Sequence[str]:
        """Several cells for people: texts, of which long tables are mostly made, are not looked at one by one."""
        if set(map(type, cells)) == {str}:
            return cells  # type: ignore[return-value]
        return [self.shown(cell, scale) for cell in cells]


def with_interval(
    name: str, heading: str | None, level: float, *, ends: str | None = None, **look: Any
) -> tuple[Column, Column, Column]:
    """The columns of a number and its interval, which are called NAME, ENDS_low and ENDS_high."""
    prefix = f"{name}_" if ends is None else f"{ends}_" if ends else ""
    return (
        Column(name, heading, **look),
        Column(f"{prefix}low", f"{100 * level:.4g}% from", **look),
        Column(f"{prefix}high", "to", **look),
    )


def hidden(names: str) -> tuple[Column, ...]:
    """Columns for scripts alone, several names in one text."""
    return tuple(Column(name, show="never") for name in names.split())


@dataclass(frozen=True, repr=False)
class Table:
    """Columns and rows, with a title, what they say in words, notes on what was left out, and a signature."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    signature: str = ""
    caption: str = ""
    """For print: what a reader of the table alone must know. With one, LaTeX has a float."""
    bold: frozenset[tuple[int, str]] = frozenset()
    """Cells that stand out in print: a row's number, a column's name."""
    parts: tuple[tuple[int, str], ...] = ()
    """For print: the rows with which a part of the table begins, and its heading."""
    anchor: str = ""
    """For print: what LaTeX refers to it by, where several have its name."""
    first: int | None = None
    """How many rows a terminal shows of a table that may be very long; None for all."""
    in_passing: bool = False
    """Whether it is for a terminal and a notebook; LaTeX, Markdown and JSON have it where it is asked for by name."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: a row has {len(row)} cells, expected {len(self.columns)}")

    @classmethod
    def of(
        cls, name: str, rows: Iterable[Any], *columns: Column | str, title: str = "", signature: str = ""
    ) -> Table:
        """A table of tuples, of mappings by the columns' names, or of things that have these as attributes.

        A column that needs nothing but its name is that name; several may stand in one text.
        """
        parts = [
            part for column in columns for part in (column.split() if isinstance(column, str) else (column,))
        ]
        made = tuple(Column(part) if isinstance(part, str) else part for part in parts)

        def cells(row: Any) -> tuple[Cell, ...]:
            if isinstance(row, tuple):
                return row
            read = row.get if isinstance(row, Mapping) else lambda key: getattr(row, key)
            return tuple(read(column.name) for column in made)

        return cls(name=name, columns=made, rows=tuple(map(cells, rows)), title=title, signature=signature)

    # For scripts

    def records(self) -> Iterator[dict[str, Cell]]:
        """The rows by the columns' names."""
        kept = [(at, column.name) for at, column in enumerate(self.columns) if column.data]
        for row in self.rows:
            yield {name: row[at] for at, name in kept}

    def row(self, **key: Cell) -> dict[str, Cell]:
        """The one row in which these columns have these values."""
        rows = [record for record in self.records() if all(record.get(k) == v for k, v in key.items())]
        if len(rows) != 1:
            raise UsageError(f"{self.name}: {len(rows)} rows have {key}, expected one")
        return rows[0]

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        names = [column.name for column in self.columns if column.data]
        frame = pd.DataFrame(list(self.records()), columns=names)
        for at, column in enumerate(self.columns):
            if column.data and {type(row[at]) for row in self.rows} == {int, type(None)}:
                frame[column.name] = frame[column.name].astype("Int64")  # whole numbers stay whole
        return frame

    def to_csv(self) -> str:
        """With full precision, but no minus zero; what is missing is empty."""
        head = (column.name for column in self.columns if column.data)
        cells = (map(unsigned_zero, record.values()) for record in self.records())
        return csv_text([head, *(("" if is_missing(cell) else cell for cell in row) for row in cells)])

    def as_dict(self) -> dict[str, Any]:
        """What `to_json` writes."""
        return {
            "table": self.name,
            "title": self.title,
            "rows": [plain(record) for record in self.records()],
            "sentences": list(self.sentences),
            "notes": list(self.notes),
            "signature": self.signature,
        }

    def to_json(self) -> str:
        return as_json(self.as_dict())

    # For people

    def printed(self, *, terminal: bool = False) -> tuple[list[Column], list[list[str]]]:
        """The columns that people see, and their cells as text."""
        kept = self._shown(terminal)
        columns = [self.columns[at] for at in kept]
        return columns, [
            [self.columns[at].shown(row[at], self._scale[at]) for at in kept] for row in self.rows
        ]

    def stands_right(self, *, terminal: bool = False) -> list[bool]:
        """Of every column that people see: whether its cells stand right."""
        return [self._is_right(at) for at in self._shown(terminal)]

    def to_text(self, *, title: bool = True) -> str:
        """As a terminal shows it: the title, then aligned columns two spaces apart."""
        return "\n".join([self.title, *self.lines()] if title and self.title else self.lines())

    def lines(self, width: int | None = None) -> Iterator[str]:
        """The headings and the rows as aligned text, a line each; nothing is kept of them.

        Where they are wider than `width`, texts are broken into several lines, and columns are shown in blocks, one
        below the other, each with the columns that say what a row is of. Those and numbers are never cut.
        """
        kept, right = self._shown(True), self.stands_right(terminal=True)
        headings = [self.columns[at].title for at in kept]
        over = [self.columns[at].over for at in kept]
        widths = list(map(_width, headings))
        for cells in self._in_columns(kept):
            widths = list(map(max, widths, map(_widest, cells)))
        last = -1
        for text, n in _runs(over):
            last += n
            narrow = sum(widths[last - n + 1 : last + 1]) + BETWEEN * (n - 1)
            widths[last] += max(0, _widest(text.split()) - narrow)
        too_wide = width is not None and sum(widths) + BETWEEN * (len(widths) - 1) > width
        keys = self._key_columns(kept, right) if too_wide else 0
        whole = [
            is_right or self.columns[at].show == "terminal" for at, is_right in zip(kept, right, strict=True)
        ]
        widths, blocks = _fitted(widths, whole, keys, width)
        for number, block in enumerate(blocks):
            if number:
                yield ""
            if any(over):
                yield from _lines_over([over[at] for at in block], [widths[at] for at in block])
            yield from _aligned_rows([[heading] for heading in headings], widths, right, block)
            for cells in self._in_columns(kept):
                yield from _aligned_rows(cells, widths, right, block)

    def _key_columns(self, kept: Sequence[int], right: Sequence[bool]) -> int:
        """How many of the first columns say what a row is of: those before the numbers, behind a rank; and further ones
        up to a text, until no two rows have the same."""
        first_text = 1 if right[:2] == [True, False] else 0
        numbers = (at for at, is_number in enumerate(right) if is_number and at >= first_text)
        plain = max(next(numbers, 1), 1) if len(kept) > 1 else 0
        for keys in range(plain, len(kept)):
            if keys > plain and right[keys - 1]:
                continue
            if len({tuple(row[at] for at in kept[:keys]) for row in self.rows}) == len(self.rows):
                return keys
        return plain

    def _in_columns(self, kept: Sequence[int]) -> Iterator[list[Sequence[str]]]:
        """The cells of some rows after others as people see them, column by column."""
        for start in range(0, len(self.rows), TOGETHER):
            cells = list(zip(*self.rows[start : start + TOGETHER], strict=True))
            yield [self.columns[at].all_shown(cells[at], self._scale[at]) for at in kept]

    def to_latex(self) -> str:
        """For a paper, with booktabs rules; title and signature as comments. With a caption, a float with a label."""
        columns, rows = self._in_print()
        layout = "".join(("r" if column.right else "l") + "@{}l" * column.two for column in columns)
        span = sum(1 + column.two for column in columns)
        heads = [*_tex_over(columns), _tex_line(_tex_heads(columns))]
        lines = [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", *heads, r"\midrule"]
        headed = dict(self.parts)
        for number, row in enumerate(rows):
            if number in headed:
                lines += [r"\midrule"] if number else []
                lines.append(rf"\multicolumn{{{span}}}{{l}}{{\textit{{{tex(headed[number])}}}}} \\")
            lines.append(_tex_line(part for cell in row for part in cell.to_latex()))
        lines += [r"\bottomrule", r"\end{tabular}"]
        text = "\n".join(lines)
        if self.caption:
            about = [rf"\caption{{{tex(self.caption)}}}", rf"\label{{{self.label}}}"]
            lines = [r"\begin{table}[tb]", r"\centering", *lines, *about, r"\end{table}"]
            lines.append(r"% \usepackage{booktabs}")
        if strange := sorted({c for c in text + tex(self.caption) if not c.isascii()}):
            lines.append(f"% LuaLaTeX or XeLaTeX, with a font that has {' '.join(strange)}")
        comments = [line for comment in (self.title, self.signature) for line in comment.splitlines()]
        return "\n".join([*lines, *(f"% {line}" for line in comments)])

    @property
    def label(self) -> str:
        """What LaTeX refers to a table with a caption by."""
        plain = unicodedata.normalize("NFKD", self.anchor or self.name).encode("ascii", "ignore").decode()
        return f"tab:{re.sub('[^a-z0-9]+', '-', plain.lower()).strip('-')[:LONGEST_LABEL].strip('-') or 'systems'}"

    def to_markdown(self) -> str:
        """A pipe table, as GitHub and most wikis show it, and its caption."""
        columns, rows = self._in_print()
        rule = ["---:" if column.right else "---" for column in columns]
        lines = [[markdown(column.title) for column in columns], rule]
        if any(
            column.over for column in columns
        ):  # a pipe table has one line of headings: the others follow it
            over = [[text, *[""] * (n - 1)] for text, n in _runs([column.over for column in columns])]
            lines = [[markdown(text) for texts in over for text in texts], rule, lines[0]]
        headed = dict(self.parts)
        for number, row in enumerate(rows):
            if number in headed:
                lines.append([f"*{markdown(headed[number])}*", *[""] * (len(columns) - 1)])
            lines.append([cell.to_markdown() for cell in row])
        text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"{text}\n\n{markdown(self.caption)}" if self.caption else text

    def to_html(self, *, rows: int | None = None) -> str:
        """A plain table element without styles of its own but the side on which numbers stand; its first rows."""
        columns, shown = self._in_print(rows)
        head = "".join(_html_cell("th", escape(column.title), column.right) for column in columns)
        over = "".join(
            f'<th colspan="{n}" style="text-align: center">{escape(text)}</th>'
            if n > 1
            else f"<th>{escape(text)}</th>"
            for text, n in _runs([column.over for column in columns])
        )
        rows_of_heads = f"<tr>{head}</tr>"
        if any(column.over for column in columns):
            rows_of_heads = f"<tr>{over}</tr>{rows_of_heads}"
        body = []
        headed = dict(self.parts)
        for number, row in enumerate(shown):
            if number in headed:
                body.append(f'<tr><th colspan="{len(columns)}">{escape(headed[number])}</th></tr>')
            cells = zip(row, columns, strict=True)
            filled = "".join(_html_cell("td", cell.to_html(), column.right) for cell, column in cells)
            body.append(f"<tr>{filled}</tr>")
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead>{rows_of_heads}</thead><tbody>{''.join(body)}</tbody></table>"

    def _in_print(self, most: int | None = None) -> tuple[list[_Head], list[list[_PrintedCell]]]:
        """The columns and rows that a page shows, a column of superscripts taken into the one before it."""
        kept = self._shown(False)
        heads: list[_Head] = []
        places: list[tuple[int, int | None]] = []
        for at in kept:
            column = self.columns[at]
            if column.raised and heads:
                heads[-1] = replace(heads[-1], two=True)
                places[-1] = (places[-1][0], at)
            else:
                heads.append(_Head(title=column.title, right=self._is_right(at), over=column.over))
                places.append((at, None))

        def cell(number: int, row: tuple[Cell, ...], at: int, above: int | None) -> _PrintedCell:
            column, mark = self.columns[at], None if above is None else row[above]
            return _PrintedCell(
                text=column.shown(row[at], self._scale[at]),
                raised=None if above is None else "" if mark is None else str(mark),
                bold=(number, column.name) in self.bold,
            )

        rows = self.rows if most is None else self.rows[:most]
        return heads, [[cell(number, row, *place) for place in places] for number, row in enumerate(rows)]

    def _repr_html_(self) -> str:
        return notebook_html([self])

    def __repr__(self) -> str:
        return self.to_text()

    def __str__(self) -> str:
        return self.to_text()

    def _shown(self, terminal: bool) -> list[int]:
        """Which columns people see."""
        seen = ("always", "terminal" if terminal else "print")
        return [
            at
            for at, column in enumerate(self.columns)
            if column.show in seen or (column.show == "varies" and len({row[at] for row in self.rows}) > 1)
        ]

    @cached_property
    def _scale(self) -> list[float]:
        """Of every column, how large the numbers are whose rounding is 0 there: its largest, or the table's.

        A difference of equal scores is small beside the scores that stand in other columns; beside statistics without
        a bound, such as F, everything is small, so of the table 1,000 counts at most. A p-value is never rounding.
        """
        largest = [0.0] * len(self.columns)
        for at, column in enumerate(self.columns):
            if not column.is_p:
                sizes = (abs(row[at]) for row in self.rows if type(row[at]) is float)  # type: ignore[arg-type]
                largest[at] = max((size for size in sizes if math.isfinite(size)), default=0.0)
        table = min(max(largest, default=0.0), 1000.0)
        return [
            0.0 if column.is_p else max(size, table)
            for column, size in zip(self.columns, largest, strict=True)
        ]

    def _is_right(self, at: int) -> bool:
        stated = self.columns[at].right
        return all(not isinstance(row[at], str) for row in self.rows) if stated is None else stated


def joined(tables: Sequence[Table]) -> Table:
    """Tables with the same columns as one, the rows of one below those of the other."""
    return replace(tables[0], rows=tuple(row for table in tables for row in table.rows), title="")


@dataclass(frozen=True, repr=False)
class Tables:
    """Several tables in the order of reading, by name."""

    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    def to_latex(self) -> str:
        """One below the other; notes are comments, and a signature that the next table has too stands there."""
        following = [*self.tables[1:], None]
        texts = [
            (
                replace(table, signature="") if after and after.signature == table.signature else table
            ).to_latex()
            for table, after in zip(self.tables, following, strict=True)
        ]
        return "\n\n".join(
            [*texts, *("\n".join(f"% {note}" for note in notes) for notes in [self.notes] if notes)]
        )

    def to_markdown(self) -> str:
        return "\n\n".join(table.to_markdown() for table in self.tables)

    def as_dict(self) -> dict[str, Any]:
        return {"tables": [table.as_dict() for table in self.tables], "notes": list(self.notes)}


class Tabular:
    """A result that shows itself by its `table()`: in a terminal, a notebook, a paper.

    A result of several tables says which in `tables()`. A dataclass that inherits from this is declared with
    `repr=False`.
    """

    def table(self) -> Table:
        raise TypeError(f"{type(self).__name__} has no table")

    def tables(self) -> Tables:
        """What papers, pull requests and notebooks show."""
        return Tables((self.table(),))

    def to_frame(self) -> pd.DataFrame:
        return self.table().to_frame()

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON: the rows of every table, unless a result says more."""
        return self.tables().as_dict()

    def to_latex(self) -> str:
        """For a paper, with booktabs rules."""
        tables, signature = self.tables(), self.table().signature
        signed = (replace(table, signature=table.signature or signature) for table in tables)
        return Tables(tuple(signed), tables.notes).to_latex()

    def to_markdown(self) -> str:
        """For a README or a pull request."""
        return self.tables().to_markdown()

    def _repr_html_(self) -> str:
        """For a notebook; what is said and noted comes from the result's own table."""
        main = self.table()
        tables = self.tables()
        more = [
            replace(table, sentences=(), notes=(), signature="")
            for table in tables
            if table.name != main.name
        ]
        return notebook_html([main, *more], tables.notes)

    def __repr__(self) -> str:
        table = self.table()
        notes = (f"note: {spoken(note, 'python')}" for note in table.notes)
        return "\n".join([table.to_text(), *table.sentences, *notes])


MOST_ROWS = 100
"""Rows of a table that a notebook shows."""


def notebook_html(tables: Sequence[Table], notes: Sequence[str] = ()) -> str:
    """Tables as a notebook shows them: the first thing to know, the rows, the rest that is said, notes, signatures.

    Without script or style sheet, so that it looks the same wherever a notebook is read. Very long tables are cut.
    """
    lines: list[str] = []
    for table in tables:
        lines += [f"<p><strong>{escape(sentence)}</strong></p>" for sentence in table.sentences[:1]]
        lines.append(table.to_html(rows=MOST_ROWS))
        if (more := len(table.rows) - MOST_ROWS) > 0:
            lines.append(f"<p>and {more:,} more rows: to_frame() has all</p>")
        lines += [f"<p>{escape(sentence)}</p>" for sentence in table.sentences[1:]]
        lines += [f"<p><em>note:</em> {escape(spoken(note, 'python'))}</p>" for note in table.notes]
        lines += [f"<p><small><code>{escape(table.signature)}</code></small></p>"] if table.signature else []
    lines += [f"<p><em>note:</em> {escape(note)}</p>" for note in notes]
    return "\n".join(lines)


def is_missing(cell: object) -> bool:
    """None, or a number that is none."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


# What a spreadsheet would take for a formula

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_SAFE = re.compile(r"'+[=+\-@\t\r]")


def csv_safe(cell: Any) -> Any:
    """A cell of a CSV file. A text that a spreadsheet would run as a formula gets a ' in front; numbers stay.

    That is a text that begins with =, +, -, @, a tab or a carriage return; and one that begins with ' before such a
    sign, so that `csv_plain` gives every text back as it was. Every writer of CSV goes through here: names and texts
    are strangers'.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def csv_plain(cell: str) -> str:
    """The text that `csv_safe` wrote."""
    return cell[1:] if cell[:1] == "'" and _SAFE.match(cell) else cell


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV with plain line ends, no cell a formula."""
    out = _CsvLines()
    csv.writer(out, lineterminator=_CsvLines.END).writerows(map(csv_safe, row) for row in rows)
    return out.getvalue()


def frame_to_csv(frame: pd.DataFrame, *, index_label: str | None = None) -> str:
    """A frame as CSV, with its index where that has a label; plain line ends, no cell a formula."""
    safe = frame.rename(columns=csv_safe)
    for at, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "biufcmM":
            safe.isetitem(at, frame.iloc[:, at].astype(object).map(csv_safe, na_action="ignore"))
    if index_label is not None:
        safe.index = safe.index.map(csv_safe)
    out = _CsvLines()
    safe.to_csv(out, index=index_label is not None, index_label=index_label, lineterminator=_CsvLines.END)
    return out.getvalue()


class _CsvLines(io.StringIO):
    """Takes rows that end in both signs, so that csv puts quotes around cells with either, and ends them plainly."""

    END = "\r\n"

    def write(self, row: str) -> int:
        return super().write(row.removesuffix(self.END) + "\n" * row.endswith(self.END))


def unsigned_zero(cell: Any) -> Any:
    """The cell; of minus zero, zero."""
    return 0.0 if isinstance(cell, float) and cell == 0 else cell


def plain(value: Any) -> Any:
    """A value as JSON takes it: dataclasses and NumPy's numbers made plain, what is not finite None, no minus zero."""
    kind = type(value)
    if kind is float:  # most are numbers and texts: they go first
        return value + 0.0 if math.isfinite(value) else None
    if kind is int or value is None:
        return value
    if isinstance(value, str):
        return spoken(value, "python")
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, Iterable):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return unsigned_zero(value)


def as_json(value: Any) -> str:
    """For scripts: readable, and never with NaN, which is no JSON."""
    return "".join(json_parts(value))


_WRITTEN = object()


def json_parts(value: Any, depth: int = 0) -> Iterator[str]:
    """The same, part by part: the items of an iterator are written one by one, and never held together."""
    if isinstance(value, Mapping):
        parts: Iterable[tuple[str, Any]] = (
            (f"{json.dumps(str(key))}: ", part) for key, part in value.items()
        )
        yield from _enclosed("{}", parts, depth)
    elif isinstance(value, Iterator):  # one line for each, which is plain already
        lines = (json.dumps(part, ensure_ascii=False, allow_nan=False) for part in value)
        yield from _enclosed("[]", ((line, _WRITTEN) for line in lines), depth)
    elif isinstance(value, list | tuple) and not depth:
        yield from _enclosed("[]", (("", part) for part in value), depth)
    else:
        text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=1)
        yield text.replace("\n", "\n" + " " * depth)  # inside strings a line break is written \\n


def _enclosed(brackets: str, parts: Iterable[tuple[str, Any]], depth: int) -> Iterator[str]:
    first = True
    for start, part in parts:
        yield f"{brackets[0] if first else ','}\n{' ' * (depth + 1)}{start}"
        if part is not _WRITTEN:
            yield from json_parts(part, depth + 1)
        first = False
    yield brackets if first else f"\n{' ' * depth}{brackets[1]}"


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # wide characters take two places

    return cell_len(text)


def _widest(texts: Sequence[str]) -> int:
    return max(map(len if all(map(str.isascii, texts)) else _width, texts), default=0)


BETWEEN = 2
"""Spaces between columns."""
NARROWEST = 24
"""To how many characters a text may be broken."""


def _fitted(
    widths: Sequence[int], whole: Sequence[bool], keys: int, room: int | None
) -> tuple[list[int], list[list[int]]]:
    """The widths of columns, and which columns stand beside each other, so that lines fit into the room.

    Numbers and pictures stay whole; texts may be broken.
    """
    every = list(range(len(widths)))
    over = 0 if room is None else sum(widths) + BETWEEN * (len(widths) - 1) - room
    if room is None or over <= 0:
        return list(widths), [every]
    texts = [at for at in every[keys:] if not whole[at] and widths[at] > NARROWEST]
    fitted = list(widths)
    for at in sorted(texts, key=lambda at: -widths[at]):  # the widest gives most
        less = min(over, fitted[at] - NARROWEST)
        fitted[at] -= less
        over -= less
    if over <= 0:
        return fitted, [every]
    head = sum(widths[at] + BETWEEN for at in every[:keys])
    fitted = [
        max(NARROWEST, min(size, room - head)) if at in texts else size for at, size in enumerate(widths)
    ]
    blocks: list[list[int]] = []
    taken = room + 1
    for at in every[keys:]:
        if taken + fitted[at] > room and (not blocks or len(blocks[-1]) > keys):
            blocks.append(every[:keys])
            taken = head
        blocks[-1].append(at)
        taken += fitted[at] + BETWEEN
    return fitted, blocks


def _aligned_rows(
    columns: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool], block: Sequence[int]
) -> Iterator[str]:
    """Some columns as lines of text; cells that are wider than their column take several lines."""
    if all(_widest(columns[at]) <= widths[at] for at in block):
        for line in zip(*(_aligned(columns[at], widths[at], right[at]) for at in block), strict=True):
            yield "  ".join(line).rstrip()
        return
    for cells in zip(*(columns[at] for at in block), strict=True):
        broken = [_broken(cell, widths[at]) for cell, at in zip(cells, block, strict=True)]
        for line in zip_longest(*broken, fillvalue=""):
            padded = (_padded(part, widths[at], right[at]) for part, at in zip(line, block, strict=True))
            yield "  ".join(padded).rstrip()


def _broken(text: str, width: int) -> list[str]:
    if _width(text) <= width:
        return [text]
    from rich.console import Console
    from rich.text import Text

    return [line.plain.rstrip() for line in Text(text).wrap(Console(width=10_000), width)]


def _aligned(texts: Sequence[str], width: int, right: bool) -> Iterator[str]:
    if all(map(str.isascii, texts)):
        return map(str.rjust if right else str.ljust, texts, repeat(width))
    return (_padded(text, width, right) for text in texts)


def _padded(text: str, width: int, right: bool) -> str:
    room = " " * (width - _width(text))
    return room + text if right else text + room


def _lines_over(over: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """The headings that columns share, each as wide as its columns."""
    runs = list(_runs(over))
    places = iter(widths)
    wide = [sum(next(places) + BETWEEN for _ in range(n)) - BETWEEN for _, n in runs]
    every = list(range(len(runs)))
    yield from _aligned_rows([[text] for text, _ in runs], wide, [False] * len(runs), every)


def _runs(over: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The headings over columns, and how many columns beside each other have each."""
    for text, columns in groupby(over):
        yield text, len(list(columns))


LONGEST_LABEL = 60


@dataclass(frozen=True, slots=True)
class _Head:
    """A column in print; `two` where it takes two of LaTeX's, for numbers and their superscripts."""

    title: str
    right: bool
    over: str = ""
    two: bool = False


@dataclass(frozen=True, slots=True)
class _PrintedCell:
    """A cell in print, with its superscript where its column has them."""

    text: str
    raised: str | None
    bold: bool

    def to_latex(self) -> list[str]:
        """One cell, or two: so numbers stand under each other whatever their superscripts."""
        text = "--" if self.text == DASH else tex(self.text)
        if _RANGE.match(self.text):
            text = _RANGE.sub(r"\1--\2", self.text)
        text = rf"\textbf{{{text}}}" if self.bold else text
        if self.raised is None:
            return [text]
        return [text, rf"\textsuperscript{{{tex(self.raised)}}}" if self.raised else ""]

    def to_markdown(self) -> str:
        text = markdown(self.text)
        text = f"**{text}**" if self.bold else text
        return f"{text}<sup>{markdown(self.raised)}</sup>" if self.raised else text

    def to_html(self) -> str:
        text = f"<strong>{escape(self.text)}</strong>" if self.bold else escape(self.text)
        return f"{text}<sup>{escape(self.raised)}</sup>" if self.raised else text


def _tex_line(cells: Iterable[str]) -> str:
    """A line of a tabular. What the line before ends in would take a bracket or a star for its own."""
    line = " & ".join(cells)
    return ("{}" if line[:1] in ("[", "*") and line else "") + line + r" \\"


def _tex_heads(columns: Iterable[_Head]) -> Iterator[str]:
    """A single letter, such as F or p, is a symbol."""
    for column in columns:
        title = f"${column.title}$" if _SYMBOL.match(column.title) else tex(column.title)
        yield rf"\multicolumn{{2}}{{c}}{{{title}}}" if column.two else title


def _tex_over(columns: Sequence[_Head]) -> Iterator[str]:
    """The line of headings that columns share, and the rules below them."""
    if not any(column.over for column in columns):
        return
    places = [column.over for column in columns for _ in range(1 + column.two)]
    cells, rules, first = [], [], 1
    for text, n in _runs(places):
        cells.append(rf"\multicolumn{{{n}}}{{c}}{{{tex(text)}}}" if text else " & " * (n - 1))
        rules += [rf"\cmidrule(lr){{{first}-{first + n - 1}}}"] * bool(text)
        first += n
    yield _tex_line(cells)
    yield "".join(rules)


_MARKUP = re.compile(r"[\\|<*`\[\]~&$]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown would not show as it is; an underscore within a word it does."""


def markdown(text: str) -> str:
    """Text as Markdown shows it."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return _MARKUP.sub(lambda match: f"\\{match[0]}", shown)


def _html_cell(tag: str, content: str, right: bool) -> str:
    side = ' style="text-align: right"' if right else ""
    return f"<{tag}{side}>{content}</{tag}>"


WIDE, LONG = 68, 40
"""Characters and rows of a table that a page takes."""


def fitted_latex(table: Table) -> str:
    """A table as LaTeX, no wider than a line and no longer than a page."""
    text = table.to_latex()
    wide = max((len(line) for line in table.to_text(title=False).splitlines()), default=0) / WIDE
    long = len(table.rows) / LONG
    if max(wide, long) <= 1:
        return text
    size = r"\resizebox{\linewidth}{!}" if wide >= long else r"\resizebox*{!}{0.8\textheight}"
    text = text.replace(r"\begin{tabular}", f"{size}{{%\n" + r"\begin{tabular}")
    text = text.replace(r"\end{tabular}", r"\end{tabular}}")
    return text.replace(r"% \usepackage{booktabs}", r"% \usepackage{booktabs,graphicx}")
