"""Results of judgments that are drawn: units by completeness, quality by question, length adjustment, volume.

The small evaluation is that of test_judged, worked by hand there; larger ones are counted plainly here.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from statistics import fmean

import numpy as np
import pytest
from tests.analyses.test_judged import (
    JUDGMENTS,
    PAGES,
    REFERENCE,
    TABLES,
    by_topic,
    collection,
    coverage_page,
    judged,
    rating,
    tables_of,
)
from tests.approving import Approved

from adjudge.analyses.gathered import SOURCES, Gathered, gather
from adjudge.analyses.judged.adjustment import length_adjustment
from adjudge.analyses.judged.quality_answers import QualityAnswers, SourceAnswers, quality_answers
from adjudge.analyses.judged.result import uncovered_by_source
from adjudge.analyses.judged.unit_coverage import coverage_spread, unit_coverage
from adjudge.analyses.judged.unmarked import unmarked_units
from adjudge.analyses.judged.volume import EVERYBODY, judging_volume, submitted
from adjudge.core.errors import UsageError
from adjudge.data.collection import Collection
from adjudge.data.folder import Settings
from adjudge.data.rows import Summary, System, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import Judgments
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Judged, Task, TextRef
from adjudge.measures.judged.coverage import AdjustedCoverage, Coverage

GATHERED = gather(collection(), JUDGMENTS)


@pytest.fixture(scope="module")
def demo(judged_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Gathered:
    e = Evaluation.open(copytree(judged_demo, tmp_path_factory.mktemp("judged") / "e"))
    return gather(e.collection, e.judgments())


def first_pages(gathered: Gathered) -> list[Judged]:
    """Every page of DUC-2002 that is no planted repeat, straight from the judgments."""
    return [
        each
        for some in gathered.judgments.by_topic.values()
        for each in some
        if each.task.protocol == "duc-2002" and each.task.repeat_of is None
    ]


def source_of(gathered: Gathered, each: Judged) -> str:
    assert each.task.peer is not None
    return SOURCES[gathered.collection.kind(each.task.peer.system)]


# Units by completeness


def test_units_by_completeness_by_hand(approved: Approved) -> None:
    found = unit_coverage(GATHERED)
    multi = {row.source: row for row in found.rows if row.part[1] == "multi"}
    # sys: 1, 0 and .6, 0; ann: .2, 1 and 0, .8
    assert multi["systems"].counts == {0.0: 2, 0.2: 0, 0.4: 0, 0.6: 1, 0.8: 0, 1.0: 1}
    assert multi["humans"].counts == {0.0: 1, 0.2: 1, 0.4: 0, 0.6: 0, 0.8: 1, 1.0: 1}
    assert (multi["all"].n, multi["all"].none, multi["all"].full) == (8, 3 / 8, 2 / 8)
    (single,) = [row for row in found.rows if row.part[1] == "single"]  # one source alone is all of them
    assert (single.source, single.counts[0.4], single.none) == ("baselines", 1, 0.5)
    approved(found.sentences())
    frame = found.to_frame()
    assert frame.groupby(["task", "source"])["share"].sum().to_numpy() == pytest.approx(1)
    assert list(frame["label"].unique()) == ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]


def test_units_by_completeness_are_those_of_a_plain_count(demo: Gathered) -> None:
    plain: Counter[tuple[str, float]] = Counter()
    for each in first_pages(demo):
        for question, event in each.answers.items():
            if question.startswith("unit:"):
                plain[source_of(demo, each), event.answer["completeness"]] += 1
    found = unit_coverage(demo)
    counted: Counter[tuple[str, float]] = Counter()
    for row in found.rows:
        if row.source != "all":
            counted.update({(row.source, value): n for value, n in row.counts.items() if n})
    assert counted == plain
    assert sum(plain.values()) > 1000
    # and the share with none is that of the table of uncovered units
    uncovered = uncovered_by_source(demo)
    assert uncovered is not None
    assert {
        (r["task"], r["length"], r["form"], r["source"]): r["share"] for r in uncovered.made.records()
    } == {(*row.part[1:], row.source): row.none for row in found.rows if row.source != "all"}


def test_duc_2001_has_a_scale_of_its_own() -> None:
    task = Task("t", "e", "x", "duc-2001", "1", "t1", TextRef("sys", 20), REFERENCE)
    answers = {f"unit:m{k}": {"marked": [], "completeness": share} for k, share in ((1, 0.25), (2, 1.0))}
    own = replace(collection(), units={})
    found = unit_coverage(gather(own, by_topic([judged(task, answers), coverage_page(0, PAGES[0])])))
    assert [table.name for table in found.tables()] == ["unit-coverage-duc-2001", "unit-coverage-duc-2002"]
    table = found.table("unit-coverage-duc-2001")
    assert [c.heading for c in table.columns][6:11] == ["none", "hardly any", "some", "most", "all"]
    assert table.rows[0][6:11] == (0, 1, 0, 0, 1)


# Pages by system


def test_quartiles_are_numpys_and_whiskers_reach_one_and_a_half_boxes(demo: Gathered) -> None:
    values: dict[str, list[float]] = {}
    for entry, score in demo.scored(Coverage()):
        values.setdefault(entry.system, []).append(score.value)
    beyond = 0
    for row in coverage_spread(demo).rows:
        if row.system is None:
            continue
        own = np.array(values[row.system])
        q1, median, q3 = np.quantile(own, [0.25, 0.5, 0.75])
        inside = own[(own >= q1 - 1.5 * (q3 - q1)) & (own <= q3 + 1.5 * (q3 - q1))]
        assert row.quartiles == pytest.approx((q1, median, q3))
        assert row.whiskers == pytest.approx((inside.min(), inside.max()))
        assert len(row.beyond) == own.size - inside.size
        assert row.average.mean == pytest.approx(own.mean())
        beyond += len(row.beyond)
    assert beyond


def test_a_source_is_all_of_its_systems_and_one_page_is_a_box() -> None:
    rows = {(row.source, row.system): row for row in coverage_spread(GATHERED).rows}
    assert rows["systems", None].values == rows["systems", "sys"].values == pytest.approx((0.3, 0.5))
    one = rows["baselines", "lead"]
    assert (one.quartiles, one.whiskers, one.beyond) == ((0.2, 0.2, 0.2), (0.2, 0.2), ())


# Quality


def test_quality_by_question_and_source_by_hand(approved: Approved) -> None:
    found = quality_answers(GATHERED)
    rows = {(row.task, row.key, row.source): row for row in found.rows}
    own = rows["multi", "4", "systems"]  # >10 and none: 3 and 0
    assert (own.n, own.average.mean, own.error_share, own.worst, own.worst_share) == (2, 1.5, 0.5, ">10", 0.5)
    assert rows["single", "12", "baselines"].average.mean == 2.0  # 6-10
    assert rows["multi", "4", "humans"].worst_share == 0.0
    approved(found.headline())
    row = TABLES["quality-by-question"].row(question="4", source="systems", task="multi")
    assert (row["n"], row["mean"], row["errors"], row["worst"], row["worst_share"]) == (
        2,
        1.5,
        0.5,
        ">10",
        0.5,
    )


def test_quality_by_peer_counts_every_system_by_itself(demo: Gathered, approved: Approved) -> None:
    found = quality_answers(demo)
    counts: Counter[tuple[str, str, str]] = Counter()
    for page in first_pages(demo):
        assert page.task.peer is not None
        for question, event in page.answers.items():
            if question.startswith("quality:"):
                key = question.partition(":")[2], page.task.peer.system
                counts[*key, "all"] += 1
                counts[*key, "errors"] += event.answer["value"] != "0"
    table = found.table("quality-by-peer")
    assert len(table.rows) == 12 * len({system for _, system, _ in counts})
    for row in table.records():
        key = str(row["question"]), str(row["system"])
        assert row["n"] == counts[*key, "all"]
        assert row["errors"] == pytest.approx(counts[*key, "errors"] / counts[*key, "all"])
    for whole in found.rows:
        peers = [peer for peer in found.peers if (peer.key, peer.source) == (whole.key, whole.source)]
        assert sum(peer.n for peer in peers) == whole.n
        assert all(sum(peer.counts[v] for peer in peers) == n for v, n in whole.counts.items())
    assert "quality-by-peer" not in [table.name for table in found.all_tables]  # which would be long
    approved(list(found.only(["quality-by-peer"]).sentences()))
    assert list(quality_answers(demo.at(length=100)).about("quality-by-peer"))


# Over and Liggett 2002, "Uneven distribution of scores by question": none, 1-5, 6-10, >10
PRINTED = {
    1: (4847, 904, 236, 360),
    2: (5955, 391, 1, 0),
    3: (6188, 159, 0, 0),
    4: (4932, 1408, 6, 1),
    5: (5665, 669, 8, 5),
    6: (6084, 260, 3, 0),
    7: (5796, 545, 6, 0),
    8: (5092, 1245, 7, 3),
    9: (6219, 128, 0, 0),
    10: (6164, 183, 0, 0),
    11: (5778, 557, 11, 1),
    12: (4423, 1857, 66, 1),
}


def printed_answers() -> QualityAnswers:
    protocol = load_protocol("duc-2002")
    rows = tuple(
        SourceAnswers(
            protocol=protocol.name,
            task=None,
            question=question,
            source="systems",
            counts=dict(zip(question.values, PRINTED[number], strict=True)),
            unanswered=0,
        )
        for number, question in enumerate(protocol.questions, 1)
    )
    return QualityAnswers(rows=rows, protocols=(protocol,), alpha=0.05)


def test_the_printed_distribution_of_answers(approved: Approved) -> None:
    found = printed_answers()
    assert {row.n for row in found.rows} == {6347}
    approved(found.headline())
    for row in found.rows:
        none, few, many, more = PRINTED[int(row.key)]
        assert row.error_share == pytest.approx((few + many + more) / 6347)
        assert row.average.mean == pytest.approx((few + 2 * many + 3 * more) / 6347)
        assert row.worst_share == more / 6347
        assert none == row.counts["0"]


def test_ratings_are_questions_too_and_the_least_is_the_worst() -> None:
    given = [rating(1, "x", 1), rating(2, "y", 5), rating(3, "x", 1, "ann")]
    found = quality_answers(gather(collection(), by_topic(given)))
    rows = {row.source: row for row in found.rows}
    assert (rows["systems"].key, rows["systems"].average.mean, rows["systems"].worst) == ("fluency", 3.0, 1)
    assert (rows["systems"].worst_share, rows["humans"].worst_share) == (0.5, 1.0)
    assert math.isnan(rows["systems"].error_share)


def test_questions_that_nobody_answered_are_counted(approved: Approved) -> None:
    whole = coverage_page(0, PAGES[0])
    half = Judged(whole.task, {q: e for q, e in whole.answers.items() if q != "quality:3"})
    found = quality_answers(gather(collection(), by_topic([half])))
    assert (found.rows[2].n, found.rows[2].unanswered) == (0, 1)
    approved(found.warnings())
    json.dumps(found.table().as_dict(), allow_nan=False)


# Length adjustment


def test_length_adjustment_is_the_two_measures_system_by_system(demo: Gathered) -> None:
    cells: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for (entry, plain), (_, other) in zip(
        demo.scored(Coverage()), demo.scored(AdjustedCoverage()), strict=True
    ):
        own = cells.setdefault((entry.system, entry.judged.task.topic), {})
        own.setdefault(entry.assessor, []).append((plain.value, other.value))
    (part,) = length_adjustment(demo).parts
    means = {}
    for system in part.systems:
        topics = [people for (name, _), people in cells.items() if name == system.system]
        before, after = (
            fmean(fmean(fmean(page[at] for page in own) for own in people.values()) for people in topics)
            for at in (0, 1)
        )
        assert (system.coverage, system.adjusted) == pytest.approx((before, after))
        assert fmean(system.gains) == pytest.approx(after - before)
        means[system.system] = (before, after)
    for at, ranks in ((0, "rank"), (1, "adjusted_rank")):
        order = sorted(means, key=lambda name: -means[name][at])
        assert {s.system: getattr(s, ranks) for s in part.systems} == {n: k for k, n in enumerate(order, 1)}
    assert any(s.moved for s in part.systems)


def test_a_short_summary_rises_and_others_keep_two_thirds(approved: Approved) -> None:
    found = length_adjustment(GATHERED)
    multi = {s.system: s for s in found.parts[0].systems}
    # "Text." is one word of 20: brevity .95; ann covers .5 on average, sys .4
    assert multi["sys"].adjusted == pytest.approx(2 / 3 * 0.4 + 0.95 / 3)
    assert (multi["ann"].rank, multi["ann"].adjusted_rank, multi["sys"].rank) == (1, 1, 2)
    assert not any(s.moved for s in found.parts[0].systems)
    approved(found.headline())
    half = length_adjustment(GATHERED, "length-adjusted-coverage(weight=0.5)")
    assert half.parts[0].systems[0].adjusted == pytest.approx(0.5 * 0.5 + 0.5 * 0.95)
    with pytest.raises(UsageError, match="no length-adjusted coverage"):
        length_adjustment(GATHERED, "rouge-2")


def test_missing_topics_are_adjusted_for_and_said(approved: Approved) -> None:
    """sys is .2 better wherever both were judged, and ann has the easy topic alone."""
    topics = [Topic(f"t{k}", task="multi") for k in (1, 2)]
    given = [("t1", "sys", 0.2), ("t1", "ann", 0.0), ("t2", "ann", 1.0)]
    pages = [
        coverage_page(n, (topic, system, "x", (["p1"], share), (["p1"], share), 1.0, {}))
        for n, (topic, system, share) in enumerate(given)
    ]
    found = length_adjustment(gather(collection(topics), by_topic(pages)))
    (part,) = found.parts
    assert [(s.system, s.rank) for s in part.systems] == [("sys", 1), ("ann", 2)]
    assert part.systems[0].coverage - part.systems[1].coverage == pytest.approx(0.2)
    approved(found.warnings())
    apart = length_adjustment(gather(collection(topics), by_topic([pages[0], pages[2]])))
    assert {s.rank for s in apart.parts[0].systems} == {None}
    approved(apart.headline(), "apart")


# Unmarked units


def test_unmarked_units_by_system_add_up_to_those_by_source(demo: Gathered) -> None:
    found = unmarked_units(demo)
    for source in found.sources:
        own = [row for row in found.systems if (row.part, row.source) == (source.part, source.source)]
        assert source.n == sum(row.n for row in own)
        assert source.unmarked == sum(row.unmarked for row in own)
        assert source.relevant == pytest.approx(sum(row.relevant for row in own))
    # plainly: a summary's units, less those that were marked
    sentences = Counter(
        (u.topic, u.system, u.length)
        for own in demo.collection.units.values()
        for u in own
        if u.kind == "sentence"
    )
    plain: Counter[str] = Counter()
    for each in first_pages(demo):
        peer = each.task.peer
        assert peer is not None
        units = [e.answer["marked"] for q, e in each.answers.items() if q.startswith("unit:")]
        marked = {unit for some in units for unit in some}
        plain[peer.system] += sentences[each.task.topic, peer.system, peer.length] - len(marked)
    assert {row.system: row.unmarked for row in found.systems} == plain


# How much was judged, and of what


def test_volume_is_a_plain_count(demo: Gathered) -> None:
    found = judging_volume(demo)
    row = next(r for r in found.rows if (r.protocol, r.assessor) == ("duc-2002", EVERYBODY))
    pages = first_pages(demo)
    sentences = Counter(
        (u.topic, u.system, u.length)
        for own in demo.collection.units.values()
        for u in own
        if u.kind == "sentence"
    )
    units = comparisons = 0
    for each in pages:
        peer = each.task.peer
        assert peer is not None
        own = sum(question.startswith("unit:") for question in each.answers)
        units += own
        comparisons += own * sentences[each.task.topic, peer.system, peer.length]
    assert (row.judgments, row.units, row.comparisons) == (len(pages), units, comparisons)
    assert row.summaries == len({(each.task.topic, each.task.peer) for each in pages})
    assert row.answers == sum(len(each.answers) for each in pages)
    every = [j for some in demo.judgments.by_topic.values() for j in some if j.task.protocol == "duc-2002"]
    assert row.repeats == len(every) - len(pages) > 0
    each_one = [r for r in found.rows if r.protocol == "duc-2002" and r.assessor != EVERYBODY]
    assert sum(r.units for r in each_one) == units
    # and is the number of units that the table of completeness counts
    assert units == sum(r.n for r in unit_coverage(demo).rows if r.source == "all")


def test_programs_that_judge_are_in_no_sum_and_time_is_said_where_known(approved: Approved) -> None:
    page = coverage_page(0, PAGES[0])
    timed = Judged(page.task, {q: replace(e, took_ms=90_000) for q, e in page.answers.items()})
    learned = Judged(
        replace(page.task, id="l", assessor="tree"),
        {q: replace(e, origin="learned") for q, e in page.answers.items()},
    )
    other = coverage_page(1, PAGES[1])
    own = by_topic([timed, other])
    own = replace(own, by_judge={"tree": {"t1": (learned,)}})
    found = judging_volume(gather(collection(), own))
    rows = {row.assessor: row for row in found.rows}
    assert (rows[EVERYBODY].judgments, rows["tree"].judgments, rows["tree"].origin) == (2, 1, "learned")
    assert rows["x"].hours == pytest.approx(15 * 90 / 3600)  # two units, unmarked, twelve questions
    assert math.isnan(rows["y"].hours)
    assert rows[EVERYBODY].comparisons == 2 * 2 * 3
    approved([found.headline(), *found.table().notes])
    # nothing else counts what a program said
    tables = tables_of(collection(), own)
    assert tables["quality-by-question"].row(question="1")["n"] == 2
    assert tables["coverage-quartiles"].row(system="sys")["n"] == 2
    assert tables["unit-coverage-duc-2002"].row()["units"] == 4
    assert tables["length-adjustment"].row()["coverage"] == pytest.approx(0.4)
    assert tables["unmarked-by-system"].row()["n"] == 2


# Over and Liggett 2002, "Submitted summaries by system code": single abstracts of 100 words; multi abstracts of 10, 50,
# 100 and 200; extracts of 200 and 400.
SUBMITTED = """
15 567 0 0 0 0 0 0
16 567 59 59 59 59 59 59
17 565 0 0 0 0 0 0
18 567 0 0 0 0 0 0
19 566 59 59 59 59 59 59
20 0 59 59 59 59 59 59
21 567 0 0 0 0 59 59
22 0 0 0 0 0 59 59
23 559 0 0 0 0 0 0
24 0 0 59 59 59 59 59
25 566 59 59 59 59 59 59
26 0 59 59 59 59 0 0
27 567 0 0 0 0 0 0
28 567 0 59 59 59 59 59
29 567 59 59 59 59 59 59
30 567 0 0 0 0 0 0
31 567 0 0 0 0 59 59
"""
KINDS = (
    ("single", "abstract", 100),
    *(("multi", "abstract", length) for length in (10, 50, 100, 200)),
    *(("multi", "extract", length) for length in (200, 400)),
)


def duc_2002() -> Collection:
    topics = [Topic(f"s{k}", task="single") for k in range(567)] + [
        Topic(f"m{k}", task="multi") for k in range(59)
    ]
    of_task = {task: [t.topic for t in topics if t.task == task] for task in ("single", "multi")}
    summaries: dict[str, list[Summary]] = {t.topic: [] for t in topics}
    systems = {}
    for line in SUBMITTED.split("\n")[1:-1]:
        code, *counts = line.split()
        systems[code] = System(code)
        for (task, form, length), n in zip(KINDS, counts, strict=True):
            for topic in of_task[task][: int(n)]:
                summaries[topic].append(Summary(topic, code, "Text.", length, form=form))
    return Collection(Settings("duc"), {t.topic: t for t in topics}, systems, {}, summaries)


def test_the_papers_submitted_summaries(approved: Approved) -> None:
    found = submitted(duc_2002())
    table = found.table()
    last = dict(table.row(system=EVERYBODY))
    names = ["-".join(map(str, kind)) for kind in KINDS]
    assert [last[name] for name in names] == [7359, 354, 472, 472, 472, 590, 590]  # as printed
    assert last["summaries"] == 9129 + 1180
    assert {row["system"]: row["missing"] for row in table.records() if row["missing"]} == {
        "17": 2,
        "19": 1,
        "23": 8,
        "25": 1,
        EVERYBODY: 12,
    }
    assert table.row(system="20")["single-abstract-100"] == 0  # who did none of a kind has none missing there
    approved(found.sentences())
    assert not found.types


def test_types_of_topics_and_withdrawn_summaries() -> None:
    topics = [Topic("t1", type="event"), Topic("t2", type="biography")]
    own = collection(topics)
    gone = own.summaries["t2"].pop(0)
    own = replace(own, withdrawn=(replace(gone, withdrawn="late"),))
    found = submitted(own)
    row = found.table().row(system="sys")
    assert (row["summaries"], row["missing"], row["withdrawn"]) == (1, 0, 1)
    assert found.table("summaries-by-type").row(system="sys")["event-20"] == 1
    assert found.table("summaries-by-type").row(system="sys")["biography-20"] == 0
    assert "bob" not in [row["system"] for row in found.table().records()]  # a reference alone


def test_lengths_are_chosen_and_refused() -> None:
    one = coverage_page(0, PAGES[0])
    other = replace(one, task=replace(one.task, id="task-9", peer=TextRef("sys", 50)))
    both = gather(collection(), by_topic([one, other]))
    assert [row.part[2] for row in unit_coverage(both).rows] == [20, 50]
    assert [row.part[2] for row in unit_coverage(both, length=50).rows] == [50]
    with pytest.raises(UsageError, match="no judgments of length 60; it has: 20, 50"):
        unit_coverage(both, length=60)


def test_nothing_judged() -> None:
    empty = gather(collection(), Judgments())
    for result in (
        unit_coverage(empty),
        coverage_spread(empty),
        quality_answers(empty),
        length_adjustment(empty),
        unmarked_units(empty),
        judging_volume(empty),
    ):
        assert result.table().rows == ()
        assert result.headline().startswith("No")
