"""adjudge import without a format, from files as people have them to what is in the folder."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.running import called

import adjudge
from adjudge.data.rows import Summary

XSUM: list[dict[str, Any]] = [
    {"document": "Rain fell on Monday in the west.", "summary": "It rained there.", "id": "1"},
    {"document": "Snow fell on Tuesday in the north.", "summary": "It snowed there.", "id": "2"},
]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    adjudge.init(tmp_path / "my-eval")
    pq.write_table(pa.Table.from_pylist(XSUM), tmp_path / "xsum.parquet")
    (tmp_path / "my file.json").write_text(json.dumps(XSUM), encoding="utf-8")
    for name in ("a.txt", "ref.txt", "texts/gpt/1.txt", "texts/gold/1.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("It rained.\n", encoding="utf-8")
    (tmp_path / "bart.csv").write_text("id,prediction\n1,Rain.\n2,Snow.\n", encoding="utf-8")
    return tmp_path


def summaries(folder: Path) -> list[Summary]:
    return [s for each in adjudge.open(folder / "my-eval").collection.summaries.values() for s in each]


@pytest.mark.parametrize("name", ["xsum.parquet", "my file.json"])
@pytest.mark.parametrize("choice", [0, 1])
def test_both_commands_of_a_question_can_be_pasted(here: Path, name: str, choice: int) -> None:
    asked = called(here, "import", name, "my-eval", "--length", "20")
    assert (asked.returncode, asked.stdout) == (2, "")
    assert len(asked.stderr.splitlines()) == 1
    command = asked.stderr.split("`")[1::2][choice]
    assert shlex.split(command)[:7] == ["adjudge", "import", name, "my-eval", "--length", "20", "--map"]
    done = called(here, *shlex.split(command)[1:])
    assert (done.returncode, done.stderr) == (0, "")
    found = summaries(here)
    assert [(s.topic, s.text, s.length) for s in found] == [
        ("1", "It rained there.", 20),
        ("2", "It snowed there.", 20),
    ]
    assert {s.roles for s in found} == {("reference",) if choice == 0 else ("peer",)}
    assert {s.system for s in found} == {"reference-1" if choice == 0 else Path(name).stem}


def test_references_and_outputs_are_scored_and_compared(here: Path) -> None:
    assert called(here, "import", "xsum.parquet", "my-eval", "--map", "reference=summary").returncode == 0
    done = called(here, "import", "bart.csv", "my-eval")
    assert done.stdout.splitlines()[0] == "read as: CSV of summaries, commas between columns"
    assert called(here, "score", "my-eval", "-m", "rouge-1").returncode == 0


def test_what_was_read_is_said_in_json_too(here: Path) -> None:
    done = called(here, "import", "bart.csv", "my-eval", "--json")
    assert json.loads(done.stdout)["read_as"] == "CSV of summaries, commas between columns"
    named = called(here, "import", "csv", "bart.csv", "my-eval", "--dry-run", "--skip", "--json")
    assert "read_as" not in json.loads(named.stdout)


def test_options_may_come_first_and_auto_may_be_said(here: Path) -> None:
    assert called(here, "import", "--length", "50", "bart.csv", "my-eval").returncode == 0
    assert {s.length for s in summaries(here)} == {50}
    again = called(here, "import", "auto", "bart.csv", "my-eval", "--dry-run", "--length", "60")
    assert again.returncode == 0


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import cvs bart.csv my-eval", '"cvs" is neither a file nor a format (nearest: "csv")'),
        ("import bart.cvs my-eval", "bart.cvs: no such file"),
        ("import bart.csv", "the evaluation's folder is missing: adjudge import bart.csv my-eval"),
        ("import my-eval", "the file to import is missing: adjudge import FILE... my-eval"),
        ("import my-eval bart.csv", "the evaluation last: adjudge import bart.csv my-eval"),
        ("import bart.csv my-eval --root x", "read as CSV of summaries, commas between columns, which takes no --root"),
        ("import bart.csv my-eval --systems x", '--systems: bart.csv has no column "x"; it has: id, prediction'),
        ("import bart.csv my-eval --systems a,a", '--systems names "a" twice'),
        ("import csv xsum.parquet my-eval", "adjudge import xsum.parquet EVALUATION"),
        ("import jsonl bart.csv my-eval", "adjudge import csv bart.csv EVALUATION"),
        ("import a.txt --reference ref.txt E2", ": adjudge import lines a.txt --reference ref.txt E2\n"),
        ("import auto a.txt --reference=ref.txt E2", ": adjudge import lines a.txt --reference=ref.txt E2\n"),
        ("import a.txt --source ref.txt E2", ": adjudge import lines a.txt --source ref.txt E2\n"),
        ("import texts E2 --pattern {topic}.txt", ": adjudge import folder texts E2 --pattern '{topic}.txt'\n"),
        ("import folder texts texts", "such as adjudge import folder texts my-eval"),
        ("import texts texts", "such as adjudge import texts my-eval"),
        (
            "import xsum.parquet bart.csv my-eval --map reference=summary --length 9",
            "`adjudge import xsum.parquet my-eval --length 9 --map reference=summary`",
        ),
        ("import xsum.parquet my-eval --map reference=sumary", 'no column "sumary" (nearest: "summary")'),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_says_what_to_type(here: Path, line: str, expected: str) -> None:
    done = called(here, *line.split())
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert expected in done.stderr
    assert summaries(here) == []


def test_a_pattern_in_quotes_is_expanded(here: Path) -> None:
    (here / "t5.csv").write_text("id,prediction\n1,Rain.\n", encoding="utf-8")
    assert called(here, "import", "*.csv", "my-eval").returncode == 0
    assert {s.system for s in summaries(here)} == {"bart", "t5"}
    nothing = called(here, "import", "*.tsv", "my-eval")
    assert (nothing.returncode, nothing.stderr) == (2, "adjudge: *.tsv: no file matches this pattern\n")


def test_help_shows_the_form_without_a_format(here: Path) -> None:
    shown = " ".join(called(here, "import", "--help").stdout.split())
    assert "import [OPTIONS] [FORMAT] FILE... EVALUATION" in shown
    assert "auto" in shown
    assert "Example: adjudge import" in shown


def test_a_folder_of_texts_needs_no_format_and_no_pattern(here: Path) -> None:
    done = called(here, "import", "texts", "my-eval")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "read as: a folder of texts, a file each"
    assert {(s.system, s.roles) for s in summaries(here)} == {("gpt", ("peer",)), ("gold", ("reference",))}


def test_a_record_without_a_text_makes_no_evaluation(here: Path) -> None:
    (here / "nul.jsonl").write_text('{"id": "1", "prediction": null}\n', encoding="utf-8")
    done = called(here, "import", "nul.jsonl", "new")
    assert done.returncode == 1
    assert "left out 1: no text" in done.stdout
    assert not (here / "new").exists()


def test_the_next_step_towards_people_can_be_typed(here: Path) -> None:
    done = called(here, "import", "bart.csv", "my-eval")
    commands = done.stdout.splitlines()[-1].partition("next: ")[2].split(", then ")
    assert [shlex.split(command)[:2] for command in commands] == [
        ["adjudge", "people"],
        ["adjudge", "assign"],
    ]
    for command in commands:
        assert called(here, *shlex.split(command)[1:]).returncode == 0, command
