"""Figures of where systems differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure


def _slices(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.slices import slices

    return slices(
        scores,
        options.measure,
        by=options.by or (),
        length=options.length,
        form=options.form,
        seed=options.seed,
    ).figure("slices")


SPECS = (
    FigureSpec(
        "slices",
        "Every system's mean on slices of topics: by type, selector, length, source length, copying; --by chooses.",
        _slices,
        takes=("by",),
        example="-m rouge-2 --by type,length,source-length",
    ),
)
