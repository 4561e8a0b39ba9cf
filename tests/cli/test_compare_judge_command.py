"""compare --judge and prefer fit --judge, from the words to what is printed."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import pandas as pd
import pytest
from tests.analyses.test_judge_corrected import duels, rated
from tests.cli.running import called

from adjudge.analyses.corrected import compare_corrected, prefer_corrected
from adjudge.analyses.corrected.words import saving, validity


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judge")
    rated().to_csv(path / "ratings.csv", index=False)
    duels(seed=2).to_csv(path / "duels.csv", index=False)
    return path


def test_the_league_the_pairs_and_what_is_said(folder: Path) -> None:
    done = called(folder, "compare", "ratings.csv", "--judge", "program", "--show-signature")
    assert done.returncode == 0, done.stderr
    found = compare_corrected(folder / "ratings.csv", judge="program")
    for said in (found.headline(), str(saving(found)), validity(found), found.signature):
        assert said in done.stdout
    assert "corrected mean" in done.stdout
    assert "worth topics" in done.stdout
    assert all(f"({pair.ends()})" in done.stdout for pair in found.pairs)


def test_json_csv_and_latex(folder: Path) -> None:
    found = compare_corrected(folder / "ratings.csv", judge="program", correct="bh")
    line = ("compare", "ratings.csv", "--judge", "program", "--correct", "bh")
    [record] = json.loads(called(folder, *line, "--json").stdout)
    assert record["saving"] == str(saving(found))
    assert [pair["p_adjusted"] for pair in record["tables"]["pairs"]] == pytest.approx(
        [p.p_adjusted for p in found.pairs]
    )
    table = pd.read_csv(io.StringIO(called(folder, *line, "--csv", "-").stdout))
    assert table["difference"].to_list() == pytest.approx([pair.difference for pair in found.pairs])
    league = pd.read_csv(io.StringIO(called(folder, *line, "--table", "league", "--csv", "-").stdout))
    assert league["mean"].to_list() == pytest.approx([s.mean for s in found.standings])
    assert called(folder, *line, "--latex").stdout.count(r"\toprule") == 2
    assert "| corrected mean |" in called(folder, *line, "--markdown").stdout


@pytest.mark.parametrize(
    "more",
    [
        ("--test", "mc"),
        ("--tests", "t,sign"),
        ("--margin", "0.1"),
        ("--cluster", "set"),
        ("--resamples", "100"),
        ("--assessor-effects", "random"),
        ("--effects",),
        ("--methods",),
        ("--across", "measures"),
    ],
)
def test_what_makes_no_sense_beside_a_judge_is_refused(folder: Path, more: tuple[str, ...]) -> None:
    done = called(folder, "compare", "ratings.csv", "--judge", "program", *more)
    assert done.returncode == 2
    assert f"compare --judge takes no {more[0]}" in done.stderr


def test_other_mistakes(folder: Path) -> None:
    done = called(folder, "compare", "ratings.csv", "--at-random")
    assert done.returncode == 2
    assert "--at-random is for --judge" in done.stderr
    done = called(folder, "compare", "ratings.csv", "--judge", "program", "-m", "overall", "-m", "other")
    assert done.returncode == 2
    assert "one measure" in done.stderr
    done = called(folder, "compare", "ratings.csv", "duels.csv", "--judge", "program")
    assert done.returncode == 2
    done = called(folder, "compare", "ratings.csv", "--judge", "nobody")
    assert done.returncode == 2
    assert 'no scores by "nobody"' in done.stderr


def test_strengths_from_preferences(folder: Path) -> None:
    done = called(folder, "prefer", "fit", "duels.csv", "--judge", "program")
    assert done.returncode == 0, done.stderr
    found = prefer_corrected(folder / "duels.csv", judge="program")
    for said in (found.headline(), str(saving(found)), validity(found)):
        assert said in done.stdout
    assert "corrected log strength" in done.stdout
    [record] = json.loads(called(folder, "prefer", "fit", "duels.csv", "--judge", "program", "--json").stdout)
    assert record["tables"]["pairs"][0]["difference"] == pytest.approx(found.pairs[0].difference)
    for more in (("--position",), ("--ties", "davidson"), ("--of", "summaries"), ("--reliability",)):
        refused = called(folder, "prefer", "fit", "duels.csv", "--judge", "program", *more)
        assert refused.returncode == 2
        assert f"prefer fit --judge takes no {more[0]}" in refused.stderr
    refused = called(
        folder, "prefer", "fit", "duels.csv", "--judge", "program", "--table", "win-probabilities"
    )
    assert refused.returncode == 2
    assert refused.stderr == 'adjudge: no table "win-probabilities"; there are: league, pairs\n'


def test_the_page_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "judges-corrected.md").read_text(encoding="utf-8")
    made, used = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    [shown] = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(made, {})
    command, _, printed = shown.partition("\n")
    done = called(tmp_path, *command.removeprefix("$ adjudge ").split())
    assert printed.strip() in done.stdout
    out = io.StringIO()
    with redirect_stdout(out):
        exec(used, {})
    assert f"# {out.getvalue().strip()}\n" in used
