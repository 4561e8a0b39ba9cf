"""A real headless Chromium that has all the time it needs; no tests here."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect
from tests.waiting import HANG

BINARIES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = HANG * 1000  # milliseconds

expect.set_options(timeout=PATIENCE)


def chromium() -> str:
    """Where it is."""
    names = [os.environ[name] for name in ("ADJUDGE_CHROMIUM",) if os.environ.get(name)] or BINARIES
    path = next((path for name in names if (path := shutil.which(name))), None)
    if path is None:
        pytest.fail("no Chromium; get one with: sh tools/ensure_chromium.sh")
    return path


def launch(playwright: Playwright, *more: str) -> Browser:
    """A browser whose pages wait as long as it takes, whoever opens them."""
    browser = playwright.chromium.launch(
        executable_path=chromium(), args=[*ARGUMENTS, *more], timeout=PATIENCE
    )
    new_page, new_context = browser.new_page, browser.new_context

    def patient_page(**options: Any) -> Page:
        page = new_page(**options)
        page.set_default_timeout(PATIENCE)
        return page

    def patient_context(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context

    browser.new_page, browser.new_context = patient_page, patient_context  # type: ignore[method-assign]
    return browser
