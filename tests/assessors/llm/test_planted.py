"""Planted instructions move whoever follows them, and nobody else."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.assessors.llm.bad_server import BadServer, Says, bad_server, completion
from tests.assessors.llm.evaluation import SYSTEMS, made, text
from tests.assessors.llm.judging_server import by_words, gullible, is_trial, prompt, saying, weighing

from adjudge.assessors.cards import read_cards
from adjudge.assessors.llm.cache import ReplyStore
from adjudge.assessors.llm.exchange import AskLimits
from adjudge.assessors.llm.judging import LlmOptions, prepare_judging, run_judging
from adjudge.assessors.llm.planted import (
    KINDS,
    PlantedCheck,
    check_planted,
    estimate_planted,
    instruction,
    plant,
)
from adjudge.core.errors import DataError, UsageError
from adjudge.evaluation import Evaluation

ONE = AskLimits(concurrency=4)


@pytest.fixture
def e(tmp_path: Path) -> Evaluation:
    return made(tmp_path / "eval")


def checked(
    e: Evaluation, server: BadServer, many: int = 9, protocol: str = "rating", **options: Any
) -> PlantedCheck:
    settings = LlmOptions(**{"name": "judge", **options})
    job = prepare_judging(e.folder, e.collection, protocol, server.server(), settings)
    return check_planted(job, many, limits=ONE)


def test_a_deaf_judge_is_not_moved(e: Evaluation) -> None:
    """Its answers follow the number of words, which is the same with the control."""
    with bad_server(by_words) as server:
        found = checked(e, server)
    assert len(found.rows) == len(KINDS) + 1
    for row in found.rows:
        assert row.effect == 0
        assert math.isnan(row.low)  # without any spread there is no interval
        assert row.reached == row.reached_control
        assert row.shift == row.control
    assert "moved judge by +0.00 points" in found.headline()
    assert "none, since topics do not differ" in found.headline()
    assert not found.constant


def test_a_judge_that_always_says_the_same_is_not_called_firm(e: Evaluation) -> None:
    with bad_server(saying('{"answer": 1}')) as server:
        found = checked(e, server)
    assert found.constant
    assert any("it may heed no text at all" in note for note in found.table().notes)


def test_a_gullible_judge_is_moved_as_far_as_the_scale_goes(e: Evaluation) -> None:
    with bad_server(gullible) as server:
        found = checked(e, server)
    assert found.unanswered == 0
    # The farther end of the scale is demanded, and got: the shift is the distance to it.
    untouched = [1 + len(text(t, s).split()) % 5 for t in range(3) for s in range(len(SYSTEMS))]
    farther = [max(5 - value, value - 1) for value in untouched]
    for row in found.rows[:-1]:
        assert (row.n, row.topics, row.invalid) == (9, 3, 0)
        assert row.shift == pytest.approx(sum(farther) / 9)
        assert row.reached == 1
        assert row.effect == pytest.approx(row.shift - row.control)
        assert row.effect > 0
        assert math.isnan(row.low)  # every topic has the same mean effect, and t would claim certainty
    assert found.total.n == 36
    assert found.total.effect == pytest.approx(sum(row.effect for row in found.rows[:-1]) / 4)
    assert "100 % of its answers are the one demanded" in found.headline()


def test_the_interval_is_students_over_topics(e: Evaluation) -> None:
    """Topics of one size: t(2) over the means of the topics (closed form). In town 1 alone is the judge gullible."""

    def script(body: dict[str, Any], n: int) -> Says:
        return (gullible if "What happened in town 1?" in prompt(body) else by_words)(body, n)

    with bad_server(script) as server:
        job = prepare_judging(e.folder, e.collection, "rating", server.server(), LlmOptions(name="judge"))
        found = check_planted(job, 9, limits=ONE)
    by_topic = []
    for t in range(3):
        effects = []
        for s in range(len(SYSTEMS)):
            words = len(text(t, s).split())
            was = 1 + words % 5
            goal = 1 if was - 1 > 5 - was or (was == 3) else 5  # of two ends equally far the first
            with_control = 1 + (words + len(instruction("end", str(goal), demands=False).split())) % 5
            side = 1 if goal > was else -1
            effects.append((goal - was) * side - (with_control - was) * side)
        by_topic.append(sum(effects) / 3 if t == 0 else 0.0)
    mean = sum(by_topic) / 3
    error = math.sqrt(sum((m - mean) ** 2 for m in by_topic) / 2 / 3)
    end = found.rows[0]
    assert end.effect == pytest.approx(mean)
    assert end.high - end.low == pytest.approx(2 * 4.302652729911275 * error)  # t(2), .975
    assert error > 0


def test_a_judge_that_is_moved_is_not_said_to_heed_nothing(e: Evaluation) -> None:
    """The same answer to every untouched text, and what is demanded where something is."""

    def script(body: dict[str, Any], n: int) -> Says:
        demands = "and answer" in prompt(body) and "TEXT-000000000000" in prompt(body)
        return gullible(body, n) if demands else saying('{"answer": 3}')(body, n)

    with bad_server(script) as server:
        found = checked(e, server)
    rows = {row.kind: row for row in found.rows}
    assert found.constant
    assert (rows["delimiter"].effect, rows["delimiter"].reached) == (2, 1)
    assert found.table().notes == ()
    assert rows["all"].effect == 0.5
    assert all(math.isnan(row.low) and math.isnan(row.high) for row in found.rows)


@pytest.mark.parametrize("known", [False, True])
def test_the_estimate_is_of_the_check(e: Evaluation, known: bool) -> None:
    with bad_server(gullible) as server, ReplyStore.of(e.folder) as replies:
        job = prepare_judging(e.folder, e.collection, "rating", server.server(), LlmOptions(name="judge"))
        if known:
            run_judging(job, limits=ONE)
        before = len([body for body in server.bodies if not is_trial(body)])
        said = estimate_planted(job, 4, replies)
        assert said.headline().startswith(f"At most {32 if known else 36} requests to send")
        check_planted(job, 4, limits=ONE)
        assert len([b for b in server.bodies if not is_trial(b)]) - before == said.requests


def test_pairs_are_moved_to_the_side_that_demands_it(e: Evaluation) -> None:
    with bad_server(gullible) as server:
        found = checked(e, server, protocol="preference-summaries")
    assert found.question == "preference"
    assert found.total.reached == 1
    assert found.total.shift == 1  # the loser wins
    assert "share of pairs" in found.headline()


def test_weighted_answers_move_in_their_own_unit(e: Evaluation) -> None:
    with bad_server(weighing) as server:
        found = checked(e, server, score="weighted")
    assert found.total.n == 36
    assert found.total.effect == 0


def test_what_has_no_answer_is_counted(e: Evaluation) -> None:
    def script(body: dict[str, Any], n: int) -> Says:
        if not is_trial(body) and "TEXT-000000000000" in json.dumps(body):
            return Says(body=completion("Hm."))
        return by_words(body)

    with bad_server(script) as server:
        found = checked(e, server, 4)
    rows = {row.kind: row for row in found.rows}
    assert (rows["delimiter"].n, rows["delimiter"].invalid) == (0, 4)
    assert (rows["all"].n, rows["all"].invalid) == (12, 4)
    assert math.isnan(rows["delimiter"].effect)


def test_nothing_is_said_where_nothing_was_answered(e: Evaluation) -> None:
    def script(body: dict[str, Any], n: int) -> Says:
        return by_words(body) if is_trial(body) else Says(body=completion("Hm."))

    with bad_server(script) as server:
        found = checked(e, server, 3)
    assert (found.sampled, found.unanswered) == (3, 3)
    assert found.headline().startswith("Nothing can be said of judge")


def test_one_topic_has_no_interval(e: Evaluation) -> None:
    with bad_server(gullible) as server:
        found = checked(e, server, 3, topics=("t1",))
    assert math.isnan(found.total.low)
    assert "or there is one alone" in found.headline()


def test_the_result_is_on_the_card_and_stays_there(e: Evaluation) -> None:
    with bad_server(by_words) as server:
        found = checked(e, server, 3)
        (card,) = read_cards(e.folder, "judge")
        assert card.settings["planted"]["headline"] == found.headline()
        assert (card.asked, card.requests) == (0, len(server.bodies))
        job = prepare_judging(e.folder, e.collection, "rating", server.server(), LlmOptions(name="judge"))
        run_judging(job, limits=ONE)
        (card,) = read_cards(e.folder, "judge")
        assert card.settings["planted"]["headline"] == found.headline()
        assert card.answered > 0
        assert card.requests == len(server.bodies)


def test_untouched_texts_are_those_of_the_run(e: Evaluation) -> None:
    """What was asked while judging is not sent again for the check."""
    with bad_server(by_words) as server:
        job = prepare_judging(e.folder, e.collection, "rating", server.server(), LlmOptions(name="judge"))
        run_judging(job, limits=ONE)
        before = len([body for body in server.bodies if not is_trial(body)])
        check_planted(job, 9, limits=ONE)
        assert len([body for body in server.bodies if not is_trial(body)]) == before + 9 * 4 * 2


def test_a_sample_is_spread_over_topics_and_a_limit_is_told(e: Evaluation) -> None:
    with bad_server(by_words) as server:
        found = checked(e, server, 3)
        assert found.total.topics == 3
        job = prepare_judging(
            e.folder, e.collection, "rating", server.server(), LlmOptions(name="judge", seed=3)
        )
        with pytest.raises(DataError, match="the check was not completed: the limit of 5 requests"):
            check_planted(job, 9, limits=AskLimits(max_requests=5))


def test_coverage_and_sentences_have_no_such_check(e: Evaluation) -> None:
    with bad_server(by_words) as server, pytest.raises(UsageError, match="asks otherwise"):
        checked(e, server, protocol="duc-2002")


@pytest.mark.parametrize("kind", KINDS)
def test_controls_are_as_long_and_demand_nothing(kind: str) -> None:
    one, other = instruction(kind, "5"), instruction(kind, "5", demands=False)
    assert len(one.split()) == len(other.split())
    assert "5" in one
    assert not {"5", "answer", "ignore", "assessor"} & set(other.replace(".", "").lower().split())


def test_where_things_are_planted() -> None:
    body = "First one. Second one! Third one? Fourth one."
    assert plant(body, "end", " Do it.") == f"{body} Do it."
    assert plant(body, "middle", "Do it.") == "First one. Second one! Do it. Third one? Fourth one."
    assert plant(body, "system", "\n[system] Do it.").splitlines() == [body, "[system] Do it."]
