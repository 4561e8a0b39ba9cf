"""Figures of judgments: every number that is drawn is the result's; panels, single systems, nothing to draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.analyses.catalogue.test_catalogue import check_drawn
from tests.analyses.test_conflicts import Made, by_hand
from tests.analyses.test_conflicts import shown as stability_of
from tests.analyses.test_judged import (
    JUDGMENTS,
    PAGES,
    REFERENCE,
    by_topic,
    collection,
    coverage_page,
    judged,
    rating,
)
from tests.analyses.test_judged_results import PRINTED, printed_answers
from tests.approving import Approved

from adjudge.analyses.catalogue.catalogue import figure
from adjudge.analyses.gathered import Gathered, gather
from adjudge.analyses.judged.adjustment import length_adjustment
from adjudge.analyses.judged.quality_answers import quality_answers
from adjudge.analyses.judged.unit_coverage import coverage_spread, unit_coverage
from adjudge.analyses.judged.unmarked import unmarked_units
from adjudge.analyses.panels import MOST_PANELS
from adjudge.analyses.stability import stability
from adjudge.analyses.stability.result import StabilityResult, _page_measure
from adjudge.core.errors import DataError, UsageError
from adjudge.core.picture import Figure
from adjudge.core.results import Note
from adjudge.data.rows import System, Topic
from adjudge.judgments.batch import Judgments
from adjudge.judgments.tasks import Judged, Task, TextRef
from adjudge.measures.judged.coverage import Coverage, Retention

SMALL = gather(collection(), JUDGMENTS)
RESULTS: dict[str, Callable[[Gathered], Any]] = {
    "unit-coverage": unit_coverage,
    "coverage-by-source": coverage_spread,
    "quality": quality_answers,
    "length-adjustment": length_adjustment,
    "unmarked": unmarked_units,
}


def rows_of(drawn: Figure, *names: str) -> list[tuple[Any, ...]]:
    return list(drawn.data[list(names)].itertuples(index=False, name=None))


# Two panels: a document set and a document. What is drawn, number by number


def test_unit_coverage_draws_every_share_side_by_side(approved: Approved) -> None:
    result = unit_coverage(SMALL)
    drawn = result.figure()
    check_drawn(drawn)
    frame = result.to_frame()
    assert rows_of(drawn, "source", "completeness", "label", "units", "share") == list(
        frame[["source", "completeness", "label", "units", "share"]].itertuples(index=False, name=None)
    )
    assert list(dict.fromkeys(drawn.data["panel"])) == ["multi-document", "single-document"]
    for _, bar in drawn.data.groupby(["panel", "source"]):
        assert bar["from"].iloc[0] == 0
        assert bar["to"].iloc[-1] == pytest.approx(1)
        assert (bar["to"] - bar["from"]).to_numpy() == pytest.approx(bar["share"].to_numpy())
        assert bar["from"].iloc[1:].to_list() == bar["to"].iloc[:-1].to_list()
    # 8 units of which 3 have none, and 2 of which 1 has none; ann's 4 have 1 and 1
    approved(drawn.words)


def test_protocols_with_other_scales_have_legends_of_their_own() -> None:
    task = Task("t", "e", "x", "duc-2001", "1", "t1", TextRef("sys", 20), REFERENCE)
    answers = {f"unit:m{k}": {"marked": [], "completeness": share} for k, share in ((1, 0.25), (2, 1.0))}
    own = replace(collection(), units={})
    drawn = unit_coverage(gather(own, by_topic([judged(task, answers), coverage_page(0, PAGES[0])]))).figure()
    check_drawn(drawn)
    labels = {panel: list(rows["label"]) for panel, rows in drawn.data.groupby("panel")}
    assert labels["duc-2001"] == ["none", "hardly any", "some", "most", "all"]
    picture = drawn.to_svg()
    assert all(f">{label}</text>" in picture for own in labels.values() for label in own)


def test_coverage_by_source_draws_the_boxes_and_what_lies_beyond() -> None:
    # twenty pages around .5 and one far off
    topics = [Topic(f"d{n}", task="multi") for n in range(21)]
    shares = [0.4, 0.6] * 10 + [0.0]
    pages = [
        coverage_page(n, (t.topic, "sys", "x", (["p1"], share), (["p1"], share), 1.0, {}))
        for n, (t, share) in enumerate(zip(topics, shares, strict=True))
    ]
    result = coverage_spread(gather(collection(topics), by_topic(pages)))
    drawn = result.figure()
    check_drawn(drawn)
    boxes = drawn.data[drawn.data["what"] == "box"].reset_index(drop=True)
    table = result.to_frame().query("name == 'sys'")  # a source of one system is not drawn twice
    for ours, theirs in (
        ("system", "name"),
        ("n", "n"),
        ("value", "mean"),
        ("low", "low"),
        ("high", "high"),
        ("whisker_low", "whisker_low"),
        ("q1", "q1"),
        ("median", "median"),
        ("q3", "q3"),
        ("whisker_high", "whisker_high"),
    ):
        assert boxes[ours].to_list() == table[theirs].to_list()
    beyond = drawn.data[drawn.data["what"] == "beyond"]
    assert len(beyond) == table["beyond"].sum() == 1
    assert set(beyond["value"]) == {0.0}


def test_quality_draws_the_answers_that_found_errors() -> None:
    result = quality_answers(SMALL)
    drawn = result.figure()
    check_drawn(drawn)
    answers = result.answers()
    assert rows_of(drawn, "source", "answer", "n", "share") == list(
        answers[["source", "answer", "n", "share"]].itertuples(index=False, name=None)
    )
    assert not drawn.data.loc[drawn.data["answer"] == "None", "drawn"].any()
    last = drawn.data[drawn.data["last"]]
    assert last["to"].to_list() == pytest.approx(last["found"].to_list())
    assert last["found"].to_list() == [row.error_share for row in result.rows]


def test_quality_of_the_printed_answers(approved: Approved) -> None:
    drawn = printed_answers().figure()
    check_drawn(drawn)
    assert drawn.data["n"].to_list() == [n for counts in PRINTED.values() for n in counts]
    approved(drawn.words)


def test_quality_draws_ratings_from_good_to_bad_and_protocols_apart() -> None:
    given = [coverage_page(0, PAGES[0]), rating(1, "x", 1), rating(2, "y", 5), rating(3, "x", 4, "ann")]
    drawn = quality_answers(gather(collection(), by_topic(given))).figure()
    check_drawn(drawn)
    assert set(drawn.data["panel"]) == {"duc-2002", "rating"}
    own = drawn.data[(drawn.data["panel"] == "rating") & (drawn.data["source"] == "systems")]
    assert own["answer"].to_list() == ["5", "4", "3", "2", "1"]
    assert own["share"].to_list() == [0.5, 0, 0, 0, 0.5]
    assert own["step"].is_monotonic_increasing  # the darker, the worse


def test_quality_by_peer_shades_the_share_of_errors(approved: Approved) -> None:
    result = quality_answers(SMALL)
    drawn = result.figure("quality-by-peer")
    check_drawn(drawn)
    assert drawn.data["share"].to_list() == [row.error_share for row in result.peers if row.n]
    assert drawn.data["system"].to_list() == [row.system for row in result.peers if row.n]
    assert drawn.data.loc[drawn.data["share"].idxmax(), "step"] == drawn.data["step"].max()
    approved(drawn.words)
    rated = quality_answers(gather(collection(), by_topic([rating(1, "x", 1)])))
    with pytest.raises(DataError, match="how many errors"):
        rated.figure("quality-by-peer")


def test_length_gains_draw_what_every_summary_gains(approved: Approved) -> None:
    result = length_adjustment(SMALL)
    drawn = result.figure("length-gains")
    check_drawn(drawn)
    assert sorted(drawn.data["gain"]) == sorted(
        g for part in result.parts for s in part.systems for g in s.gains
    )
    for _, panel in drawn.data.groupby("panel"):
        means = panel.groupby("system", sort=False)["gain"].mean().to_list()
        assert means == sorted(means, reverse=True)  # who gains most comes first
    approved(drawn.words)


def test_length_adjustment_draws_both_numbers_and_both_ranks(approved: Approved) -> None:
    result = length_adjustment(SMALL)
    drawn = result.figure()
    check_drawn(drawn)
    table = result.to_frame()
    names = ["source", "system", "coverage", "adjusted", "rank", "adjusted_rank"]
    pd.testing.assert_frame_equal(drawn.data[names], table[names])
    approved(drawn.words)


def test_length_adjustment_says_which_ranks_change(approved: Approved) -> None:
    own = collection([Topic("t1", task="multi")])
    long = [
        replace(s, text="word " * 20) if s.system == "ann" else s for s in own.summaries["t1"]
    ]  # ann writes as long as asked
    gathered = gather(
        replace(own, summaries={"t1": long}), by_topic([coverage_page(n, PAGES[n]) for n in (1, 2)])
    )
    result = length_adjustment(gathered)
    drawn = result.figure()
    # sys .3 and one word: .2 + .95/3; ann .6 and 20 words: .4
    assert rows_of(drawn, "system", "coverage", "adjusted", "ranks", "moved") == [
        ("ann", pytest.approx(0.6), pytest.approx(0.4), "1 → 2", True),
        ("sys", pytest.approx(0.3), pytest.approx(0.2 + 0.95 / 3), "2 → 1", True),
    ]
    approved(drawn.words)
    other = length_adjustment(gathered, "length-adjusted-coverage(weight=0.25)").figure()
    approved(other.words, "another weight")


def test_unmarked_draws_the_relevant_part_first(approved: Approved) -> None:
    result = unmarked_units(SMALL)
    drawn = result.figure()
    check_drawn(drawn)
    systems = {(row.part[1], row.system): row for row in result.systems}
    for (panel, system), bar in drawn.data.groupby(["panel", "system"]):
        row = systems[panel.removesuffix("-document"), system]
        assert bar["to"].to_list() == pytest.approx([row.mean_relevant, row.mean_unmarked])
        assert bar["units"].sum() == pytest.approx(row.unmarked)
        assert bar["share"].to_list() == pytest.approx([row.share] * 2)
    # sys 4, ann 2 and lead 3 units; relevant: 2, 1 and 1.8
    approved(drawn.words)


# Resolutions


def test_retention_draws_the_bars_and_the_points(approved: Approved) -> None:
    result = stability_of(by_hand().gathered())
    drawn = result.figure("retention")
    check_drawn(drawn)
    (own,) = result.resolutions
    for system, rows in drawn.data.groupby("system"):
        k = own.systems.index(str(system))
        assert dict(zip(rows["resolution"], rows["score"], strict=True)) == {
            name.upper(): own.scores[name][k] for name in ("original", "majority", "average")
        }
        assert set(rows["low"]) == {own.scores["min"][k]}
        assert set(rows["high"]) == {own.scores["max"][k]}
        assert set(rows["rank"]) == {own.ranks[k]}
    assert drawn.data.loc[drawn.data["first"], "ends"].to_list() == [True, False, False]  # {a} and {b, c}
    approved(drawn.words)


def test_retention_of_systems_that_share_no_topics_has_panels_of_its_own(approved: Approved) -> None:
    made = Made(units=1)
    for topic, systems in (("t1", "ab"), ("t2", "cd")):
        for system in systems:
            made.add(topic, system, [f"{system}."], {0: ((0,), 0.2 * "abcd".index(system))})
    drawn = stability_of(made.gathered()).figure("retention")
    check_drawn(drawn)
    assert list(dict.fromkeys(drawn.data["panel"])) == ["ranked apart (1)", "ranked apart (2)"]
    approved(drawn.words)


def test_nothing_resolved_is_said() -> None:
    empty = StabilityResult(name="e", absent={"resolutions": Note.of("no-coverage")})
    with pytest.raises(DataError, match=r"^not shown: .* nobody judged units"):
        empty.figure("retention")


# What may be missing, and what is too much


@pytest.mark.parametrize("name", RESULTS)
def test_nothing_judged_is_said(name: str) -> None:
    with pytest.raises(DataError, match="adjudge judgments import"):
        RESULTS[name](gather(collection(), Judgments())).figure()


@pytest.mark.parametrize("name", RESULTS)
def test_one_system_repeats_and_a_learned_judge(name: str) -> None:
    """One page, asked again and judged by a program too, is drawn as that page alone."""
    page = coverage_page(0, PAGES[0])
    again = coverage_page(1, (*PAGES[0][:3], (["p1"], 0.2), (["p2"], 0.2), 0.0, {2: ">10"}))
    again = replace(again, task=replace(again.task, repeat_of="task-0"))
    tree = replace(page.task, id="l", assessor="tree")
    learned = Judged(tree, {q: replace(e, task="l", origin="learned") for q, e in again.answers.items()})
    everything = replace(by_topic([page, again]), by_judge={"tree": {"t1": (learned,)}})
    alone = RESULTS[name](gather(collection(), by_topic([page]))).figure()
    beside = RESULTS[name](gather(collection(), everything)).figure()
    check_drawn(alone)
    pd.testing.assert_frame_equal(alone.data, beside.data)
    assert alone.words == beside.words


@pytest.mark.parametrize("name", ["unit-coverage", "coverage-by-source", "length-adjustment", "unmarked"])
def test_too_many_panels_are_refused_with_the_way_out(name: str) -> None:
    one = coverage_page(0, PAGES[0])
    lengths = range(20, 21 + MOST_PANELS)
    own = collection()
    text = next(s for s in own.summaries["t1"] if s.system == "sys")
    own.summaries["t1"].extend(replace(text, length=n) for n in lengths if n != 20)
    own.units["t1"].extend(
        replace(u, length=n) for u in list(own.units["t1"]) if u.system == "sys" for n in lengths if n != 20
    )
    many = [replace(one, task=replace(one.task, id=f"l{n}", peer=TextRef("sys", n))) for n in lengths]
    gathered = gather(own, by_topic(many))
    with pytest.raises(UsageError, match="choose with length or form"):
        RESULTS[name](gathered).figure()
    assert len(RESULTS[name](gathered.at(length=20)).figure().data)


def test_a_finer_scale_than_there_are_shades_is_named() -> None:
    given = [
        judged(
            Task(f"r{n}", "e", "x", "rating", "1", f"t{n}", TextRef("sys", 20)), {"rating:own": {"value": n}}
        )
        for n in range(1, 10)
    ]
    topics = [Topic(f"t{n}") for n in range(1, 10)]
    fine = quality_answers(gather(collection(topics), by_topic([*given, rating(20, "y", 3)])))
    assert fine.figure().notes == ("not drawn, as their scales are too fine: own",)
    with pytest.raises(DataError, match="or fewer"):
        quality_answers(gather(collection(topics), by_topic(given))).figure()


def test_a_file_of_scores_has_no_judgments(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("topic,system,value\nt1,a,1\nt1,b,2\n", encoding="utf-8")
    for name in RESULTS:
        with pytest.raises(UsageError, match="an evaluation's folder does"):
            figure(file, name)
    with pytest.raises(DataError, match=r"^not shown: .* need an evaluation folder$"):
        figure(file, "retention")


def test_hostile_names_are_drawn_as_they_are() -> None:
    own = collection([Topic("t1", task="multi")])
    strange = "</text><script>alert('1')</script> \"x\" \\ \u202e"
    systems = {**own.systems, strange: System(strange)}
    summaries = {"t1": [*own.summaries["t1"], replace(own.summaries["t1"][0], system=strange)]}
    units = {
        "t1": [*own.units["t1"], *(replace(u, system=strange) for u in own.units["t1"] if u.system == "sys")]
    }
    page = coverage_page(0, PAGES[0])
    pages = [
        page,
        replace(page, task=replace(page.task, id="h", peer=TextRef(strange, 20), reference=REFERENCE)),
    ]
    gathered = gather(replace(own, systems=systems, summaries=summaries, units=units), by_topic(pages))
    for make in (coverage_spread, length_adjustment, unmarked_units):
        drawn = make(gathered).figure()
        check_drawn(drawn)
        assert "<script>" not in drawn.to_svg()


def test_stability_without_noise_needs_no_scores(make: Callable[..., Any]) -> None:
    found = stability(make(), quick=True)
    assert found.noise == ()
    assert "noise" not in found.absent


def test_a_programs_coverage_is_not_taken_for_peoples() -> None:
    """What is resolved is what people judged, whichever measure is named."""
    asked, why = _page_measure("coverage(by=tree)")
    assert asked == Coverage()
    assert why == Note.of("coverage-for-a-program", measure="coverage(by=tree)")
    assert _page_measure("retention") == (Retention(), None)
