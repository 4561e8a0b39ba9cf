"""adjudge score"""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import counting, progress, say, show_json, warn, worker_count
from adjudge.core.words import counted
from adjudge.judgments.next_step import after_scoring


def command(
    evaluation: options.Folder,
    measure: options.Measures = None,
    workers: options.Workers = "auto",
    split_sentences: options.SplitSentences = False,
    again: Annotated[bool, typer.Option("--again", help="Score everything again.")] = False,
    json: options.Json = False,
) -> None:
    """Score what is new or has changed: what people judged, and ROUGE-1, 2, L and Lsum.

    With -m, only the named measures.
    """
    from adjudge.data.collection import describe_unknown, describe_withdrawn

    e = adjudge.open(evaluation)
    with counting("reading rows") as rows:
        e.read(progress=rows)
    with progress("scoring") as tick:
        results = e.score(
            *(measure or ()),
            workers=worker_count(workers),
            split_sentences=split_sentences,
            again=again,
            progress=tick,
        )
    if json:
        for line in describe_unknown(e.collection):
            warn(line)
        show_json([result.as_dict() for result in results])
        return
    for result in results:
        parts = [counted(result.rows, "score")]
        parts += [f"{counted(len(result.new), 'topic')} new"] if result.new else []
        parts += [f"{len(result.changed):,} had changed ({_few(result.changed)})"] if result.changed else []
        parts += [f"{len(result.gone):,} gone ({_few(result.gone)})"] if result.gone else []
        parts += [f"{counted(result.kept, 'topic')} kept"] if result.kept else []
        say(f"{result.measure}: {', '.join(parts)}")
        for why, count in result.missing.items():
            warn(f"{result.measure}: {count:,} missing: {why}")
    for note in dict.fromkeys(note for result in results for note in result.notes):
        warn(note)
    for line in (*describe_unknown(e.collection), *describe_withdrawn(e.collection)):
        warn(line)
    if results:
        say(str(after_scoring(evaluation)))


def _few(topics: tuple[str, ...]) -> str:
    return ", ".join(topics[:3]) + (", ..." if len(topics) > 3 else "")
