"""Every analysis on some topics: the same as of an evaluation that has no others."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.approving import Approved
from tests.cli.running import called
from tests.conftest import few_topics

import adjudge
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Result
from adjudge.evaluation import Evaluation

FEW = "d01,d02,d03,d04,d05"
AT: dict[str, Any] = {"length": 100, "form": "abstract"}
ANALYSES: dict[str, dict[str, Any]] = {
    "compare": {"measure": "coverage", **AT},
    "compare_all": AT,
    "counts": {"measure": "coverage", **AT},
    "groups": {"measure": "coverage", **AT, "resamples": 100},
    "topics": {"measure": "coverage", **AT},
    "slices": {"measure": "coverage", **AT},
    "anova": {"measure": "coverage", **AT},
    "plan": {"measure": "coverage", **AT, "simulations": 20},
    "simulate": {"measure": "coverage", **AT, "simulations": 5, "tests": "t"},
    "lengths": {"measure": "coverage", "form": "abstract", "resamples": 20},
    "examples": {"measure": "coverage", **AT},
    "dossiers": {"measure": "coverage", **AT},
    "stability": {},
    "agreement": {},
    "mismatch": AT,
    "judged_tables": {},
    "judge_report": {"judges": "simulated-1"},
    "meta": {**AT, "resamples": 50},
    "prefer": {"of": "systems"},
}
QUICK = ("compare", "anova", "dossiers", "judged_tables", "prefer")
"""One for each way in which analyses read; the others take a minute and a half."""


@pytest.fixture(scope="module")
def evaluations(once: Callable[[str, Callable[[Path], object]], Path], full_demo: Path) -> Path:
    """The full demo (`all`), with topics of two tasks and a column of its own, and its first topics alone (`few`)."""

    def fill(folder: Path) -> None:
        for name in ("all", "few"):
            path = Path(shutil.copytree(full_demo, folder / name))
            rows = [json.loads(line) for line in (path / "topics.jsonl").read_text("utf-8").splitlines()]
            for k, row in enumerate(rows):
                row |= {"task": "multi" if k < 5 else "single", "year": 2001 + k // 5}
            (path / "topics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
            if name == "few":
                few_topics(path)
            Evaluation.open(path).score(["coverage", "rating(aspect=overall)", "rouge-2"])

    return once("chosen-topics", fill)


def numbers(result: Result) -> dict[str, Any]:
    """Every table of a result but for what it is called."""
    return {table.name: table.to_frame() for table in result.tables()}


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in ANALYSES]
)
def test_analyses_of_some_topics_are_those_of_an_evaluation_without_the_others(
    name: str, evaluations: Path
) -> None:
    analysis, options = getattr(adjudge, name), ANALYSES[name]
    few = analysis(evaluations / "few", **options)
    some = analysis(evaluations / "all", **options, topics="task=multi")
    assert any(line == "topics with task=multi: 5 of 14" for line in some.warnings()) or name == "simulate"
    left, right = numbers(some), numbers(few)
    assert left.keys() == right.keys()
    for table in left:
        pd.testing.assert_frame_equal(left[table], right[table])
    assert "task=multi" in some.signature


def test_topics_are_chosen_by_names_and_any_column(evaluations: Path) -> None:
    folder = evaluations / "all"
    by_task, by_year, by_name = (
        adjudge.compare(folder, "coverage", **AT, topics=asked) for asked in ("task=multi", "year=2001", FEW)
    )
    for other in (by_year, by_name):
        pd.testing.assert_frame_equal(by_task.to_frame(), other.to_frame())
    again = adjudge.compare(folder, "coverage", **AT, topics=["year=2001", "year=2002", "task=single"])
    assert len(again.matrix.topics) == 5
    assert by_name.matrix.topics == tuple(FEW.split(","))
    assert "|topics:year=2001|" in by_year.signature


def test_pooled_tasks_are_named(evaluations: Path, approved: Approved) -> None:
    folder = evaluations / "all"
    pooled = adjudge.compare(folder, "coverage", **AT)
    assert "--topics" not in "".join(pooled.warnings())
    approved([line for line in pooled.warnings() if "pooled" in line], "python")
    approved([line for line in pooled.warnings("command") if "pooled" in line], "command")
    assert not any(
        "pooled" in line for line in adjudge.compare(folder, "coverage", **AT, topics="task=multi").warnings()
    )
    (note,) = [note for note in scores_of(folder).remarks("coverage") if note.code == "tasks-pooled"]
    assert note.data == {"single": 9, "multi": 5}


def test_a_signature_is_given_back(evaluations: Path, tmp_path: Path) -> None:
    words = [
        "compare",
        str(evaluations / "all"),
        "-m",
        "coverage",
        "--length",
        "100",
        "--form",
        "abstract",
        "--json",
    ]
    first = called(tmp_path, *words, "--topics", "task=multi", "--topics", "year=2001")
    assert first.returncode == 0, first.stderr
    asked = json.loads(first.stdout)
    signature = asked[0]["signature"]
    again = called(tmp_path, *words, "--signature", signature)
    assert json.loads(again.stdout) == asked


def test_tables_have_what_they_say_of_topics(tmp_path: Path, approved: Approved) -> None:
    rows = [
        {"topic": f"t{t}", "system": s, "score": t + k, "task": "multi" if t < 4 else "single"}
        for t in range(9)
        for k, s in enumerate("ab")
    ]
    frame = pd.DataFrame(rows)
    some = adjudge.compare(frame, topics="task=multi")
    assert some.matrix.topics == ("t0", "t1", "t2", "t3")
    path = tmp_path / "score.csv"  # its name is the measure's, as the column's is the frame's
    frame.to_csv(path, index=False)
    pd.testing.assert_frame_equal(adjudge.compare(path, topics="task=multi").to_frame(), some.to_frame())
    alone = adjudge.compare(frame[frame["task"] == "multi"])
    pd.testing.assert_frame_equal(some.to_frame(), alone.to_frame())
    assert adjudge.compare(frame.drop(columns="task"), topics="t1,t2").matrix.topics == ("t1", "t2")
    for asked in ("type=3", "task=both", "t1,t99"):
        with pytest.raises(UsageError) as error:
            adjudge.compare(frame, topics=asked)
        approved(str(error.value), asked)


def test_measures_without_scores_there_say_so(approved: Approved) -> None:
    rows = [("t1", "a", "x", 1.0), ("t1", "b", "x", 2.0), ("t2", "a", "y", 1.0), ("t2", "b", "y", 3.0)]
    frame = pd.DataFrame(rows, columns=["topic", "system", "measure", "value"])
    scores = scores_of(frame, topics="t2")
    assert scores.measures == ("y",)
    with pytest.raises(UsageError) as error:
        scores.resolve("x")
    approved(str(error.value))


def test_topics_that_nobody_scored_are_no_scores(
    evaluations: Path, tmp_path: Path, approved: Approved
) -> None:
    folder = Path(shutil.copytree(evaluations / "few", tmp_path / "e"))
    with (folder / "topics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"topic": "new", "type": "99"}\n')
    with pytest.raises(DataError) as error:
        adjudge.compare(folder, "coverage", **AT, topics="type=99")
    approved(str(error.value).replace(str(tmp_path), "TMP"))


def test_notes_count_what_is_left_out_on_these_topics(evaluations: Path, tmp_path: Path) -> None:
    e = Evaluation.open(shutil.copytree(evaluations / "all", tmp_path / "e"))
    rows = (tmp_path / "e" / "summaries.jsonl").read_text("utf-8").splitlines()
    changed = [json.loads(row) for row in rows]
    withdrawn = [r for r in changed if r["topic"] in ("d01", "d14") and r["system"] == "lead"]
    for row in withdrawn:
        row["withdrawn"] = "by mistake"
    (tmp_path / "e" / "summaries.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in changed), "utf-8")
    counts = {
        asked: [
            n.data["n"]
            for n in scores_of(e, topics=asked).remarks("rouge-2")
            if n.code == "withdrawn-left-out"
        ]
        for asked in ("d01", "d14", "d02", "d0*,d14")
    }
    assert counts["d02"] == []
    assert counts["d01"][0] > 0
    assert counts["d0*,d14"][0] == counts["d01"][0] + counts["d14"][0]


def test_figures_and_the_report_are_of_these_topics(evaluations: Path, tmp_path: Path) -> None:
    folder = evaluations / "all"
    figure = adjudge.figure(folder, "forest", "coverage", **AT, topics="task=multi")
    few = adjudge.figure(evaluations / "few", "forest", "coverage", **AT)
    pd.testing.assert_frame_equal(figure.data, few.data)
    done = called(
        tmp_path,
        "figure",
        "forest",
        str(folder),
        "-m",
        "coverage",
        "--length",
        "100",
        "--topics",
        "year=2001",
    )
    assert done.returncode == 0, done.stderr
    assert "topics with year=2001: 5 of 14" in done.stderr
    done = called(tmp_path, "report", str(folder), "-m", "coverage", "--topics", "year=2001", "--quick")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "topics with year=2001: 5 of 14" in page
    assert "--topics &#34;year=2001&#34; --quick" in page
