"""A language model judges: what is asked, stored, counted and never asked twice."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.assessors.llm.bad_server import BadServer, Says, bad_server, completion
from tests.assessors.llm.evaluation import SYSTEMS, made, text
from tests.assessors.llm.judging_server import (
    UNIT_HEAD,
    Holding,
    answer_by_words,
    block,
    by_words,
    is_trial,
    obeying,
    prompt,
    saying,
    weighing,
)
from tests.waiting import HANG

from adjudge.assessors.cards import read_cards
from adjudge.assessors.llm.exchange import AskLimits, AskProgress, Prices
from adjudge.assessors.llm.judging import LlmJudged, LlmOptions, judge_with_model, swapped_id
from adjudge.assessors.llm.prompts import parse_template, shipped_template
from adjudge.core.errors import AdjudgeError, BusyError, ClashError, DataError, UsageError
from adjudge.evaluation import Evaluation
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Judged

ONE = AskLimits(concurrency=1)


@pytest.fixture
def e(tmp_path: Path) -> Evaluation:
    return made(tmp_path / "eval")


@pytest.fixture
def server() -> Iterator[BadServer]:
    with bad_server(by_words) as found:
        yield found


def judge(
    e: Evaluation, server: BadServer, protocol: str = "rating", limits: AskLimits = ONE, **options: Any
) -> LlmJudged:
    settings: dict[str, Any] = {"name": "judge", "share_again": 0.0} | options
    return judge_with_model(
        e.folder, e.collection, protocol, server.server(), LlmOptions(**settings), limits=limits
    )


def judged(e: Evaluation, name: str = "judge") -> list[Judged]:
    with store_of(e.folder) as store:
        return store.current(assessor=name)


def answers(e: Evaluation, name: str = "judge") -> dict[tuple[str, str], Any]:
    return {(j.task.id, q): event.answer for j in judged(e, name) for q, event in j.answers.items()}


def asked(server: BadServer) -> list[dict[str, Any]]:
    """What came, without trying out."""
    return [body for body in server.bodies if not is_trial(body)]


# All kinds of protocol


def test_a_rating_is_answered_and_stored_as_a_judges(e: Evaluation, server: BadServer) -> None:
    found = judge(e, server)
    assert (found.card.asked, found.card.answered, dict(found.card.invalid)) == (36, 36, {})
    assert len(judged(e)) == 9
    for each in judged(e):
        assert each.origin == "language-model"
        assert each.task.peer is not None
        words = len(text(int(each.task.topic[1]) - 1, SYSTEMS.index(each.task.peer.system)).split())
        assert [event.answer for event in each.answers.values()] == [{"value": 1 + words % 5}] * 4
    assert len(asked(server)) == 36
    (card,) = read_cards(e.folder, "judge")
    assert card == found.card
    assert (card.requests, card.prompt_tokens) == (len(server.bodies), 12 * len(server.bodies))
    assert card.cost == pytest.approx(Prices(3, 15).cost(12, 3) * len(server.bodies))


def test_coverage_is_answered_unit_by_unit(e: Evaluation, server: BadServer) -> None:
    found = judge(e, server, "duc-2002")
    assert found.card.invalid == {}
    for each in judged(e):
        own = [event.answer for q, event in each.answers.items() if q.startswith("unit:")]
        assert own
        assert all(set(answer) == {"marked", "completeness"} for answer in own)
        assert len([q for q in each.answers if q.startswith("quality:")]) == 12
        assert each.task.peer is not None
        marked = {unit for answer in own for unit in answer["marked"]}
        assert ("unmarked" in each.answers) == (len(marked) < 3)
    said = Counter(q.question for q in found.questions)
    assert {"units", "quality:1"} <= set(said)
    measured = e.score("coverage(by=judge)")
    assert measured


def test_pairs_are_shown_both_ways_round(e: Evaluation, server: BadServer) -> None:
    judge(e, server, "preference-summaries")
    tasks = {each.task.id: each for each in judged(e)}
    assert len(tasks) == 2 * 9
    for id, each in tasks.items():
        task = each.task
        if task.repeat_of is not None:
            first = tasks[task.repeat_of].task
            assert (task.left, task.right) == (first.right, first.left)
            assert id == swapped_id(first.id)
        # systems further on are longer, so that gamma wins wherever it stands
        sides = [SYSTEMS.index(side["system"]) for side in (task.left, task.right) if side is not None]
        assert each.answers["preference"].answer == {"winner": "left" if sides[0] > sides[1] else "right"}


def test_pairs_of_sentences_are_those_that_others_were_asked(e: Evaluation, server: BadServer) -> None:
    e.prefer.sample(count=2, assessors=["ann"])
    judge(e, server, "preference-sentences", both_orders=False)
    mine = judged(e)
    with store_of(e.folder) as store:
        others = store.tasks(assessor="ann")
    pairs = [{frozenset(t.hashes.values()) for t in tasks} for tasks in (others, [j.task for j in mine])]
    assert pairs[0] == pairs[1]
    assert all(each.answers["preference"].answer["winner"] in ("left", "right") for each in mine)


def test_pairs_of_sentences_are_drawn_where_nobody_was_asked(e: Evaluation, server: BadServer) -> None:
    judge(e, server, "preference-sentences", both_orders=False, pairs=3)
    assert Counter(each.task.topic for each in judged(e)) == {"t1": 3, "t2": 3, "t3": 3}


def test_a_share_is_asked_again_anew(e: Evaluation, server: BadServer) -> None:
    judge(e, server, share_again=1 / 3)
    again = [each for each in judged(e) if each.task.repeat_of is not None]
    assert len(again) == 3
    assert len(asked(server)) == 36 + 12
    seeds = Counter(body["seed"] for body in asked(server))
    assert seeds == {0: 36, 100: 12}


def test_topics_and_systems_narrow_what_is_asked(e: Evaluation, server: BadServer) -> None:
    judge(e, server, topics=("t1",), systems=("zq-alpha",))
    assert len(asked(server)) == 4
    judge(e, server, topics=("t1",))
    assert len(asked(server)) == 12
    with pytest.raises(UsageError, match="no system"):
        judge(e, server, systems=("zq-alfa",))


def test_a_judge_that_always_takes_the_first_text_shows_it_in_swapped_pairs(e: Evaluation) -> None:
    with bad_server(saying('{"answer": "A"}')) as server:
        judge(e, server, "preference-summaries")
    won: dict[str, list[str]] = {}
    for each in judged(e):
        assert each.answers["preference"].answer == {"winner": "left"}
        assert each.task.left is not None
        won.setdefault(each.task.repeat_of or each.task.id, []).append(each.task.left["system"])
    assert all(len(set(winners)) == 2 for winners in won.values())  # each pair is won by both


def test_a_protocol_of_ones_own_is_kept_with_the_folder(
    e: Evaluation, server: BadServer, tmp_path: Path
) -> None:
    choices = ", ".join(f'{{ value = {n}, label = "{n} of 9" }}' for n in range(0, 10, 3))
    own = tmp_path / "own.toml"
    own.write_text(
        f'name = "own"\nversion = "1"\nkind = "rating"\ntitle = "own"\n'
        f'[[aspects]]\nkey = "tone"\nask = "How kind is it?"\nchoices = [{choices}]\n',
        encoding="utf-8",
    )
    found = judge(e, server, str(own))
    assert found.card.protocol == "own"
    assert {event.answer["value"] for each in judged(e) for event in each.answers.values()} <= {0, 3, 6, 9}
    assert judge(e, server, "own").new == 0  # by its name, from the folder
    own.write_text(own.read_text().replace("How kind", "How warm"), encoding="utf-8")
    with pytest.raises(ClashError):
        judge(e, server, str(own))


# Weighted scores


def test_a_weighted_score_is_kept_beside_the_top_choice(e: Evaluation) -> None:
    with bad_server(weighing) as server:
        found = judge(e, server, score="weighted")
    assert found.card.answered == 36
    for each in judged(e):
        assert each.task.peer is not None
        top = 5 - len(text(int(each.task.topic[1]) - 1, SYSTEMS.index(each.task.peer.system)).split()) % 5
        for event in each.answers.values():
            assert event.answer["value"] == top
            assert event.answer["weighted"] == pytest.approx(0.5 * top + 0.1 * 15)


def test_a_server_without_log_probabilities_is_refused_before_the_start(e: Evaluation) -> None:
    def none(body: dict[str, Any], n: int) -> Says:
        return Says(body=completion('{"answer": "adjudged"}'))

    with bad_server(none) as server:
        with pytest.raises(UsageError, match="gives none: take score=top"):
            judge(e, server, score="weighted")
        assert asked(server) == []
    assert judged(e) == []
    assert read_cards(e.folder) == []


# What is no answer


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('{"answer": 7}', "not on the scale"),
        ("A fine text.", "no answer found"),
        ("I'm sorry, I cannot do that.", "refused"),
        ('{"answer": 4} {"answer": 5}', "several different answers"),
    ],
)
def test_an_invalid_answer_is_missing_and_asked_again_once(e: Evaluation, said: str, why: str) -> None:
    with bad_server(saying(said)) as server:
        found = judge(e, server, topics=("t1",))
        assert found.card.answered == 0
        assert dict(found.card.invalid) == {why: 12}
        assert len(asked(server)) == 2 * 12
        assert judged(e) == []
        judge(e, server, topics=("t1",))
        assert len(asked(server)) == 2 * 12  # what the model said is kept


@pytest.mark.parametrize("retries", [0, 3])
def test_it_is_retried_at_most_as_asked(e: Evaluation, retries: int) -> None:
    with bad_server(saying("A fine text.")) as server:
        judge(e, server, topics=("t1",), systems=("zq-beta",), retries_invalid=retries)
        assert len(asked(server)) == 4 * (1 + retries)


def test_a_retry_may_bring_an_answer(e: Evaluation) -> None:
    def second(body: dict[str, Any], n: int) -> Says:
        return by_words(body) if is_trial(body) or body["seed"] == 1 else Says(body=completion("Hm."))

    with bad_server(second) as server:
        found = judge(e, server)
    assert (found.card.answered, dict(found.card.invalid)) == (36, {})


def test_an_answer_cut_short_or_refused_by_the_server_has_that_reason(e: Evaluation) -> None:
    def script(body: dict[str, Any], n: int) -> Says:
        if is_trial(body):
            return obeying(body)
        if "Does the summary hold only" in prompt(body):
            return Says(body=completion('{"answ', choice={"finish_reason": "length"}))
        return Says(body=completion(None, message={"refusal": "I cannot help with that"}))

    with bad_server(script) as server:
        found = judge(e, server, topics=("t1",))
    assert dict(found.card.invalid) == {"cut short": 3, "refused": 9}


def test_a_unit_without_an_answer_leaves_the_unmarked_open(e: Evaluation) -> None:
    def script(body: dict[str, Any], n: int) -> Says:
        if not is_trial(body) and "Nobody was hurt" in block(prompt(body), UNIT_HEAD):
            return Says(body=completion("Hm."))
        return by_words(body)

    with bad_server(script) as server:
        found = judge(e, server, "duc-2002", topics=("t1",))
    assert found.card.invalid["no answer found"] >= 3
    assert found.card.invalid["a unit of the reference has no answer"] == 3
    assert not any("unmarked" in each.answers for each in judged(e))


# Resuming, limits, settings


def test_nothing_is_asked_twice(e: Evaluation, server: BadServer) -> None:
    first = judge(e, server)
    sent, given = len(asked(server)), answers(e)
    second = judge(e, server)
    assert len(asked(server)) == sent
    assert answers(e) == given
    assert (second.new, second.card.answered) == (0, first.card.answered)


RUN = """
import sys
from pathlib import Path
from adjudge.cli import main
sys.argv = ["adjudge", "judge", "llm", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("after", [pytest.param(5, marks=pytest.mark.slow), 30])
def test_a_killed_run_goes_on_and_gives_the_same_answers(tmp_path: Path, after: int) -> None:
    whole, broken = made(tmp_path / "whole"), made(tmp_path / "broken")
    holding = Holding(after)
    with bad_server(by_words) as server:
        judge(whole, server, "rating", share_again=0.2)
    with bad_server(holding) as server:
        words = [str(broken.path), "--protocol", "rating", "--url", server.url, "--model", "judge-1"]
        words += ["--name", "judge", "--repeats", "0.2", "--concurrency", "2"]
        process = subprocess.Popen([sys.executable, "-c", RUN, *words], stderr=subprocess.PIPE)
        assert holding.reached.wait(HANG)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        holding.go.set()
        under_way = 2  # whose reply nobody read
        assert after < len(asked(server)) <= after + under_way
        done = subprocess.run(
            [sys.executable, "-c", RUN, *words, "--json"], capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout)["answered"] == 44
        often = Counter(json.dumps(body, sort_keys=True) for body in asked(server))
        assert len(often) == 44
        assert sum(often.values()) <= 44 + under_way
    assert answers(broken) == answers(whole)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_killed_run_took_is_counted_when_it_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    e, holding = made(tmp_path / "eval"), Holding(14)
    with bad_server(holding) as server:
        words = [
            str(e.path),
            "--protocol",
            "rating",
            "--url",
            server.url,
            "--model",
            "judge-1",
            "--name",
            "judge",
        ]
        words += ["--repeats", "0", "--concurrency", "1", "--price-prompt", "3", "--price-answer", "15"]
        process = subprocess.Popen([sys.executable, "-c", RUN, *words], stderr=subprocess.PIPE)
        assert holding.reached.wait(HANG)
        process.send_signal(how)
        holding.go.set()
        process.communicate()
        if how == signal.SIGTERM:
            assert process.returncode == 143
            (card,) = read_cards(e.folder, "judge")
            assert 13 <= card.answered == len(answers(e)) < 36
            assert card.requests == len(server.bodies)
        found = judge(e, server)
        lost = 0 if how == signal.SIGTERM else 1  # under way when it was killed
        tried = 0 if how == signal.SIGTERM else 1  # trying out, where the run never came to write its card
        assert found.card.answered == 36
        assert len(server.bodies) - lost - tried <= found.card.requests <= len(server.bodies)
        assert found.card.prompt_tokens >= 12 * (len(server.bodies) - lost - tried)
        assert found.card.cost is not None
        assert found.card.cost >= Prices(3, 15).cost(12, 3) * (len(server.bodies) - lost - tried) - 1e-12
        (card,) = read_cards(e.folder, "judge")
        assert card == found.card == judge(e, server).card  # and not counted once more


def test_answers_are_stored_while_others_are_awaited(
    e: Evaluation, server: BadServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.assessors.llm.judging.SAVED_EVERY", 0.0)
    stored: list[tuple[int, int]] = []

    def look(state: AskProgress) -> None:
        cards = read_cards(e.folder, "judge")
        stored.append((len(answers(e)), cards[0].answered if cards else 0))

    options = LlmOptions(name="judge", share_again=0.0, topics=("t1",))
    e.judge_llm("rating", server.server(), options, limits=ONE, progress=look)
    assert stored == [(n, n) for n in range(12)]


def test_a_second_run_of_the_same_judge_waits_for_nobody(e: Evaluation, server: BadServer) -> None:
    tried: list[str] = []

    def second(state: AskProgress) -> None:
        if not tried:
            with pytest.raises(BusyError) as caught:
                judge(e, server)
            tried.append(str(caught.value))
            judge(e, server, name="other", topics=("t1",), seed=9)  # another may be asked meanwhile

    options = LlmOptions(name="judge", share_again=0.0)
    e.judge_llm("rating", server.server(), options, limits=ONE, progress=second)
    assert tried == [f"{e.path}: judge is being asked under rating by another run; wait for its end"]
    assert len(asked(server)) == 36 + 12


def test_another_judge_takes_kept_replies_and_says_so(e: Evaluation) -> None:
    says = ['{"answer": 2}']

    def script(body: dict[str, Any], n: int) -> Says:
        return saying(says[0])(body, n)

    with bad_server(script) as server:
        assert judge(e, server, name="v1").others is None
        says[0] = '{"answer": 4}'
        kept = judge(e, server, name="v2")
        assert len(asked(server)) == 36
        assert kept.others is not None
        assert re.fullmatch(
            r"36 of 36 replies were kept from the run of v1 at \d{4}-\d\d-\d\d \d\d:\d\d( to .*)? UTC: nothing was sent"
            r" for them; to ask again, take ask_anew=True and another name",
            kept.others,
        )
        assert kept.others in kept.lines()
        assert judge(e, server, name="v2").others is None  # all is stored
        anew = judge(e, server, name="v3", ask_anew=True)
        assert (anew.others, anew.new, len(asked(server))) == (None, 36, 72)
        assert {answer["value"] for answer in answers(e, "v3").values()} == {4}
        assert {answer["value"] for answer in answers(e, "v2").values()} == {2}
        with pytest.raises(
            ClashError, match="v3 has answered all of this already, .* ask_anew=True needs another name"
        ):
            judge(e, server, name="v3", ask_anew=True)
        assert judge(e, server, name="v4").others is not None  # those of v3
        assert {answer["value"] for answer in answers(e, "v4").values()} == {4}
        assert len(asked(server)) == 72


def test_a_judge_that_answered_nothing_is_asked_anew_under_its_name(e: Evaluation) -> None:
    says = ["I'm sorry, I cannot do that."]

    def script(body: dict[str, Any], n: int) -> Says:
        return saying(says[0])(body, n)

    with bad_server(script) as server:
        assert judge(e, server, topics=("t1",)).failed
        says[0] = '{"answer": 4}'
        assert judge(e, server, topics=("t1",)).failed  # what the model said is kept
        found = judge(e, server, topics=("t1",), ask_anew=True)
        assert (found.failed, found.card.answered, dict(found.card.invalid)) == (False, 12, {})


def test_asking_anew_goes_on_after_a_break_and_asks_nothing_twice(tmp_path: Path) -> None:
    e, holding = made(tmp_path / "eval"), Holding(36 + 11)
    with bad_server(holding) as server:
        judge(e, server, name="v1")
        words = [
            str(e.path),
            "--protocol",
            "rating",
            "--url",
            server.url,
            "--model",
            "judge-1",
            "--name",
            "v2",
        ]
        words += ["--repeats", "0", "--concurrency", "1", "--ask-anew"]
        process = subprocess.Popen([sys.executable, "-c", RUN, *words], stderr=subprocess.PIPE)
        assert holding.reached.wait(HANG)
        process.kill()
        process.communicate()
        holding.go.set()
        assert len(asked(server)) < 72
        found = judge(e, server, name="v2", ask_anew=True)
        assert (found.card.answered, found.others) == (36, None)
        assert 72 <= len(asked(server)) <= 72 + 1  # the one under way


def test_a_run_without_any_answer_failed(e: Evaluation) -> None:
    refuses = [False]

    def script(body: dict[str, Any], n: int) -> Says:
        return (
            saying("I cannot do that.")(body, n) if refuses[0] and not is_trial(body) else by_words(body, n)
        )

    with bad_server(script) as server:
        assert not judge(e, server, topics=("t1",)).failed
        refuses[0] = True
        assert judge(e, server, topics=("t2",)).failed
        assert not judge(e, server, topics=("t1",)).failed  # nothing was asked


def test_a_template_shows_what_it_has_places_for(e: Evaluation, server: BadServer) -> None:
    template = parse_template(shipped_template("rating").text.replace("{{documents}}", ""), "rating", "own")
    judge(e, server, template=template, topics=("t1",))
    assert not any("Nobody was hurt" in prompt(body) for body in asked(server))
    with pytest.raises(UsageError, match="put it into the template, or leave documents out of show"):
        judge(e, server, template=template, show=("documents",), name="other")


def test_a_limit_of_cost_is_never_passed_and_the_run_goes_on_later(e: Evaluation) -> None:
    def dear(body: dict[str, Any], n: int) -> Says:
        said = by_words(body).body
        return Says(body=said | {"usage": {"prompt_tokens": 500, "completion_tokens": 3}})

    with bad_server(dear) as server:
        each, most = Prices(3.0, 15.0).cost(500, 3), 0.03
        found = judge(e, server, limits=AskLimits(concurrency=4, max_cost=most))
        assert found.stopped is not None
        assert "cost" in found.stopped
        assert 0 < found.card.answered < 36
        assert found.left == 36 - found.card.answered
        assert found.card.cost is not None
        assert each * len(server.bodies) <= found.card.cost + 1e-12 <= most
        rest = judge(e, server)
        assert rest.card.answered == 36
        assert rest.card.cost == pytest.approx(each * len(server.bodies))
        assert len(asked(server)) == 36


def test_a_limit_of_requests_holds_over_retries(e: Evaluation) -> None:
    with bad_server(saying("Hm.")) as server:
        found = judge(e, server, limits=AskLimits(concurrency=1, max_requests=40))
        assert len(server.bodies) <= 40
        assert found.stopped is not None


def test_a_limit_of_cost_needs_prices(e: Evaluation, server: BadServer) -> None:
    with pytest.raises(UsageError, match="needs prices"):
        judge_with_model(
            e.folder,
            e.collection,
            "rating",
            server.server(prices=Prices()),
            limits=AskLimits(max_cost=1.0),
        )


@pytest.mark.parametrize(
    "other",
    [
        {"temperature": 0.5},
        {"seed": 1},
        {"show": ()},
        {"max_words": 5},
        {"template": parse_template(shipped_template("rating").text + "\nBe strict.", "rating", "own")},
    ],
    ids=lambda other: next(iter(other)),
)
def test_other_settings_under_the_same_name_are_refused(
    e: Evaluation, server: BadServer, other: dict[str, Any]
) -> None:
    judge(e, server, topics=("t1",))
    with pytest.raises(
        ClashError, match=r'a judge "judge" with other settings is there .*: take another name'
    ):
        judge(e, server, topics=("t1",), **other)
    judge(e, server, topics=("t1",), **other | {"name": "other"})
    assert {card.name for card in read_cards(e.folder)} == {"judge", "other"}


def test_another_model_under_the_same_name_is_refused(e: Evaluation, server: BadServer) -> None:
    judge(e, server, topics=("t1",))
    with pytest.raises(ClashError, match="model:judge-1"):
        judge_with_model(
            e.folder, e.collection, "rating", server.server(model="judge-2"), LlmOptions(name="judge")
        )


def test_the_name_of_a_person_is_refused(e: Evaluation, server: BadServer) -> None:
    e.simulate_judgments("rating", assessors=1)
    with pytest.raises(ClashError, match="is there already, and is no judge of this kind"):
        judge(e, server, name="simulated-1")


def test_a_wrong_address_leaves_nothing_behind(e: Evaluation) -> None:
    with bad_server(by_words) as server:
        gone = server.server()
    with pytest.raises(AdjudgeError):
        judge_with_model(
            e.folder, e.collection, "rating", gone, LlmOptions(name="judge"), limits=AskLimits(retries=0)
        )
    assert read_cards(e.folder) == []
    assert judged(e) == []


def test_what_fails_for_the_servers_sake_is_missing_and_asked_again_later(e: Evaluation) -> None:
    broken = [True]

    def script(body: dict[str, Any], n: int) -> Says:
        if not is_trial(body) and broken[0] and "How good are the single sentences" in prompt(body):
            return Says(200, b"not json")
        return by_words(body)

    with bad_server(script) as server:
        limits = AskLimits(concurrency=1, retries=0)
        found = judge(e, server, limits=limits, topics=("t1",))
        assert sum(found.card.invalid.values()) == 3
        broken[0] = False
        found = judge(e, server, limits=limits, topics=("t1",))
        assert (found.card.answered, dict(found.card.invalid)) == (12, {})


def test_text_that_changed_is_not_judged_as_if_it_had_not(e: Evaluation, server: BadServer) -> None:
    judge(e, server, topics=("t1",))
    path = e.path / "summaries.jsonl"
    path.write_text(path.read_text().replace("One two three.", "One and three."))
    changed = Evaluation.open(e.path)
    found = judge(changed, server, topics=("t1",))
    assert any("texts that changed" in note for note in found.notes)


def test_keys_and_addresses_are_in_no_file(e: Evaluation, server: BadServer) -> None:
    key = "sk-very-secret-0123"
    judge_with_model(e.folder, e.collection, "rating", server.server(api_key=key), LlmOptions(name="judge"))
    assert any(key in str(headers) for headers in server.headers)
    for path in e.path.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes()


def test_a_result_shows_itself(e: Evaluation) -> None:
    def script(body: dict[str, Any], n: int) -> Says:
        if is_trial(body) or answer_by_words(body)["answer"] != 1 + len(text(0, 0).split()) % 5:
            return by_words(body)
        return Says(body=completion("Hm."))

    with bad_server(script) as server:
        found = judge(e, server)
    missing = sum(found.card.invalid.values())
    assert missing
    assert re.match(
        rf"judge has answered {36 - missing} of 36 questions .*; {missing} answers? (is|are) missing",
        found.headline(),
    )
    assert found.table().row(question="coherence")["asked"] == 9
    assert json.loads(json.dumps(found.as_dict()))["answered"] == 36 - missing
    assert list(found.to_frame()["asked"]) == [9] * 4


def test_nothing_to_judge_is_said(tmp_path: Path) -> None:
    e = Evaluation.init(tmp_path / "eval")
    with bad_server(by_words) as server, pytest.raises(DataError, match="nothing to judge"):
        judge(e, server)
