"""Servers that mean harm: whatever they send, a run ends, with an answer or with a reason in one line."""

from __future__ import annotations

import gzip
import itertools
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.assessors.llm.bad_server import Says, bad_server, completion
from tests.assessors.llm.test_answers import FORM, tangled
from tests.assessors.llm.test_server import Time, asked
from tests.waiting import HANG

from adjudge.assessors.llm.cache import JudgeReplies, ReplyStore
from adjudge.assessors.llm.exchange import ALL_FEATURES, AskLimits, AskProgress, ChatReply, ServerUnusable
from adjudge.assessors.llm.server import ask_all

LIMITS = AskLimits(concurrency=1, retries=0, timeout=1.0)


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", "Content-Type: application/json", *lines, "", ""]).encode(
        "latin-1"
    )


def raw(*pieces: bytes | Iterable[bytes]) -> Callable[[], Iterator[bytes]]:
    """Pieces, and endless ones last."""

    def send() -> Iterator[bytes]:
        for piece in pieces:
            yield from ([piece] if isinstance(piece, bytes) else piece)

    return send


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def sized(body: bytes, *lines: str, length: int | str | None = None) -> Callable[[], Iterator[bytes]]:
    return raw(head(f"Content-Length: {len(body) if length is None else length}", *lines), body)


FINE = json.dumps(completion("4")).encode()
CHUNKED = "Transfer-Encoding: chunked"
MANY = 200_000


def content(text: str) -> Says:
    return Says(body=completion(text))


def drip() -> Iterator[bytes]:
    yield head(f"Content-Length: {10**9}")
    while True:
        yield b" "


def bomb(times: int) -> bytes:
    body = b"0" * 20_000_000
    for _ in range(times):
        body = gzip.compress(body)
    return body


HOSTILE: dict[str, Says] = {
    "megabytes of an answer": content("4 " * 2_000_000),
    "more than is read": Says(raw=raw(head(CHUNKED), itertools.repeat(chunk(b" " * 65536)))),
    "endless without a length": Says(endless=True),
    "endless chunks of a byte": Says(raw=raw(head(CHUNKED), itertools.repeat(chunk(b" ")))),
    "endless drip": Says(raw=drip),
    "a chunk without an end": Says(raw=raw(head(CHUNKED), b"ffffffff\r\n", itertools.repeat(b" " * 4096))),
    "a chunk of a negative size": Says(raw=raw(head(CHUNKED), b"-5\r\nhello\r\n0\r\n\r\n")),
    "a chunk of a size that is none": Says(raw=raw(head(CHUNKED), b"zz\r\nhello\r\n0\r\n\r\n")),
    "an endless chunk extension": Says(raw=raw(head(CHUNKED), b"5;", itertools.repeat(b"x" * 4096))),
    "endless trailers": Says(raw=raw(head(CHUNKED), b"0\r\n", itertools.repeat(b"X: y\r\n" * 500))),
    "endless headers": Says(raw=raw(b"HTTP/1.1 200 OK\r\n", itertools.repeat(b"X: y\r\n" * 500))),
    "a header without an end": Says(raw=raw(b"HTTP/1.1 200 OK\r\nX: ", itertools.repeat(b"y" * 4096))),
    "a status line without an end": Says(raw=raw(b"HTTP/1.1 200 ", itertools.repeat(b"y" * 4096))),
    "endless 100 Continue": Says(raw=raw(itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 100))),
    "endless early hints": Says(raw=raw(itertools.repeat(b"HTTP/1.1 103 Hints\r\n\r\n" * 100))),
    "no HTTP": Says(raw=raw(b"SSH-2.0-OpenSSH_9.6\r\n" * 10)),
    "bytes by chance": Says(raw=raw(bytes(range(256)) * 100)),
    "HTTP of another version": Says(raw=raw(b"HTTP/9.9 200 OK\r\n\r\n", FINE)),
    "a switch of protocols": Says(raw=raw(head("Upgrade: x", status="101 Switching Protocols"), FINE)),
    "a length too long": Says(raw=sized(FINE, length=len(FINE) + 100)),
    "a length too short": Says(raw=sized(FINE, length=5)),
    "a negative length": Says(raw=sized(FINE, length=-1)),
    "a length beyond all": Says(raw=sized(FINE, length=10**30)),
    "a length that is none": Says(raw=sized(FINE, length="many")),
    "two lengths": Says(raw=sized(FINE, "Content-Length: 3")),
    "a length and chunks": Says(raw=sized(FINE, CHUNKED)),
    "a gzip bomb": Says(raw=sized(bomb(1), "Content-Encoding: gzip")),
    "a gzip bomb in a bomb": Says(raw=sized(bomb(2), "Content-Encoding: gzip, gzip")),
    "a deflate bomb": Says(raw=sized(zlib.compress(b"0" * 20_000_000), "Content-Encoding: deflate")),
    "packed many times": Says(raw=sized(FINE, "Content-Encoding: " + ", ".join(["gzip"] * 500))),
    "packed in a way unknown": Says(raw=sized(FINE, "Content-Encoding: br, zstd")),
    "a status without meaning": Says(raw=raw(head(status="999 x"), FINE)),
    "a redirect": Says(302, {}, {"Location": "http://127.0.0.1:1/v1"}),
    "a redirect to a file": Says(301, {}, {"Location": "file:///etc/passwd"}),
    "a redirect in control characters": Says(
        raw=raw(head("Location: \x1b[2J", "Content-Length: 0", status="302 x"))
    ),
    "a message in control characters": Says(500, {"error": {"message": "\x1b[2J\n\r\u202e" * 1000}}),
    "a message without an end": Says(500, {"error": {"message": "x" * 5_000_000}}),
    "a message that is nested": Says(500, b'{"error": {"message": ' + b"[" * 500 + b"]" * 500 + b"}}"),
    "bytes that are not UTF-8": Says(body=FINE.replace(b"4", b"\xff\xfe\x80")),
    "halves of characters": content("\ud83d\udc00"),
    "JSON in UTF-16": Says(body=FINE.decode().encode("utf-16")),
    "JSON in UTF-32": Says(body=FINE.decode().encode("utf-32")),
    "nested by the thousand": Says(body=b'{"choices": ' + b"[" * MANY + b"]" * MANY + b"}"),
    "nested in the text": content('{"answer": ' + "[" * MANY + "]" * MANY + "}"),
    "a number beyond all": content('{"answer": 1e400}'),
    "a number of many digits": content('{"answer": ' + "9" * MANY + "}"),
    "a body of many digits": Says(body=b"9" * MANY),
    "usage beyond all": Says(body=completion("4", usage={"prompt_tokens": 10**400, "completion_tokens": -1})),
    "choices by the thousand": Says(body=completion("4", choices=[completion("4")["choices"][0]] * 10_000)),
    "keys by the thousand": Says(body=completion("4") | {f"k{n}": n for n in range(MANY)}),
    "parts by the thousand": Says(body=completion(message={"content": [{"text": "4"}] * MANY})),
    "log-probabilities without an end": Says(
        body=completion(
            "4",
            choice={
                "logprobs": {"content": [{"top_logprobs": [{"token": "x", "logprob": -1.0}] * 20}] * 5_000}
            },
        )
    ),
    "log-probabilities that are none": Says(
        body=b'{"choices": [{"message": {"content": "4"}, "logprobs": {"content": [{"top_logprobs":'
        b' [{"token": "4", "logprob": 1e400}, {"token": "4", "logprob": NaN}]}]}}]}'
    ),
    "a finish that is none": Says(body=completion("4", choice={"finish_reason": ["stop"] * 1000})),
    "nothing at all": Says(drop=True),
    "nothing for ever": Says(hang=True),
    **{f"text: {name}": content(text) for name, text in tangled(20_000).items()},
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_server_is_a_reason_in_one_line(kind: str) -> None:
    with bad_server(lambda body, n: HOSTILE[kind]) as bad, ReplyStore.at(":memory:") as store:
        kept = JudgeReplies(store, "judge", "rating")
        kept.readers = {asked().key(bad.server().model): FORM.read}
        try:
            found = dict(ask_all([asked()], bad.server(), LIMITS, kept, features=ALL_FEATURES))
        except ServerUnusable as error:
            assert "\n" not in str(error)
            assert str(error).isprintable()
            return
        (reply,) = found.values()
        answer = FORM.read(reply)
        assert (answer.answer is None) == (answer.reason is not None)
        for why in (reply.why, answer.reason):
            assert why is None or (why.isprintable() and len(why) < 300)
        if reply.text is None:
            return
        assert answer.answer in (None, {"value": 4})
        (again,) = dict(ask_all([asked()], bad.server(), LIMITS, kept, features=ALL_FEATURES)).values()
        assert (again.text, again.cached) == (reply.text, True)  # nothing is sent, and it is read as before
        assert len(bad.bodies) == 1


def test_what_cannot_be_read_is_not_kept() -> None:
    """So that the next run asks again."""

    def read(reply: ChatReply) -> Any:
        raise RecursionError("a fault of the reader")

    with bad_server() as bad, ReplyStore.at(":memory:") as store:
        kept = JudgeReplies(store, "judge", "rating", readers={asked().key(bad.server().model): read})
        with pytest.raises(RecursionError):
            list(ask_all([asked()], bad.server(), replace(LIMITS, timeout=HANG), kept, features=ALL_FEATURES))
        assert len(store) == 0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("1e308", 300),
        ("1e400", 300),
        ("99999999999999999999", 300),
        ("45", 45),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 300),
        ("Sun, 01 Mar 2026 12:01:00 GMT", 60),
        ("Sun, 01 Mar 2026 12:01:00 +2359", 0),
        ("5", 0),
        ("-1e308", 0),
        ("nan", 0),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", 0),
        ("Fri, 31 Dec 0001 23:59:59 -2359", 0),
        ("Fri, 99 Dec 9999 99:99:99 GMT", 0),
        ("1" * 5000, 300),
        ("\u00b2", 0),
    ],
)
def test_a_long_wait_is_bounded_and_said(header: str, seconds: int) -> None:
    time, told = Time(), list[AskProgress]()
    answers = iter([Says(429, {}, {"Retry-After": header}), Says(body=completion("4"))])
    with bad_server(lambda body, n: next(answers)) as bad:
        limits = AskLimits(concurrency=1, retries=1)
        asking = ask_all(
            [asked()], bad.server(), limits, progress=told.append, features=ALL_FEATURES, timing=time.timing()
        )
        ((_, reply),) = asking
    assert reply.text == "4"
    assert sum(time.waits) <= 301
    waits = [state.waiting for state in told if state.waiting is not None]
    assert len(waits) == (seconds > 0)
    for words in waits:
        assert f"the server wants no request for {seconds} s (HTTP 429, Retry-After: {header[:40]})" in words
