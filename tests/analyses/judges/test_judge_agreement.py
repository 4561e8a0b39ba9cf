"""Judges beside people and controls, and the verdict in steps."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analyses.judges.judge_making import copy_of, made_bench

from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.agreement import AspectAgreement, JudgeAgreementResult, judge_agreement
from adjudge.analyses.judges.bench import AspectBench, JudgeBenches, benches_of
from adjudge.analyses.judges.controls import Footing, controls_of
from adjudge.analyses.judges.verdict import STEPS, ControlDifference, JudgeVerdict, criterion_verdict
from adjudge.analyses.judges.words.agreement import (
    NOTES,
    because,
    difference_words,
    verdict_sentence,
    what_it_is,
)
from adjudge.analyses.scores import scores_of
from adjudge.core.results import Note
from adjudge.stats.agreement import cohen_kappa, gwet_ac, krippendorff
from adjudge.stats.judge_agreement import DrawnValue, mapped_codes

FEW = Judges(resamples=300)


def texts(notes: Sequence[Note]) -> list[str]:
    return [NOTES[note.code](**note.data) for note in notes]


def found(*benches: AspectBench, options: Judges = FEW) -> JudgeAgreementResult:
    return judge_agreement(JudgeBenches(name="made", judges=(), benches=benches), options)


def one(bench: AspectBench, options: Judges = FEW) -> AspectAgreement:
    return found(bench, options=options).aspects[0]


def steps(verdict: JudgeVerdict) -> tuple[str | None, str | None]:
    """The order's and the level's."""
    order, level = verdict.order, verdict.level
    return None if order is None else order.step, None if level is None else level.step


# The numbers


def test_rows_are_means_of_pairwise_coefficients() -> None:
    bench = made_bench(np.random.default_rng(0), topics=12)
    rows = {row.name: row for row in one(bench).rows}
    rng = np.random.default_rng(0)

    def coefficients(x: np.ndarray, y: np.ndarray) -> list[float]:
        both = np.stack([x, y], axis=1)
        return [
            krippendorff(both, rng=rng, resamples=0).value,
            cohen_kappa(x, y, rng=rng, weights="quadratic", categories=range(1, 6), resamples=0).value,
            gwet_ac(both, rng=rng, weights="quadratic", categories=range(1, 6), resamples=0).value,
        ]

    people = bench.answers.T
    own = np.mean([coefficients(bench.judge_answers, each) for each in people], axis=0)
    judge = rows["one more"]
    assert [judge.alpha.value, judge.kappa.value, judge.ac2.value] == pytest.approx(own)
    first = rows["a1 with the others"]
    others = np.mean([coefficients(people[0], each) for each in people[1:]], axis=0)
    assert [first.alpha.value, first.kappa.value, first.ac2.value] == pytest.approx(others)
    assert first.judge_alpha == pytest.approx(
        np.mean([coefficients(bench.judge_answers, each)[0] for each in people[1:]])
    )
    assert first.more_alpha.value == pytest.approx(first.judge_alpha - first.alpha.value)
    together = rows["people with each other"]
    each = [rows[f"a{k} with the others"].alpha.value for k in (1, 2, 3)]
    assert together.alpha.value == pytest.approx(np.mean(each))


def test_within_topics_an_assessor_and_the_judge_are_compared_with_the_mean_of_the_others() -> None:
    bench = made_bench(np.random.default_rng(1), topics=8)
    rows = {row.name: row for row in one(bench).rows}

    def within(x: np.ndarray, human: np.ndarray) -> float:
        by_topic = []
        for t in range(8):
            own, other = x[6 * t : 6 * t + 6], human[6 * t : 6 * t + 6]
            pairs = [(a, b) for a in range(6) for b in range(a) if abs(other[a] - other[b]) > 1e-9]
            net = sum(np.sign(own[a] - own[b]) * np.sign(other[a] - other[b]) for a, b in pairs)
            by_topic.append(net / len(pairs))
        return float(np.mean(by_topic))

    assert rows["one more"].within.value == pytest.approx(
        within(bench.judge_answers, bench.answers.mean(axis=1))
    )
    second = rows["a2 with the others"]
    others = bench.answers[:, [0, 2]].mean(axis=1)
    assert second.within.value == pytest.approx(within(bench.answers[:, 1], others))
    assert second.judge_within == pytest.approx(within(bench.judge_answers, others))
    assert rows["always answering 3"].within.value == 0
    assert rows["m0 (best measure)"].within.value == pytest.approx(
        within(bench.measures["m0"], bench.answers.mean(axis=1))
    )


def test_every_control_stands_in_the_table_and_says_why_where_it_does_not() -> None:
    bench = made_bench(np.random.default_rng(2), topics=10)
    bare = replace(bench, words=np.full(len(bench.topics), np.nan), measures={})
    kinds = ["judge", "people", "assessor", "assessor", "assessor", "constant", "random", "length", "measure"]
    assert [row.kind for row in one(bench).rows] == kinds
    own = one(bare)
    assert [row.kind for row in own.rows] == kinds
    assert own.of("length")[0].why == "the lengths of the texts are unknown"
    assert own.of("measure")[0].why == "no automatic measure was scored"
    said = verdict_sentence(own.verdict)
    assert "Not compared with length (the lengths of the texts are unknown)" in said
    assert "not compared with an automatic measure (no automatic measure was scored)" in said


def test_the_constant_is_the_best_of_all_and_so_is_the_measure() -> None:
    bench = made_bench(np.random.default_rng(3), topics=20, measures=(0.2, 0.8, 0.4))
    every = found(*(bench.with_judge(f"{c:g}", np.full(120, c)) for c in bench.scale))
    best = max(each.rows[0].alpha.value for each in every.aspects)
    assert one(bench).of("constant")[0].alpha.value == pytest.approx(best)
    assert [row.name for row in one(bench).of("measure")] == ["m1 (best measure)"]
    assert any("best of 3" in note for note in texts(one(bench).notes))


def test_the_best_measure_may_differ_between_the_criteria() -> None:
    """One knows which topics are good, the other which summary of a topic."""
    bench = made_bench(np.random.default_rng(4), topics=30)
    mean, rng = bench.people_mean, np.random.default_rng(4)
    topic = np.repeat(mean.reshape(30, 6).mean(axis=1), 6)
    noise = rng.normal(size=mean.size) * 0.001
    own = one(replace(bench, measures={"topics": topic + noise, "summaries": mean - 3 * topic}))
    assert [row.name for row in own.of("measure")] == [
        "topics (best measure by alpha)",
        "summaries (best measure within topics)",
    ]
    assert [row.decides for row in own.of("measure")] == [("alpha",), ("within",)]


def test_length_counts_in_the_direction_that_agrees_better() -> None:
    bench = made_bench(np.random.default_rng(5), topics=20, length=0.6)
    longer, shorter = one(bench), one(replace(bench, words=-bench.words))
    assert longer.of("length")[0].within.value == pytest.approx(shorter.of("length")[0].within.value)
    assert longer.of("length")[0].alpha.value == pytest.approx(shorter.of("length")[0].alpha.value, abs=0.02)
    assert any("the higher answer to the longer text" in note for note in texts(longer.notes))
    assert any("the higher answer to the shorter text" in note for note in texts(shorter.notes))


def test_where_a_lower_answer_is_better_everything_else_stays() -> None:
    bench = made_bench(np.random.default_rng(6), topics=15)
    turned = replace(bench, answers=6 - bench.answers, judge_answers=6 - bench.judge_answers, better="lower")
    for here, there in zip(one(bench).rows, one(turned).rows, strict=True):
        assert here.within.value == pytest.approx(there.within.value)
        assert here.alpha.value == pytest.approx(there.alpha.value, abs=0.02)


def test_a_weighted_answer_is_put_to_the_nearest_choice_but_keeps_its_order() -> None:
    bench = made_bench(np.random.default_rng(7), topics=10)
    weighted = bench.judge_answers + np.random.default_rng(7).uniform(-0.4, 0.4, bench.judge_answers.size)
    own = one(bench.with_judge("weighted", weighted))
    assert own.rows[0].alpha.value == pytest.approx(one(bench).rows[0].alpha.value)
    assert own.rows[0].within.value != pytest.approx(one(bench).rows[0].within.value)
    assert any("outside people's scale" in note for note in texts(own.notes))


@pytest.mark.parametrize("scale", [lambda x: 20 * x, lambda x: x / 10 - 0.05, lambda x: np.exp(x) + 7])
def test_a_judge_on_another_scale_is_put_on_peoples_as_measures_are(
    scale: Callable[[np.ndarray], np.ndarray],
) -> None:
    bench = made_bench(np.random.default_rng(30), topics=40, judge_error=0.3)
    given = scale(bench.judge_answers)
    own = one(bench.with_judge("bot", given))
    measure = one(replace(bench, measures={"bot's": given})).of("measure")[0]
    for name in ("alpha", "kappa", "ac2", "within"):
        assert getattr(own.rows[0], name).value == getattr(measure, name).value
    assert own.rows[0].alpha.value == pytest.approx(one(bench).rows[0].alpha.value, abs=0.05)
    assert steps(own.verdict) == ("like an assessor", None)
    assert steps(one(bench).verdict) == ("like an assessor", "like an assessor")
    said = (
        f"bot's answers ({given.min():.4g} to {given.max():.4g}) are put on people's scale (1 to 5) by rank"
    )
    assert sum(said in note for note in texts(own.notes)) == 1
    result = found(bench.with_judge("bot", given))
    ends = f"({given.min():.4g} to {given.max():.4g})"
    assert (
        f"level not judged, for its answers {ends} are on another scale than people's (1 to 5)"
        in result.headline()
    )
    assert not any("nearest choice" in note for note in texts(own.notes))
    assert math.isnan(own.verdict.offset.value)


@settings(max_examples=15, deadline=None)
@given(st.floats(-100, 100), st.floats(0.01, 100), st.integers(0, 5), st.sampled_from([0.3, 0.8, 3.0]))
def test_a_linear_change_of_a_judges_scale_changes_no_verdict_on_order(
    shift: float, factor: float, seed: int, error: float
) -> None:
    bench = made_bench(np.random.default_rng(seed), topics=8, judge_error=error)
    few = Judges(resamples=30)
    before, after = (
        one(bench.with_judge("j", answers), few)
        for answers in (bench.judge_answers, shift + factor * bench.judge_answers)
    )
    for criterion in ("within", "rank"):
        assert after.verdict.by(criterion) == before.verdict.by(criterion)
    assert after.verdict.order == before.verdict.order
    if after.verdict.level is not None:
        assert after.verdict.offset.value == pytest.approx(
            (shift + factor * bench.judge_answers - bench.people_mean).mean()
        )


def test_the_level_of_a_column_is_judged_only_where_its_scale_is_evident() -> None:
    bench = replace(made_bench(np.random.default_rng(36), topics=20, judge_error=0.3), apart=True)
    assert one(bench).verdict.level is not None  # choices of people's scale
    assert one(bench.with_judge("wide", bench.judge_answers - 0.3)).verdict.level is not None
    narrow = one(bench.with_judge("narrow", 0.8 + bench.judge_answers / 20))
    assert narrow.verdict.level is None
    assert narrow.verdict.order == one(bench.with_judge("narrow", bench.judge_answers)).verdict.order
    assert one(replace(bench, apart=False).with_judge("timid", 2.8 + bench.judge_answers / 20)).verdict.level


def test_judges_and_people_of_whom_two_gave_the_same_answers_are_named() -> None:
    bench = made_bench(np.random.default_rng(37), topics=30)
    twin = replace(bench, people=("a1", "a2", "a3"), answers=bench.answers[:, [0, 1, 1]])
    said = "a2 and a3 gave the same answer to all 180 things that both judged: they count as two people"
    assert texts(found(twin).for_judge("one more").alike) == [said]
    result = found(bench, bench.with_judge("again", bench.judge_answers))
    assert "one more and again gave the same answer to all 180 things that both judged." in result.headline()
    assert [note.data["names"] for note in result.for_judge("again").alike] == [["one more", "again"]]
    assert not found(bench, bench.with_judge("other", bench.answers[::-1, 0])).alike


def test_a_reversed_judge_on_another_scale_stays_reversed() -> None:
    bench = made_bench(np.random.default_rng(31), topics=30, judge_error=0.3)
    own = one(bench.with_judge("reversed", 120 - 20 * bench.judge_answers))
    assert own.rows[0].alpha.high < 0
    assert steps(own.verdict) == ("reversed", None)
    assert not own.verdict.worthless
    assert "order the reverse of people's; level not judged" in verdict_sentence(own.verdict)


def test_a_harsh_judge_is_not_put_anywhere() -> None:
    bench = made_bench(np.random.default_rng(32), topics=40, judge_error=0.3)
    harsh = np.maximum(bench.judge_answers - 2, 1)
    own = one(bench.with_judge("harsh", harsh))
    pairs = [
        krippendorff(np.stack([harsh, each], axis=1), rng=np.random.default_rng(0), resamples=0)
        for each in bench.answers.T
    ]
    assert own.rows[0].alpha.value == pytest.approx(np.mean([each.value for each in pairs]))
    assert own.rows[0].offset.value == pytest.approx((harsh - bench.people_mean).mean())
    assert not own.remarks


def test_different_answers_that_are_nearest_to_one_choice() -> None:
    """Choices: it is said. Where people's answers are numbers, groups of them mean nothing to such a judge: by rank."""
    bench = made_bench(np.random.default_rng(33), topics=30, judge_error=0.3)
    timid = one(bench.with_judge("timid", 3.8 + bench.judge_answers / 20))
    assert any("are nearest to one choice of people's scale" in note for note in texts(timid.notes))
    assert not timid.remarks
    numbers = 20 * bench.answers + np.random.default_rng(33).uniform(-2, 2, bench.answers.shape)
    wide = replace(bench, answers=numbers, categories=None)
    narrow = one(wide.with_judge("narrow", 30 + bench.judge_answers / 20))
    assert any("by rank" in note for note in texts(narrow.notes))
    assert narrow.rows[0].alpha.value > 0.4


def test_on_one_topic_there_is_nothing_to_learn_ranks_from() -> None:
    bench = made_bench(np.random.default_rng(34), topics=1, systems=12)
    own = one(bench.with_judge("bot", 20 * bench.judge_answers))
    assert not own.remarks
    assert any("12 answers of bot lie outside people's scale" in note for note in texts(own.notes))


def test_answers_at_random_lie_in_their_own_interval() -> None:
    """Shares of all the data would agree worse with every resample than with the data itself."""
    for seed in range(8):
        bench = made_bench(np.random.default_rng(seed), topics=8, people=2)
        row = one(bench).of("random")[0]
        for each in (row.alpha, row.more_alpha):
            assert each.low <= each.value <= each.high
    same = one(bench.with_judge("same", bench.answers[:, 0])).of("random")[0].more_alpha
    assert same.low <= same.value <= same.high


def test_whose_answers_a_judge_gives_is_said() -> None:
    bench = made_bench(np.random.default_rng(35), topics=30)
    own = one(bench.with_judge("copy", bench.answers[:, 1]))
    said = "copy copies a2: the same answer to all 180 things that both judged"
    assert texts(own.notes)[0].startswith(said)
    assert said in found(bench.with_judge("copy", bench.answers[:, 1])).headline()
    nearly = bench.answers[:, 1].copy()
    nearly[0] = 6 - nearly[0] if nearly[0] != 3 else 1
    (note,) = one(bench.with_judge("copy", nearly)).remarks
    assert "the same answer to 179 of 180 things" in texts([note])[0]
    nearly[1:4] = nearly[1:4] % 5 + 1
    assert not one(bench.with_judge("copy", nearly)).remarks
    few = bench.take(np.arange(180) < 29)
    assert not one(few.with_judge("copy", few.answers[:, 1])).remarks
    assert not one(bench).remarks
    # people who give nearly always one answer are alike without copying
    alike = np.where(np.arange(180)[:, None] < 3, bench.answers, 5.0)
    assert not one(replace(bench, answers=alike).with_judge("copy", alike[:, 1])).remarks


def test_pairs_are_agreed_on_or_not() -> None:
    """Answers are 1 where the first wins; the order is that of each pair."""
    rng = np.random.default_rng(8)
    n = 120
    truth = rng.normal(size=n)
    people = (truth[:, None] + 0.7 * rng.normal(size=(n, 3)) > 0).astype(float)
    judge = np.where(rng.random(n) < 0.2, 0.5, (truth + 0.7 * rng.normal(size=n) > 0))
    base = made_bench(rng, topics=20)
    bench = replace(
        base,
        answers=people,
        judge_answers=judge,
        categories=(0.0, 0.5, 1.0),
        pairs=True,
        systems=(None,) * n,
        sides=(("s0", "s1"),) * n,
        words=10 * truth + rng.normal(size=n) * 20,
        measures={"m0": truth + rng.normal(size=n)},
    )
    own = one(bench)
    net = np.sign(people.mean(axis=1) - 0.5) * np.sign(judge - 0.5)
    assert own.rows[0].within.value == pytest.approx(net.reshape(20, 6).mean())
    by_measure = np.sign(people.mean(axis=1) - 0.5) * np.sign(bench.measures["m0"])
    assert own.of("measure")[0].within.value == pytest.approx(by_measure.reshape(20, 6).mean())
    assert own.of("constant")[0].within.value == 0


def test_answers_about_units_are_ordered_by_means_of_systems() -> None:
    rng = np.random.default_rng(9)
    base = made_bench(rng, topics=10, systems=4)
    things = np.repeat(np.arange(40), 5)
    share = (base.people_mean[things] - 1) / 4
    people = (rng.random((200, 3)) < share[:, None]).astype(float)
    bench = replace(
        base.take(np.ones(40, bool)),
        topics=tuple(base.topics[k] for k in things),
        clusters=tuple(base.clusters[k] for k in things),
        systems=tuple(base.systems[k] for k in things),
        sides=(None,) * 200,
        answers=people,
        judge_answers=(rng.random(200) < share).astype(float),
        categories=(0.0, 1.0),
        words=base.words[things],
        measures={name: values[things] for name, values in base.measures.items()},
    )
    mean, judge = (each.reshape(10, 4, 5).mean(axis=2) for each in (people.mean(axis=1), bench.judge_answers))
    expected = []
    for t in range(10):
        pairs = [(a, b) for a in range(4) for b in range(a) if abs(mean[t, a] - mean[t, b]) > 1e-9]
        net = [
            np.sign(mean[t, a] - mean[t, b]) * np.sign(round(judge[t, a] - judge[t, b], 9)) for a, b in pairs
        ]
        expected.append(np.mean(net))
    assert one(bench).rows[0].within.value == pytest.approx(np.mean(expected))


def test_people_who_share_nothing_are_interchangeable() -> None:
    """Sixty people, each of whom judged four summaries, two a summary."""
    rng = np.random.default_rng(10)
    bench = made_bench(rng, topics=20, people=2)
    answers = np.full((120, 60), np.nan)
    for k, who in enumerate(rng.permutation(np.repeat(np.arange(60), 4)).reshape(120, 2)):
        answers[k, who] = bench.answers[k]
    crowd = replace(bench, people=tuple(f"p{k}" for k in range(60)), answers=answers)
    own, before = one(crowd), one(bench)
    assert own.people == ("answer 1", "answer 2")
    assert "count as interchangeable" in texts(own.notes)[0]
    assert own.of("people")[0].alpha.value == pytest.approx(before.of("people")[0].alpha.value, abs=0.1)


def test_answers_on_no_scale_are_grouped() -> None:
    rng = np.random.default_rng(11)
    bench = made_bench(rng, topics=20)
    spread = rng.normal(size=(120, 4)) * 0.3
    own = one(
        replace(
            bench,
            categories=None,
            answers=bench.answers + spread[:, :3],
            judge_answers=bench.judge_answers + spread[:, 3],
        )
    )
    assert any("20 groups" in note for note in texts(own.notes))
    assert own.rows[0].alpha.value == pytest.approx(one(bench).rows[0].alpha.value, abs=0.1)


def test_without_systems_the_order_is_that_of_all_answers_by_rank() -> None:
    bench = made_bench(np.random.default_rng(12), topics=30)
    own = one(replace(bench, systems=(None,) * 180))
    assert [each.criterion for each in own.verdict.criteria] == ["rank", "alpha"]
    assert own.verdict.order is not None
    assert own.verdict.order.criterion == "rank"
    assert "There is no order within topics (answers are not about systems)" in verdict_sentence(own.verdict)
    assert math.isnan(own.rows[0].within.value)


def test_where_people_always_give_one_answer_there_is_no_verdict() -> None:
    bench = made_bench(np.random.default_rng(27), topics=8)
    for scale in (bench.categories, None):
        same = replace(bench, answers=np.full_like(bench.answers, 5.0), categories=scale)
        verdict = one(same).verdict
        assert steps(verdict) == (None, None)
        assert not verdict.worthless
        assert verdict_sentence(verdict) == (
            "one more on relevance: no verdict (there is no order within topics (people order no two summaries of a"
            " topic); there is no alpha (nobody gave more than one answer))."
        )


def test_columns_of_a_table_are_not_compared_with_themselves() -> None:
    bench = made_bench(np.random.default_rng(13), topics=10)
    frame = pd.DataFrame(
        {
            "topic": bench.topics,
            "system": bench.systems,
            "expert": bench.answers[:, 0],
            "gpt": bench.judge_answers,
            "rouge": bench.measures["m0"],
        }
    )
    benches = benches_of(scores_of(frame), ["gpt"], question="expert")
    own = judge_agreement(benches, FEW).aspects[0]
    assert [row.name for row in own.of("measure")] == ["rouge (best measure)"]
    assert own.of("people")[0].why == "people's answers do not say who answered"
    assert "whether below or like a person's is unknown" in verdict_sentence(own.verdict)


def test_beside_one_person_the_yardstick_is_somebody_who_answers_the_same() -> None:
    bench = made_bench(np.random.default_rng(25), topics=20, people=1)
    own = one(bench.with_judge("3", np.full(120, 3.0)))
    assert own.verdict.worthless
    most = 1 - own.of("length")[0].alpha.value
    assert f", somebody answering as people did {most:+.2f} (" in verdict_sentence(own.verdict)
    assert own.of("people")[0].why == "only one person answered"
    rng = np.random.default_rng(26)
    clear = made_bench(rng, topics=40, people=1, error=0.4, judge_error=0.4, length=0.0, measures=(0.2,))
    above = one(clear)
    assert steps(above.verdict) == ("below or like an assessor", "below or like an assessor")
    assert because(above.verdict.criteria[0]) == "order within topics: only one person answered"


# The result


def test_a_result_shows_itself_in_every_form() -> None:
    bench = made_bench(np.random.default_rng(14), topics=12)
    result = found(bench, bench.with_judge("constant", np.full(72, 3.0)))
    again = found(bench, bench.with_judge("constant", np.full(72, 3.0)))
    assert result.to_frame().equals(again.to_frame())
    assert len(result.to_frame()) == sum(len(each.rows) for each in result.aspects)
    stored = json.loads(result.to_json())
    stated = [(each["order"]["step"], each["level"]["step"]) for each in stored["aspects"]]
    assert stated == [steps(each) for each in result.verdicts]
    assert [each["worthless"] for each in stored["aspects"]] == [False, True]
    assert stored["aspects"][0]["level"]["offset"] == result.verdicts[0].offset.value
    assert "constant: worthless on relevance" in result.headline()
    assert found(bench).headline() == verdict_sentence(found(bench).verdicts[0])
    assert len(found(bench).all_tables) == 1
    verdicts, first, _ = result.all_tables
    assert [row[-1] for row in verdicts.rows] == [c.step for v in result.verdicts for c in v.deciding]
    assert verdicts.rows[0][3] == result.aspects[0].rows[0].within.value
    assert verdicts.rows[1][-2] == result.verdicts[0].offset.value
    text = first.to_text()
    assert "people with each other" in text
    assert "difference" in text
    assert "bootstrap:clusters:expanded-percentile:300" in result.signature
    done: list[tuple[int, int]] = []
    judge_agreement(
        JudgeBenches(name="", judges=(), benches=(bench,)), FEW, progress=lambda k, of: done.append((k, of))
    )
    assert done == [(1, 1)]


def test_a_difference_is_that_of_two_numbers_in_its_row() -> None:
    """A reader who subtracts gets what is printed."""
    own = one(made_bench(np.random.default_rng(15), topics=12))
    for row in own.rows[1:]:
        assert row.judge_alpha - row.alpha.value == pytest.approx(row.more_alpha.value)
        assert row.judge_within - row.within.value == pytest.approx(row.more_within.value)


def test_intervals_resample_sets_of_topics() -> None:
    bench = made_bench(np.random.default_rng(16), topics=24)
    sets = tuple(f"set{int(name[1:]) // 3}" for name in bench.topics)
    own = one(replace(bench, clusters=sets))
    assert (own.clusters, own.topics) == (8, 24)
    assert own.rows[0].alpha.value == pytest.approx(one(bench).rows[0].alpha.value)


# The verdict


def interval(value: float, half: float = 0.05) -> DrawnValue:
    return DrawnValue(value, value - half, value + half)


def step(
    floor: Sequence[tuple[float, float]],
    measure: tuple[float, float] | None = (0.3, 0.4),
    assessor: DrawnValue | None = None,
    half: float = 0.05,
    value: DrawnValue | None = None,
) -> str:
    controls = [
        ControlDifference(f"c{k}", interval(judge, half), interval(own, half))
        for k, (judge, own) in enumerate(floor)
    ]
    over = measure and ControlDifference("m", interval(measure[0], half), interval(measure[1], half))
    return criterion_verdict(
        "alpha",
        controls,
        over or None,
        interval(0) if assessor is None else assessor,
        margin=0.1,
        topics="20 topics",
        value=value,
    ).step


def test_every_step() -> None:
    good = [(0.4, 0.5), (0.3, 0.5)]
    no_better = "no better than a control"
    assert step([(0.4, 0.5), (0.0, 0.5)]) == no_better
    assert step([(0.4, 0.5), (-0.2, 0.5)]) == no_better
    assert step([(0.4, 0.5), (0.04, 0.5)]) == no_better  # less than the margin better
    assert step([(0.4, 0.5), (0.1, 0.5)], half=0.2) == "not shown better than a control"  # perhaps better
    assert step([(0.0, 0.02)]) == "not shown better than a control"  # nor is an assessor
    assert step([(-0.2, 0.02)]) == no_better  # worse, whatever an assessor is
    assert step([(-0.3, 0.5)], value=interval(-0.3)) == "reversed"
    assert step([(-0.1, 0.5)], value=interval(-0.1)) == no_better  # hardly the reverse
    assert step(good, (0.0, 0.3)) == "no better than a measure"
    assert step(good, (0.0, 0.02)) == "not shown better than a measure"
    assert step(good, (0.08, 0.3), half=0.09) == "not shown better than a measure"
    assert step(good, assessor=interval(-0.2)) == "below an assessor"
    assert step(good, assessor=interval(-0.1, 0.12)) == "below or like an assessor"
    assert step(good, assessor=interval(-0.04)) == "like an assessor"
    assert step(good, assessor=interval(0.3)) == "like an assessor"
    assert step(good, assessor=interval(-0.04, 0.03)) == "like an assessor"  # below, by less than the margin
    assert step(good, None, interval(-0.2)) == "below an assessor"
    alone = criterion_verdict("alpha", [], None, None, margin=0.1, topics="20 topics")
    assert alone.step == "below or like an assessor"
    assert because(alone) == "alpha: one person alone answered"


def told(order: float, level: float, offset: DrawnValue, rank: float | None = None) -> JudgeVerdict:
    """How far above length the judge is by each criterion; a person is .5 above it."""
    values = {"within": order, "rank": order if rank is None else rank, "alpha": level}
    return JudgeVerdict(
        judge="j",
        aspect="relevance",
        criteria=tuple(
            criterion_verdict(
                criterion,  # type: ignore[arg-type]
                [ControlDifference("length", interval(above), interval(0.5))],
                None,
                interval(above - 0.5),
                margin=0.1,
                topics="9 topics",
            )
            for criterion, above in values.items()
        ),
        offset=offset,
    )


def test_order_and_level_are_told_apart() -> None:
    below = DrawnValue(-1.0, -1.1, -0.9)
    verdict = told(0.5, 0.0, below)
    assert steps(verdict) == ("like an assessor", "no better than a control")
    assert not verdict.worthless
    assert verdict_sentence(verdict) == (
        "j on relevance: order like a person's; level 1.00 below people's (0.90 to 1.10), as it stands no better than"
        " length. Order within topics compared with a person: 0.00 (-0.05 to +0.05), less than 0.1 below; alpha above"
        " length: judge 0.00 (-0.05 to +0.05), a person +0.50 (+0.45 to +0.55)."
    )
    assert (
        "; level not shown to differ from people's (0.00 (-0.05 to +0.05)), as it stands like a person's."
        in (verdict_sentence(told(0.5, 0.5, interval(0))))
    )


def test_worthless_is_who_carries_nothing_by_order_ranks_or_level() -> None:
    nothing = told(0.0, 0.0, interval(0.3))
    assert nothing.worthless
    assert verdict_sentence(nothing).startswith(
        "j on relevance is worthless: neither its order nor its answers as they stand are better than length; level"
        " 0.30 above people's (0.25 to 0.35). Order within topics above length: judge 0.00"
    )
    for more in (
        told(0.2, 0.0, interval(0)),
        told(0.0, 0.2, interval(0)),
        told(0.0, 0.0, interval(0), rank=0.2),
    ):
        assert not more.worthless


def test_what_an_assessor_would_be_shown_is_said_of_each_control() -> None:
    def words(*assessors: float) -> str:
        floor = [
            ControlDifference(name, interval(0.1, 0.2), interval(own))
            for name, own in zip(("length", "chance"), assessors, strict=True)
        ]
        return what_it_is(criterion_verdict("alpha", floor, None, interval(0), margin=0.1, topics="9 topics"))

    assert words(0.5, 0.5) == "not shown to be better than length and chance (a person is)"
    assert words(0.0, 0.0) == "not shown to be better than length and chance (nor is a person)"
    unknown = ControlDifference("length", interval(0.1, 0.2), DrawnValue(math.nan, why="it is undefined"))
    alone = criterion_verdict("alpha", [unknown], None, None, margin=0.1, topics="9 topics")
    assert what_it_is(alone) == (
        "not shown to be better than length (somebody answering as people did: not testable)"
    )
    assert words(0.5, 0.0) == (
        "not shown to be better than length and chance (a person is better than length only)"
    )


def test_printed_ends_are_on_the_side_of_zero_and_of_the_margin_that_they_are_on() -> None:
    assert difference_words(DrawnValue(0.02, 0.0004, 0.05)) == "+0.02 (+0.0004 to +0.05)"
    assert difference_words(DrawnValue(0.0, -0.0996, 0.05), 0.1) == "0.00 (-0.0996 to +0.05)"
    assert difference_words(DrawnValue(0.0, -0.0996, 0.05)) == "0.00 (-0.10 to +0.05)"


@pytest.mark.parametrize("skew", [0.0, 2.5])
def test_constants_are_worthless_with_and_without_skew(skew: float) -> None:
    bench = made_bench(np.random.default_rng(17), topics=25, skew=skew)
    result = found(*(bench.with_judge(f"{c:g}", np.full(150, c)) for c in bench.scale))
    assert [each.worthless for each in result.verdicts] == [True] * 5
    shares = Counter(bench.answers.ravel().tolist())
    assert (shares[5.0] > 0.5 * bench.answers.size) == (skew > 0)


def test_with_three_topics_nothing_is_shown_of_anybody() -> None:
    bench = made_bench(np.random.default_rng(18), topics=3)
    judges = (bench, bench.with_judge("mean", bench.people_mean), bench.with_judge("3", np.full(18, 3.0)))
    for each in found(*judges).verdicts:
        assert steps(each) == ("not shown better than a control",) * 2
        assert not each.worthless
        assert all(what_it_is(decided).endswith(" (not testable)") for decided in each.deciding)
        assert "assessor" not in verdict_sentence(each)
        assert "5 topics or sets of topics are needed, here 3" in verdict_sentence(each)


def test_where_assessors_do_not_agree_nothing_is_worthless() -> None:
    """Of people who answer at random nobody is shown to be better than chance: not the judge, nor an assessor."""
    bench = made_bench(np.random.default_rng(19), topics=20, error=50, length=0, measures=())
    random = np.random.default_rng(20).permutation(bench.answers[:, 0])
    verdict = one(bench.with_judge("random", random)).verdict
    assert steps(verdict) == ("not shown better than a control",) * 2
    assert not verdict.worthless
    assert "(nor is a person)" in verdict_sentence(verdict)


@pytest.mark.parametrize(("error", "step"), [(0.8, "like an assessor"), (1.8, "below an assessor")])
def test_who_errs_as_assessors_do_is_like_one_and_who_errs_more_below(error: float, step: str) -> None:
    bench = made_bench(np.random.default_rng(21), topics=80, measures=(0.1,), length=0.0, judge_error=error)
    assert steps(one(bench).verdict) == (step, step)


def test_a_copy_of_a_measure_is_no_better_than_it() -> None:
    bench = made_bench(np.random.default_rng(23), topics=60, length=0.0, measures=(0.6, 0.3))
    verdict = one(bench.with_judge("copy", copy_of(bench, bench.measures["m0"]))).verdict
    assert steps(verdict) == ("no better than a measure",) * 2
    assert "order no better than m0" in verdict_sentence(verdict)


def rates(topics: int, times: int, resamples: int) -> dict[str, dict[str, float]]:
    """Of judges that know nothing: how often each step is passed, by the order or by the level."""
    passed: dict[str, Counter[str]] = {}
    for seed in range(times):
        rng = np.random.default_rng([seed, topics])
        bench = made_bench(rng, topics=topics, skew=1.5 * (seed % 2))
        noise = rng.normal(size=bench.words.size) * bench.words.std()
        given = {
            "random": rng.choice(bench.answers.ravel(), bench.words.size),
            "length": copy_of(bench, bench.words),
            "noisy length": copy_of(bench, bench.words + 0.3 * noise),
            "measure": copy_of(bench, bench.measures["m0"]),
        }
        result = found(
            *(bench.with_judge(name, own) for name, own in given.items()),
            options=Judges(resamples=resamples, seed=seed),
        )
        for each in result.verdicts:
            own = passed.setdefault(each.judge, Counter())
            for name, step in zip(("order", "level"), steps(each), strict=True):
                assert step is not None
                own[f"{name} controls"] += STEPS.index(step) > STEPS.index("not shown better than a control")
                own[f"{name} measure"] += STEPS.index(step) > STEPS.index("not shown better than a measure")
    return {judge: {name: n / times for name, n in own.items()} for judge, own in passed.items()}


def hold(found: dict[str, dict[str, float]], most: float) -> None:
    for name in ("order", "level"):
        for judge in ("random", "length", "noisy length"):
            assert found[judge][f"{name} controls"] <= most, found
        for own in found.values():
            assert own[f"{name} measure"] <= most, found


def test_judges_that_know_nothing_pass_no_step() -> None:
    """12 of each: with a level of .05 more than 3 passes are as rare as 1 in 450."""
    hold(rates(10, 12, 100), 3 / 12)


@pytest.mark.slow
@pytest.mark.parametrize("topics", [5, 10, 30])
def test_judges_that_know_nothing_pass_a_step_in_at_most_five_percent(topics: int) -> None:
    """.05 and two standard errors of 300 simulations."""
    hold(rates(topics, 300, 400), 0.05 + 2 * math.sqrt(0.05 * 0.95 / 300))


@pytest.mark.slow
@pytest.mark.parametrize("topics", [10, 40])
def test_a_judge_at_the_margin_is_like_an_assessor_in_at_most_five_percent(topics: int) -> None:
    """Errors of 1.25 where assessors' are .8: .12 below one by alpha, .11 within topics (mean of six times 250)."""
    times, like = 200, Counter[str]()
    for seed in range(times):
        rng = np.random.default_rng([seed, topics])
        bench = made_bench(rng, topics=topics, judge_error=1.25, length=0.0, measures=(0.1,))
        verdict = one(bench, Judges(resamples=400, seed=seed)).verdict
        like.update(each.criterion for each in verdict.criteria if each.step == "like an assessor")
    assert max(like.values()) <= times * (0.05 + 2 * math.sqrt(0.05 * 0.95 / times)), like


# Real data


def summeval(shared_data: Path) -> dict[str, AspectBench]:
    """Experts as people, ROUGE-2 (of the first reference, recall) computed on the spot; the judge is still to come."""
    lines = (shared_data / "summeval" / "model_annotations.12systems.jsonl").read_text(encoding="utf-8")
    rows = sorted((json.loads(line) for line in lines.splitlines()), key=lambda row: row["id"])
    n = len(rows)
    found = {}
    for aspect in ("coherence", "consistency", "fluency", "relevance"):
        answers = np.array([[each[aspect] for each in row["expert_annotations"]] for row in rows], float)
        found[aspect] = AspectBench(
            judge="",
            aspect=aspect,
            source=None,
            topics=tuple(row["id"] for row in rows),
            clusters=tuple(row["id"] for row in rows),
            systems=tuple(row["model_id"] for row in rows),
            sides=(None,) * n,
            people=("expert-1", "expert-2", "expert-3"),
            answers=answers,
            judge_answers=np.full(n, np.nan),
            categories=(1.0, 2.0, 3.0, 4.0, 5.0),
            words=np.array([len(row["decoded"].split()) for row in rows], float),
            measures={
                "ROUGE-2": np.array([bigram_recall(row["decoded"], row["references"]) for row in rows])
            },
        )
    return found


def bigram_recall(text: str, references: list[str]) -> float:
    def bigrams(words: list[str]) -> Counter[tuple[str, str]]:
        return Counter(pairwise(words))

    own, shares = bigrams(text.lower().split()), []
    for reference in references:
        theirs = bigrams(reference.lower().split())
        shares.append((own & theirs).total() / max(theirs.total(), 1))
    return float(np.mean(shares))


@pytest.mark.shared_data
def test_summevals_constants_are_worthless_and_its_experts_are_assessors(shared_data: Path) -> None:
    """AC2 of a constant 5 on consistency is .90 and passes the alternative-annotator test; it says nothing."""
    benches = summeval(shared_data)
    consistency, relevance = benches["consistency"], benches["relevance"]
    n = len(relevance.topics)
    constants = found(
        consistency.with_judge("5", np.full(n, 5.0)), relevance.with_judge("4", np.full(n, 4.0))
    )
    assert [each.worthless for each in constants.verdicts] == [True, True]
    assert constants.aspects[0].rows[0].ac2.value > 0.85
    for bench in benches.values():
        expert = replace(
            bench,
            judge="expert-1",
            judge_answers=bench.answers[:, 0],
            answers=bench.answers[:, 1:],
            people=("expert-2", "expert-3"),
        )
        own = one(expert)
        together = own.of("people")[0]
        lows = [together.more_alpha.low, together.more_within.low]
        for step, low in zip(steps(own.verdict), reversed(lows), strict=True):
            assert step is not None
            assert (step == "like an assessor") == (low > -0.1)
            assert step in STEPS[STEPS.index("below an assessor") :]


@pytest.mark.shared_data
def test_rouge_2_as_a_judge_of_summeval_is_no_better_than_itself(shared_data: Path) -> None:
    bench = summeval(shared_data)["relevance"]
    footing = Footing.of(bench.with_judge("all", bench.answers[:, 0]))
    codes = mapped_codes(bench.measures["ROUGE-2"], footing.people, footing.cluster, footing.scale.size)
    own = one(bench.with_judge("ROUGE-2 as judge", footing.scale[codes]))
    by = {each.criterion: each for each in own.verdict.criteria}
    assert what_it_is(by["within"]) == "no better than ROUGE-2"
    assert own.of("measure")[0].more_alpha.value == pytest.approx(0)
    assert {*steps(own.verdict)} <= {"no better than a measure", "not shown better than a control"}


def test_controls_need_no_more_than_one_topic_to_say_so() -> None:
    bench = made_bench(np.random.default_rng(24), topics=1)
    kinds = {each.kind: each.why for each in controls_of(Footing.of(bench))}
    assert kinds["constant"] is None
    assert kinds["random"] is None
    assert kinds["length"] == "there are no other topics to learn people's scale from"
    assert steps(one(bench).verdict) == ("not shown better than a control",) * 2
