"""The frozen result of a comparison: standings, pairs, and what was asked. Computed in run.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from adjudge.comparisons.choices import CORRECTION_WORDS, Choices, Test
from adjudge.data.scores import ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.comparisons.testing import Tested
    from adjudge.stats.checks import BoolArray
    from adjudge.stats.effects import PairEffects
    from adjudge.stats.equivalence import Equivalence
    from adjudge.stats.paired import PairedTest


@dataclass(frozen=True)
class Standing:
    """One system's place in the league table.

    `best` and `worst` are the highest and lowest rank that the significant differences leave open.
    """

    system: str
    rank: int
    n: int
    mean: float
    low: float
    high: float
    group: str
    best: int
    worst: int


@dataclass(frozen=True)
class Pair:
    """Two systems held against each other by one test, the better-ranked first (or the one held against)."""

    a: str
    b: str
    result: PairedTest
    p_adjusted: float
    different: bool
    correction: str = ""
    same: bool = False
    """Equivalence was shown: the difference is within the margin."""

    def sentence(self, better: Any, alpha: float, *, margin: float | None = None) -> str:
        """What the corrected test says, and whether the two are the same for all practical purposes."""
        from dataclasses import replace

        result = replace(self.result, p=self.p_adjusted)
        said = result.sentence(self.a, self.b, better, alpha=alpha, correction=self.correction)
        if margin is None:
            return said
        if self.same:
            return f"{said}; they are the same within {margin:g}"
        return said if self.different else f"{said}; nor are they shown to be the same within {margin:g}"


@dataclass(frozen=True)
class Comparison:
    """A ranking with honest uncertainty. Frozen; keeps the matrix it came from, best system first."""

    matrix: ScoreMatrix
    standings: tuple[Standing, ...]
    tested: dict[Test, Tested]
    family: BoolArray
    """Which pairs were asked for, in the order of `itertools.combinations` over the matrix's systems."""
    choices: Choices
    interval: str = "bootstrap-percentile"

    @property
    def test(self) -> Test:
        return self.choices.test

    @property
    def alpha(self) -> float:
        return self.choices.alpha

    @property
    def level(self) -> float:
        return self.choices.level

    @property
    def resamples(self) -> int:
        return self.choices.resamples

    @property
    def seed(self) -> int:
        return self.choices.seed

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return f"{self.measure} at {self.matrix.length} words" if self.matrix.length else self.measure

    @property
    def complete(self) -> bool:
        """Every pair was asked for, so that letters and rank intervals mean something."""
        return bool(self.family.all())

    @property
    def signature(self) -> str:
        matrix, choices = self.matrix, self.choices
        length = f"|length:{matrix.length}" if matrix.length else ""
        against = f"|against:{choices.against}:{choices.side}" if choices.against else ""
        return (
            f"{matrix.info.signature or self.measure}{length}|topics:{len(matrix.topics)}|pool:{matrix.pool}"
            f"|interval:{self.interval}:{self.level:g}:{self.resamples}"
            f"|test:{self.tested[self.test].results.signature.replace('|', ':')}"
            f"|correct:{choices.correct}:{choices.alpha:g}|pairs:{int(self.family.sum())}{against}|seed:{self.seed}"
        )

    @cached_property
    def pairs(self) -> dict[Test, tuple[Pair, ...]]:
        """The pairs that were asked for, by test."""
        return {test: tuple(self._pairs(test)) for test in self.tested}

    def _pairs(self, test: Test) -> Iterator[Pair]:
        import numpy as np

        tested, names = self.tested[test], self.matrix.systems
        counts = tested.results.counts
        word = CORRECTION_WORDS[self.choices.correct]
        same = (
            self.equivalence.equivalent if self.equivalence is not None else np.zeros(len(counts), dtype=bool)
        )
        for k in np.flatnonzero(self.family).tolist():
            yield Pair(
                names[counts.first[k]],
                names[counts.second[k]],
                tested.results.at(k),
                float(tested.adjusted[k]),
                bool(tested.different[k]),
                word,
                bool(same[k]),
            )

    @cached_property
    def effects(self) -> PairEffects:
        """How large the differences are, with intervals, over all pairs."""
        from adjudge.stats.effects import pair_effects

        return pair_effects(self.matrix.values, level=self.level)

    @cached_property
    def equivalence(self) -> Equivalence | None:
        """Which pairs are shown to be the same within the margin, where one was given."""
        if self.choices.margin is None:
            return None
        from adjudge.stats.equivalence import equivalence_pairs

        test: Literal["t", "wilcoxon"] = "wilcoxon" if self.test == "wilcoxon" else "t"
        return equivalence_pairs(self.matrix.values, margin=self.choices.margin, test=test, alpha=self.alpha)

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""
        from adjudge.comparisons.words import sentences

        return sentences(self)

    def headline(self) -> str:
        """The first thing to know."""
        from adjudge.comparisons.words import headline

        return headline(self)

    def missing(self) -> list[str]:
        """Missing cells, counted, a line per reason."""
        counts: dict[tuple[str, str], int] = {}
        for _, system, why in self.matrix.missing:
            counts[system, why] = counts.get((system, why), 0) + 1
        return [f"{system}: {n} missing ({why})" for (system, why), n in counts.items()]

    def warnings(self) -> list[str]:
        """What a reader should know before believing the table."""
        from adjudge.comparisons.words import warnings

        return warnings(self)

    def to_frame(self) -> pd.DataFrame:
        """The league table."""
        from adjudge.comparisons.tables import standings_frame

        return standings_frame(self)

    def pairs_frame(self) -> pd.DataFrame:
        """A row per pair and test."""
        from adjudge.comparisons.tables import pairs_frame

        return pairs_frame(self)

    def effects_frame(self) -> pd.DataFrame:
        """A row per pair: effect sizes and their intervals."""
        from adjudge.comparisons.tables import effects_frame

        return effects_frame(self)

    def to_latex(self) -> str:
        """The league table for a paper, with booktabs rules."""
        from adjudge.comparisons.tables import to_latex

        return to_latex(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        from adjudge.comparisons.tables import as_dict

        return as_dict(self)
