"""adjudge demo"""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show_json


def command(
    evaluation: options.Folder,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random extractor.")] = 1,
    judged: Annotated[
        bool, typer.Option("--judged", help="With units, pyramids, and three simulated DUC-2002 assessors.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Make a small evaluation to try things on: 12 topics, 4 writers, 9 systems, invented news."""
    from adjudge.demo.build import build, made_whole

    with made_whole(evaluation) as folder:
        report = build(folder, seed=seed)
        if judged:
            from adjudge.demo.judged import add_judgments

            pyramids, pages = add_judgments(adjudge.open(folder), seed=seed)
    if json:
        show_json(report.as_dict())
        return
    for line in report.lines():
        say(line)
    if judged:
        say(f"pyramids, simulated: {pyramids.lines()[0]}")
        say(f"DUC-2002 pages by three simulated assessors: {pages.lines()[0]}")
    say(f"next: adjudge baselines {evaluation}, adjudge score {evaluation}, adjudge compare {evaluation}")
