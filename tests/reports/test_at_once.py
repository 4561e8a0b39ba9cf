"""The report of the demo answers at once: few words are visible, the answer is on the first screen, paper is short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
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


def test_paper_is_short_and_splits_no_table(browser: Browser, report: Path) -> None:
    page = browser.new_page()
    page.goto(report.as_uri())
    heads = page.eval_on_selector_all(
        "table", "all => all.filter(e => e.checkVisibility()).map(e => e.querySelector('thead').textContent)"
    )
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "10mm")
    sheets = read_pdf(page.pdf(format="A4", margin=margin, print_background=True))  # type: ignore[arg-type]
    page.close()
    assert 4 <= len(sheets) <= MOST_SHEETS
    text = "".join("".join(sheet.text.split()) for sheet in sheets)
    assert heads
    once = {head: text.count("Pairsthatdiffer") for head in heads if "Pairs that differ" in head}
    assert list(once.values()) == [1]  # a table that goes on repeats its head
