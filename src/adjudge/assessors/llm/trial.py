"""Trying out what a server offers: which requests show it, and what their replies mean. No network here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adjudge.assessors.llm.completion import (
    Bound,
    ServerRefusal,
    encoded,
    grammar_of,
    likely_prompt,
    response_format,
)
from adjudge.assessors.llm.exchange import ChatReply, ChatRequest, parse_body

_TRIED_TOP, _LOW_TOP, _LARGE_TOP = 20, 5, 100  # log-probabilities to ask for: hosted, careful, llama.cpp
WORD = "adjudged"  # what no model says when it is asked for something else
_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": [WORD]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_TRIED = {"role": "user", "content": 'Answer with the JSON object {"answer": "hello"} and nothing else.'}
_TRIED_TOKENS = 64


@dataclass(frozen=True, slots=True)
class ServerTrial:
    """What is known of a server's features, and what is asked to know more."""

    models: tuple[str, ...] = ()
    schema: bool = True
    grammar: bool = False
    logprobs: int = _TRIED_TOP
    answer_limit: str = "max_tokens"
    refused: Mapping[str, str] = field(default_factory=dict)

    def asked(self, model: str, *, grammar: bool = False) -> tuple[bytes, Bound, int]:
        """The body, the most tokens that it can take, and those that it will take."""
        schema = self.schema and not grammar
        body: dict[str, Any] = {"model": model, "messages": [_TRIED], "temperature": 0.0, "seed": 0}
        body[self.answer_limit] = _TRIED_TOKENS
        if schema:
            body["response_format"] = response_format(_SCHEMA)
        if self.logprobs:
            body |= {"logprobs": True, "top_logprobs": _LARGE_TOP if grammar else self.logprobs}
        if grammar:
            body["grammar"] = grammar_of((WORD,))
        request = ChatRequest(messages=(_TRIED,), schema=_SCHEMA, max_tokens=_TRIED_TOKENS)
        sent = encoded({name: part for name, part in body.items() if name not in self.refused})
        return sent, Bound.of(request), likely_prompt(request) + _TRIED_TOKENS

    def without(self, refused: ServerRefusal) -> ServerTrial | None:
        """Without what the server names as wrong, or the next that it may mean; None where nothing is left."""
        text, words = refused.text.casefold(), refused.words or f"HTTP {refused.status}"
        if "max_completion_tokens" in text and self.answer_limit == "max_tokens":
            return replace(self, answer_limit="max_completion_tokens")
        for name in ("temperature", "seed"):
            if name in text and name not in self.refused:
                return replace(self, refused={**self.refused, name: words})
        names_logprobs = "logprob" in text
        if self.logprobs and (names_logprobs or not self.schema):
            if names_logprobs and self.logprobs > _LOW_TOP:
                return replace(self, logprobs=_LOW_TOP)
            return replace(self, logprobs=0, refused={**self.refused, "logprobs": words})
        if self.schema:
            return replace(self, schema=False, refused={**self.refused, "response_format": words})
        return None

    def seen(self, reply: ChatReply) -> ServerTrial:
        """What the server did with a request that it took."""
        refused = dict(self.refused)
        schema, top = self.schema, min(map(len, reply.tokens[:1]), default=0)
        if schema and not _obeyed(reply):
            schema = False
            refused["response_format"] = "it is taken, and the model is not held to the schema"
        if self.logprobs and not top:
            refused["logprobs"] = "it is taken, and none come back"
        return replace(self, schema=schema, logprobs=min(top, self.logprobs), refused=refused)


def _obeyed(reply: ChatReply) -> bool:
    """Whether the model was held to the schema; a model that was still thinking gets the benefit of the doubt."""
    text = (reply.text or "").strip()
    if reply.finish == "length":
        return not text or text.startswith("{")
    try:
        return bool(parse_body(text) == {"answer": WORD})
    except ValueError:
        return False
