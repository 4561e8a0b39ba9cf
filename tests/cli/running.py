"""Runs one command in this process; the library's errors come through, as `main` sees them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import Any

import typer
from typer.testing import CliRunner, Result

from adjudge.cli.app import COMMANDS
from adjudge.errors import AdjudgeError


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
