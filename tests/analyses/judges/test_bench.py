"""A judge's answers beside people's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.analyses.judges.bench import POOLED, benches_of
from adjudge.analyses.scores import scores_of
from adjudge.core.errors import DataError, UsageError
from adjudge.demo.build import build
from adjudge.evaluation import Evaluation
from adjudge.judgments.tasks import Event, Origin, Task, stable_id


def frame(**people: list[float]) -> pd.DataFrame:
    """Two topics by two systems, rated by whoever is named."""
    rows = [
        (t, s, who, values[2 * k + j])
        for who, values in people.items()
        for k, t in enumerate("xy")
        for j, s in enumerate("ab")
    ]
    return pd.DataFrame(rows, columns=["topic", "system", "assessor", "value"]).assign(measure="fluency")


def answer(
    e: Evaluation, name: str, protocol: str, give: object, origin: Origin = "language-model"
) -> list[Task]:
    """A judge that gives every question of the first assessor's tasks what `give` says."""
    asked = e.protocol(protocol)
    with e.store() as store:
        there = store.tasks(protocol=protocol)
        first = [task for task in there if task.assessor == there[0].assessor]
        tasks = [replace(t, id=stable_id(name, t.id), assessor=name) for t in first]
        store.add_tasks(tasks)
        questions = [q.id for q in asked.questions] or ["preference"]
        store.append(
            [
                Event(
                    id=stable_id(name, task.id, question),
                    evaluation=task.evaluation,
                    task=task.id,
                    assessor=name,
                    question=question,
                    answer=give,
                    origin=origin,
                )
                for task in tasks
                for question in questions
            ]
        )
    return tasks


def test_a_table_whose_rows_name_the_judge() -> None:
    scores = scores_of(frame(ann=[1, 2, 3, 4], bob=[2, 2, 3, 5], gpt=[5, 4, 3, 2]))
    (bench,) = benches_of(scores, "gpt").benches
    assert bench.people == ("ann", "bob")
    assert bench.answers.tolist() == [[1, 2], [2, 2], [3, 3], [4, 5]]
    assert bench.judge_answers.tolist() == [5, 4, 3, 2]
    assert (bench.topics, bench.systems) == (("x", "x", "y", "y"), ("a", "b", "a", "b"))
    assert bench.judged.all()
    assert bench.scale == (1, 2, 3, 4, 5)
    cells = bench.cells()
    assert cells is not None
    assert cells.judge.tolist() == [[5, 4], [3, 2]]
    assert cells.people_mean.tolist() == [[1.5, 2], [3, 4.5]]


def test_another_judge_is_no_person() -> None:
    scores = scores_of(frame(ann=[1, 2, 3, 4], gpt=[5, 4, 3, 2], llama=[1, 1, 1, 1]))
    found = benches_of(scores, ["gpt", "llama"])
    assert [(each.judge, each.people) for each in found.benches] == [("gpt", ("ann",)), ("llama", ("ann",))]
    assert benches_of(scores, "gpt").benches[0].people == ("ann", "llama")


def test_what_is_missing_stays_missing() -> None:
    rows = frame(ann=[1, 2, 3, 4], bob=[2, 2, 3, 5], gpt=[5, 4, 3, 2]).drop(index=[1, 8])
    (bench,) = benches_of(scores_of(rows), "gpt").benches
    assert bench.judged.tolist() == [False, True, True, True]
    assert np.isnan(bench.answers[1, 0])
    assert np.isnan(bench.judge_answers[0])
    assert bench.people_mean.tolist() == [1.5, 2, 3, 4.5]


def test_people_are_left_out() -> None:
    scores = scores_of(frame(ann=[1, 2, 3, 4], bob=[2, 2, 3, 5], gpt=[5, 4, 3, 2]))
    assert benches_of(scores, "gpt", without="ann").benches[0].people == ("bob",)
    with pytest.raises(UsageError, match="gpt cannot be both a judge and left out"):
        benches_of(scores, "gpt", without="gpt")
    with pytest.raises(UsageError, match='no answers by "anna"'):
        benches_of(scores, "gpt", without="anna")


def test_a_column_of_its_own_beside_people() -> None:
    rows = frame(ann=[1, 2, 3, 4], bob=[2, 2, 3, 5])
    other = frame(gpt=[5, 4, 3, 2]).assign(assessor=None, measure="gpt")
    (bench,) = benches_of(scores_of(pd.concat([rows, other])), "gpt").benches
    assert (bench.aspect, bench.people) == ("fluency", ("ann", "bob"))
    assert bench.judge_answers.tolist() == [5, 4, 3, 2]


def test_a_column_beside_means_of_people() -> None:
    wide = pd.DataFrame(
        {"topic": list("xxyy"), "system": list("abab"), "human": [1, 2, 3, 4], "gpt": [5, 4, 3, 2]}
    )
    (bench,) = benches_of(scores_of(wide), "gpt").benches
    assert (bench.aspect, bench.people, bench.named) == ("human", (POOLED,), False)
    assert bench.judge_answers.tolist() == [5, 4, 3, 2]


def test_who_is_not_there() -> None:
    scores = scores_of(frame(ann=[1, 2, 3, 4], gpt=[5, 4, 3, 2]))
    with pytest.raises(UsageError, match='no answers by "gtp"'):
        benches_of(scores, "gtp")
    with pytest.raises(UsageError, match="no judge is named"):
        benches_of(scores, [])
    with pytest.raises(DataError, match="nothing that gpt answered was also answered by people: have some"):
        benches_of(scores_of(frame(gpt=[5, 4, 3, 2])), "gpt")


def test_a_question_by_name() -> None:
    scores = scores_of(
        pd.concat(
            [
                frame(ann=[1, 2, 3, 4], gpt=[5, 4, 3, 2]),
                frame(ann=[1, 2, 3, 4], gpt=[5, 4, 3, 2]).assign(measure="content"),
            ]
        )
    )
    assert [each.aspect for each in benches_of(scores, "gpt").benches] == ["fluency", "content"]
    assert [each.aspect for each in benches_of(scores, "gpt", question="content").benches] == ["content"]
    with pytest.raises(UsageError, match='no judge answered "contents"'):
        benches_of(scores, "gpt", question="contents")


def test_values_between_the_choices() -> None:
    (bench,) = benches_of(scores_of(frame(ann=[1, 2, 3, 4], gpt=[4.4, 3.6, 1.2, 2.0])), "gpt").benches
    assert bench.on_scale(bench.judge_answers).tolist() == [4, 4, 1, 2]
    assert np.isnan(bench.on_scale(np.array([np.nan]))).all()


def test_ratings_of_a_folder(tmp_path: Path) -> None:
    build(tmp_path / "demo")
    e = adjudge.open(tmp_path / "demo")
    e.simulate_judgments("rating", assessors=2, seed=1)
    answer(e, "program", "rating", {"value": 4, "weighted": 3.5})
    e.score("rouge-1")
    found = benches_of(e.scores(), "program")
    assert [each.aspect for each in found.benches] == [q.label for q in e.protocol("rating").questions]
    bench = found.benches[0]
    assert bench.people == ("simulated-1", "simulated-2")
    assert set(bench.judge_answers) == {3.5}
    assert bench.scale == (1, 2, 3, 4, 5)
    assert not np.isnan(bench.words).any()
    (title,) = bench.measures
    assert title == "ROUGE-1"
    summary = next(s for s in e.collection.peers(bench.topics[0]) if s.system == bench.systems[0])
    assert bench.words[0] == len(summary.text.split())
    assert bench.kinds["greedy-best"] == "baseline"


def test_pairs_in_both_orders_are_one_answer(tmp_path: Path) -> None:
    build(tmp_path / "demo")
    e = adjudge.open(tmp_path / "demo")
    e.simulate_judgments("preference-summaries", assessors=2, seed=1)
    tasks = answer(e, "program", "preference-summaries", {"winner": "left"})
    with e.store() as store:
        swapped = [
            replace(
                t,
                id=stable_id("swap", t.id),
                left=t.right,
                right=t.left,
                repeat_of=t.id,
                hashes={"left": t.hashes["right"], "right": t.hashes["left"]},
            )
            for t in tasks
        ]
        store.add_tasks(swapped)
        store.append(
            [
                Event(
                    id=stable_id("swap", t.id),
                    evaluation=t.evaluation,
                    task=t.id,
                    assessor="program",
                    question="preference",
                    answer={"winner": "left"},
                    origin="language-model",
                )
                for t in swapped
            ]
        )
    (bench,) = benches_of(e.scores(), "program").benches
    assert bench.pairs
    assert set(bench.judge_answers[bench.judged]) == {0.5}
    assert all(sides is not None and sides[0] < sides[1] for sides in bench.sides)
    cells = bench.cells()
    assert cells is not None
    assert set(cells.judge[~np.isnan(cells.judge)]) == {0.5}


def test_several_columns_need_to_be_told_which_is_peoples() -> None:
    wide = pd.DataFrame(
        {
            "topic": list("xxyy"),
            "system": list("abab"),
            "human": [1, 2, 3, 4],
            "gpt": [5, 4, 3, 2],
            "rouge": [0.1, 0.2, 0.3, 0.4],
        }
    )
    with pytest.raises(
        UsageError, match="name the column that is people's as the question; there are: human and rouge"
    ):
        benches_of(scores_of(wide), "gpt")
    (bench,) = benches_of(scores_of(wide), "gpt", question="human").benches
    assert (bench.aspect, list(bench.measures)) == ("human", ["rouge"])
    with pytest.raises(UsageError, match='no column "humans"'):
        benches_of(scores_of(wide), "gpt", question="humans")


def test_a_column_alone_has_nobody_beside_it() -> None:
    wide = pd.DataFrame({"topic": list("xxyy"), "system": list("abab"), "gpt": [5, 4, 3, 2]})
    with pytest.raises(DataError, match="no column beside gpt that could be people's"):
        benches_of(scores_of(wide), "gpt")
