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
from typing import TYPE_CHECKING, Any

from adjudge import __version__
from adjudge.analyses.anova.result import percent
from adjudge.analyses.scores import Source, scores_of
from adjudge.core.engine import generator
from adjudge.core.errors import DataError, UsageError
from adjudge.core.table import Column, Table, Tabular, plain
from adjudge.core.words import counted, decimal, listed
from adjudge.data.scores import AllLengths, MeasureInfo, heading_of, pooled

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
MEANINGS = {
    "system": "systems differ: this is what a comparison looks for",
    "topic": "topics differ for all systems alike: this does not touch comparisons on the same topics",
    "assessor": (
        "assessors differ in how severe they are: this does not touch comparisons of systems that the same people"
        " judged"
    ),
    "system:topic": "systems do better on some topics than on others: only more topics average this out",
    "assessor:system": "assessors disagree about which systems are good: only more assessors average this out",
    "assessor:topic": (
        "assessors are severe on different topics: this does not touch systems that the same people judged on a topic"
    ),
    "assessor:system:topic": (
        "assessors disagree about single summaries: more topics or assessors average this out, asking again does not"
    ),
    REPEAT: "an assessor answers otherwise the second time: every further judgment averages this out",
    JUDGMENT: "judgments of one summary differ, whoever they are by: every further judgment averages this out",
}
LEFT = "what one assessor makes of one summary, and chance: more topics or assessors average both out"
"""Of the last two together."""


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

    found = scores_of(scores)
    chosen = found.resolve(measure)
    frame = found.table.at(chosen, length=length, form=form)
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
        why = str(error)
    return NoiseSources(
        info=found.table.info[chosen],
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
        notes=tuple(notes),
    )


def _judgments(
    frame: pd.DataFrame, measure: str, systems: Sequence[str] | None
) -> tuple[pd.DataFrame, list[str]]:
    """The rows with a score, one for every judgment, and what was left out."""
    notes = []
    if systems is not None:
        frame = frame[frame["system"].isin(list(systems))]
    if missing := int(frame["value"].isna().sum()):
        notes.append(f"{counted(missing, 'score')} missing")
    frame = frame[frame["value"].notna()]
    if frame.empty:
        raise DataError(f"{measure}: every score is missing")
    frame = pooled(frame, ["reference"])
    nobody = frame["assessor"].isna()
    if nobody.any() and not nobody.all():
        notes.append(f"{counted(int(nobody.sum()), 'score')} without an assessor left out")
        frame = frame[~nobody]
    # A topic at two lengths is two topics to whoever asks for all lengths.
    topics = frame.groupby(["topic", "length", "form"], dropna=False).ngroup()
    return frame.assign(topic=topics), notes


def _parts(found: RandomComponents, names: Sequence[str]) -> tuple[NoisePart, ...]:
    rest = REPEAT if "assessor" in names else JUDGMENT

    def named(key: Key) -> str:
        return ":".join(sorted(names[f] for f in key)) if key else rest

    held: dict[Key, list[str]] = {key: [named(key)] for key in found.terms}
    for key, inside in found.mixed.items():
        for each in inside:
            held[each].append(named(key))
    total = float(found.variances.sum())
    made = [
        NoisePart(
            term=named(key),
            holds=tuple(sorted(held[key], key=list(MEANINGS).index)),
            variance=float(variance),
            share=float(variance) / total,
            low=float(low),
            high=float(high),
        )
        for key, variance, low, high in zip(found.terms, found.variances, found.low, found.high, strict=True)
    ]
    return tuple(sorted(made, key=lambda part: list(MEANINGS).index(part.term)))


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

    @property
    def meaning(self) -> str:
        """What it is, and what averages it out."""
        if len(self.holds) == 1:
            return MEANINGS[self.term]
        if self.holds == ("assessor:system:topic", REPEAT):
            return LEFT
        return f"the design cannot tell {listed(self.holds, most=len(self.holds))} apart"


@dataclass(frozen=True, repr=False)
class NoiseSources(Tabular):
    """The parts of the variance of judgments, in the order of the factors; none where `why` says why."""

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
    why: str | None
    notes: tuple[str, ...]

    @property
    def signature(self) -> str:
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

    def headline(self) -> str:
        """The first thing to know: how much of the variance systems are, and where most of the rest is."""
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        if self.why is not None:
            yield f"Where the noise comes from cannot be said: {self.why}."
        elif self.parts:
            yield self._largest()
        yield from self.unknown()

    def _largest(self) -> str:
        noise = max((part for part in self.parts if part.term != "system"), key=lambda part: part.variance)
        system = [part for part in self.parts if part.term == "system"]
        apart = f"{percent(system[0].share)} lies in systems; " if system else ""
        return (
            f"Of the variance of single judgments {apart}the largest {'other ' if system else ''}part is {noise.name}"
            f" ({percent(noise.share)}): {noise.meaning}."
        )

    def unknown(self) -> Iterator[str]:
        """What the scores cannot tell, a sentence each."""
        if "assessor" not in self.levels:
            yield (
                "These scores say no assessor: how far assessors differ is not known, and is part of the others."
            )
        for name, apart in (
            ("assessor", "what assessors differ in"),
            ("topic", "what topics do"),
            ("system", "what systems differ in"),
        ):
            if self.levels.get(name) == 1:
                yield f"There is only one {name}: {apart} is not known, and is part of the others."
        for part in self.parts:
            if part.holds == ("assessor:system:topic", REPEAT):
                yield (
                    "Repeated judgments are missing: what an assessor makes of one summary and chance are one number."
                )
            elif len(part.holds) > 1:
                together = listed(part.holds, most=len(part.holds))
                yield f"The design cannot tell {together} apart: their variance is one number."

    def table(self) -> Table:
        """A row per part: variance, standard deviation, share, interval, and what it means."""
        levels = ", ".join(counted(n, name) for name, n in self.levels.items())
        bounds = [(math.sqrt(part.low), math.sqrt(part.high)) for part in self.parts]
        known = any(low == low for low, _ in bounds)
        return Table(
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
                    show="always" if known else "never",
                ),
                Column("meaning", "what it is", right=False),
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
                    part.meaning,
                )
                for part, (low, high) in zip(self.parts, bounds, strict=True)
            ),
            title=(
                f"{heading_of(self.info, self.length, self.form)}: where the noise comes from (REML,"
                f" {counted(self.rows, 'judgment')}: {levels})"
            ),
            said=tuple(self.sentences()),
            notes=tuple(self.warnings()),
            signature=self.signature,
        )

    def warnings(self) -> list[str]:
        notes = list(self.notes)
        if self.parts and not self.balanced:
            notes.append(
                "the variances have no intervals: judgments are missing, or the design is not balanced"
            )
        return notes

    def as_dict(self) -> dict[str, Any]:
        """For --json; NaN becomes null."""
        found: dict[str, Any] = plain(
            {
                "levels": self.levels,
                "rows": self.rows,
                "cells": self.cells,
                "complete": self.complete,
                "parts": [
                    asdict(part) | {"sd": part.sd, "name": part.name, "meaning": part.meaning}
                    for part in self.parts
                ],
                "level": self.level,
                "balanced": self.balanced,
                "why": self.why,
                "sentences": list(self.sentences()),
                "warnings": self.warnings(),
                "signature": self.signature,
            }
        )
        return found
