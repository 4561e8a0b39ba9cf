"""Figures of who is better, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.analyses.plan import figures as plan
from adjudge.core.errors import UsageError

if TYPE_CHECKING:
    from adjudge.analyses.lengths.result import LengthsResult
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure

RANKEL = "Rankel et al. 2011"
OVER = "Over and Liggett 2002"


def _topics(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.topics import topics

    found = topics(scores, options.measure, length=options.length, form=options.form, against=options.against)
    return found.figure("topics")


def _critical_difference(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.groups.result import groups

    found = groups(scores, options.measure, length=options.length, form=options.form, seed=options.seed)
    return found.figure("critical-difference")


def _interaction(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.anova.result import anova

    by = options.by
    length = options.length
    if isinstance(length, str):
        raise UsageError("an interaction is drawn at one length: choose one, or draw --by length")
    usual = by in (None, "topic", "assessor", "system")
    factors = () if usual else ("system", "topic", str(by), f"{by}:system")
    found = anova(
        scores, options.measure, length=length, form=options.form, factors=factors, seed=options.seed
    )
    return found.figure("interaction", by=by)


def _lengths(scores: Scores, options: FigureOptions) -> LengthsResult:
    from adjudge.analyses.lengths.result import lengths

    if options.length is not None:
        raise UsageError("this figure draws all target lengths: leave --length out")
    return lengths(scores, options.measure, form=options.form, seed=options.seed)


def _length_means(scores: Scores, options: FigureOptions) -> Figure:
    return _lengths(scores, options).figure("length-means")


def _length_boxes(scores: Scores, options: FigureOptions) -> Figure:
    return _lengths(scores, options).figure("length-boxes")


SPECS = (
    FigureSpec(
        "critical-difference",
        "Mean ranks within topics, with bars that join systems which Nemenyi's test does not tell apart.",
        _critical_difference,
        after="Demsar 2006, figure 1",
        example="-m rouge-2 --length 100",
    ),
    FigureSpec(
        "topics",
        "How hard every topic is, by mean ranks with intervals; --against colours those that differ from a topic.",
        _topics,
        after=f"{RANKEL}, figure 1",
        takes=("against",),
        example="-m rouge-2 --length 100 --against d04",
    ),
    FigureSpec(
        "interaction",
        "Systems' means by topic, assessor or another factor: lines that are not parallel are an interaction.",
        _interaction,
        after=OVER,
        takes=("by",),
        example="-m coverage --length 100 --by topic",
    ),
    *plan.SPECS,
    FigureSpec(
        "length-means",
        "Every system's mean at every target length.",
        _length_means,
        after=OVER,
        example="-m coverage --form abstract",
    ),
    FigureSpec(
        "length-boxes",
        "Scores less the mean of their topic as boxes by system, a panel for each target length.",
        _length_boxes,
        after=OVER,
        example="-m coverage --form abstract",
    ),
)
