"""Composites: several measures made one, beside the single measures. Rankel et al. 2011, section 5.

The mean of all standardised measures, their first principal component, and a regression on people's scores that
predicts every summary from other topics and other systems. Each is a measure of its own in the correlations with people
and in the counts of significant pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.base import silent
from adjudge.analyses.meta.cells import Cells
from adjudge.analyses.meta.correlations import CorrelationsResult, correlate_all
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.power import PowerResult, discriminative_power
from adjudge.analyses.meta.words import over_words
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.checks import FloatArray
from adjudge.stats.composites import (
    PrincipalComponents,
    cross_validated_regression,
    mean_of,
    principal_components,
    standardise,
)

SHOWN = 3
"""Components whose loadings are shown, at most; only the first is a composite."""


@dataclass(frozen=True, eq=False)
class Composite:
    """One composite: its scores and how it was made."""

    info: MeasureInfo
    values: FloatArray
    """Topics x systems; NaN where a measure is missing."""
    weights: tuple[float, ...]
    """By standardised measure; of a regression the mean over its models."""
    least: tuple[float, ...] = ()
    """Of a regression: the lowest and the highest weight of each measure in any model."""
    most: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class CompositesAmong:
    """The composites of one choice of systems, and what they are compared with."""

    among: Among
    measures: tuple[MeasureInfo, ...]
    """Those that composites are made of."""
    constant: tuple[MeasureInfo, ...]
    """Measures that have one value everywhere, or none."""
    composites: tuple[Composite, ...]
    components: PrincipalComponents
    joined: Cells
    """The measures, then the composites, in the cells that all measures have."""
    cells: int
    incomplete: int
    """Cells in which some measure has a score and another has none."""
    power: PowerResult
    absent: Mapping[str, str] = field(default_factory=dict)
    """By human measure that there is no regression on: why."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset(composite.info.measure for composite in self.composites)

    @property
    def name(self) -> str:
        return f"composites-weights-{self.among}"

    def notes(self) -> Iterator[Note]:
        """What was left out, and what cannot be had."""
        if self.constant:
            yield Note.of("constant", measures=[info.words for info in self.constant], among=self.among)
        if self.incomplete:
            yield Note.of("incomplete", n=self.incomplete, cells=self.cells, among=self.among)
        for human, why in self.absent.items():
            yield Note.of("no-regression", human=human, why=why, among=self.among)
        if any(composite.least for composite in self.composites):
            yield Note.of("predicted-by-folds")

    def weights_table(self) -> Table:
        """What the composites are made of: a row per measure."""
        regressions = [composite for composite in self.composites if composite.least]
        rows: list[tuple[Cell, ...]] = []
        for at, measure in enumerate(self.measures):
            weights = [f"{c.weights[at]:.3f} ({c.least[at]:.3f} to {c.most[at]:.3f})" for c in regressions]
            loadings = self.components.loadings[:SHOWN, at].tolist()
            rows.append((measure.heading, 1 / len(self.measures), *loadings, *weights))
        return Table.of(
            self.name,
            rows,
            Column("measure", right=False),
            Column("mean", "weight in the mean", tiny=False),
            *(
                Column(f"pc{k}", f"component {k} ({share:.0%} of variance)", tiny=False)
                for k, share in enumerate(self.components.shares[:SHOWN], 1)
            ),
            *(
                Column(c.info.measure, f"{c.info.heading}: weight (lowest to highest)", right=True)
                for c in regressions
            ),
            title=(
                f"Weights of {len(self.measures)} standardised measures in the composites, among"
                f" {over_words(self.among)}"
            ),
            signature=self.how(),
        )

    def how(self) -> str:
        return "\n".join(f"{composite.info.signature}|v:{__version__}" for composite in self.composites)

    def facts(self) -> dict[str, Any]:
        def by_measure(values: Sequence[float]) -> dict[str, float]:
            return dict(zip([info.measure for info in self.measures], values, strict=True))

        return {
            "among": self.among,
            "cells": self.cells,
            "incomplete": self.incomplete,
            "constant": [info.measure for info in self.constant],
            "shares": self.components.shares.tolist(),
            "loadings": [by_measure(row) for row in self.components.loadings.tolist()],
            "composites": [
                {
                    "measure": composite.info.measure,
                    "title": composite.info.heading,
                    "signature": composite.info.signature,
                    "weights": by_measure(composite.weights),
                    "lowest": by_measure(composite.least) if composite.least else None,
                    "highest": by_measure(composite.most) if composite.most else None,
                }
                for composite in self.composites
            ],
            "absent": dict(self.absent),
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class CompositesResult(Result):
    """Composites beside single measures: what they are made of, their correlations with people, the pairs they find."""

    WORDS = "adjudge.analyses.meta.words.composites"
    ROWS_SAY_ALL: ClassVar[bool] = True
    FRAME = "composites"
    IN_JSON = ("composites",)

    made: tuple[CompositesAmong, ...]
    correlated: tuple[CorrelationsResult, ...]
    """For each choice of systems: the single measures and the composites against people."""

    def how(self) -> str:
        return "\n".join(made.how() for made in self.made)

    def facts(self) -> dict[str, Any]:
        return {"among": [made.facts() for made in self.made]}

    def notes(self) -> Iterator[Note]:
        for made in self.made:
            for note in made.notes():
                yield note.on(made.name)

    def tables(self) -> Iterator[Table]:
        """What composites are made of, then the correlations and the counts of composites and single measures."""
        for made, correlated in zip(self.made, self.correlated, strict=True):
            over = ", in the cells that all measures have" if made.incomplete else ""
            yield made.weights_table()
            for part, end in ((correlated, ""), (made.power, f"-{made.among}")):
                for table in part.tables():
                    yield replace(
                        table,
                        name=f"composites-{table.name}{end}",
                        title=f"{table.title}; single measures, then composites{over}",
                        signature=part.how(),
                    )

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"composites": self._all_rows, "composite-scores": self._scores}

    def _all_rows(self) -> Table:
        """The correlations, a row per measure, human measure, level and coefficient, and whether it is a composite."""
        rows = [
            {**row, "composite": row["measure"] in made.names}
            for made, correlated in zip(self.made, self.correlated, strict=True)
            for row in correlated.rows_of().records()
        ]
        return Table.of("composites", rows, *rows[0])

    def _scores(self) -> Table:
        """Every composite's scores: a row per choice of systems, composite, topic and system."""
        rows = [
            (made.among, composite.info.measure, topic, system, float(value))
            for made in self.made
            for composite in made.composites
            for topic, values in zip(made.joined.topics, composite.values, strict=True)
            for system, value in zip(made.joined.systems, values, strict=True)
        ]
        return Table.of("composite-scores", rows, "among measure topic system value")


def composites(run: MetaRun) -> CompositesResult:
    """Composites of all automatic measures, for each choice of systems that is asked for.

    Measures are standardised over the cells that all of them have; there every composite has a score, and there it is
    compared with the single measures. A regression is made for each human measure.
    """
    made = tuple(_made(run, cells) for cells in run.choices)
    correlated = [
        correlate_all(MetaRun(choice.joined, replace(run.asked, among=choice.among, progress=silent)))  # type: ignore[arg-type]
        for choice in made
    ]
    return CompositesResult(made=made, correlated=tuple(correlated))


def _made(run: MetaRun, cells: Cells) -> CompositesAmong:
    seed = run.asked.seed
    measures = standardise(cells.automatic)
    kept = tuple(cells.measures[k] for k in measures.kept)
    of = f"z:cells|measures:{'+'.join(info.measure for info in kept)}"
    components = principal_components(measures)
    mean = MeasureInfo(
        "composite:mean",
        signature=f"composite:mean|{of}",
        title=f"mean of {len(kept)} standardised measures",
    )
    first = MeasureInfo(
        "composite:pca",
        signature=f"composite:pca|component:1|share:{components.shares[0]:.4f}|{of}",
        title=f"first principal component of {len(kept)} measures",
    )
    composites = [
        Composite(info=mean, values=mean_of(measures), weights=(1 / len(kept),) * len(kept)),
        Composite(info=first, values=components.scores[0], weights=tuple(components.loadings[0].tolist())),
    ]
    absent: dict[str, str] = {}
    for human in cells.humans:
        name = human.info.measure
        try:
            fitted = cross_validated_regression(
                measures, human.values, rng=run.draws(f"composites/{name}"), clusters=cells.clusters
            )
        except DataError as error:
            absent[human.info.words] = error.text
            continue
        topics, systems = int(fitted.topic_folds.max()) + 1, int(fitted.system_folds.max()) + 1
        low, high = fitted.penalties.min(), fitted.penalties.max()
        regression = MeasureInfo(
            f"composite:regression({name})",
            signature=f"composite:regression|on:{name}|ridge:{low:g}-{high:g}:nested"
            f"|folds:{topics}-topics-x-{systems}-systems|seed:{seed}|{of}",
            title=f"cross-validated regression on {human.info.heading}",
        )
        composites.append(
            Composite(
                info=regression,
                values=fitted.predicted,
                weights=tuple(fitted.weights.mean(axis=0).tolist()),
                least=tuple(fitted.weights.min(axis=0).tolist()),
                most=tuple(fitted.weights.max(axis=0).tolist()),
            )
        )
    single = np.where(measures.present, cells.automatic[list(measures.kept)], np.nan)
    joined = replace(
        cells,
        measures=(*kept, *(composite.info for composite in composites)),
        automatic=np.concatenate([single, np.stack([composite.values for composite in composites])]),
    )
    # Rankel's tables of people, the single measures and the composites, all in the same cells.
    people = (replace(h, values=np.where(measures.present, h.values, np.nan)) for h in joined.humans)
    return CompositesAmong(
        among=cells.chosen,
        measures=kept,
        constant=tuple(cells.measures[k] for k in measures.constant),
        composites=tuple(composites),
        components=components,
        joined=joined,
        cells=int(measures.present.sum()),
        incomplete=measures.incomplete,
        power=discriminative_power(replace(run, cells=replace(joined, humans=tuple(people)))),
        absent=absent,
    )
