"""adjudge undo, history"""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show, show_json, tell, write_csv


def undo(
    evaluation: options.Folder,
    redo: Annotated[bool, typer.Option("--redo", help="Redo the change that was undone last.")] = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Take back the last change of the files.

    Changes are import, units, baselines, withdraw, rename and remove. Run it again to take back the one before. It is
    refused if judgments or tasks need what would disappear.
    """
    done = adjudge.open(evaluation).undo(redo=redo, dry_run=dry_run)
    tell(json, done.as_dict(), done.lines())


def history(evaluation: options.Folder, json: options.Json = False, csv: options.Csv = None) -> None:
    """List the last changes of the files, and which can be taken back."""
    past = adjudge.open(evaluation).history()
    if csv is not None:
        write_csv(past.to_frame(), csv)
    if json:
        show_json(past.as_dict())
    elif csv is None:
        if past.changes:
            show(past.table())
        say(past.headline())
