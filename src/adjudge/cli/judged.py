"""adjudge judgments tables"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import say, show, show_json, warn, write_csv
from adjudge.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from adjudge.core.table import Table

Chosen = Annotated[
    list[str] | None,
    typer.Option("--table", metavar="NAME", help="One table; may be repeated.", show_default=False),
]


def tables(
    evaluation: options.Folder,
    table: Chosen = None,
    alpha: Annotated[float, typer.Option("--alpha", help="1 - alpha is the level of the intervals.")] = 0.05,
    seed: options.Seed = 0,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """What people answered, as DUC-2002 prints it: quality, coverage, unmarked units, ratings, agreement.

    --csv writes one table, which --table names.
    """
    found = adjudge.open(evaluation).judged_tables(alpha=alpha, seed=seed)
    if not found.tables:
        raise DataError(f"{evaluation}: no judgments yet; bring them in with: adjudge judgments import")
    chosen = [found[name] for name in table] if table else list(found)
    if csv is not None:
        if len(chosen) > 1:
            raise UsageError(f"--csv writes one table, choose it with --table: {', '.join(found.names)}")
        write_csv(chosen[0].to_frame(), csv)
    if json:
        show_json({"tables": [each.as_dict() for each in chosen], "notes": list(found.notes)})
    elif latex:
        print("\n\n".join(each.to_latex() for each in chosen))
    elif markdown:
        print("\n\n".join(each.to_markdown() for each in chosen))
    elif csv is None:
        for number, each in enumerate(chosen):
            if number:
                print()
            _show(each)
    for note in found.notes:
        warn(note)


def _show(table: Table) -> None:
    show(replace(table, title=f"{table.title} ({table.name})"))
    for note in table.notes:
        warn(note)
    say(table.signature, "dim")
