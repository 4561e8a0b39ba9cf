"""What is asked of a language model and what comes back, whoever serves it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

Message = Mapping[str, str]
"""A role (system, user) and its content, as chat completions have them."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a language model, with everything that its reply may depend on but the model."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """JSON schema of the answer, where the server can hold the model to one."""
    choices: tuple[str, ...] = ()
    """The answers there are, where the probability of each is asked for: the model answers with one of them alone."""
    max_tokens: int = 64
    temperature: float = 0.0
    seed: int | None = None
    again: int = 0
    """Which time the same thing is asked: 0 the first. A part of the key, so that a repeat is asked anew."""

    def key(self, model: str) -> str:
        """By which a reply is found again: the model, the prompt, the parameters and the texts."""
        parts: dict[str, Any] = {
            "model": model,
            "messages": [dict(each) for each in self.messages],
            "schema": self.schema,
            "choices": list(self.choices),
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "again": self.again,
        }
        return sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back: a text, or why there is none."""

    text: str | None
    why: str | None = None
    """Why there is no text: a time-out, a refusal by the server, a stream that was cut short."""
    finish: str = ""
    """Why the model stopped: stop, length, content_filter."""
    tokens: tuple[tuple[tuple[str, float], ...], ...] = ()
    """By place in the answer, the likeliest tokens with their log-probabilities, where the server gave them."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float = 0.0
    """By the prices that were given; what failed attempts may have cost is in it."""
    seconds: float = 0.0
    attempts: int = 1
    cached: bool = False


@dataclass(frozen=True, slots=True)
class AskLimits:
    """How fast, how much and for how long may be asked. None is no limit."""

    concurrency: int = 8
    per_minute: float | None = None
    """Requests."""
    tokens_per_minute: float | None = None
    max_requests: int | None = None
    max_tokens: int | None = None
    """Of prompts and answers together."""
    max_cost: float | None = None
    """Never passed: a request is sent only where its largest possible cost still fits."""
    retries: int = 2
    """How often a request that failed for the server's or the network's sake is sent again."""
    timeout: float = 120.0
    """Seconds for one attempt."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in any currency."""

    prompt: float = 0.0
    answer: float = 0.0

    def cost(self, prompt_tokens: int, answer_tokens: int) -> float:
        return (self.prompt * prompt_tokens + self.answer * answer_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class LlmServer:
    """Where a model is served by an OpenAI-compatible interface: `url` is what stands before /chat/completions."""

    url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    prices: Prices = field(default_factory=Prices)
