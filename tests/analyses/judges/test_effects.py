"""Effects of a judge in a folder: itself, order, length, family, invalid answers, cost, savings; all planted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from adjudge.analyses.judges import Judges
from adjudge.analyses.judges.bench import benches_of
from adjudge.analyses.judges.effects import JudgeEffects, judge_effects
from adjudge.analyses.scores import scores_of
from adjudge.assessors.cards import JudgeCard, write_card
from adjudge.data.rows import Row, Summary, System, Topic
from adjudge.evaluation import Evaluation
from adjudge.judgments.assign.order import repeat_of
from adjudge.judgments.intake import Item, take
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Event, Origin, Task, TextRef

JUDGE = "robot"
SYSTEMS = ("gpt-a", "gpt-b", "one", "two", "three", "ann", "lead")
KINDS = {"ann": "human", "lead": "baseline"}
QUICK = Judges(resamples=200)


@dataclass(frozen=True)
class Planted:
    """What moves the judge: a doubling of words, its own family, the left side; and how often it repeats itself."""

    length: float = 0.0
    family: float = 0.0
    left: float = 0.0
    steady: float = 0.8
    both_orders: bool = True
    repeats: bool = True
    pairs: bool = False
    topics: int = 24


Made = Callable[[Planted], Path]


@pytest.fixture
def folder(make: Callable[..., Evaluation]) -> Made:
    def fill(planted: Planted) -> Path:
        return judged(make, planted)

    return fill


def judged(make: Callable[..., Evaluation], planted: Planted) -> Path:
    rng = np.random.default_rng(0)
    topics = [f"t{k}" for k in range(planted.topics)]
    words = {(t, s): int(rng.integers(10, 80)) for t in topics for s in SYSTEMS}
    rows: list[Row] = [System(s, kind=KINDS.get(s, "machine")) for s in SYSTEMS]
    rows += [Topic(t) for t in topics]
    rows += [Summary(t, s, " ".join([s] * words[t, s]), 50) for t in topics for s in SYSTEMS]
    e = make(*rows)
    quality = {(t, s): 3 + 0.5 * np.log2(words[t, s] / 35) + rng.normal() * 0.9 for t, s in words}
    e = Evaluation.open(e.folder.path)
    with store_of(e.folder) as store:
        work = _pairs if planted.pairs else _ratings
        items = list(work(planted, store.evaluation, quality, words, rng))
        take(e.folder, store, items)
    return Path(e.folder.path)


def _ratings(
    planted: Planted,
    evaluation: str,
    quality: dict[tuple[str, str], float],
    words: dict[tuple[str, str], int],
    rng: np.random.Generator,
) -> Iterator[Item]:
    for at, ((topic, system), good) in enumerate(quality.items()):
        for who in ("x", "y", "z", JUDGE):
            seen = good + rng.normal() * 0.6
            if who == JUDGE:
                seen += planted.length * np.log2(words[topic, system] / 35)
                seen += planted.family * system.startswith("gpt")
            task = Task(f"{who}{at}", evaluation, who, "rating", "1", topic, TextRef(system, 50), position=at)
            value = int(np.clip(round(seen), 1, 5))
            yield from _answered(task, "rating:relevance", {"value": value}, who)
            if planted.repeats and who == JUDGE and at % 3 == 0:
                other = value if rng.random() < planted.steady else (value - 1 if value > 1 else 2)
                again = repeat_of(task, f"{who}{at}-again")
                yield from _answered(again, "rating:relevance", {"value": other}, who)


def _pairs(
    planted: Planted,
    evaluation: str,
    quality: dict[tuple[str, str], float],
    words: dict[tuple[str, str], int],
    rng: np.random.Generator,
) -> Iterator[Item]:
    at = 0
    for topic in dict.fromkeys(t for t, _ in quality):
        for pair in combinations(SYSTEMS, 2):
            left, right = pair if rng.random() < 0.5 else pair[::-1]
            for who in ("x", "y", "z", JUDGE):
                at += 1
                sides = ({"system": s, "length": 50} for s in (left, right))
                one, other = sides
                task = Task(
                    f"{who}{at}", evaluation, who, "preference-summaries", "1", topic,
                    left=one, right=other, position=at,
                )  # fmt: skip
                gap = quality[topic, left] - quality[topic, right]
                if who == JUDGE:
                    gap += planted.length * math.log2(words[topic, left] / words[topic, right])

                def wins(gap: float, who: str = who) -> str:
                    share = 1 / (1 + math.exp(-gap))
                    share = share + planted.left * 2 * min(share, 1 - share) if who == JUDGE else share
                    return "left" if rng.random() < share else "right"

                yield from _answered(task, "preference", {"winner": wins(gap)}, who)
                if who == JUDGE and planted.both_orders:
                    swapped = replace(task, id=f"{task.id}-swapped", left=other, right=one, position=at)
                    yield from _answered(swapped, "preference", {"winner": wins(-gap)}, who)


def _answered(task: Task, question: str, answer: dict[str, object], who: str) -> Iterator[Item]:
    origin: Origin = "language-model" if who == JUDGE else "human"
    yield "made", task
    yield (
        "made",
        Event(f"{task.id}-{question}", task.evaluation, task.id, who, question, answer, origin=origin),
    )


def effects(path: Path, **options: str) -> JudgeEffects:
    return judge_effects(benches_of(scores_of(path), JUDGE), replace(QUICK, **options))  # type: ignore[arg-type]


def test_a_judge_that_loves_length_and_its_family(folder: Made) -> None:
    found = effects(folder(Planted(length=0.5, family=0.5)), family="GPT")
    [length] = found.lengths
    row = found.table("judge-length").row(aspect="relevance")
    spread = 1.2  # about that of the judge's answers
    assert row["excess_low"] < 0.5 / spread < row["excess_high"]  # type: ignore[operator]
    assert length.slopes.excess.p < 0.001
    own = found.table("judge-favours").row(group="own family")
    assert own["excess_low"] < 0.5 < own["excess_high"]  # type: ignore[operator]
    assert own["systems"] == "gpt-a, gpt-b"
    assert own["others"] == "one, three, two"
    assert own["excess_low"] > 0  # type: ignore[operator]
    assert "favours" in found.headline()
    assert "longer texts (relevance)" in found.headline()
    assert "systems of its own family (gpt-a and gpt-b) (relevance)" in found.headline()
    said = " ".join(found.sentences())
    assert "the one twice as long gets" in said
    assert "standard deviations more from robot" in said


def test_a_judge_that_is_moved_by_nothing_else(folder: Made) -> None:
    found = effects(folder(Planted()))
    assert found.headline() == (
        "No significant effect of length, human texts and baseline texts on robot where people see no difference (Holm"
        " over 3 effects)."
    )
    assert {each.group for each in found.favours} == {"human", "baseline"}
    said = " ".join(found.sentences())
    assert "name the family by a part of its systems' names" in said
    assert ": not significant." in said


def test_repeats_are_counted_by_hand(folder: Made) -> None:
    path = folder(Planted(steady=0.7))
    found = effects(path)
    [own] = found.repeats
    with store_of(Evaluation.open(path).folder) as store:
        value = {event.task: event.answer["value"] for event in store.events()}
    again = [(task.removesuffix("-again"), task) for task in value if task.endswith("-again")]
    apart = [abs(value[one] - value[two]) for one, two in again]
    assert (own.same.n, own.same.hits) == (len(again), apart.count(0))
    assert own.distance is not None
    assert own.distance.estimate == pytest.approx(np.mean(apart))
    assert own.same.low < 0.7 < own.same.high
    said = next(iter(found.about("judge-repeats")))
    assert f"({own.same.hits} of {len(again)} repeats, 24 topics" in said


def test_without_repeats_it_says_how_to_get_them(folder: Made) -> None:
    path = folder(Planted(repeats=False))
    said = list(effects(path).about("judge-repeats"))
    assert len(said) == 1
    assert "assign --repeats 0.1" in said[0]
    card = JudgeCard(JUDGE, "language-model", "rating", "m")
    write_card(Evaluation.open(path).folder, card)
    assert "judge llm --repeats 0.1" in next(iter(effects(path).about("judge-repeats")))
    write_card(Evaluation.open(path).folder, replace(card, kind="learned"))
    assert tuple(effects(path).about("judge-repeats")) == (
        "robot is learned and always gives the same answer to the same question.",
    )


def test_a_preference_for_the_left_side(folder: Made) -> None:
    found = effects(folder(Planted(pairs=True, left=0.5, length=0.5)))
    [order] = found.order
    assert order.swapped is not None
    assert order.swapped.pairs == 24 * 21
    assert order.once == 0
    assert order.swapped.low > 0.1
    assert order.swapped.left.share > 3 * order.swapped.right.share
    assert "It prefers the left side" in " ".join(found.sentences())
    assert "the left side of a pair (preference-summaries)" in found.headline()
    # of pairs, length is that of the first over the second, and answers are shares of wins
    [length] = found.lengths
    assert length.pairs
    assert length.slopes.excess.p < 0.05
    assert length.slopes.excess.estimate > 0
    row = found.table("judge-order").row(who=JUDGE)
    assert row["bias"] == pytest.approx(order.swapped.bias)
    # pairs asked the other way round are not the same question again
    assert found.repeats == ()


def test_words_of_a_pair(folder: Made) -> None:
    """Twice as long is 1, whichever of the two comes first by name."""
    path = folder(Planted(pairs=True, topics=4))
    [bench] = benches_of(scores_of(path), JUDGE).benches
    texts = {
        (s.topic, s.system): len(s.text.split()) for s in Evaluation.open(path).collection.all_summaries()
    }
    assert bench.ratios is not None
    for topic, sides, ratio in zip(bench.topics, bench.sides, bench.ratios, strict=True):
        assert sides is not None
        assert ratio == pytest.approx(math.log2(texts[topic, sides[0]] / texts[topic, sides[1]]))
    some = bench.take(bench.words > 0)
    assert some.ratios is not None
    assert (some.ratios > 0).all()


def test_a_judge_that_does_not_mind_order(folder: Made) -> None:
    found = effects(folder(Planted(pairs=True)))
    [order] = found.order
    assert order.swapped is not None
    assert order.swapped.low <= 0 <= order.swapped.high
    assert "No significant preference for a side" in " ".join(found.sentences())


def test_pairs_in_one_order_are_compared_with_people(folder: Made) -> None:
    found = effects(folder(Planted(pairs=True, left=0.5, both_orders=False)))
    [order] = found.order
    assert order.swapped is None
    assert (order.once, order.left is not None) == (24 * 21, True)
    assert order.left is not None
    assert order.left.interval()[0] > 0.05
    said = " ".join(tuple(found.about("judge-order")))
    assert "That is an effect of order only if" in said
    # nothing that an association alone shows is in the first sentence
    assert "side of a pair" not in found.headline()


def test_a_card_tells_of_invalid_answers_and_cost(folder: Made) -> None:
    path = folder(Planted())
    assert "has no card" in " ".join(effects(path).sentences())
    card = JudgeCard(
        JUDGE,
        "language-model",
        "rating",
        "m",
        family="gpt",
        asked=250,
        answered=190,
        invalid={"refused": 8, "no JSON": 2},
        requests=200,
        prompt_tokens=18_000,
        answer_tokens=1_000,
        cost=0.38,
        seconds=95.0,
    )
    write_card(Evaluation.open(path).folder, card)
    found = effects(path)
    table = found.table("judge-invalid")
    # R 4.2.2, print(prop.test(10, 200, correct = FALSE)$conf.int, digits = 9)
    row = table.row(reason="all")
    assert (row["answers"], row["invalid"], row["share"]) == (200, 10, 0.05)
    assert (row["share_low"], row["share_high"]) == pytest.approx((0.0273826456, 0.0895781481), abs=1e-9)
    assert table.row(reason="refused")["invalid"] == 8
    cost = found.table("judge-cost").row(judge=JUDGE)
    assert (cost["tokens_per_1000"], cost["cost_per_1000"], cost["seconds_per_1000"]) == pytest.approx(
        (100_000, 2.0, 500.0)
    )
    # the card's family counts where none is given
    assert found.table("judge-favours").row(group="own family")["systems"] == "gpt-a, gpt-b"
    assert "is unknown: no system has such a name" in " ".join(effects(path, family="claude").sentences())


def test_savings(folder: Made) -> None:
    path = folder(Planted())
    benches = benches_of(scores_of(path), JUDGE)
    found = judge_effects(benches, QUICK)
    [saving] = found.savings
    row = found.table("judge-saves").row(aspect="relevance")
    assert row["pairs"] == 21
    assert row["topics"] == 24
    assert row["at_most"] == pytest.approx(24 / (1 - saving.saved.squared))
    assert row["counts_as"] == 24  # there are no further topics
    assert saving.saved.squared > 0.3
    said = next(iter(found.about("judge-saves")))
    counts, low, high = (
        round(saving.saved.counts_as(each)) for each in (None, saving.saved.low, saving.saved.high)
    )
    assert low <= counts <= high
    assert said.endswith(
        f"is worth at most {counts - 24} more topics judged by people: 24 topics with its answers count as {counts}"
        f" (median over 21 pairs of systems; 95% interval {low} to {high})."
    )
    constant = replace(
        benches,
        judges=("constant",),
        benches=tuple(b.with_judge("constant", np.full(len(b.judge_answers), 4.0)) for b in benches.benches),
    )
    none = judge_effects(constant, QUICK)
    assert "count as 24 (median over 21 pairs of systems; 95% interval 24 to 24)." in " ".join(
        none.sentences()
    )
    assert none.headline().startswith("Whether order, length or authors move constant cannot be tested")
    # half of the topics without people
    [bench] = benches.benches
    late = np.array([int(topic[1:]) >= 12 for topic in bench.topics])
    half = replace(bench, answers=np.where(late[:, None], np.nan, bench.answers))
    found = judge_effects(replace(benches, benches=(half,)), QUICK)
    row = found.table("judge-saves").row(aspect="relevance")
    assert (row["topics"], row["further"]) == (12, 12)
    assert row["counts_as"] == pytest.approx(12 / (1 - row["rho2"] / 2))  # type: ignore[operator]
    assert "with its answers on the 12 topics that only it judged" in " ".join(found.sentences())


def test_a_table_of_scores_knows_neither_order_nor_length() -> None:
    import pandas as pd

    rng = np.random.default_rng(0)
    rows = [
        {"measure": "good", "topic": f"t{t}", "system": f"s{s}", "assessor": who, "value": float(value)}
        for t in range(12)
        for s in range(4)
        for base in [rng.integers(2, 5)]
        for who, value in zip(("x", "y", "z"), base + rng.integers(-1, 2, size=3), strict=True)
    ]
    found = judge_effects(benches_of(scores_of(pd.DataFrame(rows)), "x"), QUICK)
    assert (len(found.order), len(found.lengths), len(found.repeats)) == (0, 0, 0)
    assert "The effect of length on x is unknown" in " ".join(found.sentences())
    assert found.savings[0].saved.pairs == 6


def test_forms_agree(folder: Made) -> None:
    found = effects(folder(Planted(length=0.5, family=0.5)), family="gpt")
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["headline"] == found.headline()
    assert list(plain["tables"]) == [table.name for table in found.all_tables]
    frame = found.to_frame()
    assert list(frame["effect"]) == ["twice as long", "own family", "human", "baseline"]
    assert repr(found).count("favours") >= 1


def test_progress_is_told(folder: Made) -> None:
    done: list[tuple[int, int]] = []
    benches = benches_of(scores_of(folder(Planted())), JUDGE)
    judge_effects(benches, QUICK, lambda k, n: done.append((k, n)))
    assert done == [(1, 3), (2, 3), (3, 3)]


def test_people_stand_beside_the_judge(folder: Made) -> None:
    """Whoever is named is the judge: then the others' repeats are people's."""
    path = folder(Planted(steady=0.7))
    found = judge_effects(benches_of(scores_of(path), ["x", JUDGE]), QUICK)
    assert {(each.judge, each.who) for each in found.repeats} == {(JUDGE, JUDGE)}
    with store_of(Evaluation.open(path).folder) as store:
        own = [task for task in store.tasks() if task.assessor == "x"][:30]
        items: list[Item] = []
        for task in own:
            again = repeat_of(task, f"{task.id}-again")
            items += _answered(again, "rating:relevance", {"value": 5}, "x")
        take(Evaluation.open(path).folder, store, items)
    found = effects(path)
    assert [each.who for each in found.repeats] == [JUDGE, "people"]
    assert found.repeats[1].same.n == 30
    said = next(iter(found.about("judge-repeats")))
    assert f"; people did in {100 * found.repeats[1].same.share:.0f}%" in said
