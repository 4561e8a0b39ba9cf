"""Reload, lost receipts, refusals: what was shown as saved is there, and the rest follows, once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from tests.web.browser.conftest import Watch
from tests.web.browser.making import Study
from tests.web.browser.pages import (
    Held,
    banner,
    completeness,
    current_unit,
    enter,
    hold,
    kept,
    key,
    let_go,
    marked,
    ready,
    saved,
    shows,
    state,
    step,
    until,
)
from tests.web.browser.server import Server

from adjudge.web.assets import contents

pytestmark = pytest.mark.browser


def test_a_reload_resumes_where_it_was(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    units = list(study.units(person.tasks[0], "edu", person.tasks[0].reference))
    peers = list(study.units(person.tasks[0], "sentence"))
    key(tab, "a", "b", "3", "Enter", "c")  # the second unit is marked, and nothing chosen yet
    saved(tab)
    tab.reload()
    ready(tab)
    assert current_unit(tab) == units[1]
    assert marked(tab) == [peers[2]]
    expect(tab.locator(f'[data-model="{units[0]}"] [data-chip]')).to_have_text("40 %")
    tab.locator(f'[data-model="{units[0]}"]').click()
    assert marked(tab) == peers[:2]
    expect(completeness(tab, "40 %")).to_have_attribute("aria-pressed", "true")
    key(tab, "ArrowDown", "c")  # nothing is marked now, and 0 % is no contradiction
    for _ in units[1:]:
        key(tab, "1", "Enter")
    assert step(tab) == "unmarked"
    saved(tab)
    tab.reload()
    ready(tab)
    assert step(tab) == "unmarked"
    key(tab, "1", "Enter", "2", "2")
    saved(tab)
    tab.reload()
    ready(tab)
    assert step(tab) == "quality"
    expect(tab.locator(".question.now")).to_have_attribute("data-question", "quality:3")
    shows(tab, "quality:2", '"1-5"')
    tab.goto(f"{server.url}/work")
    expect(tab.locator("#resume")).to_have_text("Go on ↵")


def test_a_reload_before_the_answer_is_sent(tab: Page, server: Server, study: Study) -> None:
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    hold(tab, "/api/events")
    key(tab, "4", "3")
    expect(state(tab)).to_have_attribute("data-state", "saving")
    until(tab, lambda: len(kept(tab)) == 2)
    assert study.events(person) == []
    tab.reload()
    ready(tab)
    shows(tab, "rating:coherence", "4")  # before the server knows of it
    shows(tab, "rating:consistency", "3")
    expect(state(tab)).to_have_attribute("data-state", "saving")
    tab.unroute_all()
    tab.reload()
    ready(tab)
    saved(tab)
    assert study.answers(person) == {"rating:coherence": {"value": 4}, "rating:consistency": {"value": 3}}
    shows(tab, "rating:coherence", "4")
    study.check_once(person)


COUNT = """() => {
  const place = document.querySelector("#save"), fetched = window.fetch;
  window.given = window.acknowledged = 0;
  window.early = [];
  window.fetch = async (url, options) => {
    const response = await fetched(url, options);
    if (String(url).endsWith("/api/events")) window.acknowledged += (await response.clone().json()).saved.length;
    return response;
  };
  document.addEventListener("keydown", event => { if (/[1-5]/.test(event.key)) window.given++; }, true);
  new MutationObserver(() => {
    if (place.dataset.state !== "saved" || window.acknowledged >= window.given) return;
    window.early.push([window.acknowledged, window.given]);
  }).observe(place, { attributes: true });
}"""
"""Counts answers given and acknowledged, and notes when "Saved" is shown while there are more of the former."""


def answer_fast(page: Page) -> None:
    """Four questions, six times, as fast as keys can be pressed."""
    page.evaluate(COUNT)
    for n in range(24):
        key(page, "ArrowUp", "ArrowUp", "ArrowUp", str(n % 5 + 1))
    saved(page)


def test_saved_is_never_said_too_early(tab: Page, server: Server, study: Study) -> None:
    """However fast somebody answers: "Saved" is shown only while nothing is on its way."""
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    answer_fast(tab)
    assert tab.evaluate("[window.early, window.acknowledged, window.given]") == [[], 24, 24]
    assert len(study.events(person)) == 24
    study.check_once(person)


def test_saying_so_too_early_is_noticed(tab: Page, server: Server, study: Study) -> None:
    """The same with a script that says it when an answer is sent, and not when it is acknowledged."""
    person = study.person("rating", peers=["alpha"])
    script = contents()["queue.js"][0].decode()
    hasty = script.replace("this.#showSending(events.length)", 'this.#show("saved", 0)')
    assert hasty != script
    tab.route("**/static/queue.js", lambda route: route.fulfill(body=hasty, content_type="text/javascript"))
    enter(tab, server, study, person)
    answer_fast(tab)
    assert tab.evaluate("window.early") != []


def test_an_answer_whose_receipt_was_lost_is_stored_once(
    tab: Page, server: Server, watch: Watch, study: Study
) -> None:
    """The server stored it, the connection broke before it could say so: it is sent again with the same id."""
    watch.network_fails = True
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    lost: list[Route] = []

    def lose(route: Route) -> None:
        """The first time; the next tries wait."""
        lost.append(route)
        if len(lost) == 1:
            route.fetch()
            route.abort()

    tab.route("**/api/events", lose)
    key(tab, "4")
    until(tab, lambda: len(lost) == 2)
    expect(state(tab)).to_have_attribute("data-state", "saving")
    assert len(study.events(person)) == 1
    let_go(tab, Held(lost[1:]))
    saved(tab)
    assert len(study.events(person)) == 1
    assert kept(tab) == []


def test_an_answer_that_the_server_refuses(tab: Page, server: Server, study: Study) -> None:
    """It can never be stored, so it is not kept; the page says so and shows what counts."""
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    key(tab, "2")
    saved(tab)

    def refuse(route: Route) -> None:
        why = "not an answer to this"
        sent = route.request.post_data_json
        assert sent is not None
        route.fulfill(
            json={"saved": [], "refused": [{"id": event["id"], "why": why} for event in sent["events"]]}
        )

    tab.route("**/api/events", refuse)
    key(tab, "ArrowUp", "5", "4")
    expect(banner(tab)).to_have_text(
        "An answer was not taken: not an answer to this. The page shows what counts."
    )
    shows(tab, "rating:coherence", "2")
    expect(tab.locator("[aria-pressed=true]")).to_have_count(1)
    saved(tab)
    assert kept(tab) == []


def test_a_server_that_does_not_understand(tab: Page, server: Server, watch: Watch, study: Study) -> None:
    """Another version, say: nothing is dropped, and a reload sends it."""
    watch.network_fails = True
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    tab.route("**/api/events", lambda route: route.fulfill(status=422, json={"says": "no"}))
    key(tab, "2")
    expect(state(tab)).to_have_text("Not saved · 1 kept here")
    expect(banner(tab)).to_have_text("The server does not understand this page. Reload it; nothing is lost.")
    tab.unroute_all()
    tab.reload()
    ready(tab)
    saved(tab)
    assert study.answers(person) == {"rating:coherence": {"value": 2}}


def test_a_browser_that_keeps_nothing_still_saves(
    computer: Callable[..., BrowserContext], server: Server, watch: Watch, study: Study
) -> None:
    """No IndexedDB, as in some private windows: answers wait in the page."""
    watch.network_fails = True
    person = study.person("rating", peers=["alpha"])
    page = computer().new_page()
    page.add_init_script(
        "Object.defineProperty(window, 'indexedDB', { value: { open() { throw new Error('no'); } } });"
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"
    )
    enter(page, server, study, person)
    page.context.set_offline(True)
    key(page, "3", "5")
    expect(state(page)).to_have_text("Offline · 2 kept here")
    page.context.set_offline(False)
    saved(page)
    assert study.answers(person) == {"rating:coherence": {"value": 3}, "rating:consistency": {"value": 5}}
