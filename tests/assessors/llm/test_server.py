"""Asking a server: what is sent, what is sent again, what ends a run; with a real server that behaves badly."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assessors.llm.bad_server import MODEL, BadServer, Says, Script, bad_server, completion, fine
from tests.waiting import HANG

from adjudge.assessors.llm import asking
from adjudge.assessors.llm.asking import AskTiming
from adjudge.assessors.llm.cache import ReplyStore
from adjudge.assessors.llm.completion import Bound, base_url
from adjudge.assessors.llm.exchange import (
    ALL_FEATURES,
    AskLimits,
    AskProgress,
    AskStopped,
    ChatReply,
    ChatRequest,
    LlmServer,
    Prices,
    ServerFeatures,
    ServerUnusable,
)
from adjudge.assessors.llm.server import ask_all, count, probe
from adjudge.core.errors import DataError, UsageError

QUICK = AskLimits(concurrency=4, timeout=HANG)
SCHEMA = {"type": "object", "properties": {"answer": {"enum": [1, 2, 3]}}, "required": ["answer"]}


class Time:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now, self.waits = 1000.0, list[float]()

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def timing(self) -> AskTiming:
        today = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
        return AskTiming(sleep=self.sleep, clock=lambda: self.now, today=lambda: today, jitter=lambda: 1.0)


def asked(text: str = "a", **changed: Any) -> ChatRequest:
    return ChatRequest(**({"messages": ({"role": "user", "content": text},)} | changed))


def replies(
    requests: list[ChatRequest], server: LlmServer, limits: AskLimits = QUICK, **more: Any
) -> list[ChatReply]:
    """By position; every request has a reply."""
    more.setdefault("timing", Time().timing())
    found = dict(ask_all(requests, server, limits, more.pop("replies", None), **more))
    return [found[position] for position in range(len(requests))]


def one(script: Script, request: ChatRequest | None = None, **more: Any) -> ChatReply:
    with bad_server(script) as bad:
        (reply,) = replies([request or asked()], bad.server(), **more)
        return reply


def in_turn(*steps: Says) -> Script:
    """One after the other, and the last for ever."""
    return lambda _, before: steps[min(before, len(steps) - 1)]


class TestWhatIsSent:
    def test_a_request_has_all_that_was_asked_for(self) -> None:
        request = asked("text", schema=SCHEMA, choices=("1", "2"), max_tokens=7, temperature=0.5, seed=0)
        with bad_server() as bad:
            replies([request], bad.server(api_key=" secret\n"), features=ALL_FEATURES)
        assert bad.bodies == [
            {
                "model": MODEL,
                "messages": [{"role": "user", "content": "text"}],
                "max_tokens": 7,
                "temperature": 0.5,
                "seed": 0,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
                },
                "logprobs": True,
                "top_logprobs": 20,
            }
        ]
        assert bad.headers[0]["authorization"] == "Bearer secret"

    def test_what_the_server_does_not_offer_is_left_out(self) -> None:
        request = asked(schema=SCHEMA, choices=("1", "2"), seed=3)
        features = ServerFeatures(refused={"seed": "no"}, answer_limit="max_completion_tokens")
        with bad_server() as bad:
            replies([request], bad.server(), features=features)
        assert set(bad.bodies[0]) == {"model", "messages", "max_completion_tokens", "temperature"}

    def test_a_grammar_holds_the_model_to_the_choices(self) -> None:
        features = ServerFeatures(grammar=True, logprobs=100)
        with bad_server() as bad:
            replies([asked(choices=("1", 'a "b"'))], bad.server(), features=features)
        assert bad.bodies[0]["grammar"] == r'root ::= "1" | "a \"b\""'
        assert bad.bodies[0]["top_logprobs"] == 100

    def test_no_key_is_sent_where_there_is_none(self) -> None:
        with bad_server() as bad:
            replies([asked()], bad.server())
        assert "authorization" not in bad.headers[0]

    def test_half_a_surrogate_pair_is_sent_as_a_question_mark(self) -> None:
        with bad_server() as bad:
            replies([asked("a\ud800b")], bad.server())
        assert bad.texts == ["a?b"]

    def test_the_environment_is_not_asked_for_a_proxy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv("no_proxy", "")
        with bad_server() as bad:
            assert replies([asked()], bad.server())[0].text == "a"
            with pytest.raises(ServerUnusable, match="cannot be reached"):
                replies([asked("b")], bad.server(trust_env=True))

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("http://localhost:8000", "http://localhost:8000/v1"),
            ("http://localhost:8000/", "http://localhost:8000/v1"),
            (" https://api.openai.com/v1/ ", "https://api.openai.com/v1"),
            ("https://host/v1/chat/completions", "https://host/v1"),
            ("https://host/v1beta/openai", "https://host/v1beta/openai"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ],
    )
    def test_addresses_as_people_type_them(self, typed: str, meant: str) -> None:
        assert base_url(typed) == meant

    @pytest.mark.parametrize(
        "typed",
        [
            "",
            "localhost:8000",
            "ftp://host/v1",
            "http://",
            "http://u:p@host/v1",
            "http://h/v1?key=1",
            "http://h:x/v1",
            "http://[::1/v1",
            "http://a b/v1",
            "file:///etc/passwd",
            "http://h:99999/v1",
        ],
    )
    def test_other_addresses_are_refused_before_anything_is_sent(self, typed: str) -> None:
        with pytest.raises(UsageError) as caught:
            ask_all([asked()], LlmServer(typed, MODEL), QUICK, None)
        assert "\n" not in str(caught.value)
        assert "u:p" not in str(caught.value)

    @pytest.mark.parametrize("key", ["a b", "a\nb", "schlüssel"])
    def test_a_key_that_cannot_be_one_is_refused(self, key: str) -> None:
        with pytest.raises(UsageError, match="key"):
            ask_all([asked()], LlmServer("http://localhost", MODEL, key), QUICK, None)

    def test_the_key_is_shown_nowhere(self) -> None:
        script = in_turn(Says(401, {"error": {"message": "wrong key: s3cr3t-key"}}))
        with bad_server(script) as bad:
            server = bad.server(api_key="s3cr3t-key")
            assert "s3cr3t" not in repr(server)
            with pytest.raises(ServerUnusable) as caught:
                replies([asked()], server)
        assert "s3cr3t" not in str(caught.value)


class TestSentAgain:
    @pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
    def test_what_may_pass_is_sent_again(self, status: int) -> None:
        time = Time()
        failing = Says(status, {"error": {"message": "busy"}})
        reply = one(in_turn(failing, failing, Says(body=completion())), timing=time.timing())
        assert (reply.text, reply.attempts) == ("4", 3)
        assert time.waits == [1.0, 2.0]  # doubled; the jitter is 1 here

    def test_waits_are_jittered_between_half_and_all(self) -> None:
        time = Time()
        timing = replace(time.timing(), jitter=iter([0.0, 0.5]).__next__)
        one(in_turn(Says(500), Says(500), Says(body=completion())), timing=timing)
        assert time.waits == [0.5, 1.5]

    def test_only_as_often_as_asked(self) -> None:
        with bad_server(in_turn(Says(500, {"error": {"message": "out of order"}}))) as bad:
            (reply,) = replies([asked()], bad.server(), replace(QUICK, retries=3))
        assert len(bad.bodies) == reply.attempts == 4
        assert reply.text is None
        assert reply.why == "the server failed: HTTP 500: out of order"

    @pytest.mark.parametrize(
        ("header", "waited"),
        [
            ("7", 7.5),
            ("0", 0.5),
            ("2.5", 3.0),
            ("Sun, 01 Mar 2026 12:00:30 GMT", 30.5),
            ("Sun, 01 Mar 2026 11:00:00 GMT", 0.5),  # past
            ("99999999", asking.LONGEST_WAIT + 0.5),
            ("inf", asking.LONGEST_WAIT + 0.5),
            ("-5", 0.5),
            ("Fri, 31 Dec 9999 23:59:59 GMT", asking.LONGEST_WAIT + 0.5),
            ("nan", 1.0),  # says nothing: as long as without it
            ("soon", 1.0),
            ("", 1.0),
        ],
    )
    def test_retry_after_is_honoured_up_to_a_bound(self, header: str, waited: float) -> None:
        time = Time()
        busy = Says(429, {"error": {"message": "slow down"}}, {"Retry-After": header})
        reply = one(in_turn(busy, Says(body=completion())), timing=time.timing())
        assert reply.text == "4"
        assert sum(time.waits) == pytest.approx(waited)

    def test_retry_after_holds_for_the_requests_that_follow(self) -> None:
        time = Time()
        busy = Says(429, {}, {"Retry-After": "40"})
        with bad_server(in_turn(busy, Says(body=completion()))) as bad:
            replies(
                [asked("a"), asked("b")], bad.server(), replace(QUICK, concurrency=1), timing=time.timing()
            )
        assert time.now >= 1040
        with bad_server(in_turn(busy, Says(body=completion()))) as bad:
            limits = AskLimits(concurrency=1, retries=0)
            time = Time()
            first, second = replies([asked("a"), asked("b")], bad.server(), limits, timing=time.timing())
        assert (first.text, second.text) == (None, "4")
        assert time.waits == [40.0]

    def test_a_time_out_is_sent_again_and_said(self) -> None:
        often = AskLimits(timeout=0.3, retries=1000)  # on a busy machine the next reply may come late, too
        reply = one(in_turn(Says(hang=True), Says(body=completion())), limits=often)
        assert (reply.text, reply.attempts >= 2) == ("4", True)
        reply = one(in_turn(Says(hang=True)), limits=AskLimits(timeout=0.3, retries=1))
        assert (reply.why, reply.attempts) == ("no reply within 0.3 seconds", 2)

    @pytest.mark.parametrize("cut", [0, 1, 50])
    def test_a_body_that_is_cut_short_is_sent_again_and_said(self, cut: int) -> None:
        broken = Says(body=completion(), cut=cut)
        assert one(in_turn(broken, Says(body=completion()))).text == "4"
        reply = one(in_turn(broken))
        assert reply.text is None
        assert reply.why is not None
        assert reply.why.startswith("the connection failed: ")

    def test_a_connection_that_is_dropped_is_an_error_like_any_other(self) -> None:
        reply = one(in_turn(Says(drop=True), Says(body=completion())))
        assert (reply.text, reply.attempts) == ("4", 2)


BAD_BODIES: list[tuple[Says, str]] = [
    (Says(body=b"{"), "the server's reply is no JSON (application/json)"),
    (Says(body=b""), "the server's reply is no JSON"),
    (Says(body=b"\xff\xfe\x00"), "the server's reply is no JSON"),
    (Says(body=b"[" * 100_000), "the server's reply is no JSON"),
    (
        Says(body=b"<html>hello</html>", headers={"Content-Type": "text/html; charset=utf-8"}),
        "no JSON (text/html)",
    ),
    (Says(body=[1]), "the server's reply is no JSON object"),
    (Says(body={}), "holds no choices"),
    (Says(body={"error": {"message": "model crashed"}}), "holds no choices: model crashed"),
    (Says(body=completion(choices=[])), "holds no choices"),
    (Says(body=completion(choices={"0": {}})), "holds no choices"),
    (Says(body=completion(choices=[None])), "holds no choices"),
    (Says(body=completion(choices=[{"text": "4"}])), "holds no message"),
    (Says(body=completion(message={"content": 4})), "the text of the server's reply is none"),
    (Says(body=completion(message={"content": {"a": 1}})), "the text of the server's reply is none"),
]


class TestBadReplies:
    @pytest.mark.parametrize(("said", "why"), BAD_BODIES, ids=[why[-30:] for _, why in BAD_BODIES])
    def test_a_body_that_is_no_completion_is_a_reason(self, said: Says, why: str) -> None:
        with bad_server(in_turn(said)) as bad, ReplyStore.at(":memory:") as store:
            (reply,) = replies([asked()], bad.server(), replies=store)
            assert len(store) == 0  # the model did not say it
        assert reply.text is None
        assert reply.why is not None
        assert why in reply.why
        assert len(bad.bodies) == 1  # it is spent
        assert reply.cost > 0

    @pytest.mark.parametrize(
        ("said", "why"),
        [
            (
                completion(None, message={"refusal": "I cannot\njudge this"}),
                "the model refused: I cannot judge this",
            ),
            (completion(None, choice={"finish_reason": "content_filter"}), "content filter"),
            (completion("The sum", choice={"finish_reason": "content_filter"}), "content filter"),
            (completion(""), "the answer is empty"),
            (completion(None, choice={"finish_reason": "length"}), "the limit of its tokens was reached"),
        ],
    )
    def test_a_refusal_is_a_reply_of_the_model_and_kept(self, said: Any, why: str) -> None:
        with bad_server(in_turn(Says(body=said))) as bad, ReplyStore.at(":memory:") as store:
            (reply,) = replies([asked()], bad.server(), replies=store)
            (again,) = replies([asked()], bad.server(), replies=store)
        assert reply.text is None
        assert why in str(reply.why)
        assert len(bad.bodies) == 1
        assert again == replace(reply, cached=True)

    def test_a_text_that_was_cut_by_its_limit_is_a_text(self) -> None:
        reply = one(in_turn(Says(body=completion("The", choice={"finish_reason": "length"}))))
        assert (reply.text, reply.finish) == ("The", "length")

    def test_a_wrong_content_type_does_no_harm(self) -> None:
        assert one(in_turn(Says(body=completion(), headers={"Content-Type": "text/plain"}))).text == "4"

    def test_a_text_in_parts_is_joined(self) -> None:
        parts = [{"type": "text", "text": "4"}, {"type": "text", "text": "2"}]
        assert one(in_turn(Says(body=completion(message={"content": parts})))).text == "42"

    @pytest.mark.parametrize("how", ["sized", "endless"])
    def test_a_huge_body_is_not_read_to_its_end(self, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(asking, "LARGEST_BODY", 100_000)
        said = Says(endless=True) if how == "endless" else Says(body=b" " * 200_000 + b"{}")
        reply = one(in_turn(said))
        assert reply.why == "the server's reply has more than 100,000 bytes"

    @pytest.mark.parametrize(
        "usage",
        [None, {}, 7, {"prompt_tokens": "12", "completion_tokens": 3}, {"prompt_tokens": 12}]
        + [{"prompt_tokens": n, "completion_tokens": 3} for n in (-1, 1.5, True, 0, 10**12)],
    )
    def test_where_usage_is_missing_the_most_is_counted(self, usage: Any) -> None:
        request = asked("some text", max_tokens=9)
        reply = one(in_turn(Says(body=completion(usage=usage))), request)
        bound = Bound.of(request)
        assert reply.text == "4"
        assert (reply.prompt_tokens, reply.answer_tokens) == (bound.prompt, 9)
        assert reply.cost == Prices(3.0, 15.0).cost(bound.prompt, 9)

    def test_log_probabilities_come_by_place(self) -> None:
        top = [{"token": "4", "logprob": -0.1, "bytes": [52]}, {"token": "5", "logprob": -3}]
        logprobs = {"content": [{"token": "4", "logprob": -0.1, "top_logprobs": top}]}
        reply = one(in_turn(Says(body=completion(choice={"logprobs": logprobs}))))
        assert reply.tokens == ((("4", -0.1), ("5", -3.0)),)

    @pytest.mark.parametrize(
        "logprobs",
        [[], {"content": None}, {"content": [{"top_logprobs": 3}]}, {"content": [3]}]
        + [
            {"content": [{"top_logprobs": [{"token": token, "logprob": value}]}]}
            for token, value in ((None, -1.0), ("a", "x"), ("a", 2.0), ("a", None), ("a", float("nan")))
        ],
    )
    def test_malformed_log_probabilities_are_none(self, logprobs: Any) -> None:
        reply = one(in_turn(Says(body=completion(choice={"logprobs": logprobs}))))
        assert (reply.text, reply.tokens) == ("4", ())

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["choices", "message", "content", "usage", "logprobs", "error", "refusal"]
                    ),
                    inner,
                )
            ),
        )
    )
    def test_no_body_whatever_is_a_crash(self, body: Any) -> None:
        from adjudge.assessors.llm.completion import ServerRefusal, read_completion

        content = json.dumps(body).encode()
        for shape in (body, {"choices": [body]}, {"choices": [{"message": body, "finish_reason": body}]}):
            read = read_completion(json.dumps(shape).encode(), "application/json")
            assert (read.reply.text is None) == (read.reply.why is not None)
        assert "\n" not in str(ServerRefusal.of(500, content))


class TestEndOfARun:
    @pytest.mark.parametrize(
        ("status", "said", "hint"),
        [
            (401, {"error": {"message": "Incorrect API key"}}, "HTTP 401: Incorrect API key; it wants a key"),
            (403, {"detail": "Forbidden"}, "HTTP 403: Forbidden; it wants a key, and none was given"),
            (400, {"error": {"message": "bad\nthing"}}, 'HTTP 400: bad thing; check the model ("judge-1")'),
            (422, {"detail": [{"loc": ["body"]}]}, 'HTTP 422: [{"loc": ["body"]}]; check the model'),
            (402, {"error": "no money"}, "HTTP 402: no money; what was paid for is used up"),
            (
                429,
                {"error": {"code": "insufficient_quota", "message": "quota"}},
                "what was paid for is used up",
            ),
            (404, {"error": {"message": "no route"}}, 'check the address and the model ("judge-1")'),
            (418, b"<html>teapot</html>", "HTTP 418; check the model"),
        ],
    )
    def test_what_never_passes_stops_the_run_at_once(self, status: int, said: Any, hint: str) -> None:
        with bad_server(in_turn(Says(status, said))) as bad, pytest.raises(ServerUnusable) as caught:
            replies([asked(str(n)) for n in range(50)], bad.server(), AskLimits(concurrency=1))
        assert hint in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(bad.bodies) == 1

    def test_a_key_that_is_refused_is_named(self) -> None:
        with (
            bad_server(in_turn(Says(401, {}))) as bad,
            pytest.raises(ServerUnusable, match="HTTP 401; check the key"),
        ):
            replies([asked()], bad.server(api_key="k"))

    def test_a_model_that_is_not_there_is_answered_with_the_nearest(self) -> None:
        script = in_turn(Says(404, {"error": {"message": "model not found"}}))
        with bad_server(script, ["judge-10", "other"]) as bad, pytest.raises(ServerUnusable) as caught:
            replies([asked()], bad.server())
        assert 'there is no "judge-1" (nearest: "judge-10")' in str(caught.value)

    def test_a_wrong_path_is_answered_with_a_better_one(self) -> None:
        with bad_server() as bad, pytest.raises(ServerUnusable, match="check the address, maybe .*/api/v1"):
            replies([asked()], bad.server(url=f"{bad.url}/api"))

    def test_a_redirect_is_not_followed(self) -> None:
        with bad_server() as other:
            script = in_turn(Says(307, b"", {"Location": f"{other.url}/v1/chat/completions"}))
            with bad_server(script) as bad, pytest.raises(ServerUnusable) as caught:
                replies([asked()], bad.server(api_key="k"))
            assert other.bodies == []
        assert f'"{other.url}/v1/chat/completions"' in str(caught.value)

    def test_a_server_that_is_not_there_is_said(self) -> None:
        with bad_server() as bad:
            server = bad.server()
        time = Time()
        with pytest.raises(ServerUnusable, match="cannot be reached: .*; is the server running there?"):
            replies([asked(str(n)) for n in range(50)], server, timing=time.timing())

    def test_a_server_that_goes_away_ends_the_run(self) -> None:
        def script(body: dict[str, Any], before: int) -> Says:
            return fine(body, before) if before < 3 else Says(drop=True)

        with bad_server(script) as bad:
            limits = AskLimits(concurrency=1, retries=0)
            got, stopped = until_stopped([asked(str(n)) for n in range(100)], bad.server(), limits)
        assert len(got) == 3 + asking.FAILED_IN_A_ROW
        assert stopped.left == 100 - len(got)
        assert stopped.reason.startswith(
            "20 requests in a row failed, the last because: the connection failed"
        )

    def test_replies_that_are_under_way_are_still_taken(self) -> None:
        """One of four that are under way together is refused: all other replies are yielded before the error."""
        together = threading.Barrier(4)

        def script(body: dict[str, Any], before: int) -> Says:
            if before < 4:
                together.wait(HANG)
            text = body["messages"][-1]["content"]
            return Says(400, {"error": {"message": "odd"}}) if text == "2" else fine(body, before)

        got = list[str | None]()
        with bad_server(script) as bad, ReplyStore.at(":memory:") as store:
            run = ask_all(
                [asked(str(n)) for n in range(400)], bad.server(), QUICK, store, timing=Time().timing()
            )
            with pytest.raises(ServerUnusable, match="odd"):
                got.extend(reply.text for _, reply in run)
            assert len(store) == len(got)
        assert {"0", "1", "3"} <= set(got)
        assert sorted([*map(str, got), "2"]) == sorted(bad.texts)
        assert len(got) < 400

    @pytest.mark.parametrize(
        ("said", "why"),
        [
            (Says(400, {"error": {"message": "maximum context length is 4096"}}), "too long for the model"),
            (
                Says(400, {"error": {"code": "context_length_exceeded", "message": "no"}}),
                "too long for the model: no",
            ),
            (Says(413, b""), "too long"),
            (
                Says(400, {"error": {"code": "content_filter", "message": "no"}}),
                "content filter refused it: no",
            ),
        ],
    )
    def test_what_concerns_one_text_alone_does_not_end_the_run(self, said: Says, why: str) -> None:
        with bad_server(in_turn(said, Says(body=completion()))) as bad:
            first, second = replies([asked("a"), asked("b")], bad.server(), AskLimits(concurrency=1))
        assert why in str(first.why)
        assert (first.attempts, first.cost) == (1, 0)
        assert second.text == "4"

    def test_whoever_leaves_early_stops_the_asking(self) -> None:
        with bad_server() as bad, ReplyStore.at(":memory:") as store:
            run = ask_all([asked(str(n)) for n in range(500)], bad.server(), QUICK, store)
            next(run)
            run.close()
            sent = len(bad.bodies)
            assert sent < 100
            assert len(store) >= sent - QUICK.concurrency
        assert len(bad.bodies) <= sent + QUICK.concurrency  # what was on its way

    def test_an_interrupt_loses_nothing_that_came(self) -> None:
        with bad_server() as bad, ReplyStore.at(":memory:") as store:

            def interrupt(progress: AskProgress) -> None:
                if progress.done == 5:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                list(ask_all([asked(str(n)) for n in range(30)], bad.server(), QUICK, store, interrupt))
            asked_before = set(bad.texts)
            kept = len(store)
            assert kept >= 5
            replies([asked(str(n)) for n in range(30)], bad.server(), replies=store)
            assert len(bad.bodies) <= 30 + QUICK.concurrency  # at most what was under way is asked again
            assert set(bad.texts) >= asked_before
            assert len(store) == 30

    def test_a_mistake_in_progress_is_raised_and_ends_the_asking(self) -> None:
        def progress(_: AskProgress) -> None:
            raise ZeroDivisionError

        with bad_server() as bad, pytest.raises(ZeroDivisionError):
            list(ask_all([asked(str(n)) for n in range(300)], bad.server(), QUICK, None, progress))
        assert len(bad.bodies) < 100

    def test_it_runs_where_an_event_loop_runs(self) -> None:
        async def notebook(server: LlmServer) -> tuple[ChatReply, ServerFeatures]:
            return replies([asked()], server)[0], probe(server)

        with bad_server() as bad:
            reply, features = asyncio.run(notebook(bad.server()))
        assert reply.text == "a"
        assert features.models == (MODEL,)


class TestLimits:
    @pytest.mark.parametrize(("limit", "slots", "most"), [(1, None, 1), (3, None, 3), (8, 2, 2)])
    def test_no_more_are_under_way_than_allowed(self, limit: int, slots: int | None, most: int) -> None:
        with bad_server() as bad:
            bad.gate = threading.Barrier(most)  # and as many as are allowed
            replies([asked(str(n)) for n in range(12)], bad.server(slots=slots), AskLimits(concurrency=limit))
        assert bad.most_under_way == most

    def test_requests_per_minute(self) -> None:
        time, sent = Time(), list[float]()

        def script(body: dict[str, Any], before: int) -> Says:
            sent.append(time.now)
            return Says(500) if before == 2 else fine(body, before)

        with bad_server(script) as bad:
            limits = AskLimits(concurrency=1, per_minute=30)
            replies([asked(str(n)) for n in range(5)], bad.server(), limits, timing=time.timing())
        assert [later - earlier for earlier, later in itertools.pairwise(sent)] == pytest.approx([2] * 5)

    def test_tokens_per_minute_by_what_the_server_counts(self) -> None:
        time, sent = Time(), list[float]()

        def script(body: dict[str, Any], before: int) -> Says:
            sent.append(time.now)
            return Says(body=completion(usage={"prompt_tokens": 90, "completion_tokens": 10}))

        with bad_server(script) as bad:
            limits = AskLimits(concurrency=1, tokens_per_minute=1000)
            replies([asked(str(n)) for n in range(4)], bad.server(), limits, timing=time.timing())
        assert [later - earlier for earlier, later in itertools.pairwise(sent)] == pytest.approx([6] * 3)

    def test_a_limit_of_requests_counts_what_is_sent_again(self) -> None:
        with bad_server(lambda body, before: Says(500) if before % 2 else fine(body, before)) as bad:
            got, stopped = until_stopped(
                [asked(str(n)) for n in range(20)], bad.server(), AskLimits(max_requests=7)
            )
            assert len(bad.bodies) == 7
        assert stopped.reason == "the limit of 7 requests is reached"
        assert stopped.left == 20 - len(got)
        assert str(stopped).startswith("the limit of 7 requests is reached; ")

    def test_a_limit_that_is_not_reached_stops_nothing(self) -> None:
        with bad_server() as bad:
            limits = AskLimits(max_requests=3, max_tokens=2000, max_cost=1.0)
            assert len(replies([asked(str(n)) for n in range(3)], bad.server(), limits)) == 3

    def test_a_limit_of_tokens_ends_the_run_before_it_is_passed(self) -> None:
        with bad_server() as bad:
            got, stopped = until_stopped(
                [asked(str(n)) for n in range(10, 99)], bad.server(), AskLimits(max_tokens=500)
            )
            used = 15 * len(bad.bodies)
        # The next may take 2 + 4 + 256 + 16 and 64 tokens; requests wait for those under way to settle for 15 each.
        assert len(got) == len(bad.bodies) == (500 - 342) // 15 + 1
        assert used <= 500 < used + 342
        assert stopped.reason == (
            "the limit of 500 tokens leaves no room for another request: 165 are used, and the next may need 342"
        )

    @given(
        st.lists(
            st.sampled_from(["fine", "500", "drop", "no usage", "most", "429", "garbage"]),
            min_size=1,
            max_size=40,
        ),
        st.integers(0, 12_000),
        st.integers(1, 6),
    )
    def test_a_limit_of_cost_is_never_passed(self, acts: list[str], micros: int, concurrency: int) -> None:
        """The server bills what it said, and the most that it may for every request of which it did not say."""
        prices, limit = Prices(3.0, 15.0), micros / 1e6
        requests = [asked("x" * n, max_tokens=1 + n % 50) for n in range(len(acts))]
        bounds = {len(each.messages[0]["content"]): Bound.of(each) for each in requests}
        billed, lock = [0, 0], threading.Lock()

        def script(body: dict[str, Any], before: int) -> Says:
            act, bound = acts[before % len(acts)], bounds[len(body["messages"][-1]["content"])]
            usage = {"prompt_tokens": 5, "completion_tokens": 1}
            if act in ("500", "drop", "no usage", "most", "garbage"):
                usage = {"prompt_tokens": bound.prompt, "completion_tokens": bound.answer}
            if act != "429":
                with lock:
                    billed[0] += usage["prompt_tokens"]
                    billed[1] += usage["completion_tokens"]
            return {
                "500": Says(500),
                "429": Says(429),
                "drop": Says(drop=True),
                "garbage": Says(body=b"garbage"),
                "no usage": Says(body=completion(usage=None)),
            }.get(act, Says(body=completion(usage=usage)))

        seen = list[AskProgress]()
        with bad_server(script) as bad:
            limits = AskLimits(concurrency=concurrency, max_cost=limit)
            try:
                got = list(
                    ask_all(
                        requests, bad.server(prices=prices), limits, None, seen.append, timing=Time().timing()
                    )
                )
            except AskStopped as stopped:
                assert stopped.left > 0
            else:
                assert len(got) == len(requests)
        assert prices.cost(*billed) <= limit
        if seen:
            assert seen[-1].cost == prices.cost(*billed)

    def test_the_limit_of_cost_is_used(self) -> None:
        """What was reserved and not used is spent on others: the run ends when less than one request's most is left."""
        prices = Prices(3.0, 15.0)
        one_most = prices.cost(Bound.of(asked("10")).prompt, 64)
        with bad_server() as bad:
            limits = AskLimits(concurrency=5, max_cost=3 * one_most)
            got, stopped = until_stopped(
                [asked(str(n)) for n in range(10, 99)], bad.server(prices=prices), limits
            )
        spent = sum(reply.cost for _, reply in got)
        assert 2 * one_most < spent <= 3 * one_most
        assert stopped.reason.startswith("the limit of the cost, 0.0053")
        assert "leaves no room for another request" in stopped.reason

    def test_a_server_that_counts_more_than_can_be_has_it_added(self) -> None:
        prices, usage = Prices(1.0, 1.0), {"prompt_tokens": 5000, "completion_tokens": 100}
        with bad_server(in_turn(Says(body=completion(usage=usage)))) as bad:
            limits = AskLimits(concurrency=1, max_cost=0.0260)
            got, _ = until_stopped([asked(str(n)) for n in range(50)], bad.server(prices=prices), limits)
        assert len(got) == len(bad.bodies) == 5  # 5 x 0.0051; by the bound alone a sixth would have been sent
        assert sum(reply.cost for _, reply in got) <= 0.0260

    def test_a_limit_of_cost_needs_prices(self) -> None:
        with pytest.raises(UsageError, match="prices"):
            ask_all([asked()], LlmServer("http://localhost", MODEL), AskLimits(max_cost=1.0), None)

    def test_nothing_is_sent_where_nothing_fits(self) -> None:
        with bad_server() as bad:
            got, stopped = until_stopped([asked(schema=SCHEMA)], bad.server(), AskLimits(max_cost=0.0))
        assert (got, stopped.left, bad.bodies) == ([], 1, [])

    @pytest.mark.parametrize(
        "wrong",
        [
            {"concurrency": 0},
            {"per_minute": 0},
            {"tokens_per_minute": -1},
            {"max_requests": -1},
            {"max_cost": -0.1},
            {"retries": -1},
            {"timeout": 0},
            {"timeout": None},
            {"max_cost": float("nan")},
            {"max_tokens": 1.5},
        ],
    )
    def test_limits_that_cannot_be_are_refused(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(UsageError, match=next(iter(wrong))):
            AskLimits(**wrong)

    @pytest.mark.parametrize("price", [-1.0, float("nan"), float("inf")])
    def test_prices_that_cannot_be_are_refused(self, price: float) -> None:
        with pytest.raises(UsageError):
            Prices(prompt=price)


def until_stopped(
    requests: list[ChatRequest], server: LlmServer, limits: AskLimits
) -> tuple[list[tuple[int, ChatReply]], AskStopped]:
    got = list[tuple[int, ChatReply]]()
    with pytest.raises(AskStopped) as caught:
        got.extend(ask_all(requests, server, limits, timing=Time().timing()))
    return got, caught.value


class TestKeptReplies:
    def test_nothing_is_asked_twice(self) -> None:
        requests = [asked("a"), asked("b"), asked("a"), asked("a", again=1)]
        seen = list[AskProgress]()
        with bad_server() as bad, ReplyStore.at(":memory:") as store:
            first = replies(requests, bad.server(), replies=store)
            assert sorted(bad.texts) == ["a", "a", "b"]
            assert [reply.cached for reply in first] == [False, False, True, False]
            second = replies(requests, bad.server(), replies=store, progress=seen.append)
            assert len(bad.bodies) == 3
        assert [reply.text for reply in first] == [reply.text for reply in second] == ["a", "b", "a", "a"]
        assert all(reply.cached for reply in second)
        assert (seen[-1].done, seen[-1].cached, seen[-1].sent, seen[-1].tokens, seen[-1].cost) == (
            4,
            4,
            0,
            0,
            0.0,
        )

    def test_a_server_that_is_off_is_not_missed_where_all_is_kept(self) -> None:
        with ReplyStore.at(":memory:") as store:
            with bad_server() as bad:
                replies([asked(schema=SCHEMA)], bad.server(), replies=store, features=ALL_FEATURES)
            assert replies([asked(schema=SCHEMA)], bad.server(), replies=store)[0].text == "a"

    def test_a_reply_is_in_the_store_before_it_is_yielded(self) -> None:
        with bad_server() as bad, ReplyStore.at(":memory:") as store:
            requests = [asked(str(n)) for n in range(20)]
            for position, reply in ask_all(requests, bad.server(), QUICK, store):
                assert store.get(requests[position].key(MODEL)) == replace(reply, cached=True)

    def test_a_store_that_fails_ends_the_run(self) -> None:
        with bad_server() as bad:
            store = ReplyStore.at(":memory:")
            run = ask_all([asked(str(n)) for n in range(300)], bad.server(), QUICK, store)
            next(run)
            store.close()
            with pytest.raises(DataError, match="cannot be used|damaged"):
                list(run)
            assert len(bad.bodies) < 100

    def test_failures_on_the_way_are_asked_again(self) -> None:
        with (
            bad_server(in_turn(Says(500), Says(body=completion()))) as bad,
            ReplyStore.at(":memory:") as store,
        ):
            limits = AskLimits(retries=0)
            assert replies([asked()], bad.server(), limits, replies=store)[0].text is None
            assert replies([asked()], bad.server(), limits, replies=store)[0].text == "4"


class TestProgress:
    def test_it_tells_how_far_asking_is(self) -> None:
        seen, time = list[AskProgress](), Time()

        def script(body: dict[str, Any], before: int) -> Says:
            time.now += 6.0
            return Says(body=completion("" if before == 1 else "4"))

        with bad_server(script) as bad:
            limits = AskLimits(concurrency=1)
            replies(
                [asked(str(n)) for n in range(4)],
                bad.server(),
                limits,
                progress=seen.append,
                timing=time.timing(),
            )
        assert [each.done for each in seen] == [1, 2, 3, 4]
        last = seen[-1]
        assert (last.of, last.cached, last.invalid, last.sent, last.tokens) == (4, 0, 1, 4, 60)
        assert last.cost == Prices(3.0, 15.0).cost(48, 12)
        assert last.per_minute == pytest.approx(10)
        assert (last.seconds_left, last.stopped) == (0, None)

    def test_the_end_says_why(self) -> None:
        seen = list[AskProgress]()
        with bad_server() as bad, pytest.raises(AskStopped):
            list(
                ask_all(
                    [asked(str(n)) for n in range(9)],
                    bad.server(),
                    AskLimits(max_requests=2),
                    None,
                    seen.append,
                )
            )
        assert seen[-1].stopped == "the limit of 2 requests is reached"
        assert seen[-1].done == 2


class TestCount:
    def test_what_would_be_sent(self) -> None:
        requests = [asked("a" * 400), asked("a" * 400), asked("b" * 400), asked("c" * 400, again=1)]
        with bad_server() as bad, ReplyStore.at(":memory:") as store:
            replies(requests[2:3], bad.server(), replies=store)
            found = count(requests, bad.server(), store)
            sent = len(bad.bodies)
            assert sent == 1
            assert count(requests, bad.server(prices=Prices()), store).cost_at_most is None
        assert (found.requests, found.cached) == (2, 2)
        assert found.prompt_tokens == 2 * (101 + 8)
        assert found.prompt_tokens_at_most == 2 * (404 + 256 + 16)
        assert found.answer_tokens_at_most == 128
        assert found.cost_at_most == Prices(3.0, 15.0).cost(1352, 128)
        assert found.headline() == (
            "2 requests to send (2 more need not be sent), and 1 or 2 to try the server: about 218 prompt tokens (at"
            " most 1,352), at most 128 answer tokens, a cost of at most 0.0060; what fails and is sent again comes on"
            " top."
        )

    @given(st.text(max_size=40))
    def test_no_normal_form_of_a_text_has_more_bytes_than_the_bound(self, text: str) -> None:
        import unicodedata

        bound = Bound.of(asked(text)).prompt - 276
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            assert len(unicodedata.normalize(form, text).encode("utf-8", "surrogatepass")) <= bound


def picky(refuses: Callable[[dict[str, Any]], str | None], **obeys: Any) -> Script:
    """A server that refuses with a reason, and otherwise obeys schemas, grammars and log-probabilities as told."""

    def script(body: dict[str, Any], _: int) -> Says:
        why = refuses(body)
        if why is not None:
            return Says(400, {"error": {"message": why}})
        text, choice = "hello", {}
        if obeys.get("schema") and "response_format" in body:
            text = json.dumps({"answer": "adjudged"})
        if obeys.get("grammar") and "grammar" in body:
            text = "adjudged"
        if obeys.get("logprobs") and body.get("logprobs"):
            top = [
                {"token": str(n), "logprob": -1.0}
                for n in range(min(body["top_logprobs"], obeys["logprobs"]))
            ]
            choice = {"logprobs": {"content": [{"token": "0", "logprob": -1.0, "top_logprobs": top}]}}
        return Says(body=completion(text, choice=choice))

    return script


class TestProbe:
    def found(self, script: Script) -> tuple[ServerFeatures, BadServer]:
        with bad_server(script, ["a", "b"]) as bad:
            return probe(bad.server(), timing=Time().timing()), bad

    def test_a_server_that_offers_all_is_asked_once(self) -> None:
        found, bad = self.found(picky(lambda _: None, schema=True, logprobs=20))
        assert found == ServerFeatures(
            models=("a", "b"),
            schema=True,
            logprobs=20,
            requests=1,
            prompt_tokens=12,
            answer_tokens=3,
            cost=Prices(3.0, 15.0).cost(12, 3),
        )
        assert len(bad.bodies) == 1
        assert (
            found.headline() == "The server offers JSON schemas and log-probabilities of 20 tokens a place."
        )

    def test_a_server_that_refuses_a_schema(self) -> None:
        refuses = picky(
            lambda body: "response_format: unknown" if "response_format" in body else None, logprobs=20
        )
        found, _ = self.found(refuses)
        assert (found.schema, found.logprobs) == (False, 20)
        assert found.refused == {"response_format": "response_format: unknown"}
        assert found.headline() == (
            "The server offers log-probabilities of 20 tokens a place."
            " Requests go without response_format (response_format: unknown)."
        )

    def test_a_server_that_ignores_all(self) -> None:
        found, _ = self.found(picky(lambda _: None))
        assert (found.schema, found.grammar, found.logprobs) == (False, False, 0)
        assert set(found.refused) == {"response_format", "logprobs"}

    def test_a_server_that_gives_few_log_probabilities(self) -> None:
        def refuses(body: dict[str, Any]) -> str | None:
            return "top_logprobs must be at most 5" if body.get("top_logprobs", 0) > 5 else None

        found, _ = self.found(picky(refuses, schema=True, logprobs=20))
        assert (found.schema, found.logprobs, found.refused) == (True, 5, {})

    def test_a_server_that_gives_fewer_than_asked_for(self) -> None:
        found, _ = self.found(picky(lambda _: None, schema=True, logprobs=3))
        assert found.logprobs == 3

    def test_a_server_that_gives_no_log_probabilities(self) -> None:
        found, _ = self.found(
            picky(lambda body: "no logprobs here" if "logprobs" in body else None, schema=True)
        )
        assert (found.schema, found.logprobs) == (True, 0)
        assert found.refused == {"logprobs": "no logprobs here"}

    def test_a_server_that_does_not_say_what_it_refuses(self) -> None:
        found, _ = self.found(
            picky(lambda body: "no" if {"logprobs", "response_format"} & set(body) else None)
        )
        assert (found.schema, found.logprobs) == (False, 0)

    def test_llama_has_grammars_and_more_log_probabilities(self) -> None:
        refuses = picky(lambda body: "no" if "response_format" in body else None, grammar=True, logprobs=1000)
        found, _ = self.found(refuses)
        assert (found.schema, found.grammar, found.logprobs) == (False, True, 100)

    def test_models_that_want_other_parameters(self) -> None:
        def refuses(body: dict[str, Any]) -> str | None:
            if "max_tokens" in body:
                return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return "'temperature' does not support 0.0" if "temperature" in body else None

        found, _ = self.found(picky(refuses, schema=True, logprobs=20))
        assert found.answer_limit == "max_completion_tokens"
        assert set(found.refused) == {"temperature"}
        with bad_server(picky(refuses, schema=True)) as bad:
            assert replies([asked()], bad.server(), features=found)[0].text == "hello"

    def test_a_refusal_that_nothing_helps_is_an_error(self) -> None:
        with (
            bad_server(picky(lambda _: "never")) as bad,
            pytest.raises(ServerUnusable, match="HTTP 400: never"),
        ):
            probe(bad.server())

    @pytest.mark.parametrize(
        ("said", "why"),
        [
            (Says(401), "HTTP 401"),
            (Says(body=b"?"), "no JSON"),
            (Says(503), "HTTP 503"),
            (Says(500), "HTTP 500"),
            (Says(302, b"", {"Location": "/x"}), 'leads to "/x"'),
            (Says(drop=True), "connection failed"),
        ],
    )
    def test_a_server_that_cannot_be_tried_is_an_error(self, said: Says, why: str) -> None:
        with bad_server(in_turn(said)) as bad, pytest.raises(ServerUnusable, match=why):
            probe(bad.server(), timing=Time().timing())

    def test_a_server_that_is_not_there(self) -> None:
        with bad_server() as bad:
            pass
        with pytest.raises(ServerUnusable, match="cannot be reached"):
            probe(bad.server(), timing=Time().timing())

    def test_asking_tries_the_server_out_and_says_so(self) -> None:
        seen = list[AskProgress]()
        script = picky(lambda body: "no schema" if "response_format" in body else None, logprobs=20)
        with bad_server(script) as bad:
            replies([asked(schema=SCHEMA), asked("b", schema=SCHEMA)], bad.server(), progress=seen.append)
        assert seen[0].features is not None
        assert seen[0].features.refused == {"response_format": "no schema"}
        assert sum("response_format" in body for body in bad.bodies) == 1  # the trial's first
        assert seen[-1].sent == len(bad.bodies) == 2 + seen[0].features.requests

    def test_trying_out_keeps_to_the_limits(self) -> None:
        with bad_server() as bad:
            got, _ = until_stopped([asked(schema=SCHEMA)], bad.server(), AskLimits(max_requests=1))
            assert (got, len(bad.bodies)) == ([], 1)
            with pytest.raises(AskStopped):
                probe(bad.server(), AskLimits(max_requests=0))


@pytest.fixture(autouse=True)
def _no_threads_left() -> Iterator[None]:
    yield
    assert [thread for thread in threading.enumerate() if thread.name == "adjudge-llm"] == []
