"""adjudge slices"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.analyses.slices.result import SLICED_BY, SystemSlices
from adjudge.cli import options
from adjudge.cli.output import deliver, show
from adjudge.cli.sources import length_of, open_scores, show_result, takes_table, warn_of
from adjudge.stats.multiple import Correction

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions

CORRECTIONS = ("holm", "bonferroni", "bh", "none")


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="PROPERTY",
            help=f"What to slice by: {', '.join(each.replace(' ', '-') for each in SLICED_BY)}; may be repeated.",
            show_default="all that there are",
        ),
    ] = None,
    length: options.Lengths = None,
    form: options.Form = None,
    alpha: Annotated[float, typer.Option("--alpha", help="Of the tests.")] = 0.05,
    correct: Annotated[
        str,
        typer.Option(
            "--correct", metavar="HOW", help=f"Correction for many properties: {', '.join(CORRECTIONS)}."
        ),
    ] = "holm",
    resamples: Annotated[
        int, typer.Option("--resamples", min=99, metavar="N", help="Of topics between slices.")
    ] = 9999,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    seed: options.Seed = 0,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """How systems compare within slices of topics, and whether their differences vary with them.

    Slices are by what is said of topics, by target length and form, and by thirds of topics by the words of their
    sources and the compression and copying of their summaries. --csv writes one row per slice and system.
    """
    options.one_of("--correct", correct, CORRECTIONS)
    options.share("--alpha", alpha)
    data = open_scores(scores, table, human, baseline, lower_is_better)
    how: Correction = correct  # type: ignore[assignment]
    found = [
        adjudge.slices(
            data,
            each,
            by=by or (),
            length=length_of(length),
            form=form,
            alpha=alpha,
            correct=how,
            resamples=resamples,
            seed=seed,
        )
        for each in data.resolved(measure or ())
    ]
    warn_of(data, (each.measure for each in found))
    deliver(found, SystemSlices.to_frame, _show, json=json, csv=csv, latex=latex, markdown=markdown)


def _show(found: SystemSlices) -> None:
    def means() -> None:
        for each in found.properties:
            print()
            show(found.means_table(each))
        print()

    show_result(found.table(), before=means)
