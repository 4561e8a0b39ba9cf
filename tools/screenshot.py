"""The picture of the report in the documentation, from the demo's real report.

python tools/screenshot.py REPORT/index.html docs/report.png
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def browser() -> str:
    found = os.environ.get("ADJUDGE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        sys.exit("no Chromium here: run sh tools/ensure_chromium.sh")
    return found


def main(page: str, picture: str) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        view = chromium.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        view.goto(Path(page).resolve().as_uri())
        view.locator("section:has(table)").nth(1).scroll_into_view_if_needed()
        top = view.locator("section:has(table)").nth(1).bounding_box()
        assert top is not None
        view.evaluate("y => window.scrollBy(0, y)", top["y"] - 16)
        view.screenshot(path=picture)
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:3])
