"""adjudge score"""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import counting, progress, say, show_json, warn, worker_count
from adjudge.core.words import counted


def command(
    evaluation: options.Folder,
    measure: options.Measures = None,
    workers: options.Workers = "auto",
    again: Annotated[
        bool, typer.Option("--again", help="Score everything, also what has not changed.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Score what is new or has changed since: F of ROUGE-1, 2, L and Lsum unless measures are named."""
    from adjudge.data.collection import describe_unknown, describe_withdrawn

    e = adjudge.open(evaluation)
    with counting("reading rows") as rows:
        e.read(progress=rows)
    with progress("scoring") as tick:
        results = e.score(*(measure or ()), workers=worker_count(workers), again=again, progress=tick)
    if json:
        for line in describe_unknown(e.collection):
            warn(line)
        show_json([each.as_dict() for each in results])
        return
    for each in results:
        parts = [counted(each.rows, "score")]
        parts += [f"{counted(len(each.new), 'topic')} new"] if each.new else []
        parts += [f"{len(each.changed):,} had changed ({_few(each.changed)})"] if each.changed else []
        parts += [f"{len(each.gone):,} gone ({_few(each.gone)})"] if each.gone else []
        parts += [f"{counted(each.kept, 'topic')} kept"] if each.kept else []
        say(f"{each.measure}: {', '.join(parts)}")
        for why, count in each.missing.items():
            warn(f"{each.measure}: {count:,} missing: {why}")
    for note in dict.fromkeys(note for each in results for note in each.notes):
        warn(note)
    for line in (*describe_unknown(e.collection), *describe_withdrawn(e.collection)):
        warn(line)


def _few(topics: tuple[str, ...]) -> str:
    return ", ".join(topics[:3]) + (", ..." if len(topics) > 3 else "")
