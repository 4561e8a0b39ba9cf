"""Compiled functions: numba's (`kernel`), and bare ones that run without loading numba (`bare`). No kernels here."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def uncollected() -> Iterator[None]:
    """Hold the cycle collector while millions of words are made: it would walk them all again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class UncachedKernels(UserWarning):
    """Compiled code cannot be kept on disk here, so it is compiled again in every process."""


def kernel(function: F) -> F:
    """Compile a function when it is first called; keep the result for the next process where possible."""
    return cast(F, jitted(function))


def bare(function: F) -> F:
    """As `kernel`, for functions of arrays and numbers that only index: they start without numba. See native.py."""
    from adjudge.compiled.native import Bare

    return cast(F, Bare(function))


def jitted(function: Callable[..., Any], **options: Any) -> Any:
    """The function as numba's, with numba's cache where there is a place for one."""
    import numba

    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no folder to write to: a read-only install without a home
        say_uncached()
        return numba.njit(**options)(function)


@cache
def say_uncached() -> None:
    warnings.warn(
        "compiled code cannot be cached (no writable folder): it is compiled again in every process;"
        " set NUMBA_CACHE_DIR to a folder that can be written",
        UncachedKernels,
        stacklevel=3,
    )
