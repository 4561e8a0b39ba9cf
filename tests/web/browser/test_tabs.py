"""Two tabs, and two computers: the later answer wins, and both pages are told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.web.browser.making import Study
from tests.web.browser.pages import (
    banner,
    completeness,
    current_unit,
    enter,
    hold,
    key,
    let_go,
    marked,
    open_task,
    ready,
    saved,
    shows,
    sign_in,
    until,
)
from tests.web.browser.server import Server

pytestmark = pytest.mark.browser

ELSEWHERE = "This was answered in another tab. The later answer counts, and is shown."
LATER = "You answered this in another tab as well. This later answer counts."
AS_WELL = "This page was answered in another tab as well. The later answer counts, and is shown."


def come_back(page: Page) -> None:
    """What happens when a person looks at a tab again."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def test_two_tabs_the_later_answer_wins_and_both_are_told(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    other = tab.context.new_page()
    open_task(other, server, study, person.tasks[0])
    unit, (first, second, *_) = current_unit(tab), list(study.units(person.tasks[0], "sentence"))
    key(other, "a", "3")
    saved(other)
    expect(banner(tab)).to_have_text(ELSEWHERE)
    assert marked(tab) == [first]
    expect(completeness(tab, "40 %")).to_have_attribute("aria-pressed", "true")
    expect(banner(other)).to_be_hidden()
    key(tab, "b", "5")
    saved(tab)
    expect(banner(other)).to_have_text(ELSEWHERE)
    assert marked(other) == [first, second]
    assert study.answers(person) == {f"unit:{unit}": {"marked": [first, second], "completeness": 0.8}}


def test_two_tabs_at_the_same_moment(tab: Page, server: Server, study: Study) -> None:
    """Neither has seen the other's answer. Whichever is stored later counts and is shown in both."""
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    other = tab.context.new_page()
    open_task(other, server, study, person.tasks[0])
    held = hold(tab, "/api/events")
    key(tab, "5")
    expect(tab.locator("#save")).to_have_attribute("data-state", "saving")
    key(other, "2")
    let_go(tab, held)
    saved(tab)
    saved(other)
    expect(banner(tab)).to_have_text(AS_WELL)
    expect(banner(other)).to_have_text(AS_WELL)
    (first, second) = study.events(person)
    assert (first.answer, second.answer) == ({"value": 5}, {"value": 2})
    for page in (tab, other):
        shows(page, "rating:coherence", "2")


def test_two_computers_at_the_same_moment(
    computer: Callable[..., BrowserContext], server: Server, study: Study
) -> None:
    """The one whose answer comes later is told at once, the other one when it looks again."""
    person = study.person("duc-2002", peers=["alpha"])
    here, there = computer().new_page(), computer().new_page()
    for page in (here, there):
        enter(page, server, study, person)
    unit = current_unit(here)
    key(there, "2")
    saved(there)
    expect(completeness(here, "20 %")).to_have_attribute("aria-pressed", "false")
    key(here, "4")
    expect(banner(here)).to_have_text(LATER)
    saved(here)
    expect(banner(here)).to_have_text(LATER)  # that all is saved does not wipe it away
    come_back(there)
    expect(banner(there)).to_have_text(ELSEWHERE)
    expect(completeness(there, "60 %")).to_have_attribute("aria-pressed", "true")
    assert study.answers(person) == {f"unit:{unit}": {"marked": [], "completeness": 0.6}}


def test_another_computer_is_heard_of_without_doing_anything(
    computer: Callable[..., BrowserContext], server: Server, study: Study
) -> None:
    person = study.person("rating", peers=["alpha"])
    here, there = computer().new_page(), computer().new_page()
    here.clock.install()
    for page in (here, there):
        enter(page, server, study, person)
    key(there, "1")
    saved(there)
    here.clock.run_for(21_000)
    expect(banner(here)).to_have_text(AS_WELL)
    shows(here, "rating:coherence", "1")
    key(there, "Control+z")
    saved(there)
    here.clock.run_for(21_000)
    expect(here.locator("[aria-pressed=true]")).to_have_count(0)  # taken back there, so here too


def test_an_answer_on_its_way_is_not_overwritten_by_what_is_heard(
    tab: Page, server: Server, study: Study
) -> None:
    """The page asks the server what counts; before the reply comes, the person answers."""
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    key(tab, "1")
    saved(tab)
    held = hold(tab, f"/api/tasks/{study.key(person.tasks[0])}")
    come_back(tab)
    until(tab, lambda: len(held) > 0)
    key(tab, "ArrowUp", "4")
    saved(tab)
    let_go(tab, held)
    key(tab, "2")
    saved(tab)
    shows(tab, "rating:coherence", "4")
    shows(tab, "rating:consistency", "2")
    expect(banner(tab)).to_be_hidden()
    assert study.answers(person) == {"rating:coherence": {"value": 4}, "rating:consistency": {"value": 2}}


def test_one_page_alone_is_never_told_of_itself(tab: Page, server: Server, study: Study) -> None:
    """Many answers to one question in one breath."""
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    tab.evaluate("""() => {
      window.told = [];
      const place = document.querySelector("#banner");
      new MutationObserver(() => window.told.push(place.textContent)).observe(place, { childList: true });
    }""")
    for value in "12345":
        key(tab, value, "ArrowUp")
    saved(tab)
    come_back(tab)
    tab.reload()
    ready(tab)
    expect(banner(tab)).to_be_hidden()
    shows(tab, "rating:coherence", "5")


def test_a_page_of_an_earlier_visit_does_not_tell(tab: Page, server: Server, study: Study) -> None:
    """What this browser had kept is the person's own: nobody is told of another tab."""
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    hold(tab, "/api/events")
    key(tab, "3")
    expect(tab.locator("#save")).to_have_attribute("data-state", "saving")
    tab.goto(f"{server.url}/account")
    tab.unroute_all()
    sign_in(tab, server, person)
    open_task(tab, server, study, person.tasks[0])
    saved(tab)
    expect(banner(tab)).to_be_hidden()
    shows(tab, "rating:coherence", "3")
    assert study.answers(person) == {"rating:coherence": {"value": 3}}
