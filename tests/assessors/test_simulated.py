"""Simulated assessors: what was planted comes back, and nothing else does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from adjudge.assessors.simulated import Simulated, Sitting, simulate
from adjudge.assessors.truth import (
    Truth,
    UnitTruth,
    form_errors,
    side_key,
    truth_from_pyramids,
    truth_from_texts,
)
from adjudge.core.errors import DataError, UsageError
from adjudge.data.collection import Collection, load
from adjudge.data.folder import Folder
from adjudge.data.rows import Topic
from adjudge.data.units import make_units
from adjudge.demo.build import LENGTH, build, stories, texts
from adjudge.demo.pyramids import peer_annotations, pyramid_from_facts
from adjudge.judgments.assign.planning import make_tasks
from adjudge.judgments.batch import TopicBatch
from adjudge.judgments.kinds.base import positions
from adjudge.judgments.protocol import Protocol, load_protocol, parse_protocol
from adjudge.judgments.pyramid import annotation_of, pyramid_of
from adjudge.judgments.tasks import Event, Judged, Task, TextRef
from adjudge.measures.judged.coverage import Coverage
from adjudge.stats.agreement import krippendorff

PEER, REFERENCE = TextRef("sys", 100), TextRef("ref", 100)
PERFECT = {"bias": 0.0, "noise": 0.0}


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def fine_scale() -> Protocol:
    """A rating from 0 to 100, so fine that the scale hides nothing."""
    choices = ", ".join(f'{{ value = {n}, label = "{n}" }}' for n in range(101))
    head = 'name = "fine"\nversion = "1"\nkind = "rating"\ntitle = "fine"\n'
    return parse_protocol(
        f'{head}[[aspects]]\nkey = "overall"\nask = "How good?"\nchoices = [{choices}]', "fine.toml"
    )


def rated(who: Simulated, many: int, level: float = 0.5, seed: int = 1) -> list[float]:
    """An assessor's answers on the fine scale, from 0 to 1, in the order of the tasks."""
    tasks = [Task(f"t{n}", "e", who.name, "fine", "1", f"d{n}", PEER, position=n) for n in range(many)]
    truth = Truth(levels={(f"d{n}", PEER, "overall"): level for n in range(many)})
    return [e.answer["value"] / 100 for e in simulate(tasks, fine_scale(), truth, [who], rng(seed))]


def spread_interval(values: Sequence[float], level: float = 0.99) -> tuple[float, float]:
    """For a standard deviation, from the chi-squared distribution."""
    n, s = len(values), stdev(values)
    low, high = chi2.ppf([(1 - level) / 2, (1 + level) / 2], n - 1)
    return s * math.sqrt((n - 1) / high), s * math.sqrt((n - 1) / low)


@pytest.mark.parametrize("bias", [-0.15, 0.0, 0.1])
def test_bias_and_noise_come_back_within_their_intervals(bias: float) -> None:
    errors = [value - 0.5 for value in rated(Simulated("a", bias=bias, noise=0.08), 2000)]
    half = 2.576 * stdev(errors) / math.sqrt(len(errors))
    assert fmean(errors) - half <= bias <= fmean(errors) + half
    low, high = spread_interval(errors)
    assert low <= math.sqrt(0.08**2 + 0.01**2 / 12) <= high  # rounding to a hundredth adds its share
    assert not low <= 0.1 <= high  # and another noise would not pass


def test_drift_comes_back_as_a_slope() -> None:
    values = rated(Simulated("a", noise=0.05, drift=0.3), 1500)
    progress = np.linspace(0, 1, len(values))
    (slope, start), covariance = np.polyfit(progress, values, 1, cov=True)
    assert abs(slope - 0.3) < 2.576 * math.sqrt(covariance[0, 0])
    assert abs(start - 0.5) < 2.576 * math.sqrt(covariance[1, 1])


def test_inconsistency_comes_back_as_a_share_of_other_answers() -> None:
    values = rated(Simulated("a", noise=0.0, inconsistency=0.2), 2000)
    other = fmean(value != 0.5 for value in values)
    assert abs(other - 0.2) < 2.576 * math.sqrt(0.2 * 0.8 / 2000)
    slips = Counter(value for value in values if value != 0.5)
    assert len(slips) > 90  # all over the scale


def test_without_faults_every_answer_is_the_truth() -> None:
    assert set(rated(Simulated("a", **PERFECT), 50, level=0.37)) == {0.37}


def test_of_two_choices_as_near_the_higher_one_is_chosen() -> None:
    """DUC-2002 told its assessors to say 60 % for a half."""
    sitting = Sitting(Simulated("a", **PERFECT), 0.0, rng())
    scale = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert [scale[sitting.choose(truth, scale)] for truth in (0.1, 0.3, 0.5, 0.7, 0.9)] == scale[1:]


def test_positions_follow_numbers_or_the_order() -> None:
    assert positions([1, 2, 3, 4, 5]) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert positions([1.0, 0.75, 0.5, 0.25, 0.0]) == [1.0, 0.75, 0.5, 0.25, 0.0]
    assert positions(["0", "1-5", "6-10", ">10"]) == [0.0, 1 / 3, 2 / 3, 1.0]
    assert positions([3]) == [0.0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise": -0.1},
        {"bias": 2},
        {"drift": math.nan},
        {"inconsistency": 1.1},
        {"noise": math.nan},
        {"noise": math.inf},
    ],
)
def test_impossible_assessors_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        Simulated("a", **wrong)


# Coverage


def page_truth(levels: Mapping[str, float], relevant: Sequence[str] = ()) -> Truth:
    page = ("d", PEER, REFERENCE)
    units = {id: UnitTruth(level, ("p1",) if level else ()) for id, level in levels.items()}
    form = {("d", PEER, str(n)): (n % 4) / 3 for n in range(1, 13)}
    form |= {("d", PEER, key): 0.75 for key in ("grammaticality", "cohesion", "coherence")}
    return Truth({page: units}, {page: frozenset(relevant)}, {("d", PEER): ("p1", "p2", "p3")}, form)


def page_task(protocol: Protocol, who: str = "a", id: str = "t") -> Task:
    return Task(id, "e", who, protocol.name, protocol.version, "d", PEER, REFERENCE)


@pytest.mark.parametrize(
    ("name", "levels"),
    [("duc-2001", {"m1": 0.75, "m2": 0.0, "m3": 1.0}), ("duc-2002", {"m1": 0.6, "m2": 0.0, "m3": 0.2})],
)
def test_a_perfect_assessor_measures_the_true_coverage(name: str, levels: dict[str, float]) -> None:
    protocol = load_protocol(name)
    task = page_task(protocol)
    events = list(simulate([task], protocol, page_truth(levels), [Simulated("a", **PERFECT)], rng()))
    assert all(event.origin == "simulated" for event in events)
    judged = Judged(task, {event.question: event for event in events})
    (score,) = Coverage().score(TopicBatch(Topic("d"), (), judgments=(judged,)))
    assert score.value == pytest.approx(fmean(levels.values()), abs=1e-15)
    assert set(judged.answers) >= {q.id for q in protocol.questions}


def test_unmarked_units_are_answered_with_the_reduced_choices() -> None:
    protocol = load_protocol("duc-2002")

    def relevant(names: Sequence[str], levels: dict[str, float]) -> Any:
        events = simulate(
            [page_task(protocol)], protocol, page_truth(levels, names), [Simulated("a", **PERFECT)], rng()
        )
        return {event.question: event.answer for event in events}.get("unmarked")

    assert relevant(["p2"], {"m": 1.0}) == {"relevant": 1.0}  # one of two: 0 or 100 %, the higher
    assert relevant(["p2", "p3"], {"m": 1.0}) == {"relevant": 1.0}
    assert relevant(["p1", "p2"], {"m": 0.0}) == {"relevant": 0.6}  # two of three
    assert relevant([], {"m": 0.0}) == {"relevant": 0.0}


def test_answers_never_contradict_themselves() -> None:
    protocol = load_protocol("duc-2002")
    who = Simulated("a", noise=0.5, inconsistency=0.3)
    levels = {f"m{n}": 0.2 * (n % 6) for n in range(200)}
    for event in simulate([page_task(protocol)], protocol, page_truth(levels), [who], rng()):
        if event.question.startswith("unit:"):
            assert bool(event.answer["marked"]) == (event.answer["completeness"] > 0)


def test_an_empty_peer_expresses_nothing_whatever_the_bias() -> None:
    protocol = load_protocol("duc-2002")
    truth = replace(page_truth({"m": 0.0}), peer_units={("d", PEER): ()})
    events = simulate([page_task(protocol)], protocol, truth, [Simulated("a", bias=1.0)], rng())
    answers = {event.question: event.answer for event in events}
    assert answers["unit:m"] == {"marked": [], "completeness": 0.0}
    assert "unmarked" not in answers


def test_quality_is_answered_in_the_words_of_the_protocol() -> None:
    protocol = load_protocol("duc-2002")
    events = simulate(
        [page_task(protocol)], protocol, page_truth({"m": 1.0}), [Simulated("a", **PERFECT)], rng()
    )
    answers = {event.question: event.answer["value"] for event in events if "quality" in event.question}
    assert [answers[f"quality:{n}"] for n in (1, 2, 3, 4)] == ["1-5", "6-10", ">10", "0"]


def test_alpha_falls_as_noise_grows() -> None:
    protocol = load_protocol("duc-2002")
    levels = {f"m{n}": 0.2 * (n % 6) for n in range(300)}
    found = []
    for noise in (0.0, 0.1, 0.2, 0.4):
        people = [Simulated(name, noise=noise) for name in ("a", "b", "c")]
        tasks = [page_task(protocol, who.name, who.name) for who in people]
        given: dict[str, list[float]] = {}
        for event in simulate(tasks, protocol, page_truth(levels), people, rng()):
            if event.question.startswith("unit:"):
                given.setdefault(event.question, []).append(event.answer["completeness"])
        found.append(krippendorff(list(given.values()), rng=rng(), resamples=0).value)
    assert found[0] == 1.0
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.7


# Preferences


def pairs(protocol: Protocol, who: Simulated, many: int, gap: float) -> list[str]:
    sides = [{"system": name, "length": None} for name in ("x", "y")]
    tasks = [
        Task(f"t{n}", "e", who.name, protocol.name, "1", f"d{n}", left=sides[0], right=sides[1])
        for n in range(many)
    ]
    worth = {
        (f"d{n}", side_key(side)): value
        for n in range(many)
        for side, value in zip(sides, (0.5 + gap, 0.5), strict=True)
    }
    return [e.answer["winner"] for e in simulate(tasks, protocol, Truth(worth=worth), [who], rng())]


def test_the_better_side_wins_as_often_as_the_noise_says() -> None:
    """The difference of two blurred values is normal: P(left) is Phi(gap / (noise * sqrt 2))."""
    protocol = load_protocol("preference-sentences")
    won = pairs(protocol, Simulated("a", noise=0.2), 2000, 0.1)
    expected = 0.5 * (1 + math.erf(0.1 / (0.2 * math.sqrt(2)) / math.sqrt(2)))
    assert set(won) == {"left", "right"}
    assert abs(fmean(w == "left" for w in won) - expected) < 2.576 * math.sqrt(
        expected * (1 - expected) / 2000
    )


def test_equal_sides_are_a_tie_where_there_are_ties() -> None:
    perfect = Simulated("a", **PERFECT)
    assert set(pairs(load_protocol("preference-summaries"), perfect, 20, 0.0)) == {"tie"}
    assert set(pairs(load_protocol("preference-sentences"), perfect, 60, 0.0)) == {"left", "right"}
    assert set(pairs(load_protocol("preference-summaries"), Simulated("a", 0.2, 0.0), 20, 0.0)) == {"left"}


# Streams


def test_the_same_seed_gives_the_same_answers_and_another_others() -> None:
    def ids(seed: int) -> list[str]:
        protocol = load_protocol("duc-2002")
        levels = {f"m{n}": 0.4 for n in range(30)}
        tasks = [page_task(protocol)]
        return [e.id for e in simulate(tasks, protocol, page_truth(levels), [Simulated("a")], rng(seed))]

    assert ids(1) == ids(1)
    assert set(ids(1)).isdisjoint(ids(2))


def test_answers_depend_neither_on_the_other_tasks_nor_on_their_order() -> None:
    protocol = fine_scale()
    people = [Simulated("a"), Simulated("b")]
    tasks = [Task(f"{w.name}{n}", "e", w.name, "fine", "1", f"d{n}", PEER) for w in people for n in range(9)]
    truth = Truth(levels={(f"d{n}", PEER, "overall"): 0.5 for n in range(9)})

    def answers(some: Sequence[Task]) -> dict[str, Any]:
        return {e.task: e.answer for e in simulate(some, protocol, truth, people, rng())}

    whole = answers(tasks)
    assert answers(tasks[::-1]) == whole
    assert answers(tasks[5:7]) == {task.id: whole[task.id] for task in tasks[5:7]}
    assert len({str(answer) for answer in whole.values()}) > 5


def test_a_repeat_draws_anew() -> None:
    protocol = fine_scale()
    tasks = [Task(f"t{n}", "e", "a", "fine", "1", "d", PEER, position=n) for n in range(20)]
    truth = Truth(levels={("d", PEER, "overall"): 0.5})
    values = {e.answer["value"] for e in simulate(tasks, protocol, truth, [Simulated("a")], rng())}
    assert len(values) > 5


def test_what_is_not_known_is_one_line() -> None:
    protocol = load_protocol("duc-2002")
    with pytest.raises(UsageError, match='no simulated assessor "a"'):
        list(simulate([page_task(protocol)], protocol, page_truth({"m": 1.0}), [Simulated("b")], rng()))
    with pytest.raises(UsageError, match="two simulated assessors"):
        list(simulate([], protocol, Truth(), [Simulated("b"), Simulated("b")], rng()))
    with pytest.raises(DataError, match="nothing is known"):
        list(simulate([page_task(protocol)], protocol, Truth(), [Simulated("a")], rng()))
    with pytest.raises(DataError, match="no units"):
        list(simulate([page_task(protocol)], protocol, page_truth({}), [Simulated("a")], rng()))


# The demo: truth from texts and from facts


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    path: Path = tmp_path_factory.mktemp("demo") / "e"
    build(path)
    folder = Folder.open(path)
    make_units(folder)
    return load(folder)


def facts(collection: Collection, protocol: Protocol) -> Truth:
    pyramids = {story["topic"]: pyramid_from_facts(story) for story in stories()}
    annotations = {
        (story["topic"], TextRef(system, LENGTH)): annotation
        for story in stories()
        for system, annotation in peer_annotations(story, pyramids[story["topic"]], texts(story, 1)).items()
    }
    return truth_from_pyramids(collection, protocol, pyramids, annotations)


def means(truth: Truth) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for (_, peer, _), page in truth.units.items():
        found.setdefault(peer.system, []).append(fmean(u.completeness for u in page.values()))
    return {system: fmean(values) for system, values in found.items()}


@pytest.mark.parametrize("name", ["duc-2001", "duc-2002"])
def test_truth_from_texts_and_from_facts_orders_the_demos_systems(demo: Collection, name: str) -> None:
    protocol = load_protocol(name)
    for truth in (truth_from_texts(demo, protocol), facts(demo, protocol)):
        found = means(truth)
        assert found["fluent"] > found["random"] > found["vague"]
        for page in truth.units.values():
            assert all(0 <= unit.completeness <= 1 for unit in page.values())
            assert all(unit.marked for unit in page.values() if unit.completeness)
    by_facts = means(facts(demo, protocol))
    assert min(by_facts["ada"], by_facts["ben"]) > max(
        v for k, v in by_facts.items() if k not in ("ada", "ben")
    )


@pytest.mark.parametrize(
    "name",
    [
        "duc-2001",
        "duc-2002",
        "rating",
        "responsiveness",
        "linguistic-quality",
        "preference-summaries",
        "pyramid",
    ],
)
def test_every_protocol_is_filled(demo: Collection, name: str) -> None:
    protocol = load_protocol(name)
    people = [Simulated("sim-1"), Simulated("sim-2", noise=0.4, inconsistency=0.1)]
    tasks = make_tasks(demo, protocol, [who.name for who in people], "e", repeat=0.1)
    truth = facts(demo, protocol)
    answered: dict[str, list[Event]] = {}
    for event in simulate(tasks, protocol, truth, people, rng()):
        answered.setdefault(event.task, []).append(event)
    for task in tasks:
        questions = {event.question for event in answered[task.id]}
        if protocol.kind == "coverage":
            units = list(truth.page(task))
            assert questions | {"unmarked"} == set(protocol.asked(units)) | {"unmarked"}
        elif protocol.kind == "pyramid":
            assert questions == {"pyramid" if task.peer is None else "pyramid-peer"}
        else:
            assert questions == set(protocol.asked())


def test_form_is_seen_in_the_garbled_system(demo: Collection) -> None:
    levels = truth_from_texts(demo, load_protocol("duc-2002")).levels
    errors = {
        s: fmean(levels[t, TextRef(s, LENGTH), "4"] for t in demo.topics) for s in ("garbled", "fluent")
    }
    assert errors["garbled"] > 0.05 > errors["fluent"]


def test_signs_of_bad_form() -> None:
    text = ["The dam broke.", "and nobody", 'The dam broke again, "he said."']
    assert form_errors(text) == {"capitals": 1 / 3, "ends": 1 / 3, "repeats": 1 / 3}
    assert form_errors([]) == {"capitals": 0.0, "ends": 0.0, "repeats": 0.0}


def test_ratings_need_no_units_in_the_folder(demo: Collection) -> None:
    protocol = load_protocol("responsiveness")
    bare = replace(demo, units={})
    assert truth_from_texts(bare, protocol).levels == truth_from_texts(demo, protocol).levels


# Pyramids


def test_a_perfect_assessor_gives_the_pyramid_back(demo: Collection) -> None:
    protocol = load_protocol("pyramid")
    truth = facts(demo, protocol)
    tasks = make_tasks(demo, protocol, ["a"], "e")
    by_id = {task.id: task for task in tasks}
    for event in simulate(
        tasks, protocol, truth, [Simulated("a")], rng()
    ):  # noise .1 moves nothing past a half
        task = by_id[event.task]
        if task.peer is None:
            assert pyramid_of(event.answer) == truth.pyramids[task.topic]
        else:
            true = truth.annotations[task.topic, task.peer]
            assert annotation_of(event.answer).times() == true.times()


def test_an_overlooking_assessor_builds_a_lighter_pyramid_and_annotates_with_it(demo: Collection) -> None:
    protocol = load_protocol("pyramid")
    truth = facts(demo, protocol)
    tasks = make_tasks(demo, protocol, ["a"], "e")
    who = Simulated("a", bias=-0.4, noise=0.3)
    built: dict[str, Any] = {}
    by_id = {task.id: task for task in tasks}
    for event in simulate(tasks[::-1], protocol, truth, [who], rng()):  # the peers first
        task = by_id[event.task]
        built.setdefault(task.topic, {})[task.peer] = event.answer
    for topic, answers in built.items():
        pyramid = pyramid_of(answers.pop(None))
        assert 0 < pyramid.contributors < truth.pyramids[topic].contributors
        for answer in answers.values():
            annotation = annotation_of(answer)
            assert annotation.pyramid == pyramid.digest()
            assert set(annotation.times()) <= {0, *pyramid.weights}


# Tasks


def test_tasks_are_the_same_every_time_and_know_their_texts(demo: Collection) -> None:
    protocol = load_protocol("duc-2002")
    tasks = make_tasks(demo, protocol, ["a", "b", "c"], "e", per_page=2, repeat=0.1)
    assert tasks == make_tasks(demo, protocol, ["a", "b", "c"], "e", per_page=2, repeat=0.1)
    assert len({task.id for task in tasks}) == len(tasks)
    assert set(tasks[0].hashes) == {"peer", "reference", "peer-units", "reference-units"}
    pages = Counter((t.topic, t.peer, t.reference) for t in tasks if t.repeat_of is None)
    assert set(pages.values()) == {2}
    mine = [task for task in tasks if task.assessor == "a"]
    assert [task.position for task in mine] == list(range(len(mine)))
    repeats = [task for task in mine if task.repeat_of]
    assert len(repeats) == round(0.1 * (len(mine) - len(repeats)))
    assert {task.repeat_of for task in repeats} <= {task.id for task in mine}


def test_pairs_are_of_one_length_and_change_sides(demo: Collection) -> None:
    tasks = make_tasks(demo, load_protocol("preference-summaries"), ["a"], "e")
    peers = len(demo.peers("d01"))
    assert sum(task.topic == "d01" for task in tasks) == peers * (peers - 1) // 2
    lefts = Counter(task.left["system"] for task in tasks if task.left)
    assert len(lefts) == peers


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"assessors": ["a", "a"]}, "twice"),
        ({"per_page": 2}, "per_page"),
        ({"repeat": 1.5}, "repeat"),
        ({"protocol": load_protocol("preference-sentences")}, "sentences"),
    ],
)
def test_wrong_calls_are_refused(demo: Collection, call: dict[str, Any], message: str) -> None:
    values: dict[str, Any] = {
        "protocol": load_protocol("rating"),
        "assessors": ["a"],
        "evaluation": "e",
    } | call
    with pytest.raises(UsageError, match=message):
        make_tasks(demo, **values)
