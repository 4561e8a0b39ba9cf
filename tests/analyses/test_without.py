"""Every analysis without an assessor: the same as of the others' scores alone, and what it changes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved
from tests.cli.running import called

import adjudge
from adjudge.analyses.scores import Scores, scores_of
from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.formats import scoretable

QUICK: dict[str, dict[str, Any]] = {
    "compare": {},
    "compare_all": {},
    "counts": {},
    "groups": {"resamples": 200},
    "topics": {},
    "anova": {},
    "plan": {"simulations": 50},
    "simulate": {"simulations": 20, "tests": ["t"]},
    "lengths": {"resamples": 50},
    "dossiers": {},
}


def judged(rng: np.random.Generator, lengths: tuple[int | None, ...] = (None,)) -> pd.DataFrame:
    """Three systems that ann and bob tell apart; cy finds the best one bad, and judged a topic more."""
    rows = []
    for topic in range(21):
        for system, worth in {"a": 1.0, "b": 0.0, "c": -1.5}.items():
            for length in lengths:
                truth = rng.normal(worth, 0.4)
                for who in ("ann", "bob", "cy") if topic < 20 else ("cy",):
                    seen = -truth - 1 if (who, system) == ("cy", "a") else truth
                    rows.append((f"t{topic}", system, length, who, seen + rng.normal(0, 0.3)))
    frame = pd.DataFrame(rows, columns=["topic", "system", "length", "assessor", "value"])
    return frame if lengths != (None,) else frame.drop(columns="length")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return judged(np.random.default_rng(0))


@pytest.mark.parametrize("name", QUICK)
def test_every_analysis_takes_without(name: str) -> None:
    """It is that of the other assessors' rows; and another one than everybody's."""
    frame = judged(np.random.default_rng(0), (50, 100) if name == "lengths" else (None,))
    analysis, options = getattr(adjudge, name), QUICK[name]
    others = analysis(frame[frame["assessor"] != "cy"], **options).to_frame()
    pd.testing.assert_frame_equal(analysis(frame, without="cy", **options).to_frame(), others)
    assert not analysis(frame, **options).to_frame().equals(others)


def test_an_evaluation_takes_without_as_its_folder_does(
    frame: pd.DataFrame, tmp_path: Path, approved: Approved
) -> None:
    frame.to_csv(tmp_path / "overall.csv", index=False)
    e = Evaluation.init(tmp_path / "eval")
    e.take(scoretable.read([tmp_path / "overall.csv"], source="people"))
    one = adjudge.compare(tmp_path / "eval", without=["cy"])
    assert one.to_frame().equals(e.compare(without="cy").to_frame())
    assert "|without:cy" in one.signature
    assert one.notes_of("assessors-left-out") or "63" in one.warnings()[0]
    approved(one.warnings())


def test_several_can_be_left_out(frame: pd.DataFrame) -> None:
    found = scores_of(frame, without=["cy", "bob"])
    assert found.assessors() == ("ann",)
    assert scores_of(frame).without("cy").without("bob").frame.equals(found.frame)
    assert found.everyone is not None
    assert found.everyone.assessors() == ("ann", "bob", "cy")
    assert scores_of(frame, without=()).everyone is None


def test_unknown_names_are_answered_with_the_nearest(frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match=r'no scores by "bobb" \(nearest: "bob"\)'):
        adjudge.compare(frame, without="bobb")
    with pytest.raises(UsageError, match="there are: ann, bob, cy"):
        adjudge.topics(frame, without="zoe")


def test_scores_without_assessors_say_so(frame: pd.DataFrame) -> None:
    plain = frame[frame["assessor"] == "ann"].drop(columns="assessor")
    with pytest.raises(
        UsageError, match='says of no score who judged, so that ann cannot be left out: a column "ass'
    ):
        adjudge.compare(plain, without="ann")


def test_a_measure_that_has_no_assessors_is_refused_and_the_others_are_shown(frame: pd.DataFrame) -> None:
    rouge = frame[frame["assessor"] == "ann"].assign(measure="rouge", assessor=None)
    alone = frame[frame["assessor"] == "cy"].assign(measure="alone")
    other = frame[frame["assessor"] == "bob"].assign(measure="other")
    several = pd.concat([frame.assign(measure="overall"), rouge, alone, other])
    found = scores_of(several, without="cy")
    assert found.measures == ("overall",)
    assert [c.measure for c in adjudge.compare_all(several, without="cy")] == ["overall"]
    for measure, why in {
        "rouge": "rouge has no assessors: cy cannot be left out",
        "alone": "cy judged alone alone: nothing is left without them",
        "other": "cy has no scores of other: nothing would be left out",
    }.items():
        with pytest.raises(UsageError, match=why):
            adjudge.compare(several, measure, without="cy")
    with pytest.raises(UsageError, match="rouge has no assessors"):
        adjudge.compare_all(several, ["overall", "rouge"], without="cy")


def test_a_measure_fitted_to_all_answers_together_is_refused_with_that_reason(
    judged_few: Path, tmp_path: Path, approved: Approved
) -> None:
    folder = tmp_path / "e"
    shutil.copytree(judged_few, folder)
    e = adjudge.open(folder)
    e.prefer.simulate("ref", assessors=2, count=40, seed=1)
    e.score(["preference", "coverage", "pyramid"])
    data = e.scores().without("simulated-1")
    assert data.measures == ("coverage",)
    approved(data.refusals())
    with pytest.raises(UsageError, match="simulated-facts judged pyramid alone: nothing is left"):
        e.scores().without("simulated-facts")


def test_what_changes_is_said_of_pairs_candidates_and_ranks(frame: pd.DataFrame) -> None:
    c = adjudge.compare(frame, without="cy")
    found = c.changes
    assert found is not None
    assert found.left_out == ("cy",)
    before = adjudge.compare(frame)
    differ = (
        {tuple(sorted((pair.a, pair.b))): pair.different for pair in before.pairs[before.test]},
        {tuple(sorted((pair.a, pair.b))): pair.different for pair in c.pairs[c.test]},
    )
    assert {tuple(sorted(pair)) for pair in found.gained} == {
        pair for pair in differ[0] if differ[1][pair] and not differ[0][pair]
    }
    assert {tuple(sorted(pair)) for pair in found.lost} == {
        pair for pair in differ[0] if differ[0][pair] and not differ[1][pair]
    }
    assert (found.before, found.after) == tuple(sum(each.values()) for each in differ)
    assert found.candidates_before == tuple(before.candidates() or ())
    assert found.candidates_after == ("a",)
    assert c.table().sentences[3:] == tuple(found.sentences())
    assert c.as_dict()["changes"]["differ_after"] == found.after
    assert "changes" not in before.as_dict()
    assert len(found.to_frame()) == len(found.gained) + len(found.lost) + len(found.turned) + len(found.moves)


def rated(values: dict[str, dict[str, float]]) -> pd.DataFrame:
    """What each assessor gives each system on every one of 12 topics, with the same small noise for all systems."""
    noise = np.random.default_rng(3).normal(0, 0.01, (12, 9))
    rows = []
    for k, (who, given) in enumerate(values.items()):
        for j, (system, value) in enumerate(given.items()):
            rows += [(f"t{t}", system, who, value + noise[t, (j + 3 * k) % 9]) for t in range(12)]
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])


def test_a_pair_can_differ_the_other_way_round(approved: Approved) -> None:
    found = adjudge.compare(
        rated(
            {"ann": {"x": 1, "y": 2, "z": 0}, "bob": {"x": 1, "y": 2, "z": 0}, "cy": {"x": 9, "y": 2, "z": 0}}
        ),
        without="cy",
        assessor_effects="fixed",
    ).changes
    assert found is not None
    assert found.turned == (("x", "y"),)
    assert found.candidates_before == ("x",)
    assert found.candidates_after == ("y",)
    assert {(m.system, m.before, m.after) for m in found.moves} == {("x", 1, 2), ("y", 2, 1)}
    approved(found.sentences())


def test_nothing_changes_where_all_say_the_same(approved: Approved) -> None:
    given = {"x": 1.0, "y": 2.0, "z": 0.0}
    found = adjudge.compare(rated({"ann": given, "bob": given, "cy": given}), without="cy").changes
    assert found is not None
    assert found.sampled
    assert not found.any
    approved(found.sentences())


def test_systems_that_nobody_else_judged_are_named(approved: Approved) -> None:
    given = {"x": 1.0, "y": 2.0}
    found = adjudge.compare(rated({"ann": given, "cy": {**given, "z": 0.0}}), without="cy").changes
    assert found is not None
    assert found.gone == ("z",)
    approved(found.sentences())


def test_a_length_that_only_the_one_left_out_judged_does_not_matter() -> None:
    frame = judged(np.random.default_rng(1), (50, 100))
    frame = frame[(frame["assessor"] == "cy") | (frame["length"] == 50)]
    found = adjudge.compare(frame, without="cy")
    assert found.matrix.length in (None, 50)
    assert found.changes is not None
    assert found.changes.pairs == 3


def test_the_command_line_and_the_report_say_it(
    frame: pd.DataFrame, tmp_path: Path, approved: Approved
) -> None:
    frame.to_csv(tmp_path / "s.csv", index=False)
    done = called(tmp_path, "compare", "s.csv", "--without", "cy")
    assert done.returncode == 0, done.stderr
    changes = adjudge.compare(frame, without="cy").changes
    assert changes is not None
    assert changes.headline() in done.stdout
    approved(done.stderr)
    (found,) = json.loads(called(tmp_path, "compare", "s.csv", "--without", "cy", "--json").stdout)
    assert found["changes"]["left_out"] == ["cy"]
    wrong = called(tmp_path, "plan", "s.csv", "--without", "cyy")
    assert wrong.returncode == 2
    assert '(nearest: "cy")' in wrong.stderr
    assert called(tmp_path, "report", "s.csv", "--without", "cy").returncode == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert changes.headline() in page
    assert "--without" in page


def test_a_report_of_an_evaluation_leaves_out_and_calls_systems_by_their_labels(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    from adjudge.data.rows import System

    frame.to_csv(tmp_path / "overall.csv", index=False)
    e = Evaluation.init(tmp_path / "eval")
    rows = [System("a", kind="machine", label="The first"), Summary("t0", "a", "A text.")]
    e.take(("test", row) for row in rows)
    e.take(scoretable.read([tmp_path / "overall.csv"], source="people"))
    files = adjudge.report(e.path, tmp_path / "report", without="cy")
    page = files[0].read_text(encoding="utf-8")
    changes = adjudge.compare(frame, without="cy").changes
    assert changes is not None
    assert changes.headline() in page
    assert "adjudge report . --without" in page


def test_without_is_no_option_of_a_table(frame: pd.DataFrame, tmp_path: Path) -> None:
    """A folder takes it, which refuses the options of tables."""
    frame.to_csv(tmp_path / "overall.csv", index=False)
    Evaluation.init(tmp_path / "eval").take(scoretable.read([tmp_path / "overall.csv"], source="people"))
    found = adjudge.read_scores(tmp_path / "eval", without="cy")
    assert isinstance(found, Scores)
    assert found.left_out == ("cy",)
