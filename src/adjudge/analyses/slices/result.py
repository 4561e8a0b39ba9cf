"""Where systems differ: their scores on some topics beside the others, and whether their differences vary with that.

Slices are the values of what is known of topics (set, type, task, selector), the target lengths and forms of summaries,
and thirds of topics by the words of their sources and by the compression and copying of their summaries on average.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np

from adjudge import __version__
from adjudge.analyses.scores import Scores, Source, TopicField, scores_of
from adjudge.analyses.slices.slicing import LookedAt, Masks, by_name, look_at, text_values, thirds
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError, nearest, quoted
from adjudge.core.picture import Pictured
from adjudge.core.table import Cell, Column, Table, Tables, Tabular, plain
from adjudge.core.words import counted, decimal, listed, natural
from adjudge.data.scores import (
    UNSET,
    AllLengths,
    Pool,
    ScoreMatrix,
    form_words,
    heading_of,
)
from adjudge.stats.multiple import Correction, reached
from adjudge.stats.paired import p_words
from adjudge.stats.slice_interaction import SliceInteraction, slice_interaction

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.checks import BoolArray, FloatArray, IntArray

OF_TOPICS = get_args(TopicField)
OF_TARGETS = ("length", "form")
OF_TEXTS = ("source length", "compression", "copy rate", "fragment density")
SLICED_BY = (*OF_TOPICS, *OF_TARGETS, *OF_TEXTS)
"""What topics, or summaries of one topic, are sliced by."""
RESAMPLES = 9999
VARY, NOT_SHOWN, UNFINDABLE, NOT_TESTED = (
    "vary",
    "not shown to vary",
    "could not have been found",
    "not tested",
)
_CORRECTED = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg"}


UNSLICED = "topics cannot be sliced: nothing is known of them that tells some from others"


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
        return tuple(each for each in self.means if each.slice == slice_)

    @property
    def standing_out(self) -> tuple[SlicedMean, ...]:
        """Systems that stand otherwise to the others on a slice than elsewhere, the surest first."""
        if self.conclusion != VARY:
            return ()
        found = [each for each in self.means if each.p <= self.alpha]
        return tuple(sorted(found, key=lambda each: (each.p, -abs(each.inside - each.outside))))


@dataclass(frozen=True, repr=False)
class SystemSlices(Pictured, Tabular):
    """How systems compare within slices of topics; p is corrected over the properties that were tested."""

    FIGURES: ClassVar[Mapping[str, str]] = {"slices": "adjudge.analyses.slices.figures:slices_figure"}

    matrix: ScoreMatrix
    """All topics, systems in the order of their means."""
    properties: tuple[PropertySlices, ...]
    alpha: float
    correct: Correction
    resamples: int
    seed: int
    absent: Mapping[str, str]
    """Properties without slices, and why."""
    notes: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return self.matrix.title

    @property
    def signature(self) -> str:
        by = "+".join(each.by.replace(" ", "-") for each in self.properties)
        return (
            f"{self.matrix.signature}|slices:{by}|test:permutation:{self.resamples}|correct:{self.correct}"
            f"|alpha:{self.alpha:g}|seed:{self.seed}|v:{__version__}"
        )

    def by(self, name: str) -> PropertySlices:
        """The slices by one property."""
        for each in self.properties:
            if each.by == name:
                return each
        raise UsageError(
            f"no slices by {quoted(name)}{nearest(name, self._names)}; there are: {', '.join(self._names)}"
        )

    @property
    def overall(self) -> tuple[float, ...]:
        """Every system's mean over all topics."""
        return tuple(float(mean) for mean in np.nanmean(self.matrix.values, axis=0))

    def called(self, names: Mapping[str, str]) -> SystemSlices:
        """The same with systems under other names, for sentences that fit a page."""

        def renamed(each: PropertySlices) -> PropertySlices:
            means = tuple(replace(cell, system=names[cell.system]) for cell in each.means)
            return replace(each, means=means, tested=tuple(names[s] for s in each.tested))

        matrix = replace(self.matrix, systems=tuple(names[s] for s in self.matrix.systems))
        return replace(self, matrix=matrix, properties=tuple(map(renamed, self.properties)))

    @cached_property
    def _names(self) -> list[str]:
        return [each.by for each in self.properties]

    def _that(self, conclusion: str) -> list[PropertySlices]:
        return [each for each in self.properties if each.conclusion == conclusion]

    # In words

    def headline(self) -> str:
        """Whether differences between systems vary with anything that topics are sliced by."""
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        found, open_ = self._that(VARY), self._that(NOT_SHOWN)
        never, untested = self._that(UNFINDABLE), self._that(NOT_TESTED)
        start = f"On {self.title}"
        if found:
            named = listed([self._with_p(each) for each in found], most=len(found))
            yield f"{start} differences between systems vary with {named}: {self._how()}."
        elif open_:
            least = p_words(min(each.p_adjusted for each in open_), self.alpha)
            yield (
                f"{start} differences between systems are not shown to vary with {_or([e.by for e in open_])}"
                f" ({'smallest ' if len(open_) > 1 else ''}{least}, {self._how()}); that is no proof that they do not."
            )
        elif never:
            yield (
                f"{start} differences between systems could not have been found to vary with"
                f" {_or([e.by for e in never])}: too few topics ({self._how()})."
            )
        else:
            yield f"{start} nothing could be tested: {'; '.join(f'by {e.by}, {e.why}' for e in untested)}."
        for each in found:
            yield from self._about(each)
        if found and open_:
            yield f"They are not shown to vary with {_or([e.by for e in open_])}; that is no proof that they do not."
        if never and (found or open_):
            yield f"With {_or([e.by for e in never])} they could not have been found to vary: too few topics."

    def _with_p(self, each: PropertySlices) -> str:
        slices = f"{listed(each.slices)}; " if each.within else ""  # more than what is looked at otherwise
        return f"{each.by} ({slices}{p_words(each.p_adjusted, self.alpha)})"

    def _how(self) -> str:
        tested = [each for each in self.properties if each.conclusion != NOT_TESTED]
        n = counted(len(tested), "property", "properties")
        over = f"{_CORRECTED[self.correct]} over {n}, " if self.correct != "none" else "not corrected, "
        topics = counted(len(self.matrix.topics), "topic")
        within = {each.within for each in tested}
        what = "" if len(within) > 1 else "of a topic's scores " if True in within else "of topics "
        return f"permutation {what}between slices, {over if len(tested) > 1 else ''}{topics}"

    def _about(self, each: PropertySlices) -> Iterator[str]:
        """What is otherwise in which slice, with the numbers that show it."""
        stand = each.standing_out
        if not stand:
            yield (
                f"By {each.by} no single system on a single slice stands out: the table has every mean, and what is"
                " high or low in one place may be chance."
            )
        told: set[str] = set()
        for cell in stand:
            if cell.system in told:
                continue  # with two slices the second says the same again
            told.add(cell.system)
            higher = "higher" if cell.inside > cell.outside else "lower"
            yield (
                f"{cell.system} stands {higher} among the systems where {each.by} is {cell.slice} than elsewhere:"
                f" {_from_mean(cell.inside)} there, {_from_mean(cell.outside)} elsewhere"
                f" ({p_words(cell.p, self.alpha)}, corrected over {counted(len(each.tested), 'system')} on"
                f" {counted(len(each.slices), 'slice')})."
            )

    def warnings(self) -> list[str]:
        found = [f"no slices by {name}: {why}" for name, why in self.absent.items()]
        for each in self.properties:
            if each.why:
                found.append(f"by {each.by} not tested: {each.why}")
            apart = [s for s in self.matrix.systems if s not in each.tested]
            if apart and each.tested:
                found.append(
                    f"by {each.by} {listed(apart)} {'is' if len(apart) == 1 else 'are'} not in the test: no score on"
                    " half or more of a slice's topics"
                )
            left = sum(each.topics) - each.rows
            if left and each.test is not None:
                lack = (
                    f"at a {each.by}, without the scores of all systems there or at a second {each.by}"
                    if each.within
                    else "with a missing score"
                )
                found.append(
                    f"by {each.by} the test leaves out {counted(left, 'topic')} {lack};"
                    " means are over the scores that there are"
                )
            unknown = len(self.matrix.topics) - sum(each.topics)
            if unknown > 0 and not each.within:
                found.append(
                    f"by {each.by} {counted(unknown, 'topic is', 'topics are')} in no slice: nothing known"
                )
        return [*found, *self.notes]

    # Tables

    def table(self) -> Table:
        """A row per property; `tables` has every system's means besides."""
        return Table(
            name="slices",
            columns=(
                Column("measure", show="never"),
                Column("by", right=False),
                Column("slices"),
                Column("topics"),
                Column("systems"),
                Column("share", "variance between slices", format=".1%", tiny=False),
                Column("p", format=".4f"),
                Column("p_adjusted", "corrected", format=".4f"),
                Column("conclusion", "differences between systems", right=False),
            ),
            rows=tuple(
                (
                    self.measure,
                    each.by,
                    len(each.slices),
                    each.rows,
                    len(each.tested),
                    math.nan if each.test is None else each.test.share,
                    math.nan if each.test is None else each.test.p,
                    each.p_adjusted,
                    each.conclusion,
                )
                for each in self.properties
            ),
            title=f"{self.matrix.heading}: do differences between systems vary with the topics?",
            said=tuple(self.sentences()),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def means_table(self, each: PropertySlices) -> Table:
        """Every system's mean on every slice; + and - where it stands otherwise to the others than elsewhere."""
        marked = {(cell.slice, cell.system): cell for cell in each.standing_out}
        overall = dict(zip(self.matrix.systems, self.overall, strict=True))

        def shown(cell: SlicedMean) -> Cell:
            if math.isnan(cell.mean):
                return None
            own = marked.get((cell.slice, cell.system))
            return f"{decimal(cell.mean)}{'' if own is None else '+' if own.inside > own.outside else '-'}"

        rows = []
        for system in self.matrix.systems:
            own = {cell.slice: cell for cell in each.means if cell.system == system}
            first = () if each.within else (overall[system],)  # that is at one of the lengths, or in one form
            rows.append((system, *first, *(shown(own[name]) for name in each.slices)))
        heading = {
            "length": heading_of(self.matrix.info, None, self.matrix.form),
            "form": heading_of(self.matrix.info, self.matrix.length, None),
        }.get(each.by, self.matrix.heading)
        key = "; + higher, - lower among the systems than elsewhere" if marked else ""
        return Table(
            name=f"slices-{each.by.replace(' ', '-')}",
            columns=(
                Column("system", right=False),
                *([] if each.within else [Column("all", format=".4f")]),
                *(
                    Column(name, f"{name} ({n})", right=True)
                    for name, n in zip(each.slices, each.topics, strict=True)
                ),
            ),
            rows=tuple(rows),
            title=f"{heading}, by {each.by}: means, and in brackets how many topics{key}",
        )

    def tables(self) -> Tables:
        return Tables((self.table(), *map(self.means_table, self.properties)))

    def to_frame(self) -> pd.DataFrame:
        """A row per property, slice and system."""
        import pandas as pd

        return pd.DataFrame(list(self._records()))

    def _records(self) -> Iterator[dict[str, Any]]:
        for each in self.properties:
            topics = dict(zip(each.slices, each.topics, strict=True))
            for cell in each.means:
                yield {
                    "measure": self.measure,
                    "length": self.matrix.length,
                    "form": self.matrix.target.form,
                    "by": each.by,
                    "slice": cell.slice,
                    "topics": topics[cell.slice],
                    "system": cell.system,
                    "mean": cell.mean,
                    "n": cell.n,
                    "inside": cell.inside,
                    "outside": cell.outside,
                    "p_cell": cell.p,
                    "p_adjusted": each.p_adjusted,
                    "conclusion": each.conclusion,
                }

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(
            {
                "measure": self.measure,
                "better": self.matrix.info.better,
                "length": self.matrix.length,
                "form": self.matrix.target.form,
                "alpha": self.alpha,
                "correct": self.correct,
                "properties": [
                    {
                        "by": each.by,
                        "slices": dict(zip(each.slices, each.topics, strict=True)),
                        "systems": list(each.tested),
                        "rows": each.rows,
                        "share": None if each.test is None else each.test.share,
                        "p": None if each.test is None else each.test.p,
                        "smallest_p": None if each.test is None else each.test.smallest,
                        "p_adjusted": each.p_adjusted,
                        "conclusion": each.conclusion,
                        "why": each.why,
                    }
                    for each in self.properties
                ],
                "rows": list(self._records()),
                "absent": dict(self.absent),
                "sentences": list(self.sentences()),
                "warnings": self.warnings(),
                "signature": self.signature,
            }
        )
        return found


def _or(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def _from_mean(distance: float) -> str:
    return f"{decimal(abs(distance))} {'above' if distance >= 0 else 'below'} their mean"


# The analysis


def slices(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    by: str | Sequence[str] = (),
    length: int | AllLengths | None = None,
    form: str | None = None,
    alpha: float = 0.05,
    correct: Correction = "holm",
    resamples: int = RESAMPLES,
    pool: Pool = "mean",
    seed: int = 0,
    without: str | Sequence[str] = (),
) -> SystemSlices:
    """How systems compare within slices of topics: `slices("my-eval", "rouge-2", by="type")`; by all unless named.

    Whether differences between systems vary with a property is tested by permutation: topics (less their mean over
    systems) change places between slices or, of lengths and forms, a topic's scores change places among them. p is
    corrected over the properties. `scores` are an evaluation or its scores, a path to its folder or to a file of
    scores, or a DataFrame; from a file only what its columns say of topics is known.
    """
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha:g}, expected a number between 0 and 1")
    if resamples < 99:
        raise UsageError(f"resamples is {resamples}, expected 99 or more")
    named = _named(by)
    data = scores_of(scores, without=without)
    name = data.resolve(measure)
    looked = look_at(data, name, length, form)
    matrix = _ordered(data.matrix(name, length=looked.length, form=looked.form, pool=pool).averaged())
    found: dict[str, _Sliced] = {}
    absent: dict[str, str] = {}
    texts: Mapping[str, FloatArray] | str | None = None
    for each in named or SLICED_BY:
        if each in OF_TARGETS:
            made: _Sliced | str = _by_target(data, matrix, each, looked, pool)
        else:
            masks: Masks | str
            if each in OF_TOPICS:
                masks = by_name(data.topic_values(each, matrix.topics), each)  # type: ignore[arg-type]
            else:
                if texts is None:
                    wanted = [own for own in (named or SLICED_BY) if own in OF_TEXTS]
                    texts = text_values(data, looked.texts(matrix.topics), matrix.systems, wanted)
                masks = texts if isinstance(texts, str) else thirds(each, texts[each])
            made = masks if isinstance(masks, str) else _Sliced(matrix.values, masks, None)
        if isinstance(made, str):
            absent[each] = made
        else:
            found[each] = made
    if not found:
        raise DataError(_none_of(absent, asked=bool(named)))
    return SystemSlices(
        matrix=matrix,
        properties=tuple(_tested(found, matrix.systems, alpha, correct, resamples, seed)),
        alpha=alpha,
        correct=correct,
        resamples=resamples,
        seed=seed,
        absent=absent,
        notes=(
            *looked.notes,
            *_dependent(data, matrix, found),
            *data.assessor_note(name, looked.length, looked.form),
        ),
    )


def _named(by: str | Sequence[str]) -> tuple[str, ...]:
    """The properties that are asked for; `source-length` is "source length"."""
    texts = by.split(",") if isinstance(by, str) else [part for each in by for part in each.split(",")]
    found = [text.strip().lower().replace("-", " ") for text in texts if text.strip()]
    for name in found:
        if name not in SLICED_BY:
            raise UsageError(
                f"slices by {quoted(name)}{nearest(name, SLICED_BY)}; expected one of: {', '.join(SLICED_BY)}"
            )
    return tuple(dict.fromkeys(found))


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


def _by_target(data: Scores, matrix: ScoreMatrix, name: str, looked: LookedAt, pool: Pool) -> _Sliced | str:
    """A row for every topic at each length, or in each form."""
    targets: list[tuple[int | AllLengths | None, str | None]]
    if name == "length":
        words = ["no set length" if n == UNSET else f"{n} words" for n in looked.lengths]
        targets = [(n, looked.form) for n in looked.lengths]
    else:
        words = [form_words(each) for each in looked.forms]
        targets = [(looked.length, each) for each in looked.forms]
    if len(targets) < 2:
        return f"one {name} is looked at"
    parts: dict[str, ScoreMatrix] = {}
    for word, (length, form) in zip(words, targets, strict=True):
        with suppress(UsageError):  # a form that has no scores at this length
            parts[word] = data.matrix(looked.measure, length=length, form=form, pool=pool).averaged()
    both = [s for s in matrix.systems if all(s in part.systems for part in parts.values())]
    if len(parts) < 2 or len(both) < 2:
        return f"fewer than two systems have scores of every {name}"
    topics = sorted({topic for part in parts.values() for topic in part.topics}, key=natural)
    values, blocks, labels = [], [], []
    for k, part in enumerate(parts.values()):
        own = [s for s in part.systems if s in matrix.systems]
        placed = np.full((len(part.topics), len(matrix.systems)), math.nan)
        placed[:, [matrix.systems.index(s) for s in own]] = part.select(own).values
        values.append(placed)
        blocks += [topics.index(topic) for topic in part.topics]
        labels += [k] * len(part.topics)
    masks = [(word, np.array(labels) == k) for k, word in enumerate(parts)]
    return _Sliced(np.concatenate(values), masks, np.array(blocks))


# The tests


def _tested(
    found: Mapping[str, _Sliced],
    systems: Sequence[str],
    alpha: float,
    correct: Correction,
    resamples: int,
    seed: int,
) -> Iterator[PropertySlices]:
    tests = {by: _test(by, each, resamples, seed) for by, each in found.items()}
    done = [by for by, (test, _, _, why) in tests.items() if why is None and test is not None]
    corrected = reached(
        np.array([_of(tests[by]).p for by in done]),
        np.array([_of(tests[by]).smallest for by in done]),
        alpha=alpha,
        method=correct,
    )
    for by, each in found.items():
        test, kept, rows, why = tests[by]
        p, conclusion = math.nan, NOT_TESTED
        if by in done:
            at = done.index(by)
            p = float(corrected.adjusted[at])
            reachable = bool(corrected.reachable[at])
            conclusion = VARY if p <= alpha else NOT_SHOWN if reachable else UNFINDABLE
        yield PropertySlices(
            by=by,
            slices=tuple(name for name, _ in each.masks),
            topics=tuple(_topics(each, mask) for _, mask in each.masks),
            means=tuple(_means(each, systems, kept, test if why is None else None, p)),
            test=test if why is None else None,
            tested=tuple(systems[k] for k in kept) if why is None else (),
            rows=rows,
            p_adjusted=p,
            conclusion=conclusion,
            why=why,
            within=each.blocks is not None,
            alpha=alpha,
        )


def _of(made: tuple[SliceInteraction | None, list[int], int, str | None]) -> SliceInteraction:
    assert made[0] is not None
    return made[0]


def _topics(each: _Sliced, mask: BoolArray) -> int:
    """How many topics of a slice have any score."""
    return int(np.count_nonzero(~np.isnan(each.values[mask]).all(axis=1)))


def _test(
    by: str, each: _Sliced, resamples: int, seed: int
) -> tuple[SliceInteraction | None, list[int], int, str | None]:
    """The test, the systems and the number of rows that it is of, or why there is none."""
    there = ~np.isnan(each.values)
    known = np.any([mask for _, mask in each.masks], axis=0)
    kept = [
        k
        for k in range(each.values.shape[1])
        if all(2 * there[mask, k].sum() > _topics(each, mask) for _, mask in each.masks)
    ]
    if len(kept) < 2:
        return None, [], 0, "fewer than two systems have scores on more than half of every slice's topics"
    rows = known & there[:, kept].all(axis=1)
    labels = np.full(len(rows), -1)
    for k, (_, mask) in enumerate(each.masks):
        labels[mask] = k
    blocks = None
    if each.blocks is not None:  # a topic that is in one slice alone says nothing
        counts = np.bincount(each.blocks[rows], minlength=int(each.blocks.max()) + 1)
        rows &= counts[each.blocks] > 1
        if not rows.any():
            return None, [], 0, "no topic has the scores of all systems in two slices"
        blocks = np.unique(each.blocks[rows], return_inverse=True)[1]
    if len(np.unique(labels[rows])) < len(each.masks):
        return None, [], int(rows.sum()), "a slice has no topic on which all systems have scores"
    test = slice_interaction(
        each.values[np.ix_(rows, kept)],
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
    each: _Sliced, systems: Sequence[str], kept: Sequence[int], test: SliceInteraction | None, p: float
) -> Iterator[SlicedMean]:
    place = {k: at for at, k in enumerate(kept)}
    for s, (name, mask) in enumerate(each.masks):
        for k, system in enumerate(systems):
            own = each.values[mask, k]
            own = own[~np.isnan(own)]
            mean = float(own.mean()) if own.size else math.nan
            if test is None or k not in place:
                yield SlicedMean(name, system, mean, int(own.size))
                continue
            at = s, place[k]
            yield SlicedMean(
                slice=name,
                system=system,
                mean=mean,
                n=int(own.size),
                inside=float(test.inside[at]),
                outside=float(test.outside[at]),
                p=max(float(test.p_cells[at]), p),
            )


def _dependent(data: Scores, matrix: ScoreMatrix, found: Mapping[str, _Sliced]) -> Iterator[str]:
    """What to say where several topics are of one set."""
    sets = [each for each in data.topic_values("set", matrix.topics) if each is not None]
    if len(set(sets)) < len(sets) and any(each.blocks is None for each in found.values()):
        yield (
            "topics of one set change places one by one between slices, as if they were independent: where they are"
            " alike, p is too small for slices that take sets whole"
        )


def _none_of(absent: Mapping[str, str], *, asked: bool) -> str:
    """Why topics cannot be sliced: by what was asked for, or by anything."""
    if asked:
        return "; ".join(f"no slices by {each}: {why}" for each, why in absent.items())
    return (
        f"{UNSLICED}; a set, type, task or selector in topics.jsonl or in columns of a long table, or documents in an"
        " evaluation's folder, would"
    )
