"""What all imports share on the command line: the folder they make, exit codes, and what to do next."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tests.cli.running import called


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name, text in {
        "system_a.txt": "Rain fell.\n\n",
        "system_b.txt": "It rained.\nSnow fell.\n",
        "ref1.txt": "It rained hard.\nIt snowed.\n",
        "ref2.txt": "Hard rain.\nDeep snow.\n",
        "src.txt": "Rain fell on Monday.\nSnow fell on Tuesday.\n",
        "scores.csv": "topic,a,b\n1,0.5,0.25\n2,0.75,0.5\n",
        "nothing.jsonl": "\n",
        "half.jsonl": '{"topic": "1", "system": "a", "summary": "A."}\n{"topic": "2", "sys\n',
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


LINES = ("import", "lines", "system_*.txt", "--reference", "ref*.txt", "--source", "src.txt", "my-eval")


def test_line_files_are_scored_after_one_import(here: Path) -> None:
    done = called(here, *LINES)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "made the evaluation my-eval",
        "added 2 topics, 2 documents, 4 systems, 8 summaries",
        "noted 1: blank line taken as an empty summary (first: system_a.txt:2)",
        "next: adjudge score my-eval, then adjudge compare my-eval",
    ]
    for command in done.stdout.splitlines()[-1].removeprefix("next: ").split(", then "):
        followed = called(here, *command.removeprefix("adjudge ").split())
        assert followed.returncode == 0, followed.stderr
    again = called(here, *LINES)
    assert again.returncode == 0
    assert "nothing new" in again.stdout.splitlines()


def test_a_failed_import_leaves_no_folder_behind(here: Path) -> None:
    before = sorted(here.iterdir())
    for line in (
        "import jsonl half.jsonl deep/new",
        "import jsonl absent.jsonl new",
        "import scores src.txt new",
    ):
        assert called(here, *line.split()).returncode == 1
    assert called(here, "import", "jsonl", "half.jsonl", "new", "--kind", "x").returncode == 2
    assert called(here, *LINES, "--dry-run").stdout.startswith("would make the evaluation my-eval\n")
    assert sorted(here.iterdir()) == before


def test_an_import_that_reads_nothing_exits_with_1(here: Path) -> None:
    done = called(here, "import", "jsonl", "nothing.jsonl", "new")
    assert done.returncode == 1
    assert done.stdout == "left out 1: file without records (first: nothing.jsonl)\n"
    assert done.stderr == (
        "adjudge: nothing could be read, and nothing was imported: file without records (nothing.jsonl)\n"
    )
    assert not (here / "new").exists()
    assert called(here, *LINES).returncode == 0
    assert called(here, "import", "jsonl", "nothing.jsonl", "my-eval", "--json").returncode == 1


def test_what_is_next_depends_on_what_is_there(here: Path) -> None:
    def last(*arguments: str) -> str:
        done = called(here, "import", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[-1]

    assert last("lines", "new eval", "--source", "src.txt") == (
        "no summaries of systems yet; next: adjudge import FILE 'new eval'"
    )
    peers = last("lines", "system_*.txt", "new eval")
    assert peers == (
        "there are no references: import some, or let people judge; next: adjudge people add 'new eval' anna, then"
        " adjudge assign 'new eval' --protocol rating"
    )
    for command in peers.partition("next: ")[2].split(", then "):
        done = called(here, *shlex.split(command)[1:])
        assert done.returncode == 0, done.stderr
    assert last("lines", "--reference", "ref1.txt", "new eval") == (
        "next: adjudge score 'new eval', then adjudge compare 'new eval'"
    )
    assert last("scores", "scores.csv", "new eval") == "next: adjudge compare 'new eval'"
    assert last("scores", "scores.csv", "scores-only") == "next: adjudge compare scores-only"
    assert called(here, "compare", "scores-only").returncode == 0
    shown = json.loads(called(here, "import", "scores", "scores.csv", "new eval", "--json").stdout)
    assert (shown["same"], shown["scores"], shown["made"], shown["read"]) == ({"scores": 4}, {}, None, 4)


def test_a_folder_is_scored_after_one_import(here: Path) -> None:
    for part in ("lead", "ours", "reference"):
        (here / "outputs" / part).mkdir(parents=True)
        for k in range(3):
            (here / "outputs" / part / f"{k}.txt").write_text(f"Rain fell on day {k}, by {part}.\n")
    (here / "outputs" / "run.log").write_text("done\n")
    done = called(here, "import", "folder", "outputs", "outputs/my-eval")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:2] == ["made the evaluation outputs/my-eval", "added 3 topics, 3 systems, 9 summaries"]
    assert lines[-1] == "next: adjudge score outputs/my-eval, then adjudge compare outputs/my-eval"
    assert (
        "noted 1: layout found: --pattern '{system}/{topic}.txt' --reference-pattern 'reference/{topic}.txt'"
        " (first: outputs)" in lines
    )
    assert "left out 1: file that matches no pattern (.log) (first: outputs/run.log)" in lines
    again = called(here, "import", "folder", "outputs", "outputs/my-eval")
    assert (again.returncode, "nothing new" in again.stdout) == (0, True)
    assert called(here, "score", "outputs/my-eval").returncode == 0
