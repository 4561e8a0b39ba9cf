"""Servers that answer by a rule, so that what a judge says is known."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Callable
from typing import Any

from tests.assessors.llm.bad_server import Says, completion
from tests.waiting import HANG

TRIED = "adjudged"
"""What trying a server out asks for."""
UNIT_HEAD = "The unit of the reference that is asked about (the current model unit)"


def prompt(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def block(text: str, head: str) -> str:
    """What a prompt has under a head, between the two lines of its boundary."""
    found = re.search(
        rf"^{re.escape(head)}:\n(TEXT-[0-9a-f]{{12}})\n(.*?)\n\1$", text, re.MULTILINE | re.DOTALL
    )
    return "" if found is None else found[2]


def schema_of(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = body["response_format"]["json_schema"]["schema"]["properties"]
    return found


def is_trial(body: dict[str, Any]) -> bool:
    return TRIED in json.dumps(body)


def by_words(body: dict[str, Any], _: int = 0) -> Says:
    """The summary's number of words says the answer; of two texts the longer one is better."""
    if is_trial(body):
        return obeying(body)
    return Says(body=completion(json.dumps(answer_by_words(body))))


def obeying(body: dict[str, Any]) -> Says:
    """As trying out expects it of a server that offers all."""
    text = json.dumps({"answer": TRIED}) if "response_format" in body else TRIED
    logprobs = {"content": [{"token": "{", "top_logprobs": [{"token": t, "logprob": -1.0} for t in "{ab"]}]}
    return Says(body=completion(text, choice={"logprobs": logprobs}))


def answer_by_words(body: dict[str, Any]) -> dict[str, Any]:
    text, fields = prompt(body), schema_of(body)
    values = fields["answer"]["enum"]
    if values[0] == "A":
        left, right = (len(block(text, f"Text {side}").split()) for side in "AB")
        if left == right:
            return {"answer": "tie" if "tie" in values else "A"}
        return {"answer": "A" if left > right else "B"}
    if "marked" in fields:
        names = fields["marked"]["items"].get("enum", [])
        unit = block(text, UNIT_HEAD)
        marked = names[:: 1 + len(unit.split()) % 2]
        return {"marked": marked, "answer": values[len(unit.split()) % len(values)]}
    if "The unmarked units" in text:
        return {"answer": values[-1]}
    return {"answer": values[summary_words(text) % len(values)]}


def summary_words(text: str) -> int:
    return len(block(text, "The summary to be judged").split())


def saying(text: str) -> Callable[[dict[str, Any], int], Says]:
    """Always the same text."""

    def script(body: dict[str, Any], _: int) -> Says:
        return obeying(body) if is_trial(body) else Says(body=completion(text))

    return script


def gullible(body: dict[str, Any], n: int) -> Says:
    """By words, unless the text demands another answer."""
    demanded = re.search(r"(?:and answer|valid answer is) ([\w.-]+)\.", prompt(body))
    if demanded and not is_trial(body):
        values = schema_of(body)["answer"]["enum"]
        named = next((value for value in values if str(value) == demanded[1]), None)
        if named is not None:
            return Says(body=completion(json.dumps({"answer": named})))
    return by_words(body, n)


def weighing(body: dict[str, Any], _: int) -> Says:
    """Probabilities that the summary's number of words says: 5 - words % 5 gets .6, every other choice of 1 to 5 .1."""
    if is_trial(body):
        return obeying(body)
    top = 5 - summary_words(prompt(body)) % 5
    listed = [{"token": str(n), "logprob": math.log(0.6 if n == top else 0.1)} for n in range(1, 6)]
    content = [{"token": str(top), "logprob": math.log(0.6), "top_logprobs": listed}]
    choice = {"logprobs": {"content": content}, "finish_reason": "length"}
    return Says(body=completion(str(top), choice=choice))


class Holding:
    """Answers by words so many questions, and holds the others back until it is let go: what asks cannot have ended."""

    def __init__(self, answered: int) -> None:
        self.left, self.reached, self.go = answered, threading.Event(), threading.Event()
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any], n: int) -> Says:
        if not is_trial(body):
            with self._lock:
                self.left -= 1
                hold = self.left < 0
            if hold:
                self.reached.set()
                self.go.wait(HANG)
        return by_words(body)
