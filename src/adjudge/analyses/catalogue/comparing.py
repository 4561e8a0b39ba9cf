"""Figures of who is better, where, and how many topics it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.analyses.catalogue.spec import FigureOptions, FigureSpec
from adjudge.core.errors import DataError

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure

RANKEL = "Rankel et al. 2011"
OVER = "Over and Liggett 2002"
FEW_SIMULATIONS = 100
"""For a plan of which only what is not simulated is drawn."""


def _topics(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.topics import topics

    found = topics(scores, options.measure, length=options.length, form=options.form, against=options.against)
    return found.figure("topics")


def _power(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.plan.result import plan

    found = plan(
        scores,
        options.measure,
        length=options.length,
        form=options.form,
        seed=options.seed,
        progress=options.progress,
    )
    return found.figure("power")


def _d_study(scores: Scores, options: FigureOptions) -> Figure:
    from adjudge.analyses.plan.result import plan
    from adjudge.stats.power.search import SIMULATIONS

    for simulations in (FEW_SIMULATIONS, SIMULATIONS):
        found = plan(
            scores,
            options.measure,
            length=options.length,
            form=options.form,
            seed=options.seed,
            simulations=simulations,
            progress=options.progress,
        )
        if found.designs is None:
            from adjudge.analyses.plan.designs import why_no_designs

            raise DataError(
                f"{found.measure}: designs of judging cannot be compared: {why_no_designs(found.sources)}"
            )
        if found.designs.kind != "smallest":  # which alone comes from simulations
            break
    assert found.designs is not None
    return found.designs.figure("d-study")


SPECS = (
    FigureSpec(
        "topics",
        "How hard every topic is, by mean ranks with intervals; --against colours those that differ from a topic.",
        _topics,
        after=f"{RANKEL}, figure 1",
        takes=("against",),
        example="-m rouge-2 --length 100 --against d04",
    ),
    FigureSpec(
        "power",
        "How often a difference would be found, by the number of topics and the test.",
        _power,
        example="-m rouge-2 --length 100",
    ),
    FigureSpec(
        "d-study",
        "Standard error, reliability and power by the number of topics and of assessors.",
        _d_study,
        example="-m coverage --length 100",
    ),
)
