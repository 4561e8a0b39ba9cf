"""adjudge rouge155"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.output import warn
from adjudge.core.errors import UsageError
from adjudge.core.options import ADVANCED


def _help(ctx: typer.Context, wanted: bool) -> None:
    if wanted:
        typer.echo(ctx.get_help())
        raise typer.Exit


def command(
    settings: Annotated[
        Path, typer.Argument(metavar="SETTINGS", help="The XML file; with -z a list.", show_default=False)
    ],
    system: Annotated[
        str | None, typer.Argument(metavar="SYSTEM", help="One peer's ID.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("-a", help="All peers.")] = False,
    details: Annotated[
        bool, typer.Option("-d", rich_help_panel=ADVANCED, help="Print every evaluation too.")
    ] = False,
    max_n: Annotated[int, typer.Option("-n", metavar="N", help="ROUGE-1 up to ROUGE-N.")] = 0,
    no_lcs: Annotated[bool, typer.Option("-x", help="No ROUGE-L.")] = False,
    weight: Annotated[
        str | None, typer.Option("-w", metavar="W", help="ROUGE-W with this weight, such as 1.2.")
    ] = None,
    skip: Annotated[
        str | None, typer.Option("-2", metavar="S", help="ROUGE-S, at most S words between; -1: any number.")
    ] = None,
    with_unigrams: Annotated[bool, typer.Option("-u", help="ROUGE-SU instead of ROUGE-S.")] = False,
    both: Annotated[
        bool, typer.Option("-U", rich_help_panel=ADVANCED, help="ROUGE-SU as well as ROUGE-S.")
    ] = False,
    be: Annotated[
        str | None,
        typer.Option(
            "-3",
            rich_help_panel=ADVANCED,
            metavar="MODE",
            help="Basic elements: H, HM, HMR, HM1, HMR1 or HMR2.",
        ),
    ] = None,
    stem: Annotated[
        bool, typer.Option("-m", help="Stem; irregular forms too where -e has their list.")
    ] = False,
    stop: Annotated[bool, typer.Option("-s", help="Leave out stop words (needs -e).")] = False,
    words: Annotated[int, typer.Option("-l", metavar="N", help="The first N words only.")] = 0,
    size: Annotated[
        int, typer.Option("-b", rich_help_panel=ADVANCED, metavar="N", help="The first N bytes only.")
    ] = 0,
    formula: Annotated[
        str,
        typer.Option(
            "-f", rich_help_panel=ADVANCED, metavar="A|B", help="A: all models together; B: the best one."
        ),
    ] = "A",
    alpha: Annotated[
        float, typer.Option("-p", rich_help_panel=ADVANCED, metavar="ALPHA", help="Weight of precision in F.")
    ] = 0.5,
    confidence: Annotated[
        str, typer.Option("-c", metavar="PERCENT", help="Confidence level of the intervals, in percent.")
    ] = "95",
    samples: Annotated[
        int, typer.Option("-r", rich_help_panel=ADVANCED, metavar="N", help="Bootstrap samples.")
    ] = 1000,
    count: Annotated[
        int,
        typer.Option(
            "-t", rich_help_panel=ADVANCED, metavar="0|1|2", help="1: over all words; 2: print counts."
        ),
    ] = 0,
    form: Annotated[
        str | None,
        typer.Option(
            "-z", rich_help_panel=ADVANCED, metavar="FORMAT", help="A list of files: SEE, SPL, ISI or SIMPLE."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "-e", rich_help_panel=ADVANCED, metavar="DIR", help="The data folder of a copy of ROUGE-1.5.5."
        ),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            rich_help_panel=ADVANCED,
            metavar="DIR",
            help="Folder of the files that ROUGE's settings name.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            rich_help_panel=ADVANCED,
            min=0,
            max=4_000_000,
            help="Seed of everything random; 0 is the original's.",
        ),
    ] = 0,
    verbose: Annotated[
        bool, typer.Option("-v", rich_help_panel=ADVANCED, help="Print how the options were read.")
    ] = False,
    usage: Annotated[
        bool,
        typer.Option(
            "-H", rich_help_panel=ADVANCED, callback=_help, is_eager=True, help="The same as --help."
        ),
    ] = False,
) -> None:
    """Run ROUGE-1.5.5: its options and settings in, its numbers and its output out."""
    from adjudge.measures.rouge155.evaluate import run
    from adjudge.measures.rouge155.options import Rouge155Options

    if root is not None and not root.is_dir():
        raise UsageError(f"--root is {root}, which is no folder")
    options = Rouge155Options(
        max_n=max_n,
        lcs=not no_lcs,
        weight=weight,
        skip=skip,
        unigrams="only" if with_unigrams else "too" if both else "no",
        be=be,
        stem=stem,
        stop=stop,
        words=words,
        bytes=size,
        formula=formula,
        alpha=alpha,
        confidence=confidence,
        samples=samples,
        count=count,
        details=details,
        data=data,
        seed=seed,
    )
    if verbose:
        warn(f"{settings}: {', '.join(asked.tag for asked in options.measures())}; {options}")
    for line in run(settings, options, system=system, every=every, form=form, root=root, warn=warn):
        print(line)
