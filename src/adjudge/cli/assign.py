"""adjudge assign"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.completion import complete_protocols
from adjudge.cli.output import now, say, show_json, show_table, warn
from adjudge.core.words import counted
from adjudge.judgments.next_step import after_assigning

if TYPE_CHECKING:
    from adjudge.judgments.assign.order import Order
    from adjudge.judgments.assign.planning import Assignment

MOST_WARNINGS = 5


def command(
    evaluation: options.Folder,
    per_summary: Annotated[
        int,
        typer.Option("--per-summary", min=1, metavar="N", help="Assessors per page or pair."),
    ] = 1,
    repeats: Annotated[
        float,
        typer.Option("--repeats", metavar="SHARE", help="Share of tasks that are asked twice."),
    ] = 0.0,
    phase: Annotated[
        int | None,
        typer.Option(
            "--phase",
            metavar="1|2",
            help="DUC's phases: 1: the reference's author judges; 2: somebody who neither wrote it"
            " nor chose the documents.",
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="Protocol: what people are asked. By default that of evaluation.toml.",
            autocompletion=complete_protocols,
        ),
    ] = None,
    assessor: Annotated[
        list[str] | None,
        typer.Option(
            "--assessor",
            metavar="NAME",
            help="Who judges. May be repeated. By default all active assessors.",
            show_default=False,
        ),
    ] = None,
    topic: Annotated[
        list[str] | None,
        typer.Option(
            "--topic", metavar="TOPIC", help="Only these topics. May be repeated.", show_default=False
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option("--per-topic", min=1, metavar="N", help="Pairs per topic."),
    ] = None,
    order: Annotated[
        str,
        typer.Option(
            "--order", metavar="ORDER", help="topic: a topic's pages together; mixed: all shuffled."
        ),
    ] = "topic",
    seed: options.Seed = 0,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Assign summaries to assessors: evenly, in blind order, with repeats on request.

    Only missing tasks are added: run it again after adding summaries or assessors, or with a larger --per-summary. If
    the protocol needs units and there are none, they are made first, as adjudge units does.
    """
    assignment = adjudge.open(evaluation).assign(
        protocol,
        assessors=assessor or (),
        per_summary=per_summary,
        repeats=repeats,
        phase=phase,
        topics=topic or (),
        pairs=pairs,
        order=cast("Order", order),
        seed=seed,
        dry_run=dry_run,
        when=now(),
    )
    if json:
        show_json(assignment.as_dict() | {"written": not dry_run})
    else:
        _show(assignment, dry_run)
        if not dry_run:
            say(str(after_assigning(evaluation)))


def _show(assignment: Assignment, dry_run: bool) -> None:
    from adjudge.judgments.assign.planning import COLUMNS

    say(assignment.title(), "bold")
    show_table(COLUMNS, assignment.rows())
    for line in assignment.lines():
        say(line)
    for line in assignment.warnings[:MOST_WARNINGS]:
        warn(line)
    if len(assignment.warnings) > MOST_WARNINGS:
        warn(f"{counted(len(assignment.warnings) - MOST_WARNINGS, 'more such text')}; --json lists all")
    if not assignment.tasks:
        say("nothing is missing; no task was added")
    elif dry_run:
        say("nothing was written; leave out --dry-run to add these tasks")
