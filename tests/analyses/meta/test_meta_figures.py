"""Figures of a meta-evaluation draw what its results say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.analyses.catalogue.test_catalogue import check_drawn
from tests.approving import Approved

import adjudge
from adjudge.analyses.meta.better import BetterResult
from adjudge.analyses.meta.ceiling import CeilingResult
from adjudge.analyses.meta.correlations import CorrelationsResult
from adjudge.analyses.meta.curves import CurvesResult
from adjudge.analyses.meta.figures import LINE, SIDES, SIZE, placed_labels
from adjudge.analyses.meta.fooling import FoolingOutcome, FoolingResult
from adjudge.analyses.meta.ranks import RanksResult
from adjudge.analyses.meta.result import MetaResult
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError, UsageError
from adjudge.core.picture import Figure
from adjudge.data.scores import MeasureInfo

HOSTILE = "<b>' || true || \"\n\u202e=1+1"
TOPICS, SYSTEMS = 8, 6


def scored(*, systems: int = SYSTEMS, missing: bool = False) -> pd.DataFrame:
    """People by three assessors; a measure near them, one of which lower is better, one that never varies."""
    rng = np.random.default_rng(4)
    names = [HOSTILE, *(f"s{k}" for k in range(1, systems))]
    worth = np.round(rng.normal(size=systems), 3)
    rows: list[tuple[Any, ...]] = []
    for t in range(TOPICS):
        for k, system in enumerate(names):
            rows += [("people", f"t{t}", system, f"a{a}", worth[k] + rng.normal(scale=0.5)) for a in range(3)]
            near, error = worth[k] + rng.normal(scale=0.6), -worth[k] + rng.normal()
            if not (missing and t == 0 and k == 1):
                rows.append(("near", f"t{t}", system, None, near))
            rows += [
                ("errors", f"t{t}", system, None, error),
                ("constant", f"t{t}", system, None, 1.0),
            ]
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])


def evaluated(frame: pd.DataFrame, *parts: str, **options: Any) -> MetaResult:
    scores = scores_of(frame)
    if "errors" in scores.table.info:
        scores.table.info["errors"] = MeasureInfo("errors", better="lower")
    return adjudge.meta(scores, people="people", parts=parts, resamples=50, **options)


@pytest.fixture(scope="module")
def found() -> MetaResult:
    return evaluated(scored(missing=True), "correlations", "ranks", "better", "ceiling", "curves")


def correlation(found: MetaResult, measure: str, level: str) -> Any:
    part = found["correlations"]
    assert isinstance(part, CorrelationsResult)
    rows = part.of(level=level, coefficient="pearson")
    return next(each for each in rows if each.measure.measure == measure)


def own(figure: Figure, of: str) -> pd.DataFrame:
    return figure.data[figure.data["of"] == of]


# Scatter


@pytest.mark.parametrize(("measure", "sign"), [("near", 1), ("errors", -1)])
def test_the_points_of_a_scatter_have_the_correlation_that_its_words_say(
    found: MetaResult, measure: str, sign: int, approved: Approved
) -> None:
    figure = found.figure("scatter", measure=measure, level="system")
    check_drawn(figure)
    row = correlation(found, measure, "system")
    drawn = figure.data
    assert sign * np.corrcoef(drawn["by measure"], drawn["by people"])[0, 1] == pytest.approx(row.value)
    approved(figure.words)
    assert set(drawn["system"]) == {HOSTILE, *(f"s{k}" for k in range(1, SYSTEMS))}
    assert (drawn["label"] != "").all()


def test_summaries_of_a_topic_are_drawn_without_its_mean(found: MetaResult, approved: Approved) -> None:
    figure = found.figure("scatter", measure="near", level="input")
    check_drawn(figure)
    row = correlation(found, "near", "input")
    summaries = own(figure, "summary")
    assert len(summaries) == TOPICS * SYSTEMS - 1
    by_topic = [np.corrcoef(g["by measure"], g["by people"])[0, 1] for _, g in summaries.groupby("topic")]
    assert np.mean(by_topic) == pytest.approx(row.value)
    assert summaries.groupby("topic")["by people"].mean().to_numpy() == pytest.approx(np.zeros(TOPICS))
    approved(figure.words)


def test_all_summaries_at_once(found: MetaResult) -> None:
    figure = found.figure("scatter", measure="near", level="global")
    row = correlation(found, "near", "global")
    summaries = own(figure, "summary")
    assert np.corrcoef(summaries["by measure"], summaries["by people"])[0, 1] == pytest.approx(row.value)
    means = summaries.groupby("system")["by measure"].mean()
    systems = own(figure, "system").set_index("system")["by measure"]
    assert systems.to_dict() == pytest.approx(means.to_dict())


def test_a_measure_without_a_correlation_says_why(found: MetaResult, approved: Approved) -> None:
    figure = found.figure("scatter", measure="constant", level="system")
    check_drawn(figure)
    approved(figure.words)


def test_labels_cover_neither_each_other_nor_points() -> None:
    rng = np.random.default_rng(3)
    names = [f"system-{k}" for k in range(60)]
    x, y = rng.normal(size=(2, 60))
    ends = (-3.5, 3.5)
    sides = placed_labels(names, x, y, ends, ends)
    assert 10 < sum(side != "" for side in sides) < 60
    outermost = int(np.argmax(np.hypot(x - np.median(x), y - np.median(y))))
    assert sides[outermost]
    px, py = (x + 3.5) / 7 * SIZE[0], (3.5 - y) / 7 * SIZE[1]
    boxes = []
    for k, side in enumerate(sides):
        wide = 5.5 * len(names[k])  # as drawn; what is kept free is wider
        left = {"right": px[k] + 7, "left": px[k] - 7 - wide}.get(side, px[k] - wide / 2)
        top = {"above": py[k] - 6 - LINE, "below": py[k] + 7}.get(side, py[k] - LINE / 2)
        if side:
            assert side in SIDES
            boxes.append((k, left, top, left + wide, top + LINE))
    for k, left, top, right, low in boxes:
        assert not any(left < px[j] < right and top < py[j] < low for j in range(60) if j != k)
        for j, a, b, c, d in boxes:
            assert j == k or not (left < c and a < right and top < d and b < low)


def test_a_crowd_without_labels_is_told(approved: Approved) -> None:
    figure = evaluated(scored(systems=60), "correlations", levels="system", coefficients="pearson").figure()
    unlabelled = int((figure.data["label"] == "").sum())
    assert unlabelled
    assert str(unlabelled) in figure.words
    approved(figure.words)


def test_what_is_not_there_is_refused_by_name(found: MetaResult) -> None:
    for kind, options, said in (
        ("scater", {}, 'nearest: "scatter"'),
        ("scatter", {"measure": "far"}, 'the measure "far" is not here'),
        ("scatter", {"human": "far"}, 'the human measure "far" is not here'),
        ("scatter", {"level": "word"}, 'the level is "word"'),
        ("scatter", {"coefficient": "phi"}, "was not computed"),
        ("scatter", {"among": "humans"}, "expected one of: all"),
    ):
        with pytest.raises(UsageError, match=said):
            found.figure(kind, **options)


# Ranks, groups, ceiling, curves


def test_ranks(found: MetaResult, approved: Approved) -> None:
    part = found["ranks"]
    assert isinstance(part, RanksResult)
    figure = found.figure("ranks")
    check_drawn(figure)
    told = part.to_frame()
    drawn = figure.data[(figure.data["measure"] != "") & figure.data["rho"].isna()]
    drawn = drawn[drawn["system"] != "Spearman's rho"]
    for row in told.itertuples():
        cell = drawn[(drawn["measure"] == row.measure) & (drawn["system"] == row.system)].iloc[0]
        assert pd.isna(cell["rank"]) == pd.isna(row.rank)
        assert pd.isna(row.rank) or cell["rank"] == row.rank
        assert cell["outside"] == row.outside
        if not pd.isna(row.rank):
            assert cell["away"] == abs(row.rank - row.rank_by_people)
    people = figure.data[figure.data["measure"] == ""]
    assert people["rank"].tolist() == [each.people for each in part.ranked[0].systems]
    foot = figure.data[figure.data["system"] == "Spearman's rho"].set_index("measure")["rho"]
    assert foot.to_dict() == pytest.approx(
        dict(zip(("near", "errors", "constant"), part.ranked[0].rho, strict=True)), nan_ok=True
    )
    approved(figure.words)  # the constant measure ranks nobody


def test_shared_ranks_are_shown_as_such() -> None:
    frame = pd.DataFrame(
        [
            (m, f"t{t}", s, v + t)
            for m, values in (("people", (2, 2, 1)), ("near", (3, 1, 1)))
            for t in range(3)
            for s, v in zip("abc", values, strict=True)
        ],
        columns=["measure", "topic", "system", "value"],
    )
    figure = evaluated(frame, "ranks").figure()
    shown = {(row.column, row.system): row.shown for row in figure.data.itertuples()}
    assert [shown["people", s] for s in "abc"] == ["1–2", "1–2", "3"]
    assert [shown["near", s] for s in "abc"] == ["1", "2–3", "2–3"]
    away = figure.data[figure.data["measure"] == "near"].set_index("system")["away"]
    assert [away[s] for s in "abc"] == [0, 0, 0]  # shared ranks that meet


def test_groups_of_measures(found: MetaResult, approved: Approved) -> None:
    part, correlations = found["better"], found["correlations"]
    assert isinstance(part, BetterResult)
    assert isinstance(correlations, CorrelationsResult)
    for level in ("system", "input"):
        figure = found.figure("measure-groups", level=level)
        check_drawn(figure)
        told = next(each for each in part.comparisons if each.level == level)
        places = {each.measure.measure: each for each in told.places if not math.isnan(each.value)}
        assert figure.data["spec"].tolist() == list(places)
        for row in figure.data.itertuples():
            place, span = places[row.spec], correlation(found, row.spec, level)
            assert (row.correlation, row.letters) == (place.value, place.letters)
            assert (row.best, row.worst) == (place.best, place.worst)
            assert (row.low, row.high) == (span.low, span.high)
        approved(figure.words, level)
    alone = part.figure("measure-groups")
    assert alone.data["low"].isna().all()
    approved(alone.words, "alone")


def test_the_human_ceiling(found: MetaResult, approved: Approved) -> None:
    part = found["ceiling"]
    assert isinstance(part, CeilingResult)
    figure = found.figure("ceiling", level="input", coefficient="kendall-b")
    check_drawn(figure)
    rows = part.of(level="input", coefficient="kendall-b")
    told = {each.measure.heading: each for each in rows if not math.isnan(each.value)}
    drawn = own(figure, "measures")
    assert set(drawn["row"]) == set(told)
    for row in drawn.itertuples():
        each = told[row.row]
        assert (row.value, row.ceiling, row.low, row.high) == pytest.approx(
            (each.value, each.ceiling, each.low, each.high)
        )
        assert (row.beside == "below the ceiling") == (each.high < 0)
    top = next(e for e in part.ceilings if (e.level, e.coefficient) == ("input", "kendall-b"))
    people = own(figure, "assessors")
    assert dict(zip(people["row"], people["value"], strict=True)) == dict(top.by_assessor)
    approved(figure.words)
    with pytest.raises(UsageError, match="was not computed at the input level"):
        found.figure("ceiling", level="input", coefficient="phi")


@pytest.mark.parametrize("what", ["topics", "assessors"])
def test_curves(found: MetaResult, what: Any) -> None:
    part = found["curves"]
    assert isinstance(part, CurvesResult)
    figure = found.figure(f"{what}-curve")
    check_drawn(figure)
    told = [row for each in part.of(what) for row in each.records()]
    assert figure.data["spec"].tolist() == [row["measure"] for row in told]
    for mine, theirs in (("at", "k"), ("value", "value"), ("low", "low"), ("high", "high")):
        assert figure.data[mine].tolist() == pytest.approx([row[theirs] for row in told], nan_ok=True)


def test_a_curve_that_is_not_there_says_why(found: MetaResult) -> None:
    with pytest.raises(DataError, match="there is no curve over references: "):
        found.figure("references-curve")


def test_what_lacks_a_number_is_placed_after_the_others(found: MetaResult, approved: Approved) -> None:
    part = found["curves"]
    assert isinstance(part, CurvesResult)
    first = part.of("assessors")[0]
    last = replace(first.points[-1], k=None, shown="2-3")
    uneven = replace(part, curves=(replace(first, points=(*first.points[:-1], last)),))
    figure = uneven.figure("assessors-curve")
    assert figure.data["at"].tolist()[-1] == figure.data["at"].tolist()[-2] + 1
    approved(figure.words)


# Fooling


def outcome(measure: str, kind: str, verdict: Any, place: int, before: int | None) -> FoolingOutcome:
    return FoolingOutcome(
        measure=measure,
        title=f"{measure} {HOSTILE}",
        kind=kind,
        topics=4,
        score=0.5,
        place=place,
        of=5,
        original_place=before,
        change=0.1,
        low=0.05,
        high=0.15,
        verdict=verdict,
    )


def fooled(*outcomes: FoolingOutcome) -> FoolingResult:
    return FoolingResult(
        source=HOSTILE,
        judged=(2, "machine", "overall"),
        systems=5,
        outcomes=outcomes,
        made={},
        unchecked={"far": "it needs references"},
        level=0.95,
        signatures=("fooling",),
    )


def test_fooling() -> None:
    found = fooled(
        outcome("m1", "bigram-list", "placed", 2, None),
        outcome("m1", "shuffled-words", "unseen", 3, 3),
        outcome("m1", "padded-source", "better", 1, 3),
        outcome("m2", "padded-source", "worse", 5, 1),
        outcome("m2", "padded-noise", "not worse", 1, 1),
    )
    figure = found.figure()
    check_drawn(figure)
    assert list(zip(figure.data["measure"], figure.data["kind"], figure.data["place"], strict=True)) == [
        (each.measure, each.kind, each.place) for each in found.outcomes
    ]
    assert figure.data["before"].tolist()[1:] == [3, 3, 1, 1]
    assert "In 2 of 3 cases that were decided" in figure.words
    assert "Not checked: far." in figure.words
    many = fooled(*(outcome(f"m{k}", "truncated", "worse", 2, 1) for k in range(13)))
    with pytest.raises(UsageError, match="13 measures are too many for a picture .at most 12.: choose some"):
        many.figure()
