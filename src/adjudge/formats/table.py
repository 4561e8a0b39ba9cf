"""CSV and TSV, one record a row. What a record means is decided in records.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjudge.data.incoming import Item
from adjudge.data.lines import MAX_LINE
from adjudge.formats.cells import read_cells
from adjudge.formats.files import TABLES, Once, Paths, Place, find_files
from adjudge.formats.records import RecordOptions, Records, Role


def read(
    paths: Paths,
    *,
    system: str | None = None,
    role: Role = "peer",
    kind: str | None = None,
    length: int | None = None,
    reference_names: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    by_line: bool = False,
    delimiter: str | None = None,
    quotes: bool = True,
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Topics, systems, documents and summaries of CSV or TSV files, or of every one in a folder.

    The options are those of `jsonl.read`. `by_line` counts the rows under the header, so that row n goes
    with line n of a JSONL file. `delimiter` is "," unless the file's name ends in .tsv; without `quotes`
    a quotation mark is a character like any other; `max_line` bounds a row, with the line breaks in it.
    """
    options = RecordOptions(system, role, kind, length, reference_names, columns or {}, by_line)
    options.check()
    once = Once()
    for path, left in find_files(paths, TABLES):
        if left:
            yield str(path), left
            continue
        records = Records(path, options, once, cells=True)
        header, rows = read_cells(
            path, delimiter=delimiter, quotes=quotes, max_line=max_line, encoding=encoding
        )
        for number, (line, row) in enumerate(rows, 1):
            yield from records.items(Place(path, line), number, dict(zip(header, row, strict=True)))
        yield from records.end()
