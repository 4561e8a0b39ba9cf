"""Where the noise comes from: the variance of judgments, divided among systems, topics, assessors and what they do
together.

A study of generalisability (Brennan 2001; Cronbach and others 1972) by REML: systems are fixed, as in a comparison of
them, but for their own variance, which is that of the model with everything random. What each
part means for a comparison of systems is said beside it. The mathematics is in stats/linear/components.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge import __version__
from adjudge.analyses.phrasebook import reason
from adjudge.analyses.scores import Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError
from adjudge.core.results import Note, Result
from adjudge.core.table import Column, Table
from adjudge.core.words import decimal, percent
from adjudge.data.scores import AllLengths, MeasureInfo, pooled

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.linear.components import RandomComponents
    from adjudge.stats.linear.model import Key

LEVEL = 0.95
FACTORS = ("system", "assessor", "topic")
REPEAT = "repeat"
"""What is left when everything else is taken away: the same assessor, once more."""
JUDGMENT = "judgment"
"""The same, where nobody knows whose judgments they are."""
TERMS = (
    "system",
    "topic",
    "assessor",
    "system:topic",
    "assessor:system",
    "assessor:topic",
    "assessor:system:topic",
    REPEAT,
    JUDGMENT,
)
"""In the order of tables."""


def noise_sources(
    scores: Source,
    measure: str | Sequence[str] | None = None,
    *,
    length: int | AllLengths | None = None,
    form: str | None = None,
    systems: Sequence[str] | None = None,
    level: float = LEVEL,
    seed: int = 0,
) -> NoiseSources:
    """Divide the variance of a measure's judgments; of these systems alone, where they are named.

    `scores` are an evaluation or its scores, a path to its folder or to a file of scores, or a DataFrame.
    """
    from adjudge.stats.linear.components import random_components

    all_scores = scores_of(scores)
    chosen = all_scores.resolve(measure)
    frame = all_scores.table.at(chosen, length=length, form=form)
    frame, notes = _judgments(frame, chosen, systems)
    names = [name for name in FACTORS if name != "assessor" or frame["assessor"].notna().any()]
    levels = {name: int(frame[name].nunique()) for name in names}
    codes = [frame[name].astype("category").cat.codes.to_numpy() for name in names]
    rng = generator(seed, "noise/intervals")
    parts: RandomComponents | None = None
    try:
        parts = random_components(
            frame["value"].to_numpy(dtype=float), codes, rng=rng, level=level, compared=0
        )
        why = parts.why
    except UsageError as error:  # too large
        why = Note.of("refused", text=error.text)
    return NoiseSources(
        info=all_scores.table.info[chosen],
        length=length if isinstance(length, int) else None,
        form=form,
        parts=() if parts is None or parts.why else _parts(parts, names),
        levels=levels,
        rows=len(frame),
        cells=len(frame.drop_duplicates(names)),
        level=level,
        balanced=parts is not None and parts.balanced,
        seed=seed,
        why=why,
        left_out=tuple(notes),
    )


def _judgments(
    frame: pd.DataFrame, measure: str, systems: Sequence[str] | None
) -> tuple[pd.DataFrame, list[Note]]:
    """The rows with a score, one for every judgment, and what was left out."""
    notes = []
    if systems is not None:
        frame = frame[frame["system"].isin(list(systems))]
    if missing := int(frame["value"].isna().sum()):
        notes.append(Note.of("scores-missing", n=missing))
    frame = frame[frame["value"].notna()]
    if frame.empty:
        raise DataError(f"{measure}: every score is missing")
    frame = pooled(frame, ["reference"])
    nobody = frame["assessor"].isna()
    if nobody.any() and not nobody.all():
        notes.append(Note.of("scores-without-assessor", n=int(nobody.sum())))
        frame = frame[~nobody]
    # A topic at two lengths is two topics to whoever asks for all lengths.
    topics = frame.groupby(["topic", "length", "form"], dropna=False).ngroup()
    return frame.assign(topic=topics), notes


def _parts(components: RandomComponents, names: Sequence[str]) -> tuple[NoisePart, ...]:
    rest = REPEAT if "assessor" in names else JUDGMENT

    def named(key: Key) -> str:
        return ":".join(sorted(names[f] for f in key)) if key else rest

    held: dict[Key, list[str]] = {key: [named(key)] for key in components.terms}
    for key, inside in components.mixed.items():
        for inner in inside:
            held[inner].append(named(key))
    total = float(components.variances.sum())
    made = [
        NoisePart(
            term=named(key),
            holds=tuple(sorted(held[key], key=TERMS.index)),
            variance=float(variance),
            share=float(variance) / total,
            low=float(low),
            high=float(high),
        )
        for key, variance, low, high in zip(
            components.terms, components.variances, components.low, components.high, strict=True
        )
    ]
    return tuple(sorted(made, key=lambda part: TERMS.index(part.term)))


@dataclass(frozen=True)
class NoisePart:
    """One part of the variance: a factor, what factors do together, or what is left."""

    term: str
    holds: tuple[str, ...]
    """All terms whose variance it is: several where the design cannot tell them apart."""
    variance: float
    share: float
    low: float
    """The interval of the variance; NaN where there is none."""
    high: float

    @property
    def sd(self) -> float:
        return math.sqrt(self.variance)

    @property
    def name(self) -> str:
        return " + ".join(self.holds)


@dataclass(frozen=True, repr=False, kw_only=True)
class NoiseSources(Result):
    """The parts of the variance of judgments, in the order of the factors; none where `why` says why."""

    WORDS: ClassVar[str] = "adjudge.analyses.plan.noise_words"

    info: MeasureInfo
    length: int | None
    form: str | None
    parts: tuple[NoisePart, ...]
    levels: dict[str, int]
    """How many systems, assessors and topics there are; without assessors where none are known."""
    rows: int
    cells: int
    """Rows without repeated judgments."""
    level: float
    balanced: bool
    seed: int
    why: Note | None
    left_out: tuple[Note, ...] = ()

    def how(self) -> str:
        interval = f"|generalised:{self.level:g}|seed:{self.seed}" if self.balanced else ""
        terms = "+".join(part.term for part in self.parts)
        return f"{self.info.signature or self.info.measure}|rows:{self.rows}|reml:{terms}{interval}|v:{__version__}"

    def variance(self, term: str) -> float:
        """The variance of a term that is a part of its own; NaN where there is none."""
        return next((p.variance for p in self.parts if p.holds == (term,)), math.nan)

    @property
    def left(self) -> float:
        """The variance of what one assessor makes of one summary, once: the last two parts together.

        NaN where other parts cannot be told from them, but for assessor:topic, which is the same for all systems.
        """
        last = {"assessor:system:topic", REPEAT}
        inside = [part for part in self.parts if last & set(part.holds)]
        apart = all(set(part.holds) <= {*last, "assessor:topic"} for part in inside)
        return sum(part.variance for part in inside) if inside and apart else math.nan

    @property
    def complete(self) -> bool:
        """Whether every assessor judged every system on every topic."""
        return "assessor" in self.levels and self.cells == math.prod(self.levels.values())

    def notes(self) -> Iterator[Note]:
        yield from self.left_out
        if self.parts and not self.balanced:
            yield Note.of("variances-without-intervals")

    def tables(self) -> Iterator[Table]:
        """A row per part: variance, standard deviation, share, interval, and what it means."""
        from adjudge.analyses.plan.noise_words import meaning, title

        bounds = [(math.sqrt(part.low), math.sqrt(part.high)) for part in self.parts]
        any_interval = any(low == low for low, _ in bounds)
        yield Table(
            name="noise",
            columns=(
                Column("part", "variance of", right=False),
                Column("variance", format=".4g"),
                Column("sd", format=".3g"),
                Column("of all", "share", data=False, right=True),
                Column("share", show="never"),
                Column("low", show="never"),
                Column("high", show="never"),
                Column(
                    "interval",
                    f"sd's {self.level:.0%} interval",
                    data=False,
                    right=False,
                    show="always" if any_interval else "never",
                ),
                Column("meaning", "what it means", right=False),
            ),
            rows=tuple(
                (
                    part.name,
                    part.variance,
                    part.sd,
                    percent(part.share),
                    part.share,
                    part.low,
                    part.high,
                    f"{decimal(low, '.3g')} to {decimal(high, '.3g')}" if low == low else None,
                    meaning(part),
                )
                for part, (low, high) in zip(self.parts, bounds, strict=True)
            ),
            title=title(self),
        )

    def facts(self) -> dict[str, Any]:
        return {
            "levels": self.levels,
            "rows": self.rows,
            "cells": self.cells,
            "complete": self.complete,
            "parts": [asdict(part) | {"sd": part.sd} for part in self.parts],
            "level": self.level,
            "balanced": self.balanced,
            "why": reason(self.why),
        }
