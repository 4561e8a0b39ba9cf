"""The app behind a real nginx and a real Caddy with TLS, with the very files that the documentation shows."""

from __future__ import annotations

import http.client
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.waiting import HANG, free_port
from tests.web.browser.server import Server
from tests.web.making import answer
from tests.web.proxies import DOCS, HOST, Proxy, caddy, nginx

from adjudge.core.errors import UsageError
from adjudge.evaluation import Evaluation
from adjudge.judgments.store.store import store_of
from adjudge.web.access import origin_of
from adjudge.web.serving import Address
from adjudge.web.site import Site

ANN = "ann"
VISITOR = "127.0.0.2"  # this computer by another name, which nobody trusts
MADE_UP = "203.0.113.7"

Kind = Callable[..., AbstractContextManager[Proxy]]
KINDS: dict[str, tuple[Kind, str]] = {
    "nginx": (nginx, ""),
    "Caddy": (caddy, ""),
    "nginx with nothing but proxy_pass": (partial(nginx, plain=True), ""),
    "nginx below a path": (partial(nginx, plain=True, path="/judge/"), "/judge"),
}
OURS = ("nginx", "Caddy")


@dataclass
class Place:
    """An app behind a proxy, and Ann's way in."""

    proxy: Proxy
    path: str
    token: str
    task: str
    evaluation: Evaluation

    def client(self, **headers: str) -> httpx2.Client:
        """A browser, as far as headers go, at another address."""
        transport = httpx2.HTTPTransport(verify=self.proxy.context(), local_address=VISITOR)
        given = {"Host": f"{HOST}:{self.proxy.port}", "Origin": self.proxy.origin, **headers}
        base = f"https://127.0.0.1:{self.proxy.port}{self.path}"
        return httpx2.Client(base_url=base, transport=transport, headers=given, timeout=HANG)

    def post(self, client: httpx2.Client, path: str, body: Any) -> httpx2.Response:
        return client.post(path, json=body, extensions={"sni_hostname": HOST})

    def get(self, client: httpx2.Client, path: str) -> httpx2.Response:
        return client.get(path, extensions={"sni_hostname": HOST})


@contextmanager
def placed(kind: str, evaluation: Evaluation, folder: Path) -> Iterator[Place]:
    make, path = KINDS[kind]
    port = free_port()
    site = Site.open(evaluation.folder)
    token = site.store.accounts.renew_link(ANN)
    task = next(site.task_key(task) for task in site.tasks_of(ANN) if task.protocol == "rating")
    site.close()
    server = Server(evaluation.path, "--public-url", f"https://{HOST}:{port}{path}")
    server.start()
    folder.mkdir()
    try:
        with make(folder, server.port, port) as proxy:
            yield Place(proxy, path, token, task, evaluation)
    finally:
        server.stop()


@pytest.fixture(scope="module", params=KINDS)
def place(
    request: pytest.FixtureRequest, template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """One of each kind for all tests: they only add sessions and answers."""
    folder = tmp_path_factory.mktemp("proxy")
    evaluation = Evaluation.open(shutil.copytree(template, folder / "evaluation"))
    with placed(request.param, evaluation, folder / "proxy") as found:
        yield found


def test_people_sign_in_and_judge(place: Place, request: pytest.FixtureRequest) -> None:
    with place.client(**{"X-Forwarded-For": MADE_UP}) as client:
        assert place.get(client, "/in").status_code == 200
        response = place.post(client, "/api/sign-in", {"token": place.token})
        assert response.status_code == 200, response.text
        (cookie,) = SimpleCookie(response.headers["set-cookie"]).values()
        assert cookie["secure"]
        assert cookie["path"] == (place.path or "/")
        me = response.json()
        client.headers |= {"X-Adjudge-CSRF": me["csrf"], "X-Adjudge-Person": me["person"]}
        page = place.get(client, "/work")
        assert page.status_code == 200
        assert f'href="{place.path}/' in page.text
        sent = answer(place.task, "comment", {"text": "x" * 9000})
        receipt = place.post(client, "/api/events", {"events": [sent]}).json()
        assert [each["id"] for each in receipt["saved"]] == [sent["id"]]
    with store_of(place.evaluation.folder) as store:
        entry = store.account_log.entries(ANN)[0]
    assert entry.what == "signed in by link"
    if request.node.callspec.params["place"] in OURS:
        assert entry.place == VISITOR, "where they really are, whatever they claim"


def test_pages_elsewhere_change_nothing(place: Place) -> None:
    for origin in ("https://evil.example", "null", f"http://{HOST}:{place.proxy.port}", f"https://{HOST}"):
        with place.client(Origin=origin) as client:
            response = place.post(client, "/api/sign-in", {"token": place.token})
            assert response.status_code == 403, origin
            assert "--public-url" in response.json()["says"]


@pytest.mark.parametrize("place", OURS, indirect=True)
def test_a_full_request_passes(place: Place) -> None:
    """What the app takes in one request, the proxy lets through: nginx alone would refuse more than 1 MB."""
    with place.client() as client:
        me = place.post(client, "/api/sign-in", {"token": place.token}).json()
        client.headers |= {"X-Adjudge-CSRF": me["csrf"], "X-Adjudge-Person": me["person"]}
        many = [answer(place.task, "comment", {"text": "x" * 9000}) for _ in range(190)]
        assert len(json.dumps(many)) > 1.7e6
        assert len(place.post(client, "/api/events", {"events": many}).json()["saved"]) == 190


def test_the_page_shows_the_files() -> None:
    page = (DOCS.parent / "proxy.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```(?:nginx|caddyfile)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert shown == [(DOCS / name).read_text(encoding="utf-8") for name in ("nginx.conf", "Caddyfile")]


# Whose word is taken


@pytest.mark.parametrize(
    ("options", "believed"),
    [
        ((), False),
        (("--trusted-proxy", "127.0.0.3"), True),
        (("--trusted-proxy", "10.0.0.0/24", "--trusted-proxy", "127.0.0.0/29"), True),
        (("--trusted-proxy", "127.0.0.4"), False),
    ],
)
def test_only_proxies_that_are_named_say_where_a_request_comes_from(
    evaluation: Evaluation, options: tuple[str, ...], believed: bool
) -> None:
    with store_of(evaluation.folder) as store:
        token = store.accounts.renew_link(ANN)
        server = Server(evaluation.path, *options)
        server.start()
        try:
            signed_in = partial(sign_in, server.port, token)
            assert "secure" in signed_in("127.0.0.3") or not believed
            assert store.account_log.entries(ANN)[0].place == (MADE_UP if believed else "127.0.0.3")
            signed_in("127.0.0.1")  # without a word, too: that is where a proxy usually is
            assert store.account_log.entries(ANN)[0].place == MADE_UP
        finally:
            server.stop()


def sign_in(port: int, token: str, source: str) -> str:
    """What the cookie says, in lower case."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG, source_address=(source, 0))
    headers = {"Content-Type": "application/json", "X-Forwarded-For": MADE_UP, "X-Forwarded-Proto": "https"}
    connection.request("POST", "/api/sign-in", json.dumps({"token": token}), headers)
    response = connection.getresponse()
    assert response.status == 200, response.read()
    connection.close()
    return response.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Judge.Example.org/adjudge/", "https://judge.example.org"),
        ("https://judge.example.org:443", "https://judge.example.org"),
        ("http://judge.example.org:443", "http://judge.example.org:443"),
        ("http://[::1]:8000/x", "http://[::1]:8000"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_an_address_as_browsers_send_it(url: str, origin: str) -> None:
    assert origin_of(url) == origin
    assert Address(public=url).url == url.rstrip("/")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"public": "judge.example.org"},
            'public is "judge.example.org", expected something like https',
        ),
        ({"public": "https://"}, 'public is "https://"'),
        ({"public": "https://a:b"}, 'public is "https://a:b"'),
        ({"public": "https://a/?b"}, 'public is "https://a/?b"'),
        ({"public": "https://a/b", "root_path": "/c"}, "expected the same path in both"),
        ({"root_path": "adjudge"}, 'root_path is "adjudge"'),
        (
            {"proxies": ("proxy.example",)},
            'proxies is "proxy.example", expected an address or a network',
        ),
        ({"proxies": ("10.0.0.1/8",)}, 'proxies is "10.0.0.1/8"'),
    ],
)
def test_mistakes_are_one_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        Address(**given)


def test_a_public_address_has_its_path() -> None:
    assert Address(public="https://example.org/adjudge/").path == "/adjudge"
    assert Address(public="https://example.org/adjudge", root_path="/adjudge").path == "/adjudge"
    assert Address(public="https://example.org").path == ""
    assert Address(root_path="/adjudge").path == "/adjudge"
