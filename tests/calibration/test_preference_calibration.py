"""Do intervals, tests and candidates of preferences hold from 3 topics to 30? The table of the page is made here.

Systems have true log strengths; on every topic each is off by a normal number of its own. Pairs are drawn at random.
What an interval should hold is the Bradley-Terry fit of the chances over all topics.

    PYTHONPATH=src python tests/calibration/test_preference_calibration.py   prints the table of docs/calibration.md
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from adjudge.analyses.preferences import Prefer
from adjudge.analyses.preferences.strengths import PreferenceFit, fit_preferences
from adjudge.judgments.pairs.answers import Preferences
from adjudge.stats.multiple import holm
from adjudge.stats.preference.answers import FloatArray, PairAnswers
from adjudge.stats.preference.bradley_terry import fit
from adjudge.stats.preference.contrasts import PairContrasts, pair_contrasts
from adjudge.stats.preference.goodness import goodness_of_fit
from adjudge.stats.preference.wider import WiderContrasts, wider_contrasts

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
RUNS = 200
LEVEL = 0.95
EQUAL, NEAR, FAR = np.zeros(4), np.array([0.3, 0.2, -0.1, -0.4]), np.array([1.5, 0.5, -0.5, -1.5])


@dataclass(frozen=True)
class Case:
    name: str
    log: FloatArray
    topics: int
    each: int
    """Answers a topic."""
    scatter: float

    def truth(self) -> FloatArray:
        """The fit of the chances over all topics: a normal difference of two numbers is integrated out."""
        at, weight = np.polynomial.hermite_e.hermegauss(80)
        gaps = self.log[:, None] - self.log
        off = at[:, None, None] * self.scatter * math.sqrt(2)
        chance = (weight[:, None, None] / weight.sum() / (1 + np.exp(-gaps - off))).sum(axis=0)
        np.fill_diagonal(chance, 0.0)
        return fit(chance).log

    def draw(self, rng: np.random.Generator) -> PairAnswers:
        n, count = len(self.log), self.topics * self.each
        first = rng.integers(0, n, count)
        second = (first + rng.integers(1, n, count)) % n
        cluster = np.repeat(np.arange(self.topics), self.each)
        here = self.log + rng.normal(0, self.scatter, (self.topics, n))
        won = rng.random(count) < 1 / (1 + np.exp(here[cluster, second] - here[cluster, first]))
        return PairAnswers(n, first, second, won, cluster=cluster)


CASES = [
    Case(f"{name}, {'topics differ' if scatter else 'topics alike'}", log, topics, 24, scatter)
    for name, log, scatter in (
        ("equal", EQUAL, 0.0),
        ("equal", EQUAL, 0.8),
        ("near", NEAR, 0.8),
        ("far apart", FAR, 0.8),
    )
    for topics in (3, 5, 10, 30)
]


@dataclass(frozen=True)
class Rates:
    """Shares of runs, or of pairs and items in them."""

    pairs: float
    items: float
    any_false: float
    best: float
    found: float
    runs: int

    def row(self, case: Case) -> str:
        cells = (self.pairs, self.items, self.any_false, self.best, self.found)
        return f"| {case.name} | {case.topics} | {' | '.join(f'{100 * each:.1f}' for each in cells)} |"


def fitted(answers: PairAnswers) -> PreferenceFit:
    names = tuple(f"s{k}" for k in range(answers.n))
    topics = tuple(f"t{k}" for k in range(int(answers.cluster.max()) + 1))
    return fit_preferences(Preferences(items=names, answers=answers, topics=topics), Prefer(level=LEVEL))


def rates(case: Case, runs: int = RUNS, seed: int = 1) -> Rates:
    rng = np.random.default_rng([seed, case.topics, case.each, round(10 * case.scatter)])
    truth, n = case.truth(), len(case.log)
    pairs: list[bool] = []
    items: list[bool] = []
    false = best = 0
    found: list[float] = []
    for _ in range(runs):
        result = fitted(case.draw(rng))
        assert result.contrasts is not None
        assert result.findings is not None
        better = result.findings.better
        low, high = result.contrasts.all_bounds(LEVEL)
        gaps = truth[:, None] - truth
        upper = np.triu_indices(n, 1)
        pairs += ((low <= gaps) & (gaps <= high))[upper].tolist()
        for k in range(n):
            each = result.standing(f"s{k}")
            lower = math.log(each.low) if each.low > 0 else -math.inf
            top = math.log(each.high) if each.high > 0 else math.inf
            items.append(lower <= truth[k] <= top)
        false += bool((better & (gaps <= 1e-9)).any())
        best += not better[:, int(np.argmax(truth))].any()
        found.append(better.sum() / len(upper[0]))
    return Rates(
        pairs=float(np.mean(pairs)),
        items=float(np.mean(items)),
        any_false=false / runs,
        best=best / runs,
        found=float(np.mean(found)),
        runs=runs,
    )


HEAD = "| systems | topics | intervals of pairs | of systems | any false finding | best is a candidate | pairs found |"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}, {case.topics}")
def test_the_page_has_what_is_found_and_all_is_within_its_band(case: Case) -> None:
    """Bands of three standard deviations of the simulation; pairs and items of a run hang together, so of the runs."""
    found = rates(case)
    slack = 3 * math.sqrt(0.95 * 0.05 / RUNS)
    assert found.pairs > LEVEL - slack
    assert found.items > LEVEL - slack
    assert found.any_false < 1 - LEVEL + slack
    assert found.best > LEVEL - slack
    assert found.row(case) in PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
def test_propagated_answers_hold_too() -> None:
    """20 sentences of five kinds, all equal, 100 answers, each of which tells of similar sentences too."""
    n, count = 20, 100
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 5, n)
    near = np.where(kind[:, None] == kind, 0.3, 0.05) * rng.uniform(0.5, 1, (n, n))
    near = (near + near.T) / 2
    np.fill_diagonal(near, 1.0)
    held, false = [], 0
    for _ in range(100):  # what is propagated to them is equal too
        first = rng.integers(0, n, count)
        second = (first + rng.integers(1, n, count)) % n
        found = pair_contrasts(
            PairAnswers(n, first, second, rng.integers(0, 2, count).astype(float)), similarity=near
        )
        low, high = found.all_bounds(LEVEL)
        upper = np.triu_indices(n, 1)
        held += ((low <= 0) & (high >= 0))[upper].tolist()
        false += bool((holm(found.p[upper]) < 1 - LEVEL).any())
    assert np.mean(held) > LEVEL - 0.03
    assert false <= 10  # of 100; three standard deviations above 5 is 11.5


def test_few_topics_are_covered() -> None:
    case = Case("equal", EQUAL, 3, 40, 0.8)
    truth, rng = case.truth(), np.random.default_rng(5)
    ours = []
    for _ in range(60):
        answers = case.draw(rng)
        for k, each in enumerate(sorted(fitted(answers).standings, key=lambda each: each.item)):
            ours.append(not (math.log(each.low) > truth[k] or math.log(each.high) < truth[k]))
    assert np.mean(ours) > 0.93


def sided(topics: int, runs: int, seed: int) -> FloatArray:
    """Two equal systems; on each topic one of them wins nine of ten answers. How often p is below .05, and below .01.

    A row for ours, one for Student's t over topics that is no surer than independent answers, one for these alone.
    """
    rng = np.random.default_rng([seed, topics])
    below = np.zeros((3, 2))
    for _ in range(runs):
        ahead = rng.integers(0, 2, topics)
        won = np.where(rng.random((topics, 10)) < 0.9, ahead[:, None], 1 - ahead[:, None]).ravel()
        cluster = np.repeat(np.arange(topics), 10)
        zeros = np.zeros(won.size, int)
        found = pair_contrasts(
            PairAnswers(2, zeros, zeros + 1, won.astype(float), cluster=cluster), by="cluster"
        )
        ours = float(found.p[0, 1])
        if np.isfinite(found.difference[0, 1]):
            gap, se, alone = (float(each[0, 1]) for each in (found.difference, found.se, found.alone))
            by_answers = 2 * norm.sf(abs(gap) / alone)
            by_t = max(2 * student.sf(abs(gap) / se, found.freedom[0, 1]), by_answers)
        else:
            by_t, by_answers = ours, 2 * 0.5**won.size
        below += np.array([[ours], [by_t], [by_answers]]) < [0.05, 0.01]
    return below / runs


SIDED = (3, 5, 8, 12)
SIDED_RUNS = 1000


def sided_row(topics: int) -> str:
    rates = sided(topics, SIDED_RUNS, 1).ravel().tolist()
    return f"| {topics} | {' | '.join(f'{100 * each:.1f}' for each in rates)} |"


@pytest.mark.slow
@pytest.mark.parametrize("topics", SIDED)
def test_topics_that_take_sides_are_on_the_page(topics: int) -> None:
    assert sided_row(topics) in PAGE.read_text(encoding="utf-8")


def test_topics_that_take_sides_are_no_finding() -> None:
    """A check that can fail: few topics agree by chance, which Student's t alone takes for a difference."""
    ours, by_t, _ = sided(5, 300, 2)
    assert ours.tolist() == [0, 0]
    assert by_t[1] > 0.02  # where it should be .01
    ours, _, by_answers = sided(8, 150, 2)
    assert np.all(ours <= np.array([0.05, 0.01]) + 3 * np.sqrt(np.array([0.05, 0.01]) / 150))
    assert by_answers[0] > 0.3


# Assessors as a sample


@dataclass(frozen=True)
class Panel:
    """Assessors with tastes of their own answer about pairs drawn at random, on topics or on none."""

    assessors: int
    systems: int
    topics: int
    each: int
    """Answers of an assessor; on each topic where there are topics."""

    def draw(
        self, rng: np.random.Generator, *, tastes: npt.ArrayLike, log: FloatArray, scatter: float = 0.3
    ) -> PairAnswers:
        there = max(self.topics, 1)
        liked = rng.normal(0, 1, (self.assessors, self.systems)) * np.asarray(tastes)
        here = rng.normal(0, scatter if self.topics else 0.0, (there, self.systems))
        who = np.repeat(np.arange(self.assessors), there * self.each)
        cluster = np.tile(np.repeat(np.arange(there), self.each), self.assessors)
        first = rng.integers(0, self.systems, len(who))
        second = (first + rng.integers(1, self.systems, len(who))) % self.systems

        def seen(system: npt.NDArray[np.int64]) -> FloatArray:
            return np.asarray(log[system] + liked[who, system] + here[cluster, system])

        won = rng.random(len(who)) < 1 / (1 + np.exp(seen(second) - seen(first)))
        return PairAnswers(self.systems, first, second, won.astype(float), who=who, cluster=cluster)

    def both(self, answers: PairAnswers) -> tuple[PairContrasts, WiderContrasts]:
        these = pair_contrasts(answers, by="cluster" if self.topics else "answer")
        others = wider_contrasts(answers, these)
        assert isinstance(others, WiderContrasts)
        return these, others

    def found(
        self, runs: int, seed: int, *, tastes: npt.ArrayLike = 0.0, log: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """How often any pair is found, and which share of pairs: for these assessors, and for others like them.

        On the way: no p of the wider answer is below the narrower's.
        """
        rng = np.random.default_rng(
            [seed, self.assessors, self.systems, self.topics, int(np.sum(tastes) * 10)]
        )
        log = np.zeros(self.systems) if log is None else log
        upper = np.triu_indices(self.systems, 1)
        any_found, share = np.zeros((2, 2))
        for _ in range(runs):
            p = [contrasts.p[upper] for contrasts in self.both(self.draw(rng, tastes=tastes, log=log))]
            assert np.all(p[1] >= p[0])
            different = np.array([holm(values) < 1 - LEVEL for values in p])
            any_found += different.any(axis=1) / runs
            share += different.mean(axis=1) / runs
        return any_found, share


PANELS = [
    Panel(assessors, systems, topics, each)
    for systems, topics, each in ((4, 0, 90), (4, 30, 6), (8, 0, 240), (8, 30, 8))
    for assessors in (3, 5, 12)
]
TASTES = (0.0, 0.5, 1.0)
PANEL_RUNS = 300


@dataclass(frozen=True)
class PanelRates:
    any_false: FloatArray
    """Tastes by these assessors and others like them."""
    power: FloatArray

    def row(self, panel: Panel) -> str:
        cells = [*self.any_false.ravel().tolist(), *self.power.tolist()]
        numbers = " | ".join(f"{100 * cell:.1f}" for cell in cells)
        return f"| {panel.systems} | {panel.topics or 'none'} | {panel.assessors} | {numbers} |"


def panel_rates(panel: Panel, runs: int = PANEL_RUNS) -> PanelRates:
    """Systems that are equal on average; then such as are not, and that all like alike."""
    log = np.linspace(0.9, -0.9, panel.systems)
    return PanelRates(
        any_false=np.array([panel.found(runs, 1, tastes=tastes)[0] for tastes in TASTES]),
        power=panel.found(runs, 2, log=log)[1],
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "panel", PANELS, ids=lambda panel: f"{panel.systems}-{panel.topics}-{panel.assessors}"
)
def test_assessors_with_tastes_are_on_the_page(panel: Panel) -> None:
    """At most 6 % and three standard deviations; where tastes are nothing, most of what is found without them."""
    found = panel_rates(panel)
    assert np.all(found.any_false[:, 1] < 0.06 + 3 * math.sqrt(0.06 * 0.94 / PANEL_RUNS))
    assert found.power[1] >= (0.9 if panel.assessors > 3 else 0.75) * found.power[0]
    assert found.row(panel) in PAGE.read_text(encoding="utf-8")


ODD = {"half": np.array([1.0, 1, 1, 1, 0, 0, 0, 0]), "one": np.array([1.0, 0, 0, 0, 0, 0, 0, 0])}


def odd_row(name: str, assessors: int) -> str:
    any_found, _ = Panel(assessors, 8, 0, 240).found(PANEL_RUNS, 3, tastes=ODD[name])
    return f"| {name} | {assessors} | {' | '.join(f'{100 * each:.1f}' for each in any_found.tolist())} |"


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("assessors", [3, 5, 12])
def test_systems_that_divide_assessors_are_on_the_page(name: str, assessors: int) -> None:
    assert odd_row(name, assessors) in PAGE.read_text(encoding="utf-8")


def test_tastes_of_three_assessors_are_no_finding() -> None:
    """A check that can fail: answers pooled, as they were once, find a difference in most data sets."""
    any_found, _ = Panel(3, 4, 0, 90).found(60, 4, tastes=1.0)
    assert any_found[0] > 0.6
    assert any_found[1] < 0.2
    _, share = Panel(5, 4, 0, 90).found(20, 5, log=np.array([2.0, 0, 0, -2]))
    assert share[1] > 0.6  # five of six pairs


FITTED = [Panel(3, 4, 0, 40), Panel(5, 8, 0, 60), Panel(3, 4, 30, 6), Panel(12, 6, 30, 4), Panel(1, 5, 0, 60)]


def fit_row(panel: Panel, runs: int = PANEL_RUNS) -> str:
    """How often strengths are said not to fit: with tastes of 0, .5 and 1, and where three go round."""
    rng = np.random.default_rng([6, panel.assessors, panel.systems, panel.topics])
    log = np.linspace(1, -1, panel.systems)
    cells = []
    for tastes in (*TASTES, None):
        below = 0
        for _ in range(runs):
            answers = panel.draw(rng, tastes=tastes or 0.0, log=log)
            if tastes is None:
                answers = circular(answers, rng)
            contrasts = pair_contrasts(answers, by="cluster" if panel.topics else "answer")
            goodness = goodness_of_fit(answers, contrasts, rng)
            below += goodness is not None and max(goodness.p, goodness.smallest) < 1 - LEVEL
        cells.append(f"{100 * below / runs:.1f}")
    return f"| {panel.systems} | {panel.topics or 'none'} | {panel.assessors} | {' | '.join(cells)} |"


def circular(answers: PairAnswers, rng: np.random.Generator, log: float = 1.0) -> PairAnswers:
    """The first three go round, the rest is even."""
    gap = (answers.second - answers.first + 1) % 3 - 1
    three = (answers.first < 3) & (answers.second < 3)
    won = rng.random(len(answers)) < 1 / (1 + np.exp(-np.where(three, log * gap, 0.0)))
    return replace(answers, won=won.astype(float))


@pytest.mark.slow
@pytest.mark.parametrize(
    "panel", FITTED, ids=lambda panel: f"{panel.systems}-{panel.topics}-{panel.assessors}"
)
def test_the_test_of_fit_is_on_the_page(panel: Panel) -> None:
    row = fit_row(panel)
    sizes = [float(cell) for cell in row.split(" | ")[3:6]]
    assert max(sizes) < 100 * (0.06 + 3 * math.sqrt(0.06 * 0.94 / PANEL_RUNS))
    assert row in PAGE.read_text(encoding="utf-8")


def test_the_page_has_a_row_for_every_case() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Preferences")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([a-z].+?) \| (\d+) \| (?:[\d.]+ \| ?){5}$", section, re.MULTILINE)
    assert rows == [(case.name, str(case.topics)) for case in CASES]
    sides = re.findall(r"^\| (\d+) \| (?:\d+\.\d \| ?){6}$", section, re.MULTILINE)
    assert sides == [str(topics) for topics in SIDED]
    panels = re.findall(r"^\| (\d+) \| (none|\d+) \| (\d+) \| (?:\d+\.\d \| ?){8}$", section, re.MULTILINE)
    assert panels == [(str(p.systems), str(p.topics or "none"), str(p.assessors)) for p in PANELS]


if __name__ == "__main__":
    print(HEAD, "|---|---:|---:|---:|---:|---:|---:|", sep="\n")
    for each in CASES:
        print(rates(each).row(each), flush=True)
    for few in SIDED:
        print(sided_row(few), flush=True)
    for members in PANELS:
        print(panel_rates(members).row(members), flush=True)
    for kind in ODD:
        for people in (3, 5, 12):
            print(odd_row(kind, people), flush=True)
    for members in FITTED:
        print(fit_row(members), flush=True)
