"""Who may judge a page: never one's own summary, and in NIST's phases only whoever had the right part in the topic.

Over and Liggett 2002: in phase 1 the assessor wrote the model and did not select the documents; in phase 2 the
assessor did neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from adjudge.data.rows import Summary, Topic
from adjudge.errors import UsageError
from adjudge.judgments.assign.pages import Page

PHASES = (1, 2)


def check_phase(phase: int | None) -> None:
    if phase is not None and phase not in PHASES:
        raise UsageError(f"the phase is {phase}, expected 1 or 2")


def may_judge(assessors: Set[str], page: Page, topic: Topic, phase: int | None = None) -> Set[str]:
    """Who of the assessors may be given a page. Who selected the documents matters where the topic says it."""
    free = assessors - names(page.peers)
    if phase is None:
        return free
    free = free - {topic.selector}
    if phase == 1:
        return free & {writer(model) for model in page.models}
    return free - names(page.models)


def writer(summary: Summary) -> str:
    """Who wrote a summary: its author where that is known, else its system."""
    return summary.author or summary.system


def names(summaries: Iterable[Summary]) -> set[str | None]:
    """Whoever could have written one of the summaries: the stricter reading, since a wrong yes costs little."""
    return {name for summary in summaries for name in (summary.author, summary.system)}
