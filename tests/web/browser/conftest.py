"""One browser and one server for this folder, and an eye on what pages complain about and ask for.

Fixtures end with the folder: Playwright runs once at a time, and other folders have tests with a browser too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Playwright, sync_playwright
from tests.browsing import PATIENCE, launch
from tests.web.browser.making import Study
from tests.web.browser.server import Server

# What passes on a page after seconds stays: a busy machine may look later. No request counts as swallowed.
PATIENT = """
const wait = window.setTimeout;
window.setTimeout = (call, delay, ...more) => wait(call, delay === 6000 ? 6_000_000 : delay, ...more);
AbortSignal.timeout = () => new AbortController().signal;
"""


@dataclass
class Watch:
    """What pages did that they should not."""

    origin: str = ""
    network_fails: bool = False
    """The test cuts the network, or is signed out: what Chromium says of requests that fail is no complaint."""
    strange: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def start(self, origin: str) -> None:
        self.origin, self.network_fails, self.strange, self.complaints = origin, False, [], []

    def over(self, context: BrowserContext) -> None:
        context.set_default_timeout(PATIENCE)
        context.add_init_script(PATIENT)
        # Chromium passes a page's requests through Playwright from some moment after the first route on: a request
        # right after it can slip by. With a route that is there from the beginning, the tests' own take effect at once.
        context.route("**/no-such-address", lambda route: route.abort())
        context.on("request", lambda request: self._asked(request.url))
        context.on("console", lambda message: self._said(message.type, message.text))
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("page", self._page)

    def _page(self, page: Page) -> None:
        page.on("dialog", self._opened)

    def _opened(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, url: str) -> None:
        if not url.startswith((f"{self.origin}/", "data:", "about:")):
            self.strange.append(url)

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not (self.network_fails and "Failed to load resource" in text):
            self.complaints.append(text)


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = launch(playwright)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    study = Study(tmp_path_factory.mktemp("browser") / "storms")
    yield study
    study.close()


@pytest.fixture(scope="package")
def server(study: Study) -> Iterator[Server]:
    server = Server(study.path)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="package")
def eyes() -> Watch:
    """Sees all contexts of the browser."""
    return Watch()


@pytest.fixture
def watch(eyes: Watch, server: Server) -> Iterator[Watch]:
    """Fails the test whose pages complain, or ask for anything that is not the server's."""
    eyes.start(server.url)
    yield eyes
    assert eyes.strange == []
    assert eyes.complaints == []


@pytest.fixture
def computer(browser: Browser, watch: Watch) -> Iterator[Callable[..., BrowserContext]]:
    """A computer of somebody's: what is kept in its browser is its own."""
    contexts: list[BrowserContext] = []

    def new(**options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        watch.over(context)
        contexts.append(context)
        return context

    yield new
    for context in contexts:
        context.close()


@pytest.fixture(scope="package")
def shared(browser: Browser, eyes: Watch) -> Iterator[Page]:
    """A tab that tests use one after the other: a new process for each would cost most of the time."""
    context = browser.new_context()
    eyes.over(context)
    yield context.new_page()
    context.close()


@pytest.fixture
def tab(shared: Page, watch: Watch) -> Iterator[Page]:
    """A tab in which nobody is signed in. What it keeps is kept by person, and every test has people of its own."""
    shared.context.clear_cookies()
    yield shared
    for other in shared.context.pages:
        other.unroute_all(behavior="ignoreErrors")
        if other is not shared:
            other.close()
    shared.goto("about:blank")
