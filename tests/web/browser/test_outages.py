"""A store that cannot be used for a while: no answer is taken for refused, and the next is saved without a restart."""

from __future__ import annotations

import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Page, expect
from tests.waiting import HANG
from tests.web.browser.conftest import Watch
from tests.web.browser.making import Person, Study
from tests.web.browser.outages import (
    MortalServer,
    Postgres,
    Trouble,
    full,
    locked,
    no_growth,
    read_only,
    small_disk,
)
from tests.web.browser.pages import banner, enter, kept, key, ready, saved, shows, state

from adjudge.judgments.store.confirmed import VARIABLE
from adjudge.web.app import SAYS

NOT_SAVED = "Not saved yet; kept on this computer."
KINDS = ("duc-2002", "rating", "preference-summaries")


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MortalServer]:
    place = tmp_path_factory.mktemp("outages")
    with small_disk(place / "disk") as disk:
        study = Study(disk / "storms")
        server = MortalServer(study, place / "log")
        server.start()
        yield server
        server.stop()
        study.close()


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a missing XDG_RUNTIME_DIR when imported
        found = Postgres(Path(tempfile.gettempdir()) / f"adjudge-outages-{uuid.uuid4().hex[:12]}")
    yield found
    found.close()


@pytest.fixture(scope="module")
def on_postgres(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[MortalServer]:
    place = tmp_path_factory.mktemp("outages")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(VARIABLE, postgres.address)
        study = Study(place / "storms", database=postgres.address)
        server = MortalServer(study, place / "log")
        server.start()
        yield server
        server.stop()
        study.close()


class Visit:
    """Somebody at the pages, without a browser."""

    def __init__(self, server: MortalServer, person: Person):
        self.study, self.person = server.study, person
        self.client = httpx2.Client(base_url=server.url, timeout=HANG)
        assert self.client.post("/api/sign-in", json={"token": person.token}).status_code == 200
        me = self.client.get("/api/me").json()
        self.client.headers |= {"X-Adjudge-CSRF": me["csrf"], "X-Adjudge-Person": me["person"]}

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()

    def answers(self) -> list[dict[str, Any]]:
        """One to the first page of each kind."""
        return [self.answer(next(t for t in self.person.tasks if t.protocol == kind)) for kind in KINDS]

    def answer(self, task: Any) -> dict[str, Any]:
        unit = next(iter(self.study.units(task, "edu", task.reference)), "") if task.reference else ""
        question, given = {
            "duc-2002": (f"unit:{unit}", {"marked": [], "completeness": 0}),
            "rating": ("rating:coherence", {"value": 4}),
            "preference-summaries": ("preference", {"winner": "left"}),
        }[task.protocol]
        return {"id": str(uuid.uuid4()), "task": self.study.key(task), "question": question, "answer": given}

    def send(self, *events: dict[str, Any]) -> httpx2.Response:
        return self.client.post("/api/events", json={"events": list(events)})


def check_outage(server: MortalServer, trouble: Trouble, *, reads: bool) -> None:
    """`reads`: what is stored can still be read."""
    study = server.study
    organiser, late = study.organiser(), study.person("rating")
    with Visit(server, study.person(*KINDS)) as ann, Visit(server, organiser) as olga:
        before, events = len(server.log), ann.answers()
        pages = [f"/task/{each['task']}" for each in events]
        with trouble(server):
            for event in events:
                response = ann.send(event)
                assert (response.status_code, response.json()) == (503, {"says": SAYS[503]}), event[
                    "question"
                ]
                assert int(response.headers["Retry-After"]) > 0
            assert ann.send(*events).status_code == 503
            answer = httpx2.post(f"{server.url}/api/sign-in", json={"token": late.token})
            assert (answer.status_code, answer.json()) == (503, {"says": SAYS[503]})
            for path in (*pages[:2], "/work", "/api/tasks/" + events[0]["task"]):
                opened = ann.client.get(path)
                assert opened.status_code == (200 if reads else 503), path
                if not reads:
                    assert SAYS[503] in opened.text
                    assert opened.headers["Refresh"] == opened.headers["Retry-After"]
            shown = olga.client.get("/organiser")
            assert shown.status_code == (200 if reads else 503)
            assert ("The store of answers cannot be used since" in shown.text) == reads
        receipt = ann.send(*events).json()
        assert [each["id"] for each in receipt["saved"]] == [each["id"] for each in events]
        assert receipt["refused"] == []
        assert ann.send(*events).json() == receipt, "and once"
        assert len(study.events(ann.person)) == len(events)
        assert [ann.client.get(path).status_code for path in (*pages, "/work")] == [200, 200, 303, 200]
        with Visit(server, late) as visit:
            assert visit.send(visit.answer(late.tasks[0])).json()["refused"] == []
        page = olga.client.get("/organiser").text
        assert "The store of answers cannot be used since" not in page
        assert "The store of answers could not be used between" in page
    said = server.log[before:]
    assert ["cannot be used since" in said[0], "It is over" in said[1]] == [True, True]
    assert len(said) == 2, said


@pytest.mark.parametrize("trouble", [full, no_growth, locked, read_only])
def test_sqlite(on_sqlite: MortalServer, trouble: Trouble) -> None:
    check_outage(on_sqlite, trouble, reads=True)


@pytest.mark.parametrize("name", ["stopped", "shut_down", "out_of_connections"])
def test_postgresql(on_postgres: MortalServer, postgres: Postgres, name: str) -> None:
    check_outage(on_postgres, getattr(postgres, name), reads=False)


def test_postgresql_that_is_read_only(on_postgres: MortalServer, postgres: Postgres) -> None:
    check_outage(on_postgres, postgres.read_only, reads=True)


def test_postgresql_restarted_between_two_answers(on_postgres: MortalServer, postgres: Postgres) -> None:
    with Visit(on_postgres, on_postgres.study.person(*KINDS)) as ann:
        first, *rest = ann.answers()
        assert ann.send(first).json()["refused"] == []
        before = len(on_postgres.log)
        with postgres.stopped(on_postgres):
            pass
        assert len(ann.send(first, *rest).json()["saved"]) == 3
        assert on_postgres.log[before:] == []


# In the browser


@pytest.fixture
def fragile(watch: Watch) -> Watch:
    watch.network_fails = True
    return watch


def check_page(page: Page, server: MortalServer, person: Person, trouble: Trouble, *, reads: bool) -> None:
    """Answers are given in an outage, the page is opened again in it, and all of them are there afterwards."""
    with trouble(server):
        key(page, "1" if person.tasks[0].protocol != "preference-summaries" else "ArrowLeft")
        expect(state(page)).to_have_text("Not saved yet · 1 kept here")
        expect(banner(page)).to_contain_text(NOT_SAVED)
        assert len(kept(page)) == 1
        if reads:
            page.reload()
            ready(page)
            expect(banner(page)).to_contain_text(NOT_SAVED)
            assert len(kept(page)) == 1
        assert server.study.events(person) == [] or not reads
    saved(page)
    expect(banner(page)).to_be_hidden()
    assert kept(page) == []
    assert len(server.study.events(person)) == 1
    server.study.check_once(person)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("protocol", "trouble"), [("duc-2002", full), ("rating", locked), ("preference-summaries", read_only)]
)
def test_pages(tab: Page, on_sqlite: MortalServer, fragile: Watch, protocol: str, trouble: Trouble) -> None:
    fragile.origin = on_sqlite.url
    person = on_sqlite.study.person(protocol)
    enter(tab, on_sqlite, on_sqlite.study, person)
    check_page(tab, on_sqlite, person, trouble, reads=True)


@pytest.mark.browser
def test_a_page_that_is_opened_while_postgresql_is_away(
    tab: Page, on_postgres: MortalServer, postgres: Postgres, fragile: Watch
) -> None:
    """It says so, tries again by itself, and then has the answer that was given before."""
    fragile.origin = on_postgres.url
    person = on_postgres.study.person("rating")
    enter(tab, on_postgres, on_postgres.study, person)
    with postgres.stopped(on_postgres):
        key(tab, "4")
        expect(banner(tab)).to_contain_text(NOT_SAVED)
        assert len(kept(tab)) == 1
        tab.reload()
        expect(tab.locator("main")).to_contain_text(SAYS[503])
    ready(tab)
    saved(tab)
    shows(tab, "rating:coherence", "4")
    assert on_postgres.study.answers(person) == {"rating:coherence": {"value": 4}}
