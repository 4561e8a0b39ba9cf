"""What is said of where the noise comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.analyses.phrasebook import reason
from adjudge.core.phrases import Spoken
from adjudge.core.words import capitalised, counted, listed, percent
from adjudge.data.scores import heading_of

if TYPE_CHECKING:
    from adjudge.analyses.plan.noise import NoisePart, NoiseSources

MEANINGS = {
    "system": "systems differ: what a comparison looks for",
    "topic": "topics differ for all systems alike: no noise on the same topics",
    "assessor": "assessors differ in severity: no noise where the same people judged all systems",
    "system:topic": "systems do better on some topics than on others: only more topics average it out",
    "assessor:system": "assessors disagree about systems: only more assessors average it out",
    "assessor:topic": "assessors differ in severity by topic: no noise where the same people judged the topic",
    "assessor:system:topic": (
        "assessors disagree about single summaries: more topics or assessors average it out, asking again does not"
    ),
    "repeat": "an assessor answers differently the second time: any further judgment averages it out",
    "judgment": "judgments of one summary differ, whoever gives them: any further judgment averages it out",
}
LEFT = "assessors' views of single summaries, and chance: more topics or assessors average it out"
"""Of the last two together."""
NOTES: Mapping[str, str | Callable[..., Spoken]] = {
    "scores-missing": lambda n: f"{counted(n, 'score')} missing",
    "scores-without-assessor": lambda n: f"{counted(n, 'score')} without an assessor left out",
    "variances-without-intervals": (
        "the variances have no intervals: judgments are missing, or the design is not balanced"
    ),
}
LAST = ("assessor:system:topic", "repeat")


def title(sources: NoiseSources) -> str:
    levels = ", ".join(counted(n, name) for name, n in sources.levels.items())
    return (
        f"{heading_of(sources.info, sources.length, sources.form)}: where the noise comes from (REML,"
        f" {counted(sources.rows, 'judgment')}: {levels})"
    )


def meaning(part: NoisePart) -> str:
    """What it is, and what averages it out."""
    if len(part.holds) == 1:
        return MEANINGS[part.term]
    if part.holds == LAST:
        return LEFT
    return f"the design cannot separate {listed(part.holds, most=len(part.holds))}"


def sentences(sources: NoiseSources) -> Iterator[str]:
    """How much of the variance systems are, where most of the rest is, and what the scores cannot tell."""
    if sources.why is not None:
        yield f"The sources of noise are unknown: {reason(sources.why)}."
    elif sources.parts:
        noise = max((part for part in sources.parts if part.term != "system"), key=lambda part: part.variance)
        system = [part for part in sources.parts if part.term == "system"]
        besides = f" besides systems ({percent(system[0].share)})" if system else ""
        yield (
            f"Largest part of the variance of single judgments{besides}: {noise.name} ({percent(noise.share)})."
            f" {capitalised(meaning(noise))}."
        )
    if "assessor" not in sources.levels:
        yield "The scores name no assessors: their differences are part of the rest."
    for name in ("assessor", "topic", "system"):
        if sources.levels.get(name) == 1:
            yield f"There is only one {name}: differences between {name}s are part of the rest."
    for part in sources.parts:
        if part.holds == LAST:
            yield "Without repeated judgments, assessors' views of single summaries cannot be separated from chance."
        elif len(part.holds) > 1:
            together = listed(part.holds, most=len(part.holds))
            yield f"The design cannot separate {together}."
