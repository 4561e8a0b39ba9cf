"""The folder for a paper goes through pdflatex and bibtex: no error, no reference that lacks, no line too long."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.reports.hostile import hostile_evaluation, hostile_frame
from tests.waiting import HANG

from adjudge.evaluation import Evaluation, report

pytestmark = pytest.mark.latex
WIDE = 10.0
"""Points by which a line may be too long, which nobody sees."""


def compiled(folder: Path) -> str:
    """The last log, of as many runs as references take."""
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "main"]
    for command in (latex, ["bibtex", "main"], latex, latex):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=HANG)
        said = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, said[-3000:]
        assert command[0] != "bibtex" or "Warning" not in said, said
    return (folder / "main.log").read_bytes().decode("utf-8", "replace")


def check_log(log: str) -> None:
    assert not re.search(r"^!", log, flags=re.MULTILINE)
    warned = re.findall(r"^.*(?:undefined|multiply defined|Too many unprocessed).*$", log, flags=re.MULTILINE)
    assert warned == []
    assert "Missing character" not in log
    wide = [float(pt) for pt in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt too (?:wide|high)", log)]
    assert [pt for pt in wide if pt > WIDE] == []
    assert re.search(r"Output written on main\.pdf \((\d+) pages?", log)


def test_the_log_is_looked_at() -> None:
    fine = "Output written on main.pdf (3 pages, 1 bytes)."
    check_log(fine)
    for wrong in (
        "! Undefined control sequence.",
        "LaTeX Warning: Citation `x' on page 1 undefined on input line 3.",
        "Overfull \\hbox (55.0pt too wide) in paragraph at lines 1--2",
    ):
        with pytest.raises(AssertionError):
            check_log(f"{wrong}\n{fine}")


def test_the_demo_compiles(judged_demo: Path, tmp_path: Path) -> None:
    shutil.copytree(judged_demo, tmp_path / "e")
    e = Evaluation.open(tmp_path / "e")
    e.score(["rouge-1", "rouge-2", "coverage", "pyramid"])
    Evaluation.open(e.path).report(tmp_path / "report", paper=tmp_path / "paper")
    check_log(compiled(tmp_path / "paper"))


def test_a_hostile_evaluation_compiles(tmp_path: Path) -> None:
    hostile_evaluation(tmp_path / "e").report(tmp_path / "report", paper=tmp_path / "paper")
    check_log(compiled(tmp_path / "paper"))


def test_a_hostile_table_compiles(tmp_path: Path) -> None:
    report(hostile_frame(unprintable=True), tmp_path / "report", paper=tmp_path / "paper", quick=True)
    check_log(compiled(tmp_path / "paper"))
