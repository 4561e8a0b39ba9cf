"""Signed out in the middle: answers stay on the computer, and go to the server when the same person is back, once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from tests.web.browser.conftest import Watch
from tests.web.browser.making import Person, Study
from tests.web.browser.pages import (
    banner,
    enter,
    kept,
    key,
    open_task,
    ready,
    saved,
    shows,
    sign_in,
    state,
    until,
)
from tests.web.browser.server import Server

pytestmark = pytest.mark.browser

SIGNED_OUT = "You are signed out. Your answers are kept on this computer. Sign in"
OTHER = (
    "Somebody else is signed in here. Your answers are kept on this computer until you sign in again. Sign in"
)


@pytest.fixture(autouse=True)
def refused(watch: Watch) -> None:
    watch.network_fails = True


def come_back(page: Page) -> None:
    """What happens when a person looks at a tab again."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def sign_in_elsewhere(page: Page, server: Server, person: Person) -> Page:
    """In another tab of the same browser, as the page's own link does."""
    other = page.context.new_page()
    sign_in(other, server, person)
    return other


def test_suspended_and_let_in_again(tab: Page, server: Server, study: Study) -> None:
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    key(tab, "1")
    saved(tab)
    study.store.accounts.suspend(person.id)
    key(tab, "2")
    expect(state(tab)).to_have_text("Signed out · 1 kept here")
    expect(banner(tab)).to_have_text(SIGNED_OUT)
    key(tab, "3")
    expect(state(tab)).to_have_text("Signed out · 2 kept here")
    assert len(study.events(person)) == 1
    study.store.accounts.restore(person.id)
    with tab.context.expect_page() as opened:
        banner(tab).get_by_role("link", name="Sign in").click()
    expect(opened.value.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(opened.value, server, person)
    come_back(tab)
    saved(tab)
    expect(banner(tab)).to_be_hidden()
    assert [event.answer for event in study.events(person)] == [{"value": 1}, {"value": 2}, {"value": 3}]
    key(tab, "4")  # and on it goes
    saved(tab)
    assert len(study.events(person)) == 4
    assert kept(tab) == []


def test_a_session_that_ended(tab: Page, server: Server, study: Study) -> None:
    """Signed out everywhere; the page goes on by itself once the person is back."""
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    study.store.sessions.end_all(person.id)
    key(tab, "2")
    expect(banner(tab)).to_have_text(SIGNED_OUT)
    tab.reload()
    expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()
    sign_in(tab, server, person)
    until(
        tab, lambda: study.answers(person) == {"rating:coherence": {"value": 2}}
    )  # sent from the list of work
    open_task(tab, server, study, person.tasks[0])
    shows(tab, "rating:coherence", "2")
    assert len(study.events(person)) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_keeps_everything(tab: Page, server: Server, study: Study, status: int) -> None:
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    refusals: list[Route] = []

    def refuse(route: Route) -> None:
        refusals.append(route)
        route.fulfill(status=status, json={"says": "no"})

    tab.route("**/api/events", refuse)
    key(tab, "2", "3")
    expect(state(tab)).to_have_text("Signed out · 2 kept here")
    expect(banner(tab)).to_have_text(SIGNED_OUT)
    until(tab, lambda: len(refusals) > 2)
    assert len(kept(tab)) == 2
    tab.unroute_all()
    saved(tab)
    assert study.answers(person) == {"rating:coherence": {"value": 2}, "rating:consistency": {"value": 3}}
    assert len(study.events(person)) == 2


def test_somebody_else_never_sends_it(tab: Page, server: Server, study: Study) -> None:
    """On a shared computer: the first person's answers wait for the first person."""
    first = study.person("rating", peers=["alpha"])
    second = study.person("rating", peers=["beta"])
    enter(tab, server, study, first)
    tab.route("**/api/events", lambda route: route.abort())  # until the second person is there
    key(tab, "5", "4")
    expect(state(tab)).to_have_text("Offline · 2 kept here")
    other = sign_in_elsewhere(tab, server, second)
    tab.unroute_all()
    come_back(tab)
    expect(state(tab)).to_have_attribute("data-state", "other-person")
    expect(banner(tab)).to_have_text(OTHER)
    open_task(other, server, study, second.tasks[0])
    assert other.locator("[aria-pressed=true]").count() == 0
    key(other, "1")
    saved(other)
    assert study.events(first) == []
    assert study.answers(second) == {"rating:coherence": {"value": 1}}
    assert {event.task for event in study.events(second)} == {second.tasks[0].id}
    key(tab, "3")  # typed on the first person's page while the second one is signed in
    expect(state(tab)).to_have_text("3 kept here")
    assert len(study.events(second)) == 1
    sign_in(other, server, first)
    come_back(tab)
    saved(tab)
    expect(banner(tab)).to_be_hidden()
    wanted = {
        "rating:coherence": {"value": 5},
        "rating:consistency": {"value": 4},
        "rating:fluency": {"value": 3},
    }
    assert study.answers(first) == wanted
    assert len(study.events(first)) == 3
    assert len(study.events(second)) == 1


def test_the_second_persons_answers_stay_apart_too(tab: Page, server: Server, study: Study) -> None:
    """Both have something waiting on one computer; each sign-in sends its own."""
    people = [study.person("rating", peers=["alpha"]) for _ in range(2)]
    for value, person in enumerate(people, 1):
        enter(tab, server, study, person)
        tab.route("**/api/events", lambda route: route.abort())
        key(tab, str(value))
        expect(state(tab)).to_have_text("Offline · 1 kept here")
        tab.goto("about:blank")
        tab.unroute_all()
    for value, person in reversed(list(enumerate(people, 1))):
        enter(tab, server, study, person)
        saved(tab)
        assert study.answers(person) == {"rating:coherence": {"value": value}}
        shows(tab, "rating:coherence", str(value))
    assert [len(study.events(person)) for person in people] == [1, 1]


def test_pairs_go_on_after_signing_in_again(tab: Page, server: Server, study: Study) -> None:
    """Nothing is waiting to be sent, so the page itself has to find that there is a new session."""
    person = study.person("preference-summaries")
    sign_in(tab, server, person)
    tab.goto(f"{server.url}/pairs")
    ready(tab)
    study.store.sessions.end_all(person.id)

    def used_up() -> bool:
        """Answers what is there until the page has to ask for more."""
        key(tab, "1")
        return tab.locator("#empty").inner_text() == "Sign in to go on. Your answers are kept."

    until(tab, used_up)
    sign_in_elsewhere(tab, server, person)
    expect(tab.locator("#sides")).to_be_visible()
    saved(tab)
    shown = {event.task for event in study.events(person)}
    assert len(shown) == len(study.events(person)) >= 3


def test_signing_out_sends_first(tab: Page, server: Server, study: Study) -> None:
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    tab.route("**/api/events", lambda route: route.abort())
    key(tab, "2")
    expect(state(tab)).to_have_attribute("data-state", "offline")
    tab.goto(f"{server.url}/account")
    tab.unroute_all()
    tab.get_by_role("button", name="Sign out").click()
    tab.wait_for_url("**/in")
    assert study.answers(person) == {"rating:coherence": {"value": 2}}
    tab.goto(f"{server.url}/work")
    expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()


def test_by_password(tab: Page, server: Server, study: Study) -> None:
    person = study.person("rating", peers=["alpha"])
    sign_in(tab, server, person)
    tab.goto(f"{server.url}/account")
    tab.get_by_label("New password").fill("a long password")
    tab.get_by_role("button", name="Set the password").click()
    expect(banner(tab)).to_have_text("The password is set.")
    tab.get_by_role("button", name="Sign out").click()
    tab.wait_for_url("**/in")
    tab.get_by_label("Name").fill(person.id)
    tab.get_by_label("Password").fill("a wrong password")
    tab.get_by_role("button", name="Sign in").click()
    expect(banner(tab)).to_have_text("This does not open anything. Ask the organiser for a new link.")
    tab.get_by_label("Password").fill("a long password")
    tab.get_by_role("button", name="Sign in").click()
    tab.wait_for_url("**/work")


def test_a_password_never_stands_in_the_address(
    computer: Callable[..., BrowserContext], server: Server
) -> None:
    """Where the script did not load, the form goes nowhere; it must not go there with the password in the open."""
    page = computer(java_script_enabled=False).new_page()
    page.goto(f"{server.url}/in")
    page.get_by_label("Name").fill("somebody")
    page.get_by_label("Password").fill("a long password")
    with page.expect_request("**/in") as sent:
        page.get_by_role("button", name="Sign in").click()
    assert sent.value.method == "POST"
    assert sent.value.url == f"{server.url}/in"


def test_a_link_that_opens_nothing(tab: Page, server: Server) -> None:
    tab.goto(f"{server.url}/in#nonsense")
    expect(banner(tab)).to_have_text("This does not open anything. Ask the organiser for a new link.")
    assert tab.url == f"{server.url}/in"  # what stood behind the # is gone from the address


def test_a_sign_in_page_that_was_open_for_long(tab: Page, server: Server, study: Study) -> None:
    """Somebody signed in elsewhere since: the page's link works all the same."""
    first, second = study.person("rating"), study.person("rating")
    tab.goto(f"{server.url}/in")
    sign_in_elsewhere(tab, server, first)
    tab.goto(f"{server.url}/in#{second.token}")
    tab.wait_for_url("**/work")
    tab.goto(f"{server.url}/account")
    expect(tab.locator("strong")).to_have_text(second.id)
