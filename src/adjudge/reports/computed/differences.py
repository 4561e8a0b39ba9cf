"""Where systems differ: slices of topics, and texts side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adjudge.analyses.examples.result import default_pair, examples_of_matrix, marks
from adjudge.analyses.slices import slices
from adjudge.analyses.slices.result import SystemSlices, Unsliced
from adjudge.core.errors import AdjudgeError
from adjudge.reports.chapter import Absent, Chapter
from adjudge.reports.examples import examples_chapter
from adjudge.reports.findings import NOT_ASKED
from adjudge.reports.slices import absent_slices, slices_chapter

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.examples.result import ExamplesResult, Pick
    from adjudge.analyses.scores import Scores
    from adjudge.reports.computed.gather import ReportOptions
    from adjudge.reports.findings import Findings

MOST_SLICED = 2
"""Measures whose slices the page shows."""


@dataclass(frozen=True, kw_only=True)
class FoundSlices:
    """The slices of some measures, and why there are none of others."""

    results: tuple[SystemSlices, ...]
    absent: tuple[Absent, ...]
    of: str = ""


@dataclass(frozen=True, kw_only=True)
class FoundExamples:
    """Texts side by side by one measure, or why not."""

    result: ExamplesResult | None
    absent: tuple[Absent, ...] = ()
    of: str = ""


def add(found: Findings, options: ReportOptions) -> Findings:
    if options.quick or found.scores is None or not found.comparisons:
        return found
    return replace(
        found,
        slices=_slices(found.scores, _directed(found.comparisons), options),
        examples=_examples(found, found.scores, _directed(found.comparisons), options),
    )


def _directed(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Measures that are better high or low, the primary one first; all, where none is."""
    known = [c for c in comparisons if c.matrix.info.better is not None and len(c.standings) > 1]
    return sorted(known or comparisons, key=lambda c: c.role != "primary")


def _slices(scores: Scores, comparisons: Sequence[Comparison], options: ReportOptions) -> FoundSlices:
    measures = list(dict.fromkeys(c.measure for c in comparisons))
    results: list[SystemSlices] = []
    why: dict[str, Absent] = {}
    for measure in measures[:MOST_SLICED]:
        own = [c.matrix for c in comparisons if c.measure == measure]
        lengths, forms = {m.length for m in own}, {m.form for m in own}
        try:
            results.append(
                slices(
                    scores,
                    measure,
                    length=lengths.pop() if len(lengths) == 1 else None,
                    form=forms.pop() if len(forms) == 1 else None,
                    alpha=options.alpha,
                    seed=options.seed,
                )
            )
        except AdjudgeError as error:
            why[str(error)] = _absent_slices(error)
    left = len(measures) - len(measures[:MOST_SLICED])
    of = ""
    if left and results:
        shown = "the first two measures that are" if len(results) > 1 else "the first measure that is"
        of = f"Shown for {shown} better high or low; adjudge slices has the others."
    absent = absent_slices(results) if results else tuple(why.values())
    return FoundSlices(results=tuple(results), absent=absent, of=of)


def _absent_slices(error: AdjudgeError) -> Absent:
    if not isinstance(error, Unsliced):
        return Absent(f"No slices of topics: {error}")
    return Absent(
        "Topics cannot be sliced: nothing is known of them that tells some from others",
        "A set, type or selector in topics.jsonl or in columns of a long table, or the source documents in an"
        " evaluation's folder, would.",
    )


def _examples(
    found: Findings, scores: Scores, comparisons: Sequence[Comparison], options: ReportOptions
) -> FoundExamples:
    if scores.folder is None:
        how = "Bring them in with adjudge import, score them, and make the report of the folder."
        return FoundExamples(
            result=None,
            absent=(Absent("Texts side by side need an evaluation's folder, which has the texts", how),),
        )
    telling = next((c for c in comparisons if marks(scores, c.measure)), comparisons[0])
    of = ""
    if telling.measure != comparisons[0].measure:
        of = f"By {telling.title}, the first measure that says what counts in a text."
    try:
        asked_for: tuple[Sequence[str], Pick] = (options.between, "asked")
        between, pick = asked_for if options.between else default_pair(telling)
        result = examples_of_matrix(scores, telling.matrix, between, pick, collection=found.collection)
    except AdjudgeError as error:
        if options.between:
            raise
        return FoundExamples(result=None, absent=(Absent(str(error)),))
    return FoundExamples(result=result, of=of)


def chapters(found: Findings) -> tuple[Chapter, ...]:
    made = []
    if found.slices is not NOT_ASKED:
        own: FoundSlices = found.slices
        made.append(slices_chapter(own.results, own.of, own.absent, found.collection))
    if found.examples is not NOT_ASKED:
        side: FoundExamples = found.examples
        made.append(examples_chapter(side.result, side.absent, found.collection, side.of))
    return tuple(made)
