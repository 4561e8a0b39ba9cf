"""Figures where a process may use little memory, as clusters limit it: said in one line, with the rows instead."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import pytest
from tests.cli.running import ADJUDGE, called

LIMIT = 8_000_000
"""Kilobytes, for `ulimit -v`: enough for all that Adjudge computes, too little for what V8 reserves."""
ENOUGH = 100_000_000


def limited(folder: Path, *words: str, limit: int = LIMIT) -> subprocess.CompletedProcess[str]:
    shell = ["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh"]
    return subprocess.run([*shell, *ADJUDGE, *words], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Scores of two assessors, so that a report has figures of its own too."""
    path = tmp_path / "scores.csv"
    lines = [
        f"m,t{topic},{system},{(topic * 7 + at * 5 + len(assessor) + at * topic) % 11},{assessor}"
        for topic in range(8)
        for at, system in enumerate("abcd")
        for assessor in ("ann", "bert")
    ]
    path.write_text("\n".join(["measure,topic,system,value,assessor", *lines]) + "\n")
    return path


def test_a_figure_is_one_line_and_its_rows(scores: Path) -> None:
    done = limited(scores.parent, "figure", "league", "scores.csv", "-o", "out/league.svg")
    assert done.returncode == 1
    (line,) = [each for each in done.stderr.splitlines() if not each.startswith("note: ")]
    assert "out/league.svg: cannot be drawn" in line
    assert "`ulimit -v` says 8,000,000 kB" in line
    assert "its rows are in out/league.csv" in line
    assert [path.name for path in (scores.parent / "out").iterdir()] == ["league.csv"]
    rows = csv.DictReader((scores.parent / "out" / "league.csv").read_text().splitlines())
    assert {row["system"] for row in rows} == {*"abcd"}


def test_vega_lite_needs_no_engine(scores: Path) -> None:
    done = limited(scores.parent, "figure", "league", "scores.csv", "-o", "league.json")
    assert done.returncode == 0, done.stderr
    assert (scores.parent / "league.json").stat().st_size


def test_a_limit_that_leaves_room_draws_as_without_one(scores: Path) -> None:
    """In a process of its own, which must make no difference."""
    words = ("figure", "league", "scores.csv", "-o")
    assert limited(scores.parent, *words, "limited.svg", limit=ENOUGH).returncode == 0
    assert called(scores.parent, *words, "free.svg").returncode == 0
    assert (scores.parent / "limited.svg").read_bytes() == (scores.parent / "free.svg").read_bytes()


def test_a_report_is_written_with_a_note_for_every_figure(scores: Path) -> None:
    done = limited(scores.parent, "report", "scores.csv", "-o", "report")
    assert done.returncode == 0, done.stderr
    page = (scores.parent / "report" / "index.html").read_text()
    assert 'class="drawn-figure"' in page
    assert page.count("It cannot be drawn, since memory is limited here") == page.count(
        'class="drawn-figure"'
    )


@pytest.mark.slow
def test_a_paper_names_the_figures_that_it_lacks(scores: Path) -> None:
    done = limited(scores.parent, "report", "scores.csv", "-o", "report", "--paper", "paper")
    assert done.returncode == 0, done.stderr
    assert "- league: cannot be drawn, since memory" in (scores.parent / "paper" / "README.md").read_text()
    assert not list((scores.parent / "paper").rglob("*.pdf"))
    assert "includegraphics" not in (scores.parent / "paper" / "results.tex").read_text()
