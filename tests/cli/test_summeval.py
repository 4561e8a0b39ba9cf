"""SummEval's real file goes the whole way without a flag."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest
from tests.cli.running import called

from adjudge.measures.presets import PRESETS


@pytest.mark.shared_data
def test_import_check_score_compare_report(shared_data: Path, tmp_path: Path) -> None:
    def adjudge(*arguments: str) -> str:
        done = called(tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    file = shared_data / "summeval" / "model_annotations.12systems.jsonl"
    adjudge("init", "e")
    said = adjudge("import", "summeval", str(file), "e")
    assert "added 100 topics, 100 documents, 23 systems, 2,300 summaries" in said
    assert "3,600 of expert:coherence" in said
    assert json.loads(adjudge("check", "e", "--json"))["errors"] == 0
    adjudge("score", "e")
    found = {c["measure"]: c for c in json.loads(adjudge("compare", "e", "--json"))}
    assert set(found) >= {*PRESETS["rouge-score"], "expert:coherence", "crowd:relevance"}
    ratings: dict[str, list[int]] = {}
    for record in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        ratings.setdefault(record["model_id"], []).extend(
            e["coherence"] for e in record["expert_annotations"]
        )
    means = {s["system"]: s["mean"] for s in found["expert:coherence"]["standings"]}
    assert means == pytest.approx({system: fmean(given) for system, given in ratings.items()})
    adjudge("report", "e")
    assert "expert:coherence" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
