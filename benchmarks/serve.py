"""A hundred simulated assessors in the app at once, with 45,000 answers in the store: how long each thing takes.

The server runs as `adjudge serve` runs it, in a process of its own. Everybody has 108 pages to rate and 102 to judge
unit by unit; half of them are at the one, half at the other. Four times, on SQLite and on PostgreSQL:

- alone: one person opens "My work", a page, and saves again and again, which shows what each costs the server;
- a working day: a hundred assessors open "My work" and the next page, think for two seconds before each answer, go
  on to the next page when one is done;
- the same while fifty people sign in at once, by link, then by password;
- as fast as they can: a hundred assessors answer without thinking, the next as soon as the last is acknowledged.

Afterwards every acknowledged answer must be in the store, once. CPU seconds are those of the server alone.
"""

from __future__ import annotations

import asyncio
import html
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from adjudge.data.folder import Folder
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.protocol import UNIT, UNMARKED, protocol_of
from adjudge.judgments.store.confirmed import VARIABLE
from adjudge.judgments.store.store import Store, store_of
from adjudge.judgments.tasks import Event, Task, units_of
from benchmarks.store import percentile, postgresql

ASSESSORS = 100
STORED = (360, 85)  # answers of each assessor that are there before: ratings, and unit by unit
SIGN_INS = 50  # at once
DAY = 30.0  # seconds of a working day
THINKING = 2.0  # seconds, on average
FAST = 40  # answers of each assessor who does not think
ALONE = 60  # looks at a page, and saves
TOPICS = 3  # whose summaries are judged unit by unit
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
    saved: list[str] = field(default_factory=list)


@dataclass
class Waits:
    """How long each thing took, and the processor time of the server for all of it, in seconds."""

    saving: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    page: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    """What the page's script asks for when it starts."""
    next: list[float] = field(default_factory=list)
    by_link: list[float] = field(default_factory=list)
    by_password: list[float] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)

    def line(self, name: str) -> str:
        waited = sorted(getattr(self, name))
        figures = (f"{percentile(waited, share) * 1000:6.0f}" for share in (0.50, 0.95, 0.99))
        return f"p50 {next(figures)} ms, p95 {next(figures)} ms, p99 {next(figures)} ms ({len(waited)})"


def measure(name: str, path: Path, database: str | None) -> None:
    people, before = prepare(path, database)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "adjudge", "serve", str(path), "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        alone, day, rush, fast, seconds = asyncio.run(drive(people, Server(port, server.pid)))
    finally:
        server.terminate()
        server.wait()
    saved = [id for each in people for id in each.saved]
    with store_of(Folder.open(path)) as store:
        stored = [event.id for event in store.events(after=before)]
    if sorted(stored) != sorted(saved):
        raise SystemExit(f"{name}: {len(saved)} acknowledged, {len(stored)} stored")
    print(f"{name}, {before:,} answers before, {len(saved):,} more: nothing lost, no error")
    for what, label in (("work", "my work"), ("page", "task page"), ("saving", "saving")):
        cpu = alone.cpu[what] / ALONE * 1000
        print(f"  alone                {label:14} {alone.line(what)}, CPU {cpu:.1f} ms each")
    for waits, scene in ((day, "a working day"), (rush, f"while {SIGN_INS} sign in")):
        for what, label in (
            ("saving", "saving"),
            ("work", "my work"),
            ("page", "task page"),
            ("answers", "its answers"),
            ("next", "what is next"),
            ("by_link", "by link"),
            ("by_password", "by password"),
        ):
            if getattr(waits, what):
                print(f"  {scene:20} {label:14} {waits.line(what)}")
        print(f"                       CPU {waits.cpu['day'] / DAY * 100:.0f} % of a core")
    print(
        f"  as fast as they can  saving         {fast.line('saving')}: {len(fast.saving) / seconds:.0f} a second,"
        f" CPU {fast.cpu['saving'] / len(fast.saving) * 1000:.2f} s per 1,000 saves"
    )


def prepare(path: Path, database: str | None) -> tuple[list[Assessor], int]:
    """The demo's texts, an account and pages for everybody, many of them judged; how many answers that makes."""
    from adjudge.demo.build import build

    build(path)
    if database is not None:
        os.environ[VARIABLE] = database  # confirmed, here and in the server
        toml = path / "evaluation.toml"
        toml.write_text(
            f"{toml.read_text(encoding='utf-8')}\ndatabase = {json.dumps(database)}\n", encoding="utf-8"
        )
    e = Evaluation.open(path)
    e.units()
    e = Evaluation.open(path)
    names = [f"assessor-{n:03}" for n in range(ASSESSORS)]
    with e.store() as store:
        tokens = {name: store.accounts.add(name).token for name in names}
        for name in names[:SIGN_INS]:
            store.accounts.set_password(name, PASSWORD)
        topics = list(e.collection.topics)[:TOPICS]
        rating = make_tasks(e.collection, protocol_of(e.folder, "rating"), names, store.evaluation)
        every = make_tasks(e.collection, protocol_of(e.folder, "duc-2002"), names, store.evaluation)
        coverage = [task for task in every if task.topic in topics]
        before: list[Event] = []
        for n, name in enumerate(names):
            kinds = [[task for task in some if task.assessor == name] for some in (rating, coverage)]
            mine = [task for some in kinds[:: -1 if n % 2 else 1] for task in some]
            store.add_tasks(replace(task, position=at) for at, task in enumerate(mine))
            for tasks, wanted in zip(kinds, STORED, strict=True):
                before += judged(e, store, tasks, wanted)
        for start in range(0, len(before), 500):
            store.append(before[start : start + 500])
        return [Assessor(name, tokens[name]) for name in names], store.last_seq()


def judged(e: Evaluation, store: Store, tasks: list[Task], wanted: int) -> list[Event]:
    """The first tasks, answered whole: at least so many answers."""
    protocol, found = protocol_of(e.folder, tasks[0].protocol), list[Event]()
    first = {each.id: each.values[0] for each in protocol.questions}
    for task in tasks:
        units = e.collection.units.get(task.topic, ())
        model = [] if task.reference is None else units_of(units, task.reference, protocol.model_units)
        if len(found) >= wanted:
            break
        for question in protocol.asked([unit.id for unit in model]):
            found.append(
                Event(
                    id=str(uuid.uuid4()),
                    evaluation=store.evaluation,
                    task=task.id,
                    assessor=task.assessor,
                    question=question,
                    answer=answer_to(question, first),
                )
            )
    return found


def answer_to(question: str, first: dict[str, Any]) -> dict[str, Any]:
    """The least that can be said; of questions with a scale, `first` has its first value."""
    if question.startswith(UNIT):
        return {"marked": [], "completeness": 0.0}
    return {"relevant": 0.0} if question == UNMARKED else {"value": first[question]}


@dataclass(frozen=True)
class Server:
    port: int
    pid: int

    def cpu(self) -> float:
        """The processor time that it has taken so far, as Linux tells it."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def drive(people: list[Assessor], server: Server) -> tuple[Waits, Waits, Waits, Waits, float]:
    await started(server)
    browsers = [Browser(server.port, person) for person in people]
    for browser in browsers:
        await browser.sign_in(token=browser.person.token)
        browser.close()  # the server would, after a few idle seconds
    alone, day, rush, fast = Waits(), Waits(), Waits(), Waits()
    await by_itself(browsers[0], server, alone)
    for waits in (day, rush):
        begun, end = server.cpu(), time.perf_counter() + DAY
        thinking = (think(browser, waits, end) for browser in browsers)
        await asyncio.gather(
            *thinking, *([sign_ins(server, people[:SIGN_INS], rush)] if waits is rush else [])
        )
        waits.cpu["day"] = server.cpu() - begun
    asked = [await open_questions(browser, FAST) for browser in browsers]
    begun, start = server.cpu(), time.perf_counter()
    await asyncio.gather(*(hurry(b, some, fast) for b, some in zip(browsers, asked, strict=True)))
    fast.cpu["saving"] = server.cpu() - begun
    return alone, day, rush, fast, time.perf_counter() - start


async def by_itself(browser: Browser, server: Server, waits: Waits) -> None:
    questions = await open_questions(browser, ALONE)
    begun = server.cpu()
    for _ in range(ALONE):
        await timed(waits.work, browser.get("/work"))
    waits.cpu["work"] = server.cpu() - begun
    begun = server.cpu()
    for _ in range(ALONE):
        await timed(waits.page, browser.get(f"/task/{questions[0][0]}"))
    waits.cpu["page"] = server.cpu() - begun
    begun = server.cpu()
    for question in questions:
        await save(browser, question, waits)
    waits.cpu["saving"] = server.cpu() - begun


async def timed(waits: list[float], doing: Awaitable[Any]) -> Any:
    start = time.perf_counter()
    found = await doing
    waits.append(time.perf_counter() - start)
    return found


async def sign_ins(server: Server, people: list[Assessor], waits: Waits) -> None:
    """Everybody at once, by link; a while later by password. Each in a browser that is new to the server."""
    await asyncio.sleep(DAY / 5)
    new = [Browser(server.port, person) for person in people]
    await asyncio.gather(*(timed(waits.by_link, b.sign_in(token=b.person.token)) for b in new))
    await asyncio.sleep(DAY / 5)
    new = [Browser(server.port, person) for person in people]
    await asyncio.gather(
        *(timed(waits.by_password, b.sign_in(person=b.person.name, password=PASSWORD)) for b in new)
    )


async def think(browser: Browser, waits: Waits, end: float) -> None:
    """Pages one after the other as their scripts go through them, and every third time back to "My work"."""
    rng = random.Random(browser.person.name)
    await asyncio.sleep(rng.uniform(0, DAY / 3))
    key: str | None = None
    for number in count():
        if key is None or number % 3 == 0:
            listed = (await timed(waits.work, browser.get("/work"))).decode()
            key = re.findall(r'id="resume" href="/task/(\w+)"', listed)[0]
        page = await timed(waits.page, browser.get(f"/task/{key}"))
        await timed(waits.answers, browser.get(f"/api/tasks/{key}"))
        for question in questions_on(page):
            await asyncio.sleep(rng.uniform(0, 2 * THINKING))
            if time.perf_counter() > end:
                return
            await save(browser, question, waits)
        key = json.loads(await timed(waits.next, browser.get(f"/api/tasks/{key}/next")))["task"]


async def hurry(browser: Browser, questions: list[Question], waits: Waits) -> None:
    for question in questions:
        await save(browser, question, waits)


Question = tuple[str, str, Any]
"""A task, one of its questions, and an answer to it."""


async def open_questions(browser: Browser, wanted: int) -> list[Question]:
    """Questions that a person has not answered, of as many pages as it takes."""
    listed = (await browser.get("/work")).decode()
    found: list[Question] = []
    for key in re.findall(r'class="task (?:begun|open)" href="/task/(\w+)"', listed):
        found += questions_on(await browser.get(f"/task/{key}"))
        if len(found) >= wanted:
            return found[:wanted]
    raise SystemExit(f"{browser.person.name} has too few pages left")


def questions_on(page: bytes) -> list[Question]:
    """What a page asks and has no answer to, in its order."""
    (text,) = re.findall(r'id="page" data-state="([^"]*)"', page.decode())
    state = json.loads(html.unescape(text))
    scales = {each["id"]: each["values"][0] for each in state.get("questions", state.get("quality", ()))}
    units = [f"{UNIT}{unit}" for unit in state.get("model", ())]
    unmarked = [UNMARKED] if state.get("peer") else []
    asked = [name for name in (*units, *unmarked, *scales) if name not in state["answers"]]
    return [(state["task"], name, answer_to(name, scales)) for name in asked]


async def save(browser: Browser, question: Question, waits: Waits) -> None:
    task, name, answer = question
    id = str(uuid.uuid4())
    event = {"id": id, "task": task, "question": name, "answer": answer}
    receipt = await timed(waits.saving, browser.post("/api/events", {"events": [event]}))
    assert [each["id"] for each in receipt["saved"]] == [id], receipt
    browser.person.saved.append(id)


async def started(server: Server) -> None:
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
    raise SystemExit("the server did not start")


class Browser:
    """Just enough of one: a connection that is kept while the server keeps it, a cookie, the headers of the scripts."""

    def __init__(self, port: int, person: Assessor) -> None:
        self.port, self.person = port, person
        self.headers: dict[str, str] = {"Host": f"127.0.0.1:{port}"}
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
            self.stream = await asyncio.open_connection("127.0.0.1", self.port)
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
