"""Shares of yes corrected by sensitivity and specificity: R's numbers, closed forms, coverage."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.errors import UsageError
from adjudge.stats.screening import TOO_FEW, USELESS, Screening, corrected_share, screen

with (Path(__file__).parent / "data" / "screening_expected.csv").open(newline="") as lines:
    ROWS = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(lines)]


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_r_gives_the_same_share_and_interval(row: dict[str, float]) -> None:
    # R 4.2.2, data/screening.R, written from Lang and Reiczigel 2014
    judge = Screening(yes=row["yes_n"], yes_found=row["yes_found"], no=row["no_n"], no_found=row["no_found"])
    found = corrected_share(row["yes"], row["n"], judge, level=row["level"])
    if (
        row["low"] == row["high"]
    ):  # both ends cut off at 0: no answer at all, where the published one is from 0 to 0
        assert math.isnan(found.estimate)
        assert found.why is not None
        assert found.why.startswith("the judge says yes to fewer than its specificity")
        return
    assert found.estimate == pytest.approx(row["estimate"], abs=1e-11)
    assert (found.low, found.high) == pytest.approx((row["low"], row["high"]), abs=1e-11)
    assert found.why is None


def test_the_estimate_undoes_what_the_judge_does() -> None:
    judge = Screening(yes=100, yes_found=90, no=100, no_found=80)
    for share in (0.0, 0.1, 0.5, 1.0):
        said = 1000 * (share * 0.9 + (1 - share) * 0.2)
        assert corrected_share(said, 1000, judge).estimate == pytest.approx(share, abs=1e-12)


def test_counts_from_answers_and_shares_where_people_differ() -> None:
    found = screen([1, 1, 1, 0, 0, 0.5], [1, 1, 0, 0, 1, 1])
    assert found == Screening(yes=3.5, yes_found=2.5, no=2.5, no_found=1.0)
    assert found.sensitivity == pytest.approx(2.5 / 3.5)
    assert found.specificity == pytest.approx(0.4)
    with pytest.raises(UsageError, match="1 and 0"):
        screen([1, 2], [0, 1])


@pytest.mark.parametrize(
    ("judge", "why"),
    [
        (Screening(yes=10, yes_found=5, no=10, no_found=5), USELESS),
        (Screening(yes=10, yes_found=2, no=10, no_found=3), USELESS),
        (Screening(yes=0, yes_found=0, no=10, no_found=9), "people never said yes"),
        (Screening(yes=10, yes_found=9, no=0, no_found=0), "people never said no"),
    ],
)
def test_a_judge_that_says_nothing_leaves_the_share_undefined(judge: Screening, why: str) -> None:
    found = corrected_share(5, 20, judge)
    assert math.isnan(found.estimate)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.why is not None
    assert found.why.startswith(why)


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        (Screening(yes=2, yes_found=1, no=100, no_found=51), True),  # 1.01, and 1.0098 with answers added
        (Screening(yes=3, yes_found=3, no=100, no_found=2), False),  # 1.02, but 4/5 + 3/102 < 1
        (Screening(yes=50, yes_found=50, no=2, no_found=0.5), True),  # 1.25, and 51/52 + 1.5/4 > 1
        (Screening(yes=4, yes_found=4, no=50, no_found=8), True),  # 1.16, and 5/6 + 9/52 > 1
        (Screening(yes=4, yes_found=4, no=50, no_found=7), False),  # 1.14, but 5/6 + 8/52 < 1
    ],
)
def test_a_sum_barely_above_one_is_undefined_where_the_interval_would_turn_round(
    judge: Screening, told: bool
) -> None:
    assert judge.why is None
    for yes in (10, 60, 150, 195):
        found = corrected_share(yes, 200, judge)
        if told:
            assert found.why is None
            assert found.low <= found.estimate <= found.high
        else:
            assert math.isnan(found.estimate)
            assert found.why == TOO_FEW


def coverage(share: float, right: float, cleared: float, labels: int, times: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    held = told = 0
    for _ in range(times):
        yes = rng.binomial(100, share * right + (1 - share) * (1 - cleared))
        judge = Screening(
            yes=labels,
            yes_found=rng.binomial(labels, right),
            no=labels,
            no_found=rng.binomial(labels, cleared),
        )
        found = corrected_share(yes, 100, judge)
        if found.why is None:
            told += 1
            held += found.low <= share <= found.high
    return held / told


def test_the_interval_covers() -> None:
    assert coverage(0.3, 0.85, 0.8, 40, 600, seed=2) >= 0.95 - 3.5 * math.sqrt(0.95 * 0.05 / 600)


@pytest.mark.slow
@pytest.mark.parametrize("labels", [10, 30, 100])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("right", "cleared"), [(0.95, 0.9), (0.8, 0.7)])
def test_coverage_over_shares_and_judges(share: float, right: float, cleared: float, labels: int) -> None:
    found = coverage(share, right, cleared, labels, 5000, seed=labels)
    print(f"share {share}, sensitivity {right}, specificity {cleared}, {labels} labels each: {found:.3f}")
    assert found >= 0.93
