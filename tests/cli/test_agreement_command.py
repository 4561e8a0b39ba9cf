"""adjudge agreement: the table, the words, CSV, JSON, LaTeX and Markdown; the page shows what is printed."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from tests.approving import CheckPage
from tests.cli.running import runner

import adjudge
from adjudge.cli.analysis import command_of
from adjudge.core.errors import UsageError
from adjudge.data.reading import reading_once

PAGE = (Path(__file__).parents[2] / "docs" / "agreement.md").read_text(encoding="utf-8")
run = runner(command_of("agreement"))


@pytest.fixture(scope="module")
def folder(judged_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with its judgments, and a table of ratings."""
    path = tmp_path_factory.mktemp("agreement")
    shutil.copytree(judged_demo, path / "my-eval")
    rows = [
        f"t{t},s{s},{who},{1 + (t * s + k * (t % 2)) % 5}"
        for t in range(12)
        for s in range(3)
        for k, who in enumerate("abc")
    ]
    (path / "ratings.csv").write_text("\n".join(["topic,system,assessor,fluency", *rows]), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def test_the_page_shows_real_output(check_page: CheckPage) -> None:
    assert check_page("agreement.md", "agreement my-eval", lambda more: run(f"my-eval {more}")) == 1


def test_a_table_of_ratings_in_every_form() -> None:
    (own,) = adjudge.agreement("ratings.csv").questions
    (found,) = json.loads(run("ratings.csv --json").stdout)
    assert (
        found["questions"][0]["alpha"]["value"] == found["tables"]["agreement"][0]["alpha"] == own.alpha.value
    )
    assert (found["scale"], found["weights"], found["resamples"]) == ("ordinal", "quadratic", 1000)
    assert set(found["asks"]) >= {"alpha", "AC2", "ICC(2,k)"}
    rows = list(csv.DictReader(io.StringIO(run("ratings.csv --csv -").stdout)))
    assert float(rows[0]["alpha"]) == own.alpha.value
    assert [row["question"] for row in rows] == ["fluency"]
    pairs = list(csv.DictReader(io.StringIO(run("ratings.csv --table assessor-pairs --csv -").stdout)))
    assert [(row["a"], row["b"]) for row in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert float(pairs[0]["weighted"]) == own.pairs[0].weighted.value
    assert r"\toprule" in run("ratings.csv --latex").stdout
    assert run("ratings.csv --table agreement-by-system --markdown").stdout.startswith(
        "| question | system |"
    )
    printed = run("ratings.csv --table coefficients --scale nominal").stdout
    assert "AC1: do two assessors give the same answer more often than by guessing?" in printed
    (linear,) = json.loads(run("ratings.csv --weights linear --seed 3 --resamples 50 --json").stdout)
    assert linear["signature"].startswith(
        "agreement(weights=linear, resamples=50, seed=3)|alpha:ordinal|weights:linear|bootstrap:topics:percentile:50|"
    )


@reading_once()
def test_mistakes_name_what_there_is() -> None:
    with pytest.raises(UsageError, match='no table "topic"; there are: agreement, coefficients'):
        run("ratings.csv --table topic")
    with pytest.raises(UsageError, match="no question"):
        run("my-eval --question fluency")
    with pytest.raises(UsageError, match='scale is "rank"; expected one of: nominal, ordinal'):
        run("ratings.csv --scale rank")
    with pytest.raises(UsageError, match='weights is "cubic"; expected one of: none, linear, quadratic'):
        run("ratings.csv --weights cubic")
    with pytest.raises(UsageError, match="level is 2, expected a number between 0 and 1"):
        run("ratings.csv --level 2")
    with pytest.raises(UsageError, match="no judgments at length 77; it has: 100"):
        run("my-eval --length 77")
    with pytest.raises(UsageError, match='no judgments of form "extract"'):
        run("my-eval --form extract")


@pytest.mark.shared_data
def test_the_page_shows_summevals_experts(summeval: Path, check_page: CheckPage) -> None:
    assert check_page("agreement.md", "agreement summeval", lambda more: run(f"{summeval} {more}")) == 1


@pytest.mark.shared_data
def test_the_page_shows_squalitys_reviewers(shared_data: Path, tmp_path: Path, check_page: CheckPage) -> None:
    rows = ["topic,system,assessor,correctness,coverage,overall"]
    for story in (shared_data / "squality" / "human_eval.jsonl").read_text(encoding="utf-8").splitlines():
        found = json.loads(story)
        for question, systems in found["questions"].items():
            for system, own in systems.items():
                for review in own.get("reviews", ()) if isinstance(own, dict) else ():
                    values = [review[f"{what}-rating"] for what in ("correctness", "selection", "overall")]
                    key = (f"{found['passage-id']}-{question}", system, f"reviewer-{review['worker_id']}")
                    rows.append(",".join(map(str, (*key, *values))))
    (tmp_path / "squality.csv").write_text("\n".join(rows), encoding="utf-8")
    table = tmp_path / "squality.csv"
    assert check_page("agreement.md", "agreement squality.csv", lambda more: run(f"{table} {more}")) == 1
    pairs = adjudge.agreement(tmp_path / "squality.csv", "correctness", scale="interval").questions[0].pairs
    alphas = [each.alpha.value for each in pairs if "reviewer-6" in (each.a, each.b)]
    assert (round(min(alphas), 3), round(max(alphas), 3)) == (-0.105, 0.093)
