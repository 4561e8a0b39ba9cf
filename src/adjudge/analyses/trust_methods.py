"""What a paper says of how judgments and measures were looked at: sentences to paste, with the works that they cite.

As in `analyses/methods.py`, every sentence follows from a run that was made. Agreement, assessors, stability and
judges have theirs in their words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.methods import MethodsParagraph, cite
from adjudge.core.words import counted, listed

if TYPE_CHECKING:
    from adjudge.analyses.meta.result import MetaResult


def meta_methods(found: MetaResult) -> MethodsParagraph:
    """How measures were compared with people: of the correlations, the ceiling and the groups, where they are."""
    return MethodsParagraph(tuple(_met(found)))


def _met(found: MetaResult) -> Iterator[str]:
    from adjudge.analyses.meta.better.result import BetterResult
    from adjudge.analyses.meta.correlations.result import CorrelationsResult
    from adjudge.analyses.meta.words import coefficient_words, over_words

    people = listed([each.info.words for each in found.cells.humans], most=len(found.cells.humans))
    correlated = found.parts.get("correlations")
    if isinstance(correlated, CorrelationsResult):
        o = found.asked
        cited = cite("kendall1945") if "kendall-b" in o.correlated_by else ""
        names = listed([coefficient_words(each) for each in o.correlated_by])
        levels = listed([f"the {level} level" for level in o.levels])
        yield (
            f"{counted(len(found.cells.measures), 'automatic measure')}"
            f" {'was' if len(found.cells.measures) == 1 else 'were'} compared with people's judgments ({people}) by"
            f" {names}{cited} at {levels}, among {listed([over_words(each) for each in found.among])}."
        )
        if correlated.meanings:
            rank = ["fieller1957"] if "kendall-b" in o.correlated_by and "system" in o.levels else []
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
        correction = CORRECTIONS[first.correct]
        how = f"{correction.methods_name}{cite(*correction.cite)}"
        yield f"Correlations of every two measures with people were compared by {by}, with {how}."
