"""How commands that compare get their scores: from a folder or a bare file, with options checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import adjudge
from adjudge.cli.output import warn
from adjudge.errors import UsageError, quoted

if TYPE_CHECKING:
    from adjudge.comparisons.scores import Scores


def open_scores(
    path: Path, human: Sequence[str] | None, baseline: Sequence[str] | None, lower_is_better: bool = False
) -> Scores:
    """The scores of a folder or a file."""
    options = {"lower_is_better": True} if lower_is_better else {}
    return adjudge.read_scores(path, human=human or (), baseline=baseline or (), **options)  # type: ignore[arg-type]


def length_of(text: str | None) -> int | Literal["all"] | None:
    """A number of words, or all."""
    if text is None or text == "all":
        return "all" if text else None
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"--length is {quoted(text)}, expected a number of words or all")
    return int(text)


def pooled(pool: str | None) -> bool:
    """Whether humans are to be one system."""
    if pool not in (None, "humans"):
        raise UsageError(f"--pool is {quoted(pool)}, expected: humans")
    return pool is not None


def warn_of(data: Scores, measures: Iterable[str]) -> None:
    """What a reader of these measures should know first, each thing once."""
    for line in dict.fromkeys(line for measure in dict.fromkeys(measures) for line in data.notes(measure)):
        warn(line)
