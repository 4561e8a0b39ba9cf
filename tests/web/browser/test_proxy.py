"""A real browser judges through a real nginx and a real Caddy, over TLS, in a secure context."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect
from tests.browsing import launch
from tests.waiting import free_port
from tests.web.browser.making import Study
from tests.web.browser.pages import key, ready, saved
from tests.web.browser.server import Server
from tests.web.proxies import HOST, caddy, nginx

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("kind", [nginx, caddy])
def test_judging_behind_a_proxy(kind: object, playwright: Playwright, study: Study, tmp_path: Path) -> None:
    port = free_port()
    server = Server(study.path, "--public-url", f"https://{HOST}:{port}")
    server.start()
    person = study.person("rating")
    try:
        with kind(tmp_path, server.port, port) as proxy:  # type: ignore[operator]
            browser = launch(playwright, f"--host-resolver-rules=MAP {HOST} 127.0.0.1")
            page = browser.new_context(ignore_https_errors=True).new_page()
            page.goto(f"{proxy.origin}/in#{person.token}")
            page.wait_for_url(f"{proxy.origin}/work")
            assert page.evaluate("isSecureContext")
            page.goto(f"{proxy.origin}/task/{study.key(person.tasks[0])}")
            ready(page)
            key(page, "3")
            saved(page)
            page.goto(f"{proxy.origin}/account")
            page.locator("[name=password]").fill("correct horse")
            page.get_by_role("button", name="Set the password").click()
            expect(page.locator("#banner")).to_have_text("The password is set.")
            page.locator("#out").click()
            page.wait_for_url(f"{proxy.origin}/in")
            page.locator("[name=person]").fill(person.id)
            page.locator("[name=password]").fill("correct horse")
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(f"{proxy.origin}/work")
            page.goto(f"{proxy.origin}/account")
            expect(page.locator("[name=old]")).to_be_visible()
            browser.close()
    finally:
        server.stop()
    assert len(study.events(person)) == 1
