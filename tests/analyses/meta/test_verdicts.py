"""Verdicts follow from the numbers of the other parts; the user's own measure is compared with the best known."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approving import Approved, words_of

import adjudge
from adjudge.analyses.meta.conclusions import OPPOSITE
from adjudge.analyses.meta.result import MetaResult
from adjudge.analyses.meta.verdicts import STRONG, VerdictsResult, grade
from adjudge.analyses.meta.words import number
from adjudge.measures.registry import is_published
from adjudge.stats.multiple import adjust

NOISE = {"rouge-2": 1.0, "BERTScore": 0.8, "mine": 0.3, "worse": 6.0}


@cache
def table(systems: int = 9, topics: int = 14) -> pd.DataFrame:
    """Three assessors, two published measures, two of one's own, and one that is turned round."""
    rng = np.random.default_rng(2)
    worth = np.linspace(0, 2, systems) + rng.normal(size=(topics, systems))
    rows: list[tuple[object, ...]] = []
    for t, s in np.ndindex(worth.shape):
        at = (f"t{t}", f"s{s}")
        rows += [("overall", *at, who, worth[t, s] + 0.5 * rng.normal()) for who in "ABC"]
        rows += [(name, *at, None, worth[t, s] + noise * rng.normal()) for name, noise in NOISE.items()]
        rows.append(("anti", *at, None, -worth[t, s] + 0.2 * rng.normal()))
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])


@cache
def whole(level: str = "system") -> MetaResult:
    levels = [level, *(other for other in ("system", "input", "global") if other != level)]
    return adjudge.meta(table(), levels=levels, resamples=60)  # type: ignore[arg-type]


def verdicts(**options: Any) -> VerdictsResult:
    result = adjudge.meta(table(), parts="verdicts", resamples=60, **options)["verdicts"]
    assert isinstance(result, VerdictsResult)
    return result


@pytest.mark.parametrize("level", ["system", "input", "global"])
def test_the_numbers_are_those_of_the_other_parts(level: str) -> None:
    result = whole(level)
    assert [verdict.value for verdict in result["verdicts"].verdicts] == sorted(
        (verdict.value for verdict in result["verdicts"].verdicts), reverse=True
    )
    for verdict in result["verdicts"].verdicts:
        by = {"level": level, "coefficient": "pearson"}
        [row] = [row for row in result["correlations"].of(**by) if row.measure == verdict.measure]
        assert (verdict.n, verdict.value, verdict.low, verdict.high) == (row.n, row.value, row.low, row.high)
        [ceiling] = [row for row in result["ceiling"].of(**by) if row.measure == verdict.measure]
        assert (verdict.ceiling, verdict.difference_high) == (ceiling.ceiling, ceiling.high)
        [agreement] = [a for a in result["conclusions"].agreements if a.measure == verdict.measure]
        assert (verdict.contradictions, verdict.tested) == (agreement.count(OPPOSITE), agreement.tested)
        if level == "global":
            assert math.isnan(verdict.accuracy)
            continue
        accuracies = result["accuracy"].of(coefficient={"system": "pairwise", "input": "agreement"}[level])
        [accuracy] = [row for row in accuracies if row.measure == verdict.measure]
        assert (verdict.accuracy, verdict.pairs) == (accuracy.value, accuracy.pairs)


def test_the_verdicts_alone_are_the_same() -> None:
    alone, beside = verdicts(), whole()["verdicts"]
    assert alone.as_dict()["tables"] == beside.as_dict()["tables"]
    assert list(alone.sentences()) == list(beside.sentences())
    assert alone.compared == beside.compared


def test_own_measures_are_corrected_over_all_that_could_have_been_the_best() -> None:
    result = whole()
    [compared] = [c for c in result["better"].comparisons if c.level == "system"]
    own, known = ("mine", "worse", "anti"), ("rouge-2", "BERTScore")
    pairs = {frozenset((pair.a.measure, pair.b.measure)): pair for pair in compared.pairs}
    family = list(itertools.product(own, known))
    corrected = dict(zip(family, adjust([pairs[frozenset(pair)].p for pair in family]), strict=True))
    value = {verdict.measure.measure: verdict.value for verdict in result["verdicts"].verdicts}
    best = max(known, key=value.__getitem__)
    assert [row.measure.measure for row in result["verdicts"].compared] == sorted(
        own, key=value.__getitem__, reverse=True
    )
    for row in result["verdicts"].compared:
        name = row.measure.measure
        assert (row.against.measure, row.best, row.family) == (best, True, 6)
        assert row.p == pytest.approx(corrected[name, best])
        assert row.difference == pytest.approx(value[name] - value[best])
        assert (row.conclusion == "differ") == (row.p <= 0.05)


def test_of_many_measures_a_few_have_sentences(approved: Approved) -> None:
    frame = table()
    more = [frame[frame["measure"] == "mine"].assign(measure=f"copy {k}") for k in range(9)]
    result = adjudge.meta(pd.concat([frame, *more]), parts="verdicts", resamples=60)["verdicts"]
    assert len(result.first) == 14
    assert len(result.table("compared").rows) == 12
    approved(list(result.sentences())[8:])


def test_one_that_was_named_is_one_comparison() -> None:
    [compared] = [c for c in whole()["better"].comparisons if c.level == "system"]
    [pair] = [pair for pair in compared.pairs if {pair.a.measure, pair.b.measure} == {"mine", "rouge-2"}]
    [own] = verdicts(measure="mine", against_measure="rouge-2").compared
    assert (own.p, own.family, own.best) == (pair.p, 1, False)
    [published] = verdicts(measure="BERTScore", against_measure="rouge-2").compared
    assert published.measure.measure == "BERTScore"
    assert verdicts(measure=["rouge-2", "BERTScore"]).compared == ()


def test_sentences(approved: Approved) -> None:
    approved(words_of(verdicts()), "system")
    approved(verdicts(levels="input").sentences(), "input")
    approved(verdicts(levels="global", coefficients="kendall-b").sentences(), "global")
    few = adjudge.meta(table(4), parts="verdicts", resamples=60)["verdicts"]
    approved(few.sentences(), "four systems")
    approved(verdicts(measure="mine", against_measure="rouge-2").table().to_text(), "table")


def test_people_are_never_ranked_as_measures() -> None:
    """Neither another question that assessors were asked, nor a crowd without names."""
    frame = table()
    overall = frame[frame["measure"] == "overall"]
    crowd = overall.assign(
        measure="crowd", repeat=overall["assessor"].map({"A": 0, "B": 1, "C": 2}), assessor=None
    )
    more = pd.concat([frame, overall.assign(measure="fluency"), crowd])
    result = adjudge.meta(more, people="overall", parts="verdicts", resamples=20)
    assert {verdict.measure.measure for verdict in result["verdicts"].verdicts} == {*NOISE, "anti"}
    assert result.cells.measures == adjudge.meta(frame, parts="verdicts", resamples=20).cells.measures


def test_without_a_ceiling_and_without_a_correlation() -> None:
    one = table()[lambda frame: frame["assessor"].isin(["A"]) | frame["assessor"].isna()]
    flat = one.assign(value=one["value"].where(one["measure"] != "anti", 1.0))
    result = adjudge.meta(flat, parts="verdicts", resamples=60)["verdicts"]
    by = {verdict.measure.measure: verdict for verdict in result.verdicts}
    assert all(math.isnan(verdict.ceiling) for verdict in result.verdicts)
    assert by["mine"].grade == "as people do"
    assert (by["anti"].grade, result.verdicts[-1].measure.measure) == ("no verdict", "anti")
    assert by["anti"].why


ENDS = st.floats(-1, 1).map(lambda value: round(value, 2))


@given(st.tuples(ENDS, ENDS, ENDS).map(sorted), st.floats(0, 1), st.floats(-1, 1), st.integers(0, 3))
def test_what_a_verdict_claims(ends: list[float], accuracy: float, above: float, contradictions: int) -> None:
    """The claims that the documentation makes of each verdict."""
    low, value, high = ends
    decided, reason = grade(
        value, low, high, accuracy=accuracy, above_assessors=above, contradictions=contradictions
    )
    good = value > 0 and accuracy > 0.5
    if decided == "as people do":
        assert good
        assert low >= STRONG
        assert above >= 0
        assert not contradictions
        assert reason is None
    elif decided == "in part":
        assert good
        assert reason is not None
        assert low > 0
        assert low < STRONG or above < 0 or contradictions
    elif decided == "open":
        assert good
        assert low <= 0
    elif decided == "against people":
        assert high < 0
    else:
        assert (decided, good) == ("not shown", False)
        assert high >= 0


def test_what_is_not_known_decides_nothing() -> None:
    assert grade(0.9, 0.6, 0.99) == ("as people do", None)
    assert grade(0.9, math.nan, math.nan) == ("open", "no interval")
    assert grade(math.nan, math.nan, math.nan) == ("no verdict", None)


def test_what_is_published() -> None:
    known = (
        "rouge-2",
        "ROUGE-2",
        "rougeL",
        "rouge-2(stat=f, stem=none)",
        "imported:rouge-1",
        "bertscore",
        "BARTScore",
        "js",
    )
    own = ("mine", "imported:mine", "zmean(rouge-2, js)", "rating(aspect=overall, by=gpt)", "G (new), v2")
    assert [name for name in (*known, *own) if is_published(name)] == list(known)


def test_numbers_as_papers_print_them() -> None:
    assert list(map(number, (0.75, -0.6, 1.0, -0.999, 0.0, -0.001))) == [
        ".75",
        "-.60",
        "1.00",
        "-1.00",
        ".00",
        ".00",
    ]
