"""The paper's four tables: by hand, and end to end on the demo with simulated assessors."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.approving import Approved
from tests.cli.running import runner
from tests.conftest import few_topics

from adjudge.analyses.preferences import PreferenceReport
from adjudge.analyses.preferences.measures import (
    Columns,
    PaperColumn,
    PaperTable,
    PreferenceTables,
    agreements,
    minutes,
    minutes_of,
    paper_tables,
    plainest,
    ranked_sentences,
    score_columns,
    specs,
)
from adjudge.analyses.scores import Scores
from adjudge.assessors.preferences import simulate_preferences
from adjudge.cli import prefer
from adjudge.cli.analysis import command_of
from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Topic
from adjudge.data.scores import Score, ScoreTable
from adjudge.demo.build import build
from adjudge.demo.pyramids import pyramid_judgments
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import batches_of
from adjudge.measures.judged.preference import Preference
from adjudge.measures.judged.preference_strengths import pyramid_worth

NOBODY = minutes([], {})
REPORT, CONVERGE = command_of("preference_tables"), command_of("preferences_needed")
COMMANDS = {"report": REPORT, "converge": CONVERGE}
Once = Callable[[str, Callable[[Path], object]], Path]

# By hand


def by_hand(shares: dict[str, list[float]]) -> Columns:
    """Measures that agree with people on so much of each topic: ten pairs, of five systems."""
    rows = []
    count = max(map(len, shares.values()), default=3)
    for number in range(count):
        topic, people = f"t{number}", [5.0, 4.0, 3.0, 2.0, 1.0]
        rows += [Score("human", topic, s, v) for s, v in zip("abcde", people, strict=True)]
        for measure, values in shares.items():
            if not math.isnan(values[number]):
                rows += [
                    Score(measure, topic, s, v) for s, v in zip("abcde", ORDERS[values[number]], strict=True)
                ]
    topics = {f"t{k}": Topic(f"t{k}", set="odd" if k % 2 else "even") for k in range(count)}
    return Columns(Scores("hand", ScoreTable.from_rows(rows), {}, topics=topics), {"pyramid": "no pyramids"})


ORDERS = {1.0: [5, 4, 3, 2, 1], 0.9: [4, 5, 3, 2, 1], 0.5: [3, 5, 1, 2, 4], 0.0: [1, 2, 3, 4, 5]}
HAND = by_hand(
    {
        "preference": [1.0, 1.0, 0.9],
        "rouge-1-recall": [0.5, 0.9, 0.5],
        "rouge-2-recall": [1.0, 1.0, math.nan],
        "preference(source=ref)": [0.5, 0.5, 0.5],
    }
)


def tables(columns: Columns, **how: Any) -> PreferenceTables:
    return paper_tables(columns, PreferenceReport("human", **how), NOBODY)


def notes_on(found: PreferenceTables, name: str) -> list[str]:
    return [found.note_text(note) for note in found.paper(name).notes()]


def test_a_table_is_over_the_topics_that_all_of_its_columns_have(approved: Approved) -> None:
    found = tables(HAND)
    first = found.paper("table-1")
    assert first.topics == ("t0", "t1")
    assert first["man"].value == 1
    assert first["R1"].value == pytest.approx(0.7)
    approved(notes_on(found, "table-1"))
    # .7 -+ 12.7 x .2 by Student's t with 1 degree of freedom, and a share is between 0 and 1.
    assert (first["R1"].low, first["R1"].high) == (0, 1)
    js = [1.0, 0.9, 0.5] * 3
    many = tables(by_hand({"preference": [1.0] * 9, "rouge-1-recall": [0.5, 0.9, 0.5] * 3, "js": js}))
    assert math.isnan(many.paper("table-1")["R1"].low)  # 6 of 9 are .5
    low, high = stats.t.interval(0.95, 8, np.mean(js), stats.sem(js))
    assert many.paper("table-1")["JS"].low == pytest.approx(low)
    assert many.paper("table-1")["JS"].high == pytest.approx(high)


def test_what_is_missing_says_why(approved: Approved) -> None:
    found = tables(HAND)
    assert found.paper("table-1")["JS"].why == "not scored"
    approved([*found.about("table-1"), *notes_on(found, "table-3")])
    assert [cell.why for cell in found.paper("table-4").cells] == ["no topic is judged"] * 6


def test_sentences_compare_the_evaluator_with_the_others(approved: Approved) -> None:
    far = by_hand(
        {
            "preference": [1.0] * 9,
            "rouge-1-recall": [0.5] * 9,
            "rouge-2-recall": [0.5] + [1.0] * 8,
            "js": [1.0] * 9,
        }
    )
    near = by_hand({"preference": [1.0, 0.5] * 6, "rouge-1-recall": [0.5, 1.0] * 6})
    few = by_hand({"preference": [1.0] * 3, "rouge-1-recall": [0.5] * 3})
    turned = by_hand({"preference": [0.0] * 9, "rouge-1-recall": [0.5, 0.9, 0.5] * 3})
    for label, columns in (("far", far), ("near", near), ("few", few), ("turned", turned)):
        approved(tables(columns).about("table-1"), label)


def test_the_human_measure_is_not_compared_with_itself() -> None:
    found = paper_tables(HAND, PreferenceReport("preference"), NOBODY)
    assert found.paper("table-1")["man"].why == "it is what the others are compared with"


def test_more_measures_have_a_table_of_their_own() -> None:
    more = tables(HAND, measure=["rouge-1-recall", "human"]).paper("more")
    assert [(cell.heading, cell.why is None) for cell in more.cells] == [
        ("rouge-1-recall", True),
        ("human", False),
    ]


def test_rows_by_topic_and_by_set() -> None:
    first = tables(HAND).paper("table-1")
    table = first.table("topic")
    heads, rows = [column.title for column in table.columns], table.rows
    assert heads[0] == ""
    assert [row[0] for row in rows] == ["t0", "t1", "mean", "95% interval", "topics"]
    assert [row[heads.index("R1")] for row in rows[:3]] == ["0.500", "0.900", "0.700"]
    rows = first.table("set").rows
    assert [row[0] for row in rows[:2]] == ["even", "odd"]
    frame = tables(HAND, rows="topic").to_frame()
    frame = frame[frame["table"] == "table-1"]
    assert frame[(frame["column"] == "R1") & (frame["topic"] == "t1")]["agreement"].tolist() == [0.9]
    assert tables(HAND).to_frame()["topics"].tolist()[:7] == [0, 2, 2, 0, 0, 0, 2]


def test_latex_and_json() -> None:
    first = tables(HAND)
    assert r" & JS & R1 & R2 & R3 & R4 & SU4 & man & minutes \\" in first.to_latex()
    assert r"95\% interval" in first.to_latex()
    data = json.loads(json.dumps(first.as_dict(), allow_nan=False))
    assert data["minutes_per_topic"] is None
    assert data["tables"]["columns"][0]["agreement"] is None
    assert data["per_topic"]["table-1"]["man"] == {"t0": 1.0, "t1": 1.0}


def test_no_topic_has_all_columns() -> None:
    apart = by_hand({"preference": [1.0, math.nan, math.nan], "rouge-1-recall": [math.nan, 0.5, math.nan]})
    first = tables(apart).paper("table-1")
    assert {first["man"].why, first["R1"].why} == {"no topic has all columns"}


def test_the_columns_are_measures() -> None:
    found = specs(Preference(smooth=False, crowd=True))
    assert found["man+ref"] == "preference(source=man+ref, smooth=false, crowd=true)"
    assert found["ref"] == "preference(source=ref, smooth=false)"
    assert list(specs(Preference()))[-6:] == ["man", "ref", "py", "man+ref", "man+py", "man+ref+py"]


def test_one_number_has_one_name() -> None:
    given = Preference(seed=3, ties="paper", simulated="all")
    assert str(plainest(given)) == "preference"
    assert str(plainest(replace(given, asked="50"))) == "preference(asked=50, seed=3)"
    assert str(plainest(replace(given, source="ref", asked="50"))) == (
        "preference(source=ref, ties=paper, simulated=all, seed=3)"
    )
    assert specs(given)["man+ref"] == "preference(source=man+ref, ties=paper, simulated=all, seed=3)"


def test_topics_without_a_pair_to_order_are_counted(approved: Approved) -> None:
    rows = [
        Score(m, t, s, v if t == "t1" else 1.0)
        for m in ("human", "preference", "rouge-1-recall")
        for t in ("t1", "t2")
        for s, v in (("a", 2.0), ("b", 1.0))
    ]
    every = tables(Columns(Scores("ties", ScoreTable.from_rows(rows), {})))
    approved(notes_on(every, "table-1"))
    found = every.paper("table-1")
    assert (found["man"].value, found["man"].pairs) == (1, 1)
    assert math.isnan(found["man"].low)  # one topic has no interval


def test_nothing_is_scored() -> None:
    found = tables(by_hand({})).paper("table-1")
    assert {cell.why for cell in found.cells} == {"not scored"}
    assert found.topics == ()
    assert [row[0] for row in found.table("topic").rows] == ["mean", "95% interval", "topics"]


def test_a_cell_that_is_not_there() -> None:
    with pytest.raises(StopIteration):
        PaperTable(name="t", title="T", cells=(PaperColumn("a", "m"),), level=0.95)["b"]


# The demo


@pytest.fixture(scope="module")
def demo(once: Once, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the demo with pyramids, and 200 answers per topic by simulated assessors who know the references; a
    copy, in which reports keep scores."""

    def fill(folder: Path) -> None:
        build(folder / "e")
        e = Evaluation.open(folder / "e")
        e.take_judgments(pyramid_judgments(e.settings.name))
        simulate_preferences(e.folder, e.collection, "ref", count=200, noise=0.1, seed=1)
        few_topics(folder / "e")

    return copytree(once("preference-tables", fill) / "e", tmp_path_factory.mktemp("preference-tables") / "e")


@pytest.fixture(scope="module")
def report(judged_demo: Path, once: Once) -> dict[str, Any]:
    """The whole way: adjudge demo --judged, prefer simulate, prefer report."""

    def fill(folder: Path) -> None:
        path = copytree(judged_demo, folder / "e")
        runner(prefer.simulate)(f"{path} --from ref --per-topic 200 --noise 0.1 --seed 1")
        done = runner(REPORT)(f"{path} --people coverage --json --workers 1")
        (folder / "report.json").write_text(done.stdout, encoding="utf-8")

    text = (once("preference-report", fill) / "report.json").read_text(encoding="utf-8")
    return json.loads(text)[0]  # type: ignore[no-any-return]


def column(report: dict[str, Any], table: str, heading: str) -> dict[str, Any]:
    rows = report["tables"]["columns"]
    return next(row for row in rows if (row["table"], row["column"]) == (table, heading))


def test_the_demo_end_to_end(report: dict[str, Any]) -> None:
    """Preferences of simulated assessors agree with coverage, beyond chance, beside ROUGE and JS."""
    assert list(report["tables"])[:4] == ["table-1", "table-2", "table-3", "table-4"]
    man = column(report, "table-1", "man")
    assert man["topics"] == 12
    assert man["low"] > 0.5
    for heading in ("JS", "R1", "R2", "R3", "R4", "SU4"):
        assert 0 < column(report, "table-1", heading)["agreement"] < 1
    for heading in ("man+ref", "man+py", "man+ref+py"):
        assert column(report, "table-2", heading)["low"] > 0.5
    for heading in ("ref", "py"):
        assert column(report, "table-3", heading)["low"] > 0.5


def test_pyramids_are_reconstructed_and_smoothing_hurts_that(report: dict[str, Any]) -> None:
    """As the paper's Table 4: many perfect preferences order nearly all pairs, and smoothing blurs them."""
    assert column(report, "table-4", "py")["agreement"] > 0.99
    assert column(report, "table-4", "py")["low"] is None  # it is 1 on nearly every topic
    assert column(report, "table-4", "smoothed py")["high"] < column(report, "table-4", "py")["agreement"]


def test_all_pairs_without_smoothing_order_every_pair(demo: Path) -> None:
    e = Evaluation.open(demo)
    batches = dict(list(batches_of(e.collection, e.judgments()).items())[:3])
    table = ranked_sentences(batches, Preference(simulated="all"))
    assert [table["py"].topics[t] for t in batches] == [1.0, 1.0, 1.0]
    assert table["smoothed py"].value < 1  # a check that can fail


def test_table_4_is_the_agreement_of_strengths_with_weights(demo: Path) -> None:
    from itertools import combinations

    from adjudge.measures.judged.preference_strengths import similarity_of, strengths_of

    e = Evaluation.open(demo)
    batch = batches_of(e.collection, e.judgments())["d02"]
    table = ranked_sentences({"d02": batch}, Preference())
    values = strengths_of(batch, Preference(smooth=False).recipe())
    truth = pyramid_worth(batch, similarity_of(batch, "tfidf-jaccard"))
    assert not isinstance(values, str)
    different = [(i, j) for i, j in combinations(range(len(truth)), 2) if abs(truth[i] - truth[j]) > 1e-9]
    right = [(values.log[i] > values.log[j] + 1e-9) == (truth[i] > truth[j]) for i, j in different]
    assert table["man"].value == pytest.approx(np.mean(right), abs=2 / len(different))
    assert table["man"].pairs == len(different)


def test_the_tables_are_the_measures_agreement(demo: Path) -> None:
    e = Evaluation.open(demo)
    asked = PreferenceReport("pyramid")
    found = score_columns(asked.read(e), ["preference", "rouge-2-recall", "pyramid"], asked)
    every = agreements(found.data, "pyramid", ["preference", "rouge-2-recall"])
    table = paper_tables(found, asked, NOBODY).paper("table-1")
    assert [each.mean for each in every] == pytest.approx([table["man"].value, table["R2"].value])


def test_simulated_answers_take_no_time(demo: Path) -> None:
    assert minutes_of(Evaluation.open(demo).folder).why == "nobody was asked"


# The commands


def test_the_report_for_people(demo: Path) -> None:
    done = runner(REPORT)(f"{demo} --people pyramid -m rouge-2-recall --rows topic --workers 1")
    assert "Table 1. Agreement with people" in done.stdout
    assert "\nd05 " in done.stdout
    assert re.search(
        r"R1 +table-1, table-2, table-3, more|R1 +table-1.* rouge-1-recall\|stat:recall\|stem:porter-155",
        done.stdout,
    )
    assert "note: 1,000 of 1,000 answers are simulated" in done.stderr
    rows = runner(REPORT)(f"{demo} --people pyramid --csv - --rows set --workers 1").stdout
    assert {row["table"] for row in csv.DictReader(StringIO(rows))} == {f"table-{k}" for k in range(1, 5)}


def test_simulate_score_converge(demo: Path, tmp_path: Path) -> None:
    copytree(demo, tmp_path / "e")
    said = json.loads(runner(prefer.simulate)(f"{tmp_path / 'e'} --from py --per-topic 5 --json").stdout)
    assert (said["answers"], said["from"]) == (25, "py")
    done = runner(prefer.score)(f"{tmp_path / 'e'} --from man+py --simulated 20 --no-smooth --workers 1")
    assert done.stdout.startswith("preference(source=man+py, smooth=false, simulated=20)\n")
    assert "fluent" in done.stdout
    scored = json.loads(runner(prefer.score)(f"{tmp_path / 'e'} --from ref --workers 1 --json").stdout)
    assert scored["measure"] == "preference(source=ref)"
    assert len(scored["means"]) == 9
    found = json.loads(
        runner(CONVERGE)(f"{tmp_path / 'e'} --people pyramid --runs 2 --step 100 --json").stdout
    )[0]
    assert [row["answers"] for row in found["tables"]["convergence"]] == [100, 200, 205]
    assert {row["measure"] for row in found["tables"]["measures"]} == {"R1", "R2", "R3", "R4", "SU4", "JS"}
    text = runner(CONVERGE)(f"{tmp_path / 'e'} --people pyramid --runs 1 --step 150").stdout
    assert "Agreement with pyramid by the number of answers per topic" in text


@pytest.mark.parametrize(
    ("command", "line", "error", "message"),
    [
        ("report", "--people pyramid --systems human", UsageError, 'systems is "human".*; expected one of'),
        ("report", "--people words", UsageError, "people=words is a description"),
        ("report", "--people 'rating(aspect=style)'", DataError, "no judgment gives such a score"),
        ("report", "--people pyramd", UsageError, 'no measure "pyramd"'),
        ("report", "--people expert:style", UsageError, 'no imported scores "expert:style"'),
        ("score", "--from people", UsageError, '--from is "people", expected one of: man'),
        ("score", "--simulated many", UsageError, "simulated=many; expected paper or all, or a number"),
        ("converge", "--people pyramid --penalty much", UsageError, 'penalty is "much"; expected one of'),
        ("simulate", "--from man", UsageError, 'origin is "man", expected one of: ref, py'),
    ],
)
def test_mistakes_are_one_line(
    demo: Path, command: str, line: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        runner(COMMANDS.get(command) or getattr(prefer, command))(f"{demo} {line}")
    assert "\n" not in str(caught.value)
