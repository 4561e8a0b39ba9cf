"""Where a measure fails: its correlation with people on some topics, beside the others.

Slices are the values of what is known of topics (set, type, task, selector, length), and thirds of topics by the words
of their sources, and by the compression and the copy rate of the judged summaries on average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from adjudge import __version__
from adjudge.analyses.meta import MEASURED, NAMED, PROPERTIES, Meta
from adjudge.analyses.meta.cells import Cells
from adjudge.analyses.meta.parts import MetaRun
from adjudge.analyses.meta.words import coefficient_words, over_words
from adjudge.analyses.scores import Scores
from adjudge.analyses.slices.slicing import Masks, by_name, text_values, thirds
from adjudge.analyses.slices.words import NO_SLICES
from adjudge.core.errors import DataError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.correlation import Coefficient, correlations
from adjudge.stats.multiple import reached
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

    WORDS = "adjudge.analyses.meta.words.slices"
    ROWS_SAY_ALL: ClassVar[bool] = True
    FRAME = "slices"
    IN_JSON = ("slices",)

    rows: tuple[SlicedCorrelation, ...]
    among: tuple[Among, ...]
    options: Meta
    dependent: tuple[Dependent, ...]
    """Where topics are not independent."""
    absent: Mapping[str, str]
    """Properties without slices, and why."""

    @property
    def coefficient(self) -> Coefficient:
        return self.options.correlated_by[0]

    def of(self, among: Among) -> tuple[SlicedCorrelation, ...]:
        """The rows of one choice of systems."""
        return tuple(row for row in self.rows if row.among == among)

    def how(self) -> str:
        asked = self.options
        return (
            f"slices|input|{self.coefficient}|among:{'+'.join(self.among)}|permutation:{asked.resamples or 'as-needed'}"
            f"|correct:{asked.step_correction}|alpha:{asked.alpha:g}|seed:{asked.seed}|v:{__version__}"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "level": "input",
            "coefficient": self.coefficient,
            "among": list(self.among),
            "alpha": self.options.alpha,
            "correct": self.options.step_correction,
        }

    def notes(self) -> Iterator[Note]:
        for by, why in self.absent.items():
            yield Note.of("no-slices", by=by, why=why)
        yield Note.of("slices-of-the-input-level")
        for row in self.rows:
            if row.test.why:
                note = Note.of("slice-not-tested", by=row.by, slice=row.slice, why=row.test.why)
                yield note.on(f"slices-{row.among}")

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"slices": self._all_rows}

    def _all_rows(self) -> Table:
        """A row per measure, human measure, choice of systems and slice."""
        rows = [row.record() for row in self.rows]
        return Table.of("slices", rows, *rows[0])

    def tables(self) -> Iterator[Table]:
        """By choice of systems a row per slice and human measure, a column per measure."""
        for among in self.among:
            lines: dict[tuple[str, str, str], dict[str, Any]] = {}
            measures: dict[str, str] = {}
            for row in self.of(among):
                measure, n = row.measure.measure, row.test.n_inside
                names = {"human": row.human.heading, "by": row.by, "slice": row.slice, "topics": n}
                line = lines.setdefault((row.human.measure, row.by, row.slice), names)
                line["topics"] = max(line["topics"], n)
                mark = {"worse": "*", "better": "+"}.get(row.verdict, "")
                line[measure] = None if math.isnan(row.test.inside) else f"{row.test.inside:z.3f}{mark}"
                measures[measure] = row.measure.heading
            yield Table.of(
                f"slices-{among}",
                lines.values(),
                Column("human", "with", right=False, show="varies"),
                Column("by", right=False),
                Column("slice", right=False),
                Column("topics", right=True),
                *(Column(name, heading, right=True) for name, heading in measures.items()),
                title=(
                    f"{coefficient_words(self.coefficient)} with people at the input level on slices of topics, among"
                    f" {over_words(among)}: * significantly less, + significantly more than on the other topics"
                ),
            )


def slices(run: MetaRun) -> SlicesResult:
    """Where each measure correlates less with people than elsewhere, by what is known of topics; all unless named.

    The correlations are those of the input level, one per topic, so that slices of different sizes compare like with
    like. Topics change places between slices at random, as often as the correction needs unless a number is asked for;
    p is corrected over all slices, measures and human ones of one choice of systems.
    """
    assert run.scores is not None
    rows: list[SlicedCorrelation] = []
    absent: dict[str, str] = {}
    dependent: dict[Dependent, None] = {}
    for cells in run.choices:
        slices, without = topic_slices(run.scores, cells, run.asked.by)
        absent |= without
        if cells.clusters is not None:
            sets = np.array(cells.clusters)
            divided = any(len(set(s.inside[sets == name].tolist())) > 1 for s in slices for name in set(sets))
            what = "lengths" if set(cells.clusters) == set(cells.row_topics) else "sets"
            dependent[f"{what}-divided" if divided else what] = None  # type: ignore[index]
        rows += _sliced(run, cells, slices)
    return SlicesResult(
        rows=tuple(rows), among=run.among, options=run.asked, dependent=tuple(dependent), absent=absent
    )


def _sliced(run: MetaRun, cells: Cells, slices: Sequence[TopicSlice]) -> Iterator[SlicedCorrelation]:
    """All measures on all slices, of one choice of systems: one family of tests."""
    asked, coefficient = run.asked, run.asked.correlated_by[0]
    masks = np.array([topic_slice.inside for topic_slice in slices])
    family = len(slices) * len(cells.measures) * len(cells.humans)
    burden = 1 if asked.step_correction == "none" else family
    resamples = asked.resamples or min(max(RESAMPLES, math.ceil(4 * burden / asked.alpha)), MOST_RESAMPLES)
    tests: list[tuple[MeasureInfo, MeasureInfo, TopicSlice, SliceTest]] = []
    for human in cells.humans:
        inputs = correlations(cells.automatic, human.values, level="input", coefficient=coefficient).inputs
        for measure, values in zip(cells.measures, inputs, strict=True):
            rng = run.draws(f"slices/{human.info.measure}/{measure.measure}")
            some = slice_tests(values, masks, rng=rng, resamples=resamples)
            tests += [(measure, human.info, of, test) for of, test in zip(slices, some, strict=True)]
    corrected = reached(
        np.array([test.p for *_, test in tests]),
        np.array([test.smallest for *_, test in tests]),
        alpha=asked.alpha,
        method=asked.step_correction,
    )
    for at, (measure, human_info, topic_slice, test) in enumerate(tests):
        p = float(corrected.adjusted[at])
        verdict = "not significantly different" if corrected.reachable[at] else "could not have been found"
        if test.why is not None:
            verdict = "blank"
        elif p <= asked.alpha:
            verdict = "worse" if test.difference < 0 else "better"
        yield SlicedCorrelation(
            measure=measure,
            human=human_info,
            among=cells.chosen,
            coefficient=coefficient,
            by=topic_slice.by,
            slice=topic_slice.name,
            test=test,
            p_adjusted=p,
            verdict=verdict,
        )


# What topics have in common


def topic_slices(
    scores: Scores, cells: Cells, by: Sequence[str] = ()
) -> tuple[list[TopicSlice], dict[str, str]]:
    """The slices, and why properties that were not named have none."""
    slices: list[TopicSlice] = []
    absent: dict[str, str] = {}
    measured: Mapping[str, FloatArray] | Note | None = None
    for name in by or PROPERTIES:
        made: Masks | Note
        if name == "length":
            lengths = [None if row.length is None else str(row.length) for row in cells.row_texts]
            made = by_name(lengths, name) if len(set(lengths)) > 1 else Note.of("one-target", by=name)
        elif name in NAMED:
            made = by_name(scores.topic_values(name, cells.row_topics), name)  # type: ignore[arg-type]
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
