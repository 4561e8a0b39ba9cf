"""Curves over references, topics and assessors, compared with plain loops over SciPy's coefficients."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.approving import Approved, words_of

from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.curves import CURVES, Curve, CurvesResult
from adjudge.analyses.meta.curves import learning_curves as curves_of_run
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.words.curves import axis, people_sentence, sentence
from adjudge.analyses.scores import Scores, scores_of
from adjudge.core.engine import generator
from adjudge.data.rows import Document, Summary, System
from adjudge.data.scores import Score
from adjudge.evaluation import Evaluation
from adjudge.stats.multiple import adjust
from adjudge.stats.pairs import t_pairs
from adjudge.stats.subsets import resamples, subsets

SYSTEMS = ("a", "b", "c", "d", "e")
JUDGES = ("ann", "bob", "cy")


def rows(topics: int = 8, seed: int = 1, judges: Sequence[str] = JUDGES) -> list[tuple[Any, ...]]:
    """Ratings by several, and a measure that follows them loosely."""
    rng = np.random.default_rng(seed)
    found: list[tuple[Any, ...]] = []
    for t in range(topics):
        for k, system in enumerate(SYSTEMS):
            true = k + rng.normal()
            found += [("overall", f"t{t}", system, who, true + rng.normal()) for who in judges]
            found.append(("rouge", f"t{t}", system, None, true + 2 * rng.normal()))
    return found


def cells(given: Sequence[tuple[Any, ...]], **options: Any) -> Cells:
    frame = pd.DataFrame(given, columns=["measure", "topic", "system", "assessor", "value"])
    return cells_of(scores_of(frame), "overall", **options)


def learning_curves(
    found: Cells, scores: Scores | None = None, what: Sequence[Any] = CURVES, **options: Any
) -> CurvesResult:
    """By Spearman's rho of systems' means, all systems, unless others are asked for."""
    usual = {"coefficients": "spearman", "among": "all"}
    return curves_of_run(MetaRun(found, Meta(**usual | options), scores), what)


def one(result: CurvesResult) -> Curve:
    assert len(result.curves) == 1, list(result.sentences())
    return result.curves[0]


def rho(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's, of means over topics of the cells that both have; equal but for the last digits is equal."""
    missing = np.isnan(x) | np.isnan(y)
    kept = ~missing.all(axis=0)
    x, y = (np.nanmean(np.where(missing, np.nan, side)[:, kept], axis=0) for side in (x, y))
    return float(stats.spearmanr(x.round(12), y.round(12))[0])


def share(values: np.ndarray) -> float:
    p = t_pairs(values).p
    return float(np.mean(np.nan_to_num(adjust(p), nan=1.0) <= 0.05))


def values(curve: Curve) -> list[float]:
    return [point.correlation.value for point in curve.points]


# Topics


def test_topics_as_a_plain_loop() -> None:
    found = cells(rows(14))
    curve = one(learning_curves(found, what=["topics"], resamples=40, seed=3))
    assert [p.k for p in curve.points] == [1, 2, 3, 5, 7, 10, 14]
    x, y = found.automatic[0], found.people[0]
    rng = generator(3, "meta/curves/topics")
    for point in curve.points:
        assert point.k is not None
        drawn = subsets(14, point.k, draws=40, rng=rng).weights
        again = resamples(14, point.k, draws=40, rng=rng).weights
        kept = [np.flatnonzero(row) for row in drawn]
        twice = [np.repeat(np.arange(14), row.astype(int)) for row in again]
        median = np.median([rho(x[k], y[k]) for k in kept])
        spread = np.sort([rho(x[k], y[k]) for k in twice])
        assert point.correlation.value == pytest.approx(median, abs=1e-12)
        # 2.5 % and 97.5 % of 40: the second smallest and largest would leave out less than that.
        assert point.correlation.low == pytest.approx(min(spread[0], median), abs=1e-12)
        assert point.correlation.high == pytest.approx(max(spread[-1], median), abs=1e-12)
        assert (point.draws, point.every) == (len(drawn), math.comb(14, point.k) <= 40)
        if point.k > 1:
            assert point.power.value == pytest.approx(np.median([share(x[k]) for k in kept]))
            assert point.people.value == pytest.approx(np.median([share(y[k]) for k in kept]))
            assert point.people.high == pytest.approx(
                max(point.people.value, max(share(y[k]) for k in twice))
            )
        else:
            assert math.isnan(point.power.value)  # no test has one topic


@pytest.mark.parametrize("level", ["system", "input", "global"])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall-b", "kendall-c"])
def test_every_curve_ends_at_the_plain_correlation(level: Any, coefficient: Any) -> None:
    found = cells(rows(6))
    result = learning_curves(
        found, what=["topics", "assessors"], levels=level, coefficients=coefficient, resamples=20
    )
    by: dict[str, Callable[..., float]] = {
        "pearson": lambda x, y: float(stats.pearsonr(x, y)[0]),
        "spearman": lambda x, y: float(stats.spearmanr(x, y)[0]),
        "kendall-b": lambda x, y: float(stats.kendalltau(x, y)[0]),
        "kendall-c": lambda x, y: float(stats.kendalltau(x, y, variant="c")[0]),
    }
    x, y = found.automatic[0], found.people[0]
    expected = {
        "system": by[coefficient](x.mean(axis=0), y.mean(axis=0)),
        "input": float(np.mean([by[coefficient](a, b) for a, b in zip(x, y, strict=True)])),
        "global": by[coefficient](x.ravel(), y.ravel()),
    }[level]
    assert len(result.curves) == 2
    for curve in result.curves:
        assert curve.points[-1].correlation.value == pytest.approx(expected, abs=1e-12)
        assert curve.points[-1].draws == 1
        assert {(r["level"], r["coefficient"]) for r in curve.records()} == {(level, coefficient)}


def test_sets_of_topics_are_drawn_whole(approved: Approved) -> None:
    found = replace(cells(rows(9)), clusters=("p", "p", "p", "q", "q", "q", "r", "r", "r"))
    curve = one(learning_curves(found, what=["topics"]))
    assert (curve.unit, [p.k for p in curve.points]) == ("set of topics", [1, 2, 3])
    x, y = found.automatic[0], found.people[0]
    pairs = [[*range(a * 3, a * 3 + 3), *range(b * 3, b * 3 + 3)] for a, b in combinations(range(3), 2)]
    assert values(curve)[1] == pytest.approx(np.median([rho(x[k], y[k]) for k in pairs]))
    by_set = x.reshape(3, 3, 5).mean(axis=1)
    assert curve.points[-1].power.value == share(by_set)
    assert curve.points[0].shown == "1"
    approved(sentence(curve))


def test_topics_that_nobody_judged_are_no_part_of_the_curve(approved: Approved) -> None:
    given = [*rows(6), *(("rouge", "t9", s, None, 1.0 * k) for k, s in enumerate(SYSTEMS))]
    found = cells(given, all_topics=True)
    result = learning_curves(found, what=["topics"])
    assert one(result).points[-1].k == 6
    approved(result.warnings())


def test_missing_cells_count_on_neither_side() -> None:
    given = [row for row in rows(8) if row[:3] not in {("rouge", "t1", "a"), ("rouge", "t2", "c")}]
    found = cells([row for row in given if row[:3] != ("overall", "t5", "e")])
    curve = one(learning_curves(found, what=["topics"], resamples=30))
    assert values(curve)[-1] == pytest.approx(rho(found.automatic[0], found.people[0]))


def test_few_systems_are_a_blank_with_a_reason(approved: Approved) -> None:
    found = cells(rows(6)).take(systems=[0, 1])
    result = learning_curves(found, what=["topics", "assessors"])
    for curve in result.curves:
        assert all(math.isnan(value) for value in values(curve))
        assert {point.why for point in curve.points} - {None}
        approved(sentence(curve), curve.what)
    json.dumps(result.as_dict(), allow_nan=False)


def test_a_constant_measure_is_a_blank_with_a_reason(approved: Approved) -> None:
    given = [(m, t, s, who, 1.0 if m == "rouge" else v) for m, t, s, who, v in rows(6)]
    result = learning_curves(cells(given), what=["topics", "assessors"])
    for curve in result.curves:
        assert all(point.why for point in curve.points)
        approved(sentence(curve), curve.what)


# Assessors


def test_all_subsets_of_assessors() -> None:
    found = cells(rows(8))
    curve = one(learning_curves(found, what=["assessors"]))
    cube, x = found.humans[0].by_assessor, found.automatic[0]
    assert [(p.k, p.draws, p.every) for p in curve.points] == [(1, 3, True), (2, 3, True), (3, 1, True)]
    for point in curve.points:
        chosen = list(combinations(range(3), point.k or 0))
        rhos = [rho(x, cube[list(who)].mean(axis=0)) for who in chosen]
        shares = [share(cube[list(who)].mean(axis=0)) for who in chosen]
        assert point.correlation.value == pytest.approx(np.median(rhos))
        assert point.people.value == pytest.approx(np.median(shares))
        assert math.isnan(point.power.value)  # the measure's pairs stay as they are
        if len(chosen) > 1:
            assert (point.correlation.low, point.correlation.high) == pytest.approx((min(rhos), max(rhos)))
        else:
            assert math.isnan(point.correlation.low)


def test_assessors_of_their_own_topics_are_drawn_topic_by_topic(approved: Approved) -> None:
    given = rows(8, judges=("ann", "bob", "cy", "dee"))
    given = [row for row in given if row[3] != ("ann" if row[1] < "t4" else "bob")]
    given = [row for row in given if row[3] != "cy" or row[1:3] != ("t0", "a")]
    found = cells(given)
    result = learning_curves(found, what=["assessors"], resamples=30)
    curve = one(result)
    assert [(p.k, p.shown) for p in curve.points] == [(1, "1"), (2, "2"), (None, "2 to 3")]
    assert values(curve)[-1] == pytest.approx(rho(found.automatic[0], found.people[0]))
    approved(words_of(result))
    assert curve.points[0].draws == 30
    assert curve.points[0].correlation.low < curve.points[0].correlation.high


def test_assessors_that_are_not_named(approved: Approved) -> None:
    result = learning_curves(cells(rows(6, judges=("ann",))), what=["assessors"])
    assert result.curves == ()
    approved(words_of(result), "one")
    nobody = [(m, t, s, None, v) for m, t, s, _, v in rows(6, judges=("ann",))]
    result = learning_curves(cells(nobody), what=["assessors"])
    approved(words_of(result), "nobody")
    assert list(result.tables()) == []


# References

WORDS = tuple("abcdefghijklmnopqrstuvwxyz")
WRITERS = ("w1", "w2", "w3", "w4")


def evaluation(
    make: Callable[..., Evaluation],
    name: str,
    writers: Sequence[str] = WRITERS,
    *,
    topics: int = 6,
    fewer: bool = False,
) -> Evaluation:
    """Five machines and a writer as peers on some topics, the references of these writers, and people's ratings."""
    rng = np.random.default_rng(4)
    given: list[Any] = [System(w, kind="human") for w in WRITERS]
    people: list[Score] = []
    for t in range(topics):
        topic = f"t{t}"
        for k, system in enumerate((*SYSTEMS, *WRITERS)):
            text = " ".join(rng.choice(WORDS[: 8 + 2 * k], size=14))
            people += [Score("expert:overall", topic, system, k + rng.normal(), assessor=j) for j in JUDGES]
            if system in SYSTEMS:
                given.append(Summary(topic, system, text))
            elif system in writers and not (fewer and t == 2 and system == "w4"):
                roles = ("peer", "reference") if system == "w1" else ("reference",)
                given.append(Summary(topic, system, text, roles=roles))
            elif system == "w1":
                given.append(Summary(topic, system, text, roles=("peer",)))
    e = make(*given, name=name)
    e.take(("test", row) for row in people if row.system in (*SYSTEMS, "w1"))
    return e


def test_references_as_evaluations_that_hold_only_these(
    make: Callable[..., Evaluation], approved: Approved
) -> None:
    measures = ("rouge-1", "nams", "ter")
    e = evaluation(make, "all", WRITERS[:3], topics=3)
    e.score(*measures)
    before = {p: p.stat().st_mtime_ns for p in e.path.rglob("*")}
    scores = e.scores()
    result = learning_curves(cells_of(scores), scores, what=["references"])
    assert {p: p.stat().st_mtime_ns for p in e.path.rglob("*")} == before
    assert [c.measure.measure for c in result.curves] == ["nams", "rouge-1", "ter"]
    alone: dict[tuple[str, ...], Cells] = {}
    for k in range(1, 4):
        for writers in combinations(WRITERS[:3], k):
            other = evaluation(make, "-".join(writers), writers, topics=3)
            other.score(*measures)
            alone[writers] = cells_of(other.scores())
    for curve in result.curves:
        for point in curve.points:
            chosen = [each for writers, each in alone.items() if len(writers) == point.k]
            at = [m.measure for m in chosen[0].measures].index(curve.measure.measure)
            rhos = [rho(each.automatic[at], each.people[0]) for each in chosen]
            assert (point.draws, point.every) == (len(chosen), True)
            assert point.correlation.value == pytest.approx(np.median(rhos), abs=1e-12)
            if point.k != 3:
                assert point.correlation.low == pytest.approx(min(rhos), abs=1e-12)
                assert point.correlation.high == pytest.approx(max(rhos), abs=1e-12)
            assert point.power.value == pytest.approx(np.median([share(c.automatic[at]) for c in chosen]))
            assert math.isnan(point.people.value)
    approved(result.warnings())


def test_topics_with_fewer_references_end_the_numbers(
    make: Callable[..., Evaluation], approved: Approved
) -> None:
    e = evaluation(make, "fewer", fewer=True)
    e.score("rouge-1", "nams")
    scores = e.scores()
    found = cells_of(scores)
    result = learning_curves(found, scores, what=["references"], among="machines", resamples=25)
    machines = found.among("machines")
    for at, curve in enumerate(result.curves):
        assert [(p.k, p.shown, p.draws) for p in curve.points] == [
            (1, "1", 25),
            (2, "2", 25),
            (3, "3", 25),
            (None, "3 to 4", 1),
        ]
        assert values(curve)[-1] == pytest.approx(rho(machines.automatic[at], machines.people[0]))
    approved(result.warnings())


def test_measures_without_fewer_references_say_why(
    make: Callable[..., Evaluation], approved: Approved
) -> None:
    e = evaluation(make, "none", WRITERS[1:2])
    e.take(("test", Document(f"t{t}", "d", " ".join(WORDS))) for t in range(6))
    rng = np.random.default_rng(1)
    by_reference = [
        Score(name, f"t{t}", system, rng.random(), assessor=who, reference="w2")
        for t in range(6)
        for system in SYSTEMS
        for name, who in (("other:x", None), ("other:coverage", "ann"), ("other:one", None))
    ]
    e.take(
        ("test", replace(row, reference=None) if row.measure == "other:x" else row) for row in by_reference
    )
    e.score("rouge-1", "js")
    scores = e.scores()
    named = ["rouge-1", "js", "other:x", "other:coverage", "other:one"]
    result = learning_curves(cells_of(scores, "expert:overall", named), scores, what=["references"])
    assert result.curves == ()
    assert {missing.measure: missing.why.code for missing in result.none} == {
        "ROUGE-1": "one-reference",
        "JS divergence": "no-references",
        "x (other)": "from-elsewhere",
        "coverage (other)": "of-people",
        "one (other)": "one-reference",
    }
    approved(result.sentences(), "sentences")


def test_a_table_has_curves_of_measures_with_a_row_per_reference(approved: Approved) -> None:
    rng = np.random.default_rng(2)
    given = [
        *({"measure": m, "topic": t, "system": s, "assessor": a, "value": v} for m, t, s, a, v in rows(5)),
        *(
            {"measure": "nams", "topic": f"t{t}", "system": s, "reference": r, "value": rng.random() + k}
            for t in range(5)
            for k, s in enumerate(SYSTEMS)
            for r in ("r1", "r2", "r3")
        ),
    ]
    scores = scores_of(pd.DataFrame(given))
    found = cells_of(scores, "overall")
    result = learning_curves(found, scores, what=["references"])
    curve = one(result)
    assert (curve.measure.measure, [p.draws for p in curve.points]) == ("nams", [3, 3, 1])
    at = [m.measure for m in found.measures].index("nams")
    assert values(curve)[-1] == pytest.approx(rho(found.automatic[at], found.people[0]))
    approved(words_of(result))
    approved(learning_curves(found, what=["references"]).headline(), "no scores")


# Words and shapes


def test_what_a_sentence_says(approved: Approved) -> None:
    found = cells(rows(8))
    curve = one(learning_curves(found, what=["assessors"]))
    approved([sentence(curve), people_sentence(curve)], "assessors")
    result = learning_curves(found, what=["topics"])
    assert people_sentence(one(result)) in list(result.about("curves-topics-all"))
    approved(words_of(result), "topics")


def test_from_where_on_a_curve_is_near_its_end(approved: Approved) -> None:
    curve = one(learning_curves(cells(rows(4)), what=["topics"]))
    for given, settled in (
        ((0.3, 0.49, 0.5, 0.5), 2),
        ((0.49, 0.3, 0.5, 0.5), 3),
        ((0.5, 0.5, 0.5, 0.5), 1),
        ((0.5, 0.5, 0.475, 0.5), None),
        ((0.5, 0.5, math.nan, 0.5), None),
    ):
        points = tuple(
            replace(point, correlation=replace(point.correlation, value=value), why="why")
            for point, value in zip(curve.points, given, strict=True)
        )
        other = replace(curve, points=points)
        near = other.settled_from
        assert (near.k if near is not None else None) == settled
        approved(sentence(other), ", ".join(map(str, given)))


def test_tables_frames_and_points() -> None:
    found = cells(rows(8))
    done: list[tuple[int, int]] = []
    result = learning_curves(found, resamples=20, progress=lambda k, n: done.append((k, n)))
    assert done == [(k, 11) for k in range(1, 12)]
    assert tuple(table.name for table in result.all_tables) == ("curves-topics-all", "curves-assessors-all")
    frame = result.to_frame()
    assert list(frame["what"]) == ["topics"] * 8 + ["assessors"] * 3
    assert set(frame["level"]) == {"system"}
    assert len(result.table("curves").rows) == 11
    assert [(axis(curve), len(curve.points)) for curve in result.curves] == [
        ("topics", 8),
        ("assessors per summary", 3),
    ]
    assert math.isnan(result.curves[0].points[0].power.value)
    assert json.loads(json.dumps(result.as_dict(), allow_nan=False))["coefficient"] == "spearman"
    assert "median" in repr(result)
    again = learning_curves(found, resamples=20)
    pd.testing.assert_frame_equal(frame, again.to_frame())
    other = learning_curves(found, resamples=20, seed=1).to_frame()
    assert not frame["low"].equals(other["low"])


@pytest.mark.slow
@pytest.mark.shared_data
def test_summeval(shared_data: Path, tmp_path: Path) -> None:
    """At the end of all three curves stands the plain correlation, and all subsets of 11 references are looked at."""
    e = Evaluation.init(tmp_path / "e")
    e.import_data(shared_data / "summeval" / "model_annotations.12systems.jsonl")
    e.score("rouge-2")
    scores = e.scores()
    found = cells_of(scores, "expert:relevance", "rouge-2")
    result = learning_curves(found, scores)
    expected = rho(found.automatic[0], found.people[0])
    assert [c.what for c in result.curves] == ["references", "topics", "assessors"]
    for curve in result.curves:
        assert values(curve)[-1] == pytest.approx(expected, abs=1e-12)
    references = result.of("references")[0]
    assert [p.draws for p in references.points] == [math.comb(11, k) for k in range(1, 12)]
    assert all(p.every for p in references.points)


def test_only_topics_that_the_measure_has_are_counted(approved: Approved) -> None:
    given = [row for row in rows(12) if row[0] == "overall" or int(row[1][1:]) < 6]
    given += [("full", *row[1:3], None, row[4] + 0.1) for row in rows(12, seed=2) if row[3] == "ann"]
    result = learning_curves(cells(given), what=["topics"], resamples=30)
    by = {curve.measure.measure: curve for curve in result.curves}
    assert [by[name].points[-1].k for name in ("rouge", "full")] == [6, 12]
    assert [by[name].points[-1].k for name in ("rouge", "full")] == [6, 12]
    approved(sentence(by["rouge"]))
    # The rest of people's topics changes nothing of the measure's curve.
    alone = [row for row in rows(12) if int(row[1][1:]) < 6]
    assert values(by["rouge"]) == values(one(learning_curves(cells(alone), what=["topics"], resamples=30)))


def test_a_measure_with_one_topic_has_no_curve_over_topics(approved: Approved) -> None:
    given = [row for row in rows(5) if row[0] == "overall" or row[1] == "t3"]
    result = learning_curves(cells(given), what=["topics"], resamples=10)
    assert result.curves == ()
    approved(words_of(result))


def test_intervals_have_the_level_that_alpha_says() -> None:
    found = cells(rows(9))
    wide, narrow = (
        learning_curves(found, what=["topics", "assessors"], resamples=200, alpha=alpha)
        for alpha in (0.05, 0.2)
    )
    assert [each.curves[0].confidence for each in (wide, narrow)] == pytest.approx([0.95, 0.8])
    assert "95 %" not in " ".join((*narrow.sentences(), *narrow.warnings()))
    spans = [(each.of("topics")[0].points[4].correlation) for each in (wide, narrow)]
    assert spans[0].low < spans[1].low <= spans[1].high <= spans[0].high
    rng = generator(0, "meta/curves/topics")
    for k in range(1, 6):  # the draws of the fifth point come after those of the others
        drawn, again = subsets(9, k, draws=200, rng=rng), resamples(9, k, draws=200, rng=rng)
    x, y = found.automatic[0], found.people[0]
    drawn_again = [
        rho(np.repeat(x, w.astype(int), axis=0), np.repeat(y, w.astype(int), axis=0)) for w in again.weights
    ]
    assert len(drawn) == math.comb(9, 5)
    assert spans[1].low == pytest.approx(np.quantile(drawn_again, 0.1, method="lower"), abs=1e-12)


def test_a_last_point_of_unequal_numbers_is_all_that_there_are(approved: Approved) -> None:
    given = [row for row in rows(6) if row[3] != "cy" or row[1] in ("t0", "t1", "t2")]
    given = [row for row in given if row[3] != "bob" or row[1] != "t5"]
    result = learning_curves(
        cells(given), what=["assessors"], levels="global", coefficients="pearson", resamples=30
    )
    assert one(result).points[-1].shown == "1 to 3"
    approved(sentence(one(result)))


def test_curves_of_machines_and_of_all_systems(approved: Approved) -> None:
    frame = pd.DataFrame(rows(6), columns=["measure", "topic", "system", "assessor", "value"])
    found = cells_of(scores_of(frame, human="d,e"), "overall")
    result = learning_curves(found, among=("machines", "all"), resamples=20)
    assert result.to_frame()["among"].unique().tolist() == ["machines", "all"]
    for which in ("machines", "all"):
        own = learning_curves(found, among=which, resamples=20)
        mine = result.to_frame().query("among == @which").reset_index(drop=True)
        pd.testing.assert_frame_equal(mine, own.to_frame())
    approved(result.sentences())
    assert result.as_dict()["among"] == ["machines", "all"]
