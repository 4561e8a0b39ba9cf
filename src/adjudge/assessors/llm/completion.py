"""What goes to an OpenAI-compatible server and what its bodies say: no network here.

Nothing that a server sends is trusted to have the right form: whatever it is, it becomes a reply or a reason.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from adjudge.assessors.llm.exchange import (
    REFUSED,
    ChatReply,
    ChatRequest,
    LlmServer,
    ServerFeatures,
    parse_body,
)
from adjudge.core.errors import UsageError, quoted

LONGEST_WORDS = 200  # characters of a server's message
LONGEST_TEXT = 1_000_000
"""Characters of an answer, with its thoughts; a longer one is not kept."""
MOST_PLACES = 16
"""Places of an answer whose log-probabilities are kept: answers that need them have one."""
TEMPLATE_TOKENS = 256
"""More than the chat templates in use add to a prompt: their marks, a default system message, a date."""
MESSAGE_TOKENS = 16
"""The same for every message."""
_COUNTS = 10**9  # no request has as many tokens
_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
_TOO_LONG = re.compile(
    r"context.?(length|size|window)|maximum context|(prompt|input|request) (is|was) too (long|large)|too many tokens",
    re.I,
)
_FILTERED = re.compile(r"content.?(filter|policy|management)", re.IGNORECASE)


def base_url(url: str) -> str:
    """What stands before /chat/completions, of an address as people type it: with or without /v1, a slash, the rest."""
    plain = url.strip()
    try:
        parts = urlsplit(plain)
        port = parts.port
    except ValueError:
        raise UsageError(
            f"the address {quoted(url)} is none; expected one such as http://localhost:8000/v1"
        ) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise UsageError(f"the address {quoted(url)} must begin with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise UsageError("the address holds a name or a password; give the key apart from it")
    if parts.query or parts.fragment or not plain.isprintable() or " " in plain:
        raise UsageError(f"the address {quoted(url)} must end with its path, such as /v1")
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"


def headers(server: LlmServer) -> dict[str, str]:
    entries = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "adjudge"}
    key = (server.api_key or "").strip()
    if key:
        if not key.isascii() or not key.isprintable() or " " in key:
            raise UsageError(
                "the key for the server holds signs that no key has (a space, a line break, a letter)"
            )
        entries["Authorization"] = f"Bearer {key}"
    return entries


@dataclass(frozen=True, slots=True)
class Bound:
    """The most tokens that a request can take."""

    prompt: int
    answer: int

    @classmethod
    def of(cls, request: ChatRequest) -> Bound:
        """No tokenizer makes more tokens than bytes, counted as if it normalised the text to what is longest.

        The schema counts as a part of the prompt, since servers put it there.
        """
        texts = [text for message in request.messages for text in message.values()]
        if request.schema is not None:
            texts.append(json.dumps(request.schema, ensure_ascii=False))
        margin = TEMPLATE_TOKENS + MESSAGE_TOKENS * len(request.messages)
        return cls(sum(map(_most_bytes, texts)) + margin, request.max_tokens)


def _most_bytes(text: str) -> int:
    forms = [text] if text.isascii() else [text, *(unicodedata.normalize(form, text) for form in _FORMS)]
    return max(len(form.encode("utf-8", "surrogatepass")) for form in forms)


def likely_prompt(request: ChatRequest) -> int:
    """About how many tokens a prompt has: a quarter of its bytes, and a few for the template."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for m in request.messages for text in m.values())
    return math.ceil(size / 4) + 4 + 4 * len(request.messages)


def body_of(request: ChatRequest, model: str, features: ServerFeatures) -> bytes:
    """What is sent, with all that was asked for and the server offers."""
    parts: dict[str, Any] = {"model": model, "messages": [dict(message) for message in request.messages]}
    parts[features.answer_limit] = request.max_tokens
    parts["temperature"] = request.temperature
    if request.seed is not None:
        parts["seed"] = request.seed
    if request.schema is not None and features.schema:
        parts["response_format"] = response_format(request.schema)
    if request.choices and features.logprobs:
        parts |= {"logprobs": True, "top_logprobs": features.logprobs}
    if request.choices and request.schema is None and features.grammar:
        parts["grammar"] = grammar_of(request.choices)
    return encoded({name: part for name, part in parts.items() if name not in features.refused})


def response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def grammar_of(choices: tuple[str, ...]) -> str:
    """llama.cpp's grammar of one of several texts."""
    return "root ::= " + " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)


def encoded(body: Mapping[str, Any]) -> bytes:
    """As JSON; half of a surrogate pair, which no UTF-8 has, becomes a question mark."""
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Read:
    """A body as it was understood."""

    reply: ChatReply
    """Its tokens are 0 where the server did not count them (`counted`)."""
    counted: bool = False
    answered: bool = False
    """Whether the model answered, with whatever; else the server failed."""


def read_completion(body: bytes, kind: str) -> Read:
    """A chat completion, whatever the server made of it. `kind` is the body's content type."""
    try:
        data = parse_body(body)
    except ValueError:
        what = f" ({kind.split(';')[0].strip()[:40]})" if kind else ""
        return _failed(f"the server's reply is no JSON{what}")
    if not isinstance(data, dict):
        return _failed("the server's reply is no JSON object")
    usage = _usage(data.get("usage"))
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        error = words_of(data) if "error" in data else ""
        problem = "the server's reply holds no choices"
        return _failed(f"{problem}: {error}" if error else problem, usage, problem)
    message, finish = choices[0].get("message"), choices[0].get("finish_reason")
    if not isinstance(message, dict):
        return _failed("the server's reply holds no message", usage)
    content, refusal = message.get("content"), message.get("refusal")
    # The text of a message: a string, or a list of parts as some servers send it.
    text: str | None = None
    if isinstance(content, str):
        text = content
    elif isinstance(content, list) and all(isinstance(part, dict) for part in content):
        texts = [part.get("text", "") for part in content]
        if all(isinstance(part, str) for part in texts):
            text = "".join(texts)
    if content is not None and text is None:
        return _failed("the text of the server's reply is none", usage)
    if text is not None and len(text) > LONGEST_TEXT:
        return _failed(f"the text of the server's reply has more than {LONGEST_TEXT:,} characters", usage)
    finish = finish if isinstance(finish, str) else ""
    why: str | None = None
    reason: str | None = None
    if isinstance(refusal, str) and refusal:
        why, reason = f"the model refused: {shortened(refusal)}", REFUSED
    elif finish == "content_filter":
        why, reason = "the server's content filter stopped the answer", REFUSED
    elif not text:
        why = reason = "the answer is empty"
        if finish == "length":
            why += ": the limit of its tokens was reached before its text"
    prompt, answer = usage or (0, 0)
    logprobs = choices[0].get("logprobs")
    places = logprobs.get("content") if isinstance(logprobs, dict) else None
    likeliest = []
    for place in places[:MOST_PLACES] if isinstance(places, list) else ():
        top = place.get("top_logprobs") if isinstance(place, dict) else None
        if not isinstance(top, list):
            break
        pairs: list[tuple[Any, Any]] = [
            (candidate.get("token"), candidate.get("logprob"))
            for candidate in top
            if isinstance(candidate, dict)
        ]
        # A log-probability; servers round, so one may be a little above 0.
        if len(pairs) != len(top) or not all(
            isinstance(token, str)
            and (isinstance(value, int | float) and not isinstance(value, bool) and -1e9 < value < 1e-3)
            for token, value in pairs
        ):
            break
        likeliest.append(tuple((token, float(value)) for token, value in pairs))
    reply = ChatReply(
        text=None if why else text,
        why=why,
        reason=reason,
        finish=finish[:40],
        tokens=tuple(likeliest),
        prompt_tokens=prompt,
        answer_tokens=answer,
    )
    return Read(reply, counted=usage is not None, answered=True)


def _failed(why: str, usage: tuple[int, int] | None = None, reason: str | None = None) -> Read:
    prompt, answer = usage or (0, 0)
    reply = ChatReply(text=None, why=why, reason=reason or why, prompt_tokens=prompt, answer_tokens=answer)
    return Read(reply, counted=usage is not None)


def _usage(usage: Any) -> tuple[int, int] | None:
    """Tokens of the prompt and of the answer; None where the server does not say, or what cannot be."""
    if not isinstance(usage, dict):
        return None
    counts: list[Any] = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
    if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < _COUNTS for n in counts):
        return None
    prompt, answer = counts
    return (prompt, answer) if prompt else None  # a prompt has tokens


@dataclass(frozen=True, slots=True)
class ServerRefusal:
    """What a server says with an error's status."""

    status: int
    words: str
    """Its message, in one line."""
    text: str
    """All of it that can name a cause: the message, its code, type and parameter."""

    @classmethod
    def of(cls, status: int, body: bytes) -> ServerRefusal:
        try:
            data = parse_body(body)
        except ValueError:
            data = None
        if not isinstance(data, dict):
            is_page = body.lstrip()[:1] == b"<"  # a page of some proxy says nothing
            plain = "" if is_page else shortened(body[:2000].decode("utf-8", "replace"))
            return cls(status, plain, plain)
        error = data.get("error")
        named = error if isinstance(error, dict) else data
        causes = [str(named[name]) for name in ("message", "code", "type", "param") if named.get(name)]
        words = words_of(data)
        return cls(status, words, " ".join([words, *causes])[:4000])

    @property
    def is_too_long(self) -> bool:
        return self.status == 413 or (self.status in (400, 422) and _TOO_LONG.search(self.text) is not None)

    @property
    def is_filtered(self) -> bool:
        return self.status == 400 and _FILTERED.search(self.text) is not None

    @property
    def is_spent(self) -> bool:
        """Nothing is left of what was paid for; asking again does not help."""
        return self.status == 402 or (self.status == 429 and "insufficient_quota" in self.text)

    @property
    def why(self) -> str:
        """Why there is no reply."""
        if self.is_too_long:
            return f"{self.reason}: {self.words or self}"
        if self.is_filtered:
            return f"the server's content filter refused it: {self.words or self}"
        return f"{self.reason}: {self}"

    @property
    def reason(self) -> str:
        """What it is counted as, without the server's words."""
        if self.is_too_long:
            return "the prompt is too long for the model"
        return REFUSED if self.is_filtered else "the server failed"

    def __str__(self) -> str:
        return f"HTTP {self.status}{f': {self.words}' if self.words else ''}"


def words_of(data: Mapping[str, Any]) -> str:
    """The message of an error's body, in any of the forms that servers send."""
    error = data.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    for name in ("message", "detail"):
        message = message or data.get(name)
    if message is None:
        return ""
    return shortened(message if isinstance(message, str) else json.dumps(message, ensure_ascii=False))


def shortened(text: str) -> str:
    """Somebody else's words in one printable line."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return plain if len(plain) <= LONGEST_WORDS else plain[: LONGEST_WORDS - 3] + "..."
