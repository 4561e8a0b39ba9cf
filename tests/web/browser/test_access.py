"""Every page for everybody: axe-core finds nothing serious, nothing sticks out, nothing is covered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect
from tests.web.browser.conftest import Watch
from tests.web.browser.making import NASTY, STORM, Study
from tests.web.browser.pages import completeness, enter, key, open_task, ready, saved, sign_in
from tests.web.browser.server import Server

pytestmark = pytest.mark.browser

SERIOUS = ("serious", "critical")
# Elements that stick out of the page sideways, though no scroll box of theirs hides them.
SIDEWAYS = """() => [...document.body.querySelectorAll("*")].filter(element => {
  if (element.closest(".scroll, .hidden") || !element.checkVisibility()) return false;
  const { left, right } = element.getBoundingClientRect();
  return right > document.documentElement.clientWidth + 1 || left < -1;
}).map(element => element.outerHTML.slice(0, 120))"""
# Whether what has the focus can be seen: at its top and bottom edge nothing else lies over it.
COVERED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const { left, top, bottom, width } = element.getBoundingClientRect();
  for (const y of [top + 3, bottom - 3]) {
    const over = document.elementFromPoint(left + Math.min(width / 2, 40), y);
    if (over !== element && !element.contains(over) && !over?.contains(element)) {
      return `${element.outerHTML.slice(0, 80)} under ${over?.outerHTML.slice(0, 80)}`;
    }
  }
  return null;
}"""


def every_page(page: Page, server: Server, study: Study) -> Iterator[str]:
    """Opens page after page, dialogs too, and says which it is."""
    page.goto(f"{server.url}/in")
    yield "sign in"
    page.goto(f"{server.url}/nothing-here")
    yield "problem"
    person = study.person("duc-2002", "rating", "preference-summaries", topics=[STORM, NASTY])
    sign_in(page, server, person)
    coverage = next(task for task in person.tasks if task.topic == NASTY)
    open_task(page, server, study, coverage)
    key(page, "a", "1")
    expect(page.locator("#doubt")).to_be_visible()
    yield "content, asking"
    key(page, "3")
    yield "content"
    for _ in range(page.locator("[data-model]").count() - 1):
        key(page, "Enter", "1")
    page.locator("[data-step=unmarked]").click()
    expect(page.locator("#unmarked button").first).to_be_visible()
    yield "unmarked"
    page.locator("[data-step=quality]").click()
    key(page, "1")
    yield "quality"
    key(page, "b")
    yield "quality without units"
    for shortcut, name in ((".", "source"), (",", "guidelines"), ("+", "comment"), ("?", "keys")):
        key(page, shortcut)
        expect(page.get_by_role("dialog")).to_be_visible()
        if name == "source":
            expect(page.locator("#source h4").first).to_be_visible()
        yield name
        key(page, "Escape")
    open_task(page, server, study, next(task for task in person.tasks if task.protocol == "rating"))
    key(page, "3")
    yield "rating"
    page.goto(f"{server.url}/pairs")
    ready(page)
    yield "pairs of summaries"
    page.goto(f"{server.url}/work")
    yield "work"
    page.goto(f"{server.url}/account")
    yield "account"
    desk = study.organiser()
    sign_in(page, server, desk)
    page.locator(f'[data-link="{person.id}"]').click()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=person.id, exact=True))
    expect(row.get_by_role("button", name="Make a new link")).to_be_visible()
    yield "organiser, asking"
    row.get_by_role("button", name="Make a new link").click()
    expect(row.locator("input")).to_be_visible()
    yield "organiser"


def serious(page: Page, *rules: str) -> dict[str, list[str]]:
    """What axe-core calls serious or worse: rule -> elements."""
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = Axe().run(page, options=options).response["violations"]
    return {
        each["id"]: [node["html"][:200] for node in each["nodes"]]
        for each in found
        if each["impact"] in SERIOUS
    }


def test_every_page_is_for_everybody(
    computer: Callable[..., BrowserContext], server: Server, watch: Watch, study: Study
) -> None:
    """Light and dark for axe-core; at 1280 and 390 pixels, and at a zoom of 200 % (640), nothing sticks out."""
    watch.network_fails = True  # one page is not there
    page = computer(viewport={"width": 1280, "height": 900}, reduced_motion="reduce").new_page()
    blank = len(page.screenshot())
    wrong: dict[str, Any] = {}
    for name in every_page(page, server, study):
        wrong[f"{name}, axe"] = serious(page)
        page.emulate_media(color_scheme="dark")
        wrong[f"{name}, axe, dark"] = serious(page, "color-contrast")
        page.emulate_media(color_scheme="light")
        for width in (390, 640, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth")
            wrong[f"{name}, {width} wide"] = page.evaluate(SIDEWAYS) + ([wide] if wide > width else [])
        wrong[f"{name}, blank"] = len(page.screenshot(caret="initial")) < 1.5 * blank
    assert {where: what for where, what in wrong.items() if what} == {}
    assert len(wrong) == 6 * 17


def test_nothing_sticks_out_can_fail(tab: Page, server: Server) -> None:
    tab.goto(f"{server.url}/in")
    assert tab.evaluate(SIDEWAYS) == []
    tab.evaluate("document.querySelector('.card').style.width = '5000px'")
    assert tab.evaluate(SIDEWAYS) != []


def test_axe_can_fail(tab: Page, server: Server) -> None:
    tab.goto(f"{server.url}/in")
    tab.evaluate(
        "document.querySelector('input').closest('label').replaceWith(document.createElement('input'))"
    )
    assert list(serious(tab)) == ["label"]


@pytest.mark.parametrize(("width", "height"), [(1280, 600), (640, 450), (390, 700)])
def test_what_has_the_focus_is_never_covered(
    computer: Callable[..., BrowserContext], server: Server, study: Study, width: int, height: int
) -> None:
    page = computer(viewport={"width": width, "height": height}).new_page()
    person = study.person("duc-2002", peers=["alpha"])
    enter(page, server, study, person)
    for where in ("content", "quality"):
        page.locator(f"[data-step={where}]").click()
        count = page.locator("a:visible, button:visible:enabled, input:visible").count()
        for _ in range(count + 2):
            key(page, "Shift+Tab" if where == "quality" else "Tab")
            assert page.evaluate(COVERED) is None


def test_the_check_of_what_is_covered_can_fail(
    computer: Callable[..., BrowserContext], server: Server, study: Study
) -> None:
    page = computer(viewport={"width": 640, "height": 450}).new_page()
    enter(page, server, study, study.person("duc-2002", peers=["alpha"]))
    page.evaluate("document.documentElement.style.scrollPadding = '0'")
    covered = []
    for _ in range(page.locator("a:visible, button:visible").count()):
        key(page, "Tab")
        covered.append(page.evaluate(COVERED))
    assert any(covered)


def test_the_current_unit_and_question_stay_in_sight(
    computer: Callable[..., BrowserContext], server: Server, study: Study
) -> None:
    page = computer(viewport={"width": 1000, "height": 420}).new_page()
    person = study.person("duc-2002", peers=["alpha"])
    enter(page, server, study, person)
    seen = """selector => {
      const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
      const above = document.querySelector(".top").getBoundingClientRect().bottom;
      const below = document.querySelector(".dock").getBoundingClientRect().top;
      return top >= Math.min(above, below) - 1 && bottom <= below + 1;
    }"""
    for _ in page.locator("[data-model]").all():
        assert page.evaluate(seen, ".unit.now")
        key(page, "1", "Enter")
    page.locator("[data-step=quality]").click()
    for _ in range(12):
        assert page.evaluate(seen, ".question.now")
        key(page, "1")


def test_by_touch_at_phone_width(
    computer: Callable[..., BrowserContext], server: Server, study: Study
) -> None:
    context = computer(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2
    )
    page = context.new_page()
    person = study.person("preference-summaries")
    sign_in(page, server, person)
    page.goto(f"{server.url}/pairs")
    ready(page)
    left, right = (page.locator(f"[data-winner={side}]").bounding_box() for side in ("left", "right"))
    assert left is not None
    assert right is not None
    assert right["y"] >= left["y"] + left["height"]  # one above the other
    for box in (left, right):
        assert box["height"] >= 44
    page.locator("[data-winner=right]").tap()
    page.locator("[data-winner=tie]").tap()
    saved(page)
    assert [e.answer for e in study.events(person)] == [{"winner": "right"}, {"winner": "tie"}]


def test_200_percent_zoom_of_text(
    computer: Callable[..., BrowserContext], server: Server, study: Study
) -> None:
    """Half the pixels at twice the density, as a zoom of 200 % gives: a judgment is still possible."""
    page = computer(viewport={"width": 640, "height": 450}, device_scale_factor=2).new_page()
    person = study.person("duc-2002", peers=["alpha"])
    enter(page, server, study, person)
    page.locator("[data-peer]").nth(3).click()
    completeness(page, "60 %").click()
    page.locator("#next").click()
    saved(page)
    assert len(study.events(person)) == 1
