"""adjudge.agreement: every source gives the same numbers, every protocol has its things, sentences say what is so."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.analyses.mismatch_making import make
from tests.approving import Approved, words_of

import adjudge
from adjudge.analyses.agreement import Agreement, agreement
from adjudge.analyses.agreement.coefficients import question_agreement
from adjudge.analyses.agreement.pyramids import compared_pyramids
from adjudge.analyses.agreement.result import AgreementResult, agreement_on, asked_of
from adjudge.analyses.agreement.words import (
    absence_sentence,
    apart_sentence,
    pyramid_sentence,
    question_sentence,
)
from adjudge.analyses.gathered import gather
from adjudge.analyses.judged.agreement import agreement_table
from adjudge.analyses.questions import questions_of, stored_answers
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError, UsageError
from adjudge.evaluation import Evaluation
from adjudge.formats.scoretable import read
from adjudge.judgments.batch import Judgments
from adjudge.judgments.protocol import PYRAMID, PYRAMID_PEER
from adjudge.judgments.pyramid import annotation_of
from adjudge.judgments.tasks import Judged
from adjudge.stats.agreement import cohen_kappa, gwet_ac, krippendorff

HOW = Agreement(resamples=200)
SYSTEMS = ("s1", "s2", "s3")


def ratings(topics: int = 20, assessors: int = 4, seed: int = 1, wild: int | None = None) -> pd.DataFrame:
    """Ratings of 1 to 5; an assessor that is `wild` answers at random."""
    rng = np.random.default_rng(seed)
    rows = []
    for topic in range(topics):
        for system in SYSTEMS:
            truth = rng.normal(3, 1)
            for who in range(assessors):
                value = (
                    rng.integers(1, 6) if who == wild else np.clip(round(truth + rng.normal(0, 0.5)), 1, 5)
                )
                rows.append((f"t{topic}", system, f"a{who}", "fluency", float(value)))
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "measure", "value"])


def wide(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(frame.pivot(index=["topic", "system"], columns="assessor", values="value"))


# Sources


def test_a_frame_a_file_and_a_folder_say_the_same(tmp_path: Path) -> None:
    frame = ratings()
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    shuffled = frame.sample(frac=1, random_state=3)
    found = [agreement(frame), agreement(tmp_path / "ratings.csv"), agreement(shuffled)]
    assert len({json.dumps(each.as_dict()["tables"]) for each in found}) == 1
    own = found[0].questions[0]
    rng = np.random.default_rng(0)
    assert own.alpha.value == pytest.approx(krippendorff(wide(frame), rng=rng, resamples=0).value, abs=1e-12)
    ac = gwet_ac(wide(frame), rng=rng, weights="quadratic", resamples=0)
    assert own.ac.value == pytest.approx(ac.value, abs=1e-12)
    pair = next(each for each in own.pairs if (each.a, each.b) == ("a0", "a2"))
    first, second = wide(frame)[:, [0, 2]].T
    kappa = cohen_kappa(first, second, rng=rng, weights="quadratic", resamples=0)
    assert pair.weighted.value == pytest.approx(kappa.value, abs=1e-12)
    assert (own.alpha.units, own.alpha.values, own.topics) == (60, 240, 20)
    assert [each.system for each in own.systems] == list(SYSTEMS)
    assert own.alpha.clusters == 20  # topics, not things
    assert adjudge.agreement(frame, seed=1).questions[0].alpha.low != own.alpha.low


def test_an_imported_measure_of_a_folder(tmp_path: Path) -> None:
    ratings().to_csv(tmp_path / "ratings.csv", index=False)
    e = adjudge.init(tmp_path / "e")
    e.take(read([tmp_path / "ratings.csv"], source="expert"))
    by_folder = e.agreement()
    (own,) = by_folder.questions
    assert own.question == "expert:fluency"
    assert own.alpha == agreement(ratings()).questions[0].alpha
    assert agreement(tmp_path / "e", "expert:fluency").questions == by_folder.questions


def test_what_people_answered_and_the_tables_of_judgments_agree(small: Evaluation) -> None:
    small.units()
    small.simulate_judgments("duc-2002", assessors=3, noise=0.2, seed=1)
    small.simulate_judgments("rating", assessors=3, noise=0.2, seed=2)
    found: AgreementResult = small.agreement(seed=4)
    table = small.judged_tables(seed=4)["agreement"]
    by_name = {(each.source, each.question): each for each in found.questions}
    assert {("duc-2002", "completeness"), ("duc-2002", "quality:4"), ("rating", "fluency")} <= by_name.keys()
    assert len(table.rows) == len(by_name)
    for row in table.records():
        own = by_name[row["protocol"], row["question"]]  # type: ignore[index]
        assert (row["alpha"], row["low"], row["high"]) == pytest.approx(
            (own.alpha.value, own.alpha.low, own.alpha.high), nan_ok=True
        )
        assert (row["units"], row["judgments"], row["why"]) == (
            own.alpha.units,
            own.alpha.values,
            own.alpha.why or own.alpha.why_no_interval,
        )
    assert set(table.sentences) == set(map(question_sentence, found.questions))
    one = small.agreement(question="rating/fluency", seed=4)
    assert one.questions == (by_name["rating", "fluency"],)
    with pytest.raises(UsageError, match='no question "fluensy" was answered'):
        small.agreement(question="fluensy")
    small.score("coverage")
    scored = small.agreement("coverage")  # computed from the same answers: only where it is named
    assert [each.question for each in scored.questions] == ["coverage"]
    assert not any(each.question == "coverage" for each in found.questions)


def test_the_scale_of_the_protocol_counts_also_where_it_was_not_used(small: Evaluation) -> None:
    small.simulate_judgments("rating", assessors=2, noise=0.3, seed=2)
    own = small.agreement(question="fluency").questions[0]
    matrix = questions_of(stored_answers(gather(small.collection, small.judgments()))).questions
    answers = next(each for each in matrix if each.question == "fluency")
    assert answers.categories == (1, 2, 3, 4, 5)
    known = gwet_ac(
        answers.matrix,
        rng=np.random.default_rng(0),
        weights="quadratic",
        categories=range(1, 6),
        resamples=0,
    )
    assert own.ac.value == pytest.approx(known.value, nan_ok=True)


def test_nobody_to_agree(approved: Approved) -> None:
    frame = ratings().drop(columns="assessor").drop_duplicates(["topic", "system"])
    with pytest.raises(DataError, match="no score names an assessor, so there is nobody to agree"):
        agreement(frame)
    both = pd.concat([ratings(), frame.assign(measure="rouge", assessor=None)])
    assert [each.question for each in agreement(both).questions] == ["fluency"]
    assert agreement(both).notes_of("scores-of-nobody")
    approved(agreement(both).warnings())
    with pytest.raises(DataError, match="rouge: no score names an assessor"):
        agreement(both, "rouge")
    with pytest.raises(UsageError, match="choose measures with measure, not questions"):
        agreement(ratings(), question="fluency")
    with pytest.raises(UsageError, match='scale is "metric"'):
        agreement(ratings(), scale="metric")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match='weights is "cubic"'):
        agreement(ratings(), weights="cubic")  # type: ignore[arg-type]


def test_anonymous_answers_are_nobodys(approved: Approved) -> None:
    frame = ratings(assessors=3).replace({"assessor": {"a2": "crowd-anonymous"}})
    found = agreement(frame)
    assert found.questions[0].assessors == ("a0", "a1")
    assert found.anonymous == 60
    assert found.notes_of("anonymous-answers")
    approved(words_of(found))
    nobody = agreement(frame[frame["assessor"] == "crowd-anonymous"])
    assert nobody.questions == ()
    approved(words_of(nobody), "nobody")


def test_lengths_and_repeats(approved: Approved) -> None:
    frame = ratings().assign(length=100)
    other = ratings(seed=2).assign(length=200)
    both = agreement(pd.concat([frame, other]))
    assert [each.question for each in both.questions] == ["fluency (100 words)", "fluency (200 words)"]
    again = frame.assign(repeat=1, value=1.0)
    found = agreement(pd.concat([again, frame.assign(repeat=0)]))
    assert [note.data for note in found.notes() if note.code == "answered-again"] == [{"n": 240}]
    approved(found.warnings())
    assert found.questions[0].alpha == agreement(frame).questions[0].alpha  # the first answer counts


def test_a_report_that_says_the_target_once_leaves_it_out_of_names() -> None:
    scores = scores_of(pd.concat([ratings(seed=n).assign(length=n) for n in (100, 200)]))
    one = agreement_on(asked_of(scores), lambda each: each.is_of(200, None))
    assert [(each.question, each.title) for each in one.questions] == [("fluency", "fluency")]
    assert one.questions[0].alpha == agreement(scores, length=200).questions[0].alpha
    both = agreement_on(asked_of(scores), lambda each: True)
    assert [each.title for each in both.questions] == ["fluency (100 words)", "fluency (200 words)"]
    assert len({each.key for each in both.questions}) == 2
    assert one.questions[0].key == both.questions[1].key


TOPICS = tuple(f"t{n}" for n in range(1, 7))
DIFFER = {
    ("copy", "Engineers"): (1.0, 1.0),
    ("copy", "Crashes"): (1.0, 0.0),
    ("half", "Engineers"): (0.0, 1.0),
}


def test_a_folders_judgments_have_lengths_and_forms(tmp_path: Path, approved: Approved) -> None:
    e = make(
        tmp_path / "e",
        DIFFER,
        topics=TOPICS[:2],
        assessors=("ann", "ben"),
        lengths=(100, 50),
        forms=("abstract", "extract"),
    )
    names = [f"completeness ({n} words, {form})" for n in (50, 100) for form in ("abstract", "extract")]
    every = e.agreement(resamples=0)
    assert [(each.question, each.alpha.units) for each in every.questions] == [(name, 18) for name in names]
    at = e.agreement(length=50, resamples=0)
    assert [each.question for each in at.questions] == ["completeness (abstract)", "completeness (extract)"]
    one = e.agreement(length=50, form="extract", resamples=0)
    assert [(each.question, each.alpha.units) for each in one.questions] == [("completeness", 18)]
    assert one.questions[0].alpha.value == every.questions[1].alpha.value
    together = e.agreement(length="all", form="extract", resamples=0)
    assert [each.alpha.units for each in together.questions] == [36]
    with pytest.raises(UsageError, match="completeness has no judgments at length 77; it has: 50, 100"):
        e.agreement(length=77)
    with pytest.raises(
        UsageError, match='no judgments of form "extrakt" .nearest: "extract".; it has: abstract'
    ):
        e.agreement(form="extrakt")
    with pytest.raises(UsageError, match="no judgments at length unset"):
        e.agreement(length="unset")
    table = agreement_table(gather(e.collection, e.judgments()))
    assert table is not None
    assert table.to_frame()["question"].tolist() == names
    assert math.isnan(every.questions[0].alpha.low)
    approved(table.warnings())


def test_a_measure_of_a_folder_that_lacks_the_length_is_left_out_with_a_note(
    tmp_path: Path, approved: Approved
) -> None:
    e = make(tmp_path / "e", DIFFER, topics=TOPICS, assessors=("ann", "ben"), lengths=(50, 100))
    frame = ratings(topics=6).assign(system="copy", length=100).drop_duplicates(["topic", "assessor"])
    frame["topic"] = frame["topic"].map(lambda name: f"t{int(name[1:]) + 1}")
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    e.take(read([tmp_path / "ratings.csv"]))
    found = Evaluation.open(e.path).agreement(length=50, resamples=0)
    assert [each.question for each in found.questions] == ["completeness"]
    assert found.notes_of("not-at-target")
    approved(found.warnings())
    measured = [
        each.question for each in Evaluation.open(e.path).agreement(length=100, resamples=0).questions
    ]
    assert measured[0] == "completeness"
    assert len(measured) == 2


def test_two_protocols_that_ask_the_same_are_told_apart(tmp_path: Path, approved: Approved) -> None:
    e = make(
        tmp_path / "e", DIFFER, topics=TOPICS, assessors=("ann", "ben"), protocol=("duc-2001", "duc-2002")
    )
    found = e.agreement(resamples=20)
    assert [each.question for each in found.questions] == ["completeness"] * 2
    approved(found.headline())
    assert {line.partition(":")[0] for line in found.sentences() if "alpha = " in line} == {
        "duc-2001/completeness",
        "duc-2002/completeness",
    }
    assert [q.title for q in e.agreement(question="duc-2002/completeness", resamples=0).questions] == [
        "completeness"
    ]


def test_what_one_assessor_alone_judged_is_counted(approved: Approved) -> None:
    frame = ratings(topics=40, assessors=2)
    gone = (frame["assessor"] == "a1") & (frame["topic"].isin(["t3", "t4"]))
    found = agreement(frame[~gone])
    assert found.questions[0].alone == 6
    assert found.notes_of("judged-alone")
    approved(found.warnings())
    alone = agreement(frame[frame["assessor"] == "a0"])  # where the reason says it all
    assert alone.questions[0].alone == 0


# Sentences


def test_the_assessor_whose_absence_raises_alpha_most(approved: Approved) -> None:
    found = agreement(ratings(wild=2))
    own = found.questions[0]
    most = own.most_apart()
    assert most is not None
    assert most.assessor == "a2"
    assert most.rise.low > 0
    assert most.alpha.value - own.alpha.value == pytest.approx(most.rise.value)
    assert absence_sentence(own) in list(found.sentences())
    approved(words_of(found))
    two = agreement(ratings(assessors=2))
    approved(words_of(two), "two assessors")
    assert {each.rise.why for each in two.questions[0].without} == {"with two assessors, one is left"}


def test_nobodys_absence_raises_alpha_where_all_say_the_same_of_one_who_is_right(approved: Approved) -> None:
    rows = [(f"t{t}", "s", who, float(t % 5)) for t in range(10) for who in "abc"]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])
    own = agreement(frame).questions[0]
    assert own.alpha.value == 1
    assert math.isnan(own.alpha.low)  # every resample has 1, which says nothing of other topics
    assert own.alpha.why_no_interval == "nearly all resamples give the same value"
    assert all(not each.rise.value > 0 for each in own.without)
    approved([question_sentence(own), absence_sentence(own)])


def with_second_of(change: Any, topics: int = 12) -> pd.DataFrame:
    """Ratings from 1 to 5 by x and z, and by y, who gives what `change` makes of x's."""
    rng = np.random.default_rng(3)
    rows = []
    for t in range(topics):
        for system in "abcd":
            value = int(rng.integers(1, 6))
            near = int(np.clip(value + rng.integers(-1, 2), 1, 5))
            rows += [
                (f"t{t}", system, "x", value),
                (f"t{t}", system, "y", change(value)),
                (f"t{t}", system, "z", near),
            ]
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])


@pytest.mark.parametrize("second", ["reversed", "higher"])
def test_two_who_contradict_each_other_are_named(second: str, approved: Approved) -> None:
    """What a mean over assessors hides: all systems tie where one turns the scale round."""
    correlation, change = {
        "reversed": (-1.0, lambda value: 6 - value),
        "higher": (1.0, lambda value: value + 4),
    }[second]
    frame = with_second_of(change)
    two = agreement(frame[frame["assessor"] != "z"])
    (pair,) = two.questions[0].pairs
    assert pair.contradict
    assert not pair.identical
    assert pair.correlation == pytest.approx(correlation)
    approved(list(two.sentences()))


def test_two_who_always_say_the_same_are_named(approved: Approved) -> None:
    result = agreement(with_second_of(lambda value: value))
    assert [pair.identical for pair in result.questions[0].pairs] == [True, False, False]
    approved(list(result.sentences()))
    few = agreement(with_second_of(lambda value: value, topics=2))
    assert not any(pair.identical for pair in few.questions[0].pairs)


def test_few_topics_show_no_contradiction() -> None:
    few = agreement(with_second_of(lambda value: 6 - value, topics=4))
    assert not any(pair.contradict for pair in few.questions[0].pairs)


def test_guessing_is_no_contradiction() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        rows = [
            (f"t{t}", s, who, int(rng.integers(1, 6))) for t in range(12) for s in "abcd" for who in "xyz"
        ]
        frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])
        assert not any(pair.contradict for pair in agreement(frame).questions[0].pairs)


def skewed(share: float = 0.9) -> pd.DataFrame:
    """Nearly everything gets 5, and the rest is noise."""
    rng = np.random.default_rng(4)
    rows = [
        (f"t{t}", "s", who, 5.0 if rng.random() < share else 1.0)
        for t in range(200)
        for who in ("a", "b", "c")
    ]
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])


def test_alpha_collapses_on_skewed_ratings_and_ac_does_not_see_it(approved: Approved) -> None:
    own = agreement(skewed()).questions[0]
    assert own.alpha.value < 0.2
    assert own.ac.value > 0.6
    assert own.constant is not None
    assert own.constant.answer == 5
    values = wide(skewed().assign(measure="m"))
    assert own.constant.share == pytest.approx(np.mean(values == 5))
    median = np.sort(values, axis=1)[:, 1]
    against = np.stack([median, np.full(200, 5.0)], axis=1)
    rng = np.random.default_rng(0)
    assert own.constant.alpha.value == krippendorff(against, rng=rng, resamples=0).value
    ac = gwet_ac(against, rng=rng, weights="quadratic", categories=[1, 5], resamples=0)
    assert own.constant.ac.value == ac.value
    rare = agreement(skewed(0.95)).questions[0]  # two of three never differ from 5 together
    assert rare.constant is not None
    assert (rare.constant.ac.value, math.isnan(rare.constant.alpha.value)) == (1, True)
    two = agreement(skewed()[lambda each: each["assessor"] != "c"]).questions[0]
    assert two.apart
    assert two.constant is not None
    assert two.constant.ac.why == "some things have no answer in the middle"
    close = agreement(ratings()).questions[0]
    assert not close.apart
    assert close.constant is None
    for label, question in (("three", own), ("rare", rare), ("two", two)):
        approved(apart_sentence(question), label)


@pytest.mark.parametrize(("noise", "crossing"), [(0.02, False), (0.48, True)])
def test_a_verdict_says_where_its_interval_crosses_a_threshold(noise: float, crossing: bool) -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(size=(60, 1))
    values = truth + noise * rng.normal(size=(60, 3))
    rows = [(f"t{t}", "s", f"a{k}", values[t, k]) for t in range(60) for k in range(3)]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"])
    own = agreement(frame, scale="interval").questions[0]
    assert bool(own.alpha.crossed) is crossing
    assert own.ac.why == "more than 50 different answers are no scale of categories"
    assert agreement(frame, scale="interval").notes_of("no-ac")


def test_one_topic_has_no_interval_and_few_topics_are_named(approved: Approved) -> None:
    one = agreement(ratings(topics=1))
    assert math.isnan(one.questions[0].alpha.low)
    assert one.questions[0].alpha.why_no_interval
    approved(words_of(one), "one topic")
    four = agreement(ratings(topics=4))
    assert math.isnan(four.questions[0].alpha.low)
    assert four.questions[0].alpha.why_no_interval
    approved(four.warnings(), "four topics")
    assert not math.isnan(agreement(ratings(topics=5)).questions[0].alpha.low)
    few = agreement(ratings(topics=6))
    assert [note.data["topics"] for note in few.notes() if note.code == "few-topics"] == [6]
    approved(few.warnings(), "six topics")
    assert agreement(ratings(topics=30)).warnings() == []


def test_many_questions_are_said_in_short(approved: Approved) -> None:
    frames = [ratings(seed=n, wild=1).assign(measure=f"m{n}") for n in range(8)]
    found = agreement(pd.concat(frames), resamples=20)
    assert [q.most_apart().assessor for q in found.questions] == ["a1"] * 8  # type: ignore[union-attr]
    approved(found.sentences())


# Pyramids and preferences


@pytest.fixture(scope="module")
def pyramids(judged_few: Path, tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    path = tmp_path_factory.mktemp("pyramids") / "e"
    shutil.copytree(judged_few, path)
    return Evaluation.open(path)


@pytest.fixture(scope="module")
def answered(pyramids: Evaluation) -> Judgments:
    return pyramids.judgments()


def with_second(judgments: Judgments, change: Any) -> Judgments:
    """The demo's judgments, and a second assessor's annotations with the same pyramids, which `change` makes."""
    topics = {}
    for topic, own in judgments.by_topic.items():
        added = []
        for judged in own:
            if PYRAMID_PEER in judged.answers:
                task = replace(judged.task, id=f"{judged.task.id}-2", assessor="second")
                event = judged.answers[PYRAMID_PEER]
                answer = change(annotation_of(event.answer)).to_answer()
                event = replace(event, task=task.id, assessor="second", answer=answer)
                added.append(Judged(task, {PYRAMID_PEER: event}))
        topics[topic] = (*own, *added)
    return replace(judgments, by_topic=topics)


def test_two_assessors_who_annotate_alike(pyramids: Evaluation, answered: Judgments) -> None:
    gathered = gather(pyramids.collection, with_second(answered, lambda annotation: annotation))
    (found,) = compared_pyramids(gathered, HOW)
    assert (found.only_a, found.only_b, found.overlap) == (0, 0, 1)
    assert found.same_pyramid == found.peers
    assert found.topics == 5
    assert (found.difference, found.apart) == (0, 0)
    assert math.isnan(found.low)  # every resample has 0
    units = next(
        each for each in questions_of(stored_answers(gathered)).questions if each.question == "content-units"
    )
    own = question_agreement(units, HOW)
    assert own.alpha.value == 1
    assert math.isnan(own.alpha.low)  # every resample has 1, which says nothing of other topics
    assert own.alpha.why_no_interval
    assert own.agreement.value == 1


def test_a_second_assessor_who_misses_a_unit_of_every_peer(
    pyramids: Evaluation, answered: Judgments, approved: Approved
) -> None:
    def without_first(annotation: Any) -> Any:
        matched = [scu for scu in annotation.scus if scu.uid and scu.contributors]
        left = tuple(scu for scu in annotation.scus if scu not in matched[:1])
        return replace(annotation, scus=left)

    gathered = gather(pyramids.collection, with_second(answered, without_first))
    (found,) = compared_pyramids(gathered, HOW)
    assert (found.a, found.b) == ("second", "simulated-facts")
    assert found.only_a == 0
    assert 0 < found.only_b <= found.peers  # some peers express nothing
    assert found.overlap == pytest.approx(2 * found.both / (2 * found.both + found.only_b))
    assert found.difference < 0
    assert found.low < found.difference < found.high <= 0
    assert found.apart == pytest.approx(-found.difference)  # all differences have one sign
    assert found.furthest >= found.apart
    approved(pyramid_sentence(found))
    units = next(
        each for each in questions_of(stored_answers(gathered)).questions if each.question == "content-units"
    )
    own = question_agreement(units, HOW)
    disagreed = np.count_nonzero(np.ptp(units.matrix[~np.isnan(units.matrix).any(axis=1)], axis=1))
    assert disagreed == found.only_b
    assert own.agreement.value == pytest.approx(1 - disagreed / own.alpha.units)
    # the scores are the measure's
    pyramids.score("pyramid")
    rows = pyramids.scores().of("pyramid")
    mean = rows[~rows["system"].isin(["ada", "ben", "cleo", "dan"])]["value"].mean()
    assert mean == pytest.approx(found.score_b, abs=0.2)


def test_one_assessors_pyramids_are_compared_with_nobodys(
    pyramids: Evaluation, answered: Judgments, approved: Approved
) -> None:
    gathered = gather(pyramids.collection, answered)
    assert compared_pyramids(gathered, HOW) == ()
    result = pyramids.agreement(question="content-units")
    assert result.questions[0].alpha.why
    assert result.table("pyramids").rows == ()
    approved(result.about("pyramids"))


def test_other_pyramids_have_other_units_and_only_scores_compare(
    pyramids: Evaluation, answered: Judgments, approved: Approved
) -> None:
    def unnamed(annotation: Any) -> Any:
        return replace(annotation, pyramid=None)  # then it is compared with the assessor's own

    judgments = with_second(answered, unnamed)
    topics = {}
    for topic, own in judgments.by_topic.items():
        (first,) = (judged for judged in own if PYRAMID in judged.answers)
        event = first.answers[PYRAMID]
        scus = [each | {"label": f"{each['label']}, in other words"} for each in event.answer["scus"]]
        event = replace(event, assessor="second", answer={**event.answer, "scus": scus})
        task = replace(first.task, id=f"{first.task.id}-2", assessor="second")
        topics[topic] = (*own, Judged(task, {PYRAMID: event}))
    gathered = gather(pyramids.collection, replace(judgments, by_topic=topics))
    (found,) = compared_pyramids(gathered, HOW)
    assert (found.same_pyramid, found.both, found.only_a, found.only_b) == (0, 0, 0, 0)
    assert math.isnan(found.overlap)
    assert found.difference == 0  # the same units under other labels
    approved(pyramid_sentence(found))
    units = next(
        each for each in questions_of(stored_answers(gathered)).questions if each.question == "content-units"
    )
    assert question_agreement(units, HOW).alpha.why


def test_preferences_do_not_depend_on_which_side_was_shown_first(small: Evaluation) -> None:
    small.simulate_judgments("preference-summaries", assessors=3, seed=4)
    judgments = small.judgments()
    swapped = {"left": "right", "right": "left"}

    def turned(judged: Judged) -> Judged:
        task = judged.task
        hashes = {swapped.get(role, role): each for role, each in task.hashes.items()}
        events = {
            question: replace(
                event, answer={"winner": swapped.get(event.answer["winner"], event.answer["winner"])}
            )
            for question, event in judged.answers.items()
        }
        return Judged(replace(task, left=task.right, right=task.left, hashes=hashes), events)

    other = replace(
        judgments, by_topic={topic: tuple(map(turned, own)) for topic, own in judgments.by_topic.items()}
    )
    found = []
    for each in (judgments, other):
        (own,) = questions_of(stored_answers(gather(small.collection, each))).questions
        assert own.mirrored
        found.append(question_agreement(own, HOW))
    assert found[0] == found[1]
    own_matrix = questions_of(stored_answers(gather(small.collection, judgments))).questions[0]
    assert found[0].alpha.units == len(own_matrix.matrix)
    assert {each.why for each in found[0].correlations} == {"choices between two things are no ratings"}


# The result


def test_every_table_of_a_result() -> None:
    found: AgreementResult = agreement(ratings(wild=3))
    names = ["agreement", "coefficients", "without-assessor", "assessor-pairs", "agreement-by-system"]
    assert [len(found.table(name).rows) for name in names] == [1, 7, 4, 6, 3]
    assert found.to_frame().loc[0, "alpha"] == found.questions[0].alpha.value
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.headline() == question_sentence(found.questions[0])
    coefficients = found.table("coefficients")
    assert [row["coefficient"] for row in coefficients.records()] == [
        "alpha",
        "AC2",
        "agreement",
        "Fleiss' kappa",
        "ICC(1,1)",
        "ICC(2,1)",
        "ICC(2,4)",
    ]
    few = agreement(ratings(topics=6)).only(["pyramids"])
    assert list(few.sentences()) == list(few.about("pyramids"))
    assert few.warnings() == []  # those of questions are not about pyramids
    assert agreement(ratings(topics=6)).warnings()
    icc = next(column for column in found.table().columns if column.name == "icc")
    assert [icc.shown(value) for value in (3.2e-4, -3.2e-4, 0.12345)] == ["0.000", "0.000", "0.123"]
    with pytest.raises(UsageError, match='no table "topic"; there are: agreement, coefficients'):
        found.table("topic")
    nominal = agreement(ratings(), scale="nominal")
    assert nominal.questions[0].ac.name == "AC1"
    assert agreement(ratings(), weights="none").questions[0].ac.name == "AC1"
    assert nominal.signature.startswith(
        "agreement(scale=nominal)|alpha:nominal|weights:none|bootstrap:topics:percentile:1000|"
    )


def test_the_table_of_judgments_is_none_where_nothing_was_judged(small: Evaluation) -> None:
    assert agreement_table(gather(small.collection, Judgments())) is None
    with pytest.raises(DataError, match="no judgments, and no scores that name assessors"):
        small.agreement()


# Real data


@pytest.mark.shared_data
def test_a_constant_answer_on_summevals_consistency(shared_data: Path) -> None:
    """AC2 does not see discrimination: somebody who always says 5 gets .91, and alpha -.07."""
    lines = (shared_data / "summeval" / "model_annotations.12systems.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in lines.splitlines()]
    values = np.array([[each["consistency"] for each in row["expert_annotations"]] for row in rows], float)
    against = np.stack([np.median(values, axis=1), np.full(len(values), 5.0)], axis=1)
    rng = np.random.default_rng(0)
    ac = gwet_ac(against, rng=rng, weights="quadratic", categories=range(1, 6), resamples=0)
    interval = krippendorff(against, rng=rng, distance="interval", resamples=0)
    assert (round(ac.value, 2), round(interval.value, 2)) == (0.91, -0.07)
