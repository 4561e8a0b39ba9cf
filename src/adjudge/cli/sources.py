"""What commands that compare share: where scores come from, and how a result is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import adjudge
from adjudge.cli.output import say, show, warn
from adjudge.errors import UsageError, quoted

if TYPE_CHECKING:
    from adjudge.comparisons.paper import ComparedMeasures
    from adjudge.comparisons.scores import Scores
    from adjudge.data.scores import ScoreMatrix
    from adjudge.table import Table


def open_scores(
    path: Path, human: Sequence[str] | None, baseline: Sequence[str] | None, lower_is_better: bool = False
) -> Scores:
    """The scores of a folder or a file."""
    return adjudge.read_scores(
        path, human=human or (), baseline=baseline or (), lower_is_better=lower_is_better
    )


def length_of(text: str | None) -> int | Literal["all"] | None:
    """A number of words, or all."""
    if text is None or text == "all":
        return "all" if text else None
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"--length is {quoted(text)}, expected a number of words or all")
    return int(text)


def of_target(frame: Any, matrix: ScoreMatrix) -> Any:
    """A result's rows with the length and form that they are of, for files that hold several results."""
    for at, (name, value) in enumerate(matrix.target._asdict().items(), 1):
        frame.insert(at, name, value)
    return frame


def pooled(pool: str | None) -> bool:
    """Whether humans are to be one system."""
    if pool not in (None, "humans"):
        raise UsageError(f"--pool is {quoted(pool)}, expected: humans")
    return pool is not None


def warn_of(scores: Scores, measures: Iterable[str]) -> None:
    """What a reader of these measures should know first, each thing once."""
    for line in dict.fromkeys(line for measure in dict.fromkeys(measures) for line in scores.notes(measure)):
        warn(line)


def show_result(table: Table, *, before: Callable[[], None] = lambda: None, more: Iterable[str] = ()) -> None:
    """A result's table with its title, what it says, notes and signature; `before` shows more tables first."""
    say(table.title, "bold")
    show(replace(table, title=""))
    before()
    for line in [*table.said, *more]:
        say(line)
    for line in table.notes:
        warn(line)
    say(table.signature, "dim")


def print_paper(found: ComparedMeasures, *, latex: bool, markdown: bool, methods: bool) -> None:
    """The table, the paragraph on methods, or both, in the language that was asked for."""
    parts = [found.to_latex()] if latex else [found.to_markdown()] if markdown else []
    if methods:
        paragraph = found.methods()
        parts.append(paragraph.to_markdown() if markdown else paragraph.to_latex())
    print("\n\n".join(parts))
