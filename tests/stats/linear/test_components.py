"""Variance components: against lme4 and mean squares, what a design identifies, intervals that cover."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adjudge.core.results import Note
from adjudge.stats.checks import FloatArray
from adjudge.stats.linear.components import RESIDUAL, RandomComponents, random_components
from adjudge.stats.linear.model import Key

DATA = Path(__file__).parents[1] / "data"
FACTORS = ("system", "assessor", "topic")
# R 4.2.2, lme4 1.1-31: components.R
EXPECTED = pd.read_csv(DATA / "components_expected.csv")
ROWS = pd.read_csv(DATA / "components.csv")


def found(values: FloatArray, factors: list[FloatArray], **how: float) -> RandomComponents:
    return random_components(values, factors, rng=np.random.default_rng(0), **how)  # type: ignore[arg-type]


def name(key: Key) -> str:
    return ":".join(sorted(FACTORS[f] for f in key)) if key else "Residual"


@pytest.mark.parametrize("fixed", [False, True], ids=["random", "fixed"])
@pytest.mark.parametrize("case", EXPECTED["case"].unique())
def test_variances_are_those_of_lme4(case: str, fixed: bool) -> None:
    rows = ROWS[ROWS["case"] == case]
    codes = [pd.factorize(rows[factor])[0] for factor in FACTORS]
    result = found(rows["value"].to_numpy(), codes, **({"compared": 0} if fixed else {}))
    known = EXPECTED[EXPECTED["case"] == case].set_index(["model", "term"])["variance"]
    expected = known["random"].to_dict() | (known["fixed"].to_dict() if fixed else {})
    assert result.why is None
    assert {name(key): v for key, v in zip(result.terms, result.variances, strict=True)} == pytest.approx(
        expected, rel=2e-4, abs=2e-5
    )
    once = case != "repeats"
    assert result.mixed == ({(0, 1, 2): (RESIDUAL,)} if once else {})
    assert result.balanced == (case in ("crossed", "repeats"))
    assert np.isnan(result.low).all() != result.balanced


def crossed(
    shape: tuple[int, ...], sd: dict[Key, float], rng: np.random.Generator
) -> tuple[FloatArray, list[FloatArray]]:
    """Normal scores of a crossed design, a factor for every axis; the key () is the residual."""
    values = sd[()] * rng.normal(size=shape)
    for key, size in sd.items():
        if key:
            values += size * rng.normal(size=[n if k in key else 1 for k, n in enumerate(shape)])
    return values.ravel(), [axis.ravel() for axis in np.indices(shape)]


def test_variances_are_those_of_mean_squares() -> None:
    sd = {(0,): 2.0, (1,): 1.0, (2,): 1.5, (0, 1): 0.8, (0, 2): 0.6, (1, 2): 0.5, (): 0.3}
    values, factors = crossed((6, 5, 20), sd, np.random.default_rng(1))
    cube = values.reshape(6, 5, 20)
    pair = cube - cube.mean(axis=2, keepdims=True) - cube.mean(axis=1, keepdims=True)
    pair = pair + cube.mean(axis=(1, 2), keepdims=True)
    rest = pair - pair.mean(axis=0)
    residual = np.sum(rest**2) / (5 * 4 * 19)
    table = cube.mean(axis=2)
    both = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    together = (20 * np.sum(both**2) / (5 * 4) - residual) / 20
    result = found(values, factors)
    assert result.variance(RESIDUAL) == pytest.approx(residual)
    assert result.variance((0, 1)) == pytest.approx(together)
    assert math.isnan(result.variance((0, 1, 2)))


def test_what_a_design_cannot_tell_apart_is_named() -> None:
    rng = np.random.default_rng(2)

    def of(rows: list[tuple[int, int, int]]) -> RandomComponents:
        factors = [np.array(column) for column in zip(*rows, strict=True)]
        return found(rng.normal(size=len(rows)) + rng.normal(size=40)[factors[2]], factors)

    everything = list(product(range(3), range(4), range(6)))
    nested = of([(s, t % 4, t) for s in range(3) for t in range(20)])  # one assessor a topic
    assert nested.mixed == {(1, 2): ((2,),), (0, 2): (RESIDUAL,), (0, 1, 2): (RESIDUAL,)}
    assert set(nested.terms) == {(0,), (1,), (2,), (0, 1), RESIDUAL}
    same = of(
        [(s, t, t) for s in range(3) for t in range(20)]
    )  # an assessor for every topic, and a topic for each
    assert same.mixed[2,] == ((1,),)
    assert same.mixed[0, 1] == (RESIDUAL,)
    whoever = of([(s, (s + t) % 4, t) for s in range(3) for t in range(20)])  # one judgment of each summary
    assert whoever.mixed[0, 2] == (RESIDUAL,)
    assert (0, 1) in whoever.terms
    one = of([row for row in everything if row[1] == 0])
    assert set(one.terms) == {(0,), (2,), RESIDUAL}
    assert one.mixed == {(0, 2): (RESIDUAL,)}
    own = of(
        [(s, 2 * t + a, t) for s in range(2) for t in range(20) for a in range(2)]
    )  # two of its own a topic
    assert own.mixed == {(1, 2): ((1,),), (0, 1): (RESIDUAL,), (0, 1, 2): (RESIDUAL,)}


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.ones(24), "all-the-same"),
        (np.arange(24) // 12 * 1.0, "exact-fit"),
    ],
)
def test_what_has_no_noise_has_no_components(values: FloatArray, why: str) -> None:
    factors = [axis.ravel() for axis in np.indices((2, 3, 4))]
    result = found(values, factors)
    assert result.terms == ()
    assert result.why == Note.of(why)
    assert math.isnan(result.variance((0,)))


def test_one_row_for_everything_has_none_either() -> None:
    one = found(np.array([1.0, 2.0]), [np.array([0, 1]), np.array([0, 1]), np.array([0, 1])])
    assert one.terms == ()
    assert one.why == Note.of("no-repeats")


def covered(times: int, shape: tuple[int, ...], sd: dict[Key, float]) -> dict[Key, float]:
    rng = np.random.default_rng(3)
    inside = dict.fromkeys(sd, 0)
    for _ in range(times):
        result = random_components(*crossed(shape, sd, rng), rng=rng, draws=1000)
        for key, size in sd.items():
            k = result.terms.index(key)
            inside[key] += bool(result.low[k] <= size**2 <= result.high[k])
    return {key: count / times for key, count in inside.items()}


FEW = {(0,): 0.6, (1,): 0.4, (2,): 0.4, (0, 1): 0.3, (0, 2): 0.7, (1, 2): 0.2, (): 0.6}


def test_intervals_cover_with_three_assessors() -> None:
    for key, share in covered(60, (5, 3, 12), FEW).items():
        assert share >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 60), key


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(12, 3, 40), (4, 5, 20), (3, 2, 30)])
@pytest.mark.parametrize("without", [None, (0, 1), (1,)])
def test_intervals_cover(shape: tuple[int, ...], without: Key | None) -> None:
    """Also where a variance is 0; never short of the level by more than chance and a hundredth."""
    sd = {key: 0.0 if key == without else size for key, size in FEW.items()}
    for key, share in covered(200, shape, sd).items():
        assert share >= 0.94 - 3 * math.sqrt(0.95 * 0.05 / 200), key
