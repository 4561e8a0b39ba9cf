"""Do tests of two measures' correlations with people hold what they promise? The table of docs/calibration.md.

`python tests/calibration/test_measures_calibration.py` prints the table that the page shows; the slow tests draw it
again, with another seed, and compare.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import Coefficient, CorrelationLevel
from adjudge.stats.measure_tests import Swap, permutation_measures, williams_measures

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
SYSTEMS, TOPICS, RESAMPLES, RUNS = 12, 40, 199, 400
SWAPS: tuple[Swap, ...] = ("systems", "inputs", "both")
KINDS = {
    "cells": "equal shapes, noise of single summaries alone",
    "same": "equal shapes, noise of systems and of summaries",
    "skewed": "noise of one measure exponential",
    "topics": "topics differ by one measure (sd 3), not by the other",
    "noisy": "noise within systems 3 times as wide in one measure",
    "planted": "a planted difference",
}
COLUMNS: tuple[tuple[CorrelationLevel, Coefficient], ...] = (
    ("system", "pearson"),
    ("system", "kendall-b"),
    ("input", "pearson"),
)


def drawn(kind: str, rng: np.random.Generator, topics: int = TOPICS, systems: int = SYSTEMS) -> FloatArray:
    """Two measures that see the same of people's scores, unless a difference is planted; and people."""

    def measure(between: float, within: float, exponential: bool = False) -> FloatArray:
        shape = (topics + 1, systems)
        noise = rng.exponential(size=shape) - 1 if exponential else rng.normal(size=shape)
        return np.asarray(quality + between * noise[0] + within * noise[1:])

    quality = rng.normal(size=systems) + 0.5 * rng.normal(size=(topics, systems))
    people = quality + rng.normal(size=(topics, 1)) + rng.normal(size=(topics, systems))
    first = measure(0.5, 1.0)
    if kind == "cells":
        first, second = measure(0.0, 1.0), measure(0.0, 1.0)
    elif kind == "skewed":
        second = measure(0.5, 1.0, exponential=True)
    elif kind == "noisy":
        # As much noise in a system's mean as the first has: what the topics add is taken off what the system has.
        second = measure(math.sqrt(0.25 + (1 - 9) / topics), 3.0)
    elif kind == "planted":
        second = measure(1.5, 2.0)
    else:
        second = measure(0.5, 1.0)
    if kind == "topics":
        second = second + 3 * rng.normal(size=(topics, 1))
    return np.stack([first, second, people])


def rate(
    kind: str, level: CorrelationLevel, coefficient: Coefficient, swap: Swap, runs: int, seed: int
) -> float:
    """The share of p-values of at most .05."""
    rng = np.random.default_rng([seed, *map(ord, kind)])
    found = 0
    for _ in range(runs):
        data = drawn(kind, rng)
        p = permutation_measures(
            data[:2],
            data[2],
            level=level,
            coefficient=coefficient,
            swap=swap,
            resamples=RESAMPLES,
            rng=rng,
        ).p[0]
        found += bool(p <= 0.05 + 1e-12)
    return found / runs


def williams_rate(kind: str, runs: int, seed: int) -> float:
    rng = np.random.default_rng([seed, *map(ord, kind)])
    return float(np.mean([_williams(drawn(kind, rng)) <= 0.05 for _ in range(runs)]))


def _williams(data: FloatArray) -> float:
    return float(williams_measures(data[:2], data[2]).p[0])


def test_exchangeable_measures_have_uniform_p() -> None:
    """Where swaps leave means and variances as they are, the test is exact.

    By inputs: both measures rank the systems of a topic. By systems: a system's scores by one measure are those by the
    other on other topics.
    """
    rng = np.random.default_rng(7)
    p = []
    for run in range(300):
        topics, systems = (9, 6) if run % 2 else (6, 9)
        people = rng.normal(size=(topics, systems))
        x = np.argsort(np.argsort(people + rng.normal(size=people.shape), axis=1), axis=1).astype(float)
        if run % 2:
            y = np.argsort(np.argsort(people + rng.normal(size=people.shape), axis=1), axis=1).astype(float)
            level, swap, units = "system", "inputs", topics
        else:
            x = rng.normal(size=people.shape)
            y = rng.permuted(x, axis=0)
            level, swap, units = "global", "systems", systems
        turned = rng.random((topics, 1) if swap == "inputs" else (1, systems)) < 0.5
        x, y = np.where(turned, y, x), np.where(turned, x, y)
        found = permutation_measures([x, y], people, level=level, swap=swap, rng=rng)  # type: ignore[arg-type]
        assert found.method == ("exact",)
        assert found.p[0] >= 2 ** (1 - units)
        # An exact p is uniform on its steps: it is spread over its own step, which is at least two swaps wide.
        p.append(found.p[0] - rng.random() * 2 ** (1 - units))
    assert kstest(p, "uniform").pvalue > 1e-3


def test_the_check_can_fail() -> None:
    """p-values of measures that differ are not uniform."""
    rng = np.random.default_rng(3)
    p = [
        permutation_measures(d[:2], d[2], swap="inputs", level="input", resamples=99, rng=rng).p[0]
        for d in (drawn("planted", rng, topics=20, systems=8) for _ in range(30))
    ]
    assert kstest(p, "uniform").pvalue < 1e-6


def test_a_planted_difference_is_found() -> None:
    """In about 49 % of the simulations; without it in about 5 %."""
    assert rate("planted", "input", "pearson", "systems", 40, 5) >= 0.25
    assert rate("same", "input", "pearson", "systems", 40, 5) <= 0.2


def on_page() -> dict[str, list[float | None]]:
    """Per cent by kind, as the page has them."""
    found = re.search(r"<!-- measures -->\n(.*?)<!-- end -->", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()[2:]]
    return {row[0]: [float(cell) if cell else None for cell in row[1:]] for row in rows}


def rates(kind: str, runs: int, seed: int) -> list[float | None]:
    """A row of the table, in per cent."""
    cells: list[float | None] = [
        None
        if level == "input"
        and kind == "noisy"  # more noise within systems is a lower correlation at this level
        else 100 * rate(kind, level, coefficient, swap, runs, seed)
        for level, coefficient in COLUMNS
        for swap in SWAPS
    ]
    return [*cells, 100 * williams_rate(kind, runs, seed)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_has_the_sizes(kind: str) -> None:
    runs = 200
    for ours, theirs in zip(rates(kind, runs, 77), on_page()[KINDS[kind]], strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            share = min(max(theirs / 100, 0.01), 0.99)
            assert abs(ours - theirs) <= 100 * 4 * math.sqrt(share * (1 - share) * (1 / runs + 1 / RUNS))


def main() -> None:
    heads = [f"{level}, {name.split('-')[0]}, {swap}" for level, name in COLUMNS for swap in SWAPS]
    print("| the two measures |", " | ".join([*heads, "Williams"]), "|")
    print("|---|" + "---:|" * 10)
    for kind, words in KINDS.items():
        cells = ("" if each is None else f"{each:.1f}" for each in rates(kind, RUNS, 2021))
        print(f"| {words} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
