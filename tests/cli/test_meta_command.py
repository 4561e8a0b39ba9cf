"""adjudge meta: every part from a table and from a folder, in every form; what cannot be had says why."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import CheckPage
from tests.cli.running import called, runner

import adjudge
from adjudge.analyses.meta import PARTS
from adjudge.cli.analysis import command_of
from adjudge.core.errors import DataError, UsageError
from adjudge.core.phrases import spoken

PAGE = (Path(__file__).parents[2] / "docs" / "meta.md").read_text(encoding="utf-8")
run = runner(command_of("meta"))


def rated(topics: int = 12, systems: int = 8) -> pd.DataFrame:
    """Three assessors, a measure that follows them, one that does not, and one that is constant on a topic."""
    rng = np.random.default_rng(4)
    worth = rng.normal(size=systems)
    rows: list[tuple[object, ...]] = []
    for t in range(topics):
        cells = worth + rng.normal(size=systems)
        for who in ("ann", "bob", "cy"):
            given = np.clip(np.round(3 + cells + 0.6 * rng.normal(size=systems)), 1, 5)
            rows += [("overall", t, s, who, v) for s, v in enumerate(given)]
        for name, values in (
            ("good", cells + 0.4 * rng.normal(size=systems)),
            ("noise", rng.normal(size=systems)),
            ("coarse", np.zeros(systems) if t == 3 else np.round(cells)),
        ):
            rows += [(name, t, s, None, v) for s, v in enumerate(values)]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])
    kinds = {systems - 1: "H1", systems - 2: "H2"}
    frame["system"] = [kinds.get(s, f"s{s}") for s in frame["system"]]
    frame["topic"] = [f"t{t}" for t in frame["topic"]]
    return frame


@pytest.fixture(scope="module")
def folder(judged_few: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the judged demo, scored, and a table."""
    path = tmp_path_factory.mktemp("meta")
    shutil.copytree(judged_few, path / "my-eval")
    adjudge.open(path / "my-eval").score("coverage", "rouge-2", "js")
    rated().to_csv(path / "rated.csv", index=False)
    return path


@pytest.fixture(autouse=True)
def _there(folder: Path) -> Iterator[None]:
    with chdir(folder):
        yield


def test_a_plain_call_fits_a_screen() -> None:
    done = run("rated.csv --people overall --resamples 60")
    said = done.stdout
    assert len(said.splitlines()) <= 24
    result = adjudge.meta("rated.csv", people="overall", resamples=60)
    verdicts = result["verdicts"]
    assert said.splitlines()[: len(verdicts.verdicts)] == list(verdicts.sentences())
    assert all(verdict.measure.heading in said for verdict in verdicts.verdicts)
    assert all(part in said for part in PARTS[1:])
    assert not re.search(r"\bnan\b", said.lower())


def test_a_developer_needs_one_command(folder: Path) -> None:
    """One's own measure against the best known: named, or found because it is the one that nobody publishes."""
    frame = rated()
    frame.replace({"measure": {"noise": "rouge-2", "coarse": "bertscore", "good": "mine"}}).to_csv(
        "own.csv", index=False
    )
    [found] = json.loads(run("own.csv --resamples 60 --json").stdout)
    [own] = found["parts"]["verdicts"]["compared"]
    assert (own["measure"], own["against"], own["best"]) == ("mine", "bertscore", True)
    [named] = json.loads(run("own.csv -m mine --against-measure rouge-2 --resamples 60 --json").stdout)
    [own] = named["parts"]["verdicts"]["compared"]
    assert (own["measure"], own["against"], own["best"], own["family"]) == ("mine", "rouge-2", False, 1)
    assert run("own.csv -m mine --against-measure rouge-2 --part verdicts --csv -").stdout.count("\n") == 3


def test_a_developer_needs_one_command_in_a_folder(folder: Path, tmp_path: Path) -> None:
    e = adjudge.open(shutil.copytree(folder / "my-eval", tmp_path / "e"))
    frame = e.scores().table.frame
    means = frame[frame["measure"] == "coverage"].groupby(["topic", "system"], as_index=False)["value"].mean()
    means.to_csv(tmp_path / "mine.csv", index=False)
    assert called(tmp_path, "import", "scores", "mine.csv", "e", "-m", "mine").returncode == 0
    asked = f"{tmp_path / 'e'} -m mine --against-measure rouge-2 --people coverage --part verdicts --json"
    [own] = json.loads(run(f"{asked} --resamples 60").stdout)[0]["parts"]["verdicts"]["compared"]
    assert (own["measure"], own["against"].partition("(")[0]) == ("imported:mine", "rouge-2")
    assert own["difference"] > 0


def test_without_an_assessor_the_measures_stay() -> None:
    asked = "rated.csv --people overall --part correlations --level system --resamples 20 --csv -"
    all_three, two = (
        list(csv.DictReader(io.StringIO(run(f"{asked} {more}").stdout))) for more in ("", "--without cy")
    )
    assert [row["measure"] for row in two] == [row["measure"] for row in all_three]
    assert [row["value"] for row in two] != [row["value"] for row in all_three]


def test_json_is_all_that_is_printed() -> None:
    done = run("rated.csv --people overall --part ranks -o jo --json")
    assert json.loads(done.stdout)[0]["humans"] == ["overall"]
    assert "jo/index.html: open it in a browser" in done.stderr
    with pytest.raises(UsageError, match="--json and --csv - both print"):
        run("rated.csv --people overall --json --csv -")


def test_a_page_leaves_nothing_of_an_earlier_one(folder: Path) -> None:
    run("rated.csv --people overall --part ranks --part correlations --resamples 20 -o again")
    run("rated.csv --people overall --part ranks -o again")
    assert {path.name for path in (folder / "again").iterdir()} == {"index.html", "meta.tex", "ranks.csv"}


def test_csv_has_the_columns_that_scripts_rely_on() -> None:
    printed = run("rated.csv --people overall --part correlations --resamples 20 --csv -").stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert list(rows[0])[:9] == [
        "measure",
        "human",
        "level",
        "coefficient",
        "among",
        "n",
        "value",
        "low",
        "high",
    ]
    assert len(rows) == 3 * 3 * 4
    assert {row["level"] for row in rows} == {"system", "input", "global"}


def test_a_table_a_frame_and_an_evaluation_say_the_same(folder: Path) -> None:
    asked: dict[str, Any] = {"people": "overall", "parts": "correlations", "resamples": 20}
    of_file = adjudge.meta(folder / "rated.csv", **asked).to_frame()
    of_frame = adjudge.meta(rated(), **asked).to_frame()
    pd.testing.assert_frame_equal(of_file, of_frame)
    given: dict[str, Any] = {"people": "coverage", "parts": "ranks"}
    e = adjudge.open(folder / "my-eval")
    pd.testing.assert_frame_equal(
        e.meta(**given).to_frame(), adjudge.meta(folder / "my-eval", **given).to_frame()
    )


def test_people_among_the_systems_are_looked_at_with_and_without() -> None:
    printed = run(
        "rated.csv --people overall --human H* --part correlations --part conclusions --resamples 20 --json"
    ).stdout
    found = json.loads(printed)[0]["parts"]
    assert {row["among"] for row in found["correlations"]["tables"]["correlations"]} == {"machines", "all"}
    assert found["correlations"]["tables"]["correlations"][0]["n"] == 6
    assert "human-machine" in json.dumps(found["conclusions"])
    only = json.loads(
        run("rated.csv --people overall --human H* --among machines --part ranks --json").stdout
    )
    assert {each["among"] for each in only[0]["parts"]["ranks"]["ranked"]} == {"machines"}


def test_a_constant_topic_is_blank_and_said() -> None:
    found = run("rated.csv --people overall --part correlations --level input --resamples 20")
    assert "1 topic without a correlation" in found.stderr + found.stdout
    assert re.search(r"^coarse +11 ", found.stdout, re.MULTILINE)


def test_all_parts_of_a_folder_as_a_page(folder: Path) -> None:
    said = run("my-eval --people coverage -o meta --resamples 40").stderr
    assert "meta/index.html: open it in a browser" in said
    files = {path.name for path in (folder / "meta").iterdir()}
    more = {"conclusion-pairs.csv", "composite-scores.csv", "agreement-by-topic.csv"}
    assert files == {"index.html", "meta.tex", *more, *(f"{part}.csv" for part in PARTS)}
    page = (folder / "meta" / "index.html").read_text(encoding="utf-8")
    for part in PARTS:
        assert f'id="{part}"' in page
    assert "<svg" in page
    assert "nan" not in re.sub(r"[a-z]nan|nan[a-z]", "", page.lower())
    with pytest.raises(UsageError, match="is an evaluation, and a page has a folder of its own"):
        run("my-eval --people coverage -o my-eval")


def test_a_part_that_cannot_be_had_says_why_and_the_others_go_on() -> None:
    found = run("rated.csv --people overall --part fooling --part ranks")
    assert (
        "fooling: not answered (it needs the texts of an evaluation's folder" in found.stderr + found.stdout
    )
    assert "Ranks of 8 systems by overall" in found.stdout
    with pytest.raises(DataError, match="needs the texts"):
        run("rated.csv --people overall --part fooling")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--part rank", '--part is "rank" \\(nearest: "ranks"'),
        ("--level topic", '--level is "topic"'),
        ("--coefficient tau", '--coefficient is "tau"'),
        ("--resample people", '--resample is "people"'),
        ("--among peers", '--among is "peers"; expected one of: machines, humans, all'),
        ("--swap topics", '--swap is "topics"'),
        ("--measure-test t", '--measure-test is "t"'),
        ("--by colour --part slices", '--by is "colour"'),
        ("--tests z --part power", 'the test is "z"'),
        (
            "--people overal",
            '--people "overal": no such measure \\(nearest: "overall"\\); people gave: overall',
        ),
        ("-m god", 'no scores of "god" \\(nearest: "good"'),
        ("--against-measure overall", "--against-measure overall is people's"),
        ("--against-measure '*o*'", "--against-measure .o. can be overall"),
        ("-m good --against-measure good", "there is no other measure to compare it with"),
        ("--against-measure bad", 'no scores of "bad"'),
        ("--human X*", '--human "X\\*": no such system'),
        ("--form extract", 'no measure has scores of form "extract"'),
        ("--length 7", "no measure has scores at length 7"),
        ("--closer-than -1", "--closer-than is -1, expected a number above 0"),
        ("--csv x.csv --part ranks --part power", "several parts: say one, or the name of a table"),
        ("--csv nowhere/x.csv", "nowhere/x.csv: no such folder"),
        ("--alpha 2", "--alpha is 2, expected a number between 0 and 1"),
    ],
)
def test_mistakes_are_one_line(words: str, message: str) -> None:
    human = "" if "--people " in words else "--people overall "
    with pytest.raises((UsageError, DataError)) as refused:
        run(f"rated.csv {human}{words}")
    shown = spoken(refused.value.text, "command")
    assert re.search(message, shown)
    assert "\n" not in shown


def test_a_single_part_is_what_csv_writes() -> None:
    rows = list(csv.DictReader(io.StringIO(run("rated.csv --people overall --part ranks --csv -").stdout)))
    assert "rank_by_people" in rows[0]


def test_latex_and_markdown_have_the_tables() -> None:
    asked = "rated.csv --people overall --part correlations --level system --resamples 20"
    assert run(f"{asked} --latex").stdout.count(r"\begin{tabular}") == 1
    assert "| measure |" in run(f"{asked} --markdown").stdout


@pytest.mark.shared_data
def test_the_page_shows_what_is_printed_of_summeval(
    summeval: Path, tmp_path: Path, check_page: CheckPage
) -> None:
    e = adjudge.open(shutil.copytree(summeval, tmp_path / "summeval"))
    e.score("rouge-1-recall", "rouge-2-recall", "rouge-l-recall", "rouge-su4", "js", "nams")
    with chdir(tmp_path):
        assert check_page("meta.md", "meta", run) == 5
