"""Where compiled bare kernels are kept between processes. What they are is objects.py's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec, source_hash
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = b"adjudge kernel 1\n"
_CHECK = 8  # bytes of the digest that follows


@dataclass(frozen=True)
class Place:
    """Files that may hold one kernel for one kind of arguments, the first choice first, and the name inside."""

    files: tuple[Path, ...]
    symbol: str

    @classmethod
    def of(cls, function: Callable[..., Any], kinds: Sequence[str]) -> Place:
        """The name says what the code depends on: source, constants, arguments, compilers, the machine."""
        from adjudge.compiled.objects import target

        source = Path(function.__code__.co_filename)
        constants = {k: v for k, v in function.__globals__.items() if isinstance(v, int | float | np.generic)}
        parts = (FORMAT, _bytes(source), repr((constants, kinds, target())).encode(), _compiler())
        digest = source_hash(b"\0".join(parts)).hex()
        name = f"{source.stem}.{function.__name__}-{digest}.object"
        symbol = f"adjudge_{function.__name__}_{digest}"
        return cls(tuple(folder / name for folder in _folders(source)), symbol)

    def read(self) -> bytes | None:
        """The code, where a file has it whole."""
        for file in self.files:
            with suppress(OSError):
                found = file.read_bytes()
                check, code = found[len(FORMAT) : len(FORMAT) + _CHECK], found[len(FORMAT) + _CHECK :]
                if found.startswith(FORMAT) and check == source_hash(code):
                    return code
        return None

    def write(self, code: bytes) -> bool:
        """Keep the code in the first folder that takes it; by one rename, so that nobody reads half of it."""
        return any(_written(file, FORMAT + source_hash(code) + code) for file in self.files)


def _written(file: Path, content: bytes) -> bool:
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(content)
        scratch.replace(file)
    except OSError:
        with suppress(OSError):
            scratch.unlink()
        return False
    return True


def _folders(source: Path) -> Iterator[Path]:
    """Where numba would look: the folder it is told, beside the source, in the user's home."""
    if told := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(told)
    yield source.parent / "__pycache__"
    with suppress(RuntimeError):  # no home
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "adjudge")


@cache
def _bytes(source: Path) -> bytes:
    return source.read_bytes()


@cache
def _compiler() -> bytes:
    """numba's version, without loading it."""
    found = find_spec("numba")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("numba")
    return Path(found.origin).with_name("_version.py").read_bytes()
