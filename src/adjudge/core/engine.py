"""Where work runs: in this process or in local processes. A cluster will be a third way through `run`.

Chunk boundaries and random streams depend on the work (seed, task name, chunk number), never on the
workers, so the numbers do not depend on how many there are.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeVar

from adjudge.core.errors import UsageError

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np

T = TypeVar("T")
C = TypeVar("C")

Workers = int | Literal["auto"]
_AHEAD = 2  # chunks in flight per worker: enough to keep it busy, few enough to bound memory


def run(function: Callable[[C], T], chunks: Iterable[C], *, workers: Workers = 1) -> Iterator[T]:
    """`function` of every chunk, in the order of the chunks.

    With more than one worker the function and the chunks travel to other processes, so both must be
    picklable: a function at the top of a module, or a `functools.partial` of one.
    """
    count = worker_count(workers)
    if count == 1:
        return map(function, chunks)
    return _in_processes(function, chunks, count)


def worker_count(workers: Workers) -> int:
    """How many processes that means here; `auto` is one per core this process may use."""
    if workers == "auto":
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    if not isinstance(workers, int) or workers < 1:
        raise UsageError(f"workers is {workers!r}, expected a number of processes or auto")
    return workers


def _in_processes(function: Callable[[C], T], chunks: Iterable[C], count: int) -> Iterator[T]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # "spawn" is what Windows and macOS do: one way everywhere, and no copy of half a lock
    context = multiprocessing.get_context("spawn")
    remaining = iter(chunks)
    with ProcessPoolExecutor(count, mp_context=context) as pool:
        flying: deque[Future[T]] = deque(
            pool.submit(function, chunk) for chunk in islice(remaining, count * _AHEAD)
        )
        try:
            while flying:
                yield flying.popleft().result()
                flying.extend(pool.submit(function, chunk) for chunk in islice(remaining, 1))
        finally:
            for future in flying:
                future.cancel()


def chunked(items: Sequence[C], size: int) -> list[Sequence[C]]:
    """Pieces of `size` items; the last one may be shorter."""
    return [items[i : i + size] for i in range(0, len(items), size)]


def generator(seed: int, task: str, chunk: int = 0, *, key: bytes = b"") -> np.random.Generator:
    """The random stream of one chunk of one task: the same whoever draws from it, and wherever.

    With a `key` only who has it can say what will be drawn.
    """
    from hashlib import blake2b

    import numpy as np

    if seed < 0:
        raise UsageError(f"the seed is {seed}, expected 0 or more")
    name = int.from_bytes(blake2b(task.encode(), digest_size=8, key=key).digest(), "big")
    return np.random.default_rng(np.random.SeedSequence([seed, name, chunk]))
