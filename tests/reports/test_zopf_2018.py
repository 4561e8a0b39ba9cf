"""Zopf 2018 from an evaluation: the four tables as `prefer report` has them, the figures, and what columns need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from tests.cli.running import called
from tests.conftest import few_topics

import adjudge
from adjudge.evaluation import Evaluation
from adjudge.reports.papers.paper import Reproduction

Once = Callable[[str, Callable[[Path], object]], Path]
TABLES = ("Table 1", "Table 2", "Table 3", "Table 4")


@pytest.fixture(scope="module")
def folder(once: Once, full_demo: Path) -> Path:
    """Five topics of the demo with its ratings, pyramids and preferences, scored by people's measures."""

    def fill(made: Path) -> None:
        Evaluation.open(few_topics(copytree(full_demo, made / "e"))).score(["rating", "coverage"])

    return once("zopf-2018", fill) / "e"


@pytest.fixture(scope="module")
def reproduced(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    return adjudge.reproduce(copytree(folder, tmp_path_factory.mktemp("zopf") / "e"), "zopf-2018")


def test_every_part_is_there_in_the_papers_order(reproduced: Reproduction) -> None:
    names = [made.part.name for made in reproduced.parts]
    assert names == ["Figure 2", "Table 1", "Table 2", "Table 3", "Figure 3", "Table 4"]
    assert not reproduced.missing
    assert [made.part.section for made in reproduced.parts][1:] == [f"section 5.{k}" for k in range(1, 6)]


def test_the_tables_are_those_of_prefer_report(
    reproduced: Reproduction, folder: Path, tmp_path: Path
) -> None:
    expected = adjudge.preference_tables(
        copytree(folder, tmp_path / "e"), "rating(aspect=content)", length=100
    )
    for part, name in zip(TABLES, ("table-1", "table-2", "table-3", "table-4"), strict=True):
        [table] = reproduced[part].tables
        assert table.rows == expected.table(name).rows
        assert part in table.title
    assert "people's measure: rating(aspect=content) at 100 words" in reproduced["Table 1"].tables[0].title


def test_the_figures_are_of_the_answers(reproduced: Reproduction) -> None:
    [pair] = reproduced["Figure 2"].tables
    assert sorted(bool(row["preferred"]) for row in pair.records()) == [False, True]
    [figure] = reproduced["Figure 3"].figures
    by_topic = figure.data[figure.data["of"] == "topic"]
    assert by_topic["series"].notna().all()
    assert by_topic["topic"].nunique() == 5  # a line for each, as in the paper
    assert by_topic["answers"].max() == 80


def test_data_sets_stand_one_below_the_other(folder: Path, tmp_path: Path, reproduced: Reproduction) -> None:
    sets = {name: copytree(folder, tmp_path / name) for name in ("DUC04", "TAC09")}
    made = adjudge.reproduce(sets, "zopf-2018")
    [table], [alone] = made["Table 3"].tables, reproduced["Table 3"].tables
    assert [row[0] for row in table.rows] == [
        f"{name}: {what}" for name in sets for what in ("mean", "95% interval", "topics")
    ]
    assert [row[1:] for row in table.rows] == [row[1:] for row in alone.rows] * 2


def test_what_columns_need_is_said(small: Evaluation, folder: Path, tmp_path: Path) -> None:
    nobody = adjudge.reproduce(small, "zopf-2018")
    assert [made.part.name for made in nobody.missing] == [made.part.name for made in nobody.parts]
    bare = copytree(folder, tmp_path / "e")
    scores = adjudge.read_scores(bare).frame
    (bare / "judgments.sqlite").unlink()
    rmtree(bare / "scores")
    people = scores[scores["measure"] == "rating(aspect=content)"].assign(measure="relevance")
    people.dropna(axis=1, how="all").to_csv(tmp_path / "relevance.csv", index=False)
    assert called(tmp_path, "import", "scores", "relevance.csv", "e").returncode == 0
    e = adjudge.open(bare)
    made = {part.part.name: part for part in e.reproduce("zopf-2018").missing}
    assert str(made["Table 1"].missing) == "man needs people's preferences between sentences"
    assert made["Table 1"].command.startswith("adjudge prefer sample ")
    assert str(made["Table 3"].missing) == "PY and py need pyramids"
    assert made["Table 3"].command.endswith("--protocol pyramid")
    assert "preferences between sentences and pyramids" in str(made["Table 4"].missing)
    table = adjudge.read_scores(tmp_path / "relevance.csv")
    assert all(
        "a table of scores has no texts" in str(part.missing)
        for part in adjudge.reproduce(table, "zopf-2018").parts
    )
