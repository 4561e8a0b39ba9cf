"""Runs commands: one in this process, the library's errors coming through; or any, from its words to its exit."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import typer
from tests.waiting import HANG, free_port, until_listening
from typer.testing import CliRunner, Result

from adjudge.cli import main
from adjudge.cli.app import COMMANDS
from adjudge.core.errors import AdjudgeError

ADJUDGE = [sys.executable, "-c", "from adjudge.cli import main; main()"]


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ADJUDGE, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def called(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As `call`, in this process: starting a new one for each of some two hundred lines takes minutes."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["adjudge", *arguments]
    with chdir(folder), mock.patch.object(sys, "argv", argv), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
            code = 0
        except SystemExit as exit:
            code = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    return subprocess.CompletedProcess(argv, code, out.getvalue(), err.getvalue())


def typed(folder: Path, command: str) -> str:
    """What a line prints, typed in a shell: patterns are expanded, comments left out, `serve` is asked to stop."""
    words = shlex.split(command, comments=True)
    assert words[0] == "adjudge", command
    words = [word for pattern in words[1:] for word in _expanded(folder, pattern)]
    if words[0] == "serve":
        return served(folder, words)
    done = called(folder, *words)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def _expanded(folder: Path, word: str) -> list[str]:
    """As a shell does with a pattern that has no quotes; quoted ones are the command's to expand, to the same."""
    if "*" not in word or word.startswith("-"):
        return [word]
    return sorted(str(path.relative_to(folder)) for path in folder.glob(word)) or [word]


def served(folder: Path, words: Sequence[str]) -> str:
    """What `serve` says until it answers, on a port that is free; then it is asked to stop."""
    port = free_port()
    line = [*ADJUDGE, *words, "--port", str(port)]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            until_listening(port, server)
            server.terminate()
            server.wait(HANG)
        finally:
            server.kill()
    assert "http" in said
    return said


def examples() -> dict[str, str]:
    """Every command's example, as its help shows it, by the command's name."""

    def walk(name: str, command: Any) -> Iterator[tuple[str, str]]:
        for inner, each in getattr(command, "commands", {}).items():
            yield from walk(f"{name} {inner}", each)
        if not hasattr(command, "commands"):
            yield name, (command.epilog or "").removeprefix("Example: ")

    return {name: example for each in COMMANDS for name, example in walk(each.name, each.load())}


def runner(command: Callable[..., Any]) -> Callable[[str], Result]:
    """A function of a command line, without the command's name."""
    app = typer.Typer()
    app.command()(command)

    def run(line: str) -> Result:
        done = CliRunner().invoke(app, shlex.split(line))
        if isinstance(done.exception, AdjudgeError):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done

    return run
