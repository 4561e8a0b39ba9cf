"""Kept replies: what comes back, who may write at a time, what a damaged file says; and a run that is killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.assessors.llm.bad_server import MODEL, Says, bad_server, completion
from tests.waiting import HANG

from adjudge.assessors.llm.cache import ReplyStore
from adjudge.assessors.llm.exchange import AskLimits, ChatReply, ChatRequest
from adjudge.assessors.llm.server import ask_all
from adjudge.core.errors import AdjudgeError, DataError
from adjudge.data.folder import Folder

ROOT = Path(__file__).parent.parent.parent.parent
REPLY = ChatReply(
    text="4 ünd \ud800",
    finish="stop",
    tokens=((("4", -0.25), (" ", -1e9 + 1)), ((".", 0.0),)),
    prompt_tokens=10,
    answer_tokens=2,
    cost=0.25,
    seconds=1.5,
    attempts=2,
)


def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    when = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
    refusal = ChatReply(text=None, why="the model refused: no", finish="stop")
    with ReplyStore(tmp_path / "r.sqlite", clock=lambda: when) as store:
        store.put("k", "m", REPLY)
        store.put("refused", "m", refusal)
    with ReplyStore.at(tmp_path / "r.sqlite") as store:
        assert store.get("k") == replace(REPLY, cached=True)
        assert store.get_all(["k", "refused", "other"]) == {
            "k": replace(REPLY, cached=True),
            "refused": replace(refusal, cached=True),
        }
        assert store.get("other") is None
        assert len(store) == 2
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as db:  # plain enough to be read by others
        assert db.execute("SELECT key, model, at FROM replies ORDER BY key").fetchall() == [
            ("k", "m", "2026-03-01T12:00:00+00:00"),
            ("refused", "m", "2026-03-01T12:00:00+00:00"),
        ]


def test_many_keys_at_once(tmp_path: Path) -> None:
    with ReplyStore.at(tmp_path / "r.sqlite") as store:
        for n in range(1203):
            store.put(str(n), "m", ChatReply(text=str(n)))
        found = store.get_all(str(n) for n in range(1, 1300, 2))
    assert {key: reply.text for key, reply in found.items()} == {str(n): str(n) for n in range(1, 1203, 2)}


def test_a_later_reply_takes_the_place_of_an_earlier(tmp_path: Path) -> None:
    with ReplyStore.at(tmp_path / "r.sqlite") as store:
        store.put("k", "m", REPLY)
        store.put("k", "m", ChatReply(text="5"))
        assert store.get("k") == ChatReply(text="5", cached=True)


def test_the_file_of_a_folder(tmp_path: Path) -> None:
    folder = Folder.open(tmp_path / "e", create=True)
    folder.path.mkdir()
    with ReplyStore.of(folder) as store:
        assert store.path == tmp_path / "e" / "judges" / "replies.sqlite"
        store.put("k", "m", REPLY)
    with ReplyStore.of(folder.path) as store:
        assert len(store) == 1


@pytest.mark.parametrize("name", ["judges", "judges/replies.sqlite", "judges/replies.sqlite-journal"])
def test_links_in_a_folder_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "e" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere" / ("" if name == "judges" else "r"))
    with pytest.raises(DataError, match="is a link"):
        ReplyStore.of(tmp_path / "e")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def _other_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE replies (key, reply)")


def _with_trigger(path: Path) -> None:
    ReplyStore.at(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TRIGGER t AFTER INSERT ON replies BEGIN DELETE FROM replies; END")


def _cut(path: Path) -> None:
    with ReplyStore.at(path) as store:
        for n in range(300):
            store.put(f"{n:064}", "m", REPLY)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * 4096 + content[8192:16384])


def _row(text: str) -> Any:
    def damage(path: Path) -> None:
        ReplyStore.at(path).close()
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("INSERT INTO replies VALUES (1, ?, 'm', 'j', 'p', 'now', ?)", ("0" * 64, text))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"no database " * 100),
        _cut,
        _other_table,
        _with_trigger,
        _row("{"),
        _row("[]"),
        _row('{"text": 4}'),
        _row('{"text": "4", "cost": -1}'),
        _row('{"text": "4", "tokens": [[["a"]]]}'),
        _row('{"text": "4", "tokens": 5}'),
        _row('{"text": "4", "strange": 5}'),
        _row("{}"),
        _row("[" * 100_000),
        lambda path: path.mkdir(),
    ],
)
def test_a_damaged_file_is_one_line_that_says_what_to_do(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "r.sqlite"
    damage(path)
    with pytest.raises(AdjudgeError) as caught, ReplyStore.at(path) as store:
        store.get_all([f"{n:064}" for n in range(300)])
    said = str(caught.value)
    assert said.startswith(str(path))
    assert "\n" not in said
    assert "move" in said or "expected a file" in said


def test_a_place_without_a_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        ReplyStore.at(tmp_path / "a" / "r.sqlite")


WRITER = """
import sys
from adjudge.assessors.llm.cache import ReplyStore
from adjudge.assessors.llm.exchange import ChatReply
with ReplyStore.at(sys.argv[1]) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(150):
        store.put(f"{sys.argv[2]}-{n}", "m", ChatReply(text=str(n)))
"""


def test_two_processes_and_their_threads_write_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    command = [sys.executable, "-c", WRITER, str(path)]
    others = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in "ab"
    ]
    with ReplyStore.at(path) as store:
        for other in others:
            assert other.stdout is not None
            assert other.stdout.readline() == "ready\n"
        for other in others:
            assert other.stdin is not None
            other.stdin.write("\n")
            other.stdin.flush()

        def put(name: str) -> None:
            for n in range(50):
                store.put(f"{name}-{n}", "m", ChatReply(text=str(n)))

        threads = [threading.Thread(target=put, args=(name,)) for name in "cd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for other in others:
            other.communicate(timeout=HANG)
            assert other.returncode == 0
        assert len(store) == 2 * 150 + 2 * 50


CLOSED = """
import sys, threading
from pathlib import Path
from adjudge.assessors.llm.cache import ReplyStore
from adjudge.assessors.llm.exchange import ChatReply
from adjudge.core.errors import DataError
for turn in range(60):
    store, ended = ReplyStore.at(Path(sys.argv[1]) / f"{turn}.sqlite"), []
    begun = threading.Event()
    def put():
        try:
            for n in range(100_000):
                store.put(str(n), "m", ChatReply(text="x" * 2000))
                begun.set()
        except DataError as error:
            ended.append(error)
    thread = threading.Thread(target=put)
    thread.start()
    begun.wait()
    store.close()
    thread.join()
    assert len(ended) == 1
"""


def test_a_store_is_closed_while_another_thread_writes(tmp_path: Path) -> None:
    """SQLite would crash the process; the writer is told in one line. In a process of its own, since it may die."""
    done = subprocess.run(
        [sys.executable, "-c", CLOSED, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


RUN = """
import sys
from adjudge.assessors.llm.cache import ReplyStore
from adjudge.assessors.llm.exchange import AskLimits, ChatRequest, LlmServer
from adjudge.assessors.llm.server import ask_all
url, path, number = sys.argv[1:]
requests = [ChatRequest(({"role": "user", "content": f"question {n}"},)) for n in range(int(number))]
with ReplyStore.at(path) as store:
    for position, reply in ask_all(requests, LlmServer(url, "judge-1"), AskLimits(concurrency=4), store):
        print(position, reply.text, flush=True)
"""


def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    """The server never gives the same answer twice; yet everything that was answered once keeps its answer.

    The process is killed while the server holds four requests back: they were never answered, so they alone are asked
    again.
    """
    number, path = 40, tmp_path / "r.sqlite"
    holding = threading.Event()
    held = threading.Semaphore(0)

    def script(body: dict[str, Any], before: int) -> Says:
        if 20 <= before < 24:
            held.release()
            holding.wait(HANG)
            return Says(drop=True)
        return Says(body=completion(f"{body['messages'][-1]['content']}: answer {before}"))

    with bad_server(script) as bad:
        run = [sys.executable, "-c", RUN, bad.url, str(path), str(number)]
        process = subprocess.Popen(run, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(4):
            assert held.acquire(timeout=HANG)
        os.kill(process.pid, signal.SIGKILL)
        printed = dict(line.split(" ", 1) for line in process.communicate()[0].splitlines())
        assert process.returncode == -signal.SIGKILL
        holding.set()
        unanswered = set(bad.texts[20:24])
        with ReplyStore.at(path) as store:
            assert len(store) == 20

        done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT, timeout=HANG)
        second = dict(line.split(" ", 1) for line in done.stdout.splitlines())
        assert len(second) == number
        times = Counter(bad.texts)
        assert {text for text, n in times.items() if n > 1} == unanswered
        assert len(times) == number
        assert max(times.values()) == 2
        assert printed.items() <= second.items()

        third = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT, timeout=HANG)
        assert len(bad.bodies) == number + 4
        assert dict(line.split(" ", 1) for line in third.stdout.splitlines()) == second


def test_replies_of_one_model_are_not_those_of_another(tmp_path: Path) -> None:
    with bad_server() as bad, ReplyStore.at(tmp_path / "r.sqlite") as store:
        for model in (MODEL, "judge-2"):
            server = bad.server(model=model)
            list(ask_all([ChatRequest(({"role": "user", "content": "a"},))], server, AskLimits(), store))
        assert [body["model"] for body in bad.bodies] == [MODEL, "judge-2"]


def test_everything_that_a_reply_depends_on_is_in_the_key() -> None:
    request = ChatRequest(({"role": "user", "content": "a"},))
    others = [
        replace(request, messages=({"role": "system", "content": "a"},)),
        replace(request, schema={"type": "object"}),
        replace(request, choices=("1",)),
        replace(request, max_tokens=65),
        replace(request, temperature=0.5),
        replace(request, seed=0),
        replace(request, again=1),
    ]
    assert len({each.key("m") for each in [request, *others]} | {request.key("n")}) == 9
    assert request.key("m") == ChatRequest(({"content": "a", "role": "user"},)).key("m")
