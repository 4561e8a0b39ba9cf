"""Coverage by level, on a page worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary, Topic, Unit
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.tasks import Event, Judged, Task, TextRef
from adjudge.measures.base import Measure
from adjudge.measures.judged.coverage import CoverageByLevel, LevelWeightedCoverage

# Ada wrote 100, 50 and 10 words; a page holds a peer against the 100.
#
#   unit   level   weight   completeness
#   m1     10      3        100 %
#   m2     50      2         40 %
#   m3     100     1          0 %
#   m4     50      2         80 %
LEVELS = {"m1": 10, "m2": 50, "m3": 100, "m4": 50}
SHARES = {"m1": 1.0, "m2": 0.4, "m3": 0.0, "m4": 0.8}


def batch(
    levels: dict[str, int | None] | dict[str, int], lengths: tuple[int, ...] = (100, 50, 10)
) -> TopicBatch:
    task = Task("t1", "e", "ann", "duc-2002", "1", "t", TextRef("lead", 100), TextRef("ada", 100))
    events = {
        f"unit:{unit}": Event(
            unit, "e", "t1", "ann", f"unit:{unit}", {"marked": ["p"] if share else [], "completeness": share}
        )
        for unit, share in SHARES.items()
    }
    units = [
        Unit("t", "ada", "edu", unit, at, at + 1, "x", 100, extra={} if level is None else {"level": level})
        for at, (unit, level) in enumerate(levels.items())
    ]
    references = tuple(Summary("t", "ada", "A model.", n, ("reference",), "ada") for n in lengths)
    return TopicBatch(
        Topic("t"),
        (Summary("t", "lead", "A peer.", 100),),
        references,
        units=tuple(units),
        judgments=(Judged(task, events),),
    )


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (CoverageByLevel(10), 1.0),
        (CoverageByLevel(50), (0.4 + 0.8) / 2),
        (CoverageByLevel(100), 0.0),
        (LevelWeightedCoverage(), (3 * 1.0 + 2 * 0.4 + 1 * 0.0 + 2 * 0.8) / 8),
    ],
    ids=str,
)
def test_the_page_worked_by_hand(measure: Measure, expected: float) -> None:
    (row,) = measure.score(batch(LEVELS))
    assert row.value == pytest.approx(expected, abs=1e-15)
    assert (row.system, row.length, row.assessor, row.reference, row.repeat) == ("lead", 100, "ann", "ada", 0)


def test_units_of_one_level_weigh_the_same() -> None:
    (row,) = LevelWeightedCoverage().score(batch(dict.fromkeys(LEVELS, 100)))
    assert row.value == pytest.approx(2.2 / 4)  # plain coverage


@pytest.mark.parametrize(
    ("measure", "levels", "why"),
    [
        (CoverageByLevel(20), LEVELS, "the reference has no unit of level 20"),
        (CoverageByLevel(), dict.fromkeys(LEVELS), "no levels"),
        (LevelWeightedCoverage(), dict.fromkeys(LEVELS), "adjudge units --levels"),
        (LevelWeightedCoverage(), {**LEVELS, "m2": None}, "1 of 4 model units have no level"),
        (LevelWeightedCoverage(), {**LEVELS, "m2": 400}, "longer than all"),
    ],
)
def test_what_cannot_be_said_is_nan_with_a_reason(
    measure: Measure, levels: dict[str, int | None], why: str
) -> None:
    (row,) = measure.score(batch(levels))
    assert math.isnan(row.value)
    assert row.why is not None
    assert why in row.why


def test_a_page_that_is_not_finished_has_no_score_yet() -> None:
    whole = batch(LEVELS)
    page = whole.judgments[0]
    half = replace(page, answers={q: e for q, e in page.answers.items() if q != "unit:m2"})
    (row,) = LevelWeightedCoverage().score(replace(whole, judgments=(half,), _kept={}))
    assert row.why == "1 of 4 model units are not judged yet"


def test_names_and_impossible_levels() -> None:
    assert str(CoverageByLevel(100)) == "coverage-by-level(level=100)"
    assert str(LevelWeightedCoverage()) == "level-weighted-coverage"
    with pytest.raises(UsageError, match="level=0"):
        CoverageByLevel(0)
