"""Several statistics in one run: mc:w, mc:t-unpaired and hb:w beside other tests, and the cut-offs of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.analyses.compare import Compare, compare_all
from adjudge.analyses.tests import STATISTICS, TESTS, parts_of, statistic_of
from adjudge.core.engine import generator
from adjudge.core.errors import UsageError
from adjudge.stats.resampling.engine import Statistic
from adjudge.stats.resampling.swaps import hb_pairs, mc_pairs
from adjudge.stats.tests import run_pairs, theoretical_cutoffs

SPECS = ("mc:w", "mc:t-unpaired", "hb:w", "t", "wilcoxon")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    values = np.random.default_rng(3).normal(size=(15, 4)) + np.array([0.0, 0.2, 1.0, 1.5])
    topics = pd.Index([f"d{k}" for k in range(15)], name="topic")
    return pd.DataFrame(values.round(2), index=topics, columns=["ours", "lead", "H1", "H2"])


def test_a_spec_is_a_test_and_perhaps_its_statistic() -> None:
    assert get_args(Statistic) == STATISTICS
    assert [parts_of(test) for test in TESTS] == [(test, None) for test in TESTS]
    assert parts_of("mc:t-unpaired") == ("mc", "t-unpaired")
    chosen = Compare(test="mc:w", tests=("hb", "hb", "t"), statistic="median")
    assert chosen.tests_run == ("mc:w", "hb", "t")
    assert [statistic_of(test, chosen.statistic) for test in (*chosen.tests_run, "mc:mean")] == [
        "w",
        "median",
        None,
        "mean",
    ]
    assert [statistic_of(test, None) for test in ("mc", "hb")] == ["mean", "t"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("mcw", 'the test is "mcw" (nearest: "mc:w"'),
        ("wilcoxn", 'the test is "wilcoxn" (nearest: "wilcoxon"'),
        (
            "mc:ww",
            'the statistic of mc is "ww" (nearest: "w"); expected one of: mean, median, t, t-unpaired, w',
        ),
        ("hb:", 'the statistic of hb is ""; expected one of'),
        ("t:w", 'the test is "t:w", but only mc and hb are of a statistic; say t'),
    ],
)
def test_an_unknown_spec_is_answered_with_the_nearest(frame: pd.DataFrame, spec: str, expected: str) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: adjudge.compare(frame, test=spec),
        lambda: adjudge.compare(frame, tests=("t", spec)),
        lambda: compare_all(frame, tests=(spec,)),
        lambda: adjudge.counts(frame, tests=("t", spec)),
    ]
    for call in calls:
        with pytest.raises(UsageError) as caught:
            call()
        assert str(caught.value).startswith(expected)


def test_the_first_makes_the_groups_unless_a_test_is_named() -> None:
    assert Compare().grouping_test == "t"
    assert Compare(tests=SPECS).grouping_test == "mc:w"
    both = Compare(test="t", tests=SPECS)
    assert both.grouping_test == "t"
    assert both.tests_run == ("t", *(spec for spec in SPECS if spec != "t"))
    assert Compare(test="sign", tests=SPECS).tests_run == ("sign", *SPECS)
    assert Compare(test="all").tests_run == ("t", *(test for test in TESTS if test != "t"))
    with pytest.raises(UsageError, match="runs every test"):
        Compare(test="all", tests=SPECS)


def test_every_spec_has_its_own_rows(frame: pd.DataFrame) -> None:
    found = adjudge.compare(frame, tests=SPECS)
    assert (found.test, tuple(found.tested)) == ("mc:w", SPECS)
    rows = found.to_frame("pairs")
    assert rows.groupby("test", sort=False).size().to_dict() == dict.fromkeys(SPECS, 6)
    (several,) = compare_all(frame, tests=SPECS)
    pd.testing.assert_frame_equal(several.to_frame("pairs"), rows)
    # As --statistic gives one at a time: all statistics of mc have the same swaps.
    for spec in SPECS[:3]:
        test, statistic = parts_of(spec)
        alone = adjudge.compare(frame, test=test, statistic=statistic).to_frame("pairs")
        here = rows[rows["test"] == spec].reset_index(drop=True)
        for column in ("statistic", "p", "p_adjusted"):
            assert here[column].tolist() == alone[column].tolist()
    values = found.matrix.values
    direct = hb_pairs(values, rng=generator(0, "compare/hb"), statistic="w")
    assert rows.loc[rows["test"] == "hb:w", "p"].tolist() == direct.p.tolist()


def test_results_know_what_was_resampled_and_its_cutoff(frame: pd.DataFrame) -> None:
    found = adjudge.compare(frame, tests=SPECS)
    known = {test: found.tested[test].results for test in SPECS}
    assert {test: results.resampled for test, results in known.items()} == {
        "mc:w": "w",
        "mc:t-unpaired": "t-unpaired",
        "hb:w": "w",
        "t": None,
        "wilcoxon": None,
    }
    assert known["t"].cutoff is None
    direct = mc_pairs(found.matrix.values, rng=generator(0, "compare/mc"), statistic="w")
    assert direct.cutoff is not None
    assert known["mc:w"].cutoff is not None
    assert known["mc:w"].cutoff.tolist() == direct.cutoff.tolist()


def test_counts_by_spec_with_their_cutoffs(frame: pd.DataFrame) -> None:
    found = adjudge.counts(adjudge.read_scores(frame, human="H*"), tests=SPECS)
    (measure,) = found.measures
    assert [test.test for test in measure.tests] == list(SPECS)
    heads = found.table("pairs").to_text().splitlines()[1]
    words = ("random swaps of W ", "random swaps of T ", "hybrid bootstrap of W ")
    assert [word for word in words if word not in heads] == []
    assert [word for word in words if f"by {word.strip()}" not in found.headline()] == []
    rows = found.to_frame().set_index("test")
    values = adjudge.read_scores(frame).matrix().values
    for spec, run in (("mc:w", mc_pairs), ("mc:t-unpaired", mc_pairs), ("hb:w", hb_pairs)):
        test, statistic = parts_of(spec)
        cutoff: Any = run(values, rng=generator(0, f"compare/{test}"), statistic=statistic or "mean").cutoff
        assert rows.loc[spec, ["cutoff", "cutoff_least", "cutoff_most"]].tolist() == [
            np.median(cutoff),
            cutoff.min(),
            cutoff.max(),
        ]
        assert rows.loc[spec, "statistic"] == statistic
    # Tests that do not resample have theoretical cut-offs, and name no statistic.
    for spec in ("t", "wilcoxon"):
        results = run_pairs(spec, values, rng=generator(0, "unused"))
        theory: Any = theoretical_cutoffs(results, values, alpha=0.05)
        assert rows.loc[spec, ["cutoff", "cutoff_least", "cutoff_most"]].tolist() == [
            np.median(theory),
            theory.min(),
            theory.max(),
        ]
    assert rows.loc[["t", "wilcoxon"], "statistic"].isna().all()
    told = json.loads(json.dumps(found.as_dict()))["measures"][0]["tests"]
    assert [(t["test"], t["statistic"]) for t in told[:1]] == [("mc:w", "w")]
    assert told[0]["cutoff"] == rows.loc["mc:w", "cutoff"]
    assert told[-1]["cutoff"] == rows.loc[SPECS[-1], "cutoff"]
