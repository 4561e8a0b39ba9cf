"""What a folder holds, read once by commands and reports that only look at it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_READ: ContextVar[dict[Hashable, Any] | None] = ContextVar("_READ", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Within it the texts and judgments of a folder are read once, for analyses that each ask for them.

    Nothing may change the folder meanwhile.
    """
    token = _READ.set(kept if (kept := _READ.get()) is not None else {})
    try:
        yield
    finally:
        _READ.reset(token)


def read_once(key: Hashable, read: Callable[[], T]) -> T:
    """`read()`, remembered within `reading_once`."""
    kept = _READ.get()
    if kept is None:
        return read()
    if key not in kept:
        kept[key] = read()
    result: T = kept[key]
    return result
