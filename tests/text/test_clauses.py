from __future__ import annotations

import pytest

from adjudge.text.clauses import Clauses
from adjudge.text.verbs import NOUN_TOO, VERBS, base_of, form


def finite(text: str) -> list[str]:
    clauses = Clauses(text)
    return [word for word, is_finite in zip(clauses.surface, clauses.finite, strict=True) if is_finite]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("was", "auxiliary"),
        ("don't", "auxiliary"),
        ("they've", "auxiliary"),
        ("went", "past"),
        ("walked", "ed"),
        ("told", "ed"),
        ("stolen", "participle"),
        ("forcing", "ing"),
        ("wants", "present"),
        ("tries", "present"),
        ("believe", "base"),
        ("hundred", ""),
        ("morning", ""),
        ("state-owned", ""),
        ("harbour", ""),
    ],
)
def test_form(word: str, expected: str) -> None:
    assert form(word) == expected


def test_base_of() -> None:
    assert [base_of(word) for word in ("tries", "reaches", "wants", "harbours")] == [
        "try",
        "reach",
        "want",
        "",
    ]


def test_nouns_too_are_verbs() -> None:
    assert NOUN_TOO <= VERBS


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("The wounded soldiers walked home.", ["walked"]),
        ("The bridge was closed by inspectors.", ["was"]),
        ("The bridge, built by the army, fell.", ["fell"]),
        ("Two men accused of theft left in May.", ["accused", "left"]),  # a known limit: "accused" is none
        ("He may leave on May 5 with Will Smith.", ["may"]),
        ("The ban on plans to sell arms failed.", ["failed"]),
        ("The law bans smoking.", ["bans"]),
        ("Aid workers fear that rain will come.", ["fear", "will"]),
        ("It's late and they don't know.", ["It's", "don't"]),
        ("another said it and the other laughed", ["said", "laughed"]),
    ],
)
def test_finite_verbs(text: str, verbs: list[str]) -> None:
    assert finite(text) == verbs


def test_tokens_keep_numbers_dates_and_contractions_whole() -> None:
    clauses = Clauses("The 15-year-old didn’t pay $1,200.50 at 5:30, townsend 's team won 1-0.")
    assert clauses.surface == [
        *["The", "15-year-old", "didn’t", "pay", "$1,200.50", "at", "5:30", ","],
        *["townsend", "'s", "team", "won", "1-0", "."],
    ]


def test_relative_clauses_have_no_main_verb() -> None:
    clauses = Clauses("the man who was hurt")
    assert clauses.finite[3]
    assert not clauses.has_main_verb(0, len(clauses))
    assert Clauses("the man was hurt").has_main_verb(0, 4)


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("the union wants more", 2),
        ("a charge it denies", None),
        ("wheat and barley", None),
        ("wants more", None),
    ],
)
def test_clause_verb(text: str, verb: int | None) -> None:
    clauses = Clauses(text)
    assert clauses.clause_verb(0, len(clauses)) == verb


def test_brackets_and_short_quotes_are_closed() -> None:
    clauses = Clauses('He (and she) said it was "dead and buried" and left.')
    assert [word for word, shut in zip(clauses.words, clauses.closed, strict=True) if shut] == [
        *["and", "she", ")"],
        *["dead", "and", "buried", '"'],
    ]


def test_long_quotes_are_open() -> None:
    clauses = Clauses('"It was dark and we could not see the road," he said.')
    assert not any(clauses.closed)


@pytest.mark.parametrize(
    ("text", "infinitive"),
    [
        ("to mediate", True),
        ("to quickly win", True),
        ("to plonk the ball", True),
        ("to London", False),
        ("to it", False),
    ],
)
def test_infinitives(text: str, infinitive: bool) -> None:
    assert Clauses(text).is_infinitive(0) is infinitive
