"""adjudge units"""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import counting, now, say, show_json, warn
from adjudge.core.words import counted


def command(
    evaluation: options.Folder,
    everything: Annotated[bool, typer.Option("--all", help="Also split peers into discourse units.")] = False,
    levels: Annotated[
        bool,
        typer.Option("--levels", help="Also note in which lengths of an author's references a unit appears."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Split summaries into sentences and references into discourse units, for judging.

    Units edited by hand in units.jsonl are kept.
    """
    e = adjudge.open(evaluation)
    with counting("summaries") as tick:
        report = e.units(
            edus_for="all" if everything else "references", levels=levels, progress=tick, when=now()
        )
    level_report = report.levels
    if json:
        show_json(report.as_dict())
        return
    made = ", ".join(counted(n, f"{kind} unit") for kind, n in report.made.items())
    say(f"{e.path / 'units.jsonl'}: {made or 'no units: there are no summaries'}")
    if report.edited:
        say(f"kept {report.edited:,} summaries' units that were edited by hand")
    if report.dropped:
        say(f"dropped {report.dropped:,} units of summaries that are gone")
    if level_report:
        by_level = ", ".join(f"{n:,} at {level} words" for level, n in sorted(level_report.levels.items()))
        none = "no unit has a level: nobody wrote references of several lengths"
        say(f"levels: {by_level}; {level_report.without:,} without" if by_level else none)
    if report.why_final:
        say(f"this cannot be undone: {report.why_final}")
    for where in report.astray:
        warn(f"edited units of {where} no longer fit its text: mend them by hand")
