"""Comments, flags, help, guidelines, sources: one key away, and what is noted reaches the organiser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.web.browser.conftest import Watch
from tests.web.browser.making import NASTY, SCRIPT, STORM, UPDATE, Study
from tests.web.browser.pages import completeness, enter, key, open_task, saved, sign_in
from tests.web.browser.server import Server

pytestmark = pytest.mark.browser


def test_comment_and_flag_reach_the_organiser(
    computer: Callable[..., BrowserContext], server: Server, study: Study
) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    page = computer().new_page()
    enter(page, server, study, person)
    key(page, "+")
    page.keyboard.type(f"Odd, this one! {SCRIPT}")  # keys mean letters in here
    key(page, "Control+Enter")
    expect(page.locator("[data-tool=comment]")).to_have_class("on")
    page.locator("[data-tool=flag]").click()
    page.get_by_role("textbox", name="Flag for the organiser").fill("The text breaks off.")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("[data-tool=flag]")).to_have_class("on")
    saved(page)
    wanted = {"comment": {"text": f"Odd, this one! {SCRIPT}"}, "flag": {"text": "The text breaks off."}}
    assert study.answers(person) == wanted
    key(page, "+")
    expect(page.locator("#note-text")).to_have_value(f"Odd, this one! {SCRIPT}")
    page.keyboard.type("never mind")
    key(page, "Escape")
    expect(page.locator("#dialog-note")).to_be_hidden()
    assert study.answers(person) == wanted

    desk = computer().new_page()
    sign_in(desk, server, study.organiser())
    notes = desk.locator(".card").filter(has=desk.get_by_role("heading", name="Flags and comments"))
    expect(notes).to_contain_text(f"Comment · {person.id} · {STORM} · alpha")
    expect(notes).to_contain_text(f"Odd, this one! {SCRIPT}")
    expect(notes).to_contain_text(
        f"Flag · {person.id} · {STORM} · alpha\nThe text breaks off.", use_inner_text=True
    )

    key(page, "!")
    page.locator("#note-text").fill("")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("[data-tool=flag]")).not_to_have_class("on")
    saved(page)
    assert study.answers(person) == {"comment": wanted["comment"]}
    desk.reload()
    expect(notes).not_to_contain_text("The text breaks off.")


def test_keys_guidelines_and_escape(tab: Page, server: Server, study: Study) -> None:
    person = study.person("duc-2002", peers=["alpha"])
    enter(tab, server, study, person)
    key(tab, "?")
    expect(tab.get_by_role("dialog", name="Keys")).to_contain_text("undo the last answer")
    key(tab, "a", "3")  # nothing happens behind a dialog
    key(tab, "Escape", ",")
    dialog = tab.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text(study.evaluation.protocol("duc-2002").title)
    expect(dialog).to_contain_text("for each unit of the reference")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    expect(completeness(tab, "40 %")).to_have_attribute("aria-pressed", "false")
    assert study.events(person) == []


def test_the_source_with_its_question(tab: Page, server: Server, study: Study) -> None:
    person = study.person("rating", topics=[STORM, UPDATE, NASTY], peers=["alpha"])
    sign_in(tab, server, person)
    storm, update, nasty = (
        next(t for t in person.tasks if t.topic == name) for name in (STORM, UPDATE, NASTY)
    )
    source = tab.locator("#dialog-source")

    open_task(tab, server, study, storm)
    key(tab, ".")
    expect(source.get_by_role("heading", level=2)).to_have_text("A storm at the coast")
    expect(source).to_contain_text("What did the storm do?")
    assert source.get_by_role("heading", level=4).all_inner_texts() == [
        "Document 1 · 2024-01-01",
        "Document 2 · 2024-01-02",
    ]
    expect(source).to_contain_text("The lighthouse kept its light, said witness 28.")
    assert source.get_by_role("heading", level=3).count() == 0

    open_task(tab, server, study, update)
    tab.locator("[data-tool=source]").click()
    expect(source.get_by_role("heading", level=3)).to_have_text(
        ["What the reader already knows", "What is new"]
    )
    order = source.get_by_role("heading", level=4)
    expect(order).to_have_text(
        ["Known document 1 · 2024-01-01", "Known document 2 · 2024-01-02", "Document 1 · 2024-01-03"]
    )
    expect(source).to_contain_text("On Wednesday the power came back.")

    open_task(tab, server, study, nasty)
    key(tab, ".")
    expect(source).to_contain_text(f"The source says {SCRIPT} too.")
    assert source.locator("p[dir=auto]").count() == 2


def test_the_source_when_the_network_is_down(tab: Page, server: Server, watch: Watch, study: Study) -> None:
    watch.network_fails = True
    person = study.person("rating", peers=["alpha"])
    enter(tab, server, study, person)
    tab.route("**/source", lambda route: route.abort())
    key(tab, ".")
    expect(tab.locator("#source")).to_have_text("The source cannot be had now. Try again.")
    tab.unroute_all()
    key(tab, "Escape", ".")
    expect(tab.locator("#source")).to_contain_text("What did the storm do?")


def test_the_organiser_suspends_and_gives_links(
    computer: Callable[..., BrowserContext], server: Server, watch: Watch, study: Study
) -> None:
    person = study.person("rating")
    desk = computer().new_page()
    sign_in(desk, server, study.organiser())
    row = desk.get_by_role("row").filter(has=desk.get_by_role("rowheader", name=person.id, exact=True))
    row.get_by_role("button", name="Suspend").click()
    expect(row).to_contain_text("suspended")
    desk.wait_for_load_state()
    row.get_by_role("button", name="Let in again").click()
    expect(row).to_contain_text("active")
    desk.wait_for_load_state()
    row.get_by_role("button", name="New link").click()
    expect(row).to_contain_text(f"The link that {person.id} has now will open nothing any more;")
    row.get_by_role("button", name="Cancel").click()
    expect(row.get_by_role("button", name="Make a new link")).to_have_count(0)
    page = computer().new_page()
    sign_in(page, server, person)  # by the old link, which lives until a new one is made
    row.get_by_role("button", name="New link").click()
    row.get_by_role("button", name="Make a new link").click()
    link = row.get_by_label(f"Personal link of {person.id}")  # where it was clicked
    expect(link).to_be_visible()
    desk.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    row.get_by_role("button", name="Copy").click()
    expect(row.get_by_role("button", name="Copied")).to_be_visible()
    assert desk.evaluate("navigator.clipboard.readText()") == link.input_value()
    page = computer().new_page()
    page.goto(link.input_value())
    page.wait_for_url("**/work")
    old = computer().new_page()
    watch.network_fails = True  # the old link is refused
    old.goto(f"{server.url}/in#{person.token}")
    expect(old.locator("#banner")).to_be_visible()


def test_a_new_link_is_copied_where_the_browser_has_no_clipboard(
    tab: Page, server: Server, study: Study
) -> None:
    """As on an address that is not secure: the old way of browsers, or a word that says what to do."""
    person = study.person("rating")
    tab.add_init_script("delete Object.getPrototypeOf(navigator).clipboard")
    sign_in(tab, server, study.organiser())
    assert tab.evaluate("navigator.clipboard === undefined")
    tab.locator(f'[data-link="{person.id}"]').click()
    row = tab.get_by_role("row").filter(has=tab.get_by_role("rowheader", name=person.id, exact=True))
    row.get_by_role("button", name="Make a new link").click()
    row.get_by_role("button", name="Copy").click()
    expect(row.get_by_role("button", name="Copied")).to_be_visible()


@pytest.fixture(scope="module")
def prefilled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Study, Server]]:
    path: Path = tmp_path_factory.mktemp("prefill") / "storms"
    study = Study(path, settings='said_before = "prefill"\n')
    server = Server(path)
    server.start()
    yield study, server
    server.stop()
    study.close()


def test_said_before_is_filled_in(tab: Page, watch: Watch, prefilled: tuple[Study, Server]) -> None:
    study, server = prefilled
    watch.origin = server.url
    person = study.person("duc-2002", peers=["alpha", "gamma"])
    enter(tab, server, study, person)
    key(tab, "a", "b", "5")
    saved(tab)
    open_task(tab, server, study, person.tasks[1])
    key(tab, "a")  # one of the two sentences: nothing is known of it alone
    expect(completeness(tab, "80 %")).to_have_attribute("aria-pressed", "false")
    key(tab, "b")
    expect(completeness(tab, "80 %")).to_have_attribute("aria-pressed", "true")
    saved(tab)
    (answer,) = study.answers(person, person.tasks[1]).values()
    assert answer == {"marked": list(study.units(person.tasks[1], "sentence"))[:2], "completeness": 0.8}
    key(tab, "2")  # and is only a proposal
    saved(tab)
    (answer,) = study.answers(person, person.tasks[1]).values()
    assert answer["completeness"] == 0.2  # type: ignore[index]
