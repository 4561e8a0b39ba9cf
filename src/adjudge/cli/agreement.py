"""adjudge agreement"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, get_args

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import show_json, write_csv
from adjudge.cli.sources import open_scores, show_result, takes_table

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    question: Annotated[
        list[str] | None,
        typer.Option(
            "--question",
            metavar="NAME",
            help="A question that people answered, such as completeness or fluency; may be repeated.",
            show_default=False,
        ),
    ] = None,
    per: Annotated[
        str,
        typer.Option(
            "--per",
            metavar="WHAT",
            help="What has a row: question, coefficient, assessor (left out), pair, system or pyramid.",
        ),
    ] = "question",
    length: options.Length = None,
    form: options.Form = None,
    scale: Annotated[
        str,
        typer.Option(
            "--scale",
            metavar="SCALE",
            help="Level of measurement, for alpha: nominal, ordinal, interval or ratio.",
        ),
    ] = "ordinal",
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="HOW",
            help="Of AC and kappas: none, linear or quadratic; without it quadratic, for a nominal scale none.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="1 - alpha is the level of the intervals.")] = 0.05,
    resamples: Annotated[
        int, typer.Option("--resamples", min=0, metavar="N", help="Bootstrap resamples of topics.")
    ] = 1000,
    seed: options.Seed = 0,
    human: options.Human = None,
    baseline: options.Baseline = None,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """How far assessors agree: alpha, kappas, AC1 and AC2, intraclass correlations, with intervals over topics.

    Of every question and every measure with assessors: Krippendorff's alpha with an interval over topics, Gwet's AC
    beside it, and with --per coefficient kappas and intraclass correlations, each with what it asks. --csv, --latex and
    --markdown have the table that --per names, --json has all.
    """
    from adjudge.analyses.agreement.result import NAMES, Distance, Per

    options.one_of("--per", per, get_args(Per))
    options.one_of("--scale", scale, get_args(Distance))
    if weights is not None:
        options.one_of("--weights", weights, NAMES)
    options.share("--alpha", alpha)
    found = adjudge.agreement(
        open_scores(scores, replace(table, without=()), human, baseline),
        measure or None,
        question=question or (),
        length=length,
        form=form,
        scale=scale,  # type: ignore[arg-type]  # checked above
        weights=weights,  # type: ignore[arg-type]
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        without=tuple(table.without),
    )
    shown = found.table(per)  # type: ignore[arg-type]
    if csv is not None:
        write_csv(shown.to_frame(), csv)
    if json:
        show_json(found.as_dict())
    elif latex:
        print(shown.to_latex())
    elif markdown:
        print(shown.to_markdown())
    elif csv is None:
        show_result(shown)
