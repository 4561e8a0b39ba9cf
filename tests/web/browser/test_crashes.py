"""The server is killed with -9, the browser crashes: what was shown as saved is there, and the rest follows, once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, expect
from tests.browsing import ARGUMENTS, PATIENCE, chromium
from tests.web.browser.conftest import Watch
from tests.web.browser.making import Study
from tests.web.browser.pages import enter, kept, key, ready, saved, shows, sign_in, state
from tests.web.browser.server import Server

pytestmark = pytest.mark.browser

# Notes with every change of what the page says of saving how many answers were kept by the browser just then.
RECORD = """() => {
  const place = document.querySelector("#save");
  window.said = [];
  new MutationObserver(() => window.said.push([place.dataset.state, place.textContent]))
    .observe(place, { attributes: true, characterData: true, childList: true, subtree: true });
}"""


@pytest.fixture(scope="module")
def mortal(study: Study) -> Iterator[Server]:
    """A server of the same evaluation that may be killed."""
    server = Server(study.path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def fragile(watch: Watch, mortal: Server) -> Watch:
    watch.origin, watch.network_fails = mortal.url, True
    return watch


def test_the_server_is_killed_and_comes_back(tab: Page, mortal: Server, fragile: Watch, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, mortal, study, person)
    units = list(study.units(person.tasks[0], "edu", person.tasks[0].reference))
    key(tab, "a", "3")
    saved(tab)
    acknowledged = study.answers(person)
    assert list(acknowledged) == [f"unit:{units[0]}"]
    mortal.kill()
    assert study.answers(person) == acknowledged
    tab.evaluate(RECORD)
    key(tab, "Enter", "b", "2", "Enter", "4", "5", "ArrowUp", "ArrowUp", "6")
    expect(state(tab)).to_have_attribute("data-state", "offline")
    expect(state(tab)).to_have_text("Offline · 4 kept here")
    assert "saved" not in {said for said, _ in tab.evaluate("window.said")}
    assert len(kept(tab)) == 4
    tab.locator("[data-step=quality]").click()
    key(tab, "0")
    expect(state(tab)).to_have_text("Offline · 5 kept here")
    assert len(study.events(person)) == 1
    mortal.start()
    saved(tab)
    peers = list(study.units(person.tasks[0], "sentence"))
    assert study.answers(person) == {
        f"unit:{units[0]}": {"marked": peers[:1], "completeness": 1.0},
        f"unit:{units[1]}": {"marked": peers[1:2], "completeness": 0.2},
        f"unit:{units[2]}": {"marked": [], "completeness": 0.8},
        "quality:1": {"value": "0"},
    }
    assert len(study.events(person)) == 6
    assert kept(tab) == []
    study.check_once(person)


def test_killed_while_answers_are_on_their_way(
    tab: Page, mortal: Server, fragile: Watch, study: Study
) -> None:
    """Kills at a moment when some are acknowledged and some are not: those that were, are there."""
    person = study.person("rating", peers=["alpha"])
    enter(tab, mortal, study, person)
    tab.evaluate("""() => {
      window.receipts = [];
      const fetched = window.fetch;
      window.fetch = async (url, options) => {
        const response = await fetched(url, options);
        if (String(url).endsWith("/api/events")) {
          window.receipts.push(...(await response.clone().json()).saved.map(each => each.id));
        }
        return response;
      };
    }""")
    for n in range(20):
        key(tab, str(n % 5 + 1), "ArrowUp")
        if n == 11:
            mortal.kill()
    expect(state(tab)).to_have_attribute("data-state", "offline")
    stored = {event.id for event in study.events(person)}
    receipts = set(tab.evaluate("window.receipts"))
    assert receipts <= stored
    waiting = {str(event["id"]) for event in kept(tab)}
    assert receipts.isdisjoint(waiting)
    mortal.start()
    saved(tab)
    assert {event.id for event in study.events(person)} == stored | waiting
    for question, answer in study.answers(person).items():
        shows(tab, question, str(answer["value"]))  # type: ignore[index]
    study.check_once(person)


def crash(profile: Path) -> None:
    """Kills the browser: no page gets to say good-bye. Chromium names its process in the profile's lock."""
    process = int((profile / "SingletonLock").readlink().name.rpartition("-")[2])
    os.kill(process, signal.SIGKILL)


def test_the_browser_crashes_while_offline(
    playwright: Playwright, tmp_path: Path, mortal: Server, fragile: Watch, study: Study
) -> None:
    person = study.person("rating", peers=["alpha"])
    profile = tmp_path / "profile"

    def start() -> tuple[BrowserContext, Page]:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium(), args=list(ARGUMENTS), timeout=PATIENCE
        )
        fragile.over(context)
        return context, context.new_page()

    context, page = start()
    enter(page, mortal, study, person)
    mortal.kill()
    key(page, "3", "5")
    expect(state(page)).to_have_text("Offline · 2 kept here")
    with context.expect_event("close"):
        crash(profile)
    mortal.start()
    assert study.events(person) == []
    context, page = start()
    sign_in(page, mortal, person)  # a session cookie does not outlive the browser
    page.goto(f"{mortal.url}/task/{study.key(person.tasks[0])}")
    ready(page)
    saved(page)
    assert study.answers(person) == {"rating:coherence": {"value": 3}, "rating:consistency": {"value": 5}}
    shows(page, "rating:coherence", "3")
    assert kept(page) == []
    study.check_once(person)
    context.close()
