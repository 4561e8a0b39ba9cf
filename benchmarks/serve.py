"""A hundred simulated assessors judge in the app at once: saves per second and how long one waits for "Saved".

The server runs as `adjudge serve` runs it, in a process of its own; each assessor signs in, opens a page and answers it
question by question, the next as soon as the last is acknowledged, which is the worst case: a person thinks in between.
Afterwards every acknowledged answer must be in the store, once. SQLite and PostgreSQL, one after the other.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.data.folder import Folder
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.protocol import protocol_of
from adjudge.judgments.store.store import store_of
from adjudge.web.blind import PublicIds
from benchmarks.store import percentile, postgresql

ASSESSORS = 100
SAVES = 40  # of each assessor
PORT = 8917
PROTOCOL = "rating"
ASPECTS = ("coherence", "consistency", "fluency", "relevance")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", Path(folder) / "e", None)
    with tempfile.TemporaryDirectory() as folder, postgresql() as address:
        measure(
            "PostgreSQL", Path(folder) / "e", address.replace("postgresql://", "postgresql+psycopg://", 1)
        )


@dataclass
class Assessor:
    token: str
    tasks: list[str]
    waited: list[float] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)


def measure(name: str, path: Path, database: str | None) -> None:
    people = prepare(path, database)
    server = subprocess.Popen(
        [sys.executable, "-m", "adjudge", "serve", str(path), "--port", str(PORT)], stdout=subprocess.DEVNULL
    )
    try:
        seconds = asyncio.run(drive(people))
    finally:
        server.terminate()
        server.wait()
    saved = [id for each in people for id in each.saved]
    with store_of(Folder.open(path)) as store:
        stored = [event.id for event in store.events()]
    if sorted(stored) != sorted(saved) or len(saved) != ASSESSORS * SAVES:
        raise SystemExit(f"{name}: {len(saved)} of {ASSESSORS * SAVES} acknowledged, {len(stored)} stored")
    waited = sorted(each for person in people for each in person.waited)
    middle, high, highest = (percentile(waited, share) * 1000 for share in (0.50, 0.95, 0.99))
    print(
        f"{name:10} {ASSESSORS} assessors x {SAVES} answers: {len(saved) / seconds:5.0f} saves/s,"
        f" p50 {middle:5.0f} ms, p95 {high:5.0f} ms, p99 {highest:5.0f} ms; nothing lost, no error"
    )


def prepare(path: Path, database: str | None) -> list[Assessor]:
    """The demo's texts, an account and ten pages for everybody."""
    from adjudge.demo.build import build

    build(path)
    if database is not None:
        toml = path / "evaluation.toml"
        toml.write_text(
            f"{toml.read_text(encoding='utf-8')}\ndatabase = {json.dumps(database)}\n", encoding="utf-8"
        )
    e = Evaluation.open(path)
    names = [f"assessor-{n:03}" for n in range(ASSESSORS)]
    protocol = protocol_of(e.folder, PROTOCOL)
    with e.store() as store:
        tokens = [store.accounts.add(name).token for name in names]
        tasks = make_tasks(e.collection, protocol, names, store.evaluation)
        own: dict[str, list[str]] = {name: [] for name in names}
        public = PublicIds(store.secret("public-ids"))
        for task in tasks:
            own[task.assessor].append(public.of("task", task.id))
        store.add_tasks(tasks)
    return [Assessor(token, own[name]) for name, token in zip(names, tokens, strict=True)]


async def drive(people: list[Assessor]) -> float:
    """All assessors at once; how long they took together, from the first answer to the last."""
    await started()
    browsers = [Browser() for _ in people]
    for browser, person in zip(browsers, people, strict=True):
        await browser.sign_in(person.token)
        await browser.get(f"/task/{person.tasks[0]}")
        browser.close()  # the server would, after a few idle seconds
    start = time.perf_counter()
    await asyncio.gather(*(judge(b, p) for b, p in zip(browsers, people, strict=True)))
    return time.perf_counter() - start


async def judge(browser: Browser, person: Assessor) -> None:
    for n in range(SAVES):
        task, aspect = person.tasks[n // len(ASPECTS)], ASPECTS[n % len(ASPECTS)]
        id = str(uuid.uuid4())
        event = {"id": id, "task": task, "question": f"rating:{aspect}", "answer": {"value": 1 + n % 5}}
        start = time.perf_counter()
        receipt = await browser.post("/api/events", {"events": [event]})
        person.waited.append(time.perf_counter() - start)
        assert [each["id"] for each in receipt["saved"]] == [id], receipt
        person.saved.append(id)


async def started() -> None:
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", PORT)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
    raise SystemExit("the server did not start")


class Browser:
    """Just enough of one: a connection that is kept, a cookie, the headers of the pages' scripts."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {"Host": f"127.0.0.1:{PORT}"}
        self.stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def sign_in(self, token: str) -> None:
        me = await self.post("/api/sign-in", {"token": token})
        self.headers |= {"X-Adjudge-CSRF": me["csrf"], "X-Adjudge-Person": me["person"]}

    def close(self) -> None:
        if self.stream is not None:
            self.stream[1].close()
            self.stream = None

    async def get(self, path: str) -> bytes:
        return await self._ask("GET", path, b"")

    async def post(self, path: str, body: Any) -> Any:
        return json.loads(await self._ask("POST", path, json.dumps(body).encode()))

    async def _ask(self, method: str, path: str, body: bytes) -> bytes:
        if self.stream is None:
            self.stream = await asyncio.open_connection("127.0.0.1", PORT)
        reader, writer = self.stream
        headers = {**self.headers, "Content-Type": "application/json", "Content-Length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
        found = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        content = await reader.readexactly(int(found["content-length"]))
        assert status.split()[1] == "200", (status, content)
        if cookie := found.get("set-cookie"):
            self.headers["Cookie"] = cookie.partition(";")[0]
        return content


if __name__ == "__main__":
    main()
