"""Records that come with a protocol which the folder does not have."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.running import called
from tests.judgments.making import a_task

import adjudge
from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.judgments.protocol import own_protocols
from adjudge.judgments.store.records import write_records


def test_an_import_names_protocols_that_are_not_here(tmp_path: Path) -> None:
    one = Evaluation.init(tmp_path / "one", name="e")
    with one.store() as store:
        store.add_tasks([replace(a_task(store, "t1"), protocol="of-somebody-else")])
        write_records(store, tmp_path / "x.jsonl")
    Evaluation.init(tmp_path / "two", name="e")
    done = called(tmp_path, "judgments", "import", "records", "x.jsonl", "two")
    assert done.returncode == 0
    assert 'the protocol "of-somebody-else" is not here: its judgments are left out' in done.stderr


OWN = """\
name = "wit"
version = "1"
kind = "rating"
title = "Wit"

[[aspects]]
key = "wit"
ask = "How witty is it?"
choices = [{ value = 1, label = "dull" }, { value = 2, label = "witty" }]
"""


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """Ratings under a protocol of one's own, as a file of records; and an empty evaluation `two`."""
    for name in ("one", "two"):
        made = Evaluation.init(tmp_path / name, name="e")
        made.take(("", Summary("t1", system, f"a text by {system}")) for system in ("a", "b"))
    (tmp_path / "wit.toml").write_text(OWN, encoding="utf-8")
    (tmp_path / "crowd.csv").write_text("task,worker,label\nt1/a,w1,1\nt1/b,w1,2\n", encoding="utf-8")
    words = ("crowd.csv", "one", "--protocol", "wit.toml", "--aspect", "wit")
    assert called(tmp_path, "judgments", "import", "crowd", *words).returncode == 0
    assert called(tmp_path, "judgments", "export", "one", "x.jsonl").returncode == 0
    return tmp_path / "x.jsonl"


def test_a_protocol_of_ones_own_travels_with_its_judgments(tmp_path: Path, exported: Path) -> None:
    done = called(tmp_path, "judgments", "import", "records", "x.jsonl", "two")
    assert (done.returncode, done.stderr) == (0, "")
    assert own_protocols(adjudge.open(tmp_path / "two").folder) == own_protocols(
        adjudge.open(tmp_path / "one").folder
    )
    assert called(tmp_path, "judgments", "export", "two", "y.jsonl").returncode == 0
    assert (tmp_path / "y.jsonl").read_bytes() == exported.read_bytes()
    scored = called(tmp_path, "score", "two", "-m", "rating(aspect=wit)")
    assert "2 scores" in scored.stdout, scored.stderr


def test_a_refused_file_of_records_leaves_no_protocol(tmp_path: Path, exported: Path) -> None:
    with exported.open("a", encoding="utf-8") as out:
        out.write(
            '{"kind": "event", "id": "e", "task": "none", "assessor": "w1", "question": "wit", "answer": 1}\n'
        )
    done = called(tmp_path, "judgments", "import", "records", "x.jsonl", "two")
    assert done.returncode == 1
    assert own_protocols(adjudge.open(tmp_path / "two").folder) == {}
    assert not list((tmp_path / "two").glob("protocols/*"))


def test_another_protocol_of_the_name_is_refused(tmp_path: Path, exported: Path) -> None:
    (tmp_path / "two" / "protocols").mkdir()
    (tmp_path / "two" / "protocols" / "wit.toml").write_text(OWN.replace("dull", "flat"), encoding="utf-8")
    done = called(tmp_path, "judgments", "import", "records", "x.jsonl", "two")
    assert done.returncode == 1
    assert 'there is another protocol "wit" already' in done.stderr
    assert not adjudge.open(tmp_path / "two").judgments().by_topic


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"source": 3}, 'a protocol without its "name" or its "source"'),
        ({"name": "wise"}, 'the protocol "wise" calls itself "wit"'),
        ({"source": "name = ["}, "not TOML"),
    ],
)
def test_a_damaged_protocol_is_refused_with_its_line(
    tmp_path: Path, exported: Path, change: dict[str, object], said: str
) -> None:
    lines = exported.read_text(encoding="utf-8").splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | change)
    exported.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = called(tmp_path, "judgments", "import", "records", "x.jsonl", "two")
    assert done.returncode == 1
    assert said in done.stderr
    assert "x.jsonl:2" in done.stderr
    assert len(done.stderr.splitlines()) == 1
