"""A database that a folder names is connected to only after its user has confirmed it."""

from __future__ import annotations

import os
import shlex
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from tests.cli.running import call, called, examples

import adjudge
from adjudge.core.errors import FormatError, UsageError
from adjudge.judgments.store.confirmed import VARIABLE, UnconfirmedError, confirmed_file, plain_address

TEXTS = (
    "check",
    "show",
    "units",
    "score",
    "scores",
    "compare",
    "topics",
    "groups",
    "anova",
    "plan",
    "report",
)


class Listener:
    """A stranger's server: it notes that somebody came, and what they said first."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard: list[bytes] = []
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                self.heard.append(connection.recv(4096))
                connection.sendall(b"N")  # no TLS: go on in the clear
                self.heard.append(connection.recv(4096))
                connection.sendall(b"R\0\0\0\x08\0\0\0\x03")  # and send your password in the clear
                self.heard.append(connection.recv(4096))


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Listener]:
    monkeypatch.setenv("PGPASSWORD", "open sesame")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(VARIABLE, raising=False)
    found = Listener()
    yield found
    found.socket.close()


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory, judged_few: Path) -> Path:
    """An evaluation with scores of texts and of judgments, and without the judgments."""
    folder = copytree(judged_few, tmp_path_factory.mktemp("scored") / "e")
    adjudge.open(folder).score("rouge-1", "rouge-2", "coverage")
    (folder / "judgments.sqlite").unlink()
    return folder


@pytest.fixture
def stranger(tmp_path: Path, listener: Listener, scored: Path) -> Path:
    """It names the listener as its database."""
    folder = copytree(scored, tmp_path / "my-eval")
    settings = folder / "evaluation.toml"
    address = f"postgresql://me@127.0.0.1:{listener.port}/judgments"
    settings.write_text(f'{settings.read_text(encoding="utf-8")}\ndatabase = "{address}"\n', encoding="utf-8")
    return folder


COMMANDS = {name: line for name, line in examples().items() if "my-eval" in line and name != "serve"}


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "judgments confirm"])
def test_no_command_connects_unasked(stranger: Path, listener: Listener, command: str) -> None:
    done = called(stranger.parent, *shlex.split(COMMANDS[command])[1:])
    assert not listener.heard
    assert "Traceback" not in done.stderr
    if command in TEXTS:
        assert done.returncode == 0, done.stderr


def test_commands_of_judgments_say_what_to_do(stranger: Path) -> None:
    for line in ("judgments list", "people list", "score -m coverage"):
        first, *rest = shlex.split(line)
        words = [first, str(stranger), *rest] if first == "score" else [first, *rest, str(stranger)]
        done = called(stranger.parent, *words)
        assert done.returncode == 2
        (said,) = done.stderr.splitlines()
        assert "which was not connected to; if it is yours to use: adjudge judgments confirm" in said


def test_scores_of_judgments_are_compared_with_a_note(stranger: Path) -> None:
    scores = adjudge.open(stranger).scores()
    assert "coverage" not in scores.stale
    assert any("was not connected to" in note for note in scores.notes("coverage"))
    assert not any("was not connected to" in note for note in scores.notes("rouge-1"))
    codes = {finding.code for finding in adjudge.open(stranger).check().findings}
    assert "judgments-not-read" in codes


def test_a_password_is_handed_over_after_a_confirmation_only(stranger: Path, listener: Listener) -> None:
    """The one that is told is the one that was confirmed: another address needs another confirmation."""
    done = call(stranger.parent, "judgments", "confirm", str(stranger))
    assert done.returncode == 0, done.stderr
    assert f"postgresql://me@127.0.0.1:{listener.port}/judgments is confirmed" in done.stdout
    assert call(stranger.parent, "judgments", "list", str(stranger)).returncode == 1
    assert any(b"open sesame" in heard for heard in listener.heard)
    listener.heard.clear()
    settings = stranger / "evaluation.toml"
    for change in ("judgments?host=127.0.0.1", "judgments?service=prod", "other"):
        settings.write_text(settings.read_text(encoding="utf-8").replace("/judgments", f"/{change}"))
        with pytest.raises(UnconfirmedError):
            adjudge.open(stranger).store()
        settings.write_text(settings.read_text(encoding="utf-8").replace(f"/{change}", "/judgments"))
    assert not listener.heard


def test_the_environment_confirms_too_and_may_hold_the_password(
    stranger: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setenv(VARIABLE, f"postgres://me:from-here@127.0.0.1:{listener.port}/judgments")
    with pytest.raises(adjudge.core.errors.StoreUnavailable):
        adjudge.open(stranger).store()
    assert any(b"from-here" in heard for heard in listener.heard)


def test_one_spelling_of_an_address() -> None:
    assert plain_address("postgres://u:secret@h:5433/d?b=2&a=1&password=x") == plain_address(
        "postgresql+psycopg://u@h:5433/d?a=1&b=2"
    )
    assert "secret" not in plain_address("postgres://u:secret@h/d")
    with pytest.raises(UsageError):
        plain_address("mysql://u@h/d")


@pytest.mark.parametrize(
    "database", ["judgments.sqlite", "/tmp/other", "sqlite:////tmp/x.sqlite", "../other-eval", "mysql://h/d"]
)
def test_a_database_is_an_address_and_never_a_file(tmp_path: Path, database: str) -> None:
    adjudge.evaluation.Evaluation.init(tmp_path / "e")
    settings = tmp_path / "e" / "evaluation.toml"
    settings.write_text(f'database = "{database}"\n')
    with pytest.raises(FormatError, match="expected postgresql://"):
        adjudge.open(tmp_path / "e")


def test_the_list_is_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", str(tmp_path))
    assert confirmed_file() == tmp_path / "adjudge" / "databases"
    e = adjudge.evaluation.Evaluation.init(tmp_path / "e")
    with pytest.raises(UsageError, match="names no database"):
        e.confirm_database()
    (tmp_path / "e" / "evaluation.toml").write_text('database = "postgresql://me:pw@h/d"\n')
    for _ in range(2):
        address, path = adjudge.open(tmp_path / "e").confirm_database()
    assert address == "postgresql://me@h/d"
    assert path.read_text() == f"{address}\n"
