"""adjudge anova: the table, the words, CSV, JSON and LaTeX; the page shows what is printed."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.approving import CheckPage
from tests.cli.running import runner

import adjudge
from adjudge.cli.analysis import command_of
from adjudge.core.errors import DataError, UsageError
from adjudge.demo.build import build

PAGE = (Path(__file__).parents[2] / "docs" / "anova.md").read_text(encoding="utf-8")
DATA = Path(__file__).parents[1] / "stats" / "data"
JUDGED = shlex.quote(str(DATA / "anova_judgments.csv"))
PHASE2 = shlex.quote(str(DATA / "anova_phase2.csv"))
ORDINAL = "ratings.csv"
run = runner(command_of("anova"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, scored, and a file of ratings."""
    path = tmp_path_factory.mktemp("anova")
    build(path / "my-eval")
    adjudge.open(path / "my-eval").score("rouge-1", "rouge-2")
    ratings = pd.read_csv(DATA / "ordinal.csv").query("case == 'crossed'").drop(columns="case")
    ratings = ratings.rename(columns={"rating": "value"}).assign(measure="rating")
    ratings.to_csv(path / ORDINAL, index=False)
    lengths = ratings.assign(measure="length", value=np.random.default_rng(0).random(len(ratings)))
    pd.concat([ratings, lengths]).to_csv(path / "mixed.csv", index=False)
    return path


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def test_the_page_shows_real_output(check_page: CheckPage) -> None:
    assert check_page("anova.md", "anova", run) == 2


def test_the_page_names_every_option() -> None:
    for option in (
        "ordinal",
        "factors",
        "interactions",
        "sizes",
        "random",
        "pool-humans",
        "ss-type",
        "length",
        "json",
        "csv",
        "latex",
    ):
        assert f"`--{option}" in PAGE
    assert "`--simulations`" in PAGE
    assert "`--seed`" in PAGE


def test_every_measure_unless_named() -> None:
    everything = run("my-eval").stdout
    assert "ROUGE-1, 100 words (108 rows: 9 systems, 12 topics)" in everything
    assert "\n\nROUGE-2, 100 words" in everything


def test_humans_are_pooled_and_it_is_said() -> None:
    done = run("my-eval -m rouge-2 --pool-humans")
    assert "ROUGE-2, 100 words (96 rows: 8 systems, 12 topics)" in done.stdout
    notes = " ".join(done.stderr.split())
    assert "note: 2 humans count as one system, HUMANS (ada and ben)" in notes
    assert "note: 108 scores averaged to 96, over people" in notes


def test_factors_of_topics_and_systems_come_from_the_folder() -> None:
    lines = run("my-eval -m rouge-2 --factors kind,system,topic").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:6]] == ["kind", "system", "topic", "residuals"]
    (found,) = json.loads(run("my-eval -m rouge-2 --factors type,system,topic --json").stdout)
    assert [row["term"] for row in found["tables"]["anova"]] == ["type", "system", "topic", "residuals"]


def test_sizes_are_printed_when_asked_for() -> None:
    plain, sizes = run(f"{PHASE2} --interactions").stdout, run(f"{PHASE2} --interactions --sizes").stdout
    assert "\nsystem:topic       d1       d2" not in plain
    assert "\nsystem:topic       d1       d2" in sizes
    assert "\ns04           -0.0114   0.0413  -0.0036  -0.0136  -0.0919   0.0474\n" in sizes
    assert "Cells of system:topic that stand out: s04 with d5 (-0.0919)" in plain


def test_the_mixed_model_has_a_table_of_its_own() -> None:
    done = run(f"{JUDGED} --random topic,assessor --simulations 60").stdout
    assert re.search(r"\nvariance of +estimate  share  95% interval\n", done)
    assert re.search(r"\ntopic +0\.\d+ +\d+ % +\d+\.\d% to \d+\.\d%\n", done)
    assert "assessor:system, system:topic\n" in done
    assert "F against the residuals (349 df), every factor fixed, as DUC-2002 printed it\n" in done
    without = run(f"{JUDGED} --random topic,assessor --simulations 0").stdout
    assert re.search(r"\ntopic +0\.\d+ +\d+ % +-\n", without)


def test_csv_has_a_row_per_term(tmp_path: Path) -> None:
    target = tmp_path / "anova.csv"
    assert run(f"my-eval --csv {shlex.quote(str(target))}").stdout == ""
    with target.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["term"] for row in rows] == ["system", "topic", "residuals"] * 2
    assert (rows[0]["measure"], rows[0]["df"]) == ("rouge-1", "8")
    mixed = run(f"{JUDGED} --random topic --simulations 0 --table components --csv -").stdout
    assert [row["term"] for row in csv.DictReader(io.StringIO(mixed))] == [
        *("system", "assessor:system", "topic", "assessor:topic", "system:topic", "noise"),
    ]


@pytest.mark.parametrize("options", ["", "--random topic,assessor --simulations 0"])
def test_csv_and_json_have_the_interactions_of_the_model(options: str) -> None:
    """Those that the table does not list have the numbers that they have where it does, each after all others."""
    beside = list(csv.DictReader(io.StringIO(run(f"{JUDGED} {options} --table beside --csv -").stdout)))
    (everything,) = json.loads(run(f"{JUDGED} {options} --json").stdout)
    found = everything["tables"]
    assert sorted(row["term"] for row in beside) == ["assessor:system", "assessor:topic", "system:topic"]
    assert [row["term"] for row in beside] == [row["term"] for row in found["beside"]]
    (listed,) = json.loads(run(f"{JUDGED} --interactions --ss-type 2 --json").stdout)
    by_term = {row["term"]: row for row in listed["tables"]["anova"]}
    for row, same in zip(beside, found["beside"], strict=True):
        assert float(row["ss"]) == same["ss"] == pytest.approx(by_term[same["term"]]["ss"], rel=1e-9)
        assert float(row["p"]) == same["p"] == pytest.approx(by_term[same["term"]]["p"], rel=1e-6)


def test_json_is_json_and_nothing_else() -> None:
    (found,) = json.loads(run("my-eval -m rouge-2 --ss-type 2 --json").stdout)
    assert (found["measure"], found["length"], found["ss_type"]) == ("rouge-2", 100, 2)
    assert found["components"] is None


def test_latex_is_a_table() -> None:
    assert run("my-eval -m rouge-2 --latex").stdout.startswith(r"\begin{tabular}{lrrrrrr}")


def test_mistakes_are_one_line() -> None:
    with pytest.raises(UsageError, match="system:topic cannot be separated from the noise"):
        run("my-eval -m rouge-2 --interactions")
    with pytest.raises(UsageError, match='^factors: a name is missing in "system,"'):
        run("my-eval -m rouge-2 --factors system,")
    with pytest.raises(UsageError, match="no scores at length 50; it has: 100"):
        run("my-eval -m rouge-2 --length 50")
    with pytest.raises(DataError, match="rouge-7 has not been scored here"):
        run("my-eval -m rouge-7")


# The ordinal model


def test_the_ordinal_model_is_printed() -> None:
    done = run(f"{ORDINAL} --ordinal --show-signature")
    lines = done.stdout.splitlines()
    assert lines[0] == ("rating (300 ratings of 5 levels: 5 systems, 15 topics, 4 assessors), ordinal model")
    for title in (
        "Pairs of systems on the latent scale, p by Holm, intervals for all 10 together",
        "Assessors on the latent scale, on which the average assessor stands at 0",
        "Thresholds on the latent scale, on which the average system stands at 0",
        "Are levels used as the model expects?",
    ):
        assert title in lines
    assert any(line.startswith("Standard deviations: rating ~ system + (1 | assessor)") for line in lines)
    assert any(line.startswith("On rating, ") for line in lines)
    assert "|link:logit|laplace|" in lines[-1]
    assert "fitting" not in done.stderr  # no terminal, no progress


def test_the_ordinal_model_for_scripts(tmp_path: Path) -> None:
    (found,) = json.loads(run(f"{ORDINAL} --ordinal --json").stdout)
    assert found["analysis"] == "anova_ordinal"
    assert len(found["tables"]["contrasts"]) == 10
    run(f"{ORDINAL} --ordinal --table contrasts --csv {tmp_path / 'out.csv'}")
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["p"]) for row in rows] == [row["p"] for row in found["tables"]["contrasts"]]
    assert r"\toprule" in run(f"{ORDINAL} --ordinal --latex").stdout
    assert "| between |" in run(f"{ORDINAL} --ordinal --markdown").stdout


def test_options_of_the_linear_model_do_not_go_with_the_ordinal_one() -> None:
    for option in (
        "--factors system,topic",
        "--interactions",
        "--random topic",
        "--ss-type 2",
        "--sizes",
        "--simulations 0",
    ):
        with pytest.raises(UsageError, match=f"anova --ordinal takes no {option.split()[0]}"):
            run(f"{ORDINAL} --ordinal {option}")


def test_scores_that_are_no_ratings_are_one_line() -> None:
    with pytest.raises(UsageError, match=r"ROUGE-2 has \d+ different values .* use the linear model"):
        run("my-eval -m rouge-2 --ordinal")
    done = run("mixed.csv --ordinal")
    assert done.stdout.startswith("rating (300 ratings of 5 levels")
    assert "note: left out: length has 300 different values" in " ".join(done.stderr.split())
    with pytest.raises(UsageError, match="length has 300 different values"):
        run("mixed.csv -m length,rating --ordinal")
