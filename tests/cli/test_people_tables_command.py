"""Somebody has a table of what people and a judge said of each summary: one command is one answer."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from .running import called

PAGE = Path(__file__).parents[2] / "docs" / "score-tables.md"
JUDGED = re.search(
    r"^```csv judged.csv\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    assert JUDGED is not None
    (tmp_path / "judged.csv").write_text(JUDGED[1], encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("command", ["compare judged.csv", "meta judged.csv", "agreement judged.csv"])
def test_one_command_answers_and_says_what_was_found_out(place: Path, command: str) -> None:
    done = called(place, *command.split())
    assert done.returncode == 0, done.stderr
    notes = re.search(
        r"^```text\n(note: .*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert notes is not None
    assert {*notes[1].splitlines()} <= {*done.stderr.splitlines()}


def test_people_come_first_and_counts_not_at_all(place: Path) -> None:
    done = called(place, "compare", "judged.csv", "--json")
    assert [c["measure"] for c in json.loads(done.stdout)] == ["human", "judge"]
    named = called(place, "compare", "judged.csv", "-m", "n_words", "--json")
    assert json.loads(named.stdout)[0]["measure"] == "n_words"


def test_the_judge_is_set_beside_people(place: Path) -> None:
    done = called(place, "meta", "judged.csv", "--json")
    (result,) = json.loads(done.stdout)
    assert (result["measures"], result["humans"]) == (["judge"], ["human"])


@pytest.mark.parametrize(
    ("options", "measures"),
    [
        ("--assessors human1,human2", ["human", "human3", "judge"]),
        ("--assessors human1 --assessors human2", ["human", "human3", "judge"]),
        ("--map assessor=", ["human1", "human2", "human3", "judge"]),
        ("--leave-out human3", ["human", "judge"]),
    ],
)
def test_it_may_be_said_otherwise(place: Path, options: str, measures: list[str]) -> None:
    done = called(place, "compare", "judged.csv", *options.split(), "--json")
    assert [c["measure"] for c in json.loads(done.stdout)] == measures


def test_it_can_be_imported(place: Path) -> None:
    assert called(place, "init", "e").returncode == 0
    done = called(place, "import", "judged.csv", "e")
    assert done.returncode == 0, done.stderr
    done = called(place, "meta", "e", "--json")
    (result,) = json.loads(done.stdout)
    assert (result["measures"], result["humans"]) == (["imported:judge"], ["imported:human"])
    done = called(place, "compare", "e", "--json")
    assert [c["measure"] for c in json.loads(done.stdout)] == [
        "imported:human",
        "imported:judge",
    ]


def test_report_and_figure_take_the_option(place: Path) -> None:
    done = called(
        place, "report", "judged.csv", "-o", "page", "--quick", "--assessors", "human1,human2", "--json"
    )
    assert done.returncode == 0, done.stderr
    page = unescape((place / "page" / "index.html").read_text(encoding="utf-8"))
    assert '--assessors "human1,human2"' in page
    done = called(
        place, "figure", "league", "judged.csv", "-m", "human", "--assessors", "human1,human2", "-o", "f.svg"
    )
    assert done.returncode == 0, done.stderr
