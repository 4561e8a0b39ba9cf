"""What a paper says of how judgments and measures were looked at: sentences to paste, with the works that they cite.

As in `comparisons.methods`, every sentence follows from a run that was made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.analyses.methods import MethodsParagraph, cite
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.agreement.result import AgreementResult
    from adjudge.analyses.assessors.result import AssessorDossier, Dossiers
    from adjudge.analyses.judges.result import JudgeReport
    from adjudge.analyses.meta.result import MetaResult
    from adjudge.analyses.stability.result import Stability

WEIGHTS = {"identity": "", "linear": " with linear weights", "quadratic": " with quadratic weights"}


def stability_methods(found: Stability) -> MethodsParagraph:
    """How it was looked at how stable rankings are."""
    return MethodsParagraph(tuple(_stable(found)))


def _stable(found: Stability) -> Iterator[str]:
    if found.again:
        resolved = (
            ", and scores were computed with the smallest, the largest, the commonest and the mean of the answers"
            " in place of each"
        ) * bool(found.resolutions)
        yield f"Judgments of the same units and texts were compared with each other{resolved}{cite('lin2002')}."
    if found.repeats:
        yield "Assessors were shown some tasks twice, and their answers compared with their own first ones."
    drawn = [each for each in found.noise if each.drawn is not None]
    fitted = [each for each in drawn if not each.resampled]
    for own, how in (
        (
            fitted,
            "a mixed model with topics, assessors and their interactions as random effects, fitted by restricted"
            f" maximum likelihood{cite('patterson1971')}",
        ),
        ([each for each in drawn if each.resampled], "assessors drawn with replacement"),
    ):
        if own:
            sizes = dict.fromkeys(f"{each.drawn.draws:,}" for each in own if each.drawn is not None)
            names = listed([each.title for each in own], most=len(own))
            yield (
                f"How far the ranking by {names} depends on who judged was drawn {listed(list(sizes))} times from"
                f" {how}."
            )


def agreement_methods(found: AgreementResult) -> MethodsParagraph:
    """How agreement between assessors was computed."""
    return MethodsParagraph(tuple(_agreed(found)))


def _agreed(found: AgreementResult) -> Iterator[str]:
    if not found.questions:
        return
    o = found.options
    ac = "AC1" if o.weights == "identity" else "AC2"
    yield (
        f"Agreement between assessors is Krippendorff's alpha with the {o.distance} distance{cite('krippendorff2019')},"
        f" Gwet's {ac}{WEIGHTS[o.weights]}{cite('gwet2008')}, and the intraclass correlation"
        f" ICC(2,1){cite('shrout1979')}."
    )
    if any(math.isfinite(q.alpha.low) for q in found.questions):
        yield (
            f"{100 * o.level:g}% intervals of alpha and {ac} are percentile bootstrap intervals over topics, with"
            f" {o.resamples:,} resamples{cite('efron1993')}."
        )


def assessors_methods(found: Sequence[Dossiers]) -> MethodsParagraph:
    """How single assessors were looked at."""
    return MethodsParagraph(tuple(_examined(found)))


LOOKED_AT = {
    "severity (deviation from the median assessor on the same things, t over topics)": ("deviation_p",),
    "agreement with the others (mean correlation, jackknife over topics)": ("erratic_p", "reversed_p"),
    "agreement with their own repeats": ("inconsistent_p",),
    "drift over time": ("drift_p",),
    "haste": ("pace_p", "fast_p"),
}
"""By what is looked at: the numbers of a dossier that say whether it could be tested."""


def _examined(found: Sequence[Dossiers]) -> Iterator[str]:
    rows: list[AssessorDossier] = [row for each in found for row in each.rows]
    tested = [
        what
        for what, names in LOOKED_AT.items()
        if any(math.isfinite(getattr(row, name)) for row in rows for name in names)
    ]
    if tested:
        alpha = f"{found[0].alpha:g}".removeprefix("0")
        yield (
            f"Assessors of {listed([each.title for each in found], most=len(found))} were tested for"
            f" {listed(tested)}, with Bonferroni's correction over the assessors{cite('dunn1961')} at p = {alpha}."
        )
    if any(left.changes is not None for each in found for left in each.left_out):
        yield "Systems were compared again without single assessors."


def judges_methods(found: JudgeReport) -> MethodsParagraph:
    """How programs that judge were looked at."""
    return MethodsParagraph(tuple(_judged(found)))


def _judged(found: JudgeReport) -> Iterator[str]:
    for dossier in found.dossiers:
        yield f"{dossier.judge} is a program that judges ({dossier.what})."
    first = found.dossiers[0]
    yield (
        "What programs that judge are worth was told from their agreement with people"
        f" (Krippendorff's alpha{cite('krippendorff2019')}, and the order of summaries within topics) beside that of"
        f" people with each other, with {100 * first.options.level:g}% bootstrap intervals over topics"
        f" ({first.options.resamples:,} resamples){cite('efron1993')}."
    )


def meta_methods(found: MetaResult) -> MethodsParagraph:
    """How measures were compared with people: of the correlations, the ceiling and the groups, where they are."""
    return MethodsParagraph(tuple(_met(found)))


def _met(found: MetaResult) -> Iterator[str]:
    from adjudge.analyses.meta.better import BetterResult
    from adjudge.analyses.meta.correlations import CorrelationsResult
    from adjudge.analyses.meta.words import coefficient_words, over_words

    people = listed([each.info.words for each in found.cells.humans], most=len(found.cells.humans))
    correlated = found.parts.get("correlations")
    if isinstance(correlated, CorrelationsResult):
        o = found.options
        cited = cite("kendall1945") if "kendall-b" in o.coefficients else ""
        names = listed([coefficient_words(each) for each in o.coefficients])
        levels = listed([f"the {level} level" for level in o.levels])
        yield (
            f"{counted(len(found.cells.measures), 'automatic measure')}"
            f" {'was' if len(found.cells.measures) == 1 else 'were'} compared with people's judgments ({people}) by"
            f" {names}{cited} at {levels}, among {listed([over_words(each) for each in o.among])}."
        )
        if correlated.meanings:
            rank = ["fieller1957"] if "kendall-b" in o.coefficients and "system" in o.levels else []
            drawn = {"all": ["systems", "inputs", "assessors"], "both": ["systems", "inputs"]}.get(
                o.resample, [o.resample]
            )
            if not any(each.assessors for each in found.cells.humans):
                drawn = [each for each in drawn if each != "assessors"]
            yield (
                f"{100 * correlated.confidence:g}% intervals of the correlations, by Fisher's z and"
                f" {o.interval_resamples:,} resamples{cite(*rank, 'deutsch2021')}, are for other {listed(drawn)} like"
                " these."
            )
    if "ceiling" in found.parts:
        yield (
            "As the human ceiling, each assessor was compared with the mean of the others, and every measure with the"
            " same means."
        )
    better = found.parts.get("better")
    if isinstance(better, BetterResult) and any(each.pairs for each in better.comparisons):
        first = better.comparisons[0]
        by = f"permutation tests{cite('deutsch2021')}" if first.test == "permutation" else "Williams' test"
        named = {"holm": f"Holm's correction{cite('holm1979')}", "none": "no correction"}
        how = named.get(first.correct, f"{first.correct} correction")
        yield f"Correlations of every two measures with people were compared by {by}, with {how}."
