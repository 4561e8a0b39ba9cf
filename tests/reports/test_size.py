"""The largest report stays small enough to be sent by mail, and its benchmark measures what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.report import LIMIT, MEASURES, SYSTEMS, TOPICS, bare_page, made_up, opened, report_of
from playwright.sync_api import Browser


def size(folder: Path, measures: int) -> int:
    return report_of(made_up(SYSTEMS, TOPICS, measures), folder).stat().st_size


def expected_size(folder: Path) -> int:
    """Of the largest report, from what the third measure adds."""
    two, three = (size(folder / str(measures), measures) for measures in (2, 3))
    return two + (MEASURES - 2) * (three - two)


def test_the_largest_report_would_be_small_enough(tmp_path: Path) -> None:
    assert expected_size(tmp_path) < LIMIT


@pytest.mark.slow
def test_the_largest_report_is_small_enough(tmp_path: Path) -> None:
    assert size(tmp_path, MEASURES) < LIMIT


@pytest.mark.browser
def test_the_benchmark_paints_and_sorts(browser: Browser, tmp_path: Path) -> None:
    scores = made_up(4, 6, 2)
    assert len(scores) == 4 * 6 * 2
    bare = bare_page(scores, tmp_path / "bare.html")
    found = opened(browser, bare)
    page = browser.new_page()
    page.goto(bare.as_uri())
    page.get_by_role("button", name="system-02").first.click()
    column = page.locator("table").first.locator("tbody tr td:nth-child(4)").all_inner_texts()
    page.close()
    assert found.paint > 0
    assert found.sort is not None
    assert found.sort > 0
    first = scores[(scores.measure == "measure-1") & (scores.system == "system-02")]
    assert [float(text) for text in column] == sorted(first["value"])
