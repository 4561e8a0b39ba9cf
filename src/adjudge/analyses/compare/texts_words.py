"""What is said of scores of texts that are in no folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.core.words import counted
from adjudge.measures.rouge.family import ONE_SENTENCE

if TYPE_CHECKING:
    from adjudge.analyses.compare.texts import TextScores

NOTES: Mapping[str, str | Callable[..., str]] = {
    "blank": lambda who, n, of: (
        f"{who}: {n:,} of {counted(of, 'text')} {'is' if n == 1 else 'are'} blank, and scored as empty"
    ),
    "one-sentence": ONE_SENTENCE,
    "missing": "{measure}: {n:,} missing: {why}",
}


def sentences(result: TextScores) -> Iterator[str]:
    """What the table does not say of itself."""
    if len(result.systems) == 1 and len(result.texts) > 1:
        with_f = any("F" in row.columns for row in result.rows)
        of = " of F where there is one, otherwise of the mean" if with_f else " of the mean"
        yield f"Intervals are Student's t over texts,{of}."
    if result.corpus:
        yield "corpus is sacrebleu's number for all texts together, which is no mean of their scores."
