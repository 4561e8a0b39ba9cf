"""adjudge plan: tables, curve, words, CSV, JSON, LaTeX, of folders and files; the page shows what is printed."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest
from tests.approving import CheckPage
from tests.cli.running import runner

import adjudge
from adjudge.analyses.plan.result import BAR, bar
from adjudge.analyses.tests import TESTS
from adjudge.cli.analysis import command_of
from adjudge.core.errors import DataError, UsageError
from adjudge.core.phrases import spoken
from adjudge.demo.build import build

PAGE = (Path(__file__).parents[2] / "docs" / "planning.md").read_text(encoding="utf-8")
QUICKLY = "--simulations 50"
run = runner(command_of("plan"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, scored, a file of ratings by three assessors, and one of three systems."""
    path = tmp_path_factory.mktemp("plan")
    build(path / "my-eval")
    adjudge.open(path / "my-eval").score("rouge-1", "rouge-2")
    rng = np.random.default_rng(0)
    rows = ["measure,topic,system,value,assessor,kind"]
    for k in range(30):
        for system, kind in (("ours", "machine"), ("theirs", "machine"), ("Eve", "human")):
            level = rng.normal()
            rows += [
                f"overall,t{k},{system},{level + rng.normal():.3f},{a},{kind}" for a in ("ann", "bob", "cyd")
            ]
    (path / "ratings.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    few = [f"t{k},{','.join(f'{value:.3f}' for value in rng.normal(1, size=3))}" for k in range(12)]
    (path / "few.csv").write_text("\n".join(["topic,a,b,c", *few]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def of_ratings(folder: Path) -> str:
    """What is printed of the ratings."""
    with chdir(folder):
        return run(f"ratings.csv -d 0.3 --test t --normal {QUICKLY}").stdout


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def test_the_page_shows_real_output(check_page: CheckPage) -> None:
    assert check_page("planning.md", "plan", run)


def test_a_difference_is_planned_for() -> None:
    printed = run(f"my-eval -m rouge-2 --difference 0.01 {QUICKLY} --show-signature").stdout
    assert printed.startswith("ROUGE-2, 100 words (12 topics in common, 36 pairs of systems)\ntest ")
    assert "\n\npower for a difference of 0.01, 36 pairs compared\n" in printed
    assert (
        "to find a difference of 0.01 in ROUGE-2 at 100 words with 80 % power (paired t, Holm over 36 pairs,"
        " alpha .05)"
    ) in " ".join(printed.split())
    assert "|plan:resampled|pairs:36|test:t|" in printed.splitlines()[-1]


def test_without_a_difference_the_smallest_is_said() -> None:
    printed = run(f"my-eval -m rouge-2 {QUICKLY}").stdout
    assert "topics needed" not in printed
    assert (
        "On 12 topics, the smallest difference in ROUGE-2 at 100 words that is found with 80 % power"
        in printed
    )


def test_all_tests_and_one_test() -> None:
    every = run("few.csv -d 5% --test all --simulations 4 --json").stdout
    assert list(dict.fromkeys(test["test"] for test in json.loads(every)[0]["tables"]["plan"])) == sorted(
        TESTS, key=lambda test: test != "t"
    )
    one = run(f"my-eval -m rouge-2 -d 5% --test sign {QUICKLY} --json").stdout
    tests = [(test["test"], test["compared"]) for test in json.loads(one)[0]["tables"]["plan"]]
    assert tests[:3] == [("sign", "all"), ("sign", "typical"), ("sign", "one")]
    assert [test for test, compared in tests if compared == "one"] == ["sign", "wilcoxon", "t", "t-unpaired"]


def test_a_file_of_ratings_says_how_many_assessors(of_ratings: str) -> None:
    assert re.search(r"^assessors +spread +topics needed +detectable$", of_ratings, re.MULTILINE)
    assert re.search(r"^ +any +\S+ +\d+ +\S+$", of_ratings, re.MULTILINE)
    assert "Assessors' disagreement (3 assessors per summary) is" in of_ratings


def test_noise_and_designs_of_ratings(of_ratings: str) -> None:
    assert "where the noise comes from (REML, 270 judgments: 3 systems, 3 assessors, 30 topics)" in of_ratings
    assert re.search(
        r"^assessor:system +\S+ +\S+ +\S+ % .*only more assessors average it out$", of_ratings, re.M
    )
    assert "\ndesigns for 90 judgments of each system: power for a difference of 0.3" in of_ratings
    assert re.search(r"^ +3 +1 +30 +30 +90 +90 .* as now$", of_ratings, re.M)
    (found,) = json.loads(
        run(
            f"ratings.csv -d 0.3 --test t --n-assessors 3,6 --groups 1,5 --judgments 120 {QUICKLY} --json"
        ).stdout
    )
    designs = found["tables"]["designs"]
    shapes = [(d["groups"], d["assessors"] // d["groups"], d["topics_each"]) for d in designs]
    assert shapes == [(1, 3, 40), (1, 6, 20), (5, 3, 8), (5, 6, 4)]
    assert all(d["judgments"] == 120 for d in designs)
    assert [part["term"] for part in found["noise"]["parts"]][-1] == "repeat"
    assert "tabular" in run(f"ratings.csv -d 0.3 --test t --normal {QUICKLY} --latex").stdout
    nothing = run(f"my-eval -m rouge-2 --test t --normal {QUICKLY}").stdout
    assert "noise comes from" not in nothing
    assert "designs for" not in nothing


def test_who_is_looked_at() -> None:
    (found,) = json.loads(run(f"ratings.csv --among machines {QUICKLY} --json").stdout)
    assert "|pairs:1|" in found["signature"]
    (humans,) = json.loads(run(f"ratings.csv --among human-machine {QUICKLY} --json").stdout)
    assert "|pairs:2|" in humans["signature"]
    with pytest.raises(UsageError, match='among is "dogs"; expected one of: all, machines'):
        run("ratings.csv --among dogs")


def test_options_arrive() -> None:
    line = (
        "my-eval -m rouge-2 -d 0.02 --power 0.9 --alpha 0.1 --comparisons 7 --test t --normal --seed 3"
        " --length 100 --json"
    )
    (found,) = json.loads(run(f"{line} {QUICKLY}").stdout)
    assert found["signature"].endswith(
        "|length:100|plan:normal|pairs:36|test:t|power:0.9|alpha:0.1|correct:holm:7|simulations:50|seed:3|v:0.1.0"
    )
    (four,) = json.loads(
        run(f"my-eval -m rouge-2 --n-systems 4 --correct bonferroni --json {QUICKLY}").stdout
    )
    assert (four["pairs"], four["correct"]) == (6, "bonferroni")
    with pytest.raises(UsageError, match="pairs and n_systems exclude each other"):
        run("my-eval -m rouge-2 --n-systems 4 --comparisons 3")


def test_csv_has_a_row_per_test_and_number_of_topics(tmp_path: Path) -> None:
    target = tmp_path / "curve.csv"
    assert run(f"my-eval -m rouge-1 -m rouge-2 -d 0.02 {QUICKLY} --csv {target}").stdout == ""
    with target.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0])[:7] == ["measure", "length", "form", "test", "compared", "pairs", "difference"]
    assert list(rows[0])[7:] == ["topics", "power", "low", "high", "wrong_sign", "exaggeration", "findings"]
    assert {row["measure"] for row in rows} == {"rouge-1", "rouge-2"}
    printed = run(f"my-eval -m rouge-1 -m rouge-2 -d 0.02 {QUICKLY} --csv -").stdout
    assert list(csv.DictReader(io.StringIO(printed))) == rows


def test_latex_is_a_table() -> None:
    assert run(f"my-eval -m rouge-2 {QUICKLY} --latex").stdout.startswith(r"\begin{tabular}{llrr}")


def test_notes_go_to_standard_error() -> None:
    done = run(f"my-eval -m rouge-2 {QUICKLY}")
    assert "note: from 12 topics: the true spread may be" in " ".join(done.stderr.split())
    assert "note:" not in done.stdout


def test_mistakes_are_one_line() -> None:
    with pytest.raises(UsageError, match="has several measures"):
        run("my-eval")
    with pytest.raises(DataError, match="rouge-7 has not been scored here"):
        run("my-eval -m rouge-7")
    with pytest.raises(UsageError, match='the difference is "lots"'):
        run("my-eval -m rouge-2 -d lots")
    with pytest.raises(UsageError, match="has no scores at length 50"):
        run("my-eval -m rouge-2 --length 50")


def test_designs_that_cannot_be_had_are_one_line() -> None:
    for options, error, said in (
        (
            "ratings.csv --n-assessors three",
            UsageError,
            "--n-assessors is .three., expected a whole number, 1 or more",
        ),
        ("ratings.csv --groups 1,,2", UsageError, "--groups is"),
        ("ratings.csv --groups 0", UsageError, "--groups is"),
        (
            "ratings.csv --n-assessors 90",
            UsageError,
            "1 group of 90 assessors with two topics each take 180 judgments",
        ),
        ("my-eval -m rouge-2 --groups 2", DataError, "cannot be compared: the scores name no assessors"),
    ):
        with pytest.raises(error) as refused:
            run(f"{options} --test t --normal {QUICKLY}")
        assert re.search(said, spoken(refused.value.text, "command"))


def test_a_power_as_a_line() -> None:
    assert BAR == 30
    assert bar(0.0, 0.8) == "·" * 23 + "│"
    assert bar(0.5, 0.8) == "█" * 15 + "·" * 8 + "│"
    assert bar(1.0, 0.8) == "█" * 23 + "│" + "█" * 6
    assert bar(float("nan"), 0.8) == ""
    assert bar(0.5, 0.001) == "█" * 15
