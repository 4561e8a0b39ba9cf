"""adjudge.reports"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import now_in_words, say, show_json


def command(
    evaluation: options.Folder,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Where to write it.")] = Path(
        "report"
    ),
    measure: options.Measures = None,
    test: options.Test = "wilcoxon",
    correct: options.Correct = "holm",
    length: options.Length = None,
    form: options.Form = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Write a page to read, with its tables as CSV and LaTeX; it opens without a network."""
    e = adjudge.open(evaluation)
    files = e.report(
        out,
        measure or (),
        length=length,
        form=form,
        test=test,
        correct=correct,
        seed=seed,
        made_at=now_in_words(),
    )
    if json:
        show_json({"files": [str(f) for f in files]})
    else:
        say(f"{files[0]}: open it in a browser ({len(files) - 1} tables beside it)")
