"""The frozen result of holding lengths against each other. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adjudge.comparisons.lengths.averaging import LeftOut, Length, length_words
from adjudge.data.scores import MeasureInfo, ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.stats.linear.tukey import Tukey
    from adjudge.stats.paired import Interval
    from adjudge.stats.ranks import KendallTau


@dataclass(frozen=True)
class Standing:
    """One system at one length."""

    system: str
    rank: int | None
    """By the least-squares mean; None where there is none."""
    n: int
    mean: float
    """Least-squares mean: the plain one where no cell is missing."""
    centred: float
    """The mean over topics of the score less the topic's mean over all peers."""
    group: str
    """Letters: systems that share one cannot be told apart by Tukey's test."""


@dataclass(frozen=True)
class AtLength:
    """What was found at one length, or with all lengths averaged within topics."""

    length: Length
    together: bool
    """Whether this is all lengths averaged."""
    matrix: ScoreMatrix
    tukey: Tukey
    standings: tuple[Standing, ...]
    """Best first; systems without scores come last."""

    @property
    def name(self) -> str:
        return "all lengths" if self.together else length_words(self.length)

    @property
    def column(self) -> str:
        """The name where there is little room."""
        return "all" if self.together else "unset" if self.length is None else str(self.length)

    @property
    def pairs(self) -> int:
        """Pairs of systems that could be tested."""
        return len(self.tukey) - len(self.tukey.why)

    @property
    def told_apart(self) -> int:
        return int((self.tukey.p < 1 - self.tukey.level).sum())

    def standing(self, system: str) -> Standing | None:
        return next((s for s in self.standings if s.system == system), None)


@dataclass(frozen=True)
class Agreement:
    """How far two rankings of the same systems agree."""

    what: str
    """Which rankings, in words: `the rankings at 10 words and 50 words`."""
    a: str
    b: str
    tau: KendallTau
    interval: Interval
    only: tuple[str, ...]
    """Systems that one of the two alone can rank."""


@dataclass(frozen=True)
class LengthsResult:
    """A measure at all its lengths. Frozen; keeps the matrices it came from."""

    info: MeasureInfo
    lengths: tuple[AtLength, ...]
    """From the shortest to the longest; an unset length comes first."""
    together: AtLength | None
    """All lengths averaged within topics; None where there is one length."""
    between_lengths: tuple[Agreement, ...]
    between_tasks: tuple[Agreement, ...]
    """Single- against multi-document topics, at every length that has both, and over all lengths."""
    left_out: tuple[LeftOut, ...]
    """Lengths that were left out of topics' means, for `together`."""
    level: float
    resamples: int
    seed: int

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def columns(self) -> tuple[AtLength, ...]:
        """Every length, and all of them together."""
        return self.lengths if self.together is None else (*self.lengths, self.together)

    @property
    def signature(self) -> str:
        at = ",".join(each.column for each in self.lengths)
        return (
            f"{self.info.signature or self.measure}|lengths:{at}|model:system+topic|tukey:{self.level:g}"
            f"|tau-b:bootstrap-percentile:{self.resamples}|seed:{self.seed}"
        )

    def systems(self) -> tuple[str, ...]:
        """Every system, the best first: by all lengths together, then by the longest that has it."""
        last = (self.together,) if self.together else ()
        by_place = (s.system for each in (*last, *reversed(self.lengths)) for s in each.standings)
        return tuple(dict.fromkeys(by_place))

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""
        from adjudge.comparisons.lengths.words import sentences

        return sentences(self)

    def warnings(self) -> list[str]:
        """What a reader should know first."""
        from adjudge.comparisons.lengths.words import warnings

        return warnings(self)

    def to_frame(self) -> pd.DataFrame:
        """A row per system and length."""
        from adjudge.comparisons.lengths.tables import standings_frame

        return standings_frame(self)

    def lengths_frame(self) -> pd.DataFrame:
        """A row per length: its noise, and the difference that counts."""
        from adjudge.comparisons.lengths.tables import lengths_frame

        return lengths_frame(self)

    def agreement_frame(self) -> pd.DataFrame:
        """A row per pair of rankings."""
        from adjudge.comparisons.lengths.tables import agreement_frame

        return agreement_frame(self)

    def to_latex(self) -> str:
        """Scores centred by topic, with letters, for a paper."""
        from adjudge.comparisons.lengths.tables import to_latex

        return to_latex(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        from adjudge.comparisons.lengths.tables import as_dict

        return as_dict(self)
