"""The page in a real browser: nothing fetched, nothing cut off, everything legible."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from adjudge.analyses.compare.pairs import Comparison
from adjudge.data.collection import Collection
from adjudge.reports.page import build_page
from adjudge.reports.render import write_report

pytestmark = pytest.mark.browser

WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")

# The contrast of every element that has text of its own, by WCAG 2.2, over what really lies behind it.
CONTRASTS = """() => {
  const parse = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return {r, g, b, a}; };
  const over = (top, under) => ({
    r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a),
    b: top.b * top.a + under.b * (1 - top.a), a: 1 });
  const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = c => 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), {r: 255, g: 255, b: 255, a: 1});
  };
  const found = {};
  for (const element of document.body.querySelectorAll('*')) {
    if (![...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    if (element.closest('.hidden')) continue;
    const back = behind(element), ink = over(parse(getComputedStyle(element).color), back);
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    const key = element.tagName + '.' + element.className;
    found[key] = Math.min(found[key] ?? 21, (a + 0.05) / (b + 0.05));
  }
  return found;
}"""
# Elements that stick out of the page at the right, though no scroll box of theirs hides them.
SIDEWAYS = """() => [...document.body.querySelectorAll('*')].filter(e =>
  !e.closest('.scroll') && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
).map(e => e.outerHTML.slice(0, 80))"""


@pytest.fixture
def index(compared: Callable[..., Comparison], news: Collection, tmp_path: Path) -> Path:
    """Four measures on twelve topics: names long and short, a missing cell, a wide table of many systems."""
    rng = random.Random(5)
    long_name = "a-system-with-a-name-that-goes-on-and-on-" + "x" * 150
    systems = ["good", "fair", "bad", long_name, "<script>alert(1)</script>"]

    def scores(scale: float, count: int = 12) -> dict[str, list[float]]:
        return {s: [rng.gauss(k, 1.0) * scale for _ in range(count)] for k, s in enumerate(systems)}

    holes = scores(0.1)
    holes["bad"][3] = float("nan")
    many = {f"system-number-{k}": [rng.gauss(k / 9, 0.3) for _ in range(80)] for k in range(25)}
    comparisons = [
        compared(holes),
        compared(scores(10), measure="words", better=None),
        compared(scores(1), measure=f"js(stem={'none' * 30})", better="lower"),
        compared(many, measure="rouge-1"),
    ]
    page = build_page(news, comparisons, notes={"rouge-2": ["out of date"]}, made_at="5 May 2026, 12:00")
    return write_report(page, tmp_path)[0]


def opened(
    browser: Browser,
    index: Path,
    *,
    width: int = 1280,
    scheme: Any = "light",
    script: bool = True,
    at: str = "",
) -> Page:
    page = browser.new_page(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
    )
    page.goto(index.as_uri() + at)
    return page


def unfold(page: Page, within: str = "") -> None:
    """Everything, as a reader may."""
    page.eval_on_selector_all(f"{within} details", "all => all.forEach(e => { e.open = true; })")


def first_cells(page: Page, table: str) -> list[str]:
    """The names in the rows of a table that are shown, from above."""
    return page.eval_on_selector_all(  # type: ignore[no-any-return]
        f"{table} tbody tr",
        "rows => rows.filter(r => !r.hidden).map(r => r.querySelector('th').innerText.trim())",
    )


def test_it_opens_without_network_and_without_complaint(browser: Browser, index: Path) -> None:
    page = browser.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(index.as_uri(), wait_until="networkidle")
    assert [url for url in requests if not url.startswith("data:")] == [index.as_uri()]
    assert complaints == []
    assert page.title() == "News · Adjudge report"
    assert page.locator("script").count() == 1
    page.close()


def test_the_tables_are_there_to_be_read(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    unfold(page)
    league = page.get_by_role("table", name="League table of rouge-2", exact=True)
    assert league.get_by_role("row").count() == 6
    assert league.get_by_role("rowheader", name="The good one").is_visible()
    assert "<script>alert(1)</script>" in league.inner_text()
    heat = page.get_by_role("table", name="Scores by topic and system on rouge-2", exact=True)
    assert heat.get_by_role("cell", name="missing: no summary").count() == 1
    overview = page.locator("#overview")
    assert overview.get_by_role("link", name="rouge-1", exact=True).first.get_attribute("href") == "#rouge-1"
    page.close()


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_makes_the_page_scroll_sideways(
    browser: Browser, index: Path, width: int, script: bool
) -> None:
    page = opened(browser, index, width=width, script=script)
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SIDEWAYS) == []
    page.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_all_text_has_contrast(browser: Browser, index: Path, scheme: str, width: int) -> None:
    page = opened(browser, index, width=width, scheme=scheme)
    unfold(page)
    found: dict[str, float] = page.evaluate(CONTRASTS)
    steps = {f"TD.h{k}" for k in range(7)}
    assert steps <= set(found)
    assert {key: ratio for key, ratio in found.items() if ratio < 4.5} == {}
    page.close()


def test_the_contrast_check_can_fail(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    page.add_style_tag(content=".h3 { color: #88aacc !important }")
    assert page.evaluate(CONTRASTS)["TD.h3"] < 4.5
    page.close()


def test_dark_is_dark_and_paper_is_white(browser: Browser, index: Path) -> None:
    background = "getComputedStyle(document.body).getPropertyValue('--paper')"
    found = []
    for scheme in SCHEMES:
        page = opened(browser, index, scheme=scheme)
        found.append(page.evaluate(background))
        page.emulate_media(media="print")
        assert page.evaluate(background) == "#ffffff"
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
        page.close()
    assert found == ["#ffffff", "#1e1e21"]


def test_a_long_map_scrolls_in_its_box_with_its_heads_in_sight(browser: Browser, index: Path) -> None:
    page = opened(browser, index, width=390)
    unfold(page)
    box = page.get_by_role("region", name="Scores by topic, rouge-1")
    box.scroll_into_view_if_needed()
    box.focus()
    assert box.evaluate("e => document.activeElement === e")
    inside = box.evaluate("""e => {
      e.scrollTo(400, 500);
      const at = x => x.getBoundingClientRect();
      const box = at(e), head = at(e.querySelector('thead th:nth-child(12)'));
      const side = at(e.querySelector('tbody tr:nth-child(40) th'));
      return [e.scrollTop, e.scrollLeft, Math.abs(head.top - box.top), Math.abs(side.left - box.left)];
    }""")
    assert inside[0] == 500
    assert inside[1] == 400
    assert inside[2] <= 2
    assert inside[3] <= 2
    page.close()


def test_an_interval_is_drawn_under_its_axis(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    found = page.evaluate("""() => {
      const table = document.querySelector('#rouge-2 .league'), at = e => e.getBoundingClientRect();
      const drawn = [table.querySelector('.axis'), ...table.querySelectorAll('.track')];
      return drawn.map(e => [at(e).left, at(e).right]);
    }""")
    lefts, rights = zip(*found, strict=True)
    assert max(lefts) - min(lefts) <= 1
    assert max(rights) - min(rights) <= 2
    page.close()


SHOWN = "[...document.querySelectorAll('.league')].filter(e => e.checkVisibility()).length"


def test_without_script_everything_unfolds(browser: Browser, index: Path) -> None:
    page = opened(browser, index, script=False)
    assert page.locator(".chooser").is_hidden()
    assert page.evaluate(SHOWN) == 1
    for anchor in ("words", "rouge-1", "words-where", "rouge-1-where"):
        page.locator(f"details:has(> #{anchor}) > summary").first.click()
        page.locator(f"#{anchor} > summary").click()
        page.locator(f"#{anchor} > details > summary").last.click()
        assert page.locator(f"#{anchor} > details").last.locator("p, table").first.is_visible()
        page.locator(f"details:has(> #{anchor}) > summary").first.click()
    assert page.locator(".sort").count() == 0
    page.close()


def test_a_link_leads_into_what_is_folded(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    assert page.evaluate(SHOWN) == 1
    page.locator("#overview").get_by_role("link", name="rouge-1", exact=True).first.click()
    page.wait_for_function(f"{SHOWN} === 2")
    assert page.locator("#rouge-1 .league").is_visible()
    assert page.locator("#rouge-1 .sort").count() > 0  # its table can be sorted now
    assert page.url.endswith("#rouge-1")
    page.reload()
    page.wait_for_function(f"{SHOWN} === 2")
    assert 0 <= page.evaluate("document.getElementById('rouge-1').getBoundingClientRect().top") < 150
    page.goto(f"{index.as_uri()}#words-where")
    page.wait_for_function("document.getElementById('words-where').open")
    page.goto(f"{index.as_uri()}#%E0%A4%A")  # no name at all
    assert page.title() == "News · Adjudge report"
    page.close()


def test_what_is_unfolded_is_printed(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    page.emulate_media(media="print")
    assert page.evaluate(SHOWN) == 1
    assert page.locator("#words-where").is_hidden()
    unfold(page)
    assert page.evaluate(SHOWN) == 4
    assert page.locator("#words-where .heat").is_visible()
    assert page.get_by_text("On paper stands what is open on the screen").is_visible()
    page.close()


def test_tables_are_sorted_by_mouse_and_keyboard(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    unfold(page)
    table = "#rouge-2 .league"
    ranked = first_cells(page, table)
    page.locator(f"{table} thead .system .sort").click()
    names = sorted(ranked, key=str.casefold)
    assert first_cells(page, table) == names
    assert page.get_attribute(f"{table} thead .system", "aria-sort") == "ascending"
    page.locator(f"{table} thead .system .sort").click()
    assert first_cells(page, table) == names[::-1]
    assert names[::-1] != ranked
    page.locator(f"{table} thead .rank .sort").focus()
    page.keyboard.press("Enter")
    assert first_cells(page, table) == ranked
    assert page.locator(f"{table} thead [aria-sort]").count() == 1
    page.keyboard.press("Enter")
    assert first_cells(page, table) == ranked[::-1]
    assert page.get_attribute(f"{table} thead .rank", "aria-sort") == "descending"
    assert page.locator(f"{table} .bars").first.is_hidden()  # they run down the ranking only
    assert page.locator(f"{table} .letters").first.is_visible()

    heads = page.locator("#rouge-2-where .pair-list thead th")
    heads.nth(2).get_by_role("button", name="Sort by Difference").click()
    cells = page.locator("#rouge-2-where .pair-list tbody td:nth-child(3)").all_inner_texts()
    assert [float(cell) for cell in cells] == sorted(float(cell) for cell in cells)

    page.locator(".overview thead th").nth(2).get_by_role("button").click()
    means = page.locator(".overview tbody td:nth-child(3)").all_inner_texts()
    known = [float(mean) for mean in means if mean != "–"]
    assert known == sorted(known)
    assert means[len(known) :] == ["–"] * (len(means) - len(known))  # who has no score comes last
    page.close()


def test_systems_are_found_by_name_and_kind(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    unfold(page)
    page.locator(".chooser [name=kind]").select_option("human")
    assert [name.split()[0] for name in first_cells(page, "#rouge-2 .league")] == ["Bad"]
    assert page.locator("#rouge-2-where .heat thead th:visible").count() == 2  # the topic, and Bad
    assert page.locator("#rouge-2-where .heat tbody tr").first.locator("td:visible").count() == 1
    page.locator(".chooser [name=kind]").select_option("")
    page.locator(".chooser [name=named]").fill("GOOD")
    assert [name.split("\n")[0] for name in first_cells(page, "#rouge-2 .league")] == ["The good one machine"]
    assert page.locator(".chooser output").inner_text().startswith("1 of ")
    assert len(first_cells(page, "#words .league")) == 1
    page.locator(".chooser [name=named]").fill("")
    assert len(first_cells(page, "#words .league")) == 5
    assert page.locator(".chooser output").inner_text() == ""
    page.close()


def test_cells_tell_more_when_pointed_at(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    unfold(page)
    cell = page.locator("#rouge-2-where .heat tbody tr").nth(2).locator("td").first
    assert cell.get_attribute("title") is None
    cell.hover()
    topic = page.locator("#rouge-2-where .heat tbody tr").nth(2).locator("th").inner_text()
    system = page.locator("#rouge-2-where .heat thead th").nth(1).inner_text()
    assert cell.get_attribute("title") == f"{topic}, {system}: {cell.inner_text()}"
    pair = page.locator("#rouge-2-where .pairs tbody td.row, #rouge-2-where .pairs tbody td.alike").first
    pair.hover()
    assert "corrected p" in (pair.get_attribute("title") or "")
    page.close()


def test_the_signature_is_selected_whole(browser: Browser, index: Path) -> None:
    page = opened(browser, index)
    unfold(page, "#rouge-2")
    signature = page.locator("#rouge-2 .signature")
    signature.click()
    assert page.evaluate("String(getSelection())") == signature.inner_text()
    page.close()


def test_it_prints_with_nothing_cut_off(browser: Browser, index: Path) -> None:
    page = opened(browser, index, width=720)  # about a page's width between its margins
    unfold(page)
    page.emulate_media(media="print")
    wide = "[...document.querySelectorAll('table')].filter(t => t.offsetWidth > 721).map(t => t.className)"
    assert page.evaluate(wide) == []
    assert page.locator(".chooser").is_hidden()
    assert page.pdf().startswith(b"%PDF")
    page.close()
