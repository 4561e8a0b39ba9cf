"""adjudge stability"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import progress, say, show, show_json, warn, write_csv
from adjudge.cli.sources import open_scores, takes_table, warn_of
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions
    from adjudge.table import Table


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    length: options.Length = None,
    form: options.Form = None,
    chosen: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME", help="One table; may be repeated.", show_default=False),
    ] = None,
    level: Annotated[float, typer.Option("--level", help="Of the ranges of ranks.")] = 0.95,
    draws: Annotated[
        int | None,
        typer.Option("--draws", min=100, help="Draws from the fitted model (10,000).", show_default=False),
    ] = None,
    resample: Annotated[
        bool,
        typer.Option("--resample", help="Draw assessors instead of from the fitted model; it takes ten."),
    ] = False,
    seed: options.Seed = 0,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """How stable the ranking is: judgments of the same that differ, planted repeats, the noise of judging.

    Of a folder with judgments: the same marks with another completeness, sentences marked here and not there, other
    SCUs; the scores with such judgments made one, and the rankings that are left. Of scores by assessors: how the
    ranking could have come out. --csv writes one table, which --table names.
    """
    data = open_scores(scores, replace(table, without=()), human, baseline, lower_is_better)
    with progress("Drawing rankings") as told:
        found = adjudge.stability(
            data,
            measure,
            length=length,
            form=form,
            level=level,
            draws=draws,
            resample=resample,
            seed=seed,
            without=tuple(table.without),
            progress=told,
        )
    measures = {each.info.measure for each in found.noise}
    warn_of(data, measures)
    already = {line for each in measures for line in data.notes(each)}
    tables = found.tables()
    shown = [tables[name] for name in chosen] if chosen else list(tables)
    if csv is not None:
        if len(shown) != 1:
            names = ", ".join(tables.names) or "none"
            raise UsageError(f"--csv writes one table, choose it with --table: {names}")
        write_csv(shown[0].to_frame(), csv)
    if json:
        wanted = {each.name for each in shown}
        said = found.as_dict()
        show_json(said | {"tables": [each for each in said["tables"] if each["table"] in wanted]})
    elif latex:
        print("\n\n".join(each.to_latex() for each in shown))
    elif markdown:
        print("\n\n".join(each.to_markdown() for each in shown))
    elif csv is None:
        say(found.headline(), "bold")
        for each in shown:
            print()
            _show(each)
    for note in tables.notes:
        if note not in already:
            warn(note)


def _show(table: Table) -> None:
    show(replace(table, title=f"{table.title} ({table.name})"))
    for line in table.said:
        say(line)
    for note in table.notes:
        warn(note)
    say(table.signature, "dim")
