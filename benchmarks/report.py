"""The largest report, 60 systems x 100 topics x 20 measures: its size, its first paint, and how soon a table is sorted.

Beside it a bare page of the same scores: a plain table per measure, written by pandas, sorted by a few lines of script.
Both are opened by the same Chromium in one run. With `--other INDEX.html` another report is measured too, such as one
that an earlier version made.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, sync_playwright
from tools.screenshot import browser

from adjudge.evaluation import report

SYSTEMS, TOPICS, MEASURES = 60, 100, 20
LIMIT = 5_000_000
"""Bytes that the page may have."""
OPENED = 3
"""Times that a page is opened; medians are shown."""

# Milliseconds from a click to the frame after the one in which the table is drawn anew.
SORTED = """async () => {
  const size = t => t.rows.length * t.rows[0].cells.length;
  const table = [...document.querySelectorAll("table")]
    .filter(t => t.checkVisibility() && t.querySelector("th button")).sort((a, b) => size(b) - size(a))[0];
  if (!table) return null;
  const head = [...table.querySelectorAll("th:has(button)")].at(-1), before = head.getAttribute("aria-sort");
  const start = performance.now();
  head.querySelector("button").click();
  table.getBoundingClientRect();
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  if (head.getAttribute("aria-sort") === before) throw new Error("the table was not sorted");
  return performance.now() - start;
}"""
PAINTED = """() => new Promise(done => {
  const found = () => performance.getEntriesByName("first-contentful-paint")[0];
  if (found()) return done(found().startTime);
  new PerformanceObserver(() => { if (found()) done(found().startTime); }).observe({ type: "paint", buffered: true });
})"""
SCRIPT = """document.querySelectorAll("thead th").forEach(head => {
  const button = document.createElement("button");
  button.textContent = head.textContent;
  head.replaceChildren(button);
  button.onclick = () => {
    const body = head.closest("table").tBodies[0], at = head.cellIndex;
    const rows = [...body.rows].sort((a, b) => a.cells[at].textContent - b.cells[at].textContent);
    body.append(...rows);
    head.setAttribute("aria-sort", "ascending");
  };
});"""


@dataclass(frozen=True)
class Opened:
    """Milliseconds: until something is painted, until all is loaded, and until a table is sorted, if it can be."""

    paint: float
    load: float
    sort: float | None


def made_up(
    systems: int = SYSTEMS, topics: int = TOPICS, measures: int = MEASURES, *, seed: int = 0
) -> pd.DataFrame:
    """Scores of systems that differ a little, on topics that differ more, to four decimals."""
    rng = np.random.default_rng(seed)
    worth, ease = rng.normal(0, 0.03, systems), rng.normal(0, 0.1, topics)
    frames = []
    for k in range(measures):
        values = 0.4 + worth + ease[:, None] + rng.normal(0, 0.05, (topics, systems))
        frames.append(
            pd.DataFrame(
                {
                    "measure": f"measure-{k + 1}",
                    "topic": np.repeat([f"topic-{t:03}" for t in range(topics)], systems),
                    "system": [f"system-{s:02}" for s in range(systems)] * topics,
                    "value": values.round(4).ravel(),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def report_of(scores: pd.DataFrame, folder: Path) -> Path:
    """The report's page."""
    return next(path for path in report(scores, folder) if path.name == "index.html")


def bare_page(scores: pd.DataFrame, path: Path) -> Path:
    """A table of topics by systems for every measure, and nothing else."""
    parts = []
    for measure, rows in scores.groupby("measure", sort=False):
        wide = (
            rows.pivot(index="topic", columns="system", values="value")
            .reset_index()
            .rename_axis(columns=None)
        )
        parts.append(f"<h2>{measure}</h2>{wide.to_html(index=False)}")
    page = (
        f'<!doctype html><meta charset="utf-8"><title>Scores</title>{"".join(parts)}<script>{SCRIPT}</script>'
    )
    path.write_text(page, encoding="utf-8")
    return path


def opened(chromium: Browser, path: Path) -> Opened:
    page: Page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.resolve().as_uri(), wait_until="load")
    found = Opened(
        page.evaluate(PAINTED),
        page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"),
        page.evaluate(SORTED),
    )
    page.close()
    return found


def middle(chromium: Browser, path: Path) -> Opened:
    """Medians of a few times; the first, which warms the disk, is not counted."""
    found = [opened(chromium, path) for _ in range(OPENED + 1)][1:]
    sorts = [each.sort for each in found if each.sort is not None]
    return Opened(
        median(each.paint for each in found),
        median(each.load for each in found),
        median(sorts) if sorts else None,
    )


def say(name: str, path: Path, found: Opened) -> None:
    sort = "nothing to sort" if found.sort is None else f"sorted table {found.sort:.0f} ms"
    size = path.stat().st_size / 1e6
    print(f"{name}: {size:.2f} MB, first paint {found.paint:.0f} ms, loaded {found.load:.0f} ms, {sort}")


def main(other: Path | None = None) -> None:
    scores = made_up()
    print(f"{SYSTEMS} systems x {TOPICS} topics x {MEASURES} measures, the median of {OPENED} times")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch)
        start = time.process_time()
        ours = report_of(scores, folder / "report")
        print(f"made in {time.process_time() - start:.1f} CPU seconds")
        pages = {
            "the report": ours,
            "a bare page of the same scores": bare_page(scores, folder / "bare.html"),
        }
        if other:
            pages["the other report"] = other
        chromium = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        for name, path in pages.items():
            say(name, path, middle(chromium, path))
        chromium.close()


if __name__ == "__main__":
    main(Path(sys.argv[2]) if sys.argv[1:2] == ["--other"] else None)
