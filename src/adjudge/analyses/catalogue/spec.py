"""What a figure of the catalogue is: its name, where it comes from, and what may be asked of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from adjudge.core.errors import UsageError, quoted
from adjudge.core.phrases import Argument

if TYPE_CHECKING:
    from adjudge.analyses.scores import Scores
    from adjudge.core.picture import Figure
    from adjudge.data.scores import AllLengths

Progress = Callable[[int, int], None]
ALWAYS = ("measures", "length", "form", "seed", "progress")


@dataclass(frozen=True, kw_only=True)
class FigureOptions:
    """What may be asked of a figure; each takes some of it (`FigureSpec.takes`)."""

    measures: tuple[str, ...] = ()
    length: int | AllLengths | None = None
    form: str | None = None
    seed: int = 0
    order: Literal["rank", "given"] | None = None
    """Of systems and topics: by rank, or as the data has them."""
    against: str | None = None
    """The chosen topic or system, with which the others are compared."""
    people: tuple[str, ...] = ()
    """The measures that are people's judgments."""
    level: str | None = None
    """At which a measure is compared with people: system, input or global."""
    judge: tuple[str, ...] = ()
    """Assessors that are compared with the others."""
    topic: str | None = None
    """The one topic that is drawn."""
    by: str | None = None
    """The factor at whose levels systems are drawn: topic, assessor, length, type; properties of slices."""
    progress: Progress = lambda done, of: None

    @property
    def measure(self) -> str | None:
        """The one measure that is asked for."""
        if len(self.measures) > 1:
            raise UsageError(f"this figure draws one measure: choose one of {', '.join(self.measures)}")
        return self.measures[0] if self.measures else None

    @property
    def one_length(self) -> int | None:
        """The one length that is asked for."""
        if isinstance(self.length, str):
            raise UsageError("this figure takes one length, not all")
        return self.length

    def asked_for(self) -> list[str]:
        """The names of what was asked for beyond what every figure takes."""
        usual = FigureOptions()
        return [
            f.name
            for f in fields(self)
            if f.name not in ALWAYS and getattr(self, f.name) != getattr(usual, f.name)
        ]


@dataclass(frozen=True)
class FigureSpec:
    """A figure that can be asked for by name."""

    name: str
    about: str
    """What it shows, in a line."""
    make: Callable[[Scores, FigureOptions], Figure]
    after: str = ""
    """The figure of a paper that it follows: "Rankel et al. 2011, figures 2 to 5"."""
    takes: tuple[str, ...] = ()
    """Fields of `FigureOptions` beyond measures, length, form and seed."""
    example: str = ""
    """Options with which the demo shows it, as a shell has them."""
    one_target: bool = False
    """Whether it draws the first target length where several are left, so that choosing one is better."""
    panels: bool = False
    """Whether it grows with the targets that are left, so that a sheet of paper has room for one."""

    too_long: Callable[[Scores, FigureOptions], str] | None = None
    """Why it is left out where all figures are drawn, or nothing: it would take too long. By its name it is drawn."""

    def drawn(self, scores: Scores, options: FigureOptions) -> Figure:
        for name in options.asked_for():
            if name not in self.takes:
                raise UsageError(f"the figure {quoted(self.name)} takes no {Argument(name)}")
        return self.make(scores, options)
