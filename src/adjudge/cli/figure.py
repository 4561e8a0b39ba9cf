"""adjudge figure"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from adjudge.analyses.catalogue.catalogue import CATALOGUE, all_figures, listing, spec_of
from adjudge.analyses.catalogue.choice import main_target
from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.cli import options
from adjudge.cli.output import not_over, progress, say, show, show_json, warn
from adjudge.cli.sources import length_of, takes_table, warn_of
from adjudge.core.errors import ClashError, UsageError, quoted
from adjudge.core.picture import Theme, Undrawable, Width, format_of

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure
    from adjudge.formats.scoretable import TableOptions

ALL = "all"
SOME = "For some figures"
Order = Literal["rank", "given"]


@dataclass(frozen=True)
class Look:
    """How figures are saved."""

    theme: Theme
    title: bool | None
    """None: as the format has it."""
    width: Width | None


@takes_table
def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Name of the figure, or all. Without it: a list of figures.",
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Argument(
            metavar="SCORES", help="An evaluation's folder, or a table of scores.", show_default=False
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="File to write: .svg, .png, .pdf or .json (Vega-Lite); a folder for all. By default"
            " NAME.svg.",
            show_default=False,
        ),
    ] = None,
    measure: options.Measures = None,
    length: options.Lengths = None,
    form: options.Form = None,
    order: Annotated[
        str | None,
        typer.Option("--order", metavar="rank|given", help="Order of systems: by rank, or as in the data."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            rich_help_panel=SOME,
            metavar="NAME",
            help="System or topic to compare the others with.",
        ),
    ] = None,
    people: Annotated[
        list[str] | None,
        typer.Option(
            "--people",
            rich_help_panel=SOME,
            metavar="MEASURE",
            help="What people say: a measure, or what was asked, as overall. May be repeated.",
            show_default=False,
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            "--level",
            rich_help_panel=SOME,
            metavar="LEVEL",
            help="Level of correlations with people: system, input or global.",
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            rich_help_panel=SOME,
            metavar="NAME",
            help="The judge to compare with the others. May be repeated.",
            show_default=False,
        ),
    ] = None,
    topic: Annotated[
        str | None, typer.Option("--topic", rich_help_panel=SOME, metavar="TOPIC", help="The topic to draw.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            rich_help_panel=SOME,
            metavar="FACTOR",
            help="What to draw systems by: topic, assessor, length, form, type, selector, set or task;"
            " slices: also source-length, compression and the like, several with commas.",
        ),
    ] = None,
    width: Annotated[
        str | None,
        typer.Option(
            "--width",
            metavar="column|page|slide",
            help="As wide as a paper's column or page, or for a slide.",
            show_default=False,
        ),
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Colours for a dark page or slide.")] = False,
    no_title: Annotated[
        bool,
        typer.Option(
            "--no-title",
            help="Leave out the title and the text, for a figure with a caption. PDFs have none.",
        ),
    ] = False,
    table: TableOptions,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Draw a figure as SVG, PNG or PDF, with its data as CSV.

    The CSV file has the same name. `adjudge figure` lists the figures. Figures of judgments need an evaluation's
    folder; all others also take a table of scores.
    """
    if name is None or scores is None:
        _list(name, json)
        return
    if name != ALL:
        spec_of(name)
    if order is not None and order not in get_args(Order):
        raise UsageError(f"--order is {quoted(order)}, expected rank or given")
    if width is not None and width not in get_args(Width):
        raise UsageError(f"--width is {quoted(width)}, expected {', '.join(get_args(Width))}")
    look = Look("dark" if dark else "light", False if no_title else None, width)  # type: ignore[arg-type]
    path = out or Path(f"{name}.svg")
    if name != ALL:
        format_of(path)
    from adjudge.analyses.scores import read_scores

    data = read_scores(scores, table)
    with progress("Drawing") as told:
        asked = FigureOptions(
            measures=tuple(measure or ()),
            length=length_of(length),
            form=form,
            order=order,  # type: ignore[arg-type]
            against=against,
            people=tuple(people or ()),
            level=level,
            judge=tuple(judge or ()),
            topic=topic,
            by=by,
            seed=seed,
            progress=told,
        )
        if name == ALL:
            for figure in CATALOGUE:
                not_over((out or Path("figures")) / f"{figure}.csv", scores, option="-o")
            _draw_all(data, asked, out or Path("figures"), look, json)
            return
        for file in (path, path.with_suffix(".csv")):
            not_over(file, scores, option="-o")
        asked, drawn = _drawn(spec_of(name), data, asked)
    files = drawn.save(path, **vars(look))
    if json:
        show_json(_as_dict(drawn, files))
        return
    say(drawn.title, "bold")
    say(drawn.words)
    for note in drawn.notes:
        warn(note)
    warn_of(replace(data, refused={}), asked.measures)
    say(f"{files[0]}, and its {len(drawn.data):,} rows in {files[1]}")


def _drawn(spec: FigureSpec, data: Scores, asked: FigureOptions) -> tuple[FigureOptions, Figure]:
    """The figure; of the first measure, people's before others, where it takes one and none was named."""
    try:
        return asked, spec.drawn(data, asked)
    except UsageError as error:
        if asked.measures or len(data.measures) < 2:
            raise
        asked = replace(asked, measures=(data.people_first()[0],))
        try:
            drawn = spec.drawn(data, asked)
        except UsageError:
            raise error from None  # it takes several, or none of people's
        warn(
            f"of {len(data.measures):,} measures {data.info[asked.measures[0]].words} is drawn: -m chooses another"
        )
        return asked, drawn


def _as_dict(drawn: Figure, files: list[Path]) -> dict[str, Any]:
    return {
        "figure": drawn.name,
        "title": drawn.title,
        "words": drawn.words,
        "notes": list(drawn.notes),
        "signature": drawn.signature,
        "rows": len(drawn.data),
        "files": [str(file) for file in files],
    }


def _list(name: str | None, json: bool) -> None:
    if name is not None and name != ALL:
        spec = spec_of(name)
        raise UsageError(
            f"{name}: of which scores? Such as: adjudge figure {name} my-eval {spec.example}".rstrip()
        )
    if name == ALL:
        raise UsageError("of which scores? Such as: adjudge figure all my-eval -o figures")
    if json:
        show_json(listing().as_dict())
        return
    show(listing())
    say(
        "adjudge figure NAME my-eval -o NAME.svg draws one; adjudge figure all my-eval -o figures all of them."
    )


def _draw_all(data: Scores, asked: FigureOptions, folder: Path, look: Look, json: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise ClashError(f"{folder}: is a file, expected a folder or nothing")
    drawn, absent = [], {}
    undrawn: Undrawable | None = None  # the rows of all others are written first
    for spec, figure, why in all_figures(data, asked):
        if figure is None:
            absent[spec.name] = why
            continue
        try:
            files = figure.save(folder / f"{spec.name}.svg", **vars(look))
        except Undrawable as error:
            undrawn = undrawn or error
            continue
        drawn.append(_as_dict(figure, files))
    if undrawn is not None:
        raise undrawn
    if json:
        main = main_target(data, asked)
        show_json({"figures": drawn, "absent": absent, "target": None if main is None else main.as_dict()})
        return
    for entry in drawn:
        say(f"{entry['files'][0]}: {entry['title']}")
    for name, why in absent.items():
        warn(f"{name}: {why}")
    if (main := main_target(data, asked)) is not None:
        say(f"figures of one length are of {main}, which has most scores; --length and --form choose another")
    say(f"{len(drawn)} of {len(CATALOGUE)} figures are in {folder}, each with its rows as CSV")
