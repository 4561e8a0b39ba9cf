"""Ranks by people and by measures, with rho at the foot."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest
from tests.approving import Approved

import adjudge
from adjudge.analyses.compare.pairs import Comparison
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.ranks import RanksResult, rank_table
from adjudge.analyses.meta.ranks import rank_tables as tables_of_run
from adjudge.analyses.scores import scores_of

FIGURE_4 = Path(__file__).parents[2] / "stats" / "data" / "lin_hovy_2002_figure4.csv"


def figure_4() -> pd.DataFrame:
    """The printed ranks as scores of one topic: the lower the better."""
    with FIGURE_4.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    return pd.DataFrame(
        [
            {"measure": column, "topic": "duc2001", "system": row["system"], "value": -float(row[column])}
            for row in rows
            for column in row
            if column != "system"
        ]
    )


def rank_tables(cells: Cells, compared: Comparison | str = "it was not tested") -> RanksResult:
    return RanksResult(ranked=(rank_table(cells, cells.humans[0], compared),))


def test_the_papers_figure_and_the_rho_that_it_lacks() -> None:
    cells = cells_of(scores_of(figure_4(), human="Human*"), "retention")
    found = rank_tables(cells).ranked[0]
    # Tie-corrected, of the printed ranks: shared/DESIGN.md has the same four digits.
    expected = {
        "X1": 0.9845,
        "X2": 0.9728,
        "X3": 0.9698,
        "L1": 0.9845,
        "L2": 0.9831,
        "L3": 0.9713,
        "P1": 0.9838,
        "P2": 0.9875,
        "P3": 0.9713,
    }
    assert {m.measure: round(rho, 4) for m, rho in zip(found.measures, found.rho, strict=True)} == expected
    foot = found.table().rows[-1]
    assert foot[0] == "rho"
    assert "0.9875" in foot
    with FIGURE_4.open(encoding="utf-8") as stream:
        printed = {
            row["system"]: row for row in csv.DictReader(line for line in stream if not line.startswith("#"))
        }
    for each in found.systems:
        assert each.people == int(printed[each.system]["retention"])
        ranks = {
            m.measure: place and place.rank for m, place in zip(found.measures, each.measures, strict=True)
        }
        assert ranks == {name: int(printed[each.system][name]) for name in expected}


def scored() -> pd.DataFrame:
    """Three systems that people tell apart on twelve topics; the measure puts the best one last."""
    people, wrong = {"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 1.0, "b": 3.0, "c": 2.0}
    return pd.DataFrame(
        [
            {"measure": name, "topic": f"t{topic}", "system": system, "value": value + 0.01 * topic * sign}
            for name, values in (("people", people), ("wrong", wrong), ("right", people))
            for topic in range(12)
            for sign, (system, value) in zip((1, -1, 2), values.items(), strict=True)
        ]
    )


def test_ranks_outside_what_people_leave_open_are_named(approved: Approved) -> None:
    data = scores_of(scored())
    compared = adjudge.compare(data, "people")
    found = rank_tables(cells_of(data, "people"), compared)
    approved(found.sentences())
    frame = found.to_frame()
    assert frame[frame["outside"]]["measure"].tolist() == ["wrong"] * 3
    text = found.table().to_text()
    assert "3*" in text
    assert "-0.5000" in text


def test_nothing_is_outside_where_nothing_was_tested(approved: Approved) -> None:
    found = rank_tables(cells_of(scores_of(scored()), "people"), "too few topics")
    assert not found.to_frame()["outside"].any()
    approved(found.sentences())


def test_nothing_can_be_outside_where_people_find_no_difference(approved: Approved) -> None:
    data = scores_of(scored()[lambda rows: rows["topic"].isin(["t0", "t1", "t2"])])
    found = rank_tables(cells_of(data, "people"), adjudge.compare(data, "people", test="wilcoxon"))
    approved(found.sentences())
    assert not found.to_frame()["outside"].any()


def test_a_system_without_a_score_has_no_rank() -> None:
    rows = scored()
    rows = rows[~((rows["measure"] == "wrong") & (rows["system"] == "b"))]
    found = rank_tables(cells_of(scores_of(rows), "people")).ranked[0]
    at = [m.measure for m in found.measures].index("wrong")
    places = {each.system: each.measures[at] for each in found.systems}
    assert {name: place and place.rank for name, place in places.items()} == {"a": 2, "b": None, "c": 1}


def test_ranks_of_fewer_systems_are_never_outside() -> None:
    """Second of two is not outside of third of three."""
    rows = scored()
    rows = rows[~((rows["measure"] == "right") & (rows["system"] == "b"))]
    data = scores_of(rows)
    found = rank_tables(cells_of(data, "people"), adjudge.compare(data, "people"))
    frame = found.to_frame().set_index(["measure", "system"])
    assert frame.loc[("right", "c"), "rank"] == 2
    assert not frame.loc["right", "outside"].any()
    assert "-0.5000" in found.table().to_text()


def test_a_measure_that_lacks_a_system_says_so(approved: Approved) -> None:
    rows = figure_4()
    rows = rows[~((rows["measure"] == "X1") & (rows["system"] == "L"))]
    found = rank_tables(cells_of(scores_of(rows), "retention"))
    approved(found.warnings())


def test_a_measure_that_is_the_same_for_all_ranks_nobody(approved: Approved) -> None:
    rows = scored()
    rows.loc[rows["measure"] == "wrong", "value"] = 0.5
    data = scores_of(rows)
    found = rank_tables(cells_of(data, "people"), adjudge.compare(data, "people"))
    frame = found.to_frame().set_index("measure")
    assert frame.loc["wrong", "rank"].isna().all()
    assert not frame.loc["wrong", "outside"].any()
    approved(found.warnings())


def test_tied_systems_have_all_the_ranks_that_they_share() -> None:
    """Two systems that tie for the first two places may be second each."""
    rows = scored()
    rows.loc[(rows["measure"] == "right") & (rows["system"] == "b"), "value"] = rows.loc[
        (rows["measure"] == "right") & (rows["system"] == "a"), "value"
    ].to_numpy()
    data = scores_of(rows)
    found = rank_tables(cells_of(data, "people"), adjudge.compare(data, "people"))
    frame = found.to_frame().set_index(["measure", "system"])
    assert frame.loc[("right", "b"), "rank"] == 1
    assert not frame.loc["right", "outside"].any()


def test_with_and_without_people_among_the_systems() -> None:
    data = scores_of(scored(), human="a")
    run = MetaRun(cells_of(data, "people"), Meta(), data)
    machines, everybody = tables_of_run(run).ranked
    assert [each.system for each in machines.systems] == ["b", "c"]
    assert [each.system for each in everybody.systems] == ["a", "b", "c"]


def test_rho_is_that_of_the_correlations() -> None:
    """Over the summaries that both have, where some are missing."""
    rows = scored().sample(frac=0.8, random_state=1)
    found = adjudge.meta(rows, people="people", parts=["correlations", "ranks"], resamples=20)
    held = found["correlations"].to_frame().set_index(["measure", "level", "coefficient"])["value"]
    ranks = found["ranks"].to_frame().groupby("measure")["rho"].first()
    for measure, rho in ranks.items():
        assert held[measure, "system", "spearman"] == pytest.approx(rho, nan_ok=True)
