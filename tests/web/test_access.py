"""Who may do what: every route for everybody, forged requests, other people's tasks, strange methods and paths."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient
from tests.web.making import (
    ASSESSORS,
    BASE,
    JUDGING_ORGANISER,
    ORGANISER,
    SUSPENDED,
    Running,
    answer,
    running,
    send,
)

from adjudge.evaluation import Evaluation
from adjudge.web.access import CSRF_HEADER, cookie_name, csrf_token
from adjudge.web.api import PERSON_HEADER
from adjudge.web.connections import LARGEST
from adjudge.web.routes import ROUTES, Route

ANN, BEN = ASSESSORS
OUT = ("nobody", "suspended", "expired", "ended")
VISITORS = (*OUT, ANN, BEN, ORGANISER, JUDGING_ORGANISER)
BODIES: dict[str, Any] = {
    "/api/sign-in": {"token": "no such token"},
    "/api/sign-out": {},
    "/api/events": None,  # made for the task
    "/api/pairs/next": {"count": 1},
    "/api/password": {"password": "a long password"},
    "/api/organiser/link": {"person": BEN},
    "/api/organiser/suspend": {"person": SUSPENDED},
}


def visiting(app: Running, who: str) -> TestClient:
    """Somebody with a session of their own, which may have ended in one way or another."""
    match who:
        case "nobody":
            return app.client()
        case "suspended":
            app.site.store.accounts.restore(SUSPENDED)
            client = app.client(SUSPENDED)
            app.site.store.accounts.suspend(SUSPENDED)
            return client
        case "expired":
            client = app.client(ANN)
            app.clock.move(days=2)
            return client
        case "ended":
            client = app.client(ANN)
            app.site.store.accounts.renew_link(ANN)
            return client
    return app.client(who)


def ask(client: TestClient, entry: Route, task: str) -> int:
    path = entry.path.format(key=task, name="app.css", form="csv")
    if entry.method == "GET":
        return client.get(path).status_code
    body = BODIES[entry.path] or {"events": [answer(task, "comment", {"text": "x"})]}
    return client.post(path, json=body).status_code


def wanted(entry: Route, who: str) -> int:
    """What the table of routes promises, told by the role alone but for what depends on the visitor."""
    out = 401 if entry.path.startswith("/api/") else 303  # who opens a page is asked to sign in
    if entry.path in ("/account", "/api/password"):
        return out if who in OUT else 200
    if entry.role in ("anyone", "unasked"):
        return {"/": 303, "/api/sign-in": 401}.get(entry.path, 200)
    if who in OUT:
        return out
    if (
        who
        not in {"assessor": (ANN, BEN, JUDGING_ORGANISER), "organiser": (ORGANISER, JUDGING_ORGANISER)}[
            entry.role
        ]
    ):
        return 403
    if "{key}" in entry.path:
        return 200 if who == ANN else 404  # the task is Ann's
    if "{form}" in entry.path or entry.path == "/api/organiser/link":
        return 403 if who == JUDGING_ORGANISER else 200  # closed while they judge
    return 200


def test_every_route_for_everybody(both: Running) -> None:
    task = both.first(ANN, "rating")
    for who in VISITORS:
        found = {}
        for entry in ROUTES:
            found[entry.method, entry.path] = ask(visiting(both, who), entry, task)
        assert found == {(e.method, e.path): wanted(e, who) for e in ROUTES}, who


def test_an_answer_of_somebody_who_may_not_give_it_is_not_stored(app: Running) -> None:
    task = app.first(ANN, "rating")
    for who in (*OUT, ORGANISER):
        visiting(app, who).post("/api/events", json={"events": [answer(task, "comment", {"text": "x"})]})
    assert app.stored == 0
    for who in (BEN, JUDGING_ORGANISER):  # may judge, but not this
        receipt = send(app.client(who), answer(task, "comment", {"text": "x"}))
        assert receipt["saved"] == []
        assert receipt["refused"][0]["why"] == "not an answer to this"
    assert app.stored == 0


def test_the_table_holds_every_route_and_what_is_not_in_it_is_denied(app: Running) -> None:
    there = {(method, route.path) for route in app.app.routes for method in route.methods}  # type: ignore[attr-defined]
    assert there == {(entry.method, entry.path) for entry in ROUTES}
    app.app.add_api_route("/extra", lambda: "secret")
    for who in ("nobody", ANN, ORGANISER):
        response = visiting(app, who).get("/extra")
        assert response.status_code == 403
        assert "secret" not in response.text


def test_a_link_that_was_renewed_opens_nothing(app: Running) -> None:
    old = app.site.store.accounts.renew_link(ANN)
    new = app.site.store.accounts.renew_link(ANN)
    assert app.client().post("/api/sign-in", json={"token": old}).status_code == 401
    assert app.client().post("/api/sign-in", json={"token": new}).status_code == 200


# Requests that another site's page makes a browser send


def forged(app: Running) -> dict[str, Callable[[TestClient], None]]:
    other = app.site.store.sessions.start(ANN, timedelta(days=1))  # a session of the same person elsewhere

    def header(name: str, value: Any) -> Callable[[TestClient], None]:
        def change(client: TestClient) -> None:
            client.headers.pop(name, None)
            if value is not None:
                client.headers[name] = value

        return change

    return {
        "no token": header(CSRF_HEADER, None),
        "wrong token": header(CSRF_HEADER, "0" * 64),
        "token of another session": header(CSRF_HEADER, csrf_token(app.site, other)),
        "foreign origin": header("Origin", "https://evil.example"),
        "origin on another port": header("Origin", f"{BASE}:8001"),
        "origin of nowhere": header("Origin", "null"),
        "cross-site": header("Sec-Fetch-Site", "cross-site"),
        "same site, other host": header("Sec-Fetch-Site", "same-site"),
    }


@pytest.mark.parametrize("person", [ANN, ORGANISER])
def test_forged_requests_are_refused_and_store_nothing(app: Running, person: str) -> None:
    task, store = app.first(ANN, "rating"), app.site.store
    before = [account.link_made_at for account in store.accounts.all()]
    app.clock.move(seconds=1)
    for name, change in forged(app).items():
        for entry in ROUTES:
            if entry.method == "POST":
                client = app.client(person)
                change(client)
                assert ask(client, entry, task) == 403, (name, entry.path)
                assert client.get("/api/me").json()["person"] is not None, "nobody was signed out"
    assert app.stored == 0
    assert [account.link_made_at for account in store.accounts.all()] == before
    assert store.accounts.get(SUSPENDED).active


def test_nobody_can_be_signed_in_by_another_sites_page(app: Running) -> None:
    token = app.site.store.accounts.renew_link(ANN)
    for header in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert app.client().post("/api/sign-in", json={"token": token}, headers=header).status_code == 403


def test_requests_of_ones_own_pages_pass(app: Running) -> None:
    task = app.first(ANN, "rating")
    headers = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}
    event = answer(task, "comment", {"text": "x"})
    response = app.client(ANN).post("/api/events", json={"events": [event]}, headers=headers)
    assert response.status_code == 200
    assert app.stored == 1


@pytest.mark.parametrize("other", [None, "", BEN])
def test_answers_that_are_meant_for_somebody_else_wait(app: Running, other: str | None) -> None:
    client, task = app.client(ANN), app.first(ANN, "rating")
    key = client.headers.pop(PERSON_HEADER)
    if other is not None:
        client.headers[PERSON_HEADER] = app.site.person_key(other) if other else ""
    events = {"events": [answer(task, "comment", {"text": "x"})]}
    assert client.post("/api/events", json=events).status_code == 409
    assert client.post("/api/pairs/next", json={"count": 1}).status_code == 409
    assert app.stored == 0
    client.headers[PERSON_HEADER] = key
    assert client.post("/api/events", json=events).status_code == 200


# Tasks


def test_another_persons_task_is_not_there(app: Running) -> None:
    client = app.client(BEN)
    for task in app.site.tasks_of(ANN):
        key = app.key(task)
        for path in (
            "/task/{}",
            "/api/tasks/{}",
            "/api/tasks/{}/source",
            "/api/tasks/{}/next",
            "/pairs?task={}",
        ):
            assert client.get(path.format(key)).status_code == 404
        assert client.post("/api/pairs/next", json={"first": key}).status_code == 404
        assert client.get(f"/task/{task.id}").status_code == 404
    assert app.client(ANN).get(f"/task/{app.site.tasks_of(ANN)[0].id}").status_code == 404, "by its inner id"


def test_a_task_of_another_kind_is_no_pair(app: Running) -> None:
    client, key = app.client(ANN), app.first(ANN, "rating")
    assert client.get("/pairs", params={"task": key}).status_code == 404
    assert client.post("/api/pairs/next", json={"first": key}).status_code == 404


# Methods, paths, hosts, sizes


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "QUERY"])
def test_other_methods_do_nothing(app: Running, method: str) -> None:
    client, task = app.client(ANN), app.first(ANN, "rating")
    for entry in ROUTES:
        path = entry.path.format(key=task, name="app.css", form="csv")
        assert client.request(method, path).status_code == 405, path
    assert app.stored == 0


PATHS = (
    "/work/",
    "//work",
    "/./work/.",
    "/WORK",
    "/static/",
    "/static/..",
    "/static/..%2fapp.py",
    "/static/%2e%2e",
    "/static/../../app.py",
    "/static/app.css/",
    "/static/app.css%00",
    "/static/.%2fapp.css",
    "/task/",
    "/task",
    "/task/%2f",
    "/api",
    "/api/",
    "/api/tasks/",
    "/api/tasks//source",
    "/docs",
    "/redoc",
    "/openapi.json",
    "/favicon.ico",
    "/organiser/export/",
    "/judgments.sqlite",
    "/evaluation.toml",
    "/%ff",
    "/\u00e9",
)


def test_strange_paths_lead_nowhere(app: Running) -> None:
    for who in ("nobody", ANN):
        client = visiting(app, who)
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        found = {path: asyncio.run(status_of(app, path, cookie)) for path in PATHS}
        assert found == dict.fromkeys(PATHS, 404)
        assert asyncio.run(status_of(app, "/in", cookie)) == 200


async def status_of(app: Running, path: str, cookie: str) -> int:
    """A request past the client, which would tidy the path up."""
    scope = {
        "type": "http",
        "method": "GET",
        "path": unquote(path, errors="surrogateescape"),
        "query_string": b"",
        "raw_path": path.encode(),
        "headers": [(b"host", b"127.0.0.1"), (b"cookie", cookie.encode())],
        "scheme": "http",
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "http_version": "1.1",
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send_on(message: Any) -> None:
        sent.append(message)

    await app.app(scope, receive, send_on)
    status: int = sent[0]["status"]
    return status


def test_it_answers_to_its_own_names_only(evaluation: Evaluation) -> None:
    with running(evaluation.folder, hosts=frozenset({"127.0.0.1", "::1"})) as app:
        client = app.client()
        for host in ("127.0.0.1", "127.0.0.1:8000", "[::1]:8000"):
            assert client.get("/in", headers={"Host": host}).status_code == 200
        for host in ("evil.example", "127.0.0.1.evil.example", "", "[", "127.0.0.1@evil.example"):
            assert client.get("/in", headers={"Host": host}).status_code == 400


def test_a_body_of_unknown_or_too_large_a_size_is_not_read(app: Running) -> None:
    client, url = app.client(ANN), "/api/events"
    assert client.post(url, content=iter([b"{}"])).status_code == 411
    for length in (b"-1", b"1.5", b"1e3", b"\xb2"):
        assert client.post(url, content=b"{}", headers={b"Content-Length": length}).status_code == 411
    assert client.post(url, content=b"{" * (LARGEST + 1)).status_code == 413
    assert client.post(url, content=b" " * LARGEST).status_code == 422


# Behind a proxy


@pytest.mark.parametrize("strips", [True, False])
def test_a_root_path_stands_in_links_cookies_and_redirects(evaluation: Evaluation, strips: bool) -> None:
    """Some proxies take the path off before they pass a request on, others do not."""
    with running(evaluation.folder, root_path="/judge/here") as app:
        at = "" if strips else "/judge/here"
        client = app.client()
        assert client.get(f"{at}/").headers["location"] == "/judge/here/in"
        assert client.get(f"{at}/work").headers["location"] == "/judge/here/in"
        token = app.site.store.accounts.renew_link(ANN)
        response = client.post(f"{at}/api/sign-in", json={"token": token})
        assert "Path=/judge/here;" in response.headers["set-cookie"]
        app.signed_in(client, ANN)
        assert client.get(f"{at}/").headers["location"] == "/judge/here/work"
        pair = app.first(ANN, "preference-summaries")
        assert client.get(f"{at}/task/{pair}").headers["location"] == f"/judge/here/pairs?task={pair}"
        page = client.get(f"{at}/work").text
        links = [part.split('"')[0] for name in ("href", "src") for part in page.split(f'{name}="')[1:]]
        assert links
        assert all(link.startswith("/judge/here/") for link in links)
        assert 'name="adjudge-base" content="/judge/here"' in page
        assert client.get(f"{at}/api/nothing").headers["content-type"] == "application/json"
        assert client.post(f"{at}/api/sign-out").headers["set-cookie"].count("Path=/judge/here") == 1
        assert cookie_name(app.site) in response.headers["set-cookie"]
