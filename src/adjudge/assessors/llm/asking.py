"""One run of requests to one server: when each is sent, sent again, and what its end means for the others."""

from __future__ import annotations

import asyncio
import math
import random
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from adjudge.assessors.llm.completion import (
    Bound,
    Read,
    ServerRefusal,
    base_url,
    body_of,
    headers,
    likely_prompt,
    read_completion,
    shortened,
)
from adjudge.assessors.llm.exchange import (
    ALL_FEATURES,
    AskLimits,
    ChatReply,
    ChatRequest,
    LlmServer,
    ServerFeatures,
    ServerUnusable,
    parse_body,
)
from adjudge.assessors.llm.spending import Purse
from adjudge.assessors.llm.trial import WORD, ServerTrial
from adjudge.core.errors import among, quoted

if TYPE_CHECKING:
    import httpx

LARGEST_BODY = 8 * 1024 * 1024
"""Bytes of a reply that are read; log-probabilities of a long answer have less."""
LONGEST_WAIT = 300.0
"""Seconds before a request is sent again, whatever the server asks for."""
LONG_WAIT = 10.0
"""Seconds of a wait that is told."""
CONNECTING = 20.0
"""Seconds, at most, for a connection."""
FAILED_IN_A_ROW = 20
"""Requests that fail one after the other before a run ends: the server is gone."""

_AGAIN = {408, 409, 425, 429}  # and 5xx
_FREE = {425, 429}  # refused before any work was done; of all others that are sent again one cannot know
_BACKOFF, _LONGEST_BACKOFF = 1.0, 60.0


@dataclass(frozen=True, slots=True)
class AskTiming:
    """Waiting and clocks; tests bring their own, and do not wait."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    today: Callable[[], datetime] = lambda: datetime.now(UTC)
    jitter: Callable[[], float] = field(default_factory=lambda: random.Random().random)  # noqa: S311 - no secret
    """Between 0 and 1, so that what failed together is not sent again together."""


def connect(server: LlmServer, limits: AskLimits) -> httpx.AsyncClient:
    import httpx

    is_plain = base_url(server.url).startswith("http:") and not server.trust_env
    return httpx.AsyncClient(
        # Certificates take a fifth of a second to read; where none is needed, none is trusted.
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else True,
        headers=headers(server),
        timeout=httpx.Timeout(
            None, connect=min(limits.timeout, CONNECTING)
        ),  # the whole is timed in `_fetch`
        limits=httpx.Limits(max_connections=limits.concurrency + 1),
        follow_redirects=False,
        trust_env=server.trust_env,
    )


@dataclass(slots=True)
class _Outcome:
    """How an attempt ended: a body that was read, a refusal with its status, or a failure on the way."""

    read: Read | None = None
    refused: ServerRefusal | None = None
    why: str = ""
    reason: str = ""
    """The same without its particulars."""
    again: bool = False
    """Whether sending it once more may help."""
    unreached: bool = False
    prompt: int = 0
    """What it took, or may have taken; of all attempts, where there were several."""
    answer: int = 0
    wait: float | None = None
    """Seconds that the server asks for before the next."""
    location: str = ""
    seconds: float = 0.0
    attempts: int = 1


@dataclass(slots=True)
class _Fetched:
    status: int
    headers: Mapping[str, str]
    body: bytes
    is_whole: bool


class _Failure(Exception):
    """Nothing whole came back."""

    def __init__(self, reason: str, particulars: str = "", *, unreached: bool = False):
        super().__init__(f"{reason}: {particulars}" if particulars else reason)
        self.reason, self.unreached = reason, unreached


class Asking:
    """One run: requests are admitted one by one, in order, and are then under way together."""

    def __init__(
        self,
        server: LlmServer,
        limits: AskLimits,
        timing: AskTiming,
        client: httpx.AsyncClient,
        tell: Callable[[str], object] = lambda words: None,
    ):
        self._server, self._limits, self._timing, self._client = server, limits, timing, client
        self._tell = tell
        self._base = base_url(server.url)
        self._key = (server.api_key or "").strip()
        self.features: ServerFeatures | None = None
        self.purse = Purse(limits, server.prices)
        self.stopped: str | None = None
        self.error: Exception | None = None
        self._gate = asyncio.Lock()
        self._settled = asyncio.Event()
        self._next = self._next_by_tokens = -math.inf  # when the next request may be sent
        self._paused = -math.inf  # until when the server wants none
        self._end = asyncio.Event()
        self._heard = False
        self._failed = 0

    @property
    def _ended(self) -> bool:
        return self.stopped is not None or self.error is not None

    async def ask(self, request: ChatRequest) -> tuple[ChatReply, bool] | None:
        """The reply, and whether it is the model's own; None where nothing more is sent."""
        features = self.features or ALL_FEATURES
        body = body_of(request, self._server.model, features)
        outcome = await self._exchange(body, Bound.of(request), likely_prompt(request) + request.max_tokens)
        if outcome is None:
            return None
        return await self._concluded(outcome)

    async def _concluded(self, outcome: _Outcome) -> tuple[ChatReply, bool] | None:
        read, refused = outcome.read, outcome.refused
        is_of_text = refused is not None and (refused.is_too_long or refused.is_filtered)
        if refused is not None and not outcome.again and not is_of_text:
            await self._refuse(outcome)
            return None
        if outcome.unreached and not self._heard:
            self._fail(f"{outcome.why}; is the server running there?")
            return None
        is_answered = read is not None and read.answered
        reply = ChatReply(text=None, why=outcome.why, reason=outcome.reason) if read is None else read.reply
        if read is None or not read.counted:
            reply = replace(reply, prompt_tokens=outcome.prompt, answer_tokens=outcome.answer)
        self._failed = 0 if is_answered or is_of_text else self._failed + 1
        if self._failed >= FAILED_IN_A_ROW:
            self._stop(f"{FAILED_IN_A_ROW} requests in a row failed, the last because: {reply.why}")
        cost = self._server.prices.cost(outcome.prompt, outcome.answer)
        return replace(reply, cost=cost, seconds=outcome.seconds, attempts=outcome.attempts), is_answered

    async def _exchange(self, body: bytes, bound: Bound, likely: int) -> _Outcome | None:
        """Send, and send again where that may help; None where nothing was sent, since a limit is reached."""
        last: _Outcome | None = None
        for attempt in range(self._limits.retries + 1):
            if last is not None:
                await self._rest(self._backoff(attempt, last.wait))
            if not await self._admit(bound, likely):
                return last
            outcome = _Outcome(prompt=bound.prompt, answer=bound.answer)
            started = self._timing.clock()
            try:
                await self._send(body, outcome)
            finally:
                self.purse.settle(bound, outcome.prompt, outcome.answer)
                self._settled.set()
                if self._limits.tokens_per_minute is not None:
                    more = outcome.prompt + outcome.answer - likely
                    self._next_by_tokens += 60 * more / self._limits.tokens_per_minute
            outcome.seconds = max(self._timing.clock() - started, 0.0)
            if last is not None:
                outcome.prompt += last.prompt
                outcome.answer += last.answer
            outcome.attempts = attempt + 1
            last = outcome
            if not outcome.again:
                break
        return last

    async def _admit(self, bound: Bound, likely: int) -> bool:
        """Wait until the request may be sent; False where it never may."""
        async with self._gate:
            while not self._ended:
                lacking = self.purse.lacks(bound)
                if lacking is not None:
                    if not self.purse.under_way:
                        self._stop(lacking)
                        return False
                    self._settled.clear()  # what is under way takes less than was reserved for it
                    await self._settled.wait()
                    continue
                now = self._timing.clock()
                wait = max(self._next, self._next_by_tokens, self._paused) - now
                if wait > 0:
                    await self._rest(wait)
                    continue
                self.purse.reserve(bound)
                if self._limits.per_minute is not None:
                    self._next = now + 60 / self._limits.per_minute
                if self._limits.tokens_per_minute is not None:
                    self._next_by_tokens = now + 60 * likely / self._limits.tokens_per_minute
                return True
        return False

    async def _send(self, body: bytes, outcome: _Outcome) -> None:
        try:
            fetched = await self._fetch("POST", "/chat/completions", body)
        except _Failure as failure:
            outcome.why, outcome.reason = str(failure), failure.reason
            outcome.again, outcome.unreached = True, failure.unreached
            if failure.unreached:
                outcome.prompt = outcome.answer = 0
            return
        if not fetched.is_whole:
            outcome.read = Read(
                ChatReply(text=None, why=f"the server's reply has more than {LARGEST_BODY:,} bytes")
            )
        elif HTTPStatus.OK <= fetched.status < HTTPStatus.MULTIPLE_CHOICES:
            read = read_completion(fetched.body, fetched.headers.get("content-type", ""))
            why = read.reply.why
            outcome.read = (
                read if why is None else replace(read, reply=replace(read.reply, why=self._hidden(why)))
            )
        else:
            refused = ServerRefusal.of(fetched.status, fetched.body)
            refused = replace(refused, words=self._hidden(refused.words))
            outcome.refused, outcome.why, outcome.reason = refused, refused.why, refused.reason
            outcome.again = (refused.status in _AGAIN or refused.status >= 500) and not refused.is_spent
            if not outcome.again or refused.status in _FREE:
                outcome.prompt = outcome.answer = 0
            if refused.status < 400:
                outcome.location = shortened(fetched.headers.get("location", ""))
            if outcome.again:
                asked = fetched.headers.get("retry-after")
                outcome.wait = _asked_wait(asked, self._timing.today())
                if outcome.wait is not None:  # it is meant for all that are under way
                    self._paused = max(self._paused, self._timing.clock() + outcome.wait)
                if outcome.wait is not None and outcome.wait >= LONG_WAIT:
                    self._tell(
                        f"the server wants no request for {outcome.wait:,.0f} s (HTTP {refused.status}, Retry-After:"
                        f" {shortened(asked or '')[:40]}); waiting"
                    )
        if outcome.read is not None and outcome.read.counted:
            outcome.prompt, outcome.answer = (
                outcome.read.reply.prompt_tokens,
                outcome.read.reply.answer_tokens,
            )

    async def _fetch(self, method: str, path: str, body: bytes | None = None) -> _Fetched:
        """A whole reply, of at most so many bytes and seconds."""
        import httpx

        content_type = {} if body is None else {"Content-Type": "application/json"}
        content = bytearray()
        try:
            async with (
                asyncio.timeout(self._limits.timeout),
                self._client.stream(
                    method, self._base + path, content=body, headers=content_type
                ) as response,
            ):
                self._heard = True
                packed = response.headers.get("content-encoding", "identity")
                if packed.strip().lower() != "identity":  # it was asked not to, and may unpack to anything
                    raise _Failure(
                        f"the server's reply is packed ({shortened(packed)}), which it must not be"
                    )
                async for chunk in response.aiter_raw():
                    content += chunk
                    if len(content) > LARGEST_BODY:
                        return _Fetched(response.status_code, response.headers, b"", is_whole=False)
                return _Fetched(response.status_code, response.headers, bytes(content), is_whole=True)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise _Failure("cannot be reached", _said(error), unreached=True) from None
        except TimeoutError:
            raise _Failure(f"no reply within {self._limits.timeout:g} seconds") from None
        except (httpx.RequestError, OSError) as error:
            raise _Failure("the connection failed", _said(error)) from None

    def _backoff(self, attempt: int, asked: float | None) -> float:
        longest = min(_BACKOFF * 2.0 ** (attempt - 1), _LONGEST_BACKOFF)
        pause = longest * (0.5 + 0.5 * self._timing.jitter())
        return pause if asked is None else asked + pause * 0.5

    async def _rest(self, seconds: float) -> None:
        """Wait, but not longer than the run."""
        waits = [asyncio.ensure_future(self._timing.sleep(seconds)), asyncio.ensure_future(self._end.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why
        self._end.set()

    def _fail(self, why: str) -> None:
        self.error = self.error or ServerUnusable(f"{self._base}: {why}")
        self._end.set()

    async def _refuse(self, outcome: _Outcome) -> None:
        """End the run with what to check."""
        refused = outcome.refused
        if refused is None or self._ended:
            return
        if refused.status < 400:
            to = f" to {quoted(outcome.location)}" if outcome.location else ""
            hint = f"the address leads{to}, and no redirect is followed with a key; name the final address"
        elif refused.is_spent:
            hint = "what was paid for is used up"
        elif refused.status in (401, 403):
            hint = "check the key" if self._key else "it wants a key, and none was given"
        elif refused.status in (404, 405):
            hint = await self._missing()
        else:
            hint = f"check the model ({quoted(self._server.model)}) and the parameters"
        self._fail(f"{refused}; {hint}")

    async def _missing(self) -> str:
        """What may be wrong where the server knows an address or a model not."""
        model = self._server.model
        try:
            models, _ = await self._models()
        except (_Failure, ServerUnusable):
            models = ()
        if models and model not in models:
            return f"check the model: there is no {quoted(model)}{among(model, models)}"
        more = "" if self._base.endswith("/v1") else f", maybe {self._base}/v1"
        return f"check the address{more} and the model ({quoted(model)})"

    async def _models(self) -> tuple[tuple[str, ...], bool]:
        """The models that the server lists, and whether it is llama.cpp's."""
        fetched = await self._fetch("GET", "/models")
        if fetched.status in (401, 403):
            hint = "check the key" if self._key else "it wants a key, and none was given"
            refused = ServerRefusal.of(fetched.status, fetched.body)
            raise ServerUnusable(
                f"{self._base}: {replace(refused, words=self._hidden(refused.words))}; {hint}"
            )
        try:
            data = parse_body(fetched.body) if fetched.status == HTTPStatus.OK else None
        except ValueError:
            data = None
        listed = data.get("data") if isinstance(data, dict) else None
        rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
        names = tuple(shortened(row["id"]) for row in rows if isinstance(row.get("id"), str))
        return names[:1000], any(row.get("owned_by") == "llamacpp" for row in rows)

    async def probe(self) -> ServerFeatures | None:
        """What the server offers; None where a limit is reached, or `error` says why it cannot be used."""
        try:
            models, is_llama = await self._reached()
        except ServerUnusable as error:
            self.error = error
            return None
        trial = await self._tried(ServerTrial(models=models))
        if trial is None:
            return None
        if is_llama or not trial.schema:
            grammar = await self._tried_grammar(trial)
            if grammar is None:
                return None
            trial = grammar
        self.features = ServerFeatures(
            models=models,
            schema=trial.schema,
            grammar=trial.grammar,
            logprobs=trial.logprobs,
            refused=trial.refused,
            answer_limit=trial.answer_limit,
            requests=self.purse.requests,
            prompt_tokens=self.purse.prompt,
            answer_tokens=self.purse.answer,
            cost=self.purse.cost,
        )
        return self.features

    async def _reached(self) -> tuple[tuple[str, ...], bool]:
        for attempt in range(self._limits.retries + 1):
            try:
                return await self._models()
            except _Failure as failure:
                if attempt == self._limits.retries:
                    running = "; is the server running there?" if failure.unreached else ""
                    raise ServerUnusable(f"{self._base}: {failure}{running}") from None
            await self._rest(self._backoff(attempt + 1, None))
        raise AssertionError("unreachable")

    async def _tried(self, trial: ServerTrial) -> ServerTrial | None:
        """A request with everything; without what the server refuses, until it takes it."""
        while True:
            outcome = await self._exchange(*trial.asked(self._server.model))
            if outcome is None:
                return None
            if outcome.read is not None and outcome.read.answered:
                return trial.seen(outcome.read.reply)
            refused = outcome.refused
            if refused is None or refused.status not in (400, 422, 500, 501):
                if refused is not None and not outcome.again:
                    await self._refuse(outcome)
                else:
                    why = outcome.read.reply.why if outcome.read is not None else outcome.why
                    self._fail(why or "")
                return None
            less = trial.without(refused)
            if less is None:
                if outcome.again:
                    self._fail(outcome.why)
                else:
                    await self._refuse(outcome)
                return None
            trial = less

    async def _tried_grammar(self, trial: ServerTrial) -> ServerTrial | None:
        """The same with a grammar, and more log-probabilities: where grammars work, it is llama.cpp's server."""
        outcome = await self._exchange(*trial.asked(self._server.model, grammar=True))
        if outcome is None:
            return None
        if outcome.read is None or not outcome.read.answered:
            return trial
        reply = outcome.read.reply
        if (reply.text or "").strip() != WORD:
            return trial
        top = len(reply.tokens[0]) if reply.tokens and trial.logprobs else trial.logprobs
        return replace(trial, grammar=True, logprobs=max(trial.logprobs, top))

    def _hidden(self, text: str) -> str:
        """Without the key, which some servers repeat."""
        return text.replace(self._key, "***") if self._key else text


def _asked_wait(value: str | None, today: datetime) -> float | None:
    """Seconds that Retry-After asks for, a number or a date, up to a bound; None where it says neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
            when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
            seconds = (when - today).total_seconds()
        except (
            ValueError,
            OverflowError,
            TypeError,
            IndexError,
        ):  # what email.utils makes of what is no date
            return None
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)


def _said(error: BaseException) -> str:
    return shortened(str(error)) or type(error).__name__
