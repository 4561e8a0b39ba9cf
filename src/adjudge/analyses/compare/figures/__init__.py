"""Figures of a comparison: the league table, every pair, systems by systems, scores by topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure


def _drawn(name: str, scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.compare import compare

    compared = compare(scores, options.measure, length=options.length, form=options.form, seed=options.seed)
    takes: dict[str, dict[str, str | None]] = {
        "forest": {"against": options.against},
        "heat": {"order": options.order},
    }
    return compared.figure(name, **takes.get(name, {}))


SPECS = (
    FigureSpec(
        "league",
        "Systems by mean, with intervals and the letters of those not shown to differ.",
        partial(_drawn, "league"),
        example="-m coverage --length 100",
    ),
    FigureSpec(
        "matrix",
        "Who is significantly better than whom, and which differences could not have been found.",
        partial(_drawn, "matrix"),
        example="-m rouge-2 --length 100",
    ),
    FigureSpec(
        "forest",
        "The difference of every pair with its interval, or of every system and a chosen one.",
        partial(_drawn, "forest"),
        takes=("against",),
        example="-m rouge-2 --length 100 --against lead",
    ),
    FigureSpec(
        "heat",
        "Every system's score on every topic as a map of colours; humans apart, missing cells crossed.",
        partial(_drawn, "heat"),
        after="Rankel et al. 2011, figures 2 to 5",
        takes=("order",),
        example="-m rouge-2 --length 100 --order given",
    ),
)
