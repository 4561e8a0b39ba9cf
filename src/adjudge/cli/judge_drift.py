"""adjudge judge drift"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import show, show_json, write_csv
from adjudge.cli.sources import length_of, open_scores, show_result, takes_table
from adjudge.core.errors import UsageError

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions

EXAMPLE = "adjudge judge drift my-eval simulated-1 simulated-2"


@takes_table
def drift(
    scores: options.Scores,
    table: TableOptions,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The judge as it was.", show_default=False)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The judge as it is now.", show_default=False)],
    question: options.AnsweredQuestions = None,
    length: options.Lengths = None,
    form: options.Form = None,
    chosen: Annotated[
        str,
        typer.Option(
            "--table",
            metavar="NAME",
            help="The table that --csv writes: drift, drift-tests, drift-systems, drift-pairs or drift-answers.",
        ),
    ] = "drift",
    alpha: options.LevelAlpha = 0.05,
    resamples: options.TopicResamples = 1000,
    seed: options.Seed = 0,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """What changed from one version of a judge to another, on the things that both answered for.

    How often they give the same answer, beside repeats of the old one where there are any; the mean shift, and whether
    it depends on the system; agreement with people, if people judged the same; the ranking; what differs in their
    cards. OLD and NEW are assessors of a folder or a table, or two columns of scores.
    """
    options.share("--alpha", alpha)
    if sum((json, latex, markdown)) > 1:
        raise UsageError("--json, --latex and --markdown all print: say one of them")
    found = adjudge.judge_drift(
        open_scores(scores, replace(table, without=()), None, None),
        old,
        new,
        question=question or (),
        length=length_of(length),
        form=form,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        without=tuple(table.without),
    )
    tables = found.tables()
    if csv is not None:
        write_csv(tables[chosen].to_frame(), csv)
    if json:
        show_json(found.as_dict())
    elif latex:
        print(found.to_latex())
    elif markdown:
        print(found.to_markdown())
    elif csv is None:
        first, *others = tables

        def more() -> None:
            for each in others:
                print()
                show(each)
            print()

        show_result(first, before=more)
