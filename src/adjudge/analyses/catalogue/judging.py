"""Figures of what people judged: coverage, units, quality and length adjustment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure

OVER_LIGGETT = "Over and Liggett 2002"


def _length(options: FigureOptions) -> int | None:
    """One length, where one is asked for; else every length has a panel of its own."""
    return options.length if isinstance(options.length, int) else None


def _coverage_by_source(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.unit_coverage import coverage_spread

    return coverage_spread(scores, length=_length(options), form=options.form).figure()


def _unit_coverage(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.unit_coverage import unit_coverage

    return unit_coverage(scores, length=_length(options), form=options.form).figure()


def _quality(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.quality_answers import quality_answers

    return quality_answers(scores, length=_length(options), form=options.form).figure()


def _length_adjustment(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.adjustment import length_adjustment

    return length_adjustment(scores, options.measure, length=_length(options), form=options.form).figure()


def _unmarked(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.judged.unmarked import unmarked_units

    return unmarked_units(scores, length=_length(options), form=options.form).figure()


SPECS = (
    FigureSpec(
        "coverage-by-source",
        "Box plots of the pages' coverage, by source and system.",
        _coverage_by_source,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "unit-coverage",
        "How completely model units are covered, by source: the share with nothing, and with everything.",
        _unit_coverage,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "quality",
        "What was answered to each question on quality, by source.",
        _quality,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "length-adjustment",
        "Coverage beside length-adjusted coverage, and the ranks that change.",
        _length_adjustment,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
    FigureSpec(
        "unmarked",
        "Peer units that match nothing in the reference, and how many of them are relevant.",
        _unmarked,
        after=OVER_LIGGETT,
        example="--length 100",
        panels=True,
    ),
)
