"""Line files: one text a line, and line n of every file belongs to the same topic.

What `adjudge import lines` and `adjudge rouge` share: `read_line_file` reads one, `expand` finds files by patterns,
`check_aligned` refuses files of unequal length, `SentenceMarks` turns marks such as <q> into line breaks.
"""

from __future__ import annotations

import codecs
import glob
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, cast

from adjudge.data.lines import MAX_LINE, decode
from adjudge.data.packed import open_bytes
from adjudge.errors import FormatError, UsageError, quoted
from adjudge.formats.files import reading
from adjudge.wording import counted, natural

_WIDE_MARKS = {  # the longer ones first: UTF-32's begins as UTF-16's does
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_PATTERN = re.compile(r"[*?[]")
_MOST_FILES = 12  # in a message


def read_line_file(path: str | Path, *, max_line: int = MAX_LINE, encoding: str = "utf-8") -> list[str]:
    """The lines of a file without their ends, blank ones too; see `line_texts`."""
    return list(line_texts(path, max_line=max_line, encoding=encoding))


def line_texts(path: str | Path, *, max_line: int = MAX_LINE, encoding: str = "utf-8") -> Iterator[str]:
    """The lines of a file one by one, without their ends, blank ones too.

    Only \\n and \\r\\n end a line: U+2028, form feeds and their like stand inside a text. The last line needs no end.
    Packed files are unpacked; a byte order mark says UTF-16 and UTF-32, whatever `encoding` is.
    """
    path = Path(path)
    with reading(path), open_bytes(path) as stream:
        start = cast(io.BufferedReader, stream).peek(4)
        wide = next((name for mark, name in _WIDE_MARKS.items() if start.startswith(mark)), None)
        read = _wide_lines if wide or _is_wide(encoding) else _byte_lines
        for number, line in enumerate(read(path, stream, wide or encoding, max_line), 1):
            text = line.removeprefix("\ufeff") if number == 1 else line
            if "\0" in text:
                raise FormatError(
                    "a NUL byte: this is no text file, or it is UTF-16 (--encoding utf-16-le)",
                    file=path,
                    line=number,
                )
            if text.endswith("\n"):
                text = text[:-1].removesuffix("\r")
            elif number == 1 and "\r" in text:
                raise FormatError(
                    "its lines end in carriage returns alone: save it with Unix or Windows line ends",
                    file=path,
                )
            yield text


def _is_wide(encoding: str) -> bool:
    """Whether a newline is more than one byte."""
    try:
        return "\n".encode(encoding) != b"\n"
    except LookupError:
        return False  # told where the first line is decoded


def _byte_lines(path: Path, stream: IO[bytes], encoding: str, max_line: int) -> Iterator[str]:
    number = 0
    while line := stream.readline(max_line + 1):
        number += 1
        if len(line) > max_line:
            raise _too_long(path, number, f"{max_line:,} bytes")
        yield decode(line, encoding, path, number)


def _wide_lines(path: Path, stream: IO[bytes], encoding: str, max_line: int) -> Iterator[str]:
    number = 0
    with io.TextIOWrapper(stream, encoding, newline="\n") as texts:
        try:
            while line := texts.readline(max_line + 1):
                number += 1
                if len(line) > max_line:
                    raise _too_long(path, number, f"{max_line:,} characters")
                yield line
        except UnicodeError as error:
            problem = f"not {encoding}: {getattr(error, 'reason', error)}"
            raise FormatError(f"{problem}; name the file's encoding with --encoding", file=path) from None


def _too_long(path: Path, number: int, limit: str) -> FormatError:
    return FormatError(f"the line is longer than {limit}; allow more with --max-line", file=path, line=number)


# Several files


def expand(patterns: Iterable[str | Path], option: str = "FILE") -> list[Path]:
    """The files that paths and patterns name, each once, those of one pattern in the order of their names.

    A file that is there is taken as it is named, so that its name may hold a bracket.
    """
    found: dict[Path, Path] = {}
    for pattern in map(str, patterns):
        path = Path(pattern)
        with reading(path):
            there = path.exists()
        if there or not _PATTERN.search(pattern):
            if path.is_dir():
                raise UsageError(
                    f"{option} {pattern} is a folder: say '{path / '*.txt'}' where every line is a text, or"
                    f" adjudge import folder {path} where every file is one"
                )
            matched = [path]
        else:
            # as shells do it: no hidden files, any pattern is legal
            names = glob.glob(pattern, recursive=True)  # noqa: PTH207
            matched = [Path(name) for name in names if Path(name).is_file()]
            if not matched:
                raise UsageError(f"{option} {quoted(pattern)} matches no file in {_looked_in(pattern)}")
        for each in sorted(matched, key=lambda file: natural(str(file))):
            found.setdefault(each.resolve(), each)
    return list(found.values())


def _looked_in(pattern: str) -> Path:
    """The folder that a pattern begins at."""
    parts = Path(pattern).parts
    plain = next(n for n, part in enumerate(parts) if _PATTERN.search(part))
    return Path(*parts[:plain]).resolve()


def check_aligned(counts: Mapping[Path, int], blank_last: Iterable[Path] = ()) -> None:
    """Refuse files of unequal numbers of lines, with every file's number."""
    if len(set(counts.values())) < 2:
        return
    blank = set(blank_last)
    said = [
        f"{path} {counted(n, 'line')}{' (the last is blank)' if path in blank else ''}"
        for path, n in counts.items()
    ]
    more = [f"{len(said) - _MOST_FILES:,} more files"] if len(said) > _MOST_FILES else []
    raise FormatError(
        f"the files are not aligned, line n must be the same topic in all: {', '.join(said[:_MOST_FILES] + more)}"
    )


# Sentences of a text that stands on one line

_KNOWN_MARKS = ("<q>", "<n>", "<S_SEP>", "[X_SEP]", "<t>", "</t>", "<s>", "</s>")
NO_MARK = "none"


class SentenceMarks:
    """Turns the marks that stand for sentence ends in line files into line breaks.

    Without a mark of the caller's: those that are in use, such as <q> in the files of CNN/Daily Mail's models. They are
    no words, and would be counted as such. With "none", nothing is changed.
    """

    def __init__(self, mark: str | None = None) -> None:
        if mark is not None and not mark.strip():
            raise UsageError('--sentence-mark is blank, expected a mark such as "<q>", or none')
        marks = _KNOWN_MARKS if mark is None else () if mark == NO_MARK else (mark,)
        self._marks = re.compile("|".join(map(re.escape, marks))) if marks else None

    def split(self, text: str) -> tuple[str, str | None]:
        """The text with a sentence a line, and the first mark that was found in it."""
        first = self._marks.search(text) if self._marks else None
        if first is None or self._marks is None:
            return text, None
        parts = (part.strip() for part in self._marks.split(text))
        return "\n".join(part for part in parts if part), first.group()
