"""The real server against those who send too much: whatever the headers say, reading stops at the limit."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.waiting import HANG
from tests.web.browser.server import Server
from tests.web.making import Running

from adjudge.web.connections import LARGEST

HOST = b"Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
BLOCK = b" " * 65536
CHUNK = b"10000\r\n" + BLOCK + b"\r\n"
ENDLESS = 96 * 2**20
"""What is pushed in all, unless the server stops it."""
BUFFERS = 16 * 2**20
"""What the two ends of a connection may hold that nobody has read."""


@pytest.fixture(scope="module")
def server(template: Path) -> Iterator[Server]:
    """Nothing is saved here, so one folder does for all."""
    found = Server(template)
    found.start()
    yield found
    found.stop()


def most_memory(server: Server) -> int:
    """The most bytes that the server has ever held."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


def push(server: Server, head: bytes, block: bytes, most: int = ENDLESS) -> tuple[int, int]:
    """Sends a head, then blocks without end; the status of the answer, and how much went out."""
    sent, answer = 0, b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=HANG) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        with suppress(ConnectionError):
            connection.sendall(head)
            while sent < most:
                connection.sendall(block)
                sent += len(block)
        with suppress(ConnectionError):
            while more := connection.recv(65536):
                answer += more
    found = re.match(rb"HTTP/1\.1 (\d+) ", answer)
    return (0 if found is None else int(found[1])), sent


LENGTH = b"Content-Length: %d\r\n"
CASES = {
    "both headers": (b"POST /api/sign-in", LENGTH % 10 + CHUNKED, CHUNK, 400),
    "both, the other way round": (b"POST /api/sign-in", CHUNKED + LENGTH % 10, CHUNK, 400),
    "both, with a GET": (b"GET /in", LENGTH % 10 + CHUNKED, CHUNK, 400),
    "both, to no page": (b"POST /nothing", LENGTH % 10 + CHUNKED, CHUNK, 400),
    "chunked": (b"POST /api/sign-in", CHUNKED, CHUNK, 411),
    "chunked, with a GET": (b"GET /in", CHUNKED, CHUNK, 411),
    "chunked, with a DELETE": (b"DELETE /in", CHUNKED, CHUNK, 411),
    "a long body": (b"POST /api/sign-in", LENGTH % ENDLESS, BLOCK, 413),
    "a long body, with a GET": (b"GET /in", LENGTH % ENDLESS, BLOCK, 413),
    "a long body, with a method of one's own": (b"BREW /in", LENGTH % ENDLESS, BLOCK, 413),
    "a length of many digits": (b"POST /api/sign-in", b"Content-Length: %b\r\n" % (b"9" * 5000), BLOCK, 400),
    "a length of some digits": (b"POST /api/sign-in", b"Content-Length: %b\r\n" % (b"9" * 19), BLOCK, 413),
    "two lengths": (b"POST /api/sign-in", LENGTH % 10 + LENGTH % ENDLESS, BLOCK, 400),
    "a sign": (b"POST /api/sign-in", b"Content-Length: +5\r\n", BLOCK, 400),
    "other digits": (b"POST /api/sign-in", "Content-Length: ٣\r\n".encode(), BLOCK, 400),
    "a folded line": (b"POST /api/sign-in", b"Content-Length:\r\n 10\r\n" + CHUNKED, CHUNK, 400),
    "another encoding": (b"POST /api/sign-in", b"Transfer-Encoding: gzip, chunked\r\n", CHUNK, 400),
    "endless headers": (b"POST /api/sign-in", b"X-Y: ", BLOCK, 400),
}


@pytest.mark.parametrize("case", CASES)
def test_reading_stops_at_the_limit(server: Server, case: str) -> None:
    start, headers, block, status = CASES[case]
    end = b"" if headers.endswith(b": ") else b"\r\n"
    before = most_memory(server)
    answered, sent = push(server, start + b" HTTP/1.1\r\n" + HOST + headers + end, block)
    assert answered == status
    assert sent < LARGEST + BUFFERS
    assert most_memory(server) - before < 32 * 2**20


def test_what_is_just_small_enough_is_read(server: Server) -> None:
    """And more of it on the same connection: each request is counted for itself."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=HANG)) as connection:
        for _ in range(3):
            connection.request("POST", "/api/sign-in", b" " * LARGEST, {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.status == 422
            response.read()


def test_bodies_are_counted_whatever_the_server_in_front_let_through(app: Running) -> None:
    """Another server may say a length and hand over more."""
    blocks = [BLOCK] * (LARGEST // len(BLOCK) + 1)
    response = app.client().post("/api/sign-in", content=iter(blocks), headers={"Content-Length": "5"})
    assert response.status_code == 413
    assert response.json() == {"says": "This is too much at once."}
