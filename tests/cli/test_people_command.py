"""adjudge people: links are said once, lists tell no secrets, mistakes are one line and change nothing."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import adjudge
from adjudge.cli import people as cli
from adjudge.core.errors import AdjudgeError, ClashError, DataError, UsageError
from adjudge.judgments.store.log import Actor
from adjudge.judgments.store.store import Store
from adjudge.judgments.tasks import Event, Task

PAGE = (Path(__file__).parents[2] / "docs" / "people.md").read_text(encoding="utf-8")
PASSWORD = "correct horse"


def run(line: str, typed: str | None = None) -> Result:
    done = CliRunner().invoke(cli.people, shlex.split(line), input=typed)
    if isinstance(done.exception, AdjudgeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def run_json(line: str, typed: str | None = None) -> Any:
    return json.loads(run(f"{line} --json", typed).stdout)


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluation without judgments, in the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "my-eval"
    folder.mkdir()
    (folder / "evaluation.toml").write_text('name = "my-eval"\n')
    (folder / "summaries.jsonl").write_text('{"topic": "t", "system": "s", "text": "A."}\n')


def store() -> Store:
    return adjudge.open("my-eval").store()


def token(link: str) -> str:
    return link.partition("#")[2]


def lets_in(link: str) -> str | None:
    with store() as opened:
        found = opened.accounts.by_token(token(link))
    return None if found is None else found.person


def test_a_person_is_added_and_gets_a_link() -> None:
    done = run("add my-eval anna --name 'Anna B.'")
    first, link, last, todo = done.stdout.splitlines()
    assert first == "anna may sign in as assessor. The personal link, shown only once:"
    assert re.fullmatch(r"http://127\.0\.0\.1:8000/in#[\w-]{43}", link)
    assert last.endswith("Lost it? adjudge people link my-eval anna")
    assert todo.startswith("next: adjudge assign my-eval")
    assert lets_in(link) == "anna"
    with store() as opened:
        assert opened.people.get("anna").name == "Anna B."


def test_roles_and_addresses() -> None:
    found = run_json("add my-eval zoe --organiser --public-url https://judge.example.org/adjudge/")
    assert found.pop("link").startswith("https://judge.example.org/adjudge/in#")
    assert found == {"person": "zoe", "name": None, "role": "organiser", "password": False}
    for line, said in (
        ("add my-eval bob --public-url judge.example.org", '--public-url is "judge.example.org", expected'),
        ("add my-eval bob --public-url http://a/#b", "--public-url is"),
    ):
        with pytest.raises(UsageError, match=re.escape(said)):
            run(line)
    with pytest.raises(ClashError, match='^person "zoe": has an account already, as organiser$'):
        run("add my-eval zoe")
    assert [each["person"] for each in run_json("list my-eval")["people"]] == ["zoe"]


def test_a_password_is_read_from_standard_input() -> None:
    assert run_json("add my-eval anna --password", f"{PASSWORD}\r\n")["password"]
    with store() as opened:
        assert opened.accounts.check_password("anna", PASSWORD) is not None
    run("link my-eval anna --password", "another password\n")
    with store() as opened:
        assert opened.accounts.check_password("anna", PASSWORD) is None
        assert opened.accounts.check_password("anna", "another password") is not None


def test_a_bad_password_is_refused_before_anything_is_done() -> None:
    with pytest.raises(UsageError, match="^the password has 5 characters, expected 10 to 1,000$"):
        run("add my-eval anna --password", "short\n")
    assert not Path("my-eval/judgments.sqlite").exists()


def test_on_a_terminal_the_password_is_asked_twice_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    typed = iter([PASSWORD, PASSWORD, PASSWORD, "something else"])
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(typed))
    assert cli._ask() == PASSWORD
    with pytest.raises(UsageError, match="the two passwords are not the same; nothing was changed"):
        cli._ask()


def test_the_list_says_who_is_how_far_and_tells_no_secret() -> None:
    links = [run_json("add my-eval anna --name Anna --password", PASSWORD)["link"]]
    links.append(run_json("add my-eval bert")["link"])
    run("suspend my-eval bert")
    with store() as opened:
        opened.add_tasks(
            Task(f"t{k}", opened.evaluation, who, "rating", "1", "t")
            for k, who in enumerate(["anna", "anna", "cem"])
        )
        opened.append([Event("e1", opened.evaluation, "t0", "anna", "overall", {"value": 3})])
    done, found = run("list my-eval"), run_json("list my-eval")["people"]
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["person", "name", "role", "state", "password", "tasks", "judged", "last", "seen"],
        ["anna", "Anna", "assessor", "active", "yes", "2", "1"],
        ["bert", "assessor", "suspended", "0", "0"],
        ["cem", "1", "0"],
    ]
    assert found[0] == {
        "person": "anna",
        "name": "Anna",
        "role": "assessor",
        "state": "active",
        "tasks": 2,
        "judged": 1,
        "password": True,
        "last_seen": None,
    }
    assert (found[2]["role"], found[2]["state"]) == (None, None)
    with store() as opened:
        kept = opened.database.url.database
    assert kept is not None
    hashes = re.findall(
        rb"[0-9a-f]{64}|\$argon2id\$[^\x00]{20}",
        b"".join(path.read_bytes() for path in Path(kept).parent.glob("judgments.sqlite*")),
    )
    assert len(hashes) >= 3
    shown = done.stdout + json.dumps(found)
    assert [each for each in [*map(token, links), *(h.decode() for h in hashes)] if each in shown] == []


def test_last_seen_is_a_time() -> None:
    run("add my-eval anna")
    with store() as opened:
        opened.sessions.start("anna", timedelta(hours=1))
    assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d UTC", run("list my-eval").stdout)


def test_suspending_and_restoring() -> None:
    link = run_json("add my-eval anna")["link"]
    assert run("suspend my-eval anna").stdout == (
        "anna is signed out and cannot sign in; their answers stay, their password is deleted\n"
    )
    assert lets_in(link) is None
    assert run("suspend my-eval anna --restore").stdout == "anna may sign in again, by the link they had\n"
    assert lets_in(link) == "anna"
    assert run_json("suspend my-eval anna") == {"person": "anna", "state": "suspended"}
    assert run_json("suspend my-eval anna --restore") == {"person": "anna", "state": "active"}


def test_a_new_link() -> None:
    old = run_json("add my-eval anna")["link"]
    with store() as opened:
        session = opened.sessions.start("anna", timedelta(hours=1))
    done = run("link my-eval anna --public-url https://judge.example.org").stdout.splitlines()
    assert done[0] == (
        "anna has a new link; the old link, password and sessions no longer work."
        " The personal link, shown only once:"
    )
    assert done[1].startswith("https://judge.example.org/in#")
    assert (lets_in(old), lets_in(done[1])) == (None, "anna")
    with store() as opened:
        assert opened.sessions.find(session) is None
    newest = run_json("link my-eval anna")
    assert (newest["person"], lets_in(newest["link"])) == ("anna", "anna")


def test_the_log_says_what_happened_the_latest_first() -> None:
    run("add my-eval anna")
    run("add my-eval bert --password", PASSWORD)
    with store() as opened:
        anna = Actor("zoe", "192.0.2.7")
        opened.accounts.add("zoe", "organiser")
        opened.sessions.start("anna", timedelta(hours=1), actor=Actor(place="2001:db8::1"))
        opened.accounts.suspend("anna", actor=anna)
    found = run_json("log my-eval anna")["log"]
    assert [(row["what"], row["by"], row["place"]) for row in found] == [
        ("suspended, sessions and password ended", "zoe", "192.0.2.7"),
        ("signed in", None, "2001:db8::1"),
        ("account made", None, "command line"),
    ]
    everybody = run_json("log my-eval")["log"]
    assert len(everybody) == 6
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", row["at"]) for row in everybody)
    lines = run("log my-eval bert").stdout.splitlines()
    assert lines[0].split() == ["time", "account", "what", "by", "from"]
    assert re.search(r"UTC +bert +password set +command line$", lines[1])
    table = csv.DictReader(io.StringIO(run("log my-eval --csv -").stdout))
    assert [row["what"] for row in table] == [row["what"] for row in everybody]
    with pytest.raises(DataError, match=r'^no person "bart" \(nearest: "bert"\)$'):
        run("log my-eval bart")


def test_nobody_is_there_yet() -> None:
    for line in ("list my-eval", "suspend my-eval anna", "link my-eval anna"):
        with pytest.raises(DataError, match=r"^my-eval: nobody yet; add somebody with: adjudge people"):
            run(line)
    assert not Path("my-eval/judgments.sqlite").exists()
    run("add my-eval anna")
    for line in ("suspend my-eval ana", "link my-eval ana"):
        with pytest.raises(DataError, match=r'^"ana" has no account \(nearest: "anna"\)$'):
            run(line)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom adjudge.cli.people import people\n"
        "try:\n    people(['add', '--help'])\nexcept SystemExit:\n    pass\n"
        "print('@', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    shown, loaded = done.stdout.rsplit("@", 1)
    assert "--public-url" in shown
    assert {"sqlalchemy", "argon2", "numpy"} & set(loaded.split()) == set()


def test_the_page_shows_every_command_as_it_runs() -> None:
    commands = re.findall(r"^\$ adjudge people (.*)$", PAGE, re.MULTILINE)
    assert {line.split()[0] for line in commands} == set(cli.PEOPLE)
    for line in commands:
        run(line, PASSWORD if "--password" in line else None)


def test_the_example_in_python_runs() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(block, "people.md", "exec"), {})
    assert run_json("list my-eval")["people"][0]["state"] == "suspended"
