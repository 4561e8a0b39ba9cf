"""Every system's mean on every slice, and permutation tests of whether their differences vary with a property."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.matrix_result import MatrixResult
from adjudge.analyses.slices import OF_TARGETS, OF_TEXTS, OF_TOPICS, SLICED_BY, Slices
from adjudge.analyses.slices.slicing import LookedAt, Masks, by_name, look_at, text_values, thirds
from adjudge.analyses.slices.words import (
    NO_SLICES,
    NOT_SHOWN,
    NOT_TESTABLE,
    NOT_TESTED,
    UNFINDABLE,
    VARY,
)
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.results import Note
from adjudge.core.table import Column, Table, hidden
from adjudge.core.words import decimal, natural
from adjudge.data.scores import UNSET, AllLengths, Pool, ScoreMatrix, form_words, heading_of
from adjudge.stats.multiple import reached
from adjudge.stats.slices import SliceInteraction, slice_interaction

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.stats.checks import FloatArray, IntArray


class Unsliced(DataError):
    """Topics cannot be sliced by anything."""


@dataclass(frozen=True)
class SlicedMean:
    """One system on one slice. `inside` and `outside` are its distance from the mean of the tested systems there and
    elsewhere; they and p are NaN where the system, or the property, was not tested."""

    slice: str
    system: str
    mean: float
    n: int
    inside: float = math.nan
    outside: float = math.nan
    p: float = math.nan
    """Corrected over the slices and systems of the property, and never below the property's own p."""


@dataclass(frozen=True)
class PropertySlices:
    """The slices by one property: every system's mean on each, and whether differences vary with it."""

    by: str
    slices: tuple[str, ...]
    topics: tuple[int, ...]
    """Topics in every slice."""
    means: tuple[SlicedMean, ...]
    """Slice by slice, systems in the order of their means over all topics."""
    test: SliceInteraction | None
    tested: tuple[str, ...]
    """The systems that the test is of: those with scores on more than half of every slice's topics."""
    rows: int
    """Topics on which all of these have scores (of slices by length or form: topics at a length or form)."""
    p_adjusted: float = math.nan
    conclusion: str = NOT_TESTED
    untestable: str | None = None
    """The code of why it was not tested."""
    within: bool = False
    """Whether every topic is in several slices, as with lengths."""
    alpha: float = 0.05

    @property
    def why(self) -> str | None:
        """Why it was not tested."""
        return None if self.untestable is None else NOT_TESTABLE[self.untestable]

    @property
    def sizes(self) -> dict[str, int]:
        """Topics by slice."""
        return dict(zip(self.slices, self.topics, strict=True))

    @property
    def standing_out(self) -> tuple[SlicedMean, ...]:
        """Systems that stand otherwise to the others on a slice than elsewhere, the surest first."""
        if self.conclusion != VARY:
            return ()
        cells = [cell for cell in self.means if cell.p <= self.alpha]
        return tuple(sorted(cells, key=lambda cell: (cell.p, -abs(cell.inside - cell.outside))))


@dataclass(frozen=True, repr=False, kw_only=True)
class SystemSlices(MatrixResult):
    """How systems compare within slices of topics; p is corrected over the properties that were tested."""

    FIGURES: ClassVar[Mapping[str, str]] = {"slices": "adjudge.analyses.slices.figures:slices_figure"}
    FRAME = "cells"

    asked: Slices
    matrix: ScoreMatrix
    """All topics, systems in the order of their means."""
    properties: tuple[PropertySlices, ...]
    absent: Mapping[str, Note]
    """Properties without slices, and why."""
    chosen: tuple[Note, ...] = ()
    """The length and form that are looked at, where nobody chose."""
    sets_as_independent: bool = False
    """Whether topics of one set change places one by one."""
    assessors: int = 0

    def how(self) -> str:
        by = "+".join(sliced.by.replace(" ", "-") for sliced in self.properties)
        return (
            f"{self.matrix.signature}|slices:{by}|test:permutation:{self.asked.resamples}"
            f"|correct:{self.asked.correct}|alpha:{self.alpha:g}|seed:{self.asked.seed}|v:{__version__}"
        )

    def by(self, name: str) -> PropertySlices:
        """The slices by one property."""
        for sliced in self.properties:
            if sliced.by == name:
                return sliced
        names = [sliced.by for sliced in self.properties]
        raise UsageError(f"no slices by {quoted(name)}{nearest(name, names)}; there are: {', '.join(names)}")

    @property
    def overall(self) -> tuple[float, ...]:
        """Every system's mean over all topics."""
        return tuple(float(mean) for mean in np.nanmean(self.matrix.values, axis=0))

    def called(self, names: Mapping[str, str]) -> SystemSlices:
        """The same with systems under other names, for sentences that fit a page."""

        def renamed(sliced: PropertySlices) -> PropertySlices:
            means = tuple(replace(cell, system=names[cell.system]) for cell in sliced.means)
            return replace(sliced, means=means, tested=tuple(names[s] for s in sliced.tested))

        matrix = replace(self.matrix, systems=tuple(names[s] for s in self.matrix.systems))
        return replace(self, matrix=matrix, properties=tuple(map(renamed, self.properties)))

    def concluded(self, conclusion: str) -> list[PropertySlices]:
        """The properties of which the test concludes this."""
        return [sliced for sliced in self.properties if sliced.conclusion == conclusion]

    def notes(self) -> Iterator[Note]:
        absent: dict[str, list[str]] = {}
        for name, why in self.absent.items():
            absent.setdefault(str(why.words(NO_SLICES)), []).append(name)
        for reason, names in absent.items():
            yield Note.of("no-slices", by=names, why=reason)
        left_out: dict[tuple[int, bool], list[str]] = {}
        for sliced in self.properties:
            if sliced.why:
                yield Note.of("slices-not-tested", by=sliced.by, why=sliced.why)
            apart = [system for system in self.matrix.systems if system not in sliced.tested]
            if apart and sliced.tested:
                yield Note.of("systems-not-in-the-test", by=sliced.by, systems=apart)
            left = sum(sliced.topics) - sliced.rows
            if left and sliced.test is not None:
                left_out.setdefault((left, sliced.within), []).append(sliced.by)
            unknown = len(self.matrix.topics) - sum(sliced.topics)
            if unknown > 0 and not sliced.within:
                yield Note.of("topics-in-no-slice", by=sliced.by, n=unknown)
        for (n, within), properties in left_out.items():
            yield Note.of("topics-not-in-the-test", by=properties, n=n, within=within)
        yield from self.chosen
        if self.sets_as_independent:
            yield Note.of("sets-as-independent")
        if self.assessors > 1:
            yield Note.of("several-assessors", n=self.assessors)

    def tables(self) -> Iterator[Table]:
        """A row per property, then every system's means on the slices of each."""
        of_test = {"share": "share", "p": "p", "smallest_p": "smallest"}
        yield Table.of(
            "slices",
            [
                {
                    **vars(sliced),
                    "measure": self.measure,
                    "slices": len(sliced.slices),
                    "topics": sliced.rows,
                    "systems": len(sliced.tested),
                    **{name: getattr(sliced.test, number, None) for name, number in of_test.items()},
                    "why": sliced.why,
                }
                for sliced in self.properties
            ],
            *hidden("measure"),
            Column("by", right=False),
            "slices topics systems",
            Column("share", "variance between slices", format=".1%", tiny=False),
            Column("p", format=".4f"),
            *hidden("smallest_p"),
            Column("p_adjusted", "corrected", format=".4f"),
            Column("conclusion", "differences between systems", right=False),
            *hidden("why"),
            title=f"{self.matrix.heading}: do differences between systems vary with topics?",
        )
        for sliced in self.properties:
            yield self.means_table(sliced)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"cells": self._cells}

    def means_table(self, sliced: PropertySlices) -> Table:
        """Every system's mean on every slice; + and - where it stands otherwise to the others than elsewhere."""
        marks = {(cell.slice, cell.system): cell.inside > cell.outside for cell in sliced.standing_out}
        signs = {None: "", True: "+", False: "-"}
        shown = {
            (cell.slice, cell.system): None
            if math.isnan(cell.mean)
            else f"{decimal(cell.mean)}{signs[marks.get((cell.slice, cell.system))]}"
            for cell in sliced.means
        }
        overall = dict(zip(self.matrix.systems, self.overall, strict=True))
        heading = {
            "length": heading_of(self.matrix.info, None, self.matrix.form),
            "form": heading_of(self.matrix.info, self.matrix.length, None),
        }.get(sliced.by, self.matrix.heading)
        key = "; + higher, - lower than elsewhere, relative to the other systems" if marks else ""
        # A mean over all topics is at one of the lengths, or in one form.
        return Table.of(
            f"slices-{sliced.by.replace(' ', '-')}",
            [
                (
                    system,
                    *(() if sliced.within else (overall[system],)),
                    *(shown[name, system] for name in sliced.slices),
                )
                for system in self.matrix.systems
            ],
            Column("system", right=False),
            *(() if sliced.within else (Column("all", format=".4f"),)),
            *(Column(name, f"{name} ({n})", right=True) for name, n in sliced.sizes.items()),
            title=f"{heading}, by {sliced.by}: means (number of topics){key}",
        )

    def _cells(self) -> Table:
        """A row per property, slice and system."""
        return Table.of(
            "cells",
            [
                {
                    **vars(cell),
                    "measure": self.measure,
                    "length": self.matrix.length,
                    "form": self.matrix.target.form,
                    "by": sliced.by,
                    "topics": sliced.sizes[cell.slice],
                    "p_cell": cell.p,
                    "p_adjusted": sliced.p_adjusted,
                    "conclusion": sliced.conclusion,
                }
                for sliced in self.properties
                for cell in sliced.means
            ],
            "measure length form by slice topics system mean n inside outside p_cell p_adjusted conclusion",
        )

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "better": self.matrix.info.better,
            "length": self.matrix.length,
            "form": self.matrix.target.form,
            "slices": {sliced.by: sliced.sizes for sliced in self.properties},
            "tested": {sliced.by: sliced.tested for sliced in self.properties},
            "absent": {name: why.words(NO_SLICES) for name, why in self.absent.items()},
            "cells": list(self._cells().records()),
        }


# The analysis


def sliced(scores: Scores, asked: Slices) -> SystemSlices:
    """The slices of one measure by what was asked for, or by all that there is."""
    name = scores.resolve(asked.measure)
    looked = look_at(scores, name, asked.length, asked.form)
    matrix = _ordered(scores.matrix(name, length=looked.length, form=looked.form, pool=asked.pool).averaged())
    rows: dict[str, _Sliced] = {}
    absent: dict[str, Note] = {}
    texts: Mapping[str, FloatArray] | Note | None = None
    wanted = asked.by or SLICED_BY
    for by in wanted:
        if by in OF_TARGETS:
            made: _Sliced | Masks | Note = _by_target(scores, matrix, by, looked, asked.pool)
        elif by in OF_TOPICS:
            made = by_name(scores.topic_values(by, matrix.topics), by)  # type: ignore[arg-type]
        else:
            if texts is None:
                of_texts = [name for name in wanted if name in OF_TEXTS]
                texts = text_values(scores, looked.texts(matrix.topics), matrix.systems, of_texts)
            made = texts if isinstance(texts, Note) else thirds(by, texts[by])
        if isinstance(made, Note):
            absent[by] = made
        else:
            rows[by] = made if isinstance(made, _Sliced) else _Sliced(matrix.values, made, None)
    if not rows and asked.by:
        raise DataError("; ".join(f"no slices by {by}: {why.words(NO_SLICES)}" for by, why in absent.items()))
    if not rows:
        raise Unsliced(
            "topics cannot be sliced: they have no set, type, task or selector (topics.jsonl, or columns of a long"
            " table), and no source documents"
        )
    sets = [name for name in scores.topic_values("set", matrix.topics) if name is not None]
    return SystemSlices(
        asked=asked,
        about_scores=scores.unsaid_notes(name),
        matrix=matrix,
        properties=tuple(_tested(rows, matrix.systems, asked)),
        absent=absent,
        chosen=looked.chosen,
        sets_as_independent=len(set(sets)) < len(sets)
        and any(of_property.blocks is None for of_property in rows.values()),
        assessors=scores.count_assessors(name, looked.length, looked.form),
    )


def _ordered(matrix: ScoreMatrix) -> ScoreMatrix:
    """The best mean first; of a description the highest."""
    if (np.isnan(matrix.values)).all():
        raise DataError(f"{matrix.measure}: every score is missing")
    scored = [k for k in range(len(matrix.systems)) if not np.isnan(matrix.values[:, k]).all()]
    if len(scored) < 2:
        raise DataError(f"{matrix.measure}: one system has scores, so there is nothing to compare")
    sign = 1 if matrix.info.better == "lower" else -1
    means = np.nanmean(matrix.values[:, scored], axis=0)
    return matrix.select([matrix.systems[scored[k]] for k in np.argsort(sign * means, kind="stable")])


@dataclass(frozen=True)
class _Sliced:
    """Rows x systems with the masks of slices; `blocks` is the topic of every row, where topics are in several."""

    values: FloatArray
    masks: Masks
    blocks: IntArray | None


def _by_target(
    scores: Scores, matrix: ScoreMatrix, name: str, looked: LookedAt, pool: Pool
) -> _Sliced | Note:
    """A row for every topic at each length, or in each form."""
    targets: list[tuple[int | AllLengths | None, str | None]]
    if name == "length":
        words = ["no set length" if n == UNSET else f"{n} words" for n in looked.lengths]
        targets = [(n, looked.form) for n in looked.lengths]
    else:
        words = [form_words(form_name) for form_name in looked.forms]
        targets = [(looked.length, form_name) for form_name in looked.forms]
    if len(targets) < 2:
        return Note.of("one-target", by=name)
    parts: dict[str, ScoreMatrix] = {}
    for word, (length, form) in zip(words, targets, strict=True):
        with suppress(UsageError):  # a form that has no scores at this length
            parts[word] = scores.matrix(looked.measure, length=length, form=form, pool=pool).averaged()
    both = [s for s in matrix.systems if all(s in part.systems for part in parts.values())]
    if len(parts) < 2 or len(both) < 2:
        return Note.of("few-systems", by=name)
    topics = sorted({topic for part in parts.values() for topic in part.topics}, key=natural)
    values, blocks, labels = [], [], []
    for k, part in enumerate(parts.values()):
        compared = [s for s in part.systems if s in matrix.systems]
        placed = np.full((len(part.topics), len(matrix.systems)), math.nan)
        placed[:, [matrix.systems.index(s) for s in compared]] = part.select(compared).values
        values.append(placed)
        blocks += [topics.index(topic) for topic in part.topics]
        labels += [k] * len(part.topics)
    masks = [(word, np.array(labels) == k) for k, word in enumerate(parts)]
    return _Sliced(np.concatenate(values), masks, np.array(blocks))


# The tests


def _tested(rows: Mapping[str, _Sliced], systems: Sequence[str], asked: Slices) -> Iterator[PropertySlices]:
    """The slices by every property, and what is concluded, corrected over all that were tested."""
    properties = [_of_property(by, made, systems, asked) for by, made in rows.items()]
    tests = [sliced.test for sliced in properties if sliced.test is not None]
    corrected = reached(
        np.array([test.p for test in tests]),
        np.array([test.smallest for test in tests]),
        alpha=asked.alpha,
        method=asked.correct,
    )
    concluded = zip(corrected.adjusted.tolist(), corrected.reachable.tolist(), strict=True)
    for sliced in properties:
        if sliced.test is None:
            yield sliced
            continue
        p, reachable = next(concluded)
        yield replace(
            sliced,
            p_adjusted=p,
            conclusion=VARY if p <= asked.alpha else NOT_SHOWN if reachable else UNFINDABLE,
            means=tuple(replace(cell, p=max(cell.p, p)) for cell in sliced.means),
        )


def _of_property(by: str, made: _Sliced, systems: Sequence[str], asked: Slices) -> PropertySlices:
    """Every system's mean on every slice, and the test, where there is one, without correction."""
    there = ~np.isnan(made.values)
    # Topics of a slice that have any score.
    topics = [int(np.count_nonzero(there[mask].any(axis=1))) for _, mask in made.masks]
    kept = [
        k
        for k in range(len(systems))
        if all(2 * there[mask, k].sum() > n for n, (_, mask) in zip(topics, made.masks, strict=True))
    ]
    test, rows, why = _test(by, made, kept, asked)
    means = []
    for s, (name, mask) in enumerate(made.masks):
        for k, system in enumerate(systems):
            scores = made.values[mask & there[:, k], k]
            cell = SlicedMean(
                name, system, float(scores.mean()) if scores.size else math.nan, int(scores.size)
            )
            if test is not None and k in kept:
                at = s, kept.index(k)
                numbers = [float(array[at]) for array in (test.inside, test.outside, test.p_cells)]
                cell = replace(cell, inside=numbers[0], outside=numbers[1], p=numbers[2])
            means.append(cell)
    return PropertySlices(
        by=by,
        slices=tuple(name for name, _ in made.masks),
        topics=tuple(topics),
        means=tuple(means),
        test=test,
        tested=() if test is None else tuple(systems[k] for k in kept),
        rows=rows,
        untestable=why,
        within=made.blocks is not None,
        alpha=asked.alpha,
    )


def _test(
    by: str, made: _Sliced, kept: Sequence[int], asked: Slices
) -> tuple[SliceInteraction | None, int, str | None]:
    """The test of some systems, and the number of rows that it is of; or why there is none."""
    if len(kept) < 2:
        return None, 0, "few-systems"
    rows = np.any([mask for _, mask in made.masks], axis=0) & ~np.isnan(made.values[:, kept]).any(axis=1)
    labels = np.full(len(rows), -1)
    for k, (_, mask) in enumerate(made.masks):
        labels[mask] = k
    blocks = None
    if made.blocks is not None:  # a topic that is in one slice alone says nothing
        counts = np.bincount(made.blocks[rows], minlength=int(made.blocks.max()) + 1)
        rows &= counts[made.blocks] > 1
        if not rows.any():
            return None, 0, "no-topic-in-two"
        blocks = np.unique(made.blocks[rows], return_inverse=True)[1]
    if len(np.unique(labels[rows])) < len(made.masks):
        return None, int(rows.sum()), "empty-slice"
    test = slice_interaction(
        made.values[np.ix_(rows, kept)],
        labels[rows],
        blocks=blocks,
        rng=generator(asked.seed, f"slices/{by}"),
        resamples=asked.resamples,
    )
    return (test if test.why is None else None), int(rows.sum()), test.why
