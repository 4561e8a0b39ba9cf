"""Programs that judge are apart from people: no score mixes them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.running import called

import adjudge
from adjudge.analyses.judged.overview import overview
from adjudge.assessors.cards import JudgeCard, read_cards, write_card
from adjudge.core.errors import DataError, UsageError
from adjudge.demo.build import build
from adjudge.evaluation import Evaluation
from adjudge.judgments.tasks import Event, stable_id
from adjudge.measures.registry import parse_measure
from adjudge.measures.spec import judge_of

PEOPLE, PROGRAM = "rating(aspect=coherence)", "rating(aspect=coherence, by=program)"


@pytest.fixture
def judged(once: Callable[[str, Callable[[Path], object]], Path], tmp_path: Path) -> Evaluation:
    """The demo, rated by two simulated assessors, and by a program that gives everything the highest value."""
    shutil.copytree(once("judges-apart", fill) / "demo", tmp_path / "demo")
    return adjudge.open(tmp_path / "demo")


def fill(folder: Path) -> None:
    build(folder / "demo")
    e = adjudge.open(folder / "demo")
    e.simulate_judgments("rating", assessors=2, seed=1)
    protocol = e.protocol("rating")
    with e.store() as store:
        first = [task for task in store.tasks(protocol="rating") if task.assessor == "simulated-1"]
        tasks = [replace(t, id=stable_id("test", t.id), assessor="program") for t in first]
        store.add_tasks(tasks)
        store.append(
            [
                Event(
                    id=stable_id("test", task.id, question.id),
                    evaluation=task.evaluation,
                    task=task.id,
                    assessor="program",
                    question=question.id,
                    answer={"value": 5},
                    origin="language-model",
                )
                for task in tasks
                for question in protocol.questions
            ]
        )


def test_people_alone_count_unless_a_judge_is_named(judged: Evaluation) -> None:
    judged.score(PEOPLE, PROGRAM)
    scores = judged.scores()
    assert scores.assessors(PEOPLE) == ("simulated-1", "simulated-2")
    assert scores.assessors(PROGRAM) == ("program",)
    assert set(scores.of(PROGRAM)["value"]) == {5.0}


def test_both_say_so(judged: Evaluation) -> None:
    judged.score(PEOPLE, PROGRAM)
    scores = judged.scores()
    said = "count only in measures that name it (by=program)"
    assert any(said in note for note in scores.notes(PEOPLE))
    assert not any(said in note for note in scores.notes(PROGRAM))
    assert any("program is a program; adjudge judge report says" in note for note in scores.notes(PROGRAM))


def test_an_assessor_may_be_taken_for_a_judge(judged: Evaluation) -> None:
    judged.score("rating(aspect=coherence, by=simulated-2)")
    assert judged.scores().assessors() == ("simulated-2",)


def test_nobody_of_that_name(judged: Evaluation) -> None:
    with pytest.raises(DataError, match=r"rating\(aspect=coherence, by=nobody\): no scores"):
        judged.score("rating(aspect=coherence, by=nobody)")


def test_agreement_leaves_programs_out(judged: Evaluation) -> None:
    found = adjudge.agreement(judged)
    assert {name for q in found.questions for name in q.assessors} == {"simulated-1", "simulated-2"}


def test_everybody_is_listed(judged: Evaluation) -> None:
    with judged.store() as store:
        rows = overview(store.tasks(), judged.judgments()).rows
    assert {row.assessor: row.origin for row in rows} == {
        "program": "language-model",
        "simulated-1": "simulated",
        "simulated-2": "simulated",
    }


def test_a_judges_new_answer_leaves_peoples_scores_up_to_date(judged: Evaluation) -> None:
    judged.score(PEOPLE, PROGRAM)
    with judged.store() as store:
        task = store.tasks(assessor="program")[0]
        last = next(e for e in store.events(task=task.id) if e.question == "rating:coherence")
        new = replace(last, id=stable_id("other", task.id), answer={"value": 1}, base=last.seq)
        store.append([replace(new, seq=None, received_at=None)])
    people, program = adjudge.open(judged.path).score(PEOPLE, PROGRAM)
    assert (people.new, people.changed) == ((), ())
    assert program.changed == (task.topic,)


def test_the_spec_says_whose() -> None:
    spec = "rating(aspect=content, scale=z, by=gpt-4o)"
    assert str(parse_measure(spec)) == spec
    assert parse_measure(spec).title == "content rating, z-scores, by gpt-4o"
    assert "by:gpt-4o" in parse_measure(spec).signature()
    assert "by:" not in parse_measure("rating(aspect=content)").signature()
    assert judge_of(spec) == "gpt-4o"
    assert judge_of("rating(aspect=content)") is None
    for name in ("wins(by=a)", "coverage(by=tree)", "quality(q=2, by=a)", "preference(seed=3, by=a)"):
        assert str(parse_measure(name)) == name


def test_a_program_among_the_workers_of_a_table(tmp_path: Path) -> None:
    build(tmp_path / "demo")
    given = [(t, s, who) for t in ("d01", "d02") for s in ("lead", "fluent") for who in ("ann,2", "gpt-4,5")]
    rows = ["topic,system,worker,coherence", *(",".join(each) for each in given)]
    (tmp_path / "ratings.csv").write_text("\n".join(rows), encoding="utf-8")
    done = called(tmp_path, *["judgments", "import", "crowd", "ratings.csv", "demo", "--judge", "gpt-4"])
    assert done.returncode == 0, done.stderr
    found = adjudge.open(tmp_path / "demo").judgments()
    assert found.assessors == {"ann"}
    assert list(found.by_judge) == ["gpt-4"]


def test_a_judge_who_is_not_in_the_table(tmp_path: Path) -> None:
    build(tmp_path / "demo")
    rows = "topic,system,worker,coherence\nd01,lead,ann,2\n"
    (tmp_path / "ratings.csv").write_text(rows, encoding="utf-8")
    done = called(tmp_path, *["judgments", "import", "crowd", "ratings.csv", "demo", "--judge", "gpt"])
    assert done.returncode == 2
    assert 'no judge "gpt": nobody of that name answered anything here' in done.stderr
    assert not adjudge.open(tmp_path / "demo").has_judgments


def test_a_judges_answers_are_removed_alone(judged: Evaluation) -> None:
    write_card(judged.folder, JudgeCard("program", "language-model", "rating", "m"))
    with pytest.raises(UsageError, match='"programme" has no tasks of rating'):
        judged.remove_judgments("rating", "a trial", assessor="programme")
    removed = judged.remove_judgments("rating", "a trial", assessor="program")
    assert removed.tasks == 108
    found = adjudge.open(judged.path).judgments()
    assert (found.assessors, dict(found.by_judge)) == ({"simulated-1", "simulated-2"}, {})
    assert read_cards(judged.folder) == []
