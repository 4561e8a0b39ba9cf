"""Every system's mean on every slice, and permutation tests of whether their differences vary with a property."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adjudge import __version__
from adjudge.analyses.slices import OF_TARGETS, OF_TEXTS, OF_TOPICS, SLICED_BY, Slices
from adjudge.analyses.slices.slicing import LookedAt, Masks, by_name, look_at, text_values, thirds
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.results import Note, Result
from adjudge.core.table import Cell, Column, Table
from adjudge.core.words import decimal, natural
from adjudge.data.scores import UNSET, AllLengths, Pool, ScoreMatrix, form_words, heading_of
from adjudge.stats.multiple import reached
from adjudge.stats.slices import SliceInteraction, slice_interaction

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.stats.checks import BoolArray, FloatArray, IntArray

VARY, NOT_SHOWN, UNFINDABLE, NOT_TESTED = (
    "vary",
    "not shown to vary",
    "could not have been found",
    "not tested",
)


class Unsliced(DataError):
    """Topics cannot be sliced: nothing is known of them that tells some from others."""


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
    p_adjusted: float
    conclusion: str
    why: str | None = None
    """Why it was not tested."""
    within: bool = False
    """Whether every topic is in several slices, as with lengths."""
    alpha: float = 0.05

    def of(self, slice_: str) -> tuple[SlicedMean, ...]:
        """All systems on one slice."""
        return tuple(cell for cell in self.means if cell.slice == slice_)

    @property
    def standing_out(self) -> tuple[SlicedMean, ...]:
        """Systems that stand otherwise to the others on a slice than elsewhere, the surest first."""
        if self.conclusion != VARY:
            return ()
        cells = [cell for cell in self.means if cell.p <= self.alpha]
        return tuple(sorted(cells, key=lambda cell: (cell.p, -abs(cell.inside - cell.outside))))


@dataclass(frozen=True, repr=False, kw_only=True)
class SystemSlices(Result):
    """How systems compare within slices of topics; p is corrected over the properties that were tested."""

    FIGURES: ClassVar[Mapping[str, str]] = {"slices": "adjudge.analyses.slices.figures:slices_figure"}
    FRAME = "cells"

    asked: Slices
    matrix: ScoreMatrix
    """All topics, systems in the order of their means."""
    properties: tuple[PropertySlices, ...]
    absent: Mapping[str, str]
    """Properties without slices, and why."""
    chosen: tuple[Note, ...] = ()
    """The length and form that are looked at, where nobody chose."""
    sets_as_independent: bool = False
    """Whether topics of one set change places one by one."""
    assessors: int = 0

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def alpha(self) -> float:
        return self.asked.alpha

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
        for name, why in self.absent.items():
            yield Note.of("no-slices", by=name, why=why)
        for sliced in self.properties:
            if sliced.why:
                yield Note.of("slices-not-tested", by=sliced.by, why=sliced.why)
            apart = [system for system in self.matrix.systems if system not in sliced.tested]
            if apart and sliced.tested:
                yield Note.of("systems-not-in-the-test", by=sliced.by, systems=apart)
            left = sum(sliced.topics) - sliced.rows
            if left and sliced.test is not None:
                yield Note.of("topics-not-in-the-test", by=sliced.by, n=left, within=sliced.within)
            unknown = len(self.matrix.topics) - sum(sliced.topics)
            if unknown > 0 and not sliced.within:
                yield Note.of("topics-in-no-slice", by=sliced.by, n=unknown)
        yield from self.chosen
        if self.sets_as_independent:
            yield Note.of("sets-as-independent")
        if self.assessors > 1:
            yield Note.of("several-assessors", n=self.assessors)

    def tables(self) -> Iterator[Table]:
        """A row per property, then every system's means on the slices of each."""
        yield Table(
            name="slices",
            columns=(
                Column("measure", show="never"),
                Column("by", right=False),
                Column("slices"),
                Column("topics"),
                Column("systems"),
                Column("share", "variance between slices", format=".1%", tiny=False),
                Column("p", format=".4f"),
                Column("smallest_p", show="never"),
                Column("p_adjusted", "corrected", format=".4f"),
                Column("conclusion", "differences between systems", right=False),
                Column("why", show="never"),
            ),
            rows=tuple(
                (
                    self.measure,
                    sliced.by,
                    len(sliced.slices),
                    sliced.rows,
                    len(sliced.tested),
                    None if sliced.test is None else sliced.test.share,
                    None if sliced.test is None else sliced.test.p,
                    None if sliced.test is None else sliced.test.smallest,
                    sliced.p_adjusted,
                    sliced.conclusion,
                    sliced.why,
                )
                for sliced in self.properties
            ),
            title=f"{self.matrix.heading}: do differences between systems vary with the topics?",
        )
        for sliced in self.properties:
            yield self.means_table(sliced)

    def on_demand(self) -> Mapping[str, Callable[[], Table]]:
        return {"cells": self._cells}

    def means_table(self, sliced: PropertySlices) -> Table:
        """Every system's mean on every slice; + and - where it stands otherwise to the others than elsewhere."""
        marks = {(cell.slice, cell.system): cell.inside > cell.outside for cell in sliced.standing_out}
        cells = {(cell.slice, cell.system): cell for cell in sliced.means}
        overall = dict(zip(self.matrix.systems, self.overall, strict=True))

        def shown(name: str, system: str) -> Cell:
            cell = cells[name, system]
            if math.isnan(cell.mean):
                return None
            return f"{decimal(cell.mean)}{ {None: '', True: '+', False: '-'}[marks.get((name, system))] }"

        heading = {
            "length": heading_of(self.matrix.info, None, self.matrix.form),
            "form": heading_of(self.matrix.info, self.matrix.length, None),
        }.get(sliced.by, self.matrix.heading)
        key = "; + higher, - lower among the systems than elsewhere" if marks else ""
        return Table(
            name=f"slices-{sliced.by.replace(' ', '-')}",
            columns=(
                Column("system", right=False),
                *([] if sliced.within else [Column("all", format=".4f")]),
                *(
                    Column(name, f"{name} ({n})", right=True)
                    for name, n in zip(sliced.slices, sliced.topics, strict=True)
                ),
            ),
            rows=tuple(
                (
                    system,
                    *(
                        () if sliced.within else (overall[system],)
                    ),  # that is at one of the lengths, or in one form
                    *(shown(name, system) for name in sliced.slices),
                )
                for system in self.matrix.systems
            ),
            title=f"{heading}, by {sliced.by}: means, and in brackets how many topics{key}",
        )

    def _cells(self) -> Table:
        """A row per property, slice and system."""
        names = (
            "measure length form by slice topics system mean n inside outside p_cell p_adjusted conclusion"
        )
        head = (self.measure, self.matrix.length, self.matrix.target.form)
        return Table(
            name="cells",
            columns=tuple(map(Column, names.split())),
            rows=tuple(
                (
                    *head,
                    sliced.by,
                    cell.slice,
                    sliced.topics[sliced.slices.index(cell.slice)],
                    cell.system,
                    cell.mean,
                    cell.n,
                    cell.inside,
                    cell.outside,
                    cell.p,
                    sliced.p_adjusted,
                    sliced.conclusion,
                )
                for sliced in self.properties
                for cell in sliced.means
            ),
        )

    def facts(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "better": self.matrix.info.better,
            "length": self.matrix.length,
            "form": self.matrix.target.form,
            "slices": {
                sliced.by: dict(zip(sliced.slices, sliced.topics, strict=True)) for sliced in self.properties
            },
            "tested": {sliced.by: sliced.tested for sliced in self.properties},
            "absent": dict(self.absent),
            "cells": list(self._cells().records()),
        }


# The analysis


def sliced(scores: Scores, asked: Slices) -> SystemSlices:
    """The slices of one measure by what was asked for, or by all that there is."""
    name = scores.resolve(asked.measure)
    looked = look_at(scores, name, asked.length, asked.form)
    matrix = _ordered(scores.matrix(name, length=looked.length, form=looked.form, pool=asked.pool).averaged())
    rows: dict[str, _Sliced] = {}
    absent: dict[str, str] = {}
    texts: Mapping[str, FloatArray] | str | None = None
    wanted = asked.by or SLICED_BY
    for by in wanted:
        if by in OF_TARGETS:
            made: _Sliced | str = _by_target(scores, matrix, by, looked, asked.pool)
        else:
            masks: Masks | str
            if by in OF_TOPICS:
                masks = by_name(scores.topic_values(by, matrix.topics), by)  # type: ignore[arg-type]
            else:
                if texts is None:
                    of_texts = [name for name in wanted if name in OF_TEXTS]
                    texts = text_values(scores, looked.texts(matrix.topics), matrix.systems, of_texts)
                masks = texts if isinstance(texts, str) else thirds(by, texts[by])
            made = masks if isinstance(masks, str) else _Sliced(matrix.values, masks, None)
        if isinstance(made, str):
            absent[by] = made
        else:
            rows[by] = made
    if not rows and asked.by:
        raise DataError("; ".join(f"no slices by {by}: {why}" for by, why in absent.items()))
    if not rows:
        raise Unsliced(
            "topics cannot be sliced: nothing is known of them that tells some from others; a set, type, task or"
            " selector in topics.jsonl or in columns of a long table, or documents in an evaluation's folder, would"
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


def _by_target(scores: Scores, matrix: ScoreMatrix, name: str, looked: LookedAt, pool: Pool) -> _Sliced | str:
    """A row for every topic at each length, or in each form."""
    targets: list[tuple[int | AllLengths | None, str | None]]
    if name == "length":
        words = ["no set length" if n == UNSET else f"{n} words" for n in looked.lengths]
        targets = [(n, looked.form) for n in looked.lengths]
    else:
        words = [form_words(form_name) for form_name in looked.forms]
        targets = [(looked.length, form_name) for form_name in looked.forms]
    if len(targets) < 2:
        return f"one {name} is looked at"
    parts: dict[str, ScoreMatrix] = {}
    for word, (length, form) in zip(words, targets, strict=True):
        with suppress(UsageError):  # a form that has no scores at this length
            parts[word] = scores.matrix(looked.measure, length=length, form=form, pool=pool).averaged()
    both = [s for s in matrix.systems if all(s in part.systems for part in parts.values())]
    if len(parts) < 2 or len(both) < 2:
        return f"fewer than two systems have scores of every {name}"
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
    tests = {by: _test(by, of_property, asked.resamples, asked.seed) for by, of_property in rows.items()}
    done = {by: test for by, (test, _, _, why) in tests.items() if why is None and test is not None}
    corrected = reached(
        np.array([test.p for test in done.values()]),
        np.array([test.smallest for test in done.values()]),
        alpha=asked.alpha,
        method=asked.correct,
    )
    for by, of_property in rows.items():
        _, kept, n, why = tests[by]
        test, p, conclusion = done.get(by), math.nan, NOT_TESTED
        if test is not None:
            at = list(done).index(by)
            p = float(corrected.adjusted[at])
            reachable = bool(corrected.reachable[at])
            conclusion = VARY if p <= asked.alpha else NOT_SHOWN if reachable else UNFINDABLE
        yield PropertySlices(
            by=by,
            slices=tuple(name for name, _ in of_property.masks),
            topics=tuple(_topics(of_property, mask) for _, mask in of_property.masks),
            means=tuple(_means(of_property, systems, kept, test, p)),
            test=test,
            tested=tuple(systems[k] for k in kept) if why is None else (),
            rows=n,
            p_adjusted=p,
            conclusion=conclusion,
            why=why,
            within=of_property.blocks is not None,
            alpha=asked.alpha,
        )


def _topics(of_property: _Sliced, mask: BoolArray) -> int:
    """How many topics of a slice have any score."""
    return int(np.count_nonzero(~np.isnan(of_property.values[mask]).all(axis=1)))


def _test(
    by: str, of_property: _Sliced, resamples: int, seed: int
) -> tuple[SliceInteraction | None, list[int], int, str | None]:
    """The test, the systems and the number of rows that it is of, or why there is none."""
    there = ~np.isnan(of_property.values)
    in_a_slice = np.any([mask for _, mask in of_property.masks], axis=0)
    kept = [
        k
        for k in range(of_property.values.shape[1])
        if all(2 * there[mask, k].sum() > _topics(of_property, mask) for _, mask in of_property.masks)
    ]
    if len(kept) < 2:
        return None, [], 0, "fewer than two systems have scores on more than half of every slice's topics"
    rows = in_a_slice & there[:, kept].all(axis=1)
    labels = np.full(len(rows), -1)
    for k, (_, mask) in enumerate(of_property.masks):
        labels[mask] = k
    blocks = None
    if of_property.blocks is not None:  # a topic that is in one slice alone says nothing
        counts = np.bincount(of_property.blocks[rows], minlength=int(of_property.blocks.max()) + 1)
        rows &= counts[of_property.blocks] > 1
        if not rows.any():
            return None, [], 0, "no topic has the scores of all systems in two slices"
        blocks = np.unique(of_property.blocks[rows], return_inverse=True)[1]
    if len(np.unique(labels[rows])) < len(of_property.masks):
        return None, [], int(rows.sum()), "a slice has no topic on which all systems have scores"
    test = slice_interaction(
        of_property.values[np.ix_(rows, kept)],
        labels[rows],
        blocks=blocks,
        rng=generator(seed, f"slices/{by}"),
        resamples=resamples,
    )
    why = test.why and test.why.replace("row", "topic").replace(
        "there are not two", "there are no two systems"
    )
    return test, kept, int(rows.sum()), why


def _means(
    of_property: _Sliced, systems: Sequence[str], kept: Sequence[int], test: SliceInteraction | None, p: float
) -> Iterator[SlicedMean]:
    place = {k: at for at, k in enumerate(kept)}
    for s, (name, mask) in enumerate(of_property.masks):
        for k, system in enumerate(systems):
            scores = of_property.values[mask, k]
            scores = scores[~np.isnan(scores)]
            mean = float(scores.mean()) if scores.size else math.nan
            if test is None or k not in place:
                yield SlicedMean(name, system, mean, int(scores.size))
                continue
            at = s, place[k]
            yield SlicedMean(
                slice=name,
                system=system,
                mean=mean,
                n=int(scores.size),
                inside=float(test.inside[at]),
                outside=float(test.outside[at]),
                p=max(float(test.p_cells[at]), p),
            )
