"""Doors that were closed stay closed: leaked links, passwords, organisers who judge, and what the log says of it."""

from __future__ import annotations

import inspect
import os
import re
import threading

import pytest
from fastapi import FastAPI
from httpx2 import Response
from starlette.testclient import TestClient
from tests.waiting import HANG, until
from tests.web.making import JUDGING_ORGANISER, ORGANISER, Running, answer, running, send

from adjudge.evaluation import Evaluation
from adjudge.judgments.store import accounts
from adjudge.judgments.store.sessions import LIMIT
from adjudge.web.access import CSRF_HEADER
from adjudge.web.signing import LIMIT_OF_A_PLACE

ANN, BEN = "ann", "ben"
PASSWORD, OTHER = "correct horse", "battery staple"
THIEF, OFFICE = ("203.0.113.9", 4), ("198.51.100.1", 5)


def enter(client: TestClient, **how: str) -> Response:
    """Signs in as the pages do: afterwards requests carry the new session's token."""
    response = client.post("/api/sign-in", json=how)
    if response.status_code == 200:
        client.headers[CSRF_HEADER] = response.json()["csrf"]
    return response


def set_password(client: TestClient, new: str, old: str | None = None) -> int:
    return client.post("/api/password", json={"password": new, "old": old}).status_code


def is_in(client: TestClient) -> bool:
    return client.get("/work").status_code == 200


def test_nobody_is_told_of_requests_whatever_the_environment_names(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """FastAPI can report every request, with what is in it, to an address that the environment has."""
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "no address")
    with running(evaluation.folder) as app, app.client() as client:
        assert client.get("/in").status_code == 200
    assert "telemetry" not in caplog.text
    if "telemetry" in inspect.signature(FastAPI).parameters:
        with TestClient(FastAPI()):
            assert "telemetry configuration failed" in caplog.text, "it would have looked"


# A leaked link


@pytest.mark.parametrize("answer", ["link", "suspend"])
def test_a_thief_with_a_link_is_out_when_the_door_is_closed(both: Running, answer: str) -> None:
    """The thief signs in, sets a password and signs in by it, too; then the organiser hears of it."""
    leaked = both.site.store.accounts.renew_link(ANN)
    thief, second = both.client(client=THIEF), both.client(client=THIEF)
    assert enter(thief, token=leaked).status_code == 200
    assert set_password(thief, PASSWORD) == 200
    assert enter(second, person=ANN, password=PASSWORD).status_code == 200
    assert is_in(thief)
    assert is_in(second)
    organiser = both.client(ORGANISER, client=OFFICE)
    assert re.search(
        rf'scope="row">{ANN}</th>.*?<td>active</td><td>yes</td>', organiser.get("/organiser").text
    )
    if answer == "link":
        new = organiser.post("/api/organiser/link", json={"person": ANN}).json()["token"]
    else:
        assert organiser.post("/api/organiser/suspend", json={"person": ANN}).status_code == 200
        back = {"person": ANN, "suspended": False}
        assert not is_in(thief)
        assert enter(second, person=ANN, password=PASSWORD).status_code == 401
        assert enter(both.client(client=THIEF), token=leaked).status_code == 401
        assert organiser.post("/api/organiser/suspend", json=back).status_code == 200
        new = organiser.post("/api/organiser/link", json={"person": ANN}).json()["token"]
    for client in (thief, second, both.client(client=THIEF)):
        assert not is_in(client)
        assert set_password(client, OTHER, PASSWORD) == 401
        assert enter(client, person=ANN, password=PASSWORD).status_code == 401
        assert enter(client, token=leaked).status_code == 401
    ann = both.client()
    assert enter(ann, token=new).status_code == 200
    assert is_in(ann)
    assert not re.search(
        rf'scope="row">{ANN}</th>.*?<td>yes</td>', organiser.get("/organiser").text.split(BEN)[0]
    )
    log = organiser.get("/organiser/log").text
    for what, place in (
        ("signed in by link", THIEF[0]),
        ("password set", THIEF[0]),
        ("signed in by password", THIEF[0]),
        ("new link, sessions and password ended", OFFICE[0]),
        ("sign-in refused: wrong password", THIEF[0]),
    ):
        assert re.search(rf">{ANN}</th><td>{what}</td><td>\w*</td><td>{place}</td>", log), what


def test_a_session_alone_sets_no_password(both: Running) -> None:
    """A computer that was left open is not enough: ten minutes after the link it takes the old password."""
    client = both.client()
    enter(client, token=both.site.store.accounts.renew_link(ANN))
    both.clock.move(minutes=10)
    assert set_password(client, PASSWORD) == 200
    both.clock.move(minutes=1)
    response = client.post("/api/password", json={"password": OTHER})
    assert response.status_code == 403
    assert "open your personal link again" in response.json()["says"]
    assert client.post("/api/password", json={"password": OTHER, "old": OTHER}).json()["says"] == (
        "The old password is not right."
    )
    assert set_password(client, OTHER, PASSWORD) == 200
    by_password = both.client()
    assert enter(by_password, person=ANN, password=OTHER).status_code == 200
    assert set_password(by_password, PASSWORD) == 403, "it was no sign-in by link"
    assert set_password(by_password, PASSWORD, OTHER) == 200
    assert not is_in(client), "a new password signs others out"
    assert set_password(by_password, "too short", PASSWORD) == 422


def test_the_old_password_is_not_guessed_in_a_session(app: Running) -> None:
    app.site.store.accounts.set_password(ANN, PASSWORD)
    client = app.client(ANN)
    app.clock.move(minutes=11)
    assert [set_password(client, OTHER, f"{n} wrong guess") for n in range(LIMIT)] == [403] * LIMIT
    assert set_password(client, OTHER, PASSWORD) == 429


def test_the_account_page_says_what_it_takes(app: Running) -> None:
    client = app.client(ANN)
    assert "You have no password." in client.get("/account").text
    assert 'name="old"' not in client.get("/account").text
    app.clock.move(minutes=11)
    page = client.get("/account").text
    assert "open your personal link again" in page
    assert "<form" not in page
    app.site.store.accounts.set_password(ANN, PASSWORD, session=_session(client))
    page = client.get("/account").text
    assert "You have a password." in page
    assert 'name="old"' in page


def _session(client: TestClient) -> str:
    (token,) = client.cookies.values()
    return token


def test_an_organiser_who_renews_their_own_link_stays_in_here_alone(app: Running) -> None:
    here, elsewhere = app.client(ORGANISER), app.client(ORGANISER)
    assert here.post("/api/organiser/link", json={"person": ORGANISER}).status_code == 200
    assert here.get("/organiser").status_code == 200
    assert elsewhere.get("/organiser").status_code == 303


def test_the_log_forgets_addresses_with_a_name(both: Running) -> None:
    store = both.site.store
    client = both.client(client=THIEF)
    enter(client, token=store.accounts.renew_link(ANN))
    pseudonym = store.people.pseudonym(ANN)
    store.people.erase_name(ANN)
    mine = store.account_log.entries(pseudonym)
    assert mine[0].what == "account removed"
    assert {entry.place for entry in mine} == {None}
    assert store.account_log.entries(ANN) == []


def test_tries_of_strangers_are_in_the_log_for_a_month_without_what_they_typed(both: Running) -> None:
    client = both.client(client=THIEF)
    for name in ("nobody", "\x00", PASSWORD, ANN):
        assert enter(client, person=name, password="x").status_code == 401
    log = both.site.store.account_log
    found = log.entries(most=4)
    assert [(e.person, e.what) for e in found] == [
        (ANN, "sign-in refused: wrong password"),
        *[(None, "sign-in refused: no such name")] * 3,
    ]
    assert {e.place for e in found} == {THIEF[0]}
    both.clock.move(days=31)
    enter(client, person=BEN, password="x")
    assert [e.person for e in log.entries() if "refused" in e.what] == [BEN]


# Organisers who judge


def test_an_organiser_who_judges_makes_no_links_until_they_are_done(both: Running) -> None:
    client, token = both.client(JUDGING_ORGANISER), both.site.store.accounts.renew_link(ORGANISER)
    assert "data-link" not in client.get("/organiser").text
    for person in (ORGANISER, ANN, JUDGING_ORGANISER):
        response = client.post("/api/organiser/link", json={"person": person})
        assert response.status_code == 403
        assert response.json()["says"].startswith("You judge too")
    assert enter(both.client(), token=token).status_code == 200, "the link that was there works"
    for task in both.tasks(JUDGING_ORGANISER, "rating"):
        for question in both.site.protocol("rating").questions:
            send(client, answer(both.key(task), question.id, {"value": 3}))
    assert "data-link" in client.get("/organiser").text
    assert client.post("/api/organiser/link", json={"person": ANN}).status_code == 200


# How often one may try


class Held:
    """A hasher that counts, and that takes as long as the test says."""

    def __init__(self) -> None:
        self.checked, self.at_once, self.most = 0, 0, 0
        self.go = threading.Event()
        self.go.set()
        self._lock = threading.Lock()

    def fits(self, kept: str | None, password: str) -> bool:
        with self._lock:
            self.checked += 1
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        self.go.wait(HANG)
        with self._lock:
            self.at_once -= 1
        return kept is not None and password == PASSWORD


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    found = Held()
    monkeypatch.setattr(accounts, "password_fits", found.fits)
    return found


def at_once(count: int, call: object) -> list[int]:
    """The statuses of so many requests, sent together."""
    found: list[int] = []
    together = threading.Barrier(count)

    def run(n: int) -> None:
        together.wait(HANG)
        found.append(call(n).status_code)  # type: ignore[operator]

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_of_a_hundred_tries_at_once_ten_are_checked(both: Running, held: Held) -> None:
    both.site.store.accounts.set_password(ANN, PASSWORD)
    with both.client() as client:  # one event loop, as a server has
        found = at_once(
            100, lambda n: client.post("/api/sign-in", json={"person": ANN, "password": f"guess {n}"})
        )
        assert sorted(found) == [401] * LIMIT + [429] * (100 - LIMIT)
        assert held.checked == LIMIT
        assert client.post("/api/sign-in", json={"person": ANN, "password": PASSWORD}).status_code == 429
        token = both.site.store.accounts.renew_link(ANN)
        assert client.post("/api/sign-in", json={"token": token}).status_code == 200, (
            "a link waits for nobody"
        )


def test_two_servers_allow_as_many_tries_as_one(both: Running, held: Held) -> None:
    both.site.store.accounts.set_password(ANN, PASSWORD)
    with running(both.site.folder) as second, both.client() as one, second.client() as two:
        guess = {"person": ANN, "password": "a wrong guess"}
        found = at_once(40, lambda n: (one, two)[n % 2].post("/api/sign-in", json=guess))
    assert sorted(found) == [401] * LIMIT + [429] * (40 - LIMIT)


def test_one_clumsy_person_locks_nobody_else_out(app: Running, held: Held) -> None:
    """Many sit behind one address; whoever spells their own name wrong in many ways is one of them."""
    store = app.site.store
    store.accounts.set_password(BEN, PASSWORD)
    office = app.client(client=OFFICE)
    for n in range(3 * LIMIT):
        enter(office, person=ANN if n < 2 * LIMIT else f"an{n}", password="was it this one")
    assert enter(app.client(client=OFFICE), person=BEN, password=PASSWORD).status_code == 200
    assert enter(app.client(client=OFFICE), token=store.accounts.renew_link(ANN)).status_code == 200


def test_from_one_address_not_every_name_can_be_tried(app: Running, held: Held) -> None:
    app.site.store.accounts.set_password(BEN, PASSWORD)
    client = app.client(client=("2001:db8:1:2::1", 1))
    for n in range(LIMIT_OF_A_PLACE):
        assert enter(client, person=f"name {n}", password=PASSWORD).status_code == 401
    same_customer = app.client(client=("2001:db8:1:2:ffff::9", 1))
    assert enter(same_customer, person=BEN, password=PASSWORD).status_code == 429
    assert enter(same_customer, token=app.site.store.accounts.renew_link(ANN)).status_code == 200
    assert enter(app.client(client=("2001:db8:1:3::1", 1)), person=BEN, password=PASSWORD).status_code == 200


def test_right_passwords_take_no_tries(app: Running, held: Held) -> None:
    app.site.store.accounts.set_password(ANN, PASSWORD)
    found = {enter(app.client(), person=ANN, password=PASSWORD).status_code for _ in range(LIMIT + 2)}
    assert found == {200}


def test_pages_do_not_wait_for_passwords(evaluation: Evaluation, held: Held) -> None:
    """200 sign-ins at once, none of which ends: pages and answers are served by other threads."""
    held.go.clear()
    with running(evaluation.folder) as app, app.client() as visitors, app.client(ANN) as ann:
        found: list[int] = []
        tries = threading.Thread(
            target=lambda: found.extend(
                at_once(
                    200,
                    lambda n: visitors.post(
                        "/api/sign-in", json={"person": f"name {n}", "password": "x" * 12}
                    ),
                )
            )
        )
        tries.start()
        until(lambda: held.checked, "a password is checked")
        for _ in range(5):
            assert ann.get("/work").status_code == 200
            assert send(ann, answer(app.first(ANN, "rating"), "comment", {"text": "x"}))["saved"]
        assert found == [], "they wait"
        held.go.set()
        tries.join()
    assert set(found) == {401, 429}
    assert held.most <= max(1, (os.cpu_count() or 1) // 2)
