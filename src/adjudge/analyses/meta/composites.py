"""Composites: several measures made one, beside the single measures. Rankel et al. 2011, section 5.

The mean of all standardised measures, their first principal component, and a regression on people's scores that
predicts every summary from other topics and other systems. Each is a measure of its own in the correlations with people
and in the counts of significant pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge import __version__
from adjudge.analyses.counts import COUNTED
from adjudge.analyses.meta.cells import Cells
from adjudge.analyses.meta.correlations import CorrelationsResult, MeasureCorrelation, correlate_all
from adjudge.analyses.meta.options import MetaOptions
from adjudge.analyses.meta.power import PowerResult, discriminative_power
from adjudge.analyses.meta.words import over_words, where_words
from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
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

if TYPE_CHECKING:
    import pandas as pd

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
        return frozenset(each.info.measure for each in self.composites)

    def weights_table(self) -> Table:
        """What the composites are made of: a row per measure."""
        shares = self.components.shares[:SHOWN]
        regressions = [each for each in self.composites if each.least]
        rows: list[tuple[Cell, ...]] = []
        for at, measure in enumerate(self.measures):
            loadings = [float(each) for each in self.components.loadings[:SHOWN, at]]
            own = [_with_range(each, at) for each in regressions]
            rows.append((measure.heading, 1 / len(self.measures), *loadings, *own))
        return Table(
            name=f"composites-weights-{self.among}",
            columns=(
                Column("measure", right=False),
                Column("mean", "weight in the mean", tiny=False),
                *(
                    Column(f"pc{k}", f"component {k} ({share:.0%} of variance)", tiny=False)
                    for k, share in enumerate(shares, 1)
                ),
                *(
                    Column(each.info.measure, f"{each.info.heading}: weight (lowest to highest)", right=True)
                    for each in regressions
                ),
            ),
            rows=tuple(rows),
            title=(
                f"What composites of {len(self.measures)} standardised measures are made of, among"
                f" {over_words(self.among)}"
            ),
            said=(self._variance(),),
            notes=tuple(self.notes()),
            signature="\n".join(f"{each.info.signature}|v:{__version__}" for each in self.composites),
        )

    def _variance(self) -> str:
        first = self.components.loadings[0]
        largest = [self.measures[int(k)].words for k in np.argsort(-np.abs(first), kind="stable")[:3]]
        against = [m.words for m, loading in zip(self.measures, first, strict=True) if loading < -1e-9]
        turned = f"; {listed(against)} {'goes' if len(against) == 1 else 'go'} against it" if against else ""
        return (
            f"Among {over_words(self.among)}, the first principal component of {len(self.measures)} measures holds"
            f" {self.components.shares[0]:.0%} of their variance; its largest loadings are those of"
            f" {listed(largest)}{turned}."
        )

    def notes(self) -> Iterator[str]:
        """What was left out, and what cannot be had."""
        among = over_words(self.among)
        if self.constant:
            yield (
                f"{listed([each.words for each in self.constant], most=9)}: one value everywhere among {among}, or"
                " none; left out of the composites"
            )
        if self.incomplete:
            yield (
                f"among {among}, {counted(self.incomplete, 'summary', 'summaries')} without a score of every measure"
                f" {'has' if self.incomplete == 1 else 'have'} no composite; single measures are compared with the"
                f" composites on the other {self.cells:,}"
            )
        for human, why in self.absent.items():
            yield f"among {among}, no regression on {human}: {why}"
        if any(each.least for each in self.composites):
            yield (
                "a regression predicts systems of different folds by different models, which can add to the differences"
                " between them; intervals of its correlations take its predictions as given"
            )

    def counts(self) -> Iterator[str]:
        """How many pairs composites find, beside the single measures."""
        for at, test in enumerate(self.power.counts.measures[0].tests):
            found = {each.measure: each.tests[at].different for each in self.power.counts.measures}
            single = {
                m.measure: found[m.measure] for m in self.joined.measures if m.measure not in self.names
            }
            words = {m.measure: m.words for m in self.joined.measures}
            few, many = (_names_with(words, single, end(single.values())) for end in (min, max))
            own = ", ".join(f"{words[name]} {found[name]:,}" for name in found if name in self.names)
            yield (
                f"Among {over_words(self.among)}, of {counted(test.pairs, 'pair')} these differ by"
                f" {test.words} (p <= {self.power.counts.alpha:g}, uncorrected): {own}; single measures find"
                f" from {min(single.values()):,} ({few}) to {max(single.values()):,} ({many})."
            )


def _names_with(words: Mapping[str, str], values: Mapping[str, float], value: float) -> str:
    """Who has this value, to rounding."""
    return listed([words[name] for name, own in values.items() if abs(own - value) < 1e-12])


def _with_range(composite: Composite, at: int) -> str:
    return f"{composite.weights[at]:.3f} ({composite.least[at]:.3f} to {composite.most[at]:.3f})"


@dataclass(frozen=True, repr=False)
class CompositesResult(Tabular):
    """Composites beside single measures: what they are made of, their correlations with people, the pairs they find."""

    made: tuple[CompositesAmong, ...]
    correlated: tuple[CorrelationsResult, ...]
    """For each choice of systems: the single measures and the composites against people."""

    def headline(self) -> str:
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        for made, correlated in zip(self.made, self.correlated, strict=True):
            yield from self._correlation_words(made, correlated)
            yield made._variance()
            yield from made.counts()

    def _correlation_words(self, made: CompositesAmong, correlated: CorrelationsResult) -> Iterator[str]:
        """By level and human measure: the composites' correlations beside the highest of a single measure."""
        coefficient = correlated.coefficients[0]
        for level in correlated.levels:
            for human in made.joined.humans:
                rows = correlated.of(level=level, coefficient=coefficient, human=human.info.measure)
                there = [each for each in rows if not math.isnan(each.value)]
                own = [each for each in there if each.measure.measure in made.names]
                single = [each for each in there if each.measure.measure not in made.names]
                if not own or not single:
                    continue
                most = max(each.value for each in single)
                words = {each.measure.measure: each.measure.words for each in single}
                best = _names_with(words, {each.measure.measure: each.value for each in single}, most)
                yield (
                    f"{where_words(level, made.among, coefficient)}, composites have these correlations with"
                    f" {human.info.words}: {_values(own)}; the highest of"
                    f" {counted(len(single), 'single measure')}, chosen afterwards, is {most:.2f} ({best})."
                )

    def table(self) -> Table:
        found = self.made[0].weights_table()
        return replace(found, said=tuple(self.sentences()))

    def tables(self) -> Tables:
        found: list[Table] = []
        for made, correlated in zip(self.made, self.correlated, strict=True):
            over = ", in the cells that all measures have" if made.incomplete else ""
            about = f"; composites stand below the single measures{over}"
            found.append(made.weights_table())
            found += [_renamed(each, "", about) for each in correlated.tables()]
            found += [_renamed(each, f"-{made.among}", about) for each in made.power.tables()]
        return Tables(tuple(found))

    def to_frame(self) -> pd.DataFrame:
        """The correlations, a row per measure, human measure, level and coefficient, and whether it is a composite."""
        import pandas as pd

        frames = [
            each.to_frame().assign(composite=lambda frame, own=made.names: frame["measure"].isin(own))
            for made, each in zip(self.made, self.correlated, strict=True)
        ]
        return pd.concat(frames, ignore_index=True)

    def scores_frame(self) -> pd.DataFrame:
        """Every composite's scores: a row per choice of systems, composite, topic and system."""
        import pandas as pd

        rows = [
            (made.among, each.info.measure, topic, system, value)
            for made in self.made
            for each in made.composites
            for topic, values in zip(made.joined.topics, each.values, strict=True)
            for system, value in zip(made.joined.systems, values, strict=True)
        ]
        return pd.DataFrame(rows, columns=["among", "measure", "topic", "system", "value"])

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "among": [
                    {
                        "among": made.among,
                        "cells": made.cells,
                        "incomplete": made.incomplete,
                        "constant": [each.measure for each in made.constant],
                        "shares": made.components.shares.tolist(),
                        "loadings": [
                            dict(zip([m.measure for m in made.measures], row, strict=True))
                            for row in made.components.loadings.tolist()
                        ],
                        "composites": [_as_dict(each, made.measures) for each in made.composites],
                        "absent": dict(made.absent),
                        "correlations": correlated.as_dict()["rows"],
                        "power": made.power.as_dict(),
                        "notes": list(made.notes()),
                    }
                    for made, correlated in zip(self.made, self.correlated, strict=True)
                ],
                "sentences": list(self.sentences()),
            }
        )
        return found


def _values(rows: Sequence[MeasureCorrelation]) -> str:
    return ", ".join(f"{each.measure.words} {each.value:.2f}" for each in rows)


def _renamed(table: Table, end: str, about: str) -> Table:
    """A table of another part, as one of the composites; what it says of single measures is said there."""
    return replace(table, name=f"composites-{table.name}{end}", title=f"{table.title}{about}", said=())


def _as_dict(composite: Composite, measures: Sequence[MeasureInfo]) -> dict[str, Any]:
    names = [each.measure for each in measures]
    return {
        "measure": composite.info.measure,
        "title": composite.info.heading,
        "signature": composite.info.signature,
        "weights": dict(zip(names, composite.weights, strict=True)),
        "lowest": dict(zip(names, composite.least, strict=True)) if composite.least else None,
        "highest": dict(zip(names, composite.most, strict=True)) if composite.most else None,
    }


def composites(
    cells: Cells,
    options: MetaOptions | None = None,
    *,
    tests: Sequence[str] = (),
    folds: int = FOLDS,
) -> CompositesResult:
    """Composites of all automatic measures, for each choice of systems that is asked for.

    Measures are standardised over the cells that all of them have; there every composite has a score, and there it is
    compared with the single measures. A regression is made for each human measure, with `folds` of topics and of
    systems. `tests` count the pairs that differ, as `discriminative_power` does; without them those of the options.
    """
    options = options or MetaOptions()
    made = tuple(
        _among(cells.among(which), which, options, tests or options.tests or COUNTED, folds)
        for which in options.among
    )
    return CompositesResult(
        made=made,
        correlated=tuple(correlate_all(each.joined, replace(options, among=(each.among,))) for each in made),
    )


def _among(
    cells: Cells, among: Among, options: MetaOptions, tests: Sequence[str], folds: int
) -> CompositesAmong:
    measures = standardise(cells.automatic)
    kept = tuple(cells.measures[k] for k in measures.kept)
    components = principal_components(measures)
    found = [_mean(measures, kept), _first(measures, components, kept)]
    absent: dict[str, str] = {}
    for human in cells.humans:
        try:
            fitted = cross_validated_regression(
                measures,
                human.values,
                rng=generator(options.seed, f"meta/composites/{human.info.measure}"),
                folds=folds,
                clusters=cells.clusters,
            )
        except DataError as error:
            absent[human.info.words] = str(error)
            continue
        found.append(_regression(human.info, fitted, kept, options.seed))
    joined = _joined(cells, measures, found)
    return CompositesAmong(
        among=among,
        measures=kept,
        constant=tuple(cells.measures[k] for k in measures.constant),
        composites=tuple(found),
        components=components,
        joined=joined,
        cells=int(measures.present.sum()),
        incomplete=measures.incomplete,
        power=_power(joined, measures.present, options, tests),
        absent=absent,
    )


def _made_of(kept: Sequence[MeasureInfo]) -> str:
    return f"z:cells|measures:{'+'.join(each.measure for each in kept)}"


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


def _joined(cells: Cells, measures: StandardisedMeasures, found: Sequence[Composite]) -> Cells:
    """Single measures and composites in the cells that all measures have; constant ones are not among them."""
    single = np.where(measures.present, cells.automatic[list(measures.kept)], np.nan)
    return replace(
        cells,
        measures=(*(cells.measures[k] for k in measures.kept), *(each.info for each in found)),
        automatic=np.concatenate([single, np.stack([each.values for each in found])]),
    )


def _power(joined: Cells, present: BoolArray, options: MetaOptions, tests: Sequence[str]) -> PowerResult:
    """Rankel's tables of people, the single measures and the composites, all in the same cells."""
    people = (replace(each, values=np.where(present, each.values, np.nan)) for each in joined.humans)
    return discriminative_power(
        replace(joined, humans=tuple(people)),
        tests=tests,
        alpha=options.alpha,
        resamples=options.resamples,
        seed=options.seed,
    )
