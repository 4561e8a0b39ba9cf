"""What is said of judges: of a dossier as a whole here, of its parts in the modules beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.analyses.methods import cite
from adjudge.core.words import counted

if TYPE_CHECKING:
    from adjudge.analyses.judges.result import JudgeDossier, JudgeReport

NOTES = {
    "trained-on": "{judge} was trained on {trained_on}",
    "held-out": lambda judge, held_out: (
        f"{counted(held_out, 'training summary', 'training summaries')} of {judge} {'is' if held_out == 1 else 'are'}"
        " answered by models trained without that system, but on the same topics and assessors: on others it may agree"
        " less"
    ),
    "planted": "{headline}",
    "planted-unchecked": (
        "whether instructions hidden in texts move {judge} is untested: adjudge judge llm --protocol {protocol}"
        " --check-planted 20"
    ),
}


def sentences(report: JudgeReport) -> Iterator[str]:
    for dossier in report:
        yield dossier.headline()
    for dossier in report:
        yield from list(dossier.sentences())[1:]


def joint(report: JudgeReport) -> list[str]:
    return []


def what_it_is(dossier: JudgeDossier) -> str:
    """What the judge is, in a few words."""
    if all(bench.panel for bench in dossier.benches):
        return "several judges as one"
    if not dossier.cards:
        return "a judge of unknown making"
    card = dossier.cards[0]
    kind = {"learned": "learned from people's answers", "language-model": "a language model"}[card.kind]
    return f"{kind}: {card.model}"


def methods(report: JudgeReport) -> Iterator[str]:
    """What a paper says of how programs that judge were looked at."""
    for dossier in report:
        yield f"{dossier.judge} is a program that judges ({what_it_is(dossier)})."
    first = report[0]
    yield (
        "What programs that judge are worth was told from their agreement with people"
        f" (Krippendorff's alpha{cite('krippendorff2019')}, and the order of summaries within topics) beside that of"
        f" people with each other, with {100 * first.asked.level:g}% bootstrap intervals over topics"
        f" ({first.asked.resamples:,} resamples){cite('efron1993')}."
    )
