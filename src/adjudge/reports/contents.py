"""What the report tells of: which analyses, in which order. What each computes and shows is in its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from adjudge.analyses.pages.chapter import Absent, Findings, ReportOptions, ReportPart
from adjudge.data.reading import reading_once

if TYPE_CHECKING:
    from adjudge.analyses.compare.pairs import Comparison
    from adjudge.analyses.scores import Scores
    from adjudge.data.collection import Collection

ORDER = ("slices", "examples", "stability", "agreement", "assessors", "judges", "meta")
"""The folders of analyses whose chapters follow the league tables."""

Progress = Callable[[int, int], None]
STEPS = 1000
"""Of all work of a report, as a terminal is told."""
PAGE_SHARE = 0.4
"""The share of the work that the page is, where a folder for a paper follows: its figures take longer."""


def stretch(progress: Progress, start: float, end: float) -> Progress:
    """The progress of a part of the work, which begins and ends at these shares of all of it."""

    def told(done: int, of: int) -> None:
        progress(round(STEPS * (start + (end - start) * (done / of if of else 0))), STEPS)

    return told


@cache
def parts() -> tuple[ReportPart[Any], ...]:
    """What the report has of every analysis."""
    return tuple(import_module(f"adjudge.analyses.{name}.chapter").PART for name in ORDER)


@reading_once()
def gather(
    collection: Collection,
    scores: Scores,
    comparisons: Sequence[Comparison],
    options: ReportOptions,
    *,
    progress: Progress = lambda done, of: None,
) -> Findings:
    """Run every analysis that the page tells of; last, ask under which conditions the comparisons can be trusted."""
    from adjudge.analyses.conditions.trust import conditions_of_all

    findings = Findings(collection=collection, comparisons=comparisons, scores=scores, options=options)
    chapters = () if options.quick else parts()
    for done, part in enumerate(chapters):
        progress(done, len(chapters) + 1)
        if (result := part.find(findings)) is not None:
            findings = replace(findings, results={**findings.results, part.NAME: result})
    progress(len(chapters), len(chapters) + 1)
    findings = replace(findings, conditions=conditions_of_all(findings))
    progress(len(chapters) + 1, len(chapters) + 1)
    return findings


def looked_into(findings: Findings) -> Iterator[tuple[ReportPart[Any], Any]]:
    """Every analysis that was run, with its result or an `Absent`."""
    return ((part, findings.results[part.NAME]) for part in parts() if part.NAME in findings.results)


def with_results(findings: Findings) -> Iterator[tuple[ReportPart[Any], Any]]:
    """Every analysis that has a result."""
    return ((part, result) for part, result in looked_into(findings) if not isinstance(result, Absent))
