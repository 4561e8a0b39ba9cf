"""Blindness: no name of a system, author, document, topic or file reaches an assessor's browser, in no form.

Everything is called by a random word that is nowhere else, in header lines of the texts too. All that an assessor can
get is fetched, byte by byte, and searched.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
import secrets
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from starlette.testclient import TestClient
from tests.web import making
from tests.web.making import Running, answer

from adjudge.core.errors import DataError
from adjudge.data.rows import Document
from adjudge.evaluation import Evaluation
from adjudge.judgments.kinds import coverage
from adjudge.judgments.store.store import store_of
from adjudge.web import app, assets
from adjudge.web.connections import LARGEST
from adjudge.web.pages import tasks
from adjudge.web.routes import ROUTES
from adjudge.web.site import Site

ANN = "ann"
WHO_WROTE_IT = re.compile(rb"\b(?:human|machine|baseline|repeat_of|planted|simulated)", re.IGNORECASE)


class Canaries(dict[str, str]):
    """A random word for every name."""

    def __call__(self, name: str) -> str:
        return self.setdefault(name, f"zq{secrets.token_hex(9)}")


@dataclass
class Seen:
    """Everything that came over the wire, each line once with where it was seen first."""

    lines: dict[bytes, str] = field(default_factory=dict)
    urls: set[str] = field(default_factory=set)
    statuses: set[int] = field(default_factory=set)

    def add(self, response: Response) -> Response:
        head = [b"%b: %b" % pair for pair in response.headers.raw]
        for line in (*head, *response.content.split(b"\n")):
            self.lines.setdefault(line, f"{response.request.method} {response.url}")
        self.urls.add(str(response.url))
        self.statuses.add(response.status_code)
        return response

    def leaks(self, *shapes: bytes) -> set[str]:
        """Where any of these was seen."""
        everything = b"\n".join(self.lines)
        small = everything.lower()
        found = [shape for shape in set(shapes) if shape in everything or shape in small]
        return {
            where for line, where in self.lines.items() if any(s in line or s in line.lower() for s in found)
        }


def forms(name: str) -> Iterator[bytes]:
    """A name as it is, encoded, or as the digests that ids are made of."""
    raw = name.encode()
    yield raw
    yield raw[::-1]
    for whole in (raw, raw.upper()):
        yield whole.hex().encode()
        for before in range(
            3
        ):  # where it stands in a longer text changes its letters, but for those in the middle
            coded = base64.b64encode(b" " * before + whole)
            yield coded[4:-4]
            yield base64.b32encode(b" " * before + whole).lower()[8:-8]
    digests = [hashlib.new(kind, raw).digest() for kind in ("sha256", "sha1", "md5")]
    digests += [hashlib.blake2b(raw, digest_size=size).digest() for size in (8, 16, 20, 32, 64)]
    for digest in digests:
        yield digest.hex()[:16].encode()
        yield base64.b64encode(digest)[:10]
        yield base64.b32encode(digest).lower()[:12]


@dataclass
class Blind:
    app: Running
    names: Canaries

    def told(self) -> list[bytes]:
        """All names in all forms, and what the database and the files call tasks, texts and units."""
        found = [shape for name in self.names.values() for shape in forms(name)]
        for task in self.app.site.store.tasks():
            ids = [task.id, task.repeat_of or task.id, *task.hashes.values()]
            found += [shape.encode() for id in ids for shape in (id, id.replace("-", ""))]
        found += [unit.id.encode() for units in self.app.site.collection.units.values() for unit in units]
        return found


@pytest.fixture
def blind(tmp_path: Path) -> Iterator[Blind]:
    with blindly(tmp_path, None) as found:
        yield found


@contextmanager
def blindly(tmp_path: Path, address: str | None) -> Iterator[Blind]:
    names = Canaries()
    path = tmp_path / names("folder") / names("evaluation")
    path.parent.mkdir()
    evaluation = making.write(path, name=names, headers=True)
    unseen = f"A study {uuid.uuid4().hex[:8]}"
    folder = making.settle(evaluation, database=address, name=unseen, pairs_per_topic=4, said_before="show")
    with store_of(folder) as store:
        making.fill(store, evaluation)
        assert any(task.repeat_of for task in store.tasks(assessor=ANN)), "a repeat is planted"
    with making.running(folder) as found:
        yield Blind(found, names)


def crawl(blind: Blind) -> Seen:
    """Everything that an assessor can get: pages, links, answers of the API, errors, headers."""
    *_, seen = crawled(blind)
    return seen


def crawled(blind: Blind, most: int = 100) -> Iterator[Seen]:
    """What was seen until then, after every part of it; of at most so many tasks, where that is enough."""
    seen, site = Seen(), blind.app.site
    client = blind.app.client(raise_server_exceptions=False)
    token = site.store.accounts.renew_link(ANN)
    for body in (
        {"token": token},
        {"token": "wrong"},
        {"person": ANN, "password": "wrong password"},
        {"x": 1},
    ):
        seen.add(blind.app.client().post("/api/sign-in", json=body))
    blind.app.signed_in(client, ANN)
    _follow(
        client, seen, ["/", "/in", "/work", "/pairs", "/account", "/api/me", "/no/such/page", "/organiser"]
    )
    yield seen
    for entry in ROUTES:
        path = entry.path.format(key="x" * 20, name="nothing.js", form="jsonl")
        for method in ("GET", "POST", "PUT", "HEAD", "OPTIONS"):
            if (method, entry.path) != ("POST", "/api/sign-out"):
                seen.add(client.request(method, path))
    keys = [url.rsplit("/", 1)[1] for url in seen.urls if "/task/" in url and not url.endswith("x" * 20)][
        :most
    ]
    for key in keys:
        _ask(client, seen, key)
    yield seen
    _pairs(client, seen, most)
    for key in keys:
        _answers(client, seen, key, blind)
    _follow(client, seen, ["/work"])  # once more, with answers
    _errors(client, seen, keys[0], blind)
    yield seen


def _follow(client: TestClient, seen: Seen, paths: list[str]) -> None:
    """Pages, and every link, script and style sheet that they name; what a script imports, too."""
    waiting, known = list(paths), set(paths)
    while waiting:
        response = seen.add(client.get(waiting.pop()))
        found = re.findall(r'(?:href|src)="([^"#]+)"', response.text)
        found += [f"/static/{name}" for name in re.findall(r'from "\./([^"]+)"', response.text)]
        found += [response.headers["location"]] if "location" in response.headers else []
        new = [path for path in found if path.startswith("/") and path not in known]
        known.update(new)
        waiting += new


def _ask(client: TestClient, seen: Seen, key: str) -> None:
    for path in ("/api/tasks/{}", "/api/tasks/{}/source", "/api/tasks/{}/next", "/pairs?task={}"):
        seen.add(client.get(path.format(key)))
    seen.add(client.post("/api/pairs/next", json={"count": 1, "first": key}))


def _pairs(client: TestClient, seen: Seen, most: int) -> None:
    """Every pair that there is, assigned or drawn live."""
    have: list[str] = []
    while len(have) < most:
        response = seen.add(client.post("/api/pairs/next", json={"count": 20, "have": have}))
        new = [pair["task"] for pair in response.json()["pairs"]]
        if not new:
            break
        for key in new:
            _ask(client, seen, key)
            event = answer(key, "preference", {"winner": "left"})
            seen.add(client.post("/api/events", json={"events": [event]}))
        have += new


def _answers(client: TestClient, seen: Seen, key: str, blind: Blind) -> None:
    """Good answers to what the page asks, and bad ones."""
    page = client.get(f"/task/{key}").text
    units = re.findall(r'data-model="([^"]+)"', page)
    peers = re.findall(r'data-peer="([^"]+)"', page)
    events = [answer(key, f"unit:{unit}", {"marked": peers[:1], "completeness": 1.0}) for unit in units]
    events += [answer(key, name, {"value": 1}) for name in re.findall(r'data-question="([^"]+)"', page)]
    events += [answer(key, "comment", {"text": "odd"}), answer(key, "preference", {"winner": "nobody"})]
    events += [
        answer(key, f"unit:{unit}", {"marked": ["no such unit"], "completeness": 1.0}) for unit in units
    ]
    seen.add(client.post("/api/events", json={"events": events}))
    _ask(client, seen, key)


def _errors(client: TestClient, seen: Seen, key: str, blind: Blind) -> None:
    """400, 403, 409, 411, 413, 422: what is refused says no more than that."""
    post = client.post
    good = answer(key, "comment", {"text": "x"})
    task = blind.app.site.tasks_of(ANN)[0]
    for event in (
        {},
        {**good, "id": "!"},
        {**good, "question": "unit:"},
        {**good, "task": task.id},
        answer("y" * 20, "comment", {"text": "x"}),
        {**good, "base": -1},
    ):
        seen.add(post("/api/events", json={"events": [event]}))
    seen.add(post("/api/events", content=b"{", headers={"Content-Type": "application/json"}))
    seen.add(post("/api/events", content=b"{" * (LARGEST + 1)))
    seen.add(post("/api/events", content=iter([b"{}"])))
    seen.add(post("/api/events", json={"events": [good]}, headers={"X-Adjudge-Person": "x"}))
    seen.add(post("/api/events", json={"events": [good]}, headers={"X-Adjudge-CSRF": "x"}))
    for path in (
        "/api/openapi.json",
        "/organiser/export/jsonl",
        "/organiser/export/csv",
        "/organiser/export/html",
        "/static/x",
        f"/task/{task.id}",
    ):
        seen.add(client.get(path))
    seen.add(post("/api/sign-out"))
    seen.add(client.get("/work"))


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def test_no_name_reaches_an_assessor(request: pytest.FixtureRequest, tmp_path: Path, database: str) -> None:
    address = request.getfixturevalue("server") if database == "postgresql" else None
    with blindly(tmp_path, address) as blind:
        seen = crawl(blind)
        assert seen.leaks(*blind.told()) == set()
    assert len(blind.names) > 25
    assert seen.statuses == {200, 303, 401, 403, 404, 405, 409, 411, 413, 422}
    for line, where in seen.lines.items():
        if "/static/" not in where:  # style sheets speak of baselines
            assert not WHO_WROTE_IT.search(line), where
    # An empty page holds no name either: these are there.
    for words in (
        b"The storm began on Monday.",
        b"A strike began on Monday and ended on Tuesday.",
        b"The paper writes.",
        b"And so on.",
        b"Nobody was hurt by it.",
    ):
        assert seen.leaks(words)


def name_of_a_document(documents: list[Document], label: str) -> list[tasks.SourceText]:
    return [tasks.SourceText(label=each.id, date=None, paragraphs=[]) for each in documents]


def test_the_search_finds_a_leak(blind: Blind, monkeypatch: pytest.MonkeyPatch) -> None:
    told = blind.told()
    changes: tuple[Any, ...] = (
        (Site, "topic_title", lambda self, topic: topic),
        (coverage, "hidden_spans", lambda text: []),
        (tasks, "_texts", name_of_a_document),
        (app, "SAYS", dict.fromkeys(range(600), f"no {blind.names('lead')} here")),
        (assets, "version", lambda: hashlib.sha256(blind.names("folder").encode()).hexdigest()),
    )
    for change in changes:
        with monkeypatch.context() as patch:
            patch.setattr(*change)
            assert any(seen.leaks(*told) for seen in crawled(blind, 2)), change


def test_forms_are_found() -> None:
    name = Canaries()("x")
    raw = name.encode()
    coded = (
        raw,
        raw.upper(),
        raw.hex().encode(),
        base64.b64encode(b"ab" + raw + b"cd"),
        base64.b32encode(raw),
        hashlib.sha256(raw).hexdigest().encode(),
        base64.b64encode(hashlib.blake2b(raw).digest()),
    )
    for each in coded:
        assert Seen({b"this is it: " + each: "here"}).leaks(*forms(name)) == {"here"}, each
    assert not Seen({b"nothing": "here"}).leaks(*forms(name))


@pytest.mark.parametrize("error", [DataError, RuntimeError])
def test_what_went_wrong_stays_in_the_log(
    blind: Blind, error: type[Exception], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = blind.names("lead")

    def fail(*_: object) -> None:
        raise error(f"no summary of {secret}")

    monkeypatch.setattr(Site, "summary", fail)
    client, seen = blind.app.client(ANN, raise_server_exceptions=False), Seen()
    for protocol in ("rating", "preference-summaries"):
        key = blind.app.first(ANN, protocol)
        seen.add(client.get(f"/task/{key}"))
        seen.add(client.post("/api/pairs/next", json={"count": 1}))
    assert secret in caplog.text
    assert {404 if error is DataError else 500} <= {
        client.get(f"/task/{blind.app.first(ANN, 'rating')}").status_code
    }
    assert seen.leaks(*blind.told()) == set()


def test_the_order_of_tasks_is_not_that_of_systems(evaluation: Evaluation) -> None:
    """How even positions are over many plans is tested where plans are made; here it is what the list shows."""
    with making.running(evaluation.folder) as found:
        page = found.client(ANN).get("/work").text
        by_key = {found.key(task): task for task in found.site.tasks_of(ANN)}
        walked = list(by_key)[:1]
        while len(walked) < len(by_key):
            walked.append(found.client(ANN).get(f"/api/tasks/{walked[-1]}/next").json()["task"])
        assert walked == list(by_key), "the next page is the plan's: repeats stay where they were planted"
        systems = list(found.site.collection.systems)
    listed = [
        by_key[key] for key in re.findall(r"/task/([a-z2-7]{20})", page)[1:]
    ]  # the first is where to go on
    assert {task.id for task in listed} == {task.id for task in by_key.values()}
    orders = [
        [systems.index(task.peer.system) for task in group if task.peer]
        for _, group in itertools.groupby(listed, key=lambda task: (task.topic, task.protocol))
    ]
    assert len(orders) > 8
    assert any(order != sorted(order) for order in orders)
    assert any(order != sorted(order, key=lambda system: systems[system]) for order in orders)
