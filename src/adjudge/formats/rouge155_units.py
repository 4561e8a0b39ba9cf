"""The units (sentences) of a summary file in one of ROUGE-1.5.5's formats. Rows are made in rouge155_summaries.py."""

from __future__ import annotations

import re
from pathlib import Path

from adjudge.data.lines import MAX_LINE, open_bytes
from adjudge.formats.files import Place, reading

# Lines, and only lines, hold units: what a unit has on a second line the original does not see.
_SEE = re.compile(
    r'<a (?:size="[0-9]+" )?name="[0-9]+">\[[0-9]+\]</a>[ \t\n\r\f\v]+<a href="#[0-9]+" id=[0-9]+>([^<]+)'
)
_ISI = re.compile(r'<S SNTNO="[0-9a-z,]+">([^<]+)</S>')


def units(text: str, form: str) -> list[str]:
    """The text's units by the rules of the original; of SIMPLE, the lines with basic elements."""
    match form:
        case "SEE":
            return _found(_SEE, text)
        case "ISI":
            return _found(_ISI, text)
        case _:
            return [line for line in text.split("\n") if line]


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    lines = text.split("\n")
    # all but the last line had their newline, which belongs to a unit that is not closed
    ended = [line + "\n" for line in lines[:-1]] + [lines[-1]]
    return [unit[1] for line in ended if (unit := pattern.match(line))]


def read_bytes(path: Path, *, max_size: int = MAX_LINE) -> bytes:
    """A summary file, whole."""
    with reading(path), open_bytes(path) as stream:
        raw = stream.read(max_size + 1)
    if len(raw) > max_size:
        raise Place(path, 1).wrong(f"the summary is longer than {max_size:,} bytes")
    return raw
