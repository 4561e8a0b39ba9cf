"""adjudge mismatch"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.completion import complete_measures
from adjudge.cli.output import not_over, now_in_words, say, show, show_json, write_csv
from adjudge.cli.sources import show_result
from adjudge.core.errors import UsageError

if TYPE_CHECKING:
    from adjudge.analyses.mismatch.result import Agree, MismatchResult

MOST = 5
"""Mismatches that a terminal shows in full."""


def command(
    evaluation: options.Folder,
    measure: Annotated[
        str,
        typer.Option(
            "-m",
            "--measure",
            metavar="SPEC",
            help="A measure that says something of single units: nams, or recall of a ROUGE.",
            autocompletion=complete_measures,
        ),
    ] = "nams",
    full: Annotated[
        float, typer.Option("--full", metavar="SHARE", help="People: from where on a unit is fully covered.")
    ] = 1.0,
    none: Annotated[
        float, typer.Option("--none", metavar="SHARE", help="People: up to where it is not covered.")
    ] = 0.0,
    agree: Annotated[
        str, typer.Option("--agree", metavar="WHO", help="How many assessors must say so: all, majority.")
    ] = "all",
    covered: Annotated[
        float,
        typer.Option("--covered", metavar="VALUE", help="The measure: from where on a unit is covered."),
    ] = 0.8,
    uncovered: Annotated[
        float, typer.Option("--uncovered", metavar="VALUE", help="The measure: up to where it is uncovered.")
    ] = 0.2,
    length: options.Length = None,
    form: options.Form = None,
    without: options.Without = None,
    level: Annotated[float, typer.Option("--level", help="Level of the intervals.")] = 0.95,
    tags: Annotated[
        Path | None,
        typer.Option(
            "--tags", metavar="FILE", help="Read tags from a table that --csv wrote.", show_default=False
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="NAME", help="Of --tags: who tagged, where no row says it.", show_default=False
        ),
    ] = None,
    assign: Annotated[
        list[str] | None,
        typer.Option(
            "--assign",
            metavar="A,B,...",
            help="Give the mismatches to these people to tag in the browser; may be repeated.",
            show_default=False,
        ),
    ] = None,
    protocol: Annotated[
        str, typer.Option("--protocol", metavar="NAME", help="The protocol with the tags to choose from.")
    ] = "mismatch",
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FOLDER", help="Write a page to read.", show_default=False),
    ] = None,
    json: options.Json = False,
    csv: options.Csv = None,
    latex: options.Latex = False,
    markdown: options.Markdown = False,
) -> None:
    """Where people and a measure disagree about units: both texts side by side, tags that say why, counts.

    Lists model units that people call fully covered and the measure calls uncovered, and the reverse. Tags say why:
    paraphrase, generalisation, style, perspective, or your own. They are kept with the judgments: give the mismatches
    to people with --assign, or write them with --csv, fill in the column "tags", and read the file with --tags.
    """
    from adjudge.analyses.mismatch.result import CutOffs

    CutOffs.check(full, none, agree, covered, uncovered, prefix="--")
    options.share("--level", level)
    e = adjudge.open(evaluation)
    if out is not None and (out / "evaluation.toml").exists():
        raise UsageError(f"{out} is an evaluation, and a page has a folder of its own: say -o mismatches")
    if by is not None and tags is None:
        raise UsageError("--by says whose tags a file has: give the file with --tags")
    if tags is not None:
        not_over(csv, tags)

    def find() -> MismatchResult:
        return e.mismatch(
            measure,
            full=full,
            none=none,
            agree=cast("Agree", agree),
            covered=covered,
            uncovered=uncovered,
            length=length,
            form=form,
            level=level,
            protocol=protocol,
            without=tuple(without or ()),
        )

    found = find()
    done: dict[str, Any] = {}
    lines: list[str] = []
    if tags is not None:
        taken = e.take_tags(found, tags, by=by, protocol=protocol)
        done["tags"], lines = taken.as_dict(), [*lines, *taken.lines()]
        found = find()
    if assign:
        people = [name.strip() for each in assign for name in each.split(",") if name.strip()]
        given = e.assign_mismatches(found, people, protocol=protocol)
        done["assigned"], lines = given.as_dict(), [*lines, *given.lines()]
    if out is not None:
        files = e.write_mismatches(found, out, made_at=now_in_words())
        done["files"] = [str(path) for path in files]
        lines.append(f"{files[0]}: open it in a browser ({len(files) - 1} tables beside it)")
    if csv is not None:
        write_csv(found.to_frame(), csv)
    if json:
        show_json(found.as_dict() | done)
        return
    if latex or markdown:
        print(found.to_latex() if latex else found.to_markdown())
        return
    if csv is None:
        _show(found)
    if str(csv) != "-":
        for line in lines:
            say(line)


def _show(r: MismatchResult) -> None:
    """The counts, then the first mismatches with both texts."""
    main, *more = r.tables()

    def before() -> None:
        for table in more:
            if table.rows:
                print()
                show(table)
        print()

    show_result(main, before=before)
    for unit in r.mismatches[:MOST]:
        assert unit.kind is not None
        print()
        say(f"{r.kind_words(unit.kind)} ({unit.match.value:.3f})", "bold")
        say(f"  topic {unit.unit.topic}, reference {unit.reference.system}: {_line(unit.unit.text)}")
        marked = " … ".join(_line(each.text) for each in unit.marked)
        say(f"  {unit.peer.system}: {marked or _line(unit.peer.text)}")
        if unit.tag_names:
            say(f"  tags: {'; '.join(unit.tag_names.values())}")
    if (left := len(r.mismatches) - MOST) > 0:
        print()
        say(f"and {left:,} more: -o FOLDER writes a page, --csv FILE a table with all")


def _line(text: str) -> str:
    return " ".join(text.split())
