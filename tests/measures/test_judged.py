"""Measures of coverage judgments, on pages worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Summary, Topic, Unit
from adjudge.data.scores import Score
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.protocol import load_protocol, parse_protocol
from adjudge.judgments.tasks import Event, Judged, Task, TextRef
from adjudge.measures.base import Measure
from adjudge.measures.registry import parse_measure

# A page of DUC-2002, as an assessor left it. The peer has 13 words of a target of 20.
#
#   model unit              marked peer units      completeness
#   m1 the dam broke        p1                     100 %
#   m2 after heavy rain     p1 p2                   60 %
#   m3 eleven people died   -                        0 %
#   m4 the siren was off    p3                       0 %     (marked, but none: an inconsistency)
#   m5 a mill was wrecked   p2                      20 %
#
# Peer units p1 to p4; p4 is unmarked, and said to be relevant. Quality: questions 4 (1-5) and 12 (>10) found errors.
UNITS: dict[str, tuple[list[str], float]] = {
    "m1": (["p1"], 1.0),
    "m2": (["p1", "p2"], 0.6),
    "m3": ([], 0.0),
    "m4": (["p3"], 0.0),
    "m5": (["p2"], 0.2),
}
PEER = "The dam broke in rain. A mill went. Sirens failed. It was sad."
HAND = {
    "recall": 2 / 5,  # at or above 1/4: m1, m2
    "recall(threshold=2)": 2 / 5,
    "recall(threshold=3)": 1 / 5,
    "recall(threshold=4)": 1 / 5,
    "retention": 3 / 5,  # m1, m2, m5
    "retention(weighted=true)": 1.8 / 5,
    "coverage": 1.8 / 5,
    "coverage(stat=median)": 0.2,
    "length-adjusted-coverage": 2 / 3 * 1.8 / 5 + 1 / 3 * (20 - 13) / 20,
    "length-adjusted-coverage(stat=median)": 2 / 3 * 0.2 + 1 / 3 * 7 / 20,
    "length-adjusted-coverage(weight=0)": 1.8 / 5,
    "uncovered": 2 / 5,
    "unmarked": 1.0,
    "unmarked(count=relevant)": 1.0,
    "quality-errors": 2.0,
    "quality-errors(question=12)": 3.0,
    "quality-errors(question=4)": 1.0,
    "quality-errors(question=1)": 0.0,
    "quality(q=12)": 3.0,
    "quality(q=4)": 1.0,
    "quality(q=1)": 0.0,
}


def page(
    answers: Mapping[str, Any], *, assessor: str = "ann", protocol: str = "duc-2002", task: str = "task-1"
) -> Judged:
    made = Task(
        task, "e", assessor, protocol, "1", "t", peer=TextRef("lead", 20), reference=TextRef("ada", 20)
    )
    events = {
        q: Event(f"{task}-{q}", "e", task, assessor, q, a, seq=k) for k, (q, a) in enumerate(answers.items())
    }
    return Judged(made, events)


def duc_2002() -> dict[str, Any]:
    answers: dict[str, Any] = {
        f"unit:{unit}": {"marked": marked, "completeness": share} for unit, (marked, share) in UNITS.items()
    }
    answers["unmarked"] = {"relevant": 1.0}
    answers |= {f"quality:{k}": {"value": {4: "1-5", 12: ">10"}.get(k, "0")} for k in range(1, 13)}
    return answers


def batch(*judged: Judged, peer: str = PEER) -> TopicBatch:
    models = [Unit("t", "ada", "edu", f"m{k}", k, k + 1, "x", length=20) for k in range(1, 6)]
    peers = [Unit("t", "lead", "sentence", f"p{k}", k, k + 1, "x", length=20) for k in range(1, 5)]
    return TopicBatch(
        Topic("t"),
        (Summary("t", "lead", peer, 20),),
        (Summary("t", "ada", "A model.", 20, ("reference",)),),
        units=(*models, *peers),
        judgments=judged,
    )


def scored(spec: str, of: TopicBatch) -> list[Score]:
    return list(parse_measure(spec).score(of))


@pytest.mark.parametrize(("spec", "expected"), HAND.items())
def test_the_page_worked_by_hand(spec: str, expected: float) -> None:
    (row,) = scored(spec, batch(page(duc_2002())))
    assert row.value == pytest.approx(expected, abs=1e-15)
    assert (row.topic, row.system, row.length, row.assessor, row.reference, row.repeat) == (
        "t",
        "lead",
        20,
        "ann",
        "ada",
        0,
    )


@pytest.mark.parametrize("spec", HAND)
def test_the_text_form_parses_back(spec: str) -> None:
    assert str(parse_measure(spec)) == spec


def test_answers_that_contradict_themselves_are_counted() -> None:
    (said,) = parse_measure("coverage").warnings([batch(page(duc_2002()))])
    assert said.startswith("1 answer contradicts itself")


def test_a_page_that_is_not_finished_has_no_score_yet() -> None:
    answers = {
        k: v for k, v in duc_2002().items() if k not in ("unit:m2", "unit:m5", "unmarked", "quality:3")
    }
    whys = {
        spec: scored(spec, batch(page(answers)))[0].why for spec in ("coverage", "quality-errors", "unmarked")
    }
    assert whys == {
        "coverage": "2 of 5 model units are not judged yet",
        "quality-errors": "1 of 12 quality questions are not answered yet",
        "unmarked": "2 of 5 model units are not judged yet",
    }
    (row,) = scored("coverage", batch(page({})))
    assert math.isnan(row.value)
    assert row.why == "no model unit is judged yet"


def test_assessors_and_planted_repeats_are_rows_of_their_own() -> None:
    other = duc_2002() | {"unit:m3": {"marked": ["p4"], "completeness": 1.0}}
    found = scored(
        "coverage",
        batch(page(duc_2002()), page(other, task="task-2"), page(other, assessor="bob", task="task-3")),
    )
    assert [(row.assessor, row.repeat, round(row.value, 10)) for row in found] == [
        ("ann", 0, 0.36),
        ("ann", 1, 0.56),
        ("bob", 0, 0.56),
    ]


def test_the_same_peer_under_two_protocols_is_a_repeat() -> None:
    both = batch(
        page(duc_2002()), page({"unit:m1": {"marked": [], "completeness": 0}}, protocol="duc-2001", task="t2")
    )
    assert [row.repeat for row in scored("coverage", both)] == [0, 1]


def test_duc_2001_has_levels_of_its_own() -> None:
    answers = {
        "unit:m1": {"marked": ["p1"], "completeness": 0.75},
        "unit:m2": {"marked": ["p2"], "completeness": 0.25},
        "quality:cohesion": {"value": 0.5},
    }
    of = batch(page(answers, protocol="duc-2001"))
    of = replace(
        of, units=tuple(replace(u, kind="sentence") for u in of.units if u.id in ("m1", "m2", "p1", "p2"))
    )
    assert scored("recall(threshold=3)", of)[0].value == 1 / 2
    assert scored("recall(threshold=1)", of)[0].value == 1.0
    assert scored("coverage", of)[0].value == 0.5
    assert scored("quality(question=cohesion)", of)[0].value == 0.5
    assert scored("quality(question=coherence)", of)[0].why == "not answered yet"
    assert scored("quality-errors", of) == []


def test_the_corners_of_length_adjustment() -> None:
    empty = batch(page({f"unit:m{k}": {"marked": [], "completeness": 0} for k in range(1, 6)}), peer="")
    assert scored("length-adjusted-coverage", empty)[0].value == pytest.approx(1 / 3)
    assert parse_measure("length-adjusted-coverage").warnings([empty]) == [
        "1 empty summary got 0.333 for brevity alone"
    ]
    long = batch(page(duc_2002()), peer="word " * 40)
    assert scored("length-adjusted-coverage", long)[0].value == pytest.approx(2 / 3 * 0.36)
    gone = replace(batch(page(duc_2002())), peers=())
    assert scored("length-adjusted-coverage", gone)[0].why is not None
    judged = page(duc_2002())
    unset = Judged(replace(judged.task, peer=TextRef("lead"), reference=TextRef("ada", 20)), judged.answers)
    assert scored("length-adjusted-coverage", batch(unset))[0].why == "the target length is not set"


def test_a_table_that_gives_sums_only_serves_where_it_can() -> None:
    sums = {"coverage": {"mean": 0.25, "median": 0.2, "adjusted_mean": 0.3, "unmarked": 3, "peer_units": 9}}
    of = replace(batch(page(sums)), units=())
    assert scored("coverage", of)[0].value == 0.25
    assert scored("length-adjusted-coverage", of)[0].value == 0.3
    assert scored("unmarked", of)[0].value == 3
    assert scored("retention", of)[0].why == "only sums of the page are known, not its units"


@given(st.lists(st.sampled_from([0, 0.2, 0.4, 0.6, 0.8, 1.0]), min_size=1, max_size=30))
def test_order_of_the_measures(completeness: list[float]) -> None:
    answers = {f"unit:u{k}": {"marked": ["p1"], "completeness": c} for k, c in enumerate(completeness)}
    of = replace(batch(page(answers)), units=())
    value = {
        spec: scored(spec, of)[0].value for spec in HAND if "quality" not in spec and "unmarked" not in spec
    }
    assert value["recall(threshold=4)"] <= value["recall(threshold=2)"] <= value["retention"]
    assert value["coverage"] == value["retention(weighted=true)"] <= value["retention"] + 1e-12
    assert value["retention"] + value["uncovered"] == pytest.approx(1)


def test_mistakes() -> None:
    with pytest.raises(UsageError, match="threshold=5; expected 1, 2, 3 or 4"):
        parse_measure("recall(threshold=5)")
    with pytest.raises(UsageError, match="weight=2"):
        parse_measure("length-adjusted-coverage(weight=2)")


def test_every_judged_measure_says_what_it_needs() -> None:
    for spec in HAND:
        measure: Measure = parse_measure(spec)
        assert "judgments" in measure.needs


# Ratings


def rated(topic: str, system: str, assessor: str, value: float, aspect: str = "overall") -> Judged:
    task = f"{topic}-{system}-{assessor}"
    made = Task(task, "e", assessor, "responsiveness", "1", topic, peer=TextRef(system, 20))
    question = f"rating:{aspect}"
    return Judged(
        made, {question: Event(f"{task}-r", "e", task, assessor, question, {"value": value}, seq=1)}
    )


# ann gives 1, 2, 3: mean 2, standard deviation 1. bob gives 5 and 5: no deviation.
def test_ratings_raw_and_within_assessor() -> None:
    batches = [
        TopicBatch(Topic("t1"), (), judgments=(rated("t1", "x", "ann", 1), rated("t1", "y", "ann", 2))),
        TopicBatch(Topic("t2"), (), judgments=(rated("t2", "x", "ann", 3), rated("t2", "x", "bob", 5))),
        TopicBatch(
            Topic("t3"), (), judgments=(rated("t3", "x", "bob", 5), rated("t3", "x", "cat", 5, "content"))
        ),
    ]
    raw, z = parse_measure("rating(aspect=overall)"), parse_measure("rating(aspect=overall, scale=z)")
    assert [row.value for row in type(raw).score_many([raw], batches)] == [1, 2, 3, 5, 5]
    found = list(type(z).score_many([z], batches))
    assert [row.value for row in found[:3]] == pytest.approx([-1, 0, 1])
    assert [row.why for row in found[3:]] == ["the assessor's ratings do not vary"] * 2
    assert (raw.scope, z.scope) == ("topic", "evaluation")
    assert [row.assessor for row in parse_measure("rating(aspect=content)").score(batches[2])] == ["cat"]


# Questions on quality, by number


def asked(protocol: str, answers: Mapping[str, Any], task: str = "task-1") -> Judged:
    """A task that is not about a reference, as ratings are."""
    judged = page(answers, protocol=protocol, task=task)
    return Judged(replace(judged.task, reference=None), judged.answers)


def linguistic(*scores: int, task: str = "task-1") -> Judged:
    answers = {f"rating:{n}": {"value": score} for n, score in enumerate(scores, 1)}
    return asked("linguistic-quality", answers, task)


DUC_2001 = {"quality:cohesion": {"value": 0.5}, "quality:coherence": {"value": 0.25}}


def fitted(spec: str, *batches: TopicBatch) -> Measure:
    (found,) = parse_measure(spec).fitted(batches)
    return found


def test_plain_quality_is_what_it_was() -> None:
    plain, other = parse_measure("quality"), parse_measure("quality(question=cohesion)")
    assert (str(plain), plain.title) == ("quality", "quality: grammaticality")
    assert plain.signature().startswith("quality|question:grammaticality|v:")
    assert other.signature().startswith("quality|question:cohesion|v:")
    assert (plain.better, plain.range) == ("higher", (0.0, 1.0))
    of = batch(page({**DUC_2001, "quality:grammaticality": {"value": 0.75}}, protocol="duc-2001"))
    assert plain.fitted([of]) == [plain]
    assert [row.value for row in plain.score(of)] == [0.75]


def test_a_question_by_number_has_the_direction_and_the_range_of_its_protocol() -> None:
    errors, levels, ratings = (
        batch(page(duc_2002())),
        batch(page(DUC_2001, protocol="duc-2001")),
        batch(linguistic(5, 4, 3, 2, 1)),
    )
    assert (fitted("quality(q=4)", errors).better, fitted("quality(q=4)", errors).range) == ("lower", (0, 3))
    assert (fitted("quality(q=2)", levels).better, fitted("quality(q=2)", levels).range) == ("higher", (0, 1))
    assert (fitted("quality(q=2)", ratings).better, fitted("quality(q=2)", ratings).range) == (
        "higher",
        (1, 5),
    )
    found = fitted("quality(q=4)", errors)
    assert (str(found), found.title) == ("quality(q=4)", "quality question 4")
    assert found.signature() == parse_measure("quality(q=4)").signature()
    assert found.signature().startswith("quality|q:4|v:")
    assert found.info().direction == "lower is better"


def test_questions_of_duc_2001_go_by_number_and_by_key() -> None:
    of = batch(page(DUC_2001, protocol="duc-2001"))
    for spec in ("quality(q=2)", "quality(q=cohesion)", "quality(question=cohesion)"):
        assert [row.value for row in scored(spec, of)] == [0.5]
    assert [row.value for row in scored("quality(q=3)", of)] == [0.25]
    assert [row.why for row in scored("quality(q=1)", of)] == ["not answered yet"]
    assert scored("quality(q=4)", of) == []


def test_linguistic_quality_is_what_its_ratings_are() -> None:
    again = asked("linguistic-quality", {"rating:1": {"value": 2}}, "task-2")
    of = batch(linguistic(5, 4, 3, 2, 1), again)
    for n in range(1, 6):
        own, same = scored(f"quality(q={n})", of), scored(f"rating(aspect={n})", of)
        assert [replace(row, measure="") for row in own] == [replace(row, measure="") for row in same]
    assert [(row.value, row.repeat, row.assessor) for row in scored("quality(q=1)", of)] == [
        (5, 0, "ann"),
        (2, 1, "ann"),
    ]


def test_plain_quality_stands_for_every_question_where_nobody_was_asked_for_grammaticality() -> None:
    def names(*judged: Judged) -> list[str]:
        return [str(each) for each in parse_measure("quality").fitted([batch(*judged)])]

    assert names(linguistic(5, 4, 3, 2, 1)) == [f"quality(q={n})" for n in range(1, 6)]
    assert names(linguistic(5, 4)) == ["quality(q=1)", "quality(q=2)"]
    assert names(page(duc_2002())) == [f"quality(q={n})" for n in range(1, 13)]
    assert names(page(DUC_2001, protocol="duc-2001"), linguistic(5)) == ["quality"]
    assert names(asked("responsiveness", {"rating:content": {"value": 3}})) == ["quality"]


def test_an_unknown_question_is_answered_with_those_there_are() -> None:
    def said(spec: str, *judged: Judged) -> str:
        return fitted(spec, batch(*judged)).why_nothing([batch(*judged)])

    assert said("quality(q=9)", linguistic(5, 4, 3)) == (
        'nobody was asked for "9"; the questions are: 1, 2, 3 (linguistic-quality)'
    )
    assert said("quality(q=4)", linguistic(5, 4, 3), page(DUC_2001, protocol="duc-2001", task="task-2")) == (
        'nobody was asked for "4"; the questions are: 1, 2, 3 (linguistic-quality);'
        " grammaticality, cohesion, coherence (duc-2001)"
    )
    assert said("quality(q=content)", asked("responsiveness", {"rating:content": {"value": 3}})) == (
        "nobody was asked a question on quality"
    )


def test_different_questions_under_one_number_are_not_mixed() -> None:
    both = batch(page(duc_2002()), linguistic(5, 4, task="task-2"))
    with pytest.raises(DataError) as error:
        fitted("quality(q=2)", both)
    assert str(error.value) == (
        "quality(q=2): duc-2002 (word order) and linguistic-quality (non-redundancy) ask different questions under 2;"
        " quality-errors(question=2) and rating(aspect=2) keep them apart"
    )
    for spec in ("quality-errors(question=2)", "rating(aspect=2)"):
        assert len(scored(spec, both)) == 1
    assert fitted("quality(q=3)", both).better == "lower"  # nobody answered the other's third question
    assert [row.value for row in scored("quality(q=3)", both)] == [0]
    with pytest.raises(
        DataError, match=r"quality\(question=grammaticality\) and quality-errors\(question=1\)"
    ):
        fitted("quality(q=1)", batch(page(DUC_2001, protocol="duc-2001"), page(duc_2002(), task="task-2")))
    with pytest.raises(UsageError, match="question=cohesion and q=1; expected one of them"):
        parse_measure("quality(question=cohesion, q=1)")


OWN = """
name = "own"
version = "1"
kind = "rating"
title = "Ten points"
[[aspects]]
key = "1"
ask = "Is it grammatical?"
choices = [{ value = 1 }, { value = 10 }]
[[aspects]]
key = "2"
ask = "Is it clear?"
choices = ["no", "yes"]
[[aspects]]
key = "style"
ask = "Is it well written?"
choices = [{ value = 1 }, { value = 10 }]
"""


def test_numbered_questions_of_ratings_of_ones_own() -> None:
    own = parse_protocol(OWN, "own.toml")
    answers = {"rating:1": {"value": 10}, "rating:2": {"value": "yes"}, "rating:style": {"value": 1}}
    of = replace(batch(asked("own", answers)), protocols={"own": own})
    assert fitted("quality(q=1)", of).range == (1, 10)
    assert [row.value for row in scored("quality(q=1)", of)] == [10]
    assert scored("quality(q=2)", of) == scored("quality(q=style)", of) == []
    assert fitted("quality(q=2)", of).why_nothing([of]) == (
        'nobody was asked for "2"; the questions are: 1 (own)'
    )
    two = replace(
        batch(asked("own", answers), linguistic(5, task="task-2")),
        protocols={"own": own, "linguistic-quality": load_protocol("linguistic-quality")},
    )
    with pytest.raises(DataError, match=r"ask different questions under 1$"):
        fitted("quality(q=1)", two)


def test_the_demos_answers_to_a_question(judged_few: Path, tmp_path: Path) -> None:
    """DUC-2002's answers as the store has them, by page: 0, 1-5, 6-10 and >10 errors."""
    e = Evaluation.open(copytree(judged_few, tmp_path / "e"))
    e.score(["quality(q=7)", "quality(q=11)"])
    scores = e.scores()
    for n in (7, 11):
        expected: dict[tuple[Any, ...], list[int]] = {}
        for some in e.judgments().by_topic.values():
            for each in some:
                if each.task.protocol == "duc-2002" and each.task.peer and each.task.reference:
                    key = (
                        each.task.topic,
                        each.task.peer.system,
                        each.task.reference.system,
                        each.task.assessor,
                    )
                    value = each.answers[f"quality:{n}"].answer["value"]
                    expected.setdefault(key, []).append({"0": 0, "1-5": 1, "6-10": 2, ">10": 3}[value])
        rows = scores.table.of(f"quality(q={n})")
        found = rows.groupby(["topic", "system", "reference", "assessor"])["value"].apply(sorted).to_dict()
        assert found == {key: sorted(values) for key, values in expected.items()}
        assert sum(map(sum, expected.values())) > 0
        assert scores.info[f"quality(q={n})"].direction == "lower is better"
        assert scores.info[f"quality(q={n})"].range == (0, 3)
    with pytest.raises(DataError, match=r'"13"; the questions are: 1, 2, .*, 12 \(duc-2002\)'):
        e.score(["quality(q=13)"])
