"""adjudge stability"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import progress, say, show, show_json, warn, write_csv
from adjudge.cli.sources import open_scores, takes_table
from adjudge.core.errors import UsageError

if TYPE_CHECKING:
    from adjudge.core.table import Table, Tables
    from adjudge.formats.scoretable import TableOptions

PER_MEASURE = ("judge-noise", "beats")
"""Tables of which there is one for every measure, length and form; of several, the names go on with those."""


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
    with progress("Drawing rankings") as told, _as_options("level", "resample", "draws"):
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
    tables = found.tables()
    shown = _chosen(tables, chosen) if chosen else list(tables)
    measures = {each.info.measure for each in found.noise}
    for note in dict.fromkeys(line for each in measures for line in data.notes(each)):
        if not found.says(note):
            warn(note)
    if csv is not None:
        if len(shown) != 1:
            names = ", ".join(tables.names) or "none"
            raise UsageError(f"--csv writes one table, choose it with --table: {names}")
        write_csv(shown[0].to_frame(), csv)
    if json:
        show_json(found.as_dict([each.name for each in shown] if chosen else None))
    elif latex:
        print("\n\n".join(each.to_latex() for each in shown))
    elif markdown:
        print("\n\n".join(each.to_markdown() for each in shown))
    elif csv is None:
        headline = found.headline([each.name for each in shown] if chosen else None)
        say(headline, "bold")
        for each in shown:
            print()
            _show(each, headline)
    for note in tables.notes:
        warn(note)


@contextmanager
def _as_options(*names: str) -> Iterator[None]:
    """What is wrong with an argument is said of the option that gave it."""
    try:
        yield
    except UsageError as error:
        name = str(error).partition(":")[0]
        if name not in names:
            raise
        raise UsageError(f"--{error}") from None


def _chosen(tables: Tables, names: Sequence[str]) -> list[Table]:
    """The tables that are named, each once; `judge-noise` is the one of every measure, where there are several."""
    found: dict[str, Table] = {}
    for name in names:
        own = [each for each in tables if each.name.startswith(f"{name}-")] if name in PER_MEASURE else []
        found |= {each.name: each for each in own or [tables[name]]}
    return list(found.values())


def _show(table: Table, headline: str) -> None:
    show(replace(table, title=f"{table.title} ({table.name})"))
    for line in table.said:
        if line != headline:
            say(line)
    for note in table.notes:
        warn(note)
    say(table.signature, "dim")
