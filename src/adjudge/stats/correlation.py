"""Correlation of measures with people at the system, input and global level, with intervals by resampling.

Deutsch, Dror and Roth 2021, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods".
Arrays are topics before systems, NaN is missing; only cells that the measure and people both have count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats import checks
from adjudge.stats.checks import BoolArray, FloatArray, IntArray
from adjudge.stats.paired import NOISE
from adjudge.wording import counted

CorrelationLevel = Literal["system", "input", "global"]
"""Of systems' means over topics; over systems topic by topic, averaged; of all cells."""
Coefficient = Literal["pearson", "spearman", "kendall-b", "kendall-c"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
AT_ONCE = 4_000_000
"""Numbers of one kind that are held at once: 32 MB."""


@dataclass(frozen=True, eq=False)
class Correlations:
    """Of every measure with people; a value that cannot be computed is NaN and `why` says why."""

    level: CorrelationLevel
    coefficient: Coefficient
    values: FloatArray
    n: IntArray
    """Systems, inputs that count, or cells, by level."""
    cells: IntArray
    """Where the measure and people both have a value."""
    left_out: IntArray
    """Cells where only one of them has."""
    inputs: FloatArray
    """Measures x topics at the input level, NaN where blank; empty at the others."""
    few: IntArray
    """Inputs, at the input level, that are blank since fewer than three systems have both values,"""
    same_measure: IntArray
    """since the measure gives all systems the same value,"""
    same_people: IntArray
    """since people do,"""
    same_both: IntArray
    """since both do."""
    why: tuple[str | None, ...]

    @property
    def blank(self) -> IntArray:
        """Inputs without a correlation."""
        return self.few + self.same_measure + self.same_people + self.same_both


def correlations(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    level: CorrelationLevel,
    coefficient: Coefficient,
    all_topics: bool = False,
) -> Correlations:
    """How each measure (measures x topics x systems) correlates with people (topics x systems).

    Pearson's r, Spearman's rho with mid-ranks, Kendall's tau-b or (Stuart's) tau-c. Values that differ by
    floating-point noise alone are equal. At the system level `all_topics` takes a measure's mean over all topics that
    it has, and people's over those they judged, instead of the topics that both have.
    """
    checks.one_of("level", level, get_args(CorrelationLevel))
    checks.one_of("coefficient", coefficient, COEFFICIENTS)
    x, y = _given(measures, people)
    if y.shape[0] != 1:
        raise UsageError("people: expected topics x systems, got assessors as well; take their mean")
    study = _Study(x, y[0], level=level, all_topics=all_topics)
    column = COEFFICIENTS.index(coefficient)
    found, status = study.tables(np.ones((1, x.shape[1])), np.ones((1, x.shape[2])), [column])
    values, codes = found[0, :, :, column], status[0]
    present, judged = ~np.isnan(x), ~np.isnan(y)
    both = np.count_nonzero(present & judged, axis=(1, 2))
    one = np.count_nonzero(present | judged, axis=(1, 2)) - both
    blanks = [np.count_nonzero(codes == code, axis=1) for code in (1, 2, 3, 4)]
    if level == "input":
        n = np.count_nonzero(codes == 0, axis=1)
        average = _averaged(values, np.ones((1, x.shape[1])))[0]
        why = [None if n[m] else _blank_words([int(each[m]) for each in blanks]) for m in range(len(x))]
    else:
        n, average = study.sizes(), values[:, 0]
        why = [_words(int(codes[m, 0]), int(n[m]), level) for m in range(len(x))]
        blanks = [np.zeros_like(n)] * 4
    few, same_measure, same_people, same_both = blanks
    return Correlations(
        level=level,
        coefficient=coefficient,
        values=average,
        n=n,
        cells=both,
        left_out=one,
        inputs=values if level == "input" else np.empty((len(x), 0)),
        few=few,
        same_measure=same_measure,
        same_people=same_people,
        same_both=same_both,
        why=tuple(why),
    )


def weighted_correlations(
    measures: npt.ArrayLike,
    people: npt.ArrayLike,
    topics: npt.ArrayLike,
    *,
    level: CorrelationLevel,
    coefficient: Coefficient,
) -> FloatArray:
    """Draws x measures: `correlations` where each topic counts as often as a row of `topics` (draws x topics) says."""
    checks.one_of("level", level, get_args(CorrelationLevel))
    checks.one_of("coefficient", coefficient, COEFFICIENTS)
    x, y = _given(measures, people)
    weights = checks.numbers("topics", topics, dimensions=2)
    if y.shape[0] != 1 or weights.shape[1] != x.shape[1]:
        raise UsageError(
            f"topics: expected a weight for each of {x.shape[1]} topics, and one matrix of people"
        )
    column = COEFFICIENTS.index(coefficient)
    everyone = np.ones((len(weights), x.shape[2]))
    study = _Study(x, y[0], level=level, all_topics=False)
    found: FloatArray = study.values(weights, everyone, [column])[:, :, column]
    return found


def _given(measures: npt.ArrayLike, people: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Measures x topics x systems, and assessors x topics x systems."""
    x = checks.numbers("measures", measures, dimensions=3)
    many = np.ndim(people)
    y = checks.numbers("people", people, dimensions=3 if many == 3 else 2)
    y = y if many == 3 else y[None]
    if x.shape[1:] != y.shape[1:]:
        raise UsageError(
            f"measures and people: expected the same topics x systems, got {x.shape[1:]} and {y.shape[1:]}"
        )
    return x, y


_WHO = {2: "the measure gives", 3: "people give", 4: "the measure and people give"}


def _words(code: int, n: int, level: str) -> str | None:
    if code == 0:
        return None
    things = "system" if level == "system" else "cell"
    if code == 1:
        return f"fewer than 3 {things}s have both values ({n or 'none'})"
    return f"{_WHO[code]} all {counted(n, things)} the same value"


def _blank_words(counts: Sequence[int]) -> str:
    """Why no input has a correlation."""
    said = [f"on {counted(counts[0], 'input')} fewer than 3 systems have both values"] if counts[0] else []
    said += [
        f"on {counted(many, 'input')} {_WHO[code]} all systems the same value"
        for code, many in zip((2, 3, 4), counts[1:], strict=True)
        if many
    ]
    return "; ".join(said) or "there are no inputs"


# One engine for the estimate, for systems, topics or assessors left out, and for resamples: all of them are weights.


class _Study:
    """Correlations of measures (measures x topics x systems) with people (topics x systems) for weights of both."""

    def __init__(self, x: FloatArray, y: FloatArray, *, level: CorrelationLevel, all_topics: bool) -> None:
        self.level = level
        self.shape = x.shape
        y = np.broadcast_to(y, x.shape[1:])
        missing = np.isnan(x) | np.isnan(y)
        if level == "system":
            apart = all_topics or not missing.any()
            own = x if apart else np.where(missing, np.nan, x)
            people = y[None] if apart else _without(y, missing)
            self.x, self.y = _Means(own), _Means(people)
        else:
            rows = (-1, x.shape[2]) if level == "input" else (len(x), -1)
            self.rows_x = _Rows(np.where(missing, np.nan, x).reshape(rows))
            self.rows_y = _Rows(y if level == "input" else y.reshape(1, -1))

    def sizes(self) -> IntArray:
        """Of every measure, the systems or cells that count."""
        if self.level == "system":
            x, y = (each(np.ones((1, self.shape[1])))[0] for each in (self.x, self.y))
        else:
            x, y = self.rows_x.values, self.rows_y.values
        return np.count_nonzero(~(np.isnan(x) | np.isnan(y)), axis=1)

    def values(self, topics: FloatArray, systems: FloatArray, wanted: Sequence[int]) -> FloatArray:
        """Resamples x measures x coefficients, for weights of topics and of systems, one row each per resample."""
        many, (measures, inputs, items) = len(topics), self.shape
        found = np.empty((many, measures, len(COEFFICIENTS)))
        if self.level == "input":
            # Which systems were drawn decides an input's correlation; which inputs, only how it is averaged.
            kinds, kind = np.unique(systems, axis=0, return_inverse=True)
            kind = kind.reshape(-1)
            for part in _parts(len(kinds), measures * inputs * len(COEFFICIENTS)):
                table = self.tables(topics, kinds[part], wanted)[0]
                for k in range(len(kinds))[part]:
                    here = np.flatnonzero(kind == k)
                    for c in wanted:
                        found[here, :, c] = _averaged(table[k - part.start, :, :, c], topics[here])
            return found
        for part in _parts(many, (measures if self.level == "system" else inputs) * items):
            found[part] = self.tables(topics[part], systems[part], wanted)[0][:, :, 0]
        return found

    def tables(
        self, topics: FloatArray, systems: FloatArray, wanted: Sequence[int]
    ) -> tuple[FloatArray, IntArray]:
        """Resamples x measures x inputs (1 at other levels) x coefficients, and what became of each."""
        from adjudge.stats.correlation_kernels import correlate_rows

        many, (measures, inputs, _) = len(systems), self.shape
        r, m = np.arange(many)[:, None, None], np.arange(measures)[:, None]
        zero = np.zeros(1, dtype=np.int64)
        shape = (many, measures, inputs if self.level == "input" else 1)
        weights = systems
        if self.level == "system":
            x, y = _Rows(self.x(topics), self.x.noise), _Rows(self.y(topics), self.y.noise)
            sets = len(self.y.noise)
            own = m if sets > 1 else zero
            rows = (r * measures + m, m, r * sets + own, own, r)
        elif self.level == "input":
            x, y, t = self.rows_x, self.rows_y, np.arange(inputs)
            rows = (m * inputs + t, m * inputs + t, t, t, r)
        else:
            x, y, rows = self.rows_x, self.rows_y, (m, m, zero, zero, r)
            weights = (topics[:, :, None] * systems[:, None, :]).reshape(many, -1)
        where = np.stack([np.broadcast_to(each, shape).ravel() for each in rows], axis=1)
        found = np.empty((len(where), len(COEFFICIENTS)))
        status = np.empty(len(where), dtype=np.int64)
        flags = np.zeros(len(COEFFICIENTS), dtype=np.bool_)
        flags[list(wanted)] = True
        correlate_rows(
            x.values, x.order, x.noise, y.values, y.order, y.noise,
            np.ascontiguousarray(weights, dtype=np.float64), where, flags, found, status,
        )  # fmt: skip
        return found.reshape(*shape, -1), status.reshape(shape)


class _Rows:
    """Rows of numbers with their orders, and how far apart two equal ones may be."""

    def __init__(self, values: FloatArray, noise: FloatArray | None = None) -> None:
        self.values = np.ascontiguousarray(values.reshape(-1, values.shape[-1]))
        self.order = np.argsort(self.values, axis=1)
        self.noise = NOISE * np.abs(self.values) if noise is None else noise


class _Means:
    """Weighted means over topics of a stack (any x topics x systems), NaN left out: products of matrices."""

    def __init__(self, stack: FloatArray) -> None:
        present = ~np.isnan(stack)
        self.shape = stack.shape
        filled = np.where(present, stack, 0.0)
        self.flat = self._by_topic(filled)
        with np.errstate(invalid="ignore"):
            # A mean of numbers of both signs is as inexact as the numbers are large, however near 0 it is.
            self.noise = NOISE * np.abs(filled).sum(axis=1) / np.count_nonzero(present, axis=1)
        self.masks, self.kind = np.empty((0, 0)), np.zeros(len(stack), dtype=np.int64)
        self.complete = bool(present.all())
        if not self.complete:  # measures often miss the same cells
            packed = np.packbits(present.reshape(len(stack), -1), axis=1)
            _, first, kind = np.unique(packed, axis=0, return_index=True, return_inverse=True)
            self.kind = kind.reshape(-1)
            self.masks = self._by_topic(present[first].astype(np.float64))

    @staticmethod
    def _by_topic(stack: FloatArray) -> FloatArray:
        return np.ascontiguousarray(stack.transpose(1, 0, 2).reshape(stack.shape[1], -1))

    def __call__(self, topics: FloatArray) -> FloatArray:
        """Resamples x any x systems; NaN where a system has no topic."""
        means: FloatArray = (topics @ self.flat).reshape(len(topics), *self.shape[::2])
        if self.complete:
            means /= topics.sum(axis=1)[:, None, None]
            return means
        sizes = (topics @ self.masks).reshape(len(topics), -1, self.shape[2])[:, self.kind]
        with np.errstate(invalid="ignore", divide="ignore"):
            means /= sizes
        means[sizes == 0] = np.nan
        return means


def _without(y: FloatArray, missing: BoolArray) -> FloatArray:
    """People's scores on the cells that each measure has; once where that is the same for all."""
    same = bool((missing == missing[:1]).all())
    return np.where(missing[:1] if same else missing, np.nan, y)


def _parts(many: int, each: int) -> Iterator[slice]:
    """Slices of a range that take no more than AT_ONCE numbers, where one takes `each`."""
    step = max(1, AT_ONCE // max(each, 1))
    return (slice(start, min(start + step, many)) for start in range(0, many, step))


def _averaged(table: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted means of the defined values of each row, one for each row of weights; NaN where none is."""
    defined = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        average = (weights @ np.where(defined, table, 0.0).T) / (weights @ defined.T.astype(np.float64))
    return np.asarray(np.clip(average, -1.0, 1.0))
