"""Signing in and out: links, passwords, cookies, so many tries at most, and how a session ends."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from httpx2 import Response
from starlette.testclient import TestClient
from tests.web.making import BASE, ORGANISER, Running, running

from adjudge.evaluation import Evaluation
from adjudge.judgments.store.sessions import LIFETIME, LIMIT
from adjudge.web.access import CSRF_HEADER, cookie_name

ANN, BEN = "ann", "ben"
PASSWORD = "correct horse"


def enter(client: TestClient, **how: str) -> Response:
    return client.post("/api/sign-in", json=how)


def is_in(client: TestClient, root: str = "") -> bool:
    return client.get(f"{root}/work").status_code == 200


def test_the_first_organisers_link_works_once(both: Running) -> None:
    token = both.site.store.accounts.renew_link(ORGANISER, once=True)
    client = both.client()
    me = enter(client, token=token).json()
    assert me["role"] == "organiser"
    assert client.get("/organiser").status_code == 200
    assert enter(both.client(), token=token).status_code == 401
    assert client.get("/organiser").status_code == 200, "whoever is in stays in"


def test_a_first_start_gives_a_link_to_the_organiser(evaluation: Evaluation, tmp_path: str) -> None:
    (evaluation.path / "judgments.sqlite").unlink()
    with running(evaluation.folder) as app:
        token = app.site.store.accounts.first_organiser_link()
        assert token is not None
        client = app.client()
        assert enter(client, token=token).status_code == 200
        assert client.get("/").headers["location"] == "/organiser"
        assert enter(app.client(), token=token).status_code == 401
        assert app.site.store.accounts.first_organiser_link() is None


def test_an_assessors_link_works_until_it_is_renewed(both: Running) -> None:
    old = both.site.store.accounts.renew_link(ANN)
    clients = [both.client() for _ in range(3)]
    for client in clients:
        me = enter(client, token=old).json()
        assert me == client.get("/api/me").json()
        assert me["person"] == both.site.person_key(ANN)
        assert is_in(client)
    asked = both.client(ORGANISER).post("/api/organiser/link", json={"person": ANN})
    assert enter(both.client(), token=old).status_code == 401
    assert enter(both.client(), token=asked.json()["token"]).status_code == 200
    assert not any(map(is_in, clients)), "whoever came by the old link is out"


def test_wrong_passwords_are_counted_in_the_database(both: Running) -> None:
    """A second server on the same store refuses too, even the right one, until a quarter of an hour has passed."""
    both.site.store.accounts.set_password(ANN, PASSWORD)
    client = both.client()
    for _ in range(LIMIT):
        assert enter(client, person=ANN, password="wrong password").status_code == 401
    response = enter(client, person=ANN, password=PASSWORD)
    assert response.status_code == 429
    assert response.json()["says"].startswith("Too many tries.")
    with running(both.site.folder) as second:
        assert enter(second.client(), person=ANN, password=PASSWORD).status_code == 429
    both.clock.move(minutes=16)
    assert enter(client, person=ANN, password=PASSWORD).status_code == 200


def test_tries_with_a_name_are_counted_wherever_they_come_from(app: Running) -> None:
    app.site.store.accounts.set_password(ANN, PASSWORD)
    app.site.store.accounts.set_password(BEN, PASSWORD)
    for n in range(LIMIT):
        somewhere = app.client(client=(f"192.0.2.{n}", 1))
        assert enter(somewhere, person=ANN, password="wrong password").status_code == 401
    elsewhere = app.client(client=("198.51.100.1", 1))
    assert enter(elsewhere, person=ANN, password=PASSWORD).status_code == 429
    assert enter(elsewhere, person=BEN, password=PASSWORD).status_code == 200
    assert enter(app.client(), token=app.site.store.accounts.renew_link(ANN)).status_code == 200, (
        "the link works"
    )


def test_right_tries_are_not_counted(app: Running) -> None:
    """A hundred assessors may sit behind one address."""
    token = app.site.store.accounts.renew_link(ANN)
    assert {enter(app.client(), token=token).status_code for _ in range(LIMIT + 2)} == {200}


def test_a_password_that_was_set_on_the_page_signs_in(both: Running) -> None:
    client = both.client(ANN)
    assert client.post("/api/password", json={"password": "too short"}).status_code == 422
    assert client.post("/api/password", json={"password": PASSWORD}).status_code == 200
    other = both.client()
    assert enter(other, person=ANN, password=PASSWORD).status_code == 200
    assert is_in(other)
    for person, password in (
        (ANN, "wrong password"),
        (BEN, PASSWORD),
        ("nobody", PASSWORD),
        ("\x00", "\x00"),
    ):
        assert enter(both.client(), person=person, password=password).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"token": None},
        {"person": ANN},
        {"password": PASSWORD},
        {"token": "x", "person": ANN, "password": "x"},
        {"token": "x" * 201},
        {"token": 5},
        {"token": "x", "more": 1},
        [],
        "x",
        None,
    ],
)
def test_half_a_sign_in_is_refused(app: Running, body: object) -> None:
    response = app.client().post("/api/sign-in", json=body)
    assert response.status_code == 422
    assert response.json() == {"says": "This cannot be read."}


@pytest.mark.parametrize(("scheme", "root"), [("http", ""), ("https", ""), ("https", "/judge")])
def test_the_cookie(evaluation: Evaluation, scheme: str, root: str) -> None:
    with running(evaluation.folder, root_path=root) as app:
        client = TestClient(app.app, base_url=BASE.replace("http", scheme), follow_redirects=False)
        response = enter(client, token=app.site.store.accounts.renew_link(ANN))
        (cookie,) = SimpleCookie(response.headers["set-cookie"]).values()
        # A cookie so named is set over HTTPS alone, and by this host alone or for this path.
        prefix = "" if scheme == "http" else "__Secure-" if root else "__Host-"
        assert cookie.key == prefix + cookie_name(app.site)
        assert is_in(client, root)
        assert cookie["httponly"]
        assert cookie["samesite"] == "lax"
        assert bool(cookie["secure"]) == (scheme == "https")
        assert cookie["path"] == (root or "/")
        assert cookie["domain"] == ""
        assert int(cookie["max-age"]) == LIFETIME.total_seconds()
        stored = (evaluation.path / "judgments.sqlite").read_bytes()
        stored += (evaluation.path / "judgments.sqlite-wal").read_bytes()
        assert cookie.value.encode() not in stored, "only its hash is kept"
        assert cookie.value not in response.text


@pytest.mark.parametrize("root", ["", "/judge"])
def test_over_https_no_other_cookie_is_taken(evaluation: Evaluation, root: str) -> None:
    """One without the prefix may have been set by a neighbour of the host, or over HTTP."""
    with running(evaluation.folder, root_path=root) as app:
        client = TestClient(app.app, base_url=BASE.replace("http", "https"), follow_redirects=False)
        enter(client, token=app.site.store.accounts.renew_link(ANN))
        (kept,) = client.cookies.jar
        assert is_in(client, root)
        for prefix in ("", "__Host-" if root else "__Secure-"):
            client.cookies.clear()
            client.cookies.set(prefix + cookie_name(app.site), kept.value or "", domain=kept.domain)
            assert not is_in(client, root)
        plain = TestClient(app.app, base_url=BASE, follow_redirects=False)
        plain.cookies.set(kept.name, kept.value or "", domain="127.0.0.1")
        assert not is_in(plain, root)


@pytest.mark.parametrize("root", ["", "/judge"])
def test_signing_out_over_https_takes_the_cookie_back(evaluation: Evaluation, root: str) -> None:
    """A browser takes no cookie with such a name that is not Secure, not even an end of one."""
    with running(evaluation.folder, root_path=root) as app:
        client = TestClient(app.app, base_url=BASE.replace("http", "https"), follow_redirects=False)
        me = enter(client, token=app.site.store.accounts.renew_link(ANN)).json()
        response = client.post(f"{root}/api/sign-out", headers={CSRF_HEADER: me["csrf"]})
        (cookie,) = SimpleCookie(response.headers["set-cookie"]).values()
        assert cookie.key.endswith(cookie_name(app.site))
        assert (cookie["max-age"], cookie["path"]) == ("0", root or "/")
        assert cookie["secure"]
        assert not list(client.cookies.jar)


def test_two_evaluations_have_two_cookies(
    evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Cookies do not tell ports apart: signing in to one evaluation must not sign out of another."""
    other = Evaluation.init(tmp_path_factory.mktemp("other") / "evaluation")
    with running(evaluation.folder) as one, running(other.folder) as two:
        assert cookie_name(one.site) != cookie_name(two.site)


def test_signing_out_ends_the_session(both: Running) -> None:
    client = both.client(ANN)
    session = client.cookies[cookie_name(both.site)]
    response = client.post("/api/sign-out")
    assert response.json() == {"evaluation": both.site.key, "person": None, "csrf": None, "role": None}
    cookie = SimpleCookie(response.headers["set-cookie"])[cookie_name(both.site)]
    assert cookie["max-age"] == "0"
    client.cookies.set(cookie_name(both.site), session, domain="127.0.0.1")  # somebody kept it
    assert client.get("/api/tasks/x").status_code == 401
    assert both.client().post("/api/sign-out").status_code == 200, "nobody may sign out, too"


def test_a_suspended_persons_session_is_over_at_the_next_request(both: Running) -> None:
    token = both.site.store.accounts.renew_link(ANN)
    client, organiser = both.client(ANN), both.client(ORGANISER)
    assert is_in(client)
    assert organiser.post("/api/organiser/suspend", json={"person": ANN}).status_code == 200
    assert client.get("/api/tasks/x").status_code == 401
    assert client.post("/api/events", json={"events": []}).status_code == 401
    assert client.get("/work").headers["location"] == "/in"
    assert enter(both.client(), token=token).status_code == 401
    back = {"person": ANN, "suspended": False}
    assert organiser.post("/api/organiser/suspend", json=back).status_code == 200
    assert not is_in(client), "the old session stays over"
    assert enter(both.client(), token=token).status_code == 200


def test_an_organiser_cannot_lock_themselves_out(app: Running) -> None:
    client = app.client(ORGANISER)
    assert client.post("/api/organiser/suspend", json={"person": ORGANISER}).status_code == 422
    assert client.get("/organiser").status_code == 200
    for person in ("nobody", "\x00", "x" * 200):
        for path in ("link", "suspend"):
            assert client.post(f"/api/organiser/{path}", json={"person": person}).status_code == 404


def test_a_session_ends_after_its_time(both: Running) -> None:
    client = both.client()
    me = enter(client, token=both.site.store.accounts.renew_link(ANN)).json()
    client.headers[CSRF_HEADER] = me["csrf"]
    both.clock.move(days=29)
    assert is_in(client)
    both.clock.move(days=2)
    assert not is_in(client)
    assert client.get("/api/me").json()["person"] is None
