"""The part of a meta-evaluation on the human ceiling."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved

from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.ceiling import MeasureCeiling, ceiling_all
from adjudge.analyses.meta.cells import Cells, cells_of
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.words import signed
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError
from adjudge.stats.ceiling import human_ceiling

OPTIONS = Meta(resamples=60, coefficients=("pearson", "kendall-b"))


def frame(assessors: int = 4, *, noise: float = 2.0) -> pd.DataFrame:
    """Assessors who see the truth with noise; measures: the truth, one like an assessor, one that knows nothing."""
    draw = np.random.default_rng(6)
    truth = np.linspace(0, 1, 6) + draw.normal(size=(30, 6))
    layers: list[tuple[str, str | None, Any]] = [
        ("overall", f"a{k}", truth + noise * draw.normal(size=truth.shape)) for k in range(assessors)
    ]
    layers += [
        ("truth", None, truth),
        ("alike", None, truth + noise * draw.normal(size=truth.shape)),
        ("random", None, draw.normal(size=truth.shape)),
    ]
    return pd.DataFrame(
        [
            {"measure": m, "assessor": who, "topic": f"t{t}", "system": f"s{s}", "value": values[t, s]}
            for m, who, values in layers
            for t, s in np.ndindex(*truth.shape)
        ]
    )


def cells(data: pd.DataFrame | None = None, human: str = "overall") -> Cells:
    return cells_of(scores_of(frame() if data is None else data), human)


def test_who_is_above_and_below(approved: Approved) -> None:
    given = cells()
    found = ceiling_all(MetaRun(given, OPTIONS))
    by = {(each.measure.measure, each.level, each.coefficient): each for each in found.rows}
    assert by["truth", "input", "pearson"].low > 0
    assert by["random", "input", "pearson"].high < 0
    assert by["alike", "input", "pearson"].low < 0 < by["alike", "input", "pearson"].high
    approved(found.sentences())
    expected = human_ceiling(
        given.automatic,
        given.humans[0].by_assessor,
        level="input",
        coefficient="pearson",
        rng=np.random.default_rng(0),
        resamples=0,
    )
    (own,) = (each for each in found.ceilings if (each.level, each.coefficient) == ("input", "pearson"))
    assert own.value == pytest.approx(expected.ceiling)


def test_levels_and_coefficients() -> None:
    found = ceiling_all(MetaRun(cells(), OPTIONS))
    assert {(each.level, each.coefficient) for each in found.rows} == {
        ("system", "pearson"),
        ("system", "kendall-b"),
        ("system", "pairwise"),
        ("input", "pearson"),
        ("input", "kendall-b"),
        ("input", "acc-eq"),
        ("global", "pearson"),
        ("global", "kendall-b"),
    }
    for table in found.tables():
        level = table.name.split("-")[1]
        assert f"{level} level" in table.title
        assert list(found.about(table.name))
    assert found.headline() == next(found.sentences())


def test_one_assessor_has_no_ceiling() -> None:
    with pytest.raises(
        DataError, match=r"no human ceiling for overall: its judgments come from one assessor \(a0\)"
    ):
        ceiling_all(MetaRun(cells(frame(1)), OPTIONS))
    data = frame(1)
    data["assessor"] = None
    with pytest.raises(DataError, match="no human ceiling for overall: its judgments name no assessor"):
        ceiling_all(MetaRun(cells(data), OPTIONS))


def test_of_several_human_measures_one_may_have_none(approved: Approved) -> None:
    data = frame()
    more = data[data["assessor"] == "a0"].assign(measure="fluency")
    given = cells_of(scores_of(pd.concat([data, more])), ["overall", "fluency"])
    found = ceiling_all(MetaRun(given, OPTIONS))
    assert {each.human.measure for each in found.rows} == {"overall"}
    approved(note for note in found.warnings() if "fluency" in note)


def test_two_assessors_hold_for_themselves(approved: Approved) -> None:
    found = ceiling_all(MetaRun(cells(frame(2)), OPTIONS))
    assert all(each.over == ("topics",) for each in found.ceilings)
    approved(found.warnings())
    assert all("for other topics like these" in table.title for table in found.tables())


def test_assessors_who_judged_some_topics(approved: Approved) -> None:
    """What nobody else judged is left out and counted."""
    data = frame()
    topic = data["topic"].str[1:].astype(int)
    gone = (data["measure"] == "overall") & (
        ((data["assessor"] == "a0") & (topic >= 20)) | (data["assessor"].isin(["a1", "a2"]) & (topic >= 25))
    )
    found = ceiling_all(MetaRun(cells(data[~gone]), OPTIONS))
    assert {(each.alone, each.shared) for each in found.ceilings} == {(5 * 6, 25 * 6)}
    approved(found.warnings())


def test_a_measure_that_lacks_scores_is_compared_on_what_it_has() -> None:
    data = frame()
    gone = (data["measure"] == "alike") & (data["topic"].isin([f"t{k}" for k in range(15)]))
    found = ceiling_all(MetaRun(cells(data[~gone]), OPTIONS))
    by = {(each.measure.measure, each.level, each.coefficient): each for each in found.rows}
    half = ceiling_all(MetaRun(cells(data[~data["topic"].isin([f"t{k}" for k in range(15)])]), OPTIONS))
    (same,) = (
        each for each in half.of(level="input", coefficient="pearson") if each.measure.measure == "alike"
    )
    own = by["alike", "input", "pearson"]
    assert (own.value, own.ceiling) == pytest.approx((same.value, same.ceiling))
    assert own.ceiling != by["truth", "input", "pearson"].ceiling


def test_a_constant_measure_is_an_explained_blank(approved: Approved) -> None:
    data = frame()
    data.loc[data["measure"] == "random", "value"] = 1.0
    found = ceiling_all(MetaRun(cells(data), OPTIONS))
    (own,) = (
        each for each in found.of(level="system", coefficient="pearson") if each.measure.measure == "random"
    )
    assert math.isnan(own.value)
    assert own.why is not None
    approved(found.notes_of("no-value"))
    blank = [each for each in found.rows if each.measure.measure == "random"]
    assert {each.coefficient for each in blank} == {"pearson", "kendall-b", "pairwise", "acc-eq"}
    assert all(np.isnan([each.value, each.ceiling, each.difference]).all() and each.why for each in blank)


def test_ceilings_of_measures_that_lack_scores_are_said_one_by_one(approved: Approved) -> None:
    data = frame()
    some = (data["measure"] == "random") & data["topic"].isin([f"t{k}" for k in range(12)])
    found = ceiling_all(MetaRun(cells(data[~some]), OPTIONS))
    rows = found.of(level="input", coefficient="pearson")
    low, high = (f"{end(each.ceiling for each in rows):.3f}" for end in (min, max))
    assert low != high
    approved(found.about(next(table.name for table in found.tables() if "input" in table.name)))


def test_every_sentence_names_level_coefficient_and_systems(approved: Approved) -> None:
    data = frame()
    data["kind"] = np.where(data["system"] == "s5", "human", "machine")
    given = cells_of(scores_of(data), "overall")
    found = ceiling_all(
        MetaRun(given, Meta(resamples=60, coefficients=("pearson",), among=("all", "machines")))
    )
    approved(found.sentences())


def test_columns_have_headings_of_their_own() -> None:
    for table in ceiling_all(MetaRun(cells(), OPTIONS)).tables():
        headings = [each.title for each in table.columns if each.show != "never"]
        assert len(set(headings)) == len(headings)
        assert {"human ceiling", "the measure"} <= set(headings)


@pytest.mark.parametrize(
    ("value", "shown"), [(0.1234, "+0.12"), (-0.0041, "-0.004"), (-1e-9, "+0.00"), (0.0, "+0.00")]
)
def test_small_differences_keep_their_side(value: float, shown: str) -> None:
    assert signed(value) == shown


def test_the_same_everywhere_and_as_json() -> None:
    given = cells()
    found, again = ceiling_all(MetaRun(given, OPTIONS)), ceiling_all(MetaRun(given, OPTIONS))
    assert json.dumps(found.as_dict(), allow_nan=False) == json.dumps(again.as_dict(), allow_nan=False)
    assert tuple(found.to_frame().columns)[: len(MeasureCeiling.COLUMNS)] == MeasureCeiling.COLUMNS
    assert len(found.to_frame()) == len(found.rows) == 3 * 8
    assert "human ceiling" in found.to_latex()
