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
from adjudge.stats.agreement import krippendorff

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
    assert any(
        "10 things left out, not answered by all judges" in note for note in panels(own, MEAN).warnings()
    )


def test_what_is_said_follows_from_the_numbers() -> None:
    result = panels(benches(rated(topics=80)), Judges(resamples=300, panel="mean"))
    (found,) = result.aspects
    worth, best, everyone = found.errors.worth, found.sizes[0], found.sizes[-1]
    assert worth.low < 3 / (1 + 2 * 0.5) < worth.high
    assert (len(best.judges), everyone.judges, everyone.less.value) == (1, JUDGES, 0)
    assert best.less.low > 0
    assert found.enough(0.1) is best
    assert found.enough(best.less.value) is found.sizes[1]
    assert found.enough(-1) is None
    assert list(result.sentences())[1] == (
        f"fluency: alpha with people: all together {everyone.alpha.value:.3f}, the best one {best.alpha.value:.3f}"
        f" (difference {best.less.value:+.3f}, {best.less.low:+.3f} to {best.less.high:+.3f}); {best.judges[0]} is"
        " enough (less than 0.1 below all)."
    )
    assert result.headline() == f"Three judges are worth {worth.value:.2f} independent ones."
    row = result.table().row(aspect="fluency")
    assert row["worth"] == worth.value
    assert len(result.to_frame()) == 1
    tables = json.loads(result.to_json())["tables"]
    assert tables["panels"][0]["worth"] == worth.value
    assert list(tables) == ["panels", "panel-sizes"]
    assert [row["judges"] for row in tables["panel-sizes"]] == [1, 2, 3]
    assert tables["panel-sizes"][0]["less_low"] == best.less.low
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
    assert [size.less.value for size in found.sizes] == pytest.approx([0, 0, 0], abs=1e-9)
    assert "(not significant, difference" in " ".join(result.sentences())


def test_who_is_the_best_is_chosen_on_other_topics() -> None:
    """For every topic the judge with the highest mean of Krippendorff's alphas on the others."""
    frame = rated(topics=8, seed=3)
    frame = frame.assign(value=frame["value"].round().clip(1, 5))
    result = panels(benches(frame), MEAN)
    wide = frame.pivot(index=["topic", "system"], columns="assessor", values="value")

    def alpha(rows: pd.DataFrame, judge: pd.Series) -> float:
        pairs = [np.column_stack([judge, rows[who]]) for who in ("a0", "a1", "a2")]
        rng = np.random.default_rng()
        return float(np.mean([krippendorff(pair, rng=rng, resamples=0).value for pair in pairs]))

    topic = wide.index.get_level_values("topic")
    chosen = pd.Series(index=wide.index, dtype=float)
    for left in set(topic):
        others = wide[topic != left]
        judge = max(JUDGES, key=lambda judge: alpha(others, others[judge]))
        chosen[topic == left] = wide[judge][topic == left]
    best, *_, everyone = result.aspects[0].sizes
    assert best.alpha.value == pytest.approx(alpha(wide, chosen))
    assert best.judges == (max(JUDGES, key=lambda judge: alpha(wide, wide[judge])),)
    mean = wide[list(JUDGES)].mean(axis=1)
    nearest = np.ceil(np.round(mean, 9) - 0.5)  # of two as near the lower
    assert everyone.alpha.value == pytest.approx(alpha(wide, nearest))
    assert best.less.value == pytest.approx(everyone.alpha.value - best.alpha.value)


def test_one_assessor_leaves_peoples_error_unknown() -> None:
    result = panels(benches(rated(assessors=1)), MEAN)
    assert sum("so people's errors count as errors" in note for note in result.warnings()) == 1


def test_one_judge_is_no_panel() -> None:
    own = benches(rated(), ("j1",))
    result = panels(own, MEAN)
    assert "a panel has at least two judges" in result.headline()
    with pytest.raises(UsageError, match="needs two judges"):
        with_panel(own, "mean")


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
    row = made.table().row(aspect="fluency")
    assert row["worth_high"] is None
    assert "inf" not in f"{made!r}{' '.join(made.sentences())}"


def test_which_judge_answers_the_opposite_is_said() -> None:
    result = panels(benches(opposed(reversed_=True)), Judges(resamples=300, panel="mean"))
    assert result.headline().endswith("is unknown (j3: its answers do not rise where people's do).")
    assert "all together" in list(result.sentences())[1]
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
