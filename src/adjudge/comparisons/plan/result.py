"""What a plan holds, as frames, LaTeX and JSON. It is made in run.py and put into words in words.py."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from adjudge import __version__
from adjudge.data.scores import ScoreMatrix
from adjudge.stats.power.rates import Rate
from adjudge.stats.power.search import Answer

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Needs:
    """What one test needs: for a typical pair of systems, and for one that spreads widely."""

    test: str
    words: str
    paired: bool
    topics: Answer | None
    """For the difference asked for; None where none was."""
    topics_wide: Answer | None
    difference: Answer
    """The smallest that the present topics find."""
    difference_wide: Answer
    powers: tuple[Rate | float, ...] = ()
    """On the plan's numbers of topics, for the difference it looks for; NaN where it cannot be had."""

    def power(self, k: int) -> float:
        found = self.powers[k]
        return found.rate if isinstance(found, Rate) else found


@dataclass(frozen=True)
class JudgeRow:
    """With so many judges for every summary."""

    judges: float
    spread: float
    """Of the differences of two systems."""
    topics: float
    """NaN where no difference was asked for."""
    difference: float
    """The smallest that the present topics find."""


@dataclass(frozen=True)
class JudgePlan:
    """What more or fewer judges would do."""

    unit: str
    """assessor or judgment"""
    now: float
    """By summary, the harmonic mean."""
    matched: bool
    """Whether the same persons judged both systems of a pair."""
    share: float
    """Of the variance of a difference, as judged now."""
    rows: tuple[JudgeRow, ...]
    """The last one is what is left with infinitely many."""
    enough: float
    """How many make the present topics enough; infinite where none do, NaN where no difference was asked for."""


@dataclass(frozen=True)
class Plan:
    """How many topics find a difference, and which difference the present ones find. Frozen; keeps the matrix."""

    matrix: ScoreMatrix
    difference: float | None
    """As asked for, in the measure's units."""
    looked_for: float
    """Of the power curve: the one asked for, else the smallest that is found now."""
    power: float
    alpha: float
    pairs: int
    """By which alpha is divided."""
    have: int
    """Topics that two systems have in common, in the median."""
    typical: float
    """The standard deviation of the differences of two systems: the median over pairs."""
    wide: float
    """Nine pairs of ten have less."""
    sizes: tuple[int, ...]
    """Numbers of topics of the power curve."""
    needs: tuple[Needs, ...]
    """The test that answers first, then those beside it."""
    judges: JudgePlan | None
    source: str
    """Where simulated pairs come from: resampled or normal."""
    simulations: int
    seed: int
    used_pairs: int

    @property
    def measure(self) -> str:
        return self.matrix.measure

    @property
    def title(self) -> str:
        return f"{self.measure} at {self.matrix.length} words" if self.matrix.length else self.measure

    @property
    def signature(self) -> str:
        length = f"|length:{self.matrix.length}" if self.matrix.length else ""
        return (
            f"{self.matrix.info.signature or self.measure}{length}|plan:{self.source}|pairs:{self.used_pairs}"
            f"|test:{self.needs[0].test}|power:{self.power:g}|alpha:{self.alpha:g}/{self.pairs}"
            f"|simulations:{self.simulations}|seed:{self.seed}|v:{__version__}"
        )

    def headline(self) -> str:
        """The first thing to know."""
        return next(self.sentences())

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words."""
        from adjudge.comparisons.plan.words import sentences

        return sentences(self)

    def warnings(self) -> list[str]:
        """What to beware of."""
        from adjudge.comparisons.plan.words import warnings

        return warnings(self)

    def to_frame(self) -> pd.DataFrame:
        """A row per test: topics and differences, for typical and for wide pairs, with their simulation error."""
        import pandas as pd

        return pd.DataFrame([self._about(need) for need in self.needs])

    def curve_frame(self) -> pd.DataFrame:
        """A row per test and number of topics: the power, and the interval of the simulations."""
        import pandas as pd

        rows = [
            self._key(need) | {"difference": self.looked_for, "topics": n, **_rate(need.powers[k])}
            for need in self.needs
            for k, n in enumerate(self.sizes)
        ]
        columns = ["measure", "length", "test", "difference", "topics", "power", "low", "high"]
        return pd.DataFrame(rows, columns=columns)

    def to_latex(self) -> str:
        """The tests for a paper, with booktabs rules."""
        head = r"test & topics & smallest difference & power now \\"
        lines = [r"\begin{tabular}{lrrr}", r"\toprule", head, r"\midrule"]
        now = self.sizes.index(self.have) if self.have in self.sizes else None
        for need in self.needs:
            cells = (
                "--" if need.topics is None else _plain(need.topics.value, ",.0f"),
                _plain(need.difference.value, ".3g"),
                "--" if now is None else _plain(need.power(now), ".2f"),
            )
            lines.append(rf"{_tex(need.words)} & {' & '.join(cells)} \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {self.signature}"])

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; what is no finite number becomes null."""
        judges = None if self.judges is None else asdict(self.judges)
        everything: dict[str, Any] = _json(
            {
                "measure": self.measure,
                "length": self.matrix.length,
                "signature": self.signature,
                "difference": self.difference,
                "power": self.power,
                "alpha": self.alpha,
                "pairs": self.pairs,
                "topics": self.have,
                "spread": self.typical,
                "spread_wide": self.wide,
                "sentences": list(self.sentences()),
                "warnings": self.warnings(),
                "tests": [self._about(need) for need in self.needs],
                "judges": judges,
                "curve": self.curve_frame().drop(columns=["measure", "length"]).to_dict("records"),
            }
        )
        return everything

    def _key(self, need: Needs) -> dict[str, Any]:
        return {"measure": self.measure, "length": self.matrix.length, "test": need.test}

    def _about(self, need: Needs) -> dict[str, Any]:
        answers = {
            "needed": need.topics,
            "needed_wide": need.topics_wide,
            "finds": need.difference,
            "finds_wide": need.difference_wide,
        }
        about = self._key(need) | {"topics": self.have, "difference": self.difference}
        for name, answer in answers.items():
            about[name] = None if answer is None else answer.value
            about[f"{name}_error"] = None if answer is None else answer.error
        whys = [answer.why for answer in answers.values() if answer is not None and answer.why]
        return about | {"method": need.difference.method, "why": whys[0] if whys else None}


def _rate(power: Rate | float) -> dict[str, float]:
    if isinstance(power, Rate):
        return {"power": power.rate, "low": power.low, "high": power.high}
    return {"power": power, "low": power, "high": power}


def _plain(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "--"


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_json(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _tex(text: str) -> str:
    return text.replace("T^p", r"$T^p$").replace("_", r"\_").replace("%", r"\%")
