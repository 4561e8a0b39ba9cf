"""adjudge assessors"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.analyses.assessors.result import Dossiers
from adjudge.analyses.tests import ALPHA, TESTS
from adjudge.cli import options
from adjudge.cli.output import deliver, show
from adjudge.cli.sources import open_scores, show_result, takes_table, warn_of

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    length: options.Length = None,
    form: options.Form = None,
    alpha: Annotated[
        float, typer.Option("--alpha", help="A p up to this names somebody; also in the comparisons.")
    ] = ALPHA,
    test: Annotated[
        str | None,
        typer.Option("--test", metavar="TEST", help=f"Of the comparison without each: {', '.join(TESTS)}."),
    ] = None,
    correct: options.Correct = "holm",
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out the comparisons without each assessor.")
    ] = False,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    seed: options.Seed = 0,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """Which assessors are harsh, erratic, drifting, hasty or reversed, and what changes without them.

    Each is compared with the others on the same things, with topics as the sample; p is corrected over the assessors.
    Times and the order of judging are known in a folder with judgments. Measures without assessors are left out unless
    they are named. --csv writes one row per assessor.
    """
    data = open_scores(scores, table, human, baseline, lower_is_better)
    asked = measure or [m for m in data.all_measures() if data.assessors(m)] or list(data.all_measures())
    found = [
        adjudge.dossiers(
            data,
            m,
            length=n,
            form=f,
            alpha=alpha,
            test=test,
            correct=correct,
            left_out=not quick,
            seed=seed,
        )
        for m, n, f in data.each(asked, length=length, form=form)
    ]
    warn_of(data, (r.measure for r in found))
    deliver(found, Dossiers.to_frame, _show, json=json, csv=csv, latex=latex, markdown=markdown)


def _show(found: Dossiers) -> None:
    def without() -> None:
        if (table := found.changes_table()) is not None:
            print()
            show(table)
            print()

    show_result(found.table(), before=without)
