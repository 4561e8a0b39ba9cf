"""What a person sees and does on the pages, in a few words. No expectations about answers here."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, Route, expect
from tests.waiting import HANG
from tests.web.browser.making import Person, Study
from tests.web.browser.server import Server

from adjudge.judgments.tasks import Task
from adjudge.web.access import CSRF_HEADER


def sign_in(page: Page, server: Server, person: Person) -> None:
    """By the personal link. Ends on the person's first page."""
    page.goto("about:blank")  # a link that differs behind the # alone would not load anything
    page.goto(f"{server.url}/in#{person.token}")
    page.wait_for_url(lambda url: url.endswith(("/work", "/organiser")))


def open_task(page: Page, server: Server, study: Study, task: Task) -> None:
    page.goto(f"{server.url}/task/{study.key(task)}")
    ready(page)


def enter(page: Page, server: Server, study: Study, person: Person) -> None:
    """Signs in as the page of the personal link does, without opening it, and opens the person's first task."""
    request = page.context.request
    csrf = request.get(f"{server.url}/api/me").json().get("csrf") or ""
    done = request.post(
        f"{server.url}/api/sign-in", data={"token": person.token}, headers={CSRF_HEADER: csrf}
    )
    assert done.ok, done.text()
    open_task(page, server, study, person.tasks[0])


def ready(page: Page) -> None:
    page.wait_for_selector("#page[data-ready]")


def saved(page: Page) -> None:
    expect(state(page)).to_have_attribute("data-state", "saved")


def state(page: Page) -> Locator:
    """What the page says of saving."""
    return page.locator("#save")


def banner(page: Page) -> Locator:
    return page.locator("#banner")


def key(page: Page, *names: str) -> None:
    for name in names:
        page.keyboard.press(name)


def current_unit(page: Page) -> str:
    """The id of the reference's unit that is asked about now."""
    found = page.locator("[data-model][aria-current=true]").get_attribute("data-model")
    assert found is not None
    return found


def marked(page: Page) -> list[str]:
    """The ids of the summary's units that are marked now."""
    units = page.locator("[data-peer][aria-pressed=true]")
    found: list[str] = units.evaluate_all("all => all.map(e => e.dataset.peer)")
    return found


def step(page: Page) -> str:
    found = page.locator("[data-step][aria-current=step]").get_attribute("data-step")
    assert found is not None
    return found


def completeness(page: Page, label: str) -> Locator:
    return page.locator("#completeness button").filter(has_text=label).first


def question(page: Page, id: str) -> Locator:
    return page.locator(f'[data-question="{id}"]')


def shows(page: Page, id: str, value: str) -> None:
    """That a question's answer is the one that the page shows as chosen."""
    expect(question(page, id).locator("[aria-pressed=true]")).to_have_attribute("data-value", value)


def kept(page: Page) -> list[dict[str, object]]:
    """What the browser keeps of the page's person in IndexedDB because the server has not acknowledged it."""
    found: list[dict[str, object]] = page.evaluate("""async () => {
      const done = request => new Promise(resolve => { request.onsuccess = () => resolve(request.result); });
      const { evaluation, person } = JSON.parse(document.querySelector("meta[name=adjudge-me]").content);
      const database = await done(indexedDB.open(`adjudge-${evaluation}-${person}`));
      const found = await done(database.transaction("events").objectStore("events").getAll());
      database.close();
      return found;
    }""")
    return found


class Held(list[Route]):
    """Requests that wait."""

    let_go = False


def hold(page: Page, *paths: str) -> Held:
    """Requests to these paths wait, as in a slow network, until they are let go."""
    held = Held()

    def wait(route: Route) -> None:
        if held.let_go:  # it came while those before it were let go
            route.continue_()
        else:
            held.append(route)

    for path in paths:
        page.route(f"**{path}", wait)
    return held


def let_go(page: Page, held: Held) -> None:
    held.let_go = True
    for route in held:
        route.continue_()
    page.unroute_all()


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Waits for something that no element of the page shows."""
    pause = 20  # milliseconds
    for _ in range(int(HANG * 1000 / pause)):
        if condition():
            return
        page.wait_for_timeout(pause)
    raise TimeoutError(f"not after {HANG:g} s")
