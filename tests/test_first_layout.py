"""A folder that the first layout made still opens: nothing new, nothing wrong, the same exports, on both databases.

Only the command line is used, so that the test holds whatever the package looks like inside.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import runpy
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import files_of
from tests.judgments.conftest import new_database, server
from tests.older_folders import move_judgments, with_names_of_today, without_next

__all__ = ["new_database", "server"]  # fixtures of the store's tests

DATA = Path(__file__).parent / "data" / "first_layout"
MEASURES = (
    "rouge-1-recall",
    "rouge-2-recall",
    "nams",
    "js",
    "words",
    "coverage",
    "quality-errors",
    "pyramid",
    "rating(aspect=fluency)",
    "wins",
    "level-weighted-coverage",
    "retention",
    "preference",
)
PRINTED = {  # what was printed, and by which command
    "score.txt": "score e " + " ".join(f"-m '{measure}'" for measure in MEASURES),
    "check.txt": "check e",
    "check.json": "check e --json",
    "list.txt": "judgments list e",
    "compare.json": "compare e -m rouge-2-recall -m coverage -m imported:elsewhere --test exact --json",
}
WRITTEN = {
    "answers.jsonl": "judgments export e answers.jsonl",
    "scores.csv": "scores e --csv scores.csv",
    "sentences.csv": "prefer export e sentences.csv --of sentences",
    "summaries.csv": "prefer export e summaries.csv --of summaries",
    "open.csv": "prefer export e open.csv --open",
}
Adjudge = Callable[[str], str]
Folder = Callable[[str], Path]


@pytest.fixture
def adjudge(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Adjudge:
    """`python -m adjudge ...` in this process: what it prints, after its exit code where that is not 0."""

    def run(line: str) -> str:
        monkeypatch.setattr(sys, "argv", ["adjudge", *shlex.split(line)])
        capsys.readouterr()
        code: Any = 0
        try:
            runpy.run_module("adjudge", run_name="__main__")
        except SystemExit as end:
            code = end.code
        shown = capsys.readouterr()
        return f"exit {code}\n{shown.out}{shown.err}" if code else shown.out

    return run


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adjudge: Adjudge, request: pytest.FixtureRequest
) -> Folder:
    """A copy of the folder, its judgments in one of the databases, beside what is written about it."""

    def copy(database: str) -> Path:
        monkeypatch.chdir(tmp_path)
        e = tmp_path / "e"
        shutil.copytree(DATA / "e", e)
        if database == "postgresql":
            move_judgments(e, request.getfixturevalue("new_database"))
            Path("records.jsonl").write_text(recorded("answers.jsonl"), encoding="utf-8")
            assert "256 tasks and 1,197 answers added" in adjudge("judgments import records records.jsonl e")
        return e

    return copy


def recorded(name: str) -> str:
    if name == "answers.jsonl":
        return gzip.decompress((DATA / "exports" / "answers.jsonl.gz").read_bytes()).decode("utf-8")
    text = (DATA / "exports" / name).read_text(encoding="utf-8")
    if name in ("sentences.csv", "summaries.csv", "open.csv"):  # the one column with another name since
        head, rows = text.split("\n", 1)
        return f"{head.replace('annotator', 'assessor')}\n{rows}"
    return with_names_of_today(text)


def comparable(name: str, text: str) -> Any:
    """An output as it is, but for columns that came since; of a comparison the statistics, not what is worded or
    concluded from them since."""
    if name.endswith(".csv"):
        return without_form(text)
    if name.endswith(".txt"):
        return without_next(text)
    if name != "compare.json" or not text.startswith("["):
        return text
    kept = (
        "system",
        "n",
        "mean",
        "a",
        "b",
        "test",
        "statistic",
        "p",
        "difference",
        "wins",
        "losses",
        "ties",
        "method",
    )
    found = json.loads(text)
    for each in found:
        if "tables" in each:  # where the rows stand since
            each |= {"standings": each["tables"]["league"], "pairs": each["tables"]["pairs"]}
        since = ("assessors", "these-assessors")  # tests that came since
        each["pairs"] = [row for row in each["pairs"] if row["test"] not in since]
        for part in ("standings", "pairs"):
            each[part] = [{key: row[key] for key in kept if key in row} for row in each[part]]
    return [
        {key: each[key] for key in ("measure", "better", "length", "topics", "standings", "pairs")}
        for each in found
    ]


def without_form(text: str) -> str:
    """A CSV file without the column `form`, in which nothing may stand."""
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    if "form" not in head:
        return text
    at = head.index("form")
    assert not any(row.pop(at) for row in rows)
    head.pop(at)
    csv.writer(kept := io.StringIO(), lineterminator="\n").writerows([head, *rows])
    return kept.getvalue()


def different(adjudge: Adjudge) -> set[str]:
    """The recorded outputs that are not what the commands give now."""
    now = {name: adjudge(line) for name, line in PRINTED.items()}
    for name, line in WRITTEN.items():
        said = adjudge(line)
        now[name] = Path(name).read_bytes().decode("utf-8") if Path(name).exists() else said
    return {name for name, text in now.items() if comparable(name, text) != comparable(name, recorded(name))}


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_nothing_is_new_or_wrong_and_exports_are_the_same(
    database: str, folder: Folder, adjudge: Adjudge
) -> None:
    e = folder(database)
    before = files_of(e / "scores")
    assert len(before) == len(MEASURES) + 1  # and one that was imported
    assert different(adjudge) == set()
    assert files_of(e / "scores") == before
    assert (e / "judgments.sqlite").exists() == (database == "sqlite")


def test_people_keep_their_accounts(folder: Folder, adjudge: Adjudge) -> None:
    folder("sqlite")
    assert json.loads(adjudge("people list e --json")) == json.loads(recorded("people.json"))


def test_a_changed_text_is_noticed(folder: Folder, adjudge: Adjudge) -> None:
    """Known disagreement: one word of a judged summary differs."""
    summaries = folder("sqlite") / "summaries.jsonl"
    text = summaries.read_text(encoding="utf-8")
    assert text.count("In November an inspector found") == 2  # ada's of 100 words and of 50
    text = text.replace("In November an inspector found", "In October an inspector found")
    summaries.write_text(text, encoding="utf-8")
    assert {"score.txt", "check.txt", "check.json", "list.txt", "compare.json", "scores.csv"} <= different(
        adjudge
    )


def test_a_changed_answer_is_noticed(folder: Folder, adjudge: Adjudge) -> None:
    """Known disagreement: one stored answer about coverage differs."""
    with closing(sqlite3.connect(folder("sqlite") / "judgments.sqlite")) as store, store:
        none, all_ = '"completeness": 0.0', '"completeness": 1.0'
        first = f"SELECT MIN(seq) FROM event WHERE question LIKE 'unit:%' AND answer LIKE '%{none}%'"
        other = f"REPLACE(answer, '{none}', '{all_}')"
        changed = store.execute(f"UPDATE event SET answer = {other} WHERE seq = ({first})")
        assert changed.rowcount == 1
    found = different(adjudge)
    assert {"score.txt", "answers.jsonl", "scores.csv"} <= found
    assert not {"sentences.csv", "summaries.csv", "open.csv"} & found
