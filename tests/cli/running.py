"""Runs one command in this process; the library's errors come through, as `main` sees them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import typer
from typer.testing import CliRunner, Result

from adjudge.errors import AdjudgeError


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
