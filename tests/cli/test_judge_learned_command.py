"""adjudge judge train and apply: the page shows what is printed; the judge's file, JSON, CSV, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from tests.approving import CheckPage
from tests.cli.running import runner

from adjudge.cli.judge_learned import APPLY, apply, train
from adjudge.core.errors import FormatError, UsageError
from adjudge.demo.build import build
from adjudge.evaluation import Evaluation

PAGE = (Path(__file__).parents[2] / "docs" / "judges-learned.md").read_text(encoding="utf-8")
trained, applied = runner(train), runner(apply)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the page makes it: adjudge demo, adjudge units, adjudge judge simulate; and with one assessor."""
    path = tmp_path_factory.mktemp("learned")
    build(path / "my-eval")
    e = Evaluation.open(path / "my-eval")
    e.units()
    one = Evaluation.open(shutil.copytree(path / "my-eval", path / "one"))
    one.simulate_judgments("duc-2001", assessors=1)
    e.simulate_judgments("duc-2001")
    return path


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def test_the_page_shows_real_output(place: Path, check_page: CheckPage) -> None:
    assert check_page("judges-learned.md", "judge train", trained) == 1
    line = APPLY.removeprefix("adjudge judge apply ")
    assert check_page("judges-learned.md", "judge apply", applied) == 1
    assert "2,225 answers already there" in applied(line).stdout
    again = json.loads(applied(f"{line} --json").stdout)
    assert (again["answers"], again["answers_there"], again["held_out"]) == (0, 2225, 108)


def test_other_forms(place: Path) -> None:
    line = "one --protocol duc-2001 --learner majority --resamples 100"
    found = json.loads(trained(f"{line} --json -o majority.json").stdout)
    assert found["learner"] == "majority"
    assert "Its answers are those of the majority class, every one" in found["headline"]
    with Evaluation.open(place / "one").store() as store:
        said = [
            event.answer["completeness"]
            for event in store.events()
            if event.question.startswith("unit:") and event.origin == "simulated"
        ]
    rule = f"none ({said.count(0.0) / len(said):.0%} of {len(said):,})"
    assert found["rules"] == {"multi original": [rule], "multi expanded": [rule]}
    assert json.loads((place / "majority.json").read_text(encoding="utf-8"))["learner"] == "majority"
    agreement, controls = found["tables"]
    assert {row["beaten"] for row in controls["rows"]} == {False}
    rows = list(csv.DictReader(io.StringIO(trained(f"{line} --csv -").stdout)))
    assert [row["system"] for row in rows] == [row["system"] for row in agreement["rows"]]
    assert float(rows[0]["multi_original"]) == agreement["rows"][0]["multi_original"]
    assert r"\toprule" in trained(f"{line} --latex").stdout
    assert trained(f"{line} --markdown").stdout.startswith("| system | kind |")
    only = trained(f"{line} --expand none").stdout
    assert "expanded" not in only.replace("expand:none", "")


def test_mistakes_name_the_option(place: Path) -> None:
    for options, words in (
        ("--learner trees", "--learner is"),
        ("--expand all", "--expand is"),
        ("--alpha 2", "--alpha is"),
        ("-o one.json --csv one.json", "--csv another name"),
    ):
        with pytest.raises(UsageError, match=words):
            trained(f"my-eval --protocol duc-2001 {options}")
    with pytest.raises(UsageError, match="no protocol is named"):
        trained("my-eval")
    (place / "broken.json").write_text('{"format": "adjudge-learned-judge"', encoding="utf-8")
    with pytest.raises(FormatError, match=r"broken\.json:1: not JSON"):
        applied("my-eval broken.json")
