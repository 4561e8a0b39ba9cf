"""Asking language models over HTTP: many requests at a time, within limits, and nothing that came is lost.

Requests go to `POST {url}/chat/completions`, as OpenAI defined it and vLLM, llama.cpp, Ollama and hosted services offer
it, without streaming: an answer is short, and half of one is of no use. The work is done by an event loop in a thread
of its own, so that it also runs where the caller has an event loop (a notebook); the caller sees a plain iterator.

Redirects are never followed: they could lead the key, and the texts, to another host.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adjudge.assessors.llm.asking import Asking, AskTiming, connect
from adjudge.assessors.llm.completion import (
    Bound,
    base_url,
    headers,
    likely_prompt,
)
from adjudge.assessors.llm.exchange import (
    AskEstimate,
    AskLimits,
    AskProgress,
    AskStopped,
    ChatReply,
    ChatRequest,
    LlmServer,
    Prices,
    ServerFeatures,
)
from adjudge.assessors.llm.spending import Purse
from adjudge.core.errors import UsageError

if TYPE_CHECKING:
    from adjudge.assessors.llm.cache import KeptReplies


def ask_all(
    requests: Sequence[ChatRequest],
    server: LlmServer,
    limits: AskLimits | None = None,
    replies: KeptReplies | None = None,
    progress: Callable[[AskProgress], None] = lambda _: None,
    *,
    features: ServerFeatures | None = None,
    timing: AskTiming | None = None,
) -> Generator[tuple[int, ChatReply], None, None]:
    """(position in `requests`, reply), as they come; each is in the store before it is yielded.

    Replies that are in the store come first, and nothing is sent for them; of requests with the same key one is sent.
    `features` is what `probe` found. Without it a server is tried out first, where a request to be sent has a schema
    or choices, and `progress` is told.

    A request that failed has a reply with `why`; whoever wants another answer asks with another `again`. `AskStopped`
    is raised, after the last reply, where a limit ended the run; `ServerUnusable` where the server refuses the key,
    the model or the request: then too every reply that came is yielded first. Requests are sent in their order, and
    the first that does not fit into a limit ends the run: had smaller ones been sent in its place, what was asked
    would depend on the length of the texts.

    No limit is passed: before a request is sent, the most that it can take is reserved (of a prompt one token a byte
    and a margin for the chat template, of an answer its max_tokens), and what it did take is counted when the server
    says so. A server that counts more than that has what it counted added to all later reservations.
    """
    limits, timing = limits or AskLimits(), timing or AskTiming()
    base_url(server.url)
    headers(server)
    if limits.max_cost is not None and server.prices == Prices():
        raise UsageError("a limit of the cost needs the prices of a million tokens")
    return _replies(tuple(requests), server, limits, replies, progress, features, timing)


def probe(
    server: LlmServer, limits: AskLimits | None = None, *, timing: AskTiming | None = None
) -> ServerFeatures:
    """What a server offers, by its list of models and a tiny request or two; more where it refuses some of it.

    A feature is only there where it works: the model is asked for one thing and held to another. Raises
    `ServerUnusable` where the server cannot be reached, or refuses the key or the model.
    """
    limits, timing = limits or AskLimits(), timing or AskTiming()

    async def run() -> ServerFeatures:
        async with connect(server, limits) as client:
            asking = Asking(server, limits, timing, client)
            features = await asking.probe()
            if asking.error is not None:
                raise asking.error
            if features is None:
                raise AskStopped(asking.stopped or "", 0)
            return features

    return _run(run)


def count(
    requests: Sequence[ChatRequest], server: LlmServer, replies: KeptReplies | None = None
) -> AskEstimate:
    """What `ask_all` would send."""
    by_key = {request.key(server.model): request for request in requests}
    kept = {} if replies is None else replies.get_all(by_key)
    new = [request for key, request in by_key.items() if key not in kept]
    bounds = [Bound.of(request) for request in new]
    prompt, answer = sum(bound.prompt for bound in bounds), sum(bound.answer for bound in bounds)
    return AskEstimate(
        requests=len(new),
        cached=len(requests) - len(new),
        prompt_tokens=sum(map(likely_prompt, new)),
        prompt_tokens_at_most=prompt,
        answer_tokens_at_most=answer,
        cost_at_most=None if server.prices == Prices() else server.prices.cost(prompt, answer),
    )


def _replies(
    requests: tuple[ChatRequest, ...],
    server: LlmServer,
    limits: AskLimits,
    store: KeptReplies | None,
    progress: Callable[[AskProgress], None],
    features: ServerFeatures | None,
    timing: AskTiming,
) -> Generator[tuple[int, ChatReply], None, None]:
    places: dict[str, list[int]] = {}
    for position, request in enumerate(requests):
        places.setdefault(request.key(server.model), []).append(position)
    tally = _Tally(of=len(requests), started=timing.clock(), clock=timing.clock)
    kept = {} if store is None else store.get_all(places)
    for key, reply in kept.items():
        for position in places[key]:
            progress(tally.add(reply))
            yield position, reply
    new = {key: requests[positions[0]] for key, positions in places.items() if key not in kept}
    if not new:
        return
    tally.running = running = _Running(new, server, limits, store, features, timing)
    why: str | None = None
    try:
        with running:
            for news in running.replies():
                if isinstance(news, str):
                    progress(tally.now(waiting=news))
                    continue
                key, reply = news
                for position in places[key]:
                    progress(tally.add(reply))
                    yield position, reply
                    reply = replace(reply, cached=True)
        end, left = running.asking, tally.of - tally.done
        if end is not None and end.error is not None:
            why = str(end.error)
            raise end.error
        if end is not None and end.stopped is not None and left:
            why = end.stopped
            raise AskStopped(end.stopped, left)
    except BaseException:
        progress(tally.now(why))  # also where it was interrupted: what was under way may have cost something
        raise


@dataclass(slots=True)
class _Tally:
    """Counts for the progress."""

    of: int
    started: float
    clock: Callable[[], float]
    done: int = 0
    cached: int = 0
    invalid: int = 0
    running: _Running | None = None

    def add(self, reply: ChatReply) -> AskProgress:
        self.done += 1
        self.cached += reply.cached
        self.invalid += reply.text is None
        return self.now()

    def now(self, stopped: str | None = None, waiting: str | None = None) -> AskProgress:
        new, seconds = self.done - self.cached, self.clock() - self.started
        rate = 60 * new / seconds if new and seconds > 0 else None
        asking = self.running.asking if self.running is not None else None
        purse = asking.purse if asking is not None else Purse(AskLimits(), Prices())
        return AskProgress(
            done=self.done,
            of=self.of,
            cached=self.cached,
            invalid=self.invalid,
            sent=purse.requests,
            per_minute=rate,
            tokens=purse.prompt + purse.answer,
            answer_tokens=purse.answer,
            cost=purse.cost,
            seconds_left=None if rate is None else 60 * (self.of - self.done) / rate,
            features=asking.features if asking is not None else None,
            stopped=stopped,
            waiting=waiting,
        )


class _Running:
    """The event loop's thread: it puts replies into a queue, and ends when it is left."""

    def __init__(
        self,
        requests: Mapping[str, ChatRequest],
        server: LlmServer,
        limits: AskLimits,
        store: KeptReplies | None,
        features: ServerFeatures | None,
        timing: AskTiming,
    ):
        self.asking: Asking | None = None
        self._args = (requests, server, limits, store, features, timing)
        self._queue: queue.SimpleQueue[tuple[str, ChatReply] | str | BaseException | None] = (
            queue.SimpleQueue()
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._work, name="adjudge-llm", daemon=True)

    def __enter__(self) -> _Running:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        loop, task = self._loop, self._task
        if loop is not None and task is not None and self._thread.is_alive():
            with suppress(RuntimeError):  # it ended meanwhile
                loop.call_soon_threadsafe(task.cancel)
        self._thread.join()

    def replies(self) -> Iterator[tuple[str, ChatReply] | str]:
        """Keys and replies as they come; and words on what is waited for."""
        while True:
            try:
                news = self._queue.get(
                    timeout=0.5
                )  # where a wait without end cannot be interrupted (Windows)
            except queue.Empty:
                continue
            if news is None:
                return
            if isinstance(news, BaseException):
                raise news
            yield news

    def _work(self) -> None:
        try:
            asyncio.run(self._ask())
        except asyncio.CancelledError:
            self._queue.put(None)
        except BaseException as error:
            self._queue.put(error)
        else:
            self._queue.put(None)

    async def _ask(self) -> None:
        requests, server, limits, store, features, timing = self._args
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        if self._left.is_set():
            return
        workers = min(limits.concurrency, server.slots or limits.concurrency, len(requests))
        async with connect(server, limits) as client:
            self.asking = asking = Asking(server, limits, timing, client, self._queue.put)
            asking.features = features
            has_more = any(request.schema is not None or request.choices for request in requests.values())
            if features is None and has_more and await asking.probe() is None:
                return
            todo = iter(requests.items())

            async def work() -> None:
                for key, request in todo:
                    while self._queue.qsize() > 2 * workers:  # the caller does not come, and may never
                        await asyncio.sleep(0.02)
                    outcome = await asking.ask(request)
                    if outcome is None:
                        return
                    reply, keep = outcome
                    if keep and store is not None:
                        store.put(key, server.model, reply)
                    self._queue.put((key, reply))

            tasks = [asyncio.ensure_future(work()) for _ in range(workers)]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)


def _run(make: Callable[[], Coroutine[Any, Any, ServerFeatures]]) -> ServerFeatures:
    """Run to the end, also where this thread has an event loop already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(make())).result()
