"""The evaluation from which the documentation's figures and the tests of all figures are drawn."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

EVALUATION = "my-eval"
LINES = (
    "demo my-eval --full",
    "judge train my-eval --protocol duc-2002 --resamples 20 -o judge.json",
    "judge apply my-eval judge.json --name tree",
    "score my-eval -m rouge-1 -m rouge-2 -m coverage -m retention -m length-adjusted-coverage -m quality-errors"
    " -m pyramid -m rating(aspect=overall) -m words",
)
"""What the command line is given to make it."""


def adjudge(folder: Path, *arguments: str) -> str:
    """What a command prints, run in this process: starting one for every figure would take minutes."""
    from adjudge.cli import main

    out, err = io.StringIO(), io.StringIO()
    with (
        chdir(folder),
        mock.patch.object(sys, "argv", ["adjudge", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as done:
            if done.code:
                raise RuntimeError(f"adjudge {' '.join(arguments)}: {err.getvalue()}") from None
    return out.getvalue()


def fill(folder: Path, run: Callable[..., object] = adjudge) -> Path:
    """Make it in a folder, where it is called my-eval."""
    for line in LINES:
        run(folder, *line.split())
    return folder / EVALUATION
