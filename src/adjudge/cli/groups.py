"""adjudge groups"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import adjudge
from adjudge.analyses.groups.result import METHODS, SCALES, Groupings
from adjudge.analyses.methods import MethodsParagraph
from adjudge.cli import options
from adjudge.cli.completion import complete_systems
from adjudge.cli.output import deliver
from adjudge.cli.sources import length_of, of_target, open_scores, pooled, show_result, takes_table, warn_of
from adjudge.core.table import markdown as as_markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adjudge.formats.scoretable import TableOptions


@takes_table
def command(
    scores: options.Scores,
    table: TableOptions,
    measure: options.Measures = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help=f"How pairs are tested: {', '.join(METHODS)}. auto is max-t (bootstrap of the largest t) from 20"
            " topics, below that t (Student's t, Holm); both with each pair's own variance.",
        ),
    ] = "auto",
    scale: Annotated[
        str, typer.Option("--scale", metavar="SCALE", help=f"What is tested: {', '.join(SCALES)}.")
    ] = "values",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="SYSTEM",
            help="Compare all systems with this one.",
            autocompletion=complete_systems,
        ),
    ] = None,
    contrast: Annotated[
        list[str] | None,
        typer.Option(
            "--contrast", metavar="A-B", help="Such as humans-machines; may be repeated.", show_default=False
        ),
    ] = None,
    best: Annotated[
        bool, typer.Option("--best", help="Hsu's comparisons of every system with the best of the others.")
    ] = False,
    level: Annotated[
        float, typer.Option("--level", help="Of intervals; a p up to 1 - level is a difference.")
    ] = 0.95,
    length: options.Lengths = None,
    form: options.Form = None,
    pool: options.PoolHumans = None,
    resamples: Annotated[int, typer.Option("--resamples", min=20, help="Of the bootstrap.")] = 10_000,
    seed: options.Seed = 0,
    pairs: Annotated[bool, typer.Option("--pairs", help="Say every pair in words.")] = False,
    human: options.Human = None,
    baseline: options.Baseline = None,
    lower_is_better: options.Lower = False,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
    methods: options.Methods = False,
) -> None:
    """Which systems differ, all pairs at once: letters, lines, ranks left open, a critical-difference diagram.

    --method tukey pools the noise of all pairs. --csv writes one row per pair.
    """
    data = open_scores(scores, table, human, baseline, lower_is_better)
    found = [
        adjudge.groups(
            data,
            m,
            length=n,
            form=f,
            method=method,
            scale=scale,
            against=against,
            contrast=contrast or (),
            best=best,
            alpha=round(1 - level, 12),
            resamples=resamples,
            seed=seed,
            pool_humans=pooled(pool),
        )
        for m, n, f in data.each(measure or (), length=length_of(length), form=form)
    ]
    warn_of(data, (g.matrix.measure for g in found))
    if methods and not json:
        _print_methods(found, latex=latex, markdown=markdown)
        if csv is None:
            return
        latex = markdown = False
    deliver(
        found,
        lambda g: of_target(g.pairs_frame(), g.matrix),
        lambda g: _show(g, pairs),
        json=json,
        csv=csv,
        latex=latex,
        markdown=markdown,
    )


def _print_methods(found: Sequence[Groupings], *, latex: bool, markdown: bool) -> None:
    """A paragraph per measure, below its table if that is asked for; then what they cite, each work once."""
    paragraphs = [g.methods() for g in found]
    parts: list[str] = []
    for g, paragraph in zip(found, paragraphs, strict=True):
        parts += [g.to_latex()] if latex else [g.to_markdown()] if markdown else []
        parts.append(as_markdown(paragraph.text) if markdown else paragraph.latex)
    every = MethodsParagraph.all_of(paragraphs)
    parts.append(every.references_in_markdown() if markdown else every.bibtex)
    print("\n\n".join(parts))


def _show(g: Groupings, pairs: bool) -> None:
    def diagram() -> None:
        print(f"\n{g.diagram_words()}")
        print(g.draw_diagram())
        print()

    show_result(g.table(), before=diagram, more=[f"  {line}" for line in g.pair_sentences()] if pairs else ())
