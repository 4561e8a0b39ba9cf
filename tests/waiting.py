"""How tests wait: for something to happen, never for a time to pass. No tests here.

Limits are an end to waiting for ever. They are far beyond what the busiest machine needs, and no test asserts them.
"""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

HANG = 600.0  # seconds
WORK = 120.0  # seconds of this process alone, however busy the machine is: for what would take hours


def until(condition: Callable[[], object], what: str, *, pause: float = 0.01) -> None:
    """Looks again and again until it is so."""
    end = time.monotonic() + HANG
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not after {HANG:g} s")
        time.sleep(pause)


def until_listening(port: int, process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """Until a process that was started takes connections at a port of this computer."""

    def listens() -> bool:
        if process.poll() is not None:
            said = process.stderr.read()[-2000:] if process.stderr else ""
            raise RuntimeError(f"{process.args!r} ended with {process.returncode}: {said!r}")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    until(listens, f"somebody listens at {port}")


@contextmanager
def not_stuck(what: str) -> Iterator[None]:
    """Fails what would run for ever here: on a pipe, or in more steps than anybody waits for."""

    def stuck(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"{what}: no end")

    kinds = {signal.SIGALRM: (signal.ITIMER_REAL, HANG), signal.SIGVTALRM: (signal.ITIMER_VIRTUAL, WORK)}
    before = {kind: signal.signal(kind, stuck) for kind in kinds}
    try:
        for timer, seconds in kinds.values():
            signal.setitimer(timer, seconds)
        yield
    finally:
        for kind, (timer, _) in kinds.items():
            signal.setitimer(timer, 0)
            signal.signal(kind, before[kind])


def free_port() -> int:
    """One that nobody listens at, from below those that systems give to connections as they come."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("", port))
            return port
