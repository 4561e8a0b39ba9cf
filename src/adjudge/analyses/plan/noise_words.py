"""What is said of where the noise comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from adjudge.analyses.phrasebook import reason
from adjudge.core.phrases import Spoken
from adjudge.core.words import counted, listed, percent
from adjudge.data.scores import heading_of

if TYPE_CHECKING:
    from adjudge.analyses.plan.noise import NoisePart, NoiseSources

MEANINGS = {
    "system": "systems differ: this is what a comparison looks for",
    "topic": "topics differ for all systems alike: this does not touch comparisons on the same topics",
    "assessor": (
        "assessors differ in how severe they are: this does not touch comparisons of systems that the same people"
        " judged"
    ),
    "system:topic": "systems do better on some topics than on others: only more topics average this out",
    "assessor:system": "assessors disagree about which systems are good: only more assessors average this out",
    "assessor:topic": (
        "assessors are severe on different topics: this does not touch systems that the same people judged on a topic"
    ),
    "assessor:system:topic": (
        "assessors disagree about single summaries: more topics or assessors average this out, asking again does not"
    ),
    "repeat": "an assessor answers otherwise the second time: every further judgment averages this out",
    "judgment": "judgments of one summary differ, whoever they are by: every further judgment averages this out",
}
LEFT = "what one assessor makes of one summary, and chance: more topics or assessors average both out"
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
    return f"the design cannot tell {listed(part.holds, most=len(part.holds))} apart"


def sentences(sources: NoiseSources) -> Iterator[str]:
    """How much of the variance systems are, where most of the rest is, and what the scores cannot tell."""
    if sources.why is not None:
        yield f"Where the noise comes from cannot be said: {reason(sources.why)}."
    elif sources.parts:
        noise = max((part for part in sources.parts if part.term != "system"), key=lambda part: part.variance)
        system = [part for part in sources.parts if part.term == "system"]
        apart = f"{percent(system[0].share)} lies in systems; " if system else ""
        yield (
            f"Of the variance of single judgments {apart}the largest {'other ' if system else ''}part is {noise.name}"
            f" ({percent(noise.share)}): {meaning(noise)}."
        )
    if "assessor" not in sources.levels:
        yield "These scores say no assessor: how far assessors differ is not known, and is part of the others."
    for name, apart in (
        ("assessor", "what assessors differ in"),
        ("topic", "what topics do"),
        ("system", "what systems differ in"),
    ):
        if sources.levels.get(name) == 1:
            yield f"There is only one {name}: {apart} is not known, and is part of the others."
    for part in sources.parts:
        if part.holds == LAST:
            yield "Repeated judgments are missing: what an assessor makes of one summary and chance are one number."
        elif len(part.holds) > 1:
            together = listed(part.holds, most=len(part.holds))
            yield f"The design cannot tell {together} apart: their variance is one number."
