"""A real HTTP server that speaks the protocol of chat completions, badly where it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.waiting import HANG

from adjudge.assessors.llm.exchange import LlmServer, Prices

MODEL = "judge-1"


@dataclass(frozen=True)
class Says:
    """What the server does with a request."""

    status: int = 200
    body: Any = None
    """Bytes as they are, else JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    """After so many bytes of the body the connection ends."""
    hang: bool = False
    """Nothing comes, until the server is closed."""
    drop: bool = False
    """The connection ends without a reply."""
    endless: bool = False
    """The body never ends."""
    raw: Callable[[], Iterable[bytes]] | None = None
    """All of the reply, from its first line on, in pieces that are sent until nobody listens."""


Script = Callable[[dict[str, Any], int], Says]
"""What to do with a request's body, and how many came before it."""


def completion(text: str | None = "4", **changed: Any) -> dict[str, Any]:
    """The body of a proper reply; `message`, `choice` and whatever else is named replaces a part."""
    message = {"role": "assistant", "content": text} | changed.pop("message", {})
    choice = {"index": 0, "finish_reason": "stop", "message": message} | changed.pop("choice", {})
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage} | changed


def fine(body: dict[str, Any], _: int) -> Says:
    """The last message's text comes back."""
    return Says(body=completion(body["messages"][-1]["content"]))


class BadServer:
    """Counts what it is asked, and how many requests are under way at a time."""

    def __init__(self, script: Script, models: Sequence[str]) -> None:
        self.script, self.models = script, models
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.under_way = self.most_under_way = 0
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.gate: threading.Barrier | None = None
        """Where there is one, replies wait until so many requests are under way together."""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def server(self, **changed: Any) -> LlmServer:
        return replace(LlmServer(self.url, MODEL, prices=Prices(3.0, 15.0)), **changed)

    @property
    def texts(self) -> list[str]:
        return [body["messages"][-1]["content"] for body in self.bodies]

    def run(self) -> None:
        self._http.serve_forever(poll_interval=0.02)

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def bad_server(script: Script = fine, models: Sequence[str] = (MODEL,)) -> Iterator[BadServer]:
    server = BadServer(script, models)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def _handler(server: BadServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            if self.path == "/v1/models":
                rows = [{"id": model, "object": "model"} for model in server.models]
                self._send(Says(body={"object": "list", "data": rows}))
            else:
                self._send(Says(404, {"error": {"message": "no such page"}}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != "/v1/chat/completions":
                self._send(Says(404, {"error": {"message": "no such page"}}))
                return
            with server.lock:
                before = len(server.bodies)
                server.bodies.append(body)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                server.under_way += 1
                server.most_under_way = max(server.most_under_way, server.under_way)
            try:
                if server.gate is not None:
                    server.gate.wait(HANG)
                said = server.script(body, before)
            finally:
                with server.lock:
                    server.under_way -= 1
            self._send(said)

        def _send(self, said: Says) -> None:
            if said.hang:
                server.closing.wait(HANG)
            if said.hang or said.drop:
                self.close_connection = True
                return
            if said.raw is not None:
                self._send_raw(said.raw())
                return
            content = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
            self.send_response(said.status)
            for name, value in ({"Content-Type": "application/json"} | dict(said.headers)).items():
                self.send_header(name, value)
            if said.endless:
                self.send_header("Connection", "close")
                self.end_headers()
                self._flood()
                return
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: said.cut])
            if said.cut is not None:
                self.close_connection = True

        def _send_raw(self, pieces: Iterable[bytes]) -> None:
            self.close_connection = True
            try:
                for piece in pieces:
                    if server.closing.is_set():
                        return
                    self.wfile.write(piece)
            except OSError:  # whoever read has had enough
                pass

        def _flood(self) -> None:
            self.close_connection = True
            try:
                while not server.closing.is_set():
                    self.wfile.write(b" " * 65536)
            except OSError:  # whoever read has had enough
                pass

    return Handler
