"""Text from files is text: nothing in it runs. Nothing is asked of anybody else, and no page complains."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect
from tests.browsing import launch
from tests.web.browser.conftest import Watch
from tests.web.browser.making import HEBREW, IMAGE, NASTY, SCRIPT, Study
from tests.web.browser.pages import enter, key, open_task, ready, saved, sign_in, until
from tests.web.browser.server import Server

pytestmark = pytest.mark.browser


def test_markup_in_texts_is_shown(tab: Page, server: Server, study: Study) -> None:
    """`watch` fails this test where a dialog opens or the console has anything to say, such as a breach of the CSP."""
    person = study.person("duc-2002", "rating", "preference-summaries", topics=[NASTY])
    enter(tab, server, study, person)
    expect(tab.locator("#topic")).to_have_text(f"Markup {SCRIPT}")
    for text in (SCRIPT, IMAGE, HEBREW):
        expect(tab.locator("#peer-side")).to_contain_text(text)
    expect(tab.locator("#model-side")).to_contain_text(SCRIPT)
    assert tab.locator("#page script, #page img").count() == 0
    hebrew = tab.locator("[data-peer] .t").filter(has_text=HEBREW)
    assert hebrew.get_attribute("dir") == "auto"
    assert hebrew.evaluate("e => getComputedStyle(e).direction") == "rtl"
    latin = tab.locator("[data-peer] .t").filter(has_text="Somebody wrote")
    assert latin.evaluate("e => getComputedStyle(e).direction") == "ltr"
    assert {e.get_attribute("lang") for e in tab.locator(".units").all()} == {"en"}
    tab.locator("[data-step=quality]").click()
    key(tab, "b")
    expect(tab.locator("#running")).to_contain_text(IMAGE)
    key(tab, ".")
    expect(tab.locator("#source")).to_contain_text(SCRIPT)

    open_task(tab, server, study, next(task for task in person.tasks if task.protocol == "rating"))
    expect(tab.locator(".paper")).to_contain_text(IMAGE)
    assert tab.locator("main script, main img").count() == 0
    assert tab.locator(".paper").get_attribute("lang") == "en"

    pair = next(task for task in person.tasks if task.left)
    tab.goto(f"{server.url}/task/{study.key(pair)}")
    ready(tab)
    expect(tab.locator("#sides")).to_contain_text(SCRIPT)
    assert tab.locator("main script, main img").count() == 0
    assert tab.locator("#left").get_attribute("dir") == "auto"


def test_what_an_assessor_types_is_text_for_the_organiser(
    computer: Callable[..., BrowserContext], server: Server, study: Study
) -> None:
    person = study.person("rating")
    page = computer().new_page()
    enter(page, server, study, person)
    key(page, "!")
    page.locator("#note-text").fill(IMAGE)
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("[data-tool=flag]")).to_have_class("on")
    saved(page)
    desk = computer().new_page()
    sign_in(desk, server, study.organiser())
    expect(desk.get_by_text(IMAGE)).to_be_visible()
    assert desk.locator("main img").count() == 0


def test_the_watch_can_fail(browser: Browser, server: Server) -> None:
    """A page that asks elsewhere, complains or opens a dialog is noticed; inline script is stopped by the CSP."""
    seen = Watch(server.url)
    context = browser.new_context()
    seen.over(context)
    page = context.new_page()
    page.goto(f"{server.url}/in")
    page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      const image = new Image();
      image.src = "http://elsewhere.invalid/x.png";
      setTimeout(() => alert("hello"));
    }""")
    for what in ("dialog: hello", "Executing inline script violates", "elsewhere.invalid"):
        until(page, lambda what=what: any(what in text for text in [*seen.complaints, *seen.strange]))  # type: ignore[misc]
    assert page.evaluate("window.ran") is None
    context.close()


def test_an_address_that_is_not_secure_works_too(playwright: Playwright, study: Study) -> None:
    """Plain http under a name: browsers have no locks and no randomUUID there, and answers are saved all the same."""
    person = study.person("rating", peers=["alpha"])
    server = Server(study.path)
    server.options = ("--public-url", f"http://judge.test:{server.port}")
    server.start()
    browser = launch(playwright, "--host-resolver-rules=MAP judge.test 127.0.0.1")
    try:
        page = browser.new_page()
        page.goto(f"http://judge.test:{server.port}/in#{person.token}")
        page.wait_for_url("**/work")
        page.locator("#resume").click()
        ready(page)
        assert page.evaluate("[isSecureContext, typeof navigator.locks, typeof crypto.randomUUID]") == [
            False,
            "undefined",
            "undefined",
        ]
        key(page, "3", "4")
        saved(page)
        assert study.answers(person) == {"rating:coherence": {"value": 3}, "rating:consistency": {"value": 4}}
    finally:
        browser.close()
        server.stop()
