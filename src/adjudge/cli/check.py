"""adjudge check"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

import adjudge
from adjudge.cli import options
from adjudge.cli.output import console, say, show_json
from adjudge.core.words import counted
from adjudge.data.layout import SCORES
from adjudge.judgments.next_step import after_import, after_scoring

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adjudge.evaluation import Evaluation
    from adjudge.judgments.next_step import NextStep

SHOWN = 5  # places that a finding names here; --json has them all
_STYLE = {"error": "bold red", "warning": "yellow", "note": "dim"}


def command(evaluation: options.Folder, json: options.Json = False) -> None:
    """Say what an evaluation has, what is missing and what looks wrong. Exit 1 on errors."""
    e = adjudge.open(evaluation)
    report = e.check()
    if json:
        show_json({"evaluation": str(e.path), "errors": report.errors, **report.as_dict()})
    else:
        path = str(e.path)
        if report.counts:
            say(f"{path}: {describe(report.counts)}")
        for finding in report.findings:
            line = Text(f"{finding.severity}: ", style=_STYLE[finding.severity]).append(
                finding.what, style="default"
            )
            console().print(line)
            details = [finding.effect, *finding.where[:SHOWN]]
            if len(finding.where) > SHOWN:
                details.append(f"and {len(finding.where) - SHOWN:,} more: --json has them all")
            for detail in details:
                say(f"    {detail}", "dim")
        if not report.findings:
            say("nothing looks wrong", "green")
        if not report.errors:
            say(str(_next(e, report.counts)))
    if report.errors:
        raise typer.Exit(1)


def _next(e: Evaluation, counts: Mapping[str, Any]) -> NextStep:
    """What to do next, by what is there; a store is not opened for it."""
    holds = {kind for kind in ("peers", "references") if counts.get(kind)}
    if any((e.path / SCORES).glob("*.parquet")):
        return after_scoring(e.path)
    return after_import(e.path, holds, judgments=e.has_judgments)


def describe(counts: dict[str, Any]) -> str:
    """What an evaluation holds, in a line."""
    kinds = ", ".join(f"{n} {kind}" for kind, n in counts["systems"].items())
    parts = [
        counted(counts["topics"], "topic"),
        f"{counted(sum(counts['systems'].values()), 'system')} ({kinds})" if kinds else "no systems",
        counted(counts["peers"], "peer"),
        counted(counts["references"], "reference"),
        counted(counts["documents"], "document"),
    ]
    if counts["units"]:
        parts.append(counted(counts["units"], "unit"))
    if counts["withdrawn"]:
        parts.append(f"{counts['withdrawn']:,} withdrawn")
    return ", ".join(parts)
