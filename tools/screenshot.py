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
VIEWS: dict[str, tuple[int, int, Literal["light", "dark"]]] = {
    "report": (1280, 860, "light"),
    "report-dark": (1280, 860, "dark"),
    "report-phone": (390, 844, "light"),
}
"""By the picture's name: the window's width and height, and the scheme."""


def browser() -> str:
    found = os.environ.get("ADJUDGE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        sys.exit("no Chromium here: run sh tools/ensure_chromium.sh")
    return found


def take_screenshots(chromium: Browser, report: Path, out: Path) -> list[Path]:
    """A report's first league table, as each of the views shows it."""
    out.mkdir(parents=True, exist_ok=True)
    taken = []
    for name, (width, height, scheme) in VIEWS.items():
        page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(report.resolve().as_uri())
        league = page.locator("table.league:visible").first
        league.evaluate(
            "e => e.closest('section').scrollIntoView()"
        )  # below the chooser, which stays at the top
        taken.append(out / f"{name}.png")
        page.screenshot(path=taken[-1])
        page.close()
    return taken
