"""SummEval's real file is imported without a flag, and articles of it go the whole way."""

from __future__ import annotations

import json
import re
from operator import itemgetter
from pathlib import Path
from statistics import fmean

import pytest
from tests.cli.running import called

from adjudge.measures.presets import PRESETS


@pytest.fixture
def some_summeval(shared_data: Path, tmp_path: Path) -> Path:
    """The first ten articles, of all systems."""
    lines = (shared_data / "summeval" / "model_annotations.12systems.jsonl").read_text("utf-8").splitlines()
    articles = list(dict.fromkeys(json.loads(line)["id"] for line in lines))[:10]
    path = tmp_path / "model_annotations.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines if json.loads(line)["id"] in articles), "utf-8")
    return path


@pytest.mark.shared_data
def test_import_check_score_compare_report(some_summeval: Path, tmp_path: Path) -> None:
    def adjudge(*arguments: str) -> str:
        done = called(tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    adjudge("init", "e")
    said = adjudge("import", "summeval", str(some_summeval), "e")
    assert "added 10 topics, 10 documents, 23 systems, 230 summaries" in said
    assert "360 of expert:coherence" in said
    assert json.loads(adjudge("check", "e", "--json"))["errors"] == 0
    adjudge("score", "e")
    found = {c["measure"]: c for c in json.loads(adjudge("compare", "e", "--json"))}
    assert set(found) >= {*PRESETS["rouge-score"], "expert:coherence", "crowd:relevance"}
    ratings: dict[str, list[int]] = {}
    for record in map(json.loads, some_summeval.read_text(encoding="utf-8").splitlines()):
        ratings.setdefault(record["model_id"], []).extend(
            e["coherence"] for e in record["expert_annotations"]
        )
    means = {s["system"]: s["mean"] for s in found["expert:coherence"]["tables"]["league"]}
    assert means == pytest.approx({system: fmean(given) for system, given in ratings.items()})
    adjudge("report", "e")
    assert "expert:coherence" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


@pytest.mark.shared_data
def test_where_the_noise_comes_from(shared_data: Path, tmp_path: Path) -> None:
    """The page on planning shows what is printed."""

    def adjudge(*arguments: str) -> str:
        done = called(tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    adjudge("init", "summeval")
    file = shared_data / "summeval" / "model_annotations.12systems.jsonl"
    said = adjudge("import", "summeval", str(file), "summeval")
    assert "added 100 topics, 100 documents, 23 systems, 2,300 summaries" in said
    assert "3,600 of expert:coherence" in said
    quickly = ("--test", "t", "--normal", "--simulations", "20")
    printed = adjudge("plan", "summeval", "-m", "expert:coherence", "--difference", "0.5", *quickly)
    page = (Path(__file__).parents[2] / "docs" / "planning.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        assert block.removeprefix("$ adjudge plan summeval -m expert:coherence --difference 0.5\n") in printed
    (found,) = json.loads(
        adjudge("plan", "summeval", "-m", "expert:coherence", "--difference", "0.5", *quickly, "--json")
    )
    best = max(found["tables"]["designs"], key=itemgetter("power"))
    assert (best["groups"], best["assessors"], best["topics_each"], best["judgments"]) == (20, 60, 5, 300)
    assert " ".join(page.replace("\n> ", " ").split()).count(found["sentences"][-1]) == 1
    # R 4.2.2, lme4 1.1-31: lmer(value ~ 1 + (1|system) + (1|topic) + (1|assessor) + (1|system:topic) +
    # (1|assessor:system) + (1|assessor:topic)), REML
    lme4 = {
        "system": 0.359417778,
        "topic": 0.113519361,
        "assessor": 0.123729552,
        "system:topic": 0.507779921,
        "assessor:system": 0.106091677,
        "assessor:topic": 0.032000572,
        "repeat": 0.405676161,
    }
    assert {part["term"]: part["variance"] for part in found["noise"]["parts"]} == pytest.approx(
        lme4, rel=1e-4
    )
