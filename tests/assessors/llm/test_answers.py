"""What a reply says, and that nothing is read into it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudge.assessors.llm.answers import (
    CUT_SHORT,
    LONGEST,
    NO_LOGPROBS,
    NO_MARKS,
    NOT_COVERED,
    NOT_FOUND,
    OFF_SCALE,
    SEVERAL,
    TOO_LONG,
    AnswerForm,
    answer_form,
    weighted_form,
)
from adjudge.assessors.llm.exchange import REFUSED, ChatReply
from adjudge.core.errors import UsageError
from adjudge.judgments.kinds.preference import SIDES, TIE
from adjudge.judgments.protocol import Choice, Question

LABELS = ("very poor", "poor", "barely acceptable", "good", "very good")
SCALE = tuple(Choice(n, label) for n, label in enumerate(LABELS, 1))
FORM = answer_form("value", SCALE)
UNITS = answer_form(
    "completeness",
    [Choice(n / 5, f"{20 * n} %") for n in range(6)],
    units=[("a", "u1"), ("b", "u2"), ("c", "u3")],
)
PAIR = answer_form("winner", SIDES, words=("A", "B"))
PAIR_OR_TIE = answer_form("winner", (*SIDES, TIE), words=("A", "B", "tie"))
WEIGHTED = weighted_form(Question("q", "?", SCALE))


def read(text: str, form: AnswerForm = FORM, finish: str = "stop") -> tuple[Any, str | None]:
    found = form.read(ChatReply(text, finish=finish))
    return found.answer, found.reason


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": 4}',
        '{"answer": 4.0}',
        '{"answer": "4"}',
        '{"answer": "Good"}',
        '{"rating": 4}',
        '{"reason": "clear", "answer": 4}',
        '```json\n{"answer": 4}\n```',
        'Here it is: {"answer": 4}. I hope it helps.',
        '{"answer": 4}\n{"answer": 4}',
        '<think>perhaps {"answer": 2}</think>{"answer": 4}',
        "4",
        " 4.\n",
        "**4**",
        '"4"',
        "good",
        "Good.",
        "Answer: 4",
        "The answer is 4",
        "4 - good",
        "4 (good)",
        "4: good",
        "Rating: **4**",
    ],
)
def test_an_answer_is_read_however_it_is_wrapped(text: str) -> None:
    assert read(text) == ({"value": 4}, None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"answer": 7}', OFF_SCALE),
        ('{"answer": 3.5}', OFF_SCALE),
        ('{"answer": true}', OFF_SCALE),
        ('{"answer": null}', OFF_SCALE),
        ('{"answer": NaN}', OFF_SCALE),
        ('{"answer": "excellent"}', OFF_SCALE),
        ("0", OFF_SCALE),
        ("-4", OFF_SCALE),
        ("7.", OFF_SCALE),
        ("", NOT_FOUND),
        ("It is a fine summary.", NOT_FOUND),
        ("I would give it a 4 because it is clear.", NOT_FOUND),
        ("Rating: 4\nBecause it is clear.", NOT_FOUND),
        ('{"answer": {"value": 4}}', NOT_FOUND),
        ('{"answer": [4]}', NOT_FOUND),
        ('{"coherence": 4, "fluency": 5}', NOT_FOUND),
        ('{"answer": ', NOT_FOUND),
        ("4/5", NOT_FOUND),
        ("I'm sorry, but I cannot rate this text.", REFUSED),
        ("As an AI, I do not judge.", REFUSED),
        ("4\n5", SEVERAL),
        ("4 (poor)", SEVERAL),
        ('{"answer": 4} or {"answer": 5}', SEVERAL),
        ('{"answer": 4} or {"answer": 7}', SEVERAL),
        ('{"answer": 4, "answer": 5}', SEVERAL),
    ],
)
def test_what_is_no_answer_is_missing_with_its_reason(text: str, why: str) -> None:
    assert read(text) == (None, why)


def test_what_was_cut_short_is_no_answer_unless_its_json_is_whole() -> None:
    assert read('{"answer": ', finish="length") == (None, CUT_SHORT)
    assert read("1", finish="length") == (None, CUT_SHORT)  # of 10?
    assert read('{"answer": 2} and I say so bec', finish="length") == ({"value": 2}, None)
    assert read("", finish="content_filter") == (None, REFUSED)
    assert FORM.read(ChatReply(None, why="time-out")).reason == "time-out"


def test_reasons_are_counted_without_their_particulars() -> None:
    assert {FORM.read(ChatReply(f'{{"answer": {n}}}')).reason for n in (6, 7, 8)} == {OFF_SCALE}


def test_a_unit_has_marks_and_a_completeness() -> None:
    assert read('{"marked": ["a", "C"], "answer": 0.6}', UNITS) == (
        {"marked": ["u1", "u3"], "completeness": 0.6},
        None,
    )
    assert read('{"marked": [], "answer": 0}', UNITS) == ({"marked": [], "completeness": 0.0}, None)
    assert read('{"marked": ["a", "a"], "answer": 1}', UNITS)[0] == {"marked": ["u1"], "completeness": 1.0}
    assert read('{"marked": ["d"], "answer": 1}', UNITS) == (None, "no such unit")
    assert read('{"marked": "a", "answer": 1}', UNITS) == (None, NO_MARKS)
    assert read('{"answer": 1}', UNITS) == (None, NO_MARKS)
    assert read('{"marked": ["a"], "answer": 0.5}', UNITS) == (None, OFF_SCALE)
    assert read("0.6", UNITS) == (None, NOT_FOUND)


def test_a_preference_has_a_tie_only_where_the_protocol_has_one() -> None:
    assert read('{"answer": "A"}', PAIR) == ({"winner": "left"}, None)
    assert read("text B", PAIR) == ({"winner": "right"}, None)
    assert read('{"answer": "tie"}', PAIR_OR_TIE) == ({"winner": "tie"}, None)
    assert read('{"answer": "tie"}', PAIR) == (None, OFF_SCALE)


def test_every_answer_that_the_schema_allows_is_read_back() -> None:
    for form in (FORM, PAIR_OR_TIE, answer_form("value", [Choice("0", "0"), Choice("1-5", "1-5")])):
        schema = form.schema()
        assert schema is not None
        written = schema["properties"]["answer"]["enum"]
        said = [read(json.dumps({"answer": each}), form)[0] for each in written]
        assert said == [{form.field: option.value} for option in form.options]


# By probabilities


QUESTION = Question("rating:x", "How good?", SCALE)
PAIR = answer_form("winner", SIDES, words=("A", "B"))
PAIR_OR_TIE = answer_form("winner", (*SIDES, TIE), words=("A", "B", "tie"))
WEIGHTED = weighted_form(QUESTION)


def weighed(*tokens: tuple[str, float], form: AnswerForm = WEIGHTED) -> tuple[Any, str | None]:
    listed = tuple((token, math.log(p)) for token, p in tokens)
    found = form.read(ChatReply(tokens[0][0], tokens=(listed,), finish="length"))
    return found.answer, found.reason


def test_a_weighted_score_is_the_mean_of_the_scale_by_probability() -> None:
    answer, why = weighed(("4", 0.5), ("3", 0.2), ("5", 0.15), ("2", 0.1), ("1", 0.05))
    assert why is None
    assert answer == {"value": 4, "weighted": pytest.approx(0.05 + 0.2 + 0.6 + 2 + 0.75), "covered": 1.0}


def test_spellings_of_a_choice_count_together_and_other_tokens_not_at_all() -> None:
    answer, _ = weighed(
        (" 4", 0.3), ("4", 0.3), ("▁3", 0.1), ("Ġ5", 0.1), ("The", 0.1), ("2", 0.05), ("1", 0.05)
    )
    assert answer["weighted"] == pytest.approx((0.6 * 4 + 0.1 * 3 + 0.1 * 5 + 0.05 * 2 + 0.05) / 0.9)
    assert answer["covered"] == pytest.approx(0.9)


def test_what_is_not_listed_must_not_move_the_score() -> None:
    # The four listed have .99; 1 is not listed. At most .01 may lie there: .01 * 3 = .03 of a scale of length 4.
    fine, why = weighed(("4", 0.97), ("5", 0.01), ("3", 0.005), ("2", 0.005))
    assert why is None
    assert fine["weighted"] == pytest.approx((3.88 + 0.05 + 0.015 + 0.01) / 0.99)
    # With .05 not listed it could be .05 * 3.
    none, why = weighed(("4", 0.93), ("5", 0.01), ("3", 0.005), ("2", 0.005))
    assert none is None
    assert why is not None
    assert why.startswith(NOT_COVERED)


def test_a_model_that_says_something_else_has_no_weighted_score() -> None:
    listed = (("The", math.log(0.8)), *((str(n), math.log(0.04)) for n in range(1, 6)))
    assert WEIGHTED.read(ChatReply("The", tokens=(listed,))).reason == NOT_FOUND
    assert WEIGHTED.read(ChatReply("7", tokens=(listed,))).reason == OFF_SCALE
    held = WEIGHTED.read(ChatReply("1", tokens=(listed,))).answer  # by a grammar
    assert held == {"value": 1, "weighted": pytest.approx(3), "covered": pytest.approx(0.2)}
    assert WEIGHTED.read(ChatReply("4")).reason == NO_LOGPROBS
    assert WEIGHTED.read(ChatReply("4", tokens=((("The", -0.1),),))).reason == NOT_COVERED


def test_choices_of_more_than_one_character_become_letters() -> None:
    form = weighted_form(Question("rating:x", "?", tuple(Choice(n, str(n)) for n in (0, 50, 100))))
    assert form.choices == ("A", "B", "C")
    assert form.scale() == "- A: 0\n- B: 50\n- C: 100"
    answer, _ = weighed(("B", 0.5), ("C", 0.3), ("A", 0.2), form=form)
    assert answer == {"value": 50, "weighted": pytest.approx(55), "covered": pytest.approx(1)}


def test_scales_without_a_mean_or_without_one_token_each_are_refused() -> None:
    with pytest.raises(UsageError, match="mean of numbers"):
        weighted_form(Question("quality:1", "?", (Choice("0", "0"), Choice("1-5", "1-5"))))
    with pytest.raises(UsageError, match="101 choices"):
        weighted_form(Question("rating:x", "?", tuple(Choice(n, str(n)) for n in range(101))))


# Replies that were made to take long


def tangled(size: int) -> dict[str, str]:
    """Replies of about so many characters that a careless reader looks at again and again."""
    return {
        "a fence and line ends": "```" + "\n" * size,
        "a fence and letters": "```" + "a" * size,
        "fences": "```x" * (size // 4),
        "fences and line ends": "```json\n\n" * (size // 9),
        "braces": "{" * size,
        "braces and spaces": "{ " * (size // 2),
        "opened keys": '{"' * (size // 2),
        "keys": '{"{"' * (size // 4),
        "values that are none": '{"a":x' * (size // 6),
        "nested objects": '{"a":' * (size // 5),
        "nested lists": '{"a":[1,' * (size // 8),
        "nested, and closed": '{"a":' * (size // 6) + "1" + "}" * (size // 6),
        "lists": "[" * size,
        "backslashes": '{"' + "\\" * size,
        "dashes": "4 " + "-" * size,
        "spaces": "4" + " " * size + "x",
        "spaces and dashes": "4" + " -" * (size // 2),
        "a leading word": "the" + " " * size + "answer",
        "thoughts": "<think>" * (size // 7),
        "stars": "*" * size + "x",
        "digits": "9" * size,
        "digits in JSON": '{"answer": ' + "9" * (size - 20) + "}",
        "digits in nested JSON": '{"a": ' * 100 + "9" * size,
        "lines": "4\n" * (size // 2),
    }


@pytest.mark.parametrize("size", [2_000, 16_000])
@pytest.mark.parametrize("shape", tangled(1_000))
def test_json_is_decoded_in_linear_time(shape: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted: the characters between where decoding begins and where it ends or breaks off."""
    looked_at = 0
    decode = json.JSONDecoder.raw_decode

    def counting(self: json.JSONDecoder, text: str, idx: int = 0) -> Any:
        nonlocal looked_at
        end = len(text)
        try:
            found, end = decode(self, text, idx)
        except json.JSONDecodeError as error:
            end = len(text) if "Unterminated" in error.msg else error.pos
            raise
        finally:
            looked_at += end - idx
        return found, end

    monkeypatch.setattr(json.JSONDecoder, "raw_decode", counting)
    text = tangled(size)[shape]
    for form in (FORM, UNITS):
        looked_at = 0
        form.read(ChatReply(text))
        assert looked_at <= 3 * len(text)


def test_no_reply_takes_long() -> None:
    """In a process that may use a minute of a processor; it takes seconds, where each step back took hours."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (60, 60))\n"
        "from tests.assessors.llm.test_answers import FORM, UNITS, WEIGHTED, ChatReply, tangled\n"
        "for text in tangled(90_000).values():\n"
        "    for form in (FORM, UNITS, WEIGHTED): form.read(ChatReply(text))\n"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)


@pytest.mark.parametrize("form", [FORM, UNITS, WEIGHTED])
def test_a_reply_that_is_too_long_is_not_looked_at(form: AnswerForm) -> None:
    said = form.read(ChatReply("4" + " ." * LONGEST))
    assert (said.answer, said.reason) == (None, TOO_LONG)
    thought = f"<think>{'x' * LONGEST}</think>" + '{"marked": [], "answer": 0.2}'
    assert UNITS.read(ChatReply(thought)).answer == {"marked": [], "completeness": 0.2}


@pytest.mark.parametrize(
    "text",
    [
        '{"thought": {"answer": 4}, "answ',  # a part of what was cut off
        '{"a": {"answer": 4} oops',
        '{"answer": ' + "9" * 5000 + "}",
        '{"answer": 1e400}',
        '{"answer": -Infinity}',
        '{"answer": NaN}',
        '{"a":' * 5000 + '{"answer": 4}',
    ],
)
def test_what_is_broken_around_an_answer_is_none(text: str) -> None:
    assert read(text)[0] is None


def test_marks_that_are_nested_are_none() -> None:
    text = '{"marked": [%s], "answer": 0.2}' % ("[" * 900 + "]" * 900)
    assert read(text, UNITS)[0] is None
