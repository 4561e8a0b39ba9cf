"""Composites: several measures made one, beside the single measures. Rankel et al. 2011, section 5.

The mean of all standardised measures, their first principal component, and a regression on people's scores that
predicts every summary from other topics and other systems. Each is a measure of its own in the correlations with people
and in the counts of significant pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adjudge import __version__
from adjudge.analyses.counts import COUNTED
from adjudge.analyses.meta import Meta
from adjudge.analyses.meta.cells import Cells
from adjudge.analyses.meta.correlations import CorrelationsResult, correlate_all
from adjudge.analyses.meta.power import PowerResult, discriminative_power
from adjudge.analyses.meta.words import over_words
from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.checks import BoolArray, FloatArray
from adjudge.stats.composites import (
    FOLDS,
    CrossValidatedRegression,
    PrincipalComponents,
    StandardisedMeasures,
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
        shares = self.components.shares[:SHOWN]
        regressions = [composite for composite in self.composites if composite.least]
        rows: list[tuple[Cell, ...]] = []
        for at, measure in enumerate(self.measures):
            loadings = [float(loading) for loading in self.components.loadings[:SHOWN, at]]
            weights = [_with_range(composite, at) for composite in regressions]
            rows.append((measure.heading, 1 / len(self.measures), *loadings, *weights))
        return Table(
            name=self.name,
            columns=(
                Column("measure", right=False),
                Column("mean", "weight in the mean", tiny=False),
                *(
                    Column(f"pc{k}", f"component {k} ({share:.0%} of variance)", tiny=False)
                    for k, share in enumerate(shares, 1)
                ),
                *(
                    Column(
                        composite.info.measure,
                        f"{composite.info.heading}: weight (lowest to highest)",
                        right=True,
                    )
                    for composite in regressions
                ),
            ),
            rows=tuple(rows),
            title=(
                f"What composites of {len(self.measures)} standardised measures are made of, among"
                f" {over_words(self.among)}"
            ),
            signature="\n".join(
                f"{composite.info.signature}|v:{__version__}" for composite in self.composites
            ),
        )


def _with_range(composite: Composite, at: int) -> str:
    return f"{composite.weights[at]:.3f} ({composite.least[at]:.3f} to {composite.most[at]:.3f})"


@dataclass(frozen=True, repr=False, kw_only=True)
class CompositesResult(Result):
    """Composites beside single measures: what they are made of, their correlations with people, the pairs they find."""

    WORDS = "adjudge.analyses.meta.words.composites"
    FRAME = "composites"
    IN_JSON = ("composites",)

    made: tuple[CompositesAmong, ...]
    correlated: tuple[CorrelationsResult, ...]
    """For each choice of systems: the single measures and the composites against people."""

    def how(self) -> str:
        return "\n".join(
            f"{composite.info.signature}|v:{__version__}"
            for made in self.made
            for composite in made.composites
        )

    def facts(self) -> dict[str, Any]:
        return {
            "among": [
                {
                    "among": made.among,
                    "cells": made.cells,
                    "incomplete": made.incomplete,
                    "constant": [info.measure for info in made.constant],
                    "shares": made.components.shares.tolist(),
                    "loadings": [
                        dict(zip([m.measure for m in made.measures], row, strict=True))
                        for row in made.components.loadings.tolist()
                    ],
                    "composites": [_composite_facts(one, made.measures) for one in made.composites],
                    "absent": dict(made.absent),
                }
                for made in self.made
            ]
        }

    def notes(self) -> Iterator[Note]:
        for made in self.made:
            for note in made.notes():
                yield note.on(made.name)

    def tables(self) -> Iterator[Table]:
        """What composites are made of, then the correlations and the counts of composites and single measures."""
        for made, correlated in zip(self.made, self.correlated, strict=True):
            over = ", in the cells that all measures have" if made.incomplete else ""
            about = f"; composites stand below the single measures{over}"
            yield made.weights_table()
            for table in correlated.tables():
                yield _renamed(table, "", about, correlated.how())
            for table in made.power.tables():
                yield _renamed(table, f"-{made.among}", about, made.power.how())

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


def _composite_facts(composite: Composite, measures: Sequence[MeasureInfo]) -> dict[str, Any]:
    names = [info.measure for info in measures]
    return {
        "measure": composite.info.measure,
        "title": composite.info.heading,
        "signature": composite.info.signature,
        "weights": dict(zip(names, composite.weights, strict=True)),
        "lowest": dict(zip(names, composite.least, strict=True)) if composite.least else None,
        "highest": dict(zip(names, composite.most, strict=True)) if composite.most else None,
    }


def _renamed(table: Table, end: str, about: str, signature: str) -> Table:
    """A table of another part, as one of the composites; what it says of single measures is said there."""
    return replace(
        table, name=f"composites-{table.name}{end}", title=f"{table.title}{about}", signature=signature
    )


def composites(
    cells: Cells,
    asked: Meta | None = None,
    *,
    tests: Sequence[str] = (),
    folds: int = FOLDS,
) -> CompositesResult:
    """Composites of all automatic measures, for each choice of systems that is asked for.

    Measures are standardised over the cells that all of them have; there every composite has a score, and there it is
    compared with the single measures. A regression is made for each human measure, with `folds` of topics and of
    systems. `tests` count the pairs that differ, as `discriminative_power` does; without them those of the asked.
    """
    asked = asked or Meta()
    made = tuple(
        _among(cells.among(which), which, asked, tests or asked.tests or COUNTED, folds)
        for which in asked.choices(cells)
    )
    return CompositesResult(
        made=made,
        correlated=tuple(
            correlate_all(choice.joined, replace(asked, among=(choice.among,)))  # type: ignore[arg-type]
            for choice in made
        ),
    )


def _among(cells: Cells, among: Among, asked: Meta, tests: Sequence[str], folds: int) -> CompositesAmong:
    measures = standardise(cells.automatic)
    kept = tuple(cells.measures[k] for k in measures.kept)
    components = principal_components(measures)
    composites = [_mean(measures, kept), _first(measures, components, kept)]
    absent: dict[str, str] = {}
    for human in cells.humans:
        try:
            fitted = cross_validated_regression(
                measures,
                human.values,
                rng=generator(asked.seed, f"meta/composites/{human.info.measure}"),
                folds=folds,
                clusters=cells.clusters,
            )
        except DataError as error:
            absent[human.info.words] = error.text
            continue
        composites.append(_regression(human.info, fitted, kept, asked.seed))
    joined = _joined(cells, measures, composites)
    return CompositesAmong(
        among=among,
        measures=kept,
        constant=tuple(cells.measures[k] for k in measures.constant),
        composites=tuple(composites),
        components=components,
        joined=joined,
        cells=int(measures.present.sum()),
        incomplete=measures.incomplete,
        power=_power(joined, measures.present, asked, tests),
        absent=absent,
    )


def _made_of(kept: Sequence[MeasureInfo]) -> str:
    return f"z:cells|measures:{'+'.join(info.measure for info in kept)}"


def _mean(measures: StandardisedMeasures, kept: Sequence[MeasureInfo]) -> Composite:
    return Composite(
        info=MeasureInfo(
            "composite:mean",
            signature=f"composite:mean|{_made_of(kept)}",
            title=f"mean of {len(kept)} standardised measures",
        ),
        values=mean_of(measures),
        weights=(1 / len(kept),) * len(kept),
    )


def _first(
    measures: StandardisedMeasures, components: PrincipalComponents, kept: Sequence[MeasureInfo]
) -> Composite:
    return Composite(
        info=MeasureInfo(
            "composite:pca",
            signature=f"composite:pca|component:1|share:{components.shares[0]:.4f}|{_made_of(kept)}",
            title=f"first principal component of {len(kept)} measures",
        ),
        values=components.scores[0],
        weights=tuple(components.loadings[0].tolist()),
    )


def _regression(
    human: MeasureInfo, fitted: CrossValidatedRegression, kept: Sequence[MeasureInfo], seed: int
) -> Composite:
    topics, systems = int(fitted.topic_folds.max()) + 1, int(fitted.system_folds.max()) + 1
    low, high = fitted.penalties.min(), fitted.penalties.max()
    return Composite(
        info=MeasureInfo(
            f"composite:regression({human.measure})",
            signature=(
                f"composite:regression|on:{human.measure}|ridge:{low:g}-{high:g}:nested"
                f"|folds:{topics}-topics-x-{systems}-systems|seed:{seed}|{_made_of(kept)}"
            ),
            title=f"cross-validated regression on {human.heading}",
        ),
        values=fitted.predicted,
        weights=tuple(fitted.weights.mean(axis=0).tolist()),
        least=tuple(fitted.weights.min(axis=0).tolist()),
        most=tuple(fitted.weights.max(axis=0).tolist()),
    )


def _joined(cells: Cells, measures: StandardisedMeasures, composites: Sequence[Composite]) -> Cells:
    """Single measures and composites in the cells that all measures have; constant ones are not among them."""
    single = np.where(measures.present, cells.automatic[list(measures.kept)], np.nan)
    return replace(
        cells,
        measures=(*(cells.measures[k] for k in measures.kept), *(composite.info for composite in composites)),
        automatic=np.concatenate([single, np.stack([composite.values for composite in composites])]),
    )


def _power(joined: Cells, present: BoolArray, asked: Meta, tests: Sequence[str]) -> PowerResult:
    """Rankel's tables of people, the single measures and the composites, all in the same cells."""
    people = (replace(human, values=np.where(present, human.values, np.nan)) for human in joined.humans)
    return discriminative_power(
        replace(joined, humans=tuple(people)),
        tests=tests,
        alpha=asked.alpha,
        resamples=asked.resamples,
        seed=asked.seed,
    )
