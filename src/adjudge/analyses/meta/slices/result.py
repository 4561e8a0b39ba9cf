"""Where a measure fails: its correlation with people on some topics, beside the others.

Slices are the values of what is known of topics (set, type, task, selector, length), and thirds of topics by the words
of their sources, and by the compression and the copy rate of the judged summaries on average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta import MEASURED, NAMED, PROPERTIES
from adjudge.analyses.meta.cells import Cells, several_among
from adjudge.analyses.meta.words import coefficient_words, over_words
from adjudge.analyses.scores import Scores
from adjudge.analyses.slices.slicing import Masks, by_name, text_values, thirds
from adjudge.analyses.slices.words import NO_SLICES
from adjudge.core.engine import generator
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.correlation import Coefficient, correlations
from adjudge.stats.multiple import Correction, reached
from adjudge.stats.slices import SliceTest, slice_tests

if TYPE_CHECKING:
    from adjudge.stats.checks import BoolArray, FloatArray

RESAMPLES = 2000
MOST_RESAMPLES = 100_000


Dependent = Literal["sets", "sets-divided", "lengths", "lengths-divided"]
"""Topics of one set, or lengths of one topic, are alike; whether a slice divides some."""


@dataclass(frozen=True)
class TopicSlice:
    """Some topics that have something in common."""

    by: str
    name: str
    inside: BoolArray
    """Of every row of the cells."""


@dataclass(frozen=True)
class SlicedCorrelation:
    """A measure's mean correlation on the topics of a slice and on the others, at the input level."""

    measure: MeasureInfo
    human: MeasureInfo
    among: Among
    coefficient: Coefficient
    by: str
    slice: str
    test: SliceTest
    p_adjusted: float
    verdict: str
    """worse, better, not significantly different, could not have been found, or blank."""

    def record(self) -> dict[str, Any]:
        return {
            "measure": self.measure.measure,
            "human": self.human.measure,
            "level": "input",
            "coefficient": self.coefficient,
            "among": self.among,
            "by": self.by,
            "slice": self.slice,
            "topics": self.test.n_inside,
            "value": self.test.inside,
            "other_topics": self.test.n_outside,
            "other_value": self.test.outside,
            "difference": self.test.difference,
            "p": self.test.p,
            "p_adjusted": self.p_adjusted,
            "verdict": self.verdict,
            "why": self.test.why,
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class SlicesResult(Result):
    """Every measure on every slice, by choice of systems; p is corrected over the tests of one choice."""

    FRAME = "slices"
    IN_JSON = ("slices",)

    rows: tuple[SlicedCorrelation, ...]
    coefficient: Coefficient
    among: tuple[Among, ...]
    alpha: float
    correct: Correction
    dependent: tuple[Dependent, ...] = ()
    """Where topics are not independent."""
    absent: Mapping[str, str]
    """Properties without slices, and why."""
    resamples: int | None
    seed: int

    def of(self, among: Among) -> tuple[SlicedCorrelation, ...]:
        """The rows of one choice of systems."""
        return tuple(row for row in self.rows if row.among == among)

    def how(self) -> str:
        return (
            f"slices|input|{self.coefficient}|among:{'+'.join(self.among)}|permutation:{self.resamples or 'as-needed'}"
            f"|correct:{self.correct}|alpha:{self.alpha:g}|seed:{self.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "level": "input",
            "coefficient": self.coefficient,
            "among": list(self.among),
            "alpha": self.alpha,
            "correct": self.correct,
        }

    def notes(self) -> Iterator[Note]:
        for by, why in self.absent.items():
            yield Note.of("no-slices", by=by, why=why)
        yield Note.of("slices-of-the-input-level")
        for row in self.rows:
            if row.test.why:
                note = Note.of("slice-not-tested", by=row.by, slice=row.slice, why=row.test.why)
                yield note.on(f"slices-{row.among}")

    def tables(self) -> Iterator[Table]:
        """By choice of systems a row per slice and human measure, a column per measure."""
        yield from map(self._table, self.among)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"slices": self._all_rows}

    def _all_rows(self) -> Table:
        """A row per measure, human measure, choice of systems and slice."""
        rows = [row.record() for row in self.rows]
        return Table.of("slices", rows, *rows[0])

    def _table(self, among: Among) -> Table:
        rows = self.of(among)
        measures = list(dict.fromkeys(row.measure for row in rows))
        keys = list(dict.fromkeys((row.human, row.by, row.slice) for row in rows))
        held = {(row.human, row.by, row.slice, row.measure): row for row in rows}
        return Table(
            name=f"slices-{among}",
            columns=(
                Column("human", "with", right=False, show="varies"),
                Column("by", right=False),
                Column("slice", right=False),
                Column("topics", right=True),
                *(
                    Column(measure.measure, f"{measure.heading}, input level", right=True)
                    for measure in measures
                ),
            ),
            rows=tuple(
                (
                    key[0].heading,
                    *key[1:],
                    max(held[(*key, measure)].test.n_inside for measure in measures),
                    *(_shown(held[(*key, measure)]) for measure in measures),
                )
                for key in keys
            ),
            title=(
                f"{coefficient_words(self.coefficient)} with people at the input level on some topics, among"
                f" {over_words(among)}; * significantly less, + significantly more than on the other topics"
            ),
        )


def _shown(row: SlicedCorrelation) -> Cell:
    if math.isnan(row.test.inside):
        return None
    return f"{row.test.inside:z.3f}{ {'worse': '*', 'better': '+'}.get(row.verdict, ' ') }".rstrip()


def slices(
    scores: Scores,
    cells: Cells,
    *,
    by: Sequence[str] = (),
    coefficient: Coefficient = "spearman",
    among: Among | Sequence[Among] = "all",
    alpha: float = 0.05,
    correct: Correction = "holm",
    resamples: int | None = None,
    seed: int = 0,
) -> SlicesResult:
    """Where each measure correlates less with people than elsewhere, by what is known of topics; all unless named.

    The correlations are those of the input level, one per topic, so that slices of different sizes compare like with
    like. Topics change places between slices at random, as often as the correction needs unless `resamples` says; p is
    corrected over all slices, measures and human ones of one choice of systems.
    """
    rows: list[SlicedCorrelation] = []
    absent: dict[str, str] = {}
    dependent: dict[Dependent, None] = {}
    wanted = several_among(among)
    for which in wanted:
        chosen = cells.among(which)
        slices, without = topic_slices(scores, chosen, by)
        absent |= without
        if chosen.clusters is not None:
            dependent[_dependent(chosen.clusters, chosen, slices)] = None
        rows += _sliced(chosen, slices, coefficient, alpha, correct, resamples, seed)
    return SlicesResult(
        rows=tuple(rows),
        coefficient=coefficient,
        among=wanted,
        alpha=alpha,
        correct=correct,
        dependent=tuple(dependent),
        absent=absent,
        resamples=resamples,
        seed=seed,
    )


def _sliced(
    cells: Cells,
    slices: Sequence[TopicSlice],
    coefficient: Coefficient,
    alpha: float,
    correct: Correction,
    resamples: int | None,
    seed: int,
) -> Iterator[SlicedCorrelation]:
    """All measures on all slices, of one choice of systems: one family of tests."""
    masks = np.array([topic_slice.inside for topic_slice in slices])
    family = 1 if correct == "none" else len(slices) * len(cells.measures) * len(cells.humans)
    many = resamples or min(max(RESAMPLES, math.ceil(4 * family / alpha)), MOST_RESAMPLES)
    tests: list[tuple[MeasureInfo, MeasureInfo, TopicSlice, SliceTest]] = []
    for human in cells.humans:
        inputs = correlations(cells.automatic, human.values, level="input", coefficient=coefficient).inputs
        for measure, values in zip(cells.measures, inputs, strict=True):
            rng = generator(seed, f"meta/slices/{human.info.measure}/{measure.measure}")
            some = slice_tests(values, masks, rng=rng, resamples=many)
            tests += [
                (measure, human.info, topic_slice, test)
                for topic_slice, test in zip(slices, some, strict=True)
            ]
    corrected = reached(
        np.array([test.p for *_, test in tests]),
        np.array([test.smallest for *_, test in tests]),
        alpha=alpha,
        method=correct,
    )
    for at, (measure, human_info, topic_slice, test) in enumerate(tests):
        yield SlicedCorrelation(
            measure=measure,
            human=human_info,
            among=cells.chosen,
            coefficient=coefficient,
            by=topic_slice.by,
            slice=topic_slice.name,
            test=test,
            p_adjusted=float(corrected.adjusted[at]),
            verdict=_verdict(test, float(corrected.adjusted[at]), bool(corrected.reachable[at]), alpha),
        )


def _dependent(clusters: Sequence[str], cells: Cells, slices: Sequence[TopicSlice]) -> Dependent:
    names = np.array(clusters)
    divided = any(len(set(s.inside[names == name].tolist())) > 1 for s in slices for name in set(names))
    if set(clusters) != set(cells.row_topics):
        return "sets-divided" if divided else "sets"
    return "lengths-divided" if divided else "lengths"


def _verdict(test: SliceTest, p: float, reachable: bool, alpha: float) -> str:
    if test.why is not None:
        return "blank"
    if p <= alpha:
        return "worse" if test.difference < 0 else "better"
    return "not significantly different" if reachable else "could not have been found"


# What topics have in common


def topic_slices(
    scores: Scores, cells: Cells, by: Sequence[str] = ()
) -> tuple[list[TopicSlice], dict[str, str]]:
    """The slices, and why properties that were not named have none."""
    slices: list[TopicSlice] = []
    absent: dict[str, str] = {}
    measured: Mapping[str, FloatArray] | Note | None = None
    for name in by or PROPERTIES:
        if name in NAMED:
            made = _named(scores, cells, name)
        else:
            if measured is None:
                measured = text_values(scores, cells.row_texts, cells.systems, MEASURED)
            made = measured if isinstance(measured, Note) else thirds(name, measured[name])
        if isinstance(made, Note):
            absent[name] = made.words(NO_SLICES)
        else:
            slices += [TopicSlice(name, words, mask) for words, mask in made]
    if not slices:
        raise DataError("; ".join(f"no slices by {name}: {why}" for name, why in absent.items()))
    return slices, absent


def _named(scores: Scores, cells: Cells, name: str) -> Masks | Note:
    if name != "length":
        return by_name(scores.topic_values(name, cells.row_topics), name)  # type: ignore[arg-type]
    lengths = [None if row.length is None else str(row.length) for row in cells.row_texts]
    return by_name(lengths, name) if len(set(lengths)) > 1 else Note.of("one-target", by=name)
