"""Rankel et al. 2011 from an evaluation: years side by side, each part from its data, and what is missing."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path
from shutil import copytree

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import adjudge
from adjudge.analyses.counts import COUNTED
from adjudge.core.errors import UsageError
from adjudge.reports.papers.paper import Reproduction

METRICS = ("responsiveness", "linguistic quality", "pyramid", "ROUGE-2", "ROUGE-SU4")
PARTS = [*(f"Figure {k}" for k in range(1, 6)), "Table 1", "Table 2", "Tables 1 and 2, resampled"]
MACHINES, PEOPLE, TOPICS = 4, 2, 14


def year(seed: int, length: int, metrics: tuple[str, ...] = METRICS) -> pd.DataFrame:
    """Scores of machines on all topics and of people on every second one, as in the paper."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 1, TOPICS)
    rows = [
        (f"D{topic:02}", system, metric, length, 0.4 * k + hard[topic] + rng.normal(0, 0.6))
        for metric in metrics
        for k, system in enumerate([*(f"S{n}" for n in range(MACHINES)), *(f"H{n}" for n in range(PEOPLE))])
        for topic in range(TOPICS)
        if system[0] == "S" or (topic + k) % 2
    ]
    return pd.DataFrame(rows, columns=["topic", "system", "measure", "length", "value"])


YEARS = {"2009": year(1, 100), "2010": year(2, 250)}


@pytest.fixture(scope="module")
def reproduced() -> Reproduction:
    return adjudge.reproduce(YEARS, "rankel-2011", human="H*")


def by_scipy(frame: pd.DataFrame, metric: str, *, cross: bool) -> tuple[int, int, int]:
    """Pairs with p <= .05: unpaired t, paired t and Wilcoxon, on the topics that both have."""
    wide = frame[frame["measure"] == metric].pivot(index="topic", columns="system", values="value")
    counts = np.zeros(3, dtype=int)
    for a, b in combinations(wide.columns, 2):
        if cross and a[0] == b[0]:
            continue
        x, y = (wide[[a, b]].dropna()[name] for name in (a, b))
        if len(x) < 2:
            continue
        p = stats.ttest_ind(x, y).pvalue, stats.ttest_rel(x, y).pvalue, stats.wilcoxon(x, y).pvalue
        counts += [value <= 0.05 for value in p]
    return tuple(counts.tolist())


def test_every_part_is_there_in_the_papers_order(reproduced: Reproduction) -> None:
    assert [made.part.name for made in reproduced.parts] == PARTS
    assert not reproduced.missing
    assert [len(made.figures) for made in reproduced.parts] == [1] * 5 + [0] * 3


@pytest.mark.parametrize(("part", "cross"), [("Table 1", False), ("Table 2", True)])
def test_years_stand_side_by_side_whatever_their_lengths(
    reproduced: Reproduction, part: str, cross: bool
) -> None:
    [table] = reproduced[part].tables
    order = ["linguistic quality", "responsiveness", "pyramid", "ROUGE-2", "ROUGE-SU4"]
    assert [row["measure"] for row in table.records()] == order
    for row in table.records():
        for name, frame in YEARS.items():
            # The two people have no topic in common, so that no test can compare them: one pair, in Table 1 alone.
            counted = [int(str(row[f"{test} in {name}"])) for test in COUNTED]
            assert tuple(counted) == by_scipy(frame, str(row["measure"]), cross=cross)
    of = "8 = 4 x 2 pairs" if cross else "15 pairs of 6 systems, 1 untested"
    assert [column.over for column in table.columns if column.show == "always"] == [
        "",
        *[f"2009: {of}"] * 3,
        *[f"2010: {of}"] * 3,
    ]


def test_section_4_resamples_both_ways(reproduced: Reproduction) -> None:
    tables = reproduced["Tables 1 and 2, resampled"].tables
    tests = [
        [column.title for column in table.columns if column.over and column.show == "always"][:2]
        for table in tables
    ]
    swaps, bootstrap = (
        [f"{way} of {statistic}" for statistic in ("W", "T")] for way in ("random swaps", "hybrid bootstrap")
    )
    assert tests == [swaps, bootstrap, swaps, bootstrap]
    assert all("resamples:2000" in table.signature for table in tables)


def test_figures_are_of_the_last_year(reproduced: Reproduction) -> None:
    for number, metric in enumerate(("responsiveness", "linguistic quality", "pyramid", "ROUGE-2"), 2):
        [figure] = reproduced[f"Figure {number}"].figures
        assert figure.title.startswith(f"{metric}, 250 words")
        scores = YEARS["2010"]
        drawn = figure.data["value"].dropna()
        assert sorted(drawn) == pytest.approx(sorted(scores[scores["measure"] == metric]["value"]))
    [figure] = reproduced["Figure 1"].figures
    assert "responsiveness" in figure.title
    chosen = figure.data.loc[figure.data["compared"] == "chosen", "differs_from"]
    assert chosen.item() == figure.data["differs_from"].max() > 0


def test_a_year_with_several_lengths_is_counted_at_the_one_with_most_scores() -> None:
    few = year(3, 10)
    both = pd.concat([YEARS["2010"], few[few["topic"] < "D05"]])
    made = adjudge.reproduce({"2009": YEARS["2009"], "2010": both}, "rankel-2011", human="H*")
    [table] = made["Table 1"].tables
    [whole] = adjudge.reproduce(YEARS, "rankel-2011", human="H*")["Table 1"].tables
    assert table.rows == whole.rows
    assert [figure.title for figure in made["Figure 2"].figures] == [
        "responsiveness, 250 words: topics by systems"
    ]
    assert any("2010: only summaries of 250 words" in note for note in made["Table 1"].notes())


def test_what_is_missing_is_said_with_what_gets_it(tmp_path: Path, full_demo: Path) -> None:
    manual = year(1, 100, ("responsiveness", "pyramid"))
    made = adjudge.reproduce(manual, "rankel-2011")
    why = {part.part.name: part for part in made.missing}
    assert list(why) == ["Figure 3", "Figure 5", "Table 1", "Table 2", "Tables 1 and 2, resampled"]
    assert "--human PATTERN" in why["Table 2"].command
    assert "linguistic quality, ROUGE-2 and ROUGE-SU4" in str(why["Table 1"].missing)
    [table] = made["Table 1"].tables
    assert [row["measure"] for row in table.records()] == [
        "responsiveness at 100 words",
        "pyramid at 100 words",
    ]
    folder = copytree(full_demo, tmp_path / "e")
    e = adjudge.open(folder)
    e.score(["rating", "pyramid", "coverage"])
    of_folder = {part.part.name: part for part in e.reproduce("rankel-2011").missing}
    assert of_folder["Figure 3"].command.endswith("--protocol linguistic-quality")
    assert of_folder["Figure 5"].command.endswith("-m rankel-2011")
    assert "Table 2" not in of_folder


def test_questions_by_number_are_one_row_their_mean() -> None:
    frame = year(1, 100, ("rating(aspect=1)", "rating(aspect=2)", "overall"))
    [table] = adjudge.reproduce(frame, "rankel-2011", human="H*")["Table 1"].tables
    mean = frame[frame["measure"] != "overall"].groupby(["topic", "system"])["value"].mean().reset_index()
    expected = by_scipy(mean.assign(measure="mean"), "mean", cross=False)
    first = next(table.records())
    assert "rating" in str(first["measure"])
    assert [int(str(first[test]).partition(",")[0]) for test in COUNTED] == list(expected)
    assert len(table.rows) == 2


def test_odd_tables_say_why() -> None:
    one = year(1, 100, ("ROUGE-2",))
    one = one[one["system"] == "S0"]
    made = adjudge.reproduce(one, "rankel-2011")
    assert {part.part.name for part in made.missing} >= {"Table 2", "Figure 2"}
    with pytest.raises(UsageError, match="takes one evaluation, not 2"):
        adjudge.reproduce(YEARS, "lin-hovy-2002")


def test_the_files_cite_the_sections(reproduced: Reproduction, tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    adjudge.reproduce(YEARS, "rankel-2011", folder, human="H*")
    latex = (folder / "tables" / "table-1.tex").read_text(encoding="utf-8")
    assert "After Rankel et al. 2011, Table 1 (section 4)." in latex
    assert r"\multicolumn{3}{c}{2009: 15 pairs of 6 systems, 1 untested}" in latex
    assert "After Rankel et al. 2011, Figure 5 (section 1)" in (
        folder / "figures" / "figure-5.tex"
    ).read_text(encoding="utf-8")
    with (folder / "tables" / "table-1.csv").open(encoding="utf-8") as file:
        assert next(csv.reader(file))[:3] == ["measure", "pairs in 2009", "t-unpaired in 2009"]
    assert (folder / "figures" / "figure-1.svg").read_text(encoding="utf-8").startswith("<svg")
    assert '<th colspan="3"' in (folder / "index.html").read_text(encoding="utf-8")


def test_humans_alone_and_no_data_set() -> None:
    made = adjudge.reproduce(year(1, 100), "rankel-2011", human="*")
    assert str(made["Table 2"].missing).startswith("every system is human")
    assert not made["Table 2"].command
    with pytest.raises(UsageError, match="no data set to make rankel-2011 from"):
        adjudge.reproduce({}, "rankel-2011")
