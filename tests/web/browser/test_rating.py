"""Ratings: every aspect and scale, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.web.browser.making import SHARED, Study
from tests.web.browser.pages import banner, enter, key, question, ready, saved, shows
from tests.web.browser.server import Server

pytestmark = pytest.mark.browser


def test_ratings_by_keyboard(tab: Page, server: Server, study: Study) -> None:
    """SummEval's four aspects, then the next summary."""
    person = study.person("rating", peers=["alpha", "beta"])
    enter(tab, server, study, person)
    expect(tab.locator(".paper")).to_contain_text(SHARED)
    assert tab.locator(".question strong").all_inner_texts() == [
        "Coherence",
        "Consistency",
        "Fluency",
        "Relevance",
    ]
    key(tab, "Enter")
    expect(banner(tab)).to_have_text("This question is still open.")
    key(tab, "5", "4", "3", "2")
    expect(tab.locator("#questions-left")).to_have_text("All questions are answered.")
    key(tab, "ArrowUp", "ArrowUp", "1")  # from relevance back to consistency
    saved(tab)
    aspects = ("coherence", "consistency", "fluency", "relevance")
    wanted = {f"rating:{name}": {"value": value} for name, value in zip(aspects, (5, 1, 3, 2), strict=True)}
    assert study.answers(person) == wanted
    for name, value in zip(aspects, "5132", strict=True):
        shows(tab, f"rating:{name}", value)
    key(tab, "Enter")
    tab.wait_for_url(f"**/task/{study.key(person.tasks[1])}")
    ready(tab)
    key(tab, "9")  # no such choice
    assert tab.locator("[aria-pressed=true]").count() == 0


def test_responsiveness_by_mouse(tab: Page, server: Server, study: Study) -> None:
    person = study.person("responsiveness", peers=["alpha"])
    enter(tab, server, study, person)
    question(tab, "rating:overall").get_by_role("button", name="very good").click()
    question(tab, "rating:content").get_by_role("button", name="poor", exact=True).click()
    saved(tab)
    assert study.answers(person) == {"rating:overall": {"value": 5}, "rating:content": {"value": 2}}
    key(tab, "Control+z")
    saved(tab)
    assert study.answers(person) == {"rating:overall": {"value": 5}}
    question(tab, "rating:content").get_by_role("button", name="barely acceptable").click()
    tab.locator("#finish").click()
    tab.wait_for_url("**/work")
    expect(tab.locator(".soft").first).to_have_text("Everything that was assigned is done. Thank you.")
    assert study.answers(person) == {"rating:overall": {"value": 5}, "rating:content": {"value": 3}}


def test_linguistic_quality(tab: Page, server: Server, study: Study) -> None:
    person = study.person("linguistic-quality", peers=["beta"])
    enter(tab, server, study, person)
    ids = tab.locator("[data-question]").evaluate_all("all => all.map(e => e.dataset.question)")
    assert len(ids) == 5
    key(tab, "1", "2", "3", "4", "5", "Enter")
    tab.wait_for_url("**/work")
    assert study.answers(person) == {id: {"value": n} for n, id in enumerate(ids, 1)}
