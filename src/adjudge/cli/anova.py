"""adjudge anova"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import counting, deliver, say, show, show_table, warn
from adjudge.cli.sources import open_scores, pooled, show_result, takes_table, warn_of
from adjudge.core.errors import AdjudgeError, UsageError, quoted
from adjudge.core.words import decimal

if TYPE_CHECKING:
    from adjudge.analyses.anova.ordinal import OrdinalAnova
    from adjudge.analyses.anova.result import Anova
    from adjudge.analyses.scores import Scores
    from adjudge.formats.scoretable import TableOptions


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="linear|ordinal",
            help="ordinal: for ratings on a scale, systems fixed, topics and assessors a sample.",
        ),
    ] = "linear",
    factors: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Terms in their order, such as type,system,topic or system,topic,system:topic.",
            show_default="system,topic; assessor before them where judgments are repeated",
        ),
    ] = None,
    interactions: Annotated[
        bool, typer.Option("--interactions", help="Add all two-way ones of assessor, system, topic.")
    ] = False,
    random: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="These are a sample, such as topic,assessor; tell how the variance divides."
        ),
    ] = None,
    ss_type: Annotated[
        int | None,
        typer.Option(
            "--type",
            min=1,
            max=3,
            help="Sums of squares: I in order, II, III.",
            show_default="1; 2 where cells are missing",
        ),
    ] = None,
    pool: options.PoolHumans = None,
    length: options.Length = None,
    form: options.Form = None,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    resamples: Annotated[
        int | None,
        typer.Option(
            min=0, help="Simulations for the intervals of the shares.", show_default="500, 0 for large models"
        ),
    ] = None,
    seed: options.Seed = 0,
    sizes: Annotated[bool, typer.Option("--sizes", help="Print the size of every interaction.")] = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """Which factors matter: system, topic, assessor, and how much of the variation each accounts for.

    Prints the analysis of variance, what it means in words, and whether the residuals look as they should. Each term
    is compared with the variation it would have anyhow: types of topics with topics, systems that several assessors
    judged with how topics and assessors differ about them. --csv writes one row per term; with --random the parts of
    the variance follow.

    --model ordinal fits a cumulative link mixed model to ratings instead: systems on a latent scale, all pairs with
    intervals, beside the linear model; thresholds, severity of assessors. --csv then writes all tables, by part.
    """
    data = open_scores(scores, table, human, baseline, lower_is_better)
    chosen = data.resolved(measure or ())
    if model == "ordinal":
        from adjudge.analyses.anova.ordinal import OrdinalAnova

        given = {"--factors": factors, "--interactions": interactions, "--random": random, "--type": ss_type}
        given |= {"--resamples": resamples, "--sizes": sizes}
        for name in (name for name, value in given.items() if value is not None and value is not False):
            raise UsageError(f"{name} is of the linear model: it does not go with --model ordinal")
        warn_of(data, chosen)
        asked = {"length": length, "form": form, "pool_humans": pooled(pool), "seed": seed}
        deliver(
            _ordinal(data, chosen, named=measure is not None, **asked),
            OrdinalAnova.long_frame,
            _show_ordinal,
            json=json,
            csv=csv,
            latex=latex,
            markdown=markdown,
        )
        return
    if model != "linear":
        raise UsageError(f"--model is {quoted(model)}, expected linear or ordinal")
    warn_of(data, chosen)
    found = [
        adjudge.anova(
            data,
            each,
            length=length,
            form=form,
            factors=_split("--factors", factors),
            interactions=interactions,
            random=_split("--random", random),
            ss_type=ss_type,  # type: ignore[arg-type]
            pool_humans=pooled(pool),
            resamples=resamples,
            seed=seed,
        )
        for each in chosen
    ]
    deliver(
        found, _frame, lambda result: _show(result, sizes), json=json, csv=csv, latex=latex, markdown=markdown
    )


def _ordinal(data: Scores, measures: Sequence[str], *, named: bool, **options: Any) -> list[OrdinalAnova]:
    """The model of each measure; where none is named, those that are no ratings are left out with a note."""
    found, refused = [], []
    for measure in measures:
        try:
            with counting(f"fitting the ordinal model of {measure}:") as tried:
                found.append(adjudge.anova(data, measure, model="ordinal", progress=tried, **options))
        except AdjudgeError as error:
            if named:
                raise
            refused.append(error)
    if not found:
        raise refused[0]
    for each in refused:
        warn(f"left out: {each}")
    return found


def _show_ordinal(result: OrdinalAnova) -> None:
    from adjudge.analyses.anova.ordinal import MOST_ROWS

    def more() -> None:
        for part in result.parts():
            print()
            if len(part.rows) > MOST_ROWS:
                say(f"{part.title}: {len(part.rows):,} rows, which --csv and --json have")
            else:
                show(part)
        print()

    show_result(result.table(), before=more)


def _split(option: str, text: str | None) -> list[str]:
    """Names with commas between them."""
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"{option}: a name is missing in {text!r}")
    return names


def _frame(result: Anova) -> Any:
    """The terms of the table; below them other interactions of the model, and the parts of the variance."""
    import pandas as pd

    parts = [result.to_frame().assign(part="anova")]
    if result.beside:
        parts.append(result.beside_frame().assign(part="model"))
    if result.components is not None:
        parts.append(result.components.to_frame().assign(part="variance", measure=result.measure))
    first = ["measure", "part", "term"]
    frame = pd.concat(parts, ignore_index=True).astype({"df": "Int64"})
    return frame[[*first, *(name for name in frame.columns if name not in first)]]


def _show(a: Anova, sizes: bool) -> None:
    def more() -> None:
        if sizes:
            for each in a.interactions:
                _show_sizes(each.term, each.to_frame())
        for part in (a.components_table(), a.residuals_table()):
            if part is not None:
                show(part)

    show_result(a.table(), before=more, more=a.residual_sentences())


def _show_sizes(term: str, frame: Any) -> None:
    sizes = frame.where(frame.abs() > 1e-12 * frame.abs().max(axis=None), 0.0).where(frame.notna())
    rows = [
        (name, *("" if value != value else decimal(value) for value in sizes.loc[name]))
        for name in frame.index
    ]
    show_table((term, *(f"{column}>" for column in frame.columns)), rows)
