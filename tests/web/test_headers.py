"""What protects a page: headers on every answer, no script or style inside pages, nothing from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from httpx2 import Response
from tests.web.making import ASSESSORS, ORGANISER, PROTOCOLS, Running, answer, running, send

import adjudge.web
from adjudge.evaluation import Evaluation
from adjudge.judgments.store.sessions import LIFETIME
from adjudge.web import access, assets
from adjudge.web.connections import LARGEST
from adjudge.web.site import Site

ANN = ASSESSORS[0]
TEMPLATES = Path(adjudge.web.__file__).parent / "templates"
ELSEWHERE = re.compile(r"(?:https?:)?//[a-z0-9]", re.IGNORECASE)
NAMESPACES = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink")


def every_kind(app: Running) -> dict[str, Response]:
    """An answer of every kind, by what it is."""
    client, nobody, organiser = app.client(ANN), app.client(), app.client(ORGANISER)
    css = nobody.get("/static/app.css")
    return {
        "page": client.get("/work"),
        "page for nobody": nobody.get("/in"),
        "redirect": nobody.get("/work"),
        "task": client.get(f"/task/{app.first(ANN, 'duc-2002')}"),
        "organiser": organiser.get("/organiser"),
        "json": client.get("/api/me"),
        "style": css,
        "script": nobody.get("/static/queue.js"),
        "not modified": nobody.get("/static/app.css", headers={"If-None-Match": css.headers["etag"]}),
        "401": nobody.get("/api/tasks/x"),
        "403": client.get("/organiser"),
        "404": client.get("/nothing"),
        "404 json": client.get("/api/nothing"),
        "405": client.put("/work"),
        "405 json": client.put("/api/me"),
        "411": client.post("/api/me", content=iter([b""])),
        "413": client.post("/x", content=b"x" * (LARGEST + 1)),
        "422": client.post("/api/events", json={}),
        "409": client.post("/api/pairs/next", json={}, headers={"X-Adjudge-Person": "x"}),
        "download": organiser.get("/organiser/export/csv"),
        "description": organiser.get("/api/openapi.json"),
    }


def test_every_answer_has_the_headers(app: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    found = every_kind(app)

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Site, "tasks_of", fail)
    found["500"] = app.client(ANN, raise_server_exceptions=False).get("/work")
    assert [found[name].status_code for name in ("page", "redirect", "not modified", "500")] == [
        200,
        303,
        304,
        500,
    ]
    for name, response in found.items():
        if name.split()[0].isdigit():
            assert response.status_code == int(name.split()[0])
        for header, value in access.HEADERS.items():
            assert response.headers.get_list(header) == [value], (name, header)
        static = name in ("style", "script", "not modified")
        assert response.headers["cache-control"] == ("no-cache" if static else "no-store"), name
        assert "server" not in response.headers


@pytest.mark.parametrize(
    ("scheme", "public", "safe"),
    [
        ("http", None, False),
        ("https", None, True),
        ("http", "https://judge.example.org", True),
        ("https", "http://judge.example.org", False),
    ],
)
def test_browsers_are_told_to_keep_to_https_where_it_is_spoken(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch, scheme: str, public: str | None, safe: bool
) -> None:
    """As long as a session lasts: on no answer else, and on every one, whatever went wrong."""

    def fail(*_: object) -> None:
        raise RuntimeError

    with running(evaluation.folder, public=public) as app:
        client = app.client(raise_server_exceptions=False)
        client.base_url = client.base_url.copy_with(scheme=scheme)
        found = [client.get(path) for path in ("/in", "/nothing", "/work", "/static/app.css", "/api/me")]
        found.append(client.post("/x", content=b"x" * (LARGEST + 1)))
        monkeypatch.setattr(access, "visitor_of", fail)
        found.append(client.get("/in"))
    assert {200, 303, 404, 413, 500} == {each.status_code for each in found}
    for response in found:
        told = response.headers.get_list("strict-transport-security")
        assert told == ([f"max-age={int(LIFETIME.total_seconds())}"] if safe else [])


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    rules = dict(rule.split(maxsplit=1) for rule in access.HEADERS["Content-Security-Policy"].split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert not re.search("unsafe|http|\\*|nonce|blob", access.HEADERS["Content-Security-Policy"])


class Inline(HTMLParser):
    """What of a page the policy would forbid."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if (
            tag == "style"
            or (tag == "script" and not given.get("src"))
            or tag in ("iframe", "object", "embed", "base")
        ):
            self.found.append(f"<{tag}>")
        for name, value in given.items():
            if name.startswith("on") or name == "style":
                self.found.append(f"{tag} {name}")
            if name in ("src", "href", "action", "formaction", "data", "poster", "srcset") and (
                ELSEWHERE.match(value or "") or (value or "").lower().startswith(("javascript:", "data:"))
            ):
                self.found.append(f"{tag} {name}={value}")


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<script>x</script>", ["<script>"]),
        ("<p onclick='x()'>", ["p onclick"]),
        ("<p style='color: red'>", ["p style"]),
        ("<style>p {}</style>", ["<style>"]),
        ("<a href='javascript:x()'>", ["a href=javascript:x()"]),
        ("<img src='//cdn.example/x.png'>", ["img src=//cdn.example/x.png"]),
        ("<script src='/static/x.js'></script><a href='/x'>", []),
    ],
)
def test_what_is_forbidden_is_found(page: str, found: list[str]) -> None:
    assert Inline(page).found == found


def test_pages_hold_no_script_no_style_and_no_address_from_elsewhere(app: Running) -> None:
    client, organiser = app.client(ANN), app.client(ORGANISER)
    key = app.first(ANN, "rating")
    send(client, answer(key, "flag", {"text": "<b onclick=x>odd</b> <script>alert(1)</script>"}))
    responses = [client.get(path) for path in ("/work", "/account", "/pairs", "/nothing", f"/task/{key}")]
    responses += [client.get(f"/task/{app.first(ANN, protocol)}") for protocol in PROTOCOLS[:3]]
    responses += [organiser.get("/organiser"), app.client().get("/in")]
    for response in responses:
        assert Inline(response.text).found == [], response.url
        assert not ELSEWHERE.search(response.text), response.url


@pytest.mark.parametrize("path", sorted(TEMPLATES.iterdir()), ids=lambda path: path.name)
def test_templates_hold_none_either(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert Inline(source).found == []
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", source), "everything is escaped"
    assert not ELSEWHERE.search(source)


@pytest.mark.parametrize("name", sorted(assets.contents()))
def test_static_files_load_nothing_from_elsewhere(app: Running, name: str) -> None:
    response = app.client().get(f"/static/{name}")
    assert response.status_code == 200
    source = response.text
    for space in NAMESPACES:
        source = source.replace(space, "")
    assert not ELSEWHERE.search(source)
    assert not re.search(
        r"\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write|@import", source
    )
    again = app.client().get(f"/static/{name}", headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
