"""One thread for linear algebra while small equations are solved, or small matrices multiplied, thousands of times.

The threads of a linear algebra library wait for each other in a busy loop. On a few hundred unknowns or columns that
takes longer than the work: a fit of 1,500 ratings took 50 seconds of two busy cores, 2 of one; `meta` and `judge
report` twice to three times the CPU seconds. Nothing is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

ALONE_UP_TO = 1000
"""Unknowns up to which one thread solves them: some 30 ms. Beyond, threads are worth their wait."""


@cache
def _libraries() -> Any:
    """NumPy's and SciPy's, which have to be loaded to be seen."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_thread(unknowns: int = 0) -> Iterator[None]:
    """Linear algebra within takes one thread, and as many as before afterwards."""
    if unknowns > ALONE_UP_TO:
        yield
        return
    with _libraries().limit(limits=1, user_api="blas"):
        yield
