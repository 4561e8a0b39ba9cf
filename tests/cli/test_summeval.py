"""SummEval's real file goes the whole way without a flag."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.shared_data
def test_import_check_score_compare_report(shared_data: Path, tmp_path: Path) -> None:
    def adjudge(*arguments: str) -> str:
        command = [sys.executable, "-m", "adjudge", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
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
    assert set(found) >= {"rouge-1", "rouge-2", "expert:coherence", "crowd:relevance"}
    # SummEval (Fabbri et al. 2021), table 4: M22 (BART) and M23 (Pegasus) lead on coherence, 4.18 and 4.16
    means = {s["system"]: s["mean"] for s in found["expert:coherence"]["standings"]}
    assert (round(means["M22"], 2), round(means["M23"], 2)) == (4.18, 4.16)
    adjudge("report", "e")
    assert "expert:coherence" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
