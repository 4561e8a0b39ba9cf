"""The demo's texts hold what they promise; a script checks them, and the script can fail."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from tools import check_demo

from adjudge.data.rows import Summary
from adjudge.demo.build import LENGTH, PEERS_TOO, SYSTEMS, build, items, stories
from adjudge.evaluation import Evaluation
from adjudge.text.words import count_words

Topic = dict[str, Any]


def test_the_script_finds_nothing() -> None:
    topics = check_demo.load()
    assert len(topics) >= 12
    assert {t["type"] for t in topics} == set(check_demo.TYPES)
    assert check_demo.findings(topics) == []


def copied(topic: Topic) -> None:
    topic["references"]["ben"] = topic["references"]["ada"]


def one_sentence_again(topic: Topic) -> None:
    topic["documents"][1]["text"][2] = topic["documents"][0]["text"][0]


def a_misquote(topic: Topic) -> None:
    topic["facts"][0]["said"] = {"ada": "this was never said"}


def the_same_wording(topic: Topic) -> None:
    fact = next(f for f in topic["facts"] if len(f["said"]) > 1)
    first, second = list(fact["said"])[:2]
    quote = fact["said"][first]
    topic["references"][second] = [*topic["references"][second], quote + "."]
    fact["said"][second] = quote


def dates_out_of_order(topic: Topic) -> None:
    topic["documents"].reverse()


def too_long(topic: Topic) -> None:
    topic["lengths"]["50"]["ada"] = topic["lengths"]["200"]["ada"]


def a_number_of_its_own(topic: Topic) -> None:
    topic["lengths"]["10"]["ben"] = ["Dam collapse: 17 dead, 219 homes lost, 85 million damage."]


def a_name_of_its_own(topic: Topic) -> None:
    topic["references"]["dev"][-1] = (
        "The government now wants all 74 comparable dams examined by Prof. Quiller."
    )


def from_a_document(topic: Topic) -> None:
    topic["lengths"]["200"]["ada"][0] = topic["documents"][3]["text"][3]


def said_at_ten_words_alone(topic: Topic) -> None:
    topic["lengths"]["10"]["ada"] = ["Youngest of the dead was a boy from Osier Ford."]


def no_such_sentence(topic: Topic) -> None:
    topic["extracts"]["200"]["chloe"][-1] = "d01-4:11"


def a_sentence_chosen_twice(topic: Topic) -> None:
    topic["extracts"]["200"]["chloe"].append(topic["extracts"]["200"]["chloe"][-1])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (too_long, "ada at 50 words: words: "),
        (a_number_of_its_own, "ben at 10 words: '219' is not in the documents"),
        (a_name_of_its_own, "dev at 100 words: 'Quiller' is not in the documents"),
        (from_a_document, "ada at 200 words copies 'philip stroud resigned on sunday as director of"),
        (said_at_ten_words_alone, "ada says 'Osier' at 10 words and not at 51"),
        (no_such_sentence, "chloe: no sentence ('d01-4', 11)"),
        (a_sentence_chosen_twice, "each sentence once"),
        (copied, "share 100% of their 4-grams"),
        (one_sentence_again, "stands in d01"),
        (a_misquote, "does not say"),
        (the_same_wording, "in the same words"),
        (dates_out_of_order, "not in date order"),
    ],
)
def test_the_script_finds_what_is_spoilt(spoil: Any, said: str) -> None:
    topics = copy.deepcopy(check_demo.load())
    spoil(topics[0])
    assert any(said in line for line in check_demo.findings(topics))


def test_the_demo_is_a_valid_evaluation_with_all_it_needs(tmp_path: Path) -> None:
    build(tmp_path / "e")
    e = Evaluation.open(tmp_path / "e")
    e.baselines()
    collection = e.collection
    assert len(collection.topics) == 12
    assert all(len(collection.references(t)) == 4 for t in collection.topics)
    assert all(3 <= len(collection.documents[t]) <= 6 for t in collection.topics)
    peers = {s.system for s in collection.all_summaries() if s.is_peer}
    assert len(peers) == 11
    assert {"lead", "coverage", "random", "greedy-best", *PEERS_TOO} <= peers
    report = e.check()
    assert report.errors == 0
    assert {f.code for f in report.findings} <= {"truncated"}


def test_what_is_simulated_is_called_so() -> None:
    written = {system for story in stories() for system in story["systems"]}
    assert all("simulated" in (s.label or "") for s in SYSTEMS if s.system in written | {"garbled"})


def test_the_same_seed_gives_the_same_texts_and_only_random_depends_on_it() -> None:
    def texts(seed: int) -> dict[tuple[Any, ...], str]:
        return {s.key: s.text for _, s in items(seed) if isinstance(s, Summary)}

    one, two = texts(1), texts(2)
    assert one == texts(1)
    assert {key[1] for key in one if one[key] != two[key]} == {"random"}
    extracts = {"random", "greedy-best", "centroid"}
    assert all(count_words(text) <= LENGTH for key, text in one.items() if key[1] in extracts)


def test_systems_differ_visibly(tmp_path: Path) -> None:
    build(tmp_path / "e")
    e = Evaluation.open(tmp_path / "e")
    e.score("rouge-1-recall")
    found = e.compare("rouge-1-recall")
    rank = {s.system: s.rank for s in found.standings}
    assert rank["greedy-best"] == 1
    assert rank["random"] > rank["centroid"]
    assert {s.system for s in found.standings[-2:]} == {"vague", "headlines"}
    assert sum(pair.different for pair in found.pairs["t"]) >= 15
