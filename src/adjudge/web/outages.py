"""When the store of answers could not be used: said once in the log, and on the organiser's page. No routes here."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from adjudge.core.errors import StoreUnavailable

log = logging.getLogger("adjudge.web")

MOST = 20
"""Outages that are remembered."""


@dataclass(frozen=True)
class Outage:
    """From the first thing that failed to the first that was written again; `until` is None while it lasts."""

    since: datetime
    why: str
    until: datetime | None = None

    @property
    def words(self) -> str:
        since = f"{self.since:%Y-%m-%d %H:%M:%S}"
        if self.until is None:
            return f"The store of answers cannot be used since {since} UTC: {self.why}"
        until = self.until.strftime(
            "%H:%M:%S" if self.until.date() == self.since.date() else "%Y-%m-%d %H:%M:%S"
        )
        return f"The store of answers could not be used between {since} and {until} UTC: {self.why}"


class Outages:
    """Those since the server started, the latest first. Heard of from any thread."""

    def __init__(self, clock: Callable[[], datetime]):
        self.clock = clock
        self._lock = threading.Lock()
        self._known: deque[Outage] = deque(maxlen=MOST)

    @property
    def latest(self) -> tuple[Outage, ...]:
        with self._lock:
            return tuple(self._known)

    def heard(self, error: StoreUnavailable | None) -> None:
        """Something failed, or, where that is None, something was written."""
        if error is None and not self._lasts():
            return  # as nearly always: no lock
        with self._lock:
            if error is not None and not self._lasts():
                self._known.appendleft(Outage(self.clock(), str(error)))
                log.error(
                    "%s. Answers are kept in the assessors' browsers until it can be used again",
                    self._known[0].words,
                )
            elif error is None and self._lasts():
                self._known[0] = replace(self._known[0], until=self.clock())
                log.warning("%s. It is over: answers are saved again", self._known[0].words)

    def _lasts(self) -> bool:
        return bool(self._known) and self._known[0].until is None
