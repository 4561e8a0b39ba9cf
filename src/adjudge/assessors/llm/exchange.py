"""What is asked of a language model and what comes back, whoever serves it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from adjudge.core.errors import AdjudgeError, UsageError
from adjudge.core.phrases import Argument, either
from adjudge.core.words import counted, decimal, listed

Message = Mapping[str, str]
"""A role (system, user) and its content, as chat completions have them."""


def parse_body(text: str | bytes, **how: Any) -> Any:
    """JSON of somebody else's, read as `json.loads` does; whatever is wrong with it is a ValueError."""
    try:
        return json.loads(text, **how)
    except RecursionError:
        raise ValueError("nested too deeply") from None


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
            "messages": [dict(message) for message in self.messages],
            "schema": self.schema,
            "choices": list(self.choices),
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "again": self.again,
        }
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


REFUSED = "refused"
"""The reason of a reply without text, where a model or a server's filter refused to answer."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back: a text, or why there is none."""

    text: str | None
    why: str | None = None
    """Why there is no text: a time-out, a refusal, a body that was cut short or is no chat completion."""
    reason: str | None = None
    """The same without its particulars, by which answers that are missing are counted."""
    finish: str = ""
    """Why the model stopped: stop, length, content_filter."""
    tokens: tuple[tuple[tuple[str, float], ...], ...] = ()
    """By place in the answer, the likeliest tokens with their log-probabilities, where the server gave them."""
    prompt_tokens: int = 0
    """As the server counted; where it did not say, the most that it can have been."""
    answer_tokens: int = 0
    cost: float = 0.0
    """By the prices that were given; what failed attempts may have cost is in it."""
    seconds: float = 0.0
    """Of the last attempt."""
    attempts: int = 1
    cached: bool = False
    """Whether it was there before: nothing was sent, and tokens, cost and seconds are those of when it was."""


@dataclass(frozen=True, slots=True)
class AskLimits:
    """How fast, how much and for how long may be asked. None is no limit.

    What is sent again counts again, towards every limit.
    """

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
    """Seconds for one attempt, from connecting to the last byte."""

    def __post_init__(self) -> None:
        for name, least in (("concurrency", 1), ("max_requests", 0), ("max_tokens", 0), ("retries", 0)):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                flag = "max_tokens_total" if name == "max_tokens" else ""
                argument = Argument(name, flag=flag)
                raise UsageError(f"{argument} is a whole number, {least} or more; it is {value!r}")
        for name in ("per_minute", "tokens_per_minute", "timeout"):
            value = getattr(self, name)
            if (value is None and name == "timeout") or (
                value is not None and not _is_number(value, above=0)
            ):
                raise UsageError(f"{Argument(name)} is a number above 0; it is {value!r}")
        if self.max_cost is not None and not (self.max_cost == 0 or _is_number(self.max_cost, above=0)):
            raise UsageError(f"{Argument('max_cost')} is a number, 0 or more; it is {self.max_cost!r}")


def _is_number(value: object, *, above: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and above < value < math.inf


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in any currency."""

    prompt: float = 0.0
    answer: float = 0.0

    def __post_init__(self) -> None:
        for name in ("prompt", "answer"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value < math.inf:
                price = either(f"the price of a million {name} tokens", Argument(f"price_{name}").option)
                raise UsageError(f"{price} is a number, 0 or more; it is {value!r}")

    def cost(self, prompt_tokens: int, answer_tokens: int) -> float:
        return (self.prompt * prompt_tokens + self.answer * answer_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class LlmServer:
    """Where a model is served by an OpenAI-compatible interface: `url` is what stands before /chat/completions.

    Of an address without a path, /v1 is what is meant. Nothing of the environment is used, unless `trust_env` says so.
    """

    url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    prices: Prices = field(default_factory=Prices)
    trust_env: bool = False
    """Whether proxies and certificates that the environment names (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE) are used."""
    slots: int | None = None
    """How many requests it works on at once, where that is known: no more are under way, whatever the limits allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFeatures:
    """What a server offers, as trying it out showed."""

    models: tuple[str, ...] = ()
    """As it lists them; none where it does not."""
    schema: bool = False
    """Whether it holds the model to a JSON schema (`response_format`)."""
    grammar: bool = False
    """Whether it holds the model to llama.cpp's `grammar`."""
    logprobs: int = 0
    """Of how many tokens in each place it gives log-probabilities; 0 is none."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """By parameter, what it said when it refused it, or how it ignored it: requests go without."""
    answer_limit: str = "max_tokens"
    """The parameter that bounds the answer: max_tokens, or max_completion_tokens."""
    requests: int = 0
    """What finding out took; tokens and cost too."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float = 0.0

    def headline(self) -> str:
        """What it offers, and what it does not and why, in a sentence or two."""
        offers = [
            *(["JSON schemas"] if self.schema else []),
            *(["grammars"] if self.grammar else []),
            *([f"log-probabilities of {counted(self.logprobs, 'token')} a place"] if self.logprobs else []),
        ]
        text = f"The server offers {listed(offers) or 'neither JSON schemas nor log-probabilities'}."
        if self.refused:
            reasons = "; ".join(f"{name} ({why})" for name, why in self.refused.items())
            text += f" Requests go without {reasons}."
        return text


ALL_FEATURES = ServerFeatures(schema=True, logprobs=20)
"""What hosted servers offer: for whoever does not want a server to be tried out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskProgress:
    """How far asking is."""

    done: int
    """Replies so far, those that were kept from before among them."""
    of: int
    cached: int = 0
    invalid: int = 0
    """Replies without a text."""
    sent: int = 0
    """Requests that went out, those sent again and those for trying the server out among them."""
    per_minute: float | None = None
    """New replies; None before the first."""
    tokens: int = 0
    """Of prompts and answers; what failed attempts may have used is in it. Those of kept replies are not."""
    answer_tokens: int = 0
    """Of these, those of answers."""
    cost: float = 0.0
    """Likewise."""
    seconds_left: float | None = None
    features: ServerFeatures | None = None
    """What the server was found to offer, where that was tried out or said."""
    stopped: str | None = None
    """Why nothing more is asked, where something is left to ask."""
    waiting: str | None = None
    """What is waited for, and how long, where that takes a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskEstimate:
    """What asking would take, if every request were sent once."""

    requests: int
    """To be sent."""
    cached: int
    """Not to be sent: a reply is there, or another request of these is the same."""
    prompt_tokens: int
    """A rough guess: four bytes are a token."""
    prompt_tokens_at_most: int
    answer_tokens_at_most: int
    cost_at_most: float | None
    """None where there are no prices."""
    is_exact: bool = True
    """Whether so many are sent; else at most so many, since some depend on the answers to others."""

    def headline(self) -> str:
        kept = f" ({self.cached:,} more need not be sent)" if self.cached else ""
        cost = "" if self.cost_at_most is None else f", a cost of at most {decimal(self.cost_at_most)}"
        many = f"{'' if self.is_exact else 'at most '}{counted(self.requests, 'request')} to send"
        tried = ", and 1 or 2 to try the server" if self.requests else ""
        return (
            f"{many[:1].upper()}{many[1:]}{kept}{tried}: about {self.prompt_tokens:,} prompt tokens"
            f" (at most {self.prompt_tokens_at_most:,}), at most {self.answer_tokens_at_most:,} answer tokens{cost};"
            " what fails and is sent again comes on top."
        )


class AskStopped(AdjudgeError):
    """Not everything was asked: a limit is reached, or the server fails again and again.

    Raised when every reply that came has been yielded. `left` requests have no reply.
    """

    def __init__(self, reason: str, left: int):
        self.reason, self.left = reason, left
        super().__init__(f"{reason}; {counted(left, 'request has', 'requests have')} no reply")


class ServerUnusable(UsageError):
    """A server cannot be used as it was named: its address, the key or the model is wrong, or it refuses requests."""
