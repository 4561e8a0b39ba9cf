"""The reports of the demo and of SummEval, and figures, as people see them; and that each check can fail."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pytest
from playwright.sync_api import Browser
from tools.check_pages import (
    SCHEMES,
    WIDTHS,
    Finding,
    check_page,
    check_picture,
    check_print,
    check_view,
    problems_of_pdf,
    states,
    summeval_report,
)
from tools.pdf_text import Glyph, PdfPage, read_pdf
from tools.screenshot import take_screenshots

from adjudge.analyses.compare.pairs import Comparison
from adjudge.core.picture import Figure, figure_of
from adjudge.data.collection import Collection
from adjudge.reports.page import build_page
from adjudge.reports.render import write_report

pytestmark = pytest.mark.browser


@pytest.fixture
def index(compared: Callable[..., Comparison], news: Collection, tmp_path: Path) -> Path:
    """Three measures on ten topics, a missing cell among them."""
    rng = random.Random(5)

    def scores(scale: float) -> dict[str, list[float]]:
        systems = ("good", "fair", "bad", "system-with-a-longer-name")
        return {s: [rng.gauss(k, 1.0) * scale for _ in range(10)] for k, s in enumerate(systems)}

    holes = scores(0.1)
    holes["bad"][3] = float("nan")
    comparisons = [
        compared(holes),
        compared(scores(10), measure="words", better=None),
        compared(scores(1), measure="rouge-1"),
    ]
    return write_report(build_page(news, comparisons, made_at="5 May 2026, 12:00"), tmp_path)[0]


def kinds(found: list[Finding]) -> list[str]:
    return sorted({f.kind for f in found})


def test_a_report_looks_right_everywhere(browser: Browser, index: Path) -> None:
    assert check_page(browser, index) == []


@pytest.mark.slow
@pytest.mark.shared_data
def test_summeval_looks_right_everywhere(browser: Browser, shared_data: Path, tmp_path: Path) -> None:
    assert check_page(browser, summeval_report(tmp_path)) == []


# Planted faults


HEAD = '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">'
POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)
WIDER = '<div class="scroll plain" style="overflow-x:auto;width:90px;white-space:nowrap">a name that goes on</div>'
FINE = {
    "plain": "<p>A line of text.</p><p>Another.</p>",
    "wide table in a box": (
        '<div style="overflow-x:auto"><table><tr>'
        + "<td style='min-width:90px'>cell</td>" * 30
        + "</tr></table></div>"
    ),
    "wide table that is folded away": (f"<details><summary>More</summary>{WIDER}</details>"),
    "beside a box": (
        '<div style="display:flex"><div style="width:100px;overflow-x:auto;white-space:nowrap">'
        "a long line that scrolls in its box</div><p style='margin:0'>what stands beside it</p></div>"
    ),
    "heard, not seen": (
        '<p>Seen<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);'
        'white-space:nowrap">a long sentence for those who listen</span></p>'
    ),
    "cut with its title": (
        '<p title="a name that goes on and on" style="width:80px;overflow:hidden;text-overflow:ellipsis;'
        'white-space:nowrap">a name that goes on and on</p>'
    ),
    "tight lines": '<p style="line-height:1.05;width:200px">Lines that stand close to each other, gyp</p>',
    "turned heads": (
        '<table><tr><th><span style="writing-mode:vertical-rl;transform:rotate(180deg)">one system</span></th>'
        '<th><span style="writing-mode:vertical-rl;transform:rotate(180deg)">another system</span></th></tr></table>'
    ),
    "not shown": '<p>Here<span style="visibility:hidden;margin-left:-2em">there</span></p>',
    "slanted labels": (
        '<svg width="300" height="120" style="overflow:visible">'
        + "".join(
            f'<text transform="translate({x} 100) rotate(-45)">label {x}</text>' for x in (20, 45, 70, 95)
        )
        + "</svg>"
    ),
}
FAULTS = {
    "scroll": '<div style="width:3000px">wide</div>',
    "scroll of a table": WIDER,
    "scroll, hidden": '<div style="position:absolute;left:1270px;white-space:nowrap">beyond the edge</div>'
    "<style>html{overflow-x:clip}</style>",
    "clipped at the side": '<p style="width:80px;overflow:hidden;white-space:nowrap">a name that goes on and on</p>',
    "clipped below": '<p style="height:20px;width:90px;overflow:hidden">a name that goes on and on for lines</p>',
    "clipped without a title": (
        '<p style="width:80px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap">a name that goes on</p>'
    ),
    "clipped by a box further out": (
        '<div style="width:90px;height:40px;overflow:hidden"><p style="width:300px">'
        "a name that goes on and on</p></div>"
    ),
    "clipped by a picture": '<svg width="60" height="20"><text x="10" y="15">a name that goes on</text></svg>',
    "clipped, folded away": (
        '<details><summary>More</summary><p style="width:80px;overflow:hidden;white-space:nowrap">'
        "a name that goes on and on</p></details>"
    ),
    "overlap": '<p>A line of text.</p><p style="margin-top:-26px">Another.</p>',
    "overlap in one line": '<p><span>left</span><span style="margin-left:-14px">right</span></p>',
    "overlap, one within the other": (
        '<div style="position:relative">a long line of text that is under a short one'
        '<b style="position:absolute;left:40px;top:0">short</b></div>'
    ),
    "overlap in a box": (
        '<div style="overflow:auto;width:200px"><p style="width:900px">'
        '<span style="position:relative;left:700px">far</span>'
        '<span style="position:relative;left:690px">out</span></p></div>'
    ),
    "overlap in a picture": (
        '<svg width="200" height="60"><text x="10" y="30">first label</text><text x="40" y="34">second</text></svg>'
    ),
    "overlap of turned labels": (
        '<svg width="200" height="120"><text transform="translate(50 110) rotate(-90)">first label</text>'
        '<text transform="translate(56 110) rotate(-90)">second</text></svg>'
    ),
    "console": "<script>console.error('no')</script>",
    "console: broken script": "<script>nothing.there()</script>",
    "request": '<img alt="" src="file:///nowhere/picture.png">',
}


def planted(folder: Path, body: str, *, policy: bool = False) -> Path:
    path = folder / "page.html"
    path.write_text(f"{HEAD}{POLICY if policy else ''}<title>A page</title></head><body>{body}</body></html>")
    return path


def test_what_is_fine_is_not_reported(browser: Browser, tmp_path: Path) -> None:
    page = planted(tmp_path, "".join(f"<div>{body}</div>" for body in FINE.values()))
    assert [str(f) for f in check_view(browser, page, 1280)] == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(browser: Browser, tmp_path: Path, fault: str) -> None:
    found = check_view(browser, planted(tmp_path, f"<p>Before.</p>{FAULTS[fault]}"), 1280)
    also = {"scroll": {"clipped"}, "request": {"console"}}
    expected = re.split(r"\W", fault)[0]
    assert expected in kinds(found)
    assert set(kinds(found)) <= {expected, *also.get(expected, ())}


def test_a_breach_of_the_pages_policy_is_found(browser: Browser, tmp_path: Path) -> None:
    path = planted(tmp_path, "<script>document.title = 'other'</script>", policy=True)
    (found,) = check_view(browser, path, 1280)
    assert found.kind == "console"
    assert "Content Security Policy" in found.said


def test_a_fault_of_narrow_windows_alone_is_found_there(browser: Browser, tmp_path: Path) -> None:
    path = planted(tmp_path, '<div style="width:600px">wide</div>')
    assert {w: kinds(check_view(browser, path, w)) for w in WIDTHS} == {1280: [], 390: ["scroll"]}


def test_a_fault_of_the_dark_scheme_alone_is_found_there(browser: Browser, tmp_path: Path) -> None:
    style = "<style>@media (prefers-color-scheme: dark) { p { margin: -12px 0 } }</style>"
    path = planted(tmp_path, f"{style}<p>A line of text.</p><p>Another.</p><p>A third.</p>")
    assert {s: kinds(check_view(browser, path, 1280, s)) for s in SCHEMES} == {
        "light": [],
        "dark": ["overlap"],
    }


@pytest.mark.parametrize(
    "chooser",
    [
        '<select onchange="show(this.value)"><option value="0">a</option><option value="1">b</option></select>',
        '<label><input type="radio" name="c" onclick="show(0)">a</label>'
        '<label><input type="radio" name="c" onclick="show(1)">b</label>',
        '<button role="tab" onclick="show(0)">a</button><button role="tab" onclick="show(1)">b</button>',
        '<table><tr><th><button onclick="show(1)">sorts</button></th></tr></table>',
    ],
    ids=["select", "radio", "tabs", "sorting"],
)
def test_a_fault_behind_a_choice_is_found(browser: Browser, tmp_path: Path, chooser: str) -> None:
    panels = (
        '<div class="panel">Fine.</div>'
        '<div class="panel" hidden><p>A line.</p><p style="margin-top:-26px">And</p></div>'
        "<script>function show(k) { document.querySelectorAll('.panel').forEach((p, i) => { p.hidden = i != k; }); }"
        "</script>"
    )
    assert kinds(check_view(browser, planted(tmp_path, chooser + panels), 1280)) == ["overlap"]


def test_choices_are_made_one_at_a_time_and_taken_back(browser: Browser, tmp_path: Path) -> None:
    path = planted(
        tmp_path, "<select><option>a</option><option selected>b</option></select><details></details>"
    )
    page = browser.new_page()
    page.goto(path.as_uri())
    assert list(states(page)) == ["as opened", "unfolded", "choice a", "choice b"]
    assert page.locator("select").input_value() == "b"
    page.close()


# Paper


LINE = "<p>A line of text that stands on the paper.</p>"


def on_paper(browser: Browser, folder: Path, body: str) -> list[str]:
    return [str(f) for f in check_print(browser, planted(folder, body))]


def test_paper_has_the_pages_text(browser: Browser, tmp_path: Path) -> None:
    path = planted(tmp_path, f"<h1>Title</h1>{LINE * 200}<h2>A fin·ﬁnal — “heading”</h2>")
    assert check_print(browser, path) == []
    page = browser.new_page()
    page.goto(path.as_uri())
    pages = read_pdf(page.pdf(format="A4"))
    page.close()
    assert len(pages) > 3
    assert pages[0].width == pytest.approx(595, abs=2)
    assert pages[0].height == pytest.approx(842, abs=2)
    assert pages[0].text.startswith("TitleA line of text that stands")
    assert sum(p.text.count("on the paper.") for p in pages) == 200
    assert pages[0].glyphs[0].size == pytest.approx(24, abs=0.1)  # 2em of 16 px, in points


def test_a_table_that_the_paper_cuts_is_found(browser: Browser, tmp_path: Path) -> None:
    cells = "".join(f"<td style='min-width:90px'>cell-{k}</td>" for k in range(30))
    table = f"<table><tr>{cells}</tr></table>"
    found = on_paper(browser, tmp_path, LINE + table)
    assert any("wider than the paper" in said for said in found)
    assert any("cell-29” sticks out" in said for said in found)
    boxed = on_paper(browser, tmp_path, f'{LINE}<div style="overflow-x:auto">{table}</div>')
    assert any("cell-29” is cut" in said for said in boxed)


def test_what_shrinks_the_print_is_found(browser: Browser, tmp_path: Path) -> None:
    (found,) = on_paper(browser, tmp_path, f'<div style="width:1050px;font-size:11pt">{LINE}</div>')
    assert "too wide for the paper" in found


def test_a_blank_page_is_found(browser: Browser, tmp_path: Path) -> None:
    (found,) = on_paper(
        browser,
        tmp_path,
        f'{LINE}<div style="break-after:page"></div><div style="break-after:page"></div>{LINE}',
    )
    assert "page 2 is blank" in found


def test_a_heading_that_is_not_printed_is_found(browser: Browser, tmp_path: Path) -> None:
    style = "<style>@media print { .off { display: none } }</style>"
    (found,) = on_paper(
        browser, tmp_path, f"{style}{LINE}<div class='off'><h2>What people said</h2>{LINE}</div>"
    )
    assert "“What people said” is not printed" in found


def test_the_pdf_itself_is_read() -> None:
    def page(text: str, size: float = 11, x: float = 30) -> PdfPage:
        return PdfPage(595, 842, tuple(Glyph(c, x, 100, size) for c in text))

    assert problems_of_pdf([page("OneTheﬁrst"), page("two")], ["one", "The first two"], 2) == []
    assert "not in the PDF, such as “three”" in problems_of_pdf([page("one")], ["one", "three"], 1)[0]
    assert problems_of_pdf([page("one"), page("two")], [], 1) == ["2 pages, where 1 should do"]
    assert "most letters have 6 points" in problems_of_pdf([page("one", size=6)], [], 1)[0]
    assert "3 letters beyond its edge" in problems_of_pdf([page("one", x=600)], [], 1)[0]


# Figures


def drawn(*, names: list[str], turned: bool = False) -> Figure:
    import altair as alt

    data = pd.DataFrame({"system": names, "mean": [k / 10 for k in range(len(names))]})

    def drawing(base: alt.Chart) -> Any:
        x = alt.X("system:N", title=None, axis=alt.Axis(labelAngle=-45 if turned else 0))
        return base.mark_bar().encode(x=x, y=alt.Y("mean:Q", title="mean score"))

    return figure_of("bars", "Means of systems", "A bar is a mean.", data, drawing)


@pytest.mark.parametrize("theme", SCHEMES)
def test_a_figure_by_itself_looks_right(
    browser: Browser, tmp_path: Path, theme: Literal["light", "dark"]
) -> None:
    figure = drawn(names=[f"system {k}" for k in range(12)], turned=True)
    path = figure.save(tmp_path / "f.svg", theme=theme)[0]
    assert [str(f) for f in check_picture(browser, path)] == []


def test_labels_that_overlap_are_found(browser: Browser, tmp_path: Path) -> None:
    path = drawn(names=[f"a longer system name {k}" for k in range(12)]).save(tmp_path / "f.svg")[0]
    assert "overlap" in kinds(check_picture(browser, path))


def test_a_label_that_is_cut_short_is_found(browser: Browser, tmp_path: Path) -> None:
    path = drawn(names=["short", "a name " * 20], turned=True).save(tmp_path / "f.svg")[0]
    (found,) = check_picture(browser, path)
    assert found.kind == "clipped"
    assert "ends in an ellipsis" in found.said


def test_a_sentence_that_is_quoted_in_part_is_no_label_that_is_cut(browser: Browser, tmp_path: Path) -> None:
    """A figure's rows say what it quotes; a label that is cut in the picture is whole there."""
    path = drawn(names=["A sentence that…", "Another…"], turned=True).save(tmp_path / "f.svg")[0]
    assert not [f for f in check_picture(browser, path) if f.kind == "clipped"]
    path.with_suffix(".csv").unlink()
    assert "clipped" in kinds(check_picture(browser, path))


def test_text_beyond_the_picture_is_found(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "f.svg"
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50">'
        '<text x="60" y="30">beyond the edge</text></svg>'
    )
    (found,) = check_picture(browser, path)
    assert "sticks out of the picture" in found.said


# Pictures of the report


def test_pictures_are_taken_of_every_view_and_stay_small(
    browser: Browser, index: Path, tmp_path: Path
) -> None:
    taken = take_screenshots(browser, index, tmp_path / "shots")
    assert [p.name for p in taken] == ["report.png", "report-dark.png", "report-phone.png"]
    docs = Path(__file__).parents[2] / "docs"
    for path in taken:
        assert path.read_bytes().startswith(b"\x89PNG")
        kept = docs / path.name
        assert kept.stat().st_size <= 200_000, f"{kept} is too large for the documentation"
