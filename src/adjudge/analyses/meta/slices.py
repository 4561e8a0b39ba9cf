"""Where a measure fails: its correlation with people on some topics, beside the others.

Slices are the values of what is known of topics (set, type, task, selector, length), and thirds of topics by the words
of their sources, and by the compression and the copy rate of the judged summaries on average.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge import __version__
from adjudge.analyses.corrections import CORRECTIONS
from adjudge.analyses.meta.cells import Cells, several_among
from adjudge.analyses.meta.words import MEASURED, NAMED, PROPERTIES, coefficient_words, over_words
from adjudge.analyses.scores import Scores
from adjudge.analyses.slices.slicing import Masks, by_name, text_values, thirds
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, listed
from adjudge.data.scores import Among, MeasureInfo
from adjudge.stats.correlation import Coefficient, correlations
from adjudge.stats.multiple import Correction, reached
from adjudge.stats.slices import SliceTest, slice_tests

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import BoolArray, FloatArray

RESAMPLES = 2000
MOST_RESAMPLES = 100_000


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


@dataclass(frozen=True, repr=False)
class SlicesResult(Tabular):
    """Every measure on every slice, by choice of systems; p is corrected over the tests of one choice."""

    rows: tuple[SlicedCorrelation, ...]
    coefficient: Coefficient
    among: tuple[Among, ...]
    alpha: float
    correct: Correction
    sets: tuple[str, ...] = ()
    """What is said of topics that are not independent."""
    signature: str = ""
    absent: tuple[str, ...] = ()
    """Properties without slices, and why."""

    def of(self, among: Among) -> tuple[SlicedCorrelation, ...]:
        """The rows of one choice of systems."""
        return tuple(each for each in self.rows if each.among == among)

    def _level(self, among: Among) -> str:
        return f"at the input level by {coefficient_words(self.coefficient)}, among {over_words(among)}"

    def headline(self) -> str:
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        for among in self.among:
            yield from self._said(among)
        yield from self.sets

    def _said(self, among: Among) -> Iterator[str]:
        rows, level = self.of(among), self._level(among)
        worse = [each for each in rows if each.verdict == "worse"]
        tests = counted(sum(not math.isnan(each.p_adjusted) for each in rows), "test")
        corrected = (
            f"{tests}, not corrected" if self.correct == "none" else CORRECTIONS[self.correct].over(tests)
        )
        for each in worse:
            t = each.test
            yield (
                f"{each.measure.words} correlates significantly less with {each.human.words} on topics with"
                f" {each.by} {each.slice}, {level}: {t.inside:.2f} on {counted(t.n_inside, 'topic')},"
                f" {t.outside:.2f} on the other {t.n_outside} (p = {each.p_adjusted:.3g}, {corrected})."
            )
        tested = [each for each in rows if each.verdict in ("worse", "better", "not significantly different")]
        by = listed(list(dict.fromkeys(each.by for each in rows)))
        if not tested:
            yield f"No difference between slices by {by} could have been found, {level}: too few topics."
        elif not worse:
            yield (
                f"No measure correlates significantly less on any slice by {by} than on the other topics, {level}"
                f" ({corrected}); that is no proof that none does."
            )

    def table(self) -> Table:
        """The first choice of systems; `tables` has all."""
        return replace(self._table(self.among[0]), said=tuple(self.sentences()))

    def tables(self) -> Tables:
        return Tables(tuple(map(self._table, self.among)))

    def _table(self, among: Among) -> Table:
        """A row per slice and human measure, a column per measure; `to_frame` has a row for each of these numbers."""
        rows = self.of(among)
        measures = list(dict.fromkeys(each.measure for each in rows))
        keys = list(dict.fromkeys((each.human, each.by, each.slice) for each in rows))
        held = {(each.human, each.by, each.slice, each.measure): each for each in rows}
        return Table(
            name=f"slices-{among}",
            columns=(
                Column("human", "with", right=False, show="varies"),
                Column("by", right=False),
                Column("slice", right=False),
                Column("topics", right=True),
                *(Column(each.measure, f"{each.heading}, input level", right=True) for each in measures),
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
            said=(*self._said(among), *self.sets),
            notes=tuple(self._notes(rows)),
            signature=self.signature,
        )

    def _notes(self, rows: Sequence[SlicedCorrelation]) -> Iterator[str]:
        yield from self.absent
        yield "slices are of the input level: only there does every topic have a correlation of its own"
        blank = [each for each in rows if each.test.why]
        for why in dict.fromkeys(f"{each.by} {each.slice}: {each.test.why}" for each in blank):
            yield f"not tested: {why}"

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([each.record() for each in self.rows])

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "level": "input",
                "coefficient": self.coefficient,
                "among": list(self.among),
                "alpha": self.alpha,
                "correct": self.correct,
                "rows": [each.record() for each in self.rows],
                "sentences": list(self.sentences()),
                "notes": list(dict.fromkeys(self._notes(self.rows))),
                "signature": self.signature,
            }
        )
        return found


def _shown(each: SlicedCorrelation) -> Cell:
    if math.isnan(each.test.inside):
        return None
    return f"{each.test.inside:z.3f}{ {'worse': '*', 'better': '+'}.get(each.verdict, ' ') }".rstrip()


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
    absent: dict[str, None] = {}
    sets: dict[str, None] = {}
    wanted = several_among(among)
    for which in wanted:
        own = cells.among(which)
        found, notes = topic_slices(scores, own, by)
        absent |= dict.fromkeys(notes)
        sets |= dict.fromkeys(_dependent(own, found))
        rows += _sliced(own, found, coefficient, alpha, correct, resamples, seed)
    signature = (
        f"slices|input|{coefficient}|among:{'+'.join(wanted)}|permutation:{resamples or 'as-needed'}"
        f"|correct:{correct}|alpha:{alpha:g}|seed:{seed}|v:{__version__}"
    )
    return SlicesResult(
        rows=tuple(rows),
        coefficient=coefficient,
        among=wanted,
        alpha=alpha,
        correct=correct,
        sets=tuple(sets),
        signature=signature,
        absent=tuple(absent),
    )


def _sliced(
    cells: Cells,
    found: Sequence[TopicSlice],
    coefficient: Coefficient,
    alpha: float,
    correct: Correction,
    resamples: int | None,
    seed: int,
) -> Iterator[SlicedCorrelation]:
    """All measures on all slices, of one choice of systems: one family of tests."""
    masks = np.array([each.inside for each in found])
    family = 1 if correct == "none" else len(found) * len(cells.measures) * len(cells.humans)
    many = resamples or min(max(RESAMPLES, math.ceil(4 * family / alpha)), MOST_RESAMPLES)
    tests: list[tuple[MeasureInfo, MeasureInfo, TopicSlice, SliceTest]] = []
    for human in cells.humans:
        inputs = correlations(cells.automatic, human.values, level="input", coefficient=coefficient).inputs
        for measure, own in zip(cells.measures, inputs, strict=True):
            rng = generator(seed, f"meta/slices/{human.info.measure}/{measure.measure}")
            some = slice_tests(own, masks, rng=rng, resamples=many)
            tests += [(measure, human.info, each, test) for each, test in zip(found, some, strict=True)]
    corrected = reached(
        np.array([test.p for *_, test in tests]),
        np.array([test.smallest for *_, test in tests]),
        alpha=alpha,
        method=correct,
    )
    for at, (measure, human_info, each, test) in enumerate(tests):
        yield SlicedCorrelation(
            measure=measure,
            human=human_info,
            among=cells.chosen,
            coefficient=coefficient,
            by=each.by,
            slice=each.name,
            test=test,
            p_adjusted=float(corrected.adjusted[at]),
            verdict=_verdict(test, float(corrected.adjusted[at]), bool(corrected.reachable[at]), alpha),
        )


def _dependent(cells: Cells, found: Sequence[TopicSlice]) -> Iterator[str]:
    """What to say where several rows are of one set, or of one topic."""
    if cells.clusters is None:
        return
    names = np.array(cells.clusters)
    split = any(len(set(each.inside[names == name].tolist())) > 1 for each in found for name in set(names))
    what = "Topics of one set" if set(cells.clusters) != set(cells.row_topics) else "Lengths of one topic"
    yield (
        f"{what} change places one by one between slices, as if they were independent: where they are alike, p is"
        f" too small{' for slices that take them whole, and too large for those that divide them' if split else ''}."
    )


def _verdict(test: SliceTest, p: float, reachable: bool, alpha: float) -> str:
    if test.why is not None:
        return "blank"
    if p <= alpha:
        return "worse" if test.difference < 0 else "better"
    return "not significantly different" if reachable else "could not have been found"


# What topics have in common


def topic_slices(
    scores: Scores, cells: Cells, by: Sequence[str] = ()
) -> tuple[list[TopicSlice], tuple[str, ...]]:
    """The slices, and why properties that were not named have none."""
    for name in by:
        if name not in PROPERTIES:
            raise UsageError(
                f"slices by {quoted(name)}{nearest(name, PROPERTIES)}; expected one of: {', '.join(PROPERTIES)}"
            )
    found: list[TopicSlice] = []
    absent: dict[str, str] = {}
    measured: Mapping[str, FloatArray] | str | None = None
    for name in by or PROPERTIES:
        if name in NAMED:
            made = _named(scores, cells, name)
        else:
            if measured is None:
                measured = text_values(scores, cells.row_texts, cells.systems, MEASURED)
            made = measured if isinstance(measured, str) else thirds(name, measured[name])
        if isinstance(made, str):
            absent[name] = made
        else:
            found += [TopicSlice(name, words, mask) for words, mask in made]
    if not found:
        raise DataError("; ".join(f"no slices by {name}: {why}" for name, why in absent.items()))
    return found, tuple(f"no slices by {name}: {why}" for name, why in absent.items())


def _named(scores: Scores, cells: Cells, name: str) -> Masks | str:
    if name != "length":
        return by_name(scores.topic_values(name, cells.row_topics), name)  # type: ignore[arg-type]
    lengths = [None if each.length is None else str(each.length) for each in cells.row_texts]
    return by_name(lengths, name) if len(set(lengths)) > 1 else "one length is looked at"
