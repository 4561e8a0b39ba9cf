"""adjudge topics: the picture, the words, CSV, JSON and LaTeX; the page shows what is printed."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest
from tests.approving import CheckPage
from tests.cli.running import runner

import adjudge
from adjudge.cli.analysis import command_of, show_one
from adjudge.core.errors import DataError, UsageError
from adjudge.demo.build import build

PAGE = (Path(__file__).parents[2] / "docs" / "topics.md").read_text(encoding="utf-8")
NAN = float("nan")
run = runner(command_of("topics"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, scored."""
    path = tmp_path_factory.mktemp("topics")
    build(path / "my-eval")
    adjudge.open(path / "my-eval").score("rouge-1", "rouge-2")
    return path


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def test_the_page_shows_real_output(check_page: CheckPage) -> None:
    assert check_page("topics.md", "topics", run) == 1


def test_every_measure_unless_named() -> None:
    everything = run("my-eval").stdout
    assert "ROUGE-1, 100 words (higher is better, 12 topics, 9 systems)" in everything
    assert "\n\nROUGE-2, 100 words" in everything
    assert "◆" not in everything  # nothing was chosen
    assert everything.count("●") == 24
    assert run("my-eval -m rouge-1 -m rouge-2").stdout == everything


def test_notes_go_to_standard_error() -> None:
    done = run("my-eval -m rouge-2")
    assert "note: ada, ben are not compared with their own reference" in " ".join(done.stderr.split())
    assert "note:" not in done.stdout


def test_json_is_json_and_nothing_else() -> None:
    (found,) = json.loads(run("my-eval -m rouge-2 --against d04 --json").stdout)
    assert (found["measure"], found["length"], found["last"]) == ("rouge-2", 100, ["d04"])
    assert found["against"] == "d04"
    assert len(found["tables"]["topics"]) == 12
    assert {s["from_chosen"] for s in found["tables"]["topics"]} == {None, False}


def test_csv_has_a_row_per_topic_and_measure(tmp_path: Path) -> None:
    target = tmp_path / "topics.csv"
    assert run(f"my-eval --csv {target}").stdout == ""
    with target.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 24
    assert list(rows[0])[:5] == ["measure", "length", "form", "topic", "n"]
    printed = list(csv.DictReader(io.StringIO(run("my-eval --csv -").stdout)))
    assert printed == rows


def test_latex_is_a_table() -> None:
    assert run("my-eval -m rouge-2 --latex").stdout.startswith(r"\begin{tabular}")


def test_mistakes_are_one_line() -> None:
    with pytest.raises(UsageError, match=r'rouge-2 has no scores on topic "d40" \(nearest: "d10"'):
        run("my-eval -m rouge-2 --against d40")
    with pytest.raises(UsageError, match="rouge-1 has no scores at length 50; it has: 100"):
        run("my-eval --length 50")
    with pytest.raises(DataError, match="rouge-7 has not been scored here"):
        run("my-eval -m rouge-7")


def test_nothing_scored_says_what_to_run(tmp_path: Path) -> None:
    adjudge.init(tmp_path / "empty")
    with pytest.raises(DataError, match="nothing has been scored; run: adjudge score"):
        run(shlex.quote(str(tmp_path / "empty")))


def test_in_a_narrow_terminal_the_picture_stands_below_with_its_topics(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdout", out)
    show_one(adjudge.topics("my-eval", "rouge-2"))
    lines = out.getvalue().splitlines()
    assert all(len(line) <= 80 for line in lines if line.startswith("  d") or "●" in line)
    assert [line.split()[0] for line in lines if "●" in line] == [
        s.topic for s in adjudge.topics("my-eval", "rouge-2").standings
    ]
