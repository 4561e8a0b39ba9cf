"""adjudge judge llm: what is printed, what is refused in one line, and that nothing is sent where nothing should be."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.assessors.llm.bad_server import MODEL, BadServer, Says, bad_server, completion
from tests.assessors.llm.evaluation import made
from tests.assessors.llm.judging_server import Holding, by_words, gullible, is_trial, saying
from tests.cli.running import ADJUDGE, called
from tests.waiting import HANG

from adjudge.assessors.cards import read_cards
from adjudge.assessors.llm.prompts import shipped_template
from adjudge.cli.judge_llm import with_local_model
from adjudge.data.folder import Folder

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def server() -> Iterator[BadServer]:
    with bad_server(by_words) as found:
        yield found


@pytest.fixture
def run(tmp_path: Path, server: BadServer) -> Run:
    """`adjudge judge llm eval` with the server, and the words given."""
    made(tmp_path / "eval")

    def judge(*words: str, where: bool = True) -> subprocess.CompletedProcess[str]:
        named = ["--url", server.url, "--model", MODEL] if where else []
        return called(tmp_path, "judge", "llm", "eval", *named, *words)

    return judge


def test_it_judges_and_says_what_it_did(run: Run, server: BadServer) -> None:
    done = run("--protocol", "rating", "--repeats", "0", "--show-signature")
    assert done.returncode == 0, done.stderr
    assert "judge-1 has answered 36 of 36 questions that were put to it under rating." in done.stdout
    assert "This run: 36 new answers." in done.stdout
    assert "|model:judge-1|protocol:rating:1:" in done.stdout
    again = run("--protocol", "rating", "--repeats", "0", "--json")
    assert json.loads(again.stdout)["new_answers"] == 0
    assert len([body for body in server.bodies if not is_trial(body)]) == 36


def test_the_prompt_is_shown_and_nothing_is_sent(run: Run, server: BadServer) -> None:
    done = run("--protocol", "rating", "--show-prompt", where=False)
    assert done.returncode == 0, done.stderr
    assert shipped_template("rating").hash in done.stdout
    assert "{{question}}" in done.stdout
    assert "Question: How good are all sentences together" in done.stdout
    assert "nothing was sent" in done.stdout
    found = json.loads(run("--protocol", "rating", "--show-prompt", "--json").stdout)
    assert found["messages"][1]["content"] in done.stdout
    assert server.bodies == []


def test_a_dry_run_counts_and_sends_nothing(run: Run, server: BadServer, tmp_path: Path) -> None:
    words = (
        "--protocol",
        "rating",
        "--repeats",
        "0",
        "--price-prompt",
        "3",
        "--price-answer",
        "15",
        "--dry-run",
    )
    found = json.loads(run(*words, "--json").stdout)
    assert (found["requests"], found["tasks"], found["sent"]) == (36, 9, False)
    assert found["cost_at_most"] == pytest.approx(
        (3 * found["prompt_tokens_at_most"] + 15 * found["answer_tokens_at_most"]) / 1e6
    )
    assert "36 requests to send" in run(*words).stdout
    assert server.bodies == []
    assert not (tmp_path / "eval" / "judges").exists()
    run("--protocol", "rating", "--repeats", "0", "--topic", "t1")
    assert json.loads(run(*words, "--json").stdout)["requests"] == 24


def test_a_template_of_ones_own_is_used_and_checked(run: Run, server: BadServer, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text(shipped_template("rating").text.replace("Question:", "Asked:"), encoding="utf-8")
    run("--protocol", "rating", "--template", str(own), "--topic", "t1")
    assert all("Asked: " in body["messages"][1]["content"] for body in server.bodies if not is_trial(body))
    own.write_text("[user]\n{{summary}}", encoding="utf-8")
    done = run("--protocol", "rating", "--template", str(own), "--name", "other")
    assert done.returncode == 1
    assert "the place {{boundary}} is missing" in done.stderr
    done = run("--protocol", "rating")
    assert done.returncode == 1
    assert 'a judge "judge-1" with other settings is there' in done.stderr
    assert run("--protocol", "rating", "--show-prompt").returncode == 0


@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        ((), "say where the model is: --url", 2),
        (("--url", "http://x/v1"), "--model is missing", 2),
        (("--url", "http://x/v1", "--local"), "--url and --local exclude each other", 2),
        (("--local", "--model", "x"), "with --local say --local PATH.gguf", 2),
        (("--local", "none.gguf"), "there is no such file", 1),
        (("--url", "http://x/v1", "--model", "x", "--max-cost", "1"), "--max-cost needs --price-prompt", 2),
        (("--url", "http://x/v1", "--model", "x", "--score", "mean"), "expected one of: top, weighted", 2),
        (("--url", "http://x/v1", "--model", "x", "--key-env", "NO_SUCH"), "no environment variable", 2),
        (("--url", "http://x/v1", "--model", "x", "--show", "texts"), "expected documents or reference", 2),
        (("--url", "http://x/v1", "--model", "x", "--protocol", "pyramid"), "a language model is asked", 2),
        (("--url", "http://x/v1", "--model", "x", "--topic", "t9"), "there are: t1, t2, t3", 2),
        (("--url", "ftp://x", "--model", "x"), "must begin with http://", 2),
        (
            ("--url", "http://x/v1", "--model", "x", "--template", "no.txt"),
            "no such file; expected a template",
            1,
        ),
        (
            ("--url", "http://x/v1", "--model", "x", "--per-minute", "0"),
            "--per-minute is a number above 0",
            2,
        ),
        (("--url", "http://x/v1", "--model", "x", "--timeout", "0"), "--timeout is a number above 0", 2),
        (("--url", "http://127.0.0.1:9/v1", "--model", "x", "--retries", "0"), "127.0.0.1:9", 2),
    ],
)
def test_mistakes_are_one_line(run: Run, words: tuple[str, ...], says: str, code: int) -> None:
    done = run("--protocol", "rating", *words, where=False)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert says in done.stderr


def test_a_protocol_must_be_named(run: Run) -> None:
    done = run("--dry-run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no protocol is named: give --protocol NAME" in done.stderr


def test_a_key_comes_from_the_environment_alone(
    run: Run, server: BadServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret-0123456789")
    done = run("--protocol", "rating", "--topic", "t1", "--key-env", "MY_KEY", "--json")
    assert server.headers[-1]["authorization"] == "Bearer sk-secret-0123456789"
    (card,) = read_cards(Folder.open(tmp_path / "eval"))
    assert "sk-secret" not in done.stdout + done.stderr + repr(card)
    run("--protocol", "rating", "--topic", "t2")
    assert "authorization" not in server.headers[-1]


def test_a_limit_stops_with_what_is_left(run: Run) -> None:
    done = run("--protocol", "rating", "--repeats", "0", "--max-requests", "10", "--concurrency", "1")
    assert done.returncode == 1
    assert "Stopped: the limit of 10 requests is reached. 27 questions not asked yet." in done.stdout
    found = run("--protocol", "rating", "--repeats", "0", "--json")
    assert (found.returncode, json.loads(found.stdout)["answered"]) == (0, 36)


def test_interrupted_it_keeps_what_it_has(tmp_path: Path) -> None:
    made(tmp_path / "eval")
    holding = Holding(5)
    with bad_server(holding) as server:
        words = ["judge", "llm", "eval", "--protocol", "rating", "--url", server.url, "--model", MODEL]
        process = subprocess.Popen(
            [*ADJUDGE, *words, "--concurrency", "1"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
        )
        assert holding.reached.wait(HANG)
        process.send_signal(signal.SIGINT)
        holding.go.set()
        _, said = process.communicate(timeout=HANG)
    assert process.returncode == 130
    assert said == "note: interrupted; what was answered is kept, and the same command goes on from there\n"
    (card,) = read_cards(Folder.open(tmp_path / "eval"))
    assert 4 <= card.answered < 40  # the fifth reply is kept, its answer may have been on its way


def test_told_to_end_it_keeps_what_it_has(tmp_path: Path) -> None:
    made(tmp_path / "eval")
    holding = Holding(5)
    with bad_server(holding) as server:
        words = ["judge", "llm", "eval", "--protocol", "rating", "--url", server.url, "--model", MODEL]
        process = subprocess.Popen(
            [*ADJUDGE, *words, "--concurrency", "1"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
        )
        assert holding.reached.wait(HANG)
        process.terminate()
        holding.go.set()
        _, said = process.communicate(timeout=HANG)
        assert (process.returncode, said.count("\n")) == (143, 1)
        (card,) = read_cards(Folder.open(tmp_path / "eval"))
        assert 4 <= card.answered < 40  # as above
        assert card.requests == len(server.bodies)


def test_a_run_without_any_answer_ends_with_1_and_the_report_says_so(tmp_path: Path) -> None:
    made(tmp_path / "eval")
    with bad_server(saying("I'm sorry, I cannot do that.")) as server:
        words = ("judge", "llm", "eval", "--protocol", "rating", "--url", server.url, "--model", MODEL)
        done = called(tmp_path, *words, "--name", "ref", "--repeats", "0")
    assert done.returncode == 1
    assert done.stderr.startswith("note: every answer of this run is missing")
    done = called(tmp_path, "judge", "report", "eval", "ref")
    assert done.returncode == 1
    assert done.stderr == "adjudge: eval: ref was asked 36 questions and answered none (refused 36)\n"


def test_another_judge_says_whose_replies_it_took(run: Run, server: BadServer) -> None:
    words = ("--protocol", "rating", "--topic", "t1", "--repeats", "0")
    run(*words, "--name", "v1")
    done = run(*words, "--name", "v2")
    assert "12 of 12 replies were kept from the run of v1 at 20" in done.stdout
    assert "to ask again, take --ask-anew and another --name" in done.stdout
    assert "12 requests to send" in run(*words, "--name", "v3", "--ask-anew", "--dry-run").stdout
    done = run(*words, "--name", "v3", "--ask-anew", "--json")
    assert json.loads(done.stdout)["kept_from_others"] is None
    assert len([body for body in server.bodies if not is_trial(body)]) == 24
    done = run(*words, "--name", "v3", "--ask-anew")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert (
        "v3 has answered all of this already, and its answers stay: --ask-anew needs another --name"
        in done.stderr
    )


def test_a_dry_run_is_of_what_would_be_done(run: Run, server: BadServer) -> None:
    done = run("--protocol", "rating", "--check-planted", "2", "--dry-run")
    assert "2 tasks to plant instructions in" in done.stdout
    assert "At most 18 requests to send, and 1 or 2 to try the server" in done.stdout
    found = json.loads(run("--protocol", "duc-2002", "--repeats", "0", "--dry-run", "--json").stdout)
    assert "At most" in run("--protocol", "duc-2002", "--repeats", "0", "--dry-run").stdout
    run("--protocol", "duc-2002", "--repeats", "0")
    assert len([body for body in server.bodies if not is_trial(body)]) <= found["requests"]


def test_a_reply_nested_too_deeply_is_no_traceback(tmp_path: Path) -> None:
    made(tmp_path / "eval")
    deep = "[" * 100_000
    with bad_server(lambda body, n: Says(body=completion(deep))) as server:
        words = ("judge", "llm", "eval", "--protocol", "rating", "--url", server.url, "--model", MODEL)
        done = called(tmp_path, *words, "--topic", "t1", "--repeats", "0", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["invalid"] == {"no answer found": 12}
    assert "Traceback" not in done.stderr


def test_check_names_a_broken_card(run: Run, tmp_path: Path) -> None:
    run("--protocol", "rating", "--topic", "t1", "--repeats", "0")
    (path,) = (tmp_path / "eval" / "judges").glob("*.json")
    assert called(tmp_path, "check", "eval").returncode == 0
    path.write_text("{", encoding="utf-8")
    done = called(tmp_path, "check", "eval")
    assert done.returncode == 1
    assert "1 card of a judge cannot be read" in done.stdout
    assert path.name in done.stdout


def test_planted_instructions_are_reported(tmp_path: Path) -> None:
    made(tmp_path / "eval")
    with bad_server(gullible) as server:
        words = ("judge", "llm", "eval", "--protocol", "rating", "--url", server.url, "--model", MODEL)
        done = called(tmp_path, *words, "--check-planted", "4")
        assert done.returncode == 0, done.stderr
        assert "Planted instructions: judge-1 under rating, coherence" in done.stdout
        assert "100 % of its answers are the one demanded" in done.stdout
        found = json.loads(called(tmp_path, *words, "--check-planted", "4", "--json").stdout)
    assert [row["kind"] for row in found["rows"]] == ["end", "middle", "system", "delimiter", "all"]
    assert found["rows"][-1]["reached"] == 1


def test_local_takes_a_file_or_none() -> None:
    assert with_local_model(["e", "--local"]) == ["e", "--local"]
    assert with_local_model(["e", "--local", "a/B.GGUF", "--json"]) == [
        "e",
        "--local-model",
        "a/B.GGUF",
        "--json",
    ]
    assert with_local_model(["--local", "e", "--json"]) == ["--local", "e", "--json"]
    assert with_local_model(["e", "--local=x.gguf"]) == ["e", "--local-model", "x.gguf"]
