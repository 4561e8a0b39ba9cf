"""What an analysis of variance found, frozen: the table, means, large interactions, checks. Words are in words.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from adjudge.comparisons.anova import words
from adjudge.data.scores import MeasureInfo
from adjudge.wording import tex

if TYPE_CHECKING:
    import pandas as pd

    from adjudge.comparisons.anova.components import Components
    from adjudge.stats.linear.anova import InteractionEffects, ResidualChecks
    from adjudge.stats.linear.model import LinearFit

COLUMNS = ["measure", "term", "df", "ss", "ms", "f", "p", "share", "why"]


@dataclass(frozen=True)
class Line:
    """One term of the table. Where F cannot be computed, `why` says why."""

    term: str
    df: int
    ss: float
    ms: float
    f: float
    p: float
    share: float
    """Of the variation about the mean."""
    why: str | None = None


@dataclass(frozen=True)
class Mean:
    """A system's mean as if it had met every level of the other factors alike."""

    system: str
    n: int
    mean: float
    error: float
    why: str | None = None


@dataclass(frozen=True)
class Interaction:
    """The sizes of one interaction: weighted effects, a row for every cell with scores."""

    term: str
    first: tuple[str, ...]
    """Levels of the first factor."""
    second: tuple[str, ...]
    sizes: InteractionEffects

    def to_frame(self) -> pd.DataFrame:
        """The table as DUC-2002 prints it: levels of the first factor in rows, of the second in columns."""
        import pandas as pd

        return pd.DataFrame(self.sizes.table(), index=list(self.first), columns=list(self.second))

    def large(self) -> list[tuple[str, str, float]]:
        """The cells with a large effect, the largest first."""
        s = self.sizes
        at = [k for k in range(s.effects.size) if s.large[k]]
        at.sort(key=lambda k: -abs(s.effects[k]))
        return [(self.first[s.cells[k, 0]], self.second[s.cells[k, 1]], float(s.effects[k])) for k in at]


@dataclass(frozen=True)
class Residual:
    """One of the largest residuals: which row it is, and how many standard errors it is off."""

    where: str
    standardised: float
    p: float
    """As an outlier, times the number of rows."""


@dataclass(frozen=True)
class Anova:
    """An analysis of variance. `fit` keeps the model, its residuals and their mean square for what comes after."""

    info: MeasureInfo
    length: int | None
    lines: tuple[Line, ...]
    residual_df: int
    residual_ss: float
    residual_ms: float
    total_ss: float
    ss_type: int
    n: int
    levels: dict[str, int]
    """How many levels each factor has."""
    means: tuple[Mean, ...]
    """Of the systems, the best first."""
    interactions: tuple[Interaction, ...]
    checks: ResidualChecks
    spread_over: str
    """The factor between whose levels the noise is compared: the system, where it is one."""
    largest: tuple[Residual, ...]
    components: Components | None
    """The mixed model, where random factors were asked for."""
    notes: tuple[str, ...]
    alpha: float
    fit: LinearFit = field(repr=False, compare=False)

    @property
    def measure(self) -> str:
        return self.info.measure

    @property
    def title(self) -> str:
        return f"{self.measure} at {self.length} words" if self.length else self.measure

    @property
    def formula(self) -> str:
        return f"value ~ {' + '.join(line.term for line in self.lines)}"

    @property
    def signature(self) -> str:
        length = f"|length:{self.length}" if self.length else ""
        terms = "+".join(line.term for line in self.lines)
        mixed = f"|{self.components.signature}" if self.components else ""
        kind = {1: "I", 2: "II", 3: "III"}[self.ss_type]
        return (
            f"{self.info.signature or self.measure}{length}|rows:{self.n}|anova:type-{kind}:{terms}"
            f"|alpha:{self.alpha:g}{mixed}"
        )

    def headline(self) -> str:
        """The first thing to know."""
        return words.headline(self)

    def sentences(self) -> Iterator[str]:
        """What can be concluded, in plain words: the terms, large interactions, variance components."""
        yield self.headline()
        yield from (words.line(each, self.residual_df, self.alpha) for each in self.lines)
        yield from (words.interaction(each, self.alpha) for each in self.interactions)
        if self.components is not None:
            yield from self.components.sentences(self.alpha)

    def residual_sentences(self) -> list[str]:
        """What the residuals say of the model's assumptions, a sentence each."""
        return [
            *self.checks.sentences(self.spread_over, self.alpha),
            *words.largest(self.largest, self.alpha),
        ]

    def warnings(self) -> list[str]:
        return [*self.notes, *(self.components.notes if self.components else ())]

    def to_frame(self) -> pd.DataFrame:
        """The table, the residuals last."""
        import pandas as pd

        return pd.DataFrame(list(self._rows()), columns=COLUMNS)

    def means_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([asdict(mean) for mean in self.means])

    def _rows(self) -> Iterator[dict[str, Any]]:
        for line in self.lines:
            yield {"measure": self.measure, **asdict(line)}
        nan = float("nan")
        share = self.residual_ss / self.total_ss if self.total_ss else nan
        yield {
            "measure": self.measure,
            "term": "residuals",
            "df": self.residual_df,
            "ss": self.residual_ss,
            "ms": self.residual_ms,
            "f": nan,
            "p": nan,
            "share": share,
            "why": None,
        }

    def to_latex(self) -> str:
        """The table for a paper, with booktabs rules."""
        lines = [r"\begin{tabular}{lrrrrr}", r"\toprule"]
        lines += [r"& df & sum of squares & mean square & $F$ & $p$ \\", r"\midrule"]
        for row in self._rows():
            numbers = (words.number(row["ss"]), words.number(row["ms"]), words.f(row["f"]), words.p(row["p"]))
            cells = " & ".join(tex(cell) for cell in (str(row["df"]), *numbers))
            lines.append(rf"{tex(row['term'])} & {cells} \\".replace("<", "$<$"))
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", f"% {self.signature}"])

    def as_dict(self) -> dict[str, Any]:
        """Everything, for --json; NaN becomes null."""
        c = self.checks
        found = {
            "measure": self.measure,
            "better": self.info.better,
            "length": self.length,
            "rows": self.n,
            "levels": self.levels,
            "ss_type": self.ss_type,
            "signature": self.signature,
            "headline": self.headline(),
            "sentences": list(self.sentences()),
            "table": list(self._rows()),
            "means": [asdict(mean) for mean in self.means],
            "interactions": [_interaction(each) for each in self.interactions],
            "residuals": {
                "sentences": self.residual_sentences(),
                "normal": asdict(c.normal),
                "spread": asdict(c.spread),
                "additive": asdict(c.additive),
                "skewness": c.skewness,
                "kurtosis": c.kurtosis,
                "largest": [asdict(each) for each in self.largest],
            },
            "components": self.components.as_dict() if self.components else None,
            "warnings": self.warnings(),
        }
        return dict(_plain(found))


def _interaction(found: Interaction) -> dict[str, Any]:
    s = found.sizes
    cells = [
        {
            "first": found.first[a],
            "second": found.second[b],
            "n": int(n),
            "effect": float(effect),
            "error": float(error),
            "p": float(p),
            "large": bool(large),
        }
        for (a, b), n, effect, error, p, large in zip(
            s.cells.tolist(), s.n, s.effects, s.standard_errors, s.p, s.large, strict=True
        )
    ]
    return {"term": found.term, "limit": s.limit, "cells": cells}


def _plain(value: Any) -> Any:
    """As JSON has it: no NaN, no tuples."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value
