"""JSON lines, one record a line. What a record means is decided in records.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjudge.data.incoming import Item
from adjudge.data.lines import MAX_LINE
from adjudge.formats.files import JSON_LINES, Once, Paths, find_files, json_objects
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
    max_line: int = MAX_LINE,
    encoding: str = "utf-8",
) -> Iterator[Item]:
    """Topics, systems, documents and summaries of JSONL files, or of every one in a folder.

    `columns` maps fields to keys of the file ({"text": "decoded"}) and wins over the usual names;
    `system` names the system of files that do not (default: the file's name); `role`, `kind` and
    `length` hold where a record says nothing; `reference_names` name the texts of a list of references
    (default: reference-1, reference-2, ...); `by_line` makes the line number the topic.
    """
    options = RecordOptions(system, role, kind, length, reference_names, columns or {}, by_line)
    options.check()
    once = Once()
    for path, left in find_files(paths, JSON_LINES):
        if left:
            yield str(path), left
            continue
        records = Records(path, options, once)
        for place, record in json_objects(path, max_line=max_line, encoding=encoding):
            yield from records.items(place, place.line, record)
        yield from records.end()
