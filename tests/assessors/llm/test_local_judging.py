"""The real local model judges the demo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import called

from adjudge.assessors.cards import read_cards
from adjudge.demo.build import build
from adjudge.evaluation import Evaluation
from adjudge.judgments.store.store import store_of

pytestmark = pytest.mark.local_judge
SYSTEMS = ("fluent", "vague", "garbled")


def judge(folder: Path, *words: str) -> dict[str, object]:
    systems = [word for system in SYSTEMS for word in ("--system", system)]
    line = (
        "judge",
        "llm",
        "demo",
        "--local",
        *systems,
        "--show",
        "nothing",
        "--repeats",
        "0",
        *words,
        "--json",
    )
    done = called(folder, *line)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_it_rates_a_few_topics_of_the_demo_and_goes_on(tmp_path: Path) -> None:
    build(tmp_path / "demo")
    rating = ("--protocol", "responsiveness", "--name", "smollm2")
    first = judge(tmp_path, *rating, "--topic", "d01")
    assert (first["asked"], first["answered"]) == (6, 6)  # the grammar leaves it no other choice
    both = judge(tmp_path, *rating, "--topic", "d01", "--topic", "d02")
    assert (both["answered"], both["new_answers"]) == (12, 6)
    e = Evaluation.open(tmp_path / "demo")
    with store_of(e.folder) as store:
        found = store.current(assessor="smollm2")
    assert {each.origin for each in found} == {"language-model"}
    assert {event.answer["value"] for each in found for event in each.answers.values()} <= {1, 2, 3, 4, 5}
    (card,) = read_cards(e.folder)
    assert card.model.startswith("SmolLM2-135M-Instruct")
    assert card.prompt_tokens > 12 * 200


def test_its_probabilities_give_a_weighted_score_or_a_reason(tmp_path: Path) -> None:
    build(tmp_path / "demo")
    found = judge(tmp_path, "--protocol", "responsiveness", "--topic", "d01", "--score", "weighted")
    assert found["asked"] == 6
    e = Evaluation.open(tmp_path / "demo")
    with store_of(e.folder) as store:
        answers = [event.answer for each in store.current() for event in each.answers.values()]
    invalid = found["invalid"]
    assert isinstance(invalid, dict)
    assert len(answers) + sum(invalid.values()) == 6
    assert all(1 <= answer["weighted"] <= 5 for answer in answers)


def test_its_dossier_on_the_demo_says_what_it_is_worth(tmp_path: Path) -> None:
    """A model of 135 million parameters is a weak judge, and the verdict says so."""
    build(tmp_path / "demo")
    people = ("judge", "simulate", "demo", "--protocol", "responsiveness", "--assessors", "3")
    assert called(tmp_path, *people).returncode == 0
    found = judge(tmp_path, "--protocol", "responsiveness", "--name", "smollm2", "--reuse-prompts")
    assert (found["asked"], found["answered"]) == (72, 72)  # 12 topics, 3 systems, 2 questions
    done = called(tmp_path, "judge", "report", "demo", "--json")
    assert done.returncode == 0, done.stderr
    (dossier,) = json.loads(done.stdout)["judges"]
    assert dossier["what"].startswith("a language model: SmolLM2-135M-Instruct")
    aspects = dossier["parts"]["agreement"]["aspects"]
    assert [each["topics"] for each in aspects] == [12, 12]
    for each in aspects:
        assert {"constant", "random", "length", "assessor"} <= {row["kind"] for row in each["rows"]}
        assert each["order"]["step"] in ("no better than a control", "not shown better than a control")
