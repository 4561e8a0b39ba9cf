"""adjudge demo"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show_json
from adjudge.judgments.next_step import after_demo


def command(
    evaluation: options.Folder,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 1,
    judged: Annotated[
        bool, typer.Option("--judged", help="With units, pyramids, and three simulated DUC-2002 assessors.")
    ] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="All that was written: four lengths, extracts, single documents; judged, with ratings and pairs.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Make a small example evaluation: 12 topics, 4 writers, 9 systems, invented news."""
    from adjudge.demo.build import build, made_whole

    with made_whole(evaluation) as folder:
        report = build(folder, seed=seed, full=full)
        lines = _judged(folder, seed, full=full) if judged or full else []
    if json:
        show_json(report.as_dict())
        return
    for line in [*report.lines(), *lines]:
        say(line)
    say(str(after_demo(evaluation, baselines=full)))


def _judged(folder: Path, seed: int, *, full: bool) -> list[str]:
    """Has assessors judge, and says what they did."""
    from adjudge.demo.judged import add_judgments

    reports = add_judgments(adjudge.open(folder), seed=seed, full=full)
    lines = [
        f"pyramids, simulated: {reports.pyramids.lines()[0]}",
        f"DUC-2002 pages by three simulated assessors: {reports.pages.lines()[0]}",
    ]
    if reports.ratings and reports.sentences and reports.summaries:
        lines += [
            f"ratings by the same: {reports.ratings.lines()[0]}",
            f"pairs of sentences: {reports.sentences.lines()[0]}",
            f"pairs of summaries: {reports.summaries.lines()[0]}",
        ]
    return lines
