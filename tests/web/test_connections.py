"""The real server against those who send half of a request: they are cut off, and others are served."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.judgments.making import an_event
from tests.web.browser.server import Server
from tests.web.making import ORGANISER, answer
from uvicorn.server import ServerState

from adjudge.evaluation import Evaluation
from adjudge.judgments.store.store import store_of
from adjudge.web.connections import (
    FILES,
    Patience,
    PromptProtocol,
    connections_for,
    protocol_with,
    raise_file_limit,
)
from adjudge.web.serving import Address, listening
from adjudge.web.site import Site

ANN = "ann"
HEAD = b"POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
SHORT = """
import sys
from adjudge.data.folder import Folder
from adjudge.web.connections import Patience
from adjudge.web.serving import Address, serve
from pathlib import Path
serve(Folder.open(Path(sys.argv[1])), Address(port=int(sys.argv[2])), print, patience=Patience(0.4, 0.9, 50))
"""


class Brief(Server):
    """A server with little patience, or with few files."""

    def __init__(self, folder: Path, files: tuple[int, int] | None = None):
        super().__init__(folder)
        self.files = files

    def start(self) -> None:
        if self.files is None:
            command = [sys.executable, "-c", SHORT, str(self.folder), str(self.port)]
        else:
            command = [sys.executable, "-m", "adjudge", "serve", str(self.folder), "--port", str(self.port)]
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        limits = before if self.files is None else self.files
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits),
        )
        end = time.monotonic() + 60
        while not self._listens():
            assert self.process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)


@contextmanager
def serving(
    evaluation: Evaluation, files: tuple[int, int] | None = None
) -> Iterator[tuple[Server, str, str]]:
    """A server, a personal link's token, and the public id of a task."""
    site = Site.open(evaluation.folder)
    token = site.store.accounts.renew_link(ANN)
    task = next(site.task_key(task) for task in site.tasks_of(ANN) if task.protocol == "rating")
    site.close()
    server = Brief(evaluation.path, files)
    server.start()
    try:
        yield server, token, task
    finally:
        server.stop()


def ask(server: Server, path: str, body: Any, headers: dict[str, str]) -> tuple[Any, dict[str, str]]:
    """A request on a connection of its own; the answer, and what later requests send along."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
    response = connection.getresponse()
    found = json.loads(response.read())
    assert response.status == 200, found
    cookie = response.headers.get("set-cookie", "").partition(";")[0]
    connection.close()
    return found, {**headers, **({"Cookie": cookie} if cookie else {})}


def signed_in(server: Server, token: str) -> dict[str, str]:
    me, headers = ask(server, "/api/sign-in", {"token": token}, {})
    return {**headers, "X-Adjudge-CSRF": me["csrf"], "X-Adjudge-Person": me["person"]}


def save(server: Server, task: str, headers: dict[str, str]) -> float:
    start = time.monotonic()
    sent = answer(task, "comment", {"text": "x"})
    receipt, _ = ask(server, "/api/events", {"events": [sent]}, headers)
    assert [each["id"] for each in receipt["saved"]] == [sent["id"]]
    return time.monotonic() - start


def rest(server: Server, *sent: bytes, pause: float = 0.0) -> tuple[bytes, float]:
    """What comes back for bytes that are sent with pauses, until the server ends it, and after how long."""
    start = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        found = b""
        for each in sent:
            try:
                connection.sendall(each)
                connection.settimeout(pause)
                with suppress(TimeoutError):
                    found += connection.recv(4096)
            except OSError:
                break
        connection.settimeout(20)
        with suppress(ConnectionResetError):
            while more := connection.recv(4096):
                found += more
    return found, time.monotonic() - start


def test_half_a_request_is_cut_off(evaluation: Evaluation) -> None:
    with serving(evaluation) as (server, token, task):
        nothing, waited = rest(server, b"")
        assert nothing == b""
        assert 0.3 < waited < 5
        head, waited = rest(server, HEAD)
        assert head.startswith(b"HTTP/1.1 408 ")
        assert 0.3 < waited < 5
        body, waited = rest(server, HEAD + b'Content-Length: 100\r\n\r\n{"tok')
        assert body.startswith(b"HTTP/1.1 408 ")
        assert 0.8 < waited < 5
        headers = signed_in(server, token)
        assert save(server, task, headers) < 5


def test_trickling_does_not_help(evaluation: Evaluation) -> None:
    """A byte now and then, each of which would count as a sign of life."""
    with serving(evaluation) as (server, _, _):
        found, waited = rest(server, *(bytes([each]) for each in HEAD), pause=0.1)
        assert found.startswith(b"HTTP/1.1 408 ")
        assert waited < 4
        start = HEAD + b"Content-Length: 100\r\n\r\n"
        found, waited = rest(server, start, *([b"x"] * 99), pause=0.1)
        assert found.startswith(b"HTTP/1.1 408 ")
        assert 0.8 < waited < 5
        first = b"GET /in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        found, waited = rest(server, first, *(bytes([each]) for each in HEAD), pause=0.1)
        assert found.startswith(b"HTTP/1.1 200 ")
        assert found.count(b"HTTP/1.1 408 ") == 1, "the second request of a connection, too"
        assert waited < 5


def test_whole_requests_one_after_the_other_are_served_on_one_connection(evaluation: Evaluation) -> None:
    """Limits begin anew with each request: a connection that is used for longer than they last is not cut off."""
    with serving(evaluation) as (server, _, _):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        kept = None
        for _ in range(12):
            connection.request("POST", "/api/sign-out", b"{}", {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.status == 200
            response.read()
            assert connection.sock is not None
            kept = kept or connection.sock
            assert connection.sock is kept
            time.sleep(0.15)
        connection.close()
        pair = b"GET /in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 2
        assert rest(server, pair)[0].count(b"HTTP/1.1 200 ") == 2, "sent at once"


@pytest.mark.parametrize("reads", [True, False])
def test_whoever_reads_a_long_answer_slowly_gets_all_of_it(evaluation: Evaluation, reads: bool) -> None:
    """As long as they do read; whoever stops is cut off, too."""
    with store_of(evaluation.folder) as store:
        token = store.accounts.renew_link(ORGANISER)
        task = next(task for task in store.tasks(assessor=ANN))
        text = {"text": "x" * 9000}
        store.append([an_event(store, text, task=task.id, question="comment") for _ in range(1000)])
    with serving(evaluation) as (server, _, _), socket.socket() as connection:
        headers = signed_in(server, token)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.settimeout(20)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(
            b"GET /organiser/export/jsonl HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            + f"Cookie: {headers['Cookie']}\r\n\r\n".encode()
        )
        if not reads:
            time.sleep(3)
        head, _, body = connection.recv(65536).partition(b"\r\n\r\n")
        found = re.search(rb"content-length: (\d+)", head)
        assert found is not None
        length, got, start = int(found[1]), len(body), time.monotonic()
        assert length > 9e6
        with suppress(ConnectionResetError):
            while more := connection.recv(200_000):
                got += len(more)
                if got == length:
                    break
                time.sleep(0.015 if reads else 0)
        assert (got == length) == reads
        assert not reads or time.monotonic() - start > 1.5, "that was slow: several times the limit"


def test_where_there_are_too_many_the_one_that_waited_longest_makes_room(evaluation: Evaluation) -> None:
    with serving(evaluation) as (server, token, task), ExitStack() as stack:
        headers = signed_in(server, token)
        for _ in range(120):  # 50 are allowed
            half = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            half.sendall(HEAD)
        assert save(server, task, headers) < 5


HARD = resource.getrlimit(resource.RLIMIT_NOFILE)[1]


@pytest.mark.parametrize(
    "files", [(1024, 1024), (1024, min(HARD, 8192))], ids=["few files", "more on demand"]
)
@pytest.mark.parametrize("sent", [HEAD, HEAD + b"Content-Length: 100\r\n\r\n{"], ids=["headers", "body"])
def test_with_3000_halves_answers_are_saved(
    evaluation: Evaluation, files: tuple[int, int], sent: bytes
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.fail("this test opens 3,000 connections; allow more files (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    with serving(evaluation, files) as (server, token, task), ExitStack() as stack:
        headers = signed_in(server, token)
        for _ in range(3000):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20))
            half.sendall(sent)
        waited = [save(server, task, headers) for _ in range(10)]
        assert max(waited) < 10
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_file_limit_is_raised_as_far_as_it_goes() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 2048));"
        "from adjudge.web.connections import raise_file_limit;"
        "print(raise_file_limit(), *resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2048", "2048", "2048"]
    assert raise_file_limit() <= max(FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    assert [connections_for(n) for n in (256, 1024, 20_000)] == [128, 524, 19_500]


def test_no_part_of_a_response_waits_for_the_one_before_it_to_be_acknowledged() -> None:
    async def connected() -> int:
        prompt, state = protocol_with(Patience()), ServerState()
        config = uvicorn.Config(lambda: None, http=prompt, log_config=None)
        config.load()

        def protocol() -> PromptProtocol:
            return prompt(config=config, server_state=state, app_state={})

        with listening(Address(port=0)) as listener:
            server = await asyncio.get_running_loop().create_server(protocol, sock=listener)
            async with server:
                _, writer = await asyncio.open_connection(*listener.getsockname())
                while not state.connections:
                    await asyncio.sleep(0)
                (made,) = state.connections
                option: int = made.transport.get_extra_info("socket").getsockopt(
                    socket.IPPROTO_TCP, socket.TCP_NODELAY
                )
                writer.close()
                return option

    assert asyncio.run(connected())
