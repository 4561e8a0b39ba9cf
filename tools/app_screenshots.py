"""The pictures of the annotation app in the documentation, from the demo's texts and the real server.

python -m tools.app_screenshots docs/app
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

from playwright.sync_api import Browser, Page, sync_playwright
from tools.screenshot import browser

PORT = 8931
URL = f"http://127.0.0.1:{PORT}"


def adjudge(*arguments: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "adjudge", *arguments, "--json"], check=True, capture_output=True, text=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def prepare(folder: str) -> dict[str, str]:
    """The demo with two assessors and work of every kind; gives everybody's personal link."""
    adjudge("demo", folder)
    adjudge("units", folder)
    links = {
        name: adjudge("people", "add", folder, name, *role, "--public-url", URL)["link"]
        for name, role in (("organiser", ["--organiser"]), ("anna", []), ("bert", []))
    }
    for protocol in ("duc-2002", "rating", "preference-summaries"):
        more = ["--per-topic", "6"] if protocol == "preference-summaries" else []
        adjudge(
            "assign", folder, "--protocol", protocol, "--seed", "3", "--topic", "d02", "--topic", "d05", *more
        )
    return links


@contextmanager
def served(folder: str) -> Iterator[None]:
    server = subprocess.Popen(
        [sys.executable, "-m", "adjudge", "serve", folder, "--port", str(PORT)], stdout=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{URL}/in")
                break
            except urllib.error.URLError:
                sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


class Camera:
    """A window, and where its pictures go."""

    def __init__(self, chromium: Browser, out: Path, *, width: int = 1280, dark: bool = False):
        self.out = out
        self.page: Page = chromium.new_context(
            viewport={"width": width, "height": 844 if width < 700 else 820},
            color_scheme="dark" if dark else "light",
        ).new_page()

    def sign_in(self, link: str) -> None:
        self.page.goto(link)
        self.page.wait_for_url(lambda url: not url.endswith("/in") and "#" not in url)

    def open(self, path: str) -> None:
        self.page.goto(f"{URL}{path}")
        self.page.wait_for_selector("#page[data-ready]", state="attached")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def take(self, name: str) -> None:
        if self.page.query_selector("#save"):
            self.page.wait_for_selector('#save[data-state="saved"]')
        self.page.screenshot(path=self.out / f"{name}.png")

    def tasks(self, heading: str) -> list[str]:
        """The pages of a block of "My work", by its line."""
        self.page.goto(f"{URL}/work")
        cards = self.page.locator("section.card", has_text=heading).first.locator("a.task")
        return [str(link.get_attribute("href")) for link in cards.all()]


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = str(Path(scratch) / "my-eval")
        links = prepare(folder)
        with served(folder):
            chromium = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
            shoot(chromium, out, links)
            chromium.close()


def shoot(chromium: Browser, out: Path, links: dict[str, str]) -> None:
    camera = Camera(chromium, out)
    camera.page.goto(f"{URL}/in")
    camera.take("sign-in")
    camera.sign_in(links["anna"])
    coverage, ratings = camera.tasks("DUC-2002"), camera.tasks("Ratings")
    camera.open(coverage[0])
    for keys in (("a", "6", "Enter"), ("b", "4", "Enter"), ("1", "Enter"), ("b", "c")):
        camera.press(*keys)
    camera.take("coverage")
    camera.press("3", "Enter")
    for _ in range(camera.page.locator("[data-model]").count() - 4):
        camera.press("1", "Enter")
    camera.take("unmarked")
    camera.page.click("[data-step=quality]")
    camera.press("b", "0", "1")
    camera.take("quality")
    camera.press("!")
    camera.page.fill("#note-text", "The last sentence is cut off.")
    camera.page.keyboard.press("Control+Enter")
    camera.press("?")
    camera.take("keys")
    camera.open(ratings[0])
    camera.press("4", "5")
    camera.take("rating")
    camera.open("/pairs")
    camera.take("pairs")
    camera.page.goto(f"{URL}/work")
    camera.take("work")
    phone = Camera(chromium, out, width=390)
    phone.sign_in(links["bert"])
    phone.open("/pairs")
    phone.take("pairs-phone")
    night = Camera(chromium, out, dark=True)
    night.sign_in(links["anna"])
    night.open(coverage[0])
    night.take("coverage-dark")
    desk = Camera(chromium, out)
    desk.sign_in(links["organiser"])
    desk.page.goto(f"{URL}/organiser")
    desk.take("organiser")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
