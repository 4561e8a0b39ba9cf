"""What a check finds: how bad, what, where, and what it would do to the results. No rules here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from adjudge.data.collection import Collection
from adjudge.data.rows import Summary

Severity = Literal["error", "warning", "note"]
KEPT = 1000  # places that a finding keeps; the command line shows the first few


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing: how bad, what, where, and what it would do to the results."""

    severity: Severity
    code: str
    what: str
    effect: str
    where: tuple[str, ...] = ()
    count: int = 1

    def as_dict(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "code": self.code,
            "what": self.what,
            "effect": self.effect,
            "count": self.count,
            "where": list(self.where),
        }


@dataclass(frozen=True)
class CheckReport:
    """Counts of what is there, and the findings, worst first."""

    counts: dict[str, Any]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        return {"counts": self.counts, "findings": [f.as_dict() for f in self.findings]}


def named(summary: Summary) -> str:
    length = f" ({summary.length} words)" if summary.length else ""
    return f"{summary.system} on {summary.topic}{length}"


def some(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(items, KEPT))


def by_system(summaries: Iterable[Summary]) -> tuple[str, ...]:
    """Where summaries stand, a text per system, the most affected first."""
    topics: dict[str, list[str]] = defaultdict(list)
    for summary in summaries:
        topics[summary.system].append(summary.topic)
    listed = sorted(topics.items(), key=lambda item: -len(item[1]))
    return some(f"{system}: {_few(where)}" for system, where in listed)


def _few(topics: list[str]) -> str:
    return ", ".join(topics[:3]) + (f" and {len(topics) - 3:,} more" if len(topics) > 3 else "")


Rule = Callable[[Collection], Iterator[Finding]]
