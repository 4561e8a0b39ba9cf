"""Drift of a judge: what changed is found, what did not is not, and every sentence follows from its numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import adjudge
from adjudge.analyses.drift import judge_drift
from adjudge.analyses.gathered import gathered_in
from adjudge.analyses.judges import judge_report
from adjudge.analyses.judges.words.agreement import ONE_ANSWER
from adjudge.analyses.stability.repeats import self_agreement
from adjudge.assessors.cards import JudgeCard, write_card
from adjudge.cli.analysis import command_of
from adjudge.core.errors import DataError, UsageError
from adjudge.data.rows import Document, Row, Summary, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.tasks import Event, stable_id
from adjudge.stats.multiple import holm

SYSTEMS = 5


def rated(
    seed: int = 1,
    *,
    topics: int = 30,
    shifts: Mapping[int, float] | None = None,
    noise: float = 0.5,
    new_noise: float | None = None,
    people: int = 2,
    repeats: int = 0,
) -> pd.DataFrame:
    """Two versions of a judge, the second with shifts of some systems; ratings of 1 to 5."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, ...]] = []
    shifts = shifts or {}

    def rate(value: float) -> float:
        return float(np.clip(round(value), 1, 5))

    for topic in range(topics):
        for system in range(SYSTEMS):
            truth = 2.2 + 0.3 * system + rng.normal(0, 0.6)
            at = (f"t{topic}", f"s{system}")
            rows.append((*at, "old", 0, rate(truth + rng.normal(0, noise))))
            late = noise if new_noise is None else new_noise
            rows.append((*at, "new", 0, rate(truth + shifts.get(system, 0) + rng.normal(0, late))))
            if topic < repeats:
                rows.append((*at, "old", 1, rate(truth + rng.normal(0, noise))))
            rows += [(*at, f"a{k}", 0, rate(truth + rng.normal(0, 0.5))) for k in range(people)]
    frame = pd.DataFrame(rows, columns=["topic", "system", "assessor", "repeat", "value"])
    return frame.assign(measure="fluency")


def test_a_shift_of_one_system_is_found() -> None:
    result = judge_drift(rated(topics=60, shifts={2: 0.5}, noise=0.3), "old", "new")
    (q,) = result.questions
    assert "systems" in q.changed(0.05)
    assert q.systems["s2"].low < 0.5 < q.systems["s2"].high
    assert [name for name, shift in q.systems.items() if shift.low > 0 or shift.high < 0] == ["s2"]
    assert "the shift depends on the system" in result.headline()


def test_a_shift_of_all_is_found() -> None:
    result = judge_drift(rated(shifts=dict.fromkeys(range(SYSTEMS), 0.5)), "old", "new")
    (q,) = result.questions
    assert "shift" in q.changed(0.05)
    assert "systems" not in q.changed(0.05)
    shift = q.tests["shift"]
    assert shift.low < 0.5 < shift.high
    assert shift.new - shift.old == pytest.approx(shift.size)
    assert result.headline().startswith(f"From old to new: it became milder by {shift.size:.2f}")
    back = judge_drift(rated(shifts=dict.fromkeys(range(SYSTEMS), 0.5)), "new", "old")
    assert back.headline().startswith(f"From new to old: it became stricter by {shift.size:.2f}")


def test_worse_agreement_with_people_is_found() -> None:
    result = judge_drift(rated(new_noise=1.5, topics=60), "old", "new")
    (q,) = result.questions
    assert "people" in q.changed(0.05)
    assert "agreement with people fell" in result.headline()
    assert q.bench.people == ("a0", "a1")


def test_where_lower_is_better_higher_answers_are_stricter() -> None:
    from adjudge.analyses.scores import read_scores
    from adjudge.formats.scoretable import TableOptions

    data = read_scores(rated(shifts=dict.fromkeys(range(SYSTEMS), 0.5)), TableOptions(lower_is_better=True))
    assert "it became stricter" in judge_drift(data, "old", "new").headline()


def test_what_is_the_same_is_said_to_be() -> None:
    frame = rated()
    old = frame[frame.assessor == "old"]
    result = judge_drift(
        pd.concat([frame[frame.assessor != "new"], old.assign(assessor="new")]), "old", "new"
    )
    assert result.headline() == "new gave the same answers as old throughout."
    tests = result.questions[0].tests
    assert [name for name, test in tests.items() if test.p == 1] == ["shift", "people", "systems"]


def test_many_questions_do_not_hide_a_change() -> None:
    """A shift of one of twenty questions, which are 40 tests."""
    still = rated(people=0, noise=0)
    questions = [still.assign(measure=f"q{k}") for k in range(19)]
    moved = rated(people=0, noise=0.2, shifts=dict.fromkeys(range(SYSTEMS), 1.0)).assign(measure="q19")
    result = judge_drift(pd.concat([*questions, moved]), "old", "new", resamples=100)
    assert [q.question for q in result.questions if q.changed(0.05)] == ["q19"]


def test_few_topics_could_show_nothing() -> None:
    result = judge_drift(rated(topics=4, shifts=dict.fromkeys(range(SYSTEMS), 1.0)), "old", "new")
    assert result.headline() == "4 topics are too few to find a change from old to new."


def flagged(times: int, seed: int, **more: Any) -> int:
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(times):
        frame = rated(int(rng.integers(1 << 30)), topics=12, **more)
        found += bool(judge_drift(frame, "old", "new", resamples=100).questions[0].changed(0.05))
    return found


def test_no_change_is_seldom_flagged() -> None:
    """Of 25 evaluations in which nothing changed: at 5 %, more than 5 of them come about once in 200 times."""
    assert flagged(25, 3) <= 5


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [0, 6])
def test_no_change_is_flagged_at_most_at_the_level(repeats: int) -> None:
    """Of 600; 5 % are 30, and more than 44 come once in 200 times."""
    assert flagged(600, 4, repeats=repeats) <= 44


# Repeats


def test_repeats_are_the_yardstick() -> None:
    result = judge_drift(rated(repeats=30), "old", "new")
    (q,) = result.questions
    same = q.tests["same"]
    assert q.bench.again == (round(same.old * 150), 150)
    assert "same" not in q.changed(0.05)
    assert (
        f"old repeats {100 * same.old:.0f} % of 150 answers when asked twice" in list(result.sentences())[1]
    )
    assert not any("repeats its own answers" in note for note in result.warnings())
    noisy = judge_drift(rated(repeats=30, new_noise=1.5), "old", "new")
    assert "same" in noisy.questions[0].changed(0.05)
    assert "answers differ more often than when old is asked twice" in noisy.headline()
    assert any("repeats its own answers" in note for note in judge_drift(rated(), "old", "new").warnings())


# Sources


def test_people_are_optional() -> None:
    result = judge_drift(rated(people=0, shifts={2: 1.0}, topics=40), "old", "new")
    (q,) = result.questions
    assert q.tests["people"].why == "nobody else answered on the same things"
    frame = rated()
    alike = frame.assign(value=frame["value"].where(frame.assessor.isin(["old", "new"]), 3))
    assert judge_drift(alike, "old", "new").questions[0].tests["people"].why == ONE_ANSWER
    assert "systems" in q.changed(0.05)


def test_two_columns_are_two_versions() -> None:
    frame = rated(people=0)
    wide = frame.pivot(index=["topic", "system"], columns="assessor", values="value").reset_index()
    long = wide.melt(["topic", "system"], var_name="measure", value_name="value")
    one, other = judge_drift(long, "old", "new"), judge_drift(frame, "old", "new")
    for name, test in other.questions[0].tests.items():
        assert astuple(one.questions[0].tests[name]) == pytest.approx(astuple(test), nan_ok=True)


def test_a_file_gives_the_same(tmp_path: Path) -> None:
    frame = rated()
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    one, other = judge_drift(tmp_path / "ratings.csv", "old", "new"), judge_drift(frame, "old", "new")
    assert one.as_dict()["tables"] == other.as_dict()["tables"]


def test_only_what_both_answered_counts() -> None:
    frame = rated()
    gone = (frame.assessor == "new") & frame.topic.isin(["t1", "t2"])
    result = judge_drift(frame[~gone], "old", "new")
    assert len(result.questions[0].bench.topics) == 28 * SYSTEMS
    assert "fluency: 10 things left out, which only one version answered" in result.warnings()
    alone = frame[(frame.assessor != "new") | (frame.topic == "none")]
    other = frame[frame.assessor == "new"].assign(measure="coherence")
    with pytest.raises(DataError, match="nothing that new answered was also answered by old"):
        judge_drift(pd.concat([alone, other]), "old", "new")


def test_mistakes() -> None:
    frame = rated()
    with pytest.raises(UsageError, match="both are"):
        judge_drift(frame, "old", "old")
    with pytest.raises(UsageError, match='no answers by "olt"'):
        judge_drift(frame, "olt", "new")
    with pytest.raises(UsageError, match="no judge answered"):
        judge_drift(frame, "old", "new", question="fluent")
    with pytest.raises(UsageError, match="both a judge and left out"):
        judge_drift(frame, "old", "new", without="new")
    assert judge_drift(frame, "old", "new", without="a0").questions[0].bench.people == ("a1",)


@pytest.fixture
def judged(make: Callable[..., Evaluation]) -> Evaluation:
    """Eight topics, rated by four simulated assessors with repeats, who also choose between summaries."""
    texts = ("The storm began on Monday.", "It was a long storm, and it ended.", "Nothing happened here.")
    rows: list[Row] = []
    for k in range(8):
        rows += [Topic(f"t{k}"), Document(f"t{k}", "d1", " ".join(texts[:2]), "2024-01-01")]
        rows += [Summary(f"t{k}", f"s{j}", text, 10) for j, text in enumerate(texts)]
        rows.append(Summary(f"t{k}", "ann", texts[0], 10, ("reference",)))
    e = make(*rows)
    e.units()
    e.simulate_judgments("rating", assessors=4, noise=0.2, repeats=0.5, seed=5)
    e.simulate_judgments("preference-summaries", assessors=3, noise=0.2, seed=5)
    e.simulate_judgments("duc-2002", assessors=2, noise=0.2, repeats=0.5, seed=5)
    return e


def test_of_a_folder(judged: Evaluation) -> None:
    result = judged.judge_drift("simulated-1", "simulated-2", resamples=200)
    by = {q.question: q for q in result.questions}
    ratings = [q for q in result.questions if q.bench.source == "rating"]
    assert ratings
    assert all(len(q.bench.people) >= 2 for q in ratings)
    repeats = {
        row.question: (row.same, row.answers)
        for row in self_agreement(gathered_in(judged.folder))
        if row.assessor == "simulated-1" and row.part == "all"
    }
    assert repeats["completeness"][1] > 0
    for q in (*ratings, by["completeness"]):
        assert q.bench.again == repeats[q.question]
    pairs = by["preference"]
    assert pairs.bench.again == (0, 0)
    assert list(pairs.tests) == ["same", "people", "systems", "ranking"]
    assert sum(shift.size for shift in pairs.systems.values()) == pytest.approx(0)
    assert "no card of simulated-1 and simulated-2" in list(result.sentences())[-1]
    assert adjudge.judge_drift(judged.path, "simulated-1", "simulated-2", resamples=200).as_dict() == (
        result.as_dict()
    )


def test_language_models_are_compared_with_people_and_each_other(judged: Evaluation) -> None:
    """Their answers are kept apart from people's; here they are the first assessor's, the later one's a step higher."""
    with judged.store() as store:
        first = [task for task in store.tasks(protocol="rating") if task.assessor == "simulated-1"]
        first = [task for task in first if task.repeat_of is None]
        given = {each.task.id: each.answers for each in store.current(assessor="simulated-1")}
        for name, step in (("may", 0), ("june", 1)):
            tasks = {task.id: replace(task, id=stable_id(name, task.id), assessor=name) for task in first}
            store.add_tasks(list(tasks.values()))
            store.append(
                [
                    Event(
                        id=stable_id(name, task.id, question),
                        evaluation=task.evaluation,
                        task=task.id,
                        assessor=name,
                        question=question,
                        answer={"value": min(event.answer["value"] + step, 5)},
                        origin="language-model",
                    )
                    for before, task in tasks.items()
                    for question, event in given[before].items()
                ]
            )
    result = judge_drift(judged, "may", "june")
    assert {q.bench.source for q in result.questions} == {"rating"}
    for q in result.questions:
        assert 0 < q.tests["shift"].size <= 1
        assert len(q.bench.people) == 4
    assert result.headline().startswith("8 topics are too few")  # for so many tests
    one = judge_drift(judged, "may", "june", question="relevance")
    assert one.headline().startswith("From may to june: it became milder by")
    alone = judge_drift(judged, "may", "simulated-1", question="fluency")
    assert alone.headline() == "simulated-1 gave the same answers as may throughout."
    assert len(alone.questions[0].bench.people) == 3  # june is no assessor
    with pytest.raises(UsageError, match="june"):
        judge_drift(judged, "may", "jun")


def test_cards_field_by_field(judged: Evaluation) -> None:
    card = JudgeCard(
        name="simulated-1",
        kind="language-model",
        protocol="rating",
        model="small",
        settings={"temperature": 0.0, "template": "Rate {text}.", "missing": {"a": 1}, "seed": 0},
        asked=10,
    )
    write_card(judged.folder, card)
    assert "no card of simulated-2" in list(judge_drift(judged, "simulated-1", "simulated-2").sentences())[-1]
    settings = dict(card.settings) | {"temperature": 0.7, "template": "R" * 99, "missing": {}}
    write_card(judged.folder, replace(card, name="simulated-2", model="large", settings=settings, asked=99))
    result = judge_drift(judged, "simulated-1", "simulated-2", question="fluency")
    assert {name: (old, new) for _, name, old, new in result.cards} == {
        "model": ("small", "large"),
        "temperature": ("0.0", "0.7"),
        "template": ("Rate {text}.", "R" * 60 + "..."),
    }
    assert list(result.sentences())[-1] == "Their cards differ in model, temperature and template."
    assert "drift-cards" in [table.name for table in result.all_tables]
    write_card(judged.folder, replace(card, name="simulated-2", asked=99))
    assert "agree in model" in list(judge_drift(judged, "simulated-1", "simulated-2").sentences())[-1]


# Rankings


def test_pairs_that_changed() -> None:
    result = judge_drift(rated(topics=60, shifts={0: 2.0}), "old", "new")
    (q,) = result.questions
    frame = rated(topics=60, shifts={0: 2.0})
    means = frame[frame["repeat"] == 0].pivot_table(index="system", columns="assessor", values="value")
    from scipy.stats import kendalltau

    assert q.tests["ranking"].size == pytest.approx(kendalltau(means.old, means.new).statistic)
    expected = {
        frozenset((a, b))
        for a in means.index
        for b in means.index
        if (means.old[a] - means.old[b]) * (means.new[a] - means.new[b]) < 0
    }
    assert {frozenset(pair) for pair in q.turned} == expected
    assert expected


# What is shown


def test_sentences_follow_from_the_numbers() -> None:
    result = judge_drift(rated(), "old", "new")
    (q,) = result.questions
    tests = result.table().records()
    for row, (name, test) in zip(tests, q.tests.items(), strict=True):
        assert row["changed"] in (None, name in q.changed(0.05))
        assert (row["size"], row["p"]) == pytest.approx((test.size, test.p), nan_ok=True)
    same = q.tests["same"].size
    assert list(result.sentences())[1] == f"fluency: same answer to {100 * same:.0f} % of 150 things."
    assert result.headline() == "No significant change from old to new."
    p = [test.p for test in q.tests.values()]
    assert [test.p_adjusted for test in q.tests.values()] == pytest.approx(holm(p), nan_ok=True)
    data = json.loads(result.to_json())
    assert data["tables"]["drift"][1]["p_adjusted"] == q.tests["shift"].p_adjusted
    assert "No significant change" in repr(result)


def test_the_same_seed_gives_the_same() -> None:
    assert judge_drift(rated(), "old", "new").as_dict() == judge_drift(rated(), "old", "new").as_dict()


def test_the_command(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command("drift")(command_of("judge_drift"))
    file = tmp_path / "ratings.csv"
    rated().to_csv(file, index=False)
    result = judge_drift(file, "old", "new")

    def run(*more: str) -> str:
        found = CliRunner().invoke(app, [str(file), "old", "new", *more], catch_exceptions=False)
        assert found.exit_code == 0, found.output
        return found.stdout

    said = run()
    assert result.headline() in said.replace("\n", " ")
    assert "The shift of every system" in said
    (data,) = json.loads(run("--json"))
    assert data["tables"] == json.loads(result.to_json())["tables"]
    assert run("--csv", "-").startswith("source,aspect,things,test,old,new")
    assert run("--csv", "-", "--table", "drift-systems").count("\n") == 1 + SYSTEMS
    assert r"\toprule" in run("--latex")
    assert "| fluency |" in run("--markdown")
    again = CliRunner().invoke(
        app, [str(file), "--signature", result.signature, "--json"], catch_exceptions=False
    )
    assert json.loads(again.stdout) == [data]
    with pytest.raises(UsageError, match="two versions of a judge"):
        CliRunner().invoke(app, [str(file), "old"], catch_exceptions=False)


def test_versions_on_another_scale_are_put_on_peoples_together() -> None:
    """By rank among both, so that a shift is still one; else alpha would be of answers that never meet."""
    frame = rated(topics=60, shifts=dict.fromkeys(range(SYSTEMS), 1.5), noise=0.2)
    wide = frame.assign(value=np.where(frame.assessor.isin(["old", "new"]), 20, 1) * frame.value)
    one, other = (judge_drift(each, "old", "new").questions[0] for each in (frame, wide))
    other_people = other.tests["people"]
    assert other_people.old > 0.2
    assert other_people.new > 0.2
    assert [(note.code, note.data["answers"], note.data["scale"]) for note in other.notes] == [
        ("put-on-scale", (20, 100), (1, 5))
    ]
    assert not one.notes
    turned = judge_drift(wide, "new", "old").questions[0]
    assert turned.tests["people"].size == pytest.approx(-other_people.size)
    # without a shift, alpha of each is about what it is on people's own scale
    frame = rated(topics=60)
    wide = frame.assign(value=np.where(frame.assessor.isin(["old", "new"]), 20, 1) * frame.value)
    one, other = (judge_drift(each, "old", "new").questions[0] for each in (frame, wide))
    for version in ("old", "new"):
        alphas = [getattr(q.tests["people"], version) for q in (one, other)]
        assert alphas[0] == pytest.approx(alphas[1], abs=0.05)


def test_agreement_is_that_of_a_dossier() -> None:
    frame = rated()
    people = judge_drift(frame, "old", "new").questions[0].tests["people"]
    frame = frame[frame["repeat"] == 0]
    for version, other in (("old", "new"), ("new", "old")):
        report = judge_report(frame[frame.assessor != other], version, parts="agreement", resamples=2)
        assert getattr(people, version) == report[0]["agreement"].aspects[0].of("judge")[0].alpha.value
