"""Mismatches: tags by keyboard and by mouse, one's own, and nothing lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.web.browser.making import IMAGE, NASTY, SCRIPT, STORM, Person, Study
from tests.web.browser.pages import banner, enter, hold, kept, key, ready, saved, state, until
from tests.web.browser.server import Server
from tests.web.mismatch_making import pages

from adjudge.judgments.tagging import assign_tagging

pytestmark = pytest.mark.browser


def tagger(study: Study, topic: str = STORM, peer: str = "alpha") -> Person:
    """Somebody who is to tag every unit of a reference."""
    person = study.person()
    found = pages(study.collection, topic, peer, "writer")
    assign_tagging(study.store, study.evaluation.protocol("mismatch"), found, [person.id])
    person.tasks = study.store.tasks(assessor=person.id)
    return person


def tags(page: Page) -> list[str]:
    found: list[str] = page.locator("#tags [aria-pressed=true]").evaluate_all(
        "all => all.map(e => e.dataset.tag)"
    )
    return found


def test_tags_by_keyboard(tab: Page, server: Server, study: Study) -> None:
    person = tagger(study)
    enter(tab, server, study, person)
    expect(tab.locator(".the-unit")).to_contain_text("The storm hit the coast on Monday")
    assert tab.locator(".by-people").first.inner_text() == "The "
    assert "storm" in tab.locator(".the-unit .by-measure").all_inner_texts()
    key(tab, "Enter")
    expect(banner(tab)).to_have_text("Choose a tag, or type one.")
    key(tab, "1", "3", "4", "3")
    assert tags(tab) == ["paraphrase", "perspective"]
    key(tab, "t")
    tab.keyboard.type("Own  words; zweites;Paraphrase")
    key(tab, "Enter")
    assert tags(tab) == ["paraphrase", "perspective", "Own words", "zweites"]
    key(tab, "Escape", "Control+z")
    assert tags(tab) == ["paraphrase", "perspective", "Own words"]
    saved(tab)
    assert study.answers(person) == {"tags": {"tags": ["paraphrase", "perspective", "Own words"]}}
    study.check_once(person)
    key(tab, "Enter")
    tab.wait_for_url(f"**/task/{study.key(person.tasks[1])}")
    ready(tab)
    assert tags(tab) == []


def test_tags_by_mouse_and_the_end(tab: Page, server: Server, study: Study) -> None:
    person = tagger(study)
    enter(tab, server, study, person)
    for number, task in enumerate(person.tasks):
        tab.get_by_role("button", name="style").click()
        tab.locator("#own").fill(f"own {number}")
        tab.locator("#finish").click()  # what is typed counts, though nobody pressed Add
        if task is not person.tasks[-1]:
            tab.wait_for_url(f"**/task/{study.key(person.tasks[number + 1])}")
            ready(tab)
    tab.wait_for_url("**/work")
    for number, task in enumerate(person.tasks):
        assert study.answers(person, task) == {"tags": {"tags": ["style", f"own {number}"]}}
    tab.goto(f"{server.url}/task/{study.key(person.tasks[0])}")
    ready(tab)
    assert tags(tab) == ["style", "own 0"]
    tab.get_by_role("button", name="own 0").click()
    tab.get_by_role("button", name="style").click()
    saved(tab)
    assert study.answers(person) == {}


def test_what_was_not_sent_is_there_after_a_reload(tab: Page, server: Server, study: Study) -> None:
    person = tagger(study)
    enter(tab, server, study, person)
    hold(tab, "/api/events")
    key(tab, "2")
    expect(state(tab)).to_have_attribute("data-state", "saving")
    until(tab, lambda: len(kept(tab)) == 1)
    assert study.answers(person) == {}
    tab.unroute_all()
    tab.reload()
    ready(tab)
    until(tab, lambda: tags(tab) == ["generalisation"])  # read from the browser's own store, after the page
    saved(tab)
    assert study.answers(person) == {"tags": {"tags": ["generalisation"]}}
    study.check_once(person)


def test_a_tag_that_is_too_long_or_too_many_stays_in_the_field(
    tab: Page, server: Server, study: Study
) -> None:
    person = tagger(study)
    enter(tab, server, study, person)
    long, field = "x" * 101, tab.locator("#own")
    field.fill(f"short; {long}")
    key(tab, "Enter")
    expect(banner(tab)).to_have_text("A tag has 100 characters at the most, and this one 101. Shorten it.")
    assert (tags(tab), field.input_value()) == (["short"], long)
    tab.locator("#finish").click()  # nothing goes on while something is typed that does not count
    expect(field).to_have_value(long)
    field.fill("; ".join(f"own {number}" for number in range(21)))
    key(tab, "Enter")
    expect(banner(tab)).to_have_text("A mismatch has 20 tags at the most. Take one back first.")
    assert len(tags(tab)) == 20
    assert field.input_value() == "own 19; own 20"
    saved(tab)
    study.check_once(person)


def test_every_tag_can_be_read_on_a_phone(tab: Page, server: Server, study: Study) -> None:
    person = tagger(study)
    size = tab.viewport_size
    assert size is not None
    tab.set_viewport_size({"width": 390, "height": 844})
    enter(tab, server, study, person)
    key(tab, "t")
    tab.keyboard.type(f"a long tag of one's own that goes on {'x' * 40}")
    key(tab, "Enter")
    saved(tab)
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
    assert tab.locator("#tags button").count() == 5
    assert tab.locator("#tags button").evaluate_all(cut) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.set_viewport_size(size)


def test_markup_in_texts_and_tags_stays_text(tab: Page, server: Server, study: Study) -> None:
    person = tagger(study, NASTY)
    enter(tab, server, study, person)
    expect(tab.locator(".mismatch-text").last).to_contain_text(SCRIPT)
    tab.locator("#own").fill(IMAGE)
    key(tab, "Enter")
    saved(tab)
    assert tags(tab) == [IMAGE]
    tab.reload()
    ready(tab)
    expect(tab.locator("#tags [data-own]")).to_have_text(IMAGE)
    assert tab.locator("main img, footer img").count() == 0
