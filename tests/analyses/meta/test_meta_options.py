"""What a user chooses reaches every part of a meta-evaluation, and every part says of which systems it speaks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved

import adjudge
from adjudge.analyses.meta import COEFFICIENTS, Meta
from adjudge.analyses.meta.better import BetterResult
from adjudge.analyses.meta.composites import CompositesResult
from adjudge.analyses.meta.curves import DRAWS, CurvesResult
from adjudge.analyses.meta.hotelling import HotellingResult
from adjudge.analyses.meta.power import PowerResult
from adjudge.analyses.meta.result import MetaResult

SYSTEMS = ("s0", "s1", "s2", "s3", "s4", "H1", "H2")


@cache
def table(topics: int = 14, size: float = 1.0) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    quality = np.linspace(0, 1.5, len(SYSTEMS)) + rng.normal(size=(topics, len(SYSTEMS)))
    rows: list[tuple[object, ...]] = []
    for t, s in np.ndindex(quality.shape):
        at = (f"t{t}", SYSTEMS[s])
        rows += [("overall", *at, who, quality[t, s] + 0.5 * rng.normal()) for who in "AB"]
        rows += [
            (f"m{k}", *at, None, quality[t, s] + noise * rng.normal()) for k, noise in enumerate((0.5, 1, 2))
        ]
    frame = pd.DataFrame(rows, columns=["measure", "topic", "system", "assessor", "value"])
    frame["value"] *= size
    return frame


def answered(parts: str, *, human: str | None = "H*", size: float = 1.0, **options: Any) -> MetaResult:
    return adjudge.meta(table(size=size), people="overall", parts=parts, human=human or (), **options)


def better(**options: Any) -> BetterResult:
    found = answered("better", levels="system", human=None, **options)["better"]
    assert isinstance(found, BetterResult)
    return found


def test_better_takes_the_correction_the_resamples_and_the_named_coefficients() -> None:
    [usual] = better().comparisons
    assert (usual.coefficient, usual.correct) == ("pearson", "holm")
    few = better(correct="none", resamples=50, coefficients=["kendall-b", "spearman"]).comparisons
    assert [each.coefficient for each in few] == ["kendall-b", "spearman"]
    assert {each.correct for each in few} == {"none"}
    assert {each.resamples for each in few} == {50}
    assert [each.coefficient for each in better(coefficients="all").comparisons] == list(COEFFICIENTS)
    assert [each.p for each in few[0].pairs] == [each.corrected for each in few[0].pairs]


def test_an_explicit_number_goes_to_every_part_that_resamples() -> None:
    assert Meta().interval_resamples == 1000
    assert Meta(resamples=40).interval_resamples == 40
    parts = "curves,hotelling,power,conclusions,slices,better"
    frame = table().assign(type=lambda f: "kind" + (f["topic"].str[1:].astype(int) % 2).astype(str))
    found = adjudge.meta(
        frame, people="overall", parts=parts, resamples=40, tests="mc", test="mc", levels="system"
    )
    assert not found.absent
    signatures = {name: str(found[name].as_dict()) for name in found.parts}
    assert "draws:40" in signatures["curves"]
    assert "flips:40" in signatures["hotelling"]
    assert "test:mc:R40" in signatures["conclusions"]
    assert "permutation:40" in signatures["slices"]
    assert "swaps:40" in signatures["better"]
    power = found["power"]
    assert isinstance(power, PowerResult)
    assert all("40" in each.signature for each in power.counts.measures)
    assert "R:40" in found.signature
    curves = answered("curves", human=None)["curves"]
    assert isinstance(curves, CurvesResult)
    assert f"|draws:{DRAWS}|" in curves.signature


def test_composites_count_with_the_tests_that_were_asked_for() -> None:
    found = answered("composites", tests="t,mc:w", resamples=60)["composites"]
    power = answered("power", tests="t,mc:w", resamples=60)["power"]
    assert isinstance(found, CompositesResult)
    assert isinstance(power, PowerResult)
    everyone = found.made[1].power
    assert [t.test for t in everyone.counts.measures[0].tests] == ["t", "mc:w"]
    mine = everyone.to_frame().set_index(["measure", "test"])["different"]
    single = power.to_frame().set_index(["measure", "test"])["different"]
    assert mine[single.index].tolist() == single.tolist(), "one function counts for both"


def test_hotelling_of_machines_and_of_all_systems(approved: Approved) -> None:
    found = answered("hotelling", correct="bonferroni")["hotelling"]
    assert isinstance(found, HotellingResult)
    frame = found.to_frame()
    assert frame.groupby("among", sort=False).size().to_dict() == {"machines": 10, "all": 21}
    approved([found.table().title, *found.sentences()])
    for among, pairs in (("machines", 10), ("all", 21)):
        own = frame[frame["among"] == among]
        np.testing.assert_allclose(own["corrected_p"], np.minimum(1, pairs * own["p"]))
    same = frame.set_index(["a", "b", "among"])["t2"].unstack().dropna()
    assert same["machines"].tolist() == same["all"].tolist(), "the test itself does not see other systems"


def test_westfall_and_young_are_said_to_be_no_correction_of_measures(approved: Approved) -> None:
    found = answered(
        "better,hotelling,conclusions", correct="westfall-young", test="mc", levels="system", resamples=99
    )
    assert found.notes_of("corrected-otherwise")
    approved(found.notes_of("corrected-otherwise"))
    assert found["better"].as_dict()["comparisons"][0]["correct"] == "holm"
    assert not answered("hotelling", correct="bh").notes_of("corrected-otherwise")


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_scores_whose_squares_are_no_numbers(size: float) -> None:
    parts = "hotelling,curves"
    plain, found = (answered(parts, size=each, human=None, resamples=30) for each in (1.0, size))
    for name, columns in (("hotelling", ["t2", "p", "p_flips"]), ("curves", ["power", "people_power"])):
        pd.testing.assert_frame_equal(
            found[name].to_frame()[columns], plain[name].to_frame()[columns], rtol=1e-6
        )


def test_every_signature_ends_in_the_version() -> None:
    found = answered("hotelling,curves,conclusions,power,composites", resamples=30)
    assert found.signature.endswith(f"|v:{adjudge.__version__}")
    for name, part in found.parts.items():
        for each in part.tables():
            for line in filter(None, each.signature.splitlines()):
                assert line.endswith(f"|v:{adjudge.__version__}"), (name, line)
