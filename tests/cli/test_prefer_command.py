"""adjudge prefer sample, import, export, fit: from asking to strengths, of folders and files; the pages are true."""

from __future__ import annotations

import csv
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approving import CheckPage
from typer.testing import CliRunner, Result

from adjudge.analyses.preferences import Prefer
from adjudge.cli.prefer import PREFER, prefer
from adjudge.core.errors import AdjudgeError, DataError, UsageError
from adjudge.core.phrases import spoken
from adjudge.data.rows import Document, Row, Summary
from adjudge.evaluation import Evaluation

DOCS = Path(__file__).parents[2] / "docs"
NAMES = ("ours", "theirs", "lead", "random")
WORTH = (1.2, 0.9, 0.0, -1.0)


def run(line: str) -> Result:
    done = CliRunner().invoke(prefer, shlex.split(line))
    if isinstance(done.exception, AdjudgeError):
        raise done.exception
    assert done.exit_code == 0, done.output + repr(done.exception)
    return done


def arena(path: Path, *, topics: int = 12, each: int = 12) -> None:
    """Answers drawn from known strengths by three people, on twelve topics."""
    rng = np.random.default_rng(1)
    rows = ["question_id,model_a,model_b,winner,judge"]
    for topic in range(1, topics + 1):
        for k in range(each):
            i, j = rng.choice(4, 2, replace=False)
            ahead = WORTH[i] - WORTH[j] + rng.logistic()
            winner = "tie" if abs(ahead) < 0.2 else "model_a" if ahead > 0 else "model_b"
            rows.append(f"q{topic},{NAMES[i]},{NAMES[j]},{winner},{('ann', 'bob', 'cyd')[k % 3]}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


@pytest.fixture
def here(make: Callable[..., Evaluation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An evaluation, my-eval, and arena.csv."""
    rows: list[Row] = []
    for topic in ("t1", "t2"):
        text = " ".join(f"Sentence {k} of {topic} says that {k} came in at noon." for k in range(10))
        rows += [Document(topic, "d1", text)]
        rows += [Summary(topic, name, f"What {name} wrote about {topic}.") for name in NAMES]
        rows += [Summary(topic, "ref", f"Sentence 3 of {topic} says so.", None, ("reference",))]
    make(*rows, name="my-eval")
    arena(tmp_path / "arena.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answered(source: Path, target: Path, answer: str = "left", worker: str = "w1") -> None:
    """A batch as it comes back."""
    with source.open(encoding="utf-8", newline="") as stream:
        rows = [row | {"worker": worker, "answer": answer, "seconds": "9"} for row in csv.DictReader(stream)]
    with target.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_the_examples_run(here: Path) -> None:
    examples = {**PREFER, "fit": Prefer.EXAMPLE}
    for name in ("sample", "import", "export", "fit"):
        assert examples[name].startswith(f"adjudge prefer {name} ")
        assert run(examples[name].removeprefix("adjudge prefer ")).stdout
        shown = " ".join(CliRunner().invoke(prefer, [name, "--help"]).stdout.replace("│", " ").split())
        assert examples[name] in shown


def test_from_asking_to_strengths(here: Path) -> None:
    said = run("sample my-eval --per-topic 12 --repeats 0.25 --seed 3").stdout
    assert said == "30 tasks added: 24 pairs in 2 topics, 6 planted repeats (preference-sentences)\n"
    said = run("export my-eval pairs.csv --open --batch 20").stdout
    assert said.splitlines() == [
        "pairs-1.csv",
        "pairs-2.csv",
        "30 pairs that nobody has answered, in 2 files",
    ]
    answered(here / "pairs-1.csv", here / "back.csv")
    assert run("import back.csv my-eval").stdout.splitlines() == [
        "back.csv: an answered batch",
        "20 tasks and 20 answers added",
    ]
    assert (
        "0 tasks and 0 answers added\n20 tasks and 20 answers were there already"
        in run("import back.csv my-eval").stdout
    )
    assert "10 pairs that nobody" in run("export my-eval rest.csv --open").stdout
    done = run("fit my-eval --topics t1 --show-signature")
    assert done.stdout.startswith("sentences of t1 (10 items, 15 answers)\n")
    assert "|smooth:tfidf-jaccard|" in done.stdout.splitlines()[-1]
    assert "note: intervals and tests treat answers as independent, as there is only one topic" in done.stderr
    assert "|smooth:no|" in run("fit my-eval --topics t1 --no-smooth --show-signature").stdout
    done = run("fit my-eval --topics t1 --position --show-signature")
    assert "|smooth:no|" in done.stdout
    assert "note: answers are not propagated to similar sentences" in done.stderr
    more = run("sample my-eval --per-topic 3 --how information --assessor bob").stdout
    assert more.startswith("6 tasks added: 6 pairs in 2 topics")
    assert "answers" in run("export my-eval answers.csv").stdout
    with (here / "answers.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 20
    assert set(rows[0]) == {"left", "right", "winner", "topic", "assessor", "took_ms"}


def test_systems_come_in_and_out(here: Path) -> None:
    said = run("import arena.csv my-eval").stdout
    assert said.startswith("arena.csv: preferences between systems\n")
    assert run("export my-eval out.csv --layout models").stdout == "out.csv: 144 answers\n"
    inside = run("fit my-eval --show-signature").stdout.splitlines()
    outside = run("fit arena.csv --show-signature").stdout.splitlines()
    again = run("fit out.csv --show-signature").stdout.splitlines()
    assert inside[0] == "systems (4 items, 144 answers)"

    assert inside[1:] == outside[1:] == again[1:]
    assert [line.split()[0] for line in outside[2:6]] == list(NAMES)
    assert "|units:topics:12+assessors:3|" in outside[-1]


def test_json_csv_latex_and_matrix(here: Path) -> None:
    (found,) = json.loads(run("fit arena.csv --reliability --json").stdout)
    tables = found["tables"]
    assert [row["item"] for row in tables["strengths"]] == list(NAMES)
    assert found["units"] == "topics"
    assert found["counts"]["differ"] == sum(each["verdict"] == "differ" for each in tables["pairs"])
    assert found["parts"][0]["candidates"] == ["ours", "theirs", "lead"]
    assert [row["name"] for row in tables["assessors"]] == ["ann", "bob", "cyd"]
    assert run("fit arena.csv --csv fit.csv").stdout == ""
    with (here / "fit.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["item"] for row in csv.DictReader(stream)] == list(NAMES)
    table = run("fit arena.csv --table pairs --csv -").stdout.splitlines()
    assert table[0] == (
        "a,b,probability,low,high,tie,log_ratio,log_low,log_high,p,adjusted,verdict,why,wins,losses,ties"
        ",these_p,these_adjusted,these_verdict"
    )
    assert len(table) == 1 + 6
    assert run("fit arena.csv --latex").stdout.startswith(r"\begin{tabular}")
    shown = run("fit arena.csv --table win-probabilities").stdout
    assert "how likely the row's is preferred to the column's" in shown
    assert re.search(r"^ours +1 +- +0\.\d\d +0\.\d\d +0\.\d\d$", shown, re.MULTILINE)
    assert json.loads(run("sample my-eval --per-topic 2 --json").stdout)["pairs"] == {"t1": 2, "t2": 2}
    assert json.loads(run("export my-eval o.csv --open --json").stdout)["pairs"] == 4
    assert json.loads(run("import arena.csv my-eval --json").stdout)["answers"] == 144
    assert json.loads(run("export my-eval o.csv --json").stdout)["answers"] == 144


def test_assessors_and_checks(here: Path) -> None:
    (here / "checks.csv").write_text("left,right,winner\nours,random,left\n")
    shown = run("fit arena.csv --reliability --checks checks.csv").stdout
    assert re.search(
        r"^assessor +answers +reliability +se +left +agrees +checks +repeats$", shown, re.MULTILINE
    )
    assert re.search(r"^ann +48 +0\.\d\d +0\.\d\d +\d+% +\d+% +\d+/\d+", shown, re.MULTILINE)
    (here / "t1.csv").write_text("topic,left,right,winner\nt1,ours,random,left\n")
    said = run("sample my-eval --of summaries --per-topic 2 --assessor ann --checks t1.csv").stdout
    assert "1 planted check " in said


def test_ties_positions_and_pairs(here: Path) -> None:
    shown = run("fit arena.csv --ties davidson --position --table pairs --show-signature").stdout
    assert "|ties:davidson|position:yes|" in shown
    assert re.search(
        r"^ours +theirs +0\.\d\d +0\.\d\d to 0\.\d\d .* not significantly different$", shown, re.M
    )
    assert re.search(r"^of the duels decided, how likely the first is preferred to the second$", shown, re.M)
    matrix = run("fit arena.csv --ties davidson --table win-probabilities").stdout
    assert re.search(r"^of the duels decided, how likely the row's is preferred", matrix, re.M)
    plain = run("fit arena.csv --table pairs").stdout
    assert "of the duels decided" not in plain
    assert "Equal items tie in" in shown
    (found,) = json.loads(run("fit arena.csv --ties rao-kupper --position --json").stdout)
    assert found["ties"] == "rao-kupper"
    assert set(found["position"]) == {"value", "low", "high", "log", "se", "p", "open", "why"}
    (here / "won.csv").write_text("left,right,winner\n" + "a,b,left\n" * 30)
    shown = run("fit won.csv --table strengths --table pairs").stdout
    assert "at least 2.76" in shown
    assert "a is significantly better than b." in shown
    (found,) = json.loads(run("fit won.csv --json").stdout)
    assert found["tables"]["strengths"][0]["high"] is None
    assert found["tables"]["strengths"][0]["why"].startswith("no finite maximum")
    sides = ("a,b,left\n" + "b,a,left\n") * 10
    (here / "first.csv").write_text(f"left,right,winner\n{sides}")
    shown = run("fit first.csv --position").stdout
    assert "odds of the first at least 4.94 (at 95%; no finite maximum)" in shown  # 0.025^(1/20)
    (found,) = json.loads(run("fit first.csv --position --json").stdout)
    assert (found["position"]["value"], found["position"]["open"]) == (None, "above")


def test_one_topic_of_a_file(here: Path) -> None:
    done = run("fit arena.csv --topics q3")
    assert done.stdout.startswith("arena.csv (4 items, 12 answers)")
    assert "as there is only one topic" in done.stderr


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        ("sample my-eval --how luck", UsageError, '--how is "luck", expected one of: random'),
        ("sample my-eval --of words", UsageError, '--of is "words", expected one of: sentences, summaries'),
        (
            "sample my-eval --assessor a --per-pair 2",
            UsageError,
            "per pair 2 people are asked, expected 1 to 1",
        ),
        ("sample my-eval --topic t9", UsageError, 'no topic "t9"'),
        ("sample nowhere", DataError, "nowhere: no such folder"),
        ("export my-eval o.csv --open", DataError, "nobody has been asked yet"),
        ("export my-eval o.csv --batch 5", UsageError, "belong to --open"),
        ("export my-eval o.csv --layout x", UsageError, '--layout is "x"'),
        ("fit my-eval", DataError, "no preferences between summaries yet"),
        ("fit nothing.csv", DataError, r"nothing\.csv"),
        ("fit bad.csv", DataError, r'bad\.csv:3: "winner" is "them"'),
        ("fit arena.csv --of systems", UsageError, "belongs to a folder"),
        ("fit arena.csv --topics q99", UsageError, 'topics="q99": no topic "q99"'),
        ("fit arena.csv --level 2", UsageError, "level is 2, expected a number between 0 and 1"),
        ("fit arena.csv --ties third", UsageError, 'ties is "third"; expected one of: half, davidson'),
        ("fit arena.csv --checks bad.csv", UsageError, "say reliability too"),
        ("import bad.csv my-eval", DataError, r'bad\.csv:1: no column "task" and no column "topic"'),
    ],
)
def test_mistakes_are_one_line(here: Path, line: str, kind: type[AdjudgeError], said: str) -> None:
    (here / "bad.csv").write_text("left,right,winner\na,b,left\na,b,them\n")
    with pytest.raises(kind, match=said) as error:
        run(line)
    assert "\n" not in str(error.value)


def test_open_tasks_without_answers_cannot_be_fitted(here: Path) -> None:
    run("sample my-eval --per-topic 2")
    with pytest.raises(DataError, match="no preferences between"):
        run("fit my-eval --of sentences")
    with pytest.raises(DataError, match="no preferences yet"):
        run("export my-eval o.csv")


def test_both_kinds_of_answers_want_a_choice(here: Path) -> None:
    run("import arena.csv my-eval")
    run("sample my-eval --per-topic 2")
    run("export my-eval pairs.csv --open")
    answered(here / "pairs.csv", here / "back.csv")
    run("import back.csv my-eval")
    for line, choices in (
        ("fit my-eval", "--of sentences or --of systems"),
        ("export my-eval o.csv", "--of sentences or --of summaries"),
    ):
        with pytest.raises(UsageError) as refused:
            run(line)
        assert spoken(refused.value.text, "command").endswith(f": say {choices}")
    assert run("export my-eval o.csv --of sentences").stdout == "o.csv: 4 answers\n"
    assert run("import o.csv my-eval").stdout.startswith(
        "o.csv: preferences between sentences\n4 tasks and 4 answers"
    )


def test_help_loads_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "pandas", "sqlalchemy", "numba", "sentencex", "pyarrow")
    code = f"import sys, adjudge.cli.prefer; print(*(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", ["preferences-asking.md", "arena.md"])
def test_the_pages_commands_run(here: Path, name: str) -> None:
    """Every line of `adjudge prefer` in a sh block, in order; `answer` makes what a platform would send back."""
    text = (DOCS / name).read_text(encoding="utf-8")
    for file, content in re.findall(r"```csv (\S+)\n(.*?)```", text, re.DOTALL):
        (here / file).write_text(content, encoding="utf-8")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    commands = [line.partition("  #")[0].strip() for line in lines if line.startswith("adjudge prefer ")]
    assert commands
    for line in commands:
        if "answered.csv" in line:
            answered(next(here.glob("pairs-1.csv")), here / "answered.csv")
        assert run(line.removeprefix("adjudge prefer ")).stdout or "--csv" in line


def test_the_arena_page_shows_real_output(here: Path, check_page: CheckPage) -> None:
    circle = "winner,loser\n" + "".join(f"{pair}\n" * 15 for pair in ("A,B", "B,C", "C,A"))
    (here / "circle.csv").write_text(circle, encoding="utf-8")
    assert check_page("arena.md", "prefer", run) == 2


@pytest.mark.parametrize("name", ["preferences-asking.md", "arena.md"])
def test_the_pages_python_runs(here: Path, name: str) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    assert names["asked"].tasks == 120 if "asked" in names else names["found"].topics == 4
