"""In a real browser: a leaked link that is renewed lets nobody stay, and the pages about it are for everybody."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect
from tests.web.browser.conftest import Watch
from tests.web.browser.making import Study
from tests.web.browser.pages import sign_in
from tests.web.browser.server import Server
from tests.web.browser.test_access import SIDEWAYS, serious

pytestmark = pytest.mark.browser

PASSWORD = "correct horse"


def test_a_thief_is_out_when_the_link_is_renewed(
    computer: Callable[..., BrowserContext], server: Server, study: Study, watch: Watch
) -> None:
    watch.network_fails = True  # the thief is refused
    person, desk = study.person("rating"), study.organiser()
    thief = computer().new_page()
    sign_in(thief, server, person)
    thief.goto(f"{server.url}/account")
    expect(thief.locator("[name=old]")).to_have_count(0)
    thief.locator("[name=password]").fill(PASSWORD)
    thief.get_by_role("button", name="Set the password").click()
    expect(thief.locator("#banner")).to_have_text("The password is set.")
    thief.reload()
    expect(thief.locator("main")).to_contain_text("You have a password.")
    study.store.accounts.renew_link(person.id)
    thief.goto(f"{server.url}/work")
    thief.wait_for_url(f"{server.url}/in")
    thief.locator("[name=person]").fill(person.id)
    thief.locator("[name=password]").fill(PASSWORD)
    thief.get_by_role("button", name="Sign in").click()
    expect(thief.locator("#banner")).to_contain_text("This does not open anything")
    page = computer(viewport={"width": 1280, "height": 900}).new_page()
    sign_in(page, server, desk)
    page.get_by_role("link", name="Sign-ins and changes").click()
    page.wait_for_url(f"{server.url}/organiser/log")
    mine = page.locator("tbody tr").filter(has=page.get_by_role("rowheader", name=person.id, exact=True))
    expect(mine).to_have_count(5)
    expect(mine.nth(0)).to_contain_text("sign-in refused: wrong password")
    expect(mine.nth(1)).to_contain_text("new link, sessions and password ended")
    expect(mine.nth(1)).to_contain_text("command line")
    expect(mine.nth(2)).to_contain_text("password set")
    expect(mine.nth(3)).to_contain_text("signed in by link")
    expect(mine.nth(3)).to_contain_text("127.0.0.1")
    assert serious(page) == {}
    for width in (390, 640, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(SIDEWAYS) == []
