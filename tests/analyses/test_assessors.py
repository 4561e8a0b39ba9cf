"""Dossiers of assessors: who is named, on what evidence, and where nothing can be said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.approving import Approved, words_of
from tests.cli.running import called

import adjudge
from adjudge.analyses.assessors import dossiers
from adjudge.analyses.assessors.result import Dossiers
from adjudge.analyses.assessors.words import flag_sentence
from adjudge.assessors.simulated import Simulated, simulate
from adjudge.assessors.truth import Truth
from adjudge.core.errors import UsageError
from adjudge.data.rows import Summary
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.protocol import load_protocol
from adjudge.judgments.tasks import Event, TextRef

TOPICS, SYSTEMS = 15, 6


def frame_of(**given: Callable[[np.ndarray, np.random.Generator], np.ndarray]) -> pd.DataFrame:
    """Ratings of the same summaries by everybody; each sees the truth in a way of their own."""
    rng = np.random.default_rng(1)
    truth = rng.normal(0, 0.8, (TOPICS, 1)) + rng.normal(0, 0.8, (1, SYSTEMS)) + 3
    rows = []
    for who, sees in given.items():
        seen = np.clip(np.round(sees(truth + rng.normal(0, 0.4, truth.shape), rng)), 1, 5)
        rows += [(f"t{t}", f"s{s}", who, seen[t, s]) for t in range(TOPICS) for s in range(SYSTEMS)]
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])


def honest(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return seen


def harsh(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return seen - 1


def backwards(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 6 - seen


def anyhow(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(1, 6, seen.shape).astype(float)


def four(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.full(seen.shape, 4.0)


def codes(found: Dossiers) -> dict[str, tuple[str, ...]]:
    return {row.assessor: row.codes for row in found.rows}


def test_the_odd_ones_are_named_and_the_others_are_not(approved: Approved) -> None:
    found = dossiers(
        frame_of(
            ann=honest, bob=honest, cy=honest, dee=honest, har=harsh, rev=backwards, ran=anyhow, fou=four
        )
    )
    named = codes(found)
    assert all(not named[who] for who in ("ann", "bob", "cy", "dee"))
    assert named["har"] == ("harsh",)
    assert "reversed" in named["rev"]
    assert "erratic" in named["ran"]
    assert "all the same" in named["fou"]
    assert sorted(row.assessor for row in found.flagged) == ["fou", "har", "ran", "rev"]
    approved(found.headline())


def test_a_flag_states_its_evidence(approved: Approved) -> None:
    found = dossiers(frame_of(ann=honest, bob=honest, har=harsh))
    (row,) = found.flagged
    (flag,) = row.flags
    assert flag.p == row.deviation_p
    assert 0.5 < -row.deviation_high < -row.deviation_low < 1.5
    assert flag_sentence(found, row, flag) in list(found.sentences())
    approved(words_of(found))


def test_intervals_agree_with_the_corrected_tests() -> None:
    for row in dossiers(frame_of(ann=honest, bob=honest, cy=honest, har=harsh)).rows:
        if not np.isnan(row.deviation_low):
            assert (row.deviation_p <= 0.05) == (row.deviation_low > 0 or row.deviation_high < 0)


def test_of_two_nobody_can_say_which_one_is_off(approved: Approved) -> None:
    found = dossiers(frame_of(ann=honest, rev=backwards))
    assert not found.flagged
    approved(words_of(found), "reversed")
    differ = dossiers(frame_of(ann=honest, har=harsh))
    assert not differ.flagged
    approved(words_of(differ), "harsh")


def copied(frame: pd.DataFrame, who: str, name: str, *, edits: int = 0) -> pd.DataFrame:
    """With a further assessor, who gives somebody's answers, but for some."""
    theirs = frame[frame["assessor"] == who].assign(assessor=name)
    theirs.iloc[:edits, 3] = 6 - theirs.iloc[:edits, 3]
    return pd.concat([frame, theirs])


def test_two_who_give_the_same_answers_are_named_and_count_as_one(approved: Approved) -> None:
    """The third is no odd one out for being the only one who did not copy."""
    frame = copied(
        frame_of(ann=honest, cy=lambda seen, rng: seen + rng.normal(0, 0.8, seen.shape)), "ann", "bob"
    )
    found = dossiers(frame)
    assert codes(found) == {"ann": ("identical",), "bob": ("identical",), "cy": ()}
    ann, bob, cy = found.rows
    assert ann.copies == bob.copies == ("ann", "bob")
    assert ann.correlation == bob.correlation == cy.correlation
    assert ann.identical_p < 1e-9
    assert cy.why["others"] == "copies-leave-two"
    assert np.isnan(cy.erratic_p)
    assert found.facts()["identical"] == [["ann", "bob"]]
    approved(words_of(found))


def test_copies_are_compared_as_one_with_several_others() -> None:
    frame = copied(frame_of(ann=honest, cy=honest, dee=honest, har=harsh), "ann", "bob", edits=2)
    found, once = dossiers(frame), dossiers(frame[frame["assessor"] != "bob"])
    assert codes(found) == {
        "ann": ("identical",),
        "bob": ("identical",),
        "cy": (),
        "dee": (),
        "har": ("harsh",),
    }
    kept = {row.assessor: row for row in once.rows}
    for row in found.rows:
        if row.assessor != "bob":
            assert row.correlation == pytest.approx(kept[row.assessor].correlation)
            assert row.others_correlation == pytest.approx(kept[row.assessor].others_correlation)
            assert row.deviation == pytest.approx(kept[row.assessor].deviation)


def test_where_no_other_pair_shows_how_unlikely_it_is_the_fact_is_told(approved: Approved) -> None:
    two = dossiers(copied(frame_of(ann=honest), "ann", "bob"))
    assert [note.data["things"] for note in two.notes() if note.code == "same-answers"] == [90]
    assert not two.flagged
    three = dossiers(copied(copied(frame_of(ann=honest), "ann", "bob"), "ann", "cy"))
    assert len(three.notes_of("same-answers")) == 3
    approved([*words_of(two), *words_of(three)])


def test_careful_people_who_say_yes_and_no_alike_are_not_identical() -> None:
    def yes(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.where(seen > 3, 1.0, 2.0)

    frame = copied(frame_of(ann=yes, cy=yes, dee=yes), "ann", "bob")
    at = frame.index[(frame["assessor"] == "bob")][:1]
    frame.loc[(frame["assessor"] == "bob") & frame.index.isin(at), "value"] = (
        3 - frame.loc[(frame["assessor"] == "bob") & frame.index.isin(at), "value"]
    )
    assert "identical" not in sum(codes(dossiers(frame)).values(), ())


def test_one_assessor_has_nobody_to_be_compared_with(approved: Approved) -> None:
    found = dossiers(frame_of(ann=honest))
    approved(words_of(found))
    assert found.left_out == ()


def test_who_shares_nothing_with_others_is_said(approved: Approved) -> None:
    frame = frame_of(ann=honest, bob=honest, cy=honest)
    alone = frame[frame["assessor"] == "ann"].assign(assessor="zoe")
    alone["topic"] = "z" + alone["topic"]
    found = dossiers(pd.concat([frame, alone]))
    approved(words_of(found))
    (zoe,) = [row for row in found.rows if row.assessor == "zoe"]
    assert zoe.shared == 0
    assert np.isnan(zoe.deviation)


def test_assessors_who_share_nothing_are_told_once(approved: Approved) -> None:
    rng = np.random.default_rng(5)
    rows = [(f"t{t}", f"s{s}", f"a{t % 5}", rng.normal()) for t in range(20) for s in range(4)]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "quality"])
    found = adjudge.dossiers(frame, "quality")
    approved(words_of(found))  # notes do not say again what the headline has said


def test_one_topic_tests_nobody() -> None:
    frame = frame_of(ann=honest, bob=honest, cy=honest)
    found = dossiers(frame[frame["topic"] == "t0"])
    assert found.untested_rows == found.rows
    assert "no test can be made of 3 assessors" in found.headline()


def test_one_common_topic_is_too_few(approved: Approved) -> None:
    frame = frame_of(ann=honest, bob=honest, cy=honest)
    found = dossiers(frame[(frame["assessor"] != "cy") | (frame["topic"] == "t0")])
    approved(words_of(found))


def test_anonymous_answers_are_nobodys(approved: Approved) -> None:
    frame = frame_of(ann=honest, bob=honest, anonymous=anyhow)
    found = dossiers(frame)
    assert [row.assessor for row in found.rows] == ["ann", "bob"]
    approved(found.warnings())


def test_scores_without_assessors_are_refused() -> None:
    frame = frame_of(ann=honest).drop(columns="assessor")
    with pytest.raises(UsageError, match="has no assessors"):
        dossiers(frame)


def test_repeats_in_a_table_are_own_answers_given_again(approved: Approved) -> None:
    """Everybody judged two topics again; ran at random, the others as before."""
    frame = frame_of(ann=honest, bob=honest, ran=honest).assign(repeat=0)
    again = frame[frame["topic"].isin(["t0", "t1", "t2", "t3"])].assign(repeat=1)
    rng = np.random.default_rng(2)
    moved = rng.choice([-2.0, 2.0], len(again))
    again["value"] = np.where(again["assessor"] == "ran", again["value"] + moved, again["value"])
    found = dossiers(pd.concat([frame, again]))
    assert codes(found) == {"ann": (), "bob": (), "ran": ("inconsistent",)}
    (flag,) = found.flagged[0].flags
    few = dossiers(pd.concat([frame, again.iloc[[0]]]))
    approved([flag_sentence(found, found.flagged[0], flag), *few.warnings()])


def test_what_would_change_without_each() -> None:
    frame = frame_of(ann=honest, bob=honest, rev=backwards)
    found = dossiers(frame)
    left = {each.assessor: each.changes for each in found.left_out}
    assert list(left) == ["ann", "bob", "rev"]
    asked = adjudge.compare(frame, without="rev").changes
    assert left["rev"] is not None
    assert asked is not None
    assert replace(left["rev"], made="") == replace(asked, made="")
    assert [row[0] for row in found.table("without").rows] == ["ann", "bob", "rev"]
    assert asked.headline() in list(found.sentences())
    assert [table.name for table in dossiers(frame, quick=True).all_tables] == ["assessors"]


def test_a_result_shows_itself(tmp_path: Path) -> None:
    frame = frame_of(ann=honest, bob=honest, rev=backwards)
    found = adjudge.dossiers(frame)
    assert found.headline() == next(found.sentences())
    assert "<table>" in found._repr_html_()
    assert r"\toprule" in found.to_latex()
    assert len(found.to_frame()) == 3
    frame.to_csv(tmp_path / "s.csv", index=False)
    (said,) = json.loads(called(tmp_path, "assessors", "s.csv", "--json").stdout)
    assert [row["assessor"] for row in said["tables"]["assessors"]] == ["ann", "bob", "rev"]
    assert (said["flags"][-1]["assessor"], said["flags"][-1]["code"]) == ("rev", "reversed")
    assert said["changes"][2]["left_out"] == ["rev"]
    shown = called(tmp_path, "assessors", "s.csv")
    assert "rev is " in shown.stdout


# A folder's judgments


@pytest.fixture
def rated(make: Callable[..., Evaluation]) -> Evaluation:
    """Summaries of 60 words, to be rated."""
    text = "word " * 60
    return make(
        *(Summary(f"t{t}", f"s{s}", f"{text}{t} {s}.") for t in range(TOPICS) for s in range(SYSTEMS))
    )


def judge(
    e: Evaluation,
    people: list[Simulated],
    seconds: dict[str, float] | None = None,
    *,
    protocol: str = "rating",
    scored: str = "rating",
) -> Dossiers:
    """Have people rate everything once, and a tenth again; with `seconds`, as if they had been at the browser."""
    asked, rng = load_protocol(protocol), np.random.default_rng(5)
    with e.store() as store:
        tasks = make_tasks(e.collection, asked, [who.name for who in people], store.evaluation, repeat=0.1)
        worth = {(f"t{t}", f"s{s}"): 0.4 + rng.normal(0, 0.2) for t in range(TOPICS) for s in range(SYSTEMS)}
        levels = {
            (topic, TextRef(system), question.id.partition(":")[2]): float(np.clip(value, 0, 1))
            for (topic, system), value in worth.items()
            for question in asked.questions
        }
        events = list(simulate(tasks, asked, Truth(levels=levels), people, rng))
        store.add_tasks(tasks)
        store.append([timed(event, seconds) for event in events] if seconds else events)
    e.score([scored])
    measure = next(m for m in e.scores().measures if m.startswith(scored))
    found: Dossiers = e.dossiers(measure)
    return found


def timed(event: Event, seconds: dict[str, float]) -> Event:
    return replace(event, origin="human", took_ms=int(1000 * seconds[event.assessor]))


@pytest.mark.parametrize(
    ("protocol", "scored"), [("rating", "rating"), ("linguistic-quality", "quality(q=1)")]
)
def test_drift_and_repeats_come_from_the_judgments(rated: Evaluation, protocol: str, scored: str) -> None:
    found = judge(
        rated,
        [
            Simulated("ann", noise=0.05),
            Simulated("bob", noise=0.05),
            Simulated("dri", noise=0.05, drift=0.5),
            Simulated("cy", noise=0.05, bias=-0.1),
        ],
        protocol=protocol,
        scored=scored,
    )
    named = codes(found)
    assert "drifting" in named["dri"]
    assert all("drifting" not in named[who] for who in ("ann", "bob", "cy"))
    assert all(row.repeats > 0 for row in found.rows)


def test_haste_is_told_from_the_times_of_the_answers(rated: Evaluation) -> None:
    """60 words in a second are 3,600 a minute; slow takes as long as others, and quick a little more than half."""
    people = [Simulated(name, noise=0.05) for name in ("ann", "bob", "cy", "has")]
    found = judge(rated, people, {"ann": 20, "bob": 25, "cy": 14, "has": 0.5})
    named = codes(found)
    assert "hasty" in named["has"]
    assert all("hasty" not in named[who] for who in ("ann", "bob", "cy"))
    row = next(row for row in found.rows if row.assessor == "has")
    assert row.fast == row.timed == 90
    assert row.pace < 0.1
    assert [flag.code for flag in row.flags].count("hasty") == 2
    assert row.codes.count("hasty") == 1


# SummEval's experts, as the documentation has them


@pytest.mark.shared_data
def test_summevals_experts(shared_data: Path, summeval: Path) -> None:
    file = shared_data / "summeval" / "model_annotations.12systems.jsonl"
    e = adjudge.open(summeval)
    found = e.dossiers("expert:coherence")
    given = np.array(
        [
            [expert["coherence"] for expert in json.loads(line)["expert_annotations"]]
            for line in file.read_text(encoding="utf-8").splitlines()
        ]
    )
    means = given.mean(axis=0)
    assert [row.deviation for row in found.rows] == pytest.approx(list(means - np.median(means)))
    correlations = np.corrcoef(given.T)
    assert [row.others_correlation for row in found.rows] == pytest.approx(
        [correlations[1, 2], correlations[0, 2], correlations[0, 1]]
    )
    assert codes(found) == {"expert-1": ("mild",), "expert-2": (), "expert-3": ("harsh", "erratic")}
    page = (Path(__file__).parents[2] / "docs" / "assessors.md").read_text(encoding="utf-8")
    for table in found.all_tables:
        for row in table.to_text().splitlines():
            assert row.rstrip() in page
    opinions = given.reshape(-1, 3)
    systems = np.array(
        [json.loads(line)["model_id"] for line in file.read_text(encoding="utf-8").splitlines()]
    )
    by_system = np.array([opinions[systems == name].mean(axis=0) for name in np.unique(systems)])
    own = by_system - by_system.mean(axis=0) - by_system.mean(axis=1, keepdims=True) + by_system.mean()
    assert np.round(np.sqrt(np.square(own).sum(axis=0) / 11), 2).tolist() == [0.17, 0.37, 0.24]
    changed = e.compare("expert:coherence", without="expert-2").changes
    assert changed is not None
    for sentence in changed.sentences():
        assert sentence in page


def test_the_page_shows_the_demo_as_it_is(judged_demo: Path, tmp_path: Path) -> None:
    shutil.copytree(judged_demo, tmp_path / "my-eval")
    adjudge.open(tmp_path / "my-eval").score("coverage")
    printed = called(tmp_path, "assessors", "my-eval", "-m", "coverage").stdout.splitlines()
    page = (Path(__file__).parents[2] / "docs" / "assessors.md").read_text(encoding="utf-8")
    assert "\n".join(line.rstrip() for line in printed) in page
