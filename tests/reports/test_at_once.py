"""The report of the demo answers at once: few words are visible, the answer is on the first screen, paper is short."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from tools.pdf_text import read_pdf

from adjudge.evaluation import Evaluation

pytestmark = pytest.mark.browser

MOST_WORDS = 2500
MOST_SHEETS = 15
VISIBLE = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (element.closest("script, style, option, .hidden") || !element.checkVisibility()) continue;
    words += (walker.currentNode.textContent.match(/\\S+/g) || []).length;
  }
  return words;
}"""


@pytest.fixture(scope="module")
def report(shown: Path, once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """Of the demo that has everything."""

    def fill(folder: Path) -> None:
        Evaluation.open(shown / "my-eval").report(folder / "report")

    return once("demo-report", fill) / "report" / "index.html"


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def page(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Page]:
    page = browser.new_page(java_script_enabled=request.param, viewport={"width": 390, "height": 844})
    page.goto(report.as_uri())
    yield page
    page.close()


def test_few_words_are_visible_and_the_others_are_there(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    few = page.evaluate(VISIBLE)
    assert 1000 < few <= MOST_WORDS
    page.eval_on_selector_all("details", "all => all.forEach(e => { e.open = true; })")
    assert page.evaluate(VISIBLE) > 4 * MOST_WORDS


def test_the_answer_is_on_the_first_screen_of_a_phone(page: Page) -> None:
    def bottom(selector: str) -> float:
        return float(page.eval_on_selector(selector, "e => e.getBoundingClientRect().bottom"))

    assert page.locator(".headline").is_visible()
    assert bottom(".headline") < bottom(".league tbody tr") < 844  # the best system, too


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_page_is_for_everybody(browser: Browser, report: Path, scheme: Literal["light", "dark"]) -> None:
    page = browser.new_page(color_scheme=scheme)
    page.goto(report.as_uri())
    page.eval_on_selector_all(
        "details:not(.every details)", "all => all.forEach(e => { e.open = !e.matches('.every'); })"
    )
    wrong = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    page.close()
    serious = [each for each in wrong if each["impact"] in ("serious", "critical")]
    assert {each["id"]: each["nodes"][0]["html"][:200] for each in serious} == {}


def test_paper_is_short_and_splits_no_table(browser: Browser, report: Path) -> None:
    page = browser.new_page()
    page.goto(report.as_uri())
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "10mm")
    sheets = read_pdf(page.pdf(format="A4", margin=margin, print_background=True))  # type: ignore[arg-type]
    page.close()
    assert 4 <= len(sheets) <= MOST_SHEETS
    texts = [unicodedata.normalize("NFKC", "".join(sheet.text.split())) for sheet in sheets]
    # A table that goes on repeats its head.
    for head in ("Mean95%interval", "TopgroupPairsthatdiffer"):
        assert sum(text.count(head) for text in texts) == 1
