"""Text files in, one line at a time, with limits; one JSON value a line. Knows nothing of rows."""

from __future__ import annotations

import json
import lzma
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from adjudge.data.packed import open_bytes
from adjudge.errors import FormatError, UsageError, quoted

T = TypeVar("T")
MAX_LINE = 64 * 1024 * 1024  # bytes; a longer line is refused without being read whole
_BOM = b"\xef\xbb\xbf"


def read_lines(path: Path, *, max_line: int = MAX_LINE, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines that are not blank, numbered from 1, decoded, without their ends.

    Only a newline ends a line: U+2028 and its like may stand inside a JSON text.
    """
    number = 0
    try:
        with open_bytes(path) as stream:
            while line := stream.readline(max_line + 1):
                number += 1
                if len(line) > max_line:
                    raise FormatError(
                        f"the line is longer than {max_line:,} bytes; allow more with --max-line",
                        file=path,
                        line=number,
                    )
                if number == 1:
                    line = line.removeprefix(_BOM)
                if text := decode(line, encoding, path, number).strip("\r\n \t"):
                    yield number, text
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise unreadable(path, error, number) from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise unreadable(path, error, number) from None
        raise


def unreadable(path: Path, error: BaseException, line: int = 0) -> FormatError:
    """The one line for a file that cannot be opened or unpacked."""
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return FormatError(f"cannot be read: {why}", file=path, line=line or None)


def decode(line: bytes, encoding: str, path: Path, number: int) -> str:
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {line[error.start]:#04x} at position {error.start + 1} is not {encoding};"
            " name the file's encoding, for example --encoding latin-1",
            file=path,
            line=number,
        ) from None
    except LookupError:
        raise UsageError(f'unknown encoding "{encoding}"; try utf-8, latin-1, cp1252') from None


def read_json_lines(
    path: Path, *, max_line: int = MAX_LINE, encoding: str = "utf-8"
) -> Iterator[tuple[int, Any]]:
    """One JSON value a line, with its line number."""
    for number, text in read_lines(path, max_line=max_line, encoding=encoding):
        yield number, parse_json(text, path, number)


def parse_json(text: str, path: Path, number: int) -> Any:
    """The value that a text is."""
    return _parsed(lambda: _DECODER.decode(text), path, number)


def parse_json_at(text: str, at: int, path: Path, number: int) -> tuple[Any, int]:
    """The value that begins at a place in a text, and the place where it ends."""
    return _parsed(lambda: _DECODER.raw_decode(text, at), path, number)


def _parsed(parse: Callable[[], T], path: Path, number: int) -> T:
    try:
        return parse()
    except _Refused as error:
        raise FormatError(str(error), file=path, line=number) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg} at column {error.colno}", file=path, line=number) from None
    except RecursionError:
        raise FormatError("not JSON that can be read: nested too deeply", file=path, line=number) from None
    except ValueError as error:  # a number of more digits than Python converts
        raise FormatError(f"not JSON that can be read: {too_long(error)}", file=path, line=number) from None


def too_long(error: ValueError) -> str:
    """Python's words for a number of thousands of digits, without its advice to programmers."""
    return "a number has too many digits" if "set_int_max_str_digits" in str(error) else str(error)


def dump_json(value: object) -> str:
    """One value as one line, the way every file of an evaluation is written."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class _Refused(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise _Refused(f"{quoted(counts.most_common(1)[0][0])} stands twice in one object")
    return result


def _no_constant(name: str) -> Any:
    raise _Refused(f"{name} is not a JSON number; write null for what is missing")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
