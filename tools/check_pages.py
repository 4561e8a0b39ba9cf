"""Looks at reports and figures in Chromium: no sideways scroll, no cut or overlapping text, no complaint, no request.

python tools/check_pages.py [REPORT.html ...] [--screenshots DIR]

Every page is opened at 1280 and 390 pixels, light and dark, with everything folded and unfolded, in light with every
choice made once, and printed to PDF. Without a page it makes the demo's report and all figures of the catalogue, in
light and dark, and SummEval's report where ../shared/data is. Exits with 1 if anything is found.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import shlex
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # where this is run as a script

from tools.figures_evaluation import adjudge, fill  # noqa: E402
from tools.pdf_text import PdfPage, read_pdf  # noqa: E402
from tools.screenshot import browser, take_screenshots  # noqa: E402

SHARED = ROOT.parent / "shared" / "data" / "summeval" / "model_annotations.12systems.jsonl"
SCRIPT = (Path(__file__).parent / "check_pages.js").read_text(encoding="utf-8")
WIDTHS = (1280, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
MARGIN = 10
"""Millimetres of the paper that stay white on each side, as browsers have it."""
PAPER = (210, 297)
SHRUNK = 1.5
"""How much wider than the paper Chromium lays a page out, and prints it smaller, before it cuts it."""
SMALLEST = 8.0
"""Points in which most of a printed page's letters must at least be set."""
EXCERPT = 39
"""Characters of a text that the script quotes of a longer one."""
SHOWN = 5
"""Findings of one kind that are printed for one view; the others are counted."""


@dataclass(frozen=True)
class Finding:
    """Something wrong with a page: what, and how it was being looked at."""

    kind: Literal["scroll", "clipped", "overlap", "console", "request", "print"]
    view: str
    said: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.view}): {self.said}"


# Pages


def check_page(chromium: Browser, path: Path) -> list[Finding]:
    """All that is wrong with a page on the screen and on paper."""
    found = [f for width in WIDTHS for scheme in SCHEMES for f in check_view(chromium, path, width, scheme)]
    return [*found, *check_print(chromium, path)]


def check_view(
    chromium: Browser, path: Path, width: int, scheme: Literal["light", "dark"] = "light"
) -> list[Finding]:
    """What is wrong in a window of this width, in everything that the page can show."""
    view = f"{width} px, {scheme}"
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    found: list[Finding] = []
    _listen(page, path, view, found)
    page.goto(path.resolve().as_uri(), wait_until="load")
    page.add_style_tag(
        content="* { content-visibility: visible !important; }"
    )  # what waits to be drawn is looked at too
    seen: set[tuple[str, str]] = set()
    for state in states(page, choices=scheme == SCHEMES[0]):
        looked = page.evaluate(SCRIPT, 0)
        for each in _of_looks(looked, f"{view}, {state}"):
            if (each.kind, each.said) not in seen:
                seen.add((each.kind, each.said))
                found.append(each)
    page.close()
    return found


def states(page: Page, *, choices: bool = True) -> Iterator[str]:
    """Everything a page can show: as it opens, unfolded, sorted, then every choice that it offers, one at a time.

    Choices move things, which colours do not: they are made in one scheme.
    """
    yield "as opened"
    if page.locator("details").count():
        page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        yield "unfolded"
    sortable = (
        "[...document.querySelectorAll('table')].map(t => t.querySelector('th button')).filter(Boolean)"
    )
    if page.evaluate(f"{sortable}.length"):
        page.evaluate(f"{sortable}.forEach(b => b.click())")
        yield "sorted"
    if not choices:
        return
    # What no choice changes was looked at, and would be again with each of them.
    page.evaluate(
        "document.querySelectorAll('details').forEach(e => { e.open = !!e.closest('.panel, .every'); })"
    )
    for k in range(page.locator("select").count()):
        select = page.locator("select").nth(k)
        if not select.is_visible():
            continue
        first = select.input_value()
        for value in select.evaluate("e => [...e.options].filter(o => !o.disabled).map(o => o.value)"):
            select.select_option(value)
            yield f"choice {value}"
        select.select_option(first)
    for chosen in ("[role=tab]", "input[type=radio]"):
        for k in range(page.locator(chosen).count()):
            choice = page.locator(chosen).nth(k)
            if choice.is_visible():
                choice.click()
                yield f"choice {k + 1} of {chosen}"


def _listen(page: Page, path: Path, view: str, found: list[Finding]) -> None:
    """Notes whatever the page complains about or asks for; a breach of its security policy is a complaint."""
    own = path.resolve().as_uri()

    def complained(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            found.append(Finding("console", view, message.text))

    def asked(url: str) -> None:
        if url.partition("#")[0] != own and not url.startswith(("data:", "blob:")):
            found.append(Finding("request", view, url))

    page.on("console", complained)
    page.on("pageerror", lambda error: found.append(Finding("console", view, str(error))))
    page.on("request", lambda request: asked(request.url))


def _of_looks(looked: dict[str, list[str]], view: str) -> Iterator[Finding]:
    for said in looked["sideways"]:
        yield Finding("scroll", view, said)
    for said in looked["clipped"]:
        yield Finding("clipped", view, said)
    for said in looked["overlaps"]:
        yield Finding("overlap", view, said)


# Paper


def check_print(chromium: Browser, path: Path) -> list[Finding]:
    """What is wrong with a page on paper: first as it is laid out for print, then in the PDF itself."""
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.resolve().as_uri(), wait_until="load")
    headings = _headings(page)
    margin = dict.fromkeys(("top", "right", "bottom", "left"), f"{MARGIN}mm")
    pages = read_pdf(page.pdf(format="A4", margin=margin, print_background=True))  # type: ignore[arg-type]
    page.emulate_media(media="print")
    across, down = ((mm - 2 * MARGIN) / 25.4 * 96 for mm in PAPER)
    page.set_viewport_size({"width": math.floor(across), "height": 900})
    needed = page.evaluate("document.documentElement.scrollWidth")
    width = min(max(needed, math.floor(across)), math.floor(SHRUNK * across))
    # Rules for narrow windows look at the sheet, however much wider the page is laid out.
    page.evaluate("width => { document.documentElement.style.width = `${width}px`; }", width)
    looked: dict[str, Any] = page.evaluate(SCRIPT, width)
    height = page.evaluate("document.documentElement.scrollHeight")
    breaks = page.evaluate(
        "[...document.querySelectorAll('*')].filter(e => getComputedStyle(e).breakBefore === 'page').length"
    )
    found = list(_of_looks(looked, "paper"))
    missing = sorted(headings - _headings(page))
    page.close()
    most = math.ceil(1.5 * height / (down * width / across)) + breaks + 2
    found += [Finding("print", "paper", f"the heading “{h}” is not printed") for h in missing]
    return found + [Finding("print", "PDF", said) for said in problems_of_pdf(pages, looked["texts"], most)]


def _headings(page: Page) -> set[str]:
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].filter(e => e.checkVisibility() && !e.closest('nav, dialog'))"
        ".map(e => e.textContent.trim().replace(/\\s+/g, ' '))"
    )
    return set(found)


def problems_of_pdf(pages: Sequence[PdfPage], texts: Sequence[str], most: int) -> list[str]:
    """What is wrong with printed pages that should hold these texts: blank or too many, cut, tiny or lacking text."""
    found = []
    if len(pages) > most:
        found.append(f"{len(pages)} pages, where {most} should do")
    found += [f"page {k} is blank" for k, p in enumerate(pages, 1) if not p.text.strip()]
    for k, page in enumerate(pages, 1):
        off = [g for g in page.glyphs if not (0 <= g.x < page.width and 0 <= g.y < page.height)]
        if off:
            found.append(f"page {k} has {len(off)} letters beyond its edge, such as “{off[0].text}”")
    sizes = Counter(round(g.size, 1) for p in pages for g in p.glyphs if g.text.strip())
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    if 0 < usual < SMALLEST:
        found.append(f"most letters have {usual:g} points: something is too wide for the paper")
    printed = _squeezed("".join(p.text for p in pages))
    lost = [text for text in texts if not _in(text, printed)]
    if lost:
        found.append(f"{len(lost)} texts are not in the PDF, such as “{lost[0][:60]}”")
    return found


def _squeezed(text: str) -> str:
    """Text as it can be found again: without spaces, ligatures, capitals and soft hyphens."""
    return re.sub(r"\s|\u00ad", "", unicodedata.normalize("NFKC", text)).casefold()


def _in(text: str, printed: str) -> bool:
    """Whole, or, where a page ends within it, word by word."""
    return _squeezed(text) in printed or all(_squeezed(word) in printed for word in text.split())


# Figures


def check_picture(chromium: Browser, path: Path, view: str = "") -> list[Finding]:
    """What is wrong with an SVG that is opened by itself: text that overlaps, or sticks out of the picture."""
    page = chromium.new_page(viewport={"width": 1600, "height": 1200})
    found: list[Finding] = []
    named = view or path.name
    _listen(page, path, named, found)
    page.goto(path.resolve().as_uri(), wait_until="load")
    found += _of_looks(page.evaluate(SCRIPT, 1600), named)
    page.close()
    meant = _excerpts(path)
    return [
        f for f in found if not (m := re.match(r"“(.*)…” ends in an ellipsis", f.said)) or m[1] not in meant
    ]


def _excerpts(path: Path) -> set[str]:
    """The beginnings of sentences that a figure quotes, as its rows have them: the picture shows them whole."""
    rows = path.with_suffix(".csv")
    if not rows.exists():
        return set()
    with rows.open(encoding="utf-8", newline="") as file:
        cells = {cell for row in csv.reader(file) for cell in row if cell.endswith("…")}
    return {cell[: min(EXCERPT, len(cell) - 1)] for cell in cells}


def check_figures(chromium: Browser, folder: Path, out: Path) -> Iterator[tuple[str, list[Finding]]]:
    """Every figure of the catalogue, drawn from the evaluation in `folder` as its example says, in light and dark."""
    from adjudge.analyses.catalogue.catalogue import CATALOGUE

    for spec in CATALOGUE.values():
        found = []
        for scheme in SCHEMES:
            path = out / f"{spec.name}-{scheme}.svg"
            dark = ("--dark",) if scheme == "dark" else ()
            adjudge(
                folder, "figure", spec.name, "my-eval", *shlex.split(spec.example), *dark, "-o", str(path)
            )
            found += check_picture(chromium, path, scheme)
        yield spec.name, found


# The script


def make_reports(folder: Path) -> list[tuple[str, Path]]:
    """The reports of the demo and, where the shared data is, of SummEval."""
    fill(folder)
    adjudge(folder, "report", "my-eval", "-o", "demo-report")
    made = [("demo", folder / "demo-report" / "index.html")]
    if SHARED.exists():
        made.append(("SummEval", summeval_report(folder)))
    return made


def summeval_report(folder: Path) -> Path:
    adjudge(folder, "init", "summeval")
    adjudge(folder, "import", "summeval", str(SHARED), "summeval")
    adjudge(folder, "score", "summeval")
    adjudge(folder, "report", "summeval", "-o", "summeval-report")
    return folder / "summeval-report" / "index.html"


def told(name: str, found: Sequence[Finding]) -> None:
    print(f"{name}: {'nothing wrong' if not found else f'{len(found)} findings'}")
    groups: dict[tuple[str, str], list[Finding]] = {}
    for each in found:
        groups.setdefault((each.kind, each.view), []).append(each)
    for (kind, view), several in groups.items():
        for each in several[:SHOWN]:
            print(f"  {each}")
        if len(several) > SHOWN:
            print(f"  {kind} ({view}): and {len(several) - SHOWN} more")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Look at reports and figures in Chromium.")
    parser.add_argument("reports", nargs="*", type=Path, metavar="REPORT.html")
    parser.add_argument(
        "--screenshots", type=Path, metavar="DIR", help="keep pictures of the first report here"
    )
    asked = parser.parse_args(arguments)
    bad = 0
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch)
        reports = [(str(p), p) for p in asked.reports] or make_reports(folder)
        chromium = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        for name, path in reports:
            found = check_page(chromium, path)
            told(name, found)
            bad += len(found)
        if not asked.reports:
            for name, found in check_figures(chromium, folder, folder / "figures"):
                told(f"figure {name}", found)
                bad += len(found)
        if asked.screenshots:
            for picture in take_screenshots(chromium, reports[0][1], asked.screenshots):
                print(picture)
        chromium.close()
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
