from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudge.core.errors import DataError, FormatError, UsageError
from adjudge.judgments.protocol import inconsistency, load_protocol, parse_protocol, protocol_names


def test_what_is_shipped() -> None:
    assert protocol_names() == (
        "duc-2001",
        "duc-2002",
        "linguistic-quality",
        "mismatch",
        "preference-sentences",
        "preference-summaries",
        "pyramid",
        "rating",
        "responsiveness",
    )
    for name in protocol_names():
        protocol = load_protocol(name)
        assert protocol.name == name
        assert protocol.version
        assert protocol.guidelines


# Lin and Hovy 2002, section 3.1; Over and Liggett 2002, slides on overall peer quality and per-unit content.
def test_the_scales_are_the_papers() -> None:
    first, second = load_protocol("duc-2001"), load_protocol("duc-2002")
    assert first.completeness is not None
    assert [(c.label, c.value) for c in first.completeness.choices] == [
        ("all", 1),
        ("most", 0.75),
        ("some", 0.5),
        ("hardly any", 0.25),
        ("none", 0),
    ]
    assert (first.model_units, second.model_units, second.peer_units) == ("sentence", "edu", "sentence")
    assert [q.label for q in first.questions] == ["grammaticality", "cohesion", "coherence"]
    assert second.completeness is not None
    assert second.completeness.values == (0, 0.2, 0.4, 0.6, 0.8, 1)
    assert [q.id for q in second.questions] == [f"quality:{k}" for k in range(1, 13)]
    assert {q.values for q in second.questions} == {("0", "1-5", "6-10", ">10")}
    assert [q.values for q in load_protocol("linguistic-quality").questions] == [(1, 2, 3, 4, 5)] * 5


@pytest.mark.parametrize(
    ("unmarked", "choices"),
    [(0, ()), (2, (0, 1)), (3, (0, 0.6, 1)), (4, (0, 0.2, 0.6, 0.8, 1)), (5, (0, 0.2, 0.4, 0.6, 0.8, 1))],
)
def test_few_unmarked_units_leave_fewer_choices(unmarked: int, choices: tuple[float, ...]) -> None:
    assert tuple(c.value for c in load_protocol("duc-2002").unmarked_choices(unmarked)) == choices


def test_what_a_task_asks() -> None:
    asked = list(load_protocol("duc-2002").asked(["a", "b"]))
    assert asked[:4] == ["unit:a", "unit:b", "unmarked", "quality:1"]
    assert len(asked) == 15
    assert "unmarked" not in load_protocol("duc-2001").asked(["a"])
    assert list(load_protocol("preference-sentences").asked()) == ["preference"]


GOOD: list[tuple[str, str, Any]] = [
    ("duc-2002", "unit:m1", {"marked": ["p1", "p2"], "completeness": 0.6}),
    ("duc-2002", "unit:m1", {"marked": [], "completeness": 0}),
    ("duc-2001", "unit:m1", {"marked": ["p1"], "completeness": 0.75}),
    ("duc-2002", "unmarked", {"relevant": 0.6}),
    ("duc-2002", "quality:12", {"value": ">10"}),
    ("responsiveness", "rating:content", {"value": 5}),
    ("preference-summaries", "preference", {"winner": "tie"}),
    ("pyramid", "pyramid", {"scus": []}),
    ("rating", "comment", {"text": "odd"}),
    ("rating", "rating:fluency", None),
]


@pytest.mark.parametrize(("protocol", "question", "answer"), GOOD)
def test_good_answers(protocol: str, question: str, answer: Any) -> None:
    known = load_protocol(protocol)
    known.check(question, answer, model_units=["m1"], peer_units=["p1", "p2"], unmarked=3)
    with pytest.raises(DataError):  # nothing is taken for an answer that is none
        known.check(question, "good")


@pytest.mark.parametrize(
    ("protocol", "question", "answer", "said"),
    [
        (
            "duc-2002",
            "unit:m1",
            {"marked": ["p1"], "completeness": 0.5},
            "no answer, expected one of: 0.0, 0.2",
        ),
        ("duc-2002", "unit:m9", {"marked": [], "completeness": 0}, "the reference has no such unit"),
        ("duc-2002", "unit:m1", {"marked": ["p9"], "completeness": 0}, 'the peer has no unit "p9"'),
        ("duc-2002", "unit:m1", {"marked": ["p1", "p1"], "completeness": 1}, "marked twice"),
        ("duc-2002", "unit:m1", {"completeness": 1}, '"marked" is null'),
        ("duc-2002", "unmarked", {"relevant": 0.2}, "cannot be said of 3 unmarked"),
        ("duc-2002", "quality:13", {"value": "0"}, 'no question "quality:13" (nearest'),
        ("duc-2002", "quality:1", {"value": 0}, "no answer"),
        ("rating", "rating:fluency", {"value": True}, "no answer"),
        ("rating", "rating:fluency", 3, "expected an object"),
        ("preference-sentences", "preference", {"winner": "tie"}, "expected one of: left, right, skip"),
        ("rating", "flag", {}, '"text"'),
    ],
)
def test_bad_answers(protocol: str, question: str, answer: Any, said: str) -> None:
    with pytest.raises(DataError) as error:
        load_protocol(protocol).check(question, answer, model_units=["m1"], peer_units=["p1"], unmarked=3)
    assert said in str(error.value)


def test_answers_that_contradict_themselves_are_named() -> None:
    assert inconsistency({"marked": ["p1"], "completeness": 0})
    assert inconsistency({"marked": [], "completeness": 0.2})
    assert inconsistency({"marked": [], "completeness": 0}) is None
    assert inconsistency({"marked": ["p1"], "completeness": 1}) is None


OWN = """
name = "mine"
version = "3"
kind = "rating"
title = "Mine"
[[aspects]]
key = "tone"
ask = "Is the tone right?"
choices = ["no", "yes"]
"""


def test_a_protocol_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN, encoding="utf-8")
    protocol = load_protocol(path)
    assert protocol.question("rating:tone").values == ("no", "yes")
    protocol.check("rating:tone", {"value": "yes"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("kind", "kin"), '"kind" is null, expected one of: coverage'),
        (('"rating"', '"pyramid"'), '"aspects" is not known in a pyramid'),
        (("[[aspects]]", "[[aspect]]"), '"aspect" is not known (nearest: "aspects")'),
        (('["no", "yes"]', '["no"]'), "[aspects]: expected two choices or more"),
        (('["no", "yes"]', '["no", "no"]'), "two choices have the same value"),
        (('ask = "Is', 'asked = "Is'), '"asked" is not known'),
        (('version = "3"', "version = 3"), '"version" is 3, expected a text'),
        (("choices", "choices ="), "not TOML"),
    ],
)
def test_mistakes_are_one_line(change: tuple[str, str], said: str) -> None:
    with pytest.raises(FormatError) as error:
        parse_protocol(OWN.replace(*change), "mine.toml")
    assert said in str(error.value)
    assert str(error.value).startswith("mine.toml: ")


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match='no protocol "duc2002" .nearest: "duc-2002"'):
        load_protocol("duc2002")
    with pytest.raises(DataError, match="absent.toml: no such file; put a TOML file there"):
        load_protocol("absent.toml")
