"""Trajectories of agreement: against a plain twin, against the measure, and the same whoever does the work."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import wilcoxon as scipy_wilcoxon
from statsmodels.stats.multitest import multipletests
from tests.approving import Approved

from adjudge.analyses.preferences import PreferencesNeeded
from adjudge.analyses.preferences.measures import (
    Convergence,
    Point,
    PreparedTopic,
    Trajectory,
    agreements,
    compared,
    converge,
    of_target,
    one_run,
    score_columns,
    sizes,
)
from adjudge.analyses.scores import Scores
from adjudge.assessors.preferences import simulate_preferences
from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Document, Summary, Topic
from adjudge.data.scores import Score, ScoreTable
from adjudge.data.target import Target
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import batches_of
from adjudge.stats.agreement import pair_agreement
from adjudge.stats.preference.answers import PairAnswers
from adjudge.stats.preference.bradley_terry import fit

NAMES = [
    "storm",
    "river",
    "bridge",
    "mayor",
    "rescue",
    "flood",
    "school",
    "harvest",
    "council",
    "budget",
    "museum",
    "railway",
]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def prepared(smooth: bool) -> PreparedTopic:
    """Eight sentences, twelve summaries, thirty answers of a noisy annotator."""
    random = rng(7)
    first, second = np.array([random.choice(8, 2, replace=False) for _ in range(30)]).T
    won = (first + random.normal(0, 3, 30) > second).astype(float)
    half = random.random((8, 8)) ** 4
    alike = (half + half.T) / 2
    np.fill_diagonal(alike, 1)
    return PreparedTopic(
        "t",
        PairAnswers(8, first, second, won),
        alike if smooth else None,
        random.random((12, 8)) ** 4,
        random.random(12),
    )


@pytest.mark.parametrize("smooth", [True, False])
def test_a_run_equals_the_plain_twin(smooth: bool) -> None:
    """Every point by itself: the first n of the order, outer products one by one, a fit from the start."""
    p = prepared(smooth)
    order = rng().permutation(30)
    expected = []
    for n in (10, 20, 30):
        wins = np.zeros((8, 8))
        for k in order[:n]:
            a, b = p.answers.first[k], p.answers.second[k]
            winner, loser = (a, b) if p.answers.won[k] else (b, a)
            if p.similarity is None:
                wins[winner, loser] += 1
            else:
                wins += np.outer(p.similarity[winner], p.similarity[loser])
        expected.append(pair_agreement(p.human, p.weights @ fit(wins).values).share)
    np.testing.assert_array_equal(one_run(p, [10, 20, 30], rng()), expected)
    assert len(set(expected)) > 1  # or the test would see no difference between points


def test_sizes() -> None:
    assert sizes(35) == [10, 20, 30, 35]
    assert sizes(30) == [10, 20, 30]
    assert sizes(4) == [4]
    assert sizes(0) == []
    assert sizes(5, 2) == [2, 4, 5]


# From a folder


def sentence(k: int) -> str:
    return f"The {NAMES[k]} and the {NAMES[(k * 5 + 3) % 12]} changed on day {k}."


def text(*numbers: int) -> str:
    return " ".join(sentence(k) for k in numbers)


@pytest.fixture
def answered(make: Callable[..., Evaluation]) -> Evaluation:
    """Two topics, four machines whose summaries share more and more with the reference, 40 simulated answers."""
    systems = {"a": (0, 1), "b": (0, 7), "c": (6, 7), "d": (8, 9)}
    rows = []
    for topic in ("t1", "t2", "t3"):
        rows += [Topic(topic), Summary(topic, "ann", text(0, 1, 2), None, ("reference",))]
        rows += [Document(topic, "d1", text(*range(6))), Document(topic, "d2", text(*range(6, 12)))]
        rows += [Summary(topic, name, text(*numbers)) for name, numbers in systems.items()]
    e = make(*rows)
    assert simulate_preferences(e.folder, e.collection, count=40, noise=0.5, seed=1).answers == 120
    return e


def data_of(e: Evaluation, *measures: str) -> Scores:
    """What people say: a is best, then b, c, d; on t3 all are the same."""
    asked = PreferencesNeeded()
    found = score_columns(asked.read(e), measures, asked)
    said = [
        Score("expert:all", t, s, float(v) if t != "t3" else 1.0)
        for t in ("t1", "t2", "t3")
        for s, v in zip("abcd", (4, 3, 2, 1), strict=True)
    ]
    table = ScoreTable.from_rows([*found.data.table.rows(), *said], found.data.table.info.values())
    return Scores("test", table, {})


def run(e: Evaluation, **how: object) -> Convergence:
    data = data_of(e, "rouge-1", "js", "preference", "preference(smooth=false)")
    batches = batches_of(e.collection, e.judgments())
    lines = {"R1": "rouge-1", "JS": "js", "R9": "rouge-9"}
    options: dict[str, Any] = {"runs": 12, "seed": 3} | how
    return converge(batches, data, PreferencesNeeded("expert:all", **options), lines)


def test_with_all_answers_it_is_the_measures_agreement(answered: Evaluation) -> None:
    data = data_of(answered, "rouge-1", "js", "preference", "preference(smooth=false)")
    for smooth, spec in ((True, "preference"), (False, "preference(smooth=false)")):
        found = run(answered, smooth=smooth)
        expected = agreements(data, "expert:all", [spec])[0]
        assert [t.points[-1].n for t in found.measured] == [40, 40]
        assert [t.points[-1].mean for t in found.measured] == pytest.approx(
            [topic.share for topic in expected.topics[:2]]
        )
        assert all(t.points[-1].low == t.points[-1].high == t.points[-1].mean for t in found.measured)


def test_lines_are_the_other_measures_agreement(answered: Evaluation) -> None:
    found = run(answered, runs=1)
    expected = agreements(data_of(answered, "rouge-1", "js"), "expert:all", ["rouge-1", "js"])
    for name, each in zip(("R1", "JS"), expected, strict=True):
        assert [t.lines[name] for t in found.measured] == [topic.share for topic in each.topics[:2]]
    assert "R9" not in found.lines()


def test_the_same_whoever_does_the_work(answered: Evaluation) -> None:
    one, two = run(answered), run(answered, workers=2)
    assert one == two
    assert run(answered, seed=4) != one
    assert run(answered, runs=20).topics[0].points[0] != one.topics[0].points[0]


def test_topics_that_cannot_be_ordered_say_why(answered: Evaluation) -> None:
    found = run(answered)
    assert [t.why for t in found.topics] == [None, None, "people see no difference between summaries"]
    assert found.notes_of("simulated-answers")


def test_nobody_was_asked(small: Evaluation, approved: Approved) -> None:
    said = [Score("expert:all", t, s, v) for t in ("t1", "t2") for s, v in (("good", 2.0), ("poor", 1.0))]
    data = Scores("test", ScoreTable.from_rows(said), {})
    found = converge(batches_of(small.collection), data, PreferencesNeeded("expert:all"), {})
    assert list(found.mean()) == []
    approved(found.sentences())
    assert found.to_frame().empty
    json.dumps(found.as_dict(), allow_nan=False)


def test_lengths_are_never_mixed() -> None:
    peers = [Summary("t", "a", "x", 50), Summary("t", "a", "y", 100), Summary("t", "b", "z", 100)]
    assert [peer.text for peer in of_target(peers, Target(100))] == ["y", "z"]
    with pytest.raises(
        DataError, match="t: summaries of several lengths .50 and 100.: choose one with length"
    ):
        of_target(peers, Target())


def test_forms_are_never_mixed() -> None:
    peers = [Summary("t", "a", form, 100, form=form) for form in ("abstract", "extract")]
    peers.append(Summary("t", "b", "bare", 100))
    assert [peer.text for peer in of_target(peers, Target(100, "extract"))] == ["extract", "bare"]
    with pytest.raises(
        DataError, match="t: summaries of several forms .abstract, extract and unset.: choose"
    ):
        of_target(peers, Target(100))


def test_mistakes(answered: Evaluation) -> None:
    with pytest.raises(UsageError, match="step is 0, expected a whole number, 1 or more"):
        run(answered, step=0)


# The result


def point(n: int, mean: float) -> Point:
    return Point(n, mean, mean - 0.1, mean + 0.1, 0.01)


FOUND = Convergence(
    asked=PreferencesNeeded("coverage"),
    human="coverage",
    topics=(
        Trajectory("t1", 30, (point(10, 0.5), point(20, 0.7), point(30, 0.8)), {"R1": 0.6, "JS": 0.9}),
        Trajectory("t2", 15, (point(10, 0.6), point(15, 0.7)), {"R1": 0.7, "JS": math.nan}),
        Trajectory("t3", 0, (), {"R1": 0.1}, "nobody was asked"),
    ),
)


def test_a_topic_with_fewer_answers_counts_with_all_of_its_own() -> None:
    found = list(FOUND.mean())
    assert [(n, topics) for n, _, topics in found] == [(10, 2), (20, 1), (30, 1)]
    assert [mean for _, mean, _ in found] == pytest.approx([0.55, 0.7, 0.75])


def test_words_and_tables(approved: Approved) -> None:
    assert FOUND.lines() == {"R1": pytest.approx(0.65), "JS": pytest.approx(0.9)}
    approved(FOUND.sentences())
    frame = FOUND.to_frame()
    assert len(frame) == 10
    assert frame[frame["measure"] == "preference"]["n"].tolist() == [10, 20, 30, 10, 15]
    assert r"10 & 0.550 & 2 \\" in FOUND.to_latex()
    data = json.loads(json.dumps(FOUND.as_dict(), allow_nan=False))
    (row,) = [r for r in data["tables"]["topics"] if (r["topic"], r["measure"]) == ("t2", "JS")]
    assert row["mean"] is None
    assert data["topics"][2]["why"] == "nobody was asked"


def test_above_and_below_only_where_a_corrected_test_finds_it(approved: Approved) -> None:
    """Ten topics: R1 is always lower, R2 always higher; R4's mean is lower, on five topics of ten."""
    own = [0.6 + k / 100 for k in range(10)]
    lines = [
        {"R1": x - 0.1 - k / 1000, "R2": x + 0.1 + k / 1000, "R4": x - 0.3 if k % 2 else x + 0.2}
        for k, x in enumerate(own)
    ]
    found = Convergence(
        asked=PreferencesNeeded("coverage", runs=5),
        human="coverage",
        topics=tuple(
            Trajectory(f"t{k}", 30, (point(10, 0.5), point(30, own[k])), lines[k]) for k in range(10)
        ),
    )
    assert found.lines()["R4"] < found.lines()["R2"]
    assert list(found.mean())[-1][1] > found.lines()["R4"]
    approved(found.sentences())


def test_the_rule_is_wilcoxon_with_holm() -> None:
    random = rng(3)
    own = random.random(14)
    others = [own + random.normal(gap, 0.1, 14) for gap in (-0.12, -0.06, 0.0, 0.07, 0.2)]
    ours = compared([(own.tolist(), other.tolist()) for other in others])
    p = [scipy_wilcoxon(own, other).pvalue for other in others]
    corrected = multipletests(p, method="holm")[1]
    expected = [
        ("above" if np.mean(own - other) > 0 else "below") if each < 0.05 else "open"
        for other, each in zip(others, corrected, strict=True)
    ]
    assert ours == expected
    assert len(set(ours)) == 3
    assert compared([([1.0, 2.0, math.nan], [0.0, 1.0, 0.0])]) == ["hopeless"]
