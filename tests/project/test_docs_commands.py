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
    r"demo my-eval --full": "nothing: it is there, made once for all pages",
}
"""Commands that need what no test has, with the reason; other tests run these on stand-ins."""
MAKES_ITS_OWN = ("assessors.md", "preferences.md", "stability.md")
"""Pages that make the evaluation themselves."""
FULL = ("figures.md",)
"""Pages on the demo with all lengths and preferences."""
BEFORE = {
    "assigning.md": [f"adjudge people add my-eval {name}" for name in ("ada", "ben", "chloe", "dev", "eva")],
    "judges-learned.md": ["adjudge judge simulate my-eval --protocol duc-2001 --assessors 2 --seed 1"],
    "measures.md": [
        'adjudge score my-eval -m "quality(q=1),quality(q=2),quality(q=3),quality(q=4),quality(q=5)"'
    ],
    "preferences-asking.md": ["adjudge prefer simulate my-eval --per-topic 60"],
    "mismatch.md": ["adjudge people add my-eval ann"],
    "judges.md": [
        "adjudge judge train my-eval --protocol duc-2002 --resamples 20 -o judge.json",
        "adjudge judge apply my-eval judge.json --name tree",
    ],
}
"""What the reader of a page has done already."""
OF_MEASURES = ("better-measures.md", "measures.md", "meta.md")
"""Pages whose scores.csv has several measures."""
MEASURES = "rouge-1,rouge-2,rouge-1-recall,js,coverage,retention,pyramid,nams,rating"


def placeholders(folder: Path) -> None:
    """Files that the reader of a page has, under the page's names, made of what is shipped."""
    examples = ROOT / "examples"
    shutil.copytree(examples, folder / "examples")
    for name in ("scores.csv", "tac2009.csv", "tac2010.csv", "a.csv", "b.csv"):
        people(examples / "scores.csv", folder / name)
    corrected(examples / "judged.csv", folder / "ratings.csv")
    shutil.copy(examples / "judged.csv", folder)
    shutil.copytree(ROOT / "tests" / "formats" / "data" / "ducview" / "good", folder / "FOLDER")
    (folder / "arena.csv").write_text(arena(), encoding="utf-8")
    circle = "winner,loser\n" + "".join(f"{pair}\n" * 15 for pair in ("A,B", "B,C", "C,A"))
    (folder / "circle.csv").write_text(circle, encoding="utf-8")
    lines = (examples / "reference.txt").read_text(encoding="utf-8").splitlines()
    for name, line in zip(("summary.txt", "model-a.txt", "model-b.txt"), lines, strict=False):
        (folder / name).write_text(line, encoding="utf-8")
    (folder / "settings.xml").write_text(
        '<ROUGE-EVAL version="1.0"><EVAL ID="D1"><PEER-ROOT>.</PEER-ROOT><MODEL-ROOT>.</MODEL-ROOT>'
        '<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT><PEERS><P ID="17">summary.txt</P></PEERS>'
        '<MODELS><M ID="A">model-a.txt</M><M ID="B">model-b.txt</M></MODELS></EVAL></ROUGE-EVAL>',
        encoding="utf-8",
    )
    for name, source in (("bart.txt", "fluent.txt"), ("pegasus.txt", "centroid.txt")):
        texts = (examples / "outputs" / source).read_text(encoding="utf-8").splitlines()[:6]
        (folder / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


def people(table: Path, to: Path) -> None:
    """A table of scores whose last two systems are called as people are."""
    with table.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    with to.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([[*header[:-2], "H1", "H2"], *rows])


def corrected(table: Path, to: Path) -> None:
    """Ratings by people on eight topics, and by a judge on all twelve."""
    with table.open(encoding="utf-8", newline="") as stream:
        _, *rows = csv.reader(stream)
    with to.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["topic", "system", "assessor", "overall"])
        for topic, system, *people, judge in rows:
            writer.writerows([topic, system, f"human{n}", v] for n, v in enumerate(people) if topic <= "d08")
            writer.writerow([topic, system, "gpt", judge])


def measures(table: Path, to: Path) -> None:
    """People's mean rating and several measures of the same summaries, as pages call them."""
    with table.open(encoding="utf-8", newline="") as stream:
        _, *rows = csv.reader(stream)
    with to.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["topic", "system", "overall", "coverage", "rouge-2", "bertscore", "ter", "mine"])
        for topic, system, overall, first, second, own in rows:
            writer.writerow(
                [topic, system, overall, overall, second, own, 1 - float(first), float(second) + float(own)]
            )


def arena() -> str:
    """Which of two systems of the demo was better, topic by topic."""
    pairs = [("centroid", "vague"), ("vague", "fluent"), ("fluent", "centroid")]
    rows = (
        f"d{k:02},{a},{b},{('model_a', 'model_b', 'tie')[(k + n) % 3]},{('ann', 'bob')[k % 2]}\n"
        for k in range(1, 13)
        for n, (a, b) in enumerate(pairs)
    )
    return "topic,model_a,model_b,winner,judge\n" + "".join(rows)


def done(folder: Path, *arguments: str) -> None:
    shown = called(folder, *arguments)
    assert shown.returncode == 0, shown.stderr


def fill(folder: Path) -> None:
    """The demo, judged and scored."""
    done(folder, "demo", "my-eval", "--judged")
    done(folder, "baselines", "my-eval")
    done(folder, "judge", "simulate", "my-eval", "--protocol", "responsiveness", "--assessors", "3")
    done(folder, "score", "my-eval", "-m", MEASURES)


def fill_whole(folder: Path) -> None:
    """The whole demo, scored."""
    done(folder, "demo", "my-eval", "--full")
    done(folder, "score", "my-eval", "-m", MEASURES)


@pytest.fixture(scope="session")
def judged(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    return once("docs-judged", fill)


@pytest.fixture(scope="session")
def whole(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    return once("docs-whole", fill_whole)


def pages() -> list[object]:
    named = [path for path in sorted(DOCS.glob("*.md")) if page(path) and path.name not in TESTED_APART]
    return [pytest.param(path, id=path.name, marks=pytest.mark.slow) for path in named]


@pytest.mark.parametrize("path", pages())
def test_a_page_runs_as_printed(path: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if path.name not in MAKES_ITS_OWN:
        made: Path = request.getfixturevalue("whole" if path.name in FULL else "judged")
        shutil.copytree(made / "my-eval", tmp_path / "my-eval")
    placeholders(tmp_path)
    if path.name in OF_MEASURES:
        measures(ROOT / "examples" / "metrics.csv", tmp_path / "scores.csv")
    for name, content in FILE.findall(path.read_text(encoding="utf-8")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    for command in (*BEFORE.get(path.name, ()), *page(path)):
        if not any(re.search(needed, command) for needed in NEEDS):
            typed(tmp_path, command.partition(" > ")[0])


def test_exceptions_are_needed() -> None:
    everything = "\n".join(command for path in DOCS.glob("*.md") for command in page(path))
    assert [needed for needed in NEEDS if not re.search(needed, everything, re.MULTILINE)] == []
    assert [name for name in (*TESTED_APART, *MAKES_ITS_OWN) if not (DOCS / name).is_file()] == []
