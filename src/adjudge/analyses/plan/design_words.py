"""What is said of designs of judging."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.analyses.phrasebook import reason
from adjudge.core.phrases import Argument, Spoken
from adjudge.core.words import counted, decimal, listed

if TYPE_CHECKING:
    from adjudge.analyses.plan.designs import DesignStudy, JudgingDesign
    from adjudge.analyses.plan.noise import NoiseSources

NOTES: dict[str, str] = {}
WHICH = {
    "asked": "",
    "typical": ", the median of all pairs",
    "smallest": ", the smallest found now for these assessors",
}


def called(design: JudgingDesign) -> str:
    """`3 assessors on 100 topics`, `10 groups of 3 assessors with 10 topics each`."""
    who, what = counted(design.assessors, "assessor"), counted(design.topics, "topic")
    if design.groups == 1:
        return f"{who} on {what}"
    if design.assessors == 1:
        return f"{counted(design.groups, 'assessor')} with {what} each"
    return f"{design.groups:,} groups of {who} with {what} each"


def sampled_basis(pairs: int, alpha: float) -> str:
    """The test where assessors count as a sample, as it stands in brackets."""
    over = f", Bonferroni over {counted(pairs, 'pair')}" if pairs > 1 else ""
    return f"mixed model of topics and assessors{over}, alpha {f'{alpha:g}'.removeprefix('0')}"


def title(study: DesignStudy) -> str:
    return (
        f"designs for {counted(study.judgments, 'judgment')} of each system: power for a difference of"
        f" {decimal(study.difference, '.3g')}, for assessors like these ({sampled_basis(study.pairs, study.alpha)})"
    )


def power_text(value: float) -> str | None:
    """`.84`; never 0 or 1 for what is not quite so."""
    if math.isnan(value):
        return None
    if 0 < value < 0.005:
        return "under .01"
    if 0.995 <= value < 1:
        return "over .99"
    return f"{value:.2f}".removeprefix("0")


def why_no_designs(sources: NoiseSources | None) -> str:
    """What is missing for designs to be compared."""
    if sources is None or "assessor" not in sources.levels:
        return "the scores name no assessors"
    if (why := reason(sources.why)) is not None:
        return why
    for name in ("assessor", "topic", "system"):
        if sources.levels[name] == 1:
            return f"there is only one {name}"
    hidden = [part for part in sources.parts if {"system:topic", "assessor:system"} & set(part.holds)]
    together = [listed(part.holds, most=len(part.holds)) for part in hidden if len(part.holds) > 1]
    return f"the judgments do not separate {'; nor '.join(together)}"


def sentences(study: DesignStudy) -> Iterator[Spoken]:
    """Which design finds most for the same number of judgments."""
    cost = f"at most {counted(study.judgments, 'judgment')} of each system"
    best, now = study.best, study.now
    if not study.rows:
        yield (
            f"With {cost} there is no design to compare: two assessors on two topics take 4 judgments; ask for more"
            f" ({Argument('judgments')})."
        )
        return
    if not best:
        yield f"With {cost}, no design has enough assessors to speak for others like them."
        return
    others = [row for row in study.rows if row not in best]
    beside = ""
    if now is not None and now in others:
        finds = power_text(now.power) if now.power == now.power else "too few to say"
        beside = f"; as now ({called(now.design)}): {finds}"
    yield (
        f"{'Best design' if others else 'Design'} for {cost}: {listed([called(row.design) for row in best], most=3)},"
        f" with power {power_text(best[0].power)} for a difference of {decimal(study.difference, '.3g')}"
        f"{WHICH[study.kind]}{beside} ({sampled_basis(study.pairs, study.alpha)})."
    )
