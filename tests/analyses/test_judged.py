"""Tables of judgments: a small evaluation worked by hand, the paper's intervals, and planted faults that come back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from tests.approving import Approved
from typer.testing import CliRunner

from adjudge.analyses.gathered import average, gather, multiplier
from adjudge.analyses.judged import Judged as JudgedOptions
from adjudge.analyses.judged.agreement import agreement_table
from adjudge.analyses.judged.result import (
    JudgedTables,
    answers_by_question,
    judged_tables,
    quality_by_source,
    ratings_by_assessor,
    tidy,
)
from adjudge.assessors.simulated import Simulated, simulate
from adjudge.assessors.truth import Truth, UnitTruth
from adjudge.cli.analysis import command_of
from adjudge.core.errors import DataError, UsageError
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Summary, System, Topic, Unit
from adjudge.data.scores import Score, ScoreTable
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import Judgments
from adjudge.judgments.protocol import Protocol, load_protocol, parse_protocol
from adjudge.judgments.tasks import Event, Judged, Task, TextRef
from adjudge.stats.agreement import krippendorff

REFERENCE = TextRef("bob", 20)
# Two model units, three units of every peer; t1 is a document set, t2 a document.
#
#   topic  peer  assessor  m1            m2            relevant   questions with errors
#   t1     sys   x         p1    100 %   -       0 %   100 %      1 (1-5), 4 (>10)
#   t1     sys   y         p1     60 %   -       0 %     0 %      -
#   t1     ann   x         p1     20 %   p2    100 %   100 %      4 (1-5)
#   t1     ann   y         p1      0 %   p2     80 %     0 %      -            (marked, but none)
#   t2     lead  x         -      40 %   -       0 %    60 %      12 (6-10)    (some, but nothing marked)
Page = tuple[str, str, str, tuple[list[str], float], tuple[list[str], float], float, dict[int, str]]
PAGES: tuple[Page, ...] = (
    ("t1", "sys", "x", (["p1"], 1.0), ([], 0.0), 1.0, {1: "1-5", 4: ">10"}),
    ("t1", "sys", "y", (["p1"], 0.6), ([], 0.0), 0.0, {}),
    ("t1", "ann", "x", (["p1"], 0.2), (["p2"], 1.0), 1.0, {4: "1-5"}),
    ("t1", "ann", "y", (["p1"], 0.0), (["p2"], 0.8), 0.0, {}),
    ("t2", "lead", "x", ([], 0.4), ([], 0.0), 0.6, {12: "6-10"}),
)


def collection(
    topics: Sequence[Topic] = (Topic("t1", task="multi"), Topic("t2", task="single")),
) -> Collection:
    kinds = {"sys": "machine", "lead": "baseline", "ann": "human", "bob": "human"}
    summaries: dict[str, list[Summary]] = {}
    units: dict[str, list[Unit]] = {}
    for topic in topics:
        name = topic.topic
        summaries[name] = [
            Summary(name, peer, "Text.", 20, author=f"{peer}-author") for peer in ("sys", "lead", "ann")
        ]
        summaries[name].append(Summary(name, "bob", "A model.", 20, ("reference",)))
        units[name] = [Unit(name, "bob", "edu", f"m{k}", k, k + 1, "x", 20) for k in (1, 2)]
        units[name] += [
            Unit(name, peer, "sentence", f"p{k}", k, k + 1, "x", 20)
            for peer in ("sys", "lead", "ann")
            for k in (1, 2, 3)
        ]
    return Collection(
        Settings("e"),
        {t.topic: t for t in topics},
        {s: System(s, kind=k) for s, k in kinds.items()},
        {},
        summaries,
        units,
    )


def judged(task: Task, answers: Mapping[str, Any]) -> Judged:
    events = {q: Event(f"{task.id}-{q}", "e", task.id, task.assessor, q, a) for q, a in answers.items()}
    return Judged(task, events)


def coverage_page(number: int, page: Page) -> Judged:
    topic, peer, assessor, m1, m2, relevant, errors = page
    task = Task(f"task-{number}", "e", assessor, "duc-2002", "1", topic, TextRef(peer, 20), REFERENCE)
    answers: dict[str, Any] = {
        f"unit:m{k}": {"marked": marked, "completeness": share} for k, (marked, share) in ((1, m1), (2, m2))
    }
    answers["unmarked"] = {"relevant": relevant}
    answers |= {f"quality:{k}": {"value": errors.get(k, "0")} for k in range(1, 13)}
    return judged(task, answers)


def by_topic(found: Sequence[Judged], *protocols: Protocol) -> Judgments:
    topics: dict[str, tuple[Judged, ...]] = {}
    for each in found:
        topics[each.task.topic] = (*topics.get(each.task.topic, ()), each)
    return Judgments(topics, protocols={protocol.name: protocol for protocol in protocols})


def tables_of(own: Collection, judgments: Judgments, alpha: float = 0.05) -> JudgedTables:
    return judged_tables(gather(own, judgments), JudgedOptions(alpha=alpha))


JUDGMENTS = by_topic([coverage_page(n, page) for n, page in enumerate(PAGES)])
TABLES = tables_of(collection(), JUDGMENTS)


def cells(table: str, **key: Any) -> dict[str, Any]:
    return dict(TABLES[table].row(**key))


# By hand


def test_quality_by_source() -> None:
    # 2 and 0 errors: mean 1, s.d. sqrt 2, s.e. 1, so 1 - 2 to 1 + 2
    multi = cells("quality-by-source", task="multi", source="systems")
    assert (multi["n"], multi["mean"], multi["max"]) == (2, 1.0, 2.0)
    assert (multi["low"], multi["high"]) == pytest.approx((-1.0, 3.0))
    assert cells("quality-by-source", source="humans")["mean"] == 0.5
    single = cells("quality-by-source", task="single", source="baselines")
    assert (single["n"], single["mean"]) == (1, 1.0)
    assert math.isnan(single["low"])  # one judgment has no interval
    assert [row[1:3] for row in TABLES["quality-by-source"].rows] == [
        ("multi", "systems"),
        ("multi", "humans"),
        ("single", "baselines"),
    ]


def test_answers_by_question(approved: Approved) -> None:
    table = TABLES["answers-duc-2002"]
    assert [c.heading for c in table.columns] == [
        "question",
        "about",
        "None",
        "1-5",
        "6-10",
        ">10",
        "not answered",
    ]
    assert table.rows[0] == ("1", "capitalization", 4, 1, 0, 0, 0)
    assert table.rows[3] == ("4", "missing components", 3, 1, 0, 1, 0)
    assert table.rows[11] == ("12", "misplaced sentences", 4, 0, 1, 0, 0)
    approved(table.sentences)


def test_coverage_by_source_and_system() -> None:
    # .5 and .3: mean .4, s.d. .1 sqrt 2, s.e. .1
    for row in (cells("coverage-by-source", source="systems"), cells("coverage-by-system", system="sys")):
        assert (row["n"], row["length"]) == (2, 20)
        assert (row["mean"], row["low"], row["high"], row["median"]) == pytest.approx((0.4, 0.2, 0.6, 0.4))
    assert cells("coverage-by-source", source="baselines")["mean"] == pytest.approx(0.2)


def test_human_peers_retention_stands_apart_under_its_name(approved: Approved) -> None:
    assert cells("human-retention", statistic="retention_1")["mean"] == pytest.approx(0.75)  # 2/2 and 1/2
    weighted = cells("human-retention", statistic="retention_w")  # .6 and .4
    assert (weighted["mean"], weighted["low"], weighted["high"]) == pytest.approx((0.5, 0.3, 0.7))
    approved(TABLES["human-retention"].sentences)


def test_units_without_coverage_and_unmarked_units() -> None:
    row = cells("uncovered-by-source", source="systems")
    assert (row["units"], row["uncovered"], row["share"]) == (4, 2, 0.5)
    row = cells(
        "unmarked-by-source", source="systems"
    )  # two units left on each page; all relevant, none relevant
    assert (row["n"], row["unmarked"], row["relevant"], row["share"]) == (2, 4, 2.0, 0.5)
    row = cells("unmarked-by-source", source="baselines")
    assert (row["unmarked"], row["relevant"], row["mean_unmarked"]) == pytest.approx((3, 1.8, 3.0))


def test_contradictions_are_counted_by_assessor() -> None:
    assert TABLES["contradictions"].rows == (
        ("duc-2002", "x", 6, 0, 1, 1 / 6),
        ("duc-2002", "y", 4, 1, 0, 1 / 4),
    )


def test_agreement_is_krippendorffs_alpha_of_the_units(approved: Approved) -> None:
    values = np.array([[1.0, 0.6], [0.0, 0.0], [0.2, 0.0], [1.0, 0.8]])  # t2 was judged by one alone
    row = cells("agreement", question="completeness")
    assert (row["assessors"], row["units"], row["judgments"]) == (2, 4, 8)
    assert row["alpha"] == krippendorff(values, rng=np.random.default_rng(0), resamples=0).value
    # question 4: places 3 and 0 of sys, 1 and 0 of ann
    places = krippendorff([[3, 0], [1, 0]], rng=np.random.default_rng(0), resamples=0)
    assert cells("agreement", question="quality:4")["alpha"] == places.value
    assert cells("agreement", question="quality:2")["why"] is not None  # nobody found anything
    assert row["alpha"] is not None
    assert 0.667 <= row["alpha"] < 0.8
    approved(line for line in TABLES["agreement"].sentences if line.startswith("completeness: "))
    assert math.isnan(row["low"])  # there is one topic


def test_one_assessor_agrees_with_nobody(approved: Approved) -> None:
    alone = by_topic([coverage_page(0, PAGES[0]), coverage_page(4, PAGES[4])])
    table = agreement_table(gather(collection(), alone))
    assert table is not None
    [why] = {row[-1] for row in table.made.rows}
    assert why
    approved(table.sentences())


# The paper's intervals


# Over and Liggett 2002, "Overall peer quality": n, mean, interval. All half widths are even hundredths, as twice a
# standard error of two decimals is.
PRINTED = [
    (1770, 1.821, 1.741, 1.901),
    (354, 1.234, 1.094, 1.374),
    (228, 0.539, 0.419, 0.659),
    (3827, 1.276, 1.236, 1.316),
    (294, 0.718, 0.598, 0.838),
    (285, 0.505, 0.405, 0.605),
]


@pytest.mark.parametrize(("n", "mean", "low", "high"), PRINTED)
def test_the_interval_is_two_standard_errors_as_printed(n: int, mean: float, low: float, high: float) -> None:
    error = round((high - low) / 4, 2)
    z = np.linspace(-1, 1, n)
    found = average(mean + z / z.std(ddof=1) * error * math.sqrt(n))
    assert (round(found.mean, 3), round(found.low, 3), round(found.high, 3)) == (mean, low, high)


def test_other_levels_take_the_normal_quantile() -> None:
    assert multiplier(0.05) == 2.0
    assert multiplier(0.01) == pytest.approx(2.5758293)  # the normal distribution's .995 quantile
    with pytest.raises(UsageError, match="alpha is 1"):
        multiplier(1.0)


# What is counted


def test_a_planted_repeat_is_left_out_and_counted(approved: Approved) -> None:
    first = coverage_page(0, PAGES[0])
    again = coverage_page(9, (*PAGES[0][:6], {}))  # the same assessor, peer and reference, other answers
    found = tables_of(
        collection(), by_topic([first, replace(again, task=replace(again.task, repeat_of="task-0"))])
    )
    assert found["quality-by-source"].rows[0][3:5] == (1, 2.0)
    approved(found.about_scores)


def test_a_page_that_is_not_finished_is_left_out_and_counted(approved: Approved) -> None:
    whole = coverage_page(0, PAGES[0])
    half = Judged(whole.task, {q: e for q, e in whole.answers.items() if q not in ("unit:m2", "quality:3")})
    found = tables_of(collection(), by_topic([half]))
    assert found["coverage-by-source"].row()["n"] == 0
    approved([*found["coverage-by-source"].notes, *found["answers-duc-2002"].notes])
    assert found["unmarked-by-source"].row()["n"] == 0
    json.dumps(found.as_dict(), allow_nan=False)  # NaN is null


def test_lengths_are_pooled_for_quality_and_kept_apart_for_coverage(approved: Approved) -> None:
    one = coverage_page(0, PAGES[0])
    other = replace(one, task=replace(one.task, id="task-9", peer=TextRef("sys", 50)))
    found = tables_of(collection(), by_topic([one, other]))
    assert found["quality-by-source"].row()["n"] == 2
    approved(found["quality-by-source"].notes)
    assert [row[2] for row in found["coverage-by-source"].rows] == [20, 50]


def test_duc_2001_has_five_levels_and_no_errors() -> None:
    task = Task("t", "e", "x", "duc-2001", "1", "t1", TextRef("sys", 20), REFERENCE)
    keys = ("grammaticality", "cohesion", "coherence")
    own = gather(collection(), by_topic([judged(task, {f"quality:{k}": {"value": 0.75} for k in keys})]))
    assert quality_by_source(own) is None
    (table,) = answers_by_question(own)
    assert [c.heading for c in table.made.columns][2:7] == ["all", "most", "some", "hardly any", "none"]
    assert [row[:1] + row[2:7] for row in table.made.rows] == [(key, 0, 1, 0, 0, 0) for key in keys]


def test_nothing_judged_gives_no_tables() -> None:
    found = tables_of(collection(), Judgments())
    assert found.all_tables == ()
    with pytest.raises(UsageError, match="no table"):
        found["agreement"]


# Ratings


def rating(number: int, assessor: str, value: int, system: str = "sys") -> Judged:
    task = Task(f"r{number}", "e", assessor, "rating", "1", "t1", TextRef(system, 20))
    return judged(task, {"rating:fluency": {"value": value}})


def test_ratings_by_assessor_and_pooled(approved: Approved) -> None:
    given = [("x", 1), ("y", 2), ("x", 5)]
    found = tables_of(
        collection(),
        by_topic([rating(n, who, v, ("sys", "sys", "ann")[n]) for n, (who, v) in enumerate(given)]),
    )
    table = found["ratings-by-assessor"]
    assert [(row[2], row[3], row[4], row[7]) for row in table.rows] == [
        ("(all)", 3, 8 / 3, 2.0),
        ("x", 2, 3.0, 3.0),
        ("y", 1, 2.0, 2.0),
    ]
    assert found["ratings-by-system"].row(system="sys")["mean"] == 1.5
    approved(table.sentences)


def test_another_protocol_or_aspect_is_no_repeat_and_the_same_one_is() -> None:
    tone = replace(fine_scale(), name="my-rating")
    first = rating(1, "x", 1)
    other = Judged(replace(first.task, id="r2", protocol="my-rating"), first.answers)
    aspect = judged(replace(first.task, id="r3"), {"rating:coherence": {"value": 4}})
    apart = tables_of(collection(), by_topic([first, other, aspect], tone))
    rows = {(row[0], row[1], row[2]): row[3:5] for row in apart["ratings-by-assessor"].rows}
    assert {key: cells for key, cells in rows.items() if key[2] == "x"} == {
        ("my-rating", "fluency", "x"): (1, 1.0),
        ("rating", "coherence", "x"): (1, 4.0),
        ("rating", "fluency", "x"): (1, 1.0),
    }
    assert not apart.about_scores
    planted = rating(0, "x", 5)
    again = tables_of(
        collection(), by_topic([replace(planted, task=replace(planted.task, repeat_of="r1")), first])
    )
    assert again["ratings-by-assessor"].row(assessor="x")["mean"] == 1.0  # though the repeat is listed first
    assert len(again.about_scores) == 1


def test_an_anonymous_crowd_is_pooled_and_is_no_assessor(approved: Approved) -> None:
    crowd = [
        rating(n, "crowd-anonymous", value) for n, value in enumerate((1, 2, 3))
    ]  # three people, not repeats
    found = tables_of(collection(), by_topic([*crowd, rating(7, "x", 4)]))
    table = found["ratings-by-assessor"]
    assert [(row[2], row[3]) for row in table.rows] == [("(all)", 4), ("x", 1)]
    approved([*table.notes, *found["agreement"].notes])
    assert found["agreement"].row()["assessors"] == 1
    assert not found.about_scores


# Planted faults come back


def fine_scale() -> Protocol:
    choices = ", ".join(f'{{ value = {n}, label = "{n}" }}' for n in range(101))
    head = 'name = "fine"\nversion = "1"\nkind = "rating"\ntitle = "fine"\n'
    return parse_protocol(
        f'{head}[[aspects]]\nkey = "overall"\nask = "How?"\nchoices = [{choices}]', "fine.toml"
    )


def answered(tasks: Sequence[Task], protocol: Protocol, truth: Truth, who: Sequence[Simulated]) -> Judgments:
    own: dict[str, dict[str, Event]] = {}
    for event in simulate(tasks, protocol, truth, who, np.random.default_rng(5)):
        own.setdefault(event.task, {})[event.question] = event
    return by_topic([Judged(task, own[task.id]) for task in tasks], protocol)


def test_an_assessors_bias_comes_back_within_the_interval() -> None:
    topics = [Topic(f"d{n}") for n in range(300)]
    who = [Simulated("low", bias=-0.1, noise=0.08), Simulated("high", bias=0.15, noise=0.08)]
    peer = TextRef("sys", 20)
    tasks = [
        Task(f"{w.name}-{t.topic}", "e", w.name, "fine", "1", t.topic, peer) for w in who for t in topics
    ]
    truth = Truth(levels={(t.topic, peer, "overall"): 0.5 for t in topics})
    table = ratings_by_assessor(
        gather(collection(topics), answered(tasks, fine_scale(), truth, who)), alpha=0.01
    )
    assert table is not None
    for each in who:
        row = table.made.row(assessor=each.name)
        assert row["low"] < 100 * (0.5 + each.bias) < row["high"]  # type: ignore[operator]
        assert not row["low"] < 50 < row["high"]  # type: ignore[operator]  # and no bias would not pass


@pytest.fixture(scope="module", params=[0.0, 0.1, 0.4])
def covered(request: pytest.FixtureRequest) -> tuple[float, Any]:
    """Coverage of .2 to .8 that three assessors judged with the same noise."""
    protocol, peer = load_protocol("duc-2002"), TextRef("sys", 20)
    topics = [Topic(f"d{n}", task="multi") for n in range(60)]
    levels = {t.topic: {"m1": 0.2 + 0.2 * (n % 4), "m2": 0.4} for n, t in enumerate(topics)}
    pages = {
        (t, peer, REFERENCE): {u: UnitTruth(x, ("p1",)) for u, x in own.items()} for t, own in levels.items()
    }
    truth = Truth(
        pages,
        {page: frozenset({"p2"}) for page in pages},
        {(t, peer): ("p1", "p2", "p3") for t in levels},
        {(t, peer, str(k)): 0.0 for t in levels for k in range(1, 13)},
    )
    who = [Simulated(name, noise=request.param) for name in ("x", "y", "z")]
    tasks = [
        Task(f"{w.name}-{t}", "e", w.name, "duc-2002", "1", t, peer, REFERENCE) for w in who for t in levels
    ]
    return request.param, tables_of(collection(topics), answered(tasks, protocol, truth, who), alpha=0.01)


def test_planted_coverage_and_noise_come_back(covered: tuple[float, Any]) -> None:
    noise, tables = covered
    row, agreed = tables["coverage-by-source"].row(), tables["agreement"].row(question="completeness")
    planted = (0.5 + 0.4) / 2
    if noise == 0:
        assert row["mean"] == pytest.approx(planted)
        assert agreed["alpha"] == 1.0
    elif noise == 0.1:  # rounding is even around these truths, and the ends of the scale are two s.d. away
        assert row["low"] < planted < row["high"]
        # The variance of the truth is .0275 (m1 .05 around .5, m2 0 around .4, so .025, and .0025 between them).
        # Noise and the nearest fifth add .0133: one standard deviation away is the next choice. Alpha is the share.
        assert agreed["low"] < 0.0275 / (0.0275 + 0.0133) < agreed["high"]
    else:
        assert agreed["high"] < 0.5  # such a noise hides most of the truth


# Frames and pages


def test_every_table_is_a_frame_a_dictionary_and_latex() -> None:
    for name in [table.name for table in TABLES.all_tables]:
        table = TABLES[name]
        assert len(TABLES.to_frame(name)) == len(table.rows) > 0
        assert table.signature.split("|")[-1].startswith("v:")
        assert table.to_latex().count(r"\\") == len(table.rows) + 1
        heads, rows = table.printed()
        assert {len(row) for row in rows} == {len(heads)}
    assert "$>$10" in TABLES["answers-duc-2002"].to_latex()
    with pytest.raises(UsageError, match="2 rows"):
        TABLES["contradictions"].row(protocol="duc-2002")


def test_one_command_prints_them(small: Evaluation, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command_of("judged_tables"))
    folder = str(small.path)
    nothing = CliRunner().invoke(app, [folder])
    assert isinstance(nothing.exception, DataError)
    small.units()
    small.simulate_judgments("duc-2002", assessors=2, seed=1)
    printed = CliRunner().invoke(app, [folder])
    assert printed.exit_code == 0
    assert "Mean coverage by source (coverage-by-source)" in printed.output
    csv = CliRunner().invoke(app, [folder, "--table", "coverage-by-source", "--csv", str(tmp_path / "c.csv")])
    assert csv.exit_code == 0
    assert (
        (tmp_path / "c.csv")
        .read_text(encoding="utf-8")
        .startswith("protocol,task,length,form,source,n,mean,low,high")
    )
    (found,) = json.loads(CliRunner().invoke(app, [folder, "--json"]).stdout)
    assert set(found["signatures"]) == set(found["tables"])


def test_the_seed_decides_the_bootstrap() -> None:
    again = tables_of(collection(), JUDGMENTS)
    assert json.dumps(again.as_dict()) == json.dumps(TABLES.as_dict())


def test_the_tidy_frame_says_all_that_is_known() -> None:
    rows = [
        Score("m", "t1", "ann", 0.5, 20, assessor="x", reference="bob"),
        Score("m", "t1", "ann", 0.25, 20, assessor="x", reference="bob", repeat=1),
        Score("m", "t2", "lead", math.nan, 20, assessor="y", reference="bob", why="not judged"),
        Score("m", "t9", "new", 1.0),
    ]
    known = collection((Topic("t1", "s1", "event", "multi", "eve"), Topic("t2")))
    frame = tidy(known, ScoreTable.from_rows(rows), "m")
    assert list(frame.columns) == [
        "assessor",
        "system",
        "kind",
        "topic",
        "set",
        "type",
        "selector",
        "author",
        "length",
        "form",
        "reference",
        "value",
    ]
    assert frame.drop(columns="form").iloc[0].tolist() == [
        "x",
        "ann",
        "human",
        "t1",
        "s1",
        "event",
        "eve",
        "ann-author",
        20,
        "bob",
        0.5,
    ]
    assert frame["form"].isna().all()
    assert frame["kind"].tolist() == ["human", "human", "baseline", "machine"]
    assert frame["value"].isna().tolist() == [False, False, True, False]
    assert frame["set"].isna().tolist() == [False, False, True, True]
    with pytest.raises(UsageError):
        tidy(known, ScoreTable.from_rows(rows), "other")
