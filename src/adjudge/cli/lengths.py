"""adjudge lengths"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.analyses.lengths.result import TASKS, LengthsResult
from adjudge.cli import options
from adjudge.cli.output import deliver, say, show
from adjudge.cli.sources import open_scores, pooled, show_result, takes_table, warn_of
from adjudge.core.words import counted

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="TASK", help=f"Topics of one task only: {' or '.join(TASKS)}."),
    ] = None,
    form: options.Form = None,
    pool: options.PoolHumans = None,
    seed: options.Seed = 0,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """Compare target lengths: scores centred by topic, groups, noise, and how rankings agree.

    Each length is compared by itself; "all" averages within a topic first. Systems that share a letter are not
    significantly different, every pair by its own variance. --csv writes one row per system and length.
    """
    data = open_scores(scores, table, human, baseline, lower_is_better)
    found = [
        adjudge.lengths(
            data,
            m,
            form=form,
            task=task,  # type: ignore[arg-type]
            seed=seed,
            pool_humans=pooled(pool),
        )
        for m in data.resolved(measure or ())
    ]
    warn_of(data, (r.measure for r in found))
    deliver(found, LengthsResult.to_frame, _show, json=json, csv=csv, latex=latex, markdown=markdown)


def _show(r: LengthsResult) -> None:
    say(f"{r.info.heading} ({r.info.direction}, {counted(len(r.lengths), 'length')})", "bold")

    def noise() -> None:
        print()
        show(r.noise_table())
        print()

    show_result(r.table(), before=noise)
