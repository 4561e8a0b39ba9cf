"""The page of mismatches: texts from strangers stay texts, filters work without a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.analyses.mismatch_making import PEERS, UNITS, make
from tests.reports.test_browser import CONTRASTS, SIDEWAYS

from adjudge.analyses.mismatch import page as mismatches
from adjudge.analyses.mismatch.page import mismatch_page, render_mismatches
from adjudge.evaluation import Evaluation
from adjudge.judgments.tagging import take_tags

SCRIPT = "<script>alert('ran')</script>"
NASTY = {**PEERS, "other": f'A crash. {SCRIPT} </p></article><img src=x onerror="alert(1)">'}


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Of `copy` all units are credited, of `other` one is missed; on two topics, some tagged."""
    path = tmp_path_factory.mktemp("mismatches") / "e"
    e = make(path, {("other", "Crashes"): 1.0}, topics=("t1", "t<2>"), peers=NASTY)
    pages = e.mismatch("nams").pages()
    with e.store() as store:
        given = [("ann", pages[0], ("style", f"own {SCRIPT}")), ("ann", pages[1], ("style",))]
        take_tags(store, e.protocol("mismatch"), given)
    return Evaluation.open(path)


@pytest.fixture(scope="module")
def html(evaluation: Evaluation) -> str:
    return render_mismatches(mismatch_page(evaluation.mismatch("nams"), evaluation.collection))


def test_nothing_of_strangers_becomes_markup(html: str) -> None:
    assert "<script" not in html
    assert "<img" not in html
    assert "alert(&#39;ran&#39;)" in html
    assert "t&lt;2&gt;" in html
    assert "t<2>" not in html
    assert "default-src 'none'" in html


def test_what_is_marked_and_what_is_found(evaluation: Evaluation) -> None:
    page = mismatch_page(evaluation.mismatch("nams"), evaluation.collection)
    missed = page.mismatches[0]
    assert "".join(piece.text for piece in missed.unit) == UNITS[1]
    assert "".join(piece.text for piece in missed.peer) == NASTY["other"]
    assert [piece.text for piece in missed.peer if piece.marks[0] and piece.marks[1]] == ["crash"]
    assert missed.of.tag_names == {}
    assert set(page.filters) == {"kind", "system", "topic", "tag"}
    assert page.result.headline() == evaluation.mismatch("nams").headline()


def test_a_long_page_says_that_it_is_cut(evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mismatches, "MOST", 3)
    page = mismatch_page(evaluation.mismatch("nams"), evaluation.collection)
    assert len(page.mismatches) == 3
    assert page.more == "The page shows the first 3 of 8 mismatches; the CSV file beside it has all."


@pytest.fixture
def page(browser: Browser, evaluation: Evaluation, tmp_path: Path) -> Iterator[Page]:
    index, *_ = evaluation.write_mismatches(evaluation.mismatch("nams"), tmp_path / "page")
    asked: list[str] = []
    said: list[str] = []
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: said.append(message.text))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.goto(index.as_uri())
    yield tab
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert said == []
    tab.close()


def counted(page: Page) -> str:
    """How many the page says are shown: a counter of the style sheet, which no attribute holds."""
    visible = page.locator(".mismatch:visible").count()
    total = page.locator(".mismatch").count()
    assert page.locator(".shown-count").inner_text() == f"of {total} mismatches shown"
    return f"{visible} of {total}"


@pytest.mark.browser
def test_filters_work_together_and_without_a_script(page: Page) -> None:
    assert counted(page) == "8 of 8"
    page.select_option("#by-kind", index=1)
    assert counted(page) == "2 of 8"
    missed = page.locator("#by-kind option").nth(1).inner_text()
    assert page.locator(".mismatch:visible h3").all_inner_texts() == [missed] * 2
    page.select_option("#by-topic", label="t<2>")
    assert counted(page) == "1 of 8"
    page.select_option("#by-kind", index=0)
    assert counted(page) == "4 of 8"
    page.select_option("#by-topic", index=0)
    page.select_option("#by-system", label="copy")
    assert counted(page) == "6 of 8"
    page.select_option("#by-tag", label="style")
    assert counted(page) == "2 of 8"
    page.select_option("#by-tag", label="not tagged")
    assert counted(page) == "4 of 8"


@pytest.mark.browser
def test_it_is_legible_at_all_widths_in_light_and_dark(page: Page) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SIDEWAYS) == []
            low = {what: ratio for what, ratio in page.evaluate(CONTRASTS).items() if ratio < 4.5}
            assert low == {}
    expect(page.locator(".texts").first).to_be_visible()
