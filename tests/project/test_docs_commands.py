"""Every command of the documentation runs as printed, in the order of its page, on what is shipped or made there."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.running import called, typed
from tests.pages import page

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
FILE = re.compile(r"^```[a-z]+ ([\w./-]+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MEASURES = (
    "rouge-1,rouge-2,rouge-1-recall,js,coverage,retention,length-adjusted-coverage,pyramid,nams,rating,"
    "quality-errors"
)

TESTED_APART = {
    "importing.md": "each example begins with an empty folder: tests/formats/test_importing_page.py",
    "importing-judgments.md": "likewise: tests/formats/test_importing_judgments_page.py",
    "first-steps.md": "with a browser: tests/project/test_first_steps.py",
}
"""Pages whose commands run in tests of their own."""
NEEDS = {
    r"model_annotations|\bsummeval\b|squality| s( |$)": "data that is not part of the repository",
    r"--url http": "a server with a language model",
    r"judge drift my-eval v1 v2": "the answers of one",
    r"--local\b": "a language model on this machine",
    r"--host 10\.0\.0\.7": "a computer with this address",
    r"answered\.csv": "what a crowd answered",
    r"--password": "a password that somebody types",
}
"""Commands that need what no test has, with the reason; other tests run these on stand-ins."""
MAKES_ITS_OWN = ("assessors.md", "preferences.md", "stability.md", "figures.md")
"""Pages that make the evaluation themselves."""


def placeholders(folder: Path) -> None:
    """Files that the reader of a page has, made of what is shipped: all that are not in examples/ under their name."""
    examples = ROOT / "examples"
    for name in ("scores.csv", "ratings.csv"):
        shutil.copy(examples / name, folder)
    for name in ("tac2009.csv", "tac2010.csv", "a.csv", "b.csv"):
        people(examples / "scores.csv", folder / name)
    people(examples / "scores.csv", folder / "scores.csv")
    shutil.copy(examples / "judged.csv", folder / "judged.csv")
    shutil.copytree(ROOT / "tests" / "formats" / "data" / "ducview" / "good", folder / "FOLDER")
    lines = (examples / "reference.txt").read_text(encoding="utf-8").splitlines()
    (folder / "summary.txt").write_text(lines[0], encoding="utf-8")
    for number, name in enumerate(("model-a.txt", "model-b.txt")):
        (folder / name).write_text(lines[number], encoding="utf-8")
    for name, source in (("bart.txt", "fluent.txt"), ("pegasus.txt", "centroid.txt")):
        shutil.copy(examples / "outputs" / source, folder / name)
    shutil.copy(examples / "reference.txt", folder / "references.txt")


def people(table: Path, to: Path) -> None:
    """A table of scores whose last two systems are called as people are."""
    with table.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    with to.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([[*header[:-2], "H1", "H2"], *rows])


def fill(folder: Path) -> None:
    """The whole demo, with scores and assessors that are programs."""
    assert called(folder, "demo", "my-eval", "--full").returncode == 0
    done = called(folder, "score", "my-eval", "-m", MEASURES)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def whole(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    return once("docs-commands", fill)


def pages() -> list[object]:
    named = [path for path in sorted(DOCS.glob("*.md")) if page(path) and path.name not in TESTED_APART]
    return [pytest.param(path, id=path.name, marks=pytest.mark.slow) for path in named]


@pytest.mark.parametrize("path", pages())
def test_a_page_runs_as_printed(path: Path, whole: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.name not in MAKES_ITS_OWN:
        shutil.copytree(whole / "my-eval", tmp_path / "my-eval")
    placeholders(tmp_path)
    for name, content in FILE.findall(text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    for command in page(path):
        if not any(re.search(needed, command) for needed in NEEDS):
            typed(tmp_path, command.partition(" > ")[0])


def test_exceptions_are_needed() -> None:
    everything = "\n".join(command for path in DOCS.glob("*.md") for command in page(path))
    assert [needed for needed in NEEDS if not re.search(needed, everything, re.MULTILINE)] == []
    assert [name for name in (*TESTED_APART, *MAKES_ITS_OWN) if not (DOCS / name).is_file()] == []
