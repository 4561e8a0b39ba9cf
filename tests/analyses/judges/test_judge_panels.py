"""A panel is a judge, and its part of a dossier says what its judges are worth."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import JudgeBenches, benches_of
from adjudge.analyses.judges.panels import panel_bench, panels, with_panel
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import UsageError

JUDGES = ("j1", "j2", "j3")
MEAN = Judges(panel="mean")


def rated(*, assessors: int = 3, topics: int = 30, correlation: float = 0.5, seed: int = 1) -> pd.DataFrame:
    """Judges whose errors share half of their variance, and people."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, ...]] = []
    for topic in range(topics):
        for system in range(5):
            truth, shared = rng.normal(3, 1), np.sqrt(correlation) * rng.normal()
            for name in JUDGES:
                error = shared + np.sqrt(1 - correlation) * rng.normal()
                rows.append((f"t{topic}", f"s{system}", name, "fluency", truth + error))
            for who in range(assessors):
                rows.append((f"t{topic}", f"s{system}", f"a{who}", "fluency", truth + rng.normal(0, 0.7)))
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "measure", "value"])


def benches(frame: pd.DataFrame, judges: tuple[str, ...] = JUDGES) -> JudgeBenches:
    return benches_of(scores_of(frame), judges)


def test_a_panel_is_a_judge() -> None:
    frame = rated()
    both = with_panel(benches(frame), "mean")
    name = "panel (mean of j1, j2 and j3)"
    assert both.judges == (*JUDGES, name)
    (bench,) = both.of(name)
    assert bench.people == ("a0", "a1", "a2")
    wide = frame.pivot(index=["topic", "system"], columns="assessor", values="value")
    at = list(zip(bench.topics, bench.systems, strict=True))
    assert bench.judge_answers == pytest.approx(wide.loc[at, list(JUDGES)].mean(axis=1).to_numpy())
    assert bench.people_mean == pytest.approx(wide.loc[at, ["a0", "a1", "a2"]].mean(axis=1).to_numpy())
    assert bench.cells() is not None
    # a panel among the judges is no judge of the panel
    assert [each.judges for each in panels(both, MEAN).aspects] == [JUDGES]


def test_a_panel_answers_where_all_of_its_judges_do() -> None:
    frame = rated()
    gone = (frame.assessor == "j1") & frame.topic.isin(["t1", "t2"])
    alone = (frame.assessor != "j2") & (frame.topic == "t3")  # what a judge alone answered for does not count
    own = benches(frame[~gone & ~alone])
    bench = panel_bench(own.benches, "vote")
    assert np.isnan(bench.judge_answers).sum() == 10
    assert (bench.notes[0].code, bench.notes[0].data["things"]) == ("not-answered-by-all", 10)
    assert "t3" not in bench.topics
    (found,) = panels(own, MEAN).aspects
    assert (found.left_out, found.errors.things) == (10, 135)
    assert any("10 things that not all judges" in note for note in panels(own, MEAN).warnings())


def test_what_is_said_follows_from_the_numbers() -> None:
    result = panels(benches(rated(topics=80)), Judges(resamples=300, panel="mean"))
    (found,) = result.aspects
    worth, gain = found.errors.worth, found.errors.gain
    assert worth.low < 3 / (1 + 2 * 0.5) < worth.high
    said = list(result.sentences())
    assert f"worth {worth.value:.2f} ({worth.low:.2f} to {worth.high:.2f}) judges" in said[1]
    assert gain.low > 0
    assert f"{100 * gain.value:.0f} % below that of" in said[2]
    assert "not shown" not in said[2]
    assert result.headline() == f"Three judges are worth {worth.value:.2f} with independent errors."
    row = result.table().row(aspect="fluency")
    assert row["worth"] == worth.value
    assert len(result.to_frame()) == 1
    tables = json.loads(result.to_json())["tables"]
    assert tables["panels"][0]["worth"] == worth.value
    assert list(tables) == ["panels", "panel-judges"]
    assert len(tables["panel-judges"]) == 4
    assert "Three judges" in repr(result)
    assert result.how().startswith("panel:mean|")


def test_copies_of_one_judge_are_worth_one() -> None:
    frame = rated()
    one = frame[frame.assessor == "j1"]
    people = frame[~frame.assessor.isin(JUDGES)]
    copies = [one.assign(assessor=name) for name in JUDGES]
    result = panels(benches(pd.concat([people, *copies])), MEAN)
    (found,) = result.aspects
    assert found.errors.worth.value == pytest.approx(1)
    assert found.errors.gain.value == pytest.approx(0, abs=1e-9)
    assert "a difference from the best judge is not shown" in " ".join(result.sentences())


def test_one_assessor_leaves_peoples_error_unknown() -> None:
    result = panels(benches(rated(assessors=1)), MEAN)
    assert sum("people's own error is not known" in said for said in result.sentences()) == 1
    assert np.isnan(result.aspects[0].errors.people_error)


def test_one_judge_is_no_panel() -> None:
    own = benches(rated(), ("j1",))
    result = panels(own, MEAN)
    assert "cannot be said" in result.headline()
    assert "a panel has at least two judges" in " ".join(result.sentences())
    with pytest.raises(UsageError, match="needs two judges"):
        with_panel(own, "mean")


def test_without_a_panel_errors_are_told_all_the_same() -> None:
    result = panels(benches(rated()), Judges())
    assert result.aspects[0].errors.panel is None
    assert len(list(result.sentences())) == 2
    columns, _ = result.table().printed()
    assert "gain" not in [column.name for column in columns]


def opposed(*, topics: int = 40, seed: int = 0, reversed_: bool = False) -> pd.DataFrame:
    """Two judges of whom one errs up where the other errs down; or three of whom one answers the opposite."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, ...]] = []
    for topic in range(topics):
        for system in range(5):
            at, truth, error = (f"t{topic}", f"s{system}"), rng.normal(), rng.normal()
            answers = {"j1": truth + error, "j2": truth - error}
            if reversed_:
                answers = {name: truth + rng.normal() for name in ("j1", "j2")} | {
                    "j3": -truth + rng.normal()
                }
            answers |= {f"a{k}": truth + rng.normal(0, 0.6) for k in range(3)}
            rows += [
                (*at, who, "fluency", float(np.clip(round(3 + 1.2 * x), 1, 5))) for who, x in answers.items()
            ]
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "measure", "value"])


def test_errors_against_each_other_are_said_to_be() -> None:
    result = panels(benches(opposed(), ("j1", "j2")), Judges(resamples=300, panel="mean"))
    (found,) = result.aspects
    assert found.errors.correlation.high < 0
    assert found.errors.worth.low > 2
    said = " ".join(result.sentences())
    assert "inf" not in f"{said} {result.all_tables!r} {result.table().row(aspect='fluency')}"


def test_a_worth_without_an_upper_end_is_not_printed_as_infinite() -> None:
    result = panels(benches(opposed(), ("j1", "j2")), Judges(resamples=300, panel="mean"))
    errors = result.aspects[0].errors
    open_ = replace(errors, worth=replace(errors.worth, high=float("inf")))
    made = replace(result, aspects=(replace(result.aspects[0], errors=open_),))
    assert f"worth {errors.worth.value:.2f} ({errors.worth.low:.2f} or more) judges" in " ".join(
        made.sentences()
    )
    row = made.table().row(aspect="fluency")
    assert row["worth_high"] is None
    assert "inf" not in f"{made!r}{' '.join(made.sentences())}"


def test_which_judge_answers_the_opposite_is_said() -> None:
    result = panels(benches(opposed(reversed_=True)), Judges(resamples=300, panel="mean"))
    assert "cannot be said" in result.headline()
    said = list(result.sentences())[1]
    assert said.endswith("cannot be said: j3: its answers do not rise where people's do.")
    row = result.table().row(aspect="fluency")
    assert np.isnan(result.aspects[0].errors.worth.value)
    assert "j3: its answers do not rise" in str(row["why"])


def test_votes_of_judges_on_another_scale_are_of_ranks() -> None:
    frame = opposed(topics=20)
    some = frame.assessor == "j1"
    frame.loc[some, "value"] *= 20
    own = benches(frame, ("j1", "a0"))
    bench = panel_bench(own.benches, "vote")
    assert bench.judge_answers.min() >= 1
    assert bench.judge_answers.max() <= 5
    assert len(set(bench.judge_answers)) > 4
