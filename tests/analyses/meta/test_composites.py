"""Composites beside single measures: their scores, correlations with people, and the pairs of systems they find."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved, words_of

import adjudge
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.composites import CompositesResult, composites
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError

OPTIONS = Meta(among=("machines", "all"), coefficients=("pearson", "kendall-b"))


def made() -> pd.DataFrame:
    """12 topics x 8 systems: people, four measures of growing noise of which one is better when lower, a flat one."""
    rng = np.random.default_rng(1)
    quality = rng.normal(size=(12, 8)) + np.linspace(0, 1.5, 8)
    rows: list[tuple[object, ...]] = []
    for t, s in np.ndindex(12, 8):
        at = (f"t{t}", f"s{s}")
        rows += [("overall", *at, who, quality[t, s] + 0.5 * rng.normal()) for who in "AB"]
        rows += [
            (f"m{k}", *at, None, quality[t, s] + noise * rng.normal()) for k, noise in enumerate((0.5, 1, 3))
        ]
        rows += [("ter", *at, None, 60 - 4 * quality[t, s] + 6 * rng.normal()), ("flat", *at, None, 1.0)]
    return pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])


def cells(frame: pd.DataFrame) -> Cells:
    scores = adjudge.read_scores(frame, human="s6,s7", lower_is_better=["ter"])
    return cells_of(scores, "overall")


@pytest.fixture(scope="module")
def found() -> CompositesResult:
    return composites(MetaRun(cells(made()), OPTIONS))


def test_composites_join_the_single_measures(found: CompositesResult) -> None:
    machines, everyone = found.made
    assert [each.info.measure for each in everyone.composites] == [
        "composite:mean",
        "composite:pca",
        "composite:regression(overall)",
    ]
    assert [each.measure for each in everyone.measures] == ["m0", "m1", "m2", "ter"]
    assert [each.measure for each in everyone.constant] == ["flat"]
    assert everyone.joined.automatic.shape == (7, 12, 8)
    assert machines.joined.automatic.shape == (7, 12, 6)
    rows = found.to_frame()
    assert rows.groupby("among")["composite"].sum().to_dict() == {"machines": 3 * 3 * 2, "all": 3 * 3 * 2}
    value = rows.set_index(["measure", "among", "level", "coefficient"])["value"]
    mean = everyone.composites[0].values
    people = everyone.joined.humans[0].values
    expected = np.corrcoef(mean.mean(axis=0), people.mean(axis=0))[0, 1]
    assert value["composite:mean", "all", "system", "pearson"] == pytest.approx(expected, abs=1e-12)
    assert value["composite:regression(overall)", "all", "global", "pearson"] > 0.7


def test_the_mean_is_that_of_the_formula(found: CompositesResult) -> None:
    scores = adjudge.read_scores(made(), lower_is_better=["ter"])
    by_formula = scores.matrix("zmean(m0, m1, m2, ter)").values
    np.testing.assert_allclose(found.made[1].composites[0].values, by_formula, atol=1e-12)


def test_counts_are_those_of_the_scores_themselves(found: CompositesResult) -> None:
    rows = found.to_frame("composite-scores")
    own = rows[rows["among"] == "all"].drop(columns="among")
    beside = pd.concat([own, made().query("measure == 'm1'").drop(columns="assessor")])
    counted = adjudge.counts(adjudge.read_scores(beside, human="s6,s7"))
    expected = {(m.measure, t.test): (t.different, t.human_better) for m in counted.measures for t in m.tests}
    power = found.made[1].power.counts
    here = {(m.measure, t.test): (t.different, t.human_better) for m in power.measures for t in m.tests}
    assert {key: here[key] for key in expected} == expected
    assert len(power.measures) == 8, "people, four measures, three composites"


def test_tables_and_sentences(found: CompositesResult, approved: Approved) -> None:
    names = [table.name for table in found.all_tables]
    assert len(set(names)) == len(names)
    assert "composites-weights-machines" in names
    assert "composites-correlations-system-all" in names
    assert "composites-power-all" in names
    weights = found.table("composites-weights-all")
    assert [row["measure"] for row in weights.records()] == ["m0", "m1", "m2", "ter"]
    assert sum(row["pc1"] ** 2 for row in weights.to_frame().to_dict("records")) == pytest.approx(1)
    said = list(found.sentences())
    assert said[0] == found.headline()
    approved(words_of(found))
    told = json.loads(json.dumps(found.as_dict()))
    assert sum(told["among"][0]["shares"]) == pytest.approx(1)
    assert list(told["among"][1]["composites"][2]["weights"]) == ["m0", "m1", "m2", "ter"]
    assert (
        "folds:5-topics-x-5-systems|seed:0|z:cells|measures:m0+m1+m2+ter"
        in (told["among"][1]["composites"][2]["signature"])
    )


def test_the_same_seed_gives_the_same_composites(found: CompositesResult) -> None:
    again = composites(MetaRun(cells(made()), replace(OPTIONS, among=("all",))))
    other = composites(MetaRun(cells(made()), replace(OPTIONS, among=("all",), seed=7)))
    regressions = [each.composites[2].values for each in (found.made[1], again.made[0], other.made[0])]
    np.testing.assert_array_equal(regressions[0], regressions[1])
    assert not np.array_equal(regressions[0], regressions[2])


def test_missing_cells_are_counted_and_single_measures_compared_without_them(approved: Approved) -> None:
    frame = made()
    gone = (frame["measure"] == "m1") & frame["topic"].isin(["t1", "t2"]) & (frame["system"] == "s3")
    found = composites(MetaRun(cells(frame[~gone]), replace(OPTIONS, among=("all",))))
    one = found.made[0]
    assert (one.cells, one.incomplete) == (94, 2)
    assert all(np.isnan(each.values).sum() == 2 for each in one.composites)
    assert (np.isnan(one.joined.automatic).sum(axis=(1, 2)) == 2).all()
    approved(found.warnings())


def test_too_few_systems_leave_no_regression_but_the_others() -> None:
    frame = made()
    few = cells_of(scores_of(frame[frame["system"].isin(["s0", "s1"])]), "overall")
    found = composites(MetaRun(few, Meta()))
    one = found.made[0]
    assert [each.info.measure for each in one.composites] == ["composite:mean", "composite:pca"]
    assert any(
        note.startswith(
            "among all systems, no regression on overall: regression that leaves out topics and systems"
            " needs 3 systems"
        )
        for note in found.warnings()
    )


def test_one_measure_makes_no_composite() -> None:
    frame = made()
    alone = cells_of(scores_of(frame[frame["measure"].isin(["overall", "m0", "flat"])]), "overall")
    with pytest.raises(DataError, match="needs two measures that vary; there is 1"):
        composites(MetaRun(alone, Meta()))


def test_formulas_are_measures_of_a_meta_evaluation() -> None:
    frame = made()
    more = frame[frame["measure"] == "overall"].assign(measure="fluency")
    scores = scores_of(pd.concat([frame, more.assign(value=lambda f: f["value"].round())]))
    of = cells_of(scores, "mean(overall, fluency)", ["zmean(m0, m1)", "m2"])
    assert of.humans[0].info.measure == "mean(overall, fluency)"
    assert of.humans[0].assessors == ("A", "B")
    assert [each.measure for each in of.measures] == ["zmean(m0, m1)", "m2"]
    np.testing.assert_array_equal(of.automatic[0], scores.matrix("zmean(m0, m1)").values)
