"""Figures of judges, assessors, agreement, stability and convergence draw what their results say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.analyses.catalogue.test_catalogue import check_drawn

import adjudge
from adjudge.analyses.agreement import agreement
from adjudge.analyses.assessors import dossiers
from adjudge.analyses.judges import judge_report
from adjudge.analyses.judges.agreement import JudgeAgreementResult
from adjudge.analyses.judges.result import JudgeReport
from adjudge.analyses.judges.words.agreement import verdict_sentence
from adjudge.analyses.preferences import PreferencesNeeded
from adjudge.analyses.preferences.measures import Convergence, Point, Trajectory
from adjudge.core.errors import DataError, UsageError

HOSTILE = "<i>' == '\"&\n\u202e@x"
SYSTEMS = (HOSTILE, "s1", "s2", "s3")
TOPICS = 10


@pytest.fixture(scope="module")
def rated() -> pd.DataFrame:
    """Two people and a judge rate from 1 to 5; people give the last system one answer throughout."""
    rng = np.random.default_rng(2)
    rows: list[tuple[Any, ...]] = []
    for t in range(TOPICS):
        for k, system in enumerate(SYSTEMS):
            worth = 1 + k + rng.normal()
            for who, noise in (("ann", 0.5), ("bob", 0.6), ("gpt", 1.2)):
                given = float(np.clip(round(worth + rng.normal(scale=noise)), 1, 5))
                rows.append((f"t{t}", system, who, 3.0 if k == 3 and who != "gpt" else given))
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])


@pytest.fixture(scope="module")
def report(rated: pd.DataFrame) -> JudgeReport:
    return judge_report(rated, "gpt", parts="agreement", resamples=100)


def agreed(report: JudgeReport) -> JudgeAgreementResult:
    part = report[0].parts["agreement"]
    assert isinstance(part, JudgeAgreementResult)
    return part


def test_a_judges_alpha_about_each_system_is_krippendorffs(report: JudgeReport, rated: pd.DataFrame) -> None:
    systems = {each.system: each for each in agreed(report).aspects[0].systems}
    wide = rated.pivot_table(index=["system", "topic"], columns="assessor", values="value")

    def alpha(system: str, *who: str) -> float:
        own = wide.loc[system, list(who)].to_numpy().T
        return float(krippendorff.alpha(own, level_of_measurement="ordinal"))

    for system in SYSTEMS[:3]:
        own = systems[system]
        assert own.things == TOPICS
        assert own.judge.value == pytest.approx(
            (alpha(system, "gpt", "ann") + alpha(system, "gpt", "bob")) / 2
        )
        assert own.people.value == pytest.approx(alpha(system, "ann", "bob"))
        assert own.judge.low < own.judge.value < own.judge.high
    assert math.isnan(systems["s3"].judge.value)
    assert systems["s3"].why == "people gave one answer throughout"


def test_agreement_system_by_system(report: JudgeReport) -> None:
    figure = report.figure("judge-agreement")
    check_drawn(figure)
    told = agreed(report)
    for who, name in (("gpt", "alpha"), ("people with each other", "people")):
        drawn = figure.data[figure.data["who"] == who]
        before = "" if name == "alpha" else f"{name}_"
        frame = told.to_frame("judge-systems")
        assert drawn["system"].tolist() == frame["system"].tolist()
        for mine, theirs in (("alpha", name), ("low", f"{before}low"), ("high", f"{before}high")):
            assert drawn[mine].tolist() == pytest.approx(frame[theirs].tolist(), nan_ok=True)
    assert "No alpha of gpt: s3 (people gave one answer throughout, or none)." in figure.words


def test_a_judge_beside_people_and_controls(report: JudgeReport) -> None:
    figure = report.figure("judge-controls", judge="gpt")
    check_drawn(figure)
    own = agreed(report).aspects[0]
    rows = [each for each in own.rows if each.why is None]
    for words, name in (("alpha with people", "alpha"), ("order within topics", "within")):
        drawn = figure.data[figure.data["criterion"] == words]
        assert drawn["row"].tolist() == [each.name for each in rows]
        assert drawn["value"].tolist() == pytest.approx(
            [getattr(each, name).value for each in rows], nan_ok=True
        )
        assert drawn["low"].tolist() == pytest.approx([getattr(each, name).low for each in rows], nan_ok=True)
    assert figure.words.startswith(verdict_sentence(own.verdict))
    for each in own.rows:
        if each.why is not None:
            assert each.name in figure.words


def test_who_is_no_judge_is_refused(report: JudgeReport) -> None:
    with pytest.raises(UsageError, match="no dossier of 'ann'"):
        report.figure("judge-controls", judge="ann")
    with pytest.raises(UsageError, match='the question "tone" is not here'):
        report.figure("judge-agreement", aspect="tone")


def test_things_that_are_of_no_system_have_no_such_figure(report: JudgeReport) -> None:
    told = agreed(report)
    without = replace(told, aspects=(replace(told.aspects[0], systems=()),))
    with pytest.raises(DataError, match="not about single systems"):
        without.figure("judge-agreement")


def test_ranks_that_noise_leaves(rated: pd.DataFrame) -> None:
    found = adjudge.stability(rated, draws=500)
    figure = found.figure("stability")
    check_drawn(figure)
    (noise,) = found.noise
    for words, draws in (
        ("these assessors, asked again", noise.noise.these),
        ("assessors like them", noise.noise.like),
    ):
        drawn = figure.data[figure.data["assessors"] == words]
        assert draws is not None
        assert drawn["system"].tolist() == [noise.systems[k] for k in noise.order]
        assert drawn["low"].tolist() == draws.low[noise.order].tolist()
        assert drawn["high"].tolist() == draws.high[noise.order].tolist()
        assert drawn["first"].tolist() == draws.best[noise.order].tolist()
        assert drawn["rank"].tolist() == noise.noise.ranks[noise.order].tolist()
    with pytest.raises(DataError, match="judge noise"):
        adjudge.stability(rated.drop(columns="assessor").drop_duplicates(["topic", "system"])).figure()


def test_severity_and_agreement_of_assessors(rated: pd.DataFrame) -> None:
    found = dossiers(rated, quick=True)
    figure = found.figure()
    check_drawn(figure)
    told = {each.assessor: each for each in found.rows}
    assert set(figure.data["assessor"]) == set(told)
    for row in figure.data.itertuples():
        each = told[row.assessor]
        harsh = row.what == "above the median assessor"
        assert (row.value, row.low, row.high) == pytest.approx(
            (each.deviation, each.deviation_low, each.deviation_high)
            if harsh
            else (each.correlation, each.correlation_low, each.correlation_high),
            nan_ok=True,
        )
        assert (row.colour == "named") == bool(each.flags)
    assert figure.words.startswith(found.headline())
    with pytest.raises(DataError, match="no test can be made of 1 assessor"):
        dossiers(rated[rated["assessor"] == "ann"], quick=True).figure()


def test_agreement_by_question(rated: pd.DataFrame) -> None:
    several = pd.concat([rated.assign(measure="tone"), rated.assign(measure=HOSTILE, value=3.0)])
    found = agreement(several, resamples=50)
    figure = found.figure()
    check_drawn(figure)
    told = {
        (each.title, name): value
        for each in found.questions
        for name, value in (("alpha", each.alpha), (each.ac.name, each.ac))
    }
    drawn = {(row.question, row.coefficient): row for row in figure.data.itertuples()}
    assert drawn.keys() == told.keys()
    for key, value in told.items():
        assert (drawn[key].value, drawn[key].low, drawn[key].high) == pytest.approx(
            (value.value, value.low, value.high), nan_ok=True
        )
    assert "No alpha: " in figure.words


# Convergence


def point(n: int, mean: float) -> Point:
    return Point(n, mean, mean - 0.1, mean + 0.1, 0.01)


def converged(*topics: Trajectory) -> Convergence:
    return Convergence(asked=PreferencesNeeded("coverage"), human="coverage", topics=topics)


FOUND = converged(
    Trajectory("t1", 30, (point(10, 0.5), point(20, 0.7), point(30, 0.8)), {"R1": 0.6, "JS": 0.9}),
    Trajectory("t2", 15, (point(10, 0.6), point(15, 0.65)), {"R1": 0.7, "JS": math.nan}),
    Trajectory(HOSTILE, 30, (point(10, 0.45), point(20, 0.55), point(30, 0.75)), {"R1": 0.5}),
    Trajectory("t3", 0, (), {"R1": 0.1}, "nobody was asked"),
)


def test_the_mean_over_topics_has_students_interval() -> None:
    shares = np.array([[0.5, 0.6, 0.45], [0.7, 0.65, 0.55], [0.8, 0.65, 0.75]])
    for own, (low, high) in zip(shares, FOUND.mean_intervals(), strict=True):
        # a share is between 0 and 1
        expected = stats.t.interval(0.95, 2, own.mean(), stats.sem(own))
        assert (low, high) == pytest.approx((max(expected[0], 0), min(expected[1], 1)))
    assert list(converged().mean_intervals()) == []


def test_agreement_by_the_number_of_preferences() -> None:
    figure = FOUND.figure("preferences-needed")
    check_drawn(figure)
    mean = figure.data[figure.data["of"] == "preferences"]
    assert mean["answers"].tolist() == [n for n, _, _ in FOUND.mean()]
    assert mean["agreement"].tolist() == [share for _, share, _ in FOUND.mean()]
    assert list(zip(mean["low"], mean["high"], strict=True)) == list(FOUND.mean_intervals())
    thin = figure.data[figure.data["of"] == "topic"]
    assert thin["agreement"].tolist() == [each.mean for topic in FOUND.measured for each in topic.points]
    rules = figure.data[figure.data["of"] == "measure"]
    assert dict(zip(rules["series"], rules["agreement"], strict=True)) == pytest.approx(FOUND.lines())
    assert "1 topic with fewer answers counts with all of them. 1 topic without a trajectory." in figure.words


def test_one_topic_has_the_band_of_its_runs() -> None:
    figure = FOUND.figure(topic="t2")
    check_drawn(figure)
    own = figure.data[figure.data["of"] == "preferences"]
    assert own["low"].tolist() == pytest.approx([0.5, 0.55])
    assert set(figure.data["series"]) == {"preferences", "R1"}  # JS is not known of it
    assert "95% of the runs lie in the band" in figure.words
    with pytest.raises(DataError, match="nobody was asked"):
        FOUND.figure(topic="t3")
    with pytest.raises(UsageError, match="no such topic"):
        FOUND.figure(topic="t9")
    with pytest.raises(DataError, match="no topic has a trajectory"):
        converged(FOUND.topics[-1]).figure()
