"""Work gives the same numbers wherever it runs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from adjudge.core.engine import chunked, generator, run, worker_count
from adjudge.core.errors import UsageError


def draw(chunk: tuple[int, list[int]]) -> list[float]:
    number, items = chunk
    return [float(x) for x in generator(7, "test", number).normal(size=len(items))]


def where(chunk: int) -> int:
    return os.getpid()


def fail(chunk: int) -> int:
    raise UsageError(f"chunk {chunk} is bad")


def test_numbers_do_not_depend_on_the_workers() -> None:
    chunks = [(k, list(items)) for k, items in enumerate(chunked(list(range(50)), 7))]
    alone = list(run(draw, chunks))
    assert list(run(draw, chunks, workers=2)) == alone
    assert list(run(draw, chunks, workers=3)) == alone
    assert len({x for xs in alone for x in xs}) == 50


def test_more_workers_are_other_processes() -> None:
    assert set(run(where, [1, 2])) == {os.getpid()}
    assert os.getpid() not in set(run(where, range(4), workers=2))


def test_chunks_are_taken_as_needed() -> None:
    taken = []

    def endless() -> Iterator[int]:
        for k in range(10**9):
            taken.append(k)
            yield k

    results = run(where, endless(), workers=2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(taken) < 10


def test_errors_arrive_as_they_are() -> None:
    for workers in (1, 2):
        with pytest.raises(UsageError, match="chunk 1 is bad"):
            list(run(fail, [1, 2], workers=workers))


def test_streams_differ_by_seed_task_and_chunk() -> None:
    first = {generator(s, t, c).random() for s in (0, 1) for t in ("a", "b") for c in (0, 1)}
    assert len(first) == 8
    assert generator(0, "a", 1).random() == generator(0, "a", 1).random()
    with pytest.raises(UsageError, match="the seed is -1"):
        generator(-1, "a")


def test_how_many_workers() -> None:
    assert worker_count("auto") >= 1
    for bad in (0, -1, "many"):
        with pytest.raises(UsageError, match="expected a number of processes or auto"):
            worker_count(bad)  # type: ignore[arg-type]


def test_chunks_depend_on_the_work_alone() -> None:
    assert chunked([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
    assert chunked([], 2) == []
