"""The alternative-annotator test in a dossier: controls beside every judge, sentences that say no more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.alternative import DRAWS, AlternativeResult, AlternativeRow, alternative
from adjudge.analyses.judges.bench import POOLED, AspectBench, JudgeBenches, benches_of
from adjudge.stats.checks import FloatArray


def bench(
    answers: FloatArray,
    given: FloatArray,
    *,
    per_topic: int = 10,
    words: FloatArray | None = None,
    **more: Any,
) -> AspectBench:
    things, people = answers.shape
    topics = tuple(f"t{k // per_topic}" for k in range(things))
    return AspectBench(
        judge="program",
        aspect=more.pop("aspect", "overall"),
        source="rating",
        topics=topics,
        clusters=more.pop("clusters", topics),
        systems=tuple(f"s{k % per_topic}" for k in range(things)),
        sides=(None,) * things,
        people=tuple(f"p{k}" for k in range(people)),
        answers=answers,
        judge_answers=given,
        categories=more.pop("categories", (1.0, 2.0, 3.0, 4.0, 5.0)),
        words=np.full(things, np.nan) if words is None else words,
        measures=more.pop("measures", {}),
        **more,
    )


def dossier_of(*benches: AspectBench, **options: Any) -> AlternativeResult:
    return alternative(JudgeBenches(name="made", judges=("program",), benches=benches), Judges(**options))


def of(found: AlternativeResult, kind: str, at: int = 0) -> AlternativeRow:
    return next(each for each in found.aspects[at].rows if each.kind == kind)


def clear(things: int = 400, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Three assessors who agree on what lies at the ends of the scale, and what they saw."""
    rng = np.random.default_rng(seed)
    quality = rng.choice([1.0, 5.0], things)
    slips = rng.random((things, 3)) < 0.15
    return np.where(slips, 6 - quality[:, None], quality[:, None]), quality


def empty(shares: Sequence[float], things: int = 400, seed: int = 1) -> FloatArray:
    """Three assessors whose answers have nothing to do with the things."""
    return np.random.default_rng(seed).choice(np.arange(1.0, 6), size=(things, 3), p=shares)


def test_a_judge_that_sees_what_people_see_passes_alone() -> None:
    answers, quality = clear()
    found = dossier_of(bench(answers, quality, words=np.arange(400.0)))
    assert [each.kind for each in found.aspects[0].rows] == ["judge", "constant", "random", "length"]
    assert of(found, "judge").passes
    assert not of(found, "constant").passes
    assert of(found, "random").passed == 0
    assert found.headline() == (
        "On overall, program passes the alternative-annotator test: it wins against 3 of 3 assessors (epsilon 0.2,"
        f" average advantage {of(found, 'judge').average:.2f}); the constant"
        f" {of(found, 'constant').name.split()[-1]}, answers drawn at random and length alone do not."
    )


@pytest.mark.parametrize("shares", [[0.025, 0.025, 0.025, 0.025, 0.9], [0.2] * 5])
def test_where_a_constant_passes_passing_says_nothing(shares: list[float]) -> None:
    # with and without skew
    answers = empty(shares)
    best = 5.0 if shares[4] > 0.5 else 3.0
    found = dossier_of(bench(answers, np.full(400, best)))
    assert of(found, "judge").passes
    assert of(found, "constant").passes
    assert of(found, "constant").name == f"the constant {best:g}"
    assert of(found, "constant").average == of(found, "judge").average
    assert "; so do" in found.headline()
    assert f"the constant {best:g}" in found.headline()
    assert found.headline().endswith("passing says nothing here.")


def test_a_judge_that_fails_where_a_constant_passes() -> None:
    answers = empty([0.025, 0.025, 0.025, 0.025, 0.9])
    found = dossier_of(bench(answers, np.full(400, 1.0)))
    assert not of(found, "judge").passes
    assert found.headline() == (
        "On overall, program fails the alternative-annotator test: it wins against 0 of 3 assessors (epsilon 0.2,"
        f" average advantage {of(found, 'judge').average:.2f}); the constant 5 and answers drawn at random do."
    )


def test_a_measure_that_passes_needs_no_judge() -> None:
    answers, quality = clear()
    good, bad = {"M1": -quality, "M2": quality * 7 - 3}, {"M1": -quality}
    found = dossier_of(bench(answers, quality, measures=good))
    assert of(found, "measure").name == "M2"
    assert of(found, "measure").average > 0.9  # its ranks are people's answers
    assert found.headline().endswith("so does M2, so passing needs no judge here.")
    assert "needs no judge" not in dossier_of(bench(answers, quality, measures=bad)).headline()


def test_measures_follow_the_direction_of_the_question() -> None:
    # of counts of errors a lower answer is better, and a measure is better where it is higher
    answers, quality = clear()
    lower = bench(answers, quality, measures={"M": -quality}, better="lower")
    assert of(dossier_of(lower), "measure").passes
    assert not of(dossier_of(replace(lower, measures={"M": quality})), "measure").passes


def test_length_counts_in_either_direction() -> None:
    answers, quality = clear()
    for sign, words in ((1, "longer"), (-1, "shorter")):
        found = dossier_of(bench(answers, quality, words=100 + sign * quality))
        assert of(found, "length").name == f"length, {words} is better"
        assert "length alone, so passing says nothing here" in found.headline()


def test_several_questions_are_summed_up() -> None:
    answers, quality = clear()
    skewed = empty([0.025, 0.025, 0.025, 0.025, 0.9])
    found = dossier_of(
        bench(answers, quality, aspect="a"),
        bench(skewed, np.full(400, 5.0), aspect="b"),
        bench(answers, 6 - quality, aspect="c"),
        bench(answers[:, :2], quality, aspect="d"),
    )
    assert found.headline() == (
        "program passes the alternative-annotator test at epsilon 0.2 on 2 of 3 questions (a and b); constant, random"
        " or length-based answers pass too on b, so passing says nothing there; no control passes on a; not tested on"
        " d."
    )
    assert list(found.sentences())[4] == (
        "On d, there is no alternative-annotator test of program: it needs 3 assessors, and there are 2."
    )


def test_one_reason_is_said_once() -> None:
    answers, quality = clear()
    few = [bench(answers[:, :2], quality, aspect=name) for name in "abc"]
    found = dossier_of(*few, bench(answers, quality, aspect="d"))
    said = list(found.sentences())
    assert len(said) == 3
    assert said[2] == (
        "On a, b and c, there is no alternative-annotator test of program: it needs 3 assessors, and there are 2."
    )
    assert dossier_of(*few).headline() == (
        "There is no alternative-annotator test of program: it needs 3 assessors, and there are 2."
    )


def test_what_cannot_be_tested_says_why() -> None:
    answers, quality = clear()
    few = dossier_of(bench(answers[:80], quality[:80]))
    assert few.aspects[0].why is not None
    assert "share 10 topics or more" in few.aspects[0].why
    pooled = dossier_of(replace(bench(answers[:, :1], quality), people=(POOLED,), named=False))
    assert pooled.aspects[0].why == "people's scores name no assessors"
    assert pooled.rows_of().rows == ()
    assert len(pooled.to_frame()) == 0


def test_few_topics_and_assessors_who_do_not_count_are_named() -> None:
    answers, quality = clear()
    found = dossier_of(bench(answers[:200], quality[:200]))
    assert any("20 topics are few for the t-test" in note for note in found.warnings())
    four = np.column_stack([answers, np.where(np.arange(400) < 30, quality, np.nan)])
    found = dossier_of(bench(four, quality))
    assert any("p3 left out, with too few topics" in note for note in found.warnings())
    assert [each.assessor for each in found.aspects[0].assessors if np.isnan(each.adjusted)] == ["p3"]
    assert of(found, "judge").assessors == 3
    assert not any("are few for the t-test" in note for note in found.warnings())


def test_sets_of_topics_are_the_observations() -> None:
    answers, quality = clear()
    sets = tuple(f"set{k // 20}" for k in range(400))
    found = dossier_of(bench(answers, quality, clusters=sets))
    assert found.aspects[0].units == "sets of topics"
    assert found.aspects[0].assessors[0].topics == 20
    assert found.how().startswith("alternative|alignment:-rmse|epsilon:0.2|t:sets|by:0.05|random:100|seed:0|")


def test_things_that_the_judge_left_out_count_for_nobody() -> None:
    answers, quality = clear()
    gaps = np.where(np.arange(400) % 4 == 0, np.nan, quality)
    found = dossier_of(bench(answers, gaps))
    assert {each.things for each in found.aspects[0].assessors} == {300}


def test_pairs_have_answers_too() -> None:
    # 1 where the first wins, 0 where the second does, half a tie
    rng = np.random.default_rng(4)
    better = rng.choice([0.0, 1.0], 400)
    answers = np.where(rng.random((400, 3)) < 0.15, 1 - better[:, None], better[:, None])
    own = bench(
        answers, better, words=(better - 0.5) * rng.integers(0, 9, 400), pairs=True, categories=(0, 0.5, 1)
    )
    found = dossier_of(own)
    assert of(found, "judge").passes
    assert of(found, "length").name == "length, longer is better"
    assert of(found, "constant").name in {f"the constant {value:g}" for value in (0, 0.5, 1)}


def test_very_long_scales_are_tried_at_quantiles() -> None:
    answers, quality = clear()
    spread = answers * 20 + np.random.default_rng(5).normal(size=answers.shape)
    found = dossier_of(bench(spread, quality * 20, categories=None))
    assert of(found, "judge").passes
    assert 15 < float(of(found, "constant").name.split()[-1]) < 105


def test_random_answers_are_peoples_and_come_from_the_seed() -> None:
    answers, quality = clear()
    one, same, other = (dossier_of(bench(answers, quality), seed=seed) for seed in (1, 1, 2))
    assert of(one, "random") == of(same, "random")
    assert of(one, "random").average != of(other, "random").average
    assert of(one, "random").draws == DRAWS


def test_every_form_has_the_same_numbers() -> None:
    answers, quality = clear()
    found = dossier_of(bench(answers, quality, measures={"M": quality}))
    frame = found.to_frame()
    assert frame["kind"].tolist() == ["judge", "constant", "random", "measure"]
    assert frame["average"].tolist() == [each.average for each in found.aspects[0].rows]
    tables = json.loads(found.to_json())["tables"]
    assert list(tables) == ["alternative", "alternative-assessors"]
    assert [row["passes"] for row in tables["alternative"]] == [True, False, False, True]
    assert [row["assessor"] for row in tables["alternative-assessors"]] == ["p0", "p1", "p2"]
    assert "0 of 100 draws" in found.table().to_text()


def test_from_a_table_of_scores(tmp_path: Path) -> None:
    answers, quality = clear(150)
    lines = ["measure,topic,system,assessor,value"]
    for k in range(150):
        for who, value in zip(("ann", "bob", "cyd", "program"), (*answers[k], quality[k]), strict=True):
            lines.append(f"overall,t{k // 10},s{k % 10},{who},{value:g}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines), encoding="utf-8")
    from adjudge.analyses.scores import scores_of

    found = alternative(benches_of(scores_of(tmp_path / "ratings.csv"), "program"), Judges())
    assert of(found, "judge").passes
    assert adjudge.__version__ in found.signature


# SummEval's experts, as published


def experts(shared_data: Path, aspect: str) -> AspectBench:
    with (shared_data / "summeval" / "model_annotations.12systems.jsonl").open(encoding="utf-8") as file:
        records = sorted(map(json.loads, file), key=lambda each: (each["id"], each["model_id"]))
    answers = np.array([[float(who[aspect]) for who in each["expert_annotations"]] for each in records])
    return bench(answers, np.full(len(records), 1.0), per_topic=12, aspect=aspect)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("aspect", "constant", "epsilon"), [("consistency", 5.0, 0.2), ("relevance", 4.0, 0.1)]
)
def test_summeval_is_passed_by_a_constant(
    shared_data: Path, aspect: str, constant: float, epsilon: float
) -> None:
    own = experts(shared_data, aspect)
    found = dossier_of(own.with_judge("always", np.full(len(own.topics), constant)), epsilon=epsilon)
    assert of(found, "judge").winning_rate == 1
    assert of(found, "constant").name == f"the constant {constant:g}"
    assert of(found, "judge").assessors == 3
    assert {each.topics for each in found.aspects[0].assessors} == {100}
    assert of(found, "judge").passes
    assert of(found, "constant").passes
    assert f"the constant {constant:g}" in found.headline()


@pytest.mark.shared_data
def test_summeval_consistency_is_not_passed_at_a_tenth(shared_data: Path) -> None:
    own = experts(shared_data, "consistency")
    found = dossier_of(own.with_judge("always", np.full(len(own.topics), 5.0)), epsilon=0.1)
    assert not any(each.passes for each in found.aspects[0].rows)
