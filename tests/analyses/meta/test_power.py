"""Discriminative power: the counts of `adjudge.counts`, people's measures beside the others."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.approving import Approved, words_of

import adjudge
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.power import PowerResult
from adjudge.analyses.meta.power import discriminative_power as power_of_run
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError

NAMES = ("m1", "m2", "m3", "H1", "H2")
TESTS = ("t-unpaired", "t", "wilcoxon", "mc:w", "hb")


def discriminative_power(cells: Cells, **options: Any) -> PowerResult:
    return power_of_run(MetaRun(cells, Meta(**options)))


def evaluation(seed: int = 0, topics: int = 20) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    quality, hard = np.linspace(0, 1.2, len(NAMES)), rng.normal(0, 1, (topics, 1))
    slopes: tuple[tuple[str, str | None, float], ...] = (
        ("overall", "ann", 1.0),
        ("overall", "bob", 1.0),
        ("good", None, 0.8),
        ("reverse", None, -0.6),
    )
    return pd.DataFrame(
        [
            (measure, f"t{t}", name, who, value)
            for measure, who, slope in slopes
            for t, row in enumerate(slope * quality + hard + rng.normal(0, 0.7, (topics, len(NAMES))))
            for name, value in zip(NAMES, row.tolist(), strict=True)
        ],
        columns=["measure", "topic", "system", "assessor", "value"],
    )


def test_counts_and_cutoffs_are_those_of_adjudge_counts() -> None:
    data = scores_of(evaluation(1), human="H*")
    found = discriminative_power(cells_of(data), tests=TESTS, seed=4, resamples=500)
    expected = adjudge.counts(data, tests=TESTS, seed=4, resamples=500).to_frame()
    frame = found.to_frame()
    assert frame["by"].tolist() == ["people"] * 5 + ["measure"] * 10
    shared = [name for name in frame.columns if name != "by"]
    pd.testing.assert_frame_equal(frame[shared], expected[shared], check_dtype=False)
    assert frame["cutoff"].notna().all()


def test_a_loop_over_scipy_counts_the_same() -> None:
    frame = evaluation(2)
    found = (
        discriminative_power(cells_of(scores_of(frame, human="H*")), tests=("t",))
        .to_frame()
        .set_index("measure")
    )
    means = frame.groupby(["measure", "topic", "system"])["value"].mean().unstack()
    for measure in ("overall", "good", "reverse"):
        values = means.loc[measure]
        p = {
            pair: stats.ttest_rel(values[pair[0]], values[pair[1]]).pvalue for pair in combinations(NAMES, 2)
        }
        assert found.loc[measure, "different"] == sum(each <= 0.05 for each in p.values())
        across = [each for (a, b), each in p.items() if a[0] != b[0]]
        assert found.loc[measure, "human_machine_different"] == sum(each <= 0.05 for each in across)
        assert found.loc[measure, "human_machine_pairs"] == len(across) == 6


def test_sentences_and_tables_tell_the_direction_too(approved: Approved) -> None:
    found = discriminative_power(cells_of(scores_of(evaluation(3), human="H*")), tests=("t", "mc"))
    rows = found.to_frame().query("test == 't'").set_index("measure")
    said = list(found.sentences())
    assert len(said) == 2
    approved([*words_of(found), *found.about("power-human-machine")])
    tables = {table.name: table for table in found.all_tables}
    assert tuple(tables) == ("power", "power-human-machine")
    last = dict(
        zip(
            (c.name for c in tables["power-human-machine"].columns),
            tables["power-human-machine"].rows[2],
            strict=True,
        )
    )
    reverse = rows.loc["reverse"]
    assert reverse["machine_better"] > reverse["human_better"]
    shown = f"{reverse['human_machine_different']} ({reverse['human_better']}/{reverse['machine_better']})"
    assert (last["measure"], last["by"], last["t"]) == ("reverse", "measure", shown)
    assert [c.title for c in tables["power"].columns][2:] == ["pairs", "paired t", "random swaps of the mean"]
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert [row["different"] for row in data["tables"]["power-rows"]] == found.to_frame()[
        "different"
    ].tolist()
    assert data["tables"]["power-rows"][1]["statistic"] == "mean"
    assert data["sentences"] == said


def test_measures_are_tested_on_judged_topics_unless_all_are_kept() -> None:
    frame = evaluation(4)
    frame = frame[~((frame["measure"] == "overall") & frame["topic"].isin([f"t{k}" for k in range(10)]))]
    data = scores_of(frame)

    def cutoffs(**options: Any) -> dict[str, float]:
        table = discriminative_power(cells_of(data, **options), tests=("t",)).to_frame().set_index("measure")
        return {str(name): float(value) for name, value in table["cutoff"].items()}

    assert cutoffs() == pytest.approx(dict.fromkeys(("overall", "good", "reverse"), stats.t.ppf(0.975, 9)))
    more = cutoffs(all_topics=True)
    assert more["overall"] == pytest.approx(stats.t.ppf(0.975, 9))
    assert more["good"] == pytest.approx(stats.t.ppf(0.975, 19))


def test_without_humans_there_is_one_table_and_one_sentence_a_test(approved: Approved) -> None:
    found = discriminative_power(cells_of(scores_of(evaluation(5))), tests=("t",))
    assert tuple(table.name for table in found.all_tables) == ("power",)
    assert len(list(found.sentences())) == 1
    one = discriminative_power(cells_of(scores_of(evaluation(5)), measures="good"), tests=("t",))
    approved(one.headline())


def test_what_cannot_be_counted_is_refused() -> None:
    cells = cells_of(scores_of(evaluation(5)))
    with pytest.raises(DataError, match="fewer than two systems"):
        discriminative_power(cells.take(systems=[0]))


def test_every_heading_is_in_words() -> None:
    tests = ("t-unpaired", "wilcoxon", "mc:w", "mc:t-unpaired", "hb:median", "hb")
    found = discriminative_power(cells_of(scores_of(evaluation(5))), tests=tests, resamples=99)
    assert [column.title for column in found.table().columns[3:]] == [
        "unpaired t",
        "paired Wilcoxon",
        "random swaps of W",
        "random swaps of T",
        "hybrid bootstrap of the median",
        "hybrid bootstrap of T^p",
    ]
    assert [column.name for column in found.table().columns[3:]] == list(tests)
    assert all(line.endswith(f"|v:{adjudge.__version__}") for line in found.signature.splitlines())
