"""What `adjudge mismatch` does beside looking: it takes in tags, hands mismatches out, writes a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

import adjudge
from adjudge.cli import options
from adjudge.cli.output import not_over, now_in_words
from adjudge.core.errors import UsageError

if TYPE_CHECKING:
    from adjudge.analyses.mismatch.result import MismatchResult
    from adjudge.core.results import Result

TAGS = "Tags"
"""A panel of the help."""

PARAMETERS: Mapping[str, Any] = {
    "tags": Annotated[
        Path | None,
        typer.Option(
            "--tags",
            rich_help_panel=TAGS,
            metavar="FILE",
            help="Read tags from a table that --csv wrote.",
            show_default=False,
        ),
    ],
    "by": Annotated[
        str | None,
        typer.Option(
            "--tagged-by",
            rich_help_panel=TAGS,
            metavar="NAME",
            help="With --tags: who tagged, where no row says it.",
            show_default=False,
        ),
    ],
    "assign": Annotated[
        list[str] | None,
        typer.Option(
            "--assign",
            rich_help_panel=TAGS,
            metavar="A,B,...",
            help="Assign the mismatches to these people, to tag in the browser. May be repeated.",
            show_default=False,
        ),
    ],
    "out": options.OutFolder,
}


def check(typed: Mapping[str, Any], csv: Path | None) -> None:
    """Say before the work what could not be done after it."""
    if typed["out"] is not None and (typed["out"] / "evaluation.toml").exists():
        raise UsageError(
            f"{typed['out']} is an evaluation, and a page has a folder of its own: say -o mismatches"
        )
    if typed["by"] is not None and typed["tags"] is None:
        raise UsageError("--tagged-by says whose tags a file has: give the file with --tags")
    if typed["tags"] is not None:
        not_over(csv, typed["tags"])


def act(
    source: Any, results: list[Result], typed: Mapping[str, Any], again: Callable[[], list[Result]]
) -> tuple[list[Result], dict[str, Any], list[str]]:
    """The results after what was done, what was done for scripts, and in words."""
    done: dict[str, Any] = {}
    lines: list[str] = []
    if not any(typed.values()):
        return results, done, lines
    evaluation = adjudge.open(source)
    (result,) = cast("list[MismatchResult]", results)
    if typed["tags"] is not None:
        taken = evaluation.take_tags(result, typed["tags"], by=typed["by"], protocol=result.asked.protocol)
        done["tags"], lines = taken.as_dict(), [*taken.lines()]
        (result,) = cast("list[MismatchResult]", again())
    if typed["assign"]:
        people = [name.strip() for names in typed["assign"] for name in names.split(",") if name.strip()]
        assigned = evaluation.assign_mismatches(result, people, protocol=result.asked.protocol)
        done["assigned"], lines = assigned.as_dict(), [*lines, *assigned.lines()]
    if typed["out"] is not None:
        files = evaluation.write_mismatches(result, typed["out"], made_at=now_in_words())
        done["files"] = [str(path) for path in files]
        lines.append(f"{files[0]}: open it in a browser ({len(files) - 1} tables beside it)")
    return [result], done, lines
