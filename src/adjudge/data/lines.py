"""Text files in, one line at a time, with limits; one JSON value a line. Knows nothing of rows."""

from __future__ import annotations

import codecs
import io
import json
import lzma
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from adjudge.core.errors import FormatError, UsageError, quoted
from adjudge.core.phrases import Argument
from adjudge.data.absent import absent_words
from adjudge.data.packed import open_bytes

T = TypeVar("T")
MAX_LINE = 64 * 1024 * 1024  # bytes; a longer line is refused without being read whole
_BOM = b"\xef\xbb\xbf"
_MARKS = (  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PEEK = 1024
_CHUNK = 1 << 16


class TextBytes(NamedTuple):
    """A text file as bytes in which a newline is one byte, their encoding, and what the file itself is in."""

    stream: IO[bytes]
    encoding: str
    file_encoding: str


def open_text(path: Path, encoding: str = "utf-8") -> TextBytes:
    """A file's bytes, unpacked. UTF-16 and UTF-32 are told by their first bytes and recoded to UTF-8.

    The first bytes win over "utf-8" alone: any other encoding was asked for.
    """
    stream = open_bytes(path)
    try:
        actual = (_wide(stream) if _name(encoding) == "utf-8" else None) or encoding
        if _name(actual).startswith(("utf-16", "utf-32")):
            return TextBytes(io.BufferedReader(_Recoded(stream, actual), _CHUNK), "utf-8", actual)
        return TextBytes(stream, encoding, encoding)
    except BaseException:
        stream.close()
        raise


def _name(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise _unknown(encoding) from None


def _unknown(encoding: str) -> UsageError:
    return UsageError(f'unknown encoding "{encoding}"; try utf-8, latin-1, cp1252')


def _wide(stream: IO[bytes]) -> str | None:
    return wide_encoding(stream.peek(_PEEK)[:_PEEK])  # type: ignore[attr-defined]


def wide_encoding(start: bytes) -> str | None:
    """UTF-16 or UTF-32, by the mark at the beginning or, of UTF-16, by where its zero bytes are."""
    if marked := next((name for mark, name in _MARKS if start.startswith(mark)), None):
        return marked
    even, odd = start[::2].count(0), start[1::2].count(0)
    if 4 * max(even, odd) > len(start) and not min(even, odd):  # half of the characters or more are Latin
        return "utf-16-be" if even else "utf-16-le"
    return None


class _Recoded(io.RawIOBase):
    """A stream in another encoding, as UTF-8."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream, self._encoding = stream, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._at_end = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._at_end:
            block = self._stream.read(_CHUNK)
            self._at_end = not block
            try:
                self._ready = self._decoder.decode(block, final=not block).encode("utf-8")
            except UnicodeError as error:
                raise OSError(f"this is not {self._encoding}: {getattr(error, 'reason', error)}") from None
        part, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._stream.close()
        super().close()


def read_lines(path: Path, *, max_line: int = MAX_LINE, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines that are not blank, numbered from 1, decoded, without their ends.

    Only a newline ends a line: U+2028 and its like may stand inside a JSON text.
    """
    number = 0
    try:
        text_in = open_text(path, encoding)
        with text_in.stream as stream:
            while line := stream.readline(max_line + 1):
                number += 1
                if len(line) > max_line:
                    raise FormatError(
                        f"the line is longer than {max_line:,} bytes; allow more with {Argument('max_line')}",
                        file=path,
                        line=number,
                    )
                if number == 1:
                    line = line.removeprefix(_BOM)
                if text := decode(line, text_in.encoding, path, number).strip("\r\n \t"):
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
    hint = absent_words(path) if isinstance(error, FileNotFoundError) else ""
    return FormatError(f"cannot be read: {why}{hint}", file=path, line=line or None)


def decode(line: bytes, encoding: str, path: Path, number: int) -> str:
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {line[error.start]:#04x} at position {error.start + 1} is not {encoding};"
            f" name the file's encoding, for example {Argument('encoding', 'latin-1')}",
            file=path,
            line=number,
        ) from None
    except LookupError:
        raise _unknown(encoding) from None


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
        problem = f"not JSON: {error.msg} at column {error.colno}{_json_hint(error)}"
        raise FormatError(problem, file=path, line=number) from None
    except RecursionError:
        raise FormatError("not JSON that can be read: nested too deeply", file=path, line=number) from None
    except ValueError as error:  # a number of more digits than Python converts
        raise FormatError(f"not JSON that can be read: {too_long(error)}", file=path, line=number) from None


def _json_hint(error: json.JSONDecodeError) -> str:
    """What people mostly did where JSON breaks off here."""
    before, after = error.doc[: error.pos].rstrip(), error.doc[error.pos : error.pos + 1]
    if after == "'":
        return ": texts and names stand in double quotes; Python writes them so with json.dumps"
    if before.endswith(",") and after in ("]", "}", ""):
        return ": delete the comma before it"
    if (after == "," and before[-1:] in ("", "}")) or error.doc[error.pos :].strip() == ",":
        return ": delete the comma between the objects, each of which stands on its own line"
    if error.doc.startswith("{") and not error.doc.rstrip().endswith("}"):
        return ": is the line cut off? It begins with { and must end with }"
    return ""


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
