"""The learned judge: what it is worth on systems left out, that it never sees them, its file, and its answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.analyses.catalogue.test_catalogue import check_drawn

from adjudge.assessors.cards import read_cards
from adjudge.assessors.learned.applying import AppliedJudge, apply_judge
from adjudge.assessors.learned.features import FEATURES, FeatureOptions, human_decisions, unit_features
from adjudge.assessors.learned.judge import load_judge
from adjudge.assessors.learned.training import ALL, CHANCE, MAJORITY, PEOPLE, TrainedJudge, train_judge
from adjudge.core.errors import ClashError, DataError, FormatError, UsageError
from adjudge.data.collection import load
from adjudge.data.folder import Folder
from adjudge.data.rows import Summary, Topic
from adjudge.demo.build import build
from adjudge.evaluation import Evaluation
from adjudge.judgments.batch import judgments_of
from adjudge.judgments.intake import take
from adjudge.judgments.protocol import UNIT, inconsistency, load_protocol
from adjudge.judgments.store.store import store_of
from adjudge.judgments.tasks import Event, Task, stable_id
from adjudge.stats.agreement import krippendorff

DUC = "duc-2001"
Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def demo(once: Once) -> Path:
    """The demo, judged by three simulated assessors as the page has it; copy it before changing it."""

    def fill(folder: Path) -> None:
        build(folder / "e")
        e = Evaluation.open(folder / "e")
        e.units()
        e.simulate_judgments(DUC)

    return once("learned-demo", fill) / "e"


@pytest.fixture
def folder(demo: Path, tmp_path: Path) -> Path:
    shutil.copytree(demo, tmp_path / "my-eval")
    return tmp_path / "my-eval"


@pytest.fixture(scope="module")
def trained(demo: Path) -> TrainedJudge:
    return train(demo)


def train(path: Path, **options: Any) -> TrainedJudge:
    folder = Folder.open(path)
    return train_judge(folder, load(folder), DUC, **options)


def applied(path: Path, judge: Any, **options: Any) -> AppliedJudge:
    folder = Folder.open(path)
    return apply_judge(folder, load(folder), judge, **options)


def answer_again(path: Path, change: Callable[[list[tuple[Task, Event]]], list[float]]) -> None:
    """Store other completeness answers to model units, which then count."""
    folder = Folder.open(path)
    with store_of(folder) as store:
        given = [
            (judged.task, event)
            for judged in store.current()
            for event in judged.answers.values()
            if event.question.startswith(UNIT)
        ]
        events = [
            replace(
                event,
                id=stable_id("again", event.id, str(value)),
                answer={**event.answer, "completeness": value},
                base=event.seq,
                seq=None,
                received_at=None,
            )
            for (_, event), value in zip(given, change(given), strict=True)
        ]
        take(folder, store, [("again", event) for event in events])


def shuffled(seed: int) -> Callable[[list[tuple[Task, Event]]], list[float]]:
    def change(given: list[tuple[Task, Event]]) -> list[float]:
        values = [event.answer["completeness"] for _, event in given]
        return [float(value) for value in np.random.default_rng(seed).permutation(values)]

    return change


# What it is worth


def test_it_beats_the_majority_class_and_chance_on_simulated_assessors(trained: TrainedJudge) -> None:
    for mode in ("original", "expanded"):
        assert trained.of(ALL, mode=mode).low > 0.6
        for control in (MAJORITY, CHANCE):
            found = trained.against(control, mode=mode)
            assert found.beaten
            assert 0 < found.difference.low < found.difference.value < found.difference.high
            assert found.difference.value == pytest.approx(found.judge - found.by_control)
    assert "It beats the majority class (difference" in trained.headline()
    assert ") and chance (difference" in trained.headline()
    assert "not shown" not in trained.headline()


def test_with_shuffled_answers_it_does_not(folder: Path) -> None:
    answer_again(folder, shuffled(1))
    found = train(folder)
    assert not found.against(MAJORITY).beaten
    assert not found.against(CHANCE).beaten
    assert "It beats" not in found.headline()
    assert "It is not shown to beat chance (difference" in found.headline()
    assert "Its answers are those of the majority class, every one" in found.headline()  # all is pruned
    assert abs(found.of(PEOPLE).value) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["tree", "forest"])
def test_with_shuffled_answers_no_learner_beats_a_control(demo: Path, tmp_path: Path, learner: str) -> None:
    for seed in range(10, 14):
        path = tmp_path / str(seed)
        shutil.copytree(demo, path)
        answer_again(path, shuffled(seed))
        found = train(path, learner=learner, resamples=400)
        assert not any(each.beaten for each in found.controls)
        assert "It beats" not in found.headline()


def test_the_table_names_people_baselines_and_systems(trained: TrainedJudge, demo: Path) -> None:
    table = trained.table()
    kinds = {row["system"]: row["kind"] for row in table.records()}
    assert list(kinds) == [
        *("ada", "ben", "greedy-best", "random", "centroid", "fluent", "garbled", "headlines", "vague"),
        *(ALL, MAJORITY, CHANCE, PEOPLE),
    ]
    assert (kinds["ada"], kinds["random"], kinds["vague"]) == ("human", "baseline", "system")
    row = table.row(system="vague")
    own = trained.of("vague", mode="original")
    assert (row["multi_original"], row["multi_original_low"], row["multi_original_decisions"]) == (
        own.value,
        own.low,
        own.units,
    )
    systems = [row for row in table.records() if row["kind"] in ("human", "baseline", "system")]
    assert sum(row["multi_expanded_decisions"] for row in systems) == trained.of(ALL).units  # type: ignore[misc]
    for who in (
        ALL,
        MAJORITY,
        CHANCE,
        PEOPLE,
    ):  # one task is all there is: the headline's numbers are the table's
        assert trained.of(who) == trained.of(who, "multi")
    for who in (MAJORITY, CHANCE, PEOPLE):
        assert trained.of(who, mode="original") == trained.of(who, mode="expanded")
    frame = trained.to_frame()
    assert list(frame["system"]) == list(kinds)
    assert "multi expanded" in table.to_text()
    assert "all_expanded" not in frame  # which would be the same
    assert trained.as_dict()["tables"][1]["table"] == "judge-controls"


def test_alpha_is_that_of_what_models_without_the_system_predict(trained: TrainedJudge, demo: Path) -> None:
    """By plain steps from the judge's own models: predict each system with the model that lacks it."""
    folder = Folder.open(demo)
    own = load(folder)
    people = human_decisions(own, judgments_of(folder, own), load_protocol(DUC))
    features = unit_features(own, load_protocol(DUC), people.decisions, people.full, FeatureOptions())
    held = trained.judge.models["multi"]["expanded"]
    x = features.expanded()
    pairs = []
    for row, each in enumerate(people.decisions):
        (answer,) = held.without[each.peer.system].predict(x[[row]])
        pairs.append((each.peer.system, each.consensus, float(answer)))
    for system in ("ada", "vague"):
        values = [pair[1:] for pair in pairs if pair[0] == system]
        alpha = krippendorff(values, rng=np.random.default_rng(0), resamples=0).value
        assert trained.of(system).value == pytest.approx(alpha)
    alpha = krippendorff([pair[1:] for pair in pairs], rng=np.random.default_rng(0), resamples=0).value
    assert trained.of(ALL).value == pytest.approx(alpha)


@pytest.mark.parametrize("expand", ["others", pytest.param("paper", marks=pytest.mark.slow)])
def test_a_system_that_is_left_out_is_never_seen(folder: Path, trained: TrainedJudge, expand: str) -> None:
    """Whatever people say of it: the model without it stays as it is, and so do the units beside model units.

    The paper's rule lets its units stand beside those of others, so there its answers are seen.
    """

    def otherwise(given: list[tuple[Task, Event]]) -> list[float]:
        return [
            (1.0 if event.answer["marked"] else 0.0)
            if task.peer is not None and task.peer.system == "fluent"
            else event.answer["completeness"]
            for task, event in given
        ]

    before = trained if expand == "others" else train(folder, expand=expand, resamples=0)
    answer_again(folder, otherwise)
    after = train(folder, expand=expand, resamples=0)

    def model(found: TrainedJudge, system: str | None) -> Any:
        held = found.judge.models["multi"]["expanded"]
        return held.model if system is None else held.without[system]

    assert model(before, None) != model(after, None)
    assert model(before, "vague") != model(after, "vague")  # which has seen fluent's answers
    assert (model(before, "fluent") == model(after, "fluent")) is (expand == "others")
    originals = [found.judge.models["multi"]["original"].without["fluent"] for found in (before, after)]
    assert originals[0] == originals[1]


def test_single_and_multi_are_learned_apart(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "topics.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines[:6]:
        line["task"] = "single"
    (folder / "topics.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    found = train(folder, learner="logistic", resamples=200)
    assert set(found.judge.models) == {"single", "multi"}
    row = found.table().row(system="vague")
    names = (
        "multi_original",
        "multi_expanded",
        "single_original",
        "single_expanded",
        "all_original",
        "all_expanded",
    )
    assert all(isinstance(row[name], float) for name in names)
    assert row["single_original_decisions"] + row["multi_original_decisions"] == row["all_original_decisions"]  # type: ignore[operator]
    assert {(each.task, each.control) for each in found.controls} == {
        (task, control) for task in ("single", "multi", ALL) for control in (MAJORITY, CHANCE)
    }
    done = applied(folder, found.judge)
    assert done.answers == done.card.answered
    half = replace(found.judge, models={"multi": found.judge.models["multi"]})
    assert any("trained on multi topics" in line for line in applied(folder, half, name="half").sentences)
    (folder / "topics.jsonl").write_text(
        "\n".join(json.dumps(line | {"task": None}) for line in lines) + "\n", encoding="utf-8"
    )
    with pytest.raises(UsageError, match="a topic's task is not set"):
        applied(folder, found.judge, name="third")


def test_one_system_alone_teaches_nothing_about_others(make: Callable[..., Evaluation]) -> None:
    rows: list[Any] = []
    for k in range(6):
        rows += [
            Topic(f"t{k}"),
            Summary(f"t{k}", "ref", f"Red oak {k} fell. Rain came.", roles=("reference",)),
            Summary(f"t{k}", "only", f"Red oak {k} fell. Sun shone."),
        ]
    e = make(*rows)
    e.units()
    e.simulate_judgments(DUC)
    found = train(e.path)
    assert found.of(ALL).why == "there is no other system to learn from"
    assert "there is no other system to learn from" in found.headline()
    assert any("no other system than only" in note for note in found.notes)
    done = applied(e.path, found.judge)
    assert (done.own_training_data, done.held_out) == (6, 0)
    assert any(line.startswith("6 summaries of its only training system") for line in done.sentences)


def test_few_topics_have_no_interval_and_nothing_is_said(small: Evaluation) -> None:
    small.units()
    small.simulate_judgments(DUC)
    found = train(small.path)
    assert found.of(ALL).why is None  # alpha is there, its interval is not
    assert found.against(CHANCE).beaten is None
    assert found.headline().endswith("too few clusters to resample (3, needs 5).")
    assert "It beats" not in found.headline()


def test_a_seed_gives_the_same_judge(trained: TrainedJudge, demo: Path) -> None:
    again = train(demo, resamples=0)
    assert again.judge == trained.judge
    for who in ("vague", ALL, CHANCE):
        assert again.of(who).value == trained.of(who).value


def test_mistakes_are_one_line(folder: Path, make: Callable[..., Evaluation], small: Evaluation) -> None:
    own, collection = Folder.open(folder), load(Folder.open(folder))
    with pytest.raises(UsageError, match='no learner "tre"'):
        train(folder, learner="tre")
    with pytest.raises(UsageError, match="nobody named"):
        train(folder, without=["nobody"])
    with pytest.raises(UsageError, match="asks no completeness"):
        train_judge(own, collection, "rating")
    with pytest.raises(DataError, match="nobody has judged"):
        train_judge(own, collection, "duc-2002")
    with pytest.raises(DataError, match="nobody has judged"):
        train(small.path)
    assert not small.has_judgments  # asking made no store


def test_an_assessor_can_be_left_out(folder: Path) -> None:
    found = train(folder, learner="majority", without=["simulated-2"], resamples=0)
    assert found.judge.trained_on.assessors == ("simulated-1", "simulated-3")
    assert found.judge.trained_on.answers == 2 * found.judge.trained_on.decisions


# Its file


def test_a_saved_judge_comes_back(trained: TrainedJudge, tmp_path: Path) -> None:
    trained.save(tmp_path / "judge.json")
    again = load_judge(tmp_path / "judge.json")
    assert again == trained.judge
    assert again.digest == trained.judge.digest
    assert again.rules() == trained.rules()
    assert again.rules()["multi original"][0].startswith(FEATURES[0])


def test_damaged_files_are_one_line(trained: TrainedJudge, tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    trained.save(path)
    good = path.read_text(encoding="utf-8")
    data = json.loads(good)
    models = data["models"]["multi"]

    def changed(**more: Any) -> str:
        return json.dumps(data | more)

    for text in (
        good[:-100],
        "[]",
        "{}",
        "\0",
        changed(version=2),
        changed(learner=3),
        changed(learner="oracle"),
        changed(seed=-1),
        changed(options={"expand": "all"}),
        changed(options={"eval": "1"}),
        changed(labels=[1]),
        changed(trained_on={}),
        changed(trained_on=data["trained_on"] | {"peers": []}),
        changed(models={}),
        changed(models={"multi": {"original": models["original"]}}),
        changed(models={"multi": models | {"expanded": {"model": {"kind": "pickle"}, "without": {}}}}),
        changed(models={"multi": models | {"expanded": {"model": models["original"]["model"]}}}),
        json.dumps({key: value for key, value in data.items() if key != "models"}),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=r"judge\.json") as error:
            load_judge(path)
        assert "\n" not in str(error.value)
    path.write_bytes(b"\xff\xfe\x00\xd8")
    with pytest.raises(FormatError):
        load_judge(path)
    with pytest.raises(DataError):
        load_judge(tmp_path / "none.json")


# Its answers


def test_it_answers_as_an_assessor_that_is_learned(folder: Path, trained: TrainedJudge) -> None:
    done = applied(folder, trained.judge, name="tree")
    with store_of(Folder.open(folder)) as store:
        own = store.current(assessor="tree")
    events = [event for judged in own for event in judged.answers.values()]
    assert len(events) == done.answers == trained.of(ALL).units
    assert {event.origin for event in events} == {"learned"}
    assert all(event.question.startswith(UNIT) for event in events)  # quality stays open
    assert all(inconsistency(event.answer) is None for event in events)
    assert {event.answer["completeness"] for event in events} == {0.0, 0.25, 0.5, 0.75, 1.0}
    # The summaries were in its training data, so these are the answers that the table is about.
    folder_ = Folder.open(folder)
    collection = load(folder_)
    people = human_decisions(collection, judgments_of(folder_, collection), load_protocol(DUC))
    human = {(d.topic, d.peer, d.reference, d.unit): d.consensus for d in people.decisions}
    pairs = [
        (human[j.task.topic, j.task.peer, j.task.reference, q.removeprefix(UNIT)], e.answer["completeness"])  # type: ignore[index]
        for j in own
        for q, e in j.answers.items()
    ]
    alpha = krippendorff(pairs, rng=np.random.default_rng(0), resamples=0).value
    assert alpha == pytest.approx(trained.of(ALL).value)
    assert done.held_out == done.summaries == 108
    assert any(line.startswith("108 of 108 summaries ") for line in done.sentences)
    (card,) = read_cards(folder_, "tree")
    assert (card.kind, card.model, card.protocol) == ("learned", "tree", DUC)
    assert card.settings["file"] == trained.judge.digest in card.signature
    assert card.asked == card.answered == done.answers


def test_applying_twice_adds_nothing(folder: Path, trained: TrainedJudge, tmp_path: Path) -> None:
    trained.save(tmp_path / "judge.json")
    first = applied(folder, tmp_path / "judge.json")
    again = applied(folder, tmp_path / "judge.json")
    assert first.tasks > 0
    assert (again.tasks, again.answers, again.answers_there) == (0, 0, first.answers)
    assert f"0 answers added; {first.answers:,} answers " in again.headline()
    # and its answers are no people's: whoever is trained now learns from the same
    own = Folder.open(folder)
    collection = load(own)
    people = human_decisions(collection, judgments_of(own, collection), load_protocol(DUC))
    assert sum(len(each.answers) for each in people.decisions) == trained.judge.trained_on.answers


def test_names_that_are_taken_are_refused(folder: Path, trained: TrainedJudge) -> None:
    with pytest.raises(ClashError, match="simulated-1"):
        applied(folder, trained.judge, name="simulated-1")
    applied(folder, trained.judge, name="tree")
    other = replace(trained.judge, seed=7)
    with pytest.raises(ClashError, match="another judge"):
        applied(folder, other, name="tree")
    for name in ("", "anonymous"):
        with pytest.raises(UsageError, match="no name for a judge"):
            applied(folder, trained.judge, name=name)


def test_other_protocols_must_know_its_answers(folder: Path, trained: TrainedJudge) -> None:
    with pytest.raises(UsageError, match=r"would answer 0\.25, which duc-2002"):
        applied(folder, trained.judge, protocol="duc-2002")
    with pytest.raises(UsageError, match="asks no completeness"):
        applied(folder, trained.judge, protocol="rating")
    own = folder / "own.toml"
    own.write_text('name = "own"', encoding="utf-8")
    for name in ("unheard-of", str(own)):  # a file's word is no path
        with pytest.raises(UsageError, match="a protocol that is not here"):
            applied(folder, replace(trained.judge, protocol=name))


def test_where_nobody_judged_model_units_are_not_expanded(small: Evaluation, trained: TrainedJudge) -> None:
    with pytest.raises(DataError, match="has no units"):
        applied(small.path, trained.judge)
    small.units()
    done = applied(small.path, trained.judge)
    assert done.mode == "original"
    assert any("(expand=none instead of others)" in line for line in done.sentences)
    assert any("not in its training data" in line for line in done.sentences)
    assert done.held_out == 0
    with store_of(Folder.open(small.path)) as store:
        (good,) = [
            judged
            for judged in store.current(assessor="tree")
            if judged.task.topic == "t1"
            and judged.task.peer is not None
            and judged.task.peer.system == "good"
            and judged.task.reference is not None
            and judged.task.reference.system == "ann"
        ]
    (event,) = good.answers.values()
    # "A storm began Monday and ended Tuesday." in "The storm began on Monday and ended on Tuesday."
    assert event.answer["completeness"] == 1.0
    assert len(event.answer["marked"]) == 1


def test_the_figure_shows_the_systems_that_were_left_out(trained: TrainedJudge) -> None:
    figure = trained.figure()
    check_drawn(figure)
    for row in figure.data.itertuples():
        found = trained.of(row.system, mode=row.who.split()[0])
        assert (row.alpha, row.low, row.high) == (found.value, found.low, found.high)
    systems = {each.who for each in trained.agreement if each.kind in ("human", "baseline", "system")}
    assert set(figure.data["system"]) == systems
    assert f"{trained.of(ALL).value:.2f} with expanded model units" in figure.words
    assert f"people's alpha with each other, {trained.of(PEOPLE).value:.2f}" in figure.words


def test_what_it_is_worth_on_one_task(folder: Path) -> None:
    """As if nothing else had been judged; figures 5 and 6 of the paper."""
    topics = [json.loads(line) for line in (folder / "topics.jsonl").read_text(encoding="utf-8").splitlines()]
    for at, row in enumerate(topics):
        row["task"] = "single" if at < 5 else "multi"
    (folder / "topics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in topics), encoding="utf-8")
    both = train(folder, resamples=20)
    one = both.for_task("single")
    assert {"single_original", "multi_original", "all_original"} <= {c.name for c in both.table().columns}
    assert [c.name for c in one.table().columns if "multi" in c.name or c.name.startswith("all")] == []
    for row in both.agreement:
        if row.task == "single":
            assert one.of(row.who, mode=row.mode) == row.alpha
    assert one.against(CHANCE).difference == both.against(CHANCE, "single").difference
    figure = both.figure(task="single")
    check_drawn(figure)
    assert f"{one.of(ALL).value:.2f} with expanded model units" in figure.words
    assert figure.title.endswith("single-document topics")
    with pytest.raises(DataError, match="other-document topics"):
        both.for_task("other")
