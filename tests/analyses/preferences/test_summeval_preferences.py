"""SummEval's real texts and experts: preferences of simulated assessors go the whole way, beside ROUGE and JS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import runner

from adjudge.cli import prefer
from adjudge.cli.analysis import command_of
from adjudge.evaluation import Evaluation
from adjudge.formats import summeval

REPORT = command_of("preference_tables")


@pytest.mark.shared_data
def test_simulated_assessors_agree_with_experts(shared_data: Path, tmp_path: Path) -> None:
    lines = (shared_data / "summeval" / "model_annotations.12systems.jsonl").read_text(encoding="utf-8")
    annotated = [(json.loads(line)["id"], line) for line in lines.splitlines(keepends=True)]
    half = list(dict.fromkeys(topic for topic, _ in annotated))[:50]
    (tmp_path / "half.jsonl").write_text(
        "".join(line for topic, line in annotated if topic in half), encoding="utf-8"
    )
    e = Evaluation.init(tmp_path / "e")
    e.take(summeval.read([tmp_path / "half.jsonl"]))
    said = runner(prefer.simulate)(f"{e.path} --from ref --per-topic 200 --noise 0.1 --seed 1")
    assert "gave 4,761 answers in 50 topics, from the references" in said.stdout
    done = runner(REPORT)(f"{e.path} --people expert:relevance --json --workers 1")
    (report,) = json.loads(done.stdout)
    rows: dict[str, dict[str, Any]] = {}
    for row in report["tables"]["columns"]:
        rows.setdefault(row["table"], {})[row["column"]] = row
    columns = rows["table-1"]
    assert list(columns) == ["JS", "R1", "R2", "R3", "R4", "SU4", "man"]
    assert all(row["topics"] == 50 for row in columns.values())
    assert columns["man"]["low"] > 0.5
    assert columns["R1"]["low"] > 0.5
    assert rows["table-2"]["man+ref"]["low"] > 0.5
    assert rows["table-3"]["ref"]["low"] > 0.5
    # There are no pyramids here, and the tables say so instead of failing.
    assert {row["why"] for row in rows["table-4"].values()} == {"no peer has a pyramid annotation"}
