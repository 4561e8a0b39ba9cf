"""adjudge examples"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

import adjudge
from adjudge.analyses.examples.result import MOST_TOPICS, TOPICS, Examples, ExampleText
from adjudge.cli import options
from adjudge.cli.output import console, deliver, say
from adjudge.cli.sources import length_of, open_scores, show_result, takes_table, warn_of

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions

SIGNS = (("«", "»", "bold cyan"), ("‹", "›", "bold yellow"))
MOST_LISTED = 40


@takes_table
def command(
    scores: options.Folder,
    table: TableOptions,
    measure: options.Measures = None,
    between: Annotated[
        str | None,
        typer.Option(
            "--between",
            metavar="A,B",
            help="The two systems.",
            show_default="the best, and the next that differs from it",
        ),
    ] = None,
    topics: Annotated[
        int, typer.Option("--topics", min=1, max=MOST_TOPICS, metavar="N", help="How many to show.")
    ] = TOPICS,
    length: options.Lengths = None,
    form: options.Form = None,
    human: options.Human = None,
    baseline: options.Baseline = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """Show what differences look like: topics on which two systems differ most, texts side by side.

    Of ROUGE, the n-grams of the references that one has and the other lacks are marked; of judged coverage, the units;
    of other measures the texts stand with their scores. --csv writes one row per topic, --json has the texts too.
    """
    data = open_scores(scores, table, human, baseline)
    found = adjudge.examples(
        data, measure, between=between or (), topics=topics, length=length_of(length), form=form, seed=seed
    )
    warn_of(data, [found.measure])
    deliver([found], Examples.to_frame, _show, json=json, csv=csv, latex=latex, markdown=markdown)


def _show(found: Examples) -> None:
    a, b = map(found.called, found.between)

    def texts() -> None:
        for each in found.examples:
            print()
            title = f": {each.title}" if each.title else ""
            say(f"{each.topic}{title} ({each.why})", "bold")
            for text, score in zip(each.texts, each.scores, strict=True):
                counts = f", {text.counts}" if text.counts else ""
                say(f"{found.called(text.system)}, {score:.4f}{counts}", "underline")
                _say_text(text)
            for text in each.references:
                say(f"reference by {found.called(text.system)}", "underline")
                _say_text(text)
            for name, grams in ((a, each.only_first), (b, each.only_second)):
                if grams:
                    more = f" and {len(grams) - MOST_LISTED} more" if len(grams) > MOST_LISTED else ""
                    say(f"counts for {name} alone: {'; '.join(grams[:MOST_LISTED])}{more}")
            for unit in each.units:
                say(f"{a} {100 * unit.a:.0f} %, {b} {100 * unit.b:.0f} %: {unit.text} ({unit.reference})")
        print()
        if found.made != "nothing":
            say(f"«{a}» and ‹{b}›: what counts for one and not for the other")

    show_result(found.table(), before=texts)


def _say_text(text: ExampleText) -> None:
    """A text with its marks; what would command a terminal is shown, not sent."""
    shown = Text()
    for piece in text.pieces():
        plain = "".join(
            c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in piece.text
        )
        style = None
        for (opens, closes, own), there in zip(SIGNS, piece.marks, strict=True):
            if there:
                plain, style = f"{opens}{plain}{closes}", style or own
        shown.append(plain, style=style)
    console().print(shown)
