"""The event loop waits for nobody: no request reads or writes the store on its thread, whatever is asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from tests.web.making import ORGANISER, Running, answer

from adjudge.web.access import cookie_name
from adjudge.web.routes import ROUTES

ANN = "ann"


@contextmanager
def threads_at_the_store(app: Running) -> Iterator[set[int]]:
    """The threads that ask, commit or take a connection meanwhile."""
    seen: set[int] = set()

    def note(*_: Any) -> None:
        seen.add(threading.get_ident())

    database = app.site.store.database
    watched = [
        (engine, name)
        for engine in (database._reader, database._writer)
        for name in ("before_cursor_execute", "begin", "commit", "rollback", "checkout", "checkin")
    ]
    for engine, name in watched:
        sa.event.listen(engine, name, note)
    try:
        yield seen
    finally:
        for engine, name in watched:
            sa.event.remove(engine, name, note)


def ask_everything(app: Running) -> set[tuple[str, str]]:
    """Every route, by everybody, with what it takes and without; which of them answered well."""
    keys = {name: app.first(ANN, name) for name in ("rating", "duc-2002", "preference-summaries")}
    unit = app.units(app.tasks(ANN, "duc-2002")[0])[0][0]
    events = [
        answer(keys["rating"], "rating:fluency", {"value": 3}),
        answer(keys["rating"], "rating:fluency", {"value": 77}),
        answer(keys["duc-2002"], f"unit:{unit}", {"marked": [], "completeness": 0.0}),
        answer(keys["preference-summaries"], "preference", {"winner": "left"}),
        answer("a" * 20, "comment", {"text": "nowhere"}),
    ]
    bodies: dict[str, list[dict[str, Any]]] = {
        "/api/events": [{"events": events}],
        "/api/pairs/next": [{}, {"first": keys["preference-summaries"]}],
        "/api/sign-in": [{"token": "x" * 43}, {"person": ANN, "password": "correct horse"}],
        "/api/password": [{"password": "battery staple"}, {"password": "staple battery", "old": "no"}],
        "/api/organiser/link": [{"person": "ben"}, {"person": "nobody"}],
        "/api/organiser/suspend": [{"person": "sue"}],
    }
    well: set[tuple[str, str]] = set()
    for person in (ANN, ORGANISER, None):
        for route in sorted(ROUTES, key=lambda route: route.path == "/api/sign-out"):
            for fill in (*keys.values(), "b" * 20) if "{key}" in route.path else ("app.css", "csv", "x"):
                path = route.path.format(key=fill, name=fill, form=fill)
                for body in bodies.get(route.path, [{}]):
                    client = app.client(person, raise_server_exceptions=False)
                    sent = body if route.method == "POST" else None
                    status = client.request(route.method, path, json=sent).status_code
                    assert status < 500, (route.path, status)
                    if status < 400:
                        well.add((route.method, route.path))
                if "{" not in route.path:
                    break
    return well


def test_no_request_is_at_the_store_on_the_event_loop(both: Running) -> None:
    loop = both.portal.call(threading.get_ident)
    with threads_at_the_store(both) as seen:
        well = ask_everything(both)
    assert loop not in seen
    assert len(seen) > 1, "something is watched"
    assert {(route.method, route.path) for route in ROUTES} - well == {("POST", "/api/sign-in")}


def test_a_server_that_begins_with_a_problem_has_the_page_for_it_at_hand(app: Running) -> None:
    """Pages that say what is wrong are made on the event loop."""
    client = app.client()
    session = app.site.store.sessions.start(ANN, timedelta(days=1))
    client.cookies.set(cookie_name(app.site), session, domain="127.0.0.1")
    with threads_at_the_store(app) as seen:
        assert client.get(f"/task/{'b' * 20}").status_code == 404
    assert app.portal.call(threading.get_ident) not in seen
    assert seen


def test_what_is_at_the_store_on_the_event_loop_is_seen(app: Running) -> None:
    with threads_at_the_store(app) as seen:
        app.portal.call(app.site.store.last_seq)
    assert seen == {app.portal.call(threading.get_ident)}
