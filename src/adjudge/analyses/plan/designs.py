"""Who should judge how much: designs of judging for the same number of judgments, and what each of them finds.

A decision study (Brennan 2001) on the variances of noise.py. In a design, groups of as many assessors judge
topics of their own, all systems on each; one group judges everything. The power is that of the test in which assessors
are a sample (stats/power/assessors.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from adjudge.analyses.plan import Plan
from adjudge.analyses.plan.noise import REPEAT, NoiseSources
from adjudge.core.errors import UsageError
from adjudge.core.results import Result
from adjudge.core.table import Column, Table
from adjudge.core.words import counted
from adjudge.data.scores import title_of
from adjudge.stats.power.assessors import Crossed

ONE_GROUP = (2, 3, 5, 10, 20)
"""Assessors who might judge everything."""
GROUPS = (2, 5, 10, 20)
"""Groups in which as many assessors as now might judge."""
HALF = math.sqrt(2) * 0.6744897501960817
"""Half of the pairs of normal values lie further apart than so many of their standard deviations."""


DifferenceKind = Literal["asked", "typical", "smallest"]
"""As asked for; which half of the pairs of systems exceed; the smallest that the present topics find."""


@dataclass(frozen=True)
class JudgingDesign:
    """So many groups of so many assessors, each group with so many topics of its own; all systems on every topic."""

    groups: int
    assessors: int
    """Of a group."""
    topics: int
    """Of a group, and so of each assessor."""

    @property
    def people(self) -> int:
        return self.groups * self.assessors

    @property
    def all_topics(self) -> int:
        return self.groups * self.topics

    @property
    def judgments(self) -> int:
        """Of each system."""
        return self.people * self.topics


@dataclass(frozen=True)
class DesignPower:
    """What a design finds; NaN where it has too few assessors for a test."""

    design: JudgingDesign
    error: float
    """The standard error of a difference."""
    df: float
    """Degrees of freedom of the test, in the median."""
    power: float
    """In the comparison that will be made."""
    one_pair: float
    now: bool
    """Whether the judgments that there are have this design."""


@dataclass(frozen=True, repr=False, kw_only=True)
class DesignStudy(Result):
    """Designs, by the number of assessors, with what each finds."""

    WORDS: ClassVar[str] = "adjudge.analyses.plan.design_words"
    FIGURES: ClassVar[Mapping[str, str]] = {"d-study": "adjudge.analyses.plan.figures:design_curves"}

    difference: float
    kind: DifferenceKind
    """Which difference that is."""
    systems: int
    pairs: int
    alpha: float
    judgments: int
    """Of each system, at most."""
    rows: tuple[DesignPower, ...]
    signed: str
    """The signature of what it was computed from."""
    crossed: Crossed | None = field(default=None, compare=False)
    """What varies of a difference between two systems."""
    title: str = ""
    """Of the measure."""
    system_variance: float = math.nan
    """Of systems' true means."""
    present: JudgingDesign | None = None
    """The design of the judgments that there are, where it is one group that judged everything."""

    def curves(
        self, topics: Sequence[int] = (), assessors: Sequence[int] = ()
    ) -> tuple[tuple[DesignPower, float], ...]:
        """What so many assessors find who all judge so many topics, however many judgments that takes.

        With each its reliability, the generalizability coefficient of systems' means (Brennan 2001, section 2.2): the
        variance of systems over itself and that of their means' relative error. NaN where systems have none.
        """
        if self.crossed is None:
            return ()
        have = 0 if self.present is None else self.present.topics
        now = () if self.present is None else (self.present.assessors,)
        asked = [
            (j, n) for j in assessors or sorted({*ONE_GROUP, *now}) for n in topics or _curve_topics(have)
        ]
        rows = (
            _row(design, self.crossed, self.difference, self.pairs, self.alpha, design == self.present)
            for j, n in asked
            for design in (JudgingDesign(groups=1, assessors=j, topics=n),)
        )
        return tuple((row, self._reliability(row.error)) for row in rows)

    def _reliability(self, error: float) -> float:
        # Two means are independent, so that each has half of the variance of their difference.
        total = self.system_variance + error**2 / 2
        return self.system_variance / total if total > 0 else math.nan

    @property
    def best(self) -> tuple[DesignPower, ...]:
        """The designs with the most power, several where they have the same to two digits."""
        with_power = [row for row in self.rows if row.power == row.power]
        most = max((row.power for row in with_power), default=math.nan)

        def digits(power: float) -> tuple[bool, float]:
            return power in (0, 1), round(power, 2)

        return tuple(row for row in with_power if digits(row.power) == digits(most))

    @property
    def now(self) -> DesignPower | None:
        return next((row for row in self.rows if row.now), None)

    def how(self) -> str:
        return self.signed

    def tables(self) -> Iterator[Table]:
        """A row per design: who judges how much, the standard error of a difference, degrees of freedom, power."""
        from adjudge.analyses.plan.design_words import power_text, title

        several = self.pairs > 1
        yield Table(
            name="designs",
            columns=(
                Column("assessors"),
                Column("groups"),
                Column("topics"),
                Column("topics_each", "topics each"),
                Column("judgments", "judgments of a system"),
                Column("per_assessor", "of an assessor"),
                Column("error", "standard error", format=".3g"),
                Column("df", format=".1f"),
                Column(
                    "finds", f"power, {self.pairs:,} pairs" if several else "power", data=False, right=True
                ),
                Column("alone", "one pair", data=False, right=True, show="always" if several else "never"),
                Column("power", show="never"),
                Column("one_pair", show="never"),
                Column("now", show="never"),
                Column("note", "", data=False, right=False, show="always" if self.now else "never"),
            ),
            rows=tuple(
                (
                    row.design.people,
                    row.design.groups,
                    row.design.all_topics,
                    row.design.topics,
                    row.design.judgments,
                    row.design.topics * self.systems,
                    row.error,
                    row.df,
                    power_text(row.power),
                    power_text(row.one_pair),
                    row.power,
                    row.one_pair,
                    row.now,
                    "as now" if row.now else "",
                )
                for row in self.rows
            ),
            title=title(self),
        )

    def facts(self) -> dict[str, Any]:
        return {
            "difference": self.difference,
            "kind": self.kind,
            "systems": self.systems,
            "pairs": self.pairs,
            "alpha": self.alpha,
            "judgments": self.judgments,
        }


def _curve_topics(have: int) -> list[int]:
    """Numbers of topics for curves, closer together where they are few; the present one among them."""
    most = max(50, 2 * have)
    few = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1000)
    return sorted({*(n for n in few if n <= most), *([have] if have > 1 else []), most})


def study_designs(
    sources: NoiseSources, crossed: Crossed, asked: Plan, pairs: int, difference: float, kind: DifferenceKind
) -> DesignStudy:
    """Power of designs for the same number of judgments of each system, as many as now unless said.

    The assessors of a group and the groups that are asked for make designs, all combinations of them; each group has
    as many topics as the judgments allow.
    """
    now = present_design(sources)
    most = asked.judgments or round(sources.cells / sources.levels["system"])
    usual = max(round(most / sources.levels["topic"]), 1)
    if asked.n_assessors or asked.groups:
        shapes = [(g, a) for g in asked.groups or (1,) for a in asked.n_assessors or (usual,)]
        for g, a in shapes:
            if most < 2 * g * a:
                who = f"{counted(g, 'group')} of {counted(a, 'assessor')}"
                raise UsageError(
                    f"{who} with two topics each take {2 * g * a:,} judgments of each system, and there are {most:,}:"
                    " name fewer, or more judgments"
                )
    else:
        shapes = [*((1, a) for a in sorted({*ONE_GROUP, usual})), *((g, usual) for g in GROUPS)]
        shapes = [(g, a) for g, a in shapes if most >= 2 * g * a and g * a > 1]
    designs = [JudgingDesign(groups=g, assessors=a, topics=most // (g * a)) for g, a in dict.fromkeys(shapes)]
    designs.sort(key=lambda design: (design.people, design.groups))
    alpha = asked.alpha
    return DesignStudy(
        difference=difference,
        kind=kind,
        systems=crossed.systems,
        pairs=pairs,
        alpha=alpha,
        judgments=most,
        rows=tuple(_row(design, crossed, difference, pairs, alpha, design == now) for design in designs),
        signed=sources.how(),
        crossed=crossed,
        title=title_of(sources.info, sources.length, sources.form),
        system_variance=sources.variance("system"),
        present=now,
    )


def typical_difference(sources: NoiseSources) -> float:
    """What half of the pairs of systems exceed, if true means are normal with this variance."""
    return HALF * math.sqrt(sources.variance("system"))


def crossed_of(
    sources: NoiseSources, *, systems: int, have: int, seed: int, matched: bool = True
) -> Crossed | None:
    """What varies of a difference between two systems; None where the design does not tell it apart.

    How severe assessors are on a topic drops out where the same ones judge both systems on it (`matched`).
    """
    parts = [sources.variance("system:topic"), sources.variance("assessor:system"), sources.left]
    if any(map(math.isnan, parts)):
        return None
    topics, likings, residual = (2 * part for part in parts)
    severe = sources.variance("assessor:topic")
    if not matched and not math.isnan(severe):  # else it is in what is left
        residual += 2 * severe
    return Crossed(topics=topics, likings=likings, residual=residual, have=have, seed=seed, systems=systems)


def crossed_alone(sources: NoiseSources, *, systems: int, have: int, seed: int) -> Crossed | None:
    """The same where every topic has one assessor: what topics and single summaries do is one variance.

    None where assessors' own likings cannot be told from that.
    """
    likings = sources.variance("assessor:system")
    held = [
        part for part in sources.parts if {"system:topic", "assessor:system:topic", REPEAT} & set(part.holds)
    ]
    if math.isnan(likings) or not held:
        return None
    once = sources.cells / sources.rows
    rest = sum(part.variance * (once if part.holds == (REPEAT,) else 1) for part in held)
    return Crossed(
        topics=2 * rest, likings=2 * likings, residual=0.0, have=have, seed=seed, systems=systems, alone=True
    )


def _row(
    design: JudgingDesign, crossed: Crossed, difference: float, pairs: int, alpha: float, now: bool
) -> DesignPower:
    shape = (design.all_topics, design.people)
    powers = [crossed.power(*shape, difference, level, design.groups) for level in (alpha / pairs, alpha)]
    return DesignPower(
        design=design,
        error=crossed.error(*shape, design.groups),
        df=crossed.freedom(*shape, design.groups),
        power=powers[0],
        one_pair=powers[1],
        now=now,
    )


def present_design(sources: NoiseSources) -> JudgingDesign | None:
    """The design of the judgments that there are, where it is one group that judged everything once."""
    if not sources.complete:
        return None
    return JudgingDesign(groups=1, assessors=sources.levels["assessor"], topics=sources.levels["topic"])
