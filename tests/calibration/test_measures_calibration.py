"""Do tests of two measures, and intervals of pairwise accuracy, hold what they promise? Tables of docs/calibration.md.

`python tests/calibration/test_measures_calibration.py` prints the tables that the page shows; the slow tests draw them
again, with another seed, and compare.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from adjudge.stats.checks import FloatArray
from adjudge.stats.correlation import Coefficient, CorrelationLevel
from adjudge.stats.measure_tests import Swap, permutation_measures, williams_measures
from adjudge.stats.pairwise import MeanAccuracy, Resample, mean_accuracies, soft_accuracies

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


# Intervals of pairwise accuracy


@dataclass(frozen=True)
class Studies:
    """People and a measure, who see the same of systems but for `apart`, and of topics, each with `noise`."""

    systems: int
    topics: int
    apart: float
    noise: float

    def worth(self, rng: np.random.Generator) -> FloatArray:
        people = rng.normal(size=self.systems)
        return np.stack([people, people + self.apart * rng.normal(size=self.systems)])

    def scores(self, worth: FloatArray, rng: np.random.Generator) -> FloatArray:
        size = (self.topics, self.systems)
        shared = 0.5 * rng.normal(size=size) + rng.normal(size=(self.topics, 1))
        return np.asarray(worth[:, None] + shared + self.noise * rng.normal(size=(2, *size)))


SIZES = ((8, 30), (12, 20), (25, 100))
TRUTHS = {"middling": (1.0, 1.0), "high": (0.3, 1.0), "high, noisy topics": (0.3, 3.0)}
STUDIES = {
    f"{systems} x {topics}, {words}": Studies(systems, topics, *values)
    for systems, topics in SIZES
    for words, values in TRUTHS.items()
}


ACCURACIES = ("pairwise", "soft pairwise")
RESAMPLED: tuple[Resample, ...] = ("both", "inputs")


def accuracies(
    scores: FloatArray, rng: np.random.Generator, resample: Resample, resamples: int
) -> list[MeanAccuracy]:
    """Pairwise accuracy, then soft."""
    given = scores[0], scores[1:]
    return [
        *mean_accuracies(*given, rng=rng, resample=resample, resamples=resamples),
        *soft_accuracies(*given, rng=rng, swaps=99, resample=resample, resamples=resamples),
    ]


def covered(studies: Studies, resample: Resample, runs: int, seed: int, among: int = 20) -> FloatArray:
    """Of pairwise and soft accuracy: the mean, the share of intervals that hold what such studies find on average, the
    shares that lie below and above it, and the median width.

    With topics alone the systems stay as they are: `among` choices of systems, each with as many studies.
    """
    rng = np.random.default_rng([seed, studies.systems, studies.topics])
    once = among if resample == "inputs" else 1
    rows = []
    for _ in range(once):
        kept = studies.worth(rng)

        def drawn(kept: FloatArray = kept) -> FloatArray:
            return studies.scores(kept if resample == "inputs" else studies.worth(rng), rng)

        without = [accuracies(drawn(), rng, resample, 0) for _ in range(5 * runs // once + 100)]
        truth = np.mean([[a.value for a in both] for both in without], axis=0)
        for _ in range(runs // once):
            rows.append(
                [
                    (true, a.low <= true <= a.high, a.high < true, a.low > true, a.high - a.low)
                    for true, a in zip(truth, accuracies(drawn(), rng, resample, 200), strict=True)
                ]
            )
    table = np.array(rows, dtype=np.float64)
    return np.column_stack([table[:, :, :4].mean(axis=0), np.nanmedian(table[:, :, 4], axis=0)])


def test_intervals_of_accuracy_cover() -> None:
    for resample in RESAMPLED:
        held = covered(STUDIES["12 x 20, high, noisy topics"], resample, 60, 3, among=4)[:, 1]
        assert (held >= 0.85).all(), held


def test_percentiles_of_resampled_topics_lie_too_low() -> None:
    """What intervals for other topics were: the check of coverage can fail."""
    studies, rng = STUDIES["25 x 100, high, noisy topics"], np.random.default_rng(4)
    worth = studies.worth(rng)
    i, j = np.triu_indices(studies.systems, 1)

    def accuracy(means: FloatArray) -> FloatArray:
        ahead = np.sign(means[..., i] - means[..., j])
        return np.asarray((ahead[0] == ahead[1]).mean(axis=-1))

    truth = float(np.mean([accuracy(studies.scores(worth, rng).mean(axis=1)) for _ in range(400)]))
    high = []
    for _ in range(60):
        times = rng.multinomial(studies.topics, np.full(studies.topics, 1 / studies.topics), size=200)
        drawn = accuracy(times @ studies.scores(worth, rng) / studies.topics)
        high.append(np.quantile(drawn, 0.975))
    assert np.mean(np.array(high) < truth) > 0.1  # 2.5 % if they held


def test_intervals_for_other_topics_are_not_for_other_systems() -> None:
    """Beside what studies of other systems find, they are far too narrow: the check of coverage can fail."""
    studies, rng = STUDIES["25 x 100, middling"], np.random.default_rng(1)
    scores = [studies.scores(studies.worth(rng), rng) for _ in range(5)]
    narrow, wide = (
        np.median([a.high - a.low for one in scores for a in accuracies(one, rng, resample, 100)])
        for resample in RESAMPLED[::-1]
    )
    assert narrow < wide / 2


def on_page(name: str = "measures") -> dict[str, list[float | None]]:
    """Per cent by kind, as the page has them."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- end -->", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()[2:]]
    return {row[0]: [float(cell) if cell else None for cell in row[1:]] for row in rows}


def accuracy_row(studies: Studies, runs: int, seed: int) -> list[float]:
    """Pairwise and soft accuracy, each with other systems and topics, then with other topics alone."""
    both, topics = (covered(studies, resample, runs, seed) for resample in RESAMPLED)
    cells = []
    for kind in range(len(ACCURACIES)):
        cells.append(both[kind, 0])
        for table in (both, topics):
            cells += [100 * table[kind, 1], 100 * table[kind, 3], table[kind, 4]]
    return [float(cell) for cell in cells]


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_the_page_has_the_coverage_of_accuracy(name: str) -> None:
    """The rates of the page within Monte Carlo error, none below 92 %."""
    runs = 200
    theirs = on_page("accuracy")[name]
    for k, ours in enumerate(accuracy_row(STUDIES[name], runs, 78)):
        if k % 7 in (1, 4):
            rate = theirs[k]
            assert rate is not None
            assert rate >= 92
            share = min(max(rate / 100, 0.01), 0.99)
            assert abs(ours - rate) <= 100 * 4 * math.sqrt(share * (1 - share) * (1 / runs + 1 / RUNS))


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
    heads = [f"{what}, {head}" for what in ("both", "topics") for head in ("covered", "above", "width")]
    print(
        "| systems x topics |",
        " | ".join(f"{kind}: {head}" for kind in ACCURACIES for head in ("mean", *heads)),
        "|",
    )
    for words, studies in STUDIES.items():
        numbers = accuracy_row(studies, RUNS, 2022)
        shown = (f"{n:.1f}" if k % 7 in (1, 2, 4, 5) else f"{n:.2f}" for k, n in enumerate(numbers))
        print(f"| {words} |", " | ".join(shown), "|", flush=True)


if __name__ == "__main__":
    main()
