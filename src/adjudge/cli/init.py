"""adjudge init"""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show_json
from adjudge.judgments.next_step import after_init


def command(
    evaluation: options.Folder,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Title; by default the folder's name.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Make an empty evaluation folder, with comments on what goes where."""
    made = adjudge.init(evaluation, name=name)
    if json:
        show_json({"path": str(made.path), "name": made.settings.name})
    else:
        say(f"{made.path}: an empty evaluation; what it may hold stands in {made.path / 'evaluation.toml'}")
        say(str(after_init(made.path)))
