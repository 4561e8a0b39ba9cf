"""How a language model answers a question: the form it is given, and what its reply says, or why it says nothing.

A reply is never read as more than it says: what is not on the scale, refused or cut short is no answer, with a reason.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from adjudge.assessors.llm.exchange import REFUSED, ChatReply, parse_body
from adjudge.core.errors import UsageError
from adjudge.core.phrases import Argument
from adjudge.judgments.protocol import Choice, Question, Value

Score = Literal["top", "weighted"]
SCORES: tuple[Score, ...] = get_args(Score)

ANSWER, MARKED = "answer", "marked"
"""Keys of the JSON that a model answers with."""

OFF_SCALE = "not on the scale"
NO_UNIT = "no such unit"
NO_MARKS = "no list of marked units"
NOT_FOUND = "no answer found"
CUT_SHORT = "cut short"
SEVERAL = "several different answers"
NO_LOGPROBS = "no log-probabilities"
NOT_COVERED = "log-probabilities do not cover the scale"

TOO_LONG = "too long"

LONGEST = 100_000
"""Characters of a reply without its thoughts; no answer has as many."""
NEGLIGIBLE = 0.01
"""Share of a scale's length by which tokens that the server did not list may move a weighted score."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SPACES = "▁Ġ \t\r\n"
"""What tokenizers put before a word that stands after a space, and white space."""
_REFUSAL = re.compile(
    r"\b(i(?:'m| am) (?:sorry|unable|not able)|i (?:cannot|can't|can not|won't|will not)|as an ai\b|sorry, )",
    re.IGNORECASE,
)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_LANGUAGE = re.compile(r"[a-zA-Z]*")
_OBJECT = re.compile(r'\{\s*["}]')
_LEADING = re.compile(
    r"^(?:(?:the\s+)?(?:final\s+)?(?:answer|rating|score|choice)(?:\s+is)?\s*[:=]?\s*)", re.IGNORECASE
)
_BETWEEN = re.compile(r"[:=(–—-]")
"""What stands between a choice and its label."""
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """One of the answers there are: its value, what the protocol calls it, and what the model is to write."""

    value: Value
    label: str
    word: str


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What a reply says: an answer as it is stored, or why there is none."""

    answer: Mapping[str, Any] | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """How one question is answered: one of the options and, of a unit's completeness, which units are marked."""

    field: str
    """What the stored answer calls the value: value, completeness, relevant, winner."""
    options: tuple[AnswerOption, ...]
    units: tuple[tuple[str, str], ...] | None = None
    """Names of peer units as the prompt has them, and their ids; None where nothing is marked."""
    weighted: bool = False

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers of one token each, where their probabilities are asked for."""
        return tuple(option.word for option in self.options) if self.weighted else ()

    def schema(self) -> dict[str, Any] | None:
        """JSON schema of an answer; None where the model answers with one of the choices alone."""
        if self.weighted:
            return None
        properties: dict[str, Any] = {}
        if self.units is not None:
            names = [name for name, _ in self.units]
            items = {"type": "string", "enum": names} if names else {"type": "string"}
            # Each unit once: without a limit a weak model goes on to mark until its tokens are spent.
            properties[MARKED] = {"type": "array", "items": items, "maxItems": len(names)}
        properties[ANSWER] = {"enum": [self._written(option) for option in self.options]}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def instruction(self) -> str:
        """How to answer, in words."""
        if self.weighted:
            return f"Answer with one of these alone, and nothing else: {', '.join(self.choices)}"
        written = ", ".join(json.dumps(self._written(option), ensure_ascii=False) for option in self.options)
        if self.units is None:
            return f'Answer with JSON alone: {{"{ANSWER}": X}}, where X is one of: {written}'
        return (
            f'Answer with JSON alone: {{"{MARKED}": [...], "{ANSWER}": X}}, where "{MARKED}" lists the letters of the'
            f" summary's units that you mark, each in quotes (none: []), and X is one of: {written}"
        )

    def scale(self) -> str:
        """The options with their labels, a line each."""
        return "\n".join(
            f"- {option.word}" + ("" if option.label == option.word else f": {option.label}")
            for option in self.options
        )

    @property
    def max_tokens(self) -> int:
        """Enough for every answer of this form."""
        return 1 if self.weighted else 32 + 6 * len(self.units or ())

    def _written(self, option: AnswerOption) -> Value:
        """An option as JSON: a number where the model is to write that very number."""
        value = option.value
        if isinstance(value, str) or option.word != number(value):
            return option.word
        return int(value) if value == int(value) else value

    def read(self, reply: ChatReply) -> ReadAnswer:
        """What a reply says."""
        if reply.text is None:
            return ReadAnswer(None, reply.reason or reply.why or NOT_FOUND)
        if reply.finish == "content_filter":
            return ReadAnswer(None, REFUSED)
        return self._weighed(reply) if self.weighted else self._said(reply)

    # In words

    def _said(self, reply: ChatReply) -> ReadAnswer:
        text = _THOUGHT.sub("", reply.text or "").strip()
        if len(text) > LONGEST:
            return ReadAnswer(None, TOO_LONG)
        try:
            objects = list(_objects(text))
        except RecursionError:  # none of the answers there are is nested
            return ReadAnswer(None, NOT_FOUND)
        if objects:
            readings = [self._of_object(pairs) for pairs in objects]
        elif reply.finish == "length":  # "1" may be the beginning of "10"
            return ReadAnswer(None, CUT_SHORT)
        elif self.units is not None:
            readings = []  # which units were marked is in JSON alone
        else:
            readings = [self._bare(line) for line in text.splitlines() if line.strip()]
            if len(readings) > 1 and any(reading.reason == NOT_FOUND for reading in readings):
                readings = []  # prose, whatever single lines of it look like
        answered = [reading for reading in readings if reading.answer is not None]
        if len({json.dumps(reading.answer, sort_keys=True) for reading in answered}) > 1:
            return ReadAnswer(None, SEVERAL)
        if answered and len(answered) == len(readings):
            return answered[0]
        if _REFUSAL.search(text):
            return ReadAnswer(None, REFUSED)
        if reply.finish == "length" and not readings:
            return ReadAnswer(None, CUT_SHORT)
        wrong = [reading for reading in readings if reading.reason != NOT_FOUND]
        return wrong[0] if wrong and not answered else ReadAnswer(None, SEVERAL if answered else NOT_FOUND)

    def _of_object(self, pairs: list[tuple[str, Any]]) -> ReadAnswer:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            return ReadAnswer(None, SEVERAL)
        data = dict(pairs)
        if ANSWER in data:
            value = data[ANSWER]
        elif len(data) == 1 and self.units is None:
            (value,) = data.values()
        else:
            return ReadAnswer(None, NOT_FOUND)
        if isinstance(value, list):  # or an object
            return ReadAnswer(None, NOT_FOUND)
        option = self._option(value)
        if option is None:
            return ReadAnswer(None, OFF_SCALE)
        if self.units is None:
            return ReadAnswer({self.field: option.value})
        marked = data.get(MARKED)
        if not isinstance(marked, list) or isinstance(marked, _Pairs):
            return ReadAnswer(None, NO_MARKS)
        ids = {name.casefold(): id for name, id in self.units or ()}
        unit_ids: list[str] = []
        for mark in marked:
            id = ids.get(str(mark).strip().casefold()) if isinstance(mark, str | int) else None
            if id is None:
                return ReadAnswer(None, NO_UNIT)
            unit_ids.append(id)
        return ReadAnswer({"marked": list(dict.fromkeys(unit_ids)), self.field: option.value})

    def _option(self, value: Any) -> AnswerOption | None:
        """The option that a value of JSON names: by its word, its value or its label."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        if isinstance(value, str):
            return self._named(value.strip())
        return next(
            (
                o
                for o in self.options
                if not isinstance(o.value, str) and o.value == value and self._is_shown(o)
            ),
            None,
        ) or self._named(number(value))

    def _is_shown(self, option: AnswerOption) -> bool:
        return option.word == number(option.value)

    def _named(self, text: str) -> AnswerOption | None:
        folded = text.casefold()
        for names in ([o.word for o in self.options], [o.label for o in self.options]):
            for option, name in zip(self.options, names, strict=True):
                if name.casefold() == folded:
                    return option
        if re.fullmatch(_NUMBER, text):
            value = float(text.replace(",", "."))
            for option in self.options:
                if self._is_shown(option) and float(option.value) == value:
                    return option
        return None

    def _bare(self, line: str) -> ReadAnswer:
        """An answer that stands alone: a choice, its label, or both."""
        text = (
            _LEADING.sub("", line.strip().strip("*_`#> "))
            .strip()
            .strip("*_`\"'")
            .rstrip(".!")
            .strip("*_`\"' ")
        )
        option = self._named(text)
        if option is not None:
            return ReadAnswer({self.field: option.value})
        sign = _BETWEEN.search(text, 1)
        if sign:
            first = self._named(text[: sign.start()].rstrip())
            second = self._named(text[sign.end() :].removesuffix(")").strip())
            if first is not None and second is not None:
                return ReadAnswer({self.field: first.value}) if first == second else ReadAnswer(None, SEVERAL)
        if _NUMBER.fullmatch(text):
            return ReadAnswer(None, OFF_SCALE)
        return ReadAnswer(None, NOT_FOUND)

    # By probabilities

    def _weighed(self, reply: ChatReply) -> ReadAnswer:
        """The mean of the scale's values by the probability of each, where the model answered with one of the choices,
        by itself or because the server held it to them, and these probabilities are known well enough."""
        text = (reply.text or "").strip(_SPACES)
        if len(text) > LONGEST:
            return ReadAnswer(None, TOO_LONG)
        reading = self._bare(text)
        if reading.answer is None:
            return reading
        if not reply.tokens or not reply.tokens[0]:
            return ReadAnswer(None, NO_LOGPROBS)
        words = {option.word: at for at, option in enumerate(self.options)}
        mass = [0.0] * len(self.options)
        total = 0.0
        for token, logprob in reply.tokens[0]:
            p = math.exp(min(logprob, 0.0))
            total += p
            at = words.get(token.strip(_SPACES))
            if at is not None:
                mass[at] += p
        unlisted = max(0.0, 1.0 - total)
        values = [float(option.value) for option in self.options]
        covered = math.fsum(mass)
        if not covered:
            return ReadAnswer(None, NOT_COVERED)
        mean = math.fsum(p * v for p, v in zip(mass, values, strict=True)) / covered
        missing = [value for p, value in zip(mass, values, strict=True) if not p]
        moved = unlisted / (covered + unlisted) * max((abs(value - mean) for value in missing), default=0.0)
        if moved > NEGLIGIBLE * (max(values) - min(values)):
            return ReadAnswer(None, NOT_COVERED)
        top = max(range(len(mass)), key=lambda at: mass[at])
        return ReadAnswer(
            {self.field: self.options[top].value, "weighted": round(mean, 6), "covered": round(covered, 6)}
        )


def _objects(text: str) -> Iterator[list[tuple[str, Any]]]:
    """The JSON objects of a reply: all of it, a fenced block, or objects among words; each as its pairs.

    No sign is decoded more than three times: as a part of the whole, of a block, and of an object. Where an object
    breaks off, the search goes on from there: what it holds is a part of what cannot be read.
    """
    fenced = text.split("```")[1:-1:2]
    for block in (text, *(block[_LANGUAGE.match(block).end() :] for block in fenced)):  # type: ignore[union-attr]
        try:
            parsed = parse_body(block, object_pairs_hook=_Pairs, parse_int=_whole)
        except ValueError:
            continue
        if isinstance(parsed, _Pairs):
            yield parsed
            return
        if block is text:
            return  # a number or a word
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=_whole)
    at = 0
    while begin := _OBJECT.search(text, at):
        try:
            parsed, at = decoder.raw_decode(text, begin.start())
        except json.JSONDecodeError as error:
            at = max(error.pos, begin.start() + 1)
            continue
        yield parsed


def _whole(digits: str) -> int | float:
    """A whole number; of one that is beyond every scale its size is enough."""
    return int(digits) if len(digits) < 100 else float(digits)


class _Pairs(list[tuple[str, Any]]):
    """An object as it was written, so that a key that comes twice is seen."""


# The forms of questions


def number(value: Value) -> str:
    """A value as it is shown: whole numbers without a point."""
    return value if isinstance(value, str) else f"{value:g}"


def answer_form(
    field: str,
    choices: Iterable[Choice],
    *,
    words: Sequence[str] = (),
    units: Iterable[tuple[str, str]] | None = None,
) -> AnswerForm:
    """One of a question's choices, by its value or by a word for each; and which of some units are marked."""
    there = list(choices)
    written = words or [number(choice.value) for choice in there]
    options = tuple(
        AnswerOption(choice.value, choice.label, word) for choice, word in zip(there, written, strict=True)
    )
    return AnswerForm(field, options, units=None if units is None else tuple(units))


def weighted_form(question: Question) -> AnswerForm:
    """One of a question's choices by one token; letters stand for values of more than one character."""
    check_weighted(question)
    words = [number(value) for value in question.values]
    if any(len(word) > 1 for word in words):
        words = list(LETTERS[: len(words)])
    options = (
        AnswerOption(choice.value, _labelled(choice) if word in LETTERS else choice.label, word)
        for choice, word in zip(question.choices, words, strict=True)
    )
    return AnswerForm("value", tuple(options), weighted=True)


TOP = Argument("score", "top")


def check_weighted(question: Question) -> None:
    """Refuse scales whose mean says nothing, or whose answers are not of one token each."""
    if any(isinstance(value, str) for value in question.values):
        raise UsageError(
            f"a weighted score is a mean of numbers, and {question.id} has choices that are none: take {TOP}"
        )
    if len(question.values) > len(LETTERS):
        raise UsageError(
            f"{question.id} has {len(question.values)} choices, and a weighted score needs an answer of one token for"
            f" each, {len(LETTERS)} at most: take {TOP}"
        )


def _labelled(choice: Choice) -> str:
    value = number(choice.value)
    return value if choice.label == value else f"{value}, {choice.label}"
