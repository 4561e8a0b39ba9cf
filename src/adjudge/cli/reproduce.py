"""adjudge reproduce"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli import options
from adjudge.cli.analysis import data_sets
from adjudge.cli.output import now_in_words, progress, say, show_json, warn
from adjudge.cli.sources import takes_table
from adjudge.core.errors import UsageError
from adjudge.reports.papers import PAPERS, paper_named

if TYPE_CHECKING:
    from adjudge.formats.scoretable import TableOptions


def complete_papers(incomplete: str) -> list[str]:
    return [name for name in PAPERS if name.startswith(incomplete)]


@takes_table
def command(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER",
            help=f"The paper: {', '.join(PAPERS)}.",
            autocompletion=complete_papers,
            show_default=False,
        ),
    ],
    scores: Annotated[
        Path,
        typer.Argument(
            metavar="SCORES", help="An evaluation's folder, or a table of scores.", show_default=False
        ),
    ],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MORE",
            help="More data sets, side by side, of papers that have several: 2009=tac09 2010=tac10.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="FOLDER", help="Folder to write.", show_default="the paper's name"
        ),
    ] = None,
    *,
    table: TableOptions,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Make every table and figure of a paper from your data, as a page and files.

    They are in the paper's order, each as CSV and LaTeX, or SVG and PDF; index.html has all. What cannot be made is
    named, with the command that gets what is missing.
    """
    from adjudge.analyses.scores import read_scores
    from adjudge.evaluation import reproduce
    from adjudge.reports.papers.page import missing_lines

    paper_named(paper)
    folder = out or Path(paper)
    if (folder / "evaluation.toml").exists():
        raise UsageError(f"{folder} is an evaluation, and a paper has a folder of its own: say -o {paper}")
    named = data_sets([str(scores), *(more or ())])
    source = (
        {name: read_scores(one, table) for name, one in named.items()}
        if isinstance(named, dict)
        else read_scores(named, table)
    )
    with progress("Reproducing") as told:
        result = reproduce(source, paper, folder, seed=seed, made_at=now_in_words(), progress=told)
    if json:
        show_json({**result.as_dict(), "page": str(folder / "index.html")})
        return
    say(result.headline())
    for line in missing_lines(result):
        warn(line)
    say(f"{folder / 'index.html'}: open it in a browser ({folder / 'main.tex'} is the same in LaTeX)")
