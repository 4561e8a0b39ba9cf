"""adjudge baselines"""

from __future__ import annotations

from typing import Annotated

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import now, on_clash, tell
from adjudge.data.target import Target


def command(
    evaluation: options.Folder,
    length: Annotated[
        list[int] | None,
        typer.Option(
            "--length",
            metavar="WORDS",
            help="Target length, in words. May be repeated. By default those in use.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            "--form",
            metavar="FORM",
            help="Form of the summaries. May be repeated. By default those in use at that length.",
            show_default=False,
        ),
    ] = None,
    cut: Annotated[
        bool, typer.Option("--cut", help="Cut at the word limit instead of keeping whole sentences.")
    ] = False,
    replace: options.Replace = False,
    skip: options.Skip = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Add the lead and coverage baselines as systems, made from the documents.

    lead: the first words of the document, or of the most recent document of a set. coverage: the first sentence of each
    document by date, then the second sentences. Sentences are whole, up to the target + 15 words.
    """
    e = adjudge.open(evaluation)
    wanted, report = e.baselines(
        lengths=length or (),
        forms=form or (),
        cut=cut,
        on_clash=on_clash(replace, skip),
        dry_run=dry_run,
        when=now(),
    )
    unset = " (no length is set: the references' mean)"
    lines = [f"target: {Target(t.words, t.form)}{'' if t.length else unset}" for t in wanted]
    targets = {"targets": [t.words for t in wanted], "forms": [t.form for t in wanted]}
    tell(json, targets | report.as_dict(), [*lines, *report.lines("command")])
