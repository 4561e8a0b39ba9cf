"""Compressed files in, unpacked on the way, with a limit: a few kilobytes can unpack to more than a machine has.

A text file may become 16 MB, a Parquet file 256 MB, or a hundred times its own size if that is more. What people
have stays far below: text shrinks to a third or a tenth, tables of scores to a thirtieth.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, NamedTuple

from adjudge.core.errors import FormatError, UsageError, quoted
from adjudge.core.phrases import Argument, Spoken, either

PACKED = (".gz", ".bz2", ".xz", ".zst")
TIMES = 100
TEXT_FREELY = 16 << 20
PARQUET_FREELY = 256 << 20
CELL = 16
"""Bytes that a cell of a table takes at least, whatever is in it: nulls are packed to nothing, by the million."""
CELL_OBJECT = 64
"""The same where each becomes an object, in a list of records."""
CELL_SCORE = 192
"""The same where each becomes a score; of the shortest numbers that can be written as many fit as are in a file."""
LOOK_EVERY = 1 << 16
"""Cells that are read before they are counted again, where nothing says before how many there are."""
_BATCH = 4096  # rows of a Parquet file at a time
_CHUNK = 1 << 10  # bytes of a packed file at a time: each of a .zst file may become 32 kB
_UNPACKED = 1 << 16  # bytes of a .bz2 or .xz file that are unpacked at a time
_limit: ContextVar[int | None] = ContextVar("unpacked", default=None)


@contextmanager
def unpacking_up_to(size: int) -> Iterator[None]:
    """Let every file that is read inside unpack to so many bytes, whatever its own size."""
    token = _limit.set(size)
    try:
        yield
    finally:
        _limit.reset(token)


def size_of(option: str, text: str) -> int:
    """A number of bytes as people write it: 64MB."""
    match = re.fullmatch(r"(\d{1,12})\s*([kmg]?)b?", text.strip().lower())
    if not match or not int(match[1]):
        raise UsageError(f"{option} is {quoted(text)}, expected a size such as 64MB")
    return int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[match[2]]


def first_bytes(path: Path, size: int = 8) -> bytes:
    """How a file begins. Of a pipe nothing: what is read from one is gone."""
    if not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.read(size)


def open_bytes(path: Path) -> IO[bytes]:
    """A file as bytes; gzip, bzip2, xz and (with the extra `zstd`) Zstandard are unpacked on the way.

    Its first bytes tell, whatever it is called: browsers unpack what they download and keep its name.
    """
    file = path.open("rb")
    try:
        start = file.peek(_START)[:_START]
        opener = next((candidate for magic, candidate in _OPENERS if re.match(magic, start)), None)
        if opener is None and path.suffix in _BY_NAME and not _PLAIN.fullmatch(start):
            opener = _BY_NAME[path.suffix]  # which says what is wrong with it
        if opener is None:
            return file
        return io.BufferedReader(_Bounded(path, file, opener(file)))
    except BaseException:
        file.close()
        raise


class _Bounded(io.RawIOBase):
    """A stream that is refused once it has given more than its file may unpack to."""

    def __init__(self, path: Path, packed: IO[bytes], unpacked: IO[bytes]) -> None:
        self._path, self._packed, self._unpacked = path, packed, unpacked
        self._left = _allowed(path, TEXT_FREELY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._unpacked.read(len(buffer))
        self._left -= len(block)
        if self._left < 0:
            raise too_large(self._path, _allowed(self._path, TEXT_FREELY))
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        self._unpacked.close()
        self._packed.close()
        super().close()


def _allowed(path: Path, freely: int) -> int:
    limit = _limit.get()
    return limit if limit is not None else max(freely, TIMES * path.stat().st_size)


def check_unpacked(path: Path, size: int) -> None:
    """Refuse an archive whose parts are far larger than it is."""
    if size > (allowed := _allowed(path, TEXT_FREELY)):
        raise too_large(path, allowed)


def _allow(size: str) -> Spoken:
    return either(
        f"read it within unpacking_up_to({size})",
        f"say `adjudge {Argument('max_unpacked', size).at('command')}` before the command",
    )


def too_large(path: Path, allowed: int) -> FormatError:
    return FormatError(
        f"unpacks to more than {allowed:,} bytes from {path.stat().st_size:,}: if you trust it, {_allow('SIZE')}",
        file=path,
    )


class _Streams(io.RawIOBase):
    """The streams of a file, one after another. Whatever is no whole stream is refused.

    The standard library's readers take garbage after a .bz2 or .xz stream, and so a second stream that is damaged, for
    the end of the file; zstandard's takes a frame that is cut off for one.
    """

    _padding = 0

    def __init__(self, file: IO[bytes], start: Callable[[], Any]) -> None:
        self._file = file
        self._start = start
        self._stream: Any = self._first()
        self._packed = self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if not self._packed and (self._stream is None or self._needs_input()):
                self._packed = self._file.read(_CHUNK)
                if not self._packed:
                    if self._stream is not None or self._padding % 4:
                        raise EOFError("the file is cut off")
                    return 0
            if self._stream is None and not self._begin():
                continue
            packed, self._packed = self._packed, b""
            self._ready = self._unpack(packed)
            if self._stream.eof:
                self._packed, self._stream = self._stream.unused_data, None
        block, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(block)] = block
        return len(block)

    def _first(self) -> Any:
        return self._start()  # a file without a stream is cut off

    def _begin(self) -> bool:
        """Start the next stream, if what was read has more than padding."""
        self._stream = self._start()
        return True

    def _needs_input(self) -> bool:
        return bool(self._stream.needs_input)

    def _unpack(self, packed: bytes) -> bytes:
        unpacked: bytes = self._stream.decompress(packed, _UNPACKED)
        return unpacked


class _Padded(_Streams):
    """The streams of an .xz file, which zero bytes may follow, four by four."""

    def _begin(self) -> bool:
        rest = self._packed.lstrip(b"\0")
        self._padding += len(self._packed) - len(rest)
        self._packed = rest
        if not rest:
            return False
        if self._padding % 4:
            raise lzma.LZMAError("bytes between two streams that are no padding")
        self._padding = 0
        return super()._begin()


class _Frames(_Streams):
    """The frames of a .zst file, of which there may be none. What a chunk becomes is given at once."""

    def _first(self) -> Any:
        return None

    def _needs_input(self) -> bool:
        return True

    def _unpack(self, packed: bytes) -> bytes:
        unpacked: bytes = self._stream.decompress(packed)
        return unpacked


def _open_gzip(file: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(gzip.GzipFile(fileobj=file), _UNPACKED)


def _open_bz2(file: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(_Streams(file, bz2.BZ2Decompressor), _UNPACKED)


def _open_xz(file: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(_Padded(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)), _UNPACKED)


def _open_zstd(file: IO[bytes]) -> IO[bytes]:
    try:
        zstandard = importlib.import_module("zstandard")
    except ImportError:
        raise UsageError(f'{file.name}: Zstandard files need an extra: pip install "adjudge[zstd]"') from None
    return io.BufferedReader(_Frames(file, zstandard.ZstdDecompressor().decompressobj), _UNPACKED)


_OPENERS: tuple[tuple[bytes, Callable[[IO[bytes]], IO[bytes]]], ...] = (
    (rb"\x1f\x8b", _open_gzip),
    (rb"BZh[1-9]", _open_bz2),
    (rb"\xfd7zXZ\x00", _open_xz),
    (rb"\x28\xb5\x2f\xfd", _open_zstd),
)
_BY_NAME = dict(zip(PACKED, (opener for _, opener in _OPENERS), strict=True))
_START = 64
_PLAIN = re.compile(rb"[\t\n\r -\xff]{6,}")  # text; fewer bytes may be the beginning of a packed file


def check_cells(path: Path, cells: int, size: int = CELL) -> None:
    """Refuse a table with far more cells than its file has bytes."""
    if cells * size > (allowed := _allowed(path, PARQUET_FREELY)):
        raise FormatError(
            f"has {cells:,} cells or more, and at most {allowed // size:,} are read from {path.stat().st_size:,} bytes:"
            f" if you trust it, {_allow(f'{(cells * size >> 30) + 1}GB')}",
            file=path,
        )


def check_parquet(path: Path, columns: Collection[str] | None = None) -> None:
    """Refuse a Parquet file that would take far more memory than it has bytes, whole or with these columns alone.

    Texts that repeat are stored once, so that only reading tells; they are read as they are stored, and counted. So are
    texts in lists and objects.
    """
    import pyarrow.parquet as pq

    allowed = left = _allowed(path, PARQUET_FREELY)
    with pq.ParquetFile(path) as file:
        if _unpacked_size(file) > allowed:
            raise too_large(path, allowed)
        leaves = _leaves(file, columns)
        check_cells(path, file.metadata.num_rows * len(leaves))
    texts = [leaf.path for leaf in leaves if leaf.is_text]
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        for batch in file.iter_batches(_BATCH, columns=None if columns is None else list(columns)):
            left -= max(sum(map(_size, batch.columns)), CELL * batch.num_rows * batch.num_columns)
            if left < 0:
                raise too_large(path, allowed)


def parquet_batches(path: Path, columns: Collection[str], *, rows: int) -> Iterator[Any]:
    """Some rows of a Parquet file at a time, with the same limit.

    Counting texts as they are stored takes long, so it is done first only where a few rows could become large: for
    texts in lists, and in a file that shrank to less than a tenth. The rest is counted as it is read.
    """
    import pyarrow.parquet as pq

    allowed = left = _allowed(path, PARQUET_FREELY)
    with pq.ParquetFile(path) as file:
        leaves = _leaves(file, columns)
        check_cells(path, file.metadata.num_rows * len(leaves))
        shrank = _unpacked_size(file) > 10 * path.stat().st_size
    risky = sorted({leaf.column for leaf in leaves if leaf.is_text and (leaf.in_list or shrank)})
    if risky:
        check_parquet(path, risky)
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(rows, columns=list(columns)):
            left -= max(sum(map(_size, batch.columns)), CELL * batch.num_rows * batch.num_columns)
            if left < 0:
                raise too_large(path, allowed)
            yield batch


class _Leaf(NamedTuple):
    """A column of a Parquet file as it is stored; lists and objects have several."""

    column: str
    path: str
    is_text: bool
    in_list: bool


def _leaves(file: Any, columns: Collection[str] | None) -> list[_Leaf]:
    """The stored columns of some columns, or of all, by the schema alone: where what a file says of a stored column is
    damaged, pyarrow ends the process (`RowGroupMetaData.column`)."""
    wanted = None if columns is None else {*columns}
    leaves = (file.schema.column(k) for k in range(len(file.schema)))
    return [
        _Leaf(column, leaf.path, leaf.physical_type == "BYTE_ARRAY", leaf.max_repetition_level > 0)
        for leaf in leaves
        if (column := _column_of(leaf.path, wanted)) is not None
    ]


def _unpacked_size(file: Any) -> int:
    """Bytes of all columns as they are stored, before they were packed."""
    return sum(file.metadata.row_group(k).total_byte_size for k in range(file.metadata.num_row_groups))


def _column_of(path: str, wanted: set[str] | None) -> str | None:
    """The column that a stored column belongs to; names may hold points, as those of paths do between their parts."""
    if wanted is None or path in wanted:
        return path
    at = path.find(".")
    while at >= 0:
        if path[:at] in wanted:
            return path[:at]
        at = path.find(".", at + 1)
    return None


def _size(column: Any) -> int:
    """Bytes of an array, with every text counted as often as it occurs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
        return int(pc.sum(lengths).as_py() or 0)
    if pa.types.is_struct(kind):
        return sum(map(_size, column.flatten()))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return int(column.offsets.nbytes) + _size(column.flatten())
    return int(column.nbytes)
