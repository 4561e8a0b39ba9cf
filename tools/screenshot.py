"""The pictures of the report in the documentation, from the demo's real report.

python tools/check_pages.py --screenshots docs takes them, once nothing is wrong with the page.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ANSWER, LEAGUE = "h2", "section.panel:has(table.league)"
VIEWS: dict[str, tuple[int, int, Literal["light", "dark"], str]] = {
    "report": (1280, 800, "light", ANSWER),
    "report-dark": (1280, 860, "dark", LEAGUE),
    "report-phone": (390, 844, "light", "h1"),
}
"""By the picture's name: the window's width and height, the scheme, and what stands at the top."""


def browser() -> str:
    found = os.environ.get("ADJUDGE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        sys.exit("no Chromium here: run sh tools/ensure_chromium.sh")
    return found


def take_screenshots(chromium: Browser, report: Path, out: Path) -> list[Path]:
    """A report's answer or its first league table, as each of the views shows it."""
    out.mkdir(parents=True, exist_ok=True)
    taken = []
    for name, (width, height, scheme, top) in VIEWS.items():
        page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(report.resolve().as_uri())
        page.locator(top).locator("visible=true").first.evaluate("e => e.scrollIntoView()")
        taken.append(out / f"{name}.png")
        page.screenshot(path=taken[-1])
        page.close()
    return taken
