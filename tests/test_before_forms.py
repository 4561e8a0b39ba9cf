"""A folder from before summaries had forms: nothing new, nothing wrong, the same exports, on both databases."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import files_of
from tests.judgments.conftest import new_database, server
from tests.older_folders import move_judgments, with_names_of_today, without_next
from tests.test_first_layout import Adjudge, Folder, adjudge, without_form

__all__ = ["adjudge", "new_database", "server"]  # fixtures of other tests

DATA = Path(__file__).parent / "data" / "before_forms"
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
    "length-adjusted-coverage",
    "bleu",
)
PRINTED = {  # what was printed, and by which command
    "score.txt": "score e " + " ".join(f"-m '{measure}'" for measure in MEASURES),
    "units.txt": "units e --levels",
    "assign.txt": "assign e --protocol rating --per-summary 1 --repeats 0.1 --seed 1 --assessor anna --dry-run",
    "check.txt": "check e",
    "check.json": "check e --json",
    "list.txt": "judgments list e",
    "tables.json": "judgments tables e --json",
}
WRITTEN = {
    "answers.jsonl": "judgments export e answers.jsonl",
    "scores.csv": "scores e --csv scores.csv",
    "tidy.csv": "scores e -m coverage --tidy --csv tidy.csv",
    "sentences.csv": "prefer export e sentences.csv --of sentences",
    "summaries.csv": "prefer export e summaries.csv --of summaries",
    "open.csv": "prefer export e open.csv --open",
}
PYRAMIDS = ("d01.pyr", *(f"d01.M.100.ada.{who}.pan" for who in ("ada", "ben", "smooth")))
AGAIN = (  # what made the folder; ids come from what is asked, so that nothing is added
    "judge simulate e --protocol duc-2002 --assessors 1 --noise 0.1 --bias 0.1 --repeats 0.2 --seed 1",
    "judge simulate e --protocol rating --assessors 2 --per-summary 1 --noise 0.2 --seed 2 --repeats 0.2",
    "judge simulate e --protocol preference-summaries --assessors 1 --seed 4 --repeats 0.2",
    "judgments import crowd ratings.csv e",
    "judgments import records answers.jsonl e",
)


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adjudge: Adjudge, request: pytest.FixtureRequest
) -> Folder:
    """A copy of the folder, its judgments in one of the databases, beside what is written about it."""

    def copy(database: str) -> Path:
        monkeypatch.chdir(tmp_path)
        e = tmp_path / "e"
        shutil.copytree(DATA / "e", e)
        shutil.copy(DATA / "ratings.csv", tmp_path)
        if database == "postgresql":
            move_judgments(e, request.getfixturevalue("new_database"))
            Path("records.jsonl").write_text(recorded("answers.jsonl"), encoding="utf-8")
            assert "119 tasks and 829 answers added" in adjudge("judgments import records records.jsonl e")
        return e

    return copy


SINCE = {  # tables that are new, or have a row for each length
    "agreement",
    "coverage-quartiles",
    "length-adjustment",
    "quality-by-question",
    "summaries-by-system",
    "summaries-by-type",
    "unit-coverage-duc-2002",
    "unmarked-by-system",
    "volume",
}
COLUMNS_SINCE = {"quality-by-source": {"questions"}}  # by table


def recorded(name: str) -> str:
    path = DATA / "exports" / name
    if path.exists():
        return with_names_of_today(path.read_bytes().decode("utf-8"))
    return gzip.decompress(path.with_name(f"{name}.gz").read_bytes()).decode("utf-8")


def comparable(name: str, text: str) -> Any:
    """An output as it is, without a column `form` in which nothing stands; of tables their rows."""
    if name.endswith(".csv"):
        return without_form(text)
    if name == "tables.json":
        found = json.loads(text)
        if isinstance(found, list):
            tables = found[0]["tables"]
        else:  # as it was recorded
            tables = {table["table"]: table["rows"] for table in found["tables"]}
        return {
            table: [_unset(row, COLUMNS_SINCE.get(table, set())) for row in rows]
            for table, rows in tables.items()
            if table not in SINCE
        }
    if name == "assign.txt":  # without what is said of the design since
        since = ("design: ", "conclusions will hold", "more topics do not average out this assessor")
        return [line for line in text.splitlines() if not line.startswith(since)]
    return without_next(text) if name.endswith(".txt") else text


def _unset(row: dict[str, Any], since: set[str]) -> dict[str, Any]:
    assert row.get("form") is None
    return {key: value for key, value in row.items() if key not in {"form", *since}}


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def test_nothing_is_new_or_wrong_and_exports_are_the_same(
    database: str, folder: Folder, adjudge: Adjudge
) -> None:
    e = folder(database)
    before = files_of(e)
    before.pop("judgments.sqlite", None)
    now = {name: adjudge(line) for name, line in PRINTED.items()}
    for name, line in WRITTEN.items():
        said = adjudge(line)
        now[name] = Path(name).read_bytes().decode("utf-8") if Path(name).exists() else said
    adjudge("judgments export e pyramids --ducview")
    now |= {path.name: path.read_bytes().decode("utf-8") for path in Path("pyramids").iterdir()}
    assert set(now) == {*PRINTED, *WRITTEN, *PYRAMIDS}
    for name, text in now.items():
        assert comparable(name, text) == comparable(name, recorded(name)), name
    after = files_of(e)
    after.pop("judgments.sqlite", None)
    after.pop(".lock", None)
    assert after == before  # every text, unit and score file, byte for byte


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_the_same_tasks_and_answers_are_there_already(
    database: str, folder: Folder, adjudge: Adjudge
) -> None:
    folder(database)
    adjudge("judgments export e answers.jsonl")
    for line in AGAIN:
        assert re.search(r"\b0 tasks and 0 answers added", adjudge(line)), line
    adjudge("judgments export e again.jsonl")
    assert Path("again.jsonl").read_bytes() == Path("answers.jsonl").read_bytes()
