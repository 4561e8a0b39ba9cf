"""The real server against those who send half of a request: they are cut off, and others are served.

The clock of the server's loop stands until a test moves it, so that nothing here depends on how fast the machine is.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest
import uvicorn
from tests.judgments.making import an_event
from tests.waiting import HANG, free_port, until, until_listening
from tests.web.making import ORGANISER, answer
from uvicorn.server import ServerState

from adjudge.evaluation import Evaluation
from adjudge.judgments.store.store import store_of
from adjudge.web import serving
from adjudge.web.connections import (
    FILES,
    Patience,
    PromptProtocol,
    PromptServer,
    connections_for,
    protocol_with,
    raise_file_limit,
)
from adjudge.web.serving import Address, listening
from adjudge.web.site import Site

ANN = "ann"
HEAD = b"POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
PAGE = b"GET /in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
LATE = b"HTTP/1.1 408 "
HEADERS, BODY, MOST = 10.0, 30.0, 50


class HandLoop(asyncio.SelectorEventLoop):
    """A loop whose clock is moved by hand, until it is let go."""

    now, by_hand = 0.0, True

    def time(self) -> float:
        return self.now + (0.0 if self.by_hand else time.monotonic())

    async def move(self, seconds: float) -> None:
        self.now += seconds
        for _ in range(5):  # whatever is due now has happened when this returns
            await asyncio.sleep(0)

    def let_go(self) -> None:
        self.by_hand = False


class Place:
    """A server in a thread of its own, what it has got so far, and people who send to it."""

    def __init__(self, port: int) -> None:
        self.port, self.received, self.connections = port, 0, list[PromptProtocol]()
        self.loop = HandLoop()
        self.server: PromptServer | None = None
        self.listening = threading.Event()
        self.stack = ExitStack()

    def move(self, seconds: float) -> None:
        asyncio.run_coroutine_threadsafe(self.loop.move(seconds), self.loop).result(HANG)

    def connect(self, sent: bytes = b"") -> socket.socket:
        """A connection, when the server has taken it up and has got what was sent."""
        there = len(self.connections)
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=HANG)
        self.stack.enter_context(connection)
        until(lambda: len(self.connections) > there, "the server takes up a connection", pause=0.001)
        self.send(connection, sent)
        return connection

    def send(self, connection: socket.socket, sent: bytes) -> None:
        before = self.received
        connection.sendall(sent)
        until(lambda: self.received == before + len(sent), "the server gets what was sent", pause=0.001)


@contextmanager
def by_hand(evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    place = Place(free_port())

    class HandServer(PromptServer):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            place.server = self
            place.listening.set()

        def run(self, sockets: list[socket.socket] | None = None) -> None:
            with asyncio.Runner(loop_factory=lambda: place.loop) as runner:
                runner.run(self.serve(sockets))

    def watched(patience: Patience) -> type[PromptProtocol]:
        class Watched(protocol_with(patience)):  # type: ignore[misc]
            def connection_made(self, transport: asyncio.Transport) -> None:
                super().connection_made(transport)
                place.connections.append(self)

            def data_received(self, data: bytes) -> None:
                super().data_received(data)
                place.received += len(data)

        return Watched

    monkeypatch.setattr(serving, "PromptServer", HandServer)
    monkeypatch.setattr(serving, "protocol_with", watched)
    address, patience = serving.Address(port=place.port), Patience(HEADERS, BODY, MOST)
    thread = threading.Thread(
        target=lambda: serving.serve(evaluation.folder, address, lambda line: None, patience=patience)
    )
    thread.start()
    assert place.listening.wait(HANG)
    try:
        with place.stack:
            yield place
    finally:
        assert place.server is not None
        place.server.should_exit = True
        place.loop.call_soon_threadsafe(place.loop.let_go)
        thread.join(HANG)
    assert not thread.is_alive()


def is_open(connection: socket.socket) -> bool:
    """Neither ended by the server nor told anything."""
    connection.setblocking(False)
    try:
        connection.recv(1)
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
    else:
        return False
    finally:
        connection.settimeout(HANG)


def rest(connection: socket.socket) -> bytes:
    """Everything that comes until the server ends the connection."""
    came = b""
    with suppress(ConnectionResetError):
        while more := connection.recv(200_000):
            came += more
    return came


def link_and_task(evaluation: Evaluation) -> tuple[str, str]:
    """A personal link's token, and the public id of a task."""
    site = Site.open(evaluation.folder)
    token = site.store.accounts.renew_link(ANN)
    task = next(site.task_key(task) for task in site.tasks_of(ANN) if task.protocol == "rating")
    site.close()
    return token, task


def ask(port: int, path: str, body: Any, headers: dict[str, str]) -> tuple[Any, dict[str, str]]:
    """A request on a connection of its own; the answer, and what later requests send along."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
    response = connection.getresponse()
    says = json.loads(response.read())
    assert response.status == 200, says
    cookie = response.headers.get("set-cookie", "").partition(";")[0]
    connection.close()
    return says, {**headers, **({"Cookie": cookie} if cookie else {})}


def signed_in(port: int, token: str) -> dict[str, str]:
    me, headers = ask(port, "/api/sign-in", {"token": token}, {})
    return {**headers, "X-Adjudge-CSRF": me["csrf"], "X-Adjudge-Person": me["person"]}


def save(port: int, task: str, headers: dict[str, str]) -> None:
    sent = answer(task, "comment", {"text": "x"})
    receipt, _ = ask(port, "/api/events", {"events": [sent]}, headers)
    assert [each["id"] for each in receipt["saved"]] == [sent["id"]]


def test_half_a_request_is_cut_off(evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    token, task = link_and_task(evaluation)
    with by_hand(evaluation, monkeypatch) as place:
        nothing, head = place.connect(), place.connect(HEAD)
        body = place.connect(HEAD + b'Content-Length: 100\r\n\r\n{"tok')
        headers = signed_in(place.port, token)
        place.move(HEADERS - 0.1)
        save(place.port, task, headers)
        assert all(map(is_open, (nothing, head, body)))
        place.move(0.2)
        assert rest(nothing) == b""
        assert rest(head).startswith(LATE)
        place.move(BODY - HEADERS - 0.2)
        save(place.port, task, headers)
        assert is_open(body)
        place.move(0.2)
        assert rest(body).startswith(LATE)
        save(place.port, task, headers)


def test_trickling_does_not_help(evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then, each of which would count as a sign of life."""
    with by_hand(evaluation, monkeypatch) as place:
        head, body = place.connect(), place.connect(HEAD + b"Content-Length: 100\r\n\r\n")
        again = place.connect(PAGE)
        assert again.recv(200_000).startswith(b"HTTP/1.1 200 ")
        for byte in HEAD[: int(HEADERS)]:
            assert is_open(head)
            for connection in (head, body, again):
                place.send(connection, bytes([byte]))
            place.move(1.0)
        assert rest(head).startswith(LATE)
        assert rest(again).count(LATE) == 1, "the second request of a connection, too"
        for _ in range(int(BODY - HEADERS)):
            assert is_open(body)
            place.send(body, b"x")
            place.move(1.0)
        assert rest(body).startswith(LATE)


def test_whole_requests_one_after_the_other_are_served_on_one_connection(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limits begin anew with each request: a connection that is used for longer than they last is not cut off."""
    with by_hand(evaluation, monkeypatch) as place:
        connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=HANG)
        kept = None
        for _ in range(12):
            connection.request("POST", "/api/sign-out", b"{}", {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.status == 200
            response.read()
            assert connection.sock is not None
            kept = kept or connection.sock
            assert connection.sock is kept
            place.move(4.0)  # uvicorn ends connections that are not used for 5
        connection.close()
        pair = place.connect(PAGE * 2)
        came = b""
        while came.count(b"</html>") < 2:
            came += pair.recv(200_000)
        assert came.count(b"HTTP/1.1 200 ") == 2, "sent at once"


@pytest.mark.parametrize("reads", [True, False])
def test_whoever_reads_a_long_answer_slowly_gets_all_of_it(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch, reads: bool
) -> None:
    """As long as they do read; whoever stops is cut off, too."""
    with store_of(evaluation.folder) as store:
        token = store.accounts.renew_link(ORGANISER)
        task = next(task for task in store.tasks(assessor=ANN))
        text = {"text": "x" * 9000}
        store.append([an_event(store, text, task=task.id, question="comment") for _ in range(1000)])
    with by_hand(evaluation, monkeypatch) as place:
        headers = signed_in(place.port, token)
        connection = place.connect()
        transport = place.connections[-1].transport
        for end in (connection, transport.get_extra_info("socket")):  # little is on its way between the two
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        request = f"GET /organiser/export/jsonl HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {headers['Cookie']}"
        place.send(connection, f"{request}\r\n\r\n".encode())
        came, unread = bytearray(), transport.get_write_buffer_size
        until(unread, "there is more than the reader takes")

        def read() -> None:
            before = unread()
            while unread() >= before:
                more = connection.recv(65536)
                assert more, "cut off"
                came.extend(more)

        for _ in range(8):
            if reads:
                read()
                assert unread() > 0, "there is more to read when the time is up once more"
            place.move(HEADERS)
        came += rest(connection)
        head, _, body = bytes(came).partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        assert length is not None
        assert int(length[1]) > 9e6
        assert (len(body) == int(length[1])) == reads


def test_where_there_are_too_many_the_one_that_waited_longest_makes_room(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, task = link_and_task(evaluation)
    with by_hand(evaluation, monkeypatch) as place:
        headers = signed_in(place.port, token)
        until(lambda: not place.server or not place.server.server_state.connections, "it has ended")
        halves = [place.connect(HEAD) for _ in range(MOST + 70)]
        save(place.port, task, headers)
        opened = [is_open(half) for half in halves]
        assert opened == [False] * 71 + [True] * (MOST - 1), "one for each half, and one for the answer"


HARD = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
PATIENT = """
import resource, sys
from pathlib import Path
from adjudge.data.folder import Folder
from adjudge.web.connections import Patience, connections_for, raise_file_limit
from adjudge.web.serving import Address, serve
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[3]), int(sys.argv[4])))
patience = Patience(36_000, 36_000, connections_for(raise_file_limit()))
serve(Folder.open(Path(sys.argv[1])), Address(port=int(sys.argv[2])), print, patience=patience)
"""


FEW, MORE = (1024, 1024), (1024, min(HARD, 8192))
BEGUN = HEAD + b"Content-Length: 100\r\n\r\n{"


@pytest.mark.parametrize(
    ("files", "sent"),
    [(FEW, HEAD), (MORE, BEGUN), pytest.param(FEW, BEGUN, marks=pytest.mark.slow)],
    ids=["few files, headers", "more files on demand, body", "few files, body"],
)
def test_with_3000_halves_answers_are_saved(
    evaluation: Evaluation, files: tuple[int, int], sent: bytes
) -> None:
    """By a server that would wait for each of them for hours: room is made by count alone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.fail("this test opens 3,000 connections; allow more files (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    token, task = link_and_task(evaluation)
    port = free_port()
    command = [sys.executable, "-c", PATIENT, str(evaluation.path), str(port), *map(str, files)]
    with ExitStack() as stack:
        process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        stack.callback(process.terminate)
        until_listening(port, process)
        headers = signed_in(port, token)
        for _ in range(3000):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=HANG))
            half.sendall(sent)
        for _ in range(10):
            save(port, task, headers)
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
