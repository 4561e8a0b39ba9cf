"""Connections that do not wait for ever: a request must arrive in time, has a size, and there are so many at most.

uvicorn waits for the rest of a request as long as it takes: its only limit is on the time between two requests. Here a
request's headers and its body have a time limit each, however slowly they trickle in; and where there are too many
connections, the one that has been waiting longest for its request makes room, not the one that sends one now.

uvicorn also reads, and throws away, what still comes of a body when the answer is out. Here that ends at the size that
a request may have: whoever is told that it is too much gets the answer, and is then cut off.
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

LARGEST = 2 * 1024 * 1024
"""Bytes of a request's body."""
HEADERS = 64 * 1024
"""Bytes of its headers at most, as h11 has it."""
FILES = 16_384
"""Open files that are asked for; 10,000 connections need as many."""
SPARE = 500
"""Files that are not for connections: the database, pages, and those that are taken up before others are closed."""
AT_A_TIME = 128
"""Connections that are taken up before those that are there are looked at again."""
QUEUE = 2048
"""Connections that wait to be taken up."""
TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True)
class Patience:
    """How long to wait for a request, in seconds, and for how many at once."""

    headers: float = 10.0
    body: float = 30.0
    connections: int = 600


def raise_file_limit() -> int:
    """Allows as many open files as the system permits, up to `FILES`; says how many there may be now."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # macOS permits less than it says
            return soft
        return wanted
    return FILES if soft == resource.RLIM_INFINITY else soft


def connections_for(files: int) -> int:
    """How many connections fit, with some files to spare."""
    return max(files - SPARE, files // 2, 1)


class PromptServer(uvicorn.Server):
    """Takes up few connections at a time, while many may wait to be taken up."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(QUEUE)


def protocol_with(patience: Patience) -> type[PromptProtocol]:
    """The protocol for one server: its connections know of each other."""

    class Prompt(PromptProtocol):
        limits = patience
        waiting: dict[PromptProtocol, None] = {}  # noqa: RUF012  # one for all connections of this server

    return Prompt


class PromptProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with limits."""

    limits: Patience
    waiting: dict[PromptProtocol, None]
    """Connections that wait for a request or for the rest of one, the longest first."""
    _phase: tuple[Any, Any] | None = None
    _timer: asyncio.TimerHandle | None = None
    _begun = False
    """Whether anything of the next request has come."""
    _unread = 0
    """How much of the last response was on its way when time was up."""
    _came = 0
    """Bytes that came since the last request was there."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # asyncio does so only where the listening socket names its protocol: else the second part of a response waits
        # until the browser has acknowledged the first, which it puts off for 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._look()
        if len(self.connections) > self.limits.connections:
            longest = next(iter(self.waiting), self)
            longest.drop()

    def data_received(self, data: bytes) -> None:
        self._begun = True
        self._came += len(data)
        if self._came > HEADERS + LARGEST + len(data):  # one read may hold the end of another request
            self.drop()
            return
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        self._begun = False
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Ends the connection without a word."""
        self._rest()
        self.transport.abort()

    def _look(self) -> None:
        """Starts a time limit where the connection has come to wait for something new."""
        state = self.conn.their_state
        phase = (state, self.cycle)
        if phase == self._phase or self.transport.is_closing():
            return
        self._rest()
        if self._phase is None or self._phase[1] is not self.cycle or state is h11.IDLE:
            self._came = 0
        self._phase, self._unread = phase, 0
        if state is h11.IDLE or state is h11.SEND_BODY:
            seconds = self.limits.headers if state is h11.IDLE else self.limits.body
            self._timer = self.loop.call_later(seconds, self._late)
            self.waiting[self] = None

    def _rest(self) -> None:
        self.waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        """Too late. A browser that opened a connection in advance and sent nothing is told nothing.

        Whoever still reads the last response, however slowly, may go on as long as they do read.
        """
        before, self._unread = self._unread, self.transport.get_write_buffer_size()
        if self._unread and not self._begun and (self._unread < before or not before):
            self._timer = self.loop.call_later(self.limits.headers, self._late)
            return
        answered = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if self._begun and not answered and not self.transport.is_closing():
            self.transport.write(TIMEOUT)
            if not self.transport.get_write_buffer_size():
                self._rest()
                self.transport.close()
                return
        self.drop()
