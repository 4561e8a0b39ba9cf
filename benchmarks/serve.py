"""A hundred simulated assessors in the app at once, with 32,000 answers in the store: how long each thing takes.

The server runs as `adjudge serve` runs it, in a process of its own. Three times, on SQLite and on PostgreSQL:

- alone: one person opens "My work" again and again, which shows what the page costs;
- a working day: a hundred assessors think for two seconds between answers and open "My work" after every tenth, while
  fifty people sign in at once, first by link, then by password;
- as fast as they can: a hundred assessors answer without thinking, the next as soon as the last is acknowledged.

Afterwards every acknowledged answer must be in the store, once.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from adjudge.data.folder import Folder
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.protocol import protocol_of
from adjudge.judgments.store.confirmed import VARIABLE
from adjudge.judgments.store.store import Store, store_of
from adjudge.judgments.tasks import Event, Task
from adjudge.web.blind import PublicIds
from benchmarks.store import percentile, postgresql

ASSESSORS = 100
STORED = 32_000  # answers that are there before
SIGN_INS = 50  # at once
DAY = 20.0  # seconds of a working day
THINKING = 2.0  # seconds, on average
FAST = 40  # answers of each assessor who does not think
ALONE = 60  # looks at "My work"
PORT = 8917
PROTOCOL = "rating"
ASPECTS = ("coherence", "consistency", "fluency", "relevance")
PASSWORD = "correct horse battery"


def main() -> None:
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", Path(folder) / "e", None)
    with tempfile.TemporaryDirectory() as folder, postgresql() as address:
        measure(
            "PostgreSQL", Path(folder) / "e", address.replace("postgresql://", "postgresql+psycopg://", 1)
        )


@dataclass
class Assessor:
    name: str
    token: str
    open: Iterator[tuple[str, str]]
    """Tasks and questions that are not answered yet."""
    saved: list[str] = field(default_factory=list)


@dataclass
class Waits:
    """How long each thing took, in seconds."""

    saving: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    by_link: list[float] = field(default_factory=list)
    by_password: list[float] = field(default_factory=list)

    def line(self, name: str) -> str:
        waited = sorted(getattr(self, name))
        figures = (f"{percentile(waited, share) * 1000:6.0f}" for share in (0.50, 0.95, 0.99))
        return f"p50 {next(figures)} ms, p95 {next(figures)} ms, p99 {next(figures)} ms ({len(waited)})"


def measure(name: str, path: Path, database: str | None) -> None:
    people = prepare(path, database)
    server = subprocess.Popen(
        [sys.executable, "-m", "adjudge", "serve", str(path), "--port", str(PORT)], stdout=subprocess.DEVNULL
    )
    try:
        alone, day, fast, seconds = asyncio.run(drive(people))
    finally:
        server.terminate()
        server.wait()
    saved = [id for each in people for id in each.saved]
    with store_of(Folder.open(path)) as store:
        stored = [event.id for event in store.events(after=STORED)]
    if sorted(stored) != sorted(saved):
        raise SystemExit(f"{name}: {len(saved)} acknowledged, {len(stored)} stored")
    print(f"{name}, {STORED:,} answers before, {len(saved):,} more: nothing lost, no error")
    print(f"  alone                my work        {alone.line('work')}")
    print(f"  a working day        saving         {day.line('saving')}")
    print(f"                       my work        {day.line('work')}")
    print(f"  {SIGN_INS} sign in at once   by link        {day.line('by_link')}")
    print(f"                       by password    {day.line('by_password')}")
    print(
        f"  as fast as they can  saving         {fast.line('saving')}: {len(fast.saving) / seconds:.0f} a second"
    )


def prepare(path: Path, database: str | None) -> list[Assessor]:
    """The demo's texts, an account and pages for everybody, most of them judged."""
    from adjudge.demo.build import build

    build(path)
    if database is not None:
        os.environ[VARIABLE] = database  # confirmed, here and in the server
        toml = path / "evaluation.toml"
        toml.write_text(
            f"{toml.read_text(encoding='utf-8')}\ndatabase = {json.dumps(database)}\n", encoding="utf-8"
        )
    e = Evaluation.open(path)
    names = [f"assessor-{n:03}" for n in range(ASSESSORS)]
    protocol = protocol_of(e.folder, PROTOCOL)
    with e.store() as store:
        tokens = {name: store.accounts.add(name).token for name in names}
        for name in names[:SIGN_INS]:
            store.accounts.set_password(name, PASSWORD)
        tasks = make_tasks(e.collection, protocol, names, store.evaluation)
        store.add_tasks(tasks)
        own: dict[str, list[Task]] = {name: [] for name in names}
        for task in tasks:
            own[task.assessor].append(task)
        judged = STORED // ASSESSORS // len(ASPECTS)
        fill(store, [task for name in names for task in own[name][:judged]])
        public = PublicIds(store.secret("public-ids"))
        return [
            Assessor(
                name,
                tokens[name],
                iter([(public.of("task", t.id), a) for t in own[name][judged:] for a in ASPECTS]),
            )
            for name in names
        ]


def fill(store: Store, tasks: list[Task]) -> None:
    number = count()
    events = [
        Event(
            id=f"before-{next(number)}",
            evaluation=store.evaluation,
            task=task.id,
            assessor=task.assessor,
            question=f"rating:{aspect}",
            answer={"value": 3},
        )
        for task in tasks
        for aspect in ASPECTS
    ]
    for start in range(0, len(events), 500):
        store.append(events[start : start + 500])
    assert store.last_seq() == STORED


async def drive(people: list[Assessor]) -> tuple[Waits, Waits, Waits, float]:
    await started()
    browsers = [Browser() for _ in people]
    for browser, person in zip(browsers, people, strict=True):
        await browser.sign_in(token=person.token)
        browser.close()  # the server would, after a few idle seconds
    alone, day, fast = Waits(), Waits(), Waits()
    for _ in range(ALONE):
        await timed(alone.work, browsers[0].get("/work"))
    end = time.perf_counter() + DAY
    both = list(zip(browsers, people, strict=True))
    await asyncio.gather(sign_ins(people[:SIGN_INS], day), *(think(b, p, day, end) for b, p in both))
    start = time.perf_counter()
    await asyncio.gather(*(hurry(b, p, fast) for b, p in both))
    return alone, day, fast, time.perf_counter() - start


async def timed(waits: list[float], doing: Awaitable[Any]) -> Any:
    start = time.perf_counter()
    found = await doing
    waits.append(time.perf_counter() - start)
    return found


async def sign_ins(people: list[Assessor], waits: Waits) -> None:
    """Everybody at once, by link; a while later by password. Each in a browser that is new to the server."""
    await asyncio.sleep(DAY / 5)
    await asyncio.gather(*(timed(waits.by_link, Browser().sign_in(token=p.token)) for p in people))
    await asyncio.sleep(DAY / 5)
    await asyncio.gather(
        *(timed(waits.by_password, Browser().sign_in(person=p.name, password=PASSWORD)) for p in people)
    )


async def think(browser: Browser, person: Assessor, waits: Waits, end: float) -> None:
    rng = random.Random(person.name)
    await asyncio.sleep(rng.uniform(0, THINKING))
    done = 0
    while time.perf_counter() < end:
        await save(browser, person, waits)
        done += 1
        if done % 10 == 0:
            await timed(waits.work, browser.get("/work"))
        await asyncio.sleep(rng.uniform(0, 2 * THINKING))


async def hurry(browser: Browser, person: Assessor, waits: Waits) -> None:
    for _ in range(FAST):
        await save(browser, person, waits)


async def save(browser: Browser, person: Assessor, waits: Waits) -> None:
    id, (task, aspect) = str(uuid.uuid4()), next(person.open)
    event = {"id": id, "task": task, "question": f"rating:{aspect}", "answer": {"value": 4}}
    receipt = await timed(waits.saving, browser.post("/api/events", {"events": [event]}))
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
    """Just enough of one: a connection that is kept while the server keeps it, a cookie, the headers of the scripts."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {"Host": f"127.0.0.1:{PORT}"}
        self.stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.used = 0.0

    async def sign_in(self, **how: str) -> None:
        me = await self.post("/api/sign-in", how)
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
        if time.perf_counter() - self.used > 3:
            self.close()  # the server ends a connection after five idle seconds
        if self.stream is None:
            self.stream = await asyncio.open_connection("127.0.0.1", PORT)
        reader, writer = self.stream
        headers = {**self.headers, "Content-Type": "application/json", "Content-Length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
        found = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        content = await reader.readexactly(int(found["content-length"]))
        self.used = time.perf_counter()
        assert status.split()[1] == "200", (status, content)
        if cookie := found.get("set-cookie"):
            self.headers["Cookie"] = cookie.partition(";")[0]
        return content


if __name__ == "__main__":
    main()
